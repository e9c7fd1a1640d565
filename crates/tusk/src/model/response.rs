//! Events put together again. It must not repair: what did not finish is no response.

use super::error::{ModelError, ModelErrorKind};
use super::event::ModelEvent;
use super::part::AssistantPart;
use super::usage::{StopReason, Usage};

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelResponse {
    /// The id of the request.
    pub request_id: Option<String>,
    /// The id of the response.
    pub response_id: Option<String>,
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
    /// What it said, in order.
    pub parts: Vec<AssistantPart>,
    /// Why it ended.
    pub stop: StopReason,
    /// What the provider called that.
    pub provider_stop: Option<String>,
    /// What it used.
    pub usage: Usage,
}

impl ModelResponse {
    /// All text, in order.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            AssistantPart::Text(text) => Some(text.as_str()),
            AssistantPart::ToolCall(_)
            | AssistantPart::Reasoning(_)
            | AssistantPart::Refusal(_)
            | AssistantPart::Opaque(_) => None,
        });
        texts.collect()
    }
}

/// Collects events into a response.
#[derive(Debug, Default)]
pub struct Collector {
    request_id: Option<String>,
    response_id: Option<String>,
    model: Option<String>,
    parts: Vec<(u64, AssistantPart)>,
    end: Option<(StopReason, Option<String>, Usage)>,
}

impl Collector {
    /// Takes the next event.
    pub fn take(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Started { request_id, response_id, model } => {
                (self.request_id, self.response_id, self.model) = (request_id, response_id, model);
            }
            ModelEvent::PartDone { index, part } => self.parts.push((index, part)),
            ModelEvent::Finished { stop, provider_stop, usage } => {
                self.end = Some((stop, provider_stop, usage));
            }
            ModelEvent::TextDelta { .. }
            | ModelEvent::ReasoningDelta { .. }
            | ModelEvent::RefusalDelta { .. }
            | ModelEvent::ToolCallStarted { .. }
            | ModelEvent::ArgumentsDelta { .. } => {}
        }
    }

    /// The response.
    ///
    /// # Errors
    /// `unavailable` / `stream_cut` when the answer did not finish.
    pub fn finish(mut self) -> Result<ModelResponse, ModelError> {
        let Some((stop, provider_stop, usage)) = self.end else {
            let cut = ModelError::new(ModelErrorKind::Unavailable, "stream_cut", "the answer did not finish");
            return Err(cut.mid_answer());
        };
        self.parts.sort_by_key(|(index, _)| *index);
        Ok(ModelResponse {
            request_id: self.request_id,
            response_id: self.response_id,
            model: self.model,
            parts: self.parts.into_iter().map(|(_, part)| part).collect(),
            stop,
            provider_stop,
            usage,
        })
    }
}
