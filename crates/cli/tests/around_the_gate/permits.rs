//! Attacks on what a change stands on: the ledger of an instruction, its witness, its envelope, its policy.

use crate::forgery::{append_like, head_with_invented_mac, put_rows, rechained, rows, unkeyed_head};
use crate::room::{ENVELOPE, LEDGER, OTHER_LEDGER, POLICY, Room, SPEND_AGAIN, SPEND_MORE, WITNESS};
use crate::{Attack, hold};

const HEAD: &str = ".premath/permits/20261115T071252Z-link.jsonl.head";

fn without_the_spent_row(room: &Room) {
    let kept: Vec<String> = rows(room, LEDGER).into_iter().filter(|row| !row.contains("\"spent\"")).collect();
    put_rows(room, LEDGER, &rechained(&kept));
}

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files(
        "the ledger and its head as they were before it was spent",
        &SPEND_AGAIN,
        LEDGER,
        |room| {
            room.roll_back("before-spending", LEDGER);
        },
    ),
    Attack::on_files("the spent row is taken out", &SPEND_AGAIN, LEDGER, without_the_spent_row),
    Attack::on_files("the spent row is taken out, and no head", &SPEND_AGAIN, LEDGER, |room| {
        without_the_spent_row(room);
        room.delete(HEAD);
    }),
    Attack::on_files(
        "the spent row is taken out, under a head from before keys",
        &SPEND_AGAIN,
        LEDGER,
        |room| {
            without_the_spent_row(room);
            room.put(HEAD, unkeyed_head(room, LEDGER));
        },
    ),
    Attack::on_files("the spent row is taken out, under an invented MAC", &SPEND_AGAIN, LEDGER, |room| {
        without_the_spent_row(room);
        room.put(HEAD, head_with_invented_mac(room, LEDGER));
    }),
    Attack::on_files("the ledger is deleted", &SPEND_MORE, LEDGER, |room| room.delete(LEDGER)),
    Attack::on_files("the ledger and its head are deleted", &SPEND_MORE, LEDGER, |room| {
        room.delete(LEDGER);
        room.delete(HEAD);
    }),
    Attack::on_files("the head is deleted", &SPEND_MORE, LEDGER, |room| room.delete(HEAD)).exits(4),
    Attack::on_files("the instruction is issued by hand", &SPEND_MORE, LEDGER, |room| {
        append_like(room, LEDGER, "\"issued\"", "\"expiresAt\":\"2", "\"expiresAt\":\"3");
    })
    .exits(4),
    Attack::on_files("the ledger of another instruction, with its head", &SPEND_MORE, LEDGER, |room| {
        for suffix in ["", ".head"] {
            let from = room.path(&format!("{OTHER_LEDGER}{suffix}"));
            std::fs::copy(from, room.path(&format!("{LEDGER}{suffix}"))).unwrap();
        }
    })
    .exits(4),
    Attack::on_files(
        "the ledger, its head, the audit log and its head as they were",
        &SPEND_AGAIN,
        LEDGER,
        |room| {
            room.roll_back("before-spending", LEDGER);
            room.roll_back("before-spending", ".premath/audit.jsonl");
        },
    ),
    Attack::on_files("the witness grants more", &SPEND_MORE, WITNESS, |room| {
        let more = room.read(WITNESS).replace("change_morphisms.issue_update", "change_morphisms.all");
        room.put(WITNESS, more);
    })
    .exits(1),
    Attack::on_files("the witness is deleted", &SPEND_MORE, WITNESS, |room| room.delete(WITNESS)).exits(1),
    Attack {
        name: "the envelope asks for more",
        act: |room| {
            let more = room.read(ENVELOPE).replace("change_morphisms.issue_update", "change_morphisms.all");
            room.put(ENVELOPE, more);
        },
        then: &SPEND_MORE,
        with: &[],
        exit: Some(1),
        named: None,
    },
    Attack {
        name: "the policy of instructions is another",
        act: |room| {
            let wider = room.read(POLICY).replace("\"ttlSeconds\":", "\"ttlSeconds\": 9");
            room.put(POLICY, wider);
        },
        then: &SPEND_MORE,
        with: &[],
        exit: None,
        named: None,
    },
];

#[test]
fn no_way_around_the_gate_leads_through_permits() {
    hold(ATTACKS);
}

/// The refusal of a rolled back ledger has the class that is promised.
#[test]
fn a_permit_of_a_rolled_back_ledger_is_refused_for_want_of_evidence() {
    let room = Room::new();
    room.roll_back("before-spending", LEDGER);
    let ran = room.run(&[&SPEND_AGAIN[..], &["--json"]].concat());
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(
        (ran.code, &answer["refused"]["class"]),
        (Some(1), &serde_json::json!("mutation.use_evidence_missing")),
        "{ran:?}"
    );
}
