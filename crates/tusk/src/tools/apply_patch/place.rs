//! Where the hunks of a section go, and what the file is afterwards.
//!
//! Lines are compared exactly, but for their endings, which the file keeps. A hunk that fits nowhere, or in two places, is
//! refused with the nearest place shown.

use super::hunk::{Hunk, HunkLine};
use crate::tools::clip::head;
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::WorkPath;

/// How much of the nearest place is shown.
const SHOWN: usize = 2000;
/// Beyond this many comparisons the nearest place is not looked for.
const MOST_COMPARISONS: usize = 2_000_000;

/// A third place says that there are more than two.
const MOST_PLACES: usize = 3;

/// One line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line<'f> {
    text: &'f [u8],
    ending: &'f [u8],
    origin: Origin,
}

/// Where a line of the result is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    File,
    Patch,
}

impl Line<'_> {
    fn is_ended(&self) -> bool {
        self.ending.ends_with(b"\n")
    }
}

fn lines(bytes: &[u8]) -> Vec<Line<'_>> {
    bytes.split_inclusive(|byte| *byte == b'\n').map(line).collect()
}

fn line(bytes: &[u8]) -> Line<'_> {
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    Line { text, ending: bytes.get(text.len()..).unwrap_or_default(), origin: Origin::File }
}

/// A file with hunks applied.
pub(super) fn patched(path: &WorkPath, bytes: &[u8], hunks: &[Hunk<'_>]) -> Result<Vec<u8>, ToolFailure> {
    let file = lines(bytes);
    let ending: &[u8] =
        file.first().filter(|line| line.is_ended()).map_or(b"\n".as_slice(), |line| line.ending);
    let mut result: Vec<Line<'_>> = Vec::with_capacity(file.len());
    let mut at = 0;
    for hunk in hunks {
        let start = place(path, &file, at, hunk)?;
        result.extend(file.get(at..start).unwrap_or_default());
        at = start;
        for line in &hunk.lines {
            match line {
                HunkLine::Add(text) => {
                    result.push(Line { text: text.as_bytes(), ending, origin: Origin::Patch })
                }
                HunkLine::Remove(_) => at += 1,
                HunkLine::Context(_) => {
                    result.extend(file.get(at));
                    at += 1;
                }
            }
        }
    }
    result.extend(file.get(at..).unwrap_or_default());
    // A file without a newline at its end stays one when its last line is replaced.
    let ends_open = file.last().is_some_and(|line| !line.is_ended());
    Ok(joined(&result, ending, ends_open))
}

fn joined(lines: &[Line<'_>], ending: &[u8], ends_open: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        bytes.extend_from_slice(line.text);
        let is_last = index + 1 == lines.len();
        // An empty line without its newline would be no line.
        let stays_open = ends_open && line.origin == Origin::Patch && !line.text.is_empty();
        bytes.extend_from_slice(match (is_last, line.is_ended()) {
            (true, true) if stays_open => b"",
            (false, false) => ending,
            (true, _) | (false, true) => line.ending,
        });
    }
    bytes
}

fn place(path: &WorkPath, file: &[Line<'_>], from: usize, hunk: &Hunk<'_>) -> Result<usize, ToolFailure> {
    let mut from = from;
    for (depth, anchor) in hunk.anchors.iter().enumerate() {
        from = anchored(path, file, from, hunk, depth, anchor)?;
    }
    let old = hunk.old();
    if old.is_empty() {
        return insertion(path, file, from, hunk);
    }
    if hunk.is_at_end {
        let start = file.len().checked_sub(old.len()).filter(|start| *start >= from);
        let start = start.filter(|start| fits(file, *start, &old));
        return start.ok_or_else(|| stale(path, file, from, hunk, &old));
    }
    let places = places(file, from, &old);
    match places.as_slice() {
        [] => Err(stale(path, file, from, hunk, &old)),
        [only] => Ok(*only),
        // An anchor says which of them: the first below it.
        [first, ..] if !hunk.anchors.is_empty() => Ok(*first),
        [first, second, more @ ..] => {
            let more = if more.is_empty() { "" } else { " and more" };
            let what = format!(
                "fits at lines {} and {}{more}; give more context, or a line above it behind `@@`",
                first + 1,
                second + 1
            );
            let excerpts = [first, second].map(|start| excerpt(path, file, *start, old.len()));
            Err(refused("patch.context_ambiguous", path, hunk, &what).with_closest(excerpts.into()))
        }
    }
}

/// The first few places where lines are, in time linear in the file: a long run of equal lines must not hold anybody up.
fn places(file: &[Line<'_>], from: usize, old: &[&str]) -> Vec<usize> {
    let is_equal = |left: usize, right: usize| old.get(left) == old.get(right);
    // For each line of the pattern: how long a beginning of the pattern ends there.
    let mut borders = vec![0_usize];
    let mut matched = 0;
    for at in 1..old.len() {
        while matched > 0 && !is_equal(at, matched) {
            matched = border(&borders, matched);
        }
        matched += usize::from(is_equal(at, matched));
        borders.push(matched);
    }
    let mut places = Vec::new();
    matched = 0;
    for (at, line) in file.iter().enumerate().skip(from) {
        let is_next = |matched: usize| old.get(matched).is_some_and(|old| old.as_bytes() == line.text);
        while matched > 0 && !is_next(matched) {
            matched = border(&borders, matched);
        }
        matched += usize::from(is_next(matched));
        if matched == old.len() {
            places.push(at + 1 - matched);
            if places.len() == MOST_PLACES {
                break;
            }
            matched = border(&borders, matched);
        }
    }
    places
}

fn border(borders: &[usize], matched: usize) -> usize {
    matched.checked_sub(1).and_then(|last| borders.get(last)).copied().unwrap_or(0)
}

fn fits(file: &[Line<'_>], start: usize, old: &[&str]) -> bool {
    let window = start.checked_add(old.len()).and_then(|end| file.get(start..end));
    window.is_some_and(|window| window.iter().zip(old).all(|(line, old)| line.text == old.as_bytes()))
}

/// The one line that an anchor names, or the first below the anchor before it. It counts without the space around it.
fn anchored(
    path: &WorkPath,
    file: &[Line<'_>],
    from: usize,
    hunk: &Hunk<'_>,
    depth: usize,
    anchor: &str,
) -> Result<usize, ToolFailure> {
    let rest = file.iter().enumerate().skip(from);
    let mut named = rest.filter(|(_, line)| line.text.trim_ascii() == anchor.as_bytes());
    match (named.next(), named.next()) {
        (Some((first, _)), Some((second, _))) if depth == 0 => {
            let what = format!(
                "has a line behind `@@` that is there twice, at lines {} and {}",
                first + 1,
                second + 1
            );
            Err(refused("patch.context_ambiguous", path, hunk, &what))
        }
        (Some((at, _)), _) => Ok(at),
        (None, _) => Err(stale(path, file, from, hunk, &[anchor])),
    }
}

/// Lines that come without any context: below the anchor, at the end where that is said, or into an empty file.
fn insertion(path: &WorkPath, file: &[Line<'_>], from: usize, hunk: &Hunk<'_>) -> Result<usize, ToolFailure> {
    if hunk.is_at_end || file.is_empty() {
        return Ok(file.len());
    }
    if !hunk.anchors.is_empty() {
        return Ok(from + 1);
    }
    let what =
        "says nothing about where its lines go; give context, a line behind `@@`, or `*** End of File`";
    Err(refused("patch.context_ambiguous", path, hunk, what))
}

fn refused(code: &'static str, path: &WorkPath, hunk: &Hunk<'_>, what: &str) -> ToolFailure {
    let line = hunk.line;
    ToolFailure::new(code, format!("line {line} of the patch: the hunk for `{path}` {what}"))
}

fn stale(path: &WorkPath, file: &[Line<'_>], from: usize, hunk: &Hunk<'_>, old: &[&str]) -> ToolFailure {
    let elsewhere = places(file, 0, old).first().copied();
    let what = if elsewhere.is_some_and(|start| start < from) {
        "fits only above a hunk or anchor before it; put hunks in the order of the file"
    } else if hunk.is_at_end && elsewhere.is_some() {
        "does not end where the file ends"
    } else {
        "fits nowhere; the file may have changed since it was read"
    };
    let closest = nearest(file, old).map(|start| excerpt(path, file, start, old.len()));
    refused("patch.context_stale", path, hunk, what).with_closest(closest.into_iter().collect())
}

/// The place that has most of the lines, or else most of the text of one of them.
fn nearest(file: &[Line<'_>], old: &[&str]) -> Option<usize> {
    if file.len().saturating_mul(old.len()) > MOST_COMPARISONS {
        return None;
    }
    let score = |start: usize| {
        let pairs = file.iter().skip(start).zip(old);
        pairs.filter(|(line, old)| is_like(line.text, old)).count()
    };
    let best = (0..file.len()).map(|start| (score(start), start));
    // Of equal ones the first.
    let best = best.max_by(|left, right| left.0.cmp(&right.0).then(right.1.cmp(&left.1)));
    best.filter(|(score, _)| *score > 0).map(|(_, start)| start).or_else(|| alike(file, old))
}

fn is_like(line: &[u8], old: &str) -> bool {
    let line = line.trim_ascii();
    !line.is_empty() && line == old.trim().as_bytes()
}

fn alike(file: &[Line<'_>], old: &[&str]) -> Option<usize> {
    const LONGEST: usize = 120;
    const MOST_LINES: usize = 2000;
    let (offset, wanted) =
        old.iter().enumerate().find(|(_, line)| !line.trim().is_empty() && line.len() <= LONGEST)?;
    let scored = file.iter().take(MOST_LINES).enumerate().filter_map(|(index, line)| {
        let text = std::str::from_utf8(line.text).ok().filter(|text| text.len() <= LONGEST)?;
        Some((strsim::osa_distance(wanted.trim(), text.trim()), index))
    });
    let (distance, index) = scored.min()?;
    (distance <= wanted.trim().chars().count() / 2).then(|| index.saturating_sub(offset))
}

/// Lines of the file as they are, with where they are.
fn excerpt(path: &WorkPath, file: &[Line<'_>], start: usize, count: usize) -> String {
    let end = (start + count).min(file.len());
    let text: Vec<String> = file
        .get(start..end)
        .unwrap_or_default()
        .iter()
        .map(|line| String::from_utf8_lossy(line.text).into_owned())
        .collect();
    let text = text.join("\n");
    format!("{path}, lines {} to {end}:\n{}", start + 1, head(&text, SHOWN))
}
