//! How far a yes for a call may go: which scopes a question offers, and in words what each of them covers.
//!
//! A scope that would cover calls whose subject nobody was shown is not offered. It must not decide anything.

use super::super::pattern::Pattern;
use super::{Approval, ApprovalKind, ApprovalRequest, ApprovalScope};

/// Kind of the target of a foreign call whose configuration names no argument as its subject: the tool itself.
pub const FOREIGN_TOOL: &str = "mcp_tool";
/// Kind of a target that is the value of a declared argument of a foreign call. Its id is `argument=value`.
pub const FOREIGN_ARGUMENT: &str = "mcp_argument";

/// Rule of a question about a call with a secret in its arguments. A yes never covers another call.
pub const SECRET_USE: &str = "secret-use";

impl ApprovalRequest {
    /// Whether a yes covers this one call only.
    pub(super) fn is_once_only(&self) -> bool {
        self.is_undeclared() || self.rule == SECRET_USE
    }

    /// Whether it asks about a foreign call of which only the tool is known, not what the call acts on.
    #[must_use]
    pub fn is_undeclared(&self) -> bool {
        self.targets.iter().any(|target| target.kind == FOREIGN_TOOL)
    }

    /// Whether a pattern says something about what the call acts on. Of a foreign call that is a declared argument; other
    /// tools know the subject of each call themselves.
    pub(super) fn is_bounded_by(&self, pattern: &Pattern) -> bool {
        let mut declared = self.targets.iter().filter(|target| target.kind == FOREIGN_ARGUMENT).peekable();
        if declared.peek().is_none() || pattern.names.is_some() {
            return true;
        }
        let named = pattern.argument.as_ref().map(|(field, _)| field.as_str());
        declared.all(|target| target.id.split_once('=').map(|(field, _)| field) == named)
    }

    /// The scopes that a yes may have, each with what it covers, in the order of their reach.
    #[must_use]
    pub fn offered_scopes(&self) -> Vec<(&'static str, String)> {
        let mut offered = vec![("once", "this call, once".to_owned())];
        let is_call = match self.kind {
            ApprovalKind::Confirmation => true,
            ApprovalKind::Plan | ApprovalKind::Checkpoint => false,
        };
        if !is_call || self.is_once_only() {
            return offered;
        }
        if !self.targets.is_empty() {
            offered.push(("run", self.run_reach()));
        }
        let tool = &self.tool;
        offered
            .push(("pattern", format!("calls of {tool} in any run that fit names or an argument you give")));
        offered
    }

    fn run_reach(&self) -> String {
        let names: Vec<&str> = self.targets.iter().map(|target| target.name.as_str()).collect();
        format!("every call of {} on {} in run {}", self.tool, names.join(", "), self.run_id)
    }
}

impl Approval {
    /// What the yes covers, in words, without until when.
    #[must_use]
    pub fn reach(&self) -> String {
        let request = &self.request;
        match &self.scope {
            ApprovalScope::Once => format!("one call of {} in run {}", request.tool, request.run_id),
            ApprovalScope::Run => request.run_reach(),
            ApprovalScope::Pattern(pattern) => {
                let names = pattern.names.as_ref().map(|glob| format!("names like `{glob}`"));
                let argument = pattern.argument.as_ref().map(|(field, value)| {
                    let value = value.as_text().map_or_else(
                        || String::from_utf8_lossy(&premath_kernel::encode(value)).into_owned(),
                        str::to_owned,
                    );
                    format!("{field} = `{value}`")
                });
                let terms: Vec<String> = names.into_iter().chain(argument).collect();
                format!("every call of {} with {}, in any run", request.tool, terms.join(" and "))
            }
        }
    }
}
