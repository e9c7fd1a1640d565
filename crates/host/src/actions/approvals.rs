//! `approval.*`: what people are asked, and their answers. Deciding needs the credential of a person, whoever calls.

use premath_bd::desk::{
    Approval, ApprovalRequest, ApprovalScope, ApprovalState, Decision, DeskRefusal, DeskRefusalClass,
    Pattern, PatternExample, PatternExamples, Target, Verdict,
};
use premath_kernel::{Digest, Object, Value};
use premath_wire::Json;
use premath_wire::time::format_time;
use premath_wire::v1::{
    ApprovalAnswer, ApprovalPage, ApprovalRow, NamedTarget, RefusedAnswer, RefusedBecause, ScopeOffer,
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
pub(crate) struct ListArgs {
    /// Only those in this state: `pending`, `approved`, `denied`, `expired`, `consumed`, `revoked`.
    state: Option<String>,
    /// Only approvals that calls can still use.
    active: bool,
    /// Only those of this run.
    run: Option<String>,
    /// The most to answer with.
    limit: Option<u64>,
}

/// What `approval.show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShowArgs {
    /// The question, by its id.
    id: String,
    /// A pattern to look at before it is agreed to.
    pattern_name: Option<String>,
    /// An argument and the value it must have: `field=value`.
    pattern_argument: Option<String>,
}

/// What `approval.approve` and `approval.deny` take.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DecideArgs {
    /// The question, by its id.
    id: String,
    /// The digest of what was shown. A pattern needs it: nobody agrees to one whose examples they have not seen.
    digest: Option<String>,
    /// `once`, `run` or `pattern`; once when nobody says.
    scope: Option<String>,
    /// What every target of the pattern is called: `*` stands for any letters.
    pattern_name: Option<String>,
    /// An argument and the value it must have: `field=value`.
    pattern_argument: Option<String>,
    /// What to say to the run about it.
    message: Option<String>,
}

/// `approval.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ListArgs = arguments(args)?;
    let state = told(args.state.as_deref())
        .map(|state| token(state, "state", &ApprovalState::ALL, ApprovalState::token))
        .transpose()?;
    let state = match (args.active, state) {
        (true, None | Some(ApprovalState::Approved)) => Some(ApprovalState::Approved),
        (true, Some(_)) => return Err(invalid("an active approval has the state approved", "state").into()),
        (false, state) => state,
    };
    let limit = usize::try_from(args.limit.unwrap_or(LISTED)).unwrap_or(usize::MAX);
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.approvals(state, told(args.run.as_deref()), limit)?,
        None => Vec::new(),
    };
    let items: Vec<ApprovalRow> = found.iter().map(|approval| placed_row(host, approval)).collect();
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
    let Some(approval) = found else { return unknown(host, ACTION, wanted) };
    let scope = scope(None, (args.pattern_name.as_deref(), args.pattern_argument.as_deref()), &approval)?;
    let looked_at = look(host, &approval, &scope)?;
    answered(host, (ACTION, "ok"), &approval, looked_at)
}

/// `approval.approve`
pub(crate) fn approve(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    decide(host, args, "approval.approve", Verdict::Approve)
}

/// `approval.deny`
pub(crate) fn deny(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    decide(host, args, "approval.deny", Verdict::Deny)
}

/// What `approval.revoke` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RevokeArgs {
    /// The approval, by its id.
    id: String,
    /// Why, for the audit and the run.
    message: Option<String>,
}

/// `approval.revoke`
pub(crate) fn revoke(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "approval.revoke";
    let args: RevokeArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, ACTION) };
    let desk = open_desk(host.workspace)?;
    if desk.approval(wanted)?.is_none() {
        return unknown(host, ACTION, wanted);
    }
    let message = message(host, args.message.as_deref());
    let revoked = desk.revoke_approval(&credential, wanted, message.as_deref())?;
    publish(host.workspace, &desk)?;
    match revoked {
        Ok(approval) => {
            let looked_at = look(host, &approval, &ApprovalScope::Once)?;
            answered(host, (ACTION, "ok"), &approval, looked_at)
        }
        Err(refusal) => refuse(host, ACTION, &refusal),
    }
}

fn decide(host: &Host<'_>, args: &Value<'_>, action: &str, verdict: Verdict) -> Result<Answer, ActionError> {
    let args: DecideArgs = arguments(args)?;
    let wanted = &id(&args.id, "id")?;
    let Some(credential) = host.agent.credential()? else { return nobody(host, action) };
    let desk = open_desk(host.workspace)?;
    let Some(approval) = desk.approval(wanted)? else { return unknown(host, action, wanted) };
    let pattern = (args.pattern_name.as_deref(), args.pattern_argument.as_deref());
    let scope = scope(args.scope.as_deref(), pattern, &approval)?;
    let looked_at = look(host, &approval, &scope)?;
    let is_waiting = approval.state == ApprovalState::Pending && verdict == Verdict::Approve;
    match told(args.digest.as_deref()) {
        Some(shown) if shown != looked_at.digest => return stale(host, action, &looked_at, shown),
        // Nothing is decided: this is the first time that anybody is shown what it would cover.
        None if is_waiting && looked_at.pattern.is_some() => {
            return answered(host, (action, "rejected"), &approval, looked_at);
        }
        Some(_) | None => {}
    }
    let message = message(host, args.message.as_deref());
    let shown = Some(approval.card_digest().as_str().to_owned());
    let decision = Decision { verdict, scope, message, valid_until: None, shown };
    let decided = desk.decide_approval(&credential, wanted, &decision)?;
    publish(host.workspace, &desk)?;
    match decided {
        Ok(approval) => answered(host, (action, "ok"), &approval, LookedAt { pattern: None, ..looked_at }),
        Err(refusal) => refuse(host, action, &refusal),
    }
}

/// What somebody says with their answer. It is kept and shown to a model, so that a secret in it goes before anything else.
pub(super) fn message(host: &Host<'_>, said: Option<&str>) -> Option<String> {
    told(said).map(|said| host.workspace.redactor.text(said).into_owned())
}

/// What somebody looks at before they decide.
struct LookedAt {
    digest: String,
    pattern: Option<Value<'static>>,
    matches: Vec<String>,
    misses: Vec<String>,
}

/// The card, and for a pattern what it would have covered.
fn look(host: &Host<'_>, approval: &Approval, scope: &ApprovalScope) -> Result<LookedAt, ActionError> {
    let card = approval.card_digest().as_str().to_owned();
    let ApprovalScope::Pattern(pattern) = scope else {
        return Ok(LookedAt { digest: card, pattern: None, matches: Vec::new(), misses: Vec::new() });
    };
    let examples = match existing_desk(host.workspace)? {
        Some(desk) => desk.pattern_examples(pattern, EXAMPLES)?,
        None => PatternExamples::default(),
    };
    let lines = |found: &[PatternExample]| found.iter().map(example).collect::<Vec<_>>();
    let (matches, mut misses) = (lines(&examples.matches), lines(&examples.misses));
    if misses.is_empty() {
        let near = pattern.near_misses(&approval.request);
        misses.extend(near.into_iter().map(|name| format!("{name} (not asked so far)")));
    }
    let pattern = pattern.to_value().into_owned();
    let shown = Object::fields()
        .field("card", card)
        .field("matches", Value::text_list(matches.iter().map(String::as_str)))
        .field("misses", Value::text_list(misses.iter().map(String::as_str)))
        .field("pattern", pattern.borrowed())
        .finish();
    let digest = Digest::prefixed("crd1_", &shown).as_str().to_owned();
    Ok(LookedAt { digest, pattern: Some(pattern), matches, misses })
}

fn stale(host: &Host<'_>, action: &str, looked_at: &LookedAt, shown: &str) -> Result<Answer, ActionError> {
    let detail = format!("what is asked is {}, and {} was shown", looked_at.digest, shown.escape_debug());
    let class = DeskRefusalClass::ApprovalDigestMismatch;
    refused(host, action, (class.code(), &detail, class.hint()))
}

fn scope(
    named: Option<&str>,
    (names, argument): (Option<&str>, Option<&str>),
    approval: &Approval,
) -> Result<ApprovalScope, ActionError> {
    let names = told(names).map(str::to_owned);
    let argument = told(argument).map(|text| {
        let (field, value) =
            text.split_once('=').ok_or_else(|| invalid("expected FIELD=VALUE", "patternArgument"))?;
        Ok::<_, ActionError>((field.trim().to_owned(), Value::from(value.to_owned())))
    });
    let argument = argument.transpose()?;
    match told(named) {
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
    host: &Host<'_>,
    (action, class): (&str, &str),
    approval: &Approval,
    looked_at: LookedAt,
) -> Result<Answer, ActionError> {
    let answer = ApprovalAnswer {
        action: action.to_owned(),
        approval: placed_row(host, approval),
        shown_digest: looked_at.digest,
        pattern: looked_at.pattern.map(Json),
        pattern_matches: looked_at.matches,
        pattern_misses: looked_at.misses,
    };
    Answer::new(class, &answer)
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
    refused(host, action, (refusal.class.code(), &refusal.detail, refusal.class.hint()))
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

/// What is shown of an approval, with the folder that runs work in.
fn placed_row(host: &Host<'_>, approval: &Approval) -> ApprovalRow {
    let folder = host.agent.workdir().ok().map(|folder| shown(&folder));
    ApprovalRow { folder, ..row(approval) }
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
        card_digest: approval.card_digest().as_str().to_owned(),
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
        folder: None,
        offers: match approval.state {
            ApprovalState::Pending => offers(request),
            ApprovalState::Approved
            | ApprovalState::Denied
            | ApprovalState::Expired
            | ApprovalState::Consumed
            | ApprovalState::Revoked => Vec::new(),
        },
        reach: (approval.state == ApprovalState::Approved).then(|| approval.reach()),
        revoked_by: approval.revoked_by.clone(),
        revoked_at: approval.revoked_at.map(format_time),
    }
}

fn offers(request: &ApprovalRequest) -> Vec<ScopeOffer> {
    let offer = |(scope, covers): (&str, String)| ScopeOffer { scope: scope.to_owned(), covers };
    request.offered_scopes().into_iter().map(offer).collect()
}
