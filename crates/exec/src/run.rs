//! One run of the helper, seen from the parent: it is started, given its plan, fed, listened to and ended in time.
//!
//! Nothing here blocks but one `poll`, and that for a moment. The helper's tree is dead when it returns.

use std::io::{self, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::pipe2;
use premath_tusk::sandbox::{CapturedOutput, ExecutionLimits, Interrupt};

use crate::capture::Capture;
use crate::channel::{self, Frames};
use crate::clock;
use crate::helper::SERVE;
use crate::plan::{Ended, Facts, Message, Plan, Refusal};
use crate::process_group::ProcessGroup;

/// How long we go without looking whether somebody asked us to stop.
const GLANCE: Duration = Duration::from_millis(25);
/// How long the helper may take to end its tree before it is killed itself.
const GRACE: Duration = Duration::from_millis(1000);
/// What one read takes at most.
const PIECE: usize = 64 * 1024;
/// What is still read of an output whose writers are dead: more than a pipe holds.
const LAST_PIECES: usize = 64;

/// Why a run was ended by us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Its time was over.
    TimedOut,
    /// Somebody asked.
    Interrupted,
}

/// What came of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) said: Said,
    pub(crate) stopped: Option<Stopped>,
    pub(crate) stdout: CapturedOutput,
    pub(crate) stderr: CapturedOutput,
    pub(crate) wall: Duration,
}

/// What the helper said in all.
#[derive(Debug, Default)]
pub(crate) struct Said {
    pub(crate) refused: Option<Refusal>,
    pub(crate) not_started: Option<String>,
    pub(crate) started: Option<Facts>,
    pub(crate) ended: Option<Ended>,
}

impl Said {
    fn take(&mut self, message: Message) {
        match message {
            Message::Refused(refusal) => self.refused = Some(refusal),
            Message::NotStarted { detail } => self.not_started = Some(detail),
            Message::Started(facts) => self.started = Some(facts),
            Message::Ended(ended) => self.ended = Some(ended),
        }
    }
}

/// What a run is given beside its plan.
#[derive(Debug)]
pub(crate) struct Feed<'a> {
    pub(crate) helper: &'a Path,
    pub(crate) workdir: &'a OwnedFd,
    pub(crate) stdin: &'a [u8],
    pub(crate) limits: &'a ExecutionLimits,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) group: Option<&'a ProcessGroup>,
}

/// Runs the helper to its end.
pub(crate) fn run(plan: &Plan, feed: &Feed<'_>) -> io::Result<Outcome> {
    let started = clock::now();
    let (input_read, input_write) = pipe2(OFlag::O_CLOEXEC)?;
    let (output_read, output_write) = pipe2(OFlag::O_CLOEXEC)?;
    let (error_read, error_write) = pipe2(OFlag::O_CLOEXEC)?;
    let (mut control, theirs) = UnixStream::pair()?;
    let mut child = Reaped(spawn(feed.helper, theirs)?);
    // The helper waits for its plan, so nothing is born outside of the group.
    if let Some(group) = feed.group {
        group.take(child.0.id())?;
    }
    let descriptors = [input_read.as_fd(), output_write.as_fd(), error_write.as_fd(), feed.workdir.as_fd()];
    channel::send_with_descriptors(&mut control, plan, &descriptors)?;
    drop((input_read, output_write, error_write));
    control.set_nonblocking(true)?;
    for pipe in [&input_write, &output_read, &error_read] {
        fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    }
    let mut conversation = Conversation {
        control,
        is_over: false,
        frames: Frames::default(),
        said: Said::default(),
        input: (!feed.stdin.is_empty()).then(|| input_write.into()),
        unwritten: feed.stdin,
        output: Stream::new(output_read, feed.limits.output),
        error: Stream::new(error_read, feed.limits.output),
        buffer: vec![0; PIECE],
    };
    let stopped = conversation.hold(&mut child.0, started, feed)?;
    drop(child);
    conversation.drain()?;
    Ok(Outcome {
        said: conversation.said,
        stopped,
        stdout: conversation.output.capture.finish(),
        stderr: conversation.error.capture.finish(),
        wall: started.elapsed(),
    })
}

/// The helper's process. Whatever happens to us, it is dead and reaped afterwards, and its tree ends with the socket.
#[derive(Debug)]
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        // A helper that ended by itself is only reaped. One that is still there had its time.
        let deadline = clock::now() + GRACE;
        while matches!(self.0.try_wait(), Ok(None)) {
            if clock::now() > deadline {
                match self.0.kill().and_then(|()| self.0.wait().map(drop)) {
                    Ok(()) | Err(_) => {}
                }
                return;
            }
            clock::pause(Duration::from_micros(200));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is where processes are started")]
fn spawn(helper: &Path, control: UnixStream) -> io::Result<Child> {
    use std::process::{Command, Stdio};
    Command::new(helper)
        .arg(SERVE)
        .env_clear()
        .current_dir("/")
        .stdin(Stdio::from(OwnedFd::from(control)))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// One output of the command.
#[derive(Debug)]
struct Stream {
    pipe: Option<std::fs::File>,
    capture: Capture,
}

impl Stream {
    fn new(pipe: OwnedFd, cap: u64) -> Self {
        Self { pipe: Some(pipe.into()), capture: Capture::new(cap) }
    }

    /// Takes one piece; whether there may be more.
    fn take(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        let Some(pipe) = &mut self.pipe else { return Ok(false) };
        match pipe.read(buffer) {
            Ok(0) => {
                self.pipe = None;
                Ok(false)
            }
            Ok(count) => {
                self.capture.take(buffer.get(..count).unwrap_or_default());
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(true),
            Err(error) => Err(error),
        }
    }
}

struct Conversation<'a> {
    control: UnixStream,
    is_over: bool,
    frames: Frames,
    said: Said,
    input: Option<std::fs::File>,
    unwritten: &'a [u8],
    output: Stream,
    error: Stream,
    buffer: Vec<u8>,
}

impl Conversation<'_> {
    /// Goes on until the helper hangs up.
    fn hold(&mut self, child: &mut Child, started: Instant, feed: &Feed<'_>) -> io::Result<Option<Stopped>> {
        let mut stopped = None;
        let mut last_moment = None;
        while !self.is_over {
            let elapsed = started.elapsed();
            if stopped.is_none() {
                stopped = if feed.interrupt.is_requested() {
                    Some(Stopped::Interrupted)
                } else {
                    (elapsed >= feed.limits.wall).then_some(Stopped::TimedOut)
                };
                if stopped.is_some() {
                    // The helper takes our hanging up as the order to end its tree.
                    self.control.shutdown(Shutdown::Write)?;
                    self.input = None;
                    last_moment = Some(clock::now() + GRACE);
                }
            }
            if last_moment.is_some_and(|moment| clock::now() > moment) {
                child.kill()?;
                last_moment = None;
            }
            let left = if stopped.is_some() { GLANCE } else { feed.limits.wall.saturating_sub(elapsed) };
            self.step(left.min(GLANCE))?;
        }
        Ok(stopped)
    }

    /// Waits a moment for something to happen, and deals with it.
    fn step(&mut self, patience: Duration) -> io::Result<()> {
        let patience = PollTimeout::try_from(patience.as_millis().max(1)).unwrap_or(PollTimeout::ZERO);
        let mut watched = vec![PollFd::new(self.control.as_fd(), PollFlags::POLLIN)];
        for pipe in [&self.output.pipe, &self.error.pipe].into_iter().flatten() {
            watched.push(PollFd::new(pipe.as_fd(), PollFlags::POLLIN));
        }
        watched.extend(self.input.as_ref().map(|pipe| PollFd::new(pipe.as_fd(), PollFlags::POLLOUT)));
        match poll(&mut watched, patience) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        // Nothing below blocks, so whatever is not ready yet costs one call.
        self.output.take(&mut self.buffer)?;
        self.error.take(&mut self.buffer)?;
        self.write_input();
        self.listen()
    }

    fn write_input(&mut self) {
        let Some(pipe) = &mut self.input else { return };
        match pipe.write(self.unwritten) {
            Ok(count) => self.unwritten = self.unwritten.get(count..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            // Nobody reads it any more.
            Err(_) => self.unwritten = &[],
        }
        if self.unwritten.is_empty() {
            self.input = None;
        }
    }

    fn listen(&mut self) -> io::Result<()> {
        match self.control.read(&mut self.buffer) {
            Ok(0) => self.is_over = true,
            Ok(count) => self.frames.take(self.buffer.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => self.is_over = true,
            Err(error) => return Err(error),
        }
        while let Some(message) = self.frames.next()? {
            self.said.take(message);
        }
        Ok(())
    }

    fn drain(&mut self) -> io::Result<()> {
        for stream in [&mut self.output, &mut self.error] {
            for _ in 0..LAST_PIECES {
                if !stream.take(&mut self.buffer)? {
                    break;
                }
            }
        }
        Ok(())
    }
}
