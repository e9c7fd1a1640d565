//! Prices and which one a name finds.

use std::collections::BTreeSet;

use premath_tusk::model::Usage;

use super::price_file::read_shipped;
use super::{Cost, Price, PriceEntry, PriceTable};

fn entry(input: u64) -> PriceEntry {
    PriceEntry { price: Price { input, cache_read: 0, cache_write: 0, output: 0 }, as_of: "today".to_owned() }
}

fn input_price(table: &PriceTable, model: &str) -> Option<u64> {
    table.find(model).map(|entry| entry.price.input)
}

#[test]
fn a_cost_is_exact() {
    let usage = Usage {
        input_tokens: 1_000,
        cache_read_tokens: 10_000,
        cache_write_tokens: 100,
        output_tokens: 7,
        reasoning_tokens: 3,
    };
    let cost = PriceTable::built_in().unwrap().cost("claude-sonnet-4-5", &usage).unwrap();
    // 1000 × 3 + 10000 × 0.3 + 100 × 3.75 + 7 × 15 dollars per million
    assert_eq!(cost.picodollars, 3_000_000_000 + 3_000_000_000 + 375_000_000 + 105_000_000);
    assert_eq!(cost.to_string(), "$0.006480");
}

#[test]
fn less_than_a_millionth_rounds_up() {
    assert_eq!(Cost { picodollars: 1 }.to_string(), "$0.000001");
    assert_eq!(Cost::default().to_string(), "$0.000000");
    assert_eq!(Cost { picodollars: 12_000_000_000_001 }.to_string(), "$12.000001");
}

#[test]
fn a_model_nobody_knows_has_no_cost() {
    let table = PriceTable::built_in().unwrap();
    assert_eq!(table.cost("llama3.2", &Usage::default()), None);
    assert_eq!(table.cost("claude-sonnet-4-5", &Usage::default()), Some(Cost::default()));
    assert_eq!(table.find("claude-opus-5-7"), None, "a later model is another model");
    assert_eq!(table.find("gpt-5.4-pro"), None);
}

#[test]
fn a_snapshot_has_a_price_only_where_it_is_known_to_be_the_same() {
    let table = PriceTable::built_in().unwrap();
    assert_eq!(input_price(&table, "claude-haiku-4-5-20251001"), Some(1_000_000));
    assert_eq!(input_price(&table, "gpt-4.1-nano-2025-04-14"), Some(100_000));
    assert_eq!(input_price(&table, "claude-sonnet-4-20250514"), Some(3_000_000));
    assert_eq!(table.find("gpt-4o-2024-05-13"), None, "it cost twice as much");
    for row in &read_shipped().unwrap() {
        for behind in ["-2099-01-01", "-20990101", "-preview", "x"] {
            let other = format!("{}{behind}", row.model);
            assert_eq!(table.find(&other), None, "{other}");
        }
        for snapshot in &row.snapshots {
            assert!(snapshot.starts_with(&row.model) && snapshot.len() > row.model.len(), "{snapshot}");
        }
    }
}

#[test]
fn the_exact_name_goes_before_the_longest_prefix() {
    let mut table = PriceTable::empty();
    table.insert("local-*", entry(1));
    table.insert("local-large-*", entry(2));
    table.insert("local-large-1", entry(3));
    assert_eq!(input_price(&table, "local-small"), Some(1));
    assert_eq!(input_price(&table, "local-large-2"), Some(2));
    assert_eq!(input_price(&table, "local-large-1"), Some(3));
    assert_eq!(input_price(&table, "remote"), None);
    table.insert("*", entry(4));
    assert_eq!(input_price(&table, "remote"), Some(4));
}

#[test]
fn a_user_can_replace_a_price() {
    let mut table = PriceTable::built_in().unwrap();
    table.insert("gpt-5", entry(9));
    assert_eq!(input_price(&table, "gpt-5"), Some(9));
}

#[test]
fn every_built_in_row_is_one_model_and_reading_a_cache_is_cheaper_than_not() {
    let rows = read_shipped().unwrap();
    let names: BTreeSet<&str> = rows.iter().map(|row| row.model.as_str()).collect();
    assert_eq!(names.len(), rows.len());
    for row in &rows {
        let Price { input, cache_read, cache_write, output } = row.price;
        assert!(0 < cache_read && cache_read < input, "{}", row.model);
        assert!(input <= cache_write && input < output, "{}", row.model);
        let is_day =
            |text: &str| text.len() == 10 && text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit());
        assert!(is_day(&row.as_of), "{}: {}", row.model, row.as_of);
    }
}

#[test]
fn numbers_at_the_end_of_their_range_do_not_overflow() {
    let price = Price { input: u64::MAX, cache_read: u64::MAX, cache_write: u64::MAX, output: u64::MAX };
    let usage = Usage {
        input_tokens: u64::MAX,
        cache_read_tokens: u64::MAX,
        cache_write_tokens: u64::MAX,
        output_tokens: u64::MAX,
        reasoning_tokens: 0,
    };
    assert_eq!(price.cost(&usage).microdollars(), u64::MAX);
}
