//! The actions of the host as tools of the Model Context Protocol, for agents that are not ours.
//!
//! And other servers as tools of our agent: `client`.
//!
//! Every call of a client is one host call through the door of a client: what changes something is linked to an instruction, and a
//! refusal is an answer that says why. It must not decide anything, and it knows no repository but the one it is handed.

mod answer;
mod catalogue;
mod client;
mod echo;
mod http;
mod left_out;
mod lines;
mod pace;
mod pool;
mod prompts;
mod resources;
mod schemas;
mod server;
mod serving;

pub use catalogue::{OfferedAction, ToolChoice, offered};
pub use client::{Client, Launch, Launched, ProgramToStart, RunningProgram};
pub use echo::echo;
pub use http::{HttpOptions, listen};
pub use left_out::LEFT_OUT;
pub use serving::{ServeError, Serving, documented_streams, standard_streams};
