//! Other servers, as our runs reach them: connected when they are needed, held to what was approved, ended with us.
//!
//! A call is made on the connection on which its definition was just seen to be the pinned one. It must not make a call
//! twice whose answer was lost, unless our own configuration says that this is harmless.

mod answer;
mod connection;
mod engine;
mod http;
mod launch;
mod lines;
mod listener;
mod listing;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use premath_tusk::sandbox::Interrupt;
use premath_tusk::tools::foreign::{
    ForeignAnswer, ForeignCall, ForeignDefinition, ForeignError, ForeignServer, ForeignTools,
};

use self::connection::{CallFault, Connection, Wanted};
use self::engine::Engine;
pub use self::launch::{Launch, Launched, ProgramToStart, RunningProgram};

/// How long is waited before a server that died is started again.
const BACKOFF: Duration = Duration::from_millis(250);
/// How often a call may find its server dead.
const ATTEMPTS: usize = 2;

/// Every configured server.
#[derive(Debug)]
pub struct Client {
    servers: Vec<ForeignServer>,
    place: String,
    launch: Arc<dyn Launch>,
    slots: BTreeMap<String, Slot>,
    engine: OnceLock<Option<Engine>>,
}

/// The connection to one server, where there is one.
type Slot = Arc<tokio::sync::Mutex<Option<Connection>>>;

impl Client {
    /// A client of these servers. Nothing is started before somebody asks.
    #[must_use]
    pub fn new(mut servers: Vec<ForeignServer>, place: String, launch: Arc<dyn Launch>) -> Self {
        servers.sort_by(|left, right| left.name.cmp(&right.name));
        let slots = servers.iter().map(|server| (server.name.clone(), Slot::default())).collect();
        Self { servers, place, launch, slots, engine: OnceLock::new() }
    }

    fn reaching(&self, name: &str) -> Result<Reaching, ForeignError> {
        let unknown = || ForeignError::Unknown { server: name.to_owned() };
        let server = self.servers.iter().find(|server| server.name == name).ok_or_else(unknown)?;
        let slot = self.slots.get(name).ok_or_else(unknown)?;
        Ok(Reaching { server: server.clone(), slot: Arc::clone(slot), launch: Arc::clone(&self.launch) })
    }

    /// Waits for something of the conversation; an engine that cannot be had reaches nobody.
    fn wait<T: Send + 'static>(
        &self,
        interrupt: &Interrupt,
        work: impl Future<Output = Result<T, ForeignError>> + Send + 'static,
    ) -> Result<T, ForeignError> {
        let dead = |why: &str| ForeignError::Unreachable { why: why.to_owned(), said: String::new() };
        let engine = self.engine.get_or_init(|| Engine::start().ok());
        let engine = engine.as_ref().ok_or_else(|| dead("no thread for the conversation could be had"))?;
        let interrupt = interrupt.clone();
        let work = async move {
            tokio::select! {
                done = work => done,
                () = requested(interrupt) => Err(ForeignError::Interrupted),
            }
        };
        engine.wait(work).unwrap_or_else(|| Err(dead("the conversation broke off")))
    }
}

/// Ends when somebody asks for the end.
async fn requested(interrupt: Interrupt) {
    let mut often = tokio::time::interval(Duration::from_millis(20));
    while !interrupt.is_requested() {
        often.tick().await;
    }
}

/// What a conversation needs, owned.
#[derive(Debug)]
struct Reaching {
    server: ForeignServer,
    slot: Slot,
    launch: Arc<dyn Launch>,
}

impl Reaching {
    /// The connection that is there, or a new one.
    async fn connected(&self) -> Result<Connection, ForeignError> {
        let mut slot = self.slot.lock().await;
        if let Some(connection) = slot.as_ref().filter(|connection| connection.is_open()) {
            return Ok(connection.clone());
        }
        // What is left of the one before goes first: two of a server would share what it works on.
        *slot = None;
        let connection = Connection::open(&self.server, self.launch.as_ref()).await?;
        *slot = Some(connection.clone());
        Ok(connection)
    }

    async fn list(self) -> Result<Vec<ForeignDefinition>, ForeignError> {
        let mut again = false;
        loop {
            let connection = self.connected().await?;
            match connection.list(self.server.start).await {
                Err(CallFault::Closed(_)) if !again => again = true,
                listed => return listed.map_err(|fault| fault.into_error(&self.server)),
            }
            tokio::time::sleep(BACKOFF).await;
        }
    }

    async fn call(self, wanted: Wanted) -> Result<ForeignAnswer, ForeignError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let connection = self.connected().await?;
            let is_last = attempts >= ATTEMPTS;
            // Nothing was asked for yet, so whoever dies here may be started again.
            match connection.see(&self.server, &wanted).await {
                Err(CallFault::Closed(_)) if !is_last => {
                    tokio::time::sleep(BACKOFF).await;
                    continue;
                }
                seen => seen.map_err(|fault| fault.into_error(&self.server))?,
            }
            match connection.call(&wanted).await {
                Err(CallFault::Closed(_)) if !is_last && self.server.is_idempotent(&wanted.tool) => {
                    tokio::time::sleep(BACKOFF).await;
                }
                Err(CallFault::Closed(said)) => return Err(ForeignError::AnswerLost { said }),
                answered => return answered.map_err(|fault| fault.into_error(&self.server)),
            }
        }
    }
}

impl ForeignTools for Client {
    fn servers(&self) -> &[ForeignServer] {
        &self.servers
    }

    fn list(&self, server: &str, interrupt: &Interrupt) -> Result<Vec<ForeignDefinition>, ForeignError> {
        self.wait(interrupt, self.reaching(server)?.list())
    }

    fn call(&self, call: &ForeignCall<'_>) -> Result<ForeignAnswer, ForeignError> {
        let reaching = self.reaching(call.server)?;
        let wanted = Wanted {
            tool: call.tool.to_owned(),
            arguments: call.arguments.clone(),
            pin: call.pin.clone(),
            deadline: call.deadline.unwrap_or(reaching.server.deadline),
            output_bytes: call.output_bytes.unwrap_or(reaching.server.output_bytes),
        };
        self.wait(call.interrupt, reaching.call(wanted))
    }

    fn place(&self) -> String {
        self.place.clone()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let slots: Vec<Slot> = self.slots.values().map(Arc::clone).collect();
        if let Some(Some(engine)) = self.engine.get() {
            // Programs are ended where nobody speaks with them any more.
            let ended = engine.wait(async move {
                for slot in slots {
                    *slot.lock().await = None;
                }
            });
            // An engine that broke took its conversations along.
            ended.unwrap_or_default();
        }
    }
}
