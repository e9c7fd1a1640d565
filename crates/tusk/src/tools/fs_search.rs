//! `fs_search`: lines that match a pattern, in a file or in the files below a folder.
//!
//! Patterns are matched in time linear in the text (the `regex` crate); nobody's pattern can hang a run. Files are read as
//! streams, within limits, and what was not searched is said.

mod matches;

use globset::GlobMatcher;
use regex::bytes::{Regex, RegexBuilder};

use self::matches::{FileEnd, Found};
use super::Tool;
use super::arguments::Arguments;
use super::clip::{Clipped, length};
use super::context::ToolContext;
use super::files::EntryKind;
use super::fs_read::with_neighbours;
use super::outcome::{Extent, ToolFailure, ToolOutput};
use super::secret_names::names_a_secret;
use super::spec::{SpecError, ToolSpec};
use super::walk::{Met, Selection, Step, Unseen, glob, walk};
use super::work_path::{WorkPath, shown};

/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 4 << 20;
/// The most bytes that one search reads.
const MOST_BYTES: u64 = 1 << 30;
const MATCHES: u64 = 200;
const MATCHES_PER_FILE: u64 = 50;

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "pattern": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "A regular expression (no look-around, no back-references), matched within single lines; or plain text, see literal."},
    "literal": {"type": "boolean", "description": "Take the pattern as plain text. Default: false."},
    "ignore_case": {"type": "boolean", "description": "Default: false."},
    "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "A file, or the folder to search. Default: the workdir."},
    "glob": {"type": "string", "minLength": 1, "maxLength": 1024, "description": "Only files like this, such as *.rs or src/**/*.toml, relative to the workdir; a glob without a slash is about the name alone."},
    "context": {"type": "integer", "minimum": 0, "maximum": 20, "description": "How many lines to show around each match. Default: 0."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 5000, "description": "The most matches in all. Default: 200."},
    "per_file": {"type": "integer", "minimum": 1, "maximum": 5000, "description": "The most matches in one file. Default: 50."},
    "all": {"type": "boolean", "description": "Also search .git and what .gitignore names. Default: false."}
  },
  "required": ["pattern"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 3] = [
    r#"{"pattern": "fn \\w+_digest", "path": "src", "glob": "*.rs"}"#,
    r#"{"pattern": "a[0] += 1;", "literal": true, "context": 2}"#,
    r#"{"pattern": "todo|fixme", "ignore_case": true, "limit": 20, "per_file": 3, "all": false}"#,
];

/// Searches files.
#[derive(Debug)]
pub struct FsSearch {
    spec: ToolSpec,
}

impl FsSearch {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Searches the lines of text files. Matches come as `path:line:text`, lines around them as \
                           `path-line-text`, in the order of the paths.";
        Ok(Self { spec: ToolSpec::new("fs_search", "files:read", description, SCHEMA, &EXAMPLES)? })
    }
}

/// One search under way.
struct Search<'s> {
    context: &'s ToolContext<'s>,
    pattern: Regex,
    /// Where it began.
    start: WorkPath,
    glob: Option<GlobMatcher>,
    /// Whether the glob is about secrets by its own words, so that policy saw it.
    glob_names_secrets: bool,
    around: usize,
    limit: u64,
    per_file: u64,
    lines: Clipped,
    tally: Tally,
}

/// What a search met.
#[derive(Default)]
struct Tally {
    matches: u64,
    files: u64,
    searched: u64,
    bytes: u64,
    binary: u64,
    unreadable: u64,
    /// Files whose names say that they hold secrets; nothing of them is read.
    secret: u64,
    /// Files with more matches than are shown of one.
    capped: u64,
}

impl Tool for FsSearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let path = WorkPath::read(arguments.text("path").unwrap_or("."), context.workdir)?;
        let mut search = Search {
            context,
            pattern: pattern(arguments)?,
            start: path.clone(),
            glob_names_secrets: arguments.text("glob").is_some_and(names_a_secret),
            glob: arguments.text("glob").map(file_glob).transpose()?,
            around: arguments.count("context").and_then(|lines| usize::try_from(lines).ok()).unwrap_or(0),
            limit: arguments.count("limit").unwrap_or(MATCHES),
            per_file: arguments.count("per_file").unwrap_or(MATCHES_PER_FILE),
            lines: Clipped::new(context.budget),
            tally: Tally::default(),
        };
        let selection = if arguments.flag("all") { Selection::Everything } else { Selection::Tracked };
        let entry =
            context.files.metadata(path.as_str()).map_err(|error| with_neighbours(error, &path, context))?;
        path.refuse_links(context.files)?;
        let unseen = if entry.kind == EntryKind::File {
            let step = search.file(&path)?;
            Unseen { is_cut: step == Step::Stop, ..Unseen::default() }
        } else {
            walk(context, &path, usize::MAX, selection, &mut |met: &Met| search.meet(met))?
        };
        Ok(search.output(unseen))
    }
}

impl Search<'_> {
    fn meet(&mut self, met: &Met) -> Result<Step, ToolFailure> {
        let is_wanted = self.glob.as_ref().is_none_or(|glob| glob.is_match(met.path.as_str()));
        if met.entry.kind != EntryKind::File || !is_wanted {
            return Ok(Step::GoOn);
        }
        if self.is_secret(&met.path) {
            self.tally.secret += 1;
            return Ok(Step::GoOn);
        }
        self.file(&met.path)
    }

    /// Whether a file that nobody named is called like a secret. What a path or a glob says outright policy has seen.
    fn is_secret(&self, path: &WorkPath) -> bool {
        let below = path.as_str().strip_prefix(self.start.as_str()).filter(|_| !self.start.is_root());
        !self.glob_names_secrets && names_a_secret(below.unwrap_or(path.as_str()))
    }

    fn file(&mut self, path: &WorkPath) -> Result<Step, ToolFailure> {
        self.context.go_on()?;
        let file = match self.context.files.open(path.as_str()) {
            Ok(file) => file,
            // Gone since it was listed, or not ours to read: the others are still to be searched.
            Err(_) => {
                self.tally.unreadable += 1;
                return Ok(Step::GoOn);
            }
        };
        let most = self.per_file.min(self.limit - self.tally.matches);
        let mut found = Found::new(path, &self.pattern, self.around, most, self.context.budget);
        let end = found.search(file, self.context, MOST_BYTES.saturating_sub(self.tally.bytes))?;
        self.tally.bytes += found.bytes;
        match end {
            FileEnd::Reached | FileEnd::Capped | FileEnd::OutOfBytes => {}
            FileEnd::Unreadable => self.tally.unreadable += 1,
            FileEnd::Binary => {
                self.tally.binary += 1;
                return Ok(Step::GoOn);
            }
        }
        self.tally.searched += 1;
        self.tally.matches += found.matches;
        self.tally.files += u64::from(found.matches > 0);
        self.tally.capped += u64::from(end == FileEnd::Capped);
        for line in &found.lines {
            self.lines.push(line);
        }
        self.lines.dropped += found.unkept;
        let is_done = self.tally.matches >= self.limit || end == FileEnd::OutOfBytes;
        Ok(if is_done { Step::Stop } else { Step::GoOn })
    }

    fn output(self, unseen: Unseen) -> ToolOutput {
        let tally = &self.tally;
        let mut notes =
            vec![format!("{} matches in {} of {} files", tally.matches, tally.files, tally.searched)];
        if self.lines.is_cut() {
            notes.push(format!("{} lines did not fit; narrow path, glob or pattern", self.lines.dropped));
        }
        if unseen.is_cut {
            notes.push("the search ended at its limit; narrow it, or raise `limit`".to_owned());
        }
        if tally.capped > 0 {
            notes.push(format!(
                "{} files have more matches than are shown; raise `per_file`, or give the file as `path`",
                tally.capped
            ));
        }
        if tally.binary > 0 {
            notes.push(format!("{} files are not text", tally.binary));
        }
        if tally.unreadable + unseen.unreadable > 0 {
            notes.push(format!("{} could not be read", tally.unreadable + unseen.unreadable));
        }
        if tally.secret > 0 {
            notes.push(format!(
                "{} files were skipped, since their names say that they hold secrets; name one as `path` to search it",
                tally.secret
            ));
        }
        if unseen.ignored > 0 {
            notes.push(format!("{} ignored entries were left out; `all` searches them", unseen.ignored));
        }
        let is_cut = self.lines.is_cut() || unseen.is_cut || tally.capped > 0;
        let (total_bytes, note) = (self.lines.total, notes.join("; "));
        let content = self.lines.into_text();
        let extent = Extent { total_bytes, shown_bytes: length(content.len()), replaced_bytes: 0, is_cut };
        ToolOutput { content, note, extent, ..ToolOutput::default() }
    }
}

fn pattern(arguments: &Arguments) -> Result<Regex, ToolFailure> {
    let given = arguments.required_text("pattern")?;
    let pattern = if arguments.flag("literal") { regex::escape(given) } else { given.to_owned() };
    let built = RegexBuilder::new(&pattern)
        .case_insensitive(arguments.flag("ignore_case"))
        .size_limit(PATTERN_SIZE)
        .build();
    built.map_err(|error| {
        let words = error.to_string();
        let last = words.lines().last().unwrap_or_default().trim();
        let message = format!("the pattern is no regular expression: {}", shown(last));
        ToolFailure::new("search.pattern_invalid", message)
    })
}

/// As people mean it: a glob without a slash is about the name, wherever the file is.
fn file_glob(given: &str) -> Result<GlobMatcher, ToolFailure> {
    let pattern = if given.contains('/') {
        given.trim_start_matches("./").trim_start_matches('/').to_owned()
    } else {
        format!("**/{given}")
    };
    glob(&pattern)
        .ok_or_else(|| ToolFailure::new("search.glob_invalid", format!("`{}` is no glob", shown(given))))
}
