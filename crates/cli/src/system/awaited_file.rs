//! A file that is to hold what something comes to, made ready before that is begun: whoever cannot be told afterwards is
//! better not asked at all.
//!
//! It must not replace what it was not made for: a file of premath's own, or one that holds something else.

#![expect(clippy::disallowed_methods, reason = "this module owns the command's access to the system")]

use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use super::outside::{beside, private_file};
use crate::error::CliError;

/// So much of the end of a file is looked at.
const TAIL: u64 = 2_048;

/// What such a file is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Purpose {
    /// The flag that names it.
    pub(crate) flag: &'static str,
    /// What it holds, with its article.
    pub(crate) what: &'static str,
    /// Whether a file with this beginning and this end holds one.
    pub(crate) is_one: fn(&[u8], &[u8]) -> bool,
}

/// A place that is taken and not filled yet. What was there stays until it is.
#[derive(Debug)]
pub(crate) struct AwaitedFile {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    is_filled: bool,
}

impl AwaitedFile {
    /// Takes the place that a person named.
    pub(crate) fn new(path: &Path, purpose: Purpose) -> Result<Self, CliError> {
        let target = target(path, purpose)?;
        let temporary = beside(&target, &format!("{}.tmp", std::process::id()));
        let file = private_file(&temporary).map_err(|error| unwritable(path, &error, purpose))?;
        Ok(Self { target, temporary, file, is_filled: false })
    }

    /// Fills it as a whole: readers see the old text or the new one.
    pub(crate) fn fill(mut self, bytes: &[&[u8]]) -> io::Result<()> {
        for part in bytes {
            self.file.write_all(part)?;
        }
        self.file.sync_all()?;
        std::fs::rename(&self.temporary, &self.target)?;
        self.is_filled = true;
        Ok(())
    }
}

impl Drop for AwaitedFile {
    fn drop(&mut self) {
        if !self.is_filled {
            // Nobody was promised anything; what is left of it must not stay.
            drop(std::fs::remove_file(&self.temporary));
        }
    }
}

/// Where a name leads, through whatever links; refused where nothing of the kind may be put.
fn target(path: &Path, purpose: Purpose) -> Result<PathBuf, CliError> {
    let Purpose { flag, what, .. } = purpose;
    let shown = path.display();
    let real = match std::fs::canonicalize(path) {
        Err(error) if error.kind() == ErrorKind::NotFound && std::fs::symlink_metadata(path).is_err() => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let folder = std::fs::canonicalize(folder.unwrap_or_else(|| Path::new(".")));
            folder.map(|folder| folder.join(path.file_name().unwrap_or_default()))
        }
        found => found,
    };
    let real = real.map_err(|error| unwritable(path, &error, purpose))?;
    if real.iter().any(|part| part == ".premath") {
        let what = format!("`{shown}` is below `.premath`, where everything is premath's own");
        return Err(CliError::usage(what, format!("{flag} takes a file elsewhere")));
    }
    match std::fs::metadata(&real) {
        Ok(found) if found.is_dir() => {
            let what = format!("`{shown}` is a folder");
            Err(CliError::usage(what, format!("{flag} takes a file")))
        }
        Ok(found) if !found.is_file() || (found.len() > 0 && !holds_one(&real, purpose)) => {
            let what = format!("`{shown}` is there and is not {what}");
            Err(CliError::usage(what, "name another file, or take this one away first"))
        }
        Ok(_) => Ok(real),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(real),
        Err(error) => Err(unwritable(path, &error, purpose)),
    }
}

/// Whether a file holds what is about to be put there. One that cannot be read does not.
fn holds_one(path: &Path, purpose: Purpose) -> bool {
    let ends = || -> io::Result<(Vec<u8>, Vec<u8>)> {
        let mut file = File::open(path)?;
        let (mut first, mut last) = (Vec::new(), Vec::new());
        (&file).take(64).read_to_end(&mut first)?;
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
        file.take(TAIL).read_to_end(&mut last)?;
        Ok((first, last))
    };
    ends().is_ok_and(|(first, last)| (purpose.is_one)(&first, &last))
}

fn unwritable(path: &Path, error: &io::Error, purpose: Purpose) -> CliError {
    let what = format!("cannot write `{}`: {error}", path.display());
    CliError::environment(what, format!("{} takes a file in a folder that exists", purpose.flag))
}
