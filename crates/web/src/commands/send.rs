//! WEB SEND and WEB RETRIEVE: the answer to the request.
//!
//! EVENTUAL keeps the answer until the task ends, and a second one replaces it;
//! IMMEDIATE and chunks are sent at once. Chunks have a bounded queue: a client
//! that does not read them makes the task wait. Headers that are written after
//! the first chunk are trailers. Trailers are sent with the end if the header
//! Trailer names them and the client accepts trailers.
//!
//! Reference: CICS API reference, WEB SEND (server), WEB RETRIEVE.

use bytes::Bytes;
use cics::command::commands::{web_retrieve, web_send as row};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use http::Version;
use hyper::body::Frame;
use link::CommandOperands;
use tokio::sync::mpsc;
use webtask::send::{conversion, head};

use super::{CommandFailure, OutputAreas, WebCommandResult, cvda, fail, is_selected};
use crate::document::TaskDocuments;
use crate::request::{BodyPiece, WebAnswer, WebBody};
use crate::task::{AnswerState, ServerSide};

/// Chunks that wait to be written.
const CHUNKS: usize = 16;

/// The outcome of a SEND.
#[derive(Debug)]
pub enum SendOutcome {
    /// The send is done.
    Done,
    /// The send is done when these pieces are in the queue.
    Waits(mpsc::Sender<BodyPiece>, Vec<BodyPiece>),
}

/// How much of a chunked answer this SEND has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunking {
    No,
    Yes,
    End,
}

/// Serves SEND of a task that a request began. `page` is the region's.
pub fn send(
    server: &mut ServerSide,
    documents: &mut TaskDocuments,
    given: &CommandOperands,
    page: CodePage,
) -> Result<SendOutcome, CommandFailure> {
    let chunking = chunking(given)?;
    match (&server.answer, chunking) {
        (AnswerState::Sent, _) => return fail(Condition::InvReq, 70),
        (AnswerState::Chunks(_), Chunking::No) => return fail(Condition::InvReq, 71),
        (AnswerState::None | AnswerState::Eventual(_), Chunking::End) => {
            return fail(Condition::InvReq, 77);
        }
        _ => {}
    }
    if given.get_int(row::FROMLENGTH).is_some_and(|n| n < 0) {
        return fail(Condition::LengErr, 1);
    }
    let conversion = conversion(given, page)?;
    let (body, document) = body(documents, given, conversion, chunking)?;
    if let AnswerState::Chunks(queue) = &server.answer {
        let queue = queue.clone();
        return more(server, queue, body, chunking);
    }
    let immediate =
        chunking == Chunking::Yes || is_selected(given, row::IMMEDIATE, row::ACTION, "IMMEDIATE");
    if given.has(row::ACTION) && !immediate && given.get_int(row::ACTION) != Some(cvda("EVENTUAL"))
    {
        return fail(Condition::InvReq, 11);
    }
    let answer = WebAnswer::from(head(
        &mut server.headers,
        given,
        conversion,
        body.is_empty(),
    )?);
    server.sent_document = if delete_document(given)? {
        document.map(|token| documents.remove(&token));
        None
    } else {
        document.filter(|_| !immediate)
    };
    if chunking == Chunking::Yes {
        return begin_chunks(server, answer, body);
    }
    let answer = WebAnswer {
        body: WebBody::Whole(body),
        ..answer
    };
    if !immediate {
        server.answer = AnswerState::Eventual(answer);
        return Ok(SendOutcome::Done);
    }
    server.answer = AnswerState::Sent;
    hand_over(server, answer)
}

/// Gives the client its answer; IOERR when it has disconnected.
fn hand_over(server: &mut ServerSide, answer: WebAnswer) -> Result<SendOutcome, CommandFailure> {
    let sent = server
        .way
        .take()
        .is_some_and(|way| way.send(answer).is_ok());
    if sent {
        Ok(SendOutcome::Done)
    } else {
        fail(Condition::IoErr, 42)
    }
}

fn begin_chunks(
    server: &mut ServerSide,
    answer: WebAnswer,
    body: Vec<u8>,
) -> Result<SendOutcome, CommandFailure> {
    if server.request.parts.version == Version::HTTP_10 {
        return fail(Condition::InvReq, 85);
    }
    let (queue, pieces) = mpsc::channel(CHUNKS);
    let answer = WebAnswer {
        body: WebBody::Stream(pieces),
        ..answer
    };
    server.answer = AnswerState::Chunks(queue.clone());
    hand_over(server, answer)?;
    more(server, queue, body, Chunking::Yes)
}

/// Another chunk, or the end.
fn more(
    server: &mut ServerSide,
    queue: mpsc::Sender<BodyPiece>,
    body: Vec<u8>,
    chunking: Chunking,
) -> Result<SendOutcome, CommandFailure> {
    let mut pieces = Vec::new();
    // A piece of no bytes would end the answer on the wire.
    if !body.is_empty() {
        pieces.push(Some(Frame::data(Bytes::from(body))));
    }
    if chunking == Chunking::End {
        server.answer = AnswerState::Sent;
        let trailers = std::mem::take(&mut server.headers);
        if !trailers.is_empty() {
            pieces.push(Some(Frame::trailers(trailers)));
        }
        pieces.push(None);
    }
    let mut pieces = pieces.into_iter();
    while let Some(piece) = pieces.next() {
        match queue.try_send(piece) {
            Ok(()) => {}
            Err(mpsc::error::TrySendError::Full(piece)) => {
                let rest = std::iter::once(piece).chain(pieces).collect();
                return Ok(SendOutcome::Waits(queue, rest));
            }
            Err(mpsc::error::TrySendError::Closed(_)) => return fail(Condition::IoErr, 42),
        }
    }
    Ok(SendOutcome::Done)
}

fn chunking(given: &CommandOperands) -> Result<Chunking, CommandFailure> {
    let is = |flag, name| is_selected(given, flag, row::CHUNKING, name);
    if is(row::CHUNKYES, "CHUNKYES") {
        return Ok(Chunking::Yes);
    }
    if is(row::CHUNKEND, "CHUNKEND") {
        return Ok(Chunking::End);
    }
    if given.has(row::CHUNKING) && !is(row::CHUNKNO, "CHUNKNO") {
        fail(Condition::InvReq, 75)
    } else {
        Ok(Chunking::No)
    }
}

/// The body, and the document that it is.
fn body(
    documents: &TaskDocuments,
    given: &CommandOperands,
    conversion: Option<(CodePage, CodePage)>,
    chunking: Chunking,
) -> Result<(Vec<u8>, Option<[u8; 16]>), CommandFailure> {
    if given.has(row::DOCTOKEN) {
        if chunking != Chunking::No {
            return fail(Condition::InvReq, 86);
        }
        let token = super::document::token(given, row::DOCTOKEN);
        let Some(document) = documents.get(&token) else {
            return fail(Condition::NotFnd, 1);
        };
        return Ok((document.data(conversion), Some(token)));
    }
    Ok((webtask::send::body(given, conversion), None))
}

/// DOCSTATUS: whether the document is deleted with the SEND.
fn delete_document(given: &CommandOperands) -> Result<bool, CommandFailure> {
    let deletes = is_selected(given, row::DOCDELETE, row::DOCSTATUS, "DOCDELETE");
    let known = deletes || given.get_int(row::DOCSTATUS) == Some(cvda("NODOCDELETE"));
    if given.has(row::DOCSTATUS) && !known {
        fail(Condition::InvReq, 145)
    } else {
        Ok(deletes)
    }
}

/// WEB RETRIEVE.
pub fn retrieve(server: &ServerSide) -> WebCommandResult {
    match (&server.answer, server.sent_document) {
        (AnswerState::None, _) => fail(Condition::InvReq, 2),
        (_, None) => fail(Condition::NotFnd, 1),
        (_, Some(token)) => {
            let mut filled = OutputAreas::default();
            filled.chars(web_retrieve::DOCTOKEN, &token);
            filled.done()
        }
    }
}
