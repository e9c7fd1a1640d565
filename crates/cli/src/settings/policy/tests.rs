//! What `[policy]` may say, and who may say it.

use std::path::Path;

use premath_host::PolicySettings;
use premath_tusk::policy::Observability;

use crate::error::CliError;
use crate::settings::{Loaded, Owner, Source, read_over};

fn both(person: &str, repository: &str) -> Result<PolicySettings, CliError> {
    let source = |name, owner| Source { name, folder: Path::new(""), owner };
    let loaded = read_over(Loaded::default(), person, &source("mine.toml", Owner::Person))?;
    let loaded = read_over(loaded, repository, &source("premath.toml", Owner::Repository))?;
    Ok(loaded.settled()?.settings.policy)
}

#[test]
fn a_person_says_everything() {
    let text = "[policy]\nrole = \"clerk\"\nobservability = \"internal_processor\"\nmax_daily_tool_calls = 9\n\
                max_daily_cost_usd = \"0.25\"\napproval_seconds = 60\n[policy.roles.clerk]\nscopes = [\"desk:*\", \"files:read\"]\n";
    let policy = both(text, "").unwrap();
    assert_eq!(policy.role(), "clerk");
    assert_eq!(policy.ceiling().unwrap(), ["desk:*", "files:read"]);
    assert_eq!(policy.observability(), Observability::InternalProcessor);
    assert_eq!((policy.daily(), policy.approval_seconds()), ((Some(9), Some(250_000)), 60));
}

#[test]
fn a_repository_gives_less() {
    let person =
        "policy.roles.owner.scopes = [\"desk:*\", \"files:read\"]\npolicy.max_daily_tool_calls = 9\n";
    let repository = "[policy]\nobservability = \"disabled\"\nmax_daily_tool_calls = 8\napproval_seconds = 30\n\
                      [policy.roles.owner]\nscopes = [\"desk:read\"]\n";
    let policy = both(person, repository).unwrap();
    assert_eq!(policy.ceiling().unwrap(), ["desk:read"]);
    assert_eq!((policy.daily().0, policy.approval_seconds()), (Some(8), 30));
    assert_eq!(policy.observability(), Observability::Disabled);
    let policy = both("", "policy.role = \"guest\"\npolicy.roles.guest.scopes = [\"files:read\"]\n").unwrap();
    assert_eq!((policy.role(), policy.ceiling().unwrap().len()), ("guest", 1), "where you set no ceiling");
}

#[test]
fn a_repository_never_gives_more() {
    let ceiling = "policy.roles.owner.scopes = [\"desk:read\"]\n";
    for (person, repository) in [
        (ceiling, "policy.roles.owner.scopes = [\"desk:*\"]"),
        (ceiling, "policy.roles.owner.scopes = [\"desk:read\", \"files:read\"]"),
        (ceiling, "policy.role = \"other\""),
        (
            "policy.roles.owner.scopes = [\"desk:read\"]\npolicy.roles.boss.scopes = [\"*\"]",
            "policy.role = \"boss\"",
        ),
        ("policy.observability = \"disabled\"", "policy.observability = \"dashboard\""),
        ("policy.max_daily_tool_calls = 3", "policy.max_daily_tool_calls = 4"),
        ("policy.max_daily_cost_usd = 1", "policy.max_daily_cost_usd = 2"),
        ("", "policy.approval_seconds = 901"),
    ] {
        let error = both(person, repository).unwrap_err();
        assert!(error.message.contains("a repository can"), "{repository}: {}", error.message);
        assert_eq!(error.exit.code(), 2);
        assert!(both(&format!("{person}\n"), "").is_ok(), "{person}");
    }
}

#[test]
fn what_means_nothing_is_refused_with_its_place() {
    for (text, place) in [
        ("policy.rolle = \"x\"", "$.policy.rolle"),
        ("policy.role = \"a b\"", "$.policy.role"),
        ("policy.roles = 3", "$.policy.roles"),
        ("policy.roles.clerk = {}", "$.policy.roles.clerk"),
        ("policy.roles.clerk.scope = [\"*\"]", "$.policy.roles.clerk.scope"),
        ("policy.roles.clerk.scopes = [\"desk\"]", "$.policy.roles.clerk.scopes"),
        ("policy.roles.clerk.scopes = [\"desk:**\"]", "$.policy.roles.clerk.scopes"),
        ("policy.observability = \"loud\"", "$.policy.observability"),
        ("policy.approval_seconds = 0", "$.policy.approval_seconds"),
        ("policy.max_daily_tool_calls = 0", "$.policy.max_daily_tool_calls"),
    ] {
        let error = both(text, "").unwrap_err();
        assert!(error.message.ends_with(&format!("at {place}")), "{text}: {}", error.message);
    }
}

#[test]
fn a_role_that_nobody_defines_is_refused_with_its_line() {
    let reader = "[policy.roles.reader]\nscopes = [\"files:read\"]\n";
    for (person, repository, line) in [
        (format!("[policy]\nrole = \"raeder\"\n{reader}"), String::new(), "mine.toml, line 2"),
        (String::new(), format!("[policy]\n\nrole = \"raeder\"\n{reader}"), "premath.toml, line 3"),
        (reader.to_owned(), "policy.role = \"raeder\"\n".to_owned(), "premath.toml, line 1"),
        ("policy.role = \"Owner\"\n".to_owned(), reader.to_owned(), "mine.toml, line 1"),
    ] {
        let error = both(&person, &repository).unwrap_err();
        let is_placed = error.message.contains(line) && error.message.ends_with("at $.policy.role");
        assert!(is_placed && error.message.contains("there are owner, reader"), "{}", error.message);
        assert_eq!(error.exit.code(), 2);
    }
    for (person, repository) in [
        ("policy.role = \"owner\"\n", ""),
        ("policy.role = \"reader\"\n", reader),
        (reader, "policy.role = \"reader\"\n"),
    ] {
        assert!(both(person, repository).is_ok(), "{person}{repository}");
    }
}

#[test]
fn a_role_that_does_not_exist_has_nothing() {
    let policy = both("", "").unwrap();
    assert_eq!((policy.ceiling(), policy.ceiling_of("nobody")), (None, Some(&[][..])));
}
