//! How two policy packages differ, file by file, for people: the first line that differs and a unified diff.

use std::collections::BTreeSet;

use premath_bd::PolicyFiles;
use premath_tusk::tools::text_diff;
use premath_wire::v1::PolicyFileDiff;

/// The most letters of a line in a sentence.
const LONGEST_LINE: usize = 100;

/// Every file of `other` that differs from `base`, sorted by name.
pub(crate) fn differences(base: &PolicyFiles, other: &PolicyFiles) -> Vec<PolicyFileDiff> {
    let names: BTreeSet<&str> = base.iter().chain(other.iter()).map(|(name, _)| name).collect();
    names.into_iter().filter_map(|name| difference(name, base.get(name), other.get(name))).collect()
}

fn difference(name: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<PolicyFileDiff> {
    if before == after {
        return None;
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (before, after) = (before.map(text), after.map(text));
    let change = match (&before, &after) {
        (None, _) => "added",
        (_, None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    let line = before.as_deref().zip(after.as_deref()).map(|(before, after)| first_difference(before, after));
    let diff = text_diff(name, before.as_deref(), after.as_deref());
    Some(PolicyFileDiff { path: name.to_owned(), change: change.to_owned(), line, diff })
}

/// The number of the first line that differs, counted from one.
fn first_difference(before: &str, after: &str) -> u64 {
    let same =
        before.split('\n').zip(after.split('\n')).take_while(|(before, after)| before == after).count();
    u64::try_from(same).unwrap_or(u64::MAX).saturating_add(1)
}

/// One difference in a sentence: the file below `policies/`, and what happened to it.
pub(super) fn sentence(difference: &PolicyFileDiff) -> String {
    let line = difference.line.map(|line| format!(" line {line}:")).unwrap_or_default();
    format!("`policies/{}`{line} {}", difference.path, change_text(difference))
}

/// What happened to a file, in words: the first line that was taken away, and the first that was added.
pub(super) fn change_text(difference: &PolicyFileDiff) -> String {
    match difference.change.as_str() {
        "added" => "is new".to_owned(),
        "removed" => "is gone".to_owned(),
        _changed => {
            let (was, is) = (first_line(&difference.diff, '-'), first_line(&difference.diff, '+'));
            let said = |name: &str, line: Option<String>| line.map(|line| format!("{name} `{line}`"));
            let both: Vec<String> = [said("was", was), said("is", is)].into_iter().flatten().collect();
            if both.is_empty() { "differs".to_owned() } else { both.join(", ") }
        }
    }
}

/// The first line of a unified diff that was taken away or added, behind the two lines with the names.
fn first_line(diff: &str, mark: char) -> Option<String> {
    let line = diff.lines().skip(2).find_map(|line| line.strip_prefix(mark))?;
    Some(line.trim().chars().take(LONGEST_LINE).collect())
}
