//! `fs_list`: the names in a folder and below, sorted, one a line.

use super::Tool;
use super::arguments::Arguments;
use super::clip::{Clipped, length, room};
use super::context::ToolContext;
use super::files::EntryKind;
use super::outcome::{Extent, ToolFailure, ToolOutput};
use super::spec::{SpecError, ToolSpec};
use super::walk::{Met, Selection, Step, Unseen, walk};
use super::work_path::{WorkPath, shown};

/// The most names that are given back.
const MOST: u64 = 10_000;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The folder, relative to the workdir. Default: the workdir."},
    "depth": {"type": "integer", "minimum": 1, "maximum": 32, "description": "How many folders deep. Default: 1."},
    "all": {"type": "boolean", "description": "Also show .git and what .gitignore names. Default: false."}
  },
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 3] =
    [r#"{"path": "."}"#, r#"{"path": "src", "depth": 3}"#, r#"{"path": "target", "all": true, "depth": 1}"#];

/// Lists a folder.
#[derive(Debug)]
pub struct FsList {
    spec: ToolSpec,
}

impl FsList {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Lists a folder, sorted, one path a line: folders end in `/`, links in `@`, files are \
                           followed by a tab and their size in bytes.";
        Ok(Self { spec: ToolSpec::new("fs_list", "files:read", description, SCHEMA, &EXAMPLES)? })
    }
}

impl Tool for FsList {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let path = WorkPath::read(arguments.text("path").unwrap_or("."), context.workdir)?;
        let depth = room(arguments.count("depth").unwrap_or(1));
        let selection = if arguments.flag("all") { Selection::Everything } else { Selection::Tracked };
        let mut lines = Clipped::new(context.budget);
        let mut count = 0_u64;
        let mut meet = |met: &Met| {
            if count == MOST {
                return Ok(Step::Stop);
            }
            count += 1;
            lines.push(&line(met));
            Ok(Step::GoOn)
        };
        let unseen = walk(context, &path, depth, selection, &mut meet)?;
        let note = note(&lines, count, unseen);
        let (total_bytes, is_cut) = (lines.total, lines.is_cut() || unseen.is_cut);
        let content = lines.into_text();
        let shown_bytes = length(content.len());
        let extent = Extent { total_bytes, shown_bytes, replaced_bytes: 0, is_cut };
        Ok(ToolOutput { content, note, extent, ..ToolOutput::default() })
    }
}

fn line(met: &Met) -> String {
    let path = shown_path(met.path.as_str());
    match met.entry.kind {
        EntryKind::File => format!("{path}\t{}", met.entry.length),
        EntryKind::Folder => format!("{path}/"),
        EntryKind::Link => format!("{path}@"),
        EntryKind::Other => format!("{path}\t(not a file)"),
    }
}

/// A path on one line. Long ones stay whole: they are to be given back.
fn shown_path(path: &str) -> String {
    if path.contains(char::is_control) { path.escape_default().to_string() } else { path.to_owned() }
}

fn note(lines: &Clipped, count: u64, unseen: Unseen) -> String {
    let mut notes = Vec::new();
    if count == 0 {
        notes.push("nothing to show".to_owned());
    }
    if lines.is_cut() {
        let more = lines.dropped;
        notes.push(format!("{more} of {count} entries did not fit; list a folder below, or less deep"));
    }
    if unseen.is_cut {
        notes.push(format!("only the first {count} entries were looked at; list a folder below"));
    }
    if unseen.ignored > 0 {
        let ignored = unseen.ignored;
        notes.push(format!(
            "{ignored} entries that .gitignore names, or .git, are not shown; `all` shows them"
        ));
    }
    if unseen.unreadable > 0 {
        notes.push(format!("{} folders could not be listed", unseen.unreadable));
    }
    shown_note(&notes)
}

fn shown_note(notes: &[String]) -> String {
    notes.iter().map(|note| shown(note)).collect::<Vec<_>>().join("; ")
}
