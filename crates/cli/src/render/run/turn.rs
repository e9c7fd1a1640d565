//! One turn, whole: what the model saw, what it answered, the calls, the digests, the verdict.

use premath_tusk::turn_loop::CODE_EXECUTION;
use premath_wire::v1::{CallRow, MessageRow, ObservedCommand, TurnCard, TurnVerdict};

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::figures::{bytes, counted, of_programs};
use super::listing::applied;
use crate::output::{BAD, DIM, GOOD, STRONG, WARN};
use crate::render::plain;

/// More lines of one text than this need `--full`.
const LINES: usize = 20;

/// How much of long texts is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The first lines.
    Beginning,
    /// Everything.
    Whole,
}

/// The answer of `turn show`.
pub(crate) fn turn_card(card: &TurnCard, extent: Extent) -> String {
    let verdict = match card.verdict {
        TurnVerdict::Closed => format!("{GOOD}✓ closed{GOOD:#}"),
        TurnVerdict::Refused => format!("{BAD}✗ refused{BAD:#}"),
        TurnVerdict::Open => format!("{WARN}… open{WARN:#}"),
    };
    let mut text = format!(
        "turn {STRONG}{}{STRONG:#} {DIM}({} of {}, {}, {}){DIM:#}: {verdict}\n",
        plain(&card.call_id),
        card.turn,
        plain(&card.run_id),
        plain(&card.model),
        plain(&card.stop)
    );
    for reason in &card.reasons {
        let (class, subject) = (plain(&reason.class), plain(&reason.subject));
        text.push_str(&format!(
            "  {BAD}{class}{BAD:#} {STRONG}{subject}{STRONG:#}: {}\n",
            plain(&reason.detail)
        ));
    }
    text.push_str(&messages("What the model saw", &card.saw, extent));
    text.push_str(&messages("What it answered", &card.answered, extent));
    if !card.calls.is_empty() {
        text.push_str(&format!("\n{STRONG}Calls{STRONG:#}\n"));
        text.extend(card.calls.iter().map(|row| call(row, extent)));
    }
    if !card.applied.is_empty() {
        text.push_str(&format!("\n{STRONG}Changes{STRONG:#}\n"));
        text.extend(card.applied.iter().map(applied));
    }
    text.push_str(&evidence(card, extent));
    text.push_str(&digests(card));
    text
}

/// How many rows of evidence there are of each kind, and with `--full` the rows themselves; never a whole request.
fn evidence(card: &TurnCard, extent: Extent) -> String {
    let mut text = String::new();
    if let Some(sent) = &card.sent {
        let (messages, tools) =
            (counted_items(&sent.messages, "message"), counted_items(&sent.tools, "tool"));
        let blocks = counted_items(&sent.system, "system block");
        text.push_str(&format!("\n{STRONG}Sent{STRONG:#} {DIM}(whole with --json){DIM:#}\n"));
        text.push_str(&format!(
            "  {blocks}, {messages}, {tools}, tool choice {}\n",
            plain(&sent.tool_choice)
        ));
    }
    let Some(members) = card.evidence.as_ref().and_then(|evidence| evidence.0.as_object()) else {
        return text;
    };
    text.push_str(&format!("\n{STRONG}Evidence{STRONG:#} {DIM}(whole with --json){DIM:#}\n"));
    for (name, value) in members.iter() {
        let size = match value {
            premath_kernel::Value::Array(rows) => counted_items(rows, "row"),
            premath_kernel::Value::Object(fields) => counted(count(fields.len()), "member"),
            premath_kernel::Value::Null
            | premath_kernel::Value::Bool(_)
            | premath_kernel::Value::Number(_)
            | premath_kernel::Value::Text(_) => continue,
        };
        text.push_str(&format!("  {DIM}{:<20}{DIM:#}{size}\n", plain(name)));
        if extent == Extent::Whole {
            let json = premath_wire::Json(value.borrowed().into_owned());
            text.push_str(&body(&serde_json::to_string_pretty(&json).unwrap_or_default(), extent));
        }
    }
    for intent in &card.intents {
        let verdict =
            if intent.mutation_ready { "admitted".to_owned() } else { intent.failure_classes.join(", ") };
        text.push_str(&format!(
            "  {DIM}{:<20}{DIM:#}{} {}\n",
            format!("intent {}", intent.intent),
            plain(&intent.action),
            plain(&verdict)
        ));
    }
    text
}

fn counted_items<T>(items: &[T], what: &str) -> String {
    counted(count(items.len()), what)
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The document that `turn export` writes, as the host wrote it.
#[derive(Debug)]
pub(crate) struct CaseDocument(Box<RawValue>);

impl<'de> Deserialize<'de> for CaseDocument {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// What a case has and a refusal lacks.
        #[derive(Deserialize)]
        struct Members {
            #[serde(rename = "evidence")]
            _evidence: IgnoredAny,
        }
        let document = Box::<RawValue>::deserialize(deserializer)?;
        let _members: Members = serde_json::from_str(document.get()).map_err(D::Error::custom)?;
        Ok(Self(document))
    }
}

/// The answer of `turn export`: the case itself, for `harness-join-check`.
pub(crate) fn turn_case(case: &CaseDocument) -> String {
    format!("{}\n", case.0.get())
}

fn messages(heading: &str, messages: &[MessageRow], extent: Extent) -> String {
    if messages.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{STRONG}{heading}{STRONG:#}\n");
    for message in messages {
        let call = message.tool_call_id.as_deref().map(|id| format!(" {}", plain(id))).unwrap_or_default();
        text.push_str(&format!("  {DIM}{}{call}{DIM:#}\n", plain(&message.role)));
        text.push_str(&body(&message.text, extent));
    }
    text
}

fn body(text: &str, extent: Extent) -> String {
    let mut lines = text.lines();
    let most = match extent {
        Extent::Beginning => LINES,
        Extent::Whole => usize::MAX,
    };
    let mut shown = String::new();
    for line in lines.by_ref().take(most) {
        shown.push_str(format!("    {}", plain(&line.replace('\t', "    "))).trim_end());
        shown.push('\n');
    }
    let left = u64::try_from(lines.count()).unwrap_or(u64::MAX);
    if left > 0 {
        shown.push_str(&format!("    {DIM}… {}; --full shows them{DIM:#}\n", counted(left, "more line")));
    }
    shown
}

fn call(row: &CallRow, extent: Extent) -> String {
    let state = match (row.status.as_str(), &row.error_code, row.exit_code) {
        ("ok", _, Some(code)) if code != 0 => format!("{WARN}exit {code}{WARN:#}"),
        ("ok", _, _) => format!("{GOOD}ok{GOOD:#}"),
        (_, Some(code), _) => format!("{BAD}{}{BAD:#}", plain(code)),
        (status, None, _) => format!("{WARN}{}{WARN:#}", plain(status)),
    };
    let margin = if row.program.is_some() { "    " } else { "  " };
    let mut text = format!(
        "{margin}{STRONG}{}{STRONG:#} {DIM}{}{DIM:#} {state}\n",
        plain(&row.tool),
        plain(&row.tool_call_id)
    );
    text.push_str(&body(&asked(row), extent));
    if let Some(filtered) = &row.filtered {
        text.push_str(&format!("    {DIM}{}{DIM:#}\n", of_programs(filtered.shown, filtered.unfiltered)));
    }
    if let Some(cut) = &row.truncation {
        let (kept, all) = (bytes(cut.kept_bytes), bytes(cut.original_bytes));
        let whole = cut.reference.as_deref().map(|whole| format!(": {}", plain(whole))).unwrap_or_default();
        let what = match row.program {
            Some(_) => format!("it gave its program {all}, and the model was shown none of it{whole}"),
            None => format!("the model was shown {kept} of {all}{whole}"),
        };
        text.push_str(&format!("    {DIM}{what}{DIM:#}\n"));
    }
    for artifact in &row.artifacts {
        let digest = artifact.digest.as_deref().map(plain).unwrap_or_default();
        let what = artifact.change.as_deref().unwrap_or(&artifact.access);
        let line = format!("    {DIM}{} {} {digest}", plain(what), plain(&artifact.path));
        text.push_str(&format!("{}{DIM:#}\n", line.trim_end()));
        let lost = artifact.before.as_ref().and_then(|before| before.not_restorable.as_deref());
        if let Some(why) = lost {
            text.push_str(&format!("      {WARN}not restorable: {}{WARN:#}\n", plain(why)));
        }
    }
    text.push_str(&row.observed.as_ref().map(observed).unwrap_or_default());
    text
}

/// How the files that a command changed were found, where there is something to say about it.
fn observed(observed: &ObservedCommand) -> String {
    let mut text = format!("    {DIM}ignored paths: {}{DIM:#}\n", plain(&observed.ignored));
    if !observed.overlaps.is_empty() {
        let others = plain(&observed.overlaps.join(", "));
        text.push_str(&format!(
            "    {WARN}ran at the same time as {others}: a change may be theirs{WARN:#}\n"
        ));
    }
    if let Some(why) = &observed.incomplete {
        text.push_str(&format!("    {WARN}not every change is known: {}{WARN:#}\n", plain(why)));
    }
    text
}

/// What a call was given: a program as it was written, everything else as JSON.
fn asked(row: &CallRow) -> String {
    let program = row.arguments.0.as_object().and_then(|members| members.get("program"));
    match program.and_then(premath_kernel::Value::as_text).filter(|_| row.tool == CODE_EXECUTION) {
        Some(program) => program.to_owned(),
        None => serde_json::to_string_pretty(&row.arguments).unwrap_or_default(),
    }
}

fn digests(card: &TurnCard) -> String {
    let mut text = String::new();
    if let Some(digests) = &card.digests {
        text.push_str(&format!("\n{STRONG}Digests{STRONG:#}\n"));
        for (name, digest) in [
            ("call spec", &digests.call_spec_digest),
            ("requests", &digests.request_set_digest),
            ("results", &digests.result_set_digest),
            ("uses", &digests.use_set_digest),
            ("join", &digests.join_set_digest),
            ("turn", &digests.turn_digest),
        ] {
            text.push_str(&format!("  {DIM}{name:<10}{DIM:#}{}\n", plain(digest)));
        }
    }
    if let Some(witness) = &card.witness_id {
        text.push_str(&format!("  {DIM}{:<10}{DIM:#}{}\n", "witness", plain(witness)));
    }
    text
}
