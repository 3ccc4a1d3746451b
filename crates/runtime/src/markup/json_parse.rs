//! JSON PARSE: a JSON text into a record.
//!
//! Names match level by level without regard to case; a name of NAME OF must be
//! the same. Values go to the program's storage as they are met, so a counter
//! that the text sets counts for the tables after it.
//! Reference: Enterprise COBOL Language Reference, "Operation of JSON PARSE";
//! Programming Guide, "JSON PARSE conditions and associated codes and runtime
//! messages".

use copybook::FieldKind;

use super::descriptor::{Node, Statement};
use super::generate::{missing_bytes, occurrences};
use super::json_text::{self, JsonFault, JsonValue};
use super::operand;
use super::serve::CallOperands;
use super::store::{MoveOutcome, store_figurative, store_number, store_string};

/// Values of JSON-CODE.
mod code {
    pub const INVALID: i64 = 100;
    pub const EMPTY: i64 = 101;
    pub const SUPERFLUOUS: i64 = 102;
    pub const DIFFERENT_DUPLICATES: i64 = 103;
    pub const INCOMPATIBLE: i64 = 104;
    pub const NO_MATCH: i64 = 106;
    pub const BOOLEAN: i64 = 107;
    pub const ANONYMOUS_ARRAY: i64 = 108;
}

/// Values of JSON-STATUS, which add up.
mod status {
    pub const ITEM_WITHOUT_PAIR: i64 = 1;
    pub const PAIR_WITHOUT_ITEM: i64 = 2;
    pub const SAME_DUPLICATES: i64 = 4;
    pub const FEWER_ELEMENTS: i64 = 8;
    pub const MORE_ELEMENTS: i64 = 16;
    pub const NULL: i64 = 32;
    pub const NULL_ELEMENT: i64 = 64;
    pub const SIZE_ERROR: i64 = 128;
    pub const CUT: i64 = 256;
}

/// Stores a text in the record; JSON-CODE and JSON-STATUS.
pub(super) fn parse(statement: &Statement, operands: &mut dyn CallOperands) -> (i64, i64) {
    let text = operands.bytes(operand::TEXT);
    let value = match json_text::parse(&text) {
        Ok(value) => value,
        Err(JsonFault::Invalid) => return (code::INVALID, 0),
        Err(JsonFault::Empty) => return (code::EMPTY, 0),
        Err(JsonFault::Superfluous) => return (code::SUPERFLUOUS, 0),
    };
    let mut assignment = JsonAssignment {
        statement,
        operands,
        has_counters: statement
            .nodes
            .iter()
            .any(|n| n.table.is_some_and(|t| t.counter.is_some())),
        status: 0,
        is_matched: false,
    };
    let code = match assignment.root(&value) {
        Err(code) => code,
        Ok(()) if assignment.is_matched => 0,
        Ok(()) => code::NO_MATCH,
    };
    (code, assignment.status)
}

struct JsonAssignment<'a> {
    statement: &'a Statement,
    operands: &'a mut dyn CallOperands,
    has_counters: bool,
    status: i64,
    is_matched: bool,
}

/// The outcome of an assignment, or JSON-CODE.
type AssignResult = Result<(), i64>;

impl JsonAssignment<'_> {
    fn root(&mut self, value: &JsonValue) -> AssignResult {
        let node = &self.statement.nodes[0];
        match value {
            JsonValue::Array(_) => Err(code::ANONYMOUS_ARRAY),
            JsonValue::Object(members) if !node.name.is_empty() => self.members(members, None),
            JsonValue::Object(members) if node.kind == FieldKind::Group => {
                self.members(members, Some((0, 0)))
            }
            _ => Err(code::INVALID),
        }
    }

    /// The items of a group with their offsets, those of groups without a name
    /// among them.
    fn items(&self, group: usize, at: usize) -> Vec<(usize, usize)> {
        let nodes = &self.statement.nodes;
        let mut found = Vec::new();
        let mut nearer = 0;
        for child in self.statement.children(group) {
            let begin = at + (nodes[child].offset - nodes[group].offset) as usize - nearer;
            if nodes[child].name.is_empty() && nodes[child].kind == FieldKind::Group {
                found.extend(self.items(child, begin));
            } else if !nodes[child].name.is_empty() {
                found.push((child, begin));
            }
            nearer += missing_bytes(self.statement, child, &|n| self.count(n));
        }
        found
    }

    fn count(&self, counter: u32) -> u32 {
        let value = self.operands.int(operand::COUNTERS + counter as usize);
        u32::try_from(value).unwrap_or(0)
    }

    /// Name/value pairs to the items of a group, or to the first item of all.
    fn members(
        &mut self,
        members: &[(Vec<u8>, JsonValue)],
        group: Option<(usize, usize)>,
    ) -> AssignResult {
        let items_of = |parse: &Self| match group {
            Some((node, at)) => parse.items(node, at),
            None => vec![(0, 0)],
        };
        let mut items = items_of(self);
        let mut first: Vec<Option<&JsonValue>> = vec![None; items.len()];
        for (name, value) in members {
            let nodes = &self.statement.nodes;
            let place = items.iter().position(|(n, _)| matches(&nodes[*n], name));
            let Some(place) = place else {
                self.status |= status::PAIR_WITHOUT_ITEM;
                continue;
            };
            match first[place] {
                None => first[place] = Some(value),
                Some(earlier) if earlier == value => {
                    self.status |= status::SAME_DUPLICATES;
                    continue;
                }
                Some(_) => return Err(code::DIFFERENT_DUPLICATES),
            }
            if self.has_counters {
                // A counter that was just set moves what follows.
                items = items_of(self);
            }
            let (node, at) = items[place];
            if !nodes[node].is_hidden {
                self.item(node, at, value)?;
            }
        }
        let missing = items.iter().zip(&first);
        let is_missing = missing
            .filter(|((node, _), value)| value.is_none() && !self.statement.nodes[*node].is_hidden)
            .count();
        if is_missing > 0 {
            self.status |= status::ITEM_WITHOUT_PAIR;
        }
        Ok(())
    }

    fn item(&mut self, node: usize, at: usize, value: &JsonValue) -> AssignResult {
        let Some(table) = self.statement.nodes[node].table.filter(|_| node > 0) else {
            return self.occurrence(node, at, value, status::NULL);
        };
        let elements = match value {
            JsonValue::Array(elements) => elements,
            JsonValue::Null => {
                self.is_matched = true;
                self.status |= status::NULL;
                return Ok(());
            }
            _ => return Err(code::INCOMPATIBLE),
        };
        self.is_matched = true;
        let most = occurrences(self.statement, node, &|n| self.count(n)) as usize;
        if elements.len() < most {
            self.status |= status::FEWER_ELEMENTS;
        } else if elements.len() > most {
            self.status |= status::MORE_ELEMENTS;
        }
        for (index, element) in elements.iter().take(most).enumerate() {
            let at = at + index * table.stride as usize;
            self.occurrence(node, at, element, status::NULL_ELEMENT)?;
        }
        Ok(())
    }

    fn occurrence(
        &mut self,
        index: usize,
        at: usize,
        value: &JsonValue,
        null: i64,
    ) -> AssignResult {
        let node = &self.statement.nodes[index];
        if node.kind == FieldKind::Group {
            return match value {
                JsonValue::Object(members) => self.members(members, Some((index, at))),
                JsonValue::Null => {
                    self.status |= null;
                    Ok(())
                }
                _ => Err(code::INCOMPATIBLE),
            };
        }
        self.is_matched = true;
        let sign = self.operands.has_ebcdic_sign();
        let mut bytes = vec![0; node.length as usize];
        let outcome = match value {
            JsonValue::Null if node.null.0 != 0 => {
                store_figurative(node, &mut bytes, node.null, sign);
                MoveOutcome::Stored
            }
            JsonValue::Null => {
                self.status |= null;
                return Ok(());
            }
            JsonValue::Boolean(value) => {
                let Some(truth) = node.truths.first() else {
                    return Err(code::BOOLEAN);
                };
                let text = if *value { &truth.low } else { &node.falsehood };
                store_string(node, &mut bytes, text, sign)
            }
            JsonValue::String(text) => store_string(node, &mut bytes, text, sign),
            JsonValue::Number(text) => store_number(node, &mut bytes, text, sign),
            _ => MoveOutcome::Incompatible,
        };
        match outcome {
            MoveOutcome::Incompatible => return Err(code::INCOMPATIBLE),
            MoveOutcome::SizeError => self.status |= status::SIZE_ERROR,
            MoveOutcome::Cut => self.status |= status::CUT,
            MoveOutcome::Stored => {}
        }
        let room = self.statement.nodes[0].length as usize;
        self.operands.write(operand::RECORD, at, &bytes, room);
        Ok(())
    }
}

fn matches(node: &Node, name: &[u8]) -> bool {
    if node.is_exact {
        node.name == name
    } else {
        node.name.eq_ignore_ascii_case(name)
    }
}
