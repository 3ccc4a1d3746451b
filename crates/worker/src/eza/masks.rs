//! EZACIC06: masks of SELECT as characters, one a socket.
//!
//! The first character is that of socket 0.
//!
//! Reference: IP CICS Sockets Guide, EZACIC06.

use ezasoket::SelectMask;

use crate::le::{LeArguments, LeResult};
use crate::worker::Worker;

/// CALL 'EZACIC06' USING COMMAND BIT-MASK CHAR-MASK LENGTH RETCODE, and with a
/// token in front, as older programs have it. RETCODE is -1 for a length or a
/// command that is none.
pub(crate) fn masks(_: &mut Worker, args: &LeArguments<'_>) -> LeResult {
    let base = usize::from(args.count() > 5);
    let retcode = match translate(args, base) {
        Some(()) => 0,
        None => -1,
    };
    args.set_int(base + 4, retcode);
    Ok(())
}

fn translate(args: &LeArguments<'_>, base: usize) -> Option<()> {
    let (bits, chars) = (args.get(base + 1)?, args.get(base + 2)?);
    let length = usize::try_from(args.int(base + 3)).ok()?;
    if length == 0 || length > chars.size() || SelectMask::bytes(length) > bits.size() {
        return None;
    }
    match &args.get(base)?.name::<4>() {
        b"CTOB" => {
            let mut mask = SelectMask::new(length);
            let flags = chars.bytes()[..length].iter().enumerate();
            flags
                .filter(|(_, c)| **c == b'1')
                .for_each(|(n, _)| mask.set(n));
            let bytes = mask.emit();
            bits.set_bytes(&bytes, bytes.len());
        }
        b"BTOC" => {
            let mut text = vec![b'0'; length];
            let mask = SelectMask::parse(bits.bytes(), length);
            mask.sockets().for_each(|n| text[n] = b'1');
            chars.set_bytes(&text, length);
        }
        _ => return None,
    }
    Some(())
}
