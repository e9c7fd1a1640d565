//! Proposals: a plan of calls that a person agrees to as a whole, and how far it was carried out.
//!
//! ```text
//! pending ── approved ── executing ── executed | failed
//!    └────── rejected | expired
//! ```
//!
//! What is shown is what runs: the digest of the plan is compared and signed. Every change is one conditional update of one
//! row; whoever carries it out holds a lease with a fence, and writes down every step. It must not carry anything out.

mod decide;
mod execute;
mod reopen;
mod row;

use premath_kernel::{Digest, Moment, Object, Value};
use premath_wire::time::format_time;
use rusqlite::params;

use super::answer::{DeskAnswer, DeskRefusal, DeskRefusalClass, Stop};
use super::apply::text;
use super::approvals::Target;
use super::database::{Desk, Writing};
use super::outbox::Told;
use crate::error::StoreError;
use crate::permit::{Permit, Permitted, args_digest};

use self::row::{proposal_row, proposals_where};

/// How many proposals of a run are looked at for the same one.
const MOST_LOOKED_AT: usize = 64;
/// How long a proposal waits for a person at most.
pub const PROPOSAL_SECONDS: i64 = 15 * 60;

/// One call of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// `stp_` and twelve hexadecimal digits; empty until it is kept.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments, whole.
    pub arguments: Value<'static>,
    /// Why.
    pub rationale: String,
    /// What it is about, with names.
    pub targets: Vec<Target>,
    /// What it would change, as a person sees it.
    pub preview: Option<String>,
    /// The digest of what it would do to what was there when it was proposed; a step that would do something else by now
    /// is not done.
    pub shown: String,
    /// What would take it back.
    pub compensation: Option<Value<'static>>,
}

/// A plan that somebody is to be asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalDraft {
    /// By which run.
    pub run_id: String,
    /// What it is for.
    pub goal: String,
    /// How it would be taken back.
    pub rollback: String,
    /// What is done, in order.
    pub steps: Vec<PlanStep>,
}

/// Where a proposal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProposalState {
    /// Nobody has decided.
    Pending,
    /// A person said yes.
    Approved,
    /// Somebody carries it out.
    Executing,
    /// Every step was done.
    Executed,
    /// Some step was not.
    Failed,
    /// A person said no.
    Rejected,
    /// Nobody decided, or began, in time: a no.
    Expired,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// It was done.
    Ok,
    /// It was tried.
    Failed,
    /// It was not tried.
    Skipped,
    /// It was done and taken back.
    Compensated,
}

/// What was written down about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepResult {
    /// Which step, from 1.
    pub number: usize,
    /// What became of it.
    pub state: StepState,
    /// In words.
    pub detail: String,
    /// When.
    pub at: Moment,
}

/// A plan and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// `prp_` and twelve hexadecimal digits.
    pub id: String,
    /// The plan.
    pub draft: ProposalDraft,
    /// The digest of the plan: what is shown, signed and compared.
    pub plan_digest: String,
    /// Where it stands.
    pub state: ProposalState,
    /// When it was made.
    pub created_at: Moment,
    /// Until when it can be approved and begun.
    pub expires_at: Moment,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When.
    pub decided_at: Option<Moment>,
    /// What they said about it.
    pub message: Option<String>,
    /// Their signature.
    pub signature: Option<String>,
    /// Who carries it out, or did last.
    pub lease_owner: Option<String>,
    /// Until when nobody else may.
    pub lease_expires_at: Option<Moment>,
    /// How often it was taken up.
    pub fence: u64,
    /// What was written down, in that order.
    pub results: Vec<StepResult>,
}

/// A proposal that somebody carries out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// The plan, with what was written down by those before.
    pub proposal: Proposal,
    /// What to show when a step is written down.
    pub fence: u64,
    /// The first step that nothing is written down about, from 1; one more than there are when none is left.
    pub next_step: usize,
}

impl ProposalDraft {
    /// The host action that proposing is.
    pub const ACTION: &'static str = "desk.propose_plan";

    /// The digest of its canonical arguments: what an intent for it names.
    #[must_use]
    pub fn args_digest(&self) -> Digest {
        args_digest(&self.plan())
    }

    /// Whether it is the same plan, whatever its steps were named when it was kept.
    fn is_same_plan(&self, other: &Self) -> bool {
        let same = |(one, other): (&PlanStep, &PlanStep)| {
            (&one.tool, &one.arguments, &one.targets, &one.shown)
                == (&other.tool, &other.arguments, &other.targets, &other.shown)
        };
        self.run_id == other.run_id
            && self.goal == other.goal
            && self.steps.len() == other.steps.len()
            && self.steps.iter().zip(&other.steps).all(same)
    }
}

impl Permitted for ProposalDraft {
    fn action(&self) -> &'static str {
        Self::ACTION
    }

    fn args_digest(&self) -> Digest {
        Self::args_digest(self)
    }

    fn is_about_a_lease(&self) -> bool {
        false
    }
}

impl Desk {
    /// Keeps a plan that a closed turn was admitted for. The same plan of the same run is kept once, so that a process that
    /// died behind it does not ask a person twice.
    ///
    /// # Errors
    /// A database that failed. Refuses a permit for something else and a plan without steps.
    pub fn propose_for(
        &self,
        permit: Permit,
        draft: &ProposalDraft,
        wait_seconds: u64,
    ) -> DeskAnswer<Proposal> {
        if let Err(refusal) = permit.authorise(draft) {
            return Ok(Err(refusal.into()));
        }
        let open = |proposal: &Proposal| {
            matches!(
                proposal.state,
                ProposalState::Pending | ProposalState::Approved | ProposalState::Executing
            )
        };
        let known = self.proposals(None, Some(&draft.run_id), MOST_LOOKED_AT)?;
        match known.into_iter().find(|one| open(one) && one.draft.is_same_plan(draft)) {
            Some(proposal) => Ok(Ok(proposal)),
            None => self.propose(draft, wait_seconds),
        }
    }

    /// Keeps a plan for a person to decide about, for so long and never longer than [`PROPOSAL_SECONDS`].
    ///
    /// # Errors
    /// A database that failed. Refuses a plan without steps.
    pub fn propose(&self, draft: &ProposalDraft, wait_seconds: u64) -> DeskAnswer<Proposal> {
        if draft.steps.is_empty() {
            let refusal = DeskRefusal::new(DeskRefusalClass::Invalid, "a plan has at least one step");
            return Ok(Err(refusal));
        }
        self.write(|writing| {
            let id = writing.fresh("prp_", "proposals")?;
            let mut draft = draft.clone();
            for step in &mut draft.steps {
                // Unique within its plan, which is all that a step is ever named in.
                step.id = writing.fresh("stp_", "proposals")?;
            }
            let insert =
                "INSERT INTO proposals(id, run_id, goal, rollback, steps, plan_digest, state, created_at,
                   expires_at) VALUES(?1, ?2, ?3, ?4, ?5, ?6, 'pending', ?7, ?8)";
            let seconds = i64::try_from(wait_seconds).unwrap_or(i64::MAX).min(PROPOSAL_SECONDS);
            let expires_at = writing.now.saturating_add(seconds.saturating_mul(1000));
            let digest = draft.digest();
            let row = params![
                id,
                draft.run_id,
                draft.goal,
                draft.rollback,
                text(&draft.steps_value()),
                digest.as_str(),
                writing.now,
                expires_at,
            ];
            writing.transaction.execute(insert, row)?;
            let proposal = existing(writing, &id)?;
            tell(writing, &proposal, &proposal.draft.run_id, "proposed", None)?;
            Ok(Ok(proposal))
        })
    }

    /// One proposal.
    ///
    /// # Errors
    /// A database that failed.
    pub fn proposal(&self, id: &str) -> Result<Option<Proposal>, StoreError> {
        let now = self.now();
        self.read(|connection| proposal_row(connection, id, now))
    }

    /// Proposals, newest first: in a state, of a run, so many.
    ///
    /// # Errors
    /// A database that failed.
    pub fn proposals(
        &self,
        state: Option<ProposalState>,
        run_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Proposal>, StoreError> {
        let now = self.now();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let condition = "(?2 IS NULL OR current = ?2) AND (?3 IS NULL OR run_id = ?3)
                 ORDER BY number DESC LIMIT ?4";
            proposals_where(
                connection,
                condition,
                params![now, state.map(ProposalState::token), run_id, limit],
            )
        })
    }
}

impl ProposalDraft {
    /// The digest of the plan: what it is for, and every call of it.
    pub(super) fn digest(&self) -> Digest {
        Digest::prefixed("pln1_", &self.plan())
    }

    fn plan(&self) -> Value<'_> {
        Object::fields()
            .field("goal", self.goal.as_str())
            .field("rollback", self.rollback.as_str())
            .field("runId", self.run_id.as_str())
            .field("steps", self.steps_value())
            .finish()
    }

    fn steps_value(&self) -> Value<'_> {
        Value::Array(self.steps.iter().enumerate().map(|(at, step)| step.to_value(at + 1)).collect())
    }
}

/// The proposal that must be there, as it stands now.
fn existing(writing: &Writing<'_>, id: &str) -> Result<Proposal, Stop> {
    proposal_row(&writing.transaction, id, writing.now)?.ok_or_else(|| {
        Stop::refused(DeskRefusalClass::NotFound, format!("no proposal `{}`", id.escape_debug()))
    })
}

/// That it is in a state in which nothing of the kind can be done.
fn wrong_state(proposal: &Proposal) -> Stop {
    let id = &proposal.id;
    if proposal.state == ProposalState::Executing {
        let owner = proposal.lease_owner.as_deref().unwrap_or("somebody");
        let until = proposal.lease_expires_at.map(format_time).unwrap_or_default();
        let detail = format!("{id} is carried out by `{owner}` until {until}");
        return Stop::refused(DeskRefusalClass::ProposalInFlight, detail);
    }
    let by = proposal.decided_by.as_ref().map(|by| format!(", decided by `{by}`")).unwrap_or_default();
    let detail = format!("{id} is {}{by}", proposal.state.token());
    Stop::refused(DeskRefusalClass::Proposal(proposal.state), detail)
}

fn changed(id: &str, what: &str) -> Stop {
    Stop::refused(DeskRefusalClass::ProposalStateChanged, format!("{id}: {what}"))
}

/// Writes down that nobody decided, or began, in time; the refusal is kept with it.
fn expired<T>(writing: &Writing<'_>, proposal: &Proposal) -> Result<Result<T, DeskRefusal>, Stop> {
    let update = "UPDATE proposals SET state = 'expired'
         WHERE id = ?1 AND state IN ('pending', 'approved') AND expires_at <= ?2";
    if writing.transaction.execute(update, params![proposal.id, writing.now])? > 0 {
        tell(writing, proposal, "clock", "expired", None)?;
    }
    let detail = format!("{} expired at {}", proposal.id, format_time(proposal.expires_at));
    Ok(Err(DeskRefusal::new(DeskRefusalClass::Proposal(ProposalState::Expired), detail)))
}

fn tell(
    writing: &Writing<'_>,
    proposal: &Proposal,
    actor: &str,
    effect: &str,
    step: Option<&StepResult>,
) -> Result<(), Stop> {
    let targets: Vec<_> =
        proposal.draft.steps.iter().flat_map(|step| &step.targets).map(Target::to_value).collect();
    let data = Object::fields()
        .field("goal", proposal.draft.goal.as_str())
        .field("planDigest", proposal.plan_digest.as_str())
        .optional("step", step.map(StepResult::to_value))
        .finish();
    let about = Object::fields()
        .field("data", data)
        .field("proposalId", proposal.id.as_str())
        .optional("reason", proposal.message.as_deref())
        .field("runId", proposal.draft.run_id.as_str())
        .non_empty("targets", targets)
        .finish();
    writing.tell(Told::Proposal, actor, effect, &about)
}
