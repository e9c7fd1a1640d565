//! What `run.start` takes, and what it means.

use premath_bd::PermitLedger;
use premath_kernel::{ActionMode, Value};
use premath_tusk::policy::EffectiveScopes;
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::{ContextLimits, FENCED_JSON, Limits, OnFull, STRUCTURED, Workflow};
use premath_wire::InputError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::conversing::{InConversation, PanelArgs};
use super::workflow::{self, WorkflowArgs};
use crate::actions::issue::{arguments, invalid, one_line, told};
use crate::authority::checked_id;
use crate::desk_tools::DESK_SCOPES;
use crate::settings::{LoopSettings, UnpricedModels};
use crate::table::ActionError;

/// What `run.start` takes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct RunArgs {
    /// What is to be done. May be left out when an issue is named.
    task: Option<String>,
    /// The issue to work on.
    issue: Option<String>,
    /// The models to try, in order.
    models: Vec<String>,
    /// What to call the run.
    run_id: Option<String>,
    /// The instruction that its changes are linked to; one of its own when nobody names one.
    instruction: Option<String>,
    /// The pattern of the work.
    pattern: Option<String>,
    /// The workflow document.
    workflow: Option<WorkflowArgs>,
    /// `json`, `text` or `code`.
    action_mode: Option<String>,
    /// The profile of the sandbox.
    profile: Option<String>,
    /// Scopes to grant; absent grants all, an empty list grants none.
    scopes: Option<Vec<String>>,
    /// Whether it is one request of a person to the assistant of the desk: its tools, a few turns, half a minute.
    desk: bool,
    /// The conversation whose next message this is.
    conversation: Option<String>,
    /// Whether the message begins the conversation where there is none of that name.
    begin_conversation: bool,
    /// What the client of the conversation calls the message.
    message_id: Option<String>,
    /// What the person has open: `fileId`, `focused`, `pinned`.
    panels: Option<Vec<PanelArgs>>,
    /// Model turns.
    max_turns: Option<u64>,
    /// Tool calls.
    max_tool_calls: Option<u64>,
    /// Tokens.
    max_tokens: Option<u64>,
    /// Millionths of a dollar.
    max_cost_micros: Option<u64>,
    /// What a cost limit does about a model without a price: `refuse` or `allow`.
    unpriced: Option<String>,
    /// Wall time.
    max_wall_millis: Option<u64>,
    /// Workers.
    max_workers: Option<u64>,
    /// A person is asked every so many turns.
    checkpoint_every: Option<u64>,
    /// A person is asked before these tools run.
    checkpoint_before: Vec<String>,
    /// The most tokens of a request.
    context_tokens: Option<u64>,
    /// `descend`, `compact` or `window`.
    on_full: Option<String>,
    /// The measured reason to go on past the turns of a workflow.
    autonomous: Option<String>,
    /// Commands that verify the work, beside those of the configuration and of the issue.
    verify: Vec<String>,
}

/// A run that somebody asks for.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// What is to be done; none when the issue says it.
    pub task: Option<String>,
    /// The issue to work on.
    pub issue: Option<String>,
    /// The models to try, in order; none for those of the configuration.
    pub models: Vec<String>,
    /// What to call the run.
    pub run_id: Option<String>,
    /// The instruction that its changes are linked to; one of its own when nobody names one.
    pub instruction: Option<String>,
    /// The shape of the work.
    pub workflow: Workflow,
    /// How the model expresses actions.
    pub action_mode: ActionMode,
    /// Who brings answers into structured form.
    pub normalizer: String,
    /// The profile of the sandbox.
    pub profile: Profile,
    /// Scopes to grant; `None` grants all, an empty list grants none.
    pub scopes: Option<Vec<String>>,
    /// How much it may use.
    pub limits: Limits,
    /// Whether the request names a limit of the cost.
    pub names_cost: bool,
    /// What a cost limit does about a model without a price.
    pub unpriced: UnpricedModels,
    /// How much a model is shown.
    pub context: ContextLimits,
    /// The measured reason to go on past the turns of a workflow.
    pub autonomy: Option<String>,
    /// Commands that verify the work, beside those of the configuration and of the issue.
    pub verify: Vec<String>,
    /// Whether it is one request of a person to the assistant of the desk.
    pub chat: Option<ChatRequest>,
    /// The conversation whose next message it answers.
    pub conversation: Option<InConversation>,
}

/// One request of a person to the assistant of the desk, and what of its limits was named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatRequest {
    names_turns: bool,
    names_time: bool,
}

/// Turns of a request that only looks, and of one that may change something.
const CHAT_TURNS: (u64, u64) = (3, 5);
/// How long such a request may take.
const CHAT_MILLIS: u64 = 30_000;

impl RunRequest {
    /// Reads arguments; what they do not say the configuration says.
    ///
    /// # Errors
    /// The first of them that cannot be read.
    pub fn read(args: &Value<'_>, settings: &LoopSettings) -> Result<Self, ActionError> {
        let args: RunArgs = arguments(args)?;
        let (task, issue) = (told(args.task.as_deref()), told(args.issue.as_deref()));
        if task.is_none() && issue.is_none() {
            return Err(invalid("a run needs a task or an issue", "task").into());
        }
        let run_id = told(args.run_id.as_deref()).map(run_id).transpose()?;
        let action_mode = mode(args.action_mode.as_deref(), settings)?;
        let normalizer = match action_mode {
            ActionMode::Text => FENCED_JSON,
            ActionMode::Json | ActionMode::Code => STRUCTURED,
        };
        let limits = limits(&args, settings);
        let chat = args.desk.then_some(ChatRequest {
            names_turns: args.max_turns.is_some(),
            names_time: args.max_wall_millis.is_some(),
        });
        let conversation = InConversation::read(
            told(args.conversation.as_deref()),
            told(args.message_id.as_deref()),
            args.panels.clone(),
            args.desk,
            args.begin_conversation,
        )?;
        let context = context(&args, settings)?;
        let autonomy = told(args.autonomous.as_deref()).map(ToOwned::to_owned);
        let autonomy = autonomy.or_else(|| settings.autonomous.as_ref().map(|reason| reason.value.clone()));
        Ok(Self {
            task: task.map(ToOwned::to_owned),
            issue: issue.map(ToOwned::to_owned),
            run_id,
            instruction: told(args.instruction.as_deref()).map(named_instruction).transpose()?,
            workflow: workflow::read(told(args.pattern.as_deref()), args.workflow)?,
            action_mode,
            normalizer: normalizer.to_owned(),
            profile: profile(args.profile.as_deref(), settings)?,
            scopes: requested_scopes(args.scopes, settings),
            limits,
            names_cost: args.max_cost_micros.is_some(),
            unpriced: unpriced_models(args.unpriced.as_deref(), settings)?,
            context,
            autonomy,
            models: args.models,
            verify: args.verify,
            chat,
            conversation,
        })
    }

    /// The same with what a request to the desk's assistant has, where it is one: scopes below the ceiling, few turns.
    #[must_use]
    pub(super) fn within_chat(mut self, ceiling: Option<&[String]>) -> Self {
        let Some(chat) = self.chat else { return self };
        let scopes = self.scopes.get_or_insert_with(|| {
            let wanted = DESK_SCOPES.map(str::to_owned);
            let known = wanted.iter().cloned().collect();
            EffectiveScopes::resolve(Some(&wanted), ceiling, &known).granted.into_iter().collect()
        });
        let may_change = scopes.iter().any(|scope| scope.as_str() != "desk:read");
        if !chat.names_turns {
            self.limits.turns = Some(if may_change { CHAT_TURNS.1 } else { CHAT_TURNS.0 });
        }
        if !chat.names_time {
            self.limits.wall_millis = Some(CHAT_MILLIS);
        }
        self
    }
}

/// An instruction as intents name it.
fn named_instruction(text: &str) -> Result<String, ActionError> {
    let id = text.strip_prefix("instruction://").unwrap_or(text);
    checked_id(id)?;
    Ok(PermitLedger::reference(id))
}

fn limits(args: &RunArgs, settings: &LoopSettings) -> Limits {
    let configured = settings.limits();
    let mut before = configured.checkpoint_before.clone();
    before.extend(
        args.checkpoint_before.iter().filter(|tool| !configured.checkpoint_before.contains(tool)).cloned(),
    );
    Limits {
        turns: args.max_turns.or(configured.turns),
        tool_calls: args.max_tool_calls.or(configured.tool_calls),
        tokens: args.max_tokens.or(configured.tokens),
        cost_micros: args.max_cost_micros.or(configured.cost_micros),
        wall_millis: args.max_wall_millis.or(configured.wall_millis),
        workers: args.max_workers.or(configured.workers),
        checkpoint_every: args.checkpoint_every.or(configured.checkpoint_every),
        checkpoint_before: before,
        // A limit that somebody names for this run is a measured one; without a name a workflow has its own.
        workflow_turns: args.max_turns.or(configured.workflow_turns),
        ..configured
    }
}

fn context(args: &RunArgs, settings: &LoopSettings) -> Result<ContextLimits, InputError> {
    let configured = settings.context();
    Ok(ContextLimits {
        max_tokens: args.context_tokens.unwrap_or(configured.max_tokens),
        on_full: on_full(args.on_full.as_deref())?.unwrap_or(configured.on_full),
        ..configured
    })
}

/// Scopes named for this run, else those of the configuration. An empty list is a request for no scope.
fn requested_scopes(named: Option<Vec<String>>, settings: &LoopSettings) -> Option<Vec<String>> {
    named.or_else(|| settings.scopes.as_ref().map(|configured| configured.value.clone()))
}

/// A name that can be a folder and stand in a reference.
fn run_id(text: &str) -> Result<String, InputError> {
    let id = one_line(text, "runId")?;
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if id.len() > 80 || id.starts_with('.') || !id.chars().all(is_plain) {
        return Err(invalid("a run is named with letters, digits, `-`, `_` and `.`, at most 80", "runId"));
    }
    Ok(id)
}

fn mode(token: Option<&str>, settings: &LoopSettings) -> Result<ActionMode, InputError> {
    match told(token) {
        None => Ok(settings.mode()),
        Some(token) => ActionMode::ALL
            .into_iter()
            .find(|mode| mode.token() == token)
            .ok_or_else(|| invalid("expected json, text or code", "actionMode")),
    }
}

fn profile(token: Option<&str>, settings: &LoopSettings) -> Result<Profile, InputError> {
    match told(token) {
        None => Ok(settings.profile.as_ref().map_or(LoopSettings::PROFILE, |profile| profile.value)),
        Some(token) => Profile::ALL
            .into_iter()
            .find(|profile| profile.as_str() == token)
            .ok_or_else(|| invalid("expected read-only, workspace-write, network or isolated", "profile")),
    }
}

/// What a cost limit does about models without a price: as the request says, or the configuration.
pub(super) fn unpriced_models(
    token: Option<&str>,
    settings: &LoopSettings,
) -> Result<UnpricedModels, InputError> {
    match told(token) {
        None => Ok(settings.unpriced()),
        Some(token) => {
            UnpricedModels::from_token(token).ok_or_else(|| invalid("expected refuse or allow", "unpriced"))
        }
    }
}

fn on_full(token: Option<&str>) -> Result<Option<OnFull>, InputError> {
    match told(token) {
        None => Ok(None),
        Some(token) => OnFull::ALL
            .into_iter()
            .find(|one| one.token() == token)
            .map(Some)
            .ok_or_else(|| invalid("expected descend, compact or window", "onFull")),
    }
}
