//! What a check of the stores can find: stable classes, each with what to do about it.
//!
//! A class is for ever: it may be added, never renamed or reused. It must not say how a problem is mended; that is the
//! doctor's to know.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::Distrust;

/// More problems than this are counted, not kept: a log of a million bad lines must not fill the memory.
const KEPT: usize = 1_000;

macro_rules! problem_classes {
    ($($(#[$doc:meta])* $variant:ident $code:literal $weight:ident $meaning:literal $hint:literal;)+) => {
        /// The kinds of problem.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum ProblemClass {
            $($(#[$doc])* $variant,)+
        }

        impl ProblemClass {
            /// Every class, sorted by code.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stable code.
            #[must_use]
            pub const fn code(self) -> &'static str {
                match self { $(Self::$variant => $code,)+ }
            }

            /// What it means, in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)+ }
            }

            /// What to do next, in one line.
            #[must_use]
            pub const fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)+ }
            }

            const fn weight(self) -> Weight {
                match self { $(Self::$variant => Weight::$weight,)+ }
            }
        }
    };
}

#[derive(Clone, Copy)]
enum Weight {
    Failure,
    Warning,
    Elsewhere,
}

/// Where the subject of a problem stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemState {
    /// It is here and not what it should be.
    Damaged,
    /// It was here, something cites it, and it is gone.
    Missing,
    /// Something cites it, and this clone never had it: it belongs to the machine that made it.
    NotHere,
    /// It may be sound; without the key of this clone its author cannot be checked.
    NotVerifiableHere,
    /// It is sound and worth a word.
    Notice,
}

impl ProblemState {
    /// Every state.
    pub const ALL: [Self; 5] =
        [Self::Damaged, Self::Missing, Self::NotHere, Self::NotVerifiableHere, Self::Notice];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::NotHere => "not_here",
            Self::NotVerifiableHere => "not_verifiable_here",
            Self::Notice => "notice",
        }
    }
}

problem_classes! {
    /// A line that is not a row: not JSON, or not what this log holds.
    BadLine "verify.bad_line" Failure
        "a line is not a row; the rows around it are still read"
        "`premath doctor --fix` moves it out of the log and keeps a copy";
    /// A row that does not follow the row before it: something was removed, inserted, repeated or reordered.
    ChainBroken "verify.chain_broken" Failure
        "a row does not follow the one before it: rows were removed, inserted, repeated or reordered"
        "compare with a backup or another copy; `premath doctor --fix` accepts the log as it is, on record";
    /// A log that is not what this clone wrote, and is what git has: somebody committed it.
    Committed "verify.committed" Warning
        "git brought these lines, not this clone; they count, because they are committed"
        "`git log` says who committed them; the next write of premath takes them over";
    /// The database of the desk is damaged.
    DeskDamaged "verify.desk_damaged" Failure
        "the database of the desk is damaged, or what it holds is not what its digests say"
        "restore `.premath/desk.db` from a backup; nothing is read from it or written to it meanwhile";
    /// A document of another kind or version than its place says.
    DocumentForeign "verify.document_foreign" Failure
        "the document is not of the kind or version that belongs here: a newer premath or another program wrote it"
        "use the premath that wrote it, or move the file away";
    /// A document that cannot be read.
    DocumentInvalid "verify.document_invalid" Failure
        "the document cannot be read, and nothing is written over it"
        "mend it by hand, or let `premath doctor --fix` move it aside";
    /// A log without a head, so that nobody can tell whether it lost lines at its end.
    HeadMissing "verify.head_missing" Warning
        "nothing says how long the log should be, as in a fresh checkout; lines lost at its end would not be noticed"
        "the next write makes a head; `premath doctor --fix` makes it now";
    /// Lines that the head knows of are not what they were.
    LogChanged "verify.log_changed" Failure
        "another program changed lines that premath had written, as a merge or an editor does"
        "compare with a backup or version control; `premath doctor --fix` accepts the log as it is, on record";
    /// Lines that the head knows of are gone.
    LogShorter "verify.log_shorter_than_head" Failure
        "lines that were written and acknowledged are gone"
        "restore the log from a backup or version control; `premath doctor --fix` accepts the loss, on record";
    /// A clone whose git merges issue memory as text.
    MergeDriverMissing "verify.merge_driver_missing" Warning
        "git merges issue memory as text in this clone, because its configuration names no merge driver"
        "`premath init` or `premath doctor --fix` installs it";
    /// A log, or a line of one, that this clone did not write.
    NotAuthentic "verify.not_authentic" Failure
        "this clone did not write it: no run is resumed and no permit is spent because of it, and nothing is written to it"
        "compare with a backup; `premath doctor --fix` accepts issue memory as it is, `premath trust` a copied log, both on record";
    /// Without the key of the clone nobody can tell who wrote a log.
    NotVerifiableHere "verify.not_verifiable_here" Warning
        "the key of this clone is not here, so nothing says whether this clone wrote it; nothing is done because of it"
        "set HOME or XDG_STATE_HOME as when it was written; without the key logs can be read only";
    /// An object whose content is not what its name says.
    ObjectMismatch "verify.object_mismatch" Failure
        "the content of an object is not what its name promises: it was damaged or edited"
        "put the content again, or let `premath doctor --fix` move the damaged file aside";
    /// A reference to evidence that was here and is gone.
    ReferenceMissing "verify.reference_missing" Failure
        "a row cites evidence that is not in the store"
        "restore what is missing from a backup; nothing here can make it again";
    /// A reference to evidence that belongs to the machine that made it, and that this clone never had.
    ReferenceNotHere "verify.reference_not_here" Elsewhere
        "a row that came with this clone cites evidence that stayed on the machine that made it"
        "run `premath verify` on that machine to check it";
    /// A log that is older than this clone knows it.
    RolledBack "verify.rolled_back" Failure
        "rows that this clone wrote are gone, and what says so was rolled back with them"
        "restore the newest copy; `premath trust` takes the older one over, on record";
    /// A row whose content is not what its digest says.
    RowDigestMismatch "verify.row_digest_mismatch" Failure
        "a row was edited after it was written: its content and its digest do not agree"
        "compare with a backup; `premath doctor --fix` accepts the log as it is, on record";
    /// An older row of an issue behind a newer one.
    RowOrder "verify.row_order" Failure
        "rows of one issue run backwards, so that an older state has won over a newer one"
        "look at `premath issue history` and update the issue; `premath doctor --fix` accepts the log as it is, on record";
    /// A session that was written when the issues were different.
    SnapshotStale "verify.snapshot_stale" Warning
        "the session describes issues that have changed since"
        "expected while work goes on; `premath harness-session write` takes a new snapshot";
    /// A byte order mark, carriage returns or blank lines.
    TextForm "verify.text_form" Warning
        "another program rewrote the file in its own form; the rows are still read"
        "`premath doctor --fix` gives it its plain form back";
    /// Half a line behind the last newline, from a writer that was interrupted.
    TornTail "verify.torn_tail" Warning
        "a writer was interrupted; nothing that was acknowledged is lost"
        "the next write clears it, and so does `premath doctor --fix`";
    /// A log that was written without a key.
    Unkeyed "verify.unkeyed" Failure
        "it is from before logs were authenticated, or from a process without the key: it is read, and nothing is done because of it"
        "`premath trust --upgrade --reason TEXT` verifies its chain and takes it over, on record";
    /// A file that is there and cannot be read.
    Unreadable "verify.unreadable" Failure
        "the system does not let the file be read, so nothing is known of it"
        "check the permissions of the file and the health of the disk";
    /// A witness that does not have the name its content gives it.
    WitnessMismatch "verify.witness_mismatch" Failure
        "the content of a witness is not what its name promises: it was damaged or edited"
        "restore it from a backup, or let `premath doctor --fix` move it aside";
}

impl ProblemClass {
    /// Why a log with it is not relied on, where it says who wrote the log and not what is in it.
    #[must_use]
    pub const fn distrust(self) -> Option<Distrust> {
        if matches!(self, Self::NotAuthentic) {
            Some(Distrust::Foreign)
        } else if matches!(self, Self::NotVerifiableHere) {
            Some(Distrust::NoKey)
        } else if matches!(self, Self::RolledBack) {
            Some(Distrust::RolledBack)
        } else if matches!(self, Self::Unkeyed) {
            Some(Distrust::Unkeyed)
        } else {
            None
        }
    }

    /// Whether the stores are sound in spite of it.
    #[must_use]
    pub const fn is_warning(self) -> bool {
        matches!(self.weight(), Weight::Warning | Weight::Elsewhere)
    }

    /// Where what it is about stands.
    #[must_use]
    pub const fn state(self) -> ProblemState {
        match self.weight() {
            Weight::Elsewhere => ProblemState::NotHere,
            Weight::Warning if matches!(self, Self::NotVerifiableHere) => ProblemState::NotVerifiableHere,
            Weight::Warning => ProblemState::Notice,
            Weight::Failure if matches!(self, Self::ReferenceMissing) => ProblemState::Missing,
            Weight::Failure => ProblemState::Damaged,
        }
    }
}

impl fmt::Display for ProblemClass {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where: the file.
    pub path: PathBuf,
    /// Where in it, counted from one.
    pub line: Option<u64>,
    /// What kind.
    pub class: ProblemClass,
    /// What exactly, in words.
    pub detail: String,
    /// What is cited and not there.
    pub missing: Option<String>,
}

impl Problem {
    /// A problem of a whole file.
    pub fn of_file(class: ProblemClass, path: &Path, detail: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, class, detail: detail.into(), missing: None }
    }

    /// A problem of one line.
    pub fn of_line(class: ProblemClass, path: &Path, line: u64, detail: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), class, detail: detail.into(), missing: None }
    }
}

/// Problems as they are found, the first thousand of them kept and all of them counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problems {
    kept: Vec<Problem>,
    failures: u64,
    warnings: u64,
    elsewhere: u64,
}

impl Problems {
    /// Takes note of one.
    pub fn add(&mut self, problem: Problem) {
        match problem.class.weight() {
            Weight::Failure => self.failures += 1,
            Weight::Warning => self.warnings += 1,
            Weight::Elsewhere => self.elsewhere += 1,
        }
        if self.kept.len() < KEPT {
            self.kept.push(problem);
        }
    }

    /// Takes over what another check found.
    pub fn extend(&mut self, other: Self) {
        self.failures += other.failures;
        self.warnings += other.warnings;
        self.elsewhere += other.elsewhere;
        let room = KEPT.saturating_sub(self.kept.len());
        self.kept.extend(other.kept.into_iter().take(room));
    }

    /// Forgets all of them, and says how many they were.
    pub(crate) fn clear(&mut self) -> u64 {
        let count = self.total();
        *self = Self::default();
        count
    }

    /// Those that were kept.
    #[must_use]
    pub fn kept(&self) -> &[Problem] {
        &self.kept
    }

    /// How many of them are more than warnings.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.failures
    }

    /// How many were found.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.failures + self.warnings + self.elsewhere
    }

    /// How many are about evidence that this clone never had.
    #[must_use]
    pub fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// How many were found and not kept.
    #[must_use]
    pub fn omitted(&self) -> u64 {
        self.total().saturating_sub(u64::try_from(self.kept.len()).unwrap_or(u64::MAX))
    }

    /// Whether only warnings were found, if anything.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.failures == 0
    }
}
