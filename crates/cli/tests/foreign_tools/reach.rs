//! How far a yes for a call of another server reaches: as far as the configuration says what its tools act on.

use serde_json::{Value, json};

use crate::place::{Place, behaviour, tool};

/// A place whose model calls the tool for Bern twice, then for Basel; every call is asked about.
fn asking(terms: &str) -> Place {
    let place = Place::new(&behaviour(&[tool("forecast", "Weather of a town.")]), terms);
    place.approve_all();
    let (code, ran) = place.calls(&["weather__forecast"; 3], &[]);
    assert_eq!((code, &ran["outcome"]), (3, &json!("needs_person")), "{ran}");
    place
}

#[track_caller]
fn pending(place: &Place) -> Value {
    let (_, page) = place.json(&["approvals", "list", "--state", "pending"]);
    assert_eq!(page["count"], 1, "{page}");
    page["items"][0].clone()
}

fn id(question: &Value) -> &str {
    question["id"].as_str().unwrap()
}

fn scopes(question: &Value) -> Vec<&str> {
    question["offers"].as_array().unwrap().iter().map(|offer| offer["scope"].as_str().unwrap()).collect()
}

#[test]
fn a_tool_without_a_declared_target_is_approved_once_and_no_further() {
    let place = asking("");
    let question = pending(&place);
    assert_eq!(scopes(&question), ["once"]);
    for further in [&["--scope", "run"][..], &["--pattern-name", "*"], &["--pattern-argument", "town=Bern"]] {
        let approve = [&["approvals", "approve", id(&question)], further].concat();
        let (_, shown) = place.json(&approve);
        let digest = shown["shownDigest"].as_str().unwrap_or_default();
        let (code, refused) = place.json(&[&approve[..], &["--digest", digest]].concat());
        assert_eq!(
            (code, &refused["refused"]["class"]),
            (1, &json!("approval_unbounded")),
            "{further:?}: {refused}"
        );
    }
    assert_eq!(place.json(&["approvals", "approve", id(&question)]).0, 0);
    assert_eq!(place.json(&["resume", "w"]).0, 3, "the next call is asked about");
    assert_eq!(place.arguments("forecast").len(), 1);
    assert_eq!(pending(&place)["arguments"], json!({ "town": "Bern" }));
}

#[test]
fn a_yes_for_the_run_covers_calls_on_the_same_declared_argument_and_no_others() {
    let place = asking("[mcp.servers.weather.tools.forecast]\ntarget = [\"town\"]\n");
    let question = pending(&place);
    assert_eq!(scopes(&question), ["once", "run", "pattern"]);
    assert_eq!(question["targets"][0]["name"], "Bern");
    assert_eq!(place.json(&["approvals", "approve", id(&question), "--scope", "run"]).0, 0);
    let (_, active) = place.json(&["approvals", "list", "--active"]);
    assert_eq!(active["items"][0]["reach"], "every call of weather__forecast on Bern in run w");
    assert_eq!(place.json(&["resume", "w"]).0, 3, "Basel is asked about");
    assert_eq!(place.arguments("forecast"), [json!({ "town": "Bern" }), json!({ "town": "Bern" })]);
    assert_eq!(pending(&place)["targets"][0]["name"], "Basel");
}

#[test]
fn another_declaration_is_another_tool_until_a_person_approves_it() {
    let place = asking("");
    let text = place.read("premath.toml");
    place
        .write("premath.toml", &format!("{text}[mcp.servers.weather.tools.forecast]\ntarget = [\"town\"]\n"));
    assert_eq!(place.states(), [("forecast".to_owned(), "tool_drift".to_owned())]);
}

#[test]
fn a_declaration_that_names_no_argument_is_refused_with_its_place() {
    let place = Place::new(&behaviour(&[]), "[mcp.servers.weather.tools.forecast]\ntarget = []\n");
    let ran = place.run(&["tools", "list"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("mcp.servers.weather.tools.forecast.target"), "{}", ran.stderr);
}
