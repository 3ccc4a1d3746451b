//! A request becomes a task of the region, and its end the reply.
//!
//! A LINK without SYNCONRETURN belongs to its caller's unit of work
//! ([`super::in_unit`]). If the caller has no coordinator, it sends no unit. Then
//! the program may read but not change recoverable data: its changes are backed
//! out, and the LINK is rejected with a message.
//!
//! Reference: CICS TS intercommunication guide, distributed program link.

use std::convert::Infallible;
use std::sync::Arc;

use cics::command::commands::start;
use cics::resp::Condition;
use link::{CommandOperands, ProgramFault};
use region::{
    Abend, Handle, OpenTask, Port, StartCode, StartRefusal, Task, TaskOutcome, TaskRequest, UserId,
};

use super::in_unit::InUnits;
use crate::serving::{BranchServer, ServedPartner, refused, with_unit};
use crate::units::BranchTable;
use crate::wire::{
    IN_UNIT_AT, InUnit, MAX_CONTAINERS, ReplyContainer, ReplyHead, Request, RequestEnding,
    emit_reply, emit_started, parse_start,
};

/// ROLLEDBACK with RESP2 29: the program has changed something that is
/// recoverable, and the LINK does not say SYNCONRETURN; it is backed out.
const NOT_ATOMIC: RequestEnding = RequestEnding::Condition(82, 29);
/// LENGERR with RESP2 11: larger than the way takes.
const TOO_LONG: RequestEnding = RequestEnding::Condition(22, 11);

/// The region that serves a listener.
#[derive(Clone)]
pub struct MirrorRegion {
    pub region: Handle,
    /// The default user of the partner's tasks.
    pub user: UserId,
    /// The branches of callers' units of work.
    pub units: Arc<BranchTable<OpenTask>>,
}

impl MirrorRegion {
    /// Serves a request; the reply, of `longest` bytes at most.
    pub async fn serve(
        &self,
        port: &Port,
        from: ServedPartner,
        message: Vec<u8>,
        longest: usize,
    ) -> Vec<u8> {
        let request = match Request::parse(message) {
            Ok(request) => request,
            Err(error) => return refused(RequestEnding::Never, format!("the request: {error}")),
        };
        let head = &request.head;
        if head.start {
            return self.start(port, &request).await;
        }
        let of = head.unit;
        if let Some(of) = of.filter(|of| of.step.is_order()) {
            let region = InUnits { mirror: self, port };
            return self.in_units(&region).order(&request, from, of).await;
        }
        let cannot = if head.link {
            self.region.can_run(head.program).err()
        } else {
            None
        };
        let reply = match (cannot, head.sync_on_return, of) {
            (Some(why), ..) => with_unit(not_taken(why, true), InUnit::Unchanged),
            _ if !head.link => self.task(port, &request).await,
            (None, false, Some(of)) => {
                let region = InUnits { mirror: self, port };
                self.in_units(&region).link(&request, from, of).await
            }
            (None, false, None) => self.reading(port, &request).await,
            (None, true, _) => self.task(port, &request).await,
        };
        if reply.len() > longest {
            let why = format!(
                "the answer has {} bytes, but the partner accepts at most {longest}",
                reply.len()
            );
            let ending = if head.link {
                TOO_LONG
            } else {
                RequestEnding::Never
            };
            let mut short = refused(ending, why);
            // The state of the caller's branch is kept.
            short[IN_UNIT_AT] = reply[IN_UNIT_AT];
            short
        } else {
            reply
        }
    }

    fn in_units<'s>(&'s self, region: &'s InUnits<'s>) -> BranchServer<'s, InUnits<'s>> {
        BranchServer {
            region,
            units: &self.units,
        }
    }

    fn user(&self, named: UserId) -> UserId {
        if named.is_blank() { self.user } else { named }
    }

    pub(super) fn wanted(&self, request: &Request<Vec<u8>>) -> TaskRequest {
        let head = &request.head;
        TaskRequest {
            transid: head.transid,
            program: head.program,
            userid: self.user(head.user),
            start_code: match (head.link, head.sync_on_return) {
                (true, true) => StartCode::LinkSync,
                (true, false) => StartCode::Link,
                (false, _) => StartCode::Web,
            },
            trace_id: head.trace_id,
            expected_bytes: request.len(),
            timeout_ms: head.timeout_ms,
            ..TaskRequest::default()
        }
    }

    /// A task of its own, which commits at its end.
    async fn task(&self, port: &Port, request: &Request<Vec<u8>>) -> Vec<u8> {
        let begun = self.region.begin(port, self.wanted(request)).await;
        let mut task = match begun {
            Ok(task) => task,
            Err(refusal) => return not_taken(refusal, request.head.link),
        };
        if let Err(reply) = fill(&mut task, request) {
            return reply;
        }
        let reply = task.run().await;
        answer(&reply, reply.outcome(), request)
    }

    /// As above, but backed out if it has changed data.
    async fn reading(&self, port: &Port, request: &Request<Vec<u8>>) -> Vec<u8> {
        let wanted = self.wanted(request);
        let mut open = match self.region.begin_open(port, wanted).await {
            Ok(open) => open,
            Err(refusal) => return not_taken(refusal, true),
        };
        let reply = match open.run(request.head.program, request.len()).await {
            None => {
                return refused(RequestEnding::Abend(*b"AEXY"), "the task was ended".into());
            }
            Some(Err(refusal)) => return not_taken(refusal, true),
            Some(Ok(mut task)) => {
                if let Err(reply) = fill(&mut task, request) {
                    return reply;
                }
                task.run().await
            }
        };
        open.ran(&reply);
        let changed = open.has_changes();
        let abend = match (reply.outcome(), changed) {
            (TaskOutcome::Abend(abend), _) => Some(abend.clone()),
            (TaskOutcome::Ok, true) => Some(Abend {
                code: *b"ASP1",
                program: request.head.program,
                line: 0,
                message: "a LINK without SYNCONRETURN has changed recoverable data".into(),
            }),
            (TaskOutcome::Ok, false) => None,
        };
        // The reply's memory is the worker's: it is copied before the end.
        let made = answer(&reply, reply.outcome(), request);
        drop(reply);
        let undone = abend.is_some() && changed;
        let _ = open.end(abend, 0).await;
        if !undone || made.first() != Some(&0) {
            return made;
        }
        let why = format!(
            "{} has changed recoverable data, but the LINK has no SYNCONRETURN: it is backed \
             out, because a unit of work does not span these regions",
            request.head.program
        );
        tracing::warn!("{why}");
        refused(NOT_ATOMIC, why)
    }

    /// A START: the region serves the command for its caller.
    async fn start(&self, port: &Port, request: &Request<Vec<u8>>) -> Vec<u8> {
        let operands = match parse_start(request) {
            Ok(operands) => operands,
            Err(error) => return refused(RequestEnding::Never, format!("the START: {error}")),
        };
        let wanted = TaskRequest {
            start_code: StartCode::Link,
            ..self.wanted(request)
        };
        let mut open = match self.region.begin_open(port, wanted).await {
            Ok(open) => open,
            Err(refusal) => return not_taken(refusal, true),
        };
        let answer = open.command(start::NUMBER, &operands).await;
        let _ = open.end(None, 0).await;
        let resp2 = u16::try_from(answer.resp2).unwrap_or(0);
        let head = ReplyHead {
            ending: match (answer.abend.is_blank(), answer.condition) {
                (false, _) => RequestEnding::Abend(*answer.abend.as_bytes()),
                (true, Condition::Normal) => RequestEnding::Normal,
                (true, raised) => RequestEnding::Condition(raised.number(), resp2),
            },
            ..ReplyHead::default()
        };
        let given = CommandOperands::parse(&answer.data).unwrap_or_default();
        emit_started(&head, &given)
    }
}

/// Passes the data of the request to the task. The error is the reply.
pub(super) fn fill(task: &mut Task, request: &Request<Vec<u8>>) -> Result<(), Vec<u8>> {
    let head = &request.head;
    if !head.eib_transid.is_blank() {
        task.set_eib_transid(head.eib_transid);
    }
    let too_large = || {
        let ending = if head.link {
            TOO_LONG
        } else {
            RequestEnding::Never
        };
        refused(
            ending,
            "the request is larger than the region's area for it".into(),
        )
    };
    if head.commarea_bytes > 0 {
        let set = task.set_commarea(head.commarea_bytes, |area| {
            area.copy_from_slice(request.commarea());
            Ok::<(), Infallible>(())
        });
        set.map_err(|_| too_large())?;
    }
    if head.channel && !head.channel_name.is_blank() {
        task.set_channel(head.channel_name);
    }
    for entry in &request.containers {
        let bytes = request.bytes(entry);
        let name = entry.name.as_str();
        let put = task.put_container(name, entry.kind, bytes.len(), |area| {
            area.copy_from_slice(bytes);
            Ok::<usize, Infallible>(bytes.len())
        });
        put.map_err(|_| too_large())?;
        if entry.ccsid != 0 {
            task.set_code_page(name, entry.ccsid);
        }
    }
    Ok(())
}

/// The reply of a task that has run.
pub(super) fn answer(
    reply: &region::TaskReply,
    outcome: &TaskOutcome,
    request: &Request<Vec<u8>>,
) -> Vec<u8> {
    let mut head = ReplyHead {
        task: reply.record().task,
        ..ReplyHead::default()
    };
    match outcome {
        TaskOutcome::Abend(abend) => {
            abend.log(reply.record());
            head.ending = RequestEnding::Abend(abend.code);
            head.program = abend.program;
            head.line = abend.line;
            head.text.clone_from(&abend.message);
            emit_reply(&head, &[], &[])
        }
        TaskOutcome::Ok if request.head.channel => {
            head.channel_name = reply.channel();
            let left = reply.containers();
            let left: Vec<ReplyContainer<'_>> =
                left.map(|c| (c.name, c.kind, c.ccsid, c.bytes)).collect();
            if left.len() > MAX_CONTAINERS {
                refused(
                    RequestEnding::Never,
                    "the channel has too many containers".into(),
                )
            } else {
                emit_reply(&head, &[], &left)
            }
        }
        TaskOutcome::Ok => emit_reply(&head, reply.commarea(), &[]),
    }
}

/// PGMIDERR: the program cannot be run here.
fn no_program(fault: ProgramFault) -> RequestEnding {
    let resp2 = u16::try_from(fault.resp2()).unwrap_or_default();
    RequestEnding::Condition(Condition::PgmIdErr.number(), resp2)
}

/// A task that the region does not take.
pub(super) fn not_taken(refusal: StartRefusal, link: bool) -> Vec<u8> {
    let ending = match refusal {
        _ if refusal.is_temporary() => RequestEnding::Later,
        StartRefusal::TooLarge if link => TOO_LONG,
        StartRefusal::Program(_, fault) if link => no_program(fault),
        _ => RequestEnding::Never,
    };
    refused(ending, refusal.to_string())
}
