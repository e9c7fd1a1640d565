//! Which of the tools that a server lists a run may be offered, and why not the others. Pure: what is listed and what is
//! pinned go in, what is admitted and what is blocked come out. Nothing is passed over in silence.

use std::collections::BTreeMap;

use premath_kernel::Digest;
use serde_json::Value;

use super::definition::ForeignDefinition;
use super::invisible::{escaped, first_hidden};
use super::server::ForeignServer;
use crate::JsonText;
use crate::tools::catalogue::Catalogue;
use crate::tools::spec::{ToolKind, ToolSpec};

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;
/// The members of a schema that are words about it and bind nobody.
const WORDS: [&str; 3] = ["description", "title", "$comment"];

/// Why a tool is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockedClass {
    /// Nobody approved it.
    Unpinned,
    /// It is not what was approved.
    Drift,
    /// There are characters in its definition that nobody sees, and nobody approved them.
    InvisibleCharacters,
    /// Two tools would have one name.
    NameClash,
    /// No provider takes its name.
    NameInvalid,
    /// Its schema cannot be used.
    SchemaUnusable,
    /// Nobody agreed that the server of a repository is started.
    ServerUnapproved,
    /// The server gave no answer.
    ServerUnreachable,
    /// It was approved, and the server does not define it any more.
    Missing,
}

impl BlockedClass {
    /// Every one of them.
    pub const ALL: [Self; 9] = [
        Self::Unpinned,
        Self::Drift,
        Self::InvisibleCharacters,
        Self::NameClash,
        Self::NameInvalid,
        Self::SchemaUnusable,
        Self::ServerUnapproved,
        Self::ServerUnreachable,
        Self::Missing,
    ];

    /// Its code, for ever.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Unpinned => "tool_unpinned",
            Self::Drift => "tool_drift",
            Self::InvisibleCharacters => "tool_invisible_characters",
            Self::NameClash => "tool_name_clash",
            Self::NameInvalid => "tool_name_invalid",
            Self::SchemaUnusable => "tool_schema_unusable",
            Self::ServerUnapproved => "tool_server_unapproved",
            Self::ServerUnreachable => "tool_server_unreachable",
            Self::Missing => "tool_missing",
        }
    }
}

/// A tool that is not offered, or a whole server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedTool {
    /// The server.
    pub server: String,
    /// The tool, as the server calls it; none where it is about the whole server.
    pub tool: Option<String>,
    /// The scope that it would have.
    pub scope: String,
    /// Why.
    pub class: BlockedClass,
    /// What exactly.
    pub detail: String,
    /// Whether a person approved something under this name: then it is no tool that nobody knows, but one that is not as it
    /// was.
    pub was_approved: bool,
}

impl BlockedTool {
    /// What is blocked, as it is shown.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.tool {
            Some(tool) => format!("{}/{}", self.server, escaped(tool)),
            None => self.server.clone(),
        }
    }
}

/// A tool that may be offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// What a model is offered.
    pub spec: ToolSpec,
    /// What the server calls it.
    pub tool: String,
    /// The pin that it is held to.
    pub pin: Digest,
    /// The arguments that say what a call acts on.
    pub targets: Vec<String>,
}

/// What becomes of the tools of a server.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Admission {
    /// What may be offered.
    pub tools: Vec<Admitted>,
    /// What may not.
    pub blocked: Vec<BlockedTool>,
}

/// The name that a model knows a tool by: `server__tool`, with `_` for every letter that some provider refuses.
#[must_use]
pub fn offered_name(server: &str, tool: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-') { letter } else { '_' }
    };
    format!("{server}__{}", tool.chars().map(letter).collect::<String>())
}

/// Says of each tool that a server lists, and that its terms let be used, whether it may be offered. `pinned` is what a
/// person approved of a tool.
#[must_use]
pub fn admit(
    server: &ForeignServer,
    listed: &[ForeignDefinition],
    pinned: &dyn Fn(&str) -> Option<Digest>,
) -> Admission {
    let used: Vec<&ForeignDefinition> = listed.iter().filter(|one| server.uses(&one.name)).collect();
    let mut names: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for definition in &used {
        names.entry(offered_name(&server.name, &definition.name)).or_default().push(&definition.name);
    }
    let mut admission = Admission::default();
    for definition in used {
        let name = offered_name(&server.name, &definition.name);
        let twins = names.get(&name).map_or(&[][..], Vec::as_slice);
        let pin = pinned(&definition.name);
        match one(server, definition, (&name, twins), pin.as_ref()) {
            Ok(admitted) => admission.tools.push(admitted),
            Err((class, detail)) => admission.blocked.push(BlockedTool {
                server: server.name.clone(),
                tool: Some(definition.name.clone()),
                scope: server.scope.clone(),
                class,
                detail,
                was_approved: pin.is_some(),
            }),
        }
    }
    admission
}

fn one(
    server: &ForeignServer,
    definition: &ForeignDefinition,
    (name, twins): (&str, &[&str]),
    pinned: Option<&Digest>,
) -> Result<Admitted, (BlockedClass, String)> {
    if twins.len() > 1 {
        let twins = twins.iter().map(|twin| format!("`{}`", escaped(twin))).collect::<Vec<_>>().join(" and ");
        return Err((BlockedClass::NameClash, format!("{twins} would all be `{name}`")));
    }
    if definition.name.is_empty() || name.len() > LONGEST_NAME {
        let detail = format!("`{name}` is no name of a tool: at most {LONGEST_NAME} letters");
        return Err((BlockedClass::NameInvalid, detail));
    }
    // Before the pin: what cannot be used is not there to be approved.
    let spec = spec(server, definition, name).map_err(|why| (BlockedClass::SchemaUnusable, why))?;
    let pin = definition.pin(server);
    // Somebody who approved this very definition was shown what it hides.
    if pinned != Some(&pin) {
        if let Some((place, letter)) = definition.hidden() {
            let before = pinned.map(|pinned| format!("; {pinned} was approved")).unwrap_or_default();
            let detail = format!("{} in `{place}`{before}", letter.escape_unicode());
            return Err((BlockedClass::InvisibleCharacters, detail));
        }
        return Err(match pinned {
            None => (BlockedClass::Unpinned, format!("nobody approved {pin}")),
            Some(pinned) => (BlockedClass::Drift, format!("{pinned} was approved, and it is {pin} now")),
        });
    }
    let targets = server.targets_of(&definition.name).to_vec();
    Ok(Admitted { spec, tool: definition.name.clone(), pin, targets })
}

/// What a model is offered. The words are the server's, as a person approved them; what it can do is ours to say.
fn spec(server: &ForeignServer, definition: &ForeignDefinition, name: &str) -> Result<ToolSpec, String> {
    let words = definition.description.as_deref().or(definition.title.as_deref()).unwrap_or_default();
    let schema = plain_schema(&definition.input_schema)?;
    let spec = ToolSpec::new(name, &server.scope, &escaped(words), &schema, &[])
        .map_err(|error| error.to_string())?;
    let spec = ToolSpec {
        kind: ToolKind::Effect,
        risk: server.risk_of(&definition.name),
        idempotent: server.is_idempotent(&definition.name),
        defer_loading: server.is_deferred,
        returns: "the text of the answer, or its structured content as JSON text".to_owned(),
        ..spec
    };
    Catalogue::of_specs([spec.clone()]).map_err(|error| {
        let why = std::error::Error::source(&error).map(|source| format!(": {source}"));
        format!("{error}{}", why.unwrap_or_default())
    })?;
    Ok(spec)
}

/// The schema without the name of its dialect: what a server writes for another one is read as ours, or refused. What its
/// texts hide is spelled out; a name or a value that hides something cannot be changed, and is refused.
fn plain_schema(schema: &JsonText) -> Result<String, String> {
    let Ok(mut read) = serde_json::from_str::<Value>(schema.as_str()) else {
        return Ok(schema.as_str().to_owned());
    };
    if let Value::Object(members) = &mut read {
        members.remove("$schema");
    }
    let mut open = vec![&mut read];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => shows_all(text)?,
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                for (name, member) in members {
                    shows_all(name)?;
                    if WORDS.contains(&name.as_str())
                        && let Value::String(text) = member
                    {
                        *text = escaped(text);
                    } else {
                        open.push(member);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    Ok(read.to_string())
}

fn shows_all(text: &str) -> Result<(), String> {
    match first_hidden(text) {
        None => Ok(()),
        Some(letter) => Err(format!("a name or a value in it hides something: {}", letter.escape_unicode())),
    }
}

#[cfg(test)]
mod tests;
