//! The future of one connection: bytes between socket and session, events of the
//! session to the region.
//!
//! It sleeps until the client sends, the region has output, the session has a
//! deadline, or the listener stops. Its end frees the LU and closes the
//! facility.

use std::sync::Arc;
use std::time::Duration;

use link::terminal::{ScreenSize, feature};
use region::{FacilityDef, FacilityId, FacilityInput, FacilityKind, Handle, Name, TransId, UserId};
use tn3270::telnet::{DeviceType, LuName, RejectReason};
use tn3270::{Aid, InboundRecord, SessionEvent, TerminalInfo};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::sync::watch;
use tokio::time::{sleep_until, timeout};

use crate::config::Uppercase;
use crate::display::{Display, Sink};
use crate::input::{program_data, transid};
use crate::messages;
use crate::service::Shared;

/// A connection and its terminal.
pub struct Connection {
    shared: Arc<Shared>,
    region: Handle,
    user: UserId,
    display: Arc<Display>,
    facility: Option<FacilityId>,
}

impl Connection {
    /// A connection that was accepted.
    pub fn new(shared: Arc<Shared>, region: Handle, user: UserId) -> Connection {
        Connection {
            display: Display::new(&shared),
            shared,
            region,
            user,
            facility: None,
        }
    }

    /// Serves it until its end.
    pub async fn serve(mut self, mut stream: TcpStream, mut stop: watch::Receiver<bool>) {
        let _ = stream.set_nodelay(true);
        let (reading, mut writing) = stream.split();
        loop {
            let over = self.settle(&mut writing).await;
            if over {
                break;
            }
            if self.display.take_unlock_due() && self.is_free() {
                self.display.unlock();
                continue;
            }
            let deadline = self.display.lock().session.poll_deadline();
            let deadline = deadline.map(|at| (self.display.start() + at).into());
            tokio::select! {
                ready = reading.readable() => {
                    if ready.is_err() || self.read(&reading).is_err() {
                        self.display.lock().session.handle_closed();
                    }
                }
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
    async fn settle(&mut self, writing: &mut WriteHalf<'_>) -> bool {
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
            let written = timeout(WRITE_TIMEOUT, writing.write_all(&output)).await;
            if !matches!(written, Ok(Ok(()))) {
                // The client is gone, or does not read.
                self.display.lock().session.handle_closed();
                return true;
            }
        }
    }

    /// Reads what is there.
    fn read(&self, reading: &ReadHalf<'_>) -> std::io::Result<()> {
        let mut buffer = [0; READ_BYTES];
        match reading.try_read(&mut buffer) {
            Ok(0) => Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(length) => {
                let now = self.display.now();
                let mut state = self.display.lock();
                if let Err(error) = state.session.handle_bytes(&buffer[..length], now) {
                    tracing::info!(target: "terminal", %error, "a client misbehaves");
                }
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn event(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::LuRequested { device, name } => self.name(&device, name.as_ref()),
            SessionEvent::Connected => self.connected(),
            SessionEvent::Input(record) => self.input(&record),
            SessionEvent::Ended(reason) => {
                tracing::debug!(target: "terminal", ?reason, "a session has ended");
            }
            SessionEvent::Response {
                outcome: Err(reason),
                ..
            } => tracing::info!(target: "terminal", ?reason, "a client rejects an output"),
            // Without START_TLS none is asked for; ATTN and SYSREQ do nothing.
            SessionEvent::StartTls
            | SessionEvent::Response { .. }
            | SessionEvent::Attention
            | SessionEvent::SystemRequest
            | SessionEvent::SscpLuData(_) => {}
        }
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
        let sink = Arc::new(Sink(self.display.clone()));
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
            self.display
                .show(&messages::refused_input(code, refused), true);
        }
    }

    /// Gives the region what the user entered.
    fn input(&self, bytes: &[u8]) {
        let Some(id) = self.facility else { return };
        let (positions, plain) = {
            let mut state = self.display.lock();
            state.locked = true;
            (state.session.screen_size().positions(), state.own_screen)
        };
        // The session has checked it, for its larger size.
        let Ok(record) = InboundRecord::parse(bytes, u16::MAX) else {
            return self.display.unlock();
        };
        let aid = record.aid();
        if aid == Aid::StructuredField {
            return self.display.unlock();
        }
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
        let input = FacilityInput {
            aid: aid.emit(),
            cursor: record.cursor().unwrap_or(0),
            data,
            transid: code,
        };
        if let Err(refused) = self.region.input(id, input) {
            if code.is_blank() {
                // CLEAR, or a key on an empty screen.
                return self.display.unlock();
            }
            self.display
                .show(&messages::refused_input(code, refused), free);
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
/// A client that does not take output for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
