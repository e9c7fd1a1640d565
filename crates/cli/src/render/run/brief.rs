//! The arguments of a call in one line: those that matter, of the tools we know, and all of them of the others.

use premath_tusk::JsonText;
use premath_tusk::turn_loop::CODE_EXECUTION;
use serde_json::Value;

use super::figures::counted;
use crate::render::plain;

/// What a call is about, safe to print.
pub(super) fn brief(tool: &str, arguments: &JsonText) -> String {
    let Ok(Value::Object(members)) = serde_json::from_str(arguments.as_str()) else {
        return plain(arguments.as_str());
    };
    let text = |key: &str| members.get(key).and_then(Value::as_str);
    let named = |keys: &[&str]| {
        let told = keys.iter().filter_map(|key| members.get(*key).map(shown));
        told.collect::<Vec<_>>().join(" ")
    };
    match tool {
        "shell" => {
            let command = text("command").map(plain).unwrap_or_default();
            match text("workdir").filter(|workdir| *workdir != ".") {
                Some(workdir) => format!("{command}  (in {})", plain(workdir)),
                None => command,
            }
        }
        "fs_list" => text("path").map_or_else(|| ".".to_owned(), plain),
        "fs_read" => named(&["path", "offset"]),
        "fs_search" => match text("path") {
            Some(path) => format!("{} in {}", text("pattern").map(plain).unwrap_or_default(), plain(path)),
            None => text("pattern").map(plain).unwrap_or_default(),
        },
        "apply_patch" => patched(text("patch").unwrap_or_default()),
        CODE_EXECUTION => {
            let lines = text("program").unwrap_or_default().lines().count();
            counted(u64::try_from(lines).unwrap_or(u64::MAX), "line")
        }
        "tool_search" => named(&["query"]),
        "resolve_ref" => named(&["ref", "offset"]),
        "choose_route" => named(&["route"]),
        "spawn_worker" => named(&["title"]),
        "give_verdict" => {
            let verdict = if members.get("pass") == Some(&Value::Bool(true)) { "pass" } else { "no pass" };
            format!("{verdict}: {}", text("critique").map(plain).unwrap_or_default())
        }
        _ if tool.starts_with("issue_") || tool.starts_with("dep_") => {
            named(&["id", "parentIssue", "dependsOn", "status", "title", "query"])
        }
        _ if members.is_empty() => String::new(),
        _ => plain(arguments.as_str()),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => plain(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            plain(&value.to_string())
        }
    }
}

/// The files that a patch names.
fn patched(patch: &str) -> String {
    const HEADERS: [&str; 3] = ["*** Update File:", "*** Add File:", "*** Delete File:"];
    let path =
        |line: &str| HEADERS.iter().find_map(|header| line.strip_prefix(header).map(str::trim).map(plain));
    let paths: Vec<String> = patch.lines().filter_map(path).collect();
    paths.join(", ")
}
