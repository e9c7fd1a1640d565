//! The evaluator behind the prompt: a session over the host of this repository. It must not print.

use premath_host::{Host, SchemeEvaluation, SchemeSession, SchemeWishes};

use super::{Evaluator, Shown};
use crate::error::CliError;
use crate::system::CurrentWork;

#[derive(Debug)]
pub(super) struct OverHost<'h> {
    session: SchemeSession<'h>,
    work: CurrentWork,
}

impl<'h> OverHost<'h> {
    pub(super) fn new(host: &'h Host<'h>, wishes: SchemeWishes) -> Result<Self, CliError> {
        let session = SchemeSession::new(host, wishes)
            .map_err(|error| CliError::usage(error, "this is a defect of premath; please report it"))?;
        Ok(Self { session, work: CurrentWork::listening() })
    }
}

impl Evaluator for OverHost<'_> {
    fn evaluate(&mut self, source: &str) -> Result<Shown, CliError> {
        self.session.ends_with(self.work.next());
        let evaluated = self.session.evaluate(source).map_err(CliError::action)?;
        let (usage, evidence) = (used(&evaluated), evidence(&evaluated));
        let result = match evaluated.result {
            Ok(answer) => Ok(answer.text),
            Err(error) => {
                // The class of a host's failure is told with its message.
                let class = evaluated.failure_class.filter(|class| *class != error.kind.code());
                let class = class.filter(|class| error.class.as_ref() != Some(class));
                let class = class.map(|class| format!("class: {class}\n")).unwrap_or_default();
                Err(format!("{class}{}", self.session.pretty(&error)))
            }
        };
        Ok(Shown { output: evaluated.output, result, usage, evidence, warning: evaluated.journal_failure })
    }

    fn names(&self) -> Vec<String> {
        self.session.names()
    }
}

fn used(evaluated: &SchemeEvaluation) -> String {
    let usage = &evaluated.usage;
    format!(
        "{} steps, {} bytes at most, {} calls deep, {} host calls",
        usage.steps, usage.peak, usage.depth, usage.host_calls
    )
}

fn evidence(evaluated: &SchemeEvaluation) -> String {
    let rows = evaluated.journal_ref.as_deref().map(|rows| format!(", rows in {rows}")).unwrap_or_default();
    format!("program {}, trace {}{rows}", evaluated.program_digest, evaluated.trace_digest)
}
