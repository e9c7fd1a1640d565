//! What is made to fail, and when: the n-th operation from now, of any kind or of one, once or for ever.

use std::collections::BTreeMap;
use std::io;

pub(super) const NO_SUCH_FILE: i32 = 2;
pub(super) const INPUT_OUTPUT: i32 = 5;
pub(super) const BAD_HANDLE: i32 = 9;
pub(super) const EXISTS: i32 = 17;
pub(super) const NOT_A_FOLDER: i32 = 20;
pub(super) const IS_A_FOLDER: i32 = 21;
pub(super) const INVALID: i32 = 22;
pub(super) const NO_SPACE: i32 = 28;

pub(super) fn errno(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

/// A kind of operation; one system call each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// `Disk::open`
    Open,
    /// `Disk::create_folder`
    CreateFolder,
    /// `Disk::rename`
    Rename,
    /// `Disk::remove`
    Remove,
    /// `Disk::list`
    List,
    /// `Disk::sync_folder`
    SyncFolder,
    /// `DiskFile::stat`
    Stat,
    /// `DiskFile::read_at`
    Read,
    /// `DiskFile::append`
    Append,
    /// `DiskFile::write_at`
    WriteAt,
    /// `DiskFile::set_length`
    SetLength,
    /// `DiskFile::sync`
    Sync,
    /// `DiskFile::lock`
    Lock,
}

impl Operation {
    /// Whether the disk may be another one afterwards.
    pub(super) const fn changes(self) -> bool {
        !matches!(self, Self::List | Self::Stat | Self::Read | Self::Lock)
    }

    const fn writes(self) -> bool {
        matches!(self, Self::Append | Self::WriteAt)
    }
}

/// How an operation fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// `EIO`. A sync that fails so loses what it should have written.
    InputOutput,
    /// `ENOSPC`. As above for a sync.
    NoSpace,
    /// A write takes at most so many bytes, and fewer than it was given; a failure of reads alone gives at most so many,
    /// and at least one. Other operations are not touched or counted.
    Short(usize),
}

/// For how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lasting {
    /// Only that operation.
    Once,
    /// That one and all after it.
    ForEver,
}

/// One thing that goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The kind that fails; any kind without one.
    pub of: Option<Operation>,
    /// Which of them, counted from now; 1 is the next.
    pub nth: u64,
    /// How.
    pub fault: Fault,
    /// For how long.
    pub lasting: Lasting,
}

/// What becomes of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Proceed,
    Short(usize),
    Fail(i32),
}

impl Verdict {
    pub(super) fn proceed(self) -> io::Result<()> {
        match self {
            Self::Proceed | Self::Short(_) => Ok(()),
            Self::Fail(code) => Err(errno(code)),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct Faults {
    /// With how many matching operations each has seen.
    failures: Vec<(Failure, u64)>,
    counts: BTreeMap<Operation, u64>,
    pub(super) failed: Vec<Operation>,
}

impl Faults {
    pub(super) fn add(&mut self, failure: Failure) {
        self.failures.push((failure, 0));
    }

    pub(super) fn clear(&mut self) {
        self.failures.clear();
    }

    pub(super) fn count(&self, of: Option<Operation>) -> u64 {
        match of {
            Some(operation) => self.counts.get(&operation).copied().unwrap_or_default(),
            None => self.counts.values().sum(),
        }
    }

    /// Counts an operation and says what becomes of it.
    pub(super) fn judge(&mut self, operation: Operation) -> Verdict {
        *self.counts.entry(operation).or_default() += 1;
        let mut verdict = Verdict::Proceed;
        for (failure, seen) in &mut self.failures {
            let untouched = matches!(failure.fault, Fault::Short(_))
                && !operation.writes()
                && failure.of != Some(Operation::Read);
            if failure.of.is_some_and(|of| of != operation) || untouched {
                continue;
            }
            *seen += 1;
            let due = match failure.lasting {
                Lasting::Once => *seen == failure.nth,
                Lasting::ForEver => *seen >= failure.nth,
            };
            if due && verdict == Verdict::Proceed {
                verdict = match failure.fault {
                    Fault::InputOutput => Verdict::Fail(INPUT_OUTPUT),
                    Fault::NoSpace => Verdict::Fail(NO_SPACE),
                    Fault::Short(taken) => Verdict::Short(taken),
                };
            }
        }
        if verdict != Verdict::Proceed {
            self.failed.push(operation);
        }
        verdict
    }
}
