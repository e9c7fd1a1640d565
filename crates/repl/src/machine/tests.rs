//! The machine from inside: what tests outside cannot ask for.
