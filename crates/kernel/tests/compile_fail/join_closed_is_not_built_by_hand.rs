//! A closed turn comes from `close` alone.

use premath_kernel::{Digest, JoinClosed};

fn forged(turn: Digest) -> JoinClosed {
    JoinClosed { turn }
}

fn main() {}
