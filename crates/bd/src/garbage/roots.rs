//! Everything outside the object store that may cite an object: the files of `.premath`, artifacts, policies, issue memory
//! wherever it is, and every text of the desk's database.
//!
//! Files are read as bytes, damaged ones too: a line that cannot be parsed still keeps what it cites. A file that cannot be
//! read stops the search, because nobody knows what it cites. It must not change anything.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::digest_scan::DigestScan;
use crate::desk::Desk;
use crate::disk::{Access, DiskFile};
use crate::error::StoreError;
use crate::objects::ObjectId;
use crate::verify::{Repository, issue_files};

/// How much is read at once.
const BLOCK: usize = 256 * 1024;
/// Files that only help others, by how their names end: what they say is said in the file they help.
const HELPERS: [&str; 3] = [".lock", ".head", ".index"];
/// The database and its own files, which are read through SQLite.
const DATABASE: &str = "desk.db";

/// Hands every digest that is cited outside the object store to `found`; `progress` hears of every file.
///
/// # Errors
/// `Io` when something cannot be read; `Corrupt` for a damaged desk.
pub(super) fn each_cited(
    repository: &Repository,
    found: &mut dyn FnMut(ObjectId),
    progress: &mut dyn FnMut(u64),
) -> Result<(), StoreError> {
    let objects = repository.objects().folder().to_owned();
    let mut folders = vec![repository.folder(), repository.root.join("artifacts")];
    folders.push(repository.root.join("policies"));
    while let Some(folder) = folders.pop() {
        for entry in entries(repository, &folder)? {
            let path = folder.join(&entry.name);
            if entry.is_folder {
                folders.extend((path != objects).then_some(path));
            } else if !is_helper(&entry.name) {
                progress(scan_file(repository, &path, found)?);
            }
        }
    }
    for path in issue_files(&repository.issues) {
        progress(scan_file(repository, &path, found)?);
    }
    scan_desk(repository, found)
}

fn is_helper(name: &str) -> bool {
    HELPERS.iter().any(|suffix| name.ends_with(suffix)) || name.starts_with(DATABASE)
}

fn entries(repository: &Repository, folder: &Path) -> Result<Vec<crate::disk::FolderEntry>, StoreError> {
    match repository.disk.list(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(StoreError::io("list", folder)),
    }
}

/// The bytes that were read; none of a file that is gone.
fn scan_file(
    repository: &Repository,
    path: &Path,
    found: &mut dyn FnMut(ObjectId),
) -> Result<u64, StoreError> {
    match repository.disk.open(path, Access::Read) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        opened => {
            let file = opened.map_err(StoreError::io("open", path))?;
            scan_content(file.as_ref(), found).map_err(StoreError::io("read", path))
        }
    }
}

/// Reads a file to its end, as far as it goes now.
pub(super) fn scan_content(file: &dyn DiskFile, found: &mut dyn FnMut(ObjectId)) -> io::Result<u64> {
    let mut scan = DigestScan::default();
    let mut block = vec![0; BLOCK];
    let mut offset = 0_u64;
    loop {
        match file.read_at(&mut block, offset) {
            Ok(0) => return Ok(offset),
            Ok(count) => {
                scan.feed(block.get(..count).unwrap_or_default(), found);
                offset += u64::try_from(count).unwrap_or(u64::MAX);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn scan_desk(repository: &Repository, found: &mut dyn FnMut(ObjectId)) -> Result<(), StoreError> {
    let path = repository.folder().join(Desk::FILE_NAME);
    let (clock, ids) = (Arc::clone(&repository.clock), Arc::clone(&repository.ids));
    let desk = match Desk::open_existing(&path, clock, ids) {
        Err(StoreError::Missing { .. }) => return Ok(()),
        opened => opened?,
    };
    desk.each_text(&mut |text| DigestScan::default().feed(text, found))
}
