//! One capture for every cause, in which only this cause and its consequences are
//! planted.
//!
//! The rules are tested against these, the documentation shows them, and
//! anyone can look at them with another tool. Adding a rule means adding a row.

use std::io;

use super::conversation::simulate;
use super::frame::{ACK, Segment};
use super::model::{
    AppWrite, CapturePlace, CloseStyle, Conversation, DelayedAck, Exchange, Fault, FaultAction,
    PacketSelector, PayloadKind, Reader,
};
use super::sna::{LinkWord, SnaLink, SnaUnit, sna_capture};
use super::writer::{FileFormat, Writer, capture_file};
use capture::ConnectionSide;

/// A capture with a cause in it.
pub struct PlantedCapture {
    /// The cause's dotted name.
    pub cause: &'static str,
    /// How it was planted.
    pub about: &'static str,
    /// Causes that follow from it and may be named too.
    pub brings: &'static [&'static str],
    make: fn(&FixtureView) -> Vec<u8>,
}

impl PlantedCapture {
    /// The file, as it is documented.
    pub fn capture(&self) -> Vec<u8> {
        (self.make)(&FixtureView::default())
    }

    /// The same traffic captured at another place, or in segments of another
    /// size.
    pub fn seen(&self, view: &FixtureView) -> Vec<u8> {
        (self.make)(view)
    }
}

/// Options for a fixture; the defaults change nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct FixtureView {
    /// The place of capture.
    pub place: Option<CapturePlace>,
    /// Segments that a captured packet may hold (TSO, GRO); where the path
    /// commits no fault.
    pub offload_segments: Option<u32>,
}

impl FixtureView {
    fn of(&self, conversation: &Conversation) -> Conversation {
        let mut conversation = conversation.clone();
        conversation.path.capture = self.place.unwrap_or(conversation.path.capture);
        if !conversation.path.faults.is_empty() {
            // Faults hit numbered packets: others would be hit.
            return conversation;
        }
        for end in &mut conversation.ends {
            end.offload_segments = self.offload_segments.unwrap_or(end.offload_segments);
        }
        conversation
    }
}

/// The capture for a cause.
pub fn planted(cause: &str) -> Option<&'static PlantedCapture> {
    PLANTED.iter().find(|p| p.cause == cause)
}

/// Every cause's capture.
pub static PLANTED: &[PlantedCapture] = &[
    PlantedCapture {
        cause: "tcp.nagle.write-write-read",
        about: "requests in two writes, Nagle on, the server acknowledges after 200 ms",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![two_writes(); 3]);
            c.client_end().nagle = true;
            c.client_end().rto_min_us = 400_000;
            c.server_end().delayed_ack = DelayedAck::FixedUs(200_000);
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.nagle",
        about: "requests in two writes, Nagle on, acknowledged at once over 20 ms of round trip",
        brings: &[],
        make: |view| {
            let mut c = far(10_000, vec![two_writes(); 3]);
            c.client_end().nagle = true;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.ack.delayed",
        about: "a send buffer of one segment, the client acknowledges after 200 ms",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 2_000, 6_000)]);
            c.server_end().send_limit_bytes = Some(1_448);
            c.server_end().rto_min_us = 400_000;
            c.client_end().delayed_ack = DelayedAck::FixedUs(200_000);
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.window.zero",
        about: "the client stops reading for 300 ms after each 20,000 bytes",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 2_000, 90_000)]);
            c.client_end().receive_bytes = 20_000;
            c.client_end().reader = Reader::Pausing {
                every_bytes: 20_000,
                pause_us: 300_000,
            };
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.window.full",
        about: "a receive window of 14,000 bytes over 40 ms of round trip",
        brings: &[],
        make: |view| {
            let mut c = far(20_000, vec![Exchange::new(300, 2_000, 150_000)]);
            c.client_end().receive_bytes = 14_000;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.slow-start",
        about: "100,000 bytes over 50 ms of round trip with a first window of two segments",
        brings: &[],
        make: |view| {
            let mut c = far(25_000, vec![Exchange::new(300, 2_000, 100_000)]);
            c.server_end().initial_window = 2;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.idle-restart",
        about: "a second of idleness after bursts of up to 19 segments",
        brings: &[],
        make: |view| {
            // Each fits the window that the one before has opened.
            let sizes = [14_000, 20_000, 27_000];
            let mut exchanges: Vec<Exchange> = sizes.map(|n| Exchange::new(300, 2_000, n)).into();
            exchanges.push(Exchange {
                client_think_us: 1_000_000,
                ..Exchange::new(300, 2_000, 27_000)
            });
            let mut c = far(25_000, exchanges);
            c.server_end().idle_restart = true;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.sender.limited",
        about: "a send buffer of ten segments over 50 ms of round trip",
        brings: &[],
        make: |view| {
            let mut c = far(25_000, vec![Exchange::new(300, 2_000, 150_000)]);
            c.server_end().send_limit_bytes = Some(14_480);
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.congestion-window",
        about: "one loss in a burst of 40 segments, and 200 more to send",
        brings: &["tcp.retransmit.fast"],
        make: |view| {
            let mut c = far(25_000, vec![Exchange::new(300, 2_000, 350_000)]);
            c.server_end().initial_window = 40;
            c.path.faults = vec![lose(ConnectionSide::Server, PacketSelector::Data(5))];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.rto",
        about: "the last segment of a request is lost",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(10_000, 2_000, 500)]);
            c.path.faults = vec![lose(ConnectionSide::Client, PacketSelector::Data(6))];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.retransmit.fast",
        about: "one loss in a burst of 30 segments over 40 ms of round trip",
        brings: &[],
        make: |view| {
            let mut c = far(20_000, vec![Exchange::new(300, 2_000, 43_000)]);
            c.path.capture = CapturePlace::Client;
            c.server_end().initial_window = 40;
            c.path.faults = vec![lose(ConnectionSide::Server, PacketSelector::Data(5))];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.retransmit.spurious",
        about: "the last segment of a request is late by 215 ms and sent again meanwhile",
        brings: &["tcp.congestion-window"],
        make: |view| {
            let mut c = far(5_000, vec![Exchange::new(6_000, 20_000, 500); 2]);
            c.path.capture = CapturePlace::Client;
            c.path.faults = vec![Fault {
                from: ConnectionSide::Client,
                select: PacketSelector::Data(4),
                action: FaultAction::DelayUs(215_000),
            }];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.reordering",
        about: "one segment is overtaken by the next",
        brings: &[],
        make: |view| {
            let mut c = far(5_000, vec![Exchange::new(300, 2_000, 13_000)]);
            c.path.capture = CapturePlace::Client;
            c.path.faults = vec![Fault {
                from: ConnectionSide::Server,
                select: PacketSelector::Data(7),
                action: FaultAction::DelayUs(2_500),
            }];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.syn.lost",
        about: "the first SYN is lost",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 2_000, 500); 2]);
            c.path.faults = vec![lose(ConnectionSide::Client, PacketSelector::Syn(0))];
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.pmtu.black-hole",
        about: "packets above 1,200 bytes from the client vanish",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(5_000, 2_000, 500)]);
            c.path.faults = vec![lose(
                ConnectionSide::Client,
                PacketSelector::LongerThan(1_200),
            )];
            c.client_end().fallback_mss = Some(536);
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "sna.pacing",
        about: "over DLSw, the partner gives the next window of three units after 120 ms",
        brings: &[],
        make: |view| {
            let place = view.place.unwrap_or(CapturePlace::Client);
            sna_capture(SnaLink::Dlsw, place, 200, &paced(120_000))
        },
    },
    PlantedCapture {
        cause: "dlsw.window",
        about: "the partner switch closes the circuit's window and opens it after 150 ms",
        brings: &[],
        make: |view| {
            let place = view.place.unwrap_or(CapturePlace::Client);
            sna_capture(SnaLink::Dlsw, place, 200, &stopped(150_000))
        },
    },
    PlantedCapture {
        cause: "llc.not-ready",
        about: "on an Ethernet, the partner says RNR, and RR after 150 ms",
        brings: &[],
        make: |view| {
            let place = view.place.unwrap_or(CapturePlace::Client);
            sna_capture(SnaLink::Ethernet, place, 200, &stopped(150_000))
        },
    },
    PlantedCapture {
        cause: "server.think",
        about: "the server thinks for 300 ms",
        brings: &[],
        make: |view| file(view, &[lan(vec![Exchange::new(300, 300_000, 500); 3])]),
    },
    PlantedCapture {
        cause: "client.think",
        about: "the client thinks for 300 ms between requests",
        brings: &[],
        make: |view| {
            let exchange = Exchange {
                client_think_us: 300_000,
                ..Exchange::new(300, 100, 500)
            };
            file(view, &[lan(vec![exchange; 3])])
        },
    },
    PlantedCapture {
        cause: "tcp.mss.small",
        about: "the server announces an MSS of 536 and answers with 2,500 bytes",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(1_400, 2_000, 2_500); 2]);
            c.server_end().mss = 536;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.connection-per-request",
        about: "five requests, five connections",
        brings: &[],
        make: |view| file(view, &several(5, lan(vec![Exchange::new(300, 2_000, 500)]))),
    },
    PlantedCapture {
        cause: "tls.handshake-per-connection",
        about: "five requests, five TLS connections, sessions resumed",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![
                Exchange::new(512, 2_000, 400),
                Exchange::new(300, 2_000, 500),
            ]);
            c.payload = PayloadKind::Tls { resumed: true };
            c.server.set_port(443);
            file(view, &several(5, c))
        },
    },
    PlantedCapture {
        cause: "tls.handshake.wait",
        about: "the server's hello comes after 120 ms",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![
                Exchange::new(512, 120_000, 400),
                Exchange::new(300, 2_000, 500),
                Exchange::new(300, 2_000, 500),
            ]);
            c.payload = PayloadKind::Tls { resumed: true };
            c.server.set_port(443);
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tls.no-resumption",
        about: "four TLS connections with five requests each, no session resumed",
        brings: &[],
        make: |view| {
            let mut exchanges = vec![Exchange::new(512, 2_000, 3_000)];
            exchanges.extend(vec![Exchange::new(300, 2_000, 500); 5]);
            let mut c = lan(exchanges);
            c.payload = PayloadKind::Tls { resumed: false };
            c.server.set_port(443);
            file(view, &several(4, c))
        },
    },
    PlantedCapture {
        cause: "tcp.ports.exhausted",
        about: "an address pair comes back a second after its connection closed",
        brings: &[],
        make: |view| {
            let first = lan(vec![Exchange::new(300, 2_000, 500); 2]);
            let again = Conversation {
                start_us: 1_000_000,
                seed: 99,
                ..first.clone()
            };
            file(view, &[first, again])
        },
    },
    PlantedCapture {
        cause: "tcp.reset",
        about: "the server resets instead of answering the second request",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 5_000, 500); 2]);
            c.close = CloseStyle::ResetByServer;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.reset.path",
        about: "a reset in the server's name with the hop limit 52, where the server's packets have 64",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 5_000, 500); 2]);
            c.close = CloseStyle::ResetOnPath { hop_limit: 52 };
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "tcp.half-close",
        about: "the client closes its side before the answer",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 5_000, 500)]);
            c.close = CloseStyle::HalfByClient;
            file(view, &[c])
        },
    },
    PlantedCapture {
        cause: "app.tiny-writes",
        about: "a response in twenty writes of 50 bytes",
        brings: &[],
        make: |view| {
            let exchange = Exchange {
                response: vec![AppWrite::of(50); 20],
                ..Exchange::new(300, 2_000, 0)
            };
            file(view, &[lan(vec![exchange; 2])])
        },
    },
    PlantedCapture {
        cause: "tcp.ack.storm",
        about: "two hundred acknowledgements back and forth after an exchange",
        brings: &[],
        make: ack_storm,
    },
    PlantedCapture {
        cause: "capture.duplicates",
        about: "every packet is captured twice",
        brings: &[],
        make: |view| {
            let mut c = lan(vec![Exchange::new(300, 2_000, 5_000); 2]);
            c.path.captured_twice_us = Some(4);
            file(view, &[c])
        },
    },
];

/// A conversation over a short path.
fn lan(exchanges: Vec<Exchange>) -> Conversation {
    Conversation {
        exchanges,
        close: CloseStyle::Client,
        ..Conversation::default()
    }
}

/// A conversation over a long path, captured at the server.
fn far(one_way_us: u64, exchanges: Vec<Exchange>) -> Conversation {
    let mut conversation = lan(exchanges);
    conversation.path.one_way_us = one_way_us;
    conversation.path.capture = CapturePlace::Server;
    conversation
}

fn two_writes() -> Exchange {
    Exchange {
        request: vec![AppWrite::of(200), AppWrite::of(100)],
        ..Exchange::new(0, 2_000, 500)
    }
}

fn lose(from: ConnectionSide, select: PacketSelector) -> Fault {
    Fault {
        from,
        select,
        action: FaultAction::Lose,
    }
}

/// The same conversation from several ports, in sequence.
fn several(count: u16, conversation: Conversation) -> Vec<Conversation> {
    let copy = |n: u16| {
        let mut copy = conversation.clone();
        copy.client.set_port(conversation.client.port() + n);
        copy.start_us = u64::from(n) * 50_000;
        copy.seed = u64::from(n) + 1;
        copy
    };
    (0..count).map(copy).collect()
}

fn file(view: &FixtureView, conversations: &[Conversation]) -> Vec<u8> {
    let seen: Vec<Conversation> = conversations.iter().map(|c| view.of(c)).collect();
    capture_file(&seen, FileFormat::Pcap)
}

/// A conversation of two turns in windows of three units; the first window is
/// followed by the next only after `held_us`.
pub fn paced(held_us: u64) -> Vec<SnaUnit> {
    use ConnectionSide::{Client, Server};
    vec![
        SnaUnit::attach(Client, 1_000, "FILETRAN", 200).paced(),
        SnaUnit::data(Client, 20, 1_000),
        SnaUnit::data(Client, 20, 1_000),
        SnaUnit::pacing_response(Server, held_us, 3),
        SnaUnit::data(Client, 50, 1_000).paced(),
        SnaUnit::data(Client, 20, 1_000),
        SnaUnit::pacing_response(Server, 30, 3),
        SnaUnit::data(Client, 20, 500).turns(),
        SnaUnit::data(Server, 4_000, 800).paced(),
        SnaUnit::pacing_response(Client, 30, 3),
        SnaUnit::data(Server, 20, 300).turns(),
        SnaUnit::data(Client, 2_000, 100).paced().ends().confirms(),
        SnaUnit::confirmed(Server, 3_000),
    ]
}

/// A conversation whose request the partner stops in its middle for `held_us`.
pub fn stopped(held_us: u64) -> Vec<SnaUnit> {
    use ConnectionSide::{Client, Server};
    vec![
        SnaUnit::attach(Client, 1_000, "FILETRAN", 200),
        SnaUnit::data(Client, 20, 1_000),
        SnaUnit::link(Server, 30, LinkWord::Stop),
        SnaUnit::link(Server, held_us, LinkWord::Go),
        SnaUnit::data(Client, 50, 1_000).turns(),
        SnaUnit::data(Server, 4_000, 300).turns(),
        SnaUnit::data(Client, 2_000, 100).ends().confirms(),
        SnaUnit::confirmed(Server, 3_000),
    ]
}

/// An exchange, then two ends that answer each other without end.
fn ack_storm(view: &FixtureView) -> Vec<u8> {
    let mut conversation = lan(vec![Exchange::new(300, 2_000, 500)]);
    conversation.close = CloseStyle::Open;
    let conversation = view.of(&conversation);
    let (mut segments, streams) = simulate(&conversation);
    let last = |side: ConnectionSide| segments.iter().rev().find(|s| s.from == side).cloned();
    let (Some(client), Some(server)) = (last(ConnectionSide::Client), last(ConnectionSide::Server))
    else {
        return Vec::new();
    };
    let at_ns = client.at_ns.max(server.at_ns);
    for n in 1..=200_u64 {
        let (model, other) = if n % 2 == 0 {
            (&client, &server)
        } else {
            (&server, &client)
        };
        segments.push(Segment {
            at_ns: at_ns + n * 200_000,
            seq: model.seq.wrapping_add(model.len),
            ack: other.seq.wrapping_add(other.len),
            id: model.id.wrapping_add(n as u16),
            flags: ACK,
            len: 0,
            ..model.clone()
        });
    }
    let write = || -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), FileFormat::Pcap)?;
        for segment in &segments {
            let stream = &streams[segment.from.index()];
            let payload = &stream[segment.offset as usize..(segment.offset + segment.len) as usize];
            writer.segment(segment, [conversation.client, conversation.server], payload)?;
        }
        writer.finish()
    };
    write().expect("writing to memory does not fail")
}
