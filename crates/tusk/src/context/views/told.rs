//! What the model is told of the views: what changed and is worth telling, a line each, bounded.

use super::budget::{Budget, Spent};
use super::{OpenCall, PendingIntent, PlanStep, RunState, Views};
use crate::context::fence::plain_line;

/// A limit is told of when so many percent of it are used, once each.
const MARKS: [u64; 3] = [50, 75, 90];
const ITEM_BYTES: usize = 200;
const MOST_ITEMS: usize = 16;

/// The most bytes of what the model is told of the views at once.
pub const VIEWS_BYTES: usize = 20 * 1024;

/// What the model is told, given what it was told last; none when there is nothing new.
#[must_use]
pub fn text(views: &Views, previous: Option<&Views>) -> Option<String> {
    let nothing = RunState::default();
    let (now, before) = (&views.state, previous.map_or(&nothing, |views| &views.state));
    let lines: Vec<String> = [
        changed(&now.open_calls, &before.open_calls, open_call)
            .filter(|_| !now.open_calls.is_empty())
            .map(|items| format!("open calls: {items}")),
        budget(&now.budget, &before.budget),
        changed(&now.obligations, &before.obligations, |text| plain_line(text, ITEM_BYTES))
            .map(|items| format!("still owed: {items}")),
        changed(&now.plan, &before.plan, plan_step).map(|items| format!("plan: {items}")),
        intents(now, before),
    ]
    .into_iter()
    .flatten()
    .collect();
    (!lines.is_empty()).then(|| format!("State of the run:\n- {}", lines.join("\n- ")))
}

fn changed<T: PartialEq>(now: &[T], before: &[T], item: impl Fn(&T) -> String) -> Option<String> {
    (now != before).then(|| listed(now.iter().map(item)))
}

/// Some of a list, and how many more there are.
fn listed(items: impl ExactSizeIterator<Item = String>) -> String {
    let more = items.len().saturating_sub(MOST_ITEMS);
    let mut shown: Vec<String> = items.take(MOST_ITEMS).collect();
    if shown.is_empty() {
        return "nothing".to_owned();
    }
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

fn open_call(call: &OpenCall) -> String {
    plain_line(&format!("{} ({})", call.tool_call_id, call.tool), ITEM_BYTES)
}

fn plan_step(step: &PlanStep) -> String {
    format!("[{}] {}", step.state.token(), plain_line(&step.title, ITEM_BYTES))
}

/// The limits of which more was used than a mark says, for the first time.
fn budget(now: &Budget, before: &Budget) -> Option<String> {
    let exact = [
        ("turns", now.turns, before.turns),
        ("tool calls", now.tool_calls, before.tool_calls),
        ("tokens", now.tokens, before.tokens),
        ("equal calls in a row", now.identical_calls, before.identical_calls),
        ("workers", now.workers, before.workers),
    ];
    let rough =
        [("cost", now.cost_micros, before.cost_micros), ("time", now.wall_millis, before.wall_millis)];
    let exact = exact.into_iter().filter(|(_, now, before)| mark(now.percent()) > mark(before.percent()));
    let exact = exact.filter_map(|(name, now, _)| {
        let Spent { used, limit } = now;
        limit.map(|limit| format!("{used} of {limit} {name} used"))
    });
    let rough = rough.into_iter().filter(|(_, now, before)| mark(now.rough()) > mark(before.rough()));
    let rough = rough
        .filter_map(|(name, now, _)| now.rough().map(|part| format!("at least {part} % of the {name} used")));
    let items: Vec<String> = exact.chain(rough).collect();
    (!items.is_empty()).then(|| format!("budget: {}", items.join("; ")))
}

/// How many marks are behind.
fn mark(percent: Option<u64>) -> usize {
    percent.map_or(0, |percent| MARKS.iter().filter(|mark| percent >= **mark).count())
}

/// The intents that are new, or of which something new became.
fn intents(now: &RunState, before: &RunState) -> Option<String> {
    let fresh: Vec<&PendingIntent> =
        now.pending_intents.iter().filter(|intent| !before.pending_intents.contains(intent)).collect();
    let item = |intent: &&PendingIntent| {
        plain_line(&format!("{} {}: {}", intent.action, intent.intent_digest, intent.outcome), 2 * ITEM_BYTES)
    };
    (!fresh.is_empty()).then(|| format!("intents: {}", listed(fresh.iter().map(item))))
}
