//! What the tests of scripted models share: a script behind each adapter, and events to compare.
#![allow(dead_code, clippy::allow_attributes, reason = "no test uses all of it")]

use std::sync::Arc;

use futures_util::StreamExt;
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use premath_models::scenario::Scenario;
use premath_models::scripted::{Script, ScriptedTransport};
use premath_models::secret::ApiKey;
use premath_models::transport::Transport;
use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, CacheMarker, Collector, Delivery, Model, ModelError, ModelEvent, ModelRequest,
    ModelResponse, Reasoning, SystemBlock, ToolOffer,
};

/// A key that must turn up nowhere.
pub(crate) const KEY: &str = "sk-do-not-show-0123456789abcdef";

pub(crate) fn script(text: &str) -> Arc<Script> {
    Arc::new(Script::new(Scenario::parse("test.toml", text).unwrap()))
}

/// A model of a protocol over a transport.
pub(crate) fn over(protocol: Protocol, base_url: &str, transport: Arc<dyn Transport>) -> Arc<dyn Model> {
    let config = ProviderConfig {
        name: "test".to_owned(),
        protocol,
        base_url: base_url.to_owned(),
        key: Some(ApiKey::new(KEY).unwrap()),
        headers: Vec::new(),
    };
    model(config, "m", transport, AnswerLimits::default())
}

/// A model of a protocol over a script in memory.
pub(crate) fn scripted(protocol: Protocol, script: &Arc<Script>) -> Arc<dyn Model> {
    over(protocol, "http://localhost", Arc::new(ScriptedTransport::new(Arc::clone(script))))
}

/// A request with a system text and a tool.
pub(crate) fn request(said: &str, delivery: Delivery) -> ModelRequest {
    let tool = ToolOffer {
        name: "fs_read".to_owned(),
        description: "reads a file".to_owned(),
        input_schema: JsonText::new("{\"type\":\"object\"}").unwrap(),
        cache: CacheMarker::None,
    };
    let system = SystemBlock { text: "You help.".to_owned(), cache: CacheMarker::None };
    let of_text = ModelRequest::of_text(said, 1_000);
    ModelRequest { tools: vec![tool].into(), system: vec![system].into(), delivery, ..of_text }
}

/// Everything a model says, to the end or to the error.
pub(crate) async fn ask(
    model: &Arc<dyn Model>,
    request: &ModelRequest,
) -> (Vec<ModelEvent>, Option<ModelError>) {
    let mut stream = match model.start(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "nothing comes after an error");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

/// The answer; a failure of the test where there is none.
pub(crate) async fn answer(model: &Arc<dyn Model>, request: &ModelRequest) -> ModelResponse {
    let (events, error) = ask(model, request).await;
    assert_eq!(error, None, "{}", model.reference());
    collected(events)
}

pub(crate) fn collected(events: Vec<ModelEvent>) -> ModelResponse {
    let mut collector = Collector::default();
    for event in events {
        collector.take(event);
    }
    collector.finish().unwrap()
}

/// An answer without what only its protocol has: ids, blocks to carry back, its own names for the end.
pub(crate) fn plain(response: ModelResponse) -> ModelResponse {
    let parts = response.parts.into_iter().map(|part| match part {
        AssistantPart::Reasoning(thought) => {
            AssistantPart::Reasoning(Reasoning { verbatim: None, ..thought })
        }
        same @ (AssistantPart::Text(_)
        | AssistantPart::ToolCall(_)
        | AssistantPart::Refusal(_)
        | AssistantPart::Opaque(_)) => same,
    });
    ModelResponse {
        request_id: None,
        response_id: None,
        provider_stop: None,
        parts: parts.collect(),
        ..response
    }
}

/// What is shown while an answer is made: every delta, without the number of its part.
pub(crate) fn deltas(events: &[ModelEvent]) -> Vec<String> {
    let shown = events.iter().filter_map(|event| match event {
        ModelEvent::TextDelta { text, .. } => Some(format!("text {text}")),
        ModelEvent::ReasoningDelta { text, .. } => Some(format!("reasoning {text}")),
        ModelEvent::RefusalDelta { text, .. } => Some(format!("refusal {text}")),
        ModelEvent::ToolCallStarted { id, name, .. } => Some(format!("call {id} {name}")),
        ModelEvent::ArgumentsDelta { text, .. } => Some(format!("arguments {text}")),
        ModelEvent::Started { .. } | ModelEvent::PartDone { .. } | ModelEvent::Finished { .. } => None,
    });
    shown.collect()
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}
