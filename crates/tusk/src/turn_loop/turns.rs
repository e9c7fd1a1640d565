//! How a machine ends one turn and goes to the next: what is shown, what is judged, what follows.
//!
//! A refused turn changes nothing; the model is told why where it can do better, and the run ends where it cannot.

use std::borrow::Cow;

use premath_kernel::{ActionMode, ActionName, Digest, FailureClass, Intent, Text, Token};

use super::closing::{Closed, Closing, NotATurn, closed_calls};
use super::event::WorkerReturn;
use super::machine::Machine;
use super::progress;
use super::records;
use super::state::{After, Applying, Open, Paused, Phase, Purpose, RefusedChange};
use super::step::WorkerPlan;
use super::terms::{CUT_MARKER, ORCHESTRATOR, SUCCESSOR};
use super::turn_case::TurnCase;
use super::watch::{AppliedIntent, IntentOutcome, RunOutcome, StopCause, Verdict};
use crate::context::views::{self, OpenCall};
use crate::context::{
    DroppedTurn, HandoffPacket, InjectionPoint, PacketArtifact, Reminder, RenderPolicy, Rendered, RunState,
    Views, estimate, exceeded, fenced, given, render,
};
use crate::evidence::{CallOutcome, Payload};
use crate::model::{AssistantPart, CacheMarker, Message, ToolOutcome, ToolResult, UserPart};
use crate::tools::FoundTools;

/// How a worker ends that did what it was to do.
const COMPLETED: &str = "completed";
/// How a worker ends that waits for a person.
const NEEDS_PERSON: &str = "needs_person";
/// How a worker ends whose question expired.
const QUESTION_EXPIRED: &str = "question_expired";
/// So many refused turns after one another end a run.
const MOST_REFUSED: u64 = 3;
/// Refusals that a model can do better about.
const CORRECTABLE: [&str; 10] = [
    "handoff.required_artifact_missing",
    "protocol.parallel_transport_order_invalid",
    "tool.caller_not_allowed",
    "tool.discovery_mismatch",
    "tool.discovery_unresolved",
    "tool.join_incomplete",
    "tool.parallel_policy_violation",
    "tool.schema_invalid",
    "tool.unknown_or_disallowed",
    // A shell row of a call whose arguments could not be read has no workdir.
    "runtime.shell_boundary_violation",
];

impl Machine {
    /// Asks a model, unless a limit or the size of the context says otherwise.
    pub(super) fn call(&mut self, purpose: Purpose) {
        if let Some(limit) = self.reached() {
            self.stop(StopCause::Limit(limit.to_owned()), Some(Paused::Calling(purpose)));
            return;
        }
        // First, so that what is about to be shown counts.
        self.flush();
        let Some(purpose) = self.make_room(purpose) else { return };
        self.flush();
        self.count_turn(&purpose);
        self.state.phase = Phase::Calling(purpose);
    }

    /// The limit that leaves nothing for one more turn.
    fn reached(&self) -> Option<&'static str> {
        let budget = self.state.used.of(&self.config.limits);
        let state = RunState { budget, ..RunState::default() };
        let reached = exceeded(&state).into_iter().find(|name| *name != "identicalCalls");
        reached.or_else(|| self.is_workflow_over().then_some("workflowTurns"))
    }

    /// What waits to be said goes into the history as one message.
    fn flush(&mut self) {
        let parts = std::mem::take(&mut self.state.waiting);
        if !parts.is_empty() {
            self.state.push(Message::User(parts));
        }
    }

    /// Every call has ended: what is handed over comes before the turn closes.
    pub(super) fn conclude(&mut self, open: Open) {
        let mut progress = self.state.progress.clone();
        let after = progress::after(&self.config, &mut progress, &open);
        let is_handed = match &after {
            After::Finish(RunOutcome::Completed) => self.config.is_worker(),
            After::Finish(RunOutcome::HandedOff { .. }) => true,
            After::Finish(RunOutcome::Stopped(_) | RunOutcome::FailedClosed { .. })
            | After::GoOn(_)
            | After::Judge => false,
        };
        if is_handed {
            let packet = self.packet(&open);
            self.records.push(records::handed(&packet));
            self.state.phase = Phase::Handing { packet: Box::new(packet), open: Box::new(open) };
        } else {
            self.close_turn(open);
        }
    }

    fn packet(&self, open: &Open) -> HandoffPacket {
        let target = if open.purpose == Purpose::Descent { SUCCESSOR } else { ORCHESTRATOR };
        let text = open.answer.text();
        let artifact = PacketArtifact {
            reference: Digest::of_bytes(text.as_bytes()).as_str().to_owned(),
            digest: Digest::of_bytes(text.as_bytes()),
        };
        let return_path = self.config.parent.as_ref().map(|parent| format!("run://{}", parent.run_id));
        HandoffPacket {
            from_run: self.config.run_id.clone(),
            target: target.to_owned(),
            task: self.config.task.clone(),
            summary: text,
            next_step: String::new(),
            obligations: self.run_state().obligations,
            constraints: Vec::new(),
            artifacts: vec![artifact],
            state_digest: self.state.context_digest.clone(),
            return_path_ref: return_path,
            pending_intents: Vec::new(),
        }
    }

    /// Judges a turn and goes on from it.
    pub(super) fn close_turn(&mut self, open: Open) {
        // How far the work is counts only when the turn closes.
        let mut progress = self.state.progress.clone();
        let after = progress::after(&self.config, &mut progress, &open);
        if !open.purpose.is_harness() {
            self.state.last_text = open.answer.text();
        }
        let (outcomes, intents) = self.intents(&open);
        let rendered = self.rendered(&open, &outcomes);
        let reminders = self.state.reminders.reduce();
        let views = self.views(&open);
        let goes_on = !matches!(after, After::Finish(_));
        let closing = Closing {
            config: &self.config,
            terms: &self.terms,
            tools: &self.tools,
            open: &open,
            outcomes: &outcomes,
            rendered: &rendered,
            intents: &intents,
            views: &views,
            reminders: &reminders,
            used: self.state.used,
            incoming: &self.state.incoming,
            goes_on,
            records_turn: self.records_turns,
            earlier: &self.state.earlier,
        };
        let judged = closing.judge();
        if let (Ok(closed), true) = (&judged, self.config.evidence.is_computed())
            && closed.verdict.is_closed
        {
            let rule = self.terms.mutation_policy().and_then(|policy| policy.terms().verification.as_ref());
            let calls = closed_calls(self.config.evidence, &open, &outcomes, &rendered);
            self.state.earlier.take(&closed.turn.digests().turn, &calls, rule);
        }
        self.count_filtered(&open, &rendered);
        self.show(&open, &rendered, &outcomes, reminders.text(InjectionPoint::ToolResponse));
        self.tell(views, reminders.text(InjectionPoint::TurnStart));
        let answered = open.calls.iter().zip(rendered).filter(|(call, _)| call.caller.is_none());
        self.last_rendered = answered.map(|(_, rendered)| rendered.text).collect();
        match judged {
            Ok(closed) => {
                if closed.verdict.is_closed {
                    self.state.progress = progress;
                    self.note_outcomes(&open);
                }
                self.follow(open, closed, intents, after);
            }
            Err(NotATurn(detail)) => {
                let classes = vec!["tool.schema_invalid".to_owned()];
                self.end(RunOutcome::FailedClosed { classes, detail });
            }
        }
    }

    /// Tools that were found, verdicts that were given.
    fn note_outcomes(&mut self, open: &Open) {
        let mut has_found = false;
        for (call, outcome) in open.calls.iter().zip(&open.outcomes) {
            if outcome.failure().is_some() {
                continue;
            }
            if let Some((query, names)) = &outcome.found {
                self.state.found.push(FoundTools::new(query, names.clone()));
                has_found |= !names.is_empty();
            }
            if let Some(arguments) =
                call.arguments.as_ref().filter(|_| call.call.name == progress::GIVE_VERDICT)
            {
                let critique = arguments.text("critique").unwrap_or_default().to_owned();
                self.state.verdict = Some((arguments.flag("pass"), critique));
            }
        }
        if has_found || open.purpose == Purpose::Route {
            self.offer();
        }
    }

    /// The outcomes as they are shown, and the intents among them.
    fn intents<'o>(&self, open: &'o Open) -> (Cow<'o, [CallOutcome]>, Vec<(String, Intent)>) {
        let mut intents = Vec::new();
        let mut outcomes = Cow::Borrowed(open.outcomes.as_slice());
        if open.outcomes.iter().all(|outcome| outcome.intent.is_none()) {
            return (outcomes, intents);
        }
        for outcome in outcomes.to_mut() {
            let Some(intent) = self.pending(outcome) else { continue };
            let content = format!("{{\"applied\":false,\"intentDigest\":\"{}\"}}", intent.digest());
            outcome.payload = Payload::Inline(content);
            intents.push((outcome.tool_call_id.clone(), intent));
        }
        (outcomes, intents)
    }

    /// The change that a call asks for; none when it asks for none, or failed.
    pub(super) fn pending(&self, outcome: &CallOutcome) -> Option<Intent> {
        let row = outcome.intent.as_ref().filter(|_| outcome.failure().is_none())?;
        let is_computed = self.config.evidence.is_computed();
        Some(Intent {
            action: ActionName::new(&row.action)?,
            args_digest: Digest::claimed(&row.args_digest)?,
            policy_digest: self.terms.spec().mutation_policy.clone(),
            instruction_ref: self.config.instruction_ref.as_deref().and_then(Text::new),
            target_status: row.target_status.as_deref().filter(|_| is_computed).and_then(Token::new),
        })
    }

    /// How much a model is shown of a result.
    pub(super) fn render_policy(&self) -> RenderPolicy {
        let digest = self.terms.binding(premath_kernel::PolicyKind::Truncation).cloned();
        RenderPolicy {
            max_bytes: self.config.context.result_bytes,
            marker: CUT_MARKER.to_owned(),
            policy_digest: digest.unwrap_or_else(|| Digest::of_array([])),
        }
    }

    fn rendered(&self, open: &Open, outcomes: &[CallOutcome]) -> Vec<Rendered> {
        let (policy, program) = (self.render_policy(), self.program_policy());
        let calls = open.calls.iter().zip(outcomes);
        let rendered = calls.map(|(call, outcome)| {
            let rendered = render(&call.call.name, outcome, &policy);
            match call.caller {
                None => rendered,
                // Nobody is shown it; what counts is what the program was given.
                Some(_) => Rendered { truncation: given(&outcome.payload, &program).1, ..rendered },
            }
        });
        rendered.collect()
    }

    /// What programs kept out of the context counts for the whole run.
    fn count_filtered(&mut self, open: &Open, rendered: &[Rendered]) {
        for ended in open.programs.iter().flat_map(|programs| &programs.ended) {
            let shown = open.calls.iter().zip(rendered).find(|(call, _)| call.call.id.trim() == ended.id);
            let shown = shown.map_or(0, |(_, rendered)| estimate(&rendered.text));
            let filtered = &mut self.state.filtered;
            filtered.shown = filtered.shown.saturating_add(shown);
            filtered.unfiltered = filtered.unfiltered.saturating_add(ended.unfiltered);
        }
    }

    fn views(&self, open: &Open) -> Views {
        let mut state = self.run_state();
        let unanswered = open.calls.iter().zip(&open.outcomes).filter(|(_, outcome)| {
            outcome.failure().is_some_and(|failure| failure.error_code == "interrupted")
        });
        state.open_calls = unanswered
            .map(|(call, _)| OpenCall { tool_call_id: call.call.id.clone(), tool: call.call.name.clone() })
            .collect();
        state.source_refs = vec![format!("run://{}/{}", self.config.run_id, open.call_id)];
        views::views(&state, &self.terms.spec().state_view_policy)
    }

    /// What the model said and what came of it, as the next request shows it.
    fn show(
        &mut self,
        open: &Open,
        rendered: &[Rendered],
        outcomes: &[CallOutcome],
        reminder: Option<String>,
    ) {
        if open.purpose.is_harness() {
            return;
        }
        if open.answer.parts.is_empty() {
            // No provider takes a message without content back.
            return;
        }
        let parts = self.answered_parts(open);
        if !parts.is_empty() {
            self.state.push(Message::Assistant(parts));
        }
        self.state.turns.push(summary(open));
        let answered =
            rendered.iter().zip(outcomes).zip(&open.calls).filter(|(_, call)| call.caller.is_none());
        for ((rendered, outcome), _) in answered {
            let part = if self.config.action_mode == ActionMode::Text {
                let text = format!("result of {}:\n{}", outcome.tool_call_id, rendered.text);
                UserPart::Text { text, cache: CacheMarker::None }
            } else {
                UserPart::ToolResult(ToolResult {
                    call_id: outcome.tool_call_id.clone(),
                    content: rendered.text.clone(),
                    outcome: if outcome.failure().is_some() { ToolOutcome::Error } else { ToolOutcome::Ok },
                    cache: CacheMarker::None,
                })
            };
            self.state.waiting.push(part);
        }
        if let Some(text) = reminder {
            self.wait_with(text);
        }
    }

    /// What of an answer goes back to its provider. In text mode a structured call is nobody's, and nobody answers it.
    fn answered_parts(&self, open: &Open) -> Vec<AssistantPart> {
        let is_kept = |part: &&AssistantPart| {
            self.config.action_mode != ActionMode::Text || !matches!(part, AssistantPart::ToolCall(_))
        };
        open.answer.parts.iter().filter(is_kept).cloned().collect()
    }

    fn tell(&mut self, views: Views, reminder: Option<String>) {
        if let Some(text) = reminder {
            self.wait_with(text);
        }
        if let Some(text) = views::text(&views, self.state.told.as_ref()) {
            self.wait_with(text);
        }
        self.state.told = Some(views);
        self.state.applied.clear();
    }

    /// Where a judged turn leads.
    fn follow(&mut self, open: Open, closed: Closed, intents: Vec<(String, Intent)>, after: After) {
        self.records.push(records::closed(&closed.verdict, &closed.call_spec_digest));
        let is_closed = closed.verdict.is_closed;
        self.last_verdict = Some(closed.verdict.clone());
        self.last_digests = Some(closed.turn.digests().clone());
        let case = closed.recorded.map(|turn| {
            let (intents, claims) = (intents.clone(), self.claims());
            TurnCase { turn, intents, claims }
        });
        self.last_case = case;
        self.last_turn = None;
        if !is_closed {
            self.refused(&open, &closed.verdict);
            self.last_turn = Some(closed.turn);
            return;
        }
        self.state.refused_in_a_row = 0;
        if intents.is_empty() {
            self.last_turn = Some(closed.turn);
            match after {
                After::Finish(outcome) => self.finish(outcome, &open.purpose),
                after @ (After::GoOn(_) | After::Judge) => self.go(after),
            }
            return;
        }
        let workers = progress::workers(&self.config, &open, &self.state.last_text);
        self.state.judging = open.purpose == Purpose::Judgement;
        self.state.phase = Phase::Applying(Box::new(Applying {
            turn: closed.turn,
            intents,
            calls: open.calls,
            workers,
            after,
        }));
    }

    /// A refused turn: nothing of it is applied.
    fn refused(&mut self, open: &Open, verdict: &Verdict) {
        self.state.refused_turns += 1;
        self.state.refused_in_a_row += 1;
        let classes: std::collections::BTreeSet<String> =
            verdict.reasons.iter().map(|(class, ..)| class.clone()).collect();
        let is_correctable = classes.iter().all(|class| CORRECTABLE.contains(&class.as_str()));
        if let Some(outcome) = &open.stop {
            // A limit is why it is refused; that is what is said.
            self.tell_refused(verdict);
            self.finish(outcome.clone(), &open.purpose);
            return;
        }
        let detail = verdict.reasons.first().map(|(_, subject, detail)| format!("{subject}: {detail}"));
        if !is_correctable || self.state.refused_in_a_row >= MOST_REFUSED || open.purpose.is_harness() {
            let detail = detail.unwrap_or_default();
            self.end(RunOutcome::FailedClosed { classes: classes.into_iter().collect(), detail });
            return;
        }
        self.tell_refused(verdict);
        self.go(After::GoOn(None));
    }

    /// The model is told why a turn was refused.
    fn tell_refused(&mut self, verdict: &Verdict) {
        for (class, subject, detail) in &verdict.reasons {
            let text =
                format!("the turn was refused, nothing of it was applied: {class}: {subject}: {detail}");
            self.state.reminders.push(&Reminder {
                point: InjectionPoint::TurnStart,
                source: "gate".to_owned(),
                text,
            });
        }
        let told = self.state.reminders.reduce();
        if let Some(text) = told.text(InjectionPoint::TurnStart) {
            self.wait_with(text);
        }
    }

    /// Ends behind a turn. What the harness was about to do is done when the run goes on.
    fn finish(&mut self, outcome: RunOutcome, purpose: &Purpose) {
        let is_unjudged = self.state.progress.critique.is_none();
        let is_due = purpose.is_harness() && outcome.is_resumable() && is_unjudged;
        if let Some(critique) = self.state.progress.critique.take() {
            // Whoever goes on has one more try, and knows why.
            self.wait_with(critique);
        }
        self.state.paused = is_due.then(|| Paused::Calling(purpose.clone()));
        self.end(outcome);
    }

    /// Goes where a turn leads.
    pub(super) fn go(&mut self, after: After) {
        match after {
            After::GoOn(prompt) => {
                if let Some(text) = prompt {
                    self.state.due = Some(text.clone());
                    self.wait_with(text);
                }
                let purpose = progress::purpose(&self.config, &self.state.progress);
                self.call(purpose);
            }
            After::Judge => self.begin(Purpose::Judgement),
            After::Finish(outcome) => self.finish(outcome, &Purpose::Work),
        }
    }

    /// The store has answered for every change.
    pub(super) fn applied(&mut self, applying: Applying, outcomes: Vec<AppliedIntent>) {
        let Applying { mut workers, after, calls, .. } = applying;
        let mut proposed = None;
        let mut plans: Vec<WorkerPlan> = Vec::new();
        for applied in &outcomes {
            match &applied.outcome {
                IntentOutcome::Applied { issue_id, .. } => {
                    self.state.changes += 1;
                    if let Some(plan) = workers.remove(&applied.tool_call_id) {
                        plans.push(WorkerPlan { issue_id: issue_id.clone(), ..plan });
                    }
                }
                IntentOutcome::Changed { id, .. } => {
                    self.state.changes += 1;
                    let asked = calls.iter().find(|call| call.call.id == applied.tool_call_id);
                    if asked.is_some_and(|call| call.call.name == progress::PROPOSE_PLAN) {
                        proposed = Some(id.clone());
                    }
                }
                IntentOutcome::Unchanged | IntentOutcome::Refused { .. } => {}
            }
        }
        self.note_refused_changes(&outcomes);
        self.state.applied = outcomes;
        let state = self.run_state();
        let views = views::views(&state, &self.terms.spec().state_view_policy);
        if let Some(text) = views::text(&views, self.state.told.as_ref()) {
            self.wait_with(text);
        }
        self.state.told = Some(views);
        if let Some(proposal_id) = proposed {
            self.state.phase = Phase::Planning { proposal_id, after };
            return;
        }
        if plans.is_empty() {
            let is_unjudged = std::mem::take(&mut self.state.judging);
            let after = if is_unjudged {
                progress::judged(&self.config, &mut self.state.progress, None)
            } else {
                after
            };
            self.go(after);
            return;
        }
        self.state.used.workers += u64::try_from(plans.len()).unwrap_or(u64::MAX);
        self.records.push(records::spawned(&plans));
        self.state.phase = Phase::Spawning { plans, after };
    }

    /// A change that the gate refused for want of evidence is remembered until one like it is made; the model is told what
    /// is missing.
    fn note_refused_changes(&mut self, outcomes: &[AppliedIntent]) {
        let Some(verification) =
            self.config.verification.as_ref().filter(|_| self.config.evidence.is_computed())
        else {
            return;
        };
        let missing = FailureClass::UseEvidenceMissing.code();
        let mut is_missing = false;
        for applied in outcomes {
            match &applied.outcome {
                IntentOutcome::Applied { .. } | IntentOutcome::Changed { .. } => {
                    self.state.unverified.take_if(|refused| refused.action == applied.action);
                }
                IntentOutcome::Refused { class, detail } if class.split(", ").any(|one| one == missing) => {
                    let (action, detail) = (applied.action.clone(), detail.clone());
                    self.state.unverified = Some(RefusedChange { action, detail });
                    is_missing = true;
                }
                IntentOutcome::Unchanged | IntentOutcome::Refused { .. } => {}
            }
        }
        if is_missing {
            let advice = verification.advice();
            self.wait_with(advice);
        }
    }

    /// Every worker has returned.
    pub(super) fn returned(&mut self, plans: Vec<WorkerPlan>, after: After, workers: &[WorkerReturn]) {
        if let Some(waiting) = workers.iter().find(|worker| worker.outcome == NEEDS_PERSON) {
            // Nothing of them counts yet: they are asked for again, and those that ended say the same.
            let question = format!("the worker of {} waits for a person", waiting.issue_id);
            self.stop(StopCause::NeedsPerson(question), Some(Paused::Spawning { plans, after }));
            return;
        }
        if let Some(unanswered) = workers.iter().find(|worker| worker.outcome == QUESTION_EXPIRED) {
            let question = format!("the question of the worker of {} expired", unanswered.issue_id);
            self.stop(StopCause::QuestionExpired(question), Some(Paused::Spawning { plans, after }));
            return;
        }
        let used = &mut self.state.used;
        for worker in workers {
            used.turns = used.turns.saturating_add(worker.turns);
            used.tool_calls = used.tool_calls.saturating_add(worker.tool_calls);
            used.tokens = used.tokens.saturating_add(worker.tokens);
            used.cost_micros = used.cost_micros.saturating_add(worker.cost_micros);
            used.workers = used.workers.saturating_add(worker.workers);
            self.state.incoming.extend(worker.artifact_ref.clone());
        }
        self.state.incoming.sort();
        self.state.incoming.dedup();
        self.state.progress.is_joined = true;
        let after = if std::mem::take(&mut self.state.judging) {
            // A judge is a model too: what it says is not ours.
            let judge = workers.first().filter(|worker| worker.outcome == COMPLETED);
            let verdict = judge.and_then(|worker| worker.verdict.as_ref());
            let verdict = verdict.map(|(passes, critique)| (*passes, fenced("judge", critique)));
            progress::judged(&self.config, &mut self.state.progress, verdict)
        } else {
            self.wait_with(progress::returned(workers));
            after
        };
        self.go(after);
    }
}

/// What is known of a turn when it is no longer shown.
fn summary(open: &Open) -> DroppedTurn {
    let code = |outcome: &CallOutcome| {
        outcome.failure().map_or_else(|| "ok".to_owned(), |failure| failure.error_code.clone())
    };
    let reference = |outcome: &CallOutcome| match &outcome.payload {
        Payload::Inline(_) => None,
        Payload::Stored { reference, .. } => Some(reference.clone()),
    };
    let answered = || {
        let calls = open.calls.iter().zip(&open.outcomes);
        calls.filter(|(call, _)| call.caller.is_none()).map(|(_, outcome)| outcome)
    };
    DroppedTurn {
        turn_id: open.call_id.clone(),
        tools: open
            .calls
            .iter()
            .filter(|call| call.caller.is_none())
            .map(|call| call.call.name.clone())
            .collect(),
        outcomes: answered().map(code).collect(),
        refs: answered().filter_map(reference).collect(),
    }
}
