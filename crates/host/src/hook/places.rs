//! Where another agent's paths lie: below the workdir, in the one spelling that rules and guards know, or nowhere.
//!
//! Text alone; links are looked at where the path is known. It must not follow `..` or `~`: what they lead to is the agent's to
//! say, in a path that can be looked at.

use std::path::{Path, PathBuf};

use premath_tusk::policy::{PolicyCode, PolicyError};
use premath_tusk::tools::WorkPath;

/// The workdir, and where the agent stands in it.
#[derive(Debug)]
pub(super) struct Places {
    workdir: PathBuf,
    /// Other names of the workdir, such as one that goes over a link.
    spellings: Vec<String>,
    here: String,
}

impl Places {
    /// The places of a workdir for an agent that stands in a folder; in the workdir itself when it does not say.
    pub(super) fn new(workdir: PathBuf, spellings: &[String], folder: Option<&str>) -> Self {
        let here = folder.map_or_else(|| workdir.to_string_lossy().into_owned(), str::to_owned);
        Self { workdir, spellings: spellings.to_vec(), here }
    }

    /// A path of the agent's, from the workdir.
    ///
    /// # Errors
    /// It does not lie there, or is no path.
    pub(super) fn below(&self, path: &str) -> Result<String, Box<PolicyError>> {
        if path.starts_with('~') {
            return Err(outside(&format!("`{path}` is not followed; give the path from the workdir")));
        }
        let whole = if path.starts_with('/') { path.to_owned() } else { format!("{}/{path}", self.here) };
        let plain = self.in_one_spelling(&whole);
        let read = WorkPath::read(&plain, &self.workdir).map_err(|failure| outside(&failure.message))?;
        Ok(read.as_str().to_owned())
    }

    /// A pattern of the agent's, from the workdir where it begins there.
    pub(super) fn pattern(&self, pattern: &str) -> Result<String, Box<PolicyError>> {
        if pattern.starts_with('~') || pattern.split('/').any(|part| part == "..") {
            return Err(outside(&format!("`{pattern}` leads outside")));
        }
        let Some(whole) = pattern.starts_with('/').then(|| self.in_one_spelling(pattern)) else {
            return Ok(pattern.to_owned());
        };
        let below = Path::new(&whole).strip_prefix(&self.workdir).ok().and_then(Path::to_str);
        below.map(str::to_owned).ok_or_else(|| outside(&format!("`{pattern}` leads outside")))
    }

    /// Where the agent stands, from the workdir.
    pub(super) fn here(&self) -> Result<String, Box<PolicyError>> {
        self.below(&self.here)
    }

    fn in_one_spelling(&self, path: &str) -> String {
        let below = |root: &String| {
            let root = root.trim_end_matches('/');
            path.strip_prefix(root)
                .filter(|rest| !root.is_empty() && (rest.is_empty() || rest.starts_with('/')))
        };
        match self.spellings.iter().find_map(below) {
            Some(rest) => format!("{}{rest}", self.workdir.to_string_lossy()),
            None => path.to_owned(),
        }
    }
}

fn outside(what: &str) -> Box<PolicyError> {
    let mut error = PolicyError::new(PolicyCode::Denied, "workdir", what);
    error.hint = format!("{what}; nothing outside of the repository is for you here");
    Box::new(error)
}

#[cfg(test)]
mod tests;
