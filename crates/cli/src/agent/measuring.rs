//! What measures policy packages: the guards on rows, the rules as they load, the red team. It must not keep a report.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_bd::PolicyFiles;
use premath_guards::{
    Confusion, Evaluation, GuardSettings, Ratio, SourceCount, SplitCount, evaluate, read_dataset,
    read_source_limits,
};
use premath_host::{
    ActionError, Dataset, DeskTools, GuardrailsMeasured, Measure, RedTeamMeasured, RedTeamWanted,
    RedTeamWhole, ToolsMeasured, ToolsWanted, issue_tools,
};
use premath_kernel::Digest;
use premath_rules::{RulePack, RuleSource};
use premath_tusk::policy::{Guards, Micros as MicrosPort};
use premath_tusk::tools::{Tool, ToolSpec, built_in};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{ConfusionRow, GuardTimeRow, GuardrailsResult, Micros, MissRow, SourceMeasureRow};
use premath_wire::{InputClass, InputError, JsonPath};

use super::governance::{guards_of, with_package};
use super::rule_files::refuse_names;
use crate::system;

/// Measures with the guards and rules of this program.
#[derive(Debug)]
pub(super) struct Measuring {
    /// What the configuration asks for; a package can ask for more.
    configured: GuardSettings,
}

impl Measuring {
    pub(super) const fn new(configured: GuardSettings) -> Self {
        Self { configured }
    }
}

/// Time from when it was made.
#[derive(Debug)]
struct Since(std::time::Instant);

impl MicrosPort for Since {
    fn micros(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

impl Measure for Measuring {
    fn version(&self) -> String {
        concat!(env!("CARGO_PKG_VERSION"), " (", env!("PREMATH_COMMIT"), ")").to_owned()
    }

    fn check(&self, package: &PolicyFiles) -> Result<(), ActionError> {
        guards_of(&settings(&self.configured, package)?)?;
        let sources = sources(package)?;
        match RulePack::load(&sources, &every_tool()?) {
            Ok(_) => Ok(()),
            Err(errors) => Err(ActionError::Unavailable {
                what: format!("the rules of the package do not load: {errors}"),
                hint: "mend the rules or their examples; `premath policy show` says what is in force"
                    .to_owned(),
            }),
        }
    }

    fn guardrails(
        &self,
        package: &PolicyFiles,
        dataset: Dataset<'_>,
    ) -> Result<GuardrailsMeasured, ActionError> {
        let unusable = |what: String| {
            let what = format!("the data set `{}` cannot be used: {what}", dataset.name);
            ActionError::from(InputError::new(
                InputClass::FieldInvalid,
                what,
                JsonPath::root().key("dataset"),
            ))
        };
        let text = std::str::from_utf8(dataset.bytes).map_err(|_| unusable("it is not UTF-8".to_owned()))?;
        let rows = read_dataset(text).map_err(|error| unusable(error.to_string()))?;
        let settings = settings(&self.configured, package)?;
        let guards = Guards::boot(guards_of(&settings)?).timed(Arc::new(Since(system::stopwatch())));
        let grader_digest = grader_digest(&guards, &settings)?;
        let evaluation = evaluate(&guards, &rows);
        Ok(GuardrailsMeasured {
            rows: u64::try_from(rows.len()).unwrap_or(u64::MAX),
            result: result(evaluation, &read_source_limits(text)),
            grader_digest,
        })
    }

    fn red_team(
        &self,
        package: &PolicyFiles,
        wanted: &RedTeamWanted,
    ) -> Result<RedTeamMeasured, ActionError> {
        self.check(package)?;
        crate::commands::attack(package, wanted, attacked_digest(package)?)
    }

    fn whole_red_team(&self, package: &PolicyFiles) -> Result<RedTeamWhole, ActionError> {
        let probes_digest = crate::commands::every_probe_digest()?;
        Ok(RedTeamWhole { probes_digest, grader_digest: attacked_digest(package)? })
    }

    fn tools(&self, wanted: &ToolsWanted) -> Result<ToolsMeasured, ActionError> {
        crate::commands::measure_tools(wanted)
    }
}

/// What is attacked: the repositories of a red team have no configuration but the package.
fn attacked_digest(package: &PolicyFiles) -> Result<String, ActionError> {
    let settings = settings(&GuardSettings::default(), package)?;
    grader_digest(&Guards::boot(guards_of(&settings)?), &settings)
}

/// The guards with their settings: what they are told decides what they find.
fn grader_digest(guards: &Guards, settings: &GuardSettings) -> Result<String, ActionError> {
    let document = serde_json::json!({"guards": guards.digest().as_str(), "settings": settings.to_json()});
    let text = document.to_string();
    let value = parse(text.as_bytes(), Limits::default())?;
    Ok(Digest::prefixed("pol1_", &value).as_str().to_owned())
}

fn settings(configured: &GuardSettings, package: &PolicyFiles) -> Result<GuardSettings, ActionError> {
    with_package(configured.clone(), package.get("guardrails.json"))
}

/// Every tool that a rule may speak of.
pub(crate) fn every_tool() -> Result<Vec<ToolSpec>, ActionError> {
    let broken = |error: premath_tusk::tools::SpecError| ActionError::Unavailable {
        what: error.to_string(),
        hint: "this is a fault of premath".to_owned(),
    };
    let nowhere = crate::commands::nowhere();
    let mut tools: Vec<Arc<dyn Tool>> = built_in().map_err(broken)?;
    tools.extend(issue_tools(&nowhere).map_err(broken)?);
    tools.extend(DeskTools::new(&nowhere, "").tools().map_err(broken)?);
    Ok(tools.iter().map(|tool| tool.spec().clone()).collect())
}

/// The rules of a package; ours where it has none.
fn sources(package: &PolicyFiles) -> Result<Vec<RuleSource>, ActionError> {
    let text = |name: &str| {
        let bytes = package.get(name).unwrap_or_default();
        String::from_utf8(bytes.to_vec()).map_err(|_| ActionError::Unavailable {
            what: format!("`{name}` of the package is not UTF-8"),
            hint: "write it as UTF-8 text".to_owned(),
        })
    };
    refuse_names(package.iter().map(|(name, _)| name)).map_err(|(name, why)| ActionError::Unavailable {
        what: format!("the rules of the package do not load: {name}: {why}"),
        hint: "mend the rules or their examples; `premath policy show` says what is in force".to_owned(),
    })?;
    let mut found = Vec::new();
    for (name, _) in package.iter() {
        let Some(file) = name.strip_prefix("governor/").filter(|file| file.ends_with(".cedar")) else {
            continue;
        };
        let source = RuleSource::new(file, text(name)?, String::new());
        let examples = text(&format!("governor/{}", source.examples_name()))?;
        found.push(RuleSource { examples, ..source });
    }
    Ok(if found.is_empty() { RulePack::default_sources() } else { found })
}

fn result(evaluation: Evaluation, limits: &BTreeMap<String, String>) -> GuardrailsResult {
    GuardrailsResult {
        sources: evaluation.sources.iter().map(|counted| source_row(counted, limits)).collect(),
        splits: evaluation.splits.iter().map(split_row).collect(),
        overall: confusion(&evaluation.overall),
        labels: evaluation.labels.iter().map(|row| (row.label.clone(), confusion(&row.confusion))).collect(),
        misses: evaluation
            .misses
            .into_iter()
            .map(|miss| MissRow { row: miss.row, kind: miss.kind.token().to_owned() })
            .collect(),
        errors: evaluation.errors,
        guards: evaluation
            .times
            .into_iter()
            .map(|time| GuardTimeRow { guard: time.guard, looks: time.looks, micros: time.micros })
            .collect(),
    }
}

/// A recall below this is named with its reason, in millionths.
const LOW_RECALL: u32 = 400_000;

fn source_row(counted: &SourceCount, limits: &BTreeMap<String, String>) -> SourceMeasureRow {
    let why = limits.get(&counted.source.name).map_or("the data set gives no reason", String::as_str);
    let is_low = |count: &Confusion| count.recall().millionths().is_some_and(|recall| recall < LOW_RECALL);
    let low = counted.guards.iter().filter(|(_, count)| is_low(count));
    SourceMeasureRow {
        source: Some(counted.source.name.clone()),
        split: counted.source.split.token().to_owned(),
        guards: rows(&counted.guards),
        low_recall: low.map(|(guard, _)| (guard.clone(), why.to_owned())).collect(),
    }
}

fn split_row(counted: &SplitCount) -> SourceMeasureRow {
    let split = counted.split.token().to_owned();
    SourceMeasureRow { source: None, split, guards: rows(&counted.guards), low_recall: BTreeMap::new() }
}

fn rows(guards: &BTreeMap<String, Confusion>) -> BTreeMap<String, ConfusionRow> {
    guards.iter().map(|(guard, count)| (guard.clone(), confusion(count))).collect()
}

fn confusion(counted: &Confusion) -> ConfusionRow {
    let share = |ratio: Ratio| ratio.millionths().map(|millionths| Micros(u64::from(millionths)));
    ConfusionRow {
        true_positives: counted.true_positives,
        false_positives: counted.false_positives,
        true_negatives: counted.true_negatives,
        false_negatives: counted.false_negatives,
        precision: share(counted.precision()),
        recall: share(counted.recall()),
        f1: share(counted.f1()),
    }
}
