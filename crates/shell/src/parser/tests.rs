//! The grammar, held against the shell itself.

#![expect(clippy::disallowed_methods, reason = "the oracle of these tests is a real shell")]

use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::*;
use crate::arg::Arg;
use crate::interpreter::Interpreter;
use crate::{AgentSandbox, Scene};

/// Whether Bash can read a script; nothing runs.
fn bash_reads(script: &str) -> bool {
    let status =
        Command::new("bash").args(["-n", "-c", script]).stderr(Stdio::null()).stdout(Stdio::null()).status();
    status.unwrap().success()
}

#[test]
fn what_bash_reads_is_read_and_what_it_refuses_is_refused() {
    for script in [
        "ls -la | grep x && echo y || true; (cd a; b) & wait",
        "if a; then b; elif c; then d; else e; fi",
        "for i in 1 2 3; do echo $i; done > log 2>&1",
        "for ((i = 0; i < 3; i++)); do echo $i; done",
        "while read -r x; do y; done < file",
        "until a; do b; done",
        "case $x in a|b) c;; (*) d;; esac",
        "case x in esac",
        "f() { rm \"$1\"; }; f /",
        "function g { ls; }",
        "{ a; b; }",
        "{ { a; } }",
        ":(){ :|:& };:",
        "[[ -f x && $y == z* ]] || (( 1 + 2 ))",
        "x=(a 'b c' d); x+=(e); echo ${x[@]} ${#x} ${!x} ${x:1:2} ${x/a/b} ${x^^}",
        "cat <<EOF | sh\nrm $x\nEOF\n",
        "cat <<'A' <<-B\n1\nA\n\t2\n\tB\necho c",
        "sh <<-EOF 2>&1 | tee x\n\trm z\n\tEOF\n",
        "git commit -m \"$(cat <<'M'\nfix: don't\nM\n)\"",
        "echo \"a $(b \"c d\") `e \\`f\\``\" $((1 + $(g))) $'\\x41' $\"h\"",
        "diff <(a) <(b) >(c)",
        "exec 3<>/dev/tcp/a/80; cat x >&3 2>&1 <&-",
        "a |& b; c &> d; e &>> f; g >| h",
        "echo a\\\nb # comment \\\nrm x",
        "! time -p ls",
        "export A=1 B=\"$(c)\"; declare -a D=(1 2)",
        "echo {a,b}{1..3} HEAD@{1} stash@{0} ${HOME:?no}",
        "select x in a b; do echo $x; break; done",
        "coproc cat",
        "a=1 b=2 c d=3",
        "> file",
        "trap 'rm x' EXIT; eval \"ls\"",
        "",
        "# only a comment",
        "ls )",
        "( ls",
        "if a; then b",
        "for; do a; done",
        "echo 'open",
        "echo \"open",
        "echo $(open",
        "a && && b",
        "a | | b",
        "| a",
        "; a",
        "case x in a) b",
        "then a",
        "} a",
        "done",
        "a > ",
        "{ a",
        "f() ",
    ] {
        assert_eq!(parse(script).is_ok(), bash_reads(script), "{script}");
    }
}

fn expanded(word: &str) -> Option<Vec<String>> {
    let script = parse(&format!("x {word}")).ok()?;
    let Statement::Command(command) = script else { return None };
    let scene = Scene {
        root: "/r".to_owned(),
        folder: "/r".to_owned(),
        own_folders: Vec::new(),
        protected: Vec::new(),
        sandbox: AgentSandbox::None,
    };
    let mut interpreter = Interpreter::new(&scene);
    let words = command.words.iter().skip(1);
    words
        .flat_map(|word| interpreter.expand_all(word))
        .map(|arg: Arg| arg.plain().map(str::to_owned))
        .collect()
}

/// The arguments that Bash makes of a word.
fn bash_expanded(word: &str) -> Option<Vec<String>> {
    let script = format!("set -f; printf '%s\\0' {word}");
    let output = Command::new("bash").args(["-c", &script]).stderr(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.split_terminator('\0').map(str::to_owned).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, rng_seed: RngSeed::Fixed(28), failure_persistence: None, ..ProptestConfig::default() })]

    /// Quotes, escapes and braces mean here what they mean to the shell.
    #[test]
    fn words_are_what_bash_makes_of_them(pieces in prop::collection::vec(
        prop::sample::select(vec!["a", "rm", "'", "\"", "\\", " ", "$'\\x72'", "$'", "{", "}", ",", "b", "#", "\\\n", "$(echo z)", "`echo y`", "-", "x=1"]), 1..9))
    {
        let word = pieces.concat();
        // Versions of Bash keep or drop a backslash that nothing follows.
        prop_assume!(!word.ends_with('\\'));
        let theirs = bash_expanded(&word);
        if let (Some(ours), Some(theirs)) = (expanded(&word), &theirs) {
            // Empty arguments are not told apart from none: `printf` prints one for none, and no rule is about them.
            let ours: Vec<&String> = ours.iter().filter(|word| !word.is_empty()).collect();
            let theirs: Vec<&String> = theirs.iter().filter(|word| !word.is_empty()).collect();
            prop_assert_eq!(ours, theirs, "{:?}", word);
        }
    }

    /// No text takes more than its bound, whatever it repeats.
    #[test]
    fn texts_that_repeat_are_bounded(unit in prop::sample::select(vec![
        "(", ")", "$(", "\"$(", "`", "'", "\"", "{", "${", "${x:-", "<<A ", "if ", "case x in ", "a|", "a;", "$((", "\\", "[[ ", "f(){ ",
        "{a,b}", "<(", "x=$(", "((", "a&", "$[", "#", "\n", "<<E\n", "$'", "a=(", "! ", "for i in ", "&&", "|", ">x ", "*[",
    ]), count in 1_usize..9_000) {
        let text: String = unit.repeat(count).chars().take(MOST_BYTES).collect();
        let _statement = parse(&text);
    }
}
