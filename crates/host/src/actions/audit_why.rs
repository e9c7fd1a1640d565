//! `audit.why`: from an issue, a file, a run, a digest, an approval or a proposal back to the turn, the decisions and whoever asked for it.
//!
//! Every step names what proves it, and a link that is missing is said to be unknown. It must not guess and must not
//! change anything.

mod commit;
mod desk;
mod instructions;
mod subject;
mod turns;
mod witness;

use std::collections::BTreeMap;

use premath_bd::issues::{FileIssues, IssueRow, IssueStore as _};
use premath_bd::{AuditFilter, AuditLog, StoreError, Witnesses, audit_id};
use premath_kernel::Value;
use premath_wire::v1::{AuditWhy, WhyKind, WhyStep, WhySubject};
use schemars::JsonSchema;
use serde::Deserialize;

use self::instructions::is_of_a_run;
use super::issue::{arguments, count, invalid, token, told};
use super::verify::repository;
use crate::agent::traces::MadeRun;
use crate::recording::audit_log;
use crate::table::{ActionError, Answer, Host};
use crate::workspace::Workspace;

/// How many changes are followed back when nobody says.
const FOLLOWED: u64 = 5;
/// The most audit rows that are looked at for one subject.
const ROWS: usize = 10_000;

/// What `audit.why` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WhyArgs {
    /// An issue, a path or a file of the desk, a run, a digest or a witness, an approval, a proposal or a commit.
    subject: String,
    /// Which of them it is, when that is not plain.
    kind: Option<String>,
    /// The most changes to follow back.
    limit: Option<u64>,
}

const KINDS: [WhySubject; 7] = [
    WhySubject::Issue,
    WhySubject::Path,
    WhySubject::Run,
    WhySubject::Digest,
    WhySubject::Approval,
    WhySubject::Proposal,
    WhySubject::Commit,
];

/// `audit.why`
pub(crate) fn why(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let args: WhyArgs = arguments(args)?;
    let subject =
        told(Some(&args.subject)).ok_or_else(|| invalid("expected text that is not blank", "subject"))?;
    let kind = told(args.kind.as_deref());
    let kind = kind.map(|kind| token(kind, "kind", &KINDS, WhySubject::token)).transpose()?;
    let limit = usize::try_from(args.limit.unwrap_or(FOLLOWED)).unwrap_or(usize::MAX);
    let mut trail = Trail::new(host.workspace);
    let git = host.agent.version_control();
    let root = &host.workspace.root;
    let folder = if root.as_os_str().is_empty() { std::path::PathBuf::from(".") } else { root.clone() };
    let commit = match kind {
        None | Some(WhySubject::Commit) => commit::commit_named(git, &folder, subject)?,
        Some(_) => None,
    };
    let kind = match kind {
        Some(kind) => kind,
        None => {
            let kind = trail.kind_of(subject)?;
            // A path of seven digits or more is less likely than a commit that there is.
            if kind == WhySubject::Path && commit.is_some() { WhySubject::Commit } else { kind }
        }
    };
    let changes = match kind {
        WhySubject::Issue => trail.issue(subject, limit)?,
        WhySubject::Path => trail.path(subject, limit)?,
        WhySubject::Run => trail.run(subject, limit)?,
        WhySubject::Digest => trail.digest(subject, limit)?,
        WhySubject::Approval | WhySubject::Proposal => trail.asked(subject)?,
        WhySubject::Commit => match &commit {
            Some(commit) => trail.commit(git, (&folder, commit), limit)?,
            None => {
                trail.unknown(0, format!("git knows no commit `{subject}` here"));
                0
            }
        },
    };
    let complete = changes > 0 && trail.steps.iter().all(|step| step.kind != WhyKind::Unknown);
    let answer = AuditWhy {
        action: "audit.why".to_owned(),
        subject: subject.to_owned(),
        subject_kind: kind,
        complete,
        changes: count(changes),
        steps: trail.steps,
    };
    Answer::new("ok", &answer)
}

/// The way back, as far as it was walked.
struct Trail<'w> {
    workspace: &'w Workspace,
    log: AuditLog,
    issues: FileIssues,
    witnesses: Witnesses,
    /// Journals that were read, each once.
    runs: BTreeMap<String, Option<MadeRun>>,
    steps: Vec<WhyStep>,
}

impl<'w> Trail<'w> {
    fn new(workspace: &'w Workspace) -> Self {
        let disk = std::sync::Arc::clone(&workspace.disk);
        Self {
            workspace,
            log: audit_log(workspace),
            issues: FileIssues::new(disk, workspace.issues_path(None)),
            witnesses: repository(workspace).witnesses(),
            runs: BTreeMap::new(),
            steps: Vec::new(),
        }
    }

    fn step(&mut self, depth: u64, kind: WhyKind, detail: impl Into<String>) -> &mut WhyStep {
        let step = WhyStep { depth, kind, detail: detail.into(), at: None, evidence: None };
        self.steps.push_mut(step)
    }

    fn unknown(&mut self, depth: u64, what: impl Into<String>) {
        self.step(depth, WhyKind::Unknown, what);
    }

    /// The newest audit rows that fit.
    fn rows(&self, filter: &AuditFilter, limit: usize) -> Result<Vec<Value<'static>>, ActionError> {
        Ok(self.log.query(filter, limit)?.rows)
    }

    /// Every row an issue ever had; none where there is no issue memory.
    fn history(&self, id: &str) -> Result<Vec<IssueRow>, ActionError> {
        match self.issues.history(id) {
            Err(StoreError::Missing { .. }) => Ok(Vec::new()),
            history => Ok(history?),
        }
    }

    /// One change of an issue: what was done, on whose authority, and from there back.
    fn change(
        &mut self,
        row: &IssueRow,
        audit: &BTreeMap<String, Value<'static>>,
    ) -> Result<(), ActionError> {
        let witness = row.object().get("write_witness").and_then(Value::as_object);
        let says = |name: &str| witness.and_then(|witness| witness.get(name)).and_then(Value::as_text);
        let (id, rev, status) = (row.id(), row.rev(), row.text("status").unwrap_or("open"));
        let action = says("action").unwrap_or("written");
        let step = self.step(0, WhyKind::Change, format!("{action}: {id} became revision {rev}, {status}"));
        step.at = says("at").map(str::to_owned);
        step.evidence = Some(format!("issue://{id}@{rev}"));
        let recorded = says("digest").and_then(|seal| audit.get(&audit_id(seal)));
        let run = recorded.and_then(|row| text(row, "runId")).map(str::to_owned);
        match says("authority") {
            Some("turn") => {
                let instruction = says("instruction_ref");
                if is_of_a_run(instruction) || run.is_some() {
                    let (turn, intent) = (says("turn_digest"), says("intent_digest"));
                    self.by_turn(turn, intent, says("policy_digest"), run.as_deref())?;
                } else {
                    self.policy(1, says("policy_digest"));
                }
                self.by_instruction(1, instruction, says("permit_id"))?;
            }
            Some("lease") => {
                let reference = says("instruction_ref");
                match reference.and_then(|reference| reference.strip_prefix("run://")) {
                    Some(run) => self.by_run(1, run)?,
                    None if reference.is_some() => self.by_instruction(1, reference, None)?,
                    None => self.unknown(1, "the lease names no run and no instruction"),
                }
                self.policy(1, says("policy_digest"));
            }
            Some("operator" | "maintenance") => {
                let reason = says("override_reason").map(|reason| format!(", because: {reason}"));
                let name = says("actor").unwrap_or("somebody at a terminal, without a name");
                self.step(1, WhyKind::Person, format!("{name}{}", reason.unwrap_or_default()));
            }
            Some(other) => self.unknown(1, format!("an authority of another version: `{other}`")),
            None => self.unknown(1, "the row does not say who wrote it"),
        }
        match recorded {
            Some(row) => self.recorded(1, row),
            None if witness.is_some() => self.unknown(1, "the audit log has no row of this change"),
            None => {}
        }
        Ok(())
    }

    /// What the audit log says of a change that is told already.
    fn recorded(&mut self, depth: u64, row: &Value<'_>) {
        let (id, at) = (text(row, "id").unwrap_or_default(), text(row, "at").map(str::to_owned));
        let data = row.as_object().and_then(|row| row.get("data")).and_then(Value::as_object);
        let is_late = data.and_then(|data| data.get("recovered")).and_then(Value::as_bool) == Some(true);
        let what = if is_late { "on record, added later" } else { "on record" };
        let step = self.step(depth, WhyKind::Witness, what);
        step.at = at;
        step.evidence = Some(format!("audit://{id}"));
    }

    fn policy(&mut self, depth: u64, digest: Option<&str>) {
        match digest.filter(|digest| !digest.is_empty()) {
            Some(digest) => {
                self.step(depth, WhyKind::Policy, "the policy in force").evidence = Some(digest.to_owned());
            }
            None => self.unknown(depth, "the policy in force is not on record"),
        }
    }
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}
