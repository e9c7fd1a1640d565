//! The rules of a repository as files: what is in `policies` counts as a whole or not at all.
//!
//! Only where nothing is there do the rules hold that come with premath. Whatever else lies in the place of a rule or of
//! controls (a link, a folder, a pipe, an ending in capitals) could be meant as one, so it is refused by name and never
//! passed over. It must not decide what follows from that.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use premath_bd::{OsDisk, PolicyStore};
use premath_host::ActionError;
use premath_rules::{RulePack, RuleSource};
use premath_tusk::policy::RiskTier;

use crate::system::{self, EntryKind};

/// Where the policies of a repository are.
const POLICIES: &str = "policies";
/// Where its rules are.
const RULES: &str = "policies/governor";
/// Where its control profiles are.
const RISK: &str = "policies/risk";
/// Where its policy package speaks of guards.
pub(super) const GUARDRAILS: &str = "policies/guardrails.json";
/// What a person may leave beside rules.
const README: &str = "README.md";

/// What cannot be used: its name, and why with what to do.
pub(crate) type Unusable = (String, String);

/// The rule files in force, with their examples, by where they belong below `policies`.
pub(crate) fn files(root: &Path) -> Result<Vec<(String, String)>, ActionError> {
    let sources = sources(root).map_err(|(file, why)| ActionError::Unavailable {
        what: format!("`{file}` cannot be read: {why}"),
        hint: "`premath policy show` says what is wrong with the rules".to_owned(),
    })?;
    Ok(sources.into_iter().flat_map(with_examples).collect())
}

/// The rule files that come with premath, with their examples, by where they belong below `policies`.
pub(crate) fn shipped_rules() -> impl Iterator<Item = (String, String)> {
    RulePack::default_sources().into_iter().flat_map(with_examples)
}

fn with_examples(source: RuleSource) -> [(String, String); 2] {
    let named = |name: &str| format!("governor/{name}");
    let examples = (named(&source.examples_name()), source.examples.clone());
    [(named(&source.name), source.text), examples]
}

/// The rule files of a repository; ours where it has none.
pub(crate) fn sources(root: &Path) -> Result<Vec<RuleSource>, Unusable> {
    let packages = PolicyStore::new(Arc::new(OsDisk), root.to_path_buf());
    match packages.is_under_way() {
        Ok(false) => {}
        Ok(true) => {
            let why = "a promotion was cut off: `premath policy promote` or `rollback` finishes it";
            return Err(unusable(POLICIES, why));
        }
        Err(error) => return Err(unusable(POLICIES, &error.to_string())),
    }
    if !has_policies(root)? {
        return Ok(RulePack::default_sources());
    }
    refuse_other_than_files(root)?;
    match kind(root, RULES)? {
        None => Ok(RulePack::default_sources()),
        Some(EntryKind::Folder) => read(root),
        Some(kind) => Err(unusable(RULES, &instead_of_a_folder(kind))),
    }
}

/// Whether there is a folder of policies. It may be a link: what it leads to is protected like itself.
fn has_policies(root: &Path) -> Result<bool, Unusable> {
    let behind = || system::kind_behind(&root.join(POLICIES)).map_err(|error| failed(POLICIES, &error));
    match kind(root, POLICIES)? {
        // An empty file in the place of the folder is a stand-in of the sandbox, left behind by somebody who was killed.
        None | Some(EntryKind::EmptyFile) => Ok(false),
        Some(EntryKind::Folder) => Ok(true),
        Some(EntryKind::Link) => match behind()? {
            Some(EntryKind::Folder) => Ok(true),
            None => Err(unusable(POLICIES, "it is a link that leads nowhere; mend it or take it away")),
            Some(EntryKind::EmptyFile | EntryKind::File | EntryKind::Link | EntryKind::Other) => Err(
                unusable(POLICIES, "it is a link to something that is no folder; mend it or take it away"),
            ),
        },
        Some(kind @ (EntryKind::File | EntryKind::Other)) => {
            Err(unusable(POLICIES, &instead_of_a_folder(kind)))
        }
    }
}

/// Controls and the settings of guards are files of their own names, or are not there.
fn refuse_other_than_files(root: &Path) -> Result<(), Unusable> {
    match kind(root, GUARDRAILS)? {
        None | Some(EntryKind::File | EntryKind::EmptyFile) => {}
        Some(kind) => return Err(unusable(GUARDRAILS, &instead_of_a_file(kind))),
    }
    match kind(root, RISK)? {
        None => return Ok(()),
        Some(EntryKind::Folder) => {}
        Some(kind) => return Err(unusable(RISK, &instead_of_a_folder(kind))),
    }
    let is_tier = |name: &str| RiskTier::ALL.iter().any(|tier| name == format!("{}.json", tier.token()));
    for (name, kind) in listed(root, RISK)? {
        let is_known = is_tier(&name) || name == README;
        if let Some(why) = strange(kind, is_known, "`low.json`, `moderate.json` and `high.json`") {
            return Err(unusable(&format!("{RISK}/{name}"), &why));
        }
    }
    Ok(())
}

fn read(root: &Path) -> Result<Vec<RuleSource>, Unusable> {
    let found = listed(root, RULES)?;
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    for (name, kind) in &found {
        let why = strange(*kind, is_rule_file(name), WANTED).or_else(|| alone(name, &names));
        if let Some(why) = why {
            return Err(unusable(&format!("{RULES}/{name}"), &why));
        }
    }
    let text = |name: &str| {
        let path = format!("{RULES}/{name}");
        match system::read_optional(&root.join(&path)) {
            Ok(Some(text)) => Ok(text),
            Ok(None) => Err(unusable(&path, "it is missing")),
            Err(error) => Err(unusable(&path, &error.message)),
        }
    };
    let mut sources = Vec::new();
    for name in names.into_iter().filter(|name| is_rules(name)) {
        let source = RuleSource::new(name, text(name)?, String::new());
        let examples = text(&source.examples_name())?;
        sources.push(RuleSource { examples, ..source });
    }
    if sources.is_empty() { Err(unusable(RULES, NO_RULES)) } else { Ok(sources) }
}

/// What a folder of rules holds.
const WANTED: &str = "`*.cedar` and `*.examples.json`";
/// Why a folder without rules is none.
const NO_RULES: &str =
    "there are no rules in it; take the folder away to have the rules that come with premath";

/// Why a package has no rules that would load, by the names in it: what stands in `governor` is rules with their examples.
pub(super) fn refuse_names<'n>(names: impl Iterator<Item = &'n str>) -> Result<(), Unusable> {
    let names: Vec<&str> = names.filter_map(|name| name.strip_prefix("governor/")).collect();
    for name in &names {
        let is_known = is_rule_file(name) && !name.contains('/');
        let why = strange(EntryKind::File, is_known, WANTED).or_else(|| alone(name, &names));
        if let Some(why) = why {
            return Err(unusable(&format!("governor/{name}"), &why));
        }
    }
    if names.is_empty() || names.iter().any(|name| is_rules(name)) {
        Ok(())
    } else {
        Err(unusable("governor", NO_RULES))
    }
}

fn is_rules(name: &str) -> bool {
    name.ends_with(".cedar")
}

fn is_rule_file(name: &str) -> bool {
    is_rules(name) || name.ends_with(".examples.json") || name == README
}

/// Examples whose rules are gone: they were not taken away, they were lost.
fn alone(name: &str, names: &[&str]) -> Option<String> {
    let stem = name.strip_suffix(".examples.json")?;
    let rules = format!("{stem}.cedar");
    (!names.contains(&rules.as_str())).then(|| {
        format!("the rules that it has examples of are missing: put `{rules}` beside it, or take it away")
    })
}

/// Why something does not belong in a folder of policy.
fn strange(kind: EntryKind, is_known: bool, wanted: &str) -> Option<String> {
    match kind {
        EntryKind::File | EntryKind::EmptyFile if is_known => None,
        EntryKind::File | EntryKind::EmptyFile => {
            Some(format!("only {wanted} belong here; rename it or take it away"))
        }
        EntryKind::Folder | EntryKind::Link | EntryKind::Other => Some(instead_of_a_file(kind)),
    }
}

fn instead_of_a_file(kind: EntryKind) -> String {
    match kind {
        EntryKind::Link => {
            "it is a link, and links are not followed here; put the file itself there".to_owned()
        }
        EntryKind::Folder => {
            "it is a folder, and nothing in it would count; put its files beside the others, or take it away"
                .to_owned()
        }
        EntryKind::File | EntryKind::EmptyFile | EntryKind::Other => {
            "it is not a file that can be read; take it away".to_owned()
        }
    }
}

fn instead_of_a_folder(kind: EntryKind) -> String {
    match kind {
        EntryKind::Link => {
            "it is a link, and links are not followed here; put the folder itself there".to_owned()
        }
        EntryKind::Folder | EntryKind::File | EntryKind::EmptyFile | EntryKind::Other => {
            "it is no folder; make it one, or take it away".to_owned()
        }
    }
}

fn kind(root: &Path, name: &str) -> Result<Option<EntryKind>, Unusable> {
    system::kind_of(&root.join(name)).map_err(|error| failed(name, &error))
}

/// What is in a folder; what begins with a dot is nobody's policy.
fn listed(root: &Path, name: &str) -> Result<Vec<(String, EntryKind)>, Unusable> {
    let found = system::entries(&root.join(name)).map_err(|error| failed(name, &error))?;
    Ok(found.into_iter().filter(|(name, _)| !name.starts_with('.')).collect())
}

fn failed(name: &str, error: &std::io::Error) -> Unusable {
    unusable(name, &error.to_string())
}

fn unusable(name: &str, why: &str) -> Unusable {
    (name.to_owned(), why.to_owned())
}
