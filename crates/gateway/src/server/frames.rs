//! Counts an HTTP/2 client's frames other than requests.
//!
//! A PING, a SETTINGS or a reset costs its sender nine bytes and the server an answer.
//! The protocol library limits their memory, not their number. This module
//! reads the frame headers as they pass, and reports when there are too many.
//!
//! Reference: RFC 9113, sections 3.4, 4.1, 6 and 10.5.

/// The first bytes of an HTTP/2 connection.
const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// Frames that a client may send at once beyond the usual number.
const BURST: u32 = 1_000;
/// Further frames that it may send in each tick, for ever.
const A_TICK: u32 = 50;
/// Bytes of answers for which a client may send one frame, such as a
/// WINDOW_UPDATE.
const BYTES_A_FRAME: u32 = 1_024;
/// Frames that belong to a request: a priority, a window.
const A_REQUEST: u32 = 2;
/// The cost of a reset; it repays a request's allowance and more.
const A_RESET: u32 = 3;

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;

/// The protocol of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WireProtocol {
    /// Too little was read.
    Unknown,
    Http1,
    Http2,
}

/// Looks at the bytes of one connection.
#[derive(Debug)]
pub(crate) struct FrameCounter {
    protocol: WireProtocol,
    /// Bytes read of the preface, then of a frame's header.
    header: [u8; 9],
    have: usize,
    /// Bytes of a frame's payload to come.
    payload: usize,
    allowed: u32,
    written: u32,
    tick: u64,
}

impl FrameCounter {
    pub fn new(tick: u64) -> FrameCounter {
        FrameCounter {
            protocol: WireProtocol::Unknown,
            header: [0; 9],
            have: 0,
            payload: 0,
            allowed: BURST,
            written: 0,
            tick,
        }
    }

    pub fn protocol(&self) -> WireProtocol {
        self.protocol
    }

    /// Counts bytes that were read; returns false if the client has sent too
    /// many other frames.
    pub fn read(&mut self, mut bytes: &[u8], tick: u64) -> bool {
        if self.protocol == WireProtocol::Unknown {
            let part = &PREFACE[self.have..];
            let length = part.len().min(bytes.len());
            if part[..length] != bytes[..length] {
                self.protocol = WireProtocol::Http1;
                return true;
            }
            self.have += length;
            bytes = &bytes[length..];
            if self.have == PREFACE.len() {
                self.protocol = WireProtocol::Http2;
                self.have = 0;
            }
        }
        self.protocol != WireProtocol::Http2 || self.frames(bytes, tick)
    }

    /// Bytes that were written.
    pub fn wrote(&mut self, bytes: usize) {
        if self.protocol == WireProtocol::Http2 {
            let all = self.written.saturating_add(bytes as u32);
            self.written = all % BYTES_A_FRAME;
            self.allow(all / BYTES_A_FRAME);
        }
    }

    fn allow(&mut self, frames: u32) {
        self.allowed = self.allowed.saturating_add(frames).min(BURST);
    }

    fn frames(&mut self, mut bytes: &[u8], tick: u64) -> bool {
        let ticks = tick.saturating_sub(self.tick).min(u64::from(BURST)) as u32;
        self.tick = tick;
        self.allow(ticks * A_TICK);
        while !bytes.is_empty() {
            let skipped = self.payload.min(bytes.len());
            self.payload -= skipped;
            bytes = &bytes[skipped..];
            let length = (self.header.len() - self.have).min(bytes.len());
            self.header[self.have..self.have + length].copy_from_slice(&bytes[..length]);
            self.have += length;
            bytes = &bytes[length..];
            if self.have < self.header.len() {
                break;
            }
            self.have = 0;
            let [high, middle, low, kind, ..] = self.header;
            self.payload = u32::from_be_bytes([0, high, middle, low]) as usize;
            let cost = match kind {
                HEADERS => {
                    self.allow(A_REQUEST);
                    0
                }
                DATA if self.payload > 0 => 0,
                RST_STREAM => A_RESET,
                _ => 1,
            };
            match self.allowed.checked_sub(cost) {
                Some(left) => self.allowed = left,
                None => return false,
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PING: u8 = 6;
    const WINDOW_UPDATE: u8 = 8;

    fn frame(kind: u8, payload: usize) -> Vec<u8> {
        let mut frame = (payload as u32).to_be_bytes()[1..].to_vec();
        frame.extend([kind, 0, 0, 0, 0, 1]);
        frame.resize(9 + payload, 0xff);
        frame
    }

    fn http2() -> FrameCounter {
        let mut frames = FrameCounter::new(0);
        assert!(frames.read(&PREFACE[..10], 0));
        assert_eq!(frames.protocol(), WireProtocol::Unknown);
        assert!(frames.read(&PREFACE[10..], 0));
        assert_eq!(frames.protocol(), WireProtocol::Http2);
        frames
    }

    /// How many of these frames, sent byte by byte, are let through.
    fn passed(frames: &mut FrameCounter, sent: &[Vec<u8>], most: usize) -> usize {
        let one_by_one = |frames: &mut FrameCounter, frame: &Vec<u8>| {
            let mut bytes = frame.chunks(1);
            bytes.all(|byte| frames.read(byte, 0))
        };
        let mut all = sent.iter().cycle().take(most);
        all.position(|frame| !one_by_one(frames, frame))
            .unwrap_or(most)
    }

    #[test]
    fn http1_is_left_alone() {
        let mut frames = FrameCounter::new(0);
        for _ in 0..5_000 {
            assert!(frames.read(b"PRINT / HTTP/1.1\r\n\r\n", 0));
        }
        assert_eq!(frames.protocol(), WireProtocol::Http1);
    }

    #[test]
    fn pings_settings_and_empty_data_are_cut_after_a_burst() {
        for (kind, payload) in [(PING, 8), (4, 0), (4, 6), (2, 5), (DATA, 0), (0xee, 3)] {
            let sent = [frame(kind, payload)];
            assert_eq!(passed(&mut http2(), &sent, 3_000), BURST as usize, "{kind}");
        }
    }

    #[test]
    fn requests_that_are_reset_are_cut_and_others_are_not() {
        let reset = [frame(HEADERS, 20), frame(RST_STREAM, 4)];
        assert!(passed(&mut http2(), &reset, 10_000) < 2_100);
        let body = [
            frame(HEADERS, 20),
            frame(DATA, 100),
            frame(WINDOW_UPDATE, 4),
        ];
        assert_eq!(passed(&mut http2(), &body, 30_000), 30_000);
    }

    #[test]
    fn who_reads_much_may_update_its_windows_and_time_gives_back() {
        let mut frames = http2();
        for _ in 0..10_000 {
            frames.wrote(BYTES_A_FRAME as usize);
            assert!(frames.read(&frame(WINDOW_UPDATE, 4), 0));
        }
        let flood = frame(PING, 8).repeat(BURST as usize - 1);
        assert!(frames.read(&flood, 0));
        assert!(frames.read(&flood[..17 * A_TICK as usize], 1));
        assert!(!frames.read(&flood, 1));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(
            preface: bool,
            pieces in proptest::collection::vec(proptest::collection::vec(0u8.., 0..40), 0..40),
        ) {
            let mut frames = if preface { http2() } else { FrameCounter::new(0) };
            for (tick, piece) in pieces.iter().enumerate() {
                frames.wrote(piece.len() << 24);
                let _ = frames.read(piece, tick as u64);
            }
        }
    }
}
