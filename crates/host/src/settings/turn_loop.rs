//! `[loop]`: what a run may use and how it works when nobody says otherwise on the command line.
//!
//! Each value knows its line. It must not decide who may say what: whoever reads a file does that.

use premath_kernel::ActionMode;
use premath_tusk::sandbox::Profile;
use premath_tusk::turn_loop::{CodeLimits, ContextLimits, Limits, OnFull};

use super::Setting;

/// What `[loop]` says. What is absent has its default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LoopSettings {
    /// `loop.action_mode`
    pub action_mode: Option<Setting<ActionMode>>,
    /// `loop.code`
    pub code: CodeSettings,
    /// `loop.autonomous`: the measured reason to go on past the turns of a workflow.
    pub autonomous: Option<Setting<String>>,
    /// `loop.max_turns`
    pub max_turns: Option<Setting<u64>>,
    /// `loop.max_tool_calls`
    pub max_tool_calls: Option<Setting<u64>>,
    /// `loop.max_tokens`
    pub max_tokens: Option<Setting<u64>>,
    /// `loop.max_cost_usd`, in millionths of a dollar
    pub max_cost_micros: Option<Setting<u64>>,
    /// `loop.max_minutes`
    pub max_minutes: Option<Setting<u64>>,
    /// `loop.max_workers`
    pub max_workers: Option<Setting<u64>>,
    /// `loop.max_depth`
    pub max_depth: Option<Setting<u64>>,
    /// `loop.identical_calls`
    pub identical_calls: Option<Setting<u64>>,
    /// `loop.checkpoint_every`
    pub checkpoint_every: Option<Setting<u64>>,
    /// `loop.checkpoint_before`
    pub checkpoint_before: Option<Setting<Vec<String>>>,
    /// `loop.parallel`
    pub parallel: Option<Setting<u64>>,
    /// `loop.answer_calls`
    pub answer_calls: Option<Setting<u64>>,
    /// `loop.context_tokens`
    pub context_tokens: Option<Setting<u64>>,
    /// `loop.on_full`
    pub on_full: Option<Setting<OnFull>>,
    /// `loop.result_bytes`
    pub result_bytes: Option<Setting<u64>>,
    /// `loop.output_tokens`
    pub output_tokens: Option<Setting<u64>>,
    /// `loop.edit_surfaces`
    pub edit_surfaces: Option<Setting<Vec<String>>>,
    /// `loop.profile`
    pub profile: Option<Setting<Profile>>,
    /// `loop.scopes`
    pub scopes: Option<Setting<Vec<String>>>,
    /// `loop.unpriced`
    pub unpriced: Option<Setting<UnpricedModels>>,
}

/// What a cost limit does about a model whose price is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum UnpricedModels {
    /// The run does not begin: what cannot be measured cannot be limited.
    #[default]
    Refuse,
    /// The run begins, and answers of the model count as nothing.
    Allow,
}

impl UnpricedModels {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Refuse, Self::Allow];

    /// The word for it.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Refuse => "refuse",
            Self::Allow => "allow",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.token() == token)
    }
}

/// What `[loop.code]` says: how much a program of a model may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeSettings {
    /// `loop.code.fuel`
    pub fuel: Option<Setting<u64>>,
    /// `loop.code.memory`
    pub memory: Option<Setting<u64>>,
    /// `loop.code.depth`
    pub depth: Option<Setting<u64>>,
    /// `loop.code.output`
    pub output: Option<Setting<u64>>,
    /// `loop.code.calls`
    pub calls: Option<Setting<u64>>,
    /// `loop.code.result_bytes`
    pub result_bytes: Option<Setting<u64>>,
}

/// The value of a setting that may be absent.
fn said<T: Clone>(setting: &Option<Setting<T>>) -> Option<T> {
    setting.as_ref().map(|setting| setting.value.clone())
}

impl LoopSettings {
    /// The walls around commands when nobody says.
    pub const PROFILE: Profile = Profile::WorkspaceWrite;

    /// The tools that may change files of the workdir unless somebody says otherwise.
    pub const EDIT_SURFACES: [&'static str; 2] = ["apply_patch", "shell"];

    /// The tools that may change files of the workdir.
    #[must_use]
    pub fn edit_surfaces(&self) -> Vec<String> {
        said(&self.edit_surfaces).unwrap_or_else(|| Self::EDIT_SURFACES.map(str::to_owned).to_vec())
    }

    /// The limits of a run.
    #[must_use]
    pub fn limits(&self) -> Limits {
        let standard = Limits::standard();
        Limits {
            turns: said(&self.max_turns).or(standard.turns),
            tool_calls: said(&self.max_tool_calls).or(standard.tool_calls),
            tokens: said(&self.max_tokens).or(standard.tokens),
            cost_micros: said(&self.max_cost_micros).or(standard.cost_micros),
            wall_millis: said(&self.max_minutes).map(millis).or(standard.wall_millis),
            identical_calls: said(&self.identical_calls).or(standard.identical_calls),
            workers: said(&self.max_workers).or(standard.workers),
            depth: said(&self.max_depth).or(standard.depth),
            checkpoint_every: said(&self.checkpoint_every).or(standard.checkpoint_every),
            checkpoint_before: said(&self.checkpoint_before).unwrap_or(standard.checkpoint_before),
            parallel: said(&self.parallel).unwrap_or(standard.parallel),
            answer_calls: said(&self.answer_calls).or(standard.answer_calls),
            // Not raised by a file: past it a workflow needs `autonomous`, or a person who names more.
            workflow_turns: standard.workflow_turns,
        }
    }

    /// How much a model is shown.
    #[must_use]
    pub fn context(&self) -> ContextLimits {
        let standard = ContextLimits::standard();
        ContextLimits {
            max_tokens: said(&self.context_tokens).unwrap_or(standard.max_tokens),
            on_full: said(&self.on_full).unwrap_or(standard.on_full),
            result_bytes: said(&self.result_bytes).unwrap_or(standard.result_bytes),
            output_tokens: said(&self.output_tokens).unwrap_or(standard.output_tokens),
        }
    }

    /// How a model expresses what it wants to do.
    #[must_use]
    pub fn mode(&self) -> ActionMode {
        said(&self.action_mode).unwrap_or(ActionMode::Json)
    }

    /// What a cost limit does about a model whose price is not known.
    #[must_use]
    pub fn unpriced(&self) -> UnpricedModels {
        said(&self.unpriced).unwrap_or_default()
    }

    /// How much a program may use.
    #[must_use]
    pub fn code_limits(&self) -> CodeLimits {
        let (standard, code) = (CodeLimits::standard(), &self.code);
        CodeLimits {
            fuel: said(&code.fuel).unwrap_or(standard.fuel),
            memory: said(&code.memory).unwrap_or(standard.memory),
            depth: said(&code.depth).unwrap_or(standard.depth),
            output: said(&code.output).unwrap_or(standard.output),
            calls: said(&code.calls).unwrap_or(standard.calls),
            result_bytes: said(&code.result_bytes).unwrap_or(standard.result_bytes),
        }
    }

    /// Every value as `config show` shows it, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(&'static str, Setting<String>)> {
        let (limits, context) = (self.limits(), self.context());
        let minutes = limits.wall_millis.map(|millis| millis / 60_000);
        let list = |setting: &Option<Setting<Vec<String>>>| setting.as_ref().map(|one| one.value.join(", "));
        let profile = said(&self.profile).unwrap_or(Self::PROFILE);
        let dollars = limits.cost_micros.map(dollars);
        let all = |texts: Option<String>, otherwise: &str| texts.unwrap_or_else(|| otherwise.to_owned());
        let every = number(limits.checkpoint_every);
        let scopes = match self.scopes.as_ref().map(|scopes| scopes.value.as_slice()) {
            None => "all".to_owned(),
            Some([]) => NONE.to_owned(),
            Some(scopes) => scopes.join(", "),
        };
        let (code, budgets) = (&self.code, self.code_limits());
        vec![
            ("action_mode", shown(&self.action_mode, &self.mode().token())),
            ("answer_calls", shown(&self.answer_calls, &limits.answer_calls.unwrap_or(MOST_ANSWER_CALLS))),
            ("autonomous", shown(&self.autonomous, &all(said(&self.autonomous), NONE))),
            ("checkpoint_before", shown(&self.checkpoint_before, &all(list(&self.checkpoint_before), NONE))),
            ("checkpoint_every", shown(&self.checkpoint_every, &every)),
            ("code.calls", shown(&code.calls, &budgets.calls)),
            ("code.depth", shown(&code.depth, &budgets.depth)),
            ("code.fuel", shown(&code.fuel, &budgets.fuel)),
            ("code.memory", shown(&code.memory, &budgets.memory)),
            ("code.output", shown(&code.output, &budgets.output)),
            ("code.result_bytes", shown(&code.result_bytes, &budgets.result_bytes)),
            ("context_tokens", shown(&self.context_tokens, &context.max_tokens)),
            ("edit_surfaces", shown(&self.edit_surfaces, &all(Some(self.edit_surfaces().join(", ")), NONE))),
            ("identical_calls", shown(&self.identical_calls, &number(limits.identical_calls))),
            ("max_cost_usd", shown(&self.max_cost_micros, &all(dollars, NONE))),
            ("max_depth", shown(&self.max_depth, &number(limits.depth))),
            ("max_minutes", shown(&self.max_minutes, &number(minutes))),
            ("max_tokens", shown(&self.max_tokens, &number(limits.tokens))),
            ("max_tool_calls", shown(&self.max_tool_calls, &number(limits.tool_calls))),
            ("max_turns", shown(&self.max_turns, &number(limits.turns))),
            ("max_workers", shown(&self.max_workers, &number(limits.workers))),
            ("on_full", shown(&self.on_full, &context.on_full.token())),
            ("output_tokens", shown(&self.output_tokens, &context.output_tokens)),
            ("parallel", shown(&self.parallel, &limits.parallel)),
            ("profile", shown(&self.profile, &profile.as_str())),
            ("result_bytes", shown(&self.result_bytes, &context.result_bytes)),
            ("scopes", shown(&self.scopes, &scopes)),
            ("unpriced", shown(&self.unpriced, &self.unpriced().token())),
        ]
    }
}

/// The most calls of one answer when nobody says.
const MOST_ANSWER_CALLS: u64 = 128;

/// What stands for a value that is not there.
pub(super) const NONE: &str = "none";

pub(super) fn number(value: Option<u64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |value| value.to_string())
}

pub(super) fn shown<T>(setting: &Option<Setting<T>>, value: &impl ToString) -> Setting<String> {
    match setting {
        Some(setting) => Setting { value: value.to_string(), layer: setting.layer.clone() },
        None => Setting::default_value(value.to_string()),
    }
}

const fn millis(minutes: u64) -> u64 {
    minutes.saturating_mul(60_000)
}

/// Millionths of a dollar as dollars: as many decimals as it needs, two at least.
pub(super) fn dollars(micros: u64) -> String {
    let part = format!("{:06}", micros % 1_000_000);
    let (cents, rest) = part.split_at_checked(2).unwrap_or((&part, ""));
    format!("{}.{cents}{}", micros / 1_000_000, rest.trim_end_matches('0'))
}

#[cfg(test)]
mod tests;
