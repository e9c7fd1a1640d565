//! R9: several workers step over one issue memory, while processes die, sleep, disagree about the time and fail.
//!
//! The machines are the real ones, the store is the one in memory, the time is virtual, and chance comes from a seed. Each
//! seed runs twice and must leave the same trace, byte for byte.

#![expect(clippy::disallowed_methods, reason = "`PREMATH_PROVE` asks for the long form")]
#![expect(clippy::indexing_slicing, reason = "a worker that is not there fails the test")]
#![expect(clippy::unwrap_used, reason = "a world that cannot be made fails the test")]

mod chance;
mod judge;
mod world;

use chance::Chance;
use world::World;

fn seeds() -> u64 {
    if std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { 10_000 } else { 500 }
}

#[test]
fn every_issue_is_closed_once_and_never_unverified_whatever_happens() {
    let mut sums = judge::Sums::default();
    for seed in 0..seeds() {
        let (first, second) = (run(seed), run(seed));
        assert!(first.trace == second.trace, "seed {seed} left two traces");
        let judged = judge::judge(&first);
        assert_eq!(judged.broken, Vec::<String>::new(), "seed {seed}\n{}", first.tail());
        sums.add(&judged);
    }
    println!("R9  seeds {}, {sums}", seeds());
    assert!(sums.is_troubled(), "too little trouble to prove anything: {sums}");
}

fn run(seed: u64) -> World {
    let mut world = World::new(Chance::new(seed));
    world.run();
    world
}
