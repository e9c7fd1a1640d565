//! Conversations of a person with the assistant of the desk: what a client is shown of them, live and afterwards.
//!
//! One mapping makes chunks of the events of a run. A journal gives the same events, so that what a client saw and what it
//! finds after a reload come from one place. It must not keep anything itself, and believes nothing that a client sends
//! of what was said before.

mod cards;
mod chunks;
mod exchange;
mod fold;
mod log;
mod messages;
mod recalled;
mod unfinished;

pub use self::cards::{Cards, ChangeCard, DeskCards};
pub use self::chunks::{Chunker, failure_sentence};
pub(crate) use self::exchange::exchange;
pub use self::fold::folded;
pub(crate) use self::log::{LogPlace, log_of};
pub(crate) use self::messages::{Streamed, messages_of};
pub(crate) use self::unfinished::Unfinished;
