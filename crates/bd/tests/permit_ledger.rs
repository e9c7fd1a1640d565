//! The permit ledger: every permit is spent once, by whoever comes first, and none without an instruction that still counts.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod desk_room;

use std::path::Path;
use std::sync::Arc;

use desk_room::turn::{INSTRUCTION, grant};
use premath_bd::desk::Operation;
use premath_bd::{
    Access, Disk, Issued, OsDisk, PermitLedger, Spend, SpendRefusal, StoreError, ledgers, read_to_end,
    write_all_at,
};
use premath_kernel::Moment;
use premath_testkit::faulty_disk::SimDisk;

fn operation() -> Operation {
    Operation::CreateFolder { name: "notes".to_owned(), parent: None }
}

fn issued(expires_at: Moment) -> Issued {
    Issued {
        instruction_digest: "instr1_a".to_owned(),
        witness_digest: "sha256:b".to_owned(),
        policy_digest: "pol1_c".to_owned(),
        expires_at,
        actor: "ada".to_owned(),
        is_accepted: true,
    }
}

fn home(disk: &Arc<dyn Disk>) -> PermitLedger {
    disk.create_folder(Path::new("home/.premath")).unwrap();
    PermitLedger::open(Arc::clone(disk), Path::new("home"), INSTRUCTION).unwrap()
}

fn simulated() -> (Arc<dyn Disk>, PermitLedger) {
    let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
    let ledger = home(&disk);
    (disk, ledger)
}

const FRESH: Spend<'_> = Spend { door: "test", issue_id: Some("bd-1"), again: false };
const AGAIN: Spend<'_> = Spend { again: true, ..FRESH };
const NOW: Moment = Moment::EPOCH;

fn turn(name: &str) -> premath_bd::TurnGrant {
    grant(name, &operation()).0
}

#[test]
fn a_permit_is_spent_once_and_taken_up_again_only_by_whoever_says_so() {
    let (disk, ledger) = simulated();
    ledger.issue(&issued(NOW.plus_seconds(60)), &NOW).unwrap();
    let spent = ledger.spend(turn("one"), &FRESH, &NOW).unwrap().unwrap();
    let refusal = ledger.spend(turn("one"), &FRESH, &NOW).unwrap().unwrap_err();
    assert!(matches!(&refusal, SpendRefusal::Spent { permit_id, .. } if permit_id == spent.permit_id()));
    let again = ledger.spend(turn("one"), &AGAIN, &NOW).unwrap().unwrap();
    assert_eq!(again.permit_id(), spent.permit_id());
    let other = ledger.spend(turn("two"), &FRESH, &NOW).unwrap().unwrap();
    assert_ne!(other.permit_id(), spent.permit_id());
    let events: Vec<String> = ledger.rows().unwrap().into_iter().map(|row| row.event).collect();
    assert_eq!(events, ["issued", "spent", "spent"]);
    assert_eq!(ledgers(disk.as_ref(), Path::new("home")).unwrap(), [INSTRUCTION]);
}

#[test]
fn nothing_is_spent_under_an_instruction_that_was_not_issued_or_has_ended() {
    let (disk, ledger) = simulated();
    let refusal = ledger.spend(turn("one"), &FRESH, &NOW).unwrap().unwrap_err();
    assert!(matches!(refusal, SpendRefusal::NotIssued { .. }));
    assert!(ledgers(disk.as_ref(), Path::new("home")).unwrap().is_empty(), "a refusal begins no ledger");
    ledger.issue(&issued(NOW.plus_seconds(60)), &NOW).unwrap();
    let late = NOW.plus_seconds(60);
    let refusal = ledger.spend(turn("one"), &FRESH, &late).unwrap().unwrap_err();
    assert!(matches!(refusal, SpendRefusal::Expired { .. }));
    // Issued again, it counts again.
    ledger.issue(&issued(late.plus_seconds(60)), &late).unwrap();
    assert!(ledger.spend(turn("one"), &FRESH, &late).unwrap().is_ok());
}

#[test]
fn a_turn_spends_under_the_instruction_that_it_named_and_no_other() {
    let (disk, _) = simulated();
    let other = PermitLedger::open(disk, Path::new("home"), "20261115T071252Z-other").unwrap();
    other.issue(&issued(NOW.plus_seconds(60)), &NOW).unwrap();
    let refusal = other.spend(turn("one"), &FRESH, &NOW).unwrap().unwrap_err();
    assert!(matches!(refusal, SpendRefusal::OtherInstruction { .. }));
}

#[test]
fn of_many_who_spend_the_same_permit_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let disk: Arc<dyn Disk> = Arc::new(OsDisk);
    disk.create_folder(&folder.path().join(".premath")).unwrap();
    let open = || PermitLedger::open(Arc::clone(&disk), folder.path(), INSTRUCTION).unwrap();
    open().issue(&issued(NOW.plus_seconds(60)), &NOW).unwrap();
    let won = std::thread::scope(|scope| {
        let spenders: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| open().spend(turn("one"), &FRESH, &NOW).unwrap().is_ok()))
            .collect();
        spenders.into_iter().map(|one| one.join().unwrap()).filter(|won| *won).count()
    });
    assert_eq!(won, 1);
}

#[test]
fn a_ledger_that_somebody_changed_is_damage_and_spends_nothing() {
    let (disk, ledger) = simulated();
    ledger.issue(&issued(NOW.plus_seconds(60)), &NOW).unwrap();
    ledger.spend(turn("one"), &FRESH, &NOW).unwrap().unwrap();
    let file = disk.open(ledger.path(), Access::Read).unwrap();
    let bytes = read_to_end(file.as_ref(), 0, 1 << 20).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let edits = [
        text.replace("1970-01-01T00:01:00", "1979-01-01T00:01:00"),
        format!("{}\n", lines.first().unwrap()),
        format!("{}\n{}\n", lines.get(1).unwrap(), lines.first().unwrap()),
        format!("{text}{}\n", lines.first().unwrap()),
        format!("{text}nonsense\n"),
        text.replace("\"spent\"", "\"unspent\""),
    ];
    for edited in edits {
        let mut file = disk.open(ledger.path(), Access::Replace).unwrap();
        write_all_at(file.as_mut(), edited.as_bytes(), 0).unwrap();
        let spent = ledger.spend(turn("one"), &FRESH, &NOW);
        assert!(matches!(spent, Err(StoreError::Corrupt { .. })), "{edited}: {spent:?}");
    }
}

#[test]
fn an_instruction_s_id_is_never_a_path() {
    for id in ["../x", "a/b", "", ".hidden", "a\0b"] {
        let disk: Arc<dyn Disk> = Arc::new(SimDisk::new());
        assert!(
            matches!(PermitLedger::open(disk, Path::new("home"), id), Err(StoreError::Input(_))),
            "{id:?}"
        );
    }
}
