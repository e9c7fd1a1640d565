//! The shape of an issue's row in an answer: what we know of it. Everything else stays as another tool wrote it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::Json;

/// A row in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IssueShape(pub Json);

impl JsonSchema for IssueShape {
    fn schema_name() -> Cow<'static, str> {
        Cow::Borrowed("Issue")
    }

    /// Only the id is promised: rows of other tools are shown as they are, whatever they hold.
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An issue. Members of other tools, and values we do not know, are shown as they are.",
            "type": "object",
            "required": ["id"],
            "properties": {
                "id": { "type": "string", "minLength": 1 },
                "title": { "description": "What is to be done." },
                "description": { "description": "More about it." },
                "design": { "description": "How it is to be done." },
                "acceptanceCriteria": { "description": "When it is done." },
                "notes": { "description": "What was learnt on the way." },
                "status": { "description": "open, in_progress, blocked or closed." },
                "priority": { "description": "0 to 4; 0 comes first." },
                "issueType": { "description": "task, epic, bug, feature or chore." },
                "assignee": { "description": "Who works on it." },
                "owner": { "description": "Who answers for it." },
                "lease": { "description": "leaseId, owner, acquiredAt, expiresAt, renewedAt, fence." },
                "createdAt": { "description": "RFC 3339." },
                "updatedAt": { "description": "RFC 3339." },
                "closedAt": { "description": "RFC 3339." },
                "ephemeral": { "description": "Whether it is short-lived." },
                "molType": { "description": "A type of another tool." },
                "labels": { "description": "A list of texts." },
                "dependencies": { "description": "issueId, dependsOnId, type, createdBy." },
                "metadata": { "description": "Anything." },
                "rev": { "description": "How often the row was written." },
                "writeWitness": { "description": "On whose authority the row was written, and its digest." }
            }
        })
    }
}
