//! A run that answers a message of a conversation: who else may answer there, what was said before, what is open.
//!
//! While a run answers, its conversation is held by a lock that ends with the process; so there is one run at a time, and
//! nothing stays locked behind a process that died. What was said is read from journals, never taken from a client. It
//! must not change a file of the desk.

use premath_bd::desk::{
    Conversation, Desk, DeskRefusal, LONGEST_MESSAGE, MOST_PANELS, NewMessage, Panel, SaidMessage,
    is_conversation_name,
};
use premath_bd::{Answering as Held, Maintenance, MaintenanceGrant, StoreError};
use premath_tusk::context::{Blocks, EarlierLimits, Exchange, OpenPanel, Whole, earlier, panel_context};
use premath_wire::{InputClass, InputError, JsonPath};
use schemars::JsonSchema;
use serde::Deserialize;

use super::lease::Refused;
use crate::chat::{Unfinished, exchange};
use crate::desk_store::open_desk;
use crate::table::ActionError;
use crate::workspace::{Retention, Workspace};

/// How much of a conversation a model is shown.
const WINDOW: EarlierLimits = EarlierLimits { exchanges: 5, tokens: 8_000 };
/// How much of what is open a model is shown, in tokens.
const PANEL_TOKENS: u64 = 8_000;

/// Something that a person has open while they say something.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PanelArgs {
    /// The file.
    file_id: String,
    /// Whether the person looks at it.
    #[serde(default)]
    focused: bool,
    /// Whether the person keeps it.
    #[serde(default)]
    pinned: bool,
}

/// The message of a conversation that a run is asked to answer.
#[derive(Debug, Clone)]
pub struct InConversation {
    /// The conversation.
    pub(super) id: String,
    /// What its client calls the message.
    pub(super) message_id: Option<String>,
    /// What the person has open; none when nobody says.
    pub(super) panels: Option<Vec<PanelArgs>>,
    /// Whether the message begins the conversation where there is none of that name.
    pub(super) is_begun: bool,
}

impl InConversation {
    /// Reads what arguments say of a conversation.
    pub(super) fn read(
        id: Option<&str>,
        message_id: Option<&str>,
        panels: Option<Vec<PanelArgs>>,
        is_desk: bool,
        is_begun: bool,
    ) -> Result<Option<Self>, InputError> {
        let Some(id) = id else {
            if message_id.is_some() || panels.is_some() || is_begun {
                return Err(field("a message is said in a conversation; name it", "conversation"));
            }
            return Ok(None);
        };
        if !is_desk {
            return Err(field(
                "a conversation is one with the assistant of the desk: `desk` must be set",
                "desk",
            ));
        }
        for (name, place) in [(Some(id), "conversation"), (message_id, "messageId")] {
            if name.is_some_and(|name| !is_conversation_name(name)) {
                return Err(field("letters, digits, `-` and `_`, at most 64", place));
            }
        }
        if panels.as_ref().is_some_and(|panels| panels.len() > MOST_PANELS) {
            return Err(field(&format!("at most {MOST_PANELS} panels are open"), "panels"));
        }
        Ok(Some(Self { id: id.to_owned(), message_id: message_id.map(str::to_owned), panels, is_begun }))
    }
}

fn field(what: &str, place: &'static str) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(place))
}

/// What a model is shown of a conversation, before secrets are taken out.
#[derive(Debug, Clone, Default)]
pub(super) struct Shown {
    exchanges: Vec<Exchange>,
    older: u64,
    panels: Vec<OpenPanel>,
}

impl Shown {
    /// The blocks with it, and what has to be stored before they are shown.
    pub(super) fn into_blocks(self, blocks: Blocks, redact: &dyn Fn(&str) -> String) -> (Blocks, Vec<Whole>) {
        let clean = |exchange: Exchange| Exchange {
            asked: redact(&exchange.asked),
            answered: redact(&exchange.answered),
            calls: exchange.calls.iter().map(|call| redact(call)).collect(),
            ending: exchange.ending,
        };
        let exchanges: Vec<Exchange> = self.exchanges.into_iter().map(clean).collect();
        let panels: Vec<OpenPanel> = self
            .panels
            .into_iter()
            .map(|panel| OpenPanel { content: redact(&panel.content), name: redact(&panel.name), ..panel })
            .collect();
        let mut to_store = Vec::new();
        let before = earlier(&exchanges, self.older, WINDOW).map(|earlier| {
            to_store.extend(earlier.to_store);
            earlier.text
        });
        let open = panel_context(&panels, PANEL_TOKENS).map(|open| {
            to_store.extend(open.to_store);
            open.text
        });
        (blocks.with_conversation(before, open), to_store)
    }
}

/// Holds a conversation, or says that somebody else answers in it.
fn hold(workspace: &Workspace, id: &str) -> Result<Result<Held, Refused>, StoreError> {
    let held = Held::begin(workspace.disk.as_ref(), &workspace.root, id)?;
    Ok(held.ok_or_else(|| Refused {
        class: "conversation_busy".to_owned(),
        detail: format!("a run answers in `{id}` already"),
        hint: "wait until it has answered, or stop it".to_owned(),
    }))
}

/// Whether a run answers in a conversation now, in this process or another.
pub(crate) fn is_answered_in(workspace: &Workspace, id: &str) -> Result<bool, StoreError> {
    Held::is_held(workspace.disk.as_ref(), &workspace.root, id)
}

/// Holds the conversation that a run belongs to, where it belongs to one.
pub(super) fn hold_of_run(
    workspace: &Workspace,
    run_id: &str,
) -> Result<Result<Option<Held>, Refused>, ActionError> {
    let Some(desk) = crate::desk_store::existing_desk(workspace)? else { return Ok(Ok(None)) };
    let first = run_id.split_once(".s").map_or(run_id, |(first, _)| first);
    match desk.said_for(first)? {
        None => Ok(Ok(None)),
        Some(said) => Ok(hold(workspace, &said.conversation)?.map(Some)),
    }
}

/// Keeps what was said of a turn that somebody stopped, where the run belongs to a conversation and may keep anything.
pub(super) fn keep_unfinished(
    workspace: &Workspace,
    run_id: &str,
    unfinished: &Unfinished,
) -> Result<(), ActionError> {
    let Retention::Payloads = workspace.retention else { return Ok(()) };
    let Some(desk) = crate::desk_store::existing_desk(workspace)? else { return Ok(()) };
    let first = run_id.split_once(".s").map_or(run_id, |(first, _)| first);
    Ok(desk.keep_unfinished(first, &workspace.redactor.text(unfinished.text()))?)
}

/// A run that is about to answer: what it is shown, and what keeps others out until it has.
#[derive(Debug)]
pub(super) struct Answering {
    shown: Shown,
    panels: Vec<OpenPanel>,
    desk: Desk,
    /// Whether its conversation is there already.
    is_there: bool,
    _held: Held,
}

/// Looks at a conversation before a run answers in it. Nothing is written.
pub(super) fn enter(
    workspace: &Workspace,
    asked: &InConversation,
    text: &str,
) -> Result<Result<Answering, Refused>, ActionError> {
    if text.chars().count() > LONGEST_MESSAGE {
        return Err(field(&format!("a message has at most {LONGEST_MESSAGE} characters"), "task").into());
    }
    let desk = open_desk(workspace)?;
    // Of two that begin it at once, the second finds it held.
    let held = match hold(workspace, &asked.id)? {
        Ok(held) => held,
        Err(refused) => return Ok(Err(refused)),
    };
    let conversation = desk.conversation(&asked.id)?;
    if conversation.is_none() && !asked.is_begun {
        return Ok(Err(unknown(&asked.id)));
    }
    let panels = match panels(&desk, asked.panels.as_deref().unwrap_or_default())? {
        Ok(panels) => panels,
        Err(refused) => return Ok(Err(refused)),
    };
    let (exchanges, older) = match &conversation {
        Some(conversation) => said_before(workspace, &desk, conversation)?,
        None => (Vec::new(), 0),
    };
    let shown = Shown { exchanges, older, panels: panels.clone() };
    Ok(Ok(Answering { shown, panels, desk, is_there: conversation.is_some(), _held: held }))
}

impl Answering {
    /// What a model is shown.
    pub(super) fn take_shown(&mut self) -> Shown {
        std::mem::take(&mut self.shown)
    }

    /// Puts the message on record, before the run begins.
    pub(super) fn say(
        &self,
        workspace: &Workspace,
        asked: &InConversation,
        run_id: &str,
        text: &str,
    ) -> Result<Result<SaidMessage, Refused>, ActionError> {
        let text = workspace.redactor.text(text);
        let by = workspace.door.actor().unwrap_or_else(|| "operator".to_owned());
        let message = NewMessage {
            conversation: &asked.id,
            message_id: asked.message_id.as_deref(),
            run_id,
            text: text.as_ref(),
            begun_by: asked.is_begun.then_some(by.as_str()),
        };
        let said = match self.desk.say(&message)? {
            Ok(said) => said,
            Err(refusal) => return Ok(Err(refused(&refusal))),
        };
        if asked.panels.is_some() {
            let opened: Vec<Panel> = self.panels.iter().map(panel).collect();
            let grant = MaintenanceGrant::new(Maintenance::Record);
            if let Err(refusal) = self.desk.set_panels(grant, &opened)? {
                self.unsay(asked, run_id)?;
                return Ok(Err(refused(&refusal)));
            }
        }
        Ok(Ok(said))
    }

    /// Takes the message back, and the conversation that it began: its run did not begin.
    pub(super) fn unsay(&self, asked: &InConversation, run_id: &str) -> Result<(), ActionError> {
        self.desk.unsay(run_id)?;
        if !self.is_there {
            // It is held, so nobody else has said anything in it.
            drop(self.desk.delete_conversation(&asked.id)?);
        }
        Ok(())
    }
}

fn panel(open: &OpenPanel) -> Panel {
    Panel {
        panel_id: open.file_id.clone(),
        file_id: open.file_id.clone(),
        label: open.name.clone(),
        is_focused: open.is_focused,
        is_pinned: open.is_pinned,
    }
}

/// The files that are open. One that is not there, or deleted, is refused: nobody can have it open.
fn panels(desk: &Desk, asked: &[PanelArgs]) -> Result<Result<Vec<OpenPanel>, Refused>, ActionError> {
    let mut open = Vec::with_capacity(asked.len());
    for panel in asked {
        let read = match desk.read_file(&panel.file_id, None)? {
            Ok(read) => read,
            Err(refusal) => return Ok(Err(refused(&refusal))),
        };
        open.push(OpenPanel {
            file_id: read.file.id,
            name: read.file.name,
            file_type: read.file.file_type.token().to_owned(),
            version: read.file.version,
            content: read.content,
            is_focused: panel.focused,
            is_pinned: panel.pinned,
        });
    }
    Ok(Ok(open))
}

/// The newest exchanges, and how many there are before them. As many journals are read as can be shown, however long it is.
fn said_before(
    workspace: &Workspace,
    desk: &Desk,
    conversation: &Conversation,
) -> Result<(Vec<Exchange>, u64), ActionError> {
    let newest = desk.messages_before(&conversation.id, None, WINDOW.exchanges)?;
    let shown = u64::try_from(newest.len()).unwrap_or(u64::MAX);
    let exchanges =
        newest.iter().map(|said| exchange(workspace, said)).collect::<Result<Vec<_>, ActionError>>()?;
    Ok((exchanges, conversation.messages.saturating_sub(shown)))
}

fn unknown(id: &str) -> Refused {
    let class = premath_bd::desk::DeskRefusalClass::ConversationMissing;
    Refused {
        class: class.code().to_owned(),
        detail: format!("there is no conversation `{id}`"),
        hint: class.hint().to_owned(),
    }
}

fn refused(refusal: &DeskRefusal) -> Refused {
    Refused {
        class: refusal.class.code().to_owned(),
        detail: refusal.detail.clone(),
        hint: refusal.class.hint().to_owned(),
    }
}
