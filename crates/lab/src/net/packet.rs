//! Frames straight from and to an interface: an `AF_PACKET` socket that reads
//! many frames a call, each with the kernel's time stamp.
//!
//! Reference: packet(7), recvmmsg(2), `SO_TIMESTAMPNS` in socket(7).

use std::ffi::CString;
use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// A packet socket of one interface of the namespace it was opened in.
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
    hardware: u16,
}

/// Room for the frames of one read.
pub struct FrameBatch {
    room: Vec<u8>,
    snap_bytes: usize,
    frames: Vec<FrameMeta>,
}

/// One frame of a batch.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Time stamp of the kernel, ns since 1970.
    pub time_ns: u64,
    /// Length on the wire.
    pub wire_bytes: usize,
    /// Whether this host sent it.
    pub outgoing: bool,
    /// The bytes, as many as fit.
    pub bytes: &'a [u8],
}

#[derive(Clone, Copy, Default)]
struct FrameMeta {
    time_ns: u64,
    wire_bytes: usize,
    outgoing: bool,
}

/// Which frames a socket sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSelection {
    /// All that pass the interface.
    Both,
    /// Only incoming frames, so that a forwarder does not read its own.
    Incoming,
}

impl PacketSocket {
    /// Opens an interface. Needs CAP_NET_RAW.
    pub fn open(interface: &str, seen: FrameSelection) -> io::Result<PacketSocket> {
        let name = CString::new(interface)?;
        // SAFETY: the name is ended by a zero.
        let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
        if index == 0 {
            return Err(io::Error::last_os_error());
        }
        // Protocol 0: nothing is received before the socket is bound.
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: makes a descriptor, owned from here on.
        let fd = unsafe {
            match libc::socket(libc::AF_PACKET, kind, 0) {
                -1 => return Err(io::Error::last_os_error()),
                fd => OwnedFd::from_raw_fd(fd),
            }
        };
        set(&fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1)?;
        // A size above the limit for ordinary users is not guaranteed.
        let _ = set(&fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BUFFER_BYTES);
        if seen == FrameSelection::Incoming {
            set(&fd, libc::SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)?;
        }
        // SAFETY: all zero is a valid `sockaddr_ll`, as are these values.
        let mut address: libc::sockaddr_ll = unsafe { zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index as i32;
        let mut length = size_of::<libc::sockaddr_ll>() as libc::socklen_t;
        // SAFETY: the address and its length belong together in both calls.
        let bound = unsafe {
            let to = (&raw mut address).cast::<libc::sockaddr>();
            match libc::bind(fd.as_raw_fd(), to, length) {
                0 => libc::getsockname(fd.as_raw_fd(), to, &raw mut length),
                failed => failed,
            }
        };
        if bound != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(PacketSocket {
            fd,
            hardware: address.sll_hatype,
        })
    }

    /// The interface's kind of hardware, as ARPHRD_ numbers have it.
    pub fn hardware(&self) -> u16 {
        self.hardware
    }

    /// Reads available frames without waiting.
    pub fn receive(&self, batch: &mut FrameBatch) -> io::Result<usize> {
        batch.frames.clear();
        let mut control = [ControlBuffer([0; CONTROL_BYTES]); BATCH];
        // SAFETY: all zero is valid for these plain structures of the kernel.
        let (mut from, mut pieces, mut messages) = unsafe {
            (
                zeroed::<[libc::sockaddr_ll; BATCH]>(),
                zeroed::<[libc::iovec; BATCH]>(),
                zeroed::<[libc::mmsghdr; BATCH]>(),
            )
        };
        for i in 0..BATCH {
            let room = &mut batch.room[i * batch.snap_bytes..(i + 1) * batch.snap_bytes];
            pieces[i].iov_base = room.as_mut_ptr().cast();
            pieces[i].iov_len = room.len();
            let header = &mut messages[i].msg_hdr;
            header.msg_name = (&raw mut from[i]).cast();
            header.msg_namelen = size_of::<libc::sockaddr_ll>() as u32;
            header.msg_iov = &raw mut pieces[i];
            header.msg_iovlen = 1;
            header.msg_control = control[i].0.as_mut_ptr().cast();
            header.msg_controllen = CONTROL_BYTES as _;
        }
        // MSG_TRUNC makes the length that of the wire.
        let flags = libc::MSG_DONTWAIT | libc::MSG_TRUNC;
        // SAFETY: every header points to room that outlives the call.
        let count = unsafe {
            libc::recvmmsg(
                self.fd.as_raw_fd(),
                messages.as_mut_ptr(),
                BATCH as u32,
                flags as _,
                std::ptr::null_mut(),
            )
        };
        let Ok(count) = usize::try_from(count) else {
            let error = io::Error::last_os_error();
            return match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(0),
                _ => Err(error),
            };
        };
        for i in 0..count {
            batch.frames.push(FrameMeta {
                time_ns: stamp(&messages[i].msg_hdr),
                wire_bytes: messages[i].msg_len as usize,
                outgoing: from[i].sll_pkttype == libc::PACKET_OUTGOING,
            });
        }
        Ok(count)
    }

    /// Sends one whole frame. Returns whether the interface accepted it.
    pub fn send(&self, frame: &[u8]) -> bool {
        // SAFETY: the bytes outlive the call.
        let sent = unsafe {
            libc::send(
                self.fd.as_raw_fd(),
                frame.as_ptr().cast(),
                frame.len(),
                libc::MSG_NOSIGNAL,
            )
        };
        usize::try_from(sent).is_ok_and(|n| n == frame.len())
    }

    /// Frames that found no room since the last call.
    pub fn dropped(&self) -> u64 {
        let mut stats = [0u32; 2];
        let mut length = size_of::<[u32; 2]>() as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes into `stats`.
        let got = unsafe {
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                PACKET_STATISTICS,
                stats.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if got == 0 { stats[1].into() } else { 0 }
    }
}

impl AsRawFd for PacketSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

impl FrameBatch {
    /// Room for frames of up to `snap_bytes`; longer ones are cut.
    pub fn new(snap_bytes: usize) -> FrameBatch {
        let snap_bytes = snap_bytes.max(1);
        FrameBatch {
            room: vec![0; snap_bytes * BATCH],
            snap_bytes,
            frames: Vec::with_capacity(BATCH),
        }
    }

    /// The frames of the last read.
    pub fn frames(&self) -> impl Iterator<Item = Frame<'_>> {
        let rooms = self.room.chunks(self.snap_bytes);
        self.frames.iter().zip(rooms).map(|(meta, room)| Frame {
            time_ns: meta.time_ns,
            wire_bytes: meta.wire_bytes,
            outgoing: meta.outgoing,
            bytes: &room[..meta.wire_bytes.min(room.len())],
        })
    }
}

/// Waits until one of the descriptors has something to read or was hung up.
/// Returns for each descriptor whether it is ready.
pub fn wait<const N: usize>(fds: [RawFd; N], timeout: Option<Duration>) -> io::Result<[bool; N]> {
    let mut polled = fds.map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    let timeout = timeout.map(|t| libc::timespec {
        tv_sec: t.as_secs() as _,
        tv_nsec: t.subsec_nanos() as _,
    });
    let limit = timeout
        .as_ref()
        .map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: both structures outlive the call, and N is the array's length.
    let ready = unsafe { libc::ppoll(polled.as_mut_ptr(), N as _, limit, std::ptr::null()) };
    if ready < 0 {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
        return Ok([false; N]);
    }
    Ok(polled.map(|p| p.revents != 0))
}

/// The time stamp in a message's control data; otherwise the current time.
fn stamp(header: &libc::msghdr) -> u64 {
    // SAFETY: the kernel filled the control data of this header.
    unsafe {
        let mut at = libc::CMSG_FIRSTHDR(header);
        while let Some(control) = at.as_ref() {
            if (control.cmsg_level, control.cmsg_type) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS)
            {
                let time: libc::timespec = libc::CMSG_DATA(at)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                return time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
            }
            at = libc::CMSG_NXTHDR(header, at);
        }
    }
    drive::clock::wall()
}

fn set(fd: &OwnedFd, level: i32, option: i32, value: i32) -> io::Result<()> {
    // SAFETY: the value outlives the call and has the size that is reported.
    let done = unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            level,
            option,
            (&raw const value).cast(),
            size_of::<i32>() as libc::socklen_t,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Control data, aligned as its headers want it.
#[repr(align(8))]
#[derive(Clone, Copy)]
struct ControlBuffer([u8; CONTROL_BYTES]);

/// Frames per read: enough to make the cost of a call small.
const BATCH: usize = 64;
/// One time stamp and room to spare.
const CONTROL_BYTES: usize = 64;
/// Holds a second of a few hundred Mb/s.
const BUFFER_BYTES: i32 = 16 << 20;
/// linux/if_packet.h; newer than the libc crate's list for some targets.
const PACKET_IGNORE_OUTGOING: i32 = 23;
const PACKET_STATISTICS: i32 = 6;
