//! A diff is right when whoever reads it gets the new text.

use std::path::Path;

use proptest::prelude::{Strategy, any, prop, prop_assert, prop_assert_eq, proptest};

use super::unified;
use crate::tools::apply_patch::change::{AfterFile, FileChange};
use crate::tools::files::FileContent;
use crate::tools::work_path::WorkPath;

fn diff(before: &str, after: &str) -> String {
    let content = |text: &str| FileContent { bytes: text.as_bytes().to_vec(), executable: false };
    let path = WorkPath::read("a", Path::new("/")).unwrap();
    unified(&[FileChange {
        path,
        before: Some(content(before)),
        after: Some(AfterFile::Here(content(after))),
    }])
}

/// What a reader of a diff makes of a text: hunks are applied where they say, and must fit.
fn patched(old: &str, diff: &str) -> String {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let (mut new, mut at) = (String::new(), 0);
    let mut lines = diff.lines().skip(2).peekable();
    while let Some(line) = lines.next() {
        if let Some(header) = line.strip_prefix("@@ -") {
            let (start, rest) = header.split_once(',').unwrap();
            let length: usize = rest.split(' ').next().unwrap().parse().unwrap();
            let start: usize = start.parse().unwrap();
            let start = if length == 0 { start } else { start - 1 };
            new.extend(old.iter().skip(at).take(start - at).copied());
            at = start;
            continue;
        }
        let is_open = lines.next_if(|next| next.starts_with('\\')).is_some();
        let text = format!("{}{}", line.get(1..).unwrap(), if is_open { "" } else { "\n" });
        match line.chars().next().unwrap() {
            '+' => new.push_str(&text),
            sign @ (' ' | '-') => {
                assert_eq!(old.get(at), Some(&text.as_str()), "{diff}");
                at += 1;
                if sign == ' ' {
                    new.push_str(&text);
                }
            }
            other => panic!("{other} is no sign"),
        }
    }
    new.extend(old.iter().skip(at).copied());
    new
}

fn text() -> impl Strategy<Value = String> {
    (prop::collection::vec(0_u8..5, 0..40), any::<bool>()).prop_map(|(lines, is_open)| {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        if is_open { text.trim_end().to_owned() } else { text }
    })
}

proptest! {
    #[test]
    fn a_diff_makes_the_new_text_of_the_old_one(before in text(), after in text()) {
        prop_assert_eq!(patched(&before, &diff(&before, &after)), after);
    }

    #[test]
    fn one_line_that_changed_is_all_that_a_diff_shows(lines in prop::collection::vec(0_u8..5, 1..40), at in any::<prop::sample::Index>()) {
        let old: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut new = old.clone();
        new[at.index(old.len())] = "other\n".to_owned();
        let diff = diff(&old.concat(), &new.concat());
        let signed = |sign| diff.lines().skip(2).filter(|line| line.starts_with(sign)).count();
        prop_assert!((signed('-'), signed('+')) == (1, 1), "{}", diff);
    }
}

#[test]
fn a_long_middle_is_replaced_as_a_whole_in_little_time() {
    let lines = |prefix: &str| -> String { (0..20_000).map(|line| format!("{prefix}{line}\n")).collect() };
    let diff = diff(&format!("same\n{}", lines("a")), &format!("same\n{}", lines("b")));
    assert!(diff.starts_with("--- a/a\n+++ b/a\n@@ -1,20001 +1,20001 @@\n same\n-a0\n-a1\n"));
}

#[test]
fn changes_far_apart_are_two_hunks() {
    let old: String = (0..30).map(|line| format!("{line}\n")).collect();
    let diff = diff(&old, &old.replace("\n5\n", "\nfive\n").replace("\n20\n", "\n"));
    let headers: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
    assert_eq!(headers, ["@@ -3,7 +3,7 @@", "@@ -18,7 +18,6 @@"]);
}
