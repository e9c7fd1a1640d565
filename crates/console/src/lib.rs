//! The HTTP API over the actions of the host, live runs by cursor, and the page for people.
//!
//! Every answer is the payload of one host call, so that a command with `--json` is its twin. It must not decide anything, and it
//! answers nobody but whoever shows the token, from this machine, with our own name.

mod answer;
mod asked;
mod call;
mod chat;
mod connections;
mod failure;
mod front;
mod measures;
mod openapi;
mod options;
mod page;
mod plan;
mod pool;
mod rates;
mod route;
mod router;
mod routes;
mod runs;
mod serving;
mod state;
mod tails;

pub use options::{Limits, Noted, Offered, Options, PageOrigin, RequestLog};
pub use serving::{ServeError, Serving};
