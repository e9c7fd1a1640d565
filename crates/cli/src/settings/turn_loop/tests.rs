//! What `[loop]` may say, and what a repository may not.

use std::path::Path;

use premath_host::{Layer, LoopSettings};
use premath_kernel::ActionMode;
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::OnFull;

use super::super::{Loaded, Owner, Source, read_over};

fn over(loaded: Loaded, owner: Owner, text: &str) -> Result<Loaded, String> {
    let source = Source { name: "a.toml", folder: Path::new(""), owner };
    read_over(loaded, text, &source).map_err(|error| error.message)
}

fn person(text: &str) -> Result<LoopSettings, String> {
    over(Loaded::default(), Owner::Person, text).map(|loaded| loaded.settings.turn_loop)
}

fn both(person: &str, repository: &str) -> Result<LoopSettings, String> {
    let loaded = over(Loaded::default(), Owner::Person, person)?;
    over(loaded, Owner::Repository, repository).map(|loaded| loaded.settings.turn_loop)
}

const ALL: &str = r#"[loop]
autonomous = { trigger = "single answers failed 4 of 10 tasks" }
max_turns = 200
max_tool_calls = 1000
max_tokens = 8000000
max_cost_usd = "2.50"
max_minutes = 90
max_workers = 0
max_depth = 1
identical_calls = 5
checkpoint_every = 20
checkpoint_before = ["shell"]
parallel = 4
context_tokens = 100000
on_full = "compact"
result_bytes = 8192
output_tokens = 4096
profile = "network"
scopes = ["files:read", "files:write"]
"#;

#[test]
fn a_person_may_say_all_of_it() {
    let settings = person(ALL).unwrap();
    let (limits, context) = (settings.limits(), settings.context());
    assert_eq!((limits.turns, limits.tool_calls, limits.tokens), (Some(200), Some(1000), Some(8_000_000)));
    assert_eq!((limits.cost_micros, limits.wall_millis), (Some(2_500_000), Some(5_400_000)));
    assert_eq!((limits.workers, limits.depth, limits.identical_calls), (Some(0), Some(1), Some(5)));
    assert_eq!((limits.checkpoint_every, limits.checkpoint_before), (Some(20), vec!["shell".to_owned()]));
    assert_eq!((limits.parallel, context.max_tokens, context.on_full), (4, 100_000, OnFull::Compact));
    assert_eq!((context.result_bytes, context.output_tokens), (8192, 4096));
    assert_eq!(settings.profile.unwrap().value, Profile::Network);
    assert_eq!(settings.scopes.unwrap().value, ["files:read", "files:write"]);
    let trigger = settings.autonomous.unwrap();
    assert_eq!(trigger.value, "single answers failed 4 of 10 tasks");
    assert_eq!(trigger.layer, Layer::File { name: "a.toml".to_owned(), line: 2 });
}

#[test]
fn a_repository_lowers_and_does_not_raise() {
    assert_eq!(both("loop.max_turns = 100", "loop.max_turns = 40").unwrap().limits().turns, Some(40));
    assert_eq!(both("", "loop.max_turns = 40").unwrap().limits().turns, Some(40));
    for (mine, theirs, key) in [
        ("loop.max_turns = 30", "loop.max_turns = 31", "max_turns"),
        ("", "loop.max_turns = 61", "max_turns"),
        ("", "loop.max_cost_usd = 11", "max_cost_usd"),
        ("", "loop.identical_calls = 4", "identical_calls"),
        ("loop.checkpoint_every = 5", "loop.checkpoint_every = 6", "checkpoint_every"),
        ("", "loop.action_mode = \"code\"", "action_mode"),
        ("loop.action_mode = \"text\"", "loop.action_mode = \"code\"", "action_mode"),
        ("", "loop.profile = \"network\"", "profile"),
        ("loop.profile = \"read-only\"", "loop.profile = \"isolated\"", "profile"),
        ("loop.scopes = [\"files:read\"]", "loop.scopes = [\"process:run\"]", "scopes"),
    ] {
        let error = both(mine, theirs).unwrap_err();
        assert!(error.contains("a repository can"), "{error}");
        assert!(error.ends_with(&format!("(a.toml, line 1) at $.loop.{key}")), "{error}");
    }
}

#[test]
fn what_makes_a_run_stricter_adds_up() {
    let loop_settings =
        both("loop.checkpoint_before = [\"shell\"]", "loop.checkpoint_before = [\"apply_patch\", \"shell\"]")
            .unwrap();
    assert_eq!(loop_settings.checkpoint_before.unwrap().value, ["shell", "apply_patch"]);
    let loop_settings = both("", "loop.profile = \"read-only\"").unwrap();
    assert_eq!(loop_settings.profile.unwrap().value, Profile::ReadOnly);
    let mode = |mine, theirs| both(mine, theirs).unwrap().mode();
    let (code, text) = ("loop.action_mode = \"code\"", "loop.action_mode = \"text\"");
    assert_eq!((mode(code, text), mode(code, code)), (ActionMode::Text, ActionMode::Code));
    assert_eq!(both("", "loop.checkpoint_every = 3").unwrap().limits().checkpoint_every, Some(3));
}

#[test]
fn a_value_or_a_key_that_cannot_be_is_refused_with_its_line() {
    for (text, message) in [
        (
            "[loop]\nmax_turnz = 3",
            "there is no such key; docs/reference/configuration.md has all (a.toml, line 2) at $.loop.max_turnz",
        ),
        (
            "[loop]\nmax_turns = 0",
            "expected a whole number from 1 to 9007199254740991 (a.toml, line 2) at $.loop.max_turns",
        ),
        ("loop.parallel = 129", "expected a whole number from 1 to 128 (a.toml, line 1) at $.loop.parallel"),
        (
            "loop.max_cost_usd = 2.5",
            "expected dollars above 0, such as 2 or \"0.50\" in quotes (a.toml, line 1) at $.loop.max_cost_usd",
        ),
        (
            "loop.autonomous = true",
            "expected { trigger = \"what was measured\" } (a.toml, line 1) at $.loop.autonomous",
        ),
        (
            "loop.autonomous = { trigger = \" \" }",
            "must not be blank (a.toml, line 1) at $.loop.autonomous.trigger",
        ),
        (
            "loop.on_full = \"grow\"",
            "`grow` is none of descend, compact, window (a.toml, line 1) at $.loop.on_full",
        ),
        ("loop = 3", "expected a table (a.toml, line 1) at $.loop"),
    ] {
        assert_eq!(person(text).unwrap_err(), format!("input.field_invalid: {message}"));
    }
}
