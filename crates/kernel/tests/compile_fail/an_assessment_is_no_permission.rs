//! What describes a turn is no proof about it.

use premath_kernel::{Assessment, MutationReady};

fn permission(assessment: Assessment) -> MutationReady {
    assessment
}

fn main() {}
