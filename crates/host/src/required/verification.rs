//! A witness, made again from git, policy and objects: everything it says that does not come out is a reason.
//!
//! What it says of itself is compared, never believed. It must not stop at the first reason.

use premath_bd::ObjectId;
use premath_kernel::Digest;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{
    CheckOutcome, GateRow, REQUIRED_WITNESS_KIND, RangeEnd, RequiredReason, RequiredWitness, VerdictClass,
};
use premath_wire::{UnknownFields, decode};

use super::delta::{Range, delta};
use super::gate::kept_outcome;
use super::git::Git;
use super::policy::{LoadedPolicy, load_policy, name_in};
use super::projection::project;
use super::record;
use super::stop::{RequiredClass, Stop};
use super::witness::{row, verdict};
use crate::artifacts::read_artifact;
use crate::checking::{check_objects, command_digest};
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// The range that a witness must be about, where somebody says so.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Expected<'e> {
    pub(crate) from: Option<&'e str>,
    pub(crate) to: Option<&'e str>,
}

/// A witness, looked at.
#[derive(Debug)]
pub(crate) struct Verified {
    /// `sha256:` over its bytes; absent where there is no file.
    pub(crate) digest: Option<Digest>,
    /// What it says, where it can be read.
    pub(crate) witness: Option<RequiredWitness>,
    /// What does not come out, sorted.
    pub(crate) reasons: Vec<RequiredReason>,
}

/// Makes everything again that a witness says.
pub(crate) fn verify_witness(
    host: &Host<'_>,
    path: &str,
    expected: Expected<'_>,
) -> Result<Verified, ActionError> {
    let workspace = host.workspace;
    let Some(bytes) = read_artifact(workspace, &workspace.root.join(path))? else {
        let reason = RequiredClass::WitnessMissing.about(path, "there is no witness");
        return Ok(Verified { digest: None, witness: None, reasons: vec![reason] });
    };
    let digest = Digest::of_bytes(&bytes);
    let mut reasons = Vec::new();
    if let Some(doubt) = record::doubt(workspace, &digest)? {
        reasons.push(RequiredClass::WitnessUnrecorded.about(path, doubt));
    }
    let witness = match read(&bytes) {
        Ok(witness) => Some(witness),
        Err(why) => {
            reasons.push(RequiredClass::WitnessInvalid.about(path, why));
            None
        }
    };
    if let Some(witness) = &witness {
        look(host, witness, expected, &mut reasons)?;
    }
    reasons.sort();
    reasons.dedup();
    Ok(Verified { digest: Some(digest), witness, reasons })
}

fn read(bytes: &[u8]) -> Result<RequiredWitness, String> {
    let value = parse(bytes, Limits::default()).map_err(|error| error.to_string())?;
    let witness: RequiredWitness =
        decode(&value, UnknownFields::Refuse).map_err(|error| error.to_string())?;
    if witness.schema == 1 && witness.witness_kind == REQUIRED_WITNESS_KIND {
        Ok(witness)
    } else {
        Err(format!("expected schema 1 and witnessKind `{REQUIRED_WITNESS_KIND}`"))
    }
}

fn look(
    host: &Host<'_>,
    witness: &RequiredWitness,
    expected: Expected<'_>,
    reasons: &mut Vec<RequiredReason>,
) -> Result<(), ActionError> {
    let policy = noted(policy_of(host.workspace, witness), "policy", reasons)?;
    let range = Range { from: &witness.from.commit, to: &witness.to.commit };
    let again = noted(delta(host, range), "range", reasons)?;
    if let Some(again) = &again {
        for (said, found) in [(&witness.from, &again.from), (&witness.to, &again.to)] {
            if (&said.commit, &said.tree) != (&found.commit, &found.tree) {
                let detail = format!("commit {} has the tree {}", found.commit, found.tree);
                reasons.push(RequiredClass::RangeMismatch.about(said.name.as_str(), detail));
            }
        }
        if again.delta_digest != witness.delta_digest {
            let detail = format!("the range comes to {}", again.delta_digest);
            reasons.push(RequiredClass::DeltaMismatch.about("deltaDigest", detail));
        }
    }
    for (name, end) in [(expected.from, &witness.from), (expected.to, &witness.to)] {
        let Some(name) = name else { continue };
        if let Some(reason) =
            noted(Git::new(host).commit(name, "range"), name, reasons)?.and_then(|found| another(&found, end))
        {
            reasons.push(reason);
        }
    }
    if let Some((policy, again)) = policy.as_ref().zip(again.as_ref()) {
        let projection = project(policy, again);
        if projection.required_checks != witness.required_checks
            || projection.projection_digest != witness.projection_digest
        {
            let detail = format!("the range asks for [{}]", projection.required_checks.join(", "));
            reasons.push(RequiredClass::ProjectionMismatch.about("requiredChecks", detail));
        }
        if projection.required_checks != witness.executed_checks {
            let detail = format!(
                "[{}] are required, [{}] were run",
                projection.required_checks.join(", "),
                witness.executed_checks.join(", ")
            );
            reasons.push(RequiredClass::ExecutedMismatch.about("executedChecks", detail));
        }
    }
    results(host, witness, policy.as_ref(), reasons)
}

fn another(found: &RangeEnd, end: &RangeEnd) -> Option<RequiredReason> {
    (found.commit != end.commit).then(|| {
        let detail = format!("`{}` is {}, and the witness is about {}", found.name, found.commit, end.commit);
        RequiredClass::RangeMismatch.about(found.name.as_str(), detail)
    })
}

fn policy_of(workspace: &Workspace, witness: &RequiredWitness) -> Result<LoadedPolicy, Stop> {
    let name = name_in(&witness.policy_ref).ok_or_else(|| {
        let detail = format!("`{}` is no policy of required checks", witness.policy_ref.escape_debug());
        RequiredClass::PolicyMissing.refuse(detail, "")
    })?;
    let policy = load_policy(workspace, Some(name))?;
    if policy.digest.as_str() == witness.policy_digest && policy.document.policy_id == witness.policy_id {
        return Ok(policy);
    }
    let detail = format!("`{}` is {} now", witness.policy_ref, policy.digest);
    Err(RequiredClass::PolicyChanged.refuse(detail, "run the checks again"))
}

/// What there is; a refusal becomes a reason.
fn noted<T>(
    found: Result<T, Stop>,
    subject: &str,
    reasons: &mut Vec<RequiredReason>,
) -> Result<Option<T>, ActionError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(Stop::Refused(refusal)) => {
            reasons.push(refusal.class.about(subject, refusal.detail));
            Ok(None)
        }
        // A witness can hold anything: what cannot be asked about is not what a command was given.
        Err(Stop::Failed(ActionError::Input(error))) => {
            reasons.push(RequiredClass::WitnessInvalid.about(subject, error.to_string()));
            Ok(None)
        }
        Err(Stop::Failed(error)) => Err(error),
    }
}

fn results(
    host: &Host<'_>,
    witness: &RequiredWitness,
    policy: Option<&LoadedPolicy>,
    reasons: &mut Vec<RequiredReason>,
) -> Result<(), ActionError> {
    let ids: Vec<&String> = witness.results.iter().map(|row| &row.check_id).collect();
    if ids != witness.executed_checks.iter().collect::<Vec<_>>() {
        let detail = "the results are of other checks than those that were run";
        reasons.push(RequiredClass::ExecutedMismatch.about("results", detail));
    }
    let mut rows: Vec<GateRow> = Vec::new();
    for said in &witness.results {
        let Some(outcome) = noted(kept_outcome(host.workspace, &said.gate_ref), &said.check_id, reasons)?
        else {
            continue;
        };
        outputs(host.workspace, &outcome, reasons)?;
        if let Some(reason) = other_check(&outcome, said, policy) {
            reasons.push(reason);
        }
        let again = row(&outcome, said.gate_ref.clone());
        if again != *said {
            let detail = "the row says something else than the outcome it names";
            reasons.push(RequiredClass::ResultMismatch.about(said.check_id.as_str(), detail));
        }
        rows.push(again);
    }
    let changed = RequiredClass::WorktreeChanged.code();
    let other = witness.failure_classes.iter().any(|class| class == changed).then_some(changed);
    let (verdict_class, failure_classes) = verdict(&rows, other);
    if rows.len() == witness.results.len()
        && (verdict_class, &failure_classes) != (witness.verdict_class, &witness.failure_classes)
    {
        let said = match verdict_class {
            VerdictClass::Accepted => "accepted",
            VerdictClass::Rejected => "rejected",
        };
        let detail = format!("the outcomes come to {said} [{}]", failure_classes.join(", "));
        reasons.push(RequiredClass::VerdictMismatch.about("verdictClass", detail));
    }
    Ok(())
}

/// An outcome of another check, or of another command than the policy's.
fn other_check(
    outcome: &CheckOutcome,
    said: &GateRow,
    policy: Option<&LoadedPolicy>,
) -> Option<RequiredReason> {
    let command = policy.and_then(|policy| policy.check(&said.check_id)).map(|check| &check.command);
    let is_same = outcome.check_id == said.check_id
        && outcome.command_digest == command_digest(&outcome.command)
        && command.is_none_or(|command| *command == outcome.command);
    (!is_same).then(|| {
        let detail = format!("{} is the outcome of another check or command", said.gate_ref);
        RequiredClass::GateMismatch.about(said.check_id.as_str(), detail)
    })
}

/// What a check printed must still be there.
fn outputs(
    workspace: &Workspace,
    outcome: &CheckOutcome,
    reasons: &mut Vec<RequiredReason>,
) -> Result<(), ActionError> {
    let objects = check_objects(workspace);
    for output in [&outcome.stdout, &outcome.stderr].into_iter().flatten() {
        let is_there = match output.digest.parse::<ObjectId>() {
            Ok(id) => objects.contains(&id)?,
            Err(_) => false,
        };
        if !is_there {
            let detail = format!("what it printed, {}, is not among the objects", output.digest);
            reasons.push(RequiredClass::OutputMissing.about(outcome.check_id.as_str(), detail));
        }
    }
    Ok(())
}
