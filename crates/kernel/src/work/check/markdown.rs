//! Just enough Markdown to find an acceptance line and a command.
//!
//! Reads each text once, line by line. Must not decide which issues need either; see `check_text` for the rules.

use alloc::vec;
use alloc::vec::Vec;

/// What may stand in front of a label or of text without being part of it.
const MARKERS: &[char] = &['#', '*', '-', '>', ' ', '\t'];
const ACCEPTANCE: &str = "Acceptance:";
const VERIFICATION: [&str; 2] = ["Verification:", "Verify:"];

/// Whether an `Acceptance:` line says something.
pub(super) fn has_acceptance(text: &str) -> bool {
    // Set behind a bare label, until the line that may carry its text.
    let mut is_expected = false;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match behind(line, ACCEPTANCE) {
            Some(rest) if is_text(rest) => return true,
            Some(_) => is_expected = true,
            None if is_expected && is_body(line) => return true,
            None => is_expected = false,
        }
    }
    false
}

/// Whether some line tells how to verify the work.
pub(super) fn has_command(text: &str) -> bool {
    let mut fence: Option<char> = None;
    for line in text.lines() {
        match (fence, fence_mark(line)) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) if is_code(line) => return true,
            (Some(_), _) => {}
            (None, None) if is_command_line(line) => return true,
            (None, None) => {}
        }
    }
    false
}

/// The commands that tell how to verify the work: those of labelled lines where there are any, else every other one.
pub(super) fn commands(text: &str) -> Vec<&str> {
    let labelled: Vec<&str> = text.lines().filter_map(labelled_text).flat_map(label_commands).collect();
    if !labelled.is_empty() {
        return labelled;
    }
    let mut fence: Option<char> = None;
    let mut commands = Vec::new();
    for line in text.lines() {
        match (fence, fence_mark(line)) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            (Some(_), _) if is_code(line) => commands.push(without_prompt(line)),
            (Some(_), _) => {}
            (None, None) => match line.trim_start().strip_prefix("$ ").filter(|rest| is_text(rest)) {
                Some(rest) => commands.push(rest.trim()),
                None => commands.extend(spans(line).filter(|span| is_command(span)).map(without_prompt)),
            },
        }
    }
    commands
}

/// What stands behind `Verification:` or `Verify:`.
fn labelled_text(line: &str) -> Option<&str> {
    VERIFICATION.iter().find_map(|label| behind(line, label)).filter(|rest| is_text(rest))
}

/// The commands in backticks of a labelled line; all of it where there are none.
fn label_commands(rest: &str) -> Vec<&str> {
    let quoted: Vec<&str> = spans(rest).filter(|span| is_text(span)).map(without_prompt).collect();
    if quoted.is_empty() { vec![without_prompt(rest.trim_start_matches(['*', ' ', '\t']))] } else { quoted }
}

fn without_prompt(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix("$ ").unwrap_or(text).trim()
}

/// What follows `label` at the start of the line, in any case and behind any markers.
fn behind<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    let (start, rest) = line.trim_start_matches(MARKERS).split_at_checked(label.len())?;
    start.eq_ignore_ascii_case(label).then_some(rest)
}

/// Whether anything but markers is there.
fn is_text(text: &str) -> bool {
    !text.trim_matches(MARKERS).is_empty()
}

/// Whether a line can be the text of the label above it.
fn is_body(line: &str) -> bool {
    let is_heading = line.trim_start().starts_with('#');
    let is_label = VERIFICATION.iter().any(|label| behind(line, label).is_some());
    is_text(line) && !is_heading && !is_label
}

/// The character of a code fence, if the line is one. Backticks further on make it a span, not a fence.
fn fence_mark(line: &str) -> Option<char> {
    let line = line.trim_start();
    let mark = ['`', '~'].into_iter().find(|mark| line.chars().take_while(|one| one == mark).count() >= 3)?;
    let info = line.trim_start_matches(mark);
    (mark == '~' || !info.contains('`')).then_some(mark)
}

/// Whether a line of a code block does something.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    !line.is_empty() && !line.starts_with('#')
}

fn is_command_line(line: &str) -> bool {
    let is_prompt = line.trim_start().strip_prefix("$ ").is_some_and(is_text);
    is_prompt
        || VERIFICATION.iter().filter_map(|label| behind(line, label)).any(is_text)
        || has_command_span(line)
}

/// Whether some text between backticks on the line is a command.
fn has_command_span(line: &str) -> bool {
    spans(line).any(is_command)
}

/// The texts between backticks on a line.
fn spans(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    core::iter::from_fn(move || {
        let (_, inside) = rest.split_once('`')?;
        let (span, behind) = inside.trim_start_matches('`').split_once('`')?;
        rest = behind.trim_start_matches('`');
        Some(span)
    })
}

fn is_command(span: &str) -> bool {
    let span = span.trim();
    let span = span.strip_prefix("$ ").unwrap_or(span);
    let mut words = span.split_whitespace().skip_while(|word| is_assignment(word));
    let Some(program) = words.next().filter(|word| is_program(word)) else {
        return false;
    };
    words.next().is_some() || program.starts_with("./")
}

/// `NAME=value` in front of a command.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
    })
}

fn is_program(word: &str) -> bool {
    word.chars().all(|one| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '+' | '/' | '-'))
        && word.contains(|one: char| one.is_ascii_alphabetic())
}
