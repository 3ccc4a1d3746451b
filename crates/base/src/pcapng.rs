//! A writer of pcapng files: packets of several interfaces, times in nanoseconds.
//!
//! Reference: draft-ietf-opsawg-pcapng, blocks SHB, IDB, EPB and ISB.

use std::io::{self, Write};

/// An interface whose packets are written.
#[derive(Debug, Clone, Copy)]
pub struct CaptureInterface<'a> {
    /// Its name; empty without one.
    pub name: &'a str,
    /// The registered number of the frames' kind, such as 1 for Ethernet.
    pub link_type: u16,
    /// The most bytes that are kept of a packet.
    pub snap_bytes: u32,
}

/// Writes packets in the order of their times.
#[derive(Debug)]
pub struct PcapngWriter<W> {
    to: W,
    block: Vec<u8>,
}

impl<W: Write> PcapngWriter<W> {
    /// Writes the head. Packets name an interface by its index in this list.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(to: W, interfaces: &[CaptureInterface<'_>]) -> io::Result<Self> {
        let mut writer = PcapngWriter {
            to,
            block: Vec::new(),
        };
        writer.words(&[BYTE_ORDER, 1, u32::MAX, u32::MAX]);
        writer.option(USER_APPLICATION, b"tupelo");
        writer.end_options();
        writer.write_block(SECTION)?;
        for interface in interfaces {
            writer.words(&[u32::from(interface.link_type), interface.snap_bytes]);
            if !interface.name.is_empty() {
                writer.option(INTERFACE_NAME, interface.name.as_bytes());
            }
            writer.option(TIME_RESOLUTION, &[9]);
            writer.end_options();
            writer.write_block(INTERFACE)?;
        }
        Ok(writer)
    }

    /// Writes one packet: its interface, its time (ns since 1970), its length on the
    /// wire, and its captured bytes. Returns the bytes that it takes in the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn packet(
        &mut self,
        interface: u32,
        time_ns: u64,
        wire_bytes: usize,
        bytes: &[u8],
    ) -> io::Result<u64> {
        self.interface_and_time(interface, time_ns);
        self.words(&[bytes.len() as u32, wire_bytes as u32]);
        self.block.extend(bytes);
        self.pad();
        self.write_block(PACKET)
    }

    /// Writes how many packets of an interface were seen and how many were missed.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn statistics(
        &mut self,
        interface: u32,
        time_ns: u64,
        seen: u64,
        dropped: u64,
    ) -> io::Result<()> {
        self.interface_and_time(interface, time_ns);
        self.option(PACKETS_SEEN, &seen.to_le_bytes());
        self.option(PACKETS_DROPPED, &dropped.to_le_bytes());
        self.end_options();
        self.write_block(STATISTICS).map(drop)
    }

    /// Passes everything written on.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }

    /// Flushes, and gives the file back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.flush()?;
        Ok(self.to)
    }

    fn words(&mut self, words: &[u32]) {
        self.block
            .extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    /// The time has its high half first.
    fn interface_and_time(&mut self, interface: u32, time_ns: u64) {
        self.words(&[interface, (time_ns >> 32) as u32, time_ns as u32]);
    }

    fn option(&mut self, code: u16, value: &[u8]) {
        self.block.extend(code.to_le_bytes());
        self.block.extend((value.len() as u16).to_le_bytes());
        self.block.extend(value);
        self.pad();
    }

    fn end_options(&mut self) {
        self.words(&[0]);
    }

    fn pad(&mut self) {
        self.block.resize(self.block.len().next_multiple_of(4), 0);
    }

    /// Writes the block with its length before and after it, and empties it.
    fn write_block(&mut self, kind: u32) -> io::Result<u64> {
        let total = (12 + self.block.len()) as u32;
        self.to.write_all(&kind.to_le_bytes())?;
        self.to.write_all(&total.to_le_bytes())?;
        self.to.write_all(&self.block)?;
        self.to.write_all(&total.to_le_bytes())?;
        self.block.clear();
        Ok(u64::from(total))
    }
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
        let interface = |name| CaptureInterface {
            name,
            link_type: 1,
            snap_bytes: 96,
        };
        let interfaces = [interface("eth0"), interface("")];
        let mut writer = PcapngWriter::new(Vec::new(), &interfaces).unwrap();
        let bytes = writer.packet(1, 1_700_000_000_123_456_789, 1500, &[1, 2, 3]);
        assert_eq!(bytes.unwrap(), 36);
        writer.statistics(0, 5, 1, 0).unwrap();
        let file = writer.finish().unwrap();
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
                assert_eq!((word(at + 8), word(at + 20), word(at + 24)), (1, 3, 1500));
            }
            at += total;
        }
        assert_eq!(kinds, [SECTION, INTERFACE, INTERFACE, PACKET, STATISTICS]);
    }
}
