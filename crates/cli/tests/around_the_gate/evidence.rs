//! Attacks on evidence that rows cite: objects, witnesses and envelopes are deleted, swapped and edited.

use std::path::PathBuf;

use crate::room::{JOURNAL, OTHER_JOURNAL, Room};
use crate::{Attack, hold};

const VERIFY: [&str; 2] = ["verify", "--json"];
const OBJECTS: &str = ".premath/objects";
const WITNESSES: &str = ".premath/witnesses";
const RUN_ENVELOPE: &str = ".premath/instructions/run-two.json";

/// The files below a folder, largest first.
fn files(room: &Room, name: &str) -> Vec<PathBuf> {
    let mut folders = vec![room.path(name)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() { folders.push(entry) } else { files.push(entry) }
        }
    }
    files.sort_by_key(|file| std::cmp::Reverse(std::fs::metadata(file).unwrap().len()));
    assert!(!files.is_empty(), "{name} is empty");
    files
}

fn delete_objects(room: &Room) {
    assert!(!files(room, OBJECTS).is_empty());
    room.delete(OBJECTS);
}

fn delete_one_object(room: &Room) {
    std::fs::remove_file(&files(room, OBJECTS)[0]).unwrap();
}

fn edit_one_object(room: &Room) {
    let object = &files(room, OBJECTS)[0];
    let mut bytes = std::fs::read(object).unwrap();
    bytes[0] ^= 1;
    std::fs::write(object, bytes).unwrap();
}

/// Edits that leave it readable: a verdict, or a version.
fn edit_one_witness(room: &Room) {
    let witness = &files(room, WITNESSES)[0];
    let text = std::fs::read_to_string(witness).unwrap();
    let edited = text.replace("\"schema\":1", "\"schema\":2").replace("accepted", "rejected");
    assert_ne!(edited, text);
    std::fs::write(witness, edited).unwrap();
}

/// The journal holds what a resume rests on, so what is missing here changes no decision: `verify` must tell of it.
pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files("every object is deleted", &VERIFY, JOURNAL, delete_objects).exits(1),
    Attack::on_files("one object is deleted", &VERIFY, JOURNAL, delete_one_object).exits(1),
    Attack::on_files("an object is edited", &VERIFY, "/objects/", edit_one_object).exits(1),
    Attack::on_files("an object is emptied", &VERIFY, "/objects/", |room| {
        std::fs::write(&files(room, OBJECTS)[0], "").unwrap();
    })
    .exits(1),
    Attack::on_files("the witnesses are deleted", &VERIFY, OTHER_JOURNAL, |room| room.delete(WITNESSES))
        .exits(1),
    Attack::on_files("a witness is edited", &VERIFY, "/witnesses/", edit_one_witness).exits(1),
    Attack::on_files("the envelope of a run is deleted", &VERIFY, RUN_ENVELOPE, |room| {
        room.delete(RUN_ENVELOPE);
    })
    .exits(1),
];

#[test]
fn no_way_around_the_gate_leads_through_missing_evidence() {
    hold(ATTACKS);
}
