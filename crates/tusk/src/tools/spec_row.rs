//! A tool's definition as a run's journal keeps it: what is written is what is hashed.

use premath_kernel::{Value, encode};

use super::spec::{Caller, Risk, ToolKind, ToolSpec};
use crate::JsonText;
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, unreadable};

impl ToolSpec {
    /// Reads what [`ToolSpec::to_value`] wrote. Its schema and examples come back in their canonical spelling.
    ///
    /// # Errors
    /// The first member that is missing or of another kind.
    pub fn from_value(value: &Value<'_>) -> Result<Self, Unreadable> {
        let row = Row::of(value)?;
        let json = |value: Option<&Value<'_>>, member: &str| {
            let text = value.map(|value| String::from_utf8_lossy(&encode(value)).into_owned());
            text.and_then(|text| JsonText::new(text).ok()).ok_or_else(|| unreadable(member))
        };
        let risks = [Risk::Read, Risk::Create, Risk::Write, Risk::Destructive];
        let kinds = [ToolKind::Read, ToolKind::Effect, ToolKind::Intent];
        let (risk, kind) = (row.text("risk")?, row.text("kind")?);
        let callers = row.texts("allowedCallers")?;
        let caller = |token: &String| {
            let found = [Caller::Model, Caller::Code].into_iter().find(|one| one.token() == token);
            found.ok_or_else(|| unreadable("allowedCallers"))
        };
        Ok(Self {
            name: row.owned("name")?,
            description: row.owned("description")?,
            input_schema: json(row.value("inputSchema"), "inputSchema")?,
            examples: row
                .list("examples")?
                .iter()
                .map(|example| json(Some(example), "examples"))
                .collect::<Result<_, _>>()?,
            returns: row.optional("returns")?.unwrap_or_default(),
            kind: kinds.into_iter().find(|one| one.token() == kind).ok_or_else(|| unreadable("kind"))?,
            risk: risks.into_iter().find(|one| one.token() == risk).ok_or_else(|| unreadable("risk"))?,
            scope: row.owned("scope")?,
            allowed_callers: callers.iter().map(caller).collect::<Result<_, _>>()?,
            idempotent: row.flag("idempotent"),
            defer_loading: row.flag("deferLoading"),
        })
    }
}
