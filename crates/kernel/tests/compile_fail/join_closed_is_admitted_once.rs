//! One closed turn, one try to admit an intent.

use premath_kernel::{ActivePolicy, Claims, Intent, JoinClosed, admit};

fn twice(join: JoinClosed, first: &Intent, second: &Intent, claims: &Claims) {
    let _ = admit(join, first, &ActivePolicy::NotSupplied, claims);
    let _ = admit(join, second, &ActivePolicy::NotSupplied, claims);
}

fn main() {}
