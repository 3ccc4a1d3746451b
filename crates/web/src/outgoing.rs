//! The commands with a session token: what waits for a server waits on the
//! runtime of [`crate::client`], and the task with it.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use cics::command::commands as rows;
use cics::resp::Condition;
use hyper::body::Frame;
use region::ServiceCommand;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::client::{ClientError, ExchangeResult, OutgoingRequest, Session, exchange};
use crate::commands::client::SendRequest;
use crate::commands::{
    CommandFailure, OutputAreas, WebCommandResult, answer, client, fail, headers,
};
use crate::service::{CicsWebSupport, TaskCell, lock};
use crate::task::TaskState;

/// Most sessions of one task.
const MOST: usize = 256;
/// Headers of a request that are not a program's to write.
const OWN: [&str; 7] = [
    "connection",
    "content-length",
    "date",
    "expect",
    "host",
    "transfer-encoding",
    "upgrade",
];

/// The option that a command names its session with.
pub(crate) fn token_option(number: u16) -> Option<u8> {
    Some(match number {
        rows::web_close::NUMBER => rows::web_close::SESSTOKEN,
        rows::web_converse::NUMBER => rows::web_converse::SESSTOKEN,
        rows::web_send::NUMBER => rows::web_send::SESSTOKEN,
        rows::web_receive::NUMBER => rows::web_receive::SESSTOKEN,
        rows::web_extract::NUMBER | rows::extract_web::NUMBER => rows::web_extract::SESSTOKEN,
        rows::web_read_httpheader::NUMBER => rows::web_read_httpheader::SESSTOKEN,
        rows::web_write_httpheader::NUMBER => rows::web_write_httpheader::SESSTOKEN,
        rows::web_startbrowse_httpheader::NUMBER => rows::web_startbrowse_httpheader::SESSTOKEN,
        rows::web_readnext_httpheader::NUMBER => rows::web_readnext_httpheader::SESSTOKEN,
        rows::web_endbrowse_httpheader::NUMBER => rows::web_endbrowse_httpheader::SESSTOKEN,
        _ => return None,
    })
}

impl CicsWebSupport {
    /// WEB OPEN.
    pub(crate) fn open(&self, mut command: ServiceCommand, cell: TaskCell) {
        let edition = self.edition();
        let opened = client::open(&edition.maps, &command.operands, self.0.page);
        let mut session = match opened {
            Ok(session) => session,
            Err(failure) => return command.answer(&answer(Err(failure))),
        };
        if lock(&cell).sessions.len() >= MOST {
            return command.answer(&answer(fail(Condition::InvReq, 0)));
        }
        let connector = self.0.connector.clone();
        session.sender = connector.kept(&session.target);
        if session.sender.is_some() {
            let outcome = keep(&mut lock(&cell), session);
            return command.answer(&answer(outcome));
        }
        command.later();
        let limit = self.limit();
        self.0.runtime.spawn(move || async move {
            let made = timeout(limit, connector.connect(&session.target)).await;
            let outcome = match made.unwrap_or(Err(ClientError::TimedOut)) {
                Ok(sender) => {
                    session.sender = Some(sender);
                    keep(&mut lock(&cell), session)
                }
                Err(error) => client::failed(error),
            };
            command.answer(&answer(outcome));
        });
    }

    /// A command with a session token.
    pub(crate) fn in_session(&self, command: ServiceCommand, cell: &TaskCell, token: [u8; 8]) {
        let mut state = lock(cell);
        let TaskState {
            sessions,
            documents,
            ..
        } = &mut *state;
        if command.number == rows::web_close::NUMBER {
            let outcome = match sessions.remove(&token) {
                Some(session) => self.close(session),
                None => fail(Condition::NotOpen, 27),
            };
            return command.answer(&answer(outcome));
        }
        let Some(session) = sessions.get_mut(&token) else {
            return command.answer(&answer(fail(Condition::NotOpen, 27)));
        };
        let maps = &self.edition().maps;
        let outcome = match command.number {
            rows::web_send::NUMBER => {
                match client::send(session, documents, maps, &command.operands) {
                    Ok(SendRequest::Request(outgoing)) => {
                        self.begin(session, outgoing, None);
                        Ok(link::CommandOperands::default())
                    }
                    Ok(SendRequest::First(outgoing, chunk, end)) => {
                        self.begin(session, outgoing, Some(end));
                        return self.push(command, session, chunk, false);
                    }
                    Ok(SendRequest::Chunk(chunk, last)) => {
                        return self.push(command, session, chunk, last);
                    }
                    Err(failure) => Err(failure),
                }
            }
            rows::web_converse::NUMBER => {
                let made = client::converse(session, documents, maps, &command.operands);
                match made {
                    Ok(outgoing) => {
                        self.begin(session, outgoing, None);
                        return self.await_answer(command, session, cell, token);
                    }
                    Err(failure) => Err(failure),
                }
            }
            rows::web_receive::NUMBER if session.chunks.is_some() => {
                // The request has no end yet, so there is no answer to it.
                fail(Condition::InvReq, 80)
            }
            rows::web_receive::NUMBER if !session.pending.is_empty() && !session.is_cut => {
                return self.await_answer(command, session, cell, token);
            }
            rows::web_receive::NUMBER => client::receive(session, &command.operands),
            _ => about(session, &command),
        };
        drop(state);
        command.answer(&answer(outcome));
    }

    /// Sends a request; its answer goes to the session. A request that follows
    /// an unanswered one waits for that answer. The server's time begins when
    /// the request is sent, or with the last chunk, which notifies `end`.
    fn begin(
        &self,
        session: &mut Session,
        outgoing: OutgoingRequest,
        end: Option<oneshot::Receiver<()>>,
    ) {
        let (done, pending) = oneshot::channel::<ExchangeResult>();
        session.pending.push_back(pending);
        let (pass, next) = oneshot::channel();
        let before = session.next.replace(next);
        let (sender, target) = (session.sender.take(), session.target.clone());
        let connector = self.0.connector.clone();
        let most = usize::try_from(self.0.config.client_body_bytes).unwrap_or(usize::MAX);
        let limit = self.limit();
        self.0.runtime.spawn(move || async move {
            let sender = match before {
                None => sender,
                Some(before) => match before.await {
                    Ok(Some(sender)) => Some(sender),
                    // The answer before was the last on the connection, or has
                    // not come.
                    _ => return drop(done.send(Err(ClientError::Socket))),
                },
            };
            let exchanged = exchange(&connector, &target, sender, outgoing, most);
            let late = async {
                if let Some(end) = end {
                    let _ = end.await;
                }
                tokio::time::sleep(limit).await;
            };
            let exchanged = tokio::select! {
                exchanged = exchanged => exchanged,
                () = late => Err(ClientError::TimedOut),
            };
            let exchanged = exchanged.map(|(response, sender)| {
                let _ = pass.send(sender);
                response
            });
            // The task may be over.
            let _ = done.send(exchanged);
        });
    }

    /// Sends a chunk; the task waits while the server does not read.
    fn push(&self, mut command: ServiceCommand, session: &mut Session, chunk: Bytes, last: bool) {
        let Some(chunks) = &mut session.chunks else {
            return command.answer(&answer(fail(Condition::InvReq, 86)));
        };
        let (way, ended) = (chunks.way.clone(), chunks.ended.take_if(|_| last));
        let mut pieces = Vec::new();
        if !chunk.is_empty() {
            pieces.push(Some(Frame::data(chunk)));
        }
        if last {
            session.chunks = None;
            let trailers = std::mem::take(&mut session.headers);
            if !trailers.is_empty() {
                pieces.push(Some(Frame::trailers(trailers)));
            }
            pieces.push(None);
        }
        command.later();
        let limit = self.limit();
        self.0.runtime.spawn(move || async move {
            let sent = async {
                for piece in pieces {
                    way.send(piece).await.map_err(|_| ClientError::Socket)?;
                }
                Ok(())
            };
            let sent = timeout(limit, sent).await;
            if let Some(ended) = ended {
                let _ = ended.send(());
            }
            let outcome = match sent.unwrap_or(Err(ClientError::TimedOut)) {
                Ok(()) => Ok(link::CommandOperands::default()),
                // The server has answered already, and reads no more.
                Err(ClientError::Socket) if last => Ok(link::CommandOperands::default()),
                Err(error) => client::failed(error),
            };
            command.answer(&answer(outcome));
        });
    }

    /// The task waits for the answer that is under way.
    fn await_answer(
        &self,
        mut command: ServiceCommand,
        session: &mut Session,
        cell: &TaskCell,
        token: [u8; 8],
    ) {
        let Some(pending) = session.pending.pop_front() else {
            return command.answer(&answer(fail(Condition::InvReq, 80)));
        };
        command.later();
        let cell = cell.clone();
        self.0.runtime.spawn(move || async move {
            let exchanged = pending.await.unwrap_or(Err(ClientError::Socket));
            let mut state = lock(&cell);
            let outcome = match state.sessions.get_mut(&token) {
                Some(session) => answered(session, exchanged, &command),
                None => fail(Condition::NotOpen, 27),
            };
            drop(state);
            command.answer(&answer(outcome));
        });
    }

    /// WEB CLOSE: the connection is kept when its URIMAP has SOCKETCLOSE, and no answer
    /// is under way on it.
    fn close(&self, session: Session) -> WebCommandResult {
        if let (Some(sender), Some(time)) = (session.sender, session.keep)
            && !session.closed
        {
            let (connector, target) = (self.0.connector.clone(), session.target);
            if connector.keep(&target, sender, time) {
                self.0
                    .runtime
                    .spawn(move || async move { connector.sweep(target).await });
            }
        }
        Ok(link::CommandOperands::default())
    }

    fn limit(&self) -> Duration {
        Duration::from_millis(u64::from(self.0.config.client_timeout_ms))
    }
}

/// Puts a session into its task and returns its token.
fn keep(state: &mut TaskState, session: Session) -> WebCommandResult {
    state.tokens += 1;
    let token = state.tokens.to_be_bytes();
    state.sessions.insert(token, session);
    let mut filled = OutputAreas::default();
    filled.chars(rows::web_open::SESSTOKEN, &token);
    filled.int(rows::web_open::HTTPVNUM, 1);
    filled.int(rows::web_open::HTTPRNUM, 1);
    filled.done()
}

fn answered(
    session: &mut Session,
    exchanged: ExchangeResult,
    command: &ServiceCommand,
) -> WebCommandResult {
    match exchanged {
        Ok(response) => {
            if session.pending.is_empty() {
                let next = session.next.take();
                session.sender = next.and_then(|mut next| next.try_recv().ok().flatten());
                session.closed |= session.sender.is_none();
            }
            session.forget_answer();
            session.response = Some(Arc::new(response));
            match command.number {
                rows::web_converse::NUMBER => client::conversed(session, &command.operands),
                _ => client::receive(session, &command.operands),
            }
        }
        Err(error) => {
            // The state of the connection is unknown.
            session.closed = true;
            session.next = None;
            session.forget_answer();
            client::failed(error)
        }
    }
}

/// A command that reads a session or writes into it.
fn about(session: &mut Session, command: &ServiceCommand) -> WebCommandResult {
    let given = &command.operands;
    let response = session.response.clone();
    let of_response = || match &response {
        Some(response) => Ok(&response.headers),
        None => fail::<_>(Condition::InvReq, 43),
    };
    match command.number {
        rows::web_extract::NUMBER | rows::extract_web::NUMBER => client::extract(session, given),
        rows::web_read_httpheader::NUMBER => {
            headers::read(of_response()?, given, headers::HeaderSource::Response)
        }
        rows::web_startbrowse_httpheader::NUMBER => {
            headers::start(of_response()?, &mut session.browse)
        }
        rows::web_readnext_httpheader::NUMBER => headers::next(
            of_response()?,
            &mut session.browse,
            given,
            headers::HeaderSource::Response,
        ),
        rows::web_endbrowse_httpheader::NUMBER => headers::end(&mut session.browse),
        _ => write(session, given),
    }
}

fn write(
    session: &mut Session,
    given: &link::CommandOperands,
) -> Result<link::CommandOperands, CommandFailure> {
    let (name, value) = headers::written(given)?;
    if OWN.contains(&name.as_str()) {
        return fail(Condition::InvReq, 44);
    }
    session.headers.append(name, value);
    Ok(link::CommandOperands::default())
}
