//! What stands in for rules that did not load: nothing runs. A repository with broken rules must not be one without rules.

use premath_kernel::{Digest, Value};
use premath_tusk::policy::{CallFacts, Evaluated, RuleInfo, Rules, Ruling};

use crate::decide::denial;
use crate::error::{LoadError, LoadErrors};

/// Denies everything, and says why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyAll {
    reason: String,
    errors: Vec<String>,
    digest: Digest,
}

impl DenyAll {
    /// Because a file could not be had.
    #[must_use]
    pub fn new(file: &str, why: &str) -> Self {
        Self::because(format!("the rules did not load: {file}: {why}"), Vec::new())
    }

    fn because(reason: String, mut errors: Vec<String>) -> Self {
        if errors.is_empty() {
            errors.push(reason.clone());
        }
        let digest = Digest::prefixed("pol1_", &Value::text_list(errors.iter().map(String::as_str)));
        Self { reason, errors, digest }
    }
}

impl From<&LoadErrors> for DenyAll {
    fn from(errors: &LoadErrors) -> Self {
        let reason = format!("the rules did not load: {errors}");
        Self::because(reason, errors.iter().map(LoadError::to_string).collect())
    }
}

impl Rules for DenyAll {
    fn decide(&self, _: &CallFacts<'_>) -> Ruling {
        denial(self.reason.clone(), Vec::new(), self.errors.clone())
    }

    fn explain(&self, _: &CallFacts<'_>) -> Vec<Evaluated> {
        Vec::new()
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn failures(&self) -> &[String] {
        &self.errors
    }
}
