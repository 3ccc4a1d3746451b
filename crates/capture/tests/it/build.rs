//! Captures built by hand, byte by byte, for tests of one thing at a time.

use capture::{AnalysisOptions, CaptureExplanation};

/// The link type of frames that begin with the IP header.
pub const RAW: u32 = 101;

/// A pcap of frames given as (time in µs, bytes).
pub fn pcap(link: u32, frames: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = 0xa1b2_c3d4_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
    file.extend(link.to_le_bytes());
    for (time_us, frame) in frames {
        let length = frame.len() as u32;
        for word in [time_us / 1_000_000, time_us % 1_000_000, length, length] {
            file.extend(word.to_le_bytes());
        }
        file.extend(frame);
    }
    file
}

/// A TCP segment without options.
pub fn tcp(ports: (u16, u16), seq: u32, ack: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = ports.0.to_be_bytes().to_vec();
    bytes.extend(ports.1.to_be_bytes());
    bytes.extend(seq.to_be_bytes());
    bytes.extend(ack.to_be_bytes());
    bytes.extend([0x50, flags, 0xff, 0xff, 0, 0, 0, 0]);
    bytes.extend(payload);
    bytes
}

/// A raw IPv4 datagram with a TCP segment; the higher port has 10.0.0.1.
pub fn segment(ports: (u16, u16), seq: u32, ack: u32, flags: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x45, 0];
    frame.extend((40 + payload.len() as u16).to_be_bytes());
    frame.extend([0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    if ports.0 < ports.1 {
        frame[12..20].rotate_left(4);
    }
    frame.extend(tcp(ports, seq, ack, flags, payload));
    frame
}

/// Two ends that exchange segments, one each millisecond, without loss.
pub struct TestConversation {
    port: u16,
    sent: [u32; 2],
    frames: Vec<(u32, Vec<u8>)>,
}

impl TestConversation {
    /// A connection to `port`, its handshake done.
    pub fn to(port: u16) -> TestConversation {
        let mut talk = TestConversation {
            port,
            sent: [0, 0],
            frames: Vec::new(),
        };
        talk.put(0, 0x02, b"");
        talk.put(1, 0x12, b"");
        talk.put(0, 0x10, b"");
        talk
    }

    /// The client sends one segment.
    pub fn client(mut self, payload: &[u8]) -> TestConversation {
        self.put(0, 0x18, payload);
        self
    }

    /// The server sends one segment.
    pub fn server(mut self, payload: &[u8]) -> TestConversation {
        self.put(1, 0x18, payload);
        self
    }

    /// The server closes.
    pub fn server_closes(mut self) -> TestConversation {
        self.put(1, 0x11, b"");
        self
    }

    /// The last segment is not captured.
    pub fn unseen(mut self) -> TestConversation {
        self.frames.pop();
        self
    }

    /// The explanation of the capture.
    pub fn explain(&self) -> CaptureExplanation {
        let mut explanation =
            capture::explain(&self.bytes()[..], &AnalysisOptions::default()).unwrap();
        explanation.exchanges.sort_by_key(|e| (e.id, e.index));
        explanation
    }

    /// The capture as a file.
    pub fn bytes(&self) -> Vec<u8> {
        pcap(RAW, &self.frames)
    }

    fn put(&mut self, from: usize, flags: u8, payload: &[u8]) {
        let ports = match from {
            0 => (50_000, self.port),
            _ => (self.port, 50_000),
        };
        let time = 1_000 * self.frames.len() as u32 + 1_000;
        let frame = segment(ports, self.sent[from], self.sent[1 - from], flags, payload);
        self.frames.push((time, frame));
        let control = (flags & 0x03 != 0) as u32;
        self.sent[from] += payload.len() as u32 + control;
    }
}
