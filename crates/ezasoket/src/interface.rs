//! IOCTL's questions about network interfaces.
//!
//! ```text
//!   IFREQ       name (16) | family u16 | port u16 | address u32 | zeros (8)
//!               or, after the name: flags u16 | metric u32 | MTU u32
//!   name index  total u32 | entries u32, and each entry:
//!               index u32 | name (16) | null | zeros (3)
//! ```
//!
//! SIOCGIFCONF returns an IFREQ for each interface that has an address of IPv4;
//! the rest of REQARG is zeros. Integers are big-endian, names have trailing
//! blanks. Only sockets of AF_INET have interfaces with such addresses; names
//! and indexes are the same for all sockets.
//!
//! Reference: IP CICS Sockets Guide, IOCTL, "IOCTL call arguments"; ioctl(2) and
//! netdevice(7) for the system's data.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use crate::{AF_INET, Errno, Socket};

/// A query about interfaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InterfaceQuery {
    /// SIOCGIFADDR: its address.
    Address,
    /// SIOCGIFBRDADDR: its broadcast address.
    Broadcast,
    /// SIOCGIFDSTADDR: the other end of a point-to-point link.
    Destination,
    /// SIOCGIFNETMASK: its network's mask.
    Netmask,
    /// SIOCGIFFLAGS: its flags.
    Flags,
    /// SIOCGIFMETRIC: its metric.
    Metric,
    /// SIOCGIFMTU: its largest packet.
    Mtu,
    /// SIOCGIFCONF: all that have an address.
    List,
    /// SIOCGIFNAMEINDEX: all of them, by name and index.
    NameIndex,
}

/// Bytes of an IFREQ.
pub const IFREQ_BYTES: usize = 32;

const NAME_BYTES: usize = 16;
/// Most elements that SIOCGIFCONF gives.
const MOST: usize = 100;
/// Bytes of an entry of SIOCGIFNAMEINDEX, and of the header before the entries.
const ENTRY_BYTES: usize = 24;
const HEADER_BYTES: usize = 8;

impl InterfaceQuery {
    /// Returns `true` if REQARG is the length of RETARG, not an IFREQ.
    pub fn requests_all(self) -> bool {
        matches!(self, InterfaceQuery::List | InterfaceQuery::NameIndex)
    }

    /// The ioctl of the query.
    fn request(self) -> libc::Ioctl {
        match self {
            InterfaceQuery::Address => 0x8915,
            InterfaceQuery::Broadcast => 0x8919,
            InterfaceQuery::Destination => 0x8917,
            InterfaceQuery::Netmask => 0x891B,
            InterfaceQuery::Flags => 0x8913,
            InterfaceQuery::Metric => 0x891D,
            InterfaceQuery::Mtu => 0x8921,
            InterfaceQuery::List => 0x8912,
            InterfaceQuery::NameIndex => 0x8933,
        }
    }
}

impl Socket {
    /// IOCTL about interfaces: RETARG. `reqarg` is an IFREQ, `room` the bytes
    /// of RETARG for those that ask for all.
    pub fn interfaces(
        &self,
        query: InterfaceQuery,
        reqarg: &[u8],
        room: i64,
    ) -> Result<Vec<u8>, Errno> {
        if query != InterfaceQuery::NameIndex && self.kind().family != AF_INET {
            return Err(Errno::EINVAL);
        }
        let room = usize::try_from(room).unwrap_or(0);
        match query {
            InterfaceQuery::List => self.list(room),
            InterfaceQuery::NameIndex => name_index(room),
            _ => self.one(query, reqarg),
        }
    }

    fn one(&self, query: InterfaceQuery, reqarg: &[u8]) -> Result<Vec<u8>, Errno> {
        let name = reqarg.get(..NAME_BYTES).ok_or(Errno::EFAULT)?;
        let name = name.split(|b| matches!(b, b' ' | 0)).next();
        let mut asked = Ifreq::named(name.unwrap_or_default())?;
        self.ioctl(InterfaceQuery::Flags.request(), &mut asked)?;
        let flags = asked.short();
        let needed = match query {
            InterfaceQuery::Broadcast => libc::IFF_BROADCAST,
            InterfaceQuery::Destination => libc::IFF_POINTOPOINT,
            _ => 0,
        };
        if libc::c_int::from(flags) & needed != needed {
            return Err(Errno::EINVAL);
        }
        self.ioctl(query.request(), &mut asked)?;
        let mut out = padded(asked.name()).to_vec();
        match query {
            InterfaceQuery::Flags => {
                out.extend_from_slice(&(flags & OLD_FLAGS).to_be_bytes());
            }
            // Linux has none; BSD's default is 0 as well.
            InterfaceQuery::Metric | InterfaceQuery::Mtu => {
                out.extend_from_slice(&asked.int().to_be_bytes());
            }
            _ => out.extend_from_slice(&asked.address()),
        }
        out.resize(IFREQ_BYTES, 0);
        Ok(out)
    }

    fn list(&self, room: usize) -> Result<Vec<u8>, Errno> {
        let count = (room / IFREQ_BYTES).min(MOST);
        if count == 0 {
            return Err(Errno::EINVAL);
        }
        let mut entries = vec![Ifreq::default(); count];
        let mut asked = Ifconf {
            bytes: size_of_val(&*entries) as libc::c_int,
            at: entries.as_mut_ptr(),
        };
        self.ioctl(InterfaceQuery::List.request(), &mut asked)?;
        let found = usize::try_from(asked.bytes).unwrap_or(0) / size_of::<Ifreq>();
        let mut out = Vec::with_capacity(room);
        for entry in entries.iter().take(found) {
            out.extend_from_slice(&padded(entry.name()));
            out.extend_from_slice(&entry.address());
        }
        out.resize(count * IFREQ_BYTES, 0);
        Ok(out)
    }

    fn ioctl<T>(&self, request: libc::Ioctl, argument: &mut T) -> Result<(), Errno> {
        let fd = self.as_fd().as_raw_fd();
        // SAFETY: each request has the structure that it reads and writes,
        // and storage for the data that it points to.
        match unsafe { libc::ioctl(fd, request, argument) } {
            0 => Ok(()),
            _ => Err(match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::ENODEV) => Errno::ENXIO,
                e => e.into(),
            }),
        }
    }
}

fn name_index(room: usize) -> Result<Vec<u8>, Errno> {
    if room < HEADER_BYTES {
        return Err(Errno::EINVAL);
    }
    let all = names();
    let shown = all.len().min((room - HEADER_BYTES) / ENTRY_BYTES);
    let mut out = (all.len() as u32).to_be_bytes().to_vec();
    out.extend_from_slice(&(shown as u32).to_be_bytes());
    for (index, name) in &all[..shown] {
        out.extend_from_slice(&index.to_be_bytes());
        out.extend_from_slice(&padded(name));
        out.extend_from_slice(&[0; 4]);
    }
    Ok(out)
}

/// Every interface: its index and its name.
fn names() -> Vec<(u32, Vec<u8>)> {
    let mut found = Vec::new();
    // SAFETY: an array that ends with an index of 0, freed below.
    unsafe {
        let all = libc::if_nameindex();
        if all.is_null() {
            return found;
        }
        let mut at = all;
        while (*at).if_index != 0 && !(*at).if_name.is_null() {
            let name = std::ffi::CStr::from_ptr((*at).if_name);
            found.push(((*at).if_index, name.to_bytes().to_vec()));
            at = at.add(1);
        }
        libc::if_freenameindex(all);
    }
    found
}

fn padded(name: &[u8]) -> [u8; NAME_BYTES] {
    let mut field = [b' '; NAME_BYTES];
    let n = name.len().min(NAME_BYTES);
    field[..n].copy_from_slice(&name[..n]);
    field
}

/// `struct ifreq` of the system: a name, then a union.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
struct Ifreq([u8; 40]);

impl Default for Ifreq {
    fn default() -> Self {
        Ifreq([0; 40])
    }
}

/// `struct ifconf` of the system.
#[repr(C)]
struct Ifconf {
    bytes: libc::c_int,
    at: *mut Ifreq,
}

impl Ifreq {
    /// A request for an interface by name; ENXIO if no interface has the name.
    fn named(name: &[u8]) -> Result<Ifreq, Errno> {
        let mut asked = Ifreq::default();
        // A null follows it.
        if name.is_empty() || name.len() >= NAME_BYTES {
            return Err(Errno::ENXIO);
        }
        asked.0[..name.len()].copy_from_slice(name);
        Ok(asked)
    }

    fn name(&self) -> &[u8] {
        let name = &self.0[..NAME_BYTES];
        let end = name.iter().position(|b| *b == 0);
        &name[..end.unwrap_or(NAME_BYTES)]
    }

    fn short(&self) -> u16 {
        u16::from_ne_bytes([self.0[16], self.0[17]])
    }

    fn int(&self) -> u32 {
        u32::from_ne_bytes([self.0[16], self.0[17], self.0[18], self.0[19]])
    }

    /// Its address as programs see one.
    fn address(&self) -> [u8; 16] {
        let mut out = [0; 16];
        out[..2].copy_from_slice(&AF_INET.to_be_bytes());
        out[4..8].copy_from_slice(&self.0[20..24]);
        out
    }
}

/// The flags that every system of BSD's kind has, up to IFF_ALLMULTI.
const OLD_FLAGS: u16 = 0x03FF;

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(family: i64) -> Socket {
        Socket::new(family, 2, 0).unwrap()
    }

    fn run_query(query: InterfaceQuery, name: &[u8]) -> Result<Vec<u8>, Errno> {
        let mut reqarg = padded(name).to_vec();
        reqarg.resize(IFREQ_BYTES, 0xFF);
        socket(2).interfaces(query, &reqarg, 0)
    }

    #[test]
    fn the_loopback_interface_is_returned_as_an_ifreq() {
        let address = run_query(InterfaceQuery::Address, b"lo").unwrap();
        assert_eq!(&address[..16], b"lo              ");
        assert_eq!(
            address[16..],
            [0, 2, 0, 0, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]
        );
        let mask = run_query(InterfaceQuery::Netmask, b"lo\0trash").unwrap();
        assert_eq!(mask[20..24], [255, 0, 0, 0]);
        let flags = run_query(InterfaceQuery::Flags, b"lo").unwrap();
        assert_eq!(u16::from_be_bytes([flags[16], flags[17]]) & 9, 9);
        let mtu = run_query(InterfaceQuery::Mtu, b"lo").unwrap();
        assert!(u32::from_be_bytes(*mtu[16..].first_chunk().unwrap()) >= 576);
        let metric = run_query(InterfaceQuery::Metric, b"lo").unwrap();
        assert_eq!(metric[16..], [0; 16]);
    }

    #[test]
    fn what_an_interface_does_not_have_and_one_that_is_not_there_are_errors() {
        for query in [InterfaceQuery::Broadcast, InterfaceQuery::Destination] {
            assert_eq!(run_query(query, b"lo"), Err(Errno::EINVAL));
        }
        for name in [&b"nosuch0"[..], b"", b"a name of sixteen"] {
            assert_eq!(run_query(InterfaceQuery::Address, name), Err(Errno::ENXIO));
        }
        let short = socket(2).interfaces(InterfaceQuery::Address, b"lo", 0);
        assert_eq!(short, Err(Errno::EFAULT));
        let v6 = socket(19).interfaces(InterfaceQuery::List, &[], 320);
        assert_eq!(v6, Err(Errno::EINVAL));
    }

    #[test]
    fn all_interfaces_are_listed_as_far_as_there_is_room() {
        let list = |room| socket(2).interfaces(InterfaceQuery::List, &[], room);
        assert_eq!(list(31), Err(Errno::EINVAL));
        assert_eq!(list(-1), Err(Errno::EINVAL));
        assert_eq!(list(i64::from(i32::MAX)).unwrap().len(), 3200);
        let reported = list(330).unwrap();
        assert_eq!(reported.len(), 320);
        let lo = reported
            .chunks(32)
            .find(|e| e.starts_with(b"lo  "))
            .unwrap();
        assert_eq!(lo[16..24], [0, 2, 0, 0, 127, 0, 0, 1]);

        let index = |room| socket(19).interfaces(InterfaceQuery::NameIndex, &[], room);
        assert_eq!(index(7), Err(Errno::EINVAL));
        let header = index(8).unwrap();
        let total = u32::from_be_bytes(*header.first_chunk().unwrap()) as usize;
        assert!(total > 0 && header[4..] == [0; 4]);
        let all = index(4096).unwrap();
        assert_eq!(all.len(), 8 + 24 * total);
        assert!(all[8..].chunks(24).any(|e| e[4..7] == *b"lo "));
    }
}
