//! A word to a person who waits for a partner.

use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// A partner that answers within this time is not spoken of.
const PATIENCE: Duration = Duration::from_secs(2);

/// Somebody waits for a partner, until this is dropped or told otherwise.
pub struct Waiting(Sender<()>);

impl Waiting {
    /// Tells on a terminal that `partner` has not answered, when it takes long.
    pub fn begin(partner: &str) -> Waiting {
        let (over, end) = mpsc::channel();
        if std::io::stderr().is_terminal() {
            let partner = partner.to_owned();
            std::thread::spawn(move || {
                if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    eprintln!("{partner} has not answered yet (Ctrl-C to give up)");
                }
            });
        }
        Waiting(over)
    }

    /// It has answered.
    pub fn end(&self) {
        // Nobody listens when there is no terminal.
        let _ = self.0.send(());
    }
}
