//! Attention identifiers: the first byte of what a terminal sends.
//!
//! Reference: GA23-0059, "Attention identification (AID)".

/// Why a terminal sends a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aid {
    /// No key: the answer to a read before any key, X'60'.
    NoAid,
    /// No key, of a printer, X'E8'.
    NoAidPrinter,
    /// ENTER.
    Enter,
    /// Program function key 1 to 24.
    Pf(u8),
    /// Program attention key 1 to 3.
    Pa(u8),
    /// CLEAR.
    Clear,
    /// Cursor select or light pen.
    CursorSelect,
    /// Operator identification card.
    OperatorCard,
    /// Magnetic stripe reader.
    StripeReader,
    /// Test request or SYSREQ outside TN3270E.
    SysReq,
    /// Clear partition.
    ClearPartition,
    /// Trigger field.
    Trigger,
    /// Structured fields follow.
    StructuredField,
}

impl Aid {
    /// The identifier of this byte. Returns `None` if it is unknown.
    pub const fn parse(byte: u8) -> Option<Aid> {
        Some(match byte {
            0x60 => Aid::NoAid,
            0xE8 => Aid::NoAidPrinter,
            0x7D => Aid::Enter,
            0xF1..=0xF9 => Aid::Pf(byte - 0xF0),
            0x7A..=0x7C => Aid::Pf(byte - 0x7A + 10),
            0xC1..=0xC9 => Aid::Pf(byte - 0xC1 + 13),
            0x4A..=0x4C => Aid::Pf(byte - 0x4A + 22),
            0x6C => Aid::Pa(1),
            0x6E => Aid::Pa(2),
            0x6B => Aid::Pa(3),
            0x6D => Aid::Clear,
            0x7E => Aid::CursorSelect,
            0xE6 => Aid::OperatorCard,
            0xE7 => Aid::StripeReader,
            0xF0 => Aid::SysReq,
            0x6A => Aid::ClearPartition,
            0x7F => Aid::Trigger,
            0x88 => Aid::StructuredField,
            _ => return None,
        })
    }

    /// The byte of this identifier. Returns X'60' for keys that do not exist.
    pub const fn emit(self) -> u8 {
        match self {
            Aid::NoAid => 0x60,
            Aid::NoAidPrinter => 0xE8,
            Aid::Enter => 0x7D,
            Aid::Pf(key @ 1..=9) => 0xF0 + key,
            Aid::Pf(key @ 10..=12) => 0x7A + key - 10,
            Aid::Pf(key @ 13..=21) => 0xC1 + key - 13,
            Aid::Pf(key @ 22..=24) => 0x4A + key - 22,
            Aid::Pa(1) => 0x6C,
            Aid::Pa(2) => 0x6E,
            Aid::Pa(3) => 0x6B,
            Aid::Pf(_) | Aid::Pa(_) => 0x60,
            Aid::Clear => 0x6D,
            Aid::CursorSelect => 0x7E,
            Aid::OperatorCard => 0xE6,
            Aid::StripeReader => 0xE7,
            Aid::SysReq => 0xF0,
            Aid::ClearPartition => 0x6A,
            Aid::Trigger => 0x7F,
            Aid::StructuredField => 0x88,
        }
    }

    /// Whether a terminal sends this identifier alone, without cursor and
    /// fields.
    pub const fn is_short_read(self) -> bool {
        matches!(self, Aid::Pa(_) | Aid::Clear)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_byte_comes_back() {
        let known = (0..=255).filter_map(|byte| Some((byte, Aid::parse(byte)?)));
        let mut count = 0;
        for (byte, aid) in known {
            assert_eq!(aid.emit(), byte);
            count += 1;
        }
        assert_eq!(count, 24 + 3 + 11);
    }
}
