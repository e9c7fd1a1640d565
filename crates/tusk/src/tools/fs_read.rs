//! `fs_read`: a piece of a text file, by lines or by bytes, from either end.
//!
//! Text comes as it is in the file, without line numbers unless they are asked for: what is shown can be copied into a
//! patch. It must not read more of a file than it takes to find the piece.

mod window;

use std::io::{Seek as _, SeekFrom};

use premath_kernel::{Access, Digest};

use self::window::{Piece, Reader};
use super::arguments::Arguments;
use super::clip::{LOOK_BACK, decoded, fitting, length, room, whole_piece};
use super::context::ToolContext;
use super::files::FileError;
use super::outcome::{Extent, ToolArtifact, ToolFailure, ToolOutput};
use super::spec::{SpecError, ToolSpec};
use super::work_path::{WorkPath, shown};
use super::{Tool, closest};
use crate::policy::Target;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The file, relative to the workdir."},
    "unit": {"enum": ["lines", "bytes"], "description": "What offset and limit count. Default: lines."},
    "offset": {"type": "integer", "minimum": -9007199254740991, "maximum": 9007199254740991, "description": "Where to begin: the number of the first line (from 1), or the first byte (from 0). Negative counts from the end: -1 is the last line. Default: the beginning."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 10000000, "description": "The most lines or bytes to read. Default: as much as fits."},
    "line_numbers": {"type": "boolean", "description": "Put its number and a tab before each line. Leave it out when the text is to be patched. Default: false."}
  },
  "required": ["path"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 4] = [
    r#"{"path": "src/main.rs"}"#,
    r#"{"path": "src/main.rs", "offset": 120, "limit": 60, "line_numbers": true}"#,
    r#"{"path": "build.log", "offset": -20}"#,
    r#"{"path": "data/one_long_line.json", "unit": "bytes", "offset": 65536, "limit": 4096}"#,
];

/// Reads a piece of a file.
#[derive(Debug)]
pub struct FsRead {
    spec: ToolSpec,
}

impl FsRead {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Reads a text file, or a piece of it, by lines or bytes. A negative offset counts from the \
                           end. When there is more than fits, the answer says how to read on.";
        Ok(Self { spec: ToolSpec::new("fs_read", "files:read", description, SCHEMA, &EXAMPLES)? })
    }
}

impl Tool for FsRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn targets(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<Vec<Target>, ToolFailure> {
        let named = arguments.required_text("path")?;
        let path = WorkPath::read(named, context.workdir);
        Ok(vec![Target::file(path.as_ref().map_or(named, WorkPath::as_str))])
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let path = WorkPath::read(arguments.required_text("path")?, context.workdir)?;
        let mut file = match context.files.open(path.as_str()) {
            Ok(file) => file,
            Err(error) => return Err(with_neighbours(error, &path, context)),
        };
        // Policy has seen this name, not the one that a link leads to.
        path.refuse_links(context.files)?;
        let total = file.seek(SeekFrom::End(0)).map_err(|source| system(&path, source))?;
        let mut reader = Reader { file, path: &path, total, context };
        let limit = arguments.count("limit").unwrap_or(u64::MAX);
        let offset = arguments.integer("offset");
        let piece = match arguments.text("unit") {
            Some("bytes") => bytes_piece(&mut reader, offset.unwrap_or(0), limit)?,
            Some(_) | None => reader.lines(offset.unwrap_or(1), limit, arguments.flag("line_numbers"))?,
        };
        Ok(output(&path, total, piece))
    }
}

fn bytes_piece(reader: &mut Reader<'_>, offset: i64, limit: u64) -> Result<Piece, ToolFailure> {
    let start =
        if offset < 0 { reader.total.saturating_sub(offset.unsigned_abs()) } else { offset.unsigned_abs() };
    if start > reader.total {
        return Err(beyond(reader.path, &format!("it has {} bytes", reader.total)));
    }
    let wanted = limit.min(reader.total - start);
    let budget = reader.context.budget;
    let bytes = reader.range(start, room(wanted).min(budget))?;
    let bytes = fitting(&bytes, budget);
    refuse_binary(reader.path, bytes, reader.total)?;
    let before = reader.range(start.saturating_sub(LOOK_BACK), room(start.min(LOOK_BACK)))?;
    let (stray, shown) = whole_piece(&before, bytes);
    let end = start + length(stray + shown.len());
    let (text, replaced) = decoded(shown);
    let is_whole = start == 0 && end == reader.total;
    Ok(Piece {
        text,
        replaced,
        start: start + length(stray),
        end,
        digest: is_whole.then(|| Digest::of_bytes(shown)),
        lines: None,
        next: (end < reader.total).then(|| serde_json::json!({"unit": "bytes", "offset": end})),
        is_cut: end < start + wanted,
    })
}

fn output(path: &WorkPath, total: u64, piece: Piece) -> ToolOutput {
    let mut notes = Vec::new();
    if total == 0 {
        notes.push("the file is empty".to_owned());
    }
    if let Some((first, last)) = piece.lines {
        notes.push(format!("lines {first} to {last}"));
    }
    if piece.start > 0 || piece.end < total {
        notes.push(format!("bytes {} to {} of {total}", piece.start, piece.end));
    }
    if piece.replaced > 0 {
        notes.push(format!("{} bytes are not UTF-8 and are shown as U+FFFD", piece.replaced));
    }
    if let Some(mut next) = piece.next {
        if let Some(members) = next.as_object_mut() {
            members.insert("path".to_owned(), path.as_str().into());
        }
        notes.push(format!("read on with fs_read {next}"));
    }
    ToolOutput {
        content: piece.text,
        note: notes.join("; "),
        extent: Extent {
            total_bytes: total,
            shown_bytes: piece.end.saturating_sub(piece.start),
            replaced_bytes: piece.replaced,
            is_cut: piece.is_cut,
        },
        artifacts: vec![ToolArtifact::touched(path.as_str().to_owned(), piece.digest, Access::Read)],
        ..ToolOutput::default()
    }
}

/// A file that is not there, with the names beside it that are like its own.
pub(super) fn with_neighbours(error: FileError, path: &WorkPath, context: &ToolContext<'_>) -> ToolFailure {
    let is_missing = matches!(error, FileError::Missing { .. });
    let failure = ToolFailure::from(error);
    if !is_missing {
        return failure;
    }
    let (folder, name) = path.as_str().rsplit_once('/').unwrap_or((".", path.as_str()));
    let Ok(entries) = context.files.list(folder) else {
        return failure;
    };
    let near = closest::closest(name, entries.iter().map(|entry| entry.name.as_str()));
    let joined = near.into_iter().map(|name| if folder == "." { name } else { format!("{folder}/{name}") });
    failure.with_closest(joined.map(|path| shown(&path)).collect())
}

fn refuse_binary(path: &WorkPath, bytes: &[u8], total: u64) -> Result<(), ToolFailure> {
    if memchr::memchr(0, bytes).is_none() {
        return Ok(());
    }
    let message = format!("`{path}` is not text: it holds NUL bytes ({total} bytes in all)");
    Err(ToolFailure::new("file.binary", message))
}

fn beyond(path: &WorkPath, what: &str) -> ToolFailure {
    ToolFailure::new("file.range", format!("`{path}` ends before the offset: {what}"))
}

fn system(path: &WorkPath, source: std::io::Error) -> ToolFailure {
    FileError::System { path: path.as_str().to_owned(), source }.into()
}
