//! The tools of a run: sorted, each name once, each schema compiled, all of it hashed.
//!
//! A tool whose scope was not granted is not in the catalogue that a run gets: for the model it does not exist. It must
//! not call a tool.

mod digests;
mod pins;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Tool;
use super::arguments::{Arguments, Schema, SchemaError};
use super::closest::closest;
use super::context::ToolContext;
use super::outcome::{ToolFailure, ToolOutput};
use super::spec::ToolSpec;
use super::work_path::shown;
use crate::JsonText;
use crate::model::{CacheMarker, ToolOffer};

pub use digests::CatalogueDigests;
pub use pins::{Drift, Pins};

/// The longest name that every provider takes.
const LONGEST_NAME: usize = 64;

/// Why there is no catalogue of these tools.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CatalogueError {
    /// Two tools have one name.
    #[error("two tools are named `{name}`")]
    SameName {
        /// The name.
        name: String,
    },
    /// A name that some provider does not take.
    #[error("`{}` is no name of a tool: letters, digits, `_` and `-`, at most 64", shown(name))]
    Name {
        /// The name.
        name: String,
    },
    /// A scope that is none.
    #[error("the scope `{}` of `{name}` is not `<resource>:<verb>`", shown(scope))]
    Scope {
        /// The tool.
        name: String,
        /// Its scope.
        scope: String,
    },
    /// A schema that cannot be used.
    #[error("the schema of `{name}` cannot be used")]
    Schema {
        /// The tool.
        name: String,
        /// Why.
        #[source]
        source: SchemaError,
    },
    /// An example that the tool itself would refuse.
    #[error("example {position} of `{name}` is not accepted by its schema: {detail}")]
    Example {
        /// The tool.
        name: String,
        /// Which one, from 1.
        position: usize,
        /// Why not.
        detail: String,
    },
}

/// A tool that is only known by its definition.
#[derive(Debug)]
struct Definition(ToolSpec);

impl Tool for Definition {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn call(&self, _: &Arguments, _: &ToolContext<'_>) -> Result<ToolOutput, ToolFailure> {
        Err(ToolFailure::new("tool.not_here", format!("`{}` cannot be called here", self.0.name)))
    }
}

#[derive(Debug)]
struct Entry {
    tool: Arc<dyn Tool>,
    schema: Schema,
}

impl Entry {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }
}

/// The tools of a run.
#[derive(Debug, Clone, Default)]
pub struct Catalogue(
    // INVARIANT: strictly ascending by name.
    Vec<Arc<Entry>>,
);

impl Catalogue {
    /// A catalogue of these tools.
    ///
    /// # Errors
    /// The first definition that cannot be used, by name.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Result<Self, CatalogueError> {
        let mut tools: Vec<Arc<dyn Tool>> = tools.into_iter().collect();
        tools.sort_by(|left, right| left.spec().name.cmp(&right.spec().name));
        let twins = tools.iter().zip(tools.iter().skip(1));
        if let Some((twin, _)) = twins.into_iter().find(|(left, right)| left.spec().name == right.spec().name)
        {
            return Err(CatalogueError::SameName { name: twin.spec().name.clone() });
        }
        tools.into_iter().map(|tool| entry(tool).map(Arc::new)).collect::<Result<_, _>>().map(Self)
    }

    /// A catalogue of definitions whose tools are not here: for checking calls and running a machine again, not for calling.
    ///
    /// # Errors
    /// The first definition that cannot be used, by name.
    pub fn of_specs(specs: impl IntoIterator<Item = ToolSpec>) -> Result<Self, CatalogueError> {
        Self::new(specs.into_iter().map(|spec| Arc::new(Definition(spec)) as Arc<dyn Tool>))
    }

    /// The same with one tool more.
    ///
    /// # Errors
    /// A tool that cannot be used, or whose name another one has.
    pub fn with(&self, tool: Arc<dyn Tool>) -> Result<Self, CatalogueError> {
        let name = tool.spec().name.clone();
        let mut entries = self.0.clone();
        match entries.binary_search_by(|entry| entry.spec().name.cmp(&name)) {
            Ok(_) => Err(CatalogueError::SameName { name }),
            Err(at) => {
                entries.insert(at, Arc::new(entry(tool)?));
                Ok(Self(entries))
            }
        }
    }

    /// What is left of it when only these scopes are granted.
    #[must_use]
    pub fn granted(&self, scopes: &BTreeSet<String>) -> Self {
        let granted = self.0.iter().filter(|entry| scopes.contains(&entry.spec().scope));
        Self(granted.map(Arc::clone).collect())
    }

    /// The definitions, by name.
    pub fn specs(&self) -> impl Iterator<Item = &ToolSpec> {
        self.0.iter().map(|entry| entry.spec())
    }

    /// The definitions and the names of their arguments, by name.
    pub(super) fn described(&self) -> impl Iterator<Item = (&ToolSpec, Vec<&str>)> {
        self.0.iter().map(|entry| (entry.spec(), entry.schema.argument_names()))
    }

    /// A tool.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.entry(name).map(|entry| &entry.tool)
    }

    fn entry(&self, name: &str) -> Option<&Entry> {
        let at = self.0.binary_search_by(|entry| entry.spec().name.as_str().cmp(name)).ok()?;
        self.0.get(at).map(Arc::as_ref)
    }

    /// The tool that a call names, and its arguments, validated.
    ///
    /// # Errors
    /// `tool.unknown_or_disallowed`, `tool.schema_invalid`.
    pub fn resolve(
        &self,
        name: &str,
        arguments: &JsonText,
    ) -> Result<(Arc<dyn Tool>, Arguments), ToolFailure> {
        let Some(entry) = self.entry(name) else {
            let message = format!("there is no tool `{}`", shown(name));
            let names = self.specs().map(|spec| spec.name.as_str());
            return Err(
                ToolFailure::new("tool.unknown_or_disallowed", message).with_closest(closest(name, names))
            );
        };
        Ok((Arc::clone(&entry.tool), entry.schema.check(arguments)?))
    }

    /// What a model is offered: the tools that are not deferred, by name, and behind them those that were found, in the order
    /// in which they were found, so that a tool more does not change what stands before it.
    #[must_use]
    pub fn offer(&self, found: &[String]) -> Vec<ToolOffer> {
        let mut offered: Vec<&ToolSpec> = self.specs().filter(|spec| !spec.defer_loading).collect();
        for name in found {
            let spec = self.entry(name).map(Entry::spec);
            offered.extend(spec.filter(|spec| spec.defer_loading && !offered.contains(spec)));
        }
        let offer = |spec: &ToolSpec| ToolOffer {
            name: spec.name.clone(),
            description: spec.description.clone(),
            input_schema: spec.input_schema.clone(),
            cache: CacheMarker::None,
        };
        offered.into_iter().map(offer).collect()
    }

    /// Its digests, and the policy documents behind them.
    #[must_use]
    pub fn digests(&self) -> CatalogueDigests {
        CatalogueDigests::of(self.specs())
    }

    /// What holds every definition as it is now.
    #[must_use]
    pub fn pins(&self) -> Pins {
        self.specs().map(|spec| (spec.name.clone(), spec.digest())).collect()
    }

    /// The definitions that are not as they were pinned; nothing of them may be offered before somebody approves.
    #[must_use]
    pub fn drifted(&self, pins: &Pins) -> Vec<Drift> {
        pins.drifted(self.specs())
    }
}

fn entry(tool: Arc<dyn Tool>) -> Result<Entry, CatalogueError> {
    let spec = tool.spec();
    let name = spec.name.clone();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_letter) {
        return Err(CatalogueError::Name { name });
    }
    let is_word =
        |word: &str| !word.is_empty() && word.chars().all(|letter| is_letter(letter) || letter == '.');
    if !spec.scope.split_once(':').is_some_and(|(resource, verb)| is_word(resource) && is_word(verb)) {
        return Err(CatalogueError::Scope { name, scope: spec.scope.clone() });
    }
    let schema = Schema::new(&spec.input_schema)
        .map_err(|source| CatalogueError::Schema { name: name.clone(), source })?;
    for (index, example) in spec.examples.iter().enumerate() {
        if let Err(failure) = schema.check(example) {
            let position = index + 1;
            return Err(CatalogueError::Example { name, position, detail: failure.message });
        }
    }
    Ok(Entry { tool, schema })
}
