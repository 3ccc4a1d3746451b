//! EZACIC04, 05, 14 and 15: between the host's characters and the network's.
//!
//! On a mainframe programs have EBCDIC and partners ASCII. Here programs have
//! ASCII already, so these routines leave data alone and a program that was
//! written for EBCDIC works unchanged. With `[sockets] translation = "tables"`
//! they translate byte for byte as the manual's tables do.
//!
//! EZACIC14 and EZACIC15 are ISO 8859-1 and code page 1047. EZACIC04 and
//! EZACIC05 know seven bits; a byte without a character there becomes SUB.
//!
//! Reference: IP CICS Sockets Guide, EZACIC04, EZACIC05, EZACIC14, EZACIC15.

use copybook::codepage::CodePage;

use crate::le::{LeArguments, LeResult};
use crate::worker::Worker;

/// SUB, what has no character of ASCII becomes.
const SUB: u8 = 0x1A;
/// Bytes that EZACIC04 and EZACIC05 exchange otherwise than EZACIC14 and
/// EZACIC15: ASCII, EBCDIC.
const SEPARATORS: [(u8, u8); 2] = [(0x1C, 0x22), (0x1E, 0x35)];

/// EZACIC04: to ASCII.
pub(crate) fn to_ascii(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    change(w, args, |byte| {
        if let Some((ascii, _)) = SEPARATORS.iter().find(|(_, ebcdic)| *ebcdic == byte) {
            return *ascii;
        }
        match latin(byte) {
            // A new line of either kind.
            0x85 => b'\n',
            ascii @ 0..0x80 => ascii,
            _ => SUB,
        }
    })
}

/// EZACIC05: to EBCDIC.
pub(crate) fn to_host(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    change(w, args, |byte| {
        let seven = byte & 0x7F;
        match SEPARATORS.iter().find(|(ascii, _)| *ascii == seven) {
            Some((_, ebcdic)) => *ebcdic,
            None => ebcdic(seven),
        }
    })
}

/// EZACIC14: to ISO 8859-1.
pub(crate) fn to_latin(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    change(w, args, latin)
}

/// EZACIC15: from ISO 8859-1.
pub(crate) fn from_latin(w: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    change(w, args, ebcdic)
}

fn latin(byte: u8) -> u8 {
    let page = CodePage::by_ccsid(1047).ok();
    let c = page.and_then(|p| p.char_of(byte));
    c.and_then(|c| u8::try_from(u32::from(c)).ok())
        .unwrap_or(SUB)
}

fn ebcdic(byte: u8) -> u8 {
    let page = CodePage::by_ccsid(1047).ok();
    let host = page.and_then(|p| p.byte_of(char::from(byte)));
    // SUB of EBCDIC.
    host.unwrap_or(0x3F)
}

/// USING BUFFER LENGTH, or with a token in front, as older programs have it.
fn change(w: &mut Worker, args: &LeArguments<'_>, of: impl Fn(u8) -> u8) -> LeResult {
    let base = usize::from(args.count() > 2);
    let Some(buffer) = args.get(base) else {
        return Ok(());
    };
    let length = usize::try_from(args.int(base + 1)).unwrap_or(0);
    if w.facts.sockets.tables {
        let bytes = &buffer.bytes()[..length.min(buffer.size())];
        let changed: Vec<u8> = bytes.iter().map(|b| of(*b)).collect();
        buffer.set_bytes(&changed, changed.len());
    }
    Ok(())
}
