//! `[telemetry]`: who is told of runs.
//!
//! A repository may have less told than a person allows, never more: it names no server off this machine, and cannot have
//! contents told. A processor is on this machine, whoever names it. A key that means nothing is refused.

use std::borrow::Cow;
use std::net::IpAddr;

use premath_host::{Layer, Setting, TelemetrySettings};
use toml::Spanned;
use toml::de::DeValue;

use super::{Owner, Reading, echo};
use crate::error::CliError;

/// The variable that names where spans go, as every exporter reads it.
pub(crate) const ENDPOINT_VARIABLE: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// What the environment says.
pub(crate) fn take_environment(settings: &mut TelemetrySettings, variable: impl Fn(&str) -> Option<String>) {
    let named = variable(ENDPOINT_VARIABLE).filter(|endpoint| is_http(endpoint));
    let layer = Layer::Environment { variable: ENDPOINT_VARIABLE.to_owned() };
    settings.endpoint = named.map(|value| Setting { value, layer });
}

/// Takes one key of `[telemetry]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = key.get_ref().as_ref();
    let path = format!("$.telemetry.{}", echo(name));
    let refused = |what: &str| Err(place.refused(what, &path, value));
    let layer = place.layer(value);
    let settings = &mut reading.loaded.settings.telemetry;
    match name {
        "otlp_endpoint" => {
            let endpoint = place.string(value, &path)?;
            if !is_http(endpoint) {
                return refused("expected an address that begins with http:// or https://");
            }
            if owner == Owner::Repository && !is_local(endpoint) {
                return refused(
                    "a repository cannot name a server off this machine; say this in your own file",
                );
            }
            settings.endpoint = Some(Setting { value: endpoint.to_owned(), layer });
        }
        "processor" => {
            let processor = place.string(value, &path)?;
            if !is_local(processor) {
                return refused(
                    "a processor is on this machine: http://127.0.0.1:PORT, http://[::1]:PORT or unix:PATH",
                );
            }
            settings.processor = Some(Setting { value: processor.to_owned(), layer });
        }
        "contents" => match (value.get_ref().as_bool(), owner) {
            (None, _) => return refused("expected true or false"),
            (Some(true), Owner::Repository) if !settings.contents() => {
                return refused("a repository cannot have contents told; say this in your own file");
            }
            (Some(contents), _) => settings.contents = Some(Setting { value: contents, layer }),
        },
        _other => return refused("there is no such key; docs/reference/configuration.md has all"),
    }
    Ok(())
}

fn is_http(address: &str) -> bool {
    address.starts_with("http://") || address.starts_with("https://")
}

/// Whether an address leads to this machine and nowhere else. Names are looked up by others, so only `localhost` counts.
fn is_local(address: &str) -> bool {
    if let Some(path) = address.strip_prefix("unix:") {
        return path.starts_with('/');
    }
    let Some(rest) = address.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return false;
    }
    let host = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
