//! The headers of a message: READ, WRITE and browse.
//!
//! Reference: CICS API reference, WEB READ, WRITE, STARTBROWSE, READNEXT and
//! ENDBROWSE HTTPHEADER.

use cics::command::commands::{
    web_read_httpheader as read_row, web_readnext_httpheader as next_row,
    web_write_httpheader as write_row,
};
use cics::resp::Condition;
use http::{HeaderMap, HeaderName, HeaderValue};
use link::CommandOperands;

use crate::outcome::{CommandFailure, OutputAreas, WebCommandResult, fail, text};

/// Headers of an answer that the connection sets itself.
pub(crate) const OWN: [&str; 3] = ["connection", "content-length", "transfer-encoding"];
/// Most headers that a program may add to a message.
pub const MOST: usize = 256;
/// Longest value that a program may write.
const MAX_VALUE: usize = 32_767;

/// The message whose headers are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeaderSource {
    /// A client's: the program serves its request.
    Request,
    /// A server's: the program is its client.
    Response,
}

impl HeaderSource {
    /// RESP2 of an invalid length of a name, and of a value.
    fn no_length(self) -> (u32, u32) {
        match self {
            HeaderSource::Request => (1, 1),
            HeaderSource::Response => (35, 55),
        }
    }

    /// LENGERR for an invalid length.
    fn lengths(self, given: &CommandOperands, name: u8, value: u8) -> Result<(), CommandFailure> {
        let is_none = |option| given.get_int(option).is_some_and(|n| n <= 0);
        let (of_name, of_value) = self.no_length();
        match (is_none(name), is_none(value)) {
            (true, _) => fail(Condition::LengErr, of_name),
            (_, true) => fail(Condition::LengErr, of_value),
            _ => Ok(()),
        }
    }
}

/// Gives a header's value.
pub fn read(headers: &HeaderMap, given: &CommandOperands, of: HeaderSource) -> WebCommandResult {
    of.lengths(given, read_row::NAMELENGTH, read_row::VALUELENGTH)?;
    let name = text(given, read_row::HTTPHEADER).unwrap_or_default();
    let Some(value) = headers.get(name.trim()) else {
        return fail(Condition::NotFnd, 1);
    };
    let mut filled = OutputAreas::default();
    let area = (read_row::VALUE, read_row::VALUELENGTH);
    let cut = match of {
        HeaderSource::Request => 2,
        HeaderSource::Response => 52,
    };
    filled.area(given, area, value.as_bytes(), cut)?;
    filled.done()
}

/// Begins a browse.
pub fn start(headers: &HeaderMap, browse: &mut Option<usize>) -> WebCommandResult {
    if browse.is_some() {
        return fail(Condition::Illogic, 10);
    }
    if headers.is_empty() {
        return fail(Condition::InvReq, 43);
    }
    *browse = Some(0);
    Ok(CommandOperands::default())
}

/// Gives the next header. One that did not fit comes again.
pub fn next(
    headers: &HeaderMap,
    browse: &mut Option<usize>,
    given: &CommandOperands,
    of: HeaderSource,
) -> WebCommandResult {
    let Some(at) = browse else {
        return fail(Condition::InvReq, 4);
    };
    of.lengths(given, next_row::NAMELENGTH, next_row::VALUELENGTH)?;
    let (cut_name, cut_value) = match of {
        HeaderSource::Request => (4, 5),
        HeaderSource::Response => (51, 52),
    };
    let Some((name, value)) = headers.iter().nth(*at) else {
        return fail(Condition::EndFile, 0);
    };
    let mut filled = OutputAreas::default();
    let name = title(name.as_str());
    let area = (next_row::HTTPHEADER, next_row::NAMELENGTH);
    filled.area(given, area, name.as_bytes(), cut_name)?;
    let area = (next_row::VALUE, next_row::VALUELENGTH);
    filled.area(given, area, value.as_bytes(), cut_value)?;
    let outcome = filled.done();
    if outcome.is_ok() {
        *at += 1;
    }
    outcome
}

/// Ends a browse.
pub fn end(browse: &mut Option<usize>) -> WebCommandResult {
    match browse.take() {
        Some(_) => Ok(CommandOperands::default()),
        None => fail(Condition::InvReq, 4),
    }
}

/// Adds a header to a message.
pub fn write(headers: &mut HeaderMap, given: &CommandOperands) -> WebCommandResult {
    let (name, value) = written(given)?;
    if OWN.contains(&name.as_str()) {
        // The connection sets them itself; values given here have no effect.
        return Ok(CommandOperands::default());
    }
    if headers.len() >= MOST {
        return fail(Condition::InvReq, 11);
    }
    headers.append(name, value);
    Ok(CommandOperands::default())
}

/// The header that a WRITE has.
///
/// # Errors
/// LENGERR for lengths, INVREQ for what cannot be a header.
pub fn written(given: &CommandOperands) -> Result<(HeaderName, HeaderValue), CommandFailure> {
    let lengths = [write_row::NAMELENGTH, write_row::VALUELENGTH];
    if lengths
        .iter()
        .any(|option| given.get_int(*option).is_some_and(|n| n < 0))
        || given.get_int(write_row::NAMELENGTH) == Some(0)
    {
        return fail(Condition::LengErr, 1);
    }
    let name = text(given, write_row::HTTPHEADER).unwrap_or_default();
    let value = given.get_bytes(write_row::VALUE).unwrap_or_default();
    if value.len() > MAX_VALUE {
        return fail(Condition::LengErr, 35);
    }
    let value = value.trim_ascii_end();
    let parsed = (
        HeaderName::from_bytes(name.trim().as_bytes()),
        HeaderValue::from_bytes(value),
    );
    match parsed {
        (Ok(name), Ok(value)) => Ok((name, value)),
        // A name or a value that would end the header early.
        _ => fail(Condition::InvReq, 69),
    }
}

/// Adds the trailers of a message to its headers, where programs read them. What
/// would change what the message is, who it comes from or how it is handled is
/// left out.
///
/// Reference: RFC 9110, sections 6.5.1 and 6.5.2.
pub fn add_trailers(headers: &mut HeaderMap, trailers: &HeaderMap) {
    for (name, value) in trailers {
        let no_trailer = NO_TRAILERS.contains(&name.as_str());
        if !no_trailer && headers.len() < MOST_WITH_TRAILERS {
            headers.append(name.clone(), value.clone());
        }
    }
}

/// Headers that mean something before the body alone.
const NO_TRAILERS: [&str; 24] = [
    "age",
    "authorization",
    "cache-control",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "max-forwards",
    "proxy-authenticate",
    "proxy-authorization",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "vary",
    "www-authenticate",
    "x-forwarded-for",
];
/// Most headers of a message with its trailers.
const MOST_WITH_TRAILERS: usize = 1_000;

/// A name as it is usually written: `content-type` as `Content-Type`.
pub(crate) fn title(name: &str) -> String {
    let mut up = true;
    let letter = |c: char| {
        let shown = if up { c.to_ascii_uppercase() } else { c };
        up = c == '-';
        shown
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_header_early_is_refused() {
        let mut headers = HeaderMap::new();
        let given = |name: &str, value: &str| {
            CommandOperands::new(u128::MAX)
                .bytes(write_row::HTTPHEADER, name)
                .bytes(write_row::VALUE, value)
        };
        assert!(write(&mut headers, &given("X-A", "1   ")).is_ok());
        assert_eq!(headers["x-a"], "1");
        for (name, value) in [("X B", "1"), ("X-B", "1\r\nX-C: 2"), ("", "1"), ("X:", "1")] {
            let wrong = write(&mut headers, &given(name, value)).unwrap_err();
            assert_eq!((wrong.condition, wrong.resp2), (Condition::InvReq, 69));
        }
        assert!(write(&mut headers, &given("Content-Length", "7")).is_ok());
        assert_eq!(headers.len(), 1);
    }

    #[test]
    fn an_invalid_header_is_reported_by_the_side_of_its_message() {
        let mut headers = HeaderMap::new();
        headers.insert("x-sum", HeaderValue::from_static("12345"));
        let said = |outcome: WebCommandResult| {
            outcome.map_or_else(|f| (f.condition, f.resp2), |_| (Condition::Normal, 0))
        };
        let read = |name: i64, value: i64, of| {
            let given = CommandOperands::new(1 << read_row::VALUE)
                .bytes(read_row::HTTPHEADER, "x-sum")
                .int(read_row::NAMELENGTH, name)
                .int(read_row::VALUELENGTH, value);
            said(super::read(&headers, &given, of))
        };
        let next = |name: i64, value: i64, of| {
            let given = CommandOperands::new(1 << next_row::VALUE | 1 << next_row::HTTPHEADER)
                .int(next_row::NAMELENGTH, name)
                .int(next_row::VALUELENGTH, value);
            said(super::next(&headers, &mut Some(0), &given, of))
        };
        let short = |resp2| (Condition::LengErr, resp2);
        assert_eq!(read(5, 9, HeaderSource::Request), (Condition::Normal, 0));
        let of_request = [
            read(5, 4, HeaderSource::Request),
            read(0, 9, HeaderSource::Request),
            read(5, 0, HeaderSource::Request),
        ];
        assert_eq!(of_request, [short(2), short(1), short(1)]);
        let of_response = [
            read(5, 4, HeaderSource::Response),
            read(0, 9, HeaderSource::Response),
            read(5, 0, HeaderSource::Response),
        ];
        assert_eq!(of_response, [short(52), short(35), short(55)]);
        let of_request = [
            next(4, 9, HeaderSource::Request),
            next(9, 4, HeaderSource::Request),
            next(9, 0, HeaderSource::Request),
        ];
        assert_eq!(of_request, [short(4), short(5), short(1)]);
        let of_response = [
            next(4, 9, HeaderSource::Response),
            next(9, 4, HeaderSource::Response),
            next(0, 9, HeaderSource::Response),
        ];
        assert_eq!(of_response, [short(51), short(52), short(35)]);
    }

    #[test]
    fn trailers_are_read_like_headers_except_those_that_frame_a_message() {
        let mut headers = HeaderMap::new();
        headers.insert("x-sum", HeaderValue::from_static("1"));
        let mut trailers = HeaderMap::new();
        for name in ["x-sum", "x-own", "content-length", "host", "authorization"] {
            trailers.insert(name, HeaderValue::from_static("2"));
        }
        add_trailers(&mut headers, &trailers);
        let names: Vec<_> = headers.keys().map(|name| name.as_str()).collect();
        assert_eq!((names.len(), headers["x-own"].as_bytes()), (2, &b"2"[..]));
        assert_eq!(headers.get_all("x-sum").iter().count(), 2);
    }

    #[test]
    fn names_are_shown_as_they_are_usually_written() {
        assert_eq!(title("x-forwarded-for"), "X-Forwarded-For");
    }
}
