//! Names as the resource definitions and commands have them.
//!
//! Each name is a newtype over the blank-padded field ([`Name`]), so that
//! comparing and hashing never depends on how a program padded it.
//! Reference: CICS resource definition attributes; API reference, command
//! argument values. Invariant: no name holds a NUL, a blank inside or a
//! character outside its own set.

use std::fmt;
use std::str::FromStr;

use crate::name::Name;

/// Why a text is not the name it should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// No character at all.
    #[error("a {kind} name is missing")]
    Empty {
        /// The kind of the named thing.
        kind: &'static str,
    },
    /// More characters than the field holds.
    #[error("{text:?} is longer than the {max} characters of a {kind} name")]
    TooLong {
        /// The kind of the named thing.
        kind: &'static str,
        /// The text.
        text: String,
        /// The longest that is allowed.
        max: usize,
    },
    /// A character that the manual does not allow.
    #[error("{text:?} has a character that a {kind} name may not have: {character:?}")]
    Character {
        /// The kind of the named thing.
        kind: &'static str,
        /// The text.
        text: String,
        /// The first such character.
        character: char,
    },
}

/// Which characters a name may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameAlphabet {
    /// A–Z 0–9 $ @ #; lower case is folded to upper case.
    Folded,
    /// A–Z a–z 0–9 $ @ # . / - _ % & ? ! : | " = , ; < >; case is kept.
    Wide,
}

impl NameAlphabet {
    fn accept(self, c: char) -> Option<u8> {
        let byte = u8::try_from(c).ok()?;
        match self {
            NameAlphabet::Folded => {
                let up = byte.to_ascii_uppercase();
                (up.is_ascii_alphanumeric() || b"$@#".contains(&up)).then_some(up)
            }
            NameAlphabet::Wide => (byte.is_ascii_alphanumeric()
                || b"$@#./-_%&?!:|\"=,;<>^".contains(&byte))
            .then_some(byte),
        }
    }
}

fn build<const N: usize>(
    kind: &'static str,
    alphabet: NameAlphabet,
    text: &str,
) -> Result<Name<N>, NameError> {
    let trimmed = text.trim_end_matches([' ', '\0']);
    if trimmed.is_empty() {
        return Err(NameError::Empty { kind });
    }
    let mut field = [b' '; N];
    for (count, c) in trimmed.chars().enumerate() {
        let byte = alphabet.accept(c).ok_or_else(|| NameError::Character {
            kind,
            text: trimmed.to_owned(),
            character: c,
        })?;
        if count == N {
            return Err(NameError::TooLong {
                kind,
                text: trimmed.to_owned(),
                max: N,
            });
        }
        field[count] = byte;
    }
    Ok(Name::from_bytes(field))
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $len:literal, $kind:literal, $alphabet:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Name<$len>);

        impl $name {
            /// Bytes of the blank-padded field.
            pub const LEN: usize = $len;

            /// Checks, folds where the manual folds, and pads.
            pub fn new(text: &str) -> Result<Self, NameError> {
                build(concat!($kind), NameAlphabet::$alphabet, text).map($name)
            }

            /// The name in a program's field of any length, blank or NUL padded.
            pub fn from_field(field: &[u8]) -> Result<Self, NameError> {
                let text: String = field.iter().map(|&b| char::from(b)).collect();
                Self::new(&text)
            }

            /// The blank-padded field.
            pub fn padded(&self) -> &[u8; $len] {
                self.0.as_bytes()
            }

            /// The name without its padding.
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = NameError;
            fn from_str(text: &str) -> Result<Self, NameError> {
                Self::new(text)
            }
        }

        impl From<$name> for Name<$len> {
            fn from(name: $name) -> Self {
                name.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }
    )*};
}

names! {
    /// A transaction identifier; lower case is a name of its own.
    TransId, 4, "transaction", Wide;
    /// A program, map set or partition set.
    ProgramName, 8, "program", Folded;
    /// A file.
    FileName, 8, "file", Folded;
    /// A channel.
    ChannelName, 16, "channel", Wide;
    /// A container.
    ContainerName, 16, "container", Wide;
    /// A transaction class.
    TranClassName, 8, "transaction class", Folded;
    /// A group of resource definitions.
    GroupName, 8, "group", Folded;
    /// A list of groups.
    ListName, 8, "list", Folded;
    /// A region's system identifier.
    SysId, 4, "system", Folded;
    /// A region's application identifier.
    ApplId, 8, "application", Folded;
    /// A user.
    UserId, 8, "user", Folded;
    /// A terminal or other principal facility.
    TermId, 4, "terminal", Wide;
    /// A request identifier.
    ReqId, 8, "request", Wide;
}

/// A four-character abend code as ABEND and the messages show it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AbendCode(pub [u8; 4]);

impl AbendCode {
    /// The code of a program's field: the first four bytes, blank padded.
    pub fn from_field(field: &[u8]) -> Self {
        let mut code = [b' '; 4];
        for (to, &from) in code.iter_mut().zip(field) {
            *to = from;
        }
        AbendCode(code)
    }

    /// A code written in the source.
    pub const fn literal(code: &[u8; 4]) -> Self {
        AbendCode(*code)
    }
}

impl fmt::Display for AbendCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self
            .0
            .iter()
            .map(|&b| {
                if (0x20..0x7f).contains(&b) {
                    char::from(b)
                } else {
                    '?'
                }
            })
            .collect();
        f.pad(text.trim_end())
    }
}

impl fmt::Debug for AbendCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AbendCode({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_padded_and_shown_without_padding() {
        let p = ProgramName::new("bnk1").unwrap();
        assert_eq!(p.padded(), b"BNK1    ");
        assert_eq!(p.to_string(), "BNK1");
        assert_eq!(ProgramName::from_field(b"BNK1\0\0\0\0").unwrap(), p);
    }

    #[test]
    fn transaction_and_container_names_keep_their_case() {
        assert_ne!(TransId::new("abcd").unwrap(), TransId::new("ABCD").unwrap());
        assert_eq!(
            ContainerName::new("Len-To_Return").unwrap().as_str(),
            "Len-To_Return"
        );
    }

    #[test]
    fn wrong_names_say_what_is_wrong() {
        assert!(matches!(FileName::new("   "), Err(NameError::Empty { .. })));
        assert!(matches!(
            FileName::new("ACCOUNTS9"),
            Err(NameError::TooLong { max: 8, .. })
        ));
        assert!(matches!(
            ProgramName::new("A B"),
            Err(NameError::Character { character: ' ', .. })
        ));
        assert!(matches!(
            TransId::new("é"),
            Err(NameError::Character { .. })
        ));
    }
}
