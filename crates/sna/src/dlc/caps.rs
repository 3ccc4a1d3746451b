//! The capabilities that two switches exchange before they open circuits.
//!
//! A capabilities exchange is one GDS variable in a CAP_EXCHANGE message: a
//! request (X'1520') of control vectors, a positive answer (X'1521') or a
//! negative one (X'1522') that names the offset at fault.
//!
//! Reference: RFC 1795, section 7.

use super::ssp;
use thiserror::Error;

/// The capabilities of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchCapabilities {
    /// The vendor's organisation identifier.
    pub vendor: [u8; 3],
    /// Version and release of the protocol.
    pub version: (u8, u8),
    /// Messages a circuit may send when it is first granted a window.
    pub initial_window: u16,
    /// Text for users.
    pub text: String,
    /// TCP connections used, 1 or 2.
    pub tcp_connections: u8,
}

impl Default for SwitchCapabilities {
    /// Version 1.0, one TCP connection, a window of 64.
    fn default() -> SwitchCapabilities {
        SwitchCapabilities {
            vendor: [0; 3],
            version: (1, 0),
            initial_window: 64,
            text: "Tupelo".into(),
            tcp_connections: 1,
        }
    }
}

/// A capabilities message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exchange {
    /// The capabilities of the other side.
    Request(SwitchCapabilities),
    /// The partner accepted this side's capabilities.
    Accepted,
    /// It refused: the offset at fault and the reason.
    Refused(u16, u16),
}

/// Why a request is rejected; [`CapsError::answer`] is the answer to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the capabilities are wrong at offset {offset}, reason {reason}")]
pub struct CapsError {
    /// Where.
    pub offset: u16,
    /// Why: 1 length of the variable, 2 its identifier, 3 a vector is missing,
    /// 4 a length, 5 a value.
    pub reason: u16,
}

const REQUEST: u16 = 0x1520;
const POSITIVE: u16 = 0x1521;
const NEGATIVE: u16 = 0x1522;

impl Exchange {
    /// Reads the data of a CAP_EXCHANGE message. Vectors that are not known are
    /// skipped.
    pub fn parse(data: &[u8]) -> Result<Exchange, CapsError> {
        let wrong = |offset: usize, reason| CapsError {
            offset: offset as u16,
            reason,
        };
        let [l1, l2, i1, i2, rest @ ..] = data else {
            return Err(wrong(0, 1));
        };
        if usize::from(u16::from_be_bytes([*l1, *l2])) != data.len() {
            return Err(wrong(0, 1));
        }
        match u16::from_be_bytes([*i1, *i2]) {
            REQUEST => Ok(Exchange::Request(parse_vectors(rest)?)),
            POSITIVE => Ok(Exchange::Accepted),
            NEGATIVE => match *rest {
                [o1, o2, r1, r2, ..] => Ok(Exchange::Refused(
                    u16::from_be_bytes([o1, o2]),
                    u16::from_be_bytes([r1, r2]),
                )),
                _ => Err(wrong(4, 1)),
            },
            _ => Err(wrong(2, 2)),
        }
    }

    /// The data of a CAP_EXCHANGE message.
    pub fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        let id = match self {
            Exchange::Request(capabilities) => {
                capabilities.encode(&mut body);
                REQUEST
            }
            Exchange::Accepted => POSITIVE,
            Exchange::Refused(offset, reason) => {
                body.extend(offset.to_be_bytes());
                body.extend(reason.to_be_bytes());
                NEGATIVE
            }
        };
        let mut out = (body.len() as u16 + 4).to_be_bytes().to_vec();
        out.extend(id.to_be_bytes());
        out.extend(body);
        out
    }
}

impl CapsError {
    /// The negative answer that says so.
    pub fn answer(self) -> Exchange {
        Exchange::Refused(self.offset, self.reason)
    }
}

impl SwitchCapabilities {
    fn encode(&self, out: &mut Vec<u8>) {
        let mut vector = |key: u8, data: &[u8]| {
            out.extend([data.len() as u8 + 2, key]);
            out.extend(data);
        };
        vector(0x81, &self.vendor);
        vector(0x82, &[self.version.0, self.version.1]);
        vector(0x83, &self.initial_window.to_be_bytes());
        let text: Vec<u8> = self.text.bytes().take(200).collect();
        vector(0x84, &text);
        vector(0x86, &SNA_SAPS);
        vector(0x87, &[self.tcp_connections]);
    }
}

/// The SAPs that SNA uses: 00, 04, 08, 0C and 40; bit n represents SAP 2 n.
const SNA_SAPS: [u8; 16] = {
    let mut list = [0; 16];
    list[0] = 0b1010_1010;
    list[4] = 0b1000_0000;
    list
};

fn parse_vectors(mut rest: &[u8]) -> Result<SwitchCapabilities, CapsError> {
    let mut found = SwitchCapabilities {
        text: String::new(),
        // A switch that does not say so uses two.
        tcp_connections: 2,
        ..SwitchCapabilities::default()
    };
    let (mut offset, mut seen) = (4u16, 0u8);
    while let [length, key, ..] = *rest {
        let wrong = |reason| CapsError { offset, reason };
        let vector = rest.get(..usize::from(length)).ok_or(wrong(4))?;
        let data = vector.get(2..).ok_or(wrong(4))?;
        match (key, data) {
            (0x81, &[a, b, c]) => (found.vendor, seen) = ([a, b, c], seen | 1),
            (0x82, &[version, release]) => (found.version, seen) = ((version, release), seen | 2),
            (0x83, &[high, low]) => {
                found.initial_window = u16::from_be_bytes([high, low]);
                seen |= 4;
                if found.initial_window == 0 {
                    return Err(wrong(5));
                }
            }
            (0x84, text) => found.text = String::from_utf8_lossy(text).into_owned(),
            (0x86, saps) if saps.len() == 16 => seen |= 8,
            (0x87, &[count]) => found.tcp_connections = count,
            (0x81..=0x83 | 0x86 | 0x87, _) => return Err(wrong(4)),
            _ => {}
        }
        rest = &rest[usize::from(length)..];
        offset += u16::from(length);
    }
    if !rest.is_empty() {
        return Err(CapsError { offset, reason: 4 });
    }
    if seen != 15 {
        return Err(CapsError { offset, reason: 3 });
    }
    Ok(found)
}

/// The whole CAP_EXCHANGE message with this content.
pub fn message(exchange: &Exchange, out: &mut Vec<u8>) {
    let data = exchange.encode();
    ssp::SspMessage {
        data: &data,
        ..ssp::SspMessage::new(ssp::Kind::CapExchange)
    }
    .emit(out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn capabilities_come_through_and_missing_ones_are_named() {
        let ours = Exchange::Request(SwitchCapabilities::default());
        assert_eq!(Exchange::parse(&ours.encode()), Ok(ours));
        let empty = [0, 4, 0x15, 0x20];
        assert_eq!(
            Exchange::parse(&empty),
            Err(CapsError {
                offset: 4,
                reason: 3
            })
        );
    }

    proptest! {
        #[test]
        fn any_vector_is_read_or_refused(mut data in prop::collection::vec(any::<u8>(), 0..60)) {
            let _ = Exchange::parse(&data);
            if data.len() > 4 {
                (data[0], data[1], data[2], data[3]) = (0, data.len() as u8, 0x15, 0x20);
                let _ = Exchange::parse(&data);
            }
        }
    }
}
