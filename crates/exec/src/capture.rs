//! What is kept of an output: its beginning and its end, in memory that the cap bounds whatever is written.

#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use premath_tusk::sandbox::CapturedOutput;

/// Takes an output piece by piece.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_cap: usize,
    tail_cap: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `cap` bytes, the first half and the last half of them.
    pub(crate) fn new(cap: u64) -> Self {
        let cap = usize::try_from(cap).unwrap_or(usize::MAX);
        let tail_cap = cap / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), head_cap: cap - tail_cap, tail_cap, total: 0 }
    }

    /// Takes the next piece.
    pub(crate) fn take(&mut self, piece: &[u8]) {
        self.total = self.total.saturating_add(u64::try_from(piece.len()).unwrap_or(u64::MAX));
        let fits = self.head_cap.saturating_sub(self.head.len()).min(piece.len());
        let (first, rest) = piece.split_at_checked(fits).unwrap_or((piece, &[]));
        self.head.extend_from_slice(first);
        let skipped = rest.len().saturating_sub(self.tail_cap);
        let rest = rest.get(skipped..).unwrap_or_default();
        let over = (self.tail.len() + rest.len()).saturating_sub(self.tail_cap);
        self.tail.drain(..over.min(self.tail.len()));
        self.tail.extend(rest);
    }

    /// What was kept; in one piece when nothing is missing between the halves.
    pub(crate) fn finish(self) -> CapturedOutput {
        let mut head = self.head;
        let mut tail: Vec<u8> = self.tail.into();
        let kept = u64::try_from(head.len() + tail.len()).unwrap_or(u64::MAX);
        if kept == self.total {
            head.append(&mut tail);
        }
        CapturedOutput { head, tail, total_bytes: self.total }
    }
}
