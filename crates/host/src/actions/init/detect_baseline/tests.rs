//! Facts about which baseline command a project gets.

#![expect(clippy::disallowed_methods, reason = "a test makes files")]

use premath_bd::OsDisk;

use super::detect_baseline;

fn found(files: &[(&str, &str)]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    detect_baseline(&OsDisk, folder.path()).unwrap()
}

#[test]
fn each_kind_of_project_has_its_command() {
    for (files, command) in [
        (&[("Cargo.toml", "[package]")][..], "cargo test"),
        (&[("package.json", r#"{"scripts": {"test": "vitest run"}}"#)], "npm test"),
        (&[("pyproject.toml", "[tool.pytest.ini_options]")], "python3 -m pytest"),
        (&[("pytest.ini", "")], "python3 -m pytest"),
        (&[("go.mod", "module x")], "go test ./..."),
        (&[("Makefile", "all: build\nlint test: build\n\tcc x.c\n")], "make test"),
        (&[("pom.xml", "<project/>")], "mvn -q test"),
        (&[("Cargo.toml", ""), ("Makefile", "test:\n")], "cargo test"),
    ] {
        assert_eq!(found(files).as_deref(), Some(command), "{files:?}");
    }
}

#[test]
fn nothing_is_guessed_where_no_file_says_it() {
    for files in [
        &[][..],
        &[("package.json", r#"{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}"#)],
        &[("package.json", "not json")],
        &[("pyproject.toml", "[project]")],
        &[("Makefile", "test := 1\nall:\n\ttest: x\n# test:\n")],
    ] {
        assert_eq!(found(files), None, "{files:?}");
    }
}
