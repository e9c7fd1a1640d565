//! What rules can speak about: the tools as actions, the groups they are in, and their arguments.
//!
//! Everything comes from the definitions of the tools, so that a rule about something that is not there is found when it
//! is loaded.

use std::collections::{BTreeMap, BTreeSet};

use cedar_policy::{EntityId, EntityTypeName, EntityUid};
use premath_tusk::tools::{Risk, ToolSpec};

use crate::fields::{Field, fields};

const RISKS: [Risk; 4] = [Risk::Read, Risk::Create, Risk::Write, Risk::Destructive];

/// The types of entities.
#[derive(Debug, Clone)]
pub(crate) struct Types {
    action: EntityTypeName,
    user: EntityTypeName,
    role: EntityTypeName,
    run: EntityTypeName,
}

impl Types {
    fn new() -> Result<Self, String> {
        let named = |name: &str| name.parse().map_err(|error: cedar_policy::ParseErrors| error.to_string());
        Ok(Self { action: named("Action")?, user: named("User")?, role: named("Role")?, run: named("Run")? })
    }

    pub(crate) fn action(&self, name: &str) -> EntityUid {
        entity(&self.action, name)
    }

    pub(crate) fn user(&self, name: &str) -> EntityUid {
        entity(&self.user, name)
    }

    pub(crate) fn role(&self, name: &str) -> EntityUid {
        entity(&self.role, name)
    }

    pub(crate) fn run(&self, name: &str) -> EntityUid {
        entity(&self.run, name)
    }

    pub(crate) fn is_action(&self, uid: &EntityUid) -> bool {
        *uid.type_name() == self.action
    }
}

fn entity(kind: &EntityTypeName, name: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(kind.clone(), EntityId::new(name))
}

/// One tool.
#[derive(Debug, Clone)]
pub(crate) struct ToolWords {
    pub(crate) name: String,
    /// The groups it is in, sorted.
    pub(crate) groups: Vec<String>,
    pub(crate) fields: Vec<Field>,
}

impl ToolWords {
    fn new(spec: &ToolSpec) -> Self {
        let resource = spec.scope.split(':').next().unwrap_or_default();
        let groups = vec![
            format!("resource:{resource}"),
            format!("risk:{}", spec.risk.token()),
            format!("scope:{}", spec.scope),
        ];
        let schema = serde_json::from_str(spec.input_schema.as_str()).unwrap_or_default();
        Self { name: spec.name.clone(), groups, fields: fields(&schema) }
    }

    /// Whether an action of a rule's scope means this tool.
    pub(crate) fn is_meant_by(&self, action: &str) -> bool {
        self.name == action || self.groups.iter().any(|group| group == action)
    }
}

/// All of them.
#[derive(Debug)]
pub(crate) struct Words {
    pub(crate) types: Types,
    /// By name.
    pub(crate) tools: BTreeMap<String, ToolWords>,
    /// Every name of an action that means something: tools and groups.
    pub(crate) actions: BTreeSet<String>,
}

impl Words {
    pub(crate) fn new<'s>(specs: impl IntoIterator<Item = &'s ToolSpec>) -> Result<Self, String> {
        let tools: BTreeMap<String, ToolWords> =
            specs.into_iter().map(|spec| (spec.name.clone(), ToolWords::new(spec))).collect();
        let mut actions: BTreeSet<String> =
            RISKS.iter().map(|risk| format!("risk:{}", risk.token())).collect();
        for tool in tools.values() {
            actions.insert(tool.name.clone());
            actions.extend(tool.groups.iter().cloned());
        }
        Ok(Self { types: Types::new()?, tools, actions })
    }

    /// Whether some tool has an argument of this name that rules can see.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.arguments().any(|one| one == name)
    }

    pub(crate) fn arguments(&self) -> impl Iterator<Item = &str> {
        self.tools.values().flat_map(|tool| tool.fields.iter().map(|field| field.name.as_str()))
    }
}
