//! `dep.add`, `dep.remove` and `dep.replace`: the dependencies of one issue.

use premath_bd::issues::Operation;
use premath_kernel::{DependencyKind, Value};
use premath_wire::InputError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{PlannedChange, arguments, change, id, invalid, one_line, told};
use super::issue_write::{holder, kind};
use crate::settings::Settings;
use crate::table::{ActionError, Answer, Host};

/// What a change of one dependency takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DependencyArgs {
    /// The file of issue memory; that of the repository when absent.
    issues: Option<String>,
    /// The issue that depends.
    id: String,
    /// The issue it depends on.
    depends_on: String,
    /// `blocks` (when absent), `parent-child`, `conditional-blocks`, `waits-for`, `related`, `relates-to`, `discovered-from`,
    /// `duplicates`, `supersedes` or `replies-to`.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Only for a replacement: the type it has now.
    from_type: Option<String>,
    /// Only for a new one: who made it.
    created_by: Option<String>,
    /// Who holds the lease, where somebody does.
    lease_owner: Option<String>,
    /// The lease, by its id.
    lease_id: Option<String>,
    /// The fence of the lease, as the claim answered it.
    fence: Option<u64>,
}

impl DependencyArgs {
    fn ends(&self) -> Result<(String, String), InputError> {
        Ok((id(&self.id, "id")?, id(&self.depends_on, "dependsOn")?))
    }

    fn kind(&self) -> Result<Option<DependencyKind>, InputError> {
        told(self.kind.as_deref()).map(kind).transpose()
    }
}

/// Refuses an argument that the action has no use for.
fn unused(given: Option<&str>, key: &str) -> Result<(), InputError> {
    if given.is_some() { Err(invalid("unknown field", key)) } else { Ok(()) }
}

/// `dep.add`
pub(crate) fn add(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_add)
}

/// The dependency that arguments of `dep.add` name.
pub(crate) fn plan_add(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: DependencyArgs = arguments(args)?;
    unused(args.from_type.as_deref(), "fromType")?;
    let (id, depends_on) = args.ends()?;
    let operation = Operation::DependencyAdd {
        id,
        depends_on,
        kind: args.kind()?.unwrap_or(DependencyKind::Blocks),
        by: told(args.created_by.as_deref()).map(|by| one_line(by, "createdBy")).transpose()?,
        holder: holder(args.lease_owner.as_deref(), args.lease_id.as_deref(), args.fence),
    };
    Ok(PlannedChange { issues: args.issues, operation })
}

/// `dep.remove`
pub(crate) fn remove(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_remove)
}

/// The dependency that arguments of `dep.remove` name.
pub(crate) fn plan_remove(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: DependencyArgs = arguments(args)?;
    unused(args.from_type.as_deref(), "fromType")?;
    unused(args.created_by.as_deref(), "createdBy")?;
    let (id, depends_on) = args.ends()?;
    let operation = Operation::DependencyRemove {
        id,
        depends_on,
        kind: args.kind()?,
        holder: holder(args.lease_owner.as_deref(), args.lease_id.as_deref(), args.fence),
    };
    Ok(PlannedChange { issues: args.issues, operation })
}

/// `dep.replace`
pub(crate) fn replace(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    change(host, args, plan_replace)
}

/// The dependency that arguments of `dep.replace` name, and its new type.
pub(crate) fn plan_replace(_: &Settings, args: &Value<'_>) -> Result<PlannedChange, ActionError> {
    let args: DependencyArgs = arguments(args)?;
    unused(args.created_by.as_deref(), "createdBy")?;
    let (id, depends_on) = args.ends()?;
    let from = told(args.from_type.as_deref()).map(kind).transpose()?;
    let operation = Operation::DependencyReplace {
        id,
        depends_on,
        from,
        kind: args.kind()?.unwrap_or(DependencyKind::Blocks),
        holder: holder(args.lease_owner.as_deref(), args.lease_id.as_deref(), args.fence),
    };
    Ok(PlannedChange { issues: args.issues, operation })
}
