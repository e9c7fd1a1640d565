//! `conformance.run`: every vector against this build.
//!
//! A vector is a case and what is expected of it; another implementation can run the same files. Must not read files:
//! cases come from a [`VectorSource`].

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{FailureClass, Strictness, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{ConformanceReport, Expectation, ExpectedReason, VectorCommand, VectorOutcome};
use premath_wire::{InputError, UnknownFields, decode};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::arguments;
use super::{governance_check, join_check};
use crate::table::{ActionError, Answer, Host};

/// One vector, unread.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its path below the vectors, for example `harness-typestate/golden/single_call_accept`.
    pub name: String,
    /// `case.json`
    pub case: Vec<u8>,
    /// `expect.json`
    pub expect: Vec<u8>,
}

/// Where vectors come from.
pub trait VectorSource: std::fmt::Debug + Sync {
    /// Every vector, sorted by name.
    ///
    /// # Errors
    /// When they cannot be read.
    fn cases(&self) -> Result<Vec<Case>, SourceError>;
}

/// No vectors at all.
#[derive(Debug)]
pub(crate) struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Err(SourceError::Empty)
    }
}

/// Vectors that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// A file or folder that cannot be read.
    #[error("cannot read `{place}`")]
    Unreadable {
        /// Which.
        place: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A folder without vectors.
    #[error("there are no vectors")]
    Empty,
    /// A suite that does not exist.
    #[error("there is no suite `{suite}`")]
    UnknownSuite {
        /// What was asked for.
        suite: String,
        /// What there is.
        known: Vec<String>,
    },
}

/// What one case gave.
#[derive(Debug, Default)]
struct Found {
    exit_code: u8,
    result: Option<String>,
    classes: Vec<String>,
    reasons: BTreeSet<ExpectedReason>,
    join_closed: Option<bool>,
    mutation_ready: Option<bool>,
    digests: BTreeMap<String, String>,
    error: Option<InputError>,
}

/// Runs every case of `source`, or those of one suite.
///
/// # Errors
/// When the cases cannot be read.
pub fn run(source: &dyn VectorSource, suite: Option<&str>) -> Result<ConformanceReport, SourceError> {
    let mut cases = source.cases()?;
    if cases.is_empty() {
        return Err(SourceError::Empty);
    }
    if let Some(suite) = suite {
        let suite_of = |case: &Case| case.name.split('/').next().unwrap_or_default().to_owned();
        let known: BTreeSet<String> = cases.iter().map(suite_of).collect();
        cases.retain(|case| suite_of(case) == suite);
        if cases.is_empty() {
            return Err(SourceError::UnknownSuite {
                suite: suite.to_owned(),
                known: known.into_iter().collect(),
            });
        }
    }
    Ok(report(&cases, suite.is_none()))
}

fn report(cases: &[Case], is_whole: bool) -> ConformanceReport {
    let mut expectations = BTreeMap::new();
    let mut failures = Vec::new();
    let mut found = BTreeMap::new();
    for case in cases {
        match expectation(&case.expect) {
            Ok(expectation) => {
                found.insert(case.name.as_str(), find(&case.case, &expectation));
                expectations.insert(case.name.as_str(), expectation);
            }
            Err(error) => {
                let differences = vec![format!("expect.json: {error}")];
                failures.push(VectorOutcome { name: case.name.clone(), differences });
            }
        }
    }
    let mut covered = BTreeSet::new();
    for (name, expectation) in &expectations {
        let Some(own) = found.get(name) else { continue };
        let mut differences = compare(expectation, own);
        differences.extend(relations(expectation, own, &found, is_whole));
        covered.extend(expectation.covers.iter().map(String::as_str));
        if !differences.is_empty() {
            failures.push(VectorOutcome { name: (*name).to_owned(), differences });
        }
    }
    failures.sort_by(|left, right| left.name.cmp(&right.name));
    let codes = FailureClass::ALL.iter().map(|class| class.code());
    let uncovered: Vec<&str> = codes.filter(|code| is_whole && !covered.contains(code)).collect();
    let is_accepted = failures.is_empty() && uncovered.is_empty();
    ConformanceReport {
        action: "conformance-run",
        result: if is_accepted { "accepted" } else { "rejected" },
        passed: cases.len() - failures.len(),
        failed: failures.len(),
        uncovered_classes: uncovered,
        failures,
    }
}

fn expectation(bytes: &[u8]) -> Result<Expectation, InputError> {
    // A misspelt expectation would pin nothing.
    decode(&parse(bytes, Limits::default())?, UnknownFields::Refuse)
}

fn find(case: &[u8], expectation: &Expectation) -> Found {
    let strictness = if expectation.strict { Strictness::Strict } else { Strictness::Lenient };
    let answer = match expectation.command {
        VectorCommand::GovernanceCheck => governance_check::run(case, strictness).map(|checked| {
            let refusal = checked.refusal.as_ref();
            Found { exit_code: u8::from(refusal.is_some()), ..refused(refusal) }
        }),
        VectorCommand::HarnessJoinCheck => {
            join_check::run(case, strictness).map(|checked| found_turn(&checked))
        }
    };
    answer.unwrap_or_else(|error| Found { exit_code: 2, error: Some(error), ..Found::default() })
}

fn refused(refusal: Option<&premath_kernel::Refusal>) -> Found {
    let reasons = refusal.map(premath_kernel::Refusal::reasons).unwrap_or_default();
    Found {
        result: Some(if refusal.is_none() { "accepted" } else { "rejected" }.to_owned()),
        classes: join_check::classes(refusal),
        reasons: reasons
            .iter()
            .map(|reason| ExpectedReason {
                class: reason.class.code().to_owned(),
                subject: reason.subject.clone(),
            })
            .collect(),
        ..Found::default()
    }
}

fn found_turn(checked: &join_check::JoinChecked) -> Found {
    let assessment = &checked.assessment;
    let digests = checked.turn.digests().canonical();
    let texts = digests.as_object().into_iter().flat_map(premath_kernel::Object::iter);
    Found {
        exit_code: u8::from(assessment.refusal().is_some()),
        join_closed: Some(assessment.join_closed()),
        mutation_ready: assessment.mutation_ready(),
        digests: texts
            .filter_map(|(key, value)| Some((key.to_owned(), Value::as_text(value)?.to_owned())))
            .collect(),
        ..refused(assessment.refusal())
    }
}

/// What differs between what was expected and what was found.
fn compare(expected: &Expectation, found: &Found) -> Vec<String> {
    let mut differences = Vec::new();
    let mut differs = |what: &str, expected: String, found: String| {
        if expected != found {
            differences.push(format!("{what}: expected {expected}, found {found}"));
        }
    };
    differs("exit code", expected.exit_code.to_string(), found.exit_code.to_string());
    differs("result", format!("{:?}", expected.result), format!("{:?}", found.result));
    differs("failure classes", format!("{:?}", expected.failure_classes), format!("{:?}", found.classes));
    if let Some(reasons) = &expected.reasons {
        let reasons: BTreeSet<ExpectedReason> = reasons.iter().cloned().collect();
        differs("reasons", pairs(&reasons), pairs(&found.reasons));
    }
    if expected.join_closed.is_some() {
        differs("joinClosed", format!("{:?}", expected.join_closed), format!("{:?}", found.join_closed));
        differs(
            "mutationReady",
            format!("{:?}", expected.mutation_ready),
            format!("{:?}", found.mutation_ready),
        );
    }
    for (name, digest) in expected.digests.iter().flatten() {
        differs(name, digest.clone(), found.digests.get(name).cloned().unwrap_or_default());
    }
    if let Some(error) = &expected.error {
        let (class, path) =
            found.error.as_ref().map(|error| (error.class.code(), error.path.to_string())).unzip();
        if let Some(expected) = &error.class {
            differs("error class", expected.clone(), class.unwrap_or("none").to_owned());
        }
        if let Some(expected) = &error.path {
            differs("error path", expected.clone(), path.unwrap_or_default());
        }
    }
    differences
}

fn pairs(reasons: &BTreeSet<ExpectedReason>) -> String {
    let pairs: Vec<String> =
        reasons.iter().map(|reason| format!("{} {}", reason.class, reason.subject)).collect();
    format!("[{}]", pairs.join(", "))
}

/// What a vector says about other vectors and about the classes it is there for.
fn relations(
    expected: &Expectation,
    own: &Found,
    all: &BTreeMap<&str, Found>,
    is_whole: bool,
) -> Vec<String> {
    let mut differences = Vec::new();
    if let Some(other) = &expected.same_digests_as {
        match all.get(other.as_str()) {
            Some(found) if found.digests != own.digests => {
                differences.push(format!("digests differ from {other}"))
            }
            None if is_whole => differences.push(format!("there is no vector {other}")),
            Some(_) | None => {}
        }
    }
    if let Some(neighbour) = &expected.neighbour
        && is_whole
        && all.get(neighbour.as_str()).is_none_or(|found| found.exit_code != 0)
    {
        differences.push(format!("neighbour {neighbour} is not accepted"));
    }
    for class in expected.covers.iter().filter(|class| !own.classes.contains(class)) {
        differences.push(format!("covers {class}, but does not trigger it"));
    }
    differences
}

/// What it takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct SuiteArgs {
    /// Only the vectors of this suite.
    suite: Option<String>,
}

/// `conformance.run`
pub(crate) fn call(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: SuiteArgs = arguments(args)?;
    let report = run(host.vectors, args.suite.as_deref())?;
    Answer::new(report.result, &report)
}
