//! Policy: what a call may do, who must be asked, what looks at it on its way in and out.
//!
//! The order is `governor(sensor(compact(execute)))`: the governor decides first, and what it blocks nobody else sees run.
//! Whatever fails in here denies (I9). It must not run a tool, and must not name a rule engine or a detector: those
//! implement [`Rules`] and [`Guard`].

mod effective;
mod error;
mod governor;
mod guard;
mod guarding;
mod judgement;
mod pin;
mod redaction;
mod risk;
mod rules;
mod sensor;
mod subject;

pub use effective::{ApprovedPlan, EffectiveScopes, Observability, PlannedStep, RunPolicy};
pub use error::{PolicyCode, PolicyError};
pub use governor::{GovernedCall, Governor};
pub use guard::{
    Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, PLACEHOLDER_FINDING,
    SelfTestFailure, Span,
};
pub use guarding::{Guards, Look, Looked, Micros, take_out};
pub use judgement::{CallJudgement, GuardRow, Judged};
pub use pin::GovernancePin;
pub use redaction::{Redaction, RemovedText, SecretOrigin, SecretPlace};
pub use risk::{ControlProfile, RiskTier};
pub use rules::{Effect, Evaluated, RuleInfo, Rules, Ruling};
pub use sensor::SensorTrace;
pub use subject::{CallFacts, Origin, Principal, RunFacts, Target};
