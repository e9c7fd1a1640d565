//! Runs followed live, by cursor: every row once, in order, whoever drives the run.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use premath_bd::{Clock as _, Journal, JournalEvent, JournalWriter, OsClock, OsDisk, runs_folder};
use premath_kernel::Object;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::server::{Server, TOKEN, repository, state_of};

/// A stream of rows.
pub(crate) struct Followed(BufReader<TcpStream>);

/// One event of it.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) id: Option<u64>,
    pub(crate) event: String,
    pub(crate) data: Value,
}

impl Followed {
    pub(crate) fn new(server: &Server, path: &str, last: Option<u64>) -> Self {
        let mut stream = server.connect();
        let mut request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {TOKEN}\r\nAccept: text/event-stream\r\n",
            server.address
        );
        request.extend(last.map(|id| format!("Last-Event-ID: {id}\r\n")));
        request.push_str("\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("text/event-stream"), "{head}");
        Self(reader)
    }

    /// The next event; none when the stream has ended.
    pub(crate) fn next(&mut self) -> Option<Told> {
        let mut told = Told { id: None, event: "message".to_owned(), data: Value::Null };
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).unwrap_or(0) == 0 {
                return None;
            }
            let line = line.trim_end();
            // Lengths of chunks stand between; no line of ours looks like one.
            if let Some(id) = line.strip_prefix("id: ") {
                told.id = id.parse().ok();
            } else if let Some(event) = line.strip_prefix("event: ") {
                told.event = event.to_owned();
            } else if let Some(data) = line.strip_prefix("data: ") {
                told.data = serde_json::from_str(data).unwrap();
                return Some(told);
            }
        }
    }

    /// Every row until the end, which must be told.
    pub(crate) fn rows(mut self) -> Vec<u64> {
        let mut rows = Vec::new();
        while let Some(told) = self.next() {
            if told.event == "end" {
                return rows;
            }
            assert_eq!(told.id, told.data["seq"].as_u64());
            rows.push(told.id.unwrap());
        }
        panic!("the stream ended without an end after {} rows", rows.len());
    }
}

/// The journal of a run that this process writes.
pub(crate) fn journal(folder: &Folder, run: &str) -> JournalWriter {
    let disk = std::sync::Arc::new(OsDisk);
    Journal::open(disk, &runs_folder(folder.path()), run).unwrap().hold().unwrap()
}

pub(crate) fn write(writer: &mut JournalWriter, kind: &'static str, count: u64) {
    let rows: Vec<JournalEvent> = (0..count)
        .map(|_| JournalEvent::new(kind, Object::fields().field("note", "something happened")))
        .collect();
    writer.append_events(&rows, OsClock.now()).unwrap();
}

#[test]
fn a_run_of_this_server_is_followed_from_its_first_row_to_its_last() {
    let folder = repository();
    let server = Server::new(&folder);
    let begun = server.post(
        "/api/runs",
        &json!({ "task": "say hello", "models": ["scripted:hello.toml"], "runId": "one" }),
    );
    assert_eq!(begun.status, 202, "{begun:?}");
    let rows = Followed::new(&server, "/api/runs/one/events?cursor=0", None).rows();
    assert_eq!(rows, (1..=u64::try_from(rows.len()).unwrap()).collect::<Vec<_>>());
    let page = server.get("/api/runs/one/events?limit=2").data();
    assert_eq!((page["rows"].as_array().unwrap().len(), &page["hasMore"]), (2, &json!(true)));
    let cursor = page["nextCursor"].as_str().unwrap();
    let rest = server.get(&format!("/api/runs/one/events?cursor={cursor}")).data();
    assert_eq!(rest["rows"][0]["seq"], 3);
    assert_eq!(rest["ended"], true);
    let exported = server.get("/api/runs/one/export").data();
    assert_eq!(exported["items"][2]["rowDigest"], rest["rows"][0]["digest"]);
}

#[test]
fn a_run_of_another_process_is_followed_while_it_goes() {
    let folder = repository();
    let server = Server::new(&folder);
    let mut writer = journal(&folder, "other");
    write(&mut writer, "run.noted", 3);
    let mut followed = Followed::new(&server, "/api/runs/other/events", None);
    assert_eq!(followed.next().unwrap().id, Some(1));
    for _ in 0..10 {
        write(&mut writer, "run.noted", 2);
        std::thread::sleep(Duration::from_millis(20));
    }
    write(&mut writer, "run.stopped", 1);
    drop(writer);
    let rows = followed.rows();
    assert_eq!(rows, (2..=24).collect::<Vec<_>>());
}

#[test]
fn whoever_was_cut_off_goes_on_behind_the_last_row_they_saw() {
    let folder = repository();
    let server = Server::new(&folder);
    let mut writer = journal(&folder, "cut");
    write(&mut writer, "run.noted", 1_200);
    let mut seen = Vec::new();
    while seen.len() < 1_150 {
        let mut followed = Followed::new(&server, "/api/runs/cut/events?cursor=0", seen.last().copied());
        for _ in 0..137 {
            seen.push(followed.next().unwrap().id.unwrap());
            if seen.len() >= 1_150 {
                break;
            }
        }
    }
    write(&mut writer, "run.stopped", 1);
    drop(writer);
    seen.extend(Followed::new(&server, "/api/runs/cut/events", seen.last().copied()).rows());
    assert_eq!(seen, (1..=1_201).collect::<Vec<_>>());
    let bad = server.send(
        "GET",
        "/api/runs/cut/events?cursor=nonsense",
        &[("Authorization", &format!("Bearer {TOKEN}")), ("Accept", "text/event-stream")],
        "",
    );
    assert_eq!(bad.status, 400, "{bad:?}");
}

#[test]
fn a_run_that_is_gone_on_with_is_followed_behind_its_first_end() {
    let folder = repository();
    folder.write("scene.toml", "name = \"two\"\n[[turn]]\ntext = \"One.\"\n[[turn.call]]\ntool = \"fs_read\"\narguments = { path = \"hello.toml\" }\n[[turn]]\ntext = \"Two.\"\n");
    let server = Server::new(&folder);
    let begun = server.post(
        "/api/runs",
        &json!({ "task": "two turns", "models": ["scripted:scene.toml"], "runId": "two", "maxTurns": 1 }),
    );
    assert_eq!(begun.status, 202, "{begun:?}");
    let first = Followed::new(&server, "/api/runs/two/events", None).rows();
    let card = server.get("/api/runs/two").data();
    assert_eq!((&card["run"]["state"], &card["resumable"]), (&json!("limit"), &json!(true)), "{card}");
    let resumed = server.post("/api/runs/two/resume", &json!({ "maxTurns": 5 }));
    assert_eq!(resumed.status, 202, "{resumed:?}");
    let rest = Followed::new(&server, "/api/runs/two/events", first.last().copied()).rows();
    assert_eq!(rest.first(), first.last().map(|last| last + 1).as_ref());
    server.eventually("/api/runs/two", |card| card["run"]["state"] == "done");
    assert_eq!(server.post("/api/runs/two/stop", &json!({ "now": true })).status, 400, "it takes no body");
    let over =
        server.send("POST", "/api/runs/two/stop", &[("Authorization", &format!("Bearer {TOKEN}"))], "");
    assert_eq!((over.status, over.code().as_str()), (409, "run_not_here"));
    let again = server.post("/api/runs/two/resume", &json!({}));
    assert_eq!((again.status, again.code().as_str()), (409, "run_over"), "{again:?}");
    let nobody = server.post("/api/runs/nobody/resume", &json!({}));
    assert_eq!(nobody.status, 404, "{nobody:?}");
    let misnamed = server.post("/api/runs", &json!({ "task": "x", "runId": "../x" }));
    assert_eq!(misnamed.status, 422, "{misnamed:?}");
    let _ = state_of(&folder);
}
