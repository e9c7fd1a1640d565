//! `[policy]`: in which role runs work, what each role may have at most, what a day may cost, who may observe.
//!
//! Each value knows its line. It must not decide who may say what: whoever reads a file does that.

use std::collections::{BTreeMap, BTreeSet};

use premath_tusk::policy::Observability;

use super::Setting;
use super::turn_loop::{NONE, dollars, number, shown};

/// What `[policy]` says. What is absent has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicySettings {
    /// `policy.role`: the role that runs work in.
    pub role: Option<Setting<String>>,
    /// `policy.roles.<name>.scopes`: what a role may have at most; `owner` has no ceiling unless it is
    /// named here, and a role that is neither does not exist.
    pub roles: BTreeMap<String, Setting<Vec<String>>>,
    /// `policy.observability`
    pub observability: Option<Setting<Observability>>,
    /// `policy.max_daily_tool_calls`
    pub daily_tool_calls: Option<Setting<u64>>,
    /// `policy.max_daily_cost_usd`, in millionths of a dollar
    pub daily_cost_micros: Option<Setting<u64>>,
    /// `policy.approval_seconds`: how long a question waits for a person
    pub approval_seconds: Option<Setting<u64>>,
}

impl PolicySettings {
    /// The role when nobody says.
    pub const ROLE: &'static str = "owner";
    /// How long a question waits for a person when nobody says.
    pub const APPROVAL_SECONDS: u64 = 15 * 60;

    /// The role that runs work in.
    #[must_use]
    pub fn role(&self) -> &str {
        self.role.as_ref().map_or(Self::ROLE, |role| &role.value)
    }

    /// What the role may have at most; none when it has no ceiling.
    #[must_use]
    pub fn ceiling(&self) -> Option<&[String]> {
        self.ceiling_of(self.role())
    }

    /// The same for another role. One that does not exist has nothing: a misspelt name must not be everything.
    #[must_use]
    pub fn ceiling_of(&self, role: &str) -> Option<&[String]> {
        match self.roles.get(role) {
            Some(scopes) => Some(scopes.value.as_slice()),
            None if role == Self::ROLE => None,
            None => Some(&[]),
        }
    }

    /// The roles there are, sorted: those with a ceiling, and the one that needs none.
    #[must_use]
    pub fn role_names(&self) -> BTreeSet<&str> {
        self.roles.keys().map(String::as_str).chain([Self::ROLE]).collect()
    }

    /// What is said about a role that does not exist.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn check_role(&self, role: &str) -> Result<(), String> {
        let names = self.role_names();
        if names.contains(role) {
            return Ok(());
        }
        let role: String = role.chars().take(64).flat_map(char::escape_debug).collect();
        let names: Vec<&str> = names.into_iter().collect();
        Err(format!("there is no role `{role}`; there are {}", names.join(", ")))
    }

    /// Where what is observed may go.
    #[must_use]
    pub fn observability(&self) -> Observability {
        self.observability.as_ref().map_or_else(Observability::default, |mode| mode.value)
    }

    /// The calls and the millionths of a dollar that one day may cost.
    #[must_use]
    pub fn daily(&self) -> (Option<u64>, Option<u64>) {
        let value = |setting: &Option<Setting<u64>>| setting.as_ref().map(|setting| setting.value);
        (value(&self.daily_tool_calls), value(&self.daily_cost_micros))
    }

    /// How long a question waits for a person.
    #[must_use]
    pub fn approval_seconds(&self) -> u64 {
        self.approval_seconds.as_ref().map_or(Self::APPROVAL_SECONDS, |seconds| seconds.value)
    }

    /// Every value as `config show` shows it, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(String, Setting<String>)> {
        let (calls, cost) = self.daily();
        let cost = cost.map_or_else(|| NONE.to_owned(), dollars);
        let mut entries = vec![
            ("approval_seconds".to_owned(), shown(&self.approval_seconds, &self.approval_seconds())),
            ("max_daily_cost_usd".to_owned(), shown(&self.daily_cost_micros, &cost)),
            ("max_daily_tool_calls".to_owned(), shown(&self.daily_tool_calls, &number(calls))),
            ("observability".to_owned(), shown(&self.observability, &self.observability().token())),
            ("role".to_owned(), shown(&self.role, &self.role())),
        ];
        entries.extend(self.roles.iter().map(|(role, scopes)| {
            let value = if scopes.value.is_empty() { NONE.to_owned() } else { scopes.value.join(", ") };
            (format!("roles.{role}.scopes"), Setting { value, layer: scopes.layer.clone() })
        }));
        entries
    }
}
