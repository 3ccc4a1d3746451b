//! Writing envelopes.

use super::SoapVersion;
use crate::xml::push_attribute;

/// Appends everything up to the body's contents; `headers` are whole elements
/// with their own declarations, `declarations` those that the body needs.
pub fn open(out: &mut Vec<u8>, version: SoapVersion, headers: &[&str], declarations: &str) {
    out.extend_from_slice(
        b"<?xml version=\"1.0\" encoding=\"UTF-8\"?><SOAP-ENV:Envelope xmlns:SOAP-ENV",
    );
    push_attribute(out, version.namespace());
    if !declarations.is_empty() {
        out.push(b' ');
        out.extend_from_slice(declarations.as_bytes());
    }
    out.push(b'>');
    if headers.iter().any(|h| !h.is_empty()) {
        out.extend_from_slice(b"<SOAP-ENV:Header>");
        for header in headers {
            out.extend_from_slice(header.as_bytes());
        }
        out.extend_from_slice(b"</SOAP-ENV:Header>");
    }
    out.extend_from_slice(b"<SOAP-ENV:Body>");
}

/// Appends the end of the body and of the envelope.
pub fn close(out: &mut Vec<u8>) {
    out.extend_from_slice(b"</SOAP-ENV:Body></SOAP-ENV:Envelope>");
}
