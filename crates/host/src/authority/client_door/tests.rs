//! What the door of a client opens for, and what clients are called.

use super::{ClientDoor, safe_name};
use crate::workspace::MutationDoor as _;

#[test]
fn a_name_becomes_one_that_leads_nowhere() {
    for (given, safe) in [
        ("Claude Code", "claude-code"),
        ("../../etc/passwd", "etc-passwd"),
        ("", "client"),
        ("…", "client"),
        ("terminal", "client-terminal"),
        ("a\u{202e}b\0c", "a-b-c"),
    ] {
        assert_eq!(safe_name(given), safe, "{given:?}");
    }
    assert_eq!(safe_name(&"x".repeat(500)).len(), 48);
}

#[test]
fn it_never_makes_the_permit_of_a_person() {
    let door = ClientDoor::new("codex", false).under(Some("i1".to_owned()), None);
    for action in [
        "issue.add",
        "issue.compact",
        "workspace.doctor",
        "workspace.trust",
        "policy.promote",
        "instruction.issue",
    ] {
        assert_eq!(door.permit(action).unwrap_err().class, "mutation.use_evidence_missing", "{action}");
    }
    assert!(door.permit("instruction.run").is_ok());
    let linked = door.linked().unwrap().unwrap();
    assert_eq!((linked.instruction.as_str(), linked.client.as_str()), ("i1", "codex"));
}

#[test]
fn a_process_of_a_step_gets_nothing_even_with_an_instruction() {
    let door = ClientDoor::new("codex", true).under(Some("i1".to_owned()), None);
    assert!(door.linked().unwrap().is_err());
    assert!(door.permit("instruction.run").is_err());
}
