//! The examples of policy are what they say: their commands are run as they stand.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::room::{PROGRAM, Room};

/// Every command of a page, in order.
fn commands(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1);
    blocks.map(|block| block.split_once("```").unwrap().0).collect()
}

#[test]
fn the_three_deletes_are_one_plan_one_yes_and_three_restores() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap();
    let page = std::fs::read_to_string(examples.join("policy/three-deletes/README.md")).unwrap();
    let room = Room::new(&[], "");
    let place = TempDir::new().unwrap();
    std::os::unix::fs::symlink(&examples, place.path().join("examples")).unwrap();
    let mut shell = Command::new("sh");
    room.settle(&mut shell);
    let programs = Path::new(PROGRAM).parent().unwrap().display().to_string();
    shell.env("PATH", format!("{programs}:/usr/bin:/bin")).current_dir(place.path());
    let output = shell.args(["-eux", "-c", &commands(&page)]).output().unwrap();
    let (said, traced) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{said}{traced}");
    assert_eq!(said.matches("the plan waits for a person").count(), 1, "one card: {said}");
    assert_eq!(traced.matches("+ premath proposals approve").count(), 1, "one yes: {traced}");
    for name in ["draft-a.md", "draft-b.md", "draft-c.md"] {
        assert!(said.contains(&format!("desk_delete_file {name}  ok\n")), "{name} is deleted: {said}");
        assert!(said.contains(&format!("restored {name} ")), "{name} is back: {said}");
    }
    assert!(said.contains("this is draft-b.md\n"), "{said}");
    assert!(said.contains("identical three"), "{said}");
}
