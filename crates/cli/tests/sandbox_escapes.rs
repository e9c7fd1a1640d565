//! Attempts to get out of `premath sandbox run`, by the program as it is shipped, as this user and as nobody. Judged by the
//! state of the world afterwards. Attempts that no shell can make are in the tests of `premath-exec`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "a test of a command starts it and looks at the files it must not touch"
)]
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::os::unix::net::UnixListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_premath");
const NOBODY: u32 = 65534;
const PROFILES: [&str; 4] = ["read-only", "workspace-write", "network", "isolated"];
/// Protected paths that are missing, and must stay so.
const ABSENT: [&str; 14] = [
    ".vscode",
    ".envrc",
    "premath.toml",
    "policies",
    ".zshrc",
    ".git/commondir",
    ".claude",
    ".mcp.json",
    ".husky",
    "AGENTS.md",
    ".pre-commit-config.yaml",
    ".github/workflows",
    ".github/copilot-instructions.md",
    ".cargo/config.toml",
];

/// Attempts, by name. `$OUT` is the folder above the workdir, where everybody may do everything.
const ATTEMPTS: [(&str, &str); 27] = [
    ("write_outside", "echo x > $OUT/canary; echo x >> ../canary; echo x > $OUT/new"),
    ("remove_outside", "rm -rf $OUT/canary $OUT/home"),
    ("write_through_links", "ln -s $OUT sub/l; echo x > sub/l/canary; ln $OUT/canary sub/h; echo x > sub/h"),
    ("move_in_and_out", "mv $OUT/canary sub/; mv sub/file $OUT/"),
    (
        "change_what_is_outside",
        "chmod 4777 $OUT/canary; chown 1234 $OUT/canary; touch -d 2001-01-01 $OUT/canary",
    ),
    ("set_user_id", "cp /bin/true sub/s; chmod 4755 sub/s; install -m 6755 /bin/true sub/t"),
    ("read_outside", "cat $OUT/secret ../secret $OUT/home/.ssh/id_ed25519; cp $OUT/secret sub/"),
    ("read_through_processes", "cat /proc/1/root$OUT/secret /proc/$PPID/root$OUT/secret /proc/*/cwd/secret"),
    ("read_environments", "env; cat /proc/*/environ"),
    ("read_shadow", "grep -q . /etc/shadow && echo WENT-THROUGH"),
    (
        "write_hooks",
        "echo x > .git/hooks/pre-commit; mv .git/hooks/sample .git/hooks/pre-push; ln sub/file .git/hooks/x",
    ),
    (
        "write_git_config",
        "echo x >> .git/config; rm .git/config; mv sub/file .git/config; echo . > .git/commondir",
    ),
    (
        "move_repository",
        "mv .git gone; mkdir -p sub/n/hooks; mv -T sub/n .git; rm -rf .git; ln -sfn sub .git",
    ),
    (
        "write_own_state",
        "echo x >> .premath/issues.jsonl; rm -rf .premath; echo x > premath.toml; mkdir policies",
    ),
    ("write_settings", "echo x >> .bashrc; rm .bashrc; echo x > .zshrc; mkdir .vscode; echo x > .envrc"),
    (
        "make_absent_names",
        "mkdir .claude .husky; mkdir -p .github/workflows .cargo; echo x > .mcp.json; echo x > AGENTS.md; \
         echo x > .cargo/config.toml; echo x > .github/copilot-instructions.md; mv sub/file .pre-commit-config.yaml; \
         echo x > .github/workflows/ci.yml; ln -s sub .claude; rm -rf .github .cargo",
    ),
    (
        "read_own_state",
        "cat .premath/*; cp -r .premath sub/c; ln -s ../.premath/desk.db sub/l; cat sub/l; rm sub/l; ln .premath/desk.db sub/h; cat sub/h",
    ),
    (
        "connect_in_workdir",
        "for s in dev.sock $OUT/work/dev.sock $OUT/dev.sock; do \
         python3 -c 'import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' $s; done",
    ),
    (
        "leave_files_elsewhere",
        "echo x > /tmp/$MARK; echo x > /var/tmp/$MARK; echo x > /dev/shm/$MARK; echo x > /$MARK",
    ),
    (
        "leave_processes",
        "(setsid sleep 300 >/dev/null 2>&1 &); (setsid sh -c 'sleep 300 & sleep 300' &); exit 0",
    ),
    ("kill_outside", "kill -9 $VICTIM; kill -STOP $VICTIM"),
    ("make_namespaces", "unshare -Urm true && echo WENT-THROUGH; unshare -n true && echo WENT-THROUGH"),
    (
        "mount",
        "mount -t tmpfs none sub && echo WENT-THROUGH; mount --bind sub .git && echo WENT-THROUGH; umount -l .git",
    ),
    ("change_root", "chroot / true && echo WENT-THROUGH"),
    ("make_devices", "mknod sub/d b 8 0; mknod sub/c c 1 3; head -c 1 /dev/mem && echo WENT-THROUGH"),
    (
        "change_the_kernel",
        "echo '|/x' > /proc/sys/kernel/core_pattern && echo WENT-THROUGH; echo h > /proc/sysrq-trigger && echo WENT-THROUGH",
    ),
    (
        "act_as_operator",
        "[ -n \"$PREMATH_STEP_TOKEN\" ] || echo WENT-THROUGH; unset PREMATH_STEP_TOKEN; true",
    ),
];

type Snapshot = BTreeMap<PathBuf, (u32, u32, i64, Vec<u8>)>;

struct World {
    _folder: tempfile::TempDir,
    outside: PathBuf,
    secret: String,
    mark: String,
    user: Option<u32>,
    tcp: TcpListener,
    sockets: [UnixListener; 2],
    before: Snapshot,
}

impl World {
    fn make(user: Option<u32>) -> World {
        let folder = tempfile::Builder::new().prefix("escapes-").tempdir_in("/tmp").unwrap();
        let outside = fs::canonicalize(folder.path()).unwrap();
        let name = outside.file_name().unwrap().to_str().unwrap().to_owned();
        let (secret, mark) = (format!("secret-of-{name}"), format!("mark-of-{name}"));
        for path in ["", "home/.ssh", "tmp", "work/.git/hooks", "work/.premath", "work/sub"] {
            fs::create_dir_all(outside.join(path)).unwrap();
        }
        let files = [
            ("canary", "intact"),
            ("secret", secret.as_str()),
            ("home/.ssh/id_ed25519", secret.as_str()),
            ("work/.git/config", "[core]\n"),
            ("work/.git/HEAD", "ref: refs/heads/main\n"),
            ("work/.git/hooks/sample", "#!/bin/sh\n"),
            ("work/.premath/issues.jsonl", ""),
            ("work/.premath/desk.db", secret.as_str()),
            ("work/.bashrc", "\n"),
            ("work/sub/file", "x"),
        ];
        for (path, text) in files {
            fs::write(outside.join(path), text).unwrap();
        }
        let bind = |path: &str| {
            let socket = UnixListener::bind(outside.join(path)).unwrap();
            socket.set_nonblocking(true).unwrap();
            socket
        };
        let sockets = ["dev.sock", "work/dev.sock"].map(bind);
        open_up(&outside, user);
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        let before = snapshot(&outside);
        World { _folder: folder, outside, secret, mark, user, tcp, sockets, before }
    }

    fn run(&self, profile: &str, script: &str, more: &[&str]) -> String {
        let mut victim = self.command("sleep");
        let mut victim = victim.arg("300").env("VICTIM_SECRET", &self.secret).spawn().unwrap();
        let mut command = self.command(PROGRAM);
        command
            .args(["sandbox", "run", "--json", "--profile", profile, "--workdir"])
            .arg(self.outside.join("work"));
        let facts = [
            format!("OUT={}", self.outside.display()),
            format!("MARK={}", self.mark),
            format!("VICTIM={}", victim.id()),
        ];
        for fact in &facts {
            command.args(["--env", fact]);
        }
        let done = command.args(more).args(["--", "sh", "-c", script]).output().unwrap();
        let is_well = fs::read_to_string(format!("/proc/{}/stat", victim.id()))
            .is_ok_and(|stat| stat.contains(") S ") || stat.contains(") R "));
        victim.kill().unwrap();
        victim.wait().unwrap();
        assert!(is_well, "a process outside was ended or stopped");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(
            said.contains("\"profileDigest\""),
            "it did not run: {said}{}",
            String::from_utf8_lossy(&done.stderr)
        );
        said
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.outside.join("tmp"));
        command.env("RUNNER_SECRET", &self.secret).current_dir("/").stdin(Stdio::null());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        command
    }

    fn assert_intact(&self, what: &str, said: &str) {
        assert!(!said.contains("WENT-THROUGH") && !said.contains(&self.secret), "{what}: {said}");
        assert_eq!(snapshot(&self.outside), self.before, "{what}: {said}");
        for name in ABSENT {
            assert!(
                fs::symlink_metadata(self.outside.join("work").join(name)).is_err(),
                "{what}: {name} was made"
            );
        }
        for path in below(&self.outside.join("work")) {
            let metadata = fs::symlink_metadata(&path).unwrap();
            assert_eq!(metadata.mode() & 0o6000, 0, "{what}: {} has a set-id bit", path.display());
            assert!(metadata.rdev() == 0, "{what}: {} is a device", path.display());
            let text = fs::read(&path).unwrap_or_default();
            assert!(
                path.ends_with(".premath/desk.db") || !String::from_utf8_lossy(&text).contains(&self.secret),
                "{what}: {} tells",
                path.display()
            );
        }
        for place in ["/tmp", "/var/tmp", "/dev/shm", "/"] {
            assert!(!Path::new(place).join(&self.mark).exists(), "{what}: something is left in {place}");
        }
        assert_eq!(
            fs::read_dir(self.outside.join("tmp")).unwrap().count(),
            0,
            "{what}: temporary files are left"
        );
        assert!(self.tcp.accept().is_err(), "{what}: a connection arrived");
        let is_reached = self.sockets.iter().any(|socket| socket.accept().is_ok());
        assert!(!is_reached, "{what}: a connection arrived over a Unix socket: {said}");
        assert_eq!(marked(&self.mark), Vec::<String>::new(), "{what}: processes are left");
    }
}

/// Lets everybody do everything, so that only the sandbox forbids it. The workdir belongs to who runs the command.
fn open_up(path: &Path, user: Option<u32>) {
    let mode = if path.is_dir() { 0o777 } else { 0o666 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    if let Some(user) = user {
        chown(path, Some(user), Some(user)).unwrap();
    }
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| open_up(&entry.unwrap().path(), user));
    }
    if path.ends_with("work") && user.is_none() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// What lies outside of the workdir, and what is protected in it.
fn snapshot(outside: &Path) -> Snapshot {
    let is_watched = |path: &PathBuf| {
        let inner = path.strip_prefix(outside).unwrap();
        let protected = ["work/.git", "work/.premath", "work/.bashrc"];
        !(inner.starts_with("work") || inner.starts_with("tmp"))
            || protected.iter().any(|one| inner.starts_with(one))
    };
    let described = |path: PathBuf| {
        let metadata = fs::symlink_metadata(&path).unwrap();
        let changed = if metadata.is_file() { metadata.mtime() } else { 0 };
        let contents = fs::read(&path).unwrap_or_default();
        (path, (metadata.mode(), metadata.uid(), changed, contents))
    };
    below(outside).into_iter().filter(is_watched).map(described).collect()
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            }
            found.push(entry.path());
        }
    }
    found
}

/// Processes that were given the mark with their environment.
fn marked(mark: &str) -> Vec<String> {
    let text = format!("MARK={mark}");
    let has_mark = |path: &PathBuf| {
        fs::read(path.join("environ")).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(&text))
    };
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|entry| entry.path());
    processes.filter(has_mark).map(|path| path.display().to_string()).collect()
}

fn is_proof() -> bool {
    std::env::var("PREMATH_PROVE").is_ok_and(|value| value == "1")
}

/// This user, and nobody where this user may become nobody.
fn users() -> Vec<Option<u32>> {
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        return vec![None, Some(NOBODY)];
    }
    eprintln!("SKIPPED as nobody: only user 0 can become nobody");
    vec![None]
}

fn try_all(profile: &str) {
    let rounds = if is_proof() { 20 } else { 1 };
    for user in users() {
        for (name, script) in ATTEMPTS {
            for _ in 0..rounds {
                let world = World::make(user);
                let said = world.run(profile, script, &[]);
                world.assert_intact(&format!("{name} as {user:?} in {profile}"), &said);
            }
        }
    }
}

#[test]
fn nothing_gets_out_of_the_read_only_profile() {
    try_all(PROFILES[0]);
}

#[test]
fn nothing_gets_out_of_the_workspace_write_profile() {
    try_all(PROFILES[1]);
}

#[test]
fn nothing_gets_out_of_the_network_profile() {
    try_all(PROFILES[2]);
}

#[test]
fn nothing_gets_out_of_the_isolated_profile() {
    try_all(PROFILES[3]);
}

#[test]
fn a_tree_that_runs_for_ever_is_dead_soon_after_its_time() {
    let patience = Duration::from_secs(if is_proof() { 2 } else { 20 });
    for user in users() {
        for profile in PROFILES {
            let world = World::make(user);
            let started = Instant::now();
            let script = "(setsid sleep 300 &); (setsid sh -c 'trap \"\" TERM INT HUP; sleep 300 & sleep 300' &); sleep 300";
            let said = world.run(profile, script, &["--timeout", "0.7"]);
            assert!(started.elapsed() < Duration::from_millis(700) + patience, "{:?}", started.elapsed());
            assert!(said.contains("\"timed_out\""), "{said}");
            world.assert_intact(&format!("a tree as {user:?} in {profile}"), &said);
        }
    }
}

#[test]
fn a_flood_of_output_is_counted_and_cut() {
    let world = World::make(None);
    let said = world.run(
        "read-only",
        "head -c 268435456 /dev/zero | tr '\\0' x",
        &["--output-bytes", "4096", "--timeout", "120"],
    );
    assert!(said.contains("\"totalBytes\":268435456"), "{}", said.len());
    assert!(said.len() < 64 * 1024, "{}", said.len());
}

#[test]
fn a_command_that_fills_the_disk_is_killed_before_it_overshoots() {
    let most = 64_u64 << 20;
    for user in users() {
        let world = World::make(user);
        let limit = (16 << 20).to_string();
        let script = "for i in $(seq 100); do head -c 8388608 /dev/zero > sub/f$i; done";
        let said = world.run("workspace-write", script, &["--disk-bytes", &limit]);
        assert!(said.contains("\"disk_limit\""), "{said}");
        let written: u64 =
            below(&world.outside.join("work/sub")).iter().map(|path| fs::metadata(path).unwrap().len()).sum();
        assert!(written <= (16 << 20) + most, "{written}");
    }
}
