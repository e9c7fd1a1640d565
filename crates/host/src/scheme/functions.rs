//! The host functions of programs, in one table: which action each calls, what it takes, and what the program gets of the
//! answer.
//!
//! What is not in it cannot be called by a program, and a member that an entry does not name cannot be given. It must not
//! hold an action that reaches outside, that is a person's own, or that reads or writes a file that its arguments name.

use premath_kernel::Digest;
use premath_repl::HostFunction;

use crate::table::{ACTIONS, Action};

/// What a program gets of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// The payload
    Payload,
    /// One member of the payload: the list of a listing
    Member(&'static str),
    /// The payload, also when it says that something does not hold
    Verdict,
}

/// One host function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramFunction {
    /// The action it calls
    pub action: &'static str,
    /// The members of its arguments that stand before the others, in their order
    pub positional: &'static [&'static str],
    /// The other members, which one hash table names
    pub named: &'static [&'static str],
    /// What the program gets
    pub gives: Gives,
}

/// The function that takes an action by name and gives the whole envelope.
pub(super) const HOST_CALL: &str = "host-call";
/// Procedures over what the functions give.
pub(super) const PRELUDE: &str = include_str!("prelude.scm");

impl ProgramFunction {
    /// Its name in programs.
    #[must_use]
    pub fn name(&self) -> String {
        self.action.replace(['.', '_'], "-")
    }

    /// Whether a program may name this member.
    pub(super) fn takes(&self, member: &str) -> bool {
        self.positional.contains(&member) || self.named.contains(&member)
    }

    /// The action in the table of actions.
    pub(super) fn action(&self) -> Option<&'static Action> {
        ACTIONS.iter().find(|action| action.name == self.action)
    }
}

/// The function of that name.
pub(super) fn named(name: &str) -> Option<&'static ProgramFunction> {
    let spelled = |action: &str| {
        let letters = action.bytes().map(|letter| if matches!(letter, b'.' | b'_') { b'-' } else { letter });
        letters.eq(name.bytes())
    };
    FUNCTIONS.iter().find(|function| spelled(function.action))
}

/// The function that calls an action.
pub(super) fn of_action(action: &str) -> Option<&'static ProgramFunction> {
    FUNCTIONS.binary_search_by(|function| function.action.cmp(action)).ok().and_then(|at| FUNCTIONS.get(at))
}

/// The functions as a session binds them.
pub(super) fn bound() -> Vec<HostFunction> {
    let own = HostFunction::new(HOST_CALL, 1, 2);
    let each = |function: &ProgramFunction| {
        HostFunction::new(function.name(), 0, function.positional.len().saturating_add(1))
    };
    FUNCTIONS.iter().map(each).chain([own]).collect()
}

/// The digest of everything that decides what a call means: the table, and the procedures over it.
pub(super) fn digest() -> Digest {
    let mut text = String::from(PRELUDE);
    for function in FUNCTIONS {
        text.push_str(&format!(
            "\n{} {:?} {:?} {:?}",
            function.action, function.positional, function.named, function.gives
        ));
    }
    Digest::of_bytes(text.as_bytes())
}

/// An entry in one line: the action, what stands before, what else may be named, what the program gets.
macro_rules! functions {
    ($($action:literal [$($positional:literal)*] [$($named:literal)*] $gives:expr;)*) => {
        &[$(ProgramFunction {
            action: $action,
            positional: &[$($positional),*],
            named: &[$($named),*],
            gives: $gives,
        }),*]
    };
}

const ITEMS: Gives = Gives::Member("items");

/// Every function that calls an action, sorted by the action.
pub const FUNCTIONS: &[ProgramFunction] = functions! {
    "audit.query" [] ["actor" "code" "cursor" "digest" "effect" "issue" "kind" "limit" "path" "run" "since" "tool" "until"] ITEMS;
    "audit.why" ["subject"] ["kind" "limit"] Gives::Payload;
    "coherence.check" [] [] Gives::Verdict;
    "dep.add" ["id" "dependsOn"] ["createdBy" "fence" "leaseId" "leaseOwner" "type"] Gives::Payload;
    "dep.diagnostics" [] ["graphScope" "limit"] Gives::Verdict;
    "dep.project" [] ["direction" "graphScope" "limit" "root"] Gives::Payload;
    "dep.remove" ["id" "dependsOn"] ["fence" "leaseId" "leaseOwner" "type"] Gives::Payload;
    "dep.replace" ["id" "dependsOn"] ["fence" "fromType" "leaseId" "leaseOwner" "type"] Gives::Payload;
    "failure.explain" ["class"] [] Gives::Payload;
    "governance.check" [] ["document" "strict"] Gives::Verdict;
    "harness.feature.check" [] ["requireClosure"] Gives::Verdict;
    "harness.feature.next" [] [] Gives::Payload;
    "harness.feature.read" [] [] Gives::Payload;
    "harness.feature.write" ["featureId" "status"] ["instructionRefs" "issueId" "sessionRef" "summary" "verificationRefs"] Gives::Payload;
    "harness.join_check" [] ["document" "strict"] Gives::Verdict;
    "harness.kpi.report" [] ["asOf" "history" "minRows" "rollback" "target" "windowHours"] Gives::Payload;
    "harness.session.bootstrap" [] [] Gives::Payload;
    "harness.session.read" [] [] Gives::Payload;
    "harness.session.write" [] ["instructionRefs" "issueId" "lineageRefs" "nextStep" "sessionId" "state" "summary" "witnessRefs"] Gives::Payload;
    "harness.trajectory.append" ["stepId" "action" "resultClass"] ["failureClasses" "finishedAt" "instructionRefs" "issueId" "lineageRefs" "mutationRefs" "nextStep" "startedAt" "verificationClass" "witnessRefs"] Gives::Payload;
    "harness.trajectory.query" [] ["groupBy" "limit" "mode"] ITEMS;
    "instruction.check" ["path"] [] Gives::Verdict;
    "instruction.run" ["path"] [] Gives::Payload;
    "instruction.witness" ["instruction"] [] Gives::Verdict;
    "issue.add" ["title"] ["acceptanceCriteria" "assignee" "dependsOn" "description" "design" "ephemeral" "id" "labels" "notes" "owner" "parent" "priority" "status" "type"] Gives::Payload;
    "issue.backend_status" [] [] Gives::Payload;
    "issue.blocked" [] ["limit"] ITEMS;
    "issue.check" [] ["graphScope" "limit"] Gives::Verdict;
    "issue.claim" ["id" "assignee"] ["expiresAt" "forceReason" "leaseId" "ttlSeconds"] Gives::Payload;
    "issue.claim_next" ["assignee"] ["expiresAt" "leaseId" "ttlSeconds"] Gives::Payload;
    "issue.discover" ["parentIssue" "title"] ["acceptanceCriteria" "assignee" "dependsOn" "description" "design" "ephemeral" "id" "labels" "notes" "owner" "parent" "priority" "status" "type"] Gives::Payload;
    "issue.history" ["id"] ["limit"] ITEMS;
    "issue.lease_projection" [] ["limit"] ITEMS;
    "issue.lease_release" ["id"] ["fence" "leaseId" "owner"] Gives::Payload;
    "issue.lease_renew" ["id"] ["fence" "leaseId" "owner" "ttlSeconds"] Gives::Payload;
    "issue.list" [] ["assignee" "label" "limit" "priority" "status" "type"] ITEMS;
    "issue.ready" [] ["assignee" "label" "limit" "priority" "status" "type"] ITEMS;
    "issue.show" ["id"] [] Gives::Payload;
    "issue.update" ["id"] ["acceptanceCriteria" "addLabels" "appendNotes" "assignee" "description" "design" "fence" "leaseId" "leaseOwner" "notes" "owner" "priority" "removeLabels" "status" "title" "type"] Gives::Payload;
    "metrics.read" [] [] Gives::Payload;
    "observe.instruction" ["id"] [] Gives::Payload;
    "observe.latest" [] [] Gives::Payload;
    "observe.needs_attention" [] [] ITEMS;
    "observe.projection" [] [] ITEMS;
    "permit.list" [] ["instruction" "issue" "limit"] ITEMS;
    "policy.explain" ["tool"] ["args" "role" "scopes"] Gives::Payload;
    "policy.history" [] [] ITEMS;
    "policy.show" [] ["scopes"] Gives::Payload;
    "required.decision.verify" [] ["from" "to"] Gives::Verdict;
    "required.delta" ["from" "to"] [] Gives::Payload;
    "required.gate_ref" ["check"] [] Gives::Payload;
    "required.projection" ["from" "to"] ["policy"] Gives::Payload;
    "required.witness.verify" [] ["from" "to"] Gives::Verdict;
    "run.list" [] ["issue" "limit"] ITEMS;
    "run.show" ["runId"] [] Gives::Payload;
    "schema.show" ["name"] [] Gives::Payload;
    "workspace.verify" [] [] Gives::Verdict;
};
