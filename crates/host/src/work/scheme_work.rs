//! A program as what does the work: run here, over the host, under the instruction that the step has for its issue.
//!
//! What it changes is linked to that instruction; leases, and the end of the issue, stay with the step. It must not run a
//! program from anywhere but the repository, nor one that it did not just read.

use std::path::{Path, PathBuf};

use premath_kernel::{Digest, Object, Value, encode};
use premath_repl::Limits;
use premath_tusk::sandbox::Interrupt;
use premath_tusk::session::{Checked, HeldIssue};

use super::bench::Bench;
use crate::authority::read_file;
use crate::scheme::{SchemeEvaluation, SchemeSession, SchemeWishes};
use crate::table::ActionError;
use crate::workspace::Workspace;

const KIND: &str = "premath.work_program.v1";

/// What a work program finds beside the library: the issue, the step, and how to act as the holder of the lease.
const DEFINITIONS: &str = r#"
(define (work-with table)
  (let ((all (hash-table-copy table)))
    (hash-table-set! all "leaseOwner" (work-worker-id))
    (hash-table-set! all "leaseId" (work-lease-id))
    (hash-table-set! all "fence" (work-fence))
    all))
"#;

/// So many characters of what went wrong are told of.
const LONGEST_TOLD: usize = 400;

/// What came of a program, and what went wrong in words.
pub(super) type Worked = (Checked, Option<String>);

/// Reads a program of the repository: a text that can be read as one.
///
/// # Errors
/// A file that is not there, is not of the repository, or is no program.
pub(super) fn read_program(workspace: &Workspace, file: &str) -> Result<String, ActionError> {
    let unusable = |what: String| ActionError::Unavailable {
        what,
        hint: "`scheme:FILE` names a program, from the root of the repository".to_owned(),
    };
    let path = real_path(workspace, file).map_err(unusable)?;
    let bytes = read_file(workspace.disk.as_ref(), &path)?;
    let text = String::from_utf8(bytes).map_err(|_| unusable(format!("`{file}` is not UTF-8")))?;
    match premath_repl::normalise(&text, &Limits::default()) {
        Ok(_) => Ok(text),
        Err(error) => {
            let place = error.position.map(|place| format!(" at {place}")).unwrap_or_default();
            Err(unusable(format!("scheme_syntax: `{file}` is no program{place}: {error}")))
        }
    }
}

/// Where a program is when links are followed: inside the repository, and not among what premath itself keeps.
fn real_path(workspace: &Workspace, file: &str) -> Result<PathBuf, String> {
    let unseen = |error: std::io::Error| {
        if error.kind() == std::io::ErrorKind::NotFound {
            return format!("program_missing: there is no `{file}`");
        }
        format!("program_missing: `{file}` cannot be looked at: {error}")
    };
    let root = if workspace.root.as_os_str().is_empty() { Path::new(".") } else { &workspace.root };
    let path = workspace.disk.real_path(&root.join(file)).map_err(unseen)?;
    // A root that cannot be followed is one without links.
    let root = workspace.disk.real_path(root).unwrap_or_else(|_| root.to_owned());
    let is_kept = path.starts_with(root.join(".premath"));
    if path.starts_with(&root) && !is_kept {
        return Ok(path);
    }
    let where_to = if is_kept { "into `.premath`" } else { "out of the repository" };
    Err(format!("work_command_unsupported: `{file}` leads {where_to}"))
}

impl Bench<'_> {
    /// Runs the program on the issue.
    pub(super) fn program(
        &self,
        held: &HeldIssue,
        step_id: &str,
        (file, instruction): (&str, Option<&str>),
        interrupt: &Interrupt,
    ) -> Result<Worked, ActionError> {
        let text = read_program(self.workspace(), file)?;
        let seconds = i64::try_from(self.request.work_limit.as_secs()).unwrap_or(i64::MAX);
        let wishes = SchemeWishes {
            deadline: Some(self.workspace().clock.now().plus_seconds(seconds)),
            instruction: instruction.map(str::to_owned),
            actor: Some(self.place.worker.clone()),
            definitions: Some(self.definitions(held, step_id)?),
            working_on: Some(held.issue_id.clone()),
            interrupt: interrupt.clone(),
            ..SchemeWishes::default()
        };
        let unusable = |error: premath_repl::Error| ActionError::Unavailable {
            what: error.to_string(),
            hint: String::new(),
        };
        let mut session = SchemeSession::new(self.host, wishes).map_err(unusable)?;
        let evaluated = session.evaluate(&text)?;
        let said = match &evaluated.result {
            Ok(answer) => answer.text.clone(),
            Err(error) => session.pretty(error),
        };
        let checked = self.worked(file, &text, (&evaluated, &said))?;
        Ok((checked, evaluated.result.err().map(|error| told(file, &error))))
    }

    fn worked(
        &self,
        file: &str,
        text: &str,
        (evaluated, said): (&SchemeEvaluation, &str),
    ) -> Result<Checked, ActionError> {
        let stdout = self.evidence.put(evaluated.output.as_bytes())?;
        let result = self.evidence.put(said.as_bytes())?;
        let calls = premath_kernel::Number::unsigned(evaluated.usage.host_calls);
        let document = Object::fields()
            .field("kind", KIND)
            .field("purpose", "work")
            .field("program", file)
            .field("sourceDigest", Digest::of_bytes(text.as_bytes()).as_str().to_owned())
            .field("programDigest", evaluated.program_digest.as_str())
            .field("traceDigest", evaluated.trace_digest.as_str())
            .field("resultDigest", evaluated.result_digest.as_str())
            .field("evaluation", evaluated.evaluation_id.as_str())
            .optional("journalRef", evaluated.journal_ref.as_deref())
            .optional("hostCalls", calls.map(Value::Number))
            .field("stdout", stdout.as_str().to_owned())
            .field("result", result.as_str().to_owned())
            .optional("failureClass", evaluated.failure_class.as_deref())
            .finish();
        let evidence = self.evidence.put(&encode(&document))?;
        Ok(Checked { classes: evaluated.failure_class.clone().into_iter().collect(), evidence })
    }

    /// The names that are bound for the work: each a procedure without arguments.
    fn definitions(&self, held: &HeldIssue, step_id: &str) -> Result<String, ActionError> {
        let args = Object::fields().field("id", held.issue_id.as_str()).finish();
        let card = self.host.call("issue.show", &args)?;
        let holder = self.holder(held);
        // The number of the attempt is what a step's id ends with.
        let attempt = step_id.rsplit('-').next().filter(|number| number.parse::<u64>().is_ok());
        let mut text = format!("(define (work-issue) (string->json {}))\n", literal(card.payload.get()));
        for (name, value) in [
            ("work-issue-id", held.issue_id.as_str()),
            ("work-step-id", step_id),
            ("work-worker-id", self.place.worker.as_str()),
            ("work-lease-id", holder.lease_id.as_deref().unwrap_or_default()),
        ] {
            text.push_str(&format!("(define ({name}) {})\n", literal(value)));
        }
        for (name, value) in
            [("work-attempt", attempt.unwrap_or("1")), ("work-fence", &held.fence.to_string())]
        {
            text.push_str(&format!("(define ({name}) {value})\n"));
        }
        text.push_str(DEFINITIONS);
        Ok(text)
    }
}

/// A failure in one line: where, and what.
fn told(file: &str, error: &premath_repl::Error) -> String {
    let place = error.position.map(|place| format!("{}:{}: ", place.line, place.column)).unwrap_or_default();
    format!("{file}:{place}{error}").chars().take(LONGEST_TOLD).collect()
}

/// A text as the language writes it, to the letter.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len().saturating_add(2));
    literal.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => literal.extend(['\\', letter]),
            control if control.is_control() => literal.push_str(&format!("\\x{:x};", u32::from(control))),
            letter => literal.push(letter),
        }
    }
    literal.push('"');
    literal
}
