//! Every type that crosses a process or a disk: strict decoding, versioned shapes, conversion to and from the kernel.
//!
//! Must not decide anything about a turn; it only says whether input can be read, and where it cannot.

mod decode;
mod input_error;
pub mod strict;
pub mod time;
pub mod v1;

pub use decode::{Canonical, Json, UnknownFields, decode};
pub use input_error::{InputClass, InputError, JsonPath, Position, Segment};
