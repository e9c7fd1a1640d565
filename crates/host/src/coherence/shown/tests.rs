//! Which commands a page shows, and what is wrong with them.

use super::{CommandShape, problems, shown};

fn commands() -> Vec<CommandShape> {
    let shape = |path: &str, flags: &[&str], needs_more| CommandShape {
        path: path.to_owned(),
        flags: flags.iter().map(|&flag| flag.to_owned()).collect(),
        needs_more,
    };
    vec![
        shape("issue", &["help"], true),
        shape("issue add", &["id", "json"], false),
        shape("issue list", &["json"], false),
        shape("run", &["model"], false),
    ]
}

fn details(typed: &str) -> Vec<String> {
    problems(typed, &commands()).into_iter().map(|(_, detail)| detail).collect()
}

#[test]
fn code_within_lines_and_in_fences_is_read_and_prose_is_not() {
    let page = "premath is a program.\nType `premath run x`, not `cargo`.\n```\n$ premath issue add A # why\n\
                cargo test\n```\n`premath issue list` and `premath run`.\n";
    let found: Vec<(usize, &str)> =
        vec![(2, "run x"), (4, "issue add A # why"), (7, "issue list"), (7, "run")];
    let read = shown(page);
    assert_eq!(read.iter().map(|(line, code)| (*line, code.as_str())).collect::<Vec<_>>(), found);
}

#[test]
fn commands_that_exist_are_left_alone() {
    for typed in [
        "issue add \"a title\" --id bd-1 # --nothing",
        "issue add|list --json",
        "issue add TITLE [--id …]",
        "run x --model y | jq --raw",
        "run -- --anything",
        "issue …",
        "issue",
    ] {
        assert_eq!(details(typed), Vec::<String>::new(), "{typed}");
    }
}

#[test]
fn what_does_not_exist_is_named() {
    assert_eq!(details("isue add"), ["there is no command `premath isue`"]);
    assert_eq!(details("issue levitate bd-1"), ["there is no command `premath issue levitate`"]);
    assert_eq!(details("issue add|levitate"), ["there is no command `premath issue levitate`"]);
    assert_eq!(details("issue add x --colour=red"), ["`premath issue add` takes no `--colour`"]);
}
