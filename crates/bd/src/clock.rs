//! Time and identity, the two things a store must be given. Nothing in this crate reads a clock or draws a number by
//! itself (I4).

use std::fmt::Debug;

use premath_kernel::Moment;

/// Where the time comes from.
pub trait Clock: Debug + Send + Sync {
    /// The time, now.
    fn now(&self) -> Moment;
}

/// Where names that nobody chose come from.
pub trait IdSource: Debug + Send + Sync {
    /// A name that was never given before: letters, digits and hyphens.
    fn fresh(&self) -> String;
}

/// A clock that stands still.
impl Clock for Moment {
    fn now(&self) -> Moment {
        *self
    }
}
