//! A file in pages, each with a checksum that also covers its number and what the file is about: a torn, damaged or
//! foreign page is noticed before it is believed.

use std::io;

use sha2::Digest as _;

use crate::disk::{DiskFile, read_exactly, write_all_at};

pub(super) const PAGE: usize = 4096;
pub(super) const SUM: usize = 16;
/// What a page holds.
pub(super) const BODY: usize = PAGE - SUM;
/// Writing happens in blocks of so many bytes.
const BLOCK: usize = 64 * PAGE;

/// What binds pages to one file.
pub(super) type Salt = [u8; SUM];

pub(super) fn checksum(salt: &Salt, number: u64, body: &[u8]) -> Salt {
    let mut hasher = sha2::Sha256::new_with_prefix(salt);
    hasher.update(number.to_le_bytes());
    hasher.update(body);
    let whole: [u8; 32] = hasher.finalize().into();
    whole.first_chunk().copied().unwrap_or_default()
}

/// One page's body; `None` when it cannot be read or believed.
pub(super) fn read_page(file: &dyn DiskFile, salt: &Salt, number: u64) -> Option<Vec<u8>> {
    let mut page = vec![0; PAGE];
    let offset = number.checked_mul(u64::try_from(PAGE).ok()?)?;
    read_exactly(file, &mut page, offset).ok()?;
    let sum = page.split_off(BODY);
    (checksum(salt, number, &page).as_slice() == sum).then_some(page)
}

/// Pages being written one after another.
#[derive(Debug)]
pub(super) struct PageWriter {
    file: Box<dyn DiskFile>,
    salt: Salt,
    /// Pages before the pending ones.
    number: u64,
    body: Vec<u8>,
    pending: Vec<u8>,
    written: u64,
}

impl PageWriter {
    pub(super) fn new(file: Box<dyn DiskFile>, salt: Salt) -> Self {
        Self {
            file,
            salt,
            number: 0,
            body: Vec::with_capacity(BODY),
            pending: Vec::with_capacity(BLOCK),
            written: 0,
        }
    }

    /// Pages from here on are bound to this.
    pub(super) fn bind(&mut self, salt: Salt) {
        self.salt = salt;
    }

    /// Adds an item, which never lies across two pages.
    pub(super) fn item(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.body.len() + bytes.len() > BODY {
            self.end_page()?;
        }
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    /// Fills the page that was begun, if one was; what follows stands on the next.
    pub(super) fn end_page(&mut self) -> io::Result<()> {
        if self.body.is_empty() {
            return Ok(());
        }
        self.body.resize(BODY, 0);
        self.pending.extend_from_slice(&self.body);
        self.pending.extend_from_slice(&checksum(&self.salt, self.number, &self.body));
        self.body.clear();
        self.number += 1;
        if self.pending.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        write_all_at(self.file.as_mut(), &self.pending, self.written)?;
        self.written += u64::try_from(self.pending.len()).unwrap_or(u64::MAX);
        self.pending.clear();
        Ok(())
    }

    /// The file, whole.
    pub(super) fn finish(mut self) -> io::Result<Box<dyn DiskFile>> {
        self.end_page()?;
        self.flush()?;
        Ok(self.file)
    }
}
