//! Version 1 of every shape on the wire. Fields may be added as optional; anything else is a new version.

mod call_spec;
mod constraints;
mod context;
mod effect;
mod evidence;
mod explanation;
mod governance;
mod handoff;
mod input;
mod policy;
mod report;
mod request;
mod result;
mod row;
mod scalar;
mod schemas;
mod vector;

pub use effect::{HOST_EFFECT_SCHEMA, HostEffect};
pub use explanation::Explanation;
pub use input::{GovernanceInput, JoinCheck, TurnInput};
pub use policy::PolicyDocuments;
pub use report::{GovernanceReport, JoinCheckReport, NormalizedTurn, ReasonRow, WitnessRecord};
pub use schemas::{SCHEMA_NAMES, schema};
pub use vector::{
    ConformanceReport, Expectation, ExpectedError, ExpectedReason, VectorCommand, VectorOutcome,
};

pub use call_spec::CallSpec;
pub use evidence::TurnEvidence;
