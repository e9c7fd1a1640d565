//! The index of issue memory: a file beside the log that is a function of the log up to a checkpoint, and nothing else.
//!
//! It may be deleted at any time and is rebuilt to the same bytes (I10). It answers "where is this row", "what is ready"
//! and "what depends on this" without reading the log. It must not be believed unless its extent is one the log's reader
//! vouches for, and it never authorises anything: rows are read from the log.

mod build;
mod format;
mod pages;
mod read;

pub(crate) use self::build::{Base, Content, laid_over, numbered};
pub(crate) use self::read::{Index, Visit};
