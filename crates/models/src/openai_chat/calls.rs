//! Tool calls on their way, put together from pieces that servers number in their own ways.

use std::collections::BTreeMap;

use premath_kernel::{hex, sha256};
use premath_tusk::model::{AssistantPart, ModelError, ModelEvent};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::provider::answer::Events;
use crate::provider::arguments::{Ending, tool_call};
use crate::provider::json::{Text, malformed, read};

/// A piece of a call, or a whole one.
#[derive(Deserialize)]
pub(super) struct CallPiece<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Option<Function<'a>>,
}

#[derive(Deserialize)]
struct Function<'a> {
    #[serde(borrow)]
    name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Debug)]
struct Call {
    index: u64,
    /// Whether the id is the server's, or made up because it gave none.
    has_own_id: bool,
    id: String,
    name: String,
    arguments: String,
}

/// The calls of one answer.
#[derive(Debug, Default)]
pub(super) struct Calls {
    all: Vec<Call>,
    /// The last call that a server gave a number.
    by_number: BTreeMap<u64, usize>,
    /// What tells this answer from others: its id and its time, where the server gives any.
    answer: String,
}

impl Calls {
    /// Whether there is any.
    pub(super) const fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Says which answer the calls are of, once.
    pub(super) fn name_answer(&mut self, id: Option<&str>, created: Option<&Value>) {
        if self.answer.is_empty() && (id.is_some() || created.is_some()) {
            self.answer = format!("{}\n{}", id.unwrap_or_default(), created.unwrap_or(&Value::Null));
        }
    }

    /// Takes a piece; a call begins with the piece that has its name.
    pub(super) fn take(&mut self, piece: &CallPiece<'_>, events: &mut Events) -> Result<(), ModelError> {
        let name = piece.function.as_ref().and_then(|function| function.name.as_deref()).unwrap_or_default();
        let id = piece.id.as_deref().unwrap_or_default();
        let raw = piece.function.as_ref().and_then(|function| function.arguments);
        let text = raw.map(|raw| argument_text(raw.get())).transpose()?.unwrap_or_default();
        let place = match self.place(piece.index, id, name)? {
            Some(place) => place,
            None => self.begin(piece.index, id, name, &text, events)?,
        };
        let call = self.all.get_mut(place).ok_or_else(|| malformed("no such tool call"))?;
        if !text.is_empty() {
            call.arguments.push_str(&text);
            events.emit(ModelEvent::ArgumentsDelta { index: call.index, text });
        }
        Ok(())
    }

    /// Which call a piece goes on with. Some servers give every call of an answer the same number, some give none: an id
    /// that differs, a name that differs, or a name where nothing else tells, begins another call. No tool gets the
    /// arguments of another.
    fn place(&self, wire_index: Option<u64>, id: &str, name: &str) -> Result<Option<usize>, ModelError> {
        let place = match wire_index {
            Some(number) => self.by_number.get(&number).copied(),
            None if name.is_empty() => self.all.len().checked_sub(1),
            None => None,
        };
        let Some((place, call)) = place.and_then(|place| Some((place, self.all.get(place)?))) else {
            return Ok(None);
        };
        let has_other_name = !name.is_empty() && call.name != name;
        let has_same_id = call.has_own_id && call.id == id;
        if has_other_name && has_same_id {
            return Err(malformed("a tool call changes its name"));
        }
        let has_other_id = call.has_own_id && !id.is_empty() && call.id != id;
        Ok((!has_other_id && !has_other_name).then_some(place))
    }

    fn begin(
        &mut self,
        wire_index: Option<u64>,
        id: &str,
        name: &str,
        first_arguments: &str,
        events: &mut Events,
    ) -> Result<usize, ModelError> {
        if name.is_empty() {
            return Err(malformed("a tool call begins without a name"));
        }
        let place = self.all.len();
        let has_own_id = !id.is_empty();
        let id = if has_own_id { id.to_owned() } else { self.made_up_id(place, name, first_arguments) };
        let index = events.number_part();
        events.emit(ModelEvent::ToolCallStarted { index, id: id.clone(), name: name.to_owned() });
        if let Some(number) = wire_index {
            self.by_number.insert(number, place);
        }
        self.all.push(Call { index, has_own_id, id, name: name.to_owned(), arguments: String::new() });
        Ok(place)
    }

    /// An id for a call that has none: the same whenever the same answer is read, and another in every other answer,
    /// because a conversation holds the calls of many.
    fn made_up_id(&self, place: usize, name: &str, first_arguments: &str) -> String {
        let known = format!("{}\n{place}\n{name}\n{first_arguments}", self.answer);
        let digest: String = hex(&sha256(known.as_bytes())).chars().take(12).collect();
        format!("call_{digest}")
    }

    /// The calls, complete. Only the last one can have been cut short.
    pub(super) fn finish(self, ending: Ending) -> Vec<(u64, AssistantPart)> {
        let last = self.all.len().saturating_sub(1);
        let calls = self.all.into_iter().enumerate().map(|(place, call)| {
            let ending = if place == last { ending } else { Ending::Complete };
            let part = tool_call(call.id, call.name, &call.arguments, ending);
            (call.index, AssistantPart::ToolCall(part))
        });
        calls.collect()
    }
}

/// Arguments are a text that holds JSON; some servers send the JSON itself.
fn argument_text(raw: &str) -> Result<String, ModelError> {
    if raw.starts_with('"') {
        read(raw)
    } else if raw == "null" {
        Ok(String::new())
    } else {
        Ok(raw.to_owned())
    }
}
