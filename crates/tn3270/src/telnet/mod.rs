//! Telnet as TN3270 needs it: commands and options, records between end-of-record
//! marks, terminal types, and the sub-negotiations and headers of TN3270E.
//!
//! [`TelnetDecoder`] turns bytes into events within bounds, [`TelnetOptions`] decides each
//! answer to a negotiation so that it never loops, [`device`] and [`extended`]
//! are the formats.
//! Reference: RFC 854, 856, 885, 1091, 1576, 1646, 2355.

pub mod bind;
pub mod code;
mod decoder;
pub mod device;
pub mod extended;
mod options;

pub use bind::{BindImage, UnbindReason};
pub use decoder::{DecodeError, DecoderLimits, TelnetDecoder, TelnetEvent, escape};
pub use device::{DeviceType, LuName};
pub use extended::{
    DataType, ExtendedNegotiation, Header, NegativeReason, RejectReason, ResponseFlag,
    SessionFunctions,
};
pub use options::{OptionChange, OptionSide, TelnetOptions};
