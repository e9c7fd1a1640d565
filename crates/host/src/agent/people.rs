//! People over a repository: every question is kept before it is asked, every answer is signed before it counts, and each
//! counts once.
//!
//! Somebody may sit at the door and answer at once; else the question waits, and whoever goes on with the run finds the
//! answer. A model has no way in here. It must not decide for anybody: no answer is no.

use premath_bd::StoreError;
use premath_bd::desk::{
    Approval, ApprovalKind, ApprovalRequest, ApprovalState, AskedCall, Decision as Decided, Desk,
    PersonCredential, Proposal, ProposalState, StepState, Target, Verdict,
};
use premath_kernel::{Digest, Moment, Object, Value};
use premath_tusk::turn_loop::{
    AskedConfirmation, Checkpoint, Confirmation, ConfirmationAnswer, Decision, Person, PlanDecision,
    PlanStepResult, SecretUse,
};
use premath_wire::strict::{Limits, parse};

use super::door::{Attendant, Said};
use super::plans;
use super::run::Ground;
use crate::desk_store::{open_desk, publish};
use crate::table::ActionError;

/// The tool that a question about going on names.
const CHECKPOINT: &str = "checkpoint";

/// People, as a run asks them.
#[derive(Debug)]
pub(crate) struct HostPerson<'g> {
    pub(super) ground: Ground<'g>,
    pub(super) attendant: Box<dyn Attendant>,
    pub(super) credential: Option<PersonCredential>,
    pub(super) tier: String,
}

impl HostPerson<'_> {
    fn expires_at(&self) -> Moment {
        let seconds = self.ground.workspace.settings.policy.approval_seconds();
        let now = self.ground.workspace.clock.now();
        now.plus_seconds(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    /// Asks whoever sits at the door about a question that is kept, and keeps what they say.
    fn settle(&mut self, desk: &Desk, approval: Approval) -> Result<Approval, StoreError> {
        if approval.state != ApprovalState::Pending {
            return Ok(approval);
        }
        let Some(credential) = &self.credential else { return Ok(approval) };
        let said = match approval.request.kind {
            ApprovalKind::Checkpoint => match self.attendant.go_on(&approval) {
                Decision::Continue => Some(Said::yes()),
                Decision::Stop => Some(Said::no()),
                Decision::NoAnswer | Decision::Expired => None,
            },
            ApprovalKind::Confirmation | ApprovalKind::Plan => self.attendant.confirm(&approval),
        };
        let Some(Said { verdict, scope, message }) = said else {
            // It may have expired, or been answered elsewhere, while it was on the screen.
            return Ok(desk.approval(&approval.id)?.unwrap_or(approval));
        };
        // It is kept and shown to a model.
        let message = message.map(|said| self.ground.workspace.redactor.text(&said).into_owned());
        let shown = Some(approval.card_digest().as_str().to_owned());
        let decision = Decided { verdict, scope, message, valid_until: None, shown };
        match desk.decide_approval(credential, &approval.id, &decision)? {
            Ok(decided) => Ok(decided),
            // Somebody else was quicker, or the time is over: what counts is what is kept.
            Err(_) => Ok(desk.approval(&approval.id)?.unwrap_or(approval)),
        }
    }

    /// Uses a yes for the very call it was given for.
    fn spend(&self, desk: &Desk, approval: &Approval, call: &AskedCall<'_>) -> Result<bool, StoreError> {
        let Some(credential) = &self.credential else { return Ok(false) };
        match approval.state {
            ApprovalState::Approved => Ok(desk.consume_approval(credential, &approval.id, call)?.is_ok()),
            // Used for this very call by a process that died before it could say so; nothing has run since.
            ApprovalState::Consumed => desk.was_consumed_for(credential, &approval.id, call),
            ApprovalState::Pending
            | ApprovalState::Denied
            | ApprovalState::Expired
            | ApprovalState::Revoked => Ok(false),
        }
    }

    /// Looks for the yes of a call, and asks where there is none. Nothing is used yet.
    fn look(&mut self, desk: &Desk, asked: &AskedConfirmation<'_>) -> Result<Looked, StoreError> {
        let request = self.request(asked)?;
        if asked.secrets == SecretUse::Gone {
            return Ok(Looked { found: self.close_question(desk, &request)?, request });
        }
        let now: Option<Vec<Target>> =
            asked.targets.as_ref().map(|targets| targets.iter().map(target).collect());
        // What was judged is what is asked about; another name, or more files in a folder, is another question.
        if now.as_ref() != Some(&request.targets) {
            return Ok(Looked { request, found: Found::Stale });
        }
        // A yes that was given before the secrets were shown does not cover them.
        if asked.secrets == SecretUse::None
            && let Some(credential) = &self.credential
            && desk.is_covered(credential, &called(&request))?
        {
            return Ok(Looked { request, found: Found::Covered });
        }
        let found = match self.open_question(desk, &request)? {
            // What was shown when it was asked is what was agreed to.
            Some(approval) if approval.request.diff == request.diff => {
                Found::Own(Box::new(self.settle(desk, approval)?))
            }
            Some(_) | None => Found::Stale,
        };
        Ok(Looked { request, found })
    }

    /// Asks a question, or finds it. One that expired is asked again: the run was resumed for that.
    fn open_question(&self, desk: &Desk, request: &ApprovalRequest) -> Result<Option<Approval>, StoreError> {
        let Ok(requested) = desk.request_approval(request)? else { return Ok(None) };
        let approval = requested.approval;
        if approval.state != ApprovalState::Expired {
            return Ok(Some(approval));
        }
        Ok(desk.reopen_approval(&approval.id, request)?.ok())
    }

    /// Ends a question whose call cannot run any more.
    fn close_question(&self, desk: &Desk, request: &ApprovalRequest) -> Result<Found, StoreError> {
        let Ok(requested) = desk.request_approval(request)? else { return Ok(Found::Gone(None)) };
        let id = requested.approval.id;
        drop(desk.expire_approval(&id)?);
        Ok(Found::Gone(Some(id)))
    }

    /// What counts for a call. While another call of the turn waits, no yes is used: it could expire before the turn goes on.
    fn answered(
        &self,
        desk: &Desk,
        asked: &AskedConfirmation<'_>,
        looked: &Looked,
        waits_for: Option<&str>,
    ) -> Result<Confirmation, StoreError> {
        let mut said = Confirmation {
            tool_call_id: asked.call.call.id.clone(),
            approval_id: waits_for.unwrap_or_default().to_owned(),
            answer: ConfirmationAnswer::Pending,
            decided_by: None,
            message: None,
            preview: asked.preview.as_ref().map(|diff| Digest::of_bytes(diff.as_bytes()).as_str().to_owned()),
        };
        match &looked.found {
            Found::Stale => said.answer = ConfirmationAnswer::Stale,
            Found::Gone(id) => {
                said.answer = ConfirmationAnswer::SecretGone;
                said.approval_id = id.clone().unwrap_or_default();
            }
            Found::Covered | Found::Own(_) if waits_for.is_some() => {}
            Found::Covered => {
                said.answer = ConfirmationAnswer::Expired;
                if let Some(credential) = &self.credential
                    && let Ok(used) = desk.consume_any_approval(credential, &called(&looked.request))?
                {
                    said.answer = ConfirmationAnswer::Approved;
                    said.approval_id = used.approval.id;
                    said.decided_by = used.approval.decided_by;
                    said.message = used.approval.message;
                }
            }
            Found::Own(approval) => {
                said.answer = self.own(desk, approval, &called(&looked.request))?;
                said.approval_id.clone_from(&approval.id);
                said.decided_by.clone_from(&approval.decided_by);
                said.message.clone_from(&approval.message);
            }
        }
        Ok(said)
    }

    fn own(
        &self,
        desk: &Desk,
        approval: &Approval,
        call: &AskedCall<'_>,
    ) -> Result<ConfirmationAnswer, StoreError> {
        Ok(match approval.state {
            ApprovalState::Pending => ConfirmationAnswer::Pending,
            ApprovalState::Denied | ApprovalState::Revoked => ConfirmationAnswer::Denied,
            ApprovalState::Expired => ConfirmationAnswer::Unanswered,
            ApprovalState::Approved | ApprovalState::Consumed => {
                if self.spend(desk, approval, call)? {
                    ConfirmationAnswer::Approved
                } else {
                    ConfirmationAnswer::Expired
                }
            }
        })
    }

    fn request(&self, asked: &AskedConfirmation<'_>) -> Result<ApprovalRequest, StoreError> {
        let call = asked.call;
        let arguments = parse(call.call.arguments.as_str().as_bytes(), Limits::default())?.into_owned();
        let judged = call.judged.as_ref();
        let error = judged.and_then(|judged| judged.error.as_ref());
        Ok(ApprovalRequest {
            run_id: asked.run_id.to_owned(),
            call_id: asked.call_id.to_owned(),
            tool_call_id: call.call.id.clone(),
            kind: ApprovalKind::Confirmation,
            tool: call.call.name.clone(),
            arguments,
            targets: judged.map(|judged| judged.targets.iter().map(target).collect()).unwrap_or_default(),
            // It is kept, and commands can read where: what a file hides stays hidden in its diff.
            diff: asked.preview.as_deref().map(|diff| self.ground.workspace.redactor.text(diff).into_owned()),
            reason: error.map(|error| error.human_message.clone()).unwrap_or_default(),
            rule: error.map(|error| error.policy_name.clone()).unwrap_or_default(),
            tier: self.tier.clone(),
            expires_at: self.expires_at(),
        })
    }
}

fn target(target: &premath_tusk::policy::Target) -> Target {
    Target { kind: target.kind.clone(), id: target.id.clone(), name: target.name.clone() }
}

/// What there is about a call before anything is used.
struct Looked {
    request: ApprovalRequest,
    found: Found,
}

enum Found {
    /// A yes that goes further than one call.
    Covered,
    /// The question about this very call.
    Own(Box<Approval>),
    /// What it is about is not what was asked about.
    Stale,
    /// Nobody holds its secrets any more; its question.
    Gone(Option<String>),
}

impl Looked {
    /// The question that nobody has answered.
    fn waits_for(&self) -> Option<&str> {
        match &self.found {
            Found::Own(approval) if approval.state == ApprovalState::Pending => Some(&approval.id),
            Found::Own(_) | Found::Covered | Found::Stale | Found::Gone(_) => None,
        }
    }
}

fn called(request: &ApprovalRequest) -> AskedCall<'_> {
    AskedCall {
        run_id: &request.run_id,
        call_id: &request.call_id,
        tool_call_id: &request.tool_call_id,
        tool: &request.tool,
        arguments: &request.arguments,
        targets: &request.targets,
    }
}

impl Person for HostPerson<'_> {
    fn decide(&mut self, checkpoint: &Checkpoint<'_>) -> Result<Decision, StoreError> {
        let desk = open_desk(self.ground.workspace)?;
        let calls: Vec<Value<'_>> = checkpoint
            .calls
            .iter()
            .map(|call| {
                Object::fields()
                    .field("arguments", call.call.arguments.as_str())
                    .field("tool", call.call.name.as_str())
                    .finish()
            })
            .collect();
        let arguments =
            Object::fields().field("calls", calls).field("question", checkpoint.question).finish();
        let request = ApprovalRequest {
            run_id: checkpoint.run_id.to_owned(),
            call_id: checkpoint.call_id.to_owned(),
            tool_call_id: checkpoint.call_id.to_owned(),
            kind: ApprovalKind::Checkpoint,
            tool: CHECKPOINT.to_owned(),
            arguments: arguments.into_owned(),
            targets: Vec::new(),
            diff: None,
            reason: checkpoint.question.to_owned(),
            rule: "stop policy".to_owned(),
            tier: self.tier.clone(),
            expires_at: self.expires_at(),
        };
        let Some(approval) = self.open_question(&desk, &request)? else { return Ok(Decision::Stop) };
        let approval = self.settle(&desk, approval)?;
        let decision = match approval.state {
            ApprovalState::Pending => Decision::NoAnswer,
            ApprovalState::Expired => Decision::Expired,
            ApprovalState::Denied | ApprovalState::Revoked => Decision::Stop,
            ApprovalState::Approved | ApprovalState::Consumed => {
                if self.spend(&desk, &approval, &called(&request))? {
                    Decision::Continue
                } else {
                    Decision::Stop
                }
            }
        };
        publish(self.ground.workspace, &desk)?;
        Ok(decision)
    }

    fn confirm(&mut self, asked: &[AskedConfirmation<'_>]) -> Result<Vec<Confirmation>, StoreError> {
        let desk = open_desk(self.ground.workspace)?;
        let mut looked = Vec::with_capacity(asked.len());
        for one in asked {
            looked.push(self.look(&desk, one)?);
        }
        let waits_for = looked.iter().find_map(Looked::waits_for);
        let mut confirmations = Vec::with_capacity(asked.len());
        for (one, looked) in asked.iter().zip(&looked) {
            // Each that waits is named by its own question.
            let waits_for = looked.waits_for().or(waits_for);
            confirmations.push(self.answered(&desk, one, looked, waits_for)?);
        }
        publish(self.ground.workspace, &desk)?;
        Ok(confirmations)
    }

    fn plan(&mut self, proposal_id: &str) -> Result<PlanDecision, StoreError> {
        let desk = open_desk(self.ground.workspace)?;
        let Some(mut proposal) = desk.proposal(proposal_id)? else {
            return Ok(PlanDecision {
                proposal_id: proposal_id.to_owned(),
                state: "expired".to_owned(),
                steps: Vec::new(),
            });
        };
        if proposal.state == ProposalState::Expired {
            let seconds = self.ground.workspace.settings.policy.approval_seconds();
            if let Ok(reopened) = desk.reopen_proposal(proposal_id, seconds)? {
                proposal = reopened;
            }
        }
        let was_open = proposal.state == ProposalState::Pending;
        if let (ProposalState::Pending, Some(credential)) = (proposal.state, &self.credential)
            && let Some(Said { verdict, message, .. }) = self.attendant.plan(&proposal)
        {
            let message = message.map(|said| self.ground.workspace.redactor.text(&said).into_owned());
            let message = message.as_deref();
            let decided = match verdict {
                Verdict::Approve => {
                    desk.approve_proposal(credential, proposal_id, &proposal.plan_digest, message)?
                }
                Verdict::Deny => desk.reject_proposal(credential, proposal_id, message)?,
            };
            proposal = match decided {
                Ok(decided) => decided,
                Err(_) => desk.proposal(proposal_id)?.unwrap_or(proposal),
            };
        }
        if proposal.state == ProposalState::Pending {
            // It may have expired, or been answered elsewhere, while it was on the screen.
            proposal = desk.proposal(proposal_id)?.unwrap_or(proposal);
        }
        publish(self.ground.workspace, &desk)?;
        if was_open && proposal.state == ProposalState::Expired {
            return Ok(PlanDecision { state: PlanDecision::UNANSWERED.to_owned(), ..outcome(&proposal) });
        }
        if let (ProposalState::Approved | ProposalState::Executing, Some(credential)) =
            (proposal.state, &self.credential)
        {
            proposal = plans::carry_out(self.ground, credential, &proposal).map_err(stored)?;
        }
        Ok(outcome(&proposal))
    }
}

/// What became of a plan, for the run that proposed it.
pub(super) fn outcome(proposal: &Proposal) -> PlanDecision {
    let step = |(number, step): (usize, &premath_bd::desk::PlanStep)| {
        let said = proposal.results.iter().rev().find(|result| result.number == number + 1);
        PlanStepResult {
            tool: step.tool.clone(),
            about: step.targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", "),
            state: said.map_or("open", |said| said.state.token()).to_owned(),
            detail: said
                .filter(|said| said.state != StepState::Ok)
                .map(|said| said.detail.clone())
                .unwrap_or_default(),
        }
    };
    PlanDecision {
        proposal_id: proposal.id.clone(),
        state: proposal.state.token().to_owned(),
        steps: proposal.draft.steps.iter().enumerate().map(step).collect(),
    }
}

/// What went wrong while a plan was carried out, as the store of a run tells it.
pub(super) fn stored(error: ActionError) -> StoreError {
    match error {
        ActionError::Store(error) => error,
        other @ (ActionError::Unknown { .. }
        | ActionError::Input(_)
        | ActionError::Envelope(_)
        | ActionError::Source(_)
        | ActionError::Model(_)
        | ActionError::Sandbox(_)
        | ActionError::NotRetained { .. }
        | ActionError::Unavailable { .. }
        | ActionError::Unwritable { .. }) => StoreError::Io {
            doing: "carry out the plan in",
            path: ".premath".into(),
            source: std::io::Error::other(other.to_string()),
        },
    }
}
