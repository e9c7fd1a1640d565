//! What may have been meant: the nearest of some names. It must not guess on long texts, where distance is costly and says
//! little.

/// The longest name that is compared.
const LONGEST: usize = 128;
/// How many names are given.
const MOST: usize = 3;

/// The nearest names, best first, three at most; none that is farther off than a third of its letters (or two of them).
#[must_use]
pub fn closest<'a>(meant: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let meant = meant.to_lowercase();
    if meant.len() > LONGEST {
        return Vec::new();
    }
    let near = |name: &'a str| {
        if name.len() > LONGEST {
            return None;
        }
        let lower = name.to_lowercase();
        let distance = strsim::osa_distance(&meant, &lower);
        let is_part = meant.len() >= 3 && (lower.contains(&meant) || meant.contains(&lower));
        (distance <= (lower.chars().count() / 3).max(2) || is_part).then_some((distance, name))
    };
    let mut found: Vec<(usize, &str)> = names.into_iter().filter_map(near).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}
