//! Linking a change to an instruction: everything that must be true of it at this moment, recomputed.
//!
//! The witness must be the one that was issued here, byte for byte; its envelope and its policy must be what they were; it
//! must not have ended; and its scope and its granted claims must cover the change. It must not remember an earlier answer.

use std::sync::Arc;

use premath_bd::issues::Operation;
use premath_bd::{Distrust, LeaseGrant, Permit, PermitLedger, StoreError};
use premath_kernel::Digest;
use premath_wire::time::parse_time;
use premath_wire::v1::InstructionWitness;

use super::client_door::CLIENT_PREFIX;
use super::decide::claim_of;
use super::envelope::{Envelope, checked_id};
use super::policy::{EVERYTHING, Found, InstructionPolicy, Policies, read};
use super::refusal::{evidence_missing, refused};
use super::run::InstructionScope;
use super::witness::{read_witness, witness_path};
use crate::agent::RunRefused;
use crate::recording::audit_log;
use crate::table::ActionError;
use crate::workspace::{Workspace, shown};

const RUN_AGAIN: &str = "`premath instruction-run` runs an instruction and issues its witness";

const CLAIM_HINT: &str = "claim it in the envelope's capabilityClaims; its policy must grant it too";
const CLIENT_HINT: &str = "a client's instruction covers what `clients` of its policy grants: a person runs it with \
                           `premath instruction-run`, or widens the policy";

/// An accepted instruction that was looked at just now.
#[derive(Debug)]
pub(crate) struct Linked {
    id: String,
    reference: String,
    policy: InstructionPolicy,
    claims: Vec<String>,
    scope: InstructionScope,
    /// Whether a client ran it.
    is_of_client: bool,
}

/// Looks at an instruction: whether a change may be linked to it now.
///
/// # Errors
/// A store or a policy that cannot be read.
pub(crate) fn link(
    workspace: &Workspace,
    instruction: &str,
) -> Result<Result<Linked, RunRefused>, ActionError> {
    let id = instruction.strip_prefix("instruction://").unwrap_or(instruction);
    if let Err(fault) = checked_id(id) {
        return Ok(Err(refused(fault.class, fault.what, "name the instruction, not a path")));
    }
    // Nothing is spent where the record of what was decided is not this clone's, or older than it knows.
    audit_log(workspace).require_authentic()?;
    let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, id)?;
    let issued = match ledger.issued() {
        Err(StoreError::Untrusted { reason: Distrust::RolledBack, detail, .. }) => {
            let detail = format!("the ledger of instruction `{id}` was rolled back: {detail}");
            let hint = "restore it, or run an instruction of another name; `premath verify` says more";
            return Ok(Err(evidence_missing(detail, hint)));
        }
        issued => issued?,
    };
    let Some(issued) = issued.filter(|issued| issued.is_accepted) else {
        let detail = format!("instruction `{id}` was not issued here");
        return Ok(Err(evidence_missing(detail, RUN_AGAIN)));
    };
    let path = shown(&witness_path(&workspace.root, id));
    let Some((witness, digest)) = read_witness(workspace, id)? else {
        return Ok(Err(evidence_missing(format!("there is no witness at `{path}`"), RUN_AGAIN)));
    };
    if digest != issued.witness_digest || witness.instruction_id != id {
        let detail = format!("the witness at `{path}` is not the one that was issued");
        return Ok(Err(evidence_missing(detail, RUN_AGAIN)));
    }
    if witness.verdict_class != "accepted" {
        return Ok(Err(evidence_missing(format!("instruction `{id}` was rejected"), RUN_AGAIN)));
    }
    if parse_time(&witness.expires_at).is_none_or(|end| workspace.clock.now() >= end) {
        let detail = format!("the witness of instruction `{id}` ended at {}", witness.expires_at);
        return Ok(Err(evidence_missing(detail, RUN_AGAIN)));
    }
    if let Some(refusal) = changed_envelope(workspace, &witness, &issued.instruction_digest)? {
        return Ok(Err(refusal));
    }
    let policies = Policies::load(workspace)?;
    Ok(match policies.find(&witness.policy_digest) {
        Found::Policy(policy) => linked(id, &witness, policy.clone()),
        Found::Changed(_) | Found::Unknown => {
            let detail = format!("no policy has the digest {} any more", witness.policy_digest);
            let hint = "a policy that changed binds nothing: write and run the instruction again";
            Err(refused("mutation.policy_digest_mismatch", detail, hint))
        }
    })
}

fn linked(id: &str, witness: &InstructionWitness, policy: InstructionPolicy) -> Result<Linked, RunRefused> {
    let Some(scope) = InstructionScope::of(&witness.scope.0) else {
        let detail = format!("the scope of instruction `{id}` names neither the repository nor an issue");
        return Err(evidence_missing(detail, "say \"repository\" or {\"issueId\": \"…\"} in its scope"));
    };
    let claims = witness.capability_claims.clone();
    let is_of_client = witness.authority.starts_with(CLIENT_PREFIX);
    let reference = PermitLedger::reference(id);
    Ok(Linked { id: id.to_owned(), reference, policy, claims, scope, is_of_client })
}

fn changed_envelope(
    workspace: &Workspace,
    witness: &InstructionWitness,
    issued: &str,
) -> Result<Option<RunRefused>, ActionError> {
    let path = workspace.root.join(&witness.envelope_path);
    let told = |what: &str| {
        let detail = format!("the envelope at `{}` {what}", witness.envelope_path);
        Ok(Some(evidence_missing(detail, RUN_AGAIN)))
    };
    let bytes = match read(workspace.disk.as_ref(), &path) {
        Err(StoreError::Missing { .. }) => return told("is gone"),
        bytes => bytes?,
    };
    match Envelope::read(&bytes) {
        Ok(envelope) if envelope.digest.as_str() == issued => Ok(None),
        Ok(_) | Err(_) => told("is not what was run"),
    }
}

impl Linked {
    /// Its id.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// How intents and rows name it.
    pub(crate) fn instruction_ref(&self) -> &str {
        &self.reference
    }

    /// The policy it was decided under.
    pub(crate) const fn policy(&self) -> &InstructionPolicy {
        &self.policy
    }

    /// The digest of that policy.
    pub(crate) const fn policy_digest(&self) -> &Digest {
        &self.policy.digest
    }

    /// What it may change.
    pub(crate) fn claims(&self) -> &[String] {
        &self.claims
    }

    /// Whether it covers a change: its action, the issue it is about, and every other issue whose state it changes. Every
    /// door asks here.
    pub(crate) fn allows(&self, operation: &Operation) -> Result<(), RunRefused> {
        self.covers(operation.action(), operation.issue_id())?;
        operation.parents().into_iter().try_for_each(|parent| self.reaches(Some(parent)))
    }

    /// Whether it covers an action on an issue; why not, when it does not. `None` is no issue in particular.
    pub(crate) fn covers(&self, action: &str, issue: Option<&str>) -> Result<(), RunRefused> {
        let claim = claim_of(action);
        if !self.claims.iter().any(|granted| *granted == claim || granted == EVERYTHING) {
            let detail = format!("instruction `{}` was not granted {claim}", self.id);
            let hint = if self.is_of_client { CLIENT_HINT } else { CLAIM_HINT };
            return Err(refused("mutation.capability_claim_missing", detail, hint));
        }
        self.reaches(issue)
    }

    /// Whether its scope reaches an issue; why not, when it does not. `None` is no issue in particular.
    pub(crate) fn reaches(&self, issue: Option<&str>) -> Result<(), RunRefused> {
        match (&self.scope, issue) {
            (InstructionScope::Repository, _) => Ok(()),
            (InstructionScope::Issues(issues), Some(issue)) if issues.iter().any(|one| one == issue) => {
                Ok(())
            }
            (InstructionScope::Issues(issues), _) => {
                let about = issue.map_or_else(|| "no issue in particular".to_owned(), |id| format!("`{id}`"));
                let detail =
                    format!("instruction `{}` is for {}, not for {about}", self.id, issues.join(", "));
                Err(evidence_missing(detail, "write an instruction whose scope names the issue"))
            }
        }
    }

    /// Permission to take, keep or let go of work.
    pub(crate) fn lease_permit(&self, operation: &Operation) -> Result<Permit, RunRefused> {
        self.allows(operation)?;
        Ok(Permit::Lease(LeaseGrant::new(self.reference.clone(), self.policy.digest.clone())))
    }
}
