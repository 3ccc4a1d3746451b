//! OCCURS DEPENDING ON: how long the varying tables of one record are.
//!
//! A record in memory is *compact*: what follows a short table slides towards the
//! front, as IBM compilers have it and `cobc -fodoslide` does. A record that is
//! being written is *expanded*: every field is where the layout has it, and
//! [`CodecPlan::compact`] closes the gaps at the end, when all counters are known.

use super::leaf::read_integer;
use super::plan::{CodecPlan, ErrorSpot, NO_VAR, Node, NodeKind};

/// Element counts of one record's varying tables, and what each table is
/// shorter by than its longest form.
pub(super) struct TableShape {
    inline: [u32; 2 * INLINE],
    heap: Vec<u32>,
    tables: usize,
}

/// A counter outside its bounds.
#[derive(Debug)]
pub(super) struct CounterFault {
    pub spot: ErrorSpot,
    pub value: String,
    pub min: u32,
    pub max: u32,
}

/// Where the counters of a record stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CounterForm {
    Compact,
    Expanded,
}

impl TableShape {
    fn new(tables: usize) -> TableShape {
        let heap = if tables > INLINE {
            vec![0; 2 * tables]
        } else {
            Vec::new()
        };
        TableShape {
            inline: [0; 2 * INLINE],
            heap,
            tables,
        }
    }

    fn cells(&self) -> &[u32] {
        if self.tables > INLINE {
            &self.heap
        } else {
            &self.inline[..2 * self.tables]
        }
    }

    fn set(&mut self, table: usize, count: u32, saved: u32) {
        let tables = self.tables;
        let cells = if tables > INLINE {
            &mut self.heap[..]
        } else {
            &mut self.inline[..]
        };
        cells[table] = count;
        cells[tables + table] = saved;
    }

    /// Elements of a varying table.
    #[inline]
    pub(super) fn count(&self, var: u16) -> u32 {
        self.cells()[usize::from(var)]
    }

    /// Bytes a varying table is shorter by.
    #[inline]
    pub(super) fn saved(&self, var: u16) -> usize {
        self.cells()[self.tables + usize::from(var)] as usize
    }

    /// The sum of that over several.
    #[inline]
    pub(super) fn saved_by(&self, vars: &[u16]) -> usize {
        vars.iter().map(|var| self.saved(*var)).sum()
    }
}

impl CodecPlan {
    /// Reads the counters of a record. One that is after the record's end counts
    /// the fewest elements, when `partial`.
    pub(super) fn shape(
        &self,
        record: &[u8],
        form: CounterForm,
        partial: bool,
    ) -> Result<TableShape, CounterFault> {
        let mut shape = TableShape::new(self.vars.len());
        self.shape_of(record, form, partial, self.vars.len(), &mut shape)?;
        Ok(shape)
    }

    /// The same for the first `tables` only.
    fn shape_of(
        &self,
        record: &[u8],
        form: CounterForm,
        partial: bool,
        tables: usize,
        shape: &mut TableShape,
    ) -> Result<(), CounterFault> {
        for (at, var) in self.vars.iter().enumerate().take(tables) {
            let count = if var.counter == NO_VAR {
                var.max
            } else {
                self.count(record, at, shape, form, partial)?
            };
            let stride = (var.stride as usize).wrapping_sub(shape.saved_by(&var.inner));
            let longest = (var.max as usize).wrapping_mul(var.stride as usize);
            let saved = longest.wrapping_sub((count as usize).wrapping_mul(stride));
            shape.set(at, count, saved as u32);
        }
        Ok(())
    }

    /// Where a counter of a compact record ends, when the counters before it
    /// are known.
    pub(super) fn counter_end(&self, bytes: &[u8], counter: usize) -> Result<usize, CounterFault> {
        let counter = &self.counters[counter];
        let node = &self.nodes[counter.node as usize];
        let before = self.var_run(counter.before);
        let known = before.iter().max().map_or(0, |last| usize::from(*last) + 1);
        let mut shape = TableShape::new(self.vars.len());
        self.shape_of(bytes, CounterForm::Compact, false, known, &mut shape)?;
        Ok((node.offset as usize + node.len as usize).wrapping_sub(shape.saved_by(before)))
    }

    fn count(
        &self,
        record: &[u8],
        at: usize,
        shape: &TableShape,
        form: CounterForm,
        partial: bool,
    ) -> Result<u32, CounterFault> {
        let var = &self.vars[at];
        let counter = &self.counters[usize::from(var.counter)];
        let node = &self.nodes[counter.node as usize];
        let slide = match form {
            CounterForm::Compact => shape.saved_by(self.var_run(counter.before)),
            CounterForm::Expanded => 0,
        };
        let offset = (node.offset as usize).wrapping_sub(slide);
        let fault = |value| CounterFault {
            spot: self.spot(node, 0usize.wrapping_sub(slide)),
            value,
            min: var.min,
            max: var.max,
        };
        let Some(bytes) = record.get(offset..offset.wrapping_add(node.len as usize)) else {
            return if partial {
                Ok(var.min)
            } else {
                Err(fault("after the end of the record".into()))
            };
        };
        // Programs count to none in tables of one and more, and mean it.
        let none_fits = matches!(form, CounterForm::Compact);
        match self.counter_value(node, bytes) {
            Some(value) => u32::try_from(value)
                .ok()
                .filter(|n| (var.min..=var.max).contains(n) || (*n == 0 && none_fits))
                .ok_or_else(|| fault(value.to_string())),
            None => Err(fault(format!("{bytes:02x?}"))),
        }
    }

    /// The value of a counter's bytes, if they are a number.
    pub(super) fn counter_value(&self, node: &Node, bytes: &[u8]) -> Option<i128> {
        match node.kind {
            NodeKind::Leaf(leaf) => read_integer(self, leaf, bytes),
            _ => None,
        }
    }

    /// Bytes of a record of this shape.
    pub(super) fn real_len(&self, shape: &TableShape) -> usize {
        self.length.wrapping_sub(shape.saved_by(&self.top_vars))
    }

    /// Closes the gaps of an expanded record; returns its real length.
    pub(super) fn compact(&self, record: &mut [u8], shape: &TableShape) -> usize {
        let mut mover = StretchMover {
            plan: self,
            shape,
            to: 0,
        };
        mover.stretch(0, self.length, 0, &self.top_vars, &mut |from, to, len| {
            record.copy_within(from..from + len, to);
        });
        mover.to
    }

    /// The expanded form of a compact record, into an area of the layout's
    /// full length; gaps keep what the area holds.
    pub(super) fn expand(&self, record: &[u8], area: &mut [u8], shape: &TableShape) {
        let mut mover = StretchMover {
            plan: self,
            shape,
            to: 0,
        };
        mover.stretch(0, self.length, 0, &self.top_vars, &mut |from, to, len| {
            // A short record ends somewhere; what is there is taken.
            let rest = record.get(to..).unwrap_or_default();
            let there = rest.len().min(len);
            area[from..from + there].copy_from_slice(&rest[..there]);
        });
    }
}

/// Walks the stretches of an expanded record that stay together.
struct StretchMover<'a> {
    plan: &'a CodecPlan,
    shape: &'a TableShape,
    /// Where the next stretch goes in the compact record.
    to: usize,
}

impl StretchMover<'_> {
    /// Reports every piece of `len` bytes at `from`: its place in the expanded
    /// and in the compact record, and its length.
    fn stretch(
        &mut self,
        from: usize,
        len: usize,
        delta: usize,
        vars: &[u16],
        report: &mut dyn FnMut(usize, usize, usize),
    ) {
        let plan = self.plan;
        let mut at = from;
        for &number in vars {
            let var = &plan.vars[usize::from(number)];
            let (start, stride) = (var.offset as usize + delta, var.stride as usize);
            self.piece(at, start, report);
            let count = self.shape.count(number) as usize;
            if var.inner.is_empty() {
                self.piece(start, start + count * stride, report);
            } else {
                for k in 0..count {
                    let element = start + k * stride;
                    self.stretch(element, stride, delta + k * stride, &var.inner, report);
                }
            }
            at = start + var.max as usize * stride;
        }
        self.piece(at, from + len, report);
    }

    fn piece(&mut self, from: usize, end: usize, report: &mut dyn FnMut(usize, usize, usize)) {
        let end = end.min(self.plan.length);
        if from < end {
            report(from, self.to, end - from);
            self.to += end - from;
        }
    }
}

/// Varying tables whose counts need no allocation.
const INLINE: usize = 8;
