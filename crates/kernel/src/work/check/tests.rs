//! Facts about what `issue check` finds in one issue.

use std::borrow::ToOwned as _;
use std::string::{String, ToString as _};
use std::vec::Vec;

use super::{IssueProblemClass, IssueText, NOTES_LIMIT, check_text, verification_commands};
use crate::work::{IssueType, Status};

/// An issue without any problem.
const SOUND: IssueText<'_> = IssueText {
    id: "bd-1",
    title: "Mend the gate",
    issue_type: IssueType::Task,
    status: Status::Open,
    ephemeral: false,
    description: Some("It is broken.\nVerification: cargo test"),
    acceptance_criteria: Some("it holds"),
    notes: None,
};

fn accepts(description: &str) -> bool {
    let issue = IssueText { description: Some(description), acceptance_criteria: None, ..SOUND };
    !check_text(&issue).contains(&IssueProblemClass::AcceptanceMissing)
}

fn verifies(description: &str) -> bool {
    let issue = IssueText { description: Some(description), ..SOUND };
    !check_text(&issue).contains(&IssueProblemClass::VerificationCommandMissing)
}

#[test]
fn a_sound_issue_has_no_problem() {
    assert_eq!(check_text(&SOUND), []);
}

#[test]
fn an_epic_by_title_must_be_one_by_type() {
    for title in ["[EPIC] Gates", "  [Epic]Gates", "[epic]"] {
        let issue = IssueText { title, ..SOUND };
        assert_eq!(check_text(&issue), [IssueProblemClass::EpicMismatch], "{title}");
        assert_eq!(check_text(&IssueText { issue_type: IssueType::Epic, ..issue }), [], "{title}");
        let closed = IssueText { status: Status::Closed, ..issue };
        assert_eq!(check_text(&closed), [IssueProblemClass::EpicMismatch], "{title}");
    }
    for title in ["Gates [EPIC]", "[EPI", "EPIC: Gates", "[épic] a"] {
        assert_eq!(check_text(&IssueText { title, ..SOUND }), [], "{title}");
    }
}

#[test]
fn an_issue_that_says_nothing_lacks_both_terms() {
    for blank in [None, Some(" \n")] {
        let issue = IssueText { description: blank, acceptance_criteria: blank, notes: blank, ..SOUND };
        assert_eq!(
            check_text(&issue),
            [IssueProblemClass::AcceptanceMissing, IssueProblemClass::VerificationCommandMissing]
        );
    }
}

#[test]
fn only_active_issues_that_are_kept_need_terms() {
    let bare = IssueText { description: None, acceptance_criteria: None, ..SOUND };
    for status in [Status::Open, Status::InProgress, Status::Blocked] {
        assert_eq!(check_text(&IssueText { status, ..bare }).len(), 2);
        assert_eq!(check_text(&IssueText { status, ephemeral: true, ..bare }), []);
    }
    for status in [Status::Closed, Status::Other] {
        assert_eq!(check_text(&IssueText { status, ..bare }), []);
    }
}

#[test]
fn notes_may_carry_the_terms() {
    let issue = IssueText {
        description: None,
        acceptance_criteria: None,
        notes: Some("Acceptance: it holds\n$ make check"),
        ..SOUND
    };
    assert_eq!(check_text(&issue), []);
}

#[test]
fn an_acceptance_line_says_something_on_itself_or_below() {
    for text in [
        "Acceptance: it holds",
        "some words\n  acceptance: it holds",
        "## ACCEPTANCE: it holds",
        "- **Acceptance:** it holds",
        "## Acceptance:\n\n- [ ] it holds",
        "Acceptance:\nAcceptance: it holds",
        "> Acceptance: it holds",
    ] {
        assert!(accepts(text), "{text:?}");
    }
}

#[test]
fn an_acceptance_label_alone_is_not_enough() {
    for text in [
        "Acceptance:",
        "**Acceptance:**\n\n---\n",
        "Acceptance:\n\n## Notes\nnothing",
        "Acceptance:\nVerification: cargo test",
        "The Acceptance: it holds",
        "Acceptance criteria to come",
        "Acceptanc",
    ] {
        assert!(!accepts(text), "{text:?}");
    }
}

#[test]
fn a_command_is_told_by_prompt_label_block_or_backticks() {
    for text in [
        "$ make",
        "  $ cargo test",
        "Verification: run the suite",
        "- **verify:** make",
        "```sh\nmake\n```",
        "~~~\n\n# all of it\nmake check\n~~~",
        "```\nmake",
        "Run `cargo test -p kernel` twice.",
        "Run ``cargo test`` twice.",
        "Set `id` and run `$ make check`",
        "Run `RUST_LOG=debug LANG=C cargo test`",
        "Run `./verify.sh`",
        "```cargo test```",
    ] {
        assert!(verifies(text), "{text:?}");
    }
}

#[test]
fn prose_identifiers_and_empty_blocks_are_no_command() {
    for text in [
        "",
        "run the tests",
        "costs 5 $ or so",
        "$",
        "$ ",
        "Verification:",
        "**Verify:**",
        "```\n\n# to come\n```",
        "```\n```\nprose after an empty block",
        "the field `lease_id` of `Lease`",
        "the object `{a b}` and `key: value`",
        "an unclosed `cargo test",
        "between `a` cargo test `b`",
        "numbers `1 2`",
        "only `NAME=value`",
        "an option `--name=value run it`",
    ] {
        assert!(!verifies(text), "{text:?}");
    }
}

#[test]
fn a_fence_of_the_other_kind_does_not_close_a_block() {
    assert!(verifies("```\n~~~\n```"));
    assert!(!verifies("~~~\n~~~\nprose"));
}

#[test]
fn large_notes_are_counted_in_characters_and_only_a_warning() {
    let notes: String = core::iter::repeat_n('é', NOTES_LIMIT).collect();
    assert_eq!(check_text(&IssueText { notes: Some(&notes), ..SOUND }), []);
    let longer = notes + "é";
    let issue = IssueText { notes: Some(&longer), status: Status::Closed, ..SOUND };
    assert_eq!(check_text(&issue), [IssueProblemClass::NotesLarge]);
    let warnings: Vec<_> = IssueProblemClass::ALL.iter().filter(|class| class.is_warning()).collect();
    assert_eq!(warnings, [&IssueProblemClass::NotesLarge]);
}

#[test]
fn every_class_has_its_code_and_a_hint_of_one_line() {
    let codes: Vec<&str> = IssueProblemClass::ALL.iter().map(|class| class.code()).collect();
    assert_eq!(
        codes,
        [
            "issue_graph.issue_type.epic_mismatch",
            "issue_graph.acceptance.missing",
            "issue_graph.verification_command.missing",
            "issue_graph.notes.large",
            "issue_graph.dependency.unknown",
            "issue_graph.cycle",
            "issue_graph.lease.invalid",
        ]
    );
    for class in IssueProblemClass::ALL {
        assert!(!class.hint().is_empty() && !class.hint().contains('\n'), "{class}");
        assert_eq!(class.to_string(), class.code());
    }
}

fn commands(description: &str, criteria: Option<&str>, notes: Option<&str>) -> Vec<String> {
    let issue = IssueText { description: Some(description), acceptance_criteria: criteria, notes, ..SOUND };
    verification_commands(&issue).into_iter().map(str::to_owned).collect()
}

#[test]
fn labelled_commands_are_taken_before_all_others() {
    assert_eq!(commands("Uses `git log -p`.\n\nVerification: sh check.sh", None, None), ["sh check.sh"]);
    assert_eq!(
        commands("**Verify:** `cargo test`, then `./lint.sh`", None, None),
        ["cargo test", "./lint.sh"]
    );
    assert_eq!(commands("- Verification: $ make check", None, None), ["make check"]);
}

#[test]
fn prompts_blocks_and_spans_name_commands_where_nothing_is_labelled() {
    let text = "Run `cargo test -p a`.\n$ make lint\n```sh\n# first\n$ sh one.sh\nsh two.sh\n```\nand `name`";
    assert_eq!(commands(text, None, None), ["cargo test -p a", "make lint", "sh one.sh", "sh two.sh"]);
    assert_eq!(commands("prose", Some("`sh check.sh` passes"), None), ["sh check.sh"]);
}

#[test]
fn notes_name_commands_only_where_nothing_else_does() {
    assert_eq!(commands("prose", None, Some("Verification: sh late.sh")), ["sh late.sh"]);
    assert_eq!(commands("Verification: sh early.sh", None, Some("Verification: true")), ["sh early.sh"]);
    assert_eq!(commands("Verification: sh a.sh\nVerification: sh a.sh", None, None), ["sh a.sh"]);
}
