//! Calls of the API requester: the host API (BAQINIT, BAQPUTN, BAQEXEC, BAQGETN,
//! BAQFREE, BAQTERM) and its older stub (BAQCSTUB, BAQCTERM).
//!
//! The worker takes the areas of the program's control blocks and sends them to
//! the region, which makes the request. The response stays here, and the
//! program reads it in place. The meaning of an API's structures belongs to the
//! gateway.
//!
//! Reference: z/OS Connect, "Understanding the Host API"; the control blocks of
//! BAQHAREC and BAQRINFO.

mod blocks;
mod host;
mod stub;

pub(crate) use host::{exec, free, get_next, init, put_next, terminate};
pub(crate) use stub::{stub, stub_end};

use crate::exec::CommandStop;
use crate::services::CommandReply;
use crate::worker::Worker;
use link::CommandOperands;
use std::collections::HashMap;

/// Number of the call that the region serves; no command has it.
pub const REQUESTER_CALL: u16 = 0xBA01;
/// Operands of that call, and of its answer.
pub mod operand {
    /// 1 for the stub, 0 for the host API.
    pub const STUB: u8 = 0;
    /// Name of the API.
    pub const API: u8 = 1;
    /// Path of the operation, percent-encoded.
    pub const PATH: u8 = 2;
    /// Its method.
    pub const METHOD: u8 = 3;
    /// The structure of the request, and of the response.
    pub const BASE: u8 = 4;
    /// Data areas, as pairs.
    pub const AREAS: u8 = 5;
    /// Parameters of the request, as pairs.
    pub const PARAMETERS: u8 = 6;
    /// Of an answer: how the call went ([`super::outcome`]).
    pub const OUTCOME: u8 = 7;
    /// Of an answer: HTTP status, 0 for none.
    pub const STATUS: u8 = 8;
    /// Of an answer: the message for the program.
    pub const MESSAGE: u8 = 9;
    /// Of an answer: bytes of one element of each area, as pairs.
    pub const ELEMENTS: u8 = 10;
}

/// How a call went.
pub mod outcome {
    /// There is a response, in structures.
    pub const MAPPED: i64 = 0;
    /// There is a response that the document does not describe, or an error's.
    pub const UNMAPPED: i64 = 1;
    /// The requester could not make the request, or use the response.
    pub const REFUSED: i64 = 2;
    /// The server did not answer.
    pub const NO_RESPONSE: i64 = 3;
}

/// Most bytes that a task's data areas may have.
const MOST_BYTES: usize = 24 << 20;

/// The storage of a task's calls.
#[derive(Debug, Default)]
pub(crate) struct ApiAreas {
    initialised: bool,
    /// Areas of the next request.
    put: Vec<(String, Vec<u8>)>,
    put_bytes: usize,
    /// The last response: its structure, and its areas by name.
    base: Box<[u8]>,
    got: HashMap<String, ResponseArea>,
}

/// An area of a response.
#[derive(Debug)]
struct ResponseArea {
    bytes: Box<[u8]>,
    element: usize,
    next: usize,
}

impl ApiAreas {
    /// Adds an element to an area of the next request; false when there is no
    /// room.
    fn put(&mut self, name: &str, element: &[u8]) -> bool {
        if self.put_bytes + element.len() > MOST_BYTES {
            return false;
        }
        self.put_bytes += element.len();
        match self.put.iter_mut().find(|(known, _)| known == name) {
            Some((_, bytes)) => bytes.extend_from_slice(element),
            None => self.put.push((name.to_owned(), element.to_vec())),
        }
        true
    }

    fn forget(&mut self) {
        let initialised = self.initialised;
        *self = ApiAreas {
            initialised,
            ..ApiAreas::default()
        };
    }

    /// Keeps a response.
    fn keep(&mut self, answer: &CommandOperands) {
        self.put.clear();
        self.put_bytes = 0;
        self.got.clear();
        self.base = answer.get_bytes(operand::BASE).unwrap_or_default().into();
        let areas = pairs(answer.get_bytes(operand::AREAS).unwrap_or_default());
        let sizes = pairs(answer.get_bytes(operand::ELEMENTS).unwrap_or_default());
        for ((name, bytes), (_, size)) in areas.into_iter().zip(sizes) {
            let element = size
                .first_chunk()
                .map_or(0, |size| u32::from_ne_bytes(*size));
            let got = ResponseArea {
                element: (element as usize).clamp(1, bytes.len().max(1)),
                bytes: bytes.into(),
                next: 0,
            };
            self.got
                .insert(String::from_utf8_lossy(name).into_owned(), got);
        }
    }
}

/// Names and values, one after another.
pub fn emit_pairs<'a>(pairs: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in pairs {
        for part in [name, value] {
            out.extend((part.len() as u32).to_ne_bytes());
            out.extend_from_slice(part);
        }
    }
    out
}

/// Reads them; a truncated pair ends the list.
pub fn pairs(mut bytes: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut all = Vec::new();
    let mut take = || {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let length = u32::from_ne_bytes(*length) as usize;
        let part = rest.get(..length)?;
        bytes = &rest[length..];
        Some(part)
    };
    while let (Some(name), Some(value)) = (take(), take()) {
        all.push((name, value));
    }
    all
}

/// A call that is sent to the region.
struct ApiCall<'a> {
    stub: bool,
    api: &'a str,
    path: &'a str,
    method: &'a str,
    base: &'a [u8],
    parameters: Vec<(String, Vec<u8>)>,
}

impl ApiCall<'_> {
    fn send(self, w: &mut Worker) -> Result<CommandReply, CommandStop> {
        let areas = w.task.requester.put.iter();
        let areas = emit_pairs(areas.map(|(name, bytes)| (name.as_bytes(), bytes.as_slice())));
        let parameters = self.parameters.iter();
        let parameters =
            emit_pairs(parameters.map(|(name, value)| (name.as_bytes(), value.as_slice())));
        let operands = CommandOperands::default()
            .int(operand::STUB, self.stub.into())
            .bytes(operand::API, self.api)
            .bytes(operand::PATH, self.path)
            .bytes(operand::METHOD, self.method)
            .bytes(operand::BASE, self.base)
            .bytes(operand::AREAS, areas)
            .bytes(operand::PARAMETERS, parameters);
        Ok(w.services.command(REQUESTER_CALL, &operands)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_and_what_is_cut_ends_them() {
        let all = [(&b"a"[..], &b"one"[..]), (b"", b""), (b"bc", &[0; 300])];
        let bytes = emit_pairs(all);
        assert_eq!(pairs(&bytes), all);
        assert_eq!(pairs(&bytes[..bytes.len() - 1]), all[..2]);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            let _ = pairs(&bytes);
        }
    }
}
