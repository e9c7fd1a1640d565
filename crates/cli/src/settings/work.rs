//! `[work]`: where finished work goes. A key that means nothing is refused: a misspelt target would be another branch.

use std::borrow::Cow;

use premath_host::LandMode;
use toml::Spanned;
use toml::de::DeValue;

use super::field::Field;
use super::{Reading, echo};
use crate::error::CliError;

/// Takes one key of `[work]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let name = key.get_ref().as_ref();
    let path = format!("$.work.{}", echo(name));
    let field = Field { place: reading.place, owner: reading.owner, value, path };
    let settings = &mut reading.loaded.settings.work;
    match name {
        "land" => settings.land = Some(field.setting(field.word(&LandMode::ALL, LandMode::token)?)),
        "target" => settings.target = Some(field.setting(git_name(&field)?)),
        "remote" => settings.remote = Some(field.setting(git_name(&field)?)),
        _other => {
            let what = "there is no such key; docs/reference/configuration.md has all";
            return Err(field.refused(what));
        }
    }
    Ok(())
}

/// The name of a branch or of a remote: nothing that git could read as an option, a range or an address.
fn git_name(field: &Field<'_, '_>) -> Result<String, CliError> {
    let text = field.place.string(field.value, &field.path)?;
    let is_plain =
        |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/' | '+' | '@' | '#');
    let is_name = text.len() <= 200
        && !text.starts_with(['-', '/', '.'])
        && !text.ends_with(['/', '.'])
        && !text.contains("..")
        && !text.contains("//")
        && text.chars().all(is_plain);
    if is_name {
        return Ok(text.to_owned());
    }
    Err(field.refused(&format!("`{}` is not a name of a branch or a remote", echo(text))))
}
