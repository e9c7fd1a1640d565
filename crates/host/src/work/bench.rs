//! What a session of work stands on, put together once: its place, its stores, its doors, the rules in force.

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::issues::{FileIssues, Holder, IssueRow, IssueStore as _};
use premath_bd::{DiskFile, PermitLedger, StoreError};
use premath_tusk::session::HeldIssue;
use premath_wire::v1::{WORK_EVENT_KIND, WorkEventRow};

use super::WorkWatch;
use super::evidence::Evidence;
use super::landing::Landing;
use super::place::Place;
use super::request::{WorkRequest, WorkWishes};
use super::retry_policy::RetryPolicy;
use crate::agent::RunRefused as Refused;
use crate::authority::{HarnessDoor, InstructionScope, Linked, NewInstruction, issue_instruction, link};
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// The changes that a worker takes, keeps and lets go of work with.
pub(super) const LEASE_ACTIONS: [&str; 4] =
    ["issue.claim", "issue.claim_next", "issue.lease_release", "issue.lease_renew"];
/// The changes that a step may make.
const STEP_ACTIONS: [&str; 2] = ["issue.discover", "issue.update"];

/// What a session of work stands on.
pub(super) struct Bench<'b> {
    pub(super) host: &'b Host<'b>,
    pub(super) request: &'b WorkRequest,
    pub(super) place: Place,
    /// Where commands run.
    pub(super) folder: PathBuf,
    pub(super) store: FileIssues,
    pub(super) evidence: Evidence,
    pub(super) retry: RetryPolicy,
    /// What work is taken under.
    pub(super) lease: Arc<Linked>,
    pub(super) door: HarnessDoor,
    /// The separate door through which failures are told of.
    pub(super) retry_door: HarnessDoor,
    /// Where finished work goes; none where it stays in the folder.
    pub(super) landing: Option<Landing<'b>>,
    /// The landing queue, while this session is at its head.
    pub(super) queue: Option<Box<dyn DiskFile>>,
    pub(super) wishes: WorkWishes,
    pub(super) watch: &'b mut WorkWatch<'b>,
}

impl<'b> Bench<'b> {
    pub(super) fn new(
        host: &'b Host<'b>,
        (request, place): (&'b WorkRequest, Place),
        (retry, lease): (RetryPolicy, Linked),
        (wishes, watch): (WorkWishes, &'b mut WorkWatch<'b>),
    ) -> Result<Self, ActionError> {
        let workspace = host.workspace;
        let model_ref = format!("harness:{}", place.worker);
        let folder = place.workers();
        let disk = Arc::clone(&workspace.disk);
        Ok(Self {
            door: HarnessDoor::new(workspace, &model_ref, &folder, &place.worker)?,
            retry_door: HarnessDoor::new(workspace, "harness:retry", &folder, &place.worker)?,
            folder: worktree(workspace, request),
            store: FileIssues::new(disk, workspace.issues_path(None)),
            evidence: Evidence::new(workspace),
            lease: Arc::new(lease),
            host,
            request,
            place,
            retry,
            landing: None,
            queue: None,
            wishes,
            watch,
        })
    }

    /// The same, landing what it finishes.
    pub(super) fn landing(self, landing: Option<Landing<'b>>) -> Self {
        Self { landing, ..self }
    }

    pub(super) const fn workspace(&self) -> &'b Workspace {
        self.host.workspace
    }

    /// An instruction that is good for changes of one issue: the one that was named, or one for this issue alone.
    pub(super) fn instruct(&self, held: &HeldIssue) -> Result<Result<Linked, Refused>, ActionError> {
        if let Some(named) = &self.request.instruction {
            return link(self.workspace(), named);
        }
        let new = NewInstruction {
            name: format!("{}-{}", self.place.worker, held.issue_id),
            intent: format!("work on {}: {}", held.issue_id, held.title),
            scope: InstructionScope::Issues(vec![held.issue_id.clone()]),
            checks: vec!["issue".to_owned()],
            claims: STEP_ACTIONS.map(str::to_owned).to_vec(),
        };
        issue_instruction(self.host, &new)
    }

    /// An instruction for the same issue after one that has come to its end, when it is premath that gave it: work may take
    /// longer than a witness holds. What was edited since, or decided under a policy that changed, is followed by nothing.
    pub(super) fn instruct_again(
        &self,
        held: &HeldIssue,
        before: &Linked,
    ) -> Result<Option<Result<Linked, Refused>>, ActionError> {
        let workspace = self.workspace();
        if self.request.instruction.is_some() {
            return Ok(None);
        }
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, before.id())?;
        if ledger.issued()?.is_none_or(|issued| workspace.clock.now() < issued.expires_at) {
            return Ok(None);
        }
        Ok(Some(self.instruct(held)?.and_then(|linked| {
            if linked.policy_digest() == before.policy_digest() {
                return Ok(linked);
            }
            Err(Refused {
                class: "mutation.policy_digest_mismatch".to_owned(),
                detail: format!("no policy has the digest {} any more", before.policy_digest().as_str()),
                hint: "the step began under a policy that changed: begin another step".to_owned(),
            })
        })))
    }

    /// What a step shows to act as the holder of its issue.
    pub(super) fn holder(&self, held: &HeldIssue) -> Holder {
        Holder {
            owner: Some(self.place.worker.clone()),
            lease_id: Some(lease_id(&held.issue_id, &self.place.worker)),
            fence: Some(held.fence),
        }
    }

    /// An issue as it is now.
    pub(super) fn look(&self, issue_id: &str) -> Result<Option<IssueRow>, StoreError> {
        look(&self.store, issue_id)
    }

    /// Tells whoever watches.
    pub(super) fn tell(&mut self, event: &str, row: WorkEventRow) {
        (self.watch)(&WorkEventRow {
            kind: WORK_EVENT_KIND.to_owned(),
            event: event.to_owned(),
            worker_id: self.place.worker.clone(),
            ..row
        });
    }
}

/// An issue as it is now; a derived file that is damaged is thrown away first.
pub(super) fn look(store: &FileIssues, issue_id: &str) -> Result<Option<IssueRow>, StoreError> {
    if let Err(StoreError::DerivedDamaged { .. }) = store.view().map(drop) {
        store.discard_index()?;
    }
    store.view()?.row(issue_id)
}

/// Where commands run: the worktree, or the root.
pub(super) fn worktree(workspace: &Workspace, request: &WorkRequest) -> PathBuf {
    let root =
        if workspace.root.as_os_str().is_empty() { PathBuf::from(".") } else { workspace.root.clone() };
    request.worktree.clone().unwrap_or(root)
}

/// What the lease of a worker on an issue is called: the same after a crash, so that it can be taken up again.
pub(super) fn lease_id(issue_id: &str, worker: &str) -> String {
    let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    let issue: String = issue_id.chars().map(|one| if plain(one) { one } else { '-' }).collect();
    format!("lease1_{issue}_{worker}")
}

/// An instruction that is good for taking, keeping and letting go of work.
pub(super) fn lease_instruction(
    host: &Host<'_>,
    worker: &str,
) -> Result<Result<Linked, Refused>, ActionError> {
    let new = NewInstruction {
        name: format!("{worker}-boot"),
        intent: format!("take, keep and let go of work as {worker}"),
        scope: InstructionScope::Repository,
        checks: vec!["store".to_owned()],
        claims: LEASE_ACTIONS.map(str::to_owned).to_vec(),
    };
    issue_instruction(host, &new)
}
