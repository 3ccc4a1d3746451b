//! The initial contents of a record.
//!
//! VALUE clauses, or zeros and blanks by type, once for the record and once
//! for each REDEFINES: encoding starts with a copy of these bytes.

use super::build::Builder;
use super::error::BuildError;
use super::options::InitialContents;
use super::plan::{DescriptionRule, LeafKind, NodeKind};
use crate::number::Decimal;
use crate::{FieldId, FieldKind, Literal, RecordLayout};

/// Fills the images of the builder's plan.
pub(super) fn fill(builder: &mut Builder<'_>) -> Result<(), BuildError> {
    let chosen: Vec<u32> = builder
        .plan
        .sets
        .iter()
        .filter_map(|set| match set.rule {
            DescriptionRule::Fixed(Some(node)) => Some(builder.plan.nodes[node as usize].field),
            _ => None,
        })
        .collect();
    for image in 0..builder.plan.images.len() {
        let shown = builder
            .plan
            .nodes
            .iter()
            .find(|n| usize::from(n.image) == image);
        let Some(id) = shown.map(|n| FieldId(n.field)) else {
            continue;
        };
        let field = &builder.layout[id];
        let offset = if image == 0 { 0 } else { field.offset };
        let span = match (&field.occurs, image) {
            (_, 0) => builder.plan.length,
            (Some(o), _) => {
                o.max.saturating_sub(1) as usize * o.stride as usize + field.length as usize
            }
            (None, _) => field.length as usize,
        };
        let mut filler = ImageFiller {
            builder,
            offset,
            bytes: vec![0; span],
            chosen: &chosen,
        };
        if filler.builder.options.initial != InitialContents::LowValues {
            filler.item(id)?;
        }
        let bytes = filler.bytes;
        builder.plan.images[image].bytes = bytes;
    }
    set_counters(builder);
    Ok(())
}

/// A counter without a usable VALUE starts at its tables' fewest elements.
fn set_counters(builder: &mut Builder<'_>) {
    let plan = &mut builder.plan;
    for counter in 0..plan.counters.len() {
        let counter = &plan.counters[counter];
        let tables = counter
            .tables
            .iter()
            .map(|var| &plan.vars[usize::from(*var)]);
        let least = tables.clone().map(|t| t.min).max().unwrap_or(0);
        let most = tables.map(|t| t.max).min().unwrap_or(0);
        let node = plan.nodes[counter.node as usize].clone();
        let area = node.offset as usize..node.offset as usize + node.len as usize;
        let NodeKind::Leaf(leaf) = node.kind else {
            continue;
        };
        let Some(bytes) = plan.images[0].bytes.get(area.clone()) else {
            continue;
        };
        let value = plan.counter_value(&node, bytes);
        if value.is_some_and(|v| (i128::from(least)..=i128::from(most)).contains(&v)) {
            continue;
        }
        let number = Decimal {
            negative: false,
            magnitude: u128::from(least),
            scale: 0,
        };
        let mut bytes = bytes.to_vec();
        // A counter too small for its own table shows when a record is made.
        if plan.store_number(leaf, &mut bytes, number).is_ok() {
            plan.images[0].bytes[area].copy_from_slice(&bytes);
        }
    }
}

struct ImageFiller<'a, 'b> {
    builder: &'a mut Builder<'b>,
    /// Offset in the record of the first byte.
    offset: u32,
    bytes: Vec<u8>,
    /// Fields that are the one description of their storage by option.
    chosen: &'a [u32],
}

impl ImageFiller<'_, '_> {
    /// The bytes of the first occurrence.
    fn area(&mut self, id: FieldId) -> Result<&mut [u8], BuildError> {
        let field = &self.builder.layout[id];
        let start = field.offset.checked_sub(self.offset).map(|s| s as usize);
        let fault = BuildError::Layout {
            path: self.builder.layout.path(id),
            reason: "the field is outside its record",
        };
        start
            .and_then(|start| self.bytes.get_mut(start..start + field.length as usize))
            .ok_or(fault)
    }

    fn item(&mut self, id: FieldId) -> Result<(), BuildError> {
        let layout: &RecordLayout = self.builder.layout;
        let field = &layout[id];
        let by_value = self.builder.options.initial == InitialContents::Values;
        let value = field.value.as_ref().filter(|_| by_value);
        if field.kind == FieldKind::Group {
            for &child in &field.children {
                if layout[child].redefines.is_none() || self.chosen.contains(&child.0) {
                    self.item(child)?;
                }
            }
            if let Some(value) = value {
                self.characters(id, value)?;
            }
        } else {
            self.leaf(id, value)?;
        }
        let Some(occurs) = &field.occurs else {
            return Ok(());
        };
        self.area(id)?;
        let start = (field.offset - self.offset) as usize;
        let len = field.length as usize;
        for k in 1..occurs.max as usize {
            let to = start + k * occurs.stride as usize;
            if to + len > self.bytes.len() {
                return Err(BuildError::Layout {
                    path: layout.path(id),
                    reason: "the table is outside its record",
                });
            }
            self.bytes.copy_within(start..start + len, to);
        }
        Ok(())
    }

    fn leaf(&mut self, id: FieldId, value: Option<&Literal>) -> Result<(), BuildError> {
        let leaf = self.builder.leaf(id)?;
        let space = self.builder.options.code_page.space();
        match leaf {
            LeafKind::Text { .. } => match value {
                Some(value) => self.characters(id, value)?,
                None => self.area(id)?.fill(space),
            },
            LeafKind::National { .. } => {
                let text: Vec<u16> = match value {
                    Some(Literal::Text(text)) => text.encode_utf16().collect(),
                    _ => Vec::new(),
                };
                let area = self.area(id)?;
                for (k, unit) in area.as_chunks_mut::<2>().0.iter_mut().enumerate() {
                    let c = text.get(k).copied().unwrap_or(0x20);
                    unit.copy_from_slice(&c.to_be_bytes());
                }
            }
            LeafKind::Bytes => {}
            _ => self.number(id, leaf, value)?,
        }
        Ok(())
    }

    fn number(
        &mut self,
        id: FieldId,
        leaf: LeafKind,
        value: Option<&Literal>,
    ) -> Result<(), BuildError> {
        let zero = Decimal {
            negative: false,
            magnitude: 0,
            scale: 0,
        };
        let number = match value {
            None => zero,
            Some(Literal::Figurative(name)) if name == "ZERO" => zero,
            Some(Literal::Number(text)) => {
                Decimal::parse(text.as_bytes()).map_err(|e| self.fault(id, text, e.to_string()))?
            }
            Some(Literal::Text(text)) if !matches!(leaf, LeafKind::Edited(_)) => {
                Decimal::parse(text.as_bytes()).map_err(|e| self.fault(id, text, e.to_string()))?
            }
            Some(value) => return self.characters(id, value),
        };
        let mut bytes = self.area(id)?.to_vec();
        if let Err(error) = self.builder.plan.store_number(leaf, &mut bytes, number) {
            return Err(self.fault(id, &number.magnitude.to_string(), error.to_string()));
        }
        self.area(id)?.copy_from_slice(&bytes);
        Ok(())
    }

    /// A literal as characters, from the left, blanks after it.
    fn characters(&mut self, id: FieldId, value: &Literal) -> Result<(), BuildError> {
        let page = self.builder.options.code_page;
        let space = page.space();
        let encode = |text: &str| {
            page.encode(text)
                .map_err(|c| format!("{c:?} is not in {page}"))
        };
        let (bytes, repeat) = match value {
            Literal::Text(text) | Literal::Number(text) => (encode(text), false),
            Literal::Hex(bytes) => (Ok(bytes.clone()), false),
            Literal::Figurative(name) => (figurative(name, page), true),
            Literal::All(inner) => match inner.as_ref() {
                Literal::Text(text) | Literal::Number(text) => (encode(text), true),
                Literal::Hex(bytes) => (Ok(bytes.clone()), true),
                Literal::Figurative(name) => (figurative(name, page), true),
                Literal::All(_) => (Err("ALL ALL".to_string()), true),
            },
        };
        let bytes = bytes.map_err(|e| self.fault(id, &format!("{value:?}"), e))?;
        let area = self.area(id)?;
        for (k, to) in area.iter_mut().enumerate() {
            let at = if repeat && !bytes.is_empty() {
                k % bytes.len()
            } else {
                k
            };
            *to = bytes.get(at).copied().unwrap_or(space);
        }
        Ok(())
    }

    fn fault(&self, id: FieldId, value: &str, reason: String) -> BuildError {
        BuildError::Value {
            path: self.builder.layout.path(id),
            value: value.to_string(),
            reason,
        }
    }
}

fn figurative(name: &str, page: crate::CodePage) -> Result<Vec<u8>, String> {
    let c = match name {
        "ZERO" => '0',
        "SPACE" => ' ',
        "QUOTE" => '"',
        "LOW-VALUE" | "NULL" => return Ok(vec![0]),
        "HIGH-VALUE" => return Ok(vec![0xff]),
        _ => return Err("not a figurative constant".to_string()),
    };
    page.encode(&c.to_string())
        .map_err(|c| format!("{c:?} is not in {page}"))
}
