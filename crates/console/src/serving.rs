//! Serving a repository until somebody asks for the end.

use std::future::Future;

use premath_host::Host;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::connections::accept;
use crate::options::Options;
use crate::pool::with_workers;
use crate::router::router;
use crate::state::AppState;

/// Why there is nothing to serve.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
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
}

/// A repository that is served.
#[derive(Debug)]
pub struct Serving<'h> {
    /// The repository, and what its actions need.
    pub host: &'h Host<'h>,
    /// How.
    pub options: Options,
}

impl Serving<'_> {
    /// Answers until `end` ends; then streams end, runs stop where they can be gone on with, and their journals are sealed.
    ///
    /// # Errors
    /// A listener that others could reach, or one that has no address.
    pub fn serve(
        self,
        runtime: &Runtime,
        listener: TcpListener,
        end: impl Future<Output = ()>,
    ) -> Result<(), ServeError> {
        let address = listener.local_addr().map_err(|source| ServeError::Listening { source })?;
        if !address.ip().is_loopback() {
            return Err(ServeError::NotLoopback { address: address.to_string() });
        }
        let interrupt = self.host.agent.interrupt();
        with_workers(self.host, |calls| {
            runtime.block_on(async {
                let stop = CancellationToken::new();
                let state = AppState::new(calls, self.options, address.port(), stop.clone());
                // Without threads no run goes on either, and every request is told so.
                drop(crate::chat::attach(&state).await);
                let serving = accept(listener, router(state.clone()), state.clone());
                let mut serving = std::pin::pin!(serving);
                tokio::select! {
                    () = &mut serving => {}
                    () = end => {
                        stop.cancel();
                        state.runs().interrupt_all();
                        serving.await;
                    }
                }
                // Whatever still runs is for nobody.
                interrupt.request();
                state.runs().interrupt_all();
            });
        });
        Ok(())
    }
}
