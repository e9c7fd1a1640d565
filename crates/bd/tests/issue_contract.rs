//! One suite for every store of issues: whatever is asked of them, files and memory give the same answers.

#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "what cannot be done fails the test, and it looks at the files the store keeps"
)]

use std::path::Path;
use std::sync::Arc;

use premath_bd::issues::{
    Applied, Change, ClaimTerms, FileIssues, Holder, IssueChanges, IssueDraft, IssueStore, IssueView, Limit,
    MemoryIssues, Operation, apply, snapshot_ref,
};
use premath_bd::{Maintenance, MaintenanceGrant, OperatorBasis, OperatorGrant, OsDisk, Permit, StoreError};
use premath_kernel::{DependencyKind, Moment};

/// A small generator with a seed that a failure can name.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[usize::try_from(self.roll(items.len() as u64)).unwrap()]
    }
}

fn operator() -> Permit {
    Permit::Operator(OperatorGrant::new(Some("tester".to_owned()), OperatorBasis::Configured))
}

fn at(second: u64) -> Moment {
    Moment::new(1_800_000_000 + i64::try_from(second).unwrap(), 0).unwrap()
}

fn draft(dice: &mut Dice, issues: u64) -> IssueDraft {
    let mut draft = IssueDraft { title: format!("work {}", dice.roll(1000)), ..IssueDraft::default() };
    draft.priority = Some(u8::try_from(dice.roll(5)).unwrap());
    draft.status =
        (dice.roll(12) == 0).then(|| dice.pick(&["blocked", "closed", "waiting_for_rain"]).to_owned());
    if issues > 0 && dice.roll(3) == 0 {
        draft.dependencies.push((kind(dice), format!("bd-{}", 1 + dice.roll(issues))));
    }
    draft
}

fn kind(dice: &mut Dice) -> DependencyKind {
    let kinds = DependencyKind::ALL;
    kinds[usize::try_from(dice.roll(kinds.len() as u64)).unwrap()]
}

fn operation(dice: &mut Dice, issues: u64) -> Operation {
    let id = format!("bd-{}", 1 + dice.roll(issues + 2));
    let other = format!("bd-{}", 1 + dice.roll(issues + 2));
    let owner = dice.pick(&["ada", "bob", "cy"]).to_owned();
    let holder = match dice.roll(4) {
        0 => Holder { owner: Some(owner.clone()), lease_id: None, fence: Some(1 + dice.roll(3)) },
        1 => Holder { owner: Some(owner.clone()), ..Holder::default() },
        _ => Holder::default(),
    };
    match dice.roll(16) {
        0..=3 => Operation::Add { draft: Box::new(draft(dice, issues)), prefix: "bd".to_owned() },
        4 => {
            Operation::Discover { parent: id, draft: Box::new(draft(dice, issues)), prefix: "bd".to_owned() }
        }
        5..=7 => {
            let mut changes = IssueChanges::default();
            let status = dice.pick(&["open", "in_progress", "blocked", "closed", "closed", "parked"]);
            changes.status = Change::Set(status.to_owned());
            changes.texts = vec![("notes", Change::Set(format!("note {}", dice.roll(9))))];
            Operation::Update { id, changes: Box::new(changes), holder }
        }
        8 => Operation::Claim {
            id,
            terms: ClaimTerms { ttl_seconds: 30 + dice.roll(100), ..ClaimTerms::of(&owner) },
        },
        9..=10 => Operation::ClaimNext { terms: ClaimTerms { ttl_seconds: 30, ..ClaimTerms::of(&owner) } },
        11 => Operation::LeaseRenew { id, holder, ttl_seconds: 60 },
        12 => Operation::LeaseRelease { id, holder },
        13 => Operation::DependencyAdd {
            id,
            depends_on: other,
            kind: kind(dice),
            by: None,
            holder: Holder::default(),
        },
        14 => Operation::DependencyRemove { id, depends_on: other, kind: None, holder: Holder::default() },
        _ => {
            let kind = kind(dice);
            Operation::DependencyReplace {
                id,
                depends_on: other,
                from: None,
                kind,
                holder: Holder::default(),
            }
        }
    }
}

fn lines(view: &dyn IssueView, rows: Vec<premath_bd::issues::RowRef>) -> Vec<String> {
    rows.into_iter().map(|row| String::from_utf8(view.line(row).unwrap()).unwrap()).collect()
}

/// Everything a view can be asked, as text.
fn answers(store: &dyn IssueStore, now: Moment, issues: u64) -> Vec<String> {
    let view = store.view().unwrap();
    let view = view.as_ref();
    let mut answers = lines(view, view.all().unwrap());
    answers.push("ready".to_owned());
    answers.extend(lines(view, view.ready(Limit::All).unwrap()));
    answers.extend(lines(view, view.ready(Limit::First(3)).unwrap()));
    for claimant in ["alice", "bob", "somebody else"] {
        answers.push(format!("claimable {:?}", view.first_claimable(claimant, now).unwrap()));
    }
    answers.push("live".to_owned());
    answers.extend(lines(view, view.live().unwrap()));
    answers.push(format!("number {}", view.highest_number("bd").unwrap()));
    answers.push(snapshot_ref(view).unwrap());
    for number in 1..=issues {
        let id = format!("bd-{number}");
        answers.push(format!("{:?} {:?}", view.facts(&id).unwrap(), view.dependents(&id).unwrap()));
    }
    let graph = view.graph().unwrap();
    answers.push(format!("{:?}", graph.facts));
    answers.push(format!("{:?}", graph.graph.ready()));
    answers
}

fn outcome(applied: Result<Applied, StoreError>) -> String {
    match applied.unwrap() {
        Applied::Written(written) => String::from_utf8(written.row.line()).unwrap(),
        Applied::Nothing(row) => format!("nothing {}", row.is_some()),
        Applied::Refused(refusal) => refusal.to_string(),
    }
}

fn files(folder: &Path) -> FileIssues {
    FileIssues::new(Arc::new(OsDisk), folder.join("issues.jsonl"))
}

/// The same operations on both stores; every `pause` operations everything is compared.
fn drive(seed: u64, steps: u64, pause: u64) {
    let folder = tempfile::tempdir().unwrap();
    let (file, memory) = (files(folder.path()), MemoryIssues::default());
    file.create().unwrap();
    let mut dice = Dice(seed);
    let (mut issues, mut now) = (0, 0);
    for step in 0..steps {
        now += dice.roll(20);
        let operation = operation(&mut dice, issues);
        // Every other step through a fresh handle, as another process would.
        let fresh = files(folder.path());
        let store = if step % 2 == 0 { &file } else { &fresh };
        let first = outcome(apply(store, operator(), &operation, &at(now)));
        let second = outcome(apply(&memory, operator(), &operation, &at(now)));
        assert_eq!(first, second, "seed {seed}, step {step}: {operation:?}");
        issues = memory.view().unwrap().highest_number("bd").unwrap();
        match dice.roll(150) {
            0 => files(folder.path()).discard_index().unwrap(),
            1 => {
                file.compact(MaintenanceGrant::new(Maintenance::Compact)).unwrap();
                memory.compact(MaintenanceGrant::new(Maintenance::Compact)).unwrap();
            }
            _ => {}
        }
        if step % pause == 0 || step + 1 == steps {
            let moment = at(now + 40);
            let (left, right) = (answers(&file, moment, issues), answers(&memory, moment, issues));
            let differing = left.iter().zip(&right).find(|(left, right)| left != right);
            assert_eq!(differing, None, "seed {seed}, step {step}");
            assert_eq!(left.len(), right.len(), "seed {seed}, step {step}");
        }
    }
}

#[test]
fn files_and_memory_give_the_same_answers() {
    for seed in 1..=6 {
        drive(seed * 7919, 300, 25);
    }
}

#[test]
fn they_still_do_when_most_answers_come_from_the_index() {
    drive(4242, 1700, 340);
}

/// A store with so many issues, the last sixty of them added one by one.
fn grown(folder: &Path, issues: u64) -> FileIssues {
    let store = files(folder);
    store.create().unwrap();
    let imported = issues.saturating_sub(60);
    let text: String = (1..=imported)
        .map(|number| {
            let blocker = if number % 3 == 1 && number > 1 {
                format!(
                    r#","dependencies":[{{"issue_id":"bd-{number}","depends_on_id":"bd-{}"}}]"#,
                    number - 1
                )
            } else {
                String::new()
            };
            format!(
                "{{\"id\":\"bd-{number}\",\"title\":\"work {}\",\"status\":\"open\"{blocker}}}\n",
                number - 1
            )
        })
        .collect();
    let rows = premath_bd::issues::read_exchange(text.as_bytes()).rows;
    store.import(MaintenanceGrant::new(Maintenance::Import), rows, &at(0)).unwrap();
    for number in imported..issues {
        let draft = IssueDraft { title: format!("work {number}"), ..IssueDraft::default() };
        let add = Operation::Add { draft: Box::new(draft), prefix: "bd".to_owned() };
        assert!(matches!(apply(&store, operator(), &add, &at(number)).unwrap(), Applied::Written(_)));
    }
    store
}

#[test]
fn a_deleted_index_comes_back_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let store = grown(folder.path(), 1060);
    drop(store.view().unwrap());
    let grown_step_by_step = std::fs::read(store.index_path()).unwrap();
    files(folder.path()).discard_index().unwrap();
    assert!(!store.index_path().exists());
    drop(store.view().unwrap());
    let built_at_once = std::fs::read(store.index_path()).unwrap();
    assert!(built_at_once.len() > 4096);
    assert!(grown_step_by_step == built_at_once, "the index is not a function of the log");
}

#[test]
fn an_index_that_is_damaged_or_of_another_log_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let store = grown(folder.path(), 600);
    let truth = answers(&store, at(9999), 600);
    let sound = std::fs::read(store.index_path()).unwrap();
    for place in [0, 9, 200, 5000, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[place] ^= 0x40;
        std::fs::write(store.index_path(), &damaged).unwrap();
        // A view may notice on the way; it never answers from a damaged page.
        let view = store.view().unwrap();
        let all = view.all().map(|rows| lines(view.as_ref(), rows));
        match all {
            Ok(all) => assert_eq!(all, truth[..all.len()], "byte {place}"),
            Err(error) => assert!(matches!(error, StoreError::DerivedDamaged { .. }), "{error}"),
        }
        drop(view);
        let again = files(folder.path());
        again.discard_index().unwrap();
        assert_eq!(answers(&again, at(9999), 600), truth);
    }
    let other_folder = tempfile::tempdir().unwrap();
    let other = grown(other_folder.path(), 700);
    drop(other.view().unwrap());
    std::fs::copy(other.index_path(), store.index_path()).unwrap();
    assert_eq!(answers(&store, at(9999), 600), truth);
}

#[test]
fn a_row_that_was_edited_in_place_is_seen_although_the_index_is_warm() {
    let folder = tempfile::tempdir().unwrap();
    let store = grown(folder.path(), 600);
    drop(store.view().unwrap());
    let text = std::fs::read_to_string(store.path()).unwrap();
    let edited = text.replacen("\"title\":\"work 7\"", "\"title\":\"WORK 7\"", 1);
    assert_ne!(text, edited);
    std::fs::write(store.path(), edited).unwrap();
    let view = store.view().unwrap();
    assert!(view.standing().is_tampered());
    assert_eq!(view.row("bd-8").unwrap().unwrap().text("title"), Some("WORK 7"));
}

#[test]
fn superseded_rows_move_to_the_history_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let store = grown(folder.path(), 3);
    for note in 0..40 {
        let texts = vec![("notes", Change::Set(format!("note {note}")))];
        let changes = IssueChanges { texts, ..IssueChanges::default() };
        let update = Operation::Update {
            id: "bd-2".to_owned(),
            changes: Box::new(changes),
            holder: Holder::default(),
        };
        assert!(matches!(apply(&store, operator(), &update, &at(100 + note)).unwrap(), Applied::Written(_)));
        let rows = store.view().unwrap().row_count();
        assert!(rows <= 7, "{rows} rows for 3 issues");
    }
    let history = store.history("bd-2").unwrap();
    assert_eq!(history.len(), 41);
    assert!(history.iter().map(premath_bd::issues::IssueRow::rev).eq(1..=41));
}

#[test]
fn fields_of_other_tools_survive_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let store = files(folder.path());
    let foreign = r#"{"id":"x-1","title":"t","status":"open","zebra":{"b":[1,2.5,null],"a":"é"},"priority":9,"content_hash":"abc"}"#;
    std::fs::write(store.path(), format!("{foreign}\r\n")).unwrap();
    let claim = Operation::Claim { id: "x-1".to_owned(), terms: ClaimTerms::of("ada") };
    let Applied::Written(written) = apply(&store, operator(), &claim, &at(1)).unwrap() else {
        panic!("refused")
    };
    let row = String::from_utf8(written.row.line()).unwrap();
    for kept in [r#""zebra":{"a":"é","b":[1,2.5,null]}"#, r#""priority":9"#, r#""content_hash":"abc""#] {
        assert!(row.contains(kept), "{row}");
    }
}
