//! Policy over a repository: the governor's decisions, each on record before it is told.
//!
//! What is simply allowed is written without waiting for the disk, since the run's own journal has it durably; everything
//! else is durable in the audit log first. It must not decide: that is the governor's.

use std::collections::BTreeSet;
use std::sync::Arc;

use premath_bd::desk::{Spending, Usage};
use premath_bd::{AuditLog, StoreError, fresh_audit_id};
use premath_kernel::Digest;
use premath_tusk::evidence::CallOutcome;
use premath_tusk::policy::{
    CallJudgement, ControlProfile, Effect, EffectiveScopes, GovernedCall, Governor, Judged, PolicyCode,
    PolicyError, Redaction, RunFacts,
};
use premath_tusk::turn_loop::{BatchRule, PolicyPort, RunConfig};
use premath_wire::Json;
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use super::beginning::dollars_of;
use super::effective;
use super::retention::audited;
use crate::desk_store::{open_desk, publish};
use crate::recording::{anchored, audit_log};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The policy of one run.
#[derive(Debug)]
pub(super) struct HostPolicy {
    workspace: Workspace,
    batches: BatchRule,
    governor: Arc<Governor>,
    facts: RunFacts,
    controls: ControlProfile,
    /// What the run began with and must not use any more.
    withdrawn: BTreeSet<String>,
    log: AuditLog,
}

impl HostPolicy {
    /// The policy that a run is under; none when it is under none.
    ///
    /// Its tools and so its tier are those it began with. Who it works for, what their role may have and what the tier
    /// binds are those of now: a run that waited must not outlive a right.
    pub(super) fn of(
        workspace: &Workspace,
        governor: Arc<Governor>,
        config: &RunConfig,
    ) -> Result<Option<Self>, ActionError> {
        let Some(policy) = &config.policy else { return Ok(None) };
        let tier = policy.tier();
        let facts = RunFacts {
            run_id: config.run_id.clone(),
            issue_id: config.issue_id.clone(),
            principal: effective::principal(workspace),
            risk_tier: tier.token().to_owned(),
        };
        Ok(Some(Self {
            workspace: workspace.clone(),
            batches: BatchRule::of(config),
            governor,
            facts,
            controls: effective::controls(workspace, tier)?,
            withdrawn: effective::withdrawn(workspace, policy),
            log: audit_log(workspace),
        }))
    }

    /// Puts the beginning or the end of the run on record: who it works for, under which rules, and what it came to.
    pub(super) fn record_run(&self, effect: &str) -> Result<(), StoreError> {
        let row = anchored(&self.workspace, self.about_the_run(AuditKind::Run, effect))?;
        self.log.append_lazily(&[row]).map(drop)
    }

    /// What the role of now does not have is denied, whatever rules say of it.
    fn without_withdrawn(&self, calls: &[GovernedCall<'_>], judged: &mut Judged) {
        for (call, judgement) in calls.iter().zip(&mut judged.calls) {
            if self.withdrawn.contains(&call.spec.scope) {
                judgement.effect = Effect::Deny;
                judgement.error = Some(EffectiveScopes::missing(&self.facts.principal, &call.spec.scope));
            }
        }
    }

    fn row(&self, kind: AuditKind, call_id: &str, effect: &str) -> AuditRow {
        let mut row = self.about_the_run(kind, effect);
        row.call_id = Some(call_id.to_owned());
        row
    }

    fn about_the_run(&self, kind: AuditKind, effect: &str) -> AuditRow {
        let at = format_time(to_millis(self.workspace.clock.now()));
        let id = fresh_audit_id(self.workspace.ids.as_ref());
        let mut row = AuditRow::new(id, at, kind, self.facts.principal.id.clone(), effect);
        row.run_id = Some(self.facts.run_id.clone());
        row.issue_id = self.facts.issue_id.clone();
        row.policy_digest = Some(self.governor.rules().digest().as_str().to_owned());
        row
    }

    fn decision(&self, call_id: &str, call: &GovernedCall<'_>, judgement: &CallJudgement) -> AuditRow {
        let mut row = self.row(AuditKind::Decision, call_id, judgement.effect.token());
        row.tool_call_id = Some(judgement.tool_call_id.clone());
        row.tool = Some(call.spec.name.clone());
        row.args_digest = Some(call.arguments_digest.as_str().to_owned());
        row.targets = judgement.targets.iter().map(|target| target.name.clone()).collect();
        if let Some(error) = &judgement.error {
            tell(&mut row, error, &call.arguments_digest);
        }
        row
    }
}

/// Counts the calls of a day where a day has a limit; what is beyond it does not run.
pub(crate) fn within_budget(
    workspace: &Workspace,
    principal: &str,
    judged: &mut Judged,
) -> Result<(), StoreError> {
    let daily = workspace.settings.policy.daily();
    let calls = judged.calls.iter().filter(|call| call.effect != Effect::Deny).count();
    if daily == (None, None) || calls == 0 {
        return Ok(());
    }
    let desk = open_desk(workspace)?;
    let more = Usage { tool_calls: u64::try_from(calls).unwrap_or(u64::MAX), cost_micros: 0 };
    let Spending::Exceeded(used) = desk.spend(principal, more, daily)? else {
        return Ok(());
    };
    publish(workspace, &desk)?;
    for call in judged.calls.iter_mut().filter(|call| call.effect != Effect::Deny) {
        let cost = dollars_of(used.cost_micros);
        let reason = format!(
            "{} calls were made today and models cost ${cost}; {calls} more calls would be too many",
            used.tool_calls
        );
        call.effect = Effect::Deny;
        call.error = Some(PolicyError::new(PolicyCode::QuotaExceeded, "daily budget", reason));
    }
    Ok(())
}

/// Nothing of an answer is used that must not be: its calls are on record as what they come to.
fn deny_all(calls: &mut [CallJudgement], error: &PolicyError) {
    for call in calls.iter_mut().filter(|call| call.effect != Effect::Deny) {
        call.effect = Effect::Deny;
        call.error = Some(error.clone());
    }
}

/// What the audit is told of an error.
fn tell(row: &mut AuditRow, error: &PolicyError, arguments: &Digest) {
    row.code = Some(error.code.code().to_owned());
    row.policy_name = Some(error.policy_name.clone());
    row.reason = Some(error.reason.clone());
    let view = error.for_audit(&row.at, arguments.as_str()).into_owned();
    row.data = Some(Json(view));
}

impl PolicyPort for HostPolicy {
    fn judge(&mut self, call_id: &str, said: &str, calls: &[GovernedCall<'_>]) -> Result<Judged, StoreError> {
        let mut judged = self.governor.judge(&self.facts, &self.controls, said, calls);
        self.without_withdrawn(calls, &mut judged);
        if let Some(error) = &judged.error {
            deny_all(&mut judged.calls, error);
        }
        self.batches.hold(calls, &mut judged);
        within_budget(&self.workspace, &self.facts.principal.id, &mut judged)?;
        let mut rows = Vec::with_capacity(judged.calls.len());
        for (call, judgement) in calls.iter().zip(&judged.calls) {
            rows.push(audited(&self.workspace, self.decision(call_id, call, judgement))?);
        }
        if let Some(error) = &judged.error {
            let mut row = self.row(AuditKind::Guard, call_id, Effect::Deny.token());
            tell(&mut row, error, &Digest::of_bytes(said.as_bytes()));
            rows.push(audited(&self.workspace, row)?);
        }
        let is_plain = judged.error.is_none() && judged.calls.iter().all(|call| call.effect == Effect::Allow);
        if is_plain { self.log.append_lazily(&rows) } else { self.log.append(&rows) }.map(|_| judged)
    }

    fn again(&mut self, call_id: &str, calls: &[GovernedCall<'_>]) -> Result<Vec<String>, StoreError> {
        let mut judged = self.governor.judge(&self.facts, &self.controls, "", calls);
        self.without_withdrawn(calls, &mut judged);
        let (mut rows, mut denied) = (Vec::new(), Vec::new());
        for (call, judgement) in calls.iter().zip(&judged.calls) {
            if judgement.effect == Effect::Deny {
                rows.push(audited(&self.workspace, self.decision(call_id, call, judgement))?);
                denied.push(judgement.tool_call_id.clone());
            }
        }
        if !rows.is_empty() {
            self.log.append(&rows)?;
        }
        Ok(denied)
    }

    fn charge(&mut self, cost_micros: u64) -> Result<(), StoreError> {
        if self.workspace.settings.policy.daily().1.is_none() {
            return Ok(());
        }
        let more = Usage { tool_calls: 0, cost_micros };
        // It is spent, whatever a day may cost: what follows from that is decided when calls are.
        open_desk(&self.workspace)?.spend(&self.facts.principal.id, more, (None, None)).map(|_| ())
    }

    fn review(&mut self, call_id: &str, tool: &str, outcome: CallOutcome) -> Result<CallOutcome, StoreError> {
        let (outcome, errors) = self.governor.review(tool, outcome);
        let mut rows = Vec::new();
        for error in &errors {
            let mut row = self.row(AuditKind::Guard, call_id, Effect::Deny.token());
            row.tool = Some(tool.to_owned());
            row.tool_call_id = Some(outcome.tool_call_id.clone());
            tell(&mut row, error, &Digest::of_bytes(outcome.tool_call_id.as_bytes()));
            rows.push(audited(&self.workspace, row)?);
        }
        if !rows.is_empty() {
            self.log.append(&rows)?;
        }
        Ok(outcome)
    }

    fn redact(&self, text: &str) -> String {
        self.governor.redact(text)
    }

    fn redaction(&self, text: &str) -> Redaction {
        self.governor.redaction(text)
    }
}

/// Puts scopes that were asked for and not granted on record.
pub(super) fn record_refusals(
    workspace: &Workspace,
    run_id: &str,
    errors: &[PolicyError],
) -> Result<(), StoreError> {
    if errors.is_empty() {
        return Ok(());
    }
    let principal = effective::principal(workspace);
    let rows: Vec<AuditRow> = errors
        .iter()
        .map(|error| {
            let at = format_time(to_millis(workspace.clock.now()));
            let id = fresh_audit_id(workspace.ids.as_ref());
            let mut row =
                AuditRow::new(id, at, AuditKind::Decision, principal.id.clone(), Effect::Deny.token());
            row.run_id = Some(run_id.to_owned());
            tell(&mut row, error, &Digest::of_bytes(&[]));
            row
        })
        .collect();
    audit_log(workspace).append(&rows).map(drop)
}
