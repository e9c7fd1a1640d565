//! `eval.guardrails`, `eval.tools` and `redteam.run`: something is measured, and the report kept.

use std::path::PathBuf;

use premath_bd::{Objects, PolicyFiles, PolicyStore, StoreError, objects_folder};
use premath_kernel::{Digest, Object, Value};
use premath_wire::v1::{
    GUARDRAILS_REPORT_KIND, Lineage, MeasureAnswer, RED_TEAM_REPORT_KIND, TOOLS_REPORT_KIND,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::issue::{arguments, invalid, told};
use crate::governance::PackageStanding;
use crate::measured::{
    Dataset, EVAL_TOOLS, Gates, Recorded, RedTeamWanted, ReportDraft, TOOLS_PREFIX, ToolsWanted, record,
    tools_digest,
};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::{Workspace, shown};

const EVALUATION: &str = "eval.guardrails";
const RED_TEAM: &str = "redteam.run";

/// What `eval.guardrails` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GuardrailsArgs {
    /// The rows, from the root of the repository.
    #[schemars(required)]
    dataset: Option<String>,
    /// The folder of the package; the one in force when absent.
    package: Option<String>,
    /// The draft of the package, by name.
    draft: Option<String>,
}

/// `eval.guardrails`
pub(crate) fn guardrails(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: GuardrailsArgs = arguments(args)?;
    let workspace = host.workspace;
    let name = told(args.dataset.as_deref()).ok_or_else(|| invalid("missing field", "dataset"))?;
    let package = package(workspace, args.package.as_deref(), args.draft.as_deref(), "package")?;
    let gates = gates_in_force(workspace)?;
    let bytes = rows(workspace, name)?;
    let measured = host.agent.measure().guardrails(&package, Dataset { name, bytes: &bytes })?;
    // The data are kept: whoever goes back to this package later counts with the same.
    objects(workspace).put(&mut bytes.as_slice())?;
    let mut unmet = gates.unmet_by(&measured.result.overall);
    unmet.extend(gates.unmet_by_data(&measured.result));
    let recorded = record(
        workspace,
        ReportDraft {
            action: EVALUATION,
            prefix: "eval",
            kind: GUARDRAILS_REPORT_KIND,
            tool_version: host.agent.measure().version(),
            lineage: Lineage {
                package_digest: package.digest().as_str().to_owned(),
                dataset_path: Some(name.to_owned()),
                dataset_digest: Digest::of_bytes(&bytes).as_str().to_owned(),
                dataset_rows: measured.rows,
                grader_digest: measured.grader_digest,
                thresholds_digest: gates.evaluation_digest().as_str().to_owned(),
            },
            result: measured.result,
        },
    )?;
    answered(EVALUATION, recorded, unmet)
}

/// The rows that somebody named.
fn rows(workspace: &Workspace, name: &str) -> Result<Vec<u8>, ActionError> {
    let path = workspace.root.join(name);
    crate::measured::read_file(workspace, &path).map_err(|error| {
        let is = |kind| matches!(&error, StoreError::Io { source, .. } if source.kind() == kind);
        let what = if is(std::io::ErrorKind::NotFound) {
            format!("there is no file `{}`", path.display())
        } else if is(std::io::ErrorKind::IsADirectory) {
            format!("`{}` is a folder", path.display())
        } else {
            return error.into();
        };
        invalid(what, "dataset").into()
    })
}

/// What `redteam.run` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RedTeamArgs {
    /// What is attacked; everything when empty.
    plugins: Vec<String>,
    /// How; in every way when empty.
    strategies: Vec<String>,
    /// The folder of the package; the one in force when absent.
    package: Option<String>,
    /// The draft of the package, by name.
    draft: Option<String>,
}

/// `redteam.run`
pub(crate) fn red_team(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: RedTeamArgs = arguments(args)?;
    let workspace = host.workspace;
    let package = package(workspace, args.package.as_deref(), args.draft.as_deref(), "package")?;
    let gates = gates_in_force(workspace)?;
    let wanted = RedTeamWanted { plugins: args.plugins, strategies: args.strategies };
    let measured = host.agent.measure().red_team(&package, &wanted)?;
    let mut unmet = gates.unmet_by_red_team(&measured.result);
    if measured.probes_digest != host.agent.measure().whole_red_team(&package)?.probes_digest {
        unmet
            .insert(0, "partial: only some of the probes ran, so it does not count for promotion".to_owned());
    }
    let rows = measured.result.probes.len() + measured.result.benign.len();
    let recorded = record(
        workspace,
        ReportDraft {
            action: RED_TEAM,
            prefix: "redteam",
            kind: RED_TEAM_REPORT_KIND,
            tool_version: host.agent.measure().version(),
            lineage: Lineage {
                package_digest: package.digest().as_str().to_owned(),
                dataset_path: None,
                dataset_digest: measured.probes_digest,
                dataset_rows: u64::try_from(rows).unwrap_or(u64::MAX),
                grader_digest: measured.grader_digest,
                thresholds_digest: gates.red_team_digest().as_str().to_owned(),
            },
            result: measured.result,
        },
    )?;
    answered(RED_TEAM, recorded, unmet)
}

/// What `eval.tools` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolsArgs {
    /// The name of the set of tasks.
    #[schemars(required)]
    profile: Option<String>,
    /// The folder of sets of tasks, from the root of the repository; those that come with premath when nobody says.
    scenarios: Option<String>,
}

/// `eval.tools`
pub(crate) fn tools(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ToolsArgs = arguments(args)?;
    let workspace = host.workspace;
    let profile = told(args.profile.as_deref()).ok_or_else(|| invalid("missing field", "profile"))?;
    let is_name = profile.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if !is_name {
        return Err(invalid("expected a name of letters, digits, `-` and `_`", "profile").into());
    }
    let path = told(args.scenarios.as_deref()).map(|folder| format!("{folder}/{profile}.json"));
    let read = |path: &String| crate::measured::read_file(workspace, &workspace.root.join(path));
    let wanted = ToolsWanted { profile: profile.to_owned(), tasks: path.as_ref().map(read).transpose()? };
    let measured = host.agent.measure().tools(&wanted)?;
    // What is measured is the difference to what holds when nobody says anything.
    let defaults =
        Digest::prefixed("pol1_", &Object::fields().field("defer", true).field("filter", true).finish());
    let recorded = record(
        workspace,
        ReportDraft {
            action: EVAL_TOOLS,
            prefix: TOOLS_PREFIX,
            kind: TOOLS_REPORT_KIND,
            tool_version: host.agent.measure().version(),
            lineage: Lineage {
                package_digest: store(workspace).working_files()?.digest().as_str().to_owned(),
                dataset_path: path,
                dataset_digest: measured.tasks_digest,
                dataset_rows: measured.rows,
                grader_digest: tools_digest(workspace)?.as_str().to_owned(),
                thresholds_digest: defaults.as_str().to_owned(),
            },
            result: measured.result,
        },
    )?;
    answered(EVAL_TOOLS, recorded, Vec::new())
}

fn answered<R: Serialize>(
    action: &str,
    recorded: Recorded<R>,
    unmet: Vec<String>,
) -> Result<Answer, ActionError> {
    Answer::new(
        "ok",
        &MeasureAnswer {
            action: action.to_owned(),
            report_path: shown(&recorded.path),
            report_digest: recorded.digest.as_str().to_owned(),
            gate_met: unmet.is_empty(),
            unmet,
            report: recorded.report,
        },
    )
}

/// The packages of a repository.
pub(super) fn store(workspace: &Workspace) -> PolicyStore {
    PolicyStore::new(std::sync::Arc::clone(&workspace.disk), workspace.root.clone())
}

/// The gates of the package that was promoted; ours where nothing was. What somebody edited by hand counts for nothing.
pub(super) fn gates_in_force(workspace: &Workspace) -> Result<Gates, ActionError> {
    let files = PackageStanding::read(workspace)?.expected_files(workspace)?;
    Gates::of(&files.unwrap_or_default())
}

/// The package in a folder or of a draft, or the files below `policies/`.
pub(super) fn package(
    workspace: &Workspace,
    named: Option<&str>,
    draft: Option<&str>,
    key: &str,
) -> Result<PolicyFiles, ActionError> {
    let folder = match (told(named), told(draft)) {
        (None, None) => return Ok(store(workspace).working_files()?),
        (Some(folder), None) => folder.to_owned(),
        (None, Some(name)) => shown(&draft_folder(name)?),
        (Some(_), Some(_)) => return Err(invalid("name a folder or a draft, not both", "draft").into()),
    };
    let folder: PathBuf = workspace.root.join(folder);
    if workspace.disk.list(&folder).is_err() {
        let key = if draft.is_some() { "draft" } else { key };
        return Err(invalid(format!("there is no folder `{}`", folder.display()), key).into());
    }
    Ok(PolicyFiles::read(workspace.disk.as_ref(), &folder)?)
}

/// The folder of a draft, from the root of the repository.
pub(super) fn draft_folder(name: &str) -> Result<PathBuf, ActionError> {
    PolicyStore::draft_path(name).ok_or_else(|| {
        let what = format!("`{name}` is no name of a draft: letters, digits, `-`, `_` and `.`, at most 64");
        invalid(what, "draft").into()
    })
}

fn objects(workspace: &Workspace) -> Objects {
    let (disk, ids) = (std::sync::Arc::clone(&workspace.disk), std::sync::Arc::clone(&workspace.ids));
    Objects::new(disk, ids, objects_folder(&workspace.root))
}
