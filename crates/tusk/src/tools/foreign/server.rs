//! Another server as the configuration names it: how it is reached, what of it is used, and on which terms.
//!
//! The terms are ours. It must not hold a secret: variables of the environment are named, never kept.

use std::collections::BTreeMap;
use std::time::Duration;

use premath_kernel::{Object, Value};

use crate::tools::spec::Risk;

/// The longest name of a server: what is left of a tool's name must be worth something.
const LONGEST_NAME: usize = 32;

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// A program that speaks over its standard streams.
    Program {
        /// The program; with a folder before it, an absolute path.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
        /// The variables of the environment that it gets beside the usual ones, by name.
        environment: Vec<String>,
        /// The folder it works in, absolute.
        folder: String,
    },
    /// A service over HTTP.
    Service {
        /// Where.
        url: String,
        /// The variable that holds the bearer token.
        token: Option<String>,
        /// Headers, and the variables that hold their values.
        headers: BTreeMap<String, String>,
    },
}

/// How a conversation begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handshake {
    /// As the server likes: the newer way is tried first.
    Auto,
    /// With `initialize`, as until 2025-11-25.
    Initialize,
    /// Without one, as from 2026-07-28 on.
    Discover,
}

impl Handshake {
    /// Every one of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Initialize, Self::Discover];

    /// Its name in the configuration.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Initialize => "2025-11-25",
            Self::Discover => "2026-07-28",
        }
    }
}

/// A server and the terms on which it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForeignServer {
    /// What its tools' names begin with.
    pub name: String,
    /// How it is reached.
    pub reach: Reach,
    /// How a conversation begins.
    pub handshake: Handshake,
    /// How long it may take until it is there.
    pub start: Duration,
    /// How long a call may take.
    pub deadline: Duration,
    /// The most bytes of an answer that are kept.
    pub output_bytes: u64,
    /// The only tools that are used; all when nobody says.
    pub allow: Option<Vec<String>>,
    /// Tools that are not used.
    pub deny: Vec<String>,
    /// What must be granted for its tools to exist.
    pub scope: String,
    /// What a call can do, for tools without a risk of their own.
    pub risk: Risk,
    /// What a call of a tool can do.
    pub risks: BTreeMap<String, Risk>,
    /// Tools whose calls may be made again when an answer was lost.
    pub idempotent: Vec<String>,
    /// Per tool the arguments that say what a call acts on. A tool without any is approved call by call.
    pub targets: BTreeMap<String, Vec<String>>,
    /// Whether its tools are offered only after a search found them.
    pub is_deferred: bool,
    /// Whether the person's own file names it: one that a repository names is not even started before a person agreed.
    pub is_own: bool,
}

impl ForeignServer {
    /// A server under the terms that hold when nobody says otherwise.
    #[must_use]
    pub fn new(name: &str, reach: Reach) -> Self {
        Self {
            name: name.to_owned(),
            reach,
            handshake: Handshake::Auto,
            start: Duration::from_secs(30),
            deadline: Duration::from_secs(60),
            output_bytes: 1 << 20,
            allow: None,
            deny: Vec::new(),
            scope: format!("mcp:{name}"),
            risk: Risk::Destructive,
            risks: BTreeMap::new(),
            idempotent: Vec::new(),
            targets: BTreeMap::new(),
            is_deferred: false,
            is_own: false,
        }
    }

    /// Who it is: another command, argument, folder or address is another server.
    #[must_use]
    pub fn identity(&self) -> Value<'_> {
        let texts = |texts: &'_ [String]| -> Vec<String> { texts.to_vec() };
        let list = |items: Vec<String>| items.into_iter().map(Value::from).collect::<Vec<_>>();
        match &self.reach {
            Reach::Program { program, arguments, environment, folder } => Object::fields()
                .field("arguments", list(texts(arguments)))
                .field("environment", list(texts(environment)))
                .field("folder", folder.as_str())
                .field("name", self.name.as_str())
                .field("program", program.as_str())
                .finish(),
            Reach::Service { url, token, headers } => Object::fields()
                .field(
                    "headers",
                    list(headers.iter().map(|(name, from)| format!("{name}: ${from}")).collect()),
                )
                .field("name", self.name.as_str())
                .optional("token", token.as_deref())
                .field("url", url.as_str())
                .finish(),
        }
    }

    /// The terms on which a tool is used, as a pin holds them.
    #[must_use]
    pub fn terms(&self, tool: &str) -> Value<'_> {
        Object::fields()
            .field("idempotent", self.is_idempotent(tool))
            .field("risk", self.risk_of(tool).token())
            .field("scope", self.scope.as_str())
            .non_empty(
                "targets",
                self.targets_of(tool).iter().map(|name| Value::from(name.as_str())).collect(),
            )
            .finish()
    }

    /// The arguments that say what a call of a tool acts on.
    #[must_use]
    pub fn targets_of(&self, tool: &str) -> &[String] {
        self.targets.get(tool).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a call of a tool can do. What the server says of it does not count.
    #[must_use]
    pub fn risk_of(&self, tool: &str) -> Risk {
        self.risks.get(tool).copied().unwrap_or(self.risk)
    }

    /// Whether a call of a tool may be made again when its answer was lost.
    #[must_use]
    pub fn is_idempotent(&self, tool: &str) -> bool {
        self.idempotent.iter().any(|name| name == tool)
    }

    /// Whether a tool is used at all.
    #[must_use]
    pub fn uses(&self, tool: &str) -> bool {
        let is_named = |names: &[String]| names.iter().any(|name| name == tool);
        self.allow.as_deref().is_none_or(is_named) && !is_named(&self.deny)
    }

    /// How it is reached, in a line.
    #[must_use]
    pub fn shown(&self) -> String {
        match &self.reach {
            Reach::Program { program, arguments, .. } => {
                std::iter::once(program).chain(arguments).cloned().collect::<Vec<_>>().join(" ")
            }
            Reach::Service { url, .. } => url.clone(),
        }
    }
}

/// Whether a name can be a server's: letters, digits, `_` and `-`, none of `_` at an end and never two of them together, so
/// that it is always plain where it ends and the name of a tool begins.
#[must_use]
pub fn is_server_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    (1..=LONGEST_NAME).contains(&name.len())
        && name.chars().all(is_letter)
        && !name.contains("__")
        && !name.starts_with('_')
        && !name.ends_with('_')
}
