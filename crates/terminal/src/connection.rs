//! The future of one connection: bytes between socket and session, events of the
//! session to the region.
//!
//! It sleeps until the client sends, the region has output, the session has a
//! deadline, or the listener stops. Its end frees the LU and closes the
//! facility.

use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::Arc;
use std::task::ready;
use std::time::Duration;

use link::terminal::{ScreenSize, feature};
use region::{FacilityDef, FacilityId, FacilityInput, FacilityKind, Handle, Name, TransId, UserId};
use seats::{SeatHandle, SeatPhase};
use tn3270::StartTls;
use tn3270::telnet::{DeviceType, LuName, RejectReason};
use tn3270::{Aid, InboundRecord, SessionEvent, TerminalInfo};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep_until, timeout};
use tokio_rustls::TlsAcceptor;

use bms::TerminalPage;

use crate::commands;
use crate::config::Uppercase;
use crate::display::TerminalDisplay;
use crate::input::{program_data, transid};
use crate::messages;
use crate::shared::TerminalContext;
use crate::sink::DisplaySink;

/// A connection and its terminal.
pub struct Connection {
    shared: Arc<TerminalContext>,
    region: Handle,
    user: UserId,
    display: Arc<TerminalDisplay>,
    facility: Option<FacilityId>,
    /// The client has agreed to begin TLS with its next byte.
    begins_tls: bool,
    /// What it sent after that.
    handshake: Vec<u8>,
    /// The client shows the SSCP-LU screen.
    outside_session: bool,
    /// Half-open until the session is agreed on, and idle since the last input.
    seat: SeatHandle,
}

impl Connection {
    /// A connection that was accepted. `start_tls` says whether TLS is asked for
    /// inside of it.
    pub fn new(
        shared: Arc<TerminalContext>,
        region: Handle,
        user: UserId,
        start_tls: StartTls,
        seat: SeatHandle,
    ) -> Connection {
        Connection {
            display: TerminalDisplay::new(&shared, start_tls),
            shared,
            region,
            user,
            facility: None,
            begins_tls: false,
            handshake: Vec::new(),
            outside_session: false,
            seat,
        }
    }

    /// Serves a client without encryption until its end, or after START_TLS with
    /// it.
    pub async fn serve(mut self, stream: TcpStream, mut stop: watch::Receiver<bool>) {
        let _ = stream.set_nodelay(true);
        let Some(stream) = self.exchange(stream, &mut stop).await else {
            return;
        };
        // The handshake may have begun in the client's last bytes.
        let begun = std::mem::take(&mut self.handshake);
        let (reading, writing) = tokio::io::split(stream);
        let stream = tokio::io::join(std::io::Cursor::new(begun).chain(reading), writing);
        // On the heap, so that terminals without TLS have no room for it.
        Box::pin(self.serve_handshake(stream, stop, true)).await;
    }

    /// Serves a client that begins with the TLS handshake.
    pub async fn serve_tls(self, stream: TcpStream, stop: watch::Receiver<bool>) {
        let _ = stream.set_nodelay(true);
        Box::pin(self.serve_handshake(stream, stop, false)).await;
    }

    /// Serves an emulator of this process.
    pub async fn serve_local(mut self, stream: DuplexStream, mut stop: watch::Receiver<bool>) {
        self.exchange(stream, &mut stop).await;
    }

    /// Does the TLS handshake, then serves the client until its end. `inside` is
    /// true after START_TLS.
    async fn serve_handshake<S>(mut self, stream: S, mut stop: watch::Receiver<bool>, inside: bool)
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let Some(tls) = &self.shared.tls else { return };
        let accepting = TlsAcceptor::from(tls.config()).accept(stream);
        match timeout(HANDSHAKE_LIMIT, accepting).await {
            Ok(Ok(stream)) => {
                if inside {
                    let now = self.display.now();
                    self.display.lock().session.handle_tls(now);
                }
                self.exchange(stream, &mut stop).await;
            }
            Ok(Err(error)) => {
                tracing::info!(target: "terminal", %error, "a TLS handshake has failed");
            }
            Err(_) => tracing::info!(target: "terminal", "a TLS handshake took too long"),
        }
    }

    /// Exchanges bytes until the session ends. Returns the stream if the TLS
    /// handshake begins.
    async fn exchange<S>(&mut self, mut stream: S, stop: &mut watch::Receiver<bool>) -> Option<S>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        loop {
            if self.settle(&mut stream).await {
                return None;
            }
            // In this order: a task that ends in between is looked at in the next round.
            let unlock_due = self.display.take_unlock_due();
            let free = self.is_free();
            if self.facility.is_some() {
                let phase = if free {
                    SeatPhase::Idle
                } else {
                    SeatPhase::Busy
                };
                self.seat.mark(phase);
            }
            if std::mem::take(&mut self.begins_tls) {
                return Some(stream);
            }
            if unlock_due && free {
                self.display.unlock();
                continue;
            }
            let deadline = self.display.lock().session.poll_deadline();
            let deadline = deadline.map(|at| (self.display.start() + at).into());
            tokio::select! {
                read = self.read(&mut stream) => match read {
                    Ok(rest) => self.handshake = rest,
                    Err(_) => self.display.lock().session.handle_closed(),
                },
                () = self.display.news() => {}
                () = until(deadline) => {
                    let now = self.display.now();
                    self.display.lock().session.handle_timeout(now);
                }
                _ = stop.changed() => self.display.lock().session.close(),
            }
        }
    }

    /// Handles events and writes output until there is neither. Returns whether
    /// the connection is over.
    async fn settle<S: AsyncWrite + Unpin>(&mut self, stream: &mut S) -> bool {
        loop {
            let event = self.display.lock().session.poll_event();
            if let Some(event) = event {
                self.event(event);
                continue;
            }
            let (output, over) = {
                let mut state = self.display.lock();
                let output = state.session.poll_transmit();
                (output, state.session.end_reason().is_some())
            };
            let Some(output) = output else {
                return over;
            };
            let writing = async {
                stream.write_all(&output).await?;
                // TLS may hold bytes back.
                stream.flush().await
            };
            let written = timeout(WRITE_TIMEOUT, writing).await;
            if !matches!(written, Ok(Ok(()))) {
                // The client is gone, or does not read.
                self.display.lock().session.handle_closed();
                return true;
            }
        }
    }

    /// Reads once. Returns what belongs to the TLS handshake, usually nothing.
    /// The buffer is on the stack, so an idle terminal has none.
    async fn read<S: AsyncRead + Unpin>(&self, stream: &mut S) -> std::io::Result<Vec<u8>> {
        poll_fn(|cx| {
            let mut bytes = [const { MaybeUninit::uninit() }; READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut bytes);
            ready!(Pin::new(&mut *stream).poll_read(cx, &mut buffer))?;
            let read = buffer.filled();
            if read.is_empty() {
                return std::task::Poll::Ready(Err(std::io::ErrorKind::UnexpectedEof.into()));
            }
            let now = self.display.now();
            let taken = self.display.lock().session.handle_bytes(read, now);
            let rest = match taken {
                Ok(taken) => read[taken..].to_vec(),
                Err(error) => {
                    tracing::info!(target: "terminal", %error, "a client misbehaves");
                    Vec::new()
                }
            };
            std::task::Poll::Ready(Ok(rest))
        })
        .await
    }

    fn event(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::LuRequested { device, name } => self.name(&device, name.as_ref()),
            SessionEvent::Connected => {
                self.seat.enter(SeatPhase::Idle);
                self.connected();
            }
            SessionEvent::Input(record) => {
                self.seat.enter(SeatPhase::Idle);
                self.input(&record);
            }
            SessionEvent::Ended(reason) => {
                tracing::debug!(target: "terminal", ?reason, "a session has ended");
            }
            SessionEvent::Response {
                outcome: Err(reason),
                ..
            } => tracing::info!(target: "terminal", ?reason, "a client rejects an output"),
            SessionEvent::StartTls => self.begins_tls = true,
            SessionEvent::SystemRequest => self.system_request(),
            SessionEvent::SscpLuData(typed) => self.sscp_lu_data(&typed),
            SessionEvent::Attention => {
                if let Some(id) = self.facility {
                    self.region.attention(id);
                }
            }
            SessionEvent::Response { .. } => {}
        }
    }

    /// SYSREQ: to the SSCP-LU screen, and back to the session.
    fn system_request(&mut self) {
        self.outside_session = !self.outside_session;
        if self.outside_session {
            self.answer_outside("SYSREQ. Type LOGOFF to disconnect, or press SYSREQ to go back.");
        }
    }

    /// What was typed on the SSCP-LU screen.
    fn sscp_lu_data(&mut self, typed: &[u8]) {
        let page = self.display.page();
        let typed = typed.iter().map(|byte| page.to_program(*byte));
        let word: String = typed.map(char::from).collect();
        if word.trim().eq_ignore_ascii_case("LOGOFF") {
            return self.display.lock().session.close();
        }
        self.answer_outside("That is not known here. Type LOGOFF, or press SYSREQ.");
    }

    fn answer_outside(&self, text: &str) {
        let data = self.display.page().text(text);
        // A client without TN3270E has no such screen.
        let _ = self.display.lock().session.send_sscp_lu_data(&data);
    }

    /// Gives the terminal its LU.
    fn name(&self, device: &DeviceType, asked: Option<&LuName>) {
        let refused = if device.is_printer() {
            Some(RejectReason::InvDeviceType)
        } else if self.display.names().is_some() {
            // A client asks again after the functions were agreed.
            Some(RejectReason::UnsupportedReq)
        } else {
            match self.shared.names.take(asked) {
                Some(names) => {
                    let unit = names.unit.clone();
                    let page = self.shared.pages.of(unit.as_str());
                    self.display.set_names(names, page);
                    // The session is at this step.
                    let _ = self.display.lock().session.assign_lu(unit);
                    None
                }
                None => Some(RejectReason::DeviceInUse),
            }
        };
        if let Some(reason) = refused {
            let _ = self.display.lock().session.reject_lu(reason);
        }
    }

    /// The terminal becomes a facility of the region.
    fn connected(&mut self) {
        let info = self.display.lock().session.terminal().cloned();
        let (Some(info), Some(names)) = (info, self.display.names()) else {
            return;
        };
        let def = FacilityDef {
            terminal: names.terminal,
            netname: Name::new(names.unit.as_str()).unwrap_or_default(),
            pooled: names.generated,
            userid: self.user,
            read_timeout_ms: self.shared.config.read_timeout_s.saturating_mul(1_000),
            ..facility(&info)
        };
        let welcome = messages::welcome(&self.shared, &self.display.terminal_name());
        self.display.show(&welcome, true);
        let sink = Arc::new(DisplaySink(self.display.clone()));
        match self.region.register_facility(def, sink) {
            Ok(id) => {
                self.shared.attach(id, &self.display);
                self.facility = Some(id);
                self.begin_first(id);
            }
            Err(refused) => {
                tracing::warn!(target: "terminal", %refused, "a terminal is refused");
                self.display.show(&refused.to_string(), true);
                self.display.lock().session.close();
            }
        }
    }

    /// GMTRAN: begins the first transaction, if the settings name one.
    fn begin_first(&self, id: FacilityId) {
        let named = self.shared.config.first_transaction.as_deref();
        let Some(code) = named.and_then(|name| name.parse::<TransId>().ok()) else {
            return;
        };
        let input = FacilityInput {
            aid: Aid::Enter.emit(),
            data: code.to_string().trim_end().into(),
            transid: code,
            ..FacilityInput::default()
        };
        if let Err(refused) = self.region.input(id, input) {
            self.display.show(
                &messages::refused_input(&self.shared.applid, code, refused),
                true,
            );
        }
    }

    /// Gives the region what the user entered.
    fn input(&self, bytes: &[u8]) {
        let Some(id) = self.facility else { return };
        if self.shared.stepping.input(&self.region, id, bytes) {
            return;
        }
        let (positions, plain) = {
            let mut state = self.display.lock();
            state.locked = true;
            // Some clients give what was typed on an empty screen an address.
            let plain = state.own_screen || state.cleared;
            (state.session.screen_size().positions(), plain)
        };
        // The session has checked it, for its larger size.
        let Ok(record) = InboundRecord::parse(bytes, u16::MAX) else {
            return self.display.unlock();
        };
        let aid = record.aid();
        if aid == Aid::StructuredField {
            return self.display.unlock();
        }
        self.display.note_input(&record);
        if aid == Aid::Clear {
            let mut state = self.display.lock();
            (state.cleared, state.own_screen) = (true, false);
        }
        // Nothing of a program is on the screen: a message may clear it.
        let free = plain || record.fields().next().is_some_and(|f| f.address.is_none());
        let upper_case = self.display.upper_case();
        let mut data = program_data(&record, positions, plain, &self.display.page());
        let code = transid(&data, upper_case != Uppercase::Never);
        if upper_case == Uppercase::All && self.begins(id) {
            data.make_ascii_uppercase();
        }
        let (aid, cursor) = (aid.emit(), record.cursor().unwrap_or(0));
        let prepared = commands::prepare(&self.shared, &self.display, (aid, cursor), &data);
        let input = FacilityInput {
            aid,
            cursor,
            data,
            prepared,
            transid: code,
        };
        if let Err(refused) = self.region.input(id, input) {
            if code.is_blank() {
                // CLEAR, or a key on an empty screen.
                return self.display.unlock();
            }
            self.display.show(
                &messages::refused_input(&self.shared.applid, code, refused),
                free,
            );
        }
    }

    /// Whether the terminal has no task.
    fn is_free(&self) -> bool {
        let state = self.facility.and_then(|id| self.region.facility(id));
        state.is_some_and(|state| !state.busy)
    }

    /// Whether the next input begins the transaction that it names.
    fn begins(&self, id: FacilityId) -> bool {
        let state = self.region.facility(id);
        state.is_some_and(|state| !state.busy && state.next_transid.is_blank())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(id) = self.facility {
            self.region.close_facility(id);
            self.shared.detach(id);
            self.shared.stepping.terminal_left(&self.region, id);
        }
        if let Some(names) = self.display.names() {
            self.shared.names.release(names);
        }
    }
}

/// What a terminal can do.
fn facility(info: &TerminalInfo) -> FacilityDef {
    let size = |size: tn3270::ScreenSize| ScreenSize {
        rows: size.rows(),
        columns: size.columns(),
    };
    let default = size(info.default);
    let alternate = Some(size(info.alternate)).filter(|alternate| *alternate != default);
    let bits = [
        (info.has_color(), feature::COLOR),
        (info.has_highlight(), feature::HILIGHT),
        (info.is_extended(), feature::EXTDS),
    ];
    let features = bits.iter().filter(|(has, _)| *has);
    FacilityDef {
        kind: FacilityKind::Terminal,
        screen: default,
        default_screen: default,
        alternate_screen: alternate.unwrap_or_default(),
        term_code: [DISPLAY, info.device.model().unwrap_or(2)],
        features: features.fold(0, |all, (_, bit)| all | bit),
        ..FacilityDef::default()
    }
}

async fn until(deadline: Option<tokio::time::Instant>) {
    match deadline {
        Some(at) => sleep_until(at).await,
        None => std::future::pending().await,
    }
}

/// TERMCODE of a 3270 display.
const DISPLAY: u8 = 0x91;
/// Bytes of one read; a screen takes a few hundred.
const READ_BYTES: usize = 4096;
/// How long a client may take for the TLS handshake.
const HANDSHAKE_LIMIT: Duration = Duration::from_secs(10);
/// A client that does not take output for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
