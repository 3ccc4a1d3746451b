//! BIND: the request that starts a session, and its response.
//!
//! ```text
//!  0   31            7  winner, vectors    14 LU type 06   23 security
//!  1   format 0      8  secondary send     15 level 02     24 sync, parallel
//!  2   FM profile    9  secondary receive  16-21 0         25 compression
//!  3   TS profile   10  RU secondary sends 22 extended     26 cryptography
//!  4,5 protocols    11  RU primary sends      security     27.. names, user
//!  6   segments     12  primary send                           data, vectors
//!                   13  primary receive
//! ```
//! Windows are in bits 2-7; bit 0 of byte 8 says two stages from secondary to
//! primary, bit 0 of byte 12 says *one* stage from primary to secondary, bit 0
//! of byte 9 asks for adaptive pacing.
//! Reference: IBM *SNA Formats* (GA27-3136), "BIND".

use super::reader::{self, Error, Reader, Result, put_counted};
use super::user_data::UserData;
use super::vectors::{self, ControlVector};

/// Request code.
pub const CODE: u8 = 0x31;

/// A checked view over the fixed part of a BIND.
#[derive(Clone, Copy, Debug)]
pub struct Packet<T> {
    buffer: T,
}

impl<T: AsRef<[u8]>> Packet<T> {
    /// The view, if the fixed part is whole and starts with the request code.
    pub fn new_checked(buffer: T) -> Result<Packet<T>> {
        let bytes = buffer.as_ref();
        reader::whole(WHAT, bytes, FIXED)?;
        reader::value(WHAT, 0, bytes[0] == CODE)?;
        Ok(Packet { buffer })
    }

    fn byte(&self, at: usize) -> u8 {
        self.buffer.as_ref()[at]
    }

    fn window(&self, at: usize) -> u8 {
        self.byte(at) & WINDOW
    }

    /// The sender cannot put segments together.
    pub fn whole_bius(&self) -> bool {
        self.byte(6) & 0x80 != 0
    }

    /// The primary is contention winner.
    pub fn primary_wins(&self) -> bool {
        self.byte(7) & 0x10 != 0
    }

    /// Control vectors follow the secondary LU's name.
    pub fn has_vectors(&self) -> bool {
        self.byte(7) & 0x02 != 0
    }

    /// The pacing fields.
    pub fn pacing(&self) -> Pacing {
        Pacing {
            adaptive: self.byte(9) & 0x80 != 0,
            two_stage_to_primary: self.byte(8) & 0x80 != 0,
            two_stage_to_secondary: self.byte(12) & 0x80 == 0,
            secondary_send: self.window(8),
            secondary_receive: self.window(9),
            primary_send: self.window(12),
            primary_receive: self.window(13),
        }
    }
}

/// The pacing fields of a BIND. A window of 0 means no pacing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pacing {
    /// Adaptive pacing.
    pub adaptive: bool,
    /// Two stages from secondary to primary.
    pub two_stage_to_primary: bool,
    /// Two stages from primary to secondary.
    pub two_stage_to_secondary: bool,
    /// The secondary's send window, in RUs, up to 63.
    pub secondary_send: u8,
    /// The secondary's receive window.
    pub secondary_receive: u8,
    /// The primary's send window.
    pub primary_send: u8,
    /// The primary's receive window.
    pub primary_receive: u8,
}

/// Which sync levels a session's conversations may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SyncLevels {
    /// None and confirm (01).
    Confirm,
    /// None, confirm and sync point (10).
    SyncPoint,
    /// Bits that the table does not have (00 or 11).
    Other(u8),
}

/// The meaning of a BIND request or response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repr {
    /// Format and type; 0 is the negotiable one.
    pub format: u8,
    /// FM profile; 19.
    pub fm_profile: u8,
    /// TS profile; 7.
    pub ts_profile: u8,
    /// Protocols of the primary and of the secondary.
    pub protocols: [u8; 2],
    /// The sender cannot put segments together.
    pub whole_bius: bool,
    /// Byte 6 without the first bit.
    pub common: u8,
    /// The primary is contention winner.
    pub primary_wins: bool,
    /// Byte 7 without contention winner and vectors.
    pub half_duplex: u8,
    /// Pacing.
    pub pacing: Pacing,
    /// Largest RU the secondary sends, as the size byte.
    pub secondary_ru: u8,
    /// Largest RU the primary sends, as the size byte.
    pub primary_ru: u8,
    /// LU type; 6.
    pub lu_type: u8,
    /// LU level; 2.
    pub lu_level: u8,
    /// Bytes 22 and 23: the access security that the sender accepts.
    pub security: [u8; 2],
    /// Sync levels.
    pub sync: SyncLevels,
    /// Session reinitiation bits of byte 24 (and its unused first bit).
    pub reinitiation: u8,
    /// Parallel sessions.
    pub parallel: bool,
    /// Session limits are exchanged (change number of sessions).
    pub cnos: bool,
    /// Byte 25: limited resource and compression.
    pub compression: u8,
    /// Byte 26, and the cryptography bytes it counts.
    pub cryptography: (u8, Vec<u8>),
    /// Name of the primary LU, EBCDIC; empty in responses.
    pub plu: Vec<u8>,
    /// User data.
    pub user: UserData,
    /// User request correlation.
    pub correlation: Vec<u8>,
    /// Name of the secondary LU, EBCDIC; empty in responses.
    pub slu: Vec<u8>,
    /// Control vectors. `None` if byte 7 does not announce them.
    pub vectors: Vec<ControlVector>,
    /// Offset of the user data's first byte; filled by `parse`.
    pub user_offset: usize,
    /// Offset of the secondary LU's name; filled by `parse`.
    pub slu_offset: usize,
}

impl Default for Repr {
    /// A request of LU type 6.2 with no names in it.
    fn default() -> Self {
        Repr {
            format: 0,
            fm_profile: 0x13,
            ts_profile: 0x07,
            protocols: [PROTOCOL, PROTOCOL],
            whole_bius: false,
            common: COMMON,
            primary_wins: true,
            half_duplex: HALF_DUPLEX,
            pacing: Pacing::default(),
            secondary_ru: 0x85,
            primary_ru: 0x85,
            lu_type: 6,
            lu_level: 2,
            security: [0, 0],
            sync: SyncLevels::Confirm,
            reinitiation: 0,
            parallel: true,
            cnos: true,
            compression: 0,
            cryptography: (0, Vec::new()),
            plu: Vec::new(),
            user: UserData::default(),
            correlation: Vec::new(),
            slu: Vec::new(),
            vectors: Vec::new(),
            user_offset: 0,
            slu_offset: 0,
        }
    }
}

impl Repr {
    /// The meaning of these bytes. Fields that are left out at the end count
    /// as empty, as peers do leave them out.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let p = Packet::new_checked(bytes)?;
        let mut r = Reader::starting_at(WHAT, bytes, FIXED);
        let crypto = p.byte(26);
        let crypto_data = r.take(usize::from(crypto & 0x0F))?.to_vec();
        let optional = |r: &mut Reader<'_>| -> Result<Vec<u8>> {
            if r.is_empty() {
                return Ok(Vec::new());
            }
            Ok(r.counted()?.to_vec())
        };
        let plu = optional(&mut r)?;
        let user_offset = r.offset() + 1;
        let user = optional(&mut r)?;
        let user = UserData::parse(&user).map_err(|e| Error::Value {
            what: WHAT,
            offset: user_offset + e.offset(),
        })?;
        let correlation = optional(&mut r)?;
        let slu_offset = r.offset() + 1;
        let slu = optional(&mut r)?;
        let vectors = if p.has_vectors() {
            vectors::parse(&mut r)?
        } else {
            Vec::new()
        };
        let sync = match p.byte(24) >> 5 & 3 {
            1 => SyncLevels::Confirm,
            2 => SyncLevels::SyncPoint,
            other => SyncLevels::Other(other),
        };
        Ok(Repr {
            format: p.byte(1),
            fm_profile: p.byte(2),
            ts_profile: p.byte(3),
            protocols: [p.byte(4), p.byte(5)],
            whole_bius: p.whole_bius(),
            common: p.byte(6) & 0x7F,
            primary_wins: p.primary_wins(),
            half_duplex: p.byte(7) & !0x12,
            pacing: p.pacing(),
            secondary_ru: p.byte(10),
            primary_ru: p.byte(11),
            lu_type: p.byte(14) & 0x7F,
            lu_level: p.byte(15),
            security: [p.byte(22), p.byte(23)],
            sync,
            reinitiation: p.byte(24) & 0x9C,
            parallel: p.byte(24) & 0x02 != 0,
            cnos: p.byte(24) & 0x01 != 0,
            compression: p.byte(25),
            cryptography: (crypto & 0xF0, crypto_data),
            plu,
            user,
            correlation,
            slu,
            vectors,
            user_offset,
            slu_offset,
        })
    }

    /// The bytes.
    pub fn emit(&self) -> Vec<u8> {
        let bit = |on: bool, mask: u8| if on { mask } else { 0 };
        let pacing = &self.pacing;
        let mut out = vec![0; FIXED];
        out[0] = CODE;
        out[1] = self.format;
        out[2] = self.fm_profile;
        out[3] = self.ts_profile;
        out[4..6].copy_from_slice(&self.protocols);
        out[6] = self.common & 0x7F | bit(self.whole_bius, 0x80);
        out[7] = self.half_duplex & !0x12
            | bit(self.primary_wins, 0x10)
            | bit(!self.vectors.is_empty(), 0x02);
        out[8] = pacing.secondary_send & WINDOW | bit(pacing.two_stage_to_primary, 0x80);
        out[9] = pacing.secondary_receive & WINDOW | bit(pacing.adaptive, 0x80);
        out[10] = self.secondary_ru;
        out[11] = self.primary_ru;
        out[12] = pacing.primary_send & WINDOW | bit(!pacing.two_stage_to_secondary, 0x80);
        out[13] = pacing.primary_receive & WINDOW;
        out[14] = self.lu_type & 0x7F;
        out[15] = self.lu_level;
        out[22..24].copy_from_slice(&self.security);
        let sync = match self.sync {
            SyncLevels::Confirm => 1,
            SyncLevels::SyncPoint => 2,
            SyncLevels::Other(bits) => bits & 3,
        };
        out[24] =
            self.reinitiation & 0x9C | sync << 5 | bit(self.parallel, 0x02) | bit(self.cnos, 0x01);
        out[25] = self.compression;
        let crypto = &self.cryptography.1[..self.cryptography.1.len().min(15)];
        out[26] = self.cryptography.0 & 0xF0 | crypto.len() as u8;
        out.extend_from_slice(crypto);
        put_counted(&mut out, &self.plu);
        put_counted(&mut out, &self.user.emit());
        put_counted(&mut out, &self.correlation);
        put_counted(&mut out, &self.slu);
        vectors::emit(&self.vectors, &mut out);
        out
    }
}

const WHAT: &str = "BIND";
/// Bytes before the names.
pub const FIXED: usize = 27;
const WINDOW: u8 = 0x3F;
/// The largest pacing window that fits into a BIND, in RUs.
pub const MOST_WINDOW: u8 = WINDOW;
/// Chains of many RUs, immediate request mode, any response, no compression,
/// the sender does not send end bracket.
pub const PROTOCOL: u8 = 0xB0;
/// FM headers allowed, bracket termination rule 1.
pub const COMMON: u8 = 0x50;
/// Half-duplex flip-flop, symmetric recovery, and the reset state.
pub const HALF_DUPLEX: u8 = 0xA1;
/// Byte 23: conversation-level security is taken.
pub const SECURITY_CONVERSATION: u8 = 0x10;
/// Byte 23: a user that the sender has verified is taken.
pub const SECURITY_VERIFIED: u8 = 0x02;
