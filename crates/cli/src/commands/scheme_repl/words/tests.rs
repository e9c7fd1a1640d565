//! Words under the cursor, and colours.

use super::{Kind, coloured, completions, pieces};

fn names() -> Vec<String> {
    ["issue-id", "issue-list", "issue-ready", "length"].map(str::to_owned).to_vec()
}

#[test]
fn pieces_cover_the_text_without_gaps_whatever_it_is() {
    for text in ["", "(a \"b\\\" c\" ; d\n e)", "\"open", "]]]((", "λ \"ü\"", "'(1 . ,x)", "\\", "\"\\"] {
        let mut at = 0;
        for (range, _) in pieces(text) {
            assert_eq!(range.start, at, "{text}");
            at = range.end;
        }
        assert_eq!(at, text.len(), "{text}");
    }
}

#[test]
fn an_escaped_quotation_mark_does_not_end_a_text() {
    let text = r#""a\"b" c"#;
    let kinds: Vec<Kind> = pieces(text).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(kinds, [Kind::Quoted, Kind::Plain, Kind::Word]);
}

#[test]
fn a_word_is_completed_where_it_begins() {
    let names = names();
    assert_eq!(completions("(map issue-l", 12, &names, &[]), (5, vec!["issue-list"]));
    assert_eq!(completions("(issue-r x)", 8, &names, &[]), (1, vec!["issue-ready"]));
    assert_eq!(completions("(zz", 3, &names, &[]), (1, vec![]));
}

#[test]
fn nothing_is_completed_in_a_text_or_a_comment() {
    let names = names();
    assert!(completions("\"issue", 6, &names, &[]).1.is_empty());
    assert!(completions("; issue", 7, &names, &[]).1.is_empty());
    assert!(completions("(", 1, &names, &[]).1.is_empty());
}

#[test]
fn a_command_is_completed_at_the_beginning_only() {
    let names = names();
    assert_eq!(completions(",q", 2, &names, &[",help", ",quit"]), (0, vec![",quit"]));
    assert!(completions("`(,q", 4, &names, &[",quit"]).1.is_empty());
}

#[test]
fn the_partner_of_the_last_parenthesis_stands_out() {
    let shown = coloured("((a) b)", 4, &|_| false);
    assert_eq!(shown, "(\u{1b}[1m\u{1b}[4m(\u{1b}[0ma) b)");
    assert_eq!(coloured("(a))", 4, &|_| false), "(a))", "one too many has no partner");
}
