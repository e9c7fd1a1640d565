//! The scenarios of examples/models, and a chain over one of them: the first choice cools down, the second answers.

#![expect(clippy::unwrap_used, reason = "a failed test panics")]

mod scenario_support;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use premath_kernel::Moment;
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use premath_models::scenario::Scenario;
use premath_models::scripted::{Script, ScriptedTransport};
use premath_testkit::TestClock;
use premath_tusk::model::{AttemptOutcome, Candidate, Chain};
use premath_tusk::model::{Delivery, MemoryCircuits, ModelErrorKind, ModelRequest};
use scenario_support::{collected, request, run, script};

const HELLO: &str = include_str!("../../../examples/models/hello.toml");
const TOOLS: &str = include_str!("../../../examples/models/tools.toml");
const FAULTS: &str = include_str!("../../../examples/models/faults.toml");

#[test]
fn the_examples_can_be_read() {
    for (name, text) in [("hello", HELLO), ("tools", TOOLS), ("faults", FAULTS)] {
        assert_eq!(Scenario::parse(name, text).unwrap().name, name);
    }
}

fn candidate(provider: &str, name: &str, script: &Arc<Script>) -> Candidate {
    let config = ProviderConfig {
        name: provider.to_owned(),
        protocol: Protocol::OpenaiChat,
        base_url: "http://localhost".to_owned(),
        key: None,
        headers: Vec::new(),
    };
    let transport = ScriptedTransport::new(Arc::clone(script)).with_idle_timeout(Duration::from_millis(1));
    Candidate {
        provider: provider.to_owned(),
        model: model(config, name, Arc::new(transport), AnswerLimits::default()),
    }
}

struct Stage {
    chain: Chain,
    clock: TestClock,
}

fn stage(models: &[(&str, &str)]) -> Stage {
    let script = script(FAULTS);
    let clock = TestClock::at(Moment::EPOCH);
    let candidates = models.iter().map(|(provider, name)| candidate(provider, name, &script));
    let chain = Chain {
        candidates: candidates.collect(),
        circuits: Arc::new(MemoryCircuits::default()),
        clock: Arc::new(clock.clone()),
    };
    Stage { chain, clock }
}

fn build(_candidate: &Candidate) -> ModelRequest {
    request("hi", Delivery::Streamed)
}

#[test]
fn the_first_choice_cools_down_and_the_second_answers() {
    let Stage { chain, clock } = stage(&[("first", "limited"), ("second", "steady")]);
    run(async {
        let answer = chain.start(&build).await.unwrap();
        assert_eq!(answer.reference, "second:steady");
        let events: Vec<_> = answer.stream.collect().await;
        let events = events.into_iter().collect::<Result<Vec<_>, _>>().unwrap();
        assert_eq!(collected(events).text(), "I am the second choice, and I am here.");

        let circuits = chain.circuits.all().unwrap();
        let first = circuits.get("first").unwrap();
        assert_eq!(first.cooling_until, Moment::new(30, 0));
        assert_eq!(first.because, Some(ModelErrorKind::RateLimit));
        assert_eq!(circuits.get("second").unwrap().last_success, Some(Moment::EPOCH));

        clock.advance(29);
        let answer = chain.start(&build).await.unwrap();
        let skipped = answer.attempts.first().unwrap();
        assert!(matches!(skipped.outcome, AttemptOutcome::CoolingDown { .. }));
        clock.advance(1);
        let answer = chain.start(&build).await.unwrap();
        assert!(matches!(answer.attempts.first().unwrap().outcome, AttemptOutcome::Failed(_)));
    });
}

#[test]
fn what_breaks_in_the_middle_is_not_mended_by_the_next() {
    for broken in ["cut", "stalled"] {
        let Stage { chain, .. } = stage(&[("first", broken), ("second", "steady")]);
        run(async {
            let answer = chain.start(&build).await.unwrap();
            assert_eq!(answer.reference, format!("first:{broken}"));
            let events: Vec<_> = answer.stream.collect().await;
            assert!(events.last().unwrap().is_err());
            assert!(!events.iter().any(|event| format!("{event:?}").contains("second choice")));
            assert_eq!(chain.circuits.all().unwrap().get("first").unwrap().consecutive_failures, 1);
        });
    }
}
