//! A path information unit: transmission header, request header, RU.
//!
//! The fast path of the stack: taking a PIU apart and putting its headers in
//! front of an RU allocate nothing.

use super::reader::Result;
use super::{rh, th};

/// Bytes of both headers.
pub const HEADERS: usize = th::LEN + rh::LEN;

/// A PIU taken apart. Middle and last segments have no request header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The transmission header.
    pub th: th::Repr,
    /// The request header, in whole BIUs and first segments.
    pub rh: Option<rh::Rh>,
    /// The RU, or this segment's part of it.
    pub ru: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Takes a PIU apart.
    pub fn parse(bytes: &'a [u8]) -> Result<Packet<'a>> {
        let th = th::Repr::parse(&th::Packet::new_checked(bytes)?);
        let rest = &bytes[th::LEN..];
        if !th.segment.has_header() {
            return Ok(Packet {
                th,
                rh: None,
                ru: rest,
            });
        }
        let header = rh::Packet::new_checked(rest)?.header();
        Ok(Packet {
            th,
            rh: Some(header),
            ru: &rest[rh::LEN..],
        })
    }

    /// Appends the headers and the RU to `out`.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.th.emit());
        if let Some(header) = self.rh {
            out.extend_from_slice(&header.emit());
        }
        out.extend_from_slice(self.ru);
    }
}

/// Writes both headers over the first nine bytes of `biu`, which were kept
/// free for them; the RU that follows stays where it is.
pub fn emit_headers(biu: &mut [u8], th: &th::Repr, header: rh::Rh) {
    if let Some(front) = biu.get_mut(..HEADERS) {
        front[..th::LEN].copy_from_slice(&th.emit());
        front[th::LEN..].copy_from_slice(&header.emit());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn headers_go_into_the_room_kept_for_them() {
        let bytes = [0x2D, 0, 1, 2, 0x12, 0x34, 0x6B, 0x80, 0x00, 0x31, 0x00];
        let piu = Packet::parse(&bytes).unwrap();
        let mut biu = vec![0; HEADERS];
        biu.extend_from_slice(piu.ru);
        emit_headers(&mut biu, &piu.th, piu.rh.unwrap());
        assert_eq!(biu, bytes);
    }

    proptest! {
        #[test]
        fn what_parses_is_emitted_the_same(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(piu) = Packet::parse(&bytes) {
                let mut out = Vec::new();
                piu.emit(&mut out);
                prop_assert_eq!(out.len(), bytes.len());
                prop_assert_eq!(Packet::parse(&out).unwrap(), piu);
            }
        }
    }
}
