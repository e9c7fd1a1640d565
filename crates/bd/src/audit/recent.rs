//! Which of some ids are written already: among the last rows, or among all of them.
//!
//! Lines are searched as bytes; one that mentions an id is read before it is believed, for a row may name another.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use premath_wire::strict::{Limits, parse};

use crate::error::StoreError;
use crate::log::LogReader;

/// How far back is looked for a row that may be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lookback {
    /// So far as whoever hands a row in again at once needs.
    Recent,
    /// To the beginning: a row that waited elsewhere comes again whenever it likes.
    Whole,
}

/// So many rows are recent.
const RECENT: usize = 256;
const MEMBER: &str = "\"id\":\"";

/// Those of `ids` that one of the rows has.
pub(super) fn written<'i>(
    reader: &LogReader,
    ids: &BTreeSet<&'i str>,
    lookback: Lookback,
) -> Result<BTreeSet<&'i str>, StoreError> {
    let (mut found, mut left) = (BTreeSet::new(), RECENT);
    let mut take = |line: &[u8]| {
        if let Some(id) = std::str::from_utf8(line).ok().and_then(|text| own_id(text, ids)) {
            found.insert(id);
        }
    };
    if let Some(line) = reader.unterminated_line() {
        take(line);
    }
    reader.each_line_back::<StoreError>(u64::MAX, |_, line| {
        take(line);
        if lookback == Lookback::Recent {
            left -= 1;
        }
        Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(found)
}

fn own_id<'i>(line: &str, ids: &BTreeSet<&'i str>) -> Option<&'i str> {
    let mentions =
        line.split(MEMBER).skip(1).any(|rest| rest.split('"').next().is_some_and(|id| ids.contains(id)));
    if !mentions {
        return None;
    }
    let row = parse(line.as_bytes(), Limits::default()).ok()?;
    ids.get(row.as_object()?.get("id")?.as_text()?).copied()
}
