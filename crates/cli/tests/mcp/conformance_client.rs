//! The official conformance suite against our client: the suite starts a server for each scenario, and this very test program as
//! the client of it, which reaches the server as runs reach theirs.

use std::io;
use std::process::Command;
use std::sync::Arc;

use premath_mcp::{Client, Launch, Launched, ProgramToStart};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::tools::foreign::{ForeignCall, ForeignDefinition, ForeignServer, ForeignTools as _, Reach};
use serde_json::{Map, Value, json};

use crate::conformance_suite::suite;
use crate::folder::Folder;

/// What the suite sets for the client that it starts.
const SCENARIO: &str = "MCP_CONFORMANCE_SCENARIO";
/// How the test program is started as a client. The address is put behind it.
const ARGUMENTS: &str = "--exact conformance_client::speaks_where_the_suite_starts_it --nocapture";

/// Nothing can be started here, and there is nothing in the environment.
#[derive(Debug)]
struct Nowhere;

impl Launch for Nowhere {
    fn start(&self, _: &ProgramToStart<'_>) -> io::Result<Launched> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn variable(&self, _: &str) -> Option<String> {
        None
    }
}

#[test]
fn speaks_where_the_suite_starts_it() {
    let Ok(scenario) = std::env::var(SCENARIO) else { return };
    let url = std::env::args().next_back().unwrap();
    let reach = Reach::Service { url, token: None, headers: std::collections::BTreeMap::new() };
    let server = ForeignServer::new("suite", reach);
    let client = Client::new(vec![server.clone()], String::new(), Arc::new(Nowhere));
    let interrupt = Interrupt::default();
    let listed = client.list("suite", &interrupt).unwrap();
    for definition in &listed {
        let (arguments, pin) = (filled_in(definition), definition.pin(&server));
        let answer = client.call(&ForeignCall {
            server: "suite",
            tool: &definition.name,
            arguments: &arguments,
            pin: &pin,
            deadline: None,
            output_bytes: None,
            interrupt: &interrupt,
        });
        println!("{scenario}: {} answered {answer:?}", definition.name);
        assert!(!answer.unwrap().is_error, "{scenario}: {}", definition.name);
    }
}

/// Arguments that a schema takes.
fn filled_in(definition: &ForeignDefinition) -> Value {
    let schema: Value = serde_json::from_str(definition.input_schema.as_str()).unwrap();
    let mut arguments = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let value = match property["type"].as_str() {
            Some("number" | "integer") => json!(7),
            Some("boolean") => json!(true),
            Some(_) | None => json!("seven"),
        };
        arguments.insert(name.clone(), value);
    }
    Value::Object(arguments)
}

#[test]
fn the_official_suite_finds_in_our_client_what_is_expected_and_nothing_else() {
    let Some((folder, node)) = suite() else { return };
    let place = Folder::new();
    let program = std::env::current_exe().unwrap();
    let output = Command::new(&node)
        .arg(folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args([
            "client",
            "--suite",
            "all",
            "--command",
            &format!("{} {ARGUMENTS}", program.to_str().unwrap()),
        ])
        .arg("--expected-failures")
        .arg(folder.join("expected-failures-of-our-client.yml"))
        .current_dir(place.path())
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    // A scenario in which nothing was checked counts as passed there, and does not here.
    assert!(!said.contains(": 0 passed, 0 failed"), "{said}");
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for scenario in ["initialize", "tools_call", "sse-retry"] {
        assert!(said.contains(&format!("✓ {scenario}")), "{scenario}\n{said}");
    }
}
