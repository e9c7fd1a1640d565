//! The machine itself: users, disks, services, timers, the kernel, processes.

use super::{Call, begins};
use crate::flow::Flow;
use crate::interpreter::Interpreter;
use crate::risk::{Reach, RiskClass};

/// Programs that change users, the kernel, the network or mounts.
const PRIVILEGED: [&str; 38] = [
    "mount",
    "umount",
    "insmod",
    "modprobe",
    "rmmod",
    "iptables",
    "ip6tables",
    "nft",
    "ufw",
    "firewall-cmd",
    "pfctl",
    "setenforce",
    "usermod",
    "useradd",
    "adduser",
    "userdel",
    "deluser",
    "groupadd",
    "groupmod",
    "groupdel",
    "gpasswd",
    "passwd",
    "chpasswd",
    "visudo",
    "vipw",
    "vigr",
    "setcap",
    "chsh",
    "chfn",
    "newgrp",
    "auditctl",
    "aa-disable",
    "csrutil",
    "spctl",
    "dscl",
    "bpftool",
    "kexec",
    "ptrace",
];
/// Programs that overwrite disks.
const DISKS: [&str; 21] = [
    "btrfs",
    "wipefs",
    "fdisk",
    "sfdisk",
    "cfdisk",
    "gdisk",
    "sgdisk",
    "parted",
    "mkswap",
    "blkdiscard",
    "hdparm",
    "cryptsetup",
    "lvremove",
    "vgremove",
    "pvremove",
    "zpool",
    "zfs",
    "mdadm",
    "badblocks",
    "newfs",
    "format",
];

pub(super) fn apply(interpreter: &mut Interpreter<'_>, call: &Call<'_>) -> Option<Flow> {
    match call.name {
        name if PRIVILEGED.contains(&name) => {
            if !(call.args.is_empty() && name == "mount") {
                interpreter.ask(
                    RiskClass::Privilege,
                    Reach::Machine,
                    "changes users, rights, mounts or the kernel",
                );
            }
        }
        "sysctl" => {
            if call.has('w', "--write")
                || call.has('p', "--load")
                || call.args.iter().any(|arg| arg.text.contains('='))
            {
                interpreter.ask(RiskClass::Privilege, Reach::Machine, "changes the kernel");
            }
        }
        name if name.starts_with("mkfs") || DISKS.contains(&name) => disks(interpreter, call),
        "diskutil" => {
            let verb = call.words(&[]).first().cloned().unwrap_or_default();
            if verb.starts_with("erase")
                || verb.starts_with("partition")
                || verb.starts_with("zero")
                || verb.starts_with("secure")
                || verb == "apfs"
            {
                interpreter.deny(RiskClass::Destructive, Reach::Machine, "overwrites a disk");
            }
        }
        "shutdown" | "reboot" | "halt" | "poweroff" | "init" | "telinit" => {
            interpreter.ask(RiskClass::Destructive, Reach::Machine, "stops the machine");
        }
        "systemctl" | "service" | "launchctl" | "rc-service" | "rc-update" | "chkconfig" | "update-rc.d"
        | "initctl" => {
            services(interpreter, call);
        }
        "crontab" => timers(interpreter, call),
        "at" | "batch" => {
            if !call.has('l', "") {
                interpreter.ask(RiskClass::Persistence, Reach::Machine, "runs a command later");
            }
        }
        "ssh-copy-id" | "update-alternatives" | "osascript" | "defaults" if call.name != "osascript" => {
            let changes = call.name != "defaults"
                || matches!(call.words(&[]).first().map(String::as_str), Some("write" | "delete"));
            if changes {
                interpreter.ask(
                    RiskClass::Persistence,
                    Reach::Machine,
                    "changes how the machine works from now on",
                );
            }
        }
        "kill" => kill(interpreter, call),
        "killall" | "pkill" => {
            if call.has('u', "--uid")
                || call.positionals(&[]).iter().any(|arg| matches!(arg.text.as_str(), "." | "-1"))
            {
                interpreter.ask(RiskClass::Destructive, Reach::Machine, "ends every process of a user");
            }
        }
        "gdb" | "lldb" => debugger(interpreter, call),
        _ => return None,
    }
    Some(Flow::output())
}

fn disks(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let lists = call.has('l', "--list")
        || matches!(call.words(&[]).first().map(String::as_str), Some("list" | "status" | "get" | "print"));
    if !lists && !call.args.is_empty() {
        interpreter.deny(RiskClass::Destructive, Reach::Machine, "overwrites a disk or a volume");
    }
}

fn services(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let words = call.words(&["-t", "-p", "-n"]);
    let is = |verbs: &[&str]| words.iter().take(2).any(|word| verbs.contains(&word.as_str()));
    if is(&["enable", "load", "bootstrap", "link", "edit", "add", "set-default", "submit"]) {
        interpreter.ask(RiskClass::Persistence, Reach::Machine, "makes a service run from now on");
    } else if is(&[
        "stop",
        "disable",
        "mask",
        "kill",
        "unload",
        "bootout",
        "remove",
        "poweroff",
        "reboot",
        "halt",
        "isolate",
        "rescue",
        "emergency",
        "restart",
        "start",
        "reload",
    ]) {
        interpreter.ask(RiskClass::Destructive, Reach::Machine, "stops or restarts a service");
    }
}

fn timers(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    if call.has('r', "") {
        interpreter.ask(RiskClass::Destructive, Reach::Machine, "deletes every timer");
    } else if !call.has('l', "") {
        interpreter.deny(RiskClass::Persistence, Reach::Machine, "makes a command run by a timer");
    }
}

fn kill(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let targets: Vec<&str> = call.args.iter().map(|arg| arg.text.as_str()).collect();
    let ends_all = targets.iter().skip(1).any(|target| *target == "-1") || targets.contains(&"1");
    if ends_all {
        interpreter.deny(RiskClass::Destructive, Reach::Machine, "ends every process");
    }
}

/// A debugger that is told to run something, or to enter another process.
fn debugger(interpreter: &mut Interpreter<'_>, call: &Call<'_>) {
    let runs = call.joined().contains("system(") || call.joined().contains("shell ");
    if call.has('p', "--pid") || runs || begins(&call.words(&[]), "attach") {
        interpreter.ask(RiskClass::Privilege, Reach::Machine, "enters another process");
    }
}
