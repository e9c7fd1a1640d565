//! The harness lanes of a repository: session, feature ledger, trajectory and the figure made of it.
//!
//! Documents are read field by field so that damage is named by its path; what a document holds beyond these fields is
//! kept by whoever rewrites it. Must not normalise or decide anything.

mod feature;
mod kpi;
mod session;
mod trajectory;

pub use feature::{
    FEATURE_LEDGER_KIND, FeatureAnswer, FeatureCheckAnswer, FeatureLedger, FeatureNextAnswer, FeatureReason,
    FeatureRow, FeatureWriteAnswer,
};
pub use kpi::{
    KPI_KIND, KpiAnswer, KpiCounts, KpiDecisionRow, KpiPoint, KpiRatios, KpiThresholds, KpiWindow, Micros,
    REMEDIATION_KIND, RemediateAnswer, RemediationRow,
};
pub use session::{
    BOOTSTRAP_KIND, BootstrapAnswer, BootstrapMode, SESSION_KIND, SessionAnswer, SessionDocument,
    SessionState,
};
pub use trajectory::{
    FailureGroup, LineWarning, PROJECTION_KIND, ProjectionMode, STEP_KIND, StepAnswer, StepRow,
    TrajectoryProjection,
};
