//! The seam to the outside: the only effect a program has. It speaks the kernel's canonical values, which can be
//! digested, kept and sent to another thread; the machine's own values cannot.

use premath_kernel::Value;

use crate::position::Position;

/// A host function that programs may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFunction {
    /// Its name in programs
    pub name: String,
    /// The fewest arguments it takes
    pub least: usize,
    /// The most arguments it takes
    pub most: usize,
}

impl HostFunction {
    /// A function that takes so many arguments, from the fewest to the most.
    #[must_use]
    pub fn new(name: impl Into<String>, least: usize, most: usize) -> HostFunction {
        HostFunction { name: name.into(), least, most }
    }
}

/// One call that a program makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCall {
    /// How many calls the evaluation made before
    pub index: u64,
    /// The name of the function
    pub name: String,
    /// The arguments, in their order
    pub arguments: Vec<Value<'static>>,
    /// Where the call stands in the program
    pub position: Position,
}

/// What a call that failed tells the program, which may catch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFailure {
    /// The failure class
    pub class: String,
    /// What went wrong, in one line
    pub message: String,
    /// Whether the same call may succeed later
    pub retryable: bool,
}

/// What a call gives: a value, or a failure that the program may catch.
pub type HostAnswer = Result<Value<'static>, HostFailure>;

/// Who carries out the calls.
pub trait HostCalls {
    /// Carries out one call.
    ///
    /// # Errors
    /// What the program gets as a condition.
    fn call(&mut self, call: &HostCall) -> HostAnswer;

    /// Carries out calls that do not wait for each other; the answers are in the order of the calls.
    fn call_many(&mut self, calls: &[HostCall]) -> Vec<HostAnswer> {
        calls.iter().map(|call| self.call(call)).collect()
    }
}
