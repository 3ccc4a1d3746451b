//! Addresses and payload taken out of an explanation before it is shared.
//!
//! Each address is replaced by one of a documentation range, the same one
//! everywhere, so that the report stays readable. Labels and names from the payload
//! become `request` and `name`.

use crate::CaptureExplanation;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Masks addresses, labels and names. Sentences that held one lose it, too.
pub fn mask(explanation: &mut CaptureExplanation) {
    let mut masks = AddressMasks::default();
    for connection in &mut explanation.connections {
        for end in [&mut connection.client, &mut connection.server] {
            end.address = masks.of(end.address);
        }
        if let Some(tls) = &mut connection.tls {
            tls.server_name = tls.server_name.take().map(|_| "name".to_owned());
        }
    }
    for service in &mut explanation.services {
        service.address = service.address.map(|address| masks.of(address));
    }
    for exchange in &mut explanation.exchanges {
        if !exchange.label.is_empty() {
            exchange.label = "request".to_owned();
        }
    }
    let slices = explanation
        .slices
        .iter_mut()
        .chain(&mut explanation.verdict);
    for slice in slices {
        for text in [&mut slice.sentence, &mut slice.seen] {
            for (real, masked) in masks.names() {
                *text = text.replace(&real, &masked);
            }
            for name in &explanation.names {
                *text = text.replace(name.as_str(), "a name");
            }
        }
    }
    explanation.names.clear();
}

/// Masked addresses, in the order in which they were met.
#[derive(Default)]
struct AddressMasks(BTreeMap<IpAddr, IpAddr>);

impl AddressMasks {
    fn of(&mut self, address: IpAddr) -> IpAddr {
        let number = self.0.len() as u32 + 1;
        *self.0.entry(address).or_insert_with(|| match address {
            // RFC 5737: documentation only, with room for as many as are kept.
            IpAddr::V4(_) => Ipv4Addr::from_bits(0xC612_0000 + number).into(),
            // RFC 3849.
            IpAddr::V6(_) => Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, number as u16).into(),
        })
    }

    /// Real and masked addresses as text, the longest first.
    fn names(&self) -> Vec<(String, String)> {
        let mut names: Vec<(String, String)> = (self.0.iter())
            .map(|(real, masked)| (real.to_string(), masked.to_string()))
            .collect();
        names.sort_by_key(|(real, _)| std::cmp::Reverse(real.len()));
        names
    }
}
