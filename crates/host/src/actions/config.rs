//! `config.show`: every value of the configuration and the layer it comes from.

use premath_kernel::Value;
use premath_wire::v1::{ConfigAnswer, ConfigRow};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, told};
use crate::settings::{Layer, Setting};
use crate::table::{ActionError, Answer, Host};
use crate::workspace::shown;

/// What `config show` takes: a flag that would count more than the file.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ConfigArgs {
    /// A file of issue memory that counts more than the configured one.
    issues: Option<String>,
}

/// `config.show`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: ConfigArgs = arguments(args)?;
    let settings = &host.workspace.settings;
    let issues = match told(args.issues.as_deref()) {
        Some(path) => flag("issues.path", path, "--issues"),
        None => row("issues.path", &settings.issues_path),
    };
    let chain =
        Setting { value: settings.model_chain.value.join(", "), layer: settings.model_chain.layer.clone() };
    let mut items: Vec<ConfigRow> =
        settings.guard_entries.iter().map(|(key, setting)| row(key, setting)).collect();
    items.push(row("guard.agent_sandbox", &settings.agent_sandbox));
    let outside = &settings.issues_outside;
    let outside = Setting { value: outside.value.join(", "), layer: outside.layer.clone() };
    items.push(row("issues.ids", &settings.issue_ids));
    items.extend([row("issues.outside", &outside), issues, row("issues.prefix", &settings.issue_prefix)]);
    let entries = settings.turn_loop.entries();
    items.extend(entries.iter().map(|(key, setting)| row(&format!("loop.{key}"), setting)));
    items.extend(settings.mcp_entries.iter().map(|(key, setting)| row(key, setting)));
    items.push(row("models.chain", &chain));
    items.extend(settings.model_entries.iter().map(|(key, setting)| row(key, setting)));
    items.push(row("mutation.cli", &settings.terminal));
    items.push(row("mutation.closing", &settings.closing));
    for (key, setting) in
        [("mutation.verify", &settings.verify), ("mutation.verify_tools", &settings.verify_tools)]
    {
        let value = if setting.value.is_empty() { "none".to_owned() } else { setting.value.join(", ") };
        items.push(row(key, &Setting { value, layer: setting.layer.clone() }));
    }
    let policy = settings.policy.entries();
    items.extend(policy.iter().map(|(key, setting)| row(&format!("policy.{key}"), setting)));
    let retention = settings.retention.entries();
    items.extend(retention.iter().map(|(key, setting)| row(&format!("retention.{key}"), setting)));
    let unset = || Setting::default_value("not set".to_owned());
    items.push(row("session.baseline", &settings.baseline.clone().unwrap_or_else(unset)));
    let telemetry = settings.telemetry.entries();
    items.extend(telemetry.iter().map(|(key, setting)| row(&format!("telemetry.{key}"), setting)));
    let tools = settings.tools.entries();
    items.extend(tools.iter().map(|(key, setting)| row(&format!("tools.{key}"), setting)));
    let work = settings.work.entries();
    items.extend(work.iter().map(|(key, setting)| row(&format!("work.{key}"), setting)));
    let root = &host.workspace.root;
    Answer::new(
        "ok",
        &ConfigAnswer {
            action: "config.show".to_owned(),
            root: if root.as_os_str().is_empty() { ".".to_owned() } else { shown(root) },
            count: count(items.len()),
            items,
        },
    )
}

fn row(key: &str, setting: &Setting<impl ToString>) -> ConfigRow {
    let (layer, place) = match &setting.layer {
        Layer::Default => ("default", None),
        Layer::Environment { variable } => ("environment", Some(variable.clone())),
        Layer::File { name, line } => ("file", Some(format!("{name}:{line}"))),
    };
    ConfigRow { key: key.to_owned(), value: setting.value.to_string(), layer: layer.to_owned(), place }
}

fn flag(key: &str, value: &str, flag: &str) -> ConfigRow {
    let (layer, place) = ("flag".to_owned(), Some(flag.to_owned()));
    ConfigRow { key: key.to_owned(), value: value.to_owned(), layer, place }
}
