//! Length-prefixed pieces (u32) after a head that ends where the body begins.
//!
//! ```text
//!   0            4
//!   +------------+----------------+---------------------+-- ... --+------+
//!   | head, u32  | fixed figures  | length, u32 | bytes |  more   | body |
//!   +------------+----------------+---------------------+-- ... --+------+
//!   |<------------------------- head ----------------------------->|
//! ```
//!
//! Integers are in the machine's own order: both sides are one executable.

use http::{HeaderMap, HeaderName, HeaderValue};

/// Bytes of the length of a head.
const LENGTH: usize = 4;

/// Writes a head.
pub(crate) struct HeadWriter(Vec<u8>);

impl HeadWriter {
    /// A head that begins with these figures.
    pub fn new(figures: &[u8]) -> HeadWriter {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(&[0; LENGTH]);
        out.extend_from_slice(figures);
        HeadWriter(out)
    }

    /// Adds a piece.
    pub fn piece(&mut self, bytes: &[u8]) {
        self.0
            .extend_from_slice(&(bytes.len() as u32).to_ne_bytes());
        self.0.extend_from_slice(bytes);
    }

    /// Adds headers, which come last.
    pub fn headers(&mut self, headers: &HeaderMap) {
        for (name, value) in headers {
            self.piece(name.as_str().as_bytes());
            self.piece(value.as_bytes());
        }
    }

    /// The head; the body follows it.
    pub fn done(mut self) -> Vec<u8> {
        let bytes = self.0.len() as u32;
        self.0[..LENGTH].copy_from_slice(&bytes.to_ne_bytes());
        self.0
    }
}

/// Reads a head.
pub(crate) struct HeadReader<'b>(&'b [u8]);

impl<'b> HeadReader<'b> {
    /// The head's figures and pieces, and where the body begins.
    pub fn open<const N: usize>(bytes: &'b [u8]) -> Option<([u8; N], HeadReader<'b>, usize)> {
        let (length, _) = bytes.split_first_chunk::<LENGTH>()?;
        let head = u32::from_ne_bytes(*length) as usize;
        let (figures, rest) = bytes.get(LENGTH..head)?.split_first_chunk::<N>()?;
        Some((*figures, HeadReader(rest), head))
    }

    /// Pieces without figures.
    pub fn of(bytes: &'b [u8]) -> HeadReader<'b> {
        HeadReader(bytes)
    }

    /// The next piece.
    pub fn next(&mut self) -> Option<&'b [u8]> {
        let (length, rest) = self.0.split_first_chunk::<4>()?;
        let length = u32::from_ne_bytes(*length) as usize;
        let piece = rest.get(..length)?;
        self.0 = &rest[length..];
        Some(piece)
    }

    /// The next piece as text.
    pub fn text(&mut self) -> Option<String> {
        let piece = self.next()?;
        Some(String::from_utf8_lossy(piece).into_owned())
    }

    /// The pieces that are left, as headers; `None` if one is not a header.
    pub fn headers(mut self, most: usize) -> Option<HeaderMap> {
        let mut headers = HeaderMap::new();
        while !self.0.is_empty() {
            if headers.len() == most {
                return None;
            }
            let name = HeaderName::from_bytes(self.next()?).ok()?;
            let value = HeaderValue::from_bytes(self.next()?).ok()?;
            headers.append(name, value);
        }
        Some(headers)
    }

    /// Bytes that are left.
    pub fn left(&self) -> usize {
        self.0.len()
    }
}
