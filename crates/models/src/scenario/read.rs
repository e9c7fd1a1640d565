//! From the document to the scenario: what types cannot say is checked here, and each mistake is named with its place.

use std::collections::BTreeSet;

use premath_tusk::model::ToolOutcome;
use toml::Spanned;

use super::document::{
    CallDocument, ConversationDocument, ExpectationDocument, ResultDocument, ScenarioDocument, TurnDocument,
};
use super::fault::{Fault, Times, fault};
use super::place::Places;
use super::{
    Call, ClaimedUsage, Conversation, DEFAULT_CHUNK, Expectation, ExpectedResult, Pattern, Scenario,
    ScenarioError, Speech, Stop, Turn, When,
};

/// Reads a whole file.
pub(super) fn scenario(places: &Places<'_>) -> Result<Scenario, ScenarioError> {
    let document: ScenarioDocument = toml::from_str(places.text)
        .map_err(|error| places.error(error.span().unwrap_or(0..0), error.message()))?;
    if document.name.get_ref().trim().is_empty() {
        return Err(places.error(document.name.span(), "a scenario has a name"));
    }
    let mut conversations = Vec::new();
    for conversation in &document.conversation {
        conversations.push(bound_conversation(conversation, places)?);
    }
    if !document.turn.is_empty() {
        conversations.push(Conversation { when: When::default(), turns: turns(&document.turn, places)? });
    }
    if conversations.is_empty() {
        return Err(places.error(document.name.span(), "a scenario has at least one `[[turn]]`"));
    }
    Ok(Scenario { name: document.name.into_inner(), conversations })
}

fn bound_conversation(
    document: &Spanned<ConversationDocument>,
    places: &Places<'_>,
) -> Result<Conversation, ScenarioError> {
    let when = document.get_ref().when.get_ref();
    if when.system_contains.is_none() && when.model.is_none() && when.asked_matches.is_none() {
        let message = "`when` names `system_contains`, `model` or `asked_matches`; turns for everybody else are `[[turn]]`";
        return Err(places.error(document.get_ref().when.span(), message));
    }
    if document.get_ref().turn.is_empty() {
        return Err(places.error(document.span(), "a conversation has at least one `[[conversation.turn]]`"));
    }
    let when = When {
        system_contains: when.system_contains.clone(),
        model: when.model.clone(),
        asked: when.asked_matches.as_ref().map(|written| pattern(written, places)).transpose()?,
    };
    Ok(Conversation { when, turns: turns(&document.get_ref().turn, places)? })
}

fn pattern(written: &Spanned<String>, places: &Places<'_>) -> Result<Pattern, ScenarioError> {
    regex::Regex::new(written.get_ref()).map(Pattern).map_err(|error| {
        let message = format!("`asked_matches` is no regular expression: {error}");
        places.error(written.span(), message)
    })
}

fn turns(documents: &[Spanned<TurnDocument>], places: &Places<'_>) -> Result<Vec<Turn>, ScenarioError> {
    let mut ids = BTreeSet::new();
    let numbered = documents.iter().enumerate();
    numbered.map(|(index, document)| turn(index, document, &mut ids, places)).collect()
}

fn turn(
    index: usize,
    document: &Spanned<TurnDocument>,
    ids: &mut BTreeSet<String>,
    places: &Places<'_>,
) -> Result<Turn, ScenarioError> {
    let given = document.get_ref();
    if let (Some(_), Some(refusal)) = (&given.text, &given.refusal) {
        return Err(places.error(refusal.span(), "a turn has a `text` or a `refusal`, not both"));
    }
    let faults = faults(document, places)?;
    let silent = given.text.is_none() && given.reasoning.is_none() && given.refusal.is_none();
    if silent && given.call.is_empty() && given.stop.is_none() && !always_fails(&faults) {
        return Err(places
            .error(document.span(), "a turn says something: `text`, `refusal`, `[[turn.call]]` or `stop`"));
    }
    let calls = given.call.iter().enumerate().map(|(number, call)| {
        let default_id = format!("call_{}_{}", index + 1, number + 1);
        read_call(&default_id, call, ids, places)
    });
    let calls = calls.collect::<Result<Vec<_>, _>>()?;
    let speech = Speech {
        reasoning: given.reasoning.clone(),
        text: given.text.clone(),
        refusal: given.refusal.as_ref().map(|refusal| refusal.get_ref().clone()),
        stop: stop(given, places)?,
        usage: usage(given),
        chunk: chunk(given, places)?,
        calls,
    };
    Ok(Turn { speech, expect: expectation(given.expect.as_ref(), places)?, faults })
}

fn faults(document: &Spanned<TurnDocument>, places: &Places<'_>) -> Result<Vec<Fault>, ScenarioError> {
    let given = document.get_ref();
    let mut faults: Vec<Fault> = Vec::new();
    for entry in &given.fault {
        let read = fault(entry.get_ref(), places)?;
        if always_fails(&faults) {
            return Err(places.error(entry.span(), "no fault comes after one that happens `always`"));
        }
        if read.kind.needs_call() && given.call.is_empty() {
            let message = format!("the fault `{}` needs a turn that calls a tool", read.kind.name());
            return Err(places.error(entry.span(), message));
        }
        faults.push(read);
    }
    Ok(faults)
}

fn always_fails(faults: &[Fault]) -> bool {
    faults.last().is_some_and(|fault| fault.times == Times::Always)
}

fn read_call(
    default_id: &str,
    document: &Spanned<CallDocument>,
    ids: &mut BTreeSet<String>,
    places: &Places<'_>,
) -> Result<Call, ScenarioError> {
    let given = document.get_ref();
    if given.tool.get_ref().is_empty() {
        return Err(places.error(given.tool.span(), "a call names its tool"));
    }
    let id = given.id.as_ref().map_or_else(|| default_id.to_owned(), |id| id.get_ref().clone());
    let id_place = given.id.as_ref().map_or_else(|| document.span(), Spanned::span);
    if id.is_empty() || !ids.insert(id.clone()) {
        return Err(places.error(id_place, format!("the call id `{id}` is empty or taken")));
    }
    let arguments = match (&given.arguments, &given.arguments_raw) {
        (Some(_), Some(raw)) => {
            let message = "a call has `arguments` or `arguments_raw`, not both";
            return Err(places.error(raw.span(), message));
        }
        (Some(table), None) => {
            let object = table.get_ref().iter().map(|(name, value)| Some((name.clone(), json(value)?)));
            let object: Option<serde_json::Map<_, _>> = object.collect();
            let unspeakable = || places.error(table.span(), "JSON has no `nan` and no `inf`");
            serde_json::Value::Object(object.ok_or_else(unspeakable)?).to_string()
        }
        (None, Some(raw)) => raw.get_ref().clone(),
        (None, None) => "{}".to_owned(),
    };
    Ok(Call { id, tool: given.tool.get_ref().clone(), arguments })
}

/// The value as JSON; times as the text TOML writes them with.
fn json(value: &toml::Value) -> Option<serde_json::Value> {
    Some(match value {
        toml::Value::String(text) => text.clone().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => serde_json::Number::from_f64(*number)?.into(),
        toml::Value::Boolean(flag) => (*flag).into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.iter().map(json).collect::<Option<Vec<_>>>()?.into(),
        toml::Value::Table(table) => {
            let members = table.iter().map(|(name, value)| Some((name.clone(), json(value)?)));
            serde_json::Value::Object(members.collect::<Option<_>>()?)
        }
    })
}

fn stop(given: &TurnDocument, places: &Places<'_>) -> Result<Stop, ScenarioError> {
    let Some(stop) = &given.stop else {
        let refuses = given.refusal.is_some();
        return Ok(match given.call.is_empty() {
            false => Stop::ToolUse,
            true if refuses => Stop::Refusal,
            true => Stop::EndTurn,
        });
    };
    Ok(match stop.get_ref().as_str() {
        "" => return Err(places.error(stop.span(), "a stop has a name")),
        "end_turn" => Stop::EndTurn,
        "tool_use" => Stop::ToolUse,
        "max_tokens" => Stop::MaxTokens,
        "pause_turn" => Stop::PauseTurn,
        "refusal" => Stop::Refusal,
        other => Stop::Other(other.to_owned()),
    })
}

fn usage(given: &TurnDocument) -> ClaimedUsage {
    given.usage.as_ref().map_or_else(ClaimedUsage::default, |usage| ClaimedUsage {
        input: usage.input,
        output: usage.output,
        cache_read: usage.cache_read,
        cache_write: usage.cache_write,
    })
}

fn chunk(given: &TurnDocument, places: &Places<'_>) -> Result<usize, ScenarioError> {
    let Some(chunk) = &given.chunk else { return Ok(DEFAULT_CHUNK) };
    match usize::try_from(*chunk.get_ref()) {
        Ok(size) if size > 0 => Ok(size),
        Ok(_) | Err(_) => Err(places.error(chunk.span(), "a chunk has at least one character")),
    }
}

fn expectation(
    document: Option<&ExpectationDocument>,
    places: &Places<'_>,
) -> Result<Expectation, ScenarioError> {
    let Some(given) = document else { return Ok(Expectation::default()) };
    let results = given.tool_result.iter().map(|result| expected_result(result, places));
    Ok(Expectation {
        user_contains: given.user_contains.clone(),
        system_contains: given.system_contains.clone(),
        tools_include: given.tools_include.clone(),
        tools_exclude: given.tools_exclude.clone(),
        tool_results: results.collect::<Result<_, _>>()?,
        messages: given.messages,
    })
}

fn expected_result(
    document: &Spanned<ResultDocument>,
    places: &Places<'_>,
) -> Result<ExpectedResult, ScenarioError> {
    let given = document.get_ref();
    let outcome = given.outcome.as_ref().map(|outcome| match outcome.get_ref().as_str() {
        "ok" => Ok(ToolOutcome::Ok),
        "error" => Ok(ToolOutcome::Error),
        other => {
            let message = format!("an outcome is `ok` or `error`, not `{other}`");
            Err(places.error(outcome.span(), message))
        }
    });
    Ok(ExpectedResult {
        id: given.id.clone(),
        contains: given.contains.clone(),
        outcome: outcome.transpose()?,
    })
}
