//! Which items of a record JSON and XML GENERATE write, and where they are.
//!
//! Tables have the occurrences that their counters say, and items after a
//! table of varying length lie that much nearer. What SUPPRESS leaves out is
//! left out here, and a group without anything left is left out with it. Items
//! of a group without a name belong to the group around it.
//! Reference: Enterprise COBOL Language Reference, "Operation of JSON
//! GENERATE", "Operation of XML GENERATE".

use copybook::FieldKind;

use super::Fault;
use super::descriptor::{Node, Statement};
use super::value::is_figurative;

/// What is written of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OutputItem {
    /// An elementary item, by its index among the nodes, and its first byte.
    Leaf(usize, usize),
    /// A group and what is in it.
    Group(usize, Vec<OutputItem>),
    /// A table and its occurrences.
    Table(usize, Vec<OutputItem>),
}

impl OutputItem {
    /// The index of its node.
    pub(super) fn node(&self) -> usize {
        match self {
            OutputItem::Leaf(node, _) | OutputItem::Group(node, _) | OutputItem::Table(node, _) => {
                *node
            }
        }
    }
}

/// A record that is written.
pub(super) struct SourceRecord<'a> {
    pub statement: &'a Statement,
    pub record: &'a [u8],
    pub counts: &'a [u32],
}

impl SourceRecord<'_> {
    /// The output of the first item, which is written even if it is empty.
    pub(super) fn outputs(&self) -> Result<OutputItem, Fault> {
        Ok(match self.statement.nodes[0].kind {
            FieldKind::Group => OutputItem::Group(0, self.children(0, 0)?),
            _ => OutputItem::Leaf(0, 0),
        })
    }

    /// The bytes of an elementary item that begins at an offset.
    pub(super) fn bytes(&self, node: &Node, at: usize) -> Result<&[u8], Fault> {
        let bytes = self.record.get(at..at + node.length as usize);
        bytes.ok_or_else(|| Fault(format!("{} is not in the storage of its record", node.item)))
    }

    fn children(&self, group: usize, at: usize) -> Result<Vec<OutputItem>, Fault> {
        let nodes = &self.statement.nodes;
        let mut found = Vec::new();
        let mut nearer = 0;
        for child in self.statement.children(group) {
            let node = &nodes[child];
            let begin = at + (node.offset - nodes[group].offset) as usize - nearer;
            if !node.is_hidden {
                match node.table {
                    Some(_) => self.table(child, begin, &mut found)?,
                    None => self.item(child, begin, &mut found)?,
                }
            }
            nearer += missing_bytes(self.statement, child, &|n| self.count(n));
        }
        Ok(found)
    }

    fn table(&self, node: usize, at: usize, out: &mut Vec<OutputItem>) -> Result<(), Fault> {
        let Some(table) = self.statement.nodes[node].table else {
            return Ok(());
        };
        let count = occurrences(self.statement, node, &|n| self.count(n));
        let mut elements = Vec::new();
        for index in 0..count as usize {
            self.item(node, at + index * table.stride as usize, &mut elements)?;
        }
        if self.statement.nodes[node].name.is_empty() {
            out.append(&mut elements);
        } else if !elements.is_empty() || count == 0 {
            out.push(OutputItem::Table(node, elements));
        }
        Ok(())
    }

    /// One occurrence of an item, if it is not suppressed.
    fn item(&self, index: usize, at: usize, out: &mut Vec<OutputItem>) -> Result<(), Fault> {
        let node = &self.statement.nodes[index];
        if node.kind == FieldKind::Group {
            let mut inner = self.children(index, at)?;
            if node.name.is_empty() {
                out.append(&mut inner);
            } else if !inner.is_empty() {
                out.push(OutputItem::Group(index, inner));
            }
            return Ok(());
        }
        let bytes = self.bytes(node, at)?;
        if !is_figurative(node, bytes, node.suppress) {
            out.push(OutputItem::Leaf(index, at));
        }
        Ok(())
    }

    fn count(&self, counter: u32) -> u32 {
        self.counts.get(counter as usize).copied().unwrap_or(0)
    }
}

/// How often an item occurs; 1 without OCCURS.
pub(super) fn occurrences(statement: &Statement, node: usize, count: &dyn Fn(u32) -> u32) -> u32 {
    match statement.nodes[node].table {
        Some(table) => table.counter.map_or(table.max, |c| count(c).min(table.max)),
        None => 1,
    }
}

/// Bytes that an item is shorter than with all tables at their greatest.
pub(super) fn missing_bytes(
    statement: &Statement,
    node: usize,
    count: &dyn Fn(u32) -> u32,
) -> usize {
    let range = node..statement.end_of(node);
    let missing = range.filter_map(|n| {
        let table = statement.nodes[n].table?;
        table.counter?;
        let rest = table.max - occurrences(statement, n, count);
        Some(rest as usize * table.stride as usize)
    });
    missing.sum()
}
