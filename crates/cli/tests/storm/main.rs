//! The storm: runs of generated scenarios through the real adapters, with faults of providers, dying disks and killed
//! processes, resumed until they end.
//!
//! Every request is read as its provider would read it, and one call without its result, or one result without its call,
//! fails the test. So does an effect that happened twice, a journal that does not run again, and a store that does not verify.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what cannot be done fails the test")]
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever else comes is one case")]
#![expect(clippy::indexing_slicing, reason = "a choice of two")]
#![expect(
    clippy::disallowed_methods,
    reason = "`PREMATH_PROVE` asks for all runs; files and processes are the tests' own"
)]

mod bench;
mod bodies;
mod dying_disks;
mod killed_processes;
mod proxy;
mod replay_anywhere;
mod scene;
mod shown;

/// So many runs in CI, all of them in a proof.
pub(crate) fn runs(slice: u64, all: u64) -> u64 {
    let is_proof = std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1");
    if is_proof { all } else { slice }
}
