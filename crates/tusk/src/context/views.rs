//! Views of the state of a run: what is open, what is spent, what is owed, what is planned, what waits.
//!
//! Pure functions of a [`RunState`], which the loop keeps from its journal. Stop decisions read them and nothing else. It
//! must not hold what differs between machines that do equal work: money and time are shown in tenths of their limit.

mod budget;
#[cfg(test)]
mod tests;
mod told;

use premath_kernel::{Digest, Number, Object, StateView, Text, TextSet, Value};

pub use budget::{Budget, Spent, exceeded};
pub use told::{VIEWS_BYTES, text};

/// What the views are computed from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunState {
    /// The calls that have no result yet.
    pub open_calls: Vec<OpenCall>,
    /// What may be used and what was.
    pub budget: Budget,
    /// What is still owed.
    pub obligations: Vec<String>,
    /// What is to be done.
    pub plan: Vec<PlanStep>,
    /// Changes of issue memory that were asked for, and what became of them.
    pub pending_intents: Vec<PendingIntent>,
    /// What all of it was read from, as evidence cites it.
    pub source_refs: Vec<String>,
}

/// A call that has no result yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The call.
    pub tool_call_id: String,
    /// The tool.
    pub tool: String,
}

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// What it is.
    pub title: String,
    /// How far it is.
    pub state: StepState,
}

/// How far a step of a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepState {
    /// Nobody has begun.
    Open,
    /// Somebody is at it.
    Active,
    /// It is done.
    Done,
    /// It will not be done.
    Dropped,
}

impl StepState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Open, Self::Active, Self::Done, Self::Dropped];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Active => "active",
            Self::Done => "done",
            Self::Dropped => "dropped",
        }
    }
}

/// A change of issue memory that was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingIntent {
    /// The digest of the intent.
    pub intent_digest: String,
    /// The action.
    pub action: String,
    /// What became of it, such as `pending` or `applied`.
    pub outcome: String,
}

/// One view.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// Which.
    pub id: &'static str,
    /// The evidence of it.
    pub row: StateView,
}

/// Every view of one state.
#[derive(Debug, Clone, PartialEq)]
pub struct Views {
    state: RunState,
    all: Vec<View>,
}

impl Views {
    /// The views, in the order of their names below.
    #[must_use]
    pub fn all(&self) -> &[View] {
        &self.all
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&View> {
        self.all.iter().find(|view| view.id == id)
    }

    /// What one of them shows.
    #[must_use]
    pub fn content(&self, id: &str) -> Option<Value<'_>> {
        contents(&self.state).into_iter().find(|(known, _)| *known == id).map(|(_, content)| content)
    }

    /// The evidence of all of them.
    pub fn rows(&self) -> impl Iterator<Item = &StateView> {
        self.all.iter().map(|view| &view.row)
    }
}

/// The views that every run has.
pub const VIEW_IDS: [&str; 5] = ["open_calls", "budget", "obligations", "plan", "pending_intents"];

/// The views of a state.
#[must_use]
pub fn views(state: &RunState, policy_digest: &Digest) -> Views {
    let source_refs: TextSet = state.source_refs.iter().filter_map(|text| Text::new(text)).collect();
    let view = |(id, content): (&'static str, Value<'_>)| {
        let row = StateView {
            view_id: Text::new(id)?,
            view_digest: Digest::of(&content),
            policy_digest: policy_digest.clone(),
            source_refs: source_refs.clone(),
        };
        Some(View { id, row })
    };
    Views { state: state.clone(), all: contents(state).into_iter().filter_map(view).collect() }
}

fn contents(state: &RunState) -> [(&'static str, Value<'_>); 5] {
    let [open_calls, budget, obligations, plan, pending_intents] = VIEW_IDS;
    [
        (open_calls, state.open_calls.iter().map(open_call).collect::<Vec<_>>().into()),
        (budget, state.budget.content()),
        (obligations, Value::text_list(state.obligations.iter().map(String::as_str))),
        (plan, state.plan.iter().map(plan_step).collect::<Vec<_>>().into()),
        (pending_intents, state.pending_intents.iter().map(pending_intent).collect::<Vec<_>>().into()),
    ]
}

fn open_call(call: &OpenCall) -> Value<'_> {
    Object::fields()
        .field("tool", call.tool.as_str())
        .field("toolCallId", call.tool_call_id.as_str())
        .finish()
}

fn plan_step(step: &PlanStep) -> Value<'_> {
    Object::fields().field("state", step.state.token()).field("title", step.title.as_str()).finish()
}

fn pending_intent(intent: &PendingIntent) -> Value<'_> {
    Object::fields()
        .field("action", intent.action.as_str())
        .field("intentDigest", intent.intent_digest.as_str())
        .field("outcome", intent.outcome.as_str())
        .finish()
}

fn number(count: u64) -> Value<'static> {
    Number::unsigned(count).map_or(Value::Null, Value::Number)
}
