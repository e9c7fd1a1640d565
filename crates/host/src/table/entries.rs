//! The entries of the table, sorted by name. Nothing else.

use super::input::{Nothing, input_of};
use super::{Action, Door};
use crate::actions::{
    approvals, audit, audit_why, coherence, config, conformance, conversations, dep, dep_graph, desk,
    desk_write, doctor, explain, foreign_tools, gc, governance_check, guard, harness_feature, harness_kpi,
    harness_session, harness_trajectory, init, instruction, issue_blocked, issue_check, issue_graph,
    issue_history, issue_read, issue_upkeep, issue_write, join_check, lease, measuring, metrics, model,
    observe, policy, policy_draft, policy_export, promotion, proposals, required, run, sandbox, schema,
    scheme_eval, step_show, tool, trust, verify,
};

/// An entry in two lines: its name, the command, whether it changes anything, what it takes and the schema of its answer, the
/// function; and what it does.
macro_rules! actions {
    ($($name:literal $command:literal $door:ident $input:path => $schema:literal $call:path: $summary:literal;)*) => {
        &[$(Action {
            name: $name,
            command: $command,
            summary: $summary,
            door: Door::$door,
            input: input_of::<$input>,
            output_schema: $schema,
            call: $call,
        }),*]
    };
}

/// Every action, sorted by name.
pub const ACTIONS: &[Action] = actions! {
    "approval.approve" "approvals approve" Mutation approvals::DecideArgs => "approval" approvals::approve:
        "agree to what a run asks for, once, for the run, or for a pattern";
    "approval.deny" "approvals deny" Mutation approvals::DecideArgs => "approval" approvals::deny:
        "do not agree to what a run asks for";
    "approval.list" "approvals list" Read approvals::ListArgs => "approval-page" approvals::list:
        "list what people are asked, the newest first";
    "approval.revoke" "approvals revoke" Mutation approvals::RevokeArgs => "approval" approvals::revoke:
        "take an approval back that calls can still use";
    "approval.show" "approvals show" Read approvals::ShowArgs => "approval" approvals::show:
        "show everything about one question to a person";
    "audit.query" "audit query" Read audit::QueryArgs => "audit-page" audit::query:
        "list what was decided and done, the newest first";
    "audit.verify" "audit verify" Mutation audit::VerifyArgs => "audit-verify" audit::verify:
        "check the chain of the audit log, and find changes without a row";
    "audit.why" "audit why" Read audit_why::WhyArgs => "audit-why" audit_why::why:
        "follow an issue, a file, a run or a digest back to whoever decided it";
    "coherence.check" "coherence-check" Read Nothing => "coherence-check" coherence::call:
        "check that a repository keeps its own contract";
    "config.show" "config show" Read config::ConfigArgs => "config" config::call:
        "print every value of the configuration and where it comes from";
    "conformance.run" "conformance-run" Read conformance::SuiteArgs => "conformance-report" conformance::call:
        "run the conformance vectors";
    "conversation.delete" "conversations delete" Record conversations::OneArgs => "conversation-changed" conversations::delete:
        "delete a conversation; the journals of its runs stay";
    "conversation.list" "conversations list" Read Nothing => "conversation-listing" conversations::list:
        "list conversations, the one that was last spoken in first";
    "conversation.log" "conversations log" Read conversations::LogArgs => "conversation-log" conversations::log:
        "list every call of a tool in a conversation, with what came of it";
    "conversation.rename" "conversations rename" Record conversations::RenameArgs => "conversation-changed" conversations::rename:
        "give a conversation another title";
    "conversation.show" "conversations show" Read conversations::ShowArgs => "conversation" conversations::show:
        "show the messages of a conversation";
    "conversation.start" "conversations start" Record conversations::StartArgs => "conversation-changed" conversations::start:
        "begin a conversation with the assistant of the desk";
    "dep.add" "dep add" Mutation dep::DependencyArgs => "issue-answer" dep::add:
        "make one issue depend on another";
    "dep.diagnostics" "dep diagnostics" Read dep_graph::GraphArgs => "dep-diagnostics" dep_graph::diagnostics:
        "find cycles and dependencies on nothing";
    "dep.project" "dep project" Read dep_graph::GraphArgs => "dep-projection" dep_graph::project:
        "show the graph of dependencies";
    "dep.remove" "dep remove" Mutation dep::DependencyArgs => "issue-answer" dep::remove:
        "take a dependency away";
    "dep.replace" "dep replace" Mutation dep::DependencyArgs => "issue-answer" dep::replace:
        "give a dependency another type";
    "desk.add" "desk add" Mutation desk::AddArgs => "desk-changed" desk::add:
        "put a file or a folder on the desk";
    "desk.delete" "desk delete" Mutation desk_write::DeleteArgs => "desk-changed" desk_write::delete:
        "delete a file or a folder; it can be restored";
    "desk.history" "desk history" Read desk::HistoryArgs => "desk-history" desk::history:
        "list every version of a file";
    "desk.list" "desk list" Read desk::ListArgs => "desk-listing" desk::list:
        "list the files of the desk";
    "desk.rename" "desk rename" Mutation desk_write::RenameArgs => "desk-changed" desk_write::rename:
        "give a file another name";
    "desk.restore" "desk restore" Mutation desk::VersionArgs => "desk-changed" desk::restore:
        "bring back a file, a folder, or an earlier version";
    "desk.search" "desk search" Read desk::SearchArgs => "desk-matches" desk::search:
        "search names and contents";
    "desk.show" "desk show" Read desk::VersionArgs => "desk-document" desk::show:
        "show a file and its content";
    "desk.tree" "desk tree" Read Nothing => "desk-tree" desk::tree:
        "show folders and files as a tree";
    "desk.write" "desk write" Mutation desk_write::WriteArgs => "desk-changed" desk_write::write:
        "give a file another content, or cells other values";
    "eval.guardrails" "eval guardrails" Effect measuring::GuardrailsArgs => "eval-guardrails" measuring::guardrails:
        "measure the guards of a policy package on a data set";
    "eval.tools" "eval tools" Effect measuring::ToolsArgs => "eval-tools" measuring::tools:
        "measure how well tasks go, by how tools are offered";
    "failure.explain" "explain" Read explain::ExplainArgs => "explanation" explain::call:
        "explain a failure class";
    "governance.check" "governance-check" Read governance_check::DocumentArgs => "governance-check-report" governance_check::call:
        "check a governance profile by itself";
    "guard.decide" "guard" Effect guard::DecideArgs => "guard-decision" guard::decide:
        "decide about what another agent is about to do, or has done";
    "guard.install" "guard install" Effect guard::InstallArgs => "guard-install" guard::install:
        "put the hook into the configuration of another agent";
    "guard.uninstall" "guard uninstall" Effect guard::InstallArgs => "guard-install" guard::uninstall:
        "take the hook out of the configuration of another agent";
    "harness.boot" "boot" Effect crate::work::WorkArgs => "harness-boot" crate::work::boot:
        "begin a working session from what is on the disk";
    "harness.feature.check" "harness-feature check" Read harness_feature::CheckArgs => "harness-feature-check" harness_feature::check:
        "check the feature ledger";
    "harness.feature.next" "harness-feature next" Read harness_feature::ReadArgs => "harness-feature-next" harness_feature::next:
        "name the feature to work on";
    "harness.feature.read" "harness-feature read" Read harness_feature::ReadArgs => "harness-feature-ledger" harness_feature::read:
        "show the feature ledger";
    "harness.feature.write" "harness-feature write" Record harness_feature::WriteArgs => "harness-feature-write" harness_feature::write:
        "write one feature of the ledger";
    "harness.join_check" "harness-join-check" Read join_check::DocumentArgs => "join-check-report" join_check::call:
        "check whether a turn is closed and its mutation admissible";
    "harness.kpi.remediate" "harness-kpi remediate" Record harness_kpi::RemediateArgs => "harness-remediation" harness_kpi::remediate:
        "record what was done about the throughput figure";
    "harness.kpi.report" "harness-kpi" Read harness_kpi::ReportArgs => "harness-kpi" harness_kpi::report:
        "compute the throughput figure of the workers";
    "harness.session.bootstrap" "harness-session bootstrap" Read harness_session::BootstrapArgs => "harness-bootstrap" harness_session::bootstrap:
        "say how a fresh process goes on";
    "harness.session.read" "harness-session read" Read harness_session::ReadArgs => "harness-session" harness_session::read:
        "show the session handoff";
    "harness.session.write" "harness-session write" Record harness_session::WriteArgs => "harness-session" harness_session::write:
        "write the session handoff";
    "harness.step" "step" Effect crate::work::WorkArgs => "harness-work-step" crate::work::step:
        "take one issue, work on it, and close it when it is verified";
    "harness.stop" "stop" Effect crate::work::WorkArgs => "harness-stop" crate::work::stop:
        "hand the session on, and give back what it holds";
    "harness.trajectory.append" "harness-trajectory append" Record harness_trajectory::AppendArgs => "harness-step" harness_trajectory::append:
        "append one step to the trajectory";
    "harness.trajectory.query" "harness-trajectory query" Read harness_trajectory::QueryArgs => "harness-trajectory" harness_trajectory::query:
        "show the latest, failed or retry-needed steps";
    "instruction.check" "instruction-check" Read instruction::EnvelopeArgs => "instruction-check" instruction::check:
        "say what an instruction is, and whether it would be carried out";
    "instruction.run" "instruction-run" Mutation instruction::EnvelopeArgs => "instruction-run" instruction::run:
        "run the checks of an instruction and write its witness";
    "instruction.witness" "instruction-witness" Read instruction::WitnessArgs => "instruction-witness" instruction::witness:
        "show the witness of an instruction, and whether it still permits anything";
    "issue.add" "issue add" Mutation issue_write::DraftArgs => "issue-answer" issue_write::add:
        "add an issue";
    "issue.backend_status" "issue backend-status" Read issue_upkeep::StoreArgs => "issue-backend-status" issue_upkeep::backend_status:
        "show how issue memory is stored";
    "issue.blocked" "issue blocked" Read issue_blocked::BlockedArgs => "issue-blocked" issue_blocked::call:
        "list what cannot be worked on, and why";
    "issue.check" "issue check" Read issue_check::CheckArgs => "issue-check" issue_check::call:
        "check every issue, the graph and the file";
    "issue.claim" "issue claim" Mutation lease::ClaimArgs => "issue-answer" lease::claim:
        "take an issue under a lease";
    "issue.claim_next" "issue claim-next" Mutation lease::ClaimNextArgs => "issue-claim-next" lease::claim_next:
        "take the first issue that is free";
    "issue.compact" "issue compact" Mutation issue_upkeep::StoreArgs => "issue-compact" issue_upkeep::compact:
        "rewrite issue memory with one row per issue";
    "issue.discover" "issue discover" Mutation issue_write::DraftArgs => "issue-answer" issue_write::discover:
        "add an issue that was found while working on another";
    "issue.export" "issue export" Read issue_upkeep::ExportArgs => "issue-export" issue_upkeep::export:
        "hand out the rows of all issues";
    "issue.graph" "issue graph" Read issue_graph::GraphArgs => "issue-graph" issue_graph::call:
        "show issues and dependencies with who holds what, as a graph";
    "issue.history" "issue history" Read issue_history::HistoryArgs => "issue-history" issue_history::call:
        "show what became of an issue";
    "issue.import" "issue import" Mutation issue_upkeep::ImportArgs => "issue-import" issue_upkeep::import:
        "take over rows of another store";
    "issue.lease_projection" "issue lease-projection" Read lease::ProjectionArgs => "lease-projection" lease::projection:
        "list who holds what";
    "issue.lease_release" "issue lease-release" Mutation lease::HolderArgs => "issue-answer" lease::release:
        "let go of an issue";
    "issue.lease_renew" "issue lease-renew" Mutation lease::HolderArgs => "issue-answer" lease::renew:
        "hold on to an issue";
    "issue.list" "issue list" Read issue_read::ListArgs => "issue-listing" issue_read::list:
        "list issues";
    "issue.ready" "issue ready" Read issue_read::ListArgs => "issue-listing" issue_read::ready:
        "list what can be worked on, in order";
    "issue.show" "issue show" Read issue_read::ShowArgs => "issue-card" issue_read::show:
        "show one issue";
    "issue.update" "issue update" Mutation issue_write::UpdateArgs => "issue-answer" issue_write::update:
        "change an issue";
    "metrics.read" "metrics" Read Nothing => "metrics" metrics::read:
        "count runs, turns, calls, decisions and what waits for people";
    "model.ask" "ask" Effect model::AskArgs => "ask" model::ask:
        "put one question to a model";
    "model.list" "models" Read model::ListArgs => "models" model::list:
        "list the providers of models and how they are";
    "observe.build" "observe-build" Record Nothing => "observation-answer" observe::build_action:
        "build the observation of issues, leases, witnesses, sessions and steps";
    "observe.instruction" "observe instruction" Read observe::InstructionArgs => "observe-instruction" observe::instruction:
        "show the witness of one instruction, and who worked under it";
    "observe.latest" "observe latest" Read Nothing => "observation-answer" observe::latest:
        "show the observation that was built last";
    "observe.needs_attention" "observe needs_attention" Read observe::AttentionArgs => "observe-attention" observe::needs_attention:
        "list what a person should look at, and why";
    "observe.now" "observe now" Read Nothing => "observation-answer" observe::now:
        "look at issues, leases, witnesses, sessions and steps now, without writing anything";
    "observe.projection" "observe projection" Read Nothing => "observe-projection" observe::projection:
        "show every issue that is not at rest, with who holds it";
    "permit.list" "permits list" Read instruction::ListArgs => "permit-page" instruction::permits:
        "list what was changed on the strength of which instruction";
    "policy.diff" "policy diff" Read policy_draft::DiffArgs => "policy-diff" policy_draft::diff:
        "show how a draft or the working files differ from the policy package in force";
    "policy.draft" "policy draft" Effect policy_draft::DraftArgs => "policy-draft" policy_draft::draft:
        "copy the policy package in force into a draft to edit";
    "policy.explain" "policy explain" Read policy::ExplainArgs => "policy-explanation" policy::explain:
        "say what would become of a call, which rule decides and why";
    "policy.export" "policy export" Read Nothing => "policy-export" policy_export::export:
        "write out the policies in force as files that can be edited";
    "policy.history" "policy history" Read Nothing => "promotion-listing" promotion::history:
        "list the policy packages that were put into force";
    "policy.promote" "policy promote" Mutation promotion::PromoteArgs => "promotion" promotion::promote:
        "put a policy package into force that was measured and attacked";
    "policy.rollback" "policy rollback" Mutation promotion::RollbackArgs => "promotion" promotion::rollback:
        "go back to a policy package that was in force before";
    "policy.show" "policy show" Read policy::ShowArgs => "policy" policy::show:
        "show what a run may do at most, layer by layer";
    "proposal.approve" "proposals approve" Mutation proposals::OneArgs => "proposal" proposals::approve:
        "agree to a plan and have it carried out as it was shown";
    "proposal.list" "proposals list" Read proposals::ListArgs => "proposal-page" proposals::list:
        "list plans that people are asked about, the newest first";
    "proposal.reject" "proposals reject" Mutation proposals::OneArgs => "proposal" proposals::reject:
        "do not agree to a plan";
    "proposal.resume" "proposals resume" Mutation proposals::OneArgs => "proposal" proposals::resume:
        "go on with a plan that was cut off";
    "proposal.show" "proposals show" Read proposals::OneArgs => "proposal" proposals::show:
        "show a plan with every step and what became of it";
    "redteam.run" "redteam run" Effect measuring::RedTeamArgs => "redteam" measuring::red_team:
        "attack a repository that has a policy package, with a scripted compromised model";
    "required.decision.verify" "required-decision-verify" Read required::DecisionArgs => "required-verify" required::verify_decision_action:
        "decide again about required checks, and compare";
    "required.delta" "required-delta" Read required::DeltaArgs => "required-delta" required::delta_action:
        "list the paths that differ between two commits";
    "required.gate_ref" "required-gate-ref" Read required::GateArgs => "required-gate-ref" required::gate_ref_action:
        "compute the reference of a check's outcome again";
    "required.projection" "required-projection" Read required::RangeArgs => "required-projection" required::projection_action:
        "say which checks a range of commits asks for";
    "required.run" "ci-required" Effect required::RangeArgs => "ci-required" required::run_action:
        "run the checks that a range asks for, witness them and decide";
    "required.witness" "required-witness" Effect required::RangeArgs => "required-witness-answer" required::witness_action:
        "run the checks that a range asks for and write what came of them";
    "required.witness.decide" "required-witness-decide" Record required::WitnessArgs => "required-decision-answer" required::decide_action:
        "decide whether a range may pass";
    "required.witness.verify" "required-witness-verify" Read required::WitnessArgs => "required-verify" required::verify_action:
        "compute everything again that a witness of required checks says";
    "run.events" "runs events" Read run::EventsArgs => "run-events" run::events:
        "give out the rows of a run behind a cursor, also while it goes on";
    "run.export" "runs export" Read run::ExportArgs => "run-export" run::export:
        "give out every row of a run's journal";
    "run.forget" "runs forget" Record run::OneArgs => "run-forgotten" run::forget:
        "delete what a stopped run that keeps nothing still has";
    "run.list" "runs list" Read run::ListArgs => "run-listing" run::list:
        "list runs, the newest first";
    "run.replay" "replay" Read run::OneArgs => "replay" run::replay:
        "run a run again from its journal and compare everything";
    "run.resume" "resume" Effect crate::agent::ResumeArgs => "run" run::resume:
        "go on with a run that stopped";
    "run.show" "runs show" Read run::OneArgs => "run-card" run::show:
        "show one run and its turns";
    "run.start" "run" Effect crate::agent::RunArgs => "run" run::start:
        "give an agent a task and run it to its end";
    "sandbox.check" "sandbox check" Read Nothing => "sandbox-check" sandbox::check:
        "try every layer of the sandbox";
    "sandbox.run" "sandbox run" Effect sandbox::RunArgs => "sandbox-run" sandbox::run:
        "run a command in the sandbox";
    "schema.show" "schema" Read schema::SchemaArgs => "json-schema" schema::call:
        "print the JSON Schema of a document";
    "scheme.eval" "scheme-eval" Mutation scheme_eval::EvalArgs => "scheme-eval" scheme_eval::call:
        "run a program whose only effect is calls of host functions";
    "step.show" "step show" Read step_show::StepShowArgs => "step-show" step_show::show:
        "show one attempt of a worker: its commands, what they printed, what it changed";
    "tool.approve" "tools approve" Effect foreign_tools::ApproveArgs => "foreign-tools" foreign_tools::approve:
        "approve tools of another server as they are defined now";
    "tool.catalogue" "tools catalogue" Read Nothing => "tool-listing" tool::list:
        "list the tools of runs: what they can do, and which scope they need";
    "tool.check" "tools check" Effect foreign_tools::ListArgs => "foreign-tools" foreign_tools::check:
        "hold what other servers define against what was approved";
    "tool.forget" "tools forget" Effect foreign_tools::OneArgs => "foreign-tools" foreign_tools::forget:
        "take an approval of another server's tools back";
    "tool.list" "tools list" Read foreign_tools::ListArgs => "foreign-tools" foreign_tools::list:
        "list other servers and what was approved of them";
    "tool.show" "tools show" Effect foreign_tools::OneArgs => "foreign-tools" foreign_tools::show:
        "show a definition of another server, and what has changed in it";
    "turn.export" "turn export" Read run::TurnExportArgs => "turn-case" run::export_turn:
        "write a judged turn as a case that harness-join-check judges again";
    "turn.show" "turn show" Read run::TurnArgs => "turn-card" run::turn:
        "show what a model saw in a turn, and what came of it";
    "workspace.doctor" "doctor" Mutation doctor::DoctorArgs => "doctor" doctor::call:
        "find damage in the stores, explain it, and mend it";
    "workspace.gc" "gc" Mutation gc::GcArgs => "gc" gc::call:
        "remove objects that nothing cites any more";
    "workspace.init" "init" Mutation init::InitArgs => "init" init::call:
        "make a folder ready for premath";
    "workspace.trust" "trust" Mutation trust::TrustArgs => "trust" trust::call:
        "take over logs that this clone did not write, on record";
    "workspace.verify" "verify" Read Nothing => "verify" verify::call:
        "check logs, chains, objects, witnesses and references";
};
