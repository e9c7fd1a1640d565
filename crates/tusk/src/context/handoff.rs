//! The handoff of a session to the one that goes on: a typed packet, and the message the successor opens with.
//!
//! What a model wrote into it is a model's words and is fenced; only what was asked for is said in our own. It must not
//! hand over anything that the packet does not name.

#[cfg(test)]
mod tests;

use premath_kernel::{Digest, HandoffArtifact, Object, Text, TextSet, Value};

use super::document::{DocumentError, KIND, Members, list};
use super::excerpt::{Items, Voice, Whole, bounded, items};
use super::fence::plain_line;

/// The kind of the packet.
pub const HANDOFF_KIND: &str = "premath.session.handoff.v1";

/// The most bytes of what a successor opens with.
pub const HANDOFF_BYTES: usize = 96 * 1024;

const MEMBERS: [&str; 11] = [
    "artifacts",
    "constraints",
    "fromRun",
    "nextStep",
    "obligations",
    "pendingIntents",
    "returnPathRef",
    "stateDigest",
    "summary",
    "target",
    "task",
];
const TASK_BYTES: usize = 32 * 1024;
const SUMMARY_BYTES: usize = 16 * 1024;
const NEXT_STEP_BYTES: usize = 4 * 1024;
const ITEM_BYTES: usize = 300;
const MOST_ITEMS: usize = 24;

/// What one session hands to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffPacket {
    /// The run that hands over.
    pub from_run: String,
    /// Who goes on.
    pub target: String,
    /// What was asked for, in the words of whoever asked.
    pub task: String,
    /// What was done: a model's words.
    pub summary: String,
    /// What to do next: a model's words.
    pub next_step: String,
    /// What is still owed.
    pub obligations: Vec<String>,
    /// What has to be respected.
    pub constraints: Vec<String>,
    /// What the successor needs.
    pub artifacts: Vec<PacketArtifact>,
    /// The state in which the work was left.
    pub state_digest: Digest,
    /// Where the answer goes.
    pub return_path_ref: Option<String>,
    /// Changes that were asked for and are not made.
    pub pending_intents: Vec<String>,
}

/// Something a successor needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PacketArtifact {
    /// What it is called.
    pub reference: String,
    /// What it hashes to.
    pub digest: Digest,
}

/// What a successor opens with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffOpening {
    /// Its first message.
    pub text: String,
    /// What is shown in part only, and has to be stored before the text is shown.
    pub to_store: Vec<Whole>,
}

impl HandoffPacket {
    /// The document that is stored.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let artifact = |one: &'_ PacketArtifact| {
            let (digest, reference) = (Value::from(one.digest.as_str().to_owned()), one.reference.clone());
            Object::fields().field("digest", digest).field("ref", reference).finish()
        };
        Object::fields()
            .field("artifacts", self.artifacts.iter().map(artifact).collect::<Vec<_>>())
            .field("constraints", list(&self.constraints))
            .field("fromRun", self.from_run.as_str())
            .field(KIND, HANDOFF_KIND)
            .field("nextStep", self.next_step.as_str())
            .field("obligations", list(&self.obligations))
            .field("pendingIntents", list(&self.pending_intents))
            .optional("returnPathRef", self.return_path_ref.as_deref())
            .field("stateDigest", &self.state_digest)
            .field("summary", self.summary.as_str())
            .field("target", self.target.as_str())
            .field("task", self.task.as_str())
            .finish()
    }

    /// Reads the document.
    ///
    /// # Errors
    /// What is not exactly what [`HandoffPacket::to_value`] writes.
    pub fn from_value(value: &Value<'_>) -> Result<Self, DocumentError> {
        let members = Members::of_kind(value, HANDOFF_KIND, &MEMBERS)?;
        Ok(Self {
            from_run: members.text("fromRun")?,
            target: members.text("target")?,
            task: members.text("task")?,
            summary: members.text("summary")?,
            next_step: members.text("nextStep")?,
            obligations: members.texts("obligations")?,
            constraints: members.texts("constraints")?,
            artifacts: members.list("artifacts")?.iter().map(read_artifact).collect::<Result<_, _>>()?,
            state_digest: members.digest("stateDigest")?,
            return_path_ref: members.optional_text("returnPathRef")?,
            pending_intents: members.texts("pendingIntents")?,
        })
    }

    /// The content address of the packet.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_value())
    }

    /// What the successor opens with.
    #[must_use]
    pub fn opening(&self) -> HandoffOpening {
        let mut to_store = Vec::new();
        let mut parts = vec![
            format!(
                "You go on with the work of the session {}, as {}.",
                plain_line(&self.from_run, ITEM_BYTES),
                plain_line(&self.target, ITEM_BYTES)
            ),
            format!("Task:\n{}", bounded(&self.task, TASK_BYTES, Voice::Asked, &mut to_store)),
        ];
        let said = [
            ("What the session says that it did:", "handoff_summary", &self.summary, SUMMARY_BYTES),
            ("What it says is next:", "handoff_next_step", &self.next_step, NEXT_STEP_BYTES),
        ];
        for (title, source, text, most) in said.into_iter().filter(|(_, _, text, _)| !text.is_empty()) {
            parts.push(format!("{title}\n{}", bounded(text, most, Voice::Other(source), &mut to_store)));
        }
        let artifacts: Vec<String> =
            self.artifacts.iter().map(|one| format!("{} {}", one.reference, one.digest)).collect();
        let lists = [
            ("Still owed:", &self.obligations),
            ("To be respected:", &self.constraints),
            ("Changes that were asked for and are not made:", &self.pending_intents),
            ("Artifacts, with their digests:", &artifacts),
        ];
        let mut is_whole = true;
        for (title, texts) in lists.into_iter().filter(|(_, texts)| !texts.is_empty()) {
            let Items { text, is_cut } = items(texts, MOST_ITEMS, ITEM_BYTES);
            parts.push(format!("{title}\n{text}"));
            is_whole &= !is_cut;
        }
        if !is_whole {
            let packet = Whole::of_value(&self.to_value());
            parts.push(packet.hint());
            to_store.push(packet);
        }
        HandoffOpening { text: parts.join("\n\n"), to_store }
    }

    /// The evidence of the transfer; none without a target. Every artifact of the packet is one the receiver needs.
    #[must_use]
    pub fn row(&self, from_role: Option<&str>) -> Option<premath_kernel::Handoff> {
        let artifacts = self.artifacts.iter().map(|one| {
            Some(HandoffArtifact { reference: Text::new(&one.reference)?, digest: one.digest.clone() })
        });
        Some(premath_kernel::Handoff {
            target: Text::new(&self.target)?,
            required_artifact_refs: set(self.artifacts.iter().map(|one| &one.reference)),
            artifacts: artifacts.collect::<Option<_>>()?,
            return_path_ref: self.return_path_ref.as_deref().and_then(Text::new),
            from_role: from_role.and_then(Text::new),
            intent: Text::new(&self.next_step).or_else(|| Text::new(&self.task)),
            constraints: set(&self.constraints),
        })
    }
}

fn read_artifact(value: &Value<'_>) -> Result<PacketArtifact, DocumentError> {
    let members = Members::item(value, "artifacts", &["digest", "ref"])?;
    Ok(PacketArtifact { reference: members.text("ref")?, digest: members.digest("digest")? })
}

fn set<'t>(texts: impl IntoIterator<Item = &'t String>) -> TextSet {
    texts.into_iter().filter_map(|text| Text::new(text)).collect()
}
