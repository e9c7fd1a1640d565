//! `harness.stop`: the handoff for whoever goes on, the lease given back, the row of a step that was not finished.

use premath_bd::{NewStep, SessionChange, StoreError};
use premath_kernel::Value;
use premath_tusk::session::{HandoffState, HeldIssue, StepEvent, handoff_ref};
use premath_wire::v1::{SessionState, StopAnswer, WorkEventRow};

use super::beginning::{Booted, begin, refuse};
use super::bench::Bench;
use super::place::Place;
use super::request::{WorkRequest, WorkWishes};
use crate::actions::issue_snapshot;
use crate::agent::RunRefused as Refused;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// `harness.stop`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let request = WorkRequest::read(args)?;
    let place = Place::of(host.workspace, request.worker_id.as_deref())?;
    let _lock = place.enter(host.workspace)?;
    if let Err(StoreError::Missing { .. }) = place.session(host.workspace).read() {
        let hint = "`premath boot` begins one".to_owned();
        let detail = format!("there is no session at `{}`", shown(place.session(host.workspace).path()));
        let class = "session_missing".to_owned();
        return refuse("harness.stop", host.workspace, Refused { class, detail, hint });
    }
    // A stop looks at nothing but what it gives back.
    let request = WorkRequest { verify: None, ..request };
    match begin(host, &request, &place)? {
        Ok(Booted { boot, retry, lease: Some(lease), .. }) => {
            let mut watch = |_: &WorkEventRow| {};
            let bench =
                Bench::new(host, (&request, place), (retry, lease), (WorkWishes::default(), &mut watch))?;
            let given_back = match &boot.resumes {
                Some(issue_id) => bench.give_back(issue_id)?,
                None => None,
            };
            bench.stopped(given_back)
        }
        Ok(Booted { boot, .. }) => {
            let class = boot.refused.first().cloned().unwrap_or_default();
            let hint = "`premath dep diagnostics` says what is wrong".to_owned();
            let detail = "the graph of open issues is broken".to_owned();
            refuse("harness.stop", host.workspace, Refused { class, detail, hint })
        }
        Err(refused) => refuse("harness.stop", host.workspace, refused),
    }
}

/// What a stop gave back.
#[derive(Debug)]
struct GivenBack {
    issue_id: String,
    step_id: String,
    handoff_ref: String,
}

impl Bench<'_> {
    /// Gives an issue back that nobody works on any more, and puts the step on record that was not finished.
    fn give_back(&self, issue_id: &str) -> Result<Option<GivenBack>, ActionError> {
        let Some(row) = self.look(issue_id)? else { return Ok(None) };
        let Some(lease) = row.lease().filter(|lease| lease.owner == self.place.worker) else {
            return Ok(None);
        };
        let held = HeldIssue {
            issue_id: issue_id.to_owned(),
            title: row.text("title").unwrap_or_default().to_owned(),
            fence: lease.fence,
            rev: row.rev(),
            is_escalation: false,
        };
        let StepEvent::Released = self.release(&held)? else { return Ok(None) };
        let step_id = format!("{}.{issue_id}.{}-0", self.place.worker, lease.fence);
        let handoff_ref = handoff_ref(issue_id, HandoffState::Released, &step_id, lease.fence);
        let step = NewStep {
            step_id: step_id.clone(),
            action: "harness.stop".to_owned(),
            result_class: "stopped".to_owned(),
            issue_id: Some(issue_id.to_owned()),
            next_step: Some(format!("claim {issue_id} again")),
            instruction_refs: vec![self.lease.instruction_ref().to_owned()],
            witness_refs: vec![handoff_ref.clone()],
            ..NewStep::default()
        };
        let workspace = self.workspace();
        self.place.trajectory(workspace).append(&step, workspace.clock.as_ref())?;
        Ok(Some(GivenBack { issue_id: issue_id.to_owned(), step_id, handoff_ref }))
    }

    fn stopped(&self, given_back: Option<GivenBack>) -> Result<Answer, ActionError> {
        let next_step = match &given_back {
            Some(given) => format!("claim {} again", given.issue_id),
            None => "take an issue".to_owned(),
        };
        let session_id =
            self.hand_on(&next_step, given_back.as_ref().map(|given| given.handoff_ref.clone()))?;
        Answer::new(
            "accepted",
            &StopAnswer {
                action: "harness.stop".to_owned(),
                worker_id: self.place.is_named.then(|| self.place.worker.clone()),
                session_ref: shown(self.place.session(self.workspace()).path()),
                session_id,
                released_issue_id: given_back.as_ref().map(|given| given.issue_id.clone()),
                step_id: given_back.as_ref().map(|given| given.step_id.clone()),
                handoff_ref: given_back.map(|given| given.handoff_ref),
                next_step,
            },
        )
    }

    /// Writes the handoff: the session is stopped, and notes what issue memory holds now.
    pub(super) fn hand_on(&self, next_step: &str, handoff: Option<String>) -> Result<String, ActionError> {
        let workspace = self.workspace();
        let change = SessionChange {
            state: Some(SessionState::Stopped),
            next_step: Some(next_step.to_owned()),
            instruction_refs: Some(vec![self.lease.instruction_ref().to_owned()]),
            witness_refs: handoff.map(|handoff| vec![handoff]),
            ..SessionChange::default()
        };
        let issues = &workspace.settings.issues_path.value;
        let snapshot = |path: &str| issue_snapshot(self.host, &workspace.root.join(path));
        let written =
            self.place.session(workspace).write(&change, issues, workspace.clock.as_ref(), snapshot)?;
        Ok(written.document.session_id)
    }
}
