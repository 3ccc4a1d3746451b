//! The block format: sections, interfaces, packets of three kinds.
//!
//! Every section has its own byte order and interfaces, every interface its own
//! link type, resolution and offset of time. TLS secrets go to the key log;
//! comments, names and statistics are skipped.

use super::{Frame, MAX_RECORD_BYTES, ReadStep, u16_at, u32_at};
use crate::{FileProblem, KeyLog, KeyLogError};

/// State of the current section.
#[derive(Default)]
pub(super) struct PcapngSection {
    swapped: bool,
    interfaces: Vec<SectionInterface>,
    /// Time of the last packet, for packets without one.
    last_ns: i64,
    /// Interfaces over all sections.
    pub(super) interfaces_seen: u32,
    /// Link types over all sections.
    pub(super) link_types: Vec<u16>,
    /// Receives the secrets in the file.
    pub(super) keys: KeyLog,
    /// The mistake in the last block of secrets.
    pub(super) wrong_secrets: Option<KeyLogError>,
    /// Errors of the packets' times, each to be reported once.
    pub(super) wrong_times: Option<WrongTimes>,
    reported_times: [bool; 2],
}

/// Times that say nothing.
#[derive(Clone, Copy)]
pub(super) enum WrongTimes {
    /// Simple packet blocks have none.
    None,
    /// Later than can be counted: the interface's resolution is not what wrote them.
    Beyond,
}

impl WrongTimes {
    pub(super) fn text(self) -> &'static str {
        match self {
            WrongTimes::None => {
                "packets have no time (simple packet blocks); each counts as sent with the one before, \
                 so nothing can be said of waits; record with times"
            }
            WrongTimes::Beyond => {
                "packets have times after the year 2116; the interface's if_tsresol or if_tsoffset is \
                 not what wrote them, and waits between them are not reported; set it right or convert \
                 the original again"
            }
        }
    }
}

/// One interface of a section.
#[derive(Clone, Copy)]
struct SectionInterface {
    link: u16,
    snap_bytes: u32,
    resolution: TimeResolution,
    offset_ns: i64,
}

/// The unit of an interface's time stamps.
#[derive(Clone, Copy)]
enum TimeResolution {
    /// This many nanoseconds.
    Times(u64),
    /// This many in a nanosecond.
    Parts(u64),
    /// Two to this power in a second.
    Binary(u32),
}

impl PcapngSection {
    /// Returns `true` if `head` begins a section.
    pub(super) fn recognise(head: &[u8]) -> bool {
        head.len() >= 12
            && u32_at(head, 0, false) == SECTION
            && [u32_at(head, 8, false), u32_at(head, 8, true)].contains(&BYTE_ORDER)
    }

    /// The next block of `rest`.
    #[inline]
    pub(super) fn step(&mut self, rest: &[u8]) -> ReadStep {
        if rest.len() < 12 {
            return ReadStep::Need(12);
        }
        let kind = u32_at(rest, 0, self.swapped);
        if kind == SECTION {
            // The same in both orders; the order follows.
            self.swapped = match u32_at(rest, 8, false) {
                BYTE_ORDER => false,
                _ if u32_at(rest, 8, true) == BYTE_ORDER => true,
                other => return corrupt(format!("a section has the byte order {other:08x}")),
            };
        }
        let total = u32_at(rest, 4, self.swapped) as usize;
        if total < 12 || !total.is_multiple_of(4) || total > MAX_RECORD_BYTES {
            return corrupt(format!("a block claims {total} bytes"));
        }
        if rest.len() < total {
            return ReadStep::Need(total);
        }
        let block = &rest[..total];
        let repeated = u32_at(block, total - 4, self.swapped) as usize;
        if repeated != total {
            return corrupt(format!(
                "a block has the length {total} at its start and {repeated} at its end"
            ));
        }
        let body = &block[8..total - 4];
        if kind == SECTION && total >= 28 && u16_at(block, 12, self.swapped) != VERSION {
            return ReadStep::Stop(FileProblem {
                id: "file.version",
                offset: 0,
                text: format!(
                    "version {} of the pcapng format is not supported ({VERSION} is); convert the file \
                     with `editcap -F pcapng IN OUT`",
                    u16_at(block, 12, self.swapped)
                ),
            });
        }
        let frame = match kind {
            ENHANCED => self.enhanced(body),
            SIMPLE => self.simple(body),
            OLD_PACKET => self.old_packet(body),
            SECTION => {
                self.interfaces.clear();
                None
            }
            INTERFACE => {
                self.interface(body);
                None
            }
            SECRETS => {
                self.secrets(body);
                None
            }
            _ => None,
        };
        match (kind, frame) {
            (ENHANCED | SIMPLE | OLD_PACKET, None) => {
                corrupt("a packet is outside its block or refers to an undefined interface".into())
            }
            (_, frame) => ReadStep::Record(total, frame),
        }
    }

    fn doubt_times(&mut self, wrong: WrongTimes) {
        let reported = &mut self.reported_times[wrong as usize];
        if !std::mem::replace(reported, true) {
            self.wrong_times = Some(wrong);
        }
    }

    fn enhanced(&mut self, body: &[u8]) -> Option<Frame> {
        if body.len() < 20 {
            return None;
        }
        let interface = *self
            .interfaces
            .get(u32_at(body, 0, self.swapped) as usize)?;
        self.timed(body, interface, 4)
    }

    fn old_packet(&mut self, body: &[u8]) -> Option<Frame> {
        if body.len() < 20 {
            return None;
        }
        let interface = *self
            .interfaces
            .get(u16_at(body, 0, self.swapped) as usize)?;
        self.timed(body, interface, 4)
    }

    /// Time, two lengths and data, from `at` on.
    fn timed(&mut self, body: &[u8], interface: SectionInterface, at: usize) -> Option<Frame> {
        let word = |index: usize| u32_at(body, at + index * 4, self.swapped);
        let stamp = (word(0) as u64) << 32 | word(1) as u64;
        let (captured, wire) = (word(2), word(3));
        if captured as usize > body.len() - at - 16 {
            return None;
        }
        let time_ns = (interface.resolution.ns(stamp))
            .saturating_add(interface.offset_ns)
            .clamp(0, MAX_TIME_NS);
        if time_ns == MAX_TIME_NS {
            self.doubt_times(WrongTimes::Beyond);
        }
        self.last_ns = time_ns;
        Some(Frame {
            time_ns,
            offset: (8 + at + 16) as u32,
            captured,
            wire: wire.max(captured),
            link: interface.link,
        })
    }

    fn simple(&mut self, body: &[u8]) -> Option<Frame> {
        if body.len() < 4 {
            return None;
        }
        let interface = *self.interfaces.first()?;
        let wire = u32_at(body, 0, self.swapped);
        let limit = match interface.snap_bytes {
            0 => u32::MAX,
            bytes => bytes,
        };
        let captured = wire.min(limit).min((body.len() - 4) as u32);
        self.doubt_times(WrongTimes::None);
        Some(Frame {
            time_ns: self.last_ns,
            offset: 12,
            captured,
            wire,
            link: interface.link,
        })
    }

    fn secrets(&mut self, body: &[u8]) {
        if body.len() < 8 || u32_at(body, 0, self.swapped) != TLS_KEY_LOG {
            return;
        }
        let length = u32_at(body, 4, self.swapped) as usize;
        let text = &body[8..][..length.min(body.len() - 8)];
        self.wrong_secrets = self.keys.add(&String::from_utf8_lossy(text)).err();
    }

    fn interface(&mut self, body: &[u8]) {
        if body.len() < 8 || self.interfaces.len() >= MAX_INTERFACES {
            return;
        }
        let mut interface = SectionInterface {
            link: u16_at(body, 0, self.swapped),
            snap_bytes: u32_at(body, 4, self.swapped),
            resolution: TimeResolution::Times(1_000),
            offset_ns: 0,
        };
        let mut rest = &body[8..];
        while rest.len() >= 4 {
            let (code, len) = (
                u16_at(rest, 0, self.swapped),
                u16_at(rest, 2, self.swapped) as usize,
            );
            let Some(value) = rest.get(4..4 + len) else {
                break;
            };
            match (code, len) {
                (0, _) => break,
                (9, 1) => interface.resolution = TimeResolution::of(value[0]),
                (14, 8) => {
                    let words = [
                        u32_at(value, 0, self.swapped),
                        u32_at(value, 4, self.swapped),
                    ];
                    let (low, high) = if self.swapped {
                        (words[1], words[0])
                    } else {
                        (words[0], words[1])
                    };
                    let seconds = ((high as u64) << 32 | low as u64) as i64;
                    interface.offset_ns = seconds.saturating_mul(1_000_000_000);
                }
                _ => {}
            }
            rest = rest.get(4 + len.next_multiple_of(4)..).unwrap_or_default();
        }
        self.interfaces.push(interface);
        self.interfaces_seen += 1;
        if !self.link_types.contains(&interface.link) {
            self.link_types.push(interface.link);
        }
    }
}

impl TimeResolution {
    /// From the option's byte: a power of ten, or of two with the high bit.
    fn of(byte: u8) -> TimeResolution {
        let power = (byte & 0x7f) as u32;
        if byte & 0x80 != 0 {
            TimeResolution::Binary(power.min(127))
        } else if power <= 9 {
            TimeResolution::Times(10u64.pow(9 - power))
        } else {
            TimeResolution::Parts(10u64.checked_pow(power - 9).unwrap_or(u64::MAX))
        }
    }

    #[inline]
    fn ns(self, stamp: u64) -> i64 {
        let ns = match self {
            TimeResolution::Times(times) => return clamp(stamp.saturating_mul(times)),
            TimeResolution::Parts(parts) => return clamp(stamp / parts),
            TimeResolution::Binary(power) => (stamp as u128 * 1_000_000_000) >> power,
        };
        clamp(ns.min(u64::MAX as u128) as u64)
    }
}

fn clamp(ns: u64) -> i64 {
    ns.min(MAX_TIME_NS as u64) as i64
}

fn corrupt(what: String) -> ReadStep {
    ReadStep::Stop(FileProblem {
        id: "file.corrupt",
        offset: 0,
        text: format!(
            "{what}; the file is damaged here, everything before was read; copy it again"
        ),
    })
}

const SECTION: u32 = 0x0a0d_0d0a;
const BYTE_ORDER: u32 = 0x1a2b_3c4d;
const VERSION: u16 = 1;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE: u32 = 3;
const ENHANCED: u32 = 6;
const SECRETS: u32 = 10;
/// The kind of secrets that is a TLS key log.
const TLS_KEY_LOG: u32 = 0x544c_534b;

/// Times beyond the year 2116 are all the same to this program; differences
/// of times are then always in range.
const MAX_TIME_NS: i64 = 1 << 62;

/// Interfaces of one section; no machine has more.
const MAX_INTERFACES: usize = 65_536;
