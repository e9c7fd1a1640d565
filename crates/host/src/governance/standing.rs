//! Whether the files below `policies/` are the package that must be in force, and the pin of it that turns carry.
//!
//! Two looks: [`PackageStanding::read`] compares the files with the log of promotions and costs the same however long the
//! audit log is; [`PackageStanding::read_recorded`] also holds that log against the audit log, and is for the beginning of a
//! run. It must not decide whether a turn closes: the kernel compares what the pin says.

use std::sync::Arc;

use premath_bd::{PolicyFiles, PolicyStore, StoreError};
use premath_kernel::{Digest, FailureClass, GOVERNANCE_CLAIM_ID, PolicyKind, Value};
use premath_tusk::policy::GovernancePin;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{PolicyFileDiff, PromotionEvidence, PromotionRow};
use serde_json::{Map, json};

use super::drift::{differences, sentence};
use super::evidence::promotion_evidence;
use crate::agent::RunRefused;
use crate::measured::{Recording, promotion_recording};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// How many files a refusal names.
const MOST_NAMED: usize = 3;

/// What makes a package the one that must be in force.
#[derive(Debug)]
enum Basis {
    /// Nothing was promoted: the package that comes with premath.
    Shipped,
    /// A promotion went back to the package that comes with premath.
    BackToShipped(Box<PromotionRow>),
    /// The newest promotion.
    Promoted(Box<PromotionRow>),
    /// A measurement put it into a scratch repository.
    Candidate,
}

/// The package that must be in force beside the files that are there.
#[derive(Debug)]
pub(crate) struct PackageStanding {
    basis: Basis,
    expected: Digest,
    bound: PolicyFiles,
    bound_digest: Digest,
    evidence: PromotionEvidence,
    /// Whether the log of promotions was changed by others.
    is_tampered: bool,
}

impl PackageStanding {
    /// Looks at the files and at the log of promotions.
    ///
    /// # Errors
    /// Either cannot be read.
    pub(crate) fn read(workspace: &Workspace) -> Result<Self, ActionError> {
        let store = store_of(workspace);
        let packages = &workspace.packages;
        let working = store.working_files()?;
        if let Some(candidate) = packages.candidate() {
            let bound = packages.resolve(&working).clone();
            return Ok(Self::of(Basis::Candidate, candidate.clone(), bound));
        }
        let basis = match store.history()?.pop().map(Box::new) {
            None => Basis::Shipped,
            Some(row) if row.package_digest == PolicyFiles::default().digest().as_str() => {
                Basis::BackToShipped(row)
            }
            Some(row) => Basis::Promoted(row),
        };
        let mut standing = match &basis {
            Basis::Promoted(row) => {
                let expected = Digest::claimed(&row.package_digest).ok_or_else(|| no_package(&store))?;
                let evidence = promotion_evidence(workspace, &store, row)?;
                Self { evidence, ..Self::of(basis, expected, working) }
            }
            Basis::Shipped | Basis::BackToShipped(_) | Basis::Candidate if working.is_empty() => {
                let digest = packages.shipped_digest();
                let bound = packages.shipped().clone();
                Self::with_digest(basis, digest.clone(), bound, digest.clone())
            }
            Basis::Shipped | Basis::BackToShipped(_) | Basis::Candidate => {
                Self::of(basis, packages.shipped_digest().clone(), packages.effective(&working))
            }
        };
        standing.is_tampered = store.is_log_tampered()?;
        Ok(standing)
    }

    fn of(basis: Basis, expected: Digest, bound: PolicyFiles) -> Self {
        let digest = bound.digest();
        Self::with_digest(basis, expected, bound, digest)
    }

    fn with_digest(basis: Basis, expected: Digest, bound: PolicyFiles, bound_digest: Digest) -> Self {
        let evidence = PromotionEvidence::default();
        Self { basis, expected, bound, bound_digest, evidence, is_tampered: false }
    }

    /// The same, where the audit log vouches for the newest promotion; why not, where it does not.
    ///
    /// # Errors
    /// A store cannot be read.
    pub(crate) fn read_recorded(workspace: &Workspace) -> Result<Result<Self, RunRefused>, ActionError> {
        let standing = Self::read(workspace)?;
        let row = match &standing.basis {
            Basis::Candidate => return Ok(Ok(standing)),
            Basis::Shipped => None,
            Basis::BackToShipped(row) | Basis::Promoted(row) => Some(row.as_ref()),
        };
        let detail = match promotion_recording(workspace, row)? {
            Recording::Agrees => return Ok(Ok(standing)),
            Recording::Differs(detail) => detail,
        };
        Ok(Err(RunRefused {
            class: FailureClass::PolicyPackageUnpinned.code().to_owned(),
            detail,
            hint: "`premath verify` says more; the next `premath policy promote` or `rollback` records again"
                .to_owned(),
        }))
    }

    /// Whether the files are the package that must be in force.
    pub(crate) fn is_sound(&self) -> bool {
        !self.is_tampered && self.expected == self.bound_digest
    }

    /// The digest of the files.
    pub(crate) const fn bound_digest(&self) -> &Digest {
        &self.bound_digest
    }

    /// How the package that must be in force is called.
    pub(crate) fn package_ref(&self) -> String {
        match &self.basis {
            Basis::Shipped | Basis::BackToShipped(_) => "policy://shipped".to_owned(),
            Basis::Promoted(_) => format!("policy://{}", self.expected),
            Basis::Candidate => format!("policy://candidate/{}", self.expected),
        }
    }

    /// The digest of the package that must be in force.
    pub(crate) const fn expected_digest(&self) -> &Digest {
        &self.expected
    }

    /// The files of the package that must be in force; none where its copy is gone.
    ///
    /// # Errors
    /// The copy cannot be read, or is not what it was.
    pub(crate) fn expected_files(&self, workspace: &Workspace) -> Result<Option<PolicyFiles>, ActionError> {
        Ok(match &self.basis {
            Basis::Shipped | Basis::BackToShipped(_) => Some(workspace.packages.shipped().clone()),
            Basis::Promoted(_) => store_of(workspace).kept(&self.expected)?,
            Basis::Candidate => Some(self.bound.clone()),
        })
    }

    /// Every file that differs from the package that must be in force; none where its copy is gone or damaged, which
    /// [`super::kept_copy_problems`] reports.
    ///
    /// # Errors
    /// The copy cannot be read.
    pub(crate) fn drift(&self, workspace: &Workspace) -> Result<Vec<PolicyFileDiff>, ActionError> {
        if self.expected == self.bound_digest {
            return Ok(Vec::new());
        }
        let expected = match self.expected_files(workspace) {
            Err(ActionError::Store(StoreError::Corrupt { .. })) => None,
            read => read?,
        };
        Ok(expected.map(|expected| differences(&expected, &self.bound)).unwrap_or_default())
    }

    /// Whether a promotion, a measurement or premath itself names the files.
    const fn is_pinned(&self) -> bool {
        !matches!(self.basis, Basis::Shipped)
    }

    /// Why nothing is changed under these files; none where they are the package that must be in force.
    ///
    /// # Errors
    /// As [`Self::expected_files`].
    pub(crate) fn refusal(&self, workspace: &Workspace) -> Result<Option<RunRefused>, ActionError> {
        if self.is_sound() {
            return Ok(None);
        }
        if self.is_tampered {
            return Ok(Some(RunRefused {
                class: FailureClass::PolicyPackageUnpinned.code().to_owned(),
                detail: "lines of `.premath/policy/promotions.jsonl` are gone or changed".to_owned(),
                hint: "`premath verify` says which; restore the file from git or a backup".to_owned(),
            }));
        }
        let drift = self.drift(workspace)?;
        let mut named: Vec<String> = drift.iter().take(MOST_NAMED).map(sentence).collect();
        if drift.len() > MOST_NAMED {
            named.push(format!("{} more", drift.len() - MOST_NAMED));
        }
        let what =
            if named.is_empty() { "the files under `policies/` differ".to_owned() } else { named.join(", ") };
        let promote =
            "`premath policy promote --from policies --eval REPORT --redteam REPORT` promotes these files";
        let (class, why, hint) = match &self.basis {
            Basis::Shipped => (
                FailureClass::PolicyPackageUnpinned,
                "nobody promoted these files".to_owned(),
                format!("{promote}; `premath policy draft NAME` is the place to edit"),
            ),
            Basis::Promoted(row) => (
                FailureClass::PolicyPackageMismatch,
                format!("promotion {} put {} into force", row.number, self.expected),
                format!(
                    "`premath policy diff` shows the lines; `premath policy rollback {}` puts the promoted files back, {promote}",
                    self.expected
                ),
            ),
            Basis::BackToShipped(row) => (
                FailureClass::PolicyPackageMismatch,
                format!("promotion {} went back to the package that comes with premath", row.number),
                format!(
                    "`premath policy diff` shows the lines; `premath policy rollback defaults` takes the files away, {promote}"
                ),
            ),
            Basis::Candidate => (
                FailureClass::PolicyPackageMismatch,
                format!("{} is measured here", self.expected),
                "measure again".to_owned(),
            ),
        };
        Ok(Some(RunRefused { class: class.code().to_owned(), detail: format!("{what}; {why}"), hint }))
    }

    /// The pin that turns carry.
    ///
    /// # Errors
    /// `Unwritable` never in practice: the documents are our own.
    pub(crate) fn pin(&self) -> Result<GovernancePin, ActionError> {
        let mut profile = Map::new();
        profile.insert("claimId".to_owned(), json!(GOVERNANCE_CLAIM_ID));
        profile.insert("claimed".to_owned(), json!(true));
        let provenance = json!({
            "pinned": !self.is_tampered && (self.is_pinned() || self.is_sound()),
            "packageRef": self.package_ref(),
            "expectedDigest": self.expected.as_str(),
            "boundDigest": self.bound_digest().as_str(),
        });
        profile.insert("policyProvenance".to_owned(), provenance);
        let mut gates = Vec::new();
        if let Basis::Promoted(_) = &self.basis {
            self.measured(&mut profile, &mut gates)?;
        }
        Ok(GovernancePin {
            package: self.bound.describe(),
            profile: as_value(&serde_json::Value::Object(profile))?,
            gates,
        })
    }

    /// Adds what the promotion was admitted on. Both gates are declared whatever was found: what is missing is refused.
    fn measured(
        &self,
        profile: &mut Map<String, serde_json::Value>,
        gates: &mut Vec<(PolicyKind, Value<'static>)>,
    ) -> Result<(), ActionError> {
        let nothing = || as_value(&json!({}));
        match &self.evidence.evaluation {
            Some(found) => {
                let metrics = json!({"precision": found.precision, "recall": found.recall, "f1": found.f1});
                // A promotion is admitted only where the evaluation passed; the kernel holds the figures against the gate.
                profile.insert("evalGate".to_owned(), json!({"passed": true, "metrics": metrics}));
                let lineage = json!({
                    "datasetLineageRef": found.dataset_lineage_ref,
                    "graderConfigLineageRef": found.grader_config_lineage_ref,
                    "metricThresholdsRef": found.metric_thresholds_ref,
                });
                profile.insert("evalEvidence".to_owned(), lineage);
                gates.push((PolicyKind::EvalGate, found.gate.0.clone()));
                let document = json!({
                    "profileId": format!("eval://{}", found.report_ref),
                    "datasetLineageRef": found.dataset_lineage_ref,
                    "graderConfigLineageRef": found.grader_config_lineage_ref,
                });
                gates.push((PolicyKind::EvalProfile, as_value(&document)?));
            }
            None => gates.push((PolicyKind::EvalGate, nothing()?)),
        }
        match &self.evidence.red_team {
            Some(found) => {
                let report = json!({
                    "probes": found.probes, "failures": found.failures, "reportRef": found.report_ref,
                });
                profile.insert("redTeam".to_owned(), report);
                gates.push((PolicyKind::RedTeam, found.gate.0.clone()));
            }
            None => gates.push((PolicyKind::RedTeam, as_value(&json!({"minProbes": 1}))?)),
        }
        Ok(())
    }
}

fn no_package(store: &PolicyStore) -> StoreError {
    StoreError::Corrupt {
        path: store.marker().with_file_name("promotions.jsonl"),
        detail: "its last row names no package".to_owned(),
    }
}

pub(super) fn store_of(workspace: &Workspace) -> PolicyStore {
    PolicyStore::new(Arc::clone(&workspace.disk), workspace.root.clone())
}

fn as_value(document: &serde_json::Value) -> Result<Value<'static>, ActionError> {
    Ok(parse(document.to_string().as_bytes(), Limits::default())?.into_owned())
}

/// Why nothing is changed in a repository on the strength of a turn; none where its policy package is in force.
///
/// # Errors
/// The package or the log of promotions cannot be read.
pub(crate) fn package_refusal(workspace: &Workspace) -> Result<Option<RunRefused>, ActionError> {
    PackageStanding::read(workspace)?.refusal(workspace)
}

/// Why no work begins in a repository: its policy package is not in force, or nobody recorded the promotion.
///
/// # Errors
/// As [`package_refusal`].
pub(crate) fn beginning_refusal(workspace: &Workspace) -> Result<Option<RunRefused>, ActionError> {
    match PackageStanding::read_recorded(workspace)? {
        Ok(standing) => standing.refusal(workspace),
        Err(refused) => Ok(Some(refused)),
    }
}

/// The same for a run that is bound to a package: the package must be in force still.
///
/// # Errors
/// As [`package_refusal`].
pub(crate) fn pinned_refusal(
    workspace: &Workspace,
    pinned: Option<&GovernancePin>,
) -> Result<Option<RunRefused>, ActionError> {
    let Some(pin) = pinned else {
        return Ok(Some(RunRefused {
            class: FailureClass::PolicyPackageUnpinned.code().to_owned(),
            detail: "the run began before runs were bound to a policy package".to_owned(),
            hint: "start a new run; `premath runs show` says how far this one got".to_owned(),
        }));
    };
    let standing = PackageStanding::read(workspace)?;
    if let Some(refused) = standing.refusal(workspace)? {
        return Ok(Some(refused));
    }
    let (then, now) = (pin.package_digest(), standing.bound_digest());
    Ok((then != *now).then(|| RunRefused {
        class: FailureClass::PolicyPackageMismatch.code().to_owned(),
        detail: format!("the run is bound to the policy package {then}, and {now} is in force"),
        hint: "start a new run under the package in force; `premath policy history` shows the change"
            .to_owned(),
    }))
}
