//! What a policy package says about guards: `guardrails.json`. It can ask for more than the configuration does, never for
//! less. It must not read a file.

use premath_tusk::policy::{GuardAction, GuardrailStage};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GuardSettings, PiiSettings, SettingsError, StageActions};
use crate::paths::PathSettings;
use crate::pii::PiiKinds;
use crate::size::SizeSettings;
use crate::urls::UrlSettings;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Document {
    secrets: Option<Stages>,
    pii: Option<Stages>,
    injection: Option<Stages>,
    hosts: Option<Vec<String>>,
    paths: Option<Vec<String>>,
    max_argument_bytes: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Stages {
    pre_flight: Option<String>,
    input: Option<String>,
    output: Option<String>,
}

impl Stages {
    fn actions(&self) -> Result<StageActions, SettingsError> {
        let read = |token: &Option<String>| match token.as_deref() {
            None => Ok(None),
            Some(token) => {
                let known = GuardAction::ALL.into_iter().find(|one| one.token() == token);
                known
                    .map(Some)
                    .ok_or_else(|| SettingsError::Document { what: format!("`{token}` is no action") })
            }
        };
        Ok(StageActions {
            pre_flight: read(&self.pre_flight)?,
            input: read(&self.input)?,
            output: read(&self.output)?,
        })
    }
}

impl StageActions {
    /// The severer of two actions at each stage.
    fn or_severer(self, other: Self) -> Self {
        Self {
            pre_flight: self.pre_flight.max(other.pre_flight),
            input: self.input.max(other.input),
            output: self.output.max(other.output),
        }
    }

    fn to_json(self) -> Value {
        let stage = |stage: GuardrailStage| self.at(stage).map(GuardAction::token);
        json!({
            "pre_flight": stage(GuardrailStage::PreFlight),
            "input": stage(GuardrailStage::Input),
            "output": stage(GuardrailStage::Output),
        })
    }
}

/// What both lists have; a list that only one has is the list.
fn both(ours: Option<Vec<String>>, theirs: Option<Vec<String>>) -> Option<Vec<String>> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Some(ours.into_iter().filter(|one| theirs.contains(one)).collect()),
        (one, other) => one.or(other),
    }
}

impl GuardSettings {
    /// These settings with what a package asks for beyond them.
    ///
    /// # Errors
    /// A document that cannot be used. That is no reason to go on without it.
    pub fn with_package(self, document: &[u8]) -> Result<Self, SettingsError> {
        // A list would be read as the members in their order.
        if document.trim_ascii_start().first() != Some(&b'{') {
            return Err(SettingsError::Document { what: "expected an object".to_owned() });
        }
        let wanted: Document = serde_json::from_slice(document)
            .map_err(|error| SettingsError::Document { what: error.to_string() })?;
        let stages = |wanted: &Option<Stages>| wanted.as_ref().map(Stages::actions).transpose();
        let pii = match (self.pii, stages(&wanted.pii)?) {
            (Some(ours), Some(wanted)) => {
                Some(PiiSettings { actions: ours.actions.or_severer(wanted), ..ours })
            }
            (None, Some(actions)) => Some(PiiSettings { actions, kinds: PiiKinds::default() }),
            (ours, None) => ours,
        };
        let schemes = self.urls.as_ref().map(|urls| urls.schemes.clone()).unwrap_or_default();
        let hosts = both(self.urls.map(|urls| urls.hosts), wanted.hosts);
        let paths = both(self.paths.map(|paths| paths.allowed), wanted.paths);
        let size = match (self.size, wanted.max_argument_bytes) {
            (Some(size), Some(most)) => Some(SizeSettings { max_bytes: size.max_bytes.min(most), ..size }),
            (None, Some(max_bytes)) => Some(SizeSettings { max_bytes, ..SizeSettings::default() }),
            (size, None) => size,
        };
        Ok(Self {
            secrets: self.secrets.or_severer(stages(&wanted.secrets)?.unwrap_or_default()),
            injection: self.injection.or_severer(stages(&wanted.injection)?.unwrap_or_default()),
            pii,
            urls: hosts.map(|hosts| UrlSettings { hosts, schemes }),
            paths: paths.map(|allowed| PathSettings { allowed }),
            size,
        })
    }

    /// As JSON, for the digest of whatever grades.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let kinds = |kinds: &PiiKinds| {
            json!({
                "card": kinds.card, "email": kinds.email, "iban": kinds.iban, "ip": kinds.ip,
                "phone": kinds.phone, "usSsn": kinds.us_ssn,
            })
        };
        json!({
            "secrets": self.secrets.to_json(),
            "injection": self.injection.to_json(),
            "pii": self.pii.as_ref().map(|pii| json!({"actions": pii.actions.to_json(), "kinds": kinds(&pii.kinds)})),
            "hosts": self.urls.as_ref().map(|urls| json!({"hosts": urls.hosts, "schemes": urls.schemes})),
            "paths": self.paths.as_ref().map(|paths| &paths.allowed),
            "size": self.size.map(|size| json!({"maxBytes": size.max_bytes, "maxDepth": size.max_depth})),
        })
    }
}
