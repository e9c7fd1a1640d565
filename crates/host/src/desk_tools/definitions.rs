//! The tools over the desk, as data, in the order in which they are offered. Nothing else.

use premath_tusk::tools::Risk;

use super::ask::{self, Asking};
use super::look::{self, Looking};

const READ: &str = "desk:read";
const WRITE: &str = "desk:write";
const CREATE: &str = "desk:create";
const DELETE: &str = "desk:delete";

const LIST: &str = r#"{
  "type": "object",
  "properties": {
    "file_type": {"enum": ["spreadsheet", "markdown", "all"], "description": "Only files of this type. Default: all."},
    "cursor": {"type": "string", "minLength": 1, "maxLength": 64, "description": "Where to go on: the nextCursor of the answer before. Default: the beginning."}
  },
  "additionalProperties": false
}"#;

const READ_FILE: &str = r#"{
  "type": "object",
  "properties": {
    "file_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The file, such as fil_0123456789ab."},
    "offset": {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991, "description": "The byte of the content to begin at: the nextOffset of the answer before. Negative counts from the end: -500 is the last 500 bytes. Default: 0."},
    "length": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "The most bytes. Default: as many as fit."},
    "range": {"type": "string", "pattern": "^[A-Z]{1,3}[1-9][0-9]{0,6}(:[A-Z]{1,3}[1-9][0-9]{0,6})?$", "description": "Of a spreadsheet, only these cells, such as A1:C20. Default: all."}
  },
  "required": ["file_id"],
  "additionalProperties": false
}"#;

const NOTHING: &str = r#"{"type": "object", "properties": {}, "additionalProperties": false}"#;

const SEARCH: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S", "description": "Words of the name or the content."}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;

const UPDATE_CELLS: &str = r#"{
  "type": "object",
  "properties": {
    "file_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The spreadsheet, such as fil_0123456789ab."},
    "version": {"type": "integer", "minimum": 1, "maximum": 9007199254740991, "description": "The version that you read."},
    "updates": {"type": "array", "minItems": 1, "maxItems": 1000, "description": "The values to set. Formulas and formats stay.", "items": {
      "type": "object",
      "properties": {
        "cell": {"type": "string", "pattern": "^[A-Z]{1,3}[1-9][0-9]{0,6}$", "description": "Where, such as B12."},
        "value": {"type": ["string", "number", "boolean", "null"], "maxLength": 50000, "description": "The value; null empties the cell."}
      },
      "required": ["cell", "value"],
      "additionalProperties": false
    }}
  },
  "required": ["file_id", "version", "updates"],
  "additionalProperties": false
}"#;

const RENAME: &str = r#"{
  "type": "object",
  "properties": {
    "file_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The file, such as fil_0123456789ab."},
    "name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S", "description": "What to call it."}
  },
  "required": ["file_id", "name"],
  "additionalProperties": false
}"#;

const UPDATE_MARKDOWN: &str = r#"{
  "type": "object",
  "properties": {
    "file_id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The text, such as fil_0123456789ab."},
    "version": {"type": "integer", "minimum": 1, "maximum": 9007199254740991, "description": "The version that you read."},
    "content": {"type": "string", "maxLength": 50000, "description": "The whole text in the place of what is there. Give this or patch, not both."},
    "patch": {"type": "array", "minItems": 1, "maxItems": 100, "description": "Passages to replace, one after the other. Give this or content, not both.", "items": {
      "type": "object",
      "properties": {
        "old": {"type": "string", "minLength": 1, "maxLength": 50000, "description": "A passage as it stands there, word for word; long enough to be there only once."},
        "new": {"type": "string", "maxLength": 50000, "description": "What takes its place."}
      },
      "required": ["old", "new"],
      "additionalProperties": false
    }}
  },
  "required": ["file_id", "version"],
  "additionalProperties": false
}"#;

const CREATE_SPREADSHEET: &str = r#"{
  "type": "object",
  "properties": {
    "name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S", "description": "What to call it."},
    "cells": {"type": "object", "maxProperties": 10000, "description": "The cells by place, such as {\"A1\": {\"value\": \"Total\"}}.", "propertyNames": {"pattern": "^[A-Z]{1,3}[1-9][0-9]{0,6}$"}, "additionalProperties": {
      "type": "object",
      "properties": {
        "value": {"type": ["string", "number", "boolean", "null"], "maxLength": 50000, "description": "The value."},
        "formula": {"type": "string", "maxLength": 8192, "description": "A formula, such as =SUM(A1:A9). It is kept, not calculated."},
        "format": {"type": "string", "maxLength": 256, "description": "How the value is shown, such as 0.00."}
      },
      "additionalProperties": false
    }}
  },
  "required": ["name", "cells"],
  "additionalProperties": false
}"#;

const CREATE_MARKDOWN: &str = r#"{
  "type": "object",
  "properties": {
    "name": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "\\S", "description": "What to call it, such as notes.md."},
    "content": {"type": "string", "maxLength": 50000, "description": "The text."}
  },
  "required": ["name", "content"],
  "additionalProperties": false
}"#;

const DELETE_FILE: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The file, such as fil_0123456789ab."}
  },
  "required": ["id"],
  "additionalProperties": false
}"#;

const DELETE_FOLDER: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The folder, such as fol_0123456789ab."}
  },
  "required": ["id"],
  "additionalProperties": false
}"#;

/// The schema of a plan.
pub(super) const PROPOSE: &str = r#"{
  "type": "object",
  "properties": {
    "goal": {"type": "string", "minLength": 1, "maxLength": 2000, "pattern": "\\S", "description": "What the plan is for, for the person who decides."},
    "steps": {"type": "array", "minItems": 1, "maxItems": 50, "description": "The calls, in the order in which they are to be made, with all their arguments.", "items": {
      "type": "object",
      "properties": {
        "tool": {"type": "string", "minLength": 1, "maxLength": 64, "description": "The name of a tool that you have and that asks for a change of the workspace or of issues. What acts at once, such as shell or apply_patch, is no step."},
        "args": {"type": "object", "description": "The arguments of that tool, complete: what is shown to the person is what runs."},
        "rationale": {"type": "string", "minLength": 1, "maxLength": 1000, "description": "Why this step."}
      },
      "required": ["tool", "args", "rationale"],
      "additionalProperties": false
    }},
    "rollback": {"type": "string", "minLength": 1, "maxLength": 2000, "description": "How it would be taken back."}
  },
  "required": ["goal", "steps", "rollback"],
  "additionalProperties": false
}"#;

/// The tools that look.
pub(super) const LOOKING: &[Looking] = &[
    Looking {
        name: "desk_list_files",
        scope: READ,
        description: "Lists the files of the workspace, a page at a time, in the order in which they were made. While there \
                      is a nextCursor there are more.",
        returns: r#"a table {"files": list({"id", "name", "type", "updatedAt"}), "nextCursor": string or 'null, "total"}"#,
        schema: LIST,
        examples: &[r#"{"file_type": "markdown"}"#, r#"{"cursor": "fil_0123456789ab"}"#],
        look: look::list,
    },
    Looking {
        name: "desk_read_file",
        scope: READ,
        description: "Reads a file of the workspace: what it is, and its content from an offset on. While there is a \
                      nextOffset there is more. The version is what a change of the file asks for.",
        returns: r#"a table {"file": {"id", "name", "type", "version", …}, "content": string, "nextOffset": integer or 'null}"#,
        schema: READ_FILE,
        examples: &[
            r#"{"file_id": "fil_0123456789ab"}"#,
            r#"{"file_id": "fil_0123456789ab", "offset": -500}"#,
            r#"{"file_id": "fil_0123456789ab", "range": "A1:C20"}"#,
        ],
        look: look::read,
    },
    Looking {
        name: "desk_file_tree",
        scope: READ,
        description: "Shows folders and files of the workspace as a tree. The number behind a name is its key in `ids`.",
        returns: r#"a table {"tree": string, "ids": {number: id}}"#,
        schema: NOTHING,
        examples: &["{}"],
        look: look::tree,
    },
    Looking {
        name: "desk_search_files",
        scope: READ,
        description: "Searches names and contents of the files of the workspace; best first, with the passage found.",
        returns: r#"a table {"matches": list({"id", "name", "type", "snippet"})}"#,
        schema: SEARCH,
        examples: &[r#"{"query": "quarterly budget"}"#],
        look: look::search,
    },
    Looking {
        name: "desk_get_open_panels",
        scope: READ,
        description: "Says which files the person has open, and which of them they are looking at.",
        returns: r#"a table {"panels": list({"panelId", "fileId", "fileType", "label", "focused", "pinned"})}"#,
        schema: NOTHING,
        examples: &["{}"],
        look: look::panels,
    },
];

/// The tools that ask.
pub(super) const ASKING: &[Asking] = &[
    Asking {
        name: "desk_update_cells",
        scope: WRITE,
        risk: Risk::Write,
        description: "Asks for other values in cells of a spreadsheet. Formulas and formats stay.",
        schema: UPDATE_CELLS,
        examples: &[
            r#"{"file_id": "fil_0123456789ab", "version": 3, "updates": [{"cell": "B2", "value": 41.5}, {"cell": "B3", "value": null}]}"#,
        ],
        plan: ask::update_cells,
    },
    Asking {
        name: "desk_rename_file",
        scope: WRITE,
        risk: Risk::Write,
        description: "Asks for another name of a file.",
        schema: RENAME,
        examples: &[r#"{"file_id": "fil_0123456789ab", "name": "minutes.md"}"#],
        plan: ask::rename,
    },
    Asking {
        name: "desk_update_markdown",
        scope: WRITE,
        risk: Risk::Write,
        description: "Asks for another text in a markdown file: all of it, or passages of it.",
        schema: UPDATE_MARKDOWN,
        examples: &[
            r#"{"file_id": "fil_0123456789ab", "version": 3, "content": "All of the text.\n"}"#,
            r#"{"file_id": "fil_0123456789ab", "version": 3, "patch": [{"old": "due on Monday", "new": "due on Friday"}]}"#,
        ],
        plan: ask::update_markdown,
    },
    Asking {
        name: "desk_create_spreadsheet",
        scope: CREATE,
        risk: Risk::Create,
        description: "Asks for a new spreadsheet.",
        schema: CREATE_SPREADSHEET,
        examples: &[
            r#"{"name": "budget", "cells": {"A1": {"value": "Rent"}, "B1": {"value": 900, "format": "0.00"}, "B2": {"value": null, "formula": "=SUM(B1:B1)"}}}"#,
        ],
        plan: ask::create_spreadsheet,
    },
    Asking {
        name: "desk_create_markdown",
        scope: CREATE,
        risk: Risk::Create,
        description: "Asks for a new markdown file.",
        schema: CREATE_MARKDOWN,
        examples: &[r##"{"name": "notes.md", "content": "# Notes\n"}"##],
        plan: ask::create_markdown,
    },
    Asking {
        name: "desk_delete_file",
        scope: DELETE,
        risk: Risk::Destructive,
        description: "Asks for a file to be deleted. A person confirms it, and can restore it at any time.",
        schema: DELETE_FILE,
        examples: &[r#"{"id": "fil_0123456789ab"}"#],
        plan: ask::delete_file,
    },
    Asking {
        name: "desk_delete_folder",
        scope: DELETE,
        risk: Risk::Destructive,
        description: "Asks for a folder to be deleted with everything in it. A person confirms it, and can restore it at any \
                      time.",
        schema: DELETE_FOLDER,
        examples: &[r#"{"id": "fol_0123456789ab"}"#],
        plan: ask::delete_folder,
    },
];
