//! BIND-IMAGE and UNBIND: what a TN3270E client that agreed to BIND-IMAGE waits
//! for before it takes data.
//!
//! ```text
//! offset  0   10, 11   20, 21        22, 23         24    27          28
//!         31  RU size  rows, columns rows, columns  size  PLU length  PLU name
//!                      default       alternate
//! ```
//! Reference: SNA Formats (GA27-3136), BIND RU; RFC 2355, section 10.3.

/// The parts of a BIND that a display looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindImage {
    /// Rows and columns of the default size.
    pub default: (u8, u8),
    /// Rows and columns of the alternate size.
    pub alternate: (u8, u8),
    /// Where the sizes come from: byte 24.
    pub size_code: u8,
    /// The name of the primary LU, in EBCDIC, at most 8 bytes.
    pub plu_name: Vec<u8>,
}

impl BindImage {
    /// Both sizes are in the BIND.
    pub const BOTH_SIZES: u8 = 0x7F;
    /// The default size only.
    pub const DEFAULT_ONLY: u8 = 0x7E;
    /// The default size is 24 × 80, the alternate size comes with Query Reply.
    pub const ALTERNATE_BY_QUERY: u8 = 0x03;
    /// 24 × 80 only.
    pub const MODEL_2: u8 = 0x02;

    /// The image of a BIND for a display.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend(PROFILE);
        out.extend([self.default.0, self.default.1]);
        out.extend([self.alternate.0, self.alternate.1]);
        let name = &self.plu_name[..self.plu_name.len().min(8)];
        out.extend([self.size_code, 0, 0, name.len() as u8]);
        out.extend(name);
        // Neither user data nor a user request correlation follows.
        out.extend([0, 0]);
    }

    /// The sizes and the name of an image. Returns `None` if it is too short or
    /// no BIND. Sizes that byte 24 does not give are 24 × 80.
    pub fn parse(bytes: &[u8]) -> Option<BindImage> {
        if bytes.first() != Some(&0x31) {
            return None;
        }
        let size_code = *bytes.get(24)?;
        let size = |at: usize| (bytes[at], bytes[at + 1]);
        let (default, alternate) = match size_code {
            BindImage::BOTH_SIZES => (size(20), size(22)),
            BindImage::DEFAULT_ONLY => (size(20), size(20)),
            _ => ((24, 80), (24, 80)),
        };
        let length = bytes.get(27).map_or(0, |length| usize::from(*length));
        let name = bytes.get(28..28 + length.min(8)).unwrap_or_default();
        Some(BindImage {
            default,
            alternate,
            size_code,
            plu_name: name.to_vec(),
        })
    }
}

/// Why a session between host and terminal ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum UnbindReason {
    /// The session ends as it should.
    Normal = 0x01,
    /// A BIND follows.
    BindForthcoming = 0x02,
    /// The host is not able to continue.
    Cleanup = 0x0F,
    /// A protocol error.
    ProtocolError = 0xFE,
}

/// The first 20 bytes: LU type 2, profiles 3, RU sizes of 1,024 and 3,840 bytes.
const PROFILE: [u8; 20] = [
    0x31, 0x01, 0x03, 0x03, 0xB1, 0x90, 0x30, 0x80, 0x00, 0x87, 0x87, 0xF8, 0x87, 0x00, 0x02, 0x80,
    0x00, 0x00, 0x00, 0x00,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_image_is_the_one_that_was_seen_to_work() {
        let image = BindImage {
            default: (24, 80),
            alternate: (43, 80),
            size_code: BindImage::BOTH_SIZES,
            plu_name: vec![0xE3, 0xE4, 0xD7, 0xD3, 0xD6],
        };
        let mut out = Vec::new();
        image.emit(&mut out);
        assert_eq!(out[20..28], [0x18, 0x50, 0x2B, 0x50, 0x7F, 0, 0, 5]);
        assert_eq!(out.len(), 35);
        assert_eq!(BindImage::parse(&out), Some(image));
    }

    #[test]
    fn short_images_are_refused() {
        assert_eq!(BindImage::parse(&[0x31; 24]), None);
        assert_eq!(BindImage::parse(&[0; 40]), None);
    }
}
