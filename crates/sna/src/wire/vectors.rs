//! Control vectors, as a BIND carries them at its end: key, length, data.
//! Reference: IBM *SNA Formats* (GA27-3136), "Control Vectors".

use super::reader::{Reader, Result};

/// A control vector of a BIND.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ControlVector {
    /// Its key; the constants of this module name some.
    pub key: u8,
    /// Its data.
    pub data: Vec<u8>,
}

/// The vectors of these bytes.
pub(crate) fn parse(r: &mut Reader<'_>) -> Result<Vec<ControlVector>> {
    let mut out = Vec::new();
    while !r.is_empty() {
        let key = r.u8()?;
        let data = r.counted()?.to_vec();
        out.push(ControlVector { key, data });
    }
    Ok(out)
}

/// Appends the vectors.
pub(crate) fn emit(vectors: &[ControlVector], out: &mut Vec<u8>) {
    for vector in vectors {
        out.push(vector.key);
        super::reader::put_counted(out, &vector.data);
    }
}

/// Network name.
pub const NETWORK_NAME: u8 = 0x0E;
/// Class of service and transmission priority.
pub const CLASS_OF_SERVICE: u8 = 0x2C;
/// Mode.
pub const MODE: u8 = 0x2D;
/// Fully qualified procedure correlation identifier; makes a BIND an extended
/// one.
pub const PCID: u8 = 0x60;
/// Length-checked compression.
pub const COMPRESSION: u8 = 0x66;
