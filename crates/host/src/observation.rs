//! The observation: one derived surface over issues, leases, witnesses, sessions and steps, and what in it needs a person.
//!
//! It says what the lanes say, and believes none of it for anybody: whether a witness stands is for its verifier. It must
//! not change a lane, and a lane that cannot be read is shown as that, never left out.

mod attention;
mod build;
mod issues;
mod lanes;
mod snapshot;

pub(crate) use self::attention::{of_expired_question, of_question, snapshot_stale};
pub(crate) use self::build::build;
pub(crate) use self::snapshot::{Snapshot, read_snapshot, write_snapshot};

/// Where the latest observation is, from the root of a repository.
pub(crate) const LATEST_OBSERVATION: &str = "artifacts/observation/latest.json";
