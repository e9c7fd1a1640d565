//! The port to other servers. Blocks until there is an answer, a deadline or an interruption.
//!
//! An implementation must not make a call whose definition is not the pinned one, and must not make a call twice unless its
//! tool is idempotent by our configuration.

use std::fmt::Debug;
use std::time::Duration;

use premath_kernel::Digest;
use serde_json::Value;

use super::definition::ForeignDefinition;
use super::server::ForeignServer;
use crate::sandbox::Interrupt;
use crate::tools::outcome::{Aftermath, ToolFailure};

/// One call.
#[derive(Debug, Clone, Copy)]
pub struct ForeignCall<'c> {
    /// The server, by name.
    pub server: &'c str,
    /// The tool, as the server calls it.
    pub tool: &'c str,
    /// Its arguments.
    pub arguments: &'c Value,
    /// What the definition must be: its pin.
    pub pin: &'c Digest,
    /// How long it may take; as the server's terms say when absent.
    pub deadline: Option<Duration>,
    /// The most bytes that are kept; as the server's terms say when absent.
    pub output_bytes: Option<u64>,
    /// Whether somebody asked for the end.
    pub interrupt: &'c Interrupt,
}

/// What a server answered: other people's words.
#[derive(Debug, Clone, PartialEq)]
pub struct ForeignAnswer {
    /// Its texts, and a line for everything that is none.
    pub text: String,
    /// Its structured content.
    pub structured: Option<Value>,
    /// Whether the server says that the call failed.
    pub is_error: bool,
    /// How many bytes of text there were in all.
    pub total_bytes: u64,
    /// How many bytes its structured content had, where it was too long to be kept; the text is its beginning then, if there
    /// is no other.
    pub lost_structured_bytes: u64,
    /// How many parts were pictures, sounds or links, and are only described.
    pub described: u64,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForeignError {
    /// No such server is configured.
    #[error("there is no server `{server}` in the configuration")]
    Unknown {
        /// Its name.
        server: String,
    },
    /// It could not be started or reached.
    #[error("the server cannot be reached: {why}")]
    Unreachable {
        /// Why, in our words.
        why: String,
        /// What it said on standard error, the end of it: its words.
        said: String,
    },
    /// It did not answer in time.
    #[error("the server did not answer within {seconds} seconds")]
    TimedOut {
        /// How long it had.
        seconds: u64,
        /// How far it said it was.
        progress: Option<String>,
    },
    /// It ended before it answered: nobody knows whether it did what was asked.
    #[error("the server ended before it answered; what was asked may have been done")]
    AnswerLost {
        /// What it said on standard error, the end of it.
        said: String,
    },
    /// Its answer is longer than anybody reads.
    #[error("the server sent more than {most} bytes at once")]
    TooLarge {
        /// What is read.
        most: u64,
    },
    /// It does not speak the protocol.
    #[error("the server does not keep to the protocol: {why}")]
    Protocol {
        /// How.
        why: String,
    },
    /// It refused the call.
    #[error("the server refused the call (code {code})")]
    Refused {
        /// The code of the protocol.
        code: i32,
        /// Its words.
        message: String,
    },
    /// It lists more than anybody approves.
    #[error("the server lists more than {what}")]
    TooMany {
        /// Which limit.
        what: &'static str,
    },
    /// The definition is not the one that was approved.
    #[error("the definition is not the one that was approved")]
    Drift {
        /// The pin of what is there now; none for a tool that is gone.
        found: Option<Digest>,
    },
    /// Somebody asked for the end.
    #[error("the call was interrupted")]
    Interrupted,
}

impl ForeignError {
    /// What the server itself said about it.
    #[must_use]
    pub fn said(&self) -> &str {
        match self {
            Self::Unreachable { said, .. } | Self::AnswerLost { said } => said,
            Self::Refused { message, .. } => message,
            Self::TimedOut { progress, .. } => progress.as_deref().unwrap_or_default(),
            Self::Unknown { .. }
            | Self::TooLarge { .. }
            | Self::Protocol { .. }
            | Self::TooMany { .. }
            | Self::Drift { .. }
            | Self::Interrupted => "",
        }
    }
}

impl From<ForeignError> for ToolFailure {
    fn from(error: ForeignError) -> Self {
        let (message, content) = (error.to_string(), error.said().to_owned());
        let failure = match error {
            ForeignError::Unknown { .. } | ForeignError::Unreachable { .. } => {
                Self::new("mcp.unreachable", message).retryable()
            }
            ForeignError::TimedOut { .. } => Self::new("mcp.timed_out", message),
            ForeignError::AnswerLost { .. } => Self::new("interrupted", message),
            ForeignError::TooLarge { .. } => Self::new("mcp.answer_too_large", message),
            ForeignError::Protocol { .. } | ForeignError::TooMany { .. } => {
                Self::new("mcp.protocol", message)
            }
            ForeignError::Refused { .. } => Self::new("mcp.refused", message),
            ForeignError::Drift { found } => {
                let now =
                    found.map_or_else(|| "it is gone".to_owned(), |digest| format!("it is {digest} now"));
                Self::new("tool_drift", format!("{message}: {now}; a person has to approve it"))
            }
            ForeignError::Interrupted => Self::interrupted(),
        };
        if content.is_empty() {
            failure
        } else {
            failure.with_aftermath(Aftermath { content, ..Aftermath::default() })
        }
    }
}

/// Other servers.
pub trait ForeignTools: Debug + Send + Sync {
    /// Those that are configured, by name.
    fn servers(&self) -> &[ForeignServer];

    /// Every tool that a server defines now; the server is started where it must be.
    ///
    /// # Errors
    /// Why there is no answer.
    fn list(&self, server: &str, interrupt: &Interrupt) -> Result<Vec<ForeignDefinition>, ForeignError>;

    /// Makes a call, after it has seen that the definition is the pinned one.
    ///
    /// # Errors
    /// Why there is no answer.
    fn call(&self, call: &ForeignCall<'_>) -> Result<ForeignAnswer, ForeignError>;

    /// The repository that approvals hold for: an absolute path.
    fn place(&self) -> String;
}

/// A place without other servers.
#[derive(Debug, Clone, Copy)]
pub struct NoForeignTools;

impl ForeignTools for NoForeignTools {
    fn servers(&self) -> &[ForeignServer] {
        &[]
    }

    fn list(&self, server: &str, _: &Interrupt) -> Result<Vec<ForeignDefinition>, ForeignError> {
        Err(ForeignError::Unknown { server: server.to_owned() })
    }

    fn call(&self, call: &ForeignCall<'_>) -> Result<ForeignAnswer, ForeignError> {
        Err(ForeignError::Unknown { server: call.server.to_owned() })
    }

    fn place(&self) -> String {
        String::new()
    }
}
