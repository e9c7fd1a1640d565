//! Branches of issue memory: files that random work is done in, with copies as the beginning of branches.

#![expect(clippy::disallowed_methods, reason = "branches are files, and git puts their lines together")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use premath_bd::issues::{
    Change, ClaimTerms, FileIssues, Holder, IssueChanges, IssueDraft, IssueRow, IssueStore as _, Operation,
    apply,
};
use premath_bd::{Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, OsDisk, Permit};
use premath_kernel::{DependencyKind, Moment};

/// A small generator with a seed that a failure can name.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[usize::try_from(self.roll(items.len() as u64)).unwrap()]
    }
}

/// Texts that no two issues share.
static TAGS: AtomicU64 = AtomicU64::new(1);

/// One branch.
pub(crate) struct Branch {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
}

/// Where superseded rows of a file go.
pub(crate) fn history_path(path: &Path) -> PathBuf {
    path.with_extension("history.jsonl")
}

impl Branch {
    pub(crate) fn at(path: PathBuf, name: &str) -> Self {
        Self { path, name: name.to_owned() }
    }

    pub(crate) fn new(path: PathBuf, name: &str) -> Self {
        let branch = Self::at(path, name);
        branch.store().create().unwrap();
        branch
    }

    pub(crate) fn copied(&self, path: PathBuf, name: &str) -> Self {
        std::fs::write(&path, self.bytes()).unwrap();
        if !self.history().is_empty() {
            std::fs::write(history_path(&path), self.history()).unwrap();
        }
        Self::at(path, name)
    }

    fn store(&self) -> FileIssues {
        FileIssues::new(Arc::new(OsDisk), self.path.clone())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap()
    }

    pub(crate) fn history(&self) -> Vec<u8> {
        std::fs::read(history_path(&self.path)).unwrap_or_default()
    }

    pub(crate) fn compact(&self) {
        self.store().compact(MaintenanceGrant::new(Maintenance::Compact)).unwrap();
    }

    /// The rows as the store reads them.
    pub(crate) fn read(&self) -> BTreeMap<String, IssueRow> {
        let store = self.store();
        let view = store.view().unwrap();
        let rows =
            view.all().unwrap().into_iter().map(|place| IssueRow::read(&view.line(place).unwrap()).unwrap());
        rows.map(|row| (row.id().to_owned(), row)).collect()
    }

    /// So many random changes, some of which are refused.
    pub(crate) fn work(&self, dice: &mut Dice, steps: u64) {
        for step in 0..steps {
            // No two branches do something in the same millisecond: by it issues are told apart whose first row was compacted.
            let millis = 1_000_000
                * u32::try_from(self.name.len() * 7 + usize::from(self.name.as_bytes()[1])).unwrap();
            let second = 1_800_000_000 + i64::try_from(step * 7 + dice.roll(7)).unwrap();
            let now = Moment::new(second, millis).unwrap();
            let known: Vec<String> = self.read().into_keys().collect();
            let operation = self.operation(dice, &known);
            let permit =
                Permit::Operator(OperatorGrant::new(Some("tester".to_owned()), OperatorBasis::Configured));
            drop(apply(&self.store(), permit, &operation, &now).unwrap());
        }
    }

    fn draft(&self, dice: &mut Dice, known: &[String]) -> IssueDraft {
        let tag = TAGS.fetch_add(1, Ordering::Relaxed);
        let mut draft = IssueDraft {
            title: format!("work {} {tag}", self.name),
            texts: vec![("description", format!("tag {tag} of {}", self.name))],
            ..IssueDraft::default()
        };
        if !known.is_empty() && dice.roll(2) == 0 {
            draft.dependencies.push((DependencyKind::Blocks, one_of(dice, known)));
        }
        draft
    }

    fn operation(&self, dice: &mut Dice, known: &[String]) -> Operation {
        if known.is_empty() || dice.roll(4) == 0 {
            return Operation::Add { draft: Box::new(self.draft(dice, known)), prefix: "bd".to_owned() };
        }
        let id = one_of(dice, known);
        let depends_on = one_of(dice, known);
        match dice.roll(8) {
            0..=3 => {
                Operation::Update { id, changes: Box::new(self.changes(dice)), holder: Holder::default() }
            }
            4 => Operation::Claim { id, terms: ClaimTerms::of(dice.pick(&["ada", "bob", "cy"])) },
            5 | 6 => {
                let kind = if dice.roll(3) == 0 { DependencyKind::Related } else { DependencyKind::Blocks };
                Operation::DependencyAdd { id, depends_on, kind, by: None, holder: Holder::default() }
            }
            _ => Operation::DependencyRemove { id, depends_on, kind: None, holder: Holder::default() },
        }
    }

    fn changes(&self, dice: &mut Dice) -> IssueChanges {
        let mut changes = IssueChanges::default();
        match dice.roll(6) {
            0 => changes.priority = Change::Set(u8::try_from(dice.roll(5)).unwrap()),
            1 => changes.append_notes = Some(format!("note {} of {}", dice.roll(9), self.name)),
            2 => changes.add_labels = vec![format!("label {}", dice.roll(6))],
            3 => changes.remove_labels = vec![format!("label {}", dice.roll(6))],
            4 => changes.texts = vec![("title", Change::Set(format!("renamed {}", dice.roll(4))))],
            _ => changes.status = Change::Set(dice.pick(&["open", "closed", "closed", "blocked"]).to_owned()),
        }
        changes
    }
}

fn one_of(dice: &mut Dice, known: &[String]) -> String {
    known[usize::try_from(dice.roll(known.len() as u64)).unwrap()].clone()
}

/// The last row of every id.
pub(crate) fn current_rows(bytes: &[u8]) -> BTreeMap<String, IssueRow> {
    let rows = bytes.split(|byte| *byte == b'\n').filter_map(IssueRow::read);
    rows.map(|row| (row.id().to_owned(), row)).collect()
}

/// The texts that name the issues of a file.
pub(crate) fn issue_tags(bytes: &[u8]) -> BTreeSet<String> {
    let rows = current_rows(bytes).into_values();
    rows.filter_map(|row| row.text("description").map(ToOwned::to_owned)).collect()
}

/// What an issue says, without how often, by whom and out of what it was written.
pub(crate) fn content(row: &IssueRow) -> String {
    // Which of several leases with one fence is kept depends on the order of merges, where all of them are listed.
    let is_contested = row.conflicts().iter().any(|conflict| conflict.field == "lease");
    let kept = row.object().iter().filter(|(name, _)| {
        let is_left_out = matches!(*name, "rev" | "write_witness" | "conflicts")
            || (is_contested && matches!(*name, "lease" | "assignee"));
        !is_left_out
    });
    kept.map(|(name, value)| format!("{name}={value:?};")).collect()
}

/// The lines of both sides, as `merge=union` puts them together.
pub(crate) fn union(folder: &Path, base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let names = [("base", base), ("ours", ours), ("theirs", theirs)];
    for (name, bytes) in names {
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let output = Command::new("git")
        .args(["merge-file", "--union", "--stdout", "ours", "base", "theirs"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    output.stdout
}
