//! WEB SEND and WEB RETRIEVE: the answer to the request.
//!
//! EVENTUAL keeps the answer for the end of the task, and a second one takes
//! its place; IMMEDIATE and chunks go at once. Chunks have a bounded queue: a
//! client that does not read them makes the task wait.
//!
//! Reference: CICS API reference, WEB SEND (server), WEB RETRIEVE.

use bytes::Bytes;
use cics::command::commands::{web_retrieve, web_send as row};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode, Version};
use link::Operands;
use tokio::sync::mpsc;

use super::{Failure, Filled, Outcome, cvda, fail, says, text};
use crate::document::Documents;
use crate::pages;
use crate::request::{WebAnswer, WebBody};
use crate::task::{AnswerState, ServerSide};

/// Chunks that wait to be written.
const CHUNKS: usize = 16;

/// What SEND came to.
#[derive(Debug)]
pub enum Sent {
    /// It is done.
    Done,
    /// It is done when this piece is in the queue.
    Waits(mpsc::Sender<Option<Bytes>>, Option<Bytes>),
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
    documents: &mut Documents,
    given: &Operands,
    page: CodePage,
) -> Result<Sent, Failure> {
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
        chunking == Chunking::Yes || says(given, row::IMMEDIATE, row::ACTION, "IMMEDIATE");
    if given.has(row::ACTION) && !immediate && given.get_int(row::ACTION) != Some(cvda("EVENTUAL"))
    {
        return fail(Condition::InvReq, 11);
    }
    let answer = head(server, given, conversion, body.is_empty())?;
    server.sent_document = match delete_document(given)? {
        true => {
            document.map(|token| documents.remove(&token));
            None
        }
        false => document.filter(|_| !immediate),
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
        return Ok(Sent::Done);
    }
    server.answer = AnswerState::Sent;
    hand_over(server, answer)
}

/// Gives the client its answer; IOERR when it has gone.
fn hand_over(server: &mut ServerSide, answer: WebAnswer) -> Result<Sent, Failure> {
    let sent = server
        .way
        .take()
        .is_some_and(|way| way.send(answer).is_ok());
    match sent {
        true => Ok(Sent::Done),
        false => fail(Condition::IoErr, 42),
    }
}

fn begin_chunks(
    server: &mut ServerSide,
    answer: WebAnswer,
    body: Vec<u8>,
) -> Result<Sent, Failure> {
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
    queue: mpsc::Sender<Option<Bytes>>,
    body: Vec<u8>,
    chunking: Chunking,
) -> Result<Sent, Failure> {
    if chunking == Chunking::End {
        server.answer = AnswerState::Sent;
    }
    // A piece of no bytes would end the answer on the wire.
    let piece = (!body.is_empty()).then(|| Bytes::from(body));
    let end = chunking == Chunking::End;
    for piece in piece.into_iter().map(Some).chain(end.then_some(None)) {
        match queue.try_send(piece) {
            Ok(()) => {}
            // The end always comes last, so nothing is behind it.
            Err(mpsc::error::TrySendError::Full(piece)) => return Ok(Sent::Waits(queue, piece)),
            Err(mpsc::error::TrySendError::Closed(_)) => return fail(Condition::IoErr, 42),
        }
    }
    Ok(Sent::Done)
}

fn chunking(given: &Operands) -> Result<Chunking, Failure> {
    let is = |flag, name| says(given, flag, row::CHUNKING, name);
    if is(row::CHUNKYES, "CHUNKYES") {
        return Ok(Chunking::Yes);
    }
    if is(row::CHUNKEND, "CHUNKEND") {
        return Ok(Chunking::End);
    }
    match given.has(row::CHUNKING) && !is(row::CHUNKNO, "CHUNKNO") {
        true => fail(Condition::InvReq, 75),
        false => Ok(Chunking::No),
    }
}

/// The body, and the document that it is.
fn body(
    documents: &Documents,
    given: &Operands,
    conversion: Option<(CodePage, CodePage)>,
    chunking: Chunking,
) -> Result<(Vec<u8>, Option<[u8; 16]>), Failure> {
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
    let bytes = given.get_bytes(row::FROM).unwrap_or_default();
    let body = match conversion {
        Some((from, to)) => pages::convert(bytes, from, to),
        None => bytes.to_vec(),
    };
    Ok((body, None))
}

/// Status, headers and what becomes of the connection.
fn head(
    server: &mut ServerSide,
    given: &Operands,
    conversion: Option<(CodePage, CodePage)>,
    empty: bool,
) -> Result<WebAnswer, Failure> {
    let status = given.get_int(row::STATUSCODE).unwrap_or(200);
    let status = u16::try_from(status)
        .ok()
        .filter(|s| (200..=999).contains(s));
    let Some(status) = status.and_then(|s| StatusCode::from_u16(s).ok()) else {
        // What is no final answer cannot be one.
        return fail(Condition::InvReq, 5);
    };
    if matches!(status.as_u16(), 204 | 205 | 304) && !empty {
        return fail(Condition::InvReq, 72);
    }
    let mut answer = WebAnswer::of(status);
    answer.reason = given
        .get_bytes(row::STATUSTEXT)
        .unwrap_or_default()
        .trim_ascii()
        .to_vec();
    answer.headers = std::mem::take(&mut server.headers);
    if let Some(media) = text(given, row::MEDIATYPE).filter(|m| !m.is_empty()) {
        let charset = text(given, row::CHARACTERSET).map(|set| set.to_ascii_lowercase());
        let media = match conversion.and(charset) {
            Some(set) if pages::is_text(&media) => format!("{media}; charset={set}"),
            _ => media,
        };
        set(&mut answer.headers, CONTENT_TYPE, &media)?;
    }
    answer.close = says(given, row::CLOSE, row::CLOSESTATUS, "CLOSE");
    let known = answer.close || given.get_int(row::CLOSESTATUS) == Some(cvda("NOCLOSE"));
    if given.has(row::CLOSESTATUS) && !known {
        return fail(Condition::InvReq, 13);
    }
    Ok(answer)
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) -> Result<(), Failure> {
    match HeaderValue::from_str(value) {
        Ok(value) => {
            headers.insert(name, value);
            Ok(())
        }
        Err(_) => fail(Condition::InvReq, 32),
    }
}

/// DOCSTATUS: whether the document goes with the SEND.
fn delete_document(given: &Operands) -> Result<bool, Failure> {
    let deletes = says(given, row::DOCDELETE, row::DOCSTATUS, "DOCDELETE");
    let known = deletes || given.get_int(row::DOCSTATUS) == Some(cvda("NODOCDELETE"));
    match given.has(row::DOCSTATUS) && !known {
        true => fail(Condition::InvReq, 145),
        false => Ok(deletes),
    }
}

/// From which page into which the body is converted; none as it is.
fn conversion(given: &Operands, page: CodePage) -> Result<Option<(CodePage, CodePage)>, Failure> {
    if says(given, row::NOSRVCONVERT, row::SERVERCONV, "NOSRVCONVERT") {
        return Ok(None);
    }
    let asks = says(given, row::SRVCONVERT, row::SERVERCONV, "SRVCONVERT");
    if given.has(row::SERVERCONV) && !asks {
        return fail(Condition::InvReq, 46);
    }
    let named = text(given, row::CHARACTERSET);
    let host = text(given, row::HOSTCODEPAGE);
    let media = text(given, row::MEDIATYPE).unwrap_or_default();
    if !asks && named.is_none() && host.is_none() || !pages::is_text(&media) {
        return Ok(None);
    }
    let from = host.map_or(Ok(page), |name| pages::host(&name, page));
    let to = named.map_or(Ok(CodePage::latin1()), |name| pages::named(&name));
    match (from, to) {
        (Ok(from), Ok(to)) => Ok(Some((from, to))),
        _ => fail(Condition::NotFnd, 7),
    }
}

/// WEB RETRIEVE.
pub fn retrieve(server: &ServerSide) -> Outcome {
    match (&server.answer, server.sent_document) {
        (AnswerState::None, _) => fail(Condition::InvReq, 2),
        (_, None) => fail(Condition::NotFnd, 1),
        (_, Some(token)) => {
            let mut filled = Filled::default();
            filled.chars(web_retrieve::DOCTOKEN, &token);
            filled.done()
        }
    }
}
