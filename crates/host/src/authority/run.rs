//! Running an instruction: its checks as the policy defines them, the turn they are, the witness, and the row that says it
//! was issued.
//!
//! A rejected instruction leaves a witness too, and permits nothing. It must not run a check that the policy does not allow.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{Issued, PermitLedger, fresh_audit_id};
use premath_kernel::{Digest, Moment, Value};
use premath_wire::Json;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{
    AuditKind, AuditRow, CheckStatus, INSTRUCTION_WITNESS_KIND, InstructionCheckResult, InstructionWitness,
};
use serde_json::json;

use super::builtin_checks::{BuiltIn, described};
use super::client_door::CLIENT_PREFIX;
use super::client_grants::InstructionAuthor;
use super::decide::{Decision, claim_of, decide};
use super::envelope::{Envelope, EnvelopeFault, checked_id, instruction_id_of};
use super::link::{Linked, link};
use super::policy::{InstructionPolicy, Policies, read};
use super::turn::{HarnessCall, HarnessTurn};
use super::witness::{read_witness, write_witness};
use crate::agent::RunRefused;
use crate::artifacts::write_artifact;
use crate::checking::{CHECK_FAILED, CheckLimits, run_check};
use crate::recording::audit_log;
use crate::table::{ActionError, Host};
use crate::workspace::{Workspace, shown};

/// Where an instruction counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum InstructionScope {
    /// For everything in the repository.
    Repository,
    /// For these issues.
    Issues(Vec<String>),
}

impl InstructionScope {
    /// What a scope says; `None` when it names nothing that we know, and so covers nothing.
    pub(super) fn of(scope: &Value<'_>) -> Option<Self> {
        match scope {
            Value::Text(text) => match text.trim() {
                "repository" | "repo" => Some(Self::Repository),
                other => other.strip_prefix("issue:").map(|id| Self::Issues(vec![id.trim().to_owned()])),
            },
            Value::Object(object) => {
                let text = |name: &str| object.get(name).and_then(Value::as_text).map(str::trim);
                if let Some(id) = text("issueId").filter(|id| !id.is_empty()) {
                    return Some(Self::Issues(vec![id.to_owned()]));
                }
                if let Some(ids) = object.get("issueIds").and_then(Value::as_array) {
                    return Some(Self::Issues(
                        ids.iter().filter_map(Value::as_text).map(str::to_owned).collect(),
                    ));
                }
                matches!(text("kind"), Some("repository" | "repo")).then_some(Self::Repository)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        }
    }

    fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Repository => json!({"kind": "repository"}),
            Self::Issues(issues) => match issues.as_slice() {
                [one] => json!({"kind": "issue", "issueId": one}),
                many => json!({"kind": "issues", "issueIds": many}),
            },
        }
    }
}

/// An instruction that premath writes itself, for a run, a worker or a step that somebody started.
#[derive(Debug, Clone)]
pub(crate) struct NewInstruction {
    /// What it is called behind its time: letters, digits, `.`, `_` and `-`; everything else becomes `-`.
    pub(crate) name: String,
    /// What is to be done, in words.
    pub(crate) intent: String,
    /// Where.
    pub(crate) scope: InstructionScope,
    /// The checks that are asked for.
    pub(crate) checks: Vec<String>,
    /// The actions that it claims.
    pub(crate) claims: Vec<String>,
}

/// An instruction that was run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) witness: InstructionWitness,
    pub(crate) witness_digest: String,
}

/// Writes an instruction and runs it, for whoever stands at the door; and links to it.
///
/// # Errors
/// A store, a policy or a sandbox that gives no answer.
pub(crate) fn issue_instruction(
    host: &Host<'_>,
    new: &NewInstruction,
) -> Result<Result<Linked, RunRefused>, ActionError> {
    issue_as(host, &fresh_id(host.workspace, &new.name), new)
}

/// The same, under an id that is known already.
///
/// # Errors
/// A store, a policy or a sandbox that gives no answer.
pub(crate) fn issue_as(
    host: &Host<'_>,
    id: &str,
    new: &NewInstruction,
) -> Result<Result<Linked, RunRefused>, ActionError> {
    let workspace = host.workspace;
    // Who may change nothing here does not get to instruct others to.
    if let Err(refusal) = workspace.door.permit("instruction.issue") {
        return Ok(Err(refusal.into()));
    }
    let policies = Policies::load(workspace)?;
    let Some(policy) = policies.own() else {
        let detail = "there is no policy of instructions".to_owned();
        let hint = "`premath init` writes policies/instruction/default.json".to_owned();
        return Ok(Err(RunRefused { class: "instruction_unknown_policy".to_owned(), detail, hint }));
    };
    let envelope = json!({
        "schema": 1,
        "intent": new.intent,
        "scope": new.scope.to_json(),
        "normalizerId": "premath.harness.v1",
        "policyDigest": policy.digest.as_str(),
        "requestedChecks": requested(policy, &new.checks),
        "instructionType": "harness.issue",
        "capabilityClaims": new.claims.iter().map(|action| claim_of(action)).collect::<Vec<_>>(),
    });
    let mut bytes = envelope.to_string().into_bytes();
    bytes.push(b'\n');
    let path = workspace.root.join(".premath").join("instructions").join(format!("{id}.json"));
    write_artifact(workspace, &path, &bytes)?;
    let ran = run_read(host, id, &path, &bytes)?;
    if ran.witness.verdict_class != "accepted" {
        let why = ran.witness.results.iter().find_map(|result| result.detail.clone());
        return Ok(Err(RunRefused {
            class: ran.witness.failure_classes.first().cloned().unwrap_or_default(),
            detail: why.unwrap_or_else(|| format!("instruction `{id}` was rejected")),
            hint: format!("`premath instruction-witness {id}` says more"),
        }));
    }
    link(workspace, id)
}

/// The checks that are wanted, as far as the policy knows them; all that it allows, when it knows none of them.
fn requested(policy: &InstructionPolicy, wanted: &[String]) -> Vec<String> {
    let known: Vec<String> =
        wanted.iter().filter(|check| policy.allowed_checks.contains(check)).cloned().collect();
    if known.is_empty() { policy.allowed_checks.clone() } else { known }
}

/// `<now>-<name>-<a few letters that nobody else has>`
fn fresh_id(workspace: &Workspace, name: &str) -> String {
    let time: String = format_time(to_millis(workspace.clock.now()))
        .chars()
        .filter(|one| !matches!(one, '-' | ':'))
        .collect();
    let time = time.split_once('.').map_or_else(|| time.clone(), |(seconds, _)| format!("{seconds}Z"));
    let plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    let name: String = name.chars().take(48).map(|one| if plain(one) { one } else { '-' }).collect();
    let fresh: String = workspace.ids.fresh().chars().filter(char::is_ascii_alphanumeric).collect();
    // The ids of one moment begin alike and end differently.
    let tail: String = fresh.chars().rev().take(12).collect();
    format!("{time}-i{name}-{tail}")
}

/// The witness of an instruction that its owner ran and that still permits something, for a client that would run it again: a
/// client's run would narrow it.
///
/// # Errors
/// A store or a policy that gives no answer.
pub(crate) fn standing_witness(host: &Host<'_>, path: &Path) -> Result<Option<Ran>, ActionError> {
    let workspace = host.workspace;
    let id = instruction_id_of(path)?;
    let envelope = Envelope::read(&read(workspace.disk.as_ref(), path)?)?;
    let issued = ledger(workspace, &id)?.issued()?;
    let is_of_owner = issued.is_some_and(|issued| {
        !issued.actor.starts_with(CLIENT_PREFIX) && issued.instruction_digest == envelope.digest.as_str()
    });
    if workspace.instruction_author() == InstructionAuthor::Owner || !is_of_owner {
        return Ok(None);
    }
    let relative: PathBuf = path.strip_prefix(&workspace.root).unwrap_or(path).to_owned();
    let Ok(_linked) = link(workspace, &id)? else { return Ok(None) };
    Ok(read_witness(workspace, &id)?
        .filter(|(witness, _)| witness.envelope_path == shown(&relative))
        .map(|(witness, witness_digest)| Ran { witness, witness_digest }))
}

/// Runs the instruction in a file.
///
/// # Errors
/// A file that is no instruction; a store, a policy or a sandbox that gives no answer.
pub(crate) fn run_envelope(host: &Host<'_>, path: &Path) -> Result<Ran, ActionError> {
    let id = instruction_id_of(path)?;
    let bytes = read(host.workspace.disk.as_ref(), path)?;
    run_read(host, &id, path, &bytes)
}

fn run_read(host: &Host<'_>, id: &str, path: &Path, bytes: &[u8]) -> Result<Ran, ActionError> {
    checked_id(id)?;
    let envelope = Envelope::read(bytes)?;
    // What was changed under a name must be found again under it.
    if ledger(host.workspace, id)?
        .issued()?
        .is_some_and(|issued| issued.instruction_digest != envelope.digest.as_str())
    {
        return Err(EnvelopeFault::taken(id).into());
    }
    let policies = Policies::load(host.workspace)?;
    let decision = decide(&envelope, &policies, host.workspace.instruction_author());
    let started = host.workspace.clock.now();
    let mut results = Vec::new();
    if let (Some(policy), true) = (decision.policy, decision.reasons.is_empty()) {
        for check in &envelope.requested_checks {
            results.push(run_one(host, policy, check, &envelope)?);
        }
    }
    let witness = witnessed(host, (id, path), &envelope, &decision, results, started)?;
    let witness_digest = write_witness(host.workspace, &witness)?;
    record(host.workspace, &witness, &witness_digest, &decision)?;
    Ok(Ran { witness, witness_digest })
}

/// Puts on record what came of it: an accepted one can be linked to from then on.
fn record(
    workspace: &Workspace,
    witness: &InstructionWitness,
    witness_digest: &str,
    decision: &Decision<'_>,
) -> Result<(), ActionError> {
    let is_accepted = witness.verdict_class == "accepted";
    let ledger = ledger(workspace, &witness.instruction_id)?;
    // One that was never issued needs no ledger; one that was is rejected in it.
    if is_accepted || ledger.issued()?.is_some() {
        let expires_at = premath_wire::time::parse_time(&witness.expires_at);
        let issued = Issued {
            instruction_digest: witness.instruction_digest.clone(),
            witness_digest: witness_digest.to_owned(),
            policy_digest: witness.policy_digest.clone(),
            expires_at: expires_at.unwrap_or_else(|| workspace.clock.now()),
            actor: witness.authority.clone(),
            is_accepted,
        };
        ledger.issue(&issued, workspace.clock.as_ref())?;
    }
    let effect = if is_accepted { "allow" } else { "deny" };
    let id = fresh_audit_id(workspace.ids.as_ref());
    let mut row = AuditRow::new(
        id,
        witness.finished_at.clone(),
        AuditKind::Decision,
        witness.authority.clone(),
        effect,
    );
    row.tool = Some("instruction.run".to_owned());
    row.targets.push(witness.instruction_id.clone());
    row.policy_name = decision.policy.map(|policy| policy.id.clone());
    row.policy_digest = Some(witness.policy_digest.clone());
    row.args_digest = Some(witness_digest.to_owned());
    row.code = witness.failure_classes.first().cloned();
    Ok(audit_log(workspace).append(&[row]).map(drop)?)
}

fn ledger(workspace: &Workspace, id: &str) -> Result<PermitLedger, ActionError> {
    Ok(PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, id)?)
}

fn run_one(
    host: &Host<'_>,
    policy: &InstructionPolicy,
    check: &str,
    envelope: &Envelope,
) -> Result<InstructionCheckResult, ActionError> {
    let command = policy.checks.get(check).cloned().unwrap_or_default();
    let began = host.workspace.clock.now();
    let result = |status: bool, class: Option<String>, exit_code, digest: &Digest, detail| {
        let spent = millis_between(began, host.workspace.clock.now());
        InstructionCheckResult {
            check_id: check.to_owned(),
            command: command.clone(),
            status: if status { "passed" } else { "failed" }.to_owned(),
            failure_class: class,
            exit_code,
            outcome_digest: digest.as_str().to_owned(),
            duration_ms: spent,
            detail,
        }
    };
    if let Some(built_in) = BuiltIn::of(&command) {
        let scope = InstructionScope::of(&envelope.scope);
        let failure = built_in.and_then(|built_in| built_in.run(host, scope.as_ref())).err();
        let digest = Digest::of_bytes(described(&command, failure.as_deref()).as_bytes());
        let class = failure.as_ref().map(|_| CHECK_FAILED.to_owned());
        return Ok(result(failure.is_none(), class, None, &digest, failure));
    }
    let outcome = run_check(host, check, &command, CheckLimits::default())?;
    let bytes = serde_json::to_vec(&outcome).map_err(|source| ActionError::Unwritable { source })?;
    crate::checking::check_objects(host.workspace).put(&mut bytes.as_slice())?;
    let passed = outcome.status == CheckStatus::Passed;
    let detail =
        outcome.exit_code.filter(|code| *code != 0).map(|code| format!("`{check}` ended with {code}"));
    Ok(result(passed, outcome.failure_class, outcome.exit_code, &Digest::of_bytes(&bytes), detail))
}

fn millis_between(from: Moment, to: Moment) -> u64 {
    let seconds = to.seconds().saturating_sub(from.seconds()).saturating_mul(1000);
    let rest = i64::from(to.nanos() / 1_000_000) - i64::from(from.nanos() / 1_000_000);
    u64::try_from(seconds.saturating_add(rest)).unwrap_or(0)
}

fn witnessed(
    host: &Host<'_>,
    (id, path): (&str, &Path),
    envelope: &Envelope,
    decision: &Decision<'_>,
    results: Vec<InstructionCheckResult>,
    started: Moment,
) -> Result<InstructionWitness, ActionError> {
    let workspace = host.workspace;
    let executed: Vec<String> = results.iter().map(|result| result.check_id.clone()).collect();
    let mut classes = decision.classes();
    classes.extend(results.iter().filter_map(|result| result.failure_class.clone()));
    if classes.is_empty() && executed != envelope.requested_checks {
        classes.push(CHECK_FAILED.to_owned());
    }
    let join = join(workspace, id, envelope, decision, &results)?;
    if let (None, Some(Err(refused))) = (classes.first(), &join) {
        classes.push(refused.class.clone());
    }
    classes.sort_unstable();
    classes.dedup();
    let finished = workspace.clock.now();
    let is_accepted = classes.is_empty();
    let ttl = decision.policy.filter(|_| is_accepted).map_or(0, |policy| policy.ttl_seconds);
    let relative: PathBuf = path.strip_prefix(&workspace.root).unwrap_or(path).to_owned();
    Ok(InstructionWitness {
        schema: 1,
        witness_kind: INSTRUCTION_WITNESS_KIND.to_owned(),
        instruction_id: id.to_owned(),
        instruction_ref: PermitLedger::reference(id),
        envelope_path: shown(&relative),
        instruction_digest: envelope.digest.as_str().to_owned(),
        classification: decision.classification.clone(),
        intent: Json(envelope.intent.clone()),
        scope: Json(envelope.scope.clone()),
        normalizer_id: envelope.normalizer_id.clone(),
        policy_id: decision.policy.map(|policy| policy.id.clone()),
        policy_digest: envelope.policy_digest.clone(),
        capability_claims: if is_accepted { decision.granted.clone() } else { Vec::new() },
        required_checks: envelope.requested_checks.clone(),
        executed_checks: executed,
        verdict_class: if is_accepted { "accepted" } else { "rejected" }.to_owned(),
        failure_classes: classes,
        results,
        join_witness_ref: join.and_then(Result::ok),
        authority: workspace.door.actor().unwrap_or_else(|| "operator".to_owned()),
        started_at: format_time(to_millis(started)),
        finished_at: format_time(to_millis(finished)),
        expires_at: format_time(to_millis(finished.plus_seconds(i64::try_from(ttl).unwrap_or(i64::MAX)))),
    })
}

/// The turn in which the checks ran, closed: its witness.
fn join(
    workspace: &Workspace,
    id: &str,
    envelope: &Envelope,
    decision: &Decision<'_>,
    results: &[InstructionCheckResult],
) -> Result<Option<Result<String, RunRefused>>, ActionError> {
    let Some(policy) = decision.policy else { return Ok(None) };
    let bytes = serde_json::to_vec(results).map_err(|source| ActionError::Unwritable { source })?;
    let turn = HarnessTurn::of(&HarnessCall {
        model_ref: "harness:instruction",
        call_id: id,
        action: "instruction.run",
        args: &envelope.digest,
        result: &Digest::of_bytes(&bytes),
        intent: None,
        policy: &policy.document,
        policy_digest: &policy.digest,
        claims: &[],
        refs: &[PermitLedger::reference(id)],
        pin: None,
        verified: None,
    })?;
    let witness = turn.witness(workspace)?;
    Ok(Some(turn.refusal().map_or(Ok(witness), Err)))
}
