//! Patterns of paths: `*` and `?` within a name, `**` for any number of folders. Pure, and linear enough for any pattern.

/// The longest pattern.
const LONGEST: usize = 512;

/// Why a pattern is none; nothing when it is one.
pub(super) fn problem(pattern: &str) -> Option<&'static str> {
    let has_bad_part = pattern.split('/').any(|part| part.is_empty() || matches!(part, "." | ".."));
    if pattern.is_empty() || pattern.len() > LONGEST {
        Some("a pattern has 1 to 512 bytes")
    } else if has_bad_part {
        Some("a pattern is a path from the root of the repository, without empty parts, `.` and `..`")
    } else if pattern.split('/').any(|part| part != "**" && part.contains("**")) {
        Some("`**` stands alone between slashes")
    } else {
        None
    }
}

/// Whether a path fits a pattern.
pub(super) fn fits(pattern: &str, path: &str) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    // reached[i]: whether the parts of the pattern so far can stand for the first i names.
    let mut reached = vec![false; names.len() + 1];
    reached.first_mut().into_iter().for_each(|first| *first = true);
    for part in pattern.split('/') {
        let mut next = vec![false; names.len() + 1];
        let mut any = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or_default();
            any = any || here;
            *slot = if part == "**" {
                any
            } else {
                let before = at.checked_sub(1).and_then(|before| reached.get(before)).copied();
                let name = at.checked_sub(1).and_then(|before| names.get(before));
                before.unwrap_or_default() && name.is_some_and(|name| name_fits(part, name))
            };
        }
        reached = next;
    }
    reached.last().copied().unwrap_or_default()
}

/// Whether a name fits: after a mismatch only the last `*` is tried again, since an earlier one can do no better.
fn name_fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        let wanted = pattern.get(at).copied();
        if wanted == Some('*') {
            star = Some((at, in_name));
            at += 1;
        } else if wanted.is_some() && (wanted == Some('?') || wanted == name.get(in_name).copied()) {
            at += 1;
            in_name += 1;
        } else if let Some((star_at, taken)) = star {
            star = Some((star_at, taken + 1));
            at = star_at + 1;
            in_name = taken + 1;
        } else {
            return false;
        }
    }
    pattern.iter().skip(at).all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests;
