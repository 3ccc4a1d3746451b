//! The request that a task serves: what the door writes of it into the task's
//! memory, and what the worker reads there.
//!
//! The headers are read when a command asks for one; the body stays where it
//! is.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use cics::command::commands as rows;
use cics::resp::Condition;
use copybook::codepage::CodePage;
use http::{HeaderMap, Version};
use link::CommandOperands;

use crate::fields::{Field, FormError};
use crate::outcome::{WebCommandResult, fail};
use crate::stage::WebStage;
use crate::wire::{HeadReader, HeadWriter};
use crate::{extract, forms, headers, receive};

/// Most headers of a request.
const MOST_HEADERS: usize = 32_768;
/// Bytes of the figures of a head: version, port, code page, HTTPS, stage.
const FIGURES: usize = 8;
/// Where a head says whether a stage follows: after its length.
const STAGED: usize = 4 + 7;

/// The door's data about a request.
#[derive(Debug)]
pub struct RequestOrigin<'r> {
    /// It came by HTTPS.
    pub secure: bool,
    /// Version of HTTP.
    pub version: Version,
    /// Port that it came to.
    pub port: u16,
    /// The region's code page.
    pub page: CodePage,
    /// Method.
    pub method: &'r str,
    /// Path.
    pub path: &'r str,
    /// Query without its question mark, empty for none.
    pub query: &'r str,
    /// Host and port that the client named.
    pub host: &'r str,
    /// The URIMAP that was found for it.
    pub map: &'r str,
    /// Content-Type, empty for none.
    pub media: &'r str,
    /// All headers.
    pub headers: &'r HeaderMap,
    /// The stage of the task.
    pub stage: WebStage,
}

impl RequestOrigin<'_> {
    /// The request's head, which precedes the body in the task's memory.
    pub fn emit(&self) -> Vec<u8> {
        let mut figures = [0; FIGURES];
        let version: u16 = match self.version {
            Version::HTTP_10 => 10,
            Version::HTTP_2 => 20,
            _ => 11,
        };
        figures[..2].copy_from_slice(&version.to_ne_bytes());
        figures[2..4].copy_from_slice(&self.port.to_ne_bytes());
        figures[4..6].copy_from_slice(&self.page.ccsid().to_ne_bytes());
        figures[6] = u8::from(self.secure);
        figures[7] = u8::from(self.stage != WebStage::Program);
        let mut head = HeadWriter::new(&figures);
        for text in [
            self.method,
            self.path,
            self.query,
            self.host,
            self.map,
            self.media,
        ] {
            head.piece(text.as_bytes());
        }
        head.piece(&self.stage.emit());
        head.headers(self.headers);
        head.done()
    }
}

/// A request as a task's commands see it.
#[derive(Debug)]
pub struct Request {
    /// It came by HTTPS.
    pub secure: bool,
    /// Version of HTTP.
    pub version: Version,
    /// Port that it came to.
    pub port: u16,
    /// The region's code page.
    pub page: CodePage,
    /// Method.
    pub method: String,
    /// Path.
    pub path: String,
    /// Query without its question mark, empty for none.
    pub query: String,
    /// Host and port that the client named.
    pub host: String,
    /// The URIMAP that was found for it.
    pub map: String,
    /// Content-Type, empty for none.
    pub media: String,
    /// The stage of the task.
    pub stage: WebStage,
    /// Where the headers lie.
    headers_at: Range<usize>,
    body_at: usize,
    headers: OnceCell<HeaderMap>,
}

/// How far a task's commands have read its request.
#[derive(Debug, Default)]
pub struct ReadPosition {
    /// Bytes of the body that RECEIVE has given.
    pub received: usize,
    /// The body as RECEIVE converted it, while some of it is left.
    pub converted: Option<Vec<u8>>,
    /// The position of the browse of headers.
    pub header_browse: Option<usize>,
    /// The fields of a browse of the form, and its position.
    pub form_browse: Option<(Vec<Field>, usize)>,
    /// The same for the query.
    pub query_browse: Option<(Vec<Field>, usize)>,
    /// The form, once it has been read.
    pub form: Option<Result<Arc<Vec<Field>>, FormError>>,
}

impl Request {
    /// Reads the output of [`RequestOrigin::emit`], followed by the body. Returns
    /// `None` for bytes that are not a request.
    pub fn parse(bytes: &[u8]) -> Option<Request> {
        let (figures, mut pieces, body_at) = HeadReader::open::<FIGURES>(bytes)?;
        let number = |at: usize| u16::from_ne_bytes([figures[at], figures[at + 1]]);
        let mut text = || pieces.text();
        let (method, path, query) = (text()?, text()?, text()?);
        let (host, map, media) = (text()?, text()?, text()?);
        let stage = WebStage::parse(pieces.next()?)?;
        Some(Request {
            secure: figures[6] != 0,
            version: match number(0) {
                10 => Version::HTTP_10,
                20 => Version::HTTP_2,
                _ => Version::HTTP_11,
            },
            port: number(2),
            page: CodePage::by_ccsid(number(4)).unwrap_or_else(|_| CodePage::latin1()),
            method,
            path,
            query,
            host,
            map,
            media,
            stage,
            headers_at: body_at - pieces.left()..body_at,
            body_at,
            headers: OnceCell::new(),
        })
    }

    /// Whether there is a stage around the request's program: one byte is read.
    pub fn is_staged(bytes: &[u8]) -> bool {
        bytes.get(STAGED).is_some_and(|staged| *staged != 0)
    }

    /// Its headers as lines; `bytes` are those that it was read from.
    pub fn header_lines(&self, bytes: &[u8]) -> Vec<u8> {
        let mut lines = Vec::new();
        for (name, value) in self.headers(bytes) {
            lines.extend_from_slice(headers::title(name.as_str()).as_bytes());
            lines.extend_from_slice(b": ");
            lines.extend_from_slice(value.as_bytes());
            lines.extend_from_slice(b"\r\n");
        }
        lines
    }

    /// Its body; `bytes` are those that it was read from.
    pub fn body<'b>(&self, bytes: &'b [u8]) -> &'b [u8] {
        bytes.get(self.body_at..).unwrap_or_default()
    }

    /// Its headers; `bytes` are those that it was read from.
    fn headers(&self, bytes: &[u8]) -> &HeaderMap {
        self.headers.get_or_init(|| {
            let own = bytes.get(self.headers_at.clone()).unwrap_or_default();
            HeadReader::of(own)
                .headers(MOST_HEADERS)
                .unwrap_or_default()
        })
    }

    /// Serves a command that reads the request, by the number of its row.
    /// `bytes` are those that the request was read from.
    pub fn serve(
        &self,
        bytes: &[u8],
        reading: &mut ReadPosition,
        number: u16,
        given: &CommandOperands,
    ) -> WebCommandResult {
        let body = self.body(bytes);
        match number {
            rows::web_receive::NUMBER => receive::receive(self, body, reading, given),
            rows::web_extract::NUMBER | rows::extract_web::NUMBER => extract::request(self, given),
            rows::web_read_formfield::NUMBER => forms::read_form(self, body, reading, given),
            rows::web_read_queryparm::NUMBER => forms::read_query(self, given),
            rows::web_startbrowse_formfield::NUMBER => {
                forms::start_form(self, body, reading, given)
            }
            rows::web_startbrowse_queryparm::NUMBER => forms::start_query(self, reading, given),
            rows::web_readnext_formfield::NUMBER => forms::next_form(reading, given),
            rows::web_readnext_queryparm::NUMBER => forms::next_query(reading, given),
            rows::web_endbrowse_formfield::NUMBER => forms::end(&mut reading.form_browse),
            rows::web_endbrowse_queryparm::NUMBER => forms::end(&mut reading.query_browse),
            rows::web_read_httpheader::NUMBER => {
                headers::read(self.headers(bytes), given, headers::HeaderSource::Request)
            }
            rows::web_startbrowse_httpheader::NUMBER => {
                headers::start(self.headers(bytes), &mut reading.header_browse)
            }
            rows::web_readnext_httpheader::NUMBER => headers::next(
                self.headers(bytes),
                &mut reading.header_browse,
                given,
                headers::HeaderSource::Request,
            ),
            rows::web_endbrowse_httpheader::NUMBER => headers::end(&mut reading.header_browse),
            _ => fail(Condition::InvReq, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::AnalyzerInput;
    use http::HeaderValue;
    use proptest::prelude::*;

    fn written(body: &[u8]) -> Vec<u8> {
        let mut headers = HeaderMap::new();
        headers.append("x-one", HeaderValue::from_static("1"));
        headers.append("x-one", HeaderValue::from_static("2"));
        let about = RequestOrigin {
            secure: true,
            version: Version::HTTP_10,
            port: 8443,
            page: CodePage::latin1(),
            method: "POST",
            path: "/a",
            query: "b=c&d=e+f",
            host: "h:1",
            map: "MAP",
            media: "text/plain",
            headers: &headers,
            stage: WebStage::Analyze(AnalyzerInput::default()),
        };
        [about.emit(), body.to_vec()].concat()
    }

    #[test]
    fn a_request_is_read_as_it_was_written() {
        let bytes = written(b"body");
        let request = Request::parse(&bytes).unwrap();
        assert_eq!(
            (&*request.method, &*request.path, &*request.query),
            ("POST", "/a", "b=c&d=e+f")
        );
        assert_eq!(
            (&*request.host, &*request.map, &*request.media),
            ("h:1", "MAP", "text/plain")
        );
        assert_eq!((request.secure, request.port), (true, 8443));
        assert_eq!(request.version, Version::HTTP_10);
        assert!(Request::is_staged(&bytes));
        assert_eq!(request.stage, WebStage::Analyze(AnalyzerInput::default()));
        assert_eq!(request.header_lines(&bytes), b"X-One: 1\r\nX-One: 2\r\n");
        assert_eq!(request.headers(&bytes).get_all("x-one").iter().count(), 2);
        assert_eq!(&bytes[request.body_at..], b"body");
    }

    #[test]
    fn its_body_is_received_in_parts() {
        use cics::command::commands::web_receive as row;
        let bytes = written(b"0123456789");
        let request = Request::parse(&bytes).unwrap();
        let mut reading = ReadPosition::default();
        let options = 1 << row::INTO | 1 << row::MAXLENGTH | 1 << row::NOTRUNCATE;
        let given = CommandOperands::new(options).int(row::MAXLENGTH, 6);
        let mut part = || {
            let outcome = request.serve(&bytes, &mut reading, row::NUMBER, &given);
            let operands = outcome.unwrap();
            operands.get_bytes(row::INTO).unwrap().to_vec()
        };
        assert_eq!(part(), b"012345");
        assert_eq!(part(), b"6789");
        assert_eq!(part(), b"");
    }

    #[test]
    fn a_body_that_was_taken_whole_is_given_again_and_one_cut_off_is_not() {
        use cics::command::commands::web_receive as row;
        let bytes = written(b"0123456789");
        let request = Request::parse(&bytes).unwrap();
        let take = |reading: &mut ReadPosition, most: i64, conversion: u8| {
            let options = 1 << row::INTO | 1 << row::MAXLENGTH | 1 << conversion;
            let given = CommandOperands::new(options).int(row::MAXLENGTH, most);
            let outcome = request.serve(&bytes, reading, row::NUMBER, &given);
            let operands = outcome.unwrap_or_else(|failure| failure.operands);
            operands.get_bytes(row::INTO).unwrap().to_vec()
        };
        let mut reading = ReadPosition::default();
        assert_eq!(take(&mut reading, 20, row::NOSRVCONVERT), b"0123456789");
        assert_eq!(take(&mut reading, 20, row::SRVCONVERT), b"0123456789");
        let mut reading = ReadPosition::default();
        assert_eq!(take(&mut reading, 4, row::NOSRVCONVERT), b"0123");
        assert_eq!(take(&mut reading, 20, row::NOSRVCONVERT), b"");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(
            mut bytes in prop::collection::vec(any::<u8>(), 0..200),
            head in 0u32..220,
            number in prop::sample::select(vec![
                rows::web_receive::NUMBER,
                rows::web_extract::NUMBER,
                rows::web_read_httpheader::NUMBER,
                rows::web_startbrowse_httpheader::NUMBER,
                rows::web_startbrowse_formfield::NUMBER,
                rows::web_read_queryparm::NUMBER,
            ]),
            whole in any::<bool>(),
        ) {
            if whole {
                let mut real = written(b"x");
                let at = bytes.len().min(real.len());
                real[..at].iter_mut().zip(&bytes).for_each(|(to, from)| *to ^= from & 1);
                bytes = real;
            } else if let Some((length, _)) = bytes.split_first_chunk_mut::<4>() {
                *length = head.to_ne_bytes();
            }
            if let Some(request) = Request::parse(&bytes) {
                let given = CommandOperands::new(u128::MAX);
                let _ = request.serve(&bytes, &mut ReadPosition::default(), number, &given);
            }
        }
    }
}
