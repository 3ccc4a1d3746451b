//! Large captures in little time: a few conversations are played once and
//! written many times, with addresses and start times of their own.
//!
//! Memory contains one copy of each played conversation and a position in it for
//! every open connection, so the size of the file does not matter.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use super::conversation::simulate;
use super::frame::Segment;
use super::model::{Conversation, DelayedAck, Exchange};
use super::writer::{FileFormat, Writer};
use base::SeededRandom;

/// The kind of large capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BulkKind {
    /// Many short connections, a thousand at a time.
    ManyFlows,
    /// Eight connections with long responses.
    FewFlows,
    /// Two hundred connections over a path that loses one segment in two hundred.
    Lossy,
}

/// Writes at least `bytes` of packets; returns the number of bytes and packets.
pub fn bulk(kind: BulkKind, bytes: u64, seed: u64, to: impl Write) -> io::Result<(u64, u64)> {
    let played: Vec<_> = (0..TEMPLATES)
        .map(|n| simulate(&template(kind, seed + n)))
        .collect();
    let open = match kind {
        BulkKind::ManyFlows => 1000,
        BulkKind::FewFlows => 8,
        BulkKind::Lossy => 200,
    };
    let mut rng = SeededRandom::new(seed);
    let mut writer = Writer::new(to, FileFormat::Pcap)?;
    let mut places: Vec<BulkConnection> = Vec::new();
    let mut queue = BinaryHeap::new();
    let mut packets = 0;
    let mut flows = 0;
    for slot in 0..open {
        places.push(BulkConnection::new(
            &mut flows,
            rng.below(200_000_000),
            &mut rng,
        ));
        queue.push(Reverse((places[slot].base_ns, slot)));
    }
    while let Some(Reverse((now, slot))) = queue.pop() {
        let place = &mut places[slot];
        let (segments, streams) = &played[place.template];
        let mut segment: Segment = segments[place.next].clone();
        segment.at_ns = now;
        let stream = &streams[segment.from.index()];
        let payload = &stream[segment.offset as usize..(segment.offset + segment.len) as usize];
        writer.segment(&segment, [place.client, place.server], payload)?;
        packets += 1;
        place.next += 1;
        let next = match segments.get(place.next) {
            Some(next) => place.base_ns + next.at_ns,
            None if writer.written_bytes() >= bytes => continue,
            None => {
                *place = BulkConnection::new(&mut flows, now + rng.below(20_000_000), &mut rng);
                place.base_ns
            }
        };
        queue.push(Reverse((next.max(now), slot)));
    }
    let written = writer.written_bytes();
    writer.finish()?;
    Ok((written, packets))
}

struct BulkConnection {
    template: usize,
    next: usize,
    base_ns: u64,
    client: SocketAddr,
    server: SocketAddr,
}

impl BulkConnection {
    fn new(flows: &mut u32, base_ns: u64, rng: &mut SeededRandom) -> BulkConnection {
        let n = *flows;
        *flows += 1;
        let host = n / 28_000;
        let client = Ipv4Addr::new(10, 1, (host >> 8) as u8, host as u8);
        BulkConnection {
            template: rng.below(TEMPLATES) as usize,
            next: 0,
            base_ns,
            client: SocketAddr::new(IpAddr::V4(client), (32_768 + n % 28_000) as u16),
            server: SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 2, 0, 1)), 8080),
        }
    }
}

fn template(kind: BulkKind, seed: u64) -> Conversation {
    let mut rng = SeededRandom::new(seed);
    let mut conversation = Conversation {
        seed,
        close: super::model::CloseStyle::Client,
        ..Conversation::default()
    };
    let (exchanges, longest) = match kind {
        BulkKind::ManyFlows => (1 + rng.below(8), 8_000),
        BulkKind::FewFlows => (20, 400_000),
        BulkKind::Lossy => (10, 80_000),
    };
    for _ in 0..exchanges {
        let mut exchange = Exchange::new(
            200 + rng.below(400) as u32,
            200 + rng.below(3_000),
            (longest / 4 + rng.below(longest)) as u32,
        );
        exchange.client_think_us = rng.below(5_000);
        conversation.exchanges.push(exchange);
    }
    for end in &mut conversation.ends {
        end.delayed_ack = DelayedAck::FixedUs(40_000);
    }
    if kind == BulkKind::Lossy {
        conversation.path.loss_one_in = 200;
        conversation.path.one_way_us = 5_000;
    }
    conversation
}

/// Conversations played for one file.
const TEMPLATES: u64 = 24;
