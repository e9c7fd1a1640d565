//! The observation on the disk: replaced whole, and believed only when it is what its digest says.

use premath_wire::strict::{Limits, parse};
use premath_wire::v1::{OBSERVATION_KIND, Observation};
use premath_wire::{UnknownFields, decode};

use super::LATEST_OBSERVATION;
use super::build::{build, digest};
use crate::artifacts::{pretty, read_artifact, write_artifact};
use crate::table::{ActionError, Host};

const BUILD: &str = "`premath observe-build` builds it";

/// An observation that was built before.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) observation: Observation,
    /// Whether building it now comes to something else.
    pub(crate) is_stale: bool,
}

/// Writes an observation in the place of the one before.
pub(crate) fn write_snapshot(host: &Host<'_>, observation: &Observation) -> Result<(), ActionError> {
    let workspace = host.workspace;
    let path = workspace.root.join(LATEST_OBSERVATION);
    Ok(write_artifact(workspace, &path, &pretty(observation)?)?)
}

/// The observation that was built last.
pub(crate) fn read_snapshot(host: &Host<'_>) -> Result<Snapshot, ActionError> {
    let workspace = host.workspace;
    let unavailable = |what: &str| ActionError::Unavailable {
        what: format!("{what}: `{LATEST_OBSERVATION}`"),
        hint: BUILD.to_owned(),
    };
    let bytes = read_artifact(workspace, &workspace.root.join(LATEST_OBSERVATION))?
        .ok_or_else(|| unavailable("there is no observation yet"))?;
    let damaged = || unavailable("observation_damaged: the observation is not what was built");
    let value = parse(&bytes, Limits::default()).map_err(|_| damaged())?;
    let observation: Observation = decode(&value, UnknownFields::Refuse).map_err(|_| damaged())?;
    let is_whole = observation.observation_kind == OBSERVATION_KIND
        && digest(&observation)? == observation.observation_digest;
    if !is_whole {
        return Err(damaged());
    }
    let is_stale = build(host)?.observation_digest != observation.observation_digest;
    Ok(Snapshot { observation, is_stale })
}
