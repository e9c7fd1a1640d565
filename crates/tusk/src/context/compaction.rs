//! Compaction as a typed artifact: what was kept, what was let go and what is left of it, the state before and after.
//!
//! Nothing that is owed, open or required can be lost on the way without [`continuity`] finding it. It must not summarise
//! in anybody's words: a turn that is let go leaves its tools, its outcome codes and the addresses of its payloads.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use premath_kernel::{Digest, Object, Text, TextSet, Value};

use super::document::{DocumentError, Members, list};
use super::excerpt::{Items, all_of_it, items};
use super::fence::plain_line;

/// The kind of the artifact.
pub const COMPACTION_KIND: &str = "premath.context.compaction.v1";

/// The most bytes of what the model is shown in place of the turns that were let go.
pub const COMPACTION_BYTES: usize = 32 * 1024;

const MEMBERS: [&str; 8] = [
    "constraints",
    "dropped",
    "kept",
    "obligations",
    "openCalls",
    "policyDigest",
    "priorStateDigest",
    "stateDigest",
];
const TURN_MEMBERS: [&str; 4] = ["outcomes", "refs", "tools", "turnId"];
const LINE_BYTES: usize = 400;
const ITEM_BYTES: usize = 200;
const MOST_TURNS: usize = 24;
const MOST_ITEMS: usize = 16;
const MOST_REFS: usize = 2;

/// What must survive a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// The state before.
    pub prior_state_digest: Digest,
    /// What is still owed.
    pub obligations: Vec<String>,
    /// What has to be respected.
    pub constraints: Vec<String>,
    /// The calls that have no result yet.
    pub open_calls: Vec<String>,
}

/// What is compacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionInput {
    /// The policy it runs under.
    pub policy_digest: Digest,
    /// What must survive.
    pub carried: Carried,
    /// What the policy says is always kept.
    pub must_keep: Vec<String>,
    /// The turns that are still shown.
    pub kept_turns: Vec<String>,
    /// The turns that are not, oldest first.
    pub dropped: Vec<DroppedTurn>,
}

/// What is left of a turn that is no longer shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DroppedTurn {
    /// The turn.
    pub turn_id: String,
    /// The tools it called, in order.
    pub tools: Vec<String>,
    /// What came of each: `ok` or an error code.
    pub outcomes: Vec<String>,
    /// Where its stored payloads are.
    pub refs: Vec<String>,
}

/// One compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionArtifact {
    policy_digest: Digest,
    carried: Carried,
    state_digest: Digest,
    kept: Vec<String>,
    dropped: Vec<DroppedTurn>,
}

/// Something that did not survive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lost {
    /// Something that is still owed.
    Obligation(String),
    /// Something that has to be respected.
    Constraint(String),
    /// A call that has no result yet.
    OpenCall(String),
    /// Which state it started from.
    PriorState,
    /// Nothing is lost, but something is said to be both kept and let go.
    KeptAndDropped(String),
}

/// Compacts. What is carried, what must be kept and the turns that stay are kept; a turn that is named on both sides is.
#[must_use]
pub fn compact(input: CompactionInput) -> CompactionArtifact {
    let CompactionInput { policy_digest, carried, must_keep, kept_turns, dropped } = input;
    let carried = Carried {
        obligations: normal(&carried.obligations),
        constraints: normal(&carried.constraints),
        open_calls: normal(&carried.open_calls),
        prior_state_digest: carried.prior_state_digest,
    };
    let all = [&carried.obligations, &carried.constraints, &carried.open_calls, &must_keep, &kept_turns];
    let kept = normal(all.into_iter().flatten());
    let dropped =
        dropped.into_iter().filter(|turn| kept.binary_search(&turn.turn_id.trim().to_owned()).is_err());
    let mut artifact = CompactionArtifact {
        state_digest: carried.prior_state_digest.clone(),
        policy_digest,
        carried,
        dropped: dropped.collect(),
        kept,
    };
    artifact.state_digest = artifact.computed_state();
    artifact
}

/// Whether everything survived that was there before.
///
/// # Errors
/// All that did not, sorted.
pub fn continuity(before: &Carried, artifact: &CompactionArtifact) -> Result<(), Vec<Lost>> {
    let after = &artifact.carried;
    let kept: BTreeSet<&str> = artifact.kept.iter().map(String::as_str).collect();
    let mut lost = Vec::new();
    lost.extend(missing(&before.obligations, &after.obligations, &kept).map(Lost::Obligation));
    lost.extend(missing(&before.constraints, &after.constraints, &kept).map(Lost::Constraint));
    lost.extend(missing(&before.open_calls, &after.open_calls, &kept).map(Lost::OpenCall));
    if before.prior_state_digest != after.prior_state_digest {
        lost.push(Lost::PriorState);
    }
    let both = artifact.dropped.iter().filter(|turn| kept.contains(turn.turn_id.trim()));
    lost.extend(both.map(|turn| Lost::KeptAndDropped(turn.turn_id.clone())));
    lost.sort();
    if lost.is_empty() { Ok(()) } else { Err(lost) }
}

/// What was there before, or is said to be there now, and is not both carried and kept.
fn missing<'t>(
    before: &'t [String],
    after: &'t [String],
    kept: &BTreeSet<&str>,
) -> impl Iterator<Item = String> {
    let carried: BTreeSet<&str> = after.iter().map(String::as_str).collect();
    let all: BTreeSet<&str> = before.iter().chain(after).map(|text| text.trim()).collect();
    let survives = move |text: &&str| carried.contains(text) && kept.contains(text);
    all.into_iter().filter(move |text| !text.is_empty() && !survives(text)).map(str::to_owned)
}

impl CompactionArtifact {
    /// The state it left.
    #[must_use]
    pub const fn state_digest(&self) -> &Digest {
        &self.state_digest
    }

    /// What it carried forward.
    #[must_use]
    pub const fn carried(&self) -> &Carried {
        &self.carried
    }

    /// The ids of everything that was kept, sorted.
    #[must_use]
    pub fn kept(&self) -> &[String] {
        &self.kept
    }

    /// The turns that were let go, oldest first.
    #[must_use]
    pub fn dropped(&self) -> &[DroppedTurn] {
        &self.dropped
    }

    /// The content address of the document. It has to be stored before the text is shown, which refers to it where it
    /// leaves something out.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.to_value())
    }

    /// What the model is shown in place of the turns that were let go.
    #[must_use]
    pub fn text(&self) -> String {
        let mut lines = vec![format!(
            "{} earlier turns are no longer shown. This is what is left of them; a ref is read with resolve_ref.",
            self.dropped.len()
        )];
        let older = self.dropped.len().saturating_sub(MOST_TURNS);
        let mut is_whole = older == 0 && self.dropped.iter().all(DroppedTurn::is_short);
        if older > 0 {
            lines.push(format!("- {older} older turns"));
        }
        lines.extend(self.dropped.iter().skip(older).map(turn_line));
        let lists = [
            ("Still owed:", &self.carried.obligations),
            ("To be respected:", &self.carried.constraints),
            ("Calls without a result:", &self.carried.open_calls),
        ];
        for (title, texts) in lists.into_iter().filter(|(_, texts)| !texts.is_empty()) {
            let Items { text, is_cut } = items(texts, MOST_ITEMS, ITEM_BYTES);
            lines.extend([title.to_owned(), text]);
            is_whole &= !is_cut;
        }
        if !is_whole {
            lines.push(all_of_it(&self.digest()));
        }
        lines.join("\n")
    }

    /// The document that is stored.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        let (kind, state) = (Some(COMPACTION_KIND), Some(&self.state_digest));
        self.members(kind, state)
    }

    /// Reads the document.
    ///
    /// # Errors
    /// What is not exactly what [`CompactionArtifact::to_value`] writes, a wrong `stateDigest` among it.
    pub fn from_value(value: &Value<'_>) -> Result<Self, DocumentError> {
        let members = Members::of_kind(value, COMPACTION_KIND, &MEMBERS)?;
        let artifact = Self {
            policy_digest: members.digest("policyDigest")?,
            carried: Carried {
                prior_state_digest: members.digest("priorStateDigest")?,
                obligations: members.texts("obligations")?,
                constraints: members.texts("constraints")?,
                open_calls: members.texts("openCalls")?,
            },
            state_digest: members.digest("stateDigest")?,
            kept: members.texts("kept")?,
            dropped: members.list("dropped")?.iter().map(DroppedTurn::read).collect::<Result<_, _>>()?,
        };
        if artifact.computed_state() == artifact.state_digest {
            Ok(artifact)
        } else {
            Err(DocumentError::StateDigest)
        }
    }

    /// The evidence of the compaction.
    #[must_use]
    pub fn row(&self) -> premath_kernel::Compaction {
        premath_kernel::Compaction {
            policy_digest: Some(self.policy_digest.clone()),
            prior_state_digest: Some(self.carried.prior_state_digest.clone()),
            state_digest: Some(self.state_digest.clone()),
            kept: set(&self.kept),
            dropped: set(self.dropped.iter().map(|turn| &turn.turn_id)),
            open_call_ids: set(&self.carried.open_calls),
            obligations: set(&self.carried.obligations),
            constraints: set(&self.carried.constraints),
        }
    }

    /// The state it left is what the artifact says, but for its name.
    fn computed_state(&self) -> Digest {
        Digest::of(&self.members(None, None))
    }

    fn members<'v>(&'v self, kind: Option<&'v str>, state: Option<&'v Digest>) -> Value<'v> {
        Object::fields()
            .field("constraints", list(&self.carried.constraints))
            .field("dropped", self.dropped.iter().map(DroppedTurn::to_value).collect::<Vec<_>>())
            .field("kept", list(&self.kept))
            .optional("kind", kind)
            .field("obligations", list(&self.carried.obligations))
            .field("openCalls", list(&self.carried.open_calls))
            .field("policyDigest", &self.policy_digest)
            .field("priorStateDigest", &self.carried.prior_state_digest)
            .optional("stateDigest", state)
            .finish()
    }
}

impl DroppedTurn {
    /// Whether its line says all of it.
    fn is_short(&self) -> bool {
        let names = self.tools.iter().chain(&self.outcomes).map(|name| name.len() + 2).sum::<usize>();
        self.turn_id.len() + names <= LINE_BYTES / 2
            && self.tools.len() <= MOST_ITEMS
            && self.refs.len() <= MOST_REFS
            && self.refs.iter().all(|reference| reference.len() <= ITEM_BYTES)
    }

    fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("outcomes", list(&self.outcomes))
            .field("refs", list(&self.refs))
            .field("tools", list(&self.tools))
            .field("turnId", self.turn_id.as_str())
            .finish()
    }

    fn read(value: &Value<'_>) -> Result<Self, DocumentError> {
        let members = Members::item(value, "dropped", &TURN_MEMBERS)?;
        Ok(Self {
            turn_id: members.text("turnId")?,
            tools: members.texts("tools")?,
            outcomes: members.texts("outcomes")?,
            refs: members.texts("refs")?,
        })
    }
}

/// `- turn-3: shell ok, fs_read file.missing; refs sha256:…`
fn turn_line(turn: &DroppedTurn) -> String {
    let outcomes = turn.outcomes.iter().map(String::as_str).chain(std::iter::repeat("no result"));
    let calls = turn.tools.iter().zip(outcomes).map(|(tool, outcome)| format!("{tool} {outcome}"));
    let calls: Vec<String> = calls.take(MOST_ITEMS).collect();
    let said = if calls.is_empty() { "no calls".to_owned() } else { calls.join(", ") };
    let mut line = format!("- {}", plain_line(&format!("{}: {said}", turn.turn_id), LINE_BYTES));
    // References are shown whole or not at all: half of one finds nothing.
    for reference in turn.refs.iter().filter(|reference| reference.len() <= ITEM_BYTES).take(MOST_REFS) {
        line.push_str("; ref ");
        line.push_str(&plain_line(reference, ITEM_BYTES));
    }
    if turn.refs.len() > MOST_REFS {
        line.push_str("; and more refs");
    }
    line
}

/// Trimmed, sorted, each once, none blank: as the kernel reads them.
fn normal<'t>(texts: impl IntoIterator<Item = &'t String>) -> Vec<String> {
    set(texts).iter().map(|text| text.as_str().to_owned()).collect()
}

fn set<'t>(texts: impl IntoIterator<Item = &'t String>) -> TextSet {
    texts.into_iter().filter_map(|text| Text::new(text)).collect()
}
