//! Marks, patterns and braces.

use super::*;

fn pattern(text: &str) -> String {
    text.chars()
        .map(|one| match one {
            '*' => STAR,
            '?' => QUESTION,
            '[' => OPEN_SET,
            ']' => CLOSE_SET,
            other => other,
        })
        .collect()
}

#[test]
fn a_pattern_could_be_what_it_matches() {
    for (given, name, expected) in [
        (".prem*", ".premath", true),
        (".p?emath", ".premath", true),
        (".[op]remath", ".premath", true),
        (".[!p]remath", ".premath", false),
        ("*emath", ".premath", true),
        (".PREMATH", ".premath", true),
        ("*", ".premath", false),
        (".prem", ".premath", false),
        ("a*b*c*d", "abxcyd", true),
    ] {
        assert_eq!(could_be(&pattern(given), name), expected, "{given} {name}");
    }
}

#[test]
fn braces_make_words() {
    let marked = |text: &str| {
        text.replace('{', &OPEN_BRACE.to_string())
            .replace('}', &CLOSE_BRACE.to_string())
            .replace(',', &COMMA.to_string())
    };
    assert_eq!(expand_braces(&marked("a{b,c}d"), 64), ["abd", "acd"]);
    assert_eq!(expand_braces(&marked("{1..3}"), 64), ["1", "2", "3"]);
    assert_eq!(expand_braces(&marked("x@{0}"), 64), ["x@{0}"]);
    // The innermost group is expanded first, so that a choice around it comes once for each of its words.
    let mut nested = expand_braces(&marked("{a,{b,c}}"), 64);
    nested.sort_unstable();
    nested.dedup();
    assert_eq!(nested, ["a", "b", "c"]);
    let many = marked(&"{a,b}".repeat(70));
    assert!(expand_braces(&many, 64).iter().all(|word| word.contains(UNKNOWN)));
}

#[test]
fn braces_that_close_nothing_and_ranges_without_end_are_no_words() {
    let expanded = |text: &str| {
        let marked: String = text
            .chars()
            .map(|one| match one {
                '{' => OPEN_BRACE,
                ',' => COMMA,
                '}' => CLOSE_BRACE,
                other => other,
            })
            .collect();
        expand_braces(&marked, 64)
    };
    assert_eq!(expanded("}{a,b}"), ["}a", "}b"]);
    assert_eq!(expanded("{-9223372036854775808..9223372036854775807}").len(), 1);
}
