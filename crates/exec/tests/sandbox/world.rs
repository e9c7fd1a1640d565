//! What is outside: files that anybody may change, secrets that anybody may read, sockets that anybody may connect to, and
//! a process with a secret in it. Only the sandbox stands between a command and all of that.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use premath_tusk::sandbox::{ExecutionLimits, SandboxCommand};

use crate::cases::{Case, Inside};
use crate::variant::Who;

pub(crate) const NOBODY: u32 = 65534;

/// What lies at a path: mode, owner, contents, and when it was changed.
pub(crate) type Snapshot = BTreeMap<PathBuf, (u32, u32, Vec<u8>, i64)>;

pub(crate) struct World {
    /// Removes everything when the world ends.
    _folder: tempfile::TempDir,
    pub(crate) outside: PathBuf,
    pub(crate) workdir: PathBuf,
    pub(crate) secret: String,
    pub(crate) mark: String,
    pub(crate) victim: Victim,
    pub(crate) tcp: TcpListener,
    pub(crate) udp: UdpSocket,
    pub(crate) streams: Vec<UnixListener>,
    pub(crate) datagrams: Vec<UnixDatagram>,
    pub(crate) before: Snapshot,
}

/// A process outside, ended with the world.
pub(crate) struct Victim(pub(crate) Child);

impl Drop for Victim {
    fn drop(&mut self) {
        drop(self.0.kill().and_then(|()| self.0.wait()));
    }
}

/// Protected paths that are missing in the workdir, and must stay so.
pub(crate) const ABSENT: [&str; 17] = [
    ".vscode",
    ".envrc",
    "premath.toml",
    "policies",
    ".zshrc",
    ".gitmodules",
    ".git/commondir",
    ".claude",
    ".mcp.json",
    ".husky",
    ".cursor",
    "AGENTS.md",
    "CLAUDE.md",
    ".pre-commit-config.yaml",
    ".github/workflows",
    ".github/copilot-instructions.md",
    ".cargo/config.toml",
];
/// Protected paths that are there.
pub(crate) const PRESENT: [&str; 3] = [".git", ".premath", ".bashrc"];

impl World {
    pub(crate) fn make(who: Who) -> World {
        let folder = tempfile::Builder::new().prefix("world-").tempdir_in("/tmp").unwrap();
        let outside = fs::canonicalize(folder.path()).unwrap();
        let name = outside.file_name().unwrap().to_str().unwrap().to_owned();
        let (secret, mark) = (format!("secret-of-{name}"), format!("mark-of-{name}"));
        let workdir = outside.join("work");
        for path in [
            "",
            "home",
            "home/.ssh",
            "tmp",
            "work",
            "work/.git",
            "work/.git/hooks",
            "work/.premath",
            "work/sub",
        ] {
            let path = outside.join(path);
            fs::create_dir_all(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
        }
        let files = [
            ("canary", "intact"),
            ("secret", secret.as_str()),
            ("home/.ssh/id_ed25519", secret.as_str()),
            ("work/.git/config", "[core]\n"),
            ("work/.git/HEAD", "ref: refs/heads/main\n"),
            ("work/.git/hooks/pre-commit.sample", "#!/bin/sh\n"),
            ("work/.premath/issues.jsonl", "{}\n"),
            ("work/.premath/desk.db", secret.as_str()),
            ("work/.bashrc", "\n"),
            ("work/sub/file", "x"),
        ];
        for (path, text) in files {
            let path = outside.join(path);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
        }
        if who == Who::RootForNobody {
            give_away(&workdir);
        } else if who == Who::Root {
            // A folder that others cannot write keeps the command user 0.
            fs::set_permissions(&workdir, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let victim = Victim(start_victim(&secret));
        // SAFETY of the environment: this process has one thread so far.
        set_temporary_folder(&outside.join("tmp"));
        let streams = vec![
            UnixListener::bind(outside.join("stream.sock")).unwrap(),
            UnixListener::bind(workdir.join("dev.sock")).unwrap(),
            UnixListener::bind_addr(&abstract_address(&format!("{mark}-stream"))).unwrap(),
        ];
        let datagrams = vec![
            UnixDatagram::bind(outside.join("datagram.sock")).unwrap(),
            UnixDatagram::bind(workdir.join("dev-datagram.sock")).unwrap(),
            UnixDatagram::bind_addr(&abstract_address(&format!("{mark}-datagram"))).unwrap(),
        ];
        for socket in ["stream.sock", "datagram.sock", "work/dev.sock", "work/dev-datagram.sock"] {
            fs::set_permissions(outside.join(socket), fs::Permissions::from_mode(0o777)).unwrap();
        }
        let (tcp, udp) = (TcpListener::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        streams.iter().for_each(|socket| socket.set_nonblocking(true).unwrap());
        datagrams.iter().for_each(|socket| socket.set_nonblocking(true).unwrap());
        let before = snapshot(&outside);
        World {
            _folder: folder,
            outside,
            workdir,
            secret,
            mark,
            victim,
            tcp,
            udp,
            streams,
            datagrams,
            before,
        }
    }

    /// What the command is told about the outside, so that nothing keeps it but the sandbox.
    pub(crate) fn facts(&self) -> Vec<(String, String)> {
        let outside = self.outside.display();
        [
            ("OUT", outside.to_string()),
            ("MARK", self.mark.clone()),
            ("VICTIM", self.victim.0.id().to_string()),
            ("RUNNER", std::process::id().to_string()),
            ("TCP", self.tcp.local_addr().unwrap().to_string()),
            ("TCP_PORT", self.tcp.local_addr().unwrap().port().to_string()),
            ("UDP", self.udp.local_addr().unwrap().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec()
    }

    pub(crate) fn command(&self, case: &Case) -> SandboxCommand {
        let own = std::env::current_exe().unwrap().display().to_string();
        let (program, arguments) = match case.inside {
            Inside::Shell(script) => ("sh".to_owned(), vec!["-c".to_owned(), script.to_owned()]),
            Inside::Attempt => (own, vec!["__attempt".to_owned(), case.name.to_owned()]),
        };
        let mut limits = ExecutionLimits { wall: Duration::from_secs(20), ..ExecutionLimits::default() };
        (case.limit)(&mut limits);
        SandboxCommand {
            program,
            arguments,
            workdir: self.workdir.clone(),
            profile: case.profile,
            environment: self.facts(),
            stdin: Vec::new(),
            limits,
            state: premath_tusk::sandbox::StateAccess::default(),
        }
    }
}

fn give_away(path: &Path) {
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| give_away(&entry.unwrap().path()));
    }
}

fn abstract_address(name: &str) -> SocketAddr {
    SocketAddr::from_abstract_name(name.as_bytes()).unwrap()
}

#[expect(unsafe_code, reason = "the environment of a process with one thread")]
fn set_temporary_folder(path: &Path) {
    // SAFETY: nobody else reads the environment while it changes: there is one thread.
    unsafe {
        std::env::set_var("TMPDIR", path);
        std::env::set_var("SECRET_OF_THE_RUNNER", path);
    }
}

fn start_victim(secret: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.arg("__victim").env_clear().env("VICTIM_SECRET", secret).stdin(Stdio::piped()).spawn().unwrap()
}

/// Holds its secret until it is ended.
pub(crate) fn be_a_victim() -> ExitCode {
    let mut nothing = String::new();
    drop(std::io::stdin().read_to_string(&mut nothing));
    ExitCode::SUCCESS
}

/// Everything outside of the workdir, and what is protected in it. The folder for temporary files has to be empty instead.
pub(crate) fn snapshot(outside: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    for entry in fs::read_dir(outside).unwrap() {
        let path = entry.unwrap().path();
        if path.ends_with("work") || path.ends_with("tmp") {
            continue;
        }
        add(&path, &mut found);
    }
    for name in PRESENT {
        add(&outside.join("work").join(name), &mut found);
    }
    found
}

fn add(path: &Path, found: &mut Snapshot) {
    let Ok(metadata) = fs::symlink_metadata(path) else { return };
    let contents = if metadata.is_file() { fs::read(path).unwrap_or_default() } else { Vec::new() };
    // Mounting over a folder does not change it; entries that come and go do.
    let changed = if metadata.is_file() { metadata.mtime() } else { 0 };
    found.insert(path.to_path_buf(), (metadata.mode(), metadata.uid(), contents, changed));
    if metadata.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            add(&entry.path(), found);
        }
    }
}
