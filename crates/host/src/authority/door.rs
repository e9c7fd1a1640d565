//! A door without a model: every change it asks for is a turn of its own, journaled, closed, admitted, and spent.
//!
//! Workers, escalations, and whoever calls from outside with an instruction come through here. It must not change anything
//! on the strength of a turn that is not on the disk.

use std::path::Path;
use std::sync::Arc;

use premath_bd::issues::{Applied, FileIssues, IssueStore as _, Operation};
use premath_bd::{Journal, JournalEvent, Permit, PermitLedger, Spend, StoreError};
use premath_kernel::{ActionName, Digest, Intent, Object, Text, Token};

use super::link::{Linked, link};
use super::refusal::{Denied, denied, evidence_missing};
use super::turn::{HarnessCall, HarnessTurn, VerifiedCommand};
use crate::agent::RunRefused;
use crate::governance::PackageStanding;
use crate::recording::{For, apply};
use crate::table::ActionError;
use crate::workspace::Workspace;

/// A door without a model.
#[derive(Debug)]
pub(crate) struct HarnessDoor {
    workspace: Workspace,
    model_ref: String,
    journal: Journal,
    store: FileIssues,
}

/// What came of asking for a change.
#[derive(Debug)]
pub(crate) enum Changed {
    /// The store was asked, and answered.
    Applied {
        applied: Applied,
        /// The witness of the turn.
        witness_ref: String,
        permit_id: String,
    },
    /// It was not asked.
    Refused(RunRefused),
}

impl HarnessDoor {
    /// A door that keeps its journal in `<folder>/<session>`.
    ///
    /// # Errors
    /// `Input` when the session's name is no name.
    pub(crate) fn new(
        workspace: &Workspace,
        model_ref: &str,
        folder: &Path,
        session: &str,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            model_ref: model_ref.to_owned(),
            journal: Journal::open(Arc::clone(&workspace.disk), folder, session)?,
            store: FileIssues::new(Arc::clone(&workspace.disk), workspace.issues_path(None))
                .naming(workspace.id_naming()),
            workspace: workspace.clone(),
        })
    }

    /// Asks for one change. `consumed` is the result it stands on, `verified` the command that verified the work, `refs`
    /// where the turn is cited.
    ///
    /// # Errors
    /// A store that gives no answer; what was acknowledged is then on the disk, and nothing else is.
    pub(crate) fn change(
        &self,
        linked: &Linked,
        call_id: &str,
        operation: &Operation,
        (consumed, verified): (&Digest, Option<&VerifiedCommand>),
        refs: &[String],
    ) -> Result<Changed, ActionError> {
        // Whoever asks looked earlier; what counts is how the instruction stands now.
        let linked = &match link(&self.workspace, linked.id())? {
            Ok(linked) => linked,
            Err(why) => return self.refuse(linked, operation, why),
        };
        if let Err(why) = linked.allows(operation) {
            return self.refuse(linked, operation, why);
        }
        let standing = PackageStanding::read(&self.workspace)?;
        if let Some(why) = standing.refusal(&self.workspace)? {
            return self.refuse(linked, operation, why);
        }
        let pin = standing.pin()?;
        let Some(intent) = intent(linked, operation) else {
            let why = evidence_missing("the action has no name", "this is a fault of premath");
            return self.refuse(linked, operation, why);
        };
        let mut cited = refs.to_vec();
        cited.push(linked.instruction_ref().to_owned());
        let turn = HarnessTurn::of(&HarnessCall {
            model_ref: &self.model_ref,
            call_id,
            action: operation.action(),
            args: &operation.args_digest(),
            result: consumed,
            intent: Some(&intent),
            policy: &linked.policy().document,
            policy_digest: linked.policy_digest(),
            claims: linked.claims(),
            refs: &cited,
            pin: Some(&pin),
            verified,
        })?;
        // The evidence is on the disk before anybody acts on it.
        self.journal.write()?.append_events(&[turn.event()?], self.workspace.clock.now())?;
        let witness_ref = turn.witness(&self.workspace)?;
        let grant = match turn.grant()? {
            Ok(grant) => grant,
            Err(why) => return self.refuse(linked, operation, why),
        };
        self.ready()?;
        let workspace = &self.workspace;
        let ledger = PermitLedger::open(Arc::clone(&workspace.disk), &workspace.root, linked.id())?;
        let spend = Spend { door: &self.model_ref, issue_id: operation.issue_id(), again: false };
        let spent = match ledger.spend(grant, &spend, workspace.clock.as_ref())? {
            Ok(spent) => spent,
            Err(why) => {
                let hint = "a permit is for one change: ask again in a turn of its own";
                return self.refuse(linked, operation, evidence_missing(why.to_string(), hint));
            }
        };
        let permit_id = spent.permit_id().to_owned();
        let applied =
            apply(workspace, &self.store, Permit::Turn(spent), operation, For::Turn(&self.journal))?;
        self.note(call_id, &permit_id, &applied)?;
        Ok(Changed::Applied { applied, witness_ref, permit_id })
    }

    /// A derived file that is damaged is thrown away before a permit is spent on it.
    fn ready(&self) -> Result<(), StoreError> {
        match self.store.view().map(drop) {
            Err(StoreError::DerivedDamaged { .. }) => self.store.discard_index(),
            other => other,
        }
    }

    fn note(&self, call_id: &str, permit_id: &str, applied: &Applied) -> Result<(), StoreError> {
        let (outcome, subject) = match applied {
            Applied::Written(written) => ("written", Some(written.row.id().to_owned())),
            Applied::Nothing(row) => ("nothing", row.as_ref().map(|row| row.id().to_owned())),
            Applied::Refused(refusal) => ("refused", Some(refusal.class.code().to_owned())),
        };
        let fields = Object::fields()
            .field("callId", call_id)
            .field("permitId", permit_id)
            .field("outcome", outcome)
            .optional("subject", subject);
        let event = JournalEvent::new("harness.applied", fields);
        self.journal.write()?.append_events(&[event], self.workspace.clock.now()).map(drop)
    }

    fn refuse(
        &self,
        linked: &Linked,
        operation: &Operation,
        why: RunRefused,
    ) -> Result<Changed, ActionError> {
        let what = Denied {
            action: operation.action(),
            issue_id: operation.issue_id(),
            instruction: Some(linked.id()),
            door: &self.model_ref,
        };
        denied(&self.workspace, &what, &why)?;
        Ok(Changed::Refused(why))
    }
}

fn intent(linked: &Linked, operation: &Operation) -> Option<Intent> {
    Some(Intent {
        action: ActionName::new(operation.action())?,
        args_digest: operation.args_digest(),
        policy_digest: linked.policy_digest().clone(),
        instruction_ref: Text::new(linked.instruction_ref()),
        target_status: operation.target_status().and_then(Token::new),
    })
}
