//! Who may change what.

use premath_bd::{Maintenance, Permit};
use premath_host::{MutationDoor as _, TerminalAuthority};

use super::TerminalDoor;

fn door(authority: TerminalAuthority, reason: Option<&str>) -> TerminalDoor {
    TerminalDoor {
        authority,
        reason: reason.map(ToOwned::to_owned),
        actor: None,
        is_step: false,
        instruction: None,
    }
}

#[test]
fn an_operator_changes_issues_and_keeps_house() {
    let door = door(TerminalAuthority::Operator, None);
    assert!(matches!(door.permit("issue.add"), Ok(Permit::Operator(_))));
    for (action, purpose) in [
        ("issue.compact", Maintenance::Compact),
        ("workspace.gc", Maintenance::CollectGarbage),
        ("issue.import", Maintenance::Import),
        ("workspace.init", Maintenance::Import),
        ("doctor.fix", Maintenance::Repair),
    ] {
        let permit = door.permit(action).unwrap();
        assert!(matches!(permit, Permit::Maintenance(grant) if grant.purpose() == purpose), "{action}");
    }
}

#[test]
fn an_override_needs_a_reason_that_says_something() {
    for reason in [None, Some(""), Some("  ")] {
        let refusal = door(TerminalAuthority::HumanOverride, reason).permit("issue.add").unwrap_err();
        assert_eq!(refusal.class, "mutation.use_evidence_missing");
        assert!(refusal.hint.contains("--override-reason"));
    }
    let door = door(TerminalAuthority::HumanOverride, Some("the worker is down"));
    assert!(matches!(door.permit("issue.add"), Ok(Permit::Operator(_))));
}

#[test]
fn without_an_instruction_nothing_of_meaning_changes() {
    let door = door(TerminalAuthority::InstructionLinked, Some("please"));
    for action in ["issue.add", "issue.claim", "dep.add", "issue.import", "issue.compact", "workspace.doctor"]
    {
        assert_eq!(door.permit(action).unwrap_err().class, "mutation.use_evidence_missing", "{action}");
    }
    assert!(matches!(door.permit("harness.session.write"), Ok(Permit::Maintenance(_))));
}

#[test]
fn a_step_is_not_a_person() {
    let door = TerminalDoor { is_step: true, ..door(TerminalAuthority::Operator, Some("please")) };
    for action in [
        "issue.add",
        "issue.compact",
        "issue.import",
        "workspace.init",
        "doctor.fix",
        "harness.session.write",
    ] {
        assert_eq!(door.permit(action).unwrap_err().class, "mutation.use_evidence_missing", "{action}");
    }
}
