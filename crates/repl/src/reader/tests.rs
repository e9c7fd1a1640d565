//! The reader: what it takes, what it refuses and where, and that normal text reads back as itself.

use proptest::prelude::*;

use super::read;
use crate::datum::{Datum, Kind};
use crate::error::{Budget, Error, ErrorKind};
use crate::number::Number;

const MOST: usize = 1 << 20;

fn normal(source: &str) -> Result<String, Error> {
    let data = read(source, MOST)?;
    Ok(data.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

fn refusal(source: &str) -> (ErrorKind, String, (usize, usize)) {
    let error = read(source, MOST).unwrap_err();
    let position = error.position.unwrap();
    (error.kind, error.message, (position.line, position.column))
}

#[test]
fn every_kind_of_datum_is_read() {
    let cases = [
        ("(a . (b . (c . d)))", "(a b c . d)"),
        ("[a (b] ", ""),
        ("#(1 #t \"x\\n\" #\\a)", "#(1 #t \"x\\n\" #\\a)"),
        ("'a `(b ,c ,@d)", "'a `(b ,c ,@d)"),
        ("1.50 -3 +4 .5 1e2", "1.5 -3 4 0.5 100"),
        ("a ; b\n #| c #| d |# |# #;(e f) g", "a g"),
        ("|a b| |1| ... + - ->x", "|a b| |1| ... + - ->x"),
        ("#\\space #\\( #\\x41 #\\x", "#\\space #\\( #\\A #\\x"),
        ("\"a\\x41;\\\n   b\"", "\"aAb\""),
        ("(unquote @x)", ", @x"),
    ];
    for (source, expected) in cases {
        if expected.is_empty() {
            assert!(normal(source).is_err(), "{source}");
        } else {
            assert_eq!(normal(source).unwrap(), expected, "{source}");
        }
    }
}

#[test]
fn a_refusal_names_its_place() {
    assert_eq!(refusal("(a\n  (b)").2, (1, 1));
    assert_eq!(refusal("a\n b)").2, (2, 3));
    assert_eq!(refusal("(a]").2, (1, 3));
    assert_eq!(refusal("(. a)").2, (1, 2));
    assert_eq!(refusal("(a . b c)").2, (1, 8));
    assert_eq!(refusal("\"abc").2, (1, 1));
    assert_eq!(refusal("x 1+").1, "`1+` is neither a number nor a name");
    assert_eq!(refusal("99999999999999999999").1, "`99999999999999999999` does not fit 64 bits");
    assert_eq!(refusal("(#;)").0, ErrorKind::Syntax);
    assert_eq!(refusal("#<eof>").0, ErrorKind::Syntax);
}

#[test]
fn only_a_text_that_stops_too_early_is_incomplete() {
    for source in ["(a", "'", "\"a", "#|", "#;", "(a . "] {
        assert!(read(source, MOST).unwrap_err().incomplete, "{source}");
    }
    for source in [")", "(a]", "1+", "(a . )"] {
        assert!(!read(source, MOST).unwrap_err().incomplete, "{source}");
    }
}

#[test]
fn nesting_and_size_are_budgets() {
    for source in ["(".repeat(200_000), "'".repeat(200_000), "#;".repeat(200_000), "#(".repeat(200_000)] {
        assert_eq!(refusal(&source).0, ErrorKind::Budget(Budget::Depth));
    }
    let long = " ".repeat(MOST + 1);
    assert_eq!(read(&long, MOST).unwrap_err().kind, ErrorKind::Budget(Budget::Source));
}

fn datum() -> impl Strategy<Value = Datum> {
    let name = prop_oneof!["[a-z!?*<>=/+-][a-z0-9!?*.-]{0,6}", "\\PC{0,6}", Just("quote".to_owned())];
    let number = (any::<i64>(), 0_u32..19).prop_map(|(digits, places)| {
        let text = format!("{digits}e-{places}");
        Kind::Number(Number::parse(&text).unwrap().number)
    });
    let leaf = prop_oneof![
        any::<bool>().prop_map(Kind::Bool),
        number,
        any::<char>().prop_map(Kind::Char),
        any::<String>().prop_map(Kind::Text),
        name.prop_map(Kind::Symbol),
    ];
    let leaf = leaf.prop_map(|kind| Datum::new(kind, 0));
    leaf.prop_recursive(5, 40, 6, |inner| {
        let items = prop::collection::vec(inner.clone(), 0..6);
        let some = prop::collection::vec(inner.clone(), 1..4);
        let tail =
            inner.prop_filter("no list", |datum| !matches!(datum.kind, Kind::List(_) | Kind::Dotted(..)));
        prop_oneof![
            items.clone().prop_map(Kind::List),
            items.prop_map(Kind::Vector),
            (some, tail).prop_map(|(items, tail)| Kind::Dotted(items, Box::new(tail))),
        ]
        .prop_map(|kind| Datum::new(kind, 0))
    })
}

/// The datum with all places forgotten.
fn placeless(datum: &Datum) -> Datum {
    let all = |items: &[Datum]| items.iter().map(placeless).collect();
    let kind = match &datum.kind {
        Kind::List(items) => Kind::List(all(items)),
        Kind::Vector(items) => Kind::Vector(all(items)),
        Kind::Dotted(items, tail) => Kind::Dotted(all(items), Box::new(placeless(tail))),
        Kind::Bool(_) | Kind::Number(_) | Kind::Char(_) | Kind::Text(_) | Kind::Symbol(_) => {
            datum.kind.clone()
        }
    };
    Datum::new(kind, 0)
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_itself(datum in datum()) {
        let text = datum.to_string();
        let again = read(&text, MOST);
        prop_assert!(again.is_ok(), "{text}: {again:?}");
        let again: Vec<Datum> = again.unwrap().iter().map(placeless).collect();
        prop_assert_eq!(again, vec![datum], "{}", text);
    }

    #[test]
    fn any_text_is_read_or_refused_in_one_line(source in "[()\\[\\]'`,@#;|\\\\\"a1. \\n]{0,60}") {
        match normal(&source) {
            Ok(text) => prop_assert_eq!(normal(&text).unwrap(), text),
            Err(error) => prop_assert!(!error.message.contains(char::is_control)),
        }
    }
}
