//! FMH-5, Attach: starts a transaction program at the partner.
//!
//! ```text
//! len 05 02FF flags 03 type 00 sync | TPN | security | LUWID | correlator ..
//! ```
//! Every part from the name on has its length in front, and parts may be left
//! out from the end.
//! Reference: IBM *SNA Formats* (GA27-3136), "FM Header 5: Attach".

use super::Sense;
use super::reader::{Reader, Result, put_counted};
use super::security::AccessSecurity;

/// FM header type.
pub const TYPE: u8 = 5;

/// The meaning of an Attach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repr {
    /// The sender has verified the user.
    pub already_verified: bool,
    /// Bits 1 and 2: persistent verification, and the signed-on state.
    pub persistent: u8,
    /// The password field holds a substitute for the password.
    pub password_substitute: bool,
    /// Program initialisation parameters follow the header.
    pub pip: bool,
    /// Mapped conversation, not basic.
    pub mapped: bool,
    /// Full duplex, which this stack does not take.
    pub full_duplex: bool,
    /// Sync level bits: 0 none, 1 confirm, 2 sync point.
    pub sync: u8,
    /// Name of the program, EBCDIC.
    pub tpn: Vec<u8>,
    /// The user and password of the requester.
    pub access: AccessSecurity,
    /// Logical unit of work, unparsed; empty when left out.
    pub luwid: Vec<u8>,
    /// Conversation correlator; empty when left out.
    pub correlator: Vec<u8>,
}

impl Repr {
    /// An Attach of this program with nothing optional.
    pub fn new(tpn: &[u8], mapped: bool, sync: u8) -> Repr {
        Repr {
            already_verified: false,
            persistent: 0,
            password_substitute: false,
            pip: false,
            mapped,
            full_duplex: false,
            sync,
            tpn: tpn.to_vec(),
            access: AccessSecurity::default(),
            luwid: Vec::new(),
            correlator: Vec::new(),
        }
    }

    /// The meaning of the header at the start of these bytes, and how long it
    /// is. On failure, the sense that the Attach earned.
    pub fn parse(bytes: &[u8]) -> std::result::Result<(Repr, usize), Sense> {
        let len = usize::from(*bytes.first().ok_or(Sense::FMH_LENGTH)?);
        let header = bytes.get(..len).ok_or(Sense::FMH_LENGTH)?;
        let mut r = Reader::new("FMH-5", header);
        let fixed = r.take(4).map_err(|_| Sense::FMH_LENGTH)?;
        if fixed[1] & 0x7F != TYPE {
            return Err(Sense::FMH_TYPE);
        }
        if fixed[2..4] != COMMAND {
            return Err(Sense::FMH_COMMAND);
        }
        let flags = r.u8().map_err(|_| Sense::FMH_LENGTH)?;
        let fixed = r.counted().map_err(|_| Sense::FMH_LENGTH)?;
        let &[kind, _, sync, ..] = fixed else {
            return Err(Sense::ATTACH_PARAMETER);
        };
        if kind & 0xFC != 0xD0 {
            return Err(Sense::ATTACH_PARAMETER);
        }
        let tpn = r.counted().map_err(|_| Sense::FMH_LENGTH)?;
        let mut optional = || -> Result<&[u8]> {
            if r.is_empty() {
                return Ok(&[]);
            }
            r.counted()
        };
        let access = optional().map_err(|_| Sense::FMH_LENGTH)?;
        let access = AccessSecurity::parse(access).map_err(|_| Sense::FMH_SECURITY_LENGTH)?;
        let luwid = optional().map_err(|_| Sense::FMH_LENGTH)?.to_vec();
        let correlator = optional().map_err(|_| Sense::FMH_LENGTH)?.to_vec();
        // Later levels add an attach sequence number and more; not needed here.
        let repr = Repr {
            already_verified: flags & 0x80 != 0,
            persistent: flags & 0x60,
            password_substitute: flags & 0x10 != 0,
            pip: flags & 0x08 != 0,
            mapped: kind & 1 != 0,
            full_duplex: kind & 2 != 0,
            sync: sync >> 6,
            tpn: tpn.to_vec(),
            access,
            luwid,
            correlator,
        };
        Ok((repr, len))
    }

    /// The header's bytes. Parts that are empty are left out from the end, but
    /// the security part always has its length.
    pub fn emit(&self) -> Vec<u8> {
        let bit = |on: bool, mask: u8| if on { mask } else { 0 };
        let mut out = vec![0, TYPE, COMMAND[0], COMMAND[1]];
        out.push(
            bit(self.already_verified, 0x80)
                | self.persistent & 0x60
                | bit(self.password_substitute, 0x10)
                | bit(self.pip, 0x08),
        );
        let kind = 0xD0 | bit(self.mapped, 1) | bit(self.full_duplex, 2);
        out.extend_from_slice(&[3, kind, 0, self.sync << 6]);
        put_counted(&mut out, &self.tpn[..self.tpn.len().min(TPN)]);
        put_counted(&mut out, &self.access.emit());
        if !self.luwid.is_empty() || !self.correlator.is_empty() {
            put_counted(&mut out, &self.luwid[..self.luwid.len().min(LUWID)]);
        }
        if !self.correlator.is_empty() {
            put_counted(&mut out, &self.correlator[..self.correlator.len().min(8)]);
        }
        // 9 + 65 + 199 would pass 255 only if all parts had their most; then
        // the length byte says the most it can.
        out.truncate(255);
        out[0] = out.len() as u8;
        out
    }
}

const COMMAND: [u8; 2] = [0x02, 0xFF];
const TPN: usize = 64;
const LUWID: usize = 26;
