//! Chains over models that do what they are told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use crate::Clock;
use crate::model::{
    Circuit, CircuitError, CircuitStore, FailureStage, MemoryCircuits, Model, ModelError, ModelErrorKind,
    ModelEvent, ModelRequest, PortFuture, ResponseStream, StopReason, Usage,
};
use futures_util::StreamExt;
use futures_util::stream::{iter, poll_fn};
use premath_kernel::Moment;
use premath_testkit::TestClock;
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::{Attempt, AttemptOutcome, Candidate, Chain, ChainAnswer, ChainError};

/// What a model does when it is asked.
#[derive(Debug, Clone)]
enum Behaviour {
    Refuse(ModelError),
    StartThenFail(ModelError),
    StartThenEnd,
    SpeakThenFail(ModelError),
    SpeakThenEnd,
    Finish,
}

#[derive(Debug)]
struct Puppet {
    reference: String,
    behaviour: Behaviour,
    calls: Arc<Mutex<Vec<String>>>,
    ends: Ends,
}

impl Puppet {
    fn events(&self) -> Vec<Result<ModelEvent, ModelError>> {
        let started =
            ModelEvent::Started { request_id: None, response_id: None, model: Some(self.reference.clone()) };
        let said = ModelEvent::TextDelta { index: 0, text: self.reference.clone() };
        let finished =
            ModelEvent::Finished { stop: StopReason::EndTurn, provider_stop: None, usage: Usage::default() };
        match &self.behaviour {
            Behaviour::Refuse(error) => vec![Err(error.clone())],
            Behaviour::StartThenFail(error) => vec![Ok(started), Err(error.clone())],
            Behaviour::StartThenEnd => vec![Ok(started)],
            Behaviour::SpeakThenFail(error) => vec![Ok(started), Ok(said), Err(error.clone())],
            Behaviour::SpeakThenEnd => vec![Ok(started), Ok(said)],
            Behaviour::Finish => vec![Ok(started), Ok(said), Ok(finished)],
        }
    }
}

impl Model for Puppet {
    fn reference(&self) -> &str {
        &self.reference
    }

    fn start<'a>(&'a self, _request: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>> {
        Box::pin(async move {
            self.calls.lock().unwrap().push(self.reference.clone());
            if let Behaviour::Refuse(error) = &self.behaviour {
                return Err(error.clone());
            }
            let ends = Arc::clone(&self.ends);
            let end = poll_fn(move |_| {
                ends.lock().unwrap().push(());
                Poll::Ready(None)
            });
            let stream: ResponseStream = Box::pin(iter(self.events()).chain(end));
            Ok(stream)
        })
    }
}

/// One per answer that was read to its end.
type Ends = Arc<Mutex<Vec<()>>>;

struct Stage {
    chain: Chain,
    calls: Arc<Mutex<Vec<String>>>,
    ends: Ends,
    clock: TestClock,
}

fn stage(behaviours: &[(&str, Behaviour)]) -> Stage {
    stage_over(behaviours, Arc::new(MemoryCircuits::default()))
}

fn stage_over(behaviours: &[(&str, Behaviour)], circuits: Arc<dyn CircuitStore>) -> Stage {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let ends = Ends::default();
    let candidates = behaviours.iter().enumerate().map(|(number, (provider, behaviour))| {
        let reference = format!("{provider}:{number}");
        let (calls, ends) = (Arc::clone(&calls), Arc::clone(&ends));
        let model = Puppet { reference, behaviour: behaviour.clone(), calls, ends };
        Candidate { provider: (*provider).to_owned(), model: Arc::new(model) }
    });
    let clock = TestClock::at(Moment::EPOCH);
    let chain = Chain {
        candidates: candidates.collect(),
        circuits,
        clock: Arc::new(clock.clone()) as Arc<dyn Clock>,
    };
    Stage { chain, calls, ends, clock }
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

impl Stage {
    fn start(&self) -> Result<ChainAnswer, ChainError> {
        run(self.chain.start(&|_| ModelRequest::of_text("hi", 10)))
    }

    fn circuit(&self, provider: &str) -> Circuit {
        self.chain.circuits.all().unwrap().get(provider).copied().unwrap_or_default()
    }

    fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

fn drain(answer: ChainAnswer) -> Vec<Result<ModelEvent, ModelError>> {
    run(answer.stream.collect())
}

fn error(kind: ModelErrorKind) -> ModelError {
    ModelError::new(kind, "test", "it failed")
}

#[test]
fn whoever_reads_an_answer_to_its_end_has_read_the_models_to_its_end() {
    let stage = stage(&[("a", Behaviour::Finish)]);
    assert_eq!(drain(stage.start().unwrap()).len(), 3);
    assert_eq!(stage.ends.lock().unwrap().len(), 1);
}

#[test]
fn the_first_that_answers_is_heard_whole() {
    let stage = stage(&[("a", Behaviour::Finish), ("b", Behaviour::Finish)]);
    let answer = stage.start().unwrap();
    assert_eq!((answer.reference.as_str(), answer.attempts.len()), ("a:0", 0));
    assert_eq!(stage.circuit("a").last_success, None, "it did not finish yet");
    assert_eq!(drain(answer).len(), 3);
    assert_eq!(stage.calls(), ["a:0"]);
    assert_eq!(stage.circuit("a").last_success, Some(Moment::EPOCH));
}

#[test]
fn whoever_fails_before_saying_anything_is_passed_over() {
    let failures = [
        Behaviour::Refuse(error(ModelErrorKind::Authentication)),
        Behaviour::StartThenFail(error(ModelErrorKind::Overloaded)),
        Behaviour::StartThenEnd,
    ];
    for failure in failures {
        let stage = stage(&[("a", failure), ("b", Behaviour::Finish)]);
        let answer = stage.start().unwrap();
        assert_eq!(answer.reference, "b:1");
        assert!(matches!(answer.attempts[0].outcome, AttemptOutcome::Failed(_)));
        assert_eq!(stage.circuit("a").last_failure, Some(Moment::EPOCH));
        let events = drain(answer);
        assert!(matches!(&events[0], Ok(ModelEvent::Started { model: Some(model), .. }) if model == "b:1"));
    }
}

#[test]
fn a_rate_limit_cools_its_provider_for_every_candidate_of_it() {
    let limit = ModelError { retry_after: Some(Duration::from_secs(9)), ..error(ModelErrorKind::RateLimit) };
    let stage = stage(&[("a", Behaviour::Refuse(limit)), ("a", Behaviour::Finish), ("b", Behaviour::Finish)]);
    let answer = stage.start().unwrap();
    assert_eq!(answer.reference, "b:2");
    let until = Moment::new(9, 0).unwrap();
    let cooled = Attempt { reference: "a:1".to_owned(), outcome: AttemptOutcome::CoolingDown { until } };
    assert_eq!(answer.attempts[1], cooled);
    assert_eq!(stage.calls(), ["a:0", "b:2"]);
    stage.clock.advance(8);
    stage.start().unwrap();
    assert_eq!(stage.calls(), ["b:2"]);
    stage.clock.advance(1);
    stage.start().unwrap();
    assert_eq!(stage.calls(), ["a:0", "b:2"]);
}

#[test]
fn faults_of_the_request_move_on_and_cool_nobody() {
    for kind in [ModelErrorKind::Model, ModelErrorKind::ContextLength, ModelErrorKind::Authentication] {
        let failed = ModelError { status: Some(400), ..error(kind) };
        let stage = stage(&[("a", Behaviour::Refuse(failed)), ("b", Behaviour::Finish)]);
        for _ in 0..5 {
            assert_eq!(stage.start().unwrap().reference, "b:1");
        }
        assert_eq!(stage.calls().len(), 10);
    }
}

#[test]
fn a_failure_in_the_middle_is_the_end() {
    let cut = error(ModelErrorKind::Unavailable);
    for behaviour in [Behaviour::SpeakThenFail(cut), Behaviour::SpeakThenEnd] {
        let stage = stage(&[("a", behaviour), ("b", Behaviour::Finish)]);
        let events = drain(stage.start().unwrap());
        assert_eq!(events.len(), 3);
        let error = events[2].clone().unwrap_err();
        assert_eq!((error.kind, error.stage), (ModelErrorKind::Unavailable, FailureStage::MidAnswer));
        assert_eq!(stage.calls(), ["a:0"]);
        assert_eq!(stage.circuit("a").consecutive_failures, 1);
    }
}

#[test]
fn an_answer_that_was_let_go_says_nothing_about_its_provider() {
    let stage = stage(&[("a", Behaviour::Finish)]);
    drop(stage.start().unwrap());
    assert_eq!(stage.circuit("a"), Circuit::default());
}

#[test]
fn when_nobody_answers_everybody_is_named() {
    let stage = stage(&[
        ("a", Behaviour::Refuse(error(ModelErrorKind::RateLimit))),
        ("a", Behaviour::Finish),
        ("b", Behaviour::Refuse(error(ModelErrorKind::Timeout))),
    ]);
    let error = stage.start().unwrap_err();
    assert_eq!(error.code(), "no_answer");
    assert_eq!(error.attempts.len(), 3);
    assert_eq!(error.to_string(), "no model answered; `b:2` failed: timeout: it failed");
    assert_eq!(
        stage_over(&[], Arc::new(MemoryCircuits::default())).start().unwrap_err().code(),
        "no_candidate"
    );
}

/// A store that cannot be read, or can be read and not written.
#[derive(Debug)]
struct Broken {
    readable: bool,
}

impl CircuitStore for Broken {
    fn all(&self) -> Result<BTreeMap<String, Circuit>, CircuitError> {
        if self.readable { Ok(BTreeMap::new()) } else { Err(CircuitError::Read { source: "torn".into() }) }
    }

    fn record(
        &self,
        provider: &str,
        _change: &mut dyn FnMut(Circuit) -> Circuit,
    ) -> Result<Circuit, CircuitError> {
        Err(CircuitError::Write { provider: provider.to_owned(), source: "full".into() })
    }
}

#[test]
fn circuits_that_cannot_be_read_stop_the_request_before_anybody_is_asked() {
    let stage = stage_over(&[("a", Behaviour::Finish)], Arc::new(Broken { readable: false }));
    assert_eq!(stage.start().unwrap_err().code(), "circuit_store");
    assert!(stage.calls().is_empty());
}

#[test]
fn circuits_that_cannot_be_written_stop_the_request_typed() {
    let refuse = Behaviour::Refuse(error(ModelErrorKind::Timeout));
    let stage = stage_over(&[("a", refuse), ("b", Behaviour::Finish)], Arc::new(Broken { readable: true }));
    let failed = stage.start().unwrap_err();
    assert_eq!((failed.code(), failed.attempts.len()), ("circuit_store", 1));
    assert_eq!(stage.calls(), ["a:0"]);

    let stage = stage_over(&[("a", Behaviour::Finish)], Arc::new(Broken { readable: true }));
    let events = drain(stage.start().unwrap());
    assert_eq!(events.last().unwrap().clone().unwrap_err().code.as_deref(), Some("circuit_store"));
}

fn any_error() -> impl Strategy<Value = ModelError> {
    let wait = prop::option::of((0_u64..200).prop_map(Duration::from_secs));
    (prop::sample::select(ModelErrorKind::ALL.to_vec()), wait)
        .prop_map(|(kind, retry_after)| ModelError { retry_after, ..error(kind) })
}

fn any_behaviour() -> impl Strategy<Value = Behaviour> {
    prop_oneof![
        any_error().prop_map(Behaviour::Refuse),
        any_error().prop_map(Behaviour::StartThenFail),
        Just(Behaviour::StartThenEnd),
        any_error().prop_map(Behaviour::SpeakThenFail),
        Just(Behaviour::SpeakThenEnd),
        Just(Behaviour::Finish),
    ]
}

fn speaker(event: &ModelEvent) -> Option<&str> {
    match event {
        ModelEvent::Started { model, .. } => model.as_deref(),
        ModelEvent::TextDelta { text, .. } => Some(text),
        ModelEvent::ReasoningDelta { .. }
        | ModelEvent::RefusalDelta { .. }
        | ModelEvent::ToolCallStarted { .. }
        | ModelEvent::ArgumentsDelta { .. }
        | ModelEvent::PartDone { .. }
        | ModelEvent::Finished { .. } => None,
    }
}

proptest! {
    /// Over many requests at many times: nobody is asked while cooling, in order, and one voice is heard to one end.
    #[test]
    fn a_cooled_provider_is_never_asked_and_two_are_never_heard(
        behaviours in prop::collection::vec((prop::sample::select(vec!["a", "b", "c"]), any_behaviour()), 1..6),
        pauses in prop::collection::vec(0_i64..90, 1..12),
        drained in any::<bool>(),
    ) {
        let stage = stage(&behaviours);
        for pause in pauses {
            stage.clock.advance(pause);
            let now = stage.clock.now();
            let before = stage.chain.circuits.all().unwrap();
            let outcome = stage.start();
            let calls = stage.calls();
            for call in &calls {
                let provider = call.split(':').next().unwrap();
                prop_assert!(!before.get(provider).is_some_and(|circuit| circuit.is_cooling(now)));
            }
            let numbers: Vec<&str> = calls.iter().map(|call| call.split(':').nth(1).unwrap()).collect();
            prop_assert!(numbers.is_sorted());
            match outcome {
                Ok(answer) => {
                    prop_assert_eq!(Some(&answer.reference), calls.last());
                    prop_assert!(answer.attempts.iter().all(|attempt| attempt.reference != answer.reference));
                    let reference = answer.reference.clone();
                    let events = if drained { drain(answer) } else { Vec::new() };
                    for event in events.iter().flatten() {
                        prop_assert!(speaker(event).is_none_or(|speaker| speaker == reference));
                    }
                    let ends = events.iter().filter(|event| {
                        matches!(event, Err(_) | Ok(ModelEvent::Finished { .. }))
                    });
                    prop_assert_eq!(ends.count(), usize::from(drained));
                }
                Err(error) => {
                    prop_assert_eq!(error.attempts.len(), behaviours.len());
                }
            }
        }
    }
}
