//! The judgement held against Bash itself: what Bash reads is read, and no script makes Bash run a dangerous command that
//! the judgement allows.
//!
//! Scripts are generated from a fixed seed, run by a real Bash in an empty folder whose `rm` only leaves a mark, and judged.
//! `PREMATH_PROVE=1` tries more of them.

#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the oracle of these tests is a real shell; what cannot be prepared fails the test"
)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use premath_shell::{AgentSandbox, Decision, RiskClass, Scene, judge_command};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

/// Printed by the program that stands for `rm`, when it is told to delete `/q`.
const MARK: &str = "MARK-OF-A-DELETION";

fn scene() -> Scene {
    Scene {
        root: "/home/dev/project".to_owned(),
        folder: "/home/dev/project".to_owned(),
        own_folders: Vec::new(),
        protected: Vec::new(),
        sandbox: AgentSandbox::None,
    }
}

/// A folder with the only programs that a script finds.
struct Oracle {
    folder: PathBuf,
}

impl Oracle {
    fn new() -> Self {
        let folder = std::env::temp_dir().join(format!("premath-bash-oracle-{}", std::process::id()));
        fs::create_dir_all(folder.join("bin")).expect("a folder");
        let rm = folder.join("bin/rm");
        let text = format!(
            "#!/bin/bash\nfor a in \"$@\"; do [[ $a == -rf ]] && f=1; [[ $a == /q ]] && q=1; done\n\
             [[ -n $f$q && $f == $q ]] && echo {MARK} >&9\nexit 0\n"
        );
        fs::write(&rm, text).expect("a program");
        fs::set_permissions(&rm, fs::Permissions::from_mode(0o755)).expect("a program that runs");
        for program in ["bash", "sh", "env", "xargs", "base64", "cat", "tr", "nice", "timeout"] {
            let found = [Path::new("/usr/bin"), Path::new("/bin")].map(|folder| folder.join(program));
            let found = found.iter().find(|path| path.exists()).expect("a usual program");
            symlink(found, folder.join("bin").join(program)).expect("a link");
        }
        Self { folder }
    }

    /// Whether Bash comes to delete `/q` with this script.
    fn deletes(&self, script: &str) -> bool {
        // What one script writes is not there for the next.
        let work = self.folder.join("work");
        fs::create_dir(&work).expect("a folder");
        let output = Command::new("timeout")
            .args([
                "-s",
                "KILL",
                "3",
                "/bin/bash",
                "--norc",
                "--noprofile",
                "-c",
                "ulimit -t 2; exec 9>&1; eval \"$1\"",
                "oracle",
                script,
            ])
            .env_clear()
            .env("PATH", self.folder.join("bin"))
            .env("FUNCNEST", "3")
            .current_dir(&work)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()
            .expect("a shell");
        fs::remove_dir_all(&work).expect("the folder goes away");
        String::from_utf8_lossy(&output.stdout).contains(MARK)
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).expect("the folder goes away");
    }
}

fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The deletion, in many spellings, and commands that do nothing.
fn leaf() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "rm -rf /q",
        "r\\m -rf /q",
        "'r'\"m\" -rf /q",
        "$'\\x72\\155' -rf '/q'",
        "{rm,-rf,/q}",
        "x=rm; $x -rf /q",
        "x='rm -rf /q'; $x",
        "a=/q b=-rf; rm $b \"${a}\"",
        "set -- rm -rf /q; \"$@\"",
        "set -- /q; rm -rf $1",
        "x=(rm -rf /q); \"${x[@]}\"",
        "command rm -rf /q",
        "env A=1 rm -rf /q",
        "nice -n 1 rm -rf /q",
        "echo /q | xargs rm -rf",
        "echo cm0gLXJmIC9x | base64 -d | sh",
        "printf '%s' 'rm -rf /q' | bash",
        "`echo rm` -rf /q",
        "$(printf 'r%s' m) -rf /q",
        "x=mr; ${x:1:1}${x:0:1} -rf /q",
        "x=rmx; ${x%x} -rf /q",
        "x=RM; ${x,,} -rf /q",
        "y=rm; x=y; ${!x} -rf /q",
        "read x <<< 'rm -rf /q'; $x",
        "printf -v x rm; $x -rf /q",
        "false && x=a; r${x}m -rf /q",
        "x=; $x rm -rf /q",
        "{,rm} -rf /q",
        "x=a :; $x rm -rf /q",
        "$(:) env $(:) rm -rf /q",
        "$'rm\\0xx' -rf /q",
        "$(printf 'r\\0m') -rf /q",
        "$(printf %.2s rmx) -rf /q",
        "$(echo -e 'rm\\cxx') -rf /q",
        "$'\\x{72}m' -rf /q",
        "x=foo; unset x; r${x}m -rf /q",
        "IFS=,; x=rm,-rf,/q; $x",
        "exec 3<<<'rm -rf /q'; bash <&3",
        "[[ 'a[$(rm -rf /q)]' -eq 1 ]]",
        "x='a[$(rm -rf /q)]'; echo $((x))",
        "let 'a[`rm -rf /q`]'",
        "printf 'rm -rf %s' /q | cat | sh",
        "xargs -I{} sh -c '{}' <<< 'rm -rf /q'",
        "declare -n r=x; x=rm; $r -rf /q",
        "compgen -C 'rm -rf /q'",
        "hash -p ../bin/rm ls; ls -rf /q",
        "x=rm; x+=' -rf'; $x /q",
        "mapfile -t x <<< rm; ${x[0]} -rf /q",
        "while read -r l; do $l; done <<< 'rm -rf /q'",
        "echo 'rm -rf /q' > s; . ./s",
        "echo ok",
        ":",
        "x=1",
        "echo '# rm' # rm -rf /q",
        "echo 'rm -rf /q'",
        "false",
    ])
    .prop_map(str::to_owned)
}

/// Whole scripts: leaves inside of whatever a shell has.
fn script() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 10, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (pair, prop::sample::select(vec!["; ", "\n", " && ", " || ", " | ", " & wait; ", " |& "]))
                .prop_map(|((left, right), join)| format!("{left}{join}{right}")),
            (inner, 0_usize..20).prop_map(|(body, form)| wrapped(&body, form)),
        ]
    })
}

fn wrapped(body: &str, form: usize) -> String {
    match form {
        0 => format!("sh -c {}", single(body)),
        1 => format!("eval {}", single(body)),
        2 => format!("( {body}\n)"),
        3 => format!("{{ {body}\n}}"),
        4 => format!("if :; then {body}\nfi"),
        5 => format!("if false; then :; else {body}\nfi"),
        6 => format!("for i in 1; do {body}\ndone"),
        7 => format!("case a in b) :;; a) {body}\nesac"),
        8 => format!("f() {{ {body}\n}}; f"),
        9 => format!("echo $( {body}\n)"),
        10 => format!("bash <<'END'\n{body}\nEND\n"),
        11 => format!("bash <<< {}", single(body)),
        12 => format!("cat < <( {body}\n)"),
        13 => format!("trap {} EXIT", single(body)),
        14 => format!("x={}; eval \"$x\"", single(body)),
        15 => format!("! {body}"),
        16 => format!("timeout 5 bash -c {}", single(body)),
        17 => format!("source <(printf '%s\\n' {})", single(body)),
        18 => format!("{body} > /dev/null 2>&1"),
        _ => format!("y=\"$( {body}\n)\""),
    }
}

/// Fragments that change what stands around them when they get between.
const FRAGMENTS: [&str; 38] = [
    "'",
    "\"",
    "\\",
    "`",
    "$(",
    ")",
    "(",
    "{",
    "}",
    "#",
    ";",
    "\n",
    "&",
    "|",
    "<<E\n",
    "\nE\n",
    "<<-'E'\n",
    "$",
    "${",
    "$'",
    "$((",
    "))",
    "[[ ",
    " ]]",
    "!",
    "=",
    "\\\n",
    "case x in ",
    "esac",
    "f() ",
    "do ",
    "<<<",
    " ",
    "\t",
    "\r",
    "\\\r\n",
    "E)",
    "\nE\r\n",
];

/// A script with some fragments put between.
fn mutated() -> impl Strategy<Value = String> {
    let cuts =
        prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(FRAGMENTS.to_vec())), 0..3);
    (script(), cuts).prop_map(|(mut script, cuts)| {
        for (index, fragment) in cuts {
            let places: Vec<usize> = (0..=script.len()).filter(|at| script.is_char_boundary(*at)).collect();
            script.insert_str(*index.get(&places), fragment);
        }
        script
    })
}

#[test]
fn no_script_deletes_in_bash_what_the_judgement_allows() {
    let tries = if std::env::var_os("PREMATH_PROVE").is_some() { 8_000 } else { 600 };
    let oracle = Oracle::new();
    let mut runner = TestRunner::deterministic();
    let (mut deleted, mut missed) = (0, Vec::new());
    for _ in 0..tries {
        let script = mutated().new_tree(&mut runner).expect("a script").current();
        if !oracle.deletes(&script) {
            continue;
        }
        deleted += 1;
        if judge_command(&script, &scene()).decision() == Decision::Allow {
            missed.push(script);
        }
    }
    println!("{deleted} of {tries} scripts delete in Bash; {} of them are allowed", missed.len());
    assert!(deleted * 5 > tries, "the oracle sees too few deletions to say anything: {deleted} of {tries}");
    assert_eq!(missed, Vec::<String>::new());
}

#[test]
fn every_listed_command_is_readable_where_bash_reads_it() {
    let lists = [
        include_str!("data/dangerous_tuned.jsonl"),
        include_str!("data/dangerous_held_out.jsonl"),
        include_str!("data/ordinary_tuned.jsonl"),
        include_str!("data/ordinary_held_out.jsonl"),
        include_str!("data/dangerous_independent.jsonl"),
        include_str!("data/ordinary_independent.jsonl"),
    ];
    for line in lists.iter().flat_map(|list| list.lines()) {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row");
        let command = row.get("command").and_then(serde_json::Value::as_str).expect("a command");
        let status =
            Command::new("bash").args(["-O", "extglob", "-n", "-c", command]).stderr(Stdio::null()).status();
        let is_read = status.expect("a shell").success();
        let judgement = judge_command(command, &scene());
        let is_unreadable = judgement.risks.iter().any(|risk| risk.class == RiskClass::Unreadable);
        assert_eq!(is_unreadable, !is_read, "{command}: {judgement:?}");
    }
}
