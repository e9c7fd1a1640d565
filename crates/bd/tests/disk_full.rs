//! R4: the disk is full, is freed, and is full again. The answer is a typed error, the file is as it was, and with room
//! everything works as before.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]
#![expect(clippy::print_stderr, reason = "a skipped test says so where the runner shows it")]
#![expect(clippy::disallowed_methods, reason = "a small disk of its own is mounted, filled and unmounted")]

mod log_lines;

use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use log_lines::{HEAD, Lines, PATH, empty_disk, found, line, lines_of, log_on};
use premath_bd::{Log, OsDisk, StoreError};
use premath_testkit::faulty_disk::{Seeded, SimDisk};

fn is_full(error: &StoreError) -> bool {
    matches!(error, StoreError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull)
}

fn used(disk: &SimDisk) -> u64 {
    let files = [PATH, HEAD, ".premath/log.jsonl.tmp", ".premath/log.jsonl.lock"];
    files.iter().map(|path| u64::try_from(disk.bytes(path).map_or(0, |bytes| bytes.len())).unwrap()).sum()
}

/// A log with a few lines.
fn filled() -> (SimDisk, Lines) {
    let disk = empty_disk();
    let mut seeded = Seeded::new(4);
    let lines: Lines = (0..6).map(|number| line(&mut seeded, number)).collect();
    let mut writer = log_on(&disk).write().unwrap();
    for line in &lines {
        writer.append(line).unwrap();
    }
    drop(writer);
    (disk, lines)
}

#[test]
fn without_room_for_a_line_the_file_stays_as_it_is_and_with_room_it_goes_on() {
    let (disk, mut lines) = filled();
    let mut seeded = Seeded::new(5);
    let log = log_on(&disk);
    for round in 0..3 {
        let next = line(&mut seeded, 100 + round);
        for free in 0..=next.len() {
            let doing = format!("round {round}, room for {free} of {} bytes", next.len() + 1);
            let before = disk.bytes(PATH).unwrap();
            disk.set_capacity(Some(used(&disk) + u64::try_from(free).unwrap()));
            let mut writer = log.write().unwrap();
            let error = writer.append(&next).unwrap_err();
            assert!(is_full(&error), "{doing}: {error:?}");
            drop(writer);
            assert_eq!(disk.bytes(PATH).unwrap(), before, "{doing}: the file changed");
            found(&disk, std::slice::from_ref(&lines), &doing);
            found(&disk.crash(&mut |limit| seeded.below(limit)), std::slice::from_ref(&lines), &doing);
        }
        disk.set_capacity(None);
        log.write().unwrap().append(&next).unwrap();
        lines.push(next);
        found(&disk.crash(&mut |_| 0), std::slice::from_ref(&lines), &format!("round {round}, freed"));
    }
}

#[test]
fn without_room_for_several_lines_none_of_them_is_there() {
    let (disk, lines) = filled();
    let several: [&[u8]; 3] = [b"{\"n\":1}", b"{\"n\":2}", b"{\"n\":3}"];
    for free in 0..24 {
        disk.set_capacity(Some(used(&disk) + free));
        let error = log_on(&disk).write().unwrap().append_all(&several).unwrap_err();
        assert!(is_full(&error), "{error:?}");
        found(&disk, std::slice::from_ref(&lines), &format!("room for {free} bytes"));
    }
}

#[test]
fn without_room_for_a_replacement_the_log_stays_and_the_room_is_given_back() {
    let (disk, lines) = filled();
    let replace = || {
        log_on(&disk)
            .write()
            .unwrap()
            .replace(|reader, replacement| reader.each_line(0, |_, line| replacement.line(line).map(drop)))
    };
    let (before, taken) = (disk.bytes(PATH).unwrap(), used(&disk));
    for free in (0..u64::try_from(before.len()).unwrap()).step_by(97) {
        disk.set_capacity(Some(taken + free));
        let error = replace().unwrap_err();
        assert!(is_full(&error), "{error:?}");
        assert_eq!(disk.bytes(PATH).unwrap(), before);
        assert_eq!(used(&disk), taken, "the remains of a replacement fill the disk");
    }
    disk.set_capacity(None);
    replace().unwrap();
    found(&disk.crash(&mut |_| 0), &[lines], "replaced");
}

#[test]
fn without_room_for_a_first_line_nothing_is_there_and_with_room_it_is() {
    let disk = empty_disk();
    for free in 0..5_000 {
        disk.set_capacity(Some(free));
        let appended = log_on(&disk).write().and_then(|mut writer| writer.append(b"{\"n\":1}"));
        match appended {
            Ok(_) => {
                found(&disk.crash(&mut |_| 0), &[vec![b"{\"n\":1}".to_vec()]], "the first that fits");
                return;
            }
            Err(error) => {
                assert!(is_full(&error), "{error:?}");
                found(&disk, &[Lines::new()], &format!("room for {free} bytes"));
            }
        }
    }
    panic!("a line of seven bytes never found room");
}

/// A file system of 256 KiB, gone with its test.
struct Mounted(tempfile::TempDir);

impl Mounted {
    /// `None` after a skip that is named: mounting is for root, and not in every container.
    fn new(test: &str) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs"];
        let mounted = Command::new("mount").args(options).arg(folder.path()).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder)),
            Ok(output) => {
                eprintln!("SKIPPED {test}: cannot mount: {}", String::from_utf8_lossy(&output.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("SKIPPED {test}: cannot mount: {error}");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Leaves so many pages free.
    fn fill(&self, free: usize) {
        let path = self.path().join("filler");
        let mut bytes = 252 * 1024;
        while fs::write(&path, vec![1; bytes]).is_err() {
            bytes -= 4096;
        }
        fs::write(&path, vec![1; bytes - free * 4096]).unwrap();
    }

    fn free(&self) {
        fs::remove_file(self.path().join("filler")).unwrap();
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "cannot unmount {}", self.0.path().display());
    }
}

#[test]
fn a_real_disk_that_is_full_and_freed_again_loses_nothing() {
    let Some(mounted) = Mounted::new("a_real_disk_that_is_full_and_freed_again_loses_nothing") else {
        return;
    };
    let path = mounted.path().join("log.jsonl");
    let log = Log::new(Arc::new(OsDisk), path.clone());
    let mut lines = vec![b"{\"n\":0}".to_vec()];
    log.write().unwrap().append(&lines[0]).unwrap();
    for round in 1..4 {
        mounted.fill(round - 1);
        let long = format!(r#"{{"n":{round},"text":"{}"}}"#, "x".repeat(20_000)).into_bytes();
        for _ in 0..2 {
            let before = fs::read(&path).unwrap();
            let error = log.write().unwrap().append(&long).unwrap_err();
            assert!(is_full(&error), "{error:?}");
            assert_eq!(fs::read(&path).unwrap(), before, "the file changed");
        }
        mounted.free();
        log.write().unwrap().append(&long).unwrap();
        lines.push(long);
        let reader = Log::new(Arc::new(OsDisk), path.clone()).read().unwrap();
        assert_eq!(lines_of(&reader), lines);
        assert!(!reader.standing().is_tampered());
    }
}
