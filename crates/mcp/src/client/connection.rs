//! One conversation with one server: how it begins, what is asked in it, and how it fails.

use std::sync::Arc;
use std::time::Duration;

use premath_kernel::Digest;
use premath_tusk::tools::foreign::{
    ForeignAnswer, ForeignDefinition, ForeignError, ForeignServer, Handshake, Reach,
};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, Peer, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::time::timeout;

use super::answer::answer;
use super::http;
use super::launch::{Launch, Launched, ProgramToStart, RunningProgram};
use super::lines::{LONGEST, ServerLines};
use super::listener::{Listener, Trouble};
use super::listing::list;

/// A call, owned.
#[derive(Debug)]
pub(super) struct Wanted {
    pub(super) tool: String,
    pub(super) arguments: Value,
    pub(super) pin: Digest,
    pub(super) deadline: Duration,
    pub(super) output_bytes: u64,
}

/// How something that was asked came to nothing.
#[derive(Debug)]
pub(super) enum CallFault {
    /// The conversation is over; what the server said beside it.
    Closed(String),
    /// It is an error that trying again does not mend.
    Error(ForeignError),
}

impl CallFault {
    pub(super) fn into_error(self, server: &ForeignServer) -> ForeignError {
        match self {
            Self::Closed(said) => {
                let why = format!("`{}` ended, again and again", server.name);
                ForeignError::Unreachable { why, said }
            }
            Self::Error(error) => error,
        }
    }
}

/// A conversation. It is over when nobody holds it any more.
#[derive(Debug, Clone)]
pub(super) struct Connection(Arc<Open>);

#[derive(Debug)]
struct Open {
    // Before the program: whoever speaks goes before whoever is spoken with.
    running: RunningService<RoleClient, Listener>,
    _program: Option<Box<dyn RunningProgram>>,
    trouble: Arc<Trouble>,
}

impl Connection {
    /// Starts or reaches a server, and begins to speak with it.
    pub(super) async fn open(server: &ForeignServer, launch: &dyn Launch) -> Result<Self, ForeignError> {
        let trouble = Arc::<Trouble>::default();
        match &server.reach {
            Reach::Program { program, arguments, environment, folder } => {
                let started = launch.start(&ProgramToStart { program, arguments, environment, folder });
                let Launched { input, output, errors, program: running } = started
                    .map_err(|error| unreachable(format!("`{program}` cannot be started: {error}")))?;
                let pipes = || -> std::io::Result<_> {
                    let hear = pipe::Receiver::from_owned_fd;
                    Ok((pipe::Sender::from_owned_fd(input)?, hear(output)?, hear(errors)?))
                };
                let (input, output, errors) =
                    pipes().map_err(|error| unreachable(format!("its pipes cannot be used: {error}")))?;
                drop(tokio::spawn(hear_errors(errors, Arc::clone(&trouble))));
                let lines = ServerLines::new(output, input, Arc::clone(&trouble));
                Self::begin(server, lines, Some(running), trouble).await
            }
            Reach::Service { url, token, headers } => {
                let variable = |name: &String| {
                    let missing = || unreachable(format!("the variable {name} is not set"));
                    launch.variable(name).filter(|value| !value.is_empty()).ok_or_else(missing)
                };
                let token = token.as_ref().map(variable).transpose()?;
                let mut values = Vec::new();
                for (name, from) in headers {
                    values.push((name.clone(), variable(from)?));
                }
                let transport =
                    http::transport(url, token, &values, Arc::clone(&trouble)).map_err(unreachable)?;
                Self::begin(server, transport, None, trouble).await
            }
        }
    }

    async fn begin<T: Transport<RoleClient> + 'static>(
        server: &ForeignServer,
        transport: T,
        program: Option<Box<dyn RunningProgram>>,
        trouble: Arc<Trouble>,
    ) -> Result<Self, ForeignError> {
        let newest = || vec![ProtocolVersion::V_2026_07_28];
        let lifecycle = match server.handshake {
            Handshake::Auto => ClientLifecycleMode::Auto {
                preferred_versions: newest(),
                legacy_version: Some(ProtocolVersion::V_2025_11_25),
            },
            Handshake::Initialize => ClientLifecycleMode::Initialize,
            Handshake::Discover => ClientLifecycleMode::Discover { preferred_versions: newest() },
        };
        let listener = Listener::new(Arc::clone(&trouble));
        let beginning = serve_client_with_lifecycle(listener, transport, lifecycle);
        match timeout(server.start, Box::pin(beginning)).await {
            Ok(Ok(running)) => Ok(Self(Arc::new(Open { running, _program: program, trouble }))),
            Ok(Err(error)) => Err(not_begun(&error, &trouble)),
            Err(_) => {
                let why = format!("it was not there within {} seconds", server.start.as_secs());
                Err(ForeignError::Unreachable { why, said: trouble.said() })
            }
        }
    }

    /// Whether anything can still be asked.
    pub(super) fn is_open(&self) -> bool {
        !self.0.running.is_closed() && !self.peer().is_transport_closed() && !self.0.trouble.is_over()
    }

    fn peer(&self) -> &Peer<RoleClient> {
        self.0.running.peer()
    }

    /// Every tool that is defined now.
    pub(super) async fn list(&self, patience: Duration) -> Result<Vec<ForeignDefinition>, CallFault> {
        let slow = || ForeignError::TimedOut { seconds: patience.as_secs(), progress: None };
        match timeout(patience, list(self.peer())).await {
            Ok(Ok(listed)) => listed.map_err(CallFault::Error),
            Ok(Err(error)) => Err(self.fault(&error)),
            Err(_) => {
                // Whoever does not even say what there is, is not asked again in this conversation.
                self.0.trouble.end(slow());
                Err(CallFault::Error(slow()))
            }
        }
    }

    /// Sees whether the definition of a tool is the pinned one.
    pub(super) async fn see(&self, server: &ForeignServer, wanted: &Wanted) -> Result<(), CallFault> {
        let listed = self.list(server.start).await?;
        let mut found = listed.iter().filter(|definition| definition.name == wanted.tool);
        let pins = (found.next().map(|one| one.pin(server)), found.next().map(|one| one.pin(server)));
        match pins {
            (Some(pin), None) if pin == wanted.pin => Ok(()),
            // Two of a name are none of them the one.
            (found, _) => Err(CallFault::Error(ForeignError::Drift { found })),
        }
    }

    /// Makes a call. Whoever stops waiting tells the server so.
    pub(super) async fn call(&self, wanted: &Wanted) -> Result<ForeignAnswer, CallFault> {
        let params = CallToolRequestParams::new(wanted.tool.clone());
        let params = match &wanted.arguments {
            Value::Object(arguments) => params.with_arguments(arguments.clone()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => params,
        };
        self.0.trouble.forget_progress();
        let protocol = |why: &str| CallFault::Error(ForeignError::Protocol { why: why.to_owned() });
        match timeout(wanted.deadline, self.peer().call_tool_once(params)).await {
            Ok(Ok(CallToolResponse::Complete(result))) => Ok(answer(result, wanted.output_bytes)),
            Ok(Ok(CallToolResponse::InputRequired(_))) => {
                Err(protocol("it wants to ask somebody, and nobody here answers a server"))
            }
            Ok(Ok(CallToolResponse::Task(_))) => {
                Err(protocol("it wants to answer later, and calls here are answered at once"))
            }
            Ok(Ok(_)) => Err(protocol("it gave an answer of a kind that nobody knows")),
            Ok(Err(error)) => Err(self.fault(&error)),
            Err(_) => {
                let (seconds, progress) = (wanted.deadline.as_secs(), self.0.trouble.progress());
                Err(CallFault::Error(ForeignError::TimedOut { seconds, progress }))
            }
        }
    }

    fn fault(&self, error: &ServiceError) -> CallFault {
        let trouble = &self.0.trouble;
        if let Some(error) = trouble.error() {
            return CallFault::Error(error);
        }
        if let ServiceError::McpError(error) = error {
            let (code, message) = (error.code.0, bounded(&error.message));
            return CallFault::Error(ForeignError::Refused { code, message });
        }
        let is_over = matches!(
            error,
            ServiceError::TransportSend(_) | ServiceError::TransportClosed | ServiceError::Cancelled { .. }
        );
        if is_over {
            return CallFault::Closed(trouble.said());
        }
        CallFault::Error(ForeignError::Protocol { why: "its answer is none to what was asked".to_owned() })
    }
}

/// At most as much of somebody's words as an error holds.
fn bounded(text: &str) -> String {
    text.chars().take(2000).collect()
}

fn unreachable(why: impl Into<String>) -> ForeignError {
    ForeignError::Unreachable { why: why.into(), said: String::new() }
}

fn not_begun(error: &ClientInitializeError, trouble: &Trouble) -> ForeignError {
    if let Some(error) = trouble.error() {
        return error;
    }
    // The words of the library are not ours: they name its types, and addresses.
    let why = match error {
        ClientInitializeError::ConnectionClosed(_) => "it ended before it was there".to_owned(),
        ClientInitializeError::JsonRpcError(error) => {
            format!("it refused to begin (code {}): {}", error.code.0, bounded(&error.message))
        }
        other => match trouble.status() {
            Some(status @ 300..=399) => {
                format!("it answered with status {status}; redirects are not followed")
            }
            Some(status) => format!("it answered with status {status}"),
            None if matches!(other, ClientInitializeError::TransportError { .. }) => {
                "the connection failed".to_owned()
            }
            None => "it did not begin as the protocol says".to_owned(),
        },
    };
    ForeignError::Unreachable { why, said: trouble.said() }
}

/// Keeps the end of what a server says beside the conversation, and reads on so that it never waits for us.
async fn hear_errors(mut errors: pipe::Receiver, trouble: Arc<Trouble>) {
    let mut piece = vec![0_u8; 4096];
    while let Ok(length) = errors.read(&mut piece).await {
        if length == 0 {
            return;
        }
        trouble.hear(piece.get(..length).unwrap_or_default());
    }
}

/// The most bytes of one message, for errors.
pub(super) fn most() -> u64 {
    u64::try_from(LONGEST).unwrap_or(u64::MAX)
}
