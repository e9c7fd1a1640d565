//! How the closing table reads.

use std::time::Duration;

use anyhow::anyhow;

use super::{Board, Row, Verdict};

#[test]
fn the_table_shows_every_step_and_the_total() {
    let row = |name: &str, verdict, tenths: u64, note: &str| Row {
        name: name.to_owned(),
        verdict,
        duration: Duration::from_millis(tenths * 100),
        note: note.to_owned(),
    };
    let board = Board {
        rows: vec![
            row("fmt", Verdict::Passed, 12, ""),
            row("doc tests", Verdict::Failed, 305, "`cargo test` failed"),
            row("docs", Verdict::NotRun, 0, ""),
        ],
    };
    let expected = "\
fmt        passed       1.2 s
doc tests  FAILED      30.5 s  `cargo test` failed
docs       not run      0.0 s
total                  31.7 s
";
    assert_eq!(board.table(), expected);
}

#[test]
fn a_failed_step_hands_its_error_on_and_stays_in_the_table() {
    let mut board = Board::default();
    let error = board.step("broken", || Err(anyhow!("first line\nsecond line"))).unwrap_err();
    assert_eq!(error.to_string(), "first line\nsecond line");
    assert_eq!(board.rows[0].verdict, Verdict::Failed);
    assert_eq!(board.rows[0].note, "first line");
}
