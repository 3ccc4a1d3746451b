//! What the predictions would be with other assumptions.
//!
//! Every assumed cost is halved and doubled, the calibrated costs are found
//! again, and the predictions are made anew: [`rows`]. A prediction that stays
//! where it is owes nothing to the assumption; one that moves says no more than
//! its range.
//! Two assumptions are given a wider range, since they were first set while the
//! predictions were known.

use super::calibrate::{MAINFRAME_TARGETS, MICRO_TARGETS, calibrate};
use super::costs::{COSTS, Item, Known};
use super::figures::{self, Figure, Repetitions};
use super::model::Model;
use std::sync::Mutex;

/// One other value of an assumed cost.
#[derive(Clone, Debug)]
pub struct Row {
    /// The cost.
    pub known: Known,
    /// The value that was tried.
    pub value: u64,
    /// The predictions of its appendix; none where nothing can be calibrated
    /// with this value.
    pub predictions: Option<Vec<Figure>>,
}

/// The two networks, which share no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appendix {
    /// Microcomputers and a mainframe.
    A,
    /// Two microcomputers.
    B,
}

impl Appendix {
    /// Which of the two a cost belongs to.
    pub fn of(item: Item) -> Appendix {
        match (item as usize) < Item::Os2Dispatch as usize {
            true => Appendix::A,
            false => Appendix::B,
        }
    }
}

/// Every assumed cost of an appendix with other values, in the order of
/// [`COSTS`].
pub fn rows(appendix: Appendix, model: &Model) -> Vec<Row> {
    let assumed = COSTS
        .iter()
        .filter(|k| k.calibrated_on.is_none() && Appendix::of(k.item) == appendix);
    let wanted: Vec<(Known, u64)> = assumed
        .flat_map(|k| values(k).into_iter().map(|value| (*k, value)))
        .collect();
    let todo = Mutex::new(wanted.iter().enumerate());
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((place, (known, value))) = todo.lock().ok().and_then(|mut t| t.next()) else {
                return;
            };
            let row = Row {
                known: *known,
                value: *value,
                predictions: predict(appendix, known.item, *value, model),
            };
            if let Ok(mut found) = found.lock() {
                found.push((place, row));
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut rows = found.into_inner().unwrap_or_default();
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}

fn values(known: &Known) -> Vec<u64> {
    match known.item {
        Item::NcpSegment => vec![0, 500_000, 1_500_000, 2_000_000],
        // The guide tells the channel's speed.
        Item::ChannelByte => Vec::new(),
        Item::Os2Ru => vec![25_000, 50_000, 75_000, 150_000, 200_000],
        _ => vec![known.value / 2, known.value * 2],
    }
}

fn predict(appendix: Appendix, item: Item, value: u64, model: &Model) -> Option<Vec<Figure>> {
    let model = model.with_costs(model.costs.with(item, value));
    let targets = match appendix {
        Appendix::A => MAINFRAME_TARGETS,
        Appendix::B => MICRO_TARGETS,
    };
    let model = calibrate(&model, targets)?;
    let figures = match appendix {
        Appendix::A => figures::mainframe(REPETITIONS, &model),
        Appendix::B => figures::microcomputers(REPETITIONS, &model),
    };
    let mut figures = figures.ok()?;
    figures.retain(|f| !f.calibrated);
    Some(figures)
}

const REPETITIONS: Repetitions = Repetitions {
    mainframe: 10,
    file: 50,
    inquiry: 200,
};
