//! Reading, listing and searching files through the tools, on the twin in memory.

#![expect(clippy::disallowed_methods, reason = "one test works on a real folder")]
#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be followed must fail the test")]

mod folder;
mod workbench;

use folder::Folder;
use premath_kernel::{Access, Digest};
use premath_tusk::tools::files::MemoryFiles;
use serde_json::{Value, json};
use workbench::{Bench, WORKDIR};

fn tree(files: &[(&str, &str)]) -> MemoryFiles {
    let tree = MemoryFiles::new();
    for (path, text) in files {
        tree.put(path, *text);
    }
    tree
}

#[test]
fn a_small_file_comes_whole_and_as_it_is() {
    let tree = tree(&[("src/a.rs", "one\n\ttwo\nthree")]);
    let output = Bench::new(&tree).call("fs_read", &json!({"path": "src/a.rs"})).unwrap();
    assert_eq!(output.content, "one\n\ttwo\nthree");
    assert_eq!(output.note, "lines 1 to 3");
    assert!(!output.extent.is_cut);
    assert_eq!(output.artifacts[0].access, Access::Read);
    assert_eq!(output.artifacts[0].digest, Some(Digest::of_bytes(b"one\n\ttwo\nthree")));
}

#[test]
fn a_path_that_begins_with_the_workdir_is_the_one_below_it() {
    let tree = tree(&[("src/a.rs", "x\n")]);
    let bench = Bench::new(&tree);
    for path in [format!("{WORKDIR}/src/a.rs"), "./src//a.rs".to_owned()] {
        assert_eq!(bench.call("fs_read", &json!({"path": path})).unwrap().content, "x\n");
    }
}

#[test]
fn paths_that_lead_out_or_are_none_are_typed() {
    let tree = tree(&[("a", "x")]);
    let bench = Bench::new(&tree);
    let beside = format!("{WORKDIR}beside/a");
    let cases = [
        ("../a", "path.outside"),
        ("a/../../b", "path.outside"),
        ("/etc/passwd", "path.outside"),
        (beside.as_str(), "path.outside"),
        ("a\u{0}b", "path.invalid"),
        ("a\nb", "path.invalid"),
        ("a/b", "path.invalid"),
    ];
    for (path, code) in cases {
        let failure = bench.call("fs_read", &json!({"path": path})).unwrap_err();
        assert_eq!(failure.error_code, code, "{path:?}");
        assert!(!failure.message.contains(['\n', '\0']), "{:?}", failure.message);
    }
}

#[test]
fn a_file_that_is_missing_brings_its_neighbours_to_mind() {
    let tree = tree(&[("src/parser.rs", "x"), ("src/printer.rs", "x"), ("docs/x.md", "x")]);
    let failure = Bench::new(&tree).call("fs_read", &json!({"path": "src/paser.rs"})).unwrap_err();
    assert_eq!(failure.error_code, "file.missing");
    assert_eq!(failure.closest_matches.first().map(String::as_str), Some("src/parser.rs"));
}

#[test]
fn a_range_of_lines_says_how_to_read_on() {
    let text: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    let tree = tree(&[("a.txt", &text)]);
    let bench = Bench::new(&tree);
    let arguments = json!({"path": "a.txt", "offset": 10, "limit": 2, "line_numbers": true});
    let output = bench.call("fs_read", &arguments).unwrap();
    assert_eq!(output.content, "10\tline 10\n11\tline 11\n");
    assert!(output.note.starts_with("lines 10 to 11; bytes 63 to 79 of "), "{}", output.note);
    assert!(output.note.ends_with(r#"read on with fs_read {"offset":12,"path":"a.txt"}"#), "{}", output.note);
    assert!(!output.extent.is_cut, "what was asked for is all there");
    assert_eq!(output.artifacts[0].digest, None, "a piece has no digest of the whole");
    let next = bench.call("fs_read", &json!({"path": "a.txt", "offset": 12, "limit": 1})).unwrap();
    assert_eq!(next.content, "line 12\n");
}

#[test]
fn negative_offsets_count_from_the_end() {
    let tree = tree(&[("a", "1\n2\n3\n"), ("open", "1\n2\n3"), ("empty", ""), ("newline", "\n")]);
    let bench = Bench::new(&tree);
    let read = |path: &str, offset: i64| {
        bench.call("fs_read", &json!({"path": path, "offset": offset})).unwrap().content
    };
    assert_eq!(read("a", -1), "3\n");
    assert_eq!(read("a", -2), "2\n3\n");
    assert_eq!(read("a", -50), "1\n2\n3\n");
    assert_eq!(read("open", -1), "3");
    assert_eq!(read("empty", -1), "");
    assert_eq!(read("newline", -1), "\n");
    let last = bench.call("fs_read", &json!({"path": "a", "unit": "bytes", "offset": -3})).unwrap();
    assert_eq!(last.content, "\n3\n");
}

#[test]
fn a_line_behind_the_end_is_refused_with_the_number_of_lines() {
    let tree = tree(&[("closed", "1\n2\n"), ("open", "1\n2"), ("empty", "")]);
    let bench = Bench::new(&tree);
    for (path, offset, lines) in
        [("closed", 3, "2 lines"), ("open", 3, "2 lines"), ("open", 9, "2 lines"), ("empty", 2, "0 lines")]
    {
        let failure = bench.call("fs_read", &json!({"path": path, "offset": offset})).unwrap_err();
        assert_eq!(failure.error_code, "file.range");
        assert!(failure.message.contains(lines), "{path} {offset}: {}", failure.message);
    }
    let failure =
        bench.call("fs_read", &json!({"path": "closed", "unit": "bytes", "offset": 5})).unwrap_err();
    assert_eq!(failure.error_code, "file.range");
}

#[test]
fn five_megabytes_are_read_to_the_last_line_within_the_budget() {
    let text: String = (1..=500_000).map(|line| format!("row {line}\n")).collect();
    assert!(text.len() > 5_000_000);
    let tree = tree(&[("big.log", &text)]);
    let mut bench = Bench::new(&tree);
    bench.budget = 4096;
    let first = bench.call("fs_read", &json!({"path": "big.log"})).unwrap();
    assert!(first.content.len() <= 4096 && first.extent.is_cut);
    assert!(text.starts_with(&first.content) && first.content.ends_with('\n'));
    let last = bench.call("fs_read", &json!({"path": "big.log", "offset": -1})).unwrap();
    assert_eq!(last.content, "row 500000\n");
    let deep = bench.call("fs_read", &json!({"path": "big.log", "offset": 499_999})).unwrap();
    assert_eq!(deep.content, "row 499999\nrow 500000\n");
}

/// Follows what each answer says until there is no more.
fn follow(bench: &Bench<'_>, first: serde_json::Value) -> Vec<u8> {
    let mut arguments = first;
    let mut bytes = Vec::new();
    for _ in 0..10_000 {
        let output = bench.call("fs_read", &arguments).unwrap();
        assert!(output.content.len() <= bench.budget, "{} > {}", output.content.len(), bench.budget);
        bytes.extend_from_slice(output.content.as_bytes());
        let Some((_, next)) = output.note.split_once("read on with fs_read ") else {
            return bytes;
        };
        arguments = serde_json::from_str(next).unwrap();
    }
    panic!("it never ends");
}

#[test]
fn following_the_notes_gives_every_byte_once() {
    let long = "größer 😀 ".repeat(3000);
    let text = format!("short\n{long}\n\n\nlast without newline");
    let tree = tree(&[("a", &text)]);
    let mut bench = Bench::new(&tree);
    for budget in [64, 100, 1000, 4096, 1 << 20] {
        bench.budget = budget;
        for first in [json!({"path": "a"}), json!({"path": "a", "unit": "bytes"})] {
            assert_eq!(String::from_utf8(follow(&bench, first.clone())).unwrap(), text, "{budget} {first}");
        }
    }
}

#[test]
fn what_is_no_text_is_said_to_be_none() {
    let tree = MemoryFiles::new();
    tree.put("image", b"PNG\0\0data".to_vec());
    tree.put("latin", b"gr\xfc\xdfe\n".to_vec());
    let bench = Bench::new(&tree);
    for arguments in [json!({"path": "image"}), json!({"path": "image", "unit": "bytes"})] {
        assert_eq!(bench.call("fs_read", &arguments).unwrap_err().error_code, "file.binary");
    }
    let output = bench.call("fs_read", &json!({"path": "latin"})).unwrap();
    assert_eq!((output.content.as_str(), output.extent.replaced_bytes), ("gr\u{fffd}\u{fffd}e\n", 2));
    assert!(output.note.contains("2 bytes are not UTF-8"));
}

#[test]
fn bytes_that_are_no_text_keep_to_the_budget_too() {
    let tree = MemoryFiles::new();
    tree.put("noise", vec![0xFF_u8; 10_000]);
    let mut bench = Bench::new(&tree);
    bench.budget = 300;
    for first in [json!({"path": "noise"}), json!({"path": "noise", "unit": "bytes"})] {
        assert_eq!(follow(&bench, first).len(), 30_000, "three bytes for each of them");
    }
}

#[test]
fn folders_and_links_are_not_read() {
    let tree = tree(&[("src/a", "x")]);
    tree.put_link("way");
    let bench = Bench::new(&tree);
    for path in ["src", "way"] {
        assert_eq!(bench.call("fs_read", &json!({"path": path})).unwrap_err().error_code, "file.wrong_kind");
    }
}

const REPOSITORY: &[(&str, &str)] = &[
    (".git/config", "secret needle"),
    (".gitignore", "target/\n*.log\n!keep.log\n/only_top\n# comment\n"),
    ("a.log", "needle"),
    ("keep.log", "needle"),
    ("only_top", "needle"),
    ("sub/only_top", "needle"),
    ("sub/.gitignore", "hidden.txt\n"),
    ("sub/hidden.txt", "needle"),
    ("sub/shown.txt", "hay\nneedle\nhay\n"),
    ("hidden.txt", "needle"),
    ("target/out", "needle"),
];

#[test]
fn a_listing_is_sorted_and_leaves_out_what_git_does() {
    let tree = tree(REPOSITORY);
    tree.put_link("sub/way");
    let bench = Bench::new(&tree);
    let output = bench.call("fs_list", &json!({"depth": 5})).unwrap();
    let expected = ".gitignore\t44\nhidden.txt\t6\nkeep.log\t6\nsub/\nsub/.gitignore\t11\nsub/only_top\t6\n\
                    sub/shown.txt\t15\nsub/way@\n";
    assert_eq!(output.content, expected);
    assert!(output.note.starts_with("5 entries that .gitignore names"), "{}", output.note);
    let all = bench.call("fs_list", &json!({"depth": 5, "all": true})).unwrap();
    assert!(all.content.contains(".git/config\t13\n") && all.content.contains("target/out\t6\n"));
    let top = bench.call("fs_list", &json!({"path": "sub"})).unwrap();
    assert!(top.content.starts_with("sub/.gitignore"), "{}", top.content);
    let named = bench.call("fs_list", &json!({"path": "target"})).unwrap();
    assert_eq!(named.content, "target/out\t6\n", "a folder that is named is shown");
}

#[test]
fn a_listing_keeps_to_its_budget_and_counts_the_rest() {
    let tree = MemoryFiles::new();
    for number in 0..500 {
        tree.put(&format!("file_{number:03}"), "x");
    }
    tree.put("with\nnewline", "x");
    let mut bench = Bench::new(&tree);
    bench.budget = 1000;
    let output = bench.call("fs_list", &json!({})).unwrap();
    assert!(output.content.len() <= 1000 && output.extent.is_cut);
    let shown = output.content.lines().count();
    assert!(
        output.note.starts_with(&format!("{} of 501 entries did not fit", 501 - shown)),
        "{}",
        output.note
    );
    bench.budget = 1 << 20;
    let output = bench.call("fs_list", &json!({})).unwrap();
    assert_eq!(output.content.lines().count(), 501, "one line each, whatever the name");
}

#[test]
fn what_is_shown_of_a_listing_has_no_gaps() {
    let long = "b".repeat(100);
    let tree = tree(&[("a", "x"), (&long, "x"), ("c", "x")]);
    let mut bench = Bench::new(&tree);
    bench.budget = 64;
    let output = bench.call("fs_list", &json!({})).unwrap();
    assert_eq!(output.content, "a\t1\n", "`c` would fit, and what follows a gap would look complete");
    assert!(output.note.starts_with("2 of 3 entries did not fit"), "{}", output.note);
}

#[test]
fn a_search_finds_lines_in_order_and_respects_gitignore() {
    let tree = tree(REPOSITORY);
    let bench = Bench::new(&tree);
    let output = bench.call("fs_search", &json!({"pattern": "n[e]+dle$"})).unwrap();
    let expected = "hidden.txt:1:needle\nkeep.log:1:needle\nsub/only_top:1:needle\nsub/shown.txt:2:needle\n";
    assert_eq!(output.content, expected);
    assert!(output.note.starts_with("4 matches in 4 of "), "{}", output.note);
    let all = bench.call("fs_search", &json!({"pattern": "needle", "all": true})).unwrap();
    assert!(all.content.starts_with(".git/config:1:secret needle\n"), "{}", all.content);
    let glob =
        bench.call("fs_search", &json!({"pattern": "needle", "glob": "*.txt", "path": "sub"})).unwrap();
    assert_eq!(glob.content, "sub/shown.txt:2:needle\n");
    let glob = bench.call("fs_search", &json!({"pattern": "needle", "glob": "sub/**"})).unwrap();
    assert_eq!(glob.content, "sub/only_top:1:needle\nsub/shown.txt:2:needle\n");
    let one = bench.call("fs_search", &json!({"pattern": "needle", "path": "target/out"})).unwrap();
    assert_eq!(one.content, "target/out:1:needle\n", "a file that is named is searched");
}

#[test]
fn a_search_skips_what_is_named_like_a_secret_unless_it_is_named_outright() {
    let names = [
        ".env",
        "sub/.env.local",
        "tls/site.key",
        "credentials/a",
        "id_rsa.bak",
        ".env.example",
        "src/key.rs",
    ];
    let tree = MemoryFiles::new();
    for name in names {
        tree.put(name, "needle\n");
    }
    let bench = Bench::new(&tree);
    let found = |arguments: Value| bench.call("fs_search", &arguments).unwrap();
    let skipped = |count: u64| format!("{count} files were skipped, since their names say");
    for all in [false, true] {
        let output = found(json!({"pattern": "needle", "all": all}));
        assert_eq!(output.content, ".env.example:1:needle\nsrc/key.rs:1:needle\n");
        assert!(output.note.contains(&skipped(5)), "{}", output.note);
    }
    for glob in [".en?", ".e*", "{.en?,x/credentials/../y}", "[.]env"] {
        let output = found(json!({"pattern": "n", "glob": glob}));
        assert!(!output.content.contains(".env:"), "{glob}: {}", output.content);
        assert!(output.note.contains("were skipped"), "{glob}: {}", output.note);
    }
    // Policy has seen these names, and asks about them.
    for arguments in [
        json!({"pattern": "n", "path": ".env"}),
        json!({"pattern": "n", "glob": ".env"}),
        json!({"pattern": "n", "path": "credentials"}),
        json!({"pattern": "n", "glob": "*.key"}),
    ] {
        let output = found(arguments.clone());
        assert_eq!(output.content.lines().count(), 1, "{arguments}: {}", output.content);
        assert!(!output.note.contains("skipped"), "{}", output.note);
    }
}

#[test]
fn a_link_is_no_way_to_read_what_has_another_name() {
    let place = tempfile::TempDir::new().unwrap();
    let folder = Folder(place.path().to_path_buf());
    std::fs::create_dir_all(place.path().join("credentials")).unwrap();
    std::fs::write(place.path().join("credentials/a"), "needle\n").unwrap();
    for (target, link) in [("credentials/a", "note"), ("credentials", "notes")] {
        std::os::unix::fs::symlink(target, place.path().join(link)).unwrap();
    }
    let bench = Bench::new(&folder);
    for (tool, arguments) in [
        ("fs_read", json!({"path": "note"})),
        ("fs_read", json!({"path": "notes/a"})),
        ("fs_search", json!({"pattern": "needle", "path": "note"})),
        ("fs_search", json!({"pattern": "needle", "path": "notes"})),
        ("fs_search", json!({"pattern": "needle", "path": "notes/a"})),
    ] {
        let failure = bench.call(tool, &arguments).unwrap_err();
        assert_eq!(failure.error_code, "path.link", "{tool} {arguments}");
    }
}

#[test]
fn literal_case_and_context_do_what_they_say() {
    let tree = tree(&[("a", "A[0]\r\nb\nc\nd\na[0]\n")]);
    let bench = Bench::new(&tree);
    let literal = bench.call("fs_search", &json!({"pattern": "a[0]", "literal": true})).unwrap();
    assert_eq!(literal.content, "a:5:a[0]\n");
    let arguments = json!({"pattern": "A[0]", "literal": true, "ignore_case": true, "context": 1});
    let around = bench.call("fs_search", &arguments).unwrap();
    assert_eq!(around.content, "a:1:A[0]\na-2-b\n--\na-4-d\na:5:a[0]\n");
    let failure = bench.call("fs_search", &json!({"pattern": "a["})).unwrap_err();
    assert_eq!(failure.error_code, "search.pattern_invalid");
    let failure = bench.call("fs_search", &json!({"pattern": "a", "glob": "a["})).unwrap_err();
    assert_eq!(failure.error_code, "search.glob_invalid");
}

#[test]
fn matches_are_bounded_in_a_file_and_in_all() {
    let tree = MemoryFiles::new();
    for file in 0..5 {
        tree.put(&format!("f{file}"), "hit\n".repeat(10));
    }
    let bench = Bench::new(&tree);
    let output = bench.call("fs_search", &json!({"pattern": "hit", "per_file": 2})).unwrap();
    assert_eq!(output.content.lines().count(), 10);
    assert!(output.note.contains("5 files have more matches"), "{}", output.note);
    let output = bench.call("fs_search", &json!({"pattern": "hit", "limit": 12})).unwrap();
    assert_eq!(output.content.lines().count(), 12);
    assert!(output.note.contains("ended at its limit") && output.extent.is_cut, "{}", output.note);
    let output = bench.call("fs_search", &json!({"pattern": "hit", "per_file": 10})).unwrap();
    assert!(!output.extent.is_cut, "{}", output.note);
}

#[test]
fn a_search_keeps_to_its_budget_and_counts_the_rest() {
    let tree = MemoryFiles::new();
    for file in 0..3 {
        tree.put(&format!("f{file}"), "a hit\nno\n".repeat(100));
    }
    let mut bench = Bench::new(&tree);
    bench.budget = 500;
    let arguments = json!({"pattern": "hit", "per_file": 100, "limit": 300, "context": 1});
    let output = bench.call("fs_search", &arguments).unwrap();
    assert!(output.content.len() <= 500 && output.extent.is_cut);
    let dropped = 3 * 200 - output.content.lines().count();
    let expected = format!("300 matches in 3 of 3 files; {dropped} lines did not fit");
    assert!(output.note.starts_with(&expected), "{}", output.note);
}

#[test]
fn long_lines_and_what_is_no_text_do_not_flood_a_search() {
    let tree = MemoryFiles::new();
    tree.put("long", format!("{}needle{}\n", "ä".repeat(5000), "b".repeat(3_000_000)));
    tree.put("binary", b"needle\n\0".to_vec());
    let output = Bench::new(&tree).call("fs_search", &json!({"pattern": "needle"})).unwrap();
    assert_eq!(output.content.lines().count(), 1);
    assert!(output.content.len() < 600 && output.content.contains("äneedleb"), "{}", output.content);
    assert!(output.note.contains("1 files are not text"), "{}", output.note);
}

#[test]
fn whoever_is_interrupted_stops() {
    let tree = tree(REPOSITORY);
    let bench = Bench::new(&tree);
    bench.interrupt.request();
    let far = json!({"path": "sub/shown.txt", "offset": 2});
    let last = json!({"path": "sub/shown.txt", "offset": -1});
    for (tool, arguments) in
        [("fs_read", far), ("fs_read", last), ("fs_list", json!({})), ("fs_search", json!({"pattern": "x"}))]
    {
        let failure = bench.call(tool, &arguments).unwrap_err();
        assert_eq!((failure.error_code, failure.retryable), ("interrupted", true));
    }
}
