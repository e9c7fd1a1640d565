//! Attacks on issue memory: git may bring a change, nobody else.

use crate::forgery::{head_with_invented_mac, put_rows, rows, unkeyed_head};
use crate::room::{BY_HAND, ISSUES, RESUME, Room, SPEND_MORE};
use crate::{Attack, hold};

const HEAD: &str = ".premath/issues.jsonl.head";

fn edit(room: &Room) {
    room.put(ISSUES, room.read(ISSUES).replace("\"work\"", "\"mine\""));
}

fn append_again(room: &Room) {
    let mut all = rows(room, ISSUES);
    let older = all.iter().find(|row| row.contains("\"bd-2\"")).unwrap().clone();
    all.push(older);
    put_rows(room, ISSUES, &all);
}

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files("a row is edited", &BY_HAND, ISSUES, edit).exits(4),
    Attack::on_files("a row is edited before a permit is spent", &SPEND_MORE, ISSUES, edit).exits(4),
    Attack::on_files("a row is edited before a run goes on", &RESUME, ISSUES, edit),
    Attack::on_files("a row is edited, and no head", &SPEND_MORE, ISSUES, |room| {
        edit(room);
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("a row is edited, under a head from before keys", &SPEND_MORE, ISSUES, |room| {
        edit(room);
        room.put(HEAD, unkeyed_head(room, ISSUES));
    })
    .exits(4),
    Attack::on_files("a row is edited, under an invented MAC", &SPEND_MORE, ISSUES, |room| {
        edit(room);
        room.put(HEAD, head_with_invented_mac(room, ISSUES));
    })
    .exits(4),
    Attack::on_files("a row is appended", &SPEND_MORE, ISSUES, |room| {
        let text = room.read(ISSUES);
        room.put(ISSUES, format!("{text}{{\"id\":\"bd-9\",\"title\":\"mine\",\"status\":\"open\"}}\n"));
    })
    .exits(4),
    Attack::on_files("an older row is appended again, seal, MAC and all", &SPEND_MORE, ISSUES, append_again)
        .exits(4),
    Attack::on_files("the last row is cut off", &SPEND_MORE, ISSUES, |room| {
        let mut all = rows(room, ISSUES);
        all.pop();
        put_rows(room, ISSUES, &all);
    })
    .exits(4),
    Attack::on_files("the log and its head as they were earlier", &SPEND_MORE, ISSUES, |room| {
        room.roll_back("before-spending", ISSUES);
    })
    .exits(4),
    Attack::on_files("the head is deleted", &SPEND_MORE, ISSUES, |room| room.delete(HEAD)).exits(4),
    Attack::on_files("the log is deleted, and its head", &SPEND_MORE, ISSUES, |room| {
        room.delete(ISSUES);
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("somebody accepts an edit with a witness of their own", &SPEND_MORE, ISSUES, |room| {
        edit(room);
        accept_by_hand(room);
    })
    .exits(4),
];

/// Writes the witness that `doctor --fix` would write, without the MAC that only the clone can make.
fn accept_by_hand(room: &Room) {
    let text = room.read(ISSUES);
    let (mut digest, mut count) = ([0_u8; 32], 0_u32);
    for line in text.lines() {
        let mut bytes = digest.to_vec();
        bytes.extend_from_slice(line.as_bytes());
        digest = premath_kernel::sha256(&bytes);
        count += 1;
    }
    let core = premath_kernel::Object::fields()
        .field("acceptedAt", "2026-11-15T07:12:52Z")
        .field("classes", premath_kernel::Value::text_list(["verify.log_changed"]))
        .field(
            "extent",
            premath_kernel::Object::fields()
                .field("bytes", u32::try_from(text.len()).unwrap())
                .field("digest", premath_kernel::hex(&digest))
                .field("rows", count)
                .finish(),
        )
        .field("path", ISSUES)
        .field("schema", 1_u32)
        .field("witnessKind", "premath.log.acceptance.v1")
        .finish();
    let disk: std::sync::Arc<dyn premath_bd::Disk> = std::sync::Arc::new(premath_bd::OsDisk);
    let ids = std::sync::Arc::new(premath_bd::OsIds);
    let folder = premath_bd::witnesses_folder(room.folder.path());
    premath_bd::Witnesses::new(disk, ids, folder).put(&core, None).unwrap();
}

#[test]
fn no_way_around_the_gate_leads_through_issue_memory() {
    hold(ATTACKS);
}

#[test]
fn an_edit_that_was_committed_is_accepted_and_reported_with_its_commit() {
    let room = Room::new();
    edit(&room);
    room.commit();
    assert_eq!(room.run(&SPEND_MORE).code, Some(0));
    let (code, verified) = room.verify();
    assert_eq!(code, 0, "{verified}");
    let found =
        verified["problems"].as_array().unwrap().iter().find(|one| one["class"] == "verify.committed");
    let detail = found.unwrap()["detail"].as_str().unwrap();
    assert!(detail.contains("commit "), "{detail}");
}

#[test]
fn an_edit_by_hand_is_accepted_by_the_doctor_and_the_record_is_shown() {
    let room = Room::new();
    edit(&room);
    assert_eq!(room.run(&BY_HAND).code, Some(4));
    let fixed = room.run(&["doctor", "--fix", "--json"]);
    assert_eq!(fixed.code, Some(0), "{fixed:?}");
    assert_eq!(room.run(&BY_HAND).code, Some(0));
    let (code, verified) = room.verify();
    assert_eq!(code, 0, "{verified}");
    let records = verified["takenOver"].as_array().unwrap();
    assert!(records.iter().any(|record| record["by"] == "workspace.doctor"), "{verified}");
}
