//! Required checks, as they are typed: a range of commits, a policy, a witness, a decision.

use clap::Args;

use super::Format;

/// Arguments of `required-delta`.
#[derive(Debug, Args)]
pub(crate) struct DeltaArgs {
    /// The commit the range begins at
    #[arg(long, value_name = "COMMIT")]
    pub(crate) from: String,
    /// The commit it ends at
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub(crate) to: String,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of the commands that need a policy too.
#[derive(Debug, Args)]
pub(crate) struct RangeArgs {
    /// The commit the range begins at
    #[arg(long, value_name = "COMMIT")]
    pub(crate) from: String,
    /// The commit it ends at
    #[arg(long, value_name = "COMMIT", default_value = "HEAD")]
    pub(crate) to: String,
    /// The policy in policies/required, by name; needed when there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `required-witness-verify` and `required-witness-decide`.
#[derive(Debug, Args)]
pub(crate) struct WitnessArgs {
    /// The witness, when it is not artifacts/ciwitness/latest-required.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// Insist that its range begins at this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) from: Option<String>,
    /// Insist that its range ends at this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `required-decision-verify`.
#[derive(Debug, Args)]
pub(crate) struct DecisionArgs {
    /// The decision, when it is not artifacts/ciwitness/latest-decision.json
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    /// The witness it is about, when it is not artifacts/ciwitness/latest-required.json
    #[arg(long, value_name = "PATH")]
    pub(crate) witness: Option<String>,
    /// Insist that the range begins at this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) from: Option<String>,
    /// Insist that the range ends at this commit
    #[arg(long, value_name = "COMMIT")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `required-gate-ref`.
#[derive(Debug, Args)]
pub(crate) struct GateRefArgs {
    /// A check of the witness
    #[arg(long, value_name = "ID")]
    pub(crate) check: Option<String>,
    /// The witness, when it is not artifacts/ciwitness/latest-required.json
    #[arg(long, value_name = "PATH", requires = "check")]
    pub(crate) path: Option<String>,
    /// The file of an outcome
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    pub(crate) outcome: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}
