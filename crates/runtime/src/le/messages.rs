//! Message, condition token, dump and abend services.
//!
//! Their output is written where DISPLAY writes. A dump is one line with the place
//! of the call, because the monitoring record has the rest.
//! Reference: z/OS Language Environment programming reference, CEE3ABD,
//! CEE3DMP, CEEDCOD, CEEMGET, CEEMOUT, CEEMSG, CEENCOD.

use super::arguments::{CallArguments, ServiceHost};
use super::feedback::{self as fb, FeedbackCode, flags};
use super::services::{ServiceEnd, ServiceResult, text, token};

/// Characters of a message that CEEMGET gives at a time.
const MESSAGE_CHARACTERS: usize = 80;

pub(super) fn abend(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let number = args.int(0).clamp(0, 4095);
    Err(ServiceEnd::Abend(number as u16))
}

pub(super) fn dump(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let title = args.bytes(0);
    let title = String::from_utf8_lossy(&title);
    let (program, line) = host.place();
    let dumped = format!("CEE3DMP {} in {program} at line {line}", title.trim());
    host.print(&dumped);
    Ok(())
}

pub(super) fn message(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    host.print(&token(args, 0)?.message());
    Ok(())
}

pub(super) fn out(host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    match args.int(1) {
        2 => {
            host.print(&String::from_utf8_lossy(&text(args, 0)));
            Ok(())
        }
        _ => Err(fb::DESTINATION.into()),
    }
}

pub(super) fn get(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let text = token(args, 0)?.message();
    let from = usize::try_from(args.int(2)).unwrap_or(0).saturating_sub(1);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let given = &rest[..rest.len().min(MESSAGE_CHARACTERS)];
    args.set_chars(1, given);
    // Where the next call continues; 0 when all has been given.
    let next = if given.len() < rest.len() {
        from + given.len() + 1
    } else {
        0
    };
    args.set_int(2, next as i64);
    Ok(())
}

pub(super) fn encode(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let half = |at: usize| args.int(at) as u16;
    let [first, second, case, severity, control] = [0, 1, 2, 3, 4].map(half);
    if !(1..=2).contains(&case) || severity > 4 {
        return Err(fb::TOKEN.into());
    }
    let mut token = FeedbackCode {
        severity: first,
        number: second,
    }
    .emit();
    token[..2].copy_from_slice(&first.to_be_bytes());
    token[2..4].copy_from_slice(&second.to_be_bytes());
    token[4] = flags(case, severity, control);
    let mut facility = args.bytes(5);
    facility.resize(3, b' ');
    token[5..8].copy_from_slice(&facility);
    let information = args.int(6) as i32;
    token[8..].copy_from_slice(&information.to_be_bytes());
    args.set_bytes(7, &token);
    Ok(())
}

pub(super) fn decode(_host: &mut dyn ServiceHost, args: &dyn CallArguments) -> ServiceResult {
    let bytes = args.bytes(0);
    let [a, b, c, d, flags, facility @ .., e, f, g, h] = bytes.as_slice() else {
        return Err(fb::TOKEN.into());
    };
    if facility.len() != 3 {
        return Err(fb::TOKEN.into());
    }
    let half = |high: u8, low: u8| i64::from(i16::from_be_bytes([high, low]));
    args.set_int(1, half(*a, *b));
    args.set_int(2, half(*c, *d));
    args.set_int(3, i64::from(flags >> 6));
    args.set_int(4, i64::from(flags >> 3 & 7));
    args.set_int(5, i64::from(flags & 7));
    args.set_chars(6, facility);
    args.set_int(7, i64::from(i32::from_be_bytes([*e, *f, *g, *h])));
    Ok(())
}
