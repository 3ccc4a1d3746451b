//! From a layout to a [`Plan`].
//!
//! One walk over the visible fields in source order makes the nodes, keeping
//! the list of varying tables that stand before the current place. Counters,
//! discriminators and the initial contents are resolved behind it, when every
//! field has its node.

use super::error::BuildError;
use super::image;
use super::options::{Choice, CodecOptions, EditedForm, Machine};
use super::plan::*;
use crate::number::{EditedPicture, MAX_DIGITS};
use crate::{Field, FieldId, Kind, Layout, Names, Numeric, Storage};

/// Compiles `layout`.
pub(super) fn build(layout: &Layout, options: &CodecOptions) -> Result<Plan, BuildError> {
    check(layout)?;
    let names = Names::new(layout, options.naming);
    let mut builder = Builder {
        layout,
        options,
        names: &names,
        plan: Plan {
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
        in_variant: false,
    };
    builder.plan.images.push(Image {
        offset: 0,
        bytes: Vec::new(),
    });
    builder.occurrence(Layout::RECORD, None)?;
    builder.finish()
}

/// A layout comes from our own pass, but its fields are public: what the walk
/// relies on is checked once.
fn check(layout: &Layout) -> Result<(), BuildError> {
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

fn field_names(layout: &Layout, names: &Names) -> Vec<FieldName> {
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

/// The choice for each redefined item, by field.
fn resolve_rules<'o>(
    layout: &Layout,
    options: &'o CodecOptions,
) -> Result<Vec<Option<&'o Choice>>, BuildError> {
    let mut rules = vec![None; layout.fields.len()];
    for rule in &options.redefines {
        let id = find(layout, "redefines", &rule.item)?;
        if !layout
            .fields
            .iter()
            .any(|f| f.redefines.is_some_and(|r| root(layout, r) == id))
        {
            return Err(BuildError::Option {
                option: "redefines",
                name: rule.item.clone(),
                reason: "is not redefined by any field",
            });
        }
        rules[id.0 as usize] = Some(&rule.choice);
    }
    Ok(rules)
}

fn find(layout: &Layout, option: &'static str, name: &str) -> Result<FieldId, BuildError> {
    layout.find(name).ok_or_else(|| BuildError::Option {
        option,
        name: name.to_string(),
        reason: "names no field of the record, or several",
    })
}

/// The item whose storage a chain of REDEFINES comes down to.
fn root(layout: &Layout, mut id: FieldId) -> FieldId {
    // A chain leads backwards, so it is no longer than the layout.
    for _ in 0..layout.fields.len() {
        match layout[id].redefines {
            Some(next) => id = next,
            None => break,
        }
    }
    id
}

/// The walk's state.
pub(super) struct Builder<'a> {
    pub(super) layout: &'a Layout,
    pub(super) options: &'a CodecOptions,
    names: &'a Names,
    pub(super) plan: Plan,
    /// Varying tables before the current place.
    before: Vec<u16>,
    rules: Vec<Option<&'a Choice>>,
    /// Sets whose rule names fields that may not have been walked yet.
    pending: Vec<(u32, FieldId)>,
    image: u16,
    in_variant: bool,
}

impl Builder<'_> {
    fn unsupported(&self, id: FieldId, reason: &'static str) -> BuildError {
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
            _ => Err(self.unsupported(Layout::RECORD, "it has too many varying tables")),
        }
    }

    /// Adds the node of a field with its key; gives the varying tables in it.
    fn field(&mut self, id: FieldId) -> Result<Vec<u16>, BuildError> {
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
            return Err(self.unsupported(id, "its counter lies outside the record"));
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
        if self.layout[id].kind != Kind::Group {
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
        // Within the group its children slide one by one; what stands behind
        // the group moves by all of them.
        self.close(at, &vars)?;
        Ok(vars)
    }

    fn redefines_root(&self, id: FieldId) -> Option<FieldId> {
        self.layout[id]
            .redefines
            .map(|target| root(self.layout, target))
    }

    fn member(&self, node: usize, set: u16) -> Member {
        let key = &self.plan.nodes[node];
        Member {
            key_at: key.key_at,
            key_len: key.key_len,
            node: node as u32,
            set,
        }
    }

    /// Storage with several descriptions, the redefined item first.
    fn choice(
        &mut self,
        variants: &[FieldId],
        number: u16,
        members: &mut Vec<Member>,
    ) -> Result<Vec<u16>, BuildError> {
        let first = variants[0];
        let set = self.plan.sets.len() as u32;
        self.plan.sets.push(Set {
            rule: Rule::AllValid,
            variants: Vec::new(),
        });
        self.pending.push((set, first));
        let at = self.push(first, None, NodeKind::Choice(set));
        let choice = self.rules[first.0 as usize].unwrap_or(&self.options.other_redefines);
        let only = match choice {
            Choice::Redefined => Some(first),
            Choice::Named(name) => Some(self.variant_named(variants, name)?),
            _ => None,
        };
        let before = self.before.clone();
        let (outer_image, outer_variant) = (self.image, self.in_variant);
        let mut vars = Vec::new();
        for &variant in variants {
            self.before.clone_from(&before);
            if variant != first {
                self.in_variant = true;
                self.image = self.new_image(variant)?;
            }
            let start = self.plan.nodes.len();
            let inside = self.field(variant)?;
            if variant == first {
                vars = inside;
            } else if !inside.is_empty() && !self.ends_with_table(variant) {
                return Err(self.unsupported(
                    variant,
                    "fields behind an OCCURS DEPENDING ON inside a REDEFINES",
                ));
            }
            (self.image, self.in_variant) = (outer_image, outer_variant);
            if self.names.json(variant).is_none() {
                continue;
            }
            self.plan.sets[set as usize].variants.push(start as u32);
            if only.is_none_or(|only| only == variant) {
                members.push(self.member(start, number));
            }
        }
        self.before = before;
        self.close(at, &vars)?;
        Ok(vars)
    }

    fn new_image(&mut self, variant: FieldId) -> Result<u16, BuildError> {
        let at = self.plan.images.len();
        self.plan.images.push(Image {
            offset: self.layout[variant].offset,
            bytes: Vec::new(),
        });
        u16::try_from(at).map_err(|_| self.unsupported(variant, "too many REDEFINES"))
    }

    /// Nothing follows the varying table in this item.
    fn ends_with_table(&self, mut id: FieldId) -> bool {
        loop {
            let field = &self.layout[id];
            if field.occurs.as_ref().is_some_and(|o| o.min != o.max) {
                return field.children.iter().all(|c| {
                    self.layout[*c]
                        .occurs
                        .as_ref()
                        .is_none_or(|o| o.min == o.max)
                });
            }
            match field
                .children
                .iter()
                .rev()
                .find(|c| self.layout[**c].redefines.is_none())
            {
                Some(last) => id = *last,
                None => return false,
            }
        }
    }

    fn variant_named(&self, variants: &[FieldId], name: &str) -> Result<FieldId, BuildError> {
        let numbered = name
            .strip_prefix('#')
            .and_then(|n| n.parse::<usize>().ok())
            .and_then(|n| variants.get(n).copied());
        numbered
            .or_else(|| {
                variants.iter().copied().find(|v| {
                    self.layout[*v]
                        .name
                        .as_deref()
                        .is_some_and(|n| n.eq_ignore_ascii_case(name))
                })
            })
            .ok_or_else(|| BuildError::Option {
                option: "redefines",
                name: name.to_string(),
                reason: "is not a description of that storage",
            })
    }

    fn push(&mut self, id: FieldId, key: Option<(u32, u16)>, kind: NodeKind) -> usize {
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

    fn close(&mut self, at: usize, vars: &[u16]) -> Result<(), BuildError> {
        self.plan.nodes[at].end = self.plan.nodes.len() as u32;
        self.plan.nodes[at].slide = self.var_run(vars)?;
        Ok(())
    }

    /// The compiled type of an elementary item.
    pub(super) fn leaf(&mut self, id: FieldId) -> Result<Leaf, BuildError> {
        let field = &self.layout[id];
        let hex = self.options.machine == Machine::Mainframe;
        let little = !hex && cfg!(target_endian = "little");
        let sized = |len: &[u32], leaf| {
            if len.contains(&field.length) {
                Ok(leaf)
            } else {
                Err(BuildError::Layout {
                    path: self.layout.path(id),
                    reason: "its length does not fit its type",
                })
            }
        };
        match &field.kind {
            Kind::Group => Err(self.unsupported(id, "a group is no elementary item")),
            Kind::Alphanumeric | Kind::AlphanumericEdited => Ok(Leaf::Text {
                justified: field.justified,
            }),
            Kind::National => Ok(Leaf::National {
                justified: field.justified,
            }),
            Kind::Dbcs | Kind::Pointer => Ok(Leaf::Bytes),
            Kind::Index => {
                let leaf = Leaf::Binary {
                    digits: 0,
                    scale: 0,
                    signed: true,
                    little,
                };
                sized(&[1, 2, 4, 8], leaf)
            }
            Kind::Float => sized(&[4], Leaf::Float { hex }),
            Kind::Double => sized(&[8], Leaf::Double { hex }),
            Kind::DecimalFloat => sized(&[8, 16], Leaf::DecimalFloat { little }),
            Kind::NumericEdited(_) => self.edited(id, field),
            Kind::Numeric(numeric) => self.numeric(id, field, *numeric, little),
        }
    }

    fn edited(&mut self, id: FieldId, field: &Field) -> Result<Leaf, BuildError> {
        let text = field.picture.as_deref().unwrap_or("");
        // The layout knows where the point is, the picture's text does not.
        let scale = match &field.kind {
            Kind::NumericEdited(edited) => i32::from(edited.scale),
            _ => 0,
        };
        let compile = |comma| EditedPicture::compile_with(text, field.blank_when_zero, comma);
        let picture = compile(false)
            .and_then(|picture| {
                if picture.scale() == scale {
                    Ok(picture)
                } else {
                    compile(true)
                }
            })
            .or_else(|_| compile(true))
            .map_err(|error| BuildError::Picture {
                path: self.layout.path(id),
                error,
            })?;
        if picture.len() != field.length as usize {
            return Err(BuildError::Layout {
                path: self.layout.path(id),
                reason: "its length does not fit its picture",
            });
        }
        let at = u16::try_from(self.plan.pictures.len())
            .map_err(|_| self.unsupported(id, "too many edited pictures"))?;
        self.plan.pictures.push(picture);
        Ok(Leaf::Edited(at))
    }

    fn numeric(
        &self,
        id: FieldId,
        field: &Field,
        numeric: Numeric,
        little: bool,
    ) -> Result<Leaf, BuildError> {
        if numeric.digits > MAX_DIGITS || numeric.scale.unsigned_abs() > 2 * MAX_DIGITS {
            return Err(self.unsupported(id, "numbers of more than 38 digits"));
        }
        let (digits, scale, signed) = (numeric.digits as u8, numeric.scale, numeric.signed);
        let (leaf, lengths) = match numeric.storage {
            Storage::Zoned { sign } => {
                use crate::SignPlace::{LeadingSeparate, TrailingSeparate};
                let separate = matches!(sign, LeadingSeparate | TrailingSeparate);
                let len = u32::from(digits) + u32::from(separate);
                (
                    Leaf::Zoned {
                        digits,
                        scale,
                        sign,
                        blank: field.blank_when_zero,
                    },
                    len..=len,
                )
            }
            Storage::Packed => {
                let len = u32::from(digits) / 2 + 1;
                (
                    Leaf::Packed {
                        digits,
                        scale,
                        signed,
                    },
                    len..=len,
                )
            }
            Storage::PackedUnsigned => {
                let len = u32::from(digits).div_ceil(2);
                (Leaf::PackedUnsigned { digits, scale }, len..=len)
            }
            Storage::Binary => (
                Leaf::Binary {
                    digits,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            Storage::BinaryFull => (
                Leaf::Binary {
                    digits: 0,
                    scale,
                    signed,
                    little: false,
                },
                1..=16,
            ),
            Storage::Native => (
                Leaf::Binary {
                    digits: 0,
                    scale,
                    signed,
                    little,
                },
                1..=16,
            ),
        };
        if digits == 0 || !lengths.contains(&field.length) {
            return Err(BuildError::Layout {
                path: self.layout.path(id),
                reason: "its length does not fit its picture",
            });
        }
        Ok(leaf)
    }

    fn object(&mut self, id: FieldId, members: Vec<Member>, sets: u16) -> Result<u32, BuildError> {
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
        self.plan.objects.push(Object {
            members,
            index,
            sets,
        });
        Ok(self.plan.objects.len() as u32 - 1)
    }

    /// What needs every field's node.
    fn finish(mut self) -> Result<Plan, BuildError> {
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
                return Err(self.unsupported(field, "a counter that is no integer"));
            }
            if self.tables_of(field).next().is_some() {
                return Err(self.unsupported(field, "a counter inside a table"));
            }
            if field >= table {
                return Err(self.unsupported(field, "a counter behind its table"));
            }
            let known = self.plan.counters.iter().position(|c| c.node == node);
            let counter = known.unwrap_or_else(|| {
                let before = self.plan.before[field.0 as usize];
                self.plan.counters.push(Counter {
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

    /// The tables a field lies in or is, innermost first.
    fn tables_of(&self, id: FieldId) -> impl Iterator<Item = FieldId> + '_ {
        std::iter::successors(Some(id), |at| self.layout[*at].parent)
            .filter(|at| self.layout[*at].occurs.is_some())
    }

    fn resolve_rule(&mut self, first: FieldId, set: u32) -> Result<Rule, BuildError> {
        let choice = self.rules[first.0 as usize].unwrap_or(&self.options.other_redefines);
        let siblings = match self.layout[first].parent {
            Some(parent) => self.layout[parent].children.clone(),
            None => Vec::new(),
        };
        let variants: Vec<FieldId> = siblings
            .into_iter()
            .filter(|s| *s == first || self.redefines_root(*s) == Some(first))
            .collect();
        let node = |builder: &Self, id: FieldId| {
            let node = builder.plan.node_of[id.0 as usize];
            builder.plan.sets[set as usize]
                .variants
                .contains(&node)
                .then_some(node)
        };
        match choice {
            Choice::AllValid => Ok(Rule::AllValid),
            Choice::Redefined => Ok(Rule::Fixed(node(self, first))),
            Choice::Named(name) => Ok(Rule::Fixed(node(
                self,
                self.variant_named(&variants, name)?,
            ))),
            Choice::ByValue {
                field,
                cases,
                otherwise,
            } => {
                let id = find(self.layout, "redefines", field)?;
                let deciding = self.plan.node_of[id.0 as usize];
                if !matches!(
                    self.plan.nodes.get(deciding as usize).map(|n| n.kind),
                    Some(NodeKind::Leaf(_))
                ) {
                    return Err(self.rule_error(field, "is not an elementary item that shows"));
                }
                let own: Vec<FieldId> = self.tables_of(id).collect();
                let around: Vec<FieldId> = self.layout[first]
                    .parent
                    .map(|p| self.tables_of(p).collect())
                    .unwrap_or_default();
                if !own.is_empty() && own != around {
                    return Err(self.rule_error(
                        field,
                        "lies in another table than the storage it decides on",
                    ));
                }
                let mut by_value = Vec::new();
                for (value, name) in cases {
                    let variant = self.variant_named(&variants, name)?;
                    let mut text = Vec::new();
                    push_json_string(&mut text, value);
                    let text = text[1..text.len() - 1].to_vec().into_boxed_slice();
                    if let Some(node) = node(self, variant) {
                        by_value.push((text, node));
                    }
                }
                let otherwise = match otherwise {
                    Some(name) => node(self, self.variant_named(&variants, name)?),
                    None => None,
                };
                Ok(Rule::ByValue {
                    node: deciding,
                    same_tables: own == around,
                    plus: self.plan.before[first.0 as usize],
                    minus: self.plan.before[id.0 as usize],
                    cases: by_value,
                    otherwise,
                })
            }
        }
    }

    fn rule_error(&self, name: &str, reason: &'static str) -> BuildError {
        BuildError::Option {
            option: "redefines",
            name: name.to_string(),
            reason,
        }
    }
}

impl Leaf {
    /// Can count the elements of a table.
    fn is_integer(self) -> bool {
        match self {
            Leaf::Zoned { scale, .. }
            | Leaf::Packed { scale, .. }
            | Leaf::PackedUnsigned { scale, .. }
            | Leaf::Binary { scale, .. } => scale == 0,
            _ => false,
        }
    }

    /// Stands in JSON as a number, by default.
    pub(super) fn is_number(self, options: &CodecOptions) -> bool {
        match self {
            Leaf::Text { .. } | Leaf::National { .. } | Leaf::Bytes => false,
            Leaf::Edited(_) => options.edited == EditedForm::Number,
            _ => true,
        }
    }
}

/// The name within a key `"NAME":`.
fn key_name(key: &[u8]) -> &[u8] {
    key.get(1..key.len().saturating_sub(2)).unwrap_or(&[])
}

/// Spreads member names over an [`Object::index`]: their length, first and
/// last bytes tell names apart that differ in a number or a suffix; what is
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
