//! Spans as a collector receives them: decoded from the wire, with their parents, their attributes, and without secrets.

#![expect(clippy::panic, clippy::unwrap_used, reason = "what cannot be done fails the test")]

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::trace::v1::Span;
use premath_kernel::Moment;
use premath_telemetry::{Contents, Exporter, Target, Told, Tracer};
use premath_tusk::JsonText;
use premath_tusk::evidence::{CallOutcome, CallStatus, Payload};
use premath_tusk::model::{ModelEvent, Usage};
use premath_tusk::turn_loop::{RunEvent, RunOutcome, RunReport, Verdict};
use prost::Message as _;

const SECRET: &str = "zq9F3kLmP0aXw7RtYb2N";
const WAIT: Duration = Duration::from_secs(20);

/// A collector on this machine: its address, and what it is sent.
fn collector() -> (String, Receiver<Vec<u8>>) {
    let (sent, received) = channel();
    let (address, bound) = channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            address.send(listener.local_addr().unwrap()).unwrap();
            let take = |State(sent): State<std::sync::mpsc::Sender<Vec<u8>>>, body: Bytes| async move {
                sent.send(body.to_vec()).unwrap();
                Vec::<u8>::new()
            };
            let routes = Router::new().route("/v1/traces", post(take)).with_state(sent);
            axum::serve(listener, routes).await.unwrap();
        });
    });
    (format!("http://{}", bound.recv_timeout(WAIT).unwrap()), received)
}

fn at(seconds: i64) -> Moment {
    Moment::new(1_800_000_000 + seconds, 0).unwrap()
}

fn redact(text: &str) -> String {
    text.replace(SECRET, "[redacted]")
}

/// One run with one turn and two calls, told step by step.
fn tell(tracer: &mut Tracer<'_>) {
    let models = ["scripted:scene.toml".to_owned()];
    let task = format!("use {SECRET}");
    let started = RunEvent::Started {
        run_id: "run-1",
        task: &task,
        issue_id: Some("bd-1"),
        models: &models,
        pattern: "chain",
        is_resumed: false,
        depth: 0,
        reads_history: false,
        denied: &[],
        blocked: &[],
        workdir: std::path::Path::new("/work/project"),
    };
    tracer.take(&started, at(0));
    tracer.take(&RunEvent::TurnStarted { call_id: "run-1.t0001", turn: 1, harness: None }, at(1));
    let (first, second) = SECRET.split_at(SECRET.len() / 2);
    for piece in ["I say ", first, second] {
        let delta = ModelEvent::TextDelta { index: 0, text: piece.to_owned() };
        tracer.take(&RunEvent::Model(&delta), at(2));
    }
    let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
    let answered = RunEvent::Answered {
        call_id: "run-1.t0001",
        model: "scripted:scene.toml",
        usage,
        cost_micros: Some(7),
        stop: "tool_use".to_owned(),
    };
    tracer.take(&answered, at(3));
    let arguments = JsonText::new(format!("{{\"path\":\"{SECRET}\"}}")).unwrap();
    for id in ["good", "bad"] {
        let call = RunEvent::CallStarted {
            tool_call_id: id,
            tool: "fs_read",
            arguments: &arguments,
            diff: None,
            program: None,
        };
        tracer.take(&call, at(4));
    }
    let mut good = CallOutcome::empty("good", CallStatus::Ok);
    good.payload = Payload::Inline(format!("found {SECRET}"));
    let bad = CallOutcome::failed("bad", "fs.missing", false, "nothing there");
    for outcome in [&good, &bad] {
        tracer.take(&RunEvent::CallFinished { tool: "fs_read", outcome, millis: 5 }, at(5));
    }
    let verdict = Verdict {
        call_id: "run-1.t0001".to_owned(),
        is_closed: false,
        reasons: vec![("join.result_missing".to_owned(), "bad".to_owned(), SECRET.to_owned())],
        turn_digest: "sha256:00".to_owned(),
        witness_id: "w1_00".to_owned(),
    };
    tracer.take(&RunEvent::Closed(&verdict), at(6));
    tracer.take(&RunEvent::Stopped(&report()), at(7));
}

fn report() -> RunReport {
    RunReport {
        run_id: "run-1".to_owned(),
        outcome: RunOutcome::Completed,
        text: format!("done with {SECRET}"),
        turns: 1,
        refused_turns: 1,
        tool_calls: 2,
        tokens: 15,
        cost_micros: 7,
        wall_millis: 7_000,
        workers: 0,
        applied: 0,
        filtered_tokens: 0,
        unfiltered_tokens: 0,
        is_kept: true,
    }
}

fn collected(contents: Contents) -> (Vec<Span>, Vec<u8>) {
    let (address, received) = collector();
    let exporter = Exporter::start(&Target::parse(&address).unwrap(), "0.0.0").unwrap();
    let mut tracer = Tracer::new(exporter, contents, &redact);
    tell(&mut tracer);
    let told = tracer.finish(at(8), WAIT);
    assert_eq!(told, Told { sent: 4, dropped: 0, lost: 0 });
    sent(&received, 4)
}

/// So many spans, in however many messages they came.
fn sent(received: &Receiver<Vec<u8>>, count: usize) -> (Vec<Span>, Vec<u8>) {
    let (mut spans, mut bytes) = (Vec::new(), Vec::new());
    while spans.len() < count {
        let body = received.recv_timeout(WAIT).unwrap();
        let request = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
        for resource in request.resource_spans {
            spans.extend(resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
        bytes.extend(body);
    }
    (spans, bytes)
}

fn named<'s>(spans: &'s [Span], name: &str, failed: Option<&str>) -> &'s Span {
    let is_it = |span: &&Span| span.name == name && text(span, "error.type").as_deref() == failed;
    spans.iter().find(is_it).unwrap_or_else(|| panic!("no `{name}` in {spans:#?}"))
}

fn value(span: &Span, key: &str) -> Option<Value> {
    span.attributes.iter().find(|one| one.key == key)?.value.clone()?.value
}

fn text(span: &Span, key: &str) -> Option<String> {
    let value = value(span, key)?;
    let Value::StringValue(text) = value else { panic!("{key}: {value:?}") };
    Some(text)
}

#[test]
fn a_run_its_turn_and_its_calls_are_spans_inside_each_other() {
    let (spans, bytes) = collected(Contents::Left);
    let run = named(&spans, "invoke_agent premath", None);
    let turn = named(&spans, "chat scene.toml", Some("join.result_missing"));
    let good = named(&spans, "execute_tool fs_read", None);
    let bad = named(&spans, "execute_tool fs_read", Some("fs.missing"));
    assert!(run.parent_span_id.is_empty());
    assert_eq!(turn.parent_span_id, run.span_id);
    for call in [good, bad] {
        assert_eq!(call.parent_span_id, turn.span_id);
        assert_eq!(call.trace_id, run.trace_id);
    }
    assert_eq!(turn.end_time_unix_nano - turn.start_time_unix_nano, 5_000_000_000);
    assert_eq!(text(turn, "gen_ai.operation.name").unwrap(), "chat");
    assert_eq!(text(turn, "gen_ai.provider.name").unwrap(), "scripted");
    assert_eq!(text(turn, "gen_ai.request.model").unwrap(), "scene.toml");
    assert_eq!(value(turn, "gen_ai.usage.input_tokens").unwrap(), Value::IntValue(10));
    assert_eq!(value(turn, "gen_ai.usage.output_tokens").unwrap(), Value::IntValue(5));
    assert_eq!(text(turn, "premath.turn.verdict").unwrap(), "rejected");
    assert_eq!(text(turn, "premath.turn.digest").unwrap(), "sha256:00");
    assert_eq!(text(good, "gen_ai.tool.name").unwrap(), "fs_read");
    assert_eq!(text(bad, "gen_ai.tool.call.id").unwrap(), "bad");
    assert_eq!(text(run, "premath.run.outcome").unwrap(), "completed");
    let all = String::from_utf8_lossy(&bytes);
    for content in ["I say", "found", "done with", SECRET] {
        assert!(!all.contains(content), "{content}");
    }
}

#[test]
fn contents_are_told_when_they_may_be_and_never_with_a_secret() {
    let (spans, bytes) = collected(Contents::Told);
    let all = String::from_utf8_lossy(&bytes);
    assert!(!all.contains(SECRET));
    let turn = named(&spans, "chat scene.toml", Some("join.result_missing"));
    let said = r#"[{"role":"assistant","parts":[{"type":"text","content":"I say [redacted]"}]}]"#;
    assert_eq!(text(turn, "gen_ai.output.messages").unwrap(), said);
    let good = named(&spans, "execute_tool fs_read", None);
    assert_eq!(text(good, "gen_ai.tool.call.result").unwrap(), "found [redacted]");
    assert_eq!(text(good, "gen_ai.tool.call.arguments").unwrap(), "{\"path\":\"[redacted]\"}");
}

#[test]
fn a_collector_that_is_not_there_loses_spans_and_says_how_many() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let exporter = Exporter::start(&Target::parse(&address).unwrap(), "0.0.0").unwrap();
    let mut tracer = Tracer::new(exporter, Contents::Left, &redact);
    tell(&mut tracer);
    let told = tracer.finish(at(8), WAIT);
    assert_eq!((told.sent, told.dropped + told.lost), (0, 4));
}

#[test]
fn a_collector_that_never_answers_holds_up_nobody_beyond_the_deadline() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let exporter = Exporter::start(&Target::parse(&address).unwrap(), "0.0.0").unwrap();
    let mut tracer = Tracer::new(exporter, Contents::Left, &redact);
    // More than wait at most: the rest is dropped, and counted.
    for _ in 0..1_000 {
        tell(&mut tracer);
    }
    let told = tracer.finish(at(8), Duration::from_millis(50));
    assert_eq!(told.sent, 0);
    assert_eq!(told.dropped + told.lost, 4_000);
    assert!(told.dropped > 0, "{told:?}");
}

#[test]
fn what_is_open_when_a_run_is_cut_off_is_told_as_that() {
    let (address, received) = collector();
    let exporter = Exporter::start(&Target::parse(&address).unwrap(), "0.0.0").unwrap();
    let mut tracer = Tracer::new(exporter, Contents::Left, &redact);
    let started = RunEvent::Started {
        run_id: "run-2",
        task: "x",
        issue_id: None,
        models: &[],
        pattern: "chain",
        is_resumed: false,
        depth: 0,
        reads_history: false,
        denied: &[],
        blocked: &[],
        workdir: std::path::Path::new("/work/project"),
    };
    tracer.take(&started, at(0));
    // A worker of the run, with the turn of its parent around it.
    tracer.take(&RunEvent::TurnStarted { call_id: "run-2.t0001", turn: 1, harness: None }, at(1));
    tracer.take(&RunEvent::Worker { issue_id: "bd-2", event: &started }, at(2));
    assert_eq!(tracer.finish(at(3), WAIT).sent, 3);
    let (spans, _) = sent(&received, 3);
    let runs: Vec<&Span> = spans.iter().filter(|span| span.name == "invoke_agent premath").collect();
    let turn = named(&spans, "chat", None);
    assert!(runs.iter().any(|run| run.parent_span_id == turn.span_id));
    assert!(runs.iter().all(|run| text(run, "error.type").as_deref() == Some("cut_off")));
}

#[test]
fn addresses_are_read_as_collectors_give_them() {
    for good in
        ["http://127.0.0.1:4318", "http://127.0.0.1:4318/", "https://a.example/otlp/v1/traces", "unix:/a"]
    {
        assert!(Target::parse(good).is_ok(), "{good}");
    }
    assert_eq!(
        Target::parse("http://127.0.0.1:4318/").unwrap(),
        Target::parse("http://127.0.0.1:4318/v1/traces").unwrap()
    );
    for bad in ["", "127.0.0.1:4318", "ftp://a", "unix:a", "file:///etc/passwd"] {
        assert!(Target::parse(bad).is_err(), "{bad}");
    }
}
