//! Attacks on the place of issue memory: configuration and links point outside the repository, or at another file in it.

use crate::room::{BY_HAND, ISSUES, RESUME, RUN_MORE, Room, SPEND_MORE};
use crate::{Attack, hold};

/// A change of `premath.toml` or of links: refused as input, before anything is read.
const fn repoint(name: &'static str, then: &'static [&'static str], act: fn(&Room)) -> Attack {
    Attack { name, act, then, with: &[], exit: Some(2), named: None }
}

fn point_outside(room: &Room) {
    room.put("premath.toml", format!("[issues]\npath = '{}'\n", room.outside_issues().display()));
}

fn point_outside_by_dots(room: &Room) {
    let steps = "../".repeat(room.folder.path().components().count());
    room.put("premath.toml", format!("[issues]\npath = '{steps}{}'\n", room.outside_issues().display()));
}

fn point_through_a_link(room: &Room) {
    let outside = room.outside_issues();
    std::os::unix::fs::symlink(outside.parent().unwrap(), room.path("memo")).unwrap();
    room.put("premath.toml", "[issues]\npath = 'memo/issues.jsonl'\n");
}

fn link_the_log(room: &Room) {
    room.delete(ISSUES);
    std::os::unix::fs::symlink(room.outside_issues(), room.path(ISSUES)).unwrap();
}

fn allow_outside(room: &Room) {
    let outside = room.outside_issues();
    let allowed = outside.parent().unwrap().display();
    room.put("premath.toml", format!("[issues]\npath = '{}'\noutside = ['{allowed}']\n", outside.display()));
}

fn point_at_a_copy(room: &Room) {
    room.put("other.jsonl", room.read(ISSUES).replace("\"work\"", "\"mine\""));
    room.put("premath.toml", "[issues]\npath = 'other.jsonl'\n");
}

pub(crate) const ATTACKS: &[Attack] = &[
    repoint("issues.path points outside, for a permit", &SPEND_MORE, point_outside),
    repoint("issues.path points outside, for a resume", &RESUME, point_outside),
    repoint("issues.path points outside, for a run", &RUN_MORE, point_outside),
    repoint("issues.path points outside, for a person", &BY_HAND, point_outside),
    repoint("issues.path leads outside by dots", &SPEND_MORE, point_outside_by_dots),
    repoint("issues.path leads outside through a link", &SPEND_MORE, point_through_a_link),
    repoint("the log is a link that leads outside", &SPEND_MORE, link_the_log),
    repoint("the repository allows itself a place outside", &SPEND_MORE, allow_outside),
    Attack::on_files("issues.path points at an edited copy", &SPEND_MORE, "other.jsonl", point_at_a_copy),
];

#[test]
fn no_way_around_the_gate_leads_to_another_issue_memory() {
    hold(ATTACKS);
}
