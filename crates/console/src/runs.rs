//! The runs that this server drives: begun here, gone on with here, interrupted here.
//!
//! The journal of a run is what counts; what is here is only who works on it and how to ask them to stop. A run that waits
//! for a person is at rest and not here. It must not decide how a run goes.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use premath_host::{AgentDoor, Host, RunStarted, fresh_run_id, resume, start};
use premath_tusk::sandbox::Interrupt;
use premath_tusk::turn_loop::RunEvent;
use premath_wire::strict::{Limits, parse};
use serde_json::{Map, Value};
use tokio::sync::{oneshot, watch};

use crate::failure::{Failure, Origin};
use crate::routes::people;
use crate::state::AppState;

/// Whoever watches a run. It is called on the thread of the run, and must not hold it up.
pub(crate) type Watcher = Box<dyn FnMut(&RunEvent<'_>) + Send>;
/// Somebody who may want to watch a run that is gone on with.
pub(crate) type Attached = Arc<dyn Fn(&str) -> Option<Watcher> + Send + Sync>;

/// What came of a run.
#[derive(Debug, Clone)]
pub(crate) enum Ended {
    /// It ran; its journal says how it ended.
    Ran,
    /// It did not begin, or broke off; the journal has everything until then.
    Failed(Arc<Failure>),
}

/// A run that has begun.
#[derive(Debug, Clone)]
pub(crate) struct RunHandle {
    pub(crate) run_id: String,
    pub(crate) interrupt: Interrupt,
    /// How it ended; none while it goes on.
    pub(crate) ended: watch::Receiver<Option<Ended>>,
}

/// The runs of this server.
pub(crate) struct Runs {
    most: usize,
    here: Mutex<BTreeMap<String, RunHandle>>,
    attached: RwLock<Vec<Attached>>,
}

impl fmt::Debug for Runs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Runs").field("count", &self.count()).finish_non_exhaustive()
    }
}

/// Which of the two it is.
#[derive(Debug, Clone, Copy)]
enum Way {
    Start,
    Resume,
}

impl Runs {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, here: Mutex::default(), attached: RwLock::default() }
    }

    fn here(&self) -> MutexGuard<'_, BTreeMap<String, RunHandle>> {
        // Whole entries go in and out under the lock.
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.here().len()
    }

    /// One that goes on here.
    pub(crate) fn get(&self, run_id: &str) -> Option<RunHandle> {
        self.here().get(run_id).cloned()
    }

    /// Whoever wants to watch runs that are gone on with, by their names.
    pub(crate) fn attach(&self, attached: Attached) {
        self.attached.write().unwrap_or_else(PoisonError::into_inner).push(attached);
    }

    fn watchers(&self, run_id: &str) -> Vec<Watcher> {
        let attached = self.attached.read().unwrap_or_else(PoisonError::into_inner);
        attached.iter().filter_map(|attached| attached(run_id)).collect()
    }

    /// Asks every run to stop where it can be gone on with.
    pub(crate) fn interrupt_all(&self) {
        self.here().values().for_each(|run| run.interrupt.request());
    }

    fn enter(&self, run_id: &str) -> Result<(RunHandle, watch::Sender<Option<Ended>>), Failure> {
        let mut here = self.here();
        if here.contains_key(run_id) {
            let what = format!("run `{run_id}` goes on in this server already");
            return Err(Failure::new(axum::http::StatusCode::CONFLICT, "run_in_progress", what));
        }
        if here.len() >= self.most {
            return Err(Failure::overloaded());
        }
        let (told, ended) = watch::channel(None);
        let handle = RunHandle { run_id: run_id.to_owned(), interrupt: Interrupt::default(), ended };
        here.insert(run_id.to_owned(), handle.clone());
        Ok((handle, told))
    }

    fn leave(&self, run_id: &str) {
        self.here().remove(run_id);
    }
}

impl AppState {
    /// Begins a run with the arguments of `run.start`, and comes back when it has begun, or could not.
    pub(crate) async fn start_run(
        &self,
        mut arguments: Map<String, Value>,
        watcher: Option<Watcher>,
    ) -> Result<RunHandle, Failure> {
        let named = arguments.get("runId").and_then(Value::as_str).map(str::trim).filter(|id| !id.is_empty());
        let run_id = match named {
            Some(id) => id.to_owned(),
            None => self.host(|host| fresh_run_id(host.workspace)).await?,
        };
        arguments.insert("runId".to_owned(), Value::String(run_id.clone()));
        self.driven(Way::Start, run_id, arguments, watcher.into_iter().collect()).await
    }

    /// Goes on with a run that is at rest, with the arguments of `run.resume`.
    pub(crate) async fn resume_run(
        &self,
        run_id: &str,
        mut arguments: Map<String, Value>,
    ) -> Result<RunHandle, Failure> {
        arguments.insert("runId".to_owned(), Value::String(run_id.to_owned()));
        let watchers = self.runs().watchers(run_id);
        self.driven(Way::Resume, run_id.to_owned(), arguments, watchers).await
    }

    async fn driven(
        &self,
        way: Way,
        run_id: String,
        arguments: Map<String, Value>,
        mut watchers: Vec<Watcher>,
    ) -> Result<RunHandle, Failure> {
        if self.stop().is_cancelled() {
            return Err(Failure::ending());
        }
        let (handle, told) = self.runs().enter(&run_id)?;
        let (begun, beginning) = oneshot::channel();
        let (state, interrupt) = (self.clone(), handle.interrupt.clone());
        // Taken out of the list whatever becomes of the thread.
        let place = Place { state: self.clone(), run_id: run_id.clone() };
        let mut begun = Some(begun);
        let runtime = tokio::runtime::Handle::current();
        let work = Box::new(move |host: &Host<'_>| {
            let before = people::decided(host, &run_id);
            let mut watch = |event: &RunEvent<'_>| {
                if matches!(event, RunEvent::Started { .. })
                    && let Some(begun) = begun.take()
                {
                    // Whoever asked may be gone; the run goes on.
                    drop(begun.send(Ok(())));
                }
                watchers.iter_mut().for_each(|watcher| watcher(event));
                state.tails().wake(&run_id);
            };
            let ended = drive(host, way, &arguments, &interrupt, &mut watch);
            if let (Some(begun), Ended::Failed(failure)) = (begun.take(), &ended) {
                drop(begun.send(Err(Arc::clone(failure))));
            }
            state.tails().wake(&run_id);
            drop(place);
            told.send_replace(Some(ended));
            // Whoever was asked may have answered while it was still about to rest, here or at a terminal.
            if people::decided(host, &run_id) > before {
                runtime.spawn(people::look_again(state, run_id));
            }
        });
        self.calls().spawn(work)?;
        match beginning.await {
            Ok(Ok(())) => Ok(handle),
            Ok(Err(failure)) => Err(failure.again()),
            // It ended before it had begun, or its thread broke.
            Err(_) => match handle.ended.borrow().as_ref() {
                Some(Ended::Failed(failure)) => Err(failure.again()),
                Some(Ended::Ran) => Ok(handle.clone()),
                None => Err(Failure::broken()),
            },
        }
    }
}

/// The place of a run in the list, for as long as it goes on.
struct Place {
    state: AppState,
    run_id: String,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.state.runs().leave(&self.run_id);
    }
}

fn drive(
    host: &Host<'_>,
    way: Way,
    arguments: &Map<String, Value>,
    interrupt: &Interrupt,
    watch: &mut (dyn FnMut(&RunEvent<'_>) + Send),
) -> Ended {
    // The body names a run that begins, the address one that goes on.
    let address: &[&str] = match way {
        Way::Start => &[],
        Way::Resume => &["id:runId"],
    };
    let origin = Origin { address, is_body: true, ..Origin::default() };
    let failed = |failure: Failure| Ended::Failed(Arc::new(failure));
    let text = serde_json::to_string(arguments).unwrap_or_default();
    let read = match parse(text.as_bytes(), Limits::default()) {
        Ok(read) => read,
        Err(error) => return failed(Failure::input(&error, origin)),
    };
    let agent = match host.agent.workdir().and_then(|folder| host.agent.at(&folder, interrupt)) {
        Ok(agent) => agent,
        Err(error) => return failed(Failure::action(&error, origin)),
    };
    let agent: &dyn AgentDoor = agent.as_ref();
    let own = Host { agent, ..*host };
    let ran = match way {
        Way::Start => start(&own, &read, watch),
        Way::Resume => resume(&own, &read, watch),
    };
    match ran {
        Ok(RunStarted::Ran(_)) => Ended::Ran,
        Ok(RunStarted::Refused(refused)) => {
            let status = Failure::status_of(&refused.class);
            failed(Failure::new(status, &refused.class, refused.detail).hinting(refused.hint))
        }
        Err(error) => failed(Failure::action(&error, origin)),
    }
}
