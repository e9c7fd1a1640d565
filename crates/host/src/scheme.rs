//! Programs over the host: the Scheme of `premath-repl` with the actions as its functions.
//!
//! Everything a program does to the world goes through `Host::call`, as any other door does, and every call leaves an
//! envelope and a row. It must not give a program what a person or a model would not get, nor read a file that a program names.

mod announced;
mod answered;
mod arguments;
mod book;
mod broken_off;
mod calls;
mod denial;
mod door;
mod functions;
mod journal;
mod most;
mod replay;
mod session;
#[cfg(test)]
mod tests;
mod trace;

pub(crate) use self::announced::announcement_problems;
pub use self::book::SchemeCall;
pub use self::functions::{FUNCTIONS, Gives, ProgramFunction};
pub(crate) use self::most::MOST;
pub(crate) use self::replay::{Replayed, replay};
pub use self::session::{SchemeEvaluation, SchemeSession, SchemeWishes};
pub use self::trace::TraceFault;
pub(crate) use self::trace::result as result_value;
