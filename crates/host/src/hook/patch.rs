//! Another agent's edits as the patch that would do the same: what rules see of a change is then what they see in a run.
//!
//! For deciding only. The context is not looked for in the file, and the patch is not applied.

use serde_json::Value;

const BEGIN: &str = "*** Begin Patch\n";
const END: &str = "*** End Patch";

/// A whole file.
pub(super) fn written(path: &str, content: &str) -> String {
    let mut patch = format!("{BEGIN}*** Add File: {path}\n");
    push(&mut patch, '+', content);
    patch + END
}

/// One text in the place of another, several times.
pub(super) fn edited<'e>(path: &str, edits: impl IntoIterator<Item = (&'e str, &'e str)>) -> String {
    let mut patch = format!("{BEGIN}*** Update File: {path}\n");
    for (old, new) in edits {
        patch.push_str("@@\n");
        push(&mut patch, '-', old);
        push(&mut patch, '+', new);
    }
    patch + END
}

/// The texts of one edit; none where it has not both.
pub(super) fn texts(edit: &Value) -> Option<(&str, &str)> {
    Some((edit.get("old_string")?.as_str()?, edit.get("new_string")?.as_str()?))
}

fn push(patch: &mut String, sign: char, text: &str) {
    for line in text.split('\n') {
        patch.push(sign);
        patch.push_str(line);
        patch.push('\n');
    }
}

#[cfg(test)]
mod tests;
