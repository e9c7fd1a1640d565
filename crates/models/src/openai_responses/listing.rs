//! Which items of an answer were begun and finished, and which of them the list in the last event repeats. The number of an
//! item is not always its place in that list: items are told apart by id, else by what they say, and only then by place.
//! An item must not be said twice, and none may be lost.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::sha256;
use premath_tusk::model::{AssistantPart, ModelError};
use serde_json::value::RawValue;

use super::item::{Kind, parts};
use crate::provider::json::{malformed, read};

/// What a list can be compared with, in little room.
type Content = [u8; 32];

/// The items that were seen so far.
#[derive(Debug, Default)]
pub(super) struct Listing {
    numbers: BTreeMap<String, u64>,
    finished: BTreeMap<u64, Content>,
}

impl Listing {
    /// Remembers under which number an item goes.
    pub(super) fn name(&mut self, output: u64, id: Option<&RawValue>) {
        if let Some(id) = id.map(RawValue::get).filter(|id| *id != "\"\"")
            && !self.numbers.contains_key(id)
        {
            self.numbers.insert(id.to_owned(), output);
        }
    }

    /// Whether an item is finished.
    pub(super) fn is_finished(&self, output: u64) -> bool {
        self.finished.contains_key(&output)
    }

    /// Remembers that an item is finished, and what it says.
    ///
    /// # Errors
    /// `stream_malformed` when it was finished before.
    pub(super) fn finish(&mut self, output: u64, said: &[(u64, AssistantPart)]) -> Result<(), ModelError> {
        match self.finished.insert(output, content(said)) {
            None => Ok(()),
            Some(_) => Err(malformed("an item is finished twice")),
        }
    }

    /// The items of a list that were not finished before, in its order, each under the number it was begun with or one
    /// that nothing else has. `open` is what was said of items that were begun only, or the id of a call.
    pub(super) fn unfinished<'a>(
        &self,
        listed: &[&'a RawValue],
        open: &[(u64, &str)],
    ) -> Result<Vec<(u64, &'a str)>, ModelError> {
        let mut items = Vec::with_capacity(listed.len());
        let mut taken = BTreeSet::new();
        for raw in listed {
            let Kind { id, .. } = read(raw.get())?;
            let known = id.and_then(|id| self.numbers.get(id.get()).copied());
            items.push((raw.get(), known.filter(|output| taken.insert(*output))));
        }
        self.match_content(&mut items, &mut taken)?;
        match_open(&mut items, &mut taken, open)?;
        let begun: BTreeSet<u64> = open.iter().map(|(output, _)| *output).collect();
        for (place, (_, output)) in (0..).zip(&mut items) {
            let is_seen = self.finished.contains_key(&place) || begun.contains(&place);
            if output.is_none() && is_seen && taken.insert(place) {
                *output = Some(place);
            }
        }
        // Behind everything that has a number, so that nothing is taken for something else.
        let last = taken.last().max(self.finished.keys().next_back()).max(begun.last()).copied();
        let mut fresh = last.map_or(0, |last| last.saturating_add(1))..;
        let numbered = items.into_iter().filter_map(|(raw, output)| match output {
            Some(output) => Some((output, raw)),
            None => fresh.next().map(|output| (output, raw)),
        });
        Ok(numbered.filter(|(output, _)| !self.finished.contains_key(output)).collect())
    }

    fn match_content(
        &self,
        items: &mut [(&str, Option<u64>)],
        taken: &mut BTreeSet<u64>,
    ) -> Result<(), ModelError> {
        let mut same: BTreeMap<Content, Vec<u64>> = BTreeMap::new();
        for (output, content) in self.finished.iter().rev().filter(|(output, _)| !taken.contains(*output)) {
            same.entry(*content).or_default().push(*output);
        }
        if same.is_empty() {
            return Ok(());
        }
        for (raw, output) in items.iter_mut().filter(|(_, output)| output.is_none()) {
            *output = same.get_mut(&content(&parts(raw)?)).and_then(Vec::pop);
            taken.extend(*output);
        }
        Ok(())
    }
}

/// Items that were begun and never finished, by the text that was said of them or the id of the call they are.
fn match_open(
    items: &mut [(&str, Option<u64>)],
    taken: &mut BTreeSet<u64>,
    open: &[(u64, &str)],
) -> Result<(), ModelError> {
    let mut same: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for (output, text) in
        open.iter().rev().filter(|(output, text)| !taken.contains(output) && !text.is_empty())
    {
        same.entry(text).or_default().push(*output);
    }
    if same.is_empty() {
        return Ok(());
    }
    for (raw, output) in items.iter_mut().filter(|(_, output)| output.is_none()) {
        let said = parts(raw)?.into_iter().find_map(|(_, part)| match part {
            AssistantPart::Text(text) | AssistantPart::Refusal(text) => Some(text),
            AssistantPart::Reasoning(thought) => Some(thought.text),
            AssistantPart::ToolCall(call) => Some(call.id),
            AssistantPart::Opaque(_) => None,
        });
        let found = said.and_then(|said| same.get_mut(said.as_str()).and_then(Vec::pop));
        *output = found.filter(|output| taken.insert(*output));
    }
    Ok(())
}

fn content(said: &[(u64, AssistantPart)]) -> Content {
    let said: Vec<&AssistantPart> = said.iter().map(|(_, part)| part).collect();
    sha256(format!("{said:?}").as_bytes())
}
