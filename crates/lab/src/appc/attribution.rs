//! Which parameter brought the gain.
//!
//! Each parameter is changed alone, from the baseline to the tuned value, and reset
//! alone from the tuned network. If parameters only help together, the two results
//! differ. So a third column divides the gain: the average saving of a parameter
//! over all orders of changes (the Shapley value). These parts add up to the whole
//! gain.

use super::mainframe::{Client, MainframeParameters};
use super::model::NetworkModel;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One parameter of the guide, or several that depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterChange {
    /// The client's RU size, with the RECEIVESIZE that lets the host take it.
    RuSize,
    /// The client's frame size and MAXTSL, with the corresponding RCVBUFC. If
    /// the product derives its RU size from the frame, it changes too.
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
}

/// The effect of one change.
#[derive(Clone, Debug)]
pub struct ChangeEffect {
    /// The change.
    pub change: ParameterChange,
    /// Seconds of a transfer with this change alone. `None` if the session fails.
    pub alone_s: Option<f64>,
    /// Seconds with everything tuned but this.
    pub without_s: Option<f64>,
    /// Seconds that it saves on average over all orders.
    pub share_s: Option<f64>,
}

/// A client's changes.
#[derive(Clone, Debug)]
pub struct ChangeEffects {
    /// Seconds before any change.
    pub before_s: f64,
    /// Seconds after all.
    pub after_s: f64,
    /// Every change.
    pub parts: Vec<ChangeEffect>,
    /// Seconds with each set of changes. Bit n of an index says whether the
    /// n-th of [`ParameterChange::ALL`] is in the set. `None` if the session
    /// fails.
    times_s: Vec<Option<f64>>,
}

impl ChangeEffects {
    /// Seconds with these changes and no others.
    pub fn with_s(&self, changes: &[ParameterChange]) -> Option<f64> {
        let place =
            |change: &ParameterChange| ParameterChange::ALL.iter().position(|c| c == change);
        let set = changes.iter().filter_map(place);
        *self
            .times_s
            .get(set.fold(0, |set, place| set | 1 << place))?
    }
}

impl ParameterChange {
    /// All of them, in the order of the guide's tables.
    pub const ALL: [ParameterChange; 8] = [
        ParameterChange::RuSize,
        ParameterChange::Frame,
        ParameterChange::SessionPacing,
        ParameterChange::DlcPacing,
        ParameterChange::Maxbfru,
        ParameterChange::Delay,
        ParameterChange::T2Timer,
        ParameterChange::Iobuf,
    ];

    /// Its name in the guide.
    pub fn name(self) -> &'static str {
        match self {
            ParameterChange::RuSize => "RU size (with RECEIVESIZE)",
            ParameterChange::Frame => "DLC frame size (with MAXTSL and RCVBUFC)",
            ParameterChange::DlcPacing => "DLC pacing",
            ParameterChange::SessionPacing => "session pacing",
            ParameterChange::Maxbfru => "MAXBFRU and UNITSZ",
            ParameterChange::Delay => "DELAY",
            ParameterChange::T2Timer => "T2TIMER",
            ParameterChange::Iobuf => "IOBUF",
        }
    }

    /// Gives `to` the values that `from` has.
    pub fn apply(self, to: &mut MainframeParameters, from: &MainframeParameters) {
        match self {
            ParameterChange::RuSize => {
                to.ru_bytes = from.ru_bytes;
                to.receive_size = from.receive_size;
            }
            ParameterChange::Frame => {
                to.frame_bytes = from.frame_bytes;
                to.maxtsl = from.maxtsl;
                to.rcvbufc = from.rcvbufc;
            }
            ParameterChange::DlcPacing => {
                to.dlc_send = from.dlc_send;
                to.dlc_receive = from.dlc_receive;
            }
            ParameterChange::SessionPacing => to.pacing_window = from.pacing_window,
            ParameterChange::Maxbfru => {
                to.maxbfru = from.maxbfru;
                to.unitsz = from.unitsz;
            }
            ParameterChange::Delay => to.delay_ns = from.delay_ns,
            ParameterChange::T2Timer => to.t2timer_w = from.t2timer_w,
            ParameterChange::Iobuf => to.iobuf = from.iobuf,
        }
    }
}

/// Every change, for one client. All combinations are simulated, 256 of them,
/// on as many threads as there are processors.
pub fn attribute(client: Client, repetitions: usize, model: &NetworkModel) -> ChangeEffects {
    let times = combinations(client, repetitions, model);
    let whole = times.len() - 1;
    let (before_s, after_s) = (times[0], times[whole]);
    let one = |(place, change): (usize, ParameterChange)| ChangeEffect {
        change,
        alone_s: times[1 << place],
        without_s: times[whole & !(1 << place)],
        share_s: share(place, &times),
    };
    ChangeEffects {
        before_s: before_s.unwrap_or(f64::NAN),
        after_s: after_s.unwrap_or(f64::NAN),
        parts: ParameterChange::ALL
            .into_iter()
            .enumerate()
            .map(one)
            .collect(),
        times_s: times,
    }
}

/// Seconds with each set of changes, see [`ChangeEffects::times_s`].
fn combinations(client: Client, repetitions: usize, model: &NetworkModel) -> Vec<Option<f64>> {
    let (base, tuned) = (client.baseline(), client.tuned());
    let seconds = |set: usize| {
        let mut parameters = base;
        for (place, change) in ParameterChange::ALL.into_iter().enumerate() {
            if set & (1 << place) != 0 {
                change.apply(&mut parameters, &tuned);
            }
        }
        model.mainframe_s(client, &parameters, repetitions).ok()
    };
    let count = 1 << ParameterChange::ALL.len();
    let (next, times) = (AtomicUsize::new(0), Mutex::new(vec![None; count]));
    let work = || {
        loop {
            let set = next.fetch_add(1, Ordering::Relaxed);
            if set >= count {
                return;
            }
            let found = seconds(set);
            if let Ok(mut times) = times.lock() {
                times[set] = found;
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    times.into_inner().unwrap_or_default()
}

/// Seconds with larger frames before all other changes, but with the old RU size:
/// the effect of the frame alone if a product derives its RU size from it.
pub fn frame_with_ru_held_s(
    client: Client,
    repetitions: usize,
    model: &NetworkModel,
) -> Option<f64> {
    let mut parameters = client.baseline();
    parameters.ru_bytes = Some(parameters.effective_ru_bytes());
    ParameterChange::Frame.apply(&mut parameters, &client.tuned());
    model.mainframe_s(client, &parameters, repetitions).ok()
}

/// The mean saving of change `place` over all orders: over all sets without it,
/// each weighted by its number of orders.
fn share(place: usize, times: &[Option<f64>]) -> Option<f64> {
    let all = times.len().ilog2();
    let mut sum = 0.0;
    for set in (0..times.len()).filter(|set| set & (1 << place) == 0) {
        let saved = times[set]? - times[set | 1 << place]?;
        // |set|! (all - |set| - 1)! / all! orders.
        let size = set.count_ones();
        let ways = (1..=size).fold(f64::from(all), |ways, n| {
            ways * f64::from(all - n) / f64::from(n)
        });
        sum += saved / ways;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_changes_together_are_the_tuned_network() {
        for client in Client::ALL {
            let (mut parameters, tuned) = (client.baseline(), client.tuned());
            for change in ParameterChange::ALL {
                change.apply(&mut parameters, &tuned);
            }
            assert_eq!(parameters, tuned);
        }
    }

    #[test]
    fn shares_add_up_and_treat_equals_alike() {
        // Two changes that only help together, and one that always saves 1.
        let times: Vec<Option<f64>> = (0..8_usize)
            .map(|set| {
                let both = set & 3 == 3;
                let third = set & 4 != 0;
                Some(10.0 - if both { 4.0 } else { 0.0 } - if third { 1.0 } else { 0.0 })
            })
            .collect();
        let shares: Vec<f64> = (0..3).map(|p| share(p, &times).unwrap()).collect();
        for (found, expected) in shares.iter().zip([2.0, 2.0, 1.0]) {
            assert!((found - expected).abs() < 1e-9, "{shares:?}");
        }
        let mut failing = times;
        failing[5] = None;
        assert_eq!(share(0, &failing), None);
    }
}
