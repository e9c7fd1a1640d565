//! Which models can be asked: references are turned into providers, keys and transports here, and nowhere else.
//!
//! The composition root of models. It must not show a key, and must not decide which model answers: the chain does.

mod asking;
mod cassette;
mod price_rows;
mod reference;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{Clock, ModelCircuitStore};
use premath_host::{
    ActionError, Asked, Layer, ListedPrices, ModelDoor, ModelFailure, Probe, Question, Setting, Workspace,
    circuits_failed,
};
use premath_models::price::{PriceEntry, PriceTable};
use premath_models::provider::{Protocol, ProviderConfig};
use premath_models::secret::ApiKey;
use premath_models::transport::HttpSettings;
use premath_tusk::model::{
    Circuit, CircuitStore, MemoryCircuits, ModelError, ModelErrorKind, ModelEvent, circuit_row,
};
use premath_wire::v1::{KeyState, ModelListing, ProviderRow, ProviderState};

use crate::settings::models::{KeySource, ModelSettings, PriceSetting, ProviderSetting};
use crate::system;

pub(crate) use self::asking::{Finish, runtime};

/// The models of one command.
#[derive(Debug)]
pub(crate) struct Models {
    settings: ModelSettings,
    circuits: Arc<dyn CircuitStore>,
    clock: Arc<dyn Clock>,
    record: Option<PathBuf>,
}

/// A provider that everybody has, as far as it is configured nowhere.
pub(crate) fn built_in(name: &str) -> Option<ProviderSetting> {
    let (protocol, base_url, key) = match name {
        "anthropic" => (Protocol::AnthropicMessages, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        "openai" => (Protocol::OpenaiResponses, "https://api.openai.com", "OPENAI_API_KEY"),
        "openai-chat" => (Protocol::OpenaiChat, "https://api.openai.com", "OPENAI_API_KEY"),
        _ => return None,
    };
    let key = KeySource::Variable(key.to_owned());
    Some(ProviderSetting { protocol, base_url: base_url.to_owned(), key })
}

/// The providers everybody has, and the variables in which their own clients look for another address.
pub(crate) const BUILT_IN: [(&str, &str); 3] =
    [("anthropic", "ANTHROPIC_BASE_URL"), ("openai", "OPENAI_BASE_URL"), ("openai-chat", "OPENAI_BASE_URL")];

impl Models {
    /// The models of a repository. What is remembered of providers is kept in it; elsewhere it ends with the process.
    pub(crate) fn new(workspace: &Workspace, settings: ModelSettings, record: Option<&Path>) -> Self {
        let home = workspace.root.join(".premath");
        let circuits: Arc<dyn CircuitStore> = if system::is_folder(&home) {
            let path = home.join(ModelCircuitStore::FILE_NAME);
            Arc::new(ModelCircuitStore::new(Arc::clone(&workspace.disk), path))
        } else {
            Arc::new(MemoryCircuits::default())
        };
        let clock = Arc::clone(&workspace.clock);
        Self { settings, circuits, clock, record: record.map(Path::to_path_buf) }
    }

    /// Every provider: those of the configuration, and those everybody has.
    fn providers(&self) -> BTreeMap<String, Setting<ProviderSetting>> {
        let everybodys = BUILT_IN
            .iter()
            .filter_map(|(name, _)| Some(((*name).to_owned(), Setting::default_value(built_in(name)?))));
        let mut providers: BTreeMap<String, Setting<ProviderSetting>> = everybodys.collect();
        let configured =
            self.settings.providers.iter().map(|(name, setting)| (name.clone(), setting.clone()));
        providers.extend(configured);
        providers
    }

    /// The models that are asked when nobody names others.
    pub(crate) fn default_chain(&self) -> Vec<String> {
        self.settings.chain().value
    }

    /// The chain of these models, for as many questions as there are.
    pub(crate) fn chain(
        &self,
        references: &[String],
    ) -> Result<(premath_tusk::model::Chain, Finish), ActionError> {
        asking::chain(self, references)
    }

    /// Every price: the shipped ones, and over them those of the configuration.
    pub(crate) fn prices(&self) -> Result<PriceTable, ActionError> {
        self.price_table(|_| true)
    }

    /// The references among these that have no price a cost limit can rely on. Scripts and recordings ask no server, so
    /// that they cost nothing.
    pub(crate) fn unpriced(&self, references: &[String]) -> Result<Vec<String>, ActionError> {
        let prices = self.trusted_prices()?;
        let is_unpriced = |reference: &&String| match reference.trim().split_once(':') {
            Some(("scripted" | "replay", _)) => false,
            Some((_, name)) => prices.find(name).is_none(),
            None => true,
        };
        Ok(references.iter().filter(is_unpriced).cloned().collect())
    }

    /// The prices that a cost limit can rely on: the shipped ones and yours.
    fn trusted_prices(&self) -> Result<PriceTable, ActionError> {
        self.price_table(|setting| setting.is_trusted)
    }

    fn price_table(&self, is_used: impl Fn(&PriceSetting) -> bool) -> Result<PriceTable, ActionError> {
        let mut table = PriceTable::built_in().map_err(|error| ActionError::Unavailable {
            what: error.to_string(),
            hint: "this is a fault of premath".to_owned(),
        })?;
        for (name, setting) in self.settings.prices.iter().filter(|(_, setting)| is_used(&setting.value)) {
            let PriceSetting { price, as_of, .. } = &setting.value;
            let as_of = as_of.clone().unwrap_or_else(|| layer(&setting.layer));
            table.insert(name, PriceEntry { price: *price, as_of });
        }
        Ok(table)
    }

    fn row(&self, name: &str, setting: &Setting<ProviderSetting>, circuit: Circuit) -> ProviderRow {
        let ProviderSetting { protocol, base_url, key } = &setting.value;
        let (state, source) = match key {
            KeySource::NotNeeded => (KeyState::NotNeeded, None),
            KeySource::Variable(variable) => {
                let is_set = system::variable(variable).is_some();
                (if is_set { KeyState::Set } else { KeyState::Missing }, Some(format!("${variable}")))
            }
            // It may ask the person for a password: only a request runs it.
            KeySource::Command(words) => (KeyState::Set, words.first().map(|program| format!("`{program}`"))),
        };
        let is_cooling = circuit.is_cooling(self.clock.now());
        ProviderRow {
            provider: name.to_owned(),
            protocol: protocol.as_str().to_owned(),
            base_url: base_url.clone(),
            layer: layer(&setting.layer),
            key: state,
            key_source: source,
            state: match (state, is_cooling) {
                (KeyState::Missing, _) => ProviderState::KeyMissing,
                (KeyState::Set | KeyState::NotNeeded, true) => ProviderState::CoolingDown,
                (KeyState::Set | KeyState::NotNeeded, false) => ProviderState::Ready,
            },
            circuit: circuit_row(&circuit),
            check: None,
        }
    }

    fn http_settings(&self) -> HttpSettings {
        HttpSettings { timeouts: self.settings.timeouts, ..HttpSettings::default() }
    }
}

impl ModelDoor for Models {
    fn list(&self, probe: Probe, prices: ListedPrices) -> Result<ModelListing, ActionError> {
        let circuits = self.circuits.all().map_err(circuits_failed)?;
        let providers = self.providers();
        let row = |(name, setting): (&String, &Setting<ProviderSetting>)| {
            self.row(name, setting, circuits.get(name).copied().unwrap_or_default())
        };
        let mut items: Vec<ProviderRow> = providers.iter().map(row).collect();
        if probe == Probe::Reach {
            for (row, check) in items.iter_mut().zip(asking::check_all(self, &providers)?) {
                row.check = Some(check);
            }
        }
        Ok(ModelListing {
            action: "model.list".to_owned(),
            chain: self.settings.chain().value,
            count: u64::try_from(items.len()).unwrap_or(u64::MAX),
            items,
            prices: price_rows::rows(self, prices)?,
        })
    }

    fn ask(&self, question: &Question, watch: &mut dyn FnMut(&ModelEvent)) -> Result<Asked, ActionError> {
        asking::ask(self, question, watch)
    }
}

/// What a provider needs, its key among it.
fn config(name: &str, setting: &ProviderSetting) -> Result<ProviderConfig, ModelError> {
    let key = match &setting.key {
        KeySource::NotNeeded => None,
        KeySource::Variable(variable) => Some(system::variable(variable).ok_or_else(|| {
            key_error(format!("the provider `{name}` takes its key from ${variable}, which is not set"))
        })?),
        KeySource::Command(words) => Some(
            system::key_of(words)
                .map_err(|why| key_error(format!("the key of the provider `{name}` cannot be had: {why}")))?,
        ),
    };
    let key = key
        .map(|text| ApiKey::new(&text))
        .transpose()
        .map_err(|error| key_error(format!("the key of the provider `{name}` is none: {error}")))?;
    Ok(ProviderConfig {
        name: name.to_owned(),
        protocol: setting.protocol,
        base_url: setting.base_url.clone(),
        key,
        headers: Vec::new(),
    })
}

fn key_error(message: String) -> ModelError {
    ModelError::new(ModelErrorKind::Authentication, "key_missing", message)
}

/// No model was asked.
fn no_answer(error: ModelError) -> ActionError {
    ActionError::Model(Box::new(ModelFailure { error, attempts: Vec::new() }))
}

fn layer(layer: &Layer) -> String {
    match layer {
        Layer::Default => "default".to_owned(),
        Layer::Environment { variable } => format!("${variable}"),
        Layer::File { name, line } => format!("{name}:{line}"),
    }
}
