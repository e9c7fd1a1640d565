//! Guardrails: what looks at calls and results on their way in and out, built in or outside, and the redactor.
//!
//! A guard says what it found or why it could not look; that it could not is a denial, which `premath_tusk::policy::Guards` makes
//! of it.
//! Nothing here may decide what happens to a call, read a file, or let a secret into an error, a finding or a report.

mod built_in;
mod evaluation;
mod external;
mod injection;
mod paths;
mod pii;
mod quoted;
mod redact;
mod secrets;
mod settings;
mod size;
mod urls;

pub use built_in::built_in;
pub use evaluation::{
    Confusion, DatasetError, Evaluation, GuardTime, LabelRow, Miss, MissKind, Ratio, Row, RowSource,
    SourceCount, Split, SplitCount, evaluate, read_dataset, read_source_limits,
};
pub use external::{
    CommandGuard, CommandGuardSettings, GuardNetwork, HttpGuard, HttpGuardError, HttpGuardSettings, McpGuard,
    McpGuardSettings,
};
pub use paths::PathSettings;
pub use pii::PiiKinds;
pub use redact::{Redacted, Redactor, replace};
pub use settings::{GuardSettings, PiiSettings, SettingsError, StageActions};
pub use size::SizeSettings;
pub use urls::UrlSettings;

/// The labels of every kind of secret that is known, sorted.
#[must_use]
pub fn secret_labels() -> Vec<&'static str> {
    secrets::labels()
}
