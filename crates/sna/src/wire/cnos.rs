//! Change number of sessions: how two LUs agree on session limits of a mode.
//!
//! ```text
//!  4 service flag    7 drain            11 min winners, source
//!  5 reply modifier  8 responsible      13 min winners, target
//!  6 action          9 session limit    15 flags  16 length  17 mode name
//! ```
//! Offsets count the length and the identifier of the GDS variable 1210.
//! Reference: IBM *SNA Formats* (GA27-3136), "Change Number of Sessions".

use super::gds;
use super::reader::{Error, Reader, Result, put_counted};

/// The meaning of a session-limit request or reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repr {
    /// Request, reply, or reply that refuses.
    pub service: CnosService,
    /// Why, in replies; a [`ReplyModifier`] value.
    pub modifier: u8,
    /// The action: 0 set, 1 reserved, 2 close.
    pub action: u8,
    /// Whether the source may process waiting requests before it closes.
    pub drain_source: bool,
    /// The target may.
    pub drain_target: bool,
    /// The target ends sessions that are too many, not the source.
    pub target_responsible: bool,
    /// The number of sessions.
    pub limit: u16,
    /// The number of of them the source wins at least.
    pub min_winners_source: u16,
    /// The number of of them the target wins at least.
    pub min_winners_target: u16,
    /// For all modes.
    pub all_modes: bool,
    /// Mode name, EBCDIC, without padding.
    pub mode: Vec<u8>,
}

/// The kind of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CnosService {
    /// A request.
    Request,
    /// A reply that accepts, perhaps lower.
    Accepted,
    /// A reply that refuses.
    Refused,
    /// A flag that the table does not have.
    Other(u8),
}

/// Reply modifiers.
pub enum ReplyModifier {}

#[allow(missing_docs, reason = "the names say it")]
impl ReplyModifier {
    pub const NORMAL: u8 = 0;
    pub const COMMAND_RACE: u8 = 1;
    pub const MODE_NOT_RECOGNIZED: u8 = 2;
    pub const NEGOTIATED: u8 = 4;
    pub const LIMIT_CLOSED: u8 = 5;
}

impl Repr {
    /// The meaning of these bytes, which start at the length of the variable.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let (variable, _) = gds::Packet::parse(bytes)?;
        if variable.id != gds::CNOS {
            return Err(Error::Value {
                what: WHAT,
                offset: 2,
            });
        }
        let mut r = Reader::starting_at(WHAT, bytes, gds::HEADER);
        let service = match r.u8()? {
            0x02 => CnosService::Request,
            0x0A => CnosService::Accepted,
            0x08 => CnosService::Refused,
            other => CnosService::Other(other),
        };
        let modifier = r.u8()?;
        let action = r.u8()?;
        let drain = r.u8()?;
        let responsible = r.u8()?;
        let limit = r.u16()?;
        let source = r.u16()?;
        let target = r.u16()?;
        let flags = r.u8()?;
        let mode = r.counted()?;
        let end = mode
            .iter()
            .rposition(|b| *b != crate::ebcdic::SPACE)
            .map_or(0, |at| at + 1);
        Ok(Repr {
            service,
            modifier,
            action,
            drain_source: drain & 0x10 != 0,
            drain_target: drain & 0x01 != 0,
            target_responsible: responsible & 0x01 != 0,
            limit,
            min_winners_source: source,
            min_winners_target: target,
            all_modes: flags & 0x01 != 0,
            mode: mode[..end].to_vec(),
        })
    }

    /// The whole GDS variable.
    pub fn emit(&self) -> Vec<u8> {
        let bit = |on: bool, mask: u8| if on { mask } else { 0 };
        let mut data = vec![
            match self.service {
                CnosService::Request => 0x02,
                CnosService::Accepted => 0x0A,
                CnosService::Refused => 0x08,
                CnosService::Other(value) => value,
            },
            self.modifier,
            self.action,
            bit(self.drain_source, 0x10) | bit(self.drain_target, 0x01),
            bit(self.target_responsible, 0x01),
        ];
        data.extend_from_slice(&self.limit.to_be_bytes());
        data.extend_from_slice(&self.min_winners_source.to_be_bytes());
        data.extend_from_slice(&self.min_winners_target.to_be_bytes());
        data.push(bit(self.all_modes, 0x01));
        let mut mode = self.mode.clone();
        mode.resize(MODE_LEN, crate::ebcdic::SPACE);
        put_counted(&mut data, &mode);
        let mut out = Vec::new();
        gds::Packet {
            id: gds::CNOS,
            data: &data,
        }
        .emit(&mut out);
        out
    }
}

const WHAT: &str = "CNOS";
const MODE_LEN: usize = 8;
