//! Processes and the OS sandbox around them.
