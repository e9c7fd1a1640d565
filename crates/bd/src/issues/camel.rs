//! A row as answers show it: the members that contracts name are spelled in camelCase, everything else is as it was.

use premath_kernel::{Object, Value};
use premath_wire::Canonical;
use premath_wire::strict::{Limits, parse};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::row::without_mark;

/// A row to be written in an answer.
#[derive(Debug, Clone, Copy)]
pub struct CamelRow<'r>(pub &'r Object<'r>);

/// The spelling of a member in an answer: those whose names have more than one word have another.
pub(crate) fn camel(name: &str) -> &str {
    match name {
        "acceptance_criteria" => "acceptanceCriteria",
        "acquired_at" => "acquiredAt",
        "closed_at" => "closedAt",
        "created_at" => "createdAt",
        "created_by" => "createdBy",
        "depends_on_id" => "dependsOnId",
        "expires_at" => "expiresAt",
        "instruction_ref" => "instructionRef",
        "intent_digest" => "intentDigest",
        "issue_id" => "issueId",
        "issue_type" => "issueType",
        "lease_id" => "leaseId",
        "mol_type" => "molType",
        "override_reason" => "overrideReason",
        "permit_id" => "permitId",
        "policy_digest" => "policyDigest",
        "renewed_at" => "renewedAt",
        "turn_digest" => "turnDigest",
        "updated_at" => "updatedAt",
        "write_witness" => "writeWitness",
        _ => name,
    }
}

/// A line of the file to be written in an answer; a line that is no row is written as `null`.
#[derive(Debug, Clone, Copy)]
pub struct CamelLine<'l>(pub &'l [u8]);

impl Serialize for CamelLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match parse(without_mark(self.0), Limits::default()) {
            Ok(Value::Object(row)) => CamelRow(&row).serialize(serializer),
            _ => serializer.serialize_unit(),
        }
    }
}

impl Serialize for CamelRow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0.iter() {
            match (name, value) {
                ("lease" | "write_witness", Value::Object(object)) => {
                    map.serialize_entry(camel(name), &CamelRow(object))?;
                }
                ("dependencies", Value::Array(items)) => map.serialize_entry(name, &CamelItems(items))?,
                _ => map.serialize_entry(camel(name), &Canonical(value.borrowed()))?,
            }
        }
        map.end()
    }
}

struct CamelItems<'r>(&'r [Value<'r>]);

impl Serialize for CamelItems<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut items = serializer.serialize_seq(Some(self.0.len()))?;
        for item in self.0 {
            match item.as_object() {
                Some(object) => items.serialize_element(&CamelRow(object))?,
                None => items.serialize_element(&Canonical(item.borrowed()))?,
            }
        }
        items.end()
    }
}
