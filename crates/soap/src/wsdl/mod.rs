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

use base::Diagnostic;

use crate::xml::{Limits, XmlElement, parse_tree};

pub use describe::{ServiceOptions, from_copybooks, structure_of};
pub use read::{CopybookOptions, DerivedOperation, ImportResolver, to_copybooks};

/// A mistake at an element of a description; the message begins with the element. One
/// that is valid but not supported has a remedy.
fn mistake(
    file: &str,
    at: &XmlElement,
    message: impl Into<String>,
    fix: Option<&str>,
) -> Diagnostic {
    let name = at.attribute("name").or(at.attribute("ref"));
    let name = name.map_or(String::new(), |name| format!(" {name:?}"));
    at.mistake(format!("{}{name}: {}", at.name, message.into()))
        .in_file(file)
        .maybe_help(fix.map(str::to_owned))
}

/// The root element of a file.
fn parsed(text: &str, file: &str) -> Result<XmlElement, Diagnostic> {
    let wrong = |error| Diagnostic::from(error).in_file(file);
    parse_tree(text, Limits::default()).map_err(wrong)
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
