//! Why required checks stop, and the classes that reasons have. A class is for ever.

use premath_bd::StoreError;
use premath_wire::InputError;
use premath_wire::v1::RequiredReason;

use crate::table::ActionError;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequiredClass {
    RefUnknown,
    DeltaTooLarge,
    WorktreeDirty,
    WorktreeChanged,
    PolicyMissing,
    PolicyAmbiguous,
    PolicyInvalidJson,
    PolicyInvalidShape,
    PolicyInvalidDigest,
    PolicyChanged,
    WitnessMissing,
    WitnessInvalid,
    WitnessUnrecorded,
    RangeMismatch,
    DeltaMismatch,
    ProjectionMismatch,
    ExecutedMismatch,
    GateMissing,
    GateMismatch,
    OutputMissing,
    ResultMismatch,
    VerdictMismatch,
    DecisionMissing,
    DecisionInvalid,
    DecisionWitnessMismatch,
    DecisionMismatch,
}

impl RequiredClass {
    /// As it is written.
    pub(crate) const fn code(self) -> &'static str {
        match self {
            Self::RefUnknown => "required_ref_unknown",
            Self::DeltaTooLarge => "required_delta_too_large",
            Self::WorktreeDirty => "required_worktree_dirty",
            Self::WorktreeChanged => "required_worktree_changed",
            Self::PolicyMissing => "required_policy_missing",
            Self::PolicyAmbiguous => "required_policy_ambiguous",
            Self::PolicyInvalidJson => "required_policy_invalid_json",
            Self::PolicyInvalidShape => "required_policy_invalid_shape",
            Self::PolicyInvalidDigest => "required_policy_invalid_digest",
            Self::PolicyChanged => "required_policy_changed",
            Self::WitnessMissing => "required_witness_missing",
            Self::WitnessInvalid => "required_witness_invalid",
            Self::WitnessUnrecorded => "required_witness_unrecorded",
            Self::RangeMismatch => "required_range_mismatch",
            Self::DeltaMismatch => "required_delta_mismatch",
            Self::ProjectionMismatch => "required_projection_mismatch",
            Self::ExecutedMismatch => "required_executed_mismatch",
            Self::GateMissing => "required_gate_missing",
            Self::GateMismatch => "required_gate_mismatch",
            Self::OutputMissing => "required_output_missing",
            Self::ResultMismatch => "required_result_mismatch",
            Self::VerdictMismatch => "required_verdict_mismatch",
            Self::DecisionMissing => "required_decision_missing",
            Self::DecisionInvalid => "required_decision_invalid",
            Self::DecisionWitnessMismatch => "required_decision_witness_mismatch",
            Self::DecisionMismatch => "required_decision_mismatch",
        }
    }

    /// A reason of this class.
    pub(crate) fn about(self, subject: impl Into<String>, detail: impl Into<String>) -> RequiredReason {
        RequiredReason { class: self.code().to_owned(), subject: subject.into(), detail: detail.into() }
    }

    /// A refusal of this class.
    pub(crate) fn refuse(self, detail: impl Into<String>, hint: impl Into<String>) -> Stop {
        Stop::Refused(RequiredRefusal { class: self, detail: detail.into(), hint: hint.into() })
    }
}

/// Why there is no answer of the kind that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RequiredRefusal {
    pub(crate) class: RequiredClass,
    pub(crate) detail: String,
    pub(crate) hint: String,
}

/// A refusal, or an accident.
#[derive(Debug)]
pub(crate) enum Stop {
    Refused(RequiredRefusal),
    Failed(ActionError),
}

impl From<ActionError> for Stop {
    fn from(error: ActionError) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl From<InputError> for Stop {
    fn from(error: InputError) -> Self {
        Self::Failed(error.into())
    }
}

#[cfg(test)]
mod tests;
