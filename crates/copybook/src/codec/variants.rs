//! Storage with several descriptions: REDEFINES, and which of them counts.
//!
//! The part of the builder that turns [`RedefinesChoice`]s into
//! [`DescriptionRule`]s. A rule may name fields that are after the storage, so
//! rules are resolved when every field has its node.

use super::build::Builder;
use super::build::push_json_string;
use super::error::BuildError;
use super::options::{CodecOptions, RedefinesChoice};
use super::plan::{DescriptionRule, InitialImage, NodeKind, ObjectMember, RedefinesSet};
use crate::{FieldId, RecordLayout, shown_value};

/// The choice for each redefined item, by field.
pub(super) fn resolve_rules<'o>(
    layout: &RecordLayout,
    options: &'o CodecOptions,
) -> Result<Vec<Option<&'o RedefinesChoice>>, BuildError> {
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

impl Builder<'_> {
    /// The item whose storage a field shares.
    pub(super) fn redefines_root(&self, id: FieldId) -> Option<FieldId> {
        self.layout[id]
            .redefines
            .map(|target| root(self.layout, target))
    }

    /// Storage with several descriptions, the redefined item first.
    pub(super) fn choice(
        &mut self,
        variants: &[FieldId],
        number: u16,
        members: &mut Vec<ObjectMember>,
    ) -> Result<Vec<u16>, BuildError> {
        let first = variants[0];
        let set = self.plan.sets.len() as u32;
        self.plan.sets.push(RedefinesSet {
            rule: DescriptionRule::AllValid,
            variants: Vec::new(),
        });
        self.pending.push((set, first));
        let at = self.push(first, None, NodeKind::Choice(set));
        let choice = self.rules[first.0 as usize].unwrap_or(&self.options.other_redefines);
        let only = match choice {
            RedefinesChoice::Redefined => Some(first),
            RedefinesChoice::Named(name) => Some(self.variant_named(variants, name)?),
            _ => None,
        };
        let before = self.before.clone();
        let outer = self.image;
        let mut vars = Vec::new();
        for &variant in variants {
            self.before.clone_from(&before);
            if variant != first {
                self.image = self.new_image(variant)?;
            }
            let start = self.plan.nodes.len();
            let inside = self.field(variant)?;
            if variant == first {
                vars = inside;
            } else if !inside.is_empty() && !self.ends_with_table(variant) {
                return Err(self.unsupported(
                    variant,
                    "fields after an OCCURS DEPENDING ON inside a REDEFINES",
                ));
            }
            self.image = outer;
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
        self.plan.images.push(InitialImage {
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

    /// The rule of a set, by option.
    pub(super) fn resolve_rule(
        &mut self,
        first: FieldId,
        set: u32,
    ) -> Result<DescriptionRule, BuildError> {
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
            RedefinesChoice::AllValid => Ok(DescriptionRule::AllValid),
            RedefinesChoice::Redefined => Ok(DescriptionRule::Fixed(node(self, first))),
            RedefinesChoice::Named(name) => Ok(DescriptionRule::Fixed(node(
                self,
                self.variant_named(&variants, name)?,
            ))),
            RedefinesChoice::ByValue {
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
                        "is in another table than the storage that it selects",
                    ));
                }
                let mut by_value = Vec::new();
                for (value, name) in cases {
                    let variant = self.variant_named(&variants, name)?;
                    let shown = shown_value(&self.layout[id], value).ok_or_else(|| {
                        self.rule_error(value, "is a value that the deciding field cannot have")
                    })?;
                    let mut text = Vec::new();
                    push_json_string(&mut text, &shown);
                    let text = text[1..text.len() - 1].to_vec().into_boxed_slice();
                    if let Some(node) = node(self, variant) {
                        by_value.push((text, node));
                    }
                }
                let otherwise = match otherwise {
                    Some(name) => node(self, self.variant_named(&variants, name)?),
                    None => None,
                };
                Ok(DescriptionRule::ByValue {
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

fn find(layout: &RecordLayout, option: &'static str, name: &str) -> Result<FieldId, BuildError> {
    layout.find(name).ok_or_else(|| BuildError::Option {
        option,
        name: name.to_string(),
        reason: "names no field of the record, or several",
    })
}

/// The item whose storage a chain of REDEFINES comes down to.
fn root(layout: &RecordLayout, mut id: FieldId) -> FieldId {
    // A chain leads backwards, so it is no longer than the layout.
    for _ in 0..layout.fields.len() {
        match layout[id].redefines {
            Some(next) => id = next,
            None => break,
        }
    }
    id
}
