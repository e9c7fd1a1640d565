//! `[models]`: which models are asked when none is named, who provides them, and what they cost.
//!
//! A key belongs to the person, and so does every address that a key or a question is sent to: the file of a repository
//! may choose among models, set prices, and add servers on this machine that need no key. Nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use premath_host::{Layer, Setting};
use premath_models::price::{Price, PriceEntry, PriceTable, micro_dollars};
use premath_models::provider::Protocol;
use premath_models::transport::{Reach, Timeouts, check_address};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Owner, Place, Reading, echo, is_name};
use crate::error::CliError;

/// Providers and prices.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelSettings {
    /// `models.default`
    pub(crate) default: Option<Setting<String>>,
    /// `models.fallback`
    pub(crate) fallback: Option<Setting<Vec<String>>>,
    /// `models.providers.<name>`
    pub(crate) providers: BTreeMap<String, Setting<ProviderSetting>>,
    /// `models.prices.<model>`
    pub(crate) prices: BTreeMap<String, Setting<PriceSetting>>,
    /// `models.timeouts`
    pub(crate) timeouts: Timeouts,
}

impl ModelSettings {
    /// The models that are asked when none is named, in order, and where that is said.
    pub(crate) fn chain(&self) -> Setting<Vec<String>> {
        let first = self.default.iter().map(|setting| setting.value.clone());
        let rest = self.fallback.iter().flat_map(|setting| setting.value.iter().cloned());
        let layer = self.default.as_ref().map(|setting| &setting.layer);
        let layer = layer.or_else(|| self.fallback.as_ref().map(|setting| &setting.layer));
        Setting { value: first.chain(rest).collect(), layer: layer.cloned().unwrap_or(Layer::Default) }
    }

    /// Takes the addresses in which the providers' own clients look for another server.
    pub(crate) fn take_environment(
        &mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<(), CliError> {
        for (name, address) in crate::models::BUILT_IN {
            let Some(text) = variable(address) else { continue };
            let text = text.trim();
            check_address(text).map_err(|error| {
                CliError::usage(format!("${address}: {error}"), format!("mend or unset {address}"))
            })?;
            let Some(mut value) = crate::models::built_in(name) else { continue };
            value.base_url = text.to_owned();
            let layer = Layer::Environment { variable: address.to_owned() };
            self.providers.insert(name.to_owned(), Setting { value, layer });
        }
        Ok(())
    }

    /// Providers and prices as `config show` shows them.
    pub(crate) fn entries(&self) -> Vec<(String, Setting<String>)> {
        let providers = self.providers.iter().map(|(name, setting)| {
            let ProviderSetting { protocol, base_url, key } = &setting.value;
            let value = format!("{} at {base_url}, {key}", protocol.as_str());
            (format!("models.providers.{name}"), Setting { value, layer: setting.layer.clone() })
        });
        let prices = self.prices.iter().map(|(name, setting)| {
            let Price { input, output, .. } = setting.value.price;
            let dollars = |micro: u64| format!("{}.{:06}", micro / 1_000_000, micro % 1_000_000);
            let value = format!("${} in, ${} out per million tokens", dollars(input), dollars(output));
            (format!("models.prices.{name}"), Setting { value, layer: setting.layer.clone() })
        });
        providers.chain(prices).collect()
    }
}

/// The price of one model, or of all whose name begins so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PriceSetting {
    pub(crate) price: Price,
    /// The day on which it was looked up, where the file names it.
    pub(crate) as_of: Option<String>,
    /// Whether a cost limit may rely on it: you set it, or it is no lower than a price that you have.
    pub(crate) is_trusted: bool,
}

/// One provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProviderSetting {
    pub(crate) protocol: Protocol,
    pub(crate) base_url: String,
    pub(crate) key: KeySource,
}

/// Where a key comes from. The key itself is in no file of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// None is needed.
    NotNeeded,
    /// A variable of the environment.
    Variable(String),
    /// What a command prints.
    Command(Vec<String>),
}

impl fmt::Display for KeySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotNeeded => formatter.write_str("no key"),
            Self::Variable(name) => write!(formatter, "key from ${name}"),
            // Its arguments may hold what is nobody's business.
            Self::Command(words) => {
                write!(formatter, "key from `{}`", words.first().map(String::as_str).unwrap_or_default())
            }
        }
    }
}

/// Takes one key of `[models]`.
pub(super) fn take(
    reading: &mut Reading<'_>,
    key: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let place = reading.place;
    match key.get_ref().as_ref() {
        "default" => {
            let text = reference(place, place.string(value, "$.models.default")?);
            reading.loaded.models.default = Some(Setting { value: text, layer: place.layer(value) });
        }
        "fallback" => {
            let list = place.strings(value, "$.models.fallback")?;
            let list = list.iter().map(|text| reference(place, text)).collect();
            reading.loaded.models.fallback = Some(Setting { value: list, layer: place.layer(value) });
        }
        "providers" => {
            for (name, value) in table(place, value, "$.models.providers")? {
                provider(reading, name, value)?;
            }
        }
        "prices" => {
            for (name, value) in table(place, value, "$.models.prices")? {
                price(reading, name, value)?;
            }
        }
        "timeouts" => {
            for (name, value) in table(place, value, "$.models.timeouts")? {
                timeout(reading, name, value)?;
            }
        }
        other => {
            let name = format!("models.{other}");
            reading.warn(key, &name);
        }
    }
    Ok(())
}

/// A file that a configuration names is meant from where the configuration is.
fn reference(place: Place<'_>, text: &str) -> String {
    match text.split_once(':') {
        Some((provider @ ("scripted" | "replay"), file)) => {
            format!("{provider}:{}", place.folder.join(file).display())
        }
        Some(_) | None => text.to_owned(),
    }
}

fn table<'v, 'i>(
    place: Place<'_>,
    value: &'v Spanned<DeValue<'i>>,
    path: &str,
) -> Result<&'v DeTable<'i>, CliError> {
    value.get_ref().as_table().ok_or_else(|| place.refused("expected a table", path, value))
}

fn provider(
    reading: &mut Reading<'_>,
    name: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    const RESERVED: [&str; 3] = ["scripted", "record", "replay"];
    let (place, owner) = (reading.place, reading.owner);
    let name = name.get_ref().as_ref();
    let path = format!("$.models.providers.{}", echo(name));
    if name.is_empty() || name.len() > 64 || !is_name(name) || RESERVED.contains(&name) {
        let what =
            "a provider is named with letters, digits, `.`, `_` and `-`, and not scripted, record or replay";
        return Err(place.refused(what, &path, value));
    }
    let mut fields = ProviderFields::default();
    for (key, value) in table(place, value, &path)? {
        let field = Field { place, owner, value, path: format!("{path}.{}", echo(key.get_ref())) };
        match key.get_ref().as_ref() {
            "protocol" => fields.protocol = Some(field.protocol()?),
            "base_url" => fields.base_url = Some(field.address()?),
            "key_env" | "key_command" if fields.key.is_some() => {
                return Err(field.refused("a key comes from a variable or from a command, not from both"));
            }
            "key_env" => fields.key = Some(field.variable()?),
            "key_command" => fields.key = Some(field.command()?),
            "key" | "api_key" | "token" => {
                let what =
                    "a key must not be in a file; name a variable with key_env or a command with key_command";
                return Err(field.refused(what));
            }
            other => {
                reading.loaded.warnings.push(place.unknown(key, &format!("models.providers.{name}.{other}")))
            }
        }
    }
    let known = reading.loaded.models.providers.contains_key(name) || crate::models::built_in(name).is_some();
    if owner == Owner::Repository && known {
        let what = "a repository cannot change a provider that you have; give it another name";
        return Err(place.refused(what, &path, value));
    }
    let before = reading.loaded.models.providers.get(name).map(|setting| setting.value.clone());
    let before = before.or_else(|| crate::models::built_in(name));
    let setting = fields
        .over(before)
        .ok_or_else(|| place.refused("a provider needs `protocol` and `base_url`", &path, value))?;
    let setting = Setting { value: setting, layer: place.layer(value) };
    reading.loaded.models.providers.insert(name.to_owned(), setting);
    Ok(())
}

#[derive(Default)]
struct ProviderFields {
    protocol: Option<Protocol>,
    base_url: Option<String>,
    key: Option<KeySource>,
}

impl ProviderFields {
    fn over(self, before: Option<ProviderSetting>) -> Option<ProviderSetting> {
        let (protocol, base_url, key) = match before {
            Some(before) => (Some(before.protocol), Some(before.base_url), before.key),
            None => (None, None, KeySource::NotNeeded),
        };
        Some(ProviderSetting {
            protocol: self.protocol.or(protocol)?,
            base_url: self.base_url.or(base_url)?,
            key: self.key.unwrap_or(key),
        })
    }
}

/// One value of a provider, and whose word it is.
struct Field<'f, 'i> {
    place: Place<'f>,
    owner: Owner,
    value: &'f Spanned<DeValue<'i>>,
    path: String,
}

impl Field<'_, '_> {
    fn refused(&self, what: &str) -> CliError {
        self.place.refused(what, &self.path, self.value)
    }

    fn text(&self) -> Result<&str, CliError> {
        self.place.string(self.value, &self.path)
    }

    fn protocol(&self) -> Result<Protocol, CliError> {
        let text = self.text()?;
        Protocol::ALL.into_iter().find(|one| one.as_str() == text).ok_or_else(|| {
            let allowed = Protocol::ALL.map(Protocol::as_str).join(", ");
            self.refused(&format!("`{}` is none of {allowed}", echo(text)))
        })
    }

    fn address(&self) -> Result<String, CliError> {
        let text = self.text()?;
        let reach = check_address(text).map_err(|error| self.refused(&error.to_string()))?;
        if self.owner == Owner::Repository && reach == Reach::Elsewhere {
            let what = "a repository may only name servers on this machine; servers elsewhere belong into your own file";
            return Err(self.refused(what));
        }
        Ok(text.to_owned())
    }

    fn variable(&self) -> Result<KeySource, CliError> {
        self.must_be_mine()?;
        let text = self.text()?;
        if !text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(self.refused("expected the name of a variable, not a key"));
        }
        Ok(KeySource::Variable(text.to_owned()))
    }

    fn command(&self) -> Result<KeySource, CliError> {
        self.must_be_mine()?;
        let words = self.place.strings(self.value, &self.path)?;
        if words.is_empty() {
            return Err(self.refused("expected a program and its arguments"));
        }
        Ok(KeySource::Command(words))
    }

    fn must_be_mine(&self) -> Result<(), CliError> {
        match self.owner {
            Owner::Person => Ok(()),
            Owner::Repository => {
                Err(self.refused("keys belong to you, not to a repository; say this in your own file"))
            }
        }
    }
}

/// Whole seconds, from one to a day.
fn timeout(
    reading: &mut Reading<'_>,
    name: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    const DAY: u64 = 24 * 60 * 60;
    let place = reading.place;
    let path = format!("$.models.timeouts.{}", echo(name.get_ref()));
    let timeouts = &mut reading.loaded.models.timeouts;
    let slot = match name.get_ref().as_ref() {
        "connect" => &mut timeouts.connect,
        "first_byte" => &mut timeouts.first_byte,
        "idle" => &mut timeouts.idle,
        other => {
            reading.loaded.warnings.push(place.unknown(name, &format!("models.timeouts.{other}")));
            return Ok(());
        }
    };
    let seconds = value.get_ref().as_integer().and_then(|text| text.as_str().parse::<u64>().ok());
    let seconds = seconds.filter(|seconds| (1..=DAY).contains(seconds));
    *slot = Duration::from_secs(
        seconds.ok_or_else(|| place.refused("expected whole seconds from 1 to 86400", &path, value))?,
    );
    Ok(())
}

fn price(
    reading: &mut Reading<'_>,
    name: &Spanned<Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), CliError> {
    let (place, owner) = (reading.place, reading.owner);
    let name = name.get_ref().as_ref();
    let path = format!("$.models.prices.{}", echo(name));
    let (mut input, mut output, mut cache_read, mut cache_write) = (None, None, None, None);
    let mut as_of = None;
    for (key, value) in table(place, value, &path)? {
        let at = format!("{path}.{}", echo(key.get_ref()));
        let slot = match key.get_ref().as_ref() {
            "input" => &mut input,
            "output" => &mut output,
            "cache_read" => &mut cache_read,
            "cache_write" => &mut cache_write,
            "as_of" => {
                as_of = Some(day(place, value, &at)?);
                continue;
            }
            other => {
                reading.loaded.warnings.push(place.unknown(key, &format!("models.prices.{name}.{other}")));
                continue;
            }
        };
        let dollars = micro_dollars(place.string(value, &at)?);
        *slot = Some(dollars.ok_or_else(|| {
            place.refused("expected dollars per million tokens in quotes, such as \"3.75\"", &at, value)
        })?);
    }
    let (Some(input), Some(output)) = (input, output) else {
        return Err(place.refused("a price needs `input` and `output`", &path, value));
    };
    // Without a price of its own a cache costs what it would have saved: a cost may be too high, never too low.
    let cached = |price: Option<u64>| price.unwrap_or(input);
    let price = Price { input, output, cache_read: cached(cache_read), cache_write: cached(cache_write) };
    let known =
        known_price(&reading.loaded.models, name).map_err(|error| place.refused(&error, &path, value))?;
    if owner == Owner::Repository && known.is_some_and(|known| !price.is_at_least(&known)) {
        let what = "a repository cannot lower the price of a model that has one; say this in your own file";
        return Err(place.refused(what, &path, value));
    }
    let is_trusted = owner == Owner::Person || known.is_some();
    let value = Setting { value: PriceSetting { price, as_of, is_trusted }, layer: place.layer(value) };
    reading.loaded.models.prices.insert(name.to_owned(), value);
    Ok(())
}

/// The price that a name has before a repository is read: yours, or the shipped one.
fn known_price(settings: &ModelSettings, name: &str) -> Result<Option<Price>, String> {
    let mut known = PriceTable::built_in().map_err(|error| error.to_string())?;
    for (name, setting) in settings.prices.iter().filter(|(_, setting)| setting.value.is_trusted) {
        known.insert(name, PriceEntry { price: setting.value.price, as_of: String::new() });
    }
    Ok(known.find(name.trim_end_matches('*')).map(|entry| entry.price))
}

/// A day, as `2026-11-18`.
fn day(place: Place<'_>, value: &Spanned<DeValue<'_>>, path: &str) -> Result<String, CliError> {
    let text = place.string(value, path)?;
    let is_digit =
        |at: usize, byte: u8| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() };
    if text.len() != 10 || !text.bytes().enumerate().all(|(at, byte)| is_digit(at, byte)) {
        return Err(place.refused("expected a day in quotes, such as \"2026-11-18\"", path, value));
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests;
