//! Gate references: the digest of a check's outcome, and the outcome that such a reference names among the objects.

use premath_bd::{ObjectId, StoreError};
use premath_kernel::Digest;
use premath_wire::strict::{Limits, parse};
use premath_wire::v1::CheckOutcome;
use premath_wire::{UnknownFields, decode};

use super::stop::{RequiredClass, Stop};
use crate::artifacts::canonical_bytes;
use crate::checking::check_objects;
use crate::table::ActionError;
use crate::workspace::Workspace;

const SCHEME: &str = "gate://";
/// The most bytes of an outcome.
const LARGEST: usize = 1 << 20;

/// Keeps an outcome among the objects and returns its reference.
pub(crate) fn gate_ref(workspace: &Workspace, outcome: &CheckOutcome) -> Result<String, ActionError> {
    let bytes = canonical_bytes(outcome)?;
    let object = check_objects(workspace).put(&mut bytes.as_slice())?;
    Ok(format!("{SCHEME}{}", object.digest))
}

/// The reference of an outcome, computed.
pub(crate) fn gate_ref_of(outcome: &CheckOutcome) -> Result<String, ActionError> {
    Ok(format!("{SCHEME}{}", Digest::of_bytes(&canonical_bytes(outcome)?)))
}

/// The outcome that a reference names, when the object is what its name says.
pub(crate) fn kept_outcome(workspace: &Workspace, reference: &str) -> Result<CheckOutcome, Stop> {
    let id: ObjectId = reference.strip_prefix(SCHEME).and_then(|id| id.parse().ok()).ok_or_else(|| {
        let detail = format!("`{}` is no gate reference", reference.escape_debug());
        RequiredClass::GateMismatch.refuse(detail, "expected gate://sha256: and 64 digits")
    })?;
    let bytes = match check_objects(workspace).read_range(&id, 0, LARGEST) {
        Err(StoreError::Missing { .. }) => {
            let detail = format!("{reference} is not among the objects");
            return Err(RequiredClass::GateMissing.refuse(detail, "run the checks again"));
        }
        read => read?,
    };
    let mismatch =
        |why: &str| RequiredClass::GateMismatch.refuse(format!("{reference}: {why}"), "run the checks again");
    if ObjectId::of(&bytes) != id {
        return Err(mismatch("the object is not what its name says"));
    }
    let value = parse(&bytes, Limits::default()).map_err(|_| mismatch("it is no JSON"))?;
    decode(&value, UnknownFields::Refuse).map_err(|error| mismatch(&format!("it is no outcome: {error}")))
}
