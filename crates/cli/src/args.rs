//! What can be typed. Must not do anything.

pub(crate) mod audit;
pub(crate) mod conversation;
pub(crate) mod dep;
pub(crate) mod desk;
pub(crate) mod guard;
pub(crate) mod harness;
pub(crate) mod init;
pub(crate) mod instruction;
pub(crate) mod issue;
pub(crate) mod mcp;
pub(crate) mod measure;
pub(crate) mod merge;
pub(crate) mod model;
pub(crate) mod observe;
pub(crate) mod people;
pub(crate) mod required;
pub(crate) mod run;
pub(crate) mod sandbox;
pub(crate) mod scheme;
pub(crate) mod serve;
pub(crate) mod tools;
pub(crate) mod upkeep;
pub(crate) mod work;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), " (", env!("PREMATH_COMMIT"), ")");

/// A fail-closed agent harness: nothing changes until the turn that asked for it is closed, checked and witnessed.
#[derive(Debug, Parser)]
#[command(name = "premath", version = VERSION, disable_help_subcommand = true, arg_required_else_help = true)]
#[command(after_help = "Exit codes: `premath help exit-codes`. Every command takes --json and --help.")]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make this folder ready for premath
    #[command(after_help = "Example:\n  premath init\n  premath init --example /tmp/try-premath")]
    Init(init::InitArgs),
    /// Give a task to a model: it works through real tools, and every turn is closed, checked and witnessed
    #[command(
        after_help = "Example:\n  premath run --demo                             (no key, no network)\n  \
                            premath run \"Make the failing test pass\" --model anthropic:claude-sonnet-4-5\n  \
                            premath run --issue bd-7 --max-cost 0.50 --json\n\n\
                            Ends with 0 when the work is done or handed on; with 1 when it failed closed, reached a limit\nor no model \
                            answered; with 3 when it waits for a person; with 130 when it was interrupted.\n\
                            `premath resume` goes on. More: docs/reference/runs.md."
    )]
    Run(Box<run::RunArgs>),
    /// Go on with a run that stopped, was interrupted or was killed
    #[command(
        after_help = "Example:\n  premath resume\n  premath resume run-019a7c21b3f45d08 --max-turns 40"
    )]
    Resume(run::ResumeArgs),
    /// Drive a run again from its journal, with no model and no effects, and compare every row
    #[command(
        after_help = "Example:\n  premath replay run-019a7c21b3f45d08\n\nEnds with 1 when a row comes out differently."
    )]
    Replay(run::ReplayArgs),
    /// The runs of this repository
    #[command(after_help = "Example:\n  premath runs list\n  premath runs show run-019a7c21b3f45d08")]
    Runs(run::RunsArgs),
    /// A single turn of a run
    #[command(after_help = "Example:\n  premath turn show run-019a7c21b3f45d08.t0003")]
    Turn(run::TurnArgs),
    /// Issue memory: what is to be done, who does it, what became of it
    #[command(after_help = "Example:\n  premath issue ready\n  premath issue claim-next --assignee jo")]
    Issue(issue::IssueArgs),
    /// Dependencies between issues
    #[command(after_help = "Example:\n  premath dep add bd-2 bd-1\n  premath dep project")]
    Dep(dep::DepArgs),
    /// The desk: the files of the workspace, with every version of them
    #[command(
        after_help = "Example:\n  premath desk tree\n  premath desk add notes.md --file notes.md\n  premath desk history notes.md"
    )]
    Desk(desk::DeskArgs),
    /// Conversations with the assistant of the desk
    #[command(after_help = "Example:\n  premath conversations start --id tidy\n  \
                            premath run --desk --conversation tidy \"Which notes are old?\"\n  \
                            premath conversations show tidy\n\nMore: docs/reference/chat.md.")]
    Conversations(conversation::ConversationsArgs),
    /// Begin a working session: memory roots, the graph, the handoff before, the next target, how things stand
    #[command(after_help = "Example:\n  premath boot\n  premath boot --verify-cmd \"cargo test\" --json")]
    Boot(work::BootArgs),
    /// Take one issue, work on it, verify, and close it when the verification passes
    #[command(
        after_help = "Example:\n  premath step --work-cmd ./work.sh --verify-cmd \"cargo test\"\n\nMore: docs/reference/workers.md."
    )]
    Step(work::StepArgs),
    /// End a working session: the handoff for whoever goes on, and the lease given back
    #[command(after_help = "Example:\n  premath stop\n  premath stop --worker-id a --json")]
    Stop(work::StopArgs),
    /// Work in one worktree, step after step, until nothing is ready
    #[command(
        after_help = "Example:\n  premath worker --worker-id a --worktree ../a --work-cmd ./work.sh --verify-cmd \"cargo test\"\n  \
                      premath worker --worker-id a --work-cmd agent --verify-cmd \"cargo test\" --steps 1 --json\n\n\
                      Ends with 0 when nothing is left to do or the steps are used up, with 1 when it stopped because of a\n\
                      failure. More: docs/reference/workers.md."
    )]
    Worker(work::WorkerArgs),
    /// Run a worker in each of several worktrees at the same time, until nothing is ready
    #[command(
        after_help = "Example:\n  premath coordinator --worktree ../a --worktree ../b --create-worktrees \\\n    \
                      --work-cmd ./work.sh --verify-cmd \"cargo test\"\n\n\
                      Ctrl-C lets every worker finish its step. More: docs/reference/workers.md."
    )]
    Coordinator(work::CoordinatorArgs),
    /// Land the branches of closed issues on the target, one at a time, dependencies first
    #[command(
        after_help = "Example:\n  premath land\n  premath land bd-3 bd-4 --target main --verify-cmd 'make test'\n  premath land --accept\n\n\
                            Ends with 0 when everything landed, with 1 when something did not. More: docs/reference/landing.md."
    )]
    Land(work::LandArgs),
    /// The session handoff: what a fresh process resumes from
    #[command(
        after_help = "Example:\n  premath harness-session bootstrap\n  premath harness-session write --state stopped"
    )]
    HarnessSession(harness::HarnessSessionArgs),
    /// The feature ledger: what is done, what is next
    #[command(
        after_help = "Example:\n  premath harness-feature next\n  premath harness-feature check --require-closure"
    )]
    HarnessFeature(harness::HarnessFeatureArgs),
    /// The trajectory: one row per step, and what came of it
    #[command(after_help = "Example:\n  premath harness-trajectory query --mode failed --limit 20")]
    HarnessTrajectory(harness::HarnessTrajectoryArgs),
    /// How fast verified work gets done, and whether that is enough
    #[command(after_help = "Example:\n  premath harness-kpi --window-hours 24")]
    HarnessKpi(harness::HarnessKpiArgs),
    /// Say what an instruction is, and whether it would be carried out
    #[command(
        after_help = "Example:\n  premath instruction-check instructions/20261115T071252Z-close-bd-7.json"
    )]
    InstructionCheck(instruction::EnvelopeArgs),
    /// Run the checks of an instruction and write its witness, on whose strength changes are made
    #[command(
        after_help = "Example:\n  premath instruction-run instructions/20261115T071252Z-close-bd-7.json\n  \
                            premath issue update bd-7 --status closed --instruction 20261115T071252Z-close-bd-7"
    )]
    InstructionRun(instruction::EnvelopeArgs),
    /// Show the witness of an instruction, and whether it still permits anything
    #[command(after_help = "Example:\n  premath instruction-witness 20261115T071252Z-close-bd-7")]
    InstructionWitness(instruction::WitnessArgs),
    /// What was changed on the strength of which instruction
    #[command(after_help = "Example:\n  premath permits list --issue bd-7")]
    Permits(instruction::PermitsArgs),
    /// The tools of runs; those of other MCP servers, and what was approved of them
    #[command(
        after_help = "Example:\n  premath tools list\n  premath tools approve weather\n  premath tools check"
    )]
    Tools(tools::ToolsArgs),
    /// Check that everything on the disk is as it was written
    #[command(after_help = "Example:\n  premath verify --json")]
    Verify(upkeep::VerifyArgs),
    /// Merge issue memory for git, by id, revision and field
    #[command(after_help = "Example:\n  premath merge-driver %O %A %B %L %P\n\n\
                            `premath init` installs it in .gitattributes and in git's configuration. The result takes the place of %A.\n\
                            Ends with 0 when the file is merged; what is left to decide is listed by `premath issue check`.\n\
                            More: docs/reference/issue-memory.md.")]
    MergeDriver(merge::MergeDriverArgs),
    /// Find and explain damage, and mend it with --fix
    #[command(after_help = "Example:\n  premath doctor\n  premath doctor --fix")]
    Doctor(upkeep::DoctorArgs),
    /// Remove objects that nothing cites any more
    #[command(after_help = "Example:\n  premath gc --dry-run\n  premath gc --min-age 7d --max-size 2GiB\n\n\
                            What is cited, what is young and what was written since the oldest run under way began is kept. \
                            More: docs/reference/verify.md.")]
    Gc(upkeep::GcArgs),
    /// Take over logs that this clone did not write, after checking their chains, on record
    #[command(
        after_help = "Example:\n  premath trust --reason \"moved to a new laptop\" --all\n  premath trust --upgrade --reason \"first start with keys\"\n\n\
                            A log that contradicts itself is not taken over. More: docs/reference/trust.md."
    )]
    Trust(upkeep::TrustArgs),
    /// Run the checks that a range of commits asks for, witness them, and decide
    #[command(after_help = "Example:\n  premath ci-required --from main --to HEAD\n\n\
                            Ends with 1 when the range may not pass. More: docs/reference/required.md.")]
    CiRequired(required::RangeArgs),
    /// List the paths that differ between two commits
    #[command(after_help = "Example:\n  premath required-delta --from main --to HEAD")]
    RequiredDelta(required::DeltaArgs),
    /// Say which checks a range of commits asks for
    #[command(after_help = "Example:\n  premath required-projection --from main --to HEAD")]
    RequiredProjection(required::RangeArgs),
    /// Run the checks that a range asks for and write what came of them
    #[command(after_help = "Example:\n  premath required-witness --from main --to HEAD")]
    RequiredWitness(required::RangeArgs),
    /// Compute the reference of a check's outcome again
    #[command(after_help = "Example:\n  premath required-gate-ref --check tests")]
    RequiredGateRef(required::GateRefArgs),
    /// Compute everything again that a witness of required checks says
    #[command(after_help = "Example:\n  premath required-witness-verify --from main --to HEAD")]
    RequiredWitnessVerify(required::WitnessArgs),
    /// Decide whether a range may pass, from its witness
    #[command(after_help = "Example:\n  premath required-witness-decide --to HEAD")]
    RequiredWitnessDecide(required::WitnessArgs),
    /// Decide again, and compare
    #[command(after_help = "Example:\n  premath required-decision-verify\n\n\
                            Ends with 0 when the decision is what follows from its witness, whichever it is.")]
    RequiredDecisionVerify(required::DecisionArgs),
    /// Build the observation: one surface over issues, leases, witnesses, sessions and steps
    #[command(after_help = "Example:\n  premath observe-build\n\n\
                            It is written to artifacts/observation/latest.json. More: docs/reference/observe.md.")]
    ObserveBuild(observe::ObserveBuildArgs),
    /// Look at the observation that was built last
    #[command(after_help = "Example:\n  premath observe needs_attention\n  premath observe latest --json")]
    Observe(observe::ObserveArgs),
    /// Check that a repository keeps its own contract
    #[command(
        after_help = "Example:\n  premath coherence-check\n\nEnds with 1 when something does not fit. \
                            More: docs/reference/coherence.md."
    )]
    CoherenceCheck(upkeep::CoherenceArgs),
    /// What runs ask people, and the answers
    #[command(
        after_help = "Example:\n  premath approvals list\n  premath approvals approve apr_0123456789ab"
    )]
    Approvals(people::ApprovalsArgs),
    /// Plans that wait for a person
    #[command(
        after_help = "Example:\n  premath proposals list\n  premath proposals approve prp_0123456789ab"
    )]
    Proposals(people::ProposalsArgs),
    /// What runs may do at most, and what would become of a call
    #[command(
        after_help = "Example:\n  premath policy show\n  premath policy explain --tool fs_read --args '{\"path\": \".env\"}'"
    )]
    Policy(people::PolicyArgs),
    /// Decide about the tool calls of another agent: the hook that blocks when it fails
    #[command(after_help = "Example:\n  premath guard install --format claude-code\n  \
                      premath guard --format claude-code < event.json\n\n\
                      Ends with 0 when the agent may go on, or has to ask a person; with 2, which blocks, otherwise, and\n\
                      whenever anything goes wrong. More: docs/reference/guard.md.")]
    Guard(guard::GuardArgs),
    /// The audit log: what was decided and done, by whom, and why
    #[command(
        after_help = "Example:\n  premath audit query --effect deny\n  premath audit verify\n  premath audit why bd-7"
    )]
    Audit(audit::AuditArgs),
    /// Measure policy packages
    #[command(after_help = "Example:\n  premath eval guardrails --dataset examples/guardrails/dataset.jsonl")]
    Eval(measure::EvalArgs),
    /// Attack policy packages
    #[command(after_help = "Example:\n  premath redteam run")]
    Redteam(measure::RedTeamArgs),
    /// Numbers over everything that is kept, as Prometheus reads them
    #[command(after_help = "Example:\n  premath metrics")]
    Metrics(init::MetricsArgs),
    /// The configuration of this repository
    #[command(after_help = "Example:\n  premath config show")]
    Config(init::ConfigArgs),
    /// Check whether a turn is closed and its mutation admissible
    #[command(after_help = "Example:\n  premath harness-join-check --input \
                            conformance/harness-typestate/golden/single_call_accept/case.json\n\n\
                            What it reads: docs/reference/join-check.md, `premath schema join-check-input`.")]
    HarnessJoinCheck(CheckArgs),
    /// Check a governance profile by itself
    #[command(after_help = "Example:\n  premath governance-check --input profile.json --json\n\n\
                            What it reads: `premath schema governance-check-input`.")]
    GovernanceCheck(CheckArgs),
    /// The providers of models: which are configured, reachable, cooling down
    #[command(after_help = "Example:\n  premath models\n  premath models --check --json\n\n\
                            How to add one: docs/reference/configuration.md. Keys are shown nowhere.")]
    Models(model::ModelsArgs),
    /// Put one plain question to a model, without tools
    #[command(
        after_help = "Example:\n  premath ask \"What is a lease?\" --model anthropic:claude-sonnet-4-5 --stream\n  \
                            premath ask - --model local:llama --model openai:gpt-5 < question.txt\n  \
                            premath ask hello --model scripted:examples/models/hello.toml"
    )]
    Ask(model::AskArgs),
    /// Serve a scenario as a model, over the three protocols, on the loopback address
    #[command(
        after_help = "Example:\n  premath model-server --scenario examples/models/hello.toml --port 8765"
    )]
    ModelServer(model::ModelServerArgs),
    /// Serve this repository to other agents over MCP
    #[command(
        after_help = "Example:\n  premath mcp-serve\n  premath mcp-serve --http 127.0.0.1:8766\n  premath mcp-serve --root ~/project\n  premath mcp-serve --tools issue,dep,instruction"
    )]
    McpServe(mcp::McpServeArgs),
    /// Serve the console of this repository: a page and an HTTP API on the loopback address
    #[command(after_help = "Example:\n  premath serve --open\n  premath serve --port 0 --json\n\n\
                            The address that is printed has the token of this repository in it: whoever has it decides in\nyour name. \
                            Ctrl-C ends the server; runs in it stop where `premath resume` goes on.\n\
                            Ends with 4 when the port is taken. More: docs/reference/console.md.")]
    Serve(serve::ServeArgs),
    /// The sandbox around commands
    #[command(
        after_help = "Example:\n  premath sandbox check\n  premath sandbox run --profile read-only -- ls -la"
    )]
    Sandbox(sandbox::SandboxArgs),
    /// Run a program in Scheme whose only effect is calls of host functions
    #[command(after_help = "Example:\n  premath scheme-eval -e '(map issue-id (issue-ready))'\n  \
                      premath scheme-eval --program triage.scm --read-only --trace triage.json\n  \
                      premath scheme-eval --replay triage.json\n  \
                      premath scheme-eval -e '(issue-claim \"bd-1\")' --instruction 20261116T090000Z-triage\n\n\
                      Prints what the program wrote, then its value. Ends with 1 when the program fails, with 2 when it is none.\n\
                      Language: docs/reference/scheme.md, functions: docs/reference/host-functions.md.")]
    SchemeEval(scheme::SchemeEvalArgs),
    /// Explain a failure class: what happened, why it is refused, what to do
    #[command(
        after_help = "Example:\n  premath explain tool.result_orphan\n  premath explain          (lists all classes)"
    )]
    Explain(ExplainArgs),
    /// Run the conformance vectors against this build
    #[command(after_help = "Example:\n  premath conformance-run --suite harness-typestate")]
    ConformanceRun(ConformanceArgs),
    /// Print the JSON Schema of a document
    #[command(
        after_help = "Example:\n  premath schema join-check-input\n  premath schema --input issue.claim\n  premath schema            (lists all names)"
    )]
    Schema(SchemaArgs),
    /// Measure this machine
    #[command(after_help = "Example:\n  premath bench kernel\n  premath bench store\n  premath bench loop")]
    Bench(BenchArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  premath completions bash > ~/.local/share/bash-completion/completions/premath"
    )]
    Completions(CompletionArgs),
    /// Print help for a command or a topic
    #[command(after_help = "Example:\n  premath help exit-codes")]
    Help(HelpArgs),
}

/// How an answer is printed.
#[derive(Debug, Args)]
pub(crate) struct Format {
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the whole host effect around that document
    #[arg(long)]
    pub(crate) envelope: bool,
}

/// Which issue memory.
#[derive(Debug, Args)]
pub(crate) struct Store {
    /// The issue memory, when it is not the configured one
    #[arg(long, value_name = "PATH")]
    pub(crate) issues: Option<String>,
}

/// What a person says to change something.
#[derive(Debug, Args)]
pub(crate) struct Terminal {
    /// Why to change it by hand, where premath.toml asks for a reason
    #[arg(long, value_name = "REASON")]
    pub(crate) override_reason: Option<String>,
}

impl Terminal {
    /// The change that a command makes which says nothing else of it.
    pub(crate) fn change(&self) -> StoreChange<'_> {
        StoreChange { reason: self.override_reason.as_deref(), ..StoreChange::default() }
    }
}

/// On whose authority an issue or a dependency changes.
#[derive(Debug, Args)]
pub(crate) struct Authorised {
    #[command(flatten)]
    pub(crate) terminal: Terminal,
    /// Make the change on the strength of an instruction that was run, not as a person
    #[arg(long, value_name = "ID", conflicts_with = "override_reason")]
    pub(crate) instruction: Option<String>,
    /// What to call the turn that asks for it: the same call is made once, however often it is repeated
    #[arg(long, value_name = "ID", requires = "instruction")]
    pub(crate) call_id: Option<String>,
}

/// A command that changes issue memory: which, and why.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct StoreChange<'a> {
    /// The issue memory, when it is not the configured one.
    pub(crate) issues: Option<&'a str>,
    /// The reason a person gave to override the configuration.
    pub(crate) reason: Option<&'a str>,
    /// The instruction that was named, and what to call the turn.
    pub(crate) instruction: Option<(&'a str, Option<&'a str>)>,
}

impl<'a> StoreChange<'a> {
    fn new(store: &'a Store, terminal: &'a Terminal) -> Self {
        Self {
            issues: store.issues.as_deref(),
            reason: terminal.override_reason.as_deref(),
            instruction: None,
        }
    }

    fn authorised(store: &'a Store, by: &'a Authorised) -> Self {
        let instruction = by.instruction.as_deref().map(|id| (id, by.call_id.as_deref()));
        Self { instruction, ..Self::new(store, &by.terminal) }
    }
}

/// How many answers are wanted, as it is typed.
fn limit(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| "it must be a whole number from 0".to_owned())
}

/// Arguments of the check commands.
#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The document to check; - reads standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) input: PathBuf,
    /// Refuse unknown fields and rows that leave something out
    #[arg(long)]
    pub(crate) strict: bool,
    /// Report a rejection without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The failure class; without one, all are listed
    pub(crate) class: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `conformance-run`.
#[derive(Debug, Args)]
pub(crate) struct ConformanceArgs {
    /// Run one suite only
    #[arg(long)]
    pub(crate) suite: Option<String>,
    /// Where the vectors are
    #[arg(long, value_name = "FOLDER", default_value = "conformance")]
    pub(crate) path: PathBuf,
    /// Report failures without failing
    #[arg(long)]
    pub(crate) exit_zero: bool,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// The document's name; without one, all are listed
    pub(crate) name: Option<String>,
    /// An action, such as issue.ready: print what it takes
    #[arg(long, value_name = "ACTION", conflicts_with = "name")]
    pub(crate) input: Option<String>,
    #[command(flatten)]
    pub(crate) format: Format,
}

/// Arguments of `bench`.
#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// What to measure.
    #[command(subcommand)]
    pub(crate) target: BenchTarget,
}

/// What can be measured.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchTarget {
    /// The join check against parsing and hashing the same bytes, and its growth with the number of calls
    #[command(after_help = "Example:\n  premath bench kernel --json")]
    Kernel {
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// Issue memory and trajectory: growth, rates and memory, on stores it makes for the purpose
    #[command(after_help = "Example:\n  premath bench store --json")]
    Store {
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// The turn loop against a bare loop over the same model server: gaps, syncs, bytes, memory
    #[command(after_help = "Example:\n  premath bench loop --quick")]
    Loop {
        /// Measure less: enough to look at, too little to judge by
        #[arg(long)]
        quick: bool,
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// The Scheme evaluator beside Lua, what a start costs, and what a host call costs beyond its action
    #[command(after_help = "Example:\n  premath bench scheme --json")]
    Scheme {
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// Steps of workers that do nothing: what one costs, and what more workers bring
    #[command(after_help = "Example:\n  premath bench workers --steps 100")]
    Workers {
        /// Steps of each worker
        #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        steps: u32,
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// The MCP server beside an echo of the same SDK, and what its list of tools weighs
    #[command(after_help = "Example:\n  premath bench mcp --json")]
    Mcp {
        /// Print one JSON document and nothing else on standard output
        #[arg(long)]
        json: bool,
    },
    /// The echo that the MCP server is measured beside
    #[command(hide = true)]
    McpEcho {
        /// Over pipes that are read without a thread, as mcp-serve has them
        #[arg(long)]
        pipes: bool,
    },
    /// One run of one loop, for a counter around this process
    #[command(hide = true)]
    LoopCase(LoopCaseArgs),
    /// Another command, with what it used on standard error
    #[command(hide = true)]
    Measured {
        /// The command and its arguments.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
    /// One measured piece of work, for a counter around this process
    #[command(hide = true)]
    KernelCase {
        /// What to do after the turn is generated.
        work: KernelWork,
        /// How many calls the turn has.
        #[arg(long, default_value_t = 10_000)]
        calls: usize,
    },
}

/// Arguments of `bench loop-case`.
#[derive(Debug, Args)]
pub(crate) struct LoopCaseArgs {
    /// The model server; one of its own without this.
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// How many turns.
    #[arg(long, default_value_t = 100)]
    pub(crate) turns: usize,
    /// How many calls in each.
    #[arg(long, default_value_t = 1)]
    pub(crate) calls: usize,
    /// What a call counts as.
    #[arg(long, value_enum, default_value = "read")]
    pub(crate) kind: LoopKind,
    /// Where the journal is.
    #[arg(long, value_enum, default_value = "memory")]
    pub(crate) store: LoopStore,
    /// Whose loop.
    #[arg(long, value_enum, default_value = "ours")]
    pub(crate) whose: LoopWhose,
}

/// What a call of a measured run counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LoopKind {
    /// It looks only.
    Read,
    /// It changes something.
    Effect,
}

/// Where the journal of a measured run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LoopStore {
    /// In memory.
    Memory,
    /// In its file.
    File,
}

/// Whose loop is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum LoopWhose {
    /// Ours.
    Ours,
    /// The bare one.
    Floor,
}

/// What a measured process does after the turn is generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum KernelWork {
    /// Nothing.
    Generate,
    /// Parse into a generic value and hash the bytes once.
    Baseline,
    /// The whole join check, without printing.
    JoinCheck,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `help`.
#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// A command, or `exit-codes`
    pub(crate) topic: Vec<String>,
    /// Print one JSON document and nothing else on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests;
