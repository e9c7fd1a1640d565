//! Attempts that no shell can make: system calls as they are. Each says when it got through what it must not.

#![expect(unsafe_code, reason = "an attempt to break out asks the kernel directly")]

use std::ffi::CString;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd as _;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::symlink;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::verify::THROUGH;

fn told(name: &str) -> String {
    std::env::var(name).unwrap()
}

fn outside(name: &str) -> PathBuf {
    PathBuf::from(told("OUT")).join(name)
}

fn victim() -> libc::c_long {
    told("VICTIM").parse().unwrap()
}

fn call(number: libc::c_long, arguments: [libc::c_long; 6]) -> libc::c_long {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: whatever it does, it does to a process that exists for it.
    unsafe { libc::syscall(number, a, b, c, d, e, f) }
}

fn pointer<T>(value: &T) -> libc::c_long {
    libc::c_long::try_from(std::ptr::from_ref(value).addr()).unwrap()
}

fn through(is_through: bool, what: &str) {
    if is_through {
        println!("{THROUGH}: {what}");
    }
}

fn try_calls(calls: &[(&str, libc::c_long, [libc::c_long; 6])]) {
    for (name, number, arguments) in calls {
        through(call(*number, *arguments) >= 0, name);
    }
}

pub(crate) fn run(name: &str) -> ExitCode {
    match name {
        "swap_links_while_writing" => swap_links(),
        "change_attributes_outside" => change_attributes(),
        "make_set_user_id_file" => make_set_user_id_file(),
        "open_by_handle" => open_by_handle(),
        "exchange_protected" => exchange_protected(),
        "read_memory_of_others" => read_memory_files(),
        "read_inherited_descriptors" => read_descriptors(),
        "push_terminal_input" => push_terminal_input(),
        "trace_outside" => {
            through(call(libc::SYS_ptrace, [16, victim(), 0, 0, 0, 0]) == 0, "attached");
            through(call(libc::SYS_ptrace, [0x4206, victim(), 0, 0, 0, 0]) == 0, "seized");
        }
        "read_other_process_memory_by_call" => read_memory_by_call(),
        "take_descriptor_of_other_process" => take_descriptor(),
        "join_namespaces" => join_namespaces(),
        "clone_into_namespaces" => clone_into_namespaces(),
        "leave_double_forked_sleeper_behind" => double_fork(),
        "ignore_signals_and_stay" => ignore_signals(),
        "mount_by_new_calls" => mount_by_new_calls(),
        "use_keyrings" => use_keyrings(),
        "use_bpf" => {
            let attributes = [1_u32, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0];
            through(call(libc::SYS_bpf, [0, pointer(&attributes), 48, 0, 0, 0]) >= 0, "a map was made");
        }
        "use_io_uring" => {
            let parameters = [0_u8; 256];
            through(call(libc::SYS_io_uring_setup, [4, pointer(&parameters), 0, 0, 0, 0]) >= 0, "a ring");
        }
        "use_perf_events" => {
            let mut attributes = [0_u8; 128];
            attributes[0] = 1;
            attributes[4] = 112;
            through(
                call(libc::SYS_perf_event_open, [pointer(&attributes), 0, -1, -1, 0, 0]) >= 0,
                "an event",
            );
        }
        "use_userfaultfd" => through(call(libc::SYS_userfaultfd, [1, 0, 0, 0, 0, 0]) >= 0, "a descriptor"),
        "use_other_interfaces" => other_interfaces(),
        "change_personality" => {
            through(call(libc::SYS_personality, [0x0040_0000, 0, 0, 0, 0, 0]) >= 0, "no randomness");
        }
        "use_shared_memory_of_others" => shared_memory(),
        "gain_capabilities" => gain_capabilities(),
        "reboot_or_load_modules" => reboot_or_load(),
        "connect_tcp" | "connect_tcp_read_only" | "connect_tcp_isolated" => {
            drop(TcpStream::connect(told("TCP")));
        }
        "send_udp" => drop(UdpSocket::bind("0.0.0.0:0").and_then(|socket| socket.send_to(b"x", told("UDP")))),
        "open_raw_socket" => try_sockets(&[(2, 3, 1), (2, 3, 255), (10, 3, 58)]),
        "open_packet_socket" => try_sockets(&[(17, 3, 0x0300), (17, 2, 0x0300)]),
        "open_netlink_socket" => try_sockets(&[(16, 3, 0), (16, 2, 0), (16, 3, 15), (16, 3, 9)]),
        "open_vsock_socket" => try_sockets(&[(40, 1, 0), (40, 2, 0), (40, 5, 0)]),
        "open_crypto_socket" => {
            try_sockets(&[(38, 5, 0), (44, 3, 0), (43, 1, 0), (21, 5, 0), (29, 3, 1), (31, 3, 1)])
        }
        "open_multipath_socket" => {
            try_sockets(&[(2, 1, 262), (2, 1, 132), (2, 5, 132), (2, 6, 33), (2, 2, 136)])
        }
        "bind_tcp" => through(TcpListener::bind("127.0.0.1:0").is_ok(), "a port was bound"),
        "connect_abstract_socket" | "connect_abstract_socket_in_network_profile" => connect_abstract(),
        "connect_socket_in_workdir" | "connect_socket_in_workdir_in_network_profile" => connect_in_workdir(),
        "connect_socket_file" | "connect_socket_file_in_network_profile" => connect_file(),
        "send_datagram_from_pair" => datagram_from_pair(),
        "fork_bomb_of_orphans" => fork_orphans(),
        "take_memory" => take_memory(),
        other => panic!("no attempt `{other}`"),
    }
    drop(std::io::stdout().flush());
    ExitCode::SUCCESS
}

fn swap_links() {
    let until = Instant::now() + Duration::from_millis(300);
    let swapper = std::thread::spawn(move || {
        while Instant::now() < until {
            drop(fs::remove_file("sub/swapped").or_else(|_| fs::remove_dir_all("sub/swapped")));
            drop(symlink(told("OUT"), "sub/swapped"));
            drop(fs::remove_file("sub/swapped"));
            drop(fs::create_dir("sub/swapped"));
        }
    });
    while Instant::now() < until {
        drop(fs::write("sub/swapped/canary", "changed"));
        drop(fs::read_to_string("sub/swapped/secret").inspect(|text| println!("{text}")));
    }
    drop(swapper.join());
}

fn path(path: PathBuf) -> CString {
    CString::new(path.into_os_string().into_encoded_bytes()).unwrap()
}

fn change_attributes() {
    let canary = path(outside("canary"));
    let (at, name, value) = (canary.as_ptr().addr(), c"user.x".as_ptr().addr(), b"v".as_ptr().addr());
    let at = libc::c_long::try_from(at).unwrap();
    let (name, value) = (libc::c_long::try_from(name).unwrap(), libc::c_long::try_from(value).unwrap());
    through(call(libc::SYS_setxattr, [at, name, value, 1, 0, 0]) == 0, "an attribute was set");
    if let Ok(file) = fs::File::open("/usr/bin/true") {
        let file = libc::c_long::from(file.as_raw_fd());
        through(call(libc::SYS_fchmod, [file, 0o755, 0, 0, 0, 0]) == 0, "a mode of the system was set");
        through(call(libc::SYS_fchown, [file, 0, 0, 0, 0, 0]) == 0, "an owner of the system was set");
        through(call(libc::SYS_fsetxattr, [file, name, value, 1, 0, 0]) == 0, "an attribute of the system");
    }
}

fn make_set_user_id_file() {
    let make = libc::c_long::from(libc::O_CREAT | libc::O_WRONLY);
    for (name, mode) in [(c"sub/one", 0o4755), (c"sub/two", 0o2755), (c"sub/three", 0o6777)] {
        let name = libc::c_long::try_from(name.as_ptr().addr()).unwrap();
        call(libc::SYS_openat, [-100, name, make, mode, 0, 0]);
        call(libc::SYS_open, [name, make, mode, 0, 0, 0]);
        call(libc::SYS_creat, [name, mode, 0, 0, 0, 0]);
        call(libc::SYS_mknodat, [-100, name, 0o100_000 | mode, 0, 0, 0]);
        let how = [u64::try_from(make).unwrap(), u64::try_from(mode).unwrap(), 0];
        call(libc::SYS_openat2, [-100, name, pointer(&how), 24, 0, 0]);
        call(libc::SYS_fchmodat2, [-100, name, mode, 0, 0, 0]);
        call(libc::SYS_chmod, [name, mode, 0, 0, 0, 0]);
    }
}

fn open_by_handle() {
    // The handle of a root is its number in most file systems.
    let workdir = fs::File::open(".").unwrap();
    for inode in [2_u32, 128, 256] {
        let handle = [8_u32, 1, inode, 0];
        let from = libc::c_long::from(workdir.as_raw_fd());
        through(call(libc::SYS_open_by_handle_at, [from, pointer(&handle), 0, 0, 0, 0]) >= 0, "a handle");
    }
}

fn exchange_protected() {
    const EXCHANGE: libc::c_long = 2;
    let sub = libc::c_long::try_from(c"sub".as_ptr().addr()).unwrap();
    for name in [c".git", c".premath", c".git/hooks", c".vscode"] {
        let name = libc::c_long::try_from(name.as_ptr().addr()).unwrap();
        call(libc::SYS_renameat2, [-100, sub, -100, name, EXCHANGE, 0]);
    }
    drop(fs::rename(".git", "sub/.git"));
    drop(fs::write("sub/.git/config", "x"));
}

fn read_memory_files() {
    let process = told("VICTIM");
    let maps = fs::read_to_string(format!("/proc/{process}/maps"));
    through(maps.is_ok_and(|maps| !maps.is_empty()), "the map of another process");
    through(fs::OpenOptions::new().write(true).open(format!("/proc/{process}/mem")).is_ok(), "its memory");
    for name in ["root", "cwd", "exe"] {
        through(fs::read_link(format!("/proc/{process}/{name}")).is_ok(), name);
    }
}

fn read_descriptors() {
    for number in 3..64 {
        let mut bytes = [0_u8; 64];
        // SAFETY: the buffer is as long as it is said to be.
        let read = unsafe { libc::read(number, bytes.as_mut_ptr().cast(), bytes.len()) };
        through(read >= 0, "a descriptor was open");
    }
    through(fs::read_dir("/proc/self/fd").is_ok_and(|all| all.count() > 4), "more than three were open");
}

fn push_terminal_input() {
    let terminal = fs::File::open("/dev/tty");
    through(terminal.is_ok(), "there is a terminal");
    for number in 0..3 {
        let letter = b'x';
        through(call(libc::SYS_ioctl, [number, 0x5412, pointer(&letter), 0, 0, 0]) == 0, "a key was pushed");
        through(
            call(libc::SYS_ioctl, [number, 0x541C, pointer(&letter), 0, 0, 0]) == 0,
            "the console was told",
        );
        // SAFETY: `errno` of this thread.
        through(unsafe { *libc::__errno_location() } != libc::EPERM, "the call itself is not denied");
    }
}

fn read_memory_by_call() {
    let mut buffer = [0_u8; 8];
    let local = [buffer.as_mut_ptr().addr(), buffer.len()];
    let remote = [0x40_0000_usize, 8];
    let arguments = [victim(), pointer(&local), 1, pointer(&remote), 1, 0];
    for number in [libc::SYS_process_vm_readv, libc::SYS_process_vm_writev] {
        call(number, arguments);
        // SAFETY: `errno` of this thread.
        through(unsafe { *libc::__errno_location() } != libc::EPERM, "the call itself is not denied");
    }
}

fn take_descriptor() {
    let process = call(libc::SYS_pidfd_open, [victim(), 0, 0, 0, 0, 0]);
    if process >= 0 {
        through(call(libc::SYS_pidfd_getfd, [process, 0, 0, 0, 0, 0]) >= 0, "a descriptor");
        through(call(libc::SYS_pidfd_send_signal, [process, 9, 0, 0, 0, 0]) == 0, "a signal");
        through(call(libc::SYS_setns, [process, 0x2_0000, 0, 0, 0, 0]) == 0, "a namespace");
    }
}

fn join_namespaces() {
    for process in ["1".to_owned(), told("VICTIM"), told("RUNNER"), "self".to_owned()] {
        for name in ["user", "mnt", "net", "pid", "ipc"] {
            if let Ok(namespace) = fs::File::open(format!("/proc/{process}/ns/{name}")) {
                let namespace = libc::c_long::from(namespace.as_raw_fd());
                through(call(libc::SYS_setns, [namespace, 0, 0, 0, 0, 0]) == 0, name);
            }
        }
    }
}

fn clone_into_namespaces() {
    for flag in [0x1000_0000, 0x2_0000, 0x2000_0000, 0x4000_0000, 0x0800_0000, 0x0400_0000, 0x0200_0000] {
        for flags in [flag, flag | 0x1000_0000] {
            let child = call(libc::SYS_clone, [flags | 17, 0, 0, 0, 0, 0]);
            if child == 0 {
                // SAFETY: ends the copy of this process that has just been made.
                unsafe { libc::_exit(0) };
            }
            through(child > 0, "a process in another namespace");
            let arguments = [u64::try_from(flags).unwrap(), 0, 0, 0, 17, 0, 0, 0];
            let child = call(libc::SYS_clone3, [pointer(&arguments), 64, 0, 0, 0, 0]);
            if child == 0 {
                // SAFETY: as above.
                unsafe { libc::_exit(0) };
            }
            through(child > 0, "a process in another namespace, by the newer call");
        }
    }
}

/// Forks; whether this is the child.
fn is_child() -> bool {
    // SAFETY: this program has one thread.
    unsafe { libc::fork() == 0 }
}

fn double_fork() {
    if is_child() {
        call(libc::SYS_setsid, [0; 6]);
        if is_child() {
            call(libc::SYS_setsid, [0; 6]);
            // Out of every pipe, so that only its existence is left.
            for number in 0..3 {
                call(libc::SYS_close, [number, 0, 0, 0, 0, 0]);
            }
            std::thread::sleep(Duration::from_secs(300));
        }
        // SAFETY: ends a copy of this process.
        unsafe { libc::_exit(0) };
    }
    std::thread::sleep(Duration::from_millis(50));
}

fn ignore_signals() {
    for signal in 1..64 {
        // SAFETY: ignoring is no function.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    for _ in 0..4 {
        if is_child() {
            call(libc::SYS_setsid, [0; 6]);
        }
    }
    loop {
        std::thread::sleep(Duration::from_secs(300));
    }
}

fn mount_by_new_calls() {
    let root = libc::c_long::try_from(c"/".as_ptr().addr()).unwrap();
    let kind = libc::c_long::try_from(c"tmpfs".as_ptr().addr()).unwrap();
    let sub = libc::c_long::try_from(c"sub".as_ptr().addr()).unwrap();
    let attributes = [0_u64, 1, 0, 0];
    try_calls(&[
        ("fsopen", libc::SYS_fsopen, [kind, 0, 0, 0, 0, 0]),
        ("open_tree", libc::SYS_open_tree, [-100, root, 1, 0, 0, 0]),
        ("open_tree_attr", 467, [-100, root, 1, pointer(&attributes), 32, 0]),
        ("mount_setattr", libc::SYS_mount_setattr, [-100, sub, 0, pointer(&attributes), 32, 0]),
        ("move_mount", libc::SYS_move_mount, [-100, root, -100, sub, 0, 0]),
        ("pivot_root", libc::SYS_pivot_root, [sub, sub, 0, 0, 0, 0]),
        ("umount2", libc::SYS_umount2, [root, 2, 0, 0, 0, 0]),
    ]);
}

fn use_keyrings() {
    let kind = libc::c_long::try_from(c"user".as_ptr().addr()).unwrap();
    let name = libc::c_long::try_from(c"premath-escape".as_ptr().addr()).unwrap();
    let payload = b"x";
    try_calls(&[
        ("add_key", libc::SYS_add_key, [kind, name, pointer(payload), 1, -2, 0]),
        ("keyctl", libc::SYS_keyctl, [0, -3, 1, 0, 0, 0]),
        ("request_key", libc::SYS_request_key, [kind, name, 0, -2, 0, 0]),
    ]);
}

fn other_interfaces() {
    // A call by the numbers of x32, in a process of its own: it may be killed for it.
    if is_child() {
        through(call(0x4000_0000 + libc::SYS_getpid, [0; 6]) > 0, "x32");
        drop(std::io::stdout().flush());
        // SAFETY: ends a copy of this process.
        unsafe { libc::_exit(0) };
    }
    #[cfg(target_arch = "x86_64")]
    if is_child() {
        let process: i64;
        // SAFETY: `getpid` by the 32-bit interface; it touches no memory.
        unsafe { std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => process, options(nostack)) };
        through(process > 0, "the 32-bit interface");
        drop(std::io::stdout().flush());
        // SAFETY: as above.
        unsafe { libc::_exit(0) };
    }
    std::thread::sleep(Duration::from_millis(100));
}

fn shared_memory() {
    // Whatever segments others have, by their small numbers.
    for segment in 0..64 {
        through(call(libc::SYS_shmat, [segment, 0, 0o10_000, 0, 0, 0]) > 0, "a segment");
    }
}

fn gain_capabilities() {
    let header = [0x2008_0522_u32, 0];
    let words = [u32::MAX, u32::MAX, 0, 0, 0, 0];
    through(call(libc::SYS_capset, [pointer(&header), pointer(&words), 0, 0, 0, 0]) == 0, "capabilities");
    // SAFETY: integers only.
    let is_privileged = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0) } == 0;
    through(is_privileged, "new privileges");
    // SAFETY: as above.
    through(
        unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } != 1,
        "new privileges are possible",
    );
    for user in [0_i64, 1234] {
        // SAFETY: as above.
        let own = i64::from(unsafe { libc::geteuid() });
        through(own != user && call(libc::SYS_setresuid, [user, user, user, 0, 0, 0]) == 0, "another user");
        through(call(libc::SYS_setgroups, [1, pointer(&0_u32), 0, 0, 0, 0]) == 0, "another group");
    }
}

fn reboot_or_load() {
    let name = libc::c_long::try_from(c"premath-escape".as_ptr().addr()).unwrap();
    try_calls(&[
        // Disabling the key combination, so that nothing is lost should it work.
        ("reboot", libc::SYS_reboot, [0xFEE1_DEAD, 672_274_793, 0, 0, 0, 0]),
        ("init_module", libc::SYS_init_module, [name, 0, name, 0, 0, 0]),
        ("finit_module", libc::SYS_finit_module, [0, name, 0, 0, 0, 0]),
        ("delete_module", libc::SYS_delete_module, [name, 0, 0, 0, 0, 0]),
        ("kexec_load", libc::SYS_kexec_load, [0, 0, 0, 0, 0, 0]),
        ("swapon", libc::SYS_swapon, [name, 0, 0, 0, 0, 0]),
        ("sethostname", libc::SYS_sethostname, [name, 4, 0, 0, 0, 0]),
        ("acct", libc::SYS_acct, [0; 6]),
        ("quotactl", libc::SYS_quotactl, [0x80_0001 << 8, 0, 0, 0, 0, 0]),
        ("iopl", libc::SYS_iopl, [3, 0, 0, 0, 0, 0]),
    ]);
}

fn try_sockets(sockets: &[(libc::c_long, libc::c_long, libc::c_long)]) {
    for (family, kind, protocol) in sockets {
        let socket = call(libc::SYS_socket, [*family, *kind, *protocol, 0, 0, 0]);
        through(socket >= 0, &format!("a socket of {family}, {kind}, {protocol}"));
    }
}

fn connect_abstract() {
    let address = |kind| SocketAddr::from_abstract_name(format!("{}-{kind}", told("MARK"))).unwrap();
    drop(UnixStream::connect_addr(&address("stream")));
    drop(UnixDatagram::unbound().and_then(|socket| socket.send_to_addr(b"x", &address("datagram"))));
}

fn connect_file() {
    drop(UnixStream::connect(outside("stream.sock")));
    drop(UnixDatagram::unbound().and_then(|socket| socket.send_to(b"x", outside("datagram.sock"))));
    drop(UnixStream::connect("../stream.sock"));
}

/// By every name that the workdir gives it.
fn connect_in_workdir() {
    drop(UnixStream::connect("dev.sock"));
    drop(UnixStream::connect(outside("work/dev.sock")));
    drop(std::os::unix::fs::symlink("../dev.sock", "sub/link.sock"));
    drop(UnixStream::connect("sub/link.sock"));
    drop(fs::hard_link("dev.sock", "sub/other.sock"));
    drop(UnixStream::connect("sub/other.sock"));
    drop(UnixDatagram::unbound().and_then(|socket| socket.send_to(b"x", "dev-datagram.sock")));
    if let Ok((socket, _other)) = UnixDatagram::pair() {
        drop(socket.send_to(b"x", "dev-datagram.sock"));
    }
}

fn datagram_from_pair() {
    if let Ok((socket, _other)) = UnixDatagram::pair() {
        drop(socket.send_to(b"x", outside("datagram.sock")));
        let address = SocketAddr::from_abstract_name(format!("{}-datagram", told("MARK"))).unwrap();
        drop(socket.send_to_addr(b"x", &address));
    }
}

fn fork_orphans() {
    loop {
        if is_child() {
            call(libc::SYS_setsid, [0; 6]);
            if !is_child() {
                // SAFETY: ends a copy of this process, so that its child is an orphan.
                unsafe { libc::_exit(0) };
            }
        }
    }
}

fn take_memory() {
    let mut taken: Vec<Vec<u8>> = Vec::new();
    for _ in 0..1024 {
        taken.push(vec![1; 1 << 20]);
    }
    let mut nothing = [0_u8; 1];
    drop(std::io::stdin().read(&mut nothing));
    through(taken.len() == 1024, "a gigabyte");
}
