//! Exchange identification, format 3: how two nodes agree on a link before data
//! flows.
//!
//! The caller sends a null XID; the two then exchange XID3s until both said
//! "negotiation proceeding": [`Negotiation`] tells what to send next and when
//! they are done. The node with the higher identification becomes the primary
//! station when both would be either; the primary connects.
//!
//! Reference: IBM *SNA Formats* (GA27-3136), XID information field, format 3.

use crate::ebcdic;
use thiserror::Error;

/// Which station a node is, or would be, on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Secondary.
    Secondary,
    /// Primary: it sets the link up and assigns addresses with ODAI 0.
    Primary,
    /// Either.
    Negotiable,
}

/// How far the exchange is, as the sender sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The exchange state is not supported.
    NotSupported,
    /// The sender knows the receiver's XID.
    Proceeding,
    /// It does not yet.
    Prenegotiation,
    /// Not to activate the link.
    NonActivation,
}

/// An XID, format 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Xid3 {
    /// Block number, 12 bits.
    pub id_block: u16,
    /// Identification number, 20 bits.
    pub id_number: u32,
    /// How far the exchange is.
    pub exchange: Exchange,
    /// Whether the sender may generate segmented BINDs.
    pub segments_binds: bool,
    /// Whether it can receive them.
    pub receives_segmented_binds: bool,
    /// Whether it paces BINDs adaptively.
    pub adaptive_bind_pacing: bool,
    /// The station it is.
    pub role: Role,
    /// The largest TH, RH and RU together that it receives, in bytes.
    pub max_btu_bytes: u16,
    /// I frames it receives before it acknowledges.
    pub window: u8,
    /// Name of its control point, qualified; empty when it tells none.
    pub cp_name: String,
}

/// Why an XID is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum XidError {
    /// Shorter than its fixed part.
    #[error("an XID of {0} bytes is too short for format 3")]
    Short(usize),
    /// Another format.
    #[error("XID format {0} is not spoken here")]
    Format(u8),
    /// Its length byte says another length than it has.
    #[error("the XID says {said} bytes and has {there}")]
    Length {
        /// What it says.
        said: usize,
        /// What there is.
        there: usize,
    },
    /// A control vector goes past its end.
    #[error("a control vector at offset {0} goes past the end")]
    Vector(usize),
    /// A frame size that carries no BIND.
    #[error("a largest frame of {0} bytes is below 99")]
    Btu(u16),
    /// Both nodes insist on the same role.
    #[error("both nodes want to be the {0:?} station")]
    Roles(Role),
    /// Both have the same identification, which decides the roles.
    #[error("both nodes have the identification {0:08X}; give one another number")]
    SameId(u32),
    /// The partner does not want the link.
    #[error("the partner does not activate the link")]
    NotActivated,
}

const FIXED_BYTES: usize = 29;

impl Xid3 {
    /// Reads an XID's information field.
    pub fn parse(bytes: &[u8]) -> Result<Xid3, XidError> {
        let Some(first) = bytes.first().filter(|_| bytes.len() >= FIXED_BYTES) else {
            return Err(XidError::Short(bytes.len()));
        };
        if first >> 4 != 3 {
            return Err(XidError::Format(first >> 4));
        }
        let (said, there) = (usize::from(bytes[1]), bytes.len());
        if said < FIXED_BYTES || said > there {
            return Err(XidError::Length { said, there });
        }
        let id = u32::from_be_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
        let mut xid = Xid3 {
            id_block: (id >> 20) as u16,
            id_number: id & 0xF_FFFF,
            exchange: match bytes[9] >> 2 & 3 {
                0 => Exchange::NotSupported,
                1 => Exchange::Proceeding,
                2 => Exchange::Prenegotiation,
                _ => Exchange::NonActivation,
            },
            segments_binds: bytes[8] & 0x20 == 0,
            receives_segmented_binds: bytes[8] & 0x10 == 0,
            adaptive_bind_pacing: bytes[10] & 0xC0 == 0xC0,
            role: match bytes[19] >> 4 & 3 {
                0 => Role::Secondary,
                1 => Role::Primary,
                _ => Role::Negotiable,
            },
            max_btu_bytes: u16::from_be_bytes([bytes[21], bytes[22]]) & 0x7FFF,
            window: bytes[27] & 0x7F,
            cp_name: String::new(),
        };
        if xid.max_btu_bytes < 99 {
            return Err(XidError::Btu(xid.max_btu_bytes));
        }
        // The link's section counts from its own length byte at offset 18.
        let mut at = 18 + usize::from(bytes[18]).max(FIXED_BYTES - 18);
        while at + 2 <= said {
            let end = at + 2 + usize::from(bytes[at + 1]);
            let vector = bytes[..said].get(at + 2..end).ok_or(XidError::Vector(at))?;
            if let (0x0E, [0xF4, name @ ..]) = (bytes[at], vector) {
                xid.cp_name = ebcdic::to_string(name).trim_end().to_owned();
            }
            at = end;
        }
        Ok(xid)
    }

    /// The XID's information field. A name beyond 17 characters is cut.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = vec![0; FIXED_BYTES];
        out[0] = 0x32;
        let id = u32::from(self.id_block & 0xFFF) << 20 | self.id_number & 0xF_FFFF;
        out[2..6].copy_from_slice(&id.to_be_bytes());
        // Stand-alone BIND; whole BINDs where segments are not supported.
        out[8] = 0x40
            | if self.segments_binds { 0 } else { 0x20 }
            | if self.receives_segmented_binds {
                0
            } else {
                0x10
            };
        // ACTPU is suppressed: no SSCP serves this node.
        out[9] = 0x80
            | match self.exchange {
                Exchange::NotSupported => 0,
                Exchange::Proceeding => 0x04,
                Exchange::Prenegotiation => 0x08,
                Exchange::NonActivation => 0x0C,
            };
        out[10] = if self.adaptive_bind_pacing { 0xC0 } else { 0 };
        out[17] = 0x01;
        out[18] = (FIXED_BYTES - 18) as u8;
        out[19] = 0x81
            | match self.role {
                Role::Secondary => 0,
                Role::Primary => 0x10,
                Role::Negotiable => 0x30,
            };
        out[21..23].copy_from_slice(&(self.max_btu_bytes & 0x7FFF).to_be_bytes());
        out[27] = self.window & 0x7F;
        if !self.cp_name.is_empty() {
            let name: String = self.cp_name.chars().take(17).collect();
            let name = ebcdic::from_str(&name);
            out.extend([0x0E, name.len() as u8 + 1, 0xF4]);
            out.extend(name);
        }
        out[1] = out.len() as u8;
        out
    }

    fn id(&self) -> u32 {
        u32::from(self.id_block) << 20 | self.id_number
    }

    /// The role this node takes opposite `peer`.
    fn resolve(&self, peer: &Xid3) -> Result<Role, XidError> {
        match (self.role, peer.role) {
            (Role::Primary, Role::Primary) => Err(XidError::Roles(Role::Primary)),
            (Role::Secondary, Role::Secondary) => Err(XidError::Roles(Role::Secondary)),
            (Role::Primary, _) | (_, Role::Secondary) => Ok(Role::Primary),
            (Role::Secondary, _) | (_, Role::Primary) => Ok(Role::Secondary),
            (Role::Negotiable, Role::Negotiable) if self.id() == peer.id() => {
                Err(XidError::SameId(self.id()))
            }
            _ if self.id() > peer.id() => Ok(Role::Primary),
            _ => Ok(Role::Secondary),
        }
    }
}

/// One node's side of an exchange.
#[derive(Debug, Clone)]
pub struct Negotiation {
    ours: Xid3,
    peer: Option<Xid3>,
    told: bool,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Send this information field.
    Send(Vec<u8>),
    /// Send it, and the exchange is over.
    SendAndDone(Vec<u8>, Agreed),
    /// The exchange is over.
    Done(Agreed),
    /// A repetition: nothing.
    Wait,
}

/// What the two agreed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agreed {
    /// The station this node is.
    pub role: Role,
    /// What the partner told.
    pub peer: Xid3,
}

impl Negotiation {
    /// A negotiation that tells `ours` of this node.
    pub fn new(ours: Xid3) -> Negotiation {
        Negotiation {
            ours,
            peer: None,
            told: false,
        }
    }

    /// The caller's first XID: none.
    pub fn begin(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes the partner's XID.
    pub fn handle(&mut self, info: &[u8]) -> Result<Step, XidError> {
        if info.is_empty() {
            self.ours.exchange = Exchange::Prenegotiation;
            return Ok(Step::Send(self.ours.emit()));
        }
        let peer = Xid3::parse(info)?;
        if peer.exchange == Exchange::NonActivation {
            return Err(XidError::NotActivated);
        }
        let role = self.ours.resolve(&peer)?;
        let agreed = Agreed {
            role,
            peer: peer.clone(),
        };
        let complete = peer.exchange != Exchange::Prenegotiation;
        let repeated = self
            .peer
            .replace(peer)
            .is_some_and(|before| self.told && Some(&before) == self.peer.as_ref());
        if repeated {
            return Ok(Step::Wait);
        }
        if complete && self.told {
            return Ok(Step::Done(agreed));
        }
        self.told = true;
        let mut answer = self.ours.clone();
        (answer.exchange, answer.role) = (Exchange::Proceeding, role);
        let answer = answer.emit();
        Ok(match complete {
            true => Step::SendAndDone(answer, agreed),
            false => Step::Send(answer),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(id_number: u32, role: Role, name: &str) -> Xid3 {
        Xid3 {
            id_block: 0x05D,
            id_number,
            exchange: Exchange::Prenegotiation,
            segments_binds: false,
            receives_segmented_binds: true,
            adaptive_bind_pacing: true,
            role,
            max_btu_bytes: 1033,
            window: 7,
            cp_name: name.into(),
        }
    }

    /// Runs an exchange that `a` begins; what each agreed on.
    fn exchange(a: Xid3, b: Xid3) -> Result<[Option<Agreed>; 2], XidError> {
        let mut sides = [Negotiation::new(a), Negotiation::new(b)];
        let mut agreed = [None, None];
        let mut flight = Some((1, sides[0].begin()));
        for _ in 0..10 {
            let Some((to, info)) = flight.take() else {
                break;
            };
            match sides[to].handle(&info)? {
                Step::Send(info) => flight = Some((1 - to, info)),
                Step::SendAndDone(info, with) => {
                    agreed[to] = Some(with);
                    flight = Some((1 - to, info));
                }
                Step::Done(with) => agreed[to] = Some(with),
                Step::Wait => {}
            }
        }
        Ok(agreed)
    }

    #[test]
    fn the_higher_identification_becomes_primary() {
        for (a, b) in [(1, 2), (2, 1)] {
            let [here, there] = exchange(
                node(a, Role::Negotiable, "NET.A"),
                node(b, Role::Negotiable, "NET.B"),
            )
            .unwrap();
            let (here, there) = (here.unwrap(), there.unwrap());
            assert_eq!(here.role == Role::Primary, a > b);
            assert_eq!(there.role == Role::Primary, b > a);
            assert_eq!(here.peer.cp_name, "NET.B");
            assert_eq!(there.peer.max_btu_bytes, 1033);
        }
    }

    #[test]
    fn roles_and_identifications_that_cannot_agree_are_named() {
        let with = |role| exchange(node(1, role, ""), node(1, role, "")).unwrap_err();
        assert_eq!(with(Role::Primary), XidError::Roles(Role::Primary));
        assert_eq!(with(Role::Negotiable), XidError::SameId(0x05D0_0001));
        let [here, _] =
            exchange(node(9, Role::Secondary, ""), node(1, Role::Negotiable, "")).unwrap();
        assert_eq!(here.unwrap().role, Role::Secondary);
    }

    #[test]
    fn an_xid_is_read_as_it_was_written() {
        let xid = node(0x17, Role::Negotiable, "APPN.ALPHA");
        let bytes = xid.emit();
        assert_eq!(bytes[..6], [0x32, 42, 0x05, 0xD0, 0, 0x17]);
        assert_eq!(Xid3::parse(&bytes), Ok(xid));
    }

    proptest! {
        #[test]
        fn any_xid_is_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let _ = Xid3::parse(&bytes);
            if bytes.len() > 30 {
                (bytes[0], bytes[1], bytes[18]) = (0x32, bytes.len() as u8, 11);
                let mut negotiation = Negotiation::new(node(1, Role::Negotiable, ""));
                let _ = negotiation.handle(&bytes);
                let _ = negotiation.handle(&bytes);
            }
        }
    }
}
