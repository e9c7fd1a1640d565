//! From a reference such as `anthropic:claude` to a model that can be asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_host::ActionError;
use premath_models::cassette::{CassetteError, RecordingTransport, ReplayTransport};
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use premath_models::scenario::Scenario;
use premath_models::scripted::{Script, ScriptedTransport};
use premath_models::transport::Transport;
use premath_models::transport::{HttpSettings, HttpTransport};
use premath_tusk::model::Candidate;
use premath_tusk::model::{Model, ModelError, ModelErrorKind, ModelRequest, PortFuture, ResponseStream};
use premath_wire::{InputClass, InputError, JsonPath};

use super::cassette::FileCassette;
use super::{Models, config, no_answer};
use crate::settings::models::ProviderSetting;
use crate::system;

/// Turns references into candidates, and remembers what has to be finished after them.
pub(super) struct Resolver<'m> {
    models: &'m Models,
    http: Option<Arc<HttpTransport>>,
    recordings: Vec<Arc<RecordingTransport>>,
}

impl<'m> Resolver<'m> {
    pub(super) fn new(models: &'m Models) -> Self {
        Self { models, http: None, recordings: Vec::new() }
    }

    /// Every reference, in order.
    pub(super) fn candidates(&mut self, references: &[String]) -> Result<Vec<Candidate>, ActionError> {
        if references.is_empty() {
            let what =
                "no model is named and none is configured: name one with --model or set models.default";
            return Err(refused(0, what).into());
        }
        let numbered = references.iter().enumerate();
        numbered.map(|(number, reference)| self.candidate(number, reference.trim())).collect()
    }

    /// Whatever was recorded is on the disk when this returns.
    pub(super) fn finish(&self) -> Result<(), ActionError> {
        self.recordings
            .iter()
            .try_for_each(|recording| recording.finish().map_err(|error| tape(&error, None)))
    }

    fn candidate(&mut self, number: usize, reference: &str) -> Result<Candidate, ActionError> {
        let Some((provider, name)) =
            reference.split_once(':').filter(|(left, right)| !left.is_empty() && !right.is_empty())
        else {
            let what = format!("`{}` names no model: expected provider:model", reference.escape_debug());
            return Err(refused(number, what).into());
        };
        match provider {
            "scripted" => self.scripted(number, name),
            "replay" => replayed(name),
            _ => self.provided(number, provider, name),
        }
    }

    fn provided(&mut self, number: usize, provider: &str, name: &str) -> Result<Candidate, ActionError> {
        let providers = self.models.providers();
        let Some(setting) = providers.get(provider) else {
            let known: Vec<&str> = providers.keys().map(String::as_str).collect();
            let what = format!(
                "no provider `{}`; there are {}, scripted and replay",
                provider.escape_debug(),
                known.join(", ")
            );
            return Err(refused(number, what).into());
        };
        let model = self.model(provider, name, &setting.value)?;
        Ok(Candidate { provider: provider.to_owned(), model })
    }

    /// A model whose provider has no key is a candidate that fails: the next one may have one.
    fn model(
        &mut self,
        provider: &str,
        name: &str,
        setting: &ProviderSetting,
    ) -> Result<Arc<dyn Model>, ActionError> {
        let config = match config(provider, setting) {
            Ok(config) => config,
            Err(error) => return Ok(Arc::new(Unusable { reference: format!("{provider}:{name}"), error })),
        };
        let transport = self.http()?;
        let transport = self.recorded(transport)?;
        Ok(model(config, name, transport, AnswerLimits::default()))
    }

    fn http(&mut self) -> Result<Arc<dyn Transport>, ActionError> {
        if self.http.is_none() {
            self.http = Some(Arc::new(http(self.models.http_settings())?));
        }
        match &self.http {
            Some(http) => Ok(Arc::<HttpTransport>::clone(http)),
            None => Err(no_answer(ModelError::new(
                ModelErrorKind::Unavailable,
                "client_failed",
                "no HTTP client",
            ))),
        }
    }

    fn recorded(&mut self, inner: Arc<dyn Transport>) -> Result<Arc<dyn Transport>, ActionError> {
        let Some(path) = &self.models.record else { return Ok(inner) };
        if let Some(recording) = self.recordings.first() {
            return Ok(Arc::<RecordingTransport>::clone(recording));
        }
        let store = Arc::new(FileCassette(path.clone()));
        let recording = RecordingTransport::new(inner, store).map_err(|error| tape(&error, Some(path)))?;
        let recording = Arc::new(recording);
        self.recordings.push(Arc::clone(&recording));
        Ok(recording)
    }

    fn scripted(&self, number: usize, name: &str) -> Result<Candidate, ActionError> {
        let text =
            system::read_bytes(Path::new(name)).map_err(|error| unreadable(name, &error.to_string()))?;
        let text = text.ok_or_else(|| unreadable(name, "there is no such file"))?;
        let text = String::from_utf8(text).map_err(|_| refused(number, format!("`{name}` is not UTF-8")))?;
        let scenario = Scenario::parse(name, &text).map_err(|error| refused(number, error.to_string()))?;
        let idle = self.models.http_settings().timeouts.idle;
        let script = Arc::new(Script::new(scenario));
        let transport = Arc::new(ScriptedTransport::new(script).with_idle_timeout(idle));
        Ok(local("scripted", name, Protocol::AnthropicMessages, name, transport))
    }
}

fn replayed(name: &str) -> Result<Candidate, ActionError> {
    let path = PathBuf::from(name);
    let replay =
        ReplayTransport::open(&FileCassette(path.clone())).map_err(|error| tape(&error, Some(&path)))?;
    let Some((protocol, model)) = replay.first_asked() else {
        return Err(unreadable(name, "nothing that was asked of a model is recorded in it"));
    };
    Ok(local("replay", name, protocol, &model, Arc::new(replay)))
}

/// A model that no server is asked for. What is remembered of it ends with the process.
fn local(
    provider: &str,
    file: &str,
    protocol: Protocol,
    name: &str,
    transport: Arc<dyn Transport>,
) -> Candidate {
    let config = ProviderConfig {
        name: provider.to_owned(),
        protocol,
        base_url: "http://127.0.0.1".to_owned(),
        key: None,
        headers: Vec::new(),
    };
    let model = model(config, name, transport, AnswerLimits::default());
    Candidate { provider: format!("{provider}:{file}"), model }
}

/// A client for real requests.
pub(super) fn http(settings: HttpSettings) -> Result<HttpTransport, ActionError> {
    HttpTransport::new(settings).map_err(no_answer)
}

fn refused(number: usize, what: impl Into<String>) -> InputError {
    InputError::new(InputClass::FieldInvalid, what, JsonPath::root().key("models").index(number))
}

fn unreadable(name: &str, why: &str) -> ActionError {
    let message = format!("cannot read `{}`: {why}", name.escape_debug());
    no_answer(ModelError::new(ModelErrorKind::Unavailable, "file_unreadable", message))
}

fn tape(error: &CassetteError, path: Option<&Path>) -> ActionError {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    let place = path.map(|path| format!(" (`{}`)", path.display())).unwrap_or_default();
    no_answer(ModelError::new(ModelErrorKind::Unavailable, "cassette", format!("{error}{place}{why}")))
}

/// A model that cannot be asked, and why.
#[derive(Debug)]
struct Unusable {
    reference: String,
    error: ModelError,
}

impl Model for Unusable {
    fn reference(&self) -> &str {
        &self.reference
    }

    fn start<'a>(&'a self, _: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>> {
        Box::pin(async { Err(self.error.clone()) })
    }
}
