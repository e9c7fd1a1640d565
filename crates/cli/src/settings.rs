//! `premath.toml`: read, checked, and every value with the line it stands on.
//!
//! A key we do not know is worth a warning, because a newer premath may know it; a value that cannot be is refused.

use premath_host::{Layer, Setting, Settings, TerminalAuthority};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::CliError;
use crate::exit::Exit;

/// The file in the root of a repository.
pub(crate) const FILE_NAME: &str = "premath.toml";

/// What a file says.
#[derive(Debug)]
pub(crate) struct Loaded {
    /// The values that count.
    pub(crate) settings: Settings,
    /// Keys that mean nothing, one line each.
    pub(crate) warnings: Vec<String>,
}

/// Reads the text of a configuration.
pub(crate) fn read(text: &str) -> Result<Loaded, CliError> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(1, |span| line_of(text, span.start));
        refused(&format!("not TOML: {}", one_line(error.message())), "$", line)
    })?;
    let mut reading = Reading { text, settings: Settings::default(), warnings: Vec::new() };
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        match (name, value.get_ref()) {
            ("mutation" | "issues", DeValue::Table(section)) => {
                for (key, value) in section {
                    reading.take(name, key, value)?;
                }
            }
            ("mutation" | "issues", _) => {
                return Err(refused("expected a table", &format!("$.{name}"), reading.line(value)));
            }
            _ => reading.warn(key, name),
        }
    }
    Ok(Loaded { settings: reading.settings, warnings: reading.warnings })
}

struct Reading<'t> {
    text: &'t str,
    settings: Settings,
    warnings: Vec<String>,
}

impl Reading<'_> {
    fn take(
        &mut self,
        section: &str,
        key: &Spanned<std::borrow::Cow<'_, str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), CliError> {
        let name = format!("{section}.{}", key.get_ref());
        match name.as_str() {
            "mutation.cli" => self.settings.terminal = self.terminal(value)?,
            "issues.path" => self.settings.issues_path = self.path(value)?,
            "issues.prefix" => self.settings.issue_prefix = self.prefix(value)?,
            _ => self.warn(key, &name),
        }
        Ok(())
    }

    fn warn(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, name: &str) {
        let line = line_of(self.text, key.span().start);
        let name: String = name.chars().take(64).flat_map(char::escape_debug).collect();
        self.warnings.push(format!("{FILE_NAME}:{line}: `{name}` is unknown and has no effect"));
    }

    fn line(&self, value: &Spanned<DeValue<'_>>) -> usize {
        line_of(self.text, value.span().start)
    }

    fn layer(&self, value: &Spanned<DeValue<'_>>) -> Layer {
        Layer::File { name: FILE_NAME.to_owned(), line: self.line(value) }
    }

    fn string<'v>(&self, value: &'v Spanned<DeValue<'_>>, path: &str) -> Result<&'v str, CliError> {
        let text = value.get_ref().as_str().map(str::trim);
        match text {
            Some("") => Err(refused("must not be blank", path, self.line(value))),
            Some(text) => Ok(text),
            None => Err(refused("expected a string", path, self.line(value))),
        }
    }

    fn terminal(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<TerminalAuthority>, CliError> {
        const PATH: &str = "$.mutation.cli";
        let text = self.string(value, PATH)?;
        let known = TerminalAuthority::ALL.into_iter().find(|one| one.token() == text).ok_or_else(|| {
            let allowed = TerminalAuthority::ALL.map(TerminalAuthority::token).join(", ");
            refused(&format!("`{}` is none of {allowed}", echo(text)), PATH, self.line(value))
        })?;
        Ok(Setting { value: known, layer: self.layer(value) })
    }

    fn path(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<String>, CliError> {
        let text = self.string(value, "$.issues.path")?;
        Ok(Setting { value: text.to_owned(), layer: self.layer(value) })
    }

    fn prefix(&self, value: &Spanned<DeValue<'_>>) -> Result<Setting<String>, CliError> {
        const PATH: &str = "$.issues.prefix";
        let text = self.string(value, PATH)?;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        if text.len() > 64 || !text.bytes().all(fits) {
            let what = format!("`{}` is not made of letters, digits, `.`, `_` and `-`", echo(text));
            return Err(refused(&what, PATH, self.line(value)));
        }
        Ok(Setting { value: text.to_owned(), layer: self.layer(value) })
    }
}

fn echo(text: &str) -> String {
    text.chars().take(64).flat_map(char::escape_debug).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

fn refused(what: &str, path: &str, line: usize) -> CliError {
    CliError {
        exit: Exit::Invalid,
        message: format!("input.field_invalid: {what} ({FILE_NAME}, line {line}) at {path}"),
        hints: vec![format!("mend line {line} of {FILE_NAME}")],
    }
}

#[cfg(test)]
mod tests;
