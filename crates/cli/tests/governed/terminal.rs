//! Questions at a real terminal: a pseudo-terminal with the command on one end and the keys of a person on the other.
//!
//! With `PREMATH_UPDATE=1` the sessions are written to `docs/recordings` as asciicasts.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::pty::{Winsize, openpty};
use serde_json::json;

use crate::room::Room;

/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// Long enough for a clock that ticks to have ticked twice.
const QUIET: Duration = Duration::from_millis(1200);
/// The end of every prompt.
pub(crate) const PROMPT: &str = "[?] help: ";

/// The command at a terminal.
pub(crate) struct Terminal {
    child: Child,
    keys: File,
    screen: Arc<Mutex<Vec<(f64, String)>>>,
    /// How much of the screen was looked at.
    seen: usize,
}

impl Terminal {
    pub(crate) fn start(room: &Room, arguments: &[&str]) -> Self {
        let size = Winsize { ws_row: 40, ws_col: 110, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let slave = || Stdio::from(pty.slave.try_clone().unwrap());
        let mut command = room.command(arguments);
        command.env("TERM", "xterm-256color").stdin(slave()).stdout(slave()).stderr(slave());
        let child = command.spawn().unwrap();
        drop(command);
        drop(pty.slave);
        let keys = File::from(pty.master);
        let screen = Arc::new(Mutex::new(Vec::new()));
        let (mut output, written) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        let since = Instant::now();
        std::thread::spawn(move || {
            let mut bytes = [0_u8; 4096];
            // The other end is closed with an error when the command has ended.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                written.lock().unwrap().push((since.elapsed().as_secs_f64(), text));
            }
        });
        Self { child, keys, screen, seen: 0 }
    }

    pub(crate) fn text(&self) -> String {
        self.screen.lock().unwrap().iter().map(|(_, text)| text.as_str()).collect()
    }

    /// Waits until a text appears behind what was looked at, and returns everything up to it.
    #[track_caller]
    pub(crate) fn shows(&mut self, wanted: &str) -> String {
        let since = Instant::now();
        loop {
            let text = self.text();
            let unseen = text.get(self.seen..).unwrap();
            if let Some(at) = unseen.find(wanted) {
                let shown = unseen.get(..at + wanted.len()).unwrap().to_owned();
                self.seen += shown.len();
                return plain(&shown);
            }
            assert!(since.elapsed() < PATIENCE, "`{wanted}` is not shown: {text}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// What the command ends with.
    pub(crate) fn ends(&mut self) -> Option<i32> {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                std::thread::sleep(Duration::from_millis(100));
                return status.code();
            }
            assert!(since.elapsed() < PATIENCE, "it does not end: {}", self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Writes the session where documentation shows it, when that is asked for.
    fn record(&self, room: &Room, name: &str, title: &str) {
        if std::env::var_os("PREMATH_UPDATE").is_none() {
            return;
        }
        let header = json!({ "version": 2, "width": 110, "height": 40, "title": title });
        let folder = room.path().to_string_lossy().into_owned();
        let mut cast = format!("{header}\n");
        for (at, text) in self.screen.lock().unwrap().iter() {
            let row = json!([(at * 1000.0).round() / 1000.0, "o", text.replace(&folder, "/home/jo/desk")]);
            cast.push_str(&format!("{row}\n"));
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/recordings");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{name}.cast")), cast).unwrap();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A text without colours.
fn plain(text: &str) -> String {
    regex::Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").unwrap().replace_all(text, "").replace('\r', "")
}

/// Begins a run that deletes the first file, and says what the model hears of it.
fn deleting(room: &Room, run: &str, heard: &str) -> Terminal {
    let expect = if heard.is_empty() {
        String::new()
    } else {
        format!(
            "[[turn]]\ntext = \"Then not.\"\n[turn.expect]\ntool_result = [{{ contains = \"{heard}\" }}]\n"
        )
    };
    let scene = format!("name = \"scene\"\n{}{expect}[[turn]]\ntext = \"Done.\"\n", room.deleting(&[0]));
    room.write(&format!("scene-{run}.toml"), &scene);
    let model = format!("scripted:scene-{run}.toml");
    Terminal::start(room, &["run", "tidy up", "--desk", "--model", &model, "--run-id", run])
}

#[test]
fn a_yes_typed_before_the_question_approves_nothing() {
    let room = Room::new(&["notes.md"], "");
    let mut terminal = deleting(&room, "early", "too early");
    terminal.types("y\ny\ny");
    terminal.shows(PROMPT);
    std::thread::sleep(QUIET);
    assert_eq!(room.pending("approvals").len(), 1, "{}", terminal.text());
    assert!(room.deleted().is_empty());
    terminal.types("n too early\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert!(room.deleted().is_empty());
    let denied = room.items(&["approvals", "list", "--state", "denied"]);
    assert_eq!(denied[0]["message"], "too early");
}

#[test]
fn a_card_says_where_what_why_and_what_a_yes_covers_and_help_decides_nothing() {
    let room = Room::new(&["notes.md"], "");
    let mut terminal = deleting(&room, "card", "");
    let card = terminal.shows(PROMPT);
    let folder = std::fs::canonicalize(room.path()).unwrap();
    for wanted in [
        &format!("folder: {}", folder.display()),
        "desk_delete_file notes.md",
        "-this is notes.md",
        "why: ",
        "yes (once) covers: this call, once",
        "yes (run) covers: every call of desk_delete_file on notes.md in run card",
    ] {
        assert!(card.contains(wanted), "`{wanted}`: {card}");
    }
    let before = terminal.text();
    std::thread::sleep(QUIET);
    assert_eq!(terminal.text(), before, "nothing is drawn over a question");
    terminal.types("?\n");
    let help = terminal.shows(PROMPT);
    assert!(help.contains("n REASON") && help.contains("yes: this call, once"), "{help}");
    terminal.types("yes please\n");
    assert!(terminal.shows(PROMPT).contains("is no answer"));
    assert_eq!(room.pending("approvals").len(), 1);
    terminal.types("y\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert_eq!(room.deleted(), ["notes.md"]);
    terminal.record(&room, "approval", "An approval at the terminal");
}

#[test]
fn a_model_reads_why_a_person_said_no() {
    let room = Room::new(&["notes.md"], "");
    let mut terminal = deleting(&room, "no", "archive it instead");
    terminal.shows(PROMPT);
    terminal.types("n\n");
    terminal.shows("why not?");
    terminal.types("archive it instead\n");
    assert_eq!(terminal.ends(), Some(0), "{}", terminal.text());
    assert!(room.deleted().is_empty());
    terminal.record(&room, "denial", "A denial with a reason");
}

#[test]
fn a_question_that_expires_on_the_screen_ends_the_run_and_resume_asks_it_again() {
    let room = Room::new(&["notes.md"], "policy.approval_seconds = 2\n");
    let mut terminal = deleting(&room, "late", "");
    terminal.shows(PROMPT);
    terminal.shows("the question expired; nothing ran");
    assert_eq!(terminal.ends(), Some(3), "{}", terminal.text());
    terminal.record(&room, "expired", "A question that expires");
    let shown = room.json(&["runs", "show", "late"]);
    assert_eq!(
        (&shown["run"]["outcome"], &shown["run"]["state"]),
        (&json!("question_expired"), &json!("expired"))
    );
    room.configure("");
    let mut again = Terminal::start(&room, &["resume", "late"]);
    again.shows(PROMPT);
    again.types("y\n");
    assert_eq!(again.ends(), Some(0), "{}", again.text());
    assert_eq!(room.deleted(), ["notes.md"]);
    room.is_sound(&["late"]);
}

#[test]
fn a_question_that_no_terminal_shows_waits_and_takes_no_answer() {
    let room = Room::new(&["notes.md"], "");
    room.write(
        "scene.toml",
        &format!("name = \"scene\"\n{}[[turn]]\ntext = \"Done.\"\n", room.deleting(&[0])),
    );
    let pty = openpty(None, None).unwrap();
    let mut keys = File::from(pty.master);
    let mut command =
        room.command(&["run", "tidy up", "--desk", "--model", "scripted:scene.toml", "--run-id", "blind"]);
    let output = File::create(room.path().join("output")).unwrap();
    command.stdin(Stdio::from(pty.slave)).stdout(output.try_clone().unwrap()).stderr(output);
    let mut child = command.spawn().unwrap();
    keys.write_all(b"y\ny\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(room.deleted().is_empty());
    assert_eq!(room.pending("approvals").len(), 1);
}
