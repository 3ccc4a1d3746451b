//! COBOL fields on one side, PostgreSQL's binary values on the other.
//!
//! [`encode`] writes a field as the value of a parameter, [`decode`] a value of
//! a result into a field, without a text or an allocation in between where that is
//! possible. The COBOL types are those of host variables, with lengths in
//! bytes.
//!
//! Invariant: no value of a server and no bytes of a field make it panic.

mod cobol;
mod decode;
mod encode;
mod number;
mod text;

pub use cobol::{CobolType, SignPlace};
pub use decode::{DecodeOptions, DecodeResult, can_decode, decode};
pub use encode::{EncodeError, encode};
pub use number::{Decimal, NumberError};
pub use text::{from_server, to_server};
