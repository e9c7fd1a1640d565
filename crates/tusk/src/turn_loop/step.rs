//! What a machine wants done next, as data. It must not do any of it.

use premath_bd::TurnGrant;
use premath_bd::desk::SECRET_USE;
use premath_kernel::SearchRef;

use super::watch::RunOutcome;
use crate::context::{CompactionArtifact, HandoffPacket};
use crate::evidence::{CallOutcome, ShellRow};
use crate::model::{ModelRequest, ToolCall};
use crate::policy::{CallJudgement, Effect};
use crate::tools::{Arguments, ToolKind};

/// What is to be done next. Exhaustive on purpose: a new step breaks every driver.
#[derive(Debug)]
pub enum Step<'m> {
    /// Ask a model.
    CallModel(Box<ModelCall>),
    /// Have policy look at an answer and its calls.
    Judge {
        /// What was said beside the calls.
        said: &'m str,
        /// The calls.
        calls: &'m [PlannedCall],
    },
    /// Have a person confirm the calls that policy asks about.
    Confirm(&'m [PlannedCall]),
    /// Have a person decide about a plan, and have it carried out.
    AwaitPlan(&'m str),
    /// Run the calls of an answer, or of a program.
    CallTools(&'m [PlannedCall]),
    /// Look at what a program came to, and store what is too long for a row.
    Keep {
        /// The call whose program it is.
        call: &'m PlannedCall,
        /// What it came to, whole.
        outcome: &'m CallOutcome,
    },
    /// Make the changes that were admitted.
    Apply(Vec<Admitted>),
    /// Run workers, all at once.
    Spawn(&'m [WorkerPlan]),
    /// Ask a person.
    AskHuman(&'m str),
    /// Store what is handed over, and look what is there.
    Handoff(&'m HandoffPacket),
    /// Store what a compaction kept and dropped.
    Compact(&'m CompactionArtifact),
    /// Nothing more.
    Done(&'m RunOutcome),
}

/// A question to a model.
#[derive(Debug)]
pub struct ModelCall {
    /// The turn.
    pub call_id: String,
    /// Which one, from 1.
    pub turn: u64,
    /// The request.
    pub request: ModelRequest,
}

/// A call of a turn, looked at before anything runs.
#[derive(Debug, Clone)]
pub struct PlannedCall {
    /// The call.
    pub call: ToolCall,
    /// When what it asks for happens.
    pub kind: ToolKind,
    /// Whether it may be made again when it was cut off.
    pub is_idempotent: bool,
    /// Its arguments, validated; none when it is not to run.
    pub arguments: Option<Arguments>,
    /// Where a command would run.
    pub shell: Option<ShellRow>,
    /// What comes of it without running it: why it is refused.
    pub refusal: Option<CallOutcome>,
    /// What policy says about it; none before it was asked.
    pub judged: Option<CallJudgement>,
    /// What a person agreed to: the approval, and the digest of the preview they saw.
    pub approval: Option<Approval>,
    /// The program that makes it; none when the answer does.
    pub caller: Option<ProgramCaller>,
    /// Where in the arguments they break their schema.
    pub(crate) schema_errors: Vec<String>,
    /// The search that found the tool, when it had to be found.
    pub(crate) search: Option<SearchRef>,
}

/// The program behind a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramCaller {
    /// The call whose program it is.
    pub parent: String,
    /// The calls that may run at the same time.
    pub group: String,
}

/// What a person agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// Which approval.
    pub id: String,
    /// The digest of the preview that was shown; none where there was none.
    pub preview: Option<String>,
}

impl PlannedCall {
    /// Whether a person has to agree before it runs.
    #[must_use]
    pub fn asks(&self) -> bool {
        let asks = self.judged.as_ref().is_some_and(|judged| judged.effect == Effect::Ask);
        asks && self.runs() && self.approval.is_none()
    }

    /// Whether a person is asked to let it use secrets.
    #[must_use]
    pub fn uses_secrets(&self) -> bool {
        let error = self.judged.as_ref().and_then(|judged| judged.error.as_ref());
        error.is_some_and(|error| error.policy_name == SECRET_USE)
    }

    /// Whether it runs.
    #[must_use]
    pub const fn runs(&self) -> bool {
        self.refusal.is_none()
    }

    /// What it comes to when its end was never seen.
    #[must_use]
    pub fn interrupted(&self) -> CallOutcome {
        if let Some(refusal) = &self.refusal {
            return refusal.clone();
        }
        let message = match self.kind {
            ToolKind::Read | ToolKind::Intent => "the run was interrupted before the call ended",
            ToolKind::Effect => {
                "the run was interrupted before the call ended; look at what is there before you try again"
            }
        };
        CallOutcome::failed(&self.call.id, "interrupted", self.is_idempotent, message)
    }
}

/// A change that may be made, or the reason why not.
#[derive(Debug)]
pub struct Admitted {
    /// The call that asked for it.
    pub tool_call_id: String,
    /// The action.
    pub action: String,
    /// The digest of the intent.
    pub intent_digest: String,
    /// The permit, or the class and the detail of the refusal.
    pub grant: Result<TurnGrant, (String, String)>,
}

/// A worker to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerPlan {
    /// The call that asked for it.
    pub tool_call_id: String,
    /// Its issue, which exists by now.
    pub issue_id: String,
    /// What it is called.
    pub title: String,
    /// What it is to do.
    pub task: String,
    /// Folders it may read; all when both lists are empty.
    pub read: Vec<String>,
    /// Folders it may write.
    pub write: Vec<String>,
    /// Files that must be there when it is done.
    pub artifacts: Vec<String>,
    /// Who does it; the run's own models when absent.
    pub model: Option<String>,
    /// How many turns it may take at most.
    pub max_turns: Option<u64>,
    /// Whether it is to judge, and not to make.
    pub judges: bool,
    /// What it works on: somebody else's words.
    pub material: Option<String>,
}
