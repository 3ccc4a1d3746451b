//! Requests with holes: `{{feeder.column}}`, `{{captured}}`, `{{client}}`,
//! `{{iteration}}`, `{{random 1 100}}`, `{{uuid}}`, `{{now_ms}}`. A request
//! without holes is bytes that every client shares; one with holes is rendered
//! into the client's own buffer, which is reused.
//!
//! Invariant: no value can end the request line or a header.

use crate::clock;
use crate::feeder::{Feeder, write_number};
use base::SeededRandom;
use std::sync::Arc;

/// A request, compiled.
#[derive(Clone, Debug)]
pub enum RequestTemplate {
    /// The same bytes every time.
    Fixed(Arc<[u8]>),
    /// An HTTP request whose Content-Length is computed from the rendered body.
    Http {
        /// Everything up to the line before Content-Length.
        head: Arc<[TemplatePiece]>,
        /// The body.
        body: Arc<[TemplatePiece]>,
        /// Whether a Content-Length line is written.
        with_length: bool,
    },
    /// Data sent in a conversation.
    Plain {
        /// The data.
        body: Arc<[TemplatePiece]>,
        /// Pads with blanks or truncates to this many bytes.
        bytes: Option<usize>,
        /// Whether the text is sent in EBCDIC (code page 037).
        ebcdic: bool,
    },
    /// A message on a raw socket, framed after it is rendered.
    Message {
        /// The message.
        body: Arc<[TemplatePiece]>,
        /// Its frame.
        framing: super::MessageFraming,
    },
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// These bytes.
    Bytes(Box<[u8]>),
    /// A value known when the request is sent.
    Var(TemplateVariable),
    /// A value within a request target, percent-encoded.
    Encoded(TemplateVariable),
    /// A value within a header; it must not contain an end of line.
    Field {
        /// The header's name.
        name: Arc<str>,
        /// The value.
        var: TemplateVariable,
    },
}

/// A value that is not allowed at its position in the template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the header {header} was not sent: its value holds {}", forbidden_name(*byte))]
pub struct UnsendableValue {
    /// The header's name.
    pub header: String,
    /// The first byte that is not allowed in a header.
    pub byte: u8,
}

/// A value known when the request is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateVariable {
    /// A column of a feeder's row.
    Feeder {
        /// The index of the feeder in the plan.
        feeder: usize,
        /// The index of the column.
        column: usize,
    },
    /// A captured value, by slot.
    Captured(usize),
    /// The client's number.
    Client,
    /// The client's iteration, from 0.
    Iteration,
    /// A random number, both ends included.
    Random(u64, u64),
    /// A random UUID.
    Uuid,
    /// Milliseconds since 1970.
    NowMs,
}

/// The sources of values.
pub struct TemplateScope<'a> {
    /// The plan's feeders.
    pub feeders: &'a [Arc<Feeder>],
    /// The client's current rows, one for each feeder.
    pub rows: &'a [u64],
    /// The client's captured values, by slot.
    pub captured: &'a [Vec<u8>],
    /// The client's number.
    pub client: u64,
    /// The client's iteration.
    pub iteration: u64,
    /// The client's random generator.
    pub rng: &'a mut SeededRandom,
}

impl RequestTemplate {
    /// The bytes, if the request has no values.
    pub fn fixed(&self) -> Option<&Arc<[u8]>> {
        match self {
            RequestTemplate::Fixed(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Appends the request to `out`; `scratch` is a reusable buffer. After an
    /// error, `out` contains an incomplete request.
    pub fn render(
        &self,
        scope: &mut TemplateScope<'_>,
        scratch: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) -> Result<(), UnsendableValue> {
        match self {
            RequestTemplate::Fixed(bytes) => out.extend_from_slice(bytes),
            RequestTemplate::Http {
                head,
                body,
                with_length,
            } => {
                scratch.clear();
                render(body, scope, scratch)?;
                render(head, scope, out)?;
                if *with_length {
                    out.extend_from_slice(b"Content-Length: ");
                    write_number(scratch.len(), out);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"\r\n");
                out.extend_from_slice(scratch);
            }
            RequestTemplate::Plain {
                body,
                bytes,
                ebcdic,
            } => {
                scratch.clear();
                render(body, scope, scratch)?;
                if *ebcdic {
                    *scratch = sna::ebcdic::from_str(&String::from_utf8_lossy(scratch));
                }
                let blank = if *ebcdic { sna::ebcdic::SPACE } else { b' ' };
                if let Some(bytes) = bytes {
                    scratch.resize(*bytes, blank);
                }
                out.extend_from_slice(scratch);
            }
            RequestTemplate::Message { body, framing } => {
                scratch.clear();
                render(body, scope, scratch)?;
                framing.emit(scratch, out);
            }
        }
        Ok(())
    }

    /// The template as fixed bytes if it has no values.
    pub fn simplified(self) -> RequestTemplate {
        let varies =
            |pieces: &[TemplatePiece]| pieces.iter().any(|p| !matches!(p, TemplatePiece::Bytes(_)));
        let fixed = match &self {
            RequestTemplate::Fixed(_) => return self,
            RequestTemplate::Http { head, body, .. } => !varies(head) && !varies(body),
            RequestTemplate::Plain { body, .. } | RequestTemplate::Message { body, .. } => {
                !varies(body)
            }
        };
        if !fixed {
            return self;
        }
        let mut scope = TemplateScope {
            feeders: &[],
            rows: &[],
            captured: &[],
            client: 0,
            iteration: 0,
            rng: &mut SeededRandom::stream(0, 0),
        };
        let mut out = Vec::new();
        self.render(&mut scope, &mut Vec::new(), &mut out)
            .expect("a template without values can be sent");
        RequestTemplate::Fixed(out.into())
    }
}

/// Appends pieces with their current values.
fn render(
    pieces: &[TemplatePiece],
    scope: &mut TemplateScope<'_>,
    out: &mut Vec<u8>,
) -> Result<(), UnsendableValue> {
    for piece in pieces {
        match piece {
            TemplatePiece::Bytes(bytes) => out.extend_from_slice(bytes),
            TemplatePiece::Var(var) => write_value(var, scope, out),
            TemplatePiece::Encoded(var) => {
                let start = out.len();
                write_value(var, scope, out);
                if out[start..].iter().any(|b| !in_request_line(*b)) {
                    let value = out.split_off(start);
                    percent_encode(&value, out);
                }
            }
            TemplatePiece::Field { name, var } => {
                let start = out.len();
                write_value(var, scope, out);
                if let Some(byte) = forbidden_in_header(&out[start..]) {
                    let header = name.to_string();
                    return Err(UnsendableValue { header, byte });
                }
            }
        }
    }
    Ok(())
}

fn write_value(var: &TemplateVariable, scope: &mut TemplateScope<'_>, out: &mut Vec<u8>) {
    match var {
        TemplateVariable::Feeder { feeder, column } => {
            if let (Some(feeder), Some(row)) = (scope.feeders.get(*feeder), scope.rows.get(*feeder))
            {
                feeder.write(*row, *column, out);
            }
        }
        TemplateVariable::Captured(slot) => {
            out.extend_from_slice(scope.captured.get(*slot).map_or(&[], |v| v));
        }
        TemplateVariable::Client => write_number(scope.client, out),
        TemplateVariable::Iteration => write_number(scope.iteration, out),
        TemplateVariable::Random(low, high) => write_number(scope.rng.between(*low, *high), out),
        TemplateVariable::Uuid => {
            let (a, b) = (scope.rng.next_u64(), scope.rng.next_u64());
            write_number(
                format_args!(
                    "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
                    a >> 32,
                    (a >> 16) & 0xffff,
                    a & 0xfff,
                    0x8000 | ((b >> 48) & 0x3fff),
                    b & 0xffff_ffff_ffff
                ),
                out,
            );
        }
        TemplateVariable::NowMs => write_number(clock::wall() / 1_000_000, out),
    }
}

/// Whether a byte is allowed in a request target: neither a blank, nor a control
/// character, nor above 7E. Whether other characters (`&`, `%`, `/`) need encoding
/// depends on the author's intent.
fn in_request_line(byte: u8) -> bool {
    byte.is_ascii_graphic()
}

/// Appends a value with `%XX` for each byte that is not allowed in a request
/// target.
///
/// Reference: RFC 9112, section 3; RFC 3986, section 2.1.
pub(crate) fn percent_encode(value: &[u8], out: &mut Vec<u8>) {
    for byte in value {
        if in_request_line(*byte) {
            out.push(*byte);
        } else {
            write_number(format_args!("%{byte:02X}"), out);
        }
    }
}

/// The first byte of a value that would end a header or is not allowed in one.
///
/// Reference: RFC 9110, section 5.5.
pub(crate) fn forbidden_in_header(value: &[u8]) -> Option<u8> {
    value.iter().copied().find(|b| b"\r\n\0".contains(b))
}

/// The name of a byte that is not allowed in a header.
pub(crate) fn forbidden_name(byte: u8) -> &'static str {
    match byte {
        b'\r' => "a carriage return",
        b'\n' => "a line feed",
        _ => "a NUL",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(pieces: &[TemplatePiece], captured: &[u8]) -> Result<Vec<u8>, UnsendableValue> {
        let mut scope = TemplateScope {
            feeders: &[],
            rows: &[],
            captured: &[captured.to_vec()],
            client: 0,
            iteration: 0,
            rng: &mut SeededRandom::stream(0, 0),
        };
        let mut out = b"before ".to_vec();
        render(pieces, &mut scope, &mut out).map(|()| out)
    }

    #[test]
    fn a_request_target_has_no_blank_control_or_byte_above_7e() {
        let target = [TemplatePiece::Encoded(TemplateVariable::Captured(0))];
        for (value, expected) in [
            (&b"ann"[..], "before ann"),
            (b"a b", "before a%20b"),
            ("\u{fc}".as_bytes(), "before %C3%BC"),
            (b"a\r\nX: 1\0\x7f", "before a%0D%0AX:%201%00%7F"),
            (b"a&b=%41/c?", "before a&b=%41/c?"),
        ] {
            assert_eq!(rendered(&target, value).unwrap(), expected.as_bytes());
        }
    }

    #[test]
    fn a_header_with_an_end_of_line_is_not_sent() {
        let field = [TemplatePiece::Field {
            name: "X-U".into(),
            var: TemplateVariable::Captured(0),
        }];
        assert_eq!(rendered(&field, b"a\tb").unwrap(), b"before a\tb");
        for (value, byte) in [
            (&b"a\r\nX: 1"[..], "a carriage return"),
            (b"a\n", "a line feed"),
            (b"\0", "a NUL"),
        ] {
            let why = rendered(&field, value).unwrap_err().to_string();
            assert_eq!(
                why,
                format!("the header X-U was not sent: its value holds {byte}")
            );
        }
    }
}
