//! The session handoff `.premath/harness_session.json`: what a fresh process needs to go on.
//!
//! It refers to issues, instructions and witnesses and repeats none of them. It must not decide what comes next, and it
//! reads no clock of its own: whoever writes brings one, and it is asked under the lock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_kernel::{Moment, Object, Value};
use premath_wire::time::{format_time, parse_time, to_millis};
use premath_wire::v1::{SESSION_KIND, SessionDocument, SessionState};
use premath_wire::{InputClass, InputError, JsonPath};

use crate::clock::Clock;
use crate::disk::Disk;
use crate::document::{Change, Document, keeping_unknown, normal_refs, trimmed};
use crate::error::StoreError;

/// The members of the document that are ours.
const NAMES: [&str; 15] = [
    "schema",
    "sessionKind",
    "sessionId",
    "state",
    "startedAt",
    "updatedAt",
    "stoppedAt",
    "issueId",
    "summary",
    "nextStep",
    "instructionRefs",
    "witnessRefs",
    "lineageRefs",
    "issuesPath",
    "issuesSnapshotRef",
];

/// What a write says. Absent keeps what is there, blank clears it, a list replaces the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionChange {
    /// Whether somebody works in it.
    pub state: Option<SessionState>,
    /// Another name for the session. It cannot be without one: blank keeps it.
    pub session_id: Option<String>,
    /// The issue that is worked on.
    pub issue_id: Option<String>,
    /// What was done.
    pub summary: Option<String>,
    /// What to do next.
    pub next_step: Option<String>,
    /// Instructions it works under.
    pub instruction_refs: Option<Vec<String>>,
    /// Witnesses it left.
    pub witness_refs: Option<Vec<String>>,
    /// Where in the site it works.
    pub lineage_refs: Option<Vec<String>>,
    /// The issue memory it works on.
    pub issues_path: Option<String>,
}

/// A session as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What we understand of it.
    pub document: SessionDocument,
    /// All of it.
    pub whole: Value<'static>,
}

/// The session in one file.
#[derive(Debug, Clone)]
pub struct SessionStore {
    document: Document,
}

impl SessionStore {
    /// The session in this file.
    #[must_use]
    pub fn new(disk: Arc<dyn Disk>, path: PathBuf) -> Self {
        Self { document: Document::new(disk, path) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.document.path()
    }

    /// Reads the session.
    ///
    /// # Errors
    /// `Missing` when there is none; `Corrupt` when it cannot be read, with the place; `Io`.
    pub fn read(&self) -> Result<Session, StoreError> {
        let whole = self.document.read()?;
        let document = self.checked(&whole)?;
        Ok(Session { document, whole })
    }

    /// Changes the session, or begins one. `new_issues_path` is the issue memory of a session that is begun without one
    /// being named; `snapshot` says what an issue memory holds, and is asked under the session's lock.
    ///
    /// # Errors
    /// `Busy`, `Missing` without a folder, `Corrupt` when what is there cannot be read (it is left alone), `Io`; what
    /// `snapshot` says.
    pub fn write<E: From<StoreError>>(
        &self,
        change: &SessionChange,
        new_issues_path: &str,
        clock: &dyn Clock,
        snapshot: impl FnOnce(&str) -> Result<Option<String>, E>,
    ) -> Result<Session, E> {
        self.document.change(|old| {
            let before = old.as_ref().map(|old| self.checked(old)).transpose()?;
            let mut document = changed(before, change, new_issues_path, clock.now());
            document.issues_snapshot_ref = match &document.issues_path {
                Some(path) => snapshot(path)?,
                None => None,
            };
            let known = written(&document);
            let whole = keeping_unknown(old.as_ref().and_then(Value::as_object), &NAMES, &known);
            Ok(Change::Write(whole.clone(), Session { document, whole }))
        })
    }

    /// Reads what is ours of a document.
    fn checked(&self, value: &Value<'_>) -> Result<SessionDocument, StoreError> {
        let document: SessionDocument = self.document.decode(value)?;
        self.document.expect_kind((document.schema, &document.session_kind), "sessionKind", SESSION_KIND)?;
        let times = [
            ("startedAt", Some(&document.started_at)),
            ("updatedAt", Some(&document.updated_at)),
            ("stoppedAt", document.stopped_at.as_ref()),
        ];
        for (name, time) in times {
            if time.is_some_and(|time| parse_time(time).is_none()) {
                let path = JsonPath::root().key(name);
                let error = InputError::new(InputClass::FieldInvalid, "expected an RFC 3339 time", path);
                return Err(self.document.damaged(&error));
            }
        }
        Ok(document)
    }
}

fn changed(
    before: Option<SessionDocument>,
    change: &SessionChange,
    new_issues_path: &str,
    now: Moment,
) -> SessionDocument {
    let now_text = format_time(to_millis(now));
    let is_new = before.is_none();
    let mut document = before.unwrap_or_else(|| begun(&now_text));
    let text = |field: &mut Option<String>, said: &Option<String>| {
        if let Some(said) = said {
            *field = trimmed(said);
        }
    };
    let refs = |field: &mut Vec<String>, said: &Option<Vec<String>>| {
        *field = normal_refs(said.as_ref().unwrap_or(field))
    };
    text(&mut document.issue_id, &change.issue_id);
    text(&mut document.summary, &change.summary);
    text(&mut document.next_step, &change.next_step);
    if is_new {
        document.issues_path = trimmed(new_issues_path);
    }
    text(&mut document.issues_path, &change.issues_path);
    refs(&mut document.instruction_refs, &change.instruction_refs);
    refs(&mut document.witness_refs, &change.witness_refs);
    refs(&mut document.lineage_refs, &change.lineage_refs);
    if let Some(name) = change.session_id.as_deref().and_then(trimmed) {
        document.session_id = name;
    } else if document.session_id.trim().is_empty() {
        document.session_id = generated_id(now, document.issue_id.as_deref());
    }
    let was_stopped = document.state == SessionState::Stopped;
    document.state = change.state.unwrap_or(document.state);
    document.stopped_at = match document.state {
        SessionState::Active => None,
        // A stopped session that is written again was stopped when it was.
        SessionState::Stopped => {
            document.stopped_at.filter(|_| was_stopped).or_else(|| Some(now_text.clone()))
        }
    };
    document.updated_at = now_text;
    document
}

/// A session that nobody wrote before: stopped, until somebody says that they work in it.
fn begun(now: &str) -> SessionDocument {
    SessionDocument {
        schema: 1,
        session_kind: SESSION_KIND.to_owned(),
        session_id: String::new(),
        state: SessionState::Stopped,
        started_at: now.to_owned(),
        updated_at: now.to_owned(),
        stopped_at: None,
        issue_id: None,
        summary: None,
        next_step: None,
        instruction_refs: Vec::new(),
        witness_refs: Vec::new(),
        lineage_refs: Vec::new(),
        issues_path: None,
        issues_snapshot_ref: None,
    }
}

/// `hs1_20261115T071252Z_bd-7`; `none` stands for no issue.
fn generated_id(now: Moment, issue_id: Option<&str>) -> String {
    let whole_seconds = Moment::new(now.seconds(), 0).unwrap_or(now);
    let stamp: String =
        format_time(whole_seconds).chars().filter(|letter| !matches!(letter, '-' | ':')).collect();
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let issue: String = issue_id
        .unwrap_or("none")
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '-' })
        .collect();
    format!("hs1_{stamp}_{issue}")
}

fn written(document: &SessionDocument) -> Value<'static> {
    let text = |text: &str| Value::from(text.to_owned());
    let list = |refs: &[String]| refs.iter().map(|reference| text(reference)).collect::<Vec<_>>();
    let optional = |field: &Option<String>| field.as_deref().map(text);
    Object::fields()
        .field("schema", document.schema)
        .field("sessionKind", text(&document.session_kind))
        .field("sessionId", text(&document.session_id))
        .field("state", text(document.state.token()))
        .field("startedAt", text(&document.started_at))
        .field("updatedAt", text(&document.updated_at))
        .optional("stoppedAt", optional(&document.stopped_at))
        .optional("issueId", optional(&document.issue_id))
        .optional("summary", optional(&document.summary))
        .optional("nextStep", optional(&document.next_step))
        .non_empty("instructionRefs", list(&document.instruction_refs))
        .non_empty("witnessRefs", list(&document.witness_refs))
        .non_empty("lineageRefs", list(&document.lineage_refs))
        .optional("issuesPath", optional(&document.issues_path))
        .optional("issuesSnapshotRef", optional(&document.issues_snapshot_ref))
        .finish()
}
