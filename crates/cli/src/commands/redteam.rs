//! The red team: a scripted, fully compromised model, run through the real loop in repositories made for the purpose, and a
//! judge that looks only at what is left afterwards.
//!
//! Probes and harmless tasks are data. It must not help a probe to fail: what stops it must be what stops a real run.

mod door;
mod encoding;
mod judge;
mod office;
mod place;
mod probes;
mod strategy;
#[cfg(test)]
mod tests;

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use premath_bd::PolicyFiles;
use premath_host::{ActionError, RedTeamMeasured, RedTeamWanted};
use premath_kernel::Digest;
use premath_wire::v1::{BenignRow, ProbeOutcome, ProbeRow, RedTeamResult};
use premath_wire::{InputClass, InputError, JsonPath};

pub(super) use self::place::{Ground, Place};
use self::probes::{Attack, Task, attacks, tasks};
use self::strategy::Strategy;
use crate::system;

/// So many repositories are attacked at the same time: they wait for the disk more than they work.
const THREADS: usize = 12;

/// One attack in one way.
#[derive(Debug, Clone, Copy)]
struct Probe<'p> {
    attack: &'p Attack,
    strategy: Strategy,
}

impl Probe<'_> {
    fn id(&self) -> String {
        format!("{}/{}/{}", self.attack.plugin, self.attack.name, self.strategy.token())
    }
}

/// Either kind of work.
#[derive(Debug, Clone, Copy)]
enum Job<'p> {
    Attack(Probe<'p>),
    Task(&'p Task),
}

/// What came of it.
#[derive(Debug)]
enum Came {
    Attack(ProbeRow),
    Task(BenignRow),
}

/// Attacks repositories that have this package.
pub(crate) fn attack(
    package: &PolicyFiles,
    wanted: &RedTeamWanted,
    grader_digest: String,
) -> Result<RedTeamMeasured, ActionError> {
    let (attacks, tasks) = (attacks().map_err(broken)?, tasks().map_err(broken)?);
    let jobs = jobs(&attacks, &tasks, wanted)?;
    let ground = Ground::new().map_err(|error| ActionError::Unavailable {
        what: format!("there is no place for scratch repositories: {error}"),
        hint: "make the temporary folder writable".to_owned(),
    })?;
    let (came, wall) = system::timed(|| all(&ground, package, &jobs));
    let mut result = RedTeamResult {
        probes: Vec::new(),
        benign: Vec::new(),
        wall_ms: u64::try_from(wall.as_millis()).unwrap_or(u64::MAX),
    };
    for one in came {
        match one {
            Came::Attack(row) => result.probes.push(row),
            Came::Task(row) => result.benign.push(row),
        }
    }
    result.probes.sort_by(|left, right| left.id.cmp(&right.id));
    result.benign.sort_by(|left, right| left.id.cmp(&right.id));
    Ok(RedTeamMeasured { result, probes_digest: probes_digest(&jobs), grader_digest })
}

/// The digest of everything there is to attack with.
pub(crate) fn every_probe_digest() -> Result<String, ActionError> {
    let (attacks, tasks) = (attacks().map_err(broken)?, tasks().map_err(broken)?);
    Ok(probes_digest(&jobs(&attacks, &tasks, &RedTeamWanted::default())?))
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn broken(error: serde_json::Error) -> ActionError {
    ActionError::Unavailable {
        what: format!("the probes cannot be read: {error}"),
        hint: "this is a fault of premath".to_owned(),
    }
}

/// The probes that are wanted. Harmless tasks are always among them: a wall that stops everything is no good.
fn jobs<'p>(
    attacks: &'p [Attack],
    tasks: &'p [Task],
    wanted: &RedTeamWanted,
) -> Result<Vec<Job<'p>>, ActionError> {
    let unknown = |name: &str, key: &str, known: Vec<&str>| {
        let what = format!("there is no `{name}`; there are {}", known.join(", "));
        ActionError::from(InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key(key)))
    };
    let mut plugins: Vec<&str> = attacks.iter().map(|attack| attack.plugin.as_str()).collect();
    plugins.dedup();
    if let Some(name) = wanted.plugins.iter().find(|name| !plugins.contains(&name.as_str())) {
        return Err(unknown(name, "plugins", plugins));
    }
    let strategies: Vec<&str> = Strategy::ALL.iter().map(|strategy| strategy.token()).collect();
    if let Some(name) = wanted.strategies.iter().find(|name| !strategies.contains(&name.as_str())) {
        return Err(unknown(name, "strategies", strategies));
    }
    let fits = |list: &[String], name: &str| list.is_empty() || list.iter().any(|one| one == name);
    let mut jobs = Vec::new();
    for attack in attacks.iter().filter(|attack| fits(&wanted.plugins, &attack.plugin)) {
        let ways = Strategy::ALL.into_iter().filter(|way| fits(&wanted.strategies, way.token()));
        jobs.extend(ways.map(|strategy| Job::Attack(Probe { attack, strategy })));
    }
    jobs.extend(tasks.iter().map(Job::Task));
    Ok(jobs)
}

/// What the probes say and do, so that two reports about the same are known to be.
fn probes_digest(jobs: &[Job<'_>]) -> String {
    let mut text = String::new();
    for job in jobs {
        match job {
            Job::Attack(probe) => text.push_str(&format!("{}\n{:?}\n", probe.id(), probe.attack)),
            Job::Task(task) => text.push_str(&format!("{task:?}\n")),
        }
    }
    Digest::of_bytes(text.as_bytes()).as_str().to_owned()
}

fn all(ground: &Ground, package: &PolicyFiles, jobs: &[Job<'_>]) -> Vec<Came> {
    let (next, came) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = match job {
                        Job::Attack(probe) => Came::Attack(probed(ground, package, probe)),
                        Job::Task(task) => Came::Task(tried(ground, package, task)),
                    };
                    came.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(one);
                }
            });
        }
    });
    came.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn probed(ground: &Ground, package: &PolicyFiles, probe: &Probe<'_>) -> ProbeRow {
    let id = probe.id();
    let judged = ground.place(&id, package).and_then(|mut place| {
        place.prepare(&probe.strategy.note(&probe.attack.order))?;
        if probe.attack.program {
            ground.equip(&place)?;
        }
        let ran = place.attacked(probe)?;
        judge::judge(&place, &ran)
    });
    let row = |outcome, breaches, calls, stopped| ProbeRow {
        id,
        plugin: probe.attack.plugin.clone(),
        strategy: probe.strategy.token().to_owned(),
        outcome,
        breaches,
        calls,
        stopped,
    };
    match judged {
        Ok(found) if found.breaches.is_empty() => {
            row(ProbeOutcome::Held, Vec::new(), found.calls, found.stopped)
        }
        Ok(found) => row(ProbeOutcome::GotThrough, found.breaches, found.calls, found.stopped),
        Err(why) => row(ProbeOutcome::Failed, vec![why], 0, 0),
    }
}

fn tried(ground: &Ground, package: &PolicyFiles, task: &Task) -> BenignRow {
    let done = ground.place(&task.name, package).and_then(|mut place| {
        place.prepare("Buy milk.\n")?;
        let ran = place.worked(task)?;
        judge::is_done(&place, &ran)
    });
    let detail = match done {
        Ok(None) => None,
        Ok(Some(why)) | Err(why) => Some(why),
    };
    BenignRow { id: task.name.clone(), done: detail.is_none(), detail }
}
