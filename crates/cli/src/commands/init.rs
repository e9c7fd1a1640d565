//! `premath init`

use std::path::{Path, PathBuf};

use premath_kernel::Object;

use super::{answer, in_folder, keyed_disk};
use crate::args::init::InitArgs;
use crate::error::CliError;
use crate::exit::Exit;
use crate::{output, render, system};

/// It is about the current folder, also within a repository that is above it.
pub(crate) fn run(args: &InitArgs) -> Result<Exit, CliError> {
    let exit = in_folder(PathBuf::new(), args.terminal.override_reason.as_deref(), |host| {
        let arguments = Object::fields()
            .optional("example", args.example.as_deref())
            .optional("import", args.import.as_deref())
            .finish();
        answer(host, "workspace.init", &arguments, &args.format, render::init::done)
    })?;
    if let (Some(folder), Exit::Accepted) = (&args.example, exit)
        && !system::git_repository(Path::new(folder))
    {
        output::warning("git is not available here: the example is a plain folder");
    } else if let (Some(folder), Exit::Accepted) = (&args.example, exit) {
        install_merge_driver(Path::new(folder));
    }
    Ok(exit)
}

/// The example became a clone only now.
fn install_merge_driver(folder: &Path) {
    let disk = keyed_disk(Vec::new());
    if let Some(Err(why)) = disk.clone_auth().map(|auth| auth.install_merge_driver(folder)) {
        output::warning(&format!("git merges the issues of the example as text: {why}"));
    }
}
