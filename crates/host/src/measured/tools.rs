//! How tools are offered: what a measurement of it is about, and whether there is one for what a configuration asks for.
//!
//! The defaults were measured with the tools that come with premath. Whoever wants it otherwise shows a report that was
//! made here, of these very tools. It must not judge the figures: they are there, and a person chose.

use premath_bd::StoreError;
use premath_kernel::{Digest, FailureClass, Object, Value};
use premath_wire::v1::{TOOLS_REPORT_KIND, ToolsResult};

use super::reports::{Made, ReportAt, vouched};
use crate::agent::{RunRefused, all_tools};
use crate::settings::ToolSettings;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// The action that measures.
pub(crate) const ACTION: &str = "eval.tools";
/// What the files of its reports begin with.
pub(crate) const PREFIX: &str = "tools";

/// The digest of the tools that there are, however they are offered.
pub(crate) fn tools_digest(workspace: &Workspace) -> Result<Digest, ActionError> {
    let mut plain = workspace.clone();
    plain.settings.tools = ToolSettings::default();
    let tools = all_tools(&plain)?;
    let rows: Vec<Value<'_>> = tools
        .iter()
        .map(|tool| {
            let spec = tool.spec();
            Object::fields()
                .field("digest", spec.digest().as_str().to_owned())
                .field("name", spec.name.clone())
                .finish()
        })
        .collect();
    Ok(Digest::prefixed("pol1_", &Object::fields().field("tools", rows).finish()))
}

/// Why a run does not begin: its tools are offered in a way that nobody measured.
pub(crate) fn unmeasured_tools(workspace: &Workspace) -> Result<Option<RunRefused>, ActionError> {
    let wanted = &workspace.settings.tools;
    if wanted.is_default() || wanted.is_measured_now || is_covered(workspace)? {
        return Ok(None);
    }
    let (defer, filter) = (wanted.defer(), wanted.filter());
    Ok(Some(RunRefused {
        class: FailureClass::EvalLineageMissing.code().to_owned(),
        detail: format!(
            "`[tools]` asks for defer = {defer}, filter = {filter}, and no report here is about that"
        ),
        hint:
            "`premath eval tools --profile default` measures it; or take the lines out of the configuration"
                .to_owned(),
    }))
}

/// Whether a report that was made here is about these tools, offered in this way.
fn is_covered(workspace: &Workspace) -> Result<bool, ActionError> {
    let folder = workspace.root.join(".premath").join("reports");
    let names = match workspace.disk.list(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        names => names.map_err(|source| StoreError::Io { doing: "list", path: folder.clone(), source })?,
    };
    let current = tools_digest(workspace)?;
    let wanted = &workspace.settings.tools;
    let made = Made::by(workspace, ACTION)?;
    for entry in names.iter().filter(|entry| entry.name.starts_with(PREFIX)) {
        let at = ReportAt::Named(folder.join(&entry.name));
        let Ok(found) = vouched::<ToolsResult>(workspace, &at, TOOLS_REPORT_KIND, &made) else {
            continue;
        };
        let is_same = |defer: bool, filter: bool| defer == wanted.defer() && filter == wanted.filter();
        let measured = found.report.result.variants.iter().any(|one| is_same(one.defer, one.filter));
        if measured && found.report.lineage.grader_digest == current.as_str() {
            return Ok(true);
        }
    }
    Ok(false)
}
