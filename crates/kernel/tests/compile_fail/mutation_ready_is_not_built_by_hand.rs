//! Permission comes from `admit` alone.

use premath_kernel::{Digest, JoinClosed, MutationReady};

fn forged(join: JoinClosed, intent: Digest, policy: Digest) -> MutationReady {
    MutationReady { join, intent, policy }
}

fn main() {}
