//! Tools of other servers: what a server says they are, what a person approved of it, and what a run gets.
//!
//! What a server says about itself is data to be shown and compared; it decides nothing. Nothing in here connects, and
//! nothing is offered that no pin holds.

mod admission;
mod definition;
mod invisible;
mod port;
mod server;
mod tool;

pub use admission::{Admission, Admitted, BlockedClass, BlockedTool, admit, offered_name};
pub use definition::ForeignDefinition;
pub use invisible::{escaped, first_hidden};
pub use port::{ForeignAnswer, ForeignCall, ForeignError, ForeignTools, NoForeignTools};
pub use server::{ForeignServer, Handshake, Reach, is_server_name};
pub use tool::ForeignTool;
