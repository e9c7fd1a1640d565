//! `policy.show` and `policy.explain`: what a run may do at most, layer by layer, and what would become of one call.

use std::collections::BTreeSet;

use premath_bd::desk::Usage;
use premath_kernel::{Object, Value};
use premath_tusk::JsonText;
use premath_tusk::policy::{
    Effect, EffectiveScopes, GovernedCall, Governor, Judged, PolicyCode, PolicyError, Principal, RiskTier,
    RunFacts, Target,
};
use premath_tusk::tools::{Catalogue, ToolSpec};
use premath_wire::Json;
use premath_wire::time::format_time;
use premath_wire::v1::{
    GuardHealth, NamedTarget, PolicyAnswer, PolicyExplained, PolicyLayer, RuleRow, RuleStanding, UsedToday,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use super::measuring::store;
use crate::agent::{PolicyGround, check_scopes, governed_tools, principal, sourced_controls};
use crate::desk_store::existing_desk;
use crate::desk_tools::with_implied;
use crate::governance::PackageStanding;
use crate::settings::Layer;
use crate::table::{ActionError, Answer, Host};

/// What `policy.show` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ShowArgs {
    /// Scopes a run would request; absent requests all, an empty list none.
    scopes: Option<Vec<String>>,
}

/// What `policy.explain` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainArgs {
    /// The tool.
    tool: String,
    /// Its arguments, as JSON.
    args: Option<String>,
    /// The role to explain it for; that of the configuration when absent.
    role: Option<String>,
    /// Scopes the run would request; absent requests all, an empty list none.
    #[serde(default)]
    scopes: Option<Vec<String>>,
}

/// `policy.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ShowArgs = arguments(args)?;
    let ground = governed_tools(host.workspace, host.agent)?;
    let requested = args.scopes.as_deref();
    check_scopes(requested.unwrap_or_default(), &known(&ground))?;
    let scopes = effective(host, &ground, requested);
    let tier = tier_of(&ground, &scopes);
    let (controls, controls_source) = sourced_controls(host.workspace, tier)?;
    let governor = &ground.governor;
    let principal = principal(host.workspace);
    let packages = store(host.workspace);
    let in_force = packages.working_files()?.digest();
    let used = match existing_desk(host.workspace)? {
        Some(desk) => desk.usage(&principal.id)?,
        None => Usage::default(),
    };
    let answer = PolicyAnswer {
        action: "policy.show".to_owned(),
        layers: layers(host, requested, &scopes, used),
        principal: principal.id,
        role: principal.role,
        granted: scopes.granted.into_iter().collect(),
        refused: scopes.refused.into_iter().collect(),
        tier: tier.token().to_owned(),
        controls: Json(controls.to_value().into_owned()),
        controls_source: controls_source.unwrap_or_else(|| "default".to_owned()),
        today: UsedToday { tool_calls: used.tool_calls, cost_micros: used.cost_micros },
        as_promoted: PackageStanding::read(host.workspace)?.is_sound(),
        package_digest: in_force.as_str().to_owned(),
        rules_digest: governor.rules().digest().as_str().to_owned(),
        rules: governor.rules().rules().into_iter().map(rule).collect(),
        rules_failed: governor.rules().failures().to_vec(),
        guards_digest: governor.guards().digest().as_str().to_owned(),
        guards: health(governor),
    };
    Answer::new("ok", &answer)
}

fn effective(host: &Host<'_>, ground: &PolicyGround, requested: Option<&[String]>) -> EffectiveScopes {
    resolved(ground, requested, host.workspace.settings.policy.ceiling())
}

fn resolved(
    ground: &PolicyGround,
    requested: Option<&[String]>,
    ceiling: Option<&[String]>,
) -> EffectiveScopes {
    EffectiveScopes::resolve(requested, ceiling, &known(ground))
}

pub(crate) fn known(ground: &PolicyGround) -> BTreeSet<String> {
    ground.specs.iter().map(|spec| spec.scope.clone()).collect()
}

/// The tier of what a run with these scopes is offered.
pub(crate) fn tier_of(ground: &PolicyGround, scopes: &EffectiveScopes) -> RiskTier {
    let granted = with_implied(scopes.granted.clone());
    RiskTier::of_tools(ground.specs.iter().filter(|spec| granted.contains(&spec.scope)))
}

fn rule(info: premath_tusk::policy::RuleInfo) -> RuleRow {
    RuleRow {
        id: info.id,
        effect: info.effect.token().to_owned(),
        reason: info.reason,
        source: info.source,
        examples: count(info.examples),
    }
}

fn health(governor: &Governor) -> Vec<GuardHealth> {
    let one = |(guard, red): (&dyn premath_tusk::policy::Guard, Option<&str>)| GuardHealth {
        id: guard.id().to_owned(),
        stages: guard
            .stages()
            .iter()
            .map(|stage| format!("{}: {}", stage.token(), guard.action(*stage).token()))
            .collect(),
        red: red.map(str::to_owned),
    };
    governor.guards().health().map(one).collect()
}

fn layers(
    host: &Host<'_>,
    requested: Option<&[String]>,
    scopes: &EffectiveScopes,
    used: Usage,
) -> Vec<PolicyLayer> {
    let settings = &host.workspace.settings.policy;
    let layer =
        |layer: &str, says: String, source: String| PolicyLayer { layer: layer.to_owned(), says, source };
    let listed = |scopes: &[String]| scopes.join(", ");
    let asked = match requested {
        None => "everything".to_owned(),
        Some([]) => "nothing".to_owned(),
        Some(scopes) => listed(scopes),
    };
    let ceiling = settings.ceiling().map_or_else(|| "none".to_owned(), listed);
    let ceiling_from = settings.roles.get(settings.role()).map(|role| source(&role.layer));
    let granted: Vec<String> = scopes.granted.iter().cloned().collect();
    let (calls, cost) = settings.daily();
    let limit = |value: Option<u64>, used: u64| {
        value.map_or_else(|| "no limit".to_owned(), |value| format!("{value}; {used} used today"))
    };
    let default = || "default".to_owned();
    vec![
        layer("requested", asked, "the run".to_owned()),
        layer(
            "role",
            settings.role().to_owned(),
            settings.role.as_ref().map_or_else(default, |it| source(&it.layer)),
        ),
        layer("ceiling", ceiling, ceiling_from.unwrap_or_else(default)),
        layer("granted", listed(&granted), "requested, below the ceiling".to_owned()),
        layer("turns of a chat request", "3 when it only reads, 5 otherwise".to_owned(), default()),
        layer(
            "tool calls a day",
            limit(calls, used.tool_calls),
            settings.daily_tool_calls.as_ref().map_or_else(default, |it| source(&it.layer)),
        ),
        layer(
            "millionths of a dollar a day",
            limit(cost, used.cost_micros),
            settings.daily_cost_micros.as_ref().map_or_else(default, |it| source(&it.layer)),
        ),
        layer(
            "seconds a question waits",
            settings.approval_seconds().to_string(),
            settings.approval_seconds.as_ref().map_or_else(default, |it| source(&it.layer)),
        ),
        layer(
            "observability",
            settings.observability().token().to_owned(),
            settings.observability.as_ref().map_or_else(default, |it| source(&it.layer)),
        ),
    ]
}

fn source(layer: &Layer) -> String {
    match layer {
        Layer::Default => "default".to_owned(),
        Layer::Environment { variable } => format!("${variable}"),
        Layer::File { name, line } => format!("{name}:{line}"),
    }
}

/// `policy.explain`
pub(crate) fn explain(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ExplainArgs = arguments(args)?;
    let ground = governed_tools(host.workspace, host.agent)?;
    let spec = ground.spec(args.tool.trim());
    let Some(spec) = spec else {
        let what = format!("there is no tool `{}`", args.tool.trim());
        return Err(invalid(&what, "tool").into());
    };
    let text = told(args.args.as_deref()).unwrap_or("{}");
    let given =
        serde_json::from_str(text).map_err(|error| invalid(format!("expected JSON: {error}"), "args"))?;
    let call = ground.call(spec, &given)?;
    let mut principal = principal(host.workspace);
    if let Some(role) = told(args.role.as_deref()) {
        host.workspace.settings.policy.check_role(role).map_err(|what| invalid(&what, "role"))?;
        role.clone_into(&mut principal.role);
    }
    let requested = args.scopes.as_deref();
    check_scopes(requested.unwrap_or_default(), &known(&ground))?;
    let ceiling = host.workspace.settings.policy.ceiling_of(&principal.role);
    let missing = not_offered(&ground, spec, &principal, (requested, ceiling));
    let tier = tier_of(&ground, &resolved(&ground, requested, ceiling));
    let (controls, source) = sourced_controls(host.workspace, tier)?;
    let run = RunFacts {
        run_id: "explained".to_owned(),
        issue_id: None,
        principal,
        risk_tier: tier.token().to_owned(),
    };
    let judged = ground.governor.judge(&run, &controls, "", std::slice::from_ref(&call));
    let error = missing.as_ref().or_else(|| judged.calls.first().and_then(|one| one.error.as_ref()));
    let mut answer = explained(host, &ground, &run, (&call, &judged), error);
    answer.controls_source = source.unwrap_or(answer.controls_source);
    Answer::new("ok", &answer)
}

/// Why a tool would not be there for a run: the role does not have its scope, or nobody asked for it.
fn not_offered(
    ground: &PolicyGround,
    spec: &ToolSpec,
    principal: &Principal,
    (requested, ceiling): (Option<&[String]>, Option<&[String]>),
) -> Option<PolicyError> {
    let scope = &spec.scope;
    if resolved(ground, Some(std::slice::from_ref(scope)), ceiling).refused.contains(scope) {
        return Some(EffectiveScopes::missing(principal, scope));
    }
    let granted = with_implied(resolved(ground, requested, ceiling).granted);
    (requested.is_some() && !granted.contains(scope)).then(|| {
        let reason = format!("`{scope}` is not among the scopes that the run asks for");
        PolicyError::new(PolicyCode::ScopeMissing, "requested scopes", reason)
    })
}

fn explained(
    host: &Host<'_>,
    ground: &PolicyGround,
    run: &RunFacts,
    (call, judged): (&GovernedCall<'_>, &Judged),
    error: Option<&PolicyError>,
) -> PolicyExplained {
    let (one, spec) = (judged.calls.first(), call.spec);
    let is_there = error.is_none_or(|error| error.code != PolicyCode::ScopeMissing);
    let effect = one.filter(|_| is_there).map_or(Effect::Deny, |one| one.effect);
    let targets = call.targets.as_deref().unwrap_or_default();
    let standing = ground.governor.rules().explain(&premath_tusk::policy::CallFacts {
        run,
        tool: &spec.name,
        risk: spec.risk,
        kind: spec.kind,
        scope: &spec.scope,
        arguments: call.arguments,
        arguments_digest: &call.arguments_digest,
        targets,
    });
    let at = format_time(host.workspace.clock.now());
    let view = |value: Value<'_>| Json(value.into_owned());
    PolicyExplained {
        action: "policy.explain".to_owned(),
        tool: spec.name.clone(),
        effect: effect.token().to_owned(),
        role: run.principal.role.clone(),
        tier: run.risk_tier.clone(),
        controls_source: "default".to_owned(),
        policy_name: error.map(|error| error.policy_name.clone()),
        reason: error.map(|error| error.reason.clone()),
        targets: targets.iter().map(target).collect(),
        rules: standing
            .into_iter()
            .map(|rule| RuleStanding {
                id: rule.rule,
                effect: rule.effect.token().to_owned(),
                matched: rule.matched,
                reason: rule.reason,
            })
            .collect(),
        guards: fired(one.map(|one| one.guards.as_slice()).unwrap_or_default()),
        model_view: error.map(|error| if is_there { view(error.for_model()) } else { view(absent(spec)) }),
        client_view: error.map(PolicyError::for_client).map(view),
        audit_view: error.map(|error| view(error.for_audit(&at, call.arguments_digest.as_str()))),
    }
}

/// What a model is told in a run that calls a tool which is above its ceiling: there is none, and nothing of a ceiling.
fn absent(spec: &ToolSpec) -> Value<'static> {
    let said = Catalogue::default().resolve(&spec.name, &JsonText::empty_object()).err();
    let (code, hint) =
        said.map_or_else(Default::default, |failure| (failure.error_code.to_owned(), failure.message));
    let fields = Object::fields().field("code", code).field("hint", hint).field("retryable", false);
    fields.finish().into_owned()
}

fn fired(rows: &[premath_tusk::policy::GuardRow]) -> Vec<String> {
    let fired = rows.iter().filter(|row| row.triggered);
    fired.map(|row| format!("{} at {}", row.id, row.stage.token())).collect()
}

fn target(target: &Target) -> NamedTarget {
    NamedTarget { kind: target.kind.clone(), id: target.id.clone(), name: target.name.clone() }
}
