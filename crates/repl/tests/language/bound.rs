//! Everything that is bound, against a list in the repository; and what a program could look for in vain.

use std::collections::BTreeSet;

use premath_repl::{Limits, Session};

use crate::run::error;

const NAMES: &str = include_str!("../names.txt");

/// What other Schemes reach the world with.
const ATTEMPTS: &[&str] = &[
    "call-with-input-file",
    "call-with-output-file",
    "call/cc",
    "call-with-current-continuation",
    "command-line",
    "current-error-port",
    "current-input-port",
    "current-jiffy",
    "current-output-port",
    "current-second",
    "current-time",
    "delete-file",
    "directory-files",
    "dynamic-wind",
    "emergency-exit",
    "environment",
    "eval",
    "exec",
    "execute",
    "exit",
    "file-exists?",
    "getenv",
    "get-environment-variable",
    "get-environment-variables",
    "include",
    "import",
    "interaction-environment",
    "load",
    "make-parameter",
    "make-thread",
    "open-input-file",
    "open-output-file",
    "open-process",
    "pr.spawn-process",
    "process",
    "random",
    "random-integer",
    "read",
    "read-char",
    "read-line",
    "read-string",
    "require",
    "require-builtin",
    "run-shell-command",
    "runtime",
    "scheme-report-environment",
    "set-car!",
    "set-cdr!",
    "shell",
    "sleep",
    "spawn",
    "spawn-native-thread",
    "string-set!",
    "syntax-rules",
    "system",
    "system*",
    "tcp-connect",
    "the-environment",
    "thread-start!",
    "time",
    "with-input-from-file",
    "with-output-to-file",
];

#[test]
fn exactly_the_listed_names_are_bound() {
    let session = Session::new(Limits::default(), Vec::new()).unwrap();
    let bound: BTreeSet<String> = session.names().into_iter().collect();
    let listed: BTreeSet<String> = NAMES.lines().map(ToOwned::to_owned).collect();
    let extra: Vec<_> = bound.difference(&listed).collect();
    let missing: Vec<_> = listed.difference(&bound).collect();
    assert!(
        extra.is_empty() && missing.is_empty(),
        "bound but not listed: {extra:?}; listed but not bound: {missing:?}"
    );
    assert!(NAMES.lines().is_sorted(), "the list is not sorted");
}

/// Seed: 002 §14/1, 002 §14/2, 002 §14/4
#[test]
fn nothing_that_reaches_the_world_is_bound() {
    for name in ATTEMPTS {
        let error = error(&format!("({name} \"x\")"));
        assert_eq!(error.kind.code(), "unbound", "{name}: {error}");
        assert!(!NAMES.lines().any(|known| known == *name), "{name}");
    }
}

#[test]
fn what_the_library_uses_itself_cannot_be_named() {
    for name in ["%handle", "%push-handler", "%record-make", "%values->list", "%merge"] {
        assert_eq!(error(name).kind.code(), "syntax", "{name}");
        assert_eq!(error(&format!("(define {name} 1)")).kind.code(), "syntax", "{name}");
    }
}
