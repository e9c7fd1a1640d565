//! `metrics.read`: numbers over everything that is kept, for whoever watches a repository.
//!
//! Everything is counted from the stores when it is asked for, so that a restart loses nothing. Labels are words of ours and
//! names of tools, never what somebody wrote. It must not change anything.

use std::collections::BTreeMap;

use premath_bd::StoreError;
use premath_kernel::Value;
use premath_wire::v1::{MetricFamily, MetricKind, MetricSample, MetricsAnswer};

use super::issue::arguments;
use crate::agent::traces::{QuestionState, Questions, each_kept_row};
use crate::desk_store::existing_desk;
use crate::recording::audit_log;
use crate::table::{ActionError, Answer, Host, Nothing};

/// Outcome of a run that waits for an answer.
const NEEDS_PERSON: &str = "needs_person";
/// Outcome of a run whose question expired.
const QUESTION_EXPIRED: &str = "question_expired";

/// `metrics.read`
pub(crate) fn read(host: &Host<'_>, args: &Value<'_>) -> Result<Answer, ActionError> {
    let Nothing {} = arguments(args)?;
    let mut runs = Runs::default();
    each_kept_row(host.workspace, |session, event| runs.take(session, event))?;
    runs.settle_questions(&Questions::of(host.workspace)?)?;
    let mut families = runs.families();
    families.push(decisions(host)?);
    families.extend(desk(host)?);
    families.extend(guards(host));
    Answer::new("ok", &MetricsAnswer { action: "metrics.read".to_owned(), families })
}

/// Numbers by their labels.
#[derive(Debug, Default)]
struct Tally(BTreeMap<Vec<(&'static str, String)>, u64>);

impl Tally {
    fn add(&mut self, labels: Vec<(&'static str, String)>, more: u64) {
        let count = self.0.entry(labels).or_default();
        *count = count.saturating_add(more);
    }

    fn family(self, name: &str, help: &str, kind: MetricKind) -> MetricFamily {
        let sample = |(labels, value): (Vec<(&'static str, String)>, u64)| MetricSample {
            labels: labels.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            value,
        };
        let (name, help) = (format!("premath_{name}"), help.to_owned());
        MetricFamily { name, help, kind, samples: self.0.into_iter().map(sample).collect() }
    }
}

/// What the journals say.
#[derive(Debug, Default)]
struct Runs {
    outcomes: BTreeMap<String, String>,
    turns: Tally,
    refused: Tally,
    calls: Tally,
    tokens: Tally,
    cost: Tally,
}

fn text<'r>(row: &'r Value<'_>, member: &str) -> Option<&'r str> {
    row.as_object()?.get(member)?.as_text()
}

fn number(row: &Value<'_>, member: &str) -> u64 {
    let number = row.as_object().and_then(|row| row.get(member)).and_then(Value::as_number);
    number.and_then(premath_kernel::Number::as_u64).unwrap_or_default()
}

fn rows<'r>(row: &'r Value<'_>, member: &str) -> &'r [Value<'r>] {
    row.as_object().and_then(|row| row.get(member)).and_then(Value::as_array).unwrap_or_default()
}

impl Runs {
    fn take(&mut self, session: &str, event: &Value<'_>) {
        match text(event, "kind").unwrap_or_default() {
            "run.started" | "run.resumed" => {
                self.outcomes.insert(session.to_owned(), "open".to_owned());
            }
            "run.stopped" => {
                let outcome = text(event, "outcome").unwrap_or("unknown").to_owned();
                self.outcomes.insert(session.to_owned(), outcome);
            }
            "turn.answered" => {
                self.cost.add(Vec::new(), number(event, "costMicros"));
                let Some(usage) = event.as_object().and_then(|event| event.get("usage")) else { return };
                for (member, kind) in [
                    ("input", "input"),
                    ("cacheRead", "cache_read"),
                    ("cacheWrite", "cache_write"),
                    ("output", "output"),
                ] {
                    self.tokens.add(vec![("kind", kind.to_owned())], number(usage, member));
                }
            }
            "turn.results" => {
                for trace in rows(event, "traces") {
                    let tool = text(trace, "tool").unwrap_or("unknown").to_owned();
                    let status = if text(trace, "error").is_some() { "error" } else { "ok" };
                    self.calls.add(vec![("tool", tool), ("status", status.to_owned())], 1);
                }
            }
            "turn.closed" => {
                let result = text(event, "result").unwrap_or("unknown");
                self.turns.add(vec![("result", result.to_owned())], 1);
                let mut classes: Vec<&str> =
                    rows(event, "reasons").iter().filter_map(|reason| text(reason, "class")).collect();
                classes.sort_unstable();
                classes.dedup();
                for class in classes {
                    self.refused.add(vec![("class", class.to_owned())], 1);
                }
            }
            _other => {}
        }
    }

    /// Counts a run as one that needs a person only while there is a question to answer.
    fn settle_questions(&mut self, questions: &Questions) -> Result<(), StoreError> {
        for (run_id, outcome) in &mut self.outcomes {
            if !matches!(outcome.as_str(), NEEDS_PERSON | QUESTION_EXPIRED) {
                continue;
            }
            let now = match questions.state_of(run_id)? {
                QuestionState::Open => NEEDS_PERSON,
                QuestionState::Answered => "answered",
                QuestionState::Expired => QUESTION_EXPIRED,
            };
            now.clone_into(outcome);
        }
        Ok(())
    }

    fn families(self) -> Vec<MetricFamily> {
        let mut runs = Tally::default();
        for outcome in self.outcomes.into_values() {
            runs.add(vec![("outcome", outcome)], 1);
        }
        vec![
            // A run that goes on is counted elsewhere than before.
            runs.family("runs", "Runs by how they ended", MetricKind::Gauge),
            self.turns.family("turns", "Turns by how they were judged", MetricKind::Counter),
            self.refused.family("refused_turns", "Refused turns by failure class", MetricKind::Counter),
            self.calls.family("tool_calls", "Calls that ran, by tool and status", MetricKind::Counter),
            self.tokens.family("tokens", "Tokens of models by kind", MetricKind::Counter),
            self.cost.family(
                "cost_micro_usd",
                "Cost of models in millionths of a dollar",
                MetricKind::Counter,
            ),
        ]
    }
}

/// What the audit says about decisions.
fn decisions(host: &Host<'_>) -> Result<MetricFamily, ActionError> {
    let mut tally = Tally::default();
    let read = audit_log(host.workspace).each(|row| {
        let kind = text(row, "kind").unwrap_or_default();
        if matches!(kind, "decision" | "guard") {
            let effect = text(row, "effect").unwrap_or("unknown").to_owned();
            tally.add(vec![("effect", effect), ("kind", kind.to_owned())], 1);
        }
    });
    match read {
        Ok(()) | Err(StoreError::Missing { .. }) => {
            Ok(tally.family("decisions", "Decisions of policy by effect", MetricKind::Counter))
        }
        Err(error) => Err(error.into()),
    }
}

/// What waits for people, and what they decided.
fn desk(host: &Host<'_>) -> Result<Vec<MetricFamily>, ActionError> {
    let (mut approvals, mut proposals) = (Tally::default(), Tally::default());
    if let Some(desk) = existing_desk(host.workspace)? {
        for approval in desk.approvals(None, None, usize::MAX)? {
            approvals.add(vec![("state", approval.state.token().to_owned())], 1);
        }
        for proposal in desk.proposals(None, None, usize::MAX)? {
            proposals.add(vec![("state", proposal.state.token().to_owned())], 1);
        }
    }
    Ok(vec![
        approvals.family("approvals", "Questions to people by where they stand", MetricKind::Gauge),
        proposals.family("proposals", "Plans by where they stand", MetricKind::Gauge),
    ])
}

/// Whether each guard does what it says; none where there are no guards to ask.
fn guards(host: &Host<'_>) -> Option<MetricFamily> {
    let governor = host.agent.governor(&[]).ok()?;
    let mut tally = Tally::default();
    for (guard, why_not) in governor.guards().health() {
        tally.add(vec![("guard", guard.id().to_owned())], u64::from(why_not.is_none()));
    }
    Some(tally.family("guard_healthy", "Whether a guard passed its self-test", MetricKind::Gauge))
}
