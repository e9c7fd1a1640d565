//! Finding a piece of a file by its lines without holding the file: forwards block by block, backwards from the end.

use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};

use premath_kernel::Digest;

use super::{beyond, refuse_binary, system};
use crate::tools::clip::{decoded, length, room, whole_characters};
use crate::tools::context::ToolContext;
use crate::tools::files::WorkFile;
use crate::tools::outcome::ToolFailure;
use crate::tools::work_path::WorkPath;

const BLOCK: usize = 64 * 1024;
/// How far a line is looked for.
const FARTHEST: u64 = 1 << 30;

/// A piece of a file.
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) replaced: u64,
    pub(super) start: u64,
    pub(super) end: u64,
    /// The digest of the file, when the piece is all of it.
    pub(super) digest: Option<Digest>,
    /// The first and the last line, where their numbers are known.
    pub(super) lines: Option<(u64, u64)>,
    /// The arguments that read on.
    pub(super) next: Option<serde_json::Value>,
    pub(super) is_cut: bool,
}

/// An open file and what is known about it.
pub(super) struct Reader<'r> {
    pub(super) file: Box<dyn WorkFile>,
    pub(super) path: &'r WorkPath,
    pub(super) total: u64,
    pub(super) context: &'r ToolContext<'r>,
}

/// Lines as they were collected.
struct Collected {
    bytes: Vec<u8>,
    text: String,
    replaced: u64,
    count: u64,
    /// Whether the last line is not all there.
    is_partial: bool,
    /// Whether something was left because of the budget.
    is_full: bool,
}

impl Reader<'_> {
    /// The bytes of a range, fewer at the end of the file.
    pub(super) fn range(&mut self, start: u64, most: usize) -> Result<Vec<u8>, ToolFailure> {
        let failed = |source| system(self.path, source);
        self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut bytes = Vec::new();
        (&mut self.file).take(length(most)).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// A piece by lines: from line `offset`, or from the line that is `-offset` lines before the end.
    pub(super) fn lines(&mut self, offset: i64, limit: u64, numbered: bool) -> Result<Piece, ToolFailure> {
        let (start, first) = if offset < 0 {
            let start = self.line_from_end(offset.unsigned_abs())?;
            (start, (start == 0).then_some(1))
        } else {
            let first = offset.unsigned_abs().max(1);
            (self.line_from_start(first)?, Some(first))
        };
        let numbers = first.filter(|_| numbered);
        let collected = self.collect(start, limit, numbers)?;
        let end = start + length(collected.bytes.len());
        let is_whole = start == 0 && end == self.total;
        let next = (end < self.total).then(|| match first {
            Some(first) if !collected.is_partial => serde_json::json!({"offset": first + collected.count}),
            Some(_) | None => serde_json::json!({"unit": "bytes", "offset": end}),
        });
        Ok(Piece {
            text: collected.text,
            replaced: collected.replaced,
            start,
            end,
            digest: is_whole.then(|| Digest::of_bytes(&collected.bytes)),
            lines: first.filter(|_| collected.count > 0).map(|first| (first, first + collected.count - 1)),
            next,
            is_cut: collected.is_full,
        })
    }

    /// Lines from a place on, as many as are wanted and fit. The first is cut when it does not fit alone.
    fn collect(&mut self, start: u64, limit: u64, numbers: Option<u64>) -> Result<Collected, ToolFailure> {
        let (path, total, budget) = (self.path, self.total, self.context.budget);
        let failed = |source| system(path, source);
        self.file.seek(SeekFrom::Start(start)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(BLOCK.min(budget.max(512)), &mut self.file);
        let mut collected = Collected {
            bytes: Vec::new(),
            text: String::new(),
            replaced: 0,
            count: 0,
            is_partial: false,
            is_full: false,
        };
        let mut line = Vec::new();
        while collected.count < limit {
            let number = numbers.map(|first| format!("{}\t", first + collected.count)).unwrap_or_default();
            let left = budget.saturating_sub(collected.text.len() + number.len());
            line.clear();
            // One byte more than fits tells a line that fits from one that does not.
            let wanted = length(left).saturating_add(1);
            (&mut reader).take(wanted).read_until(b'\n', &mut line).map_err(failed)?;
            refuse_binary(path, &line, total)?;
            if line.is_empty() {
                break;
            }
            let (mut text, mut replaced) = decoded(&line);
            if text.len() > left {
                collected.is_full = true;
                if collected.count > 0 {
                    break;
                }
                collected.is_partial = true;
                // What is no text takes up to three times its room when it is shown.
                for room in [left, left / 3] {
                    line.truncate(room);
                    line.truncate(whole_characters(&line).len());
                    (text, replaced) = decoded(&line);
                    if text.len() <= left {
                        break;
                    }
                }
            }
            collected.bytes.extend_from_slice(&line);
            collected.text.push_str(&number);
            collected.text.push_str(&text);
            collected.replaced += replaced;
            collected.count += 1;
            if collected.is_partial {
                break;
            }
        }
        Ok(collected)
    }

    fn line_from_start(&mut self, line: u64) -> Result<u64, ToolFailure> {
        let mut left = line - 1;
        let mut at = 0;
        while left > 0 {
            self.context.go_on()?;
            let block = self.range(at, BLOCK)?;
            let newline = memchr::memchr_iter(b'\n', &block).nth(room(left - 1));
            let Some(newline) = newline else {
                left -= length(memchr::memchr_iter(b'\n', &block).count());
                at += length(block.len());
                if block.is_empty() {
                    let lines = line - 1 - left + u64::from(!self.ends_in_newline()?);
                    return Err(beyond(self.path, &format!("it has {lines} lines")));
                }
                if at > FARTHEST {
                    return Err(beyond(self.path, "the line is too far into it; read it by bytes"));
                }
                continue;
            };
            return self.begun_line(at + length(newline) + 1, line);
        }
        Ok(at)
    }

    /// Behind the last newline there is no line.
    fn begun_line(&self, start: u64, line: u64) -> Result<u64, ToolFailure> {
        if start < self.total {
            return Ok(start);
        }
        Err(beyond(self.path, &format!("it has {} lines", line - 1)))
    }

    fn ends_in_newline(&mut self) -> Result<bool, ToolFailure> {
        let last = self.range(self.total.saturating_sub(1), 1)?;
        Ok(last.is_empty() || last == b"\n")
    }

    fn line_from_end(&mut self, lines: u64) -> Result<u64, ToolFailure> {
        // The newline at the very end ends the last line and begins none.
        let mut end = self.total - u64::from(self.total > 0 && self.ends_in_newline()?);
        let mut left = lines;
        while end > 0 && self.total - end <= FARTHEST {
            self.context.go_on()?;
            let start = end.saturating_sub(length(BLOCK));
            let block = self.range(start, room(end - start))?;
            let newline = memchr::memrchr_iter(b'\n', &block).nth(room(left - 1));
            if let Some(newline) = newline {
                return Ok(start + length(newline) + 1);
            }
            left -= length(memchr::memchr_iter(b'\n', &block).count());
            end = start;
        }
        Ok(end)
    }
}
