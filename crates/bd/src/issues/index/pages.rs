//! A file in pages, each with a checksum: half-written, damaged or foreign pages are noticed before they are believed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;

use premath_kernel::sha256;

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

fn sum(number: u64, body: &[u8]) -> [u8; SUM] {
    let mut bytes = Vec::with_capacity(SUM + body.len());
    bytes.extend_from_slice(&number.to_le_bytes());
    bytes.extend_from_slice(body);
    let [a, b, c, d, e, f, g, h, ..] = sha256(&bytes);
    [a, b, c, d, e, f, g, h]
}

/// A file of pages, read as the bytes it was made from.
#[derive(Debug)]
pub(super) struct Pages {
    file: Box<dyn DiskFile>,
    read: RefCell<BTreeMap<u64, Rc<[u8]>>>,
}

impl Pages {
    pub(super) fn new(file: Box<dyn DiskFile>) -> Self {
        Self { file, read: RefCell::default() }
    }

    /// Lets `look` see some bytes, without copying them where one page holds them all.
    pub(super) fn look<T>(&self, offset: u64, length: usize, look: impl FnOnce(&[u8]) -> T) -> io::Result<T> {
        let body = u64::try_from(BODY).unwrap_or(u64::MAX);
        let within = usize::try_from(offset % body).unwrap_or_default();
        if within + length <= BODY {
            let page = self.page(offset / body)?;
            return Ok(look(page.get(within..within + length).unwrap_or_default()));
        }
        Ok(look(&self.bytes(offset, length)?))
    }

    /// Some bytes from a place on.
    pub(super) fn bytes(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let body = u64::try_from(BODY).unwrap_or(u64::MAX);
        let mut bytes = Vec::with_capacity(length);
        let mut at = offset;
        while bytes.len() < length {
            let page = self.page(at / body)?;
            let within = usize::try_from(at % body).unwrap_or_default();
            let end = (within + length - bytes.len()).min(BODY);
            let part = page.get(within..end).unwrap_or_default();
            bytes.extend_from_slice(part);
            at += u64::try_from(part.len()).unwrap_or_default();
        }
        Ok(bytes)
    }

    fn page(&self, number: u64) -> io::Result<Rc<[u8]>> {
        if let Some(page) = self.read.borrow().get(&number) {
            return Ok(Rc::clone(page));
        }
        let mut page = vec![0; PAGE];
        let offset = number * u64::try_from(PAGE).unwrap_or(u64::MAX);
        read_exactly(self.file.as_ref(), &mut page, offset)?;
        let body = checked(number, &page)?;
        let body: Rc<[u8]> = Rc::from(body);
        self.read.borrow_mut().insert(number, Rc::clone(&body));
        Ok(body)
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

fn checked(number: u64, page: &[u8]) -> io::Result<&[u8]> {
    match page.split_at_checked(SUM) {
        Some((claimed, body)) if body.len() == BODY && claimed == sum(number, body).as_slice() => Ok(body),
        _ => Err(io::Error::new(io::ErrorKind::InvalidData, format!("page {number} is damaged"))),
    }
}
