//! One value of a file, and whose word it is: what all sections that a repository may only narrow have in common.

use premath_host::Setting;
use premath_models::price::micro_dollars;
use toml::Spanned;
use toml::de::DeValue;

use super::{Owner, Place, echo};
use crate::error::CliError;

/// The largest number that every program reads alike.
pub(super) const MOST: u64 = 9_007_199_254_740_991;

/// A limit: its place, what it is when nobody says, and from where on it makes sense.
pub(super) struct Limit<'l> {
    pub(super) slot: &'l mut Option<Setting<u64>>,
    /// What a repository cannot go beyond when the person says nothing; none for what costs nobody anything.
    pub(super) ceiling: Option<u64>,
    pub(super) least: u64,
    pub(super) most: u64,
}

/// One value, and whose word it is.
pub(super) struct Field<'f, 'i> {
    pub(super) place: Place<'f>,
    pub(super) owner: Owner,
    pub(super) value: &'f Spanned<DeValue<'i>>,
    pub(super) path: String,
}

impl Field<'_, '_> {
    pub(super) fn refused(&self, what: &str) -> CliError {
        self.place.refused(what, &self.path, self.value)
    }

    pub(super) fn setting<T>(&self, value: T) -> Setting<T> {
        Setting { value, layer: self.place.layer(self.value) }
    }

    pub(super) fn limit(&self, limit: Limit<'_>) -> Result<(), CliError> {
        let Limit { slot, ceiling, least, most } = limit;
        let number = self.value.get_ref().as_integer().and_then(|text| text.as_str().parse::<u64>().ok());
        let number = number.filter(|number| (least..=most).contains(number));
        let number =
            number.ok_or_else(|| self.refused(&format!("expected a whole number from {least} to {most}")))?;
        self.lower(slot, ceiling, number)
    }

    pub(super) fn lower(
        &self,
        slot: &mut Option<Setting<u64>>,
        ceiling: Option<u64>,
        number: u64,
    ) -> Result<(), CliError> {
        let ceiling = slot.as_ref().map(|setting| setting.value).or(ceiling);
        if self.owner == Owner::Repository && ceiling.is_some_and(|ceiling| number > ceiling) {
            let what = "a repository can lower a limit and not raise it; say this in your own file";
            return Err(self.refused(what));
        }
        *slot = Some(self.setting(number));
        Ok(())
    }

    pub(super) fn dollars(&self) -> Result<u64, CliError> {
        let whole = self.value.get_ref().as_integer().and_then(|text| text.as_str().parse::<u64>().ok());
        let micros = match whole {
            Some(whole) => whole.checked_mul(1_000_000),
            None => self.value.get_ref().as_str().and_then(micro_dollars),
        };
        let micros = micros.filter(|micros| (1..=MOST).contains(micros));
        micros.ok_or_else(|| self.refused("expected dollars above 0, such as 2 or \"0.50\" in quotes"))
    }

    /// One of a few words.
    pub(super) fn word<T: Copy>(&self, all: &[T], name: impl Fn(T) -> &'static str) -> Result<T, CliError> {
        let text = self.place.string(self.value, &self.path)?;
        all.iter().copied().find(|one| name(*one) == text).ok_or_else(|| {
            let allowed = all.iter().map(|one| name(*one)).collect::<Vec<_>>().join(", ");
            self.refused(&format!("`{}` is none of {allowed}", echo(text)))
        })
    }
}
