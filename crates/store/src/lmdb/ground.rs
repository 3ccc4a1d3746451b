//! Walking trees with damaged pages: unreadable pages are skipped, and doubtful
//! references are not followed.
//!
//! Unlike a [`Walk`](super::walk::Walk) this walk searches for recoverable data,
//! not for errors. No reference of a page is followed beyond the end of the
//! file.

use std::borrow::Cow;
use std::io;

use super::pages::{
    KeyBounds, LeafValue, MAX_DEPTH, PAGE_HEAD_BYTES, PageFile, PageTree, bounds_below,
};
use super::remains::PageRemains;

/// The pages of a data file.
#[derive(Clone, Copy)]
pub(super) struct DamagedTree<'p> {
    pub pages: &'p PageFile,
    /// The last page that there can be.
    pub last_page: u64,
}

/// A bit a page.
#[derive(Default)]
pub(super) struct PageBits(Vec<u64>);

/// The first of a value's overflow pages, and how many.
pub(super) type OverflowRange = (u64, u64);

/// An entry or gap that a walk visits, in the order of keys.
pub(super) enum VisitedEntry<'m> {
    /// A leaf, damaged or not.
    Leaf {
        number: u64,
        page: &'m PageRemains,
        bounds: KeyBounds<'m>,
    },
    /// A page that cannot be followed, or not to everything below it.
    Gap(KeyBounds<'m>),
}

/// Receives each page.
pub(super) type PageVisitor<'v> = &'v mut dyn FnMut(VisitedEntry<'_>) -> io::Result<()>;

/// Longest value that is believed: many times a record, and more than a list of
/// free pages has.
const MAX_VALUE_BYTES: usize = 64 << 20;

impl PageBits {
    /// Whether a page's bit is set.
    pub fn has(&self, page: u64) -> bool {
        let word = usize::try_from(page / 64)
            .ok()
            .and_then(|at| self.0.get(at));
        word.is_some_and(|word| word & (1 << (page % 64)) != 0)
    }

    /// Sets a page's bit and returns whether it was set. The caller has looked
    /// that there can be such a page.
    pub fn set(&mut self, page: u64) -> bool {
        let was = self.has(page);
        let word = (page / 64) as usize;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (page % 64);
        was
    }
}

impl DamagedTree<'_> {
    /// Whether there can be a page with this number.
    pub fn has(&self, page: u64) -> bool {
        (2..=self.last_page).contains(&page)
    }

    /// Walks a tree.
    pub fn walk(&self, tree: PageTree, visit: PageVisitor<'_>) -> io::Result<()> {
        let level = tree.depth.min(MAX_DEPTH);
        match tree.root {
            Some(root) => {
                let mut branches = PageBits::default();
                self.below(&mut branches, root, level, MAX_DEPTH, (None, None), visit)
            }
            None => Ok(()),
        }
    }

    /// Walks the tree below a page. Each branch is visited once, so that damage
    /// cannot make the walk long; `left` bounds its depth.
    fn below(
        &self,
        branches: &mut PageBits,
        number: u64,
        level: u16,
        left: u16,
        bounds: KeyBounds<'_>,
        visit: PageVisitor<'_>,
    ) -> io::Result<()> {
        let readable = self.has(number) && left > 0;
        let bytes = readable.then(|| self.pages.remains_of(number)).flatten();
        let Some(page) = bytes.map(|bytes| PageRemains::read(bytes, number, level)) else {
            return visit(VisitedEntry::Gap(bounds));
        };
        if page.is_leaf {
            return visit(VisitedEntry::Leaf {
                number,
                page: &page,
                bounds,
            });
        }
        let is_followed = page.len() > 0 && (0..page.len()).all(|entry| page.is_sure(entry));
        if !is_followed || branches.set(number) {
            return visit(VisitedEntry::Gap(bounds));
        }
        if !page.is_whole {
            visit(VisitedEntry::Gap(bounds))?;
        }
        for entry in 0..page.len() {
            let below = bounds_below(entry, page.len(), |n| page.key(n), bounds);
            let level = level.saturating_sub(1);
            self.below(branches, page.below(entry), level, left - 1, below, visit)?;
        }
        Ok(())
    }

    /// Reports the pages that the branches of a tree refer to, its leaves too,
    /// without a check of those.
    pub fn claims(&self, tree: PageTree, claim: &mut dyn FnMut(u64)) {
        if let Some(root) = tree.root {
            let mut branches = PageBits::default();
            self.claims_below(&mut branches, root, tree.depth.min(MAX_DEPTH), claim);
        }
    }

    fn claims_below(
        &self,
        met: &mut PageBits,
        number: u64,
        level: u16,
        claim: &mut dyn FnMut(u64),
    ) {
        if !self.has(number) {
            return;
        }
        claim(number);
        if level <= 1 || met.set(number) {
            return;
        }
        let Some(bytes) = self.pages.remains_of(number) else {
            return;
        };
        let page = PageRemains::read(bytes, number, level);
        let is_followed = !page.is_leaf && (0..page.len()).all(|entry| page.is_sure(entry));
        for entry in (0..page.len()).filter(|_| is_followed) {
            self.claims_below(met, page.below(entry), level - 1, claim);
        }
    }

    /// The bytes of a value, if they can be had, and the overflow pages that
    /// hold it: the first, and how many.
    pub fn bytes<'v>(&self, value: &'v LeafValue<'_>) -> Option<(Cow<'v, [u8]>, OverflowRange)> {
        match value {
            LeafValue::Here(bytes) => Some(((*bytes).into(), (0, 0))),
            LeafValue::Overflow(first, length) => {
                let pages = (PAGE_HEAD_BYTES + *length).div_ceil(self.pages.page_bytes) as u64;
                let is_there = *length <= MAX_VALUE_BYTES
                    && self.has(*first)
                    && self.has(first.saturating_add(pages - 1));
                let bytes = is_there.then(|| self.pages.remains_of_overflow(*first, *length))?;
                Some((bytes?.into(), (*first, pages)))
            }
            LeafValue::Tree(_) => None,
        }
    }
}

/// Whether a key is within bounds.
pub(super) fn is_within(key: &[u8], (low, high): KeyBounds<'_>) -> bool {
    low.is_none_or(|low| key >= low) && high.is_none_or(|high| key < high)
}
