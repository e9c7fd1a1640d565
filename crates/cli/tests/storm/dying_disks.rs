//! Runs whose disk dies at any operation: the process ends, or the power is lost, and the next process goes on.

use std::collections::BTreeMap;
use std::sync::Arc;

use premath_host::{ActionError, Host, RunStarted, resume, start};
use premath_kernel::{Object, Value};
use premath_models::provider::Protocol;
use premath_models::scenario::Scenario;
use premath_models::scripted::Script;
use premath_testkit::faulty_disk::{Failure, Fault, Lasting, Seeded, SimDisk};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::Decision;
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
    assert!(completed * 2 > endings.values().sum::<u64>(), "most runs come to their end: {endings:?}");
}

fn named() -> Value<'static> {
    Object::fields().field("runId", "storm").finish().into_owned()
}

fn asked() -> Value<'static> {
    Object::fields().field("runId", "storm").field("task", "weather it").finish().into_owned()
}

fn storm(number: u64, counted: &mut Counted) {
    let mut seed = Seeded::new(number);
    let text = scene::scenario(&mut seed);
    let script = Arc::new(Script::new(Scenario::parse("storm.toml", &text).unwrap()));
    let protocol = Protocol::ALL.into_iter().nth(seed.below(3)).unwrap();
    let world = World::new();
    let mut disk = prepared();
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
        let ran = one(&disk, process, &outside);
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
    judge(number, &text, &disk, &world);
    counted.requests += *world.requests.lock().unwrap();
    counted.effects += u64::try_from(world.effects.lock().unwrap().len()).unwrap();
}

/// A repository that is there for good.
fn prepared() -> SimDisk {
    let disk = SimDisk::new();
    let outside = quiet(World::new());
    let ready = workspace(&disk, 0);
    host(&ready, &outside).call("workspace.init", &Value::from(Object::fields().finish())).unwrap();
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
fn one(disk: &SimDisk, process: u64, outside: &Outside) -> Result<RunEnding, ActionError> {
    let here = workspace(disk, process);
    let host = host(&here, outside);
    let started = match resume(&host, &named(), &mut |_| {}) {
        // Whoever was to begin it died first.
        Err(ActionError::Input(error)) if error.to_string().contains("there is no run") => {
            start(&host, &asked(), &mut |_| {})
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
fn judge(number: u64, text: &str, disk: &SimDisk, world: &Arc<World>) {
    let wrong = world.wrong.lock().unwrap();
    assert!(wrong.is_empty(), "seed {number}: {wrong:?}\n{text}");
    let effects = world.effects.lock().unwrap();
    let mut once = effects.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), effects.len(), "seed {number}: an effect happened twice: {effects:#?}\n{text}");
    let (here, outside) = (workspace(disk, 99), quiet(Arc::clone(world)));
    let host = host(&here, &outside);
    let replayed = called(&host, "run.replay", &named());
    assert!(replayed.contains("\"identical\":true"), "seed {number}: {replayed}\n{text}");
    let verified = called(&host, "workspace.verify", &Object::fields().finish());
    assert!(verified.contains("\"ok\":true"), "seed {number}: {verified}\n{text}");
}

fn called(host: &Host<'_>, action: &str, arguments: &Value<'_>) -> String {
    let effect = host.call(action, arguments).unwrap_or_else(|error| panic!("{action}: {error:?}"));
    effect.payload.get().to_owned()
}
