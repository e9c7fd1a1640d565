//! The commands, one file per verb. Each calls one host action and renders its answer.

mod ask;
mod audit;
mod bench;
mod bench_disk;
mod bench_figure;
mod bench_loop;
mod bench_mcp;
mod bench_scheme;
mod bench_store;
mod bench_workers;
mod coherence_check;
mod config;
mod conformance_run;
mod conversations;
mod coordinator;
mod dep;
mod desk;
mod doctor;
mod explain;
mod gc;
mod governance_check;
mod guard;
mod harness_feature;
mod harness_join_check;
mod harness_kpi;
mod harness_session;
mod harness_trajectory;
mod help;
mod init;
mod instruction;
mod issue;
mod issues_place;
mod mcp_serve;
mod measure;
mod merge_driver;
mod metrics;
mod model_server;
mod models;
mod naming;
mod observe;
mod people;
mod redteam;
mod required;
pub(crate) mod run;
mod runs;
mod sandbox;
mod schema;
mod scheme_eval;
mod scheme_repl;
mod serve;
mod tool_tasks;
mod tools;
mod trust;
mod verify;
mod work;

pub(crate) use coherence_check::shapes as command_shapes;
pub(crate) use redteam::{attack, every_probe_digest};
pub(crate) use run::Watching;
pub(crate) use tool_tasks::measure as measure_tools;

use naming::{lane_path, named_memory};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use premath_bd::{CloneAuth, Disk, KeyedDisk, OsClock, OsDisk, OsIds, Redactor};
use premath_host::{
    ACTIONS, ActionError, Host, NoAgent, NoModels, NoSandbox, PolicyPackages, Retention, Settings,
    TerminalAuthority, Workspace, shipped_package,
};
use premath_kernel::{Strictness, Value};
use premath_tusk::policy::GuardAction;
use premath_wire::strict::{Limits, parse};

use serde::de::DeserializeOwned;

use crate::agent::governance::STEP_TOKEN;
use crate::agent::{Agent, foreign};
use crate::args::work::StepCommand;
use crate::args::{CheckArgs, Cli, Command, Format, StoreChange};
use crate::door::{NamedInstruction, TerminalDoor};
use crate::error::CliError;
use crate::exit::Exit;
use crate::models::Models;
use crate::outside::{self, Wishes};
use crate::settings::{GuardrailSettings, Loaded, Owner, Source};
use crate::system::{self, Clones, VectorFolder};
use crate::{output, render, settings};

/// Runs the command that was typed.
#[expect(clippy::too_many_lines, reason = "one arm for every command")]
pub(crate) fn run(cli: &Cli) -> Result<Exit, CliError> {
    match &cli.command {
        Command::Init(args) => init::run(args),
        Command::Run(args) => run::run(args),
        Command::Resume(args) => run::resume(args),
        Command::Replay(args) => in_repository(None, |host| runs::replay(args, host)),
        Command::Runs(args) => in_repository(None, |host| runs::run(args, host)),
        Command::Turn(args) => in_repository(None, |host| runs::turn(args, host)),
        Command::Issue(args) => in_repository(args.change(), |host| issue::run(args, host)),
        Command::Dep(args) => in_repository(args.change(), |host| dep::run(args, host)),
        Command::Desk(args) => in_repository(args.change(), |host| desk::run(args, host)),
        Command::Conversations(args) => in_repository(None, |host| conversations::run(args, host)),
        Command::Boot(args) => in_repository(Some(args.terminal.change()), |host| work::boot(args, host)),
        Command::Step(args) => match &args.command {
            Some(StepCommand::Show(args)) => in_repository(None, |host| work::step_show(args, host)),
            None => in_repository(Some(args.commands.terminal.change()), |host| work::step(args, host)),
        },
        Command::Stop(args) => in_repository(Some(args.terminal.change()), |host| work::stop(args, host)),
        Command::Worker(args) => {
            in_repository(Some(args.commands.terminal.change()), |host| work::worker(args, host))
        }
        Command::Coordinator(args) => {
            in_repository(Some(args.commands.terminal.change()), |host| coordinator::run(args, host))
        }
        Command::Land(args) => in_repository(Some(args.terminal.change()), |host| work::land(args, host)),
        Command::HarnessSession(args) => in_repository(None, |host| harness_session::run(args, host)),
        Command::HarnessFeature(args) => in_repository(None, |host| harness_feature::run(args, host)),
        Command::HarnessTrajectory(args) => in_repository(None, |host| harness_trajectory::run(args, host)),
        Command::HarnessKpi(args) => in_repository(None, |host| harness_kpi::run(args, host)),
        Command::InstructionCheck(args) => in_repository(None, |host| instruction::check(args, host)),
        Command::InstructionRun(args) => in_repository(None, |host| instruction::run(args, host)),
        Command::InstructionWitness(args) => in_repository(None, |host| instruction::witness(args, host)),
        Command::Permits(args) => in_repository(None, |host| instruction::permits_command(args, host)),
        Command::Tools(args) => in_repository(None, |host| tools::run(args, host)),
        Command::Verify(args) => in_repository(None, |host| verify::run(args, host)),
        Command::Doctor(args) => {
            let mending = args.fix.then(|| args.terminal.change());
            in_repository(mending, |host| doctor::run(args, host))
        }
        Command::Gc(args) => {
            let removing = (!args.dry_run).then(|| args.terminal.change());
            in_repository(removing, |host| gc::run(args, host))
        }
        Command::MergeDriver(args) => merge_driver::run(args),
        Command::Trust(args) => {
            let change = StoreChange { reason: args.reason.as_deref(), ..StoreChange::default() };
            in_repository(Some(change), |host| trust::run(args, host))
        }
        Command::CiRequired(args) => in_repository(None, |host| required::run(args, host)),
        Command::RequiredDelta(args) => in_repository(None, |host| required::delta(args, host)),
        Command::RequiredProjection(args) => in_repository(None, |host| required::projection(args, host)),
        Command::RequiredWitness(args) => in_repository(None, |host| required::witness(args, host)),
        Command::RequiredGateRef(args) => in_repository(None, |host| required::gate_ref(args, host)),
        Command::RequiredWitnessVerify(args) => in_repository(None, |host| required::verify(args, host)),
        Command::RequiredWitnessDecide(args) => in_repository(None, |host| required::decide(args, host)),
        Command::RequiredDecisionVerify(args) => {
            in_repository(None, |host| required::verify_decision(args, host))
        }
        Command::ObserveBuild(args) => in_repository(None, |host| observe::build(args, host)),
        Command::Observe(args) => in_repository(None, |host| observe::run(args, host)),
        Command::CoherenceCheck(args) => in_repository(None, |host| coherence_check::run(args, host)),
        Command::Approvals(args) => in_repository(None, |host| people::approvals_command(args, host)),
        Command::Proposals(args) => in_repository(None, |host| people::proposals_command(args, host)),
        Command::Policy(args) => in_repository(None, |host| people::policy_command(args, host)),
        Command::Guard(args) => guard::run(args),
        Command::Audit(args) => in_repository(None, |host| audit::run(args, host)),
        Command::Eval(args) => in_repository(None, |host| measure::eval(args, host)),
        Command::Redteam(args) => in_repository(None, |host| measure::red_team(args, host)),
        Command::Metrics(args) => in_repository(None, |host| metrics::run(args, host)),
        Command::Config(args) => in_repository(None, |host| config::run(args, host)),
        Command::Models(args) => in_repository(None, |host| models::run(args, host)),
        Command::Ask(args) => {
            let wishes = Wishes { record: args.record.as_deref(), ..Wishes::default() };
            with_wishes(&wishes, |host| ask::run(args, host))
        }
        Command::ModelServer(args) => model_server::run(args),
        Command::McpServe(args) => mcp_serve::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Sandbox(args) => {
            let wishes = Wishes { without_sandbox: args.without_sandbox(), ..Wishes::default() };
            with_wishes(&wishes, |host| sandbox::run(args, host))
        }
        Command::SchemeEval(args) => in_repository(None, |host| scheme_eval::run(args, host)),
        Command::HarnessJoinCheck(args) => harness_join_check::run(args),
        Command::GovernanceCheck(args) => governance_check::run(args),
        Command::Explain(args) => explain::run(args),
        Command::ConformanceRun(args) => conformance_run::run(args),
        Command::Schema(args) => schema::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Completions(args) => help::completions(args),
        Command::Help(args) => help::run(args),
    }
}

/// Runs a command in the repository around the current folder.
fn in_repository(
    change: Option<StoreChange<'_>>,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    in_named_repository(None, change, run)
}

/// The same in a directory that the person names, whatever is around it.
fn in_named_repository(
    named: Option<&Path>,
    change: Option<StoreChange<'_>>,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let root = enter(named)?;
    let loaded = loaded(&root)?;
    let authority = match &change {
        Some(change) => authority(&root, &loaded.settings, change)?,
        None => loaded.settings.terminal.value,
    };
    let instruction = change.and_then(|change| change.instruction);
    let wishes = Wishes { instruction, names_root: named.is_some(), ..Wishes::default() };
    let reason = change.and_then(|change| change.reason);
    under(root, loaded, authority, (reason, &wishes), run)
}

/// The same for a server, which stays until the questions of its runs are answered.
fn in_served_repository(
    named: Option<&Path>,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let root = enter(named)?;
    let loaded = loaded(&root)?;
    let authority = loaded.settings.terminal.value;
    let wishes = Wishes { names_root: named.is_some(), answers_runs: true, ..Wishes::default() };
    under(root, loaded, authority, (None, &wishes), run)
}

/// Goes to the directory that the person names; without one, the root of the repository around this one.
fn enter(named: Option<&Path>) -> Result<PathBuf, CliError> {
    let Some(directory) = named else { return Ok(system::repository_root()) };
    system::go_to(directory).map_err(|error| {
        let what = format!("cannot change to `{}`: {error}", directory.display());
        CliError::usage(what, "--root takes a directory that you may enter")
    })?;
    Ok(PathBuf::new())
}

/// The same for a command that reaches outside in a way of its own.
fn with_wishes(
    wishes: &Wishes<'_>,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let root = system::repository_root();
    let loaded = loaded(&root)?;
    let authority = loaded.settings.terminal.value;
    under(root, loaded, authority, (None, wishes), run)
}

/// Runs a command in a folder, under its configuration.
pub(crate) fn in_folder(
    root: PathBuf,
    reason: Option<&str>,
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let loaded = loaded(&root)?;
    let authority = loaded.settings.terminal.value;
    under(root, loaded, authority, (reason, &Wishes::default()), run)
}

/// What the person's own file says, and over it the repository's.
fn loaded(root: &Path) -> Result<Loaded, CliError> {
    let mut loaded = Loaded::default();
    loaded.models.take_environment(system::variable)?;
    settings::telemetry::take_environment(&mut loaded.settings.telemetry, system::variable);
    if let Some(person) = system::person_config()? {
        let folder = person.path.parent().unwrap_or_else(|| Path::new(""));
        let name = person.path.to_string_lossy();
        let source = Source { name: &name, folder, owner: Owner::Person };
        loaded = settings::read_over(loaded, &person.text, &source)?;
    }
    if let Some(text) = system::read_optional(&root.join(settings::FILE_NAME))? {
        let source = Source { name: settings::FILE_NAME, folder: root, owner: Owner::Repository };
        loaded = settings::read_over(loaded, &text, &source)?;
    }
    loaded.warnings.iter().for_each(|warning| output::warning(warning));
    let loaded = loaded.settled()?;
    issues_place::check_configured(root, &loaded.settings)?;
    Ok(loaded)
}

/// What a terminal may change: as the configuration here says, or that of the repository the issue memory belongs to,
/// whichever lets it do less. Else whoever stands elsewhere would be free to do anything.
fn authority(
    root: &Path,
    settings: &Settings,
    change: &StoreChange<'_>,
) -> Result<TerminalAuthority, CliError> {
    let named = change.issues.map(str::trim).filter(|named| !named.is_empty());
    let issues = named.map_or_else(|| root.join(&settings.issues_path.value), PathBuf::from);
    let freedom = |authority: &TerminalAuthority| match authority {
        TerminalAuthority::InstructionLinked => 0,
        TerminalAuthority::HumanOverride => 1,
        TerminalAuthority::Operator => 2,
    };
    let mut all = vec![settings.terminal.value];
    for owner in system::owners(&issues) {
        if let Some(text) = system::read_optional(&owner.join(settings::FILE_NAME))? {
            all.push(settings::read(&text)?.settings.terminal.value);
        }
    }
    Ok(all.into_iter().min_by_key(freedom).unwrap_or(settings.terminal.value))
}

fn under(
    root: PathBuf,
    loaded: Loaded,
    authority: TerminalAuthority,
    (reason, wishes): (Option<&str>, &Wishes<'_>),
    run: impl FnOnce(&Host<'_>) -> Result<Exit, CliError>,
) -> Result<Exit, CliError> {
    let door = TerminalDoor {
        authority,
        reason: reason.map(ToOwned::to_owned),
        actor: system::variable("USER"),
        is_step: system::is_set(STEP_TOKEN),
        instruction: wishes.instruction.map(|(id, call_id)| NamedInstruction {
            id: id.to_owned(),
            call_id: call_id.map(ToOwned::to_owned),
        }),
    };
    let redactor = redactor(&loaded.guardrails);
    let kept = system::kept_memory(&root, &loaded.settings.issues_path.value);
    let mut settings = loaded.settings;
    // Its locks are where it is, whatever leads there. A link that leads nowhere is found when it is opened.
    if let Ok(Some(behind)) = system::behind_links(&root, &root.join(&settings.issues_path.value)) {
        settings.issues_path.value = behind.to_string_lossy().into_owned();
    }
    let reached: Vec<PathBuf> =
        loaded.sandbox.readable.iter().chain(&loaded.sandbox.writable).map(PathBuf::from).collect();
    let workspace = workspace(root, door, settings, redactor, reached.clone());
    let models = Models::new(&workspace, loaded.models, wishes.record);
    let mut walls = loaded.sandbox;
    walls.protected.extend(kept);
    let sandbox = Arc::new(outside::sandbox(walls, wishes.without_sandbox));
    let agent = Agent::new(&models, Arc::clone(&sandbox), &workspace.root, loaded.guardrails)
        .reaching(reached)
        .in_named_root(wishes.names_root)
        .answered_here(wishes.answers_runs)
        .with_foreign(foreign::servers(&loaded.mcp, &workspace.root), &workspace);
    run(&Host {
        vectors: &VectorFolder(PathBuf::new()),
        workspace: &workspace,
        models: &models,
        sandbox: sandbox.as_ref(),
        agent: &agent,
    })
}

/// What takes secrets, and personal data where that is asked for, out of whatever goes into the audit log.
pub(crate) fn redactor(guardrails: &GuardrailSettings) -> Redactor {
    let mut redactor = premath_guards::Redactor::new();
    let pii = guardrails.built_in().pii;
    if let Some(pii) = pii.filter(|pii| pii.actions.output >= Some(GuardAction::Redact)) {
        redactor = redactor.with_personal_data(pii.kinds);
    }
    Redactor::new(move |text| redactor.redact(text).text)
}

/// The file system of this machine, with the keys of clones. No tool may reach the secret that they are derived from.
pub(crate) fn keyed_disk(reached: Vec<PathBuf>) -> Arc<dyn Disk> {
    let auth = Arc::new(CloneAuth::new(Clones::new(reached)));
    Arc::new(KeyedDisk::new(Arc::new(OsDisk), auth))
}

pub(crate) fn workspace(
    root: PathBuf,
    door: TerminalDoor,
    settings: Settings,
    redactor: Redactor,
    reached: Vec<PathBuf>,
) -> Workspace {
    Workspace {
        disk: keyed_disk(reached),
        clock: Arc::new(OsClock),
        ids: Arc::new(OsIds),
        root,
        door: Arc::new(door),
        settings,
        redactor,
        retention: Retention::default(),
        packages: PolicyPackages::new(shipped_package(crate::agent::shipped_rules())),
        receipts: premath_bd::AuditReceipts::default(),
    }
}

/// A repository for actions that need none: its door is shut.
pub(crate) fn nowhere() -> Workspace {
    let authority = TerminalAuthority::InstructionLinked;
    let door = TerminalDoor { authority, reason: None, actor: None, is_step: true, instruction: None };
    let redactor = redactor(&GuardrailSettings::default());
    workspace(PathBuf::new(), door, Settings::default(), redactor, Vec::new())
}

/// Calls one action and prints its answer: the payload, the whole envelope, or text for a person.
fn answer<P: DeserializeOwned>(
    host: &Host<'_>,
    action: &str,
    arguments: &Value<'_>,
    format: &Format,
    render: impl FnOnce(&P) -> String,
) -> Result<Exit, CliError> {
    let command = ACTIONS.iter().find(|known| known.name == action).map_or(action, |known| known.command);
    let effect = host.call(action, arguments).map_err(|error| CliError::command(error, command))?;
    let is_refused = effect.result_class == "rejected";
    if format.envelope {
        output::json(&effect)?;
    } else if format.json {
        output::json(&effect.payload)?;
    } else {
        let payload = effect.payload.get();
        let text = match serde_json::from_str::<P>(payload) {
            Ok(answer) => render(&answer),
            Err(source) if is_refused => match serde_json::from_str(payload) {
                Ok(refused) => render::issue::refused(&refused),
                Err(_) => return Err(unwritable(ActionError::Unwritable { source })),
            },
            Err(source) => return Err(unwritable(ActionError::Unwritable { source })),
        };
        output::text(&text)?;
    }
    Ok(if is_refused { Exit::Rejected } else { Exit::Accepted })
}

/// Prints the whole envelope of one host action that needs no repository.
fn print_envelope(folder: &str, action: &str, args: &Value<'_>) -> Result<String, CliError> {
    let (vectors, workspace) = (VectorFolder(folder.into()), nowhere());
    let host = Host {
        vectors: &vectors,
        workspace: &workspace,
        models: &NoModels,
        sandbox: &NoSandbox,
        agent: &NoAgent,
    };
    let effect = host.call(action, args).map_err(CliError::action)?;
    output::json(&effect)?;
    Ok(effect.result_class)
}

/// The exit code of a check.
const fn verdict(is_accepted: bool, exit_zero: bool) -> Exit {
    if is_accepted || exit_zero { Exit::Accepted } else { Exit::Rejected }
}

const fn strictness(args: &CheckArgs) -> Strictness {
    if args.strict { Strictness::Strict } else { Strictness::Lenient }
}

/// Answers a check with the whole envelope.
fn check_envelope(action: &str, schema: &str, args: &CheckArgs, bytes: &[u8]) -> Result<Exit, CliError> {
    let document = parse(bytes, Limits::default()).map_err(|error| CliError::input(&error, schema))?;
    let arguments =
        premath_kernel::Object::fields().field("document", document).field("strict", args.strict).finish();
    let class = print_envelope("", action, &arguments)?;
    Ok(verdict(class == "accepted", args.exit_zero))
}

/// An answer that JSON cannot hold does not exist; the type says it might.
fn unwritable(error: ActionError) -> CliError {
    CliError::action(error)
}
