//! The table of host functions: what is in it, what must not be, and that its page says the same.

#![expect(clippy::unwrap_used, reason = "what cannot be read fails the test")]
#![expect(clippy::disallowed_methods, reason = "the page is a file")]

mod repository;
mod vectors;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use premath_host::{ACTIONS, Door, FUNCTIONS, Gives, ProgramFunction, SchemeSession, SchemeWishes};
use premath_kernel::{Object, Value};
use repository::Repository;
use vectors::Vectors;

/// Members by which an action names a file, and those where the same word means something else.
const FILES: [&str; 7] = ["featureLedger", "issues", "outcome", "output", "path", "source", "witness"];
const NO_FILES: [(&str, &str); 3] =
    [("audit.query", "path"), ("instruction.check", "path"), ("instruction.run", "path")];
const BEGIN: &str = "<!-- functions -->\n";
const END: &str = "<!-- end -->\n";

#[test]
fn functions_are_sorted_and_call_actions_that_do_not_reach_outside() {
    assert!(FUNCTIONS.is_sorted_by(|left, right| left.action < right.action));
    let names: BTreeSet<String> = FUNCTIONS.iter().map(ProgramFunction::name).collect();
    assert_eq!(names.len(), FUNCTIONS.len(), "two functions share a name");
    for function in FUNCTIONS {
        let action = ACTIONS.iter().find(|action| action.name == function.action).unwrap();
        assert_ne!(action.door, Door::Effect, "{}", action.name);
        assert_ne!(action.name, "scheme.eval");
    }
}

#[test]
fn what_changes_something_is_what_the_contract_lists() {
    let changing: Vec<&str> = FUNCTIONS
        .iter()
        .map(|function| function.action)
        .filter(|name| ACTIONS.iter().any(|action| action.name == *name && action.door != Door::Read))
        .collect();
    assert_eq!(
        changing,
        [
            "dep.add",
            "dep.remove",
            "dep.replace",
            "harness.feature.write",
            "harness.session.write",
            "harness.trajectory.append",
            "instruction.run",
            "issue.add",
            "issue.claim",
            "issue.claim_next",
            "issue.discover",
            "issue.lease_release",
            "issue.lease_renew",
            "issue.update",
        ]
    );
}

#[test]
fn no_function_takes_the_name_of_a_file() {
    for function in FUNCTIONS {
        for member in function.positional.iter().chain(function.named) {
            let is_file = FILES.contains(member) && !NO_FILES.contains(&(function.action, member));
            assert!(!is_file, "{} takes `{member}`", function.action);
        }
    }
}

#[test]
fn every_member_that_a_function_takes_is_one_its_action_knows() {
    let repository = Repository::new();
    let host = repository.host(&Vectors);
    host.call("workspace.init", &Object::fields().finish()).unwrap();
    for function in FUNCTIONS {
        let known = |member: &'static str| {
            let args = Object::fields().field(member, Value::Array(vec![Value::Array(Vec::new())])).finish();
            match host.call(function.action, &args) {
                Err(error) => !error.to_string().contains("unknown field"),
                Ok(_) => true,
            }
        };
        for member in function.positional.iter().chain(function.named) {
            assert!(known(member), "{} does not know `{member}`", function.action);
        }
    }
}

#[test]
fn a_session_binds_the_functions_and_the_procedures_over_them_and_nothing_else() {
    let repository = Repository::new();
    let host = repository.host(&Vectors);
    let session = SchemeSession::new(&host, SchemeWishes::default()).unwrap();
    let language = premath_repl::Session::new(premath_repl::Limits::default(), Vec::new()).unwrap().names();
    let mut expected: BTreeSet<String> = FUNCTIONS.iter().map(ProgramFunction::name).collect();
    expected.extend(
        [
            "host-call",
            "issue-assignee",
            "issue-dependencies",
            "issue-description",
            "issue-has-label?",
            "issue-id",
            "issue-labels",
            "issue-lease",
            "issue-member",
            "issue-priority",
            "issue-status",
            "issue-title",
            "issue-type",
        ]
        .map(str::to_owned),
    );
    let bound: BTreeSet<String> =
        session.names().into_iter().filter(|name| !language.contains(name)).collect();
    assert_eq!(bound, expected);
}

#[test]
fn a_program_that_was_asked_to_end_or_whose_time_is_over_calls_nothing_more() {
    let repository = Repository::new();
    let host = repository.host(&Vectors);
    host.call("workspace.init", &Object::fields().finish()).unwrap();
    let class = |wishes: SchemeWishes| {
        let done = SchemeSession::new(&host, wishes).unwrap().evaluate("(issue-list)").unwrap();
        (done.failure_class, done.result.is_err_and(|error| error.retryable))
    };
    let now = host.workspace.clock.now();
    let until = |deadline| SchemeWishes { deadline: Some(deadline), ..SchemeWishes::default() };
    assert_eq!(class(until(now.plus_seconds(1))), (None, false));
    assert_eq!(class(until(now)), (Some("timeout".to_owned()), true));
    let asked = SchemeWishes::default();
    asked.interrupt.request();
    let mut session = SchemeSession::new(&host, asked).unwrap();
    let done = session.evaluate("(define one 1) (issue-list)").unwrap();
    assert_eq!(done.failure_class.as_deref(), Some("interrupted"));
    // What ends one evaluation does not end the session.
    session.ends_with(premath_tusk::sandbox::Interrupt::default());
    assert_eq!(session.evaluate("(issue-list) one").unwrap().result.unwrap().text, "1");
}

fn row(function: &ProgramFunction) -> String {
    let door = ACTIONS.iter().find(|action| action.name == function.action).unwrap().door;
    let needs = match (door, function.action) {
        (Door::Read, _) => "",
        (_, "instruction.run") => "its own",
        (Door::Mutation | Door::Record | Door::Effect, _) => "yes",
    };
    let gives = match function.gives {
        Gives::Payload => "the answer".to_owned(),
        Gives::Member(name) => format!("its list `{name}`"),
        Gives::Verdict => "the answer, also when it is a rejection".to_owned(),
    };
    let call = [&[function.name().as_str()], function.positional].concat().join(" ");
    let named: Vec<String> = function.named.iter().map(|name| format!("`{name}`")).collect();
    format!("| `({call})` | {} | {needs} | {gives} |\n", named.join(" "))
}

#[test]
fn the_page_lists_every_function_as_the_table_has_it() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/host-functions.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let rows: String = FUNCTIONS.iter().map(row).collect();
    let head = "| call | may also name | instruction | the program gets |\n|---|---|---|---|\n";
    let right = format!("{before}{BEGIN}\n{head}{rows}\n{END}{after}");
    if std::env::var("PREMATH_UPDATE").is_ok_and(|value| value == "1") {
        fs::write(&path, right).unwrap();
    } else {
        assert_eq!(page, right, "PREMATH_UPDATE=1 writes the table anew");
    }
}
