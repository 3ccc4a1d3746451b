//! The mirror transaction: runs a program for a LINK of another region.
//!
//! It receives the program's name and COMMAREA, runs the program as a task of
//! its own that commits at its end, sends the COMMAREA and the ending back, and
//! ends the conversation.
//! Format: `docs/internals/program-link.md`.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;

use super::attachsec::AttachSecurity;
use appc::{Conversation, Host, Incoming};
use region::{Definitions, Handle, Outcome, StartCode, TaskRequest, UserId};
use sna::TpDefinition;
use sna::conversation::code::{ConversationType, DeallocateType, StatusReceived};

/// The transaction.
const MIRROR: &str = "CSMI";
/// First bytes of both messages: name and version of the format.
const MAGIC: &[u8; 5] = b"TXDL\x01";
/// Bytes of the request before the COMMAREA: magic, program, length.
const REQUEST_BYTES: usize = 5 + 8 + 4;
/// Longest COMMAREA.
const MAX_COMMAREA: usize = 32_763;
/// Bytes of a record.
const RECORD_BYTES: usize = 32_000;
/// PGMIDERR with RESP2 1: no such program.
const PGMIDERR: [u8; 4] = [0, 27, 0, 1];
/// SYSIDERR with RESP2 19: the region takes no more tasks now.
const SYSIDERR: [u8; 4] = [0, 53, 0, 19];

/// How the program ended.
#[derive(Debug, Clone, Copy)]
enum Ending {
    Normal,
    Abend([u8; 4]),
    Condition([u8; 4]),
}

/// Lets partners attach the mirror.
pub fn define(
    host: &Host,
    installed: &Definitions,
    region: &Handle,
    user: UserId,
    security: &Arc<AttachSecurity>,
) {
    let here = |p: &&region::ProgramEntry| p.enabled && p.module.is_some();
    let programs: BTreeSet<String> = installed
        .programs
        .iter()
        .filter(here)
        .map(|p| p.name.to_string())
        .collect();
    let Ok(name) = MIRROR.parse() else {
        return;
    };
    let tp = TpDefinition {
        types: vec![ConversationType::Mapped],
        ..TpDefinition::new(name)
    };
    let (region, security, whole) = (region.clone(), security.clone(), host.clone());
    let run = move |incoming: Incoming| {
        let partner = incoming.attached.partner.clone();
        let named = incoming.attached.user.as_deref();
        let Some(user) = security.user(partner.as_str(), named, user) else {
            super::appc::refuse(&whole, &incoming.attached);
            return;
        };
        if let Err(error) = mirror(incoming.conversation, &programs, &region, user) {
            tracing::warn!("{MIRROR} of {partner}: {error}");
        }
    };
    host.define_program(tp, Arc::new(run));
}

fn mirror(
    mut conversation: Conversation,
    programs: &BTreeSet<String>,
    region: &Handle,
    user: UserId,
) -> Result<(), appc::Error> {
    conversation.accept()?;
    let message = receive(&mut conversation)?;
    let Some((program, commarea)) = parse(&message) else {
        conversation.deallocate(DeallocateType::Abend)?;
        return Err(appc::Error::Partner("what is no program link".into()));
    };
    let (ending, commarea) = match programs.contains(program) {
        true => run(region, program, commarea, user),
        false => (Ending::Condition(PGMIDERR), Vec::new()),
    };
    for record in reply(ending, &commarea).chunks(RECORD_BYTES) {
        conversation.send(record)?;
    }
    conversation.deallocate(DeallocateType::Flush)
}

/// Receives until this side has the turn.
fn receive(conversation: &mut Conversation) -> Result<Vec<u8>, appc::Error> {
    let mut buffer = vec![0; RECORD_BYTES];
    let mut message = Vec::new();
    loop {
        let got = conversation.receive(&mut buffer)?;
        message.extend_from_slice(&buffer[..got.len]);
        let wrong = match got.status {
            StatusReceived::Send => return Ok(message),
            StatusReceived::None => got.ended || message.len() > REQUEST_BYTES + MAX_COMMAREA,
            _ => true,
        };
        if wrong {
            return Err(appc::Error::Partner("what is no program link".into()));
        }
    }
}

fn parse(message: &[u8]) -> Option<(&str, &[u8])> {
    let (head, commarea) = message.split_first_chunk::<REQUEST_BYTES>()?;
    let (magic, head) = head.split_first_chunk::<5>()?;
    let (program, length) = head.split_first_chunk::<8>()?;
    let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
    let program = std::str::from_utf8(program).ok()?.trim_end();
    let whole = magic == MAGIC && length == commarea.len() && length <= MAX_COMMAREA;
    whole.then_some((program, commarea))
}

/// Runs the program; its ending and COMMAREA.
fn run(region: &Handle, program: &str, commarea: &[u8], user: UserId) -> (Ending, Vec<u8>) {
    let busy = (Ending::Condition(SYSIDERR), Vec::new());
    let (Ok(transid), Ok(program)) = (MIRROR.parse(), program.parse()) else {
        return (Ending::Condition(PGMIDERR), Vec::new());
    };
    let request = TaskRequest {
        transid,
        program,
        userid: user,
        start_code: StartCode::Link,
        ..TaskRequest::default()
    };
    let begun = region::block_on(region.begin(&region.default_port(), request));
    let Ok(mut task) = begun else {
        return busy;
    };
    if !commarea.is_empty() {
        let filled = task.set_commarea(commarea.len(), |area| {
            area.copy_from_slice(commarea);
            Ok::<(), Infallible>(())
        });
        if filled.is_err() {
            return busy;
        }
    }
    let reply = region::block_on(task.run());
    match reply.outcome() {
        Outcome::Ok => {
            let given = reply.commarea();
            let bytes = given.len().min(commarea.len());
            (Ending::Normal, given[..bytes].to_vec())
        }
        Outcome::Abend(abend) => (Ending::Abend(abend.code), Vec::new()),
    }
}

fn reply(ending: Ending, commarea: &[u8]) -> Vec<u8> {
    let (kind, code) = match ending {
        Ending::Normal => (0, [0; 4]),
        Ending::Abend(code) => (1, code),
        Ending::Condition(code) => (2, code),
    };
    let length = (commarea.len() as u32).to_be_bytes();
    [&MAGIC[..], &[kind], &code, &length, commarea].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_of_the_wrong_length_are_none() {
        let whole = [&MAGIC[..], b"PROG    ", &[0, 0, 0, 2], b"ab"].concat();
        assert_eq!(parse(&whole), Some(("PROG", &b"ab"[..])));
        for end in 0..whole.len() {
            assert_eq!(parse(&whole[..end]), None);
        }
        assert_eq!(parse(&[&whole[..], b"c"].concat()), None);
        assert_eq!(parse(&[b'x'; 40]), None);
    }
}
