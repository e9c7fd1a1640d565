//! Attacks on the policy package: files below `policies/` and the log of promotions are changed after a promotion.

use crate::room::{RESUME, RUN_MORE, Room, SPEND_MORE};
use crate::{Attack, hold_in};

const RULE: &str = "policies/governor/secrets.cedar";
const GUARDRAILS: &str = "policies/guardrails.json";
const GATE: &str = "policies/gates/redteam-gate.json";
const ADDED: &str = "policies/turn/mutationPolicy.json";
const KEPT: &str = ".premath/policy/";
const PROMOTIONS: &str = ".premath/policy/promotions.jsonl";
const PROMOTIONS_HEAD: &str = ".premath/policy/promotions.jsonl.head";

fn edit_rule(room: &Room) {
    room.put(RULE, room.read(RULE).replace("forbid", "permit"));
}

fn add_turn_policy(room: &Room) {
    room.folder.write(ADDED, r#"{"capabilities": ["capabilities.change_morphisms.all"]}"#);
}

fn delete_promotions(room: &Room) {
    room.delete(PROMOTIONS);
    room.delete(PROMOTIONS_HEAD);
}

/// Appends a row that puts the package from before the promotion into force again.
fn forge_promotion(room: &Room) {
    let log = room.read(PROMOTIONS);
    let mut row: serde_json::Value = serde_json::from_str(log.lines().last().unwrap()).unwrap();
    let number = row["number"].as_u64().unwrap();
    row["number"] = (number + 1).into();
    row["packageDigest"] = row["previousDigest"].clone();
    room.put(PROMOTIONS, format!("{log}{row}\n"));
    room.delete(RULE);
}

/// Puts the edited files where the promoted copy is kept, under its name.
fn edit_kept_copy(room: &Room) {
    edit_rule(room);
    let kept = std::fs::read_dir(room.path(".premath/policy")).unwrap();
    for entry in kept.map(|entry| entry.unwrap().path().join("governor/secrets.cedar")) {
        if entry.exists() {
            std::fs::copy(room.path(RULE), entry).unwrap();
        }
    }
}

fn delete_kept_copies(room: &Room) {
    for entry in std::fs::read_dir(room.path(KEPT)).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            std::fs::remove_dir_all(entry).unwrap();
        }
    }
}

/// Puts a copy of the folder with another rule behind a link.
fn link_folder(room: &Room) {
    std::fs::rename(room.path("policies"), room.path("others")).unwrap();
    room.put("others/governor/secrets.cedar", "");
    std::os::unix::fs::symlink(room.path("others"), room.path("policies")).unwrap();
}

pub(crate) const ATTACKS: &[Attack] = &[
    Attack::on_files("a promoted rule is edited before a permit is spent", &SPEND_MORE, RULE, edit_rule)
        .exits(1),
    Attack::on_files("a promoted rule is edited before a run is resumed", &RESUME, RULE, edit_rule),
    Attack::on_files("a promoted rule is edited before a run is started", &RUN_MORE, RULE, edit_rule)
        .exits(1),
    Attack::on_files("a promoted rule is deleted", &RUN_MORE, RULE, |room| room.delete(RULE)).exits(1),
    Attack::on_files("the guards are turned off", &RUN_MORE, GUARDRAILS, |room| room.put(GUARDRAILS, "{}"))
        .exits(1),
    Attack::on_files("a gate is lowered", &SPEND_MORE, GATE, |room| {
        room.put(GATE, r#"{"minProbes": 0, "maxFailures": 1000}"#);
    })
    .exits(1),
    Attack::on_files("a turn policy is added", &RUN_MORE, ADDED, add_turn_policy).exits(1),
    Attack::on_files("a turn policy is added before a run is resumed", &RESUME, ADDED, add_turn_policy),
    Attack::on_files("the kept copy is edited with the rule", &RUN_MORE, KEPT, edit_kept_copy).exits(1),
    Attack::on_files("the kept copy is deleted with the rule", &RUN_MORE, PROMOTIONS, |room| {
        edit_kept_copy(room);
        delete_kept_copies(room);
    })
    .exits(1),
    Attack::on_files("the kept copy alone is edited", &["verify"], KEPT, |room| {
        let rule = room.read(RULE);
        edit_kept_copy(room);
        room.put(RULE, rule);
    })
    .exits(1),
    Attack::on_files("the kept copy alone is deleted", &["verify"], PROMOTIONS, delete_kept_copies).exits(1),
    Attack::on_files("another folder lies behind a link", &RUN_MORE, RULE, link_folder),
    Attack::on_files("the log of promotions is deleted", &RUN_MORE, PROMOTIONS, delete_promotions).exits(1),
    Attack::on_files("a promotion is forged", &RUN_MORE, PROMOTIONS, forge_promotion).exits(1),
    Attack::on_files("a promotion is repeated", &["verify"], PROMOTIONS, |room| {
        room.put(PROMOTIONS, room.read(PROMOTIONS).repeat(2));
    })
    .exits(1),
];

#[test]
fn no_way_around_the_gate_leads_through_the_policy_package() {
    let room = Room::with_package();
    room.restore();
    let ran = room.run(&RUN_MORE);
    assert_eq!(ran.code, Some(0), "without an attack a run begins: {ran:?}");
    room.restore();
    assert_eq!(room.verify().0, 0);
    hold_in(&room, ATTACKS);
}
