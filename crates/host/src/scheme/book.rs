//! The calls of an evaluation as they are made, and the bound on what is kept of them: arguments, envelopes and failures
//! together.
//!
//! What would be too much is refused before anything is done about it, live and in a replay by the same count. It must not
//! keep a text of a program's that was not counted.

use premath_kernel::{Digest, Value, encode};
use premath_repl::{HostCall, HostFailure, Position};
use premath_wire::strict::{self, parse};

use super::answered::Answered;
use super::arguments::{Resolved, resolve, unresolved};
use crate::agent::RunRefused;
use crate::table::{Action, Door};

/// So many bytes of arguments, envelopes and failures does an evaluation keep.
pub(super) const MOST_BYTES: usize = 32 << 20;
/// And so many values, so that its trace can be read again.
const MOST_VALUES: usize = 2_400_000;
/// So many bytes may the arguments of one call take in memory.
const MOST_ARGUMENTS: usize = 4 << 20;
/// What a value takes beside its text, and how many values a call adds to a trace by itself.
const VALUE: usize = 48;
const VALUES_OF_A_CALL: usize = 16;
/// The longest message of a failure.
const LONGEST_MESSAGE: usize = 4 << 10;

/// One call of an evaluation, and what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemeCall {
    /// How many came before it
    pub index: u64,
    /// The action
    pub action: String,
    /// The digest of its arguments
    pub args_digest: String,
    /// Where the call stands in the program
    pub position: Position,
    /// The class of the result; `failed` where there is no envelope
    pub result_class: String,
    /// Why it was refused, or failed
    pub failure_classes: Vec<String>,
    /// What the program was told, where there is no envelope
    pub failure: Option<HostFailure>,
    /// The canonical bytes of its arguments
    pub(super) args: Vec<u8>,
    /// The canonical bytes of the envelope
    pub(super) effect: Vec<u8>,
}

impl SchemeCall {
    /// Its arguments.
    #[must_use]
    pub fn args(&self) -> Value<'static> {
        parse(&self.args, strict::Limits::default()).map_or(Value::Null, Value::into_owned)
    }

    /// The envelope, where the action answered with one.
    #[must_use]
    pub fn envelope(&self) -> Option<Value<'static>> {
        if self.effect.is_empty() {
            return None;
        }
        parse(&self.effect, strict::Limits::default()).ok().map(Value::into_owned)
    }

    /// How many bytes the envelope has.
    #[must_use]
    pub const fn effect_bytes(&self) -> usize {
        self.effect.len()
    }

    /// The digest of the envelope.
    #[must_use]
    pub fn effect_digest(&self) -> Option<Digest> {
        (!self.effect.is_empty()).then(|| Digest::of_bytes(&self.effect))
    }

    /// Whether it may have changed something: a call that was refused, or that may be tried again, did not.
    #[must_use]
    pub fn may_have_changed(&self) -> bool {
        let is_read =
            crate::table::ACTIONS.iter().find(|action| action.name == self.action).is_none_or(is_read);
        let did_nothing = match &self.failure {
            Some(failure) => failure.retryable,
            None => self.result_class == "rejected",
        };
        !is_read && !did_nothing
    }

    /// What is kept of it, in bytes.
    pub(super) fn kept(&self) -> usize {
        let told = self.failure.as_ref().map_or(0, |failure| failure.message.len());
        [self.action.len(), self.args.len(), self.effect.len(), told].iter().sum()
    }
}

/// The calls of an evaluation, as they are made.
#[derive(Debug, Default)]
pub(super) struct CallBook {
    pub(super) calls: Vec<SchemeCall>,
    bytes: usize,
    values: usize,
}

impl CallBook {
    /// Reads a call. One that says more than is kept is refused, and nothing of what it says is kept.
    pub(super) fn resolve(&self, call: &HostCall, actor: &str) -> Resolved {
        let size = call.arguments.iter().map(Size::of).fold(Size::default(), Size::and);
        if size.in_memory() > MOST_ARGUMENTS {
            let detail = format!("the arguments of one call take at most {MOST_ARGUMENTS} bytes");
            return unresolved(call, too_large(detail, "say it in several calls"));
        }
        if !self.has_room(size) {
            return unresolved(call, self.full());
        }
        resolve(call, actor)
    }

    /// Notes a call; what it comes to is something else where no more is kept.
    pub(super) fn note(&mut self, call: &HostCall, resolved: &Resolved, answered: Answered) -> Answered {
        let args = encode(&resolved.args);
        let mut answered = bounded(answered);
        let (mut effect, mut size) = (answered.bytes(), answered.value().map(Size::of).unwrap_or_default());
        size = size.and(Size::of(&resolved.args));
        // A change that happened is told whatever its size; the next call finds no room.
        let is_reading = resolved.function.and_then(|function| function.action()).is_some_and(is_read);
        let bytes = effect.len().saturating_add(args.len());
        if is_reading && resolved.refused.is_none() && !self.has_room(Size { bytes, ..size }) {
            let RunRefused { class, detail: message, .. } = self.full();
            answered = Answered::Failed(HostFailure { class, message, retryable: false });
            (effect, size) = (Vec::new(), Size::of(&resolved.args));
        }
        let failure = match &answered {
            Answered::Failed(failure) => Some(failure.clone()),
            Answered::Effect(_) => None,
        };
        let noted = SchemeCall {
            index: call.index,
            action: resolved.action.clone(),
            args_digest: Digest::prefixed("he1_", &resolved.args).as_str().to_owned(),
            position: call.position,
            result_class: answered.result_class().to_owned(),
            failure_classes: answered.failure_classes().into_iter().map(str::to_owned).collect(),
            failure,
            args,
            effect,
        };
        self.bytes = self.bytes.saturating_add(noted.kept());
        self.values = self.values.saturating_add(size.values).saturating_add(VALUES_OF_A_CALL);
        self.calls.push(noted);
        answered
    }

    fn has_room(&self, more: Size) -> bool {
        self.bytes.saturating_add(more.bytes) <= MOST_BYTES
            && self.values.saturating_add(more.values) <= MOST_VALUES
    }

    fn full(&self) -> RunRefused {
        let detail = format!(
            "what one evaluation says and is told is at most {MOST_BYTES} bytes and {MOST_VALUES} values"
        );
        too_large(detail, "ask for less, or in several evaluations")
    }
}

fn too_large(detail: String, hint: &str) -> RunRefused {
    let class = premath_wire::InputClass::TooLarge.code().to_owned();
    RunRefused { class, detail, hint: hint.to_owned() }
}

/// The same with a message that somebody would read.
fn bounded(answered: Answered) -> Answered {
    match answered {
        Answered::Failed(failure) if failure.message.len() > LONGEST_MESSAGE => {
            let mut message = failure.message;
            let dots = "…";
            message.truncate(message.floor_char_boundary(LONGEST_MESSAGE - dots.len()));
            message.push_str(dots);
            message.shrink_to_fit();
            Answered::Failed(HostFailure { message, ..failure })
        }
        Answered::Failed(_) | Answered::Effect(_) => answered,
    }
}

fn is_read(action: &Action) -> bool {
    action.door == Door::Read
}

/// How much a value says.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    /// The bytes of its texts
    bytes: usize,
    /// The values in it
    values: usize,
}

impl Size {
    fn of(value: &Value<'_>) -> Self {
        let own = |bytes: usize| Size { bytes, values: 1 };
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => own(8),
            Value::Text(text) => own(text.len()),
            Value::Array(items) => items.iter().map(Self::of).fold(own(2), Self::and),
            Value::Object(object) => {
                let members = object.iter().map(|(name, value)| Self::of(value).and(own(name.len())));
                members.fold(own(2), Self::and)
            }
        }
    }

    const fn and(self, other: Self) -> Self {
        let bytes = self.bytes.saturating_add(other.bytes);
        Self { bytes, values: self.values.saturating_add(other.values) }
    }

    const fn in_memory(self) -> usize {
        self.bytes.saturating_add(self.values.saturating_mul(VALUE))
    }
}
