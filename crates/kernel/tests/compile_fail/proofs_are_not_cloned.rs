//! A copy of a proof would be spent a second time.

use premath_kernel::{JoinClosed, MutationReady, NormalizedTurn};

fn needs<T: Clone>() {}

fn main() {
    needs::<JoinClosed>();
    needs::<MutationReady>();
    needs::<NormalizedTurn>();
}
