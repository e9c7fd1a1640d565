//! What an instruction of a client may cover: the member `clients` of a policy of instructions.
//!
//! A client that runs an instruction is its author, as the door knows, whatever the envelope says. Without the member a client
//! takes work, keeps it and reports what it finds, and changes nothing else. It must not grant what the policy does not.

use premath_kernel::{Object, Value};
use premath_wire::{InputClass, InputError, JsonPath};

use super::decide::claim_of;
use super::policy::{EVERYTHING, texts};

/// The member of a policy.
const MEMBER: &str = "clients";
/// The actions that a client's instruction may cover where a policy does not say.
const DEFAULT_ACTIONS: [&str; 4] = ["issue.claim", "issue.claim_next", "issue.discover", "issue.lease_renew"];

/// Who runs an instruction. The door says so, never the envelope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstructionAuthor {
    /// A person at a terminal, or premath itself for a run or a worker that a person started.
    Owner,
    /// A client: an agent of somebody else.
    Client,
}

/// Capabilities that a client's instruction may have when it asks for certain checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientGrant {
    capabilities: Vec<String>,
    /// Checks that the instruction must ask for, and so pass.
    checks: Vec<String>,
}

/// What clients are granted under one policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientGrants(Vec<ClientGrant>);

impl ClientGrants {
    /// Reads the member of a policy.
    pub(super) fn read(source: &Object<'_>) -> Result<Self, InputError> {
        let path = || JsonPath::root().key(MEMBER);
        let rows = match source.get(MEMBER) {
            None | Some(Value::Null) => return Ok(Self::standard()),
            Some(value) => value.as_array().ok_or_else(|| invalid("expected a list", path()))?,
        };
        let mut grants = Vec::with_capacity(rows.len());
        for (at, row) in rows.iter().enumerate() {
            let row = row.as_object().ok_or_else(|| invalid("expected an object", path().index(at)))?;
            let checks = match row.get("checks") {
                None | Some(Value::Null) => Vec::new(),
                Some(_) => texts(row, "checks")?,
            };
            grants.push(ClientGrant { capabilities: texts(row, "capabilities")?, checks });
        }
        Ok(Self(grants))
    }

    fn standard() -> Self {
        let capabilities = DEFAULT_ACTIONS.map(claim_of).to_vec();
        Self(vec![ClientGrant { capabilities, checks: Vec::new() }])
    }

    /// Whether every check that a grant needs is one of these.
    pub(super) fn unknown_check<'g>(&'g self, known: &[String]) -> Option<&'g str> {
        let mut checks = self.0.iter().flat_map(|grant| &grant.checks);
        checks.find(|check| !known.contains(check)).map(String::as_str)
    }

    /// What is left of granted claims for a client that asks for these checks.
    pub(super) fn narrow(&self, granted: Vec<String>, requested: &[String]) -> Vec<String> {
        let holds = |grant: &&ClientGrant| grant.checks.iter().all(|check| requested.contains(check));
        let admitted: Vec<&String> =
            self.0.iter().filter(holds).flat_map(|grant| &grant.capabilities).collect();
        if admitted.iter().any(|capability| *capability == EVERYTHING) {
            return granted;
        }
        if granted.iter().any(|claim| claim == EVERYTHING) {
            return admitted.into_iter().cloned().collect();
        }
        granted.into_iter().filter(|claim| admitted.contains(&claim)).collect()
    }
}

fn invalid(what: &str, path: JsonPath) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, path)
}
