//! TN3270E: sub-negotiations of device type and functions, and the header of
//! each record.
//!
//! ```text
//!  0          1        2         3        5
//! +----------+--------+---------+--------+------
//! | DATA-TYPE| REQUEST| RESPONSE| SEQ-NUM| data     of every record
//! +----------+--------+---------+--------+------
//! ```
//! Reference: RFC 2355.

/// Bytes of the header.
pub const HEADER_LEN: usize = 5;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataType {
    /// 3270-DATA.
    Data3270,
    /// SCS-DATA, for printers.
    ScsData,
    /// RESPONSE.
    Response,
    /// BIND-IMAGE.
    BindImage,
    /// UNBIND.
    Unbind,
    /// NVT-DATA.
    NvtData,
    /// REQUEST.
    Request,
    /// SSCP-LU-DATA.
    SscpLuData,
    /// PRINT-EOJ.
    PrintEoj,
}

impl DataType {
    /// The type of a byte. Returns `None` if it is unknown or of a draft only.
    pub const fn parse(byte: u8) -> Option<DataType> {
        Some(match byte {
            0 => DataType::Data3270,
            1 => DataType::ScsData,
            2 => DataType::Response,
            3 => DataType::BindImage,
            4 => DataType::Unbind,
            5 => DataType::NvtData,
            6 => DataType::Request,
            7 => DataType::SscpLuData,
            8 => DataType::PrintEoj,
            _ => return None,
        })
    }
}

/// Whether the receiver of a record answers it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ResponseFlag {
    /// Never.
    #[default]
    NoResponse,
    /// Only if it could not be processed.
    ErrorResponse,
    /// Always.
    AlwaysResponse,
}

/// The header of a TN3270E record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the record is; `None` for types that are unknown.
    pub data_type: Option<DataType>,
    /// REQUEST-FLAG.
    pub request_flag: u8,
    /// RESPONSE-FLAG.
    pub response_flag: u8,
    /// SEQ-NUMBER.
    pub sequence: u16,
}

impl Header {
    /// The header of a record and what follows it. Returns `None` if the record
    /// is shorter than a header.
    pub fn parse(record: &[u8]) -> Option<(Header, &[u8])> {
        let (header, data) = record.split_first_chunk::<HEADER_LEN>()?;
        let parsed = Header {
            data_type: DataType::parse(header[0]),
            request_flag: header[1],
            response_flag: header[2],
            sequence: u16::from_be_bytes([header[3], header[4]]),
        };
        Some((parsed, data))
    }

    /// The five bytes.
    pub const fn emit(data_type: DataType, response_flag: u8, sequence: u16) -> [u8; HEADER_LEN] {
        let number = sequence.to_be_bytes();
        [data_type as u8, 0, response_flag, number[0], number[1]]
    }

    /// Whether the sender wants an answer.
    pub const fn wanted_response(&self) -> ResponseFlag {
        match self.response_flag {
            1 => ResponseFlag::ErrorResponse,
            2 => ResponseFlag::AlwaysResponse,
            _ => ResponseFlag::NoResponse,
        }
    }
}

/// Why a terminal could not process a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NegativeReason {
    /// The command is unknown.
    CommandReject,
    /// A person has to do something, such as adding paper.
    InterventionRequired,
    /// The data stream is wrong.
    OperationCheck,
    /// A component is not connected.
    ComponentDisconnected,
}

impl NegativeReason {
    /// The reason of a byte; unknown ones are operation checks.
    pub const fn parse(byte: u8) -> NegativeReason {
        match byte {
            0 => NegativeReason::CommandReject,
            1 => NegativeReason::InterventionRequired,
            3 => NegativeReason::ComponentDisconnected,
            _ => NegativeReason::OperationCheck,
        }
    }
}

/// Why a server refuses a device type or a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RejectReason {
    /// The partner of an ASSOCIATE is a printer or itself associated.
    ConnPartner,
    /// The device is in use.
    DeviceInUse,
    /// ASSOCIATE is not possible.
    InvAssociate,
    /// The name is unknown.
    InvName,
    /// The device type is unknown.
    InvDeviceType,
    /// The name does not fit the type.
    TypeNameError,
    /// Any other error.
    UnknownError,
    /// The request is not supported.
    UnsupportedReq,
}

impl RejectReason {
    /// The reason of a byte; unknown ones are UNKNOWN-ERROR.
    pub const fn parse(byte: u8) -> RejectReason {
        match byte {
            0 => RejectReason::ConnPartner,
            1 => RejectReason::DeviceInUse,
            2 => RejectReason::InvAssociate,
            3 => RejectReason::InvName,
            4 => RejectReason::InvDeviceType,
            5 => RejectReason::TypeNameError,
            7 => RejectReason::UnsupportedReq,
            _ => RejectReason::UnknownError,
        }
    }
}

/// The functions of TN3270E that two ends agree on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SessionFunctions {
    /// BIND-IMAGE.
    pub bind_image: bool,
    /// RESPONSES.
    pub responses: bool,
    /// SYSREQ.
    pub sysreq: bool,
    /// Whether the list has anything else, such as SCS-CTL-CODES or
    /// CONTENTION-RESOLUTION. Never agreed to.
    pub others: bool,
}

impl SessionFunctions {
    /// The functions of a list.
    pub fn parse(list: &[u8]) -> SessionFunctions {
        SessionFunctions {
            bind_image: list.contains(&0),
            responses: list.contains(&2),
            sysreq: list.contains(&4),
            others: list.iter().any(|code| !matches!(code, 0 | 2 | 4)),
        }
    }

    /// The list of the functions that are known.
    pub fn emit(&self, out: &mut Vec<u8>) {
        out.extend(self.bind_image.then_some(0));
        out.extend(self.responses.then_some(2));
        out.extend(self.sysreq.then_some(4));
    }

    /// What both have.
    pub const fn common(&self, other: &SessionFunctions) -> SessionFunctions {
        SessionFunctions {
            bind_image: self.bind_image && other.bind_image,
            responses: self.responses && other.responses,
            sysreq: self.sysreq && other.sysreq,
            others: false,
        }
    }
}

/// A sub-negotiation of TN3270E.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExtendedNegotiation<'a> {
    /// The server asks for the device type.
    SendDeviceType,
    /// The client asks for a type, and perhaps for a name to connect to or, for
    /// printers, to associate with.
    DeviceTypeRequest {
        /// The type.
        device: &'a [u8],
        /// After CONNECT.
        connect: Option<&'a [u8]>,
        /// After ASSOCIATE.
        associate: Option<&'a [u8]>,
    },
    /// The server agrees.
    DeviceTypeIs {
        /// The type.
        device: &'a [u8],
        /// The name of the LU.
        name: Option<&'a [u8]>,
    },
    /// The server refuses; the reason's byte follows.
    DeviceTypeReject(u8),
    /// Either end asks for a list of functions.
    FunctionsRequest(&'a [u8]),
    /// Either end agrees to a list.
    FunctionsIs(&'a [u8]),
}

impl<'a> ExtendedNegotiation<'a> {
    /// The meaning of a sub-negotiation's body. Returns `None` if it has none.
    pub fn parse(body: &'a [u8]) -> Option<ExtendedNegotiation<'a>> {
        match body {
            [SEND, DEVICE_TYPE] => Some(ExtendedNegotiation::SendDeviceType),
            [DEVICE_TYPE, REQUEST, rest @ ..] => {
                let (device, word, name) = split_name(rest);
                Some(ExtendedNegotiation::DeviceTypeRequest {
                    device,
                    connect: name.filter(|_| word == Some(CONNECT)),
                    associate: name.filter(|_| word == Some(ASSOCIATE)),
                })
            }
            [DEVICE_TYPE, IS, rest @ ..] => {
                let (device, word, name) = split_name(rest);
                Some(ExtendedNegotiation::DeviceTypeIs {
                    device,
                    name: name.filter(|_| word == Some(CONNECT)),
                })
            }
            [DEVICE_TYPE, REJECT, REASON, reason] => {
                Some(ExtendedNegotiation::DeviceTypeReject(*reason))
            }
            [FUNCTIONS, REQUEST, list @ ..] => Some(ExtendedNegotiation::FunctionsRequest(list)),
            [FUNCTIONS, IS, list @ ..] => Some(ExtendedNegotiation::FunctionsIs(list)),
            _ => None,
        }
    }

    /// Appends the body.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let named = |word: u8, name: &Option<&[u8]>, out: &mut Vec<u8>| {
            if let Some(name) = name {
                out.push(word);
                out.extend(*name);
            }
        };
        match self {
            ExtendedNegotiation::SendDeviceType => out.extend([SEND, DEVICE_TYPE]),
            ExtendedNegotiation::DeviceTypeRequest {
                device,
                connect,
                associate,
            } => {
                out.extend([DEVICE_TYPE, REQUEST]);
                out.extend(*device);
                named(CONNECT, connect, out);
                named(ASSOCIATE, associate, out);
            }
            ExtendedNegotiation::DeviceTypeIs { device, name } => {
                out.extend([DEVICE_TYPE, IS]);
                out.extend(*device);
                named(CONNECT, name, out);
            }
            ExtendedNegotiation::DeviceTypeReject(reason) => {
                out.extend([DEVICE_TYPE, REJECT, REASON, *reason]);
            }
            ExtendedNegotiation::FunctionsRequest(list) => {
                out.extend([FUNCTIONS, REQUEST]);
                out.extend(*list);
            }
            ExtendedNegotiation::FunctionsIs(list) => {
                out.extend([FUNCTIONS, IS]);
                out.extend(*list);
            }
        }
    }
}

/// A type, and the word and name after it. Types and names have no bytes that
/// are words.
fn split_name(rest: &[u8]) -> (&[u8], Option<u8>, Option<&[u8]>) {
    let found = rest
        .iter()
        .position(|byte| matches!(*byte, CONNECT | ASSOCIATE));
    match found {
        Some(at) => (&rest[..at], Some(rest[at]), Some(&rest[at + 1..])),
        None => (rest, None, None),
    }
}

const ASSOCIATE: u8 = 0;
const CONNECT: u8 = 1;
const DEVICE_TYPE: u8 = 2;
const FUNCTIONS: u8 = 3;
const IS: u8 = 4;
const REASON: u8 = 5;
const REJECT: u8 = 6;
const REQUEST: u8 = 7;
const SEND: u8 = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_negotiations_come_back() {
        let recorded: [&[u8]; 8] = [
            &[8, 2],
            b"\x02\x07IBM-3278-2-E",
            b"\x02\x07IBM-3278-2-E\x01TERM01",
            b"\x02\x04IBM-3278-2-E\x01LU000001",
            &[2, 6, 5, 1],
            &[3, 7, 0, 2, 4],
            &[3, 4, 0, 2, 4],
            &[3, 7],
        ];
        for body in recorded {
            let mut out = Vec::new();
            ExtendedNegotiation::parse(body).unwrap().emit(&mut out);
            assert_eq!(out, body);
        }
        assert_eq!(ExtendedNegotiation::parse(&[9]), None);
        assert_eq!(ExtendedNegotiation::parse(&[]), None);
    }

    #[test]
    fn functions_of_drafts_are_not_agreed_to() {
        let asked = SessionFunctions::parse(&[0, 2, 4, 5, 6]);
        assert!(asked.others);
        let own = SessionFunctions {
            responses: true,
            sysreq: true,
            ..SessionFunctions::default()
        };
        let mut out = Vec::new();
        own.common(&asked).emit(&mut out);
        assert_eq!(out, [2, 4]);
    }

    #[test]
    fn headers_come_back_and_short_records_have_none() {
        let bytes = Header::emit(DataType::Response, 1, 0x0102);
        let (header, data) = Header::parse(&bytes).unwrap();
        assert_eq!(header.data_type, Some(DataType::Response));
        assert_eq!((header.response_flag, header.sequence), (1, 0x0102));
        assert!(data.is_empty());
        assert_eq!(Header::parse(&bytes[..4]), None);
    }
}
