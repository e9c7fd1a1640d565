//! Tests of what has no effect: arguments, answers, traces.
