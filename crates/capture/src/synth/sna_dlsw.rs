//! Scripts of SNA units as DLSw messages over one TCP connection or two.
//!
//! Each message is a segment that is acknowledged at once. With two connections
//! each end writes on the one that it opened.
//! Reference: RFC 1795.

use std::net::SocketAddr;

use super::frame::{ACK, FIN, PSH, SYN, Segment};
use super::sna::{LinkWord, SnaLink, SnaUnit, Tape, What};
use crate::Side;
use sna::dlc::caps::{self, Capabilities, Exchange};
use sna::dlc::ssp::{ControlPart, End, Flow, Kind, Message, Operator, PORT, Stations};

/// Writes a link and its script.
pub(super) fn write(link: SnaLink, tape: &mut Tape, script: &[SnaUnit]) {
    let n = tape.number;
    let near = (
        [10, 0, 0, 1],
        if link == SnaLink::Dlsw && n == 0 {
            2067
        } else {
            40_000 + n
        },
    );
    let first = Wire::new([near.into(), ([10, 0, 0, 2], PORT).into()], Side::Client, n);
    let mut wires = vec![first];
    wires[0].open(tape);
    if link != SnaLink::Dlsw {
        let ends = [
            ([10, 0, 0, 2], 41_000 + n).into(),
            ([10, 0, 0, 1], PORT).into(),
        ];
        wires.push(Wire::new(ends, Side::Server, n));
        meet(link, tape, &mut wires);
    }
    if link == SnaLink::DlswTwoThenOne {
        wires[0].close(tape);
        wires.remove(0);
    }
    circuit(tape, &mut wires, script);
}

/// The exchange of capabilities over two connections.
fn meet(link: SnaLink, tape: &mut Tape, wires: &mut [Wire]) {
    let request = Exchange::Request(Capabilities {
        initial_window: 20,
        tcp_connections: if link == SnaLink::DlswTwo { 2 } else { 1 },
        ..Capabilities::default()
    });
    let [first, second] = wires else {
        return;
    };
    let message = |exchange: &Exchange| {
        let mut bytes = Vec::new();
        caps::message(exchange, &mut bytes);
        bytes
    };
    first.say(tape, Side::Client, 40, message(&request));
    second.open(tape);
    second.say(tape, Side::Server, 60, message(&request));
    second.say(tape, Side::Server, 15, message(&Exchange::Accepted));
    first.say(tape, Side::Client, 50, message(&Exchange::Accepted));
}

/// A circuit and what the script has on it.
fn circuit(tape: &mut Tape, wires: &mut [Wire], script: &[SnaUnit]) {
    let number = u32::from(tape.number) * 16;
    let (own, other) = (number + 7, number + 9);
    let mut say = |tape: &mut Tape, from: Side, after_us: u64, message: Message<'_>| {
        let mut bytes = Vec::new();
        message.emit(&mut bytes);
        let at = wires.iter().position(|wire| wire.opener == from);
        wires[at.filter(|_| wires.len() > 1).unwrap_or(0)].say(tape, from, after_us, bytes);
    };
    let control = |from_origin: bool| ControlPart {
        from_origin,
        stations: Stations {
            target_mac: [0x40, 0, 0, 0, 0, 2],
            origin_mac: [0x40, 0, 0, 0, 1, number as u8],
            origin_sap: 4,
            target_sap: 4,
        },
        origin: End {
            correlator: own,
            ..End::default()
        },
        target: End {
            correlator: if from_origin { 0 } else { other },
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
            Side::Client => other,
            Side::Server => own,
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

/// A TCP connection.
struct Wire {
    ends: [SocketAddr; 2],
    /// Which end of the link opened it.
    opener: Side,
    /// The next sequence number of the opener and of the other end.
    next: [u32; 2],
}

impl Wire {
    fn new(ends: [SocketAddr; 2], opener: Side, number: u16) -> Wire {
        Wire {
            ends,
            opener,
            next: [1_000, 5_000].map(|first| first + u32::from(number) * 70_000),
        }
    }

    fn segment(&self, from: Side, flags: u8, len: u32) -> Segment {
        let role = match from == self.opener {
            true => Side::Client,
            false => Side::Server,
        };
        Segment {
            at_ns: 0,
            from: role,
            seq: self.next[role.index()],
            ack: self.next[role.other().index()],
            id: (self.next[0] ^ self.next[1]) as u16,
            hop_limit: 64,
            flags,
            window: 65_535,
            len,
            offset: 0,
            mss: if flags & SYN != 0 { 1460 } else { 0 },
            scale: None,
            sack: Vec::new(),
            stamp: None,
            multipath: None,
        }
    }

    /// A segment of the link's end `from`, after what was sent before.
    fn send(&mut self, tape: &mut Tape, from: Side, after_us: u64, flags: u8, payload: Vec<u8>) {
        let segment = self.segment(from, flags, payload.len() as u32);
        let control = flags & (SYN | FIN) != 0;
        self.next[segment.from.index()] += segment.len + u32::from(control);
        tape.send(from, after_us, What::Segment(segment, self.ends, payload));
    }

    /// The handshake.
    fn open(&mut self, tape: &mut Tape) {
        let opener = self.opener;
        self.send(tape, opener, 30, SYN, Vec::new());
        self.send(tape, opener.other(), 30, SYN | ACK, Vec::new());
        self.send(tape, opener, 30, ACK, Vec::new());
    }

    /// Both ends close.
    fn close(&mut self, tape: &mut Tape) {
        let opener = self.opener;
        self.send(tape, opener.other(), 30, FIN | ACK, Vec::new());
        self.send(tape, opener, 30, FIN | ACK, Vec::new());
    }

    /// A message, acknowledged at once.
    fn say(&mut self, tape: &mut Tape, from: Side, after_us: u64, message: Vec<u8>) {
        self.send(tape, from, after_us, ACK | PSH, message);
        let ack = self.segment(from.other(), ACK, 0);
        let arrives_us = tape.now_us + tape.one_way_us;
        let ack = What::Segment(ack, self.ends, Vec::new());
        tape.put(from.other(), arrives_us + 20, ack);
    }
}
