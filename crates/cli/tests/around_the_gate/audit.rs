//! Attacks on the audit log: without it nothing is resumed and nothing is spent.

use crate::forgery::{append_like, head_with_invented_mac, put_rows, rewrite, rows, unkeyed_head};
use crate::room::{AUDIT, OTHER_JOURNAL, RESUME, SPEND_MORE};
use crate::{Attack, hold};

const HEAD: &str = ".premath/audit.jsonl.head";

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files("the log is deleted", &RESUME, AUDIT, |room| room.delete(AUDIT)).exits(4),
    Attack::on_files("the log and its head are deleted", &RESUME, AUDIT, |room| {
        room.delete(AUDIT);
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files(
        "the log and its head are deleted before a permit is spent",
        &SPEND_MORE,
        AUDIT,
        |room| {
            room.delete(AUDIT);
            room.delete(HEAD);
        },
    )
    .exits(4),
    Attack::on_files("the head is deleted", &SPEND_MORE, AUDIT, |room| room.delete(HEAD)).exits(4),
    Attack::on_files("the head is from before keys", &SPEND_MORE, AUDIT, |room| {
        room.put(HEAD, unkeyed_head(room, AUDIT));
    })
    .exits(4),
    Attack::on_files("the head has an invented MAC", &SPEND_MORE, AUDIT, |room| {
        room.put(HEAD, head_with_invented_mac(room, AUDIT));
    })
    .exits(4),
    Attack::on_files("the last change is cut off, and what came after it", &SPEND_MORE, AUDIT, |room| {
        let mut all = rows(room, AUDIT);
        all.truncate(all.iter().rposition(|row| row.contains("\"mutation\"")).unwrap());
        put_rows(room, AUDIT, &all);
    })
    .exits(4),
    Attack::on_files("a further row, chained", &SPEND_MORE, AUDIT, |room| {
        append_like(room, AUDIT, "\"mutation\"", "\"applied\"", "\"allow\"");
    })
    .exits(4),
    Attack::on_files("rows are edited and chained anew", &RESUME, AUDIT, |room| {
        rewrite(room, AUDIT, "\"applied\"", "\"refused\"");
    })
    .exits(4),
    Attack::on_files("the log and its head as they were earlier", &SPEND_MORE, AUDIT, |room| {
        room.roll_back("before-spending", AUDIT);
    })
    .exits(4),
    Attack::on_files("the log and its head as they were earlier, for a resume", &RESUME, AUDIT, |room| {
        room.roll_back("before-spending", AUDIT);
    })
    .exits(4),
    Attack::on_files("a journal in its place, with its head", &SPEND_MORE, AUDIT, |room| {
        for suffix in ["", ".head"] {
            let from = room.path(&format!("{OTHER_JOURNAL}{suffix}"));
            std::fs::copy(from, room.path(&format!("{AUDIT}{suffix}"))).unwrap();
        }
    })
    .exits(4),
];

#[test]
fn no_way_around_the_gate_leads_through_the_audit_log() {
    hold(ATTACKS);
}
