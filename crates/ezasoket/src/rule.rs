//! Which addresses programs may use: one entry of a list in the settings.
//!
//! `ADDRESS`, with `/BITS` a network, with `:PORT` one port, or `any`. Invariant:
//! no text makes the reader panic.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// One entry of a list of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressRule {
    /// `None` means every address.
    network: Option<(IpAddr, u8)>,
    /// `None` means every port.
    port: Option<u16>,
}

impl FromStr for AddressRule {
    type Err = String;

    fn from_str(text: &str) -> Result<AddressRule, String> {
        const FORMS: &str = "expected ADDRESS, ADDRESS/BITS, ADDRESS:PORT, [ADDRESS]:PORT or any";
        if text == "any" {
            return Ok(AddressRule {
                network: None,
                port: None,
            });
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            let bits = width(address.ip());
            return Ok(AddressRule {
                network: Some((address.ip(), bits)),
                port: Some(address.port()),
            });
        }
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| FORMS.to_owned())?;
        let bits = match bits {
            None => width(address),
            Some(bits) => bits
                .parse()
                .ok()
                .filter(|b| *b <= width(address))
                .ok_or_else(|| format!("a network must have 0 to {} bits", width(address)))?,
        };
        Ok(AddressRule {
            network: Some((address, bits)),
            port: None,
        })
    }
}

impl AddressRule {
    /// Whether it includes this address.
    pub fn allows(&self, address: SocketAddr) -> bool {
        let port = self.port.is_none_or(|p| p == address.port());
        port && self.network.is_none_or(|(network, bits)| {
            match (network, address.ip().to_canonical()) {
                (IpAddr::V4(n), IpAddr::V4(a)) => {
                    let shift = 32 - u32::from(bits);
                    let head = |ip: Ipv4Addr| u32::from(ip).checked_shr(shift).unwrap_or(0);
                    head(n) == head(a)
                }
                (IpAddr::V6(n), IpAddr::V6(a)) => {
                    let shift = 128 - u32::from(bits);
                    let head = |ip: Ipv6Addr| u128::from(ip).checked_shr(shift).unwrap_or(0);
                    head(n) == head(a)
                }
                _ => false,
            }
        })
    }
}

fn width(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "[0-9a-f.:/\\[\\]]{0,24}") {
            if let Ok(rule) = text.parse::<AddressRule>() {
                rule.allows("127.0.0.1:1".parse().unwrap());
                rule.allows("[::1]:1".parse().unwrap());
            }
        }
    }
}
