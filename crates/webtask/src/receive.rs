//! WEB RECEIVE: the body of the request.
//!
//! Without an option of conversion the bytes come as they are. NOTRUNCATE
//! keeps what did not fit for the next RECEIVE. A body that was taken whole is
//! given again.
//!
//! Reference: CICS API reference, WEB RECEIVE (server).

use cics::command::commands::web_receive as row;
use cics::resp::Condition;
use copybook::codepage::CodePage;
use link::CommandOperands;

use crate::outcome::{
    CommandFailure, OutputAreas, WebCommandResult, cvda, fail, is_selected, text,
};
use crate::pages;
use crate::request::{ReadPosition, Request};

/// Serves RECEIVE of a task that a request began, from its body.
pub fn receive(
    request: &Request,
    whole: &[u8],
    reading: &mut ReadPosition,
    given: &CommandOperands,
) -> WebCommandResult {
    let media = &*request.media;
    let charset = pages::parameter(media, "charset").unwrap_or_default();
    let mut filled = OutputAreas::default();
    filled.int(row::TYPE, cvda("HTTPYES"));
    filled.chars(row::BODYCHARSET, charset.as_bytes());
    let plain = media.split(';').next().unwrap_or_default().trim();
    filled.chars(row::MEDIATYPE, plain.as_bytes());
    let most = most(given)?;
    let body = match conversion(given, media, charset, request.page)? {
        None => None,
        Some((from, to)) => {
            let make = || pages::convert(whole, from, to);
            Some(reading.converted.take().unwrap_or_else(make))
        }
    };
    let bytes = body.as_deref().unwrap_or(whole);
    let rest = bytes.get(reading.received..).unwrap_or_default();
    let fits = most.map_or(rest.len(), |most| rest.len().min(most));
    let (part, left) = rest.split_at(fits);
    filled.chars(row::INTO, part);
    if left.is_empty() {
        // A program that received the body in one piece may receive it again,
        // for example to convert it after a look at its type; pieces have an
        // end.
        let pieces = given.has(row::NOTRUNCATE) || reading.received > 0;
        reading.received = if pieces { bytes.len() } else { 0 };
        return filled.done();
    }
    if given.has(row::NOTRUNCATE) {
        reading.received += fits;
        reading.converted = body;
        return filled.done();
    }
    filled.int(row::LENGTH, rest.len() as i64);
    reading.received = bytes.len();
    Err(CommandFailure {
        condition: Condition::LengErr,
        resp2: 57,
        operands: filled.done()?,
    })
}

/// Most bytes that the program takes; none for as many as there are.
fn most(given: &CommandOperands) -> Result<Option<usize>, CommandFailure> {
    if given.has(row::TOCONTAINER) {
        return Ok(None);
    }
    let most = match (given.get_int(row::MAXLENGTH), given.has(row::SET)) {
        (Some(most), _) => Some(most),
        (None, true) => None,
        // The item's own size is the length of INTO.
        (None, false) => given
            .get_int(row::LENGTH)
            .or_else(|| given.get_int(row::INTO)),
    };
    match most {
        Some(..1) => fail(Condition::LengErr, 1),
        most => Ok(most.map(|most| most as usize)),
    }
}

/// From which page into which the body is converted; none as it is.
fn conversion(
    given: &CommandOperands,
    media: &str,
    charset: &str,
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
    if !asks && named.is_none() && host.is_none() || !pages::is_text(media) {
        return Ok(None);
    }
    let from = match named.as_deref().unwrap_or(charset) {
        "" => Ok(CodePage::latin1()),
        name => pages::named(name),
    };
    let to = host.map_or(Ok(page), |name| pages::host(&name, page));
    match (from, to) {
        (Ok(from), Ok(to)) => Ok(Some((from, to))),
        _ => fail(Condition::NotFnd, 7),
    }
}
