//! The outside of a run that is attacked: as everywhere, but with a person who always says the same, and with an eye on what
//! the model is sent.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use premath_bd::desk::{Approval, PersonCredential, Proposal};
use premath_host::{ActionError, AgentDoor, Attendant, ObservedTree, Said};
use premath_tusk::model::{ModelEvent, ModelRequest, PortFuture};
use premath_tusk::policy::Governor;
use premath_tusk::sandbox::{Interrupt, Sandbox};
use premath_tusk::tools::files::WorkFiles;
use premath_tusk::tools::foreign::ForeignTools;
use premath_tusk::tools::{ProtectedPaths, ToolSpec};
use premath_tusk::turn_loop::{AnswerError, AnswerPort, Answered, Decision, Stopwatch};

use crate::agent::Agent;
use crate::commands::tool_tasks::{Reader, ToolTask};

/// Whoever is asked.
#[derive(Debug, Clone, Copy)]
pub(super) enum Person {
    /// To everything.
    SaysNo,
    /// To exactly what is shown.
    SaysYes,
    /// Nobody is there: questions wait.
    IsAway,
}

/// What the model was sent, as text.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<Vec<String>>);

impl Requests {
    pub(super) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The outside.
#[derive(Debug)]
pub(super) struct Attacked<'a> {
    pub(super) inner: &'a Agent<'a>,
    pub(super) person: Person,
    pub(super) requests: Arc<Requests>,
    /// What the model is to find out, where it is not a scripted one.
    pub(super) task: Option<&'a ToolTask>,
}

impl AgentDoor for Attacked<'_> {
    fn workdir(&self) -> Result<PathBuf, ActionError> {
        self.inner.workdir()
    }

    fn files(&self) -> Result<Arc<dyn WorkFiles>, ActionError> {
        self.inner.files()
    }

    fn observed_tree(&self) -> Result<Option<ObservedTree>, ActionError> {
        self.inner.observed_tree()
    }

    fn protected(&self) -> Result<ProtectedPaths, ActionError> {
        self.inner.protected()
    }

    fn sandbox(&self) -> Arc<dyn Sandbox> {
        self.inner.sandbox()
    }

    fn default_models(&self) -> Vec<String> {
        self.inner.default_models()
    }

    fn unpriced_models(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        self.inner.unpriced_models(references)
    }

    fn broad_workdir(&self) -> Result<Option<&'static str>, ActionError> {
        self.inner.broad_workdir()
    }

    fn answers(&self, references: &[String]) -> Result<Box<dyn AnswerPort + Send>, ActionError> {
        if let Some(task) = self.task {
            return Ok(Box::new(Reader::new(task.clone())));
        }
        let inner = self.inner.answers(references)?;
        Ok(Box::new(Watched { inner, requests: Arc::clone(&self.requests) }))
    }

    fn governor(&self, tools: &[ToolSpec]) -> Result<Arc<Governor>, ActionError> {
        self.inner.governor(tools)
    }

    fn attendant(&self) -> Box<dyn Attendant> {
        Box::new(self.person)
    }

    fn credential(&self) -> Result<Option<PersonCredential>, ActionError> {
        // Of a person who exists here only.
        Ok(Some(PersonCredential::new("person".to_owned(), [7; 32])))
    }

    fn stopwatch(&self) -> Box<dyn Stopwatch> {
        self.inner.stopwatch()
    }

    fn interrupt(&self) -> Interrupt {
        self.inner.interrupt()
    }

    fn rule_files(&self) -> Result<Vec<(String, String)>, ActionError> {
        self.inner.rule_files()
    }

    fn foreign(&self) -> Arc<dyn ForeignTools> {
        self.inner.foreign()
    }
}

impl Attendant for Person {
    fn go_on(&mut self, _: &Approval) -> Decision {
        match self {
            Self::SaysNo | Self::IsAway => Decision::Stop,
            Self::SaysYes => Decision::Continue,
        }
    }

    fn confirm(&mut self, _: &Approval) -> Option<Said> {
        self.word()
    }

    fn plan(&mut self, _: &Proposal) -> Option<Said> {
        self.word()
    }
}

impl Person {
    const fn word(self) -> Option<Said> {
        match self {
            Self::SaysNo => Some(Said::no()),
            Self::SaysYes => Some(Said::yes()),
            Self::IsAway => None,
        }
    }
}

struct Watched {
    inner: Box<dyn AnswerPort + Send>,
    requests: Arc<Requests>,
}

impl std::fmt::Debug for Watched {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Watched").finish_non_exhaustive()
    }
}

impl AnswerPort for Watched {
    fn answer<'a>(
        &'a mut self,
        request: &'a ModelRequest,
        watch: &'a mut (dyn FnMut(&ModelEvent) + Send),
    ) -> PortFuture<'a, Result<Answered, AnswerError>> {
        let sent = format!("{request:?}");
        self.requests.0.lock().unwrap_or_else(PoisonError::into_inner).push(sent);
        self.inner.answer(request, watch)
    }
}
