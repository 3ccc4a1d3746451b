//! JSON text to records.
//!
//! One pass over the text, no tree: a member's name leads to its node, the
//! value goes straight into its field. Members in the order of the layout are
//! recognised by comparing with the next name; others through a hash table.
//! The record is filled in its expanded form (see `shape`).

use super::build::{hash, push_json_string};
use super::error::NumberError;
use super::json::{Cursor, SyntaxError};
use super::options::{MissingMembers, NullPolicy, UnknownMembers};
use super::plan::{
    CodecPlan, ErrorSpot, LeafKind, NO_VAR, Node, NodeKind, ObjectMember, ObjectPlan, Table,
};
use super::shape::CounterFault;
use crate::number::{Decimal, DecimalError, scan_json, scan_small};

/// Reads one JSON text into one record.
pub(super) struct RecordEncoder<'a> {
    pub plan: &'a CodecPlan,
    pub json: Cursor<'a>,
    pub record: &'a mut [u8],
    /// Elements given for each varying table.
    pub counts: TableCounts,
    /// Room for texts that need conversion, and for names.
    pub scratch: Vec<u8>,
}

/// An error; callers add the subscripts of their level.
#[derive(Debug)]
pub(super) struct Fault {
    pub spot: ErrorSpot,
    pub kind: FaultKind,
}

/// The kinds of faults in JSON text.
#[derive(Debug)]
pub(super) enum FaultKind {
    Syntax(SyntaxError),
    Unknown {
        name: String,
        at: usize,
    },
    Duplicate {
        at: usize,
    },
    Missing,
    Type {
        expected: &'static str,
        found: &'static str,
        at: usize,
    },
    TooLong {
        length: usize,
    },
    Number {
        text: String,
        reason: NumberError,
    },
    Unmappable(char),
    Elements {
        count: u64,
        min: u32,
        max: u32,
    },
    Conflict {
        count: u32,
        other: u32,
    },
    Counter {
        value: String,
        min: u32,
        max: u32,
    },
}

/// Elements given for each varying table of the plan.
pub(super) struct TableCounts {
    inline: [u32; INLINE],
    heap: Vec<u32>,
}

impl TableCounts {
    pub(super) fn new(tables: usize) -> TableCounts {
        let heap = if tables > INLINE {
            vec![NOT_GIVEN; tables]
        } else {
            Vec::new()
        };
        TableCounts {
            inline: [NOT_GIVEN; INLINE],
            heap,
        }
    }

    fn cell(&mut self, var: u16) -> &mut u32 {
        if self.heap.is_empty() {
            &mut self.inline[usize::from(var)]
        } else {
            &mut self.heap[usize::from(var)]
        }
    }

    fn get(&mut self, var: u16) -> Option<u32> {
        Some(*self.cell(var)).filter(|n| *n != NOT_GIVEN)
    }
}

pub(super) type EncodeStep = Result<(), Box<Fault>>;

impl RecordEncoder<'_> {
    /// Reads the value of a node.
    #[inline]
    pub(super) fn value(&mut self, at: usize, delta: usize) -> EncodeStep {
        let plan = self.plan;
        let node = &plan.nodes[at];
        match node.kind {
            NodeKind::Leaf(leaf) => self.leaf(node, leaf, delta),
            NodeKind::Group(object) => self.object(node, &plan.objects[object as usize], delta),
            NodeKind::Table(table) => self.table(at, node, table, delta),
            NodeKind::Choice(_) | NodeKind::Skip => Ok(()),
        }
    }

    /// A fault at a node.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self, node: &Node, delta: usize, kind: FaultKind) -> Box<Fault> {
        Box::new(Fault {
            spot: self.plan.spot(node, delta),
            kind,
        })
    }

    #[cold]
    #[inline(never)]
    pub(super) fn syntax(&self, node: &Node, syntax: SyntaxError) -> Box<Fault> {
        self.fault(node, 0, FaultKind::Syntax(syntax))
    }

    /// Something else than the expected value: null by option, else an error.
    #[cold]
    #[inline(never)]
    fn other(&mut self, node: &Node, delta: usize, expected: &'static str) -> EncodeStep {
        let at = self.json.pos;
        let found = self.json.kind().map_err(|e| self.syntax(node, e))?;
        if found == "null" {
            self.json
                .literal(b"null")
                .map_err(|e| self.syntax(node, e))?;
            if self.plan.options.null == NullPolicy::Initial {
                self.reset(node, delta);
                return Ok(());
            }
        }
        Err(self.fault(
            node,
            delta,
            FaultKind::Type {
                expected,
                found,
                at,
            },
        ))
    }

    /// Gives a node its initial contents.
    fn reset(&mut self, node: &Node, delta: usize) {
        let span = self.plan.span(node);
        let at = (node.offset as usize).wrapping_add(delta);
        let initial = self.plan.initial(node, delta, span);
        if let Some(area) = self.record.get_mut(at..at.wrapping_add(initial.len())) {
            area.copy_from_slice(initial);
        }
    }

    fn object(&mut self, node: &Node, object: &ObjectPlan, delta: usize) -> EncodeStep {
        if self.json.peek() != Some(b'{') {
            return self.other(node, delta, "an object");
        }
        self.json.pos += 1;
        let mut seen = SeenMembers::new(object.members.len() + usize::from(object.sets));
        let mut next = 0;
        self.json.blanks();
        if self.json.peek() == Some(b'}') {
            self.json.pos += 1;
            return self.complete(object, &seen, delta);
        }
        loop {
            let at = self.json.pos;
            match self.member(node, object, next, delta)? {
                Some(number) => {
                    next = number + 1;
                    let member = &object.members[number];
                    if !seen.insert(number) {
                        let twice = &self.plan.nodes[member.node as usize];
                        return Err(self.fault(twice, delta, FaultKind::Duplicate { at }));
                    }
                    if member.set != 0 {
                        self.describe(node, object, member, &mut seen, delta);
                    }
                    let node = &self.plan.nodes[member.node as usize];
                    match node.kind {
                        NodeKind::Leaf(leaf) => self.leaf(node, leaf, delta)?,
                        _ => self.value(member.node as usize, delta)?,
                    }
                }
                None => self.json.skip().map_err(|e| self.syntax(node, e))?,
            }
            self.json.blanks();
            match self.json.peek() {
                Some(b',') => {
                    self.json.pos += 1;
                    self.json.blanks();
                }
                Some(b'}') => {
                    self.json.pos += 1;
                    return self.complete(object, &seen, delta);
                }
                _ => return Err(self.syntax(node, self.json.fail("`,` or `}` expected"))),
            }
        }
    }

    /// Reads a member's name and the colon. Returns `None` for a name to ignore.
    #[inline(always)]
    fn member(
        &mut self,
        node: &Node,
        object: &ObjectPlan,
        next: usize,
        delta: usize,
    ) -> Result<Option<usize>, Box<Fault>> {
        if let Some(member) = object.members.get(next) {
            let key = &self.plan.keys[member.key_at as usize..][..usize::from(member.key_len) - 1];
            if self.json.take(key) {
                self.colon(node)?;
                return Ok(Some(next));
            }
        }
        self.member_by_name(node, object, delta)
    }

    #[inline(always)]
    fn colon(&mut self, node: &Node) -> EncodeStep {
        if self.json.peek() != Some(b':') {
            self.json.blanks();
            if self.json.peek() != Some(b':') {
                return Err(self.syntax(node, self.json.fail("`:` expected")));
            }
        }
        self.json.pos += 1;
        self.json.blanks();
        Ok(())
    }

    #[inline(never)]
    fn member_by_name(
        &mut self,
        node: &Node,
        object: &ObjectPlan,
        delta: usize,
    ) -> Result<Option<usize>, Box<Fault>> {
        let at = self.json.pos;
        let raw = self.json.string().map_err(|e| self.syntax(node, e))?;
        let mut canonical = std::mem::take(&mut self.scratch);
        let name = if raw.plain {
            raw.bytes
        } else {
            // Written with other escapes than ours, perhaps: compare in the
            // form the keys have.
            let text = raw.text().map_err(|e| self.syntax(node, e))?;
            canonical.clear();
            push_json_string(&mut canonical, &text);
            &canonical[1..canonical.len() - 1]
        };
        let found = self.find(object, name);
        self.scratch = canonical;
        if found.is_none() && self.plan.options.unknown == UnknownMembers::Error {
            let name = raw.text().map_err(|e| self.syntax(node, e))?.into_owned();
            return Err(self.fault(node, delta, FaultKind::Unknown { name, at }));
        }
        self.colon(node)?;
        Ok(found)
    }

    fn find(&self, object: &ObjectPlan, name: &[u8]) -> Option<usize> {
        let mask = object.index.len() - 1;
        let mut at = hash(name) as usize & mask;
        loop {
            let number = usize::from(object.index[at]).checked_sub(1)?;
            let member = &object.members[number];
            let key = &self.plan.keys[member.key_at as usize..][..usize::from(member.key_len)];
            if key.len() == name.len() + 3 && &key[1..key.len() - 2] == name {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }

    /// The first description given for redefined storage sets its initial
    /// contents; those that follow only add to it.
    #[cold]
    fn describe(
        &mut self,
        group: &Node,
        object: &ObjectPlan,
        member: &ObjectMember,
        seen: &mut SeenMembers,
        delta: usize,
    ) {
        let node = &self.plan.nodes[member.node as usize];
        let first = seen.insert(object.members.len() + usize::from(member.set) - 1);
        if first && node.image != group.image {
            self.reset(node, delta);
        }
    }

    /// Checks for missing members, by option.
    #[inline(always)]
    fn complete(&mut self, object: &ObjectPlan, seen: &SeenMembers, delta: usize) -> EncodeStep {
        if self.plan.options.missing == MissingMembers::Error {
            return self.all_given(object, seen, delta);
        }
        Ok(())
    }

    #[cold]
    fn all_given(&mut self, object: &ObjectPlan, seen: &SeenMembers, delta: usize) -> EncodeStep {
        for (number, member) in object.members.iter().enumerate() {
            let given = match member.set {
                0 => seen.contains(number),
                set => seen.contains(object.members.len() + usize::from(set) - 1),
            };
            if !given {
                let missing = &self.plan.nodes[member.node as usize];
                return Err(self.fault(missing, delta, FaultKind::Missing));
            }
        }
        Ok(())
    }

    fn table(&mut self, at: usize, node: &Node, table: Table, delta: usize) -> EncodeStep {
        if self.json.peek() != Some(b'[') {
            return self.other(node, delta, "an array");
        }
        self.json.pos += 1;
        self.json.blanks();
        let mut count = 0;
        if self.json.peek() == Some(b']') {
            self.json.pos += 1;
        } else {
            let mut delta = delta;
            loop {
                if count == table.max {
                    let (min, max) = (table.min, table.max);
                    let count = u64::from(count) + 1;
                    return Err(self.fault(node, delta, FaultKind::Elements { count, min, max }));
                }
                if let Err(mut fault) = self.value(at + 1, delta) {
                    fault.spot.subscripts.push(count);
                    return Err(fault);
                }
                count += 1;
                delta = delta.wrapping_add(table.stride as usize);
                self.json.blanks();
                match self.json.peek() {
                    Some(b',') => {
                        self.json.pos += 1;
                        self.json.blanks();
                    }
                    Some(b']') => {
                        self.json.pos += 1;
                        break;
                    }
                    _ => return Err(self.syntax(node, self.json.fail("`,` or `]` expected"))),
                }
            }
        }
        let strict = table.min != table.max || self.plan.options.missing == MissingMembers::Error;
        if count < table.min && strict {
            let (min, max) = (table.min, table.max);
            let count = u64::from(count);
            return Err(self.fault(node, delta, FaultKind::Elements { count, min, max }));
        }
        if table.var != NO_VAR && table.min != table.max {
            match self.counts.get(table.var) {
                Some(other) if other != count => {
                    return Err(self.fault(node, delta, FaultKind::Conflict { count, other }));
                }
                _ => *self.counts.cell(table.var) = count,
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn leaf(&mut self, node: &Node, leaf: LeafKind, delta: usize) -> EncodeStep {
        let at = (node.offset as usize).wrapping_add(delta);
        let end = at.wrapping_add(node.len as usize);
        match (self.json.peek(), leaf) {
            (Some(b'"'), LeafKind::Text { justified }) => {
                self.text(node, delta, justified, at, end)
            }
            (Some(b'"'), _) => self.quoted(node, leaf, delta, at, end),
            (
                Some(b'-' | b'0'..=b'9'),
                LeafKind::Text { .. } | LeafKind::National { .. } | LeafKind::Bytes,
            ) => self.other(node, delta, "a string"),
            (Some(b'-' | b'0'..=b'9'), _) => {
                if let Some((number, after)) = scan_small(self.json.input, self.json.pos)
                    && let Some(field) = self.record.get_mut(at..end)
                    && self.plan.store_small(leaf, field, number)
                {
                    self.json.pos = after;
                    return Ok(());
                }
                self.number(node, leaf, delta, at, end)
            }
            _ if leaf.is_number(&self.plan.options) => self.other(node, delta, "a number"),
            _ => self.other(node, delta, "a string"),
        }
    }

    /// A number of any length, or one that does not fit.
    #[inline(never)]
    fn number(
        &mut self,
        node: &Node,
        leaf: LeafKind,
        delta: usize,
        at: usize,
        end: usize,
    ) -> EncodeStep {
        let start = self.json.pos;
        match scan_json(self.json.input, start) {
            Ok((number, after)) => {
                self.json.pos = after;
                let Some(field) = self.record.get_mut(at..end) else {
                    return Ok(());
                };
                match self.plan.store_number(leaf, field, number) {
                    Ok(()) => Ok(()),
                    Err(reason) => Err(self.misfit(node, delta, start, after, reason)),
                }
            }
            Err((DecimalError::Syntax, offset)) => Err(self.syntax(
                node,
                SyntaxError {
                    offset,
                    reason: "not a number",
                },
            )),
            Err((reason, _)) => {
                let after = self.json.skip().map(|()| self.json.pos);
                let after = after.map_err(|e| self.syntax(node, e))?;
                Err(self.misfit(node, delta, start, after, reason.into()))
            }
        }
    }

    /// Puts the counters in step with the tables that were given.
    pub(super) fn settle(&mut self) -> EncodeStep {
        let plan = self.plan;
        for counter in &plan.counters {
            let mut given = None;
            for &var in &counter.tables {
                let Some(count) = self.counts.get(var) else {
                    continue;
                };
                match given {
                    Some(other) if other != count => {
                        let table = &plan.vars[usize::from(var)];
                        let at = plan.node_of[table.field as usize];
                        let node = &plan.nodes[at as usize];
                        return Err(self.fault(node, 0, FaultKind::Conflict { count, other }));
                    }
                    _ => given = Some(count),
                }
            }
            let Some(count) = given else {
                continue;
            };
            let node = &plan.nodes[counter.node as usize];
            let number = Decimal {
                negative: false,
                magnitude: u128::from(count),
                scale: 0,
            };
            let (NodeKind::Leaf(leaf), at) = (node.kind, node.offset as usize) else {
                continue;
            };
            let Some(field) = self.record.get_mut(at..at + node.len as usize) else {
                continue;
            };
            if let Err(reason) = plan.store_number(leaf, field, number) {
                return Err(self.not_a_fit(node, 0, &count.to_string(), reason));
            }
        }
        Ok(())
    }
}

impl From<CounterFault> for Box<Fault> {
    fn from(fault: CounterFault) -> Self {
        let CounterFault {
            spot,
            value,
            min,
            max,
        } = fault;
        Box::new(Fault {
            spot,
            kind: FaultKind::Counter { value, min, max },
        })
    }
}

/// The members of an object that have been read.
struct SeenMembers {
    few: u64,
    many: Vec<u64>,
}

impl SeenMembers {
    #[inline]
    fn new(count: usize) -> SeenMembers {
        let many = if count > 64 {
            vec![0; count.div_ceil(64)]
        } else {
            Vec::new()
        };
        SeenMembers { few: 0, many }
    }

    /// Returns `false` if it was there.
    #[inline]
    fn insert(&mut self, number: usize) -> bool {
        let bit = 1 << (number % 64);
        let word = match self.many.get_mut(number / 64) {
            Some(word) => word,
            None => &mut self.few,
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn contains(&self, number: usize) -> bool {
        let word = self.many.get(number / 64).unwrap_or(&self.few);
        word >> (number % 64) & 1 == 1
    }
}

/// Varying tables whose counts need no allocation.
const INLINE: usize = 8;
/// No array was given.
const NOT_GIVEN: u32 = u32::MAX;
