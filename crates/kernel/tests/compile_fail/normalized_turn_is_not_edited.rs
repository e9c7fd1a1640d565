//! What was normalised and hashed stays as it was.

use premath_kernel::{CallSpec, NormalizedTurn};

fn edited(turn: &mut NormalizedTurn, spec: CallSpec) {
    turn.spec = spec;
}

fn main() {}
