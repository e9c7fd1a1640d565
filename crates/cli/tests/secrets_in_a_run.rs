//! R20, the second half: a run in which secrets are everywhere leaves and prints none of them.

#![expect(clippy::disallowed_methods, reason = "the tests look at the files the command leaves")]
#![expect(clippy::unwrap_used, reason = "what cannot be done fails the test")]

mod folder;

use std::path::Path;

use folder::Folder;
use serde_json::json;

/// A secret, and where it is put. None of them is one; they are made to look like it.
fn secrets() -> Vec<(&'static str, String)> {
    let made = |prefix: &str, length: usize| {
        let digits = "Zk3Qx9Lm2Vb7Nc4Rt8Yp1Wd6Hs5Jf0GaTuEiOoXq7Bz2Mn9Kv4Lc8Pr3Sw6Dy1";
        format!("{prefix}{}", digits.chars().cycle().take(length).collect::<String>())
    };
    vec![
        ("said", made("ghp_", 36)),
        ("argument", made("glpat-", 20)),
        ("output", made("sk-ant-api03-", 93) + "AA"),
        ("file", made("xoxb-123456789012-123456789012-", 24)),
        ("issue", made("npm_", 36)),
        ("task", format!("dop_v1_{}", "9f3a0c7be1d24586".repeat(4))),
        ("answer", "AKIAZK3QX7LM2VB7NC4R".to_owned()),
    ]
}

fn scene(of: &dyn Fn(&str) -> String) -> String {
    let (said, argument, answer) = (of("said"), of("argument"), of("answer"));
    format!(
        r#"
name = "leaky"
[[turn]]
text = "The token is {said} as you see."
[[turn.call]]
id = "read"
tool = "fs_read"
arguments = {{ path = "leaky.txt" }}
[[turn.call]]
id = "run"
tool = "shell"
arguments = {{ command = "cat output.txt; cat output.txt >&2; exit 3", workdir = "." }}
[[turn]]
text = "I go on."
[[turn.call]]
id = "echo"
tool = "shell"
arguments = {{ command = "echo {argument}", workdir = "." }}
[[turn]]
text = "Done.\nIt was {answer}, which I repeat."
"#
    )
}

fn every_file(path: &Path, take: &mut dyn FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, take);
        } else {
            take(&path, &std::fs::read(&path).unwrap());
        }
    }
}

fn leaks(place: &str, bytes: &[u8], secrets: &[(&str, String)], found: &mut Vec<String>) {
    for (name, secret) in secrets {
        if bytes.windows(secret.len()).any(|window| window == secret.as_bytes()) {
            found.push(format!("{name} in {place}"));
        }
    }
}

#[test]
fn a_run_full_of_secrets_leaves_and_prints_none_of_them() {
    let secrets = secrets();
    let of = |name: &str| secrets.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    for format in [&[][..], &["--json"]] {
        let folder = Folder::new();
        assert_eq!(folder.run(&["init"]).code, Some(0));
        folder.write("scene.toml", scene(&of));
        folder.write("leaky.txt", format!("first\ntoken = \"{}\"\n", of("file")));
        folder.write("output.txt", format!("export API_KEY={}\n", of("output")));
        let task = format!("do it with {}", of("task"));
        let run = ["run", &task, "--model", "scripted:scene.toml", "--run-id", "one"];
        let ran = folder.run(&[&run[..], format].concat());
        let mut found = Vec::new();
        leaks("stdout", ran.stdout.as_bytes(), &secrets, &mut found);
        leaks("stderr", ran.stderr.as_bytes(), &secrets, &mut found);
        every_file(&folder.path().join(".premath"), &mut |path, bytes| {
            leaks(&path.display().to_string(), bytes, &secrets, &mut found);
        });
        for command in [
            &["runs", "show", "one"][..],
            &["runs", "export", "one"],
            &["turn", "show", "one.t0001", "--full"],
            &["turn", "show", "one.t0002", "--json"],
            &["audit", "query", "--json"],
        ] {
            let said = folder.run(command);
            leaks(&format!("{command:?}"), said.stdout.as_bytes(), &secrets, &mut found);
            leaks(&format!("{command:?}"), said.stderr.as_bytes(), &secrets, &mut found);
        }
        assert_eq!(found, Vec::<String>::new(), "{}", ran.stdout);
        // Everything went as asked, so that there was something to leak.
        let (_, shown) = folder.json(&["runs", "show", "one"]);
        assert_eq!(shown["run"]["outcome"], "completed", "{}", ran.stdout);
        assert_eq!(shown["turns"][0]["tools"], json!(["fs_read", "shell"]));
    }
}

#[test]
fn a_secret_in_a_name_an_id_or_a_stop_is_replaced_and_the_turn_still_joins() {
    let secrets = secrets();
    let of = |name: &str| secrets.iter().find(|(known, _)| *known == name).unwrap().1.clone();
    let (one, two) = (of("said"), of("file"));
    let call = |id: &str, tool: &str| {
        format!("[[turn.call]]\nid = \"{id}\"\ntool = \"{tool}\"\narguments = {{ path = \"a.txt\" }}\n")
    };
    let scene = [
        "name = \"named\"\n[[turn]]\ntext = \"I look.\"\n".to_owned(),
        call(&format!("call_{one}"), "fs_read"),
        call(&two, "fs_read"),
        "[[turn]]\ntext = \"Now something else.\"\n".to_owned(),
        call(&format!("more_{one}"), &format!("nope_{one}")),
        call("plain", &format!("nope_{two}")),
        format!("[[turn]]\ntext = \"Bye.\"\nstop = \"{one}\"\n"),
    ]
    .concat();
    for format in [&[][..], &["--json"]] {
        let folder = Folder::new();
        assert_eq!(folder.run(&["init"]).code, Some(0));
        folder.write("scene.toml", &scene);
        folder.write("a.txt", "one\n");
        let run = ["run", "do it", "--model", "scripted:scene.toml", "--run-id", "one"];
        let ran = folder.run(&[&run[..], format].concat());
        let mut found = Vec::new();
        leaks("stdout", ran.stdout.as_bytes(), &secrets, &mut found);
        leaks("stderr", ran.stderr.as_bytes(), &secrets, &mut found);
        every_file(&folder.path().join(".premath"), &mut |path, bytes| {
            leaks(&path.display().to_string(), bytes, &secrets, &mut found);
        });
        let exported = folder.run(&["runs", "export", "one"]).stdout;
        leaks("export", exported.as_bytes(), &secrets, &mut found);
        assert_eq!(found, Vec::<String>::new(), "{}", ran.stdout);
        let (_, shown) = folder.json(&["runs", "show", "one"]);
        let (first, second) = (&shown["turns"][0], &shown["turns"][1]);
        assert_eq!((&first["verdict"], &first["tools"]), (&json!("closed"), &json!(["fs_read", "fs_read"])));
        assert_eq!(second["tools"], json!(["redacted_tool", "redacted_tool"]), "{shown}");
        let classes = second["failureClasses"].as_array().unwrap();
        assert!(classes.contains(&json!("tool.unknown_or_disallowed")), "there is no such tool: {shown}");
        for id in ["redacted-1-1", "redacted-1-2", "redacted-2-1", "plain"] {
            assert!(exported.contains(&format!("\"{id}\"")), "{id}: {exported}");
        }
        assert!(exported.contains("\"stop\":\"redacted\""), "{exported}");
        assert_eq!(folder.run(&["replay", "one"]).code, Some(0));
    }
}
