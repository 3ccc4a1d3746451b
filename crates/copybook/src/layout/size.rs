//! Offsets and lengths.
//!
//! SYNCHRONIZED moves an item up to the next multiple of its size. In a table,
//! GnuCOBOL 3.1 also rounds the length of one occurrence up to the alignment it
//! remembers from the group it sized last, and puts that slack before the last
//! elementary item, not after it. Programs compiled with it see their data there,
//! so it is done here too.

use crate::diagnostic::Diagnostics;
use crate::picture::MAX_ITEM_BYTES;

use super::kind::ItemMeaning;
use super::tree::EntryTree;

/// Where one item is; all in bytes.
#[derive(Debug, Clone, Default)]
pub struct ItemPlacement {
    /// From the start of the record, first occurrences, tables at maximum.
    pub offset: u64,
    /// One occurrence, tables inside at maximum.
    pub length: u64,
    /// One occurrence, tables inside at minimum.
    pub min_length: u64,
    /// Whether a table of varying length is before it.
    pub slides: bool,
}

/// Places every item. Returns `None` if the record is too long.
pub fn place(
    tree: &EntryTree<'_>,
    meanings: &[ItemMeaning],
    redefines: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) -> Option<Vec<ItemPlacement>> {
    let mut sizing = SizePass {
        tree,
        meanings,
        redefines,
        placements: vec![ItemPlacement::default(); tree.len()],
        alignment: 1,
        fits: true,
    };
    sizing.item(0);
    let whole = sizing.placements[0].length.saturating_mul(tree.occurs(0).1);
    if !sizing.fits || whole > MAX_ITEM_BYTES {
        diagnostics.error(
            tree.entries[0].at,
            format!(
                "{} is larger than {MAX_ITEM_BYTES} bytes",
                tree.entries[0].shown()
            ),
        );
        return None;
    }
    sizing.slide(0, false);
    Some(sizing.placements)
}

struct SizePass<'a> {
    tree: &'a EntryTree<'a>,
    meanings: &'a [ItemMeaning],
    redefines: &'a [Option<usize>],
    placements: Vec<ItemPlacement>,
    /// Set to one when a group is entered, raised by its SYNC items, and not
    /// set back when it is left.
    alignment: u64,
    fits: bool,
}

impl SizePass<'_> {
    /// Works out the length of `index`, whose offset is known, and everything
    /// below it. The depth is that of level numbers.
    fn item(&mut self, index: usize) {
        if self.tree.children[index].is_empty() {
            let bytes = u64::from(self.meanings[index].bytes);
            self.placements[index].length = bytes;
            self.placements[index].min_length = bytes;
            return;
        }
        self.alignment = 1;
        let start = self.placements[index].offset;
        let mut size = 0u64;
        let mut min_size = 0u64;
        for at in 0..self.tree.children[index].len() {
            let child = self.tree.children[index][at];
            if let Some(original) = self.redefines[child] {
                let offset = self.placements[original].offset;
                self.placements[child].offset = offset;
                self.item(child);
                let (bytes, min_bytes) = self.total(child);
                let before = offset.saturating_sub(start);
                size = size.max(before.saturating_add(bytes));
                min_size = min_size.max(min_bytes);
            } else {
                self.placements[child].offset = start.saturating_add(size);
                self.item(child);
                let pad = self.slack(child);
                self.placements[child].offset += pad;
                let (bytes, min_bytes) = self.total(child);
                size = size.saturating_add(pad).saturating_add(bytes);
                min_size = min_size.saturating_add(pad).saturating_add(min_bytes);
            }
            if size > MAX_ITEM_BYTES {
                // Nothing below is looked at once this is known.
                self.fits = false;
                size = MAX_ITEM_BYTES;
                min_size = min_size.min(size);
            }
        }
        let rest = size % self.alignment;
        if self.tree.occurs(index).1 > 1 && rest != 0 {
            let pad = self.alignment - rest;
            size += pad;
            min_size += pad;
            let last = self.tree.end(index) - 1;
            self.placements[last].offset += pad;
        }
        self.placements[index].length = size;
        self.placements[index].min_length = min_size;
    }

    /// Bytes of all occurrences, at most and at least.
    fn total(&self, index: usize) -> (u64, u64) {
        let (min, max) = self.tree.occurs(index);
        let placement = &self.placements[index];
        (
            placement.length.saturating_mul(max),
            placement.min_length.saturating_mul(min),
        )
    }

    /// Bytes to leave before a SYNCHRONIZED elementary item.
    fn slack(&mut self, index: usize) -> u64 {
        let alignment = u64::from(self.meanings[index].alignment);
        let synchronized = self.tree.entries[index].synchronized.is_some();
        if !synchronized || !self.tree.children[index].is_empty() || alignment <= 1 {
            return 0;
        }
        self.alignment = self.alignment.max(alignment);
        (alignment - self.placements[index].offset % alignment) % alignment
    }

    /// Marks the items that a table of varying length is before.
    fn slide(&mut self, index: usize, mut slides: bool) {
        self.placements[index].slides = slides;
        for at in 0..self.tree.children[index].len() {
            let child = self.tree.children[index][at];
            let child_slides = match self.redefines[child] {
                Some(original) => self.placements[original].slides,
                None => slides,
            };
            self.slide(child, child_slides);
            slides |= self.redefines[child].is_none() && self.tree.is_variable(child);
        }
    }
}
