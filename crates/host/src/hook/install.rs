//! The hook in the configuration of another agent: put in, renewed, taken out, with everything else in the file as it was.
//!
//! The command that is written blocks also where this program cannot be started or is killed: whatever is not a success ends the
//! shell around it with the code that blocks. It must not touch a file that it cannot read as what it is.

use premath_wire::strict::{Limits, parse};
use serde_json::{Value, json};

use super::format::HookFormat;
use super::settings_text::{Node, indentation, pretty, scan, with_part, without_part};

/// When the hook is called.
const EVENTS: [&str; 3] = ["PreToolUse", "PostToolUse", "UserPromptSubmit"];
/// How long the agent waits for it: longer than it takes to answer that it took too long.
const PATIENCE_SECONDS: u64 = 30;

/// Why a file is left alone.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(crate) enum SettingsFault {
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// It is JSON of another shape.
    #[error("`{place}` is not {expected}")]
    Shape {
        /// Where.
        place: String,
        /// What should be there.
        expected: &'static str,
    },
}

fn shape(place: &str, expected: &'static str) -> SettingsFault {
    SettingsFault::Shape { place: place.to_owned(), expected }
}

/// Where an agent reads the hooks of a project.
pub(crate) const fn settings_file(format: HookFormat) -> &'static str {
    match format {
        HookFormat::ClaudeCode => ".claude/settings.json",
        HookFormat::Codex => ".codex/hooks.json",
    }
}

/// What the hook runs, and for which repository.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HookCommand<'c> {
    pub(crate) program: &'c str,
    /// Its root, as a whole path.
    pub(crate) root: &'c str,
}

/// The command that an agent runs. The root is named: a model can choose the folder that a hook runs in, and must not choose the
/// policy with it.
fn command(format: HookFormat, hook: HookCommand<'_>) -> String {
    let program = quoted(hook.program);
    match format {
        HookFormat::ClaudeCode => {
            format!("{program} guard --format claude-code --root \"$CLAUDE_PROJECT_DIR\" || exit 2")
        }
        HookFormat::Codex => {
            format!("{program} guard --format codex --root {} || exit 2", quoted(hook.root))
        }
    }
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

fn handler(format: HookFormat, hook: HookCommand<'_>) -> Value {
    let mut handler =
        json!({"type": "command", "command": command(format, hook), "timeout": PATIENCE_SECONDS});
    if let (HookFormat::ClaudeCode, Some(members)) = (format, handler.as_object_mut()) {
        // Older versions pass it over; newer ones block also when the hook is killed or late.
        members.insert("onFailure".to_owned(), "block".into());
    }
    handler
}

/// Whether a handler is ours, of whichever version.
fn is_ours(format: HookFormat, handler: &Value) -> bool {
    let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
    command.contains("premath") && command.contains(&format!(" guard --format {}", format.token()))
}

/// A settings file with the hook in it, once for each event.
///
/// # Errors
/// A file that is not what the agent would read.
pub(crate) fn with_hook(
    text: Option<&str>,
    format: HookFormat,
    hook: HookCommand<'_>,
) -> Result<String, SettingsFault> {
    let mut text = text.map_or_else(|| "{}\n".to_owned(), str::to_owned);
    checked(&text)?;
    let wanted = handler(format, hook);
    for event in EVENTS {
        let is_stale = |handler: &Value| is_ours(format, handler) && *handler != wanted;
        text = without(&text, event, &is_stale)?;
        if !handlers(&text, event)?.contains(&wanted) {
            text = added(&text, event, &json!({"hooks": [wanted]}))?;
        }
    }
    Ok(text)
}

/// A settings file without the hook. What is empty then is taken away with it.
///
/// # Errors
/// A file that is not what the agent would read.
pub(crate) fn without_hook(text: &str, format: HookFormat) -> Result<String, SettingsFault> {
    checked(text)?;
    let mut left = text.to_owned();
    for event in EVENTS {
        left = without(&left, event, &|handler| is_ours(format, handler))?;
    }
    if left == text {
        return Ok(left);
    }
    for path in EVENTS.iter().map(|event| vec!["hooks", event]).chain([vec!["hooks"]]) {
        left = without_empty(left, &path)?;
    }
    Ok(left)
}

/// Whether it is a file that an agent would read as settings.
fn checked(text: &str) -> Result<(), SettingsFault> {
    parse(text.as_bytes(), Limits::default()).map_err(|error| SettingsFault::NotJson(error.to_string()))?;
    let root = root(text)?;
    if !matches!(root, Node::Object(..)) {
        return Err(shape("$", "an object"));
    }
    let Some(hooks) = root.member("hooks") else { return Ok(()) };
    if !matches!(hooks, Node::Object(..)) {
        return Err(shape("$.hooks", "an object"));
    }
    for event in EVENTS {
        let Some(groups) = hooks.member(event) else { continue };
        let is_group = |group: &Node| matches!(group.member("hooks"), Some(Node::Array(..)));
        if !matches!(groups, Node::Array(..)) || !groups.items().iter().all(is_group) {
            return Err(shape(&format!("$.hooks.{event}"), "a list of groups of hooks"));
        }
    }
    Ok(())
}

fn root(text: &str) -> Result<Node, SettingsFault> {
    scan(text).ok_or_else(|| SettingsFault::NotJson("it ends too early".to_owned()))
}

fn read(text: &str, node: &Node) -> Value {
    text.get(node.span().clone()).and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

fn groups(root: &Node, event: &str) -> Option<Node> {
    root.member("hooks").and_then(|hooks| hooks.member(event)).cloned()
}

/// Every handler of an event.
fn handlers(text: &str, event: &str) -> Result<Vec<Value>, SettingsFault> {
    let groups = groups(&root(text)?, event);
    let inner = |group: &Node| group.member("hooks").map(Node::items).unwrap_or_default().to_vec();
    let all = groups.iter().flat_map(Node::items).flat_map(inner);
    Ok(all.map(|handler| read(text, &handler)).collect())
}

/// The text without the handlers of an event that are meant; a group goes with its last one.
fn without(text: &str, event: &str, is_meant: &dyn Fn(&Value) -> bool) -> Result<String, SettingsFault> {
    let mut text = text.to_owned();
    loop {
        let Some(groups) = groups(&root(&text)?, event) else { return Ok(text) };
        let found = groups.items().iter().enumerate().find_map(|(group, node)| {
            let inner = node.member("hooks")?;
            let at = inner.items().iter().position(|handler| is_meant(&read(&text, handler)))?;
            Some((group, inner.clone(), at))
        });
        let Some((group, inner, at)) = found else { return Ok(text) };
        let left = if inner.items().len() == 1 {
            without_part(&text, &groups, group)
        } else {
            without_part(&text, &inner, at)
        };
        text = left.ok_or_else(|| shape(&format!("$.hooks.{event}"), "where it was found"))?;
    }
}

/// The text with one more group of an event; lists and objects that it needs are made on the way.
fn added(text: &str, event: &str, group: &Value) -> Result<String, SettingsFault> {
    let (root, unit) = (root(text)?, indentation(text));
    let lost = || shape("$.hooks", "where it was found");
    let put =
        |node: &Node, part: &str, level: usize| with_part(text, node, part, &unit, level).ok_or_else(lost);
    match (root.member("hooks"), groups(&root, event)) {
        (_, Some(groups)) => put(&groups, &pretty(group, &unit, 3), 2),
        (Some(hooks), None) => put(hooks, &format!("\"{event}\": {}", pretty(&json!([group]), &unit, 2)), 1),
        (None, None) => {
            put(&root, &format!("\"hooks\": {}", pretty(&json!({ event: [group] }), &unit, 1)), 0)
        }
    }
}

/// The text without a member that is an empty list or object.
fn without_empty(text: String, path: &[&str]) -> Result<String, SettingsFault> {
    let root = root(&text)?;
    let Some((last, above)) = path.split_last() else { return Ok(text) };
    let Some(holder) = above.iter().try_fold(&root, |node, name| node.member(name)) else { return Ok(text) };
    let Node::Object(_, members) = holder else { return Ok(text) };
    let is_empty = |node: &Node| match node {
        Node::Object(_, members) => members.is_empty(),
        Node::Array(_, items) => items.is_empty(),
        Node::Leaf(_) => false,
    };
    let at = members.iter().position(|(_, name, node)| name == last && is_empty(node));
    Ok(at.and_then(|at| without_part(&text, holder, at)).unwrap_or(text))
}

#[cfg(test)]
mod tests;
