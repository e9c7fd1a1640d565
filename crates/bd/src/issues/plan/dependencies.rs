//! Dependencies of an issue: added without closing a cycle, removed, given another type.

use premath_kernel::{DependencyKind, find_path};

use super::{Answer, Bench, Planned, refuse};
use crate::error::StoreError;
use crate::issues::operation::Holder;
use crate::issues::refusal::{IssueRefusal, RefusalClass};
use crate::issues::row::IssueRow;

impl Bench<'_> {
    pub(super) fn add_dependency(
        &self,
        id: &str,
        depends_on: &str,
        kind: DependencyKind,
        by: Option<&str>,
        holder: &Holder,
    ) -> Answer {
        let before = match self.writable(id, holder)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let depends_on = depends_on.trim();
        if !self.is_there(depends_on)? {
            return refuse(
                RefusalClass::DependencyUnknown,
                format!("no issue `{}`", depends_on.escape_debug()),
            );
        }
        if before.dependencies().iter().any(|one| one.depends_on == depends_on && one.kind == kind) {
            return refuse(RefusalClass::DependencyExists, described(before.id(), depends_on, kind));
        }
        if let Some(refusal) = self.closes_a_cycle(before.id(), depends_on, kind)? {
            return Ok(Err(refusal));
        }
        let row =
            before.clone().with_dependency(depends_on, kind, by).with_time("updated_at", Some(self.now));
        Ok(Ok(Planned::Row { before: Some(before), row }))
    }

    pub(super) fn remove_dependency(
        &self,
        id: &str,
        depends_on: &str,
        kind: Option<DependencyKind>,
        holder: &Holder,
    ) -> Answer {
        let before = match self.writable(id, holder)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let depends_on = depends_on.trim();
        let goes =
            |target: &str, its: DependencyKind| target == depends_on && kind.is_none_or(|kind| kind == its);
        if !before.dependencies().iter().any(|one| goes(&one.depends_on, one.kind)) {
            return not_found(before.id(), depends_on);
        }
        let row = before
            .clone()
            .retaining(|one| !goes(&one.depends_on, one.kind))
            .with_time("updated_at", Some(self.now));
        Ok(Ok(Planned::Row { before: Some(before), row }))
    }

    pub(super) fn replace_dependency(
        &self,
        id: &str,
        depends_on: &str,
        from: Option<DependencyKind>,
        kind: DependencyKind,
        holder: &Holder,
    ) -> Answer {
        let before = match self.writable(id, holder)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let depends_on = depends_on.trim();
        let goes =
            |target: &str, its: DependencyKind| target == depends_on && from.is_none_or(|from| from == its);
        let present = before.dependencies();
        if !present.iter().any(|one| goes(&one.depends_on, one.kind)) {
            return not_found(before.id(), depends_on);
        }
        if let Some(refusal) = self.closes_a_cycle(before.id(), depends_on, kind)? {
            return Ok(Err(refusal));
        }
        let row = before
            .clone()
            .retaining(|one| {
                let is_twin = one.depends_on == depends_on && one.kind == kind;
                !is_twin && !goes(&one.depends_on, one.kind)
            })
            .with_dependency(depends_on, kind, None)
            .with_time("updated_at", Some(self.now));
        Ok(Ok(Planned::Row { before: Some(before), row }))
    }

    fn writable(&self, id: &str, holder: &Holder) -> Result<Result<IssueRow, IssueRefusal>, StoreError> {
        let row = match self.existing(id)? {
            Ok(row) => row,
            Err(refusal) => return Ok(Err(refusal)),
        };
        Ok(self.may_write(&row, holder)?.map(|()| row))
    }

    /// A blocking dependency closes a cycle when what it points at already leads back here over blocking ones.
    pub(super) fn closes_a_cycle(
        &self,
        id: &str,
        on: &str,
        kind: DependencyKind,
    ) -> Result<Option<IssueRefusal>, StoreError> {
        if !kind.is_blocking() {
            return Ok(None);
        }
        if id == on {
            let detail = format!("`{}` would depend on itself", id.escape_debug());
            return Ok(Some(IssueRefusal::new(RefusalClass::Cycle, detail)));
        }
        let path = find_path(on, id, |at| -> Result<Vec<String>, StoreError> {
            let facts = self.view.facts(at)?;
            Ok(facts.into_iter().flat_map(|facts| facts.blocking).map(|one| one.depends_on).collect())
        })?;
        Ok(path.map(|path| {
            let steps = std::iter::once(id).chain(path.iter().map(String::as_str));
            let steps = steps.map(|step| step.escape_debug().to_string()).collect::<Vec<_>>();
            IssueRefusal::new(RefusalClass::Cycle, format!("it would close {}", steps.join(" → ")))
        }))
    }
}

fn described(id: &str, depends_on: &str, kind: DependencyKind) -> String {
    format!("`{}` depends on `{}` ({}) already", id.escape_debug(), depends_on.escape_debug(), kind.token())
}

fn not_found(id: &str, depends_on: &str) -> Answer {
    let detail = format!("`{}` has no such dependency on `{}`", id.escape_debug(), depends_on.escape_debug());
    refuse(RefusalClass::DependencyNotFound, detail)
}
