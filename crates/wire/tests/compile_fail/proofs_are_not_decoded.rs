//! A proof that can be decoded can be forged.

use premath_kernel::{JoinClosed, MutationReady, NormalizedTurn};

fn needs<T: for<'de> serde::Deserialize<'de>>() {}

fn main() {
    needs::<JoinClosed>();
    needs::<MutationReady>();
    needs::<NormalizedTurn>();
}
