//! Every row is told once, wherever a client stands.

use premath_bd::{Cursor, JournalRow};
use premath_host::FollowedRows;
use premath_kernel::{Moment, Object};

use super::{Page, Pages};

fn followed(rows: std::ops::RangeInclusive<u64>) -> FollowedRows {
    let last = *rows.end();
    let row = |seq| JournalRow {
        seq,
        prev: None,
        at: Moment::EPOCH,
        event: Object::fields().field("kind", "x").finish().into_owned(),
        row_digest: format!("sha256:{seq}"),
        mac: None,
    };
    FollowedRows {
        rows: rows.map(row).collect(),
        next: Cursor::behind(last),
        has_more: false,
        has_stopped: false,
    }
}

fn ids(page: &Page, behind: u64) -> Vec<u64> {
    let text = String::from_utf8(page.frames_behind(behind).to_vec()).unwrap();
    text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect()
}

#[test]
fn a_page_gives_the_rows_behind_any_of_its_rows() {
    let page = Page::new(10, &followed(11..=20));
    assert_eq!(ids(&page, 10), (11..=20).collect::<Vec<_>>());
    assert_eq!(ids(&page, 15), (16..=20).collect::<Vec<_>>());
    assert_eq!(ids(&page, 20), Vec::<u64>::new());
    assert_eq!((page.behind, page.last, page.next.seq()), (10, 20, 20));
}

#[test]
fn a_client_finds_its_page_or_none_and_never_a_gap() {
    let mut pages = Pages::default();
    pages.push(Page::new(10, &followed(11..=20)));
    pages.push(Page::new(20, &followed(21..=25)));
    for (seq, found) in
        [(5, None), (10, Some(10)), (19, Some(10)), (20, Some(20)), (24, Some(20)), (25, None)]
    {
        assert_eq!(pages.behind(seq).map(|page| page.behind), found, "behind {seq}");
    }
}

#[test]
fn what_is_kept_at_hand_is_bounded_and_always_the_latest() {
    let mut pages = Pages::default();
    let mut last = 0;
    for _ in 0..200 {
        pages.push(Page::new(last, &followed(last + 1..=last + 1_000)));
        last += 1_000;
    }
    assert!(pages.bytes <= super::AT_HAND, "{}", pages.bytes);
    assert!(pages.behind(0).is_none());
    assert_eq!(pages.behind(last - 1).map(|page| page.last), Some(last));
}
