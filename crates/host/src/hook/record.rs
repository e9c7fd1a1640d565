//! A decision about another agent, on record before it is told: durable, and without what was said.

use premath_bd::{StoreError, fresh_audit_id};
use premath_kernel::{Object, Value};
use premath_tusk::policy::{Effect, PolicyError};
use premath_wire::Json;
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{AuditRow, GuardDecision};

use super::decide::Verdict;
use super::event::HookEvent;
use super::format::HookFormat;
use crate::agent::principal;
use crate::agent::retention::{audited, of_new_run};
use crate::recording::audit_log;
use crate::table::{ActionError, Host};
use crate::workspace::Workspace;

/// The longest name of somebody else's that is kept.
const LONGEST_NAME: usize = 128;

/// A session of another agent, as rules and the audit log name it.
pub(super) fn session_of(format: HookFormat, event: Option<&HookEvent>) -> String {
    let session = event.and_then(|event| event.session.as_deref()).unwrap_or("unknown");
    format!("{}:{}", format.door(), named(session))
}

/// A name of somebody else's on one line, bounded.
fn named(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect()
}

/// Puts a decision on record, and gives back what is told.
///
/// # Errors
/// It cannot be written.
pub(super) fn record(
    host: &Host<'_>,
    format: HookFormat,
    event: Option<&HookEvent>,
    verdict: Verdict,
) -> Result<GuardDecision, ActionError> {
    let workspace = host.workspace;
    let row = row(workspace, format, event, &verdict)?;
    let audit_id = row.id.clone();
    let log = audit_log(workspace);
    // No journal has it besides, so that even what is allowed waits for the disk.
    log.append(&[row])?;
    let error = verdict.error.as_ref();
    let replacement = match &verdict.replacement {
        Some(value) => Some(Json(parse(value.to_string().as_bytes(), Limits::default())?.into_owned())),
        None => None,
    };
    Ok(GuardDecision {
        action: "guard.decide".to_owned(),
        format: format.token().to_owned(),
        event: event.map(|event| named(&event.name)).unwrap_or_default(),
        effect: verdict.effect.token().to_owned(),
        code: error.map(|error| error.code.code().to_owned()),
        policy_name: error.map(|error| error.policy_name.clone()),
        reason: error.map(|error| error.human_message.clone()),
        hint: error.map(|error| error.model_message().to_owned()),
        host_tool: event.map(|event| named(&event.tool)).filter(|tool| !tool.is_empty()),
        tool: verdict.tool,
        args_digest: Some(verdict.digest.as_str().to_owned()),
        targets: verdict.targets.into_iter().map(|target| target.name).collect(),
        findings: verdict.findings,
        note: verdict.note,
        replacement,
        audit_id,
    })
}

fn row(
    workspace: &Workspace,
    format: HookFormat,
    event: Option<&HookEvent>,
    verdict: &Verdict,
) -> Result<AuditRow, StoreError> {
    let at = format_time(to_millis(workspace.clock.now()));
    let id = fresh_audit_id(workspace.ids.as_ref());
    let actor = principal(workspace).id;
    let mut row = AuditRow::new(id, at, verdict.kind, actor, verdict.effect.token());
    row.tool = verdict.tool.clone();
    row.args_digest = Some(verdict.digest.as_str().to_owned());
    row.policy_digest = verdict.rules.clone();
    row.targets = verdict.targets.iter().map(|target| target.name.clone()).collect();
    let file = verdict.targets.iter().find(|target| target.kind == "file");
    row.path = file.map(|target| target.id.clone());
    if let Some(error) = &verdict.error {
        row.code = Some(error.code.code().to_owned());
        row.policy_name = Some(error.policy_name.clone());
        row.reason = Some(error.reason.clone());
    }
    row.data = Some(Json(data(format, event, verdict, &row.at)));
    // Of somebody who keeps nothing only digests, counts and codes stay.
    let session = session_of(format, event);
    let mut row = audited(&of_new_run(workspace, &session), row)?;
    row.run_id = Some(session);
    row.tool_call_id = event.and_then(|event| event.call_id.as_deref()).map(named);
    Ok(row)
}

fn data(format: HookFormat, event: Option<&HookEvent>, verdict: &Verdict, at: &str) -> Value<'static> {
    let told = |text: Option<&str>| text.map(named).filter(|text| !text.is_empty());
    let error = |error: &PolicyError| {
        let mut error = error.clone();
        // The sentence about a command holds words of it, which stay out of the log.
        if verdict.findings.iter().any(|finding| error.policy_name == format!("command.{}", finding.class)) {
            error.human_message.clone_from(&error.reason);
            error.hint.clone_from(&error.reason);
        }
        error.for_audit(at, verdict.digest.as_str()).into_owned()
    };
    Object::fields()
        .field("door", format.door())
        .optional("error", verdict.error.as_ref().map(error))
        .optional("classes", classes(verdict))
        .optional("event", told(event.map(|event| event.name.as_str())))
        .optional("hostTool", told(event.map(|event| event.tool.as_str())))
        .optional("mode", told(event.and_then(|event| event.mode.as_deref())))
        .optional(
            "redacted",
            (verdict.effect == Effect::Allow && verdict.replacement.is_some()).then_some(true),
        )
        .optional("sessionId", told(event.and_then(|event| event.session.as_deref())))
        .finish()
}

/// The classes of what stands against a command, each once.
fn classes(verdict: &Verdict) -> Option<Value<'static>> {
    let mut classes: Vec<&str> = verdict.findings.iter().map(|finding| finding.class.as_str()).collect();
    classes.sort_unstable();
    classes.dedup();
    (!classes.is_empty()).then(|| Value::text_list(classes).into_owned())
}
