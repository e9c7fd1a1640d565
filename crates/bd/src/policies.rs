//! The policy package of a repository: the files below `policies/`, those that were in force before, and the log of how one
//! followed another.
//!
//! A package is put into force on the strength of a permit only. What was in force is kept whole below
//! `.premath/policy/`. While files are being put into place a marker stands there: whoever finds it must take no rules from
//! `policies/`, for they are half of one package and half of another. It must not judge a package.

mod files;
#[cfg(test)]
mod tests;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Digest, Object, Value};
use premath_wire::time::{format_time, to_millis};
use premath_wire::v1::{PROMOTION_KIND, PromotionEvidence, PromotionRow};
use premath_wire::{InputClass, InputError, JsonPath};

pub use self::files::PolicyFiles;
use crate::clock::Clock;
use crate::disk::{Access, Disk};
use crate::document::writing;
use crate::error::StoreError;
use crate::log::{Authenticity, Log, RowForm, sign_plain_row};
use crate::permit::{Permit, PermitRefusal, Permitted, args_digest};

/// Where the working files are, from the root of a repository.
const FILES: &str = "policies";
/// Where drafts of packages are, from the working files. They are no part of a package.
const DRAFTS: &str = "drafts";
/// The longest name of a draft.
const LONGEST_NAME: usize = 64;
/// Where packages are kept.
const KEPT: &str = ".premath/policy";
/// The marker of a change that is under way: it holds the digest of the package that comes.
const UNDER_WAY: &str = "under-way";

/// One package following another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyChange {
    /// `policy.promote` or `policy.rollback`.
    pub action: PolicyAction,
    /// What comes into force.
    pub package: PolicyFiles,
    /// What must be in force until then.
    pub previous: Digest,
    /// The report about its guards, by digest.
    pub eval_report: Option<String>,
    /// The report of the red team, by digest.
    pub red_team_report: Option<String>,
    /// The measurements that the turn was admitted on, for the record.
    pub evidence: Option<PromotionEvidence>,
}

/// How a package comes into force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyAction {
    /// It is new.
    Promote,
    /// It was in force before.
    Rollback,
}

impl PolicyAction {
    /// The host action.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Promote => "policy.promote",
            Self::Rollback => "policy.rollback",
        }
    }
}

impl PolicyChange {
    /// The digest of what an intent is about: which package follows which, on the strength of which reports.
    #[must_use]
    pub fn args_digest(&self) -> Digest {
        let package = self.package.digest();
        let reports = (self.eval_report.as_deref(), self.red_team_report.as_deref());
        change_digest(package.as_str(), self.previous.as_str(), reports)
    }
}

fn change_digest(package: &str, previous: &str, (eval, red_team): (Option<&str>, Option<&str>)) -> Digest {
    args_digest(
        &Object::fields()
            .optional("evalReport", eval)
            .field("package", package)
            .field("previous", previous)
            .optional("redTeamReport", red_team)
            .finish(),
    )
}

/// The digest of what the permit of a recorded change was spent on.
#[must_use]
pub fn promotion_args_digest(row: &PromotionRow) -> Digest {
    let reports = (row.eval_report.as_deref(), row.red_team_report.as_deref());
    change_digest(&row.package_digest, &row.previous_digest, reports)
}

impl Permitted for PolicyChange {
    fn action(&self) -> &'static str {
        self.action.name()
    }

    fn args_digest(&self) -> Digest {
        Self::args_digest(self)
    }

    fn is_about_a_lease(&self) -> bool {
        false
    }
}

/// What came of a change.
#[derive(Debug)]
pub enum PolicyApplied {
    /// It is in force.
    InForce(Box<PromotionRow>),
    /// Another package is in force than the one that was to be followed.
    Moved(Digest),
    /// The permit was for something else, or nobody's turn.
    Refused(PermitRefusal),
}

/// Where packages stand at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PolicyStanding {
    changes: usize,
    is_under_way: bool,
}

/// The packages of a repository.
#[derive(Debug)]
pub struct PolicyStore {
    disk: Arc<dyn Disk>,
    root: PathBuf,
}

impl PolicyStore {
    /// Of the repository with this root.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, root: PathBuf) -> Self {
        Self { disk, root }
    }

    /// The files below `policies/` as they are now; an empty package where there are none. Whether they are the package that
    /// was promoted is for the caller to compare.
    ///
    /// # Errors
    /// They cannot be read.
    pub fn working_files(&self) -> Result<PolicyFiles, StoreError> {
        PolicyFiles::read(self.disk.as_ref(), &self.root.join(FILES))
    }

    /// Whether files are being put into place, or were when a process died.
    ///
    /// # Errors
    /// It cannot be told.
    pub fn is_under_way(&self) -> Result<bool, StoreError> {
        self.coming().map(|coming| coming.is_some())
    }

    /// Where packages stand: how many changes there were, and whether one is under way. Whoever reads several files of a
    /// package looks before and after; what differs was read from two packages.
    ///
    /// # Errors
    /// It cannot be told.
    pub fn standing(&self) -> Result<PolicyStanding, StoreError> {
        // The log has its row before the first file is touched, and the marker goes after the last.
        let mut changes = 0;
        match self.log().read() {
            Err(StoreError::Missing { .. }) => {}
            opened => opened?.each_line(0, |_, _| {
                changes += 1;
                Ok::<(), StoreError>(())
            })?,
        }
        Ok(PolicyStanding { changes, is_under_way: self.is_under_way()? })
    }

    /// A package that was in force once, whole and as it was.
    ///
    /// # Errors
    /// It cannot be read, or is not what it was.
    pub fn kept(&self, digest: &Digest) -> Result<Option<PolicyFiles>, StoreError> {
        if !is_package_digest(digest) {
            return Ok(None);
        }
        let folder = self.folder_of(digest);
        if self.disk.list(&folder).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Ok(None);
        }
        let files = PolicyFiles::read(self.disk.as_ref(), &folder)?;
        if files.digest() == *digest {
            Ok(Some(files))
        } else {
            Err(StoreError::corrupt(&folder, "it is not the package that its name says"))
        }
    }

    /// The folder of a draft, from the root of the repository; none where that is no name of a draft.
    #[must_use]
    pub fn draft_path(name: &str) -> Option<PathBuf> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let is_name = !name.is_empty()
            && name.len() <= LONGEST_NAME
            && !name.starts_with('.')
            && name.bytes().all(is_plain);
        is_name.then(|| Path::new(FILES).join(DRAFTS).join(name))
    }

    /// Writes a draft. Whether it was written: a draft that is there already stays as it is.
    ///
    /// # Errors
    /// `Input` when that is no name of a draft; it cannot be written.
    pub fn write_draft(&self, name: &str, package: &PolicyFiles) -> Result<bool, StoreError> {
        let path = Self::draft_path(name).ok_or_else(|| {
            let what =
                format!("`{name}` is no name of a draft: letters, digits, `-`, `_` and `.`, at most 64");
            InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("name"))
        })?;
        let folder = self.root.join(path);
        match self.disk.list(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Ok(_) => return Ok(false),
            Err(error) => return Err(StoreError::io("list", &folder)(error)),
        }
        package.place(self.disk.as_ref(), &folder)?;
        Ok(true)
    }

    /// Whether lines of the log of changes that its head knows of are gone or changed.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn is_log_tampered(&self) -> Result<bool, StoreError> {
        match self.log().read() {
            Err(StoreError::Missing { .. }) => Ok(false),
            opened => Ok(opened?.standing().is_tampered()),
        }
    }

    /// How many changes at the beginning of the log came with a commit of git. The machines that made them have the records.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn committed_changes(&self) -> Result<u64, StoreError> {
        let reader = match self.log().read() {
            Err(StoreError::Missing { .. }) => return Ok(0),
            opened => opened?,
        };
        Ok(match reader.authenticity()? {
            Authenticity::Committed(_) => reader.extent().rows,
            Authenticity::Authentic => reader.base().map_or(0, |base| base.extent.rows),
            Authenticity::Unguarded | Authenticity::Distrusted(..) => 0,
        })
    }

    /// Every change, the oldest first.
    ///
    /// # Errors
    /// The log cannot be read.
    pub fn history(&self) -> Result<Vec<PromotionRow>, StoreError> {
        let reader = match self.log().read() {
            Err(StoreError::Missing { .. }) => return Ok(Vec::new()),
            opened => opened?,
        };
        let path = self.log().path().to_owned();
        let mut rows = Vec::new();
        reader.each_line(0, |_, line| {
            let row = serde_json::from_slice(line)
                .map_err(|_| StoreError::corrupt(&path, "a line of it is no promotion"))?;
            rows.push(row);
            Ok::<(), StoreError>(())
        })?;
        Ok(rows)
    }

    /// Puts a package into force.
    ///
    /// The log is held from the look at what is in force to the last file, so that of two changes one finds the other done.
    ///
    /// # Errors
    /// A store gave no answer. What was begun is finished by [`Self::settle`].
    pub fn apply(
        &self,
        permit: Permit,
        change: &PolicyChange,
        actor: &str,
        clock: &dyn Clock,
    ) -> Result<PolicyApplied, StoreError> {
        // What comes with premath is what holds where there is no package: whoever may take the files away may go back to it.
        let is_ours = change.action == PolicyAction::Rollback && change.package == PolicyFiles::default();
        let is_enough =
            matches!(permit, Permit::Turn(_)) || (is_ours && matches!(permit, Permit::Operator(_)));
        let authority = match permit.authorise(change) {
            Ok(authority) if is_enough => authority,
            Ok(_) => {
                let detail = "policy changes on the strength of a closed turn only".to_owned();
                return Ok(PolicyApplied::Refused(PermitRefusal { detail }));
            }
            Err(refusal) => return Ok(PolicyApplied::Refused(refusal)),
        };
        let mut log = writing(&self.log())?;
        self.finish()?;
        let before = self.working_files()?;
        if before.digest() != change.previous {
            return Ok(PolicyApplied::Moved(before.digest()));
        }
        let folder = self.root.join(FILES);
        if let Some(path) = change.package.obstacle(self.disk.as_ref(), &folder) {
            return Err(StoreError::corrupt(
                &path,
                "it is in the place of a file of the package; move it away",
            ));
        }
        self.keep(&before)?;
        self.keep(&change.package)?;
        let member = |name: &str| authority.member(name).unwrap_or_default().to_owned();
        let row = PromotionRow {
            kind: PROMOTION_KIND.to_owned(),
            number: u64::try_from(self.history()?.len()).unwrap_or(u64::MAX).saturating_add(1),
            at: format_time(to_millis(clock.now())),
            action: change.action.name().to_owned(),
            package_digest: change.package.digest().as_str().to_owned(),
            previous_digest: change.previous.as_str().to_owned(),
            eval_report: change.eval_report.clone(),
            red_team_report: change.red_team_report.clone(),
            evidence: change.evidence.clone(),
            turn_digest: member("turn_digest"),
            intent_digest: member("intent_digest"),
            actor: actor.to_owned(),
        };
        let line = serde_json::to_vec(&row)
            .map_err(|error| StoreError::io("write", self.log().path())(error.into()))?;
        self.mark(&change.package.digest())?;
        let line = sign_plain_row(log.reader(), line);
        log.append(&line)?;
        self.finish()?;
        Ok(PolicyApplied::InForce(Box::new(row)))
    }

    /// Finishes what a process that died had begun. Whether there was anything.
    ///
    /// # Errors
    /// It cannot be finished.
    pub fn settle(&self) -> Result<bool, StoreError> {
        if !self.is_under_way()? {
            return Ok(false);
        }
        let _held = writing(&self.log())?;
        self.finish()
    }

    /// Whoever died before the log had the row leaves a marker that means nothing.
    fn finish(&self) -> Result<bool, StoreError> {
        let Some(coming) = self.coming()? else { return Ok(false) };
        let is_logged = self.history()?.last().is_some_and(|last| last.package_digest == coming.as_str());
        if is_logged {
            let package = self.kept(&coming)?.ok_or_else(|| {
                StoreError::corrupt(&self.folder_of(&coming), "the package that comes into force is gone")
            })?;
            package.place(self.disk.as_ref(), &self.root.join(FILES))?;
        }
        let marker = self.marker();
        self.disk.remove(&marker).map_err(StoreError::io("remove", &marker))?;
        let folder = self.root.join(KEPT);
        self.disk.sync_folder(&folder).map_err(StoreError::io("sync", &folder))?;
        Ok(is_logged)
    }

    fn keep(&self, package: &PolicyFiles) -> Result<(), StoreError> {
        let digest = package.digest();
        if let Ok(Some(_)) = self.kept(&digest) {
            return Ok(());
        }
        package.place(self.disk.as_ref(), &self.folder_of(&digest))
    }

    fn mark(&self, coming: &Digest) -> Result<(), StoreError> {
        let marker = self.marker();
        files::write(self.disk.as_ref(), &marker, coming.as_str().as_bytes())
    }

    fn coming(&self) -> Result<Option<Digest>, StoreError> {
        let marker = self.marker();
        let file = match self.disk.open(&marker, Access::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(StoreError::io("open", &marker))?,
        };
        let bytes =
            crate::disk::read_to_end(file.as_ref(), 0, 1024).map_err(StoreError::io("read", &marker))?;
        let digest = std::str::from_utf8(&bytes).ok().and_then(Digest::claimed);
        digest.map(Some).ok_or_else(|| StoreError::corrupt(&marker, "it names no package"))
    }

    /// What stands there while files are put into place.
    #[must_use]
    pub fn marker(&self) -> PathBuf {
        self.root.join(KEPT).join(UNDER_WAY)
    }

    fn folder_of(&self, digest: &Digest) -> PathBuf {
        self.root.join(KEPT).join(digest.as_str())
    }

    fn log(&self) -> Log {
        Log::new(Arc::clone(&self.disk), Self::log_path(&self.root)).tracked(RowForm::Plain)
    }

    /// Where a repository keeps which packages came into force.
    pub(crate) fn log_path(root: &Path) -> PathBuf {
        root.join(KEPT).join("promotions.jsonl")
    }
}

/// A digest that somebody types is part of a path: it must be one.
fn is_package_digest(digest: &Digest) -> bool {
    let hex = digest.as_str().strip_prefix("pol1_");
    hex.is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The document that a package is known by.
fn described<'p>(files: impl Iterator<Item = (&'p str, Digest)>) -> Value<'static> {
    let row = |(name, digest): (&str, Digest)| {
        Object::fields().field("digest", digest.as_str().to_owned()).field("name", name.to_owned()).finish()
    };
    Object::fields()
        .field("files", files.map(row).collect::<Vec<_>>())
        .field("kind", "premath.policy_package.v1")
        .finish()
}

/// Where a file of a package is, from a folder.
fn below(folder: &Path, name: &str) -> PathBuf {
    name.split('/').fold(folder.to_path_buf(), |path, part| path.join(part))
}
