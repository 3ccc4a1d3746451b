//! The pages that lead to a key, looked at before LMDB follows them.
//!
//! Until all pages of a store were looked at, each command has this done for
//! the pages that it goes through. A record that is there may be missed only
//! where a branch leads to a wrong page, or a key is not the one that was
//! stored. So of each level the page on the way and its two neighbours are
//! looked at, whether their keys lie within the bounds that branches give; and
//! of the leaves the entries beside the place of the key, by their check sums.
//! What lies on both sides of a place being true, nothing lay between.
//!
//! Invariant: nothing is believed of a page before it is parsed, and no number
//! of a page beyond the end of the file.

use super::pages::{
    Flaw, MAX_DEPTH, OVERFLOW, Page, Pages, TREE_BYTES, Tree, Value, bounds_below, number, tree,
};
use super::seal;
use super::walk::{in_order, tree_page};

/// What is looked for in a tree.
#[derive(Clone, Copy)]
pub(super) enum Aim<'k> {
    First,
    Last,
    /// The place of a key, and what is beside it.
    At(&'k [u8]),
    /// The record with a key, or that there is none.
    Equal(&'k [u8]),
}

/// What the entries of a tree are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Values with a check sum behind them.
    Sealed,
    /// Values as they are.
    Bare,
}

/// Who looks.
pub(super) struct Way<'w> {
    pub pages: &'w Pages,
    /// The file or index, for what is told.
    pub name: &'w str,
    pub kind: Kind,
    /// Whether the key's record is about to be changed: LMDB may then join the
    /// pages with their neighbours.
    pub changes: bool,
}

/// A page on a level, with what its branches say of its keys.
struct Stand {
    page: Page,
    low: Option<Box<[u8]>>,
    high: Option<Box<[u8]>>,
}

/// The tree that the main data base has under a name, if that can be one.
pub(super) fn tree_in(stored: &[u8]) -> Option<Tree> {
    let tree = (stored.len() == TREE_BYTES).then(|| tree(stored))?;
    (tree.flags == 0 && tree.depth <= MAX_DEPTH).then_some(tree)
}

impl Way<'_> {
    /// Looks at the way from the root of a tree to what is looked for.
    pub fn look(&self, tree: Tree, aim: Aim<'_>) -> Result<(), Flaw> {
        let Some(root) = tree.root.filter(|_| tree.depth > 0) else {
            return Ok(());
        };
        let mut at = self.stand(root, tree.depth, (None, None))?;
        let (mut left, mut right) = (None, None);
        for level in (1..tree.depth).rev() {
            let last = at.page.len() - 1;
            let entry = match aim {
                Aim::First => 0,
                Aim::Last => last,
                // The first key of a branch stands for its lower bound.
                Aim::At(key) | Aim::Equal(key) => place(&at.page, 1, |here| here <= key) - 1,
            };
            left = match entry {
                0 => self.end_of(left.as_ref(), level, false)?,
                _ => Some(self.below(&at, entry - 1, level)?),
            };
            right = match entry == last {
                true => self.end_of(right.as_ref(), level, true)?,
                false => Some(self.below(&at, entry + 1, level)?),
            };
            at = self.below(&at, entry, level)?;
            if self.changes {
                for side in [&left, &right].into_iter().flatten() {
                    self.lowest(side, level)?;
                }
            }
        }
        self.beside(left.as_ref(), &at, right.as_ref(), aim)
    }

    /// The first or last page below a neighbour.
    fn end_of(&self, of: Option<&Stand>, level: u16, first: bool) -> Result<Option<Stand>, Flaw> {
        let entry = |of: &Stand| if first { 0 } else { of.page.len() - 1 };
        of.map(|of| self.below(of, entry(of), level)).transpose()
    }

    fn below(&self, of: &Stand, entry: usize, level: u16) -> Result<Stand, Flaw> {
        let bounds = (of.low.as_deref(), of.high.as_deref());
        let bounds = bounds_below(entry, of.page.len(), |n| of.page.key(n), bounds);
        self.stand(of.page.below(entry), level, bounds)
    }

    fn stand(
        &self,
        number: u64,
        level: u16,
        (low, high): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<Stand, Flaw> {
        let flawed = |flaw: Flaw| format!("{}: page {number}: {flaw}", self.name);
        if number < 2 {
            return Err(format!("{}: there can be no page {number}", self.name));
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
        Ok(Stand {
            page,
            low: low.map(Into::into),
            high: high.map(Into::into),
        })
    }

    /// Looks at the pages that lead to the least key below a page.
    fn lowest(&self, of: &Stand, level: u16) -> Result<(), Flaw> {
        let mut next = None;
        for level in (1..level).rev() {
            next = Some(self.below(next.as_ref().unwrap_or(of), 0, level)?);
        }
        Ok(())
    }

    /// Looks at the entries on both sides of a place, and the one after them.
    fn beside(
        &self,
        left: Option<&Stand>,
        at: &Stand,
        right: Option<&Stand>,
        aim: Aim<'_>,
    ) -> Result<(), Flaw> {
        let there = at.page.len();
        let place = match aim {
            Aim::First => 0,
            Aim::Last => there,
            Aim::At(key) | Aim::Equal(key) => place(&at.page, 0, |here| here < key),
        };
        // One that is there and true says all.
        if let Aim::Equal(key) = aim
            && place < there
            && at.page.key(place) == key
        {
            return self.entry(&at.page, place);
        }
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

    fn entry(&self, page: &Page, entry: usize) -> Result<(), Flaw> {
        let key = page.key(entry);
        let read;
        let stored = match page.value(entry) {
            Value::Here(stored) => stored,
            Value::Overflow(first, length) => {
                read = self.overflow(first, length)?;
                &read
            }
            Value::Tree(_) => {
                return Err(format!(
                    "{}: page {}: a data base in the place of a record",
                    self.name,
                    page.number()
                ));
            }
        };
        if self.kind == Kind::Sealed && seal::checked(key, stored).is_none() {
            return Err(format!(
                "{}: page {}: the record with key {} is not what was stored",
                self.name,
                page.number(),
                crate::Key::from(key)
            ));
        }
        Ok(())
    }

    fn overflow(&self, first: u64, length: usize) -> Result<Vec<u8>, Flaw> {
        let flawed = |flaw: Flaw| format!("{}: page {first}: {flaw}", self.name);
        let io = |error: std::io::Error| flawed(error.to_string());
        // Nothing longer than the file is asked for, whatever a page says.
        if length as u64 > self.pages.length().map_err(io)? {
            return Err(flawed(format!(
                "a value of {length} bytes, more than data.mdb"
            )));
        }
        let read = self.pages.overflow(first, length).map_err(io)?;
        let (bytes, kept) = read.map_err(flawed)?;
        let used = self.pages.overflow_pages(length);
        // What is given back is used again: none that somebody else has.
        for page in (first + used..first + kept).filter(|_| self.changes) {
            let head = self.pages.remains_of(page);
            let is_one = |head: Vec<u8>| {
                number(&head, 0, 8) == page
                    && (number(&head, 10, 2) as u16 == OVERFLOW || Page::parse(head, page).is_ok())
            };
            if head.is_some_and(is_one) {
                return Err(flawed("it has more pages than its value".to_owned()));
            }
        }
        Ok(bytes)
    }
}

/// The first entry from one on of which something is not true.
fn place(page: &Page, from: usize, is_before: impl Fn(&[u8]) -> bool) -> usize {
    let (mut low, mut high) = (from, page.len());
    while low < high {
        let middle = low + (high - low) / 2;
        match is_before(page.key(middle)) {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}
