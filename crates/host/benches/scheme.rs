//! What a call of the host costs a program beyond the action itself, and what it costs to begin. Run:
//! `cargo bench -p premath-host --bench scheme`.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "what cannot be prepared fails the measurement")]

#[path = "../tests/repository/mod.rs"]
mod repository;

use divan::Bencher;
use premath_host::{Case, Host, SchemeSession, SchemeWishes, SourceError, VectorSource};
use premath_kernel::{Object, Value};
use premath_repl::Limits;
use repository::Repository;

/// So many calls are made at once, so that beginning and ending do not count.
const CALLS: u32 = 1_000;

/// No vectors.
#[derive(Debug)]
struct Nothing;

impl VectorSource for Nothing {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Ok(Vec::new())
    }
}

fn main() {
    divan::main();
}

fn filled(host: &Host<'_>) {
    host.call("workspace.init", &Object::fields().finish()).expect("a repository");
    host.call("issue.add", &Object::fields().field("title", "One").finish()).expect("an issue");
}

fn arguments() -> Value<'static> {
    Object::fields().field("id", "bd-1").finish()
}

#[divan::bench]
fn a_thousand_actions(bencher: Bencher<'_, '_>) {
    let repository = Repository::new();
    let host = repository.host(&Nothing);
    filled(&host);
    let arguments = arguments();
    bencher.bench_local(|| {
        for _ in 0..CALLS {
            divan::black_box(host.call("issue.show", &arguments).expect("an answer"));
        }
    });
}

#[divan::bench]
fn a_thousand_actions_by_a_program(bencher: Bencher<'_, '_>) {
    let repository = Repository::new();
    let host = repository.host(&Nothing);
    filled(&host);
    let limits = Limits { host_calls: u64::from(CALLS), ..Limits::default() };
    let mut session =
        SchemeSession::new(&host, SchemeWishes { limits, ..SchemeWishes::default() }).expect("a session");
    let program = format!("(do ((i 0 (+ i 1))) ((= i {CALLS})) (issue-show \"bd-1\"))");
    bencher.bench_local(|| {
        let done = session.evaluate(&program).expect("an evaluation");
        assert!(done.result.is_ok(), "the program failed");
        done.calls.len()
    });
}

#[divan::bench]
fn a_session_begins(bencher: Bencher<'_, '_>) {
    let repository = Repository::new();
    let host = repository.host(&Nothing);
    bencher.bench_local(|| SchemeSession::new(&host, SchemeWishes::default()).expect("a session"));
}
