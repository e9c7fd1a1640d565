//! What must not be written: every text of a row passes here before it is hashed and stored.
//!
//! Ids, times, tokens and well-formed digests are ours and stay, or nothing could be found by them. It must not know what
//! a secret looks like: that is the redactor's.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use premath_kernel::{Object, Value};

/// Takes secrets out of a text.
type Redact = dyn for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync;

/// What is applied to every text before it is written.
#[derive(Clone)]
pub struct Redactor(Arc<Redact>);

impl Redactor {
    /// One that does this.
    #[must_use]
    pub fn new(redact: impl for<'t> Fn(&'t str) -> Cow<'t, str> + Send + Sync + 'static) -> Self {
        Self(Arc::new(redact))
    }

    /// The text without its secrets.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        (self.0)(text)
    }
}

/// One that knows no secrets.
impl Default for Redactor {
    fn default() -> Self {
        Self::new(|text| Cow::Borrowed(text))
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Redactor")
    }
}

/// Members whose values are ours: checked on their way in, and nothing that anybody could hide something in.
const OURS: [&str; 5] = ["at", "id", "kind", "rowKind", "schema"];
const DIGESTS: [&str; 4] = ["argsDigest", "intentDigest", "policyDigest", "turnDigest"];

/// The row without secrets.
pub(super) fn redacted(row: &Value<'_>, redactor: &Redactor) -> Object<'static> {
    let members = row.as_object().into_iter().flat_map(Object::iter).map(|(name, value)| {
        let is_ours =
            OURS.contains(&name) || (DIGESTS.contains(&name) && value.as_text().is_some_and(is_digest));
        let value = if is_ours { value.clone().into_owned() } else { cleaned(value, redactor) };
        (Cow::Owned(name.to_owned()), value)
    });
    Object::from_members(members.collect()).unwrap_or_default()
}

fn cleaned(value: &Value<'_>, redactor: &Redactor) -> Value<'static> {
    match value {
        Value::Text(text) => Value::from(redactor.text(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(|item| cleaned(item, redactor)).collect()),
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| {
                (Cow::Owned(redactor.text(name).into_owned()), cleaned(value, redactor))
            });
            // Two names that become one say nothing that is worth keeping apart.
            Object::from_members(members.collect()).map_or_else(|_| Value::from("redacted"), Value::Object)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone().into_owned(),
    }
}

/// `sha256:` or another short prefix, and sixty-four hexadecimal digits: nothing but a digest of ours looks like that.
pub(super) fn is_digest(text: &str) -> bool {
    let Some((prefix, hash)) = text.split_once([':', '_']) else { return false };
    prefix.len() <= 8
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && hash.len() == 64
        && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
