//! A word to a person who waits for a partner, and an end to the waiting.

use super::signals;
use appc::{Error, NodeHost};
use miette::{IntoDiagnostic, Result, miette};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// A partner that answers within this time is not spoken of.
const PATIENCE: Duration = Duration::from_secs(2);

/// Somebody waits for a partner, until this is dropped or told otherwise.
pub struct PartnerWait {
    over: Sender<()>,
    partner: String,
    host: NodeHost,
}

impl PartnerWait {
    /// Tells on a terminal that `partner` has not answered, when it takes long.
    pub fn begin(host: &NodeHost, partner: &str) -> PartnerWait {
        let (over, end) = mpsc::channel();
        let (partner, host) = (partner.to_owned(), host.clone());
        if std::io::stderr().is_terminal() {
            let partner = partner.clone();
            std::thread::spawn(move || {
                if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                    eprintln!("{partner} has not answered yet (Ctrl-C to give up)");
                }
            });
        }
        PartnerWait {
            over,
            partner,
            host,
        }
    }

    /// It has answered. Until now a signal ended the program at once; from now
    /// on it ends what is under way, within a bound when the partner is silent.
    pub fn end(&self) {
        // Nobody listens when there is no terminal.
        let _ = self.over.send(());
        let host = self.host.clone();
        signals::heed_within_grace(move || host.stop());
    }

    /// What became of what was under way: whole, or as far as it came when a
    /// signal found what takes longer than the grace, which is told.
    pub fn outcome<T>(&self, result: std::result::Result<T, Error>) -> Result<T> {
        let (partner, seconds) = (&self.partner, signals::GRACE.as_secs());
        let unended =
            format!("what was under way with {partner} did not end within {seconds} s of the signal");
        match result {
            Err(Error::Stopped) if signals::seen() => {
                Err(miette!("{unended}; nothing was measured before"))
            }
            Ok(value) if self.host.stopped() => {
                eprintln!("{unended}; it is left out");
                Ok(value)
            }
            other => other.into_diagnostic(),
        }
    }
}
