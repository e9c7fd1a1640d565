//! `premath runs`, `premath turn` and `premath replay`: runs as they are looked at afterwards.

use premath_host::Host;
use premath_kernel::{Moment, Object};
use premath_wire::v1::{ReplayAnswer, RunCard, RunForgotten, RunListing, TurnCard};

use super::dep::number;
use super::{answer, verdict};
use crate::args::run::{ReplayArgs, RunsArgs, RunsCommand, TurnArgs, TurnCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::run::{
    Extent, card, events, exported, forgotten, listing, replayed, turn_card, turn_case,
};
use crate::system;

/// `premath runs`
pub(crate) fn run(args: &RunsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        RunsCommand::List(args) => {
            let arguments = Object::fields()
                .optional("cursor", args.cursor.as_deref())
                .optional("issue", args.issue.as_deref())
                .optional("limit", args.limit.map(number))
                .optional("order", args.attention_first.then_some("attention"))
                .optional("q", args.query.as_deref())
                .optional("state", args.state.as_deref())
                .finish();
            answer(host, "run.list", &arguments, &args.format, |answer: &RunListing| {
                listing(answer, now(host), system::terminal_width())
            })
        }
        RunsCommand::Show(args) => {
            let arguments = Object::fields().field("runId", args.run.as_str()).finish();
            answer(host, "run.show", &arguments, &args.format, |answer: &RunCard| {
                card(answer, now(host), system::terminal_width())
            })
        }
        RunsCommand::Events(args) => {
            let arguments = Object::fields()
                .optional("cursor", args.cursor.as_deref())
                .optional("limit", args.limit.map(number))
                .field("runId", args.run.as_str())
                .finish();
            answer(host, "run.events", &arguments, &args.format, events)
        }
        RunsCommand::Export(args) => {
            let arguments = Object::fields()
                .field("runId", args.run.as_str())
                .optional("output", args.output.as_deref())
                .finish();
            answer(host, "run.export", &arguments, &args.format, exported)
        }
        RunsCommand::Forget(args) => {
            let arguments = Object::fields().field("runId", args.run.as_str()).finish();
            answer(host, "run.forget", &arguments, &args.format, |answer: &RunForgotten| forgotten(answer))
        }
    }
}

/// `premath turn`
pub(crate) fn turn(args: &TurnArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    match &args.command {
        TurnCommand::Show(args) => {
            let arguments = Object::fields().field("callId", args.call_id.as_str()).finish();
            let extent = if args.full { Extent::Whole } else { Extent::Beginning };
            answer(host, "turn.show", &arguments, &args.format, |card: &TurnCard| turn_card(card, extent))
        }
        TurnCommand::Export(args) => {
            let arguments = Object::fields()
                .field("callId", args.call_id.as_str())
                .optional("intent", args.intent.map(number))
                .finish();
            answer(host, "turn.export", &arguments, &args.format, turn_case)
        }
    }
}

/// `premath replay`
pub(crate) fn replay(args: &ReplayArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let arguments = Object::fields().field("runId", args.run.as_str()).finish();
    let exit =
        answer(host, "run.replay", &arguments, &args.format, |answer: &ReplayAnswer| replayed(answer))?;
    Ok(verdict(exit == Exit::Accepted, args.exit_zero))
}

fn now(host: &Host<'_>) -> Moment {
    host.workspace.clock.now()
}
