//! R2: a power loss at any moment. What was acknowledged is there exactly once and in order, what was not is there whole or
//! not at all, nobody is accused of tampering, and the next line is taken and kept.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod log_lines;

use std::path::Path;

use log_lines::steps::Step;
use log_lines::{Lines, amount, empty_disk, found, line, log_on};
use premath_bd::{Access, Disk as _, Standing};
use premath_testkit::faulty_disk::{Seeded, SimDisk};

/// The disk before each operation of a run, with what the log may hold after a power loss there.
struct Moment {
    disk: SimDisk,
    allowed: Vec<Lines>,
}

/// Runs some steps on a disk that holds `before` or, while nothing new was acknowledged, one of `earlier`.
fn moments(
    disk: &SimDisk,
    earlier: &[Lines],
    before: &Lines,
    seeded: &mut Seeded,
    numbers: &mut usize,
) -> Vec<Moment> {
    let mut writer = None;
    let mut acknowledged = before.clone();
    let mut allowed_at = Vec::new();
    disk.record();
    disk.set_mark(0);
    let mut certain = false;
    for _ in 0..3 + seeded.below(8) {
        let step = Step::choose(seeded, numbers, &acknowledged);
        let outcomes = step.outcomes(&acknowledged);
        let mut allowed = vec![acknowledged.clone()];
        allowed.extend(outcomes.iter().cloned());
        if !certain {
            allowed.extend(earlier.iter().cloned());
        }
        allowed_at.push(allowed);
        step.run(&log_on(disk), &mut writer).unwrap();
        acknowledged = outcomes.last().unwrap().clone();
        certain |= step.promises();
        disk.set_mark(u64::try_from(allowed_at.len()).unwrap());
    }
    allowed_at.push(if certain { vec![acknowledged] } else { [&[acknowledged], earlier].concat() });
    let states = disk.recorded();
    states
        .into_iter()
        .map(|disk| {
            let allowed = allowed_at[usize::try_from(disk.mark()).unwrap()].clone();
            Moment { disk, allowed }
        })
        .collect()
}

/// Reads after the power loss, appends, loses power again: the appended line stays.
fn check(after: &SimDisk, allowed: &[Lines], seeded: &mut Seeded, doing: &str) {
    let mut expected = found(after, allowed, doing);
    let next = line(seeded, 1_000_000);
    {
        let mut writer = log_on(after).write().unwrap();
        assert!(!writer.standing().is_tampered(), "{doing}: tampered: {:?}", writer.standing());
        writer.append(&next).unwrap();
    }
    expected.push(next);
    let careless = seeded.below(2) == 0;
    let again = after.crash(&mut |limit| if careless { 0 } else { seeded.below(limit) });
    let doing = format!("{doing}, then an append and another power loss");
    found(&again, &[expected], &doing);
    has_head(&again, &doing);
}

/// A log of ours can always be compared with what was last known of it.
fn has_head(disk: &SimDisk, doing: &str) {
    let standing = log_on(disk).read().unwrap().standing();
    assert!(
        matches!(standing, Standing::Anchored | Standing::Longer),
        "{doing}: the head is gone: {standing:?}"
    );
}

/// What the log is made from: nothing, or what somebody else left.
fn start(seeded: &mut Seeded, numbers: &mut usize) -> (SimDisk, Lines) {
    let disk = empty_disk();
    let mut lines = Lines::new();
    let count = match seeded.below(40) {
        0..30 => return (disk, lines),
        30..39 => 1 + seeded.below(4),
        // Near where the head is synced.
        _ => 250 + seeded.below(6),
    };
    for _ in 0..count {
        *numbers += 1;
        lines.push(line(seeded, *numbers));
    }
    let mut bytes = lines.join(&b'\n');
    if seeded.below(2) == 0 {
        bytes.push(b'\n');
    }
    disk.put(log_lines::PATH, &bytes).unwrap();
    (disk, lines)
}

#[test]
fn a_power_loss_at_any_operation_loses_nothing_that_was_acknowledged() {
    let states = amount(4_000, 80_000);
    let mut done = 0;
    let mut script = 0;
    while done < states {
        script += 1;
        let mut seeded = Seeded::new(script);
        let mut numbers = 0;
        let (disk, lines) = start(&mut seeded, &mut numbers);
        let moments = moments(&disk, &[], &lines, &mut seeded, &mut numbers);
        for (at, moment) in moments.iter().enumerate() {
            for loss in 0..4 {
                let doing = format!("script {script}, operation {at}, loss {loss}");
                let mut seeded = Seeded::new(script << 20 | u64::try_from(at).unwrap() << 4 | loss);
                let after = moment.disk.crash(&mut |limit| if loss == 0 { 0 } else { seeded.below(limit) });
                check(&after, &moment.allowed, &mut seeded, &doing);
                done += 1;
            }
        }
    }
}

/// How a log may have come to be before the first process of ours.
fn beginnings() -> Vec<(&'static str, SimDisk, Lines)> {
    let lines = vec![b"{\"n\":1}".to_vec(), b"{\"n\":2}".to_vec()];
    let whole = b"{\"n\":1}\n{\"n\":2}\n";
    let durable = empty_disk();
    durable.put(log_lines::PATH, whole).unwrap();
    let unterminated = empty_disk();
    unterminated.put(log_lines::PATH, &whole[..whole.len() - 1]).unwrap();
    vec![
        ("no log", empty_disk(), Vec::new()),
        ("a log of somebody else", durable, lines.clone()),
        ("one without its last newline", unterminated, lines),
    ]
}

#[test]
fn a_head_never_speaks_of_lines_that_their_writer_did_not_sync() {
    let disk = empty_disk();
    let mut file = disk.open(Path::new(log_lines::PATH), Access::Append).unwrap();
    file.append(b"{\"n\":1}\n{\"n\":2}\n").unwrap();
    drop(file);
    disk.record();
    drop(log_on(&disk).write().unwrap());
    for (at, moment) in disk.recorded().iter().enumerate() {
        for seed in 0..200 {
            let mut seeded = Seeded::new(seed);
            let after = moment.crash(&mut |limit| seeded.below(limit));
            let standing = log_on(&after).read().map(|reader| reader.standing());
            assert!(standing.is_err() || !standing.unwrap().is_tampered(), "operation {at}, seed {seed}");
        }
    }
}

/// The disk before each operation of one step, and after it, with what the log may hold after a power loss there.
fn moments_of(disk: &SimDisk, step: &Step, before: &Lines, earlier: &[Lines]) -> Vec<Moment> {
    let outcomes = step.outcomes(before);
    disk.record();
    disk.set_mark(0);
    step.run(&log_on(disk), &mut None).unwrap();
    disk.set_mark(1);
    let done = outcomes.last().cloned().into_iter().collect::<Vec<_>>();
    let begun = [std::slice::from_ref(before), &outcomes, earlier].concat();
    let allowed = |disk: &SimDisk| if disk.mark() == 0 { begun.clone() } else { done.clone() };
    disk.recorded().into_iter().map(|disk| Moment { allowed: allowed(&disk), disk }).collect()
}

#[test]
fn a_process_killed_at_any_operation_and_a_power_loss_at_any_of_the_next_lose_nothing() {
    let losses = u64::try_from(amount(1, 8)).unwrap();
    let numbered =
        |number: usize| format!(r#"{{"n":{number},"inner":{{"x":"{}"}}}}"#, "y".repeat(600)).into_bytes();
    let steps = |number: usize| {
        [
            Step::Append(numbered(number)),
            Step::AppendAll(vec![numbered(number + 1), numbered(number + 2)]),
            Step::Replace(vec![numbered(number + 3)]),
            Step::SyncHead,
        ]
    };
    let mut states = 0;
    for (beginning, fresh, before) in beginnings() {
        for first in steps(10) {
            for (at, killed) in moments_of(&fresh.kill(), &first, &before, &[]).into_iter().enumerate() {
                let seen = found(&killed.disk, &killed.allowed, beginning);
                for second in steps(20) {
                    let moments = moments_of(&killed.disk.kill(), &second, &seen, &killed.allowed);
                    // What most processes do is looked at most closely.
                    let is_usual = matches!((&first, &second), (Step::Append(_), Step::Append(_)));
                    let losses = if is_usual { 20 * losses } else { losses };
                    for (then, moment) in moments.iter().enumerate() {
                        for loss in 0..losses {
                            let doing = format!(
                                "{beginning}, killed at operation {at} of {}, power lost at operation {then} of {}, \
                                 loss {loss}",
                                first.name(),
                                second.name()
                            );
                            let mut seeded =
                                Seeded::new(loss << 32 | u64::try_from(at << 16 | then).unwrap());
                            let after = moment.disk.crash(&mut |limit| seeded.below(limit));
                            states += 1;
                            found(&after, &moment.allowed, &doing);
                            if moment.disk.mark() == 1 {
                                has_head(&after, &doing);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(states >= amount(15_000, 120_000), "only {states} states");
}

#[test]
fn power_losses_and_kills_in_a_row_lose_nothing_that_was_acknowledged() {
    let states = amount(1_000, 20_000);
    let mut done = 0;
    let mut script = 0;
    while done < states {
        script += 1;
        let mut seeded = Seeded::new(script << 40);
        let mut numbers = 0;
        let (mut disk, mut lines) = start(&mut seeded, &mut numbers);
        let mut earlier = vec![lines.clone()];
        for generation in 0..5 {
            let doing = format!("script {script}, generation {generation}");
            let mut moments = moments(&disk, &earlier, &lines, &mut seeded, &mut numbers);
            let Moment { disk: stopped, allowed } = moments.swap_remove(seeded.below(moments.len()));
            let killed = seeded.below(2) == 0;
            disk = match killed {
                true => stopped.kill(),
                false => stopped.crash(&mut |limit| seeded.below(limit)),
            };
            let what = if killed { "killed" } else { "power lost" };
            lines = found(&disk, &allowed, &format!("{doing}, {what}"));
            earlier = if killed { allowed } else { vec![lines.clone()] };
            done += 1;
        }
        check(&disk, &[lines], &mut seeded, &format!("script {script}, at the end"));
    }
}

#[test]
fn a_log_that_was_removed_and_begun_anew_keeps_what_it_takes() {
    let disk = empty_disk();
    log_on(&disk).write().unwrap().append(b"{\"n\":1}").unwrap();
    disk.remove(Path::new(log_lines::PATH)).unwrap();
    disk.sync_folder(Path::new(".premath")).unwrap();
    log_on(&disk).write().unwrap().append(b"{\"n\":2}").unwrap();
    let reader = log_on(&disk.crash(&mut |_| 0)).read().unwrap();
    assert_eq!(log_lines::lines_of(&reader), [b"{\"n\":2}"]);
    assert_eq!(reader.breaks(), 1, "that the first line is gone was forgotten");
}

/// The object inside a torn line is no line, although the one that took the torn line's place ends right in front of it.
#[test]
fn what_is_left_of_a_torn_line_never_becomes_a_line() {
    for head_first in [false, true] {
        torn_line(head_first);
    }
}

fn torn_line(head_first: bool) {
    let disk = empty_disk();
    log_on(&disk).write().unwrap().append(b"{}").unwrap();
    let torn = [disk.bytes(log_lines::PATH).unwrap(), br#"{"a":{"b":1}"#.to_vec()].concat();
    disk.put(log_lines::PATH, &torn).unwrap();
    disk.record();
    let mut writer = log_on(&disk).write().unwrap();
    if head_first {
        writer.sync_head().unwrap();
    }
    writer.append(b"{  }").unwrap();
    let allowed = [vec![b"{}".to_vec()], vec![b"{}".to_vec(), b"{  }".to_vec()]];
    for (at, moment) in disk.recorded().iter().enumerate() {
        for seed in 0..200 {
            let mut seeded = Seeded::new(seed);
            let after = moment.crash(&mut |limit| seeded.below(limit));
            found(&after, &allowed, &format!("operation {at}, seed {seed}"));
        }
    }
}
