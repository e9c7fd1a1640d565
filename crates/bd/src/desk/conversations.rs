//! Conversations: which there are, and which run answers which message of a person.
//!
//! What was said and done is in the journals of the runs; here is what a person wrote, before a run has begun, and the
//! order. A conversation is nobody's authority, and deleting one deletes no journal. It must not interpret a message.

use premath_kernel::Moment;
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::answer::{DeskAnswer, DeskRefusalClass, Stop};
use super::database::{Desk, Writing, from_stored};
use super::file::{signed, unsigned};
use crate::error::StoreError;

/// The most conversations there are at once.
pub const MOST_CONVERSATIONS: u64 = 200;
/// The most characters of a message.
pub const LONGEST_MESSAGE: usize = 32_000;
/// The most characters of a title.
pub const LONGEST_TITLE: usize = 200;
/// The most characters of the name of a conversation or a message.
const LONGEST_ID: usize = 64;
/// So much of its first message names a conversation that nobody named.
const TITLED_BY: usize = 80;

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// `cnv_` and twelve hexadecimal digits, or what its client calls it.
    pub id: String,
    /// What people call it. Empty until somebody says something in it.
    pub title: String,
    /// Who began it.
    pub created_by: String,
    /// When.
    pub created_at: Moment,
    /// When somebody last said something in it, or named it.
    pub updated_at: Moment,
    /// How many messages of people there are.
    pub messages: u64,
}

/// A message of a person, and the run that answers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidMessage {
    /// The conversation.
    pub conversation: String,
    /// Which message it is, from 1.
    pub position: u64,
    /// What its client calls it.
    pub message_id: String,
    /// The run.
    pub run_id: String,
    /// What was said, without what must not be kept. Empty for a run that kept nothing.
    pub text: String,
    /// When.
    pub at: Moment,
    /// What a model had said of a turn that somebody stopped.
    pub unfinished: String,
}

/// A message that is about to be answered.
#[derive(Debug, Clone, Copy)]
pub struct NewMessage<'m> {
    /// The conversation.
    pub conversation: &'m str,
    /// What its client calls it; a name is made where nobody gives one.
    pub message_id: Option<&'m str>,
    /// The run that answers it.
    pub run_id: &'m str,
    /// What is said.
    pub text: &'m str,
    /// Who begins the conversation with it, where there is none of that name; nobody, and it must be there.
    pub begun_by: Option<&'m str>,
}

/// Whether a text can name a conversation or a message: letters, digits, `-`, `_`, at most 64.
#[must_use]
pub fn is_conversation_name(text: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    !text.is_empty() && text.len() <= LONGEST_ID && text.chars().all(is_plain)
}

impl Desk {
    /// Begins a conversation.
    ///
    /// # Errors
    /// A database that failed. Refuses a name or a title that cannot be, a name that is taken, and one too many.
    pub fn start_conversation(&self, id: Option<&str>, title: &str, by: &str) -> DeskAnswer<Conversation> {
        self.write(|writing| {
            let title = checked_title(title)?;
            let id = match id {
                Some(id) if is_conversation_name(id) => id.to_owned(),
                Some(id) => return Err(invalid(format!("`{}` is no name of a conversation", shown(id)))),
                None => writing.fresh("cnv_", "conversations")?,
            };
            if conversation_row(&writing.transaction, &id)?.is_some() {
                return Err(invalid(format!("there is a conversation `{id}` already")));
            }
            Ok(Ok(begin(writing, &id, title, by)?))
        })
    }

    /// A conversation.
    ///
    /// # Errors
    /// A database that failed.
    pub fn conversation(&self, id: &str) -> Result<Option<Conversation>, StoreError> {
        self.read(|connection| conversation_row(connection, id))
    }

    /// Every conversation, the one that was last spoken in first.
    ///
    /// # Errors
    /// A database that failed.
    pub fn conversations(&self) -> Result<Vec<Conversation>, StoreError> {
        self.read(|connection| {
            let query = format!("{SELECT} ORDER BY updated_at DESC, conversations.number DESC");
            let mut statement = connection.prepare(&query)?;
            let mut rows = statement.query([])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(conversation(row)?);
            }
            Ok(found)
        })
    }

    /// Gives a conversation another title.
    ///
    /// # Errors
    /// A database that failed. Refuses one that is not there, and a title that cannot be.
    pub fn rename_conversation(&self, id: &str, title: &str) -> DeskAnswer<Conversation> {
        self.write(|writing| {
            existing(writing, id)?;
            let title = checked_title(title)?;
            let update = "UPDATE conversations SET title = ?2, updated_at = ?3 WHERE id = ?1";
            writing.transaction.execute(update, params![id, title, writing.now])?;
            Ok(Ok(existing(writing, id)?))
        })
    }

    /// Deletes a conversation: what was said in it and its order. The journals of its runs stay.
    ///
    /// # Errors
    /// A database that failed. Refuses one that is not there.
    pub fn delete_conversation(&self, id: &str) -> DeskAnswer<Conversation> {
        let deleted = self.write(|writing| {
            let gone = existing(writing, id)?;
            writing.transaction.execute("DELETE FROM messages WHERE conversation = ?1", [id])?;
            writing.transaction.execute("DELETE FROM conversations WHERE id = ?1", [id])?;
            Ok(Ok(gone))
        })?;
        self.settle()?;
        Ok(deleted)
    }

    /// Puts a message behind those that are there, with the run that is about to answer it. A conversation that is begun
    /// with it is there with its message, or not at all.
    ///
    /// # Errors
    /// A database that failed. Refuses a conversation that is not there, a message that is too long or known already.
    pub fn say(&self, message: &NewMessage<'_>) -> DeskAnswer<SaidMessage> {
        self.write(|writing| {
            let is_there = conversation_row(&writing.transaction, message.conversation)?.is_some();
            let conversation = match message.begun_by {
                Some(by) if !is_there && is_conversation_name(message.conversation) => {
                    begin(writing, message.conversation, "", by)?
                }
                Some(_) | None => existing(writing, message.conversation)?,
            };
            if message.text.chars().count() > LONGEST_MESSAGE {
                return Err(invalid(format!("a message has at most {LONGEST_MESSAGE} characters")));
            }
            let message_id = match message.message_id {
                Some(id) if is_conversation_name(id) => id.to_owned(),
                Some(id) => return Err(invalid(format!("`{}` is no name of a message", shown(id)))),
                None => writing.fresh("msg_", "messages")?,
            };
            let taken = "SELECT EXISTS(SELECT 1 FROM messages WHERE conversation = ?1 AND id = ?2)";
            if writing.transaction.query_row(taken, params![conversation.id, message_id], |row| row.get(0))? {
                return Err(invalid(format!("the message `{message_id}` was said before")));
            }
            let last = "SELECT coalesce(max(position), 0) FROM messages WHERE conversation = ?1";
            let last: i64 = writing.transaction.query_row(last, [&conversation.id], |row| row.get(0))?;
            let insert = "INSERT INTO messages(conversation, position, id, run_id, text, at)
                 VALUES(?1, ?2, ?3, ?4, ?5, ?6)";
            let (id, run_id, text) = (&conversation.id, message.run_id, message.text);
            writing
                .transaction
                .execute(insert, params![id, last + 1, message_id, run_id, text, writing.now])?;
            let update = "UPDATE conversations SET updated_at = ?2,
                   title = CASE WHEN title = '' THEN ?3 ELSE title END WHERE id = ?1";
            writing.transaction.execute(update, params![id, writing.now, titled_by(text)])?;
            let said = said_row(&writing.transaction, run_id)?;
            Ok(Ok(said.ok_or_else(|| Stop::Damaged("a message is not where it was put".to_owned()))?))
        })
    }

    /// Takes a message back whose run did not begin.
    ///
    /// # Errors
    /// A database that failed.
    pub fn unsay(&self, run_id: &str) -> Result<(), StoreError> {
        let taken_back = self.write(|writing| {
            writing.transaction.execute("DELETE FROM messages WHERE run_id = ?1", [run_id])?;
            Ok(Ok(()))
        })?;
        // Nothing in there refuses.
        drop(taken_back);
        Ok(())
    }

    /// Keeps what a model had said of a turn that somebody stopped; an empty text takes an earlier one away.
    ///
    /// # Errors
    /// A database that failed.
    pub fn keep_unfinished(&self, run_id: &str, text: &str) -> Result<(), StoreError> {
        let kept = self.write(|writing| {
            let update = "UPDATE messages SET unfinished = ?2 WHERE run_id = ?1 AND unfinished <> ?2";
            writing.transaction.execute(update, params![run_id, text])?;
            Ok(Ok(()))
        })?;
        // Nothing in there refuses.
        drop(kept);
        Ok(())
    }

    /// The message that a run answers.
    ///
    /// # Errors
    /// A database that failed.
    pub fn said_for(&self, run_id: &str) -> Result<Option<SaidMessage>, StoreError> {
        self.read(|connection| said_row(connection, run_id))
    }

    /// The newest messages of a conversation before a position, oldest first.
    ///
    /// # Errors
    /// A database that failed.
    pub fn messages_before(
        &self,
        conversation: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<SaidMessage>, StoreError> {
        let query =
            format!("{SAID} WHERE conversation = ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3");
        let mut found = self.messages(&query, conversation, before.unwrap_or(u64::MAX), limit)?;
        found.reverse();
        Ok(found)
    }

    /// The messages of a conversation behind a position, oldest first.
    ///
    /// # Errors
    /// A database that failed.
    pub fn messages_after(
        &self,
        conversation: &str,
        after: u64,
        limit: usize,
    ) -> Result<Vec<SaidMessage>, StoreError> {
        let query = format!("{SAID} WHERE conversation = ?1 AND position > ?2 ORDER BY position LIMIT ?3");
        self.messages(&query, conversation, after, limit)
    }

    fn messages(
        &self,
        query: &str,
        conversation: &str,
        position: u64,
        limit: usize,
    ) -> Result<Vec<SaidMessage>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query(params![conversation, signed(position), limit])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                found.push(said(row)?);
            }
            Ok(found)
        })
    }
}

const SELECT: &str = "SELECT conversations.id, title, created_by, created_at, updated_at,
   (SELECT count(*) FROM messages WHERE messages.conversation = conversations.id) FROM conversations";
const SAID: &str = "SELECT conversation, position, id, run_id, text, at, unfinished FROM messages";

fn conversation(row: &Row<'_>) -> Result<Conversation, Stop> {
    Ok(Conversation {
        id: row.get(0)?,
        title: row.get(1)?,
        created_by: row.get(2)?,
        created_at: from_stored(row.get(3)?),
        updated_at: from_stored(row.get(4)?),
        messages: unsigned(row.get(5)?)?,
    })
}

fn said(row: &Row<'_>) -> Result<SaidMessage, Stop> {
    Ok(SaidMessage {
        conversation: row.get(0)?,
        position: unsigned(row.get(1)?)?,
        message_id: row.get(2)?,
        run_id: row.get(3)?,
        text: row.get(4)?,
        at: from_stored(row.get(5)?),
        unfinished: row.get(6)?,
    })
}

fn conversation_row(connection: &Connection, id: &str) -> Result<Option<Conversation>, Stop> {
    let query = format!("{SELECT} WHERE conversations.id = ?1");
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([id])?;
    rows.next()?.map(conversation).transpose()
}

fn said_row(connection: &Connection, run_id: &str) -> Result<Option<SaidMessage>, Stop> {
    let query = format!("{SAID} WHERE run_id = ?1");
    let found = connection.query_row(&query, [run_id], |row| Ok(said(row))).optional()?;
    found.transpose()
}

fn existing(writing: &Writing<'_>, id: &str) -> Result<Conversation, Stop> {
    conversation_row(&writing.transaction, id)?.ok_or_else(|| {
        let detail = format!("there is no conversation `{}`", shown(id));
        Stop::refused(DeskRefusalClass::ConversationMissing, detail)
    })
}

/// Puts a conversation on record whose name is free.
fn begin(writing: &Writing<'_>, id: &str, title: &str, by: &str) -> Result<Conversation, Stop> {
    let count = "SELECT count(*) FROM conversations";
    let there: i64 = writing.transaction.query_row(count, [], |row| row.get(0))?;
    if unsigned(there)? >= MOST_CONVERSATIONS {
        let detail = format!("there are {there} conversations, and there can be {MOST_CONVERSATIONS}");
        return Err(Stop::refused(DeskRefusalClass::ConversationLimit, detail));
    }
    let insert = "INSERT INTO conversations(id, title, created_by, created_at, updated_at)
         VALUES(?1, ?2, ?3, ?4, ?4)";
    writing.transaction.execute(insert, params![id, title, by, writing.now])?;
    existing(writing, id)
}

fn checked_title(title: &str) -> Result<&str, Stop> {
    let title = title.trim();
    if title.chars().count() > LONGEST_TITLE || title.chars().any(char::is_control) {
        return Err(invalid(format!("a title is one line of at most {LONGEST_TITLE} characters")));
    }
    Ok(title)
}

/// What a conversation is called that nobody named: the beginning of what was said first.
fn titled_by(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut title: String = line.chars().filter(|letter| !letter.is_control()).take(TITLED_BY).collect();
    if line.chars().count() > TITLED_BY {
        title.push('…');
    }
    title
}

fn shown(text: &str) -> String {
    text.chars().take(LONGEST_ID).collect::<String>().escape_debug().to_string()
}

fn invalid(detail: String) -> Stop {
    Stop::refused(DeskRefusalClass::Invalid, detail)
}
