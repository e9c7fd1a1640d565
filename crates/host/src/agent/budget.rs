//! What answers of models may cost on one day: nobody is asked once it is used up, and what an answer cost is counted before
//! anybody reads it.
//!
//! What an answer costs is known when it is there, so the one that goes beyond is the last one. A counter that cannot be read
//! or written is no reason to go on.

use premath_bd::desk::{Desk, Usage};
use premath_bd::{StoreError, fresh_audit_id};
use premath_tusk::model::{ModelError, ModelErrorKind, ModelEvent, ModelRequest, PortFuture};
use premath_tusk::policy::{Effect, PolicyCode};
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered, RunConfig};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditKind, AuditRow};

use crate::desk_store::open_desk;
use crate::recording::audit_log;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The layer of policy that this is.
pub(super) const BUDGET: &str = "daily budget";

/// Whoever answers, within the budget of the principal's day.
#[derive(Debug)]
struct Budgeted {
    inner: Box<dyn AnswerPort + Send>,
    workspace: Workspace,
    desk: Desk,
    run_id: String,
    principal: String,
    most: u64,
}

/// The same answers, within the budget of the day where there is one.
pub(super) fn within_the_day(
    workspace: &Workspace,
    config: &RunConfig,
    inner: Box<dyn AnswerPort + Send>,
) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
    let (Some(policy), (_, Some(most))) = (&config.policy, workspace.settings.policy.daily()) else {
        return Ok(inner);
    };
    Ok(Box::new(Budgeted {
        inner,
        workspace: workspace.clone(),
        desk: open_desk(workspace)?,
        run_id: config.run_id.clone(),
        principal: policy.principal.id.clone(),
        most,
    }))
}

impl Budgeted {
    fn left(&self) -> Result<(), AnswerError> {
        let used = self.desk.usage(&self.principal).map_err(|error| uncounted(&error))?;
        if used.cost_micros < self.most {
            return Ok(());
        }
        let reason = format!("{} of {} millionths of a dollar were used today", used.cost_micros, self.most);
        self.tell(&reason).map_err(|error| uncounted(&error))?;
        let code = PolicyCode::QuotaExceeded.code();
        Err(refused(code, format!("the budget of the day is used up ({code}): {reason}")))
    }

    fn tell(&self, reason: &str) -> Result<(), StoreError> {
        let at = format_time(to_millis(self.workspace.clock.now()));
        let id = fresh_audit_id(self.workspace.ids.as_ref());
        let effect = Effect::Deny.token();
        let mut row = AuditRow::new(id, at, AuditKind::Decision, self.principal.clone(), effect);
        row.run_id = Some(self.run_id.clone());
        row.code = Some(PolicyCode::QuotaExceeded.code().to_owned());
        row.policy_name = Some(BUDGET.to_owned());
        row.reason = Some(reason.to_owned());
        audit_log(&self.workspace).append(&[row]).map(drop)
    }

    fn count(&self, cost_micros: Option<u64>) -> Result<(), AnswerError> {
        let more = Usage { tool_calls: 0, cost_micros: cost_micros.unwrap_or_default() };
        self.desk.spend(&self.principal, more, (None, None)).map(drop).map_err(|error| uncounted(&error))
    }
}

fn refused(code: &str, what: impl Into<String>) -> AnswerError {
    AnswerError::Model(ModelError::new(ModelErrorKind::Model, code, what))
}

fn uncounted(error: &StoreError) -> AnswerError {
    refused("budget_store", format!("what today cost cannot be counted: {error}"))
}

impl AnswerPort for Budgeted {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        watch: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        Box::pin(async move {
            self.left()?;
            let answered = self.inner.answer(request, watch).await?;
            self.count(answered.cost_micros)?;
            Ok(answered)
        })
    }
}
