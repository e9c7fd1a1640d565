//! The mutation somebody wants, and the capabilities they claim for it.

use crate::canon::{Object, Value};
use crate::digest::Digest;
use crate::scalar::{Text, TextSet, Token};
use alloc::format;
use alloc::string::String;

const CAPABILITY_PREFIX: &str = "capabilities.change_morphisms.";

/// The name of a host action: lower-case words of letters, digits and underscores, joined by dots.
///
/// A closed grammar, because gates and capabilities are chosen by name: a second spelling would walk around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionName(String);

impl ActionName {
    /// None for anything that is not spelled that way.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_word = |word: &str| {
            let mut characters = word.chars();
            characters.next().is_some_and(|first| first.is_ascii_lowercase())
                && characters.all(|next| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_')
        };
        text.split('.').all(is_word).then(|| Self(String::from(text)))
    }

    /// The name itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The spelling that capabilities use, in which dots and underscores are one.
    pub(crate) fn underscored(&self) -> String {
        self.0.replace('.', "_")
    }
}

/// One mutation that is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The host action, for example `issue.update`.
    pub action: ActionName,
    /// Digest of its arguments.
    pub args_digest: Digest,
    /// The mutation policy it was formed under.
    pub policy_digest: Digest,
    /// The instruction behind it.
    pub instruction_ref: Option<Text>,
    /// The status that it brings an issue to; `unchanged` when it sets none. Absent: nobody says.
    pub target_status: Option<Token>,
}

impl Intent {
    /// The normal form that is hashed and shown.
    #[must_use]
    pub fn canonical(&self) -> Value<'_> {
        Object::fields()
            .field("action", self.action.as_str())
            .field("argsDigest", &self.args_digest)
            .optional("instructionRef", self.instruction_ref.as_ref())
            .field("policyDigest", &self.policy_digest)
            .optional("targetStatus", self.target_status.as_ref())
            .finish()
    }

    /// What a consumed use row must name as its mutation input.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.canonical())
    }

    /// The claim that admits this action.
    #[must_use]
    pub fn capability(&self) -> String {
        format!("{CAPABILITY_PREFIX}{}", self.action.underscored())
    }
}

/// Capabilities that are claimed for a mutation.
#[derive(Debug, Clone, Default)]
pub struct Claims(TextSet);

impl Claims {
    /// The claims, as a set.
    #[must_use]
    pub const fn new(claims: TextSet) -> Self {
        Self(claims)
    }

    /// Whether they cover `intent`.
    #[must_use]
    pub fn cover(&self, intent: &Intent) -> bool {
        covers(&self.0, intent)
    }

    /// The claims, sorted.
    #[must_use]
    pub const fn as_set(&self) -> &TextSet {
        &self.0
    }
}

/// Whether `capabilities` name the intent's action, or all of them.
pub(crate) fn covers(capabilities: &TextSet, intent: &Intent) -> bool {
    capabilities.contains(&intent.capability()) || capabilities.contains(&format!("{CAPABILITY_PREFIX}all"))
}
