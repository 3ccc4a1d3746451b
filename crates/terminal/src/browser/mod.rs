//! Terminals in browsers: the server has the emulator, a page has its cells.
//!
//! A session is an emulator of the crate `tn3270` and a connection of the door,
//! joined in memory: whatever a 3270 client gets over a socket, the page gets
//! too. The page asks for the screen and waits until it has changed, and sends
//! keys. What is typed ahead waits here until the keyboard is unlocked.
//!
//! Invariant: sessions, the keys that wait and the time without a page are
//! bounded.

mod keys;
mod picture;

use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Debug};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use seats::{ConnectionHost, SeatPhase};
use serde_json::{Value, json};
use tn3270::screen::KeyboardState;
use tn3270::{CodeTable, Emulator, KeyOutcome, StartTls, TerminalModel};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::{Notify, watch};

use crate::connection::Connection;
use crate::page::code_table;
use crate::shared::TerminalContext;
use keys::KeyAction;

/// The terminals of a region that are in browsers.
pub struct BrowserTerminals {
    shared: Arc<TerminalContext>,
    sessions: Mutex<HashMap<String, Arc<BrowserSession>>>,
}

/// Why a page is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BrowserError {
    /// There is no such session, or it has ended.
    #[error("there is no such terminal session")]
    Gone,
    /// There are too many sessions, or the region does not run.
    #[error("there are too many terminal sessions")]
    TooMany,
    /// The request is not one that the page sends.
    #[error("the request makes no sense")]
    Malformed,
}

/// One terminal.
struct BrowserSession {
    state: Mutex<SessionState>,
    /// The number of the picture.
    version: watch::Sender<u64>,
    /// Bytes wait to be sent.
    output: Notify,
    table: CodeTable,
}

struct SessionState {
    emulator: Emulator,
    waiting: VecDeque<KeyAction>,
    ended: bool,
    alarms: u64,
    /// When a page has asked last.
    last_request: Instant,
}

impl Debug for BrowserTerminals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrowserTerminals").finish_non_exhaustive()
    }
}

impl BrowserTerminals {
    /// None yet.
    pub fn new(shared: Arc<TerminalContext>) -> BrowserTerminals {
        BrowserTerminals {
            shared,
            sessions: Mutex::default(),
        }
    }

    /// Opens a session of a model, 2 to 5. Returns its name.
    ///
    /// # Errors
    /// There are too many.
    pub fn open(self: &Arc<Self>, model: u8) -> Result<String, BrowserError> {
        let (Some(running), true) = (self.shared.running(), self.shared.config.browser) else {
            return Err(BrowserError::TooMany);
        };
        let seats = &self.shared.seats;
        let seat = seats.enter();
        seat.enter(SeatPhase::Busy);
        if seats.taken() > self.shared.config.max_connections && !seats.give_way(None) {
            return Err(BrowserError::TooMany);
        }
        let mut sessions = self.lock();
        if sessions.len() >= MOST_SESSIONS {
            return Err(BrowserError::TooMany);
        }
        let name = session_name().ok_or(BrowserError::TooMany)?;
        let model = TerminalModel::display(model.clamp(2, 5));
        let session = Arc::new(BrowserSession {
            state: Mutex::new(SessionState {
                emulator: Emulator::with_model(model),
                waiting: VecDeque::new(),
                ended: false,
                alarms: 0,
                last_request: Instant::now(),
            }),
            version: watch::Sender::new(0),
            output: Notify::new(),
            table: code_table(&self.shared.config.code_page).unwrap_or_else(|_| CodeTable::cp037()),
        });
        sessions.insert(name.clone(), session.clone());
        let (page, door) = tokio::io::duplex(PIPE_BYTES);
        let (region, stop) = (running.region.clone(), running.stop.clone());
        let connection = Connection::new(
            self.shared.clone(),
            region,
            running.user,
            StartTls::Off,
            seat.handle(),
        );
        running.runtime.spawn(async move {
            seat.hold(connection.serve_local(door, stop)).await;
        });
        let (all, key) = (self.clone(), name.clone());
        running.runtime.spawn(async move {
            session.run(page).await;
            all.lock().remove(&key);
        });
        Ok(name)
    }

    /// The picture of a session: waits until it is another than number `after`,
    /// for half a minute at most.
    ///
    /// # Errors
    /// There is no such session.
    pub async fn picture(&self, name: &str, after: Option<u64>) -> Result<Value, BrowserError> {
        let session = self.session(name)?;
        session.lock().last_request = Instant::now();
        let mut version = session.version.subscribe();
        let changed = version.wait_for(|now| Some(*now) != after);
        let _ = tokio::time::timeout(LONGEST_WAIT, changed).await;
        session.lock().last_request = Instant::now();
        Ok(session.picture())
    }

    /// Presses keys: a JSON array of what [`keys`] knows.
    ///
    /// # Errors
    /// There is no such session, or what was sent is not keys.
    pub fn press(&self, name: &str, keys: &str) -> Result<(), BrowserError> {
        let session = self.session(name)?;
        let keys: Vec<KeyAction> =
            serde_json::from_str(keys).map_err(|_| BrowserError::Malformed)?;
        session.press(keys);
        Ok(())
    }

    /// Closes a session.
    ///
    /// # Errors
    /// There is no such session.
    pub fn close(&self, name: &str) -> Result<(), BrowserError> {
        let session = self.session(name)?;
        session.lock().ended = true;
        session.output.notify_one();
        Ok(())
    }

    fn session(&self, name: &str) -> Result<Arc<BrowserSession>, BrowserError> {
        let sessions = self.lock();
        sessions.get(name).cloned().ok_or(BrowserError::Gone)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<BrowserSession>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BrowserSession {
    fn lock(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The emulator's end of the connection, until either side ends it or no
    /// page asks any more.
    async fn run(&self, mut pipe: DuplexStream) {
        let mut buffer = vec![0; READ_BYTES];
        loop {
            let (output, over) = {
                let mut state = self.lock();
                let silent = state.last_request.elapsed() >= LONGEST_SILENCE;
                (state.emulator.poll_transmit(), state.ended || silent)
            };
            if let Some(output) = output {
                if pipe.write_all(&output).await.is_err() {
                    break;
                }
                continue;
            }
            if over {
                break;
            }
            tokio::select! {
                read = pipe.read(&mut buffer) => match read {
                    Ok(0) | Err(_) => break,
                    Ok(length) if self.handle(&buffer[..length]).is_err() => break,
                    Ok(_) => {}
                },
                () = self.output.notified() => {}
                () = tokio::time::sleep(LONGEST_WAIT) => {}
            }
        }
        self.lock().ended = true;
        self.show();
    }

    /// Handles bytes of the door.
    fn handle(&self, bytes: &[u8]) -> Result<(), tn3270::SessionError> {
        let mut events = Vec::new();
        {
            let mut state = self.lock();
            state.emulator.handle_bytes(bytes, &mut events)?;
            if state.emulator.screen_mut().take_alarm() {
                state.alarms += 1;
            }
            state.go_on(&self.table);
        }
        self.show();
        Ok(())
    }

    fn press(&self, keys: Vec<KeyAction>) {
        {
            let mut state = self.lock();
            for key in keys {
                if key.is_immediate() {
                    // RESET also drops what was typed ahead.
                    state.waiting.clear();
                    key.apply(&mut state.emulator, &self.table);
                } else if state.waiting.len() < MOST_WAITING {
                    state.waiting.push_back(key);
                }
            }
            state.go_on(&self.table);
        }
        self.show();
        self.output.notify_one();
    }

    /// Another picture is there.
    fn show(&self) {
        self.version.send_modify(|version| *version += 1);
    }

    fn picture(&self) -> Value {
        let state = self.lock();
        let screen = state.emulator.screen();
        let unit = state
            .emulator
            .session()
            .lu()
            .map(|lu| lu.as_str().to_owned());
        let (row, column) = screen.cursor_position();
        json!({
            "version": *self.version.borrow(),
            "rows": screen.size().rows(),
            "columns": screen.size().columns(),
            "cursor": [row, column],
            "keyboard": picture::keyboard(screen.keyboard()),
            "waiting": state.waiting.len(),
            "insert": screen.is_insert_mode(),
            "alarms": state.alarms,
            "unit": unit,
            "ended": state.ended,
            "lines": picture::lines(screen, &self.table),
        })
    }
}

impl SessionState {
    /// Takes keys that wait, while the keyboard is unlocked.
    fn go_on(&mut self, table: &CodeTable) {
        loop {
            match self.emulator.screen().keyboard() {
                KeyboardState::Unlocked => {}
                KeyboardState::System => return,
                KeyboardState::Inhibited(_) => return self.waiting.clear(),
            }
            let Some(key) = self.waiting.pop_front() else {
                return;
            };
            if let KeyOutcome::Inhibited(_) = key.apply(&mut self.emulator, table) {
                // What was typed after a key that is not possible is lost, as on
                // a terminal.
                self.waiting.clear();
            }
        }
    }
}

/// A name that cannot be guessed: 128 random bits.
fn session_name() -> Option<String> {
    use std::io::Read;
    let mut bytes = [0u8; 16];
    let mut random = std::fs::File::open("/dev/urandom").ok()?;
    random.read_exact(&mut bytes).ok()?;
    Some(base::hex::lower(&bytes))
}

/// Most sessions.
const MOST_SESSIONS: usize = 64;
/// Keys that wait in one.
const MOST_WAITING: usize = 4_000;
/// Bytes between emulator and door.
const PIPE_BYTES: usize = 16 << 10;
const READ_BYTES: usize = 4 << 10;
/// How long a page waits for another picture.
const LONGEST_WAIT: Duration = Duration::from_secs(25);
/// A page that has not asked for so long is closed.
const LONGEST_SILENCE: Duration = Duration::from_secs(90);
