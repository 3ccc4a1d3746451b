//! Conversations between logical units, unit by unit, over DLSw or on an
//! Ethernet.
//!
//! A script says who sends which unit, and how long after the one before. Over
//! DLSw each unit is a message in a TCP segment that is acknowledged at once;
//! on an Ethernet it is a numbered LLC2 frame.
//! Reference: RFC 1795; ISO/IEC 8802-2; IBM *SNA Formats* (GA27-3136).

use std::io;

use super::frame::{ACK, PSH, SYN, Segment};
use super::model::Place;
use super::writer::{EPOCH_NS, Format, Writer};
use crate::Side;
use sna::dlc::ssp::{ControlPart, End, Flow, Kind, Message, Operator, PORT};
use sna::dlc::{mac, pdu};
use sna::wire::rh::{Answer, Category, Rh};
use sna::wire::{fmh5, ipm, th};

/// One unit of a script.
#[derive(Debug, Clone)]
pub struct SnaUnit {
    /// Who sends it.
    pub from: Side,
    /// Time since the unit before was sent, or arrived at this end.
    pub after_us: u64,
    /// The session it belongs to.
    pub session: u8,
    /// Its request or response header.
    pub header: Rh,
    /// Its request or response unit.
    pub ru: Vec<u8>,
    /// It is no unit at all, but the link's own word on who may send.
    pub word: Option<LinkWord>,
}

/// What an end says of its readiness to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkWord {
    /// It takes nothing: the window closed (DLSw), RNR (LLC2).
    Stop,
    /// It takes data again: one message more (DLSw), RR (LLC2).
    Go,
}

/// What carries the units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnaLink {
    /// DLSw over TCP.
    Dlsw,
    /// LLC2 on an Ethernet.
    Ethernet,
}

impl SnaUnit {
    /// Data of a conversation, one whole chain.
    pub fn data(from: Side, after_us: u64, bytes: usize) -> SnaUnit {
        SnaUnit {
            from,
            after_us,
            session: 1,
            header: Rh::request(Category::Fmd).with_answer(Answer::Exception1),
            ru: vec![0xC1; bytes],
            word: None,
        }
    }

    /// The link's own word on what the other end may send.
    pub fn link(from: Side, after_us: u64, word: LinkWord) -> SnaUnit {
        SnaUnit {
            word: Some(word),
            ..SnaUnit::data(from, after_us, 0)
        }
    }

    /// The same, with an Attach in front that begins the conversation.
    pub fn attach(from: Side, after_us: u64, program: &str, bytes: usize) -> SnaUnit {
        let mut unit = SnaUnit::data(from, after_us, bytes);
        unit.header = unit.header.with_begin_bracket(true).with_format(true);
        let attach = fmh5::Repr::new(&sna::ebcdic::from_str(program), true, 1).emit();
        unit.ru.splice(0..0, attach);
        unit
    }

    /// A response that lets the other end send its next window.
    pub fn pacing_response(from: Side, after_us: u64, window: u16) -> SnaUnit {
        let message = ipm::Repr {
            kind: ipm::Kind::Solicited,
            window,
        };
        SnaUnit {
            from,
            after_us,
            session: 1,
            header: Rh::isolated_pacing(),
            ru: message.emit().to_vec(),
            word: None,
        }
    }

    /// A positive response to what the other end asked to confirm.
    pub fn confirmed(from: Side, after_us: u64) -> SnaUnit {
        let asked = Rh::request(Category::Fmd).with_answer(Answer::Definite2);
        SnaUnit {
            from,
            after_us,
            session: 1,
            header: asked.respond(false),
            ru: Vec::new(),
            word: None,
        }
    }

    /// It asks for the next window.
    pub fn paced(mut self) -> SnaUnit {
        self.header = self.header.with_pacing(true);
        self
    }

    /// It gives the right to send away.
    pub fn turns(mut self) -> SnaUnit {
        self.header = self.header.with_change_direction(true);
        self
    }

    /// It ends the conversation.
    pub fn ends(mut self) -> SnaUnit {
        self.header = self.header.with_conditional_end(true);
        self
    }

    /// It asks for a confirmation.
    pub fn confirms(mut self) -> SnaUnit {
        self.header = self.header.with_answer(Answer::Definite2);
        self
    }

    /// The same in another session.
    pub fn in_session(mut self, session: u8) -> SnaUnit {
        self.session = session;
        self
    }

    /// The path information unit: headers and RU.
    fn piu(&self, number: u16) -> Vec<u8> {
        let (daf, oaf) = match self.from {
            Side::Client => (self.session, 1),
            Side::Server => (1, self.session),
        };
        let isolated = self.header.is_isolated_pacing();
        let header = th::Repr {
            segment: th::Segment::Whole,
            address: th::Address {
                odai: false,
                daf,
                oaf,
            },
            expedited: isolated,
            sequence: if isolated { 0 } else { number },
        };
        let mut bytes = header.emit().to_vec();
        bytes.extend(self.header.emit());
        bytes.extend(&self.ru);
        bytes
    }
}

/// The capture of a script over a path of `one_way_us`, taken at `place`.
pub fn sna_capture(link: SnaLink, place: Place, one_way_us: u64, script: &[SnaUnit]) -> Vec<u8> {
    let mut tape = Tape {
        place,
        one_way_us,
        now_us: 0,
        last: Side::Client,
        sent: Vec::new(),
    };
    match link {
        SnaLink::Dlsw => dlsw(&mut tape, script),
        SnaLink::Ethernet => ethernet(&mut tape, script),
    }
    tape.sent.sort_by_key(|sent| sent.seen_us);
    let write = || -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), Format::Pcapng)?;
        for sent in &tape.sent {
            match &sent.what {
                What::Segment(segment, payload) => {
                    let segment = Segment {
                        at_ns: sent.seen_us * 1000,
                        ..segment.clone()
                    };
                    let ends = [([10, 0, 0, 1], 2067).into(), ([10, 0, 0, 2], PORT).into()];
                    writer.segment(&segment, ends, payload)?;
                }
                What::Frame(frame) => writer.frame(EPOCH_NS + sent.seen_us * 1000, frame)?,
            }
        }
        writer.finish()
    };
    write().expect("writing to memory does not fail")
}

/// What was sent so far, as the capture point saw it.
struct Tape {
    place: Place,
    one_way_us: u64,
    now_us: u64,
    last: Side,
    sent: Vec<Sent>,
}

struct Sent {
    seen_us: u64,
    what: What,
}

enum What {
    Segment(Segment, Vec<u8>),
    Frame(Vec<u8>),
}

impl Tape {
    /// Sends something so long after what was sent before.
    fn send(&mut self, from: Side, after_us: u64, what: What) {
        self.now_us += after_us
            + if from == self.last {
                0
            } else {
                self.one_way_us
            };
        self.last = from;
        self.put(from, self.now_us, what);
    }

    /// Something sent at a time of its own.
    fn put(&mut self, from: Side, sent_us: u64, what: What) {
        let near = match self.place {
            Place::Client => Side::Client,
            _ => Side::Server,
        };
        let seen_us = sent_us + if from == near { 0 } else { self.one_way_us };
        self.sent.push(Sent { seen_us, what });
    }
}

fn dlsw(tape: &mut Tape, script: &[SnaUnit]) {
    let mut next = [1_000_u32, 5_000];
    let segment = |from: Side, next: &[u32; 2], flags: u8, len: u32| Segment {
        at_ns: 0,
        from,
        seq: next[from.index()],
        ack: next[from.other().index()],
        id: (next[0] ^ next[1]) as u16,
        flags,
        window: 65_535,
        len,
        offset: 0,
        mss: if flags & SYN != 0 { 1460 } else { 0 },
        scale: None,
        sack: Vec::new(),
        stamp: None,
    };
    for (from, flags) in [
        (Side::Client, SYN),
        (Side::Server, SYN | ACK),
        (Side::Client, ACK),
    ] {
        let open = segment(from, &next, flags, 0);
        tape.send(from, 30, What::Segment(open, Vec::new()));
        next[from.index()] += u32::from(flags & SYN != 0);
    }
    let mut say = |tape: &mut Tape, from: Side, after_us: u64, message: Message<'_>| {
        let mut bytes = Vec::new();
        message.emit(&mut bytes);
        let one = segment(from, &next, ACK | PSH, bytes.len() as u32);
        next[from.index()] += one.len;
        tape.send(from, after_us, What::Segment(one, bytes));
        let ack = segment(from.other(), &next, ACK, 0);
        let arrives_us = tape.now_us + tape.one_way_us;
        tape.put(
            from.other(),
            arrives_us + 20,
            What::Segment(ack, Vec::new()),
        );
    };
    let control = |from_origin: bool| ControlPart {
        from_origin,
        origin: End {
            correlator: 7,
            ..End::default()
        },
        target: End {
            correlator: if from_origin { 0 } else { 9 },
            ..End::default()
        },
        ..ControlPart::default()
    };
    let message = |kind: Kind, control: Option<ControlPart>| Message {
        control,
        ..Message::new(kind)
    };
    let can_you = message(Kind::CanYouReach, Some(control(true)));
    say(tape, Side::Client, 100, can_you);
    let i_can = message(Kind::ICanReach, Some(control(false)));
    say(tape, Side::Server, 300, i_can);
    for (n, unit) in script.iter().enumerate() {
        let piu = unit.piu(n as u16 + 1);
        let correlator = match unit.from {
            Side::Client => 9,
            Side::Server => 7,
        };
        let frame = match unit.word {
            None => Message {
                correlator,
                data: &piu,
                ..Message::new(Kind::InfoFrame)
            },
            Some(word) => Message {
                correlator,
                flow: Flow {
                    indication: Some(match word {
                        LinkWord::Stop => Operator::Reset,
                        LinkWord::Go => Operator::Increment,
                    }),
                    acknowledgement: false,
                },
                ..Message::new(Kind::FlowControl)
            },
        };
        say(tape, unit.from, unit.after_us, frame);
    }
}

fn ethernet(tape: &mut Tape, script: &[SnaUnit]) {
    let frame = |from: Side, control: pdu::Control, response: bool, info: &[u8]| {
        let mut bytes = Vec::new();
        let pdu = pdu::Pdu {
            dsap: pdu::SAP_SNA,
            ssap: pdu::SAP_SNA,
            response,
            control,
            info,
        };
        pdu.emit(&mut bytes);
        let stations = [[0x02, 0, 0, 0, 0, 0x0A], [0x02, 0, 0, 0, 0, 0x0B]];
        let mut out = Vec::new();
        mac::Frame {
            destination: stations[from.other().index()],
            source: stations[from.index()],
            pdu: &bytes,
        }
        .emit(&mut out);
        What::Frame(out)
    };
    let unnumbered = |kind: pdu::Unnumbered| pdu::Control::U { kind, pf: true };
    let sabme = frame(Side::Client, unnumbered(pdu::Unnumbered::Sabme), false, &[]);
    tape.send(Side::Client, 0, sabme);
    let ua = frame(Side::Server, unnumbered(pdu::Unnumbered::Ua), true, &[]);
    tape.send(Side::Server, 200, ua);
    let mut counts = [0_u8; 2];
    for (n, unit) in script.iter().enumerate() {
        let (mine, theirs) = (unit.from.index(), unit.from.other().index());
        if let Some(word) = unit.word {
            let control = pdu::Control::S {
                kind: match word {
                    LinkWord::Stop => pdu::Supervisory::Rnr,
                    LinkWord::Go => pdu::Supervisory::Rr,
                },
                nr: counts[theirs] & 0x7F,
                pf: false,
            };
            let what = frame(unit.from, control, true, &[]);
            tape.send(unit.from, unit.after_us, what);
            continue;
        }
        let control = pdu::Control::I {
            ns: counts[mine] & 0x7F,
            nr: counts[theirs] & 0x7F,
            pf: false,
        };
        counts[mine] += 1;
        let what = frame(unit.from, control, false, &unit.piu(n as u16 + 1));
        tape.send(unit.from, unit.after_us, what);
        let ready = pdu::Control::S {
            kind: pdu::Supervisory::Rr,
            nr: counts[mine] & 0x7F,
            pf: false,
        };
        let answer = frame(unit.from.other(), ready, true, &[]);
        let arrives_us = tape.now_us + tape.one_way_us;
        tape.put(unit.from.other(), arrives_us + 20, answer);
    }
}
