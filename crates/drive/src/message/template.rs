//! Requests with holes: `{{feeder.column}}`, `{{captured}}`, `{{client}}`,
//! `{{iteration}}`, `{{random 1 100}}`, `{{uuid}}`, `{{now_ms}}`. A request
//! without holes is bytes that every client shares; one with holes is rendered
//! into the client's own buffer, which is reused.

use crate::clock;
use crate::feeder::{Feeder, write_number};
use crate::rng::Rng;
use std::sync::Arc;

/// A request, compiled.
#[derive(Clone, Debug)]
pub enum Template {
    /// The same bytes every time.
    Fixed(Arc<[u8]>),
    /// An HTTP request whose Content-Length is known once the body is.
    Http {
        /// Everything up to the line before Content-Length.
        head: Arc<[Piece]>,
        /// The body.
        body: Arc<[Piece]>,
        /// Whether a Content-Length line is written.
        with_length: bool,
    },
    /// What is sent in a conversation.
    Plain {
        /// The data.
        body: Arc<[Piece]>,
        /// Filled with blanks, or cut, to this many bytes.
        bytes: Option<usize>,
        /// Whether the text is sent in EBCDIC (code page 037).
        ebcdic: bool,
    },
    /// A message of a raw socket, framed after it is rendered.
    Message {
        /// The message.
        body: Arc<[Piece]>,
        /// Its frame.
        framing: super::Framing,
    },
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// These bytes.
    Bytes(Box<[u8]>),
    /// A value known when the request is sent.
    Var(Var),
}

/// A value known when the request is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Var {
    /// A column of a feeder's row.
    Feeder {
        /// Which feeder of the plan.
        feeder: usize,
        /// Which column.
        column: usize,
    },
    /// What a step captured, by slot.
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

/// What a rendering can draw on.
pub struct Scope<'a> {
    /// The plan's feeders.
    pub feeders: &'a [Arc<Feeder>],
    /// The rows the client drew, one a feeder.
    pub rows: &'a [u64],
    /// What the client captured, by slot.
    pub captured: &'a [Vec<u8>],
    /// The client's number.
    pub client: u64,
    /// The client's iteration.
    pub iteration: u64,
    /// The client's generator.
    pub rng: &'a mut Rng,
}

impl Template {
    /// The bytes, when they are the same every time.
    pub fn fixed(&self) -> Option<&Arc<[u8]>> {
        match self {
            Template::Fixed(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Appends the request to `out`; `scratch` is a buffer to reuse.
    pub fn render(&self, scope: &mut Scope<'_>, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
        match self {
            Template::Fixed(bytes) => out.extend_from_slice(bytes),
            Template::Http {
                head,
                body,
                with_length,
            } => {
                scratch.clear();
                render(body, scope, scratch);
                render(head, scope, out);
                if *with_length {
                    out.extend_from_slice(b"Content-Length: ");
                    write_number(scratch.len(), out);
                    out.extend_from_slice(b"\r\n");
                }
                out.extend_from_slice(b"\r\n");
                out.extend_from_slice(scratch);
            }
            Template::Plain {
                body,
                bytes,
                ebcdic,
            } => {
                scratch.clear();
                render(body, scope, scratch);
                if *ebcdic {
                    *scratch = sna::ebcdic::from_str(&String::from_utf8_lossy(scratch));
                }
                let blank = if *ebcdic { sna::ebcdic::SPACE } else { b' ' };
                if let Some(bytes) = bytes {
                    scratch.resize(*bytes, blank);
                }
                out.extend_from_slice(scratch);
            }
            Template::Message { body, framing } => {
                scratch.clear();
                render(body, scope, scratch);
                framing.emit(scratch, out);
            }
        }
    }

    /// The same template as fixed bytes when nothing in it varies.
    pub fn simplified(self) -> Template {
        let varies = |pieces: &[Piece]| pieces.iter().any(|p| matches!(p, Piece::Var(_)));
        let fixed = match &self {
            Template::Fixed(_) => return self,
            Template::Http { head, body, .. } => !varies(head) && !varies(body),
            Template::Plain { body, .. } | Template::Message { body, .. } => !varies(body),
        };
        if !fixed {
            return self;
        }
        let mut scope = Scope {
            feeders: &[],
            rows: &[],
            captured: &[],
            client: 0,
            iteration: 0,
            rng: &mut Rng::new(0, 0),
        };
        let mut out = Vec::new();
        self.render(&mut scope, &mut Vec::new(), &mut out);
        Template::Fixed(out.into())
    }
}

/// Appends pieces with their values of the moment.
pub fn render(pieces: &[Piece], scope: &mut Scope<'_>, out: &mut Vec<u8>) {
    for piece in pieces {
        match piece {
            Piece::Bytes(bytes) => out.extend_from_slice(bytes),
            Piece::Var(Var::Feeder { feeder, column }) => {
                if let (Some(feeder), Some(row)) =
                    (scope.feeders.get(*feeder), scope.rows.get(*feeder))
                {
                    feeder.write(*row, *column, out);
                }
            }
            Piece::Var(Var::Captured(slot)) => {
                out.extend_from_slice(scope.captured.get(*slot).map_or(&[], |v| v));
            }
            Piece::Var(Var::Client) => write_number(scope.client, out),
            Piece::Var(Var::Iteration) => write_number(scope.iteration, out),
            Piece::Var(Var::Random(low, high)) => {
                write_number(scope.rng.between(*low, *high), out);
            }
            Piece::Var(Var::Uuid) => {
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
            Piece::Var(Var::NowMs) => write_number(clock::wall() / 1_000_000, out),
        }
    }
}
