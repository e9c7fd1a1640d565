//! Attacks on the journal of a run that was killed.

use crate::forgery::{append_like, head_with_invented_mac, put_rows, rechained, rewrite, rows, unkeyed_head};
use crate::room::{JOURNAL, OTHER_JOURNAL, RESUME, Room};
use crate::{Attack, hold};

const HEAD: &str = ".premath/runs/one/journal.jsonl.head";

/// Makes the model ask for a change of another issue: its last answer is replaced, and nothing is left behind it.
fn forge_the_answer(room: &Room) {
    let mut all = rows(room, JOURNAL);
    let at = all.iter().rposition(|row| row.contains("touch begun2")).unwrap();
    all.truncate(at + 1);
    let mut row: serde_json::Value = serde_json::from_str(&all[at]).unwrap();
    let parts = row["event"]["parts"].as_array_mut().unwrap();
    let call = parts.iter_mut().find(|part| part["type"] == "call").unwrap();
    call["name"] = "issue_update".into();
    call["arguments"] = serde_json::json!({"id": "bd-2", "notes": "forged"}).to_string().into();
    all[at] = row.to_string();
    put_rows(room, JOURNAL, &rechained(&all));
}

fn cut_last(room: &Room) {
    let mut all = rows(room, JOURNAL);
    all.pop();
    put_rows(room, JOURNAL, &all);
}

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files("a forged answer, chained anew, without the head", &RESUME, JOURNAL, |room| {
        forge_the_answer(room);
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("a forged answer under the genuine head", &RESUME, JOURNAL, forge_the_answer).exits(4),
    Attack::on_files("a forged answer under a head from before keys", &RESUME, JOURNAL, |room| {
        forge_the_answer(room);
        room.put(HEAD, unkeyed_head(room, JOURNAL));
    })
    .exits(4),
    Attack::on_files("a forged answer under a head with an invented MAC", &RESUME, JOURNAL, |room| {
        forge_the_answer(room);
        room.put(HEAD, head_with_invented_mac(room, JOURNAL));
    })
    .exits(4),
    Attack::on_files("a forged answer under the head of another run", &RESUME, JOURNAL, |room| {
        forge_the_answer(room);
        std::fs::copy(room.path(&format!("{OTHER_JOURNAL}.head")), room.path(HEAD)).unwrap();
    })
    .exits(4),
    Attack::on_files("the head is deleted", &RESUME, JOURNAL, |room| room.delete(HEAD)).exits(4),
    Attack::on_files("the head is empty", &RESUME, JOURNAL, |room| room.put(HEAD, "")).exits(4),
    Attack::on_files("the head is noise", &RESUME, JOURNAL, |room| room.put(HEAD, "x".repeat(4096))).exits(4),
    Attack::on_files("the head of another run", &RESUME, JOURNAL, |room| {
        std::fs::copy(room.path(&format!("{OTHER_JOURNAL}.head")), room.path(HEAD)).unwrap();
    })
    .exits(4),
    Attack::on_files("a further row, chained", &RESUME, JOURNAL, |room| {
        append_like(room, JOURNAL, "touch begun2", "touch begun2", "touch forged");
    })
    .exits(4),
    Attack::on_files("a further row, and no head", &RESUME, JOURNAL, |room| {
        append_like(room, JOURNAL, "touch begun2", "touch begun2", "touch forged");
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("a row without its newline behind the last one", &RESUME, JOURNAL, |room| {
        append_like(room, JOURNAL, "touch begun2", "touch begun2", "touch forged");
        let text = room.read(JOURNAL);
        room.put(JOURNAL, text.trim_end());
    })
    .exits(4),
    Attack::on_files("the last row is cut off", &RESUME, JOURNAL, cut_last).exits(4),
    Attack::on_files("the last row is cut off, and no head", &RESUME, JOURNAL, |room| {
        cut_last(room);
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("the journal and its head as they were earlier", &RESUME, JOURNAL, |room| {
        room.roll_back("while-running", JOURNAL);
    })
    .exits(4),
    Attack::on_files("the journal is deleted", &RESUME, JOURNAL, |room| room.delete(JOURNAL)),
    Attack::on_files("the journal and its head are deleted", &RESUME, JOURNAL, |room| {
        room.delete(JOURNAL);
        room.delete(HEAD);
    }),
    Attack::on_files("the journal of another run, with its head", &RESUME, JOURNAL, |room| {
        for suffix in ["", ".head"] {
            let from = room.path(&format!("{OTHER_JOURNAL}{suffix}"));
            std::fs::copy(from, room.path(&format!("{JOURNAL}{suffix}"))).unwrap();
        }
    })
    .exits(4),
    Attack::on_files("two rows change places", &RESUME, JOURNAL, |room| {
        let mut all = rows(room, JOURNAL);
        all.swap(1, 2);
        put_rows(room, JOURNAL, &all);
    })
    .exits(4),
    Attack::on_files("a row is there twice", &RESUME, JOURNAL, |room| {
        let mut all = rows(room, JOURNAL);
        all.insert(1, all[1].clone());
        put_rows(room, JOURNAL, &all);
    })
    .exits(4),
    Attack::on_files("a row is edited in place", &RESUME, JOURNAL, |room| {
        let text = room.read(JOURNAL).replace("touch begun2", "touch forged");
        room.put(JOURNAL, text);
    })
    .exits(4),
    Attack::on_files("a row is edited in place, and the time set back", &RESUME, JOURNAL, |room| {
        let modified = std::fs::metadata(room.path(JOURNAL)).unwrap().modified().unwrap();
        forge_the_answer(room);
        std::fs::File::options()
            .write(true)
            .open(room.path(JOURNAL))
            .unwrap()
            .set_modified(modified)
            .unwrap();
    })
    .exits(4),
    Attack::on_files("the task is another", &RESUME, JOURNAL, |room| {
        rewrite(room, JOURNAL, "do it", "do this");
        room.delete(HEAD);
    })
    .exits(4),
    Attack::on_files("a link to a forged journal elsewhere", &RESUME, JOURNAL, |room| {
        forge_the_answer(room);
        std::fs::rename(room.path(JOURNAL), room.path("forged.jsonl")).unwrap();
        std::os::unix::fs::symlink(room.path("forged.jsonl"), room.path(JOURNAL)).unwrap();
    })
    .exits(4),
];

#[test]
fn no_way_around_the_gate_leads_through_a_journal() {
    hold(ATTACKS);
}
