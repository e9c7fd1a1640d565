//! The rules of the governor.
