//! Segments to files: pcap with nanoseconds, or pcapng.
//!
//! Reference: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.

use std::io::{self, Write};
use std::net::SocketAddr;

use base::pcapng::{CaptureInterface, PcapngWriter};

use super::conversation::simulate;
use super::frame;
use super::model::Conversation;

/// The file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileFormat {
    /// Classic pcap with nanosecond times.
    Pcap,
    /// pcapng with one Ethernet interface and nanosecond times.
    Pcapng,
}

/// Writes packets in sequence.
#[derive(Debug)]
pub struct Writer<W> {
    file: CaptureFile<W>,
    frame: Vec<u8>,
    written: u64,
}

#[derive(Debug)]
enum CaptureFile<W> {
    Pcap(W),
    Pcapng(PcapngWriter<W>),
}

impl<W: Write> Writer<W> {
    /// Writes the head of the file.
    pub fn new(mut to: W, format: FileFormat) -> io::Result<Self> {
        let file = match format {
            FileFormat::Pcap => {
                to.write_all(&0xa1b2_3c4d_u32.to_le_bytes())?;
                to.write_all(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
                to.write_all(&262_144_u32.to_le_bytes())?;
                to.write_all(&1_u32.to_le_bytes())?;
                CaptureFile::Pcap(to)
            }
            FileFormat::Pcapng => {
                let ethernet = CaptureInterface {
                    name: "",
                    link_type: 1,
                    snap_bytes: 262_144,
                };
                CaptureFile::Pcapng(PcapngWriter::new(to, &[ethernet])?)
            }
        };
        Ok(Writer {
            file,
            frame: Vec::new(),
            written: 0,
        })
    }

    /// Writes one segment with its payload.
    pub fn segment(
        &mut self,
        segment: &frame::Segment,
        ends: [SocketAddr; 2],
        payload: &[u8],
    ) -> io::Result<()> {
        let mut bytes = std::mem::take(&mut self.frame);
        frame::emit(segment, ends, payload, &mut bytes);
        let done = self.frame(EPOCH_NS + segment.at_ns, &bytes);
        self.frame = bytes;
        done
    }

    /// Writes one frame with its time in nanoseconds since 1970.
    pub fn frame(&mut self, at_ns: u64, bytes: &[u8]) -> io::Result<()> {
        self.written += match &mut self.file {
            CaptureFile::Pcap(to) => {
                let length = bytes.len() as u32;
                let (seconds, rest_ns) = (at_ns / 1_000_000_000, at_ns % 1_000_000_000);
                let head = [seconds as u32, rest_ns as u32, length, length];
                to.write_all(&head.map(u32::to_le_bytes).concat())?;
                to.write_all(bytes)?;
                16 + u64::from(length)
            }
            CaptureFile::Pcapng(to) => to.packet(0, at_ns, bytes.len(), bytes)?,
        };
        Ok(())
    }

    /// Bytes of packets written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written
    }

    /// Flushes and returns the file back.
    pub fn finish(self) -> io::Result<W> {
        match self.file {
            CaptureFile::Pcap(mut to) => {
                to.flush()?;
                Ok(to)
            }
            CaptureFile::Pcapng(to) => to.finish(),
        }
    }
}

/// The capture of several conversations, in the order of time.
pub fn capture_file(conversations: &[Conversation], format: FileFormat) -> Vec<u8> {
    let mut all = Vec::new();
    for conversation in conversations {
        let (segments, streams) = simulate(conversation);
        all.push((conversation, segments, streams));
    }
    let mut order: Vec<(u64, usize, usize)> = all
        .iter()
        .enumerate()
        .flat_map(|(c, (_, segments, _))| {
            segments
                .iter()
                .enumerate()
                .map(move |(s, segment)| (segment.at_ns, c, s))
        })
        .collect();
    order.sort_unstable();
    let write = || -> io::Result<Vec<u8>> {
        let mut writer = Writer::new(Vec::new(), format)?;
        for (_, c, s) in order {
            let (conversation, segments, streams) = &all[c];
            let segment = &segments[s];
            let stream = &streams[segment.from.index()];
            let payload = &stream[segment.offset as usize..(segment.offset + segment.len) as usize];
            writer.segment(segment, [conversation.client, conversation.server], payload)?;
        }
        writer.finish()
    };
    write().expect("writing to memory does not fail")
}

/// The time of the first packet of a made capture: 15 June 2018, a date of the
/// papers, so that files are the same every day.
pub(super) const EPOCH_NS: u64 = 1_529_020_800_000_000_000;
