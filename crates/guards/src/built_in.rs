//! The guards that are built in, each a detector with its stages and its own samples.
//!
//! They are deterministic, start nothing and wait for nothing. Samples are put together when they are needed, so that no
//! scanner of source code finds a secret here.

mod samples;
#[cfg(test)]
mod tests;

use premath_tusk::policy::{
    Finding, Guard, GuardAction, GuardError, GuardReport, GuardSubject, GuardrailStage, PLACEHOLDER_FINDING,
    SelfTestFailure,
};

use self::samples::Samples;
use crate::paths::Paths;
use crate::pii::{self, PiiKinds};
use crate::settings::{GuardSettings, SettingsError, StageActions};
use crate::size::{self, SizeSettings};
use crate::urls::Urls;
use crate::{injection, quoted, redact, secrets};

/// The guards that these settings ask for, in the order they should look: cheap ones first.
///
/// # Errors
/// A list that cannot be used.
pub fn built_in(settings: &GuardSettings) -> Result<Vec<Box<dyn Guard>>, SettingsError> {
    let block = Some(GuardAction::Block);
    let before = StageActions { pre_flight: block, ..StageActions::NONE };
    let around = StageActions { output: Some(GuardAction::Flag), ..before };
    let mut guards: Vec<Box<dyn Guard>> = Vec::new();
    if let Some(size) = settings.size {
        guards.push(BuiltIn::boxed("size", before, Detector::Size(size)));
    }
    if let Some(paths) = &settings.paths {
        let paths = Paths::new(paths).map_err(|pattern| SettingsError::PathPattern { pattern })?;
        guards.push(BuiltIn::boxed("paths", before, Detector::Paths(paths)));
    }
    if let Some(urls) = &settings.urls {
        let urls = Urls::new(urls).ok_or(SettingsError::UrlList)?;
        guards.push(BuiltIn::boxed("urls", around, Detector::Urls(urls)));
    }
    guards.push(BuiltIn::boxed("secrets", settings.secrets, Detector::Secrets));
    if let Some(personal) = settings.pii {
        guards.push(BuiltIn::boxed("pii", personal.actions, Detector::Pii(personal.kinds)));
    }
    guards.push(BuiltIn::boxed("injection", settings.injection, Detector::Injection));
    Ok(guards)
}

/// What looks.
#[derive(Debug)]
enum Detector {
    Secrets,
    Pii(PiiKinds),
    Injection,
    Urls(Urls),
    Paths(Paths),
    Size(SizeSettings),
}

/// A detector with its stages.
#[derive(Debug)]
struct BuiltIn {
    id: &'static str,
    actions: StageActions,
    stages: Vec<GuardrailStage>,
    detector: Detector,
}

impl BuiltIn {
    fn boxed(id: &'static str, actions: StageActions, detector: Detector) -> Box<dyn Guard> {
        Box::new(Self { id, actions, stages: actions.stages(), detector })
    }

    fn find(&self, subject: &GuardSubject<'_>) -> Result<Vec<Finding>, GuardError> {
        let unready = || GuardError::Unavailable(format!("the patterns of `{}` do not compile", self.id));
        Ok(match &self.detector {
            Detector::Secrets if !secrets::is_ready() => return Err(unready()),
            Detector::Injection if !injection::is_ready() => return Err(unready()),
            Detector::Secrets => find_secrets(subject),
            Detector::Injection => quoted::find(subject.text, &injection::find),
            Detector::Pii(kinds) => quoted::find(subject.text, &|text| pii::find(text, kinds)),
            Detector::Urls(urls) => quoted::find(subject.text, &|text| urls.find(text)),
            Detector::Paths(paths) => paths.find(subject.paths),
            Detector::Size(settings) => size::find(subject.text, *settings),
        })
    }
}

/// Secrets; in what a tool is called with also placeholders of ours: a model that sends one has taken it for the thing
/// itself. What a model only says may have one, since it stands there for what was taken out of it.
fn find_secrets(subject: &GuardSubject<'_>) -> Vec<Finding> {
    let mut found = quoted::find(subject.text, &secrets::find);
    let standing = redact::placeholders(subject.text);
    found.retain(|finding| {
        !finding
            .span
            .as_ref()
            .is_some_and(|span| standing.iter().any(|one| one.start <= span.start && span.end <= one.end))
    });
    let goes_in = matches!(subject.stage, GuardrailStage::PreFlight | GuardrailStage::Input);
    if goes_in && subject.tool.is_some() {
        let placeholder = |span| Finding { label: PLACEHOLDER_FINDING.to_owned(), span: Some(span) };
        found.extend(standing.into_iter().map(placeholder));
    }
    found
}

impl Guard for BuiltIn {
    fn id(&self) -> &str {
        self.id
    }

    fn stages(&self) -> &[GuardrailStage] {
        &self.stages
    }

    fn action(&self, stage: GuardrailStage) -> GuardAction {
        self.actions.at(stage).unwrap_or(GuardAction::Block)
    }

    fn check(&self, subject: &GuardSubject<'_>) -> Result<GuardReport, GuardError> {
        Ok(GuardReport { findings: self.find(subject)?, ..GuardReport::clean() })
    }

    fn self_test(&self) -> Result<(), SelfTestFailure> {
        let samples = Samples::of(&self.detector);
        let failure = |what: &str| SelfTestFailure { guard: self.id.to_owned(), what: what.to_owned() };
        for (number, text) in samples.found.iter().enumerate() {
            match self.find(&samples.subject(text)) {
                Ok(found) if !found.is_empty() => {}
                Ok(_) => return Err(failure(&format!("sample {number} was not found"))),
                Err(error) => return Err(failure(&error.to_string())),
            }
        }
        for (number, text) in samples.passed.iter().enumerate() {
            match self.find(&samples.subject(text)) {
                Ok(found) if found.is_empty() => {}
                Ok(_) => return Err(failure(&format!("harmless sample {number} was taken for one"))),
                Err(error) => return Err(failure(&error.to_string())),
            }
        }
        Ok(())
    }
}
