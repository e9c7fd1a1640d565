//! The system calls that have no safe wrapper: capabilities, closing ranges of descriptors, recursive mount attributes,
//! the Landlock version, forking.
//!
//! The only module with `unsafe`. Each function is safe to call as it is documented, and does one call.

#![expect(unsafe_code, reason = "system calls without a safe wrapper, docs/adr/0009")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use nix::sys::signal::{SigHandler, SigSet, Signal, signal};
use nix::unistd::{ForkResult, Pid};

/// Version 3 of the capability interface: two words a set.
const CAPABILITY_VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: libc::c_int,
}

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct CapabilityWords {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

fn result(code: libc::c_long) -> io::Result<libc::c_long> {
    if code < 0 { Err(io::Error::last_os_error()) } else { Ok(code) }
}

/// Empties the effective, permitted and inheritable sets of this thread.
pub(crate) fn empty_capabilities() -> io::Result<()> {
    let header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
    let words = [CapabilityWords::default(); 2];
    // SAFETY: both pointers are to live values of the layout that version 3 names; the kernel only reads them.
    result(unsafe { libc::syscall(libc::SYS_capset, &raw const header, words.as_ptr()) }).map(drop)
}

/// Whether this thread has no capability in any of the three sets.
pub(crate) fn has_no_capabilities() -> io::Result<bool> {
    let mut header = CapabilityHeader { version: CAPABILITY_VERSION, pid: 0 };
    let mut words = [CapabilityWords::default(); 2];
    // SAFETY: both pointers are to live values of the layout that version 3 names, and exclusive to this call.
    result(unsafe { libc::syscall(libc::SYS_capget, &raw mut header, words.as_mut_ptr()) })?;
    Ok(words.iter().all(|word| word.effective | word.permitted | word.inheritable == 0))
}

/// Takes a capability out of the bounding set; `false` when there is no such capability.
pub(crate) fn drop_bounding(capability: libc::c_ulong) -> io::Result<bool> {
    // SAFETY: `prctl` with integers only.
    let code = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
    match result(libc::c_long::from(code)) {
        Ok(_) => Ok(true),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Empties the ambient set.
pub(crate) fn clear_ambient() -> io::Result<()> {
    // SAFETY: `prctl` with integers only.
    let code = unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) };
    result(libc::c_long::from(code)).map(drop)
}

/// Marks every descriptor from `first` on to be closed by the next `execve`.
pub(crate) fn close_on_exec_from(first: u32) -> io::Result<()> {
    // SAFETY: integers only; descriptors stay open in this program, so nobody's `OwnedFd` is pulled away.
    let code = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    result(code).map(drop)
}

/// Adds attributes to a mount, and to everything mounted below it.
pub(crate) fn add_mount_attributes(path: &Path, attributes: u64, recursive: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let flags = if recursive { libc::AT_RECURSIVE } else { 0 } | libc::AT_SYMLINK_NOFOLLOW;
    set_mount_attributes(libc::AT_FDCWD, &path, attributes, flags)
}

/// Adds attributes to a copy of a mount that is not mounted yet, and to everything below it.
pub(crate) fn add_tree_attributes(tree: &OwnedFd, attributes: u64) -> io::Result<()> {
    set_mount_attributes(tree.as_raw_fd(), c"", attributes, libc::AT_EMPTY_PATH | libc::AT_RECURSIVE)
}

fn set_mount_attributes(at: RawFd, path: &CStr, attributes: u64, flags: libc::c_int) -> io::Result<()> {
    let attributes = libc::mount_attr { attr_set: attributes, attr_clr: 0, propagation: 0, userns_fd: 0 };
    // SAFETY: the path is a live string with its end mark, the attributes a live value whose size is given.
    let code = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            at,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    result(code).map(drop)
}

/// Copies what is mounted at a path, with everything below it, without mounting it anywhere; a link is not followed.
pub(crate) fn copy_tree(path: &Path) -> io::Result<OwnedFd> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let clone = libc::OPEN_TREE_CLONE | libc::OPEN_TREE_CLOEXEC;
    let flags = clone | (libc::AT_RECURSIVE | libc::AT_SYMLINK_NOFOLLOW).unsigned_abs();
    // SAFETY: the path is a live string with its end mark.
    let tree = result(unsafe { libc::syscall(libc::SYS_open_tree, libc::AT_FDCWD, path.as_ptr(), flags) })?;
    let tree = RawFd::try_from(tree).map_err(io::Error::other)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(tree) })
}

/// Mounts such a copy at a path; a link is not followed.
pub(crate) fn mount_tree(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: both strings are live and have their end marks.
    let code = unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::MOVE_MOUNT_F_EMPTY_PATH,
        )
    };
    result(code).map(drop)
}

/// The version of the Landlock interface.
pub(crate) fn landlock_abi() -> io::Result<u32> {
    const VERSION: u32 = 1;
    let none = std::ptr::null::<libc::c_void>();
    // SAFETY: asking for the version takes no attributes: a null pointer and length 0.
    let version =
        result(unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, VERSION) })?;
    u32::try_from(version).map_err(io::Error::other)
}

/// Forks. Only the helper calls it: a fresh process that never starts a thread.
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: with one thread, the child may do whatever the parent may.
    match unsafe { nix::unistd::fork() }? {
        ForkResult::Parent { child } => Ok(Some(child)),
        ForkResult::Child => Ok(None),
    }
}

/// Lets a command begin in a session of its own, without the terminal of this one.
pub(crate) fn in_own_session(command: &mut std::process::Command) {
    let begin = || nix::unistd::setsid().map(drop).map_err(io::Error::from);
    // SAFETY: `setsid` allocates nothing and takes no lock, so that it may run between fork and exec.
    unsafe { std::os::unix::process::CommandExt::pre_exec(command, begin) };
}

/// Takes over descriptors that the kernel has just put into this process with a message.
pub(crate) fn adopt(received: &[RawFd]) -> Vec<OwnedFd> {
    // SAFETY: the kernel made these descriptors for this message; nobody else knows them.
    received.iter().map(|descriptor| unsafe { OwnedFd::from_raw_fd(*descriptor) }).collect()
}

/// Puts every signal back to what a new program expects.
pub(crate) fn default_signals() -> io::Result<()> {
    for one in Signal::iterator().filter(|one| !matches!(one, Signal::SIGKILL | Signal::SIGSTOP)) {
        // SAFETY: the default action is no function of ours.
        unsafe { signal(one, SigHandler::SigDfl) }?;
    }
    Ok(SigSet::empty().thread_set_mask()?)
}

/// Makes a call with all arguments zero and answers its error number; `None` when it went through. For calls that do
/// nothing with such arguments.
pub(crate) fn try_empty_call(number: libc::c_long) -> Option<i32> {
    // SAFETY: null pointers and zeros, from which the calls that are tried here can only return an error.
    result(unsafe { libc::syscall(number, 0, 0, 0, 0, 0, 0) }).err().and_then(|error| error.raw_os_error())
}
