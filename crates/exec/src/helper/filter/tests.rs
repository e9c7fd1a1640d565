//! What the filter decides, without applying it: its programs are interpreted.

use std::path::PathBuf;

use seccompiler::BpfProgram;

use super::{digest, programs};
use crate::plan::{Guard, Limits, Network, State, Walls};

const ALLOW: u32 = 0x7FFF_0000;
const KILL: u32 = 0x8000_0000;
const ERROR: u32 = 0x0005_0000;

fn walls(network: Network, with_namespaces: bool) -> Walls {
    Walls {
        profile: "workspace-write".to_owned(),
        workdir: PathBuf::from("/w"),
        is_workdir_writable: true,
        network,
        with_namespaces,
        identity: None,
        readable: Vec::new(),
        links: Vec::new(),
        writable: Vec::new(),
        guard: Guard::Mounts,
        protected: Vec::new(),
        hidden: Vec::new(),
        hidden_folders: Vec::new(),
        state: State::All,
        sockets: Vec::new(),
        has_process_group: false,
        limits: Limits { cpu_seconds: 1, memory: 1, processes: 1, file_size: 1, disk: 1, descriptors: 1 },
    }
}

/// Classic BPF over `struct seccomp_data`, as far as these programs use it.
fn interpret(program: &BpfProgram, data: &[u8; 64]) -> u32 {
    let mut accumulator = 0_u32;
    let mut at = 0_usize;
    loop {
        let step = &program[at];
        at += 1;
        let jump = |taken: bool| usize::from(if taken { step.jt } else { step.jf });
        match step.code {
            0x20 => {
                let offset = usize::try_from(step.k).unwrap();
                accumulator = u32::from_le_bytes(data[offset..offset + 4].try_into().unwrap());
            }
            0x54 => accumulator &= step.k,
            0x05 => at += usize::try_from(step.k).unwrap(),
            0x15 => at += jump(accumulator == step.k),
            0x25 => at += jump(accumulator > step.k),
            0x35 => at += jump(accumulator >= step.k),
            0x06 => return step.k,
            other => panic!("no such instruction here: {other:#x}"),
        }
    }
}

/// The strictest answer of all programs, as the kernel takes it.
fn decide(walls: &Walls, call: i64, arguments: [u64; 4]) -> u32 {
    const ARCHITECTURE: u32 = if cfg!(target_arch = "aarch64") { 0xC000_00B7 } else { 0xC000_003E };
    decide_for(walls, ARCHITECTURE, u32::try_from(call).unwrap(), arguments)
}

fn decide_for(walls: &Walls, architecture: u32, call: u32, arguments: [u64; 4]) -> u32 {
    let mut data = [0_u8; 64];
    data[0..4].copy_from_slice(&call.to_le_bytes());
    data[4..8].copy_from_slice(&architecture.to_le_bytes());
    for (index, argument) in arguments.into_iter().enumerate() {
        data[16 + index * 8..24 + index * 8].copy_from_slice(&argument.to_le_bytes());
    }
    let answers: Vec<u32> =
        programs(walls).unwrap().iter().map(|program| interpret(program, &data)).collect();
    if answers.contains(&KILL) {
        return KILL;
    }
    answers.into_iter().find(|answer| *answer != ALLOW).unwrap_or(ALLOW)
}

fn error(number: i32) -> u32 {
    ERROR | number.unsigned_abs()
}

const STREAM: u64 = 1;
const DATAGRAM: u64 = 2;

#[test]
fn ordinary_calls_pass() {
    for with_namespaces in [true, false] {
        let walls = walls(Network::None, with_namespaces);
        for call in [libc::SYS_read, libc::SYS_write, libc::SYS_execve, libc::SYS_mmap, libc::SYS_futex] {
            assert_eq!(decide(&walls, call, [0; 4]), ALLOW, "{call}");
        }
        assert_eq!(decide(&walls, libc::SYS_clone, [0x3D0F00, 0, 0, 0]), ALLOW, "a thread");
        assert_eq!(decide(&walls, libc::SYS_openat, [0, 0, 0o101, 0o644]), ALLOW, "a new file");
    }
}

#[test]
fn no_profile_without_network_has_a_socket_of_the_internet() {
    for with_namespaces in [true, false] {
        let walls = walls(Network::None, with_namespaces);
        for family in (0..64).filter(|family| *family != 1) {
            for kind in [STREAM, DATAGRAM, 3] {
                assert_eq!(decide(&walls, libc::SYS_socket, [family, kind, 0, 0]), error(libc::EPERM));
            }
        }
    }
}

#[test]
fn sockets_of_the_unix_family_need_a_named_socket_and_a_root_of_their_own() {
    let datagrams = [1, DATAGRAM | 0o2_000_000, 0, 0];
    for (network, with_namespaces) in [(Network::None, true), (Network::Any, true), (Network::None, false)] {
        let mut walls = walls(network, with_namespaces);
        assert_eq!(decide(&walls, libc::SYS_socket, [1, STREAM, 0, 0]), error(libc::EPERM));
        assert_eq!(decide(&walls, libc::SYS_socketpair, [1, STREAM, 0, 0]), ALLOW);
        assert_eq!(decide(&walls, libc::SYS_socketpair, datagrams), error(libc::EPERM));
        walls.sockets = vec![PathBuf::from("dev.sock")];
        let expected = if with_namespaces { ALLOW } else { error(libc::EPERM) };
        assert_eq!(decide(&walls, libc::SYS_socket, [1, STREAM, 0, 0]), expected);
    }
}

#[test]
fn the_network_profile_has_tcp_and_udp_and_nothing_else() {
    let walls = walls(Network::Any, true);
    for family in [2, 10] {
        assert_eq!(decide(&walls, libc::SYS_socket, [family, STREAM, 0, 0]), ALLOW);
        assert_eq!(decide(&walls, libc::SYS_socket, [family, STREAM | 0o2_000_000, 6, 0]), ALLOW);
        assert_eq!(decide(&walls, libc::SYS_socket, [family, DATAGRAM, 17, 0]), ALLOW);
        for (kind, protocol) in
            [(3, 1), (3, 255), (STREAM, 262), (STREAM, 132), (5, 132), (6, 33), (DATAGRAM, 136)]
        {
            let answer = decide(&walls, libc::SYS_socket, [family, kind, protocol, 0]);
            assert_eq!(answer, error(libc::EPERM), "{kind} {protocol}");
        }
    }
    for family in [16, 17, 38, 40, 43, 44] {
        assert_eq!(decide(&walls, libc::SYS_socket, [family, STREAM, 0, 0]), error(libc::EPERM));
        assert_eq!(decide(&walls, libc::SYS_socket, [family, 3, 0, 0]), error(libc::EPERM));
    }
}

#[test]
fn upper_halves_of_arguments_hide_nothing() {
    let high = 0xFFFF_FFFF_0000_0000;
    let walls = walls(Network::None, true);
    assert_eq!(decide(&walls, libc::SYS_socket, [high | 2, STREAM, 0, 0]), error(libc::EPERM));
    assert_eq!(decide(&walls, libc::SYS_ioctl, [0, high | 0x5412, 0, 0]), error(libc::EPERM));
    assert_eq!(decide(&walls, libc::SYS_clone, [high | 0x1000_0000, 0, 0, 0]), error(libc::EPERM));
    assert_eq!(decide(&walls, libc::SYS_fchmod, [3, high | 0o4755, 0, 0]), error(libc::EPERM));
}

#[test]
fn set_user_id_bits_are_denied_however_a_file_is_made() {
    let walls = walls(Network::None, true);
    for mode in [0o4755, 0o2755, 0o6755] {
        assert_eq!(decide(&walls, libc::SYS_fchmodat, [0, 0, mode, 0]), error(libc::EPERM));
        assert_eq!(decide(&walls, libc::SYS_mknodat, [0, 0, mode, 0]), error(libc::EPERM));
        assert_eq!(decide(&walls, libc::SYS_openat, [0, 0, 0o101, mode]), error(libc::EPERM));
        assert_eq!(decide(&walls, libc::SYS_openat, [0, 0, 0o20_200_002, mode]), error(libc::EPERM));
    }
    assert_eq!(decide(&walls, libc::SYS_openat2, [0; 4]), error(libc::ENOSYS));
    // Without a file being made the mode says nothing.
    assert_eq!(decide(&walls, libc::SYS_openat, [0, 0, 0, 0o4755]), ALLOW);
    assert_eq!(decide(&walls, libc::SYS_fchmodat, [0, 0, 0o755, 0]), ALLOW);
}

#[test]
fn without_namespaces_modes_owners_and_attributes_cannot_be_changed() {
    let walls = walls(Network::None, false);
    for call in
        [libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchownat, libc::SYS_setxattr, libc::SYS_shmget]
    {
        assert_eq!(decide(&walls, call, [0; 4]), error(libc::EPERM), "{call}");
    }
    let sockets = vec![PathBuf::from("dev.sock")];
    let with_entries = Walls { guard: Guard::Entries, sockets, ..self::walls(Network::None, true) };
    assert_eq!(
        decide(&with_entries, libc::SYS_fchmod, [0; 4]),
        error(libc::EPERM),
        "no mount holds what is protected"
    );
    assert_eq!(decide(&with_entries, libc::SYS_socket, [1, STREAM, 0, 0]), ALLOW);
    assert_eq!(decide(&walls, libc::SYS_utimensat, [3, 0, 0, 0]), ALLOW, "of an open file");
    assert_eq!(decide(&walls, libc::SYS_utimensat, [3, 1 << 40, 0, 0]), error(libc::EPERM), "of a name");
}

#[test]
fn other_interfaces_of_the_machine_kill_and_newer_calls_do_not_exist() {
    let walls = walls(Network::Any, true);
    const INTEL_32: u32 = 0x4000_0003;
    assert_eq!(decide_for(&walls, INTEL_32, 20, [0; 4]), KILL);
    assert_eq!(decide(&walls, 0x4000_0000 + 39, [0; 4]), KILL);
    assert_eq!(decide(&walls, 463, [0; 4]), error(libc::ENOSYS));
    assert_eq!(decide(&walls, 462, [0; 4]), ALLOW);
}

#[test]
fn different_walls_have_different_filters() {
    let of = |network, with_namespaces| digest(&programs(&walls(network, with_namespaces)).unwrap());
    let all =
        [of(Network::None, true), of(Network::None, false), of(Network::Any, true), of(Network::Any, false)];
    assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
    assert_eq!(of(Network::Any, true), of(Network::Ports(vec![443]), true));
}
