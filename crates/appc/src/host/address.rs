//! Parses the address of a partner's DLSw switch.

use crate::Error;
use crate::config::PartnerConfig;
use sna::dlc::ssp::PORT;
use std::net::{SocketAddr, ToSocketAddrs};

/// The switch of a partner whose address is written as numbers.
pub(super) fn literal(partner: &PartnerConfig) -> Option<SocketAddr> {
    numbers(partner.address.as_deref()?)
}

/// The addresses of `host[:port]`, in the system's order; at least one.
pub(super) fn resolve(text: &str) -> Result<Vec<SocketAddr>, Error> {
    let wrong = |why: &dyn std::fmt::Display| Error::config("address", text, why);
    if let Some(address) = numbers(text) {
        return Ok(vec![address]);
    }
    let with_port = match text.rsplit_once(':') {
        Some(("", _)) => return Err(wrong(&"the host is missing; write host[:port]")),
        Some((_, port)) if port.parse::<u16>().is_ok() => text.to_owned(),
        Some((host, port)) if !host.contains(':') => {
            return Err(wrong(&format_args!(
                "`{port}` is not a port; give 0 to 65535"
            )));
        }
        None if text.is_empty() => return Err(wrong(&"the host is missing; write host[:port]")),
        _ => format!("{text}:{PORT}"),
    };
    let found = with_port.to_socket_addrs().map_err(|why| wrong(&why))?;
    let found: Vec<SocketAddr> = found.collect();
    if found.is_empty() {
        Err(wrong(&"no address"))
    } else {
        Ok(found)
    }
}

/// An address that is written as numbers, with a port or without.
fn numbers(text: &str) -> Option<SocketAddr> {
    let with_port = text.parse::<SocketAddr>().ok();
    with_port.or_else(|| Some(SocketAddr::new(text.parse().ok()?, PORT)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_numbers_of_both_kinds_with_and_without_a_port() {
        for (text, address) in [
            ("10.0.0.2", "10.0.0.2:2065"),
            ("10.0.0.2:3000", "10.0.0.2:3000"),
            ("::1", "[::1]:2065"),
            ("[::1]", "[::1]:2065"),
            ("[::1]:3000", "[::1]:3000"),
        ] {
            let found = resolve(text).unwrap();
            assert_eq!(found, [address.parse::<SocketAddr>().unwrap()], "{text}");
        }
        for (text, why) in [
            ("", "the host is missing"),
            (":", "the host is missing"),
            (":2065", "the host is missing"),
            ("10.0.0.2:99999", "`99999` is not a port"),
            ("host:dlsw", "`dlsw` is not a port"),
            ("not a host", "not a host"),
        ] {
            let reported = resolve(text).unwrap_err().to_string();
            assert!(reported.contains(why), "{text}: {reported}");
        }
    }
}
