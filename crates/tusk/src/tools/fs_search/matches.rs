//! The matches of one file, read as a stream of lines.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Read as _};

use regex::bytes::Regex;

use crate::tools::clip::{decoded, length, whole_characters};
use crate::tools::context::ToolContext;
use crate::tools::files::WorkFile;
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::WorkPath;

/// A longer line is searched in pieces of this many bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// How much of a line is shown.
const SHOWN: usize = 400;
/// How much of a long line is shown before the match.
const BEFORE: usize = 120;
/// How many lines are read before anybody asks whether to go on.
const LINES_BETWEEN_ASKING: u64 = 4096;

/// How the search of a file ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileEnd {
    /// At the end of the file.
    Reached,
    /// At the most matches; there are more.
    Capped,
    /// At a NUL: it is no text, and nothing of it counts.
    Binary,
    /// At the most bytes of the whole search.
    OutOfBytes,
    /// The system failed.
    Unreadable,
}

/// What was found in one file.
pub(super) struct Found<'f> {
    path: &'f WorkPath,
    pattern: &'f Regex,
    around: usize,
    most: u64,
    before: VecDeque<(u64, Vec<u8>)>,
    /// How many lines behind the last match are still to be shown.
    owed: usize,
    last_shown: u64,
    room: usize,
    pub(super) lines: Vec<String>,
    /// How many lines were not kept because there was no room.
    pub(super) unkept: u64,
    pub(super) matches: u64,
    pub(super) bytes: u64,
}

impl<'f> Found<'f> {
    pub(super) fn new(path: &'f WorkPath, pattern: &'f Regex, around: usize, most: u64, room: usize) -> Self {
        Self {
            path,
            pattern,
            around,
            most,
            before: VecDeque::new(),
            owed: 0,
            last_shown: 0,
            room,
            lines: Vec::new(),
            unkept: 0,
            matches: 0,
            bytes: 0,
        }
    }

    /// Searches the file to its end, or until something keeps it from going on.
    ///
    /// # Errors
    /// `interrupted`.
    pub(super) fn search(
        &mut self,
        file: Box<dyn WorkFile>,
        context: &ToolContext<'_>,
        most_bytes: u64,
    ) -> Result<FileEnd, ToolFailure> {
        let mut reader = BufReader::with_capacity(64 * 1024, file);
        let mut line = Vec::new();
        let (mut number, mut is_begun) = (0, false);
        loop {
            line.clear();
            match (&mut reader).take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) => return Ok(FileEnd::Reached),
                Ok(_) => {}
                Err(_) => return Ok(FileEnd::Unreadable),
            }
            self.bytes += length(line.len());
            if memchr::memchr(0, &line).is_some() {
                return Ok(FileEnd::Binary);
            }
            number += u64::from(!is_begun);
            is_begun = line.last() != Some(&b'\n');
            if !self.take(number, without_ending(&line)) {
                return Ok(FileEnd::Capped);
            }
            if self.bytes >= most_bytes {
                return Ok(FileEnd::OutOfBytes);
            }
            if number.is_multiple_of(LINES_BETWEEN_ASKING) {
                context.go_on()?;
            }
        }
    }

    /// Takes a line; `false` when it is one match too many.
    fn take(&mut self, number: u64, line: &[u8]) -> bool {
        let Some(found) = self.pattern.find(line) else {
            if self.owed > 0 {
                self.owed -= 1;
                self.show(number, line, '-', 0);
            } else if self.around > 0 {
                if self.before.len() == self.around {
                    self.before.pop_front();
                }
                let kept = line.get(..line.len().min(SHOWN * 2)).unwrap_or(line);
                self.before.push_back((number, kept.to_vec()));
            }
            return true;
        };
        if self.matches == self.most {
            return false;
        }
        self.matches += 1;
        for (number, line) in std::mem::take(&mut self.before) {
            self.show(number, &line, '-', 0);
        }
        self.show(number, line, ':', found.start());
        self.owed = self.around;
        true
    }

    fn show(&mut self, number: u64, line: &[u8], mark: char, at: usize) {
        let is_apart = self.around > 0 && self.last_shown > 0 && number > self.last_shown + 1;
        self.last_shown = number;
        if is_apart {
            self.keep("--".to_owned());
        }
        let path = self.path;
        self.keep(format!("{path}{mark}{number}{mark}{}", excerpt(line, at)));
    }

    fn keep(&mut self, line: String) {
        // The line that has no more room is kept, so that whoever takes the lines sees that one is missing.
        if self.room == 0 {
            self.unkept += 1;
            return;
        }
        self.room = self.room.saturating_sub(line.len() + 1);
        self.lines.push(line);
    }
}

fn without_ending(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// A long line from a little before the match on.
fn excerpt(line: &[u8], at: usize) -> String {
    if line.len() <= SHOWN {
        return decoded(line).0;
    }
    let start = at.saturating_sub(BEFORE).min(line.len() - SHOWN);
    let rest = line.get(start..).unwrap_or_default();
    let stray = if start == 0 { 0 } else { crate::tools::clip::stray_continuations(rest) };
    let piece = whole_characters(rest.get(stray..SHOWN).unwrap_or_default());
    let (text, _) = decoded(piece);
    let (left, right) = (start + stray, line.len() - start - stray - piece.len());
    let before = if left > 0 { format!("[{left} bytes]…") } else { String::new() };
    let after = if right > 0 { format!("…[{right} bytes]") } else { String::new() };
    format!("{before}{text}{after}")
}
