//! Patches: folders of scenarios, faults at every step, taking back.

#![expect(clippy::disallowed_methods, reason = "scenarios are folders, and one test works on a real one")]
#![expect(clippy::unwrap_used, reason = "a scenario that cannot be read must fail its test")]

mod faulty;
mod folder;
mod workbench;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use faulty::{Fault, Faulty};
use folder::Folder;
use premath_kernel::Digest;
use premath_tusk::tools::files::{FileContent, MemoryFiles, WorkFiles};
use premath_tusk::tools::{FileState, ToolFailure, prepare_patch};
use proptest::prelude::{Strategy, any, prop, prop_assert_eq, proptest};
use serde_json::json;
use workbench::Bench;

/// Every file below a folder.
fn read_tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn bytes(files: &MemoryFiles) -> BTreeMap<String, Vec<u8>> {
    files.all().into_iter().map(|(path, content)| (path, content.bytes)).collect()
}

fn memory(tree: &BTreeMap<String, Vec<u8>>) -> MemoryFiles {
    let files = MemoryFiles::new();
    for (path, bytes) in tree {
        files.put(path, bytes.clone());
    }
    files
}

fn told(failure: &ToolFailure) -> String {
    let mut lines = vec![failure.error_code.to_owned(), failure.message.clone()];
    lines.extend(failure.closest_matches.iter().cloned());
    lines.join("\n") + "\n"
}

fn scenarios() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/patches");
    let mut folders: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() > 40, "scenarios are missing");
    folders
}

/// Seed: 001 §3/16, 001 §4.3/12
#[test]
fn every_scenario_ends_as_its_folder_says_and_can_be_taken_back() {
    for scenario in scenarios() {
        let input = read_tree(&scenario.join("input"));
        let patch = fs::read_to_string(scenario.join("patch.txt")).unwrap();
        let files = memory(&input);
        let folders = files.folders();
        let bench = Bench::new(&files);
        let name = scenario.file_name().unwrap().display();
        match bench.call("apply_patch", &json!({"patch": patch})) {
            Ok(output) => {
                assert_eq!(bytes(&files), read_tree(&scenario.join("expected")), "{name}");
                let undo = output.undo.unwrap();
                for artifact in &output.artifacts {
                    let now = bytes(&files).get(&artifact.path).map(|bytes| Digest::of_bytes(bytes));
                    assert_eq!(now, artifact.digest, "{name}");
                }
                undo.undo(&bench.context()).unwrap();
                assert_eq!(files.folders(), folders, "{name}: no folder is left behind");
            }
            Err(failure) => {
                let expected = fs::read_to_string(scenario.join("expected-error.txt"));
                let expected = expected.unwrap_or_else(|_| panic!("{name}: {}", told(&failure)));
                assert_eq!(told(&failure), expected, "{name}");
            }
        }
        assert_eq!(bytes(&files), input, "{name}: as before");
    }
}

const PATCH: &str = "*** Begin Patch
*** Add File: new/deep/file
+fresh
*** Update File: changed
@@
-old
+new
*** Update File: also
@@
-old
+new
*** Delete File: gone
*** Update File: here
*** Move to: there/moved
*** End Patch
";

fn before() -> BTreeMap<String, Vec<u8>> {
    let files = [("changed", "old\n"), ("also", "old\n"), ("gone", "bye\n"), ("here", "moving\n")];
    files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into()
}

fn after() -> BTreeMap<String, Vec<u8>> {
    let files =
        [("changed", "new\n"), ("also", "new\n"), ("new/deep/file", "fresh\n"), ("there/moved", "moving\n")];
    files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec())).into()
}

/// What a failed commit says must be what is there.
fn assert_told_truly(inner: &MemoryFiles, states: &[premath_tusk::tools::PatchedFile], what: &str) {
    let (now, before, after) = (bytes(inner), before(), after());
    assert_eq!(states.len(), 6, "{what}: every file is named");
    for file in states {
        let path = file.path.as_str();
        let (is_old, is_new) = (now.get(path) == before.get(path), now.get(path) == after.get(path));
        let holds = match file.state {
            FileState::Old => is_old,
            FileState::New => is_new,
            FileState::Uncertain => is_old || is_new,
            FileState::Foreign => false,
        };
        assert!(holds, "{what}: `{path}` is said to be {:?}", file.state);
    }
}

#[test]
fn a_fault_at_any_step_leaves_everything_new_or_everything_old_or_says_exactly_what_is_what() {
    let (mut put_back, mut partly) = (0, 0);
    for fault in Fault::ONCE.into_iter().chain(Fault::FROM_THEN_ON) {
        for at in 0.. {
            let inner = memory(&before());
            let faulty = Faulty::new(&inner, fault, at);
            let bench = Bench::new(&faulty);
            let what = format!("{fault:?} at {at}");
            let prepared = match prepare_patch(PATCH, &bench.context()) {
                Ok(prepared) => prepared,
                Err(_) => {
                    assert_eq!(bytes(&inner), before(), "{what}: nothing is written while preparing");
                    continue;
                }
            };
            match prepared.commit(&faulty) {
                Ok(()) => {
                    assert_eq!(bytes(&inner), after(), "{what}");
                    if !faulty.has_struck() {
                        break;
                    }
                }
                Err(failure) => {
                    assert_told_truly(&inner, &failure.files, &what);
                    let is_kept = bytes(&inner).values().any(|bytes| bytes == b"moving\n");
                    assert!(is_kept, "{what}: what moves is in one place at least");
                    let is_put_back = failure.is_put_back();
                    if is_put_back {
                        put_back += 1;
                        assert_eq!((bytes(&inner), inner.folders()), (before(), Vec::new()), "{what}");
                    } else {
                        partly += 1;
                    }
                    let told = ToolFailure::from(failure);
                    assert_eq!(told.error_code == "patch.partly_applied", !is_put_back, "{what}: {told}");
                    assert_eq!(told.aftermath.is_some(), !is_put_back, "{what}");
                }
            }
        }
    }
    assert!(put_back > 10 && partly > 5, "both ends were met: {put_back} and {partly}");
}

#[test]
fn one_fault_alone_is_always_put_back() {
    for fault in Fault::ONCE {
        for at in 0.. {
            let inner = memory(&before());
            let faulty = Faulty::new(&inner, fault, at);
            let result = Bench::new(&faulty).call("apply_patch", &json!({"patch": PATCH}));
            if !faulty.has_struck() {
                break;
            }
            let failure = result.unwrap_err();
            assert_ne!(failure.error_code, "patch.partly_applied", "{fault:?} at {at}: {failure}");
            assert_eq!((bytes(&inner), inner.folders()), (before(), Vec::new()), "{fault:?} at {at}");
        }
    }
}

#[test]
fn taking_back_is_refused_once_a_file_has_changed() {
    let files = memory(&before());
    let bench = Bench::new(&files);
    let undo = bench.call("apply_patch", &json!({"patch": PATCH})).unwrap().undo.unwrap();
    files.put("also", "somebody else\n");
    let failure = undo.undo(&bench.context()).unwrap_err();
    assert_eq!(failure.error_code, "undo.stale");
    assert!(failure.message.ends_with("`also` is changed by somebody else"), "{}", failure.message);
    assert_eq!(bytes(&files)["changed"], b"new\n", "nothing of it was taken back");
    files.put("also", "new\n");
    undo.undo(&bench.context()).unwrap();
    assert_eq!((bytes(&files), files.folders()), (before(), Vec::new()));
    let again = undo.undo(&bench.context()).unwrap_err();
    assert_eq!(again.error_code, "undo.stale", "it is taken back once");
}

#[test]
fn taking_back_does_not_go_through_a_link_that_came_meanwhile() {
    let files = memory(&before());
    let bench = Bench::new(&files);
    let undo = bench.call("apply_patch", &json!({"patch": PATCH})).unwrap().undo.unwrap();
    files.put_link("new");
    assert_eq!(undo.undo(&bench.context()).unwrap_err().error_code, "path.link");
    assert_eq!(bytes(&files), after());
}

#[test]
fn a_folder_that_somebody_else_uses_by_now_stays() {
    let files = memory(&before());
    let bench = Bench::new(&files);
    let undo = bench.call("apply_patch", &json!({"patch": PATCH})).unwrap().undo.unwrap();
    files.put("new/theirs", "x");
    undo.undo(&bench.context()).unwrap();
    assert_eq!(files.folders(), ["new"]);
    assert_eq!(bytes(&files)["new/theirs"], b"x");
}

#[test]
fn whoever_takes_a_name_in_the_middle_keeps_it() {
    const TAKEN: &str = "*** Begin Patch\n*** Add File: first\n+1\n*** Add File: second\n+2\n*** Update File: also\n@@\n-old\n+new\n*** End Patch";
    // Even the very bytes that the patch would have written are not ours to remove.
    for theirs in ["theirs", "2\n"] {
        let files = memory(&before());
        let bench = Bench::new(&files);
        let prepared = prepare_patch(TAKEN, &bench.context()).unwrap();
        files.put("second", theirs);
        let failure = prepared.commit(&files).unwrap_err();
        let states: Vec<_> = failure.files.iter().map(|file| (file.path.as_str(), file.state)).collect();
        assert_eq!(
            states,
            [("also", FileState::Old), ("first", FileState::Old), ("second", FileState::Foreign)]
        );
        let mut expected = before();
        expected.insert("second".to_owned(), theirs.as_bytes().to_vec());
        assert_eq!(bytes(&files), expected);
    }
    let files = memory(&before());
    let bench = Bench::new(&files);
    let prepared = prepare_patch(PATCH, &bench.context()).unwrap();
    files.make_folder("there").unwrap();
    assert!(prepared.commit(&files).unwrap_err().is_put_back());
    assert_eq!((bytes(&files), files.folders()), (before(), vec!["there".to_owned()]));
}

#[test]
fn a_link_is_neither_patched_nor_gone_through() {
    let files = memory(&before());
    files.put_link("way");
    let bench = Bench::new(&files);
    for path in ["way", "way/config"] {
        for section in [format!("*** Add File: {path}\n+x"), format!("*** Delete File: {path}")] {
            let patch = format!("*** Begin Patch\n{section}\n*** End Patch");
            let failure = bench.call("apply_patch", &json!({"patch": patch})).unwrap_err();
            assert_eq!(failure.error_code, "path.link", "{section}");
        }
    }
}

#[test]
fn a_file_that_may_be_executed_stays_one_through_edit_move_and_back() {
    let files = MemoryFiles::new();
    let script = FileContent { bytes: b"old\n".to_vec(), executable: true };
    files.create("run", &script).unwrap();
    let bench = Bench::new(&files);
    let patch = "*** Begin Patch\n*** Update File: run\n*** Move to: go\n@@\n-old\n+new\n*** End Patch";
    let undo = bench.call("apply_patch", &json!({"patch": patch})).unwrap().undo.unwrap();
    assert!(files.all()["go"].executable);
    undo.undo(&bench.context()).unwrap();
    assert_eq!(files.all()["run"], script);
}

#[test]
fn a_hunk_of_many_equal_lines_is_placed_in_linear_time() {
    // Comparing every place line by line would take 10^10 steps.
    let files = MemoryFiles::new();
    files.put("a", format!("{}end\n", "\n".repeat(200_000)));
    let bench = Bench::new(&files);
    let patch = |last: &str| {
        let context = " \n".repeat(50_000);
        json!({"patch": format!("*** Begin Patch\n*** Update File: a\n@@\n{context}-{last}\n+new\n*** End Patch")})
    };
    assert_eq!(bench.call("apply_patch", &patch("other")).unwrap_err().error_code, "patch.context_stale");
    assert_eq!(bench.call("apply_patch", &patch("")).unwrap_err().error_code, "patch.context_ambiguous");
    bench.call("apply_patch", &patch("end")).unwrap();
    assert!(bytes(&files)["a"].ends_with(b"\nnew\n"));
}

#[test]
fn an_interrupted_patch_writes_nothing() {
    let files = memory(&before());
    let bench = Bench::new(&files);
    bench.interrupt.request();
    let failure = bench.call("apply_patch", &json!({"patch": PATCH})).unwrap_err();
    assert_eq!(failure.error_code, "interrupted");
    assert_eq!(bytes(&files), before());
}

#[test]
fn a_real_folder_is_patched_read_and_taken_back() {
    let place = tempfile::tempdir().unwrap();
    for (path, bytes) in before() {
        fs::write(place.path().join(path), bytes).unwrap();
    }
    let files = Folder(place.path().to_path_buf());
    let bench = Bench::new(&files);
    let undo = bench.call("apply_patch", &json!({"patch": PATCH})).unwrap().undo.unwrap();
    assert_eq!(read_tree(place.path()), after());
    assert_eq!(bench.call("fs_read", &json!({"path": "new/deep/file"})).unwrap().content, "fresh\n");
    let found = bench.call("fs_search", &json!({"pattern": "^new$"})).unwrap();
    assert_eq!(found.content, "also:1:new\nchanged:1:new\n");
    let listed = bench.call("fs_list", &json!({"depth": 3})).unwrap();
    assert_eq!(
        listed.content,
        "also\t4\nchanged\t4\nnew/\nnew/deep/\nnew/deep/file\t6\nthere/\nthere/moved\t7\n"
    );
    undo.undo(&bench.context()).unwrap();
    assert_eq!(read_tree(place.path()), before());
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 4, "no folder is left");
}

/// A file of a few different lines with any endings, and an edit of it.
fn lines() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0_u8..6, 0_u8..8), 0..30)
}

fn text(lines: &[(u8, u8)], is_open: bool) -> String {
    let ending = |kind: u8| if kind == 0 { "\r\n" } else { "\n" };
    let mut text: String = lines
        .iter()
        .map(|(line, kind)| format!("{}{}", "x".repeat(usize::from(*line)), ending(*kind)))
        .collect();
    if is_open && text.ends_with('\n') {
        text.pop();
    }
    text
}

/// Lines without any ending; a carriage return alone at the very end is one.
fn plain_lines(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim_end_matches('\r').to_owned()).collect()
}

/// A hunk that replaces some lines, with everything else as context: it fits in one place only.
fn whole_hunk(file: &str, at: usize, gone: usize, come: &[(u8, u8)]) -> Option<String> {
    let old = plain_lines(file);
    let at = at.min(old.len());
    let end = (at + gone).min(old.len());
    let mut hunk = String::from("@@\n");
    for (index, line) in old.iter().enumerate() {
        if index == at {
            come.iter()
                .for_each(|(line, _)| hunk.push_str(&format!("+{}y\n", "x".repeat(usize::from(*line)))));
        }
        hunk.push_str(&format!("{}{line}\n", if (at..end).contains(&index) { '-' } else { ' ' }));
    }
    if at == old.len() {
        come.iter().for_each(|(line, _)| hunk.push_str(&format!("+{}y\n", "x".repeat(usize::from(*line)))));
    }
    (end > at || !come.is_empty()).then_some(hunk)
}

proptest! {
    #[test]
    fn applying_and_taking_back_gives_the_same_bytes(
        file in lines(),
        is_open in any::<bool>(),
        at in 0_usize..30,
        gone in 0_usize..5,
        come in prop::collection::vec((0_u8..6, 0_u8..8), 0..4),
        moves in any::<bool>(),
    ) {
        let original = text(&file, is_open);
        if let Some(hunk) = whole_hunk(&original, at, gone, &come) {
            let files = MemoryFiles::new();
            files.put("a", original.clone());
            files.put("gone", "\r\n\u{0}");
            let start = bytes(&files);
            let target = if moves { "*** Move to: b/c\n" } else { "" };
            let patch = format!("*** Begin Patch\n*** Update File: a\n{target}{hunk}*** Delete File: gone\n*** Add File: d/e\n+x\n*** End Patch");
            let bench = Bench::new(&files);
            let output = bench.call("apply_patch", &json!({"patch": patch})).unwrap();
            let name = if moves { "b/c" } else { "a" };
            let now = bytes(&files);
            let result = String::from_utf8(now[name].clone()).unwrap();
            // The same edit, worked out on plain lines.
            let mut model: Vec<String> = plain_lines(&original);
            let at = at.min(model.len());
            let end = (at + gone).min(model.len());
            model.splice(at..end, come.iter().map(|(line, _)| format!("{}y", "x".repeat(usize::from(*line)))));
            prop_assert_eq!(plain_lines(&result), model);
            output.undo.unwrap().undo(&bench.context()).unwrap();
            prop_assert_eq!(bytes(&files), start);
            prop_assert_eq!(files.folders(), Vec::<String>::new());
        }
    }

    #[test]
    fn no_text_at_all_makes_the_patch_reader_panic_or_write_on_refusal(patch in "(\\*\\*\\* (Begin Patch|End Patch|Add File: a|Delete File: b|Update File: b|Move to: c|End of File)\n|@@ ?[a-z]?\n|[ +-][a-z]?\n|\n|.{0,3}){0,12}") {
        let files = MemoryFiles::new();
        files.put("b", "a\nb\na\n");
        let start = bytes(&files);
        let bench = Bench::new(&files);
        if let Ok(output) = bench.call("apply_patch", &json!({"patch": format!("*** Begin Patch\n{patch}*** End Patch")})) {
            output.undo.unwrap().undo(&bench.context()).unwrap();
        }
        prop_assert_eq!(bytes(&files), start);
    }
}
