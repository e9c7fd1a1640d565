//! What a command gets: its output, its input, its end; what evidence says of it; what it may do.

use std::fs;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

use premath_exec::{OsSandbox, SandboxConfig};
use premath_tusk::sandbox::{
    Ending, ExecutionLimits, Interrupt, LayerState, Profile, Sandbox as _, SandboxCommand, SandboxError,
    SandboxRun, StateAccess,
};

use crate::harness::Test;

pub(crate) fn tests() -> Vec<Test> {
    let all: [(&str, fn()); 29] = [
        ("a_command_has_its_output_its_input_and_its_code", output_and_input),
        ("every_layer_is_enforced_here", every_layer),
        ("the_workdir_can_be_written_and_new_names_made", workdir_is_writable),
        ("a_workdir_may_lie_anywhere", anywhere),
        ("files_with_credentials_are_empty_for_a_command_and_stay_as_they_are", hidden),
        ("nothing_of_a_run_is_left_in_the_workdir", nothing_is_left),
        ("two_runs_in_one_workdir_do_not_disturb_each_other", two_runs),
        ("stand_ins_of_a_killed_run_are_taken_away_by_the_next", stale_stand_ins),
        ("the_network_profile_reaches_a_server", network_reaches),
        ("the_network_profile_keeps_to_its_ports", network_ports),
        ("a_long_output_loses_its_middle", long_output),
        ("input_that_nobody_reads_does_not_block", unread_input),
        ("an_interrupted_run_ends_at_once", interrupted),
        ("a_program_that_is_not_there_is_named", no_program),
        ("a_workdir_that_is_none_is_named", no_workdir),
        ("a_command_that_cannot_be_is_refused", invalid),
        ("equal_commands_have_equal_digests_and_others_have_not", digests),
        ("a_killed_parent_takes_the_tree_with_it", killed_parent),
        ("a_git_inside_reads_history_and_sees_no_stand_ins", git_inside),
        ("a_protected_path_that_is_a_link_is_held_with_what_it_leads_to", protected_link),
        ("more_may_be_readable_writable_and_protected", configured),
        ("a_folder_above_an_absent_protected_name_can_be_used", folder_above_absent),
        ("a_killed_premath_leaves_no_stand_in_behind", nothing_is_left_after_a_kill),
        ("a_command_reads_of_the_state_what_it_was_given_and_nothing_else", given_state),
        ("the_isolated_profile_hides_history_and_the_report_says_who_does_not", history),
        ("a_named_socket_can_be_connected_to_and_no_other", named_socket),
        ("a_command_that_takes_too_much_disk_is_killed_in_time", disk_limit),
        ("a_file_without_a_name_counts_against_the_disk_limit", nameless_file),
        ("what_others_write_does_not_end_a_command", others_write),
    ];
    all.into_iter().map(|(name, run)| Test::new(name, run)).collect()
}

fn sandbox() -> OsSandbox {
    OsSandbox::new(SandboxConfig { helper: std::env::current_exe().unwrap(), ..SandboxConfig::default() })
}

pub(crate) fn workdir() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::write(folder.path().join("sub/file"), "contents").unwrap();
    folder
}

pub(crate) fn command(folder: &tempfile::TempDir, profile: Profile, script: &str) -> SandboxCommand {
    SandboxCommand {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), script.to_owned()],
        workdir: folder.path().to_path_buf(),
        profile,
        environment: Vec::new(),
        stdin: Vec::new(),
        limits: ExecutionLimits { wall: Duration::from_secs(20), ..ExecutionLimits::default() },
        state: StateAccess::default(),
    }
}

fn run(command: &SandboxCommand) -> SandboxRun {
    sandbox().run(command, &Interrupt::default()).unwrap()
}

fn said(run: &SandboxRun) -> String {
    assert!(run.stdout.tail.is_empty(), "{run:?}");
    String::from_utf8(run.stdout.head.clone()).unwrap()
}

fn output_and_input() {
    for profile in Profile::ALL {
        let folder = workdir();
        let mut command = command(&folder, profile, "cat; echo $ASKED >&2; exit 7");
        command.stdin = b"given".to_vec();
        command.environment = vec![("ASKED".to_owned(), "told".to_owned())];
        let run = run(&command);
        assert_eq!((run.ending, said(&run).as_str()), (Ending::Exited(7), "given"), "{run:?}");
        assert_eq!(run.stderr.head, b"told\n");
        assert_eq!(run.evidence.workdir, fs::canonicalize(folder.path()).unwrap());
        assert_eq!(run.evidence.operator_override, None);
    }
    let folder = workdir();
    let run = run(&command(&folder, Profile::ReadOnly, "kill -TERM $$"));
    assert_eq!(run.ending, Ending::Signalled(15));
}

fn every_layer() {
    let report = sandbox().check().unwrap();
    for layer in &report.layers {
        assert_eq!(layer.state, LayerState::Enforced, "{layer:?}");
    }
    assert_eq!(report.usable, Profile::ALL);
}

fn workdir_is_writable() {
    for profile in [Profile::WorkspaceWrite, Profile::Network, Profile::Isolated] {
        let folder = workdir();
        let script = "echo new > new && mkdir made && mv new made/ && chmod 755 made/new && rm sub/file && \
                      echo t > $TMPDIR/t && cat $TMPDIR/t && echo h > $HOME/h && ln -s made link && cat link/new";
        let run = run(&command(&folder, profile, script));
        assert_eq!((run.ending, said(&run).as_str()), (Ending::Exited(0), "t\nnew\n"), "{run:?}");
        assert_eq!(fs::read_to_string(folder.path().join("made/new")).unwrap(), "new\n");
        assert!(!folder.path().join("sub/file").exists());
    }
}

fn hidden() {
    for profile in Profile::ALL {
        let folder = workdir();
        for name in [".env", "sub/.env.local", "sub/id_rsa"] {
            fs::write(folder.path().join(name), "TOKEN=drowned").unwrap();
        }
        let script = "cat .env sub/.env.local sub/id_rsa; mv .env x; rm -f .env; mv sub s; cat s/.env.local x; \
                      ln .env y; cat y; echo mine > .env; cat sub/file s/file 2>/dev/null";
        let run = run(&command(&folder, profile, script));
        assert_eq!(said(&run).as_str(), "contents", "{run:?}");
        assert_eq!(fs::read_to_string(folder.path().join(".env")).unwrap(), "TOKEN=drowned", "{run:?}");
    }
}

/// Also where the new root has something of its own.
fn anywhere() {
    for base in ["/tmp", "/var/tmp", "/dev/shm", "/opt", "/usr/local", "/var/lib"] {
        let Ok(folder) = tempfile::Builder::new().prefix("anywhere-").tempdir_in(base) else { continue };
        fs::create_dir(folder.path().join("sub")).unwrap();
        let name = folder.path().file_name().unwrap().to_owned();
        for profile in Profile::ALL {
            let command = command(&folder, profile, "pwd; echo x > sub/x; true");
            if base == "/dev/shm" {
                let refused = sandbox().run(&command, &Interrupt::default());
                assert!(matches!(refused, Err(SandboxError::Workdir { .. })), "{refused:?}");
                continue;
            }
            assert_eq!(said(&run(&command)).trim(), folder.path().to_str().unwrap());
            assert_eq!(
                folder.path().join("sub/x").exists(),
                profile != Profile::ReadOnly,
                "{base} {profile:?}"
            );
            fs::remove_file(folder.path().join("sub/x")).ok();
        }
        assert_eq!(names(folder.path()), ["sub"]);
        for other in ["/tmp", "/var/tmp"].into_iter().filter(|other| *other != base) {
            assert!(!Path::new(other).join(&name).exists(), "{base} left something in {other}");
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn nothing_is_left() {
    for (script, wall) in [("true", 20_000), ("sleep 100", 300), ("exit 3", 20_000)] {
        let folder = workdir();
        let mut command = command(&folder, Profile::WorkspaceWrite, script);
        command.limits.wall = Duration::from_millis(wall);
        run(&command);
        assert_eq!(names(folder.path()), ["sub"], "{script}");
    }
}

/// The second run begins and ends while the first is at work; the first is still held to everything.
fn two_runs() {
    let folder = workdir();
    let first = command(
        &folder,
        Profile::WorkspaceWrite,
        "touch sub/ready; while [ ! -e sub/go ]; do sleep 0.01; done; mkdir .vscode; echo x > .vscode/x; echo x > .envrc; true",
    );
    let path = folder.path().to_path_buf();
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&first));
        while !path.join("sub/ready").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(run(&command(&folder, Profile::WorkspaceWrite, "true")).ending, Ending::Exited(0));
        fs::write(path.join("sub/go"), "").unwrap();
        assert_eq!(running.join().unwrap().ending, Ending::Exited(0));
    });
    assert_eq!(names(folder.path()), ["sub"]);
}

fn stale_stand_ins() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = workdir();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path(".vscode")).unwrap();
    fs::set_permissions(path(".vscode"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::write(path(".envrc"), "").unwrap();
    fs::set_permissions(path(".envrc"), fs::Permissions::from_mode(0o444)).unwrap();
    // What somebody made on purpose looks different, and stays.
    fs::create_dir(path(".idea")).unwrap();
    fs::write(path(".bashrc"), "").unwrap();
    run(&command(&folder, Profile::WorkspaceWrite, "true"));
    assert_eq!(names(folder.path()), [".bashrc", ".idea", "sub"]);
}

fn connects(config: SandboxConfig) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let folder = workdir();
    let own = std::env::current_exe().unwrap();
    let mut command = command(&folder, Profile::Network, "");
    command.program = own.display().to_string();
    command.arguments = vec!["__attempt".to_owned(), "connect_tcp".to_owned()];
    command.environment = vec![("TCP".to_owned(), listener.local_addr().unwrap().to_string())];
    let config = SandboxConfig { helper: own.clone(), readable: vec![own], ..config };
    let run = OsSandbox::new(config).run(&command, &Interrupt::default()).unwrap();
    assert_eq!(run.ending, Ending::Exited(0), "{run:?}");
    listener.accept().is_ok()
}

fn network_reaches() {
    assert!(connects(SandboxConfig::default()));
}

fn network_ports() {
    assert!(!connects(SandboxConfig { connect_ports: Some(vec![1]), ..SandboxConfig::default() }));
}

fn long_output() {
    let folder = workdir();
    let mut command = command(&folder, Profile::ReadOnly, "seq 1 100000");
    command.limits.output = 1000;
    let run = run(&command);
    assert_eq!(run.stdout.total_bytes, 588_895);
    assert!(run.stdout.head.starts_with(b"1\n2\n3\n") && run.stdout.tail.ends_with(b"99999\n100000\n"));
    assert_eq!(run.stdout.head.len() + run.stdout.tail.len(), 1000);
    assert_eq!(run.stdout.cut_bytes(), 588_895 - 1000);
}

fn unread_input() {
    let folder = workdir();
    let mut command = command(&folder, Profile::ReadOnly, "exec 0<&-; echo done");
    command.stdin = vec![b'x'; 8 << 20];
    assert_eq!(said(&run(&command)), "done\n");
    command.arguments[1] = "wc -c".to_owned();
    assert_eq!(said(&run(&command)).trim(), "8388608");
}

fn interrupted() {
    let folder = workdir();
    let command = command(&folder, Profile::WorkspaceWrite, "touch sub/ready; sleep 300");
    let (interrupt, ready) = (Interrupt::default(), folder.path().join("sub/ready"));
    let started = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ready.exists() {
                std::thread::sleep(Duration::from_millis(5));
            }
            interrupt.request();
        });
        assert_eq!(sandbox().run(&command, &interrupt).unwrap().ending, Ending::Interrupted);
    });
    assert!(started.elapsed() < command.limits.wall);
}

fn no_program() {
    let folder = workdir();
    for program in ["no-such-program", "./sub/file", "/no/such/program", "./sub"] {
        let mut command = command(&folder, Profile::WorkspaceWrite, "");
        command.program = program.to_owned();
        match sandbox().run(&command, &Interrupt::default()) {
            Err(SandboxError::Program { program: named, .. }) => assert_eq!(named, program),
            other => panic!("{program}: {other:?}"),
        }
    }
}

fn no_workdir() {
    let folder = workdir();
    for path in ["/no/such/folder", "/proc/self", "/", "/tmp", "/dev"] {
        let mut command = command(&folder, Profile::ReadOnly, "true");
        command.workdir = path.into();
        let refused = sandbox().run(&command, &Interrupt::default());
        assert!(matches!(refused, Err(SandboxError::Workdir { .. })), "{path}: {refused:?}");
    }
}

fn invalid() {
    let folder = workdir();
    let good = command(&folder, Profile::ReadOnly, "true");
    let variable = |name: &str, value: &str| SandboxCommand {
        environment: vec![(name.to_owned(), value.to_owned())],
        ..good.clone()
    };
    let bad = [
        SandboxCommand { program: String::new(), ..good.clone() },
        SandboxCommand { program: "a\0b".to_owned(), ..good.clone() },
        SandboxCommand { arguments: vec!["a\0b".to_owned()], ..good.clone() },
        variable("", "x"),
        variable("A=B", "x"),
        variable("A", "x\0"),
        variable("PREMATH_STEP_TOKEN", ""),
    ];
    for command in bad {
        let refused = sandbox().run(&command, &Interrupt::default());
        assert!(matches!(refused, Err(SandboxError::Invalid { .. })), "{command:?}: {refused:?}");
    }
}

fn digests() {
    let folder = workdir();
    let first = run(&command(&folder, Profile::ReadOnly, "true")).evidence;
    let again = run(&command(&folder, Profile::ReadOnly, "true")).evidence;
    let other = run(&command(&folder, Profile::ReadOnly, ":")).evidence;
    let written = run(&command(&folder, Profile::WorkspaceWrite, "true")).evidence;
    assert!(first.command_digest.starts_with("cmd1_") && first.profile_digest.starts_with("sbx1_"));
    assert_eq!(first.command_digest, again.command_digest);
    assert_eq!(first.profile_digest, again.profile_digest);
    assert_ne!(first.command_digest, other.command_digest);
    assert_eq!(first.profile_digest, other.profile_digest);
    assert_ne!(first.profile_digest, written.profile_digest);
}

/// The parent runs in a process of its own, which is killed without a chance to tidy up.
fn killed_parent() {
    use std::process::{Command, Stdio};
    for blocked in [false, true] {
        if let Some(workdir) = std::env::var_os("PARENT_TO_BE_KILLED") {
            if std::env::var_os("WITHOUT_NAMESPACES").is_some() {
                crate::missing_layers::block_calls(&[libc::SYS_unshare]);
            }
            let folder = tempfile::Builder::new().tempdir_in(workdir).unwrap();
            fs::create_dir(folder.path().join("sub")).unwrap();
            let script =
                "setsid sleep 300 & echo $$ > sub/started; mv sub/started ../ready 2>/dev/null; sleep 300";
            let mut command = command(&folder, Profile::WorkspaceWrite, script);
            command.environment = vec![("KILLED_PARENT".to_owned(), folder.path().display().to_string())];
            println!("{}", folder.path().display());
            std::io::stdout().flush().unwrap();
            run(&command);
            return;
        }
        let folder = workdir();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "a_killed_parent_takes_the_tree_with_it"]);
        // Nobody tidies up after it; its temporary files go with the folder.
        command.env("PARENT_TO_BE_KILLED", folder.path()).env("TMPDIR", folder.path()).stdout(Stdio::piped());
        if blocked {
            command.env("WITHOUT_NAMESPACES", "1");
        }
        let mut parent = command.spawn().unwrap();
        let count = || processes_with(&format!("KILLED_PARENT={}", folder.path().display()));
        wait_until("the tree runs", || count() >= 2);
        parent.kill().unwrap();
        parent.wait().unwrap();
        wait_until("the tree is dead", || count() == 0);
        for place in ["/sys/fs/cgroup", "/sys/fs/cgroup/pids"] {
            drop(fs::remove_dir(format!("{place}/premath-sandbox-{}-0", parent.id())));
        }
    }
}

fn processes_with(text: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let environment = |entry: fs::DirEntry| fs::read(entry.path().join("environ")).unwrap_or_default();
    processes
        .filter(|_| true)
        .filter(|entry| entry.file_name().to_string_lossy().parse::<u32>().is_ok())
        .map(environment)
        .filter(|bytes| String::from_utf8_lossy(bytes).contains(text))
        .count()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(20), "not so in time: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn configured() {
    let (folder, readable, writable) = (workdir(), workdir(), workdir());
    fs::create_dir(folder.path().join("kept")).unwrap();
    let config = SandboxConfig {
        helper: std::env::current_exe().unwrap(),
        readable: vec![readable.path().to_path_buf()],
        writable: vec![writable.path().to_path_buf()],
        extra_protected: vec!["kept".into()],
        ..SandboxConfig::default()
    };
    let script = format!(
        "cat {0}/sub/file; echo x > {0}/sub/file; echo x > {1}/made; echo x > kept/x; true",
        readable.path().display(),
        writable.path().display()
    );
    let run = OsSandbox::new(config)
        .run(&command(&folder, Profile::WorkspaceWrite, &script), &Interrupt::default());
    assert_eq!(said(&run.unwrap()), "contents");
    assert_eq!(fs::read_to_string(readable.path().join("sub/file")).unwrap(), "contents");
    assert!(writable.path().join("made").exists() && !folder.path().join("kept/x").exists());
}

/// In a clone and in a linked working tree alike.
fn git_inside() {
    use std::process::Command;
    let folder = tempfile::tempdir().unwrap();
    let git = |at: &Path, arguments: &[&str]| {
        let identity =
            ["-c", "user.name=x", "-c", "user.email=x@example.invalid", "-c", "init.defaultBranch=main"];
        Command::new("git").args(identity).args(arguments).current_dir(at).output()
    };
    let main = folder.path().join("main");
    fs::create_dir(&main).unwrap();
    let Ok(made) = git(&main, &["init", "-q"]) else {
        eprintln!("SKIPPED a_git_inside_reads_history_and_sees_no_stand_ins: no git");
        return;
    };
    assert!(made.status.success(), "{made:?}");
    assert!(git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]).unwrap().status.success());
    assert!(git(&main, &["worktree", "add", "-q", "../linked"]).unwrap().status.success());
    for tree in ["main", "linked"] {
        let mut command = command(
            &workdir(),
            Profile::WorkspaceWrite,
            "git log --format=%s; git status --short; git commit -q --allow-empty -m x",
        );
        command.workdir = folder.path().join(tree);
        let run = run(&command);
        assert_eq!(said(&run), "first\n", "{tree}: {run:?}");
        assert_ne!(run.ending, Ending::Exited(0), "a commit was made");
    }
}

fn protected_link() {
    let folder = workdir();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("shared/editor")).unwrap();
    fs::write(path("shared/editor/tasks.json"), "kept").unwrap();
    std::os::unix::fs::symlink("shared/editor", path(".vscode")).unwrap();
    let script = "echo x > .vscode/tasks.json; echo x > shared/editor/new; rm .vscode; ln -sfn sub .vscode; chmod 700 shared/editor; \
                  mv shared moved; mkdir .idea; echo x > sub/written";
    run(&command(&folder, Profile::WorkspaceWrite, script));
    assert_eq!(fs::read_to_string(path("shared/editor/tasks.json")).unwrap(), "kept");
    assert_eq!(fs::read_link(path(".vscode")).unwrap(), Path::new("shared/editor"));
    assert_eq!(names(folder.path()), [".vscode", "shared", "sub"]);
    assert_eq!(names(&path("shared/editor")), ["tasks.json"]);
    assert_eq!(names(&path("sub")), ["file", "written"]);
    use std::os::unix::fs::PermissionsExt as _;
    assert_ne!(fs::metadata(path("shared/editor")).unwrap().permissions().mode() & 0o777, 0o700);
}

fn folder_above_absent() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = workdir();
    let script = "mkdir -p .github && echo x > .github/dependabot.yml && echo x > .github/workflows/ci.yml";
    let run = run(&command(&folder, Profile::WorkspaceWrite, script));
    assert_ne!(run.ending, Ending::Exited(0), "{run:?}");
    assert_eq!(names(folder.path()), [".github", "sub"]);
    assert_eq!(names(&folder.path().join(".github")), ["dependabot.yml"]);
    let mode = fs::metadata(folder.path().join(".github")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o755);
}

/// The parent runs in a process of its own, which is killed while stand-ins are in place.
fn nothing_is_left_after_a_kill() {
    use std::process::{Command, Stdio};
    if let Some(place) = std::env::var_os("PARENT_TO_BE_KILLED") {
        let folder = workdir();
        let mut waiting = command(&folder, Profile::WorkspaceWrite, "touch sub/ready; sleep 300");
        waiting.workdir = place.into();
        waiting.limits.wall = Duration::from_secs(300);
        run(&waiting);
        return;
    }
    let (folder, temporary) = (workdir(), tempfile::tempdir().unwrap());
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_killed_premath_leaves_no_stand_in_behind"])
        .env("PARENT_TO_BE_KILLED", folder.path())
        .env("TMPDIR", temporary.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_until("the command runs", || folder.path().join("sub/ready").exists());
    assert!(folder.path().join(".envrc").exists() && folder.path().join(".github/workflows").exists());
    parent.kill().unwrap();
    parent.wait().unwrap();
    wait_until("nothing is left", || names(folder.path()) == ["sub"]);
}

fn given_state() {
    for profile in Profile::ALL {
        let folder = workdir();
        fs::create_dir_all(folder.path().join(".premath/runs")).unwrap();
        for name in ["issues.jsonl", "desk.db", "runs/journal.jsonl"] {
            fs::write(folder.path().join(".premath").join(name), format!("{name}\n")).unwrap();
        }
        let mut command =
            command(&folder, profile, "find .premath -type f | sort; cat .premath/issues.jsonl");
        command.state =
            StateAccess::Files(vec![".premath/issues.jsonl".to_owned(), ".premath/absent".to_owned()]);
        assert_eq!(said(&run(&command)), ".premath/issues.jsonl\nissues.jsonl\n", "{profile:?}");
        command.state = StateAccess::All;
        command.arguments[1] = "cat .premath/desk.db .premath/runs/journal.jsonl".to_owned();
        assert_eq!(said(&run(&command)), "desk.db\nruns/journal.jsonl\n", "{profile:?}");
    }
}

fn history() {
    for profile in Profile::ALL {
        let folder = workdir();
        fs::create_dir_all(folder.path().join(".git/objects/pack")).unwrap();
        fs::write(folder.path().join(".git/objects/pack/x"), "drowned").unwrap();
        let run = run(&command(&folder, profile, "cat .git/objects/pack/x"));
        let expected = if profile == Profile::Isolated { "" } else { "drowned" };
        assert_eq!(said(&run), expected, "{profile:?}: {run:?}");
    }
    let readers = [Profile::ReadOnly, Profile::WorkspaceWrite, Profile::Network];
    assert_eq!(sandbox().check().unwrap().reading_history, readers);
}

fn named_socket() {
    use std::os::unix::net::UnixListener;
    if !Path::new("/usr/bin/python3").exists() {
        eprintln!("SKIPPED a_named_socket_can_be_connected_to_and_no_other: no python3");
        return;
    }
    let folder = workdir();
    let listen = |name: &str| {
        let socket = UnixListener::bind(folder.path().join(name)).unwrap();
        socket.set_nonblocking(true).unwrap();
        socket
    };
    let (named, other) = (listen("named.sock"), listen("sub/other.sock"));
    let script = "for name in named.sock sub/other.sock; do python3 -c \
                  'import socket,sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' $name; done; true";
    let mut config = SandboxConfig { helper: std::env::current_exe().unwrap(), ..SandboxConfig::default() };
    let command = command(&folder, Profile::WorkspaceWrite, script);
    OsSandbox::new(config.clone()).run(&command, &Interrupt::default()).unwrap();
    assert!(named.accept().is_err() && other.accept().is_err());
    config.sockets = vec!["named.sock".into()];
    let run = OsSandbox::new(config).run(&command, &Interrupt::default()).unwrap();
    assert!(named.accept().is_ok(), "{run:?}");
    assert!(other.accept().is_err(), "{run:?}");
}

const MEGABYTE: u64 = 1 << 20;
/// What a command may write beyond its limit before it is dead.
const OVERSHOOT: u64 = 64 * MEGABYTE;

fn disk_limit() {
    for profile in [Profile::WorkspaceWrite, Profile::Isolated] {
        let folder = workdir();
        let script = "for i in $(seq 200); do head -c 16777216 /dev/zero > sub/f$i & [ $((i % 4)) = 0 ] && wait; done; wait";
        let mut command = command(&folder, profile, script);
        command.limits.disk = 64 * MEGABYTE;
        let run = run(&command);
        assert_eq!(run.ending, Ending::DiskLimit, "{run:?}");
        let sizes = fs::read_dir(folder.path().join("sub"))
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len());
        let written: u64 = sizes.sum();
        assert!(written <= 64 * MEGABYTE + OVERSHOOT, "{written}");
    }
}

fn nameless_file() {
    let folder = workdir();
    let script = "exec 3> sub/x; rm sub/x; head -c 1500000000 /dev/zero >&3";
    let mut command = command(&folder, Profile::WorkspaceWrite, script);
    command.limits.disk = 64 * MEGABYTE;
    assert_eq!(run(&command).ending, Ending::DiskLimit);
}

fn others_write() {
    let (folder, other) = (workdir(), workdir());
    let mut command = command(&folder, Profile::WorkspaceWrite, "touch sub/ready; sleep 1; echo done");
    command.limits.disk = 8 * MEGABYTE;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_until("the command runs", || folder.path().join("sub/ready").exists());
            fs::write(other.path().join("large"), vec![1_u8; 200 << 20]).unwrap();
        });
        let run = run(&command);
        assert_eq!((run.ending, said(&run).as_str()), (Ending::Exited(0), "done\n"));
    });
}
