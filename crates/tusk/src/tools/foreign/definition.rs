//! A tool as its server defines it, as it is hashed and kept. It must not add anything of ours but what a pin needs.

use premath_kernel::{Digest, Object, Value, encode};
use premath_wire::strict::{Limits, parse};

use super::invisible::first_hidden;
use super::server::ForeignServer;
use crate::JsonText;
use crate::evidence::Unreadable;
use crate::evidence::row::{Row, unreadable};
use crate::tools::spec::value;

/// What pins begin with.
const PREFIX: &str = "tpn1_";

/// A tool as its server defines it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignDefinition {
    /// What the server calls it.
    pub name: String,
    /// What it is called for people.
    pub title: Option<String>,
    /// What it does, in the server's words.
    pub description: Option<String>,
    /// The schema of its arguments.
    pub input_schema: JsonText,
    /// The schema of its structured answer.
    pub output_schema: Option<JsonText>,
    /// What the server says of its risk. Shown, compared, and never believed.
    pub annotations: Option<JsonText>,
}

impl ForeignDefinition {
    /// The definition as it is hashed, kept and shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .optional("annotations", self.annotations.as_ref().map(value))
            .optional("description", self.description.as_deref())
            .field("inputSchema", value(&self.input_schema))
            .field("name", self.name.as_str())
            .optional("outputSchema", self.output_schema.as_ref().map(value))
            .optional("title", self.title.as_deref())
            .finish()
    }

    /// Reads what [`Self::to_value`] wrote.
    ///
    /// # Errors
    /// The first member that is missing or of another kind.
    pub fn from_value(value: &Value<'_>) -> Result<Self, Unreadable> {
        let row = Row::of(value)?;
        let json = |member: &str| -> Result<Option<JsonText>, Unreadable> {
            let Some(value) = row.value(member) else { return Ok(None) };
            let text = String::from_utf8_lossy(&encode(value)).into_owned();
            JsonText::new(text).map(Some).map_err(|_| unreadable(member))
        };
        Ok(Self {
            name: row.owned("name")?,
            title: row.optional("title")?,
            description: row.optional("description")?,
            input_schema: json("inputSchema")?.ok_or_else(|| unreadable("inputSchema"))?,
            output_schema: json("outputSchema")?,
            annotations: json("annotations")?,
        })
    }

    /// What a pin holds: who the server is, all of the definition, and the terms on which we use it.
    #[must_use]
    pub fn pin(&self, server: &ForeignServer) -> Digest {
        let pinned = Object::fields()
            .field("definition", self.to_value())
            .field("server", server.identity())
            .field("terms", server.terms(&self.name))
            .finish();
        Digest::prefixed(PREFIX, &pinned)
    }

    /// Where in the definition there is a character that nobody sees, and which.
    #[must_use]
    pub fn hidden(&self) -> Option<(&'static str, char)> {
        let plain = [
            ("name", Some(self.name.as_str())),
            ("title", self.title.as_deref()),
            ("description", self.description.as_deref()),
        ];
        let found = plain.into_iter().find_map(|(place, text)| Some((place, first_hidden(text?)?)));
        let parts = [
            ("inputSchema", Some(&self.input_schema)),
            ("outputSchema", self.output_schema.as_ref()),
            ("annotations", self.annotations.as_ref()),
        ];
        found.or_else(|| parts.into_iter().find_map(|(place, json)| Some((place, hidden_in(json?)?))))
    }
}

/// The first hidden character of the texts and names in a document, however they are written there.
fn hidden_in(json: &JsonText) -> Option<char> {
    let read = parse(json.as_str().as_bytes(), Limits::default()).ok()?;
    let mut open = vec![&read];
    while let Some(value) = open.pop() {
        match value {
            Value::Text(text) => {
                if let Some(found) = first_hidden(text) {
                    return Some(found);
                }
            }
            Value::Array(items) => open.extend(items.iter()),
            Value::Object(members) => {
                for (name, member) in members.iter() {
                    if let Some(found) = first_hidden(name) {
                        return Some(found);
                    }
                    open.push(member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    None
}
