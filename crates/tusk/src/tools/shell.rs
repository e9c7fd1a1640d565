//! `shell`: a command line, run by `sh -c` inside the sandbox.
//!
//! A command string and not a list of arguments, because that is what models write; the walls are the sandbox's, not the
//! quoting's. It must not run where the workdir was not named, nor in a protected folder, whose own walls would be missing.

mod row;

use self::row::timeout;
use super::Tool;
use super::arguments::Arguments;
use super::clip::{decoded, head, length, tail};
use super::context::ToolContext;
use super::files::EntryKind;
use super::outcome::{Aftermath, Extent, ToolFailure, ToolOutput};
use super::protected::{ChangeRule, ProtectedPaths};
use super::spec::{Risk, SpecError, ToolKind, ToolSpec};
use super::work_path::{WorkPath, ask_for};
use crate::evidence::ShellRow;
use crate::sandbox::{
    CapturedOutput, Ending, ExecutionLimits, SandboxCommand, SandboxError, SandboxRun, StateAccess,
};

const SHELL: &str = "/bin/sh";

const SCHEMA: &str = r#"{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "The command line, for sh."},
    "workdir": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The folder to run in, relative to the workdir of the run; `.` is that itself. The command can write nothing above it."},
    "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 3600, "description": "After this it is killed. Default and maximum: what the run allows."}
  },
  "required": ["command", "workdir"],
  "additionalProperties": false
}"#;

const EXAMPLES: [&str; 2] = [
    r#"{"command": "cargo test --quiet 2>&1 | tail -n 40", "workdir": ".", "timeout_seconds": 300}"#,
    r#"{"command": "git log --oneline -n 5", "workdir": "crates/kernel"}"#,
];

/// Runs a command.
#[derive(Debug)]
pub struct Shell {
    spec: ToolSpec,
}

impl Shell {
    /// The tool.
    ///
    /// # Errors
    /// Never, as long as its definition is well formed.
    pub fn new() -> Result<Self, SpecError> {
        let description = "Runs a command line with sh, in a sandbox. A code other than 0 is an answer, not an error. \
                           Of long output the middle is left out: write it to a file and read that with fs_read.";
        let mut spec = ToolSpec::new("shell", "process:run", description, SCHEMA, &EXAMPLES)?;
        spec.kind = ToolKind::Effect;
        spec.risk = Risk::Destructive;
        spec.idempotent = false;
        Ok(Self { spec })
    }
}

impl Tool for Shell {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn call(&self, arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        let row =
            ShellRow::of(arguments.value(), context.workdir, context.profile.as_str(), context.limits.wall);
        match run(arguments, context) {
            Ok(output) => Ok(ToolOutput { shell_row: Some(row), ..output }),
            Err(mut failure) => {
                failure.aftermath.get_or_insert_default().shell_row = Some(row);
                Err(failure)
            }
        }
    }
}

fn run(arguments: &Arguments, context: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
    context.go_on()?;
    let command = command(arguments, context)?;
    let limits = command.limits;
    let run = context.sandbox.run(&command, context.interrupt).map_err(refused)?;
    let blocked = blocked_paths(&run);
    let mut output = answer(run, limits, context.capture)?;
    for name in blocked {
        output.note = format!("{}; {}", output.note, ask_for(name));
    }
    Ok(output)
}

/// What programs say about a file that the sandbox holds.
const REFUSALS: [&str; 6] = [
    "read-only file system",
    "permission denied",
    "device or resource busy",
    "file exists",
    "is a directory",
    "not a directory",
];

/// Protected paths that the command says it could not change.
fn blocked_paths(run: &SandboxRun) -> Vec<&'static str> {
    let text =
        [&run.stderr.head, &run.stderr.tail, &run.stdout.tail].map(|bytes| String::from_utf8_lossy(bytes));
    let refused: Vec<&str> = text
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| REFUSALS.iter().any(|refusal| line.to_ascii_lowercase().contains(refusal)))
        .collect();
    let names = |line: &str, path: &str| {
        let is_edge =
            |end: Option<char>| end.is_none_or(|end| !(end.is_alphanumeric() || "-_.".contains(end)));
        line.match_indices(path).any(|(at, _)| {
            let (before, after) =
                (line.get(..at).unwrap_or_default(), line.get(at + path.len()..).unwrap_or_default());
            is_edge(before.chars().next_back()) && is_edge(after.chars().next().filter(|next| *next != '.'))
        })
    };
    let standard = ProtectedPaths::names().iter().filter(|name| name.rule == ChangeRule::Ask);
    standard.map(|name| name.path).filter(|path| refused.iter().any(|line| names(line, path))).collect()
}

fn command(arguments: &Arguments, context: &ToolContext<'_>) -> Result<SandboxCommand, ToolFailure> {
    let workdir = WorkPath::read(arguments.required_text("workdir")?, context.workdir)?;
    workdir.refuse_protected(context)?;
    // The sandbox holds protected paths below its own workdir only by the names they have from the top.
    if let Some(inner) = context.protected.first_below(&workdir) {
        let message = format!("`{workdir}` holds the protected path `{inner}`: run the command in `.`");
        return Err(ToolFailure::new("path.protected", message));
    }
    let entry = context.files.metadata(workdir.as_str())?;
    if entry.kind != EntryKind::Folder {
        return Err(ToolFailure::new("file.wrong_kind", format!("`{workdir}` is not a folder")));
    }
    let mut limits = context.limits;
    let seconds = arguments.value().get("timeout_seconds").and_then(serde_json::Value::as_f64);
    limits.wall = timeout(seconds, limits.wall);
    let here = if workdir.is_root() {
        context.workdir.to_path_buf()
    } else {
        context.workdir.join(workdir.as_str())
    };
    Ok(SandboxCommand {
        program: SHELL.to_owned(),
        arguments: vec!["-c".to_owned(), arguments.required_text("command")?.to_owned()],
        workdir: here,
        profile: context.profile,
        environment: Vec::new(),
        stdin: Vec::new(),
        limits,
        state: StateAccess::Files(context.readable_state.to_vec()),
    })
}

fn refused(error: SandboxError) -> ToolFailure {
    let message = error.to_string();
    match error {
        SandboxError::LayerUnavailable { .. } | SandboxError::NoSandbox => {
            ToolFailure::new("shell.sandbox_unavailable", message)
        }
        SandboxError::Workdir { .. } => ToolFailure::new("shell.workdir", message),
        SandboxError::Program { .. } | SandboxError::Invalid { .. } => {
            ToolFailure::new("shell.not_started", message)
        }
        SandboxError::System { source, .. } => {
            ToolFailure::new("shell.system", format!("{message}: {source}")).retryable()
        }
    }
}

fn answer(run: SandboxRun, limits: ExecutionLimits, capture: usize) -> Result<ToolOutput, ToolFailure> {
    let shown = Shown::of(&run, capture);
    let failed = |code, message: String, shown: Shown, evidence| {
        let aftermath = Aftermath { content: shown.text, shell: Some(evidence), ..Aftermath::default() };
        Err(ToolFailure::new(code, message).with_aftermath(aftermath))
    };
    let (exit_code, ending) = match run.ending {
        Ending::Exited(code) => (Some(code), format!("exit code {code}")),
        Ending::Signalled(signal) => (None, format!("killed by signal {signal}")),
        Ending::TimedOut => {
            let seconds = limits.wall.as_secs_f64();
            let message = format!("the command was killed after {seconds} seconds");
            return failed("shell.timed_out", message, shown, run.evidence);
        }
        Ending::Interrupted => {
            let message = "the command was killed because the run was interrupted".to_owned();
            return failed("interrupted", message, shown, run.evidence);
        }
        Ending::DiskLimit => {
            let message = format!("the command was killed: it took more than {} bytes of disk", limits.disk);
            return failed("shell.disk_limit", message, shown, run.evidence);
        }
    };
    let mut notes = vec![ending];
    if shown.text.is_empty() {
        notes.push("no output".to_owned());
    }
    if shown.extent.is_cut {
        let (kept, total) = (shown.extent.shown_bytes, shown.extent.total_bytes);
        notes.push(format!(
            "{kept} of {total} bytes of output were kept; to see all, write it to a file and use fs_read"
        ));
    }
    if shown.extent.replaced_bytes > 0 {
        notes.push(format!("{} bytes are not UTF-8 and are shown as U+FFFD", shown.extent.replaced_bytes));
    }
    Ok(ToolOutput {
        content: shown.text,
        note: notes.join("; "),
        extent: shown.extent,
        exit_code,
        shell: Some(Box::new(run.evidence)),
        ..ToolOutput::default()
    })
}

/// What is shown of both outputs.
struct Shown {
    text: String,
    extent: Extent,
}

impl Shown {
    /// The shorter output is kept as far as half of the budget goes; the longer gets what is left.
    fn of(run: &SandboxRun, budget: usize) -> Self {
        const STDERR: &str = "--- stderr ---\n";
        let has_errors = run.stderr.total_bytes > 0;
        let budget = budget.saturating_sub(if has_errors { STDERR.len() + 1 } else { 0 });
        let (first, second) = (Stream::of(&run.stdout), Stream::of(&run.stderr));
        let half = budget / 2;
        let (first_room, second_room) = match (first.size() <= half, second.size() <= half) {
            (true, _) => (first.size(), budget - first.size()),
            (false, true) => (budget - second.size(), second.size()),
            (false, false) => (half, half),
        };
        let (mut text, mut kept, mut is_cut) = first.fitted(first_room);
        if has_errors {
            let (errors, kept_errors, errors_cut) = second.fitted(second_room);
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(STDERR);
            text.push_str(&errors);
            kept += kept_errors;
            is_cut |= errors_cut;
        }
        let extent = Extent {
            total_bytes: run.stdout.total_bytes.saturating_add(run.stderr.total_bytes),
            shown_bytes: kept,
            replaced_bytes: first.replaced + second.replaced,
            is_cut,
        };
        Self { text, extent }
    }
}

/// One output as text.
struct Stream {
    head: String,
    tail: String,
    cut: u64,
    replaced: u64,
}

/// Room for a marker with any number in it.
const MARKER: usize = 64;

impl Stream {
    fn of(output: &CapturedOutput) -> Self {
        let ((head, replaced_head), (tail, replaced_tail)) = (decoded(&output.head), decoded(&output.tail));
        Self { head, tail, cut: output.cut_bytes(), replaced: replaced_head + replaced_tail }
    }

    fn size(&self) -> usize {
        self.head.len() + self.tail.len() + if self.cut > 0 { MARKER } else { 0 }
    }

    /// The text, how many bytes of output it shows, and whether any are missing.
    fn fitted(&self, room: usize) -> (String, u64, bool) {
        if self.size() <= room && self.cut == 0 {
            let text = format!("{}{}", self.head, self.tail);
            let kept = length(text.len());
            return (text, kept, false);
        }
        // What is kept of the beginning and of the end; when nothing was captured apart, both come from one text.
        let whole = format!("{}{}", self.head, self.tail);
        let room = room.saturating_sub(MARKER);
        let (begin, end) = if self.cut > 0 {
            let begin = head(&self.head, (room / 2).max(room.saturating_sub(self.tail.len())));
            (begin, tail(&self.tail, room.saturating_sub(begin.len())))
        } else {
            (head(&whole, room / 2), tail(&whole, room / 2))
        };
        let kept = length(begin.len() + end.len());
        let cut = self.cut + length(whole.len()).saturating_sub(kept);
        (format!("{begin}\n[… {cut} bytes left out …]\n{end}"), kept, true)
    }
}
