//! One connected terminal: its session, what is known of its screen, and the
//! region's way to it.
//!
//! The connection's future and the region's threads share it. What a task sends
//! is put into the session at once; the future writes it to the socket.
//!
//! Invariant: the lock is never held while the region is called, and no
//! thread waits for the client under it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use bms::{AttributeSet, ExtendedAttribute, OutboundStream, TerminalProfile};
use region::{FacilityOutput, Name, ScreenErase, TransId};
use tn3270::stream::Command;
use tn3270::{InboundRecord, ResponseFlag, ScreenSize, ServerSession, StartTls, Wcc};
use tokio::sync::Notify;

use crate::config::Uppercase;
use crate::host::SignedOnUser;
use crate::messages;
use crate::names::TerminalNames;
use crate::page::PageTables;
use crate::shared::TerminalContext;
use crate::stepping::{SavedScreen, StepDisplay};

/// A terminal.
#[derive(Debug)]
pub struct TerminalDisplay {
    state: Mutex<DisplayState>,
    /// Its names, once the client has asked for an LU.
    names: OnceLock<TerminalNames>,
    /// Its code page, once it has names.
    page: OnceLock<Arc<PageTables>>,
    /// Output or the end of the session waits for the connection's future.
    news: Notify,
    pub(crate) shared: Weak<TerminalContext>,
    /// The session's time starts here.
    start: Instant,
}

/// What changes.
#[derive(Debug)]
pub struct DisplayState {
    /// The session.
    pub session: ServerSession,
    /// The screen is empty: nothing was written since it was cleared.
    pub cleared: bool,
    /// The screen is a message of the region, not a program's.
    pub own_screen: bool,
    /// No output has unlocked the keyboard since the last input.
    pub locked: bool,
    /// A task has ended: the keyboard is unlocked unless an input that was
    /// entered meanwhile begins another.
    pub(crate) unlock_due: bool,
    /// The transaction of the task that runs.
    pub(crate) transid: TransId,
    /// Who has signed on.
    pub user: Option<SignedOnUser>,
    /// Wrong passwords since the last sign-on.
    pub wrong_passwords: u8,
    /// Which letters become capitals.
    upper_case: Uppercase,
    /// Map set and map that a program has sent last.
    pub shown_map: Option<(Name<8>, Name<8>)>,
    /// The user's own screen, at a terminal that a debugger may use.
    saved: Option<Box<SavedScreen>>,
    /// The debugger's screen is shown in its place.
    covered: bool,
    /// A program has written since the debugger's screen was shown, or the user
    /// has entered something.
    program_output: bool,
    /// The task waits for an input of the user.
    pub(crate) awaits_input: bool,
}

impl DisplayState {
    /// The size of the user's own screen.
    fn own_size(&self) -> ScreenSize {
        match &self.saved {
            Some(saved) => saved.size(),
            None => self.session.screen_size(),
        }
    }

    /// The record that shows the user's own screen again, if another is in its
    /// place.
    fn take_restored(&mut self) -> Option<Vec<u8>> {
        let covered = std::mem::take(&mut self.covered);
        let saved = self.saved.as_ref().filter(|_| covered)?;
        Some(saved.record())
    }
}

/// The terminal does not take output: its session is over, or its client reads
/// nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnreachableTerminal;

impl TerminalDisplay {
    /// The terminal of a new connection.
    pub fn new(shared: &Arc<TerminalContext>, start_tls: StartTls) -> Arc<TerminalDisplay> {
        let config = shared.config.session(start_tls);
        let session = ServerSession::new(config, Duration::ZERO);
        Arc::new(TerminalDisplay {
            state: Mutex::new(DisplayState {
                session,
                cleared: true,
                own_screen: false,
                locked: false,
                unlock_due: false,
                transid: TransId::BLANK,
                user: None,
                wrong_passwords: 0,
                upper_case: shared.config.uppercase,
                shown_map: None,
                saved: None,
                covered: false,
                program_output: false,
                awaits_input: false,
            }),
            names: OnceLock::new(),
            page: OnceLock::new(),
            news: Notify::new(),
            shared: Arc::downgrade(shared),
            start: Instant::now(),
        })
    }

    /// Time since the connection began.
    pub fn now(&self) -> Duration {
        self.start.elapsed()
    }

    /// When the session's clock was at zero.
    pub fn start(&self) -> Instant {
        self.start
    }

    /// What changes.
    pub fn lock(&self) -> MutexGuard<'_, DisplayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its names, once they are given.
    pub fn names(&self) -> Option<&TerminalNames> {
        self.names.get()
    }

    /// Gives it its names and its code page; later ones are ignored.
    pub fn set_names(&self, names: TerminalNames, page: Arc<PageTables>) {
        let _ = self.page.set(page);
        let _ = self.names.set(names);
    }

    /// Its code page.
    pub fn page(&self) -> Arc<PageTables> {
        self.page.get_or_init(Arc::default).clone()
    }

    /// Its terminal identifier, without blanks.
    pub fn terminal_name(&self) -> String {
        let name = self.names().map(|names| names.terminal.to_string());
        name.unwrap_or_default().trim_end().to_owned()
    }

    /// Which letters become capitals.
    pub fn upper_case(&self) -> Uppercase {
        self.lock().upper_case
    }

    /// UCTRAN, NOUCTRAN or TRANIDONLY.
    pub fn set_upper_case(&self, word: &str) {
        if let Some(wanted) = Uppercase::of_cvda(word) {
            self.lock().upper_case = wanted;
        }
    }

    /// The transaction of its task, or blanks.
    pub fn transid_of(&self, busy: bool) -> String {
        let transid = if busy {
            self.lock().transid
        } else {
            TransId::BLANK
        };
        transid.to_string().trim_end().to_owned()
    }

    /// Counts a wrong password. Returns whether there were too many.
    pub fn count_wrong_password(&self) -> bool {
        let mut state = self.lock();
        state.wrong_passwords += 1;
        state.wrong_passwords >= MOST_WRONG
    }

    /// Waits for output of the region.
    pub async fn news(&self) {
        self.news.notified().await;
    }

    /// Has the connection's future look at the session.
    pub fn notify(&self) {
        self.news.notify_one();
    }

    /// The terminal as commands on maps format for it.
    pub fn profile(&self) -> TerminalProfile {
        let state = self.lock();
        let mut profile = TerminalProfile::model_2();
        if let Some(info) = state.session.terminal() {
            profile.default_size = map_size(info.default);
            profile.alternate_size = map_size(info.alternate);
            profile.extended = info.is_extended();
            let color = info.has_color().then_some(ExtendedAttribute::Color);
            let highlight = info.has_highlight().then_some(ExtendedAttribute::Highlight);
            profile.attributes = color.into_iter().chain(highlight).collect::<AttributeSet>();
        }
        profile.current_size = map_size(state.own_size());
        profile.cleared = state.cleared;
        profile
    }

    /// Writes what a command on maps has formatted.
    ///
    /// # Errors
    /// The client is gone or does not read.
    pub fn write_stream(&self, stream: &OutboundStream) -> Result<(), UnreachableTerminal> {
        self.write(&stream.to_bytes())
    }

    /// Writes a record of a program.
    ///
    /// # Errors
    /// The client is gone or does not read.
    pub fn write(&self, record: &[u8]) -> Result<(), UnreachableTerminal> {
        let mut state = self.lock();
        if let Some(saved) = &mut state.saved {
            saved.note_output(record);
            state.program_output = true;
        }
        let restored = state.take_restored();
        let shown = restored.as_deref().unwrap_or(record);
        let sent = state.session.send_record(shown, ResponseFlag::NoResponse);
        if sent.is_ok() {
            state.cleared = false;
            state.own_screen = false;
            state.locked &= !restores_keyboard(shown);
        }
        drop(state);
        self.notify();
        sent.map(|_| ()).map_err(|_| UnreachableTerminal)
    }

    /// Shows a message of the region.
    pub fn show(&self, message: &str, erase: bool) {
        let screen = self.lock().own_size();
        let record = messages::record(message, erase, screen, &self.page());
        // A client that is gone reads no message.
        let _ = self.write(&record);
        self.lock().own_screen = true;
    }

    /// Shows the user's own screen again if another is in its place.
    pub fn uncover(&self) {
        let mut state = self.lock();
        let Some(record) = state.take_restored() else {
            return;
        };
        state.locked = false;
        let _ = state.session.send_record(&record, ResponseFlag::NoResponse);
        drop(state);
        self.notify();
    }

    /// The user has entered something on a screen of a program.
    pub fn note_input(&self, record: &InboundRecord<'_>) {
        let mut state = self.lock();
        (state.program_output, state.awaits_input) = (false, false);
        if let Some(saved) = &mut state.saved {
            saved.note_input(record);
        }
    }

    /// Unlocks the keyboard if no output has.
    pub fn unlock(&self) {
        let mut state = self.lock();
        if !state.locked {
            return;
        }
        state.locked = false;
        let _ = state
            .session
            .send_record(&messages::unlock(), ResponseFlag::NoResponse);
        drop(state);
        self.notify();
    }

    /// Has the connection unlock the keyboard at the end of a task, unless what
    /// the user has entered since begins another.
    pub(crate) fn task_ended(&self) {
        self.lock().unlock_due = true;
        self.notify();
    }

    /// Whether a task has ended since the last input; says so once.
    pub fn take_unlock_due(&self) -> bool {
        std::mem::take(&mut self.lock().unlock_due)
    }

    /// Writes what a task sends with SEND or CONVERSE.
    pub(crate) fn output(&self, output: &FacilityOutput) {
        let mut record = Vec::with_capacity(output.data.len() + 2);
        if output.structured {
            record.push(Command::WriteStructuredField.emit());
            record.extend(&output.data);
        } else {
            let alternate = {
                let state = self.lock();
                let info = state.session.terminal();
                info.is_some_and(|info| state.own_size() != info.default)
            };
            let command = match output.erase {
                ScreenErase::No => Command::Write,
                ScreenErase::Alternate => Command::EraseWriteAlternate,
                ScreenErase::Same if alternate => Command::EraseWriteAlternate,
                ScreenErase::Same | ScreenErase::Default => Command::EraseWrite,
            };
            let unlock = Wcc {
                reset_modified: true,
                ..Wcc::RESTORE
            };
            record.push(command.emit());
            record.push(output.control.unwrap_or(unlock.emit()));
            record.extend(self.page().stream(&output.data));
        }
        // The task sees the terminal's end at its next command.
        let _ = self.write(&record);
    }
}

impl StepDisplay for TerminalDisplay {
    fn terminal(&self) -> Option<Name<4>> {
        self.names().map(|names| names.terminal)
    }

    fn page(&self) -> Arc<PageTables> {
        TerminalDisplay::page(self)
    }

    fn begin_saving(&self) {
        let mut state = self.lock();
        if state.saved.is_none() {
            let saved = SavedScreen::new(state.session.terminal());
            state.saved = Some(Box::new(saved));
        }
    }

    fn end_saving(&self) {
        self.uncover();
        self.lock().saved = None;
    }

    fn cover(&self, record: &[u8]) {
        let mut state = self.lock();
        // A client that is gone looks at no screen.
        let _ = state.session.send_record(record, ResponseFlag::NoResponse);
        (state.covered, state.program_output) = (true, false);
        state.locked &= !restores_keyboard(record);
        drop(state);
        self.notify();
    }

    fn uncover(&self) {
        TerminalDisplay::uncover(self);
    }

    fn note_input(&self, record: &InboundRecord<'_>) {
        TerminalDisplay::note_input(self, record);
    }

    fn shows_program_output(&self) -> bool {
        self.lock().program_output
    }

    fn awaits_input(&self) -> bool {
        self.lock().awaits_input
    }

    fn note_locked(&self) {
        self.lock().locked = true;
    }

    fn unlock(&self) {
        TerminalDisplay::unlock(self);
    }
}

/// Wrong passwords at one terminal before it is disconnected.
const MOST_WRONG: u8 = 5;

fn map_size(size: ScreenSize) -> bms::ScreenSize {
    bms::ScreenSize {
        lines: size.rows(),
        columns: size.columns(),
    }
}

/// Whether a record unlocks the keyboard. Structured fields may do so.
fn restores_keyboard(record: &[u8]) -> bool {
    match record.first().and_then(|code| Command::parse(*code)) {
        Some(command) if command.has_wcc() => record
            .get(1)
            .is_some_and(|wcc| Wcc::parse(*wcc).restore_keyboard),
        Some(Command::EraseAllUnprotected) => true,
        _ => false,
    }
}
