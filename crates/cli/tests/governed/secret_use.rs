//! A person who asks for a secret to be written: they are asked once whether the call may have it, and its value is nowhere
//! else than where they wanted it.

use std::path::Path;

use serde_json::{Value, json};

use crate::room::{Room, call};
use crate::terminal::{PROMPT, Terminal};

/// What stands for the token below, for a model.
const PLACEHOLDER: &str = "[redacted:github-pat]";

/// Made to look like one.
fn token() -> String {
    format!("ghp_{}", "Zk3Qx9Lm2Vb7Nc4Rt8Yp1Wd6Hs5Jf0GaTuEi")
}

/// What only its name makes a secret.
fn password() -> String {
    ["Vq7rTz9", "mKw2Lp4x"].concat()
}

/// A run whose task has the token, with a model that makes these calls.
fn arguments<'a>(run: &'a str, task: &'a str, model: &'a str) -> [&'a str; 6] {
    ["run", task, "--model", model, "--run-id", run]
}

fn scene(room: &Room, run: &str, turns: &str) -> String {
    let name = format!("scene-{run}.toml");
    room.write(&name, &format!("name = \"scene\"\n{turns}[[turn]]\ntext = \"Done.\"\n"));
    format!("scripted:{name}")
}

fn every_file(path: &Path, take: &mut dyn FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, take);
        } else {
            take(&path, &std::fs::read(&path).unwrap());
        }
    }
}

/// The files of premath that have a value in them.
pub(crate) fn leaks(folders: &[&Path], secret: &str) -> Vec<String> {
    let mut found = Vec::new();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        every_file(folder, &mut |path, bytes| {
            if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
                found.push(path.display().to_string());
            }
        });
    }
    found
}

#[track_caller]
fn keeps_nothing(room: &Room, terminal: &str, secret: &str) {
    assert!(!terminal.contains(secret), "{terminal}");
    let found = leaks(&[&room.path().join(".premath"), &room.state()], secret);
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn a_token_of_the_task_is_written_when_the_person_agrees_and_kept_nowhere() {
    let room = Room::new(&[], "");
    let (token, run) = (token(), "writes");
    let shell = call(
        "shell",
        &format!("command = '''printf %s \"{PLACEHOLDER}\" > token.txt; cat token.txt''', workdir = \".\""),
    );
    let patch = call(
        "apply_patch",
        &format!("patch = \"*** Begin Patch\\n*** Add File: ci.env\\n+TOKEN={PLACEHOLDER}\\n*** End Patch\""),
    );
    let model = scene(&room, run, &[shell, patch].concat());
    let task = format!("put my token {token} into token.txt and ci.env");
    let mut terminal = Terminal::start(&room, &arguments(run, &task, &model));
    let card = terminal.shows(PROMPT);
    for wanted in ["its arguments hold a secret", "`github-pat` at `/command`", "from your task", PLACEHOLDER]
    {
        assert!(card.contains(wanted), "`{wanted}`: {card}");
    }
    assert!(
        !card.contains("yes (run)") && !card.contains("yes (pattern)"),
        "a yes covers this call only: {card}"
    );
    terminal.types("y\n");
    let card = terminal.shows(PROMPT);
    assert!(card.contains("`github-pat` at `/patch`") && card.contains("+TOKEN=[redacted"), "{card}");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    let read = |name: &str| std::fs::read_to_string(room.path().join(name)).unwrap();
    assert_eq!((read("token.txt"), read("ci.env")), (token.clone(), format!("TOKEN={token}\n")));
    keeps_nothing(&room, &terminal.text(), &token);
    room.is_sound(&[run]);
}

#[test]
fn a_secret_that_the_model_wrote_itself_is_asked_about_and_kept_nowhere_even_where_its_name_is_gone() {
    let room = Room::new(&[], "");
    let (password, run) = (password(), "password");
    let patch = call(
        "apply_patch",
        &format!(
            "patch = \"*** Begin Patch\\n*** Add File: app.ini\\n+password = \\\"{password}\\\"\\n*** End Patch\""
        ),
    );
    // Nothing but the run's own memory says that this is one.
    let bare = call("shell", "command = '''cut -d'\"' -f2 app.ini | tee bare.txt''', workdir = \".\"");
    let said = format!("[[turn]]\ntext = \"It says {password} there.\"\n");
    let model = scene(&room, run, &[patch, bare, said].concat());
    let mut terminal = Terminal::start(&room, &arguments(run, "change the password of the app", &model));
    let card = terminal.shows(PROMPT);
    assert!(card.contains("at `/patch` (written by the model)") && !card.contains(&password), "{card}");
    terminal.types("y\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(std::fs::read_to_string(room.path().join("bare.txt")).unwrap(), format!("{password}\n"));
    keeps_nothing(&room, &terminal.text(), &password);
    room.is_sound(&[run]);
}

#[test]
fn a_no_writes_nothing_and_the_model_reads_it() {
    let room = Room::new(&[], "");
    let (token, run) = (token(), "no");
    let shell = call("shell", &format!("command = 'printf %s {PLACEHOLDER} > token.txt', workdir = \".\""));
    let expect =
        "[[turn]]\ntext = \"Then not.\"\n[turn.expect]\ntool_result = [{ contains = \"not in a file\" }]\n";
    let model = scene(&room, run, &format!("{shell}{expect}"));
    let mut terminal = Terminal::start(&room, &arguments(run, &format!("keep {token}"), &model));
    terminal.shows(PROMPT);
    terminal.types("n not in a file\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert!(!room.path().join("token.txt").exists());
    keeps_nothing(&room, &terminal.text(), &token);
}

#[test]
fn where_nobody_can_answer_a_call_with_a_secret_is_denied() {
    let room = Room::new(&[], "");
    let (token, run) = (token(), "alone");
    let shell = call("shell", &format!("command = 'printf %s {PLACEHOLDER} > token.txt', workdir = \".\""));
    let model = scene(&room, run, &shell);
    let ran = room.run(&arguments(run, &format!("keep {token}"), &model));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(room.results(run)[0]["errorCode"], "policy_denied");
    assert!(room.items(&["approvals", "list"]).is_empty() && !room.path().join("token.txt").exists());
    keeps_nothing(&room, &ran.stdout, &token);
}

#[test]
fn a_placeholder_that_stands_for_two_values_is_denied() {
    let room = Room::new(&[], "");
    let run = "two";
    let other: String = token().chars().rev().take(36).collect();
    let task = format!("use {} or ghp_{other}", token());
    let model =
        scene(&room, run, &call("shell", &format!("command = 'echo {PLACEHOLDER}', workdir = \".\"")));
    let mut terminal = Terminal::start(&room, &arguments(run, &task, &model));
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(room.results(run)[0]["errorCode"], "policy_denied");
}

#[test]
fn a_question_about_a_secret_that_outlives_its_process_ends_with_its_secret_gone() {
    for answer in ["none", "yes"] {
        let room = Room::new(&[], "");
        let (token, run) = (token(), "left");
        let shell =
            call("shell", &format!("command = 'printf %s {PLACEHOLDER} > token.txt', workdir = \".\""));
        let model = scene(&room, run, &shell);
        let mut terminal = Terminal::start(&room, &arguments(run, &format!("keep {token}"), &model));
        terminal.shows(PROMPT);
        terminal.types("\u{4}");
        assert_eq!(terminal.ends(), Some(3), "{}", terminal.text());
        let id = room.only("approvals");
        if answer == "yes" {
            let (_, refused) = room.ended(&["approvals", "approve", &id, "--scope", "run"]);
            assert_eq!(refused["refused"]["class"], "approval_unbounded", "{refused}");
            room.done(&["approvals", "approve", &id]);
        }
        let ran = room.run(&["resume", run]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let result: &Value = &room.results(run)[0];
        assert_eq!(result["errorCode"], json!("secret_gone"), "{result}");
        assert!(!room.path().join("token.txt").exists(), "nothing ran, with or without the value");
        assert!(room.pending("approvals").is_empty(), "no question is left that no answer can be used for");
        keeps_nothing(&room, &ran.stdout, &token);
        room.is_sound(&[run]);
    }
}
