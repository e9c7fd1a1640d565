//! `models`, `ask` and `model-server`, as they are typed.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// Arguments of `models`.
#[derive(Debug, Args)]
pub(crate) struct ModelsArgs {
    /// Ask each provider whether it is there
    #[arg(long)]
    pub(crate) check: bool,
    /// List every known price [default: those of the default models and of the configuration]
    #[arg(long)]
    pub(crate) prices: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `ask`.
#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// The question; - reads standard input
    pub(crate) prompt: String,
    /// The model, as `provider:model`; given again, the next to try when one does not answer
    #[arg(long, short, value_name = "REF")]
    pub(crate) model: Vec<String>,
    /// What the model is told before the question
    #[arg(long, value_name = "TEXT")]
    pub(crate) system: Option<String>,
    /// Print the answer as it comes; with --json, one event per line and the answer last
    #[arg(long)]
    pub(crate) stream: bool,
    /// The most tokens of the answer
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=9_007_199_254_740_991))]
    pub(crate) max_tokens: Option<u64>,
    /// How much the model may think first
    #[arg(long)]
    pub(crate) reasoning: Option<Effort>,
    /// Keep what was sent and answered in this file, without keys; `replay:FILE` as the model answers from it
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// How much a model may think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Effort {
    /// A little
    Low,
    /// Some
    Medium,
    /// Much
    High,
}

impl Effort {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// Arguments of `model-server`.
#[derive(Debug, Args)]
pub(crate) struct ModelServerArgs {
    /// The scenario to play
    #[arg(long, value_name = "FILE")]
    pub(crate) scenario: PathBuf,
    /// The port on the loopback address; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    pub(crate) port: u16,
    /// Print one JSON object per line: first the address, then each request
    #[arg(long)]
    pub(crate) json: bool,
}
