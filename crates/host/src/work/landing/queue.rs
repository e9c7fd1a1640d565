//! `premath land`: branches of closed issues moved onto the target, one at a time, dependencies first; and reviews accepted.
//!
//! What does not merge is given back to the workers once, with the conflict as its task; the second time a person is asked. It
//! must not land an issue before the issues it depends on.

use std::collections::BTreeSet;

use premath_bd::NewStep;
use premath_bd::issues::{IssueRow, IssueStore as _};
use premath_kernel::{Object, Status, Value, natural_cmp};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::HeldIssue;
use premath_tusk::version_control::CommitId;
use premath_wire::v1::{LandAnswer, LandRow, WorkEventRow};

use super::super::WorkWatch;
use super::super::bench::{Bench, lease_instruction};
use super::super::place::Place;
use super::super::request::{WorkRequest, WorkWishes};
use super::super::retry_policy;
use super::base::{CONFLICT_LABEL, closed_dependencies, listed};
use super::merge::{Candidate, IN_REVIEW, Moved};
use super::names::{branch, branch_ref, decoded, issue_trailer, landed_ref};
use super::resolve::{Landing, ResolvedWork, refused, unavailable};
use super::tree::StepTree;
use super::{LandingFailure, LandingWishes};
use crate::agent::RunRefused;
use crate::settings::{Baseline, LandMode};
use crate::table::{ActionError, Host};

/// The worker that lands for a person.
const WORKER: &str = "land";
/// Every branch of an issue.
const BRANCHES: &str = "refs/heads/premath/";

/// What is to be landed.
#[derive(Debug, Clone, Default)]
pub struct LandRequest {
    /// The issues; all closed ones whose branch has not landed when there are none.
    pub issues: Vec<String>,
    /// Whether issues are closed whose branch a person merged on the remote.
    pub accepts: bool,
    /// The verification; that of the configuration when absent.
    pub verify: Option<String>,
    /// The target; that of the configuration when absent.
    pub target: Option<String>,
}

/// What came of asking.
#[derive(Debug)]
pub enum Landed {
    /// It went to its end.
    Done(Box<LandAnswer>),
    /// It did not begin.
    Refused(RunRefused),
}

/// Lands branches, or accepts reviews.
///
/// # Errors
/// A store or git that gives no answer.
pub fn land(
    host: &Host<'_>,
    request: &LandRequest,
    interrupt: &Interrupt,
    watch: &mut WorkWatch<'_>,
) -> Result<Landed, ActionError> {
    let mode = if request.accepts { LandMode::Push } else { LandMode::Merge };
    let configured = match host.workspace.settings.baseline() {
        Baseline::Command(command) => Some(command.to_owned()),
        Baseline::Declined | Baseline::Unset => None,
    };
    let verify = request.verify.clone().or(configured);
    if verify.is_none() && !request.accepts {
        let hint = "name a command with --verify-cmd, or set `baseline` in [session] of premath.toml";
        return Ok(Landed::Refused(refused(
            "session_baseline_missing",
            "no command verifies what lands",
            hint,
        )));
    }
    let wishes = LandingWishes { mode: Some(mode), target: request.target.clone() };
    let work = WorkRequest::for_landing(verify, wishes);
    let place = Place::of(host.workspace, Some(WORKER))?;
    let _lock = place.enter(host.workspace)?;
    let ResolvedWork { request: work, landing } = match Landing::resolve(host, work, WORKER)? {
        Ok(resolved) => resolved,
        Err(refused) => return Ok(Landed::Refused(refused)),
    };
    let Some(landing) = landing else {
        return Ok(Landed::Refused(refused(
            "landing_no_repository",
            "there is no git repository here",
            "`git init`",
        )));
    };
    if let Some(failure) = landing.target_refusal().unwrap_or_else(Some) {
        return Ok(Landed::Refused(refused(failure.class, &failure.detail, "nothing was landed")));
    }
    let retry = match retry_policy::load(host.workspace)? {
        Ok(retry) => retry,
        Err(refused) => return Ok(Landed::Refused(refused)),
    };
    let lease = match lease_instruction(host, WORKER)? {
        Ok(lease) => lease,
        Err(refused) => return Ok(Landed::Refused(refused)),
    };
    let wishes = WorkWishes { drain: interrupt.clone(), abandon: interrupt.clone() };
    let mut told = |row: &WorkEventRow| watch(row);
    let bench = Bench::new(host, (&work, place), (retry, lease), (wishes, &mut told))?;
    let mut queue = Queue { bench, landing: &landing, interrupt, rows: Vec::new() };
    let answered = if request.accepts { queue.accept(&request.issues) } else { queue.land(&request.issues) };
    let removed = landing.remove_verification_tree();
    answered?;
    removed.map_err(|failure| ActionError::Unavailable { what: failure.detail, hint: String::new() })?;
    Ok(Landed::Done(Box::new(queue.answer())))
}

/// The queue of one call.
struct Queue<'q, 'b> {
    bench: Bench<'b>,
    landing: &'q Landing<'b>,
    interrupt: &'q Interrupt,
    rows: Vec<LandRow>,
}

impl Queue<'_, '_> {
    fn answer(self) -> LandAnswer {
        let is_done = |row: &LandRow| matches!(row.outcome.as_str(), "landed" | "accepted");
        let outcome = match () {
            () if self.interrupt.is_requested() => "interrupted",
            () if self.rows.iter().all(is_done) => "done",
            () => "stuck",
        };
        LandAnswer {
            action: "work.land".to_owned(),
            outcome: outcome.to_owned(),
            target: self.landing.target.clone(),
            landed: u64::try_from(self.rows.iter().filter(|row| is_done(row)).count()).unwrap_or(u64::MAX),
            items: self.rows,
        }
    }

    fn note(
        &mut self,
        issue_id: &str,
        outcome: &str,
        commit: Option<&CommitId>,
        failure: Option<&LandingFailure>,
    ) {
        let row = LandRow {
            issue_id: issue_id.to_owned(),
            outcome: outcome.to_owned(),
            commit: commit.map(ToString::to_string),
            detail: failure.map(|failure| failure.detail.clone()),
            paths: failure.map(|failure| failure.paths.clone()).unwrap_or_default(),
        };
        self.bench.tell(
            outcome,
            WorkEventRow {
                issue_id: Some(issue_id.to_owned()),
                detail: row.detail.clone().or_else(|| row.commit.clone()),
                ..WorkEventRow::default()
            },
        );
        self.rows.push(row);
    }

    /// The issues to land in an order in which each comes after what it depends on.
    fn ordered(&self, named: &[String]) -> Result<Vec<String>, ActionError> {
        let view = self.bench.store.view()?;
        let graph = view.graph()?;
        let listed = self.landing.git.refs(&self.landing.repository, BRANCHES).map_err(unavailable)?;
        let mut all: Vec<String> =
            listed.iter().filter_map(|(name, _)| decoded(name.strip_prefix(BRANCHES)?)).collect();
        all.sort_by(|left, right| natural_cmp(left, right));
        let with_branch: BTreeSet<&String> = all.iter().collect();
        let wanted: Vec<String> = if named.is_empty() {
            let is_closed = |id: &&String| {
                graph
                    .number(id)
                    .and_then(|number| graph.node(number))
                    .is_some_and(|facts| facts.status == Status::Closed)
            };
            all.iter().filter(is_closed).cloned().collect()
        } else {
            named.to_vec()
        };
        let (mut seen, mut ordered) = (BTreeSet::new(), Vec::new());
        for id in wanted {
            for dependency in closed_dependencies(&graph, &id) {
                if with_branch.contains(&dependency) && seen.insert(dependency.clone()) {
                    ordered.push(dependency);
                }
            }
            if seen.insert(id.clone()) {
                ordered.push(id);
            }
        }
        Ok(ordered)
    }

    fn land(&mut self, named: &[String]) -> Result<(), ActionError> {
        let mut stuck: BTreeSet<String> = BTreeSet::new();
        for id in self.ordered(named)? {
            if self.interrupt.is_requested() {
                return Ok(());
            }
            let behind = self.bench.closed_dependencies(&id)?.into_iter().find(|one| stuck.contains(one));
            if let Some(behind) = behind {
                let failure = LandingFailure::new("landing_conflict", format!("{id} waits for {behind}"));
                self.note(&id, "waiting", None, Some(&failure));
                stuck.insert(id);
                continue;
            }
            if !self.land_one(&id)? {
                stuck.insert(id);
            }
        }
        Ok(())
    }

    /// Lands one issue; whether it is on the target afterwards.
    fn land_one(&mut self, id: &str) -> Result<bool, ActionError> {
        let Some(row) = self.bench.look(id)? else {
            self.note(
                id,
                "failed",
                None,
                Some(&LandingFailure::new("issue_not_found", format!("there is no issue {id}"))),
            );
            return Ok(false);
        };
        let mut tree = match self.closed_tree(id, &row) {
            Ok(tree) => tree,
            Err(failure) => {
                self.note(id, "failed", None, Some(&failure));
                return Ok(false);
            }
        };
        let held = HeldIssue {
            issue_id: id.to_owned(),
            title: row.text("title").unwrap_or_default().to_owned(),
            fence: 0,
            rev: row.rev(),
            is_escalation: false,
        };
        let step_id = format!("{WORKER}.{id}.{}-1", row.rev());
        let candidate = Candidate { held: &held, step_id: &step_id, interrupt: self.interrupt };
        let moved = self.bench.merge_into_target(self.landing, &tree, &candidate);
        self.bench.queue = None;
        match moved? {
            Moved::Landed(commit, landed) => {
                tree.landed = Some((commit.clone(), landed));
                self.record(&step_id, id, &tree)?;
                if let Err(failure) = self.landing.finish(&tree) {
                    self.note(id, "failed", Some(&commit), Some(&failure));
                    return Ok(false);
                }
                self.note(id, "landed", Some(&commit), None);
                Ok(true)
            }
            Moved::Failed(failure, conflict) => {
                let outcome = if conflict.is_some() { self.give_back(id, &row, &failure)? } else { "failed" };
                self.note(id, outcome, None, Some(&failure));
                Ok(false)
            }
            Moved::Interrupted => Ok(false),
        }
    }

    /// The commit that a closed issue has on its branch.
    fn closed_tree(&self, id: &str, row: &IssueRow) -> Result<StepTree, LandingFailure> {
        let landing = self.landing;
        if row.status() != Status::Closed {
            return Err(LandingFailure::new(
                "landing_not_closed",
                format!("{id} is not closed: nothing verified its work"),
            ));
        }
        let Some(tip) = landing.git.resolve(&landing.repository, &branch_ref(&branch(id)))? else {
            let detail = format!("there is no branch `{}`", branch(id));
            return Err(LandingFailure::new("landing_no_branch", detail));
        };
        let parents = landing.git.parents_of(&landing.repository, &tip)?;
        let from = parents.first().cloned().unwrap_or_else(|| tip.clone());
        let base = landing.git.tree_of(&landing.repository, &from)?;
        let mut tree = StepTree::new(id, parents, base);
        let content = landing.git.tree_of(&landing.repository, &tip)?;
        tree.landed = Some((tip, content));
        Ok(tree)
    }

    fn record(&self, step_id: &str, id: &str, tree: &StepTree) -> Result<(), ActionError> {
        let workspace = self.bench.workspace();
        let step = NewStep {
            step_id: step_id.to_owned(),
            action: "harness.land".to_owned(),
            result_class: "accepted".to_owned(),
            issue_id: Some(id.to_owned()),
            verification_class: Some("land".to_owned()),
            mutation_refs: tree.refs(),
            ..NewStep::default()
        };
        self.bench.place.trajectory(workspace).append(&step, workspace.clock.as_ref())?;
        Ok(())
    }

    /// Opens an issue again whose commit does not merge, the conflict as its task; the second time a person is asked.
    fn give_back(
        &self,
        id: &str,
        row: &IssueRow,
        failure: &LandingFailure,
    ) -> Result<&'static str, ActionError> {
        let labels = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
        let is_second = labels.iter().any(|label| label.as_text() == Some(CONFLICT_LABEL));
        let host = self.bench.host;
        if is_second {
            let description = format!(
                "{}.\n\nAcceptance: {id} lands with `premath land {id}`.\nPaths: {}",
                failure.detail,
                listed(&failure.paths)
            );
            let args = Object::fields()
                .field("parentIssue", id)
                .field("title", format!("Escalation of {id}: {}", failure.class))
                .field("type", "bug")
                .field("labels", Value::text_list([super::super::workable::ESCALATION]))
                .field("description", description)
                .finish();
            let effect = host.call("issue.discover", &args)?;
            return Ok(if effect.result_class == "rejected" { "failed" } else { "escalated" });
        }
        let args = Object::fields()
            .field("id", id)
            .field("status", "open")
            .field("addLabels", Value::text_list([CONFLICT_LABEL]))
            .field("appendNotes", format!("{}: {}", failure.class, failure.detail))
            .finish();
        let effect = host.call("issue.update", &args)?;
        Ok(if effect.result_class == "rejected" { "failed" } else { "reopened" })
    }

    /// Closes issues whose branch a person merged into the target on the remote.
    fn accept(&mut self, named: &[String]) -> Result<(), ActionError> {
        let landing = self.landing;
        let merged =
            landing.git.fetch(&landing.repository, &landing.remote, &landing.target).map_err(unavailable)?;
        for (id, row) in self.in_review(named)? {
            match self.merged_commit(&id, &merged) {
                Err(failure) => self.note(&id, "failed", None, Some(&failure)),
                Ok(None) => {
                    let detail =
                        format!("`{}` is not in `{}/{}` yet", branch(&id), landing.remote, landing.target);
                    self.note(&id, "review", None, Some(&LandingFailure::new("landing_in_review", detail)));
                }
                Ok(Some(commit)) => self.close_accepted(&id, &row, &commit)?,
            }
        }
        Ok(())
    }

    fn in_review(&self, named: &[String]) -> Result<Vec<(String, IssueRow)>, ActionError> {
        let view = self.bench.store.view()?;
        let graph = view.graph()?;
        let mut waiting = Vec::new();
        for (facts, place) in graph.facts.iter().zip(&graph.rows) {
            if facts.status.is_resolved() || !(named.is_empty() || named.contains(&facts.id)) {
                continue;
            }
            let Some(row) = IssueRow::read(&view.line(*place)?) else { continue };
            let labels = row.object().get("labels").and_then(Value::as_array).unwrap_or_default();
            if labels.iter().any(|label| label.as_text() == Some(IN_REVIEW)) {
                waiting.push((facts.id.clone(), row));
            }
        }
        Ok(waiting)
    }

    /// The commit of an issue in what was fetched: its own, or one with its trailer where a person squashed or rebased it.
    fn merged_commit(&self, id: &str, merged: &CommitId) -> Result<Option<CommitId>, LandingFailure> {
        let landing = self.landing;
        let Some(tip) = landing.git.resolve(&landing.repository, &branch_ref(&branch(id)))? else {
            let detail = format!("there is no branch `{}` any more", branch(id));
            return Err(LandingFailure::new("landing_no_branch", detail));
        };
        if landing.git.is_ancestor(&landing.repository, &tip, merged)? {
            return Ok(Some(tip));
        }
        let range = format!("{tip}..{merged}");
        Ok(landing.git.find_trailer(&landing.repository, &range, &issue_trailer(id))?)
    }

    fn close_accepted(&mut self, id: &str, row: &IssueRow, commit: &CommitId) -> Result<(), ActionError> {
        let args = Object::fields()
            .field("id", id)
            .field("status", "closed")
            .field("removeLabels", Value::text_list([IN_REVIEW]))
            .field("appendNotes", format!("merged as {commit}"))
            .finish();
        let effect = self.bench.host.call("issue.update", &args)?;
        if effect.result_class == "rejected" {
            let class = effect.failure_classes.first().cloned().unwrap_or_default();
            let failure =
                LandingFailure::new("landing_close_refused", format!("{id} cannot be closed: {class}"));
            self.note(id, "failed", Some(commit), Some(&failure));
            return Ok(());
        }
        let step_id = format!("{WORKER}.{id}.{}-1", row.rev());
        let mut tree = StepTree::new(
            id,
            vec![commit.clone()],
            self.landing.git.tree_of(&self.landing.repository, commit).map_err(unavailable)?,
        );
        tree.landed = Some((commit.clone(), tree.base.clone()));
        self.record(&step_id, id, &tree)?;
        let updates = self.landing.update(landed_ref(id), Some(commit)).and_then(|update| {
            let updates: Vec<_> = update.into_iter().collect();
            if updates.is_empty() {
                Ok(())
            } else {
                Ok(self.landing.git.update_refs(&self.landing.repository, &updates)?)
            }
        });
        match updates {
            Ok(()) => self.note(id, "accepted", Some(commit), None),
            Err(failure) => self.note(id, "failed", Some(commit), Some(&failure)),
        }
        Ok(())
    }
}
