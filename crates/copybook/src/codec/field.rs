//! Access to single fields of a record, for mappings.
//!
//! Reading works on records as programs hand them over. Writing works on the
//! expanded form (see [`Codec::initialise`] and [`Codec::finish`]); without
//! OCCURS DEPENDING ON both are the same.
//!
//! [`Codec::initialise`]: super::Codec::initialise
//! [`Codec::finish`]: super::Codec::finish

use std::sync::Arc;

use super::decode::RecordDecoder;
use super::encode::{RecordEncoder, TableCounts};
use super::error::{DecodeError, EncodeError, PathError};
use super::json::Cursor;
use super::plan::{CodecPlan, ErrorSpot, NO_VAR, Node, NodeKind, Table};
use super::record::{finish_value, syntax_error};
use super::shape::TableShape;

/// Moves one field, group or table between a record and JSON text.
///
/// Cheap to clone; obtained from [`Codec::field`](super::Codec::field).
#[derive(Debug, Clone)]
pub struct FieldCodec {
    plan: Arc<CodecPlan>,
    /// Index of its node.
    node: usize,
    /// Elements chosen on the way, outermost first.
    steps: Vec<TableStep>,
}

#[derive(Debug, Clone, Copy)]
struct TableStep {
    table: Table,
    element: u32,
}

impl FieldCodec {
    pub(super) fn resolve(plan: &Arc<CodecPlan>, path: &str) -> Result<FieldCodec, PathError> {
        let root = FieldCodec {
            plan: plan.clone(),
            node: 0,
            steps: Vec::new(),
        };
        if path.is_empty() || plan.names[0].cobol.eq_ignore_ascii_case(path) {
            return Ok(root);
        }
        let first = path.split('.').next().unwrap_or(path);
        let below = match path.split_once('.') {
            // The record's own name may be in front.
            Some((_, rest))
                if plan.names[0].cobol.eq_ignore_ascii_case(first)
                    && root.find(first).is_none() =>
            {
                rest
            }
            _ => path,
        };
        root.child(below).map_err(|e| PathError {
            path: path.to_string(),
            ..e
        })
    }

    /// A field beneath this one; `path` as in
    /// [`Codec::field`](super::Codec::field).
    pub fn child(&self, path: &str) -> Result<FieldCodec, PathError> {
        let fail = |reason: String| PathError {
            path: path.to_string(),
            reason,
        };
        let mut at = self.clone();
        for part in path.split('.') {
            let (name, element) = match part.strip_suffix(')').and_then(|p| p.split_once('(')) {
                Some((name, subscript)) => {
                    let k = subscript
                        .trim()
                        .parse::<u32>()
                        .ok()
                        .and_then(|k| k.checked_sub(1));
                    let k = k.ok_or_else(|| fail(format!("({subscript}) is not a subscript")))?;
                    (name, Some(k))
                }
                None => (part, None),
            };
            if at.is_table() {
                return Err(fail(format!("{name}: a table before it has no subscript")));
            }
            let field = at
                .find(name)
                .ok_or_else(|| fail(format!("{name:?} matches no field there, or several")))?;
            at.node = at.plan.node_of[field as usize] as usize;
            if let Some(k) = element {
                at = at.element(k).map_err(|e| fail(e.reason))?;
            }
        }
        Ok(at)
    }

    /// The field of that name beneath, nearest level first.
    fn find(&self, name: &str) -> Option<u32> {
        let plan = &*self.plan;
        let own = plan.nodes[self.node].field;
        let named = |field: &u32| {
            let names = &plan.names[*field as usize];
            plan.node_of[*field as usize] != u32::MAX
                && (&*names.json == name || names.cobol.eq_ignore_ascii_case(name))
        };
        let fields = 0..plan.names.len() as u32;
        let direct = |field: &u32| plan.names[*field as usize].parent == Some(own);
        // JSON names are unique among siblings, COBOL names need not be.
        let exact = |field: &u32| direct(field) && &*plan.names[*field as usize].json == name;
        if let Some(field) = fields.clone().find(exact) {
            return Some(field);
        }
        let mut here = fields.clone().filter(|f| direct(f) && named(f));
        if let Some(field) = here.next() {
            return here.next().is_none().then_some(field);
        }
        // Levels may be left out, but no table, whose subscript would be.
        let beneath = |field: &u32| {
            let mut at = plan.names[*field as usize].parent;
            while let Some(group) = at {
                if group == own {
                    return true;
                }
                if plan.names[group as usize].table {
                    return false;
                }
                at = plan.names[group as usize].parent;
            }
            false
        };
        let mut found = fields.filter(|f| named(f) && beneath(f));
        let field = found.next()?;
        found.next().is_none().then_some(field)
    }

    /// An element of this table, counted from 0.
    pub fn element(&self, element: u32) -> Result<FieldCodec, PathError> {
        let fail = |reason: &str| PathError {
            path: self.path(),
            reason: reason.to_string(),
        };
        let NodeKind::Table(table) = self.plan.nodes[self.node].kind else {
            return Err(fail("a subscript, but no table"));
        };
        if element >= table.max {
            return Err(fail("a subscript beyond the table's last element"));
        }
        let mut at = self.clone();
        at.steps.push(TableStep { table, element });
        at.node += 1;
        Ok(at)
    }

    /// The same field in other elements of the tables around it: `elements`
    /// are counted from 0, outermost first, one for each subscript it has.
    pub fn with_elements(&self, elements: &[u32]) -> Result<FieldCodec, PathError> {
        let mut at = self.clone();
        let fits = elements.len() == at.steps.len()
            && at.steps.iter_mut().zip(elements).all(|(step, element)| {
                step.element = *element;
                *element < step.table.max
            });
        if !fits {
            return Err(PathError {
                path: self.path(),
                reason: "wrong number of subscripts for this field".to_string(),
            });
        }
        Ok(at)
    }

    /// COBOL path with subscripts.
    pub fn path(&self) -> String {
        self.plan.place(&self.spot(0)).path
    }

    /// Bytes from its first to its last, tables at their longest.
    pub fn max_len(&self) -> usize {
        self.plan.span(self.shown())
    }

    /// Its offset in a record of the longest form.
    pub fn offset(&self) -> usize {
        (self.shown().offset as usize).wrapping_add(self.delta(None))
    }

    /// Whether the field codec is a table without a subscript.
    pub fn is_table(&self) -> bool {
        matches!(self.shown().kind, NodeKind::Table(_))
    }

    /// Whether the field codec is a group (or an element that is one).
    pub fn is_group(&self) -> bool {
        matches!(self.shown().kind, NodeKind::Group(_))
    }

    /// Whether its values are numbers by type, however they are in JSON.
    pub fn is_numeric(&self) -> bool {
        match self.shown().kind {
            NodeKind::Leaf(leaf) => leaf.is_number(&self.plan.options),
            _ => false,
        }
    }

    /// Elements of this table in a record; 1 for anything else.
    pub fn count(&self, record: &[u8]) -> Result<u32, DecodeError> {
        let NodeKind::Table(table) = self.shown().kind else {
            return Ok(1);
        };
        let shape = self.plan.checked_shape(record)?;
        Ok(match shape {
            Some(shape) if table.var != NO_VAR => shape.count(table.var),
            _ => table.max,
        })
    }

    /// Appends the JSON text of the field's value; nothing on an error. A field
    /// that is after the end of a short record is `null`.
    pub fn write_json(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), DecodeError> {
        let plan = &*self.plan;
        let shape = plan.checked_shape(record)?;
        if let Some(shape) = &shape {
            for step in &self.steps {
                if step.table.var != NO_VAR && step.element >= shape.count(step.table.var) {
                    let place = plan.place(&self.spot(0));
                    let reason = "the table has no element with this subscript in this record";
                    return Err(DecodeError::Subscript { place, reason });
                }
            }
        }
        let start = out.len();
        let delta = self.delta(shape.as_ref());
        let mut decoder = RecordDecoder {
            plan,
            record,
            out,
            shape: shape.as_ref(),
            strict: false,
        };
        let result = decoder.emit_bare(self.node, delta).map_err(|mut fault| {
            self.add_steps(&mut fault.spot);
            plan.decode_error(*fault, record)
        });
        finish_value(result, start, out)
    }

    /// Reads JSON text of the field's value into a record in expanded form.
    /// What the text does not mention stays as it is, except that a table
    /// DEPENDING ON gets its counter set.
    pub fn read_json(&self, json: &[u8], record: &mut [u8]) -> Result<(), EncodeError> {
        self.encode(json, record, |encoder, node, delta| {
            encoder.json.blanks();
            encoder.value(node, delta)?;
            encoder.json.blanks();
            encoder.settle()
        })
    }

    /// Puts text (of a path parameter, a header) into an elementary field:
    /// unchanged into a character field, as a decimal number into a number.
    pub fn read_text(&self, text: &str, record: &mut [u8]) -> Result<(), EncodeError> {
        let expected = match self.shown().kind {
            NodeKind::Leaf(_) => None,
            NodeKind::Table(_) => Some("an array"),
            _ => Some("an object"),
        };
        if let Some(expected) = expected {
            let place = self.plan.place(&self.spot(0));
            return Err(EncodeError::Type {
                place,
                expected,
                found: "text",
                offset: 0,
            });
        }
        self.encode(b"", record, |encoder, at, delta| {
            let node = &encoder.plan.nodes[at];
            let NodeKind::Leaf(leaf) = node.kind else {
                return Ok(());
            };
            let start = (node.offset as usize).wrapping_add(delta);
            let area = start..start.wrapping_add(node.len as usize);
            encoder.put_text(node, leaf, delta, area, text, 0)
        })
    }

    fn encode(
        &self,
        json: &[u8],
        record: &mut [u8],
        run: impl FnOnce(&mut RecordEncoder<'_>, usize, usize) -> super::encode::EncodeStep,
    ) -> Result<(), EncodeError> {
        let plan = &*self.plan;
        let record = plan.area(record)?;
        let mut encoder = RecordEncoder {
            plan,
            json: Cursor {
                input: json,
                pos: 0,
            },
            record,
            counts: TableCounts::new(plan.vars.len()),
            scratch: Vec::new(),
        };
        run(&mut encoder, self.node, self.delta(None)).map_err(|mut fault| {
            self.add_steps(&mut fault.spot);
            plan.encode_error(*fault, json)
        })?;
        if encoder.json.pos < json.len() {
            return Err(syntax_error(
                encoder.json.fail("text after the value"),
                json,
            ));
        }
        Ok(())
    }

    fn shown(&self) -> &Node {
        &self.plan.nodes[self.node]
    }

    /// What the chosen elements add to offsets, and what short tables before
    /// the field take away; without a shape, in the expanded form.
    fn delta(&self, shape: Option<&TableShape>) -> usize {
        let mut delta = 0usize;
        for step in &self.steps {
            let mut stride = step.table.stride as usize;
            if let (Some(shape), true) = (shape, step.table.var != NO_VAR) {
                let inner = &self.plan.vars[usize::from(step.table.var)].inner;
                stride = stride.wrapping_sub(shape.saved_by(inner));
            }
            delta = delta.wrapping_add(stride.wrapping_mul(step.element as usize));
        }
        let before = self.plan.before[self.shown().field as usize];
        let slide = shape.map_or(0, |s| s.saved_by(self.plan.var_run(before)));
        delta.wrapping_sub(slide)
    }

    fn spot(&self, delta: usize) -> ErrorSpot {
        let mut spot = self
            .plan
            .spot(self.shown(), self.delta(None).wrapping_add(delta));
        self.add_steps(&mut spot);
        spot
    }

    fn add_steps(&self, spot: &mut ErrorSpot) {
        spot.subscripts
            .extend(self.steps.iter().rev().map(|s| s.element));
    }
}
