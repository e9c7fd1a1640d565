//! The examples of a rule: calls that it must match and calls that it must not, tried when it is loaded. An example that
//! comes out wrong is an error like any other.

use std::collections::BTreeMap;

use premath_kernel::Digest;
use premath_tusk::JsonText;
use premath_tusk::policy::{CallFacts, Origin, Principal, RunFacts, Target};
use premath_tusk::tools::Catalogue;
use premath_wire::strict::{Limits, parse};
use serde::Deserialize;
use serde_json::Value;

use crate::annotations::meant;
use crate::error::{Problems, line_of};
use crate::rule::Rule;
use crate::source::RuleSource;
use crate::tool_pack::{Spoken, ToolPack};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Written {
    #[serde(default, rename = "match")]
    matching: Vec<Example>,
    #[serde(default)]
    no_match: Vec<Example>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    tool: String,
    #[serde(default = "no_arguments")]
    arguments: Value,
    #[serde(default)]
    targets: Vec<ExampleTarget>,
    #[serde(default = "somebody")]
    user: String,
    #[serde(default = "somebody")]
    role: String,
    #[serde(default = "low")]
    tier: String,
    issue: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleTarget {
    id: String,
    name: Option<String>,
    #[serde(default = "file")]
    kind: String,
    #[serde(default)]
    by: By,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    #[default]
    Person,
    Bot,
}

fn no_arguments() -> Value {
    Value::Object(serde_json::Map::new())
}

fn somebody() -> String {
    "example".to_owned()
}

fn low() -> String {
    "low".to_owned()
}

fn file() -> String {
    "file".to_owned()
}

/// What examples are tried with.
#[derive(Debug)]
pub(crate) struct Bench<'b> {
    pub(crate) catalogue: &'b Catalogue,
    pub(crate) tools: &'b BTreeMap<String, ToolPack>,
}

/// Tries the examples of a file with its rules; counts them.
pub(crate) fn try_all(bench: &Bench<'_>, source: &RuleSource, rules: &mut [Rule], problems: &mut Problems) {
    let file = source.examples_name();
    let Some(written) = read(source, problems) else { return };
    for id in written.keys().filter(|id| !rules.iter().any(|rule| rule.about.id == **id)) {
        let names: Vec<&str> = rules.iter().map(|rule| rule.about.id.as_str()).collect();
        let problem = format!("there are examples of `{id}`, and no such rule beside them");
        problems.push(&file, place(&source.examples, id), problem, meant(id, names));
    }
    for rule in rules {
        let id = rule.about.id.clone();
        let line = place(&source.examples, &id);
        let nothing = Written::default();
        let examples = written.get(&id).unwrap_or(&nothing);
        for (kind, list) in [("match", &examples.matching), ("noMatch", &examples.no_match)] {
            if list.is_empty() {
                let problem = format!("`{id}` has no example under `{kind}`");
                problems.push(
                    &file,
                    line,
                    problem,
                    "write a call that it must match, and one that it must not",
                );
            }
            for (index, example) in list.iter().enumerate() {
                match try_one(bench, rule, example, kind == "match") {
                    Ok(was_tried) => rule.examples += usize::from(was_tried),
                    Err((problem, advice)) => {
                        let problem = format!("example {} under `{kind}` of `{id}`: {problem}", index + 1);
                        problems.push(&file, line, problem, advice);
                    }
                }
            }
        }
    }
}

fn read(source: &RuleSource, problems: &mut Problems) -> Option<BTreeMap<String, Written>> {
    let file = source.examples_name();
    if let Err(error) = parse(source.examples.as_bytes(), Limits::default()) {
        let line = error.position.map_or(1, |position| position.line);
        problems.push(&file, line, format!("this is not JSON: {}", error.what), "mend the file");
        return None;
    }
    let advice = "`{\"<rule>\": {\"match\": [{tool, arguments, targets, user, role, tier, issue}], \"noMatch\": […]}}`";
    serde_json::from_str(&source.examples)
        .map_err(|error| problems.push(&file, error.line(), error.to_string(), advice))
        .ok()
}

/// Whether it came out right; false when its tool is not here, which only an optional rule may have.
fn try_one(
    bench: &Bench<'_>,
    rule: &Rule,
    example: &Example,
    is_match: bool,
) -> Result<bool, (String, String)> {
    let id = &rule.about.id;
    let (Some(tool), Some(known)) = (bench.tools.get(&example.tool), bench.catalogue.get(&example.tool))
    else {
        if rule.about.is_optional {
            return Ok(false);
        }
        let names: Vec<&str> = bench.tools.keys().map(String::as_str).collect();
        return Err((format!("there is no tool `{}`", example.tool), meant(&example.tool, names)));
    };
    let arguments = JsonText::new(example.arguments.to_string())
        .map_err(|error| (error.what, "give an object".to_owned()))
        .and_then(|text| {
            let checked = bench.catalogue.resolve(&example.tool, &text);
            checked.map_err(|failure| (failure.message, "give arguments that the tool takes".to_owned()))
        })?
        .1;
    let spec = known.spec();
    let targets: Vec<Target> = example.targets.iter().map(target).collect();
    let run = example.run();
    let call = CallFacts {
        run: &run,
        tool: &spec.name,
        risk: spec.risk,
        kind: spec.kind,
        scope: &spec.scope,
        arguments: arguments.value(),
        arguments_digest: &Digest::of_bytes(b""),
        targets: &targets,
    };
    let spoken = tool.ask(&call).map_err(|why| (why, "mend the example".to_owned()))?;
    verdict(&spoken, id, is_match)
}

fn verdict(spoken: &Spoken, id: &String, is_match: bool) -> Result<bool, (String, String)> {
    if let Some((_, why)) = spoken.failed.iter().find(|(failed, _)| failed == id) {
        return Err((format!("the rule failed: {why}"), "mend the rule".to_owned()));
    }
    match (spoken.matched.contains(id), is_match) {
        (true, true) | (false, false) => Ok(true),
        (true, false) => {
            Err(("the rule matches it".to_owned(), "narrow the rule or mend the example".to_owned()))
        }
        (false, true) => {
            Err(("the rule does not match it".to_owned(), "widen the rule or mend the example".to_owned()))
        }
    }
}

impl Example {
    fn run(&self) -> RunFacts {
        RunFacts {
            run_id: "example".to_owned(),
            issue_id: self.issue.clone(),
            principal: Principal { id: self.user.clone(), role: self.role.clone() },
            risk_tier: self.tier.clone(),
        }
    }
}

fn target(example: &ExampleTarget) -> Target {
    Target {
        kind: example.kind.clone(),
        id: example.id.clone(),
        name: example.name.clone().unwrap_or_else(|| example.id.clone()),
        origin: match example.by {
            By::Person => Origin::Person,
            By::Bot => Origin::Bot,
        },
    }
}

/// The line of a rule's examples; the first when there are none.
fn place(examples: &str, id: &str) -> usize {
    examples.find(&format!("\"{id}\"")).map_or(1, |at| line_of(examples, at))
}
