//! `premath run --demo`: the embedded example, run, verified and replayed, and where to look next.

use std::path::{Path, PathBuf};

use premath_host::{Host, LoopSettings, Settings, Workspace};
use premath_kernel::Object;
use premath_wire::v1::ReplayAnswer;

use super::super::{in_folder, unwritable};
use super::{Asked, started, watched};
use crate::args::run::RunArgs;
use crate::demo::{self, DemoPlan};
use crate::error::CliError;
use crate::exit::Exit;
use crate::output::{DIM, GOOD, STRONG, TIP};
use crate::render::{self, plain};
use crate::{output, system};

pub(super) fn run(args: &RunArgs) -> Result<Exit, CliError> {
    let folder = match &args.keep {
        Some(folder) => PathBuf::from(system::absolute(Some(folder))?),
        None => system::fresh_folder("premath-demo").map_err(|error| {
            CliError::environment(
                format!("cannot make a temporary folder: {error}"),
                "name a folder with --keep",
            )
        })?,
    };
    let plan = demo::prepare(&folder)?;
    let is_person = !args.format.json && !args.format.envelope;
    if is_person {
        output::text(&opening(&folder))?;
    }
    in_folder(folder.clone(), None, |host| played(args, &plan, host, &folder))
}

fn opening(folder: &Path) -> String {
    format!(
        "{STRONG}A small project whose totals are wrong, and a scripted model that mends it.{STRONG:#}\n\
         {DIM}No key, no network: the tools, the sandbox, the checks and the files are real. All of it is in {}{DIM:#}\n\n",
        plain(&folder.to_string_lossy())
    )
}

fn played(args: &RunArgs, plan: &DemoPlan, host: &Host<'_>, folder: &Path) -> Result<Exit, CliError> {
    // The example shows what it was written for, whatever a person allows their own runs.
    let settings = Settings { turn_loop: LoopSettings::default(), ..host.workspace.settings.clone() };
    let workspace = Workspace { settings, ..host.workspace.clone() };
    let host = &Host { workspace: &workspace, ..*host };
    let models = [plan.model.clone()];
    let asked = Asked { task: Some(&plan.task), issue: Some(&plan.issue), models: &models };
    let arguments = started(args, &asked, None);
    if args.format.envelope {
        return super::shown(host, "run.start", &arguments, args.format);
    }
    let (answer, exit) = watched(host, "run.start", &arguments, args.format)?;
    let Some(answer) = answer.filter(|_| exit == Exit::Accepted) else { return Ok(exit) };
    let verified = host.call("workspace.verify", &Object::fields().finish()).map_err(CliError::action)?;
    let run = Object::fields().field("runId", answer.run_id.as_str()).finish();
    let replayed = host.call("run.replay", &run).map_err(CliError::action)?;
    let is_sound = [&verified.result_class, &replayed.result_class].iter().all(|class| *class != "rejected");
    if !args.format.json {
        let replay: ReplayAnswer = serde_json::from_str(replayed.payload.get())
            .map_err(|source| unwritable(premath_host::ActionError::Unwritable { source }))?;
        let is_verified = verified.result_class != "rejected";
        output::text(&closing(is_verified, &replay, &answer.run_id, folder))?;
    }
    Ok(if is_sound { Exit::Accepted } else { Exit::Rejected })
}

fn closing(is_verified: bool, replay: &ReplayAnswer, run: &str, folder: &Path) -> String {
    let verified = if is_verified {
        format!("{GOOD}✓ verified{GOOD:#}: everything on the disk is as it was written\n")
    } else {
        format!("{}✗ not verified{:#}: `premath verify` says what is wrong\n", output::BAD, output::BAD)
    };
    let folder = plain(&folder.to_string_lossy());
    format!(
        "\n{verified}{}\n{STRONG}Where to look next{STRONG:#}\n  {TIP}cd {folder}{TIP:#}\n  \
         {TIP}premath runs show {}{TIP:#}   {DIM}its turns; then `premath turn show` one of them{DIM:#}\n  \
         {TIP}premath issue history {}{TIP:#}   {DIM}what the gate let through{DIM:#}\n  \
         {TIP}sh check.sh{TIP:#}   {DIM}it passes now{DIM:#}\n",
        render::run::replayed(replay),
        plain(run),
        demo::ISSUE
    )
}
