//! What a configuration file may say.

use premath_host::{Layer, Settings, TerminalAuthority};

use super::read;

#[test]
fn an_empty_file_says_nothing() {
    for text in ["", "# only a comment\n", "[mutation]\n[issues]\n"] {
        let loaded = read(text).unwrap();
        assert_eq!(loaded.settings, Settings::default(), "{text:?}");
        assert!(loaded.warnings.is_empty(), "{text:?}");
    }
}

#[test]
fn every_value_knows_its_line() {
    let text =
        "[issues]\nprefix = \"web\"\npath = \"work/issues.jsonl\"\n\n[mutation]\ncli = \"human-override\"\n";
    let settings = read(text).unwrap().settings;
    let line = |layer: &Layer| match layer {
        Layer::File { name, line } => (name.clone(), *line),
        Layer::Default | Layer::Environment { .. } => panic!("a value from the file"),
    };
    assert_eq!(settings.issue_prefix.value, "web");
    assert_eq!(line(&settings.issue_prefix.layer), ("premath.toml".to_owned(), 2));
    assert_eq!(settings.issues_path.value, "work/issues.jsonl");
    assert_eq!(line(&settings.issues_path.layer).1, 3);
    assert_eq!(settings.terminal.value, TerminalAuthority::HumanOverride);
    assert_eq!(line(&settings.terminal.layer).1, 6);
}

#[test]
fn dotted_keys_are_the_same_keys() {
    let settings = read("issues.prefix = \"web\"\n").unwrap().settings;
    assert_eq!(settings.issue_prefix.value, "web");
}

#[test]
fn unknown_keys_are_warned_about_with_their_line_and_change_nothing() {
    let loaded = read("speed = 11\n[issues]\nprefixx = \"web\"\n[engine]\nwarp = true\n").unwrap();
    assert_eq!(loaded.settings, Settings::default());
    assert_eq!(
        loaded.warnings,
        [
            "premath.toml:4: `engine` is unknown and has no effect",
            "premath.toml:3: `issues.prefixx` is unknown and has no effect",
            "premath.toml:1: `speed` is unknown and has no effect",
        ]
    );
}

#[test]
fn a_value_that_cannot_be_is_refused_with_its_key_and_line() {
    for (text, message) in [
        (
            "[mutation]\ncli = \"root\"",
            "`root` is none of operator, instruction-linked, human-override (premath.toml, line 2) at $.mutation.cli",
        ),
        ("[mutation]\n\ncli = 3", "expected a string (premath.toml, line 3) at $.mutation.cli"),
        ("mutation = 3", "expected a table (premath.toml, line 1) at $.mutation"),
        (
            "[issues]\nprefix = \"a b\"",
            "`a b` is not made of letters, digits, `.`, `_` and `-` (premath.toml, line 2) at $.issues.prefix",
        ),
        ("[issues]\npath = \" \"", "must not be blank (premath.toml, line 2) at $.issues.path"),
    ] {
        let error = read(text).unwrap_err();
        assert_eq!(error.message, format!("input.field_invalid: {message}"));
        assert_eq!(error.exit.code(), 2);
    }
    let error = read("[issues]\nprefix = \n").unwrap_err();
    assert!(error.message.starts_with("input.field_invalid: not TOML: "), "{}", error.message);
    assert!(error.message.contains("line 2"), "{}", error.message);
    assert_eq!(error.message.lines().count(), 1);
}
