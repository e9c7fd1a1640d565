//! The exit codes, in one table that `premath help exit-codes` prints and a test reads.

/// What the process ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Accepted, or done.
    Accepted,
    /// Rejected, refused, or a check failed.
    Rejected,
    /// Invalid input or usage.
    Invalid,
    /// Busy, or waiting for a person.
    Busy,
    /// The environment does not play along.
    Environment,
    /// Interrupted.
    Interrupted,
}

impl Exit {
    /// Every code, in order.
    pub(crate) const ALL: [Self; 6] =
        [Self::Accepted, Self::Rejected, Self::Invalid, Self::Busy, Self::Environment, Self::Interrupted];

    /// The number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Accepted => 0,
            Self::Rejected => 1,
            Self::Invalid => 2,
            Self::Busy => 3,
            Self::Environment => 4,
            Self::Interrupted => 130,
        }
    }

    /// What it means, in one line.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Accepted => "accepted, or done",
            Self::Rejected => "rejected or refused, or a check failed; stdout says why",
            Self::Invalid => "invalid input or usage; nothing was written, stderr says where",
            Self::Busy => "busy, or waiting for a person; trying again may help",
            Self::Environment => "a file, server or permission that is needed is not there",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
