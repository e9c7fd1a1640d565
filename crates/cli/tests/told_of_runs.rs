//! Who is told of a run: a collector gets its spans without secrets, one that is not there holds up nobody, and a mode that
//! shuts everybody out does.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

#[expect(dead_code, reason = "this test reads no documents")]
mod folder;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use folder::{Folder, Ran};

const WAIT: Duration = Duration::from_secs(10);
const SCENE: &str = "name = \"told\"\n[[turn]]\ntext = \"I look with TOKEN.\"\n[[turn.call]]\nid = \"read\"\n\
    tool = \"fs_read\"\narguments = { path = \"a.txt\" }\n[[turn]]\ntext = \"Spoken.\"\n";

/// Never one: it only looks like it.
fn token() -> String {
    ["gh", "p_", "9aB3dE6gH1jK4mN7pQ0rS2tU5vW8xYzA1bC4"].concat()
}

/// A collector: its address, and the bodies it was sent.
fn collector() -> (String, Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sent, received) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            while let Some(body) = request(&mut stream) {
                sent.send(body).unwrap();
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
            }
        }
    });
    (address, received)
}

/// One request whose length is told.
fn request(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    assert!(head.starts_with("post /v1/traces "), "{head}");
    assert!(head.contains("content-type: application/x-protobuf"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.trim().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    Some(body)
}

fn run(person: &str) -> Ran {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    folder.write("a.txt", format!("key {}\n", token()));
    folder.write("scene.toml", SCENE.replace("TOKEN", &token()));
    folder.write("mine.toml", person);
    let arguments = ["run", "speak", "--model", "scripted:scene.toml"];
    let output = folder.command(&arguments).env("PREMATH_CONFIG", "mine.toml").output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn everything(received: &Receiver<Vec<u8>>) -> String {
    let mut all = received.recv_timeout(WAIT).unwrap();
    while let Ok(more) = received.try_recv() {
        all.extend(more);
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// Seed: 003 §1/11
#[test]
fn a_collector_is_told_of_a_run_and_of_no_word_in_it() {
    let (address, received) = collector();
    let ran = run(&format!("[telemetry]\notlp_endpoint = \"{address}\"\n"));
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let told = everything(&received);
    for name in ["invoke_agent premath", "execute_tool fs_read", "chat scene.toml", "premath.turn.digest"] {
        assert!(told.contains(name), "no {name} in {told}");
    }
    for content in ["I look", "Spoken", "a.txt", &token()] {
        assert!(!told.contains(content), "{content} in {told}");
    }
}

#[test]
fn contents_are_told_where_a_person_says_so_and_secrets_never_are() {
    let (address, received) = collector();
    let ran = run(&format!("[telemetry]\notlp_endpoint = \"{address}\"\ncontents = true\n"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let told = everything(&received);
    assert!(told.contains("I look with [redacted:github-pat]"), "{told}");
    assert!(told.contains("a.txt") && !told.contains(&token()), "{told}");
}

#[test]
fn a_collector_that_is_not_there_is_said_and_fails_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let ran = run(&format!("[telemetry]\notlp_endpoint = \"http://{address}\"\n"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("spans were not taken"), "{}", ran.stderr);
}

/// Seed: 001 §3/20, 001 §8/16
#[test]
fn a_mode_without_watchers_tells_nobody() {
    let (address, received) = collector();
    let ran =
        run(&format!("[policy]\nobservability = \"disabled\"\n[telemetry]\notlp_endpoint = \"{address}\"\n"));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(received.try_recv().is_err());
    let (processor, processed) = collector();
    let ran = run(&format!(
        "[policy]\nobservability = \"internal_processor\"\n[telemetry]\notlp_endpoint = \"{address}\"\n\
         processor = \"{processor}\"\n"
    ));
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    assert!(everything(&processed).contains("execute_tool fs_read"));
    assert!(received.try_recv().is_err());
}
