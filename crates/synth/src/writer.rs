//! Segments to files: pcap with nanoseconds, or pcapng.
//!
//! Reference: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng.

use std::io::{self, Write};
use std::net::SocketAddr;

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
    to: W,
    format: FileFormat,
    frame: Vec<u8>,
    written: u64,
}

impl<W: Write> Writer<W> {
    /// Writes the head of the file.
    pub fn new(mut to: W, format: FileFormat) -> io::Result<Self> {
        match format {
            FileFormat::Pcap => {
                to.write_all(&0xa1b2_3c4d_u32.to_le_bytes())?;
                to.write_all(&[2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0])?;
                to.write_all(&262_144_u32.to_le_bytes())?;
                to.write_all(&1_u32.to_le_bytes())?;
            }
            FileFormat::Pcapng => {
                let section = [0x1a2b_3c4d, 1, u32::MAX, u32::MAX];
                block(&mut to, 0x0a0d_0d0a, &words(&section))?;
                let mut interface = words(&[1, 262_144]);
                interface.extend([9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]);
                block(&mut to, 1, &interface)?;
            }
        }
        Ok(Writer {
            to,
            format,
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
        let length = bytes.len() as u32;
        let head = match self.format {
            FileFormat::Pcap => words(&[
                (at_ns / 1_000_000_000) as u32,
                (at_ns % 1_000_000_000) as u32,
                length,
                length,
            ]),
            FileFormat::Pcapng => {
                let total = 32 + length.next_multiple_of(4);
                let mut head = words(&[6, total, 0, (at_ns >> 32) as u32, at_ns as u32]);
                head.extend(words(&[length, length]));
                head
            }
        };
        self.to.write_all(&head)?;
        self.to.write_all(bytes)?;
        let mut size = head.len() as u64 + u64::from(length);
        if self.format == FileFormat::Pcapng {
            let padding = length.next_multiple_of(4) - length;
            self.to.write_all(&[0; 4][..padding as usize])?;
            let total = 32 + length + padding;
            self.to.write_all(&total.to_le_bytes())?;
            size = u64::from(total);
        }
        self.written += size;
        Ok(())
    }

    /// Bytes of packets written so far.
    pub fn written_bytes(&self) -> u64 {
        self.written
    }

    /// Flushes and returns the file back.
    pub fn finish(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
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

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

fn block(to: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let total = (12 + body.len()) as u32;
    to.write_all(&words(&[kind, total]))?;
    to.write_all(body)?;
    to.write_all(&total.to_le_bytes())
}

/// The time of the first packet of a made capture: 15 June 2018, a date of the
/// papers, so that files are the same every day.
pub(super) const EPOCH_NS: u64 = 1_529_020_800_000_000_000;
