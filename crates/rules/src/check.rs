//! Rules held against the tools: a name that nothing has, a type that does not fit, a condition that can never be true.

use std::collections::{BTreeMap, BTreeSet};

use cedar_policy::{PolicyId, PolicySet, Schema, ValidationMode, ValidationWarning, Validator};
use miette::Diagnostic;

use crate::annotations::meant;
use crate::error::{Problems, line_of};
use crate::rule::{Rule, offset_of};
use crate::source::RuleSource;
use crate::words::Words;

/// Names of actions that rules speak of and no tool has, by rule.
pub(crate) type Absent = BTreeMap<String, BTreeSet<String>>;

/// Finds them. Only an optional rule may have some.
pub(crate) fn absent(
    rules: &[Rule],
    words: &Words,
    sources: &[RuleSource],
    problems: &mut Problems,
) -> Absent {
    let mut absent = Absent::new();
    for rule in rules {
        for uid in rule.policy.entity_literals() {
            let name: &str = uid.id().as_ref();
            if !words.types.is_action(&uid) || words.actions.contains(name) {
                continue;
            }
            absent.entry(rule.about.id.clone()).or_default().insert(name.to_owned());
            if rule.about.is_optional {
                continue;
            }
            let text = text_of(sources, &rule.file);
            let written = uid.to_string();
            let at = text.get(rule.offset..).and_then(|rest| rest.find(&written)).unwrap_or_default();
            let line = line_of(text, rule.offset + at);
            let problem =
                format!("`{}` is about `{name}`, and no tool or group has that name", rule.about.id);
            let near = meant(name, words.actions.iter().map(String::as_str));
            let advice = format!("{near} A rule about a tool that may be missing says `@optional(\"true\")`");
            problems.push(&rule.file, line, problem, advice);
        }
    }
    absent
}

/// Checks rules strictly.
pub(crate) fn check(
    rules: &[Rule],
    schema: Schema,
    words: &Words,
    absent: &Absent,
    sources: &[RuleSource],
    problems: &mut Problems,
) {
    let Ok(set) = PolicySet::from_policies(rules.iter().map(|rule| rule.policy.clone())) else {
        return problems.push("rules", 1, "the rules cannot be taken together", "give each its own id");
    };
    let by_id =
        |id: &PolicyId| rules.iter().find(|rule| rule.about.id == <PolicyId as AsRef<str>>::as_ref(id));
    let mut say = |id: &PolicyId, error: &dyn Diagnostic| {
        let Some(rule) = by_id(id) else {
            return problems.push("rules", 1, error.to_string(), "mend the rule");
        };
        let line = offset_of(error).map_or(rule.line, |at| line_of(text_of(sources, &rule.file), at));
        let advice = error.help().map_or_else(|| "mend the condition".to_owned(), |help| help.to_string());
        problems.push(&rule.file, line, format!("`{}`: {error}", rule.about.id), advice);
    };
    let result = Validator::new(schema).validate(&set, ValidationMode::Strict);
    result.validation_errors().for_each(|error| say(error.policy_id(), error));
    for warning in result.validation_warnings() {
        let id: &str = warning.policy_id().as_ref();
        let waits = by_id(warning.policy_id())
            .is_some_and(|rule| !words.tools.values().any(|tool| rule.can_speak_of(tool)));
        if !(is_never(warning) && (waits || absent.contains_key(id))) {
            say(warning.policy_id(), warning);
        }
    }
    for rule in rules.iter().filter(|rule| !absent.contains_key(&rule.about.id)) {
        unknown_arguments(rule, words, problems);
    }
}

/// That a rule can never match is what it means to speak of absent tools, or of a risk that no tool has.
fn is_never(warning: &ValidationWarning) -> bool {
    matches!(warning, ValidationWarning::ImpossiblePolicy(_) | ValidationWarning::InvalidActionApplication(_))
}

/// `has` is how a rule asks for an argument that not every tool has, so the language takes any name there.
fn unknown_arguments(rule: &Rule, words: &Words, problems: &mut Problems) {
    for name in rule.mentions.asked_for.iter().filter(|name| !words.has_argument(name)) {
        let problem = format!("`{}` asks for the argument `{name}`, which no tool has", rule.about.id);
        let arguments: BTreeSet<&str> = words.arguments().collect();
        problems.push(&rule.file, rule.line, problem, meant(name, arguments));
    }
}

fn text_of<'s>(sources: &'s [RuleSource], file: &str) -> &'s str {
    sources.iter().find(|source| source.name == file).map_or("", |source| source.text.as_str())
}
