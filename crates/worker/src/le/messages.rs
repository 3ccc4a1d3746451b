//! Message, condition token, dump and abend services.
//!
//! What they write for people goes where DISPLAY goes. A dump is the line that
//! says where it was asked for: there is no storage to print that a program's
//! owner could not read better in the monitoring record.
//! Reference: z/OS Language Environment programming reference, CEE3ABD,
//! CEE3DMP, CEEDCOD, CEEMGET, CEEMOUT, CEEMSG, CEENCOD.

use cics::names::AbendCode;

use super::arguments::Arguments;
use super::feedback::{self as fb, Feedback, flags};
use super::services::{End, Served};
use crate::abend::Abend;
use crate::exec::Stop;
use crate::print;
use crate::worker::Worker;

/// Characters of a message that CEEMGET gives at a time.
const MESSAGE_CHARACTERS: usize = 80;

fn tell(w: &Worker, text: &str) {
    w.rt.flush();
    print::line(0, text);
}

pub(super) fn abend(w: &mut Worker, args: &Arguments<'_>) -> Served {
    let number = args.int(0).clamp(0, 4095);
    let mut code = [b'0'; 4];
    code.copy_from_slice(format!("{number:04}").as_bytes());
    let mut abend = Abend::new(AbendCode(code), "CEE3ABD");
    w.locate(&mut abend);
    Err(End::Stop(Stop::Abend(abend)))
}

pub(super) fn dump(w: &mut Worker, args: &Arguments<'_>) -> Served {
    let title = args.get(0).map_or(&[][..], |a| a.bytes());
    let title = String::from_utf8_lossy(title);
    let name = String::from_utf8_lossy(&w.task.level().name).into_owned();
    let line = w.rt.line().0;
    let dumped = format!(
        "CEE3DMP {} in {} at line {line}",
        title.trim(),
        name.trim_end()
    );
    tell(w, &dumped);
    Ok(())
}

pub(super) fn message(w: &mut Worker, args: &Arguments<'_>) -> Served {
    tell(w, &args.token(0)?.message());
    Ok(())
}

pub(super) fn out(w: &mut Worker, args: &Arguments<'_>) -> Served {
    match args.int(1) {
        2 => {
            tell(w, &String::from_utf8_lossy(args.text(0)));
            Ok(())
        }
        _ => Err(fb::DESTINATION.into()),
    }
}

pub(super) fn get(_w: &mut Worker, args: &Arguments<'_>) -> Served {
    let text = args.token(0)?.message();
    let from = usize::try_from(args.int(2)).unwrap_or(0).saturating_sub(1);
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    let given = &rest[..rest.len().min(MESSAGE_CHARACTERS)];
    args.set_chars(1, given);
    // Where the next call goes on; 0 when all has been given.
    let next = if given.len() < rest.len() {
        from + given.len() + 1
    } else {
        0
    };
    args.set_int(2, next as i64);
    Ok(())
}

pub(super) fn encode(_w: &mut Worker, args: &Arguments<'_>) -> Served {
    let half = |at: usize| args.int(at) as u16;
    let [first, second, case, severity, control] = [0, 1, 2, 3, 4].map(half);
    if !(1..=2).contains(&case) || severity > 4 {
        return Err(fb::TOKEN.into());
    }
    let mut token = Feedback {
        severity: first,
        number: second,
    }
    .emit();
    token[..2].copy_from_slice(&first.to_be_bytes());
    token[2..4].copy_from_slice(&second.to_be_bytes());
    token[4] = flags(case, severity, control);
    let facility = args.get(5).map_or([b' '; 3], |a| a.name::<3>());
    token[5..8].copy_from_slice(&facility);
    let information = args.int(6) as i32;
    token[8..].copy_from_slice(&information.to_be_bytes());
    if let Some(place) = args.get(7) {
        place.set_bytes(&token, token.len());
    }
    Ok(())
}

pub(super) fn decode(_w: &mut Worker, args: &Arguments<'_>) -> Served {
    let bytes = args.get(0).map_or(&[][..], |a| a.bytes());
    let [a, b, c, d, flags, facility @ .., e, f, g, h] = bytes else {
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
