//! Where a command runs: the repository, the folder of the agent, and what lies where around them.
//!
//! Names only. Nothing is looked up, so that a link is what its name says.

mod names;
#[cfg(test)]
mod tests;

use crate::arg::{Arg, STAR, UNKNOWN, could_be, is_mark};
use crate::risk::AgentSandbox;

/// Where a command runs.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The root of the repository, absolute.
    pub root: String,
    /// The folder the agent stands in, absolute.
    pub folder: String,
    /// Folders of premath's own outside of the repository, absolute.
    pub own_folders: Vec<String>,
    /// Paths of the repository that other programs execute or obey.
    pub protected: Vec<ProtectedPath>,
    /// The sandbox around the agent's commands.
    pub sandbox: AgentSandbox,
}

/// A path of the repository that other programs execute or obey, with everything below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtectedPath {
    /// From the root of the repository.
    pub path: String,
    /// Whether hooks of agents or of git are there. They are an agent's own wherever they lie.
    pub has_hooks: bool,
}

/// A path of a command, in one spelling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    /// From the root of the repository, where it lies there; empty for the root itself.
    pub(crate) inside: Option<String>,
    /// From the root of the file system, or from `~`.
    pub(crate) whole: String,
}

/// Where a path lies, for what writes or deletes there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zone {
    /// In the repository.
    Workspace,
    /// In a folder for temporary files.
    Temporary,
    /// A device that takes anything: `/dev/null`, a terminal.
    Sink,
    /// A disk or the memory.
    Device,
    /// The system.
    System,
    /// The home folder, or another place outside.
    Outside,
    /// Nobody knows before it runs.
    Unknown,
}

impl Scene {
    /// A path as it is seen from a folder; the folder is `None` where nobody knows it.
    pub(crate) fn place(&self, path: &Arg, folder: Option<&str>) -> Place {
        let text = path.text.strip_prefix("file://").unwrap_or(&path.text);
        let joined = match (text.chars().next(), folder) {
            (Some('/'), _) => text.to_owned(),
            (Some('~'), _) => match text.split_once('/') {
                Some((_, rest)) => format!("~/{rest}"),
                None => "~".to_owned(),
            },
            (Some(UNKNOWN), _) => format!("{UNKNOWN}/{text}"),
            (_, Some(folder)) => format!("{folder}/{text}"),
            (_, None) => format!("{UNKNOWN}/{text}"),
        };
        let whole = home_as_tilde(&normal(&joined));
        let root = home_as_tilde(&normal(&self.root));
        let inside = match whole.strip_prefix(&root) {
            Some("") => Some(String::new()),
            Some(rest) => rest.strip_prefix('/').map(str::to_owned),
            None => None,
        };
        Place { inside, whole }
    }

    /// Where a path lies.
    pub(crate) fn zone(&self, place: &Place) -> Zone {
        if place.inside.is_some() {
            return Zone::Workspace;
        }
        let mut parts = place.whole.split('/').filter(|part| !part.is_empty());
        let (first, second) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if !place.whole.starts_with('/') {
            return if place.whole.starts_with('~') { Zone::Outside } else { Zone::Unknown };
        }
        if self.is_beside_root(&place.whole) {
            return Zone::Outside;
        }
        match (first, second) {
            ("tmp", second) if !is_everything(second) => Zone::Temporary,
            ("var", "tmp" | "folders") | ("private", "tmp" | "var") | ("dev", "shm") => Zone::Temporary,
            ("dev", "null" | "stdout" | "stderr" | "stdin" | "tty" | "fd" | "full" | "zero") => Zone::Sink,
            ("dev", "tcp" | "udp") => Zone::Outside,
            ("dev", _) | ("proc", "sysrq-trigger") => Zone::Device,
            _ if first.starts_with(UNKNOWN) => Zone::Unknown,
            _ => Zone::System,
        }
    }

    /// Whether a path lies with the repository in the same folder for temporary files, which is then more than that.
    fn is_beside_root(&self, path: &str) -> bool {
        let below_tmp = |path: &str| {
            path.strip_prefix("/tmp/").and_then(|rest| rest.split('/').next()).map(str::to_owned)
        };
        let root = below_tmp(&normal(&self.root));
        root.is_some() && root == below_tmp(path)
    }

    /// Whether a path is the repository or a folder that it lies in.
    pub(crate) fn holds_root(&self, place: &Place) -> bool {
        let root = home_as_tilde(&normal(&self.root));
        place.inside.as_deref() == Some("")
            || root.strip_prefix(place.whole.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
    }

    /// Whether a path belongs to premath or configures hooks, and what it is called then.
    pub(crate) fn own(&self, place: &Place) -> Option<&'static str> {
        let own_folder = |folder: &String| {
            let folder = home_as_tilde(&normal(folder));
            place.whole.strip_prefix(&folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if self.own_folders.iter().any(own_folder) {
            return Some("premath's own state");
        }
        names::own(place).or_else(|| {
            let mut hooks = self.protected.iter().filter(|protected| protected.has_hooks);
            hooks.any(|hooks| place.could_contain(&hooks.path)).then_some("the configuration of hooks")
        })
    }

    /// Whether a path of the repository is protected, or lies below one that is.
    pub(crate) fn is_protected(&self, place: &Place) -> bool {
        let Some(inside) = place.inside.as_deref().filter(|inside| !inside.is_empty()) else { return false };
        self.protected.iter().any(|protected| {
            let mut parts = inside.split('/');
            protected.path.split('/').all(|name| parts.next().is_some_and(|part| could_be(part, name)))
        })
    }

    /// Whether a path is one that holds credentials.
    pub(crate) fn is_secret(&self, place: &Place) -> bool {
        names::is_secret(place)
    }

    /// Whether what stands in a path is run later: at login, by a timer, by a service.
    pub(crate) fn is_startup(&self, place: &Place) -> bool {
        names::is_startup(place)
    }

    /// Whether a folder of the repository holds what a build makes again.
    pub(crate) fn is_generated(&self, place: &Place) -> bool {
        place.inside.as_deref().is_some_and(names::is_generated)
    }

    /// Whether a name is that of a file that can be made again or is rubbish.
    pub(crate) fn is_disposable(&self, name: &str) -> bool {
        names::is_disposable(name)
    }
}

impl Place {
    /// Its names from the first.
    pub(crate) fn parts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.whole.split('/').filter(|part| !part.is_empty())
    }

    /// The last name.
    pub(crate) fn name(&self) -> &str {
        self.parts().next_back().unwrap_or_default()
    }

    /// Whether a name could be among those of the path.
    pub(crate) fn could_have(&self, name: &str) -> bool {
        self.parts().any(|part| could_be(part, name))
    }

    /// Whether names could come one after the other among those of the path.
    fn could_contain(&self, names: &str) -> bool {
        let (parts, names): (Vec<&str>, Vec<&str>) = (self.parts().collect(), names.split('/').collect());
        let is_there = |window: &[&str]| window.iter().zip(&names).all(|(part, name)| could_be(part, name));
        parts.windows(names.len()).any(is_there)
    }

    /// Whether the last name stands for all there is in a folder.
    pub(crate) fn is_everything(&self) -> bool {
        is_everything(self.name())
    }
}

/// The home folder of any user as `~`.
fn home_as_tilde(path: &str) -> String {
    let mut parts = path.split('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(""), Some("home" | "Users"), Some(user)) if !user.is_empty() => {
            let rest: Vec<&str> = parts.collect();
            if rest.is_empty() { "~".to_owned() } else { format!("~/{}", rest.join("/")) }
        }
        (Some(""), Some("root"), first) => {
            let rest: Vec<&str> = first.into_iter().chain(parts).collect();
            if rest.is_empty() { "~".to_owned() } else { format!("~/{}", rest.join("/")) }
        }
        _ => path.to_owned(),
    }
}

/// Whether a name stands for all there is in a folder.
fn is_everything(name: &str) -> bool {
    name.is_empty()
        || name == "."
        || (name.contains(STAR) && name.chars().all(|one| is_mark(one) || one == '.'))
}

/// A path without `.`, `..` and doubled slashes.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "~" && !last.contains(UNKNOWN)) => {
                parts.pop();
            }
            ".." if parts.is_empty() && path.starts_with('/') => {}
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}
