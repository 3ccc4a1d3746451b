//! The socket next to the shared memory: whole messages with descriptors.
//!
//! A pair of SOCK_SEQPACKET sockets, so a message is never cut or joined.
//! Its first use is to hand a worker its memory; later both sides may pass
//! descriptors under a tag of their choice. Reference: unix(7), cmsg(3).

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};

/// Most descriptors in a message, as the kernel has it.
const MAX_FDS: usize = 253;
const CONTROL_BYTES: usize = 1024 + 64;

/// One end of the pair.
#[derive(Debug)]
pub struct LinkSocket(OwnedFd);

impl LinkSocket {
    /// Makes a pair: the region's end and the worker's.
    pub fn pair() -> io::Result<(LinkSocket, LinkSocket)> {
        let mut fds: [RawFd; 2] = [-1; 2];
        let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
        // SAFETY: room for two descriptors.
        if unsafe { libc::socketpair(libc::AF_UNIX, kind, 0, fds.as_mut_ptr()) } < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: two fresh descriptors.
        unsafe {
            Ok((
                LinkSocket(OwnedFd::from_raw_fd(fds[0])),
                LinkSocket(OwnedFd::from_raw_fd(fds[1])),
            ))
        }
    }

    /// Sends a tag with descriptors.
    pub fn send(&self, tag: u64, fds: &[BorrowedFd<'_>]) -> io::Result<()> {
        if fds.len() > MAX_FDS {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut bytes = tag.to_le_bytes();
        let mut control = Control([0; CONTROL_BYTES]);
        let mut part = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        // SAFETY: every pointer in the header is to a live local of the size
        // said; the control buffer has room for the most descriptors.
        let rc = unsafe {
            let mut header: libc::msghdr = std::mem::zeroed();
            header.msg_iov = &mut part;
            header.msg_iovlen = 1;
            if !fds.is_empty() {
                let payload = std::mem::size_of_val(fds) as u32;
                header.msg_control = control.0.as_mut_ptr().cast();
                header.msg_controllen = libc::CMSG_SPACE(payload) as _;
                let first = libc::CMSG_FIRSTHDR(&header);
                (*first).cmsg_level = libc::SOL_SOCKET;
                (*first).cmsg_type = libc::SCM_RIGHTS;
                (*first).cmsg_len = libc::CMSG_LEN(payload) as _;
                let data = libc::CMSG_DATA(first).cast::<RawFd>();
                for (i, fd) in fds.iter().enumerate() {
                    data.add(i).write_unaligned(fd.as_raw_fd());
                }
            }
            libc::sendmsg(self.0.as_raw_fd(), &header, libc::MSG_NOSIGNAL)
        };
        if rc < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Receives a message. Errors: `UnexpectedEof` if the other side has closed
    /// it; `WouldBlock` if `wait` is false and no message is there.
    pub fn receive(&self, wait: bool) -> io::Result<(u64, Vec<OwnedFd>)> {
        let mut bytes = [0u8; 8];
        let mut control = Control([0; CONTROL_BYTES]);
        let mut part = libc::iovec {
            iov_base: bytes.as_mut_ptr().cast(),
            iov_len: bytes.len(),
        };
        let flags = libc::MSG_CMSG_CLOEXEC | if wait { 0 } else { libc::MSG_DONTWAIT };
        let mut fds = Vec::new();
        // SAFETY: as in `send`; descriptors are taken over once each.
        let got = unsafe {
            let mut header: libc::msghdr = std::mem::zeroed();
            header.msg_iov = &mut part;
            header.msg_iovlen = 1;
            header.msg_control = control.0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_BYTES as _;
            let got = libc::recvmsg(self.0.as_raw_fd(), &mut header, flags);
            if got < 0 {
                return Err(io::Error::last_os_error());
            }
            let mut message = libc::CMSG_FIRSTHDR(&header);
            while !message.is_null() {
                let rights = (*message).cmsg_level == libc::SOL_SOCKET
                    && (*message).cmsg_type == libc::SCM_RIGHTS;
                if rights {
                    let data = libc::CMSG_DATA(message).cast::<RawFd>();
                    let payload = (*message).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
                    for i in 0..payload / std::mem::size_of::<RawFd>() {
                        fds.push(OwnedFd::from_raw_fd(data.add(i).read_unaligned()));
                    }
                }
                message = libc::CMSG_NXTHDR(&header, message);
            }
            got as usize
        };
        match got {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            8 => Ok((u64::from_le_bytes(bytes), fds)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

impl From<OwnedFd> for LinkSocket {
    fn from(fd: OwnedFd) -> Self {
        LinkSocket(fd)
    }
}

impl From<LinkSocket> for OwnedFd {
    fn from(socket: LinkSocket) -> Self {
        socket.0
    }
}

impl AsFd for LinkSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Control data is read as `cmsghdr`s, which want their alignment.
#[repr(C, align(16))]
struct Control([u8; CONTROL_BYTES]);

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_descriptor_passed_is_the_same_file() {
        let (a, b) = LinkSocket::pair().unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        a.send(42, &[writer.as_fd()]).unwrap();
        drop(writer);
        let (tag, mut fds) = b.receive(true).unwrap();
        assert_eq!((tag, fds.len()), (42, 1));
        std::fs::File::from(fds.remove(0)).write_all(b"x").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
    }

    #[test]
    fn an_empty_and_a_closed_socket_are_distinguished() {
        let (a, b) = LinkSocket::pair().unwrap();
        let error = b.receive(false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        drop(a);
        let error = b.receive(false).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
