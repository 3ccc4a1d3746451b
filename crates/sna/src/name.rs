//! The names of SNA: logical units, modes, transaction programs, users.
//!
//! Each is a newtype with the check its symbol-string type asks for, so that a
//! name which exists can always be put on the wire.
//! Reference: IBM *SNA Formats* (GA27-3136), symbol-string types A and 1134.

use crate::ebcdic;
use std::fmt;
use std::str::FromStr;

/// Why a text is not a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Empty where a name must be, or too long.
    #[error("{what} `{text}` must have {min} to {max} characters")]
    Length {
        /// Which kind of name.
        what: &'static str,
        /// The text given.
        text: String,
        /// Fewest characters.
        min: usize,
        /// Most characters.
        max: usize,
    },
    /// A character that the symbol-string type does not have.
    #[error("{what} `{text}` contains `{character}`, which is not allowed")]
    Character {
        /// Which kind of name.
        what: &'static str,
        /// The text given.
        text: String,
        /// The character at fault.
        character: char,
    },
}

/// The name of a logical unit: `LUNAME`, or `NETID.LUNAME` when it is
/// qualified by its network. Each part is 1 to 8 type-A characters.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LuName(Box<str>);

/// The name of a mode: at most 8 type-A characters; empty is the blank mode.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ModeName(Box<str>);

/// The name of a transaction program: 1 to 64 EBCDIC bytes. Service programs
/// start with a byte below `X'40'` (`X'06F1'` is the session-limit program).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TpName(Box<[u8]>);

impl LuName {
    /// The name as EBCDIC.
    pub fn to_ebcdic(&self) -> Vec<u8> {
        ebcdic::from_str(&self.0)
    }

    /// A name a peer sent in EBCDIC; blanks at its end are not part of it.
    pub fn from_ebcdic(bytes: &[u8]) -> Result<LuName, NameError> {
        ebcdic::to_string(bytes)
            .trim_end_matches([' ', '\0'])
            .parse()
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the dot, if there is one.
    pub fn network(&self) -> Option<&str> {
        self.0.split_once('.').map(|(net, _)| net)
    }

    /// The part after the dot, or all of it.
    pub fn lu(&self) -> &str {
        self.0.split_once('.').map_or(&self.0, |(_, lu)| lu)
    }
}

impl ModeName {
    /// The name as EBCDIC, without padding.
    pub fn to_ebcdic(&self) -> Vec<u8> {
        ebcdic::from_str(&self.0)
    }

    /// A name a peer sent in EBCDIC; blanks at its end are not part of it.
    pub fn from_ebcdic(bytes: &[u8]) -> Result<ModeName, NameError> {
        ebcdic::to_string(bytes)
            .trim_end_matches([' ', '\0'])
            .parse()
    }

    /// The name as text; empty for the blank mode.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TpName {
    /// A name of these EBCDIC bytes.
    pub fn from_ebcdic(bytes: &[u8]) -> Result<TpName, NameError> {
        if bytes.is_empty() || bytes.len() > TP_NAME_BYTES {
            return Err(NameError::Length {
                what: TP,
                text: ebcdic::to_string(&bytes[..bytes.len().min(TP_NAME_BYTES)]),
                min: 1,
                max: TP_NAME_BYTES,
            });
        }
        Ok(TpName(bytes.into()))
    }

    /// The name's EBCDIC bytes.
    pub fn as_ebcdic(&self) -> &[u8] {
        &self.0
    }

    /// Whether the name belongs to the service programs of the node itself.
    pub fn is_service(&self) -> bool {
        self.0.first().is_some_and(|b| *b < ebcdic::SPACE)
    }
}

impl FromStr for LuName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<LuName, NameError> {
        let mut parts = 0;
        for part in text.split('.') {
            parts += 1;
            check(LU, part, 1, 8)?;
        }
        if parts > 2 {
            return Err(NameError::Character {
                what: LU,
                text: text.into(),
                character: '.',
            });
        }
        Ok(LuName(text.to_ascii_uppercase().into()))
    }
}

impl FromStr for ModeName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<ModeName, NameError> {
        let text = text.trim_end();
        check("mode", text, 0, 8)?;
        Ok(ModeName(text.to_ascii_uppercase().into()))
    }
}

impl FromStr for TpName {
    type Err = NameError;
    /// A name in characters. `X'06F1'` gives a service program's bytes.
    fn from_str(text: &str) -> Result<TpName, NameError> {
        if let Some(hex) = text.strip_prefix("X'").and_then(|t| t.strip_suffix('\'')) {
            let bytes: Option<Vec<u8>> = hex
                .as_bytes()
                .chunks(2)
                .map(|two| {
                    let two = std::str::from_utf8(two).ok()?;
                    (two.len() == 2)
                        .then(|| u8::from_str_radix(two, 16).ok())
                        .flatten()
                })
                .collect();
            if let Some(bytes) = bytes {
                return TpName::from_ebcdic(&bytes);
            }
        }
        if let Some(character) = text.chars().find(|c| u32::from(*c) > 0xFF) {
            return Err(NameError::Character {
                what: TP,
                text: text.into(),
                character,
            });
        }
        TpName::from_ebcdic(&ebcdic::from_str(text))
    }
}

impl fmt::Display for LuName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for ModeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for TpName {
    /// Characters, or `X'06F1'` for a service program and for unprintable
    /// names.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.iter().all(|b| *b >= ebcdic::SPACE && *b != 0xFF) {
            f.write_str(&ebcdic::to_string(&self.0))
        } else {
            f.write_str("X'")?;
            self.0.iter().try_for_each(|b| write!(f, "{b:02X}"))?;
            f.write_str("'")
        }
    }
}

macro_rules! debug_as_display {
    ($($name:ty),*) => {$(
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "`{self}`")
            }
        }
    )*};
}
debug_as_display!(LuName, ModeName, TpName);

fn check(what: &'static str, text: &str, min: usize, max: usize) -> Result<(), NameError> {
    if let Some(character) = text
        .chars()
        .find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '$')))
    {
        return Err(NameError::Character {
            what,
            text: text.into(),
            character,
        });
    }
    if text.len() < min || text.len() > max {
        return Err(NameError::Length {
            what,
            text: text.into(),
            min,
            max,
        });
    }
    Ok(())
}

const LU: &str = "LU name";
const TP: &str = "TP name";
/// The longest transaction program name, as CPI-C has it.
pub const TP_NAME_BYTES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_qualified_name_has_two_parts() {
        let name: LuName = "appn.alpha".parse().unwrap();
        assert_eq!((name.network(), name.lu()), (Some("APPN"), "ALPHA"));
        assert_eq!(LuName::from_ebcdic(&name.to_ebcdic()).unwrap(), name);
        for bad in ["", "A.B.C", "TOOLONGNAME", "A.", "A B", "Ä"] {
            assert!(bad.parse::<LuName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn service_programs_are_written_in_hex() {
        let cnos: TpName = "X'06F1'".parse().unwrap();
        assert!(cnos.is_service());
        assert_eq!(cnos.to_string(), "X'06F1'");
        assert_eq!("APINGD".parse::<TpName>().unwrap().to_string(), "APINGD");
        assert!("".parse::<TpName>().is_err());
    }

    #[test]
    fn a_blank_mode_is_a_mode() {
        assert_eq!(ModeName::from_ebcdic(&[0x40; 8]).unwrap().as_str(), "");
        assert_eq!("#INTER".parse::<ModeName>().unwrap().as_str(), "#INTER");
    }
}
