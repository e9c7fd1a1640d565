//! How tables fit.

use super::{Cell, Table, shortened};

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn columns_are_as_wide_as_what_stands_in_them() {
    let mut table = Table::new(&["id", "title", "who"], 1);
    table.row(vec![Cell::new("bd-1"), Cell::new("a title"), Cell::new("jo")]);
    table.row(vec![Cell::new("bd-10"), Cell::new("日本語"), Cell::new("")]);
    assert_eq!(plain(&table.render(None)), "id     title    who\nbd-1   a title  jo\nbd-10  日本語\n");
}

#[test]
fn one_column_gives_way_where_it_gets_narrow() {
    let mut table = Table::new(&["id", "title", "who"], 1);
    table.row(vec![Cell::new("bd-1"), Cell::new("a title that is far too long"), Cell::new("jo")]);
    let text = plain(&table.render(Some(24)));
    assert_eq!(text, "id    title          who\nbd-1  a title that…  jo\n");
}

#[test]
fn a_column_with_nothing_in_it_is_left_out() {
    let mut table = Table::new(&["id", "who", "title"], 2);
    table.row(vec![Cell::new("bd-1"), Cell::new(""), Cell::new("a")]);
    assert_eq!(plain(&table.render(None)), "id    title\nbd-1  a\n");
}

#[test]
fn text_is_cut_by_columns_and_not_by_bytes() {
    assert_eq!(shortened("hello", 5), "hello");
    assert_eq!(shortened("hello!", 5), "hell…");
    assert_eq!(shortened("日本語", 5), "日本…");
    assert_eq!(shortened("日本語", 6), "日本語");
    assert_eq!(shortened("abc", 0), "…");
}
