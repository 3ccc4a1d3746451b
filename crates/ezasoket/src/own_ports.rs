//! Ports of this process that its own programs, scripts and requesters must not
//! connect to, even if the settings allow it: the administration port, and the
//! ports for other regions, partners and terminals. A program could act as another
//! user there. The ports of APIs, web services and sockets are not among them: a
//! client has only the rights that its credentials give it there.
//!
//! The test is made with the address that a connection is made to, after names
//! are resolved, so that no spelling of it matters: other addresses of loopback,
//! the unspecified one, IPv4 within IPv6, and every address of this machine.

use std::collections::BTreeSet;
use std::net::{SocketAddr, UdpSocket};
use std::sync::{PoisonError, RwLock};

static PORTS: RwLock<BTreeSet<u16>> = RwLock::new(BTreeSet::new());

/// Refuses connections to the port of a listener from now on.
pub fn refuse_own_port(listener: SocketAddr) {
    let mut ports = PORTS.write().unwrap_or_else(PoisonError::into_inner);
    ports.insert(listener.port());
}

/// Whether a connection to this address would reach a refused port of this
/// process.
pub fn is_own_port(address: SocketAddr) -> bool {
    let ports = PORTS.read().unwrap_or_else(PoisonError::into_inner);
    ports.contains(&address.port()) && is_here(address)
}

/// Whether an address is one of this machine's: only those can be bound. A
/// link-local address is one only together with its interface.
fn is_here(mut address: SocketAddr) -> bool {
    let canonical = address.ip().to_canonical();
    if canonical.is_loopback() || canonical.is_unspecified() {
        return true;
    }
    if canonical != address.ip() {
        address.set_ip(canonical);
    }
    address.set_port(0);
    UdpSocket::bind(address).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_own_port_is_refused_at_every_address_of_this_machine() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let own = |ip: &str| is_own_port(SocketAddr::new(ip.parse().unwrap(), port));
        assert!(!own("127.0.0.1"), "before it is registered");
        refuse_own_port(listener.local_addr().unwrap());
        let spellings = [
            "127.0.0.1",
            "127.9.8.7",
            "0.0.0.0",
            "::1",
            "::",
            "::ffff:127.0.0.1",
        ];
        for ip in spellings {
            assert!(own(ip), "{ip}");
        }
        // The address that this machine sends from, where it has a network.
        let probe = UdpSocket::bind("0.0.0.0:0").unwrap();
        if probe.connect("192.0.2.1:9").is_ok() {
            let from = probe.local_addr().unwrap().ip();
            assert!(own(&from.to_string()), "{from}");
        }
        // An address of documentation, which no machine has.
        assert!(!own("192.0.2.1"));
        assert!(!is_own_port(([127, 0, 0, 1], 1).into()));
    }
}
