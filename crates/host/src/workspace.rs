//! The repository that actions work on: its file system, clock and names, where its lanes are, and who may change them.
//!
//! Everything comes in from the composition root; nothing here reads a clock, an environment or a configuration.

use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::issues::IdNaming;
use premath_bd::{AuditReceipts, Clock, Disk, IdSource, Permit, Redactor};
use premath_tusk::sandbox::Interrupt;

use crate::authority::InstructionAuthor;
use crate::governance::PolicyPackages;
use crate::settings::{IdForm, Settings};

/// Who stands at the door, and what they may change.
pub trait MutationDoor: Debug + Send + Sync {
    /// Permission for one call of an action that changes issue memory.
    ///
    /// # Errors
    /// Why there is none.
    fn permit(&self, action: &str) -> Result<Permit, DoorRefusal>;

    /// The instruction that a call through this door is linked to, where it names one; why it may not, where it may not.
    fn linked(&self) -> Option<Result<LinkedCall, DoorRefusal>> {
        None
    }

    /// Whether what is written down through this door is linked to an instruction, as changes are.
    fn links_records(&self) -> bool {
        false
    }

    /// The name of the door itself, where it is not that of a person: what is refused there is on record under it.
    fn name(&self) -> Option<&str> {
        None
    }

    /// What breaks off a call through this door, where it can be broken off by itself.
    fn interrupt(&self) -> Option<Interrupt> {
        None
    }

    /// Whether a client stands there: an agent of somebody else. What it instructs is narrowed by the policy.
    fn is_client(&self) -> bool {
        false
    }

    /// The name of whoever stands there, where one is known.
    fn actor(&self) -> Option<String> {
        None
    }
}

/// A call that is linked to an instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedCall {
    /// The instruction, by name.
    pub instruction: String,
    /// What calls: `terminal`, or the name of a client.
    pub client: String,
    /// Who the turn says it is; `external:<client>` when absent.
    pub model_ref: Option<String>,
    /// What to call the turn. The same call twice is the same turn, and its permit is spent; a fresh name when absent.
    pub call_id: Option<String>,
}

/// A door that stays shut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
pub struct DoorRefusal {
    /// The failure class.
    pub class: &'static str,
    /// Why.
    pub detail: String,
    /// What to do about it.
    pub hint: String,
}

/// A repository that uses premath.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Its file system.
    pub disk: Arc<dyn Disk>,
    /// Its clock.
    pub clock: Arc<dyn Clock>,
    /// Its source of names.
    pub ids: Arc<dyn IdSource>,
    /// The folder that holds `.premath`; empty for the current one.
    pub root: PathBuf,
    /// Who may change it through this door.
    pub door: Arc<dyn MutationDoor>,
    /// Its configuration.
    pub settings: Settings,
    /// What takes secrets out of whatever goes into the audit log.
    pub redactor: Redactor,
    /// What stays of the runs that work here.
    pub retention: Retention,
    /// The policy packages that are known beside the files below `policies/`.
    pub packages: PolicyPackages,
    /// The audit rows of the call that is being answered.
    pub receipts: AuditReceipts,
}

/// What stays of a run when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Retention {
    /// Everything that was said and done.
    #[default]
    Payloads,
    /// Digests, counts and codes. Payloads live in the private store of a run until that is over.
    Digests {
        /// The run whose store it is.
        owner: String,
    },
}

impl Workspace {
    /// A file that an argument names, or the lane's own place under `.premath`.
    #[must_use]
    pub fn lane(&self, named: Option<&str>, default: &str) -> PathBuf {
        match named {
            Some(path) => PathBuf::from(path),
            None => self.root.join(".premath").join(default),
        }
    }

    /// Who runs an instruction through this door.
    pub(crate) fn instruction_author(&self) -> InstructionAuthor {
        if self.door.is_client() { InstructionAuthor::Client } else { InstructionAuthor::Owner }
    }

    /// What new ids of issues look like.
    #[must_use]
    pub fn id_naming(&self) -> IdNaming {
        match self.settings.issue_ids.value {
            IdForm::Sequential => IdNaming::Sequential,
            IdForm::Short => IdNaming::Short(Arc::clone(&self.ids)),
        }
    }

    /// Issue memory: the file that an argument names, or the configured one.
    #[must_use]
    pub fn issues_path(&self, named: Option<&str>) -> PathBuf {
        match named {
            Some(path) => PathBuf::from(path),
            None => self.root.join(&self.settings.issues_path.value),
        }
    }
}

/// A path as answers show it.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
