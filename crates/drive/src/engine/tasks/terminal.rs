//! 3270 terminals: each client has an emulator on its own connection.
//!
//! A step types and presses a key. Its answer is the screen when the wait condition
//! is met. So the time of a step includes every record that the server sends until
//! the keyboard is unlocked.

use super::line::{Answer, Asked, Failed, Meter, connect, refused};
use crate::clock;
use crate::engine::RequestFailure;
use crate::message::ReplyEnd;
use crate::plan::{Population, Protocol};
use crate::terminal::{TerminalTarget, WaitFor, first_line, screen_body};
use crate::tls::{TlsTarget, words_of_io};
use http::HeaderMap;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::Poll;
use tn3270::{Emulator, EmulatorEvent};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

/// A client's terminal.
pub(super) struct Line {
    open: Option<Box<OpenTerminal>>,
    /// The next step is the first of an iteration: a connection that the server
    /// closed since the last one is opened again.
    first_step: bool,
}

/// A terminal on a connection.
struct OpenTerminal {
    emulator: Emulator,
    stream: Option<Box<dyn ByteStream>>,
    buffer: Box<[u8]>,
    /// The server refused the LU or the device type, with its reason.
    rejected: Option<String>,
}

/// A connection in clear or with TLS.
trait ByteStream: AsyncRead + AsyncWrite + Unpin {}
impl<T: AsyncRead + AsyncWrite + Unpin> ByteStream for T {}

impl Line {
    /// A line without a connection.
    pub fn new(_: &Population) -> Line {
        Line {
            open: None,
            first_step: true,
        }
    }

    pub async fn exchange(
        &mut self,
        asked: &Asked<'_>,
        meter: &Meter<'_>,
    ) -> Result<Answer, Failed> {
        let (Protocol::Terminal(settings), ReplyEnd::Screen(step)) =
            (&asked.target.protocol, &asked.step.reply)
        else {
            let why = "the target is not a TN3270 server";
            return Err((RequestFailure::Malformed, why.to_owned()));
        };
        if std::mem::take(&mut self.first_step)
            && let Some(open) = &mut self.open
            && !open.drain(settings, meter).await?
        {
            self.open = None;
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(Box::new(
                OpenTerminal::connect(asked, settings, meter).await?,
            )),
        };
        open.wait(&WaitFor::Unlock, settings, meter).await?;
        let done = step.carry_out(asked.bytes, &mut open.emulator, &settings.table);
        done.map_err(|why| (RequestFailure::Malformed, why))?;
        open.flush(meter).await?;
        open.wait(&step.wait, settings, meter).await?;
        let mut answer = Answer {
            status: 0,
            headers: HeaderMap::new(),
            body: Vec::new(),
            size: 0,
        };
        if asked.keeps_body() {
            answer.body = screen_body(open.emulator.screen(), &settings.table).into_bytes();
            answer.size = answer.body.len() as u64;
        }
        Ok(answer)
    }

    /// Closes the connection: the terminal is in an unknown state.
    pub fn give_up(&mut self) {
        self.open = None;
        self.first_step = true;
    }

    /// Closes the connection if each iteration has its own.
    pub async fn end_iteration(&mut self, population: &Population) {
        self.first_step = true;
        if !population.targets.iter().all(|t| t.keep_alive) {
            self.open = None;
        }
    }
}

impl OpenTerminal {
    /// Connects and negotiates until 3270 mode is reached.
    async fn connect(
        asked: &Asked<'_>,
        settings: &TerminalTarget,
        meter: &Meter<'_>,
    ) -> Result<OpenTerminal, Failed> {
        let began = clock::now();
        let stream = connect(asked.target, asked.client).await;
        let stream = stream.map_err(|error| refused(&error))?;
        let stream = match &asked.target.tls {
            Some(tls) => shake_hands(Box::new(stream), tls).await?,
            None => Box::new(stream) as Box<dyn ByteStream>,
        };
        let mut open = OpenTerminal {
            emulator: settings.emulator(asked.client),
            stream: Some(stream),
            buffer: vec![0; READ_BYTES].into(),
            rejected: None,
        };
        while !open.emulator.session().is_connected() {
            open.receive(settings, meter).await?;
            if let Some(reason) = open.rejected.take() {
                return Err((RequestFailure::Connect, reason));
            }
        }
        meter.connected(clock::now() - began);
        Ok(open)
    }

    /// Receives until the wait condition is met.
    async fn wait(
        &mut self,
        wait: &WaitFor,
        settings: &TerminalTarget,
        meter: &Meter<'_>,
    ) -> Result<(), Failed> {
        while !wait.is_met(self.emulator.screen(), &settings.table) {
            self.receive(settings, meter).await?;
        }
        Ok(())
    }

    /// Handles bytes that arrived since the last step. Returns whether the
    /// connection is still open.
    async fn drain(
        &mut self,
        settings: &TerminalTarget,
        meter: &Meter<'_>,
    ) -> Result<bool, Failed> {
        loop {
            match self.read_now().await {
                None => return Ok(true),
                Some(Ok(0) | Err(_)) => return Ok(false),
                Some(Ok(length)) => self.handle(length, settings, meter).await?,
            }
        }
    }

    /// Reads available bytes. Returns `None` if there are none yet.
    async fn read_now(&mut self) -> Option<io::Result<usize>> {
        let OpenTerminal { stream, buffer, .. } = self;
        let stream = stream.as_mut()?;
        poll_fn(|context| {
            let mut into = ReadBuf::new(buffer);
            match Pin::new(&mut *stream).poll_read(context, &mut into) {
                Poll::Pending => Poll::Ready(None),
                Poll::Ready(done) => Poll::Ready(Some(done.map(|()| into.filled().len()))),
            }
        })
        .await
    }

    /// Receives once and sends the reply.
    async fn receive(
        &mut self,
        settings: &TerminalTarget,
        meter: &Meter<'_>,
    ) -> Result<(), Failed> {
        let Some(stream) = &mut self.stream else {
            return Err((RequestFailure::Reset, "the connection is closed".into()));
        };
        let length = stream.read(&mut self.buffer).await.map_err(broken)?;
        if length == 0 {
            let line = first_line(self.emulator.screen(), &settings.table);
            let why = format!("the server closed the connection; {line}");
            return Err((RequestFailure::Closed, why));
        }
        self.handle(length, settings, meter).await
    }

    /// Handles bytes of the buffer and sends the replies that they require.
    async fn handle(
        &mut self,
        length: usize,
        settings: &TerminalTarget,
        meter: &Meter<'_>,
    ) -> Result<(), Failed> {
        meter.received(length as u64);
        let mut events = Vec::new();
        let taken = self
            .emulator
            .handle_bytes(&self.buffer[..length], &mut events);
        let taken = taken.map_err(|e| (RequestFailure::Malformed, e.to_string()))?;
        self.flush(meter).await?;
        for event in events {
            match event {
                EmulatorEvent::StartTls if taken < length => {
                    let why = "the server sent bytes in clear after it began TLS";
                    return Err((RequestFailure::Tls, why.into()));
                }
                EmulatorEvent::StartTls => {
                    let Some(stream) = self.stream.take() else {
                        continue;
                    };
                    self.stream = Some(shake_hands(stream, &settings.start_tls).await?);
                    self.emulator.handle_tls();
                    self.flush(meter).await?;
                }
                EmulatorEvent::Rejected(reason) => {
                    self.rejected = Some(format!("the server rejected the terminal: {reason:?}"));
                }
                EmulatorEvent::RecordRejected(error) => {
                    return Err((
                        RequestFailure::Malformed,
                        format!("the server sent an invalid record: {error}"),
                    ));
                }
                _ => {}
            }
        }
        Ok(())
    }

    async fn flush(&mut self, meter: &Meter<'_>) -> Result<(), Failed> {
        while let Some(bytes) = self.emulator.poll_transmit() {
            let Some(stream) = &mut self.stream else {
                return Err((RequestFailure::Reset, "the connection is closed".into()));
            };
            stream.write_all(&bytes).await.map_err(broken)?;
            stream.flush().await.map_err(broken)?;
            meter.sent(bytes.len() as u64);
        }
        Ok(())
    }
}

async fn shake_hands(
    stream: Box<dyn ByteStream>,
    tls: &TlsTarget,
) -> Result<Box<dyn ByteStream>, Failed> {
    let connector = tokio_rustls::TlsConnector::from(tls.config.clone());
    let stream = connector.connect(tls.name.clone(), stream).await;
    let stream = stream.map_err(|e| (RequestFailure::Tls, words_of_io(&e)))?;
    Ok(Box::new(stream))
}

fn broken(error: io::Error) -> Failed {
    let failure = match error.kind() {
        io::ErrorKind::InvalidData => RequestFailure::Tls,
        io::ErrorKind::UnexpectedEof => RequestFailure::Closed,
        _ => RequestFailure::Reset,
    };
    (failure, error.to_string())
}

/// A screen of 43 rows fits one read.
const READ_BYTES: usize = 8 << 10;
