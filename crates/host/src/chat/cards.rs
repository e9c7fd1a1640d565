//! What chunks say beyond the events of a run: the cards of questions and plans, and files as they are now.

use premath_bd::desk::{ApprovalState, Desk, Item, Operation};
use premath_wire::v1::{ApprovalRow, ProposalRow, RunEventKind, UndoRow};

use super::recalled::Recalled;
use crate::actions::approvals::row as approval_row;
use crate::actions::proposals::row as proposal_row;
use crate::agent::traces::each_session_row;
use crate::desk_store::existing_desk;
use crate::workspace::Workspace;

/// How many questions of a run are looked through.
const LOOKED_AT: usize = 50;

/// Where cards come from. What is not there, or cannot be read, is none: a card is shown, never acted on.
pub trait Cards {
    /// A question.
    fn approval(&self, id: &str) -> Option<ApprovalRow>;

    /// The questions of a run that nobody has answered.
    fn waiting(&self, run_id: &str) -> Vec<ApprovalRow>;

    /// A plan.
    fn proposal(&self, id: &str) -> Option<ProposalRow>;

    /// What a turn changed on the desk for an intent.
    fn change(&self, turn_digest: &str, intent_digest: &str) -> Option<ChangeCard>;

    /// What the run of a plan changed on the desk.
    fn changes_of_plan(&self, proposal: &ProposalRow) -> Vec<ChangeCard>;

    /// The turn in which a run that goes on had stopped.
    fn turn(&self, run_id: &str) -> Option<String>;
}

/// A change of the desk, and what takes it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeCard {
    /// The file or the folder.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What takes it back; none for what is new, or only called otherwise.
    pub undo: Option<UndoRow>,
}

/// The cards of a repository's desk.
#[derive(Debug)]
pub struct DeskCards<'w> {
    workspace: &'w Workspace,
}

impl<'w> DeskCards<'w> {
    /// Those of this one.
    #[must_use]
    pub const fn new(workspace: &'w Workspace) -> Self {
        Self { workspace }
    }
}

impl Cards for DeskCards<'_> {
    fn turn(&self, run_id: &str) -> Option<String> {
        let (mut recalled, mut last) = (Recalled::default(), None);
        each_session_row(self.workspace, run_id, |row| {
            for event in recalled.take(row) {
                if let RunEventKind::TurnStarted { call_id, .. } = event.event {
                    last = Some(call_id);
                }
            }
        })
        .ok()?;
        last
    }

    fn approval(&self, id: &str) -> Option<ApprovalRow> {
        let desk = existing_desk(self.workspace).ok()??;
        desk.approval(id).ok()?.as_ref().map(approval_row)
    }

    fn waiting(&self, run_id: &str) -> Vec<ApprovalRow> {
        let Ok(Some(desk)) = existing_desk(self.workspace) else { return Vec::new() };
        let found = desk.approvals(Some(ApprovalState::Pending), Some(run_id), LOOKED_AT).unwrap_or_default();
        found.iter().map(approval_row).collect()
    }

    fn proposal(&self, id: &str) -> Option<ProposalRow> {
        let desk = existing_desk(self.workspace).ok()??;
        desk.proposal(id).ok()?.as_ref().map(proposal_row)
    }

    fn change(&self, turn_digest: &str, intent_digest: &str) -> Option<ChangeCard> {
        let desk = existing_desk(self.workspace).ok()??;
        let written = desk.applied_by(turn_digest, intent_digest).ok()??;
        let (id, name) = (written.item.id().to_owned(), written.item.name().to_owned());
        let is_deletion = written.action.starts_with("desk.delete_");
        let undo = match written.undo {
            // A name is given again, not restored.
            Operation::RestoreFile { .. } if written.action == "desk.rename_file" => None,
            Operation::RestoreFile { version, .. } => Some(undo(&desk, &written.item, version, is_deletion)),
            Operation::RestoreFolder { .. } => Some(undo(&desk, &written.item, None, is_deletion)),
            Operation::CreateMarkdown { .. }
            | Operation::CreateSpreadsheet { .. }
            | Operation::CreateFolder { .. }
            | Operation::UpdateMarkdown { .. }
            | Operation::UpdateCells { .. }
            | Operation::RenameFile { .. }
            | Operation::DeleteFile { .. }
            | Operation::DeleteFolder { .. } => None,
        };
        Some(ChangeCard { id, name, undo })
    }

    fn changes_of_plan(&self, proposal: &ProposalRow) -> Vec<ChangeCard> {
        let Ok(Some(desk)) = existing_desk(self.workspace) else { return Vec::new() };
        let done = proposal.steps.iter().filter(|step| step.state.as_deref() == Some("ok"));
        let targets = done.flat_map(|step| &step.targets);
        targets.filter_map(|target| change_by(&desk, &target.id, &proposal.id)).collect()
    }
}

/// What takes a change back, and whether somebody has.
fn undo(desk: &Desk, item: &Item, version: Option<u64>, is_deletion: bool) -> UndoRow {
    let is_there = match item {
        Item::File(now) => now.deleted_at.is_none(),
        Item::Folder(now) => now.deleted_at.is_none(),
    };
    let is_undone = is_there && (is_deletion || is_as_before(desk, item, version));
    let state = if is_undone { "undone" } else { "available" };
    let (file_id, name) = (item.id().to_owned(), item.name().to_owned());
    UndoRow { file_id, name, version, state: state.to_owned() }
}

/// Whether a file has the content of an earlier version.
fn is_as_before(desk: &Desk, item: &Item, version: Option<u64>) -> bool {
    let (Item::File(now), Some(version)) = (item, version) else { return false };
    let Ok(Ok(versions)) = desk.history(&now.id) else { return false };
    versions.iter().any(|before| before.version == version && before.digest == now.digest)
}

/// What a run last did to a file or a folder.
fn change_by(desk: &Desk, id: &str, run_id: &str) -> Option<ChangeCard> {
    let item = desk.item(id).ok()??;
    let undo = match &item {
        Item::Folder(_) => undo(desk, &item, None, true),
        Item::File(_) => {
            let versions = desk.history(id).ok()?.ok()?;
            let made = versions.into_iter().rev().find(|version| version.actor == run_id)?;
            let before = made.version.checked_sub(1).filter(|before| *before > 0)?;
            undo(desk, &item, Some(before), made.is_deleted)
        }
    };
    Some(ChangeCard { id: item.id().to_owned(), name: item.name().to_owned(), undo: Some(undo) })
}
