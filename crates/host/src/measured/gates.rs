//! The gates in force: what an evaluation and a red team must reach. Those of the package in force, or ours where it has
//! none; never those of the package that wants to follow it, which may bring stricter ones and no milder.

#[cfg(test)]
mod tests;

use premath_bd::PolicyFiles;
use premath_kernel::{Digest, Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{ConfusionRow, GuardrailsResult, Micros, RedTeamResult};
use premath_wire::{UnknownFields, decode};
use serde::Deserialize;

use crate::table::ActionError;

const EVALUATION: &str = "gates/eval-gate.json";
const RED_TEAM: &str = "gates/redteam-gate.json";
const OUR_EVALUATION: &str = include_str!("gates/eval-gate.json");
const OUR_RED_TEAM: &str = include_str!("gates/redteam-gate.json");

/// The gates that come with premath, as files of a package.
pub(crate) fn shipped_gates() -> impl Iterator<Item = (&'static str, &'static str)> {
    [(EVALUATION, OUR_EVALUATION), (RED_TEAM, OUR_RED_TEAM)].into_iter()
}

/// Both gates, as documents.
#[derive(Debug)]
pub(crate) struct Gates {
    pub(super) evaluation: Value<'static>,
    pub(super) red_team: Value<'static>,
    thresholds: Thresholds,
    probes: Probes,
}

/// What an evaluation must reach, and of how many rows it must be. What is not said of rows is as in ours.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Thresholds {
    precision: Option<Micros>,
    recall: Option<Micros>,
    f1: Option<Micros>,
    #[serde(default = "our_rows")]
    min_rows: u64,
    #[serde(default = "our_side")]
    min_positive: u64,
    #[serde(default = "our_side")]
    min_negative: u64,
}

/// The fewest rows that say anything.
const fn our_rows() -> u64 {
    100
}

/// The fewest of them in which something is, and in which nothing is.
const fn our_side() -> u64 {
    40
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Probes {
    min_probes: u64,
    max_failures: Option<u64>,
}

/// A gate that a package brings and that is milder than it may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Milder {
    /// The file of the gate, from the folder of the package.
    pub(crate) gate: &'static str,
    /// What is milder, in words.
    pub(crate) detail: String,
}

impl Milder {
    /// Whether it is the gate of the red team.
    pub(crate) fn is_about_red_team(&self) -> bool {
        self.gate == RED_TEAM
    }
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

    /// The gates that come with premath.
    ///
    /// # Errors
    /// They cannot be used.
    pub(crate) fn ours() -> Result<Self, ActionError> {
        Self::of(&PolicyFiles::default())
    }

    /// The thresholds alone: what the kernel holds figures against. It knows nothing of rows.
    pub(crate) fn thresholds(&self) -> Value<'static> {
        let own = |name: &str| self.evaluation.as_object().and_then(|gate| gate.get(name)).cloned();
        let mut fields = Object::fields();
        for name in ["f1", "precision", "recall"] {
            if let Some(value) = own(name) {
                fields = fields.field(name, value.into_owned());
            }
        }
        fields.finish().into_owned()
    }

    /// What the evaluation is held against.
    pub(crate) fn evaluation_digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.evaluation)
    }

    /// What the red team is held against.
    pub(crate) fn red_team_digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.red_team)
    }

    /// What an evaluation misses, in words. The kernel says whether the figures count; this is for people, early.
    pub(crate) fn unmet_by(&self, measured: &ConfusionRow) -> Vec<String> {
        let Thresholds { precision, recall, f1, .. } = &self.thresholds;
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

    /// What the data of an evaluation miss, in words: figures from a handful of rows say nothing, and those of a guard for
    /// which no row was made say nothing about it.
    pub(crate) fn unmet_by_data(&self, measured: &GuardrailsResult) -> Vec<String> {
        let Thresholds { min_rows, min_positive, min_negative, .. } = &self.thresholds;
        let all = &measured.overall;
        let positive = all.true_positives.saturating_add(all.false_negatives);
        let negative = all.true_negatives.saturating_add(all.false_positives);
        let wanted = [
            (positive.saturating_add(negative), *min_rows, "rows"),
            (positive, *min_positive, "rows with something to find"),
            (negative, *min_negative, "rows with nothing to find"),
        ];
        let mut unmet: Vec<String> = wanted
            .into_iter()
            .filter(|(there, least, _)| there < least)
            .map(|(there, least, what)| format!("the data have {there} {what}, and {least} are wanted"))
            .collect();
        let is_expected = |guard: &str| {
            let row = measured.labels.get(guard);
            row.is_some_and(|row| row.true_positives.saturating_add(row.false_negatives) > 0)
        };
        let unseen = measured.guards.iter().filter(|guard| !is_expected(&guard.guard));
        unmet.extend(unseen.map(|guard| format!("no row has anything for the guard `{}`", guard.guard)));
        unmet
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

    /// What of these gates is milder than the same of others, member by member.
    pub(crate) fn milder_than(&self, others: &Self, whose: &str) -> Vec<Milder> {
        let (own, other) = (&self.thresholds, &others.thresholds);
        let shares = [
            ("precision", own.precision, other.precision),
            ("recall", own.recall, other.recall),
            ("f1", own.f1, other.f1),
        ];
        let mut milder = Vec::new();
        let mut note = |gate: &'static str, name: &str, own: String, other: String| {
            let detail = format!("{name} is {own}, and {other} {whose}");
            milder.push(Milder { gate, detail });
        };
        for (name, own, other) in shares {
            let Some(other) = other else { continue };
            match own {
                Some(own) if own >= other => {}
                Some(own) => note(EVALUATION, name, own.to_string(), other.to_string()),
                None => note(EVALUATION, name, "not wanted at all".to_owned(), other.to_string()),
            }
        }
        let (own_probes, other_probes) = (&self.probes, &others.probes);
        let counts = [
            (EVALUATION, "minRows", own.min_rows, other.min_rows),
            (EVALUATION, "minPositive", own.min_positive, other.min_positive),
            (EVALUATION, "minNegative", own.min_negative, other.min_negative),
            (RED_TEAM, "minProbes", own_probes.min_probes, other_probes.min_probes),
        ];
        for (gate, name, own, other) in counts.into_iter().filter(|(.., own, other)| own < other) {
            note(gate, name, own.to_string(), other.to_string());
        }
        let most = |probes: &Probes| probes.max_failures.unwrap_or(0);
        if most(own_probes) > most(other_probes) {
            note(RED_TEAM, "maxFailures", most(own_probes).to_string(), most(other_probes).to_string());
        }
        milder
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
