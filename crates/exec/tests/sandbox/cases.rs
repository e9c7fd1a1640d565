//! The attempts. Each is a shell script or a part of this program, told where everything outside is.

use std::time::Duration;

use premath_tusk::sandbox::{ExecutionLimits, Profile};

/// One attempt to get out.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) profile: Profile,
    pub(crate) inside: Inside,
    pub(crate) expect: Expect,
    pub(crate) limit: fn(&mut ExecutionLimits),
    /// Whether it may run without a sandbox, to see that it would get out and be noticed.
    pub(crate) is_harmless_outside: bool,
    /// Whether it would take others on this machine with it, should it get out.
    pub(crate) is_contagious: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum Inside {
    Shell(&'static str),
    Attempt,
}

/// How the command has to end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    Ended,
    TimedOut,
    Failed,
    Written(u64),
    Anything,
}

impl Case {
    pub(crate) fn needs_namespaces(&self) -> bool {
        self.profile == Profile::Isolated
    }

    fn of(name: &'static str, inside: Inside) -> Case {
        let profile = Profile::WorkspaceWrite;
        Case {
            name,
            profile,
            inside,
            expect: Expect::Ended,
            limit: |_| {},
            is_harmless_outside: false,
            is_contagious: false,
        }
    }

    fn in_profile(mut self, profile: Profile) -> Case {
        self.profile = profile;
        self
    }

    fn ends(mut self, expect: Expect) -> Case {
        self.expect = expect;
        self
    }

    fn limited(mut self, limit: fn(&mut ExecutionLimits)) -> Case {
        self.limit = limit;
        self
    }

    fn contagious(mut self) -> Case {
        self.is_contagious = true;
        self
    }

    fn harmless(mut self) -> Case {
        self.is_harmless_outside = true;
        self
    }
}

fn shell(name: &'static str, script: &'static str) -> Case {
    Case::of(name, Inside::Shell(script))
}

fn attempt(name: &'static str) -> Case {
    Case::of(name, Inside::Attempt)
}

pub(crate) fn all() -> Vec<Case> {
    [files(), protected(), secrets(), processes(), kernel(), network(), resources()]
        .into_iter()
        .flatten()
        .collect()
}

/// By every way to a file that a shell has.
const READ_STATE: &str = "cat .premath/desk.db .premath/*; cp -r .premath sub/c; ln -s ../.premath/desk.db sub/l; cat sub/l; \
                          ln .premath/desk.db sub/h; cat sub/h; tar cf - .premath; cat /proc/self/cwd/.premath/desk.db";

/// Names that other programs obey, and that are not there.
const MAKE_ABSENT: &str = "mkdir .claude .husky .cursor; mkdir -p .github/workflows .cargo; echo x > .mcp.json; echo x > AGENTS.md; \
                           echo x > CLAUDE.md; echo x > .cargo/config.toml; echo x > .github/copilot-instructions.md; \
                           echo x > .github/workflows/ci.yml; ln -s sub .claude; mv sub/file .pre-commit-config.yaml; \
                           rm -rf .claude .mcp.json .github; ln sub/file CLAUDE.md; mv -T sub .github/workflows";

fn files() -> Vec<Case> {
    vec![
        shell("write_outside", "echo x > $OUT/canary").harmless(),
        shell("append_outside", "echo x >> ../canary").harmless(),
        shell("create_outside", "echo x > $OUT/new; mkdir $OUT/folder").harmless(),
        shell("remove_outside", "rm -rf $OUT/canary $OUT/home").harmless(),
        shell("truncate_outside", "truncate -s 0 $OUT/canary; : > $OUT/canary").harmless(),
        shell("move_in_from_outside", "mv $OUT/canary sub/; ls sub").harmless(),
        shell("move_out", "mv sub/file $OUT/file; mv sub $OUT/").harmless(),
        shell("write_through_link", "ln -s $OUT/canary sub/l; echo x > sub/l; ln -s $OUT sub/d; echo x > sub/d/n").harmless(),
        shell("write_through_hard_link", "ln $OUT/canary sub/h && echo x > sub/h; ln -L $OUT/secret sub/s; cat sub/s").harmless(),
        attempt("swap_links_while_writing"),
        shell("write_through_open_folder", "cd sub; echo x > ../../canary; cd /proc/self/cwd/../..; echo x > canary").harmless(),
        shell("change_mode_outside", "chmod 4777 $OUT/canary; chmod 700 $OUT/home").harmless(),
        shell("change_owner_outside", "chown 1234 $OUT/canary; chgrp 1234 $OUT/canary"),
        shell("change_times_outside", "touch -d 2001-01-01 $OUT/canary").harmless(),
        attempt("change_attributes_outside"),
        shell("write_system_files", "echo x > /usr/bin/$MARK; echo x > /etc/$MARK; echo x > /$MARK; cp /bin/sh /usr/local/bin/$MARK"),
        shell("write_shared_memory_folder", "echo x > /dev/shm/$MARK").harmless(),
        shell("write_temporary_folder_of_others", "echo x > /tmp/$MARK; echo x > /var/tmp/$MARK").in_profile(Profile::ReadOnly),
        shell("write_workdir_read_only", "echo x > sub/file && echo WENT-THROUGH; rm sub/file && echo WENT-THROUGH").in_profile(Profile::ReadOnly),
        shell("set_user_id_bit", "cp /bin/true sub/s; chmod 4755 sub/s; chmod u+s sub/s; chmod g+s sub/s; install -m 4755 /bin/true sub/t").harmless(),
        attempt("make_set_user_id_file"),
        shell("make_device", "mknod sub/null c 1 3; mknod sub/disk b 8 0; mknod $TMPDIR/null c 1 3 && echo WENT-THROUGH"),
        shell("read_block_device", "for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/mem /dev/kmsg; do head -c 16 $d >/dev/null && echo WENT-THROUGH; done"),
        attempt("open_by_handle"),
        shell("leave_preload_behind", "echo sub/evil.so > /etc/ld.so.preload; echo evil >> $HOME/.bashrc; echo evil >> $HOME/.profile"),
        shell("leave_deep_folders_behind", "cd $TMPDIR; i=0; while [ $i -lt 600 ]; do mkdir d || break; cd d || break; i=$((i+1)); done; chmod 0 .; mkdir $TMPDIR/locked; touch $TMPDIR/locked/x; chmod 0 $TMPDIR/locked; true"),
    ]
}

fn protected() -> Vec<Case> {
    vec![
        shell("make_absent_names", MAKE_ABSENT).harmless(),
        shell("make_absent_names_in_network_profile", MAKE_ABSENT).in_profile(Profile::Network).harmless(),
        shell("write_hook", "echo x > .git/hooks/pre-commit; cp /bin/sh .git/hooks/; mv .git/hooks/pre-commit.sample .git/hooks/pre-commit").harmless(),
        shell("write_git_config", "echo x >> .git/config; rm .git/config; mv sub/file .git/config").harmless(),
        shell("make_commondir", "echo ../sub > .git/commondir").harmless(),
        shell("move_repository_away", "mv .git gone; mv .git sub/").harmless(),
        shell("replace_repository", "mkdir -p sub/new/hooks; mv -T sub/new .git; rm -rf .git; ln -sfn sub .git; true").harmless(),
        shell("link_into_repository", "ln sub/file .git/hooks/pre-commit; ln -s ../../sub/file .git/hooks/pre-push").harmless(),
        shell("write_own_state", "echo x >> .premath/issues.jsonl; echo x > .premath/new; rm -rf .premath").harmless(),
        shell("write_shell_settings", "echo evil >> .bashrc; rm .bashrc; echo evil > .zshrc").harmless(),
        shell("make_missing_protected", "mkdir .vscode; echo x > .vscode/tasks.json; echo x > .envrc; echo x > premath.toml; mkdir policies; echo x > .gitmodules").harmless(),
        shell("replace_missing_protected", "for n in .vscode .envrc premath.toml policies; do rm -rf $n; mv sub/file $n; mv $n sub/; ln -s sub $n; done; true").harmless(),
        shell("unmount_protected", "umount .git; umount -l .git; mount -o remount,rw .git; mount --bind sub .git"),
        attempt("exchange_protected"),
        shell("write_protected_in_network_profile", "echo x > .git/hooks/x; echo x > .envrc; echo x >> .bashrc").in_profile(Profile::Network),
        shell("write_protected_in_isolated_profile", "echo x > .git/hooks/x; echo x > .envrc; echo x >> .bashrc").in_profile(Profile::Isolated),
    ]
}

fn secrets() -> Vec<Case> {
    vec![
        shell("read_own_state", READ_STATE).harmless(),
        shell("read_own_state_in_read_only_profile", READ_STATE).in_profile(Profile::ReadOnly).harmless(),
        shell("read_own_state_in_isolated_profile", READ_STATE).in_profile(Profile::Isolated).harmless(),
        shell("read_outside", "cat $OUT/secret; cp $OUT/secret sub/; cat ../secret").harmless(),
        shell("read_outside_read_only", "cat $OUT/secret").in_profile(Profile::ReadOnly).harmless(),
        shell("read_keys_of_a_home", "cat $OUT/home/.ssh/id_ed25519; cat /root/.ssh/* /home/*/.ssh/* 2>/dev/null | grep -q PRIVATE && echo WENT-THROUGH").harmless(),
        shell("read_shadow", "grep -q . /etc/shadow && echo WENT-THROUGH; grep -q . /etc/gshadow && echo WENT-THROUGH; true"),
        shell("read_through_first_process", "cat /proc/1/root$OUT/secret; cat /proc/1/cwd$OUT/secret"),
        shell("read_through_parent", "cat /proc/$PPID/root$OUT/secret; cat /proc/$RUNNER/root$OUT/secret; ls /proc/$RUNNER/fd && echo WENT-THROUGH"),
        shell("read_environment_of_others", "cat /proc/$VICTIM/environ; cat /proc/*/environ").harmless(),
        attempt("read_memory_of_others"),
        shell("read_environment_of_runner", "env | grep SECRET_OF_THE_RUNNER && echo WENT-THROUGH; env | grep -v '^[A-Z_]*=' ; true").harmless(),
        attempt("read_inherited_descriptors"),
        attempt("push_terminal_input"),
        shell("read_kernel_memory", "head -c 16 /proc/kcore >/dev/null && echo WENT-THROUGH; dmesg >/dev/null && echo WENT-THROUGH; true"),
        shell("list_outside", "ls $OUT | grep -q canary && echo WENT-THROUGH; ls / | grep -q root && echo WENT-THROUGH; true").harmless(),
    ]
}

fn processes() -> Vec<Case> {
    vec![
        shell("kill_outside", "kill -9 $VICTIM; kill -STOP $VICTIM").harmless(),
        shell("kill_everything", "kill -9 -1; sleep 0.1").contagious().ends(Expect::Anything),
        shell(
            "kill_group_of_parent",
            "kill -9 -$PPID; kill -9 $PPID; kill -9 -$RUNNER; kill -9 $RUNNER; kill -9 0",
        )
        .contagious()
        .ends(Expect::Anything),
        attempt("trace_outside"),
        attempt("read_other_process_memory_by_call"),
        attempt("take_descriptor_of_other_process"),
        shell("set_namespace", "nsenter -t 1 -a cat $OUT/secret; nsenter -t $VICTIM -m -U cat $OUT/secret"),
        attempt("join_namespaces"),
        shell(
            "unshare",
            "unshare -Urm true && echo WENT-THROUGH; unshare -n true && echo WENT-THROUGH; true",
        )
        .harmless(),
        attempt("clone_into_namespaces"),
        shell("leave_sleeper_behind", "(setsid sh -c 'sleep 300 & sleep 300' >/dev/null 2>&1 &) ; exit 0"),
        attempt("leave_double_forked_sleeper_behind"),
        shell("hold_pipes_open", "(setsid sleep 300 &) ; sleep 300")
            .ends(Expect::TimedOut)
            .limited(|limits| limits.wall = Duration::from_millis(700)),
        attempt("ignore_signals_and_stay")
            .ends(Expect::TimedOut)
            .limited(|limits| limits.wall = Duration::from_millis(700)),
        shell("run_for_ever", "while :; do :; done")
            .ends(Expect::TimedOut)
            .limited(|limits| limits.wall = Duration::from_millis(700)),
    ]
}

fn kernel() -> Vec<Case> {
    vec![
        shell(
            "mount",
            "mount -t tmpfs none sub && echo WENT-THROUGH; mount --bind / sub && echo WENT-THROUGH; mount -t proc proc sub && echo WENT-THROUGH; true",
        ),
        attempt("mount_by_new_calls"),
        shell("change_root", "chroot / true && echo WENT-THROUGH; true"),
        attempt("use_keyrings").harmless(),
        attempt("use_bpf"),
        attempt("use_io_uring").harmless(),
        attempt("use_perf_events"),
        attempt("use_userfaultfd"),
        attempt("use_other_interfaces").ends(Expect::Anything),
        attempt("change_personality").harmless(),
        attempt("use_shared_memory_of_others"),
        shell(
            "write_kernel_settings",
            "echo '|/bin/false' > /proc/sys/kernel/core_pattern && echo WENT-THROUGH; echo h > /proc/sysrq-trigger && echo WENT-THROUGH; echo 1 > /proc/sys/vm/drop_caches && echo WENT-THROUGH; true",
        ),
        shell(
            "write_own_maps",
            "echo 0 > /proc/self/uid_map; echo '0 0 1' > /proc/self/uid_map && echo WENT-THROUGH; true",
        ),
        shell(
            "use_control_groups",
            "mkdir /sys/fs/cgroup/$MARK && echo WENT-THROUGH; mkdir /sys/fs/cgroup/memory/$MARK && echo WENT-THROUGH; echo 1 > /sys/kernel/mm/ksm/run && echo WENT-THROUGH; true",
        ),
        attempt("gain_capabilities"),
        shell(
            "gain_user",
            "su -c true root && echo WENT-THROUGH; setpriv --reuid=0 true && [ $(id -u) != 0 ] && echo WENT-THROUGH; true",
        ),
        attempt("reboot_or_load_modules"),
    ]
}

fn network() -> Vec<Case> {
    vec![
        attempt("connect_tcp").harmless(),
        attempt("connect_tcp_read_only").in_profile(Profile::ReadOnly).harmless(),
        attempt("connect_tcp_isolated").in_profile(Profile::Isolated).harmless(),
        attempt("send_udp").harmless(),
        attempt("open_raw_socket").in_profile(Profile::Network),
        attempt("open_packet_socket").in_profile(Profile::Network),
        attempt("open_netlink_socket").in_profile(Profile::Network).harmless(),
        attempt("open_vsock_socket").in_profile(Profile::Network),
        attempt("open_crypto_socket").in_profile(Profile::Network),
        attempt("open_multipath_socket").in_profile(Profile::Network),
        attempt("bind_tcp").in_profile(Profile::Network).harmless(),
        attempt("connect_abstract_socket").harmless(),
        attempt("connect_abstract_socket_in_network_profile").in_profile(Profile::Network).harmless(),
        attempt("connect_socket_file").harmless(),
        attempt("connect_socket_in_workdir").harmless(),
        attempt("connect_socket_in_workdir_in_network_profile").in_profile(Profile::Network).harmless(),
        attempt("connect_socket_file_in_network_profile").in_profile(Profile::Network).harmless(),
        attempt("send_datagram_from_pair").harmless(),
    ]
}

fn resources() -> Vec<Case> {
    vec![
        shell("fork_bomb", "f() { f | f & }; f; sleep 300").contagious().ends(Expect::Anything).limited(|limits| {
            limits.wall = Duration::from_millis(1500);
            limits.processes = 64;
        }),
        attempt("fork_bomb_of_orphans").contagious().ends(Expect::Anything).limited(|limits| {
            limits.wall = Duration::from_millis(1500);
            limits.processes = 64;
        }),
        shell("flood_output", "head -c 1073741824 /dev/zero").ends(Expect::Written(1 << 30)).limited(|limits| limits.wall = Duration::from_secs(120)),
        shell("flood_error_output", "head -c 67108864 /dev/zero >&2"),
        attempt("take_memory").ends(Expect::Failed).limited(|limits| limits.memory = 256 << 20),
        shell("take_processor", "while :; do :; done").ends(Expect::Failed).limited(|limits| limits.cpu = Duration::from_secs(1)),
        shell("write_large_file", "head -c 16777216 /dev/zero > sub/large; [ $(stat -c %s sub/large) -gt 1048576 ] && echo WENT-THROUGH; true").limited(|limits| limits.file_size = 1 << 20).harmless(),
        shell("open_many_files", "i=3; while [ $i -lt 400 ]; do eval \"exec $i</dev/null\" || exit 3; i=$((i+1)); done; echo WENT-THROUGH").ends(Expect::Failed).limited(|limits| limits.descriptors = 64),
        shell("dump_core", "ulimit -c unlimited; sh -c 'kill -SEGV $$'; true"),
    ]
}
