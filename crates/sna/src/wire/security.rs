//! The access security subfields of an Attach.
//!
//! Each is a length that counts the type but not itself, a type, and EBCDIC
//! data. Reference: IBM *SNA Formats* (GA27-3136), "Access Security
//! Information Subfields".
//!
//! Invariant: `Debug` shows that a password is there and nothing of it.

use super::reader::{Reader, Result};
use crate::ebcdic;
use crate::secret::PasswordBytes;

/// The access security information of an Attach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessSecurity {
    /// Profile.
    pub profile: Option<String>,
    /// Password.
    pub password: Option<PasswordBytes>,
    /// User.
    pub user: Option<String>,
}

impl AccessSecurity {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.profile.is_none() && self.password.is_none() && self.user.is_none()
    }

    /// The meaning of these bytes, without their total length.
    pub fn parse(bytes: &[u8]) -> Result<AccessSecurity> {
        let mut access = AccessSecurity::default();
        let mut r = Reader::new("access security information", bytes);
        while !r.is_empty() {
            let at = r.offset();
            let field = r.counted()?;
            let Some((&kind, data)) = field.split_first() else {
                return Err(r.value(at));
            };
            let text = || {
                let text = ebcdic::to_string(data);
                text.trim_end_matches(' ').to_owned()
            };
            match kind {
                PROFILE => access.profile = Some(text()),
                PASSWORD => access.password = Some(PasswordBytes::from_ebcdic(data)),
                USER => access.user = Some(text()),
                // Later levels have more subfields; unknown ones
                // are skipped.
                _ => {}
            }
        }
        Ok(access)
    }

    /// The bytes, without their total length. The user is first, as in the
    /// published traces.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut put = |kind: u8, data: &[u8]| {
            let data = &data[..data.len().min(FIELD)];
            out.push(data.len() as u8 + 1);
            out.push(kind);
            out.extend_from_slice(data);
        };
        if let Some(user) = &self.user {
            put(USER, &ebcdic::from_str(user));
        }
        if let Some(password) = &self.password {
            put(PASSWORD, password.reveal());
        }
        if let Some(profile) = &self.profile {
            put(PROFILE, &ebcdic::from_str(profile));
        }
        out
    }
}

const PROFILE: u8 = 0x00;
const PASSWORD: u8 = 0x01;
const USER: u8 = 0x02;
/// The longest subfield we send; three of them fit the total length byte.
const FIELD: usize = 64;
