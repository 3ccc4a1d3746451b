//! From a layout to a [`CodecPlan`].
//!
//! One walk over the visible fields in source order makes the nodes, keeping the
//! list of varying tables that are before the current place. Counters,
//! discriminators and the initial contents are resolved after it, when every field
//! has its node.

use super::error::BuildError;
use super::image;
use super::options::{CodecOptions, RedefinesChoice};
use super::plan::*;
use super::variants::resolve_rules;
use crate::{FieldId, FieldKind, JsonNames, RecordLayout};

/// Compiles `layout`.
pub(super) fn build(
    layout: &RecordLayout,
    options: &CodecOptions,
) -> Result<CodecPlan, BuildError> {
    check(layout)?;
    let names = JsonNames::new(layout, options.naming);
    let mut builder = Builder {
        layout,
        options,
        names: &names,
        plan: CodecPlan {
            options: options.clone(),
            nodes: Vec::new(),
            keys: Vec::new(),
            objects: Vec::new(),
            sets: Vec::new(),
            vars: Vec::new(),
            top_vars: Vec::new(),
            counters: Vec::new(),
            var_lists: Vec::new(),
            pictures: Vec::new(),
            images: Vec::new(),
            names: field_names(layout, &names),
            node_of: vec![u32::MAX; layout.fields.len()],
            before: vec![(0, 0); layout.fields.len()],
            length: layout.length as usize,
        },
        before: Vec::new(),
        rules: resolve_rules(layout, options)?,
        pending: Vec::new(),
        image: 0,
    };
    builder.plan.images.push(InitialImage {
        offset: 0,
        bytes: Vec::new(),
    });
    builder.occurrence(RecordLayout::RECORD, None)?;
    builder.finish()
}

/// A layout comes from our own pass, but its fields are public: what the walk
/// relies on is checked once.
fn check(layout: &RecordLayout) -> Result<(), BuildError> {
    let fail = |index: usize, reason| BuildError::Layout {
        path: if index < layout.fields.len() {
            layout.path(FieldId(index as u32))
        } else {
            String::new()
        },
        reason,
    };
    let count = layout.fields.len();
    if count == 0 {
        return Err(fail(0, "it has no fields"));
    }
    for (index, field) in layout.fields.iter().enumerate() {
        match field.parent {
            None if index == 0 => {}
            Some(parent) if (parent.0 as usize) < index => {}
            _ => {
                return Err(BuildError::Layout {
                    path: field.name.clone().unwrap_or_default(),
                    reason: "a field does not follow its group",
                });
            }
        }
        let own = |id: &FieldId| (id.0 as usize) < count;
        if !field
            .children
            .iter()
            .all(|c| own(c) && layout[*c].parent == Some(FieldId(index as u32)))
            || !field.redefines.iter().all(own)
            || !field
                .occurs
                .iter()
                .flat_map(|o| o.depending_on.iter())
                .all(own)
        {
            return Err(fail(index, "a reference leads nowhere"));
        }
        if let Some(occurs) = &field.occurs
            && (occurs.min > occurs.max || occurs.stride < field.length)
        {
            return Err(fail(index, "its OCCURS is inconsistent"));
        }
    }
    Ok(())
}

fn field_names(layout: &RecordLayout, names: &JsonNames) -> Vec<FieldName> {
    layout
        .iter()
        .map(|(id, field)| FieldName {
            cobol: field.name.as_deref().unwrap_or("FILLER").into(),
            json: names.json(id).unwrap_or("").into(),
            picture: field.picture.as_deref().unwrap_or("").into(),
            parent: field.parent.map(|p| p.0),
            table: field.occurs.is_some(),
        })
        .collect()
}

/// The walk's state.
pub(super) struct Builder<'a> {
    pub(super) layout: &'a RecordLayout,
    pub(super) options: &'a CodecOptions,
    pub(super) names: &'a JsonNames,
    pub(super) plan: CodecPlan,
    /// Varying tables before the current place.
    pub(super) before: Vec<u16>,
    pub(super) rules: Vec<Option<&'a RedefinesChoice>>,
    /// Sets whose rule names fields that may not have been walked yet.
    pub(super) pending: Vec<(u32, FieldId)>,
    pub(super) image: u16,
}

impl Builder<'_> {
    pub(super) fn unsupported(&self, id: FieldId, reason: &'static str) -> BuildError {
        BuildError::Unsupported {
            path: self.layout.path(id),
            reason,
        }
    }

    fn var_run(&mut self, list: &[u16]) -> Result<(u16, u16), BuildError> {
        if list.is_empty() {
            return Ok((0, 0));
        }
        let start = self.plan.var_lists.len();
        self.plan.var_lists.extend_from_slice(list);
        match (u16::try_from(start), u16::try_from(list.len())) {
            (Ok(start), Ok(len)) => Ok((start, len)),
            _ => Err(self.unsupported(RecordLayout::RECORD, "it has too many varying tables")),
        }
    }

    /// Adds the node of a field with its key; returns the varying tables in it.
    pub(super) fn field(&mut self, id: FieldId) -> Result<Vec<u16>, BuildError> {
        self.plan.before[id.0 as usize] = {
            let before = self.before.clone();
            self.var_run(&before)?
        };
        let Some(name) = self.names.json(id) else {
            return self.hidden(id);
        };
        let key_at = self.plan.keys.len();
        push_json_string(&mut self.plan.keys, name);
        self.plan.keys.push(b':');
        let key = (key_at as u32, self.plan.keys.len() - key_at);
        if key.1 > usize::from(u16::MAX) {
            return Err(self.unsupported(id, "its name is too long"));
        }
        let key = Some((key.0, key.1 as u16));
        match &self.layout[id].occurs {
            Some(_) => self.table(id, key),
            None => self.occurrence(id, key),
        }
    }

    /// A field that does not show: of interest only if it varies.
    fn hidden(&mut self, id: FieldId) -> Result<Vec<u16>, BuildError> {
        let mut beneath = self.layout[id].children.clone();
        while let Some(child) = beneath.pop() {
            if self.layout[child]
                .occurs
                .as_ref()
                .is_some_and(|o| o.min != o.max)
            {
                return Err(self.unsupported(child, "it varies inside items without a name"));
            }
            beneath.extend_from_slice(&self.layout[child].children);
        }
        let field = &self.layout[id];
        if field.occurs.as_ref().is_none_or(|o| o.min == o.max) {
            return Ok(Vec::new());
        }
        let at = self.push(id, None, NodeKind::Skip);
        let var = self.var_table(id, Vec::new())?;
        self.close(at, &[var])?;
        Ok(vec![var])
    }

    fn table(&mut self, id: FieldId, key: Option<(u32, u16)>) -> Result<Vec<u16>, BuildError> {
        let occurs = self.layout[id]
            .occurs
            .clone()
            .ok_or_else(|| self.unsupported(id, "it is not a table"))?;
        let table = Table {
            min: occurs.min,
            max: occurs.max,
            stride: occurs.stride,
            var: NO_VAR,
        };
        let at = self.push(id, key, NodeKind::Table(table));
        let before = self.before.clone();
        let inner = self.occurrence(id, None)?;
        self.before = before;
        self.plan.node_of[id.0 as usize] = at as u32;
        if occurs.min == occurs.max && inner.is_empty() {
            self.close(at, &[])?;
            return Ok(Vec::new());
        }
        let var = self.var_table(id, inner)?;
        self.plan.nodes[at].kind = NodeKind::Table(Table { var, ..table });
        self.close(at, &[var])?;
        Ok(vec![var])
    }

    fn var_table(&mut self, id: FieldId, inner: Vec<u16>) -> Result<u16, BuildError> {
        let field = &self.layout[id];
        let Some(occurs) = &field.occurs else {
            return Err(self.unsupported(id, "it is not a table"));
        };
        if occurs.min != occurs.max && occurs.depending_on.is_none() {
            return Err(self.unsupported(id, "its counter is outside the record"));
        }
        let var = self.plan.vars.len();
        if var >= usize::from(NO_VAR) {
            return Err(self.unsupported(id, "the record has too many varying tables"));
        }
        self.plan.vars.push(VarTable {
            field: id.0,
            offset: field.offset,
            min: occurs.min,
            max: occurs.max,
            stride: occurs.stride,
            counter: NO_VAR,
            inner,
        });
        Ok(var as u16)
    }

    /// One occurrence of a field: a leaf or a group.
    fn occurrence(&mut self, id: FieldId, key: Option<(u32, u16)>) -> Result<Vec<u16>, BuildError> {
        if self.layout[id].kind != FieldKind::Group {
            let leaf = self.leaf(id)?;
            let at = self.push(id, key, NodeKind::Leaf(leaf));
            self.close(at, &[])?;
            return Ok(Vec::new());
        }
        let at = self.push(id, key, NodeKind::Group(0));
        let base = self.before.len();
        let mut members = Vec::new();
        let mut sets = 0u16;
        let children = self.layout[id].children.clone();
        let mut done = vec![false; children.len()];
        for (k, &child) in children.iter().enumerate() {
            if done[k] {
                continue;
            }
            let variants: Vec<FieldId> = children
                .iter()
                .enumerate()
                .skip(k)
                .filter(|&(j, &other)| j == k || self.redefines_root(other) == Some(child))
                .map(|(j, &other)| {
                    done[j] = true;
                    other
                })
                .collect();
            let start = self.plan.nodes.len();
            let vars = if variants.len() > 1 {
                sets += 1;
                self.choice(&variants, sets, &mut members)?
            } else {
                let vars = self.field(child)?;
                if self.plan.nodes.len() > start && self.names.json(child).is_some() {
                    members.push(self.member(start, 0));
                }
                vars
            };
            self.before.extend(vars);
        }
        let vars = self.before.split_off(base);
        let object = self.object(id, members, sets)?;
        self.plan.nodes[at].kind = NodeKind::Group(object);
        // Within the group its children slide one by one; what is after the group
        // moves by all of them.
        self.close(at, &vars)?;
        Ok(vars)
    }

    pub(super) fn member(&self, node: usize, set: u16) -> ObjectMember {
        let key = &self.plan.nodes[node];
        ObjectMember {
            key_at: key.key_at,
            key_len: key.key_len,
            node: node as u32,
            set,
        }
    }

    pub(super) fn push(&mut self, id: FieldId, key: Option<(u32, u16)>, kind: NodeKind) -> usize {
        let field = &self.layout[id];
        let at = self.plan.nodes.len();
        let (key_at, key_len) = key.unwrap_or((0, 0));
        self.plan.node_of[id.0 as usize] = at as u32;
        self.plan.nodes.push(Node {
            field: id.0,
            offset: field.offset,
            len: field.length,
            end: at as u32 + 1,
            key_at,
            key_len,
            image: self.image,
            slide: (0, 0),
            omit: self.options.omit_empty && key_len > 0,
            kind,
        });
        at
    }

    pub(super) fn close(&mut self, at: usize, vars: &[u16]) -> Result<(), BuildError> {
        self.plan.nodes[at].end = self.plan.nodes.len() as u32;
        self.plan.nodes[at].slide = self.var_run(vars)?;
        Ok(())
    }

    fn object(
        &mut self,
        id: FieldId,
        members: Vec<ObjectMember>,
        sets: u16,
    ) -> Result<u32, BuildError> {
        if members.len() + usize::from(sets) > usize::from(u16::MAX / 2) {
            return Err(self.unsupported(id, "a group of too many items"));
        }
        let mut index = vec![0u16; (members.len() * 2 + 1).next_power_of_two()];
        for (number, member) in members.iter().enumerate() {
            let key = &self.plan.keys[member.key_at as usize..][..usize::from(member.key_len)];
            let mut at = hash(key_name(key)) as usize & (index.len() - 1);
            while index[at] != 0 {
                at = (at + 1) & (index.len() - 1);
            }
            index[at] = number as u16 + 1;
        }
        self.plan.objects.push(ObjectPlan {
            members,
            index,
            sets,
        });
        Ok(self.plan.objects.len() as u32 - 1)
    }

    /// What needs every field's node.
    fn finish(mut self) -> Result<CodecPlan, BuildError> {
        self.plan.keys.resize(self.plan.keys.len() + KEY_SLACK, 0);
        self.resolve_counters()?;
        for (set, first) in std::mem::take(&mut self.pending) {
            let rule = self.resolve_rule(first, set)?;
            self.plan.sets[set as usize].rule = rule;
        }
        let top = self.plan.nodes[0].slide;
        self.plan.top_vars = self.plan.var_run(top).to_vec();
        image::fill(&mut self)?;
        Ok(self.plan)
    }

    fn resolve_counters(&mut self) -> Result<(), BuildError> {
        for var in 0..self.plan.vars.len() {
            let table = FieldId(self.plan.vars[var].field);
            let occurs = self.layout[table].occurs.clone();
            let Some(field) = occurs
                .filter(|o| o.min != o.max)
                .and_then(|o| o.depending_on)
            else {
                continue;
            };
            let node = self.plan.node_of[field.0 as usize];
            let kind = self.plan.nodes.get(node as usize).map(|n| n.kind);
            if !kind.is_some_and(|k| matches!(k, NodeKind::Leaf(leaf) if leaf.is_integer())) {
                return Err(self.unsupported(field, "the counter is not an integer"));
            }
            if self.tables_of(field).next().is_some() {
                return Err(self.unsupported(field, "a counter inside a table"));
            }
            if field >= table {
                return Err(self.unsupported(field, "the counter is after its table"));
            }
            let known = self.plan.counters.iter().position(|c| c.node == node);
            let counter = known.unwrap_or_else(|| {
                let before = self.plan.before[field.0 as usize];
                self.plan.counters.push(TableCounter {
                    node,
                    before,
                    tables: Vec::new(),
                });
                self.plan.counters.len() - 1
            });
            self.plan.counters[counter].tables.push(var as u16);
            self.plan.vars[var].counter = counter as u16;
        }
        Ok(())
    }

    /// The tables a field is in or is, innermost first.
    pub(super) fn tables_of(&self, id: FieldId) -> impl Iterator<Item = FieldId> + '_ {
        std::iter::successors(Some(id), |at| self.layout[*at].parent)
            .filter(|at| self.layout[*at].occurs.is_some())
    }
}

/// The name within a key `"NAME":`.
fn key_name(key: &[u8]) -> &[u8] {
    key.get(1..key.len().saturating_sub(2)).unwrap_or(&[])
}

/// Spreads member names over an [`ObjectPlan::index`]: their length, first and
/// last bytes distinguish names that differ in a number or a suffix; what is
/// left falls to the probing.
pub(super) fn hash(name: &[u8]) -> u32 {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |w, b| w << 8 | u64::from(*b));
    let first = word(&name[..name.len().min(8)]);
    let last = word(&name[name.len() - name.len().min(8)..]);
    let mixed =
        (first ^ last.rotate_left(29) ^ name.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

/// Appends `text` as a JSON string.
pub(super) fn push_json_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for c in text.chars() {
        super::out::push_char(out, c);
    }
    out.push(b'"');
}
