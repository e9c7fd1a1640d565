//! Going on with a run that stopped: its machine is run again from its journal, what was open is closed, and it goes on.

use std::sync::Arc;

use premath_bd::{Cursor, Journal, JournalRow, StoreError, runs_folder};
use premath_kernel::Value;
use premath_tusk::turn_loop::{
    Beginning, Event, Limits, Machine, Redrive, RedriveError, Redriven, RunOutcome, Step,
};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::assemble::again;
use super::lease::{self, Authority};
use super::run::{Ground, Started, Watch, continued, release};
use super::traces;
use crate::actions::issue::{arguments, told};
use crate::table::{ActionError, Host};

/// How many rows are read at once.
const PAGE: usize = 1_000;

/// What `run.resume` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct ResumeArgs {
    /// The run; the newest that can be resumed when absent.
    run_id: Option<String>,
    /// Model turns from now on, all of them counted.
    max_turns: Option<u64>,
    /// Tool calls, all of them counted.
    max_tool_calls: Option<u64>,
    /// Tokens, all of them counted.
    max_tokens: Option<u64>,
    /// Millionths of a dollar, all of them counted.
    max_cost_micros: Option<u64>,
    /// Wall time, all of it counted.
    max_wall_millis: Option<u64>,
}

/// Goes on with a run.
///
/// # Errors
/// No such run, one that cannot be resumed, or an environment that gives no answer.
pub fn resume(host: &Host<'_>, args: &Value<'_>, watch: &mut Watch<'_>) -> Result<Started, ActionError> {
    let args: ResumeArgs = arguments(args)?;
    let workspace = host.workspace;
    let run_id = match told(args.run_id.as_deref()) {
        Some(id) => id.to_owned(),
        None => traces::newest_resumable(workspace)?.ok_or_else(|| missing("there is no run to resume"))?,
    };
    let journal = Journal::open(Arc::clone(&workspace.disk), &runs_folder(&workspace.root), &run_id)?;
    let Redriven { mut machine, mut unwritten, .. } = redriven(&journal)?;
    refuse_ended(&machine)?;
    let limits = raised(&machine, &args);
    let held = match machine.config().issue_id.clone() {
        None => None,
        Some(issue) => match lease::take(workspace, &issue, &run_id, limits_of(&machine, limits.as_ref()), Authority::Door)? {
            Ok(held) => Some(held),
            Err(refused) => return Ok(Started::Refused(refused)),
        },
    };
    let toolbox = again(workspace, host.agent, machine.config(), held.as_ref().map(|held| held.holder.clone()))?;
    let resumed = Event::Resumed { limits };
    let row = resumed.row();
    machine.feed(resumed).map_err(|error| missing(&error.to_string()))?;
    unwritten.push(row);
    unwritten.extend(machine.take_records());
    let beginning = Beginning::Resumed { unwritten };
    let ground = Ground { workspace, agent: host.agent };
    let ran = continued(ground, machine, &toolbox, held.as_ref(), beginning, watch);
    release(workspace, held.as_ref())?;
    ran.map(|answer| Started::Ran(Box::new(answer)))
}

fn limits_of(machine: &Machine, raised: Option<&Limits>) -> Option<u64> {
    raised.map_or(machine.config().limits.wall_millis, |limits| limits.wall_millis)
}

fn refuse_ended(machine: &Machine) -> Result<(), ActionError> {
    let Step::Done(outcome) = machine.next() else { return Ok(()) };
    match outcome {
        RunOutcome::Stopped(_) => Ok(()),
        RunOutcome::Completed | RunOutcome::HandedOff { .. } | RunOutcome::FailedClosed { .. } => {
            let id = &machine.config().run_id;
            Err(missing(&format!("run `{id}` is over ({}); start a new one", outcome.token())))
        }
    }
}

/// The limits from now on, when somebody names one.
fn raised(machine: &Machine, args: &ResumeArgs) -> Option<Limits> {
    let named = [
        args.max_turns,
        args.max_tool_calls,
        args.max_tokens,
        args.max_cost_micros,
        args.max_wall_millis,
    ];
    if named.iter().all(Option::is_none) || !matches!(machine.next(), Step::Done(_)) {
        return None;
    }
    let before = machine.config().limits.clone();
    Some(Limits {
        turns: args.max_turns.or(before.turns),
        workflow_turns: args.max_turns.or(before.workflow_turns),
        tool_calls: args.max_tool_calls.or(before.tool_calls),
        tokens: args.max_tokens.or(before.tokens),
        cost_micros: args.max_cost_micros.or(before.cost_micros),
        wall_millis: args.max_wall_millis.or(before.wall_millis),
        ..before
    })
}

/// A machine where its journal ends.
pub(super) fn redriven(journal: &Journal) -> Result<Redriven, ActionError> {
    let mut redrive = Redrive::default();
    each_journal_row(journal, |row| {
        redrive.take(row.seq, &row.event).map_err(|error| differs(journal, &error))
    })?;
    redrive.finish().map_err(|error| differs(journal, &error))
}

/// Every row of a journal, in order.
pub(super) fn each_journal_row(
    journal: &Journal,
    mut take: impl FnMut(&JournalRow) -> Result<(), ActionError>,
) -> Result<(), ActionError> {
    let mut cursor = Cursor::START;
    loop {
        let page = match journal.read_from(cursor, PAGE) {
            Err(StoreError::Missing { .. }) => {
                return Err(missing(&format!("there is no run `{}`", journal.session())));
            }
            page => page?,
        };
        for row in &page.rows {
            take(row)?;
        }
        if page.is_end {
            return Ok(());
        }
        cursor = page.next;
    }
}

pub(super) fn differs(journal: &Journal, error: &RedriveError) -> ActionError {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    ActionError::Store(StoreError::Corrupt {
        path: journal.path().to_owned(),
        detail: format!("it does not run again: {error}{why}"),
    })
}

pub(super) fn missing(what: &str) -> ActionError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("runId")).into()
}
