//! What flows from one command into the next: the text where it is known, and where it comes from.

/// What a command reads or writes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// The text, where all of it is known.
    pub(crate) text: Option<String>,
    /// Where it comes from, as far as it is not known.
    pub(crate) origin: Origin,
}

/// Where data comes from. Several may hold.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent observation, and they are joined by `or`"
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Another machine.
    pub(crate) network: bool,
    /// A file or what a command prints.
    pub(crate) local: bool,
    /// A file with credentials, or the environment.
    pub(crate) secret: bool,
    /// The environment as a whole.
    pub(crate) environment: bool,
    /// An encoding that hides it.
    pub(crate) decoded: bool,
    /// A script of the repository, as a file.
    pub(crate) script: bool,
}

impl Origin {
    /// Nowhere.
    pub(crate) const NONE: Self = Self {
        network: false,
        local: false,
        secret: false,
        environment: false,
        decoded: false,
        script: false,
    };

    /// Both of them.
    pub(crate) const fn or(self, other: Self) -> Self {
        Self {
            network: self.network || other.network,
            local: self.local || other.local,
            secret: self.secret || other.secret,
            environment: self.environment || other.environment,
            decoded: self.decoded || other.decoded,
            script: self.script || other.script,
        }
    }
}

impl Flow {
    /// Nothing at all.
    pub(crate) fn empty() -> Self {
        Self { text: Some(String::new()), origin: Origin::default() }
    }

    /// A text that is known.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), origin: Origin::default() }
    }

    /// What comes from nowhere in particular: the terminal, or a command that prints nothing worth knowing.
    pub(crate) const fn terminal() -> Self {
        let origin = Origin::NONE;
        Self { text: None, origin }
    }

    /// What a command prints that nothing is known of.
    pub(crate) const fn output() -> Self {
        let origin = Origin { local: true, ..Origin::NONE };
        Self { text: None, origin }
    }

    /// The same, from somewhere else as well.
    pub(crate) const fn joined(mut self, origin: Origin) -> Self {
        self.origin = self.origin.or(origin);
        self
    }

    /// Whether it is what a command or a file holds, and not a text of the script.
    pub(crate) const fn is_data(&self) -> bool {
        self.text.is_none()
    }
}
