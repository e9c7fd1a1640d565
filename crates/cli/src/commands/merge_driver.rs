//! `premath merge-driver`: what git calls to merge issue memory.
//!
//! The result takes the place of our version at once, or not at all. It must not change anything else in the repository, and must
//! not end well when it did not merge: git's text merge comes next then.

use std::path::Path;

use premath_bd::issues::{FileIssues, MergedIssues, merge_histories, merge_issues};
use premath_wire::v1::{MergeAnswer, MergeRenamed};

use super::keyed_disk;
use crate::args::merge::MergeDriverArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

/// What the history of issue memory is called.
const HISTORY: &str = ".history.";

pub(crate) fn run(args: &MergeDriverArgs) -> Result<Exit, CliError> {
    let read = |path: &Path| -> Result<Vec<u8>, CliError> {
        let failed =
            |what: String| CliError::environment(what, "git calls this command with files that exist");
        match system::read_bytes(path) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(failed(format!("`{}` does not exist", path.display()))),
            Err(error) => Err(failed(format!("cannot read `{}`: {error}", path.display()))),
        }
    };
    let (base, ours, theirs) = (read(&args.base)?, read(&args.ours)?, read(&args.theirs)?);
    let name = args.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let merged = if name.contains(HISTORY) {
        MergedIssues { bytes: merge_histories(&base, &ours, &theirs), ..MergedIssues::default() }
    } else {
        merge_issues(&base, &ours, &theirs)
    };
    system::replace_file(&args.ours, &merged.bytes).map_err(|error| {
        let what = format!("cannot write `{}`: {error}", args.ours.display());
        CliError::environment(what, "look at the permissions and the free space of the folder")
    })?;
    remember(&args.path, &merged.bytes);
    let renamed = merged.renamed.into_iter();
    let answer = MergeAnswer {
        path: args.path.display().to_string(),
        conflicts: merged.disputed,
        renamed: renamed.map(|(former, id)| MergeRenamed { former, id }).collect(),
    };
    if args.format.json {
        output::json(&answer)?;
    } else {
        output::text(&render::merge::merged(&answer))?;
    }
    Ok(Exit::Accepted)
}

/// Notes that these bytes are of this clone: git puts them into the working tree before a commit has them. Without it they count
/// from the commit on.
fn remember(path: &Path, bytes: &[u8]) {
    let issues = FileIssues::new(keyed_disk(Vec::new()), path.to_path_buf());
    if let Err(error) = issues.record_merge(bytes) {
        output::warning(&format!("{error}: commit the merge before the next change of issue memory"));
    }
}
