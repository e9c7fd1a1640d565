//! The runtime of premath. So far its ports to the outside (what a model is to us, what a sandbox is, what files are)
//! and the tools over them.
//!
//! It must not name a concrete provider, sandbox or database; those implement what is declared here.

pub mod context;
pub mod evidence;
mod json_text;
pub mod model;
pub mod policy;
pub mod sandbox;
pub mod session;
pub mod tools;
pub mod turn_loop;
pub mod version_control;

pub use json_text::JsonText;
pub use premath_bd::{Clock, IdSource};
