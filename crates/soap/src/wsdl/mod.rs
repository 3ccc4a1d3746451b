//! Service descriptions, WSDL 1.1, in both directions.
//!
//! [`from_copybooks`] describes a program's records as a service (the way of
//! DFHLS2WS); [`to_copybooks`] makes the records of a program that provides or
//! calls a described service (the way of DFHWS2LS). Both give a
//! [`Binding`](crate::Binding).
//!
//! Done: document/literal, wrapped and bare, and rpc/literal; sequence, all, choice (each way
//! optional), groups, attributes, extension, restriction, enumerations, fixed
//! and varying occurrences, includes and imports that the caller can read.
//! Refused, by name and line: encoded bodies, `any`, recursion, substitution,
//! SOAP arrays, mixed content, groups that repeat, WSDL 2.0.
//!
//! Reference: WSDL 1.1 and its SOAP 1.1 and 1.2 bindings; XML Schema parts 1
//! and 2; CICS Transaction Server, "COBOL to XML schema mapping" and "XML
//! schema to COBOL mapping".

mod actions;
mod derive;
mod describe;
mod draft;
mod read;
mod schema;
mod simple;
mod types;
mod write;

pub use describe::{ServiceOptions, from_copybooks, structure_of};
pub use read::{CopybookOptions, DerivedOperation, ImportResolver, to_copybooks};

/// Why a description cannot be made or used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WsdlError {
    /// The document is not well-formed.
    #[error(transparent)]
    Xml(#[from] crate::xml::Error),
    /// The copybook has faults.
    #[error("{0}")]
    Copybook(String),
    /// Something that the description has and this cannot do.
    #[error("{place}: {what}. {fix}")]
    Refused {
        /// File and line, and the element.
        place: String,
        /// The problem.
        what: String,
        /// The suggested fix.
        fix: String,
    },
    /// The description contradicts itself.
    #[error("{place}: {reason}")]
    Broken {
        /// File and line, and the element.
        place: String,
        /// The reason.
        reason: String,
    },
}

impl WsdlError {
    /// Whether the error is an unsupported construct.
    pub fn is_refusal(&self) -> bool {
        matches!(self, WsdlError::Refused { .. })
    }
}

/// Namespace of descriptions.
const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
/// Namespace of version 2.0.
const WSDL2: &str = "http://www.w3.org/ns/wsdl";
/// Namespaces of the two SOAP bindings.
const SOAP: [&str; 2] = [
    "http://schemas.xmlsoap.org/wsdl/soap/",
    "http://schemas.xmlsoap.org/wsdl/soap12/",
];
/// A binding's transport for SOAP over HTTP.
const HTTP: &str = "http://schemas.xmlsoap.org/soap/http";
