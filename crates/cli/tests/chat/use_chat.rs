//! The npm package `ai` against the server: its validator and reader over a stream, and `useChat` in a page.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::LISTS;
use crate::server::Room;

/// The example with its packages; none where they were not installed, which CI does not accept.
fn example() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/use-chat");
    if folder.join("node_modules/ai").exists() {
        return Some(folder);
    }
    let missing = "the packages of the example are missing: run `npm ci` in examples/use-chat";
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{missing}");
    #[expect(clippy::print_stderr, reason = "whoever reads the output must see what was not run")]
    {
        eprintln!("SKIPPED: {missing}");
    }
    None
}

fn read(folder: &Path, stream: &str) -> Value {
    let mut child = Command::new("node")
        .arg("read.mjs")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{stream}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn the_packages_own_reader_makes_the_message_that_a_reload_shows() {
    let Some(folder) = example() else { return };
    let room = Room::new(LISTS);
    let server = room.serve();
    let got = server.say("c", "m1", "What is there?");
    let made = read(&folder, &got.body);
    assert_eq!(made["errors"], serde_json::json!([]));
    let shown = server.get("/api/conversations/c").data();
    let plain = |parts: &Value| -> Vec<Value> {
        let mut parts = parts.as_array().unwrap().clone();
        for part in &mut parts {
            // What the reader adds for itself.
            let is_reasoning = part["type"] == "reasoning";
            let is_ours = |name: &str| name != "providerMetadata" && !(is_reasoning && name == "id");
            part.as_object_mut().unwrap().retain(|name, value| !value.is_null() && is_ours(name));
        }
        parts
    };
    assert_eq!(plain(&made["message"]["parts"]), plain(&shown["messages"][1]["parts"]));
    assert_eq!(made["message"]["id"], shown["messages"][1]["id"]);
}

#[test]
fn use_chat_talks_to_the_server() {
    let Some(folder) = example() else { return };
    let room = Room::new(LISTS);
    let server = room.serve();
    let built = Command::new("npm").args(["run", "build", "--silent"]).current_dir(&folder).status().unwrap();
    assert!(built.success());
    let url = format!("http://{}", server.address);
    let output = Command::new("node")
        .args(["check.mjs", &url, "0123456789abcdef0123", "page", "What is there?", "There is one note."])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let shown = server.get("/api/conversations/page").data();
    assert_eq!(shown["messages"].as_array().unwrap().len(), 2, "{shown}");
}
