//! A text within its budget: all of it, or its two ends in equal parts with a marker between (I8).
//!
//! The budget is for what is shown, escapes of a fence included. It must not cut a character in two, and must not cut
//! without saying where the rest is.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use premath_kernel::{Digest, Number, Object, Value, encode};

use super::fence::{escaped, fenced, plain_line};

/// What stands where text of ours was cut.
pub(super) const MARKER: &str = "\n[… the middle is left out …]\n";

/// The most bytes of a reference that is shown.
const REFERENCE_BYTES: usize = 128;

/// A text that may be known by its two ends only.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'t> {
    /// How it begins.
    pub(super) head: &'t str,
    /// How it ends.
    pub(super) tail: &'t str,
    /// How long it is.
    pub(super) bytes: u64,
}

/// What is shown of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Excerpt<'t> {
    /// What is shown, before it is fenced.
    pub(super) shown: Cow<'t, str>,
    /// What it shows of both ends; none when it shows everything.
    pub(super) cut: Option<Cut>,
}

/// How much of the two ends is shown. Nothing of either when the budget has no room for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) head_bytes: usize,
    pub(super) tail_bytes: usize,
}

impl<'t> Source<'t> {
    /// A text that is all there.
    pub(super) fn whole(text: &'t str) -> Self {
        Self { head: text, tail: text, bytes: length(text.len()) }
    }

    /// All of it, if the two ends are.
    pub(super) fn joined(&self) -> Option<Cow<'t, str>> {
        if length(self.head.len()) == self.bytes {
            return Some(Cow::Borrowed(self.head));
        }
        let known = length(self.head.len()).checked_add(length(self.tail.len()))?;
        let twice = usize::try_from(known.checked_sub(self.bytes)?).ok()?;
        self.tail.get(twice..).map(|rest| Cow::Owned(format!("{}{rest}", self.head)))
    }

    /// Its two ends with a marker between, so that they fit a budget once they are escaped.
    pub(super) fn cut(&self, budget: usize, marker: &str) -> Excerpt<'t> {
        let longest = usize::try_from(self.bytes).unwrap_or(usize::MAX).min(budget);
        let mut room = longest.saturating_sub(marker.len());
        while let Some((head, tail)) = self.ends(room) {
            let shown = format!("{head}{marker}{tail}");
            let over = escaped(&shown).len().saturating_sub(budget);
            if over == 0 {
                let cut = Cut { head_bytes: head.len(), tail_bytes: tail.len() };
                return Excerpt { shown: Cow::Owned(shown), cut: Some(cut) };
            }
            room = room.saturating_sub(over);
        }
        Excerpt { shown: Cow::Borrowed(""), cut: Some(Cut { head_bytes: 0, tail_bytes: 0 }) }
    }

    /// Beginning and end that take `room` together, as equal as whole characters can be: within three bytes.
    fn ends(&self, room: usize) -> Option<(&'t str, &'t str)> {
        let half = (room / 2).min(self.head.len()).min(self.tail.len());
        let head = self.head.get(..self.head.floor_char_boundary(half))?;
        let tail = self.tail.get(self.tail.ceil_char_boundary(self.tail.len() - half)..)?;
        (!head.is_empty() && !tail.is_empty()).then_some((head, tail))
    }
}

/// A text of at most `most` bytes when it is escaped.
pub(super) fn excerpt(text: &str, most: usize) -> Excerpt<'_> {
    if escaped(text).len() <= most {
        return Excerpt { shown: Cow::Borrowed(text), cut: None };
    }
    Source::whole(text).cut(most, MARKER)
}

/// The two lines that say what was cut and how to get it.
pub(super) fn cut_lines(reference: &str, bytes: u64, cut: Option<Cut>) -> String {
    let reference = plain_line(reference, REFERENCE_BYTES);
    let size = Number::unsigned(bytes).map_or(Value::Null, Value::Number);
    let payload = Object::fields()
        .field("originalBytes", size)
        .field("ref", reference.as_str())
        .field("truncated", cut.is_some())
        .finish();
    let payload = json(&payload);
    let Some(cut) = cut else {
        return format!("payload: {payload}");
    };
    let offset = Number::unsigned(length(cut.head_bytes)).map_or(Value::Null, Value::Number);
    let next = Object::fields().field("offset", offset).field("ref", reference.as_str()).finish();
    format!("payload: {payload}\nhint: the middle is left out; read on with resolve_ref {}", json(&next))
}

/// A text that is shown in part and has to be stored whole, so that it can be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Whole {
    /// Its content address.
    pub reference: Digest,
    /// All of it.
    pub text: String,
}

impl Whole {
    pub(super) fn of(text: &str) -> Self {
        Self { reference: Digest::of_bytes(text.as_bytes()), text: text.to_owned() }
    }

    /// A document, whose canonical bytes are what is stored.
    pub(super) fn of_value(value: &Value<'_>) -> Self {
        Self::of(&json(value))
    }

    /// How to get all of it.
    pub(super) fn hint(&self) -> String {
        all_of_it(&self.reference)
    }
}

/// How to get all of something that is listed in part.
pub(super) fn all_of_it(reference: &Digest) -> String {
    let arguments = Object::fields().field("ref", reference).finish();
    format!("hint: not everything is listed; all of it is read with resolve_ref {}", json(&arguments))
}

/// Whose words a text is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Voice<'s> {
    /// Of whoever gave the task.
    Asked,
    /// Of somebody else, who is named: fenced.
    Other(&'s str),
}

/// A text within its budget; when it is cut, with where the rest is, and the whole of it among what has to be stored.
pub(super) fn bounded(text: &str, most: usize, voice: Voice<'_>, to_store: &mut Vec<Whole>) -> String {
    let shown = excerpt(text, most);
    let said = match voice {
        Voice::Asked => escaped(&shown.shown).into_owned(),
        Voice::Other(source) => fenced(source, &shown.shown),
    };
    if shown.cut.is_none() {
        return said;
    }
    let whole = Whole::of(text);
    let lines = cut_lines(whole.reference.as_str(), length(text.len()), shown.cut);
    to_store.push(whole);
    format!("{lines}\n{said}")
}

/// A list as it is shown.
#[derive(Debug)]
pub(super) struct Items {
    /// A line each.
    pub(super) text: String,
    /// Whether there are more than are shown, or one is longer.
    pub(super) is_cut: bool,
}

/// Some of a list, a line each, and how many more there are.
pub(super) fn items(texts: &[String], most: usize, bytes: usize) -> Items {
    let mut lines: Vec<String> =
        texts.iter().take(most).map(|text| format!("- {}", plain_line(text, bytes))).collect();
    let more = texts.len().saturating_sub(most);
    if more > 0 {
        lines.push(format!("- and {more} more"));
    }
    let is_cut = more > 0 || texts.iter().any(|text| plain_line(text, usize::MAX).len() > bytes);
    Items { text: lines.join("\n"), is_cut }
}

pub(super) fn length(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn json(value: &Value<'_>) -> String {
    String::from_utf8(encode(value)).unwrap_or_default()
}
