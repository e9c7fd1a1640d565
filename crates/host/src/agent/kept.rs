//! What stays of a row when nothing that was said may stay: its kind, digests, counts, codes and verdicts.
//!
//! A member stays because it is named here; whatever a newer row has besides does not. Names of tools and models stay where
//! the run began with them, for a model can ask for any name. It must not keep a text that a person, a model or a tool wrote.

use std::collections::BTreeSet;

use premath_bd::{JournalEvent, StoreError};
use premath_kernel::{Digest, Fields, Object, Value, encode};
use premath_tusk::turn_loop::{Relation, RunConfig};

/// The member of the first row that says whose private store has the rest.
pub(super) const RETENTION: &str = "retention";

/// Numbers and flags that stay.
const COUNTS: [&str; 32] = [
    "applied",
    "bytes",
    "cacheRead",
    "cacheWrite",
    "checkpointEvery",
    "costMicros",
    "depth",
    "dropped",
    "durationMicros",
    "elapsedMillis",
    "exitCode",
    "filteredTokens",
    "identicalCalls",
    "input",
    "output",
    "parallel",
    "pass",
    "reasoning",
    "refusedTurns",
    "retryAfterMs",
    "retryable",
    "scoreMillis",
    "thresholdMillis",
    "tokens",
    "toolCalls",
    "triggered",
    "turn",
    "turns",
    "unfilteredTokens",
    "wallMillis",
    "workers",
    "workflowTurns",
];
/// Texts that are words of ours.
const TOKENS: [&str; 30] = [
    "action",
    "answer",
    "approvalId",
    "callId",
    "callSpecDigest",
    "class",
    "code",
    "contextDigest",
    "decision",
    "digest",
    "effect",
    "error",
    "errorCode",
    "errorKind",
    "id",
    "intentDigest",
    "issueId",
    "outcome",
    "preview",
    "proposalId",
    "purpose",
    "result",
    "runId",
    "source",
    "stage",
    "state",
    "status",
    "subjectId",
    "turnDigest",
    "witnessId",
];
/// Members that are looked into.
const ROWS: [&str; 13] = [
    "calls",
    "confirmations",
    "error",
    "guards",
    "limits",
    "outcomes",
    "reasons",
    "results",
    "steps",
    "stored",
    "traces",
    "usage",
    "workers",
];
/// Why a model ends, in our words.
const STOPS: [&str; 5] = ["end_turn", "max_tokens", "pause_turn", "refusal", "tool_use"];

/// Makes the rows that stay.
#[derive(Debug)]
pub(super) struct Projection {
    owner: String,
    tools: BTreeSet<String>,
    models: BTreeSet<String>,
}

impl Projection {
    /// Of a run whose payloads are in the private store of `owner`.
    pub(super) const fn new(owner: String) -> Self {
        Self { owner, tools: BTreeSet::new(), models: BTreeSet::new() }
    }

    /// What stays of a row.
    pub(super) fn row(&mut self, event: &Value<'_>) -> Result<JournalEvent, StoreError> {
        let whole = encode(event);
        let payload = Object::fields()
            .field("bytes", number(whole.len()))
            .field("digest", Digest::of_bytes(&whole).as_str().to_owned())
            .finish();
        let kind = text(event, "kind").unwrap_or_default().to_owned();
        let fields = if kind == "run.started" { self.started(event) } else { self.members(event) };
        let fields = match kind.as_str() {
            "turn.answered" => self.answered(fields, event),
            // The limit that was reached is one of ours.
            "run.stopped" if text(event, "outcome") == Some("limit") => fields
                .optional("detail", text(event, "detail").filter(|name| is_token(name)).map(str::to_owned)),
            _other => fields,
        };
        Ok(JournalEvent::of(&fields.field("kind", kind).field("payload", payload).finish())?)
    }

    fn started(&mut self, event: &Value<'_>) -> Fields<'static> {
        let retention = Object::fields().field("kept", "digests").field("owner", self.owner.clone()).finish();
        let fields = Object::fields().field(RETENTION, retention);
        let config = event.as_object().and_then(|event| event.get("config"));
        let Some(config) = config.and_then(|config| RunConfig::from_value(config).ok()) else {
            return fields;
        };
        self.tools = config.tools.iter().map(|tool| tool.name.clone()).collect();
        self.models = config.models.iter().cloned().collect();
        let parent = config.parent.as_ref().map(|parent| {
            Object::fields()
                .field("relation", if parent.relation == Relation::Worker { "worker" } else { "successor" })
                .field("runId", parent.run_id.clone())
                .finish()
        });
        let policy = config.policy.as_ref();
        fields
            .field("configDigest", config.digest().as_str().to_owned())
            .optional("issueId", config.issue_id.clone())
            .field("models", Value::Array(config.models.iter().cloned().map(Value::from).collect()))
            .optional("observability", policy.map(|policy| policy.observability.token()))
            .optional("parent", parent)
            .field("pattern", config.workflow.pattern.token())
            .field("profile", config.profile.clone())
            .optional("rules", policy.map(|policy| policy.rules.clone()))
            .field("runId", config.run_id.clone())
            .field("taskDigest", Digest::of_bytes(config.task.as_bytes()).as_str().to_owned())
            .optional("tier", policy.map(|policy| policy.tier().token()))
            .field("tools", Value::Array(self.tools.iter().cloned().map(Value::from).collect()))
    }

    fn answered(&self, fields: Fields<'static>, event: &Value<'_>) -> Fields<'static> {
        let parts = event.as_object().and_then(|event| event.get("parts")).and_then(Value::as_array);
        let calls = parts.into_iter().flatten().filter(|part| text(part, "type") == Some("call"));
        let names =
            calls.filter_map(|part| text(part, "name")).map(|name| Value::from(self.tool(name).to_owned()));
        let stop = text(event, "stop").filter(|stop| STOPS.contains(stop)).unwrap_or("other");
        fields.field("stop", stop.to_owned()).field("tools", Value::Array(names.collect()))
    }

    fn tool<'n>(&self, name: &'n str) -> &'n str {
        if self.tools.contains(name) { name } else { "unknown" }
    }

    fn members(&self, row: &Value<'_>) -> Fields<'static> {
        let Some(row) = row.as_object() else { return Object::fields() };
        let names = COUNTS.into_iter().chain(TOKENS).chain(ROWS).chain(["classes", "modelRef", "tool"]);
        names.fold(Object::fields(), |fields, name| {
            fields.optional(name, row.get(name).and_then(|value| self.member(name, value)))
        })
    }

    fn member(&self, name: &str, value: &Value<'_>) -> Option<Value<'static>> {
        match value {
            Value::Null => None,
            Value::Bool(_) | Value::Number(_) => COUNTS.contains(&name).then(|| value.clone().into_owned()),
            Value::Text(text) => self.word(name, text),
            Value::Array(items) if name == "classes" => {
                let words = items.iter().filter_map(Value::as_text).filter(|word| is_token(word));
                Some(Value::Array(words.map(|word| Value::from(word.to_owned())).collect()))
            }
            Value::Array(items) if ROWS.contains(&name) => {
                Some(Value::Array(items.iter().map(|item| self.members(item).finish()).collect()))
            }
            Value::Object(_) if ROWS.contains(&name) => Some(self.members(value).finish()),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn word(&self, name: &str, text: &str) -> Option<Value<'static>> {
        let kept = match name {
            "tool" => self.tool(text),
            "modelRef" if self.models.contains(text) => text,
            _other if TOKENS.contains(&name) && is_token(text) => text,
            _other => return None,
        };
        Some(Value::from(kept.to_owned()))
    }
}

/// A word without space, short enough for a code, an id or a digest.
fn is_token(text: &str) -> bool {
    text.len() <= 160
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'-'))
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}

fn number(count: usize) -> Value<'static> {
    premath_kernel::Number::unsigned(u64::try_from(count).unwrap_or(u64::MAX))
        .map_or(Value::Null, Value::Number)
}
