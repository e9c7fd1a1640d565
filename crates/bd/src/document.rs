//! A JSON document that we own and rewrite as a whole: locked, atomic, and keeping what it does not understand.
//!
//! A change is read, made and written under a lock that dies with its process; readers see the old document or the new
//! one, never a part. It must not know what the document means, and must not overwrite what it could not read.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use premath_kernel::{Object, Value};
use premath_wire::strict::{Limits, parse};
use premath_wire::{Canonical, InputClass, InputError, JsonPath, UnknownFields, decode};
use serde::Deserialize;

use crate::disk::{Access, Disk, DiskFile, LockMode, LockOutcome, read_to_end, write_all_at};
use crate::error::StoreError;
use crate::inherited_rows::InheritedRows;
use crate::log::{Log, LogWriter, beside, folder_of};

/// As long as for a log: longer than any honest writer needs.
const PATIENCE: Duration = Duration::from_secs(30);

/// The folder of a repository in which lanes may have folders of their own.
const HOME: &str = ".premath";

/// A document, by name.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    disk: Arc<dyn Disk>,
    path: PathBuf,
}

/// What a change comes to.
#[derive(Debug)]
pub(crate) enum Change<T> {
    /// The document becomes this.
    Write(Value<'static>, T),
    /// The document stays as it is.
    Keep(T),
}

impl Document {
    pub(crate) fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { disk, path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The document; `Missing` when there is none.
    pub(crate) fn read(&self) -> Result<Value<'static>, StoreError> {
        self.read_optional()?.ok_or_else(|| StoreError::Missing { path: self.path.clone() })
    }

    fn read_optional(&self) -> Result<Option<Value<'static>>, StoreError> {
        let file = match self.disk.open(&self.path, Access::Read) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(StoreError::opening(&self.path))?,
        };
        let limit = Limits::default().max_bytes.saturating_add(1);
        let bytes = read_to_end(file.as_ref(), 0, limit).map_err(StoreError::io("read", &self.path))?;
        parse(&bytes, Limits::default())
            .map(|value| Some(value.into_owned()))
            .map_err(|error| StoreError::corrupt(&self.path, error.to_string()))
    }

    /// Reads a document as a type; what does not fit is damage, named by its path.
    pub(crate) fn decode<'v, T: Deserialize<'v>>(&self, value: &'v Value<'_>) -> Result<T, StoreError> {
        decode(value, UnknownFields::Ignore).map_err(|error| self.damaged(&error))
    }

    /// Damage that was found at a place of the document.
    pub(crate) fn damaged(&self, error: &InputError) -> StoreError {
        StoreError::corrupt(&self.path, error.to_string())
    }

    /// Refuses a document of another kind, or of a version that is not ours to rewrite.
    pub(crate) fn expect_kind(&self, found: (u32, &str), field: &str, kind: &str) -> Result<(), StoreError> {
        let (schema, found) = found;
        let (what, field) = match (schema, found) {
            (1, found) if found == kind => return Ok(()),
            (1, _) => (format!("expected `{kind}`"), field),
            (_, _) => ("expected 1; a newer premath may have written it".to_owned(), "schema"),
        };
        Err(self.damaged(&InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(field))))
    }

    /// Changes the document, which may not exist yet.
    ///
    /// `Busy` when another process keeps the lock; `Missing` without a folder; `Corrupt` when what is there cannot be
    /// read; `Io`.
    pub(crate) fn change<T, E: From<StoreError>>(
        &self,
        change: impl FnOnce(Option<Value<'static>>) -> Result<Change<T>, E>,
    ) -> Result<T, E> {
        let _lock = self.lock()?;
        let old = self.read_optional()?;
        let is_first = old.is_none();
        match change(old)? {
            Change::Keep(answer) => Ok(answer),
            Change::Write(value, answer) => {
                self.replace(&value)?;
                if is_first {
                    settle_folders(self.disk.as_ref(), folder_of(&self.path))?;
                }
                Ok(answer)
            }
        }
    }

    fn lock(&self) -> Result<Box<dyn DiskFile>, StoreError> {
        let path = beside(&self.path, "lock");
        let lock = match self.disk.open(&path, Access::Update) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                make_folder(self.disk.as_ref(), folder_of(&self.path))?;
                self.disk.open(&path, Access::Update)
            }
            opened => opened,
        };
        let lock = lock.map_err(StoreError::io("open", &path))?;
        match lock.lock(LockMode::Exclusive, PATIENCE).map_err(StoreError::io("lock", &path))? {
            LockOutcome::Held => Ok(lock),
            LockOutcome::Busy => Err(StoreError::Busy { path: self.path.clone() }),
        }
    }

    /// The new content is durable before it gets the name, and the name before anybody is told.
    fn replace(&self, value: &Value<'_>) -> Result<(), StoreError> {
        let temporary = beside(&self.path, "tmp");
        let mut text = serde_json::to_string_pretty(&Canonical(value.borrowed()))
            .map_err(|error| StoreError::io("write", &self.path)(error.into()))?;
        text.push('\n');
        let written = self.write_temporary(&temporary, text.as_bytes());
        if let Err(source) = written {
            // Whatever became of it, nobody was promised anything; left behind, the next write replaces it.
            drop(self.disk.remove(&temporary));
            return Err(StoreError::io("write", &temporary)(source));
        }
        self.disk.rename(&temporary, &self.path).map_err(StoreError::io("replace", &self.path))?;
        let folder = folder_of(&self.path);
        self.disk.sync_folder(folder).map_err(StoreError::io("sync", folder))
    }

    fn write_temporary(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let mut file = self.disk.open(path, Access::Replace)?;
        write_all_at(file.as_mut(), bytes, 0)?;
        file.sync()
    }
}

/// Waits for the lock of a lane's log, whose folder is made where it may be.
pub(crate) fn writing(log: &Log) -> Result<LogWriter, StoreError> {
    InheritedRows::note(log.disk(), log.path())?;
    match log.write() {
        Err(StoreError::Missing { .. }) => {
            make_folder(log.disk().as_ref(), folder_of(log.path()))?;
            log.write()
        }
        opened => opened,
    }
}

/// Makes the folder of a lane. Only below a `.premath` that is there: anywhere else a missing folder is more likely a slip
/// than a wish.
pub(crate) fn make_folder(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    let missing = || StoreError::Missing { path: folder.to_owned() };
    let home = home_of(folder).ok_or_else(missing)?;
    match disk.list(home) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing()),
        listed => listed.map_err(StoreError::io("list", home))?,
    };
    disk.create_folder(folder).map_err(StoreError::io("make", folder))
}

/// Makes the names of the folders durable in which the first thing of a lane was written. Whoever made them may have
/// come no further.
pub(crate) fn settle_folders(disk: &dyn Disk, folder: &Path) -> Result<(), StoreError> {
    let Some(home) = home_of(folder) else { return Ok(()) };
    for above in folder.ancestors().skip(1).take_while(|above| above.starts_with(home)) {
        disk.sync_folder(above).map_err(StoreError::io("sync", above))?;
    }
    Ok(())
}

/// The `.premath` that a folder is in by its name.
fn home_of(folder: &Path) -> Option<&Path> {
    let home = folder.ancestors().find(|above| above.file_name().is_some_and(|name| name == HOME))?;
    let mut below = folder.strip_prefix(home).ok()?.components();
    below.all(|part| matches!(part, Component::Normal(_))).then_some(home)
}

/// An object that says `known` and keeps every member of `old` that is not ours. `names` are all the members that are
/// ours: those that `known` leaves out are gone.
pub(crate) fn keeping_unknown(
    old: Option<&Object<'_>>,
    names: &[&str],
    known: &Value<'static>,
) -> Value<'static> {
    let own = |value: &Value<'_>| value.borrowed().into_owned();
    let mut members: Vec<(Cow<'static, str>, Value<'static>)> = Vec::new();
    let kept = old.into_iter().flat_map(|old| old.iter()).filter(|(name, _)| !names.contains(name));
    members.extend(kept.map(|(name, value)| (Cow::Owned(name.to_owned()), own(value))));
    let said = known.as_object().into_iter().flat_map(|object| object.iter());
    members.extend(said.map(|(name, value)| (Cow::Owned(name.to_owned()), own(value))));
    // `names` are left out of the first part, and the second has each name once.
    Object::from_members(members).map_or_else(|_| known.clone(), Value::Object)
}

/// The text without the blanks around it; nothing when that is all there is.
pub(crate) fn trimmed(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// References as they are kept: trimmed, without blank ones, sorted, each once.
pub(crate) fn normal_refs<'r>(refs: impl IntoIterator<Item = &'r String>) -> Vec<String> {
    let mut refs: Vec<String> = refs.into_iter().filter_map(|reference| trimmed(reference)).collect();
    refs.sort_unstable();
    refs.dedup();
    refs
}
