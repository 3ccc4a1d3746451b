//! LINK to a program of another region: distributed program link.
//!
//! The program's name and its COMMAREA or channel go to the mirror transaction
//! of the partner on a conversation that lasts for this LINK; what comes back is
//! the COMMAREA or the channel's containers and how the program ended. The
//! partner commits its own unit of work, as with SYNCONRETURN.
//! Format: [`link::program_link`], drawn in `docs/internals/program-link.md`.

use cics::names::AbendCode;
use cics::resp::Condition;
use link::ContainerName;
use link::conversation::{ConversationState, VERB_DATA, Verb};
use link::program_link::{
    CALLER_PARAMETER, CALLER_SYNCS, CHANNEL_PARAMETER, LinkData, LinkReply, MAX_CHANNEL,
    MAX_CONTAINERS, MessageContainer, ProgramEnding, RECORD_BYTES, REPLY_BYTES, Request,
    channel_bytes,
};

use crate::abend::Abend;
use crate::channel::{ChannelId, PutMode};
use crate::exec::{CommandResult, CommandStop, condition};
use crate::services::VerbAnswer;
use crate::worker::Worker;

/// Most that a record can bring, in bytes.
const MOST_BYTES: u64 = 32_767;

/// SYSIDERR: the system is not known or cannot be reached.
const NO_SYSTEM: u32 = 18;
/// SYSIDERR: the system takes no channels.
const NO_CHANNELS: u32 = 20;
/// TERMERR: the conversation with the mirror failed.
const MIRROR_FAILED: u32 = 17;
/// LENGERR: too large to be passed. The manual has this number for a COMMAREA;
/// for a channel it is our own.
const TOO_LARGE: u32 = 11;
/// Sense data of an Attach that was refused for its initialisation parameters.
const PARAMETERS_REFUSED: [u32; 2] = [0x1008_6031, 0x1008_6032];

/// The region and program of a LINK.
pub struct LinkTarget {
    /// SYSID.
    pub system: [u8; 4],
    /// The mirror transaction.
    pub mirror: [u8; 4],
    /// The program, as the partner calls it.
    pub program: [u8; 8],
    /// SYNCONRETURN.
    pub syncs: bool,
}

/// The data that the program gets and changes.
pub enum LinkArea<'a> {
    /// A COMMAREA, empty for none.
    Commarea(&'a mut [u8]),
    /// A channel of the task.
    Channel(ChannelId),
}

/// The outcome of an exchange with a mirror.
pub enum MirrorAnswer {
    /// The message that came back.
    Reply(Vec<u8>),
    /// The exchange failed, with this sense data.
    Failed(u64),
}

/// Runs a program elsewhere.
pub fn serve(w: &mut Worker, remote: &LinkTarget, mut given: LinkArea<'_>) -> CommandResult {
    let request = request(w, remote, &given)?;
    let blank = [b' '; 8];
    let whom: [&[u8]; 3] = [&remote.system, &blank, &blank];
    let allocated = w.services.converse(Verb::Allocate, [0; 3], &whom)?;
    if allocated.condition != Condition::Normal {
        return condition(Condition::SysIdErr, NO_SYSTEM);
    }
    let id = allocated.args[0];
    let flags = if remote.syncs { CALLER_SYNCS } else { 0 };
    let mut parameters = parameter(&caller_identity(w, flags));
    let most = match &given {
        LinkArea::Commarea(area) => area.len() + REPLY_BYTES,
        LinkArea::Channel(_) => {
            parameters.extend(parameter(CHANNEL_PARAMETER));
            MAX_CHANNEL
        }
    };
    let answer = exchange(w, id, &remote.mirror, &parameters, &request, most);
    if !matches!(answer, Ok(MirrorAnswer::Reply(_))) {
        w.services.converse(Verb::Abend, [id, 0, 0], &[])?;
    }
    w.services.converse(Verb::Free, [id, 0, 0], &[])?;
    match (answer?, &mut given) {
        (MirrorAnswer::Reply(reply), LinkArea::Commarea(area)) => take_commarea(&reply, area),
        (MirrorAnswer::Reply(reply), LinkArea::Channel(channel)) => {
            take_channel(w, &reply, *channel)
        }
        (MirrorAnswer::Failed(sense), LinkArea::Channel(_))
            if PARAMETERS_REFUSED.map(u64::from).contains(&sense) =>
        {
            condition(Condition::SysIdErr, NO_CHANNELS)
        }
        (MirrorAnswer::Failed(_), _) => condition(Condition::TermErr, MIRROR_FAILED),
    }
}

/// The message that asks for it.
fn request(
    w: &mut Worker,
    remote: &LinkTarget,
    given: &LinkArea<'_>,
) -> Result<Vec<u8>, CommandStop> {
    let passed = match given {
        LinkArea::Commarea(area) => LinkData::Commarea(area),
        LinkArea::Channel(channel) => {
            let base = w.services.arena().base;
            let entries = w.task.channels.entries(*channel);
            if entries.len() > MAX_CONTAINERS
                || channel_bytes(entries.iter().map(|e| e.bytes)) > MAX_CHANNEL
            {
                return condition(Condition::LengErr, TOO_LARGE);
            }
            let sent = entries.iter().map(|e| {
                // SAFETY: the container's bytes in the arena, which do not
                // change before the message is made.
                let data = unsafe { std::slice::from_raw_parts(base.add(e.offset), e.bytes) };
                MessageContainer {
                    name: e.name,
                    data: Some((e.kind, e.ccsid, data)),
                }
            });
            let name = w.task.channels.name(*channel);
            LinkData::Channel(ContainerName::from_bytes(name), sent.collect())
        }
    };
    let program = remote.program;
    Ok(Request { program, passed }.emit())
}

/// The caller's identity, in the form that a connection to another region sends.
pub fn caller_identity(w: &Worker, flags: u8) -> Vec<u8> {
    [CALLER_PARAMETER, &[flags], &w.task.userid].concat()
}

/// Sends a message to a mirror and receives one of `most` bytes at most.
pub fn exchange(
    w: &mut Worker,
    id: u64,
    mirror: &[u8; 4],
    parameters: &[u8],
    request: &[u8],
    most: usize,
) -> Result<MirrorAnswer, CommandStop> {
    const BLANK: [u8; 8] = [b' '; 8];
    let connect: [&[u8]; 3] = [&BLANK, mirror, parameters];
    let args = [id, mirror.len() as u64, 0];
    let connected = w.services.converse(Verb::Connect, args, &connect)?;
    if connected.condition != Condition::Normal {
        return Ok(failed(&connected));
    }
    for record in request.chunks(RECORD_BYTES) {
        let sent = w
            .services
            .converse(Verb::Send, [id, VERB_DATA, 0], &[record])?;
        if !matches!(sent.condition, Condition::Normal | Condition::Signal) || sent.args[3] != 0 {
            return Ok(failed(&sent));
        }
    }
    let mut reply = Vec::new();
    loop {
        let got = w
            .services
            .converse(Verb::Receive, [id, 0, MOST_BYTES], &[])?;
        reply.extend_from_slice(&got.data);
        match got.condition {
            Condition::Normal | Condition::Eoc | Condition::Signal if got.args[3] == 0 => {}
            _ => return Ok(failed(&got)),
        }
        if got.args[1] == ConversationState::Free as u64 {
            return Ok(MirrorAnswer::Reply(reply));
        }
        // A mirror ends the conversation; it asks for nothing.
        if got.args[1] != ConversationState::Receive as u64 || reply.len() > most {
            return Ok(failed(&got));
        }
    }
}

fn failed(answer: &VerbAnswer) -> MirrorAnswer {
    MirrorAnswer::Failed(answer.args[3])
}

/// A parameter as PIPLIST would have it.
pub fn parameter(data: &[u8]) -> Vec<u8> {
    let bytes = (data.len() + 4) as u16;
    [&bytes.to_be_bytes()[..], &[0; 2], data].concat()
}

/// Stores the COMMAREA and answers as the program ended.
fn take_commarea(reply: &[u8], area: &mut [u8]) -> CommandResult {
    match LinkReply::parse(reply) {
        Some(LinkReply {
            ending,
            passed: LinkData::Commarea(data),
        }) if data.len() <= area.len() => {
            area[..data.len()].copy_from_slice(data);
            as_it_ended(ending)
        }
        _ => condition(Condition::TermErr, MIRROR_FAILED),
    }
}

/// Stores the changes of the program in its channel: containers that it removed
/// are deleted. When the program did not end normally, nothing is changed.
fn take_channel(w: &mut Worker, reply: &[u8], channel: ChannelId) -> CommandResult {
    let Some(LinkReply {
        ending,
        passed: LinkData::Channel(_, sent),
    }) = LinkReply::parse(reply)
    else {
        return condition(Condition::TermErr, MIRROR_FAILED);
    };
    if ending != ProgramEnding::Normal {
        return as_it_ended(ending);
    }
    let channels = &mut w.task.channels;
    let known =
        |s: &MessageContainer<'_>| s.data.is_some() || channels.get(channel, &s.name).is_some();
    if !sent.iter().all(known) {
        return condition(Condition::TermErr, MIRROR_FAILED);
    }
    let kept: std::collections::HashSet<ContainerName> = sent.iter().map(|s| s.name).collect();
    let before = channels.entries(channel).iter().map(|e| e.name);
    let gone: Vec<ContainerName> = before.filter(|name| !kept.contains(name)).collect();
    let arena = w.services.arena();
    for name in gone {
        if let Some(entry) = channels.take(channel, &name) {
            arena.heap.free(entry.offset, entry.bytes);
        }
    }
    for container in sent {
        let Some((kind, ccsid, data)) = container.data else {
            continue;
        };
        let (name, arena) = (container.name, w.services.arena());
        let put = channels.put(channel, &name, data, PutMode::Replace, (kind, ccsid), arena);
        if put.is_err() {
            return condition(Condition::NoStg, 0);
        }
    }
    Ok(())
}

fn as_it_ended(ending: ProgramEnding) -> CommandResult {
    match ending {
        ProgramEnding::Normal => Ok(()),
        ProgramEnding::Abend(code) => Err(CommandStop::Abend(Abend::new(
            AbendCode(code),
            "the linked program abended in its region",
        ))),
        ProgramEnding::Condition(number, resp2) => match Condition::from_number(number) {
            Some(raised) if raised != Condition::Normal => condition(raised, u32::from(resp2)),
            _ => condition(Condition::TermErr, MIRROR_FAILED),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reply(ending: ProgramEnding, data: &[u8]) -> Vec<u8> {
        let passed = LinkData::Commarea(data);
        LinkReply { ending, passed }.emit()
    }

    #[test]
    fn a_reply_ends_the_link_as_the_program_ended() {
        let mut area = *b"before";
        assert!(take_commarea(&reply(ProgramEnding::Normal, b"after "), &mut area).is_ok());
        assert_eq!(&area, b"after ");
        match take_commarea(&reply(ProgramEnding::Abend(*b"OOPS"), b""), &mut area) {
            Err(CommandStop::Abend(abend)) => assert_eq!(abend.code, *b"OOPS"),
            other => panic!("{other:?}"),
        }
        match take_commarea(&reply(ProgramEnding::Condition(27, 1), b""), &mut area) {
            Err(CommandStop::Condition(Condition::PgmIdErr, 1)) => {}
            other => panic!("{other:?}"),
        }
        match take_commarea(&reply(ProgramEnding::Normal, b"too long"), &mut area) {
            Err(CommandStop::Condition(Condition::TermErr, MIRROR_FAILED)) => {}
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn any_reply_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let mut area = [0; 16];
            let _ = take_commarea(&bytes, &mut area);
            let _ = take_commarea(&[&b"TXDL\x01"[..], &bytes].concat(), &mut area);
        }
    }
}
