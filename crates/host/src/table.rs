//! The table itself: what each action is called, what it reads and answers, and whether it changes anything.

use premath_bd::{AuditReceipts, StoreError};
use premath_kernel::{Digest, Value};
use premath_wire::InputError;
use premath_wire::v1::{HOST_EFFECT_SCHEMA, HostEffect, RefusedAnswer, RefusedBecause};
use serde::Serialize;
use serde_json::value::RawValue;

use premath_tusk::sandbox::{Interrupt, Sandbox, SandboxError};

use crate::actions::conformance::{SourceError, VectorSource};
use crate::agent::AgentDoor;
use crate::authority::{EnvelopeFault, linked_record, named_instruction};
use crate::outside::{ModelDoor, ModelFailure};
use crate::recording::note_lane;
use crate::workspace::Workspace;

mod entries;
mod input;

pub use entries::ACTIONS;
pub(crate) use input::{Nothing, document_schema};

/// Whether an action changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// It only reads.
    Read,
    /// It writes a lane that is nobody's authority: sessions, ledgers, trajectories.
    Record,
    /// It changes issue memory, and needs a permit.
    Mutation,
    /// It reaches outside: a model that costs money, a process that a sandbox bounds. What it leaves in the repository is
    /// nobody's authority.
    Effect,
}

/// One host function.
#[derive(Debug)]
pub struct Action {
    /// `resource.verb`
    pub name: &'static str,
    /// The command that calls it.
    pub command: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it changes anything.
    pub door: Door,
    /// The schema of what it takes.
    pub input: fn() -> schemars::Schema,
    /// The schema of what it answers.
    pub output_schema: &'static str,
    call: fn(&Host<'_>, &Value<'_>) -> Result<Answer, ActionError>,
}

/// What an action answers.
#[derive(Debug)]
pub struct Answer {
    /// `accepted`, `rejected` or `ok`.
    pub result_class: String,
    /// The document that `--json` prints.
    pub payload: Box<RawValue>,
    /// Witnesses that the call emitted.
    pub witness_refs: Vec<String>,
    /// Why it was refused.
    pub failure_classes: Vec<String>,
    /// What the change is linked to.
    pub(crate) link: Option<Link>,
}

/// What a change is linked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The instruction.
    pub(crate) instruction_ref: String,
    /// The policy it was decided under.
    pub(crate) policy_digest: String,
    /// The witness of the turn that asked for it.
    pub(crate) witness_ref: Option<String>,
}

impl Answer {
    pub(crate) fn new(result_class: &str, payload: &impl Serialize) -> Result<Self, ActionError> {
        let payload =
            serde_json::value::to_raw_value(payload).map_err(|source| ActionError::Unwritable { source })?;
        Ok(Self::written(result_class, payload))
    }

    /// An answer whose payload is written already.
    pub(crate) fn written(result_class: &str, payload: Box<RawValue>) -> Self {
        let result_class = result_class.to_owned();
        Self { result_class, payload, witness_refs: Vec::new(), failure_classes: Vec::new(), link: None }
    }

    /// The same, saying what the change is linked to.
    pub(crate) fn linked(mut self, link: Option<Link>) -> Self {
        self.witness_refs.extend(link.iter().filter_map(|link| link.witness_ref.clone()));
        self.link = link;
        self
    }

    /// An answer that is a refusal: the payload says more, the class says why.
    pub(crate) fn refused(class: &str, payload: &impl Serialize) -> Result<Self, ActionError> {
        let mut answer = Self::new("rejected", payload)?;
        answer.failure_classes.push(class.to_owned());
        Ok(answer)
    }
}

/// Why an action gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// Nothing of that name is in the table.
    #[error("host_action_unknown: no action `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The arguments cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// An instruction that is none.
    #[error(transparent)]
    Envelope(#[from] EnvelopeFault),
    /// Something outside could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No model answered.
    #[error(transparent)]
    Model(#[from] Box<ModelFailure>),
    /// The sandbox failed in a way that is no refusal.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// What is asked for was said in a run that kept nothing.
    #[error(
        "payload_not_retained: run `{run_id}` kept digests, counts and verdicts, and nothing that was said"
    )]
    NotRetained {
        /// The run.
        run_id: String,
    },
    /// Something of the system that is needed is not there.
    #[error("{what}")]
    Unavailable {
        /// What.
        what: String,
        /// What to do about it.
        hint: String,
    },
    /// The answer could not be written as JSON.
    #[error("the answer cannot be written as JSON")]
    Unwritable {
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// The actions together with what they need from outside.
#[derive(Debug)]
pub struct Host<'a> {
    /// Where conformance vectors come from.
    pub vectors: &'a dyn VectorSource,
    /// The repository that is worked on.
    pub workspace: &'a Workspace,
    /// The models that can be asked.
    pub models: &'a dyn ModelDoor,
    /// Where commands run.
    pub sandbox: &'a dyn Sandbox,
    /// What agents need of the outside.
    pub agent: &'a dyn AgentDoor,
}

impl Host<'_> {
    /// What breaks off what this call runs: its own where the door has one, else that of everything here.
    pub(crate) fn interrupt(&self) -> Interrupt {
        self.workspace.door.interrupt().unwrap_or_else(|| self.agent.interrupt())
    }

    /// Calls an action by name and wraps its answer in the envelope that every door gives.
    ///
    /// # Errors
    /// An unknown action, arguments that cannot be read, or an environment that does not answer.
    pub fn call(&self, name: &str, args: &Value<'_>) -> Result<HostEffect<Box<RawValue>>, ActionError> {
        let action = ACTIONS
            .iter()
            .find(|action| action.name == name)
            .ok_or_else(|| ActionError::Unknown { name: name.to_owned() })?;
        match action.door {
            Door::Read | Door::Effect => self.effect(action, args),
            Door::Record | Door::Mutation => {
                let workspace = Workspace { receipts: AuditReceipts::default(), ..self.workspace.clone() };
                Host { workspace: &workspace, ..*self }.citing_effect(action, args)
            }
        }
    }

    /// The envelope of an action that can change something: it cites a witness, or the audit rows that it left; a refusal says
    /// which instruction was named.
    fn citing_effect(
        &self,
        action: &Action,
        args: &Value<'_>,
    ) -> Result<HostEffect<Box<RawValue>>, ActionError> {
        let mut effect = self.effect(action, args)?;
        let recorded = self.workspace.receipts.take_references();
        if effect.witness_refs.is_empty() {
            effect.witness_refs = recorded;
        }
        if effect.result_class == "rejected"
            && effect.instruction_ref.is_none()
            && let Some(named) = named_instruction(self.workspace)?
        {
            effect.instruction_ref = Some(named.reference);
            effect.policy_digest = effect.policy_digest.or(named.policy_digest);
        }
        Ok(effect)
    }

    fn effect(&self, action: &Action, args: &Value<'_>) -> Result<HostEffect<Box<RawValue>>, ActionError> {
        let answer = self.answer(action, args)?;
        let args_digest = Digest::prefixed("he1_", args);
        if action.door == Door::Record && answer.result_class != "rejected" {
            note_lane(self.workspace, action.name, args, &args_digest)?;
        }
        Ok(HostEffect {
            schema: HOST_EFFECT_SCHEMA,
            action: action.name,
            args_digest: args_digest.as_str().to_owned(),
            result_class: answer.result_class,
            payload: answer.payload,
            witness_refs: answer.witness_refs,
            failure_classes: answer.failure_classes,
            policy_digest: answer.link.as_ref().map(|link| link.policy_digest.clone()),
            instruction_ref: answer.link.map(|link| link.instruction_ref),
        })
    }

    /// Calls an action. What is written down is linked first, where the door asks for that.
    fn answer(&self, action: &Action, args: &Value<'_>) -> Result<Answer, ActionError> {
        if action.door != Door::Record {
            return (action.call)(self, args);
        }
        match linked_record(self.workspace, action.name, args)? {
            Ok(None) => (action.call)(self, args),
            Ok(link) => Ok((action.call)(self, args)?.linked(link)),
            Err(refused) => Answer::refused(
                &refused.class.clone(),
                &RefusedAnswer {
                    action: action.name.to_owned(),
                    issues_path: String::new(),
                    refused: RefusedBecause {
                        class: refused.class,
                        detail: refused.detail,
                        hint: refused.hint,
                    },
                },
            ),
        }
    }
}
