//! R5: the log is cut at any byte, or any bit of it is flipped. What stands in front of the damage is given back as it was,
//! and damage to anything the head knows of is noticed.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod log_lines;

use log_lines::{HEAD, Lines, PATH, amount, empty_disk, line, lines_of, log_on};
use premath_bd::{Extent, LogReader, Standing};
use premath_testkit::faulty_disk::{Seeded, SimDisk};

/// A log of short and long lines whose head knows all of them.
fn written(count: usize) -> (SimDisk, Lines) {
    let disk = empty_disk();
    let mut seeded = Seeded::new(6);
    let mut lines: Lines = vec![line(&mut seeded, 0)];
    lines.extend(
        (1..count).map(|number| format!(r#"{{"n":{number},"é":"{}"}}"#, "ü".repeat(number)).into_bytes()),
    );
    let mut writer = log_on(&disk).write().unwrap();
    for line in &lines {
        writer.append(line).unwrap();
    }
    drop(writer);
    (disk, lines)
}

/// The last `count` lines' first byte.
fn start_of_last(lines: &Lines, count: usize) -> usize {
    lines.iter().take(lines.len() - count).map(|line| line.len() + 1).sum()
}

/// The lines that end at or before a byte, with or without their newline.
fn lines_until(lines: &Lines, end: usize) -> Lines {
    let mut at = 0;
    let ends_before = |line: &&Vec<u8>| {
        at += line.len() + 1;
        at - 1 <= end
    };
    lines.iter().take_while(ends_before).cloned().collect()
}

/// What the lines that are really there amount to.
fn extent_of(reader: &LogReader) -> Extent {
    let mut extent = Extent::default();
    let whole = lines_of(reader);
    let count = usize::try_from(reader.extent().rows).unwrap();
    for line in whole.iter().take(count) {
        extent = extent.and(line);
    }
    extent
}

/// Whether the reader says that the log is damaged, or its digest does.
fn is_noticed(reader: &LogReader) -> bool {
    reader.standing().is_tampered() || extent_of(reader) != reader.extent()
}

#[test]
fn a_log_that_was_cut_gives_back_every_line_in_front_of_the_cut() {
    let (original, lines) = written(40);
    let bytes = original.bytes(PATH).unwrap();
    let first = start_of_last(&lines, amount(5, 40));
    for cut in first..bytes.len() {
        let disk = original.kill();
        disk.put(PATH, &bytes[..cut]).unwrap();
        let reader = log_on(&disk).read().unwrap();
        let mut left = lines_until(&lines, cut);
        assert_eq!(lines_of(&reader), left, "cut at {cut}");
        assert_eq!(reader.standing(), Standing::Shorter, "cut at {cut}");
        log_on(&disk).write().unwrap().append(b"{\"next\":1}").unwrap();
        left.push(b"{\"next\":1}".to_vec());
        let reader = log_on(&disk).read().unwrap();
        assert_eq!(lines_of(&reader), left, "appended after a cut at {cut}");
        assert_eq!(reader.breaks(), 1, "a cut at {cut} was forgotten");
    }
}

#[test]
fn a_cut_behind_what_the_head_knows_is_a_crash() {
    let (original, lines) = written(20);
    let head = original.bytes(HEAD).unwrap();
    let known = original.bytes(PATH).unwrap().len();
    let mut writer = log_on(&original).write().unwrap();
    let mut all = lines;
    for number in 0..3 {
        all.push(format!(r#"{{"behind":{number}}}"#).into_bytes());
        writer.append(all.last().unwrap()).unwrap();
    }
    drop(writer);
    original.put(HEAD, &head).unwrap();
    let bytes = original.bytes(PATH).unwrap();
    for cut in known..=bytes.len() {
        let disk = original.kill();
        disk.put(PATH, &bytes[..cut]).unwrap();
        let reader = log_on(&disk).read().unwrap();
        assert!(!reader.standing().is_tampered(), "cut at {cut}: {:?}", reader.standing());
        assert_eq!(lines_of(&reader), lines_until(&all, cut), "cut at {cut}");
        log_on(&disk).write().unwrap().append(b"{\"next\":1}").unwrap();
        let reader = log_on(&disk).read().unwrap();
        assert_eq!(lines_of(&reader), [lines_until(&all, cut), vec![b"{\"next\":1}".to_vec()]].concat());
        assert_eq!(reader.breaks(), 0);
    }
}

/// Every bit in turn, or as many as were asked for, evenly spread.
fn each_flip(length: usize, from: usize, mut check: impl FnMut(usize, u8)) -> usize {
    let bits = (length - from) * 8;
    let stride = (bits / amount(500, 5_000)).max(1);
    let mut done = 0;
    for bit in (0..bits).step_by(stride) {
        check(from + bit / 8, 1 << (bit % 8));
        done += 1;
    }
    done
}

#[test]
fn a_flipped_bit_is_noticed_and_the_lines_in_front_of_it_are_right() {
    let (original, lines) = written(40);
    let bytes = original.bytes(PATH).unwrap();
    let done = each_flip(bytes.len(), 0, |at, mask| {
        let mut flipped = bytes.clone();
        flipped[at] ^= mask;
        let in_front = lines_until(&lines, at.saturating_sub(1));
        // By somebody, who leaves a time behind, and by decay, which does not.
        for by_somebody in [true, false] {
            let disk = original.kill();
            match by_somebody {
                true => disk.put(PATH, &flipped).unwrap(),
                false => disk.rot(PATH, flipped.clone()).unwrap(),
            }
            let reader = log_on(&disk).read().unwrap();
            assert!(
                is_noticed(&reader),
                "bit {mask:#x} of byte {at}, {by_somebody}: {:?}",
                reader.standing()
            );
            assert!(lines_of(&reader).starts_with(&in_front), "bit {mask:#x} of byte {at}");
            if by_somebody {
                assert!(reader.standing().is_tampered(), "bit {mask:#x} of byte {at}");
            }
        }
    });
    assert!(done >= amount(500, 5_000), "only {done} bits");
}

#[test]
fn any_other_byte_is_noticed() {
    let (original, lines) = written(12);
    let bytes = original.bytes(PATH).unwrap();
    let from = start_of_last(&lines, 3);
    let stride = amount(7, 1);
    for at in from..bytes.len() {
        for other in (0..=255_u8).step_by(stride).filter(|other| *other != bytes[at]) {
            let disk = original.kill();
            let mut changed = bytes.clone();
            changed[at] = other;
            disk.put(PATH, &changed).unwrap();
            let standing = log_on(&disk).read().unwrap().standing();
            assert!(standing.is_tampered(), "byte {at} is {other:#x}: {standing:?}");
        }
    }
}

#[test]
fn a_damaged_head_accuses_nobody_and_hides_no_line() {
    let (original, lines) = written(12);
    let head = original.bytes(HEAD).unwrap();
    each_flip(head.len(), 0, |at, mask| {
        let disk = original.kill();
        let mut flipped = head.clone();
        flipped[at] ^= mask;
        disk.rot(HEAD, flipped).unwrap();
        let reader = log_on(&disk).read().unwrap();
        assert!(!reader.standing().is_tampered(), "bit {mask:#x} of byte {at}: {:?}", reader.standing());
        assert_eq!(lines_of(&reader), lines);
        log_on(&disk).write().unwrap().append(b"{\"next\":1}").unwrap();
        let reader = log_on(&disk).read().unwrap();
        assert_eq!(lines_of(&reader).len(), lines.len() + 1);
        assert_eq!((reader.standing(), reader.breaks()), (Standing::Anchored, 0));
    });
}
