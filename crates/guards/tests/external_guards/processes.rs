//! A sandbox without walls: it starts a program in a group of its own and ends the group in time.

use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use premath_tusk::sandbox::{
    CapturedOutput, Ending, Interrupt, Sandbox, SandboxCommand, SandboxError, SandboxEvidence, SandboxReport,
    SandboxRun,
};

#[derive(Debug)]
pub(crate) struct Processes;

impl Sandbox for Processes {
    fn run(&self, command: &SandboxCommand, _: &Interrupt) -> Result<SandboxRun, SandboxError> {
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .current_dir(&command.workdir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|error| SandboxError::Program {
                program: command.program.clone(),
                detail: error.to_string(),
            })?;
        let group = format!("-{}", child.id());
        let mut input = child.stdin.take().unwrap();
        let document = command.stdin.clone();
        // Whoever does not read leaves a broken pipe, which is its own affair.
        thread::spawn(move || input.write_all(&document).is_ok());
        let mut output = child.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let is_read = output.read_to_end(&mut bytes).is_ok();
            sender.send((is_read, bytes)).is_ok()
        });
        let (is_over, bytes) = match receiver.recv_timeout(command.limits.wall) {
            Ok((_, bytes)) => (false, bytes),
            Err(_) => (true, Vec::new()),
        };
        if is_over {
            let killed = Command::new("kill").args(["-9", "--", &group]).status().unwrap();
            assert!(killed.success(), "the group could not be ended");
            // The output closes when the last of the group is gone.
            receiver.recv_timeout(Duration::from_secs(20)).expect("the group outlived its end");
        }
        let status = child.wait().unwrap();
        let ending = match (is_over, status.code(), status.signal()) {
            (true, _, _) => Ending::TimedOut,
            (false, Some(code), _) => Ending::Exited(code),
            (false, None, signal) => Ending::Signalled(signal.unwrap_or_default()),
        };
        Ok(SandboxRun {
            ending,
            stdout: captured(&bytes, command.limits.output),
            stderr: CapturedOutput::default(),
            evidence: evidence(command),
        })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        Err(SandboxError::NoSandbox)
    }
}

fn captured(bytes: &[u8], cap: u64) -> CapturedOutput {
    let kept = bytes.len().min(usize::try_from(cap).unwrap());
    CapturedOutput {
        head: bytes[..kept].to_vec(),
        tail: Vec::new(),
        total_bytes: u64::try_from(bytes.len()).unwrap(),
    }
}

fn evidence(command: &SandboxCommand) -> SandboxEvidence {
    SandboxEvidence {
        workdir: command.workdir.clone(),
        profile: command.profile,
        profile_digest: String::new(),
        command_digest: String::new(),
        layers: Vec::new(),
        operator_override: None,
        wall: Duration::ZERO,
        user: Duration::ZERO,
        system: Duration::ZERO,
    }
}
