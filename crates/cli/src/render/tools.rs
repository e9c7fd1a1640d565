//! Tools of other servers, as a person reads them. Every word of a server is shown with what it hides spelled out.

use premath_kernel::encode;
use premath_wire::v1::{ForeignServerRow, ForeignToolRow, ForeignToolsAnswer};

use super::table::{Cell, Table};
use super::{lines, plain};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// The answer of `tools list` and `tools check`.
pub(crate) fn listed(answer: &ForeignToolsAnswer, width: Option<usize>) -> String {
    if answer.servers.is_empty() {
        return format!(
            "no other servers are configured\n{TIP}hint:{TIP:#} [mcp.servers.<name>] in premath.toml names one\n"
        );
    }
    let mut text = String::new();
    for server in &answer.servers {
        text.push_str(&server_line(server));
    }
    if answer.tools.is_empty() {
        // Of servers that were not asked nobody knows.
        let is_asked = answer.servers.iter().any(|server| server.failed.is_none());
        let none = format!("{DIM}none of their tools was approved{DIM:#}\n");
        return text + if is_asked { &none } else { "" };
    }
    let mut table = Table::new(&["SERVER", "TOOL", "STATE", "RISK", "WHY", "APPROVED"], 4);
    for row in &answer.tools {
        let style = if row.state == "approved" { GOOD } else { BAD };
        table.row(vec![
            Cell::new(plain(&row.server)),
            Cell::styled(plain(&row.tool), STRONG),
            Cell::styled(plain(row.class.as_deref().unwrap_or(&row.state)), style),
            Cell::new(plain(&row.risk)),
            Cell::new(plain(row.detail.as_deref().unwrap_or_default())),
            Cell::new(plain(row.approved_by.as_deref().unwrap_or_default())),
        ]);
    }
    text + "\n" + &table.render(width)
}

fn server_line(server: &ForeignServerRow) -> String {
    let style = match server.state.as_str() {
        "own" | "approved" => GOOD,
        _other => WARN,
    };
    let (name, reached, state) = (plain(&server.name), plain(&server.reached), plain(&server.state));
    let failed = server.failed.as_deref().map(|why| format!("  {BAD}{}{BAD:#}\n", plain(why)));
    format!(
        "{STRONG}{name}{STRONG:#} {style}{state}{style:#} {DIM}{}{DIM:#}  {reached}\n{}{}",
        plain(&server.scope),
        failed.unwrap_or_default(),
        server.diff.as_deref().map(coloured).unwrap_or_default(),
    )
}

/// How somebody who was shown something and cannot be asked approves it.
pub(crate) fn brought(target: &str, digest: &str) -> String {
    let command = format!("premath tools approve {} --digest {}", plain(target), plain(digest));
    format!("nothing was approved\n{TIP}hint:{TIP:#} `{command}` approves exactly this\n")
}

/// What somebody is asked.
pub(crate) fn asked(answer: &ForeignToolsAnswer) -> &'static str {
    if answer.tools.is_empty() {
        "  start this server and see what it defines? [y/N] "
    } else {
        "  approve these definitions? [y/N] "
    }
}

/// The answer of `tools show`, `tools approve` and `tools forget`.
pub(crate) fn shown(answer: &ForeignToolsAnswer) -> String {
    if answer.outcome == "nothing" {
        return "nothing to do: all of it is as it was approved, or hides something and has to be named by itself\n".to_owned();
    }
    let mut text = String::new();
    for server in &answer.servers {
        text.push_str(&server_line(server));
        if answer.tools.is_empty() {
            let identity = String::from_utf8_lossy(&encode(&server.identity.0)).into_owned();
            text.push_str(&format!("  {}\n", lines(&identity)));
        }
    }
    for tool in &answer.tools {
        text.push_str(&tool_card(tool));
    }
    match (answer.outcome.as_str(), &answer.shown_digest) {
        ("approved", _) => {
            text.push_str(&format!("{GOOD}approved{GOOD:#} {}\n", told(answer)));
        }
        ("forgotten", _) => text.push_str(&format!("{WARN}forgotten{WARN:#}\n")),
        (_, Some(digest)) => text.push_str(&format!("{DIM}digest {}{DIM:#}\n", plain(digest))),
        (_, None) => {}
    }
    text
}

fn told(answer: &ForeignToolsAnswer) -> String {
    match answer.tools.len() {
        0 => "the server; now its tools".to_owned(),
        1 => "1 tool".to_owned(),
        many => format!("{many} tools"),
    }
}

fn tool_card(row: &ForeignToolRow) -> String {
    let style = if row.state == "approved" { GOOD } else { WARN };
    let state = plain(row.class.as_deref().unwrap_or(&row.state));
    let mut text = format!(
        "{STRONG}{}/{}{STRONG:#} {style}{state}{style:#} {DIM}{}{DIM:#}\n",
        plain(&row.server),
        plain(&row.tool),
        plain(row.detail.as_deref().unwrap_or_default())
    );
    if row.state != "forgotten" {
        let again = if row.idempotent { ", may be repeated" } else { "" };
        let (name, risk, scope) = (plain(&row.name), plain(&row.risk), plain(&row.scope));
        let targets = match row.targets.as_slice() {
            [] => ", each call approved by itself".to_owned(),
            names => format!(", acts on {}", plain(&names.join(", "))),
        };
        text.push_str(&format!("  as {name}: risk {risk}, scope {scope}{again}{targets}\n"));
    }
    if let Some(diff) = &row.diff {
        text.push_str(&coloured(diff));
    } else if let Some(definition) = &row.definition {
        let compact = String::from_utf8_lossy(&encode(&definition.0)).into_owned();
        let read: Option<serde_json::Value> = serde_json::from_str(&compact).ok();
        let pretty = read.and_then(|read| serde_json::to_string_pretty(&read).ok()).unwrap_or(compact);
        for line in lines(&pretty).lines() {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text
}

fn coloured(diff: &str) -> String {
    let mut text = String::new();
    for line in lines(diff).lines() {
        let line = match line.as_bytes().first() {
            Some(b'+') => format!("  {GOOD}{line}{GOOD:#}\n"),
            Some(b'-') => format!("  {BAD}{line}{BAD:#}\n"),
            Some(_) | None => format!("  {line}\n"),
        };
        text.push_str(&line);
    }
    text
}
