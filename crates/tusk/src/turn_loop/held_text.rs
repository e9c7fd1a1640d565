//! What a model says on its way to whoever watches: held back as long as it could be the beginning of a secret.
//!
//! A line is shown when it is complete and clean; what is plainly prose is shown word by word before that, up to the first
//! digit: cards, phones and accounts begin there and have spaces in them. A block that begins like a key is held until it ends. It must not change what is kept: that is redacted as a whole, elsewhere.

use crate::model::{AssistantPart, ModelEvent};

use super::redaction::redact_parts;

/// Words of this length can be secrets.
const LONG_WORD: usize = 16;
/// What comes before a secret on its line.
const BEFORE_SECRETS: [char; 8] = ['=', ':', '"', '\'', '`', '/', '@', '<'];
/// So many bytes of what is shown say what comes next: the name of a secret can stand on the line before it.
const CONTEXT: usize = 256;
/// A block that is longer than this is no key.
const LONGEST_BLOCK: usize = 64 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Text,
    Reasoning,
    Refusal,
}

/// What is held of one answer.
pub(super) struct HeldText<'r> {
    redact: &'r (dyn Fn(&str) -> String + Sync),
    /// Which part it is of.
    index: u64,
    tone: Tone,
    /// The last of what is shown.
    context: String,
    /// What is not shown, or the line that is shown in part.
    text: String,
    /// How much of it is shown already.
    shown: usize,
}

impl<'r> HeldText<'r> {
    pub(super) const fn new(redact: &'r (dyn Fn(&str) -> String + Sync)) -> Self {
        Self { redact, index: 0, tone: Tone::Text, context: String::new(), text: String::new(), shown: 0 }
    }

    /// Takes what a model says and tells what may be shown by now.
    pub(super) fn take(&mut self, event: &ModelEvent, tell: &mut dyn FnMut(&ModelEvent)) {
        match event {
            ModelEvent::TextDelta { index, text } => self.more(*index, Tone::Text, text, tell),
            ModelEvent::ReasoningDelta { index, text } => self.more(*index, Tone::Reasoning, text, tell),
            ModelEvent::RefusalDelta { index, text } => self.more(*index, Tone::Refusal, text, tell),
            // Arguments are shown when they are whole, and clean.
            ModelEvent::ArgumentsDelta { .. } => {}
            ModelEvent::PartDone { index, part } => {
                self.finish(tell);
                let mut parts: Vec<AssistantPart> = vec![part.clone()];
                redact_parts(&mut parts, self.redact);
                for part in parts {
                    tell(&ModelEvent::PartDone { index: *index, part });
                }
            }
            ModelEvent::Started { .. } | ModelEvent::ToolCallStarted { .. } | ModelEvent::Finished { .. } => {
                self.finish(tell);
                tell(event);
            }
        }
    }

    /// Nothing more comes: what is held is told without its secrets.
    pub(super) fn finish(&mut self, tell: &mut dyn FnMut(&ModelEvent)) {
        let length = self.text.len();
        self.release(length, tell);
    }

    fn more(&mut self, index: u64, tone: Tone, text: &str, tell: &mut dyn FnMut(&ModelEvent)) {
        if (index, tone) != (self.index, self.tone) {
            self.finish(tell);
            self.context.clear();
            (self.index, self.tone) = (index, tone);
        }
        self.text.push_str(text);
        let whole = match self.text.find("-----BEGIN") {
            None => self.text.rfind('\n').map(|at| at + 1),
            Some(_) if self.text.len() > LONGEST_BLOCK => Some(self.text.len()),
            Some(begin) => {
                let end =
                    self.text.get(begin..).and_then(|block| block.find("-----END")).map(|at| begin + at);
                let Some(end) = end else { return };
                self.text.get(end..).and_then(|rest| rest.find('\n')).map(|at| end + at + 1)
            }
        };
        if let Some(whole) = whole {
            self.release(whole, tell);
        }
        self.show_words(tell);
    }

    /// Shows the words of the open line that are complete, where it is plainly prose.
    fn show_words(&mut self, tell: &mut dyn FnMut(&ModelEvent)) {
        let is_prose = !self.context.trim_end().ends_with(BEFORE_SECRETS)
            && !self.text.contains(BEFORE_SECRETS)
            && !self.text.contains("-----")
            && !self.text.contains(char::is_numeric)
            && self.text.split_whitespace().all(|word| word.len() < LONG_WORD);
        let complete = self.text.rfind(' ').map_or(0, |at| at + 1);
        if is_prose
            && complete > self.shown
            && let Some(words) = self.text.get(self.shown..complete)
        {
            tell(&self.event(words.to_owned()));
            self.shown = complete;
        }
    }

    /// Tells the first bytes of what is held, without their secrets and without what is shown already.
    fn release(&mut self, length: usize, tell: &mut dyn FnMut(&ModelEvent)) {
        let rest = self.text.split_off(length.min(self.text.len()));
        let shown = self.context.len() + std::mem::take(&mut self.shown);
        let whole = std::mem::take(&mut self.context) + &std::mem::replace(&mut self.text, rest);
        let before = (self.redact)(whole.get(..shown).unwrap_or_default());
        let news = news(&before, whole.get(shown..).unwrap_or_default(), &(self.redact)(&whole));
        if !news.is_empty() {
            tell(&self.event(news));
        }
        let last = whole.ceil_char_boundary(whole.len().saturating_sub(CONTEXT));
        self.context = whole.get(last..).unwrap_or_default().to_owned();
    }

    fn event(&self, text: String) -> ModelEvent {
        let index = self.index;
        match self.tone {
            Tone::Text => ModelEvent::TextDelta { index, text },
            Tone::Reasoning => ModelEvent::ReasoningDelta { index, text },
            Tone::Refusal => ModelEvent::RefusalDelta { index, text },
        }
    }
}

/// What of a text is to be shown, given the clean form of what was shown before it and that of both together.
fn news(before: &str, text: &str, clean: &str) -> String {
    if let Some(news) = clean.strip_prefix(before) {
        return news.to_owned();
    }
    // Together they say more than what was shown did alone. What follows a secret is as it was; else all from there on is new.
    if clean.ends_with(text) {
        return text.to_owned();
    }
    let same = before.bytes().zip(clean.bytes()).take_while(|(left, right)| left == right).count();
    clean.get(clean.ceil_char_boundary(same)..).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
