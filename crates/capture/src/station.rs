//! LAN stations as ends of a connection.
//!
//! An end is an address and a port. A station has a MAC address and a service
//! access point; its address is kept inside the IPv6 prefix that is set aside
//! for discarding and never an end of a TCP connection, and written as a MAC
//! address.
//! Reference: RFC 6666 (100::/64).

use serde::{Serialize, Serializer};
use std::net::{IpAddr, Ipv6Addr};

/// The address that represents a station.
pub(crate) fn address(mac: [u8; 6]) -> u128 {
    let mut bytes = [0; 16];
    bytes[10..].copy_from_slice(&mac);
    PREFIX | u128::from_be_bytes(bytes)
}

/// The station that an address represents. Returns `None` for an address of the
/// network.
pub fn mac(address: IpAddr) -> Option<[u8; 6]> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    let bits = Ipv6Addr::to_bits(address);
    if bits >> 48 != PREFIX >> 48 {
        return None;
    }
    let bytes = bits.to_be_bytes();
    Some(std::array::from_fn(|i| bytes[10 + i]))
}

/// An address as people write it.
pub fn name(address: IpAddr) -> String {
    match mac(address) {
        Some(mac) => mac.map(|byte| format!("{byte:02x}")).join(":"),
        None => address.to_string(),
    }
}

/// An end as people write it: address and port, or station and access point.
pub fn end_name(address: IpAddr, port: u16) -> String {
    match (mac(address), address) {
        (Some(_), _) => format!("{} SAP {port:02x}", name(address)),
        (None, IpAddr::V4(v4)) => format!("{v4}:{port}"),
        (None, IpAddr::V6(v6)) => format!("[{v6}]:{port}"),
    }
}

/// Serialises an address as people write it.
pub(crate) fn serialize<S: Serializer>(address: &IpAddr, serializer: S) -> Result<S::Ok, S::Error> {
    name(*address).serialize(serializer)
}

/// The same for an address that may be missing.
pub(crate) fn serialize_some<S: Serializer>(
    address: &Option<IpAddr>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    address.map(name).serialize(serializer)
}

const PREFIX: u128 = 0x0100 << 112;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_is_written_as_its_mac_and_a_host_as_its_address() {
        let station = IpAddr::V6(Ipv6Addr::from_bits(address([0x40, 0, 0, 0, 0, 9])));
        assert_eq!(end_name(station, 4), "40:00:00:00:00:09 SAP 04");
        for host in ["10.0.0.1", "2001:db8::1", "100:0:0:1::9"] {
            let host: IpAddr = host.parse().expect("an address");
            assert_eq!(mac(host), None);
            assert_eq!(name(host), host.to_string());
        }
    }
}
