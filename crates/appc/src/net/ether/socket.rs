//! The raw socket of an interface, as the system has it.
//!
//! Reference: packet(7).

use crate::Error;
use sna::dlc::mac::Mac;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Frames with an LLC header, in the kernel's words.
const ETH_P_802_2: u16 = 0x0004;

/// Opens a raw socket on `interface`, whose number is given, too.
pub(super) fn open(interface: &str) -> Result<(OwnedFd, u32), Error> {
    let fail = |what: &str| {
        let why = io::Error::last_os_error();
        let hint = match why.raw_os_error() {
            Some(libc::EPERM | libc::EACCES) => {
                " (a raw socket needs CAP_NET_RAW: run as root, or \
                 `setcap cap_net_raw+ep` the program; DLSw over TCP needs no privilege)"
            }
            _ => "",
        };
        Error::Socket(format!("interface {interface}: {what}{why}{hint}"))
    };
    let flags = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // SAFETY: plain system call; the result is checked before it is owned.
    let fd = unsafe { libc::socket(libc::AF_PACKET, flags, i32::from(ETH_P_802_2.to_be())) };
    if fd < 0 {
        return Err(fail("no raw socket: "));
    }
    // SAFETY: `fd` was just opened and no other code owns it.
    let socket = unsafe { OwnedFd::from_raw_fd(fd) };
    let name = std::ffi::CString::new(interface)
        .map_err(|_| Error::config("interface", interface, "no such interface"))?;
    // SAFETY: `name` is a string with a terminating zero.
    let index = unsafe { libc::if_nametoindex(name.as_ptr()) };
    if index == 0 {
        return Err(fail(""));
    }
    // SAFETY: all-zero bytes are a valid value of this plain structure.
    let mut to: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
    to.sll_family = libc::AF_PACKET as u16;
    to.sll_protocol = ETH_P_802_2.to_be();
    to.sll_ifindex = index as i32;
    // SAFETY: the pointer and the length name `to`.
    let bound = unsafe {
        libc::bind(
            socket.as_raw_fd(),
            (&raw const to).cast(),
            size_of::<libc::sockaddr_ll>() as u32,
        )
    };
    if bound != 0 {
        return Err(fail("cannot bind: "));
    }
    promiscuous(&socket, index);
    Ok((socket, index))
}

/// Reads one frame; how many bytes it has.
pub(super) fn receive(socket: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the pointer and length name `buffer`.
    let read = unsafe {
        libc::recv(
            socket.as_raw_fd(),
            buffer.as_mut_ptr().cast(),
            buffer.len(),
            0,
        )
    };
    usize::try_from(read).map_err(|_| io::Error::last_os_error())
}

/// Sends one frame.
pub(super) fn send(socket: &OwnedFd, frame: &[u8]) -> io::Result<()> {
    // SAFETY: the pointer and length name `frame`.
    let sent = unsafe { libc::send(socket.as_raw_fd(), frame.as_ptr().cast(), frame.len(), 0) };
    match sent {
        ..0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// The interface's own address, from the system.
pub(super) fn hardware_address(interface: &str) -> Option<Mac> {
    let text = std::fs::read_to_string(format!("/sys/class/net/{interface}/address")).ok()?;
    let mut bytes = text
        .trim()
        .split(':')
        .map(|part| u8::from_str_radix(part, 16));
    let mut mac = [0; 6];
    for byte in &mut mac {
        *byte = bytes.next()?.ok()?;
    }
    (mac != [0; 6]).then_some(mac)
}

/// Enables frames to an address other than the interface's own. If the interface
/// does not support it, nothing changes.
fn promiscuous(socket: &OwnedFd, index: u32) {
    let wish = libc::packet_mreq {
        mr_ifindex: index as i32,
        mr_type: libc::PACKET_MR_PROMISC as u16,
        mr_alen: 0,
        mr_address: [0; 8],
    };
    // SAFETY: the pointer and length describe `wish`.
    unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_ADD_MEMBERSHIP,
            (&raw const wish).cast(),
            size_of::<libc::packet_mreq>() as u32,
        );
    }
}
