//! What a pending change will do, in one line. It must not say that anything has happened.

use premath_bd::issues::{Change, IssueChanges, Operation};
use premath_kernel::DependencyKind;

/// So many characters of a text are quoted.
const MOST: usize = 80;

/// A text of somebody's in backticks: on one line, bounded.
pub(super) fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

/// What a change will do.
pub(super) fn described(operation: &Operation) -> String {
    let what = match operation {
        Operation::Add { draft, .. } => format!("the issue {} is added", quoted(&draft.title)),
        Operation::Discover { parent, draft, .. } => {
            format!(
                "the issue {} is added as found while working on {}",
                quoted(&draft.title),
                quoted(parent)
            )
        }
        Operation::Update { id, changes, .. } => format!("{} gets {}", quoted(id), changed(changes)),
        Operation::Claim { id, terms } => {
            let (id, seconds) = (quoted(id), terms.ttl_seconds);
            format!("{id} is claimed for {} for {seconds} seconds", quoted(&terms.assignee))
        }
        Operation::ClaimNext { terms } => {
            format!("whatever is ready first is claimed for {}", quoted(&terms.assignee))
        }
        Operation::LeaseRenew { id, ttl_seconds, .. } => {
            format!("{} is held for {ttl_seconds} seconds more", quoted(id))
        }
        Operation::LeaseRelease { id, .. } => format!("{} is let go of", quoted(id)),
        Operation::DependencyAdd { id, depends_on, kind, .. } => {
            format!("{} depends on {} ({})", quoted(id), quoted(depends_on), kind.token())
        }
        Operation::DependencyRemove { id, depends_on, kind, .. } => {
            let kind = kind.map_or("of every type", DependencyKind::token);
            format!("{} no longer depends on {} ({kind})", quoted(id), quoted(depends_on))
        }
        Operation::DependencyReplace { id, depends_on, kind, .. } => {
            format!("the dependency of {} on {} becomes {}", quoted(id), quoted(depends_on), kind.token())
        }
    };
    format!(
        "nothing has changed yet: once this turn is closed and admitted, {what}; the next turn says what came of it"
    )
}

fn changed(changes: &IssueChanges) -> String {
    let mut parts = Vec::new();
    match &changes.status {
        Change::Keep => {}
        Change::Set(status) => parts.push(format!("the status {}", quoted(status))),
        Change::Clear => parts.push("no status".to_owned()),
    }
    match changes.priority {
        Change::Keep => {}
        Change::Set(priority) => parts.push(format!("the priority {priority}")),
        Change::Clear => parts.push("no priority".to_owned()),
    }
    match &changes.issue_type {
        Change::Keep => {}
        Change::Set(kind) => parts.push(format!("the type {}", quoted(kind))),
        Change::Clear => parts.push("no type".to_owned()),
    }
    for (name, change) in &changes.texts {
        let name = name.replace('_', " ");
        match change {
            Change::Keep => {}
            Change::Set(_) => parts.push(format!("another {name}")),
            Change::Clear => parts.push(format!("no {name}")),
        }
    }
    parts.extend(changes.append_notes.is_some().then(|| "more notes".to_owned()));
    parts.extend((!changes.add_labels.is_empty()).then(|| "more labels".to_owned()));
    parts.extend((!changes.remove_labels.is_empty()).then(|| "fewer labels".to_owned()));
    if parts.is_empty() { "nothing new".to_owned() } else { parts.join(", ") }
}
