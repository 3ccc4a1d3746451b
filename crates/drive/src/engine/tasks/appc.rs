//! LU 6.2 conversations: one node for each thread ([`DrivenNode`]), one
//! conversation for each client. The data of a step and the request for the answer
//! leave in one write.

use super::ThreadContext;
use super::line::{Answer, Asked, Failed, LONGEST_KEPT, Meter, connect};
use crate::appc::{self as naming, AppcPartner};
use crate::clock;
use crate::engine::RequestFailure;
use crate::message::{AnswerCheck, ReplyEnd};
use crate::net;
use crate::plan::{LoadTarget, Population, RequestStep};
use appc::{DrivenNode, WakeEvent};
use http::HeaderMap;
use rustix::fd::{AsFd, OwnedFd};
use sna::conversation::ConversationId;
use sna::conversation::code::{
    DeallocateType, Fill, PrepareToReceiveType, ReturnCode, StatusReceived,
};
use sna::{MonotonicTime, Node};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::io;
use std::rc::{Rc, Weak};
use std::task::{Poll, Waker};
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::net::TcpStream;
use tokio::sync::Mutex;

/// The nodes of a thread, by their logical units.
#[derive(Default)]
pub(super) struct ThreadNodes {
    links: RefCell<BTreeMap<String, Rc<Link>>>,
}

/// A node, and the tasks that wait for it.
struct Link {
    node: DrivenNode,
    waiting: RefCell<HashMap<WakeEvent, Waker>>,
    /// Locked by the task that sets up the link; the others wait for it.
    calling: Mutex<()>,
}

/// A client's conversation.
pub(super) struct Line {
    held: Option<OpenConversation>,
    buffer: Vec<u8>,
}

struct OpenConversation {
    link: Rc<Link>,
    id: ConversationId,
    /// Whether it has its session.
    open: bool,
}

impl ThreadNodes {
    /// The thread's node for a target; started when it is first needed.
    fn link(&self, common: &ThreadContext, partner: &AppcPartner) -> Result<Rc<Link>, Failed> {
        let lu = partner.lu(common.index);
        if let Some(link) = self.links.borrow().get(&lu) {
            return Ok(link.clone());
        }
        let refused = |why: String| (RequestFailure::Connect, why);
        let config = naming::node(&common.plan, &lu, common.index);
        let config = config.ok_or_else(|| refused(format!("no population uses {lu}")))?;
        let node = DrivenNode::start(config).map_err(|e| refused(e.to_string()))?;
        let watched = node.as_fd().try_clone_to_owned().and_then(|fd| {
            // SAFETY: an owned descriptor. It stays the same until it
            // is dropped together with its registration.
            unsafe { AsyncFd::register(fd) }.map_err(io::Error::from)
        });
        let watched = watched.map_err(|e| refused(e.to_string()))?;
        let link = Rc::new(Link {
            node,
            waiting: RefCell::default(),
            calling: Mutex::new(()),
        });
        tokio::task::spawn_local(pump(Rc::downgrade(&link), watched));
        tokio::task::spawn_local(keep_time(Rc::downgrade(&link)));
        self.links.borrow_mut().insert(lu, link.clone());
        Ok(link)
    }
}

/// Reads the node's sockets as long as a client uses the node.
async fn pump(link: Weak<Link>, watched: AsyncFd<OwnedFd>) {
    while let Ok(mut guard) = watched.readable().await {
        guard.clear_ready();
        let Some(link) = link.upgrade() else { return };
        link.turn();
    }
}

/// Runs timers of links that receive nothing.
async fn keep_time(link: Weak<Link>) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let Some(link) = link.upgrade() else { return };
        if link
            .node
            .next_timeout()
            .is_some_and(|left| left <= POLL_INTERVAL)
        {
            link.turn();
        }
    }
}

impl Link {
    fn turn(&self) {
        // After a failed poll all clients run into their timeouts.
        let _ = self.node.turn();
        self.dispatch();
    }

    /// Wakes the tasks whose conversations can continue.
    fn dispatch(&self) {
        let mut waiting = self.waiting.borrow_mut();
        self.node.take_ready(|wake| {
            if let Some(waker) = waiting.remove(&wake) {
                waker.wake();
            }
        });
    }

    /// Repeats a verb until it completes.
    async fn until<T>(&self, wake: WakeEvent, mut verb: impl FnMut(&DrivenNode) -> Poll<T>) -> T {
        poll_fn(|context| {
            let done = verb(&self.node);
            if done.is_pending() {
                let waker = context.waker().clone();
                self.waiting.borrow_mut().insert(wake, waker);
            }
            self.dispatch();
            done
        })
        .await
    }

    /// A verb of a conversation.
    async fn verb<T>(
        &self,
        id: ConversationId,
        mut verb: impl FnMut(&mut Node, MonotonicTime) -> Poll<T>,
    ) -> T {
        self.until(WakeEvent::Conversation(id), |node| node.verb(&mut verb))
            .await
    }

    /// Ensures that there is a link to the partner. One client sets it up, the
    /// others wait for it.
    async fn reach(&self, target: &LoadTarget, partner: &AppcPartner) -> Result<(), Failed> {
        let refused = |why: String| (RequestFailure::Connect, why);
        let there = || {
            let leads = self.node.leads_to(&partner.partner);
            leads.map_err(|e| refused(e.to_string()))
        };
        if there()? {
            return Ok(());
        }
        let _one = self.calling.lock().await;
        if there()? {
            return Ok(());
        }
        // The link is the thread's, so it has the first local address.
        let stream = connect(target, 0).await.and_then(TcpStream::into_std);
        let stream = stream.map_err(|e| refused(net::why_not(&e)))?;
        let call = self.node.call(&partner.partner, target.address, stream);
        let call = call.map_err(|e| refused(e.to_string()))?;
        let up = self
            .until(WakeEvent::Call(call), |node| {
                node.called(call, &partner.partner)
            })
            .await;
        up.map_err(|e| refused(e.to_string()))
    }
}

impl Line {
    /// A line without a conversation yet.
    pub fn new(_: &Population) -> Line {
        Line {
            held: None,
            buffer: Vec::new(),
        }
    }

    pub async fn exchange(
        &mut self,
        asked: &Asked<'_>,
        meter: &Meter<'_>,
    ) -> Result<Answer, Failed> {
        let Some(partner) = naming::partner_of(asked.target) else {
            let why = "the target is not an LU 6.2 partner";
            return Err((RequestFailure::Malformed, why.to_owned()));
        };
        if self.held.is_none() {
            self.allocate(asked, partner, meter).await?;
        }
        let mut answer = Answer {
            status: 0,
            headers: HeaderMap::new(),
            body: Vec::new(),
            size: 0,
        };
        let done = match self.send(asked).await {
            Ok(()) => {
                meter.sent(asked.bytes.len() as u64);
                match asked.step.reply {
                    ReplyEnd::Turn { .. } => self.receive(asked.keeps_body(), &mut answer).await,
                    _ => Ok(ReturnCode::Ok),
                }
            }
            Err(failed) => Err(failed),
        };
        let code = match done {
            Ok(ReturnCode::DeallocatedNormal) if answer.size == 0 => {
                Err(("RECEIVE", ReturnCode::DeallocatedNormal))
            }
            done => done,
        };
        match code {
            Ok(code) => answer.status = code.value() as u16,
            // A step may expect this return code: then it is the
            // answer.
            Err((_, code)) if wanted(asked.step, code) => {
                answer.status = code.value() as u16;
                if !code.ends_conversation() {
                    self.give_up();
                }
                self.held = None;
            }
            Err((verb, code)) => {
                if code.ends_conversation() {
                    self.held = None;
                }
                return Err(partner.failure(verb, code));
            }
        }
        if matches!(asked.step.reply, ReplyEnd::Turn { ebcdic: true }) {
            answer.body = sna::ebcdic::to_string(&answer.body).into_bytes();
        }
        if answer.status == ReturnCode::DeallocatedNormal.value() as u16 {
            self.held = None;
        }
        meter.received(answer.size);
        Ok(answer)
    }

    /// Allocates a conversation, and sets up the node and link first if needed.
    async fn allocate(
        &mut self,
        asked: &Asked<'_>,
        partner: &AppcPartner,
        meter: &Meter<'_>,
    ) -> Result<(), Failed> {
        let began = clock::now();
        let refused = |e: appc::Error| (RequestFailure::Connect, e.to_string());
        let link = meter.common.resources.appc.link(meter.common, partner)?;
        link.reach(asked.target, partner).await?;
        let wish = partner
            .allocate_request(meter.common.index)
            .map_err(refused)?;
        let id = link.node.verb(|node, now| node.allocate(wish, now));
        let held = self.held.insert(OpenConversation {
            link: link.clone(),
            id,
            open: false,
        });
        let code = link.verb(id, |node, _| node.allocated(id)).await;
        if code != ReturnCode::Ok {
            self.held = None;
            return Err(partner.failure("ALLOCATE", code));
        }
        held.open = true;
        meter.connected(clock::now() - began);
        Ok(())
    }

    /// Sends the records of a step, and the request for the partner's answer.
    async fn send(&mut self, asked: &Asked<'_>) -> Result<(), (&'static str, ReturnCode)> {
        let Some(OpenConversation { link, id, .. }) = &self.held else {
            return Err(("SEND_DATA", ReturnCode::ProgramStateCheck));
        };
        let (step, id) = (asked.step, *id);
        let mut records = records(asked.bytes, &step.writes.sizes).peekable();
        // All records go into one write as far as there is room.
        link.verb(id, |node, _| {
            while let Some(record) = records.peek() {
                let Poll::Ready(sent) = node.send(id, record) else {
                    return Poll::Pending;
                };
                if sent.code != ReturnCode::Ok {
                    return Poll::Ready(Err(("SEND_DATA", sent.code)));
                }
                records.next();
            }
            let (verb, code) = match step.reply {
                ReplyEnd::Turn { .. } => (
                    "PREPARE_TO_RECEIVE",
                    node.prepare_to_receive(id, PrepareToReceiveType::Flush),
                ),
                ReplyEnd::Confirmation => ("CONFIRM", node.confirm(id).map(|sent| sent.code)),
                _ => ("FLUSH", Poll::Ready(node.flush(id))),
            };
            code.map(|code| match code {
                ReturnCode::Ok => Ok(()),
                code => Err((verb, code)),
            })
        })
        .await
    }

    /// Receives until this side has the send state again or the conversation
    /// ends.
    async fn receive(
        &mut self,
        keep: bool,
        answer: &mut Answer,
    ) -> Result<ReturnCode, (&'static str, ReturnCode)> {
        let Line {
            held: Some(OpenConversation { link, id, .. }),
            buffer,
        } = self
        else {
            return Err(("RECEIVE", ReturnCode::ProgramStateCheck));
        };
        let (wake, id) = (WakeEvent::Conversation(*id), *id);
        buffer.resize(LONGEST_RECORD, 0);
        loop {
            let got = link
                .until(wake, |node| {
                    node.receiving(|node, _| node.receive(id, buffer, Fill::Ll))
                })
                .await;
            answer.size += got.len as u64;
            if keep && answer.body.len() < LONGEST_KEPT {
                answer.body.extend_from_slice(&buffer[..got.len]);
            }
            match got.code {
                ReturnCode::Ok => {}
                ReturnCode::DeallocatedNormal => return Ok(got.code),
                code => return Err(("RECEIVE", code)),
            }
            let confirmed = || {
                let code = link.node.verb(|node, _| node.confirmed(id));
                link.dispatch();
                match code {
                    ReturnCode::Ok => Ok(()),
                    code => Err(("CONFIRMED", code)),
                }
            };
            match got.status {
                StatusReceived::None => {}
                StatusReceived::Send => return Ok(ReturnCode::Ok),
                StatusReceived::ConfirmSend => {
                    confirmed()?;
                    return Ok(ReturnCode::Ok);
                }
                StatusReceived::Confirm => confirmed()?,
                StatusReceived::ConfirmDeallocate => {
                    confirmed()?;
                    return Ok(ReturnCode::DeallocatedNormal);
                }
            }
        }
    }

    /// Deallocates the conversation as abended; never waits.
    pub fn give_up(&mut self) {
        let Some(OpenConversation { link, id, open }) = self.held.take() else {
            return;
        };
        link.node.verb(|node, _| {
            if open {
                let _ = node.deallocate(id, DeallocateType::Abend);
            } else {
                node.cancel_allocate(id)
            }
        });
        link.waiting
            .borrow_mut()
            .remove(&WakeEvent::Conversation(id));
        link.dispatch();
    }

    /// Deallocates the conversation normally if each iteration has its own.
    pub async fn end_iteration(&mut self, population: &Population) {
        if population.targets.iter().all(|t| t.keep_alive) {
            return;
        }
        let Some(OpenConversation { link, id, .. }) = &self.held else {
            return;
        };
        let id = *id;
        let end = link.verb(id, |node, _| node.deallocate(id, DeallocateType::Flush));
        let patience = Duration::from_nanos(population.timeout_ns);
        match tokio::time::timeout(patience, end).await {
            Ok(ReturnCode::Ok) => self.held = None,
            _ => self.give_up(),
        }
    }
}

/// Whether a step accepts this return code as an answer.
fn wanted(step: &RequestStep, code: ReturnCode) -> bool {
    let code = code.value() as u16;
    let takes = |check: &AnswerCheck| match check {
        AnswerCheck::Status(ranges) => ranges.iter().any(|(a, b)| (*a..=*b).contains(&code)),
        _ => false,
    };
    code != 0 && code != 18 && step.checks.iter().any(takes)
}

/// Splits the data into records of these sizes; the last size repeats.
fn records<'a>(mut data: &'a [u8], sizes: &'a [usize]) -> impl Iterator<Item = &'a [u8]> {
    let mut sizes = sizes.iter().copied();
    let mut size = LONGEST_RECORD_SENT;
    std::iter::from_fn(move || {
        size = sizes.next().unwrap_or(size).clamp(1, LONGEST_RECORD_SENT);
        let (record, rest) = data.split_at(size.min(data.len()));
        data = rest;
        (!record.is_empty()).then_some(record)
    })
}

/// Interval of the link timers, which are seconds long.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Buffer size of one receive.
const LONGEST_RECORD: usize = 32_767;
/// The longest record of a mapped conversation.
const LONGEST_RECORD_SENT: usize = 32_763;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_cut_into_records_whose_last_size_repeats() {
        let lengths = |bytes: usize, sizes: &[usize]| -> Vec<usize> {
            let data = vec![0; bytes];
            records(&data, sizes).map(<[u8]>::len).collect()
        };
        assert_eq!(lengths(100, &[]), [100]);
        assert_eq!(lengths(100, &[4, 40]), [4, 40, 40, 16]);
        assert_eq!(lengths(40_000, &[]), [32_763, 7_237]);
        assert_eq!(lengths(0, &[5]), [0usize; 0]);
    }
}
