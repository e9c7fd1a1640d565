//! The permit ledger: for each instruction one small chained log, which says that it was issued and which permits were spent
//! under it.
//!
//! `.premath/permits/<instruction>.jsonl`. A permit belongs to one turn, one intent and one instruction, so whether it was
//! spent is answered by the ledger of that instruction alone, however many others there are. It must not judge an
//! instruction: it records what was issued, and lets every permit be spent once, and none after the end of its witness.

mod row;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Digest, Moment, Object, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::PermitRow;

use crate::clock::Clock;
use crate::disk::Disk;
use crate::document::{settle_folders, writing};
use crate::error::{Distrust, StoreError};
use crate::journal::check_name;
use crate::log::{Log, LogWriter, folder_of};
use crate::permit::{SpentGrant, TurnGrant};
use crate::verify::{Link, seal_for};

use row::Entry;
pub use row::Issued;

const FOLDER: &str = "permits";
const SUFFIX: &str = ".jsonl";
const PERMIT_KIND: &str = "premath.permit.v1";

/// The ledger of one instruction.
#[derive(Debug, Clone)]
pub struct PermitLedger {
    log: Log,
    instruction: String,
}

/// Who spends, and on what.
#[derive(Debug, Clone, Copy)]
pub struct Spend<'s> {
    /// What asks: `run:<id>`, `harness:<worker>`, `external:<client>`.
    pub door: &'s str,
    /// The issue that changes, where it is known before.
    pub issue_id: Option<&'s str>,
    /// Whether one that was spent already may be taken up again: for a run that died between spending and changing, and that
    /// has looked whether the change was made.
    pub again: bool,
}

/// Why a permit is not spent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpendRefusal {
    /// Nobody issued the instruction here.
    #[error("instruction `{instruction}` was not issued here")]
    NotIssued {
        /// Which.
        instruction: String,
    },
    /// Its witness is too old.
    #[error("the witness of instruction `{instruction}` ended at {expired_at}")]
    Expired {
        /// Which.
        instruction: String,
        /// When.
        expired_at: String,
    },
    /// It was spent before.
    #[error("permit `{permit_id}` was spent at {spent_at}")]
    Spent {
        /// Which.
        permit_id: String,
        /// When.
        spent_at: String,
    },
    /// The ledger is older than this clone knows it: what was spent is not all there.
    #[error("the ledger of instruction `{instruction}` was rolled back: {detail}")]
    RolledBack {
        /// Which.
        instruction: String,
        /// How.
        detail: String,
    },
    /// The turn was closed for another instruction, or for none.
    #[error("the intent names another instruction than `{instruction}`")]
    OtherInstruction {
        /// This one.
        instruction: String,
    },
}

impl PermitLedger {
    /// The ledger of an instruction. Nothing is opened until it is read or written.
    ///
    /// # Errors
    /// `Input` when that is no name: an instruction's id is never a path.
    pub fn open(disk: Arc<dyn Disk>, root: &Path, instruction: &str) -> Result<Self, StoreError> {
        check_name(instruction, "instruction")?;
        let path = folder(root).join(format!("{instruction}{SUFFIX}"));
        Ok(Self { log: Log::new(disk, path), instruction: instruction.to_owned() })
    }

    /// How intents and rows name an instruction.
    #[must_use]
    pub fn reference(instruction: &str) -> String {
        format!("instruction://{instruction}")
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Records that a witness of the instruction was accepted.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Io`.
    pub fn issue(&self, issued: &Issued, clock: &dyn Clock) -> Result<(), StoreError> {
        let row = issued.row(PERMIT_KIND, &self.instruction, &at(clock.now()));
        let mut writer = writing(&self.log)?;
        self.append(&mut writer, &row)?;
        writer.sync_head()
    }

    /// The last witness of the instruction; none where none was ever accepted.
    ///
    /// # Errors
    /// `Io`; `Corrupt` when the log was changed by somebody else; `Untrusted` when this clone did not write it.
    pub fn issued(&self) -> Result<Option<Issued>, StoreError> {
        let entries = match self.log.read() {
            Err(StoreError::Missing { .. }) => Vec::new(),
            read => row::trusted_entries(&read?, self.path())?,
        };
        Ok(entries.into_iter().rev().find_map(Entry::issued))
    }

    /// Everything in it, the oldest first.
    ///
    /// # Errors
    /// `Io`; `Corrupt` when the log was changed by somebody else.
    pub fn rows(&self) -> Result<Vec<PermitRow>, StoreError> {
        Ok(self.entries()?.into_iter().map(Entry::into_row).collect())
    }

    fn entries(&self) -> Result<Vec<Entry>, StoreError> {
        match self.log.read() {
            Err(StoreError::Missing { .. }) => Ok(Vec::new()),
            read => row::entries(&read?, self.path()),
        }
    }

    /// Spends what a turn earned, durably, before anything changes.
    ///
    /// # Errors
    /// `Busy` while another process writes; `Corrupt` when the log was changed by somebody else; `Untrusted` when this clone
    /// did not write it; `Io`.
    pub fn spend(
        &self,
        grant: TurnGrant,
        spend: &Spend<'_>,
        clock: &dyn Clock,
    ) -> Result<Result<SpentGrant, SpendRefusal>, StoreError> {
        let instruction = self.instruction.clone();
        let reference = Self::reference(&instruction);
        if grant.intent().instruction_ref.as_ref().map(premath_kernel::Text::as_str) != Some(&reference) {
            return Ok(Err(SpendRefusal::OtherInstruction { instruction }));
        }
        // What was never issued does not begin a ledger.
        if let Err(StoreError::Missing { .. }) = self.log.read().map(drop) {
            return Ok(Err(SpendRefusal::NotIssued { instruction }));
        }
        let mut writer = match writing(&self.log) {
            Err(StoreError::Untrusted { reason: Distrust::RolledBack, detail, .. }) => {
                return Ok(Err(SpendRefusal::RolledBack { instruction, detail }));
            }
            opened => opened?,
        };
        let entries = row::trusted_entries(writer.reader(), self.path())?;
        let now = clock.now();
        let last = entries.iter().rev().find_map(|entry| entry.as_issued());
        let Some(issued) = last.filter(|issued| issued.is_accepted) else {
            return Ok(Err(SpendRefusal::NotIssued { instruction }));
        };
        if now >= issued.expires_at {
            let expired_at = format_time(issued.expires_at);
            return Ok(Err(SpendRefusal::Expired { instruction, expired_at }));
        }
        let permit_id = permit_id(&grant);
        match entries.iter().find(|entry| entry.is_permit(&permit_id)) {
            Some(entry) if !spend.again => {
                return Ok(Err(SpendRefusal::Spent { permit_id, spent_at: entry.at().to_owned() }));
            }
            Some(_) => {}
            None => {
                let named = (instruction.as_str(), issued.witness_digest.as_str());
                let row = spent_row(&grant, spend, named, &permit_id, &at(now));
                self.append(&mut writer, &row)?;
            }
        }
        Ok(Ok(SpentGrant::new(grant, reference, permit_id)))
    }

    fn append(&self, writer: &mut LogWriter, row: &Value<'_>) -> Result<(), StoreError> {
        let link = Link::last(writer.reader())?;
        let row = row.as_object().cloned().unwrap_or_default();
        let (line, _) = seal_for(writer.reader().log(), &row, link.as_ref())?;
        writer.append(&line)?;
        if link.is_none() {
            settle_folders(self.log.disk().as_ref(), folder_of(self.path()))?;
        }
        Ok(())
    }
}

fn at(now: Moment) -> String {
    format_time(to_millis(now))
}

/// What names a permit: the turn that earned it and the intent it admits.
fn permit_id(grant: &TurnGrant) -> String {
    let core = Object::fields()
        .field("intentDigest", grant.ready().intent_digest().as_str())
        .field("turnDigest", grant.ready().turn_digest().as_str())
        .finish();
    Digest::prefixed("permit1_", &core).as_str().to_owned()
}

fn spent_row(
    grant: &TurnGrant,
    spend: &Spend<'_>,
    (instruction, witness): (&str, &str),
    permit_id: &str,
    at: &str,
) -> Value<'static> {
    let ready = grant.ready();
    Object::fields()
        .field("schema", 1_u32)
        .field("kind", PERMIT_KIND)
        .field("event", "spent")
        .field("at", at.to_owned())
        .field("instructionId", instruction.to_owned())
        .field("witnessDigest", witness.to_owned())
        .field("permitId", permit_id.to_owned())
        .field("action", grant.intent().action.as_str().to_owned())
        .field("argsDigest", grant.intent().args_digest.as_str().to_owned())
        .field("turnDigest", ready.turn_digest().as_str().to_owned())
        .field("intentDigest", ready.intent_digest().as_str().to_owned())
        .field("policyDigest", ready.policy_digest().as_str().to_owned())
        .field("door", spend.door.to_owned())
        .optional("issueId", spend.issue_id.map(str::to_owned))
        .finish()
}

fn folder(root: &Path) -> PathBuf {
    root.join(".premath").join(FOLDER)
}

/// Where the journals of doors are that have no model: each change they ask for is a turn of its own.
#[must_use]
pub fn doors_folder(root: &Path) -> PathBuf {
    root.join(".premath").join("doors")
}

/// The instructions that have a ledger, in order of their names; none without such a folder.
///
/// # Errors
/// `Io` when it cannot be listed.
pub fn ledgers(disk: &dyn Disk, root: &Path) -> Result<Vec<String>, StoreError> {
    let folder = folder(root);
    let entries = match disk.list(&folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        listed => listed.map_err(StoreError::io("list", &folder))?,
    };
    let mut names: Vec<String> = entries
        .into_iter()
        .filter(|entry| !entry.is_folder)
        .filter_map(|entry| entry.name.strip_suffix(SUFFIX).map(str::to_owned))
        .filter(|name| check_name(name, "instruction").is_ok())
        .collect();
    names.sort_unstable();
    Ok(names)
}
