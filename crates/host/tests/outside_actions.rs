//! Actions that reach outside: they answer in the schema they name, pass on what was asked, and refuse what is refused.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]

mod repository;
mod vectors;

use std::sync::Mutex;
use std::time::Duration;

use premath_host::{ActionError, Asked, Host, ListedPrices, ModelDoor, Probe, Question};
use premath_tusk::model::{
    AssistantPart, Delivery, ModelEvent, ModelResponse, ReasoningEffort, StopReason, Usage,
};
use premath_tusk::sandbox::{
    CapturedOutput, Ending, Interrupt, LayerReport, LayerState, Profile, Sandbox, SandboxCommand,
    SandboxError, SandboxEvidence, SandboxReport, SandboxRun,
};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{HostEffect, ModelListing, schema};
use repository::Repository;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use vectors::Vectors;

/// Notes what it is asked and answers with one part.
#[derive(Debug)]
struct Parrot {
    asked: Mutex<Vec<Question>>,
    part: AssistantPart,
    stop: StopReason,
}

impl Parrot {
    fn new(part: AssistantPart, stop: StopReason) -> Self {
        Self { asked: Mutex::new(Vec::new()), part, stop }
    }
}

impl ModelDoor for Parrot {
    fn list(&self, _: Probe, _: ListedPrices) -> Result<ModelListing, ActionError> {
        Ok(ModelListing {
            action: "model.list".to_owned(),
            chain: Vec::new(),
            count: 0,
            items: Vec::new(),
            prices: Vec::new(),
        })
    }

    fn ask(&self, question: &Question, watch: &mut dyn FnMut(&ModelEvent)) -> Result<Asked, ActionError> {
        self.asked.lock().unwrap().push(question.clone());
        watch(&ModelEvent::TextDelta { index: 0, text: "said".to_owned() });
        let response = ModelResponse {
            request_id: None,
            response_id: None,
            model: None,
            parts: vec![self.part.clone()],
            stop: self.stop.clone(),
            provider_stop: None,
            usage: Usage::default(),
        };
        let reference = "parrot:one".to_owned();
        Ok(Asked { reference, response, cost_micro_usd: Some(7), attempts: Vec::new() })
    }
}

/// Notes what it is to run and ends as it is told.
#[derive(Debug)]
struct Cell {
    ran: Mutex<Vec<SandboxCommand>>,
    ending: Result<Ending, &'static str>,
    stdout: CapturedOutput,
}

impl Cell {
    fn new(ending: Result<Ending, &'static str>) -> Self {
        let stdout = CapturedOutput { head: b"begin".to_vec(), tail: b"end".to_vec(), total_bytes: 100 };
        Self { ran: Mutex::new(Vec::new()), ending, stdout }
    }
}

impl Sandbox for Cell {
    fn run(&self, command: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        self.ran.lock().unwrap().push(command.clone());
        let ending = self.ending.map_err(|layer| SandboxError::LayerUnavailable {
            profile: command.profile.as_str().to_owned(),
            layer: layer.to_owned(),
            detail: "not here".to_owned(),
        })?;
        Ok(SandboxRun {
            ending,
            stdout: self.stdout.clone(),
            stderr: CapturedOutput::default(),
            evidence: SandboxEvidence {
                workdir: command.workdir.clone(),
                profile: command.profile,
                profile_digest: "sbx1_0".to_owned(),
                command_digest: "cmd1_0".to_owned(),
                layers: vec!["landlock".to_owned()],
                operator_override: None,
                wall: Duration::from_millis(3),
                user: Duration::ZERO,
                system: Duration::ZERO,
            },
        })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        let layer = LayerReport {
            layer: "landlock".to_owned(),
            state: if self.ending.is_ok() { LayerState::Enforced } else { LayerState::Unavailable },
            required_by: Profile::ALL.to_vec(),
            detail: "tried".to_owned(),
        };
        let usable = if self.ending.is_ok() { Profile::ALL.to_vec() } else { Vec::new() };
        Ok(SandboxReport { layers: vec![layer], usable, reading_history: Vec::new() })
    }
}

fn call(
    models: &dyn ModelDoor,
    sandbox: &dyn Sandbox,
    name: &str,
    arguments: &Value,
) -> Result<HostEffect<Box<RawValue>>, ActionError> {
    let repository = Repository::new();
    let plain = repository.host(&Vectors);
    let host = Host { vectors: &Vectors, workspace: plain.workspace, models, sandbox, agent: plain.agent };
    let bytes = arguments.to_string();
    host.call(name, &parse(bytes.as_bytes(), Limits::default()).unwrap())
}

#[track_caller]
fn fits(effect: &HostEffect<Box<RawValue>>, schema_name: &str) -> Value {
    let payload: Value = serde_json::from_str(effect.payload.get()).unwrap();
    let schema = schema(schema_name).unwrap();
    let validator = jsonschema::validator_for(schema.as_value()).unwrap();
    let misfits: Vec<String> = validator.iter_errors(&payload).map(|error| error.to_string()).collect();
    assert!(misfits.is_empty(), "{misfits:?}\n{payload}");
    assert_eq!(payload.get("action"), Some(&json!(effect.action)));
    payload
}

fn text(text: &str) -> AssistantPart {
    AssistantPart::Text(text.to_owned())
}

#[test]
fn a_question_is_passed_on_as_it_was_asked() {
    let parrot = Parrot::new(text("Yes."), StopReason::EndTurn);
    let arguments = json!({
        "prompt": "Is it?", "models": ["a:b"], "system": "Be brief.", "maxTokens": 9, "reasoning": "high", "whole": true
    });
    let effect = call(&parrot, &Cell::new(Ok(Ending::Exited(0))), "model.ask", &arguments).unwrap();
    let payload = fits(&effect, "ask");
    assert_eq!((&payload["text"], &payload["costMicroUsd"]), (&json!("Yes."), &json!(7)));
    let asked = parrot.asked.lock().unwrap();
    let [Question { references, request }] = asked.as_slice() else { panic!("{asked:?}") };
    assert_eq!(references, &["a:b"]);
    assert_eq!((request.max_output_tokens, request.delivery), (9, Delivery::Whole));
    assert_eq!(request.reasoning, Some(ReasoningEffort::High));
    assert_eq!(request.system.iter().next().unwrap().text, "Be brief.");
}

#[test]
fn a_model_that_refuses_is_a_refusal() {
    let parrot = Parrot::new(AssistantPart::Refusal("No.".to_owned()), StopReason::Refusal);
    let sandbox = Cell::new(Ok(Ending::Exited(0)));
    let effect = call(&parrot, &sandbox, "model.ask", &json!({ "prompt": "Do it" })).unwrap();
    assert_eq!((effect.result_class.as_str(), effect.failure_classes.len()), ("rejected", 1));
    assert_eq!(fits(&effect, "ask")["refusal"], "No.");
}

#[test]
fn a_command_is_passed_on_as_it_was_typed() {
    let (parrot, sandbox) = (Parrot::new(text(""), StopReason::EndTurn), Cell::new(Ok(Ending::Exited(0))));
    let arguments = json!({
        "command": ["ls", "-l"], "workdir": "/somewhere", "profile": "isolated", "env": { "A": "1" },
        "stdin": "in", "timeoutMs": 1500, "outputBytes": 8
    });
    let effect = call(&parrot, &sandbox, "sandbox.run", &arguments).unwrap();
    let payload = fits(&effect, "sandbox-run");
    assert_eq!(effect.result_class, "accepted");
    assert_eq!(payload["stdout"]["text"], "begin\n[92 bytes cut]\nend");
    let ran = sandbox.ran.lock().unwrap();
    let [command] = ran.as_slice() else { panic!("{ran:?}") };
    assert_eq!(
        (command.program.as_str(), command.arguments.as_slice()),
        ("ls", ["-l".to_owned()].as_slice())
    );
    assert_eq!((command.profile, command.stdin.as_slice()), (Profile::Isolated, b"in".as_slice()));
    assert_eq!((command.limits.wall, command.limits.output), (Duration::from_millis(1500), 8));
    assert_eq!(command.environment, [("A".to_owned(), "1".to_owned())]);
}

#[test]
fn output_that_is_no_text_is_there_byte_for_byte() {
    let parrot = Parrot::new(text(""), StopReason::EndTurn);
    let cases = [
        (b"ab".as_slice(), b"".as_slice(), 2, "ab", None),
        (b"\xff\x01", b"", 2, "\u{fffd}\u{1}", Some("ff01")),
        ("a\u{e4}".as_bytes().get(..2).unwrap(), b"\xa4b", 9, "a\n[5 bytes cut]\nb", None),
        (b"\xff", b"", 9, "\u{fffd}\n[8 bytes cut]\n", Some("ff")),
    ];
    for (head, tail, total, shown, hex) in cases {
        let stdout = CapturedOutput { head: head.to_vec(), tail: tail.to_vec(), total_bytes: total };
        let sandbox = Cell { stdout, ..Cell::new(Ok(Ending::Exited(0))) };
        let effect = call(&parrot, &sandbox, "sandbox.run", &json!({ "command": ["x"] })).unwrap();
        let payload = fits(&effect, "sandbox-run");
        assert_eq!(
            (&payload["stdout"]["text"], payload["stdout"].get("hex")),
            (&json!(shown), hex.map(|hex| json!(hex)).as_ref())
        );
    }
}

#[test]
fn whatever_does_not_end_well_is_rejected_with_its_class() {
    let parrot = Parrot::new(text(""), StopReason::EndTurn);
    let cases = [
        (Ending::Exited(3), "sandbox.command_failed"),
        (Ending::Signalled(9), "sandbox.command_signalled"),
        (Ending::TimedOut, "sandbox.command_timed_out"),
        (Ending::Interrupted, "sandbox.command_interrupted"),
    ];
    for (ending, class) in cases {
        let effect =
            call(&parrot, &Cell::new(Ok(ending)), "sandbox.run", &json!({ "command": ["x"] })).unwrap();
        fits(&effect, "sandbox-run");
        assert_eq!(
            (effect.result_class.as_str(), effect.failure_classes),
            ("rejected", vec![class.to_owned()])
        );
    }
}

#[test]
fn a_layer_that_is_missing_refuses_and_is_named() {
    let (parrot, sandbox) = (Parrot::new(text(""), StopReason::EndTurn), Cell::new(Err("landlock")));
    let effect = call(&parrot, &sandbox, "sandbox.run", &json!({ "command": ["x"] })).unwrap();
    let payload = fits(&effect, "sandbox-run");
    assert_eq!((&payload["layer"], effect.result_class.as_str()), (&json!("landlock"), "rejected"));
    let checked = call(&parrot, &sandbox, "sandbox.check", &json!({})).unwrap();
    assert_eq!(
        (fits(&checked, "sandbox-check")["ok"].clone(), checked.result_class.as_str()),
        (json!(false), "rejected")
    );
}

#[test]
fn arguments_that_cannot_be_are_refused_with_their_place_and_nothing_happens() {
    let (parrot, sandbox) = (Parrot::new(text(""), StopReason::EndTurn), Cell::new(Ok(Ending::Exited(0))));
    let cases = [
        ("model.ask", json!({}), "$.prompt"),
        ("model.ask", json!({ "prompt": "  " }), "$.prompt"),
        ("model.ask", json!({ "prompt": "x", "maxTokens": 0 }), "$.maxTokens"),
        ("model.ask", json!({ "prompt": "x", "reasoning": "deep" }), "$.reasoning"),
        ("model.ask", json!({ "prompt": "x", "tools": [] }), "$.tools"),
        ("sandbox.run", json!({}), "$.command"),
        ("sandbox.run", json!({ "command": [] }), "$.command"),
        ("sandbox.run", json!({ "command": ["x"], "profile": "open" }), "$.profile"),
        ("sandbox.run", json!({ "command": ["x"], "timeoutMs": 0 }), "$.timeoutMs"),
        ("sandbox.run", json!({ "command": ["x"], "unsafe": true }), "$.unsafe"),
    ];
    for (name, arguments, place) in cases {
        let error = call(&parrot, &sandbox, name, &arguments).unwrap_err().to_string();
        assert!(error.ends_with(&format!(" at {place}")), "{name} {arguments}: {error}");
    }
    assert!(parrot.asked.lock().unwrap().is_empty() && sandbox.ran.lock().unwrap().is_empty());
}
