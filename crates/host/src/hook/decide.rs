//! One event of another agent, decided: a call before it runs, a result before the model sees it, what a person wrote.
//!
//! The layers are those of a run: scopes of the role, rules, controls, guards, budgets, and what no tool touches. What fails on
//! the way is a denial. It must not answer before the decision is on record.

use premath_kernel::Digest;
use premath_tusk::evidence::{CallOutcome, CallStatus, Payload};
use premath_tusk::policy::{
    Effect, EffectiveScopes, GovernedCall, Judged, PolicyCode, PolicyError, RunFacts, Target,
};
use premath_tusk::tools::ProtectedPaths;
use premath_tusk::turn_loop::Touch;
use premath_wire::v1::{AuditKind, GuardDecision, GuardFinding};
use serde_json::Value;

use super::command_risk::{self, CommandScene};
use super::event::{HookEvent, MOST_EVENT_BYTES, Moment, as_text};
use super::foreign::ForeignTool;
use super::format::HookFormat;
use super::places::Places;
use super::record::{record, session_of};
use super::translate::{Translated, translate};
use crate::actions::policy::{known, tier_of};
use crate::agent::{PolicyGround, controls, governed_with, principal, within_budget};
use crate::table::{ActionError, Host};

/// What a decision came to.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) kind: AuditKind,
    pub(super) effect: Effect,
    pub(super) error: Option<PolicyError>,
    /// The tool, as rules name it.
    pub(super) tool: Option<String>,
    /// The digest of what was decided about.
    pub(super) digest: Digest,
    pub(super) targets: Vec<Target>,
    /// What the model should know of a result.
    pub(super) note: Option<String>,
    /// What stands in the place of a result.
    pub(super) replacement: Option<Value>,
    /// The digest of the rules that decided.
    pub(super) rules: Option<String>,
    /// What stands against a command or a path.
    pub(super) findings: Vec<GuardFinding>,
}

/// What the caller knows of the machine that a decision needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookGround<'g> {
    /// Other names of the root.
    pub(crate) roots: &'g [String],
    /// Folders of premath's own outside of the repository.
    pub(crate) own_folders: &'g [String],
}

impl Verdict {
    fn new(kind: AuditKind, digest: Digest) -> Self {
        Self {
            kind,
            effect: Effect::Allow,
            error: None,
            tool: None,
            digest,
            targets: Vec::new(),
            note: None,
            replacement: None,
            rules: None,
            findings: Vec::new(),
        }
    }

    fn deny(&mut self, error: PolicyError) {
        (self.effect, self.error) = (Effect::Deny, Some(error));
    }
}

/// Decides about one event and puts it on record.
///
/// # Errors
/// It cannot be put on record. That is a denial, like anything else that is no answer.
pub(crate) fn decide(
    host: &Host<'_>,
    format: HookFormat,
    ground: &HookGround<'_>,
    text: &str,
) -> Result<GuardDecision, ActionError> {
    if text.len() > MOST_EVENT_BYTES {
        let mut verdict = Verdict::new(AuditKind::Decision, Digest::of_bytes(text.as_bytes()));
        let what = format!("input.too_large: the event has more than {MOST_EVENT_BYTES} bytes");
        let mut error = failed(&what);
        error.hint = format!("{what}; what is not checked does not happen");
        verdict.deny(error);
        return record(host, format, None, verdict);
    }
    let event = match HookEvent::read(text) {
        Ok(event) => event,
        Err(error) => {
            let mut verdict = Verdict::new(AuditKind::Decision, Digest::of_bytes(text.as_bytes()));
            verdict.deny(failed(&format!("the event cannot be read: {error}")));
            return record(host, format, None, verdict);
        }
    };
    let subject = match event.moment {
        Moment::Before => as_text(&event.input),
        Moment::After | Moment::Prompt => as_text(&event.said),
    };
    let kind = match event.moment {
        Moment::Before => AuditKind::Decision,
        Moment::After | Moment::Prompt => AuditKind::Guard,
    };
    let mut verdict = Verdict::new(kind, Digest::of_bytes(subject.as_bytes()));
    let case = Case { host, format, event: &event, ground };
    let decided = match event.moment {
        Moment::Before => case.before(&subject, &mut verdict),
        Moment::After => case.after(subject, &mut verdict),
        Moment::Prompt => case.prompt(&subject, &mut verdict),
    };
    if let Err(error) = decided {
        verdict.deny(failed(&error.to_string()));
        // What nobody could look at may hold anything.
        if event.moment == Moment::After && format.replaces_results() {
            verdict.replacement = Some(replaced(&event.said, &withheld));
        }
    }
    if verdict.effect == Effect::Ask && !format.asks_a_person(event.mode.as_deref()) {
        verdict.effect = Effect::Deny;
        if let Some(error) = &mut verdict.error {
            error.hint = "a person has to agree to this, and nobody can be asked from here; say what you need, or go on \
                          without it"
                .to_owned();
        }
    }
    record(host, format, Some(&event), verdict)
}

fn failed(what: &str) -> PolicyError {
    let mut error = PolicyError::new(PolicyCode::Denied, "guard", what);
    error.hint = "this could not be checked, and what is not checked does not happen".to_owned();
    error
}

/// What one decision is made from.
struct Case<'d> {
    host: &'d Host<'d>,
    format: HookFormat,
    event: &'d HookEvent,
    ground: &'d HookGround<'d>,
}

impl Case<'_> {
    fn translated(&self) -> Result<Result<Translated, Box<PolicyError>>, ActionError> {
        let (event, workdir) = (self.event, self.host.agent.workdir()?);
        let places = Places::new(workdir, self.ground.roots, event.folder.as_deref());
        Ok(translate(self.format, &event.tool, &event.input, &places))
    }

    /// What would decide, with the tool of the agent among ours where none of ours stands for it.
    fn ground(&self, foreign: Option<&str>) -> Result<PolicyGround, ActionError> {
        let more = match foreign {
            None => Vec::new(),
            Some(name) => {
                let tool =
                    ForeignTool::made(self.format, name).map_err(|error| ActionError::Unavailable {
                        what: error.to_string(),
                        hint: "this is a fault of premath".to_owned(),
                    })?;
                vec![tool]
            }
        };
        governed_with(self.host.workspace, self.host.agent, more)
    }

    /// A call before it runs.
    fn before(&self, raw: &str, verdict: &mut Verdict) -> Result<(), ActionError> {
        let call = match self.translated()? {
            Ok(call) => call,
            Err(error) => {
                verdict.deny(*error);
                return Ok(());
            }
        };
        verdict.tool = Some(call.tool.clone());
        let ground = self.ground((!call.is_ours).then_some(call.tool.as_str()))?;
        verdict.rules = Some(ground.governor.rules().digest().as_str().to_owned());
        let Some(spec) = ground.spec(&call.tool) else {
            verdict.deny(failed(&format!("there is no tool `{}`", call.tool)));
            return Ok(());
        };
        let mut governed = ground.call(spec, &call.arguments)?;
        governed.tool_call_id = self.event.call_id.as_deref().unwrap_or("hook");
        verdict.digest = governed.arguments_digest.clone();
        verdict.targets = governed.targets.clone().unwrap_or_default();
        let scene = CommandScene {
            root: self.host.agent.workdir()?,
            own_folders: self.ground.own_folders,
            sandbox: self.host.workspace.settings.agent_sandbox.value,
        };
        let paths = changed_paths(&call, &governed);
        let risks = command_risk::judge(&scene, &call, &paths);
        verdict.findings = command_risk::findings(&risks, &|text| ground.governor.redact(text));
        if let Some((Effect::Deny, error)) = command_risk::decision(&verdict.findings) {
            verdict.deny(error);
            return Ok(());
        }
        if let Some(error) = untouchable(&ground, &call, &paths) {
            verdict.deny(error);
            return Ok(());
        }
        // Whatever was left out on the way to a call of ours is looked at as well.
        let said = if call.is_ours { raw } else { "" };
        let judged = self.judged(&ground, said, std::slice::from_ref(&governed))?;
        let (effect, error) = match (judged.error, judged.calls.into_iter().next()) {
            (Some(error), _) => (Effect::Deny, Some(error)),
            (None, Some(one)) => (one.effect, one.error),
            (None, None) => (Effect::Deny, Some(failed("policy said nothing about it"))),
        };
        (verdict.effect, verdict.error) = match (effect, command_risk::decision(&verdict.findings)) {
            (Effect::Allow, Some((effect, error))) => (effect, Some(error)),
            // A rule that asks says why in the words of the person who wrote it.
            (effect, _) => (effect, error),
        };
        Ok(())
    }

    fn judged(
        &self,
        ground: &PolicyGround,
        said: &str,
        calls: &[GovernedCall<'_>],
    ) -> Result<Judged, ActionError> {
        let workspace = self.host.workspace;
        let ceiling = workspace.settings.policy.ceiling();
        let scopes = EffectiveScopes::resolve(None, ceiling, &known(ground));
        let tier = tier_of(ground, &scopes);
        let facts = RunFacts {
            run_id: session_of(self.format, Some(self.event)),
            issue_id: None,
            principal: principal(workspace),
            risk_tier: tier.token().to_owned(),
        };
        let mut judged = ground.governor.judge(&facts, &controls(workspace, tier)?, said, calls);
        for (call, judgement) in calls.iter().zip(&mut judged.calls) {
            if !scopes.granted.contains(&call.spec.scope) {
                judgement.effect = Effect::Deny;
                judgement.error = Some(EffectiveScopes::missing(&facts.principal, &call.spec.scope));
            }
        }
        if judged.error.is_none() {
            within_budget(workspace, &facts.principal.id, &mut judged)?;
        }
        Ok(judged)
    }

    /// A result, which came to be already: what is left of it for the model.
    fn after(&self, text: String, verdict: &mut Verdict) -> Result<(), ActionError> {
        let tool = match self.translated()? {
            Ok(call) => call.tool,
            Err(_) => self.event.tool.clone(),
        };
        verdict.tool = Some(tool.clone());
        let ground = self.ground(None)?;
        verdict.rules = Some(ground.governor.rules().digest().as_str().to_owned());
        let id = self.event.call_id.as_deref().unwrap_or("hook");
        let mut outcome = CallOutcome::empty(id, CallStatus::Ok);
        outcome.payload = Payload::Inline(text.clone());
        let (reviewed, errors) = ground.governor.review(&tool, outcome);
        verdict.note = Some(reviewed.note).filter(|note| !note.is_empty());
        let redacted = |text: &str| ground.governor.redact(text);
        if let Some(error) = errors.into_iter().next() {
            verdict.deny(error);
            verdict.replacement = Some(replaced(&self.event.said, &withheld));
        } else if reviewed.payload != Payload::Inline(text) {
            if self.format.replaces_results() {
                verdict.replacement = Some(replaced(&self.event.said, &redacted));
            } else {
                let what = "the result holds what must not be shown, and cannot be cut out of it here";
                verdict.deny(PolicyError::new(PolicyCode::Denied, "redaction", what));
            }
        }
        if !self.format.replaces_results() {
            verdict.replacement = None;
        }
        Ok(())
    }

    /// What a person wrote.
    fn prompt(&self, text: &str, verdict: &mut Verdict) -> Result<(), ActionError> {
        let ground = self.ground(None)?;
        verdict.rules = Some(ground.governor.rules().digest().as_str().to_owned());
        if let Some(error) = self.judged(&ground, text, &[])?.error {
            verdict.deny(error);
        }
        Ok(())
    }
}

/// Paths that a call names, and what it does with them.
fn changed_paths(call: &Translated, governed: &GovernedCall<'_>) -> Vec<(String, Touch)> {
    let targets = governed.targets.as_deref().unwrap_or_default();
    let changed = |target: &Target| (call.tool == "apply_patch").then(|| (target.id.clone(), Touch::Patch));
    let all = targets.iter().filter_map(changed).chain(call.touched.iter().cloned());
    all.map(|(path, touch)| match touch {
        Touch::Patch if holds_hooks(&path) => (path, Touch::Change),
        Touch::Look | Touch::Change | Touch::Patch => (path, touch),
    })
    .collect()
}

/// Why something that a call names must not be touched, by whoever would do it.
fn untouchable(ground: &PolicyGround, call: &Translated, paths: &[(String, Touch)]) -> Option<PolicyError> {
    if call.tool == "apply_patch" && paths.is_empty() {
        // Ours would refuse it; what another program makes of it nobody knows.
        return Some(failed("the patch cannot be read"));
    }
    paths.iter().find_map(|(path, touch)| ground.may_touch(path, *touch).err()).map(|failure| {
        let mut error = PolicyError::new(PolicyCode::Denied, failure.error_code, failure.message.clone());
        error.hint = failure.message;
        error
    })
}

/// Whether a path is where agents and git keep their hooks, this guard among them: an agent does not even ask to change it.
fn holds_hooks(path: &str) -> bool {
    let parts = || path.split('/').filter(|part| !part.is_empty() && *part != ".");
    ProtectedPaths::names().iter().filter(|name| name.has_hooks).any(|name| {
        let mut parts = parts();
        name.path.split('/').all(|word| parts.next().is_some_and(|part| part.eq_ignore_ascii_case(word)))
    })
}

/// What stands in the place of a text that must not be seen.
fn withheld(_: &str) -> String {
    "[withheld]".to_owned()
}

/// A value with every text in it seen to; what it is made of stays.
fn replaced(value: &Value, with: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(with(text)),
        Value::Array(items) => Value::Array(items.iter().map(|item| replaced(item, with)).collect()),
        Value::Object(members) => {
            let member = |(name, member): (&String, &Value)| (name.clone(), replaced(member, with));
            Value::Object(members.iter().map(member).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
