//! The example that `premath serve --demo` shows: the project of `run --demo`, a desk with files, an assistant that is
//! scripted, and runs in every state: done, refused, at a limit, waiting for somebody.
//!
//! Everything is made through the host, so that it is what a person would have made. It must not serve anything.

use std::path::Path;

use premath_host::{Host, Layer, Setting, Workspace};
use premath_kernel::{Object, Value};
use premath_wire::time::format_time;
use premath_wire::v1::DeskChanged;

use super::{FILES, call, filed, files_into};
use crate::commands::in_folder;
use crate::error::CliError;
use crate::exit::Exit;
use crate::system;

/// Where the lines of the models are, in the folder of the example.
const SCRIPTS: &str = ".premath/demo";

/// How long a question of the example waits, in seconds.
const DAY: u64 = 24 * 60 * 60;

/// The configuration: whoever is asked on the desk is scripted.
const CONFIGURATION: &str =
    "# Made by `premath serve --demo`.\n[models]\ndefault = \"scripted:.premath/demo/assistant.toml\"\n";

/// What is on the desk: its folder, its name, its type and its content.
const DESK: [(&str, &str, &str, &str); 9] = [
    ("", "welcome.md", "markdown", include_str!("console/desk/welcome.md")),
    ("", "meeting-notes.md", "markdown", include_str!("console/desk/meeting-notes.md")),
    ("", "old-draft.md", "markdown", include_str!("console/desk/old-draft.md")),
    ("Launch", "launch-plan.md", "markdown", include_str!("console/desk/launch-plan.md")),
    ("Launch", "risks.md", "markdown", include_str!("console/desk/risks.md")),
    ("Launch", "budget", "spreadsheet", include_str!("console/desk/budget.json")),
    ("Drafts", "draft-a.md", "markdown", include_str!("console/desk/draft-a.md")),
    ("Drafts", "draft-b.md", "markdown", include_str!("console/desk/draft-b.md")),
    ("Drafts", "draft-c.md", "markdown", include_str!("console/desk/draft-c.md")),
];

/// What models say: the name of the file and its text, in which `@name@` stands for the id of a file of the desk.
const LINES: [(&str, &str); 7] = [
    ("assistant", include_str!("console/assistant.toml")),
    ("tidy", include_str!("console/tidy.toml")),
    ("sums", include_str!("console/sums.toml")),
    ("plan", include_str!("console/plan.toml")),
    ("refused", include_str!("console/refused.toml")),
    ("limit", include_str!("console/limit.toml")),
    ("ship", include_str!("console/ship.toml")),
];

/// A run of the example.
struct Shown {
    id: &'static str,
    script: &'static str,
    task: &'static str,
    desk: bool,
    issue: Option<&'static str>,
    max_turns: Option<u32>,
    ask_before: Option<&'static str>,
}

const RUNS: [Shown; 6] = [
    Shown {
        max_turns: Some(3),
        ..run("read-everything", "limit", "Read every invoice and say what is in them.")
    },
    Shown {
        issue: Some("bd-6"),
        ..run("tell-the-team", "refused", "Tell the team that the totals are right again.")
    },
    Shown { desk: true, ..run("tidy-up", "tidy", "Is there anything on the desk that is said twice?") },
    Shown { desk: true, ..run("this-weeks-invoice", "sums", "Enter the invoice for models of this week.") },
    Shown { desk: true, ..run("better-names", "plan", "Give the files names that say what is in them.") },
    Shown {
        ask_before: Some("shell"),
        ..run("pack-the-totals", "ship", "Pack the totals for the bookkeeper.")
    },
];

const fn run(id: &'static str, script: &'static str, task: &'static str) -> Shown {
    Shown { id, script, task, desk: false, issue: None, max_turns: None, ask_before: None }
}

/// An issue beside those of the project: id, title, type, priority, what it waits for.
type More = (&'static str, &'static str, &'static str, u32, &'static [&'static str]);

const ISSUES: [More; 9] = [
    ("bd-3", "Invoices in other currencies", "epic", 1, &[]),
    ("bd-4", "Rates of the day, kept with the invoice", "feature", 1, &["bd-3"]),
    ("bd-5", "Totals per currency", "feature", 1, &["bd-4"]),
    ("bd-6", "Tell the team when the totals change", "task", 2, &["bd-1"]),
    ("bd-7", "A line without a quantity is refused", "bug", 0, &[]),
    ("bd-8", "Read invoices from the mailbox", "feature", 2, &["bd-7"]),
    ("bd-9", "Attachments that are no invoices are left alone", "task", 3, &["bd-8"]),
    ("bd-10", "Report of the year", "feature", 2, &["bd-2", "bd-5"]),
    ("bd-11", "Describe the columns in the README", "task", 3, &[]),
];

/// What the workers of the example did in the days before: so many steps succeeded, and so many failed.
const DAYS: [(u32, u32); 9] = [(1, 3), (2, 3), (2, 1), (3, 2), (2, 2), (4, 2), (4, 1), (3, 0), (5, 1)];

/// Whether a folder has the example already.
pub(crate) fn is_made(folder: &Path) -> bool {
    let read = |path: &Path| system::read_optional(path).ok().flatten();
    // The lines of the last run are there once the desk is.
    read(&folder.join("premath.toml")).as_deref() == Some(CONFIGURATION)
        && read(&folder.join(SCRIPTS).join("totals.toml")).is_some()
}

/// The host of the example, where a question waits for a day: whoever comes back to it finds what was asked.
pub(crate) fn patient<T>(host: &Host<'_>, then: impl FnOnce(&Host<'_>) -> T) -> T {
    let mut settings = host.workspace.settings.clone();
    settings.policy.approval_seconds = Some(Setting { value: DAY, layer: Layer::Default });
    let workspace = Workspace { settings, ..host.workspace.clone() };
    then(&Host { workspace: &workspace, ..*host })
}

/// Makes the example in a folder that is empty or not there yet; `tell` is told each step before it is done.
pub(crate) fn prepare(folder: &Path, tell: &mut dyn FnMut(&str)) -> Result<(), CliError> {
    tell("a project, its issues, a desk");
    files_into(folder, &[("premath.toml", CONFIGURATION)].into_iter().chain(FILES).collect::<Vec<_>>())?;
    in_folder(folder.to_owned(), None, |host| patient(host, |host| made(folder, host, tell))).map(drop)
}

fn made(folder: &Path, host: &Host<'_>, tell: &mut dyn FnMut(&str)) -> Result<Exit, CliError> {
    filed(host)?;
    for issue in &ISSUES {
        file(host, issue)?;
    }
    claim(host, "bd-7", "worker-1")?;
    worked(host)?;
    let ids = stock(host)?;
    written(folder, &ids)?;
    system::write_new(&folder.join(SCRIPTS).join("totals.toml"), super::SCENARIO)
        .map_err(|error| super::unmade(folder, &error))?;
    tell("a run that mends the project");
    let mends = Shown { issue: Some(super::ISSUE), ..run("mend-the-totals", "totals", super::TASK) };
    started(host, &mends)?;
    for shown in &RUNS {
        tell(&format!("run {}: {}", shown.id, shown.task));
        started(host, shown)?;
    }
    Ok(Exit::Accepted)
}

fn file(host: &Host<'_>, (id, title, kind, priority, waits_for): &More) -> Result<(), CliError> {
    let edge = |id: &&'static str| Object::fields().field("id", *id).field("type", "blocks").finish();
    let fields = Object::fields()
        .field("id", *id)
        .field("title", *title)
        .field("type", *kind)
        .field("priority", *priority)
        .field("description", "Verification: sh check.sh")
        .field("acceptanceCriteria", "`sh check.sh` passes")
        .non_empty("dependsOn", waits_for.iter().map(edge).collect());
    call(host, "issue.add", &fields.finish()).map(drop)
}

fn claim(host: &Host<'_>, id: &str, assignee: &str) -> Result<(), CliError> {
    let claim = Object::fields().field("id", id).field("assignee", assignee).finish();
    call(host, "issue.claim", &claim).map(drop)
}

/// Two workers, day after day; the figure of the last one is that of the runs.
fn worked(host: &Host<'_>) -> Result<(), CliError> {
    let now = host.workspace.clock.now();
    for (day, (good, bad)) in (1_u32..).zip(DAYS.into_iter().rev()) {
        let ended = format_time(now.plus_seconds(-i64::from(day) * 24 * 3600 - 12 * 3600));
        for step in 0..good + bad {
            let worker = if step % 2 == 0 { "worker-1" } else { "worker-2" };
            let fields = Object::fields()
                .field("stepId", format!("{worker}.bd-1.{}", day * 10 + step))
                .field("action", "work")
                .field("resultClass", if step < good { "accepted" } else { "check_failed" })
                .field("finishedAt", ended.as_str())
                .field("issueId", "bd-1");
            call(host, "harness.trajectory.append", &fields.finish())?;
        }
    }
    Ok(())
}

/// Fills the desk; the ids of the files by name.
fn stock(host: &Host<'_>) -> Result<Vec<(&'static str, String)>, CliError> {
    for folder in ["Launch", "Drafts"] {
        call(host, "desk.add", &Object::fields().field("name", folder).field("type", "folder").finish())?;
    }
    let mut ids = Vec::new();
    for (folder, name, kind, content) in DESK {
        let fields = Object::fields().field("name", name).field("type", kind).field("content", content);
        let folder = Some(folder).filter(|folder| !folder.is_empty());
        let answer = call(host, "desk.add", &fields.optional("folder", folder).finish())?;
        let added: DeskChanged = serde_json::from_str(answer.payload.get()).map_err(|error| {
            CliError::environment(
                format!("the desk gave no id for `{name}`: {error}"),
                "report this; it is a defect",
            )
        })?;
        ids.push((name, added.id));
    }
    Ok(ids)
}

fn written(folder: &Path, ids: &[(&str, String)]) -> Result<(), CliError> {
    for (name, lines) in LINES {
        let mut text = lines.to_owned();
        for (file, id) in ids {
            text = text.replace(&format!("@{file}@"), id);
        }
        let path = folder.join(SCRIPTS).join(format!("{name}.toml"));
        system::write_new(&path, &text).map_err(|error| super::unmade(folder, &error))?;
    }
    Ok(())
}

/// Starts a run and lets it come to its end. How it ends is what it is there to show, so that no end is an error.
fn started(host: &Host<'_>, shown: &Shown) -> Result<(), CliError> {
    let script = host.workspace.root.join(SCRIPTS).join(format!("{}.toml", shown.script));
    let model = format!("scripted:{}", script.display());
    let before: Vec<Value<'_>> = shown.ask_before.into_iter().map(Value::from).collect();
    let arguments = Object::fields()
        .field("task", shown.task)
        .optional("issue", shown.issue)
        .field("models", Value::Array(vec![Value::from(model.as_str())]))
        .field("runId", shown.id)
        .field("desk", shown.desk)
        .optional("maxTurns", shown.max_turns)
        .non_empty("checkpointBefore", before)
        .finish();
    host.call("run.start", &arguments).map(drop).map_err(CliError::action)
}

#[cfg(test)]
mod tests;
