//! The tools that look at issue memory, as data. Nothing else.

use super::{Definition, Rendering};
use crate::agent_tools::lines::{blocked, diagnostics, listing, problems, projection};

const ISSUES_READ: &str = "issues:read";
const DEPS_READ: &str = "deps:read";

const LIST: &str = r#"{
  "type": "object",
  "properties": {
    "status": {"type": "array", "maxItems": 5, "items": {"enum": ["open", "in_progress", "blocked", "closed", "other"]}, "description": "Only issues with one of these. Default: any."},
    "type": {"type": "array", "maxItems": 6, "items": {"enum": ["task", "epic", "bug", "feature", "chore", "other"]}, "description": "Only issues of one of these types. Default: any."},
    "priority": {"type": "array", "maxItems": 5, "items": {"type": "integer", "minimum": 0, "maximum": 4}, "description": "Only issues with one of these; 0 is the most urgent. Default: any."},
    "assignee": {"type": "string", "minLength": 1, "maxLength": 256, "description": "Only issues of this assignee."},
    "label": {"type": "array", "maxItems": 20, "items": {"type": "string", "minLength": 1, "maxLength": 256}, "description": "Only issues with all of these labels."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "The most issues to list. Default: 50."},
    "offset": {"type": "integer", "minimum": 0, "maximum": 1000000, "description": "How many to skip, to go on where an answer ended. Default: 0."}
  },
  "additionalProperties": false
}"#;

const SHOW: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "The issue, such as bd-12."},
    "offset": {"type": "integer", "minimum": 0, "maximum": 1000000000, "description": "The byte to begin at, to read on where an answer ended. Default: 0."}
  },
  "required": ["id"],
  "additionalProperties": false
}"#;

const BLOCKED: &str = r#"{
  "type": "object",
  "properties": {
    "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "description": "The most issues to list. Default: 50."},
    "offset": {"type": "integer", "minimum": 0, "maximum": 1000000, "description": "How many to skip, to go on where an answer ended. Default: 0."}
  },
  "additionalProperties": false
}"#;

const CHECK: &str = r#"{
  "type": "object",
  "properties": {
    "graphScope": {"enum": ["active", "full"], "description": "Whether dependencies of closed issues count too (full). Default: active."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "The most findings of each sort. Default: 500."},
    "offset": {"type": "integer", "minimum": 0, "maximum": 1000000, "description": "How many lines to skip, to go on where an answer ended. Default: 0."}
  },
  "additionalProperties": false
}"#;

const PROJECT: &str = r#"{
  "type": "object",
  "properties": {
    "root": {"type": "string", "minLength": 1, "maxLength": 256, "pattern": "\\S", "description": "Only what is reached from this issue. Default: all."},
    "direction": {"enum": ["dependents", "dependencies"], "description": "From an issue to what waits for it, or to what it waits for. Default: dependents."},
    "graphScope": {"enum": ["active", "full"], "description": "Whether closed issues are shown too (full). Default: active."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000, "description": "The most issues to show. Default: 500."},
    "offset": {"type": "integer", "minimum": 0, "maximum": 1000000, "description": "How many lines to skip, to go on where an answer ended. Default: 0."}
  },
  "additionalProperties": false
}"#;

/// Every tool that looks, by name.
pub(in crate::agent_tools) const DEFINITIONS: &[Definition] = &[
    Definition {
        action: "dep.diagnostics",
        scope: DEPS_READ,
        description: "Finds issues that wait for each other in a circle, and dependencies on issues that do not exist.",
        returns: r#"a table {"ok", "cycles": list(list(id)), "unknown": list({"issueId", "dependsOnId", "type"}), "counts", "hasMore"}"#,
        schema: CHECK,
        examples: &["{}", r#"{"graphScope": "full", "limit": 20, "offset": 20}"#],
        is_deferred: true,
        names: None,
        limit: Some(500),
        rendering: Rendering::Report(diagnostics),
    },
    Definition {
        action: "dep.project",
        scope: DEPS_READ,
        description: "Shows the graph of dependencies between issues: the issues, one a line, and then each dependency \
                      as `dependent -> dependency (type)`.",
        returns: r#"a table {"nodes": list({"id", "title", "status", "issueType", "priority", "ready"}), "edges": list({"issueId", "dependsOnId", "type", "blocking"}), "count", "total"}"#,
        schema: PROJECT,
        examples: &[
            r#"{"root": "bd-12"}"#,
            r#"{"root": "bd-12", "direction": "dependencies", "graphScope": "full", "limit": 100, "offset": 50}"#,
        ],
        is_deferred: true,
        names: Some("root"),
        limit: Some(500),
        rendering: Rendering::Report(projection),
    },
    Definition {
        action: "issue.blocked",
        scope: ISSUES_READ,
        description: "Lists issues that cannot be worked on, and why.",
        returns: r#"a table {"items": list({"id", "title", "status", "priority", "issueType", …, "blockers": list({"id", "status", "type", "why"})}), "count", "hasMore"}"#,
        schema: BLOCKED,
        examples: &["{}", r#"{"limit": 20, "offset": 20}"#],
        is_deferred: true,
        names: None,
        limit: Some(50),
        rendering: Rendering::Listing(blocked),
    },
    Definition {
        action: "issue.check",
        scope: ISSUES_READ,
        description: "Checks all of issue memory: lines that cannot be read, issues that do not say when they are done, \
                      dependencies that lead nowhere.",
        returns: r#"a table {"ok", "checked", "errorCount", "warningCount", "problems": list({"class", "severity", "detail", "hint"}), "hasMore"}"#,
        schema: CHECK,
        examples: &["{}", r#"{"graphScope": "active", "limit": 100, "offset": 40}"#],
        is_deferred: true,
        names: None,
        limit: Some(500),
        rendering: Rendering::Report(problems),
    },
    Definition {
        action: "issue.list",
        scope: ISSUES_READ,
        description: "Lists issues, one a line: id, status, priority, type, title. issue_show shows all of one.",
        returns: r#"a table {"items": list({"id", "title", "status", "priority", "issueType", "assignee"?, "labels"?, "description"?, …}), "count", "hasMore"}"#,
        schema: LIST,
        examples: &[
            r#"{"status": ["open", "in_progress"]}"#,
            r#"{"type": ["bug"], "priority": [0, 1], "label": ["parser"], "limit": 20, "offset": 20}"#,
            r#"{"assignee": "jo"}"#,
        ],
        is_deferred: false,
        names: None,
        limit: Some(50),
        rendering: Rendering::Listing(listing),
    },
    Definition {
        action: "issue.ready",
        scope: ISSUES_READ,
        description: "Lists issues that can be worked on now, the next one first, one a line: id, status, priority, \
                      type, title.",
        returns: r#"a table {"items": list({"id", "title", "status", "priority", "issueType", "assignee"?, "labels"?, "description"?, …}), "count", "hasMore"}"#,
        schema: LIST,
        examples: &["{}", r#"{"type": ["bug", "feature"], "limit": 5}"#],
        is_deferred: false,
        names: None,
        limit: Some(50),
        rendering: Rendering::Listing(listing),
    },
    Definition {
        action: "issue.show",
        scope: ISSUES_READ,
        description: "Shows all of one issue: every text, what it depends on, what depends on it, what holds it back, \
                      and who holds its lease.",
        returns: r#"a table {"issue": {"id", "title", "status", "priority", "issueType", "description"?, "notes"?, …}, "dependsOn": list({"id", "title", "status", "type"}), "dependents", "blockers", "ready", "leaseState"}"#,
        schema: SHOW,
        examples: &[r#"{"id": "bd-12"}"#, r#"{"id": "bd-12", "offset": 8192}"#],
        is_deferred: false,
        names: Some("id"),
        limit: None,
        rendering: Rendering::Document,
    },
];
