//! Exactness, rounding and overflow of numbers.

use super::{NoNumber, Number, Rounding, TooBig};

fn number(text: &str) -> Number {
    Number::parse(text).unwrap().number
}

#[test]
fn equal_numbers_have_one_form() {
    assert_eq!(number("1.0"), number("1"));
    assert_eq!(number("1.50"), number("15e-1"));
    assert_eq!(number("-0.0"), number("0"));
    assert_eq!(number("1e3").to_string(), "1000");
    assert_eq!(number("-0.05").to_string(), "-0.05");
}

#[test]
fn sums_and_products_are_exact_where_they_fit() {
    assert_eq!(number("0.1").add(number("0.2")), Ok(number("0.3")));
    assert_eq!(number("1.5").multiply(number("1.5")), Ok(number("2.25")));
    assert_eq!(number("1").subtract(number("0.000000000000000001")), Ok(number("0.999999999999999999")));
}

#[test]
fn what_does_not_fit_is_rounded_once_half_to_even() {
    let third = number("1").divide(number("3")).unwrap().unwrap();
    assert_eq!(third.to_string(), "0.333333333333333333");
    let hundred_thirds = number("100").divide(number("3")).unwrap().unwrap();
    assert_eq!(hundred_thirds.to_string(), "33.33333333333333333");
    let near = number("3").divide(number("7.000000000000000001")).unwrap().unwrap();
    assert_eq!(near.to_string(), "0.428571428571428571");
    assert_eq!(number("0.5").round(0, Rounding::HalfEven), Ok(number("0")));
    assert_eq!(number("1.5").round(0, Rounding::HalfEven), Ok(number("2")));
    assert_eq!(number("-2.5").round(0, Rounding::HalfEven), Ok(number("-2")));
    assert_eq!(number("-2.5").round(0, Rounding::Floor), Ok(number("-3")));
    assert_eq!(number("-2.5").round(0, Rounding::Ceiling), Ok(number("-2")));
    assert_eq!(number("-2.5").round(0, Rounding::Truncate), Ok(number("-2")));
}

#[test]
fn a_whole_part_that_does_not_fit_is_an_error() {
    let most = Number::integer(i64::MAX);
    assert_eq!(most.add(Number::integer(1)), Err(TooBig));
    assert_eq!(most.multiply(most), Err(TooBig));
    assert_eq!(Number::integer(i64::MIN).negate(), Err(TooBig));
    assert_eq!(most.divide(number("0.1")).unwrap(), Err(TooBig));
    assert!(most.divide(Number::integer(0)).is_none());
    assert_eq!(Number::parse("9223372036854775808").unwrap_err(), NoNumber::TooBig);
}

#[test]
fn a_text_that_is_not_held_exactly_says_so() {
    assert!(!Number::parse("0.1234567890123456789").unwrap().exact);
    assert!(!Number::parse("1e-40").unwrap().exact);
    assert!(Number::parse("0.10000000000000000000000000000000000000000000").unwrap().exact);
    assert_eq!(Number::parse("1.2.3").unwrap_err(), NoNumber::Spelling);
    assert_eq!(Number::parse("").unwrap_err(), NoNumber::Spelling);
    assert_eq!(Number::parse("1e").unwrap_err(), NoNumber::Spelling);
}

#[test]
fn order_is_by_value() {
    assert!(number("0.5") < number("1"));
    assert!(number("-0.5") > number("-1"));
    assert!(number("9223372036854775807") > number("0.000000000000000001"));
}
