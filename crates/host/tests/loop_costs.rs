//! What a durable run costs where it can be counted: syncs a turn, however many calls it has, and bytes beside what was said.
//! Times are `premath bench loop`'s business.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a run that cannot be set up must fail the test")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use premath_bd::desk::PersonCredential;
use premath_bd::{Permit, runs_folder};
use premath_host::{
    ActionError, AgentDoor, Attendant, Case, DoorRefusal, Host, MutationDoor, NoModels, NoPerson, NoSandbox,
    RunStarted, Settings, SourceError, VectorSource, Workspace, start,
};
use premath_kernel::{Count, Digest, Moment, Object, Value};
use premath_testkit::faulty_disk::{Operation, SimDisk};
use premath_testkit::{CountingIds, TestClock};
use premath_tusk::JsonText;
use premath_tusk::model::{
    AssistantPart, Message, ModelEvent, ModelRequest, ModelResponse, PortFuture, StopReason, ToolCall, Usage,
    UserPart,
};
use premath_tusk::policy::{
    CallFacts, Effect, Evaluated, Governor, Guard, GuardAction, GuardError, GuardReport, GuardSubject,
    GuardrailStage, Guards, RuleInfo, Rules, Ruling, SelfTestFailure,
};
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::{MemoryFiles, WorkFiles};
use premath_tusk::tools::{ProtectedPaths, ToolSpec};
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered, Stopwatch};

const TURNS: u64 = 50;
const CALLS: u64 = 3;
/// The head of a log is synced every so many rows.
const HEAD_ROWS: u64 = 256;

/// What every call of a run asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    Reads,
    Patches,
}

impl Asked {
    fn call(self, turn: u64, call: u64) -> ToolCall {
        let (name, arguments) = match self {
            Self::Reads => ("fs_read", serde_json::json!({ "path": format!("notes/{turn}-{call}.md") })),
            Self::Patches => {
                let lines = "+one more line of an ordinary file\n".repeat(24);
                let patch =
                    format!("*** Begin Patch\n*** Add File: new/{turn}-{call}.md\n{lines}*** End Patch");
                ("apply_patch", serde_json::json!({ "patch": patch }))
            }
        };
        let arguments = JsonText::new(arguments.to_string()).unwrap();
        ToolCall::new(format!("call_{turn}_{call}"), name, arguments)
    }
}

/// A model that calls so often, and then says that it is done.
#[derive(Debug)]
struct Canned {
    asked: Asked,
    turns: u64,
    turn: u64,
    shown: Arc<Mutex<usize>>,
}

impl AnswerPort for Canned {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        _: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        *self.shown.lock().unwrap() = request.messages.iter().map(length).sum();
        self.turn += 1;
        let mut parts =
            vec![AssistantPart::Text("I go on with the next part of what was asked for. ".repeat(4))];
        let is_done = self.turn > self.turns;
        if !is_done {
            parts.extend((0..CALLS).map(|call| AssistantPart::ToolCall(self.asked.call(self.turn, call))));
        }
        let response = ModelResponse {
            request_id: None,
            response_id: None,
            model: None,
            parts,
            stop: if is_done { StopReason::EndTurn } else { StopReason::ToolUse },
            provider_stop: None,
            usage: Usage::default(),
        };
        let answered = Answered {
            reference: "canned:model".to_owned(),
            response,
            cost_micros: None,
            attempts: Vec::new(),
        };
        Box::pin(std::future::ready(Ok(answered)))
    }
}

/// The bytes of a message, without what any protocol puts around them.
fn length(message: &Message) -> usize {
    match message {
        Message::User(parts) => parts
            .iter()
            .map(|part| match part {
                UserPart::Text { text, .. } => text.len(),
                UserPart::ToolResult(result) => result.call_id.len() + result.content.len(),
            })
            .sum(),
        Message::Assistant(parts) => parts
            .iter()
            .map(|part| match part {
                AssistantPart::Text(text) | AssistantPart::Refusal(text) => text.len(),
                AssistantPart::ToolCall(call) => {
                    call.id.len() + call.name.len() + call.arguments.as_str().len()
                }
                AssistantPart::Reasoning(_) | AssistantPart::Opaque(_) => 0,
            })
            .sum(),
    }
}

#[derive(Debug)]
struct Door {
    asked: Asked,
    turns: u64,
    files: Arc<MemoryFiles>,
    shown: Arc<Mutex<usize>>,
}

#[derive(Debug)]
struct StandsStill;

impl Stopwatch for StandsStill {
    fn elapsed_millis(&self) -> u64 {
        0
    }
}

impl AgentDoor for Door {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        Ok(PathBuf::from("/work/tree"))
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        let files: Arc<MemoryFiles> = Arc::clone(&self.files);
        Ok(files)
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        Ok(ProtectedPaths::standard())
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        Arc::new(NoSandbox)
    }

    fn default_models(&self) -> Vec<String> {
        vec!["canned:model".to_owned()]
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        Ok(references.to_vec())
    }

    fn answers(&self, _: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        let shown = Arc::clone(&self.shown);
        Ok(Box::new(Canned { asked: self.asked, turns: self.turns, turn: 0, shown }))
    }

    fn governor(&self, _: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        Ok(Arc::new(Governor::new(Arc::new(Everything::default()), Guards::boot(vec![Arc::new(Quiet)]))))
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        Box::new(NoPerson)
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        Ok(None)
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        Box::new(StandsStill)
    }

    fn interrupt(&self) -> Interrupt {
        Interrupt::default()
    }
}

#[derive(Debug)]
struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Ok(Vec::new())
    }
}

#[derive(Debug)]
struct Shut;

impl MutationDoor for Shut {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        Err(DoorRefusal {
            class: "mutation.use_evidence_missing",
            detail: String::new(),
            hint: String::new(),
        })
    }
}

/// What a run of so many turns left behind.
struct Cost {
    syncs: u64,
    rows: u64,
    stored: usize,
    shown: usize,
}

fn cost(asked: Asked, turns: u64) -> Cost {
    let disk = SimDisk::new();
    let workspace = Workspace {
        disk: Arc::new(disk.clone()),
        clock: Arc::new(TestClock::at(Moment::new(1_800_000_000, 0).unwrap())),
        ids: Arc::new(CountingIds::new("id")),
        root: PathBuf::from("project"),
        door: Arc::new(Shut),
        settings: Settings::default(),
        redactor: premath_bd::Redactor::default(),
        retention: premath_host::Retention::default(),
        packages: premath_host::PolicyPackages::default(),
        receipts: premath_bd::AuditReceipts::default(),
    };
    let files = MemoryFiles::new();
    for turn in 1..=turns {
        for call in 0..CALLS {
            files
                .put(&format!("notes/{turn}-{call}.md"), "an ordinary line of an ordinary file\n".repeat(28));
        }
    }
    let shown = Arc::new(Mutex::new(0));
    let door = Door { asked, turns, files: Arc::new(files), shown: Arc::clone(&shown) };
    let host = Host {
        vectors: &NoVectors,
        workspace: &workspace,
        models: &NoModels,
        sandbox: &NoSandbox,
        agent: &door,
    };
    let count = |number: u64| Value::from(Count::new(number).unwrap());
    let args = Object::fields()
        .field("maxTurns", count(turns + 1))
        .field("maxToolCalls", count(turns * CALLS + 1))
        .field("runId", "counted")
        .field("task", "Go on until it is done.")
        .finish();
    let RunStarted::Ran(answer) = start(&host, &args, &mut |_| {}).unwrap() else {
        panic!("the run was refused");
    };
    assert_eq!((answer.turns, answer.refused_turns), (turns + 1, 0), "{:?}", answer.detail);
    let journal = disk.bytes(runs_folder(Path::new("project")).join("counted/journal.jsonl")).unwrap();
    let shown = *shown.lock().unwrap();
    Cost {
        syncs: disk.count(Some(Operation::Sync)),
        rows: u64::try_from(journal.split(|byte| *byte == b'\n').count()).unwrap() - 1,
        stored: journal.len(),
        shown,
    }
}

/// The syncs that so many turns more cost, and how many of them are heads at most.
fn syncs_of_the_turns(asked: Asked) -> (u64, u64) {
    let (few, many) = (cost(asked, 1), cost(asked, 1 + TURNS));
    (many.syncs - few.syncs, many.rows.div_ceil(HEAD_ROWS))
}

#[test]
fn a_turn_that_reads_costs_one_sync_whatever_the_number_of_its_calls() {
    let (syncs, heads) = syncs_of_the_turns(Asked::Reads);
    assert!(syncs <= TURNS + heads, "{syncs} syncs and {heads} heads in {TURNS} turns");
    assert!(syncs >= TURNS, "every turn is durable: {syncs} syncs in {TURNS} turns");
}

#[test]
fn a_turn_with_effects_costs_two_syncs_whatever_the_number_of_its_calls() {
    let (syncs, heads) = syncs_of_the_turns(Asked::Patches);
    assert!(syncs <= 2 * TURNS + heads, "{syncs} syncs and {heads} heads in {TURNS} turns");
    assert!(syncs >= 2 * TURNS, "intent and result are durable: {syncs} syncs in {TURNS} turns");
}

#[test]
fn what_is_stored_is_at_most_three_times_what_was_said() {
    for asked in [Asked::Reads, Asked::Patches] {
        let cost = cost(asked, TURNS);
        assert!(cost.stored <= 3 * cost.shown, "{asked:?}: {} bytes for {}", cost.stored, cost.shown);
    }
}

/// Rules that cost nothing: what is measured is the loop.
#[derive(Debug)]
struct Everything(Digest);

impl Default for Everything {
    fn default() -> Self {
        Self(Digest::of_bytes(b"everything"))
    }
}

impl Rules for Everything {
    fn decide(&self, _: &CallFacts<'_>) -> Ruling {
        let rule = Some("everything".to_owned());
        let (reason, hint) = (String::new(), String::new());
        Ruling { effect: Effect::Allow, rule, reason, hint, matched: Vec::new(), errors: Vec::new() }
    }

    fn explain(&self, _: &CallFacts<'_>) -> Vec<Evaluated> {
        Vec::new()
    }

    fn rules(&self) -> Vec<RuleInfo> {
        Vec::new()
    }

    fn digest(&self) -> &Digest {
        &self.0
    }
}

/// A guard that finds nothing.
#[derive(Debug)]
struct Quiet;

impl Guard for Quiet {
    fn id(&self) -> &str {
        "quiet"
    }

    fn stages(&self) -> &[GuardrailStage] {
        &GuardrailStage::ALL
    }

    fn action(&self, _: GuardrailStage) -> GuardAction {
        GuardAction::Block
    }

    fn check(&self, _: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        Ok(GuardReport::clean())
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        Ok(())
    }
}
