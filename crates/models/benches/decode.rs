//! What decoding a stream costs beside splitting its lines and parsing each JSON once. Run: `cargo bench -p premath-models`.
//! The same as instruction counts: `cargo run --release -p premath-models --example decode_cost`.

#[path = "../examples/decode_cost/sample.rs"]
mod sample;

use divan::{Bencher, black_box};
use premath_models::provider::Protocol;

use sample::{decode, parse_lines, stream};

const TEXT_BYTES: usize = 1_000_000;

fn main() {
    divan::main();
}

#[divan::bench(args = Protocol::ALL)]
fn lines_and_json(bencher: Bencher<'_, '_>, protocol: Protocol) {
    let stream = stream(protocol, TEXT_BYTES);
    bencher.bench(|| parse_lines(black_box(&stream)));
}

#[divan::bench(args = Protocol::ALL)]
fn events(bencher: Bencher<'_, '_>, protocol: Protocol) {
    let stream = stream(protocol, TEXT_BYTES);
    bencher.bench(|| decode(protocol, black_box(&stream), 16 * 1024));
}

#[divan::bench(args = Protocol::ALL)]
fn events_in_pieces_of_20_bytes(bencher: Bencher<'_, '_>, protocol: Protocol) {
    let stream = stream(protocol, TEXT_BYTES);
    bencher.bench(|| decode(protocol, black_box(&stream), 20));
}
