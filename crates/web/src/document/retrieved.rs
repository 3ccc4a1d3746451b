//! A document as RETRIEVE gives it without DATAONLY: its blocks with tags.
//!
//! ```text
//!   0            8
//!   +------------+---------------------------------------------------------
//!   | DFHDOC01   | blocks: kind (T, B, M), length as u32 big endian, bytes
//!   +------------+---------------------------------------------------------
//! ```
//!
//! The manual leaves the tags open. Invariant: any bytes can be read; what
//! does not check is no such document.

use super::Block;

const MAGIC: &[u8; 8] = b"DFHDOC01";
const HEAD: usize = 5;

/// Bytes that [`emit`] makes.
pub fn size(blocks: &[Block]) -> usize {
    let each = blocks.iter().map(|block| HEAD + bytes_of(block).1.len());
    MAGIC.len() + each.sum::<usize>()
}

fn bytes_of(block: &Block) -> (u8, &[u8]) {
    match block {
        Block::Text(bytes) => (b'T', bytes),
        Block::Binary(bytes) => (b'B', bytes),
        Block::Bookmark(name) => (b'M', name),
    }
}

/// Writes blocks.
pub fn emit(blocks: &[Block]) -> Vec<u8> {
    let mut out = Vec::with_capacity(size(blocks));
    out.extend_from_slice(MAGIC);
    for block in blocks {
        let (kind, bytes) = bytes_of(block);
        out.push(kind);
        out.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
        out.extend_from_slice(bytes);
    }
    out
}

/// Reads blocks. Returns `None` when the bytes have another format.
pub fn parse(bytes: &[u8]) -> Option<Vec<Block>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let mut blocks = Vec::new();
    while let Some((head, tail)) = rest.split_first_chunk::<HEAD>() {
        let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
        let (data, after) = tail.split_at_checked(length)?;
        blocks.push(match head[0] {
            b'T' => Block::Text(data.to_vec()),
            b'B' => Block::Binary(data.to_vec()),
            b'M' => Block::Bookmark(data.try_into().ok()?),
            // Blanks of a buffer that is longer than the document.
            _ => break,
        });
        rest = after;
    }
    Some(blocks)
}
