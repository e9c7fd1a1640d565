//! `harness.session.*`: the handoff from one process to the next.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{FeatureLedgerStore, Ledger, Session, SessionChange, SessionStore, StoreError};
use premath_kernel::Value;
use premath_wire::Canonical;
use premath_wire::v1::{
    BOOTSTRAP_KIND, BootstrapAnswer, BootstrapMode, SessionAnswer, SessionDocument, SessionState,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::harness_feature::shut;
use super::issue::{arguments, count, token, told};
use super::lane_path::lane_checked;
use crate::actions::issue_snapshot;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

const LANE: &str = "harness_session.json";
const LEDGER: &str = "harness_feature_ledger.json";

/// What `harness.session.write` takes. Absent keeps, blank clears, a list replaces the list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WriteArgs {
    /// The session file; that of the repository when absent.
    path: Option<String>,
    /// `active` or `stopped`.
    state: Option<String>,
    /// What to call the session; made up when it has none.
    session_id: Option<String>,
    /// The issue that is worked on.
    issue_id: Option<String>,
    /// What was done.
    summary: Option<String>,
    /// What to do next.
    next_step: Option<String>,
    /// Instructions it worked under.
    instruction_refs: Option<Vec<String>>,
    /// Witnesses of what was done.
    witness_refs: Option<Vec<String>>,
    /// What it came from.
    lineage_refs: Option<Vec<String>>,
    /// Begins at the root, as it is noted: whoever reads it stands elsewhere.
    issues: Option<String>,
}

/// What `harness.session.read` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReadArgs {
    /// The session file; that of the repository when absent.
    path: Option<String>,
}

/// What `harness.session.bootstrap` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct BootstrapArgs {
    /// The session file; that of the repository when absent.
    path: Option<String>,
    /// The feature ledger, when it is not the one beside the session.
    feature_ledger: Option<String>,
}

/// `harness.session.write`
pub(crate) fn write(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WriteArgs = arguments(args)?;
    let states = [SessionState::Active, SessionState::Stopped];
    let state =
        args.state.as_deref().map(|state| token(state, "state", &states, SessionState::token)).transpose()?;
    if let Some(path) = told(args.path.as_deref()) {
        lane_checked(host.workspace, "harness.session.write", Path::new(path))?;
    }
    if let Some(refused) = shut(host, "harness.session.write")? {
        return Ok(refused);
    }
    let store = store(host, args.path.as_deref());
    let is_named = told(args.issues.as_deref()).is_some();
    let change = SessionChange {
        state,
        session_id: args.session_id,
        issue_id: args.issue_id,
        summary: args.summary,
        next_step: args.next_step,
        instruction_refs: args.instruction_refs,
        witness_refs: args.witness_refs,
        lineage_refs: args.lineage_refs,
        issues_path: args.issues,
    };
    let workspace = host.workspace;
    let configured = &workspace.settings.issues_path.value;
    let session = store.write(&change, configured, workspace.clock.as_ref(), |path| {
        let path = workspace.root.join(path);
        match issue_snapshot(host, &path)? {
            // A name that is mistyped must not be what the next process begins with.
            None if is_named => Err(ActionError::Store(StoreError::Missing { path })),
            snapshot => Ok(snapshot),
        }
    })?;
    answer("harness.session.write", "accepted", &store, session)
}

/// `harness.session.read`
pub(crate) fn read(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ReadArgs = arguments(args)?;
    let store = store(host, args.path.as_deref());
    let session = store.read()?;
    answer("harness.session.read", "ok", &store, session)
}

/// `harness.session.bootstrap`
pub(crate) fn bootstrap(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: BootstrapArgs = arguments(args)?;
    let store = store(host, args.path.as_deref());
    let session = store.read()?.document;
    let snapshot_matches = snapshot_matches(host, &session)?;
    let named = told(args.feature_ledger.as_deref());
    let ledger_path = named.map_or_else(|| store.path().with_file_name(LEDGER), PathBuf::from);
    let ledger = ledger(host, &ledger_path, named.is_some())?;
    let mode = match session.state {
        SessionState::Stopped => BootstrapMode::Resume,
        SessionState::Active => BootstrapMode::Attach,
    };
    Answer::new(
        "ok",
        &BootstrapAnswer {
            action: "harness.session.bootstrap".to_owned(),
            bootstrap_kind: BOOTSTRAP_KIND.to_owned(),
            session_ref: shown(store.path()),
            session_id: session.session_id,
            mode,
            resume_issue_id: session.issue_id,
            next_step: session.next_step,
            summary: session.summary,
            instruction_refs: session.instruction_refs,
            witness_refs: session.witness_refs,
            lineage_refs: session.lineage_refs,
            issues_path: session.issues_path,
            issues_snapshot_ref: session.issues_snapshot_ref,
            snapshot_matches,
            feature_ledger_ref: ledger.as_ref().map(|_| shown(&ledger_path)),
            next_feature_id: ledger.as_ref().and_then(|ledger| ledger.next().map(str::to_owned)),
            feature_closure_complete: ledger.as_ref().map(Ledger::is_closed),
            feature_count: ledger.as_ref().map(|ledger| count(ledger.document.features.len())),
            started_at: session.started_at,
            updated_at: session.updated_at,
            stopped_at: session.stopped_at,
        },
    )
}

fn store(host: &Host<'_>, named: Option<&str>) -> SessionStore {
    SessionStore::new(Arc::clone(&host.workspace.disk), host.workspace.lane(told(named), LANE))
}

fn answer(action: &str, class: &str, store: &SessionStore, session: Session) -> Result<Answer, ActionError> {
    Answer::new(
        class,
        &SessionAnswer {
            action: action.to_owned(),
            session_ref: shown(store.path()),
            session: Canonical(session.whole),
        },
    )
}

/// Whether issue memory holds what the session noted; issue memory that is gone does not.
fn snapshot_matches(host: &Host<'_>, session: &SessionDocument) -> Result<Option<bool>, ActionError> {
    let (Some(path), Some(noted)) = (&session.issues_path, &session.issues_snapshot_ref) else {
        return Ok(None);
    };
    let now = issue_snapshot(host, &host.workspace.root.join(path))?;
    Ok(Some(now.as_ref() == Some(noted)))
}

/// The ledger; one that nobody named may be missing.
fn ledger(host: &Host<'_>, path: &Path, is_named: bool) -> Result<Option<Ledger>, StoreError> {
    match FeatureLedgerStore::new(Arc::clone(&host.workspace.disk), path.to_owned()).read() {
        Err(StoreError::Missing { .. }) if !is_named => Ok(None),
        read => read.map(Some),
    }
}
