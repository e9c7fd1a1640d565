//! `premath conversations`

use premath_host::Host;
use premath_kernel::Object;
use premath_wire::v1::{ConversationCard, ConversationChanged, ConversationListing, ConversationLog};

use super::answer;
use super::dep::number;
use crate::args::conversation::{ConversationsArgs, ConversationsCommand};
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::conversation as render;
use crate::system;

pub(crate) fn run(args: &ConversationsArgs, host: &Host<'_>) -> Result<Exit, CliError> {
    let (now, width) = (host.workspace.clock.now(), system::terminal_width());
    let one = |id: &str| Object::fields().field("id", id.to_owned());
    match &args.command {
        ConversationsCommand::List(args) => {
            let nothing = Object::fields().finish();
            answer(host, "conversation.list", &nothing, &args.format, |found: &ConversationListing| {
                render::listing(found, now, width)
            })
        }
        ConversationsCommand::Start(args) => {
            let arguments = Object::fields()
                .optional("id", args.id.as_deref())
                .optional("title", args.title.as_deref())
                .finish();
            answer(host, "conversation.start", &arguments, &args.format, |made: &ConversationChanged| {
                render::changed(made, "began")
            })
        }
        ConversationsCommand::Show(args) => {
            let arguments = one(&args.id)
                .optional("before", args.before.map(number))
                .optional("limit", args.limit.map(number))
                .finish();
            answer(host, "conversation.show", &arguments, &args.format, |found: &ConversationCard| {
                render::card(found)
            })
        }
        ConversationsCommand::Rename(args) => {
            let arguments = one(&args.id).field("title", args.title.as_str()).finish();
            answer(host, "conversation.rename", &arguments, &args.format, |made: &ConversationChanged| {
                render::changed(made, "renamed")
            })
        }
        ConversationsCommand::Delete(args) => {
            let arguments = one(&args.id).finish();
            answer(host, "conversation.delete", &arguments, &args.format, |made: &ConversationChanged| {
                render::changed(made, "deleted")
            })
        }
        ConversationsCommand::Log(args) => {
            let arguments = one(&args.id)
                .optional("cursor", args.cursor.as_deref())
                .optional("limit", args.limit.map(number))
                .finish();
            answer(host, "conversation.log", &arguments, &args.format, |found: &ConversationLog| {
                render::log(found, now, width)
            })
        }
    }
}
