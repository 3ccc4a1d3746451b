//! Analyzer and converter programs of web support: their COMMAREAs, in the order
//! in which they and the application's program run.
//!
//! Everything that the lists point to is storage of the task, so a converter may
//! FREEMAIN it and give something else in its place.
//!
//! Reference: CICS Internet guide, "Writing an analyzer program", "Writing a
//! converter program", "CICS web support default status codes and error
//! responses".

use std::net::IpAddr;

use cics::abend;
use cics::urm::{self, ANALYZER, DECODE, ENCODE, ParameterArea, UrmParameter};
use copybook::codepage::CodePage;
use http::StatusCode;
use webtask::stage::{made_by_hand, unescape};
use webtask::{
    AnalyzerInput, AnalyzerOutput, CompleteAnswer, ConverterInput, Request, WebStage, pages,
};

use crate::abend::Abend;
use crate::host::ProgramId;
use crate::worker::{EntryArguments, Worker};

/// Bytes of the storage in which a request's body is handed from program to
/// program. A longer body is read with WEB RECEIVE only.
const BLOCK: usize = 32_768;
/// Times that encode may ask for decode again.
const MAX_ROUNDS: i64 = 1000;

type AbendResult = Result<(), Box<Abend>>;

/// Runs the request's stage instead of its program. Returns `None` when the request
/// has no stage.
pub(crate) fn run(w: &mut Worker, program: ProgramId) -> Option<Option<Box<Abend>>> {
    let base = w.services.arena().base;
    let (request, bytes) = w.task.web.staged(base)?;
    let ended = match request.stage.clone() {
        WebStage::Program => return None,
        WebStage::Analyze(given) => analyze(w, program, &request, &bytes, &given),
        WebStage::Convert(given) => ConvertedRequest::begin(w, &request, &bytes, &given)
            .and_then(|mut conversion| conversion.run(w, &given)),
    };
    Some(ended.err())
}

/// Runs the analyzer and keeps its outcome as the task's answer.
fn analyze(
    w: &mut Worker,
    program: ProgramId,
    request: &Request,
    bytes: &[u8],
    given: &AnalyzerInput,
) -> AbendResult {
    let text = |text: &str| pages::convert(text.as_bytes(), CodePage::latin1(), request.page);
    let path = unescaped_path(&request.path);
    let parts = [
        text(&request.method),
        text(version(request)),
        text(&path),
        pages::convert(
            &request.header_lines(bytes),
            CodePage::latin1(),
            request.page,
        ),
    ];
    let body = request.body(bytes);
    let body = &body[..body.len().min(BLOCK)];
    let at = parts.each_ref().map(|part| place(w, part, part.len()));
    let [method, version, resource, headers] = at;
    let (method, version, resource, headers) = (method?, version?, resource?, headers?);
    let escaped = text(&request.path);
    let escaped = place(w, &escaped, escaped.len())?;
    let query = text(&request.query);
    let (query_at, host) = (place(w, &query, query.len())?, text(&request.host));
    let host_at = place(w, &host, host.len())?;
    let data = place(w, body, BLOCK)?;
    let list = place(w, &[], urm::bytes_of(ANALYZER))?;
    let mut area = list_at(ANALYZER, list);
    for (name, bytes) in [
        ("WBRA-EYECATCHER", urm::EYE_ANALYZE),
        ("WBRA-SERVER-PROGRAM", &given.program),
        ("WBRA-CONVERTER-PROGRAM", &given.converter),
        ("WBRA-ALIAS-TRANID", &given.transaction),
        ("WBRA-USERID", &given.user),
        ("WBRA-URIMAP", &request.map),
        ("WBRA-ALIAS-TERMID", ""),
        ("WBRA-CHARACTERSET", ""),
        ("WBRA-HOSTCODEPAGE", ""),
    ] {
        area.set_text(name, &text(bytes));
    }
    area.set_text("WBRA-VERSION", &text(urm::VERSION));
    area.set_text("WBRA-REQUEST-TYPE", &text(urm::REQUEST_HTTP));
    area.set_text("WBRA-UNESCAPE", &text(urm::UNESCAPE_NOT_REQUIRED));
    area.get("WBRA-DFHCNV-KEY").fill(0xFF);
    area.set_int("WBRA-FUNCTION", urm::URP_ANALYZE);
    address(&mut area, "WBRA-CLIENT", "-ADDRESS", &given.client);
    address(&mut area, "WBRA-SERVER", "-ADDRESS", &given.server);
    let length = |bytes: &[u8]| i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    area.set_int("WBRA-CONTENT-LENGTH", length(request.body(bytes)));
    for (name, at, bytes) in [
        ("METHOD", method, &parts[0]),
        ("HTTP-VERSION", version, &parts[1]),
        ("RESOURCE", resource, &parts[2]),
        ("REQUEST-HEADER", headers, &parts[3]),
        ("QUERYSTRING", query_at, &query),
        ("HOSTNAME", host_at, &host),
    ] {
        area.set_int(&format!("WBRA-{name}-LENGTH"), length(bytes));
        area.set_address(&format!("WBRA-{name}-PTR"), at as usize);
    }
    area.set_address("WBRA-RESOURCE-ESCAPED-PTR", escaped as usize);
    area.set_int("WBRA-USER-DATA-LENGTH", length(body));
    area.set_address("WBRA-USER-DATA-PTR", data as usize);
    enter(w, program, list, urm::bytes_of(ANALYZER))?;
    let mut area = list_at(ANALYZER, list);
    let mut name = |name: &str| {
        let bytes = area.get(name).to_vec();
        let text = pages::convert(&bytes, request.page, CodePage::latin1());
        let text = String::from_utf8_lossy(&text);
        text.trim_end_matches([' ', '\0']).to_owned()
    };
    let mut said = AnalyzerOutput {
        program: name("WBRA-SERVER-PROGRAM"),
        converter: name("WBRA-CONVERTER-PROGRAM"),
        transaction: name("WBRA-ALIAS-TRANID"),
        user: name("WBRA-USERID"),
        character_set: name("WBRA-CHARACTERSET"),
        host_code_page: name("WBRA-HOSTCODEPAGE"),
        unescape: name("WBRA-UNESCAPE") == urm::UNESCAPE_REQUIRED,
        ..AnalyzerOutput::default()
    };
    said.response = area.int("WBRA-RESPONSE") as i32;
    said.reason = area.int("WBRA-REASON") as i32;
    said.token.copy_from_slice(area.get("WBRA-USER-TOKEN"));
    said.as_is = area.get("WBRA-DFHCNV-KEY").iter().all(|b| *b == 0);
    let used = area.int("WBRA-USER-DATA-LENGTH").clamp(0, BLOCK as i64) as usize;
    // SAFETY: the blocks are the task's, of these bytes, unless the analyzer
    // has freed them: then only this process is harmed.
    unsafe {
        said.body = copied(data, used);
        let at = [method, version, resource, headers];
        for ((part, at), own) in said.parts.iter_mut().zip(at).zip(&parts) {
            *part = copied(at, own.len());
        }
    }
    if w.task.web.keep_bytes(&said.emit(), w.services.arena()) {
        Ok(())
    } else {
        Err(no_storage())
    }
}

/// A request on its way through a converter and programs.
struct ConvertedRequest {
    page: CodePage,
    /// The client's page and that of the programs; `None` when bytes are not
    /// converted.
    pages: Option<(CodePage, CodePage)>,
    token: [u8; 8],
    parts: [Vec<u8>; 4],
    /// The body of the request.
    data: *mut u8,
    data_bytes: usize,
}

impl ConvertedRequest {
    fn begin(
        w: &mut Worker,
        request: &Request,
        bytes: &[u8],
        given: &ConverterInput,
    ) -> Result<ConvertedRequest, Box<Abend>> {
        let text = |bytes: &[u8]| pages::convert(bytes, CodePage::latin1(), request.page);
        let said = if given.analysis.is_empty() {
            AnalyzerOutput {
                parts: [
                    text(request.method.as_bytes()),
                    text(version(request).as_bytes()),
                    text(unescaped_path(&request.path).as_bytes()),
                    text(&request.header_lines(bytes)),
                ],
                body: request.body(bytes).to_vec(),
                ..AnalyzerOutput::default()
            }
        } else {
            AnalyzerOutput::parse(&given.analysis).unwrap_or_default()
        };
        let client = match said.character_set.as_str() {
            "" => pages::parameter(&request.media, "charset").unwrap_or("iso-8859-1"),
            named => named,
        };
        let own = match said.host_code_page.as_str() {
            "" => Ok(request.page),
            named => pages::host(named, request.page),
        };
        let named = !said.character_set.is_empty();
        let converts = !said.as_is && (named || pages::is_text(&request.media));
        let pages = match (pages::named(client), own) {
            (Ok(client), Ok(own)) => converts.then_some((client, own)),
            _ => None,
        };
        let mut body = said.body;
        if said.unescape {
            body = unescape(&body);
        }
        if let Some((client, own)) = pages {
            body = pages::convert(&body, client, own);
        }
        body.truncate(BLOCK);
        let mut token = said.token;
        if given.analysis.is_empty() {
            let from = text(given.token.as_bytes());
            let bytes = from.len().min(token.len());
            token.fill(request.page.space());
            token[..bytes].copy_from_slice(&from[..bytes]);
        }
        Ok(ConvertedRequest {
            page: request.page,
            pages,
            token,
            parts: said.parts,
            data: place(w, &body, BLOCK)?,
            data_bytes: body.len(),
        })
    }

    fn run(&mut self, w: &mut Worker, given: &ConverterInput) -> AbendResult {
        if given.converter.is_empty() {
            let bytes = self.data_bytes.min(LONGEST);
            return match found(w, given.program.as_bytes()) {
                Some(program) => enter(w, program, self.data, bytes),
                None => refuse(w, StatusCode::NOT_FOUND, "There is no such program"),
            };
        }
        let Some(converter) = found(w, given.converter.as_bytes()) else {
            let why = format!("the converter {} is not there", given.converter);
            return Err(Abend::new(abend::APCT, why));
        };
        let (mut data, mut bytes) = (self.data, self.data_bytes);
        for round in 1..=MAX_ROUNDS {
            let list = self.decode_list(w, given, round, (data, bytes))?;
            enter(w, converter, list, urm::bytes_of(DECODE))?;
            let mut area = list_at(DECODE, list);
            let (response, reason) = (area.int("DECODE-RESPONSE"), area.int("DECODE-REASON"));
            if let Some(status) = refused_by_decode(response, reason) {
                return refuse(w, status, "The converter's decode refuses the request");
            }
            self.token.copy_from_slice(area.get("DECODE-USER-TOKEN"));
            data = area.address("DECODE-DATA-PTR") as *mut u8;
            let length = area.int("DECODE-OUTPUT-DATA-LEN");
            let length = match usize::try_from(length) {
                Ok(0) | Err(_) => LONGEST,
                Ok(length) => length.min(LONGEST),
            };
            let program = area.get("DECODE-SERVER-PROGRAM").to_vec();
            let program = pages::convert(&program, self.page, CodePage::latin1());
            let program = String::from_utf8_lossy(&program);
            let program = program.trim_end_matches([' ', '\0']);
            if !program.is_empty() {
                match found(w, program.as_bytes()) {
                    Some(program) => enter(w, program, data, length)?,
                    None => {
                        let detail = format!("There is no program {program}");
                        return refuse(w, StatusCode::NOT_FOUND, &detail);
                    }
                }
            }
            let list = self.encode_list(w, round, data, length)?;
            enter(w, converter, list, urm::bytes_of(ENCODE))?;
            let mut area = list_at(ENCODE, list);
            data = area.address("ENCODE-DATA-PTR") as *mut u8;
            match area.int("ENCODE-RESPONSE") {
                urm::URP_OK => return self.answer(w, data),
                urm::URP_OK_LOOP => bytes = length,
                _ => {
                    let status = StatusCode::NOT_IMPLEMENTED;
                    return refuse(w, status, "The converter's encode refuses the answer");
                }
            }
        }
        let detail = "The converter asks for decode again and again";
        refuse(w, StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    fn decode_list(
        &self,
        w: &mut Worker,
        given: &ConverterInput,
        round: i64,
        (data, bytes): (*mut u8, usize),
    ) -> Result<*mut u8, Box<Abend>> {
        let list = place(w, &[], urm::bytes_of(DECODE))?;
        let text = |text: &str| pages::convert(text.as_bytes(), CodePage::latin1(), self.page);
        let mut area = list_at(DECODE, list);
        area.set_text("DECODE-EYECATCHER", &text(urm::EYE_DECODE));
        area.set_text("DECODE-VERSION", &text(urm::VERSION));
        // Its storage may be freed and replaced.
        area.set_text("DECODE-VOLATILE", &text("1"));
        area.set_int("DECODE-FUNCTION", urm::URP_DECODE);
        area.set_int("DECODE-ENTRY-COUNT", round);
        area.get("DECODE-USER-TOKEN").copy_from_slice(&self.token);
        area.set_address("DECODE-DATA-PTR", data as usize);
        area.set_int("DECODE-INPUT-DATA-LEN", bytes as i64);
        area.set_text("DECODE-SERVER-PROGRAM", &text(&given.program));
        address(&mut area, "DECODE-CLIENT", "ADDRESS", &given.client);
        let (v4, v6) = match given.client.parse() {
            Ok(IpAddr::V6(_)) => ("", &*given.client),
            _ => (&*given.client, ""),
        };
        area.set_text("DECODE-CLIENT-ADDRESS-STRING", &text(v4));
        area.set_text("DECODE-CLIENT-IPV6-ADDR-STRING", &text(v6));
        // After a round they would be those of a request that is answered.
        let parts = if round == 1 { &self.parts[..] } else { &[] };
        let names = ["METHOD", "HTTP-VERSION", "RESOURCE", "REQUEST-HEADER"];
        for (name, part) in names.iter().zip(parts) {
            let at = place(w, part, part.len())?;
            area.set_int(&format!("DECODE-{name}-LENGTH"), part.len() as i64);
            area.set_address(&format!("DECODE-{name}-PTR"), at as usize);
        }
        if round == 1 {
            area.set_int("DECODE-USER-DATA-LENGTH", self.data_bytes as i64);
            area.set_address("DECODE-USER-DATA-PTR", self.data as usize);
        }
        Ok(list)
    }

    fn encode_list(
        &self,
        w: &mut Worker,
        round: i64,
        data: *mut u8,
        bytes: usize,
    ) -> Result<*mut u8, Box<Abend>> {
        // A converter's copybook describes both lists in one area.
        let list = place(w, &[], urm::bytes_of(DECODE))?;
        let text = |text: &str| pages::convert(text.as_bytes(), CodePage::latin1(), self.page);
        let mut area = list_at(ENCODE, list);
        area.set_text("ENCODE-EYECATCHER", &text(urm::EYE_ENCODE));
        area.set_text("ENCODE-VERSION", &text(urm::VERSION));
        area.set_int("ENCODE-FUNCTION", urm::URP_ENCODE);
        area.set_int("ENCODE-ENTRY-COUNT", round);
        area.get("ENCODE-USER-TOKEN").copy_from_slice(&self.token);
        area.set_address("ENCODE-DATA-PTR", data as usize);
        area.set_int("ENCODE-INPUT-DATA-LEN", bytes as i64);
        Ok(list)
    }

    /// Sends what encode has made, unless a program has used WEB SEND.
    fn answer(&self, w: &mut Worker, data: *mut u8) -> AbendResult {
        if w.task.web.is_answered() {
            return Ok(());
        }
        if data.is_null() {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return refuse(w, status, "The converter has made no answer");
        }
        // SAFETY: the converter says that an answer begins there with its
        // length; a wrong address or length harms this process only.
        let made = unsafe {
            let length = copied(data, 4);
            let length = u32::from_be_bytes([length[0], length[1], length[2], length[3]]);
            match (length as usize).checked_sub(4) {
                Some(length) if length <= MAX_ANSWER => copied(data.add(4), length),
                _ => {
                    let status = StatusCode::INTERNAL_SERVER_ERROR;
                    return refuse(w, status, "The converter's answer has no length");
                }
            }
        };
        // Its head is text in any case, its body in the pages of the request's.
        let readable = pages::convert(&made, self.page, CodePage::latin1());
        let Some(mut answer) = made_by_hand(&readable) else {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return refuse(w, status, "The converter's answer has no status");
        };
        let body = made.len() - answer.body.len();
        answer.body = match self.pages {
            Some((client, own)) => pages::convert(&made[body..], own, client),
            None => made[body..].to_vec(),
        };
        keep(w, &answer)
    }
}

/// The status of a request that decode has refused.
fn refused_by_decode(response: i64, reason: i64) -> Option<StatusCode> {
    Some(match (response, reason) {
        (urm::URP_OK, _) => return None,
        (urm::URP_EXCEPTION, urm::URP_CORRUPT_CLIENT_DATA) => StatusCode::BAD_REQUEST,
        (urm::URP_EXCEPTION, urm::URP_SECURITY_FAILURE) => StatusCode::FORBIDDEN,
        (urm::URP_EXCEPTION | urm::URP_INVALID | urm::URP_DISASTER, _) => {
            StatusCode::NOT_IMPLEMENTED
        }
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    })
}

/// Answers with a status of the system's.
fn refuse(w: &mut Worker, status: StatusCode, detail: &str) -> AbendResult {
    keep(w, &CompleteAnswer::problem(status, detail))
}

fn keep(w: &mut Worker, answer: &CompleteAnswer) -> AbendResult {
    if w.task.web.keep(answer, w.services.arena()) {
        Ok(())
    } else {
        Err(no_storage())
    }
}

/// Runs a program with a COMMAREA, at the highest level.
fn enter(w: &mut Worker, program: ProgramId, commarea: *mut u8, bytes: usize) -> AbendResult {
    let passed = EntryArguments {
        commarea,
        bytes,
        channel: None,
    };
    w.run_level(program, passed).map_or(Ok(()), Err)
}

/// A program of this worker, if it can be run.
pub(crate) fn found(w: &Worker, name: &[u8]) -> Option<ProgramId> {
    let mut padded = [b' '; 8];
    padded.get_mut(..name.len())?.copy_from_slice(name);
    w.programs.find(&padded).filter(|p| w.can_run(*p))
}

/// Puts bytes into storage of the task, followed by zeros up to `room`.
pub(crate) fn place(w: &mut Worker, bytes: &[u8], room: usize) -> Result<*mut u8, Box<Abend>> {
    let room = room.max(bytes.len()).max(1);
    let at = w.task.storage.get(room, None, false);
    let at = at.map_err(|_| no_storage())?;
    // SAFETY: a fresh block of at least that many bytes.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), at, bytes.len()) };
    Ok(at)
}

/// A copy of bytes that a program may have written.
///
/// # Safety
/// There are so many.
pub(crate) unsafe fn copied(at: *const u8, bytes: usize) -> Vec<u8> {
    // SAFETY: by the contract; nothing else runs in this process.
    unsafe { std::slice::from_raw_parts(at, bytes) }.to_vec()
}

pub(crate) fn list_at<'a>(list: &'static [UrmParameter], at: *mut u8) -> ParameterArea<'a> {
    // SAFETY: `place` gave that many bytes of the task's storage, and no program
    // runs while this is used but the one that it is for, which has come back.
    let bytes = unsafe { std::slice::from_raw_parts_mut(at, urm::bytes_of(list)) };
    ParameterArea::new(list, bytes)
}

/// Stores an address in the fields for both of its versions.
fn address(area: &mut ParameterArea<'_>, whose: &str, suffix: &str, text: &str) {
    let ip = text.parse().unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let (v4, v6) = match ip {
        IpAddr::V4(ip) => (u32::from(ip), ip.to_ipv6_mapped()),
        IpAddr::V6(ip) => (0, ip),
    };
    let (four, six) = match suffix {
        "ADDRESS" => (format!("{whose}-ADDRESS"), format!("{whose}-IPV6-ADDRESS")),
        _ => (
            format!("{whose}-IP-ADDRESS"),
            format!("{whose}-IPV6-ADDRESS"),
        ),
    };
    area.get(&four).copy_from_slice(&v4.to_be_bytes());
    area.get(&six).copy_from_slice(&v6.octets());
}

fn version(request: &Request) -> &'static str {
    match request.version {
        http::Version::HTTP_10 => "HTTP/1.0",
        http::Version::HTTP_2 => "HTTP/2.0",
        _ => "HTTP/1.1",
    }
}

/// A path without its escapes; `+` is not an escape in a path.
fn unescaped_path(path: &str) -> String {
    let plain = unescape(path.replace('+', "%2B").as_bytes());
    String::from_utf8_lossy(&plain).into_owned()
}

fn no_storage() -> Box<Abend> {
    Abend::new(abend::ASRA, "no storage for a program's parameters")
}

/// Longest COMMAREA of a program.
const LONGEST: usize = link::program_link::MAX_COMMAREA;
/// Longest answer that a converter makes by hand.
const MAX_ANSWER: usize = 16 << 20;
