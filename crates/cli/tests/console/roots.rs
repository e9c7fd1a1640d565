//! The directory that a server and its runs work in: the one that `--root` names, never the home directory by accident.

use serde_json::json;

use crate::folder::Folder;
use crate::server::{Server, repository};

fn makes_a_file() -> Folder {
    let folder = repository();
    folder.write(
        "scene.toml",
        "name = \"makes\"\n[[turn]]\ntext = \"I make it.\"\n[[turn.call]]\ntool = \"apply_patch\"\narguments = { patch = \
         \"*** Begin Patch\\n*** Add File: made.txt\\n+made\\n*** End Patch\" }\n[[turn]]\ntext = \"Done.\"\n",
    );
    folder
}

fn run() -> serde_json::Value {
    json!({ "task": "make it", "models": ["scripted:scene.toml"], "runId": "makes" })
}

#[test]
fn a_server_works_in_the_directory_that_is_named() {
    let (folder, elsewhere) = (makes_a_file(), Folder::new());
    let root = folder.path().to_str().unwrap();
    let server = Server::at_home(&folder, elsewhere.path(), &["--root", root]);
    assert_eq!(server.get("/api/issues").data()["items"][0]["title"], "First");
    assert_eq!(server.post("/api/runs", &run()).status, 202);
    server.eventually("/api/runs/makes", |card| card["run"]["state"] == "done");
    assert_eq!(std::fs::read_to_string(folder.path().join("made.txt")).unwrap(), "made\n");
    assert!(!elsewhere.path().join(".premath").exists() && !elsewhere.path().join("made.txt").exists());
}

#[test]
fn a_server_in_the_home_directory_begins_no_run_unless_the_directory_is_named() {
    let folder = makes_a_file();
    let server = Server::at_home(&folder, folder.path(), &[]);
    let refused = server.post("/api/runs", &run());
    assert_eq!(refused.code(), "workdir_too_broad", "{refused:?}");
    drop(server);
    assert!(!folder.path().join("made.txt").exists());
    let named = Server::at_home(&folder, folder.path(), &["--root", "."]);
    assert_eq!(named.post("/api/runs", &run()).status, 202);
    named.eventually("/api/runs/makes", |card| card["run"]["state"] == "done");
    assert!(folder.path().join("made.txt").exists());
}
