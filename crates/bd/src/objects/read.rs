//! Reading objects: as a stream that ends in an error when the content is not what its name says, or a part of one.

use std::io::{self, Read};

use sha2::Digest as _;

use super::{BLOCK, ObjectId, Objects};
use crate::disk::{DiskFile, read_exactly};
use crate::error::StoreError;

/// The content of an object from its start. The end is an error when the digest does not fit.
#[derive(Debug)]
pub struct ObjectReader {
    file: Box<dyn DiskFile>,
    id: ObjectId,
    size: u64,
    offset: u64,
    progress: Progress,
}

/// How far the content was compared with its name.
#[derive(Debug)]
enum Progress {
    Hashing(Box<sha2::Sha256>),
    Ended(ObjectId),
}

impl ObjectReader {
    /// Its length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Read for ObjectReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.file.read_at(buffer, self.offset)?;
        self.offset += u64::try_from(count).unwrap_or(u64::MAX);
        let found = match &mut self.progress {
            Progress::Hashing(hasher) if count > 0 => {
                hasher.update(buffer.get(..count).unwrap_or_default());
                return Ok(count);
            }
            Progress::Hashing(hasher) => {
                ObjectId::from_hash(std::mem::take(hasher.as_mut()).finalize().into())
            }
            Progress::Ended(found) => *found,
        };
        self.progress = Progress::Ended(found);
        if found == self.id {
            return Ok(0);
        }
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("{} holds {found}", self.id)))
    }
}

impl Objects {
    /// Opens an object for reading from its start.
    ///
    /// # Errors
    /// `Missing` when it is not there; `Io`.
    pub fn open(&self, id: &ObjectId) -> Result<ObjectReader, StoreError> {
        let path = self.path_of(id);
        let file = self.find(id)?.ok_or_else(|| StoreError::Missing { path: path.clone() })?;
        let size = file.stat().map_err(StoreError::io("look at", &path))?.length;
        Ok(ObjectReader { file, id: *id, size, offset: 0, progress: Progress::Hashing(Box::default()) })
    }

    /// A part of an object: at most `length` bytes from `offset` on, fewer at its end. Not checked against the digest,
    /// because that takes all of it.
    ///
    /// # Errors
    /// `Missing` when it is not there; `Io`.
    pub fn read_range(&self, id: &ObjectId, offset: u64, length: usize) -> Result<Vec<u8>, StoreError> {
        let path = self.path_of(id);
        let file = self.find(id)?.ok_or_else(|| StoreError::Missing { path: path.clone() })?;
        let size = file.stat().map_err(StoreError::io("look at", &path))?.length;
        let left = usize::try_from(size.saturating_sub(offset)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; left.min(length)];
        read_exactly(file.as_ref(), &mut bytes, offset).map_err(StoreError::io("read", &path))?;
        Ok(bytes)
    }

    /// Reads an object to its end and compares it with its name; answers its length.
    ///
    /// # Errors
    /// `Missing` when it is not there; `Corrupt` when the content is not what its name says; `Io`.
    pub fn verify(&self, id: &ObjectId) -> Result<u64, StoreError> {
        let path = self.path_of(id);
        let mut reader = self.open(id)?;
        let mut block = vec![0; BLOCK];
        loop {
            match reader.read(&mut block) {
                Ok(0) => return Ok(reader.offset),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    return Err(StoreError::corrupt(&path, error.to_string()));
                }
                Err(error) => return Err(StoreError::io("read", &path)(error)),
            }
        }
    }
}
