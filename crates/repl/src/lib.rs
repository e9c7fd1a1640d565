//! A Scheme for orchestration, with calls of the host as its only effect.
//!
//! A program is read, compiled and run within budgets, each with a failure of its own, and always in the same way: the
//! same text and the same answers of the host give the same steps, bytes, output and result. It must not reach a file, a
//! clock, the network, a process or randomness; what is bound is what `names` lists, and nothing else.
//!
//! ```
//! use premath_kernel::Value;
//! use premath_repl::{HostAnswer, HostCall, HostCalls, HostFunction, Limits, Session};
//!
//! struct Greeter;
//!
//! impl HostCalls for Greeter {
//!     fn call(&mut self, call: &HostCall) -> HostAnswer {
//!         let name = call.arguments.first().and_then(Value::as_text).unwrap_or("nobody");
//!         Ok(Value::from(format!("hello, {name}")))
//!     }
//! }
//!
//! let mut session = Session::new(Limits::default(), vec![HostFunction::new("greet", 1, 1)])?;
//! let done = session.evaluate("(map greet '(\"ada\" \"bob\"))", &mut Greeter);
//! assert_eq!(done.result?.text, r#"("hello, ada" "hello, bob")"#);
//! # Ok::<(), premath_repl::Error>(())
//! ```

mod break_off;
mod code;
mod datum;
mod emit;
mod error;
mod fault;
mod globals;
mod heap;
mod hints;
mod host;
mod library;
mod limits;
mod machine;
mod number;
mod position;
mod reader;
mod session;
mod symbols;
mod syntax;
mod value;
mod write;

pub use break_off::{BreakOff, Interruption};
pub use error::{Budget, Error, ErrorKind, TraceEntry};
pub use host::{HostAnswer, HostCall, HostCalls, HostFailure, HostFunction};
pub use limits::{Limits, Usage};
pub use position::Position;
pub use session::{Answer, Evaluation, Session, Step, needs_more, normalise};

/// The language on one screen, for models.
pub const CHEAT_SHEET: &str = include_str!("cheatsheet.md");
