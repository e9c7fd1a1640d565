//! The twin of a workdir in memory, for tests: the same promises, no disk.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{EntryKind, FileContent, FileEntry, FileError, WorkFile, WorkFiles};

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    File(FileContent),
    Folder,
    Link,
}

/// Files in memory. Links lead nowhere: they are there to be refused.
#[derive(Debug, Default)]
pub struct MemoryFiles(Mutex<BTreeMap<String, Node>>);

impl MemoryFiles {
    /// An empty workdir.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts a file there, with the folders it lies in.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.put_node(path, Node::File(FileContent { bytes: bytes.into(), executable: false }));
    }

    /// Puts a link there.
    pub fn put_link(&self, path: &str) {
        self.put_node(path, Node::Link);
    }

    /// Every file by its path.
    #[must_use]
    pub fn all(&self) -> BTreeMap<String, FileContent> {
        let file = |(path, node): (&String, &Node)| match node {
            Node::File(content) => Some((path.clone(), content.clone())),
            Node::Folder | Node::Link => None,
        };
        self.nodes().iter().filter_map(file).collect()
    }

    /// Every folder.
    #[must_use]
    pub fn folders(&self) -> Vec<String> {
        let nodes = self.nodes();
        nodes.iter().filter(|(_, node)| **node == Node::Folder).map(|(path, _)| path.clone()).collect()
    }

    fn nodes(&self) -> MutexGuard<'_, BTreeMap<String, Node>> {
        // A test that panicked elsewhere leaves whole nodes behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_node(&self, path: &str, node: Node) {
        let mut nodes = self.nodes();
        for (end, _) in path.match_indices('/') {
            nodes.insert(path.get(..end).unwrap_or_default().to_owned(), Node::Folder);
        }
        nodes.insert(path.to_owned(), node);
    }

    fn node(&self, path: &str) -> Result<Node, FileError> {
        if path == "." {
            return Ok(Node::Folder);
        }
        let nodes = self.nodes();
        above(&nodes, path)?;
        nodes.get(path).cloned().ok_or_else(|| FileError::Missing { path: path.to_owned() })
    }
}

/// Holds that the folder of a path is one.
fn above(nodes: &BTreeMap<String, Node>, path: &str) -> Result<(), FileError> {
    let Some((folder, _)) = path.rsplit_once('/') else {
        return Ok(());
    };
    match nodes.get(folder) {
        Some(Node::Folder) => Ok(()),
        Some(Node::File(_) | Node::Link) => {
            let why = "it goes through something that is no folder".to_owned();
            Err(FileError::Invalid { path: path.to_owned(), why })
        }
        None => Err(FileError::Missing { path: path.to_owned() }),
    }
}

fn entry(path: &str, node: &Node) -> FileEntry {
    let name = path.rsplit('/').next().unwrap_or(path).to_owned();
    match node {
        Node::File(content) => {
            let length = u64::try_from(content.bytes.len()).unwrap_or(u64::MAX);
            FileEntry { name, kind: EntryKind::File, length }
        }
        Node::Folder => FileEntry { name, kind: EntryKind::Folder, length: 0 },
        Node::Link => FileEntry { name, kind: EntryKind::Link, length: 0 },
    }
}

impl WorkFiles for MemoryFiles {
    fn metadata(&self, path: &str) -> Result<FileEntry, FileError> {
        self.node(path).map(|node| entry(path, &node))
    }

    fn list(&self, path: &str) -> Result<Vec<FileEntry>, FileError> {
        match self.node(path)? {
            Node::Folder => {}
            Node::File(_) | Node::Link => {
                return Err(FileError::WrongKind { path: path.to_owned(), wanted: "folder" });
            }
        }
        let prefix = if path == "." { String::new() } else { format!("{path}/") };
        let nodes = self.nodes();
        let here = nodes
            .iter()
            .filter(|(path, _)| path.strip_prefix(&prefix).is_some_and(|name| !name.contains('/')));
        Ok(here.map(|(path, node)| entry(path, node)).collect())
    }

    fn open(&self, path: &str) -> Result<Box<dyn WorkFile>, FileError> {
        Ok(Box::new(Cursor::new(self.read(path, u64::MAX)?.bytes)))
    }

    fn read(&self, path: &str, limit: u64) -> Result<FileContent, FileError> {
        match self.node(path)? {
            Node::File(content) if u64::try_from(content.bytes.len()).is_ok_and(|length| length <= limit) => {
                Ok(content)
            }
            Node::File(_) => Err(FileError::TooLong { path: path.to_owned(), limit }),
            Node::Folder | Node::Link => {
                Err(FileError::WrongKind { path: path.to_owned(), wanted: "regular file" })
            }
        }
    }

    fn create(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        let mut nodes = self.nodes();
        above(&nodes, path)?;
        if nodes.contains_key(path) {
            return Err(FileError::Exists { path: path.to_owned() });
        }
        nodes.insert(path.to_owned(), Node::File(content.clone()));
        Ok(())
    }

    fn replace(&self, path: &str, content: &FileContent) -> Result<(), FileError> {
        let mut nodes = self.nodes();
        above(&nodes, path)?;
        if nodes.get(path) == Some(&Node::Folder) {
            return Err(FileError::WrongKind { path: path.to_owned(), wanted: "regular file" });
        }
        nodes.insert(path.to_owned(), Node::File(content.clone()));
        Ok(())
    }

    fn remove(&self, path: &str) -> Result<(), FileError> {
        let mut nodes = self.nodes();
        let prefix = format!("{path}/");
        if nodes.keys().any(|other| other.starts_with(&prefix)) {
            let source = std::io::Error::from(std::io::ErrorKind::DirectoryNotEmpty);
            return Err(FileError::System { path: path.to_owned(), source });
        }
        let gone = nodes.remove(path);
        gone.map(|_| ()).ok_or_else(|| FileError::Missing { path: path.to_owned() })
    }

    fn make_folder(&self, path: &str) -> Result<(), FileError> {
        let mut nodes = self.nodes();
        above(&nodes, path)?;
        if nodes.contains_key(path) {
            return Err(FileError::Exists { path: path.to_owned() });
        }
        nodes.insert(path.to_owned(), Node::Folder);
        Ok(())
    }
}
