//! `[retention]`: which objects `premath gc` may remove. A key that means nothing is refused: a misspelt age would be none.

use std::borrow::Cow;

use premath_host::{Setting, parse_age, parse_size};
use toml::Spanned;
use toml::de::DeValue;

use super::{Reading, echo};
use crate::error::CliError;

/// Takes one key of `[retention]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let place = reading.place;
    let name = key.get_ref().as_ref();
    let path = format!("$.retention.{}", echo(name));
    let refused = |what: String| place.refused(&what, &path, value);
    let layer = place.layer(value);
    let settings = &mut reading.loaded.settings.retention;
    match name {
        "max_size" => {
            let value = parse_size(place.string(value, &path)?).map_err(refused)?;
            settings.max_bytes = Some(Setting { value, layer });
        }
        "min_age" => {
            let value = parse_age(place.string(value, &path)?).map_err(refused)?;
            settings.min_age_seconds = Some(Setting { value, layer });
        }
        _other => {
            let what = "there is no such key; docs/reference/configuration.md has all";
            return Err(refused(what.to_owned()));
        }
    }
    Ok(())
}
