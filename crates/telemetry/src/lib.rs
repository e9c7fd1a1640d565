//! Traces and numbers of runs.
