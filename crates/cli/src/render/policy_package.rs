//! Drafts of policy packages and their differences, for people.

use std::fmt::Write as _;

use premath_wire::v1::{PolicyDiffAnswer, PolicyDraftAnswer};

use crate::output::{BAD, DIM, GOOD, TIP};
use crate::render::plain;

/// A draft that was made.
pub(crate) fn draft(found: &PolicyDraftAnswer) -> String {
    let PolicyDraftAnswer { name, path, files, base_ref, .. } = found;
    let mut text =
        format!("{GOOD}✓{GOOD:#} {}: a copy of {}, {} files\n", plain(path), plain(base_ref), files.len());
    for file in files {
        _ = writeln!(text, "  {DIM}{}{DIM:#}", plain(file));
    }
    _ = writeln!(text, "{TIP}hint:{TIP:#} edit the files, then `premath policy diff {}`", plain(name));
    text
}

/// How a package differs from the one in force.
pub(crate) fn diff(found: &PolicyDiffAnswer) -> String {
    let PolicyDiffAnswer { base_ref, path, files, same, .. } = found;
    if *same {
        return format!("{GOOD}✓{GOOD:#} {} is {}\n", plain(path), plain(base_ref));
    }
    let mut text = String::new();
    for file in files {
        for line in file.diff.lines() {
            let line = plain(line);
            _ = match line.chars().next() {
                Some('+') => writeln!(text, "{GOOD}{line}{GOOD:#}"),
                Some('-') => writeln!(text, "{BAD}{line}{BAD:#}"),
                _ => writeln!(text, "{line}"),
            };
        }
    }
    let count = files.len();
    let files = if count == 1 { "1 file differs".to_owned() } else { format!("{count} files differ") };
    _ = writeln!(text, "{DIM}{files} from {}{DIM:#}", plain(base_ref));
    text
}
