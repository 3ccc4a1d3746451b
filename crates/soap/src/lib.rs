//! Web services without a network: everything between a message's bytes and a
//! program's record.
//!
//! [`xml`] reads documents within limits and without document types. [`envelope`]
//! is SOAP 1.1 and 1.2: parsing, building, faults. [`addressing`] is WS-Addressing.
//! [`XmlCodec`] is compiled once from a [`MessageLayout`] and converts directly
//! between records and elements. [`wsdl`] makes a service description from
//! copybooks, and copybooks from a description; both return a [`ServiceBinding`],
//! the file with which a region runs a service. [`pipeline`] passes a message
//! through its handlers, as a state machine.
//!
//! Reference: SOAP 1.1 (W3C note), SOAP 1.2 part 1, WSDL 1.1, XML Schema part 2;
//! CICS Transaction Server, "Creating web services".
//!
//! Invariant: no text, however broken, makes anything here panic.

#![forbid(unsafe_code)]

pub mod addressing;
pub mod binding;
pub mod codec;
mod conversion;
pub mod envelope;
pub mod pipeline;
pub mod wsdl;
pub mod xml;

pub use binding::{MessageLayout, ServiceBinding};
pub use codec::{XmlCodec, XmlError, XmlOptions};
pub use conversion::{MessageCodec, MessageCodecs};
pub use envelope::{Envelope, Fault, SoapVersion};
