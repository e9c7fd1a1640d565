//! One permission, one mutation.

use premath_kernel::MutationReady;

fn apply(_permission: MutationReady) {}

fn twice(permission: MutationReady) {
    apply(permission);
    apply(permission);
}

fn main() {}
