//! `conversation.*`: what a person and the assistant of the desk said, kept on this side. Messages are made from journals.

use premath_bd::desk::{Conversation, Desk, DeskRefusal, DeskRefusalClass, is_conversation_name};
use premath_kernel::Value;
use premath_wire::InputError;
use premath_wire::time::format_time;
use premath_wire::v1::{
    CallLogRow, ConversationCard, ConversationChanged, ConversationListing, ConversationLog, ConversationRow,
    RefusedAnswer, RefusedBecause,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::issue::{arguments, count, invalid, told};
use crate::agent::is_answered_in;
use crate::chat::{LogPlace, Streamed, log_of, messages_of};
use crate::desk_store::{existing_desk, open_desk};
use crate::table::{ActionError, Answer, Host, Nothing};

/// How many exchanges are shown when nobody says.
const SHOWN: u64 = 1_000;
/// How many calls are on a page of the log when nobody says.
const LOGGED: u64 = 100;
/// How many messages are looked at together.
const TOGETHER: usize = 32;

/// What `conversation.start` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StartArgs {
    /// What to call it in commands: letters, digits, `-` and `_`; a name is made when absent.
    id: Option<String>,
    /// What people call it; the beginning of its first message when absent.
    title: Option<String>,
}

/// What `conversation.show` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ShowArgs {
    /// The conversation.
    id: String,
    /// The most exchanges, the newest of them.
    limit: Option<u64>,
    /// Only exchanges before this one: what an earlier answer said.
    before: Option<u64>,
    /// A stream that the client is sent from its first chunk: what is in it is left out.
    streamed: Option<StreamedArgs>,
}

/// A stream of a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StreamedArgs {
    /// The run.
    run_id: String,
    /// Whether it began when the run was gone on with.
    resumed: bool,
}

/// What `conversation.rename` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RenameArgs {
    /// The conversation.
    id: String,
    /// What people call it from now on.
    title: String,
}

/// What `conversation.delete` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OneArgs {
    /// The conversation.
    id: String,
}

/// What `conversation.log` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LogArgs {
    /// The conversation.
    id: String,
    /// Where an earlier answer stopped.
    cursor: Option<String>,
    /// The most calls.
    limit: Option<u64>,
}

/// `conversation.list`
pub(crate) fn list(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.conversations()?,
        None => Vec::new(),
    };
    let items: Vec<ConversationRow> = found.iter().map(row).collect();
    let action = "conversation.list".to_owned();
    Answer::new("ok", &ConversationListing { action, count: count(items.len()), items })
}

/// `conversation.start`
pub(crate) fn start(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "conversation.start";
    let args: StartArgs = arguments(args)?;
    let id = told(args.id.as_deref()).map(named).transpose()?;
    let title = host.workspace.redactor.text(args.title.as_deref().unwrap_or_default()).into_owned();
    let by = host.workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
    let started = open_desk(host.workspace)?.start_conversation(id, &title, &by)?;
    changed(ACTION, started)
}

/// `conversation.rename`
pub(crate) fn rename(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "conversation.rename";
    let args: RenameArgs = arguments(args)?;
    let title = host.workspace.redactor.text(&args.title).into_owned();
    if title.trim().is_empty() {
        return Err(invalid("a title has letters", "title").into());
    }
    match desk_with(host, &args.id)? {
        Ok((desk, found)) => changed(ACTION, desk.rename_conversation(&found.id, &title)?),
        Err(refusal) => refuse(ACTION, &refusal),
    }
}

/// `conversation.delete`
pub(crate) fn delete(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "conversation.delete";
    let args: OneArgs = arguments(args)?;
    match desk_with(host, &args.id)? {
        Ok((_, found)) if is_answered_in(host.workspace, &found.id)? => refused(
            ACTION,
            ("conversation_busy", &format!("a run answers in `{}`", found.id), "stop it first, or wait"),
        ),
        Ok((desk, found)) => changed(ACTION, desk.delete_conversation(&found.id)?),
        Err(refusal) => refuse(ACTION, &refusal),
    }
}

/// `conversation.show`
pub(crate) fn show(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "conversation.show";
    let args: ShowArgs = arguments(args)?;
    let (desk, found) = match desk_with(host, &args.id)? {
        Ok(found) => found,
        Err(refusal) => return refuse(ACTION, &refusal),
    };
    let limit = usize::try_from(args.limit.unwrap_or(SHOWN)).unwrap_or(usize::MAX);
    let streamed =
        args.streamed.map(|streamed| Streamed { run_id: streamed.run_id, is_resumed: streamed.resumed });
    let said = desk.messages_before(&found.id, args.before, limit)?;
    let is_driven = is_answered_in(host.workspace, &found.id)?;
    let first = said.first().map(|said| said.position);
    let mut messages = Vec::new();
    for said in &said {
        messages.extend(messages_of(host.workspace, said, streamed.as_ref(), is_driven)?);
    }
    let card = ConversationCard {
        action: ACTION.to_owned(),
        active: is_driven,
        conversation: row(&found),
        messages,
        earlier: first.filter(|first| *first > 1),
    };
    Answer::new("ok", &card)
}

/// `conversation.log`
pub(crate) fn log(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    const ACTION: &str = "conversation.log";
    let args: LogArgs = arguments(args)?;
    let (desk, found) = match desk_with(host, &args.id)? {
        Ok(found) => found,
        Err(refusal) => return refuse(ACTION, &refusal),
    };
    let place = match told(args.cursor.as_deref()) {
        None => LogPlace { position: 1, calls: 0 },
        Some(cursor) => {
            LogPlace::read(cursor).ok_or_else(|| invalid("expected a cursor of an answer", "cursor"))?
        }
    };
    let limit = usize::try_from(args.limit.unwrap_or(LOGGED)).unwrap_or(usize::MAX).max(1);
    let (items, next) = page(host, &desk, &found, place, limit)?;
    let answer = ConversationLog {
        action: ACTION.to_owned(),
        id: found.id,
        count: count(items.len()),
        items,
        next_cursor: next.map(LogPlace::cursor),
    };
    Answer::new("ok", &answer)
}

/// A page of the log: only the journals of the messages on it are read.
fn page(
    host: &Host<'_>,
    desk: &Desk,
    found: &Conversation,
    place: LogPlace,
    limit: usize,
) -> Result<(Vec<CallLogRow>, Option<LogPlace>), ActionError> {
    let mut items: Vec<CallLogRow> = Vec::new();
    let (mut after, mut skipped) = (place.position.saturating_sub(1), place.calls);
    loop {
        let said = desk.messages_after(&found.id, after, TOGETHER)?;
        let Some(last) = said.last().map(|said| said.position) else { return Ok((items, None)) };
        for said in &said {
            let rows = log_of(host.workspace, said)?;
            let skip = std::mem::take(&mut skipped);
            let room = limit - items.len();
            let left = rows.len().saturating_sub(skip);
            items.extend(rows.into_iter().skip(skip).take(room));
            if left > room {
                return Ok((items, Some(LogPlace { position: said.position, calls: skip + room })));
            }
        }
        after = last;
    }
}

fn named(id: &str) -> Result<&str, InputError> {
    if is_conversation_name(id) {
        Ok(id)
    } else {
        Err(invalid("letters, digits, `-` and `_`, at most 64", "id"))
    }
}

/// The desk, and the conversation that an argument names.
fn desk_with(host: &Host<'_>, id: &str) -> Result<Result<(Desk, Conversation), DeskRefusal>, ActionError> {
    let id = named(id)?;
    let found = match existing_desk(host.workspace)? {
        Some(desk) => desk.conversation(id)?.map(|found| (desk, found)),
        None => None,
    };
    Ok(found.ok_or_else(|| DeskRefusal {
        class: DeskRefusalClass::ConversationMissing,
        detail: format!("there is no conversation `{id}`"),
    }))
}

fn changed(action: &str, made: Result<Conversation, DeskRefusal>) -> Result<Answer, ActionError> {
    match made {
        Ok(made) => Answer::new(
            "accepted",
            &ConversationChanged { action: action.to_owned(), conversation: row(&made) },
        ),
        Err(refusal) => refuse(action, &refusal),
    }
}

fn refuse(action: &str, refusal: &DeskRefusal) -> Result<Answer, ActionError> {
    refused(action, (refusal.class.code(), &refusal.detail, refusal.class.hint()))
}

fn refused(action: &str, (class, detail, hint): (&str, &str, &str)) -> Result<Answer, ActionError> {
    let refused =
        RefusedBecause { class: class.to_owned(), detail: detail.to_owned(), hint: hint.to_owned() };
    Answer::refused(class, &RefusedAnswer { action: action.to_owned(), issues_path: String::new(), refused })
}

fn row(conversation: &Conversation) -> ConversationRow {
    ConversationRow {
        id: conversation.id.clone(),
        title: conversation.title.clone(),
        created_by: conversation.created_by.clone(),
        created_at: format_time(conversation.created_at),
        updated_at: format_time(conversation.updated_at),
        message_count: conversation.messages,
    }
}
