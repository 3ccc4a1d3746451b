//! From frames to the explanation: shards, threads, and the final sum.
//!
//! Connections are spread over a fixed number of [`ConnectionShard`]s by a hash of
//! their two ends; a thread owns some of the shards. Everything that depends
//! on order or on limits happens inside a shard, in the order of the file, so
//! the result does not depend on the number of threads. Connections of DLSw
//! between the same two hosts share a shard, because two may be one link.

mod exchanges;
mod flow;
mod link;
mod pairs;
mod parallel;
mod place;
mod shard;
mod split;
mod sum;
mod walk;
mod worst;

use crate::decode::{self, Packet, SkipReason};
use crate::lookups::LookupLog;
use crate::read::{Frame, FrameBlock, Reader};
use crate::{AnalysisOptions, CaptureExplanation, CaptureTotals, FileProblem, ReadError, TcpFlags};
use place::ConnectionPlaces;
use shard::ConnectionShard;
use std::io::Read;

/// Explains the capture that `source` gives.
pub(crate) fn run(
    source: impl Read + Send,
    options: &AnalysisOptions,
) -> Result<CaptureExplanation, ReadError> {
    let mut reader = Reader::new(source)?;
    reader.keep_secrets(&options.key_log);
    let mut front = FrameIntake::new(options);
    let shards = match options.threads {
        0 | 1 => alone(&mut reader, &mut front)?,
        threads => parallel::run(&mut reader, &mut front, threads.min(SHARDS))?,
    };
    let mut info = reader.info();
    info.problems.extend(front.problem());
    Ok(sum::explanation(
        info,
        front.totals,
        shards,
        front.lookups,
        options,
    ))
}

/// Reads, decodes and analyses in one thread.
fn alone(
    reader: &mut Reader<'_>,
    front: &mut FrameIntake<'_>,
) -> Result<Vec<ConnectionShard>, ReadError> {
    let mut shards: Vec<ConnectionShard> = (0..SHARDS)
        .map(|_| ConnectionShard::new(front.options))
        .collect();
    let mut block = FrameBlock::default();
    while reader.next_block(&mut block)? {
        let data = block.data();
        for (frame, number) in block.numbered() {
            if let Some(mut packet) = front.decode(frame, block.bytes(frame), number) {
                let payload = payload(data, &packet);
                let from = front.places.place(&mut packet, payload);
                if let Some(flow) = from.and_then(|from| shards[from].give(packet.key)) {
                    shards[usize::from(packet.shard)].take(flow, front.options);
                }
                let shard = &mut shards[usize::from(packet.shard)];
                shard.handle_packet(&packet, payload, front.options);
            }
        }
    }
    Ok(shards)
}

/// The processing of every frame before it reaches a shard: filters, decoding,
/// counts.
struct FrameIntake<'a> {
    options: &'a AnalysisOptions,
    totals: CaptureTotals,
    /// An unsupported link type, and the number of its frames.
    unknown_link: Option<(u16, u64)>,
    places: ConnectionPlaces,
    lookups: LookupLog,
}

impl<'a> FrameIntake<'a> {
    fn new(options: &'a AnalysisOptions) -> FrameIntake<'a> {
        FrameIntake {
            options,
            totals: CaptureTotals::default(),
            unknown_link: None,
            places: ConnectionPlaces::new(options),
            lookups: LookupLog::default(),
        }
    }

    /// The segment in a frame, if there is one and it is wanted.
    #[inline]
    fn decode(&mut self, frame: &Frame, bytes: &[u8], number: u64) -> Option<Packet> {
        let options = self.options;
        if options.from_ns.is_some_and(|from| frame.time_ns < from)
            || options.to_ns.is_some_and(|to| frame.time_ns > to)
        {
            return None;
        }
        self.totals.cut_frames += (frame.captured < frame.wire) as u64;
        match decode::decode(frame, bytes, number) {
            Ok(decoded) => {
                let packet = decoded.packet;
                self.totals.fragments += decoded.fragment as u64;
                if !options.filter.is_empty()
                    && !options.filter.matches(packet.key.end(0), packet.key.end(1))
                {
                    return None;
                }
                if packet.flags.0 & (TcpFlags::SYN | TcpFlags::ACK) == TcpFlags::SYN {
                    let client = packet.key.addresses[usize::from(!packet.forward)];
                    self.lookups.handle_open(client, frame.time_ns);
                }
                Some(packet)
            }
            Err(skip) => {
                match skip {
                    SkipReason::Other => {
                        self.totals.other_frames += 1;
                        if let Some(datagram) = decode::side_datagram(frame, bytes) {
                            self.lookups.handle(&datagram, frame.time_ns, number);
                        }
                    }
                    SkipReason::StationSearch => {
                        self.totals.other_frames += 1;
                        self.totals.search_frames += 1;
                    }
                    SkipReason::OtherLlc => {
                        self.totals.other_frames += 1;
                        self.totals.llc_frames += 1;
                    }
                    SkipReason::Undecodable => self.totals.undecodable_frames += 1,
                    SkipReason::Fragment => self.totals.fragments += 1,
                    SkipReason::UnknownLink => {
                        self.totals.undecodable_frames += 1;
                        self.unknown_link.get_or_insert((frame.link, 0)).1 += 1;
                    }
                }
                None
            }
        }
    }

    fn problem(&self) -> Option<FileProblem> {
        let (link, frames) = self.unknown_link?;
        Some(FileProblem {
            id: "file.link-type",
            offset: 0,
            text: format!(
                "{frames} frames have an unsupported link type (the first: {link}{}); \
                 record on an Ethernet, `any` or loopback interface, or convert with editcap -T",
                decode::unread_name(link).map_or(String::new(), |name| format!(", {name}"))
            ),
        })
    }
}

/// The captured payload of a segment.
#[inline]
fn payload<'a>(data: &'a [u8], packet: &Packet) -> &'a [u8] {
    let start = packet.payload_offset as usize;
    data.get(start..start + packet.payload_captured as usize)
        .unwrap_or_default()
}

/// Number of shards, for any number of threads; also the maximum useful number of
/// threads.
const SHARDS: usize = 16;
