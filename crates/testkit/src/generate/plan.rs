//! The choices that make up an accepted turn. Every combination must be buildable.

use std::ops::RangeInclusive;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value};

/// Everything that is chosen about one turn.
#[derive(Debug, Clone)]
pub(super) struct TurnPlan {
    pub(super) strict: bool,
    pub(super) mode: &'static str,
    pub(super) pattern: &'static str,
    pub(super) prefix: &'static str,
    pub(super) calls: Vec<CallPlan>,
    pub(super) declared: Vec<bool>,
    pub(super) supplied: Vec<bool>,
    pub(super) context: ContextPlan,
    pub(super) around: AroundPlan,
    pub(super) intent: Option<IntentPlan>,
    pub(super) claimed: Option<bool>,
}

impl TurnPlan {
    /// Whether an optional policy is declared.
    pub(super) fn declares(&self, policy: Declared) -> bool {
        self.declared.get(policy as usize).copied().unwrap_or(false)
    }

    /// Whether the document of a mandatory policy comes along.
    pub(super) fn supplies(&self, policy: Supplied) -> bool {
        self.supplied.get(policy as usize).copied().unwrap_or(false)
    }
}

/// The optional policies, as positions in a plan.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declared {
    Tool,
    Catalog,
    Defer,
    Example,
    Callers,
    Filter,
    EvalProfile,
    Parallel,
    Transport,
    Truncation,
    Boundary,
    Sandbox,
    Compaction,
    Guardrails,
    EvalGate,
    RedTeam,
    Scope,
    Contract,
    Stop,
    Protocol,
    RiskTier,
    Observability,
}

const DECLARED: usize = Declared::Observability as usize + 1;

/// The mandatory policies, as positions in a plan.
#[derive(Debug, Clone, Copy)]
pub(super) enum Supplied {
    Mutation,
    Governance,
    Render,
    Queue,
    View,
    Decomposition,
}

const SUPPLIED: usize = Supplied::Decomposition as usize + 1;

/// Everything that is chosen about one call.
#[derive(Debug, Clone)]
pub(super) struct CallPlan {
    pub(super) id: &'static str,
    pub(super) tool: &'static str,
    pub(super) group: Option<&'static str>,
    pub(super) arguments: Content,
    pub(super) source: Option<bool>,
    pub(super) caller: bool,
    pub(super) program: Option<usize>,
    pub(super) outcome: Outcome,
    pub(super) provenance: Option<&'static str>,
    pub(super) extras: Extras,
    pub(super) usage: Usage,
}

/// A value that may be there, or its digest, or both.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Nothing,
    Digest(Value),
    Inline(Value),
    Both(Value),
}

/// How a call ended.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    Ok { says_so: bool, payload: Content },
    Error { says_so: bool, form: ErrorForm, retryable: bool, digest: bool },
}

/// Where the fields of an error stand.
#[derive(Debug, Clone, Copy)]
pub(super) enum ErrorForm {
    Flat,
    FlatMessageDigest,
    Raw,
    RawShort,
    Typed,
    FlatAndRaw,
}

/// Evidence beside the rows' core.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent choices, one by one")]
pub(super) struct Extras {
    pub(super) search: bool,
    pub(super) schema: bool,
    pub(super) metadata: bool,
    pub(super) tokens: bool,
    pub(super) ordered: bool,
    pub(super) artifacts: Vec<(&'static str, &'static str, bool)>,
    pub(super) request_guardrails: Vec<GuardrailPlan>,
    pub(super) result_guardrails: Vec<GuardrailPlan>,
}

/// One guardrail decision; stages are always in order.
#[derive(Debug, Clone)]
pub(super) struct GuardrailPlan {
    pub(super) id: &'static str,
    pub(super) stage: usize,
    pub(super) late: u64,
    pub(super) score: Option<f64>,
}

/// What became of a result.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    pub(super) disposition: &'static str,
    pub(super) cites: bool,
    pub(super) refers: &'static str,
    pub(super) rendered: bool,
}

/// How the turn ended and what the next context is made of.
#[derive(Debug, Clone)]
pub(super) struct ContextPlan {
    pub(super) stop_reason: &'static str,
    pub(super) continuation: Option<bool>,
    pub(super) queues: usize,
    pub(super) views: usize,
    pub(super) counters: bool,
    pub(super) session_refs: usize,
    pub(super) trajectory_refs: usize,
}

/// What happened around the calls.
#[derive(Debug, Clone)]
pub(super) struct AroundPlan {
    pub(super) role: Option<&'static str>,
    pub(super) handoff: Option<(bool, bool)>,
    pub(super) guardrails: Vec<GuardrailPlan>,
    /// The parent of each worker, as a position among those before it.
    pub(super) workers: Vec<Option<prop::sample::Index>>,
    pub(super) compaction: bool,
    pub(super) observed: bool,
    pub(super) asserted: bool,
    pub(super) choice: Option<&'static str>,
}

/// The mutation that is asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct IntentPlan {
    pub(super) action: &'static str,
    pub(super) instruction: bool,
    pub(super) claims_all: bool,
    pub(super) further_claims: usize,
}

pub(super) const TOOLS: [&str; 4] = ["edit", "read_file", "run_command", "search"];

/// A plan with so many calls.
pub(super) fn turn(calls: RangeInclusive<usize>) -> impl Strategy<Value = TurnPlan> {
    let patterns =
        vec!["single", "chain", "route", "parallel", "orchestrator_workers", "evaluator_optimizer"];
    let shape = (any::<bool>(), select(vec!["code", "json", "text"]), select(patterns));
    let policies = (
        select(vec!["sha256:", "pol1_"]),
        vec_of_flags(0.2, DECLARED),
        vec_of_flags(0.35, SUPPLIED),
        option::weighted(0.3, any::<bool>()),
    );
    (shape, vec(call(), calls), policies, context(), around(), option::weighted(0.35, intent())).prop_map(
        |((strict, mode, pattern), calls, (prefix, declared, supplied, claimed), context, around, intent)| {
            TurnPlan {
                strict,
                mode,
                pattern,
                prefix,
                calls,
                declared,
                supplied,
                context,
                around,
                intent,
                claimed,
            }
        },
    )
}

fn vec_of_flags(probability: f64, count: usize) -> impl Strategy<Value = Vec<bool>> {
    vec(prop::bool::weighted(probability), count)
}

fn call() -> impl Strategy<Value = CallPlan> {
    let request = (
        select(vec!["call", "b", "zulu", "Ä", "呼", "call 7"]),
        select(TOOLS.to_vec()),
        option::weighted(0.4, select(vec!["g", "h", "-"])),
        content(),
        option::of(any::<bool>()),
        any::<bool>(),
        option::weighted(0.3, 0_usize..2),
    );
    let result = (outcome(), option::weighted(0.3, select(vec!["command", "api", "route"])));
    (request, result, extras(), usage()).prop_map(
        |((id, tool, group, arguments, source, caller, program), (outcome, provenance), extras, usage)| {
            CallPlan {
                id,
                tool,
                group,
                arguments,
                source,
                caller,
                program,
                outcome,
                provenance,
                extras,
                usage,
            }
        },
    )
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let forms = vec![
        ErrorForm::Flat,
        ErrorForm::FlatMessageDigest,
        ErrorForm::Raw,
        ErrorForm::RawShort,
        ErrorForm::Typed,
        ErrorForm::FlatAndRaw,
    ];
    let ok = (any::<bool>(), content()).prop_map(|(says_so, payload)| Outcome::Ok { says_so, payload });
    let error = (any::<bool>(), select(forms), any::<bool>(), any::<bool>())
        .prop_map(|(says_so, form, retryable, digest)| Outcome::Error { says_so, form, retryable, digest });
    prop_oneof![3 => ok, 2 => error]
}

fn content() -> impl Strategy<Value = Content> {
    prop_oneof![
        Just(Content::Nothing),
        json().prop_map(Content::Digest),
        json().prop_map(Content::Inline),
        json().prop_map(Content::Both),
    ]
}

/// Some JSON that is not null: `null` is an absent value on the wire.
pub(super) fn json() -> impl Strategy<Value = Value> {
    let texts = select(vec!["", " ", " padded ", "tool", "größe", "日本", "a\"b\\c\n"]);
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-1000_i64..1000).prop_map(Value::from),
        texts.prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let inner = prop_oneof![3 => inner, 1 => Just(Value::Null)];
        let object = vec((select(vec!["a", "b", "path", "Z"]), inner.clone()), 0..3).prop_map(|members| {
            let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
            Value::Object(members.collect::<Map<String, Value>>())
        });
        prop_oneof![vec(inner, 0..3).prop_map(Value::Array), object]
    })
}

fn extras() -> impl Strategy<Value = Extras> {
    let artifact =
        (select(vec!["work/a.rs", "work/src/b.rs", "work"]), select(vec!["read", "write"]), any::<bool>());
    (
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.3),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(artifact, 1..4)],
        prop_oneof![4 => Just(Vec::new()), 1 => vec(guardrail(), 1..4)],
        prop_oneof![4 => Just(Vec::new()), 1 => vec(guardrail(), 1..4)],
    )
        .prop_map(
            |(
                search,
                schema,
                metadata,
                tokens,
                ordered,
                artifacts,
                request_guardrails,
                result_guardrails,
            )| {
                Extras {
                    search,
                    schema,
                    metadata,
                    tokens,
                    ordered,
                    artifacts,
                    request_guardrails,
                    result_guardrails,
                }
            },
        )
}

fn guardrail() -> impl Strategy<Value = GuardrailPlan> {
    let score = option::weighted(0.3, -1.0e3_f64..1.0e3);
    (select(vec!["g1", "g2", "g3"]), 0_usize..3, 0_u64..4, score)
        .prop_map(|(id, stage, late, score)| GuardrailPlan { id, stage, late, score })
}

fn usage() -> impl Strategy<Value = Usage> {
    let dispositions = vec![
        "consumed",
        "observed_only",
        "observed",
        "discarded_with_reason",
        "discarded",
        "retry_scheduled",
    ];
    let refs = vec!["summaryRef", "handoffRef", "mutationInputRef"];
    (select(dispositions), any::<bool>(), select(refs), any::<bool>())
        .prop_map(|(disposition, cites, refers, rendered)| Usage { disposition, cites, refers, rendered })
}

fn context() -> impl Strategy<Value = ContextPlan> {
    (
        select(vec!["tool_use", "pause_turn", "max_tokens", "end_turn"]),
        option::of(any::<bool>()),
        0_usize..3,
        0_usize..3,
        any::<bool>(),
        0_usize..3,
        0_usize..2,
    )
        .prop_map(
            |(stop_reason, continuation, queues, views, counters, session_refs, trajectory_refs)| {
                ContextPlan {
                    stop_reason,
                    continuation,
                    queues,
                    views,
                    counters,
                    session_refs,
                    trajectory_refs,
                }
            },
        )
}

fn around() -> impl Strategy<Value = AroundPlan> {
    (
        option::weighted(0.25, select(vec!["orchestrator", "specialist"])),
        option::weighted(0.3, any::<(bool, bool)>()),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(guardrail(), 1..4)],
        prop_oneof![2 => Just(Vec::new()), 1 => vec(option::of(any::<prop::sample::Index>()), 1..5)],
        any::<bool>(),
        any::<bool>(),
        prop::bool::weighted(0.2),
        option::weighted(0.3, select(vec!["auto", "any", "specific:"])),
    )
        .prop_map(|(role, handoff, guardrails, workers, compaction, observed, asserted, choice)| {
            AroundPlan { role, handoff, guardrails, workers, compaction, observed, asserted, choice }
        })
}

fn intent() -> impl Strategy<Value = IntentPlan> {
    let actions = select(vec!["issue.update", "policy.update", "handoff.transfer", "policies.sync", "a.b.c"]);
    (actions, any::<bool>(), any::<bool>(), 0_usize..3).prop_map(
        |(action, instruction, claims_all, further_claims)| IntentPlan {
            action,
            instruction,
            claims_all,
            further_claims,
        },
    )
}
