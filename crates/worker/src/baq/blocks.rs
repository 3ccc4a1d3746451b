//! The control blocks of programs, as BAQHAREC, BAQRINFO and the generated
//! information blocks lay them out. Pointers have eight bytes.
//!
//! Reference: z/OS Connect, copybooks BAQHAREC and BAQRINFO.

use crate::cob::CommandOperand;

/// Parameters of an area.
const PARAMETERS: usize = 64;
const NAME_BYTES: usize = 48;
/// Name, pointer, length.
const PARAMETER_BYTES: usize = NAME_BYTES + 8 + 4;
/// Longest value of a parameter.
const MAX_VALUE: usize = 64 << 10;
/// Bytes of a message.
pub(super) const MESSAGE_BYTES: usize = 1024;
/// Codes, message length and message are at the end of the first block.
const CODES_FROM_END: usize = 5 * 4 + 4 + MESSAGE_BYTES;
/// Bytes of a text in an information block.
const TEXT_BYTES: usize = 255;

/// Reads a fullword in the machine's order.
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(|b| b.first_chunk());
    found.map_or(0, |b| u32::from_ne_bytes(*b))
}

/// Reads a fullword that is BINARY, which is big-endian.
fn binary(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(|b| b.first_chunk());
    found.map_or(0, |b| u32::from_be_bytes(*b))
}

/// Reads a pointer.
pub(super) fn pointer(bytes: &[u8], at: usize) -> *const u8 {
    let found = bytes.get(at..).and_then(|b| b.first_chunk());
    found.map_or(0, |b| usize::from_ne_bytes(*b)) as *const u8
}

/// Bytes of the program's own storage that one of its pointers leads to. A
/// wrong pointer is the program's check, like one that it uses itself.
///
/// # Safety
/// The bytes are not written to while the slice lives.
pub(super) unsafe fn storage<'c>(from: *const u8, length: usize) -> &'c [u8] {
    if from.is_null() {
        return &[];
    }
    // SAFETY: by the contract; the address is the program's to answer for.
    unsafe { std::slice::from_raw_parts(from, length) }
}

/// Writes into a block.
pub(super) fn set(block: &CommandOperand<'_>, at: usize, bytes: &[u8]) {
    if at + bytes.len() <= block.size() {
        // SAFETY: inside the item, by the comparison.
        unsafe { std::ptr::copy(bytes.as_ptr(), block.data().add(at), bytes.len()) };
    }
}

/// A message with its length as a number next to it, cut and padded.
pub(super) fn message(text: &str) -> (Vec<u8>, [u8; 4]) {
    let length = text.len().min(MESSAGE_BYTES);
    let mut bytes = text.as_bytes()[..length].to_vec();
    bytes.resize(MESSAGE_BYTES, b' ');
    (bytes, (length as u32).to_ne_bytes())
}

/// BAQ-ZCONNECT-AREA: how a verb went.
pub(super) fn set_codes(block: &CommandOperand<'_>, completion: u32, reason: u32, text: &str) {
    let Some(at) = block.size().checked_sub(CODES_FROM_END) else {
        return;
    };
    let (message, length) = message(text);
    set(block, at, &completion.to_ne_bytes());
    set(block, at + 4, &reason.to_ne_bytes());
    set(block, at + 8, &[0; 12]);
    set(block, at + 20, &length);
    set(block, at + 24, &message);
}

/// Parameters that begin at an offset of a block: those with a name.
pub(super) fn parameters(block: &[u8], at: usize) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for index in 0..PARAMETERS {
        let from = at + index * PARAMETER_BYTES;
        let Some(one) = block.get(from..from + PARAMETER_BYTES) else {
            break;
        };
        let name = text(&one[..NAME_BYTES]);
        let length = binary(one, NAME_BYTES + 8) as usize;
        if name.is_empty() || length == 0 || length > MAX_VALUE {
            continue;
        }
        // SAFETY: it is copied at once.
        let value = unsafe { storage(pointer(one, NAME_BYTES), length) };
        all.push((name, value.to_vec()));
    }
    all
}

/// Characters without trailing blanks and zeros.
pub(super) fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_end_matches([' ', '\0']).trim_start().to_owned()
}

/// BAQ-REQUEST-AREA: the structure, and where parameters begin.
pub(super) fn request_base(block: &[u8]) -> (*const u8, usize) {
    (pointer(block, 16), binary(block, 24) as usize)
}

pub(super) const ZCONNECT_PARAMETERS: usize = 16;
pub(super) const REQUEST_PARAMETERS: usize = 28;

/// API, path and method of an information block; `head` bytes are before
/// them.
pub(super) fn information(block: &[u8], head: usize) -> Option<[String; 3]> {
    // With and without the byte that SYNC puts before each length.
    let at = |stride: usize, index: usize| head + index * stride;
    let fits = |stride: usize| {
        let name = block.get(head..head + TEXT_BYTES)?;
        let length = word(block, head + stride - 4) as usize;
        (length == text(name).len()).then_some(stride)
    };
    let stride = fits(TEXT_BYTES + 5).or_else(|| fits(TEXT_BYTES + 4))?;
    let part = |index| {
        let from = at(stride, index);
        block.get(from..from + TEXT_BYTES).map(text)
    };
    Some([part(0)?, part(1)?, part(2)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(stride: usize) -> Vec<u8> {
        let mut out = b"BAQA............".to_vec();
        for value in ["Books", "%2Fbooks", "GET"] {
            let mut part = value.as_bytes().to_vec();
            part.resize(stride - 4, b' ');
            part.extend((value.len() as u32).to_ne_bytes());
            out.extend(part);
        }
        out
    }

    #[test]
    fn information_is_read_with_and_without_slack_bytes() {
        for stride in [259, 260] {
            let found = information(&block(stride), 16).unwrap();
            assert_eq!(found, ["Books", "%2Fbooks", "GET"]);
        }
        assert!(information(b"short", 16).is_none());
        assert!(information(&[b' '; 900], 0).is_none());
    }
}
