//! Carrying a plan out: one holder at a time, every step written down, and whoever takes over goes on behind the last one.

use premath_kernel::Value;
use rusqlite::params;

use super::super::answer::{DeskAnswer, Stop};
use super::super::apply::text;
use super::super::credential::PersonCredential;
use super::super::database::{Desk, Writing, from_stored, to_stored};
use super::super::file::signed;
use super::decide::{check_digest, check_signature};
use super::{
    Execution, Proposal, ProposalState, StepResult, StepState, changed, existing, expired, tell, wrong_state,
};

impl Desk {
    /// Takes the execution of an approved plan, or takes over one whose holder has let its lease run out.
    ///
    /// # Errors
    /// A database that failed. Refuses a plan that is not the one that was shown, that nobody signed, that expired before
    /// anybody began, that somebody else carries out, and any other state.
    pub fn begin_execution(
        &self,
        credential: &PersonCredential,
        id: &str,
        shown_digest: &str,
        owner: &str,
        lease_seconds: u32,
    ) -> DeskAnswer<Execution> {
        let abandoned = |proposal: &Proposal, now| is_abandoned(proposal, now);
        self.begin(credential, (id, shown_digest), (owner, lease_seconds), &abandoned)
    }

    /// The same for whoever holds the lock that everybody takes who carries this plan out: the holder before is gone,
    /// however long its lease would have lasted.
    ///
    /// # Errors
    /// As [`Self::begin_execution`].
    pub fn begin_execution_alone(
        &self,
        credential: &PersonCredential,
        id: &str,
        shown_digest: &str,
        owner: &str,
        lease_seconds: u32,
    ) -> DeskAnswer<Execution> {
        self.begin(credential, (id, shown_digest), (owner, lease_seconds), &|_, _| true)
    }

    fn begin(
        &self,
        credential: &PersonCredential,
        (id, shown_digest): (&str, &str),
        (owner, lease_seconds): (&str, u32),
        is_free: &dyn Fn(&Proposal, i64) -> bool,
    ) -> DeskAnswer<Execution> {
        self.write(|writing| {
            let proposal = existing(writing, id)?;
            match proposal.state {
                ProposalState::Approved => {}
                ProposalState::Executing if is_free(&proposal, writing.now) => {}
                ProposalState::Expired => return expired(writing, &proposal),
                ProposalState::Executing
                | ProposalState::Pending
                | ProposalState::Executed
                | ProposalState::Failed
                | ProposalState::Rejected => return Err(wrong_state(&proposal)),
            }
            check_digest(&proposal, shown_digest)?;
            check_signature(&proposal, credential)?;
            let update = "UPDATE proposals SET state = 'executing', lease_owner = ?2, lease_expires_at = ?3,
                   fence = fence + 1 WHERE id = ?1 AND fence = ?4 AND state IN ('approved', 'executing')";
            let row = params![id, owner, lease_end(writing, lease_seconds), signed(proposal.fence)];
            if writing.transaction.execute(update, row)? == 0 {
                return Err(changed(id, "somebody took it meanwhile"));
            }
            let proposal = existing(writing, id)?;
            tell(writing, &proposal, owner, "executing", None)?;
            let (fence, next_step) = (proposal.fence, recorded(&proposal) + 1);
            Ok(Ok(Execution { proposal, fence, next_step }))
        })
    }

    /// Holds on to an execution.
    ///
    /// # Errors
    /// A database that failed. Refuses a fence that is not the current one.
    pub fn renew_execution(&self, id: &str, fence: u64, lease_seconds: u32) -> DeskAnswer<()> {
        self.write(|writing| {
            held(writing, id, fence)?;
            let update = "UPDATE proposals SET lease_expires_at = ?3
                 WHERE id = ?1 AND fence = ?2 AND state = 'executing'";
            let row = params![id, signed(fence), lease_end(writing, lease_seconds)];
            writing.transaction.execute(update, row)?;
            Ok(Ok(()))
        })
    }

    /// Writes down what became of a step. Steps are written down in their order; a compensation is of a step that was done.
    ///
    /// # Errors
    /// A database that failed. Refuses a fence that is not the current one, and a step out of order.
    pub fn record_step(
        &self,
        id: &str,
        fence: u64,
        number: usize,
        state: StepState,
        detail: &str,
    ) -> DeskAnswer<Proposal> {
        self.write(|writing| {
            let proposal = held(writing, id, fence)?;
            let fits = match state {
                StepState::Ok | StepState::Failed | StepState::Skipped => {
                    number == recorded(&proposal) + 1 && number <= proposal.draft.steps.len()
                }
                StepState::Compensated => state_of(&proposal, number) == Some(StepState::Ok),
            };
            if !fits {
                return Err(changed(id, &format!("step {number} cannot be {} now", state.token())));
            }
            let at = from_stored(writing.now);
            let result = StepResult { number, state, detail: detail.to_owned(), at };
            write_results(writing, &proposal, [result.clone()])?;
            let proposal = existing(writing, id)?;
            let owner = proposal.lease_owner.clone().unwrap_or_default();
            tell(writing, &proposal, &owner, "step", Some(&result))?;
            Ok(Ok(proposal))
        })
    }

    /// Ends an execution: executed when every step was done, failed otherwise. Steps that nothing is written down about were
    /// skipped, and that is written down.
    ///
    /// # Errors
    /// A database that failed. Refuses a fence that is not the current one.
    pub fn finish_execution(&self, id: &str, fence: u64) -> DeskAnswer<Proposal> {
        self.write(|writing| {
            let proposal = held(writing, id, fence)?;
            let at = from_stored(writing.now);
            let left = recorded(&proposal) + 1..=proposal.draft.steps.len();
            let skipped = left.map(|number| {
                let detail = "the execution ended before it".to_owned();
                StepResult { number, state: StepState::Skipped, detail, at }
            });
            write_results(writing, &proposal, skipped)?;
            let proposal = existing(writing, id)?;
            let numbers = 1..=proposal.draft.steps.len();
            let all_done =
                numbers.into_iter().all(|number| state_of(&proposal, number) == Some(StepState::Ok));
            let becomes = if all_done { ProposalState::Executed } else { ProposalState::Failed };
            let update = "UPDATE proposals SET state = ?3, lease_expires_at = NULL
                 WHERE id = ?1 AND fence = ?2 AND state = 'executing'";
            writing.transaction.execute(update, params![id, signed(fence), becomes.token()])?;
            let proposal = existing(writing, id)?;
            let owner = proposal.lease_owner.clone().unwrap_or_default();
            tell(writing, &proposal, &owner, becomes.token(), None)?;
            Ok(Ok(proposal))
        })
    }
}

/// The proposal, if whoever asks is the one who carries it out.
fn held(writing: &Writing<'_>, id: &str, fence: u64) -> Result<Proposal, Stop> {
    let proposal = existing(writing, id)?;
    if proposal.state != ProposalState::Executing {
        return Err(wrong_state(&proposal));
    }
    if proposal.fence != fence {
        return Err(changed(id, &format!("the fence is {}, not {fence}", proposal.fence)));
    }
    Ok(proposal)
}

fn write_results(
    writing: &Writing<'_>,
    proposal: &Proposal,
    more: impl IntoIterator<Item = StepResult>,
) -> Result<(), Stop> {
    let mut results = proposal.results.clone();
    results.extend(more);
    let written = Value::Array(results.iter().map(StepResult::to_value).collect());
    let update = "UPDATE proposals SET results = ?3
         WHERE id = ?1 AND fence = ?2 AND state = 'executing'";
    let row = params![proposal.id, signed(proposal.fence), text(&written)];
    writing.transaction.execute(update, row)?;
    Ok(())
}

fn is_abandoned(proposal: &Proposal, now: i64) -> bool {
    proposal.lease_expires_at.is_none_or(|until| to_stored(until) <= now)
}

fn lease_end(writing: &Writing<'_>, seconds: u32) -> i64 {
    writing.now.saturating_add(i64::from(seconds) * 1000)
}

/// How many steps something is written down about.
fn recorded(proposal: &Proposal) -> usize {
    let of_steps = proposal.results.iter().filter(|result| result.state != StepState::Compensated);
    of_steps.map(|result| result.number).max().unwrap_or_default()
}

/// What was last written down about a step.
fn state_of(proposal: &Proposal, number: usize) -> Option<StepState> {
    proposal.results.iter().rev().find(|result| result.number == number).map(|result| result.state)
}
