//! Witnesses: records of decisions, each under the name that its content gives it.
//!
//! `.premath/witnesses/<id>.json`; the id is `w1_` and the base32hex of SHA-256 over the canonical core, which is all of
//! the record but its id and its messages. A witness is a record, never permission. It must not be changed once it is
//! there, and must not be handed out when its name does not fit.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use premath_kernel::{JOIN_CHECK_WITNESS_KIND, Object, Value, base32hex, encode, sha256};
use premath_wire::strict::{Limits, parse};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::clock::IdSource;
use crate::disk::{Access, Disk, DiskFile, read_to_end, write_all_at};
use crate::error::StoreError;
use crate::log::folder_of;

const PREFIX: &str = "w1_";
/// Of 256 bits, five to a character.
const DIGITS: usize = 52;
const SUFFIX: &str = ".json";
const REFERENCE: &str = "witness://";
const ID: &str = "witnessId";
const MESSAGES: &str = "messages";
/// The members that the kernel hashes of the record of a join check: the others follow from the digests in it.
const JOIN_CHECK_CORE: [&str; 4] = ["digests", "schema", "verdict", "witnessKind"];
/// No witness is longer.
const LONGEST: usize = 128 * 1024 * 1024;

/// A folder of witnesses.
#[derive(Debug, Clone)]
pub struct Witnesses {
    disk: Arc<dyn Disk>,
    ids: Arc<dyn IdSource>,
    folder: PathBuf,
    /// Set by a failed sync: what is on the disk is then not known.
    poisoned: Arc<AtomicBool>,
    /// Whether this process has made the name of the folder durable.
    founded: Arc<AtomicBool>,
}

impl Witnesses {
    /// The witnesses in a folder, which is made by the first put.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, ids: Arc<dyn IdSource>, folder: PathBuf) -> Self {
        let unset = || Arc::new(AtomicBool::new(false));
        Self { disk, ids, folder, poisoned: unset(), founded: unset() }
    }

    /// Where it is.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file system it is on.
    pub(crate) fn disk(&self) -> &Arc<dyn Disk> {
        &self.disk
    }

    /// Records a core, durably, with messages for people that are not part of what its name stands for.
    ///
    /// A witness that is there already stays as it is, its messages too.
    ///
    /// # Errors
    /// `Input` when the core is no object, or names its own id or messages; `Io`.
    pub fn put(&self, core: &Value<'_>, messages: Option<&Value<'_>>) -> Result<String, StoreError> {
        let members = core.as_object().ok_or_else(|| refused("expected an object", JsonPath::root()))?;
        if let Some(own) = [ID, MESSAGES].into_iter().find(|own| members.get(own).is_some()) {
            return Err(refused("the store adds this member", JsonPath::root().key(own)).into());
        }
        let id = id_of(core);
        let mut record: Vec<_> =
            members.iter().map(|(name, value)| (name.into(), value.borrowed())).collect();
        record.push((ID.into(), Value::from(id.as_str())));
        record.extend(messages.map(|messages| (MESSAGES.into(), messages.borrowed())));
        self.keep(&id, &Value::Object(Object::from_members(record).unwrap_or_default()))?;
        Ok(id)
    }

    /// Keeps a whole record that carries its own id, as the kernel's witnesses do.
    ///
    /// # Errors
    /// `Input` when it carries none, or one that its content does not give it; `Io`.
    pub fn put_record(&self, record: &Value<'_>) -> Result<String, StoreError> {
        let id = own_id(record)?;
        self.keep(&id, record)?;
        Ok(id)
    }

    /// Keeps whole records that carry their own ids; their names become durable together.
    ///
    /// # Errors
    /// `Input` when one carries none, or one that its content does not give it; `Io`.
    pub fn put_records(&self, records: &[Value<'_>]) -> Result<Vec<String>, StoreError> {
        let ids = records.iter().map(own_id).collect::<Result<Vec<_>, _>>()?;
        for (id, record) in ids.iter().zip(records) {
            self.place(id, record)?;
        }
        if !ids.is_empty() {
            self.sync_names()?;
        }
        Ok(ids)
    }

    /// The record of that name.
    ///
    /// # Errors
    /// `Input` when that is no name of a witness; `Missing`; `Corrupt` when the content has another name; `Io`.
    pub fn get(&self, id: &str) -> Result<Value<'static>, StoreError> {
        if !is_witness_id(id) {
            return Err(refused("expected `w1_` and 52 characters", JsonPath::root().key(ID)).into());
        }
        let path = self.path_of(id);
        let file = self.disk.open(&path, Access::Read).map_err(StoreError::opening(&path))?;
        let bytes = read_to_end(file.as_ref(), 0, LONGEST).map_err(StoreError::io("read", &path))?;
        let record = parse(&bytes, Limits::default())
            .map_err(|error| StoreError::corrupt(&path, error.to_string()))?;
        let stated = record.as_object().and_then(|members| members.get(ID)).and_then(Value::as_text);
        match recomputed(&record) {
            Some(found) if found == id && stated == Some(id) => Ok(record.into_owned()),
            Some(found) if found != id => {
                Err(StoreError::corrupt(&path, format!("its content is that of {found}")))
            }
            _ => Err(StoreError::corrupt(&path, "it does not state its own id")),
        }
    }

    /// Whether there is a file for it. Whether that holds what it should, `get` says.
    ///
    /// # Errors
    /// `Io` when the system does not tell.
    pub fn contains(&self, id: &str) -> Result<bool, StoreError> {
        if !is_witness_id(id) {
            return Ok(false);
        }
        let path = self.path_of(id);
        match self.disk.open(&path, Access::Read) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(StoreError::io("open", &path)(error)),
        }
    }

    /// The names of all witnesses, in order. Other files are passed over.
    ///
    /// # Errors
    /// `Io` when the folder cannot be listed.
    pub fn iter(&self) -> Result<impl Iterator<Item = String> + use<>, StoreError> {
        let entries = match self.disk.list(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            listed => listed.map_err(StoreError::io("list", &self.folder))?,
        };
        Ok(entries.into_iter().filter(|entry| !entry.is_folder).filter_map(|entry| {
            entry.name.strip_suffix(SUFFIX).filter(|id| is_witness_id(id)).map(str::to_owned)
        }))
    }

    /// Where a witness is, or would be.
    pub(crate) fn path_of(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}{SUFFIX}"))
    }

    /// Writes a record unless it is there and sound, and makes its name durable.
    fn keep(&self, id: &str, record: &Value<'_>) -> Result<(), StoreError> {
        self.place(id, record)?;
        // A name that was there may be that of a process that was stopped before it could say so to the disk.
        self.sync_names()
    }

    /// Writes a record unless it is there and sound. Its name is durable when the folder is.
    fn place(&self, id: &str, record: &Value<'_>) -> Result<(), StoreError> {
        if self.poisoned.load(Ordering::Acquire) {
            return Err(StoreError::Poisoned { path: self.folder.clone() });
        }
        match self.get(id) {
            Ok(_) => return Ok(()),
            Err(StoreError::Missing { .. } | StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
        let mut bytes = encode(record);
        bytes.push(b'\n');
        let temporary = self.folder.join(format!("{id}.{}.tmp", self.ids.fresh()));
        let mut file = self.begin(&temporary)?;
        let written = write_all_at(file.as_mut(), &bytes, 0)
            .and_then(|()| self.poisoning(file.sync()))
            .and_then(|()| self.disk.rename(&temporary, &self.path_of(id)));
        if let Err(source) = written {
            // A leftover says nothing and harms nobody; why it failed matters more.
            drop(self.disk.remove(&temporary));
            return Err(StoreError::io("write", &self.path_of(id))(source));
        }
        Ok(())
    }

    fn begin(&self, temporary: &Path) -> Result<Box<dyn DiskFile>, StoreError> {
        match self.disk.open(temporary, Access::Replace) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.founded.store(false, Ordering::Release);
                self.disk.create_folder(&self.folder).map_err(StoreError::io("make", &self.folder))?;
                self.disk.open(temporary, Access::Replace)
            }
            opened => opened,
        }
        .map_err(StoreError::io("write", temporary))
    }

    /// Makes the names in the folder durable, and that of the folder.
    fn sync_names(&self) -> Result<(), StoreError> {
        let sync = |folder: &Path| {
            self.poisoning(self.disk.sync_folder(folder)).map_err(StoreError::io("sync", folder))
        };
        sync(&self.folder)?;
        if !self.founded.load(Ordering::Acquire) {
            sync(folder_of(&self.folder))?;
            self.founded.store(true, Ordering::Release);
        }
        Ok(())
    }

    /// After a failed sync nobody knows what is on the disk, so nothing more is promised.
    fn poisoning(&self, synced: io::Result<()>) -> io::Result<()> {
        if synced.is_err() {
            self.poisoned.store(true, Ordering::Release);
        }
        synced
    }
}

fn refused(what: &str, path: JsonPath) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, path)
}

fn id_of(core: &Value<'_>) -> String {
    format!("{PREFIX}{}", base32hex(&sha256(&encode(core))))
}

/// The id that a record carries, when its content gives it that one.
fn own_id(record: &Value<'_>) -> Result<String, InputError> {
    let id = recomputed(record).ok_or_else(|| refused("expected an object", JsonPath::root()))?;
    let stated = record.as_object().and_then(|members| members.get(ID)).and_then(Value::as_text);
    if stated != Some(id.as_str()) {
        return Err(refused("the content gives it another id", JsonPath::root().key(ID)));
    }
    Ok(id)
}

/// The id that a record's content gives it.
fn recomputed(record: &Value<'_>) -> Option<String> {
    let members = record.as_object()?;
    let is_join_check = members.get("witnessKind").and_then(Value::as_text) == Some(JOIN_CHECK_WITNESS_KIND);
    let is_core = |name: &str| {
        if is_join_check { JOIN_CHECK_CORE.contains(&name) } else { name != ID && name != MESSAGES }
    };
    let core: Vec<_> = members
        .iter()
        .filter(|(name, _)| is_core(name))
        .map(|(name, value)| (name.into(), value.borrowed()))
        .collect();
    Some(id_of(&Value::Object(Object::from_members(core).ok()?)))
}

/// Whether a text has the shape of a witness's id. Such a text is a name, never a path.
#[must_use]
pub fn is_witness_id(text: &str) -> bool {
    let Some(digits) = text.strip_prefix(PREFIX) else { return false };
    digits.len() == DIGITS && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'v'))
}

/// The witness that a reference `witness://w1_…` names; `None` for any other text.
#[must_use]
pub fn witness_of_reference(text: &str) -> Option<&str> {
    text.strip_prefix(REFERENCE).filter(|id| is_witness_id(id))
}

/// Where the witnesses of a repository are.
#[must_use]
pub fn witnesses_folder(root: &Path) -> PathBuf {
    root.join(".premath").join("witnesses")
}
