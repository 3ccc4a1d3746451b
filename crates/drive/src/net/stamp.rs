//! The kernel's time stamp of what a socket received.
//!
//! The stamp is taken when the packet with the last byte enters the receiving
//! host's network stack, so a late read by the driver does not lengthen the time on
//! the wire. Reference: socket(7), SO_TIMESTAMPNS;
//! Documentation/networking/timestamping.rst. rustix has no names for it.

use rustix::fd::{AsFd, AsRawFd, BorrowedFd};
use std::io;

/// Enables stamps. Returns `false` if the kernel does not support them for this
/// socket.
pub fn enable(fd: BorrowedFd<'_>) -> bool {
    let on: libc::c_int = 1;
    // SAFETY: an int and its size.
    let rc = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    rc == 0
}

/// Reads. The second figure is the wall clock time in ns at which the last byte
/// arrived, or 0 if the kernel gave none.
pub fn recv(fd: impl AsFd, buffer: &mut [u8]) -> io::Result<(usize, u64)> {
    let mut part = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // Words, so that the headers in it are aligned.
    let mut control = [0u64; CONTROL_WORDS];
    // SAFETY: all zeros are a valid msghdr, which has private padding.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    // SAFETY: the message names one buffer and the control words, which live
    // until the call is over.
    let n = unsafe { libc::recvmsg(fd.as_fd().as_raw_fd(), &mut message, 0) };
    if n < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok((n as usize, stamp(&message)))
}

fn stamp(message: &libc::msghdr) -> u64 {
    // SAFETY: the kernel filled the control words; the macros stay inside.
    let mut header = unsafe { libc::CMSG_FIRSTHDR(message) };
    while !header.is_null() {
        // SAFETY: not null, so a header inside the control words.
        let (level, kind) = unsafe { ((*header).cmsg_level, (*header).cmsg_type) };
        if level == libc::SOL_SOCKET && kind == libc::SCM_TIMESTAMPNS {
            // SAFETY: this kind of message holds a timespec, aligned or not.
            let at = unsafe {
                libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned()
            };
            return at.tv_sec as u64 * 1_000_000_000 + at.tv_nsec as u64;
        }
        // SAFETY: as above.
        header = unsafe { libc::CMSG_NXTHDR(message, header) };
    }
    0
}

/// Space for a header and a timespec, with reserve.
const CONTROL_WORDS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn the_stamp_lies_between_sending_and_reading() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let reader = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(enable(reader.as_fd()));
        let (mut writer, _) = listener.accept().unwrap();
        let mut buffer = [0u8; 64];
        // The kernel enables stamping asynchronously after the first
        // request for it: late on a busy machine.
        for _ in 0..1_000_000 {
            let before = clock::wall();
            writer.write_all(b"five!").unwrap();
            let (n, at) = recv(&reader, &mut buffer).unwrap();
            assert_eq!(n, 5);
            if at != 0 {
                assert!((before..=clock::wall()).contains(&at));
                return;
            }
        }
        panic!("no packet was stamped");
    }

    #[test]
    fn a_socket_that_did_not_ask_gets_none() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (reader, _) = listener.accept().unwrap();
        writer.write_all(b"x").unwrap();
        assert_eq!(recv(&reader, &mut [0u8; 8]).unwrap(), (1, 0));
    }
}
