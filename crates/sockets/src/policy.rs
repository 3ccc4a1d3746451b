//! Which addresses programs may use.
//!
//! Only addresses that the settings name are allowed; the default allows this
//! host's loopback addresses for listeners and none for connections.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use ezasoket::{AddressRule, Errno, SocketName, is_own_port};

use crate::config::SocketsConfig;

/// The addresses that the settings allow.
#[derive(Debug, Clone, Default)]
pub struct SocketPolicy {
    listen: Vec<AddressRule>,
    connect: Vec<AddressRule>,
}

impl SocketPolicy {
    /// The policy of a section; invalid entries are left out.
    pub fn new(config: &SocketsConfig) -> SocketPolicy {
        let rules = |list: &[String]| list.iter().filter_map(|text| text.parse().ok()).collect();
        SocketPolicy {
            listen: rules(&config.listen),
            connect: rules(&config.connect),
        }
    }

    /// The address that a BIND to this one gets: itself, or loopback for the
    /// unspecified one. EACCES when neither is allowed.
    pub fn listen_at(&self, name: &SocketName) -> Result<SocketName, Errno> {
        let allowed = |address| self.listen.iter().any(|rule| rule.allows(address));
        if allowed(name.0) {
            return Ok(*name);
        }
        let here = loopback(name.0);
        if name.0.ip().is_unspecified() && allowed(here) {
            Ok(SocketName(here))
        } else {
            Err(Errno::EACCES)
        }
    }

    /// The address that is connected or sent to: itself, or loopback for the
    /// unspecified one. EACCES when that is not allowed, or is where this region
    /// is administered.
    pub fn connect_to(&self, name: &SocketName) -> Result<SocketName, Errno> {
        let to = if name.0.ip().is_unspecified() {
            loopback(name.0)
        } else {
            name.0
        };
        let allowed = self.connect.iter().any(|rule| rule.allows(to)) && !is_own_port(to);
        allowed.then_some(SocketName(to)).ok_or(Errno::EACCES)
    }
}

/// The loopback address of the same family, with the same port.
fn loopback(mut address: SocketAddr) -> SocketAddr {
    address.set_ip(match address {
        SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    });
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> SocketName {
        SocketName(text.parse().unwrap())
    }

    #[test]
    fn the_default_is_loopback_to_listen_and_nothing_to_connect() {
        let policy = SocketPolicy::new(&SocketsConfig::default());
        let listen = |text| policy.listen_at(&name(text));
        assert_eq!(listen("127.0.0.5:80"), Ok(name("127.0.0.5:80")));
        assert_eq!(listen("0.0.0.0:80"), Ok(name("127.0.0.1:80")));
        assert_eq!(listen("[::]:80"), Ok(name("[::1]:80")));
        assert_eq!(listen("10.0.0.1:80"), Err(Errno::EACCES));
        assert_eq!(policy.connect_to(&name("127.0.0.1:80")), Err(Errno::EACCES));
    }

    #[test]
    fn networks_and_ports_are_as_written() {
        let policy = SocketPolicy::new(&SocketsConfig {
            listen: vec!["any".into()],
            connect: vec![
                "10.1.0.0/16".into(),
                "127.0.0.1:99".into(),
                "[::1]:7".into(),
            ],
            ..SocketsConfig::default()
        });
        let connect = |text| policy.connect_to(&name(text)).is_ok();
        assert!(connect("10.1.255.1:5") && connect("127.0.0.1:99") && connect("[::1]:7"));
        assert!(connect("[::ffff:10.1.0.1]:5"));
        let here = policy.connect_to(&name("0.0.0.0:99"));
        assert_eq!(here, Ok(name("127.0.0.1:99")));
        assert!(!connect("0.0.0.0:98"));
        assert!(!connect("10.2.0.1:5") && !connect("127.0.0.1:98"));
        assert_eq!(policy.listen_at(&name("0.0.0.0:1")), Ok(name("0.0.0.0:1")));
    }
}
