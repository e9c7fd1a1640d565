//! Approvals: what a person is asked, bound to one call, and what they said.
//!
//! A request waits, is decided once, and is used once; nobody deciding in time is a no. A yes counts only with the signature
//! of a person's credential. It must not decide whether somebody must be asked.

mod decide;
mod reach;
mod reopen;
mod revoke;
mod row;
mod spend;

use premath_kernel::{Digest, Moment, Value};
use rusqlite::{OptionalExtension as _, params};

use super::answer::{DeskAnswer, DeskRefusalClass, Stop};
use super::apply::text;
use super::database::{Desk, Writing, to_stored};
use super::outbox::Told;
use super::pattern::Pattern;
use crate::error::StoreError;

pub use self::reach::{FOREIGN_ARGUMENT, FOREIGN_TOOL, SECRET_USE};
use self::row::{approval_row, approvals_where};
pub(super) use self::row::{read_targets, targets_of, targets_value};

/// The most questions of one turn that are looked at together.
const MOST_OF_A_TURN: i64 = 256;

/// What a call is about, as it was shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// What it is: `desk_file`, `file`, `command`.
    pub kind: String,
    /// What it is known by.
    pub id: String,
    /// What a person calls it.
    pub name: String,
}

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalKind {
    /// One call.
    Confirmation,
    /// A plan.
    Plan,
    /// Whether to go on at all.
    Checkpoint,
}

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalState {
    /// Nobody has decided.
    Pending,
    /// A person said yes.
    Approved,
    /// A person said no.
    Denied,
    /// It was not decided or used in time: a no.
    Expired,
    /// The yes was used.
    Consumed,
    /// A person took the yes back before it expired.
    Revoked,
}

/// How far a yes goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApprovalScope {
    /// This call.
    Once,
    /// Calls of the same tool on the same targets in the same run.
    Run,
    /// Calls that fit a pattern, until it expires.
    Pattern(Pattern),
}

/// What somebody is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// By which run.
    pub run_id: String,
    /// In which turn of it: a model may call two things by one name in two turns.
    pub call_id: String,
    /// For which call of that turn.
    pub tool_call_id: String,
    /// Why.
    pub kind: ApprovalKind,
    /// The tool.
    pub tool: String,
    /// Its arguments, whole.
    pub arguments: Value<'static>,
    /// What it is about.
    pub targets: Vec<Target>,
    /// What would change.
    pub diff: Option<String>,
    /// Why a person is asked, for that person.
    pub reason: String,
    /// The rule that wants it.
    pub rule: String,
    /// The risk of it.
    pub tier: String,
    /// Until when an answer counts.
    pub expires_at: Moment,
}

/// A request and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// `apr_` and twelve hexadecimal digits.
    pub id: String,
    /// What was asked.
    pub request: ApprovalRequest,
    /// The digest of the arguments.
    pub arguments_digest: String,
    /// When it was asked.
    pub requested_at: Moment,
    /// Where it stands.
    pub state: ApprovalState,
    /// How far a yes goes.
    pub scope: ApprovalScope,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When.
    pub decided_at: Option<Moment>,
    /// What they said about it.
    pub message: Option<String>,
    /// Their signature.
    pub signature: Option<String>,
    /// Who took the yes back.
    pub revoked_by: Option<String>,
    /// When.
    pub revoked_at: Option<Moment>,
}

/// What became of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested {
    /// The approval.
    pub approval: Approval,
    /// Whether it was asked now, and not before.
    pub is_new: bool,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

/// What a person decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// Yes or no.
    pub verdict: Verdict,
    /// How far a yes goes.
    pub scope: ApprovalScope,
    /// What they say about it.
    pub message: Option<String>,
    /// Until when the yes may be used, where that is not until the request expires.
    pub valid_until: Option<Moment>,
    /// The digest of the card that they were shown, where whoever asks knows it.
    pub shown: Option<String>,
}

/// A call that wants to use a yes.
#[derive(Debug, Clone, Copy)]
pub struct AskedCall<'c> {
    /// Its run.
    pub run_id: &'c str,
    /// Its turn.
    pub call_id: &'c str,
    /// Its id.
    pub tool_call_id: &'c str,
    /// Its tool.
    pub tool: &'c str,
    /// Its arguments, whole.
    pub arguments: &'c Value<'c>,
    /// What it is about, looked up now.
    pub targets: &'c [Target],
}

/// A yes that was used for one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The yes.
    pub approval: Approval,
    /// The digest of the arguments it was used for.
    pub arguments_digest: String,
}

impl Desk {
    /// Asks. The same question of the same call is asked once.
    ///
    /// # Errors
    /// A database that failed. Refuses a question under the id of another one.
    pub fn request_approval(&self, request: &ApprovalRequest) -> DeskAnswer<Requested> {
        let digest = Digest::of(&request.arguments).as_str().to_owned();
        self.write(|writing| {
            let query = "SELECT id FROM approvals
                 WHERE run_id = ?1 AND call_id = ?2 AND tool_call_id = ?3 AND arguments_digest = ?4";
            let key = params![request.run_id, request.call_id, request.tool_call_id, digest];
            let known: Option<String> =
                writing.transaction.query_row(query, key, |row| row.get(0)).optional()?;
            let (id, is_new) = match known {
                Some(id) => (id, false),
                None => (ask(writing, request, &digest)?, true),
            };
            let approval = existing(writing, &id)?;
            if approval.request.tool != request.tool || approval.request.targets != request.targets {
                let detail = format!("{id} was asked for another tool or other targets");
                return Err(Stop::refused(DeskRefusalClass::ApprovalMismatch, detail));
            }
            if is_new {
                tell(writing, &approval, &approval.request.run_id, "requested")?;
            } else if approval.state == ApprovalState::Expired {
                // Whoever comes back too late writes down that it is.
                drop(decide::expired::<Approval>(writing, &approval)?);
            }
            Ok(Ok(Requested { approval, is_new }))
        })
    }

    /// One approval.
    ///
    /// # Errors
    /// A database that failed.
    pub fn approval(&self, id: &str) -> Result<Option<Approval>, StoreError> {
        let now = self.now();
        self.read(|connection| approval_row(connection, id, now))
    }

    /// The questions of the newest turn of a run or of its workers that asked any.
    ///
    /// # Errors
    /// A database that failed.
    pub fn newest_questions(&self, run_id: &str) -> Result<Vec<Approval>, StoreError> {
        let now = self.now();
        self.read(|connection| {
            let condition = "run_id = ?2 OR substr(run_id, 1, length(?2) + 1) = ?2 || '.'
                 ORDER BY number DESC LIMIT ?3";
            let mut found = approvals_where(connection, condition, params![now, run_id, MOST_OF_A_TURN])?;
            let newest = found.first().map(|approval| approval.request.call_id.clone());
            found.retain(|approval| Some(&approval.request.call_id) == newest.as_ref());
            Ok::<_, Stop>(found)
        })
    }

    /// Approvals, newest first: in a state, of a run, so many.
    ///
    /// # Errors
    /// A database that failed.
    pub fn approvals(
        &self,
        state: Option<ApprovalState>,
        run_id: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Approval>, StoreError> {
        let now = self.now();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.read(|connection| {
            let condition = "(?2 IS NULL OR current = ?2) AND (?3 IS NULL OR run_id = ?3)
                 ORDER BY number DESC LIMIT ?4";
            let row = params![now, state.map(ApprovalState::token), run_id, limit];
            approvals_where(connection, condition, row)
        })
    }
}

fn ask(writing: &Writing<'_>, request: &ApprovalRequest, digest: &str) -> Result<String, Stop> {
    let id = writing.fresh("apr_", "approvals")?;
    let insert = "INSERT INTO approvals(id, run_id, call_id, tool_call_id, kind, tool, arguments,
           arguments_digest, targets, diff, reason, rule, tier, requested_at, expires_at, state, scope)
         VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, 'pending', 'once')";
    let row = params![
        id,
        request.run_id,
        request.call_id,
        request.tool_call_id,
        request.kind.token(),
        request.tool,
        text(&request.arguments),
        digest,
        text(&targets_value(&request.targets)),
        request.diff,
        request.reason,
        request.rule,
        request.tier,
        writing.now,
        to_stored(request.expires_at),
    ];
    writing.transaction.execute(insert, row)?;
    Ok(id)
}

/// The approval that must be there, as it stands now.
fn existing(writing: &Writing<'_>, id: &str) -> Result<Approval, Stop> {
    approval_row(&writing.transaction, id, writing.now)?.ok_or_else(|| {
        Stop::refused(DeskRefusalClass::NotFound, format!("no approval `{}`", id.escape_debug()))
    })
}

fn tell(writing: &Writing<'_>, approval: &Approval, actor: &str, effect: &str) -> Result<(), Stop> {
    let request = &approval.request;
    let data = premath_kernel::Object::fields()
        .field("expiresAt", premath_wire::time::format_time(request.expires_at))
        .field("kind", request.kind.token())
        .field("scope", approval.scope.token())
        .field("tier", request.tier.as_str())
        .finish();
    let about = premath_kernel::Object::fields()
        .field("approvalId", approval.id.as_str())
        .field("argsDigest", approval.arguments_digest.as_str())
        .field("data", data)
        .field("policyName", request.rule.as_str())
        .optional("reason", approval.message.as_deref())
        .field("runId", request.run_id.as_str())
        .field("targets", targets_value(&request.targets))
        .field("tool", request.tool.as_str())
        .field("toolCallId", request.tool_call_id.as_str())
        .finish();
    writing.tell(Told::Approval, actor, effect, &about)
}
