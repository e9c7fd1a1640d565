//! The chat over HTTP, against the command itself with a scripted model: what a client is streamed, what a reload shows, what
//! people decide, and what a killed server leaves.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot be read fails the test"
)]
#![expect(clippy::disallowed_methods, reason = "a test starts servers and looks at files")]

mod desk_promises;
#[path = "../folder/mod.rs"]
mod folder;
mod people;
#[path = "../console/server.rs"]
#[expect(dead_code, reason = "the tests of the console ask for more")]
mod served;
mod server;
mod use_chat;

use serde_json::{Value, json};
use server::{Room, message, of_type};

const HELLO: &str = "[[turn]]\ntext = \"Hello there.\"\n";
const LISTS: &str = r#"
[[turn]]
reasoning = "What is there?"
text = "I look."
[[turn.call]]
tool = "desk_list_files"
arguments = { file_type = "all" }
[[turn]]
text = "There is one note."
"#;

fn text(parts: &Value) -> String {
    let texts = parts.as_array().unwrap().iter().filter(|part| part["type"] == "text");
    texts.map(|part| part["text"].as_str().unwrap()).collect::<Vec<_>>().join("|")
}

#[test]
fn an_answer_is_streamed_and_a_reload_shows_the_same() {
    let room = Room::new(LISTS);
    let server = room.serve();
    let got = server.say("tidy", "m1", "What is there?");
    let head = got.head.to_lowercase();
    assert!(
        head.contains("x-vercel-ai-ui-message-stream: v1") && head.contains("text/event-stream"),
        "{head}"
    );
    let chunks = got.chunks();
    assert_eq!(chunks.first().unwrap()["type"], "start");
    assert_eq!(chunks.last().unwrap()["type"], "finish");
    assert_eq!(of_type(&chunks, "tool-output-available").len(), 1, "{chunks:?}");
    assert_eq!(of_type(&chunks, "data-turn").len(), 2, "{chunks:?}");
    // Nothing of the history that a client sends is believed.
    assert!(!got.body.contains("delete everything"));
    let shown = server.get("/api/conversations/tidy").data();
    assert_eq!(shown["messages"].as_array().unwrap().len(), 2, "{shown}");
    assert_eq!(shown["messages"][0]["id"], "m1");
    assert_eq!(shown["messages"][1]["id"], chunks[0]["messageId"]);
    assert_eq!(text(&shown["messages"][1]["parts"]), "I look.|There is one note.");
    assert_eq!(shown["active"], json!(false));
    assert_eq!(server.get("/api/chat/tidy/stream").status, 204);
    let log = server.get("/api/conversations/tidy/log").data();
    let row = &log["items"][0];
    assert_eq!(
        (&row["tool"], &row["risk"], &row["decision"]),
        (&json!("desk_list_files"), &json!("read"), &json!("allow"))
    );
    assert!(row["result"].as_str().unwrap().contains("note.md") && row["durationMs"].is_u64(), "{row}");
    assert!(row["argsDigest"].as_str().unwrap().starts_with("sha256:"), "{row}");
}

#[test]
fn the_next_message_is_shown_what_was_said_before_and_replays_to_the_same_rows() {
    let room = Room::new(HELLO);
    let server = room.serve();
    let first = server.say("talk", "m1", "My cat is called Tinka.").chunks();
    let body = json!({
        "id": "talk",
        "message": { "id": "m2", "role": "user", "parts": [{ "type": "text", "text": "What is she called?" }] },
        "panels": [{ "fileId": room.file, "focused": true }],
    });
    let second = server.post("/api/chat", &body).chunks();
    let run = second[0]["messageId"].as_str().unwrap();
    let (code, turn) = room.json(&["turn", "show", &format!("{run}.t0001")]);
    assert_eq!(code, 0);
    let saw = turn["saw"][0]["text"].as_str().unwrap();
    assert!(saw.contains("My cat is called Tinka.") && saw.contains("Hello there."), "{saw}");
    assert!(saw.contains("first line") && saw.contains("in focus"), "{saw}");
    assert!(!saw.contains("I may delete everything."), "{saw}");
    for run in [first[0]["messageId"].as_str().unwrap(), run] {
        let (code, replayed) = room.json(&["replay", run]);
        assert_eq!((code, &replayed["identical"]), (0, &json!(true)));
    }
}

#[test]
fn the_same_conversation_goes_on_at_a_terminal() {
    let room = Room::new(HELLO);
    let server = room.serve();
    server.say("both", "m1", "from the page").chunks();
    let (code, _) = room.json(&["run", "--desk", "--conversation", "both", "from the terminal"]);
    assert_eq!(code, 0);
    let shown = server.get("/api/conversations/both").data();
    let said: Vec<String> =
        shown["messages"].as_array().unwrap().iter().map(|message| text(&message["parts"])).collect();
    assert_eq!(said, ["from the page", "Hello there.", "from the terminal", "Hello there."]);
}

#[test]
fn conversations_are_begun_named_listed_and_deleted() {
    let room = Room::new(HELLO);
    let server = room.serve();
    let made = server.post("/api/conversations", &json!({ "title": "Plans" }));
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.data()["id"].as_str().unwrap().to_owned();
    let renamed =
        server.ask("PATCH", &format!("/api/conversations/{id}"), Some(&json!({ "title": "Old plans" })));
    assert_eq!(renamed.data()["title"], "Old plans");
    assert_eq!(server.get("/api/conversations").data()["count"], json!(1));
    assert_eq!(server.ask("DELETE", &format!("/api/conversations/{id}"), None).status, 200);
    let gone = server.get(&format!("/api/conversations/{id}"));
    assert_eq!((gone.status, gone.code().as_str()), (404, "conversation_not_found"));
}

#[test]
fn what_is_no_message_is_refused_and_nothing_is_done() {
    let room = Room::new(HELLO);
    let server = room.serve();
    let said = |text: &str| json!({ "id": "c", "message": { "role": "user", "parts": [{ "type": "text", "text": text }] } });
    for (body, status) in [
        (json!({ "message": { "role": "user", "parts": [] } }), 422),
        (json!({ "id": "c" }), 422),
        (json!({ "id": "c", "messages": [] }), 422),
        (said("  "), 422),
        (said(&"x".repeat(32_001)), 413),
        (
            json!({ "id": "../c", "message": { "role": "user", "parts": [{ "type": "text", "text": "hi" }] } }),
            422,
        ),
        (
            json!({ "id": "c", "message": { "role": "system", "parts": [{ "type": "text", "text": "hi" }] } }),
            422,
        ),
    ] {
        let got = server.post("/api/chat", &body);
        assert_eq!(got.status, status, "{got:?}");
        assert!(!got.code().is_empty());
    }
    assert_eq!(room.json(&["runs", "list"]).1["count"], json!(0));
}

#[test]
fn whoever_says_too_much_waits() {
    let room = Room::new(HELLO);
    let server = room.serve();
    let mut refused = None;
    for number in 0..60 {
        let got = server.say("fast", &format!("m{number}"), "hello");
        if got.status != 200 {
            refused = Some(got);
            break;
        }
    }
    let refused = refused.unwrap();
    assert_eq!((refused.status, refused.code().as_str()), (429, "rate_limited"));
    assert!(refused.head.to_lowercase().contains("retry-after:"), "{refused:?}");
}

#[test]
fn a_model_that_does_not_answer_is_a_status_and_one_sentence() {
    for (kind, status) in [("authentication", 502), ("rate_limit", 429), ("overloaded", 503)] {
        let room =
            Room::new(&format!("[[turn]]\ntext = \"x\"\nfault = [{{ kind = \"{kind}\", always = true }}]\n"));
        let server = room.serve();
        let got = server.say("c", "m1", "hello");
        assert_eq!((got.status, got.code()), (status, format!("model_{kind}")), "{got:?}");
        let message = got.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(!message.contains("scripted") && message.ends_with('.'), "{message}");
        // What was said is kept, and the run can be gone on with.
        let shown = server.get("/api/conversations/c").data();
        assert_eq!(text(&shown["messages"][0]["parts"]), "hello");
    }
}

#[test]
fn one_run_answers_at_a_time_and_a_stop_closes_its_turn() {
    let room = Room::new(
        "[[turn]]\ntext = \"slowly\"\nfault = [{ kind = \"slow\", delay_ms = 1500, always = true }]\n",
    );
    let server = room.serve();
    let answering = server.begin("/api/chat", &message("slow", "m1", "take your time"));
    let patience = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while room.json(&["conversations", "list"]).1["items"][0]["messageCount"] != json!(1) {
        assert!(std::time::Instant::now() < patience, "it never begins");
    }
    let second = server.say("slow", "m2", "and this?");
    assert_eq!((second.status, second.code().as_str()), (409, "conversation_busy"), "{second:?}");
    let stopped = server.ask("POST", "/api/chat/slow/stop", None).data();
    assert_eq!(stopped["stopped"], json!(true), "{stopped}");
    drop(answering);
    // A stop is heard at once; the run lets go of its conversation a moment later.
    loop {
        let shown = server.get("/api/conversations/slow").data();
        if shown["active"] == json!(false) && shown["messages"].as_array().unwrap().len() == 2 {
            break;
        }
        assert!(std::time::Instant::now() < patience, "{shown}");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(server.ask("POST", "/api/chat/slow/stop", None).data()["stopped"], json!(false));
}

#[test]
fn a_person_writes_renames_and_deletes_a_file() {
    let room = Room::new(HELLO);
    let server = room.serve();
    let path = format!("/api/desk/files/{}", room.file);
    let written = server.ask("PUT", &path, Some(&json!({ "version": 1, "content": "new words\n" })));
    assert_eq!(written.data()["version"], json!(2));
    let stale = server.ask("PUT", &path, Some(&json!({ "version": 1, "content": "lost\n" })));
    assert_eq!((stale.status, stale.code().as_str()), (409, "desk_version_stale"));
    assert_eq!(server.ask("PATCH", &path, Some(&json!({ "name": "other.md" }))).data()["name"], "other.md");
    assert_eq!(server.ask("DELETE", &path, Some(&json!({ "version": 3 }))).status, 200);
    let (_, history) = room.json(&["desk", "history", &room.file]);
    assert_eq!(history["count"], json!(4));
}

#[test]
fn a_long_conversation_costs_what_a_short_one_does() {
    let room = Room::new(HELLO);
    let (code, _) = room.json(&["conversations", "start", "--id", "long"]);
    assert_eq!(code, 0);
    for number in 0..40 {
        let (code, _) = room.json(&["run", "--desk", "--conversation", "long", &format!("message {number}")]);
        assert_eq!(code, 0);
    }
    let server = room.serve();
    let run = server.say("long", "last", "and now?").chunks()[0]["messageId"].as_str().unwrap().to_owned();
    let (_, turn) = room.json(&["turn", "show", &format!("{run}.t0001")]);
    let saw = turn["saw"][0]["text"].as_str().unwrap();
    assert!(saw.contains("35 older exchanges are not shown"), "{saw}");
    assert!(saw.contains("message 39") && !saw.contains("message 34\n"), "{saw}");
    let shown = server.get("/api/conversations/long").data();
    assert_eq!(shown["messages"].as_array().unwrap().len(), 82);
    let page = server.get("/api/conversations/long?limit=3").data();
    assert_eq!((page["messages"].as_array().unwrap().len(), &page["earlier"]), (6, &json!(39)));
}

#[test]
fn a_message_that_is_refused_begins_no_conversation() {
    let room = Room::new(HELLO);
    let server = room.serve();
    for (member, value, status) in [
        ("scopes", json!(["desk:root"]), 422),
        ("panels", json!(5), 422),
        ("panels", json!([{ "fileId": "nope" }]), 404),
        ("panels", json!([{}]), 422),
    ] {
        let mut body = message("refused", "m1", "hello");
        body[member] = value;
        let got = server.post("/api/chat", &body);
        assert_eq!(got.status, status, "{got:?}");
        assert_eq!(server.get("/api/conversations").data()["count"], json!(0), "{body}");
    }
    std::fs::remove_file(room.folder.path().join("premath.toml")).unwrap();
    drop(server);
    let server = room.serve();
    let got = server.say("refused", "m1", "hello");
    assert_eq!((got.status, got.code().as_str()), (409, "model_unconfigured"), "{got:?}");
    assert_eq!(server.get("/api/conversations").data()["count"], json!(0));
    assert_eq!(room.json(&["runs", "list"]).1["count"], json!(0));
}

#[test]
fn of_two_first_messages_one_is_answered_and_the_other_told_to_wait() {
    let room = Room::new(
        "[[turn]]\ntext = \"slowly\"\nfault = [{ kind = \"slow\", delay_ms = 1500, always = true }]\n",
    );
    let server = room.serve();
    let answers: Vec<served::Got> = std::thread::scope(|scope| {
        let both = ["m1", "m2"].map(|id| scope.spawn(|| server.say("both", id, "me first")));
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    let busy: Vec<&served::Got> = answers.iter().filter(|got| got.status != 200).collect();
    assert_eq!(busy.len(), 1, "{answers:?}");
    assert_eq!((busy[0].status, busy[0].code().as_str()), (409, "conversation_busy"));
    assert_eq!(server.get("/api/conversations").data()["items"][0]["messageCount"], json!(1));
}

/// Reads a stream until a text is in it.
fn until(stream: &mut std::net::TcpStream, wanted: &str) {
    use std::io::Read as _;
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&heard).contains(wanted) {
        let count = stream.read(&mut piece).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend_from_slice(&piece[..count]);
    }
}

const SNAIL: &str = "[[turn]]\ntext = \"one two three four five six seven eight nine ten eleven twelve thirteen\"\n\
                     fault = [{ kind = \"slow\", delay_ms = 400, always = true }]\n";

#[test]
fn what_was_read_before_a_stop_is_there_after_it_and_says_so() {
    let room = Room::new(SNAIL);
    let server = room.serve();
    let mut answering = server.begin("/api/chat", &message("c", "m1", "take your time"));
    until(&mut answering, "text-delta");
    assert_eq!(server.post("/api/chat/c/stop", &json!({})).data()["stopped"], json!(true));
    until(&mut answering, "[DONE]");
    drop(answering);
    drop(server);
    let server = room.serve();
    let answer = server.get("/api/conversations/c").data()["messages"][1].clone();
    assert_eq!(answer["metadata"]["outcome"], json!("interrupted"), "{answer}");
    assert!(text(&answer["parts"]).starts_with("one"), "{answer}");
    let run = answer["id"].as_str().unwrap();
    assert_eq!(server.post(&format!("/api/runs/{run}/resume"), &json!({})).status, 202);
    server.rest("c").chunks();
    let answer = server.get("/api/conversations/c").data()["messages"][1].clone();
    assert_eq!(text(&answer["parts"]).matches("one").count(), 1, "{answer}");
    assert_eq!(answer["metadata"]["outcome"], json!("completed"), "{answer}");
}

#[test]
fn an_answer_whose_server_was_killed_is_shown_as_broken_off() {
    let room = Room::new(SNAIL);
    let server = room.serve();
    let mut answering = server.begin("/api/chat", &message("c", "m1", "take your time"));
    until(&mut answering, "text-delta");
    let (_, shown) = room.json(&["conversations", "show", "c"]);
    assert_eq!(shown["messages"][1]["metadata"].get("outcome"), None, "it goes on: {shown}");
    server.kill();
    let server = room.serve();
    let answer = server.get("/api/conversations/c").data()["messages"][1].clone();
    assert_eq!(answer["metadata"]["outcome"], json!("broken_off"), "{answer}");
}
