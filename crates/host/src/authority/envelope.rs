//! An instruction envelope as it is written: what is to be done, where, which checks are asked for, and what it claims.
//!
//! Each member that is not as it should be has a class of its own. It must not look at a policy.

use std::path::Path;

use premath_kernel::{Digest, Number, Object, Value};
use premath_wire::JsonPath;
use premath_wire::strict::{Limits, parse};

/// The longest instruction id.
const LONGEST_ID: usize = 96;

/// Why a text is no envelope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {what} at {path}")]
pub struct EnvelopeFault {
    /// The failure class.
    pub class: &'static str,
    /// What is wrong.
    pub what: String,
    /// Where.
    pub path: JsonPath,
}

impl EnvelopeFault {
    /// Another instruction was issued under that name.
    pub(crate) fn taken(id: &str) -> Self {
        let what = format!("another instruction was issued as `{id}`; give this one another name");
        Self { class: "instruction_filename_invalid", what, path: JsonPath::root() }
    }
}

fn fault(class: &'static str, what: impl Into<String>, path: JsonPath) -> EnvelopeFault {
    EnvelopeFault { class, what: what.into(), path }
}

/// An instruction.
#[derive(Debug, Clone)]
pub(crate) struct Envelope {
    pub(crate) intent: Value<'static>,
    pub(crate) scope: Value<'static>,
    pub(crate) normalizer_id: String,
    pub(crate) policy_digest: String,
    pub(crate) requested_checks: Vec<String>,
    pub(crate) instruction_type: Option<String>,
    pub(crate) capability_claims: Vec<String>,
    /// What its typing policy says of unknown instructions; it can only take away.
    pub(crate) allows_unknown: Option<bool>,
    /// The actions that its typing policy narrows it to.
    pub(crate) narrowed_to: Option<Vec<String>>,
    pub(crate) digest: Digest,
}

impl Envelope {
    /// Reads an envelope.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, EnvelopeFault> {
        let value = parse(bytes, Limits::default())
            .map_err(|error| fault("instruction_envelope_invalid_json", error.what, error.path))?;
        let root = JsonPath::root;
        let source = value
            .as_object()
            .ok_or_else(|| fault("instruction_envelope_invalid", "expected an object", root()))?;
        if source.get("schema").and_then(Value::as_number).and_then(Number::as_u64) != Some(1) {
            return Err(fault("instruction_invalid_schema", "expected 1", root().key("schema")));
        }
        let text = |name: &'static str, class: &'static str| {
            let found = source.get(name).and_then(Value::as_text).map(str::trim);
            found
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
                .ok_or_else(|| fault(class, "expected text that is not blank", root().key(name)))
        };
        let typing = typing(source)?;
        Ok(Self {
            intent: intent(source)?,
            scope: scope(source)?,
            normalizer_id: text("normalizerId", "instruction_invalid_normalizer")?,
            policy_digest: policy_digest(&text("policyDigest", "instruction_invalid_policy_digest")?)?,
            requested_checks: names(source, "requestedChecks", "instruction_requested_checks_invalid", true)?,
            instruction_type: match source.get("instructionType") {
                None | Some(Value::Null) => None,
                Some(_) => Some(text("instructionType", "instruction_envelope_invalid")?),
            },
            capability_claims: match source.get("capabilityClaims") {
                None | Some(Value::Null) => Vec::new(),
                Some(_) => names(source, "capabilityClaims", "instruction_capability_claims_invalid", false)?,
            },
            allows_unknown: typing.0,
            narrowed_to: typing.1,
            digest: Digest::prefixed("instr1_", &value),
        })
    }
}

/// Text, or an object that says something.
fn intent(source: &Object<'_>) -> Result<Value<'static>, EnvelopeFault> {
    let class = "instruction_invalid_intent";
    match source.get("intent") {
        Some(Value::Text(text)) if !text.trim().is_empty() => Ok(Value::from(text.trim().to_owned())),
        Some(Value::Object(object)) if !object.is_empty() => Ok(Value::Object(object.clone()).into_owned()),
        _ => Err(fault(class, "expected what is to be done", JsonPath::root().key("intent"))),
    }
}

fn scope(source: &Object<'_>) -> Result<Value<'static>, EnvelopeFault> {
    let path = || JsonPath::root().key("scope");
    match source.get("scope") {
        None | Some(Value::Null) => Err(fault("instruction_scope_missing", "missing field", path())),
        Some(Value::Text(text)) if !text.trim().is_empty() => Ok(Value::from(text.trim().to_owned())),
        Some(Value::Object(object)) if !object.is_empty() => Ok(Value::Object(object.clone()).into_owned()),
        Some(_) => {
            let what = "expected a text or an object that says where, such as \"repository\" or {\"issueId\": \"bd-7\"}";
            Err(fault("instruction_scope_invalid", what, path()))
        }
    }
}

fn policy_digest(text: &str) -> Result<String, EnvelopeFault> {
    let is_hex =
        |hex: &str| hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if text.strip_prefix("pol1_").is_some_and(is_hex) {
        return Ok(text.to_owned());
    }
    let what = "expected `pol1_` and 64 hexadecimal digits";
    Err(fault("instruction_invalid_policy_digest", what, JsonPath::root().key("policyDigest")))
}

/// A list of names, each once.
fn names(
    source: &Object<'_>,
    name: &'static str,
    class: &'static str,
    needs_one: bool,
) -> Result<Vec<String>, EnvelopeFault> {
    let path = || JsonPath::root().key(name);
    let items =
        source.get(name).and_then(Value::as_array).ok_or_else(|| fault(class, "expected a list", path()))?;
    if items.is_empty() && needs_one {
        return Err(fault(class, "expected at least one", path()));
    }
    let mut names = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        let text = item.as_text().map(str::trim).filter(|text| !text.is_empty());
        let text = text.ok_or_else(|| fault(class, "expected text that is not blank", path().index(at)))?;
        if names.iter().any(|known| known == text) {
            return Err(fault(class, format!("`{text}` is named twice"), path().index(at)));
        }
        names.push(text.to_owned());
    }
    Ok(names)
}

fn typing(source: &Object<'_>) -> Result<(Option<bool>, Option<Vec<String>>), EnvelopeFault> {
    let class = "instruction_envelope_invalid";
    let path = || JsonPath::root().key("typingPolicy");
    let policy = match source.get("typingPolicy") {
        None | Some(Value::Null) => return Ok((None, None)),
        Some(value) => value.as_object().ok_or_else(|| fault(class, "expected an object", path()))?,
    };
    let allows = match policy.get("allowUnknown") {
        None | Some(Value::Null) => None,
        Some(value) => {
            let flag = value.as_bool();
            Some(flag.ok_or_else(|| fault(class, "expected true or false", path().key("allowUnknown")))?)
        }
    };
    let actions = match policy.get("actions") {
        None | Some(Value::Null) => None,
        Some(_) => Some(names(policy, "actions", class, false)?),
    };
    Ok((allows, actions))
}

/// The id that a file's name gives an instruction: `<ts>-<id>.json` without its ending. A name, never a path.
pub(crate) fn instruction_id_of(path: &Path) -> Result<String, EnvelopeFault> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match name.strip_suffix(".json") {
        // The names of runs' own instructions are not to be had.
        Some(stem) if !stem.starts_with(RUN) => checked_id(stem).map(|()| stem.to_owned()),
        Some(_) | None => Err(misnamed("the file of an instruction is called <time>-<id>.json")),
    }
}

/// What the own instruction of a run is called before the run's name.
pub(crate) const RUN: &str = "run-";

/// Refuses what is no id of an instruction: `<YYYYMMDDTHHMMSSZ>-<id>`, or `run-<id>` for a run's own; of letters, digits, `.`,
/// `_` and `-`.
pub(crate) fn checked_id(id: &str) -> Result<(), EnvelopeFault> {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    if id.len() > LONGEST_ID || id.chars().any(|one| !is_plain(one)) {
        return Err(misnamed(
            "an instruction's id has letters, digits, `.`, `_` and `-`, and at most 96 of them",
        ));
    }
    let is_time = |time: &str| {
        time.len() == 16
            && time.bytes().enumerate().all(|(at, byte)| match at {
                8 => byte == b'T',
                15 => byte == b'Z',
                _ => byte.is_ascii_digit(),
            })
    };
    match id.split_once('-') {
        Some((time, name))
            if (is_time(time) || id.starts_with(RUN))
                && name.starts_with(|one: char| one.is_ascii_alphanumeric()) =>
        {
            Ok(())
        }
        _ => Err(misnamed("an instruction's id is a time and a name, such as 20261115T071252Z-close-bd-7")),
    }
}

fn misnamed(what: &str) -> EnvelopeFault {
    fault("instruction_filename_invalid", what, JsonPath::root())
}

#[cfg(test)]
mod tests;
