//! The mirror transaction: runs a program for a LINK of another region.
//!
//! It receives the program's name with its COMMAREA or channel, runs the program
//! as a task of its own that commits at its end, sends the COMMAREA or the
//! channel's containers and the ending back, and ends the conversation. A caller
//! with a channel says so in the initialisation parameters of its Attach.
//! Format: [`region::program_link`], drawn in `docs/internals/program-link.md`.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::appc::PartnerDirectory;
use appc::{Conversation, IncomingAttach};
use cics::resp::Condition;
use region::program_link::{
    CHANNEL_PARAMETER, LinkData, LinkReply, MAX_CHANNEL, MAX_COMMAREA, MAX_CONTAINERS,
    MessageContainer, ProgramEnding, RECORD_BYTES, Request, channel_bytes,
};
use region::{Handle, ProgramName, StartCode, TaskOutcome, TaskRequest, UserId};
use sna::conversation::code::{ConversationType, DeallocateType, StatusReceived};
use sna::{AttachRefusal, TpDefinition};

/// The transaction.
const MIRROR: &str = "CSMI";
/// Bytes of a request with a COMMAREA, without it: name and form, program,
/// length.
const REQUEST_BYTES: usize = 5 + 8 + 4;
/// Most bytes of requests with channels that all mirrors of a region hold at once,
/// so that partners cannot fill its memory.
const MOST_HELD_BYTES: usize = 4 * MAX_CHANNEL;
/// SYSIDERR with RESP2 19: the region accepts no more tasks now.
const SYSIDERR: ProgramEnding = ProgramEnding::Condition(53, 19);
/// LENGERR with RESP2 11: a channel too large for this region, or a changed one too
/// large for the reply.
const LENGERR: ProgramEnding = ProgramEnding::Condition(22, 11);

/// The budget that the mirrors of a region share.
#[derive(Debug, Default)]
pub struct MirrorBudget(AtomicUsize);

/// Bytes of a request that are counted against the budget; dropping releases them.
struct ByteReservation<'h> {
    held: &'h MirrorBudget,
    bytes: usize,
}

impl ByteReservation<'_> {
    /// Counts more bytes. Returns false if they exceed the budget.
    fn grow(&mut self, bytes: usize) -> bool {
        let before = self.held.0.fetch_add(bytes, Ordering::Relaxed);
        self.bytes += bytes;
        before + bytes <= MOST_HELD_BYTES
    }
}

impl Drop for ByteReservation<'_> {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Registers the mirror as a transaction program that partners may attach.
pub fn define(partners: &PartnerDirectory, region: &Handle, user: UserId) {
    let Ok(name) = MIRROR.parse() else {
        return;
    };
    let tp = TpDefinition {
        types: vec![ConversationType::Mapped],
        pip: true,
        ..TpDefinition::new(name)
    };
    let (region, own) = (region.clone(), partners.clone());
    let run = move |incoming: IncomingAttach| {
        let (host, partner) = (own.host(), incoming.attached.partner.clone());
        let Some(user) = own.user(&incoming.attached, user) else {
            super::appc::refuse(host, &incoming.attached);
            return;
        };
        let channel = match &incoming.attached.pip[..] {
            [] => false,
            [form] if form == CHANNEL_PARAMETER => true,
            _ => {
                tracing::warn!("{MIRROR} of {partner}: initialisation parameters of another kind");
                let conversation = incoming.attached.conversation;
                host.once(|node, _| node.refuse(conversation, AttachRefusal::Parameters));
                return;
            }
        };
        let claim = ByteReservation {
            held: own.held(),
            bytes: 0,
        };
        let served = mirror(incoming.conversation, channel, claim, &region, user);
        if let Err(error) = served {
            tracing::warn!("{MIRROR} of {partner}: {error}");
        }
    };
    partners.host().define_program(tp, Arc::new(run));
}

fn mirror(
    mut conversation: Conversation,
    channel: bool,
    mut claim: ByteReservation<'_>,
    region: &Handle,
    user: UserId,
) -> Result<(), appc::Error> {
    conversation.accept()?;
    let most = if channel {
        MAX_CHANNEL
    } else {
        REQUEST_BYTES + MAX_COMMAREA
    };
    let message = receive(&mut conversation, most, &mut claim)?;
    let request = Request::parse(&message).filter(|request| {
        let with_channel = matches!(request.passed, LinkData::Channel(..));
        with_channel == channel
    });
    let Some(request) = request else {
        conversation.deallocate(DeallocateType::Abend)?;
        return Err(appc::Error::Partner(
            "a message that is not a program link".into(),
        ));
    };
    let program = ProgramName::from_bytes(request.program);
    let reply = match region.can_run(program) {
        Ok(()) => run(region, program, &request, user),
        Err(refusal) => nothing(refused(refusal), &request),
    };
    for record in reply.chunks(RECORD_BYTES) {
        conversation.send(record)?;
    }
    conversation.deallocate(DeallocateType::Flush)
}

/// Receives a message of `most` bytes at most, until this side has the turn.
fn receive(
    conversation: &mut Conversation,
    most: usize,
    claim: &mut ByteReservation<'_>,
) -> Result<Vec<u8>, appc::Error> {
    let mut buffer = vec![0; RECORD_BYTES];
    let mut message = Vec::new();
    loop {
        let got = conversation.receive(&mut buffer)?;
        message.extend_from_slice(&buffer[..got.len]);
        if !claim.grow(got.len) {
            return Err(appc::Error::Partner(
                "with more than all mirrors may hold at once".into(),
            ));
        }
        let wrong = match got.status {
            StatusReceived::Send => return Ok(message),
            StatusReceived::None => got.ended || message.len() > most,
            _ => true,
        };
        if wrong {
            return Err(appc::Error::Partner(
                "a message that is not a program link".into(),
            ));
        }
    }
}

/// A reply without data.
fn nothing(ending: ProgramEnding, request: &Request<'_>) -> Vec<u8> {
    let passed = match &request.passed {
        LinkData::Commarea(_) => LinkData::Commarea(&[]),
        LinkData::Channel(name, _) => LinkData::Channel(*name, Vec::new()),
    };
    LinkReply { ending, passed }.emit()
}

/// The ending of a LINK whose task the region rejects.
fn refused(refusal: region::StartRefusal) -> ProgramEnding {
    match refusal {
        region::StartRefusal::Program(_, fault) => {
            let resp2 = u16::try_from(fault.resp2()).unwrap_or_default();
            ProgramEnding::Condition(Condition::PgmIdErr.number(), resp2)
        }
        _ => SYSIDERR,
    }
}

/// Runs the program and returns the reply.
fn run(region: &Handle, program: ProgramName, request: &Request<'_>, user: UserId) -> Vec<u8> {
    let Ok(transid) = MIRROR.parse() else {
        return nothing(SYSIDERR, request);
    };
    let data = match &request.passed {
        LinkData::Commarea(area) => area.len(),
        LinkData::Channel(_, sent) => channel_bytes(sent.iter().map(bytes_of)),
    };
    let wanted = TaskRequest {
        transid,
        program,
        userid: user,
        start_code: StartCode::LinkSync,
        expected_bytes: data,
        ..TaskRequest::default()
    };
    let begun = region::block_on(region.begin(&region.default_port(), wanted));
    let mut task = match begun {
        Ok(task) => task,
        Err(refusal) => return nothing(refused(refusal), request),
    };
    if !fill(&mut task, &request.passed) {
        return nothing(LENGERR, request);
    }
    let reply = region::block_on(task.run());
    match (reply.outcome(), &request.passed) {
        (TaskOutcome::Abend(abend), _) => nothing(ProgramEnding::Abend(abend.code), request),
        (TaskOutcome::Ok, LinkData::Commarea(area)) => {
            let given = reply.commarea();
            let passed = LinkData::Commarea(&given[..given.len().min(area.len())]);
            let ending = ProgramEnding::Normal;
            LinkReply { ending, passed }.emit()
        }
        (TaskOutcome::Ok, LinkData::Channel(name, before)) => {
            let given: Vec<MessageContainer<'_>> =
                reply.containers().map(|c| changed(&c, before)).collect();
            if given.len() > MAX_CONTAINERS
                || channel_bytes(given.iter().map(bytes_of)) > MAX_CHANNEL
            {
                return nothing(LENGERR, request);
            }
            let (ending, passed) = (ProgramEnding::Normal, LinkData::Channel(*name, given));
            LinkReply { ending, passed }.emit()
        }
    }
}

fn bytes_of(sent: &MessageContainer<'_>) -> usize {
    sent.data.map_or(0, |(_, _, data)| data.len())
}

/// A container of the reply: without its bytes if they are unchanged.
fn changed<'a>(
    container: &region::Container<'a>,
    before: &[MessageContainer<'_>],
) -> MessageContainer<'a> {
    let now = (container.kind, container.ccsid, container.bytes);
    let same = before
        .iter()
        .any(|sent| sent.name == container.name && sent.data == Some(now));
    MessageContainer {
        name: container.name,
        data: (!same).then_some(now),
    }
}

/// Puts the request's data into the task. Returns false if there is no room for it.
fn fill(task: &mut region::Task, passed: &LinkData<'_>) -> bool {
    match passed {
        LinkData::Commarea([]) => true,
        LinkData::Commarea(area) => {
            let filled = task.set_commarea(area.len(), |into| {
                into.copy_from_slice(area);
                Ok::<(), Infallible>(())
            });
            filled.is_ok()
        }
        LinkData::Channel(name, sent) => {
            task.set_channel(*name);
            sent.iter().all(|container| {
                let Some((kind, ccsid, data)) = container.data else {
                    return false;
                };
                let name = container.name.as_str();
                let put = task.put_container(name, kind, data.len(), |into| {
                    into.copy_from_slice(data);
                    Ok::<usize, Infallible>(data.len())
                });
                task.set_code_page(name, ccsid);
                put.is_ok()
            })
        }
    }
}
