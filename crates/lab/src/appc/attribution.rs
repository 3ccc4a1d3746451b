//! Which parameter brought the gain: each changed alone, from the baseline
//! towards the tuned value, and taken back alone from the tuned network.

use super::mainframe::{Client, Parameters};
use sna::ring::RingError;

/// One parameter of the guide, or several that only make sense together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The client's RU size, with the RECEIVESIZE that lets the host take it.
    RuSize,
    /// The client's frame size and MAXTSL.
    Frame,
    /// The client's link windows.
    DlcPacing,
    /// The session's pacing window.
    SessionPacing,
    /// MAXBFRU and UNITSZ.
    Maxbfru,
    /// DELAY.
    Delay,
    /// T2TIMER.
    T2Timer,
    /// IOBUF.
    Iobuf,
    /// RCVBUFC.
    Rcvbufc,
}

/// What one change does.
#[derive(Clone, Debug)]
pub struct Attribution {
    /// The change.
    pub change: Change,
    /// Seconds of a transfer with this change alone; none when the session
    /// fails.
    pub alone_s: Option<f64>,
    /// Seconds with everything tuned but this.
    pub without_s: Option<f64>,
}

impl Change {
    /// All of them, in the order of the guide's tables.
    pub const ALL: [Change; 9] = [
        Change::RuSize,
        Change::Frame,
        Change::SessionPacing,
        Change::DlcPacing,
        Change::Maxbfru,
        Change::Delay,
        Change::T2Timer,
        Change::Iobuf,
        Change::Rcvbufc,
    ];

    /// Its name in the guide.
    pub fn name(self) -> &'static str {
        match self {
            Change::RuSize => "RU size (with RECEIVESIZE)",
            Change::Frame => "DLC frame size and MAXTSL",
            Change::DlcPacing => "DLC pacing",
            Change::SessionPacing => "session pacing",
            Change::Maxbfru => "MAXBFRU and UNITSZ",
            Change::Delay => "DELAY",
            Change::T2Timer => "T2TIMER",
            Change::Iobuf => "IOBUF",
            Change::Rcvbufc => "RCVBUFC",
        }
    }

    /// Gives `to` the values that `from` has.
    pub fn apply(self, to: &mut Parameters, from: &Parameters) {
        match self {
            Change::RuSize => {
                to.ru_bytes = from.ru_bytes;
                to.receive_size = from.receive_size;
            }
            Change::Frame => {
                to.frame_bytes = from.frame_bytes;
                to.maxtsl = from.maxtsl;
            }
            Change::DlcPacing => {
                to.dlc_send = from.dlc_send;
                to.dlc_receive = from.dlc_receive;
            }
            Change::SessionPacing => to.pacing_window = from.pacing_window,
            Change::Maxbfru => {
                to.maxbfru = from.maxbfru;
                to.unitsz = from.unitsz;
            }
            Change::Delay => to.delay_ns = from.delay_ns,
            Change::T2Timer => to.t2timer_w = from.t2timer_w,
            Change::Iobuf => to.iobuf = from.iobuf,
            Change::Rcvbufc => to.rcvbufc = from.rcvbufc,
        }
    }
}

/// Every change, for one client.
pub fn attribute(client: Client, repetitions: usize, seed: u64) -> Vec<Attribution> {
    let (base, tuned) = (client.baseline(), client.tuned());
    let with = |mut parameters: Parameters, change: Change, from: &Parameters| {
        change.apply(&mut parameters, from);
        seconds(client, &parameters, repetitions, seed).ok()
    };
    let one = |change| Attribution {
        change,
        alone_s: with(base, change, &tuned),
        without_s: with(tuned, change, &base),
    };
    Change::ALL.into_iter().map(one).collect()
}

/// Seconds of one transfer.
pub fn seconds(
    client: Client,
    parameters: &Parameters,
    repetitions: usize,
    seed: u64,
) -> Result<f64, RingError> {
    let network = parameters.network(client);
    let outcome = sna::ring::run(&network, client.workload(repetitions), seed)?;
    Ok(outcome.mean_s())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_changes_together_are_the_tuned_network() {
        for client in Client::ALL {
            let (mut parameters, tuned) = (client.baseline(), client.tuned());
            for change in Change::ALL {
                change.apply(&mut parameters, &tuned);
            }
            assert_eq!(parameters, tuned);
        }
    }
}
