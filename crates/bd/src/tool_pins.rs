//! `.premath/tool_pins.json`: what a person approved of other servers, each row signed by that person for this repository.
//!
//! A row without a signature that fits is nobody's: a repository cannot bring its own, and what was approved elsewhere does
//! not hold here. It must not know what a definition means.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Digest, Moment, Object, Value};
use premath_wire::time::format_time;
use premath_wire::{InputClass, InputError, JsonPath};

use crate::desk::PersonCredential;
use crate::disk::Disk;
use crate::document::{Change, Document, keeping_unknown};
use crate::error::StoreError;

/// The members of the document that are ours.
const NAMES: [&str; 3] = ["schema", "pinsKind", "pins"];
const KIND: &str = "premath.tool_pins.v1";
/// What every version of it begins with.
const SERIES: &str = "premath.tool_pins.v";
/// What is signed, so that no signature over something else can be taken for it.
const SIGNED: &str = "premath.tool_pin.v1";

/// What is to be approved.
#[derive(Debug, Clone, PartialEq)]
pub struct NewToolPin {
    /// The server.
    pub server: String,
    /// The tool; none for the server itself.
    pub tool: Option<String>,
    /// The digest of what was shown.
    pub digest: String,
    /// What was shown.
    pub definition: Value<'static>,
}

/// What was approved.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolPin {
    /// What.
    pub approved: NewToolPin,
    /// Who, as they said.
    pub by: String,
    /// When.
    pub at: String,
    signature: String,
}

impl ToolPin {
    /// Whether that person approved it, for the repository at this place.
    #[must_use]
    pub fn is_signed_by(&self, credential: &PersonCredential, place: &str) -> bool {
        credential.has_signed(&self.signed(place), &self.signature)
    }

    fn signed<'p>(&'p self, place: &'p str) -> Value<'p> {
        Object::fields()
            .field("at", self.at.as_str())
            .field("by", self.by.as_str())
            .field("definition", Digest::of(&self.approved.definition).as_str().to_owned())
            .field("digest", self.approved.digest.as_str())
            .field("kind", SIGNED)
            .field("place", place)
            .field("server", self.approved.server.as_str())
            .optional("tool", self.approved.tool.as_deref())
            .finish()
    }

    fn is_about(&self, server: &str, tool: Option<&str>) -> bool {
        self.approved.server == server && self.approved.tool.as_deref() == tool
    }

    fn value(&self) -> Value<'static> {
        Object::fields()
            .field("at", self.at.clone())
            .field("by", self.by.clone())
            .field("definition", self.approved.definition.clone())
            .field("digest", self.approved.digest.clone())
            .field("server", self.approved.server.clone())
            .field("signature", self.signature.clone())
            .optional("tool", self.approved.tool.clone())
            .finish()
    }

    fn read(value: &Value<'_>) -> Option<Self> {
        let row = value.as_object()?;
        let text = |name: &str| row.get(name).and_then(Value::as_text).map(str::to_owned);
        Some(Self {
            approved: NewToolPin {
                server: text("server")?,
                tool: text("tool"),
                digest: text("digest")?,
                definition: row.get("definition")?.borrowed().into_owned(),
            },
            by: text("by")?,
            at: text("at")?,
            signature: text("signature")?,
        })
    }
}

/// The pins of a repository.
#[derive(Debug, Clone)]
pub struct ToolPinStore {
    document: Document,
}

impl ToolPinStore {
    /// The file's name under `.premath`.
    pub const FILE_NAME: &'static str = "tool_pins.json";

    /// The pins in this file.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { document: Document::new(disk, path) }
    }

    /// Where they are.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.document.path()
    }

    /// Every row, signed by whomever; none where nothing was ever approved.
    ///
    /// # Errors
    /// `Corrupt` when it cannot be read, with the place; `Io`.
    pub fn read(&self) -> Result<Vec<ToolPin>, StoreError> {
        match self.document.read() {
            Err(StoreError::Missing { .. }) => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(value) => self.rows(&value),
        }
    }

    /// Approves, in the place of whatever was approved of the same before: all of them, or none.
    ///
    /// # Errors
    /// `Busy`, `Missing` without a folder, `Corrupt` when what is there cannot be read (it is left alone), `Io`.
    pub fn approve(
        &self,
        credential: &PersonCredential,
        place: &str,
        pins: &[NewToolPin],
        at: Moment,
    ) -> Result<Vec<ToolPin>, StoreError> {
        let made = |pin: &NewToolPin| {
            let (by, at) = (credential.name().to_owned(), format_time(at));
            let mut pin = ToolPin { approved: pin.clone(), by, at, signature: String::new() };
            pin.signature = credential.sign(&pin.signed(place));
            pin
        };
        let new: Vec<ToolPin> = pins.iter().map(made).collect();
        self.changed(|rows| {
            rows.retain(|row| {
                !new.iter().any(|one| row.is_about(&one.approved.server, one.approved.tool.as_deref()))
            });
            rows.extend(new.iter().cloned());
            new.clone()
        })
    }

    /// Forgets what was approved of a tool, or of a server and all its tools; says what it was.
    ///
    /// # Errors
    /// As `approve`.
    pub fn forget(&self, server: &str, tool: Option<&str>) -> Result<Vec<ToolPin>, StoreError> {
        self.changed(|rows| {
            let is_meant = |row: &ToolPin| match tool {
                Some(_) => row.is_about(server, tool),
                None => row.approved.server == server,
            };
            let (gone, kept) = std::mem::take(rows).into_iter().partition(is_meant);
            *rows = kept;
            gone
        })
    }

    fn changed(
        &self,
        change: impl FnOnce(&mut Vec<ToolPin>) -> Vec<ToolPin>,
    ) -> Result<Vec<ToolPin>, StoreError> {
        self.document.change(|old| {
            let mut rows = old.as_ref().map_or_else(|| Ok(Vec::new()), |old| self.rows(old))?;
            let before = rows.clone();
            let told = change(&mut rows);
            if rows == before {
                return Ok(Change::Keep(told));
            }
            let key = |row: &ToolPin| (row.approved.server.clone(), row.approved.tool.clone());
            rows.sort_by_key(key);
            let known = Object::fields()
                .field("pins", rows.iter().map(ToolPin::value).collect::<Vec<_>>())
                .field("pinsKind", KIND)
                .field("schema", Value::from(1_u32))
                .finish();
            let whole = keeping_unknown(old.as_ref().and_then(Value::as_object), &NAMES, &known);
            Ok(Change::Write(whole, told))
        })
    }

    fn rows(&self, value: &Value<'_>) -> Result<Vec<ToolPin>, StoreError> {
        let damaged = |what: &str, path: JsonPath| {
            self.document.damaged(&InputError::new(InputClass::FieldInvalid, what, path))
        };
        let member = |name: &str| value.as_object().and_then(|document| document.get(name));
        let kind = member("pinsKind").and_then(Value::as_text);
        if kind != Some(KIND) {
            if let Some(found) = kind.and_then(|kind| kind.strip_prefix(SERIES)?.parse().ok()) {
                return Err(StoreError::Newer { path: self.path().to_owned(), found, known: 1 });
            }
            return Err(damaged(&format!("expected `{KIND}`"), JsonPath::root().key("pinsKind")));
        }
        let place = || JsonPath::root().key("pins");
        let rows =
            member("pins").and_then(Value::as_array).ok_or_else(|| damaged("expected a list", place()))?;
        let read = |(at, row): (usize, &Value<'_>)| {
            ToolPin::read(row).ok_or_else(|| damaged("expected an approved tool", place().index(at)))
        };
        rows.iter().enumerate().map(read).collect()
    }
}
