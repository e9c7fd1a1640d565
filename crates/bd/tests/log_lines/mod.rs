//! What the fault tests of the log share: lines to write, what a log holds, and how much work is asked for.

#![expect(clippy::disallowed_methods, reason = "`cargo xtask prove` asks for the whole work by a variable")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "a log that cannot be read fails the test")]
#![allow(dead_code, reason = "each test uses what it needs of this module")]

pub(crate) mod steps;

use std::env;
use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{Log, LogReader, StoreError};
use premath_testkit::faulty_disk::{Seeded, SimDisk};

pub(crate) const PATH: &str = ".premath/log.jsonl";
pub(crate) const HEAD: &str = ".premath/log.jsonl.head";

pub(crate) type Lines = Vec<Vec<u8>>;

/// `PREMATH_PROVE=1` asks for the whole work; without it a slice is done.
pub(crate) fn amount(slice: usize, whole: usize) -> usize {
    if env::var("PREMATH_PROVE").is_ok_and(|value| value == "1") { whole } else { slice }
}

/// A disk with the folder the log is in.
pub(crate) fn empty_disk() -> SimDisk {
    let disk = SimDisk::new();
    disk.put(".premath/config.toml", b"").unwrap();
    disk
}

/// The log as a process that has just started sees it.
pub(crate) fn log_on(disk: &SimDisk) -> Log {
    Log::new(Arc::new(disk.clone()), PathBuf::from(PATH))
}

/// An object of some length, different from every other; some hold objects, some cross sectors.
pub(crate) fn line(seeded: &mut Seeded, number: usize) -> Vec<u8> {
    let padding = match seeded.below(8) {
        0..4 => seeded.below(40),
        4..6 => 300 + seeded.below(400),
        6 => 512 * (1 + seeded.below(3)) - seeded.below(30),
        _ => seeded.below(5_000),
    };
    match seeded.below(3) {
        0 => format!(r#"{{"n":{number},"inner":{{"x":"{}"}}}}"#, "y".repeat(padding)),
        1 => format!(r#"{{"n":{number},"list":[{}1]}}"#, "{},".repeat(padding / 3)),
        _ => format!(r#"{{"n":{number},"text":"{}"}}"#, "z".repeat(padding)),
    }
    .into_bytes()
}

/// Every line, the one that lacks only its newline included.
pub(crate) fn lines_of(reader: &LogReader) -> Lines {
    let mut lines = Vec::new();
    reader
        .each_line::<StoreError>(0, |_, line| {
            lines.push(line.to_vec());
            Ok(())
        })
        .unwrap();
    lines.extend(reader.unterminated_line().map(<[u8]>::to_vec));
    lines
}

/// What the log holds, if that is allowed and nobody is accused. A log that is not there holds nothing.
pub(crate) fn found(disk: &SimDisk, allowed: &[Lines], doing: &str) -> Lines {
    let lines = match log_on(disk).read() {
        Ok(reader) => {
            assert!(!reader.standing().is_tampered(), "{doing}: tampered: {:?}", reader.standing());
            assert_eq!(reader.breaks(), 0, "{doing}: a break was counted");
            lines_of(&reader)
        }
        Err(StoreError::Missing { .. }) => Vec::new(),
        Err(error) => panic!("{doing}: {error:?}"),
    };
    if !allowed.contains(&lines) {
        let allowed: Vec<String> = allowed.iter().map(|lines| shown(lines)).collect();
        panic!("{doing}: found\n    {}\nallowed\n    {}", shown(&lines), allowed.join("\n  or\n    "));
    }
    lines
}

/// As text, short enough for a failure to be read.
pub(crate) fn shown(lines: &[Vec<u8>]) -> String {
    let short = |line: &Vec<u8>| {
        let text: String = String::from_utf8_lossy(line).chars().take(40).collect();
        format!("{} bytes {}", line.len(), text.escape_debug())
    };
    lines.iter().map(short).collect::<Vec<_>>().join("\n    ")
}
