//! The port to whatever measures a package. Only a trait and plain data; the composition root implements it.

use std::fmt::Debug;

use premath_bd::PolicyFiles;
use premath_wire::v1::{GuardrailsResult, RedTeamResult, ToolsResult};

use crate::table::ActionError;

/// Rows with what is in them, as bytes.
#[derive(Debug, Clone, Copy)]
pub struct Dataset<'d> {
    /// What errors call it.
    pub name: &'d str,
    /// The rows.
    pub bytes: &'d [u8],
}

/// How good the guards of a package are.
#[derive(Debug, Clone)]
pub struct GuardrailsMeasured {
    /// What was counted.
    pub result: GuardrailsResult,
    /// How many rows there were.
    pub rows: u64,
    /// The digest of the guards with their settings.
    pub grader_digest: String,
}

/// Which probes are wanted; all where a list is empty.
#[derive(Debug, Clone, Default)]
pub struct RedTeamWanted {
    /// What is attacked.
    pub plugins: Vec<String>,
    /// How.
    pub strategies: Vec<String>,
}

/// What a red team found.
#[derive(Debug, Clone)]
pub struct RedTeamMeasured {
    /// What became of each probe.
    pub result: RedTeamResult,
    /// The digest of the probes and the harmless tasks.
    pub probes_digest: String,
    /// The digest of the rules and guards that were attacked.
    pub grader_digest: String,
}

/// What a red team that leaves nothing out would be made of now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedTeamWhole {
    /// The digest of every probe and every harmless task.
    pub probes_digest: String,
    /// The digest of the rules and guards that would be attacked.
    pub grader_digest: String,
}

/// Which tasks are tried.
#[derive(Debug, Clone)]
pub struct ToolsWanted {
    /// The name of the set.
    pub profile: String,
    /// The tasks as they are in a file; those that come with premath when there is none.
    pub tasks: Option<Vec<u8>>,
}

/// How well tasks go, by how tools are offered.
#[derive(Debug, Clone)]
pub struct ToolsMeasured {
    /// What was counted.
    pub result: ToolsResult,
    /// How many tasks there were.
    pub rows: u64,
    /// The digest of the tasks.
    pub tasks_digest: String,
}

/// Measures packages.
pub trait Measure: Debug + Sync {
    /// The version of premath that measures.
    fn version(&self) -> String;

    /// Whether the rules of a package load and its guards can be set up.
    ///
    /// # Errors
    /// They do not.
    fn check(&self, package: &PolicyFiles) -> Result<(), ActionError>;

    /// Has the guards of a package look at every row.
    ///
    /// # Errors
    /// A data set that cannot be used, or guards that cannot be set up.
    fn guardrails(
        &self,
        package: &PolicyFiles,
        dataset: Dataset<'_>,
    ) -> Result<GuardrailsMeasured, ActionError>;

    /// Attacks a repository that has this package.
    ///
    /// # Errors
    /// No such probes, or no place to attack.
    fn red_team(&self, package: &PolicyFiles, wanted: &RedTeamWanted)
    -> Result<RedTeamMeasured, ActionError>;

    /// What attacking this package with every probe would be made of.
    ///
    /// # Errors
    /// The probes cannot be read, or the guards cannot be set up.
    fn whole_red_team(&self, package: &PolicyFiles) -> Result<RedTeamWhole, ActionError>;

    /// Has tasks tried with tools that are offered in every way.
    ///
    /// # Errors
    /// No such tasks, or no place to try them.
    fn tools(&self, wanted: &ToolsWanted) -> Result<ToolsMeasured, ActionError>;
}

/// A place where nothing can be measured.
#[derive(Debug)]
pub struct NoMeasure;

fn nothing<T>() -> Result<T, ActionError> {
    Err(ActionError::Unavailable {
        what: "nothing can be measured here".to_owned(),
        hint: "use the command in a repository".to_owned(),
    })
}

impl Measure for NoMeasure {
    fn version(&self) -> String {
        String::new()
    }

    fn check(&self, _: &PolicyFiles) -> Result<(), ActionError> {
        nothing()
    }

    fn guardrails(&self, _: &PolicyFiles, _: Dataset<'_>) -> Result<GuardrailsMeasured, ActionError> {
        nothing()
    }

    fn red_team(&self, _: &PolicyFiles, _: &RedTeamWanted) -> Result<RedTeamMeasured, ActionError> {
        nothing()
    }

    fn whole_red_team(&self, _: &PolicyFiles) -> Result<RedTeamWhole, ActionError> {
        nothing()
    }

    fn tools(&self, _: &ToolsWanted) -> Result<ToolsMeasured, ActionError> {
        nothing()
    }
}
