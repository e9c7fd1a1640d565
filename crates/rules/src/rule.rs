//! One rule, and how a file becomes rules.

use cedar_policy::{ActionConstraint, EntityUid, Policy, PolicyId, PolicySet};
use miette::Diagnostic;

use crate::annotations::{Annotations, annotations};
use crate::error::{Problems, line_of};
use crate::mentions::Mentions;
use crate::source::RuleSource;
use crate::words::ToolWords;

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pub(crate) about: Annotations,
    /// The file it is in.
    pub(crate) file: String,
    /// Where it begins, in bytes and lines.
    pub(crate) offset: usize,
    pub(crate) line: usize,
    /// Known to the language under the rule's own id.
    pub(crate) policy: Policy,
    pub(crate) mentions: Mentions,
    /// How many examples it was tried with.
    pub(crate) examples: usize,
}

impl Rule {
    /// Whether its scope has room for a tool: what it says under conditions is another matter.
    pub(crate) fn can_speak_of(&self, tool: &ToolWords) -> bool {
        let is_meant = |action: &EntityUid| tool.is_meant_by(action.id().as_ref());
        match self.policy.action_constraint() {
            ActionConstraint::Any => true,
            ActionConstraint::In(actions) => actions.iter().any(is_meant),
            ActionConstraint::Eq(action) => is_meant(&action),
        }
    }
}

/// The rules of a file, in its order.
pub(crate) fn rules(source: &RuleSource, problems: &mut Problems) -> Vec<Rule> {
    let set: PolicySet = match source.text.parse() {
        Ok(set) => set,
        Err(errors) => {
            unreadable(source, &errors, problems);
            return Vec::new();
        }
    };
    for template in set.templates() {
        let at = source.text.find(template.to_cedar().as_str()).unwrap_or_default();
        let problem = "a rule has a slot such as `?principal`";
        problems.push(&source.name, line_of(&source.text, at), problem, "name who or what is meant");
    }
    let mut rules = Vec::new();
    let mut from = 0;
    for policy in in_order(&set) {
        let text = policy.to_cedar().unwrap_or_default();
        let at = source.text.get(from..).and_then(|rest| rest.find(&text)).map_or(from, |at| from + at);
        from = at + text.len();
        let line = line_of(&source.text, at);
        let (about, faults) = annotations(policy);
        let is_sound = faults.is_empty();
        for (problem, advice) in faults {
            problems.push(&source.name, line, problem, advice);
        }
        if is_sound {
            let policy = policy.new_id(PolicyId::new(&about.id));
            let mentions = Mentions::of(&policy);
            let file = source.name.clone();
            rules.push(Rule { about, file, offset: at, line, policy, mentions, examples: 0 });
        }
    }
    rules
}

/// The language names the rules of a text `policy0`, `policy1` and so on.
fn in_order(set: &PolicySet) -> Vec<&Policy> {
    let number = |policy: &&Policy| {
        let id: &str = policy.id().as_ref();
        id.trim_start_matches("policy").parse::<usize>().unwrap_or(usize::MAX)
    };
    let mut policies: Vec<&Policy> = set.policies().collect();
    policies.sort_by_key(number);
    policies
}

fn unreadable(source: &RuleSource, errors: &cedar_policy::ParseErrors, problems: &mut Problems) {
    for error in errors.iter() {
        let line = offset_of(error).map_or(1, |offset| line_of(&source.text, offset));
        let advice = error.help().map_or_else(|| "mend the text".to_owned(), |help| help.to_string());
        problems.push(&source.name, line, error.to_string(), advice);
    }
}

/// Where the language says that something is wrong, in bytes.
pub(crate) fn offset_of(error: &dyn Diagnostic) -> Option<usize> {
    error.labels()?.map(|label| label.offset()).min()
}
