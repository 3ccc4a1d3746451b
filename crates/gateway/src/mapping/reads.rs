//! Which areas of a reply a response takes values from, and of which it asks
//! whether they are there.
//!
//! A response that reads a container which the program did not put would be
//! a success with nothing in it. A mapping that asks `$exists` of a container
//! takes its absence into account, and only that one does.

use super::plan::{Condition, GeneralPlan, Piece, Shape, Slot, Source, Value};
use super::response::ResponsePlan;
use std::collections::BTreeSet;

/// Areas by index in the response's interface.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Reads {
    /// A value comes from them.
    pub read: BTreeSet<usize>,
    /// Their presence is asked for.
    pub asked: BTreeSet<usize>,
}

impl Reads {
    /// The areas that body, headers and condition of a response read.
    pub fn of(plan: &ResponsePlan) -> Reads {
        let mut reads = Reads::default();
        if let Some(condition) = &plan.condition {
            reads.condition(condition);
        }
        let headers = plan.headers.iter().map(|(_, slot)| slot);
        plan.body
            .iter()
            .chain(headers)
            .for_each(|slot| reads.slot(slot));
        reads
    }

    fn slot(&mut self, slot: &Slot) {
        if let Some(condition) = &slot.exists_if_empty {
            self.condition(condition);
        }
        self.value(&slot.value);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Source(source) | Value::OrEmpty(source) | Value::Trimmed { source, .. } => {
                self.source(source);
            }
            Value::Template(pieces) => {
                for piece in pieces {
                    if let Piece::Value(value) = piece {
                        self.value(value);
                    }
                }
            }
            Value::Object(slots) => slots.iter().for_each(|slot| self.slot(slot)),
            Value::Each { input, item, .. } => {
                self.value(input);
                self.slot(item);
            }
            Value::General(plan) => self.general(plan),
            Value::Constant(_) | Value::Nothing => {}
        }
    }

    fn source(&mut self, source: &Source) {
        if let Some(area) = area(source) {
            self.read.insert(area);
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Exists(source) => self.asked.extend(area(source)),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().for_each(|one| self.condition(one));
            }
            Condition::Not(one) => self.condition(one),
            Condition::General(plan) => self.general(plan),
            // A comparison with what is not there does not hold, and says no
            // more about it.
            Condition::Constant(_) | Condition::Compare { .. } => {}
        }
    }

    fn general(&mut self, plan: &GeneralPlan) {
        let mut areas = BTreeSet::new();
        areas_of(&plan.shape, &mut areas);
        match plan.general.source.contains("$exists") {
            true => self.asked.extend(areas),
            false => self.read.extend(areas),
        }
    }
}

fn areas_of(shape: &Shape, areas: &mut BTreeSet<usize>) {
    areas.extend(shape.leaf.as_ref().and_then(area));
    for (_, member) in &shape.members {
        areas_of(member, areas);
    }
}

fn area(source: &Source) -> Option<usize> {
    match source {
        Source::Field { area, .. } | Source::Area(area) => Some(*area),
        _ => None,
    }
}
