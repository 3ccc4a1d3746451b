//! Exchange identification, format 3: how two nodes agree on a link before data
//! flows.
//!
//! The caller sends a null XID; the two then exchange XID3s until both sent
//! "negotiation proceeding": [`XidNegotiation`] returns what to send next and when
//! they are done. The node with the higher identification becomes the primary
//! station when both would be either; the primary connects.
//!
//! ```text
//!  0    32               10    adaptive BIND pacing    20    -
//!  1    length           11-14 -                       21-22 largest BTU
//!  2-5  block, number    15    TG options              23-26 -
//!  6-7  -                16    TG number               27    I frames before
//!  8-9  capabilities,    17    01: SDLC or LAN               acknowledgement
//!       exchange state   18    0B: bytes 18-28         28    -
//!                        19    ABM, role, two-way      29..  control vectors
//! ```
//! In byte 8 a zero allows: bit 0 INIT-SELF, bit 1 a BIND without SSCP, bits 2
//! and 3 BINDs in segments that the sender makes and takes.
//! Reference: IBM *SNA Formats* (GA27-3136), XID information field, format 3;
//! the annotated trace in HP's *SNAplus2 Diagnostics Guide*, appendix A, which
//! a test reads; the senses 1015, 1016 and 0895 of *z/OS Communications Server:
//! IP and SNA Codes*. The layout of the negotiation error vector (22) is not
//! confirmed by a published trace.

use crate::ebcdic;
use crate::wire::Sense;
use thiserror::Error;

/// Which station a node is, or would be, on a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StationRole {
    /// Secondary.
    Secondary,
    /// Primary: it sets the link up and assigns addresses with ODAI 0.
    Primary,
    /// Either.
    Negotiable,
}

/// The state of the exchange from the sender's side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The exchange state is not supported.
    NotSupported,
    /// The sender has received the receiver's XID.
    Proceeding,
    /// The sender has not received the receiver's XID.
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
    /// The state of the exchange.
    pub exchange: Exchange,
    /// Whether the sender may generate segmented BINDs.
    pub segments_binds: bool,
    /// Whether it can receive them.
    pub receives_segmented_binds: bool,
    /// Whether it paces BINDs adaptively.
    pub adaptive_bind_pacing: bool,
    /// The station it is.
    pub role: StationRole,
    /// The largest TH, RH and RU together that it receives, in bytes.
    pub max_btu_bytes: u16,
    /// I frames it receives before it acknowledges.
    pub window: u8,
    /// Name of its control point, qualified; empty if it sends none.
    pub cp_name: String,
}

/// Why an XID is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum XidError {
    /// Shorter than its fixed part.
    #[error("an XID of {0} bytes is too short for format 3")]
    Short(usize),
    /// Another format.
    #[error("XID format {0} is not supported")]
    Format(u8),
    /// Its length byte says another length than it has.
    #[error("the XID's length field has {length_field} bytes, but it has {there}")]
    Length {
        /// The value of the length field.
        length_field: usize,
        /// The actual length.
        there: usize,
    },
    /// A control vector goes past its end.
    #[error("the control vector {key:02X} at offset {at} ends after the XID")]
    Vector {
        /// Its key.
        key: u8,
        /// Its start.
        at: usize,
    },
    /// A frame size that carries no BIND.
    #[error("a largest frame of {0} bytes is below the minimum of 99")]
    Btu(u16),
    /// A window that lets no frame through.
    #[error("the partner accepts no I frame before its acknowledgement")]
    Window,
    /// It accepts BINDs in segments and sends none.
    #[error("the partner accepts segmented BINDs but does not send them")]
    Segments,
    /// The partner found fault with this node's XID.
    #[error("the partner rejected byte {offset} of this node's XID: {sense}")]
    Refused {
        /// The byte it names.
        offset: u16,
        /// Why.
        sense: Sense,
    },
    /// Both nodes insist on the same role.
    #[error("both nodes want to be the {0:?} station")]
    Roles(StationRole),
    /// Both have the same identification, which decides the roles.
    #[error("both nodes have the identification {0:08X}; give one another number")]
    SameId(u32),
    /// Another node has a link under the same name. Without parallel
    /// transmission groups, which XIDs with group number 0 rule out, there is one
    /// link between two control points.
    #[error("another node with this name already has a link")]
    NameTaken,
    /// The partner does not want the link.
    #[error("the partner does not activate the link")]
    NotActivated,
}

const FIXED_BYTES: usize = 29;

/// Control vector of a network name.
const NETWORK_NAME: u8 = 0x0E;
/// Control vector with the error in the partner's XID.
const NEGOTIATION_ERROR: u8 = 0x22;
/// A network name of this type is a control point's.
const CP_NAME: u8 = 0xF4;
/// Byte 19: an asynchronous balanced mode station, both ways at once.
const BALANCED: u8 = 0x41;
/// Byte 8: no INIT-SELF, as no SSCP serves this node.
const NO_INIT_SELF: u8 = 0x80;
const WHOLE_BINDS_MADE: u8 = 0x20;
const WHOLE_BINDS_TAKEN: u8 = 0x10;
/// Byte 9: no ACTPU is asked for.
const NO_ACTPU: u8 = 0x80;

impl XidError {
    /// The sense of a fault of the partner, and the byte of its XID. Returns
    /// `None` if no sense is sent.
    pub fn sense(&self) -> Option<(Sense, usize)> {
        Some(match self {
            XidError::Short(len) => (Sense(0x1015_0001), *len),
            XidError::Length { .. } => (Sense(0x1015_0002), 1),
            XidError::Format(_) => (Sense(0x1016_0004), 0),
            XidError::Window => (Sense(0x1016_0001), 27),
            XidError::Btu(_) => (Sense(0x1016_0003), 21),
            XidError::Segments => (Sense(0x1016_0005), 8),
            XidError::Vector { key, at } => {
                // The byte of the vector's length.
                (Sense(0x0895_0001 | u32::from(*key) << 8), at + 1)
            }
            XidError::Roles(_) => (Sense::XID_PARAMETER, 19),
            XidError::SameId(_) => (Sense::XID_PARAMETER, 2),
            XidError::NameTaken => (Sense::TG_NUMBER, 16),
            XidError::Refused { .. } | XidError::NotActivated => return None,
        })
    }
}

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
            return Err(XidError::Length {
                length_field: said,
                there,
            });
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
            segments_binds: bytes[8] & WHOLE_BINDS_MADE == 0,
            receives_segmented_binds: bytes[8] & WHOLE_BINDS_TAKEN == 0,
            adaptive_bind_pacing: bytes[10] & 0xC0 == 0xC0,
            role: match bytes[19] >> 4 & 3 {
                0 => StationRole::Secondary,
                1 => StationRole::Primary,
                _ => StationRole::Negotiable,
            },
            max_btu_bytes: u16::from_be_bytes([bytes[21], bytes[22]]) & 0x7FFF,
            window: bytes[27] & 0x7F,
            cp_name: String::new(),
        };
        if xid.max_btu_bytes < 99 {
            return Err(XidError::Btu(xid.max_btu_bytes));
        }
        if xid.window == 0 {
            return Err(XidError::Window);
        }
        if xid.receives_segmented_binds && !xid.segments_binds {
            return Err(XidError::Segments);
        }
        // The link's section counts from its own length byte at offset 18.
        let mut at = 18 + usize::from(bytes[18]).max(FIXED_BYTES - 18);
        while at + 2 <= said {
            let (key, end) = (bytes[at], at + 2 + usize::from(bytes[at + 1]));
            let vector = bytes[..said].get(at + 2..end);
            match (key, vector.ok_or(XidError::Vector { key, at })?) {
                (NETWORK_NAME, [CP_NAME, name @ ..]) => {
                    xid.cp_name = ebcdic::to_string(name).trim_end().to_owned();
                }
                (NEGOTIATION_ERROR, [high, low, _bit, sense @ ..]) => {
                    let sense = sense.first_chunk::<4>();
                    let sense = sense.map_or(Sense::XID_PARAMETER, |four| Sense::from_bytes(*four));
                    let offset = u16::from_be_bytes([*high, *low]);
                    return Err(XidError::Refused { offset, sense });
                }
                _ => {}
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
        let bit = |on: bool, mask: u8| if on { mask } else { 0 };
        out[8] = NO_INIT_SELF
            | bit(!self.segments_binds, WHOLE_BINDS_MADE)
            | bit(!self.receives_segmented_binds, WHOLE_BINDS_TAKEN);
        out[9] = NO_ACTPU
            | match self.exchange {
                Exchange::NotSupported => 0,
                Exchange::Proceeding => 0x04,
                Exchange::Prenegotiation => 0x08,
                Exchange::NonActivation => 0x0C,
            };
        out[10] = if self.adaptive_bind_pacing { 0xC0 } else { 0 };
        out[17] = 0x01;
        out[18] = (FIXED_BYTES - 18) as u8;
        out[19] = BALANCED
            | match self.role {
                StationRole::Secondary => 0,
                StationRole::Primary => 0x10,
                StationRole::Negotiable => 0x30,
            };
        out[21..23].copy_from_slice(&(self.max_btu_bytes & 0x7FFF).to_be_bytes());
        out[27] = self.window & 0x7F;
        if !self.cp_name.is_empty() {
            let name: String = self.cp_name.chars().take(17).collect();
            let name = ebcdic::from_str(&name);
            out.extend([NETWORK_NAME, name.len() as u8 + 1, CP_NAME]);
            out.extend(name);
        }
        out[1] = out.len() as u8;
        out
    }

    fn id(&self) -> u32 {
        u32::from(self.id_block) << 20 | self.id_number
    }

    /// The role this node takes opposite `peer`.
    fn resolve(&self, peer: &Xid3) -> Result<StationRole, XidError> {
        match (self.role, peer.role) {
            (StationRole::Primary, StationRole::Primary) => {
                Err(XidError::Roles(StationRole::Primary))
            }
            (StationRole::Secondary, StationRole::Secondary) => {
                Err(XidError::Roles(StationRole::Secondary))
            }
            (StationRole::Primary, _) | (_, StationRole::Secondary) => Ok(StationRole::Primary),
            (StationRole::Secondary, _) | (_, StationRole::Primary) => Ok(StationRole::Secondary),
            (StationRole::Negotiable, StationRole::Negotiable) if self.id() == peer.id() => {
                Err(XidError::SameId(self.id()))
            }
            _ if self.id() > peer.id() => Ok(StationRole::Primary),
            _ => Ok(StationRole::Secondary),
        }
    }
}

/// One node's side of an exchange.
#[derive(Debug, Clone)]
pub struct XidNegotiation {
    local: Xid3,
    peer: Option<Xid3>,
    sent: bool,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NegotiationStep {
    /// Send this information field.
    Send(Vec<u8>),
    /// Send this; the exchange ends with it.
    SendAndDone(Vec<u8>, XidAgreement),
    /// The exchange has ended.
    Done(XidAgreement),
    /// A repetition: nothing.
    Wait,
}

/// The result of the negotiation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct XidAgreement {
    /// The station this node is.
    pub role: StationRole,
    /// The partner's XID.
    pub peer: Xid3,
}

impl XidNegotiation {
    /// A negotiation that sends `local` as this node's XID.
    pub fn new(ours: Xid3) -> XidNegotiation {
        XidNegotiation {
            local: ours,
            peer: None,
            sent: false,
        }
    }

    /// The caller's first XID: a null XID.
    pub fn begin(&mut self) -> Vec<u8> {
        Vec::new()
    }

    /// The last XID to a partner whose XID was rejected: this node's own with
    /// the negotiation error vector. Returns `None` if the partner is not at
    /// fault.
    pub fn refusal(&self, why: &XidError) -> Option<Vec<u8>> {
        let (sense, offset) = why.sense()?;
        let mut out = self.local.emit();
        let [high, low] = (offset.min(0xFFFF) as u16).to_be_bytes();
        out.extend([NEGOTIATION_ERROR, 7, high, low, 0]);
        out.extend(sense.to_bytes());
        out[1] = out.len() as u8;
        Some(out)
    }

    /// Takes the partner's XID.
    pub fn handle(&mut self, info: &[u8]) -> Result<NegotiationStep, XidError> {
        if info.is_empty() {
            self.local.exchange = Exchange::Prenegotiation;
            return Ok(NegotiationStep::Send(self.local.emit()));
        }
        let peer = Xid3::parse(info)?;
        if peer.exchange == Exchange::NonActivation {
            return Err(XidError::NotActivated);
        }
        let role = self.local.resolve(&peer)?;
        let agreed = XidAgreement {
            role,
            peer: peer.clone(),
        };
        let complete = peer.exchange != Exchange::Prenegotiation;
        let repeated = self
            .peer
            .replace(peer)
            .is_some_and(|before| self.sent && Some(&before) == self.peer.as_ref());
        if repeated {
            return Ok(NegotiationStep::Wait);
        }
        if complete && self.sent {
            return Ok(NegotiationStep::Done(agreed));
        }
        self.sent = true;
        let mut answer = self.local.clone();
        (answer.exchange, answer.role) = (Exchange::Proceeding, role);
        let answer = answer.emit();
        Ok(if complete {
            NegotiationStep::SendAndDone(answer, agreed)
        } else {
            NegotiationStep::Send(answer)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(id_number: u32, role: StationRole, name: &str) -> Xid3 {
        Xid3 {
            id_block: 0x05D,
            id_number,
            exchange: Exchange::Prenegotiation,
            segments_binds: true,
            receives_segmented_binds: true,
            adaptive_bind_pacing: true,
            role,
            max_btu_bytes: 1033,
            window: 7,
            cp_name: name.into(),
        }
    }

    /// Runs an exchange that `a` begins. Returns both agreements.
    fn exchange(a: Xid3, b: Xid3) -> Result<[Option<XidAgreement>; 2], XidError> {
        let mut sides = [XidNegotiation::new(a), XidNegotiation::new(b)];
        let mut agreed = [None, None];
        let mut flight = Some((1, sides[0].begin()));
        for _ in 0..10 {
            let Some((to, info)) = flight.take() else {
                break;
            };
            match sides[to].handle(&info)? {
                NegotiationStep::Send(info) => flight = Some((1 - to, info)),
                NegotiationStep::SendAndDone(info, with) => {
                    agreed[to] = Some(with);
                    flight = Some((1 - to, info));
                }
                NegotiationStep::Done(with) => agreed[to] = Some(with),
                NegotiationStep::Wait => {}
            }
        }
        Ok(agreed)
    }

    #[test]
    fn a_name_that_is_taken_is_refused_as_a_second_transmission_group() {
        let one = XidNegotiation::new(node(1, StationRole::Negotiable, "NET.A"));
        let word = one.refusal(&XidError::NameTaken).unwrap();
        let (offset, sense) = (16, Sense::TG_NUMBER);
        let reply = XidNegotiation::new(node(2, StationRole::Negotiable, "NET.A")).handle(&word);
        assert_eq!(reply, Err(XidError::Refused { offset, sense }));
    }

    #[test]
    fn the_higher_identification_becomes_primary() {
        for (a, b) in [(1, 2), (2, 1)] {
            let [here, there] = exchange(
                node(a, StationRole::Negotiable, "NET.A"),
                node(b, StationRole::Negotiable, "NET.B"),
            )
            .unwrap();
            let (here, there) = (here.unwrap(), there.unwrap());
            assert_eq!(here.role == StationRole::Primary, a > b);
            assert_eq!(there.role == StationRole::Primary, b > a);
            assert_eq!(here.peer.cp_name, "NET.B");
            assert_eq!(there.peer.max_btu_bytes, 1033);
        }
    }

    #[test]
    fn roles_and_identifications_that_cannot_agree_are_named() {
        let with = |role| exchange(node(1, role, ""), node(1, role, "")).unwrap_err();
        assert_eq!(
            with(StationRole::Primary),
            XidError::Roles(StationRole::Primary)
        );
        assert_eq!(with(StationRole::Negotiable), XidError::SameId(0x05D0_0001));
        let [here, _] = exchange(
            node(9, StationRole::Secondary, ""),
            node(1, StationRole::Negotiable, ""),
        )
        .unwrap();
        assert_eq!(here.unwrap().role, StationRole::Secondary);
    }

    #[test]
    fn an_xid_is_read_as_it_was_written() {
        let xid = node(0x17, StationRole::Negotiable, "APPN.ALPHA");
        let bytes = xid.emit();
        assert_eq!(bytes[..6], [0x32, 42, 0x05, 0xD0, 0, 0x17]);
        assert_eq!(Xid3::parse(&bytes), Ok(xid));
    }

    /// HP SNAplus2 Diagnostics Guide, appendix A: what it prints of this XID is
    /// a sender with INIT-SELF, independent logical units and BIND segments
    /// either way, ACTPU asked for, prenegotiation, adaptive BIND pacing, an
    /// ABM station that is secondary and two-way simultaneous, a largest BTU of
    /// X'409' and an I-frame number of 7.
    const PUBLISHED: &str = "32540110 00020000 000AD100 00000000 00010B41 00040900 00000007
        000E0AF4 C1D7D7D5 4BD4D6D6 D5102900 28110C08 04F0F6F0 F0F0F609 06E2D5C1 E2E3C1D9
        03084011 0FE2D5C1 E2E3C1D9 40D3C9D4 C9E3C5C4";

    fn hex(text: &str) -> Vec<u8> {
        base::hex::bytes(&text.split_whitespace().collect::<String>()).unwrap()
    }

    #[test]
    fn a_published_xid_reads_as_in_its_guide() {
        let bytes = hex(PUBLISHED);
        assert_eq!(bytes.len(), usize::from(bytes[1]));
        let xid = Xid3::parse(&bytes).unwrap();
        let expected = Xid3 {
            id_block: 0x011,
            id_number: 0x0_0002,
            exchange: Exchange::Prenegotiation,
            segments_binds: true,
            receives_segmented_binds: true,
            adaptive_bind_pacing: true,
            role: StationRole::Secondary,
            max_btu_bytes: 0x409,
            window: 7,
            cp_name: "APPN.MOON".into(),
        };
        assert_eq!(xid, expected);
        // The own fields differ in two bits: neither INIT-SELF nor ACTPU; and
        // there are no PU capabilities, nor a product set vector.
        let ours = expected.emit();
        let mut theirs = bytes[..ours.len()].to_vec();
        theirs[1] = ours.len() as u8;
        theirs[8] |= NO_INIT_SELF;
        theirs[9] = theirs[9] & !0x02 | NO_ACTPU;
        theirs[10] &= 0xC0;
        assert_eq!(ours, theirs);
    }

    #[test]
    fn each_fault_has_its_sense_and_is_reported() {
        let good = node(1, StationRole::Negotiable, "NET.A").emit();
        type Change = fn(&mut Vec<u8>);
        let cases: [(Change, u32, usize); 7] = [
            (|x| x.truncate(28), 0x1015_0001, 28),
            (|x| x[1] += 9, 0x1015_0002, 1),
            (|x| x[0] = 0x12, 0x1016_0004, 0),
            (|x| x[27] = 0, 0x1016_0001, 27),
            (|x| x[21..23].copy_from_slice(&[0, 98]), 0x1016_0003, 21),
            (|x| x[8] |= WHOLE_BINDS_MADE, 0x1016_0005, 8),
            (|x| x[30] = 99, 0x0895_0E01, 30),
        ];
        for (change, sense, offset) in cases {
            let mut bytes = good.clone();
            change(&mut bytes);
            let mut negotiation = XidNegotiation::new(node(2, StationRole::Negotiable, "NET.B"));
            let why = negotiation.handle(&bytes).unwrap_err();
            assert_eq!(why.sense(), Some((Sense(sense), offset)), "{why}");
            let word = negotiation.refusal(&why).unwrap();
            let mut peer = XidNegotiation::new(node(1, StationRole::Negotiable, "NET.A"));
            let reply = peer.handle(&word).unwrap_err();
            let offset = offset as u16;
            let sense = Sense(sense);
            assert_eq!(reply, XidError::Refused { offset, sense });
            assert_eq!(peer.refusal(&reply), None, "one word is enough");
        }
    }

    proptest! {
        #[test]
        fn any_xid_is_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..70)) {
            let _ = Xid3::parse(&bytes);
            if bytes.len() > 30 {
                (bytes[0], bytes[1], bytes[18]) = (0x32, bytes.len() as u8, 11);
                let mut negotiation = XidNegotiation::new(node(1, StationRole::Negotiable, ""));
                let _ = negotiation.handle(&bytes);
                let _ = negotiation.handle(&bytes);
            }
        }
    }
}
