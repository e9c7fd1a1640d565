//! Which of the marks of a request are sent, and where they go. What was written before has none, so that a mark that moves
//! changes nothing behind it. It must not write an item.

use premath_tusk::model::Encoded;

use crate::provider::encode::{Body, after};

/// The protocol takes no more marks in one request.
const MOST_MARKS: usize = 4;

/// A mark: the last field of a block.
const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}"#;

/// The marks of one request, in the order in which it is written. Beyond the most the protocol takes those are sent that
/// come first, which conversations share, and those that come last, which the next turn reads: two of each.
#[derive(Debug)]
pub(super) struct Marks {
    total: usize,
    seen: usize,
}

impl Marks {
    /// What all marks of a request take at most.
    pub(super) const ROOM: usize = MOST_MARKS * MARK.len();

    /// The marks of these lists, which are put in this order.
    pub(super) fn of(lists: [&Encoded<'_>; 3]) -> Self {
        Self { total: lists.iter().map(|list| list.mark_count()).sum(), seen: 0 }
    }

    /// Whether the next mark is sent.
    const fn is_next_sent(&mut self) -> bool {
        let place = self.seen;
        self.seen += 1;
        let half = MOST_MARKS / 2;
        self.total <= MOST_MARKS || place < half || place + half >= self.total
    }

    /// A list of items that were written before, with the marks that are sent.
    pub(super) fn put_list(&mut self, body: &mut Body, name: &str, items: &Encoded<'_>) {
        body.name(name);
        body.put(b"[");
        for (place, piece) in items.between_marks().enumerate() {
            if place == 0 {
                body.put(after(b",", piece));
            } else {
                if self.is_next_sent() {
                    body.put(MARK);
                }
                body.put(piece);
            }
        }
        body.put(b"]");
    }
}
