//! Who a server is that a repository names: its command, and what is in the files of the repository that it starts from.
//!
//! A command line stays the same when the script behind it becomes another: whoever changes the repository would change what
//! is started. Files elsewhere are the person's own, and a server that the person's own file names is not looked at here.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use premath_bd::{Access, Disk, read_to_end};
use premath_kernel::{Digest, Object, Value};
use premath_tusk::tools::foreign::{ForeignServer, Reach};

use crate::workspace::Workspace;

/// The longest file that is held to what it was; of a longer one, its length and its beginning.
const LOOKED_AT: usize = 64 << 20;

/// The files of a repository.
#[derive(Debug)]
pub(crate) struct RepositoryFiles {
    disk: Arc<dyn Disk>,
    root: PathBuf,
}

impl RepositoryFiles {
    pub(crate) fn of(workspace: &Workspace) -> Self {
        Self { disk: Arc::clone(&workspace.disk), root: workspace.root.clone() }
    }

    /// Who a server is, as a person is shown it.
    pub(crate) fn identity(&self, server: &ForeignServer) -> Value<'static> {
        let identity = server.identity().into_owned();
        let files = if server.is_own { Vec::new() } else { self.started_from(&server.reach) };
        if files.is_empty() {
            return identity;
        }
        let members = identity.as_object().into_iter().flat_map(Object::iter);
        let known = members.map(|(name, value)| (name.to_owned().into(), value.borrowed().into_owned()));
        let files = Value::from(files.into_iter().map(Value::from).collect::<Vec<_>>());
        let all = known.chain([("files".into(), files)]).collect();
        Object::from_members(all).map_or(identity, Value::from)
    }

    /// The digest of who it is.
    pub(crate) fn identity_digest(&self, server: &ForeignServer) -> Digest {
        Digest::prefixed("srv1_", &self.identity(server))
    }

    /// The files of the repository that a command names, a line each, in the order it names them.
    fn started_from(&self, reach: &Reach) -> Vec<String> {
        let Reach::Program { program, arguments, folder, .. } = reach else { return Vec::new() };
        // A program without a folder before it is looked for elsewhere.
        let program = program.contains('/').then_some(program);
        let named = program.into_iter().chain(arguments);
        named.filter_map(|name| self.line(&plain(&Path::new(folder).join(name)))).collect()
    }

    fn line(&self, path: &Path) -> Option<String> {
        let within = self.within(path)?;
        let file = self.disk.open(path, Access::Read).ok()?;
        let length = file.stat().ok()?.length;
        // A folder can be opened, and not read.
        let bytes = read_to_end(file.as_ref(), 0, LOOKED_AT).ok()?;
        Some(format!("{} {} {length}", within.display(), Digest::of_bytes(&bytes).as_str()))
    }

    /// Where in the repository a path is: by its own words, by the folder it is in, or by where it leads. A link of the
    /// repository to something elsewhere can be changed like any other file.
    fn within(&self, path: &Path) -> Option<PathBuf> {
        let real = |path: &Path| self.disk.real_path(path).ok();
        let in_folder = || Some(real(path.parent()?)?.join(path.file_name()?));
        let root = real(if self.root.as_os_str().is_empty() { Path::new(".") } else { &self.root })?;
        let found = [Some(path.to_owned()), in_folder(), real(path)];
        found.into_iter().flatten().find_map(|path| path.strip_prefix(&root).ok().map(Path::to_owned))
    }
}

/// A path without `.` and `..`, as it is written: links are followed when it is opened.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}
