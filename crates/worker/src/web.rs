//! The web request of a task: its place in
//! its arena, how far commands have read it, and the answer that waits there
//! for the end of the task.
//!
//! Invariant: an answer is in one place. Once the region has taken a part of
//! it, all later parts are sent to the region too.

use cics::command::commands::web_write_httpheader as header_row;
use http::HeaderMap;
use link::{CommandOperands, Request};
use webtask::{CompleteAnswer, ReadPosition};

use crate::services::Arena;

/// The web side of a task.
#[derive(Debug, Default)]
pub(crate) struct WebSide {
    /// The request's place in the arena, and its bytes; 0 for none.
    at: (usize, usize),
    open: Option<Box<OpenedRequest>>,
    /// The answer that is kept: its place in the arena, and its bytes.
    kept: Option<(usize, usize)>,
}

/// A request that a command has asked for.
#[derive(Debug)]
pub(crate) struct OpenedRequest {
    pub request: webtask::Request,
    pub reading: ReadPosition,
    /// Headers for the answer that is not made yet.
    pub headers: HeaderMap,
    /// The region has a part of the answer.
    pub elsewhere: bool,
}

impl WebSide {
    /// Another task begins.
    pub fn begin(&mut self, request: &Request) {
        self.at = (request.web as usize, request.web_bytes as usize);
        self.open = None;
        self.kept = None;
    }

    /// The request, with its bytes; `None` for a task that serves none.
    pub fn open(&mut self, base: *mut u8) -> Option<(&mut OpenedRequest, &[u8])> {
        let (at, bytes) = self.at;
        if bytes == 0 {
            return None;
        }
        // SAFETY: the region has put the request there, and nothing else of the
        // arena is given that place before the task ends.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(at), bytes) };
        if self.open.is_none() {
            self.open = Some(Box::new(OpenedRequest {
                request: webtask::Request::parse(bytes)?,
                reading: ReadPosition::default(),
                headers: HeaderMap::new(),
                elsewhere: false,
            }));
        }
        Some((self.open.as_deref_mut()?, bytes))
    }

    /// The request, when something else than its program runs for it, and a
    /// copy of its bytes.
    pub fn staged(&mut self, base: *mut u8) -> Option<(webtask::Request, Vec<u8>)> {
        let (at, bytes) = self.at;
        if bytes == 0 {
            return None;
        }
        // SAFETY: as in `open`.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(at), bytes) };
        if !webtask::Request::is_staged(bytes) {
            return None;
        }
        Some((webtask::Request::parse(bytes)?, bytes.to_vec()))
    }

    /// Keeps an answer in place of the one before. False when the arena has no
    /// room for it; then the one before is dropped as well.
    pub fn keep(&mut self, answer: &CompleteAnswer, arena: Arena<'_>) -> bool {
        self.keep_parts(&answer.emit_head(), &answer.body, arena)
    }

    /// The same with what an analyzer has said, which is not an answer yet.
    pub fn keep_bytes(&mut self, bytes: &[u8], arena: Arena<'_>) -> bool {
        self.keep_parts(bytes, &[], arena)
    }

    fn keep_parts(&mut self, head: &[u8], body: &[u8], arena: Arena<'_>) -> bool {
        let bytes = head.len() + body.len();
        if let Some((at, old)) = self.kept.take() {
            arena.heap.free(at, old);
        }
        let Some(at) = arena.heap.alloc(bytes) else {
            return false;
        };
        // SAFETY: a block of that many bytes in the task's arena.
        let to = unsafe { std::slice::from_raw_parts_mut(arena.base.add(at), bytes) };
        to[..head.len()].copy_from_slice(head);
        to[head.len()..].copy_from_slice(body);
        self.kept = Some((at, bytes));
        true
    }

    /// Forgets the answer that is kept.
    pub fn forget(&mut self, arena: Arena<'_>) {
        if let Some((at, bytes)) = self.kept.take() {
            arena.heap.free(at, bytes);
        }
    }

    /// Whether an answer is kept.
    pub fn has_answer(&self) -> bool {
        self.kept.is_some()
    }

    /// Whether a program has sent something, here or to the region.
    pub fn is_answered(&self) -> bool {
        self.kept.is_some() || self.open.as_ref().is_some_and(|open| open.elsewhere)
    }

    /// The answer at the end of the task: its place and its bytes.
    pub fn end(&self) -> (usize, usize) {
        self.kept.unwrap_or_default()
    }
}

impl OpenedRequest {
    /// The region gets the answer from now on: the operands of WRITE
    /// HTTPHEADER for each header that it does not have yet.
    pub fn hand_over(&mut self) -> Vec<CommandOperands> {
        self.elsewhere = true;
        let headers = std::mem::take(&mut self.headers);
        let options = 1 << header_row::HTTPHEADER | 1 << header_row::VALUE;
        let each = headers.iter().map(|(name, value)| {
            CommandOperands::new(options)
                .bytes(header_row::HTTPHEADER, name.as_str())
                .bytes(header_row::VALUE, value.as_bytes())
        });
        each.collect()
    }
}
