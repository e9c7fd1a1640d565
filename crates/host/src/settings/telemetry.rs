//! `[telemetry]`: who is told of runs while they go, and whether they are told what was said.
//!
//! Each value knows its line. It must not reach anybody: whoever composes a run does that.

use super::Setting;

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
}
