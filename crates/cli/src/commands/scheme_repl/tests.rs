//! Lines that are commands, and what is listed.

use premath_host::{Host, NoAgent, NoModels, NoSandbox, SchemeWishes};

use super::over_host::OverHost;
use super::{Command, Evaluator as _, SchemeTyping, command, listed};
use crate::commands::nowhere;
use crate::system::{Typing as _, VectorFolder};

#[test]
fn a_line_that_begins_with_a_comma_and_a_word_is_a_command() {
    assert_eq!(command(",help"), Some(Command::Help));
    assert_eq!(command("  ,names issue "), Some(Command::Names("issue")));
    assert_eq!(command(",quit"), Some(Command::Quit));
    assert_eq!(command(",qiut"), Some(Command::Unknown(",qiut")));
    assert_eq!(command("(a ,b)"), None);
    assert_eq!(command(",(list 1)"), None, "an unquote that stands alone is the program's to refuse");
}

#[test]
fn a_command_is_whole_and_a_program_when_the_language_says_so() {
    let typing =
        SchemeTyping { names: Vec::new(), known: Default::default(), needs_more: |text| text.ends_with('(') };
    assert!(typing.is_whole(",names ("));
    assert!(!typing.is_whole("(+ 1 ("));
    assert!(typing.is_whole("(+ 1 2)"));
}

#[test]
fn names_are_listed_by_a_part_of_them() {
    let names = ["car", "issue-id", "issue-list"].map(str::to_owned);
    assert_eq!(listed(&names, "issue").split_whitespace().collect::<Vec<_>>(), ["issue-id", "issue-list"]);
    assert!(listed(&names, "zzz").contains("nothing that is bound"));
}

#[test]
fn the_class_of_a_failure_is_told_once() {
    let workspace = nowhere();
    let vectors = VectorFolder(std::path::PathBuf::new());
    let host = Host {
        vectors: &vectors,
        workspace: &workspace,
        models: &NoModels,
        sandbox: &NoSandbox,
        agent: &NoAgent,
    };
    let mut evaluator = OverHost::new(&host, SchemeWishes::default()).unwrap();
    let mut failure = |program: &str| evaluator.evaluate(program).unwrap().result.unwrap_err();
    assert_eq!(failure("(host-call \"issue.fly\")").matches("host_action_unknown").count(), 1);
    assert_eq!(failure("(car 5)").matches("scheme_type").count(), 1);
}
