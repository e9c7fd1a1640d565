//! What the witness store promises: a name that its content gives it, and nothing handed out under a name that does not
//! fit.

#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod room;

use premath_bd::{StoreError, is_witness_id, witness_of_reference};
use premath_kernel::{
    Assessment, Claims, Object, Strictness, Value, Witness, assess, base32hex, encode, sha256,
};
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Operation, Seeded};
use premath_wire::v1::JoinCheck;
use room::{Room, amount};

fn core(number: u32) -> Value<'static> {
    Object::fields().field("number", number).field("schema", 1).field("witnessKind", "test.v1").finish()
}

fn path(id: &str) -> String {
    format!(".premath/witnesses/{id}.json")
}

#[test]
fn a_witness_is_named_by_its_core_and_not_by_its_messages() {
    let room = Room::new();
    let witnesses = room.witnesses();
    let id = witnesses.put(&core(1), Some(&Value::from("a person reads this"))).unwrap();
    assert_eq!(id, format!("w1_{}", base32hex(&sha256(&encode(&core(1))))));
    let kept = witnesses.get(&id).unwrap();
    let record = kept.as_object().unwrap();
    assert_eq!(record.get("messages").and_then(Value::as_text), Some("a person reads this"));
    assert_eq!(record.get("witnessId").and_then(Value::as_text), Some(id.as_str()));
    assert_eq!(record.get("number"), Some(&Value::from(1)));

    let before = room.files();
    assert_eq!(witnesses.put(&core(1), Some(&Value::from("other words"))).unwrap(), id);
    assert_eq!(witnesses.put(&core(1), None).unwrap(), id);
    assert_eq!(room.files(), before, "what is there stays as it is");
    assert_ne!(witnesses.put(&core(2), None).unwrap(), id);
}

#[test]
fn every_changed_byte_of_a_witness_is_noticed() {
    let room = Room::new();
    let witnesses = room.witnesses();
    let id = witnesses.put(&core(1), None).unwrap();
    let sound = room.disk.bytes(path(&id)).unwrap();
    // The newline at the end is white space to a reader of JSON.
    for at in 0..sound.len() - 1 {
        for bit in 0..8 {
            let mut changed = sound.clone();
            changed[at] ^= 1 << bit;
            room.disk.put(path(&id), &changed).unwrap();
            let answer = witnesses.get(&id);
            assert!(matches!(answer, Err(StoreError::Corrupt { .. })), "byte {at}, bit {bit}: {answer:?}");
        }
    }
    assert_eq!(witnesses.put(&core(1), None).unwrap(), id);
    assert_eq!(room.disk.bytes(path(&id)).unwrap(), sound, "a damaged witness is replaced");
}

#[test]
fn a_witness_under_another_name_is_refused() {
    let room = Room::new();
    let witnesses = room.witnesses();
    let (one, two) = (witnesses.put(&core(1), None).unwrap(), witnesses.put(&core(2), None).unwrap());
    room.disk.put(path(&one), &room.disk.bytes(path(&two)).unwrap()).unwrap();
    assert!(matches!(witnesses.get(&one), Err(StoreError::Corrupt { .. })));
    assert!(witnesses.get(&two).is_ok());
}

#[test]
fn a_name_of_a_witness_is_never_a_path() {
    let room = Room::new();
    room.disk.put(".premath/secret.json", b"{}").unwrap();
    let witnesses = room.witnesses();
    let long = format!("w1_{}", "a".repeat(53));
    let odd = format!("w1_{}w", "a".repeat(51));
    let upper = format!("w1_{}A", "a".repeat(51));
    for name in
        ["", "../secret", "w1_", "w1_../../secret", "w1_abc", long.as_str(), odd.as_str(), upper.as_str()]
    {
        assert!(!is_witness_id(name), "{name}");
        assert!(matches!(witnesses.get(name), Err(StoreError::Input(_))), "{name}");
        assert!(!witnesses.contains(name).unwrap(), "{name}");
    }
    let id = witnesses.put(&core(1), None).unwrap();
    assert_eq!(witness_of_reference(&format!("witness://{id}")), Some(id.as_str()));
    assert_eq!(witness_of_reference("witness://../secret"), None);
}

#[test]
fn what_is_no_core_is_refused_and_leaves_nothing() {
    let room = Room::new();
    let before = room.files();
    let witnesses = room.witnesses();
    let own_id = Object::fields().field("witnessId", "w1_x").finish();
    let own_messages = Object::fields().field("messages", "x").finish();
    for core in [Value::Null, Value::from("text"), own_id, own_messages] {
        assert!(matches!(witnesses.put(&core, None), Err(StoreError::Input(_))), "{core:?}");
    }
    assert!(matches!(witnesses.put_record(&core(1)), Err(StoreError::Input(_))), "no id of its own");
    assert_eq!(room.files(), before);
}

#[test]
fn asking_makes_no_file() {
    let room = Room::new();
    let before = room.files();
    let witnesses = room.witnesses();
    let id = format!("w1_{}", "a".repeat(52));
    assert!(matches!(witnesses.get(&id), Err(StoreError::Missing { .. })));
    assert!(!witnesses.contains(&id).unwrap());
    assert_eq!(witnesses.iter().unwrap().count(), 0);
    assert_eq!(room.files(), before);
}

#[test]
fn all_witnesses_are_listed_in_order_and_nothing_else() {
    let room = Room::new();
    let witnesses = room.witnesses();
    let mut ids: Vec<String> = (0..20).map(|number| witnesses.put(&core(number), None).unwrap()).collect();
    ids.sort();
    room.disk.put(".premath/witnesses/notes.txt", b"mine").unwrap();
    room.disk.put(format!(".premath/witnesses/{}.test-9.tmp", ids[0]), b"half").unwrap();
    assert_eq!(witnesses.iter().unwrap().collect::<Vec<_>>(), ids);
}

/// The witness that the kernel leaves of a check, with its own id.
fn join_witness(document: &[u8]) -> Value<'static> {
    let input = JoinCheck::read(document, Strictness::Lenient).unwrap();
    let turn = JoinCheck::normalize(input.turn).unwrap();
    let claims: Claims = input.claims;
    let assessment: Assessment = assess(&turn, None, &claims);
    Witness::of(&turn, &assessment, None, &claims).into_value().into_owned()
}

#[test]
fn the_kernels_own_witness_is_kept_under_its_own_name() {
    let case = include_bytes!("../../../conformance/harness-typestate/golden/single_call_accept/case.json");
    let record = join_witness(case);
    let room = Room::new();
    let witnesses = room.witnesses();
    let id = witnesses.put_record(&record).unwrap();
    assert_eq!(witnesses.get(&id).unwrap(), record);
    assert_eq!(record.as_object().unwrap().get("witnessId").and_then(Value::as_text), Some(id.as_str()));

    let text = String::from_utf8(room.disk.bytes(path(&id)).unwrap()).unwrap();
    let forged = text.replace("\"joinClosed\":true", "\"joinClosed\":false");
    assert_ne!(forged, text);
    room.disk.put(path(&id), forged.as_bytes()).unwrap();
    assert!(matches!(witnesses.get(&id), Err(StoreError::Corrupt { .. })));
}

#[test]
fn a_power_loss_leaves_a_witness_whole_or_not_at_all() {
    let room = Room::new();
    room.disk.record();
    let witnesses = room.witnesses();
    let first = witnesses.put(&core(1), None).unwrap();
    room.disk.set_mark(1);
    let second = witnesses.put(&core(2), None).unwrap();
    room.disk.set_mark(2);
    for (number, state) in room.disk.recorded().iter().enumerate() {
        for seed in 0..amount(20, 500) {
            let mut seeded = Seeded::new(u64::try_from(number * 1_000 + seed).unwrap());
            let after = Room::on(state.crash(&mut |limit| seeded.below(limit)));
            let witnesses = after.witnesses();
            for (id, mark) in [(&first, 1), (&second, 2)] {
                match witnesses.get(id) {
                    Ok(_) => {}
                    Err(StoreError::Missing { .. }) => {
                        assert!(state.mark() < mark, "state {number}, seed {seed}")
                    }
                    Err(error) => panic!("state {number}, seed {seed}: {error}"),
                }
            }
            witnesses.put(&core(2), None).unwrap();
            witnesses.get(&second).unwrap();
        }
    }
}

#[test]
fn a_put_behind_a_killed_one_makes_the_name_durable_itself() {
    let room = Room::new();
    room.disk.record();
    room.witnesses().put(&core(1), None).unwrap();
    for (number, state) in room.disk.recorded().iter().enumerate() {
        let next = Room::on(state.kill());
        let id = next.witnesses().put(&core(1), None).unwrap();
        let after = Room::on(next.disk.crash(&mut |_| 0));
        after.witnesses().get(&id).unwrap_or_else(|error| panic!("state {number}: {error}"));
    }
}

#[test]
fn after_a_failed_sync_nothing_more_is_promised() {
    for (of, count) in [(Operation::Sync, 1), (Operation::SyncFolder, 2)] {
        for nth in 1..=count {
            let room = Room::new();
            let witnesses = room.witnesses();
            room.disk.fail(Failure { of: Some(of), nth, fault: Fault::InputOutput, lasting: Lasting::Once });
            assert!(matches!(witnesses.put(&core(1), None), Err(StoreError::Io { .. })), "{of:?} {nth}");
            assert!(
                matches!(witnesses.put(&core(1), None), Err(StoreError::Poisoned { .. })),
                "{of:?} {nth}"
            );
            let id = room.witnesses().put(&core(1), None).unwrap();
            room.witnesses().get(&id).unwrap();
        }
    }
}
