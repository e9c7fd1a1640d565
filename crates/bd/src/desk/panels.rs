//! The panels that a person has open. A view of the workspace, nobody's authority: it is replaced as a whole.

use premath_kernel::{Object, Value};
use rusqlite::params;

use super::answer::{DeskAnswer, DeskRefusalClass, Stop};
use super::database::Desk;
use super::file::FileType;
use crate::error::StoreError;
use crate::permit::MaintenanceGrant;

/// The most panels that are open at once.
pub const MOST_PANELS: usize = 5;

/// An open panel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Panel {
    /// What the client calls it.
    pub panel_id: String,
    /// The file in it.
    pub file_id: String,
    /// What is written on it.
    pub label: String,
    /// Whether the person looks at it.
    pub is_focused: bool,
    /// Whether the person keeps it.
    pub is_pinned: bool,
}

impl Panel {
    /// As it is shown, with the type of its file.
    #[must_use]
    pub fn to_value(&self, file_type: FileType) -> Value<'_> {
        Object::fields()
            .field("fileId", self.file_id.as_str())
            .field("fileType", file_type.token())
            .field("focused", self.is_focused)
            .field("label", self.label.as_str())
            .field("panelId", self.panel_id.as_str())
            .field("pinned", self.is_pinned)
            .finish()
    }
}

impl Desk {
    /// The open panels in their order, with the types of their files. A panel whose file is deleted is not open.
    ///
    /// # Errors
    /// A database that failed.
    pub fn panels(&self) -> Result<Vec<(Panel, FileType)>, StoreError> {
        self.read(|connection| {
            let query = "SELECT panel_id, file, label, is_focused, is_pinned, files.type FROM panels
                 JOIN files ON files.id = panels.file WHERE files.deleted_at IS NULL ORDER BY position";
            let mut statement = connection.prepare(query)?;
            let mut rows = statement.query([])?;
            let mut panels = Vec::new();
            while let Some(row) = rows.next()? {
                let token: String = row.get(5)?;
                let file_type = FileType::from_token(&token)
                    .ok_or_else(|| Stop::Damaged(format!("`{token}` is no type of a file")))?;
                let panel = Panel {
                    panel_id: row.get(0)?,
                    file_id: row.get(1)?,
                    label: row.get(2)?,
                    is_focused: row.get(3)?,
                    is_pinned: row.get(4)?,
                };
                panels.push((panel, file_type));
            }
            Ok(panels)
        })
    }

    /// These panels are open from now on, and no others.
    ///
    /// # Errors
    /// A database that failed. Refuses too many, two of one name, two with the focus, and files that are not there.
    pub fn set_panels(&self, _grant: MaintenanceGrant, panels: &[Panel]) -> DeskAnswer<()> {
        self.write(|writing| {
            let focused = panels.iter().filter(|panel| panel.is_focused).count();
            if panels.len() > MOST_PANELS || focused > 1 {
                let detail = format!("{} panels, {focused} with the focus", panels.len());
                return Err(Stop::refused(DeskRefusalClass::Invalid, detail));
            }
            writing.transaction.execute("DELETE FROM panels", [])?;
            for (position, panel) in panels.iter().enumerate() {
                let insert = "INSERT INTO panels(position, panel_id, file, label, is_focused, is_pinned)
                     SELECT ?1, ?2, files.id, ?4, ?5, ?6 FROM files
                     WHERE files.id = ?3 AND files.deleted_at IS NULL ON CONFLICT DO NOTHING";
                let position = i64::try_from(position).unwrap_or(i64::MAX);
                let (id, file, label) = (&panel.panel_id, &panel.file_id, &panel.label);
                let row = params![position, id, file, label, panel.is_focused, panel.is_pinned];
                if writing.transaction.execute(insert, row)? == 0 {
                    let detail = format!("panel `{}` is there twice, or its file is not", id.escape_debug());
                    return Err(Stop::refused(DeskRefusalClass::Invalid, detail));
                }
            }
            Ok(Ok(()))
        })
    }
}
