//! Messages of the Switch-to-Switch Protocol, which carries SNA circuits over
//! TCP.
//!
//! Every message begins with 16 bytes; control messages have 72. After that there
//! are `length` bytes of data: an XID, a capabilities vector, or a PIU without its
//! link header.
//!
//! Reference: RFC 1795, section 3 (message formats) and 8 (flow control).
//! Invariant: a stream is read message by message; a length that lies costs the
//! connection, not memory: no message is longer than 72 + 65,535 bytes.

use thiserror::Error;

/// The TCP port that switches listen on.
pub const PORT: u16 = 2065;
/// Bytes of the header of data and flow-control messages.
pub const INFO_HEADER_BYTES: usize = 16;
/// Bytes of the header of all other messages.
pub const CONTROL_HEADER_BYTES: usize = 72;

const VERSION: u8 = 0x31;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $value:literal $header:ident,)+) => {
        /// The kind of a message.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Kind {
            $($(#[$doc])* $name = $value,)+
        }

        impl Kind {
            /// The kind with this number.
            pub fn from_byte(byte: u8) -> Option<Kind> {
                match byte {
                    $($value => Some(Kind::$name),)+
                    _ => None,
                }
            }

            /// Bytes of its header when this node sends it.
            pub fn header_bytes(self) -> usize {
                match self {
                    $(Kind::$name => $header,)+
                }
            }
        }
    };
}

use CONTROL_HEADER_BYTES as CONTROL;
use INFO_HEADER_BYTES as INFO;

kinds! {
    /// Can you reach this station?
    CanYouReach = 0x03 CONTROL,
    /// I can reach it.
    ICanReach = 0x04 CONTROL,
    /// The circuit is there.
    ReachAck = 0x05 CONTROL,
    /// A datagram over a circuit.
    DatagramFrame = 0x06 INFO,
    /// An XID.
    XidFrame = 0x07 CONTROL,
    /// Connect to the remote station.
    Contact = 0x08 CONTROL,
    /// The remote station is connected.
    Contacted = 0x09 CONTROL,
    /// Data of a connected circuit.
    InfoFrame = 0x0A INFO,
    /// Receiver not ready.
    EnterBusy = 0x0C INFO,
    /// Receiver ready again.
    ExitBusy = 0x0D INFO,
    /// End the circuit.
    HaltDl = 0x0E CONTROL,
    /// The circuit is ended.
    DlHalted = 0x0F CONTROL,
    /// Begin the link again.
    RestartDl = 0x10 CONTROL,
    /// The link has begun again.
    DlRestarted = 0x11 CONTROL,
    /// A datagram without a circuit.
    DataFrame = 0x14 CONTROL,
    /// End the circuit; no answer is wanted.
    HaltDlNoAck = 0x19 CONTROL,
    /// No content; it keeps the transport alive.
    KeepAlive = 0x1D INFO,
    /// Capabilities of the switch.
    CapExchange = 0x20 CONTROL,
    /// Flow control alone.
    FlowControl = 0x21 INFO,
    /// Tests whether the circuit exists.
    TestCircuitRequest = 0x7A CONTROL,
    /// The circuit exists.
    TestCircuitResponse = 0x7B CONTROL,
}

/// The change of the window by a flow-control indication before its grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum FlowOperator {
    /// Grant the window again.
    Repeat = 0,
    /// Widen it by one.
    Increment = 1,
    /// Narrow it by one.
    Decrement = 2,
    /// Take back everything granted.
    Reset = 3,
    /// Halve it.
    Halve = 4,
}

/// The flow-control byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flow {
    /// An indication (FCIND).
    pub indication: Option<FlowOperator>,
    /// The answer to one (FCACK).
    pub acknowledgement: bool,
}

impl Flow {
    fn from_byte(byte: u8) -> Result<Flow, SspError> {
        let operator = match byte & 0x07 {
            0 => FlowOperator::Repeat,
            1 => FlowOperator::Increment,
            2 => FlowOperator::Decrement,
            3 => FlowOperator::Reset,
            4 => FlowOperator::Halve,
            _ if byte & 0x80 == 0 => FlowOperator::Repeat,
            other => return Err(SspError::Operator(other)),
        };
        Ok(Flow {
            indication: (byte & 0x80 != 0).then_some(operator),
            acknowledgement: byte & 0x40 != 0,
        })
    }

    fn byte(self) -> u8 {
        self.indication.map_or(0, |operator| 0x80 | operator as u8)
            | if self.acknowledgement { 0x40 } else { 0 }
    }
}

/// One end of a circuit as the switch next to it numbers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CircuitEnd {
    /// The port of the switch's station.
    pub port: u32,
    /// The data link correlator.
    pub correlator: u32,
    /// An identifier of the transport, echoed.
    pub transport: u32,
}

/// The two stations that a circuit joins, by their LAN addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationPair {
    /// Address of the station that is looked for, in token-ring bit order.
    pub target_mac: [u8; 6],
    /// Address of the station that looks.
    pub origin_mac: [u8; 6],
    /// SAP of the station that looks.
    pub origin_sap: u8,
    /// SAP of the station that is looked for.
    pub target_sap: u8,
}

/// The fields of the longer header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ControlPart {
    /// The largest frame the path takes, as a route's LF field codes it.
    pub largest_frame: u8,
    /// An explorer only looks; it sets nothing up.
    pub explorer: bool,
    /// Circuit priority.
    pub priority: u8,
    /// The stations.
    pub stations: StationPair,
    /// Whether the message is sent from the origin's switch to the target's.
    pub from_origin: bool,
    /// Bytes of link header at the beginning of the data.
    pub dlc_header_bytes: u16,
    /// The origin's end.
    pub origin: CircuitEnd,
    /// The target's end.
    pub target: CircuitEnd,
}

/// A message of the Switch-to-Switch Protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SspMessage<'a> {
    /// The kind.
    pub kind: Kind,
    /// Flow control that rides on it.
    pub flow: Flow,
    /// The receiver's correlator of the circuit.
    pub correlator: u32,
    /// The receiver's port of the circuit.
    pub port: u32,
    /// The fields of the longer header, if it has them.
    pub control: Option<ControlPart>,
    /// The bytes after the header.
    pub data: &'a [u8],
}

/// Why bytes are not message: a fault of the peer that ends the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SspError {
    /// Not version 1.
    #[error("X'{0:02X}' is not a supported version of the protocol")]
    Version(u8),
    /// A header length that no message has.
    #[error("a header of {0} bytes is too short")]
    HeaderLength(u8),
    /// A message type that is not defined.
    #[error("message type X'{0:02X}' is not defined")]
    Kind(u8),
    /// A flow-control operator that is not defined.
    #[error("flow-control operator {0} is not defined")]
    Operator(u8),
    /// A control message with the short header.
    #[error("message type X'{0:02X}' needs the long header")]
    ShortHeader(u8),
}

/// A message read from the front of a stream.
pub type ParsedMessage<'a> = (SspMessage<'a>, usize);

impl<'a> SspMessage<'a> {
    /// A message without data, with the header its kind has.
    pub fn new(kind: Kind) -> SspMessage<'a> {
        SspMessage {
            kind,
            flow: Flow::default(),
            correlator: 0,
            port: 0,
            control: (kind.header_bytes() == CONTROL_HEADER_BYTES).then(ControlPart::default),
            data: &[],
        }
    }

    /// Parses the message at the start of `stream`, with its length. Returns
    /// `None` if it is incomplete.
    pub fn parse(stream: &'a [u8]) -> Result<Option<ParsedMessage<'a>>, SspError> {
        let [version, header_bytes, high, low, ..] = *stream else {
            return match stream.first() {
                Some(&version) if version != VERSION => Err(SspError::Version(version)),
                _ => Ok(None),
            };
        };
        if version != VERSION {
            return Err(SspError::Version(version));
        }
        let header = usize::from(header_bytes);
        if header != INFO_HEADER_BYTES && header != CONTROL_HEADER_BYTES {
            return Err(SspError::HeaderLength(header_bytes));
        }
        let total = header + usize::from(u16::from_be_bytes([high, low]));
        let Some(message) = stream.get(..total) else {
            return Ok(None);
        };
        let kind = Kind::from_byte(message[14]).ok_or(SspError::Kind(message[14]))?;
        if kind.header_bytes() > header {
            return Err(SspError::ShortHeader(message[14]));
        }
        let message = SspMessage {
            kind,
            flow: Flow::from_byte(message[15])?,
            correlator: word(message, 4),
            port: word(message, 8),
            control: (header == CONTROL_HEADER_BYTES).then(|| ControlPart::parse(message)),
            data: &message[header..],
        };
        Ok(Some((message, total)))
    }

    /// Appends the message's bytes to `out`. Data beyond 65,535 bytes is cut.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let data = &self.data[..self.data.len().min(usize::from(u16::MAX))];
        let start = out.len();
        let mut header = [0; CONTROL_HEADER_BYTES];
        let length = match self.control {
            Some(_) => CONTROL_HEADER_BYTES,
            None => INFO_HEADER_BYTES,
        };
        header[0] = VERSION;
        header[1] = length as u8;
        header[2..4].copy_from_slice(&(data.len() as u16).to_be_bytes());
        header[4..8].copy_from_slice(&self.correlator.to_be_bytes());
        header[8..12].copy_from_slice(&self.port.to_be_bytes());
        header[14] = self.kind as u8;
        header[15] = self.flow.byte();
        if let Some(control) = &self.control {
            control.emit(self.kind, &mut header);
        }
        out.reserve(length + data.len());
        out.extend_from_slice(&header[..length]);
        out.extend_from_slice(data);
        debug_assert_eq!(out.len() - start, length + data.len());
    }
}

impl ControlPart {
    fn parse(message: &[u8]) -> ControlPart {
        let mac = |at: usize| -> [u8; 6] { std::array::from_fn(|i| message[at + i]) };
        let end = |at: usize| CircuitEnd {
            port: word(message, at),
            correlator: word(message, at + 4),
            transport: word(message, at + 8),
        };
        ControlPart {
            largest_frame: message[20] & 0x3F,
            explorer: message[21] & 0x80 != 0,
            priority: message[22] & 0x07,
            stations: StationPair {
                target_mac: mac(24),
                origin_mac: mac(30),
                origin_sap: message[36],
                target_sap: message[37],
            },
            from_origin: message[38] != 0x02,
            dlc_header_bytes: u16::from_be_bytes([message[42], message[43]]),
            origin: end(44),
            target: end(56),
        }
    }

    fn emit(&self, kind: Kind, header: &mut [u8; CONTROL_HEADER_BYTES]) {
        header[16] = 0x42;
        header[17] = 0x01;
        header[20] = self.largest_frame & 0x3F;
        header[21] = if self.explorer { 0x80 } else { 0 };
        header[22] = self.priority & 0x07;
        header[23] = kind as u8;
        header[24..30].copy_from_slice(&self.stations.target_mac);
        header[30..36].copy_from_slice(&self.stations.origin_mac);
        header[36] = self.stations.origin_sap;
        header[37] = self.stations.target_sap;
        header[38] = if self.from_origin { 0x01 } else { 0x02 };
        header[42..44].copy_from_slice(&self.dlc_header_bytes.to_be_bytes());
        for (at, end) in [(44, self.origin), (56, self.target)] {
            header[at..at + 4].copy_from_slice(&end.port.to_be_bytes());
            header[at + 4..at + 8].copy_from_slice(&end.correlator.to_be_bytes());
            header[at + 8..at + 12].copy_from_slice(&end.transport.to_be_bytes());
        }
    }
}

/// The LF code of the largest standard frame that takes `btu` bytes, and back.
pub fn largest_frame_code(btu: usize) -> u8 {
    let fits = LARGEST_FRAMES.iter().rposition(|&bytes| bytes <= btu);
    (fits.unwrap_or(0) as u8) << 3 | 0x04
}

/// Information bytes that a frame with this LF code takes.
pub fn largest_frame_bytes(code: u8) -> usize {
    LARGEST_FRAMES[usize::from(code >> 3 & 7)]
}

/// The largest frame in routing information, smallest first; the last is "any".
const LARGEST_FRAMES: [usize; 8] = [516, 1500, 2052, 4472, 8144, 11_407, 17_800, 65_535];

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(std::array::from_fn(|i| bytes[at + i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_message_that_is_not_there_in_full_is_waited_for() {
        let mut bytes = Vec::new();
        let data = [1, 2, 3];
        SspMessage {
            data: &data,
            correlator: 7,
            ..SspMessage::new(Kind::InfoFrame)
        }
        .emit(&mut bytes);
        for end in 0..bytes.len() {
            assert_eq!(SspMessage::parse(&bytes[..end]), Ok(None));
        }
        let (message, used) = SspMessage::parse(&bytes).unwrap().unwrap();
        assert_eq!((used, message.data, message.correlator), (19, &data[..], 7));
    }

    #[test]
    fn lies_are_named() {
        assert_eq!(
            SspMessage::parse(b"GET / HTTP"),
            Err(SspError::Version(b'G'))
        );
        assert_eq!(
            SspMessage::parse(&[0x31, 9, 0, 0]),
            Err(SspError::HeaderLength(9))
        );
        let mut short = vec![0x31, 16];
        short.extend([0; 12]);
        short.extend([0x03, 0]);
        assert_eq!(SspMessage::parse(&short), Err(SspError::ShortHeader(3)));
        short[14] = 0x55;
        assert_eq!(SspMessage::parse(&short), Err(SspError::Kind(0x55)));
    }

    #[test]
    fn largest_frames_are_coded_downwards() {
        assert_eq!(largest_frame_bytes(largest_frame_code(4105)), 2052);
        assert_eq!(largest_frame_bytes(largest_frame_code(4472)), 4472);
        assert_eq!(largest_frame_bytes(largest_frame_code(17_749)), 11_407);
        assert_eq!(largest_frame_bytes(largest_frame_code(65_535)), 65_535);
        assert_eq!(largest_frame_bytes(largest_frame_code(0)), 516);
    }

    proptest! {
        #[test]
        fn any_stream_is_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..120), fix in any::<bool>()) {
            if fix && bytes.len() > 4 {
                bytes[0] = 0x31;
                bytes[1] = if bytes[1] & 1 == 0 { 16 } else { 72 };
                (bytes[2], bytes[3]) = (0, bytes[3] & 15);
            }
            if let Ok(Some((message, used))) = SspMessage::parse(&bytes) {
                let mut out = Vec::new();
                message.emit(&mut out);
                prop_assert_eq!(out.len(), used);
                prop_assert_eq!(SspMessage::parse(&out), Ok(Some((message, used))));
            }
        }
    }
}
