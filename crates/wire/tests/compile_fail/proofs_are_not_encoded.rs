//! What is written down as a proof would be believed by whoever reads it.

use premath_kernel::{JoinClosed, MutationReady};

fn needs<T: serde::Serialize>() {}

fn main() {
    needs::<JoinClosed>();
    needs::<MutationReady>();
}
