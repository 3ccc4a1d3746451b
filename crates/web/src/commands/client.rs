//! WEB OPEN, SEND, RECEIVE, CONVERSE, EXTRACT and CLOSE with a session token:
//! the parts that decide. The parts that wait are in [`crate::outgoing`].
//!
//! Reference: CICS API reference, WEB OPEN, WEB SEND (client), WEB RECEIVE
//! (client), WEB CONVERSE, WEB EXTRACT, WEB CLOSE. RESP2 values of WEB OPEN's
//! INVREQ and of IOERR are from memory of the manual.

use std::collections::VecDeque;

use bytes::Bytes;
use cics::command::commands::{
    web_converse as converse_row, web_extract as extract_row, web_open as open_row,
    web_receive as receive_row, web_send as send_row,
};
use cics::csd::{UriMapDef, UriMapUsage};
use cics::resp::Condition;
use copybook::codepage::CodePage;
use http::{HeaderValue, Method, Version, header};
use link::CommandOperands;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use tokio::sync::oneshot;

use super::parse::host_type;
use super::{CommandFailure, OutputAreas, WebCommandResult, cvda, fail, is_selected, text};
use crate::client::{ClientError, OutgoingRequest, RequestBody, Response, ServerTarget, Session};
use crate::document::TaskDocuments;
use crate::maps::UriMaps;
use crate::pages;

/// Most requests of a session whose answers were not received yet.
const MOST_PENDING: usize = 32;
/// INVREQ: chunks out of their order, or of a document.
const CHUNKS: u32 = 86;
/// Characters that a path or a query must not have on the wire.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// The options that SEND and CONVERSE share, by their places.
struct Options {
    path: u8,
    map: u8,
    query: u8,
    method: u8,
    methods: [(u8, &'static str); 8],
    media: u8,
    from: u8,
    document: u8,
    delete: (u8, u8),
    character_set: u8,
    convert: u8,
    no_convert: u8,
    conversion: u8,
    close: (u8, u8),
    basic: (u8, u8),
    user: u8,
    password: u8,
    expect: u8,
}

/// Writes the options of one row.
macro_rules! options {
    ($row:ident) => {
        Options {
            path: $row::PATH,
            map: $row::URIMAP,
            query: $row::QUERYSTRING,
            method: $row::METHOD,
            methods: [
                ($row::GET, "GET"),
                ($row::HEAD, "HEAD"),
                ($row::PATCH, "PATCH"),
                ($row::POST, "POST"),
                ($row::PUT, "PUT"),
                ($row::TRACE, "TRACE"),
                ($row::OPTIONS, "OPTIONS"),
                ($row::DELETE, "DELETE"),
            ],
            media: $row::MEDIATYPE,
            from: $row::FROM,
            document: $row::DOCTOKEN,
            delete: ($row::DOCDELETE, $row::DOCSTATUS),
            character_set: $row::CHARACTERSET,
            convert: $row::CLICONVERT,
            no_convert: $row::NOCLICONVERT,
            conversion: $row::CLIENTCONV,
            close: ($row::CLOSE, $row::CLOSESTATUS),
            basic: ($row::BASICAUTH, $row::AUTHENTICATE),
            user: $row::USERNAME,
            password: $row::PASSWORD,
            expect: $row::EXPECT,
        }
    };
}

const SEND: Options = options!(send_row);
const CONVERSE: Options = options!(converse_row);

/// The session that OPEN asks for.
pub fn open(
    maps: &UriMaps,
    given: &CommandOperands,
    page: CodePage,
) -> Result<Session, CommandFailure> {
    let page = match text(given, open_row::CODEPAGE).map(|name| pages::host(&name, page)) {
        None => page,
        Some(Ok(page)) => page,
        Some(Err(_)) => return fail(Condition::NotFnd, 1),
    };
    let mut keep = None;
    let (target, map) = match text(given, open_row::URIMAP) {
        Some(name) => {
            let map = of_map(maps, &name)?;
            let (host, port) = match map.host.rsplit_once(':') {
                Some((host, port)) if !host.contains(':') => (host, port.parse().ok()),
                _ => (map.host.as_str(), None),
            };
            keep = (map.socket_close_s > 0)
                .then(|| std::time::Duration::from_secs(u64::from(map.socket_close_s)));
            let own = if map.secure { 443 } else { 80 };
            let target = ServerTarget {
                secure: map.secure,
                host: host.to_owned(),
                port: map.port.or(port).unwrap_or(own),
                certificate: map.certificate.clone(),
            };
            (target, Some((map.name.clone(), map.path.clone())))
        }
        None => (target(given)?, None),
    };
    let mut target = target;
    if let Some(label) = text(given, open_row::CERTIFICATE).filter(|label| !label.is_empty()) {
        target.certificate = Some(label);
    }
    Ok(Session {
        target,
        map,
        page,
        keep,
        headers: http::HeaderMap::new(),
        response: None,
        received: 0,
        browse: None,
        chunks: None,
        is_cut: false,
        pending: VecDeque::new(),
        sender: None,
        next: None,
        closed: false,
    })
}

fn of_map<'m>(maps: &'m UriMaps, name: &str) -> Result<&'m UriMapDef, CommandFailure> {
    match maps.client(name) {
        Some(map) if map.usage != UriMapUsage::Client => fail(Condition::InvReq, 25),
        Some(map) if !map.enabled => fail(Condition::InvReq, 26),
        Some(map) => Ok(map),
        None => fail(Condition::NotFnd, 61),
    }
}

fn target(given: &CommandOperands) -> Result<ServerTarget, CommandFailure> {
    if given.get_int(open_row::HOSTLENGTH).is_some_and(|n| n <= 0) {
        return fail(Condition::LengErr, 8);
    }
    let host = text(given, open_row::HOST).unwrap_or_default();
    let host = host.trim().trim_start_matches('[').trim_end_matches(']');
    let scheme = given
        .get_int(open_row::SCHEME)
        .unwrap_or_else(|| cvda("HTTP"));
    let secure = scheme == cvda("HTTPS");
    if !secure && scheme != cvda("HTTP") {
        return fail(Condition::InvReq, 15);
    }
    let own = if secure { 443 } else { 80 };
    let port = given.get_int(open_row::PORTNUMBER).unwrap_or(own);
    let Some(port) = u16::try_from(port).ok().filter(|port| *port > 0) else {
        return fail(Condition::InvReq, 22);
    };
    if host.is_empty() || !host.bytes().all(|b| b.is_ascii_graphic()) {
        fail(Condition::NotFnd, 1)
    } else {
        Ok(ServerTarget {
            secure,
            host: host.to_owned(),
            port,
            certificate: None,
        })
    }
}

/// A SEND request.
#[derive(Debug)]
pub enum SendRequest {
    /// A request.
    Request(OutgoingRequest),
    /// The first chunk of a request, and a notification of the last.
    First(OutgoingRequest, Bytes, oneshot::Receiver<()>),
    /// A chunk; true for the last.
    Chunk(Bytes, bool),
}

/// Builds the request of a SEND.
pub fn send(
    session: &mut Session,
    documents: &mut TaskDocuments,
    maps: &UriMaps,
    given: &CommandOperands,
) -> Result<SendRequest, CommandFailure> {
    let is_selected = |flag, name| is_selected(given, flag, send_row::CHUNKING, name);
    let last = is_selected(send_row::CHUNKEND, "CHUNKEND");
    let more = is_selected(send_row::CHUNKYES, "CHUNKYES");
    if given.has(send_row::DOCTOKEN) && (last || more) {
        return fail(Condition::InvReq, CHUNKS);
    }
    if session.chunks.is_some() {
        // Its method, path and headers have been sent.
        if !last && !more {
            return fail(Condition::InvReq, CHUNKS);
        }
        let chunk = body(session, documents, given, &SEND)?;
        if more && chunk.is_empty() {
            // An empty chunk is the end, which CHUNKEND says.
            return fail(Condition::LengErr, 58);
        }
        return Ok(SendRequest::Chunk(chunk.into(), last));
    }
    if last {
        return fail(Condition::InvReq, CHUNKS);
    }
    if !given.has(send_row::METHOD) && !SEND.methods.iter().any(|(m, _)| given.has(*m)) {
        return fail(Condition::InvReq, 10);
    }
    if !more {
        return outgoing(session, documents, maps, given, &SEND).map(SendRequest::Request);
    }
    let chunk = body(session, documents, given, &SEND)?;
    if chunk.is_empty() {
        return fail(Condition::LengErr, 58);
    }
    let mut outgoing = outgoing(session, documents, maps, given, &SEND)?;
    let (body, chunks, end) = RequestBody::chunks();
    outgoing.body = body;
    session.chunks = Some(chunks);
    Ok(SendRequest::First(outgoing, chunk.into(), end))
}

/// The request that CONVERSE asks for: its answer is the next, so none may be
/// under way.
pub fn converse(
    session: &mut Session,
    documents: &mut TaskDocuments,
    maps: &UriMaps,
    given: &CommandOperands,
) -> Result<OutgoingRequest, CommandFailure> {
    if !session.pending.is_empty() {
        return fail(Condition::InvReq, 17);
    }
    outgoing(session, documents, maps, given, &CONVERSE)
}

fn outgoing(
    session: &mut Session,
    documents: &mut TaskDocuments,
    maps: &UriMaps,
    given: &CommandOperands,
    options: &Options,
) -> Result<OutgoingRequest, CommandFailure> {
    if session.closed || session.pending.len() >= MOST_PENDING {
        return fail(Condition::InvReq, 17);
    }
    if given.has(options.expect) {
        // No 100-continue is waited for.
        return fail(Condition::InvReq, 71);
    }
    let method = method(given, options)?;
    let target = path(session, maps, given, options)?;
    let body = body(session, documents, given, options)?;
    let mut headers = std::mem::take(&mut session.headers);
    let authority = HeaderValue::from_str(&session.target.authority());
    headers.insert(
        header::HOST,
        authority.or_else(|_| fail(Condition::InvReq, 64))?,
    );
    if let Some(media) = text(given, options.media).filter(|m| !m.is_empty()) {
        let media = HeaderValue::from_str(&media);
        headers.insert(
            header::CONTENT_TYPE,
            media.or_else(|_| fail(Condition::InvReq, 9))?,
        );
    } else if !body.is_empty() && !headers.contains_key(header::CONTENT_TYPE) {
        // A body needs a type.
        return fail(Condition::InvReq, 9);
    }
    if is_selected(given, options.basic.0, options.basic.1, "BASICAUTH") {
        let user = text(given, options.user).unwrap_or_default();
        let password = text(given, options.password).unwrap_or_default();
        let mut value = HeaderValue::from_str(&fetch::basic(&user, &password))
            .or_else(|_| fail(Condition::InvReq, 145))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    let close = is_selected(given, options.close.0, options.close.1, "CLOSE");
    if close {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        session.closed = true;
    }
    if session.pending.is_empty() {
        session.forget_answer();
    }
    Ok(OutgoingRequest {
        method,
        target,
        headers,
        body: Bytes::from(body).into(),
        close,
    })
}

fn method(given: &CommandOperands, options: &Options) -> Result<Method, CommandFailure> {
    let by_flag = options.methods.iter().find(|(flag, _)| given.has(*flag));
    let by_cvda = given.get_int(options.method).map(|value| {
        let mut all = options.methods.iter();
        all.find(|(_, name)| cvda(name) == value)
    });
    let name = match (by_flag, by_cvda) {
        (Some((_, name)), _) | (_, Some(Some((_, name)))) => name,
        (None, Some(None)) => return fail(Condition::InvReq, 10),
        // CONVERSE has GET where it names none.
        (None, None) => "GET",
    };
    Method::from_bytes(name.as_bytes()).or_else(|_| fail(Condition::InvReq, 10))
}

/// Path and query, escaped where a program has not done it.
fn path(
    session: &Session,
    maps: &UriMaps,
    given: &CommandOperands,
    options: &Options,
) -> Result<String, CommandFailure> {
    let path = match (text(given, options.path), text(given, options.map)) {
        (Some(path), _) => path,
        (None, Some(name)) => of_map(maps, &name)?.path.clone(),
        (None, None) => match &session.map {
            Some((_, path)) => path.clone(),
            None => "/".to_owned(),
        },
    };
    let path = path.trim();
    if !path.starts_with('/') && path != "*" {
        return fail(Condition::InvReq, 63);
    }
    let mut target = utf8_percent_encode(path, UNSAFE).to_string();
    if let Some(query) = text(given, options.query).filter(|q| !q.is_empty()) {
        target.push('?');
        target.extend(utf8_percent_encode(query.trim_start_matches('?'), UNSAFE));
    }
    Ok(target)
}

fn body(
    session: &Session,
    documents: &mut TaskDocuments,
    given: &CommandOperands,
    options: &Options,
) -> Result<Vec<u8>, CommandFailure> {
    let conversion = conversion(session, given, options)?;
    if given.has(options.document) {
        let token = super::document::token(given, options.document);
        let Some(document) = documents.get(&token) else {
            return fail(Condition::NotFnd, 1);
        };
        let data = document.data(conversion);
        if is_selected(given, options.delete.0, options.delete.1, "DOCDELETE") {
            documents.remove(&token);
        }
        return Ok(data);
    }
    let bytes = given.get_bytes(options.from).unwrap_or_default();
    Ok(match conversion {
        Some((from, to)) => pages::convert(bytes, from, to),
        None => bytes.to_vec(),
    })
}

/// From which page into which a request's body is converted; none as it is.
fn conversion(
    session: &Session,
    given: &CommandOperands,
    options: &Options,
) -> Result<Option<(CodePage, CodePage)>, CommandFailure> {
    if is_selected(
        given,
        options.no_convert,
        options.conversion,
        "NOCLICONVERT",
    ) || given.get_int(options.conversion) == Some(cvda("NOOUTCONVERT"))
    {
        return Ok(None);
    }
    let asks = is_selected(given, options.convert, options.conversion, "CLICONVERT");
    let named = text(given, options.character_set);
    let media = text(given, options.media).unwrap_or_default();
    if !asks && named.is_none() || !pages::is_text(&media) {
        return Ok(None);
    }
    match named.map_or(Ok(CodePage::latin1()), |name| pages::named(&name)) {
        Ok(to) => Ok(Some((session.page, to))),
        Err(_) => fail(Condition::NotFnd, 7),
    }
}

/// The parts of an answer that a program receives.
struct ReceiveOptions {
    into: u8,
    set: u8,
    length: u8,
    most: u8,
    container: u8,
    no_truncate: u8,
    status: u8,
    reason: (u8, u8),
    charset: u8,
    media: Option<u8>,
    convert: u8,
    conversion: u8,
}

const RECEIVED: ReceiveOptions = ReceiveOptions {
    into: receive_row::INTO,
    set: receive_row::SET,
    length: receive_row::LENGTH,
    most: receive_row::MAXLENGTH,
    container: receive_row::TOCONTAINER,
    no_truncate: receive_row::NOTRUNCATE,
    status: receive_row::STATUSCODE,
    reason: (receive_row::STATUSTEXT, receive_row::STATUSLEN),
    charset: receive_row::BODYCHARSET,
    media: Some(receive_row::MEDIATYPE),
    convert: receive_row::CLICONVERT,
    conversion: receive_row::CLIENTCONV,
};

const CONVERSED: ReceiveOptions = ReceiveOptions {
    into: converse_row::INTO,
    set: converse_row::SET,
    length: converse_row::TOLENGTH,
    most: converse_row::MAXLENGTH,
    container: converse_row::TOCONTAINER,
    no_truncate: converse_row::NOTRUNCATE,
    status: converse_row::STATUSCODE,
    reason: (converse_row::STATUSTEXT, converse_row::STATUSLEN),
    charset: converse_row::BODYCHARSET,
    media: None,
    convert: converse_row::CLICONVERT,
    conversion: converse_row::CLIENTCONV,
};

/// Gives the answer of a server to RECEIVE.
pub fn receive(session: &mut Session, given: &CommandOperands) -> WebCommandResult {
    received(session, given, &RECEIVED)
}

/// Gives the answer of a server to CONVERSE.
pub fn conversed(session: &mut Session, given: &CommandOperands) -> WebCommandResult {
    received(session, given, &CONVERSED)
}

fn received(
    session: &mut Session,
    given: &CommandOperands,
    options: &ReceiveOptions,
) -> WebCommandResult {
    let Some(response) = session.response.clone() else {
        return fail(Condition::InvReq, 80);
    };
    let (mut filled, body) = response_outputs(&response, session.page, given, options)?;
    let room = match (given.get_int(options.most), given.has(options.container)) {
        (_, true) => None,
        (Some(most), _) => Some(most),
        (None, _) if given.has(options.set) => None,
        (None, _) => given
            .get_int(options.length)
            .or_else(|| given.get_int(options.into)),
    };
    if room.is_some_and(|room| room <= 0) && given.has(options.most) {
        return fail(Condition::LengErr, 1);
    }
    let rest = body.get(session.received..).unwrap_or_default();
    let fits = room.map_or(rest.len(), |room| rest.len().min(room.max(0) as usize));
    filled.chars(options.into, &rest[..fits]);
    session.is_cut = false;
    if fits == rest.len() {
        session.received = body.len();
        return filled.done();
    }
    if given.has(options.no_truncate) {
        session.received += fits;
        session.is_cut = true;
        return filled.done();
    }
    filled.int(options.length, rest.len() as i64);
    session.received = body.len();
    Err(CommandFailure {
        condition: Condition::LengErr,
        resp2: 57,
        operands: filled.done()?,
    })
}

/// Status and type of an answer, and its body in the program's page.
fn response_outputs<'r>(
    response: &'r Response,
    page: CodePage,
    given: &CommandOperands,
    options: &ReceiveOptions,
) -> Result<(OutputAreas, std::borrow::Cow<'r, [u8]>), CommandFailure> {
    let media = response.headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|m| m.to_str().ok()).unwrap_or_default();
    let charset = pages::parameter(media, "charset").unwrap_or_default();
    let mut filled = OutputAreas::default();
    filled.int(options.status, i64::from(response.status.as_u16()));
    filled.area(given, options.reason, &response.reason, 140)?;
    filled.chars(options.charset, charset.as_bytes());
    if let Some(option) = options.media {
        let plain = media.split(';').next().unwrap_or_default().trim();
        filled.chars(option, plain.as_bytes());
    }
    let asks = is_selected(given, options.convert, options.conversion, "CLICONVERT");
    let from = match charset {
        "" => CodePage::latin1(),
        name => pages::named(name).unwrap_or(CodePage::latin1()),
    };
    let body = if asks && pages::is_text(media) && !given.has(options.container) {
        pages::convert(&response.body, from, page).into()
    } else {
        (&*response.body).into()
    };
    Ok((filled, body))
}

/// WEB EXTRACT of a session.
pub fn extract(session: &Session, given: &CommandOperands) -> WebCommandResult {
    use extract_row as row;
    let target = &session.target;
    let mut filled = OutputAreas::default();
    filled.int(
        row::SCHEME,
        cvda(if target.secure { "HTTPS" } else { "HTTP" }),
    );
    filled.area(
        given,
        (row::HOST, row::HOSTLENGTH),
        target.host.as_bytes(),
        5,
    )?;
    filled.int(row::HOSTTYPE, host_type(&target.host));
    filled.int(row::PORTNUMBER, i64::from(target.port));
    let version = session.response.as_ref().map(|r| r.version);
    let version: &[u8] = match version {
        Some(Version::HTTP_10) => b"HTTP/1.0",
        _ => b"HTTP/1.1",
    };
    filled.area(given, (row::HTTPVERSION, row::VERSIONLEN), version, 5)?;
    let (map, path) = session.map.clone().unwrap_or_default();
    filled.area(given, (row::PATH, row::PATHLENGTH), path.as_bytes(), 5)?;
    filled.chars(row::URIMAP, map.as_bytes());
    filled.done()
}

/// The condition for an error.
pub fn failed<T>(error: ClientError) -> Result<T, CommandFailure> {
    match error {
        ClientError::Host => fail(Condition::NotFnd, 1),
        ClientError::NotAllowed => fail(Condition::NotAuth, 100),
        ClientError::Trust => fail(Condition::IoErr, 45),
        ClientError::Certificate => fail(Condition::InvReq, 40),
        ClientError::Socket => fail(Condition::IoErr, 42),
        ClientError::Path => fail(Condition::InvReq, 63),
        ClientError::Body => fail(Condition::IoErr, 41),
        ClientError::TimedOut => fail(Condition::TimedOut, 62),
    }
}
