//! LINK to a program of another region: distributed program link.
//!
//! The program's name and COMMAREA go to the mirror transaction of the partner
//! on a conversation that lasts for this LINK; what comes back is the COMMAREA
//! and how the program ended. The partner commits its own unit of work, as with
//! SYNCONRETURN.
//! Format: `docs/internals/program-link.md`.

use cics::names::AbendCode;
use cics::resp::Condition;
use link::conversation::{TALK_DATA, TalkState, Verb};

use crate::abend::Abend;
use crate::exec::{Outcome, Stop, condition};
use crate::worker::Worker;

/// First bytes of both messages: name and version of the format.
const MAGIC: &[u8; 5] = b"TXDL\x01";
/// Bytes of a record.
const RECORD_BYTES: usize = 32_000;
/// Most that a record can bring, in bytes.
const MOST_BYTES: u64 = 32_767;
/// Bytes of the reply before the COMMAREA: magic, ending, code, length.
const REPLY_BYTES: usize = 5 + 1 + 4 + 4;
/// Endings: normal, with an abend code, with a condition.
const NORMAL: u8 = 0;
const ABEND: u8 = 1;

/// SYSIDERR: the system is not known or cannot be reached.
const NO_SYSTEM: u32 = 18;
/// TERMERR: the conversation with the mirror failed.
const MIRROR_FAILED: u32 = 17;

/// Runs `program` in `system`, under the mirror transaction `mirror`.
pub fn serve(
    w: &mut Worker,
    system: [u8; 4],
    mirror: [u8; 4],
    program: &[u8; 8],
    area: &mut [u8],
) -> Outcome {
    let blank = [b' '; 8];
    let whom: [&[u8]; 3] = [&system, &blank, &blank];
    let allocated = w.services.converse(Verb::Allocate, [0; 3], &whom)?;
    if allocated.condition != Condition::Normal {
        return condition(Condition::SysIdErr, NO_SYSTEM);
    }
    let id = allocated.args[0];
    let reply = exchange(w, id, &mirror, program, area);
    if !matches!(reply, Ok(Some(_))) {
        w.services.converse(Verb::Abend, [id, 0, 0], &[])?;
    }
    w.services.converse(Verb::Free, [id, 0, 0], &[])?;
    match reply? {
        Some(reply) => take(&reply, area),
        None => condition(Condition::TermErr, MIRROR_FAILED),
    }
}

/// Sends the request and receives the reply; `None` when the conversation
/// fails.
fn exchange(
    w: &mut Worker,
    id: u64,
    mirror: &[u8; 4],
    program: &[u8; 8],
    area: &[u8],
) -> Result<Option<Vec<u8>>, Stop> {
    const BLANK: [u8; 8] = [b' '; 8];
    let connected = w.services.converse(
        Verb::Connect,
        [id, mirror.len() as u64, 0],
        &[&BLANK, mirror],
    )?;
    if connected.condition != Condition::Normal {
        return Ok(None);
    }
    let mut request = MAGIC.to_vec();
    request.extend_from_slice(program);
    request.extend_from_slice(&(area.len() as u32).to_be_bytes());
    request.extend_from_slice(area);
    for record in request.chunks(RECORD_BYTES) {
        let sent = w
            .services
            .converse(Verb::Send, [id, TALK_DATA, 0], &[record])?;
        if !matches!(sent.condition, Condition::Normal | Condition::Signal) {
            return Ok(None);
        }
    }
    let mut reply = Vec::new();
    loop {
        let got = w
            .services
            .converse(Verb::Receive, [id, 0, MOST_BYTES], &[])?;
        reply.extend_from_slice(&got.data);
        let goes_on = got.args[1] == TalkState::Receive as u64;
        match got.condition {
            Condition::Normal | Condition::Eoc | Condition::Signal if got.args[3] == 0 => {}
            _ => return Ok(None),
        }
        if got.args[1] == TalkState::Free as u64 {
            return Ok(Some(reply));
        }
        // A mirror ends the conversation; it asks for nothing.
        if !goes_on || reply.len() > area.len() + REPLY_BYTES {
            return Ok(None);
        }
    }
}

/// Stores the COMMAREA and answers as the program ended.
fn take(reply: &[u8], area: &mut [u8]) -> Outcome {
    let Some((head, data)) = reply.split_first_chunk::<REPLY_BYTES>() else {
        return condition(Condition::TermErr, MIRROR_FAILED);
    };
    let [.., c0, c1, c2, c3, l0, l1, l2, l3] = *head;
    let code = [c0, c1, c2, c3];
    let bytes = u32::from_be_bytes([l0, l1, l2, l3]) as usize;
    if !head.starts_with(MAGIC) || data.len() != bytes || bytes > area.len() {
        return condition(Condition::TermErr, MIRROR_FAILED);
    }
    area[..bytes].copy_from_slice(data);
    match head[MAGIC.len()] {
        NORMAL => Ok(()),
        ABEND => Err(Stop::Abend(Abend::new(
            AbendCode(code),
            "the linked program abended in its region",
        ))),
        _ => {
            let number = u16::from_be_bytes([c0, c1]);
            let resp2 = u32::from(u16::from_be_bytes([c2, c3]));
            match Condition::from_number(number) {
                Some(raised) if raised != Condition::Normal => condition(raised, resp2),
                _ => condition(Condition::TermErr, MIRROR_FAILED),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reply(ending: u8, code: [u8; 4], data: &[u8]) -> Vec<u8> {
        let length = (data.len() as u32).to_be_bytes();
        [&MAGIC[..], &[ending], &code, &length, data].concat()
    }

    #[test]
    fn a_reply_ends_the_link_as_the_program_ended() {
        let mut area = *b"before";
        assert!(take(&reply(NORMAL, [0; 4], b"after "), &mut area).is_ok());
        assert_eq!(&area, b"after ");
        match take(&reply(ABEND, *b"OOPS", b""), &mut area) {
            Err(Stop::Abend(abend)) => assert_eq!(abend.code, *b"OOPS"),
            other => panic!("{other:?}"),
        }
        match take(&reply(2, [0, 27, 0, 1], b""), &mut area) {
            Err(Stop::Condition(Condition::PgmIdErr, 1)) => {}
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut area = [0; 16];
            let _ = take(&bytes, &mut area);
            let _ = take(&[&MAGIC[..], &bytes].concat(), &mut area);
        }
    }
}
