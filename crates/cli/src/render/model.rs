//! Providers, answers of models and what they cost, as a person and as a program reads them.

use premath_host::{ModelFailure, attempt_error};
use premath_kernel::Moment;
use premath_tusk::model::ModelEvent;
use premath_wire::v1::{
    AskAnswer, AttemptRow, KeyState, ModelListing, ProviderRow, ProviderState, ToolListing,
};
use serde_json::{Value, json};

use super::table::{Cell, Table};
use super::{plain, time};
use crate::output::{BAD, DIM, GOOD, STRONG, TIP, WARN};

/// The answer of `models`.
pub(crate) fn listing(listing: &ModelListing, now: Moment, width: Option<usize>) -> String {
    let mut table = Table::new(&["PROVIDER", "PROTOCOL", "STATE", "KEY", "ADDRESS"], 4);
    for row in &listing.items {
        table.row(vec![
            Cell::styled(plain(&row.provider), STRONG),
            Cell::new(plain(&row.protocol)),
            state(row, now),
            key(row),
            Cell::new(plain(&row.base_url)),
        ]);
    }
    let mut text = table.render(width);
    for row in &listing.items {
        remarks(&mut text, row, now);
    }
    if listing.chain.is_empty() {
        text.push_str(&format!(
            "{TIP}hint:{TIP:#} no default model; name one with --model, or set models.default in premath.toml\n"
        ));
    } else {
        let chain: Vec<String> = listing.chain.iter().map(|model| plain(model)).collect();
        text.push_str(&format!("{DIM}asked when none is named:{DIM:#} {}\n", chain.join(", then ")));
    }
    text.push_str(&prices(listing, width));
    text
}

/// What models cost, and since when that is known.
fn prices(listing: &ModelListing, width: Option<usize>) -> String {
    if listing.prices.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&["MODEL", "IN", "CACHED", "OUT", "AS OF", "FROM"], 5);
    for row in &listing.prices {
        let dollars = |micros: Option<u64>| match micros {
            Some(micros) => Cell::new(super::run::figures::money(micros)),
            None => Cell::styled("unknown", WARN),
        };
        let from = if row.input_micro_usd.is_some() && !row.limits_rely_on_it {
            Cell::styled(format!("{} (no cost limit relies on it)", plain(&row.layer)), WARN)
        } else {
            Cell::new(plain(&row.layer))
        };
        table.row(vec![
            Cell::styled(plain(&row.model), STRONG),
            dollars(row.input_micro_usd),
            dollars(row.cache_read_micro_usd),
            dollars(row.output_micro_usd),
            Cell::new(row.as_of.as_deref().map(plain).unwrap_or_default()),
            from,
        ]);
    }
    format!("\n{DIM}dollars per million tokens{DIM:#}\n{}", table.render(width))
}

/// The answer of `tools`.
pub(crate) fn tools(listing: &ToolListing, width: Option<usize>) -> String {
    let mut table = Table::new(&["TOOL", "RISK", "SCOPE", "FROM", "WHAT IT DOES"], 4);
    for row in &listing.items {
        let style = if row.risk == "destructive" { BAD } else { DIM };
        table.row(vec![
            Cell::styled(plain(&row.name), STRONG),
            Cell::styled(plain(&row.risk), style),
            Cell::new(plain(&row.scope)),
            Cell::new(plain(&row.source)),
            Cell::new(plain(row.description.lines().next().unwrap_or_default())),
        ]);
    }
    table.render(width)
}

fn state(row: &ProviderRow, now: Moment) -> Cell {
    if let Some(check) = row.check.as_ref().filter(|_| row.state == ProviderState::Ready) {
        return if check.reachable {
            Cell::styled("reachable", GOOD)
        } else {
            Cell::styled("unreachable", BAD)
        };
    }
    match row.state {
        ProviderState::Ready => Cell::styled("ready", GOOD),
        ProviderState::KeyMissing => Cell::styled("no key", WARN),
        ProviderState::CoolingDown => {
            let until = row.circuit.cooling_until.as_deref().unwrap_or_default();
            Cell::styled(format!("cooling down, again {}", time::relative(until, now)), WARN)
        }
    }
}

fn key(row: &ProviderRow) -> Cell {
    let source = row.key_source.as_deref().map(plain).unwrap_or_default();
    match row.key {
        KeyState::Set => Cell::new(source),
        KeyState::Missing => Cell::styled(format!("{source} is not set"), WARN),
        KeyState::NotNeeded => Cell::styled("none needed", DIM),
    }
}

/// What a column has no room for.
fn remarks(text: &mut String, row: &ProviderRow, now: Moment) {
    let name = plain(&row.provider);
    if let Some(because) = row.circuit.because.as_deref().filter(|_| row.state == ProviderState::CoolingDown)
    {
        let failed = row.circuit.last_failure_at.as_deref();
        let failed = failed.map(|at| format!(", failed {}", time::relative(at, now))).unwrap_or_default();
        text.push_str(&format!("{WARN}{name}{WARN:#} cools down because of {}{failed}\n", plain(because)));
    }
    if let Some(error) = row.check.as_ref().and_then(|check| check.error.as_ref()) {
        text.push_str(&format!("{BAD}{name}{BAD:#} {}: {}\n", plain(&error.kind), plain(&error.message)));
    }
}

/// What stands below an answer: who gave it, what it took, and who did not answer.
pub(crate) fn footer(answer: &AskAnswer) -> String {
    let mut text = String::new();
    for attempt in &answer.attempts {
        text.push_str(&attempted(attempt));
    }
    let usage = answer.usage;
    let input = usage.input_tokens.saturating_add(usage.cache_read_tokens);
    let input = input.saturating_add(usage.cache_write_tokens);
    let mut facts = format!("{} · {input} tokens in, {} out", plain(&answer.model), usage.output_tokens);
    if usage.cache_read_tokens > 0 {
        facts.push_str(&format!(" ({} from cache)", usage.cache_read_tokens));
    }
    if let Some(cost) = answer.cost_micro_usd {
        facts.push_str(&format!(" · ${}.{:06}", cost / 1_000_000, cost % 1_000_000));
    }
    text.push_str(&format!("{DIM}{facts}{DIM:#}\n"));
    match answer.stop.as_str() {
        "end_turn" => {}
        "max_tokens" => {
            text.push_str(&format!("{WARN}the answer was cut off{WARN:#}: --max-tokens allows more\n"));
        }
        "refusal" => text.push_str(&format!("{WARN}the model refused{WARN:#}\n")),
        other => text.push_str(&format!("{WARN}it ended with{WARN:#} {}\n", plain(other))),
    }
    text
}

fn attempted(attempt: &AttemptRow) -> String {
    let model = plain(&attempt.model);
    match (&attempt.error, &attempt.cooling_until) {
        (Some(error), _) => {
            format!("{WARN}{model}{WARN:#} {}: {}\n", plain(&error.kind), plain(&error.message))
        }
        (None, Some(until)) => {
            format!("{WARN}{model}{WARN:#} was skipped: it cools down until {}\n", plain(until))
        }
        (None, None) => String::new(),
    }
}

/// The last line of `--stream --json` when the answer broke off.
pub(crate) fn failure(failure: &ModelFailure) -> Value {
    let error = attempt_error(&failure.error);
    json!({ "event": "error", "error": error, "attempts": failure.attempts })
}

/// An event as `--stream --json` prints it.
pub(crate) fn event(event: &ModelEvent) -> Value {
    match event {
        ModelEvent::Started { request_id, response_id, model } => json!({
            "event": "started", "requestId": request_id, "responseId": response_id, "providerModel": model,
        }),
        ModelEvent::TextDelta { index, text } => json!({ "event": "text", "part": index, "text": text }),
        ModelEvent::ReasoningDelta { index, text } => {
            json!({ "event": "reasoning", "part": index, "text": text })
        }
        ModelEvent::RefusalDelta { index, text } => {
            json!({ "event": "refusal", "part": index, "text": text })
        }
        ModelEvent::ToolCallStarted { index, id, name } => {
            json!({ "event": "tool_call", "part": index, "id": id, "name": name })
        }
        ModelEvent::ArgumentsDelta { index, text } => {
            json!({ "event": "arguments", "part": index, "text": text })
        }
        ModelEvent::PartDone { index, .. } => json!({ "event": "part_done", "part": index }),
        ModelEvent::Finished { stop, .. } => json!({ "event": "finished", "stop": stop.to_string() }),
    }
}
