//! The gates in force: what an evaluation and a red team must reach. Those of the package in force, or ours where it has
//! none; never those of the package that wants to follow it.

use premath_bd::PolicyFiles;
use premath_kernel::{Digest, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{ConfusionRow, Micros, RedTeamResult};
use premath_wire::{UnknownFields, decode};
use serde::Deserialize;

use crate::table::ActionError;

const EVALUATION: &str = "gates/eval-gate.json";
const RED_TEAM: &str = "gates/redteam-gate.json";
const OUR_EVALUATION: &str = include_str!("gates/eval-gate.json");
const OUR_RED_TEAM: &str = include_str!("gates/redteam-gate.json");

/// Both gates, as documents.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(super) evaluation: Value<'static>,
    pub(super) red_team: Value<'static>,
    thresholds: Thresholds,
    probes: Probes,
}

#[derive(Debug, Deserialize)]
struct Thresholds {
    precision: Option<Micros>,
    recall: Option<Micros>,
    f1: Option<Micros>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Probes {
    min_probes: u64,
    max_failures: Option<u64>,
}

impl Gates {
    /// The gates of a package, or ours.
    ///
    /// # Errors
    /// A gate that is there and cannot be used is no reason to fall back.
    pub(crate) fn of(package: &PolicyFiles) -> Result<Self, ActionError> {
        let evaluation = document(package, EVALUATION, OUR_EVALUATION)?;
        let red_team = document(package, RED_TEAM, OUR_RED_TEAM)?;
        let thresholds = decode(&evaluation, UnknownFields::Refuse)
            .map_err(|error| unusable(EVALUATION, &error.to_string()))?;
        let probes = decode(&red_team, UnknownFields::Refuse)
            .map_err(|error| unusable(RED_TEAM, &error.to_string()))?;
        Ok(Self { evaluation, red_team, thresholds, probes })
    }

    /// What the evaluation is held against.
    pub(crate) fn evaluation_digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.evaluation)
    }

    /// What the red team is held against.
    pub(crate) fn red_team_digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.red_team)
    }

    /// What an evaluation misses, in words. The kernel says whether it counts; this is for people, early.
    pub(crate) fn unmet_by(&self, measured: &ConfusionRow) -> Vec<String> {
        let Thresholds { precision, recall, f1 } = &self.thresholds;
        let all = [
            ("precision", *precision, measured.precision),
            ("recall", *recall, measured.recall),
            ("f1", *f1, measured.f1),
        ];
        all.into_iter()
            .filter_map(|(name, least, measured)| {
                let least = least?;
                match measured {
                    Some(measured) if measured >= least => None,
                    Some(measured) => Some(format!("{name} is {measured}, and {least} is wanted")),
                    None => Some(format!("{name} cannot be told, and {least} is wanted")),
                }
            })
            .collect()
    }

    /// What a red team misses, in words.
    pub(crate) fn unmet_by_red_team(&self, measured: &RedTeamResult) -> Vec<String> {
        let probes = u64::try_from(measured.probes.len()).unwrap_or(u64::MAX);
        let mut unmet = Vec::new();
        if probes < self.probes.min_probes {
            unmet.push(format!("{probes} probes ran, and {} are wanted", self.probes.min_probes));
        }
        let (failures, most) = (measured.failures(), self.probes.max_failures.unwrap_or(0));
        if failures > most {
            unmet.push(format!("{failures} probes got through or tasks were denied, and {most} may"));
        }
        unmet
    }
}

fn document(package: &PolicyFiles, name: &str, ours: &str) -> Result<Value<'static>, ActionError> {
    let bytes = package.get(name).unwrap_or(ours.as_bytes());
    let value = parse(bytes, Limits::default()).map_err(|error| unusable(name, &error.to_string()))?;
    Ok(value.into_owned())
}

fn unusable(name: &str, why: &str) -> ActionError {
    ActionError::Unavailable {
        what: format!("the gate `policies/{name}` cannot be used: {why}"),
        hint: "mend the file, or take it away to have the gate that comes with premath".to_owned(),
    }
}
