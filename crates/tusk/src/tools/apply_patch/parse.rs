//! The envelope, read strictly: every error names the line of the patch it is about.
//!
//! It must not repair a patch. The one thing it lets pass is a context line that is empty and lost its leading space, which
//! cannot mean anything else.

use super::hunk::{Action, Hunk, HunkLine, Section};
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::shown;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File: ";
const DELETE: &str = "*** Delete File: ";
const UPDATE: &str = "*** Update File: ";
const MOVE: &str = "*** Move to: ";
const END_OF_FILE: &str = "*** End of File";

/// The most sections of one patch.
const MOST_SECTIONS: usize = 500;

/// The lines of a patch, each with its number.
struct Lines<'p> {
    rest: std::iter::Peekable<std::iter::Enumerate<std::str::Split<'p, char>>>,
}

impl<'p> Lines<'p> {
    fn peek(&mut self) -> Option<(usize, &'p str)> {
        self.rest.peek().map(|(index, line)| (index + 1, bare(line)))
    }

    fn next(&mut self) -> Option<(usize, &'p str)> {
        self.rest.next().map(|(index, line)| (index + 1, bare(line)))
    }
}

/// A patch that came with carriage returns means the same without them.
fn bare(line: &str) -> &str {
    line.strip_suffix('\r').unwrap_or(line)
}

fn invalid(line: usize, what: impl AsRef<str>) -> ToolFailure {
    ToolFailure::new("patch.invalid", format!("line {line} of the patch: {}", what.as_ref()))
}

/// Reads an envelope.
pub(super) fn parse(patch: &str) -> Result<Vec<Section<'_>>, ToolFailure> {
    let patch = patch.trim_matches(['\n', '\r']);
    let mut lines = Lines { rest: patch.split('\n').enumerate().peekable() };
    match lines.next() {
        Some((_, first)) if first.trim_end() == BEGIN => {}
        Some(_) | None => return Err(invalid(1, format!("it must be `{BEGIN}`"))),
    }
    let mut sections = Vec::new();
    loop {
        let Some((number, line)) = lines.next() else {
            let last = patch.split('\n').count();
            return Err(invalid(last, format!("the patch ends without `{END}`; it may have been cut off")));
        };
        if line.trim_end() == END {
            return finish(&mut lines, sections);
        }
        if sections.len() == MOST_SECTIONS {
            return Err(invalid(number, format!("more than {MOST_SECTIONS} files in one patch")));
        }
        sections.push(section(&mut lines, number, line)?);
    }
}

fn finish<'p>(lines: &mut Lines<'p>, sections: Vec<Section<'p>>) -> Result<Vec<Section<'p>>, ToolFailure> {
    if let Some((number, _)) = lines.next() {
        return Err(invalid(number, format!("there is something behind `{END}`")));
    }
    if sections.is_empty() {
        return Err(invalid(2, "the patch changes nothing"));
    }
    Ok(sections)
}

fn section<'p>(lines: &mut Lines<'p>, number: usize, line: &'p str) -> Result<Section<'p>, ToolFailure> {
    let (path, action) = if let Some(path) = line.strip_prefix(ADD) {
        (path, Action::Add(added(lines)?))
    } else if let Some(path) = line.strip_prefix(DELETE) {
        (path, Action::Delete)
    } else if let Some(path) = line.strip_prefix(UPDATE) {
        (path, update(lines, number)?)
    } else {
        let what = format!(
            "`{}` begins no section; `{}`, `{}`, `{}` and `{END}` are known",
            shown(line),
            ADD.trim_end(),
            DELETE.trim_end(),
            UPDATE.trim_end()
        );
        return Err(invalid(number, what));
    };
    Ok(Section { path: path.trim(), line: number, action })
}

fn is_header(line: &str) -> bool {
    line.starts_with("*** ")
}

fn added<'p>(lines: &mut Lines<'p>) -> Result<Vec<&'p str>, ToolFailure> {
    let mut added = Vec::new();
    while let Some((number, line)) = lines.peek() {
        if is_header(line) {
            break;
        }
        let text = line.strip_prefix('+');
        added.push(text.ok_or_else(|| invalid(number, "a line of a new file begins with `+`"))?);
        lines.next();
    }
    Ok(added)
}

fn update<'p>(lines: &mut Lines<'p>, begin: usize) -> Result<Action<'p>, ToolFailure> {
    let target = lines.peek().and_then(|(_, line)| line.strip_prefix(MOVE)).map(str::trim);
    if target.is_some() {
        lines.next();
    }
    let mut hunks = Vec::new();
    while let Some((number, line)) = lines.peek() {
        if is_header(line) && line.trim_end() != END_OF_FILE {
            break;
        }
        hunks.push(hunk(lines, number)?);
    }
    if hunks.is_empty() && target.is_none() {
        return Err(invalid(begin, "the section changes nothing"));
    }
    Ok(Action::Update { target, hunks })
}

fn hunk<'p>(lines: &mut Lines<'p>, begin: usize) -> Result<Hunk<'p>, ToolFailure> {
    let mut hunk = Hunk { line: begin, ..Hunk::default() };
    while let Some((number, line)) = lines.peek() {
        if line.starts_with("@@") {
            if !hunk.lines.is_empty() {
                break;
            }
            hunk.anchors.extend(anchor(number, line)?);
        } else if line.trim_end() == END_OF_FILE {
            lines.next();
            hunk.is_at_end = true;
            break;
        } else if is_header(line) {
            break;
        } else {
            hunk.lines.push(hunk_line(number, line)?);
        }
        lines.next();
    }
    if !hunk.changes_something() {
        return Err(invalid(begin, "the hunk has no line that begins with `+` or `-`"));
    }
    Ok(hunk)
}

fn anchor(number: usize, line: &str) -> Result<Option<&str>, ToolFailure> {
    let text = line.trim_start_matches("@@").trim();
    if line.starts_with("@@ -") && text.trim_end_matches('@').contains(" +") && text.ends_with("@@") {
        let what = "line numbers say nothing here; put a line of the file behind `@@`, or nothing";
        return Err(invalid(number, what));
    }
    Ok((!text.is_empty()).then_some(text))
}

fn hunk_line(number: usize, line: &str) -> Result<HunkLine<'_>, ToolFailure> {
    if line.is_empty() {
        return Ok(HunkLine::Context(""));
    }
    if let Some(text) = line.strip_prefix('+') {
        return Ok(HunkLine::Add(text));
    }
    if let Some(text) = line.strip_prefix('-') {
        return Ok(HunkLine::Remove(text));
    }
    let context = line.strip_prefix(' ').map(HunkLine::Context);
    context.ok_or_else(|| {
        invalid(number, format!("`{}` begins with neither a space nor `-` nor `+`", shown(line)))
    })
}
