//! There is no proof of nothing.

use premath_kernel::{JoinClosed, MutationReady, NormalizedTurn};

fn needs<T: Default>() {}

fn main() {
    needs::<JoinClosed>();
    needs::<MutationReady>();
    needs::<NormalizedTurn>();
}
