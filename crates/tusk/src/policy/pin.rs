//! The governance pin of a run: the policy package it is bound to and the measurements that package was promoted on, as
//! the documents that its turns carry.
//!
//! Whoever assembles a run computes it from the promotion record and the files. It must not be made from a caller's word,
//! and it decides nothing: the kernel compares what it says.

use premath_kernel::{Digest, GovernanceProfile, Object, PolicyKind, Strictness, Value};
use premath_wire::InputError;
use premath_wire::v1::GovernanceInput;

use crate::evidence::Unreadable;
use crate::evidence::row::{Row, unreadable};

/// The kinds of policy document that a promotion adds to a call spec.
const GATES: [PolicyKind; 3] = [PolicyKind::EvalGate, PolicyKind::EvalProfile, PolicyKind::RedTeam];

/// The policy package that a run is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GovernancePin {
    /// The package: every file by name and digest.
    pub package: Value<'static>,
    /// The governance profile, as it is on the wire, but for the guardrail stages of the run.
    pub profile: Value<'static>,
    /// The gates that the package was promoted under, by policy kind; empty for what comes with premath.
    pub gates: Vec<(PolicyKind, Value<'static>)>,
}

impl GovernancePin {
    /// The digest of the package.
    #[must_use]
    pub fn package_digest(&self) -> Digest {
        Digest::prefixed("pol1_", &self.package)
    }

    /// The profile as the kernel reads it.
    ///
    /// # Errors
    /// The first member that is not what it should be.
    pub fn kernel_profile(&self) -> Result<GovernanceProfile, InputError> {
        let input = Object::fields().field("governanceProfile", self.profile.clone()).finish();
        GovernanceInput::from_value(&input, Strictness::Strict).map(|(profile, _)| profile)
    }

    /// What the journal keeps.
    pub(crate) fn to_value(&self) -> Value<'_> {
        let gates = self
            .gates
            .iter()
            .fold(Object::fields(), |fields, (kind, document)| fields.field(kind.key(), document.clone()));
        let fields = Object::fields().field("package", self.package.clone());
        let fields = if self.gates.is_empty() { fields } else { fields.field("gates", gates.finish()) };
        fields.field("profile", self.profile.clone()).finish()
    }

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Unreadable> {
        let member =
            |name: &str| row.value(name).cloned().map(Value::into_owned).ok_or_else(|| unreadable(name));
        let mut gates = Vec::new();
        if let Some(documents) = row.optional_row("gates")? {
            for kind in GATES {
                gates.extend(documents.value(kind.key()).map(|found| (kind, found.clone().into_owned())));
            }
        }
        Ok(Self { package: member("package")?, profile: member("profile")?, gates })
    }
}
