//! The recoverable entries of a damaged page.
//!
//! A page has three indications of its entries: the length of its list of
//! places, the end of its free space, and the entries themselves, which fill
//! the page up to its end. Two of the three are enough. Bytes in the free space
//! are left over from former states and are not an entry.

use std::collections::BTreeSet;

use super::pages::{
    BIG_DATA, BRANCH, LEAF, LeafValue, MAX_KEY_BYTES, NODE_HEAD_BYTES, PAGE_HEAD_BYTES, SUB_DATA,
    TREE_BYTES, number, tree,
};

/// A page of a tree, and the entries that can be recovered.
pub(super) struct PageRemains {
    bytes: Vec<u8>,
    found: PageEntries,
    pub is_leaf: bool,
    /// Whether no damage of the page is visible.
    pub is_whole: bool,
}

/// The entries found in a page.
struct PageEntries {
    /// The start of each, in the order of their keys.
    nodes: Vec<usize>,
    /// From where on they are entries for certain, and not left over.
    sure_from: usize,
    /// Whether list, free room and entries agree.
    agrees: bool,
}

impl PageRemains {
    /// Reads the page with this number. `level` is 1 where a leaf should be.
    pub fn read(bytes: Vec<u8>, page: u64, level: u16) -> Self {
        let kind = number(&bytes, 10, 2) as u16;
        let is_named = number(&bytes, 0, 8) == page && matches!(kind, BRANCH | LEAF);
        let is_leaf = match kind {
            LEAF => true,
            BRANCH => false,
            _ => level <= 1,
        };
        let mut found = find(&bytes, is_leaf);
        if !found.agrees {
            let by_key = |a: &usize, b: &usize| key(&bytes, *a).cmp(key(&bytes, *b));
            found.nodes.sort_by(by_key);
        }
        Self {
            is_leaf,
            is_whole: is_named && found.agrees,
            found,
            bytes,
        }
    }

    /// Entries there are.
    pub fn len(&self) -> usize {
        self.found.nodes.len()
    }

    /// Whether an entry is one for certain.
    pub fn is_sure(&self, entry: usize) -> bool {
        self.found.nodes[entry] >= self.found.sure_from
    }

    /// The key of an entry; the first of a branch has none.
    pub fn key(&self, entry: usize) -> &[u8] {
        key(&self.bytes, self.found.nodes[entry])
    }

    /// The page below an entry of a branch.
    pub fn below(&self, entry: usize) -> u64 {
        let at = self.found.nodes[entry];
        number(&self.bytes, at, 4) | number(&self.bytes, at + 4, 2) << 32
    }

    /// The value of an entry of a leaf.
    pub fn value(&self, entry: usize) -> LeafValue<'_> {
        let at = self.found.nodes[entry];
        let length = number(&self.bytes, at, 4) as usize;
        let data = at + NODE_HEAD_BYTES + self.key(entry).len();
        match number(&self.bytes, at + 4, 2) as u16 {
            BIG_DATA => LeafValue::Overflow(number(&self.bytes, data, 8), length),
            SUB_DATA => LeafValue::Tree(tree(&self.bytes[data..])),
            _ => LeafValue::Here(&self.bytes[data..data + length]),
        }
    }
}

/// Finds the entries that are inside the page.
fn find(bytes: &[u8], is_leaf: bool) -> PageEntries {
    let lower = number(bytes, 12, 2) as usize;
    let upper = number(bytes, 14, 2) as usize;
    let possible =
        |at: usize| at.is_multiple_of(2) && (PAGE_HEAD_BYTES..=bytes.len()).contains(&at);
    let slots = if possible(lower) {
        PAGE_HEAD_BYTES..lower
    } else {
        0..0
    };
    let places = slots.step_by(2).map(|slot| number(bytes, slot, 2) as usize);
    let listed: Vec<usize> = places.collect();
    let count = listed.len();
    let fits = |at: &usize| *at >= lower && end(bytes, *at, is_leaf).is_some();
    let fitting: BTreeSet<usize> = listed.iter().copied().filter(fits).collect();
    // The entries after the free space, if the page's bounds are right.
    let (following, to_end) = if possible(upper) {
        chain(bytes, upper, is_leaf)
    } else {
        (Vec::new(), false)
    };

    if possible(lower) && fitting.len() == count {
        let first = fitting.first().copied().unwrap_or(bytes.len());
        let (all, ends) = chain(bytes, first, is_leaf);
        if ends && all.len() == count && all.iter().all(|at| fitting.contains(at)) {
            // Where the free room ends otherwise, both may be true: what one of
            // them alone calls an entry may be left over.
            let (nodes, sure_from) = if !to_end {
                (listed, 0)
            } else if upper < first {
                (following, first)
            } else {
                (listed, upper)
            };
            return PageEntries {
                nodes,
                sure_from,
                agrees: upper == first && lower <= upper,
            };
        }
    }
    let is_inside = || fitting.iter().all(|at| following.contains(at));
    if to_end && (following.len() == count || is_inside()) {
        return PageEntries {
            nodes: following,
            sure_from: 0,
            agrees: false,
        };
    }
    // If the list contains the end of the free space, that end is right; listed
    // or contiguous entries after it are real.
    let sure_from = if listed.contains(&upper) {
        upper
    } else {
        usize::MAX
    };
    let nodes: BTreeSet<usize> = following.into_iter().chain(fitting).collect();
    PageEntries {
        nodes: nodes.into_iter().collect(),
        sure_from,
        agrees: false,
    }
}

/// Contiguous entries from a place on, and whether they end exactly at the
/// page's end.
fn chain(bytes: &[u8], first: usize, is_leaf: bool) -> (Vec<usize>, bool) {
    let (mut all, mut at) = (Vec::new(), first);
    while at < bytes.len() {
        let Some(next) = end(bytes, at, is_leaf) else {
            return (all, false);
        };
        all.push(at);
        at = next;
    }
    (all, at == bytes.len())
}

/// The end of the entry at a place, if there can be one.
fn end(bytes: &[u8], at: usize, is_leaf: bool) -> Option<usize> {
    if !at.is_multiple_of(2) || at < PAGE_HEAD_BYTES || at + NODE_HEAD_BYTES > bytes.len() {
        return None;
    }
    let key = number(bytes, at + 6, 2) as usize;
    let data = number(bytes, at, 4) as usize;
    let here = match (is_leaf, number(bytes, at + 4, 2) as u16) {
        (false, _) => 0,
        (true, BIG_DATA) => 8,
        (true, SUB_DATA) if data == TREE_BYTES => TREE_BYTES,
        (true, 0) => data,
        (true, _) => return None,
    };
    let end = (at + NODE_HEAD_BYTES + key + here).next_multiple_of(2);
    (key <= MAX_KEY_BYTES && end <= bytes.len()).then_some(end)
}

fn key(bytes: &[u8], at: usize) -> &[u8] {
    let length = number(bytes, at + 6, 2) as usize;
    &bytes[at + NODE_HEAD_BYTES..at + NODE_HEAD_BYTES + length]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A leaf with number 7 that has entries of these keys, each with its key
    /// as its value, as LMDB lays it out.
    fn leaf(keys: &[&str]) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        bytes[..8].copy_from_slice(&7_u64.to_le_bytes());
        bytes[10..12].copy_from_slice(&LEAF.to_le_bytes());
        let mut upper = bytes.len();
        for (n, key) in keys.iter().enumerate() {
            let key = key.as_bytes();
            upper -= (NODE_HEAD_BYTES + 2 * key.len()).next_multiple_of(2);
            bytes[upper..upper + 4].copy_from_slice(&(key.len() as u32).to_le_bytes());
            bytes[upper + 6..upper + 8].copy_from_slice(&(key.len() as u16).to_le_bytes());
            bytes[upper + 8..upper + 8 + key.len()].copy_from_slice(key);
            let data = upper + 8 + key.len();
            bytes[data..data + key.len()].copy_from_slice(key);
            let slot = PAGE_HEAD_BYTES + 2 * n;
            bytes[slot..slot + 2].copy_from_slice(&(upper as u16).to_le_bytes());
        }
        let lower = (PAGE_HEAD_BYTES + 2 * keys.len()) as u16;
        bytes[12..14].copy_from_slice(&lower.to_le_bytes());
        bytes[14..16].copy_from_slice(&(upper as u16).to_le_bytes());
        bytes
    }

    /// Keys whose value still is the key, and whether they are certain.
    fn good(remains: &PageRemains) -> Vec<(String, bool)> {
        let entries = 0..remains.len();
        let good = entries.filter_map(|entry| match remains.value(entry) {
            LeafValue::Here(value) if value == remains.key(entry) => Some((
                String::from_utf8_lossy(value).into_owned(),
                remains.is_sure(entry),
            )),
            _ => None,
        });
        good.filter(|(key, _)| !key.is_empty()).collect()
    }

    const KEYS: [&str; 5] = ["a", "bbbb", "cc", "ddddddd", "e"];

    #[test]
    fn a_whole_page_is_whole() {
        for keys in [&KEYS[..], &[]] {
            let remains = PageRemains::read(leaf(keys), 7, 1);
            assert!(remains.is_whole && remains.is_leaf);
            assert!((0..remains.len()).all(|entry| remains.is_sure(entry)));
            let found: Vec<_> = good(&remains).into_iter().map(|(key, _)| key).collect();
            assert_eq!(found, keys);
        }
        assert!(!PageRemains::read(leaf(&KEYS), 8, 1).is_whole);
    }

    #[test]
    fn one_flipped_bit_costs_at_most_the_entry_that_it_is_in() {
        let whole = leaf(&KEYS);
        for bit in 0..whole.len() * 8 {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            // In the entry, or not.
            let least = match bit / 8 {
                at if at >= usize::from(whole[14]) + 256 * usize::from(whole[15]) => KEYS.len() - 1,
                _ => KEYS.len(),
            };
            let remains = PageRemains::read(bytes, 7, 1);
            let found = good(&remains);
            assert!(found.len() >= least, "bit {bit}: {found:?}");
            assert!(found.iter().all(|(key, _)| KEYS.contains(&&key[..])));
        }
    }

    #[test]
    fn what_is_left_over_in_free_room_is_no_entry() {
        // The last entry that was added is taken out again: nothing moves.
        let mut bytes = leaf(&KEYS);
        let upper = u16::from_le_bytes([bytes[14], bytes[15]]) + 10;
        bytes[14..16].copy_from_slice(&upper.to_le_bytes());
        bytes[12] -= 2;
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let remains = PageRemains::read(flipped, 7, 1);
            let left_over = ("e".to_owned(), true);
            assert!(!good(&remains).contains(&left_over), "bit {bit}");
        }
    }

    proptest! {
        #[test]
        fn no_page_panics(
            mut bytes in proptest::collection::vec(any::<u8>(), 512),
            kind in 0..4_u8,
            lower in 0..80_u16,
            upper in 0..520_u16,
            level in 0..3_u16,
        ) {
            bytes[10..12].copy_from_slice(&[kind, 0]);
            bytes[12..14].copy_from_slice(&lower.to_le_bytes());
            bytes[14..16].copy_from_slice(&upper.to_le_bytes());
            let remains = PageRemains::read(bytes, 7, level);
            for entry in 0..remains.len() {
                let _ = (remains.key(entry), remains.below(entry));
                if remains.is_leaf {
                    let _ = remains.value(entry);
                }
            }
        }
    }
}
