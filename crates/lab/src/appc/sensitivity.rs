//! What the figures would be with other costs and other choices.
//!
//! [`costs`] makes each cost a quarter smaller and larger and leaves all else
//! as it is: which figures rest on it. [`choices`] decides each choice the other
//! way, finds the calibrated costs again, and makes the predictions anew: a
//! prediction that stays where it is owes nothing to the choice.

use super::calibrate::{MAINFRAME_TARGETS, MICRO_TARGETS, calibrate};
use super::choices::{CHOICES, Choice};
use super::costs::{COSTS, Item, Known};
use super::figures::{self, Figure, Repetitions};
use super::model::Model;
use std::sync::Mutex;

/// The two networks, which share no cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appendix {
    /// Microcomputers and a mainframe.
    A,
    /// Two microcomputers.
    B,
}

/// The figures of one model that differs from the report's.
#[derive(Clone, Debug)]
pub struct Row<T> {
    /// What was changed.
    pub of: T,
    /// All figures of the appendix; none where nothing can be calibrated so,
    /// or a session fails.
    pub figures: Option<Vec<Figure>>,
}

impl Appendix {
    /// Both.
    pub const BOTH: [Appendix; 2] = [Appendix::A, Appendix::B];

    /// Which of the two a cost belongs to.
    pub fn of(item: Item) -> Appendix {
        match (item as usize) < Item::Os2Step as usize {
            true => Appendix::A,
            false => Appendix::B,
        }
    }

    /// Its letter in the guide.
    pub fn letter(self) -> &'static str {
        match self {
            Appendix::A => "A",
            Appendix::B => "B",
        }
    }

    fn figures(self, model: &Model) -> Option<Vec<Figure>> {
        let figures = match self {
            Appendix::A => figures::mainframe(REPETITIONS, model),
            Appendix::B => figures::microcomputers(REPETITIONS, model),
        };
        figures.ok()
    }
}

/// Every cost of an appendix a quarter smaller and a quarter larger, with that
/// value, all others as they are.
pub fn costs(appendix: Appendix, model: &Model) -> Vec<Row<(Known, u64)>> {
    let of_appendix = COSTS.iter().filter(|k| Appendix::of(k.item) == appendix);
    let wanted = of_appendix.flat_map(|k| [(*k, k.value * 3 / 4), (*k, k.value * 5 / 4)]);
    on_all_processors(wanted.collect(), |(known, value)| {
        appendix.figures(&model.with_costs(model.costs.with(known.item, *value)))
    })
}

/// Every choice about an appendix decided the other way, with the calibrated
/// costs found again.
pub fn choices(appendix: Appendix, model: &Model) -> Vec<Row<&'static Choice>> {
    let of_appendix = CHOICES.iter().filter(|c| c.appendix == appendix);
    let wanted = of_appendix.filter(|c| c.change.is_some());
    on_all_processors(wanted.collect(), |choice| {
        let model = model.with_structure(choice.change?);
        let targets = match appendix {
            Appendix::A => MAINFRAME_TARGETS,
            Appendix::B => MICRO_TARGETS,
        };
        appendix.figures(&calibrate(&model, targets)?)
    })
}

/// The figures of each, in their order.
fn on_all_processors<T: Sync + Clone + Send>(
    wanted: Vec<T>,
    figures: impl Fn(&T) -> Option<Vec<Figure>> + Sync,
) -> Vec<Row<T>> {
    let todo = Mutex::new(wanted.iter().enumerate());
    let found = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((place, of)) = todo.lock().ok().and_then(|mut t| t.next()) else {
                return;
            };
            let row = Row {
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

const REPETITIONS: Repetitions = Repetitions {
    mainframe: 10,
    file: 50,
    inquiry: 200,
};
