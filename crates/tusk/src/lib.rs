//! The runtime of premath. So far its two ports to the outside: what a model is to us, and what a sandbox is.
//!
//! It must not name a concrete provider, sandbox or database; those implement what is declared here.

mod json_text;
pub mod model;
pub mod sandbox;

pub use json_text::JsonText;
pub use premath_bd::{Clock, IdSource};
