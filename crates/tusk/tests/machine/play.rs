//! A play: a machine, the rows it would leave, and everything that was run.

use premath_bd::JournalEvent;
use premath_kernel::{Value, encode};
use premath_tusk::evidence::CallOutcome;
use premath_tusk::model::{Message, ModelRequest, UserPart};
use premath_tusk::turn_loop::{
    Answer, AppliedIntent, Decision, Event, IntentOutcome, Limits, Machine, PlannedCall, Redrive, Redriven,
    RunConfig, RunOutcome, Step, StopCause, WorkerReturn,
};

use super::people::ok;
use super::unpaired;

/// A machine on its way, with its rows.
#[derive(Debug)]
pub(crate) struct Play {
    pub(crate) machine: Machine,
    pub(crate) rows: Vec<Value<'static>>,
    /// The calls that ran, in order.
    pub(crate) ran: Vec<String>,
}

/// Rows as somebody who reads the journal sees them.
pub(crate) fn values(rows: &[JournalEvent]) -> Vec<Value<'static>> {
    rows.iter().map(JournalEvent::value).collect()
}

impl Play {
    /// A run that begins.
    pub(crate) fn of(config: RunConfig) -> Self {
        let mut machine = Machine::new(config).unwrap();
        let rows = values(&machine.take_records());
        let play = Self { machine, rows, ran: Vec::new() };
        play.look();
        play
    }

    /// Something happens.
    #[track_caller]
    pub(crate) fn feed(&mut self, event: Event) -> &mut Self {
        self.rows.push(event.row().value());
        self.machine.feed(event).unwrap();
        self.rows.extend(values(&self.machine.take_records()));
        self.look();
        self
    }

    fn look(&self) {
        if let Step::CallModel(call) = self.machine.next() {
            assert_eq!(unpaired(&call.request), None, "in {}", call.call_id);
        }
    }

    /// A model answers.
    #[track_caller]
    pub(crate) fn says(&mut self, answer: Answer) -> &mut Self {
        self.feed(Event::Answered(Box::new(answer)))
    }

    /// Every call that may run does what it should.
    #[track_caller]
    pub(crate) fn works(&mut self) -> &mut Self {
        self.comes_to(1, ok)
    }

    /// Every call comes to what is said of it.
    #[track_caller]
    pub(crate) fn comes_to(
        &mut self,
        millis: u64,
        outcome: impl Fn(&PlannedCall) -> CallOutcome,
    ) -> &mut Self {
        let Step::CallTools(calls) = self.machine.next() else {
            panic!("no calls wait: {:?}", self.machine.next());
        };
        let outcomes = calls.iter().map(outcome).collect();
        self.ran.extend(calls.iter().filter(|call| call.runs()).map(|call| call.call.id.clone()));
        self.feed(Event::ToolsFinished { outcomes, elapsed_millis: millis, traces: Vec::new() })
    }

    /// What the program came to is kept as it is.
    #[track_caller]
    pub(crate) fn keeps(&mut self) -> &mut Self {
        let Step::Keep { outcome, .. } = self.machine.next() else {
            panic!("no program has ended: {:?}", self.machine.next());
        };
        let outcome = Box::new(outcome.clone());
        self.feed(Event::ProgramKept { outcome })
    }

    /// The store makes every change that was admitted; the issues it makes are `pm-10`, `pm-11` and so on.
    #[track_caller]
    pub(crate) fn applies(&mut self) -> &mut Self {
        let Step::Apply(admitted) = self.machine.next() else {
            panic!("nothing is to be applied: {:?}", self.machine.next());
        };
        let outcome = |(number, admitted): (usize, premath_tusk::turn_loop::Admitted)| AppliedIntent {
            outcome: match &admitted.grant {
                Ok(_) => IntentOutcome::Applied {
                    issue_id: format!("pm-{}", number + 10),
                    status: "open".to_owned(),
                },
                Err((class, detail)) => {
                    IntentOutcome::Refused { class: class.clone(), detail: detail.clone() }
                }
            },
            tool_call_id: admitted.tool_call_id,
            action: admitted.action,
            intent_digest: admitted.intent_digest,
        };
        let outcomes = admitted.into_iter().enumerate().map(outcome).collect();
        self.feed(Event::Applied { outcomes })
    }

    /// Workers return.
    #[track_caller]
    pub(crate) fn return_with(&mut self, workers: Vec<WorkerReturn>) -> &mut Self {
        self.feed(Event::WorkersReturned { workers })
    }

    /// A person says something.
    #[track_caller]
    pub(crate) fn hears(&mut self, decision: Decision) -> &mut Self {
        self.feed(Event::PersonDecided { decision })
    }

    /// It goes on.
    #[track_caller]
    pub(crate) fn resumes(&mut self, limits: Option<Limits>) -> &mut Self {
        self.feed(Event::Resumed { limits })
    }

    /// What a model is asked now.
    #[track_caller]
    pub(crate) fn request(&self) -> ModelRequest {
        match self.machine.next() {
            Step::CallModel(call) => call.request,
            other => panic!("nobody is asked: {other:?}"),
        }
    }

    /// All that the user's side of the next request says last.
    #[track_caller]
    pub(crate) fn told(&self) -> String {
        let request = self.request();
        let last = request.messages.iter().next_back().unwrap();
        let Message::User(parts) = last else { panic!("the model spoke last: {last:?}") };
        let text = |part: &UserPart| match part {
            UserPart::Text { text, .. } => text.clone(),
            UserPart::ToolResult(result) => format!("{}: {}", result.call_id, result.content),
        };
        parts.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// The names of the tools that are offered.
    pub(crate) fn offered(&self) -> Vec<String> {
        self.request().tools.iter().map(|tool| tool.name.clone()).collect()
    }

    /// How it ended.
    #[track_caller]
    pub(crate) fn outcome(&self) -> RunOutcome {
        match self.machine.next() {
            Step::Done(outcome) => outcome.clone(),
            other => panic!("it has not ended: {other:?}"),
        }
    }

    /// The limit that stopped it.
    #[track_caller]
    pub(crate) fn limit(&self) -> String {
        match self.outcome() {
            RunOutcome::Stopped(StopCause::Limit(name)) => name,
            other => panic!("no limit stopped it: {other:?}"),
        }
    }

    /// Whether the last turn was closed, and the classes that speak against it.
    pub(crate) fn verdict(&self) -> (bool, Vec<String>) {
        let verdict = self.machine.last_verdict().unwrap();
        let mut classes: Vec<String> = verdict.reasons.iter().map(|(class, ..)| class.clone()).collect();
        classes.dedup();
        (verdict.is_closed, classes)
    }

    /// The kinds of the rows, in order.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let kind = |row: &Value<'_>| {
            row.as_object().unwrap().get("kind").and_then(Value::as_text).unwrap().to_owned()
        };
        self.rows.iter().map(kind).collect()
    }

    /// The rows run again: every record is the same, and so is where it stands.
    pub(crate) fn replays(&self) {
        let again = redriven(&self.rows);
        assert!(again.unwritten.is_empty(), "{:?}", again.unwritten);
        assert_eq!(again.machine.report(), self.machine.report());
        assert_eq!(again.machine.context_digest(), self.machine.context_digest());
        if let (Step::CallModel(left), Step::CallModel(right)) = (again.machine.next(), self.machine.next()) {
            assert!(
                left.request == right.request,
                "the model is asked otherwise: {}",
                differing(&left.request, &right.request)
            );
        }
    }
}

/// A machine run again from rows that were written and read once more.
pub(crate) fn redriven(rows: &[Value<'static>]) -> Redriven {
    let mut redrive = Redrive::default();
    for (row, seq) in rows.iter().zip(1..) {
        let bytes = encode(row);
        let read = premath_wire::strict::parse(&bytes, premath_wire::strict::Limits::default()).unwrap();
        redrive.take(seq, &read).unwrap_or_else(|error| panic!("row {seq}: {error:?}"));
    }
    redrive.finish().unwrap()
}

/// Which part of two requests differs; tools are too long to print.
fn differing(left: &ModelRequest, right: &ModelRequest) -> String {
    if left.tools != right.tools {
        return "the tools are others, or spelled otherwise".to_owned();
    }
    format!("{:#?}\n{:#?}", left.messages, right.messages)
}
