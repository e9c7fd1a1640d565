//! Answers of actions as a model reads them: one line each, as many as fit, and what to do about the rest (I8).

use serde_json::Value;

/// The longest title or sentence on a line.
const MOST: usize = 240;

/// Writes an answer line by line, and gives what is to be said about it.
pub(super) type Lines = fn(&Value, &mut Page) -> Vec<String>;

/// Lines that are kept as long as they fit, from one on.
#[derive(Debug)]
pub(super) struct Page {
    budget: usize,
    skip: u64,
    seen: u64,
    kept: u64,
    dropped: u64,
    total_bytes: u64,
    text: String,
}

impl Page {
    /// A page that begins behind `skip` lines.
    pub(super) const fn new(budget: usize, skip: u64) -> Self {
        Self { budget, skip, seen: 0, kept: 0, dropped: 0, total_bytes: 0, text: String::new() }
    }

    /// Takes a line; after the first that does not fit, none does: what is shown has no gaps.
    fn push(&mut self, line: &str) {
        self.seen += 1;
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.total_bytes = self.total_bytes.saturating_add(length).saturating_add(1);
        if self.seen <= self.skip {
            return;
        }
        if self.dropped == 0 && self.text.len() + line.len() < self.budget {
            self.text.push_str(line);
            self.text.push('\n');
            self.kept += 1;
        } else {
            self.dropped += 1;
        }
    }

    /// What to say about lines that are not here, where there are any.
    fn rest(&self, has_more: bool) -> Option<String> {
        let next = self.skip.saturating_add(self.kept);
        match self.dropped {
            0 if has_more => Some(format!("there are more; go on with `offset`: {next}")),
            0 => None,
            dropped => Some(format!("{dropped} lines did not fit; go on with `offset`: {next}")),
        }
    }

    /// The lines, how many bytes there are without a budget, and whether any did not fit.
    pub(super) fn into_parts(self) -> (String, u64, bool) {
        (self.text, self.total_bytes, self.dropped > 0)
    }
}

/// A member that is text, on one line and bounded; `-` when there is none.
fn text(item: &Value, key: &str) -> String {
    let Some(text) = item.get(key).and_then(Value::as_str) else { return "-".to_owned() };
    let mut shown = String::new();
    for character in text.chars().take(MOST) {
        if character.is_control() { shown.extend(character.escape_default()) } else { shown.push(character) }
    }
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

fn items<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or(0)
}

fn is(value: &Value, key: &str) -> bool {
    value.get(key).and_then(Value::as_bool).unwrap_or(false)
}

/// Id, status, priority, type, title; who works on it and its labels, where there are any.
fn issue(row: &Value) -> String {
    let or =
        |key: &str, default: &str| if row.get(key).is_some() { text(row, key) } else { default.to_owned() };
    let priority = row.get("priority").and_then(Value::as_u64).unwrap_or(2);
    let (status, kind) = (or("status", "open"), or("issueType", "task"));
    let mut line = format!("{}\t{status}\tP{priority}\t{kind}\t{}", text(row, "id"), text(row, "title"));
    if row.get("assignee").is_some() {
        line.push_str(&format!("\tassignee {}", text(row, "assignee")));
    }
    let labels: Vec<&str> = items(row, "labels").iter().filter_map(Value::as_str).collect();
    if !labels.is_empty() {
        let labels = serde_json::json!({ "labels": labels.join(", ") });
        line.push_str(&format!("\tlabels {}", text(&labels, "labels")));
    }
    line
}

/// What a listing says about itself.
fn about(listing: &Value, page: &Page) -> Vec<String> {
    let mut notes = vec![format!("{} issues, one a line: id, status, priority, type, title", page.kept)];
    if let Some(standing) = listing.get("standing") {
        let of = |key: &str| number(standing, key);
        notes.push(format!(
            "in all: {} ready, {} waiting, {} in progress, {} blocked, {} closed",
            of("ready"),
            of("waiting"),
            of("inProgress"),
            of("blocked"),
            of("closed")
        ));
    }
    if let Some(total) = listing.get("total").and_then(Value::as_u64) {
        notes.push(format!("{total} in all"));
    }
    notes.extend(page.rest(is(listing, "hasMore")).map(|rest| format!("{rest}, or filter")));
    if !items(listing, "problems").is_empty() {
        notes.push("some lines of issue memory are not as they should be; issue_check names them".to_owned());
    }
    notes
}

/// `issue.list` and `issue.ready`
pub(super) fn listing(answer: &Value, page: &mut Page) -> Vec<String> {
    for row in items(answer, "items") {
        page.push(&issue(row));
    }
    about(answer, page)
}

/// `issue.blocked`
pub(super) fn blocked(answer: &Value, page: &mut Page) -> Vec<String> {
    for row in items(answer, "items") {
        let why: Vec<String> = items(row, "blockers").iter().map(|blocker| text(blocker, "why")).collect();
        let why = if why.is_empty() { "it was set aside".to_owned() } else { why.join(", ") };
        page.push(&format!("{}\tbecause {why}", issue(row)));
    }
    about(answer, page)
}

/// `issue.check`
pub(super) fn problems(answer: &Value, page: &mut Page) -> Vec<String> {
    for problem in items(answer, "problems") {
        let place = match (problem.get("issueId"), problem.get("line").and_then(Value::as_u64)) {
            (Some(_), _) => text(problem, "issueId"),
            (None, Some(line)) => format!("line {line}"),
            (None, None) => "-".to_owned(),
        };
        let (severity, class) = (text(problem, "severity"), text(problem, "class"));
        page.push(&format!("{severity}\t{class}\t{place}\t{}", text(problem, "detail")));
    }
    let (errors, warnings) = (number(answer, "errorCount"), number(answer, "warningCount"));
    let mut notes =
        vec![format!("{} issues checked: {errors} errors, {warnings} warnings", number(answer, "checked"))];
    notes.extend(is(answer, "hasMore").then(|| "there are more than `limit`".to_owned()));
    notes.extend(page.rest(false));
    notes
}

/// `dep.diagnostics`
pub(super) fn diagnostics(answer: &Value, page: &mut Page) -> Vec<String> {
    for cycle in items(answer, "cycles") {
        let ids = cycle.as_array().map(Vec::as_slice).unwrap_or_default();
        let ids: Vec<&str> = ids.iter().filter_map(Value::as_str).collect();
        let path = serde_json::json!({ "path": ids.join(" -> ") });
        page.push(&format!("cycle\t{}", text(&path, "path")));
    }
    for unknown in items(answer, "unknown") {
        let (from, to) = (text(unknown, "issueId"), text(unknown, "dependsOnId"));
        page.push(&format!("unknown\t{from} -> {to} ({}), which does not exist", text(unknown, "type")));
    }
    let counts = answer.get("counts").unwrap_or(&Value::Null);
    let of = |key: &str| number(counts, key);
    let mut notes = vec![format!(
        "{} issues, {} blocking dependencies, {} held back, {} cycles, {} dependencies on nothing",
        of("issues"),
        of("blockingDependencies"),
        of("heldBack"),
        of("cycles"),
        of("unknown")
    )];
    notes.extend(is(answer, "hasMore").then(|| "there are more than `limit`".to_owned()));
    notes.extend(page.rest(false));
    notes
}

/// `dep.project`
pub(super) fn projection(answer: &Value, page: &mut Page) -> Vec<String> {
    for node in items(answer, "nodes") {
        let ready = if is(node, "ready") { "\tready" } else { "" };
        page.push(&format!("{}{ready}", issue(node)));
    }
    for edge in items(answer, "edges") {
        let missing = if is(edge, "missing") { ", which does not exist" } else { "" };
        let (from, to) = (text(edge, "issueId"), text(edge, "dependsOnId"));
        page.push(&format!("{from} -> {to} ({}){missing}", text(edge, "type")));
    }
    let (nodes, edges) = (items(answer, "nodes").len(), items(answer, "edges").len());
    let mut notes =
        vec![format!("{nodes} issues, then {edges} dependencies as `dependent -> dependency (type)`")];
    if let Some(total) = answer.get("total").and_then(Value::as_u64) {
        notes
            .push(format!("{total} issues in all; a larger `limit` shows more, `root` what lies around one"));
    }
    notes.extend(page.rest(false));
    notes
}
