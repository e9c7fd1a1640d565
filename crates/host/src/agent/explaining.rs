//! Every tool that a run could have, with what would decide about its calls: for whoever wants to know before anything runs.
//! It must not run a tool.

use std::sync::Arc;

use premath_kernel::Digest;
use premath_tusk::JsonText;
use premath_tusk::policy::{GovernedCall, Governor};
use premath_tusk::sandbox::{ExecutionLimits, Profile};
use premath_tusk::tools::payloads::StoredPayloads;
use premath_tusk::tools::{Catalogue, Tool, ToolFailure, ToolSpec};
use premath_tusk::turn_loop::{Toolbox, Touch};
use premath_wire::strict::{Limits, parse};
use premath_wire::{InputClass, InputError, JsonPath};

use super::assemble::all_tools;
use super::door::AgentDoor;
use super::retention::objects;
use crate::foreign::remembered;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// What is shown of a result when nobody says.
const BUDGET: usize = 16 * 1024;

/// Every tool, and what decides about it.
#[derive(Debug)]
pub(crate) struct PolicyGround {
    pub(crate) specs: Vec<ToolSpec>,
    pub(crate) governor: Arc<Governor>,
    toolbox: Toolbox,
}

/// Every tool that a run over a repository could have.
pub(crate) fn governed_tools(
    workspace: &Workspace,
    door: &dyn AgentDoor,
) -> Result<PolicyGround, ActionError> {
    governed_with(workspace, door, Vec::new())
}

/// The same with tools beside ours.
pub(crate) fn governed_with(
    workspace: &Workspace,
    door: &dyn AgentDoor,
    more: Vec<Arc<dyn Tool>>,
) -> Result<PolicyGround, ActionError> {
    let foreign = remembered(workspace, door)?;
    let tools = all_tools(workspace)?.into_iter().chain(foreign).chain(more);
    let catalogue = Catalogue::new(tools).map_err(|error| ActionError::Unavailable {
        what: error.to_string(),
        hint: "this is a fault of premath".to_owned(),
    })?;
    let specs: Vec<ToolSpec> = catalogue.specs().cloned().collect();
    let governor = door.governor(&specs)?;
    let toolbox = Toolbox {
        catalogue,
        files: door.files()?,
        sandbox: door.sandbox(),
        interrupt: door.interrupt(),
        workdir: door.workdir()?,
        profile: Profile::ReadOnly,
        limits: ExecutionLimits::default(),
        protected: door.protected()?,
        readable_state: Vec::new(),
        payloads: Arc::new(StoredPayloads::new(objects(workspace)?)),
        budget: BUDGET,
        capture: BUDGET,
        parallel: 1,
        changes: None,
        secrets: Arc::default(),
    };
    Ok(PolicyGround { specs, governor, toolbox })
}

impl PolicyGround {
    pub(crate) fn spec(&self, tool: &str) -> Option<&ToolSpec> {
        self.specs.iter().find(|spec| spec.name == tool)
    }

    /// Why a path must not be touched, whoever does it.
    pub(crate) fn may_touch(&self, path: &str, touch: Touch) -> Result<(), ToolFailure> {
        self.toolbox.may_touch(path, touch)
    }

    /// A call as policy would see it.
    pub(crate) fn call<'c>(
        &'c self,
        spec: &'c ToolSpec,
        arguments: &'c serde_json::Value,
    ) -> Result<GovernedCall<'c>, ActionError> {
        let text = arguments.to_string();
        let value = parse(text.as_bytes(), Limits::default())?;
        let json = JsonText::new(text.clone())?;
        let targets = self.toolbox.targets(&spec.name, &json).map_err(|failure| {
            let place =
                failure.pointers.first().map(|pointer| format!(" at `{pointer}`")).unwrap_or_default();
            let what = format!("the tool does not take that{place}: {}", failure.message);
            InputError::new(InputClass::FieldInvalid, &what, JsonPath::root().key("args"))
        })?;
        Ok(GovernedCall {
            tool_call_id: "explained",
            spec,
            arguments,
            arguments_digest: Digest::of(&value),
            protected: self.toolbox.protected_changes(spec, targets.as_deref().unwrap_or_default()),
            targets,
            secrets: Vec::new(),
        })
    }
}
