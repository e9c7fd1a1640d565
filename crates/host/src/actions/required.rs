//! `required.*`: the checks that a range of commits asks for, step by step and all at once.

use premath_kernel::Value;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{
    CheckOutcome, RefusedAnswer, RefusedBecause, RequiredDecisionAnswer, RequiredDeltaAnswer,
    RequiredGateAnswer, RequiredProjectionAnswer, RequiredRunAnswer, RequiredVerdict, RequiredVerified,
    RequiredWitnessAnswer, VerdictClass,
};
use premath_wire::{UnknownFields, decode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use crate::artifacts::read_artifact;
use crate::required::{
    Expected, LATEST_DECISION, LATEST_WITNESS, Range, RequiredClass, RequiredRefusal, Stop, decide, delta,
    gate_ref_of, kept_outcome, load_policy, project, verify_decision, verify_witness, witness,
};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// What actions over a range take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RangeArgs {
    /// The commit before the changes.
    from: String,
    /// The commit with the changes.
    to: String,
    /// The policy, by name; the only one there is when nothing is said.
    policy: Option<String>,
}

impl RangeArgs {
    fn range(&self) -> Range<'_> {
        Range { from: &self.from, to: &self.to }
    }

    fn policy(&self) -> Option<&str> {
        told(self.policy.as_deref())
    }
}

/// What `required.delta` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DeltaArgs {
    /// The commit before the changes.
    from: String,
    /// The commit with the changes.
    to: String,
}

/// What actions over a witness take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WitnessArgs {
    /// The witness, from the root of the repository.
    path: Option<String>,
    /// The range it must be about.
    from: Option<String>,
    /// The commit with the changes.
    to: Option<String>,
}

/// What `required.decision.verify` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct DecisionArgs {
    /// The decision, from the root of the repository.
    path: Option<String>,
    /// The witness it is about.
    witness: Option<String>,
    /// The range they must be about.
    from: Option<String>,
    /// The commit with the changes.
    to: Option<String>,
}

/// What `required.gate_ref` takes: a check of the latest witness, or a document.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct GateArgs {
    /// A check of the witness.
    check: Option<String>,
    /// The witness, from the root of the repository.
    path: Option<String>,
    /// The file of an outcome.
    outcome: Option<String>,
}

/// `required.delta`
pub(crate) fn delta_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "required.delta";
    let args: DeltaArgs = arguments(args)?;
    let found = delta(host, Range { from: &args.from, to: &args.to });
    answered(host, ACTION, found, |delta| {
        Answer::new("ok", &RequiredDeltaAnswer { action: ACTION.to_owned(), delta })
    })
}

/// `required.projection`
pub(crate) fn projection_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "required.projection";
    let args: RangeArgs = arguments(args)?;
    let found = load_policy(host.workspace, args.policy())
        .and_then(|policy| delta(host, args.range()).map(|delta| project(&policy, &delta)));
    answered(host, ACTION, found, |projection| {
        Answer::new("ok", &RequiredProjectionAnswer { action: ACTION.to_owned(), projection })
    })
}

/// `required.witness`
pub(crate) fn witness_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "required.witness";
    let args: RangeArgs = arguments(args)?;
    answered(host, ACTION, witness(host, args.range(), args.policy()), |made| {
        let class = match made.witness.verdict_class {
            VerdictClass::Accepted => "accepted",
            VerdictClass::Rejected => "rejected",
        };
        let refs: Vec<String> = made.witness.results.iter().map(|row| row.gate_ref.clone()).collect();
        let classes = made.witness.failure_classes.clone();
        let payload = RequiredWitnessAnswer {
            action: ACTION.to_owned(),
            witness_path: made.path,
            witness_digest: made.digest.as_str().to_owned(),
            witness: made.witness,
        };
        let mut answer = Answer::new(class, &payload)?;
        (answer.witness_refs, answer.failure_classes) = (refs, classes);
        Ok(answer)
    })
}

/// `required.gate_ref`
pub(crate) fn gate_ref_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "required.gate_ref";
    let args: GateArgs = arguments(args)?;
    let found = match (told(args.check.as_deref()), told(args.outcome.as_deref())) {
        (Some(check), None) => of_check(host, told(args.path.as_deref()), check),
        (None, Some(file)) => of_file(host, file).map_err(Stop::Failed),
        (Some(_), Some(_)) | (None, None) => {
            return Err(invalid("name a check of the witness or the file of an outcome", "check").into());
        }
    };
    answered(host, ACTION, found, |outcome| {
        let gate_ref = gate_ref_of(&outcome)?;
        let mut answer = Answer::new(
            "ok",
            &RequiredGateAnswer { action: ACTION.to_owned(), gate_ref: gate_ref.clone(), outcome },
        )?;
        answer.witness_refs.push(gate_ref);
        Ok(answer)
    })
}

fn of_check(host: &Host<'_>, path: Option<&str>, check: &str) -> Result<CheckOutcome, Stop> {
    let path = path.unwrap_or(LATEST_WITNESS);
    let verified = verify_witness(host, path, Expected::default())?;
    let Some(witness) = verified.witness else {
        let class = if verified.digest.is_none() {
            RequiredClass::WitnessMissing
        } else {
            RequiredClass::WitnessInvalid
        };
        return Err(class.refuse(format!("`{path}` is no witness"), "`premath required-witness` writes one"));
    };
    let row = witness.results.iter().find(|row| row.check_id == check).ok_or_else(|| {
        let detail =
            format!("`{}` is none of [{}]", check.escape_debug(), witness.executed_checks.join(", "));
        RequiredClass::GateMissing.refuse(detail, "name a check that was run")
    })?;
    kept_outcome(host.workspace, &row.gate_ref)
}

fn of_file(host: &Host<'_>, file: &str) -> Result<CheckOutcome, ActionError> {
    let path = std::path::PathBuf::from(file);
    let bytes = read_artifact(host.workspace, &path)?
        .ok_or_else(|| premath_bd::StoreError::Missing { path: path.clone() })?;
    Ok(decode(&parse(&bytes, Limits::default())?, UnknownFields::Refuse)?)
}

/// `required.witness.verify`
pub(crate) fn verify_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WitnessArgs = arguments(args)?;
    let path = told(args.path.as_deref()).unwrap_or(LATEST_WITNESS);
    let expected = Expected { from: told(args.from.as_deref()), to: told(args.to.as_deref()) };
    let verified = verify_witness(host, path, expected)?;
    verified_answer(RequiredVerified {
        action: "required.witness.verify".to_owned(),
        path: path.to_owned(),
        digest: verified.digest.map(|digest| digest.as_str().to_owned()),
        ok: verified.reasons.is_empty(),
        decision: None,
        reasons: verified.reasons,
    })
}

/// `required.decision.verify`
pub(crate) fn verify_decision_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: DecisionArgs = arguments(args)?;
    let path = told(args.path.as_deref()).unwrap_or(LATEST_DECISION);
    let witness = told(args.witness.as_deref()).unwrap_or(LATEST_WITNESS);
    let expected = Expected { from: told(args.from.as_deref()), to: told(args.to.as_deref()) };
    verified_answer(verify_decision(host, path, witness, expected)?)
}

fn verified_answer(verified: RequiredVerified) -> Result<Answer, ActionError> {
    let mut answer = Answer::new(if verified.ok { "accepted" } else { "rejected" }, &verified)?;
    answer.failure_classes = verified.reasons.into_iter().map(|reason| reason.class).collect();
    answer.failure_classes.dedup();
    Ok(answer)
}

/// `required.witness.decide`
pub(crate) fn decide_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WitnessArgs = arguments(args)?;
    let path = told(args.path.as_deref()).unwrap_or(LATEST_WITNESS);
    let expected = Expected { from: told(args.from.as_deref()), to: told(args.to.as_deref()) };
    let made = decide(host, path, expected)?;
    let classes = made.decision.reasons.iter().map(|reason| reason.class.clone()).collect();
    let verdict = made.decision.decision;
    let payload = RequiredDecisionAnswer {
        action: "required.witness.decide".to_owned(),
        decision_path: made.path,
        decision: made.decision,
    };
    decided(verdict, classes, &payload)
}

/// `required.run`
pub(crate) fn run_action(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "required.run";
    let args: RangeArgs = arguments(args)?;
    answered(host, ACTION, witness(host, args.range(), args.policy()), |made| {
        let expected = Expected { from: Some(&args.from), to: Some(&args.to) };
        let decision = decide(host, &made.path, expected)?;
        let classes = decision.decision.reasons.iter().map(|reason| reason.class.clone()).collect();
        let verdict = decision.decision.decision;
        let payload = RequiredRunAnswer {
            action: ACTION.to_owned(),
            changed_path_count: count(made.delta.changed_paths.len()),
            projection: made.projection,
            witness_path: made.path,
            witness: made.witness,
            decision_path: decision.path,
            decision: decision.decision,
        };
        decided(verdict, classes, &payload)
    })
}

fn decided(
    verdict: RequiredVerdict,
    mut classes: Vec<String>,
    payload: &impl serde::Serialize,
) -> Result<Answer, ActionError> {
    let class = match verdict {
        RequiredVerdict::Accept => "accepted",
        RequiredVerdict::Reject => "rejected",
    };
    classes.dedup();
    let mut answer = Answer::new(class, payload)?;
    answer.failure_classes = classes;
    Ok(answer)
}

/// An answer; or the refusal as one.
fn answered<T>(
    host: &Host<'_>,
    action: &str,
    found: Result<T, Stop>,
    answer: impl FnOnce(T) -> Result<Answer, ActionError>,
) -> Result<Answer, ActionError> {
    match found {
        Ok(found) => answer(found),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Refused(refusal)) => refused(host, action, refusal),
    }
}

fn refused(host: &Host<'_>, action: &str, refusal: RequiredRefusal) -> Result<Answer, ActionError> {
    let class = refusal.class.code();
    let refused = RefusedBecause { class: class.to_owned(), detail: refusal.detail, hint: refusal.hint };
    let issues_path = shown(&host.workspace.issues_path(None));
    Answer::refused(class, &RefusedAnswer { action: action.to_owned(), issues_path, refused })
}
