//! From a reference such as `anthropic:claude` to a model that can be asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::StoreError;
use premath_host::ActionError;
use premath_models::cassette::{CassetteError, RecordingTransport, ReplayTransport};
use premath_models::provider::{AnswerLimits, Protocol, ProviderConfig, model};
use premath_models::scenario::Scenario;
use premath_models::scripted::{Script, ScriptedTransport};
use premath_models::transport::Transport;
use premath_models::transport::{HttpSettings, HttpTransport};
use premath_tusk::model::Candidate;
use premath_tusk::model::{Model, ModelError, ModelRequest, PortFuture, ResponseStream};
use premath_wire::{InputClass, InputError, JsonPath};

use super::cassette::FileCassette;
use super::{Models, config, no_answer};
use crate::settings::models::ProviderSetting;
use crate::system::{self, HeldFile};

/// Turns references into candidates, and remembers what has to be finished after them.
pub(super) struct Resolver<'m> {
    models: &'m Models,
    http: Option<Arc<HttpTransport>>,
    recording: Option<Recording>,
}

/// A recording that is being made, and the file that is held for it.
struct Recording {
    transport: Arc<RecordingTransport>,
    path: PathBuf,
    _held: HeldFile,
}

impl<'m> Resolver<'m> {
    pub(super) fn new(models: &'m Models) -> Self {
        Self { models, http: None, recording: None }
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

    /// What puts on the disk whatever was recorded; else it says why not.
    pub(super) fn into_finish(self) -> super::Finish {
        let recording = self.recording;
        Box::new(move || {
            let Some(recording) = &recording else { return Ok(()) };
            recording.transport.finish().map_err(|error| tape(&error, &recording.path))
        })
    }

    fn candidate(&mut self, number: usize, reference: &str) -> Result<Candidate, ActionError> {
        let Some((provider, name)) =
            reference.split_once(':').filter(|(left, right)| !left.is_empty() && !right.is_empty())
        else {
            let what = format!("`{}` names no model: expected provider:model", reference.escape_debug());
            return Err(refused(number, what).into());
        };
        match provider {
            "scripted" | "replay" if self.models.record.is_some() => {
                let what = format!("`{provider}` asks no server, so there is nothing to record");
                Err(refused(number, what).into())
            }
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
        let transport = self.transport()?;
        let (reference, setting) = (format!("{provider}:{name}"), setting.value.clone());
        let model = Arc::new(Keyed {
            reference,
            provider: provider.to_owned(),
            name: name.to_owned(),
            setting,
            transport,
        });
        Ok(Candidate { provider: provider.to_owned(), model })
    }

    /// The way to servers, recorded where that is wanted.
    fn transport(&mut self) -> Result<Arc<dyn Transport>, ActionError> {
        if let Some(recording) = &self.recording {
            return Ok(Arc::<RecordingTransport>::clone(&recording.transport));
        }
        let plain = match &self.http {
            Some(http) => Arc::clone(http),
            None => Arc::new(http(self.models.http_settings())?),
        };
        self.http = Some(Arc::clone(&plain));
        let Some(path) = &self.models.record else { return Ok(plain) };
        let recording = record(plain, path)?;
        let transport = Arc::clone(&recording.transport);
        self.recording = Some(recording);
        Ok(transport)
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

/// A recording can be written before anything is sent that would be lost without it.
fn record(inner: Arc<HttpTransport>, path: &Path) -> Result<Recording, ActionError> {
    let place = path.display();
    let held =
        system::hold_file(path).map_err(|error| unavailable(format!("cannot write `{place}`: {error}")))?;
    let Some(held) = held else {
        return Err(StoreError::Busy { path: path.to_owned() }.into());
    };
    let store = Arc::new(FileCassette(path.to_owned()));
    let transport = RecordingTransport::new(inner, store).map_err(|error| unavailable(tape(&error, path)))?;
    Ok(Recording { transport: Arc::new(transport), path: path.to_owned(), _held: held })
}

fn replayed(name: &str) -> Result<Candidate, ActionError> {
    let path = PathBuf::from(name);
    let replay = ReplayTransport::open(&FileCassette(path.clone()))
        .map_err(|error| unavailable(tape(&error, &path)))?;
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
    unavailable(format!("cannot read `{}`: {why}", name.escape_debug()))
}

fn unavailable(what: String) -> ActionError {
    ActionError::Unavailable { what, hint: "name a file that can be read or made".to_owned() }
}

fn tape(error: &CassetteError, path: &Path) -> String {
    let why = std::error::Error::source(error).map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error} (`{}`){why}", path.display())
}

/// A model whose key is looked up when it is asked, and not before: the one before it may answer.
#[derive(Debug)]
struct Keyed {
    reference: String,
    provider: String,
    name: String,
    setting: ProviderSetting,
    transport: Arc<dyn Transport>,
}

impl Model for Keyed {
    fn reference(&self) -> &str {
        &self.reference
    }

    fn start<'a>(&'a self, request: &'a ModelRequest) -> PortFuture<'a, Result<ResponseStream, ModelError>> {
        Box::pin(async {
            let config = config(&self.provider, &self.setting)?;
            let transport = Arc::clone(&self.transport);
            model(config, &self.name, transport, AnswerLimits::default()).start(request).await
        })
    }
}
