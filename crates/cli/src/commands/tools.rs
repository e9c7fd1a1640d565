//! `premath tools`

use premath_host::Host;
use premath_kernel::{Object, Value};
use premath_wire::v1::{ForeignToolsAnswer, ToolListing};

use super::{answer, unwritable};
use crate::args::tools::{ApproveToolsArgs, ServerArgs, TargetArgs, ToolsArgs, ToolsCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::tools::{asked, brought, listed, shown};
use crate::{output, render, system};

pub(crate) fn run(args: &ToolsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let width = system::terminal_width();
    match &args.command {
        ToolsCommand::Catalogue(args) => {
            let arguments = Object::fields().finish();
            answer(host, "tool.catalogue", &arguments, &args.format, |listing: &ToolListing| {
                render::model::tools(listing, width)
            })
        }
        ToolsCommand::List(args) => {
            answer(host, "tool.list", &server(args), &args.format, |found| listed(found, width))
        }
        ToolsCommand::Check(args) => {
            answer(host, "tool.check", &server(args), &args.format, |found| listed(found, width))
        }
        ToolsCommand::Show(args) => answer(host, "tool.show", &target(args), &args.format, shown),
        ToolsCommand::Approve(args) => approve(args, host),
        ToolsCommand::Forget(args) => answer(host, "tool.forget", &target(args), &args.format, shown),
    }
}

fn server(args: &ServerArgs) -> Value<'_> {
    Object::fields().optional("server", args.server.as_deref()).finish()
}

fn target(args: &TargetArgs) -> Value<'_> {
    Object::fields().field("target", args.target.as_str()).finish()
}

fn wanted<'a>(args: &'a ApproveToolsArgs, digest: Option<&'a str>) -> Value<'a> {
    Object::fields().optional("digest", digest).field("target", args.target.as_str()).finish()
}

/// Shows what is there, asks, and approves exactly that: first the server, then its tools. Whoever cannot be asked brings the
/// digest of what they were shown.
fn approve(args: &ApproveToolsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    const ACTION: &str = "tool.approve";
    let can_be_asked = system::is_attended() && !args.format.json && !args.format.envelope;
    if args.digest.is_some() || !can_be_asked {
        let unasked = |found: &ForeignToolsAnswer| {
            let digest = found.shown_digest.as_deref().filter(|_| found.outcome == "shown");
            shown(found) + &digest.map(|digest| brought(&args.target, digest)).unwrap_or_default()
        };
        return answer(host, ACTION, &wanted(args, args.digest.as_deref()), &args.format, unasked);
    }
    loop {
        let effect = host.call(ACTION, &wanted(args, None)).map_err(CliError::action)?;
        let Ok(found) = serde_json::from_str::<ForeignToolsAnswer>(effect.payload.get()) else {
            // It is a refusal, and says why.
            return answer(host, ACTION, &wanted(args, None), &args.format, shown);
        };
        let Some(digest) = found.shown_digest.as_deref().filter(|_| found.outcome == "shown") else {
            output::text(&shown(&found))?;
            return Ok(Exit::Accepted);
        };
        output::text(&shown(&found))?;
        let is_shown = system::discard_typed_ahead();
        output::note(asked(&found));
        let said = system::typed_line(&host.agent.interrupt()).filter(|_| is_shown);
        if !said.is_some_and(|said| matches!(said.to_ascii_lowercase().as_str(), "y" | "yes")) {
            output::text("nothing was approved\n")?;
            return Ok(Exit::Rejected);
        }
        let effect = host.call(ACTION, &wanted(args, Some(digest))).map_err(CliError::action)?;
        let approved: ForeignToolsAnswer = match serde_json::from_str(effect.payload.get()) {
            Ok(approved) => approved,
            Err(_) => match serde_json::from_str(effect.payload.get()) {
                Ok(refused) => {
                    output::text(&crate::render::issue::refused(&refused))?;
                    return Ok(Exit::Rejected);
                }
                Err(source) => return Err(unwritable(premath_host::ActionError::Unwritable { source })),
            },
        };
        output::text(&shown(&approved))?;
        // A server that may be started now has tools that nobody has seen.
        if !found.tools.is_empty() {
            return Ok(Exit::Accepted);
        }
    }
}
