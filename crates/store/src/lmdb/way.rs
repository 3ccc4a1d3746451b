//! The pages that lead to a key, looked at before LMDB follows them.
//!
//! Until all pages of a store are checked, each command checks the pages on its
//! path. A record may be missed only if a branch leads to a wrong page, or a
//! key is damaged. So on each level the page on the path and its two neighbours
//! are checked: their keys must be within the bounds of the branches. In the
//! leaves the entries next to the key are checked by their checksums. If the
//! entries on both sides of a key are right, no record was between them. A
//! record that is requested by its whole key, exists and is right needs no
//! neighbours.
//!
//! Invariant: nothing is believed of a page before it is parsed, and no number
//! of a page beyond the end of the file.

use std::sync::Arc;

use super::pages::{
    LeafValue, MAX_DEPTH, OVERFLOW, PageFile, PageFlaw, PageTree, ReadPage, TREE_BYTES,
    bounds_below, number, tree,
};
use super::seal;
use super::walk::{in_order, tree_page};
use crate::file::FileDef;
use crate::table::Table;

/// The target of a search in a tree.
#[derive(Clone, Copy)]
pub(super) enum SeekTarget<'k> {
    First,
    Last,
    /// The place of a key, with its neighbours.
    At(&'k [u8]),
    /// The record with a key, or its absence.
    Equal(&'k [u8]),
}

/// The kind of a tree's entries.
pub(super) enum TreeEntryKind {
    /// Records of a file, possibly followed by a checksum.
    Records { def: Arc<FileDef>, sealed: bool },
    /// Values of tables, followed by a checksum.
    Tables,
    /// Keys without values.
    Index,
}

impl TreeEntryKind {
    /// Whether an entry is one that the tree can have: a page may be another
    /// tree's.
    fn is_one(&self, key: &[u8], stored: &[u8]) -> bool {
        match self {
            TreeEntryKind::Records { def, sealed } => is_record(def, *sealed, key, stored),
            TreeEntryKind::Tables => Table::is_one(key) && seal::checked(key, stored).is_some(),
            TreeEntryKind::Index => stored.is_empty(),
        }
    }
}

/// Whether the value under a key is a record of a file: by its checksum, if
/// it is followed by one, and the file's rules.
pub(super) fn is_record(def: &FileDef, sealed: bool, key: &[u8], stored: &[u8]) -> bool {
    let record = if sealed {
        seal::checked(key, stored)
    } else {
        Some(stored)
    };
    record.is_some_and(|record| def.check_write(key, record).is_ok())
}

/// A check of the pages on a command's path.
pub(super) struct PathCheck<'w> {
    pub pages: &'w PageFile,
    /// The file or index, for messages.
    pub name: &'w str,
    pub kind: &'w TreeEntryKind,
    /// Whether the key's record is about to be changed: LMDB may then join the
    /// pages with their neighbours.
    pub changes: bool,
}

/// A page on a level, with what its branches say of its keys.
struct CheckState {
    page: ReadPage,
    low: Option<Box<[u8]>>,
    high: Option<Box<[u8]>>,
}

/// The tree that the main data base has under a name, if that can be one.
pub(super) fn tree_in(stored: &[u8]) -> Option<PageTree> {
    let tree = (stored.len() == TREE_BYTES).then(|| tree(stored))?;
    (tree.flags == 0 && tree.depth <= MAX_DEPTH).then_some(tree)
}

impl PathCheck<'_> {
    /// Checks the pages from the root of a tree to a key.
    pub fn check_path(&self, tree: PageTree, aim: SeekTarget<'_>) -> Result<(), PageFlaw> {
        let Some(root) = tree.root.filter(|_| tree.depth > 0) else {
            return Ok(());
        };
        let mut at = self.stand(root, tree.depth, (None, None))?;
        // The branches above it, and which entry of each leads on.
        let mut branches = Vec::new();
        for level in (1..tree.depth).rev() {
            let entry = match aim {
                SeekTarget::First => 0,
                SeekTarget::Last => at.page.len() - 1,
                // The first key of a branch means its lower bound.
                SeekTarget::At(key) | SeekTarget::Equal(key) => {
                    place(&at.page, 1, |here| here <= key) - 1
                }
            };
            let below = self.below(&at, entry, level)?;
            branches.push((at, entry, level));
            at = below;
        }
        let place = match aim {
            SeekTarget::First => 0,
            SeekTarget::Last => at.page.len(),
            SeekTarget::At(key) | SeekTarget::Equal(key) => place(&at.page, 0, |here| here < key),
        };
        // One that is there and true says all.
        let is_there = |key| place < at.page.len() && at.page.key(place) == key;
        let found = matches!(aim, SeekTarget::Equal(key) if is_there(key));
        if found {
            self.entry(&at.page, place)?;
        }
        if found && !self.changes {
            return Ok(());
        }
        let (left, right) = self.neighbours(&branches)?;
        if found {
            Ok(())
        } else {
            self.check_neighbours(left.as_ref(), &at, right.as_ref(), place)
        }
    }

    /// The pages to the left and right of the one that branches lead to.
    fn neighbours(
        &self,
        branches: &[(CheckState, usize, u16)],
    ) -> Result<(Option<CheckState>, Option<CheckState>), PageFlaw> {
        let (mut left, mut right) = (None, None);
        for (of, entry, level) in branches {
            let (entry, level) = (*entry, *level);
            left = match entry {
                0 => self.end_of(left.as_ref(), level, false)?,
                _ => Some(self.below(of, entry - 1, level)?),
            };
            right = if entry + 1 == of.page.len() {
                self.end_of(right.as_ref(), level, true)?
            } else {
                Some(self.below(of, entry + 1, level)?)
            };
            if self.changes {
                for side in [&left, &right].into_iter().flatten() {
                    self.lowest(side, level)?;
                }
            }
        }
        Ok((left, right))
    }

    /// The first or last page below a neighbour.
    fn end_of(
        &self,
        of: Option<&CheckState>,
        level: u16,
        first: bool,
    ) -> Result<Option<CheckState>, PageFlaw> {
        let entry = |of: &CheckState| if first { 0 } else { of.page.len() - 1 };
        of.map(|of| self.below(of, entry(of), level)).transpose()
    }

    fn below(&self, of: &CheckState, entry: usize, level: u16) -> Result<CheckState, PageFlaw> {
        let bounds = (of.low.as_deref(), of.high.as_deref());
        let bounds = bounds_below(entry, of.page.len(), |n| of.page.key(n), bounds);
        self.stand(of.page.below(entry), level, bounds)
    }

    fn stand(
        &self,
        number: u64,
        level: u16,
        (low, high): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<CheckState, PageFlaw> {
        let flawed = |flaw: PageFlaw| format!("{}: page {number}: {flaw}", self.name);
        if number < 2 {
            return Err(format!("{}: page {number} is outside the file", self.name));
        }
        let page = tree_page(self.pages, number, level, false)
            .map_err(|error| flawed(error.to_string()))?
            .map_err(flawed)?;
        if !in_order(&page, false, (low, high)) {
            return Err(format!(
                "{}: the keys of page {number} are not in order",
                self.name
            ));
        }
        Ok(CheckState {
            page,
            low: low.map(Into::into),
            high: high.map(Into::into),
        })
    }

    /// Looks at the pages that lead to the least key below a page.
    fn lowest(&self, of: &CheckState, level: u16) -> Result<(), PageFlaw> {
        let mut next = None;
        for level in (1..level).rev() {
            next = Some(self.below(next.as_ref().unwrap_or(of), 0, level)?);
        }
        Ok(())
    }

    /// Looks at the entries on both sides of a place, and the one after them.
    fn check_neighbours(
        &self,
        left: Option<&CheckState>,
        at: &CheckState,
        right: Option<&CheckState>,
        place: usize,
    ) -> Result<(), PageFlaw> {
        let there = at.page.len();
        for entry in place.saturating_sub(1)..(place + 2).min(there) {
            self.entry(&at.page, entry)?;
        }
        if let Some(left) = left.filter(|_| place == 0) {
            self.entry(&left.page, left.page.len() - 1)?;
        }
        match right.filter(|_| place + 1 >= there) {
            Some(right) => self.entry(&right.page, 0),
            None => Ok(()),
        }
    }

    fn entry(&self, page: &ReadPage, entry: usize) -> Result<(), PageFlaw> {
        let key = page.key(entry);
        let read;
        let stored = match page.value(entry) {
            LeafValue::Here(stored) => stored,
            LeafValue::Overflow(first, length) => {
                read = self.overflow(first, length)?;
                &read
            }
            LeafValue::Tree(_) => {
                return Err(format!(
                    "{}: page {}: a data base instead of a record",
                    self.name,
                    page.number()
                ));
            }
        };
        if !self.kind.is_one(key, stored) {
            return Err(format!(
                "{}: page {}: the record with key {} has a wrong checksum",
                self.name,
                page.number(),
                crate::Key::from(key)
            ));
        }
        Ok(())
    }

    fn overflow(&self, first: u64, length: usize) -> Result<Vec<u8>, PageFlaw> {
        let flawed = |flaw: PageFlaw| format!("{}: page {first}: {flaw}", self.name);
        let io = |error: std::io::Error| flawed(error.to_string());
        // A read is never longer than the file, whatever length a page has.
        if length as u64 > self.pages.length().map_err(io)? {
            return Err(flawed(format!(
                "a value of {length} bytes, more than data.mdb"
            )));
        }
        let read = self.pages.overflow(first, length).map_err(io)?;
        let (bytes, kept) = read.map_err(flawed)?;
        let used = self.pages.overflow_pages(length);
        // Freed pages are used again, so none may be in use elsewhere.
        for page in (first + used..first + kept).filter(|_| self.changes) {
            let head = self.pages.remains_of(page);
            let is_one = |head: Vec<u8>| {
                number(&head, 0, 8) == page
                    && (number(&head, 10, 2) as u16 == OVERFLOW
                        || ReadPage::parse(head, page).is_ok())
            };
            if head.is_some_and(is_one) {
                return Err(flawed("it has more pages than its value".to_owned()));
            }
        }
        Ok(bytes)
    }
}

/// The first entry from one on of which something is not true.
fn place(page: &ReadPage, from: usize, is_before: impl Fn(&[u8]) -> bool) -> usize {
    let (mut low, mut high) = (from, page.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(page.key(middle)) {
            low = middle + 1
        } else {
            high = middle
        }
    }
    low
}
