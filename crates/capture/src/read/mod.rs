//! From a file to frames: big blocks, no copy a frame.
//!
//! A [`Reader`] fills a [`FrameBlock`] of about a megabyte and lists the frames in
//! it; the part of a record that the block's end cut is carried to the next.
//! Own code and not a library: libraries hand out one frame at a time after
//! a copy or an allocation, which alone costs more than the whole budget of
//! the analysis, 1.4 to 4.3 GB/s with every diagnosis on, against tcptrace's 0.5
//! to 1.3 (`cargo xtask bench capture`); and files are not mapped, because a mapped file that is cut
//! while it is read kills the process.
//! Reference: draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng.
//! Invariant: no record makes a block larger than [`MAX_RECORD_BYTES`] plus
//! one block; what cannot be read is a [`FileProblem`] with its offset.

mod compressed;
mod erf;
mod netmon;
mod pcap;
mod pcapng;
mod snoop;

use crate::{CaptureInfo, FileProblem, KeyLog, ReadError};
use std::io::{self, Read};

/// Splits a capture file into frames.
pub struct Reader<'a> {
    source: Box<dyn Read + Send + 'a>,
    format: FormatState,
    /// The unused rest of the last block.
    carry: Vec<u8>,
    /// Offset in the uncompressed file of the first byte of `carry`.
    offset: u64,
    packets: u64,
    end: bool,
    compressed: bool,
    info: CaptureInfo,
}

/// Frames and the bytes they are in.
#[derive(Default)]
pub struct FrameBlock {
    data: Vec<u8>,
    filled: usize,
    frames: Vec<Frame>,
    first_packet: u64,
}

/// One frame of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Time of capture, nanoseconds since 1970.
    pub time_ns: i64,
    /// Its start in the block.
    pub offset: u32,
    /// Bytes captured.
    pub captured: u32,
    /// Bytes it had on the wire, at least `captured`.
    pub wire: u32,
    /// Registered number of its link type.
    pub link: u16,
}

/// State of the format.
enum FormatState {
    Pcap(pcap::PcapHeader),
    Pcapng(pcapng::PcapngSection),
    Netmon(netmon::NetmonHeader),
    Snoop(snoop::SnoopHeader),
    Erf,
}

/// The result of parsing the available bytes.
enum ReadStep {
    /// A record of this many bytes, with a frame or without.
    Record(usize, Option<Frame>),
    /// The record needs this many bytes in all.
    Need(usize),
    /// Nothing sensible can follow.
    Stop(FileProblem),
}

impl<'a> Reader<'a> {
    /// Reads the head of `source` to detect its format.
    pub fn new(source: impl Read + Send + 'a) -> Result<Reader<'a>, ReadError> {
        let (mut source, compression) = compressed::open(Box::new(source))?;
        let mut head = vec![0; HEAD_BYTES];
        let (filled, error) = read_full(&mut source, &mut head);
        if let Some(error) = error {
            return Err(error.into());
        }
        head.truncate(filled);
        let (format, name, used) = if let Some((pcap, used)) = pcap::PcapHeader::open(&head)? {
            (FormatState::Pcap(pcap), "pcap", used)
        } else if let Some((netmon, used)) = netmon::NetmonHeader::open(&head)? {
            (FormatState::Netmon(netmon), "netmon", used)
        } else if let Some((snoop, used)) = snoop::SnoopHeader::open(&head)? {
            (FormatState::Snoop(snoop), "snoop", used)
        } else if pcapng::PcapngSection::recognise(&head) {
            (
                FormatState::Pcapng(pcapng::PcapngSection::default()),
                "pcapng",
                0,
            )
        } else if head.is_empty() {
            return Err(ReadError::Empty);
        } else if erf::recognise(&head) {
            (FormatState::Erf, "erf", 0)
        } else {
            let (found, fix) = in_words(&head);
            return Err(ReadError::UnknownFormat { found, fix });
        };
        let link = match &format {
            FormatState::Pcap(pcap) => Some(pcap.link),
            FormatState::Netmon(netmon) => Some(netmon.link),
            FormatState::Snoop(snoop) => Some(snoop.link),
            FormatState::Erf => Some(197),
            FormatState::Pcapng(_) => None,
        };
        let mut info = CaptureInfo {
            format: match compression {
                Some(compression) => format!("{name}, {compression}"),
                None => name.to_owned(),
            },
            ..CaptureInfo::default()
        };
        if let Some(link) = link {
            info.interfaces = 1;
            info.link_types.push(link);
        }
        Ok(Reader {
            source,
            format,
            offset: used as u64,
            carry: head.split_off(used),
            packets: 0,
            end: false,
            compressed: compression.is_some(),
            info,
        })
    }

    /// Fills `block` with the next frames; false at the end of the file.
    pub fn next_block(&mut self, block: &mut FrameBlock) -> Result<bool, ReadError> {
        block.frames.clear();
        block.first_packet = self.packets + 1;
        block.filled = self.carry.len();
        if block.data.len() < BLOCK_BYTES.max(block.filled) {
            block.data.resize(BLOCK_BYTES.max(block.filled), 0);
        }
        block.data[..block.filled].copy_from_slice(&self.carry);
        self.carry.clear();
        let mut used = 0;
        loop {
            let more = self.read_more(block)?;
            let need = self.split(block, &mut used);
            if !block.frames.is_empty() || self.end {
                break;
            }
            if !more {
                self.end = true;
                break;
            }
            // Not one whole record: the block grows to hold it.
            let wanted = (used + need).max(block.filled + 1);
            if block.data.len() < wanted {
                block.data.resize(wanted, 0);
            }
        }
        self.carry
            .extend_from_slice(&block.data[used..block.filled]);
        self.offset += used as u64;
        self.packets += block.frames.len() as u64;
        for frame in &block.frames {
            self.info.last_ns = self.info.last_ns.max(frame.time_ns);
            self.info.first_ns = match self.info.first_ns {
                0 => frame.time_ns,
                first => first.min(frame.time_ns),
            };
        }
        if self.end && !self.carry.is_empty() {
            let left = self.carry.len();
            self.problem(FileProblem {
                id: "file.truncated",
                offset: self.offset,
                text: format!(
                    "the file ends inside a record ({left} bytes are left over); the capture was \
                     cut while it was written, everything before was read"
                ),
            });
            self.carry.clear();
        }
        Ok(!block.frames.is_empty())
    }

    /// The data of the file read so far.
    pub fn info(&self) -> CaptureInfo {
        let mut info = self.info.clone();
        info.bytes = self.offset;
        info.packets = self.packets;
        if let FormatState::Pcapng(pcapng) = &self.format {
            info.interfaces = pcapng.interfaces_seen;
            info.link_types = pcapng.link_types.clone();
        }
        info
    }

    /// Fills the rest of the block. Returns `false` if the source has ended.
    fn read_more(&mut self, block: &mut FrameBlock) -> Result<bool, ReadError> {
        let room = &mut block.data[block.filled..];
        let (read, error) = read_full(&mut self.source, room);
        let full = read == room.len() && read > 0;
        block.filled += read;
        match error {
            None => Ok(full),
            Some(error) if self.compressed => {
                let offset = self.offset + block.filled as u64;
                self.problem(FileProblem {
                    id: "file.compression",
                    offset,
                    text: format!(
                        "the compressed data is damaged or cut ({error}); everything before was \
                         read; try `gzip -t` or `zstd -t`, and copy the file again"
                    ),
                });
                Ok(false)
            }
            Some(error) => Err(error.into()),
        }
    }

    /// Lists the records that are whole. Returns how many bytes the next needs.
    fn split(&mut self, block: &mut FrameBlock, used: &mut usize) -> usize {
        loop {
            let rest = &block.data[*used..block.filled];
            if rest.is_empty() {
                return 1;
            }
            let step = match &mut self.format {
                FormatState::Pcap(pcap) => pcap.step(rest),
                FormatState::Pcapng(pcapng) => pcapng.step(rest),
                FormatState::Netmon(netmon) => netmon.step(rest),
                FormatState::Snoop(snoop) => snoop.step(rest),
                FormatState::Erf => erf::step(rest),
            };
            match step {
                ReadStep::Record(bytes, frame) => {
                    match frame {
                        Some(mut frame) => {
                            frame.offset += *used as u32;
                            block.frames.push(frame);
                            self.times_problem(*used);
                        }
                        None => self.secrets_problem(*used),
                    }
                    *used += bytes;
                }
                ReadStep::Need(bytes) => return bytes,
                ReadStep::Stop(mut problem) => {
                    problem.offset = self.offset + *used as u64;
                    self.problem(problem);
                    // The rest cannot be split into records:
                    // leave it unread.
                    block.filled = *used;
                    self.end = true;
                    return 0;
                }
            }
        }
    }

    /// Secrets that the file carries go to `keys` from here on.
    pub(crate) fn keep_secrets(&mut self, keys: &KeyLog) {
        if let FormatState::Pcapng(pcapng) = &mut self.format {
            pcapng.keys = keys.clone();
        }
    }

    fn secrets_problem(&mut self, used: usize) {
        let FormatState::Pcapng(pcapng) = &mut self.format else {
            return;
        };
        if let Some(error) = pcapng.wrong_secrets.take() {
            self.problem(FileProblem {
                id: "file.secrets",
                offset: self.offset + used as u64,
                text: format!("the TLS secrets in the file are not read whole: {error}"),
            });
        }
    }

    fn times_problem(&mut self, used: usize) {
        let FormatState::Pcapng(pcapng) = &mut self.format else {
            return;
        };
        if let Some(times) = pcapng.wrong_times.take() {
            self.problem(FileProblem {
                id: "file.times",
                offset: self.offset + used as u64,
                text: times.text().to_owned(),
            });
        }
    }

    fn problem(&mut self, problem: FileProblem) {
        if self.info.problems.len() < MAX_PROBLEMS {
            self.info.problems.push(problem);
        }
    }
}

impl FrameBlock {
    /// The frames, in the order of the file.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// The frames with their numbers in the file, from 1.
    pub fn numbered(&self) -> impl Iterator<Item = (&Frame, u64)> {
        self.frames.iter().zip(self.first_packet..)
    }

    /// All bytes of the block.
    pub fn data(&self) -> &[u8] {
        &self.data[..self.filled]
    }

    /// The captured bytes of one frame.
    pub fn bytes(&self, frame: &Frame) -> &[u8] {
        &self.data[frame.offset as usize..][..frame.captured as usize]
    }

    /// Number in the file of the block's first frame, from 1.
    pub fn first_packet(&self) -> u64 {
        self.first_packet
    }
}

/// Reads until `buffer` is full, the source ends or fails. Returns how much was
/// read in any case.
fn read_full(source: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

/// The apparent format of the first bytes, for a message.
fn in_words(head: &[u8]) -> (String, &'static str) {
    let start = &head[..head.len().min(16)];
    let is = |magic: &[u8]| head.starts_with(magic);
    let text = (start.iter()).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace());
    let known = [
        (is(b"XCP\0"), "a NetXRay or Sniffer file", CONVERT),
        (is(b"TRSNIFF data"), "a Sniffer file", CONVERT),
        (
            is(b"\x7fver") || is(b"\x7fpkt"),
            "an EtherPeek file",
            CONVERT,
        ),
        (is(b"ObserverPktBuffe"), "an Observer file", CONVERT),
        (is(b"iptrace "), "an iptrace file of AIX", CONVERT),
        (
            is(b"PK\x03\x04"),
            "a zip archive",
            "unpack it and give the capture in it",
        ),
        (
            is(b"7z\xbc\xaf"),
            "a 7z archive",
            "unpack it and give the capture in it",
        ),
        (is(b"BZh"), "a bzip2 file", "unpack it with bunzip2"),
        (is(b"\xfd7zXZ"), "an xz file", "unpack it with unxz"),
        (
            is(b"\x7fELF") || is(b"MZ"),
            "a program",
            "give the file that a recorder wrote",
        ),
        (
            is(b"%PDF"),
            "a PDF document",
            "give the file that a recorder wrote",
        ),
        (
            is(b"version https://git-lfs"),
            "a pointer of git LFS",
            "fetch the file it stands for with `git lfs pull`",
        ),
        (
            is(b"<") || is(b"{") || is(b"["),
            "markup or JSON",
            "give the capture itself and not a dissector's export of it",
        ),
    ];
    if let Some((_, what, fix)) = known.into_iter().find(|(is, ..)| *is) {
        return (what.to_owned(), fix);
    }
    if text {
        (
            format!("text ({:?})", String::from_utf8_lossy(start)),
            "of texts only z/OS packet traces as IPCS formats them are read; a hex dump becomes a \
             capture with `text2pcap IN OUT`",
        )
    } else {
        (format!("a file that begins {start:02x?}"), CONVERT)
    }
}

/// The remedy for captures of other tools.
const CONVERT: &str = "convert it with `editcap -F pcapng IN OUT`, or give a pcap, pcapng, NetMon, snoop, ERF, .gz or .zst file";

/// A number of `bytes`, in the file's byte order.
fn u32_at(bytes: &[u8], at: usize, swapped: bool) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[at..at + 4]);
    if swapped {
        u32::from_be_bytes(word)
    } else {
        u32::from_le_bytes(word)
    }
}

/// A half word of `bytes`, in the file's byte order.
fn u16_at(bytes: &[u8], at: usize, swapped: bool) -> u16 {
    if swapped {
        u16::from_be_bytes([bytes[at], bytes[at + 1]])
    } else {
        u16::from_le_bytes([bytes[at], bytes[at + 1]])
    }
}

/// Longest record that is believed. Capture programs write at most 256 KiB a
/// frame; blocks of secrets or name tables may be longer.
pub const MAX_RECORD_BYTES: usize = 32 << 20;

/// Bytes read at one time: large enough that a system call costs nothing,
/// small enough to stay in the cache until its frames are analysed.
const BLOCK_BYTES: usize = 1 << 20;

/// Enough to recognise a format and read the header of a pcap file.
const HEAD_BYTES: usize = 128;

/// Problems listed; a damaged file repeats itself.
const MAX_PROBLEMS: usize = 100;
