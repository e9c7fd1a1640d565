//! Answers as a person reads them. Must not decide anything.

pub(crate) mod chain;
pub(crate) mod markdown;
pub(crate) mod vectors;
