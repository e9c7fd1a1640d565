//! The port to guardrails: what looks at texts on their way in and out.
//!
//! A guard that fails, hangs or is missing denies; that is its caller's to do, so a guard only says what it found or why it
//! could not look. It must not name a detector.

use std::fmt::Debug;
use std::ops::Range;

pub use premath_kernel::GuardrailStage;

/// What a guard looks at.
#[derive(Debug, Clone, Copy)]
pub struct GuardSubject<'s> {
    /// When.
    pub stage: GuardrailStage,
    /// The tool whose arguments or result it is; none for what a person or a model says.
    pub tool: Option<&'s str>,
    /// The text; for arguments, their JSON.
    pub text: &'s str,
    /// Paths that a call names, relative to the workdir.
    pub paths: &'s [String],
}

/// What is to be done about what a guard found, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GuardAction {
    /// Nothing but a note.
    Flag,
    /// What was found is replaced before anybody sees or keeps it.
    Redact,
    /// A person must be asked.
    Ask,
    /// The call does not run; the result is not shown.
    Block,
}

impl GuardAction {
    /// Every one of them.
    pub const ALL: [Self; 4] = [Self::Flag, Self::Redact, Self::Ask, Self::Block];

    /// The token in configuration and rows.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Redact => "redact",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

/// The label of a placeholder in arguments: whoever wrote it has taken it for the secret that it stands for.
pub const PLACEHOLDER_FINDING: &str = "redaction-placeholder";

/// A range of bytes of the text, on character boundaries.
pub type Span = Range<usize>;

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing: `aws-access-token`, `email`, `ignore-previous`.
    pub label: String,
    /// Where, when it is in the text.
    pub span: Option<Span>,
}

/// What a guard says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardReport {
    /// What was found; empty is clean.
    pub findings: Vec<Finding>,
    /// What it measured, in thousandths.
    pub score_millis: Option<u32>,
    /// What it measured against, in thousandths.
    pub threshold_millis: Option<u32>,
    /// The model or the program that was asked, with its version.
    pub model_ref: Option<String>,
}

impl GuardReport {
    /// Nothing found.
    #[must_use]
    pub const fn clean() -> Self {
        Self { findings: Vec::new(), score_millis: None, threshold_millis: None, model_ref: None }
    }

    /// Whether it fired: something was found, or the score reached the threshold.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        let reached = self.score_millis.zip(self.threshold_millis).is_some_and(|(score, most)| score >= most);
        reached || !self.findings.is_empty()
    }
}

/// Why a guard could not look. Every one of them denies.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GuardError {
    /// It did not answer in time.
    #[error("no answer within {millis} ms")]
    TimedOut {
        /// How long it was waited for.
        millis: u64,
    },
    /// It died, or could not be started or reached.
    #[error("{0}")]
    Unavailable(String),
    /// It answered something that cannot be read.
    #[error("{0}")]
    Unreadable(String),
}

impl GuardError {
    /// Machine-readable, for ever.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::TimedOut { .. } => "guard_timed_out",
            Self::Unavailable(_) => "guard_unavailable",
            Self::Unreadable(_) => "guard_unreadable",
        }
    }
}

/// A guard that does not do what it says it does: a sample it must find and did not, or the other way round.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{guard}` failed its self-test: {what}")]
pub struct SelfTestFailure {
    /// Which guard.
    pub guard: String,
    /// What went wrong; never quotes a secret.
    pub what: String,
}

/// Something that looks at texts.
pub trait Guard: Debug + Send + Sync {
    /// Its name, unique in a run.
    fn id(&self) -> &str;

    /// When it looks.
    fn stages(&self) -> &[GuardrailStage];

    /// What is to be done about what it finds at a stage.
    fn action(&self, stage: GuardrailStage) -> GuardAction;

    /// Looks. Blocks, at most as long as its deadline.
    ///
    /// # Errors
    /// It could not look. That is a denial.
    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError>;

    /// Looks at samples of its own, one it must find and one it must not.
    ///
    /// # Errors
    /// It does not do what it says; nothing may run past it.
    fn self_test(&self) -> Result<(), SelfTestFailure>;
}
