//! New issues: added, or discovered while working on another.

use premath_kernel::{DependencyKind, Status, Value};

use super::{Answer, Bench, Planned, refuse};
use crate::issues::operation::IssueDraft;
use crate::issues::refusal::RefusalClass;
use crate::issues::row::IssueRow;

impl Bench<'_> {
    pub(super) fn add(&self, draft: &IssueDraft, prefix: &str, parent: Option<&str>) -> Answer {
        if let Some(parent) = parent
            && let Err(refusal) = self.existing(parent)?
        {
            return Ok(Err(refusal));
        }
        let id = match &draft.id {
            Some(id) => id.trim().to_owned(),
            None => self.naming.next_id(self.view, prefix)?,
        };
        if self.view.find(&id)?.is_some() {
            return refuse(RefusalClass::Exists, format!("issue `{}` exists", id.escape_debug()));
        }
        for (kind, target) in &draft.dependencies {
            // Others may name an id before it exists.
            if let Some(refusal) = self.closes_a_cycle(&id, target, *kind)? {
                return Ok(Err(refusal));
            }
            if *target == id {
                return refuse(
                    RefusalClass::Cycle,
                    format!("`{}` would depend on itself", id.escape_debug()),
                );
            }
            if !self.is_there(target)? {
                return refuse(
                    RefusalClass::DependencyUnknown,
                    format!("no issue `{}`", target.escape_debug()),
                );
            }
        }
        let row = self.drafted(draft, &id);
        let row = match parent {
            Some(parent) => row.with_dependency(parent, DependencyKind::DiscoveredFrom, None),
            None => row,
        };
        Ok(Ok(Planned::Row { before: None, row }))
    }

    fn drafted(&self, draft: &IssueDraft, id: &str) -> IssueRow {
        let status = draft.status.as_deref().unwrap_or(Status::Open.token());
        let mut row = IssueRow::new(id)
            .with_text("title", Some(draft.title.trim()))
            .with_text("status", Some(status))
            .with(
                "priority",
                Some(Value::from(u32::from(
                    draft.priority.unwrap_or(crate::issues::facts::DEFAULT_PRIORITY),
                ))),
            )
            .with_text("issue_type", Some(draft.issue_type.as_deref().unwrap_or("task")))
            .with_time("created_at", Some(self.now))
            .with_time("updated_at", Some(self.now));
        for (name, text) in &draft.texts {
            row = row.with_text(name, Some(text));
        }
        if draft.ephemeral {
            row = row.with("ephemeral", Some(Value::Bool(true)));
        }
        if !draft.labels.is_empty() {
            let labels = draft.labels.iter().map(|label| Value::from(label.clone())).collect::<Vec<_>>();
            row = row.with("labels", Some(Value::Array(labels)));
        }
        if Status::from_token(status) == Status::Closed {
            row = row.with_time("closed_at", Some(self.now));
        }
        for (kind, target) in &draft.dependencies {
            row = row.with_dependency(target, *kind, None);
        }
        row
    }
}
