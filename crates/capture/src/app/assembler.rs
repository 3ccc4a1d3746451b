//! From beginnings and ends of messages to exchanges.
//!
//! Requests are queued in order. A response belongs to the oldest request without
//! one. Finished exchanges wait in `done` until the engine takes them.

use crate::{ConnectionSide, Exchange, ExchangePart};
use std::collections::VecDeque;

/// The exchanges of one connection that are not finished.
#[derive(Debug)]
pub(crate) struct ExchangeAssembler {
    connection: u64,
    index: u64,
    open: VecDeque<Box<Exchange>>,
    /// Finished, oldest first; they wait for the acknowledgement of their last
    /// byte, which may have to be sent again.
    pub(crate) done: VecDeque<Box<Exchange>>,
    /// An exchange whose memory can be used again.
    pub(crate) spare: Option<Box<Exchange>>,
}

/// The packet that put bytes in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PacketStamp {
    pub(crate) time_ns: i64,
    pub(crate) packet: u64,
}

impl ExchangeAssembler {
    /// No exchange yet.
    pub(crate) fn new(connection: u64, spare: Option<Box<Exchange>>) -> ExchangeAssembler {
        ExchangeAssembler {
            connection,
            index: 0,
            open: VecDeque::new(),
            done: VecDeque::new(),
            spare,
        }
    }

    /// The oldest open exchange.
    pub(crate) fn front(&self) -> Option<&Exchange> {
        self.open.front().map(|exchange| &**exchange)
    }

    /// The oldest open exchange, to change it.
    pub(crate) fn front_mut(&mut self) -> Option<&mut Exchange> {
        self.open.front_mut().map(|exchange| &mut **exchange)
    }

    /// The youngest open exchange, to change it.
    pub(crate) fn back_mut(&mut self) -> Option<&mut Exchange> {
        self.open.back_mut().map(|exchange| &mut **exchange)
    }

    /// A request begins.
    pub(crate) fn begin_request(&mut self, stamp: PacketStamp) {
        if self.open.len() >= MAX_OPEN {
            // More requests than anyone pipelines: the rest count as one.
            self.count_message(ConnectionSide::Client);
            return;
        }
        let mut exchange = self.spare.take().unwrap_or_default();
        exchange.id = stamp.packet;
        exchange.connection = self.connection;
        exchange.index = self.index;
        exchange.request = begin(stamp);
        self.index += 1;
        self.open.push_back(exchange);
    }

    /// Bytes of the youngest request.
    pub(crate) fn request_bytes(&mut self, bytes: u64, stamp: PacketStamp) {
        if let Some(exchange) = self.open.back_mut() {
            extend(&mut exchange.request, bytes, stamp);
        }
    }

    /// The youngest request is whole.
    pub(crate) fn end_request(&mut self) {
        if let Some(exchange) = self.open.back_mut() {
            exchange.request_done = true;
            exchange.request.messages += 1;
        }
    }

    /// The response of the oldest open exchange begins.
    pub(crate) fn begin_response(&mut self, stamp: PacketStamp) {
        if self.open.is_empty() {
            // There was not a request, or it was not captured.
            self.begin_request(stamp);
        }
        if let Some(exchange) = self.open.front_mut()
            && !exchange.is_answered()
        {
            exchange.response = begin(stamp);
        }
    }

    /// Bytes of the response that has begun.
    pub(crate) fn response_bytes(&mut self, bytes: u64, stamp: PacketStamp) {
        if let Some(exchange) = self.open.front_mut() {
            extend(&mut exchange.response, bytes, stamp);
        }
    }

    /// The oldest open exchange has ended.
    pub(crate) fn end_response(&mut self, complete: bool) {
        if let Some(mut exchange) = self.open.pop_front() {
            exchange.complete = complete && exchange.request_done;
            exchange.response.messages += complete as u32;
            self.done.push_back(exchange);
        }
    }

    /// Bytes of a protocol that takes turns.
    #[inline]
    pub(crate) fn turn(&mut self, side: ConnectionSide, bytes: u64, stamp: PacketStamp) {
        match side {
            ConnectionSide::Client => {
                if self.is_turn_over() {
                    self.finish_turn(true);
                    self.begin_request(stamp);
                }
                self.request_bytes(bytes, stamp);
            }
            ConnectionSide::Server => {
                if self.open.front().is_none_or(|front| !front.is_answered()) {
                    self.begin_response(stamp);
                }
                self.response_bytes(bytes, stamp);
            }
        }
    }

    /// Handles a retransmission by `side`: the message that it belongs to ends
    /// with it. Seen only near the sender; elsewhere the first copy is missing
    /// and its bytes are late.
    pub(crate) fn resend(&mut self, side: ConnectionSide, stamp: PacketStamp) {
        if self.open.iter().any(|e| e.session != 0) {
            // Which session's unit it carried is not known here.
            return;
        }
        let exchange = match side {
            ConnectionSide::Client => match self.open.back_mut() {
                Some(exchange) if !exchange.is_answered() => exchange,
                _ => return,
            },
            ConnectionSide::Server => match (self.open.front_mut(), self.done.back_mut()) {
                (Some(exchange), _) if exchange.is_answered() => exchange,
                (None, Some(exchange)) if exchange.is_answered() => exchange,
                _ => return,
            },
        };
        let part = *exchange.part(side);
        let kept = exchange.before_copy.filter(|(whose, ..)| *whose == side);
        exchange.before_copy = kept.or(Some((side, part.end_ns, part.last_packet)));
        let part = exchange.part_mut(side);
        part.end_ns = stamp.time_ns;
        part.last_packet = stamp.packet;
    }

    /// The copy in this packet had not been needed: the message ended before it.
    pub(crate) fn forget_resend(&mut self, packet: u64) {
        for exchange in self.open.iter_mut().chain(&mut self.done) {
            if let Some((side, end_ns, last_packet)) = exchange.before_copy
                && exchange.part(side).last_packet == packet
            {
                let part = exchange.part_mut(side);
                part.end_ns = end_ns;
                part.last_packet = last_packet;
                exchange.before_copy = None;
            }
        }
    }

    /// Returns `true` if the next bytes of the client begin a new exchange.
    pub(crate) fn is_turn_over(&self) -> bool {
        (self.open.back()).is_none_or(|exchange| exchange.is_answered())
    }

    /// Counts one message of the exchange that `side` is at.
    pub(crate) fn count_message(&mut self, side: ConnectionSide) {
        match (side, self.open.back_mut()) {
            (ConnectionSide::Client, Some(exchange)) => exchange.request.messages += 1,
            (ConnectionSide::Server, Some(exchange)) => exchange.response.messages += 1,
            (_, None) => {}
        }
    }

    /// The open exchange of a session.
    pub(crate) fn session_mut(&mut self, session: u16) -> Option<&mut Exchange> {
        let mut open = self.open.iter_mut();
        open.find(|e| e.session == session).map(|e| &mut **e)
    }

    /// A request begins in a session that has no open exchange; `asked_by`
    /// sends it.
    pub(crate) fn begin_in_session(
        &mut self,
        session: u16,
        asked_by: ConnectionSide,
        previous_end_ns: i64,
        stamp: PacketStamp,
    ) {
        if self.open.len() >= MAX_IN_SESSIONS {
            self.finish_turn(false);
        }
        let mut exchange = self.spare.take().unwrap_or_default();
        exchange.id = stamp.packet;
        exchange.connection = self.connection;
        exchange.index = self.index;
        exchange.session = session;
        exchange.asked_by = asked_by;
        exchange.previous_end_ns = Some(previous_end_ns);
        exchange.request = begin(stamp);
        self.index += 1;
        self.open.push_back(exchange);
    }

    /// The response in a session begins, unless it has.
    pub(crate) fn begin_answer(&mut self, session: u16, stamp: PacketStamp) {
        if let Some(exchange) = self.session_mut(session)
            && !exchange.is_answered()
        {
            exchange.response = begin(stamp);
        }
    }

    /// Bytes that `side` sent in a session.
    pub(crate) fn session_bytes(
        &mut self,
        session: u16,
        side: ConnectionSide,
        bytes: u64,
        stamp: PacketStamp,
    ) {
        if let Some(exchange) = self.session_mut(session) {
            extend(exchange.part_mut(side), bytes, stamp);
        }
    }

    /// Counts a message that `side` sent in a session.
    pub(crate) fn session_message(&mut self, session: u16, side: ConnectionSide) {
        if let Some(exchange) = self.session_mut(session) {
            exchange.part_mut(side).messages += 1;
        }
    }

    /// The open exchange of a session gets no answer.
    pub(crate) fn one_way(&mut self, session: u16) {
        if let Some(exchange) = self.session_mut(session) {
            exchange.one_way = true;
        }
    }

    /// Ends the open exchange of a session, if there is one; returns its end.
    pub(crate) fn end_in_session(&mut self, session: u16, complete: bool) -> Option<i64> {
        let at = self.open.iter().position(|e| e.session == session)?;
        let mut exchange = self.open.remove(at)?;
        let answered = exchange.is_answered();
        exchange.complete = complete && (answered || exchange.one_way);
        // One that was not answered when the next began was not to be.
        exchange.one_way |= !answered;
        let end_ns = if answered {
            exchange.response.end_ns
        } else {
            exchange.request.end_ns
        };
        self.done.push_back(exchange);
        Some(end_ns)
    }

    /// Ends everything; `whole` when a response that has begun is as long as
    /// it was to be.
    pub(crate) fn close(&mut self, whole: bool) {
        while !self.open.is_empty() {
            self.finish_turn(whole);
        }
    }

    fn finish_turn(&mut self, whole: bool) {
        if let Some(mut exchange) = self.open.pop_front() {
            exchange.complete = whole && exchange.is_answered();
            self.done.push_back(exchange);
        }
    }
}

fn begin(stamp: PacketStamp) -> ExchangePart {
    ExchangePart {
        start_ns: stamp.time_ns,
        end_ns: stamp.time_ns,
        first_packet: stamp.packet,
        last_packet: 0,
        ..ExchangePart::default()
    }
}

#[inline]
fn extend(part: &mut ExchangePart, bytes: u64, stamp: PacketStamp) {
    part.bytes += bytes;
    part.end_ns = stamp.time_ns;
    part.segments += (part.last_packet != stamp.packet) as u32;
    part.last_packet = stamp.packet;
}

/// Open exchanges of a connection with sessions.
const MAX_IN_SESSIONS: usize = 1024;

/// Requests of one connection that wait for their response.
const MAX_OPEN: usize = 64;
