//! `[tools]`: how tools are offered and how much of their results is shown.
//!
//! Each value knows its line. Other values than the defaults need a measurement, which is for whoever starts a run to ask
//! for.

use premath_tusk::tools::KeepLimits;

use super::Setting;
use super::turn_loop::shown;

/// What `[tools]` says. What is absent has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolSettings {
    /// `tools.defer`
    pub defer: Option<Setting<bool>>,
    /// `tools.filter`
    pub filter: Option<Setting<bool>>,
    /// `[tools.shell]`
    pub shell: ShellSettings,
    /// Whether the runs here are the measurement: no file can say so.
    pub is_measured_now: bool,
}

/// What `[tools.shell]` says: how much is copied before a command, so that its changes can be taken back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellSettings {
    /// `tools.shell.keep_bytes`
    pub keep_bytes: Option<Setting<u64>>,
    /// `tools.shell.keep_files`
    pub keep_files: Option<Setting<u64>>,
}

impl ShellSettings {
    /// How much is copied before one command.
    #[must_use]
    pub fn limits(&self) -> KeepLimits {
        let standard = KeepLimits::standard();
        KeepLimits {
            bytes: self.keep_bytes.as_ref().map_or(standard.bytes, |setting| setting.value),
            files: self.keep_files.as_ref().map_or(standard.files, |setting| setting.value),
        }
    }
}

impl ToolSettings {
    /// Both when nobody says.
    pub const DEFAULT: bool = true;

    /// Whether tools that say so are offered only after a search found them.
    #[must_use]
    pub fn defer(&self) -> bool {
        self.defer.as_ref().map_or(Self::DEFAULT, |defer| defer.value)
    }

    /// Whether results are cut to `loop.result_bytes` before a model sees them; else to what a request can hold at most.
    #[must_use]
    pub fn filter(&self) -> bool {
        self.filter.as_ref().map_or(Self::DEFAULT, |filter| filter.value)
    }

    /// Whether both are what they are when nobody says.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.defer() == Self::DEFAULT && self.filter() == Self::DEFAULT
    }

    /// Every value as `config show` shows it, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(String, Setting<String>)> {
        vec![
            ("defer".to_owned(), shown(&self.defer, &self.defer())),
            ("filter".to_owned(), shown(&self.filter, &self.filter())),
            ("shell.keep_bytes".to_owned(), shown(&self.shell.keep_bytes, &self.shell.limits().bytes)),
            ("shell.keep_files".to_owned(), shown(&self.shell.keep_files, &self.shell.limits().files)),
        ]
    }
}
