//! The official conformance suite against the program over HTTP. It comes with `npm ci` in `tests/mcp/suite`.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::everything::Example;
use crate::folder::Folder;
use crate::http::{Listening, TOKEN};
use crate::outside::{missing, node, place};
use crate::peer::repository;

/// The suite, and the Node that it needs; none where it was not installed.
pub(crate) fn suite() -> Option<(PathBuf, PathBuf)> {
    let folder = place("suite");
    let is_there = folder.join("node_modules/@modelcontextprotocol/conformance").is_dir();
    if let Some(node) = node().filter(|_| is_there) {
        return Some((folder, node));
    }
    missing("the conformance suite", "npm ci --ignore-scripts` in `crates/cli/tests/mcp/suite");
    None
}

/// Ends with the test.
struct Passing(Child);

impl Drop for Passing {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// What the suite says of a server that wants the token, beside what it is expected to.
fn suite_of_a_server(address: &str, expected: &str) -> Option<String> {
    let (folder, node) = suite()?;
    let place = Folder::new();
    let mut passing = Command::new(&node);
    passing.arg("with-token.mjs").arg(format!("http://{address}")).arg(TOKEN).current_dir(&folder);
    let mut passing = Passing(passing.stdout(Stdio::piped()).spawn().unwrap());
    let mut port = String::new();
    BufReader::new(passing.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let output = Command::new(&node)
        .arg(folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &format!("http://localhost:{}/mcp", port.trim())])
        .arg("--expected-failures")
        .arg(folder.join(expected))
        .current_dir(place.path())
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    Some(said)
}

#[test]
fn the_official_suite_finds_what_is_expected_and_nothing_else() {
    let repository = repository();
    let server = Listening::new(&repository, Some(TOKEN));
    let Some(said) = suite_of_a_server(&server.address, "expected-failures.yml") else { return };
    for scenario in
        ["server-initialize", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"]
    {
        assert!(said.contains(&format!("✓ {scenario}")), "{scenario}\n{said}");
    }
}

#[test]
fn the_example_server_of_the_suite_passes_everything_behind_our_doors() {
    let server = Example::new();
    let Some(said) = suite_of_a_server(&server.address, "expected-failures-of-the-example.yml") else {
        return;
    };
    let passed = said.lines().filter(|line| line.trim_start().starts_with('✓')).count();
    assert!(passed >= 30, "{passed} scenarios passed\n{said}");
    assert!(said.contains("✓ dns-rebinding-protection"), "{said}");
}
