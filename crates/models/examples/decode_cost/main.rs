//! What decoding costs beside splitting lines and parsing each JSON once: ratios of one run, and one side alone for
//! whoever counts instructions (`valgrind --tool=callgrind decode_cost anthropic-messages events`).

#![expect(clippy::disallowed_methods, reason = "a measurement reads its arguments and a clock")]
#![expect(clippy::print_stdout, reason = "a measurement prints what it measured")]

mod sample;

use std::hint::black_box;
use std::time::{Duration, Instant};

use premath_models::provider::Protocol;

use sample::{decode, parse_lines, stream};

const TEXT_BYTES: usize = 1_000_000;
const ROUNDS: usize = 15;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.as_slice() {
        [protocol, side] => {
            let Ok(protocol) = protocol.parse::<Protocol>() else { return println!("no such protocol") };
            let stream = stream(protocol, TEXT_BYTES);
            match side.as_str() {
                "lines" => println!("{}", parse_lines(&stream)),
                "events" => println!("{}", decode(protocol, &stream, 16 * 1024)),
                "bytes" => println!("{}", decode(protocol, &stream, 20)),
                _ => println!("{}", stream.len()),
            }
        }
        _ => compare(),
    }
}

fn compare() {
    println!(
        "{:<20} {:>10} {:>10} {:>10} {:>7} {:>7}",
        "protocol", "lines", "events", "by 20", "ratio", "by 20"
    );
    for protocol in Protocol::ALL {
        let stream = stream(protocol, TEXT_BYTES);
        let lines = best(&mut || parse_lines(black_box(&stream)));
        let events = best(&mut || decode(protocol, black_box(&stream), 16 * 1024));
        let pieces = best(&mut || decode(protocol, black_box(&stream), 20));
        let ratio = |side: Duration| side.as_secs_f64() / lines.as_secs_f64();
        println!(
            "{:<20} {lines:>10.2?} {events:>10.2?} {pieces:>10.2?} {:>7.2} {:>7.2}",
            protocol.as_str(),
            ratio(events),
            ratio(pieces),
        );
    }
}

/// The best of several: the one that was disturbed least.
fn best(work: &mut dyn FnMut() -> usize) -> Duration {
    let round = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}
