//! A SAP for each process that uses the same LAN address.
//!
//! A link is identified by the addresses and SAPs of both ends, and every
//! process on an interface receives all of its frames. Two processes that
//! called from one address and one SAP would end each other's links. So the
//! first process has the SAP of SNA, and each further one the next free SAP.
//! The taken ones are names in the abstract namespace of the machine's local
//! sockets, which belongs to the network namespace; a name is released with its
//! process.
//! Reference: unix(7); IEEE 802.2, addresses of service access points.

use sna::dlc::mac::Mac;
use sna::dlc::pdu::SAP_SNA;
use std::io::ErrorKind;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// SAPs that users assign are multiples of four; E0 and above have other owners.
const LAST: u8 = 0xDC;

/// A SAP that is this process's until it is dropped.
#[derive(Debug)]
pub(super) struct OwnSap {
    value: u8,
    _taken: Option<UnixDatagram>,
}

impl OwnSap {
    /// The first free SAP at this address of an interface with this index.
    /// Returns `None` if all are in use.
    pub fn take(interface: u32, address: Mac) -> Option<OwnSap> {
        (SAP_SNA..=LAST).step_by(4).find_map(|value| {
            let address = address.map(|byte| format!("{byte:02x}")).concat();
            let name = format!("tupelo-llc2/{interface}/{address}/{value:02x}");
            let name = SocketAddr::from_abstract_name(name);
            match name.and_then(|name| UnixDatagram::bind_addr(&name)) {
                Ok(taken) => Some(OwnSap {
                    value,
                    _taken: Some(taken),
                }),
                Err(error) if error.kind() == ErrorKind::AddrInUse => None,
                // Without such names the taken SAPs are unknown.
                Err(_) => Some(OwnSap {
                    value,
                    _taken: None,
                }),
            }
        })
    }

    /// Its value.
    pub fn value(&self) -> u8 {
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_at_an_address_has_a_sap_of_its_own() {
        // No interface has this index; the address is this process's.
        let process = std::process::id().to_be_bytes();
        let address = [2, 0, process[0], process[1], process[2], process[3]];
        let take = || OwnSap::take(u32::MAX, address);
        let [first, second] = [take().unwrap(), take().unwrap()];
        assert_eq!([first.value(), second.value()], [0x04, 0x08]);
        drop(first);
        assert_eq!(take().unwrap().value(), 0x04);
        let all: Vec<OwnSap> = std::iter::from_fn(take).collect();
        assert_eq!(all.len(), usize::from(LAST / 4) - 1);
        assert_eq!(all.last().unwrap().value(), LAST);
    }
}
