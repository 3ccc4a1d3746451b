//! Which areas of a reply a response takes values from, and of which it asks
//! whether they are there.
//!
//! A response that reads a container which the program did not put would be
//! a success with nothing in it. A mapping that asks `$exists` of a container
//! takes its absence into account, and only that one does.

use super::plan::{
    Condition, GeneralPlan, ReplyPart, TemplatePiece, ValuePlan, ValueSlot, ValueSource,
};
use super::response::ResponsePlan;
use std::collections::BTreeSet;

/// Areas by index in the response's interface.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct AreaReads {
    /// A value comes from them.
    pub read: BTreeSet<usize>,
    /// Their presence is asked for.
    pub presence_checked: BTreeSet<usize>,
}

impl AreaReads {
    /// The areas that body, headers and condition of a response read.
    pub fn of(plan: &ResponsePlan) -> AreaReads {
        let mut reads = AreaReads::default();
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

    fn slot(&mut self, slot: &ValueSlot) {
        if let Some(condition) = &slot.exists_if_empty {
            self.condition(condition);
        }
        self.value(&slot.value);
    }

    fn value(&mut self, value: &ValuePlan) {
        match value {
            ValuePlan::Source(source)
            | ValuePlan::OrEmpty(source)
            | ValuePlan::Trimmed { source, .. } => {
                self.source(source);
            }
            ValuePlan::Template(pieces) => {
                for piece in pieces {
                    if let TemplatePiece::Value(value) = piece {
                        self.value(value);
                    }
                }
            }
            ValuePlan::Object(slots) => slots.iter().for_each(|slot| self.slot(slot)),
            ValuePlan::Each { input, item, .. } => {
                self.value(input);
                self.slot(item);
            }
            ValuePlan::General(plan) => self.general(plan),
            ValuePlan::Constant(_) | ValuePlan::Nothing => {}
        }
    }

    fn source(&mut self, source: &ValueSource) {
        if let Some(area) = area(source) {
            self.read.insert(area);
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Exists(source) => self.presence_checked.extend(area(source)),
            Condition::All(all) | Condition::Any(all) => {
                all.iter().for_each(|one| self.condition(one));
            }
            Condition::Not(one) => self.condition(one),
            Condition::General(plan) => self.general(plan),
            // A comparison with a missing value is false, and reads
            // nothing else.
            Condition::Constant(_) | Condition::Compare { .. } => {}
        }
    }

    fn general(&mut self, plan: &GeneralPlan) {
        let mut areas = BTreeSet::new();
        areas_of(&plan.shape, &mut areas);
        if plan.general.source.contains("$exists") {
            self.presence_checked.extend(areas)
        } else {
            self.read.extend(areas)
        }
    }
}

fn areas_of(shape: &ReplyPart, areas: &mut BTreeSet<usize>) {
    areas.extend(shape.leaf.as_ref().and_then(area));
    for (_, member) in &shape.members {
        areas_of(member, areas);
    }
}

fn area(source: &ValueSource) -> Option<usize> {
    match source {
        ValueSource::Field { area, .. } | ValueSource::Area(area) => Some(*area),
        _ => None,
    }
}
