//! What was cut can be fetched, to the last byte: references, from memory and from a disk.

#![expect(clippy::unwrap_used, reason = "a payload that cannot be kept must fail the test")]

mod workbench;

use std::path::PathBuf;
use std::sync::Arc;

use premath_bd::{ObjectId, Objects};
use premath_testkit::CountingIds;
use premath_testkit::faulty_disk::SimDisk;
use premath_tusk::tools::ToolOutput;
use premath_tusk::tools::files::MemoryFiles;
use premath_tusk::tools::payloads::{MemoryPayloads, PayloadError, Payloads, StoredPayloads};
use proptest::prelude::{any, prop, prop_assert, prop_assert_eq, proptest};
use serde_json::{Value, json};
use workbench::Bench;

fn objects() -> Objects {
    Objects::new(Arc::new(SimDisk::new()), Arc::new(CountingIds::new("id")), PathBuf::from("objects"))
}

fn next(output: &ToolOutput) -> Option<Value> {
    let (_, next) = output.note.split_once("read on with resolve_ref ")?;
    Some(serde_json::from_str(next).unwrap())
}

/// Seed: 003 §1/5
#[test]
fn five_megabytes_are_read_to_the_last_line_within_the_budget() {
    let text: String = (0..400_000).map(|line| format!("zeile ß {line}\n")).collect();
    assert!(text.len() > 5 << 20);
    let files = MemoryFiles::new();
    let mut bench = Bench::new(&files);
    bench.budget = 64 * 1024;
    let reference = bench.payloads.put(text.clone());
    let (mut read, mut arguments) = (String::new(), json!({ "ref": reference }));
    loop {
        let output = bench.call("resolve_ref", &arguments).unwrap();
        assert!(output.content.len() <= bench.budget && output.extent.replaced_bytes == 0);
        assert_eq!(output.extent.total_bytes, text.len() as u64);
        read.push_str(&output.content);
        let Some(more) = next(&output) else { break };
        arguments = more;
    }
    assert_eq!(read, text);
    let last = bench.call("resolve_ref", &json!({"ref": reference, "offset": -16})).unwrap();
    assert_eq!(last.content, "zeile ß 399999\n");
    assert!(next(&last).is_none());
    let last = bench.call("resolve_ref", &json!({"ref": reference, "offset": -9})).unwrap();
    assert_eq!(last.content, " 399999\n", "the end of a character that began before is left out");
}

#[test]
fn a_reference_that_leads_nowhere_says_why() {
    let files = MemoryFiles::new();
    let bench = Bench::new(&files);
    let reference = bench.payloads.put("abc");
    let unknown = ObjectId::of(b"other").to_string();
    let code = |arguments: Value| bench.call("resolve_ref", &arguments).unwrap_err().error_code;
    assert_eq!(code(json!({"ref": unknown})), "ref.missing");
    assert_eq!(code(json!({"ref": reference, "offset": 4})), "ref.range");
    assert_eq!(bench.call("resolve_ref", &json!({"ref": reference, "offset": 3})).unwrap().content, "");
    for wrong in ["", "sha256:abc", "../../etc/passwd", &reference.to_uppercase()] {
        assert_eq!(code(json!({"ref": wrong})), "tool.schema_invalid", "{wrong}");
        let refused = bench.payloads.read(wrong, 0, 1);
        assert!(matches!(refused, Err(PayloadError::Invalid { .. })), "{wrong}: {refused:?}");
    }
    bench.payloads.forget();
    assert_eq!(code(json!({"ref": reference})), "ref.not_retained");
}

#[test]
fn objects_of_a_repository_answer_as_memory_does() {
    let (stored, memory) = (objects(), MemoryPayloads::new());
    let payloads = StoredPayloads::new(stored.clone());
    for bytes in [&b""[..], b"abc", &[0, 255, 7], &[b'x'; 100_000]] {
        let reference = memory.put(bytes);
        assert_eq!(stored.put(&mut &*bytes).unwrap().digest.to_string(), reference);
        for (offset, length) in [(0, 0), (0, 10), (1, 1), (2, u64::MAX), (99_999, 10), (u64::MAX, 1)] {
            let (one, other) =
                (payloads.read(&reference, offset, length), memory.read(&reference, offset, length));
            assert_eq!(one.unwrap(), other.unwrap(), "{offset} {length}");
        }
    }
    let unknown = ObjectId::of(b"other").to_string();
    assert!(matches!(payloads.read(&unknown, 0, 1), Err(PayloadError::Missing { .. })));
    assert!(matches!(payloads.read("sha256:x", 0, 1), Err(PayloadError::Invalid { .. })));
}

#[test]
fn an_object_that_is_not_what_it_is_called_is_not_shown_as_a_whole() {
    let disk = Arc::new(SimDisk::new());
    let stored =
        Objects::new(Arc::clone(&disk) as _, Arc::new(CountingIds::new("id")), PathBuf::from("objects"));
    let id = stored.put(&mut &b"true"[..]).unwrap().digest;
    let mut file =
        premath_bd::Disk::open(disk.as_ref(), &stored.path_of(&id), premath_bd::Access::Update).unwrap();
    premath_bd::write_all_at(file.as_mut(), b"fake", 0).unwrap();
    let read = StoredPayloads::new(stored).read(&id.to_string(), 0, 100);
    assert!(matches!(read, Err(PayloadError::System { .. })), "{read:?}");
}

proptest! {
    #[test]
    fn any_bytes_are_reached_to_the_last_in_any_pieces(
        bytes in prop::collection::vec(prop::sample::select(vec![b'a', b'\n', 0, 0xC3, 0xA4, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0xFF]), 0..400),
        budget in 12_usize..100,
        length in prop::option::of(4_u64..50),
        is_stored in any::<bool>(),
    ) {
        let files = MemoryFiles::new();
        let mut bench = Bench::new(&files);
        bench.budget = budget;
        let reference = bench.payloads.put(bytes.clone());
        let stored = objects();
        stored.put(&mut bytes.as_slice()).unwrap();
        let stored = StoredPayloads::new(stored);
        let tool = bench.catalogue.get("resolve_ref").unwrap();
        let mut arguments = json!({ "ref": reference });
        let mut at = 0;
        loop {
            if let Some(length) = length {
                arguments["length"] = json!(length);
            }
            let text = premath_tusk::JsonText::new(arguments.to_string()).unwrap();
            let (_, checked) = bench.catalogue.resolve("resolve_ref", &text).unwrap();
            let mut context = bench.context();
            if is_stored {
                context.payloads = &stored;
            }
            let output = tool.call(&checked, &context).unwrap();
            prop_assert!(output.content.len() <= budget);
            at += output.extent.shown_bytes;
            match next(&output) {
                None => break,
                Some(more) => {
                    prop_assert!(more["offset"].as_u64() > arguments["offset"].as_u64());
                    arguments = more;
                }
            }
        }
        prop_assert!(at <= bytes.len() as u64);
        let stray = bytes.len() as u64 - at;
        prop_assert_eq!(stray, 0, "pieces that follow each other leave nothing out");
    }
}
