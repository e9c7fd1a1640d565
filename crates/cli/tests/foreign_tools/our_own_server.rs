//! `premath mcp-serve` of a second repository as a server of the first.

use serde_json::json;

use crate::folder::Folder;
use crate::place::{Place, behaviour};

#[test]
fn the_issues_of_another_repository_are_read_through_its_server() {
    let other = Folder::new();
    let made = other.run(&["init"]);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    assert_eq!(other.json(&["issue", "add", "Mend the roof", "--id", "roof"]).0, 0);
    let place = Place::new(&behaviour(&[]), "");
    let table = format!(
        "[mcp.servers.other]\ncommand = {:?}\nargs = [\"mcp-serve\"]\ncwd = {:?}\nallow = [\"issue_ready\"]\nrisk = \"read\"\n",
        env!("CARGO_BIN_EXE_premath"),
        other.path().to_str().unwrap()
    );
    place.write("premath.toml", &table);
    place.approve("other");
    place.approve("other");
    let (_, found) = place.json(&["tools", "list"]);
    assert_eq!(found["tools"].as_array().unwrap().len(), 1, "{found}");
    assert_eq!(found["tools"][0]["name"], json!("other__issue_ready"));
    let scene = "name = \"asks\"\n[[turn]]\ntext = \"I look.\"\n[[turn.call]]\ntool = \"other__issue_ready\"\n\
                 arguments = { limit = 5 }\n[[turn]]\ntext = \"Done.\"\n";
    place.write("scene.toml", scene);
    let (code, ran) =
        place.json(&["run", "what is to be done there?", "--model", "scripted:scene.toml", "--run-id", "w"]);
    assert_eq!(code, 0, "{ran}");
    assert!(place.journal().contains("Mend the roof"));
    assert_eq!(place.json(&["replay", "w"]).0, 0);
}
