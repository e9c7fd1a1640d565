//! The table itself: what each action is called, what it reads and answers, and whether it changes anything.

use premath_bd::StoreError;
use premath_kernel::{Digest, Value};
use premath_wire::v1::{HOST_EFFECT_SCHEMA, HostEffect};
use premath_wire::{InputClass, InputError, JsonPath};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::actions::conformance::{SourceError, VectorSource};
use crate::actions::{
    config, conformance, dep, dep_graph, doctor, explain, governance_check, harness_feature, harness_kpi,
    harness_session, harness_trajectory, init, issue_blocked, issue_check, issue_history, issue_read,
    issue_upkeep, issue_write, join_check, lease, schema, verify,
};
use crate::workspace::Workspace;

/// Whether an action changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// It only reads.
    Read,
    /// It writes a lane that is nobody's authority: sessions, ledgers, trajectories.
    Record,
    /// It changes issue memory, and needs a permit.
    Mutation,
}

/// One host function.
#[derive(Debug)]
pub struct Action {
    /// `resource.verb`
    pub name: &'static str,
    /// The command that calls it.
    pub command: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it changes anything.
    pub door: Door,
    /// The schema of what it answers.
    pub output_schema: &'static str,
    call: fn(&Host<'_>, &Value<'_>) -> Result<Answer, ActionError>,
}

/// Every action, sorted by name.
pub const ACTIONS: &[Action] = &[
    Action {
        name: "config.show",
        command: "config show",
        summary: "print every value of the configuration and where it comes from",
        door: Door::Read,
        output_schema: "config",
        call: config::call,
    },
    Action {
        name: "conformance.run",
        command: "conformance-run",
        summary: "run the conformance vectors",
        door: Door::Read,
        output_schema: "conformance-report",
        call: conformance::call,
    },
    Action {
        name: "dep.add",
        command: "dep add",
        summary: "make one issue depend on another",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: dep::add,
    },
    Action {
        name: "dep.diagnostics",
        command: "dep diagnostics",
        summary: "find cycles and dependencies on nothing",
        door: Door::Read,
        output_schema: "dep-diagnostics",
        call: dep_graph::diagnostics,
    },
    Action {
        name: "dep.project",
        command: "dep project",
        summary: "show the graph of dependencies",
        door: Door::Read,
        output_schema: "dep-projection",
        call: dep_graph::project,
    },
    Action {
        name: "dep.remove",
        command: "dep remove",
        summary: "take a dependency away",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: dep::remove,
    },
    Action {
        name: "dep.replace",
        command: "dep replace",
        summary: "give a dependency another type",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: dep::replace,
    },
    Action {
        name: "failure.explain",
        command: "explain",
        summary: "explain a failure class",
        door: Door::Read,
        output_schema: "explanation",
        call: explain::call,
    },
    Action {
        name: "governance.check",
        command: "governance-check",
        summary: "check a governance profile by itself",
        door: Door::Read,
        output_schema: "governance-check-report",
        call: governance_check::call,
    },
    Action {
        name: "harness.feature.check",
        command: "harness-feature check",
        summary: "check the feature ledger",
        door: Door::Read,
        output_schema: "harness-feature-check",
        call: harness_feature::check,
    },
    Action {
        name: "harness.feature.next",
        command: "harness-feature next",
        summary: "name the feature to work on",
        door: Door::Read,
        output_schema: "harness-feature-next",
        call: harness_feature::next,
    },
    Action {
        name: "harness.feature.read",
        command: "harness-feature read",
        summary: "show the feature ledger",
        door: Door::Read,
        output_schema: "harness-feature-ledger",
        call: harness_feature::read,
    },
    Action {
        name: "harness.feature.write",
        command: "harness-feature write",
        summary: "write one feature of the ledger",
        door: Door::Record,
        output_schema: "harness-feature-write",
        call: harness_feature::write,
    },
    Action {
        name: "harness.join_check",
        command: "harness-join-check",
        summary: "check whether a turn is closed and its mutation admissible",
        door: Door::Read,
        output_schema: "join-check-report",
        call: join_check::call,
    },
    Action {
        name: "harness.kpi.remediate",
        command: "harness-kpi remediate",
        summary: "record what was done about the throughput figure",
        door: Door::Record,
        output_schema: "harness-remediation",
        call: harness_kpi::remediate,
    },
    Action {
        name: "harness.kpi.report",
        command: "harness-kpi",
        summary: "compute the throughput figure of the workers",
        door: Door::Read,
        output_schema: "harness-kpi",
        call: harness_kpi::report,
    },
    Action {
        name: "harness.session.bootstrap",
        command: "harness-session bootstrap",
        summary: "say how a fresh process goes on",
        door: Door::Read,
        output_schema: "harness-bootstrap",
        call: harness_session::bootstrap,
    },
    Action {
        name: "harness.session.read",
        command: "harness-session read",
        summary: "show the session handoff",
        door: Door::Read,
        output_schema: "harness-session",
        call: harness_session::read,
    },
    Action {
        name: "harness.session.write",
        command: "harness-session write",
        summary: "write the session handoff",
        door: Door::Record,
        output_schema: "harness-session",
        call: harness_session::write,
    },
    Action {
        name: "harness.trajectory.append",
        command: "harness-trajectory append",
        summary: "append one step to the trajectory",
        door: Door::Record,
        output_schema: "harness-step",
        call: harness_trajectory::append,
    },
    Action {
        name: "harness.trajectory.query",
        command: "harness-trajectory query",
        summary: "show the latest, failed or retry-needed steps",
        door: Door::Read,
        output_schema: "harness-trajectory",
        call: harness_trajectory::query,
    },
    Action {
        name: "issue.add",
        command: "issue add",
        summary: "add an issue",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: issue_write::add,
    },
    Action {
        name: "issue.backend_status",
        command: "issue backend-status",
        summary: "show how issue memory is stored",
        door: Door::Read,
        output_schema: "issue-backend-status",
        call: issue_upkeep::backend_status,
    },
    Action {
        name: "issue.blocked",
        command: "issue blocked",
        summary: "list what cannot be worked on, and why",
        door: Door::Read,
        output_schema: "issue-blocked",
        call: issue_blocked::call,
    },
    Action {
        name: "issue.check",
        command: "issue check",
        summary: "check every issue, the graph and the file",
        door: Door::Read,
        output_schema: "issue-check",
        call: issue_check::call,
    },
    Action {
        name: "issue.claim",
        command: "issue claim",
        summary: "take an issue under a lease",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: lease::claim,
    },
    Action {
        name: "issue.claim_next",
        command: "issue claim-next",
        summary: "take the first issue that is free",
        door: Door::Mutation,
        output_schema: "issue-claim-next",
        call: lease::claim_next,
    },
    Action {
        name: "issue.compact",
        command: "issue compact",
        summary: "rewrite issue memory with one row per issue",
        door: Door::Mutation,
        output_schema: "issue-compact",
        call: issue_upkeep::compact,
    },
    Action {
        name: "issue.discover",
        command: "issue discover",
        summary: "add an issue that was found while working on another",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: issue_write::discover,
    },
    Action {
        name: "issue.export",
        command: "issue export",
        summary: "hand out the rows of all issues",
        door: Door::Read,
        output_schema: "issue-export",
        call: issue_upkeep::export,
    },
    Action {
        name: "issue.history",
        command: "issue history",
        summary: "show what became of an issue",
        door: Door::Read,
        output_schema: "issue-history",
        call: issue_history::call,
    },
    Action {
        name: "issue.import",
        command: "issue import",
        summary: "take over rows of another store",
        door: Door::Mutation,
        output_schema: "issue-import",
        call: issue_upkeep::import,
    },
    Action {
        name: "issue.lease_projection",
        command: "issue lease-projection",
        summary: "list who holds what",
        door: Door::Read,
        output_schema: "lease-projection",
        call: lease::projection,
    },
    Action {
        name: "issue.lease_release",
        command: "issue lease-release",
        summary: "let go of an issue",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: lease::release,
    },
    Action {
        name: "issue.lease_renew",
        command: "issue lease-renew",
        summary: "hold on to an issue",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: lease::renew,
    },
    Action {
        name: "issue.list",
        command: "issue list",
        summary: "list issues",
        door: Door::Read,
        output_schema: "issue-listing",
        call: issue_read::list,
    },
    Action {
        name: "issue.ready",
        command: "issue ready",
        summary: "list what can be worked on, in order",
        door: Door::Read,
        output_schema: "issue-listing",
        call: issue_read::ready,
    },
    Action {
        name: "issue.show",
        command: "issue show",
        summary: "show one issue",
        door: Door::Read,
        output_schema: "issue-card",
        call: issue_read::show,
    },
    Action {
        name: "issue.update",
        command: "issue update",
        summary: "change an issue",
        door: Door::Mutation,
        output_schema: "issue-answer",
        call: issue_write::update,
    },
    Action {
        name: "schema.show",
        command: "schema",
        summary: "print the JSON Schema of a document",
        door: Door::Read,
        output_schema: "json-schema",
        call: schema::call,
    },
    Action {
        name: "workspace.doctor",
        command: "doctor",
        summary: "find damage in the stores, explain it, and mend it",
        door: Door::Mutation,
        output_schema: "doctor",
        call: doctor::call,
    },
    Action {
        name: "workspace.init",
        command: "init",
        summary: "make a folder ready for premath",
        door: Door::Mutation,
        output_schema: "init",
        call: init::call,
    },
    Action {
        name: "workspace.verify",
        command: "verify",
        summary: "check logs, chains, objects, witnesses and references",
        door: Door::Read,
        output_schema: "verify",
        call: verify::call,
    },
];

/// What an action answers.
#[derive(Debug)]
pub struct Answer {
    /// `accepted`, `rejected` or `ok`.
    pub result_class: String,
    /// The document that `--json` prints.
    pub payload: Box<RawValue>,
    /// Witnesses that the call emitted.
    pub witness_refs: Vec<String>,
    /// Why it was refused.
    pub failure_classes: Vec<String>,
}

impl Answer {
    pub(crate) fn new(result_class: &str, payload: &impl Serialize) -> Result<Self, ActionError> {
        let payload =
            serde_json::value::to_raw_value(payload).map_err(|source| ActionError::Unwritable { source })?;
        let result_class = result_class.to_owned();
        Ok(Self { result_class, payload, witness_refs: Vec::new(), failure_classes: Vec::new() })
    }

    /// An answer that is a refusal: the payload says more, the class says why.
    pub(crate) fn refused(class: &str, payload: &impl Serialize) -> Result<Self, ActionError> {
        let mut answer = Self::new("rejected", payload)?;
        answer.failure_classes.push(class.to_owned());
        Ok(answer)
    }
}

/// Why an action gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum ActionError {
    /// Nothing of that name is in the table.
    #[error("host_action_unknown: no action `{name}`")]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// The arguments cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Something outside could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A store gave no answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The answer could not be written as JSON.
    #[error("the answer cannot be written as JSON")]
    Unwritable {
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

/// The actions together with what they need from outside.
#[derive(Debug)]
pub struct Host<'a> {
    /// Where conformance vectors come from.
    pub vectors: &'a dyn VectorSource,
    /// The repository that is worked on.
    pub workspace: &'a Workspace,
}

impl Host<'_> {
    /// Calls an action by name and wraps its answer in the envelope that every door gives.
    ///
    /// # Errors
    /// An unknown action, arguments that cannot be read, or an environment that does not answer.
    pub fn call(&self, name: &str, args: &Value<'_>) -> Result<HostEffect<Box<RawValue>>, ActionError> {
        let action = ACTIONS
            .iter()
            .find(|action| action.name == name)
            .ok_or_else(|| ActionError::Unknown { name: name.to_owned() })?;
        let answer = (action.call)(self, args)?;
        Ok(HostEffect {
            schema: HOST_EFFECT_SCHEMA,
            action: action.name,
            args_digest: Digest::prefixed("he1_", args).as_str().to_owned(),
            result_class: answer.result_class,
            payload: answer.payload,
            witness_refs: answer.witness_refs,
            failure_classes: answer.failure_classes,
            policy_digest: None,
            instruction_ref: None,
        })
    }
}

/// The member of the arguments that must be there.
pub(crate) fn required<'v>(args: &'v Value<'v>, key: &str) -> Result<&'v Value<'v>, InputError> {
    args.as_object()
        .and_then(|object| object.get(key))
        .ok_or_else(|| InputError::new(InputClass::FieldMissing, "missing field", JsonPath::root().key(key)))
}

/// The text argument that must be there.
pub(crate) fn required_text<'v>(args: &'v Value<'v>, key: &str) -> Result<&'v str, InputError> {
    required(args, key)?.as_text().ok_or_else(|| {
        InputError::new(InputClass::FieldInvalid, "expected a string", JsonPath::root().key(key))
    })
}

/// The text argument that may be there.
pub(crate) fn optional_text<'v>(args: &'v Value<'v>, key: &str) -> Result<Option<&'v str>, InputError> {
    match args.as_object().and_then(|object| object.get(key)) {
        None | Some(Value::Null) => Ok(None),
        Some(_) => required_text(args, key).map(Some),
    }
}
