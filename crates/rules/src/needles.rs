//! Rules that begin with a pattern about a name or a text: a call in which the letters of the pattern do not occur is none of
//! theirs, and they need not be asked.
//!
//! Only the first of a rule's conditions counts, since what stands behind it is not evaluated when it does not hold; and only
//! what every call has, since what is not there is an error, and an error denies. When in doubt a rule has no needle.

use aho_corasick::AhoCorasick;
use cedar_policy::{Authorizer, Entities, Request};
use premath_tusk::policy::CallFacts;
use serde_json::Value;

use crate::batch::{Batch, condition};
use crate::fields::FieldKind;
use crate::names::names;
use crate::rule::Rule;
use crate::tool_pack::Spoken;
use crate::words::ToolWords;

/// Rules that one hit brings up together.
const TOGETHER: usize = 8;

/// Where a pattern is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// `context.names`
    Names,
    /// An argument that the tool requires.
    Argument(String),
}

/// The letters of some rules' patterns in one place.
#[derive(Debug)]
struct Haystack {
    place: Place,
    letters: AhoCorasick,
    /// Which batch each pattern is of.
    batches: Vec<usize>,
}

/// Rules that are asked only about calls in which their letters occur.
#[derive(Debug, Default)]
pub(crate) struct Needles {
    haystacks: Vec<Haystack>,
    batches: Vec<Batch>,
}

impl Needles {
    /// The rules among these that have a needle, and the others.
    ///
    /// # Errors
    /// What the language says against them.
    pub(crate) fn of<'r>(rules: &[&'r Rule], tool: &ToolWords) -> Result<(Self, Vec<&'r Rule>), String> {
        let (mut sought, mut others) = (Vec::new(), Vec::new());
        for rule in rules {
            match needle(rule, tool) {
                Some((place, letters)) => sought.push((place, letters, *rule)),
                None => others.push(*rule),
            }
        }
        sought.sort_by(|left, right| left.0.cmp(&right.0));
        let mut needles = Self::default();
        for same in sought.chunk_by(|left, right| left.0 == right.0) {
            needles.add(same)?;
        }
        Ok((needles, others))
    }

    fn add(&mut self, sought: &[(Place, String, &Rule)]) -> Result<(), String> {
        let Some((place, ..)) = sought.first() else { return Ok(()) };
        let letters = AhoCorasick::new(sought.iter().map(|(_, letters, _)| letters));
        let letters = letters.map_err(|error| error.to_string())?;
        let mut of = Vec::with_capacity(sought.len());
        for some in sought.chunks(TOGETHER) {
            let rules: Vec<&Rule> = some.iter().map(|(.., rule)| *rule).collect();
            for batch in Batch::of(&rules)? {
                self.batches.push(batch);
            }
            of.extend(some.iter().map(|_| self.batches.len() - 1));
        }
        self.haystacks.push(Haystack { place: place.clone(), letters, batches: of });
        Ok(())
    }

    /// Asks those that the call may be about.
    pub(crate) fn ask(
        &self,
        call: &CallFacts<'_>,
        authorizer: &Authorizer,
        request: &Request,
        entities: &Entities,
        spoken: &mut Spoken,
    ) {
        let mut is_meant = vec![false; self.batches.len()];
        for haystack in &self.haystacks {
            haystack.search(call, &mut is_meant);
        }
        for (batch, is_meant) in self.batches.iter().zip(is_meant) {
            if is_meant {
                batch.ask(authorizer, request, entities, spoken);
            }
        }
    }
}

impl Haystack {
    fn search(&self, call: &CallFacts<'_>, is_meant: &mut [bool]) {
        let named;
        let text = match &self.place {
            Place::Names => {
                named = names(call);
                Some(named.as_str())
            }
            Place::Argument(name) => call.arguments.get(name).and_then(Value::as_str),
        };
        let Some(text) = text else {
            // What cannot be searched may be meant.
            is_meant.fill(true);
            return;
        };
        for found in self.letters.find_overlapping_iter(text) {
            let batch =
                self.batches.get(found.pattern().as_usize()).and_then(|batch| is_meant.get_mut(*batch));
            if let Some(is_meant) = batch {
                *is_meant = true;
            }
        }
    }
}

/// The letters without which a rule has nothing to say, and where they would be.
fn needle(rule: &Rule, tool: &ToolWords) -> Option<(Place, String)> {
    let condition = condition(&rule.policy)?;
    let mut first = &condition;
    while let Some(both) = first.get("&&") {
        first = both.get("left")?;
    }
    let like = first.get("like")?;
    let place = place(like.get("left")?, tool)?;
    let letters = letters(like.get("pattern")?.as_array()?)?;
    (!letters.is_empty()).then_some((place, letters))
}

/// `context.names`, or `context.args.<name>` of a text that every call has.
fn place(node: &Value, tool: &ToolWords) -> Option<Place> {
    let access = |node: &'_ Value| -> Option<(Value, String)> {
        let access = node.get(".")?;
        Some((access.get("left")?.clone(), access.get("attr")?.as_str()?.to_owned()))
    };
    let is_context = |node: &Value| node.get("Var").and_then(Value::as_str) == Some("context");
    let (left, attribute) = access(node)?;
    if is_context(&left) {
        return (attribute == "names").then_some(Place::Names);
    }
    let (outer, arguments) = access(&left)?;
    let is_there = tool
        .fields
        .iter()
        .any(|field| field.name == attribute && field.is_required && field.kind == FieldKind::Text);
    (is_context(&outer) && arguments == "args" && is_there).then_some(Place::Argument(attribute))
}

/// The longest piece between the wildcards of a pattern.
fn letters(pattern: &[Value]) -> Option<String> {
    let (mut longest, mut piece) = (String::new(), String::new());
    for element in pattern {
        if element.as_str() == Some("Wildcard") {
            piece.clear();
        } else {
            piece.push_str(element.get("Literal")?.as_str()?);
        }
        if piece.len() > longest.len() {
            longest.clone_from(&piece);
        }
    }
    Some(longest)
}

#[cfg(test)]
mod tests;
