//! Records a terminal session as a scenario: a proxy between a user's emulator and
//! a server.
//!
//! [`record`] copies bytes in both directions unchanged. [`SessionRecorder`] sees
//! them first, keeps a copy of the emulator's screen, and writes a step for each
//! key that the user presses. The file is complete after every step, so a session
//! can end at any time.
//!
//! Invariant: text typed into a hidden field is never written.

mod session;
mod step;
mod write;

pub use session::{SessionRecorder, UnreadableSession};
pub use step::RecordedStep;
pub use write::scenario;

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tn3270::CodeTable;

/// The parameters of a recording.
#[derive(Clone, Debug)]
pub struct RecordSettings {
    /// The server.
    pub server: SocketAddr,
    /// The server's address for the scenario.
    pub server_name: String,
    /// The code page of the terminals, by name, and its table.
    pub code_page: (String, CodeTable),
}

/// Waits for an emulator at `listener`, connects its session to the server and
/// writes the scenario to `out` after every step. Returns the number of steps, at
/// least one. A connection that presses no key is ignored: it is not the user's.
///
/// # Errors
/// The server cannot be reached, the file cannot be written, or the session
/// cannot be read.
pub fn record(settings: &RecordSettings, listener: &TcpListener, out: &Path) -> io::Result<usize> {
    loop {
        let (emulator, _) = listener.accept()?;
        let steps = record_session(settings, emulator, out)?;
        if steps > 0 {
            return Ok(steps);
        }
    }
}

fn record_session(settings: &RecordSettings, emulator: TcpStream, out: &Path) -> io::Result<usize> {
    let server = TcpStream::connect(settings.server)?;
    emulator.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let table = settings.code_page.1.clone();
    let shared = Arc::new(RecordingState {
        recorder: Mutex::new(SessionRecorder::new(table)),
        settings: settings.clone(),
        start: Instant::now(),
    });
    let back = {
        let shared = shared.clone();
        let (server, emulator) = (server.try_clone()?, emulator.try_clone()?);
        std::thread::Builder::new()
            .name("to the emulator".into())
            .spawn(move || shared.carry(&server, &emulator, RecordedSide::Server, None))?
    };
    let forth = shared.carry(&emulator, &server, RecordedSide::Emulator, Some(out));
    let back = back.join().unwrap_or(Ok(()));
    let mut recorder = shared.lock();
    recorder.finish();
    if !recorder.steps().is_empty() {
        let text = scenario(recorder.steps(), settings, recorder.model());
        std::fs::write(out, text)?;
    }
    forth.and(back)?;
    Ok(recorder.steps().len())
}

/// Which end sent bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordedSide {
    Server,
    Emulator,
}

struct RecordingState {
    recorder: Mutex<SessionRecorder>,
    settings: RecordSettings,
    start: Instant,
}

impl RecordingState {
    fn lock(&self) -> MutexGuard<'_, SessionRecorder> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Copies bytes until their sender closes. The recorder sees them before
    /// the receiver does, so it is never later than the emulator.
    fn carry(
        &self,
        from: &TcpStream,
        to: &TcpStream,
        side: RecordedSide,
        out: Option<&Path>,
    ) -> io::Result<()> {
        let done = self.carry_all(from, to, side, out);
        let _ = to.shutdown(Shutdown::Write);
        if done.is_err() {
            let _ = from.shutdown(Shutdown::Both);
            let _ = to.shutdown(Shutdown::Both);
        }
        done
    }

    fn carry_all(
        &self,
        mut from: &TcpStream,
        mut to: &TcpStream,
        side: RecordedSide,
        out: Option<&Path>,
    ) -> io::Result<()> {
        let mut buffer = [0; 16 << 10];
        loop {
            let length = match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(length) => length,
                // A peer that closes with unread data sends a
                // reset.
                Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return Ok(()),
                Err(error) => return Err(error),
            };
            let bytes = &buffer[..length];
            let now = self.start.elapsed();
            let text = {
                let mut recorder = self.lock();
                let seen = match side {
                    RecordedSide::Server => recorder.handle_server(bytes, now),
                    RecordedSide::Emulator => recorder.handle_emulator(bytes, now),
                };
                seen.map_err(io::Error::other)?;
                let changed = recorder.take_changed() && out.is_some();
                changed.then(|| scenario(recorder.steps(), &self.settings, recorder.model()))
            };
            if let (Some(text), Some(out)) = (text, out) {
                std::fs::write(out, text)?;
            }
            to.write_all(bytes)?;
        }
    }
}
