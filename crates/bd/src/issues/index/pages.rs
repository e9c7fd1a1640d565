//! A file in pages, each with a checksum: half-written, damaged or foreign pages are noticed before they are believed.

use std::cell::RefCell;
use std::io;

use crate::disk::{DiskFile, read_exactly};

const PAGE: usize = 4096;
const SUM: usize = 8;
const BODY: usize = PAGE - SUM;

/// The bytes cut into pages. The last one is filled up with zeroes.
pub(super) fn paged(bytes: &[u8]) -> Vec<u8> {
    let mut pages = Vec::with_capacity((bytes.len() / BODY + 1) * PAGE);
    for (body, number) in bytes.chunks(BODY).zip(0_u64..) {
        let mut page = body.to_vec();
        page.resize(BODY, 0);
        pages.extend_from_slice(&sum(number, &page));
        pages.append(&mut page);
    }
    pages
}

/// The number of the page and the CRC of both: a page that is damaged, or stands in another's place, does not fit. It
/// guards against accidents. Against people nothing here could: whoever can write the index can write all of it.
fn sum(number: u64, body: &[u8]) -> [u8; SUM] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(body);
    let [a, b, c, d] = hasher.finalize().to_le_bytes();
    let [e, f, g, h, ..] = number.to_le_bytes();
    [a, b, c, d, e, f, g, h]
}

/// A file of pages, read as the bytes it was made from.
#[derive(Debug)]
pub(super) struct Pages {
    file: Box<dyn DiskFile>,
    /// The pages that were read, by number.
    read: RefCell<Vec<Option<Box<[u8]>>>>,
}

impl Pages {
    pub(super) fn new(file: Box<dyn DiskFile>) -> Self {
        Self { file, read: RefCell::default() }
    }

    /// Lets `look` see some bytes, without copying them where one page holds them all.
    pub(super) fn look<T>(&self, offset: u64, length: usize, look: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        let (page, within) = position(offset);
        if within + length <= BODY {
            return self.page(page, |body| look(body.get(within..within + length).unwrap_or_default()));
        }
        Ok(look(&self.bytes(offset, length)?))
    }

    /// Some bytes from a place on.
    pub(super) fn bytes(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(length);
        let (mut page, mut within) = position(offset);
        while bytes.len() < length {
            let end = (within + length - bytes.len()).min(BODY);
            self.page(page, |body| bytes.extend_from_slice(body.get(within..end).unwrap_or_default()))?;
            (page, within) = (page + 1, 0);
        }
        Ok(bytes)
    }

    fn page<T>(&self, number: usize, look: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        if let Some(Some(page)) = self.read.borrow().get(number) {
            return Ok(look(page));
        }
        let mut page = vec![0; PAGE];
        let number_wide = u64::try_from(number).unwrap_or(u64::MAX);
        let offset = number_wide.saturating_mul(u64::try_from(PAGE).unwrap_or(u64::MAX));
        read_exactly(self.file.as_ref(), &mut page, offset)?;
        let body: Box<[u8]> = Box::from(checked(number_wide, &page)?);
        let answer = look(&body);
        let mut read = self.read.borrow_mut();
        if read.len() <= number {
            read.resize(number + 1, None);
        }
        if let Some(place) = read.get_mut(number) {
            *place = Some(body);
        }
        Ok(answer)
    }

    /// Everything, without keeping it.
    pub(super) fn everything(&self) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.file.stat()?.length).unwrap_or(usize::MAX);
        let mut pages = vec![0; length];
        read_exactly(self.file.as_ref(), &mut pages, 0)?;
        let mut bytes = Vec::with_capacity(length);
        for (page, number) in pages.chunks(PAGE).zip(0_u64..) {
            bytes.extend_from_slice(checked(number, page)?);
        }
        Ok(bytes)
    }
}

/// The page a byte is on, and where on it.
fn position(offset: u64) -> (usize, usize) {
    let offset = usize::try_from(offset).unwrap_or(usize::MAX);
    (offset / BODY, offset % BODY)
}

fn checked(number: u64, page: &[u8]) -> io::Result<&[u8]> {
    match page.split_at_checked(SUM) {
        Some((claimed, body)) if body.len() == BODY && claimed == sum(number, body).as_slice() => Ok(body),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("page {number} is damaged"))),
    }
}
