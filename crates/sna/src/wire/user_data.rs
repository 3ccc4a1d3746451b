//! The structured user data of a BIND: length, key, data, in order of keys.
//!
//! The length counts the key but not itself.
//! Reference: IBM *SNA Formats* (GA27-3136), "User Data Structured Subfields".

use super::reader::{Error, Reader, Result};

/// The user data of a BIND, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct UserData {
    /// Mode name, EBCDIC; may be empty.
    pub mode: Option<Vec<u8>>,
    /// Session instance: a format byte and seven bytes.
    pub instance: Option<Vec<u8>>,
    /// Network-qualified name of the primary LU, EBCDIC; in requests.
    pub plu: Option<Vec<u8>>,
    /// Network-qualified name of the secondary LU, EBCDIC; in responses.
    pub slu: Option<Vec<u8>>,
    /// All other subfields: key and data.
    pub other: Vec<(u8, Vec<u8>)>,
    /// Offset of each subfield's length byte from the start of the user data,
    /// by key; filled by `parse`.
    pub offsets: Vec<(u8, usize)>,
}

impl UserData {
    /// The meaning of these bytes, which start at the format byte. Bytes that
    /// do not start with the format byte 00 are not structured: nothing.
    pub fn parse(bytes: &[u8]) -> Result<UserData> {
        let mut data = UserData::default();
        let mut r = Reader::new(WHAT, bytes);
        if r.is_empty() || r.u8()? != STRUCTURED {
            return Ok(data);
        }
        while !r.is_empty() {
            let at = r.offset();
            let field = r.counted()?;
            // A subfield of length zero has no key; peers send them.
            let Some((&key, value)) = field.split_first() else {
                continue;
            };
            let value = value.to_vec();
            data.offsets.push((key, at));
            match key {
                MODE => data.mode = Some(value),
                INSTANCE if value.len() == INSTANCE_LEN => data.instance = Some(value),
                INSTANCE => {
                    return Err(Error::Value {
                        what: WHAT,
                        offset: at,
                    });
                }
                PLU => data.plu = Some(value),
                SLU => data.slu = Some(value),
                other => data.other.push((other, value)),
            }
        }
        Ok(data)
    }

    /// The bytes, with the format byte first and subfields in order of keys.
    pub fn emit(&self) -> Vec<u8> {
        let known = [
            (MODE, &self.mode),
            (INSTANCE, &self.instance),
            (PLU, &self.plu),
            (SLU, &self.slu),
        ];
        let mut fields: Vec<(u8, &[u8])> = known
            .iter()
            .filter_map(|(key, value)| value.as_deref().map(|v| (*key, v)))
            .chain(self.other.iter().map(|(key, v)| (*key, v.as_slice())))
            .collect();
        fields.sort_by_key(|(key, _)| *key);
        let mut out = vec![STRUCTURED];
        for (key, value) in fields {
            let value = &value[..value.len().min(254)];
            out.push(value.len() as u8 + 1);
            out.push(key);
            out.extend_from_slice(value);
        }
        out
    }

    /// Where the subfield of this key started, from the start of user data.
    pub fn offset_of(&self, key: u8) -> Option<usize> {
        let found = self.offsets.iter().find(|(k, _)| *k == key);
        found.map(|(_, at)| *at)
    }
}

const WHAT: &str = "BIND user data";
const STRUCTURED: u8 = 0;
const INSTANCE_LEN: usize = 8;
/// Key of the mode name.
pub const MODE: u8 = 0x02;
/// Key of the session instance identifier.
pub const INSTANCE: u8 = 0x03;
/// Key of the primary LU's qualified name.
pub const PLU: u8 = 0x04;
/// Key of the secondary LU's qualified name.
pub const SLU: u8 = 0x05;
