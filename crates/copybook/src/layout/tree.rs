//! Which item belongs to which group.

use crate::diagnostic::Diagnostics;
use crate::parse::DataEntry;

/// The entries of one record with their relations; index 0 is the record.
pub struct EntryTree<'a> {
    /// The entries in source order.
    pub entries: &'a [DataEntry],
    /// The group each belongs to.
    pub parent: Vec<Option<usize>>,
    /// Direct subordinates in source order.
    pub children: Vec<Vec<usize>>,
}

impl<'a> EntryTree<'a> {
    /// Relates entries by their level numbers. A number that is lower than
    /// any of its neighbours belongs to the nearest group with a lower one
    /// still, with a warning, as for `cobc`.
    pub fn of(entries: &'a [DataEntry], diagnostics: &mut Diagnostics) -> EntryTree<'a> {
        let mut tree = EntryTree {
            entries,
            parent: vec![None; entries.len()],
            children: vec![Vec::new(); entries.len()],
        };
        let mut open: Vec<usize> = vec![0];
        for index in 1..entries.len() {
            let level = entries[index].level;
            let mut closed = None;
            while open.len() > 1 && entries[open[open.len() - 1]].level >= level {
                closed = open.pop();
            }
            let parent = open[open.len() - 1];
            if closed.is_some_and(|sibling| entries[sibling].level != level) {
                diagnostics.warn(
                    entries[index].at,
                    format!("there is no item of level {level:02} before this one"),
                );
            }
            tree.parent[index] = Some(parent);
            tree.children[parent].push(index);
            open.push(index);
        }
        tree
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Fewest and most occurrences; one and one without OCCURS.
    pub fn occurs(&self, index: usize) -> (u64, u64) {
        self.entries[index]
            .occurs
            .as_ref()
            .map_or((1, 1), |clause| {
                (u64::from(clause.is.min), u64::from(clause.is.max))
            })
    }

    /// Whether the number of occurrences of `index` varies.
    pub fn varies(&self, index: usize) -> bool {
        let clause = self.entries[index].occurs.as_ref();
        clause.is_some_and(|clause| clause.is.depending.is_some())
    }

    /// Whether `index` or an item below it varies in length.
    pub fn is_variable(&self, index: usize) -> bool {
        self.varies(index) || self.children[index].iter().any(|c| self.is_variable(*c))
    }

    /// The groups around `index`, innermost first.
    pub fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.parent[index], |at| self.parent[*at])
    }

    /// The index after the last item below `index`.
    pub fn end(&self, index: usize) -> usize {
        let mut at = index;
        while let Some(last) = self.children[at].last() {
            at = *last;
        }
        at + 1
    }
}
