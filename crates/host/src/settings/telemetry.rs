//! `[telemetry]`: who is told of runs while they go, and whether they are told what was said.
//!
//! Each value knows its line. It must not reach anybody: whoever composes a run does that.

use super::{Layer, Setting};

/// What `[telemetry]` says. Nobody is told of anything when it says nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TelemetrySettings {
    /// `telemetry.otlp_endpoint`: where spans go over OTLP/HTTP.
    pub endpoint: Option<Setting<String>>,
    /// `telemetry.processor`: the processor on this machine that alone may see payloads of `internal_processor`.
    pub processor: Option<Setting<String>>,
    /// `telemetry.contents`: whether spans carry what was said.
    pub contents: Option<Setting<bool>>,
}

impl TelemetrySettings {
    /// Whether spans carry what was said.
    #[must_use]
    pub fn contents(&self) -> bool {
        self.contents.as_ref().is_some_and(|contents| contents.value)
    }

    /// Every value with where it comes from, for people.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, Setting<String>)> {
        let none = || Setting { value: "none".to_owned(), layer: Layer::Default };
        let contents = self.contents.clone().unwrap_or(Setting { value: false, layer: Layer::Default });
        vec![
            ("contents", Setting { value: contents.value.to_string(), layer: contents.layer }),
            ("otlp_endpoint", self.endpoint.clone().unwrap_or_else(none)),
            ("processor", self.processor.clone().unwrap_or_else(none)),
        ]
    }
}
