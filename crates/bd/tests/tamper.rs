//! R15: lines are edited, deleted, swapped, doubled or cut off behind the log's back. It is always noticed, an honest crash
//! is never taken for it, and writing on does not make it unseen.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod log_lines;

use log_lines::{HEAD, Lines, PATH, amount, empty_disk, found, line, lines_of, log_on};
use premath_bd::{Standing, StoreError};
use premath_testkit::faulty_disk::{Seeded, SimDisk};

/// What somebody does to lines of which the head knows the first `known`.
///
/// A line behind the last one is not among it: it is what a crash between an append and its note leaves, and whether it
/// belongs there is for the chain within the lines to say.
#[derive(Debug, Clone, Copy)]
enum Tampering {
    Edit,
    EditKeepingLength,
    Delete,
    Swap,
    Double,
    Insert,
    CutLines,
    CutBytes,
    Empty,
}

const ALL: [Tampering; 9] = [
    Tampering::Edit,
    Tampering::EditKeepingLength,
    Tampering::Delete,
    Tampering::Swap,
    Tampering::Double,
    Tampering::Insert,
    Tampering::CutLines,
    Tampering::CutBytes,
    Tampering::Empty,
];

fn joined(lines: &Lines) -> Vec<u8> {
    lines.iter().flat_map(|line| line.iter().chain(b"\n")).copied().collect()
}

impl Tampering {
    fn apply(self, lines: &Lines, known: usize, seeded: &mut Seeded) -> Vec<u8> {
        let mut changed = lines.clone();
        let at = seeded.below(known);
        match self {
            Self::Edit => changed[at] = line(seeded, 5_000_000),
            Self::EditKeepingLength => {
                let place = seeded.below(changed[at].len());
                let old = changed[at][place];
                changed[at][place] = if old == b'0' { b'1' } else { b'0' };
            }
            Self::Delete => drop(changed.remove(at)),
            Self::Swap => {
                let other = (at + 1 + seeded.below(known - 1)) % known;
                changed.swap(at, other);
            }
            Self::Double => {
                let (one, before) = (seeded.below(known - 1), seeded.below(known));
                changed.insert(before, lines[one].clone());
            }
            Self::Insert => changed.insert(at, line(seeded, 6_000_000)),
            Self::CutLines => changed.truncate(at),
            Self::CutBytes => {
                let mut bytes = joined(&lines[..known].to_vec());
                bytes.truncate(seeded.below(bytes.len()));
                return bytes;
            }
            Self::Empty => changed.clear(),
        }
        joined(&changed)
    }
}

/// A log, and how many of its lines its head knows: all of them, or as many as were synced before a power loss.
fn written(seeded: &mut Seeded) -> (SimDisk, Lines, usize) {
    let disk = empty_disk();
    let count = 2 + seeded.below(40);
    let synced = 2 + seeded.below(count - 1);
    let lines: Lines = (0..count).map(|number| line(seeded, number)).collect();
    let mut writer = log_on(&disk).write().unwrap();
    for (at, line) in lines.iter().enumerate() {
        writer.append(line).unwrap();
        if at + 1 == synced {
            writer.sync_head().unwrap();
        }
    }
    drop(writer);
    if seeded.below(3) == 0 {
        let disk = disk.crash(&mut |_| 0);
        assert_eq!(log_on(&disk).read().unwrap().standing(), expected(synced, count));
        return (disk, lines, synced);
    }
    (disk, lines, count)
}

fn expected(known: usize, count: usize) -> Standing {
    if known == count { Standing::Anchored } else { Standing::Longer }
}

#[test]
fn whatever_is_done_to_lines_that_the_head_knows_is_noticed_and_remembered() {
    let tries = u64::try_from(amount(200, 5_000)).unwrap();
    for seed in 0..tries {
        let mut seeded = Seeded::new(seed);
        let tampering = ALL[usize::try_from(seed).unwrap() % ALL.len()];
        let (disk, lines, known) = written(&mut seeded);
        let doing = format!("seed {seed}, {tampering:?}, {known} of {} lines known", lines.len());

        // Untouched, nobody is accused.
        found(&disk, std::slice::from_ref(&lines), &doing);

        let bytes = tampering.apply(&lines, known, &mut seeded);
        assert_ne!(bytes, joined(&lines), "{doing}: nothing was changed");
        disk.put(PATH, &bytes).unwrap();
        let reader = log_on(&disk).read().unwrap();
        assert!(reader.standing().is_tampered(), "{doing}: {:?}", reader.standing());
        let left = lines_of(&reader);
        remembers(&disk, &left, &mut seeded, &doing);
    }
}

/// Writes on, in one of several ways, loses power, and asks whether the tampering is still known.
fn remembers(disk: &SimDisk, left: &Lines, seeded: &mut Seeded, doing: &str) {
    let mut writer = log_on(disk).write().unwrap();
    assert!(writer.standing().is_tampered(), "{doing}: the writer did not notice");
    let next = b"{\"next\":1}".to_vec();
    let way = seeded.below(3);
    match way {
        0 => drop(writer.append(&next).unwrap()),
        1 => writer.sync_head().unwrap(),
        _ => writer
            .replace::<StoreError>(|_, replacement| {
                left.iter().try_for_each(|line| replacement.line(line).map(drop))
            })
            .unwrap(),
    }
    drop(writer);
    let doing = format!("{doing}, written on in way {way}");
    let reader = log_on(disk).read().unwrap();
    assert_eq!(reader.standing(), Standing::Anchored, "{doing}");
    assert_eq!(reader.breaks(), 1, "{doing}: forgotten");
    for loss in 0..4 {
        let after = disk.crash(&mut |limit| if loss == 0 { 0 } else { seeded.below(limit) });
        let reader = log_on(&after).read().unwrap();
        assert!(reader.breaks() > 0, "{doing}: forgotten in power loss {loss}");
        assert!(!reader.standing().is_tampered(), "{doing}: noticed twice after power loss {loss}");
    }
    if reader.extent().rows == 0 {
        // The head knows of no line, so that any line may have been appended.
        return;
    }
    // Once more, on top of it.
    disk.put(PATH, b"{\"n\":\"another log\"}\n").unwrap();
    assert!(log_on(disk).read().unwrap().standing().is_tampered(), "{doing}");
    log_on(disk).write().unwrap().append(&next).unwrap();
    assert_eq!(log_on(disk).read().unwrap().breaks(), 2, "{doing}");
}

#[test]
fn looking_at_a_tampered_log_does_not_hide_it() {
    let (disk, lines, _) = written(&mut Seeded::new(1));
    disk.put(PATH, &joined(&lines[1..].to_vec())).unwrap();
    for _ in 0..3 {
        assert!(log_on(&disk).read().unwrap().standing().is_tampered());
        assert!(log_on(&disk).write().unwrap().standing().is_tampered());
    }
}

#[test]
fn what_a_replacement_would_have_been_is_tampering_once_the_log_went_on() {
    let (disk, lines, _) = written(&mut Seeded::new(5));
    disk.record();
    log_on(&disk)
        .write()
        .unwrap()
        .replace::<StoreError>(|_, new| new.line(b"{\"new\":1}").map(drop))
        .unwrap();
    // Where the head knows what is coming and the log is still the old one.
    let coming = |disk: &SimDisk| String::from_utf8_lossy(&disk.bytes(HEAD).unwrap()).contains("\"next\"");
    let killed: Vec<SimDisk> = disk
        .recorded()
        .iter()
        .filter(|disk| coming(disk) && disk.bytes(PATH).unwrap() == joined(&lines))
        .map(SimDisk::kill)
        .collect();
    assert!(!killed.is_empty());
    for disk in killed {
        log_on(&disk).write().unwrap().append(b"{\"next\":1}").unwrap();
        disk.put(PATH, b"{\"new\":1}\n").unwrap();
        assert!(log_on(&disk).read().unwrap().standing().is_tampered());
    }
}

#[test]
fn at_least_every_256_lines_the_head_survives_a_power_loss() {
    let disk = empty_disk();
    let mut writer = log_on(&disk).write().unwrap();
    let lines: Lines = (0..300).map(|number| format!(r#"{{"n":{number}}}"#).into_bytes()).collect();
    for batch in lines.chunks(3) {
        writer.append_all(&batch.iter().map(Vec::as_slice).collect::<Vec<_>>()).unwrap();
    }
    drop(writer);
    for loss in 0..20 {
        let mut seeded = Seeded::new(loss);
        let after = disk.crash(&mut |limit| if loss == 0 { 0 } else { seeded.below(limit) });
        let mut changed = lines.clone();
        changed[255] = b"{\"n\":\"changed\"}".to_vec();
        after.put(PATH, &joined(&changed)).unwrap();
        assert!(log_on(&after).read().unwrap().standing().is_tampered(), "loss {loss}");
    }
}

#[test]
fn lines_that_others_append_are_no_tampering() {
    let (disk, lines, _) = written(&mut Seeded::new(2));
    let bytes = [joined(&lines), b"{\"by\":\"somebody else\"}\n".to_vec()].concat();
    disk.put(PATH, &bytes).unwrap();
    let reader = log_on(&disk).read().unwrap();
    assert_eq!(reader.standing(), Standing::Longer);
    assert_eq!(lines_of(&reader).len(), lines.len() + 1);
}

#[test]
fn a_copied_or_touched_log_is_the_same_log() {
    let (disk, lines, _) = written(&mut Seeded::new(3));
    disk.put(PATH, &joined(&lines)).unwrap();
    assert_eq!(log_on(&disk).read().unwrap().standing(), Standing::Anchored);
}

#[test]
fn what_a_person_accepted_is_no_break_any_more() {
    let (disk, lines, _) = written(&mut Seeded::new(4));
    let kept = lines[1..].to_vec();
    disk.put(PATH, &joined(&kept)).unwrap();
    log_on(&disk).write().unwrap().accept().unwrap();
    let after = disk.crash(&mut |_| 0);
    let reader = log_on(&after).read().unwrap();
    assert_eq!((reader.standing(), reader.breaks()), (Standing::Anchored, 0));
    assert_eq!(lines_of(&reader), kept);
}
