//! The same turn, written differently: other row order, key order, white space, padding, case, blank optionals, merged
//! twins. Nothing here may change what a turn says.

use serde_json::{Map, Value, json};

/// Values that are hashed as they are, or whose order is theirs.
const VERBATIM: [&str; 7] =
    ["arguments", "payload", "rawError", "pointer", "resultSet", "guardrailStages", "marker"];
/// Words that are read without regard to case.
const WORDS: [&str; 9] = [
    "actionMode",
    "executionPattern",
    "status",
    "disposition",
    "stopReason",
    "injectionPoint",
    "observabilityMode",
    "riskTier",
    "stage",
];
/// Lists where an equal twin says nothing new. Result rows are not among them.
const MERGING: [&str; 8] = [
    "toolRequests",
    "toolUse",
    "toolRender",
    "reminderQueue",
    "stateViews",
    "codeExecutions",
    "workers",
    "schemaErrors",
];
/// Optional fields by the list or member they belong to; blank means absent.
const OPTIONAL: [(&str, &[&str]); 7] = [
    (
        "toolRequests",
        &["argumentsDigest", "schemaDigest", "callerId", "searchRefDigest", "callGroup", "source"],
    ),
    ("toolResults", &["status", "resultDigest", "errorCode", "errorMessage", "errorMessageDigest"]),
    ("toolUse", &["resultDigest", "reason", "summaryRef", "handoffRef", "mutationInputRef"]),
    (
        "callSpec",
        &["toolChoice", "observabilityMode", "riskTier", "orchestrationRole", "toolPolicy", "stopPolicy"],
    ),
    ("protocolState", &["checkpointRef"]),
    ("handoff", &["returnPathRef", "fromRole", "intent"]),
    ("workers", &["parentId"]),
];
/// The same for fields that are no text.
const NULLABLE: [(&str, &[&str]); 5] = [
    ("toolRequests", &["arguments", "order", "guardrails", "searchRef"]),
    (
        "toolResults",
        &[
            "payload",
            "retryable",
            "rawError",
            "order",
            "artifacts",
            "error",
            "shell",
            "provenance",
            "callerEdge",
        ],
    ),
    ("protocolState", &["counters"]),
    ("evidence", &["handoff", "observations", "workers", "toolRequests", "sessionRefs", "compaction"]),
    ("", &["intent", "governanceProfile", "capabilityClaims", "handoffConstraints"]),
];

/// A small generator of numbers: the same seed gives the same writing.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        let sides = u64::try_from(sides.max(1)).unwrap_or(u64::MAX);
        usize::try_from(mixed % sides).unwrap_or_default()
    }

    fn one_in(&mut self, sides: usize) -> bool {
        self.roll(sides) == 0
    }

    fn shuffle<Item>(&mut self, items: &mut [Item]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.roll(last + 1));
        }
    }

    fn blank(&mut self) -> &'static str {
        ["", " ", "\n\t ", "\u{a0}"].get(self.roll(4)).copied().unwrap_or_default()
    }
}

/// The bytes of a document that says the same as `document`.
#[must_use]
pub fn scramble(document: &Value, seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    let mut restyled = document.clone();
    if let Some(evidence) = restyled.get_mut("evidence") {
        restyle(evidence, "evidence", &mut dice);
    }
    for member in [
        "intent",
        "capabilityClaims",
        "governanceProfile",
        "handoffConstraints",
        "decompositionConstraints",
        "truncationConstraints",
    ] {
        if let Some(value) = restyled.get_mut(member) {
            restyle(value, member, &mut dice);
        }
    }
    add_blanks(&mut restyled, "", &mut dice);
    let mut written = String::new();
    write(&restyled, &mut dice, &mut written);
    written.into_bytes()
}

fn restyle(value: &mut Value, key: &str, dice: &mut Dice) {
    if VERBATIM.contains(&key) {
        return;
    }
    match value {
        Value::String(text) => {
            if WORDS.contains(&key) && dice.one_in(2) {
                text.make_ascii_uppercase();
            }
            *text = format!("{}{text}{}", dice.blank(), dice.blank());
        }
        Value::Array(items) => restyle_list(items, key, dice),
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                restyle(member, name, dice);
            }
            add_blanks(value, key, dice);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn restyle_list(items: &mut Vec<Value>, key: &str, dice: &mut Dice) {
    let is_refs = items.first().is_some_and(Value::is_string);
    if (is_refs || MERGING.contains(&key)) && !items.is_empty() && dice.one_in(3) {
        let twin = items.get(dice.roll(items.len())).cloned();
        items.extend(twin);
    }
    if is_refs && dice.one_in(3) {
        items.push(if dice.one_in(2) { Value::Null } else { json!(" ") });
    }
    for item in items.iter_mut() {
        restyle(item, key, dice);
    }
    dice.shuffle(items);
}

fn add_blanks(value: &mut Value, key: &str, dice: &mut Dice) {
    let Some(members) = value.as_object_mut() else {
        return;
    };
    for (_, names) in OPTIONAL.iter().filter(|(owner, _)| *owner == key) {
        let blank = if dice.one_in(2) { Value::Null } else { json!(dice.blank()) };
        add_one(members, names, blank, dice);
    }
    for (_, names) in NULLABLE.iter().filter(|(owner, _)| *owner == key) {
        add_one(members, names, Value::Null, dice);
    }
}

fn add_one(members: &mut Map<String, Value>, names: &[&str], blank: Value, dice: &mut Dice) {
    if let Some(name) = names.get(dice.roll(names.len())).filter(|_| dice.one_in(2)) {
        members.entry((*name).to_owned()).or_insert(blank);
    }
}

fn space(dice: &mut Dice, written: &mut String) {
    written.push_str(["", "", " ", "\n", "\t", "\r\n  "].get(dice.roll(6)).copied().unwrap_or_default());
}

fn write(value: &Value, dice: &mut Dice, written: &mut String) {
    space(dice, written);
    match value {
        Value::Array(items) => {
            written.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    written.push(',');
                }
                write(item, dice, written);
            }
            written.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            dice.shuffle(&mut members);
            written.push('{');
            for (at, (name, member)) in members.into_iter().enumerate() {
                if at > 0 {
                    written.push(',');
                }
                space(dice, written);
                write_text(name, dice, written);
                space(dice, written);
                written.push(':');
                write(member, dice, written);
            }
            written.push('}');
        }
        Value::String(text) => write_text(text, dice, written),
        Value::Null | Value::Bool(_) | Value::Number(_) => written.push_str(&value.to_string()),
    }
    space(dice, written);
}

/// A string, with an escape where none is needed now and then.
fn write_text(text: &str, dice: &mut Dice, written: &mut String) {
    if !text.is_empty() && text.chars().all(char::is_alphanumeric) && text.is_ascii() && dice.one_in(4) {
        written.push('"');
        for byte in text.bytes() {
            if dice.one_in(3) {
                written.push_str(&format!("\\u{:04X}", u32::from(byte)));
            } else {
                written.push(char::from(byte));
            }
        }
        written.push('"');
    } else {
        written.push_str(&Value::from(text).to_string());
    }
}
