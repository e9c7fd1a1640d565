//! The spans of one run: `invoke_agent` around it, `chat` around each turn, `execute_tool` around each call.
//!
//! Names follow the conventions for generative AI; what is ours is under `premath.`. Ids follow from the run, so that a run
//! that goes on later is in the same trace. It must not tell a text that was not redacted.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry::{Array, InstrumentationScope, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use premath_kernel::sha256;
use premath_tusk::evidence::{CallOutcome, Payload};
use premath_tusk::model::ModelEvent;
use premath_tusk::turn_loop::{RunEvent, RunOutcome, RunReport, StopCause, Verdict};

use crate::export::Exporter;
use crate::spans::Contents;

/// The most bytes of one content.
const LONGEST: usize = 64 * 1024;

/// What a span is told through, and when.
pub(crate) struct Place<'p> {
    pub(crate) exporter: &'p Exporter,
    pub(crate) contents: Contents,
    pub(crate) redact: &'p (dyn Fn(&str) -> String + Sync),
    pub(crate) at: SystemTime,
}

impl Place<'_> {
    /// A text of somebody else, as it may be told.
    fn text(&self, text: &str) -> String {
        // The whole is looked at before it is cut, so that a secret across the cut is found.
        let mut clean = (self.redact)(text);
        clean.truncate(clean.floor_char_boundary(LONGEST));
        clean
    }

    fn is_told(&self) -> bool {
        self.contents == Contents::Told
    }
}

/// A span of a trace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parent {
    trace: TraceId,
    span: SpanId,
}

#[derive(Debug)]
struct Open {
    name: String,
    kind: SpanKind,
    context: Parent,
    parent: Option<SpanId>,
    start: SystemTime,
    attributes: Vec<KeyValue>,
    status: Status,
}

impl Open {
    fn set(&mut self, key: &'static str, value: impl Into<Value>) {
        self.attributes.push(KeyValue::new(key, value));
    }

    fn fail(&mut self, class: &str) {
        self.set("error.type", class.to_owned());
        self.status = Status::error(class.to_owned());
    }

    fn end(self, place: &Place<'_>) {
        let Parent { trace, span } = self.context;
        let context = SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::default());
        place.exporter.send(SpanData {
            span_context: context,
            parent_span_id: self.parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: false,
            span_kind: self.kind,
            name: self.name.into(),
            start_time: self.start,
            end_time: place.at.max(self.start),
            attributes: self.attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: self.status,
            instrumentation_scope: InstrumentationScope::builder("premath").build(),
        });
    }
}

/// The open spans of one run.
#[derive(Debug)]
pub(crate) struct RunSpans {
    /// What the ids of its spans begin with.
    seed: String,
    run: Open,
    turn: Option<Open>,
    calls: BTreeMap<String, Open>,
    /// What policy said about calls that have not begun.
    judged: BTreeMap<String, Vec<KeyValue>>,
    said: String,
}

impl RunSpans {
    /// A run begins.
    pub(crate) fn begin(
        event: &RunEvent<'_>,
        parent: Option<Parent>,
        number: u64,
        place: &Place<'_>,
    ) -> Option<Self> {
        let RunEvent::Started { run_id, task, issue_id, models, pattern, is_resumed, depth, denied, .. } =
            event
        else {
            return None;
        };
        let since = place.at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_nanos();
        let seed = format!("{run_id} {number} {since}");
        let trace = parent.map_or_else(|| trace_id(run_id), |parent| parent.trace);
        let mut run = Open {
            name: "invoke_agent premath".to_owned(),
            kind: SpanKind::Internal,
            context: Parent { trace, span: span_id(&seed) },
            parent: parent.map(|parent| parent.span),
            start: place.at,
            attributes: Vec::new(),
            status: Status::Unset,
        };
        run.set("gen_ai.operation.name", "invoke_agent");
        run.set("gen_ai.agent.name", "premath");
        run.set("gen_ai.agent.id", (*run_id).to_owned());
        run.set("gen_ai.conversation.id", (*run_id).to_owned());
        if let Some(reference) = models.first() {
            name_model(&mut run, reference);
        }
        if let Some(issue) = issue_id {
            run.set("premath.issue.id", (*issue).to_owned());
        }
        run.set("premath.run.pattern", *pattern);
        run.set("premath.run.resumed", *is_resumed);
        run.set("premath.run.depth", signed(*depth));
        if !denied.is_empty() {
            run.set("premath.policy.denied", signed(u64::try_from(denied.len()).unwrap_or(u64::MAX)));
        }
        if place.is_told() {
            run.set("gen_ai.input.messages", message("user", &place.text(task)));
        }
        let (calls, judged) = (BTreeMap::new(), BTreeMap::new());
        Some(Self { seed, run, turn: None, calls, judged, said: String::new() })
    }

    /// The innermost span that others belong to.
    pub(crate) fn current(&self) -> Parent {
        self.turn.as_ref().map_or(self.run.context, |turn| turn.context)
    }

    /// Something happens in it.
    pub(crate) fn take(&mut self, event: &RunEvent<'_>, place: &Place<'_>) {
        match event {
            RunEvent::TurnStarted { call_id, turn, harness } => self.turn(call_id, *turn, *harness, place),
            RunEvent::Model(ModelEvent::TextDelta { text, .. }) if place.is_told() => {
                self.said.push_str(text)
            }
            RunEvent::Answered { .. } => self.answered(event, place),
            RunEvent::Judged { judgement, .. } => {
                let mut said = vec![KeyValue::new("premath.policy.decision", judgement.effect.token())];
                let code = judgement.error.as_ref().map(|error| error.code.code());
                said.extend(code.map(|code| KeyValue::new("premath.policy.code", code)));
                self.judged.insert(judgement.tool_call_id.clone(), said);
            }
            RunEvent::CallStarted { tool_call_id, tool, arguments, .. } => {
                self.call(tool_call_id, tool, Some(arguments.as_str()), place.at, place);
            }
            RunEvent::CallFinished { tool, outcome, millis } => self.finished(tool, outcome, *millis, place),
            RunEvent::Closed(verdict) => self.closed(verdict, place),
            RunEvent::Stopped(report) => self.stopped(report, place),
            RunEvent::Started { .. }
            | RunEvent::Model(_)
            | RunEvent::Applied(_)
            | RunEvent::WorkerStarted { .. }
            | RunEvent::WorkerFinished { .. }
            | RunEvent::Worker { .. }
            | RunEvent::Asked { .. }
            | RunEvent::Planned { .. }
            | RunEvent::Confirmed { .. }
            | RunEvent::PlanDecided(_)
            | RunEvent::Decided { .. }
            | RunEvent::Compacted { .. }
            | RunEvent::HandedOff { .. } => {}
        }
    }

    fn child(&self, name: String, kind: SpanKind, key: &str, start: SystemTime) -> Open {
        let parent = self.current();
        let span = span_id(&format!("{} {key}", self.seed));
        let context = Parent { trace: parent.trace, span };
        let (attributes, status) = (Vec::new(), Status::Unset);
        Open { name, kind, context, parent: Some(parent.span), start, attributes, status }
    }

    fn turn(&mut self, call_id: &str, number: u64, harness: Option<&'static str>, place: &Place<'_>) {
        self.end_turn(place);
        let (name, kind) = match harness {
            Some(does) => (format!("premath.harness {does}"), SpanKind::Internal),
            None => ("chat".to_owned(), SpanKind::Client),
        };
        let mut turn = self.child(name, kind, call_id, place.at);
        if harness.is_none() {
            turn.set("gen_ai.operation.name", "chat");
        }
        turn.set("premath.call.id", call_id.to_owned());
        turn.set("premath.turn.number", signed(number));
        self.turn = Some(turn);
    }

    fn answered(&mut self, event: &RunEvent<'_>, place: &Place<'_>) {
        let RunEvent::Answered { model, usage, cost_micros, stop, .. } = event else { return };
        let said = std::mem::take(&mut self.said);
        let Some(turn) = &mut self.turn else { return };
        name_model(turn, model);
        turn.name = format!("chat {}", split(model).1);
        let input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        turn.set("gen_ai.usage.input_tokens", signed(input));
        turn.set("gen_ai.usage.output_tokens", signed(usage.output_tokens));
        turn.set("gen_ai.response.finish_reasons", list(&[place.text(stop)]));
        if let Some(micros) = cost_micros {
            turn.set("premath.cost.micro_usd", signed(*micros));
        }
        if place.is_told() && !said.is_empty() {
            turn.set("gen_ai.output.messages", message("assistant", &place.text(&said)));
        }
    }

    fn call(&mut self, id: &str, tool: &str, arguments: Option<&str>, start: SystemTime, place: &Place<'_>) {
        let tool = place.text(tool);
        let mut call =
            self.child(format!("execute_tool {tool}"), SpanKind::Internal, &format!("call {id}"), start);
        call.set("gen_ai.operation.name", "execute_tool");
        call.set("gen_ai.tool.name", tool);
        call.set("gen_ai.tool.call.id", place.text(id));
        call.attributes.extend(self.judged.remove(id).unwrap_or_default());
        if let Some(arguments) = arguments.filter(|_| place.is_told()) {
            call.set("gen_ai.tool.call.arguments", place.text(arguments));
        }
        self.calls.insert(id.to_owned(), call);
    }

    fn finished(&mut self, tool: &str, outcome: &CallOutcome, millis: u64, place: &Place<'_>) {
        let id = &outcome.tool_call_id;
        if !self.calls.contains_key(id) {
            let start = place.at.checked_sub(Duration::from_millis(millis)).unwrap_or(place.at);
            self.call(id, tool, None, start, place);
        }
        let Some(mut call) = self.calls.remove(id) else { return };
        if let Some(failure) = outcome.failure() {
            call.fail(&place.text(&failure.error_code));
        }
        if place.is_told() {
            let result = match &outcome.payload {
                Payload::Inline(text) => text,
                Payload::Stored { head, .. } => head,
            };
            call.set("gen_ai.tool.call.result", place.text(result));
        }
        call.end(place);
    }

    fn closed(&mut self, verdict: &Verdict, place: &Place<'_>) {
        if let Some(turn) = &mut self.turn {
            turn.set("premath.turn.digest", verdict.turn_digest.clone());
            turn.set("premath.turn.verdict", if verdict.is_closed { "accepted" } else { "rejected" });
            let mut classes: Vec<String> = verdict.reasons.iter().map(|(class, ..)| class.clone()).collect();
            classes.sort();
            classes.dedup();
            if let Some(first) = classes.first() {
                turn.fail(first);
                turn.set("premath.failure_classes", list(&classes));
            }
        }
        self.end_turn(place);
    }

    fn end_turn(&mut self, place: &Place<'_>) {
        while let Some((_, call)) = self.calls.pop_first() {
            call.end(place);
        }
        if let Some(turn) = self.turn.take() {
            turn.end(place);
        }
    }

    fn stopped(&mut self, report: &RunReport, place: &Place<'_>) {
        self.end_turn(place);
        self.run.set("premath.run.outcome", report.outcome.token());
        self.run.set("premath.run.turns", signed(report.turns));
        self.run.set("premath.run.refused_turns", signed(report.refused_turns));
        self.run.set("premath.run.tool_calls", signed(report.tool_calls));
        self.run.set("premath.run.tokens", signed(report.tokens));
        self.run.set("premath.cost.micro_usd", signed(report.cost_micros));
        match &report.outcome {
            RunOutcome::FailedClosed { classes, .. } => {
                self.run.fail(classes.first().map_or("failed_closed", String::as_str));
                self.run.set("premath.failure_classes", list(classes));
            }
            RunOutcome::Stopped(StopCause::Model { kind, .. }) => self.run.fail(kind),
            RunOutcome::Completed | RunOutcome::HandedOff { .. } | RunOutcome::Stopped(_) => {}
        }
        if place.is_told() {
            self.run.set("gen_ai.output.messages", message("assistant", &place.text(&report.text)));
        }
        self.end(place);
    }

    /// The run span ends in place: nothing of it is told twice.
    fn end(&mut self, place: &Place<'_>) {
        let spent = self.child(String::new(), SpanKind::Internal, "spent", place.at);
        std::mem::replace(&mut self.run, spent).end(place);
    }

    /// Nobody said how it ended.
    pub(crate) fn cut_off(mut self, place: &Place<'_>) {
        self.end_turn(place);
        self.run.fail("cut_off");
        self.run.end(place);
    }
}

fn name_model(span: &mut Open, reference: &str) {
    let (provider, model) = split(reference);
    span.set("gen_ai.provider.name", provider.to_owned());
    span.set("gen_ai.request.model", model.to_owned());
}

/// Who serves a model, and what it is called there.
fn split(reference: &str) -> (&str, &str) {
    reference.split_once(':').unwrap_or(("premath", reference))
}

/// One message as the conventions write a list of them.
fn message(role: &str, content: &str) -> String {
    serde_json::json!([{ "role": role, "parts": [{ "type": "text", "content": content }] }]).to_string()
}

fn list(texts: &[String]) -> Value {
    Value::Array(Array::String(texts.iter().cloned().map(StringValue::from).collect()))
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn trace_id(run_id: &str) -> TraceId {
    let hash = sha256(format!("premath trace {run_id}").as_bytes());
    TraceId::from_bytes(hash.first_chunk::<16>().copied().unwrap_or_default())
}

fn span_id(seed: &str) -> SpanId {
    let hash = sha256(format!("premath span {seed}").as_bytes());
    SpanId::from_bytes(hash.first_chunk::<8>().copied().unwrap_or_default())
}
