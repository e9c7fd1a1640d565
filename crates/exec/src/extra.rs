//! What stays as it is beyond the standard names: what the configuration adds, as one workdir has it.
//!
//! A relative path is meant from every workdir. An absolute one is a file that somebody keeps, and counts where it lies below
//! the workdir. It must not decide what deserves it.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use premath_tusk::tools::ProtectedPaths;

use crate::linux::OsSandbox;
use crate::protected::protected;

/// The further protected paths of a workdir, which is given resolved, relative to it.
///
/// A kept file that is not there is left out: whoever keeps it may make it while a command runs, and must not find a
/// stand-in in its place.
pub(crate) fn further(workdir: &Path, extra: &[PathBuf]) -> Vec<PathBuf> {
    let named: Vec<PathBuf> = extra.iter().filter(|path| path.is_relative()).cloned().collect();
    // What holds a folder holds what is in it.
    let is_held = |path: &PathBuf| named.iter().any(|folder| path.starts_with(folder));
    let is_there = |path: &PathBuf| std::fs::symlink_metadata(workdir.join(path)).is_ok();
    let kept: Vec<PathBuf> = kept(workdir, extra).filter(|path| is_there(path) && !is_held(path)).collect();
    named.into_iter().chain(kept).collect()
}

fn kept(workdir: &Path, extra: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    extra.iter().filter_map(move |path| {
        let below = path.strip_prefix(workdir).ok()?;
        (!below.as_os_str().is_empty()).then(|| below.to_path_buf())
    })
}

impl OsSandbox {
    /// What no tool changes in a workdir: the standard names, what this sandbox holds beyond them, whether it is there or
    /// not, and what any of it is a link to.
    ///
    /// # Errors
    /// The workdir cannot be resolved.
    pub fn protected_paths(&self, workdir: &Path) -> std::io::Result<ProtectedPaths> {
        let workdir = std::fs::canonicalize(workdir)?;
        let extra = self.extra_protected();
        let mut held = protected(&workdir, &further(&workdir, extra)).all;
        held.extend(kept(&workdir, extra));
        Ok(ProtectedPaths::standard().with_paths(held.iter().filter_map(|path| path.to_str())))
    }
}
