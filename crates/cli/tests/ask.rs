//! `premath ask` and `premath models` against `premath model-server`: three protocols, streams, faults, fallback,
//! cooling down, recordings, and keys that appear nowhere.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod error_document;
mod folder;
mod served;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use error_document::answer_in;
use folder::{Folder, Ran};
use serde_json::Value;
use served::Served;

const KEY: &str = "sk-test-0123456789abcdef-do-not-print";
const PROTOCOLS: [&str; 3] = ["anthropic-messages", "openai-responses", "openai-chat"];

const HELLO: &str = "name = \"hello\"\n[[turn]]\ntext = \"Hello from the script.\"\nchunk = 3\n";
const LIMITED: &str = "name = \"limited\"\n[[turn]]\ntext = \"never said\"\n\
                       [[turn.fault]]\nkind = \"rate_limit\"\nretry_after = 600\nalways = true\n";

/// A repository whose person has one provider for each protocol, each with a key, on these servers.
fn repository(servers: &[(&str, &str, &Served)]) -> Folder {
    let folder = Folder::new();
    assert_eq!(folder.run(&["init"]).code, Some(0));
    let mut text = String::new();
    for (name, protocol, served) in servers {
        text.push_str(&format!(
            "[models.providers.{name}]\nprotocol = \"{protocol}\"\nbase_url = \"{}\"\nkey_env = \"TEST_KEY\"\n",
            served.url
        ));
    }
    folder.write("person.toml", text);
    folder
}

fn run(folder: &Folder, arguments: &[&str]) -> Ran {
    let mut command = folder.command(arguments);
    let person = folder.path().join("person.toml");
    let output = command.env("PREMATH_CONFIG", person).env("TEST_KEY", KEY).output().unwrap();
    let ran = Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "the key was shown: {ran:?}");
    ran
}

#[track_caller]
fn json(ran: &Ran) -> Value {
    let parsed = serde_json::from_str(&ran.stdout);
    assert!(parsed.is_ok(), "{ran:?}");
    parsed.unwrap()
}

fn scenario(folder: &Folder, name: &str, text: &str) -> Served {
    folder.write(name, text);
    Served::new(&folder.path().join(name))
}

#[test]
fn each_protocol_answers_streamed_and_in_one_piece() {
    let scenarios = Folder::new();
    let served = scenario(&scenarios, "hello.toml", HELLO);
    for protocol in PROTOCOLS {
        let folder = repository(&[("here", protocol, &served)]);
        let streamed = run(&folder, &["ask", "Hi", "--model", "here:m", "--stream"]);
        assert_eq!(
            (streamed.code, streamed.stdout.as_str()),
            (Some(0), "Hello from the script.\n"),
            "{streamed:?}"
        );
        let whole = run(&folder, &["ask", "Hi", "--model", "here:m", "--json"]);
        let answer = json(&whole);
        assert_eq!(answer["text"], "Hello from the script.", "{protocol}: {answer}");
        assert_eq!((&answer["model"], &answer["stop"]), (&"here:m".into(), &"end_turn".into()), "{answer}");
        assert!(answer["usage"]["outputTokens"].as_u64() > Some(0), "{answer}");
        assert!(answer["requestId"].is_string(), "{protocol}: {answer}");
        let events = run(&folder, &["ask", "Hi", "--model", "here:m", "--json", "--stream"]);
        let lines: Vec<Value> =
            events.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let text: String = lines
            .iter()
            .filter(|line| line["event"] == "text")
            .filter_map(|line| line["text"].as_str())
            .collect();
        assert_eq!(text, "Hello from the script.");
        assert!(lines.iter().filter(|line| line["event"] == "text").count() > 3, "{protocol}: {lines:?}");
        assert_eq!(lines.last().unwrap()["action"], "model.ask");
    }
}

/// Seed: 003 §1/4
#[test]
fn a_limited_provider_is_passed_over_and_shown_cooling_down() {
    let scenarios = Folder::new();
    let mut limited = scenario(&scenarios, "limited.toml", LIMITED);
    let good = scenario(&scenarios, "hello.toml", HELLO);
    let folder =
        repository(&[("first", "anthropic-messages", &limited), ("second", "openai-responses", &good)]);
    let chain = ["ask", "Hi", "--model", "first:m", "--model", "second:m"];
    let ran = run(&folder, &[&chain[..], &["--stream"]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hello from the script.\n"), "{ran:?}");
    assert!(ran.stderr.contains("first:m") && ran.stderr.contains("rate_limit"), "{}", ran.stderr);
    assert_eq!(limited.next()["status"], 429);

    let listed = json(&run(&folder, &["models", "--json"]));
    let state = |name: &str| {
        let rows = listed["items"].as_array().unwrap();
        rows.iter().find(|row| row["provider"] == name).unwrap().clone()
    };
    assert_eq!(state("first")["state"], "cooling_down", "{listed}");
    assert_eq!(state("first")["circuit"]["because"], "rate_limit");
    assert_eq!(state("second")["state"], "ready");
    assert!(run(&folder, &["models"]).stdout.contains("cooling down"));

    // Skipped, not asked: in another process too.
    let again = json(&run(&folder, &[&chain[..], &["--json"]].concat()));
    assert!(again["attempts"][0]["coolingUntil"].is_string(), "{again}");
    assert_eq!(again["model"], "second:m");

    let alone = run(&folder, &["ask", "Hi", "--model", "first:m", "--json"]);
    assert_eq!((alone.code, answer_in(alone.code, &alone.stdout)), (Some(3), ""), "{alone:?}");
    assert!(alone.stderr.starts_with("error: model.rate_limit: "), "{}", alone.stderr);
    assert!(alone.stderr.contains("\nhint: "), "{}", alone.stderr);
}

#[test]
fn an_answer_that_breaks_off_ends_typed_and_falls_back_to_nobody() {
    let text = "This answer goes on for quite a while before it ends. ".repeat(20);
    let cut = format!(
        "name = \"cut\"\n[[turn]]\ntext = \"{text}\"\nchunk = 4\n\
         [[turn.fault]]\nkind = \"cut\"\nat_byte = 4000\nalways = true\n"
    );
    let scenarios = Folder::new();
    let broken = scenario(&scenarios, "cut.toml", &cut);
    let good = scenario(&scenarios, "hello.toml", HELLO);
    for protocol in PROTOCOLS {
        let folder = repository(&[("first", protocol, &broken), ("second", "openai-chat", &good)]);
        let ran = run(&folder, &["ask", "Hi", "--model", "first:m", "--model", "second:m", "--stream"]);
        assert_eq!(ran.code, Some(4), "{protocol}: {ran:?}");
        assert!(ran.stdout.starts_with("This") && !ran.stdout.contains("Hello"), "{protocol}: {ran:?}");
        assert!(ran.stderr.contains("error: model.unavailable: "), "{protocol}: {}", ran.stderr);
    }
}

#[test]
fn a_recording_answers_again_without_a_server_and_holds_no_key() {
    let scenarios = Folder::new();
    let served = scenario(&scenarios, "hello.toml", HELLO);
    let folder = repository(&[("here", "openai-responses", &served)]);
    let recorded = run(&folder, &["ask", "Hi", "--model", "here:m", "--stream", "--record", "tape.json"]);
    assert_eq!(recorded.code, Some(0), "{recorded:?}");
    drop(served);
    let tape = std::fs::read_to_string(folder.path().join("tape.json")).unwrap();
    assert!(!tape.contains(KEY) && tape.contains("Hi"), "{tape}");
    let replayed = run(&folder, &["ask", "Hi", "--model", "replay:tape.json", "--stream"]);
    assert_eq!((replayed.code, &replayed.stdout), (Some(0), &recorded.stdout), "{replayed:?}");
    let other = run(&folder, &["ask", "Something else", "--model", "replay:tape.json", "--stream"]);
    assert_eq!(other.code, Some(4), "{other:?}");
    assert!(other.stderr.contains("cassette"), "{}", other.stderr);
}

#[test]
fn a_script_answers_without_a_server() {
    let folder = Folder::new();
    folder.write("hello.toml", HELLO);
    let ran = folder.run(&["ask", "Hi", "--model", "scripted:hello.toml"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hello from the script.\n"), "{ran:?}");
    let (code, answer) = folder.json(&["ask", "Hi", "--model", "scripted:hello.toml"]);
    assert_eq!((code, &answer["model"]), (0, &"scripted:hello.toml".into()), "{answer}");
    folder.write("no.toml", "name = \"no\"\n[[turn]]\nrefusal = \"I would rather not.\"\n");
    let refused = folder.run(&["ask", "Hi", "--model", "scripted:no.toml"]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert!(refused.stdout.contains("I would rather not."), "{refused:?}");
}

#[test]
fn what_cannot_be_asked_is_said_before_anything_is_sent() {
    let folder = Folder::new();
    folder.write("bad.toml", "name = \"x\"\n[[turn]]\ntxt = \"a\"\n");
    let cases = [
        (vec!["ask", "Hi"], 2, "no model"),
        (vec!["ask", "Hi", "--model", "nobody:m"], 2, "nobody"),
        (vec!["ask", "Hi", "--model", "nocolon"], 2, "nocolon"),
        (vec!["ask", " ", "--model", "scripted:x.toml"], 2, "blank"),
        (vec!["ask", "Hi", "--model", "scripted:missing.toml"], 4, "missing.toml"),
        (vec!["ask", "Hi", "--model", "scripted:bad.toml"], 2, "bad.toml"),
        (vec!["ask", "Hi", "--model", "replay:missing.json"], 4, "missing.json"),
        (vec!["ask", "Hi", "--model", "anthropic:m"], 4, "ANTHROPIC_API_KEY"),
        (vec!["ask", "Hi", "--model", "openai:m", "--max-tokens", "0"], 2, "max-tokens"),
        (vec!["model-server", "--scenario", "missing.toml"], 4, "missing.toml"),
        (vec!["model-server", "--scenario", "bad.toml"], 2, "bad.toml"),
    ];
    for (arguments, code, word) in cases {
        let ran = folder.run(&arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stdout, "", "{arguments:?}");
        assert!(ran.stderr.contains(word) && ran.stderr.contains("hint: "), "{arguments:?}: {}", ran.stderr);
    }
}

#[test]
fn a_provider_is_asked_whether_it_is_there() {
    let scenarios = Folder::new();
    let served = scenario(&scenarios, "hello.toml", HELLO);
    let gone = scenario(&scenarios, "gone.toml", HELLO);
    let folder = repository(&[("here", "openai-chat", &served), ("gone", "anthropic-messages", &gone)]);
    drop(gone);
    let ran = run(&folder, &["models", "--check", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let listed = json(&ran);
    let check = |name: &str| {
        let rows = listed["items"].as_array().unwrap();
        rows.iter().find(|row| row["provider"] == name).unwrap()["check"].clone()
    };
    assert_eq!(check("here")["reachable"], true, "{listed}");
    assert_eq!(check("gone")["reachable"], false, "{listed}");
    assert_eq!(check("gone")["error"]["kind"], "unavailable", "{listed}");
}

#[test]
fn a_repository_cannot_send_a_key_of_mine_anywhere() {
    let scenarios = Folder::new();
    let served = scenario(&scenarios, "hello.toml", HELLO);
    let folder = repository(&[]);
    let provider =
        format!("[models.providers.evil]\nprotocol = \"openai-chat\"\nbase_url = \"{}\"\n", served.url);
    folder.write("premath.toml", format!("{provider}key_env = \"TEST_KEY\"\n"));
    let ran = run(&folder, &["ask", "Hi", "--model", "evil:m"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("premath.toml, line 4"), "{}", ran.stderr);
}

/// A server that answers every request with the same text, and counts them.
fn answering(content_type: &str, body: &str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            counter.fetch_add(1, Ordering::SeqCst);
            let mut seen = [0; 65536];
            // The request fits into one read, or the answer comes early: either will do.
            drop(stream.read(&mut seen));
            drop(stream.write_all(answer.as_bytes()));
        }
    });
    (url, asked)
}

const WHOLE_CHAT: &str = r#"{"id":"c","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"In one piece."},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}"#;

fn provider(folder: &Folder, url: &str, more: &str) {
    let text = format!("[models.providers.odd]\nprotocol = \"openai-chat\"\nbase_url = \"{url}\"\n{more}");
    folder.write("person.toml", text);
}

#[test]
fn an_answer_in_one_piece_is_printed_where_a_stream_was_asked_for() {
    let (url, _) = answering("application/json", WHOLE_CHAT);
    let folder = repository(&[]);
    provider(&folder, &url, "");
    let ran = run(&folder, &["ask", "Hi", "--model", "odd:m", "--stream"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "In one piece.\n"), "{ran:?}");
}

#[test]
fn nothing_is_sent_that_could_not_be_recorded() {
    let (url, asked) = answering("application/json", WHOLE_CHAT);
    let folder = repository(&[]);
    provider(&folder, &url, "");
    let ask = |file: &str| run(&folder, &["ask", "Hi", "--model", "odd:m", "--record", file]);
    let ran = ask("missing/tape.json");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""), "{ran:?}");
    assert!(ran.stderr.contains("missing/tape.json"), "{}", ran.stderr);

    let lock = std::fs::File::create(folder.path().join(".tape.json.lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(ask("tape.json").code, Some(3));
    drop(lock);

    folder.write("hello.toml", HELLO);
    let scripted = run(&folder, &["ask", "Hi", "--model", "scripted:hello.toml", "--record", "tape.json"]);
    assert_eq!(scripted.code, Some(2), "{scripted:?}");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "something was sent");
    assert_eq!(ask("tape.json").code, Some(0));
}

#[test]
fn a_key_is_looked_up_when_it_is_needed_and_not_before() {
    let (url, asked) = answering("application/json", WHOLE_CHAT);
    let folder = repository(&[]);
    provider(&folder, &url, "key_command = [\"sh\", \"-c\", \"echo run >> ran; echo key\"]\n");
    folder.write("hello.toml", HELLO);
    let ran = run(&folder, &["ask", "Hi", "--model", "scripted:hello.toml", "--model", "odd:m"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Hello from the script.\n"), "{ran:?}");
    assert!(!folder.path().join("ran").exists(), "the key was looked up");
    assert_eq!(run(&folder, &["models"]).code, Some(0));
    assert!(!folder.path().join("ran").exists(), "the key was looked up to list it");
    let ran = run(&folder, &["ask", "Hi", "--model", "odd:m"]);
    assert_eq!((ran.code, asked.load(Ordering::SeqCst)), (Some(0), 1), "{ran:?}");
    assert_eq!(std::fs::read_to_string(folder.path().join("ran")).unwrap(), "run\n");
}

#[test]
fn what_is_remembered_of_providers_fails_like_any_store_and_is_mended_like_one() {
    let (url, asked) = answering("application/json", WHOLE_CHAT);
    let folder = repository(&[]);
    provider(&folder, &url, "");
    folder.write("hello.toml", HELLO);
    folder.write(".premath/model_circuits.json", "{broken");
    for arguments in [&["ask", "Hi", "--model", "odd:m"][..], &["models"]] {
        let ran = run(&folder, arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(4), ""), "{ran:?}");
        assert!(
            ran.stderr.contains("model_circuits.json") && ran.stderr.contains("premath doctor"),
            "{ran:?}"
        );
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0, "something was sent");
    assert_eq!(run(&folder, &["ask", "Hi", "--model", "scripted:hello.toml"]).code, Some(0));
    assert_eq!(run(&folder, &["verify"]).code, Some(1));
    assert_eq!(run(&folder, &["doctor", "--fix"]).code, Some(0));
    assert_eq!(run(&folder, &["ask", "Hi", "--model", "odd:m"]).code, Some(0));
    assert_eq!(run(&folder, &["verify"]).code, Some(0));
}

#[test]
fn where_waiting_may_help_that_is_the_answer() {
    let scenarios = Folder::new();
    let limited = scenario(&scenarios, "limited.toml", LIMITED);
    let folder = repository(&[("first", "anthropic-messages", &limited)]);
    for _ in 0..2 {
        let ran = run(&folder, &["ask", "Hi", "--model", "first:m", "--model", "anthropic:m"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.stderr.contains("first:m") && ran.stderr.contains("anthropic:m"), "{}", ran.stderr);
    }
}

#[test]
fn a_stream_of_events_that_breaks_off_ends_with_an_error_event() {
    let scenarios = Folder::new();
    let limited = scenario(&scenarios, "limited.toml", LIMITED);
    let folder = repository(&[("first", "openai-chat", &limited)]);
    let ran = run(&folder, &["ask", "Hi", "--model", "first:m", "--stream", "--json"]);
    assert_eq!(ran.code, Some(3), "{ran:?}");
    let last: Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((&last["event"], &last["error"]["kind"]), (&"error".into(), &"rate_limit".into()), "{last}");
}

#[test]
fn nothing_that_somebody_else_wrote_acts_on_the_terminal() {
    let folder = repository(&[]);
    folder.write("premath.toml", "[models]\ndefault = \"openai:\\u001b]0;owned\\u0007x\"\n");
    let cases: [&[&str]; 3] = [
        &["ask", "Hi"],
        &["ask", "Hi", "--model", "scripted:\u{1b}[31m\n.toml"],
        &["model-server", "--scenario", "\u{1b}[31mx.toml"],
    ];
    for arguments in cases {
        let ran = run(&folder, arguments);
        assert_ne!(ran.code, Some(0), "{ran:?}");
        assert!(!ran.stderr.contains('\u{1b}') && !ran.stderr.contains('\u{7}'), "{:?}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 2, "{:?}", ran.stderr);
    }
}

#[test]
fn a_configuration_that_is_named_must_be_there() {
    let folder = Folder::new();
    let output = folder.command(&["models"]).env("PREMATH_CONFIG", "/nowhere/x.toml").output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let address = folder
        .command(&["models"])
        .env("ANTHROPIC_BASE_URL", "https://me:secret@x.example")
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&address.stderr);
    assert_eq!(address.status.code(), Some(2), "{told}");
    assert!(told.contains("ANTHROPIC_BASE_URL") && !told.contains("secret"), "{told}");
}
