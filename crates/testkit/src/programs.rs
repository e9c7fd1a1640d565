//! Programs for the host, generated from a number: the same number gives the same text, always.
//!
//! They read, change and catch; some fail on purpose. They must not depend on what a repository holds beyond its first
//! issues.

/// The issues that a program may speak of.
const IDS: [&str; 5] = ["bd-1", "bd-2", "bd-3", "bd-4", "bd-9"];
const PEOPLE: [&str; 2] = ["ann", "bob"];
const STATUSES: [&str; 4] = ["open", "in_progress", "blocked", "closed"];

/// Draws numbers.
#[derive(Debug)]
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let limit = u64::try_from(limit.max(1)).unwrap_or(1);
        usize::try_from(mixed % limit).unwrap_or_default()
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        let chosen = self.below(of.len());
        of.get(chosen).copied().unwrap_or_default()
    }
}

/// The program of a number.
#[must_use]
pub fn program(seed: u64) -> String {
    let mut draw = Draw(seed);
    let mut text = String::from(
        "(define (attempt thunk)\n  (guard (e (#t (display (error-class e)) (newline) 'caught)) (thunk)))\n",
    );
    for number in 0..draw.below(7).saturating_add(2) {
        let form = form(&mut draw, number);
        if draw.below(12) == 0 {
            text.push_str(&form);
        } else {
            text.push_str(&format!("(attempt (lambda () {form}))"));
        }
        text.push('\n');
    }
    text.push_str("(map issue-id (issue-list))\n");
    text
}

fn form(draw: &mut Draw, number: usize) -> String {
    let (id, other) = (draw.one(&IDS), draw.one(&IDS));
    let (who, status) = (draw.one(&PEOPLE), draw.one(&STATUSES));
    let few = draw.below(4);
    match draw.below(22) {
        0 => format!("(display (map issue-title (issue-list (hash-table \"limit\" {few}))))"),
        1 => "(display (length (issue-ready)))".to_owned(),
        2 => format!("(display (issue-status (issue-show \"{id}\")))"),
        3 => {
            format!("(issue-add \"New {number}\" (hash-table \"priority\" {few} \"labels\" '(\"x\" \"y\")))")
        }
        4 => format!("(issue-update \"{id}\" (hash-table \"notes\" \"note {number}\"))"),
        5 => format!("(issue-update \"{id}\" (hash-table \"status\" \"{status}\"))"),
        6 => format!("(issue-update \"{id}\" (hash-table \"title\" \"T {number}\" \"addLabels\" '(\"x\")))"),
        7 => format!("(issue-claim \"{id}\" \"{who}\")"),
        8 => format!("(issue-lease-release \"{id}\" (hash-table \"owner\" \"{who}\"))"),
        9 => format!("(issue-lease-renew \"{id}\" (hash-table \"owner\" \"{who}\" \"ttlSeconds\" 600))"),
        10 => format!("(issue-claim-next \"{who}\")"),
        11 => format!("(issue-discover \"{id}\" \"Found {number}\")"),
        12 => format!("(dep-add \"{id}\" \"{other}\")"),
        13 => format!("(dep-remove \"{id}\" \"{other}\")"),
        14 => format!("(dep-replace \"{id}\" \"{other}\" (hash-table \"type\" \"related\"))"),
        15 => format!("(let ((new (issue-add \"Linked {number}\"))) (dep-add (issue-id new) \"{id}\"))"),
        16 => {
            "(for-each (lambda (i) (issue-update (issue-id i) (hash-table \"appendNotes\" \"seen\")))\n    \
               (issue-list (hash-table \"label\" '(\"x\"))))"
                .to_owned()
        }
        17 => format!("(display (map issue-priority (parallel-map issue-show '(\"bd-1\" \"{id}\"))))"),
        18 => format!("(harness-session-write (hash-table \"summary\" \"S {number}\" \"state\" \"active\"))"),
        19 => format!("(harness-feature-write \"f{few}\" \"pending\" (hash-table \"issueId\" \"{id}\"))"),
        20 => format!("(harness-trajectory-append \"s.{number}\" \"issue.update\" \"accepted\")"),
        _more => format!("(assert (= {few} 1))"),
    }
}

#[cfg(test)]
mod tests {
    //! The generator itself.

    use std::collections::BTreeSet;

    use super::program;

    #[test]
    fn the_same_number_gives_the_same_program_and_others_give_others() {
        let all: BTreeSet<String> = (0..500).map(program).collect();
        assert_eq!(program(7), program(7));
        assert!(all.len() > 490, "{} different programs", all.len());
    }
}
