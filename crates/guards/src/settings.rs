//! What the guards that are built in are told. Plain values with defaults; whoever reads files fills them in.

mod document;
#[cfg(test)]
mod tests;

use premath_tusk::policy::{GuardAction, GuardrailStage};

use crate::paths::PathSettings;
use crate::pii::PiiKinds;
use crate::size::SizeSettings;
use crate::urls::UrlSettings;

/// What a guard does about what it finds, stage by stage. At a stage without an action it does not look.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageActions {
    /// Before anything runs.
    pub pre_flight: Option<GuardAction>,
    /// At what goes in.
    pub input: Option<GuardAction>,
    /// At what comes out.
    pub output: Option<GuardAction>,
}

impl StageActions {
    /// Nowhere.
    pub const NONE: Self = Self { pre_flight: None, input: None, output: None };

    /// The action at a stage.
    #[must_use]
    pub const fn at(&self, stage: GuardrailStage) -> Option<GuardAction> {
        match stage {
            GuardrailStage::PreFlight => self.pre_flight,
            GuardrailStage::Input => self.input,
            GuardrailStage::Output => self.output,
        }
    }

    /// The stages that have one.
    #[must_use]
    pub fn stages(&self) -> Vec<GuardrailStage> {
        GuardrailStage::ALL.into_iter().filter(|stage| self.at(*stage).is_some()).collect()
    }
}

/// How personal data is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PiiSettings {
    /// What is done, and when.
    pub actions: StageActions,
    /// Which kinds.
    pub kinds: PiiKinds,
}

impl Default for PiiSettings {
    fn default() -> Self {
        let redact = Some(GuardAction::Redact);
        let flag = Some(GuardAction::Flag);
        Self {
            actions: StageActions { input: flag, output: redact, ..StageActions::NONE },
            kinds: PiiKinds::default(),
        }
    }
}

/// What the guards that are built in are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardSettings {
    /// Secrets: arguments that carry one are blocked, results lose theirs.
    pub secrets: StageActions,
    /// Personal data: nothing, unless it is said what.
    pub pii: Option<PiiSettings>,
    /// Texts that give orders: flagged on their way in and out.
    pub injection: StageActions,
    /// Hosts: no list, no guard.
    pub urls: Option<UrlSettings>,
    /// Paths: no list, no guard.
    pub paths: Option<PathSettings>,
    /// Size and depth of arguments.
    pub size: Option<SizeSettings>,
}

impl Default for GuardSettings {
    fn default() -> Self {
        let block = Some(GuardAction::Block);
        let flag = Some(GuardAction::Flag);
        let redact = Some(GuardAction::Redact);
        Self {
            secrets: StageActions { input: block, output: redact, ..StageActions::NONE },
            pii: None,
            injection: StageActions { input: flag, output: flag, ..StageActions::NONE },
            urls: None,
            paths: None,
            size: Some(SizeSettings::default()),
        }
    }
}

/// Settings that no guard can be made of.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A pattern of paths is none.
    #[error("`{pattern}` is no pattern of paths")]
    PathPattern {
        /// The pattern.
        pattern: String,
    },
    /// What a package says about guards cannot be read.
    #[error("guardrails.json cannot be used: {what}")]
    Document {
        /// Why.
        what: String,
    },
    /// A list of hosts cannot be used.
    #[error("the list of hosts cannot be used")]
    UrlList,
}
