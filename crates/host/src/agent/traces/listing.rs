//! Which runs there are, how each stands, and which of them a person should look at first.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use premath_bd::desk::{ApprovalState, Desk, ProposalState};
use premath_bd::{Access, FileStat, Journal, StoreError, runs_folder, sessions};
use premath_wire::time::format_time;
use premath_wire::v1::{RunEnding, RunListing, RunRow, TurnVerdict};

use super::Trace;
use crate::actions::issue::{count, invalid};
use crate::agent::retention;
use crate::desk_store::existing_desk;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// More questions than this are not counted one by one.
const MOST_QUESTIONS: usize = 10_000;

/// How a run can stand.
pub(crate) const STATES: [&str; 11] = [
    "running",
    "waiting",
    "answered",
    "expired",
    "failed_closed",
    "blocked",
    "limit",
    "declined",
    "interrupted",
    "handed_off",
    "done",
];

/// Which runs are listed, and how.
#[derive(Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// Only runs on this issue.
    pub(crate) issue: Option<&'w str>,
    /// Only runs that stand so.
    pub(crate) state: Option<&'w str>,
    /// Only runs that are called so or have it in their task, in capitals or not.
    pub(crate) text: Option<&'w str>,
    /// Whether those that need a person come first.
    pub(crate) attention_first: bool,
    /// The last run of an earlier answer.
    pub(crate) behind: Option<&'w str>,
    /// The most to list.
    pub(crate) limit: usize,
}

impl Wanted<'_> {
    fn takes(&self, row: &RunRow) -> bool {
        let says = |text: &str| {
            let text = text.to_lowercase();
            let has = |part: &str| part.to_lowercase().contains(&text);
            has(&row.run_id) || has(&row.task) || row.issue_id.as_deref().is_some_and(has)
        };
        self.issue.is_none_or(|issue| row.issue_id.as_deref() == Some(issue))
            && self.state.is_none_or(|state| row.state == state)
            && self.text.is_none_or(says)
    }
}

/// The runs that are wanted: the newest first, or those that need a person before them.
pub(crate) fn list(
    workspace: &Workspace,
    wanted: &Wanted<'_>,
    kept: Option<&KeptRuns>,
) -> Result<RunListing, ActionError> {
    let mut items: Vec<RunRow> = every(workspace, kept)?.into_iter().map(|(row, _)| row).collect();
    if wanted.attention_first {
        items.sort_by_key(|row| urgency(&row.state));
    }
    if let Some(behind) = wanted.behind {
        let place = items.iter().position(|row| row.run_id == behind);
        let place = place.ok_or_else(|| invalid("expected a cursor of an answer", "cursor"))?;
        items.drain(..=place);
    }
    // Behind the cursor alone: the run it names may stand otherwise by now.
    items.retain(|row| wanted.takes(row));
    let has_more = items.len() > wanted.limit;
    items.truncate(wanted.limit);
    let last = items.last().map(|row| row.run_id.clone());
    let next_cursor = last.filter(|_| has_more);
    Ok(RunListing { action: "run.list".to_owned(), count: count(items.len()), items, next_cursor })
}

/// What a person looks at first.
fn urgency(state: &str) -> u8 {
    match state {
        "waiting" | "answered" | "expired" => 0,
        "failed_closed" => 1,
        "blocked" => 2,
        "running" => 3,
        "limit" | "interrupted" => 4,
        _other => 5,
    }
}

/// What became of the question that a run stopped for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionState {
    /// A person can answer it.
    Open,
    /// It is answered, and the run can go on.
    Answered,
    /// It expired; resuming asks it again.
    Expired,
}

impl QuestionState {
    /// The state of a run that stopped for such a question.
    pub(crate) const fn run_state(self) -> &'static str {
        match self {
            Self::Open => "waiting",
            Self::Answered => "answered",
            Self::Expired => "expired",
        }
    }
}

/// How many questions of each run wait for a person.
#[derive(Debug)]
pub(crate) struct Questions {
    open: BTreeMap<String, u64>,
    desk: Option<Desk>,
}

impl Questions {
    pub(crate) fn of(workspace: &Workspace) -> Result<Self, StoreError> {
        let mut open = BTreeMap::new();
        let desk = existing_desk(workspace)?;
        if let Some(desk) = &desk {
            for approval in desk.approvals(Some(ApprovalState::Pending), None, MOST_QUESTIONS)? {
                *open.entry(approval.request.run_id).or_default() += 1;
            }
            for proposal in desk.proposals(Some(ProposalState::Pending), None, MOST_QUESTIONS)? {
                *open.entry(proposal.draft.run_id).or_default() += 1;
            }
        }
        Ok(Self { open, desk })
    }

    /// What became of the question that a run stopped for: its own, or one of its workers.
    pub(crate) fn state_of(&self, run_id: &str) -> Result<QuestionState, StoreError> {
        let workers = format!("{run_id}.");
        let is_open = |id: &String| id == run_id || id.starts_with(&workers);
        if self.open.keys().any(is_open) {
            return Ok(QuestionState::Open);
        }
        let Some(desk) = &self.desk else { return Ok(QuestionState::Expired) };
        let approvals = desk.newest_questions(run_id)?;
        let proposal = desk.proposals(None, Some(run_id), 1)?.pop();
        let asked_at = approvals.first().map(|approval| approval.requested_at);
        let is_expired = match proposal {
            Some(plan) if asked_at.is_none_or(|asked_at| plan.created_at > asked_at) => {
                plan.state == ProposalState::Expired
            }
            Some(_) | None => {
                let expired = approvals.iter().any(|approval| approval.state == ApprovalState::Expired);
                approvals.is_empty() || expired
            }
        };
        Ok(if is_expired { QuestionState::Expired } else { QuestionState::Answered })
    }
}

/// What the journals of runs came to when they were last read, for a process that lists them again and again.
#[derive(Debug, Default)]
pub struct KeptRuns(Mutex<BTreeMap<PathBuf, Kept>>);

type Kept = (FileStat, Option<Arc<Summary>>);

impl KeptRuns {
    fn rows(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Kept>> {
        // Whole entries go in and out under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(&self, journal: &Path, stat: FileStat) -> Option<Option<Arc<Summary>>> {
        self.rows().get(journal).filter(|kept| kept.0 == stat).map(|kept| kept.1.clone())
    }

    fn keep(&self, journal: &Path, stat: FileStat, summary: Option<Arc<Summary>>) {
        self.rows().insert(journal.to_owned(), (stat, summary));
    }

    /// Forgets what is not there any more.
    fn only(&self, journals: &BTreeSet<PathBuf>) {
        self.rows().retain(|journal, _| journals.contains(journal));
    }
}

/// Every run, the newest first, and whether it works for another.
pub(super) fn every(
    workspace: &Workspace,
    kept: Option<&KeptRuns>,
) -> Result<Vec<(RunRow, bool)>, ActionError> {
    let questions = Questions::of(workspace)?;
    let (mut items, mut journals) = (Vec::new(), BTreeSet::new());
    for session in sessions(workspace.disk.as_ref(), &runs_folder(&workspace.root))? {
        let journal = retention::kept(workspace, &session)?;
        let summary = summary(workspace, &journal, kept)?;
        if let Some(summary) = summary {
            items.push((summary.standing(&journal, &questions)?, summary.is_worker));
        }
        journals.insert(journal.path().to_owned());
    }
    if let Some(kept) = kept {
        kept.only(&journals);
    }
    items.sort_by(|(left, _), (right, _)| {
        right.started_at.cmp(&left.started_at).then(right.run_id.cmp(&left.run_id))
    });
    Ok(items)
}

/// What a journal comes to; none for one that holds no run. One that was read before and has not changed since is not read.
fn summary(
    workspace: &Workspace,
    journal: &Journal,
    kept: Option<&KeptRuns>,
) -> Result<Option<Arc<Summary>>, ActionError> {
    // Before it is read: what is written in the meantime makes another file of it.
    let stat = kept.and_then(|_| workspace.disk.open(journal.path(), Access::Read).ok()?.stat().ok());
    if let Some(found) = kept.zip(stat).and_then(|(kept, stat)| kept.of(journal.path(), stat)) {
        return Ok(found);
    }
    let summary = match Trace::read(journal) {
        Ok(trace) => trace.summary().map(Arc::new),
        // A folder that a process left before it wrote anything is no run.
        Err(ActionError::Store(StoreError::Missing { .. }) | ActionError::Input(_)) => None,
        Err(error) => return Err(error),
    };
    if let Some((kept, stat)) = kept.zip(stat) {
        kept.keep(journal.path(), stat, summary.clone());
    }
    Ok(summary)
}

/// What a journal says of its run as a whole.
#[derive(Debug)]
pub(super) struct Summary {
    row: RunRow,
    /// The last tool of a turn that is not closed.
    open_tool: Option<String>,
    is_worker: bool,
}

impl Trace {
    pub(super) fn summary(&self) -> Option<Summary> {
        let mut row = self.row.clone()?;
        let open = self.turns.last().filter(|turn| turn.verdict == TurnVerdict::Open);
        row.tokens = self.turns.iter().map(|turn| turn.tokens).sum();
        row.cost_micro_usd = self.turns.iter().filter_map(|turn| turn.cost_micro_usd).sum();
        row.updated_at = self.updated_at.map(format_time).unwrap_or_default();
        let open_tool = open.and_then(|turn| turn.tools.last().cloned());
        Some(Summary { row, open_tool, is_worker: self.is_worker })
    }
}

impl Summary {
    /// Its row with how it stands now.
    pub(super) fn standing(&self, journal: &Journal, questions: &Questions) -> Result<RunRow, StoreError> {
        let is_running = self.row.outcome.is_none() && journal.is_held();
        let run_id = &self.row.run_id;
        let state = match self.row.outcome {
            Some(RunEnding::NeedsPerson | RunEnding::QuestionExpired) => {
                questions.state_of(run_id)?.run_state()
            }
            outcome => state(outcome, is_running),
        };
        Ok(RunRow {
            state: state.to_owned(),
            current_tool: self.open_tool.clone().filter(|_| is_running),
            open_questions: questions.open.get(run_id).copied().unwrap_or_default(),
            ..self.row.clone()
        })
    }
}

const fn state(outcome: Option<RunEnding>, is_running: bool) -> &'static str {
    match outcome {
        None if is_running => "running",
        // Whoever drove it is gone.
        None | Some(RunEnding::Interrupted) => "interrupted",
        Some(RunEnding::Completed) => "done",
        Some(RunEnding::HandedOff) => "handed_off",
        Some(RunEnding::FailedClosed) => "failed_closed",
        Some(RunEnding::Limit) => "limit",
        Some(RunEnding::NeedsPerson) => QuestionState::Open.run_state(),
        Some(RunEnding::QuestionExpired) => QuestionState::Expired.run_state(),
        Some(RunEnding::Declined) => "declined",
        Some(RunEnding::ModelFailed) => "blocked",
    }
}
