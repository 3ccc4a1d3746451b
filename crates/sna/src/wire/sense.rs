//! Sense data: four bytes with the error of a request.
//!
//! The first two bytes are the sense code, the last two say more. One table
//! holds every code that this stack sends or reads, with the manual's words.
//! Reference: IBM *SNA Formats* (GA27-3136), "Sense Data".

use std::fmt;

/// Sense data.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sense(pub u32);

macro_rules! senses {
    ($($(#[$doc:meta])* $name:ident = $value:literal, $text:literal;)*) => {
        impl Sense {
            $(#[doc = $text] pub const $name: Sense = Sense($value);)*
        }

        const TEXTS: &[(u32, &str)] = &[$(($value, $text),)*];
    };
}

senses! {
    RESOURCE_UNAVAILABLE = 0x0801_0000, "resource not available";
    RESOURCE_UNKNOWN = 0x0806_0000, "resource unknown";
    SESSION_LIMIT = 0x0805_0000, "session limit exceeded";
    SECURITY = 0x080F_6051, "access security information invalid";
    BRACKET_BID_REJECT = 0x0813_0000, "bracket bid reject, no RTR forthcoming";
    BRACKET_BID_REJECT_RTR = 0x0814_0000, "bracket bid reject, RTR forthcoming";
    SESSION_ACTIVE = 0x0815_0000, "function active: session address in use";
    RTR_NOT_REQUIRED = 0x0819_0000, "RTR not required";
    BIND_PARAMETER = 0x0835_0000, "invalid parameter at the offset that follows";
    PROGRAM_ERROR_PURGE = 0x0846_0000, "ERP message forthcoming";
    TP_RETRY = 0x084B_6031, "transaction program not available, retry";
    TP_NO_RETRY = 0x084C_0000, "transaction program not available, no retry";
    DEALLOCATED_ABEND = 0x0864_0000, "deallocated abnormally by the program";
    DEALLOCATED_ABEND_SVC = 0x0864_0001, "deallocated abnormally by services";
    DEALLOCATED_ABEND_TIMER = 0x0864_0002, "deallocated abnormally by a timer";
    PROGRAM_ERROR = 0x0889_0000, "program error, nothing truncated";
    PROGRAM_ERROR_TRUNC = 0x0889_0001, "program error, a logical record truncated";
    SERVICE_ERROR = 0x0889_0100, "service error, nothing truncated";
    SERVICE_ERROR_TRUNC = 0x0889_0101, "service error, a logical record truncated";
    BIS_REQUESTED = 0x088B_0000, "BB not accepted, BIS reply requested";
    RU_DATA = 0x1001_0000, "RU data error";
    FIELD_VALUE = 0x1001_0003, "value in an RU field invalid";
    RU_LENGTH = 0x1002_0000, "RU length error";
    FUNCTION_UNSUPPORTED = 0x1003_0000, "function not supported";
    FMH_LENGTH = 0x1008_6000, "FM header length wrong";
    FMH_SECURITY_LENGTH = 0x1008_6005, "access security information length wrong";
    FMH_COMMAND = 0x1008_600B, "FM header command code not known";
    FMH_TYPE = 0x1008_4001, "FM header type invalid";
    TPN_UNKNOWN = 0x1008_6021, "transaction program name not recognized";
    PIP_NOT_ALLOWED = 0x1008_6031, "PIP not allowed";
    PIP_WRONG = 0x1008_6032, "PIP not specified correctly";
    TYPE_MISMATCH = 0x1008_6034, "conversation type mismatch";
    SYNC_LEVEL = 0x1008_6041, "sync level not supported by the program";
    ATTACH_PARAMETER = 0x1008_6040, "Attach parameter invalid";
    XID_PARAMETER = 0x1016_0000, "XID parameter error";
    TG_NUMBER = 0x1016_000B, "transmission group number in use";
    SEQUENCE = 0x2001_0000, "sequence number error";
    CHAINING = 0x2002_0000, "chaining error";
    BRACKET = 0x2003_0000, "bracket error";
    DIRECTION = 0x2004_0000, "direction error: normal-flow request while sending";
    DATA_RESET = 0x2005_0000, "data traffic reset";
    IMMEDIATE_MODE = 0x200A_0000, "request before the response that is due";
    RESPONSE_CORRELATION = 0x200E_0000, "response correlation error";
    PACING_EXHAUSTED = 0x2011_0000, "request after the pacing window was used up";
    PACING_UNEXPECTED_IPM = 0x2011_0001, "unexpected isolated pacing message";
    PACING_PI_IN_WINDOW = 0x2011_0002, "pacing indicator inside a window";
    PACING_PI = 0x2011_0003, "pacing indicator wrongly set";
    BBI = 0x4003_0000, "BB wrongly set";
    BBI_WITHOUT_ATTACH = 0x4000_3000, "BB without an Attach header";
    CEBI = 0x4004_0000, "EB or CEB wrongly set";
    RQD_NOT_END = 0x4007_0000, "definite response asked for inside a chain";
    CDI = 0x4009_0000, "change direction wrongly set";
    ALTERNATE_CODE = 0x4010_0000, "alternate code wrongly set";
    NOT_NORMAL_FLOW = 0x4011_0000, "FM data on the expedited flow";
    RESPONSE_FORM = 0x4014_0000, "form of response asked for is not allowed";
    FORMAT_INDICATOR = 0x400F_0000, "format indicator wrongly set";
    END_WITHOUT_TURN = 0x4019_0000, "end of chain requests exception response only, without change direction or end bracket";
    NO_SESSION = 0x8005_0000, "no session with this address";
    SEGMENTING = 0x8007_0000, "segmenting error";
    SEGMENT_LENGTH = 0x8007_0001, "first segment too short";
    ODAI = 0x800F_0001, "ODAI of a BIND is the receiver's to set";
    INCOMPLETE_TH = 0x800B_0000, "transmission header incomplete";
    ROUTE = 0x8003_0000, "node or LU not reachable";
}

impl Sense {
    /// Sense 0835 with the offset of the offending byte of a BIND.
    pub const fn bind(offset: usize) -> Sense {
        Sense(0x0835_0000 | (offset as u32 & 0xFFFF))
    }

    /// The sense data of these four bytes.
    pub const fn from_bytes(bytes: [u8; 4]) -> Sense {
        Sense(u32::from_be_bytes(bytes))
    }

    /// The four bytes.
    pub const fn to_bytes(self) -> [u8; 4] {
        self.0.to_be_bytes()
    }

    /// The sense code, without the sense-specific bytes.
    pub const fn code(self) -> u16 {
        (self.0 >> 16) as u16
    }

    /// The text of the manual, or of the closest entry.
    pub fn text(self) -> &'static str {
        let exact = TEXTS.iter().find(|(value, _)| *value == self.0);
        let near = || {
            TEXTS
                .iter()
                .find(|(value, _)| *value == self.0 & 0xFFFF_0000)
        };
        exact.or_else(near).map_or("sense data", |(_, text)| text)
    }
}

impl fmt::Display for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, text) = (self.0 & 0xFFFF, self.text());
        match (self.code(), offset) {
            (0x0835, 1..) => write!(
                f,
                "{:08X} (invalid parameter at offset {offset}: {})",
                self.0,
                bind_field(offset)
            ),
            _ => write!(f, "{:08X} ({text})", self.0),
        }
    }
}

/// The field at this offset of a BIND, which sense 0835 is nearly always about.
fn bind_field(offset: u32) -> &'static str {
    match offset {
        1 => "format and type of a BIND",
        2 => "FM profile",
        3 => "TS profile",
        4..=7 => "FM usage",
        8 | 9 => "pacing from secondary to primary",
        10 => "largest RU the secondary sends",
        11 => "largest RU the primary sends",
        12 | 13 => "pacing from primary to secondary",
        14 | 15 => "LU type and level",
        23 => "security that is supported",
        24 => "sync levels, parallel sessions",
        25 => "limits by CNOS",
        26 => "cryptography",
        _ => "a name or user data of a BIND",
    }
}

impl fmt::Debug for Sense {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sense({:08X})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_value_once() {
        let mut values: Vec<u32> = TEXTS.iter().map(|t| t.0).collect();
        values.sort_unstable();
        values.dedup();
        assert_eq!(values.len(), TEXTS.len());
    }

    #[test]
    fn a_bind_sense_names_the_offset() {
        assert_eq!(Sense::bind(10).0, 0x0835_000A);
        assert_eq!(Sense::bind(10).text(), Sense::BIND_PARAMETER.text());
        assert_eq!(
            Sense::bind(10).to_string(),
            "0835000A (invalid parameter at offset 10: largest RU the secondary sends)"
        );
        assert_eq!(Sense::from_bytes([8, 0x46, 0, 0]).code(), 0x0846);
    }
}
