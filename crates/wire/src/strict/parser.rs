//! The grammar of RFC 8259 by recursive descent: structure, literals, and the path of a failure.
//!
//! It must not recurse beyond the depth it was given, and must do no work on the happy path for the sake of errors.

use std::borrow::Cow;

use premath_kernel::{Object, Value};

use super::{DEPTH_CEILING, Limits};
use crate::input_error::{Echo, InputClass, JsonPath, Segment};

/// What went wrong, before its line and column are known.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) class: InputClass,
    pub(super) what: String,
    /// Byte offset
    pub(super) at: usize,
    pub(super) path: JsonPath,
}

impl Failure {
    pub(super) fn new(class: InputClass, what: String, at: usize) -> Self {
        Failure { class, what, at, path: JsonPath::root() }
    }

    #[cold]
    fn inside(mut self: Box<Self>, segment: Segment) -> Box<Self> {
        self.path.push_outer(segment);
        self
    }
}

/// Boxed, so that a result is no larger than the value.
pub(super) type Parsed<T> = Result<T, Box<Failure>>;

/// A position in a text; every step reads what it names and moves behind it.
#[derive(Debug)]
pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    max_depth: usize,
    values_left: usize,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, limits: Limits) -> Self {
        Parser { text, at: 0, max_depth: limits.max_depth.min(DEPTH_CEILING), values_left: limits.max_values }
    }

    /// The only value of the text.
    pub(super) fn document(mut self) -> Parsed<Value<'a>> {
        if self.text.starts_with('\u{feff}') {
            return Err(self.invalid("byte order mark"));
        }
        let value = self.value(0)?;
        match self.next_token() {
            None => Ok(value),
            Some(_) => Err(self.invalid("text behind the document")),
        }
    }

    fn value(&mut self, depth: usize) -> Parsed<Value<'a>> {
        let Some(left) = self.values_left.checked_sub(1) else {
            let what = "more values than are read at all".to_owned();
            return Err(Box::new(Failure::new(InputClass::TooLarge, what, self.at)));
        };
        self.values_left = left;
        match self.next_token() {
            Some(b'"') => self.string().map(Value::Text),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.literal("true", Value::Bool(true)),
            Some(b'f') => self.literal("false", Value::Bool(false)),
            Some(b'n') => self.literal("null", Value::Null),
            _ => Err(self.invalid("expected a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Parsed<Value<'a>> {
        self.enter(depth)?;
        let mut items = Vec::with_capacity(1);
        if self.next_token() == Some(b']') {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            match self.value(depth + 1) {
                Ok(item) => items.push(item),
                Err(failure) => return Err(failure.inside(Segment::Index(items.len()))),
            }
            match self.next_token() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.invalid("expected `,` or `]`")),
            }
        }
        self.at += 1;
        Ok(Value::Array(items))
    }

    fn object(&mut self, depth: usize) -> Parsed<Value<'a>> {
        let start = self.at;
        self.enter(depth)?;
        let mut members = Vec::with_capacity(1);
        if self.next_token() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Object(Object::default()));
        }
        loop {
            let name = self.name()?;
            match self.value(depth + 1) {
                Ok(value) => members.push((name, value)),
                Err(failure) => return Err(failure.inside(Segment::Key(name.into_owned()))),
            }
            match self.next_token() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.invalid("expected `,` or `}`")),
            }
        }
        self.at += 1;
        match Object::from_members(members) {
            Ok(object) => Ok(Value::Object(object)),
            Err(duplicate) => Err(self.duplicate(start, depth, duplicate.key)),
        }
    }

    /// A member's name and the colon behind it.
    fn name(&mut self) -> Parsed<Cow<'a, str>> {
        if self.next_token() != Some(b'"') {
            return Err(self.invalid("expected a member name"));
        }
        let name = self.string()?;
        if self.next_token() != Some(b':') {
            return Err(self.invalid("expected `:`").inside(Segment::Key(name.into_owned())));
        }
        self.at += 1;
        Ok(name)
    }

    fn enter(&mut self, depth: usize) -> Parsed<()> {
        if depth >= self.max_depth {
            let what = format!("nested deeper than {}", self.max_depth);
            return Err(Box::new(Failure::new(InputClass::TooDeep, what, self.at)));
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, spelling: &str, value: Value<'a>) -> Parsed<Value<'a>> {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        if !rest.starts_with(spelling.as_bytes()) {
            return Err(self.invalid("expected a value"));
        }
        self.at += spelling.len();
        Ok(value)
    }

    /// Reads the object again, which is known to be well formed, to find where the name stands a second time.
    #[cold]
    fn duplicate(&self, start: usize, depth: usize, key: String) -> Box<Failure> {
        let mut again =
            Parser { text: self.text, at: start, max_depth: self.max_depth, values_left: usize::MAX };
        let mut seen = false;
        let place = loop {
            again.at += 1;
            again.next_token();
            let place = again.at;
            let same = again.name().is_ok_and(|name| name == key);
            if same && seen {
                break place;
            }
            seen |= same;
            if again.value(depth + 1).is_err() || again.next_token() != Some(b',') {
                break start;
            }
        };
        let what = format!("duplicate key `{}`", Echo(&key));
        Box::new(Failure::new(InputClass::DuplicateKey, what, place)).inside(Segment::Key(key))
    }

    /// The first byte behind any white space, still unread.
    #[inline]
    fn next_token(&mut self) -> Option<u8> {
        loop {
            let byte = self.peek();
            if !matches!(byte, Some(b' ' | b'\n' | b'\t' | b'\r')) {
                return byte;
            }
            self.at += 1;
        }
    }

    /// The next byte, still unread.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// The failure of a text that is not JSON here, or ends here.
    #[cold]
    pub(super) fn invalid(&self, what: &str) -> Box<Failure> {
        let what = if self.at < self.text.len() { what.to_owned() } else { format!("{what}, found the end") };
        Box::new(Failure::new(InputClass::JsonInvalid, what, self.at))
    }
}
