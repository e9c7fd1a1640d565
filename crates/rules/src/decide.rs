//! How what rules say becomes a decision.
//!
//! Anything that failed denies. Else a rule that denies, else the lack of one that allows, else a rule that asks; else it may
//! run. Among several of a kind the one with the smallest id is named.

use premath_kernel::Digest;
use premath_tusk::policy::{CallFacts, Effect, Evaluated, RuleInfo, Rules, Ruling};
use serde_json::Value;

use crate::pack::RulePack;
use crate::rule::Rule;
use crate::tool_pack::Spoken;

impl Rules for RulePack {
    fn decide(&self, call: &CallFacts<'_>) -> Ruling {
        match self.ask(call) {
            Ok(spoken) => self.ruling(spoken),
            Err(why) => denial(why.clone(), Vec::new(), vec![why]),
        }
    }

    fn explain(&self, call: &CallFacts<'_>) -> Vec<Evaluated> {
        let spoken = self.ask(call).unwrap_or_default();
        let evaluated = |(id, rule): (&String, &Rule)| Evaluated {
            rule: id.clone(),
            effect: rule.about.effect,
            matched: spoken.matched.binary_search(id).is_ok(),
            reason: rule.about.reason.clone(),
        };
        self.rules.iter().map(evaluated).collect()
    }

    fn rules(&self) -> Vec<RuleInfo> {
        let info = |(id, rule): (&String, &Rule)| RuleInfo {
            id: id.clone(),
            effect: rule.about.effect,
            reason: rule.about.reason.clone(),
            source: format!("{}:{}", rule.file, rule.line),
            examples: rule.examples,
        };
        self.rules.iter().map(info).collect()
    }

    fn digest(&self) -> &Digest {
        &self.digest
    }
}

impl RulePack {
    fn ask(&self, call: &CallFacts<'_>) -> Result<Spoken, String> {
        let tool = self.tools.get(call.tool);
        let tool = tool.ok_or_else(|| format!("the rules were loaded without the tool `{}`", call.tool))?;
        let mut spoken = tool.ask(call)?;
        // A shell takes quotes away before anything runs; a rule that denies looks at the command both ways.
        if let Some(arguments) = unquoted(call) {
            let plain = tool.ask(&CallFacts { arguments: &arguments, ..*call })?;
            let denies =
                |id: &String| self.rules.get(id).is_some_and(|rule| rule.about.effect == Effect::Deny);
            spoken.matched.extend(plain.matched.into_iter().filter(denies));
            spoken.matched.sort();
            spoken.matched.dedup();
        }
        Ok(spoken)
    }

    fn ruling(&self, spoken: Spoken) -> Ruling {
        if !spoken.failed.is_empty() {
            let errors: Vec<String> =
                spoken.failed.iter().map(|(id, why)| format!("`{id}` failed: {why}")).collect();
            return denial(errors.join("; "), spoken.matched, errors);
        }
        let first = |effect: Effect| {
            let rules = spoken.matched.iter().filter_map(|id| self.rules.get(id));
            rules.into_iter().find(|rule| rule.about.effect == effect)
        };
        let decider = match (first(Effect::Deny), first(Effect::Allow), first(Effect::Ask)) {
            (Some(rule), _, _) => Some(rule),
            (None, None, _) => None,
            (None, Some(_), Some(rule)) | (None, Some(rule), None) => Some(rule),
        };
        let Some(rule) = decider else {
            return denial("no rule allows it".to_owned(), spoken.matched, Vec::new());
        };
        Ruling {
            effect: rule.about.effect,
            rule: Some(rule.about.id.clone()),
            reason: rule.about.reason.clone(),
            hint: rule.about.hint.clone(),
            matched: spoken.matched,
            errors: Vec::new(),
        }
    }
}

/// The arguments of a command without quotes and with single blanks, where that is another text.
fn unquoted(call: &CallFacts<'_>) -> Option<Value> {
    let command = call.arguments.get("command").filter(|_| call.tool == "shell")?.as_str()?;
    let bare: String = command.chars().filter(|letter| !matches!(letter, '"' | '\'' | '\\')).collect();
    let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    (bare != command).then(|| {
        let mut arguments = call.arguments.clone();
        if let Some(command) = arguments.get_mut("command") {
            *command = Value::String(bare);
        }
        arguments
    })
}

/// A denial that no rule decided.
pub(crate) fn denial(reason: String, matched: Vec<String>, errors: Vec<String>) -> Ruling {
    Ruling { effect: Effect::Deny, rule: None, reason, hint: String::new(), matched, errors }
}
