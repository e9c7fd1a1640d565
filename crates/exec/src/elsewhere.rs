//! A platform without a sandbox: nothing runs, unless an operator said that it may, which the evidence repeats.
//!
//! It must not pretend: no layer is enforced here, and no profile is usable.

#![expect(clippy::disallowed_methods, reason = "this is where processes are started")]

use std::ffi::OsStr;
use std::io::{self, Read, Write as _};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use premath_tusk::sandbox::{
    CapturedOutput, Ending, Interrupt, LayerReport, LayerState, Sandbox, SandboxCommand, SandboxError,
    SandboxEvidence, SandboxReport, SandboxRun,
};
use serde_json::json;

use crate::capture::Capture;
use crate::clock;
use crate::config::SandboxConfig;
use crate::digest;
use crate::layer::Layer;
use crate::request;

const GLANCE: Duration = Duration::from_millis(25);

/// Commands without walls, where an operator allowed that.
#[derive(Debug)]
pub struct OsSandbox {
    config: SandboxConfig,
}

impl OsSandbox {
    /// A sandbox with this configuration.
    #[must_use]
    pub fn new(config: SandboxConfig) -> Self {
        Self { config }
    }
}

/// There is no helper here.
#[must_use]
pub fn helper_entry(_first_argument: Option<&OsStr>) -> Option<ExitCode> {
    None
}

impl Sandbox for OsSandbox {
    fn run(&self, command: &SandboxCommand, interrupt: &Interrupt) -> Result<SandboxRun, SandboxError> {
        let reason = self.config.operator_override.clone().filter(|reason| !reason.trim().is_empty());
        let reason = reason.ok_or(SandboxError::NoSandbox)?;
        request::validate(command)?;
        let workdir = std::fs::canonicalize(&command.workdir).map_err(|error| SandboxError::Workdir {
            path: command.workdir.clone(),
            detail: error.to_string(),
        })?;
        let started = clock::now();
        let step = format!("sandbox {}", digest::of_command(command, &workdir));
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .env_clear()
            .envs(request::environment(command, &std::env::temp_dir(), &step))
            .current_dir(&workdir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| SandboxError::Program {
                program: command.program.clone(),
                detail: error.to_string(),
            })?;
        let stdout = keep(child.stdout.take(), command.limits.output);
        let stderr = keep(child.stderr.take(), command.limits.output);
        let stdin = child.stdin.take();
        let input = command.stdin.clone();
        // A program that does not read its input must not keep us; nobody waits for this thread.
        thread::spawn(move || stdin.map(|mut pipe| pipe.write_all(&input)));
        let ending = wait(&mut child, command, interrupt)
            .map_err(|source| SandboxError::System { doing: "waiting for the command".to_owned(), source })?;
        Ok(SandboxRun {
            ending,
            stdout: kept(stdout),
            stderr: kept(stderr),
            evidence: SandboxEvidence {
                profile: command.profile,
                profile_digest: digest::of_profile(&json!({ "walls": null, "override": &reason })),
                command_digest: digest::of_command(command, &workdir),
                workdir,
                layers: Vec::new(),
                operator_override: Some(reason),
                wall: started.elapsed(),
                user: Duration::ZERO,
                system: Duration::ZERO,
            },
        })
    }

    fn check(&self) -> Result<SandboxReport, SandboxError> {
        let layers = Layer::ALL.into_iter().map(|layer| LayerReport {
            layer: layer.as_str().to_owned(),
            state: LayerState::Unavailable,
            required_by: layer.required_by(),
            detail: "this platform has no sandbox".to_owned(),
        });
        Ok(SandboxReport { layers: layers.collect(), usable: Vec::new(), reading_history: Vec::new() })
    }
}

fn wait(child: &mut Child, command: &SandboxCommand, interrupt: &Interrupt) -> io::Result<Ending> {
    let started = clock::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(ended(status));
        }
        let stopped = if interrupt.is_requested() {
            Some(Ending::Interrupted)
        } else {
            (started.elapsed() >= command.limits.wall).then_some(Ending::TimedOut)
        };
        if let Some(ending) = stopped {
            child.kill()?;
            child.wait()?;
            return Ok(ending);
        }
        clock::pause(GLANCE);
    }
}

fn ended(status: ExitStatus) -> Ending {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Signalled(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}

fn keep<R: Read + Send + 'static>(pipe: Option<R>, cap: u64) -> JoinHandle<CapturedOutput> {
    thread::spawn(move || {
        let mut capture = Capture::new(cap);
        let mut buffer = vec![0; 64 * 1024];
        if let Some(mut pipe) = pipe {
            while let Ok(count @ 1..) = pipe.read(&mut buffer) {
                capture.take(buffer.get(..count).unwrap_or_default());
            }
        }
        capture.finish()
    })
}

fn kept(output: JoinHandle<CapturedOutput>) -> CapturedOutput {
    output.join().unwrap_or_default()
}
