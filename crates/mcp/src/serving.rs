//! Serving a repository until the other end is gone or somebody asks for the end.

use std::future::Future;

use premath_host::Host;
use rmcp::service::{ServerInitializeError, serve_server_with_ct};
use rmcp::transport::io::{stdio, stdio_pipes};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::answer::Structure;
use crate::catalogue::ToolChoice;
use crate::http::{self, HttpOptions};
use crate::lines::Lines;
use crate::pool::with_workers;
use crate::server::Server;

/// Why serving ended otherwise than asked for.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The beginning of the conversation was none.
    #[error("the client began in a way that cannot be answered: {why}")]
    Beginning {
        /// What was wrong.
        why: String,
    },
    /// Anybody on the network could have come in.
    #[error("`{address}` is no loopback address")]
    NotLoopback {
        /// The address.
        address: String,
    },
    /// The listener gave up.
    #[error("cannot listen: {source}")]
    Listening {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The task that speaks with the client died.
    #[error("the conversation broke off")]
    BrokenOff,
}

/// Standard input and output, without a thread between them and the conversation where both are pipes.
#[must_use]
pub fn standard_streams(
    runtime: &Runtime,
) -> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    let _inside = runtime.enter();
    stdio_pipes()
}

/// Standard input and output as the documentation of the SDK has them, for what is measured beside ours.
#[must_use]
pub fn documented_streams()
-> (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static) {
    stdio()
}

/// A repository that is served.
#[derive(Debug)]
pub struct Serving<'h> {
    /// The repository, and what its actions need.
    pub host: &'h Host<'h>,
    /// Whether premath started this process for a step of its own.
    pub is_step: bool,
    /// The tools that are offered.
    pub tools: ToolChoice,
}

impl Serving<'_> {
    /// Speaks with one client over a pair of streams, one message a line, until its stream or `end` ends.
    ///
    /// # Errors
    /// A client that does not begin as the protocol says, or a conversation that broke off.
    pub fn lines<R, W>(
        &self,
        runtime: &Runtime,
        (read, write): (R, W),
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let interrupt = self.host.agent.interrupt();
        with_workers(self.host, |calls, beside| {
            let stop = CancellationToken::new();
            let server = Server::new(calls, &self.tools, self.is_step, Structure::Spliced);
            let conversation = async {
                match serve_server_with_ct(server, Lines::new(read, write), stop.clone()).await {
                    Ok(running) => running.waiting().await.map(drop).map_err(|_| ServeError::BrokenOff),
                    Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {
                        Ok(())
                    }
                    Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
                        let why = "its first message is no `initialize` that can be read".to_owned();
                        Err(ServeError::Beginning { why })
                    }
                    Err(error) => Err(ServeError::Beginning { why: error.to_string() }),
                }
            };
            let served = runtime.block_on(async {
                let conversation = async {
                    let mut conversation = std::pin::pin!(conversation);
                    tokio::select! {
                        served = &mut conversation => served,
                        () = end => {
                            stop.cancel();
                            conversation.await
                        }
                    }
                };
                beside.answering(conversation).await
            });
            // Whatever still runs is for nobody.
            interrupt.request();
            served
        })
    }

    /// Listens for clients over HTTP until `end` ends.
    ///
    /// # Errors
    /// A listener that others could reach, or one that gave up.
    pub fn http(
        &self,
        runtime: &Runtime,
        listener: TcpListener,
        options: &HttpOptions,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let interrupt = self.host.agent.interrupt();
        with_workers(self.host, |calls, beside| {
            let server = Server::new(calls, &self.tools, self.is_step, Structure::Built);
            let listening = http::listen(listener, server, options, end);
            let served = runtime.block_on(beside.answering(listening));
            interrupt.request();
            served
        })
    }
}
