//! What a lane holds, read through the command and freed of what differs between two runs of the same change.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Map, Value};

use super::cases::{FILES, Lane};
use super::workplace::Workplace;

/// What was written before anybody was killed: times and digests that are compared as they are.
pub(crate) type Known = BTreeSet<String>;

/// A lane at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State(Vec<Value>);

impl State {
    /// Reads the lane. Times and digests that are not known become placeholders.
    pub(crate) fn read(place: &Workplace, lane: &Lane, known: &Known) -> Self {
        let root = place.path().to_string_lossy().into_owned();
        Self(answers(place, lane).map(|answer| normal(answer, &root, known)).collect())
    }

    /// The rows of the lane by their names; more than one under a name is a duplicate.
    pub(crate) fn rows(&self, lane: &Lane) -> BTreeMap<String, Vec<&Value>> {
        let mut rows: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
        let listing = self.0.first().map(|answer| answer.pointer("/ledger/features").unwrap_or(answer));
        for row in listing.and_then(Value::as_array).into_iter().flatten() {
            rows.entry(row.get(lane.key).map(Value::to_string).unwrap_or_default()).or_default().push(row);
        }
        rows
    }
}

/// Every text that a lane holds.
pub(crate) fn texts(place: &Workplace, lane: &Lane) -> Known {
    let mut texts = BTreeSet::new();
    answers(place, lane).for_each(|answer| collect(&answer, &mut texts));
    texts
}

/// What the lane says of itself: the rows of a listing, or a whole document. A file that is not there yet holds nothing.
fn answers(place: &Workplace, lane: &Lane) -> impl Iterator<Item = Value> {
    let read = |arguments: &&[&str]| {
        let answer = place.run(arguments);
        match answer.document().filter(|_| answer.is_accepted()) {
            Some(mut document) => document.get_mut("items").map(Value::take).unwrap_or(document),
            None if answer.stderr.contains("does not exist") => Value::Array(Vec::new()),
            None => Value::from("no answer"),
        }
    };
    let logged = |log: &str| {
        let text = fs::read_to_string(place.lane(log)).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()).collect()
    };
    lane.reads.iter().map(read).chain(lane.log.into_iter().map(logged))
}

/// The bytes of every file that a change of this lane must leave alone.
pub(crate) fn others(place: &Workplace, lane: &Lane) -> BTreeMap<&'static str, Option<Vec<u8>>> {
    let foreign = FILES.iter().filter(|file| !lane.files.contains(file));
    foreign.map(|file| (*file, fs::read(place.lane(file)).ok())).collect()
}

fn collect(value: &Value, texts: &mut Known) {
    match value {
        Value::String(text) => drop(texts.insert(text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, texts)),
        Value::Object(members) => members.values().for_each(|member| collect(member, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn normal(value: Value, root: &str, known: &Known) -> Value {
    match value {
        Value::String(text) => Value::String(normal_text(text, root, known)),
        Value::Array(items) => items.into_iter().map(|item| normal(item, root, known)).collect(),
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, member)| (name, normal(member, root, known)));
            let mut members = members.collect::<Map<_, _>>();
            name_audit_row(&mut members, known);
            Value::Object(members)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value,
    }
}

/// The id of an audit row covers its time. A row that is not known is named after its tool and its issue instead.
fn name_audit_row(row: &mut Map<String, Value>, known: &Known) {
    let id = row.get("id").and_then(Value::as_str).unwrap_or_default();
    if id.starts_with("aud_") && !known.contains(id) {
        let member = |name: &str| row.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = format!("row of {} {}", member("tool"), member("issueId"));
        row.insert("id".to_owned(), Value::String(name));
    }
}

fn normal_text(text: String, root: &str, known: &Known) -> String {
    if known.contains(&text) {
        return text;
    }
    match () {
        () if is_time(&text) => "a time".to_owned(),
        () if DIGESTS.iter().any(|prefix| text.starts_with(prefix)) => "a digest".to_owned(),
        () if is_mac(&text) => "a mac".to_owned(),
        () => text.replace(root, "."),
    }
}

const DIGESTS: &[&str] = &["sha256:", "permit1_", "iss1_", "hs1_", "he1_", "w1_", "fil_"];

/// Whether the text has the form of a MAC, which covers the time of its row.
fn is_mac(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether it is a time such as `2026-01-31T12:00:00Z`.
fn is_time(text: &str) -> bool {
    let shape: String =
        text.chars().take(19).map(|letter| if letter.is_ascii_digit() { '0' } else { letter }).collect();
    shape == "0000-00-00T00:00:00" && text.ends_with('Z')
}
