//! What a join check costs beside parsing and hashing the same bytes, at three sizes. Run: `cargo bench -p premath-host`.

use divan::{Bencher, black_box};
use premath_host::{join_check, sample_turn};
use premath_kernel::{Strictness, sha256};

const CALLS: [usize; 3] = [1, 1_000, 10_000];

fn main() {
    divan::main();
}

#[divan::bench(args = CALLS)]
fn parse_and_hash(bencher: Bencher<'_, '_>, calls: usize) {
    let turn = sample_turn(calls);
    bencher.bench(|| {
        let value: serde_json::Value = serde_json::from_slice(black_box(&turn)).unwrap_or_default();
        (value, sha256(&turn))
    });
}

#[divan::bench(args = CALLS)]
fn whole_join_check(bencher: Bencher<'_, '_>, calls: usize) {
    let turn = sample_turn(calls);
    bencher.bench(|| {
        join_check(black_box(&turn), Strictness::Lenient).map(|checked| checked.witness().id().len())
    });
}
