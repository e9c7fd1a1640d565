//! `[tools]`: how tools are offered. Either file may say it; other values than the defaults need a measurement, which is
//! asked for when a run begins. A key that means nothing is refused.

use std::borrow::Cow;

use premath_host::Setting;
use premath_tusk::tools::KeepLimits;
use toml::Spanned;
use toml::de::DeValue;

use super::field::{Field, Limit};
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
    if name == "shell" {
        return shell(reading, value, &path);
    }
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

/// Takes `[tools.shell]`: a repository may copy less than is usual, only a person more.
fn shell(reading: &mut Reading<'_>, value: &Spanned<DeValue<'_>>, path: &str) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let table = value.get_ref().as_table();
    let table = table.ok_or_else(|| place.refused("expected a table", path, value))?;
    let standard = KeepLimits::standard();
    let settings = &mut reading.loaded.settings.tools.shell;
    for (key, value) in table {
        let path = format!("{path}.{}", echo(key.get_ref()));
        let (slot, ceiling, most) = match key.get_ref().as_ref() {
            "keep_bytes" => (&mut settings.keep_bytes, standard.bytes, 1 << 40),
            "keep_files" => (&mut settings.keep_files, standard.files, 1_000_000),
            _other => {
                let what = "there is no such key; docs/reference/configuration.md has all";
                return Err(place.refused(what, &path, value));
            }
        };
        let field = Field { place, owner, value, path };
        field.limit(Limit { slot, ceiling: Some(ceiling), least: 0, most })?;
    }
    Ok(())
}
