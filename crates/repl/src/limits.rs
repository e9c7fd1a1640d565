//! What a program may use, and what it has used. Nothing here reads a clock: the same program uses the same, always.

/// A bound on each thing a program could use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Steps: instructions, and what big operations are charged by their size
    pub fuel: u64,
    /// Bytes that are alive at once
    pub memory: usize,
    /// Calls that wait for another to return
    pub depth: usize,
    /// Bytes written by `display` and its like, and of the printed result
    pub output: usize,
    /// Calls of host functions
    pub host_calls: u64,
    /// Bytes of source text
    pub source: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            fuel: 20_000_000,
            memory: 64 << 20,
            depth: 50_000,
            output: 1 << 20,
            host_calls: 1_000,
            source: 1 << 20,
        }
    }
}

/// What one evaluation has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Steps taken
    pub steps: u64,
    /// Bytes allocated, alive or not
    pub allocated: u64,
    /// The most bytes that were held at once; garbage counts until it is collected
    pub peak: usize,
    /// The most calls that waited at once
    pub depth: usize,
    /// Calls of host functions
    pub host_calls: u64,
}
