//! The policy package in force: which package must be there, whether the files below `policies/` are that package, and the
//! pin that binds turns to it.
//!
//! What must be there follows from the newest recorded promotion, or is the package that comes with premath. It must not
//! take anybody's word for it, and it must not put a package into force.

mod drift;
mod evidence;
mod kept_copies;
mod packages;
mod problems;
mod standing;
#[cfg(test)]
mod tests;

pub(crate) use self::drift::differences;
pub(crate) use self::kept_copies::kept_copy_problems;
pub(crate) use self::packages::control_text;
pub use self::packages::{PolicyPackages, shipped_package};
pub(crate) use self::problems::package_problems;
pub(crate) use self::standing::{PackageStanding, beginning_refusal, package_refusal, pinned_refusal};
