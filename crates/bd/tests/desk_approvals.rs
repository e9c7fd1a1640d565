//! Approvals: asked once, decided once, used once, in time, with a signature, and for nothing but what was shown.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod desk_room;

use std::sync::Arc;

use desk_room::{Room, ada, at, file, json, member, open, question, rooms, target};
use premath_bd::desk::{
    Approval, ApprovalRequest, ApprovalScope, ApprovalState, AskedCall, Decision, DeskRefusalClass, Pattern,
    PersonCredential, Target, Use, Verdict,
};
use premath_kernel::Value;

fn yes(scope: ApprovalScope) -> Decision {
    Decision { verdict: Verdict::Approve, scope, message: None, valid_until: None, shown: None }
}

fn no() -> Decision {
    let message = Some("not today".to_owned());
    Decision { verdict: Verdict::Deny, scope: ApprovalScope::Once, message, valid_until: None, shown: None }
}

fn asked(room: &Room, request: &ApprovalRequest) -> Approval {
    room.desk.request_approval(request).unwrap().unwrap().approval
}

fn call(request: &ApprovalRequest) -> AskedCall<'_> {
    AskedCall {
        run_id: &request.run_id,
        call_id: &request.call_id,
        tool_call_id: &request.tool_call_id,
        tool: &request.tool,
        arguments: &request.arguments,
        targets: &request.targets,
    }
}

fn used(room: &Room, id: &str, request: &ApprovalRequest) -> Result<Use, DeskRefusalClass> {
    room.desk.consume_approval(&ada(), id, &call(request)).unwrap().map_err(|refusal| refusal.class)
}

#[test]
fn a_yes_is_used_once_for_the_call_it_was_given_for() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        let first = room.desk.request_approval(&request).unwrap().unwrap();
        assert!(first.is_new && first.approval.id.starts_with("apr_") && first.approval.id.len() == 16);
        let again = room.desk.request_approval(&request).unwrap().unwrap();
        assert_eq!((again.is_new, &again.approval), (false, &first.approval));
        let id = first.approval.id;
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalPending));
        let decided = room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
        assert_eq!((decided.state, decided.decided_by.as_deref()), (ApprovalState::Approved, Some("ada")));

        // Anything else than what was shown is refused, and uses nothing up.
        let wrong = [
            ApprovalRequest { tool: "desk_delete_folder".to_owned(), ..request.clone() },
            ApprovalRequest { run_id: "run-2".to_owned(), ..request.clone() },
            ApprovalRequest { arguments: json(r#"{"file_id":"fil_2"}"#), ..request.clone() },
            ApprovalRequest { targets: vec![target("fil_2", "a.md")], ..request.clone() },
            ApprovalRequest { targets: vec![target("fil_1", "renamed.md")], ..request.clone() },
            ApprovalRequest { targets: vec![], ..request.clone() },
            ApprovalRequest {
                targets: vec![target("fil_1", "a.md"), target("fil_2", "b.md")],
                ..request.clone()
            },
        ];
        for wrong in wrong {
            assert_eq!(used(&room, &id, &wrong), Err(DeskRefusalClass::ApprovalMismatch), "{wrong:?}");
        }
        assert_eq!(used(&room, &id, &request).unwrap().approval.state, ApprovalState::Consumed);
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalConsumed));
        let later = ApprovalRequest { tool_call_id: "c2".to_owned(), ..request.clone() };
        assert_eq!(used(&room, &id, &later), Err(DeskRefusalClass::ApprovalConsumed));
        let effects: Vec<_> = room.told().iter().map(|row| member(row, "effect").to_owned()).collect();
        assert_eq!(effects, ["requested", "approved", "consumed"]);
    }
}

#[test]
fn a_question_under_the_id_of_another_is_refused() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        asked(&room, &request);
        let other = ApprovalRequest { targets: vec![target("fil_1", "harmless.md")], ..request };
        let refusal = room.desk.request_approval(&other).unwrap().unwrap_err();
        assert_eq!(refusal.class, DeskRefusalClass::ApprovalMismatch);
        assert_eq!(room.told().len(), 1);
    }
}

#[test]
fn whoever_decides_second_learns_who_was_first() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &no()).unwrap().unwrap();
        let bob = PersonCredential::new("bob".to_owned(), [8; 32]);
        let refusal = room.desk.decide_approval(&bob, &id, &yes(ApprovalScope::Once)).unwrap().unwrap_err();
        assert_eq!(refusal.class, DeskRefusalClass::ApprovalDecided);
        assert!(refusal.detail.contains("denied by `ada`"), "{}", refusal.detail);
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalDenied));
        let missing = room.desk.decide_approval(&bob, "apr_none", &no()).unwrap().unwrap_err();
        assert_eq!(missing.class, DeskRefusalClass::NotFound);
    }
}

#[test]
fn nobody_answering_in_time_is_a_no() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        let (late, unused) = (asked(&room, &request), question("c2", "fil_2", "b.md"));
        let unused_id = asked(&room, &unused).id;
        room.desk.decide_approval(&ada(), &unused_id, &yes(ApprovalScope::Once)).unwrap().unwrap();
        room.clock.set(at(60));
        assert_eq!(room.desk.approval(&late.id).unwrap().unwrap().state, ApprovalState::Expired);
        let refusal = room.desk.decide_approval(&ada(), &late.id, &yes(ApprovalScope::Once)).unwrap();
        assert_eq!(refusal.unwrap_err().class, DeskRefusalClass::ApprovalExpired);
        assert_eq!(used(&room, &unused_id, &unused), Err(DeskRefusalClass::ApprovalExpired));
        // That is for good: a clock that goes back brings nothing back.
        room.clock.set(at(0));
        for (id, request) in [(&late.id, &request), (&unused_id, &unused)] {
            assert_eq!(room.desk.approval(id).unwrap().unwrap().state, ApprovalState::Expired);
            assert_eq!(used(&room, id, request), Err(DeskRefusalClass::ApprovalExpired));
        }
        let expired = room.desk.approvals(Some(ApprovalState::Expired), Some("run-1"), 9).unwrap();
        assert_eq!(expired.len(), 2);
        let effects: Vec<_> = room.told().iter().map(|row| member(row, "effect").to_owned()).collect();
        assert_eq!(effects, ["requested", "requested", "approved", "expired", "expired"]);
    }
}

#[test]
fn a_person_may_shorten_how_long_a_yes_lives() {
    let room = file();
    let request = question("c1", "fil_1", "a.md");
    let id = asked(&room, &request).id;
    let decision = Decision { valid_until: Some(at(5)), ..yes(ApprovalScope::Once) };
    room.desk.decide_approval(&ada(), &id, &decision).unwrap().unwrap();
    room.clock.set(at(5));
    assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalExpired));
}

/// The row as somebody with the file in their hands would like it.
fn tampered(room: &Room, statement: &str) {
    let path = room.folder.as_ref().unwrap().path().join("desk.db");
    let connection = rusqlite::Connection::open(path).unwrap();
    assert_eq!(connection.execute(statement, []).unwrap(), 1, "{statement}");
}

#[test]
fn what_no_person_signed_is_no_yes() {
    let request = question("c1", "fil_1", "a.md");
    for statement in [
        "UPDATE approvals SET state = 'approved', decided_by = 'ada', signature = NULL",
        "UPDATE approvals SET state = 'approved', decided_by = 'ada', signature = ''",
        "UPDATE approvals SET state = 'approved', decided_by = 'ada', signature = 'zz'",
        "UPDATE approvals SET state = 'approved', decided_by = 'bob'",
    ] {
        let room = file();
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &no()).unwrap().unwrap();
        tampered(&room, statement);
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalUnsigned), "{statement}");
        let any = room.desk.consume_any_approval(&ada(), &call(&request)).unwrap().unwrap_err();
        assert_eq!(any.class, DeskRefusalClass::ApprovalUnsigned, "{statement}");
    }
    // Every part of a yes that was signed is part of the signature.
    for statement in [
        "UPDATE approvals SET expires_at = expires_at + 1",
        "UPDATE approvals SET scope = 'run'",
        "UPDATE approvals SET kind = 'plan'",
        "UPDATE approvals SET run_id = 'run-2'",
        "UPDATE approvals SET tool = 'shell'",
        "UPDATE approvals SET arguments_digest = 'sha256:other'",
        "UPDATE approvals SET diff = 'another'",
        "UPDATE approvals SET reason = 'another'",
        "UPDATE approvals SET targets = replace(targets, 'fil_1', 'fil_2')",
        "UPDATE approvals SET scope = 'pattern', pattern = '{\"names\":\"*\",\"tool\":\"desk_delete_file\"}'",
    ] {
        let room = file();
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
        tampered(&room, statement);
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalUnsigned), "{statement}");
    }
    let room = file();
    let id = asked(&room, &request).id;
    room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
    let other = PersonCredential::new("ada".to_owned(), [9; 32]);
    let refusal = room.desk.consume_approval(&other, &id, &call(&request)).unwrap().unwrap_err();
    assert_eq!(refusal.class.code(), "approval_unsigned");
    // That it was used says nothing without the signature, and for no other call.
    assert!(!room.desk.was_consumed_for(&ada(), &id, &call(&request)).unwrap(), "not yet");
    // A yes that was used stays used, whatever its state says.
    used(&room, &id, &request).unwrap();
    tampered(&room, "UPDATE approvals SET state = 'approved'");
    assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalConsumed));
}

#[test]
fn a_use_that_somebody_wrote_into_the_database_is_none() {
    let room = file();
    let request = question("c1", "fil_1", "a.md");
    let id = asked(&room, &request).id;
    let claims =
        |credential: &PersonCredential| room.desk.was_consumed_for(credential, &id, &call(&request)).unwrap();
    tampered(&room, "UPDATE approvals SET state = 'consumed', decided_by = 'ada', decided_at = requested_at");
    tampered(
        &room,
        "INSERT INTO approval_uses(approval, run_id, call_id, tool_call_id, arguments_digest, at)
         SELECT id, run_id, call_id, tool_call_id, arguments_digest, requested_at FROM approvals",
    );
    assert!(!claims(&ada()), "nobody signed it");
    tampered(&room, "DELETE FROM approval_uses");
    tampered(&room, "UPDATE approvals SET state = 'pending', decided_by = NULL, decided_at = NULL");
    room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
    used(&room, &id, &request).unwrap();
    assert!(claims(&ada()), "a use that was one is known again");
    assert!(!claims(&PersonCredential::new("ada".to_owned(), [9; 32])));
    let later = ApprovalRequest { tool_call_id: "c2".to_owned(), ..request.clone() };
    assert!(!room.desk.was_consumed_for(&ada(), &id, &call(&later)).unwrap(), "it was for another call");
}

#[test]
fn a_yes_for_the_run_covers_the_same_tool_on_the_same_things() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Run)).unwrap().unwrap();
        used(&room, &id, &request).unwrap();
        assert_eq!(used(&room, &id, &request), Err(DeskRefusalClass::ApprovalConsumed), "one call, one use");
        let other_arguments = ApprovalRequest {
            tool_call_id: "c2".to_owned(),
            arguments: json(r#"{"file_id":"fil_1","why":"again"}"#),
            targets: vec![target("fil_1", "renamed.md")],
            ..request.clone()
        };
        let found = room.desk.consume_any_approval(&ada(), &call(&other_arguments)).unwrap().unwrap();
        assert_eq!(found.approval.id, id);
        for wrong in [
            ApprovalRequest { targets: vec![target("fil_2", "a.md")], ..request.clone() },
            ApprovalRequest { targets: vec![], ..request.clone() },
            ApprovalRequest { run_id: "run-2".to_owned(), ..request.clone() },
        ] {
            let wrong = ApprovalRequest { tool_call_id: "c3".to_owned(), ..wrong };
            assert_eq!(used(&room, &id, &wrong), Err(DeskRefusalClass::ApprovalMismatch));
            let any = room.desk.consume_any_approval(&ada(), &call(&wrong)).unwrap().unwrap_err();
            assert_eq!(any.class, DeskRefusalClass::NotFound);
        }
        // A call that names nothing cannot be approved for a run: that would be every call of its tool.
        let nothing = ApprovalRequest { targets: vec![], ..question("c9", "fil_9", "z.md") };
        let id = asked(&room, &nothing).id;
        let refusal = room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Run)).unwrap().unwrap_err();
        assert_eq!(refusal.class, DeskRefusalClass::Invalid);
    }
}

#[test]
fn a_pattern_covers_what_its_examples_say() {
    for room in rooms() {
        for (number, name) in ["draft-1.md", "draft-2.md", "contract.md"].into_iter().enumerate() {
            let file = format!("fil_{number}");
            asked(&room, &question(&format!("c{number}"), &file, name));
        }
        let glob = |names: &str| Pattern {
            tool: "desk_delete_file".to_owned(),
            names: Some(names.to_owned()),
            argument: None,
        };
        let examples = room.desk.pattern_examples(&glob("draft-*"), 9).unwrap();
        let names = |examples: &[premath_bd::desk::PatternExample]| {
            examples.iter().map(|example| example.names.join("+")).collect::<Vec<_>>()
        };
        assert_eq!(names(&examples.matches), ["draft-2.md", "draft-1.md"]);
        assert_eq!(names(&examples.misses), ["contract.md"]);
        let field = Pattern {
            names: None,
            argument: Some(("file_id".to_owned(), Value::from("fil_2"))),
            ..glob("x")
        };
        assert_eq!(names(&room.desk.pattern_examples(&field, 9).unwrap().matches), ["contract.md"]);

        let request = question("c0", "fil_0", "draft-1.md");
        let id = asked(&room, &request).id;
        let decide =
            |pattern| room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Pattern(pattern))).unwrap();
        let unbounded = Pattern { names: None, ..glob("x") };
        let other_tool = Pattern { tool: "shell".to_owned(), ..glob("*") };
        for wrong in [unbounded, other_tool, glob("contract*")] {
            assert_eq!(decide(wrong).unwrap_err().class, DeskRefusalClass::Invalid);
        }
        decide(glob("draft-*")).unwrap();
        let later = |call: &str, targets: Vec<Target>| ApprovalRequest {
            run_id: "run-7".to_owned(),
            targets,
            ..question(call, "fil_8", "any")
        };
        let fits = later("d1", vec![target("fil_8", "draft-8.md")]);
        let any = room.desk.consume_any_approval(&ada(), &call(&fits)).unwrap().unwrap();
        assert_eq!(any.approval.id, id);
        let both = later("d2", vec![target("fil_8", "draft-8.md"), target("fil_9", "contract.md")]);
        let none = later("d3", vec![]);
        for wrong in [both, none] {
            assert_eq!(used(&room, &id, &wrong), Err(DeskRefusalClass::ApprovalMismatch));
        }
    }
}

#[test]
fn eight_threads_use_one_yes_once() {
    let room = file();
    let folder = room.folder.as_ref().unwrap().path().to_owned();
    for round in 0..10 {
        let request = Arc::new(question(&format!("c{round}"), "fil_1", "a.md"));
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
        let start = Arc::new(std::sync::Barrier::new(8));
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let (request, id, start) = (Arc::clone(&request), id.clone(), Arc::clone(&start));
                let desk = open(&folder, &room.clock, &format!("thread-{round}-{thread}")).unwrap();
                std::thread::spawn(move || {
                    start.wait();
                    desk.consume_approval(&ada(), &id, &call(&request))
                        .unwrap()
                        .map_err(|refusal| refusal.class)
                })
            })
            .collect();
        let outcomes: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1, "{outcomes:?}");
        let refused = Err(DeskRefusalClass::ApprovalConsumed);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == refused).count(), 7, "{outcomes:?}");
    }
    assert_eq!(room.desk.approvals(Some(ApprovalState::Consumed), None, 99).unwrap().len(), 10);
    assert_eq!(room.desk.approvals(None, None, 3).unwrap().len(), 3);
    assert_eq!(room.desk.approvals(None, Some("run-2"), 3).unwrap()[..], []);
}

#[test]
fn a_yes_that_was_used_is_none_for_a_call_of_the_same_name_in_another_turn_or_after_its_time() {
    for room in rooms() {
        let request = question("c1", "fil_1", "a.md");
        let id = asked(&room, &request).id;
        room.desk.decide_approval(&ada(), &id, &yes(ApprovalScope::Once)).unwrap().unwrap();
        assert!(used(&room, &id, &request).is_ok());
        let found_again =
            |request: &ApprovalRequest| room.desk.was_consumed_for(&ada(), &id, &call(request)).unwrap();
        assert!(found_again(&request), "by whoever goes on with the turn");
        let later = ApprovalRequest { call_id: "run-1.t0003".to_owned(), ..request.clone() };
        assert!(!found_again(&later));
        assert_eq!(used(&room, &id, &later), Err(DeskRefusalClass::ApprovalConsumed));
        let second = asked(&room, &later);
        assert!(second.id != id && second.state == ApprovalState::Pending, "it is asked again");
        room.clock.advance(1_000_000);
        assert!(!found_again(&request), "its time is over");
    }
}
