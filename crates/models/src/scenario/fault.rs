//! How a turn fails before it answers. Which settings a fault takes is decided here and nowhere else.

use std::ops::Range;
use std::time::Duration;

use toml::Spanned;

use super::ScenarioError;
use super::document::FaultDocument;
use super::place::Places;

/// One fault of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// What happens.
    pub kind: FaultKind,
    /// To how many attempts.
    pub times: Times,
}

/// To how many attempts a fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// This many, at least one.
    Count(u64),
    /// Every attempt from here on.
    Always,
}

/// What happens to an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// 429.
    RateLimit {
        /// What the `retry-after` header says; no header without it.
        retry_after: Option<u64>,
    },
    /// A status of the 500s.
    ServerError {
        /// The status.
        status: u16,
    },
    /// What the protocol answers when it has too much to do.
    Overloaded,
    /// 401.
    Authentication,
    /// The conversation is too long.
    ContextLength,
    /// The connection ends after so many bytes of the body; always before the last one.
    Cut {
        /// How many are sent.
        at_byte: u64,
    },
    /// One event of the stream is not JSON; in an answer in one piece, the answer.
    MalformedJson {
        /// Which event, counted from one; the last one that holds JSON when there are fewer.
        at_event: u64,
    },
    /// Nothing more is sent after so many bytes of the body, and the connection stays open.
    Stall {
        /// How many are sent; never all of them.
        after_byte: u64,
    },
    /// Every event waits before it is sent.
    Slow {
        /// How long.
        delay: Duration,
    },
    /// Calls name a tool that nobody offered, under the id of an earlier call.
    WrongToolId,
    /// The arguments of the last call end in the middle, and the answer for want of tokens.
    CutArguments,
}

impl FaultKind {
    /// The name that files use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RateLimit { .. } => "rate_limit",
            Self::ServerError { .. } => "server_error",
            Self::Overloaded => "overloaded",
            Self::Authentication => "authentication",
            Self::ContextLength => "context_length",
            Self::Cut { .. } => "cut",
            Self::MalformedJson { .. } => "malformed_json",
            Self::Stall { .. } => "stall",
            Self::Slow { .. } => "slow",
            Self::WrongToolId => "wrong_tool_id",
            Self::CutArguments => "cut_arguments",
        }
    }

    /// Whether it bends a tool call, and so needs one.
    #[must_use]
    pub const fn needs_call(self) -> bool {
        matches!(self, Self::WrongToolId | Self::CutArguments)
    }
}

const KINDS: &str = "rate_limit, server_error, overloaded, authentication, context_length, cut, malformed_json, stall, slow, \
                     wrong_tool_id, cut_arguments";

/// The settings of one fault in a file, each taken out by the kind it belongs to; what is left belongs to another.
struct Settings<'a> {
    places: &'a Places<'a>,
    at: Range<usize>,
    kind: &'a str,
    left: Vec<(&'static str, &'a Spanned<u64>)>,
}

impl<'a> Settings<'a> {
    fn new(document: &'a FaultDocument, places: &'a Places<'a>) -> Self {
        let given = [
            ("retry_after", document.retry_after.as_ref()),
            ("status", document.status.as_ref()),
            ("at_byte", document.at_byte.as_ref()),
            ("at_event", document.at_event.as_ref()),
            ("after_byte", document.after_byte.as_ref()),
            ("delay_ms", document.delay_ms.as_ref()),
        ];
        let left = given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        Self { places, at: document.kind.span(), kind: document.kind.get_ref(), left }
    }

    fn take(&mut self, name: &str) -> Option<&'a Spanned<u64>> {
        let index = self.left.iter().position(|(given, _)| *given == name)?;
        Some(self.left.remove(index).1)
    }

    fn need(&mut self, name: &str) -> Result<u64, ScenarioError> {
        let missing = self.places.error(self.at.clone(), format!("the fault `{}` needs `{name}`", self.kind));
        self.take(name).map(|value| *value.get_ref()).ok_or(missing)
    }

    fn finish(self) -> Result<(), ScenarioError> {
        self.left.first().map_or(Ok(()), |(name, value)| {
            let message = format!("the fault `{}` takes no `{name}`", self.kind);
            Err(self.places.error(value.span(), message))
        })
    }
}

/// Reads one fault.
pub(super) fn fault(document: &FaultDocument, places: &Places<'_>) -> Result<Fault, ScenarioError> {
    let mut settings = Settings::new(document, places);
    let kind = kind(document, &mut settings)?;
    settings.finish()?;
    Ok(Fault { kind, times: times(document, places)? })
}

fn kind(document: &FaultDocument, settings: &mut Settings<'_>) -> Result<FaultKind, ScenarioError> {
    Ok(match document.kind.get_ref().as_str() {
        "rate_limit" => {
            FaultKind::RateLimit { retry_after: settings.take("retry_after").map(|value| *value.get_ref()) }
        }
        "server_error" => FaultKind::ServerError { status: status(settings)? },
        "overloaded" => FaultKind::Overloaded,
        "authentication" => FaultKind::Authentication,
        "context_length" => FaultKind::ContextLength,
        "cut" => FaultKind::Cut { at_byte: settings.need("at_byte")? },
        "malformed_json" => FaultKind::MalformedJson { at_event: event(settings)? },
        "stall" => FaultKind::Stall { after_byte: settings.need("after_byte")? },
        "slow" => FaultKind::Slow { delay: Duration::from_millis(settings.need("delay_ms")?) },
        "wrong_tool_id" => FaultKind::WrongToolId,
        "cut_arguments" => FaultKind::CutArguments,
        other => {
            let message = format!("no fault is called `{other}`; there are {KINDS}");
            return Err(settings.places.error(document.kind.span(), message));
        }
    })
}

fn event(settings: &mut Settings<'_>) -> Result<u64, ScenarioError> {
    let number = settings.need("at_event")?;
    let none =
        || settings.places.error(settings.at.clone(), "events are counted from 1: `at_event` is not 0");
    if number == 0 { Err(none()) } else { Ok(number) }
}

fn status(settings: &mut Settings<'_>) -> Result<u16, ScenarioError> {
    let Some(given) = settings.take("status") else { return Ok(500) };
    match u16::try_from(*given.get_ref()) {
        Ok(status) if (500..600).contains(&status) => Ok(status),
        Ok(_) | Err(_) => {
            let message = format!("`{}` is no status of a server error: 500 to 599", given.get_ref());
            Err(settings.places.error(given.span(), message))
        }
    }
}

fn times(document: &FaultDocument, places: &Places<'_>) -> Result<Times, ScenarioError> {
    let always = document.always.as_ref().filter(|always| *always.get_ref());
    match (&document.times, always) {
        (Some(times), Some(_)) => Err(places.error(times.span(), "a fault has either `times` or `always`")),
        (None, Some(_)) => Ok(Times::Always),
        (None, None) => Ok(Times::Count(1)),
        (Some(times), None) if *times.get_ref() == 0 => {
            Err(places.error(times.span(), "a fault that never happens: `times` is at least 1"))
        }
        (Some(times), None) => Ok(Times::Count(*times.get_ref())),
    }
}
