//! Other members of an issue, and the rule that a parent closes after its children.

use premath_kernel::{Status, Value};

use super::{Answer, Bench, Planned, refuse, with_status};
use crate::issues::operation::{Change, Holder, IssueChanges};
use crate::issues::refusal::RefusalClass;
use crate::issues::row::IssueRow;

/// So many children are named in a refusal.
const NAMED: usize = 5;

impl Bench<'_> {
    pub(super) fn update(&self, id: &str, changes: &IssueChanges, holder: &Holder) -> Answer {
        let before = match self.existing(id)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Err(refusal) = self.may_write(&before, holder)? {
            return Ok(Err(refusal));
        }
        if let Change::Set(status) = &changes.status {
            let closes = Status::from_token(status) == Status::Closed && before.status() != Status::Closed;
            let children = if closes { self.view.open_children(before.id())? } else { Vec::new() };
            if !children.is_empty() {
                return refuse(RefusalClass::ChildrenOpen, still_open(before.id(), &children));
            }
        }
        let changed = changed(before.clone(), changes, self.now).settling(|field| changes.sets(field));
        if changed == before {
            return Ok(Ok(Planned::Nothing(Some(before))));
        }
        let row = changed.with_time("updated_at", Some(self.now));
        Ok(Ok(Planned::Row { before: Some(before), row }))
    }
}

fn still_open(id: &str, children: &[String]) -> String {
    let named = children.iter().take(NAMED).map(|child| child.escape_debug().to_string()).collect::<Vec<_>>();
    let more = children.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("`{}` has open children: {}{more}", id.escape_debug(), named.join(", "))
}

fn changed(mut row: IssueRow, changes: &IssueChanges, now: premath_kernel::Moment) -> IssueRow {
    for (name, change) in &changes.texts {
        row = match change {
            Change::Keep => row,
            Change::Set(text) => row.with_text(name, Some(text)),
            Change::Clear => row.with_text(name, None),
        };
    }
    if let Some(text) = &changes.append_notes {
        let notes = match row.text("notes") {
            Some(notes) => format!("{notes}\n{text}"),
            None => text.clone(),
        };
        row = row.with_text("notes", Some(&notes));
    }
    row = match changes.priority {
        Change::Keep => row,
        Change::Set(priority) => row.with("priority", Some(Value::from(u32::from(priority)))),
        Change::Clear => row.with("priority", None),
    };
    row = match &changes.issue_type {
        Change::Keep => row,
        Change::Set(kind) => row.with_text("issue_type", Some(kind)),
        Change::Clear => row.with_text("issue_type", None),
    };
    row = relabelled(row, changes);
    match &changes.status {
        Change::Set(status) if row.text("status") != Some(status.as_str()) => with_status(row, status, now),
        Change::Keep | Change::Clear | Change::Set(_) => row,
    }
}

fn relabelled(row: IssueRow, changes: &IssueChanges) -> IssueRow {
    if changes.add_labels.is_empty() && changes.remove_labels.is_empty() {
        return row;
    }
    let present = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
    let mut labels: Vec<String> = present.iter().filter_map(Value::as_text).map(ToOwned::to_owned).collect();
    labels.retain(|label| !changes.remove_labels.contains(label));
    labels.extend(changes.add_labels.iter().cloned());
    labels.sort();
    labels.dedup();
    let value = (!labels.is_empty()).then(|| Value::Array(labels.into_iter().map(Value::from).collect()));
    row.with("labels", value)
}
