//! What every request shares: the way to the host, the runs of this server, rates and counters.
//!
//! It must not hold anything that the repository does not: a server that is killed loses nothing.

use std::sync::Arc;

use premath_host::Host;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use crate::chat::Streams;
use crate::failure::Failure;
use crate::measures::Measures;
use crate::options::Options;
use crate::pool::Calls;
use crate::rates::Rates;
use crate::runs::Runs;
use crate::tails::Tails;

/// How many checks of everything there is are made at the same time: they read for seconds, and whoever only looks must not
/// wait for them.
const CHECKS: usize = 2;

/// What every request shares. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct AppState(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    calls: Calls,
    options: Options,
    runs: Runs,
    tails: Tails,
    streams: Arc<Streams>,
    rates: Rates,
    measures: Measures,
    stop: CancellationToken,
    checks: Semaphore,
    /// The names under which a browser may know us, with the port.
    authorities: Vec<String>,
}

impl AppState {
    pub(crate) fn new(calls: Calls, options: Options, port: u16, stop: CancellationToken) -> Self {
        Self(Arc::new(Shared {
            runs: Runs::new(options.limits.runs),
            rates: Rates::new(&options.limits, tokio::time::Instant::now()),
            tails: Tails::default(),
            streams: Arc::default(),
            measures: Measures::default(),
            authorities: authorities(port),
            checks: Semaphore::new(CHECKS),
            calls,
            options,
            stop,
        }))
    }

    /// Does something short with the host, on a thread that may block, and waits for what comes of it.
    pub(crate) async fn host<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host<'_>) -> T + Send + 'static,
    ) -> Result<T, Failure> {
        self.0.calls.call(work).await
    }

    /// Waits until one more check may be made; none where the server is ending.
    pub(crate) async fn check(&self) -> Result<SemaphorePermit<'_>, Failure> {
        self.0.checks.acquire().await.map_err(|_| Failure::ending())
    }

    pub(crate) fn calls(&self) -> &Calls {
        &self.0.calls
    }

    pub(crate) fn options(&self) -> &Options {
        &self.0.options
    }

    /// The runs that this server drives.
    pub(crate) fn runs(&self) -> &Runs {
        &self.0.runs
    }

    /// The runs that somebody follows.
    pub(crate) fn tails(&self) -> &Tails {
        &self.0.tails
    }

    /// What the runs of conversations say.
    pub(crate) fn streams(&self) -> &Arc<Streams> {
        &self.0.streams
    }

    pub(crate) fn rates(&self) -> &Rates {
        &self.0.rates
    }

    pub(crate) fn measures(&self) -> &Measures {
        &self.0.measures
    }

    /// What ends when the server does.
    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    /// Whether a name is one of ours, port and all.
    pub(crate) fn is_own(&self, authority: &str) -> bool {
        self.0.authorities.iter().any(|own| own.eq_ignore_ascii_case(authority))
    }
}

/// What a browser may call us.
fn authorities(port: u16) -> Vec<String> {
    let names = ["127.0.0.1", "localhost"];
    let mut authorities: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
    if port == 80 {
        // Browsers leave the usual port out.
        authorities.extend(names.map(str::to_owned));
    }
    authorities
}

#[cfg(test)]
mod tests {
    use super::authorities;

    #[test]
    fn the_usual_port_may_be_left_out_and_no_other() {
        assert_eq!(authorities(80), ["127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"]);
        assert_eq!(authorities(7423), ["127.0.0.1:7423", "localhost:7423"]);
    }
}
