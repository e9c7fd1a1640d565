//! Asking the audit log: the newest rows first, page by page, without reading more lines than the answer takes.
//!
//! The log is read from its end. A line is parsed only when it contains every text that is asked for; rows are canonical,
//! so a text that is not there byte for byte is not there. It must not change anything.

use std::ops::ControlFlow;

use premath_kernel::{Moment, Object, Value, encode};
use premath_wire::strict::{Limits, parse};
use premath_wire::time::parse_time;
use premath_wire::v1::AuditKind;

use super::AuditLog;
use crate::error::StoreError;
use crate::journal::Cursor;
use crate::log::LogReader;
use crate::verify::{Form, Link};

/// What is asked for: rows that fit all of it.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// What the row is about.
    pub kind: Option<AuditKind>,
    /// What came of it.
    pub effect: Option<String>,
    /// The run.
    pub run: Option<String>,
    /// The turn.
    pub call: Option<String>,
    /// The issue, as the row's own or as a target.
    pub issue: Option<String>,
    /// The tool or the action.
    pub tool: Option<String>,
    /// The approval or the proposal.
    pub about: Option<String>,
    /// The file, as the row's own or as a target.
    pub path: Option<String>,
    /// Who.
    pub actor: Option<String>,
    /// The code of a refusal.
    pub code: Option<String>,
    /// Any of the digests.
    pub digest: Option<String>,
    /// Not before.
    pub since: Option<Moment>,
    /// Not after.
    pub until: Option<Moment>,
    /// What the row says somewhere, in capitals or not.
    pub text: Option<String>,
    /// Only rows before this place.
    pub before: Option<Cursor>,
}

/// Some rows, and where to go on.
#[derive(Debug, Default)]
pub struct AuditFound {
    /// The rows, the newest first.
    pub rows: Vec<Value<'static>>,
    /// Where to go on; none at the beginning of the log.
    pub next: Option<Cursor>,
    /// Lines on the way that are no rows.
    pub unreadable: u64,
    /// How many lines were looked at.
    pub looked_at: u64,
    /// How many of them were parsed.
    pub parsed: u64,
}

const DIGESTS: [&str; 5] = ["argsDigest", "intentDigest", "policyDigest", "rowDigest", "turnDigest"];

impl AuditLog {
    /// The newest rows that fit, at most `limit`.
    ///
    /// # Errors
    /// `Io` when the log cannot be read. A log that was never begun has no rows.
    pub fn query(&self, filter: &AuditFilter, limit: usize) -> Result<AuditFound, StoreError> {
        let reader = match self.log.read() {
            Err(StoreError::Missing { .. }) => return Ok(AuditFound::default()),
            read => read?,
        };
        let needles = filter.needles();
        let said = filter.text.as_deref().map(str::to_lowercase);
        let says = |line: &[u8]| {
            said.as_ref().is_none_or(|said| String::from_utf8_lossy(line).to_lowercase().contains(said))
        };
        let (from, below) = beginning(&reader, filter.before)?;
        let mut found = AuditFound::default();
        let mut last = None;
        reader.each_line_back::<StoreError>(from, |place, line| {
            if found.rows.len() >= limit {
                found.next = last;
                return Ok(ControlFlow::Break(()));
            }
            found.looked_at += 1;
            let line = Form::of(line).text;
            if !needles.iter().all(|needle| contains(line, needle)) || !says(line) {
                return Ok(ControlFlow::Continue(()));
            }
            found.parsed += 1;
            let Ok(value) = parse(line, Limits::default()) else {
                found.unreadable += 1;
                return Ok(ControlFlow::Continue(()));
            };
            let Some((row, link)) = value.as_object().and_then(|row| Some((row, Link::of(row)?))) else {
                found.unreadable += 1;
                return Ok(ControlFlow::Continue(()));
            };
            if below.is_none_or(|seq| link.seq < seq) && filter.fits(row) {
                last = Some(Cursor::at(link.seq, place.offset));
                found.rows.push(value.into_owned());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }
}

/// Where reading begins, and the number that rows must be below. A cursor whose row is elsewhere, as after a repair, is
/// looked for from the end.
fn beginning(reader: &LogReader, before: Option<Cursor>) -> Result<(u64, Option<u64>), StoreError> {
    let Some(cursor) = before else { return Ok((u64::MAX, None)) };
    let mut stands = false;
    let read = reader.each_line::<Stop>(cursor.offset(), |_, line| {
        let row = parse(Form::of(line).text, Limits::default()).ok();
        stands = row.and_then(|row| Link::of(row.as_object()?)).is_some_and(|link| link.seq == cursor.seq());
        Err(Stop::Seen)
    });
    match read {
        Err(Stop::Store(error)) => Err(error),
        Ok(()) | Err(Stop::Seen) => {
            let from = if stands { cursor.offset() } else { u64::MAX };
            Ok((from, Some(cursor.seq())))
        }
    }
}

/// One line was enough.
enum Stop {
    Seen,
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Whether a line has a text in it. Rows are text; what is none is read, and found to be no row.
fn contains(line: &[u8], needle: &str) -> bool {
    std::str::from_utf8(line).map_or(true, |line| line.contains(needle))
}

impl AuditFilter {
    /// The texts of which each row that fits has every one.
    fn needles(&self) -> Vec<String> {
        let texts = [
            &self.effect,
            &self.run,
            &self.call,
            &self.issue,
            &self.tool,
            &self.about,
            &self.path,
            &self.actor,
            &self.code,
            &self.digest,
        ];
        let kind = self.kind.map(AuditKind::token);
        let wanted = texts.into_iter().filter_map(|text| text.as_deref()).chain(kind);
        wanted.map(|text| String::from_utf8(encode(&Value::from(text))).unwrap_or_default()).collect()
    }

    pub(super) fn fits(&self, row: &Object<'_>) -> bool {
        let text = |name: &str| row.get(name).and_then(Value::as_text);
        let is = |wanted: &Option<String>, name: &str| {
            wanted.as_deref().is_none_or(|wanted| text(name) == Some(wanted))
        };
        let aims_at = |wanted: &Option<String>, name: &str| {
            wanted.as_deref().is_none_or(|wanted| {
                let targets = row.get("targets").and_then(Value::as_array).unwrap_or_default();
                text(name) == Some(wanted) || targets.iter().any(|target| target.as_text() == Some(wanted))
            })
        };
        let has_digest = self
            .digest
            .as_deref()
            .is_none_or(|wanted| DIGESTS.into_iter().any(|name| text(name) == Some(wanted)));
        let is_about = self.about.as_deref().is_none_or(|wanted| {
            ["approvalId", "proposalId"].into_iter().any(|name| text(name) == Some(wanted))
        });
        self.kind.is_none_or(|kind| text("kind") == Some(kind.token()))
            && is(&self.effect, "effect")
            && is(&self.run, "runId")
            && is(&self.call, "callId")
            && is(&self.tool, "tool")
            && is(&self.actor, "actor")
            && is(&self.code, "code")
            && aims_at(&self.issue, "issueId")
            && aims_at(&self.path, "path")
            && has_digest
            && is_about
            && self.is_within(text("at"))
    }

    fn is_within(&self, at: Option<&str>) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        at.and_then(parse_time).is_some_and(|at| {
            self.since.is_none_or(|since| at >= since) && self.until.is_none_or(|until| at <= until)
        })
    }
}
