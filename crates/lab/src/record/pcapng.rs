//! pcapng files with one interface.
//!
//! Reference: draft-ietf-opsawg-pcapng, blocks SHB, IDB, EPB and ISB.

use std::io::{self, Write};

/// Writes packets of one interface, times in nanoseconds.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    to: W,
    block: Vec<u8>,
}

impl<W: Write> PcapngWriter<W> {
    /// Writes the head. `link_type` is the registered number of the frames'
    /// kind, `snap_bytes` the most that is kept of one.
    pub fn new(mut to: W, interface: &str, link_type: u16, snap_bytes: u32) -> io::Result<Self> {
        let mut section = Vec::new();
        section.extend(BYTE_ORDER.to_le_bytes());
        section.extend([1, 0, 0, 0]);
        section.extend(u64::MAX.to_le_bytes());
        option(&mut section, USER_APPLICATION, b"tupelo");
        end_options(&mut section);
        block(&mut to, SECTION, &section)?;
        let mut description = Vec::new();
        description.extend(link_type.to_le_bytes());
        description.extend([0, 0]);
        description.extend(snap_bytes.to_le_bytes());
        option(&mut description, INTERFACE_NAME, interface.as_bytes());
        option(&mut description, TIME_RESOLUTION, &[9]);
        end_options(&mut description);
        block(&mut to, INTERFACE, &description)?;
        Ok(PcapngWriter {
            to,
            block: Vec::new(),
        })
    }

    /// Writes one packet: its time (ns since 1970), its length on the wire, and
    /// its captured bytes.
    pub fn packet(&mut self, time_ns: u64, wire_bytes: usize, bytes: &[u8]) -> io::Result<()> {
        self.block.clear();
        self.block.extend(0u32.to_le_bytes());
        time(&mut self.block, time_ns);
        self.block.extend((bytes.len() as u32).to_le_bytes());
        self.block.extend((wire_bytes as u32).to_le_bytes());
        self.block.extend(bytes);
        pad(&mut self.block);
        block(&mut self.to, PACKET, &self.block)
    }

    /// Writes how many packets were seen and how many were missed, flushes,
    /// and returns the file.
    pub fn finish(mut self, time_ns: u64, seen: u64, dropped: u64) -> io::Result<W> {
        let mut statistics = Vec::new();
        statistics.extend(0u32.to_le_bytes());
        time(&mut statistics, time_ns);
        option(&mut statistics, PACKETS_SEEN, &seen.to_le_bytes());
        option(&mut statistics, PACKETS_DROPPED, &dropped.to_le_bytes());
        end_options(&mut statistics);
        block(&mut self.to, STATISTICS, &statistics)?;
        self.to.flush()?;
        Ok(self.to)
    }
}

fn block(to: &mut impl Write, kind: u32, body: &[u8]) -> io::Result<()> {
    let total = (12 + body.len()) as u32;
    to.write_all(&kind.to_le_bytes())?;
    to.write_all(&total.to_le_bytes())?;
    to.write_all(body)?;
    to.write_all(&total.to_le_bytes())
}

/// A time, its high half first.
fn time(block: &mut Vec<u8>, time_ns: u64) {
    block.extend(((time_ns >> 32) as u32).to_le_bytes());
    block.extend((time_ns as u32).to_le_bytes());
}

fn option(block: &mut Vec<u8>, code: u16, value: &[u8]) {
    block.extend(code.to_le_bytes());
    block.extend((value.len() as u16).to_le_bytes());
    block.extend(value);
    pad(block);
}

fn end_options(block: &mut Vec<u8>) {
    block.extend([0; 4]);
}

fn pad(block: &mut Vec<u8>) {
    block.resize(block.len().next_multiple_of(4), 0);
}

const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const STATISTICS: u32 = 5;
const PACKET: u32 = 6;
const INTERFACE_NAME: u16 = 2;
const USER_APPLICATION: u16 = 4;
const PACKETS_SEEN: u16 = 4;
const PACKETS_DROPPED: u16 = 5;
const TIME_RESOLUTION: u16 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_framed_by_its_length() {
        let mut writer = PcapngWriter::new(Vec::new(), "eth0", 1, 96).unwrap();
        writer
            .packet(1_700_000_000_123_456_789, 1500, &[1, 2, 3])
            .unwrap();
        let file = writer.finish(5, 1, 0).unwrap();
        let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
        let (mut at, mut kinds) = (0, Vec::new());
        while at < file.len() {
            let total = word(at + 4) as usize;
            assert_eq!(total % 4, 0);
            assert_eq!(word(at + total - 4) as usize, total);
            kinds.push(word(at));
            if word(at) == PACKET {
                let time = (u64::from(word(at + 12)) << 32) | u64::from(word(at + 16));
                assert_eq!(time, 1_700_000_000_123_456_789);
                assert_eq!((word(at + 20), word(at + 24)), (3, 1500));
            }
            at += total;
        }
        assert_eq!(kinds, [SECTION, INTERFACE, PACKET, STATISTICS]);
    }
}
