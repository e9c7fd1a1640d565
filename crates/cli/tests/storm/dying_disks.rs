//! Runs whose disk dies at any operation: the process ends, or the power is lost, and the next process goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_bd::Disk as _;
use premath_host::{ActionError, Host, RunStarted, resume, start};
use premath_kernel::{Object, Value};
use premath_models::provider::Protocol;
use premath_models::scenario::Scenario;
use premath_models::scripted::Script;
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Seeded, SimDisk};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::{Decision, Event};
use premath_wire::v1::RunEnding;

use crate::bench::{Outside, World, host, workspace};
use crate::{runs, scene};

/// A process later it is over, or the scenario has no answer left.
const MOST_PROCESSES: u64 = 12;

/// What the runs came to.
#[derive(Debug, Default)]
struct Counted {
    endings: BTreeMap<String, u64>,
    requests: u64,
    effects: u64,
    processes: u64,
}

#[test]
fn no_request_is_sent_with_a_call_unanswered_and_no_effect_happens_twice() {
    let mut counted = Counted::default();
    for seed in 0..runs(51, 940) {
        storm(seed, &mut counted);
    }
    let Counted { endings, requests, effects, processes } = counted;
    println!("{requests} requests, {effects} effects, {processes} processes, endings {endings:?}");
    let completed = endings.get("completed").copied().unwrap_or_default();
    assert!(completed * 4 > endings.values().sum::<u64>(), "many runs come to their end: {endings:?}");
}

fn named() -> Value<'static> {
    Object::fields().field("runId", "storm").finish().into_owned()
}

/// What a run looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Plain,
    OnAnIssue,
    /// Two workers, each with its own words.
    Parallel,
    /// A context that is soon full: the next session hears the same words again.
    Descending,
    Compacting,
}

impl Shape {
    const ALL: [Self; 5] = [Self::Plain, Self::OnAnIssue, Self::Parallel, Self::Descending, Self::Compacting];

    fn asked(self) -> Value<'static> {
        let fields = Object::fields().field("runId", "storm").field("task", "weather it");
        let number = |number| premath_kernel::Number::unsigned(number).map_or(Value::Null, Value::Number);
        let (tight, few) = (number(900), number(14));
        match self {
            Self::Plain => fields,
            Self::OnAnIssue => fields.field("issue", "bd-1"),
            Self::Parallel => {
                let branch = |name: &'static str| {
                    let model = format!("storm:{name}");
                    Object::fields()
                        .field("model", model)
                        .field("name", name)
                        .field("task", "your part")
                        .finish()
                };
                let workflow = Object::fields()
                    .field("branch", vec![branch("left").into_owned(), branch("right").into_owned()])
                    .field("join", Object::fields().field("prompt", "Join them.").finish())
                    .field("pattern", "parallel")
                    .finish();
                fields.field("issue", "bd-1").field("workflow", workflow)
            }
            Self::Descending => fields.field("contextTokens", tight).field("maxTurns", few),
            Self::Compacting => {
                fields.field("contextTokens", tight).field("maxTurns", few).field("onFull", "compact")
            }
        }
        .finish()
        .into_owned()
    }
}

fn storm(number: u64, counted: &mut Counted) {
    let mut seed = Seeded::new(number);
    let shape = Shape::ALL[seed.below(Shape::ALL.len())];
    let text = if shape == Shape::Parallel { scene::crowd(&mut seed) } else { scene::scenario(&mut seed) };
    let script = Arc::new(Script::new(Scenario::parse("storm.toml", &text).unwrap()));
    let protocol = Protocol::ALL.into_iter().nth(seed.below(3)).unwrap();
    let world = World::new();
    let mut disk = prepared(&world);
    let mut ending = None;
    for process in 1..=MOST_PROCESSES {
        counted.processes += 1;
        // The last processes are let live.
        let dies = process <= 6 && seed.below(3) > 0;
        if dies {
            let nth = u64::try_from(seed.below(200)).unwrap() + 1;
            disk.fail(Failure { of: None, nth, fault: Fault::InputOutput, lasting: Lasting::ForEver });
        }
        let interrupt_at =
            (process <= 6 && seed.below(6) == 0).then(|| u64::try_from(seed.below(4)).unwrap() + 1);
        let outside = Outside {
            world: Arc::clone(&world),
            script: Arc::clone(&script),
            protocol,
            interrupt: Interrupt::default(),
            interrupt_at,
            decision: [Decision::NoAnswer, Decision::Continue][usize::from(process > 6)],
        };
        let ran = one(&disk, process, &outside, shape);
        // A power loss only where every row was synced before it was acted on; else a process that ended.
        disk =
            if dies && seed.below(2) == 0 { disk.crash(&mut |limit| seed.below(limit)) } else { disk.kill() };
        match ran {
            Ok(RunEnding::Completed | RunEnding::FailedClosed) => {
                ending = ran.ok();
                break;
            }
            Ok(stopped) => ending = Some(stopped),
            Err(error) if dies => drop(error),
            Err(error) => panic!("seed {number}, process {process}: {error:?}\n{text}"),
        }
    }
    let token = ending.map_or("died", RunEnding::token);
    *counted.endings.entry(token.to_owned()).or_default() += 1;
    judge(number, &text, &disk, &world, shape);
    counted.requests += *world.requests.lock().unwrap();
    counted.effects += u64::try_from(world.effects.lock().unwrap().len()).unwrap();
}

/// A repository that is there for good.
fn prepared(world: &Arc<World>) -> SimDisk {
    let disk = SimDisk::new();
    // The folders above are there for good: what is lost in a power loss is below the repository.
    let root = world.root();
    disk.create_folder(&root).unwrap();
    for above in root.ancestors().filter(|above| !above.as_os_str().is_empty()) {
        disk.sync_folder(above).unwrap();
    }
    let outside = quiet(Arc::clone(world));
    let ready = workspace(&disk, 0, world);
    let host = host(&ready, &outside);
    host.call("workspace.init", &Object::fields().finish()).unwrap();
    host.call("issue.add", &Object::fields().field("id", "bd-1").field("title", "weather it").finish())
        .unwrap();
    disk
}

fn quiet(world: Arc<World>) -> Outside {
    let scenario = Scenario::parse("quiet.toml", "name = \"quiet\"\n[[turn]]\ntext = \"hush\"\n").unwrap();
    Outside {
        world,
        script: Arc::new(Script::new(scenario)),
        protocol: Protocol::AnthropicMessages,
        interrupt: Interrupt::default(),
        interrupt_at: None,
        decision: Decision::NoAnswer,
    }
}

/// One process: it begins the run, or goes on with it.
fn one(disk: &SimDisk, process: u64, outside: &Outside, shape: Shape) -> Result<RunEnding, ActionError> {
    let here = workspace(disk, process, &outside.world);
    let host = host(&here, outside);
    let started = match resume(&host, &named(), &mut |_| {}) {
        // Whoever was to begin it died first.
        Err(ActionError::Input(error)) if error.to_string().contains("there is no run") => {
            start(&host, &shape.asked(), &mut |_| {})
        }
        // Its last process died when the last row was written.
        Err(ActionError::Input(error)) if error.to_string().contains("is over (completed)") => {
            return Ok(RunEnding::Completed);
        }
        Err(ActionError::Input(error)) if error.to_string().contains("is over (failed_closed)") => {
            return Ok(RunEnding::FailedClosed);
        }
        other => other,
    };
    match started? {
        RunStarted::Ran(answer) => Ok(answer.outcome),
        RunStarted::Refused(refused) => panic!("{refused:?}"),
    }
}

/// What must hold whatever happened.
fn judge(number: u64, text: &str, disk: &SimDisk, world: &Arc<World>, shape: Shape) {
    let wrong = world.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "seed {number}: {wrong:?}\n{text}");
    let effects = world.effects.lock().unwrap();
    let mut once = effects.clone();
    once.sort();
    once.dedup();
    // A context that was cut is answered with the same words again, so its commands may be asked for again.
    if !matches!(shape, Shape::Descending | Shape::Compacting) {
        assert_eq!(
            once.len(),
            effects.len(),
            "seed {number}: an effect happened twice: {effects:#?}\n{text}"
        );
    }
    let (here, outside) = (workspace(disk, 99, world), quiet(Arc::clone(world)));
    let host = host(&here, &outside);
    let mut asked_for = 0;
    for session in sessions(&here) {
        asked_for += commands(&here, &session);
        let named = Object::fields().field("runId", session.as_str()).finish();
        let replayed = called(&host, "run.replay", &named);
        assert!(replayed.contains("\"identical\":true"), "seed {number}: {session}: {replayed}\n{text}");
    }
    assert!(
        effects.len() <= asked_for,
        "seed {number}: {} effects of {asked_for} calls\n{text}",
        effects.len()
    );
    let verified = called(&host, "workspace.verify", &Object::fields().finish());
    assert!(verified.contains("\"ok\":true"), "seed {number}: {verified}\n{text}");
}

/// How many commands the answers of a run ask for.
fn commands(here: &premath_host::Workspace, session: &str) -> usize {
    let runs = premath_bd::runs_folder(&here.root);
    let journal = premath_bd::Journal::open(Arc::clone(&here.disk), &runs, session).unwrap();
    let rows = journal.read_from(premath_bd::Cursor::START, usize::MAX).unwrap().rows;
    let answers = rows.iter().filter_map(|row| match Event::from_value(&row.event) {
        Ok(Some(Event::Answered(answer))) => Some(answer),
        _other => None,
    });
    answers.map(|answer| answer.calls().filter(|call| call.name == "shell").count()).sum()
}

/// The runs that have a row.
fn sessions(here: &premath_host::Workspace) -> Vec<String> {
    let runs = premath_bd::runs_folder(&here.root);
    let all = premath_bd::sessions(here.disk.as_ref(), &runs).unwrap();
    let has_rows = |session: &String| {
        let journal = premath_bd::Journal::open(Arc::clone(&here.disk), &runs, session).unwrap();
        journal.read_from(premath_bd::Cursor::START, 1).is_ok_and(|page| !page.rows.is_empty())
    };
    all.into_iter().filter(has_rows).collect()
}

fn called(host: &Host<'_>, action: &str, arguments: &Value<'_>) -> String {
    let effect = host.call(action, arguments).unwrap_or_else(|error| panic!("{action}: {error:?}"));
    effect.payload.get().to_owned()
}
