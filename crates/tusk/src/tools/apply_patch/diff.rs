//! The changes of a patch as a unified diff, for people. It must not be read by a program: of long ones only the beginning
//! is there.

mod edits;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use self::edits::{Edit, edits};
use super::change::{AfterFile, FileChange};
use crate::tools::files::FileContent;

/// The most bytes of a diff, but for the line that says how much is missing.
const MOST: usize = 64 * 1024;
/// How many lines are shown around a change.
const AROUND: usize = 3;

/// The changes as one text.
pub(super) fn unified(changes: &[FileChange]) -> String {
    let mut diff = Diff::default();
    for change in changes {
        file(&mut diff, change);
    }
    diff.into_text()
}

/// What fits; what does not is counted.
#[derive(Debug, Default)]
struct Diff {
    text: String,
    dropped: u64,
}

impl Diff {
    fn into_text(self) -> String {
        if self.dropped > 0 { format!("{}… {} more lines\n", self.text, self.dropped) } else { self.text }
    }

    fn push(&mut self, line: &str) {
        if self.dropped == 0 && self.text.len() + line.len() < MOST {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.dropped += 1;
        }
    }
}

/// What becomes of one text, under the name that it has, as a unified diff for people, bounded. None is a text that is not
/// there.
#[must_use]
pub fn text_diff(name: &str, before: Option<&str>, after: Option<&str>) -> String {
    let mut diff = Diff::default();
    // A name cannot begin a line of its own.
    let name: String = name
        .chars()
        .map(|letter| if letter.is_control() { char::REPLACEMENT_CHARACTER } else { letter })
        .collect();
    titles(&mut diff, &name, before.is_some(), after.is_some());
    let before: Vec<&str> = before.unwrap_or_default().split_inclusive('\n').collect();
    let after: Vec<&str> = after.unwrap_or_default().split_inclusive('\n').collect();
    for hunk in hunks(&edits(&before, &after)) {
        written(&mut diff, &hunk);
    }
    diff.into_text()
}

fn titles(diff: &mut Diff, path: &str, was_there: bool, is_there: bool) {
    let name =
        |is_there: bool, side: &str| if is_there { format!("{side}/{path}") } else { "/dev/null".to_owned() };
    diff.push(&format!("--- {}", name(was_there, "a")));
    diff.push(&format!("+++ {}", name(is_there, "b")));
}

fn file(diff: &mut Diff, change: &FileChange) {
    titles(diff, change.path.as_str(), change.before.is_some(), change.after.is_some());
    let after = match &change.after {
        None => Some(None),
        Some(AfterFile::Here(content)) => Some(Some(content)),
        Some(AfterFile::Known { .. }) => None,
    };
    let Some(after) = after else {
        diff.push("(what it became is not at hand)");
        return;
    };
    let (Some(before), Some(after)) = (lines(change.before.as_ref()), lines(after)) else {
        diff.push("(not text)");
        return;
    };
    for hunk in hunks(&edits(&before, &after)) {
        written(diff, &hunk);
    }
}

/// The lines of a text with their ends; none for what is no text.
fn lines(content: Option<&FileContent>) -> Option<Vec<&str>> {
    let bytes = content.map_or(&[][..], |content| &content.bytes);
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    Some(text.split_inclusive('\n').collect())
}

/// A run of edits, with the lines before it on both sides, counted from 0.
struct Hunk<'d> {
    edits: &'d [Edit<'d>],
    old: usize,
    new: usize,
}

/// Changes that are near each other, each with the lines around it.
fn hunks<'d>(edits: &'d [Edit<'d>]) -> Vec<Hunk<'d>> {
    let changed: Vec<usize> = edits
        .iter()
        .enumerate()
        .filter(|(_, edit)| !matches!(edit, Edit::Keep(_)))
        .map(|(at, _)| at)
        .collect();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for at in changed {
        let (start, end) = (at.saturating_sub(AROUND), (at + AROUND + 1).min(edits.len()));
        match spans.last_mut() {
            Some(last) if start <= last.1 => last.1 = end,
            Some(_) | None => spans.push((start, end)),
        }
    }
    let hunk = |(start, end)| {
        let (before, rest) = edits.split_at_checked(start)?;
        let edits = rest.get(..end - start)?;
        let old = before.iter().filter(|edit| !matches!(edit, Edit::Add(_))).count();
        let new = before.iter().filter(|edit| !matches!(edit, Edit::Remove(_))).count();
        Some(Hunk { edits, old, new })
    };
    spans.into_iter().filter_map(hunk).collect()
}

fn written(diff: &mut Diff, hunk: &Hunk<'_>) {
    let old = hunk.edits.iter().filter(|edit| !matches!(edit, Edit::Add(_))).count();
    let new = hunk.edits.iter().filter(|edit| !matches!(edit, Edit::Remove(_))).count();
    diff.push(&format!("@@ -{} +{} @@", range(hunk.old, old), range(hunk.new, new)));
    for edit in hunk.edits {
        let (sign, line) = match edit {
            Edit::Keep(line) => (' ', line),
            Edit::Remove(line) => ('-', line),
            Edit::Add(line) => ('+', line),
        };
        match line.strip_suffix('\n') {
            Some(line) => diff.push(&shown(sign, line)),
            None => {
                diff.push(&shown(sign, line));
                diff.push("\\ No newline at end of file");
            }
        }
    }
}

/// Where a side of a hunk begins, from 1, and how long it is; one that is empty names the line before it.
fn range(before: usize, length: usize) -> String {
    format!("{},{length}", if length == 0 { before } else { before + 1 })
}

/// A line with its sign; nothing in it can move a cursor or colour a terminal.
fn shown(sign: char, line: &str) -> String {
    let mut shown = String::with_capacity(line.len() + 1);
    shown.push(sign);
    for character in line.chars() {
        if character.is_control() && character != '\t' {
            // Writing to a string does not fail.
            write!(shown, "{}", character.escape_default()).unwrap_or_default();
        } else {
            shown.push(character);
        }
    }
    shown
}
