//! START for another region: a request whose containers are the command's
//! options, by their names.
//!
//! Numbers are digits, so that neither a build's numbering of options nor a
//! machine's byte order matters on the wire. PROTECT belongs to the caller's
//! unit of work and a channel to its region: both are not sent.

use cics::command::commands::start as row;
use link::{CommandOperands, OperandValue};
use region::{ContainerName, ContainerType};

use super::reader::MalformedBytes;
use super::reply::{ReplyContainer, ReplyHead, emit_reply};
use super::request::{Request, RequestBuilder, RequestHead};

/// The options that go, and the container of each.
const OPTIONS: [(u8, &str); 18] = [
    (row::TRANSID, "TRANSID"),
    (row::INTERVAL, "INTERVAL"),
    (row::TIME, "TIME"),
    (row::AFTER, "AFTER"),
    (row::AT, "AT"),
    (row::HOURS, "HOURS"),
    (row::MINUTES, "MINUTES"),
    (row::SECONDS, "SECONDS"),
    (row::REQID, "REQID"),
    (row::FROM, "FROM"),
    (row::LENGTH, "LENGTH"),
    (row::FMH, "FMH"),
    (row::TERMID, "TERMID"),
    (row::USERID, "USERID"),
    (row::RTRANSID, "RTRANSID"),
    (row::RTERMID, "RTERMID"),
    (row::QUEUE, "QUEUE"),
    (row::NOCHECK, "NOCHECK"),
];
/// The container of the name that the region gave a request.
const REQID: &str = "REQID";

/// The request of a START. Returns `None` if it cannot be sent to another region.
pub fn emit_start(head: RequestHead, operands: &CommandOperands) -> Option<Vec<u8>> {
    if operands.has(row::PROTECT) || operands.has(row::CHANNEL) {
        return None;
    }
    let head = RequestHead {
        start: true,
        channel: true,
        ..head
    };
    let mut builder = RequestBuilder::new(head, 256);
    for (index, name) in OPTIONS {
        if !operands.has(index) {
            continue;
        }
        let found = operands.each().find(|(i, _)| *i == index);
        let (kind, bytes) = match found {
            Some((_, OperandValue::Int(number))) => {
                (ContainerType::Char, number.to_string().into_bytes())
            }
            Some((_, OperandValue::Bytes(bytes))) => (ContainerType::Bit, bytes.clone()),
            None => (ContainerType::Char, Vec::new()),
        };
        let name = ContainerName::new(name).ok()?;
        let put = builder.put((name, kind, 0), bytes.len(), |into| {
            into.copy_from_slice(&bytes);
            Ok::<usize, ()>(bytes.len())
        });
        put?.ok()?;
    }
    Some(builder.finish())
}

/// The operands of a received START.
pub fn parse_start<B: AsRef<[u8]>>(
    request: &Request<B>,
) -> Result<CommandOperands, MalformedBytes> {
    let mut options = 0_u128;
    let mut list = Vec::new();
    for entry in &request.containers {
        let wrong = |what| MalformedBytes { what, at: entry.at };
        let row = OPTIONS
            .iter()
            .find(|(_, name)| *name == entry.name.as_str());
        let (index, _) = row.ok_or(wrong("unknown option of START"))?;
        options |= 1 << index;
        let bytes = request.bytes(entry);
        match (entry.kind, bytes) {
            (ContainerType::Bit, bytes) => list.push((*index, OperandValue::Bytes(bytes.to_vec()))),
            (ContainerType::Char, []) => {}
            (ContainerType::Char, digits) => {
                let number = std::str::from_utf8(digits)
                    .ok()
                    .and_then(|d| d.parse().ok());
                let number = number.ok_or(wrong("invalid number in START"))?;
                list.push((*index, OperandValue::Int(number)));
            }
        }
    }
    let mut operands = CommandOperands::new(options);
    for (index, operand) in list {
        operands.push(index, operand);
    }
    Ok(operands)
}

/// The reply to a START, with the name of the request.
pub fn emit_started(head: &ReplyHead, operands: &CommandOperands) -> Vec<u8> {
    let name = ContainerName::new(REQID).unwrap_or(ContainerName::BLANK);
    let named = operands.get_bytes(row::REQID);
    let left: Vec<ReplyContainer<'_>> = named
        .map(|b| (name, ContainerType::Bit, 0, b))
        .into_iter()
        .collect();
    emit_reply(head, &[], &left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_arrives_with_its_options() {
        let bits = [
            row::TRANSID,
            row::AFTER,
            row::SECONDS,
            row::FROM,
            row::NOCHECK,
        ];
        let mut operands = CommandOperands::new(bits.iter().fold(0, |all, i| all | 1 << i));
        operands.push(row::TRANSID, OperandValue::Bytes(b"ABCD".to_vec()));
        operands.push(row::SECONDS, OperandValue::Int(90));
        operands.push(row::FROM, OperandValue::Bytes(vec![0, 255]));
        let message = emit_start(RequestHead::default(), &operands).unwrap();
        let request = Request::parse(message).unwrap();
        assert!(request.head.start);
        let came = parse_start(&request).unwrap();
        assert!(bits.iter().all(|i| came.has(*i)) && !came.has(row::AT));
        assert_eq!(came.get_int(row::SECONDS), Some(90));
        assert_eq!(came.get_bytes(row::FROM), Some(&[0, 255][..]));
        let protected = CommandOperands::new(1 << row::PROTECT);
        assert_eq!(emit_start(RequestHead::default(), &protected), None);
    }

    #[test]
    fn what_is_no_option_of_start_is_refused() {
        for (name, kind, bytes) in [
            ("SYSID", ContainerType::Bit, &b"X"[..]),
            ("SECONDS", ContainerType::Char, b"soon"),
        ] {
            let head = RequestHead {
                start: true,
                ..RequestHead::default()
            };
            let mut builder = RequestBuilder::new(head, 0);
            let what = (ContainerName::new(name).unwrap(), kind, 0);
            let put = builder.put(what, bytes.len(), |into| {
                into.copy_from_slice(bytes);
                Ok::<usize, ()>(bytes.len())
            });
            assert_eq!(put, Some(Ok(())));
            let request = Request::parse(builder.finish()).unwrap();
            assert!(parse_start(&request).is_err(), "{name}");
        }
    }
}
