//! What is known of a patch before it happens, and afterwards in another process: prepared, kept, taken back, shown.

#![expect(clippy::unwrap_used, reason = "what cannot be prepared must fail the test")]

mod faulty;
mod workbench;

use std::collections::BTreeMap;

use faulty::{Fault, Faulty};
use premath_kernel::{Value, encode};
use premath_tusk::JsonText;
use premath_tusk::tools::files::{FileContent, MemoryFiles, WorkFiles};
use premath_tusk::tools::{Arguments, FileState, Tool, ToolFailure, ToolOutput, UndoRecord, prepare_patch};
use premath_wire::strict::{Limits, parse};
use serde_json::json;
use workbench::Bench;

const PATCH: &str = "*** Begin Patch
*** Add File: new/deep/file
+fresh
*** Update File: changed
@@
-old
+new
*** Delete File: gone
*** Update File: run
*** Move to: there/run
@@
-old
+new
*** End Patch
";

fn tree() -> MemoryFiles {
    let files = MemoryFiles::new();
    files.put("changed", "a\nold\nb\n");
    files.put("gone", vec![0, 159, 255]);
    files.create("run", &FileContent { bytes: b"old\n".to_vec(), executable: true }).unwrap();
    files
}

fn arguments(bench: &Bench<'_>, patch: &str) -> Arguments {
    let text = JsonText::new(json!({ "patch": patch }).to_string()).unwrap();
    bench.catalogue.resolve("apply_patch", &text).unwrap().1
}

fn tool<'b>(bench: &'b Bench<'_>) -> &'b dyn Tool {
    bench.catalogue.get("apply_patch").unwrap().as_ref()
}

fn prepared(bench: &Bench<'_>, patch: &str) -> UndoRecord {
    tool(bench).prepare(&arguments(bench, patch), &bench.context()).unwrap().unwrap()
}

fn made(bench: &Bench<'_>, patch: &str, record: &UndoRecord) -> Result<ToolOutput, ToolFailure> {
    tool(bench).call_prepared(&arguments(bench, patch), Some(record), &bench.context())
}

/// The record as another process reads it.
fn kept(record: &UndoRecord) -> UndoRecord {
    let bytes = encode(&record.to_value());
    UndoRecord::from_value(&parse(&bytes, Limits::default()).unwrap()).unwrap()
}

#[test]
fn what_was_prepared_is_what_happens_and_preparing_changes_nothing() {
    let (files, whole) = (tree(), tree());
    let bench = Bench::new(&files);
    let record = prepared(&bench, PATCH);
    assert_eq!((files.all(), files.folders()), (tree().all(), Vec::new()));
    let output = made(&bench, PATCH, &record).unwrap();
    let at_once = Bench::new(&whole).call("apply_patch", &json!({ "patch": PATCH })).unwrap();
    assert_eq!(output, at_once, "in two phases as in one");
    assert_eq!(files.all(), whole.all());
    assert_eq!(output.undo.unwrap(), record);
}

#[test]
fn other_tools_have_nothing_to_take_back_and_are_called_as_ever() {
    let files = tree();
    let bench = Bench::new(&files);
    let text = JsonText::new(r#"{"path": "changed"}"#).unwrap();
    let (tool, arguments) = bench.catalogue.resolve("fs_read", &text).unwrap();
    assert_eq!(tool.prepare(&arguments, &bench.context()).unwrap(), None);
    let output = tool.call_prepared(&arguments, None, &bench.context()).unwrap();
    assert_eq!(output.content, "a\nold\nb\n");
}

#[test]
fn a_file_that_changed_since_keeps_the_whole_patch_from_happening() {
    let others = [
        ("`changed` is changed by somebody else", "changed", Some("a\nold\nc\n")),
        ("`gone` is changed", "gone", None),
        ("`run` is changed by somebody else", "run", Some("old\n")),
        ("`there/run` is changed by somebody else", "there/run", Some("x")),
        ("`changed` is changed", "changed", Some("a\nnew\nb\n")),
    ];
    for (message, path, text) in others {
        let files = tree();
        let bench = Bench::new(&files);
        let record = prepared(&bench, PATCH);
        match text {
            Some(text) => files.put(path, text),
            None => files.remove(path).unwrap(),
        }
        let before = files.all();
        let failure = made(&bench, PATCH, &record).unwrap_err();
        assert_eq!(failure.error_code, "patch.stale");
        assert_eq!(failure.message, format!("files changed since the patch was prepared: {message}"));
        assert_eq!(files.all(), before, "{message}");
    }
    let files = tree();
    let bench = Bench::new(&files);
    let record = prepared(&bench, PATCH);
    files.put_link("new");
    assert_eq!(made(&bench, PATCH, &record).unwrap_err().error_code, "path.link");
    assert!(files.all().contains_key("gone"));
}

#[test]
fn two_patches_that_were_prepared_together_may_make_the_same_folder() {
    let files = MemoryFiles::new();
    let bench = Bench::new(&files);
    let patch = |name: &str| format!("*** Begin Patch\n*** Add File: new/{name}\n+x\n*** End Patch");
    let (one, other) = (prepared(&bench, &patch("one")), prepared(&bench, &patch("other")));
    made(&bench, &patch("one"), &one).unwrap();
    made(&bench, &patch("other"), &other).unwrap();
    assert_eq!(files.all().len(), 2);
    other.undo(&bench.context()).unwrap();
    one.undo(&bench.context()).unwrap();
    assert_eq!((files.all(), files.folders()), (BTreeMap::new(), Vec::new()));
    let again = prepared(&bench, &patch("again"));
    files.put("new", "a file in the way");
    assert_eq!(made(&bench, &patch("again"), &again).unwrap_err().error_code, "path.invalid");
}

#[test]
fn another_process_says_what_is_there_and_takes_the_patch_back() {
    let files = tree();
    let bench = Bench::new(&files);
    let record = prepared(&bench, PATCH);
    let read = kept(&record);
    assert_eq!(encode(&read.to_value()), encode(&record.to_value()), "what was read is written alike");
    assert_eq!(read.folders(), record.folders());
    let states = |record: &UndoRecord| -> Vec<FileState> {
        record.states(&files).unwrap().into_iter().map(|file| file.state).collect()
    };
    assert_eq!(states(&read), [FileState::Old; 5]);
    assert_eq!(made(&bench, PATCH, &read).unwrap_err().error_code, "patch.stale", "it lacks the new bytes");
    assert_eq!(files.all(), tree().all());
    made(&bench, PATCH, &record).unwrap();
    assert_eq!(states(&read), [FileState::New; 5]);
    read.undo(&bench.context()).unwrap();
    assert_eq!((files.all(), files.folders()), (tree().all(), Vec::new()));
    assert_eq!(read.undo(&bench.context()).unwrap_err().error_code, "undo.stale");
}

#[test]
fn a_patch_that_was_cut_off_anywhere_is_put_back_by_another_process() {
    let mut mixed = 0;
    // What is written all the same while it is reported to have failed is no killed process.
    for (fault, at) in
        Fault::FROM_THEN_ON.into_iter().take(2).flat_map(|fault| (0..60).map(move |at| (fault, at)))
    {
        let inner = tree();
        let faulty = Faulty::new(&inner, fault, at);
        let bench = Bench::new(&faulty);
        let Ok(patch) = prepare_patch(PATCH, &bench.context()) else { continue };
        let record = kept(patch.undo_record());
        // Nothing works any more from some step on: what is there is what a killed process leaves.
        let outcome = patch.commit(&faulty);
        if outcome.is_ok() && !faulty.has_struck() {
            continue;
        }
        let states = record.states(&inner).unwrap();
        let is_new = |file: &&premath_tusk::tools::PatchedFile| file.state == FileState::New;
        mixed += u32::from((1..5).contains(&states.iter().filter(is_new).count()));
        let after = Bench::new(&inner);
        record.put_back(&after.context()).unwrap();
        assert_eq!((inner.all(), inner.folders()), (tree().all(), Vec::new()), "cut off at {at}");
        inner.put("gone", "theirs");
        assert_eq!(record.put_back(&after.context()).unwrap_err().error_code, "undo.stale");
    }
    assert!(mixed >= 3, "patches were cut off in the middle: {mixed}");
}

#[test]
fn one_fault_while_taking_back_leaves_everything_as_the_patch_left_it() {
    for fault in Fault::ONCE {
        for at in 0.. {
            let inner = tree();
            let record = {
                let bench = Bench::new(&inner);
                let record = prepared(&bench, PATCH);
                made(&bench, PATCH, &record).unwrap();
                kept(&record)
            };
            let after = inner.all();
            let faulty = Faulty::new(&inner, fault, at);
            let undone = record.undo(&Bench::new(&faulty).context());
            if !faulty.has_struck() {
                break;
            }
            let expected = if undone.is_ok() { tree().all() } else { after };
            assert_eq!(inner.all(), expected, "{fault:?} at {at}: {undone:?}");
        }
    }
}

#[test]
fn a_record_that_is_not_as_it_was_written_is_refused_with_its_place() {
    let files = tree();
    let record = prepared(&Bench::new(&files), PATCH);
    let good: serde_json::Value = serde_json::from_slice(&encode(&record.to_value())).unwrap();
    let wrong: [(&str, serde_json::Value, &str); 16] = [
        ("/schema", json!("premath.undo_record.v1"), "/schema"),
        ("/folders", json!({}), "/folders"),
        ("/folders/0", json!("../up"), "/folders/0"),
        ("/changes/0/path", json!("/etc/passwd"), "/changes/0/path"),
        ("/changes/0/path", json!("./a"), "/changes/0/path"),
        ("/changes/0/path", json!("."), "/changes/0/path"),
        ("/changes/0/path", json!("changed"), "/changes/1"),
        ("/changes/0/after/digest", json!("sha256:00"), "/changes/0/after/digest"),
        ("/changes/0/after", json!({"digest": "x"}), "/changes/0/after"),
        ("/changes/1/before/text", json!("other"), "/changes/1/before/digest"),
        ("/changes/1/before/executable", json!("no"), "/changes/1/before/executable"),
        ("/changes/2/before/base64", json!("%"), "/changes/2/before/base64"),
        ("/changes/2/before/base64", json!("AJ//AA=="), "/changes/2/before/digest"),
        ("/changes/2/before", json!([]), "/changes/2/before"),
        ("/changes", json!(null), "/changes"),
        ("", json!({"changes": [], "folders": [], "schema": "premath.undo_record.v0", "more": 1}), ""),
    ];
    for (place, value, pointer) in wrong {
        let mut changed = good.clone();
        *changed.pointer_mut(place).unwrap() = value.clone();
        let text = changed.to_string();
        let error = UndoRecord::from_value(&parse(text.as_bytes(), Limits::default()).unwrap()).unwrap_err();
        assert_eq!(error.pointer, pointer, "{place} = {value}: {error}");
    }
    assert!(UndoRecord::from_value(&Value::Null).is_err());
}

#[test]
fn a_diff_shows_what_goes_and_comes() {
    let files = tree();
    let record = prepared(&Bench::new(&files), PATCH);
    let diff = record.diff();
    let expected = "--- /dev/null\n+++ b/new/deep/file\n@@ -0,0 +1,1 @@\n+fresh\n\
                    --- a/changed\n+++ b/changed\n@@ -1,3 +1,3 @@\n a\n-old\n+new\n b\n\
                    --- a/gone\n+++ /dev/null\n(not text)\n\
                    --- /dev/null\n+++ b/there/run\n@@ -0,0 +1,1 @@\n+new\n\
                    --- a/run\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-old\n";
    assert_eq!(diff, expected);
    assert!(kept(&record).diff().contains("+++ b/changed\n(what it became is not at hand)\n"));
}

#[test]
fn a_diff_is_bounded_and_moves_no_cursor() {
    let files = MemoryFiles::new();
    let bench = Bench::new(&files);
    let lines = "+line\n".repeat(100_000);
    let record = prepared(&bench, &format!("*** Begin Patch\n*** Add File: a\n{lines}*** End Patch"));
    let diff = record.diff();
    assert!(diff.len() < 66 * 1024 && diff.ends_with(" more lines\n"), "{}", diff.len());
    let record = prepared(&bench, "*** Begin Patch\n*** Add File: b\n+\u{1b}[2Jx\ty\n*** End Patch");
    assert!(record.diff().ends_with("\n+\\u{1b}[2Jx\ty\n"), "{}", record.diff());
}
