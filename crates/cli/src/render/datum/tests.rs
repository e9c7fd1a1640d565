//! Values in lines.

use super::laid_out;

fn without_space(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[test]
fn what_fits_stays_on_its_line() {
    assert_eq!(laid_out("(1 2 3)", 80), "(1 2 3)");
}

#[test]
fn what_does_not_fit_has_one_part_to_a_line() {
    assert_eq!(laid_out("((1 2) (3 4) five)", 8), "((1 2)\n (3 4)\n five)");
}

#[test]
fn a_table_has_one_member_to_a_line_and_its_value_behind_its_key() {
    let table = "#hash((\"id\" . \"a-1\") (\"labels\" . (\"x\" \"y\")))";
    assert_eq!(laid_out(table, 30), "#hash((\"id\" . \"a-1\")\n      (\"labels\" . (\"x\" \"y\")))");
}

#[test]
fn parentheses_in_texts_and_characters_are_no_lists() {
    for text in ["(\"(((\" \")\" #\\( #\\) end)", "(\"a \\\" ) b\" c)"] {
        assert_eq!(without_space(&laid_out(text, 4)), without_space(text));
        assert!(laid_out(text, 4).contains('\n'), "{text}");
    }
}

#[test]
fn text_that_is_no_value_comes_back_as_it_is() {
    for text in ["(((", ")))", "(1 2", "", "\"open", "1 2", "#<procedure car>"] {
        assert_eq!(laid_out(text, 1), text);
    }
    let deep = format!("{}1{}", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(laid_out(&deep, 10), deep);
}
