//! Scripts of SNA units as DLSw messages over one TCP connection or two.
//!
//! Each message is a segment that is acknowledged at once. With two connections
//! each end writes on the one that it opened.
//! Reference: RFC 1795.

use std::net::SocketAddr;

use super::{FrameContent, FrameTape, LinkWord, SnaLink, SnaUnit};
use crate::frame::{ACK, FIN, PSH, SYN, Segment};
use capture::ConnectionSide;
use sna::dlc::caps::{self, Exchange, SwitchCapabilities};
use sna::dlc::ssp::{
    CircuitEnd, ControlPart, Flow, FlowOperator, Kind, PORT, SspMessage, StationPair,
};

/// Writes a link and its script.
pub(super) fn write(link: SnaLink, tape: &mut FrameTape, script: &[SnaUnit]) {
    let n = tape.number;
    let near = (
        [10, 0, 0, 1],
        if link == SnaLink::Dlsw && n == 0 {
            2067
        } else {
            40_000 + n
        },
    );
    let first = DlswWire::new(
        [near.into(), ([10, 0, 0, 2], PORT).into()],
        ConnectionSide::Client,
        n,
    );
    let mut wires = vec![first];
    wires[0].open(tape);
    if link != SnaLink::Dlsw {
        let ends = [
            ([10, 0, 0, 2], 41_000 + n).into(),
            ([10, 0, 0, 1], PORT).into(),
        ];
        wires.push(DlswWire::new(ends, ConnectionSide::Server, n));
        meet(link, tape, &mut wires);
    }
    if link == SnaLink::DlswTwoThenOne {
        wires[0].close(tape);
        wires.remove(0);
    }
    circuit(tape, &mut wires, script);
}

/// The exchange of capabilities over two connections.
fn meet(link: SnaLink, tape: &mut FrameTape, wires: &mut [DlswWire]) {
    let request = Exchange::Request(SwitchCapabilities {
        initial_window: 20,
        tcp_connections: if link == SnaLink::DlswTwo { 2 } else { 1 },
        ..SwitchCapabilities::default()
    });
    let [first, second] = wires else {
        return;
    };
    let message = |exchange: &Exchange| {
        let mut bytes = Vec::new();
        caps::message(exchange, &mut bytes);
        bytes
    };
    first.send_message(tape, ConnectionSide::Client, 40, message(&request));
    second.open(tape);
    second.send_message(tape, ConnectionSide::Server, 60, message(&request));
    second.send_message(
        tape,
        ConnectionSide::Server,
        15,
        message(&Exchange::Accepted),
    );
    first.send_message(
        tape,
        ConnectionSide::Client,
        50,
        message(&Exchange::Accepted),
    );
}

/// A circuit and its script.
fn circuit(tape: &mut FrameTape, wires: &mut [DlswWire], script: &[SnaUnit]) {
    let number = u32::from(tape.number) * 16;
    let (own, other) = (number + 7, number + 9);
    let mut say =
        |tape: &mut FrameTape, from: ConnectionSide, after_us: u64, message: SspMessage<'_>| {
            let mut bytes = Vec::new();
            message.emit(&mut bytes);
            let at = wires.iter().position(|wire| wire.opener == from);
            wires[at.filter(|_| wires.len() > 1).unwrap_or(0)]
                .send_message(tape, from, after_us, bytes);
        };
    let control = |from_origin: bool| ControlPart {
        from_origin,
        stations: StationPair {
            target_mac: [0x40, 0, 0, 0, 0, 2],
            origin_mac: [0x40, 0, 0, 0, 1, number as u8],
            origin_sap: 4,
            target_sap: 4,
        },
        origin: CircuitEnd {
            correlator: own,
            ..CircuitEnd::default()
        },
        target: CircuitEnd {
            correlator: if from_origin { 0 } else { other },
            ..CircuitEnd::default()
        },
        ..ControlPart::default()
    };
    let message = |kind: Kind, control: Option<ControlPart>| SspMessage {
        control,
        ..SspMessage::new(kind)
    };
    let can_you = message(Kind::CanYouReach, Some(control(true)));
    say(tape, ConnectionSide::Client, 100, can_you);
    let i_can = message(Kind::ICanReach, Some(control(false)));
    say(tape, ConnectionSide::Server, 300, i_can);
    for (n, unit) in script.iter().enumerate() {
        let piu = unit.piu(n as u16 + 1);
        let correlator = match unit.from {
            ConnectionSide::Client => other,
            ConnectionSide::Server => own,
        };
        let frame = match unit.word {
            None => SspMessage {
                correlator,
                data: &piu,
                ..SspMessage::new(Kind::InfoFrame)
            },
            Some(word) => SspMessage {
                correlator,
                flow: Flow {
                    indication: Some(match word {
                        LinkWord::Stop => FlowOperator::Reset,
                        LinkWord::Go => FlowOperator::Increment,
                    }),
                    acknowledgement: false,
                },
                ..SspMessage::new(Kind::FlowControl)
            },
        };
        say(tape, unit.from, unit.after_us, frame);
    }
}

/// A TCP connection.
struct DlswWire {
    ends: [SocketAddr; 2],
    /// Which end of the link opened it.
    opener: ConnectionSide,
    /// The next sequence number of the opener and of the other end.
    next: [u32; 2],
}

impl DlswWire {
    fn new(ends: [SocketAddr; 2], opener: ConnectionSide, number: u16) -> DlswWire {
        DlswWire {
            ends,
            opener,
            next: [1_000, 5_000].map(|first| first + u32::from(number) * 70_000),
        }
    }

    fn segment(&self, from: ConnectionSide, flags: u8, len: u32) -> Segment {
        let role = if from == self.opener {
            ConnectionSide::Client
        } else {
            ConnectionSide::Server
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

    /// A segment of the link's end `from`, after the previous ones.
    fn send(
        &mut self,
        tape: &mut FrameTape,
        from: ConnectionSide,
        after_us: u64,
        flags: u8,
        payload: Vec<u8>,
    ) {
        let segment = self.segment(from, flags, payload.len() as u32);
        let control = flags & (SYN | FIN) != 0;
        self.next[segment.from.index()] += segment.len + u32::from(control);
        tape.send(
            from,
            after_us,
            FrameContent::Segment(segment, self.ends, payload),
        );
    }

    /// The handshake.
    fn open(&mut self, tape: &mut FrameTape) {
        let opener = self.opener;
        self.send(tape, opener, 30, SYN, Vec::new());
        self.send(tape, opener.other(), 30, SYN | ACK, Vec::new());
        self.send(tape, opener, 30, ACK, Vec::new());
    }

    /// Both ends close.
    fn close(&mut self, tape: &mut FrameTape) {
        let opener = self.opener;
        self.send(tape, opener.other(), 30, FIN | ACK, Vec::new());
        self.send(tape, opener, 30, FIN | ACK, Vec::new());
    }

    /// A message, acknowledged at once.
    fn send_message(
        &mut self,
        tape: &mut FrameTape,
        from: ConnectionSide,
        after_us: u64,
        message: Vec<u8>,
    ) {
        self.send(tape, from, after_us, ACK | PSH, message);
        let ack = self.segment(from.other(), ACK, 0);
        let arrives_us = tape.now_us + tape.one_way_us;
        let ack = FrameContent::Segment(ack, self.ends, Vec::new());
        tape.put(from.other(), arrives_us + 20, ack);
    }
}
