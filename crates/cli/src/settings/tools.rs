//! `[tools]`: how tools are offered. Either file may say it; other values than the defaults need a measurement, which is
//! asked for when a run begins. A key that means nothing is refused.

use std::borrow::Cow;

use premath_host::Setting;
use toml::Spanned;
use toml::de::DeValue;

use super::{Reading, echo};
use crate::error::CliError;

/// Takes one key of `[tools]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let place = reading.place;
    let name = key.get_ref().as_ref();
    let path = format!("$.tools.{}", echo(name));
    let slot = match name {
        "defer" => &mut reading.loaded.settings.tools.defer,
        "filter" => &mut reading.loaded.settings.tools.filter,
        _other => {
            let what = "there is no such key; docs/reference/configuration.md has all";
            return Err(place.refused(what, &path, value));
        }
    };
    let said = value.get_ref().as_bool();
    let said = said.ok_or_else(|| place.refused("expected true or false", &path, value))?;
    *slot = Some(Setting { value: said, layer: place.layer(value) });
    Ok(())
}
