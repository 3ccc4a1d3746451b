//! The side that asks.

use super::report::{ApingReport, Exchange};
use super::{SYSTEM_TAG, VERSION};
use crate::conversation::{AllocateRequest, Conversation};
use crate::{Error, NodeHost};
use sna::conversation::code::{DataReceived, DeallocateType, PrepareToReceiveType, StatusReceived};
use sna::ebcdic;
use std::time::Instant;

/// The exchanges of a run.
#[derive(Debug, Clone)]
pub struct ApingOptions {
    /// The conversation to allocate.
    pub call: AllocateRequest,
    /// How often data are exchanged, 1 to 32,767.
    pub iterations: u32,
    /// Records each side sends in turn, 1 to 32,767.
    pub consecutive: u32,
    /// Bytes of a record, 0 to 32,763.
    pub size: usize,
    /// Ask for a confirmation instead of an echo.
    pub one_way: bool,
}

impl ApingOptions {
    /// Two exchanges of one record of 100 bytes with `partner`.
    pub fn new(partner: &str) -> ApingOptions {
        ApingOptions {
            call: AllocateRequest::new(partner, super::TP_NAME),
            iterations: 2,
            consecutive: 1,
            size: 100,
            one_way: false,
        }
    }
}

/// Runs APING. `report_progress` receives the report so far when the partner
/// program runs and after each exchange. If it returns `false`, no further exchange
/// is made. If the host is stopped meanwhile, the report covers the exchanges
/// before.
pub fn run(
    host: &NodeHost,
    options: &ApingOptions,
    mut report_progress: impl FnMut(&ApingReport) -> bool,
) -> Result<ApingReport, Error> {
    let begin = Instant::now();
    let mut conversation = host.allocate(&options.call)?;
    let allocate = begin.elapsed();

    let begin = Instant::now();
    conversation.send(&VERSION)?;
    conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
    let mut buffer = vec![0; 32_767];
    let answer = take_turn(&mut conversation, &mut buffer, |_| {})?;
    let (version, system) = read_version(&buffer[..answer.first])?;
    let mut report = ApingReport {
        allocate,
        startup: begin.elapsed(),
        version,
        system,
        exchanges: Vec::new(),
    };

    let record: Vec<u8> = (0..options.size).map(|at| (at % 251) as u8).collect();
    let mut wanted = report_progress(&report);
    for _ in 0..options.iterations {
        if !wanted {
            break;
        }
        match exchange(&mut conversation, options, &record, &mut buffer) {
            Ok(done) => report.exchanges.push(done),
            Err(Error::Stopped) if !report.exchanges.is_empty() => return Ok(report),
            Err(error) => return Err(error),
        }
        wanted = report_progress(&report);
    }
    match conversation.deallocate(DeallocateType::Flush) {
        Ok(()) | Err(Error::Stopped) => Ok(report),
        Err(error) => Err(error),
    }
}

/// One exchange: records there, and records or a confirmation back.
fn exchange(
    conversation: &mut Conversation,
    options: &ApingOptions,
    record: &[u8],
    buffer: &mut [u8],
) -> Result<Exchange, Error> {
    let begin = Instant::now();
    for _ in 0..options.consecutive {
        conversation.send(record)?;
    }
    let mut bytes = u64::from(options.consecutive) * options.size as u64;
    if options.one_way {
        conversation.confirm()?;
    } else {
        conversation.prepare_to_receive(PrepareToReceiveType::Flush)?;
        let back = take_turn(conversation, buffer, |echo| bytes += echo as u64)?;
        check_echo(options, &back)?;
    }
    Ok(Exchange {
        duration: begin.elapsed(),
        bytes,
    })
}

/// The data received until the partner gave the turn back.
struct ReceivedTurn {
    records: u32,
    /// Length of the first record.
    first: usize,
    total: u64,
}

/// Receives until this side may send again; confirms when asked to.
fn take_turn(
    conversation: &mut Conversation,
    buffer: &mut [u8],
    mut each: impl FnMut(usize),
) -> Result<ReceivedTurn, Error> {
    let mut turn = ReceivedTurn {
        records: 0,
        first: 0,
        total: 0,
    };
    let mut held = 0;
    loop {
        // Only the first record is kept whole; of the others the length counts.
        let keep = if turn.records == 0 { held } else { 0 };
        let got = conversation.receive(&mut buffer[keep..])?;
        if got.data.any() {
            held = if turn.records == 0 {
                held + got.len
            } else {
                got.len
            };
            turn.total += got.len as u64;
            each(got.len);
        }
        if got.data == DataReceived::Complete {
            if turn.records == 0 {
                turn.first = held;
            }
            turn.records += 1;
        }
        match got.status {
            _ if got.ended => {
                return Err(Error::Partner("with the end of the conversation".into()));
            }
            StatusReceived::Send => return Ok(turn),
            StatusReceived::ConfirmSend => {
                conversation.confirmed()?;
                return Ok(turn);
            }
            StatusReceived::Confirm => conversation.confirmed()?,
            StatusReceived::ConfirmDeallocate => {
                return Err(Error::Partner(
                    "with a request to end the conversation".into(),
                ));
            }
            StatusReceived::None => {}
        }
    }
}

fn check_echo(options: &ApingOptions, back: &ReceivedTurn) -> Result<(), Error> {
    let expected = u64::from(options.consecutive) * options.size as u64;
    if back.total == expected && back.records == options.consecutive {
        Ok(())
    } else {
        Err(Error::Partner(format!(
            "received {} records of {} bytes in all, expected {} of {expected}",
            back.records, back.total, options.consecutive,
        )))
    }
}

/// The server's version and, if it sends it, its operating system.
fn read_version(answer: &[u8]) -> Result<((u8, u8), Option<String>), Error> {
    let [1, major, minor, rest @ ..] = answer else {
        return Err(Error::Partner("without a version".into()));
    };
    let system = match rest {
        [SYSTEM_TAG, name @ ..] => Some(readable(name)),
        _ => None,
    };
    Ok(((*major, *minor), system))
}

/// A name in EBCDIC or ASCII: whichever gives more letters.
fn readable(name: &[u8]) -> String {
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let ascii = String::from_utf8_lossy(name).into_owned();
    let converted = ebcdic::to_string(name);
    let letters = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).count();
    let text = if letters(&ascii) > letters(&converted) {
        ascii
    } else {
        converted
    };
    text.chars()
        .filter(|c| !c.is_control())
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_with_and_without_a_system() {
        assert_eq!(read_version(&[1, 2, 33]).unwrap(), ((2, 33), None));
        let mut answer = vec![1, 2, 43, 2];
        answer.extend(ebcdic::from_str("OS/400"));
        answer.push(0);
        let (_, system) = read_version(&answer).unwrap();
        assert_eq!(system.as_deref(), Some("OS/400"));
        let (_, system) = read_version(b"\x01\x02\x2b\x02Linux").unwrap();
        assert_eq!(system.as_deref(), Some("Linux"));
        assert!(read_version(&[2, 0, 0]).is_err());
    }
}
