//! `harness.feature.*`: the feature ledger, written row by row and checked as a whole.

use std::path::Path;
use std::sync::Arc;

use premath_bd::{FeatureChange, FeatureLedgerStore, Ledger, StoreError};
use premath_kernel::{Closure, FeatureStatus, LedgerClass, Value};
use premath_wire::Canonical;
use premath_wire::v1::{
    FeatureAnswer, FeatureCheckAnswer, FeatureNextAnswer, FeatureReason, FeatureWriteAnswer, RefusedAnswer,
    RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, token, told};
use super::lane_path::lane_checked;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

const LANE: &str = "harness_feature_ledger.json";

/// What `harness.feature.write` takes. Absent keeps, blank clears, a list replaces the list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteArgs {
    /// The ledger; that of the repository when absent.
    path: Option<String>,
    /// The feature.
    feature_id: String,
    /// `pending`, `in_progress`, `blocked` or `completed`; completed needs a verification ref.
    status: String,
    /// The issue it belongs to.
    issue_id: Option<String>,
    /// What it is, in a line.
    summary: Option<String>,
    /// The session that works on it.
    session_ref: Option<String>,
    /// Instructions it was worked on under.
    instruction_refs: Option<Vec<String>>,
    /// What shows that it is done.
    verification_refs: Option<Vec<String>>,
}

/// What `harness.feature.read` and `harness.feature.next` take.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReadArgs {
    /// The ledger; that of the repository when absent.
    path: Option<String>,
}

/// What `harness.feature.check` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct CheckArgs {
    /// The ledger; that of the repository when absent.
    path: Option<String>,
    /// Whether features that are not done are a problem.
    require_closure: bool,
}

/// `harness.feature.write`
pub(crate) fn write(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WriteArgs = arguments(args)?;
    let status = token(&args.status, "status", &FeatureStatus::ALL, FeatureStatus::token)?;
    if let Some(path) = told(args.path.as_deref()) {
        lane_checked(host.workspace, "harness.feature.write", Path::new(path))?;
    }
    if let Some(refused) = shut(host, "harness.feature.write")? {
        return Ok(refused);
    }
    let store = store(host, args.path.as_deref());
    let change = FeatureChange {
        feature_id: args.feature_id,
        status,
        issue_id: args.issue_id,
        summary: args.summary,
        session_ref: args.session_ref,
        instruction_refs: args.instruction_refs,
        verification_refs: args.verification_refs,
    };
    let written = store.write(&change, host.workspace.clock.as_ref()).map_err(from_store)?;
    let state = State::of(written.ledger.as_ref());
    let mut answer = Answer::new(
        result(&written.refused),
        &FeatureWriteAnswer {
            action: "harness.feature.write".to_owned(),
            feature_ledger_ref: shown(store.path()),
            result: result(&written.refused).to_owned(),
            failure_classes: classes(&written.refused),
            reasons: reasons(&written.refused),
            feature: Canonical(written.row),
            next_feature_id: state.next,
            feature_closure_complete: state.is_closed,
            feature_count: state.count,
        },
    )?;
    answer.failure_classes = classes(&written.refused);
    Ok(answer)
}

/// `harness.feature.read`
pub(crate) fn read(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ReadArgs = arguments(args)?;
    let store = store(host, args.path.as_deref());
    let ledger = store.read()?;
    let state = State::of(Some(&ledger));
    Answer::new(
        "ok",
        &FeatureAnswer {
            action: "harness.feature.read".to_owned(),
            feature_ledger_ref: shown(store.path()),
            next_feature_id: state.next,
            feature_closure_complete: state.is_closed,
            feature_count: state.count,
            ledger: Canonical(ledger.whole),
        },
    )
}

/// `harness.feature.next`
pub(crate) fn next(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ReadArgs = arguments(args)?;
    let store = store(host, args.path.as_deref());
    let ledger = store.read()?;
    let state = State::of(Some(&ledger));
    let feature = ledger.next().and_then(|id| ledger.row(id)).map(|row| Canonical(row.borrowed()));
    Answer::new(
        "ok",
        &FeatureNextAnswer {
            action: "harness.feature.next".to_owned(),
            feature_ledger_ref: shown(store.path()),
            next_feature_id: state.next,
            feature,
            feature_closure_complete: state.is_closed,
            feature_count: state.count,
        },
    )
}

/// `harness.feature.check`
pub(crate) fn check(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: CheckArgs = arguments(args)?;
    let store = store(host, args.path.as_deref());
    let ledger = store.read()?;
    let closure = if args.require_closure { Closure::Required } else { Closure::NotRequired };
    let problems = ledger.problems(closure);
    let state = State::of(Some(&ledger));
    let mut answer = Answer::new(
        result(&problems),
        &FeatureCheckAnswer {
            action: "harness.feature.check".to_owned(),
            feature_ledger_ref: shown(store.path()),
            result: result(&problems).to_owned(),
            require_closure: args.require_closure,
            failure_classes: classes(&problems),
            reasons: reasons(&problems),
            next_feature_id: state.next,
            feature_closure_complete: state.is_closed,
            feature_count: state.count,
        },
    )?;
    answer.failure_classes = classes(&problems);
    Ok(answer)
}

/// What every answer says of the ledger.
struct State {
    next: Option<String>,
    is_closed: bool,
    count: u64,
}

impl State {
    fn of(ledger: Option<&Ledger>) -> Self {
        Self {
            next: ledger.and_then(|ledger| ledger.next().map(str::to_owned)),
            is_closed: ledger.is_some_and(Ledger::is_closed),
            count: ledger.map_or(0, |ledger| count(ledger.document.features.len())),
        }
    }
}

fn store(host: &Host<'_>, named: Option<&str>) -> FeatureLedgerStore {
    FeatureLedgerStore::new(Arc::clone(&host.workspace.disk), host.workspace.lane(told(named), LANE))
}

type Problem = (LedgerClass, String);

const fn result(problems: &[Problem]) -> &'static str {
    if problems.is_empty() { "accepted" } else { "rejected" }
}

fn classes(problems: &[Problem]) -> Vec<String> {
    let mut classes: Vec<String> = problems.iter().map(|(class, _)| class.code().to_owned()).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

fn reasons(problems: &[Problem]) -> Vec<FeatureReason> {
    let reason = |(class, subject): &Problem| FeatureReason {
        class: class.code().to_owned(),
        subject: subject.clone(),
    };
    problems.iter().map(reason).collect()
}

/// The refusal of a door that lets this call record nothing. Lanes are nobody's authority, so any permit will do.
pub(super) fn shut(host: &Host<'_>, action: &str) -> Result<Option<Answer>, ActionError> {
    let Err(refusal) = host.workspace.door.permit(action) else { return Ok(None) };
    let answer = RefusedAnswer {
        action: action.to_owned(),
        issues_path: shown(&host.workspace.issues_path(None)),
        refused: RefusedBecause {
            class: refusal.class.to_owned(),
            detail: refusal.detail,
            hint: refusal.hint,
        },
    };
    Answer::refused(refusal.class, &answer).map(Some)
}

/// What was handed in wrong is the caller's to mend, not the store's.
pub(super) fn from_store(error: StoreError) -> ActionError {
    if let StoreError::Input(error) = error { ActionError::Input(error) } else { ActionError::Store(error) }
}
