//! R30: branches of issue memory with random histories, merged in every order by the driver's function and line by line as
//! `merge=union` does it: nothing is lost, and every order comes to the same.
//!
//! `PREMATH_PROVE=1` makes 500 histories; without it 50 are made. Real git with the real command: `crates/cli/tests/git_merges.rs`.

#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what cannot be done fails the test, and branches are files that the test copies"
)]

mod branches;

use std::collections::{BTreeMap, BTreeSet};

use branches::{Branch, Dice, content, current_rows, history_path, issue_tags, union};
use premath_bd::issues::{IssueRow, merge_histories, merge_issues};
use premath_kernel::Value;
use tempfile::TempDir;

fn histories() -> u64 {
    if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { 500 } else { 50 }
}

/// A base and the branches that began with it.
struct History {
    base: Branch,
    branches: Vec<Branch>,
    seed: u64,
}

impl History {
    fn new(folder: &TempDir, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let base = Branch::new(folder.path().join(format!("{seed}-base.jsonl")), "base");
        let steps = 4 + dice.roll(16);
        base.work(&mut dice, steps);
        let count = 2 + dice.roll(2);
        let branches = (0..count).map(|number| {
            let name = ["one", "two", "three"][usize::try_from(number).unwrap()];
            let branch = base.copied(folder.path().join(format!("{seed}-{name}.jsonl")), name);
            let steps = 1 + dice.roll(14);
            branch.work(&mut dice, steps);
            if dice.roll(5) == 0 {
                branch.compact();
            }
            branch
        });
        let branches = branches.collect();
        Self { base, branches, seed }
    }

    /// Every order in which the branches can come together, each as the file and its history.
    fn merges(&self) -> Vec<(String, Vec<u8>, Vec<u8>)> {
        let orders: &[&[usize]] = match self.branches.len() {
            2 => &[&[0, 1], &[1, 0]],
            _ => &[&[0, 1, 2], &[1, 0, 2], &[0, 2, 1], &[2, 0, 1], &[1, 2, 0], &[2, 1, 0]],
        };
        let mut merges = Vec::new();
        for order in orders {
            for is_theirs in [false, true] {
                let mut merged = (self.branches[order[0]].bytes(), self.branches[order[0]].history());
                for next in &order[1..] {
                    let other = (self.branches[*next].bytes(), self.branches[*next].history());
                    let (ours, theirs) = if is_theirs { (other, merged) } else { (merged, other) };
                    merged = (
                        merge_issues(&self.base.bytes(), &ours.0, &theirs.0).bytes,
                        merge_histories(&self.base.history(), &ours.1, &theirs.1),
                    );
                }
                merges.push((format!("seed {} order {order:?} {is_theirs}", self.seed), merged.0, merged.1));
            }
        }
        merges
    }
}

/// What an issue says, without what only tells how often and by whom it was written; conflicts by field and values.
fn told(bytes: &[u8]) -> BTreeMap<String, (String, BTreeMap<String, BTreeSet<String>>)> {
    let rows = current_rows(bytes).into_iter();
    rows.map(|(id, row)| {
        let conflicts = row.conflicts().into_iter().map(|conflict| {
            // Of two leases of one holder a merge keeps one: which of them a third branch meets depends on the order.
            let shown = |value: &Value<'_>| match value.as_object().and_then(|lease| lease.get("lease_id")) {
                Some(lease) => format!("{lease:?}"),
                None => format!("{value:?}"),
            };
            let values = conflict.values.iter().map(|(_, value)| shown(value)).collect();
            (conflict.field, values)
        });
        (id, (content(&row), conflicts.collect()))
    })
    .collect()
}

fn edges(row: &IssueRow) -> BTreeSet<(String, String)> {
    let known = row.dependencies().into_iter();
    known.map(|one| (one.depends_on, one.kind.token().to_owned())).collect()
}

/// Which issue, by the text that it keeps for ever, an id means on a branch.
fn tag_of(rows: &BTreeMap<String, IssueRow>, id: &str) -> Option<String> {
    rows.get(id).and_then(|row| row.text("description")).map(ToOwned::to_owned)
}

/// The dependencies of issues, by the texts that name them; those on issues that do not exist are left out.
fn tagged_edges(rows: &BTreeMap<String, IssueRow>) -> BTreeSet<(String, String, String)> {
    let mut all = BTreeSet::new();
    for (id, row) in rows {
        for (target, kind) in edges(row) {
            if let (Some(from), Some(to)) = (tag_of(rows, id), tag_of(rows, &target)) {
                all.insert((from, to, kind));
            }
        }
    }
    all
}

fn check_nothing_is_lost(history: &History, name: &str, bytes: &[u8], past: &[u8]) {
    let merged = current_rows(bytes);
    let tags = issue_tags(bytes);
    let base_rows = current_rows(&history.base.bytes());
    let base_edges = tagged_edges(&base_rows);
    let merged_edges = tagged_edges(&merged);
    let lines: BTreeSet<&[u8]> =
        bytes.split(|byte| *byte == b'\n').chain(past.split(|byte| *byte == b'\n')).collect();
    for branch in &history.branches {
        let rows = current_rows(&branch.bytes());
        for tag in issue_tags(&branch.bytes()) {
            assert!(tags.contains(&tag), "{name}: issue {tag} of {} is lost", branch.name);
        }
        let own = tagged_edges(&rows);
        for edge in own.difference(&base_edges) {
            assert!(merged_edges.contains(edge), "{name}: {edge:?} of {} is lost", branch.name);
        }
        for edge in base_edges.difference(&own) {
            let is_again = history.branches.iter().any(|other| {
                let theirs = tagged_edges(&current_rows(&other.bytes()));
                theirs.contains(edge) && !base_edges.contains(edge)
            });
            assert!(is_again || !merged_edges.contains(edge), "{name}: {edge:?} came back");
        }
        check_rows(name, branch, &merged, &lines);
    }
}

/// Every row of a branch is there, under its id or under the one that its issue has now; and no fence goes back.
fn check_rows(name: &str, branch: &Branch, merged: &BTreeMap<String, IssueRow>, lines: &BTreeSet<&[u8]>) {
    let rows = current_rows(&branch.bytes());
    let said: BTreeSet<String> =
        lines.iter().filter_map(|line| IssueRow::read(line)).map(|row| content_but_ids(&row)).collect();
    for bytes in [branch.bytes(), branch.history()] {
        for row in bytes.split(|byte| *byte == b'\n').filter_map(IssueRow::read) {
            assert!(
                said.contains(&content_but_ids(&row)),
                "{name}: a row of {} is lost: {row:?}",
                branch.name
            );
        }
    }
    for row in rows.values() {
        let tag = row.text("description");
        let here = merged.values().find(|one| one.text("description") == tag).unwrap();
        assert!(here.last_fence() >= row.last_fence(), "{name}: the fence of {} went back", row.id());
    }
}

/// A row without what another id changes in it.
fn content_but_ids(row: &IssueRow) -> String {
    let kept =
        row.object().iter().filter(|(name, _)| !matches!(*name, "id" | "dependencies" | "write_witness"));
    kept.map(|(name, value)| format!("{name}={value:?};")).collect()
}

#[test]
fn every_order_of_merges_comes_to_the_same_and_nothing_is_lost() {
    let folder = TempDir::new().unwrap();
    let (mut merges, mut conflicts, mut renamed) = (0_u64, 0_u64, 0_u64);
    for seed in 1..=histories() {
        let history = History::new(&folder, seed);
        let all = history.merges();
        let first = told(&all[0].1);
        for (name, bytes, past) in &all {
            check_nothing_is_lost(&history, name, bytes, past);
            assert_eq!(told(bytes), first, "{name}");
            merges += 1;
        }
        conflicts +=
            u64::try_from(first.values().filter(|(_, conflicts)| !conflicts.is_empty()).count()).unwrap();
        renamed += u64::try_from(first.keys().filter(|id| id.matches('-').count() > 1).count()).unwrap();
    }
    println!(
        "R30  histories {}, merges {merges}, listed conflicts {conflicts}, ids told apart {renamed}",
        histories()
    );
    assert!(conflicts > 0 && renamed > 0, "the histories must meet");
}

#[test]
fn merging_again_changes_nothing() {
    let folder = TempDir::new().unwrap();
    for seed in 1..=20 {
        let history = History::new(&folder, seed);
        let (base, one, two) =
            (history.base.bytes(), history.branches[0].bytes(), history.branches[1].bytes());
        let merged = merge_issues(&base, &one, &two).bytes;
        assert_eq!(merge_issues(&base, &two, &one).bytes, merged, "the sides are equal, seed {seed}");
        assert_eq!(
            merge_issues(&one, &merged, &one).bytes,
            merged,
            "a side that is in it already, seed {seed}"
        );
        assert_eq!(merge_issues(&two, &two, &merged).bytes, merged, "the other one, seed {seed}");
        assert_eq!(merge_issues(&base, &merged, &merged).bytes, merged, "the same twice, seed {seed}");
    }
}

#[test]
fn lines_that_were_put_together_are_read_as_merged_and_written_with_the_next_change() {
    let folder = TempDir::new().unwrap();
    let mut differing = 0_u64;
    for seed in 1..=histories() {
        let history = History::new(&folder, seed);
        let (mut bytes, mut past) = (history.branches[0].bytes(), history.branches[0].history());
        for other in &history.branches[1..] {
            bytes = union(folder.path(), &history.base.bytes(), &bytes, &other.bytes());
            past = union(folder.path(), &history.base.history(), &past, &other.history());
        }
        let path = folder.path().join(format!("{seed}-union.jsonl"));
        std::fs::write(&path, &bytes).unwrap();
        std::fs::write(history_path(&path), &past).unwrap();
        let union = Branch::at(path, "union");
        let read = union.read();
        let tags: BTreeSet<String> =
            read.values().filter_map(|row| row.text("description")).map(ToOwned::to_owned).collect();
        for branch in &history.branches {
            for tag in issue_tags(&branch.bytes()) {
                assert!(tags.contains(&tag), "seed {seed}: issue {tag} of {} is lost", branch.name);
            }
        }
        check_fields(&history, &read, seed);
        // The next change writes what was read.
        union.work(&mut Dice::new(seed), 1);
        let written = current_rows(&union.bytes());
        for (id, row) in &read {
            let now = &written[id];
            let is_touched = content(now) != content(row);
            differing += u64::from(is_touched);
            assert!(!is_touched || now.rev() > row.rev(), "seed {seed}: {id} is not what was read");
        }
    }
    println!("R30  union histories {}, rows that the next change touched {differing}", histories());
}

/// A field that one branch alone changed has its value, or the issue is listed.
fn check_fields(history: &History, read: &BTreeMap<String, IssueRow>, seed: u64) {
    let base = current_rows(&history.base.bytes());
    let sides: Vec<BTreeMap<String, IssueRow>> =
        history.branches.iter().map(|branch| current_rows(&branch.bytes())).collect();
    for (id, before) in &base {
        for field in ["title", "priority", "labels", "notes", "status", "dependencies"] {
            let values: Vec<Option<&Value<'static>>> =
                sides.iter().map(|side| side[id].object().get(field)).collect();
            let changed: BTreeSet<String> = values
                .iter()
                .filter(|value| **value != before.object().get(field))
                .map(|value| format!("{value:?}"))
                .collect();
            let here = &read[id];
            let now = format!("{:?}", here.object().get(field));
            if let (1, Some(wanted)) = (changed.len(), changed.first())
                && now != *wanted
            {
                // Without the row that both began with, what both say stands there twice.
                let said = here.text("notes").unwrap_or_default();
                let is_said = |side: &BTreeMap<String, IssueRow>| {
                    side[id].text("notes").unwrap_or_default().lines().all(|line| said.contains(line))
                };
                if field == "notes" && sides.iter().all(is_said) {
                    continue;
                }
                let is_listed = here.conflicts().iter().any(|conflict| conflict.field == field);
                assert!(is_listed, "seed {seed}: {field} of {id} is {now}, not {wanted}");
            }
        }
    }
}
