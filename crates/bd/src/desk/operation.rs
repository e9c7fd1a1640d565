//! The changes of files and folders that the desk knows, as data. The canonical arguments are what an intent names by
//! digest, so a permit for one change fits no other.

use premath_kernel::{Digest, Object, Value};

use super::cells::{CellUpdate, Cells};
use crate::issues::counted;
use crate::permit::{Permitted, args_digest};

/// A passage that takes the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What is there, word for word; it must be there exactly once.
    pub old: String,
    /// What takes its place.
    pub new: String,
}

/// How a text changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextChange {
    /// Another text.
    Content(String),
    /// Some passages, one after the other.
    Patch(Vec<Edit>),
}

/// One change of the desk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// A new text.
    CreateMarkdown {
        /// What to call it.
        name: String,
        /// Where; none at the top.
        folder: Option<String>,
        /// The text.
        content: String,
    },
    /// A new spreadsheet.
    CreateSpreadsheet {
        /// What to call it.
        name: String,
        /// Where; none at the top.
        folder: Option<String>,
        /// Its cells.
        cells: Cells,
    },
    /// A new folder.
    CreateFolder {
        /// What to call it.
        name: String,
        /// Where; none at the top.
        parent: Option<String>,
    },
    /// Another text.
    UpdateMarkdown {
        /// Which file.
        file: String,
        /// The version that was read.
        version: u64,
        /// What becomes of it.
        change: TextChange,
    },
    /// Other values.
    UpdateCells {
        /// Which file.
        file: String,
        /// The version that was read.
        version: u64,
        /// The values.
        updates: Vec<CellUpdate>,
    },
    /// Another name.
    RenameFile {
        /// Which file.
        file: String,
        /// What to call it.
        name: String,
        /// The version that was seen, where it matters.
        version: Option<u64>,
    },
    /// A file less. It is kept, and can be restored at any age.
    DeleteFile {
        /// Which file.
        file: String,
        /// The version that was seen, where it matters.
        version: Option<u64>,
    },
    /// A folder less, with everything in it. It is kept, and can be restored at any age.
    DeleteFolder {
        /// Which folder.
        folder: String,
    },
    /// A file as it was.
    RestoreFile {
        /// Which file.
        file: String,
        /// The version to go back to; when absent, only the deletion is taken back.
        version: Option<u64>,
    },
    /// A folder, with everything that was deleted with it.
    RestoreFolder {
        /// Which folder.
        folder: String,
    },
}

impl Operation {
    /// The host action it is.
    #[must_use]
    pub const fn action(&self) -> &'static str {
        match self {
            Self::CreateMarkdown { .. } => "desk.create_markdown",
            Self::CreateSpreadsheet { .. } => "desk.create_spreadsheet",
            Self::CreateFolder { .. } => "desk.create_folder",
            Self::UpdateMarkdown { .. } => "desk.update_markdown",
            Self::UpdateCells { .. } => "desk.update_cells",
            Self::RenameFile { .. } => "desk.rename_file",
            Self::DeleteFile { .. } => "desk.delete_file",
            Self::DeleteFolder { .. } => "desk.delete_folder",
            Self::RestoreFile { .. } => "desk.restore_file",
            Self::RestoreFolder { .. } => "desk.restore_folder",
        }
    }

    /// The file or folder that it changes; none for a new one.
    #[must_use]
    pub fn item(&self) -> Option<&str> {
        match self {
            Self::CreateMarkdown { .. } | Self::CreateSpreadsheet { .. } | Self::CreateFolder { .. } => None,
            Self::UpdateMarkdown { file, .. }
            | Self::UpdateCells { file, .. }
            | Self::RenameFile { file, .. }
            | Self::DeleteFile { file, .. }
            | Self::RestoreFile { file, .. } => Some(file),
            Self::DeleteFolder { folder } | Self::RestoreFolder { folder } => Some(folder),
        }
    }

    /// The digest of its canonical arguments: what an intent for it names.
    #[must_use]
    pub fn args_digest(&self) -> Digest {
        args_digest(&self.args())
    }

    /// Its arguments in normal form.
    #[must_use]
    pub fn args(&self) -> Value<'_> {
        let fields = Object::fields();
        match self {
            Self::CreateMarkdown { name, folder, content } => fields
                .field("content", content.as_str())
                .optional("folder", folder.as_deref())
                .field("name", name.as_str()),
            Self::CreateSpreadsheet { name, folder, cells } => fields
                .field("cells", cells.value())
                .optional("folder", folder.as_deref())
                .field("name", name.as_str()),
            Self::CreateFolder { name, parent } => {
                fields.field("name", name.as_str()).optional("parent", parent.as_deref())
            }
            Self::UpdateMarkdown { file, version, change } => {
                let fields = fields.field("file", file.as_str()).field("version", counted(*version));
                match change {
                    TextChange::Content(content) => fields.field("content", content.as_str()),
                    TextChange::Patch(edits) => {
                        fields.field("patch", edits.iter().map(Edit::canonical).collect::<Vec<_>>())
                    }
                }
            }
            Self::UpdateCells { file, version, updates } => fields
                .field("file", file.as_str())
                .field("updates", updates.iter().map(CellUpdate::canonical).collect::<Vec<_>>())
                .field("version", counted(*version)),
            Self::RenameFile { file, name, version } => fields
                .field("file", file.as_str())
                .field("name", name.as_str())
                .optional("version", version.map(counted)),
            Self::DeleteFile { file, version } | Self::RestoreFile { file, version } => {
                fields.field("file", file.as_str()).optional("version", version.map(counted))
            }
            Self::DeleteFolder { folder } | Self::RestoreFolder { folder } => {
                fields.field("folder", folder.as_str())
            }
        }
        .finish()
    }
}

impl Permitted for Operation {
    fn action(&self) -> &'static str {
        Self::action(self)
    }

    fn args_digest(&self) -> Digest {
        Self::args_digest(self)
    }

    fn is_about_a_lease(&self) -> bool {
        false
    }
}

impl Edit {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("new", self.new.as_str()).field("old", self.old.as_str()).finish()
    }
}

impl CellUpdate {
    fn canonical(&self) -> Value<'_> {
        Object::fields().field("cell", self.cell.as_str()).field("value", self.value.borrowed()).finish()
    }
}
