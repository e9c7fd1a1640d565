//! `harness.boot`: one working session, begun from what is on the disk.
//!
//! Memory roots, the graph of open issues, the handoff before, the next target, a verification of how things stand, and the
//! instruction that work is taken under. It must not take work.

use premath_bd::issues::{FileIssues, IssueRow, IssueStore as _, Limit};
use premath_bd::{Access, SessionChange, StoreError};
use premath_kernel::{Object, Value};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::{Boot, BootFacts, Checked, Handoff, boot};
use premath_wire::v1::{
    BootAnswer, BootHandoff, MemoryRoot, RefusedAnswer, RefusedBecause, SessionDocument, SessionState,
    WorkCheck,
};

use super::bench::{LEASE_ACTIONS, lease_instruction, worktree};
use super::command::{Line, Purpose, run};
use super::evidence::Evidence;
use super::place::Place;
use super::request::WorkRequest;
use super::retry_policy::{self, RetryPolicy};
use super::workable::takeable;
use crate::actions::dep_graph;
use crate::actions::issue_snapshot;
use crate::agent::RunRefused as Refused;
use crate::authority::{Linked, link};
use crate::governance::beginning_refusal;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{Workspace, shown};

/// A session that was begun.
#[derive(Debug)]
pub(super) struct Booted {
    pub(super) boot: Boot,
    pub(super) answer: BootAnswer,
    pub(super) retry: RetryPolicy,
    /// None where no work may begin.
    pub(super) lease: Option<Linked>,
    pub(super) baseline: Option<Checked>,
    /// The session as it was before.
    pub(super) before: Option<SessionDocument>,
}

/// `harness.boot`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let request = WorkRequest::read_in(host.workspace, args)?;
    let place = Place::of(host.workspace, request.worker_id.as_deref())?;
    request.ready(host)?;
    if let Some(refused) = request.contradiction().or_else(|| request.baseline_missing(host.workspace)) {
        return refuse("harness.boot", host.workspace, refused);
    }
    match begin(host, &request, &place)? {
        Ok(booted) if booted.boot.refused.is_empty() => Answer::new("accepted", &booted.answer),
        Ok(booted) => {
            let mut answer = Answer::new("rejected", &booted.answer)?;
            answer.failure_classes = booted.boot.refused;
            Ok(answer)
        }
        Err(refused) => refuse("harness.boot", host.workspace, refused),
    }
}

/// A refusal as these actions answer it.
pub(super) fn refuse(action: &str, workspace: &Workspace, refused: Refused) -> Result<Answer, ActionError> {
    let answer = RefusedAnswer {
        action: action.to_owned(),
        issues_path: shown(&workspace.issues_path(None)),
        refused: RefusedBecause { class: refused.class.clone(), detail: refused.detail, hint: refused.hint },
    };
    Answer::refused(&refused.class, &answer)
}

/// Begins a session. Whoever goes on to work has said before how things stand; a stop only gives back.
pub(super) fn begin(
    host: &Host<'_>,
    request: &WorkRequest,
    place: &Place,
) -> Result<Result<Booted, Refused>, ActionError> {
    let workspace = host.workspace;
    if let Some(refused) = request.unknown_issue(workspace)? {
        return Ok(Err(refused));
    }
    let retry = match retry_policy::load(workspace)? {
        Ok(retry) => retry,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Some(refused) = beginning_refusal(workspace)? {
        return Ok(Err(refused));
    }
    let scope = Object::fields().field("graphScope", "active").finish();
    let graph_classes = dep_graph::diagnostics(host, &scope)?.failure_classes;
    let before = match place.session(workspace).read() {
        Err(StoreError::Missing { .. }) => None,
        session => Some(session?.document),
    };
    let Targets { own_issue, first_ready, ready } = targets(workspace, &place.worker)?;
    let active = request.active_issue(workspace, place, &ready);
    let may_begin = graph_classes.is_empty();
    let baseline = if may_begin { baseline(host, request)? } else { None };
    let facts = BootFacts {
        graph_classes,
        handoff: before.as_ref().map(|before| handoff(host, before)).transpose()?,
        own_issue,
        first_ready,
        baseline,
    };
    let boot = boot(&facts);
    let lease = match may_begin.then(|| instruction(host, request, place, before.as_ref())).transpose()? {
        Some(Err(refused)) => return Ok(Err(refused)),
        Some(Ok(lease)) => Some(lease),
        None => None,
    };
    let session_id = enter(host, place, lease.as_ref(), before.as_ref())?;
    let mut answer =
        answer(host, place, (&facts, &boot, before.as_ref()), &retry, lease.as_ref(), session_id);
    match active {
        Ok(issue_id) => answer.active_issue_id = Some(issue_id),
        Err(refused) => answer.active_issue_class = Some(refused.class),
    }
    Ok(Ok(Booted { boot, answer, retry, lease, baseline: facts.baseline, before }))
}

/// What there is to work on.
struct Targets {
    /// The issue that this worker holds still.
    own_issue: Option<String>,
    /// The one that would be taken next.
    first_ready: Option<String>,
    /// The first two that are ready: enough to know whether there is only one.
    ready: Vec<String>,
}

fn targets(workspace: &Workspace, worker: &str) -> Result<Targets, ActionError> {
    let disk = std::sync::Arc::clone(&workspace.disk);
    let store = FileIssues::new(disk, workspace.issues_path(None));
    let now = workspace.clock.now();
    let view = store.view()?;
    let graph = view.graph()?;
    let mut own = None;
    for (facts, place) in graph.facts.iter().zip(&graph.rows) {
        if facts.lease_until.is_none() {
            continue;
        }
        let lease = IssueRow::read(&view.line(*place)?).and_then(|row| row.lease());
        if lease.is_some_and(|lease| lease.owner == worker) {
            own = Some(facts.id.clone());
            break;
        }
    }
    let first_ready = takeable(view.as_ref(), worker, now)?;
    let mut ready = Vec::new();
    for place in view.ready(Limit::First(2))? {
        ready.extend(IssueRow::read(&view.line(place)?).map(|row| row.id().to_owned()));
    }
    Ok(Targets { own_issue: own, first_ready, ready })
}

/// How things stand before any work.
fn baseline(host: &Host<'_>, request: &WorkRequest) -> Result<Option<Checked>, ActionError> {
    let Some(verify) = request.verify.as_ref().filter(|_| !request.verifies_base) else { return Ok(None) };
    let line = Line {
        purpose: Purpose::Verify,
        text: verify,
        folder: worktree(host.workspace, request),
        environment: Vec::new(),
        limit: request.verify_limit,
        tree: None,
    };
    run(host, &Evidence::new(host.workspace), &line, &Interrupt::default()).map(Some)
}

fn handoff(host: &Host<'_>, before: &SessionDocument) -> Result<Handoff, ActionError> {
    let snapshot_matches = match (&before.issues_path, &before.issues_snapshot_ref) {
        (Some(path), Some(noted)) => {
            let now = issue_snapshot(host, &host.workspace.root.join(path))?;
            Some(now.as_ref() == Some(noted))
        }
        (None, _) | (_, None) => None,
    };
    Ok(Handoff {
        session_id: before.session_id.clone(),
        is_stopped: before.state == SessionState::Stopped,
        issue_id: before.issue_id.clone(),
        next_step: before.next_step.clone(),
        snapshot_matches,
    })
}

/// The instruction that was named; else that of the session before, while it is good for taking work; else a new one.
fn instruction(
    host: &Host<'_>,
    request: &WorkRequest,
    place: &Place,
    before: Option<&SessionDocument>,
) -> Result<Result<Linked, Refused>, ActionError> {
    if let Some(named) = &request.instruction {
        return link(host.workspace, named);
    }
    for reference in before.iter().flat_map(|before| &before.instruction_refs) {
        if let Ok(linked) = link(host.workspace, reference)?
            && LEASE_ACTIONS.iter().all(|action| linked.covers(action, None).is_ok())
        {
            return Ok(Ok(linked));
        }
    }
    lease_instruction(host, &place.worker)
}

/// Says that somebody works in the session.
fn enter(
    host: &Host<'_>,
    place: &Place,
    lease: Option<&Linked>,
    before: Option<&SessionDocument>,
) -> Result<String, ActionError> {
    let workspace = host.workspace;
    let Some(lease) = lease else {
        return Ok(before.map(|before| before.session_id.clone()).unwrap_or_default());
    };
    let change = SessionChange {
        state: Some(SessionState::Active),
        instruction_refs: Some(vec![lease.instruction_ref().to_owned()]),
        next_step: Some("take an issue".to_owned()),
        ..SessionChange::default()
    };
    let issues = &workspace.settings.issues_path.value;
    let written = place
        .session(workspace)
        .write(&change, issues, workspace.clock.as_ref(), |_| Ok::<_, ActionError>(None))?;
    Ok(written.document.session_id)
}

fn answer(
    host: &Host<'_>,
    place: &Place,
    (facts, boot, before): (&BootFacts, &Boot, Option<&SessionDocument>),
    retry: &RetryPolicy,
    lease: Option<&Linked>,
    session_id: String,
) -> BootAnswer {
    let workspace = host.workspace;
    let left = facts.handoff.as_ref().map(|handoff| BootHandoff {
        session_id: handoff.session_id.clone(),
        stopped: handoff.is_stopped,
        issue_id: handoff.issue_id.clone(),
        summary: before.and_then(|before| before.summary.clone()),
        next_step: handoff.next_step.clone(),
        snapshot_matches: handoff.snapshot_matches,
    });
    BootAnswer {
        action: "harness.boot".to_owned(),
        worker_id: place.is_named.then(|| place.worker.clone()),
        mode: boot.mode.token().to_owned(),
        session_ref: shown(place.session(workspace).path()),
        session_id,
        memory_roots: roots(workspace, place),
        graph_classes: boot.refused.clone(),
        handoff: left,
        resume_issue_id: boot.resumes.clone(),
        target_issue_id: boot.target.clone(),
        active_issue_id: None,
        active_issue_class: None,
        baseline: facts.baseline.as_ref().map(check),
        retry_policy_digest: retry.digest.as_str().to_owned(),
        instruction_ref: lease.map(|lease| lease.instruction_ref().to_owned()),
    }
}

/// What a command came to, as answers say it.
pub(super) fn check(checked: &Checked) -> WorkCheck {
    WorkCheck {
        passed: checked.is_passed(),
        failure_classes: checked.classes.clone(),
        evidence_ref: checked.evidence.as_str().to_owned(),
    }
}

fn roots(workspace: &Workspace, place: &Place) -> Vec<MemoryRoot> {
    let root = &workspace.root;
    let all = [
        ("issues", workspace.issues_path(None)),
        ("session", place.session(workspace).path().to_owned()),
        ("feature_ledger", place.ledger(workspace).path().to_owned()),
        ("trajectory", place.trajectory(workspace).path().to_owned()),
        ("ciwitness", root.join("artifacts/ciwitness")),
        ("observation", root.join("artifacts/observation/latest.json")),
    ];
    let is_there = |path: &std::path::Path| {
        workspace.disk.open(path, Access::Read).is_ok() || workspace.disk.list(path).is_ok()
    };
    all.into_iter()
        .map(|(name, path)| MemoryRoot {
            name: name.to_owned(),
            present: is_there(&path),
            path: shown(&path),
        })
        .collect()
}
