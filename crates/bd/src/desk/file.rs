//! Files, folders and versions as they are: what is known of them, and what a name may be.

use premath_kernel::{Moment, Object, Value};
use premath_wire::time::format_time;
use rusqlite::Row;

use super::answer::Stop;
use super::database::from_stored;
use crate::issues::counted;

/// The most characters of a name.
pub const LONGEST_NAME: usize = 200;
/// The most bytes of a content.
pub const LONGEST_CONTENT: usize = 4 * 1024 * 1024;

/// Whether a file or a folder may be called that: something, not too long, on one line.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let length = name.chars().count();
    (1..=LONGEST_NAME).contains(&length) && name.trim() == name && !name.chars().any(char::is_control)
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileType {
    /// Cells.
    Spreadsheet,
    /// Text.
    Markdown,
}

impl FileType {
    /// Every one of them.
    pub const ALL: [Self; 2] = [Self::Spreadsheet, Self::Markdown];

    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Spreadsheet => "spreadsheet",
            Self::Markdown => "markdown",
        }
    }

    /// The type of that token.
    #[must_use]
    pub fn from_token(token: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.token() == token)
    }
}

/// Whose work a thing is. What a run made becomes a person's as soon as a person changes its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A person's.
    Person,
    /// A run's.
    Bot,
}

impl Origin {
    /// The token on the wire.
    #[must_use]
    pub const fn token(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Bot => "bot",
        }
    }

    fn from_token(token: &str) -> Result<Self, Stop> {
        [Self::Person, Self::Bot]
            .into_iter()
            .find(|known| known.token() == token)
            .ok_or_else(|| Stop::Damaged(format!("`{token}` is no origin")))
    }
}

/// What is known of a file, apart from its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeskFile {
    /// `fil_` and twelve hexadecimal digits.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What it is.
    pub file_type: FileType,
    /// The folder it is in; none at the top.
    pub folder: Option<String>,
    /// Whose work it is.
    pub origin: Origin,
    /// The run or the person that made it.
    pub created_by: String,
    /// When it was made.
    pub created_at: Moment,
    /// When it was last changed.
    pub updated_at: Moment,
    /// How often it was changed, its making included.
    pub version: u64,
    /// The digest of its content.
    pub digest: String,
    /// How long its content is.
    pub bytes: u64,
    /// When it was deleted.
    pub deleted_at: Option<Moment>,
}

/// The columns that [`DeskFile::read`] wants, in its order.
pub(super) const FILE_COLUMNS: &str = "files.id, files.name, files.type, files.folder, files.origin, \
     files.created_by, files.created_at, files.updated_at, files.version, files.digest, files.bytes, files.deleted_at";

impl DeskFile {
    pub(super) fn read(row: &Row<'_>) -> Result<Self, Stop> {
        let token: String = row.get(2)?;
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            file_type: FileType::from_token(&token)
                .ok_or_else(|| Stop::Damaged(format!("`{token}` is no type of a file")))?,
            folder: row.get(3)?,
            origin: Origin::from_token(&row.get::<_, String>(4)?)?,
            created_by: row.get(5)?,
            created_at: from_stored(row.get(6)?),
            updated_at: from_stored(row.get(7)?),
            version: unsigned(row.get(8)?)?,
            digest: row.get(9)?,
            bytes: unsigned(row.get(10)?)?,
            deleted_at: row.get::<_, Option<i64>>(11)?.map(from_stored),
        })
    }

    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("bytes", counted(self.bytes))
            .field("createdAt", format_time(self.created_at))
            .field("createdBy", self.created_by.as_str())
            .optional("deletedAt", self.deleted_at.map(format_time))
            .field("digest", self.digest.as_str())
            .optional("folder", self.folder.as_deref())
            .field("id", self.id.as_str())
            .field("name", self.name.as_str())
            .field("origin", self.origin.token())
            .field("type", self.file_type.token())
            .field("updatedAt", format_time(self.updated_at))
            .field("version", counted(self.version))
            .finish()
    }
}

/// What is known of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// `fol_` and twelve hexadecimal digits.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// The folder it is in; none at the top.
    pub parent: Option<String>,
    /// Whose work it is.
    pub origin: Origin,
    /// The run or the person that made it.
    pub created_by: String,
    /// When it was made.
    pub created_at: Moment,
    /// When it was deleted.
    pub deleted_at: Option<Moment>,
}

/// The columns that [`Folder::read`] wants, in its order.
pub(super) const FOLDER_COLUMNS: &str = "folders.id, folders.name, folders.parent, folders.origin, \
     folders.created_by, folders.created_at, folders.deleted_at";

impl Folder {
    pub(super) fn read(row: &Row<'_>) -> Result<Self, Stop> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            parent: row.get(2)?,
            origin: Origin::from_token(&row.get::<_, String>(3)?)?,
            created_by: row.get(4)?,
            created_at: from_stored(row.get(5)?),
            deleted_at: row.get::<_, Option<i64>>(6)?.map(from_stored),
        })
    }

    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("createdAt", format_time(self.created_at))
            .field("createdBy", self.created_by.as_str())
            .optional("deletedAt", self.deleted_at.map(format_time))
            .field("id", self.id.as_str())
            .field("name", self.name.as_str())
            .field("origin", self.origin.token())
            .optional("parent", self.parent.as_deref())
            .finish()
    }
}

/// A file or a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A file.
    File(DeskFile),
    /// A folder.
    Folder(Folder),
}

impl Item {
    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        match self {
            Self::File(file) => &file.id,
            Self::Folder(folder) => &folder.id,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::File(file) => &file.name,
            Self::Folder(folder) => &folder.name,
        }
    }

    /// Whether it is deleted.
    #[must_use]
    pub const fn is_deleted(&self) -> bool {
        match self {
            Self::File(file) => file.deleted_at.is_some(),
            Self::Folder(folder) => folder.deleted_at.is_some(),
        }
    }

    /// What it is, as targets name it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::File(_) => "desk_file",
            Self::Folder(_) => "desk_folder",
        }
    }

    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        match self {
            Self::File(file) => file.to_value(),
            Self::Folder(folder) => folder.to_value(),
        }
    }
}

/// A file as it was after one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// Its number, from 1.
    pub version: u64,
    /// What the file was called.
    pub name: String,
    /// The digest of its content.
    pub digest: String,
    /// How long its content was.
    pub bytes: u64,
    /// Whether that change deleted it.
    pub is_deleted: bool,
    /// When it was.
    pub at: Moment,
    /// The host action.
    pub action: String,
    /// Who did it.
    pub actor: String,
    /// On what authority, as members.
    pub authority: Value<'static>,
}

impl Version {
    /// As it is shown.
    #[must_use]
    pub fn to_value(&self) -> Value<'_> {
        Object::fields()
            .field("action", self.action.as_str())
            .field("actor", self.actor.as_str())
            .field("at", format_time(self.at))
            .field("authority", self.authority.borrowed())
            .field("bytes", counted(self.bytes))
            .field("digest", self.digest.as_str())
            .field("isDeleted", self.is_deleted)
            .field("name", self.name.as_str())
            .field("version", counted(self.version))
            .finish()
    }
}

/// A count out of a table.
pub(super) fn unsigned(stored: i64) -> Result<u64, Stop> {
    u64::try_from(stored).map_err(|_| Stop::Damaged(format!("{stored} is no count")))
}

/// A count as a table keeps it.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
