//! SNA sessions: exchanges by the turns of conversations, and pacing.
//!
//! A link (a DLSw circuit, an LLC2 connection) carries sessions, distinguished by
//! the addresses of their transmission headers. In a session one conversation
//! follows the other; the right to send changes with the change-direction
//! indicator, and the conditional-end-bracket indicator ends the conversation.
//! A request is what one end sends until it gives up that right (or asks for a
//! confirmation), the response is what comes back. Either end may ask.
//! Reference: IBM *SNA Formats* (GA27-3136); `sna::wire` reads the headers.
//! Invariant: at most [`MAX_SESSIONS`] sessions a connection, fixed size each.

use super::{ExchangeAssembler, PacketStamp};
use crate::{ConnectionSide, SegmentMarks};
use sna::wire::rh::{Rh, RuCategory};
use sna::wire::th::Segment as Part;
use sna::wire::{fmh5, piu};

/// A received unit: its session, sender, length and packets.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReceivedUnit {
    pub(super) link: u32,
    pub(super) side: ConnectionSide,
    /// All of it, link headers included.
    pub(super) bytes: u64,
    pub(super) begun: PacketStamp,
    pub(super) ended: PacketStamp,
}

/// The sessions of one connection.
#[derive(Debug, Default)]
pub(super) struct SnaSessions {
    sessions: Vec<Session>,
    next_number: u16,
    note: UnitNote,
    /// Whether units of each side were captured.
    received: [bool; 2],
}

/// Marks and session of a packet's units, for its segment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UnitNote {
    pub(crate) marks: u32,
    pub(crate) session: u16,
}

#[derive(Debug)]
struct Session {
    key: Key,
    number: u16,
    /// The transaction program of the conversation.
    program: String,
    /// Headers of the units being received in parts.
    parts: [Option<Rh>; 2],
    /// The request wants a response by itself and not only data.
    confirm: bool,
    previous_end_ns: i64,
    /// The packet of each end's last unit; 0 before the first.
    sent: [u64; 2],
    /// The end with the last request, and the one before it in the same
    /// conversation.
    asker: ConnectionSide,
    asker_before: Option<ConnectionSide>,
    /// Something of the conversation was asked already.
    talks: bool,
    /// Units of one end only were captured, so a request has no answer here.
    lone: bool,
    /// Units are missing since, so that an answer may be the first thing seen.
    hole: bool,
}

/// One session of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    link: u32,
    of: SessionKey,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SessionKey {
    /// The address as the client's units carry it: which end assigned it,
    /// origin, destination.
    Session((bool, u8, u8)),
    /// Control messages of the link about one thing.
    Control(&'static str),
}

/// The role of a control message in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlRole {
    Requests,
    Answers,
    /// An answer if an exchange is open, otherwise a request.
    Either,
}

impl SnaSessions {
    /// Takes the notes of the units since the last call.
    pub(super) fn take_note(&mut self) -> UnitNote {
        std::mem::take(&mut self.note)
    }

    /// Takes a message of the link itself, about `label`.
    pub(super) fn control(
        &mut self,
        unit: &ReceivedUnit,
        label: &'static str,
        role: ControlRole,
        out: &mut ExchangeAssembler,
    ) {
        self.received[unit.side.index()] = true;
        let key = Key {
            link: unit.link,
            of: SessionKey::Control(label),
        };
        let session = self.session(key, out);
        let open = out.session_mut(session.number);
        let answers = open.is_some_and(|e| e.asked_by != unit.side && !e.is_answered());
        if answers && role != ControlRole::Requests {
            session.answer(unit, out);
            session.end(true, out);
        } else if role != ControlRole::Answers {
            session.end(false, out);
            session.begin_request(unit, label, out);
            session.end_request(out);
            // Whether an end waits for it is known only when an answer
            // arrives.
            out.one_way(session.number);
        }
    }

    /// Takes a path information unit, as much of it as was kept.
    pub(super) fn piu(&mut self, unit: &ReceivedUnit, bytes: &[u8], out: &mut ExchangeAssembler) {
        let Ok(packet) = piu::Packet::parse(bytes) else {
            return;
        };
        self.received[unit.side.index()] = true;
        let address = packet.th.address;
        let address = match unit.side {
            ConnectionSide::Client => (address.odai, address.oaf, address.daf),
            ConnectionSide::Server => (address.odai, address.daf, address.oaf),
        };
        let key = Key {
            link: unit.link,
            of: SessionKey::Session(address),
        };
        let at = self.session(key, out);
        let number = at.number;
        at.sent[unit.side.index()] = unit.ended.packet;
        let header = match packet.rh {
            Some(header) => {
                at.parts[unit.side.index()] = (packet.th.segment == Part::First).then_some(header);
                Some(header)
            }
            None => at.parts[unit.side.index()],
        };
        let Some(header) = header else {
            // A part whose beginning was not captured: bytes of the turn.
            at.data(unit, None, out);
            self.note.session = number;
            return;
        };
        let first = packet.rh.is_some();
        let last = matches!(packet.th.segment, Part::Whole | Part::Last);
        if last {
            at.parts[unit.side.index()] = None;
        }
        let marks = match (header.pacing() && first, header.is_response()) {
            (true, true) => SegmentMarks::PACING_RESPONSE,
            (true, false) => SegmentMarks::PACING_REQUEST,
            _ => 0,
        };
        if header.is_isolated_pacing() {
            // It lets the other end continue to send and is not part of
            // a turn.
        } else if header.is_response() {
            at.response(unit, out);
        } else {
            at.request(unit, header, packet.ru, (first, last), out);
        }
        if marks != 0 || self.note.marks == 0 {
            self.note.session = number;
        }
        self.note.marks |= marks;
    }

    /// Units of `side` may be missing that were sent before now.
    pub(super) fn lose(&mut self, side: ConnectionSide, out: &mut ExchangeAssembler) {
        for session in &mut self.sessions {
            session.hole = session.previous_end_ns != 0;
            let open = out.session_mut(session.number);
            let other = open.is_some_and(|e| e.asked_by != side && !e.is_answered());
            if other && session.asker_before == Some(side) {
                // The apparent request was the answer to a missing
                // one.
                session.end(false, out);
                session.asker = side;
            }
        }
    }

    /// Notes marks about the send window of `sender` on `link`, in the session
    /// in which it sent last.
    pub(super) fn mark(&mut self, link: u32, sender: ConnectionSide, marks: u32) {
        let of_link = self.sessions.iter().filter(|s| s.key.link == link);
        let latest = of_link.max_by_key(|s| s.sent[sender.index()]);
        if let Some(session) = latest
            && marks != 0
        {
            self.note.session = session.number;
            self.note.marks |= marks;
        }
    }

    fn session(&mut self, key: Key, out: &mut ExchangeAssembler) -> &mut Session {
        let known = self.sessions.iter().position(|s| s.key == key);
        let at = known.unwrap_or_else(|| {
            if self.sessions.len() >= MAX_SESSIONS {
                self.sessions.remove(0).end(false, out);
            }
            self.next_number = self.next_number.wrapping_add(1).max(1);
            self.sessions.push(Session {
                key,
                number: self.next_number,
                program: String::new(),
                parts: [None; 2],
                confirm: false,
                previous_end_ns: 0,
                sent: [0; 2],
                asker: ConnectionSide::Client,
                asker_before: None,
                talks: false,
                lone: false,
                hole: false,
            });
            self.sessions.len() - 1
        });
        let session = &mut self.sessions[at];
        session.lone = self.received != [true; 2];
        session
    }
}

impl Session {
    /// A request unit, or a part of one.
    fn request(
        &mut self,
        unit: &ReceivedUnit,
        header: Rh,
        ru: &[u8],
        (first, last): (bool, bool),
        out: &mut ExchangeAssembler,
    ) {
        let code = ru.first().copied().filter(|_| first);
        match header.category() {
            RuCategory::Fmd => {}
            RuCategory::Sc => {
                if first {
                    self.end(false, out);
                    let label = match code {
                        Some(BIND) => "BIND",
                        Some(UNBIND) => "UNBIND",
                        _ => "session control",
                    };
                    self.begin_request(unit, label, out);
                    self.end_request(out);
                    self.confirm = true;
                }
                return;
            }
            // A status that gives the turn away is part of the conversation.
            RuCategory::Dfc if code == Some(LUSTAT) => {}
            RuCategory::Dfc | RuCategory::Nc => return,
        }
        if first && header.begin_bracket() {
            self.hole = false;
            self.talks = false;
            self.end(false, out);
            self.program = program(header, ru);
        }
        self.data(unit, Some((header, first)), out);
        if !last || !header.end_chain() {
            return;
        }
        let ends_turn = header.change_direction() || header.conditional_end();
        let definite = header.answer().is_some_and(|answer| answer.is_definite());
        let Some(open) = out.session_mut(self.number) else {
            return;
        };
        if open.asked_by == unit.side {
            if ends_turn || definite {
                self.confirm = definite && !header.change_direction();
                self.end_request(out);
            }
            if header.conditional_end() && !definite {
                out.one_way(self.number);
                self.end(true, out);
            }
        } else if ends_turn {
            self.end(true, out);
        }
    }

    /// A positive or negative response.
    fn response(&mut self, unit: &ReceivedUnit, out: &mut ExchangeAssembler) {
        let open = out.session_mut(self.number);
        if open.is_none_or(|e| e.asked_by == unit.side) {
            return;
        }
        self.answer(unit, out);
        if self.confirm {
            self.end(true, out);
        }
    }

    /// Data of a conversation: part of the open exchange, or the beginning of
    /// the next.
    fn data(
        &mut self,
        unit: &ReceivedUnit,
        header: Option<(Rh, bool)>,
        out: &mut ExchangeAssembler,
    ) {
        let state = out
            .session_mut(self.number)
            .map(|e| (e.asked_by == unit.side, e.is_answered() || e.request_done));
        match state {
            Some((true, false)) => {
                out.session_bytes(self.number, unit.side, unit.bytes, unit.ended)
            }
            Some((false, _)) => self.answer(unit, out),
            Some((true, true)) | None => {
                if state.is_none() && header.is_none_or(|(_, first)| !first) {
                    // The rest of a unit whose exchange has ended.
                    return;
                }
                if state.is_none() && self.hole && unit.side != self.asker {
                    // The answer to something that is missing.
                    return;
                }
                self.end(false, out);
                self.asker_before = self.talks.then_some(self.asker);
                self.talks = true;
                let label = if self.program.is_empty() {
                    "SNA conversation".to_owned()
                } else {
                    self.program.clone()
                };
                self.begin_request(unit, &label, out);
            }
        }
        if header.is_none_or(|(_, first)| first) {
            out.session_message(self.number, unit.side);
        }
    }

    fn begin_request(&mut self, unit: &ReceivedUnit, label: &str, out: &mut ExchangeAssembler) {
        self.confirm = false;
        self.hole = false;
        self.asker = unit.side;
        let previous_end_ns = match self.previous_end_ns {
            0 => unit.begun.time_ns,
            end_ns => end_ns.min(unit.begun.time_ns),
        };
        out.begin_in_session(self.number, unit.side, previous_end_ns, unit.begun);
        if let Some(exchange) = out.session_mut(self.number) {
            exchange.label.push_str(label);
        }
        out.session_bytes(self.number, unit.side, unit.bytes, unit.ended);
    }

    fn answer(&mut self, unit: &ReceivedUnit, out: &mut ExchangeAssembler) {
        out.begin_answer(self.number, unit.begun);
        out.session_bytes(self.number, unit.side, unit.bytes, unit.ended);
    }

    /// The request is whole.
    fn end_request(&mut self, out: &mut ExchangeAssembler) {
        if let Some(exchange) = out.session_mut(self.number) {
            exchange.request_done = true;
        }
        if self.lone {
            // The answer took another path, so its duration is unknown.
            out.one_way(self.number);
        }
    }

    fn end(&mut self, complete: bool, out: &mut ExchangeAssembler) {
        self.confirm = false;
        if let Some(end_ns) = out.end_in_session(self.number, complete) {
            self.previous_end_ns = end_ns;
        }
    }
}

/// The transaction program that an Attach names; empty without one.
fn program(header: Rh, ru: &[u8]) -> String {
    if !header.format() || ru.get(1).is_none_or(|kind| kind & 0x7f != fmh5::TYPE) {
        return String::new();
    }
    let Ok((attach, _)) = fmh5::Repr::parse(ru) else {
        return String::new();
    };
    let name = sna::ebcdic::to_string(&attach.tpn);
    let name = name.trim_end();
    if name.chars().all(|c| c.is_ascii_graphic()) && !name.is_empty() {
        name.to_owned()
    } else {
        // Service programs have names like X'06' '1'.
        let hex = base::hex::upper(&attach.tpn);
        let known = if attach.tpn == CNOS {
            " (session limits)"
        } else {
            ""
        };
        format!("X'{hex}'{known}")
    }
}

/// Request codes of session control and data-flow control.
const BIND: u8 = 0x31;
const UNBIND: u8 = 0x32;
const LUSTAT: u8 = 0x04;

/// The program that changes numbers of sessions.
const CNOS: [u8; 2] = [0x06, 0xF1];

/// Sessions of one connection that are distinguished.
const MAX_SESSIONS: usize = 1024;
