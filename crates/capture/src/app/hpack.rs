//! Header compression of HTTP/2 undone: fields from blocks, with the table
//! that both ends keep.
//!
//! Own code except the Huffman code: of the libraries available one panics on a
//! block that is cut short and the others build their code's table again for every
//! string. Reference: RFC 7541. Invariant: the table holds at most
//! [`MAX_TABLE_BYTES`], as the RFC counts.

use httlib_huffman::DecoderSpeed;
use std::collections::VecDeque;

/// A field: its name and its value.
pub(super) type Field = (Vec<u8>, Vec<u8>);

/// The state of one direction.
#[derive(Debug)]
pub(super) struct HpackDecoder {
    /// Youngest first.
    table: VecDeque<Field>,
    bytes: usize,
    limit: usize,
}

impl Default for HpackDecoder {
    fn default() -> HpackDecoder {
        HpackDecoder {
            table: VecDeque::new(),
            bytes: 0,
            limit: FIRST_TABLE_BYTES,
        }
    }
}

impl HpackDecoder {
    /// The fields of a whole block. Returns `None` if it is not a block.
    pub(super) fn decode(&mut self, block: &[u8]) -> Option<Vec<Field>> {
        let mut rest = BlockRest(block);
        let mut fields = Vec::new();
        while let Some(first) = rest.0.first().copied() {
            match first {
                0x80.. => {
                    let index = rest.number(7)?;
                    fields.push(self.at(index)?);
                }
                0x40.. => {
                    let field = self.literal(&mut rest, 6)?;
                    self.keep(field.clone());
                    fields.push(field);
                }
                0x20.. => {
                    self.limit = rest.number(5).filter(|size| *size <= MAX_TABLE_BYTES)?;
                    self.shrink();
                }
                _ => fields.push(self.literal(&mut rest, 4)?),
            }
            if fields.len() > MAX_FIELDS {
                return None;
            }
        }
        Some(fields)
    }

    /// A field whose name has an index of `bits` or is there itself.
    fn literal(&self, rest: &mut BlockRest<'_>, bits: u32) -> Option<Field> {
        let name = match rest.number(bits)? {
            0 => rest.string()?,
            index => self.at(index)?.0,
        };
        Some((name, rest.string()?))
    }

    /// The field at an index; the static table is first.
    fn at(&self, index: usize) -> Option<Field> {
        let index = index.checked_sub(1)?;
        match STATIC.get(index) {
            Some((name, value)) => Some((name.as_bytes().to_vec(), value.as_bytes().to_vec())),
            None => self.table.get(index - STATIC.len()).cloned(),
        }
    }

    fn keep(&mut self, field: Field) {
        self.bytes += size(&field);
        self.table.push_front(field);
        self.shrink();
    }

    fn shrink(&mut self) {
        while self.bytes > self.limit {
            let Some(oldest) = self.table.pop_back() else {
                return;
            };
            self.bytes -= size(&oldest);
        }
    }
}

/// The size of a field in the table.
fn size((name, value): &Field) -> usize {
    name.len() + value.len() + 32
}

/// The unread part of a block.
struct BlockRest<'a>(&'a [u8]);

impl BlockRest<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    /// A number in the lower `bits` of a byte and in those after it.
    fn number(&mut self, bits: u32) -> Option<usize> {
        let full = (1_usize << bits) - 1;
        let mut number = usize::from(self.byte()?) & full;
        if number < full {
            return Some(number);
        }
        for shift in [0, 7, 14, 21] {
            let byte = self.byte()?;
            number += usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A length and so many bytes, in the Huffman code or as they are.
    fn string(&mut self) -> Option<Vec<u8>> {
        let huffman = self.0.first()? & 0x80 != 0;
        let length = self.number(7)?;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        if !huffman {
            return Some(bytes.to_vec());
        }
        let mut text = Vec::with_capacity(bytes.len() * 2);
        httlib_huffman::decode(bytes, &mut text, DecoderSpeed::FourBits).ok()?;
        Some(text)
    }
}

/// The default size of the table.
const FIRST_TABLE_BYTES: usize = 4096;

/// The largest table that is kept; the usual choice of those that change it is
/// 64 KiB.
const MAX_TABLE_BYTES: usize = 128 * 1024;

/// Fields of one block; an index of one byte may represent a long field.
const MAX_FIELDS: usize = 1000;

/// RFC 7541, Appendix A.
const STATIC: [(&str, &str); 61] = [
    (":authority", ""),
    (":method", "GET"),
    (":method", "POST"),
    (":path", "/"),
    (":path", "/index.html"),
    (":scheme", "http"),
    (":scheme", "https"),
    (":status", "200"),
    (":status", "204"),
    (":status", "206"),
    (":status", "304"),
    (":status", "400"),
    (":status", "404"),
    (":status", "500"),
    ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"),
    ("accept-language", ""),
    ("accept-ranges", ""),
    ("accept", ""),
    ("access-control-allow-origin", ""),
    ("age", ""),
    ("allow", ""),
    ("authorization", ""),
    ("cache-control", ""),
    ("content-disposition", ""),
    ("content-encoding", ""),
    ("content-language", ""),
    ("content-length", ""),
    ("content-location", ""),
    ("content-range", ""),
    ("content-type", ""),
    ("cookie", ""),
    ("date", ""),
    ("etag", ""),
    ("expect", ""),
    ("expires", ""),
    ("from", ""),
    ("host", ""),
    ("if-match", ""),
    ("if-modified-since", ""),
    ("if-none-match", ""),
    ("if-range", ""),
    ("if-unmodified-since", ""),
    ("last-modified", ""),
    ("link", ""),
    ("location", ""),
    ("max-forwards", ""),
    ("proxy-authenticate", ""),
    ("proxy-authorization", ""),
    ("range", ""),
    ("referer", ""),
    ("refresh", ""),
    ("retry-after", ""),
    ("server", ""),
    ("set-cookie", ""),
    ("strict-transport-security", ""),
    ("transfer-encoding", ""),
    ("user-agent", ""),
    ("vary", ""),
    ("via", ""),
    ("www-authenticate", ""),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn field(name: &str, value: &str) -> Field {
        (name.into(), value.into())
    }

    /// RFC 7541, C.6.1 and C.6.2: a table of 256 bytes, in which a new field
    /// evicts the oldest one.
    #[test]
    fn fields_of_the_huffman_code_come_and_go() {
        let mut decoder = HpackDecoder {
            limit: 256,
            ..HpackDecoder::default()
        };
        let first = b"\x48\x82\x64\x02\x58\x85\xae\xc3\x77\x1a\x4b\x61\x96\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05\
            \x95\x04\x0b\x81\x66\xe0\x82\xa6\x2d\x1b\xff\x6e\x91\x9d\x29\xad\x17\x18\x63\xc7\x8f\x0b\x97\xc8\xe9\xae\x82\
            \xae\x43\xd3";
        let rest = [
            field("cache-control", "private"),
            field("date", "Mon, 21 Oct 2013 20:13:21 GMT"),
            field("location", "https://www.example.com"),
        ];
        let expected = [&[field(":status", "302")][..], &rest].concat();
        assert_eq!(decoder.decode(first), Some(expected));
        assert_eq!(decoder.bytes, 222);
        let second = b"\x48\x83\x64\x0e\xff\xc1\xc0\xbf";
        let expected = [&[field(":status", "307")][..], &rest].concat();
        assert_eq!(decoder.decode(second), Some(expected));
        assert_eq!((decoder.bytes, decoder.table.len()), (222, 4));
    }

    #[test]
    fn an_invalid_block_is_reported() {
        // Index 0, an index beyond the table, endless numbers, truncated
        // strings, an invalid end of the Huffman code, a table that is too
        // large.
        for block in [
            &b"\x80"[..],
            b"\xbe",
            b"\xff\xff\xff\xff\xff\xff",
            b"\x40\x05ab",
            b"\x00",
            b"\x40\x84\xff\xff\xff\xff\x00",
            b"\x3f\xe1\xff\xff\x07",
        ] {
            assert_eq!(HpackDecoder::default().decode(block), None, "{block:x?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(
            blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..80), 1..5),
            huffman in prop::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut decoder = HpackDecoder::default();
            for block in &blocks {
                let _ = decoder.decode(block);
            }
            let coded = [&[0x41, 0x80 | huffman.len() as u8][..], &huffman].concat();
            let _ = decoder.decode(&coded);
            prop_assert!(decoder.bytes <= MAX_TABLE_BYTES);
        }
    }
}
