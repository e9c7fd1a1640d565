//! What `[guardrails]` may say, and who may say it.

use std::path::Path;

use premath_guards::GuardSettings;
use premath_tusk::policy::{GuardAction, GuardrailStage};

use super::{GuardrailSettings, Reached};
use crate::error::CliError;
use crate::settings::{Loaded, Owner, Source, read_over};

fn both(person: &str, repository: &str) -> Result<GuardrailSettings, CliError> {
    let source = |name, folder, owner| Source { name, folder: Path::new(folder), owner };
    let loaded = read_over(Loaded::default(), person, &source("mine.toml", "/mine", Owner::Person))?;
    let loaded = read_over(loaded, repository, &source("premath.toml", "/project", Owner::Repository))?;
    Ok(loaded.guardrails)
}

#[test]
fn what_nobody_says_is_as_the_guards_are_shipped() {
    assert_eq!(both("", "").unwrap().built_in(), GuardSettings::default());
}

#[test]
fn a_word_means_something_at_each_stage() {
    let guards =
        both("[guardrails]\nsecrets = \"ask\"\npii = \"redact\"\ninjection = \"block\"\n", "").unwrap();
    let built_in = guards.built_in();
    let at = |actions: premath_guards::StageActions| (actions.input, actions.output);
    assert_eq!(at(built_in.secrets), (Some(GuardAction::Ask), Some(GuardAction::Redact)));
    assert_eq!(at(built_in.pii.unwrap().actions), (Some(GuardAction::Flag), Some(GuardAction::Redact)));
    assert_eq!(at(built_in.injection), (Some(GuardAction::Block), Some(GuardAction::Block)));
    assert_eq!(both("guardrails.pii = \"off\"", "").unwrap().built_in().pii, None);
}

#[test]
fn a_repository_makes_guards_stricter_and_never_milder() {
    let guards =
        both("", "[guardrails]\nsecrets = \"block\"\npii = \"flag\"\nhosts = [\"example.org\"]\n").unwrap();
    assert_eq!(guards.built_in().secrets.output, Some(GuardAction::Block));
    assert_eq!(guards.built_in().urls.unwrap().hosts, ["example.org"]);
    for (person, repository) in [
        ("", "guardrails.secrets = \"off\""),
        ("", "guardrails.secrets = \"flag\""),
        ("", "guardrails.secrets = \"ask\""),
        ("", "guardrails.injection = \"off\""),
        ("guardrails.pii = \"block\"", "guardrails.pii = \"redact\""),
        ("guardrails.hosts = [\"a.org\"]", "guardrails.hosts = [\"a.org\", \"b.org\"]"),
        ("guardrails.paths = [\"src/**\"]", "guardrails.paths = [\"**\"]"),
        ("", "guardrails.max_argument_bytes = 2000000"),
        ("", "guardrails.repository_guards = true"),
    ] {
        let error = both(person, repository).unwrap_err();
        assert!(error.message.contains("a repository can"), "{repository}: {}", error.message);
        assert_eq!(error.exit.code(), 2);
    }
}

const COMMAND: &str = "[[guardrails.command]]\nname = \"scan\"\nrun = [\"./scan.sh\", \"-q\"]\nstages = [\"input\"]\n\
                       action = \"ask\"\ndeadline_ms = 500\n";

const TOOL: &str = "[[guardrails.mcp]]\nname = \"scan\"\nserver = \"looks\"\ntool = \"text.look\"\n";

#[test]
fn a_repository_brings_no_guards_unless_a_person_lets_it() {
    for repository in [COMMAND, "[[guardrails.http]]\nname = \"scan\"\nurl = \"http://127.0.0.1:9/\"\n", TOOL]
    {
        let error = both("", repository).unwrap_err();
        assert!(error.message.contains("starts no programs"), "{}", error.message);
        assert!(
            error.hints.iter().any(|hint| hint.contains("guardrails.repository_guards")),
            "{:?}",
            error.hints
        );
        assert!(both("guardrails.repository_guards = false", repository).is_err());
        assert_eq!(both("guardrails.repository_guards = true", repository).unwrap().outside.len(), 1);
    }
}

#[test]
fn a_guard_outside_is_taken_with_all_it_says() {
    let guards = both(COMMAND, "").unwrap();
    let [guard] = guards.outside.as_slice() else { panic!("{guards:?}") };
    assert_eq!(guard.value.name, "scan");
    assert_eq!(guard.value.reached, Reached::Program("/mine/./scan.sh".to_owned(), vec!["-q".to_owned()]));
    assert_eq!(guard.value.actions.stages(), [GuardrailStage::Input]);
    assert_eq!(guard.value.actions.input, Some(GuardAction::Ask));
    assert_eq!(guard.value.deadline.as_millis(), 500);
    let shown = guards.entries();
    let shown = shown.iter().find(|(key, _)| key == "guardrails.command.scan").unwrap();
    assert_eq!(shown.1.value, "/mine/./scan.sh -q (input:ask, 500 ms)");
}

#[test]
fn a_guard_that_is_a_tool_names_its_server() {
    let guards = both(TOOL, "").unwrap();
    let [guard] = guards.outside.as_slice() else { panic!("{guards:?}") };
    assert_eq!(guard.value.reached, Reached::Tool("looks".to_owned(), "text.look".to_owned()));
    let shown = guards.entries();
    let shown = shown.iter().find(|(key, _)| key == "guardrails.mcp.scan").unwrap();
    assert_eq!(shown.1.value, "looks/text.look (input:block output:block, 2000 ms)");
}

#[test]
fn what_means_nothing_is_refused_with_its_place() {
    for (text, place) in [
        ("guardrails.secret = \"block\"", "$.guardrails.secret"),
        ("guardrails.secrets = \"loud\"", "$.guardrails.secrets"),
        ("guardrails.max_argument_bytes = 12", "$.guardrails.max_argument_bytes"),
        ("[guardrails.command]\nname = \"x\"", "$.guardrails.command"),
        ("[[guardrails.command]]\nname = \"x\"", "$.guardrails.command[0]"),
        ("[[guardrails.command]]\nrun = [\"x\"]", "$.guardrails.command[0]"),
        ("[[guardrails.command]]\nname = \"x\"\nrun = []", "$.guardrails.command[0]"),
        ("[[guardrails.command]]\nname = \"pii\"\nrun = [\"x\"]", "$.guardrails.command[0]"),
        ("[[guardrails.command]]\nname = \"x\"\nurl = \"y\"", "$.guardrails.command[0].url"),
        (
            "[[guardrails.command]]\nname = \"x\"\nrun = [\"x\"]\nstages = [\"later\"]",
            "$.guardrails.command[0].stages",
        ),
        (
            "[[guardrails.command]]\nname = \"x\"\nrun = [\"x\"]\ndeadline_ms = 0",
            "$.guardrails.command[0].deadline_ms",
        ),
        ("[[guardrails.mcp]]\nname = \"x\"\nserver = \"y\"", "$.guardrails.mcp[0]"),
        ("[[guardrails.mcp]]\nname = \"x\"\nserver = \"a b\"\ntool = \"t\"", "$.guardrails.mcp[0].server"),
        ("[[guardrails.mcp]]\nname = \"x\"\nserver = \"y\"\ntool = \"\"", "$.guardrails.mcp[0].tool"),
        ("[[guardrails.mcp]]\nname = \"x\"\nurl = \"y\"", "$.guardrails.mcp[0].url"),
        (
            "[[guardrails.http]]\nname = \"x\"\nurl = \"u\"\n[[guardrails.http]]\nname = \"x\"\nurl = \"u\"",
            "$.guardrails.http[1]",
        ),
    ] {
        let error = both(text, "").unwrap_err();
        assert!(error.message.ends_with(&format!("at {place}")), "{text}: {}", error.message);
    }
}
