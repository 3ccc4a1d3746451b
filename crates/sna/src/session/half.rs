//! A half-session: sequence numbers, chains, brackets, turns and pacing of one
//! session, as one side sees them.
//!
//! Requests go in through [`HalfSession::send`] and come out as PIUs, one at a
//! time, when the link asks; PIUs go in through [`HalfSession::handle`] and
//! come out as [`SessionInput`]. The contention winner begins brackets freely, the
//! loser bids first. A bid that crosses the winner's own request is rejected
//! here, because no layer above could act on it.
//! Reference: IBM *SNA LU 6.2 Reference: Peer Protocols* (SC31-6808), data
//! flow control and transmission control.
//!
//! Invariant: an error given back is a breach by the partner that ends the
//! session with this sense; everything milder is answered on the session.

use super::checks;
use super::pacing::{PacingIndicators, PacingReceiver, PacingSender, WindowGrant};
use super::segment::{Biu, Reassembler, Segmenter};
use crate::secret::RedactedBytes;
use crate::wire::dfc::{self, Repr as Dfc};
use crate::wire::ipm::{PacingMessageKind, Repr as Ipm};
use crate::wire::rh::{RequestedResponse, Rh, RuCategory};
use crate::wire::th::{self, Address, Segment};
use crate::wire::{Sense, piu};
use bytes::Bytes;
use std::collections::VecDeque;
use std::fmt;

/// The parameters of a half-session, known when its BIND is settled.
#[derive(Clone, Debug)]
pub struct SessionParameters {
    /// Address of the PIUs it sends.
    pub address: Address,
    /// The link's largest unit, in bytes.
    pub max_btu: usize,
    /// The largest RU it sends, in bytes.
    pub send_ru: usize,
    /// The largest RU it receives, in bytes.
    pub receive_ru: usize,
    /// Whether it is the contention winner.
    pub first_speaker: bool,
    /// Its sending side of pacing.
    pub sender: PacingSender,
    /// Its receiving side of pacing.
    pub receiver: PacingReceiver,
}

/// One half of a session.
#[derive(Debug)]
pub struct HalfSession {
    parameters: SessionParameters,
    send_sequence: u16,
    receive_sequence: u16,
    expedited_sequence: u16,
    reassembler: Reassembler,
    cutting: Option<Segmenter>,
    urgent: VecDeque<Vec<u8>>,
    normal: VecDeque<QueuedUnit>,
    queued_bytes: usize,
    in_bracket: bool,
    my_turn: bool,
    sending_chain: bool,
    receiving_chain: bool,
    /// The chain whose RUs were last put on the link.
    on_link: ChainOnLink,
    /// The request whose definite response is due: its sequence number, and
    /// whether the bracket ends with a positive one.
    awaiting: Option<(u16, bool)>,
    bid: Probe,
    rtr: Probe,
    owes_rtr: bool,
    /// The partner accepted an offer and will begin a bracket.
    offered: bool,
    /// The chain being received was refused; the rest of it is dropped.
    refusing: Option<RejectedInput>,
    /// The request whose response the conversation owes.
    owed: Option<UnansweredRequest>,
}

#[derive(Clone, Copy, Debug)]
struct UnansweredRequest {
    sequence: u16,
    header: Rh,
    /// Request code, of data flow control requests.
    code: Option<u8>,
}

impl UnansweredRequest {
    fn to(biu: &Biu) -> UnansweredRequest {
        let dfc = biu.header.category() == RuCategory::Dfc;
        UnansweredRequest {
            sequence: biu.sequence,
            header: biu.header,
            code: biu.ru.first().copied().filter(|_| dfc),
        }
    }
}

struct QueuedUnit {
    header: Rh,
    biu: Vec<u8>,
}

impl fmt::Debug for QueuedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?}", self.header, RedactedBytes(self.biu.len()))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RejectedInput {
    /// A bracket that may not begin; it is not passed on.
    Bracket,
    /// A chain whose content was rejected: only its end is passed on.
    Content,
}

/// A request of our own that only asks: a bid, or ready to receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Probe {
    #[default]
    Idle,
    Queued,
    Sent(u16),
}

#[derive(Clone, Copy, Debug, Default)]
struct ChainOnLink {
    first: u16,
    live: bool,
    ended: bool,
}

/// The input of a session.
#[derive(Clone, Debug)]
pub enum SessionInput {
    /// A request inside a bracket: data, or LUSTAT with its indicators, whose
    /// RU is then empty.
    Request {
        /// The header.
        header: Rh,
        /// The response it asks for.
        answer: RequestedResponse,
        /// The data.
        ru: Bytes,
    },
    /// The end of a chain that was refused with [`HalfSession::reject`].
    Purged {
        /// Whether the partner ended the bracket with it.
        over: bool,
    },
    /// The partner asks to begin a bracket. Answer with
    /// [`HalfSession::answer_bid`].
    Bid,
    /// The bid of this side was taken, or refused with this sense.
    BidAnswered(Option<Sense>),
    /// The partner says that a bracket it refused may begin now. Answer with
    /// [`HalfSession::answer_rtr`].
    ReadyToReceive,
    /// The offer of this side was taken (true) or not needed.
    RtrAnswered(bool),
    /// The confirmation arrived.
    Confirmed,
    /// A chain of this side was refused with this sense.
    Rejected(Sense),
    /// The partner asks for the right to send.
    Signal(u32),
    /// The partner begins no more brackets.
    BracketStopped,
    /// The window opened; nothing to pass on.
    Window,
}

impl HalfSession {
    /// A half-session at the start of its session.
    pub fn new(parameters: SessionParameters) -> HalfSession {
        HalfSession {
            parameters,
            send_sequence: 0,
            receive_sequence: 0,
            expedited_sequence: 0,
            reassembler: Reassembler::default(),
            cutting: None,
            urgent: VecDeque::new(),
            normal: VecDeque::new(),
            queued_bytes: 0,
            in_bracket: false,
            my_turn: false,
            sending_chain: false,
            receiving_chain: false,
            on_link: ChainOnLink::default(),
            awaiting: None,
            bid: Probe::Idle,
            rtr: Probe::Idle,
            owes_rtr: false,
            offered: false,
            refusing: None,
            owed: None,
        }
    }

    /// Its parameters.
    pub fn parameters(&self) -> &SessionParameters {
        &self.parameters
    }

    /// Whether no bracket is open or requested.
    pub fn is_idle(&self) -> bool {
        let quiet = !self.in_bracket && !self.owes_rtr && !self.offered;
        quiet && self.bid == Probe::Idle && self.rtr == Probe::Idle
    }

    /// Whether a bracket is open.
    pub fn in_bracket(&self) -> bool {
        self.in_bracket
    }

    /// Whether this side has the turn.
    pub fn my_turn(&self) -> bool {
        self.in_bracket && self.my_turn
    }

    /// Whether this side has begun a chain and not ended it.
    pub fn sending_chain(&self) -> bool {
        self.sending_chain
    }

    /// Whether the partner has begun a chain and not ended it.
    pub fn receiving_chain(&self) -> bool {
        self.receiving_chain
    }

    /// Whether a response of this side is owed.
    pub fn owes_answer(&self) -> bool {
        self.owed.is_some()
    }

    /// Bytes of RUs that wait to be sent.
    pub fn queued_bytes(&self) -> usize {
        self.queued_bytes
    }

    /// PIUs that wait outside the window: responses and the expedited flow.
    pub fn urgent_len(&self) -> usize {
        self.urgent.len()
    }

    /// The number of RUs that the window still allows.
    pub fn credit(&self) -> u32 {
        self.parameters.sender.credit()
    }

    /// Queues a normal-flow request. `header` has the requested form of
    /// response, whether the chain ends and who sends next; the rest of the
    /// chain's indicators are set here. `biu` is the RU after nine free bytes.
    pub fn send(&mut self, header: Rh, biu: Vec<u8>) {
        let header = header.with_begin_chain(!self.sending_chain);
        self.sending_chain = !header.end_chain();
        if header.begin_bracket() {
            self.in_bracket = true;
            self.my_turn = true;
        }
        let definite = header.answer().is_some_and(RequestedResponse::is_definite);
        if header.change_direction() {
            self.my_turn = false;
        }
        if header.conditional_end() && !definite {
            self.in_bracket = false;
        }
        self.queued_bytes += biu.len();
        self.normal.push_back(QueuedUnit { header, biu });
    }

    /// Asks to begin a bracket, as the contention loser must.
    pub fn bid(&mut self) {
        let header = Rh::request(RuCategory::Dfc)
            .with_answer(RequestedResponse::Definite1)
            .with_begin_bracket(true);
        self.bid = Probe::Queued;
        let ru = Dfc::Lustat {
            status: dfc::NO_DATA,
        };
        self.enqueue(header, &ru.emit());
    }

    /// Sends that this side begins no more brackets.
    pub fn stop_brackets(&mut self) {
        let header = Rh::request(RuCategory::Dfc).with_answer(RequestedResponse::Exception1);
        self.enqueue(header, &Dfc::BracketStopped.emit());
    }

    /// Sends LUSTAT in place of data, for the indicators of `header`.
    pub fn send_status(&mut self, header: Rh) {
        let mut biu = vec![0; piu::HEADERS];
        let status = dfc::NO_DATA;
        biu.extend_from_slice(&Dfc::Lustat { status }.emit());
        let keep = header.0;
        let dfc = Rh::request(RuCategory::Dfc).0;
        self.send(Rh([dfc[0], keep[1], keep[2]]), biu);
    }

    /// Offers the bracket that was refused before. Returns `true` if there is one.
    pub fn offer_bracket(&mut self) -> bool {
        // One offer at a time: another waits for the answer to the first.
        let pending = self.rtr != Probe::Idle || self.offered;
        if self.in_bracket || pending || !std::mem::take(&mut self.owes_rtr) {
            return false;
        }
        self.rtr = Probe::Queued;
        let header = Rh::request(RuCategory::Dfc).with_answer(RequestedResponse::Definite1);
        self.enqueue(header, &Dfc::ReadyToReceive.emit());
        true
    }

    /// Asks the partner for the right to send.
    pub fn signal(&mut self, code: u32) {
        self.expedited_sequence = self.expedited_sequence.wrapping_add(1);
        let header = Rh::request(RuCategory::Dfc).with_answer(RequestedResponse::Definite1);
        self.expedite(
            self.expedited_sequence,
            header,
            &Dfc::Signal { code }.emit(),
        );
    }

    /// Gives the response that is owed: positive, or negative with this sense.
    pub fn answer(&mut self, sense: Option<Sense>) {
        let Some(owed) = self.owed.take() else {
            return;
        };
        self.respond(owed, sense, false);
        match sense {
            None if owed.header.conditional_end() => self.in_bracket = false,
            None => {}
            Some(_) => self.my_turn = true,
        }
    }

    /// Rejects the current or last received chain with this sense. Returns
    /// whether this side has the turn now; otherwise [`SessionInput::Purged`]
    /// follows.
    pub fn reject(&mut self, sense: Sense) -> bool {
        if self.owed.is_some() {
            self.answer(Some(sense));
            return true;
        }
        let refused = UnansweredRequest {
            sequence: self.receive_sequence,
            header: Rh::request(RuCategory::Fmd).with_answer(RequestedResponse::Exception1),
            code: None,
        };
        self.respond(refused, Some(sense), false);
        if self.receiving_chain {
            self.refusing = Some(RejectedInput::Content);
            return false;
        }
        true
    }

    /// Takes the partner's bid, or refuses it until a bracket is offered.
    pub fn answer_bid(&mut self, take: bool) {
        let Some(owed) = self.owed.take() else {
            return;
        };
        if take {
            self.owes_rtr = false;
            self.offered = false;
            self.in_bracket = true;
            self.my_turn = false;
            self.respond(owed, None, false);
        } else {
            self.refuse_bracket(owed);
        }
    }

    /// Takes the bracket that the partner offers, or says it is not needed.
    pub fn answer_rtr(&mut self, take: bool) {
        let Some(owed) = self.owed.take() else {
            return;
        };
        let sense = (!take).then_some(Sense::RTR_NOT_REQUIRED);
        self.respond(owed, sense, false);
    }

    /// Ends the chain that the partner rejected: unsent data is dropped and the
    /// turn passes. Without a chain in transit, only the turn passes.
    pub fn abandon_chain(&mut self) {
        self.awaiting = None;
        self.my_turn = false;
        self.sending_chain = false;
        self.normal.clear();
        self.queued_bytes = 0;
        if !self.on_link.ended {
            let header = Rh::request(RuCategory::Fmd)
                .with_answer(RequestedResponse::Exception1)
                .with_begin_chain(false)
                .with_change_direction(true);
            self.enqueue(header, &[]);
        }
    }

    /// Gives the window that is owed, if `room` RUs can be held.
    pub fn grant(&mut self, room: usize) {
        match self.parameters.receiver.grant(room) {
            None => {}
            Some(WindowGrant::Response) => self.isolated(false, &[]),
            Some(WindowGrant::Message(ipm)) => self.isolated(true, &ipm.emit()),
        }
    }

    /// Whether a window is owed.
    pub fn owes_grant(&self) -> bool {
        self.parameters.receiver.owes()
    }

    /// Shrinks the partner's window at once. Returns `false` if that cannot be.
    pub fn shrink_window(&mut self, window: u16) -> bool {
        let Some(ipm) = self.parameters.receiver.reset(window) else {
            return false;
        };
        self.isolated(true, &ipm.emit());
        true
    }

    /// The next PIU for the link, if there is one that may go.
    pub fn poll(&mut self) -> Option<Vec<u8>> {
        if self.cutting.is_none() {
            if let Some(piu) = self.urgent.pop_front() {
                return Some(piu);
            }
            self.normal.front()?;
            let marks = self.parameters.sender.take()?;
            let queued = self.normal.pop_front()?;
            self.queued_bytes -= queued.biu.len();
            self.cutting = Some(self.launch(queued, marks));
        }
        let (piu, last) = self.cutting.as_mut()?.cut();
        if last {
            self.cutting = None;
        }
        Some(piu)
    }

    /// Takes a PIU of this session.
    pub fn handle(
        &mut self,
        piu: &piu::Packet<'_>,
        bytes: &Bytes,
    ) -> Result<Option<SessionInput>, Sense> {
        let whole = piu.th.segment == Segment::Whole;
        if piu.th.expedited && !whole {
            return Err(Sense::SEGMENTING);
        }
        let max = self.parameters.receive_ru.max(CONTROL_RU);
        let Some(biu) = self.reassembler.handle(piu, bytes, max)? else {
            return Ok(None);
        };
        match (biu.header.is_response(), biu.expedited) {
            (false, false) => self.handle_request(biu),
            (false, true) => self.handle_expedited(&biu),
            (true, true) if biu.header.is_isolated_pacing() => self.handle_window(&biu.ru),
            (true, true) => Ok(None),
            (true, false) => self.handle_response(&biu),
        }
    }

    fn launch(&mut self, queued: QueuedUnit, marks: PacingIndicators) -> Segmenter {
        let header = queued
            .header
            .with_pacing(marks.pacing)
            .with_larger_window(marks.larger);
        self.send_sequence = self.send_sequence.wrapping_add(1);
        let sequence = self.send_sequence;
        let dfc = header.category() == RuCategory::Dfc;
        let definite = header.answer().is_some_and(RequestedResponse::is_definite);
        let code = queued.biu.get(piu::HEADERS).copied();
        match code {
            Some(CODE_RTR) if dfc => self.rtr = Probe::Sent(sequence),
            Some(CODE_LUSTAT) if dfc && header.begin_bracket() => self.bid = Probe::Sent(sequence),
            Some(CODE_BIS) if dfc => {}
            _ => {
                if header.begin_chain() {
                    self.on_link.first = sequence;
                }
                self.on_link.ended = header.end_chain();
                self.on_link.live = definite || !header.conditional_end();
                if definite {
                    self.awaiting = Some((sequence, header.conditional_end()));
                }
            }
        }
        let th = self.th(false, sequence);
        Segmenter::new(th, header, queued.biu, self.parameters.max_btu)
    }

    fn handle_request(&mut self, biu: Biu) -> Result<Option<SessionInput>, Sense> {
        let expected = self.receive_sequence.wrapping_add(1);
        if biu.sequence != expected {
            return Err(Sense::SEQUENCE);
        }
        self.receive_sequence = expected;
        let header = biu.header;
        self.parameters.receiver.handle_request(PacingIndicators {
            pacing: header.pacing(),
            larger: header.larger_window(),
        })?;
        if header.category() == RuCategory::Dfc {
            match Dfc::parse(&biu.ru).map_err(|e| e.sense())? {
                Dfc::Lustat { .. } => {}
                Dfc::ReadyToReceive => {
                    self.owed = Some(UnansweredRequest::to(&biu));
                    return Ok(Some(SessionInput::ReadyToReceive));
                }
                Dfc::BracketStopped => return Ok(Some(SessionInput::BracketStopped)),
                Dfc::Signal { .. } => return Err(Sense::FUNCTION_UNSUPPORTED),
            }
        }
        let answer = checks::normal_request(header, &biu.ru)?;
        if self.owed.is_some() {
            return Err(Sense::IMMEDIATE_MODE);
        }
        if header.begin_chain() == self.receiving_chain {
            return Err(Sense::CHAINING);
        }
        self.receiving_chain = !header.end_chain();
        if self.refusing.is_some() {
            return Ok(self.drop_refused(header, answer));
        }
        if header.begin_bracket() {
            if let Some(input) = self.handle_begin(&biu, header)? {
                return Ok(input);
            }
        } else if !self.in_bracket {
            return Err(Sense::BRACKET);
        } else if self.my_turn {
            return Err(Sense::DIRECTION);
        }
        if header.change_direction() {
            self.my_turn = true;
        }
        if answer.is_definite() {
            self.owed = Some(UnansweredRequest::to(&biu));
        } else if header.conditional_end() {
            self.in_bracket = false;
        }
        let ru = match header.category() {
            RuCategory::Dfc => Bytes::new(),
            _ => biu.ru,
        };
        Ok(Some(SessionInput::Request { header, answer, ru }))
    }

    /// A request that begins a bracket. Some inner value means it is dealt
    /// with.
    fn handle_begin(
        &mut self,
        biu: &Biu,
        header: Rh,
    ) -> Result<Option<Option<SessionInput>>, Sense> {
        let is_bid = header.category() == RuCategory::Dfc;
        // A bracket that has ended here but not yet on the link still is in the
        // way: an answer would overtake its end.
        let ending = !self.normal.is_empty() || self.cutting.is_some();
        if (self.in_bracket || ending) && self.parameters.first_speaker {
            self.refuse_bracket(UnansweredRequest::to(biu));
            if self.receiving_chain {
                self.refusing = Some(RejectedInput::Bracket);
            }
            return Ok(Some(None));
        }
        if self.in_bracket {
            return Err(Sense::BRACKET);
        }
        if is_bid {
            self.owed = Some(UnansweredRequest::to(biu));
            return Ok(Some(Some(SessionInput::Bid)));
        }
        self.offered = false;
        self.owes_rtr = false;
        self.in_bracket = true;
        self.my_turn = false;
        Ok(None)
    }

    fn refuse_bracket(&mut self, request: UnansweredRequest) {
        self.owes_rtr = true;
        self.respond(request, Some(Sense::BRACKET_BID_REJECT_RTR), false);
    }

    fn drop_refused(&mut self, header: Rh, answer: RequestedResponse) -> Option<SessionInput> {
        if self.receiving_chain {
            return None;
        }
        if self.refusing.take() == Some(RejectedInput::Bracket) {
            return None;
        }
        let over = header.conditional_end() && !answer.is_definite();
        self.in_bracket = !over;
        self.my_turn = !over;
        Some(SessionInput::Purged { over })
    }

    fn handle_expedited(&mut self, biu: &Biu) -> Result<Option<SessionInput>, Sense> {
        let header = biu.header;
        match header.category() {
            RuCategory::Dfc => {}
            RuCategory::Fmd => return Err(Sense::NOT_NORMAL_FLOW),
            _ => return Err(Sense::FUNCTION_UNSUPPORTED),
        }
        match Dfc::parse(&biu.ru).map_err(|e| e.sense())? {
            Dfc::Signal { code } => {
                self.respond(UnansweredRequest::to(biu), None, true);
                Ok(Some(SessionInput::Signal(code)))
            }
            _ => Err(Sense::FUNCTION_UNSUPPORTED),
        }
    }

    fn handle_window(&mut self, ru: &[u8]) -> Result<Option<SessionInput>, Sense> {
        let ipm = Ipm::parse(ru).map_err(|_| Sense::FIELD_VALUE)?;
        if ipm.kind == PacingMessageKind::ResetAck {
            self.parameters.receiver.handle_ack(ipm)?;
            return Ok(Some(SessionInput::Window));
        }
        if let Some(reply) = self.parameters.sender.handle_message(ipm)? {
            self.isolated(true, &reply.emit());
        }
        Ok(Some(SessionInput::Window))
    }

    fn handle_response(&mut self, biu: &Biu) -> Result<Option<SessionInput>, Sense> {
        let header = biu.header;
        if header.pacing() {
            self.parameters.sender.handle_response()?;
        }
        if header.is_isolated_pacing() {
            return Ok(Some(SessionInput::Window));
        }
        let sense = if header.exception() {
            Some(match biu.ru.first_chunk::<4>() {
                Some(four) => Sense::from_bytes(*four),
                None => return Err(Sense::RU_LENGTH),
            })
        } else {
            None
        };
        let sequence = biu.sequence;
        if self.bid == Probe::Sent(sequence) {
            self.bid = Probe::Idle;
            if sense.is_none() {
                if self.in_bracket {
                    return Err(Sense::BRACKET);
                }
                self.in_bracket = true;
                self.my_turn = true;
            }
            return Ok(Some(SessionInput::BidAnswered(sense)));
        }
        if self.rtr == Probe::Sent(sequence) {
            self.rtr = Probe::Idle;
            self.offered = sense.is_none() && !self.in_bracket;
            return Ok(Some(SessionInput::RtrAnswered(sense.is_none())));
        }
        let Some(sense) = sense else {
            return match self.awaiting.take() {
                Some((awaited, over)) if awaited == sequence => {
                    self.on_link.live = false;
                    self.in_bracket &= !over;
                    Ok(Some(SessionInput::Confirmed))
                }
                _ => Err(Sense::RESPONSE_CORRELATION),
            };
        };
        Ok(self.refused(sequence, sense))
    }

    fn refused(&mut self, sequence: u16, sense: Sense) -> Option<SessionInput> {
        let chain = self.on_link;
        let into = sequence.wrapping_sub(chain.first);
        let within = into <= self.send_sequence.wrapping_sub(chain.first);
        // A bracket that this side has ended since needs no answer.
        let ending = self.normal.iter().any(|q| {
            q.header.conditional_end()
                && !q
                    .header
                    .answer()
                    .is_some_and(RequestedResponse::is_definite)
        });
        if !(chain.live && within) || ending {
            return None;
        }
        Some(SessionInput::Rejected(sense))
    }

    fn enqueue(&mut self, header: Rh, ru: &[u8]) {
        let mut biu = Vec::with_capacity(piu::HEADERS + ru.len());
        biu.resize(piu::HEADERS, 0);
        biu.extend_from_slice(ru);
        self.queued_bytes += biu.len();
        self.normal.push_back(QueuedUnit { header, biu });
    }

    fn expedite(&mut self, sequence: u16, header: Rh, ru: &[u8]) {
        let th = self.th(true, sequence);
        self.push_urgent(th, header, &[ru]);
    }

    fn respond(&mut self, request: UnansweredRequest, sense: Option<Sense>, expedited: bool) {
        let header = request.header.respond(sense.is_some());
        let sense = sense.map(Sense::to_bytes);
        let sense: &[u8] = sense.as_ref().map_or(&[], |s| s);
        let th = self.th(expedited, request.sequence);
        self.push_urgent(th, header, &[sense, request.code.as_slice()]);
    }

    fn isolated(&mut self, expedited: bool, ru: &[u8]) {
        let th = self.th(expedited, 0);
        self.push_urgent(th, Rh::isolated_pacing(), &[ru]);
    }

    fn push_urgent(&mut self, th: th::Repr, header: Rh, parts: &[&[u8]]) {
        let mut out = Vec::with_capacity(piu::HEADERS + 8);
        out.extend_from_slice(&th.emit());
        out.extend_from_slice(&header.emit());
        parts.iter().for_each(|part| out.extend_from_slice(part));
        self.urgent.push_back(out);
    }

    fn th(&self, expedited: bool, sequence: u16) -> th::Repr {
        th::Repr {
            segment: Segment::Whole,
            address: self.parameters.address,
            expedited,
            sequence,
        }
    }
}

/// Maximum length of data flow control requests, independent of the BIND.
const CONTROL_RU: usize = 64;
const CODE_LUSTAT: u8 = 0x04;
const CODE_RTR: u8 = 0x05;
const CODE_BIS: u8 = 0x70;
