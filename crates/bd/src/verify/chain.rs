//! Rows that are chained by their digests: how one is sealed behind another, and how a chain is checked.
//!
//! A chained row carries `seq` (counted from one), `prev` (the `rowDigest` of the row before, absent in the first) and
//! `rowDigest` (over the canonical row without itself). Rows without any of them may stand before the chain and are
//! counted as unverified. In a clone with a key a row also carries `mac` over its `rowDigest`, which is not part of the
//! digest: the same row has the same digest in every clone. It must not know what else is in a row.

use std::borrow::Cow;

use premath_kernel::{Digest, Number, Object, Value, encode};
use premath_wire::strict::{Limits, parse};

use super::form::Form;
use super::problem::ProblemClass;
use crate::clone_auth::{LogAuth, MacPurpose};
use crate::error::StoreError;
use crate::log::{Log, LogReader};

const SEQ: &str = "seq";
const PREV: &str = "prev";
const ROW_DIGEST: &str = "rowDigest";
const MAC: &str = "mac";

/// The end of a chain: what the next row follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The number of the last row.
    pub seq: u64,
    /// Its digest, as it states it.
    pub digest: String,
}

/// The number of a row that follows another, as both count and canonical bytes take it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Next {
    pub(crate) seq: u64,
    pub(crate) number: Number,
}

impl Link {
    /// The link a row states, if it is part of a chain.
    #[must_use]
    pub fn of(row: &Object<'_>) -> Option<Self> {
        let seq = row.get(SEQ)?.as_number()?.as_u64()?;
        let digest = row.get(ROW_DIGEST)?.as_text()?.to_owned();
        Some(Self { seq, digest })
    }

    /// The number of the row that follows.
    ///
    /// # Errors
    /// `Input` when no number is left to count it with.
    pub(crate) fn next(after: Option<&Self>) -> Result<Next, StoreError> {
        let seq = after.map_or(Some(1), |link| link.seq.checked_add(1)).ok_or_else(exhausted)?;
        Ok(Next { seq, number: Number::unsigned(seq).ok_or_else(exhausted)? })
    }

    /// The last link of a log: what a row that is appended now has to follow.
    ///
    /// Behind rows of a chain that is one line read; only behind lines that are none is the whole log looked at.
    ///
    /// # Errors
    /// `Io` when the log cannot be read.
    pub fn last(reader: &LogReader) -> Result<Option<Self>, StoreError> {
        let of_line = |line: &[u8]| {
            let row = parse(Form::of(line).text, Limits::default()).ok()?;
            row.as_object().and_then(Self::of)
        };
        // A line that only lacks its newline becomes a row with the next append.
        if let Some(link) = reader.unterminated_line().and_then(of_line) {
            return Ok(Some(link));
        }
        match reader.last_line()? {
            None => return Ok(None),
            Some((_, line)) => {
                if let Some(link) = of_line(&line) {
                    return Ok(Some(link));
                }
            }
        }
        let mut last = None;
        reader.each_line::<StoreError>(0, |_, line| {
            last = of_line(line).or_else(|| last.take());
            Ok(())
        })?;
        Ok(last)
    }
}

/// Closes a row: gives it its place behind `after` and its digest. Returns its bytes and what the next row follows.
///
/// Chain members that the row already has are replaced.
///
/// # Errors
/// `Input` when no number is left to count it with.
pub fn seal(row: &Object<'_>, after: Option<&Link>) -> Result<(Vec<u8>, Link), StoreError> {
    seal_signed(row, after, |_| None)
}

/// The same for a row of a log, with the MAC of its clone.
pub(crate) fn seal_for(
    log: &Log,
    row: &Object<'_>,
    after: Option<&Link>,
) -> Result<(Vec<u8>, Link), StoreError> {
    seal_signed(row, after, |digest| row_mac(log.auth.as_ref(), digest))
}

/// The MAC of a row by its digest; none without a key.
pub(crate) fn row_mac(auth: Option<&LogAuth>, digest: &str) -> Option<String> {
    auth.and_then(|auth| auth.sign(MacPurpose::Row, &[digest]))
}

/// Whether a line is a row that hashes to what it states and carries a MAC of this clone over that.
pub(crate) fn is_authentic_row(auth: &LogAuth, line: &[u8]) -> bool {
    let Ok(value) = parse(Form::of(line).text, Limits::default()) else { return false };
    value.as_object().is_some_and(|row| is_signed(auth, row))
}

/// The same for a row that was read.
pub(crate) fn is_signed(auth: &LogAuth, row: &Object<'_>) -> bool {
    let (Some(link), Some(mac)) = (Link::of(row), row.get(MAC).and_then(Value::as_text)) else {
        return false;
    };
    own_digest(row, &link).is_none() && auth.verifies(MacPurpose::Row, &[&link.digest], mac)
}

fn seal_signed(
    row: &Object<'_>,
    after: Option<&Link>,
    sign: impl FnOnce(&str) -> Option<String>,
) -> Result<(Vec<u8>, Link), StoreError> {
    let Next { seq, number } = Link::next(after)?;
    let own = |name: &str| matches!(name, SEQ | PREV | ROW_DIGEST | MAC);
    let mut members: Vec<(Cow<'_, str>, Value<'_>)> = row
        .iter()
        .filter(|(name, _)| !own(name))
        .map(|(name, value)| (Cow::Borrowed(name), value.borrowed()))
        .collect();
    members.push((Cow::Borrowed(SEQ), Value::Number(number)));
    members.extend(after.map(|link| (Cow::Borrowed(PREV), Value::from(link.digest.as_str()))));
    let unsealed = Value::Object(unique(members.clone())?);
    let digest = Digest::of(&unsealed).as_str().to_owned();
    members.push((Cow::Borrowed(ROW_DIGEST), Value::from(digest.as_str())));
    members.extend(sign(&digest).map(|mac| (Cow::Borrowed(MAC), Value::from(mac))));
    let bytes = encode(&Value::Object(unique(members)?));
    Ok((bytes, Link { seq, digest }))
}

fn unique<'v>(members: Vec<(Cow<'v, str>, Value<'v>)>) -> Result<Object<'v>, StoreError> {
    Object::from_members(members).map_err(|twin| {
        let path = premath_wire::JsonPath::root().key(&twin.key);
        premath_wire::InputError::new(premath_wire::InputClass::DuplicateKey, twin.to_string(), path).into()
    })
}

fn exhausted() -> StoreError {
    let path = premath_wire::JsonPath::root().key(SEQ);
    premath_wire::InputError::new(premath_wire::InputClass::TooLarge, "the chain is full", path).into()
}

/// A chain that is followed row by row.
#[derive(Debug, Default)]
pub struct ChainWatch {
    last: Option<Link>,
    unverified: u64,
    chained: u64,
}

impl ChainWatch {
    /// Looks at the next row and says what is wrong with it.
    ///
    /// What a row states is believed for the rows behind it, so that one change is one finding and not one for every
    /// row that follows.
    pub fn row(&mut self, row: &Object<'_>) -> Vec<(ProblemClass, String)> {
        let has_any = [SEQ, PREV, ROW_DIGEST].into_iter().any(|name| row.get(name).is_some());
        if !has_any && self.last.is_none() {
            self.unverified += 1;
            return Vec::new();
        }
        let Some(link) = Link::of(row) else {
            let what = if has_any {
                "chain members that cannot be read"
            } else {
                "no chain members, behind rows that have them"
            };
            return vec![(ProblemClass::ChainBroken, format!("a row with {what}"))];
        };
        self.chained += 1;
        let mut flaws = Vec::new();
        if let Some(flaw) = own_digest(row, &link) {
            flaws.push((ProblemClass::RowDigestMismatch, flaw));
        }
        if let Some(flaw) = self.follows(row, &link) {
            flaws.push((ProblemClass::ChainBroken, flaw));
        }
        self.last = Some(link);
        flaws
    }

    fn follows(&self, row: &Object<'_>, link: &Link) -> Option<String> {
        let prev = row.get(PREV);
        let Some(last) = &self.last else {
            if link.seq != 1 {
                return Some(format!("the chain begins with row {}: the rows before it are gone", link.seq));
            }
            return prev.is_some().then(|| "the first row names a row before it".to_owned());
        };
        let expected = last.seq.saturating_add(1);
        if link.seq != expected {
            return Some(format!("row {} stands where row {expected} belongs", link.seq));
        }
        match prev.and_then(Value::as_text) {
            Some(prev) if prev == last.digest => None,
            Some(_) => Some(format!("row {} was written behind another row {}", link.seq, last.seq)),
            None => Some(format!("row {} does not name the row before it", link.seq)),
        }
    }

    /// What the next row has to follow.
    #[must_use]
    pub fn last(&self) -> Option<&Link> {
        self.last.as_ref()
    }

    /// How many rows are part of the chain.
    #[must_use]
    pub fn chained(&self) -> u64 {
        self.chained
    }

    /// How many rows stand before it and are not covered by it.
    #[must_use]
    pub fn unverified(&self) -> u64 {
        self.unverified
    }
}

fn own_digest(row: &Object<'_>, link: &Link) -> Option<String> {
    let computed = Digest::of(&Value::Object(row.without(ROW_DIGEST).without(MAC)));
    (computed.as_str() != link.digest)
        .then(|| format!("row {} hashes to {computed}, not to what it states", link.seq))
}
