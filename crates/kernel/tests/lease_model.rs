//! The lease rules under several claimants, checked by going through every state they can get into.
//!
//! One issue and one store that takes one call at a time. Each claimant has a clock of its own, which may be far behind
//! or ahead and may jump; it may also stop between looking at its clock and its call. What it believes to hold it
//! learnt from its own claims only, and it never forgets. Two of the three claimants go by the same name: the older
//! process of a worker that was started twice.
//!
//! A state keeps only what a rule can tell apart, so that there are finitely many. Times count from now, in steps of
//! the shortest lease; an end that lies behind every clock is as good as any other such end. Fences are only compared
//! with the newest one, so that a state says who believes to have it.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "three claimants and small numbers; an index out of range must fail the test"
)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use premath_kernel::{
    Claim, HolderProof, Holding, Lease, LeaseRefusal, LeaseState, MIN_TTL_SECONDS, Moment, Override,
    Released, Status, authorise_write, claim, lease_state, release, renew,
};

const ISSUE: &str = "bd-1";
const CLAIMANTS: usize = 3;
/// The name each claimant goes by, and the lease id that follows from it.
const NAMES: [&str; CLAIMANTS] = ["alice", "alice", "bob"];
const LEASE_IDS: [&str; CLAIMANTS] = ["lease1_bd-1_alice", "lease1_bd-1_alice", "lease1_bd-1_bob"];
/// The fence that stands for the newest one, and one that stands for all before it.
const NEWEST: u64 = 10;
const OLDER: u64 = 9;

/// What the claimants may meet with. Times in steps.
#[derive(Debug, Clone, Copy)]
struct World {
    /// What a clock may be off by.
    skews: &'static [i32],
    /// How long a lease may be asked for.
    ttls: &'static [i32],
    /// How much time may pass at once.
    passes: &'static [i32],
    /// For how long a claimant may stop between its clock and its call.
    longest_pause: i32,
    /// How many actions to go; none for all there are.
    depth: Option<u32>,
}

impl World {
    fn skew_bounds(&self) -> (i32, i32) {
        (*self.skews.iter().min().unwrap(), *self.skews.iter().max().unwrap())
    }

    /// The earliest moment any call can take for now.
    fn earliest_now(&self) -> i32 {
        self.skew_bounds().0 - self.longest_pause
    }

    /// After this time without a call, every lease has ended on every clock.
    fn longest_wait(&self) -> i32 {
        let (behind, ahead) = self.skew_bounds();
        ahead - behind + self.ttls.iter().max().unwrap()
    }
}

/// The fence a claimant was last given, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Belief {
    Nothing,
    Older,
    Newest,
}

impl Belief {
    fn fence(self) -> Option<u64> {
        match self {
            Self::Nothing => None,
            Self::Older => Some(OLDER),
            Self::Newest => Some(NEWEST),
        }
    }
}

/// The lease on the store: whose it is, and how far away its end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    name: usize,
    end: i32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    held: Option<Held>,
    beliefs: [Belief; CLAIMANTS],
    skews: [i32; CLAIMANTS],
    /// Who stopped before its call, and what it took for now.
    paused: Option<(usize, i32)>,
    /// Who was given the newest fence. Only the properties look at it.
    acquirer: Option<usize>,
}

/// What can happen next. Holders name their fence or not (`is_fenced`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Claim { who: usize, ttl: i32 },
    Renew { who: usize, ttl: i32, is_fenced: bool },
    Release { who: usize, is_fenced: bool },
    Write { who: usize },
    Jump { who: usize, skew: i32 },
    Pause { who: usize },
    Pass { steps: i32 },
}

impl Action {
    fn all(world: &World) -> Vec<Self> {
        let mut all: Vec<Self> = world.passes.iter().map(|steps| Self::Pass { steps: *steps }).collect();
        for who in 0..CLAIMANTS {
            for ttl in world.ttls.iter().copied() {
                all.push(Self::Claim { who, ttl });
                all.extend([true, false].map(|is_fenced| Self::Renew { who, ttl, is_fenced }));
            }
            all.extend([true, false].map(|is_fenced| Self::Release { who, is_fenced }));
            all.extend([Self::Write { who }, Self::Pause { who }]);
            all.extend(world.skews.iter().map(|skew| Self::Jump { who, skew: *skew }));
        }
        all
    }
}

type ClaimRule = fn(&Holding<'_>, &Claim<'_>, Moment) -> Result<Lease, LeaseRefusal>;
type RenewRule = fn(&Holding<'_>, &HolderProof<'_>, u64, Moment) -> Result<Lease, LeaseRefusal>;
type ReleaseRule = fn(&Holding<'_>, &HolderProof<'_>, Moment) -> Result<Released, LeaseRefusal>;
type WriteRule = fn(&Holding<'_>, &HolderProof<'_>, Moment) -> Result<(), LeaseRefusal>;

/// The rules under test, one by one, so that each can be broken.
#[derive(Debug, Clone, Copy)]
struct Rules {
    claim: ClaimRule,
    renew: RenewRule,
    release: ReleaseRule,
    write: WriteRule,
    /// Whether a claimant takes the fence of a lease it renewed for its own.
    renewal_teaches: bool,
}

const OURS: Rules = Rules { claim, renew, release, write: authorise_write, renewal_teaches: false };

type Broken = &'static str;

const FENCE_ROSE: Broken = "every acquisition raises the fence";
const NOT_ROBBED: Broken = "a lease that is active on the claimant's clock is not taken from another";
const LEASE_SOUND: Broken = "a lease that is given is active on the clock it was asked on";
const RENEWED_LONGER: Broken = "a renewal keeps the lease and never shortens it";
const RELEASED_OWN: Broken = "a release gives up a lease of its own name, and with a fence one's own";
const WRITE_NEWEST: Broken = "a write is by the last who acquired, under the newest fence";
const ONE_HOLDER: Broken = "at most one claimant is accepted as the holder, whatever the clocks say";
const NOT_WEDGED: Broken = "after a bounded time anybody may claim";

/// The moment that lies `steps` away from now.
fn moment(steps: i32) -> Moment {
    Moment::new(1_000_000_000, 0).unwrap().plus_seconds(i64::from(steps) * MIN_TTL_SECONDS.cast_signed())
}

fn steps_to(moment_then: Moment) -> i32 {
    let seconds = moment_then.seconds() - moment(0).seconds();
    i32::try_from(seconds / MIN_TTL_SECONDS.cast_signed()).unwrap()
}

fn seconds(ttl: i32) -> u64 {
    u64::try_from(ttl).unwrap() * MIN_TTL_SECONDS
}

impl State {
    fn first() -> Self {
        Self {
            held: None,
            beliefs: [Belief::Nothing; CLAIMANTS],
            skews: [0; CLAIMANTS],
            paused: None,
            acquirer: None,
        }
    }

    /// The lease as the store would have it.
    fn lease(&self) -> Option<Lease> {
        self.held.map(|held| Lease {
            lease_id: LEASE_IDS[held.name].to_owned(),
            owner: NAMES[held.name].to_owned(),
            acquired_at: moment(held.end - 1),
            expires_at: moment(held.end),
            renewed_at: None,
            fence: NEWEST,
        })
    }

    fn proof(&self, who: usize, is_fenced: bool) -> HolderProof<'static> {
        let fence = self.beliefs[who].fence().filter(|_| is_fenced);
        HolderProof { owner: Some(NAMES[who]), lease_id: Some(LEASE_IDS[who]), fence }
    }

    /// What the claimant takes for now. A claimant that stopped acts on what it saw before, once.
    fn look_at_clock(&mut self, who: usize) -> i32 {
        match self.paused {
            Some((paused, now)) if paused == who => {
                self.paused = None;
                now
            }
            _ => self.skews[who],
        }
    }

    fn acquire(&mut self, who: usize, end: i32) {
        for belief in &mut self.beliefs {
            *belief = (*belief).min(Belief::Older);
        }
        self.beliefs[who] = Belief::Newest;
        self.acquirer = Some(who);
        self.hold(who, end);
    }

    fn hold(&mut self, who: usize, end: i32) {
        let name = NAMES.iter().position(|name| *name == NAMES[who]).unwrap();
        self.held = Some(Held { name, end });
    }

    fn pass(&mut self, steps: i32, world: &World) {
        let earliest = world.earliest_now();
        if let Some(held) = &mut self.held {
            held.end = (held.end - steps).max(earliest);
        }
        self.paused = self.paused.map(|(who, now)| (who, now - steps)).filter(|(_, now)| *now >= earliest);
    }
}

/// The store's view of the state, for as long as `use_it` looks at it.
fn with_holding<T>(state: &State, use_it: impl FnOnce(&Holding<'_>) -> T) -> T {
    let lease = state.lease();
    let status = if lease.is_some() { Status::InProgress } else { Status::Open };
    use_it(&Holding {
        issue_id: ISSUE,
        status,
        held_back: false,
        lease: lease.as_ref(),
        last_fence: NEWEST,
        assignee: None,
    })
}

fn wish(who: usize, ttl: i32) -> Claim<'static> {
    Claim {
        assignee: NAMES[who],
        lease_id: None,
        ttl_seconds: seconds(ttl),
        expires_at: None,
        blocked: Override::None,
    }
}

/// The state behind an action; none where the store refuses it; a property that it broke.
fn step(state: &State, action: Action, world: &World, rules: &Rules) -> Result<Option<State>, Broken> {
    let mut next = *state;
    match action {
        Action::Claim { who, ttl } => return claims(next, who, ttl, rules),
        Action::Renew { who, ttl, is_fenced } => return renews(next, who, ttl, is_fenced, rules),
        Action::Release { who, is_fenced } => return releases(next, who, is_fenced, rules),
        Action::Write { who } => {
            let now = next.look_at_clock(who);
            let proof = state.proof(who, true);
            if with_holding(state, |holding| (rules.write)(holding, &proof, moment(now))).is_err() {
                return Ok(None);
            }
            require(state.acquirer == Some(who) && state.beliefs[who] == Belief::Newest, WRITE_NEWEST)?;
        }
        Action::Jump { who, skew } => next.skews[who] = skew,
        Action::Pause { who } => next.paused = Some((who, state.skews[who])),
        Action::Pass { steps } => next.pass(steps, world),
    }
    Ok(Some(next))
}

fn claims(mut next: State, who: usize, ttl: i32, rules: &Rules) -> Result<Option<State>, Broken> {
    let before = next.held;
    let now = next.look_at_clock(who);
    let answer = with_holding(&next, |holding| (rules.claim)(holding, &wish(who, ttl), moment(now)));
    let Ok(lease) = answer else {
        return Ok(None);
    };
    require(lease.fence > NEWEST, FENCE_ROSE)?;
    require(lease_state(Some(&lease), moment(now)) == LeaseState::Active, LEASE_SOUND)?;
    let is_over = before.is_none_or(|held| held.end <= now);
    require(is_over || before.is_some_and(|held| NAMES[held.name] == NAMES[who]), NOT_ROBBED)?;
    next.acquire(who, steps_to(lease.expires_at));
    Ok(Some(next))
}

fn renews(
    mut next: State,
    who: usize,
    ttl: i32,
    is_fenced: bool,
    rules: &Rules,
) -> Result<Option<State>, Broken> {
    let before = next.lease();
    let now = next.look_at_clock(who);
    let proof = next.proof(who, is_fenced);
    let answer = with_holding(&next, |holding| (rules.renew)(holding, &proof, seconds(ttl), moment(now)));
    let (Ok(lease), Some(before)) = (answer, before) else {
        return Ok(None);
    };
    let is_same = lease.owner == before.owner && lease.fence == before.fence;
    require(is_same && lease.expires_at >= before.expires_at, RENEWED_LONGER)?;
    next.hold(who, steps_to(lease.expires_at));
    if rules.renewal_teaches {
        next.beliefs[who] = Belief::Newest;
    }
    Ok(Some(next))
}

fn releases(mut next: State, who: usize, is_fenced: bool, rules: &Rules) -> Result<Option<State>, Broken> {
    let now = next.look_at_clock(who);
    let proof = next.proof(who, is_fenced);
    let answer = with_holding(&next, |holding| (rules.release)(holding, &proof, moment(now)));
    if answer.is_err() {
        return Ok(None);
    }
    let is_own_name = next.held.is_some_and(|held| NAMES[held.name] == NAMES[who]);
    let is_own = proof.fence.is_none() || next.acquirer == Some(who);
    require(is_own_name && is_own, RELEASED_OWN)?;
    next.held = None;
    Ok(Some(next))
}

/// What must be true of every state, whatever happens next.
fn judge(state: &State, world: &World, rules: &Rules) -> Result<(), Broken> {
    let accepted = |who: usize| {
        world.skews.iter().any(|skew| {
            let proof = state.proof(who, true);
            with_holding(state, |holding| (rules.write)(holding, &proof, moment(*skew))).is_ok()
        })
    };
    require((0..CLAIMANTS).filter(|who| accepted(*who)).count() <= 1, ONE_HOLDER)?;
    let mut later = *state;
    later.pass(world.longest_wait(), world);
    let can_claim = |who: usize, skew: i32| {
        let wish = wish(who, world.ttls[0]);
        with_holding(&later, |holding| (rules.claim)(holding, &wish, moment(skew))).is_ok()
    };
    let anybody = (0..CLAIMANTS).all(|who| world.skews.iter().all(|skew| can_claim(who, *skew)));
    require(anybody, NOT_WEDGED)
}

fn require(holds: bool, property: Broken) -> Result<(), Broken> {
    if holds { Ok(()) } else { Err(property) }
}

/// What going through all states showed.
#[derive(Debug, Default)]
struct Explored {
    states: usize,
    /// How often an action of each kind was accepted and refused.
    answers: BTreeMap<&'static str, (usize, usize)>,
}

/// A property that does not hold, and the shortest way there.
#[derive(Debug)]
struct Violation {
    property: Broken,
    actions: Vec<Action>,
}

fn kind(action: Action) -> &'static str {
    match action {
        Action::Claim { .. } => "claim",
        Action::Renew { .. } => "renew",
        Action::Release { .. } => "release",
        Action::Write { .. } => "write",
        Action::Jump { .. } | Action::Pause { .. } | Action::Pass { .. } => "world",
    }
}

/// Every state within reach, nearest first.
fn explore(world: &World, rules: &Rules) -> Result<Explored, Box<Violation>> {
    let actions = Action::all(world);
    let mut explored = Explored::default();
    let mut seen = BTreeSet::from([State::first()]);
    // Each reached state with the place of the one before it and the action between them.
    let mut reached: Vec<(State, usize, Option<Action>)> = vec![(State::first(), 0, None)];
    let mut open = VecDeque::from([(0, 0)]);
    while let Some((place, depth)) = open.pop_front() {
        let state = reached[place].0;
        let violated = |property, action| Box::new(violation(&reached, place, action, property));
        judge(&state, world, rules).map_err(|property| violated(property, None))?;
        if world.depth == Some(depth) {
            continue;
        }
        let mut found = Vec::new();
        for action in actions.iter().copied() {
            let next =
                step(&state, action, world, rules).map_err(|property| violated(property, Some(action)))?;
            let count = explored.answers.entry(kind(action)).or_default();
            match next {
                Some(next) => {
                    count.0 += 1;
                    found.extend(seen.insert(next).then_some((next, place, Some(action))));
                }
                None => count.1 += 1,
            }
        }
        open.extend((0..found.len()).map(|offset| (reached.len() + offset, depth + 1)));
        reached.extend(found);
    }
    explored.states = reached.len();
    Ok(explored)
}

fn violation(
    reached: &[(State, usize, Option<Action>)],
    place: usize,
    last: Option<Action>,
    property: Broken,
) -> Violation {
    let mut actions: Vec<Action> = last.into_iter().collect();
    let mut place = place;
    while let (_, before, Some(action)) = reached[place] {
        actions.push(action);
        place = before;
    }
    actions.reverse();
    Violation { property, actions }
}

/// Clocks off by several leases; all states there are: 130,113.
const SMALL: World = World { skews: &[-3, 0, 3], ttls: &[1, 2], passes: &[1], longest_pause: 3, depth: None };

const DAY: i32 = 2_880;
/// Clocks a day off, leases of half a minute and of a day; as far as seven actions go: 78,147 states.
const WIDE: World =
    World { skews: &[-DAY, 0, DAY], ttls: &[1, DAY], passes: &[1, DAY], longest_pause: DAY, depth: Some(7) };

/// Each call was both accepted and refused on the way: a property that nothing touches shows nothing.
fn assert_busy(explored: &Explored, least: usize) {
    assert!(explored.states >= least, "{explored:?}");
    for call in ["claim", "release", "renew", "write"] {
        let (accepted, refused) = explored.answers[call];
        assert!(accepted > 0 && refused > 0, "{call} in {explored:?}");
    }
}

#[test]
fn no_state_that_three_claimants_can_reach_breaks_a_property() {
    assert_busy(&explore(&SMALL, &OURS).unwrap(), 100_000);
}

#[test]
fn no_short_history_with_clocks_a_day_apart_breaks_a_property() {
    assert_busy(&explore(&WIDE, &OURS).unwrap(), 50_000);
}

fn assert_broken(rules: &Rules, property: Broken) -> Vec<Action> {
    let violation = explore(&SMALL, rules).unwrap_err();
    assert_eq!(violation.property, property, "{violation:?}");
    violation.actions
}

#[test]
fn without_the_fence_check_two_claimants_are_taken_for_the_holder() {
    let write: WriteRule = |holding, proof, now| {
        let fence = proof.fence.and_then(|_| holding.lease.map(|lease| lease.fence));
        authorise_write(holding, &HolderProof { fence, ..*proof }, now)
    };
    let actions = assert_broken(&Rules { write, ..OURS }, ONE_HOLDER);
    assert_eq!(actions, [Action::Claim { who: 0, ttl: 1 }, Action::Claim { who: 1, ttl: 1 }]);
}

#[test]
fn a_fence_compared_with_the_one_before_lets_a_stale_write_in() {
    let write: WriteRule = |holding, proof, now| {
        let fence = proof.fence.map(|fence| fence + 1);
        authorise_write(holding, &HolderProof { fence, ..*proof }, now)
    };
    let actions = assert_broken(&Rules { write, ..OURS }, WRITE_NEWEST);
    assert_eq!(actions.last(), Some(&Action::Write { who: 0 }));
}

#[test]
fn a_claimant_that_learns_its_fence_from_a_renewal_without_one_is_a_second_holder() {
    assert_broken(&Rules { renewal_teaches: true, ..OURS }, ONE_HOLDER);
}

#[test]
fn each_other_property_is_broken_by_breaking_its_rule() {
    let same_fence: ClaimRule = |holding, wish, now| {
        claim(holding, wish, now).map(|lease| Lease { fence: holding.last_fence, ..lease })
    };
    let ends_at_once: ClaimRule =
        |holding, wish, now| claim(holding, wish, now).map(|lease| Lease { expires_at: now, ..lease });
    let takes_all: ClaimRule = |holding, wish, now| claim(&Holding { lease: None, ..*holding }, wish, now);
    let waits_for_ever: ClaimRule = |holding, wish, now| {
        let endless = |lease: &Lease| Lease { expires_at: now.plus_seconds(1), ..lease.clone() };
        let lease = holding.lease.map(endless);
        claim(&Holding { lease: lease.as_ref(), ..*holding }, wish, now)
    };
    for (claim, property) in [
        (same_fence, FENCE_ROSE),
        (ends_at_once, LEASE_SOUND),
        (takes_all, NOT_ROBBED),
        (waits_for_ever, NOT_WEDGED),
    ] {
        assert_broken(&Rules { claim, ..OURS }, property);
    }
    let shortens: RenewRule = |holding, proof, ttl, now| {
        let ttl_end = now.plus_seconds(ttl.cast_signed());
        renew(holding, proof, ttl, now).map(|lease| Lease { expires_at: ttl_end, ..lease })
    };
    assert_broken(&Rules { renew: shortens, ..OURS }, RENEWED_LONGER);
    let unchecked: ReleaseRule = |_, _, _| Ok(Released { next_status: Status::Open });
    assert_broken(&Rules { release: unchecked, ..OURS }, RELEASED_OWN);
    let unfenced: ReleaseRule =
        |holding, proof, now| release(holding, &HolderProof { fence: None, ..*proof }, now);
    assert_broken(&Rules { release: unfenced, ..OURS }, RELEASED_OWN);
}
