//! Secrets that a run holds in memory while a person can be asked to let a call use them: those of its task, and those that a
//! model wrote into the arguments of its calls.
//!
//! Rows, cards, screens and models have placeholders. It must not write a value anywhere, and its debug output has none.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::JsonText;
use crate::model::ToolCall;
use crate::policy::{Redaction, SecretOrigin, SecretPlace};

/// The beginning of every placeholder.
const OPENING: &str = "[redacted:";
const CLOSING: char = ']';

/// The secrets of one run. By default it holds none, so no call can use one.
#[derive(Default)]
pub struct RunSecrets {
    is_holding: bool,
    state: Mutex<SecretState>,
}

#[derive(Default)]
struct SecretState {
    /// Values that a person gave, by the placeholder that stands for them.
    given: BTreeMap<String, BTreeSet<String>>,
    /// The arguments of calls of the open turn as the model wrote them, by call.
    written: BTreeMap<String, JsonText>,
    /// Every value that was replaced, with its placeholder.
    known: BTreeMap<String, String>,
}

/// Arguments with the secrets that placeholders in them stand for.
pub(super) struct RestoredArguments {
    pub(super) arguments: JsonText,
    /// Where the secrets are.
    pub(super) places: Vec<SecretPlace>,
}

impl fmt::Debug for RunSecrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RunSecrets").field("is_holding", &self.is_holding).finish_non_exhaustive()
    }
}

impl RunSecrets {
    /// The secrets of a run whose questions a person can answer while this process lives.
    #[must_use]
    pub fn holding() -> Self {
        Self { is_holding: true, ..Self::default() }
    }

    /// Whether it holds what it is given.
    pub(super) const fn is_holding(&self) -> bool {
        self.is_holding
    }

    /// Whether there is nothing to hold on to.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let state = self.state();
        state.given.is_empty() && state.written.is_empty()
    }

    /// Holds what a person gave and was replaced before anybody else saw it.
    pub fn hold_given(&self, redaction: &Redaction) {
        if !self.is_holding {
            return;
        }
        let mut state = self.state();
        for removed in &redaction.removed {
            state.given.entry(removed.placeholder.clone()).or_default().insert(removed.value.clone());
            state.known.insert(removed.value.clone(), removed.placeholder.clone());
        }
    }

    /// Another turn begins: what the model wrote before is forgotten.
    pub(super) fn begin_turn(&self) {
        self.state().written.clear();
    }

    /// Knows the secrets that were taken out of arguments, wherever they stand from now on.
    pub(super) fn note_written(&self, redaction: &Redaction) {
        let mut state = self.state();
        for removed in &redaction.removed {
            // What was taken out of JSON is written as JSON writes it.
            let plain = serde_json::from_str::<String>(&format!("\"{}\"", removed.value));
            let value = plain.unwrap_or_else(|_| removed.value.clone());
            state.known.insert(value, removed.placeholder.clone());
        }
    }

    /// Holds the arguments of a call as the model wrote them.
    pub(super) fn hold_written(&self, tool_call_id: &str, arguments: JsonText) {
        if self.is_holding {
            self.state().written.insert(tool_call_id.to_owned(), arguments);
        }
    }

    /// The arguments of a call with its secrets. None where it has no placeholder, or one whose value is not known for sure.
    pub(super) fn restore(&self, call: &ToolCall) -> Option<RestoredArguments> {
        let shown = call.arguments.as_str();
        if !self.is_holding || !shown.contains(OPENING) {
            return None;
        }
        let shown: Value = serde_json::from_str(shown).ok()?;
        let state = self.state();
        let written = state.written.get(&call.id).unwrap_or(&call.arguments);
        let mut value: Value = serde_json::from_str(written.as_str()).ok()?;
        let mut places = Vec::new();
        note_places(&shown, &value, &mut String::new(), &mut places)?;
        fill(&mut value, &state.given)?;
        let arguments = JsonText::new(value.to_string()).ok()?;
        (!places.is_empty()).then_some(RestoredArguments { arguments, places })
    }

    /// A text without any secret of this run, wherever it stands.
    pub(super) fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let state = self.state();
        let mut left = Cow::Borrowed(text);
        // A value may contain another one: the longest goes first.
        let mut known: Vec<(&String, &String)> = state.known.iter().collect();
        known.sort_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        for (value, placeholder) in known {
            let encoded = Value::from(value.as_str()).to_string();
            let encoded = encoded.get(1..encoded.len().saturating_sub(1)).unwrap_or_default();
            for spelling in [value.as_str(), encoded] {
                if !spelling.is_empty() && left.contains(spelling) {
                    left = Cow::Owned(left.replace(spelling, placeholder));
                }
            }
        }
        left
    }

    /// A redactor that takes the secrets of this run out first.
    #[must_use]
    pub fn before(self: &std::sync::Arc<Self>, redactor: premath_bd::Redactor) -> premath_bd::Redactor {
        let secrets = std::sync::Arc::clone(self);
        premath_bd::Redactor::new(move |text| {
            let left = secrets.scrub(text);
            match redactor.text(&left) {
                Cow::Borrowed(_) => left,
                Cow::Owned(redacted) => Cow::Owned(redacted),
            }
        })
    }

    fn state(&self) -> MutexGuard<'_, SecretState> {
        // Whole entries go in and out under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Puts values in the place of placeholders. None where one stands for several values, or for none that is known.
fn fill(value: &mut Value, given: &BTreeMap<String, BTreeSet<String>>) -> Option<()> {
    match value {
        Value::String(text) => {
            for placeholder in placeholders(text) {
                let values = given.get(&placeholder)?;
                let known = values.first().filter(|_| values.len() == 1)?;
                *text = text.replace(&placeholder, known);
            }
            Some(())
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| fill(item, given)),
        Value::Object(members) => members.iter_mut().try_for_each(|(name, member)| {
            placeholders(name).is_empty().then_some(()).and_then(|()| fill(member, given))
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(()),
    }
}

/// Notes where the secrets of shown arguments are. None where both are not the same but for strings.
fn note_places(shown: &Value, written: &Value, at: &mut String, places: &mut Vec<SecretPlace>) -> Option<()> {
    match (shown, written) {
        (Value::String(text), _) => {
            let given = written.as_str().map(placeholders).unwrap_or_default();
            for placeholder in placeholders(text) {
                let origin =
                    if given.contains(&placeholder) { SecretOrigin::Task } else { SecretOrigin::Model };
                places.push(SecretPlace {
                    label: label(&placeholder).to_owned(),
                    pointer: at.clone(),
                    origin,
                });
            }
            Some(())
        }
        (Value::Array(shown), Value::Array(written)) if shown.len() == written.len() => {
            let mut pairs = shown.iter().zip(written).enumerate();
            pairs.try_for_each(|(index, (shown, written))| {
                below(at, &index.to_string(), |at| note_places(shown, written, at, places))
            })
        }
        (Value::Object(shown), Value::Object(written)) if shown.len() == written.len() => {
            shown.iter().try_for_each(|(name, shown)| {
                let written = written.get(name)?;
                below(at, &name.replace('~', "~0").replace('/', "~1"), |at| {
                    note_places(shown, written, at, places)
                })
            })
        }
        (shown, written) => (shown == written).then_some(()),
    }
}

fn below(at: &mut String, step: &str, look: impl FnOnce(&mut String) -> Option<()>) -> Option<()> {
    let length = at.len();
    at.push('/');
    at.push_str(step);
    let looked = look(at);
    at.truncate(length);
    looked
}

/// The placeholders of a text, each once.
fn placeholders(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (start, _) in text.match_indices(OPENING) {
        let rest = text.get(start..).unwrap_or_default();
        let Some(end) = rest.find(CLOSING) else { continue };
        let placeholder = rest.get(..=end).unwrap_or_default();
        if !found.iter().any(|known| known == placeholder) {
            found.push(placeholder.to_owned());
        }
    }
    found
}

fn label(placeholder: &str) -> &str {
    placeholder.strip_prefix(OPENING).and_then(|rest| rest.strip_suffix(CLOSING)).unwrap_or(placeholder)
}
