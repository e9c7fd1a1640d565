//! Proposals: every transition by table, and any order of them against a model.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod desk_room;

use desk_room::{Room, ada, at, file, member, memory, plan, rooms};
use premath_bd::desk::{DeskRefusalClass, PersonCredential, Proposal, ProposalState, StepState};
use proptest::prelude::*;

const LEASE: u32 = 30;

fn proposed(room: &Room, steps: usize) -> Proposal {
    room.desk.propose(&plan(steps), 900).unwrap().unwrap()
}

#[test]
fn a_proposal_waits_as_long_as_it_is_told_and_never_longer_than_a_quarter_of_an_hour() {
    for room in rooms() {
        for (told, waits) in [(60, 60), (0, 0), (900, 900), (86_400, 900), (u64::MAX, 900)] {
            let proposal = room.desk.propose(&plan(1), told).unwrap().unwrap();
            assert_eq!(proposal.expires_at, proposal.created_at.plus_seconds(waits), "{told}");
        }
    }
}

#[test]
fn what_a_step_would_do_is_part_of_the_digest_of_the_plan_and_kept_with_it() {
    let mut changed = plan(2);
    changed.steps[1].shown = "another".to_owned();
    assert_ne!(changed.args_digest(), plan(2).args_digest());
    let mut seen = plan(2);
    seen.steps[0].preview = Some("-old\n".to_owned());
    assert_ne!(seen.args_digest(), plan(2).args_digest());
    for room in rooms() {
        for draft in [&changed, &seen] {
            let proposal = room.desk.propose(draft, 900).unwrap().unwrap();
            let mut kept = room.desk.proposal(&proposal.id).unwrap().unwrap().draft;
            kept.steps.iter_mut().for_each(|step| step.id.clear());
            assert_eq!(&kept, draft);
        }
    }
}

/// A proposal of two steps in that state.
fn in_state(room: &Room, state: ProposalState) -> Proposal {
    let proposal = proposed(room, 2);
    let (id, digest) = (&proposal.id, &proposal.plan_digest);
    let approve = || room.desk.approve_proposal(&ada(), id, digest, None).unwrap().unwrap();
    let begin = || room.desk.begin_execution(&ada(), id, digest, "worker", LEASE).unwrap().unwrap().fence;
    let record = |fence, number, state| {
        room.desk.record_step(id, fence, number, state, "").unwrap().unwrap();
    };
    match state {
        ProposalState::Pending => {}
        ProposalState::Approved => drop(approve()),
        ProposalState::Rejected => drop(room.desk.reject_proposal(&ada(), id, None).unwrap().unwrap()),
        ProposalState::Expired => room.clock.advance(15 * 60),
        ProposalState::Executing => {
            approve();
            begin();
        }
        ProposalState::Executed | ProposalState::Failed => {
            approve();
            let fence = begin();
            record(fence, 1, StepState::Ok);
            let last = if state == ProposalState::Executed { StepState::Ok } else { StepState::Failed };
            record(fence, 2, last);
            room.desk.finish_execution(id, fence).unwrap().unwrap();
        }
    }
    let proposal = room.desk.proposal(id).unwrap().unwrap();
    assert_eq!(proposal.state, state);
    proposal
}

/// What becomes of every act in every state: the state it leads to, or the refusal.
/// Seed: 003 §1/13
#[test]
fn every_transition_is_in_the_table() {
    use ProposalState as S;
    const OK: &str = "";
    let table: [(S, [&str; 6]); 7] = [
        //             approve, reject, begin, renew, record, finish
        (
            S::Pending,
            [OK, OK, "proposal_pending", "proposal_pending", "proposal_pending", "proposal_pending"],
        ),
        (
            S::Approved,
            [
                "proposal_approved",
                "proposal_approved",
                OK,
                "proposal_approved",
                "proposal_approved",
                "proposal_approved",
            ],
        ),
        (S::Executing, ["proposal_in_flight", "proposal_in_flight", "proposal_in_flight", OK, OK, OK]),
        (S::Executed, ["proposal_executed"; 6]),
        (S::Failed, ["proposal_failed"; 6]),
        (S::Rejected, ["proposal_rejected"; 6]),
        (S::Expired, ["proposal_expired"; 6]),
    ];
    for (state, row) in table {
        for (act, expected) in row.into_iter().enumerate() {
            let room = memory();
            let proposal = in_state(&room, state);
            let (id, digest, fence) = (&proposal.id, &proposal.plan_digest, proposal.fence);
            let outcome = match act {
                0 => room.desk.approve_proposal(&ada(), id, digest, None).unwrap().map(drop),
                1 => room.desk.reject_proposal(&ada(), id, None).unwrap().map(drop),
                2 => room.desk.begin_execution(&ada(), id, digest, "worker", LEASE).unwrap().map(drop),
                3 => room.desk.renew_execution(id, fence, LEASE).unwrap(),
                4 => room.desk.record_step(id, fence, 1, StepState::Ok, "").unwrap().map(drop),
                _ => room.desk.finish_execution(id, fence).unwrap().map(drop),
            };
            let code = outcome.err().map_or(OK, |refusal| refusal.class.code());
            assert_eq!(code, expected, "{state:?}, act {act}");
            if !expected.is_empty() {
                let after = room.desk.proposal(id).unwrap().unwrap();
                assert_eq!(after, proposal, "{state:?}, act {act}: a refused act changed something");
            }
        }
    }
    let room = memory();
    for missing in [
        room.desk.approve_proposal(&ada(), "prp_none", "x", None).unwrap().map(drop),
        room.desk.finish_execution("prp_none", 1).unwrap().map(drop),
    ] {
        assert_eq!(missing.unwrap_err().class, DeskRefusalClass::NotFound);
    }
}

#[test]
fn a_plan_that_expired_between_yes_and_beginning_does_not_run() {
    for room in rooms() {
        let proposal = in_state(&room, ProposalState::Approved);
        room.clock.advance(15 * 60);
        let begun =
            room.desk.begin_execution(&ada(), &proposal.id, &proposal.plan_digest, "worker", LEASE).unwrap();
        assert_eq!(begun.unwrap_err().class.code(), "proposal_expired");
        room.clock.set(at(0));
        assert_eq!(room.desk.proposal(&proposal.id).unwrap().unwrap().state, ProposalState::Expired);
        assert_eq!(room.desk.proposals(Some(ProposalState::Expired), None, 9).unwrap().len(), 1);
        assert_eq!(room.desk.proposals(Some(ProposalState::Pending), Some("run-1"), 9).unwrap().len(), 0);
    }
}

#[test]
fn whoever_knows_to_be_alone_need_not_wait_for_a_lease() {
    for room in rooms() {
        let proposal = proposed(&room, 2);
        let (id, digest) = (&proposal.id, &proposal.plan_digest);
        let alone = |owner: &str, digest: &str| {
            let begun = room.desk.begin_execution_alone(&ada(), id, digest, owner, LEASE).unwrap();
            begun.map_err(|refusal| refusal.class.code())
        };
        assert_eq!(alone("one", digest).unwrap_err(), "proposal_pending", "alone is not approved");
        room.desk.approve_proposal(&ada(), id, digest, None).unwrap().unwrap();
        assert_eq!(alone("one", "pln1_other").unwrap_err(), "proposal_digest_mismatch");
        assert_eq!(alone("one", digest).unwrap().fence, 1);
        room.desk.record_step(id, 1, 1, StepState::Ok, "").unwrap().unwrap();
        let second = alone("two", digest).unwrap();
        assert_eq!((second.fence, second.next_step), (2, 2));
        assert!(room.desk.record_step(id, 1, 2, StepState::Ok, "").unwrap().is_err(), "the first is out");
        room.desk.record_step(id, 2, 2, StepState::Ok, "").unwrap().unwrap();
        assert_eq!(room.desk.finish_execution(id, 2).unwrap().unwrap().state, ProposalState::Executed);
        assert_eq!(alone("three", digest).unwrap_err(), "proposal_executed");
    }
}

#[test]
fn a_crash_in_the_middle_is_taken_over_behind_the_last_step() {
    for room in rooms() {
        let proposal = proposed(&room, 3);
        let (id, digest) = (&proposal.id, &proposal.plan_digest);
        room.desk.approve_proposal(&ada(), id, digest, Some("go")).unwrap().unwrap();
        let begin = |owner: &str| room.desk.begin_execution(&ada(), id, digest, owner, LEASE).unwrap();
        let first = begin("one").unwrap();
        assert_eq!((first.fence, first.next_step), (1, 1));
        let record = |fence, number, state| room.desk.record_step(id, fence, number, state, "done").unwrap();
        record(1, 1, StepState::Ok).unwrap();
        let out_of_order = record(1, 3, StepState::Ok).unwrap_err();
        assert_eq!(out_of_order.class.code(), "proposal_state_changed");
        assert_eq!(begin("two").unwrap_err().class.code(), "proposal_in_flight");

        // The first one is gone; its lease runs out, long after the proposal itself would have expired.
        room.clock.advance(3600);
        let second = begin("two").unwrap();
        assert_eq!((second.fence, second.next_step), (2, 2));
        assert_eq!(second.proposal.results.len(), 1);
        // It was not gone after all, and is told so.
        assert_eq!(record(1, 2, StepState::Ok).unwrap_err().class.code(), "proposal_state_changed");
        assert!(room.desk.renew_execution(id, 1, LEASE).unwrap().is_err());
        assert!(room.desk.finish_execution(id, 1).unwrap().is_err());
        record(2, 2, StepState::Failed).unwrap();
        assert!(record(2, 2, StepState::Compensated).is_err(), "what failed needs no compensation");
        record(2, 1, StepState::Compensated).unwrap();
        assert!(record(2, 1, StepState::Compensated).is_err(), "twice");
        let done = room.desk.finish_execution(id, 2).unwrap().unwrap();
        assert_eq!(done.state, ProposalState::Failed);
        let results: Vec<_> = done.results.iter().map(|result| (result.number, result.state)).collect();
        let expected = [
            (1, StepState::Ok),
            (2, StepState::Failed),
            (1, StepState::Compensated),
            (3, StepState::Skipped),
        ];
        assert_eq!(results, expected);
        let effects: Vec<_> = room.told().iter().map(|row| member(row, "effect").to_owned()).collect();
        let expected = ["proposed", "approved", "executing", "step", "executing", "step", "step", "failed"];
        assert_eq!(effects, expected);
    }
}

fn tampered(room: &Room, statement: &str) {
    let path = room.folder.as_ref().unwrap().path().join("desk.db");
    assert_eq!(rusqlite::Connection::open(path).unwrap().execute(statement, []).unwrap(), 1, "{statement}");
}

#[test]
fn what_is_shown_is_what_runs() {
    let room = file();
    let proposal = proposed(&room, 2);
    assert!(room.desk.approve_proposal(&ada(), &proposal.id, "pln1_other", None).unwrap().is_err());
    for (statement, code) in [
        ("UPDATE proposals SET steps = replace(steps, 'fil_1', 'fil_9')", "proposal_digest_mismatch"),
        ("UPDATE proposals SET goal = 'something else'", "proposal_digest_mismatch"),
        ("UPDATE proposals SET signature = NULL", "proposal_unsigned"),
        ("UPDATE proposals SET expires_at = expires_at + 1", "proposal_unsigned"),
        ("UPDATE proposals SET decided_by = 'bob'", "proposal_unsigned"),
    ] {
        let room = file();
        let proposal = in_state(&room, ProposalState::Approved);
        tampered(&room, statement);
        let begun =
            room.desk.begin_execution(&ada(), &proposal.id, &proposal.plan_digest, "w", LEASE).unwrap();
        assert_eq!(begun.unwrap_err().class.code(), code, "{statement}");
    }
    let room = file();
    let rejected = in_state(&room, ProposalState::Rejected);
    tampered(&room, "UPDATE proposals SET state = 'approved'");
    let begun = room.desk.begin_execution(&ada(), &rejected.id, &rejected.plan_digest, "w", LEASE).unwrap();
    assert_eq!(begun.unwrap_err().class, DeskRefusalClass::ProposalUnsigned, "a signed no is no yes");
    let approved = in_state(&room, ProposalState::Approved);
    let other = PersonCredential::new("ada".to_owned(), [1; 32]);
    let begun = room.desk.begin_execution(&other, &approved.id, &approved.plan_digest, "w", LEASE).unwrap();
    assert_eq!(begun.unwrap_err().class, DeskRefusalClass::ProposalUnsigned);
    assert!(room.desk.propose(&plan(0), 900).unwrap().is_err());
    let steps = approved.draft.steps;
    assert!(steps.iter().all(|step| step.id.starts_with("stp_") && step.id.len() == 16));
    assert_ne!(steps[0].id, steps[1].id);
}

/// The machine as a person would describe it.
#[derive(Debug, Clone)]
struct Model {
    state: ProposalState,
    steps: Vec<Option<StepState>>,
    fence: u64,
    lease_end: i64,
}

#[derive(Debug, Clone)]
enum Act {
    Approve,
    Reject,
    Begin,
    Renew(u64),
    Record(u64, usize, StepState),
    Finish(u64),
    Wait(i64),
}

fn act() -> impl Strategy<Value = Act> {
    let state = prop_oneof![
        4 => Just(StepState::Ok),
        1 => Just(StepState::Failed),
        1 => Just(StepState::Skipped),
        1 => Just(StepState::Compensated),
    ];
    prop_oneof![
        3 => Just(Act::Approve),
        1 => Just(Act::Reject),
        4 => Just(Act::Begin),
        1 => (0..4_u64).prop_map(Act::Renew),
        8 => (0..4_u64, 0..5_usize, state).prop_map(|(fence, step, state)| Act::Record(fence, step, state)),
        1 => (0..4_u64).prop_map(Act::Finish),
        2 => prop_oneof![Just(1_i64), Just(31), Just(600), Just(900)].prop_map(Act::Wait),
    ]
}

impl Model {
    /// Whether the act goes through, and what it makes of the machine.
    fn takes(&mut self, act: &Act, now: i64) -> bool {
        use ProposalState as S;
        if matches!(self.state, S::Pending | S::Approved) && now >= 900 {
            self.state = S::Expired;
        }
        let holds = |fence: u64| self.state == S::Executing && fence == self.fence;
        match act {
            Act::Wait(_) => true,
            Act::Approve | Act::Reject if self.state == S::Pending => {
                self.state = if matches!(act, Act::Approve) { S::Approved } else { S::Rejected };
                true
            }
            Act::Begin
                if self.state == S::Approved || (self.state == S::Executing && now >= self.lease_end) =>
            {
                self.state = S::Executing;
                self.fence += 1;
                self.lease_end = now + i64::from(LEASE);
                true
            }
            Act::Renew(fence) if holds(*fence) => {
                self.lease_end = now + i64::from(LEASE);
                true
            }
            Act::Record(fence, step, state) if holds(*fence) => {
                let next = self.steps.iter().take_while(|step| step.is_some()).count() + 1;
                let fits = match state {
                    StepState::Compensated => {
                        *step > 0 && self.steps.get(step - 1).copied().flatten() == Some(StepState::Ok)
                    }
                    StepState::Ok | StepState::Failed | StepState::Skipped => {
                        *step == next && *step <= self.steps.len()
                    }
                };
                if fits {
                    self.steps[step - 1] = Some(*state);
                }
                fits
            }
            Act::Finish(fence) if holds(*fence) => {
                let all_ok = self.steps.iter().all(|step| *step == Some(StepState::Ok));
                self.state = if all_ok { S::Executed } else { S::Failed };
                self.steps.iter_mut().for_each(|step| *step = step.or(Some(StepState::Skipped)));
                true
            }
            Act::Approve | Act::Reject | Act::Begin | Act::Renew(_) | Act::Record(..) | Act::Finish(_) => {
                false
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_acts_does_what_the_model_does(acts in prop::collection::vec(act(), 1..40)) {
        let room = memory();
        let proposal = proposed(&room, 3);
        let (id, digest) = (&proposal.id, &proposal.plan_digest);
        let mut model =
            Model { state: ProposalState::Pending, steps: vec![None; 3], fence: 0, lease_end: 0 };
        let mut now = 0;
        for act in acts {
            let went = match &act {
                Act::Wait(seconds) => {
                    now += seconds;
                    room.clock.set(at(now));
                    true
                }
                Act::Approve => room.desk.approve_proposal(&ada(), id, digest, None).unwrap().is_ok(),
                Act::Reject => room.desk.reject_proposal(&ada(), id, None).unwrap().is_ok(),
                Act::Begin => room.desk.begin_execution(&ada(), id, digest, "w", LEASE).unwrap().is_ok(),
                Act::Renew(fence) => room.desk.renew_execution(id, *fence, LEASE).unwrap().is_ok(),
                Act::Record(fence, step, state) => {
                    room.desk.record_step(id, *fence, *step, *state, "").unwrap().is_ok()
                }
                Act::Finish(fence) => room.desk.finish_execution(id, *fence).unwrap().is_ok(),
            };
            prop_assert_eq!(went, model.takes(&act, now), "{:?} in {:?}", act, model);
            let found = room.desk.proposal(id).unwrap().unwrap();
            prop_assert_eq!(found.state, model.state);
            prop_assert_eq!(found.fence, model.fence);
            let last = |number: usize| {
                found.results.iter().rev().find(|result| result.number == number).map(|result| result.state)
            };
            let steps: Vec<_> = (1..=3).map(last).collect();
            prop_assert_eq!(&steps, &model.steps);
        }
    }
}
