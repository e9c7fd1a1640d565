//! A pack of rules: loaded whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use premath_kernel::{Digest, Object, Value};
use premath_tusk::tools::{Catalogue, ToolSpec};

use crate::check::{absent, check};
use crate::default_pack;
use crate::error::{LoadErrors, Problems};
use crate::examples::{Bench, try_all};
use crate::rule::{Rule, rules};
use crate::schema::schema;
use crate::source::RuleSource;
use crate::tool_pack::ToolPack;
use crate::words::Words;

/// Where a problem is that is none of a file's.
const TOOLS: &str = "tools";

/// Rules that were checked and tried.
#[derive(Debug)]
pub struct RulePack {
    /// By id.
    pub(crate) rules: BTreeMap<String, Rule>,
    /// By name.
    pub(crate) tools: BTreeMap<String, ToolPack>,
    pub(crate) digest: Digest,
    absent: BTreeSet<String>,
}

impl RulePack {
    /// Loads rules for some tools: reads them, holds them against the tools' definitions, tries every example.
    ///
    /// # Errors
    /// Everything that is wrong, each with its file and line and what to do about it.
    pub fn load(sources: &[RuleSource], tools: &[ToolSpec]) -> Result<Self, LoadErrors> {
        let mut problems = Problems::default();
        let loaded = load(sources, tools, &mut problems);
        problems.finish(loaded)
    }

    /// The rules that hold in a repository without rules of its own.
    #[must_use]
    pub fn default_sources() -> Vec<RuleSource> {
        default_pack::sources()
    }

    /// Names of tools and groups that optional rules speak of and that no tool has: those rules wait.
    pub fn absent(&self) -> impl Iterator<Item = &str> {
        self.absent.iter().map(String::as_str)
    }
}

fn load(sources: &[RuleSource], tools: &[ToolSpec], problems: &mut Problems) -> Option<RulePack> {
    let mut rules = read(sources, problems);
    let advice = "mend the definition of the tool";
    let catalogue = Catalogue::of_specs(tools.iter().cloned())
        .map_err(|error| problems.push(TOOLS, 1, error.to_string(), advice))
        .ok()?;
    let fail = |problems: &mut Problems, why: String| problems.push(TOOLS, 1, why, advice);
    let words = Words::new(catalogue.specs()).map_err(|why| fail(problems, why)).ok()?;
    let absent = absent(&rules, &words, sources, problems);
    let names: BTreeSet<String> = absent.values().flatten().cloned().collect();
    let schema = schema(&words, &names).map_err(|why| fail(problems, why)).ok()?;
    check(&rules, schema, &words, &absent, sources, problems);
    let packed: Result<BTreeMap<String, ToolPack>, String> = words
        .tools
        .values()
        .map(|tool| Ok((tool.name.clone(), ToolPack::new(tool, &words, &rules)?)))
        .collect();
    let packed = packed.map_err(|why| fail(problems, why)).ok()?;
    let bench = Bench { catalogue: &catalogue, tools: &packed };
    for source in sources {
        // Examples of rules that are wrong in themselves would only say the same again.
        if problems.are_in(&source.name) {
            continue;
        }
        let mut own: Vec<Rule> = rules.extract_if(.., |rule| rule.file == source.name).collect();
        try_all(&bench, source, &mut own, problems);
        rules.append(&mut own);
    }
    let rules = rules.into_iter().map(|rule| (rule.about.id.clone(), rule)).collect();
    Some(RulePack { rules, tools: packed, digest: digest(sources), absent: names })
}

/// The rules of all files; files and rules whose name another one has are problems and left out.
fn read(sources: &[RuleSource], problems: &mut Problems) -> Vec<Rule> {
    let mut files: BTreeSet<&str> = BTreeSet::new();
    let mut places: BTreeMap<String, String> = BTreeMap::new();
    let mut read = Vec::new();
    for source in sources {
        if !files.insert(&source.name) {
            problems.push(&source.name, 1, "two files have this name", "give each its own");
            continue;
        }
        for rule in rules(source, problems) {
            let here = format!("{}:{}", rule.file, rule.line);
            if let Some(first) = places.get(&rule.about.id) {
                let problem = format!("`{}` is also the id of the rule at {first}", rule.about.id);
                problems.push(&rule.file, rule.line, problem, "give each rule its own id");
                continue;
            }
            places.insert(rule.about.id.clone(), here);
            read.push(rule);
        }
    }
    read
}

/// Over every name, every rule and every example, in the order of the names.
fn digest(sources: &[RuleSource]) -> Digest {
    let mut sources: Vec<&RuleSource> = sources.iter().collect();
    sources.sort_by(|left, right| left.name.cmp(&right.name));
    let value = |source: &&'_ RuleSource| {
        Object::fields()
            .field("examples", source.examples.clone())
            .field("name", source.name.clone())
            .field("rules", source.text.clone())
            .finish()
    };
    let all: Vec<Value<'_>> = sources.iter().map(value).collect();
    Digest::prefixed("pol1_", &Value::from(all))
}
