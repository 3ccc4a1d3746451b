//! Captures that tshark decodes: a pcapng file with every PIU, and the messages
//! or frames that carried them.
//!
//! tshark leaves the data of a DLSw INFOFRAME undissected, so each PIU is also
//! written on its own interface (link type 252, "exported PDU" for the `sna`
//! dissector). DLSw messages are written as the TCP segments they are, with their
//! real addresses and ports, on an interface of link type 1; Ethernet frames as
//! they are.
//!
//! Passwords in Attach headers are written as asterisks.
//!
//! Reference: tshark(1), the encapsulations "Exported PDU" and "Ethernet".

use base::pcapng::{CaptureInterface, PcapngWriter};
use std::fs::File;
use std::io::{self, BufWriter};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The interfaces of a trace.
const INTERFACES: [CaptureInterface<'_>; 2] = [interface("piu", 252), interface("link", 1)];
const PIU: u32 = 0;
const LINK: u32 = 1;

/// A capture that is being written.
pub struct CaptureWriter {
    out: PcapngWriter<BufWriter<File>>,
    /// It could not be written; this was logged.
    failed: bool,
}

/// A TCP connection of a trace: addresses, and the sequence number of each
/// direction.
#[derive(Debug, Clone)]
pub struct Flow {
    ends: [SocketAddr; 2],
    sequence: [u32; 2],
}

/// The direction of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceDirection {
    /// This node sent it.
    Out,
    /// This node received it.
    In,
}

impl Flow {
    /// A connection that begins here.
    pub fn new(local: SocketAddr, peer: SocketAddr) -> Flow {
        Flow {
            ends: [local, peer],
            sequence: [1, 1],
        }
    }
}

impl CaptureWriter {
    /// Creates the file.
    pub fn create(path: &Path) -> io::Result<CaptureWriter> {
        let file = BufWriter::new(File::create(path)?);
        let mut out = PcapngWriter::new(file, &INTERFACES)?;
        out.flush()?;
        Ok(CaptureWriter { out, failed: false })
    }

    /// Writes a PIU: TH, RH and RU.
    pub fn piu(&mut self, piu: &[u8]) -> io::Result<()> {
        let mut packet = vec![0, 12, 0, 4];
        packet.extend(b"sna\0");
        packet.extend([0, 0, 0, 0]);
        let start = packet.len();
        packet.extend_from_slice(piu);
        hide_password(&mut packet[start..]);
        self.packet(PIU, &packet)
    }

    /// Writes a DLSw message as the segment of its connection; a PIU in it, when
    /// it begins at `piu_at`, is masked like one of its own.
    pub fn segment(
        &mut self,
        flow: &mut Flow,
        way: TraceDirection,
        message: &[u8],
        piu_at: usize,
    ) -> io::Result<()> {
        let (from, to) = match way {
            TraceDirection::Out => (0, 1),
            TraceDirection::In => (1, 0),
        };
        let mut packet = ip_tcp_headers(flow, from, to, message.len());
        let start = packet.len();
        packet.extend_from_slice(message);
        if piu_at < message.len() {
            hide_password(&mut packet[start + piu_at..]);
        }
        flow.sequence[from] = flow.sequence[from].wrapping_add(message.len() as u32);
        self.packet(LINK, &packet)
    }

    /// Writes an Ethernet frame whose PDU's information field begins at `piu_at`.
    pub fn frame(&mut self, frame: &[u8], piu_at: Option<usize>) -> io::Result<()> {
        let mut packet = frame.to_vec();
        if let Some(piu) = piu_at.and_then(|at| packet.get_mut(at..)) {
            hide_password(piu);
        }
        self.packet(LINK, &packet)
    }

    /// Lets `write` add to it. The first failure is logged and ends the trace:
    /// packets after a gap would mislead.
    pub fn add(&mut self, write: impl FnOnce(&mut CaptureWriter) -> io::Result<()>) {
        if !self.failed
            && let Err(error) = write(self)
        {
            self.failed = true;
            tracing::warn!("the trace cannot be written and is stopped: {error}");
        }
    }

    /// Hands everything written to the system.
    pub fn flush(&mut self) {
        self.add(|trace| trace.out.flush());
    }

    fn packet(&mut self, interface: u32, data: &[u8]) -> io::Result<()> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let time_ns = now.as_nanos() as u64;
        self.out.packet(interface, time_ns, data.len(), data)?;
        Ok(())
    }
}

const fn interface(name: &str, link_type: u16) -> CaptureInterface<'_> {
    CaptureInterface {
        name,
        link_type,
        // No packet is longer than this.
        snap_bytes: 262_144,
    }
}

/// Ethernet, IP and TCP headers, with the addresses that the connection has.
fn ip_tcp_headers(flow: &Flow, from: usize, to: usize, bytes: usize) -> Vec<u8> {
    let station = |at: usize| [2, 0, 0, 0, 0, at as u8 + 1];
    let tcp_bytes = (20 + bytes).min(0xFFFF - 20) as u16;
    let mut out = [station(to), station(from)].concat();
    let address = |at: usize| flow.ends[at].ip().to_canonical();
    match (address(from), address(to)) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            out.extend([8, 0]);
            let ip = out.len();
            out.extend([0x45, 0]);
            out.extend((20 + tcp_bytes).to_be_bytes());
            out.extend([0, 1, 0x40, 0, 64, 6, 0, 0]);
            out.extend(source.octets());
            out.extend(destination.octets());
            let sum = checksum(&out[ip..]);
            out[ip + 10..ip + 12].copy_from_slice(&sum.to_be_bytes());
        }
        (source, destination) => {
            out.extend([0x86, 0xDD, 0x60, 0, 0, 0]);
            out.extend(tcp_bytes.to_be_bytes());
            out.extend([6, 64]);
            out.extend(six(source).octets());
            out.extend(six(destination).octets());
        }
    }
    out.extend(flow.ends[from].port().to_be_bytes());
    out.extend(flow.ends[to].port().to_be_bytes());
    out.extend(flow.sequence[from].to_be_bytes());
    out.extend(flow.sequence[to].to_be_bytes());
    out.extend([0x50, 0x18, 0xFF, 0xFF, 0, 0, 0, 0]);
    out
}

fn six(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    }
}

fn checksum(bytes: &[u8]) -> u16 {
    let sum: u32 = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | pair.get(1).map_or(0, |low| u32::from(*low)))
        .sum();
    let folded = (sum & 0xFFFF) + (sum >> 16);
    !((folded & 0xFFFF) + (folded >> 16)) as u16
}

/// Writes asterisks over the password of an Attach that `piu` begins with.
fn hide_password(piu: &mut [u8]) {
    const REQUEST_MASK: u8 = 0xE8;
    const FMD_WITH_HEADER: u8 = 0x08;
    let first_or_whole = piu.first().is_some_and(|th| th & 0x08 != 0);
    let attach = first_or_whole
        && piu
            .get(6)
            .is_some_and(|rh| rh & REQUEST_MASK == FMD_WITH_HEADER)
        && piu.get(10) == Some(&5);
    if !attach {
        return;
    }
    let Some(ru) = piu.get_mut(9..) else { return };
    let skip = |ru: &[u8], at: usize| ru.get(at).map(|length| at + 1 + usize::from(*length));
    let security = skip(ru, 5).and_then(|name| skip(ru, name));
    let Some(start) = security else { return };
    let end = skip(ru, start).unwrap_or(start).min(ru.len());
    let mut at = start + 1;
    while at + 1 < end {
        let next = (at + 1 + usize::from(ru[at])).min(end);
        if ru[at + 1] == 0x01 && next > at + 2 {
            ru[at + 2..next].fill(0x5C);
        }
        at = next.max(at + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_password_in_an_attach_is_written_as_asterisks() {
        let mut piu = vec![0x2C, 0, 1, 2, 0, 1, 0x0B, 0x91, 0x80];
        // FMH-5: fixed part, TPN "X", security subfields password and user.
        piu.extend([22, 5, 2, 0xFF, 0, 3, 0xD1, 0, 0x40, 1, 0xE7]);
        piu.extend([10, 4, 1, 0xD7, 0xE6, 0xC4, 4, 2, 0xE4, 0xE2, 0xD9]);
        let before = piu.clone();
        hide_password(&mut piu);
        let changed: Vec<usize> = (0..piu.len()).filter(|&at| piu[at] != before[at]).collect();
        assert_eq!(changed, [23, 24, 25]);
        assert_eq!(piu[23..26], [0x5C; 3]);
    }

    proptest! {
        #[test]
        fn no_piu_makes_the_mask_panic(mut piu in prop::collection::vec(any::<u8>(), 0..60)) {
            if piu.len() > 10 {
                (piu[0], piu[6], piu[10]) = (0x2C, 0x0B, 5);
            }
            hide_password(&mut piu);
        }
    }
}
