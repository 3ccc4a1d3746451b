//! The figures with other costs and other choices.
//!
//! [`costs`] makes each cost a quarter smaller and larger with all else unchanged,
//! to show which figures depend on it. [`choices`] applies the alternative of each
//! choice, calibrates the costs again, and repeats the predictions. A prediction
//! that does not change does not depend on the choice.

use super::calibrate::{MAINFRAME_TARGETS, MICRO_TARGETS, calibrate};
use super::choices::{CHOICES, ModelChoice};
use super::costs::{COSTS, CostItem, KnownCost};
use super::figures::{self, PredictedFigure, TransactionCounts};
use super::model::NetworkModel;
use std::sync::Mutex;

/// The two networks, which share no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GuideAppendix {
    /// Microcomputers and a mainframe.
    A,
    /// Two microcomputers.
    B,
}

/// The figures of one model that differs from the report's.
#[derive(Clone, Debug)]
pub struct SensitivityRow<T> {
    /// The change.
    pub of: T,
    /// All figures of the appendix. `None` if the calibration or a session
    /// fails.
    pub figures: Option<Vec<PredictedFigure>>,
}

impl GuideAppendix {
    /// Both.
    pub const BOTH: [GuideAppendix; 2] = [GuideAppendix::A, GuideAppendix::B];

    /// Which of the two a cost belongs to.
    pub fn of(item: CostItem) -> GuideAppendix {
        if (item as usize) < CostItem::Os2Step as usize {
            GuideAppendix::A
        } else {
            GuideAppendix::B
        }
    }

    /// Its letter in the guide.
    pub fn letter(self) -> &'static str {
        match self {
            GuideAppendix::A => "A",
            GuideAppendix::B => "B",
        }
    }

    fn figures(self, model: &NetworkModel) -> Option<Vec<PredictedFigure>> {
        let figures = match self {
            GuideAppendix::A => figures::mainframe(REPETITIONS, model),
            GuideAppendix::B => figures::microcomputers(REPETITIONS, model),
        };
        figures.ok()
    }
}

/// Every cost of an appendix a quarter smaller and a quarter larger, with that
/// value, all others as they are.
pub fn costs(
    appendix: GuideAppendix,
    model: &NetworkModel,
) -> Vec<SensitivityRow<(KnownCost, u64)>> {
    let of_appendix = COSTS
        .iter()
        .filter(|k| GuideAppendix::of(k.item) == appendix);
    let wanted = of_appendix.flat_map(|k| [(*k, k.value * 3 / 4), (*k, k.value * 5 / 4)]);
    on_all_processors(wanted.collect(), |(known, value)| {
        appendix.figures(&model.with_costs(model.costs.with(known.item, *value)))
    })
}

/// Every choice about an appendix decided the other way, with the calibrated
/// costs found again.
pub fn choices(
    appendix: GuideAppendix,
    model: &NetworkModel,
) -> Vec<SensitivityRow<&'static ModelChoice>> {
    let of_appendix = CHOICES.iter().filter(|c| c.appendix == appendix);
    let wanted = of_appendix.filter(|c| c.change.is_some());
    on_all_processors(wanted.collect(), |choice| {
        let model = model.with_structure(choice.change?);
        let targets = match appendix {
            GuideAppendix::A => MAINFRAME_TARGETS,
            GuideAppendix::B => MICRO_TARGETS,
        };
        appendix.figures(&calibrate(&model, targets)?)
    })
}

/// The figures of each, in their order.
fn on_all_processors<T: Sync + Clone + Send>(
    wanted: Vec<T>,
    figures: impl Fn(&T) -> Option<Vec<PredictedFigure>> + Sync,
) -> Vec<SensitivityRow<T>> {
    let todo = Mutex::new(wanted.iter().enumerate());
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((place, of)) = todo.lock().ok().and_then(|mut t| t.next()) else {
                return;
            };
            let row = SensitivityRow {
                of: of.clone(),
                figures: figures(of),
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

const REPETITIONS: TransactionCounts = TransactionCounts {
    mainframe: 10,
    file: 50,
    inquiry: 200,
};
