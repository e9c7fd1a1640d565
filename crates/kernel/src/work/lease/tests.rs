//! Facts about leases, one call at a time. What follows for several claimants is in `tests/lease_model.rs`.

use std::string::{String, ToString as _};
use std::vec::Vec;

use super::{
    Claim, DEFAULT_TTL_SECONDS, HolderProof, Holding, Lease, LeaseClass, LeaseState, MAX_TTL_SECONDS,
    MIN_TTL_SECONDS, NO_FENCE, Override, authorise_write, claim, is_claimable, lease_state, release, renew,
};
use crate::work::{Moment, Status};

const STATUSES: [Status; 6] =
    [Status::Open, Status::InProgress, Status::Blocked, Status::Closed, Status::Deleted, Status::Other];

fn at(seconds: i64) -> Moment {
    Moment::new(seconds, 0).unwrap()
}

/// Held by alice from 0 to 100 under fence 7.
fn lease() -> Lease {
    Lease {
        lease_id: String::from("lease1_bd-1_alice"),
        owner: String::from("alice"),
        acquired_at: at(0),
        expires_at: at(100),
        renewed_at: None,
        fence: 7,
    }
}

fn holding(lease: Option<&Lease>) -> Holding<'_> {
    let last_fence = lease.map_or(0, |lease| lease.fence);
    Holding { issue_id: "bd-1", status: Status::Open, held_back: false, lease, last_fence, assignee: None }
}

fn by(assignee: &str) -> Claim<'_> {
    Claim {
        assignee,
        lease_id: None,
        ttl_seconds: DEFAULT_TTL_SECONDS,
        expires_at: None,
        blocked: Override::None,
    }
}

const ALICE: HolderProof<'_> = HolderProof { owner: Some("alice"), lease_id: None, fence: Some(7) };

fn claim_class(holding: &Holding<'_>, wish: &Claim<'_>, now: i64) -> LeaseClass {
    claim(holding, wish, at(now)).unwrap_err().class
}

#[test]
fn a_free_issue_is_leased_for_the_time_asked() {
    let given = claim(&holding(None), &Claim { ttl_seconds: 60, ..by(" alice ") }, at(5)).unwrap();
    assert_eq!(
        given,
        Lease {
            lease_id: String::from("lease1_bd-1_alice"),
            owner: String::from("alice"),
            acquired_at: at(5),
            expires_at: at(65),
            renewed_at: None,
            fence: 1,
        }
    );
}

#[test]
fn a_lease_is_called_as_asked_else_after_issue_and_assignee_in_plain_characters() {
    let named = |issue_id, assignee, lease_id| {
        let holding = Holding { issue_id, ..holding(None) };
        claim(&holding, &Claim { lease_id, ..by(assignee) }, at(0)).unwrap().lease_id
    };
    assert_eq!(named("bd-1", "alice", Some(" mine ")), "mine");
    assert_eq!(named("bd-1", "alice", Some("  ")), "lease1_bd-1_alice");
    assert_eq!(named("a/b:1.2", "Zoë K_9", None), "lease1_a-b-1.2_Zo--K_9");
}

#[test]
fn a_blank_assignee_is_refused() {
    assert_eq!(claim_class(&holding(None), &by(" \t"), 0), LeaseClass::InvalidAssignee);
}

#[test]
fn a_time_to_live_is_within_its_bounds() {
    for (ttl_seconds, is_possible) in [
        (0, false),
        (MIN_TTL_SECONDS - 1, false),
        (MIN_TTL_SECONDS, true),
        (MAX_TTL_SECONDS, true),
        (MAX_TTL_SECONDS + 1, false),
        (u64::MAX, false),
    ] {
        let given = claim(&holding(None), &Claim { ttl_seconds, ..by("alice") }, at(0));
        let renewed = renew(&holding(Some(&lease())), &ALICE, ttl_seconds, at(1));
        for answer in [given, renewed] {
            let refused = answer.err().map(|refusal| refusal.class);
            assert_eq!(refused, (!is_possible).then_some(LeaseClass::InvalidTtl), "{ttl_seconds}");
        }
    }
}

#[test]
fn a_given_end_replaces_the_time_to_live_within_the_same_bounds() {
    for (end, is_possible) in
        [(-1, false), (1_029, false), (1_030, true), (87_400, true), (87_401, false), (i64::MAX, false)]
    {
        let wish = Claim { expires_at: Some(at(end)), ..by("alice") };
        match claim(&holding(None), &wish, at(1_000)) {
            Ok(lease) => assert!(is_possible && lease.expires_at == at(end), "{end}"),
            Err(refusal) => {
                assert!(!is_possible && refusal.class == LeaseClass::InvalidExpiresAt, "{end}");
            }
        }
    }
}

#[test]
fn no_lease_is_given_at_the_end_of_time() {
    assert_eq!(claim_class(&holding(None), &by("alice"), i64::MAX), LeaseClass::InvalidExpiresAt);
}

#[test]
fn what_is_closed_is_refused_even_by_force() {
    let closed = Holding { status: Status::Closed, ..holding(None) };
    let forced = Claim { blocked: Override::Forced { reason: "must" }, ..by("alice") };
    assert_eq!(claim_class(&closed, &forced, 0), LeaseClass::IssueClosed);
}

#[test]
fn what_is_blocked_is_leased_only_by_force_with_a_reason() {
    let blocked = [
        Holding { status: Status::Blocked, ..holding(None) },
        Holding { status: Status::Other, ..holding(None) },
        Holding { held_back: true, ..holding(None) },
        Holding { held_back: true, status: Status::InProgress, ..holding(None) },
    ];
    for holding in blocked {
        assert_eq!(claim_class(&holding, &by("alice"), 0), LeaseClass::IssueBlocked);
        let blank = Claim { blocked: Override::Forced { reason: " " }, ..by("alice") };
        assert_eq!(claim_class(&holding, &blank, 0), LeaseClass::IssueBlocked);
        let forced = Claim { blocked: Override::Forced { reason: "urgent" }, ..by("alice") };
        assert!(claim(&holding, &forced, at(0)).is_ok());
    }
}

#[test]
fn an_active_lease_keeps_others_out_until_it_ends() {
    let lease = lease();
    let holding = holding(Some(&lease));
    let refusal = claim(&holding, &by("bob"), at(99)).unwrap_err();
    assert_eq!(refusal.class, LeaseClass::ContentionActive);
    assert_eq!(
        refusal.to_string(),
        "lease_contention_active: issue `bd-1` is held by `alice` under lease `lease1_bd-1_alice` for another 1 seconds"
    );
    assert_eq!(claim(&holding, &by("bob"), at(100)).unwrap().fence, 8);
}

#[test]
fn force_does_not_take_an_active_lease() {
    let lease = lease();
    let forced = Claim { blocked: Override::Forced { reason: "must" }, ..by("bob") };
    assert_eq!(claim_class(&holding(Some(&lease)), &forced, 99), LeaseClass::ContentionActive);
}

#[test]
fn the_same_claim_again_raises_the_fence_and_another_id_of_the_owner_contends() {
    let lease = lease();
    let holding = holding(Some(&lease));
    let again = claim(&holding, &by("alice"), at(50)).unwrap();
    assert_eq!((again.fence, again.acquired_at, again.expires_at), (8, at(50), at(50 + 3_600)));
    let other_id = Claim { lease_id: Some("other"), ..by("alice") };
    assert_eq!(claim_class(&holding, &other_id, 50), LeaseClass::ContentionActive);
    let same_id = Claim { lease_id: Some("lease1_bd-1_alice"), ..by("bob") };
    assert_eq!(claim_class(&holding, &same_id, 50), LeaseClass::ContentionActive);
}

#[test]
fn a_fence_is_above_every_one_known_from_row_or_store() {
    let lease = lease();
    for (last_fence, next) in [(0, 8), (7, 8), (41, 42)] {
        let holding = Holding { last_fence, ..holding(Some(&lease)) };
        assert_eq!(claim(&holding, &by("bob"), at(200)).unwrap().fence, next);
    }
    let released = Holding { last_fence: 9, ..holding(None) };
    assert_eq!(claim(&released, &by("bob"), at(200)).unwrap().fence, 10);
}

#[test]
fn no_fence_is_given_that_a_reader_of_json_could_not_keep() {
    let most = (1 << 53) - 1;
    let nearly = Holding { last_fence: most - 1, ..holding(None) };
    assert_eq!(claim(&nearly, &by("bob"), at(0)).unwrap().fence, most);
    for last_fence in [most, u64::MAX] {
        let spent = Holding { last_fence, ..holding(None) };
        assert_eq!(claim_class(&spent, &by("bob"), 0), LeaseClass::Stale);
    }
}

#[test]
fn a_claim_names_the_first_rule_it_breaks() {
    let lease = lease();
    let mut holding = Holding { status: Status::Closed, held_back: true, ..holding(Some(&lease)) };
    let mut wish = Claim { ttl_seconds: 1, expires_at: Some(at(0)), ..by("") };
    let mut classes = Vec::from([claim_class(&holding, &wish, 50)]);
    wish.assignee = "bob";
    classes.push(claim_class(&holding, &wish, 50));
    wish.ttl_seconds = 30;
    classes.push(claim_class(&holding, &wish, 50));
    wish.expires_at = None;
    classes.push(claim_class(&holding, &wish, 50));
    holding.status = Status::Open;
    classes.push(claim_class(&holding, &wish, 50));
    holding.held_back = false;
    classes.push(claim_class(&holding, &wish, 50));
    assert_eq!(
        classes,
        [
            LeaseClass::InvalidAssignee,
            LeaseClass::InvalidTtl,
            LeaseClass::InvalidExpiresAt,
            LeaseClass::IssueClosed,
            LeaseClass::IssueBlocked,
            LeaseClass::ContentionActive,
        ]
    );
}

#[test]
fn claim_next_takes_open_free_issues_and_those_whose_worker_let_its_lease_run_out() {
    let lease = lease();
    let claimable = |lease, now| {
        STATUSES.map(|status| is_claimable(&Holding { status, ..holding(lease) }, "bob", at(now)))
    };
    assert_eq!(claimable(None, 50), [true, false, false, false, false, false]);
    assert_eq!(claimable(Some(&lease), 99), [false; 6]);
    assert_eq!(claimable(Some(&lease), 100), [true, true, false, false, false, false]);
    let held_back = |status| Holding { status, held_back: true, ..holding(Some(&lease)) };
    assert!(STATUSES.into_iter().all(|status| !is_claimable(&held_back(status), "bob", at(100))));
}

#[test]
fn claim_next_skips_an_issue_that_is_assigned_to_somebody_else() {
    let lease = lease();
    let open_to = |assignee, lease, claimant| {
        is_claimable(&Holding { assignee: Some(assignee), ..holding(lease) }, claimant, at(100))
    };
    assert!(!open_to("carol", None, "bob"));
    assert!(open_to("carol", None, " carol "));
    assert!(open_to("  ", None, "bob"));
    // Alice's lease ran out: that she is named is a trace of it. Carol was named by somebody.
    assert!(open_to("alice", Some(&lease), "bob"));
    assert!(!open_to("carol", Some(&lease), "bob"));
}

#[test]
fn what_claim_next_takes_a_claim_is_given() {
    let lease = lease();
    for status in STATUSES {
        for held_back in [false, true] {
            for (lease, now) in [(None, 50), (Some(&lease), 50), (Some(&lease), 100)] {
                let holding = Holding { status, held_back, ..holding(lease) };
                if is_claimable(&holding, "bob", at(now)) {
                    assert!(claim(&holding, &by("bob"), at(now)).is_ok(), "{holding:?}");
                }
            }
        }
    }
}

#[test]
fn a_renewed_lease_lasts_longer_and_is_otherwise_the_same() {
    let lease = lease();
    let renewed = renew(&holding(Some(&lease)), &ALICE, 60, at(90)).unwrap();
    assert_eq!(renewed, Lease { expires_at: at(150), renewed_at: Some(at(90)), ..lease.clone() });
    let not_shorter = renew(&holding(Some(&lease)), &ALICE, 30, at(10)).unwrap();
    assert_eq!(not_shorter.expires_at, at(100));
}

/// The class of each of renew, release and write; none where it is accepted.
fn holder_classes(holding: &Holding<'_>, proof: &HolderProof<'_>, now: i64) -> [Option<LeaseClass>; 3] {
    [
        renew(holding, proof, 60, at(now)).err(),
        release(holding, proof, at(now)).err(),
        authorise_write(holding, proof, at(now)).err(),
    ]
    .map(|refusal| refusal.map(|refusal| refusal.class))
}

#[test]
fn a_holder_is_known_by_owner_or_id() {
    let lease = lease();
    let holding = holding(Some(&lease));
    let by_id = HolderProof { owner: None, lease_id: Some(" lease1_bd-1_alice "), fence: Some(7) };
    let by_both = HolderProof { owner: Some("alice "), ..by_id };
    for proof in [ALICE, by_id, by_both] {
        assert_eq!(holder_classes(&holding, &proof, 50), [None; 3]);
    }
    let nobody = HolderProof { owner: Some(" "), lease_id: None, fence: Some(7) };
    assert_eq!(holder_classes(&holding, &nobody, 50), [Some(LeaseClass::BindingAmbiguous); 3]);
}

#[test]
fn each_part_of_the_proof_that_is_given_must_be_right() {
    let lease = lease();
    let holding = holding(Some(&lease));
    let id = Some("lease1_bd-1_alice");
    for (proof, class) in [
        (HolderProof { owner: Some("bob"), lease_id: id, fence: Some(7) }, LeaseClass::OwnerMismatch),
        (HolderProof { owner: Some("bob"), lease_id: Some("x"), fence: Some(6) }, LeaseClass::OwnerMismatch),
        (HolderProof { lease_id: Some("x"), ..ALICE }, LeaseClass::IdMismatch),
        (HolderProof { lease_id: Some("x"), fence: Some(6), ..ALICE }, LeaseClass::IdMismatch),
        (HolderProof { fence: Some(6), ..ALICE }, LeaseClass::Stale),
        (HolderProof { fence: Some(8), ..ALICE }, LeaseClass::Stale),
    ] {
        assert_eq!(holder_classes(&holding, &proof, 50), [Some(class); 3], "{proof:?}");
    }
}

#[test]
fn only_a_write_must_name_its_fence() {
    let lease = lease();
    let unfenced = HolderProof { fence: None, ..ALICE };
    let holding = holding(Some(&lease));
    assert_eq!(holder_classes(&holding, &unfenced, 50), [None, None, Some(LeaseClass::Stale)]);
    let refusal = authorise_write(&holding, &unfenced, at(50)).unwrap_err();
    assert_eq!(refusal.to_string(), "lease_stale: a write by a holder names its fence, and none is given");
}

#[test]
fn a_lease_that_ran_out_can_only_be_given_back() {
    let lease = lease();
    let stale = Some(LeaseClass::Stale);
    assert_eq!(holder_classes(&holding(Some(&lease)), &ALICE, 99), [None; 3]);
    assert_eq!(holder_classes(&holding(Some(&lease)), &ALICE, 100), [stale, None, stale]);
}

#[test]
fn a_fence_below_the_newest_of_the_issue_is_stale_whatever_the_row_says() {
    let lease = lease();
    let newer = Holding { last_fence: 8, ..holding(Some(&lease)) };
    assert_eq!(holder_classes(&newer, &ALICE, 50), [Some(LeaseClass::Stale); 3]);
}

#[test]
fn without_a_lease_there_is_no_holder() {
    let closed = Holding { status: Status::Closed, ..holding(None) };
    for holding in [holding(None), closed] {
        assert_eq!(holder_classes(&holding, &ALICE, 50), [Some(LeaseClass::Missing); 3]);
    }
}

#[test]
fn a_lease_on_a_closed_issue_is_not_renewed() {
    let lease = lease();
    let closed = Holding { status: Status::Closed, ..holding(Some(&lease)) };
    let mallory = HolderProof { owner: Some("mallory"), ..ALICE };
    assert_eq!(renew(&closed, &mallory, 60, at(50)).unwrap_err().class, LeaseClass::IssueClosed);
}

#[test]
fn released_work_in_progress_is_open_again_and_any_other_status_stays() {
    let lease = lease();
    let next = STATUSES.map(|status| {
        release(&Holding { status, ..holding(Some(&lease)) }, &ALICE, at(50)).unwrap().next_status
    });
    let kept = [Status::Blocked, Status::Closed, Status::Deleted, Status::Other];
    assert_eq!(next.split_at(2), (&[Status::Open; 2][..], &kept[..]));
}

#[test]
fn a_lease_that_no_claim_could_give_is_invalid_and_carries_no_write() {
    let blank = || String::from(" ");
    for broken in [
        Lease { owner: blank(), ..lease() },
        Lease { lease_id: blank(), ..lease() },
        Lease { expires_at: at(0), ..lease() },
        Lease { acquired_at: at(100), ..lease() },
    ] {
        assert_eq!(lease_state(Some(&broken), at(50)), LeaseState::Invalid, "{broken:?}");
        let proof = HolderProof {
            owner: Some(&broken.owner),
            lease_id: Some(&broken.lease_id),
            fence: Some(broken.fence),
        };
        let refusal = authorise_write(&holding(Some(&broken)), &proof, at(50)).unwrap_err();
        let is_nameless = broken.owner.trim().is_empty() || broken.lease_id.trim().is_empty();
        assert!(refusal.class == LeaseClass::Stale || is_nameless, "{broken:?}");
    }
}

#[test]
fn a_lease_from_before_fences_is_renewed_by_its_owner_and_gets_a_fence() {
    let old = Lease { fence: NO_FENCE, ..lease() };
    let owner = HolderProof { owner: Some("alice"), lease_id: None, fence: None };
    assert_eq!(lease_state(Some(&old), at(50)), LeaseState::Active);
    let renewed = renew(&holding(Some(&old)), &owner, 60, at(90)).unwrap();
    assert_eq!(renewed, Lease { expires_at: at(150), renewed_at: Some(at(90)), fence: 1, ..old.clone() });
    // Above every fence that the issue ever had.
    let holding = Holding { last_fence: 4, ..holding(Some(&old)) };
    assert_eq!(renew(&holding, &owner, 60, at(90)).unwrap().fence, 5);
    let mallory = HolderProof { owner: Some("mallory"), ..owner };
    assert_eq!(renew(&holding, &mallory, 60, at(90)).unwrap_err().class, LeaseClass::OwnerMismatch);
}

#[test]
fn a_lease_from_before_fences_carries_no_write() {
    let old = Lease { fence: NO_FENCE, ..lease() };
    for fence in [None, Some(NO_FENCE), Some(7)] {
        let refusal =
            authorise_write(&holding(Some(&old)), &HolderProof { fence, ..ALICE }, at(50)).unwrap_err();
        assert_eq!(refusal.class, LeaseClass::Stale, "{fence:?}");
    }
}

#[test]
fn a_lease_is_active_before_its_end_and_expired_from_then_on() {
    let lease = lease();
    assert_eq!(lease_state(None, at(0)), LeaseState::Unleased);
    assert_eq!(lease_state(Some(&lease), at(99)), LeaseState::Active);
    assert_eq!(lease_state(Some(&lease), at(100)), LeaseState::Expired);
    assert_eq!(LeaseState::ALL.map(LeaseState::token), ["unleased", "active", "expired", "invalid"]);
}

#[test]
fn every_class_has_its_code_and_a_hint_of_one_line() {
    let codes: Vec<&str> = LeaseClass::ALL.iter().map(|class| class.code()).collect();
    assert_eq!(
        codes,
        [
            "lease_not_found",
            "lease_issue_closed",
            "lease_issue_blocked",
            "lease_contention_active",
            "lease_missing",
            "lease_stale",
            "lease_owner_mismatch",
            "lease_id_mismatch",
            "lease_invalid_ttl",
            "lease_invalid_assignee",
            "lease_invalid_expires_at",
            "lease_binding_ambiguous",
            "lease_store_busy",
        ]
    );
    for class in LeaseClass::ALL {
        assert!(!class.hint().is_empty() && !class.hint().contains('\n'), "{class}");
    }
}

#[test]
fn a_refusal_stays_on_one_line_and_short_whatever_the_names_are() {
    let long = Lease { owner: "o\n".repeat(500), ..lease() };
    let refusal = claim(&holding(Some(&long)), &by("bob"), at(50)).unwrap_err();
    assert!(!refusal.detail.contains('\n') && refusal.detail.chars().count() < 300, "{refusal}");
}
