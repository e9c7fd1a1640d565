//! What a log and the file system under it promise, on the real one and on the faulty one alike: the same operations give
//! the same answers.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what cannot be done fails the test")]

mod log_lines;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use log_lines::steps::Step;
use log_lines::{Lines, PATH, amount, empty_disk, lines_of, log_on};
use premath_bd::{Access, Disk, DiskFile, LockMode, LockOutcome, Log, OsDisk, Standing, StoreError};
use premath_testkit::faulty_disk::{Seeded, SimDisk};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A file system with an empty folder in it.
struct Place {
    name: &'static str,
    disk: Arc<dyn Disk>,
    root: PathBuf,
    _folder: Option<tempfile::TempDir>,
}

impl Place {
    fn both() -> [Self; 2] {
        let folder = tempfile::tempdir().unwrap();
        let simulated = SimDisk::new();
        simulated.create_folder(Path::new("/root")).unwrap();
        let root = folder.path().to_owned();
        [
            Self { name: "real", disk: Arc::new(OsDisk), root, _folder: Some(folder) },
            Self { name: "simulated", disk: Arc::new(simulated), root: "/root".into(), _folder: None },
        ]
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn log(&self) -> Log {
        Log::new(Arc::clone(&self.disk), self.path("log.jsonl"))
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let mut file = self.disk.open(&self.path(name), Access::Replace).unwrap();
        assert_eq!(file.write_at(bytes, 0).unwrap(), bytes.len());
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        let file = self.disk.open(&self.path(name), Access::Read).unwrap();
        premath_bd::read_to_end(file.as_ref(), 0, usize::MAX).unwrap()
    }

    fn names(&self) -> Vec<String> {
        self.disk.list(&self.root).unwrap().into_iter().map(|entry| entry.name).collect()
    }
}

/// One thing to do with a file system. Files are named by number, handles too.
#[derive(Debug, Clone)]
enum Deed {
    Open(usize, Access),
    Close(usize),
    WithFile(usize, FileDeed),
    CreateFolder(usize),
    Rename(usize, usize),
    Remove(usize),
    List(usize),
    SyncFolder(usize),
}

/// One thing to do with an open file.
#[derive(Debug, Clone)]
enum FileDeed {
    Append(Vec<u8>),
    WriteAt(Vec<u8>, u64),
    SetLength(u64),
    Read(u64, usize),
    Stat,
    Sync,
}

const FILES: [&str; 6] = ["a", "b", "folder/a", "folder/b", "folder/deep/a", "a/below a file"];
const FOLDERS: [&str; 4] = ["", "folder", "folder/deep", "a"];

fn deed() -> impl Strategy<Value = Deed> {
    let file = 0..FILES.len();
    let access =
        prop_oneof![Just(Access::Read), Just(Access::Append), Just(Access::Update), Just(Access::Replace)];
    prop_oneof![
        6 => (file.clone(), access).prop_map(|(file, access)| Deed::Open(file, access)),
        1 => (0..3_usize).prop_map(Deed::Close),
        17 => (0..3_usize, file_deed()).prop_map(|(handle, deed)| Deed::WithFile(handle, deed)),
        2 => (0..FOLDERS.len()).prop_map(Deed::CreateFolder),
        3 => (file.clone(), file.clone()).prop_map(|(from, to)| Deed::Rename(from, to)),
        2 => file.prop_map(Deed::Remove),
        2 => (0..FOLDERS.len()).prop_map(Deed::List),
        1 => (0..FOLDERS.len()).prop_map(Deed::SyncFolder),
    ]
}

fn file_deed() -> impl Strategy<Value = FileDeed> {
    let bytes = proptest::collection::vec(any::<u8>(), 1..9);
    prop_oneof![
        4 => bytes.clone().prop_map(FileDeed::Append),
        4 => (bytes, 0..20_u64).prop_map(|(bytes, at)| FileDeed::WriteAt(bytes, at)),
        2 => (0..20_u64).prop_map(FileDeed::SetLength),
        4 => (0..20_u64, 1..30_usize).prop_map(|(at, count)| FileDeed::Read(at, count)),
        2 => Just(FileDeed::Stat),
        1 => Just(FileDeed::Sync),
    ]
}

/// Does it and says what came of it, in words that do not depend on the file system.
fn outcome(place: &Place, handles: &mut Vec<(Access, Box<dyn DiskFile>)>, deed: &Deed) -> String {
    let disk = place.disk.as_ref();
    let count = handles.len().max(1);
    let (file, folder) =
        (|number: usize| place.path(FILES[number]), |number: usize| place.path(FOLDERS[number]));
    let said = match deed {
        Deed::Open(number, access) => disk.open(&file(*number), *access).map(|opened| {
            handles.insert(0, (*access, opened));
            handles.truncate(3);
            String::new()
        }),
        Deed::Close(handle) => {
            if !handles.is_empty() {
                handles.remove(handle % count);
            }
            Ok(String::new())
        }
        // Only where a file is in the way: no store opens a folder as a file.
        Deed::CreateFolder(3) if disk.open(&folder(3), Access::Read).is_err() => Ok(String::new()),
        Deed::CreateFolder(number) => disk.create_folder(&folder(*number)).map(|()| String::new()),
        Deed::Rename(from, to) => disk.rename(&file(*from), &file(*to)).map(|()| String::new()),
        Deed::Remove(number) => disk.remove(&file(*number)).map(|()| String::new()),
        Deed::List(number) => disk.list(&folder(*number)).map(|entries| format!("{entries:?}")),
        // What syncing a file as a folder says is nobody's business.
        Deed::SyncFolder(3) => Ok(String::new()),
        Deed::SyncFolder(number) => disk.sync_folder(&folder(*number)).map(|()| String::new()),
        Deed::WithFile(handle, deed) => match handles.get_mut(handle % count) {
            // A file that was opened to be written anywhere is not appended to.
            Some((Access::Update | Access::Replace, _)) if matches!(deed, FileDeed::Append(_)) => {
                Ok(String::new())
            }
            Some((_, file)) => outcome_of_file(file.as_mut(), deed),
            None => Ok("nothing is open".to_owned()),
        },
    };
    said.unwrap_or_else(|error| format!("{:?}", error.kind()))
}

fn outcome_of_file(file: &mut dyn DiskFile, deed: &FileDeed) -> io::Result<String> {
    match deed {
        FileDeed::Append(bytes) => file.append(bytes).map(|taken| taken.to_string()),
        FileDeed::WriteAt(bytes, at) => file.write_at(bytes, *at).map(|taken| taken.to_string()),
        FileDeed::SetLength(length) => file.set_length(*length).map(|()| String::new()),
        FileDeed::Read(at, count) => {
            let mut buffer = vec![0; *count];
            file.read_at(&mut buffer, *at).map(|read| format!("{:?}", &buffer[..read]))
        }
        FileDeed::Stat => file.stat().map(|stat| stat.length.to_string()),
        FileDeed::Sync => file.sync().map(|()| String::new()),
    }
}

fn config() -> ProptestConfig {
    let cases = u32::try_from(amount(256, 5_000)).unwrap();
    ProptestConfig {
        cases,
        rng_seed: if cases == 256 { RngSeed::Fixed(2_026) } else { RngSeed::Random },
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn both_file_systems_answer_the_same(deeds in proptest::collection::vec(deed(), 1..60)) {
        let places = Place::both();
        let mut handles = [Vec::new(), Vec::new()];
        for (at, deed) in deeds.iter().enumerate() {
            let [real, simulated] = &places;
            let said = outcome(real, &mut handles[0], deed);
            let also_said = outcome(simulated, &mut handles[1], deed);
            prop_assert_eq!(said, also_said, "deed {}: {:?}", at, deed);
        }
    }
}

#[test]
fn a_log_is_the_same_on_both_file_systems() {
    for seed in 0..u64::try_from(amount(40, 400)).unwrap() {
        let mut left: Vec<(Vec<u8>, Lines, String)> = Vec::new();
        for place in Place::both() {
            let mut seeded = Seeded::new(seed);
            let (mut writer, mut numbers, mut expected) = (None, 0, Lines::new());
            for _ in 0..seeded.below(20) {
                let step = Step::choose(&mut seeded, &mut numbers, &expected);
                step.run(&place.log(), &mut writer).unwrap();
                expected = step.outcomes(&expected).pop().unwrap();
            }
            drop(writer);
            drop(place.log().write().unwrap());
            let reader = place.log().read().unwrap();
            assert_eq!(lines_of(&reader), expected, "seed {seed} on the {} disk", place.name);
            assert_eq!(reader.standing(), Standing::Anchored, "seed {seed} on the {} disk", place.name);
            left.push((place.bytes("log.jsonl"), expected, reader.extent().digest_hex()));
        }
        assert_eq!(left[0], left[1], "seed {seed}");
    }
}

#[test]
fn a_held_lock_is_busy_and_a_dropped_one_is_free() {
    for place in Place::both() {
        let open = || place.disk.open(&place.path("lock"), Access::Update).unwrap();
        let holder = open();
        assert_eq!(holder.lock(LockMode::Exclusive, Duration::ZERO).unwrap(), LockOutcome::Held);
        for mode in [LockMode::Shared, LockMode::Exclusive] {
            assert_eq!(
                open().lock(mode, Duration::from_millis(10)).unwrap(),
                LockOutcome::Busy,
                "{}",
                place.name
            );
        }
        drop(holder);
        let next = open();
        assert_eq!(next.lock(LockMode::Exclusive, Duration::from_secs(30)).unwrap(), LockOutcome::Held);
        drop(next);
        let readers = [open(), open()];
        for reader in &readers {
            assert_eq!(reader.lock(LockMode::Shared, Duration::from_secs(30)).unwrap(), LockOutcome::Held);
        }
    }
}

#[test]
fn a_missing_log_is_missing_and_an_empty_one_is_empty() {
    for place in Place::both() {
        assert!(matches!(place.log().read(), Err(StoreError::Missing { .. })), "{}", place.name);
        assert_eq!(place.names(), Vec::<String>::new(), "reading made a file");
        let nowhere = Log::new(Arc::clone(&place.disk), place.path("no/such/folder/log.jsonl"));
        assert!(matches!(nowhere.read(), Err(StoreError::Missing { .. })));
        assert!(matches!(nowhere.write(), Err(StoreError::Missing { .. })));

        place.put("log.jsonl", b"");
        let reader = place.log().read().unwrap();
        assert_eq!((lines_of(&reader), reader.standing()), (Lines::new(), Standing::Unanchored));
        assert_eq!(reader.last_line().unwrap(), None);
        place.log().write().unwrap().append(b"{}").unwrap();
        assert_eq!(place.bytes("log.jsonl"), b"{}\n");
    }
}

#[test]
fn what_others_wrote_is_handed_over_as_it_is() {
    let crlf: &[&[u8]] = &[b"{\"n\":1}\r", b"{\"n\":2}\r"];
    let mark: &[&[u8]] = &[b"\xef\xbb\xbf{\"n\":1}", b"{\"n\":2}"];
    let garbage: &[&[u8]] = &[b"", b"not json", b"\xff\xfe", b"{\"n\":1}", b"{\"n\":"];
    let zeros: &[&[u8]] = &[b"\0\0\0", b"{\"n\":1}"];
    for place in Place::both() {
        for lines in [crlf, mark, garbage, zeros] {
            let mut bytes = lines.join(&b'\n');
            bytes.push(b'\n');
            for name in place.names() {
                place.disk.remove(&place.path(&name)).unwrap();
            }
            place.put("log.jsonl", &bytes);
            assert_eq!(lines_of(&place.log().read().unwrap()), lines, "{}", place.name);
            place.log().write().unwrap().append(b"{\"next\":1}").unwrap();
            bytes.extend_from_slice(b"{\"next\":1}\n");
            assert_eq!(place.bytes("log.jsonl"), bytes, "{}", place.name);
        }
    }
}

#[test]
fn a_last_line_without_its_newline_is_read_and_gets_it() {
    for place in Place::both() {
        place.put("log.jsonl", b"{\"n\":1}\n{\"n\":2}");
        let reader = place.log().read().unwrap();
        assert_eq!(reader.extent().rows, 1);
        assert_eq!(reader.unterminated_line(), Some(&b"{\"n\":2}"[..]));
        let appended = place.log().write().unwrap().append(b"{\"n\":3}").unwrap();
        assert_eq!(place.bytes("log.jsonl"), b"{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
        assert_eq!(place.log().read().unwrap().line(appended).unwrap(), b"{\"n\":3}");
    }
}

#[test]
fn half_a_line_is_not_read_and_is_cut_off() {
    for half in [&b"{\"n\":2"[..], b"{\"n\":2}}", b"\0\0\0\0", b"{\"n\":\0\0\0"] {
        for place in Place::both() {
            place.put("log.jsonl", &[b"{\"n\":1}\n", half].concat());
            let reader = place.log().read().unwrap();
            assert_eq!(lines_of(&reader), [b"{\"n\":1}"]);
            assert_eq!(reader.rest(), half);
            place.log().write().unwrap().append(b"{\"n\":3}").unwrap();
            assert_eq!(place.bytes("log.jsonl"), b"{\"n\":1}\n{\"n\":3}\n", "{} behind {half:?}", place.name);
        }
    }
}

#[test]
fn a_line_of_ten_megabytes_is_a_line() {
    let long = [b"{\"notes\":\"".to_vec(), vec![b'x'; 10_000_000], b"\"}".to_vec()].concat();
    for place in Place::both() {
        let mut writer = place.log().write().unwrap();
        writer.append(b"{\"n\":1}").unwrap();
        let appended = writer.append(&long).unwrap();
        writer.append(b"{\"n\":3}").unwrap();
        drop(writer);
        let reader = place.log().read().unwrap();
        assert!(reader.line(appended).unwrap() == long, "{}", place.name);
        assert_eq!(lines_of(&reader).iter().map(Vec::len).collect::<Vec<_>>(), [7, long.len(), 7]);
        place.log().write().unwrap().replace::<StoreError>(|_, new| new.line(&long).map(drop)).unwrap();
        let (last, line) = place.log().read().unwrap().last_line().unwrap().unwrap();
        assert!((last.offset, line.len()) == (0, long.len()) && line == long, "{}", place.name);
    }
}

#[test]
fn a_reader_neither_waits_for_a_writer_for_ever_nor_writes() {
    for place in Place::both() {
        let mut writer = place.log().write().unwrap();
        writer.append(b"{\"n\":1}").unwrap();
        let names = place.names();
        let seen = place.log().read().unwrap();
        writer.append(b"{\"n\":2}").unwrap();
        assert_eq!(lines_of(&seen), [b"{\"n\":1}"], "a reader sees one moment");
        // A line that another process is about to note in the head.
        let mut file = place.disk.open(&place.path("log.jsonl"), Access::Append).unwrap();
        file.append(b"{\"n\":3}\n").unwrap();
        let reader = place.log().read().unwrap();
        assert_eq!((lines_of(&reader).len(), reader.standing()), (3, Standing::Longer), "{}", place.name);
        assert_eq!(place.names(), names, "reading made a file");
    }
}

/// What the log holds after each of these steps, the last one done by a writer in the middle of a reading.
#[test]
fn a_writer_between_two_steps_of_a_reader_makes_nobody_a_forger() {
    let numbered = |number: usize| format!(r#"{{"n":{number}}}"#).into_bytes();
    let deeds = [
        Step::Append(numbered(10)),
        Step::AppendAll(vec![numbered(11), numbered(12), numbered(13)]),
        Step::Replace(vec![numbered(14)]),
        Step::Replace((0..9).map(numbered).collect()),
    ];
    for deed in deeds {
        for noted in [true, false] {
            let mut reached = true;
            let mut at = 1;
            while reached {
                let disk = empty_disk();
                let before: Lines = (0..5).map(numbered).collect();
                let mut writer = Some(log_on(&disk).write().unwrap());
                for line in &before {
                    Step::Append(line.clone()).run(&log_on(&disk), &mut writer).unwrap();
                }
                if !noted {
                    // As if it had been copied: its time is not the one that the head knows.
                    let bytes = disk.bytes(PATH).unwrap();
                    disk.put(PATH, &bytes).unwrap();
                }
                let happened = Arc::new(Mutex::new(false));
                let (log, witness, step) = (log_on(&disk), Arc::clone(&happened), deed.clone());
                disk.interrupt(at, move || {
                    step.run(&log, &mut writer).unwrap();
                    *witness.lock().unwrap() = true;
                });
                let reader = log_on(&disk).read().unwrap();
                let lines = lines_of(&reader);
                let doing = format!("{deed:?} before operation {at}");
                assert!(!reader.standing().is_tampered(), "{doing}: {:?}", reader.standing());
                let after = deed.outcomes(&before).pop().unwrap();
                assert!(lines == before || lines == after, "{doing}: {lines:?}");
                reached = *happened.lock().unwrap();
                at += 1;
            }
            assert!(at > 5, "the reader was interrupted at {at} operations only");
        }
    }
}
