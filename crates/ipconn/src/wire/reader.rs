//! Reads numbers and names from the front of bytes, with the byte's place for
//! errors.

/// An error in received bytes, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub struct MalformedBytes {
    /// The error.
    pub what: &'static str,
    /// Offset in the message or the frame's payload.
    pub at: usize,
}

/// The bytes that are left, and how many were read.
pub struct Reader<'a> {
    rest: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes, at: 0 }
    }

    pub fn wrong(&self, what: &'static str) -> MalformedBytes {
        MalformedBytes { what, at: self.at }
    }

    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn take(&mut self, bytes: usize, what: &'static str) -> Result<&'a [u8], MalformedBytes> {
        let (taken, rest) = self
            .rest
            .split_at_checked(bytes)
            .ok_or(MalformedBytes { what, at: self.at })?;
        self.rest = rest;
        self.at += bytes;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], MalformedBytes> {
        let taken = self.take(N, what)?;
        Ok(*taken.first_chunk().expect("as many were taken"))
    }

    pub fn u8(&mut self, what: &'static str) -> Result<u8, MalformedBytes> {
        self.array::<1>(what).map(|[b]| b)
    }

    pub fn u16(&mut self, what: &'static str) -> Result<u16, MalformedBytes> {
        self.array(what).map(u16::from_be_bytes)
    }

    pub fn u32(&mut self, what: &'static str) -> Result<u32, MalformedBytes> {
        self.array(what).map(u32::from_be_bytes)
    }

    pub fn u64(&mut self, what: &'static str) -> Result<u64, MalformedBytes> {
        self.array(what).map(u64::from_be_bytes)
    }

    /// A name: printable characters, then blanks.
    pub fn name<const N: usize>(
        &mut self,
        what: &'static str,
    ) -> Result<region::Name<N>, MalformedBytes> {
        let at = self.at;
        let bytes: [u8; N] = self.array(what)?;
        let len = bytes.iter().rposition(|b| *b != b' ').map_or(0, |i| i + 1);
        if bytes[..len].iter().all(u8::is_ascii_graphic) {
            Ok(region::Name::from_bytes(bytes))
        } else {
            Err(MalformedBytes { what, at })
        }
    }
}
