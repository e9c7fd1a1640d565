//! Reading documents of ours strictly: every member known, none missing, each of its own type.
//!
//! It must not guess: what is not exactly what we write is an error that names its place.

use premath_kernel::{Digest, Object, Value};

/// Why a document is not one of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is no object, or of another kind.
    #[error("expected a document of the kind `{expected}`")]
    Kind {
        /// The kind that was wanted.
        expected: &'static str,
    },
    /// It has a member that no such document has.
    #[error("unknown member `{name}`")]
    Unknown {
        /// The member.
        name: String,
    },
    /// A member is missing, or of another type.
    #[error("the member `{name}` is missing or of another type")]
    Member {
        /// The member.
        name: &'static str,
    },
    /// Its own digest is not that of what it says.
    #[error("the document does not hash to its stateDigest")]
    StateDigest,
}

/// The member that says what a document is.
pub(super) const KIND: &str = "kind";

/// The members of an object that has no others than those it may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members<'v, 't> {
    object: &'v Object<'t>,
}

impl<'v, 't> Members<'v, 't> {
    /// A whole document of a kind.
    pub(super) fn of_kind(
        value: &'v Value<'t>,
        kind: &'static str,
        names: &[&str],
    ) -> Result<Self, DocumentError> {
        let wrong = DocumentError::Kind { expected: kind };
        let object = value.as_object().ok_or_else(|| wrong.clone())?;
        if object.get(KIND).and_then(Value::as_text) != Some(kind) {
            return Err(wrong);
        }
        Self { object }.known(|name| name == KIND || names.contains(&name))
    }

    /// An object inside one, which is the item of the list `list`.
    pub(super) fn item(
        value: &'v Value<'t>,
        list: &'static str,
        names: &[&str],
    ) -> Result<Self, DocumentError> {
        let object = value.as_object().ok_or(DocumentError::Member { name: list })?;
        Self { object }.known(|name| names.contains(&name))
    }

    fn known(self, is_known: impl Fn(&str) -> bool) -> Result<Self, DocumentError> {
        match self.object.iter().find(|(name, _)| !is_known(name)) {
            Some((name, _)) => Err(DocumentError::Unknown { name: name.to_owned() }),
            None => Ok(self),
        }
    }

    pub(super) fn text(&self, name: &'static str) -> Result<String, DocumentError> {
        self.optional_text(name)?.ok_or(DocumentError::Member { name })
    }

    pub(super) fn optional_text(&self, name: &'static str) -> Result<Option<String>, DocumentError> {
        match self.object.get(name) {
            None => Ok(None),
            Some(value) => {
                value.as_text().map(|text| Some(text.to_owned())).ok_or(DocumentError::Member { name })
            }
        }
    }

    pub(super) fn digest(&self, name: &'static str) -> Result<Digest, DocumentError> {
        Digest::claimed(&self.text(name)?).ok_or(DocumentError::Member { name })
    }

    pub(super) fn list(&self, name: &'static str) -> Result<&'v [Value<'t>], DocumentError> {
        self.object.get(name).and_then(Value::as_array).ok_or(DocumentError::Member { name })
    }

    pub(super) fn texts(&self, name: &'static str) -> Result<Vec<String>, DocumentError> {
        let items = self.list(name)?.iter();
        items
            .map(|item| item.as_text().map(str::to_owned))
            .collect::<Option<_>>()
            .ok_or(DocumentError::Member { name })
    }
}

/// An array of strings.
pub(super) fn list(texts: &[String]) -> Value<'_> {
    Value::text_list(texts.iter().map(String::as_str))
}
