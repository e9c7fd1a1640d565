//! The tools that ask for a change of issue memory, as data. Nothing else.
//!
//! None of them takes, keeps or shows a lease: whose issue it is is the run's to know, not the model's to say.

use premath_tusk::tools::Risk;

use super::Definition;
use crate::actions::{dep, issue_write};

const ISSUES_WRITE: &str = "issues:write";
const DEPS_WRITE: &str = "deps:write";

const ADD: &str = r#"{
  "type": "object",
  "properties": {
    "title": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "\\S", "description": "What is to be done, in one line."},
    "description": {"type": "string", "maxLength": 65536, "description": "What it is about, and how to verify it."},
    "design": {"type": "string", "maxLength": 65536, "description": "How it is to be done."},
    "acceptanceCriteria": {"type": "string", "maxLength": 65536, "description": "When it is done."},
    "notes": {"type": "string", "maxLength": 65536, "description": "Anything else."},
    "type": {"enum": ["task", "epic", "bug", "feature", "chore"], "description": "Default: task."},
    "priority": {"type": "integer", "minimum": 0, "maximum": 4, "description": "0 is the most urgent. Default: 2."},
    "status": {"enum": ["open", "in_progress", "blocked", "closed"], "description": "Default: open."},
    "assignee": {"type": "string", "minLength": 1, "maxLength": 256, "description": "Who works on it."},
    "owner": {"type": "string", "minLength": 1, "maxLength": 256, "description": "Who answers for it."},
    "labels": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Words to find it by."},
    "parent": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue it is a part of."},
    "dependsOn": {"type": "array", "maxItems": 100, "description": "What must be done before it.", "items": {
      "type": "object",
      "properties": {
        "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The other issue, such as bd-12."},
        "type": {"enum": ["blocks", "parent-child", "conditional-blocks", "waits-for", "related", "relates-to", "discovered-from", "duplicates", "supersedes", "replies-to"], "description": "Default: blocks."}
      },
      "required": ["id"],
      "additionalProperties": false
    }},
    "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "An id of your own. Default: the next free one, which is almost always right."},
    "ephemeral": {"type": "boolean", "description": "Whether it is short-lived. Default: false."}
  },
  "required": ["title"],
  "additionalProperties": false
}"#;

const DISCOVER: &str = r#"{
  "type": "object",
  "properties": {
    "parentIssue": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue that was being worked on, such as bd-12."},
    "title": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "\\S", "description": "What was found, in one line."},
    "description": {"type": "string", "maxLength": 65536, "description": "What it is about, and how to verify it."},
    "design": {"type": "string", "maxLength": 65536, "description": "How it is to be done."},
    "acceptanceCriteria": {"type": "string", "maxLength": 65536, "description": "When it is done."},
    "notes": {"type": "string", "maxLength": 65536, "description": "Anything else."},
    "type": {"enum": ["task", "epic", "bug", "feature", "chore"], "description": "Default: task."},
    "priority": {"type": "integer", "minimum": 0, "maximum": 4, "description": "0 is the most urgent. Default: 2."},
    "labels": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Words to find it by."}
  },
  "required": ["parentIssue", "title"],
  "additionalProperties": false
}"#;

const UPDATE: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue, such as bd-12."},
    "status": {"enum": ["open", "in_progress", "blocked", "closed"], "description": "Where it stands; closed is done."},
    "appendNotes": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "Text to put behind the notes: what was done, what was found."},
    "title": {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "\\S", "description": "Another title."},
    "description": {"type": "string", "maxLength": 65536, "description": "Another description; empty takes it away."},
    "design": {"type": "string", "maxLength": 65536, "description": "Another design; empty takes it away."},
    "acceptanceCriteria": {"type": "string", "maxLength": 65536, "description": "Other acceptance criteria; empty takes them away."},
    "notes": {"type": "string", "maxLength": 65536, "description": "Notes in the place of all there are; empty takes them away. See appendNotes."},
    "type": {"enum": ["task", "epic", "bug", "feature", "chore"], "description": "Another type."},
    "priority": {"type": "integer", "minimum": 0, "maximum": 4, "description": "0 is the most urgent."},
    "assignee": {"type": "string", "maxLength": 256, "description": "Who works on it; empty is nobody."},
    "owner": {"type": "string", "maxLength": 256, "description": "Who answers for it; empty is nobody."},
    "addLabels": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Labels to add."},
    "removeLabels": {"type": "array", "maxItems": 50, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Labels to take away."}
  },
  "required": ["id"],
  "minProperties": 2,
  "additionalProperties": false
}"#;

const DEPENDENCY: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue that waits, such as bd-12."},
    "dependsOn": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue that it waits for."},
    "type": {"enum": ["blocks", "parent-child", "conditional-blocks", "waits-for", "related", "relates-to", "discovered-from", "duplicates", "supersedes", "replies-to"], "description": "The type of the dependency. Default: blocks; to take one away: every type."}
  },
  "required": ["id", "dependsOn"],
  "additionalProperties": false
}"#;

const REPLACE: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue that waits, such as bd-12."},
    "dependsOn": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue that it waits for."},
    "type": {"enum": ["blocks", "parent-child", "conditional-blocks", "waits-for", "related", "relates-to", "discovered-from", "duplicates", "supersedes", "replies-to"], "description": "The type that it gets."},
    "fromType": {"enum": ["blocks", "parent-child", "conditional-blocks", "waits-for", "related", "relates-to", "discovered-from", "duplicates", "supersedes", "replies-to"], "description": "The type that it has, if there is more than one. Default: every type."}
  },
  "required": ["id", "dependsOn", "type"],
  "additionalProperties": false
}"#;

/// Every tool that asks, by name.
pub(in crate::agent_tools) const DEFINITIONS: &[Definition] = &[
    Definition {
        action: "dep.add",
        plan: dep::plan_add,
        scope: DEPS_WRITE,
        risk: Risk::Write,
        description: "Asks to make one issue depend on another. It happens after this turn.",
        schema: DEPENDENCY,
        examples: &[
            r#"{"id": "bd-12", "dependsOn": "bd-7"}"#,
            r#"{"id": "bd-12", "dependsOn": "bd-7", "type": "discovered-from"}"#,
        ],
        is_deferred: false,
    },
    Definition {
        action: "dep.remove",
        plan: dep::plan_remove,
        scope: DEPS_WRITE,
        risk: Risk::Write,
        description: "Asks to take a dependency between two issues away. It happens after this turn.",
        schema: DEPENDENCY,
        examples: &[
            r#"{"id": "bd-12", "dependsOn": "bd-7"}"#,
            r#"{"id": "bd-12", "dependsOn": "bd-7", "type": "related"}"#,
        ],
        is_deferred: true,
    },
    Definition {
        action: "dep.replace",
        plan: dep::plan_replace,
        scope: DEPS_WRITE,
        risk: Risk::Write,
        description: "Asks to give a dependency between two issues another type. It happens after this turn.",
        schema: REPLACE,
        examples: &[r#"{"id": "bd-12", "dependsOn": "bd-7", "type": "related", "fromType": "blocks"}"#],
        is_deferred: true,
    },
    Definition {
        action: "issue.add",
        plan: issue_write::plan_add,
        scope: ISSUES_WRITE,
        risk: Risk::Create,
        description: "Asks for a new issue. It is added after this turn, and the next turn says under which id.",
        schema: ADD,
        examples: &[
            r#"{"title": "Refuse a patch with a stale context"}"#,
            r#"{"title": "Bound the index of the log", "type": "bug", "priority": 1, "description": "It grows without end. Verify with: cargo test -p log", "acceptanceCriteria": "The index has at most 1 MiB.", "labels": ["log"], "parent": "bd-3", "dependsOn": [{"id": "bd-7", "type": "blocks"}]}"#,
        ],
        is_deferred: false,
    },
    Definition {
        action: "issue.discover",
        plan: issue_write::plan_discover,
        scope: ISSUES_WRITE,
        risk: Risk::Create,
        description: "Asks for a new issue about something that was found while working on another one and does not \
                      belong to it. It is added after this turn.",
        schema: DISCOVER,
        examples: &[
            r#"{"parentIssue": "bd-12", "title": "The parser accepts a lone surrogate", "type": "bug", "priority": 1, "description": "Found in src/parse.rs.", "labels": ["parser"]}"#,
        ],
        is_deferred: false,
    },
    Definition {
        action: "issue.update",
        plan: issue_write::plan_update,
        scope: ISSUES_WRITE,
        risk: Risk::Write,
        description: "Asks to change an issue: its status, its texts, its labels. It happens after this turn. What is not \
                      named stays as it is.",
        schema: UPDATE,
        examples: &[
            r#"{"id": "bd-12", "status": "closed", "appendNotes": "Fixed in src/parse.rs; cargo test passes."}"#,
            r#"{"id": "bd-12", "priority": 0, "type": "bug", "addLabels": ["parser"], "removeLabels": ["triage"], "assignee": ""}"#,
        ],
        is_deferred: false,
    },
];
