//! The COBOL types of host variables.
//!
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "Equivalent
//! SQL and COBOL data types".

use crate::types::SqlType;

/// The place of a zoned number's sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum SignPlace {
    /// No sign.
    Unsigned = 0,
    /// In the last digit's zone.
    Trailing = 1,
    /// In the first digit's zone.
    Leading = 2,
    /// A byte after the digits.
    TrailingSeparate = 3,
    /// A byte before the digits.
    LeadingSeparate = 4,
}

/// The type of a host variable. Lengths count bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CobolType {
    /// PIC X(n), or a group that is passed as text.
    Char(u32),
    /// Level-49 length and text; `big_endian` for COMP, the machine's own order
    /// for COMP-5.
    Varchar {
        /// Bytes of the text.
        most: u32,
        /// Order of the length's bytes.
        big_endian: bool,
    },
    /// SQL TYPE IS CLOB or BLOB: a length of four bytes and the value.
    Lob {
        /// Bytes of the value.
        most: u32,
        /// Whether it is bytes, not text.
        binary: bool,
        /// Order of the length's bytes.
        big_endian: bool,
    },
    /// SQL TYPE IS BINARY.
    Binary(u32),
    /// SQL TYPE IS VARBINARY: a length of two bytes and the value.
    Varbinary {
        /// Bytes of the value.
        most: u32,
        /// Order of the length's bytes.
        big_endian: bool,
    },
    /// USAGE DISPLAY.
    Zoned {
        /// Digits.
        digits: u8,
        /// Digits after the point.
        scale: i8,
        /// The place of the sign.
        sign: SignPlace,
    },
    /// COMP-3.
    Packed {
        /// Digits.
        digits: u8,
        /// Digits after the point.
        scale: i8,
        /// Whether it has a sign.
        signed: bool,
    },
    /// COMP, COMP-4, BINARY (big-endian) and COMP-5 (the machine's own order).
    Integer {
        /// 2, 4 or 8.
        bytes: u8,
        /// Digits of the picture; values of COMP are limited by them.
        digits: u8,
        /// Digits after the point.
        scale: i8,
        /// Whether it has a sign.
        signed: bool,
        /// Order of the bytes.
        big_endian: bool,
    },
    /// COMP-1.
    Float4,
    /// COMP-2.
    Float8,
}

impl CobolType {
    /// Bytes of the field.
    pub fn length(self) -> u32 {
        match self {
            CobolType::Char(n) | CobolType::Binary(n) => n,
            CobolType::Varchar { most, .. } | CobolType::Varbinary { most, .. } => {
                most.saturating_add(2)
            }
            CobolType::Lob { most, .. } => most.saturating_add(4),
            CobolType::Zoned { digits, sign, .. } => {
                let separate = matches!(
                    sign,
                    SignPlace::TrailingSeparate | SignPlace::LeadingSeparate
                );
                u32::from(digits) + u32::from(separate)
            }
            CobolType::Packed { digits, .. } => u32::from(digits) / 2 + 1,
            CobolType::Integer { bytes, .. } => u32::from(bytes),
            CobolType::Float4 => 4,
            CobolType::Float8 => 8,
        }
    }

    /// The type of Db2 that the field has in a statement.
    pub fn sql_type(self) -> SqlType {
        let scale = |digits: u8, scale: i8| {
            let scale = u8::try_from(scale).unwrap_or(0);
            SqlType::Decimal(digits.max(scale), scale)
        };
        match self {
            CobolType::Char(n) => SqlType::Char(n),
            CobolType::Varchar { most, .. } => SqlType::Varchar(most),
            CobolType::Lob { most, binary, .. } => {
                if binary {
                    SqlType::Blob(most)
                } else {
                    SqlType::Clob(most)
                }
            }
            CobolType::Binary(n) => SqlType::Binary(n),
            CobolType::Varbinary { most, .. } => SqlType::Varbinary(most),
            CobolType::Zoned {
                digits, scale: s, ..
            }
            | CobolType::Packed {
                digits, scale: s, ..
            } => scale(digits, s),
            CobolType::Integer {
                bytes,
                digits,
                scale: s,
                ..
            } => match (s, bytes) {
                (0, 2) => SqlType::Smallint,
                (0, 4) => SqlType::Integer,
                (0, _) => SqlType::Bigint,
                _ => scale(digits, s),
            },
            CobolType::Float4 => SqlType::Real,
            CobolType::Float8 => SqlType::Double,
        }
    }

    /// Whether the COBOL type is a number.
    pub fn is_number(self) -> bool {
        self.sql_type().is_number()
    }
}
