//! Disables hardware offload of a virtual interface: segmentation, coalescing and
//! checksums. Then captured frames have the size of the wire and complete
//! checksums, so that a forwarder can pass them on.
//!
//! Reference: linux/ethtool.h, the commands of `SIOCETHTOOL`.

use crate::error::LabError;
use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

/// Switches everything off on an interface of the calling thread's namespace.
pub fn switch_off(interface: &str) -> Result<(), LabError> {
    let failed = |error| LabError::system(format!("switching offloads of {interface} off"))(error);
    let socket = UdpSocket::bind(("0.0.0.0", 0)).map_err(failed)?;
    for command in OFF {
        let mut value = EthtoolValue { command, data: 0 };
        // SAFETY: all zero is a valid `ifreq`.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        if interface.len() >= request.ifr_name.len() {
            return Err(failed(io::ErrorKind::InvalidInput.into()));
        }
        for (to, from) in request.ifr_name.iter_mut().zip(interface.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_data = (&raw mut value).cast();
        // SAFETY: the request names an interface, ended by a zero, and points
        // to a value that outlives the call.
        let answer =
            unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCETHTOOL, &raw mut request) };
        let error = io::Error::last_os_error();
        // An unsupported feature is off already.
        if answer != 0 && error.raw_os_error() != Some(libc::EOPNOTSUPP) {
            return Err(failed(error));
        }
    }
    Ok(())
}

#[repr(C)]
struct EthtoolValue {
    command: u32,
    data: u32,
}

/// ETHTOOL_STSO, ETHTOOL_SGSO, ETHTOOL_SGRO, ETHTOOL_SSG, ETHTOOL_STXCSUM,
/// ETHTOOL_SRXCSUM. Checksums are last, because the others depend on them.
const OFF: [u32; 6] = [0x1f, 0x24, 0x2c, 0x19, 0x17, 0x15];
