//! What is shown is what is agreed to: a yes carries the digest of its card, and a pattern is seen before it is decided.

use crate::room::{Room, call};

/// A run that asks to rename one file, after another run asked about another.
fn asked() -> (Room, String) {
    let room = Room::new(&["draft-one.md", "report.md"], "");
    let rename = |number: usize, name: &str| {
        call("desk_rename_file", &format!("file_id = \"{}\", name = \"{name}\"", room.files[number]))
    };
    assert_eq!(room.begin("other", &rename(1, "old.md")).code, Some(3));
    room.done(&["approvals", "deny", &room.only("approvals")]);
    let turns = [rename(0, "draft-two.md"), rename(0, "draft-three.md"), rename(1, "old.md")].concat();
    assert_eq!(room.begin("renames", &turns).code, Some(3));
    let id = room.only("approvals");
    (room, id)
}

#[test]
fn a_pattern_is_shown_with_examples_before_it_is_decided() {
    let (room, id) = asked();
    let approve = ["approvals", "approve", &id, "--pattern-name", "draft-*.md"];
    let (code, seen) = room.ended(&approve);
    assert_eq!((code, seen["approval"]["state"].as_str()), (Some(1), Some("pending")), "nothing is decided");
    assert_eq!(seen["patternMatches"], serde_json::json!(["draft-one.md"]));
    assert_eq!(seen["patternMisses"], serde_json::json!(["report.md"]));
    let shown = room.json(&["approvals", "show", &id, "--pattern-name", "draft-*.md"]);
    assert_eq!(shown["shownDigest"], seen["shownDigest"], "looking at it shows the same");
    let text = room.run(&approve).stdout;
    assert!(text.contains("would have covered: draft-one.md"), "{text}");
    assert!(text.contains("would not have covered: report.md"), "{text}");
    let digest = seen["shownDigest"].as_str().unwrap();
    for other in ["draft-one.md", "*"] {
        let arguments = ["approvals", "approve", &id, "--pattern-name", other, "--digest", digest];
        assert_eq!(room.refused(&arguments), "approval_digest_mismatch", "{other}");
    }
    room.done(&[&approve[..], &["--digest", digest]].concat());
    assert_eq!(room.run(&["resume", "renames"]).code, Some(3), "what the pattern does not cover is asked");
    assert_eq!(room.json(&["approvals", "show", &room.only("approvals")])["approval"]["runId"], "renames");
    let names: Vec<_> =
        room.items(&["desk", "list"]).iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect();
    assert!(
        names.contains(&"draft-three.md".to_owned()) && names.contains(&"report.md".to_owned()),
        "{names:?}"
    );
}

#[test]
fn a_pattern_that_does_not_cover_its_own_call_is_refused() {
    let (room, id) = asked();
    let approve = ["approvals", "approve", &id, "--pattern-name", "report*"];
    let (_, seen) = room.ended(&approve);
    let digest = seen["shownDigest"].as_str().unwrap();
    assert_eq!(room.refused(&[&approve[..], &["--digest", digest]].concat()), "desk_invalid");
    assert_eq!(room.only("approvals"), id);
}

#[test]
fn a_yes_to_another_card_than_the_one_that_waits_is_refused() {
    let (room, id) = asked();
    let digest =
        room.json(&["approvals", "show", &id])["approval"]["cardDigest"].as_str().unwrap().to_owned();
    let stale = digest.replace("crd1_", "crd1_0");
    assert_eq!(room.refused(&["approvals", "approve", &id, "--digest", &stale]), "approval_digest_mismatch");
    assert_eq!(room.only("approvals"), id, "it still waits");
    let said = room.done(&["approvals", "approve", &id, "--digest", &digest]);
    assert!(said.contains(&digest) && said.contains("draft-two.md"), "the card is shown: {said}");
    assert!(said.contains(&format!("approved {id} by jo, scope once")), "{said}");
}

#[test]
fn a_yes_to_another_plan_than_the_one_that_waits_is_refused() {
    let room = Room::new(&["a.md", "b.md"], "");
    assert_eq!(room.begin("plans", &room.planning()).code, Some(3));
    let id = room.only("proposals");
    let shown = room.json(&["proposals", "show", &id]);
    let digest = shown["proposal"]["planDigest"].as_str().unwrap();
    let stale = digest.replace("pln1_", "pln1_0");
    assert_eq!(room.refused(&["proposals", "approve", &id, "--digest", &stale]), "proposal_digest_mismatch");
    assert!(room.deleted().is_empty());
    let said = room.done(&["proposals", "approve", &id, "--digest", digest]);
    let (before, after) = said.split_once("needs you").unwrap();
    assert!(before.len() < after.len() && after.contains("a plan of 2 steps executed"), "{said}");
    assert_eq!(room.deleted().len(), 2);
}
