//! Tasks for measuring how tools are offered: each is tried in a scratch repository, in the real loop, with a model that
//! does what it would like to do as far as it is offered the tools for it.
//!
//! Four ways: tools deferred or not, results cut or not. It must not help a task to be solved.

mod reader;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use premath_bd::PolicyFiles;
use premath_host::{ActionError, Layer, Setting, ToolSettings, ToolsMeasured, ToolsWanted};
use premath_kernel::Digest;
use premath_wire::v1::{Micros, ToolTaskRow, ToolsResult, ToolsVariant};
use premath_wire::{InputClass, InputError, JsonPath};
use serde::Deserialize;

pub(super) use self::reader::Reader;
use super::redteam::{Ground, Place};

/// The tasks that come with premath.
const OURS: (&str, &str) = ("default", include_str!("../../../../examples/tool-evals/default.json"));
/// So many tasks are tried at the same time.
const THREADS: usize = 8;

/// A set of tasks, and the files they are about.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Tasks {
    #[serde(default)]
    files: Vec<TaskFile>,
    tasks: Vec<ToolTask>,
}

/// A file of many lines that are alike, but for one.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TaskFile {
    path: String,
    lines: usize,
    line: String,
    at: usize,
    needle: String,
}

impl TaskFile {
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn text(&self) -> String {
        let line = |number: usize| {
            let text = if number == self.at { &self.needle } else { &self.line };
            format!("{number} {text}\n")
        };
        (1..=self.lines).map(line).collect()
    }
}

/// One task.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolTask {
    /// Its name.
    id: String,
    /// What is asked; also what is searched for when a tool is not offered.
    pub(super) ask: String,
    /// What the answer must contain.
    pub(super) answer: String,
    /// The calls that the model would like to make, one after the other, until it knows.
    pub(super) steps: Vec<(String, serde_json::Value)>,
}

/// Tries every task in every way.
pub(crate) fn measure(wanted: &ToolsWanted) -> Result<ToolsMeasured, ActionError> {
    let invalid = |what: String, key: &str| {
        ActionError::from(InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(key)))
    };
    let bytes = match &wanted.tasks {
        Some(bytes) => bytes.clone(),
        None if wanted.profile == OURS.0 => OURS.1.as_bytes().to_vec(),
        None => {
            let what = format!("there is no `{}`; there is {}", wanted.profile, OURS.0);
            return Err(invalid(what, "profile"));
        }
    };
    let tasks: Tasks = serde_json::from_slice(&bytes)
        .map_err(|error| invalid(format!("the tasks cannot be read: {error}"), "scenarios"))?;
    let ground = Ground::new().map_err(|error| ActionError::Unavailable {
        what: format!("there is no place for scratch repositories: {error}"),
        hint: "make the temporary folder writable".to_owned(),
    })?;
    let mut came = all(&ground, &tasks);
    came.sort_by(|left, right| key(&left.0).cmp(&key(&right.0)));
    let ways = [(true, true), (true, false), (false, true), (false, false)];
    let variants = ways.iter().map(|way| variant(*way, &came)).collect();
    Ok(ToolsMeasured {
        rows: u64::try_from(tasks.tasks.len()).unwrap_or(u64::MAX),
        tasks_digest: Digest::of_bytes(&bytes).as_str().to_owned(),
        result: ToolsResult {
            profile: wanted.profile.clone(),
            variants,
            tasks: came.into_iter().map(|(row, _)| row).collect(),
        },
    })
}

fn key(row: &ToolTaskRow) -> (&str, bool, bool) {
    (&row.task, !row.defer, !row.filter)
}

/// Turns and calls of a task.
type Spent = (u64, u64);

fn all(ground: &Ground, tasks: &Tasks) -> Vec<(ToolTaskRow, Spent)> {
    let ways = [(true, true), (true, false), (false, true), (false, false)];
    let jobs: Vec<(&ToolTask, (bool, bool))> =
        tasks.tasks.iter().flat_map(|task| ways.map(|way| (task, way))).collect();
    let (next, came) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((task, way)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = tried(ground, &tasks.files, task, *way);
                    came.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(one);
                }
            });
        }
    });
    came.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn tried(
    ground: &Ground,
    files: &[TaskFile],
    task: &ToolTask,
    (defer, filter): (bool, bool),
) -> (ToolTaskRow, Spent) {
    let name = format!("{}-{defer}-{filter}", task.id);
    let said = |value: bool| Some(Setting { value, layer: Layer::Default });
    let settings = ToolSettings {
        defer: said(defer),
        filter: said(filter),
        is_measured_now: true,
        ..ToolSettings::default()
    };
    let ran = ground.place(&name, &PolicyFiles::default()).and_then(|mut place: Place| {
        place.offer(settings);
        place.prepare("Buy milk.\n")?;
        place.add(files)?;
        place.asked(task)
    });
    let row =
        |solved, tokens, detail| ToolTaskRow { task: task.id.clone(), defer, filter, solved, tokens, detail };
    match ran {
        Err(why) => (row(false, 0, Some(why)), (0, 0)),
        Ok(answer) => {
            let solved = answer.text.contains(&task.answer);
            let detail = (!solved).then(|| answer.text.chars().take(200).collect());
            (row(solved, answer.tokens, detail), (answer.turns, answer.tool_calls))
        }
    }
}

fn variant((defer, filter): (bool, bool), came: &[(ToolTaskRow, Spent)]) -> ToolsVariant {
    let rows = || came.iter().filter(|(row, _)| row.defer == defer && row.filter == filter);
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let (tasks, solved) = (count(rows().count()), count(rows().filter(|(row, _)| row.solved).count()));
    ToolsVariant {
        defer,
        filter,
        tasks,
        solved,
        accuracy: (solved * 1_000_000).checked_div(tasks).map(Micros),
        tokens: rows().map(|(row, _)| row.tokens).sum(),
        turns: rows().map(|(_, spent)| spent.0).sum(),
        calls: rows().map(|(_, spent)| spent.1).sum(),
    }
}
