//! How the next context was rebuilt: renderings, reminder queues, state views.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, TextSet, Token, ToolCallId};

/// The two renderings of one result: for the operator, and for the model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRender {
    /// The call whose result was rendered.
    pub tool_call_id: ToolCallId,
    /// What the operator can read.
    pub operator_payload_digest: Digest,
    /// What the model was shown.
    pub reminder_render_digest: Digest,
    /// Where in the context it was put.
    pub injection_point: Token,
    /// The protocol it was rendered under.
    pub policy_digest: Digest,
}

impl ToolRender {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("injectionPoint", &self.injection_point)
            .field("operatorPayloadDigest", &self.operator_payload_digest)
            .field("policyDigest", &self.policy_digest)
            .field("reminderRenderDigest", &self.reminder_render_digest)
            .field("toolCallId", &self.tool_call_id)
            .finish()
    }
}

/// One reminder queue, reduced.
#[derive(Debug, Clone, PartialEq)]
pub struct ReminderQueue {
    /// Which queue.
    pub queue_id: Text,
    /// What was left of it.
    pub reduced_digest: Digest,
    /// The policy it was reduced under.
    pub policy_digest: Digest,
}

impl ReminderQueue {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("policyDigest", &self.policy_digest)
            .field("queueId", &self.queue_id)
            .field("reducedDigest", &self.reduced_digest)
            .finish()
    }
}

/// One view of the conversation state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateView {
    /// Which view.
    pub view_id: Text,
    /// What it showed.
    pub view_digest: Digest,
    /// The policy it was computed under.
    pub policy_digest: Digest,
    /// What it was computed from.
    pub source_refs: TextSet,
}

impl StateView {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("policyDigest", &self.policy_digest)
            .non_empty("sourceRefs", self.source_refs.canonical())
            .field("viewDigest", &self.view_digest)
            .field("viewId", &self.view_id)
            .finish()
    }
}
