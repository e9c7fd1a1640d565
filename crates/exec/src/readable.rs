//! What every command may read and execute beside its workdir: the system, and of its settings only what programs need.
//!
//! Homes, /root, /var, /run and the secrets below /etc are not in it. `SandboxConfig::readable` adds to it.

use std::path::{Path, PathBuf};

/// Programs, libraries and what they share.
const SYSTEM: [&str; 11] = [
    "/bin",
    "/gnu/store",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/opt",
    "/sbin",
    "/sys/devices/system/cpu",
    "/usr",
];

/// Settings without secrets. A list of what is allowed, because nobody knows all that must not be.
const SETTINGS: [&str; 52] = [
    "alternatives",
    "bash.bashrc",
    "bash_completion.d",
    "bindresvport.blacklist",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "default/locale",
    "fonts",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hostname",
    "hosts",
    "inputrc",
    "issue",
    "java",
    "java-17-openjdk",
    "java-21-openjdk",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "locale.alias",
    "locale.conf",
    "login.defs",
    "lsb-release",
    "magic",
    "mime.types",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki/ca-trust",
    "pki/tls/cert.pem",
    "pki/tls/certs",
    "pki/tls/openssl.cnf",
    "profile",
    "profile.d",
    "protocols",
    "python3",
    "resolv.conf",
    "services",
    "shells",
    "ssh/ssh_config",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
    "xattr.conf",
];

/// What may be read, and the links that lead there.
#[derive(Debug, Default)]
pub(crate) struct Readable {
    /// Resolved, sorted.
    pub(crate) paths: Vec<PathBuf>,
    /// Links at their own paths, and where they lead.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
}

/// The system's own, and these.
pub(crate) fn readable(extra: &[PathBuf]) -> Readable {
    let mut readable = Readable::default();
    for path in SYSTEM {
        readable.add(Path::new(path));
    }
    for path in SETTINGS {
        readable.add(&Path::new("/etc").join(path));
    }
    for path in extra {
        readable.add(path);
    }
    readable.paths.sort_unstable();
    readable.paths.dedup();
    readable
}

impl Readable {
    /// Adds a path where it really is. What is missing is left out: there is nothing to read.
    fn add(&mut self, path: &Path) {
        let Ok(real) = std::fs::canonicalize(path) else { return };
        // Links below /etc come with it.
        if !path.starts_with("/etc")
            && let Ok(target) = std::fs::read_link(path)
        {
            self.links.push((path.to_path_buf(), target));
        }
        // INVARIANT: the root itself is never readable as a whole.
        if real.parent().is_some() {
            self.paths.push(real);
        }
    }
}
