//! The filter of system calls. What it denies is for ever denied to the command and whatever it starts.
//!
//! It denies what Landlock and the namespaces do not see: sockets by family, other processes' memory, the kernel's own
//! interfaces, new namespaces, set-user-id bits. A call that is newer than this list does not exist inside.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use premath_kernel::{hex, sha256};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    sock_filter,
};

use crate::plan::{Guard, Network, Walls};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::BackendError>;

/// `mseal`. Newer calls, the attributes of mounts among them, are answered as unknown.
const LAST_KNOWN_CALL: u32 = 462;
/// Marks calls of the x32 interface, whose numbers this filter does not know.
const X32: u32 = 0x4000_0000;

/// Denied outright.
const DENIED: &[i64] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_finit_module,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setdomainname,
    libc::SYS_sethostname,
    libc::SYS_setns,
    libc::SYS_settimeofday,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE: &[i64] = &[libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE: &[i64] = &[];

/// What Landlock does not see, denied where no mounts hold it. Owners, modes and attributes of files: without read-only mounts a command could change
/// those of any file of its user. Memory and queues that are not files: only a namespace keeps them apart.
const DENIED_WITHOUT_MOUNTS: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_fremovexattr,
    libc::SYS_fsetxattr,
    libc::SYS_lremovexattr,
    libc::SYS_lsetxattr,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_msgget,
    libc::SYS_removexattr,
    libc::SYS_semget,
    libc::SYS_setxattr,
    libc::SYS_shmat,
    libc::SYS_shmget,
];

#[cfg(target_arch = "x86_64")]
const DENIED_HERE_WITHOUT_MOUNTS: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_futimesat,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
];
#[cfg(not(target_arch = "x86_64"))]
const DENIED_HERE_WITHOUT_MOUNTS: &[i64] = &[];

/// Answered as unknown, so that programs fall back to a call whose arguments can be seen.
const UNKNOWN: &[i64] = &[libc::SYS_clone3, libc::SYS_openat2];

const NAMESPACE_FLAGS: [libc::c_int; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

/// Calls that set a mode: the number, the argument with the mode, and the one with the flags when the mode only counts
/// for a file that is made.
const MODES: &[(i64, u8, Option<u8>)] = &[
    (libc::SYS_fchmod, 1, None),
    (libc::SYS_fchmodat, 2, None),
    (libc::SYS_fchmodat2, 2, None),
    (libc::SYS_mknodat, 2, None),
    (libc::SYS_openat, 3, Some(2)),
];
#[cfg(target_arch = "x86_64")]
const MODES_HERE: &[(i64, u8, Option<u8>)] = &[
    (libc::SYS_chmod, 1, None),
    (libc::SYS_creat, 1, None),
    (libc::SYS_mknod, 1, None),
    (libc::SYS_open, 2, Some(1)),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: &[(i64, u8, Option<u8>)] = &[];

const UNIX: u64 = 1;
const INTERNET: [u64; 2] = [2, 10];
const DATAGRAM: u64 = 2;

/// The programs for these walls, to be applied in this order.
pub(super) fn programs(walls: &Walls) -> Built<Vec<BpfProgram>> {
    let mut denied = Rules::new();
    modes(&mut denied)?;
    // A protected path without a read-only mount over it could be changed in what Landlock does not see.
    if !walls.with_namespaces || walls.guard == Guard::Entries {
        // Times may be set of a file that is open, not of one that is named.
        add(&mut denied, libc::SYS_utimensat, vec![is_not_null(1)?])?;
        for call in [DENIED_WITHOUT_MOUNTS, DENIED_HERE_WITHOUT_MOUNTS].concat() {
            denied.insert(call, Vec::new());
        }
    }
    for call in [DENIED, DENIED_HERE].concat() {
        denied.insert(call, Vec::new());
    }
    for flag in NAMESPACE_FLAGS {
        let flag = u64::from(flag.unsigned_abs());
        add(&mut denied, libc::SYS_clone, vec![has(0, flag)?])?;
    }
    for command in [libc::TIOCSTI, libc::TIOCLINUX] {
        // The kernel looks at 32 bits of the command.
        add(&mut denied, libc::SYS_ioctl, vec![is(1, command & 0xFFFF_FFFF)?])?;
    }
    add(&mut denied, libc::SYS_personality, vec![is_not(0, 0)?, is_not(0, 0xFFFF_FFFF)?])?;
    sockets(&mut denied, walls)?;
    let unknown = UNKNOWN.iter().map(|call| (*call, Vec::new())).collect();
    Ok(vec![compiled(denied, libc::EPERM)?, compiled(unknown, libc::ENOSYS)?, known_numbers()])
}

/// What the programs are, in one word.
pub(super) fn digest(programs: &[BpfProgram]) -> String {
    let mut bytes = Vec::new();
    for instruction in programs.iter().flatten() {
        bytes.extend_from_slice(&instruction.code.to_le_bytes());
        bytes.extend_from_slice(&[instruction.jt, instruction.jf]);
        bytes.extend_from_slice(&instruction.k.to_le_bytes());
    }
    hex(&sha256(&bytes))
}

fn add(rules: &mut Rules, call: i64, conditions: Vec<SeccompCondition>) -> Built<()> {
    rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
    Ok(())
}

fn compare(argument: u8, operator: SeccompCmpOp, value: u64) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

fn is(argument: u8, value: u64) -> Built<SeccompCondition> {
    compare(argument, SeccompCmpOp::Eq, value)
}

fn is_not(argument: u8, value: u64) -> Built<SeccompCondition> {
    compare(argument, SeccompCmpOp::Ne, value)
}

fn is_not_null(argument: u8) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

fn has(argument: u8, bits: u64) -> Built<SeccompCondition> {
    compare(argument, SeccompCmpOp::MaskedEq(bits), bits)
}

/// No set-user-id and set-group-id bits, however a file comes by its mode.
fn modes(rules: &mut Rules) -> Built<()> {
    for (call, mode, flags) in [MODES, MODES_HERE].concat() {
        for bit in [libc::S_ISUID, libc::S_ISGID] {
            match flags {
                None => add(rules, call, vec![has(mode, u64::from(bit))?])?,
                Some(flags) => {
                    for making in [libc::O_CREAT, libc::O_TMPFILE] {
                        let making = u64::from(making.unsigned_abs());
                        add(rules, call, vec![has(mode, u64::from(bit))?, has(flags, making)?])?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Sockets by family, type and protocol.
///
/// A socket of the Unix family can reach any socket that has a path, whatever Landlock says about that path, and one may
/// appear in the workdir at any time. So the family is denied, and so are its datagram pairs, which can be sent anywhere.
/// Where a person named sockets, a root of our own shows those and no others.
fn sockets(rules: &mut Rules, walls: &Walls) -> Built<()> {
    let mut families = Vec::new();
    if walls.with_namespaces && !walls.sockets.is_empty() {
        families.push(UNIX);
    } else {
        add(rules, libc::SYS_socketpair, vec![kind(DATAGRAM)?])?;
    }
    if walls.network != Network::None {
        families.extend(INTERNET);
    }
    let others: Built<Vec<_>> = families.iter().map(|family| is_not(0, *family)).collect();
    let others = others?;
    if others.is_empty() {
        rules.insert(libc::SYS_socket, Vec::new());
    } else {
        add(rules, libc::SYS_socket, others)?;
        // Raw, reliable datagrams, sequenced packets outside the Unix family, DCCP, packet.
        for other in [3, 4, 6, 10] {
            add(rules, libc::SYS_socket, vec![kind(other)?])?;
        }
        add(rules, libc::SYS_socket, vec![is_not(0, UNIX)?, kind(5)?])?;
        // Streams that are not TCP pass by the rules for TCP.
        let protocols = [0, 6, 17].map(|protocol| is_not(2, protocol));
        let conditions: Built<Vec<_>> = std::iter::once(is_not(0, UNIX)).chain(protocols).collect();
        add(rules, libc::SYS_socket, conditions?)?;
    }
    add(rules, libc::SYS_socketpair, vec![is_not(0, UNIX)?])
}

fn kind(kind: u64) -> Built<SeccompCondition> {
    compare(1, SeccompCmpOp::MaskedEq(0xF), kind)
}

fn compiled(rules: Rules, error: libc::c_int) -> Built<BpfProgram> {
    let denied = SeccompAction::Errno(error.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, SeccompAction::Allow, denied, architecture)?.try_into()
}

/// Kills on a call of another interface of the same machine, and answers calls newer than ours as unknown.
fn known_numbers() -> BpfProgram {
    const LOAD_NUMBER: u16 = 0x20;
    const JUMP_IF_AT_LEAST: u16 = 0x35;
    const JUMP_IF_GREATER: u16 = 0x25;
    const RETURN: u16 = 0x06;
    let unknown = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    let step = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    vec![
        step(LOAD_NUMBER, 0, 0, 0),
        step(JUMP_IF_AT_LEAST, 2, 0, X32),
        step(JUMP_IF_GREATER, 2, 0, LAST_KNOWN_CALL),
        step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
        step(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        step(RETURN, 0, 0, unknown),
    ]
}
