//! What a check comes to, however its command ends; and that what it printed is kept.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use premath_bd::Permit;
use premath_kernel::Moment;
use premath_testkit::faulty_disk::SimDisk;
use premath_testkit::{CountingIds, TestClock};
use premath_tusk::sandbox::{
    CapturedOutput, Ending, Interrupt, Profile, Sandbox, SandboxCommand, SandboxError, SandboxEvidence,
    SandboxReport, SandboxRun,
};
use premath_wire::v1::{CheckOutcome, CheckStatus};

use super::{CheckLimits, check_objects, run_check};
use crate::actions::conformance::{Case, SourceError, VectorSource};
use crate::agent::NoAgent;
use crate::outside::{NoModels, NoSandbox};
use crate::settings::Settings;
use crate::table::Host;
use crate::workspace::{DoorRefusal, MutationDoor, Retention, Workspace};

#[derive(Debug)]
struct Shut;

impl MutationDoor for Shut {
    fn permit(&self, _: &str) -> Result<Permit, DoorRefusal> {
        let (detail, hint) = (String::new(), String::new());
        Err(DoorRefusal { class: "mutation.use_evidence_missing", detail, hint })
    }
}

#[derive(Debug)]
struct NoVectors;

impl VectorSource for NoVectors {
    fn cases(&self) -> Result<Vec<Case>, SourceError> {
        Err(SourceError::Empty)
    }
}

/// A sandbox in which every command ends in the same way, having printed `abc`, of which `ac` is kept.
#[derive(Debug)]
struct Ends(Ending);

impl Sandbox for Ends {
    fn run(&self, command: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        assert_eq!((command.profile, command.program.as_str()), (Profile::WorkspaceWrite, "sh"));
        assert_eq!(command.arguments, ["-c", "make test"]);
        Ok(SandboxRun {
            ending: self.0,
            stdout: CapturedOutput { head: b"a".to_vec(), tail: b"c".to_vec(), total_bytes: 3 },
            stderr: CapturedOutput::default(),
            evidence: SandboxEvidence {
                workdir: PathBuf::from("project"),
                profile: command.profile,
                profile_digest: "sbx1_0".to_owned(),
                command_digest: "cmd1_0".to_owned(),
                layers: Vec::new(),
                operator_override: None,
                wall: Duration::from_millis(7),
                user: Duration::ZERO,
                system: Duration::ZERO,
            },
        })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

fn workspace() -> Workspace {
    Workspace {
        disk: Arc::new(SimDisk::new()),
        clock: Arc::new(TestClock::at(Moment::new(1_800_000_000, 0).unwrap())),
        ids: Arc::new(CountingIds::new("id")),
        root: PathBuf::from("project"),
        door: Arc::new(Shut),
        settings: Settings::default(),
        redactor: premath_bd::Redactor::default(),
        retention: Retention::default(),
        packages: crate::PolicyPackages::default(),
        receipts: premath_bd::AuditReceipts::default(),
    }
}

fn outcome(workspace: &Workspace, sandbox: &dyn Sandbox) -> CheckOutcome {
    let host = Host { vectors: &NoVectors, workspace, models: &NoModels, sandbox, agent: &NoAgent };
    run_check(&host, "tests", "make test", CheckLimits::default()).unwrap()
}

#[test]
fn only_an_end_with_code_zero_passes() {
    let workspace = workspace();
    for (ending, class, code) in [
        (Ending::Exited(0), None, Some(0)),
        (Ending::Exited(7), Some("check_failed"), Some(7)),
        (Ending::Signalled(9), Some("check_failed"), None),
        (Ending::TimedOut, Some("timeout"), None),
        (Ending::Interrupted, Some("interrupted"), None),
    ] {
        let outcome = outcome(&workspace, &Ends(ending));
        assert_eq!((outcome.failure_class.as_deref(), outcome.exit_code), (class, code), "{ending:?}");
        assert_eq!(outcome.status == CheckStatus::Passed, class.is_none(), "{ending:?}");
    }
}

#[test]
fn what_was_printed_is_kept_and_a_cut_is_said() {
    let workspace = workspace();
    let outcome = outcome(&workspace, &Ends(Ending::Exited(0)));
    let stdout = outcome.stdout.unwrap();
    assert_eq!((stdout.total_bytes, stdout.cut_bytes), (3, 1));
    let kept = check_objects(&workspace).read_range(&stdout.digest.parse().unwrap(), 0, 100).unwrap();
    assert_eq!(kept, b"a\n[1 bytes cut]\nc");
    assert_eq!(outcome.profile_digest.as_deref(), Some("sbx1_0"));
}

#[test]
fn a_command_that_no_wall_stands_around_has_failed() {
    let outcome = outcome(&workspace(), &NoSandbox);
    assert_eq!(
        (outcome.status, outcome.failure_class.as_deref()),
        (CheckStatus::Failed, Some("sandbox.none"))
    );
    assert_eq!((outcome.stdout, outcome.exit_code), (None, None));
}
