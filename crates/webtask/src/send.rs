//! WEB SEND: the answer to the request.
//!
//! A SEND that may wait for the end of the task, whole and of the program's own
//! bytes, is made here; a second one takes its place. What the client is to get
//! at once, chunks and documents are the region's.
//!
//! Reference: CICS API reference, WEB SEND (server).

use cics::command::commands::web_send as row;
use cics::resp::Condition;
use copybook::codepage::CodePage;
use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use link::CommandOperands;

use crate::answer::CompleteAnswer;
use crate::outcome::{CommandFailure, cvda, fail, is_selected, text};
use crate::pages;

/// Options of a SEND that needs more than its task: a client at once, a
/// document, a session.
const ELSEWHERE: [u8; 12] = [
    row::SESSTOKEN,
    row::IMMEDIATE,
    row::CHUNKING,
    row::CHUNKYES,
    row::CHUNKEND,
    row::CHUNKNO,
    row::DOCTOKEN,
    row::DOCSTATUS,
    row::DOCDELETE,
    row::NODOCDELETE,
    row::EXPECT,
    row::URIMAP,
];

/// The answer of a SEND that waits for the end of the task, with the headers
/// written so far; none for another kind of SEND. `page` is the region's.
///
/// # Errors
/// As the command's.
pub fn eventual(
    headers: &mut HeaderMap,
    given: &CommandOperands,
    page: CodePage,
) -> Result<Option<CompleteAnswer>, CommandFailure> {
    let at_once = given.get_int(row::ACTION) == Some(cvda("IMMEDIATE"));
    if at_once || ELSEWHERE.iter().any(|option| given.has(*option)) {
        return Ok(None);
    }
    if given.get_int(row::FROMLENGTH).is_some_and(|n| n < 0) {
        return fail(Condition::LengErr, 1);
    }
    let conversion = conversion(given, page)?;
    let body = body(given, conversion);
    if given.has(row::ACTION) && given.get_int(row::ACTION) != Some(cvda("EVENTUAL")) {
        return fail(Condition::InvReq, 11);
    }
    let head = head(headers, given, conversion, body.is_empty())?;
    Ok(Some(CompleteAnswer { body, ..head }))
}

/// The body that a SEND has from the program's storage.
pub fn body(given: &CommandOperands, conversion: Option<(CodePage, CodePage)>) -> Vec<u8> {
    let bytes = given.get_bytes(row::FROM).unwrap_or_default();
    match conversion {
        Some((from, to)) => pages::convert(bytes, from, to),
        None => bytes.to_vec(),
    }
}

/// Status, headers and what becomes of the connection.
///
/// # Errors
/// INVREQ for what no answer can have.
pub fn head(
    headers: &mut HeaderMap,
    given: &CommandOperands,
    conversion: Option<(CodePage, CodePage)>,
    empty: bool,
) -> Result<CompleteAnswer, CommandFailure> {
    let status = given.get_int(row::STATUSCODE).unwrap_or(200);
    let status = u16::try_from(status)
        .ok()
        .filter(|s| (200..=999).contains(s));
    let Some(status) = status.and_then(|s| StatusCode::from_u16(s).ok()) else {
        // An answer that is not final is rejected.
        return fail(Condition::InvReq, 5);
    };
    if matches!(status.as_u16(), 204 | 205 | 304) && !empty {
        return fail(Condition::InvReq, 72);
    }
    let reason = given.get_bytes(row::STATUSTEXT).unwrap_or_default();
    let mut answer = CompleteAnswer {
        status,
        reason: reason.trim_ascii().to_vec(),
        headers: std::mem::take(headers),
        body: Vec::new(),
        close: is_selected(given, row::CLOSE, row::CLOSESTATUS, "CLOSE"),
    };
    if let Some(media) = text(given, row::MEDIATYPE).filter(|m| !m.is_empty()) {
        let charset = text(given, row::CHARACTERSET).map(|set| set.to_ascii_lowercase());
        let media = match conversion.and(charset) {
            Some(set) if pages::is_text(&media) => format!("{media}; charset={set}"),
            _ => media,
        };
        set(&mut answer.headers, CONTENT_TYPE, &media)?;
    }
    let known = answer.close || given.get_int(row::CLOSESTATUS) == Some(cvda("NOCLOSE"));
    if given.has(row::CLOSESTATUS) && !known {
        return fail(Condition::InvReq, 13);
    }
    Ok(answer)
}

fn set(headers: &mut HeaderMap, name: HeaderName, value: &str) -> Result<(), CommandFailure> {
    match HeaderValue::from_str(value) {
        Ok(value) => {
            headers.insert(name, value);
            Ok(())
        }
        Err(_) => fail(Condition::InvReq, 32),
    }
}

/// From which page into which the body is converted; none as it is.
///
/// # Errors
/// NOTFND for a page that is not known, INVREQ for an unknown way.
pub fn conversion(
    given: &CommandOperands,
    page: CodePage,
) -> Result<Option<(CodePage, CodePage)>, CommandFailure> {
    if is_selected(given, row::NOSRVCONVERT, row::SERVERCONV, "NOSRVCONVERT") {
        return Ok(None);
    }
    let asks = is_selected(given, row::SRVCONVERT, row::SERVERCONV, "SRVCONVERT");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_wait_is_made_here_and_the_rest_is_not() {
        let mut headers = HeaderMap::new();
        headers.append("x-a", HeaderValue::from_static("1"));
        let plain = CommandOperands::new(1 << row::FROM | 1 << row::MEDIATYPE)
            .bytes(row::FROM, "text")
            .bytes(row::MEDIATYPE, "text/plain");
        let page = CodePage::latin1();
        let made = eventual(&mut headers, &plain, page).unwrap().unwrap();
        assert_eq!((made.status, &*made.body), (StatusCode::OK, &b"text"[..]));
        assert_eq!(made.headers["x-a"], "1");
        assert_eq!(made.headers[CONTENT_TYPE], "text/plain");
        assert!(headers.is_empty(), "they went with the answer");
        for option in ELSEWHERE {
            let given = CommandOperands::new(1 << row::FROM | 1 << option);
            assert_eq!(eventual(&mut headers, &given, page).unwrap(), None);
        }
        let at_once = CommandOperands::new(1 << row::ACTION).int(row::ACTION, cvda("IMMEDIATE"));
        assert_eq!(eventual(&mut headers, &at_once, page).unwrap(), None);
    }

    #[test]
    fn what_no_answer_can_have_is_refused() {
        let mut headers = HeaderMap::new();
        let page = CodePage::latin1();
        let mut code = |given: CommandOperands| {
            let failure = eventual(&mut headers, &given, page).unwrap_err();
            (failure.condition, failure.resp2)
        };
        let of = |option: u8| CommandOperands::new(1 << option);
        let status = of(row::STATUSCODE).int(row::STATUSCODE, 99);
        assert_eq!(code(status), (Condition::InvReq, 5));
        let action = of(row::ACTION).int(row::ACTION, 1);
        assert_eq!(code(action), (Condition::InvReq, 11));
        let length = of(row::FROMLENGTH).int(row::FROMLENGTH, -1);
        assert_eq!(code(length), (Condition::LengErr, 1));
        let media = of(row::MEDIATYPE).bytes(row::MEDIATYPE, "a\r\nb");
        assert_eq!(code(media), (Condition::InvReq, 32));
    }
}
