//! Names of files and folders that mean something everywhere: premath's own, hooks, credentials, what runs at login, what builds make.

use super::Place;
use crate::arg::{could_be, is_mark};

/// Folders and files of hooks and agents that are no protected names of a repository, in whichever folder they lie.
const HOOK_NAMES: [&str; 7] = [
    ".lefthook",
    ".opencode",
    ".windsurf",
    "lefthook.yml",
    "opencode.json",
    ".claude.json",
    "managed-settings.json",
];

/// What a path of premath's own, or of a configuration of hooks, is called.
pub(super) fn own(place: &Place) -> Option<&'static str> {
    let parts: Vec<&str> = place.parts().collect();
    let has = |name: &str| parts.iter().any(|part| could_be(part, name));
    let pair = |first: &str, second: &str| {
        parts
            .windows(2)
            .any(|two| matches!(two, [one, other] if could_be(one, first) && could_be(other, second)))
    };
    if has(".premath") || has("premath.toml") || has("person.key") {
        return Some("premath's own files");
    }
    if pair("state", "premath") || pair(".config", "premath") || pair("bin", "premath") {
        return Some("premath's own files");
    }
    let first_inside = place.inside.as_deref().and_then(|inside| inside.split('/').next());
    let is_rule = place.inside.is_none() && place.name().to_ascii_lowercase().ends_with(".cedar");
    if is_rule || first_inside.is_some_and(|first| could_be(first, "policies")) {
        return Some("premath's policy");
    }
    let is_hook = HOOK_NAMES.iter().any(|name| has(name)) || pair("etc", "claude-code");
    is_hook.then_some("the configuration of hooks")
}

/// Folders whose files are credentials.
const SECRET_FOLDERS: [&str; 16] = [
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    ".azure",
    ".password-store",
    "gcloud",
    ".docker",
    "keychains",
    "keyrings",
    "google-chrome",
    "chromium",
    ".mozilla",
    "bravesoftware",
    "gh",
    ".secrets",
];
/// Files that are credentials, by their whole name.
const SECRET_NAMES: [&str; 34] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "id_ed25519_sk",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".dockercfg",
    ".htpasswd",
    ".vault-token",
    ".env",
    ".envrc",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "terraform.tfstate",
    "wallet.dat",
    "logins.json",
    "key4.db",
    "cookies",
    "login data",
    "kubeconfig",
    "master.key",
    "shadow",
    "gshadow",
];
/// Endings of files that are credentials.
const SECRET_ENDINGS: [&str; 9] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".tfvars", ".ovpn"];
/// What makes an example of a name that would be a credential.
const EXAMPLES: [&str; 9] =
    ["example", "sample", "template", "dist", "defaults", "schema", "pub", "tmpl", "test-fixture"];

pub(super) fn is_secret(place: &Place) -> bool {
    let name = place.name();
    let lower = name.to_ascii_lowercase();
    if EXAMPLES.iter().any(|example| lower.ends_with(example)) {
        return false;
    }
    let is_home = place.whole.starts_with('~');
    let in_folder = is_home
        && SECRET_FOLDERS.iter().any(|folder| place.parts().skip(1).any(|part| could_be(part, folder)));
    let harmless =
        matches!(lower.as_str(), "known_hosts" | "config" | "authorized_keys") && place.could_have(".ssh");
    if in_folder && !harmless {
        return true;
    }
    let environment = place.whole.starts_with("/proc/") && could_be(name, "environ");
    let shadow = place.whole.starts_with("/etc/") || !lower.ends_with("shadow");
    let stem = lower.split('.').next().unwrap_or_default();
    let extension = lower.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_named =
        matches!(stem, "secret" | "secrets" | "token" | "tokens" | "password" | "passwords" | "apikey")
            && matches!(extension, "" | "txt" | "secret" | "token" | "key");
    environment
        || (shadow && SECRET_NAMES.iter().any(|secret| could_be(name, secret)))
        || lower.starts_with(".env.")
        || (!lower.contains(is_mark) && SECRET_ENDINGS.iter().any(|ending| lower.ends_with(ending)))
        || (is_named && !stem.is_empty() && (extension.is_empty() != lower.contains('.')))
}

/// Files of a home folder that are read at login or by every program of a kind.
const STARTUP_NAMES: [&str; 15] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".xprofile",
    ".xinitrc",
    ".gitconfig",
    ".pam_environment",
    "authorized_keys",
];
/// Folders whose files are run by a timer, at login or as a service.
const STARTUP_FOLDERS: [&str; 8] =
    ["autostart", "systemd", "launchagents", "launchdaemons", "fish", "git", ".bashrc.d", "environment.d"];
/// Folders of the system whose files are run.
const STARTUP_SYSTEM: [&str; 10] = [
    "cron",
    "systemd",
    "init.d",
    "rc.local",
    "profile",
    "ld.so.preload",
    "sudoers",
    "pam.d",
    "bash.bashrc",
    "zsh",
];

pub(super) fn is_startup(place: &Place) -> bool {
    if place.whole.starts_with('~') {
        let is_file = STARTUP_NAMES.iter().any(|name| could_be(place.name(), name));
        let is_ssh = place.could_have(".ssh") && matches!(place.name(), "rc" | "config" | "environment");
        let is_folder = (place.could_have(".config") || place.could_have("library"))
            && place.parts().any(|part| STARTUP_FOLDERS.iter().any(|folder| could_be(part, folder)));
        return is_file || is_ssh || is_folder;
    }
    let is_etc = place.whole.starts_with("/etc/")
        && place.parts().nth(1).is_some_and(|part| STARTUP_SYSTEM.iter().any(|name| part.starts_with(name)));
    is_etc
        || place.whole.starts_with("/var/spool/cron")
        || place.whole.starts_with("/Library/Launch")
        || place.whole.starts_with("/lib/systemd")
        || place.whole.starts_with("/usr/lib/systemd")
}

/// Folders that a build or a package manager makes again.
const GENERATED: [&str; 52] = [
    "node_modules",
    "target",
    "dist",
    "build",
    "out",
    ".next",
    ".nuxt",
    ".cache",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".venv",
    "venv",
    "coverage",
    "htmlcov",
    "tmp",
    "temp",
    ".turbo",
    ".parcel-cache",
    ".gradle",
    "obj",
    "builddir",
    ".svelte-kit",
    "storybook-static",
    "test-results",
    "playwright-report",
    "logs",
    ".nyc_output",
    ".eggs",
    ".dart_tool",
    "pods",
    "deriveddata",
    ".angular",
    ".output",
    ".vite",
    ".serverless",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "_build",
    ".stack-work",
    "bazel-out",
    "zig-cache",
    ".zig-cache",
    "zig-out",
    ".expo",
    "dist-newstyle",
    "site",
    "public/build",
];

pub(super) fn is_generated(inside: &str) -> bool {
    let generated = |part: &str| {
        let lower = part.to_ascii_lowercase();
        GENERATED.contains(&lower.as_str())
            || lower.ends_with(".egg-info")
            || lower.starts_with("cmake-build-")
    };
    inside.split('/').any(generated)
}

/// Endings of files that can be made again, or are rubbish.
const DISPOSABLE: [&str; 20] = [
    ".pyc",
    ".pyo",
    ".log",
    ".tmp",
    ".temp",
    ".bak",
    ".orig",
    ".rej",
    ".swp",
    ".swo",
    ".o",
    ".obj",
    ".class",
    ".cache",
    ".pid",
    ".gcda",
    ".gcno",
    ".profraw",
    ".tsbuildinfo",
    "~",
];

pub(super) fn is_disposable(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    DISPOSABLE.iter().any(|ending| lower.ends_with(ending))
        || matches!(lower.as_str(), ".ds_store" | "thumbs.db" | "core" | ".coverage")
        || GENERATED.contains(&lower.as_str())
}
