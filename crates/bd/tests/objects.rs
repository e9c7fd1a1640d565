//! What the object store promises: content under the name of its hash, durable when it is acknowledged, and collected only
//! when nobody can need it.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what cannot be done fails the test"
)]

mod room;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

use premath_bd::{
    Collection, Disk, GarbageRules, ObjectId, Objects, OsDisk, OsIds, StoreError, objects_folder,
};
use premath_kernel::Moment;
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Operation, Seeded};
use premath_wire::InputClass;
use proptest::prelude::*;
use room::{Room, amount, at};

fn put(objects: &Objects, content: &[u8]) -> Result<ObjectId, StoreError> {
    let mut content = content;
    objects.put(&mut content).map(|object| object.digest)
}

fn put_all(objects: &Objects, contents: &[Vec<u8>]) {
    for content in contents {
        assert_eq!(put(objects, content).unwrap(), ObjectId::of(content));
    }
}

fn everything(objects: &Objects, id: &ObjectId) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    objects.open(id).map_err(io::Error::other)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn incoming(room: &Room) -> Vec<PathBuf> {
    room.files().into_keys().filter(|path| path.starts_with(".premath/objects/incoming")).collect()
}

#[test]
fn content_is_found_under_the_name_of_its_hash() {
    let room = Room::new();
    let objects = room.objects();
    for content in [b"".to_vec(), b"abc".to_vec(), vec![7; 600_000]] {
        let mut source = content.as_slice();
        let object = objects.put(&mut source).unwrap();
        assert_eq!(object.digest, ObjectId::of(&content));
        assert_eq!(object.size, u64::try_from(content.len()).unwrap());
        assert_eq!(everything(&objects, &object.digest).unwrap(), content);
        assert_eq!(objects.verify(&object.digest).unwrap(), object.size);
        assert!(objects.contains(&object.digest).unwrap());
    }
    let place = ".premath/objects/ba/7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(room.disk.bytes(place).unwrap(), b"abc");
    assert_eq!(incoming(&room), Vec::<PathBuf>::new());
    assert_eq!(objects.iter().map(Result::unwrap).count(), 3);
    assert!(objects.iter().map(Result::unwrap).is_sorted());
}

#[test]
fn content_that_is_there_is_not_written_again_and_damaged_content_is_replaced() {
    let room = Room::new();
    let objects = room.objects();
    let id = put(&objects, b"payload").unwrap();
    let path = objects.path_of(&id);
    let identity = || room.disk.open(&path, premath_bd::Access::Read).unwrap().stat().unwrap().identity;
    let first = identity();
    assert_eq!(put(&objects, b"payload").unwrap(), id);
    assert_eq!(identity(), first, "the file is the same one");

    room.disk.put(&path, b"paYload").unwrap();
    assert!(matches!(objects.verify(&id), Err(StoreError::Corrupt { .. })));
    assert_eq!(everything(&objects, &id).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(put(&objects, b"payload").unwrap(), id);
    assert_eq!(everything(&objects, &id).unwrap(), b"payload");
    assert_eq!(incoming(&room), Vec::<PathBuf>::new());
}

#[test]
fn a_reader_who_asks_on_after_a_mismatch_is_told_again() {
    let room = Room::new();
    let objects = room.objects();
    let id = put(&objects, b"payload").unwrap();
    room.disk.put(objects.path_of(&id), b"shorter").unwrap();
    let mut reader = objects.open(&id).unwrap();
    let mut buffer = [0; 64];
    assert_eq!(reader.read(&mut buffer).unwrap(), 7);
    assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidData);
    assert_eq!(reader.read(&mut buffer).unwrap_err().kind(), io::ErrorKind::InvalidData);
}

#[test]
fn a_part_is_cut_at_the_end_of_the_object() {
    let room = Room::new();
    let objects = room.objects();
    let id = put(&objects, b"0123456789").unwrap();
    let part = |offset, length| objects.read_range(&id, offset, length).unwrap();
    assert_eq!(part(0, 4), b"0123");
    assert_eq!(part(8, 4), b"89");
    assert_eq!(part(10, 4), b"");
    assert_eq!(part(u64::MAX, 4), b"");
    assert_eq!(part(3, 0), b"");
    let missing = ObjectId::of(b"not there");
    assert!(matches!(objects.read_range(&missing, 0, 1), Err(StoreError::Missing { .. })));
}

#[test]
fn an_object_beyond_the_limit_is_refused_and_leaves_nothing() {
    let room = Room::new();
    let objects = room.objects().with_limit(1_000);
    put(&objects, &[1; 1_000]).unwrap();
    let before = room.files();
    match put(&objects, &[1; 1_001]) {
        Err(StoreError::Input(error)) => assert_eq!(error.class, InputClass::TooLarge),
        other => panic!("{other:?}"),
    }
    let mut endless = io::repeat(7);
    assert!(matches!(objects.put(&mut endless), Err(StoreError::Input(_))));
    assert_eq!(room.files(), before);
}

/// Content that ends in an error.
struct Broken(u8);

impl Read for Broken {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0 += 1;
        match self.0 {
            1 => Err(io::ErrorKind::Interrupted.into()),
            2 => {
                buffer[..3].copy_from_slice(b"abc");
                Ok(3)
            }
            _ => Err(io::ErrorKind::ConnectionReset.into()),
        }
    }
}

#[test]
fn content_that_breaks_off_leaves_nothing() {
    let room = Room::new();
    let objects = room.objects();
    put(&objects, b"first").unwrap();
    let before = room.files();
    assert!(matches!(objects.put(&mut Broken(0)), Err(StoreError::Io { .. })));
    assert_eq!(room.files(), before);
}

#[test]
fn asking_makes_no_file() {
    let room = Room::new();
    let before = room.files();
    let objects = room.objects();
    let id = ObjectId::of(b"abc");
    assert!(!objects.contains(&id).unwrap());
    assert!(matches!(objects.open(&id), Err(StoreError::Missing { .. })));
    assert!(matches!(objects.verify(&id), Err(StoreError::Missing { .. })));
    assert_eq!(objects.iter().count(), 0);
    let report = objects
        .collect_garbage(
            &BTreeSet::new(),
            &GarbageRules::before(at(9_000_000)),
            Collection::Remove,
            &mut |_| (),
        )
        .unwrap();
    assert_eq!(report, premath_bd::GarbageReport::default());
    assert_eq!(room.files(), before);
}

#[test]
fn a_name_is_sixty_four_lower_case_digits_and_never_a_path() {
    let good = ObjectId::of(b"abc");
    assert_eq!(good.to_string().parse::<ObjectId>().unwrap(), good);
    assert_eq!(ObjectId::from_reference(&good.reference()), Some(good));
    let digits = |count: usize| "a".repeat(count);
    let cases = [
        String::new(),
        digits(64),
        format!("sha256:{}", digits(63)),
        format!("sha256:{}", digits(65)),
        format!("sha256:{}", digits(64).to_uppercase()),
        format!("sha256:../../{}", digits(58)),
        format!("sha256:{}+1", digits(62)),
    ];
    for case in cases {
        assert!(case.parse::<ObjectId>().is_err(), "{case}");
        assert_eq!(ObjectId::from_reference(&format!("object://{case}")), None);
    }
    assert_eq!(ObjectId::from_reference(&good.to_string()), None, "a digest alone is no reference");
}

#[test]
fn threads_that_put_the_same_content_all_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::new(Arc::new(OsDisk), Arc::new(OsIds), objects_folder(folder.path()));
    let contents: Vec<Vec<u8>> = (0_u8..4).map(|number| vec![number; 70_000]).collect();
    let ids: Vec<BTreeSet<ObjectId>> = thread::scope(|scope| {
        let work = || {
            let one = |content: &Vec<u8>| put(&objects, content).unwrap();
            (0..10).flat_map(|_| contents.iter().map(one).collect::<Vec<_>>()).collect::<BTreeSet<_>>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let expected: BTreeSet<ObjectId> = contents.iter().map(|content| ObjectId::of(content)).collect();
    assert!(ids.iter().all(|seen| *seen == expected));
    assert_eq!(objects.iter().map(Result::unwrap).collect::<BTreeSet<_>>(), expected);
    for id in &expected {
        objects.verify(id).unwrap();
    }
    assert_eq!(OsDisk.list(&objects.folder().join("incoming")).unwrap(), []);
}

#[test]
fn threads_that_put_while_another_collects_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let objects = Objects::new(Arc::new(OsDisk), Arc::new(OsIds), objects_folder(folder.path()));
    let contents: Vec<Vec<u8>> = (0_u8..6).map(|number| vec![number; 3_000]).collect();
    put_all(&objects, &contents);
    let young = at(i64::MAX);
    thread::scope(|scope| {
        let collecting = scope.spawn(|| {
            // Everything that is there counts as old, also what was put just now.
            (0..200)
                .map(|_| {
                    objects
                        .collect_garbage(
                            &BTreeSet::new(),
                            &GarbageRules::before(young),
                            Collection::Remove,
                            &mut |_| (),
                        )
                        .unwrap()
                        .examined
                })
                .sum::<u64>()
        });
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..20 {
                    put_all(&objects, &contents);
                }
            });
        }
        assert!(collecting.join().unwrap() > 0, "nothing was there to collect");
    });
    // Nothing is left half done: what is there is whole, and puts still work.
    for id in objects.iter().map(Result::unwrap) {
        objects.verify(&id).unwrap();
    }
    for content in &contents {
        objects.verify(&put(&objects, content).unwrap()).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: u32::try_from(amount(64, 2_000)).unwrap(), ..ProptestConfig::default() })]

    #[test]
    fn a_collection_takes_exactly_what_is_old_and_not_referred_to(
        objects in prop::collection::vec((0_u8..40, 0_i64..100, any::<bool>()), 0..30),
        leftovers in prop::collection::vec(0_i64..100, 0..4),
        before in 0_i64..100,
    ) {
        let room = Room::new();
        let store = room.objects();
        // The last put of a content counts.
        let mut model: BTreeMap<ObjectId, (i64, bool)> = BTreeMap::new();
        for (content, time, is_reachable) in objects {
            room.disk.set_time(at(time));
            let id = put(&store, &[b"content ".as_slice(), &[content]].concat()).unwrap();
            model.insert(id, (time, is_reachable));
        }
        for (time, number) in leftovers.iter().zip(0_u32..) {
            room.disk.set_time(at(*time));
            room.disk.put(format!(".premath/objects/incoming/killed-{number}.tmp"), b"half").unwrap();
        }
        let reachable: BTreeSet<ObjectId> = model.iter().filter(|(_, (_, reached))| *reached).map(|(id, _)| *id).collect();
        let garbage: Vec<ObjectId> =
            model.iter().filter(|(_, (time, reached))| !reached && *time < before).map(|(id, _)| *id).collect();

        let files = room.files();
        let plan = store.collect_garbage(&reachable, &GarbageRules::before(at(before)), Collection::Plan, &mut |_| ()).unwrap();
        prop_assert_eq!(room.files(), files, "a plan changes nothing");
        prop_assert_eq!(&plan.garbage, &garbage);
        prop_assert_eq!(plan.examined, u64::try_from(model.len()).unwrap());
        prop_assert_eq!(plan.reachable, u64::try_from(reachable.len()).unwrap());
        prop_assert_eq!(plan.leftovers, leftovers.iter().filter(|time| **time < before).count() as u64);

        let done = store.collect_garbage(&reachable, &GarbageRules::before(at(before)), Collection::Remove, &mut |_| ()).unwrap();
        prop_assert_eq!(&done, &plan);
        let left: BTreeSet<ObjectId> = store.iter().map(Result::unwrap).collect();
        let expected: BTreeSet<ObjectId> = model.keys().filter(|id| !garbage.contains(id)).copied().collect();
        prop_assert_eq!(left, expected);
        prop_assert_eq!(incoming(&room).len(), leftovers.iter().filter(|time| **time >= before).count());
        let again = store.collect_garbage(&reachable, &GarbageRules::before(at(before)), Collection::Remove, &mut |_| ()).unwrap();
        prop_assert!(again.garbage.is_empty() && again.leftovers == 0);
    }
}

/// A disk with one old object that nobody refers to, and the time moved on.
fn with_old_garbage() -> (Room, ObjectId) {
    let room = Room::new();
    let id = put(&room.objects(), b"old and wanted again").unwrap();
    room.disk.set_time(at(2_000_000));
    (room, id)
}

#[test]
fn the_empty_object_is_never_garbage() {
    let room = Room::new();
    let id = put(&room.objects(), b"").unwrap();
    room.disk.set_time(at(2_000_000));
    let report = room
        .objects()
        .collect_garbage(
            &BTreeSet::new(),
            &GarbageRules::before(at(3_000_000)),
            Collection::Remove,
            &mut |_| (),
        )
        .unwrap();
    assert_eq!((report.examined, report.young), (1, 1));
    // It cannot be made young again by a put, so it must not be old.
    room.objects().verify(&id).unwrap();
}

#[test]
fn a_put_at_any_point_of_a_collection_keeps_what_it_was_promised() {
    let (mut kept, mut refused) = (0, 0);
    for nth in 1.. {
        let (room, id) = with_old_garbage();
        let answer = Arc::new(Mutex::new(None));
        let (slot, other) = (Arc::clone(&answer), room.clone());
        room.disk.interrupt(nth, move || {
            *slot.lock().unwrap() = Some(put(&other.objects(), b"old and wanted again"));
        });
        let report = room
            .objects()
            .collect_garbage(
                &BTreeSet::new(),
                &GarbageRules::before(at(1_500_000)),
                Collection::Remove,
                &mut |_| (),
            )
            .unwrap();
        let answer = answer.lock().unwrap().take();
        match answer {
            // The collection was over before that many operations.
            None => break,
            Some(Ok(_)) => {
                room.objects().verify(&id).unwrap_or_else(|error| panic!("before operation {nth}: {error}"));
                kept += 1;
            }
            Some(Err(StoreError::Busy { .. })) => {
                assert_eq!(report.garbage, [id]);
                refused += 1;
            }
            Some(Err(error)) => panic!("before operation {nth}: {error}"),
        }
    }
    assert!(kept > 3 && refused > 0, "{kept} kept, {refused} refused: the interruptions missed");
}

#[test]
fn a_collection_at_any_point_of_a_put_takes_nothing_that_is_then_promised() {
    let collected = collect_during_puts(&with_old_garbage, at(1_500_000), &|room, id, place| {
        room.objects().verify(id).unwrap_or_else(|error| panic!("{place}: {error}"));
    });
    assert!(collected > 0, "no collection came before the put looked");
    // Without any grace an object may be gone right after its put, but the put itself is not disturbed.
    for make in [with_old_garbage, with_nothing] {
        collect_during_puts(&make, at(9_000_000), &|room, _, _| {
            for id in &room.objects() {
                room.objects().verify(&id.unwrap()).unwrap();
            }
        });
    }
}

/// A disk with a store that has no objects yet.
fn with_nothing() -> (Room, ObjectId) {
    let (room, id) = with_old_garbage();
    let report = room
        .objects()
        .collect_garbage(
            &BTreeSet::new(),
            &GarbageRules::before(at(1_500_000)),
            Collection::Remove,
            &mut |_| (),
        )
        .unwrap();
    assert_eq!(report.garbage, [id]);
    (room, id)
}

/// Runs a collection before each operation of a put in turn, and a check behind it. How many objects were collected.
fn collect_during_puts(
    make: &dyn Fn() -> (Room, ObjectId),
    before: Moment,
    check: &dyn Fn(&Room, &ObjectId, &str),
) -> usize {
    let mut collected = 0;
    for nth in 1.. {
        let (room, id) = make();
        let ran = Arc::new(Mutex::new(None));
        let (slot, other) = (Arc::clone(&ran), room.clone());
        room.disk.interrupt(nth, move || {
            let report = other.objects().collect_garbage(
                &BTreeSet::new(),
                &GarbageRules::before(before),
                Collection::Remove,
                &mut |_| (),
            );
            *slot.lock().unwrap() = Some(report.map(|report| report.garbage.len()));
        });
        let answer = put(&room.objects(), b"old and wanted again");
        let Some(ran) = ran.lock().unwrap().take() else { break };
        match ran {
            Ok(count) => collected += count,
            Err(StoreError::Busy { .. }) => {}
            Err(error) => panic!("before operation {nth}: {error}"),
        }
        let place = format!("before operation {nth}");
        assert_eq!(answer.unwrap_or_else(|error| panic!("{place}: {error}")), id);
        check(&room, &id, &place);
    }
    collected
}

#[test]
fn a_put_under_way_is_not_a_leftover_however_long_it_takes() {
    let room = Room::new();
    let store = room.objects();
    /// Collects garbage while its content is being read.
    struct Slow<'r>(&'r Room, u8);
    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            self.0.disk.set_time(at(9_000_000));
            let report = self
                .0
                .objects()
                .collect_garbage(
                    &BTreeSet::new(),
                    &GarbageRules::before(at(8_000_000)),
                    Collection::Remove,
                    &mut |_| (),
                )
                .unwrap();
            assert_eq!(report.leftovers, 0);
            if self.1 > 3 {
                return Ok(0);
            }
            buffer[0] = self.1;
            Ok(1)
        }
    }
    let object = store.put(&mut Slow(&room, 0)).unwrap();
    assert_eq!(everything(&store, &object.digest).unwrap(), [1, 2, 3]);
}

#[test]
fn a_killed_put_leaves_no_false_object_and_its_file_is_collected_later() {
    let room = Room::new();
    room.disk.record();
    let content = vec![9; 300_000];
    let id = put(&room.objects(), &content).unwrap();
    let mut with_leftover = 0;
    for state in room.disk.recorded() {
        let after = Room::on(state.kill());
        let objects = after.objects();
        for found in objects.iter().map(Result::unwrap) {
            objects.verify(&found).unwrap();
        }
        with_leftover += incoming(&after).len();
        let young = objects
            .collect_garbage(
                &BTreeSet::from([id]),
                &GarbageRules::before(at(0)),
                Collection::Remove,
                &mut |_| (),
            )
            .unwrap();
        assert_eq!(young.leftovers, 0);
        objects
            .collect_garbage(
                &BTreeSet::from([id]),
                &GarbageRules::before(at(9_000_000)),
                Collection::Remove,
                &mut |_| (),
            )
            .unwrap();
        assert_eq!(incoming(&after), Vec::<PathBuf>::new());
        assert_eq!(put(&objects, &content).unwrap(), id);
        objects.verify(&id).unwrap();
    }
    assert!(with_leftover > 0, "no state had a leftover");
}

#[test]
fn after_a_power_loss_an_acknowledged_object_is_there_and_no_object_is_false() {
    let room = Room::new();
    room.disk.record();
    let contents = [vec![1; 5_000], vec![2; 700], vec![1; 5_000]];
    let mut ids = Vec::new();
    for content in &contents {
        ids.push(put(&room.objects(), content).unwrap());
        room.disk.set_mark(u64::try_from(ids.len()).unwrap());
    }
    for (number, state) in room.disk.recorded().iter().enumerate() {
        for seed in 0..amount(20, 500) {
            let mut seeded = Seeded::new(u64::try_from(number * 1_000 + seed).unwrap());
            let after = Room::on(state.crash(&mut |limit| seeded.below(limit)));
            let objects = after.objects();
            for found in objects.iter().map(Result::unwrap) {
                objects.verify(&found).unwrap_or_else(|error| panic!("state {number}, seed {seed}: {error}"));
            }
            for id in ids.iter().take(usize::try_from(state.mark()).unwrap()) {
                objects.verify(id).unwrap_or_else(|error| panic!("state {number}, seed {seed}: {error}"));
            }
            put(&objects, &contents[1]).unwrap();
        }
    }
}

#[test]
fn a_put_behind_a_killed_one_makes_the_name_durable_itself() {
    let room = Room::new();
    room.disk.record();
    put(&room.objects(), b"payload").unwrap();
    for (number, state) in room.disk.recorded().iter().enumerate() {
        let next = Room::on(state.kill());
        let id = put(&next.objects(), b"payload").unwrap();
        let after = Room::on(next.disk.crash(&mut |_| 0));
        after.objects().verify(&id).unwrap_or_else(|error| panic!("state {number}: {error}"));
    }
}

#[test]
fn a_put_behind_one_that_failed_elsewhere_makes_every_name_durable_itself() {
    for nth in 1..=2 {
        let room = Room::new();
        let (mine, other) = (room.objects(), room.objects());
        put(&mine, b"something else").unwrap();
        put(&other, b"").unwrap();
        let failure = Failure {
            of: Some(Operation::SyncFolder),
            nth,
            fault: Fault::InputOutput,
            lasting: Lasting::Once,
        };
        room.disk.fail(failure);
        assert!(put(&other, b"payload").is_err());
        let id = put(&mine, b"payload").unwrap();
        let after = Room::on(room.disk.crash(&mut |_| 0));
        after.objects().verify(&id).unwrap_or_else(|error| panic!("sync {nth}: {error}"));
    }
}

#[test]
fn every_operation_that_fails_is_an_error_and_no_false_object() {
    let count = {
        let room = Room::new();
        put(&room.objects(), b"payload").unwrap();
        room.disk.count(None)
    };
    for nth in 1..=count {
        for fault in [Fault::InputOutput, Fault::NoSpace] {
            let room = Room::new();
            room.disk.fail(Failure { of: None, nth, fault, lasting: Lasting::ForEver });
            let objects = room.objects();
            let answer = put(&objects, b"payload");
            room.disk.heal();
            if let Ok(id) = answer {
                panic!("operation {nth} failed and {id} was acknowledged");
            }
            for found in objects.iter().map(Result::unwrap) {
                objects.verify(&found).unwrap();
            }
            let id = put(&room.objects(), b"payload").unwrap();
            room.objects().verify(&id).unwrap();
        }
    }
}

#[test]
fn after_a_failed_sync_nothing_more_is_promised() {
    for (of, count) in [(Operation::Sync, 1), (Operation::SyncFolder, 4)] {
        for nth in 1..=count {
            let room = Room::new();
            let objects = room.objects();
            room.disk.fail(Failure { of: Some(of), nth, fault: Fault::InputOutput, lasting: Lasting::Once });
            assert!(matches!(put(&objects, b"payload"), Err(StoreError::Io { .. })), "{of:?} {nth}");
            assert!(matches!(put(&objects, b"payload"), Err(StoreError::Poisoned { .. })), "{of:?} {nth}");
            let id = put(&room.objects(), b"payload").unwrap();
            room.objects().verify(&id).unwrap();
        }
    }
}
