//! A message for a user who waits for a partner, and a limit of the wait after a signal.

use super::signals;
use appc::{Error, NodeHost};
use miette::{IntoDiagnostic, Result, miette};
use std::io::IsTerminal;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

/// Time without an answer after which the message is printed.
const PATIENCE: Duration = Duration::from_secs(2);

/// A wait for a partner, which lasts until this value is dropped or `end` is called.
pub struct PartnerWait {
    over: Sender<()>,
    partner: String,
    host: NodeHost,
}

impl PartnerWait {
    /// Prints a message on a terminal if `partner` does not answer soon.
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

    /// The partner has answered. Until now a signal ended the program at once. From now on it
    /// ends the exchange in progress, and the program if the partner stays silent.
    pub fn end(&self) {
        // Without a terminal no thread receives.
        let _ = self.over.send(());
        let host = self.host.clone();
        signals::heed_within_grace(move || host.stop());
    }

    /// The result of the exchange: complete, or partial after a signal. An exchange that
    /// exceeds the grace period is reported.
    pub fn outcome<T>(&self, result: std::result::Result<T, Error>) -> Result<T> {
        let (partner, seconds) = (&self.partner, signals::GRACE.as_secs());
        let unended =
            format!("the exchange with {partner} did not end within {seconds} s of the signal");
        match result {
            Err(Error::Stopped) if signals::seen() => {
                Err(miette!("{unended}; no repetition was complete"))
            }
            Ok(value) if self.host.stopped() => {
                eprintln!("{unended}; it does not count");
                Ok(value)
            }
            other => other.into_diagnostic(),
        }
    }
}
