//! The systems that programs name by SYSID: regions over `ipconn`, and APPC partners if
//! no region has the name.
//!
//! For the region a LINK is a conversation with a mirror. Over `ipconn` it is one
//! request: the data that the program sends is collected, and a receive sends the
//! request.

use std::sync::{Arc, Mutex, PoisonError};

use super::units::{Coordinator, JoinedLink, NotJoined};
use ::link::CommandOperands;
use cics::command::Command;
use cics::command::commands::{link, start};
use cics::resp::Condition;
use ipconn::wire::{
    ReplyMessage as Answered, RequestBuilder, RequestEnding, RequestHead, emit_start,
};
use ipconn::{CallInterrupt, ConnectionDirectory, PendingCall, RegionCaller};
use region::program_link::{
    self, CALLER_PARAMETER, LinkData, MAX_COMMAREA, MessageContainer, RECORD_BYTES, Request,
};
use region::{
    CallFailure, ConnectionInfo, ContainerName, Conversation, ConversationService,
    ConversationTarget, Fault, NotStarted, ReceiveOutcome, TaskUnit, sense,
};

/// The mode of destinations over `ipconn`; no APPC mode has this name.
const MODE: &str = "(ipconn)";
/// SYSIDERR with RESP2 18: the region cannot be reached.
const UNREACHABLE: program_link::ProgramEnding = program_link::ProgramEnding::Condition(53, 18);
/// SYSIDERR with RESP2 19: the region accepts nothing more now.
const BUSY: program_link::ProgramEnding = program_link::ProgramEnding::Condition(53, 19);
/// LENGERR with RESP2 11: the data is too long.
const TOO_LONG: program_link::ProgramEnding = program_link::ProgramEnding::Condition(22, 11);

/// All systems that a SYSID can name.
#[derive(Debug)]
pub struct RemoteSystems {
    /// The regions over `ipconn`.
    pub regions: Option<(ConnectionDirectory, RegionCaller, Coordinator)>,
    /// The partners over APPC.
    pub partners: Option<Arc<dyn ConversationService>>,
}

impl ConversationService for RemoteSystems {
    fn system(&self, sysid: &str) -> Option<ConversationTarget> {
        let regions = self.regions.as_ref();
        let found = regions.and_then(|(directory, ..)| directory.system(sysid));
        match found {
            Some(connection) => Some(ConversationTarget {
                partner: connection,
                mode: MODE.to_owned(),
                process: None,
            }),
            None => self.partners.as_ref()?.system(sysid),
        }
    }

    fn partner(&self, name: &str) -> Option<ConversationTarget> {
        self.partners.as_ref()?.partner(name)
    }

    fn profile(&self, name: &str) -> Option<String> {
        self.partners.as_ref()?.profile(name)
    }

    fn connections(&self) -> Vec<ConnectionInfo> {
        let regions = self.regions.iter();
        let own = regions.flat_map(|(directory, ..)| directory.connections());
        let own = own.filter_map(|c| {
            Some(ConnectionInfo {
                sysid: c.sysid.parse().ok()?,
                net_name: if c.applid.is_empty() {
                    c.name
                } else {
                    c.applid
                },
                sessions: c.sessions as usize,
            })
        });
        let partners = self.partners.iter().flat_map(|p| p.connections());
        own.chain(partners).collect()
    }

    fn reach(&self, destination: &ConversationTarget) -> bool {
        match (&self.regions, &self.partners) {
            (Some((directory, ..)), _) if destination.mode == MODE => {
                let all = directory.connections();
                all.iter()
                    .any(|c| c.name == destination.partner && c.lanes > 0)
            }
            (_, Some(partners)) => partners.reach(destination),
            _ => false,
        }
    }

    fn connect(
        &self,
        destination: &ConversationTarget,
        process: &str,
        confirm: bool,
        parameters: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault> {
        self.connect_in_unit(None, destination, process, confirm, parameters)
    }

    fn connect_in_unit(
        &self,
        unit: Option<&TaskUnit>,
        destination: &ConversationTarget,
        process: &str,
        confirm: bool,
        mut parameters: Vec<Vec<u8>>,
    ) -> Result<Box<dyn Conversation>, Fault> {
        let own = parameters
            .iter()
            .position(|p| p.starts_with(CALLER_PARAMETER));
        let own = own.map(|at| parameters.remove(at));
        match (&self.regions, &self.partners) {
            (Some((_, caller, coordinator)), _) if destination.mode == MODE => {
                // Only LINK and START pass the caller's identity.
                let own = own.ok_or(Fault::Over(sense::NAME_UNKNOWN))?;
                Ok(Box::new(RemoteCall {
                    caller: caller.clone(),
                    unit: unit.cloned().map(|unit| (coordinator.clone(), unit)),
                    connection: destination.partner.clone(),
                    process: process.to_owned(),
                    own,
                    message: Vec::new(),
                    reply: None,
                    interrupt: Arc::default(),
                }))
            }
            // A partner's mirror accepts only program links.
            (_, Some(_)) if own.is_some_and(|own| is_start(&own)) => {
                Err(Fault::Over(sense::NOT_AVAILABLE))
            }
            (_, Some(partners)) => partners.connect(destination, process, confirm, parameters),
            _ => Err(Fault::Over(sense::SESSION)),
        }
    }
}

/// Whether the caller's parameters are those of a START, not a LINK.
fn is_start(own: &[u8]) -> bool {
    own.get(CALLER_PARAMETER.len())
        .is_some_and(|flags| flags & program_link::CALLER_STARTS != 0)
}

/// A LINK or START in progress.
struct RemoteCall {
    caller: RegionCaller,
    /// The unit of work of the task, and its coordinator.
    unit: Option<(Coordinator, TaskUnit)>,
    connection: String,
    process: String,
    /// The caller, and whether it specified SYNCONRETURN.
    own: Vec<u8>,
    message: Vec<u8>,
    /// The answer, and how much of it the program has received.
    reply: Option<(Vec<u8>, usize)>,
    interrupt: Arc<Mutex<CallInterruption>>,
}

/// Whether the call is being ended by another thread.
#[derive(Debug, Default)]
struct CallInterruption {
    ended: bool,
    call: Option<CallInterrupt>,
}

impl RemoteCall {
    /// Sends the request and waits for the answer.
    fn exchange(&self) -> Result<Vec<u8>, Fault> {
        let (flags, mut head) = self.head()?;
        if flags & program_link::CALLER_STARTS != 0 {
            return self.start(head);
        }
        let Some(request) = Request::parse(&self.message) else {
            return Err(Fault::Over(sense::ABEND));
        };
        let answered = match self.join(&mut head)? {
            Ok(joined) => self.linked(joined.as_ref(), head, &request)?,
            Err(unreachable) => Err(unreachable),
        };
        let (ending, answered) = match answered {
            Ok(answered) => (ending(&answered)?, Some(answered)),
            Err(CallFailure::Lost(why)) => {
                tracing::warn!("LINK by {}: {why}", self.connection);
                return Err(Fault::Over(sense::SESSION));
            }
            Err(CallFailure::NotStarted(NotStarted::Busy(_))) => (BUSY, None),
            Err(CallFailure::NotStarted(_)) => (UNREACHABLE, None),
            Err(CallFailure::TooLarge(_)) => (TOO_LONG, None),
        };
        let answered = answered.filter(|_| ending == program_link::ProgramEnding::Normal);
        let passed = match (&request.passed, &answered) {
            (LinkData::Commarea(area), Some(answered)) => {
                let given = answered.commarea();
                LinkData::Commarea(&given[..given.len().min(area.len())])
            }
            (LinkData::Commarea(_), None) => LinkData::Commarea(&[]),
            (LinkData::Channel(name, _), None) => LinkData::Channel(*name, Vec::new()),
            (LinkData::Channel(name, _), Some(answered)) => {
                let given = answered.containers.iter().map(|c| MessageContainer {
                    name: c.name,
                    data: Some((c.kind, c.ccsid, answered.bytes(c))),
                });
                LinkData::Channel(*name, given.collect())
            }
        };
        Ok(program_link::LinkReply { ending, passed }.emit())
    }

    /// Sends a LINK and waits for the answer, which reports whether the task's unit has
    /// changes there.
    fn linked(
        &self,
        joined: Option<&JoinedLink>,
        head: RequestHead,
        request: &Request<'_>,
    ) -> Result<Result<Answered, CallFailure>, Fault> {
        let called = build(head, request).ok_or(Fault::State);
        let called = called.and_then(|built| self.call(built));
        let called = called.inspect_err(|_| joined.into_iter().for_each(JoinedLink::not_taken))?;
        let answered = called.wait();
        if let Some(joined) = joined {
            match &answered {
                Ok(reply) => joined.answered(reply.head.in_unit),
                Err(CallFailure::Lost(_)) => joined.lost(),
                Err(_) => joined.not_taken(),
            }
        }
        Ok(answered)
    }

    /// A LINK without SYNCONRETURN becomes part of the task's unit.
    fn join(
        &self,
        head: &mut RequestHead,
    ) -> Result<Result<Option<JoinedLink>, CallFailure>, Fault> {
        let Some((coordinator, task)) = self.unit.as_ref().filter(|_| !head.sync_on_return) else {
            return Ok(Ok(None));
        };
        match coordinator.join(&self.connection, task) {
            Ok(joined) if !joined.is_lost() => {
                head.unit = Some(joined.of_unit());
                Ok(Ok(Some(joined)))
            }
            Ok(_) | Err(NotJoined::Ending) => Err(Fault::Over(sense::SESSION)),
            Err(NotJoined::Unreachable) => {
                let why = format!("{} is not connected", self.connection);
                Ok(Err(NotStarted::Unreachable(why).into()))
            }
        }
    }

    /// The flags of the caller, and the head of its requests.
    fn head(&self) -> Result<(u8, RequestHead), Fault> {
        let wrong = |_| Fault::Over(sense::NAME_UNKNOWN);
        let own = &self.own[CALLER_PARAMETER.len()..];
        let (&flags, user) = own.split_first().ok_or(Fault::State)?;
        let user: [u8; 8] = user.try_into().map_err(|_| Fault::State)?;
        let head = RequestHead {
            link: true,
            sync_on_return: flags & program_link::CALLER_SYNCS != 0,
            transid: self.process.parse().map_err(wrong)?,
            user: region::Name::from_bytes(user),
            ..RequestHead::default()
        };
        Ok((flags, head))
    }

    /// Sends a START, and returns the region's answer to it.
    fn start(&self, head: RequestHead) -> Result<Vec<u8>, Fault> {
        let operands = CommandOperands::parse(&self.message).map_err(|_| Fault::State)?;
        let message = emit_start(head, &operands).ok_or(Fault::Over(sense::NOT_AVAILABLE))?;
        let answered = self.call(message)?.wait().map_err(|why| {
            tracing::warn!("START by {}: {why}", self.connection);
            Fault::Over(sense::SESSION)
        })?;
        let (resp, resp2) = match answered.head.ending {
            RequestEnding::Normal => (0, 0),
            RequestEnding::Condition(resp, resp2) if documented(&start::ROW, resp, resp2) => {
                (resp, resp2)
            }
            _ => return Err(Fault::Over(sense::NOT_AVAILABLE)),
        };
        let name = answered.container("REQID").unwrap_or_default();
        let head = [u16::to_be_bytes(resp), u16::to_be_bytes(resp2)].concat();
        Ok([&head[..], name].concat())
    }

    fn call(&self, built: Vec<u8>) -> Result<PendingCall, Fault> {
        let mut interruption = lock(&self.interrupt);
        if interruption.ended {
            return Err(Fault::Over(sense::SESSION));
        }
        let called = self.caller.call(&self.connection, built);
        interruption.call = Some(called.interrupt());
        Ok(called)
    }
}

/// The request in the format of `ipconn`.
fn build(mut head: RequestHead, request: &Request<'_>) -> Option<Vec<u8>> {
    let copy = |bytes: &[u8], into: &mut [u8]| into[..bytes.len()].copy_from_slice(bytes);
    head.program = region::Name::from_bytes(request.program);
    match &request.passed {
        LinkData::Commarea(area) => {
            let mut builder = RequestBuilder::new(head, area.len());
            let set = builder.set_commarea(area.len(), |into| {
                copy(area, into);
                Ok::<(), ()>(())
            });
            set.ok()?;
            Some(builder.finish())
        }
        LinkData::Channel(name, sent) => {
            head.channel = true;
            head.channel_name = *name;
            let bytes = sent.iter().map(|s| s.data.map_or(0, |(.., d)| d.len()));
            let mut builder = RequestBuilder::new(head, bytes.sum());
            for container in sent {
                let (kind, ccsid, data) = container.data?;
                let what: (ContainerName, _, _) = (container.name, kind, ccsid);
                let put = builder.put(what, data.len(), |into| {
                    copy(data, into);
                    Ok::<usize, ()>(data.len())
                });
                put?.ok()?;
            }
            Some(builder.finish())
        }
    }
}

/// The program's ending, as the caller's LINK reports it.
fn ending(answered: &Answered) -> Result<program_link::ProgramEnding, Fault> {
    Ok(match answered.head.ending {
        RequestEnding::Normal if answered.commarea().len() <= MAX_COMMAREA => {
            program_link::ProgramEnding::Normal
        }
        RequestEnding::Abend(code) => program_link::ProgramEnding::Abend(code),
        RequestEnding::Condition(resp, resp2) if documented(&link::ROW, resp, resp2) => {
            program_link::ProgramEnding::Condition(resp, resp2)
        }
        RequestEnding::Later => BUSY,
        RequestEnding::Never | RequestEnding::Normal | RequestEnding::Condition(..) => {
            return Err(Fault::Over(sense::NOT_AVAILABLE));
        }
    })
}

/// Whether a command may return this condition: another region may have another version.
fn documented(row: &Command, resp: u16, resp2: u16) -> bool {
    let raised = Condition::from_number(resp).filter(|c| *c != Condition::Normal);
    raised.is_some_and(|condition| row.documents(condition, u32::from(resp2)))
}

fn lock(of: &Mutex<CallInterruption>) -> std::sync::MutexGuard<'_, CallInterruption> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Conversation for RemoteCall {
    fn process(&self) -> (String, u8) {
        (self.process.clone(), 0)
    }

    fn send(&mut self, record: &[u8]) -> Result<bool, Fault> {
        self.message.extend_from_slice(record);
        Ok(false)
    }

    fn flush(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn confirm(&mut self) -> Result<bool, Fault> {
        Err(Fault::State)
    }

    fn confirmed(&mut self) -> Result<(), Fault> {
        Err(Fault::State)
    }

    fn invite(&mut self, _: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<ReceiveOutcome, Fault> {
        if self.reply.is_none() {
            self.reply = Some((self.exchange()?, 0));
        }
        let Some((reply, at)) = &mut self.reply else {
            return Err(Fault::State);
        };
        let bytes = (reply.len() - *at).min(buffer.len()).min(RECORD_BYTES);
        buffer[..bytes].copy_from_slice(&reply[*at..*at + bytes]);
        *at += bytes;
        Ok(ReceiveOutcome {
            bytes: Some(bytes),
            complete: true,
            end: *at == reply.len(),
            ..ReceiveOutcome::default()
        })
    }

    fn error(&mut self) -> Result<(), Fault> {
        Err(Fault::State)
    }

    fn signal(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn end(self: Box<Self>, _: bool) -> Result<(), Fault> {
        Ok(())
    }

    fn interrupter(&self) -> Box<dyn Fn() + Send + Sync> {
        let interrupt = self.interrupt.clone();
        Box::new(move || {
            let mut interruption = lock(&interrupt);
            interruption.ended = true;
            if let Some(call) = interruption.call.take() {
                call.interrupt();
            }
        })
    }
}
