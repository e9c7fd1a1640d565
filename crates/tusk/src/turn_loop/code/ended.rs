//! What a program came to: the one result that the model is shown, and the row that the kernel is.
//!
//! Value, output and error are other people's words and stand in the payload; what we say about them is the note.

use premath_kernel::{CodeExecution, Digest, Text, Value, encode};
use premath_repl::{Error, ErrorKind, Evaluation};

use super::program::Program;
use crate::evidence::{CallOutcome, CallStatus, Failure, Payload};

/// The longest class that is shown.
const LONGEST_CLASS: usize = 64;
/// So many results that were cut are named.
const MOST_CUT: usize = 4;

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) id: String,
    pub(crate) program: Digest,
    pub(crate) calls: Vec<String>,
    pub(crate) stdout: Digest,
    /// The digest of how it failed. What a program says is kept where policy has looked at it, and nowhere else.
    pub(crate) stderr: Option<Digest>,
    /// `ok`, or the code of its error.
    pub(crate) result: String,
    pub(crate) steps: u64,
    /// About how many tokens a model would have been shown of its calls.
    pub(crate) unfiltered: u64,
    /// How many calls it wanted to make and could not.
    pub(crate) refused: u64,
    /// How many changes it asked for and does not get.
    pub(crate) dropped: u64,
}

impl Ended {
    /// The evidence; none when an id is blank.
    pub(crate) fn row(&self) -> Option<CodeExecution> {
        Some(CodeExecution {
            id: Text::new(&self.id)?,
            program_digest: self.program.clone(),
            tool_call_ids: self.calls.iter().map(|id| Text::new(id)).collect::<Option<_>>()?,
            stdout_digest: Some(self.stdout.clone()),
            stderr_digest: self.stderr.clone(),
            traceback: None,
        })
    }
}

/// What comes of the call whose program has ended.
pub(crate) fn ended(tool_call_id: &str, program: Program, evaluation: Evaluation) -> (CallOutcome, Ended) {
    let Evaluation { result, output, usage } = evaluation;
    let traceback = result.as_ref().err().map(|error| program.pretty(error));
    let code =
        result.as_ref().map_or_else(|error| format!("program.{}", error.kind.code()), |_| "ok".to_owned());
    let status = match &result {
        Ok(_) => CallStatus::Ok,
        Err(error) => CallStatus::Failed(failure(error, &code, program.has_changed)),
    };
    let stderr = traceback.as_ref().map(|text| Digest::of_bytes(text.as_bytes()));
    let said = match (&result, traceback) {
        (Ok(answer), _) => value_text(answer),
        (Err(_), traceback) => traceback.unwrap_or_default(),
    };
    let stdout = Digest::of_bytes(output.as_bytes());
    let mut outcome = CallOutcome::empty(tool_call_id, status);
    outcome.payload = Payload::Inline(shown(said, &output));
    outcome.note = note(&program, usage.steps);
    let ended = Ended {
        id: program.parent,
        program: program.digest,
        calls: program.made,
        stdout,
        stderr,
        result: code,
        steps: usage.steps,
        unfiltered: program.unfiltered,
        refused: program.refused,
        dropped: program.dropped,
    };
    (outcome, ended)
}

/// What it wrote, then what it comes to. Without output the value stands alone.
fn shown(said: String, output: &str) -> String {
    if output.is_empty() {
        return said;
    }
    let end = if output.ends_with('\n') { "" } else { "\n" };
    format!("{output}{end}--- value ---\n{said}")
}

/// A text as it is, tables and lists as JSON, everything else as the language writes it.
fn value_text(answer: &premath_repl::Answer) -> String {
    match &answer.value {
        Some(Value::Text(text)) => text.clone().into_owned(),
        Some(value @ (Value::Array(_) | Value::Object(_))) => {
            String::from_utf8_lossy(&encode(value)).into_owned()
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => answer.text.clone(),
    }
}

/// What we say about an error: what kind it is, where, and of which class. Its own words may be anybody's and stand in the
/// payload. What has done something is not to be done again as it is.
fn failure(error: &Error, code: &str, has_changed: bool) -> Failure {
    let place = error.position.map_or_else(String::new, |position| format!(" at {position}"));
    let class = error.class.as_deref().filter(|class| is_token(class));
    let class = class.map_or_else(String::new, |class| format!(" [{class}]"));
    let what = match error.kind {
        ErrorKind::Host => "a call failed and nothing caught it",
        ErrorKind::Budget(_) => "the program used up a budget",
        ErrorKind::Interrupted => "the program was broken off",
        ErrorKind::Syntax => "the text is no program, and nothing of it ran",
        ErrorKind::Unbound
        | ErrorKind::Arity
        | ErrorKind::Type
        | ErrorKind::Range
        | ErrorKind::Raised
        | ErrorKind::Assertion => "the program failed",
    };
    Failure {
        error_code: code.to_owned(),
        retryable: error.retryable && !has_changed,
        message: format!("{what}{place}{class}"),
        pointers: Vec::new(),
        closest_matches: Vec::new(),
    }
}

/// Whether a class is a word that says what it is and nothing else.
fn is_token(class: &str) -> bool {
    let is_part = |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '_' | '-');
    !class.is_empty() && class.len() <= LONGEST_CLASS && class.chars().all(is_part)
}

fn note(program: &Program, steps: u64) -> String {
    let mut parts = vec![format!("{} calls, {steps} steps", program.made.len())];
    if program.refused > 0 {
        parts.push(format!("{} more calls were not made", program.refused));
    }
    if program.dropped > 0 {
        parts.push(format!(
            "{} changes that it asked for are not applied (program_failed): it did not end well",
            program.dropped
        ));
    }
    if program.unfiltered > 0 {
        parts.push(format!("what its calls gave back would be about {} tokens", program.unfiltered));
    }
    parts.extend(program.cut.iter().take(MOST_CUT).map(|line| format!("cut: {line}")));
    if let Some(more) = program.cut.len().checked_sub(MOST_CUT).filter(|more| *more > 0) {
        parts.push(format!("{more} more results were cut"));
    }
    parts.join("; ")
}
