//! The socket between parent and helper: one plan with its descriptors down, messages up, each behind its length.
//!
//! It must not block for ever on the parent's side: the parent reads what has arrived and comes back.

use std::io::{self, IoSlice, IoSliceMut, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::raw;

/// Longer than any plan that `execve` would take.
const LONGEST: usize = 16 * 1024 * 1024;

/// Sends a document and descriptors with it.
pub(crate) fn send_with_descriptors<T: Serialize>(
    socket: &mut UnixStream,
    document: &T,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let raw: Vec<i32> = descriptors.iter().map(|one| one.as_fd().as_raw_fd()).collect();
    let mark = [IoSlice::new(b"P")];
    let rights = [ControlMessage::ScmRights(&raw)];
    sendmsg::<UnixAddr>(socket.as_raw_fd(), &mark, &rights, MsgFlags::MSG_NOSIGNAL, None)?;
    send(socket, document)
}

/// Sends a document.
pub(crate) fn send<T: Serialize>(socket: &mut UnixStream, document: &T) -> io::Result<()> {
    let body = serde_json::to_vec(document)?;
    if body.len() > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the command is too long"));
    }
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    let mut frame = length.to_le_bytes().to_vec();
    frame.extend_from_slice(&body);
    socket.write_all(&frame)
}

/// Receives a document and `count` descriptors.
pub(crate) fn receive_with_descriptors<T: DeserializeOwned>(
    socket: &mut UnixStream,
    count: usize,
) -> io::Result<(T, Vec<OwnedFd>)> {
    let mut mark = [0_u8; 1];
    let mut space = nix::cmsg_space!([i32; 8]);
    let descriptors = {
        let mut parts = [IoSliceMut::new(&mut mark)];
        let flags = MsgFlags::MSG_CMSG_CLOEXEC;
        let message = recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
        let mut all = Vec::new();
        for control in message.cmsgs()? {
            if let ControlMessageOwned::ScmRights(received) = control {
                all.extend(raw::adopt(&received));
            }
        }
        all
    };
    if mark != *b"P" || descriptors.len() != count {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "no plan arrived"));
    }
    let mut length = [0_u8; 4];
    socket.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the plan is too long"));
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body)?;
    Ok((serde_json::from_slice(&body)?, descriptors))
}

/// Puts documents together from the bytes that arrive.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    pending: Vec<u8>,
}

impl Frames {
    /// Takes bytes as they arrive.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next whole document, if there is one.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some((length, rest)) = self.pending.split_first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(io::Error::other)?;
        if length > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let document = serde_json::from_slice(body)?;
        self.pending.drain(..length + 4);
        Ok(Some(document))
    }
}
