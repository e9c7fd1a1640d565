//! `approval.*`: what people are asked, and their answers. Deciding needs the credential of a person, whoever calls.

use premath_bd::desk::{
    Approval, ApprovalScope, ApprovalState, Decision, DeskRefusal, Pattern, PatternExample, Target, Verdict,
};
use premath_kernel::Value;
use premath_wire::Json;
use premath_wire::time::format_time;
use premath_wire::v1::{
    ApprovalAnswer, ApprovalPage, ApprovalRow, NamedTarget, RefusedAnswer, RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, id, invalid, token, told};
use crate::desk_store::{existing_desk, open_desk, publish};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// How many are listed when nobody says.
const LISTED: u64 = 50;
/// How many examples of a pattern are shown.
const EXAMPLES: usize = 5;

/// What `approval.list` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
struct ListArgs {
    state: Option<String>,
    run: Option<String>,
    limit: Option<u64>,
}

/// What `approval.show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ShowArgs {
    id: String,
}

/// What `approval.approve` and `approval.deny` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct DecideArgs {
    id: String,
    /// `once`, `run` or `pattern`; once when nobody says.
    scope: Option<String>,
    /// What every target of the pattern is called: `*` stands for any letters.
    pattern_name: Option<String>,
    /// An argument and the value it must have: `field=value`.
    pattern_argument: Option<String>,
    message: Option<String>,
}

/// `approval.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let state = told(args.state.as_deref())
        .map(|state| token(state, "state", &ApprovalState::ALL, ApprovalState::token))
        .transpose()?;
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.approvals(state, told(args.run.as_deref()), limit)?,
        None => Vec::new(),
    };
    let items: Vec<ApprovalRow> = found.iter().map(row).collect();
    let action = "approval.list".to_owned();
    Answer::new("ok", &ApprovalPage { action, count: count(items.len()), items })
}

/// `approval.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "approval.show";
    let args: ShowArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.approval(wanted)?,
        None => None,
    };
    match found {
        Some(approval) => answered(ACTION, &approval, (Vec::new(), Vec::new())),
        None => unknown(host, ACTION, wanted),
    }
}

/// `approval.approve`
pub(crate) fn approve(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    decide(host, args, "approval.approve", Verdict::Approve)
}

/// `approval.deny`
pub(crate) fn deny(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    decide(host, args, "approval.deny", Verdict::Deny)
}

fn decide(host: &Host<'_>, args: &Value<'_>, action: &str, verdict: Verdict) -> Result<Answer, ActionError> {
    let args: DecideArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, action) };
    let desk = open_desk(host.workspace)?;
    let Some(approval) = desk.approval(wanted)? else { return unknown(host, action, wanted) };
    let scope = scope(&args, &approval)?;
    let examples = match &scope {
        ApprovalScope::Pattern(pattern) => {
            let examples = desk.pattern_examples(pattern, EXAMPLES)?;
            let lines = |found: &[PatternExample]| found.iter().map(example).collect::<Vec<_>>();
            (lines(&examples.matches), lines(&examples.misses))
        }
        ApprovalScope::Once | ApprovalScope::Run => (Vec::new(), Vec::new()),
    };
    let message = told(args.message.as_deref()).map(str::to_owned);
    let decision = Decision { verdict, scope, message, valid_until: None };
    let decided = desk.decide_approval(&credential, wanted, &decision)?;
    publish(host.workspace, &desk)?;
    match decided {
        Ok(approval) => answered(action, &approval, examples),
        Err(refusal) => refuse(host, action, &refusal),
    }
}

fn scope(args: &DecideArgs, approval: &Approval) -> Result<ApprovalScope, ActionError> {
    let names = told(args.pattern_name.as_deref()).map(str::to_owned);
    let argument = told(args.pattern_argument.as_deref()).map(|text| {
        let (field, value) =
            text.split_once('=').ok_or_else(|| invalid("expected FIELD=VALUE", "patternArgument"))?;
        Ok::<_, ActionError>((field.trim().to_owned(), Value::from(value.to_owned())))
    });
    let argument = argument.transpose()?;
    match told(args.scope.as_deref()) {
        None if names.is_some() || argument.is_some() => {}
        None | Some("once") => return Ok(ApprovalScope::Once),
        Some("run") => return Ok(ApprovalScope::Run),
        Some("pattern") => {}
        Some(_) => return Err(invalid("expected once, run or pattern", "scope").into()),
    }
    Ok(ApprovalScope::Pattern(Pattern { tool: approval.request.tool.clone(), names, argument }))
}

fn example(example: &PatternExample) -> String {
    let names = example.names.join(", ");
    if names.is_empty() { example.arguments.clone() } else { names }
}

fn answered(
    action: &str,
    approval: &Approval,
    (pattern_matches, pattern_misses): (Vec<String>, Vec<String>),
) -> Result<Answer, ActionError> {
    let answer = ApprovalAnswer {
        action: action.to_owned(),
        approval: row(approval),
        pattern_matches,
        pattern_misses,
    };
    Answer::new("ok", &answer)
}

/// Nobody can decide here.
pub(super) fn nobody(host: &Host<'_>, action: &str) -> Result<Answer, ActionError> {
    let detail = "deciding needs the credential of a person, and there is none here";
    refused(host, action, ("person_missing", detail, "decide at your own terminal"))
}

pub(super) fn unknown(host: &Host<'_>, action: &str, wanted: &str) -> Result<Answer, ActionError> {
    let detail = format!("there is no `{wanted}`");
    let hint = "`premath approvals list` and `premath proposals list` say what there is";
    refused(host, action, ("desk_not_found", &detail, hint))
}

pub(super) fn refuse(host: &Host<'_>, action: &str, refusal: &DeskRefusal) -> Result<Answer, ActionError> {
    let hint = "what is decided or too late stays so; the run can ask again";
    refused(host, action, (refusal.class.code(), &refusal.detail, hint))
}

fn refused(
    host: &Host<'_>,
    action: &str,
    (class, detail, hint): (&str, &str, &str),
) -> Result<Answer, ActionError> {
    let refused =
        RefusedBecause { class: class.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() };
    let issues_path = shown(&host.workspace.issues_path(None));
    Answer::refused(class, &RefusedAnswer { action: action.to_owned(), issues_path, refused })
}

pub(super) fn named(targets: &[Target]) -> Vec<NamedTarget> {
    let one = |target: &Target| NamedTarget {
        kind: target.kind.clone(),
        id: target.id.clone(),
        name: target.name.clone(),
    };
    targets.iter().map(one).collect()
}

/// What is shown of an approval: everything.
#[must_use]
pub fn row(approval: &Approval) -> ApprovalRow {
    let request = &approval.request;
    ApprovalRow {
        id: approval.id.clone(),
        kind: request.kind.token().to_owned(),
        state: approval.state.token().to_owned(),
        run_id: request.run_id.clone(),
        tool_call_id: request.tool_call_id.clone(),
        tool: request.tool.clone(),
        arguments: Json(request.arguments.clone()),
        arguments_digest: approval.arguments_digest.clone(),
        targets: named(&request.targets),
        diff: request.diff.clone(),
        reason: request.reason.clone(),
        rule: request.rule.clone(),
        tier: request.tier.clone(),
        requested_at: format_time(approval.requested_at),
        expires_at: format_time(request.expires_at),
        scope: approval.scope.token().to_owned(),
        pattern: match &approval.scope {
            ApprovalScope::Pattern(pattern) => Some(Json(pattern.to_value().into_owned())),
            ApprovalScope::Once | ApprovalScope::Run => None,
        },
        decided_by: approval.decided_by.clone(),
        decided_at: approval.decided_at.map(format_time),
        message: approval.message.clone(),
    }
}
