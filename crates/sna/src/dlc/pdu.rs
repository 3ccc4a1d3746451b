//! 802.2 protocol data units: two service access points, a control field of one
//! or two bytes, and an information field.
//!
//! The addresses of a PDU on a link between two nodes are the same in both
//! directions; the low bit of the source SAP distinguishes a response from a
//! command.
//!
//! Reference: ISO/IEC 8802-2, sections 3 and 5.
//! Invariant: only extended (modulo 128) sequence numbers.

use thiserror::Error;

/// The service access point that SNA path control listens on by default.
pub const SAP_SNA: u8 = 0x04;
/// The null SAP, which answers TEST before a link exists.
pub const SAP_NULL: u8 = 0x00;
/// Bytes before the information field of an I frame.
pub const I_HEADER_BYTES: usize = 4;

/// A PDU as in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pdu<'a> {
    /// Destination SAP, its low (group) bit removed.
    pub dsap: u8,
    /// Source SAP without the command/response bit.
    pub ssap: u8,
    /// Whether this is a response.
    pub response: bool,
    /// The control field.
    pub control: ControlField,
    /// The information field; empty for supervisory frames.
    pub info: &'a [u8],
}

/// The control field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlField {
    /// Numbered information.
    I {
        /// Its own number, 0..=127.
        ns: u8,
        /// The number expected next from the other side.
        nr: u8,
        /// Poll or final.
        pf: bool,
    },
    /// Supervisory.
    S {
        /// Which one.
        kind: SupervisoryFrame,
        /// The number expected next from the other side.
        nr: u8,
        /// Poll or final.
        pf: bool,
    },
    /// Unnumbered.
    U {
        /// Which one.
        kind: UnnumberedFrame,
        /// Poll or final.
        pf: bool,
    },
}

/// Supervisory frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SupervisoryFrame {
    /// Receive ready.
    Rr,
    /// Receive not ready.
    Rnr,
    /// Reject: send again from N(R).
    Rej,
}

/// Unnumbered frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnnumberedFrame {
    /// Set asynchronous balanced mode extended.
    Sabme,
    /// Disconnect.
    Disc,
    /// Unnumbered acknowledgement.
    Ua,
    /// Disconnected mode.
    Dm,
    /// Frame reject.
    Frmr,
    /// Exchange identification.
    Xid,
    /// Test.
    Test,
    /// Unnumbered information.
    Ui,
}

/// Why bytes are not a PDU. `control` is the field as received, for a FRMR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PduError {
    /// Fewer bytes than a header has.
    #[error("a PDU of {0} bytes is shorter than its header")]
    Short(usize),
    /// A control field that 802.2 does not define.
    #[error("the control field X'{0:02X}' is not defined")]
    Control(u8),
    /// An information field where none is allowed.
    #[error("the control field X'{0:02X}' does not allow an information field")]
    Information(u8),
}

impl<'a> Pdu<'a> {
    /// Parses a PDU. `bytes` begin with the destination SAP and end with the
    /// information field, without 802.3 padding.
    pub fn parse(bytes: &'a [u8]) -> Result<Pdu<'a>, PduError> {
        let [dsap, ssap, first, rest @ ..] = bytes else {
            return Err(PduError::Short(bytes.len()));
        };
        let (control, info) = ControlField::parse(*first, rest)?;
        if !info.is_empty() && !control.allows_information() {
            return Err(PduError::Information(*first));
        }
        Ok(Pdu {
            dsap: dsap & 0xFE,
            ssap: ssap & 0xFE,
            response: ssap & 1 == 1,
            control,
            info,
        })
    }

    /// Appends the PDU's bytes to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[self.dsap, self.ssap | u8::from(self.response)]);
        let (first, second) = self.control.bytes();
        out.push(first);
        out.extend(second);
        out.extend_from_slice(self.info);
    }
}

impl ControlField {
    /// Parses the control field that begins with `first`. Returns it and the
    /// rest.
    fn parse(first: u8, rest: &[u8]) -> Result<(ControlField, &[u8]), PduError> {
        let supervisory = match first {
            0x01 => Some(SupervisoryFrame::Rr),
            0x05 => Some(SupervisoryFrame::Rnr),
            0x09 => Some(SupervisoryFrame::Rej),
            _ if first & 3 == 3 => {
                let kind =
                    UnnumberedFrame::from_bits(first & !PF_U).ok_or(PduError::Control(first))?;
                let pf = first & PF_U != 0;
                return Ok((ControlField::U { kind, pf }, rest));
            }
            _ if first & 1 == 1 => return Err(PduError::Control(first)),
            _ => None,
        };
        let (second, info) = rest.split_first().ok_or(PduError::Short(3))?;
        let (nr, pf) = (second >> 1, second & 1 == 1);
        let control = match supervisory {
            Some(kind) => ControlField::S { kind, nr, pf },
            None => ControlField::I {
                ns: first >> 1,
                nr,
                pf,
            },
        };
        Ok((control, info))
    }

    /// The one or two bytes on the wire.
    pub fn bytes(self) -> (u8, Option<u8>) {
        let second = |nr: u8, pf: bool| Some(nr << 1 | u8::from(pf));
        match self {
            ControlField::I { ns, nr, pf } => (ns << 1, second(nr, pf)),
            ControlField::S { kind, nr, pf } => (kind.bits(), second(nr, pf)),
            ControlField::U { kind, pf } => (kind.bits() | if pf { PF_U } else { 0 }, None),
        }
    }

    /// The poll or final bit.
    pub fn pf(self) -> bool {
        match self {
            ControlField::I { pf, .. }
            | ControlField::S { pf, .. }
            | ControlField::U { pf, .. } => pf,
        }
    }

    fn allows_information(self) -> bool {
        use UnnumberedFrame::{Frmr, Test, Ui, Xid};
        match self {
            ControlField::I { .. } => true,
            ControlField::S { .. } => false,
            ControlField::U { kind, .. } => matches!(kind, Frmr | Test | Ui | Xid),
        }
    }
}

impl SupervisoryFrame {
    fn bits(self) -> u8 {
        match self {
            SupervisoryFrame::Rr => 0x01,
            SupervisoryFrame::Rnr => 0x05,
            SupervisoryFrame::Rej => 0x09,
        }
    }
}

impl UnnumberedFrame {
    fn bits(self) -> u8 {
        match self {
            UnnumberedFrame::Sabme => 0x6F,
            UnnumberedFrame::Disc => 0x43,
            UnnumberedFrame::Ua => 0x63,
            UnnumberedFrame::Dm => 0x0F,
            UnnumberedFrame::Frmr => 0x87,
            UnnumberedFrame::Xid => 0xAF,
            UnnumberedFrame::Test => 0xE3,
            UnnumberedFrame::Ui => 0x03,
        }
    }

    fn from_bits(bits: u8) -> Option<UnnumberedFrame> {
        use UnnumberedFrame::{Disc, Dm, Frmr, Sabme, Test, Ua, Ui, Xid};
        [Sabme, Disc, Ua, Dm, Frmr, Xid, Test, Ui]
            .into_iter()
            .find(|kind| kind.bits() == bits)
    }
}

/// Where the P/F bit of an unnumbered control field lies.
const PF_U: u8 = 0x10;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_documented_control_fields_are_read() {
        for (byte, kind, pf) in [
            (0x7F, UnnumberedFrame::Sabme, true),
            (0x73, UnnumberedFrame::Ua, true),
            (0x53, UnnumberedFrame::Disc, true),
            (0x1F, UnnumberedFrame::Dm, true),
            (0x97, UnnumberedFrame::Frmr, true),
            (0xBF, UnnumberedFrame::Xid, true),
            (0xF3, UnnumberedFrame::Test, true),
            (0x03, UnnumberedFrame::Ui, false),
        ] {
            let bytes = [4, 5, byte];
            let pdu = Pdu::parse(&bytes).unwrap();
            assert_eq!(pdu.control, ControlField::U { kind, pf }, "{byte:02X}");
            assert!(pdu.response);
        }
        let pdu = Pdu::parse(&[4, 4, 0x0A, 0x07, 0x2C]).unwrap();
        let control = ControlField::I {
            ns: 5,
            nr: 3,
            pf: true,
        };
        assert_eq!((pdu.control, pdu.info), (control, &[0x2C][..]));
    }

    #[test]
    fn a_missing_second_control_byte_is_short_and_an_information_field_on_rr_is_wrong() {
        assert_eq!(Pdu::parse(&[4, 4, 0x01]), Err(PduError::Short(3)));
        assert_eq!(Pdu::parse(&[4, 4, 0x0D, 0]), Err(PduError::Control(0x0D)));
        assert_eq!(
            Pdu::parse(&[4, 4, 0x01, 0, 9]),
            Err(PduError::Information(1))
        );
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_the_same(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(pdu) = Pdu::parse(&bytes) {
                let mut out = Vec::new();
                pdu.emit(&mut out);
                prop_assert_eq!(out[2..].to_vec(), bytes[2..].to_vec());
            }
        }
    }
}
