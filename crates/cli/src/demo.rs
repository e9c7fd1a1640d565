//! The example that `premath run --demo` works on: a small project with a bug, its issues, and the lines of the model that
//! mends it. Embedded, so that it needs no network and no checkout; all of it is plain `sh` and `awk`.
//!
//! It must not run anything: it makes a folder and says what is to be done there.

pub(crate) mod console;

use std::path::Path;

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::HostEffect;
use serde_json::value::RawValue;

use crate::commands::in_folder;
use crate::error::CliError;
use crate::exit::Exit;
use crate::system;

/// The issue that is worked on.
pub(crate) const ISSUE: &str = "bd-1";

/// Where the lines of the model are, in the folder of the example.
const SCENARIO_PATH: &str = ".premath/demo.toml";
const SCENARIO: &str = include_str!("demo/scenario.toml");

/// Every file of the project.
const FILES: [(&str, &str); 6] = [
    ("README.md", include_str!("demo/project/README.md")),
    ("check.sh", include_str!("demo/project/check.sh")),
    ("expected.txt", include_str!("demo/project/expected.txt")),
    ("invoices/2026-01.csv", include_str!("demo/project/invoices/2026-01.csv")),
    ("invoices/2026-02.csv", include_str!("demo/project/invoices/2026-02.csv")),
    ("totals.sh", include_str!("demo/project/totals.sh")),
];

/// One issue of the project.
struct Sample {
    id: &'static str,
    title: &'static str,
    kind: &'static str,
    description: &'static str,
    acceptance: &'static str,
    depends_on: Option<&'static str>,
}

const ISSUES: [Sample; 2] = [
    Sample {
        id: ISSUE,
        title: "The totals are too low",
        kind: "bug",
        description: "`sh totals.sh invoices/*.csv` prints less than the invoices add up to.\n\nVerification: sh check.sh",
        acceptance: "`sh check.sh` passes; neither the invoices nor expected.txt were changed",
        depends_on: None,
    },
    Sample {
        id: "bd-2",
        title: "Send the totals to the bookkeeper every month",
        kind: "task",
        description: "Once they are right.\n\nVerification: sh check.sh",
        acceptance: "the totals of a month are sent on its last day",
        depends_on: Some(ISSUE),
    },
];

/// What is to be done in the example, and by whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DemoPlan {
    /// The task.
    pub(crate) task: String,
    /// The issue it is about.
    pub(crate) issue: String,
    /// The model that does it.
    pub(crate) model: String,
}

/// What the model is asked for.
const TASK: &str = "Find out why `sh check.sh` fails, and mend it.";

/// Makes the example in a folder that is empty or not there yet.
pub(crate) fn prepare(folder: &Path) -> Result<DemoPlan, CliError> {
    files_into(folder, &FILES)?;
    in_folder(folder.to_owned(), None, |host| filed(host).map(|()| Exit::Accepted))?;
    let scenario = folder.join(SCENARIO_PATH);
    system::write_new(&scenario, SCENARIO).map_err(|error| unmade(folder, &error))?;
    Ok(DemoPlan {
        task: TASK.to_owned(),
        issue: ISSUE.to_owned(),
        model: format!("scripted:{}", scenario.display()),
    })
}

/// Writes files into a folder that is empty or not there yet.
fn files_into(folder: &Path, files: &[(&str, &str)]) -> Result<(), CliError> {
    if !system::empty_folder(folder, &[]).map_err(|error| unmade(folder, &error))? {
        let what = format!("`{}` is not empty", folder.display());
        return Err(CliError::usage(what, "name a folder that is empty or does not exist yet"));
    }
    for (path, text) in files {
        system::write_new(&folder.join(path), text).map_err(|error| unmade(folder, &error))?;
    }
    Ok(())
}

fn unmade(folder: &Path, error: &std::io::Error) -> CliError {
    let what = format!("cannot make the example in `{}`: {error}", folder.display());
    CliError::environment(what, "name a folder that can be written with --keep")
}

/// Issue memory, and the issues in it, each through the door.
fn filed(host: &Host<'_>) -> Result<(), CliError> {
    call(host, "workspace.init", &Object::fields().finish())?;
    for sample in &ISSUES {
        let depends_on = sample.depends_on.map(|id| {
            let edge = Object::fields().field("id", id).field("type", "blocks").finish();
            Value::Array(vec![edge])
        });
        let issue = Object::fields()
            .field("id", sample.id)
            .field("title", sample.title)
            .field("type", sample.kind)
            .field("description", sample.description)
            .field("acceptanceCriteria", sample.acceptance)
            .optional("dependsOn", depends_on)
            .finish();
        call(host, "issue.add", &issue)?;
    }
    Ok(())
}

fn call(host: &Host<'_>, action: &str, arguments: &Value<'_>) -> Result<HostEffect<Box<RawValue>>, CliError> {
    let effect = host.call(action, arguments).map_err(CliError::action)?;
    if effect.result_class == "rejected" {
        let classes = effect.failure_classes.join(", ");
        let what = format!("the example cannot be made: {action} was refused: {classes}");
        return Err(CliError::environment(what, "run it from a terminal, not from a step of a run"));
    }
    Ok(effect)
}

#[cfg(test)]
mod tests;
