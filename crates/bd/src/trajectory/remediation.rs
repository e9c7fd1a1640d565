//! Remediations of a throughput figure that fell too low: who expands again says first what was done about it.
//!
//! A small chained log of its own beside the trajectory. It must not judge whether the remedy helps.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{REMEDIATION_KIND, RemediationRow};
use premath_wire::{InputClass, InputError, JsonPath, UnknownFields, decode};

use crate::clock::Clock;
use crate::disk::Disk;
use crate::document::{settle_folders, trimmed, writing};
use crate::error::StoreError;
use crate::log::{Log, RowForm, folder_of};
use crate::verify::{Link, seal_for};

const FILE_NAME: &str = "harness_kpi_remediations.jsonl";

/// A recorded remediation.
pub type Remediation = RemediationRow;

/// The remediations that belong to a trajectory.
#[derive(Debug, Clone)]
pub struct RemediationLog {
    log: Log,
}

impl RemediationLog {
    /// The log beside a trajectory.
    #[must_use]
    pub fn beside(disk: Arc<dyn Disk>, trajectory: &Path) -> Self {
        let folder = match trajectory.parent() {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::new(),
            _ => folder_of(trajectory).to_owned(),
        };
        Self { log: Log::new(disk, folder.join(FILE_NAME)).tracked(RowForm::Chained) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.log.path()
    }

    /// Records what was done.
    ///
    /// # Errors
    /// `Input` for a blank note; `Busy`, `Missing` without a folder, `Io`.
    pub fn append(&self, note: &str, clock: &dyn Clock) -> Result<Remediation, StoreError> {
        let note = trimmed(note).ok_or_else(|| {
            InputError::new(
                InputClass::FieldInvalid,
                "expected text that is not blank",
                JsonPath::root().key("note"),
            )
        })?;
        let mut writer = writing(&self.log)?;
        let row = Object::fields()
            .field("schema", 1_u32)
            .field("remediationKind", REMEDIATION_KIND)
            .field("note", note)
            .field("recordedAt", format_time(to_millis(clock.now())))
            .finish();
        let row = row.as_object().cloned().unwrap_or_default();
        let link = Link::last(writer.reader())?;
        let (line, _) = seal_for(writer.reader().log(), &row, link.as_ref())?;
        writer.append(&line)?;
        if link.is_none() {
            settle_folders(self.log.disk().as_ref(), folder_of(self.path()))?;
        }
        remediation(&line)
            .ok_or_else(|| StoreError::corrupt(self.path(), "what was written does not read back"))
    }

    /// The last one; none where none was ever recorded.
    ///
    /// # Errors
    /// `Io` when the log cannot be read.
    pub fn latest(&self) -> Result<Option<Remediation>, StoreError> {
        let reader = match self.log.read() {
            Err(StoreError::Missing { .. }) => return Ok(None),
            read => read?,
        };
        if let Some(found) = reader.unterminated_line().and_then(remediation) {
            return Ok(Some(found));
        }
        let last = reader.last_line()?.and_then(|(_, line)| remediation(&line));
        if last.is_some() {
            return Ok(last);
        }
        let mut found = None;
        reader.each_line::<StoreError>(0, |_, line| {
            found = remediation(line).or_else(|| found.take());
            Ok(())
        })?;
        Ok(found)
    }
}

fn remediation(line: &[u8]) -> Option<Remediation> {
    let value: Value<'_> = parse(line, Limits::default()).ok()?;
    let row: Remediation = decode(&value, UnknownFields::Ignore).ok()?;
    (row.schema == 1 && row.remediation_kind == REMEDIATION_KIND).then_some(row)
}
