//! A turn before the kernel: its rows, what the model is shown of it, and the verdict.
//!
//! The kernel sees one turn, never the history. It must not judge by itself: what closes a turn is `premath_kernel::close`.

use std::borrow::Cow;
use std::sync::Arc;

use premath_kernel::{
    ActionMode, Artifact, Assessment, CallerEdge, Claims, Constraints, Count, Counters, Digest, Disposition,
    ErrorMaterial, GuardrailDecision, Handoff, HandoffProjection, Intent, NormalizedTurn, Observations,
    ObservedArtifact, OrchestrationRole, PriorResult, ProtocolState, Provenance, ProvenanceKind,
    ResultStatus, SchemaError, Shell, Sink, Strictness, Text, Token, Tokens, ToolCallId, ToolChoice,
    ToolRequest, ToolResult, ToolUse, Turn, TurnEvidence, Value, VerificationRule, Witness, Worker, assess,
    normalize,
};

use super::code::{CODE_EXECUTION, Ended};
use super::config::{RunConfig, STRUCTURED};
use super::earlier_results::{ClosedCall, EarlierResult, EarlierResults, FAIL, PASS};
use super::evidence_rules::EvidenceRules;
use super::plan::Toolset;
use super::programs::ANSWER;
use super::progress;
use super::state::{Open, Purpose, Used};
use super::step::PlannedCall;
use super::terms::{ORCHESTRATOR, PROGRAM, SUCCESSOR, Terms};
use super::tool_use::TurnResults;
use super::watch::Verdict;
use crate::context::{InjectionPoint, Reduced, Rendered, Views, estimate};
use crate::evidence::{CallOutcome, CallStatus};
use crate::policy::{GuardRow, Observability};
use crate::tools::{Caller, ToolKind};

/// Everything about a turn that its rows are made from.
pub(crate) struct Closing<'c> {
    pub(crate) config: &'c RunConfig,
    pub(crate) terms: &'c Terms,
    pub(crate) tools: &'c Toolset,
    pub(crate) open: &'c Open,
    /// The outcomes as they are shown: intents have their digests by now.
    pub(crate) outcomes: &'c [CallOutcome],
    pub(crate) rendered: &'c [Rendered],
    pub(crate) intents: &'c [(String, Intent)],
    pub(crate) views: &'c Views,
    pub(crate) reminders: &'c Reduced,
    pub(crate) used: Used,
    pub(crate) incoming: &'c [String],
    pub(crate) goes_on: bool,
    /// Whether the turn is kept as it was handed to the kernel.
    pub(crate) records_turn: bool,
    /// What the turn may rest on from earlier ones.
    pub(crate) earlier: &'c EarlierResults,
}

/// How a turn was judged, with the turn itself for whoever earns a proof from it.
pub(crate) struct Closed {
    pub(crate) verdict: Verdict,
    pub(crate) call_spec_digest: Digest,
    pub(crate) turn: NormalizedTurn,
    /// The turn as it was handed to the kernel; none unless it was asked for.
    pub(crate) recorded: Option<Turn>,
}

/// A turn that has no normal form, or a name that is blank: nothing of it can be judged.
#[derive(Debug)]
pub(crate) struct NotATurn(pub(crate) String);

impl Closing<'_> {
    pub(crate) fn judge(&self) -> Result<Closed, NotATurn> {
        let blank = || NotATurn("a name in the turn is blank".to_owned());
        let evidence = self.evidence().ok_or_else(blank)?;
        let choice = match self.open.purpose {
            // Whoever writes a program chooses in it.
            Purpose::Route if self.config.action_mode == ActionMode::Code => ToolChoice::Auto,
            Purpose::Route => ToolChoice::Specific(Text::new(progress::CHOOSE_ROUTE)),
            Purpose::Work | Purpose::Descent | Purpose::Branches | Purpose::Judgement | Purpose::Plan => {
                ToolChoice::Auto
            }
        };
        let spec = self.terms.call_spec(
            Text::new(&self.open.call_id).ok_or_else(blank)?,
            Text::new(&self.open.answer.model_ref).ok_or_else(blank)?,
            Some(choice),
        );
        let turn = Turn {
            spec,
            evidence,
            policies: std::sync::Arc::clone(&self.terms.policies),
            governance: self.terms.governance.clone(),
            constraints: Constraints::default(),
            strictness: Strictness::Strict,
        };
        let recorded = self.records_turn.then(|| turn.clone());
        let turn = normalize(turn)
            .map_err(|twin| NotATurn(format!("two rows of `{}` have one key", twin.list.name())))?;
        let assessment = assess(&turn, None, &Claims::default());
        let verdict = verdict(&self.open.call_id, &turn, &assessment);
        Ok(Closed { verdict, call_spec_digest: turn.digests().call_spec.clone(), turn, recorded })
    }

    fn evidence(&self) -> Option<TurnEvidence> {
        let rows = || self.open.calls.iter().zip(self.outcomes).zip(self.rendered).zip(0_u64..);
        let protocol = self.terms.spec().tool_render_protocol.clone();
        let mut evidence = TurnEvidence {
            requests: Vec::with_capacity(self.open.calls.len()),
            results: Vec::with_capacity(self.open.calls.len()),
            uses: self.uses()?,
            prior_uses: Vec::new(),
            renders: Vec::with_capacity(self.open.calls.len()),
            queues: self.reminders.row(&self.terms.spec().reminder_queue_policy).into_iter().collect(),
            views: self.views.rows().cloned().collect(),
            protocol: self.protocol()?,
            handoff: self.handoff(),
            guardrails: guard_rows(&self.open.guards, 0)?,
            code_executions: self.programs().map(Ended::row).collect::<Option<_>>()?,
            compaction: self.open.compaction.as_ref().map(|artifact| artifact.row()),
            workers: self.workers()?,
            handoff_projection: self.projection(),
            observations: None,
            session_refs: Text::new(&format!("run://{}", self.config.run_id)).into_iter().collect(),
            trajectory_refs: Text::new(&format!("run://{}/{}", self.config.run_id, self.open.call_id))
                .into_iter()
                .collect(),
        };
        let rested = self.rested_on();
        evidence.prior_uses =
            rested.iter().map(|(result, reference)| result.used_by(reference)).collect::<Option<_>>()?;
        evidence.observations = Some(self.observations(&rested)?);
        for (((call, outcome), rendered), order) in rows() {
            evidence.requests.push(self.request(call, order)?);
            evidence.results.push(ToolResult {
                tokens: self.tokens(call, rendered),
                verdict: verdict_of(self.config.evidence, call, outcome),
                shell: shell_row(self.config.evidence, call, outcome),
                ..result(call, outcome, rendered, order)?
            });
            let mut row = rendered.row(&call.call.id, InjectionPoint::ToolResponse, &protocol)?;
            if call.caller.is_some() {
                // It went into the program and nowhere else, as the operator can read it.
                row.injection_point = Token::new(PROGRAM)?;
                row.reminder_render_digest = rendered.operator_digest.clone();
            }
            evidence.renders.push(row);
        }
        Some(evidence)
    }

    fn request(&self, call: &PlannedCall, order: u64) -> Option<ToolRequest> {
        let source = if self.config.normalizer == STRUCTURED || self.open.purpose.is_harness() {
            "structured".to_owned()
        } else {
            format!("adapter:{}", self.config.normalizer)
        };
        Some(ToolRequest {
            tool_call_id: ToolCallId::new(&call.call.id)?,
            tool_name: Text::new(&call.call.name)?,
            arguments: None,
            arguments_digest: Some(super::plan::arguments_digest(&call.call)),
            schema_digest: self.tools.facts(&call.call.name).map(|facts| facts.schema_digest.clone()),
            approval_ref: self.approval(call),
            caller_id: Text::new(call.caller.as_ref().map_or(Caller::Model, |_| Caller::Code).token()),
            search_ref: call.search.clone(),
            search_ref_digest: None,
            call_group: Text::new(call.caller.as_ref().map_or(ANSWER, |caller| &caller.group)),
            order: Count::new(order),
            source: Text::new(&source),
            guardrails: guard_rows(looked(call), 0)?,
        })
    }

    fn programs(&self) -> impl Iterator<Item = &Ended> {
        self.open.programs.iter().flat_map(|programs| &programs.ended)
    }

    /// What a program's result costs in the context, and what its calls' results would have.
    fn tokens(&self, call: &PlannedCall, rendered: &Rendered) -> Option<Tokens> {
        if call.call.name != CODE_EXECUTION {
            return None;
        }
        let ended = self.programs().find(|ended| ended.id == call.call.id.trim());
        let filtered = Count::new(estimate(&rendered.text))?;
        let unfiltered = ended.map_or(Some(filtered), |ended| Count::new(ended.unfiltered))?;
        Some(Tokens { filtered, unfiltered })
    }

    /// Which changes need a verification result.
    fn rule(&self) -> Option<&VerificationRule> {
        self.terms.mutation_policy()?.terms().verification.as_ref()
    }

    fn uses(&self) -> Option<Vec<ToolUse>> {
        match self.config.evidence {
            EvidenceRules::Formal => {
                let calls = self.open.calls.iter().zip(self.outcomes).zip(self.rendered);
                calls.map(|((call, outcome), rendered)| self.formal_use(call, outcome, rendered)).collect()
            }
            EvidenceRules::Computed => {
                let judgement = match self.open.purpose {
                    Purpose::Judgement => progress::command_verdict(self.open),
                    Purpose::Work | Purpose::Route | Purpose::Descent | Purpose::Branches | Purpose::Plan => {
                        None
                    }
                };
                let results = TurnResults {
                    calls: &closed_calls(self.config.evidence, self.open, self.outcomes, self.rendered),
                    intents: self.intents,
                    rule: self.rule(),
                    handoff: self.open.handoff.as_ref().map(|(packet, _)| packet),
                    judgement: judgement.map(|(_, text)| Digest::of_bytes(text.as_bytes())),
                    goes_on: self.goes_on,
                };
                results.rows()
            }
        }
    }

    /// The use of a result in journals that compute none.
    fn formal_use(&self, call: &PlannedCall, outcome: &CallOutcome, rendered: &Rendered) -> Option<ToolUse> {
        let intent = self.intents.iter().find(|(id, _)| *id == call.call.id).map(|(_, intent)| intent);
        let (disposition, reason) = match (intent, outcome.failure(), call.runs()) {
            (Some(_), ..) => (Disposition::Consumed, None),
            (None, Some(failure), false) => {
                (Disposition::DiscardedWithReason, Text::new(&failure.error_code))
            }
            (None, ..) => (Disposition::ObservedOnly, None),
        };
        Some(ToolUse {
            tool_call_id: ToolCallId::new(&call.call.id)?,
            disposition,
            result_digest: Some(rendered.operator_digest.clone()),
            reason,
            summary_ref: None,
            handoff_ref: None,
            mutation_input_ref: intent.and_then(|intent| Text::new(intent.digest().as_str())),
        })
    }

    /// Earlier results that something of this turn rests on, each beside what that is.
    fn rested_on(&self) -> Vec<(Arc<EarlierResult>, String)> {
        if !self.config.evidence.is_computed() {
            return Vec::new();
        }
        let mut rested = Vec::new();
        if let (Some(rule), Some(verified)) = (self.rule(), self.earlier.verified()) {
            let covered = self.intents.iter().map(|(_, intent)| intent).filter(|intent| rule.covers(intent));
            rested.extend(covered.map(|intent| (Arc::clone(verified), intent.digest().as_str().to_owned())));
        }
        for (call, outcome) in self.open.calls.iter().zip(self.outcomes) {
            if outcome.failure().is_some() || outcome.bases.is_empty() {
                continue;
            }
            let patch = super::plan::arguments_digest(&call.call);
            let bases = outcome.bases.iter();
            let suppliers = bases.filter_map(|base| self.earlier.supplier(&base.path, &base.digest));
            rested.extend(suppliers.map(|result| (Arc::clone(result), patch.as_str().to_owned())));
        }
        if let Some((packet, _)) = &self.open.handoff {
            let digest = packet.digest();
            let carried = packet.artifacts.iter();
            let carried = carried.filter_map(|one| self.earlier.supplier(&one.reference, &one.digest));
            rested.extend(carried.map(|result| (Arc::clone(result), digest.as_str().to_owned())));
        }
        let summary = self.open.answer.text();
        if self.open.calls.is_empty() && !summary.is_empty() {
            let digest = Digest::of_bytes(summary.as_bytes());
            let cited = self.earlier.cited(&summary).into_iter();
            rested.extend(cited.map(|result| (Arc::clone(result), digest.as_str().to_owned())));
        }
        rested
    }

    /// A person who agreed to this very call: by itself, at a checkpoint, or as a step of a plan.
    fn approval(&self, call: &PlannedCall) -> Option<Text> {
        if !self.config.evidence.is_computed() {
            return None;
        }
        let asked = self.open.checkpoint.as_ref().filter(|_| {
            self.open.stop.is_none() && self.config.limits.checkpoint_before.contains(&call.call.name)
        });
        let confirmed = call.approval.as_ref().map(|approval| approval.id.as_str());
        let plan = self.config.policy.as_ref().and_then(|policy| policy.plan.as_ref());
        let planned = plan.filter(|plan| plan.covers(&call.call)).map(|plan| plan.proposal_id.as_str());
        confirmed.or(planned).or_else(|| asked.map(Digest::as_str)).and_then(Text::new)
    }

    fn protocol(&self) -> Option<ProtocolState> {
        let used = self.used;
        Some(ProtocolState {
            stop_reason: Token::new(&self.open.answer.stop.to_string())?,
            continuation_allowed: self.goes_on,
            counters: Some(Counters {
                turns: Count::new(used.turns),
                steps: Count::new(1),
                tool_calls: Count::new(used.tool_calls),
                tokens: Count::new(used.tokens),
                cost_micros: Count::new(used.cost_micros),
                wall_millis: Count::new(used.wall_millis),
                identical_calls: Count::new(used.identical_calls),
            }),
            checkpoint_ref: self.open.checkpoint.as_ref().and_then(|digest| Text::new(digest.as_str())),
        })
    }

    fn handoff(&self) -> Option<Handoff> {
        let (packet, _) = self.open.handoff.as_ref()?;
        packet.row(Some(self.config.spoken_role().map_or("session", OrchestrationRole::token)))
    }

    fn projection(&self) -> Option<HandoffProjection> {
        self.config.spoken_role()?;
        Some(HandoffProjection {
            incoming_artifact_refs: self.incoming.iter().filter_map(|text| Text::new(text)).collect(),
            allowed_targets: [ORCHESTRATOR, SUCCESSOR].into_iter().filter_map(Text::new).collect(),
        })
    }

    fn workers(&self) -> Option<Vec<Worker>> {
        let spawned = self.open.calls.iter().filter(|call| progress::is_spawn(call) && call.runs());
        spawned
            .map(|call| {
                Some(Worker { id: Text::new(&call.call.id)?, parent_id: None, depth: Count::new(1)? })
            })
            .collect()
    }

    /// The trace sinks that were open, as they were observed when the run began.
    fn sinks(&self) -> Option<Vec<Sink>> {
        let mode = self.config.policy.as_ref()?.observability;
        if let Some(sinks) = &self.config.sinks {
            return Some(
                sinks.iter().filter_map(|mode| Token::new(mode)).map(|mode| Sink { mode }).collect(),
            );
        }
        // Journals that observed none name what the mode stands for.
        match mode {
            Observability::Dashboard => None,
            Observability::Disabled => Some(Vec::new()),
            Observability::InternalProcessor => {
                Some(Token::new(mode.token()).map(|mode| Sink { mode }).into_iter().collect())
            }
        }
    }

    /// What the runtime found when it looked up the results that the turn rests on, once each; none when it rests on none.
    fn prior_results(rested: &[(Arc<EarlierResult>, String)]) -> Option<Option<Vec<PriorResult>>> {
        let mut found = Vec::new();
        for (result, _) in rested {
            let row = result.observed()?;
            if !found.contains(&row) {
                found.push(row);
            }
        }
        Some(Some(found).filter(|found| !found.is_empty()))
    }

    fn observations(&self, rested: &[(Arc<EarlierResult>, String)]) -> Option<Observations> {
        let mut schema_errors = Vec::new();
        for call in &self.open.calls {
            let id = Text::new(&call.call.id)?;
            let error = |pointer: &String| SchemaError { tool_call_id: id.clone(), pointer: pointer.clone() };
            schema_errors.extend(call.schema_errors.iter().map(error));
        }
        let mut artifacts = Vec::new();
        for (reference, digest) in self.open.handoff.iter().flat_map(|(_, observed)| observed) {
            artifacts.push(ObservedArtifact {
                reference: Text::new(reference)?,
                digest: digest.as_deref().and_then(Digest::claimed),
            });
        }
        // An artifact that came in was stored before anybody was told of it; its address is its digest.
        for reference in self.incoming {
            artifacts.push(ObservedArtifact {
                reference: Text::new(reference)?,
                digest: Digest::claimed(reference),
            });
        }
        Some(Observations {
            artifacts: Some(artifacts),
            files: None,
            sinks: self.sinks(),
            schema_errors,
            prior_results: Self::prior_results(rested)?,
        })
    }
}

/// The calls of a turn with what came of them.
pub(crate) fn closed_calls<'c>(
    rules: EvidenceRules,
    open: &'c Open,
    outcomes: &'c [CallOutcome],
    rendered: &'c [Rendered],
) -> Vec<ClosedCall<'c>> {
    let calls = open.calls.iter().zip(outcomes).zip(rendered);
    let closed = calls.map(|((call, outcome), rendered)| ClosedCall {
        call,
        outcome,
        result_digest: &rendered.operator_digest,
        shell: shell_row(rules, call, outcome),
        verdict: verdict_of(rules, call, outcome),
    });
    closed.collect()
}

/// What a judge said.
fn verdict_of(rules: EvidenceRules, call: &PlannedCall, outcome: &CallOutcome) -> Option<Token> {
    let is_verdict = call.call.name == progress::GIVE_VERDICT && outcome.failure().is_none();
    let arguments = call.arguments.as_ref().filter(|_| is_verdict && rules.is_computed())?;
    Token::new(if arguments.flag("pass") { PASS } else { FAIL })
}

/// What a command ran in, and how it ended.
fn shell_row(rules: EvidenceRules, call: &PlannedCall, outcome: &CallOutcome) -> Option<Shell> {
    // What ran says where it ran; only of what did not run is the plan all that is known.
    let has_run = call.runs() && outcome.failure().is_none();
    let row = outcome.shell.as_ref().or_else(|| call.shell.as_ref().filter(|_| !has_run))?;
    let arguments = call.arguments.as_ref().filter(|_| rules.is_computed());
    let script = arguments.and_then(|arguments| arguments.text("command"));
    let code = outcome.exit_code.filter(|_| rules.is_computed()).and_then(|code| u64::try_from(code).ok());
    Some(Shell {
        workdir: Text::new(&row.workdir),
        sandbox_profile: Text::new(&row.profile),
        command_digest: Digest::claimed(&row.command_digest),
        script_digest: script.map(|script| Digest::of_bytes(script.trim().as_bytes())),
        exit_code: code.and_then(Count::new),
        observed: row.observed.clone(),
    })
}

/// Who looked at a call before it ran.
fn looked(call: &PlannedCall) -> &[GuardRow] {
    call.judged.as_ref().map_or(&[], |judged| &judged.guards)
}

/// Decisions in the order in which they were made, from a place on.
fn guard_rows(rows: &[GuardRow], from: u64) -> Option<Vec<GuardrailDecision>> {
    rows.iter().zip(from..).map(|(row, order)| row.evidence(order)).collect()
}

fn result(call: &PlannedCall, outcome: &CallOutcome, rendered: &Rendered, order: u64) -> Option<ToolResult> {
    let text = |text: &str| Value::from(text.to_owned());
    let error = match &outcome.status {
        CallStatus::Ok => ErrorMaterial::default(),
        CallStatus::Failed(failure) => ErrorMaterial {
            code: Some(text(&failure.error_code)),
            retryable: Some(Value::Bool(failure.retryable)),
            message: Some(text(&failure.message)),
            message_digest: None,
            raw: None,
        },
    };
    let kind = match (call.shell.is_some(), call.kind) {
        (true, _) => ProvenanceKind::Command,
        (false, ToolKind::Read | ToolKind::Effect | ToolKind::Intent) => ProvenanceKind::Api,
    };
    let artifact = |artifact: &crate::tools::ToolArtifact| {
        Some(Artifact {
            path: Text::new(&evidence_path(&artifact.path))?,
            digest: artifact.digest.clone(),
            access: Some(artifact.access),
            change: artifact.change,
            mode: artifact.mode.as_deref().and_then(Text::new),
            before: artifact.before.clone(),
        })
    };
    Some(ToolResult {
        tool_call_id: ToolCallId::new(&call.call.id)?,
        status: Some(if outcome.failure().is_some() { ResultStatus::Error } else { ResultStatus::Ok }),
        result_digest: Some(rendered.operator_digest.clone()),
        payload: None,
        error,
        provenance: Some(Provenance { kind, reference: Text::new(&call.call.name) }),
        caller_edge: match &call.caller {
            None => None,
            Some(caller) => Some(CallerEdge { parent_tool_call_id: Text::new(&caller.parent)? }),
        },
        shell: None,
        verdict: None,
        truncation: Some(rendered.truncation.clone()),
        tokens: None,
        artifacts: outcome.artifacts.iter().map(artifact).collect::<Option<_>>()?,
        issue_targets: outcome.intent.iter().flat_map(|intent| intent.targets.clone()).collect(),
        guardrails: guard_rows(&outcome.guards, u64::try_from(looked(call).len()).unwrap_or(u64::MAX))?,
        order: Count::new(order),
    })
}

/// A path as evidence writes it. Evidence is trimmed, so that a name with outer blanks or control characters is quoted: it
/// must not be taken for another one.
fn evidence_path(path: &str) -> Cow<'_, str> {
    if path.trim() == path && !path.is_empty() && !path.contains(char::is_control) {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("{path:?}"))
    }
}

fn verdict(call_id: &str, turn: &NormalizedTurn, assessment: &Assessment) -> Verdict {
    let reasons = assessment.refusal().map(premath_kernel::Refusal::reasons).unwrap_or_default();
    let claims = Claims::default();
    let witness = Witness::of(turn, assessment, None, &claims);
    Verdict {
        call_id: call_id.to_owned(),
        is_closed: assessment.join_closed(),
        reasons: reasons
            .iter()
            .map(|reason| (reason.class.code().to_owned(), reason.subject.clone(), reason.detail.clone()))
            .collect(),
        turn_digest: turn.digests().turn.as_str().to_owned(),
        witness_id: witness.id().to_owned(),
    }
}
