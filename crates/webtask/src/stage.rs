//! The stages of a request around its program: an analyzer chooses program,
//! converter, transaction and user; a converter makes the program's COMMAREA
//! from the request and the answer from the COMMAREA.
//!
//! The door writes the stage into the head of the request; an analyzer's worker
//! answers with an [`AnalyzerOutput`], which the door looks at and gives to the worker
//! of the alias task as it came.
//!
//! Reference: CICS Internet guide, "Analyzer programs", "Converter programs".

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::answer::CompleteAnswer;
use crate::headers::OWN;
use crate::wire::{HeadReader, HeadWriter};

/// The stage of a request that a task runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum WebStage {
    /// Its program, which uses the commands.
    #[default]
    Program,
    /// An analyzer.
    Analyze(AnalyzerInput),
    /// A converter and its program, or a program with the request as its
    /// COMMAREA.
    Convert(ConverterInput),
}

/// The input of an analyzer in addition to the request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnalyzerInput {
    /// PROGRAM of the URIMAP, empty for none.
    pub program: String,
    /// CONVERTER.
    pub converter: String,
    /// TRANSACTION.
    pub transaction: String,
    /// USERID.
    pub user: String,
    /// Address of the client.
    pub client: String,
    /// Address that it has connected to.
    pub server: String,
}

/// The input of an alias task with a converter or after an analyzer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConverterInput {
    /// The program, empty for none.
    pub program: String,
    /// The converter, empty for none.
    pub converter: String,
    /// Address of the client.
    pub client: String,
    /// The user token, of which 8 bytes count, when no analyzer has given one.
    pub token: String,
    /// The analyzer's output, as its worker wrote it; empty without one.
    pub analysis: Vec<u8>,
}

/// The output of an analyzer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnalyzerOutput {
    /// wbra_response.
    pub response: i32,
    /// wbra_reason.
    pub reason: i32,
    /// The program, empty for none.
    pub program: String,
    /// The converter, empty for none.
    pub converter: String,
    /// The alias transaction, empty for CWBA.
    pub transaction: String,
    /// The user, empty for the default.
    pub user: String,
    /// The user token.
    pub token: [u8; 8],
    /// Character set of the client, empty for that of the request.
    pub character_set: String,
    /// Code page of the program, empty for the region's.
    pub host_code_page: String,
    /// The body is not converted: wbra_dfhcnv_key is nulls.
    pub as_is: bool,
    /// Escaped characters of a form are put back for the converter.
    pub unescape: bool,
    /// Method, version, path and headers, which an analyzer may have changed.
    pub parts: [Vec<u8>; 4],
    /// The body, or so much of it as an analyzer sees.
    pub body: Vec<u8>,
}

impl WebStage {
    /// Its bytes in the head of a request; none for [`WebStage::Program`].
    pub(crate) fn emit(&self) -> Vec<u8> {
        let (kind, pieces): (u8, Vec<&[u8]>) = match self {
            WebStage::Program => return Vec::new(),
            WebStage::Analyze(given) => {
                let texts = [
                    &given.program,
                    &given.converter,
                    &given.transaction,
                    &given.user,
                    &given.client,
                    &given.server,
                ];
                (b'A', texts.map(|text| text.as_bytes()).to_vec())
            }
            WebStage::Convert(given) => {
                let texts = [
                    &given.program,
                    &given.converter,
                    &given.client,
                    &given.token,
                ];
                let mut pieces = texts.map(|text| text.as_bytes()).to_vec();
                pieces.push(&given.analysis);
                (b'C', pieces)
            }
        };
        let mut head = HeadWriter::new(&[kind]);
        pieces.into_iter().for_each(|piece| head.piece(piece));
        head.done()
    }

    /// Reads what [`WebStage::emit`] wrote; none for bytes that are not a stage.
    pub(crate) fn parse(bytes: &[u8]) -> Option<WebStage> {
        if bytes.is_empty() {
            return Some(WebStage::Program);
        }
        let (kind, mut pieces, _) = HeadReader::open::<1>(bytes)?;
        let mut text = || pieces.text();
        match kind {
            [b'A'] => Some(WebStage::Analyze(AnalyzerInput {
                program: text()?,
                converter: text()?,
                transaction: text()?,
                user: text()?,
                client: text()?,
                server: text()?,
            })),
            [b'C'] => Some(WebStage::Convert(ConverterInput {
                program: text()?,
                converter: text()?,
                client: text()?,
                token: text()?,
                analysis: pieces.next()?.to_vec(),
            })),
            _ => None,
        }
    }
}

impl AnalyzerOutput {
    /// Its bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut figures = [0; ANALYSIS_FIGURES];
        figures[..4].copy_from_slice(&self.response.to_ne_bytes());
        figures[4..8].copy_from_slice(&self.reason.to_ne_bytes());
        figures[8..16].copy_from_slice(&self.token);
        figures[16] = u8::from(self.as_is);
        figures[17] = u8::from(self.unescape);
        let mut head = HeadWriter::new(&figures);
        for text in [
            &self.program,
            &self.converter,
            &self.transaction,
            &self.user,
            &self.character_set,
            &self.host_code_page,
        ] {
            head.piece(text.as_bytes());
        }
        self.parts.iter().for_each(|part| head.piece(part));
        head.piece(&self.body);
        head.done()
    }

    /// Reads what [`AnalyzerOutput::emit`] wrote; none for other bytes.
    pub fn parse(bytes: &[u8]) -> Option<AnalyzerOutput> {
        let (figures, mut pieces, _) = HeadReader::open::<ANALYSIS_FIGURES>(bytes)?;
        let number =
            |at: usize| i32::from_ne_bytes([0, 1, 2, 3].map(|offset: usize| figures[at + offset]));
        let mut text = || pieces.text();
        let (program, converter, transaction) = (text()?, text()?, text()?);
        let (user, character_set, host_code_page) = (text()?, text()?, text()?);
        let mut part = || Some(pieces.next()?.to_vec());
        Some(AnalyzerOutput {
            response: number(0),
            reason: number(4),
            program,
            converter,
            transaction,
            user,
            token: [8, 9, 10, 11, 12, 13, 14, 15].map(|at: usize| figures[at]),
            character_set,
            host_code_page,
            as_is: figures[16] != 0,
            unescape: figures[17] != 0,
            parts: [part()?, part()?, part()?, part()?],
            body: part()?,
        })
    }
}

/// Bytes of the figures of an analysis.
const ANALYSIS_FIGURES: usize = 20;

/// The answer that a converter has written: a status line, headers, an empty
/// line and the body; lines end with CR LF or LF. Bytes that do not begin with
/// a version of HTTP are a body of HTML. Returns `None` for a malformed status
/// line or answer.
///
/// Headers of the connection are the server's own; lines that are not headers are
/// left out.
pub fn made_by_hand(bytes: &[u8]) -> Option<CompleteAnswer> {
    let mut answer = CompleteAnswer {
        status: StatusCode::OK,
        reason: Vec::new(),
        headers: HeaderMap::new(),
        body: Vec::new(),
        close: false,
    };
    if !bytes.starts_with(b"HTTP/") {
        let html = HeaderValue::from_static("text/html");
        answer.headers.insert(http::header::CONTENT_TYPE, html);
        answer.body = bytes.to_vec();
        return Some(answer);
    }
    let (line, mut rest) = line_of(bytes);
    let mut words = line.splitn(3, |b| *b == b' ');
    let status = words
        .nth(1)
        .and_then(|code| StatusCode::from_bytes(code).ok());
    answer.status = status.filter(|status| status.as_u16() >= 200)?;
    answer.reason = words.next().unwrap_or_default().to_vec();
    while !rest.is_empty() {
        let (line, after) = line_of(rest);
        rest = after;
        if line.is_empty() {
            break;
        }
        let Some(colon) = line.iter().position(|b| *b == b':') else {
            continue;
        };
        let name = HeaderName::from_bytes(line[..colon].trim_ascii());
        let value = HeaderValue::from_bytes(line[colon + 1..].trim_ascii());
        let (Ok(name), Ok(value)) = (name, value) else {
            continue;
        };
        if name == http::header::CONNECTION {
            answer.close |= value.as_bytes().eq_ignore_ascii_case(b"close");
        }
        let own = OWN.contains(&name.as_str());
        if !own && answer.headers.len() < crate::headers::MOST {
            answer.headers.append(name, value);
        }
    }
    answer.body = rest.to_vec();
    Some(answer)
}

/// A line without its end, and the bytes after it.
fn line_of(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|b| *b == b'\n');
    let (line, rest) = match end {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[][..]),
    };
    (line.strip_suffix(b"\r").unwrap_or(line), rest)
}

/// The data of a form without their escapes.
pub fn unescape(data: &[u8]) -> Vec<u8> {
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(16);
    let mut out = Vec::with_capacity(data.len());
    let mut at = 0;
    while let Some(byte) = data.get(at) {
        at += 1;
        match byte {
            b'+' => out.push(b' '),
            b'%' => match (digit(data.get(at)), digit(data.get(at + 1))) {
                (Some(high), Some(low)) => {
                    out.push((high << 4 | low) as u8);
                    at += 2;
                }
                _ => out.push(b'%'),
            },
            byte => out.push(*byte),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stages_are_read_as_they_were_written() {
        let text = str::to_owned;
        for stage in [
            WebStage::Program,
            WebStage::Analyze(AnalyzerInput {
                program: text("P"),
                client: text("127.0.0.1"),
                ..AnalyzerInput::default()
            }),
            WebStage::Convert(ConverterInput {
                converter: text("CONV"),
                analysis: b"bytes".to_vec(),
                ..ConverterInput::default()
            }),
        ] {
            assert_eq!(WebStage::parse(&stage.emit()), Some(stage));
        }
        let analysis = AnalyzerOutput {
            response: 4,
            reason: -1,
            program: text("P"),
            token: *b"12345678",
            as_is: true,
            parts: [b"GET".to_vec(), Vec::new(), b"/".to_vec(), b"A: b".to_vec()],
            body: b"body".to_vec(),
            ..AnalyzerOutput::default()
        };
        assert_eq!(AnalyzerOutput::parse(&analysis.emit()), Some(analysis));
    }

    #[test]
    fn an_answer_made_by_hand_keeps_what_is_its_own() {
        let made = made_by_hand(
            b"HTTP/1.0 201 Done it\r\nContent-Type: text/plain\r\nContent-Length: 99\r\n\
              nonsense\r\nX-A: 1\nConnection: close\r\n\r\nline\r\nline",
        )
        .unwrap();
        assert_eq!(
            (made.status.as_u16(), &*made.reason),
            (201, &b"Done it"[..])
        );
        assert_eq!(made.headers.len(), 2);
        assert!(made.close);
        assert_eq!(made.body, b"line\r\nline");
        assert_eq!(made_by_hand(b"<html>").unwrap().body, b"<html>");
        assert!(made_by_hand(b"HTTP/1.1 100 Go on\r\n\r\n").is_none());
        assert!(made_by_hand(b"HTTP/1.1 ok\r\n\r\n").is_none());
    }

    #[test]
    fn escapes_of_a_form_are_put_back() {
        assert_eq!(unescape(b"a+b%21%2&%zz%"), b"a b!%2&%zz%");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            at in 0usize..80,
            flip in any::<u8>(),
        ) {
            let _ = (WebStage::parse(&bytes), AnalyzerOutput::parse(&bytes), unescape(&bytes));
            let _ = made_by_hand(&bytes);
            let _ = made_by_hand(&[b"HTTP/1.1 200 OK\r\n", &*bytes].concat());
            let mut real = AnalyzerOutput { body: bytes.clone(), ..AnalyzerOutput::default() }.emit();
            let length = real.len();
            real[at % length] ^= flip;
            let _ = AnalyzerOutput::parse(&real);
            let mut real = WebStage::Analyze(AnalyzerInput::default()).emit();
            let length = real.len();
            real[at % length] ^= flip;
            let _ = WebStage::parse(&real);
        }
    }
}
