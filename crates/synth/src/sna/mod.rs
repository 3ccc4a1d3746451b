//! Conversations between logical units, unit by unit, over DLSw or on an
//! Ethernet.
//!
//! A script says who sends which unit, and how long after the one before. Over
//! DLSw ([`dlsw`]) each unit is a message in a TCP segment; on an
//! Ethernet it is a numbered LLC2 frame.
//! Reference: ISO/IEC 8802-2; IBM *SNA Formats* (GA27-3136).

mod dlsw;

use std::io;
use std::net::SocketAddr;

use crate::frame::Segment;
use crate::model::CapturePlace;
use crate::writer::{EPOCH_NS, FileFormat, Writer};
use capture::ConnectionSide;
use sna::dlc::{mac, pdu};
use sna::wire::rh::{RequestedResponse, Rh, RuCategory};
use sna::wire::{fmh5, ipm, th};

/// One unit of a script.
#[derive(Debug, Clone)]
pub struct SnaUnit {
    /// The sender.
    pub from: ConnectionSide,
    /// Time since the unit before was sent, or arrived at this end.
    pub after_us: u64,
    /// The session it belongs to.
    pub session: u8,
    /// Its request or response header.
    pub header: Rh,
    /// Its request or response unit.
    pub ru: Vec<u8>,
    /// Not a unit, but a message of the link about sending.
    pub word: Option<LinkWord>,
}

/// A message of an end about its readiness to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkWord {
    /// It takes nothing: the window closed (DLSw), RNR (LLC2).
    Stop,
    /// It takes data again: one message more (DLSw), RR (LLC2).
    Go,
}

/// The link that carries the units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnaLink {
    /// DLSw over one TCP connection, from its circuit on.
    Dlsw,
    /// DLSw over two TCP connections, each of one direction, from their
    /// capabilities on.
    DlswTwo,
    /// The same, and the first connection is dropped after the capabilities.
    DlswTwoThenOne,
    /// LLC2 on an Ethernet.
    Ethernet,
}

impl SnaUnit {
    /// Data of a conversation, one whole chain.
    pub fn data(from: ConnectionSide, after_us: u64, bytes: usize) -> SnaUnit {
        SnaUnit {
            from,
            after_us,
            session: 1,
            header: Rh::request(RuCategory::Fmd).with_answer(RequestedResponse::Exception1),
            ru: vec![0xC1; bytes],
            word: None,
        }
    }

    /// A message of the link about the send window of the other end.
    pub fn link(from: ConnectionSide, after_us: u64, word: LinkWord) -> SnaUnit {
        SnaUnit {
            word: Some(word),
            ..SnaUnit::data(from, after_us, 0)
        }
    }

    /// The same, with an Attach in front that begins the conversation.
    pub fn attach(from: ConnectionSide, after_us: u64, program: &str, bytes: usize) -> SnaUnit {
        let mut unit = SnaUnit::data(from, after_us, bytes);
        unit.header = unit.header.with_begin_bracket(true).with_format(true);
        let attach = fmh5::Repr::new(&sna::ebcdic::from_str(program), true, 1).emit();
        unit.ru.splice(0..0, attach);
        unit
    }

    /// A response that lets the other end send its next window.
    pub fn pacing_response(from: ConnectionSide, after_us: u64, window: u16) -> SnaUnit {
        let message = ipm::Repr {
            kind: ipm::PacingMessageKind::Solicited,
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

    /// A positive response to a request for confirmation.
    pub fn confirmed(from: ConnectionSide, after_us: u64) -> SnaUnit {
        let asked = Rh::request(RuCategory::Fmd).with_answer(RequestedResponse::Definite2);
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
        self.header = self.header.with_answer(RequestedResponse::Definite2);
        self
    }

    /// The same in another session.
    pub fn in_session(mut self, session: u8) -> SnaUnit {
        self.session = session;
        self
    }

    /// The path information unit: headers and RU.
    pub(super) fn piu(&self, number: u16) -> Vec<u8> {
        let (daf, oaf) = match self.from {
            ConnectionSide::Client => (self.session, 1),
            ConnectionSide::Server => (1, self.session),
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
pub fn sna_capture(
    link: SnaLink,
    place: CapturePlace,
    one_way_us: u64,
    script: &[SnaUnit],
) -> Vec<u8> {
    sna_captures(place, one_way_us, &[(link, 0, script)])
}

/// The same of several links between the same two hosts, each with the time at
/// which it begins.
pub fn sna_captures(
    place: CapturePlace,
    one_way_us: u64,
    links: &[(SnaLink, u64, &[SnaUnit])],
) -> Vec<u8> {
    let mut sent = Vec::new();
    for (number, (link, begin_us, script)) in links.iter().enumerate() {
        let mut tape = FrameTape {
            number: number as u16,
            place,
            one_way_us,
            now_us: *begin_us,
            last: ConnectionSide::Client,
            sent: Vec::new(),
        };
        match link {
            SnaLink::Ethernet => ethernet(&mut tape, script),
            link => dlsw::write(*link, &mut tape, script),
        }
        sent.append(&mut tape.sent);
    }
    sent.sort_by_key(|sent| sent.seen_us);
    let write = || -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), FileFormat::Pcapng)?;
        for sent in &sent {
            match &sent.what {
                FrameContent::Segment(segment, ends, payload) => {
                    let segment = Segment {
                        at_ns: sent.seen_us * 1000,
                        ..segment.clone()
                    };
                    writer.segment(&segment, *ends, payload)?;
                }
                FrameContent::Frame(frame) => {
                    writer.frame(EPOCH_NS + sent.seen_us * 1000, frame)?
                }
            }
        }
        writer.finish()
    };
    write().expect("writing to memory does not fail")
}

/// The frames sent so far, as the capture point saw them.
pub(super) struct FrameTape {
    /// Which of several links it is.
    pub(super) number: u16,
    place: CapturePlace,
    pub(super) one_way_us: u64,
    pub(super) now_us: u64,
    last: ConnectionSide,
    sent: Vec<SentFrame>,
}

struct SentFrame {
    seen_us: u64,
    what: FrameContent,
}

pub(super) enum FrameContent {
    /// A segment between the client and the server of its connection.
    Segment(Segment, [SocketAddr; 2], Vec<u8>),
    Frame(Vec<u8>),
}

impl FrameTape {
    /// Sends a frame this long after the previous one.
    pub(super) fn send(&mut self, from: ConnectionSide, after_us: u64, what: FrameContent) {
        self.now_us += after_us
            + if from == self.last {
                0
            } else {
                self.one_way_us
            };
        self.last = from;
        self.put(from, self.now_us, what);
    }

    /// Something sent at its own time.
    pub(super) fn put(&mut self, from: ConnectionSide, sent_us: u64, what: FrameContent) {
        let near = match self.place {
            CapturePlace::Client => ConnectionSide::Client,
            _ => ConnectionSide::Server,
        };
        let seen_us = sent_us + if from == near { 0 } else { self.one_way_us };
        self.sent.push(SentFrame { seen_us, what });
    }
}

fn ethernet(tape: &mut FrameTape, script: &[SnaUnit]) {
    let frame = |from: ConnectionSide, control: pdu::ControlField, response: bool, info: &[u8]| {
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
        FrameContent::Frame(out)
    };
    let unnumbered = |kind: pdu::UnnumberedFrame| pdu::ControlField::U { kind, pf: true };
    let sabme = frame(
        ConnectionSide::Client,
        unnumbered(pdu::UnnumberedFrame::Sabme),
        false,
        &[],
    );
    tape.send(ConnectionSide::Client, 0, sabme);
    let ua = frame(
        ConnectionSide::Server,
        unnumbered(pdu::UnnumberedFrame::Ua),
        true,
        &[],
    );
    tape.send(ConnectionSide::Server, 200, ua);
    let mut counts = [0_u8; 2];
    for (n, unit) in script.iter().enumerate() {
        let (mine, theirs) = (unit.from.index(), unit.from.other().index());
        if let Some(word) = unit.word {
            let control = pdu::ControlField::S {
                kind: match word {
                    LinkWord::Stop => pdu::SupervisoryFrame::Rnr,
                    LinkWord::Go => pdu::SupervisoryFrame::Rr,
                },
                nr: counts[theirs] & 0x7F,
                pf: false,
            };
            let what = frame(unit.from, control, true, &[]);
            tape.send(unit.from, unit.after_us, what);
            continue;
        }
        let control = pdu::ControlField::I {
            ns: counts[mine] & 0x7F,
            nr: counts[theirs] & 0x7F,
            pf: false,
        };
        counts[mine] += 1;
        let what = frame(unit.from, control, false, &unit.piu(n as u16 + 1));
        tape.send(unit.from, unit.after_us, what);
        let ready = pdu::ControlField::S {
            kind: pdu::SupervisoryFrame::Rr,
            nr: counts[mine] & 0x7F,
            pf: false,
        };
        let answer = frame(unit.from.other(), ready, true, &[]);
        let arrives_us = tape.now_us + tape.one_way_us;
        tape.put(unit.from.other(), arrives_us + 20, answer);
    }
}
