//! The witness of an instruction: `artifacts/ciwitness/<instructionId>.json`, written whole or not at all.
//!
//! A witness is a record. Whether anything may be linked to it is decided elsewhere, from what was recorded when it was
//! issued. It must not be believed for what it says of itself.

use std::path::{Path, PathBuf};

use premath_bd::StoreError;
use premath_kernel::Digest;
use premath_wire::v1::InstructionWitness;

use super::policy::read;
use crate::artifacts::write_artifact;
use crate::table::ActionError;
use crate::workspace::Workspace;

/// Where witnesses of checks are.
fn folder(root: &Path) -> PathBuf {
    root.join("artifacts").join("ciwitness")
}

/// Where the witness of an instruction is. INVARIANT: the id was looked at.
pub(crate) fn witness_path(root: &Path, id: &str) -> PathBuf {
    folder(root).join(format!("{id}.json"))
}

/// Writes a witness and says what its file hashes to.
pub(super) fn write_witness(
    workspace: &Workspace,
    witness: &InstructionWitness,
) -> Result<String, ActionError> {
    let mut bytes =
        serde_json::to_vec_pretty(witness).map_err(|source| ActionError::Unwritable { source })?;
    bytes.push(b'\n');
    let path = witness_path(&workspace.root, &witness.instruction_id);
    write_artifact(workspace, &path, &bytes)?;
    Ok(Digest::of_bytes(&bytes).as_str().to_owned())
}

/// A witness as it is there, and what its file hashes to; `None` when it cannot be read as one.
pub(crate) fn read_witness(
    workspace: &Workspace,
    id: &str,
) -> Result<Option<(InstructionWitness, String)>, StoreError> {
    let bytes = match read(workspace.disk.as_ref(), &witness_path(&workspace.root, id)) {
        Err(StoreError::Missing { .. }) => return Ok(None),
        bytes => bytes?,
    };
    let digest = Digest::of_bytes(&bytes).as_str().to_owned();
    Ok(serde_json::from_slice(&bytes).ok().map(|witness| (witness, digest)))
}
