//! Servers over HTTP: our own of another repository, behind its token, and ones by hand that lead elsewhere, never end, say
//! something else or nothing.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::folder::Folder;
use crate::place::{Place, behaviour};

/// How a server that gave no answer is told of.
const FAILED: &str = r#""failed":"the server cannot be reached"#;
const TOKEN: &str = "a-token-that-nobody-else-knows-01";

/// `premath mcp-serve --http` of a repository; it ends with the test.
struct Listening(Child, String);

impl Listening {
    fn new(repository: &Folder) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_premath"));
        command.args(["mcp-serve", "--http", "127.0.0.1:0", "--json"]).env_clear();
        command.current_dir(repository.path()).env("XDG_STATE_HOME", repository.state());
        command.env("PREMATH_MCP_TOKEN", TOKEN).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let url = said["url"].as_str().unwrap().to_owned();
        Self(child, url)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The person's own file: the server may be reached, and what it defines is still to be approved.
fn named(url: &str) -> String {
    format!(
        "[mcp.servers.other]\nurl = \"{url}\"\ntoken_env = \"OTHER_TOKEN\"\nallow = [\"issue_ready\"]\nrisk = \"read\"\n\
         start_seconds = 3\n"
    )
}

fn place(url: &str) -> Place {
    let place = Place::new(&behaviour(&[]), "");
    place.configure(&named(url));
    place.write("premath.toml", "");
    place.set("OTHER_TOKEN", TOKEN);
    place
}

#[test]
fn a_server_behind_a_token_is_asked_and_the_token_is_kept_nowhere() {
    let other = Folder::new();
    assert_eq!(other.run(&["init"]).code, Some(0));
    assert_eq!(other.json(&["issue", "add", "Mend the roof", "--id", "roof"]).0, 0);
    let server = Listening::new(&other);
    let place = place(&server.1);
    place.approve("other");
    let scene = "name = \"asks\"\n[[turn]]\ntext = \"I look.\"\n[[turn.call]]\ntool = \"other__issue_ready\"\n\
                 arguments = { limit = 5 }\n[[turn]]\ntext = \"Done.\"\n";
    place.write("scene.toml", scene);
    let asks = ["run", "what is to be done there?", "--model", "scripted:scene.toml", "--run-id", "w"];
    let (code, ran) = place.json(&asks);
    assert_eq!(code, 0, "{ran}");
    assert!(place.journal().contains("Mend the roof"));
    assert_eq!(place.json(&["replay", "w"]).0, 0);
    assert!(!place.keeps(TOKEN), "the token is in a file of the repository");
    place.set("OTHER_TOKEN", "another-token-than-the-server-has");
    let told = checked(&place);
    assert!(told.contains(FAILED) && told.contains("status 401"), "{told}");
    place.set("OTHER_TOKEN", "");
    assert!(checked(&place).contains("the variable OTHER_TOKEN is not set"));
    place.set("OTHER_TOKEN", TOKEN);
    drop(server);
    assert!(checked(&place).contains(FAILED));
}

fn checked(place: &Place) -> String {
    place.json(&["tools", "check"]).1.to_string()
}

/// A server by hand on this machine, and how many came to it.
fn by_hand(answers: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (url, came) =
        (format!("http://{}/mcp", listener.local_addr().unwrap()), Arc::new(AtomicUsize::new(0)));
    let (counted, answers) = (Arc::clone(&came), Arc::new(answers));
    // It ends with the test program.
    drop(thread::spawn(move || {
        for stream in listener.incoming() {
            counted.fetch_add(1, Ordering::SeqCst);
            let (mut stream, answers) = (stream.unwrap(), Arc::clone(&answers));
            drop(thread::spawn(move || {
                let mut piece = [0_u8; 65_536];
                if stream.read(&mut piece).unwrap_or(0) > 0 {
                    answers(&mut stream);
                }
            }));
        }
    }));
    (url, came)
}

/// Says something; whoever has heard enough may be gone.
fn goes_on(stream: &mut TcpStream, text: &str) -> bool {
    stream.write_all(text.as_bytes()).is_ok()
}

fn say(stream: &mut TcpStream, text: &str) {
    drop(stream.write_all(text.as_bytes()));
}

fn head(status: &str, kind: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nConnection: close\r\n")
}

/// What a check says of a server that answers like this, and how long it took to say it.
fn told_of(answers: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> (String, Duration) {
    let (url, came) = by_hand(answers);
    let place = place(&url);
    let before = Instant::now();
    let told = checked(&place);
    assert!(came.load(Ordering::SeqCst) > 0, "it was asked: {told}");
    assert!(!told.contains(TOKEN) && !told.contains("rmcp"), "{told}");
    (told, before.elapsed())
}

#[test]
fn a_server_that_leads_elsewhere_is_not_followed_and_the_token_goes_nowhere_else() {
    let (elsewhere, came) = by_hand(|stream| say(stream, &(head("200 OK", "application/json") + "\r\n{}")));
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let to = elsewhere.clone();
        let (told, _) = told_of(move |stream| {
            say(
                stream,
                &format!("{}Location: {to}\r\nContent-Length: 0\r\n\r\n", head(status, "text/plain")),
            );
        });
        assert!(told.contains(FAILED), "{status}: {told}");
        assert_eq!(came.load(Ordering::SeqCst), 0, "{status}");
    }
}

#[test]
fn an_answer_without_end_of_another_kind_or_that_never_comes_blocks_the_server() {
    for kind in ["application/json", "text/event-stream"] {
        let (told, _) = told_of(move |stream| {
            say(stream, &(head("200 OK", kind) + "\r\n"));
            let piece = if kind == "application/json" { " " } else { "data: x" }.repeat(16_384);
            while goes_on(stream, &piece) {}
        });
        assert!(told.contains(r#""failed":"the server sent more than 4194304"#), "{kind}: {told}");
    }
    let (told, _) = told_of(|stream| say(stream, &(head("200 OK", "text/html") + "\r\n<p>Hello.</p>")));
    assert!(told.contains(FAILED), "{told}");
    let (told, _) = told_of(|stream| say(stream, &(head("200 OK", "application/json") + "\r\n{\"a\": 1, ")));
    assert!(told.contains(FAILED), "{told}");
    let (told, _) =
        told_of(|stream| say(stream, &(head("500 Internal Server Error", "text/plain") + "\r\n")));
    assert!(told.contains(FAILED) && told.contains("status 500"), "{told}");
    let (told, took) = told_of(|stream| {
        thread::sleep(Duration::from_secs(30));
        say(stream, "HTTP/1.1 200 OK\r\n\r\n");
    });
    assert!(told.contains(FAILED) && told.contains("3 seconds"), "{told}");
    assert!(took < Duration::from_secs(20), "{took:?}");
}

#[test]
fn a_server_that_asks_more_than_anybody_answers_is_left() {
    let (told, took) = told_of(|stream| {
        say(stream, &(head("200 OK", "text/event-stream") + "\r\n"));
        for id in 0_u32.. {
            let asked = format!("data: {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\n");
            if !goes_on(stream, &asked) {
                return;
            }
        }
    });
    assert!(told.contains("it asks for more than anybody answers"), "{told}");
    assert!(took < Duration::from_secs(20), "{took:?}");
}
