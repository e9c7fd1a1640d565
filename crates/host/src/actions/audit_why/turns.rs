//! From a turn back: its verdict and witness, what was decided in it, the model, the run, and whoever began it.

use premath_bd::AuditFilter;
use premath_kernel::Value;
use premath_wire::v1::{AuditKind, TurnVerdict, WhyKind};

use super::{ROWS, Trail, text};
use crate::agent::traces::{MadeTurn, made, run_names};
use crate::table::ActionError;

/// The names of a turn that are needed again after it was found.
pub(super) struct Found {
    pub(super) run_id: String,
    at: usize,
}

impl Trail<'_> {
    /// Reads a run's journal, once.
    pub(super) fn load(&mut self, run_id: &str) -> Result<(), ActionError> {
        if !self.runs.contains_key(run_id) {
            let run = made(self.workspace, run_id)?;
            self.runs.insert(run_id.to_owned(), run);
        }
        Ok(())
    }

    /// Every run, the newest name first.
    pub(super) fn names(&self) -> Result<Vec<String>, ActionError> {
        let mut names = run_names(self.workspace)?;
        names.reverse();
        Ok(names)
    }

    pub(super) fn turn(&self, found: &Found) -> Option<&MadeTurn> {
        self.runs.get(&found.run_id)?.as_ref()?.turns.get(found.at)
    }

    /// Every turn of a run that fits.
    pub(super) fn turns_of(
        &mut self,
        run_id: &str,
        fits: &dyn Fn(&MadeTurn) -> bool,
    ) -> Result<Vec<Found>, ActionError> {
        self.load(run_id)?;
        let turns = self.runs.get(run_id).and_then(Option::as_ref).map(|run| run.turns.as_slice());
        let fitting = turns.unwrap_or_default().iter().enumerate().filter(|(_, turn)| fits(turn));
        Ok(fitting.map(|(at, _)| Found { run_id: run_id.to_owned(), at }).collect())
    }

    /// The turn of that digest, in the run that is named or in any.
    pub(super) fn turn_of(&mut self, digest: &str, run: Option<&str>) -> Result<Option<Found>, ActionError> {
        let fits = |turn: &MadeTurn| turn.turn_digest.as_deref() == Some(digest);
        if let Some(run) = run
            && let Some(found) = self.turns_of(run, &fits)?.pop()
        {
            return Ok(Some(found));
        }
        for name in self.names()? {
            if let Some(found) = self.turns_of(&name, &fits)?.pop() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A change that a closed turn earned.
    pub(super) fn by_turn(
        &mut self,
        digest: Option<&str>,
        intent: Option<&str>,
        policy: Option<&str>,
        run: Option<&str>,
    ) -> Result<(), ActionError> {
        let found = match digest {
            Some(digest) => self.turn_of(digest, run)?,
            None => None,
        };
        let Some(found) = found else {
            let digest = digest.unwrap_or("no digest");
            self.unknown(1, format!("no journal here has the turn {digest}"));
            self.policy(1, policy);
            return Ok(());
        };
        self.turn_steps(1, &found, intent, policy)
    }

    /// A turn, and everything behind it.
    pub(super) fn turn_steps(
        &mut self,
        depth: u64,
        found: &Found,
        intent: Option<&str>,
        policy: Option<&str>,
    ) -> Result<(), ActionError> {
        let Some(turn) = self.turn(found) else { return Ok(()) };
        let verdict = match turn.verdict {
            TurnVerdict::Closed => "closed",
            TurnVerdict::Refused => "refused",
            TurnVerdict::Open => "still open",
        };
        let detail = format!("turn {} of {}, {verdict}", turn.turn, found.run_id);
        let (at, call_id) = (turn.at.clone(), turn.call_id.clone());
        let calls: Vec<String> = turn.calls.iter().map(|call| call.tool_call_id.clone()).collect();
        let (model, witness) = (turn.model.clone(), turn.witness_id.clone());
        let asked = turn.applied.iter().find(|one| Some(one.intent_digest.as_str()) == intent);
        let asked = asked.map(|one| (one.tool_call_id.clone(), one.action.clone()));
        let step = self.step(depth, WhyKind::Turn, detail);
        step.at = Some(at);
        step.evidence = Some(format!("turn://{call_id}"));
        if let Some((tool_call_id, action)) = asked {
            let step =
                self.step(depth + 1, WhyKind::Call, format!("call `{tool_call_id}` asked for {action}"));
            step.evidence = intent.map(str::to_owned);
        }
        self.witness(depth + 1, witness.as_deref());
        self.decisions(depth + 1, &call_id)?;
        self.approvals(depth + 1, &found.run_id, &calls)?;
        if intent.is_some() || policy.is_some() {
            self.policy(depth + 1, policy);
        }
        match model {
            Some(model) => drop(self.step(depth + 1, WhyKind::Model, model)),
            None => drop(self.step(depth + 1, WhyKind::Model, "the harness itself")),
        }
        self.by_run(depth + 1, &found.run_id.clone())
    }

    fn witness(&mut self, depth: u64, id: Option<&str>) {
        let Some(id) = id.filter(|id| !id.is_empty()) else {
            return self.unknown(depth, "the turn has no witness");
        };
        let reference = format!("witness://{id}");
        match self.witnesses.get(id) {
            Ok(_) => {
                self.step(depth, WhyKind::Witness, "the kernel's record of the turn").evidence =
                    Some(reference)
            }
            // Only turns that change issue memory leave theirs as a file; the journal names all of them.
            Err(_) => {
                let what = "the kernel's record of the turn, in the journal only";
                self.step(depth, WhyKind::Witness, what).evidence = Some(reference);
            }
        }
    }

    /// What was decided in a turn, oldest first.
    fn decisions(&mut self, depth: u64, call_id: &str) -> Result<(), ActionError> {
        let filter = AuditFilter { call: Some(call_id.to_owned()), ..AuditFilter::default() };
        let mut rows = self.rows(&filter, ROWS)?;
        rows.reverse();
        let told: Vec<(WhyKind, &Value<'static>)> =
            rows.iter().filter_map(|row| Some((kind_of(text(row, "kind")?)?, row))).collect();
        if told.is_empty() {
            self.unknown(depth, "no decision of this turn is on record");
        }
        for (kind, row) in told {
            self.audited(depth, kind, row);
        }
        Ok(())
    }

    /// A row of the audit log, as a step.
    pub(super) fn audited(&mut self, depth: u64, kind: WhyKind, row: &Value<'_>) {
        let says = |name: &str| text(row, name);
        let mut detail = says("effect").unwrap_or_default().to_owned();
        if let Some(what) = says("tool").or_else(|| says("policyName")) {
            detail = format!("{detail} {what}");
        }
        for (name, before) in [("actor", " by "), ("code", ", "), ("reason", ": ")] {
            if let Some(said) = says(name) {
                detail.push_str(before);
                detail.push_str(said);
            }
        }
        let at = says("at").map(str::to_owned);
        let id = says("id").unwrap_or_default();
        let step = self.step(depth, kind, detail);
        step.at = at;
        step.evidence = Some(format!("audit://{id}"));
    }

    /// A run, what it was to do, and who began it.
    pub(super) fn by_run(&mut self, depth: u64, run_id: &str) -> Result<(), ActionError> {
        self.load(run_id)?;
        let Some(run) = self.runs.get(run_id).and_then(Option::as_ref) else {
            self.unknown(depth, format!("there is no journal of the run {run_id}"));
            return Ok(());
        };
        let (task, at, parent) = (run.task.clone(), run.started_at.clone(), run.parent.clone());
        let step = self.step(depth, WhyKind::Run, format!("{run_id}: {}", first_line(&task)));
        step.at = Some(at);
        step.evidence = Some(format!("run://{run_id}"));
        self.planned(depth + 1, run_id)?;
        if let Some(parent) = parent.filter(|parent| parent != run_id) {
            return self.by_run(depth + 1, &parent);
        }
        self.starter(depth + 1, run_id)
    }

    /// Whoever a row about the run names: the one that says it began, or the claim of its issue.
    fn starter(&mut self, depth: u64, run_id: &str) -> Result<(), ActionError> {
        for kind in [AuditKind::Run, AuditKind::Mutation] {
            let filter =
                AuditFilter { kind: Some(kind), run: Some(run_id.to_owned()), ..AuditFilter::default() };
            let rows = self.rows(&filter, ROWS)?;
            let is_person = |row: &&Value<'static>| {
                let data = row.as_object().and_then(|row| row.get("data"));
                let authority = data.and_then(|data| text(data, "authority"));
                kind == AuditKind::Run || authority == Some("operator")
            };
            if let Some(row) = rows.iter().rfind(is_person) {
                let (actor, id) =
                    (text(row, "actor").unwrap_or_default(), text(row, "id").unwrap_or_default());
                let step = self.step(depth, WhyKind::Person, actor);
                step.evidence = Some(format!("audit://{id}"));
                return Ok(());
            }
        }
        self.unknown(depth, "who began the run is not on record");
        Ok(())
    }
}

/// What a row of the audit log is on the way back; changes are told by what they changed.
pub(super) fn kind_of(kind: &str) -> Option<WhyKind> {
    match kind {
        "decision" => Some(WhyKind::Decision),
        "approval" => Some(WhyKind::Approval),
        "proposal" => Some(WhyKind::Proposal),
        "guard" => Some(WhyKind::Guard),
        "policy" => Some(WhyKind::Policy),
        _other => None,
    }
}

fn first_line(text: &str) -> &str {
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default()
}
