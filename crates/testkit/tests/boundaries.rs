//! The boundaries between our crates, checked from outside: over `cargo metadata` and over the source tree.
//! A new crate or a new edge is a deliberate change of the table below.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "a test of the repository asks cargo and reads the sources; what it cannot read must fail it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Each crate of ours and those of ours it may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("premath-kernel", &[]),
    ("premath-wire", &["premath-kernel"]),
    ("premath-bd", &["premath-kernel", "premath-wire"]),
    ("premath-tusk", &["premath-bd", "premath-kernel", "premath-repl", "premath-wire"]),
    ("premath-models", &["premath-kernel", "premath-tusk", "premath-wire"]),
    ("premath-exec", &["premath-kernel", "premath-tusk", "premath-wire"]),
    ("premath-guards", &["premath-kernel", "premath-tusk", "premath-wire"]),
    ("premath-repl", &["premath-kernel"]),
    ("premath-rules", &["premath-kernel", "premath-tusk", "premath-wire"]),
    ("premath-telemetry", &["premath-kernel", "premath-tusk", "premath-wire"]),
    ("premath-shell", &[]),
    (
        "premath-host",
        &["premath-bd", "premath-kernel", "premath-repl", "premath-shell", "premath-tusk", "premath-wire"],
    ),
    ("premath-mcp", &["premath-host", "premath-kernel", "premath-tusk", "premath-wire"]),
    (
        "premath-console",
        &[
            "premath-bd",
            "premath-host",
            "premath-kernel",
            "premath-telemetry",
            "premath-tusk",
            "premath-wire",
        ],
    ),
    (
        "premath-cli",
        &[
            "premath-bd",
            "premath-console",
            "premath-exec",
            "premath-guards",
            "premath-host",
            "premath-kernel",
            "premath-mcp",
            "premath-models",
            "premath-repl",
            "premath-rules",
            "premath-telemetry",
            "premath-tusk",
            "premath-wire",
        ],
    ),
    ("premath-testkit", &["premath-bd", "premath-kernel", "premath-wire"]),
    ("xtask", &[]),
];

const TESTKIT: &str = "premath-testkit";
const KERNEL: &str = "premath-kernel";
const KERNEL_DEPENDENCIES: &[&str] = &["ryu-js", "sha2", "thiserror"];
/// Crates that would bring I/O, a clock, randomness, async or wire names into the kernel, however deep.
const NEVER_UNDER_THE_KERNEL: &[&str] =
    &["chrono", "getrandom", "jiff", "mio", "rand", "rustix", "serde", "serde_json", "time", "tokio", "uuid"];

const MOST_LINES: usize = 800;
const EMPTY_NAMES: &[&str] = &["common", "helpers", "manager", "utils"];

/// Seed: 001 §6.1/2, 001 §6.1/3, 001 §6.1/4
#[test]
fn our_crates_depend_only_along_the_allowed_edges() {
    let allowed: BTreeMap<&str, &[&str]> = EDGES.iter().copied().collect();
    let packages = workspace_packages();
    let mut offences = Vec::new();
    for package in &packages {
        let name = text(package, "name");
        let Some(targets) = allowed.get(name) else {
            offences.push(format!("{name} is not in the table of allowed edges"));
            continue;
        };
        for dependency in dependencies(package).filter(|dependency| is_ours(dependency.name)) {
            // A crate's tests may use the testkit; nothing else is allowed to tests that is not to the crate.
            let for_tests =
                dependency.kind == Kind::Development && dependency.name == TESTKIT && name != "xtask";
            if !for_tests && !targets.contains(&dependency.name) {
                offences
                    .push(format!("{name} must not depend on {} ({:?})", dependency.name, dependency.kind));
            }
        }
    }
    let present: BTreeSet<&str> = packages.iter().map(|package| text(package, "name")).collect();
    offences.extend(
        allowed
            .keys()
            .filter(|name| !present.contains(*name))
            .map(|name| format!("{name} is in the table only")),
    );
    assert_none(&offences);
}

#[test]
fn the_kernel_depends_on_exactly_its_three_crates_without_default_features() {
    let packages = workspace_packages();
    let kernel =
        packages.iter().find(|package| text(package, "name") == KERNEL).expect("no kernel in the workspace");
    let product: Vec<_> = dependencies(kernel).filter(|one| one.kind != Kind::Development).collect();
    let names: BTreeSet<&str> = product.iter().map(|one| one.name).collect();
    assert_eq!(names, KERNEL_DEPENDENCIES.iter().copied().collect(), "dependencies of {KERNEL}");
    let with_defaults: Vec<String> = product
        .iter()
        .filter(|one| one.default_features)
        .map(|one| format!("{} has default features", one.name))
        .collect();
    assert_none(&with_defaults);
}

/// Seed: 001 §6.1/1, 001 §6.1/5
#[test]
fn nothing_below_the_kernel_can_do_input_or_output() {
    let metadata = metadata(&["--locked", "--filter-platform", &platform()]);
    let names: BTreeMap<&str, &str> =
        array(&metadata, "/packages").map(|package| (text(package, "id"), text(package, "name"))).collect();
    let edges: BTreeMap<&str, Vec<&str>> = array(&metadata, "/resolve/nodes")
        .map(|node| (text(node, "id"), normal_dependencies(node)))
        .collect();
    let kernel = *names.iter().find(|(_, name)| **name == KERNEL).expect("no kernel in the graph").0;
    let mut seen = BTreeSet::new();
    let mut open = vec![kernel];
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(edges.get(id).into_iter().flatten());
        }
    }
    let offences: Vec<String> = seen
        .iter()
        .filter(|id| **id != kernel)
        .filter_map(|id| names.get(*id))
        .filter(|name| is_ours(name) || NEVER_UNDER_THE_KERNEL.contains(*name))
        .map(|name| format!("{KERNEL} reaches {name}"))
        .collect();
    assert!(seen.len() > KERNEL_DEPENDENCIES.len(), "the kernel's dependencies are not in the graph");
    assert_none(&offences);
}

#[test]
fn the_testkit_and_anyhow_stay_out_of_product_code() {
    let mut offences = Vec::new();
    for package in &workspace_packages() {
        let name = text(package, "name");
        for dependency in dependencies(package).filter(|dependency| dependency.kind != Kind::Development) {
            if dependency.name == TESTKIT || (dependency.name == "anyhow" && name != "xtask") {
                offences
                    .push(format!("{name} has {} as a {:?} dependency", dependency.name, dependency.kind));
            }
        }
    }
    assert_none(&offences);
}

#[test]
fn every_crate_takes_the_lints_of_the_workspace() {
    let offences: Vec<String> = workspace_packages()
        .iter()
        .map(|package| text(package, "manifest_path"))
        .filter(|manifest| !takes_workspace_lints(&read(Path::new(manifest))))
        .filter(|manifest| {
            !(manifest.ends_with(WITH_UNSAFE) && repeats_workspace_lints(&read(Path::new(manifest))))
        })
        .map(|manifest| format!("{manifest} lacks `[lints] workspace = true`"))
        .collect();
    assert_none(&offences);
}

/// The one crate that makes system calls, docs/adr/0009. Cargo cannot take the workspace's table and change a line of it.
const WITH_UNSAFE: &str = "crates/exec/Cargo.toml";

/// Whether every lint of the workspace is there as it is, but for `unsafe_code`, which is denied where it was forbidden.
fn repeats_workspace_lints(manifest: &str) -> bool {
    let lines =
        |text: &str| -> BTreeSet<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let workspace = read(&root().join("Cargo.toml"));
    let table = workspace.split("[workspace.lints").skip(1).flat_map(|part| {
        let rows = part.lines().skip(1).take_while(|line| !line.trim_start().starts_with('['));
        rows.map(str::trim).filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect::<Vec<_>>()
    });
    let wanted: BTreeSet<String> = table
        .map(
            |line| {
                if line == "unsafe_code = \"forbid\"" { "unsafe_code = \"deny\"".to_owned() } else { line }
            },
        )
        .collect();
    wanted.len() > 20 && wanted.is_subset(&lines(manifest))
}

#[test]
fn the_kernel_is_no_std() {
    let lib = read(&root().join("crates/kernel/src/lib.rs"));
    assert!(
        lib.lines().any(|line| line.trim() == "#![no_std]"),
        "crates/kernel/src/lib.rs lacks `#![no_std]`"
    );
}

#[test]
fn every_source_file_says_what_it_is_for_and_stays_one_concept() {
    let mut offences = Vec::new();
    for file in rust_files(&["src"]) {
        let source = read(&file);
        let shown = file.display();
        if !source.starts_with("//!") {
            offences.push(format!("{shown} does not start with `//!`"));
        }
        let lines = source.lines().count();
        if lines > MOST_LINES {
            offences.push(format!("{shown} has {lines} lines, at most {MOST_LINES} are allowed"));
        }
    }
    assert_none(&offences);
}

#[test]
fn no_file_or_folder_has_an_empty_name() {
    let root = root();
    let mut offences = Vec::new();
    for file in rust_files(&["src", "tests", "benches"]) {
        let inside = file.strip_prefix(&root).unwrap_or(&file);
        let parts = inside.components().map(|part| Path::new(part.as_os_str()));
        let empty =
            parts.filter_map(Path::file_stem).find(|stem| EMPTY_NAMES.iter().any(|name| stem == name));
        if let Some(stem) = empty {
            offences.push(format!("{}: `{}` names no concept", file.display(), stem.display()));
        }
    }
    assert_none(&offences);
}

#[test]
fn no_test_is_ignored() {
    // Written in two parts, so that this file does not find itself.
    let attribute = concat!("#[", "ignore");
    let mut offences = Vec::new();
    for file in rust_files(&["src", "tests", "benches"]) {
        for (index, line) in read(&file).lines().enumerate() {
            if line.contains(attribute) && !line.trim_start().starts_with("//") {
                offences.push(format!("{}:{}: an ignored test tests nothing", file.display(), index + 1));
            }
        }
    }
    assert_none(&offences);
}

/// Seed: 002 §3.2/2
#[test]
fn only_the_command_makes_a_persons_permit() {
    // Written in two parts, so that this file does not find itself.
    let maker = concat!("OperatorGrant", "::new");
    let command = root().join("crates/cli");
    let mut makers = BTreeSet::new();
    for file in rust_files(&["src"]) {
        // A test inside a crate stands where a person would.
        let is_test = file.file_name().is_some_and(|name| name == "tests.rs");
        if !is_test && read(&file).contains(maker) {
            makers.insert(file);
        }
    }
    let offences: Vec<String> = makers
        .iter()
        .filter(|file| !file.starts_with(&command))
        .map(|file| format!("{} makes a permit that only a person's terminal may make", file.display()))
        .collect();
    assert_none(&offences);
    assert!(!makers.is_empty(), "nobody makes it any more: this test looks for the wrong thing");
}

/// Where the bare file system is shared: below the keys of clones, and to look at a marker.
const BARE_DISKS: &[&str] = &["crates/cli/src/agent/rule_files.rs", "crates/cli/src/commands.rs"];

#[test]
fn no_store_of_the_product_is_opened_without_the_keys_of_clones() {
    // Written in two parts, so that this file does not find itself.
    let bare = concat!("Arc::new(", "OsDisk)");
    let is_test = |file: &Path| file.file_name().is_some_and(|name| name == "tests.rs");
    let found: BTreeSet<PathBuf> =
        rust_files(&["src"]).into_iter().filter(|file| !is_test(file) && read(file).contains(bare)).collect();
    let allowed: BTreeSet<PathBuf> = BARE_DISKS.iter().map(|file| root().join(file)).collect();
    assert_eq!(found, allowed, "a log over a bare file system is authenticated by nobody");
}

#[track_caller]
fn assert_none(offences: &[String]) {
    assert!(offences.is_empty(), "\n  {}\n", offences.join("\n  "));
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Normal,
    Build,
    Development,
}

#[derive(Debug)]
struct Dependency<'a> {
    name: &'a str,
    kind: Kind,
    default_features: bool,
}

fn is_ours(name: &str) -> bool {
    name.starts_with("premath") || name == "xtask"
}

fn dependencies(package: &Value) -> impl Iterator<Item = Dependency<'_>> {
    array(package, "/dependencies").map(|dependency| Dependency {
        name: text(dependency, "name"),
        kind: match dependency.get("kind").and_then(Value::as_str) {
            Some("dev") => Kind::Development,
            Some("build") => Kind::Build,
            Some(_) | None => Kind::Normal,
        },
        default_features: dependency.get("uses_default_features").and_then(Value::as_bool).unwrap_or(true),
    })
}

/// The ids this node of the resolved graph links into itself: neither tests nor build scripts.
fn normal_dependencies(node: &Value) -> Vec<&str> {
    array(node, "/deps")
        .filter(|dependency| {
            array(dependency, "/dep_kinds").any(|kind| kind.get("kind").is_some_and(Value::is_null))
        })
        .map(|dependency| text(dependency, "pkg"))
        .collect()
}

fn takes_workspace_lints(manifest: &str) -> bool {
    let mut lines = manifest.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    lines
        .by_ref()
        .take_while(|line| !line.starts_with('['))
        .any(|line| line.replace(' ', "") == "workspace=true")
}

fn workspace_packages() -> Vec<Value> {
    let metadata = metadata(&["--no-deps"]);
    let packages: Vec<Value> = array(&metadata, "/packages").cloned().collect();
    assert!(!packages.is_empty(), "the workspace has no packages");
    packages
}

fn metadata(arguments: &[&str]) -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(root())
        .output()
        .expect("cannot start cargo");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata failed: {errors}");
    serde_json::from_slice(&output.stdout).expect("cargo metadata is not JSON")
}

/// Without a platform cargo would fetch the crates of all others.
fn platform() -> String {
    format!("{}-unknown-linux-gnu", std::env::consts::ARCH)
}

fn array<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(pointer).and_then(Value::as_array).expect("cargo metadata lacks a list").iter()
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).expect("cargo metadata lacks a name")
}

fn root() -> PathBuf {
    let testkit = Path::new(env!("CARGO_MANIFEST_DIR"));
    testkit.ancestors().nth(2).expect("the testkit lies in crates/").to_path_buf()
}

fn read(path: &Path) -> String {
    let source = fs::read_to_string(path);
    assert!(source.is_ok(), "cannot read {}: {source:?}", path.display());
    source.unwrap_or_default()
}

/// The Rust files of all our crates in these folders of theirs.
fn rust_files(folders: &[&str]) -> Vec<PathBuf> {
    let crates = entries(&root().join("crates")).into_iter().chain([root().join("xtask")]);
    let mut files = Vec::new();
    for folder in crates.flat_map(|one| folders.iter().map(move |folder| one.join(folder))) {
        collect(&folder, &mut files);
    }
    files.sort();
    assert!(!files.is_empty(), "no sources found");
    files
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    if !folder.is_dir() {
        return;
    }
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .expect("cannot list a folder of the repository")
        .map(|entry| entry.expect("cannot read a folder entry").path())
        .collect()
}

#[test]
fn panics_unwind_in_every_profile_so_that_one_tool_or_request_ends_alone() {
    let text = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace has a manifest");
    let profiles: Vec<&str> =
        text.lines().map(str::trim).filter(|line| line.starts_with("panic =")).collect();
    assert!(!profiles.contains(&"panic = \"abort\""), "catch_unwind does nothing in a profile that aborts");
    let release = text.split("[profile.release]").nth(1).expect("the manifest has a release profile");
    let release = release.split("\n[").next().unwrap_or_default();
    assert!(release.contains("panic = \"unwind\""), "the release profile must say that panics unwind");
}
