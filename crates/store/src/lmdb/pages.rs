//! The pages of `data.mdb`, read without LMDB: the basis of a check.
//!
//! LMDB maps the file and believes it; a page that is missing ends the process
//! (SIGBUS), and one that is damaged may do worse. So whether a file can be
//! opened is found out here first, by plain reads, with every offset checked.
//!
//! Reference: `mdb.c`, `MDB_page`, `MDB_node`, `MDB_db` and `MDB_meta`, data
//! version 1 of a 64-bit machine with the lowest byte first.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// A data file.
pub(super) struct PageFile {
    file: File,
    /// Bytes of a page.
    pub page_bytes: usize,
}

/// One of the two pages that lead to all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MetaPage {
    pub transaction: u64,
    pub last_page: u64,
    pub free: PageTree,
    pub main: PageTree,
}

/// A data base: a tree of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PageTree {
    /// How keys compare; LMDB's flags of a data base.
    pub flags: u16,
    pub depth: u16,
    pub branch_pages: u64,
    pub leaf_pages: u64,
    pub overflow_pages: u64,
    pub entries: u64,
    /// `None` when empty.
    pub root: Option<u64>,
}

/// A page that was read.
pub(super) struct ReadPage {
    bytes: Vec<u8>,
    /// The start of each node.
    nodes: Vec<usize>,
    pub is_leaf: bool,
}

/// The value of a key in a leaf.
pub(super) enum LeafValue<'p> {
    /// Bytes in the page.
    Here(&'p [u8]),
    /// Bytes in pages of their own: the first, and how many bytes.
    Overflow(u64, usize),
    /// A data base.
    Tree(PageTree),
}

/// The message of a flaw of a page or file.
pub(super) type PageFlaw = String;

pub(super) const PAGE_HEAD_BYTES: usize = 16;
pub(super) const NODE_HEAD_BYTES: usize = 8;
pub(super) const TREE_BYTES: usize = 48;
const META_BYTES: usize = 24 + 2 * TREE_BYTES + 16;
/// Bytes of a meta page that mean something.
pub(super) const META_HEAD_BYTES: usize = PAGE_HEAD_BYTES + META_BYTES;
const MAGIC: u32 = 0xBEEF_C0DE;
const DATA_VERSION: u32 = 1;

/// Flag of a data base whose keys are numbers: the list of free pages.
pub(super) const NUMBER_KEYS: u16 = 0x08;

/// LMDB's longest key.
pub(super) const MAX_KEY_BYTES: usize = 511;

/// Address space that a process has.
const MAX_MAP_BYTES: u64 = 1 << 47;

/// LMDB's deepest tree.
pub(super) const MAX_DEPTH: u16 = 32;

/// Keys from here on, and up to there.
pub(super) type KeyBounds<'b> = (Option<&'b [u8]>, Option<&'b [u8]>);

pub(super) const BRANCH: u16 = 0x01;
pub(super) const LEAF: u16 = 0x02;
pub(super) const OVERFLOW: u16 = 0x04;
const META: u16 = 0x08;
pub(super) const BIG_DATA: u16 = 0x01;
pub(super) const SUB_DATA: u16 = 0x02;

impl PageFile {
    /// A data file, if its first page is one's first page.
    pub fn open(file: File) -> io::Result<Result<Self, PageFlaw>> {
        let mut head = [0; PAGE_HEAD_BYTES + META_BYTES];
        let length = file.metadata()?.len();
        if length < head.len() as u64 {
            return Ok(Err(format!("data.mdb has only {length} bytes")));
        }
        file.read_exact_at(&mut head, 0)?;
        let page_bytes = number(&head, PAGE_HEAD_BYTES + 24, 4) as usize;
        if !page_bytes.is_power_of_two() || !(512..=65_536).contains(&page_bytes) {
            return Ok(Err("the first page of data.mdb is not a store's".to_owned()));
        }
        Ok(Ok(Self { file, page_bytes }))
    }

    /// A data file whose first page was looked at, by its pages' size.
    pub fn of(file: File, page_bytes: usize) -> Self {
        Self { file, page_bytes }
    }

    /// A data file, whatever errors its first pages have.
    pub fn open_damaged(file: File) -> Self {
        const USUAL_BYTES: usize = 4096;
        let sizes = [USUAL_BYTES, 8192, 16_384, 32_768, 65_536, 512, 1024, 2048];
        let mut pages = Self {
            file,
            page_bytes: 0,
        };
        for page_bytes in sizes {
            pages.page_bytes = page_bytes;
            let says_so = |page| {
                pages.remains_of(page).is_some_and(|head| {
                    number(&head, PAGE_HEAD_BYTES, 4) as u32 == MAGIC
                        && number(&head, PAGE_HEAD_BYTES + 24, 4) as usize == page_bytes
                })
            };
            if says_so(0) || says_so(1) {
                return pages;
            }
        }
        pages.page_bytes = USUAL_BYTES;
        pages
    }

    /// The readable bytes of a page, with zeros for the unreadable ones; `None`
    /// if none are readable.
    pub fn remains_of(&self, page: u64) -> Option<Vec<u8>> {
        let at = page.checked_mul(self.page_bytes as u64)?;
        let there = self
            .length()
            .ok()?
            .checked_sub(at)
            .filter(|there| *there > 0)?;
        let mut bytes = vec![0; self.page_bytes];
        let readable = self
            .page_bytes
            .min(usize::try_from(there).unwrap_or(usize::MAX));
        if self.file.read_exact_at(&mut bytes[..readable], at).is_err() {
            // A disk that fails does so by its sectors.
            const SECTOR_BYTES: usize = 512;
            let sectors = bytes[..readable].chunks_mut(SECTOR_BYTES).zip(0..);
            for (sector, n) in sectors {
                let at = at + n * SECTOR_BYTES as u64;
                if self.file.read_exact_at(sector, at).is_err() {
                    sector.fill(0);
                }
            }
        }
        Some(bytes)
    }

    /// Reads a meta page, whether it is valid or not.
    pub fn remains_of_meta(&self, page: u64) -> Option<MetaPage> {
        Some(meta(&self.remains_of(page)?))
    }

    /// The bytes that overflow pages hold, unless some of them are not there.
    pub fn remains_of_overflow(&self, page: u64, length: usize) -> Option<Vec<u8>> {
        let at = page.checked_mul(self.page_bytes as u64)?;
        let at = at.checked_add(PAGE_HEAD_BYTES as u64)?;
        let end = at.checked_add(length as u64)?;
        if end > self.length().ok()? {
            return None;
        }
        let mut bytes = vec![0; length];
        self.file.read_exact_at(&mut bytes, at).ok()?;
        Some(bytes)
    }

    /// Bytes of the file now.
    pub fn length(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The newest meta page, or the one of a transaction.
    pub fn meta(&self, transaction: Option<u64>) -> io::Result<Result<MetaPage, PageFlaw>> {
        let choose = |metas: [MetaPage; 2]| -> Result<MetaPage, PageFlaw> {
            let newest = metas.iter().max_by_key(|meta| meta.transaction);
            let chosen = match transaction {
                Some(wanted) => metas.iter().find(|meta| meta.transaction == wanted),
                None => newest,
            };
            let none = || "no meta page has the requested state".to_owned();
            let meta = *chosen.ok_or_else(none)?;
            // Of the other one nothing is read, and it may have the trees of a
            // commit whose meta page LMDB could not write.
            for (tree, flags) in [(meta.free, NUMBER_KEYS), (meta.main, 0)] {
                let checked = if tree.flags == flags {
                    tree.check(meta.last_page)
                } else {
                    Err("its kind is not one of a store's pages".to_owned())
                };
                checked.map_err(|flaw| format!("page {}: {flaw}", meta.transaction % 2))?;
            }
            Ok(meta)
        };
        // A region may write both between two reads.
        const TRIES: u32 = 5;
        let mut read = self.both_metas()?.and_then(choose);
        for _ in 1..TRIES {
            if read.is_err() {
                read = self.both_metas()?.and_then(choose);
            }
        }
        Ok(read)
    }

    fn both_metas(&self) -> io::Result<Result<[MetaPage; 2], PageFlaw>> {
        let mut metas = [None; 2];
        for (page, meta) in metas.iter_mut().enumerate() {
            match self.read_meta(page as u64)? {
                Ok(read) => *meta = Some(read),
                Err(flaw) => return Ok(Err(format!("page {page}: {flaw}"))),
            }
        }
        Ok(match metas {
            // Transactions take turns.
            [Some(a), Some(b)] if a.transaction.abs_diff(b.transaction) <= 1 => Ok([a, b]),
            _ => Err("the meta pages are not of two consecutive transactions".to_owned()),
        })
    }

    fn read_meta(&self, page: u64) -> io::Result<Result<MetaPage, PageFlaw>> {
        let mut bytes = vec![0; PAGE_HEAD_BYTES + META_BYTES];
        if !self.read(page, &mut bytes)? {
            return Ok(Err("data.mdb ends before this page".to_owned()));
        }
        let at = PAGE_HEAD_BYTES;
        let meta = meta(&bytes);
        let is_meta = number(&bytes, 0, 8) == page
            && number(&bytes, 10, 2) as u16 == META
            && (meta.transaction % 2 == page || meta.transaction == 0)
            && number(&bytes, at, 4) as u32 == MAGIC
            && number(&bytes, at + 4, 4) as u32 == DATA_VERSION
            // Address and size of the map: LMDB uses these fields.
            && number(&bytes, at + 8, 8) == 0
            && number(&bytes, at + 16, 8) < MAX_MAP_BYTES
            && number(&bytes, at + 16, 8).is_multiple_of(512)
            && meta.last_page < MAX_MAP_BYTES / 512
            && number(&bytes, at + 24, 4) as usize == self.page_bytes;
        if !is_meta {
            return Ok(Err("it is not a meta page".to_owned()));
        }
        Ok(Ok(meta))
    }

    /// A page of a tree, with every node inside it.
    pub fn page(&self, page: u64) -> io::Result<Result<ReadPage, PageFlaw>> {
        let mut bytes = vec![0; self.page_bytes];
        if !self.read(page, &mut bytes)? {
            return Ok(Err("data.mdb ends before this page".to_owned()));
        }
        Ok(ReadPage::parse(bytes, page))
    }

    /// The bytes of overflow pages, and how many pages they are. A value that
    /// became shorter keeps the pages that it had.
    pub fn overflow(
        &self,
        page: u64,
        length: usize,
    ) -> io::Result<Result<(Vec<u8>, u64), PageFlaw>> {
        let pages = self.overflow_pages(length);
        let mut bytes = vec![0; PAGE_HEAD_BYTES + length];
        if !self.read(page, &mut bytes)? {
            return Ok(Err("data.mdb ends before this page".to_owned()));
        }
        let kept = number(&bytes, 12, 4);
        let head_is_right = number(&bytes, 0, 8) == page
            && number(&bytes, 10, 2) as u16 == OVERFLOW
            && kept >= pages
            && kept * self.page_bytes as u64 <= self.length()?;
        if !head_is_right {
            return Ok(Err("it is not the expected overflow page".to_owned()));
        }
        bytes.drain(..PAGE_HEAD_BYTES);
        Ok(Ok((bytes, kept)))
    }

    /// Overflow pages that so many bytes need.
    pub fn overflow_pages(&self, length: usize) -> u64 {
        (PAGE_HEAD_BYTES + length).div_ceil(self.page_bytes) as u64
    }

    /// Reads all of `bytes` from a page on; false if the file ends before.
    fn read(&self, page: u64, bytes: &mut [u8]) -> io::Result<bool> {
        let at = page.checked_mul(self.page_bytes as u64);
        let Some(at) = at.filter(|at| *at < 1 << 62) else {
            return Ok(false);
        };
        match self.file.read_exact_at(bytes, at) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(error),
        }
    }
}

impl PageTree {
    /// Whether its numbers can be true.
    fn check(&self, last_page: u64) -> Result<(), PageFlaw> {
        let root_is_right = match self.root {
            None => self.depth == 0 && self.entries == 0,
            Some(root) => root <= last_page && (1..=MAX_DEPTH).contains(&self.depth),
        };
        if root_is_right {
            Ok(())
        } else {
            Err("the root page of a tree is outside the file".to_owned())
        }
    }
}

impl ReadPage {
    /// A page of a tree. Every later read is inside of `bytes`.
    pub fn parse(bytes: Vec<u8>, page: u64) -> Result<Self, PageFlaw> {
        let flags = number(&bytes, 10, 2) as u16;
        let (lower, upper) = (
            number(&bytes, 12, 2) as usize,
            number(&bytes, 14, 2) as usize,
        );
        if number(&bytes, 0, 8) != page || !matches!(flags, BRANCH | LEAF) {
            return Err("it is not the expected page".to_owned());
        }
        let bounds = PAGE_HEAD_BYTES <= lower && lower <= upper && upper <= bytes.len();
        if !bounds || lower % 2 != 0 {
            return Err("its free space has impossible bounds".to_owned());
        }
        let is_leaf = flags == LEAF;
        let mut nodes = Vec::with_capacity((lower - PAGE_HEAD_BYTES) / 2);
        for slot in (PAGE_HEAD_BYTES..lower).step_by(2) {
            let at = number(&bytes, slot, 2) as usize;
            if at < upper || at + NODE_HEAD_BYTES > bytes.len() {
                return Err("an entry has an impossible place".to_owned());
            }
            let (key, data) = (
                number(&bytes, at + 6, 2) as usize,
                number(&bytes, at, 4) as usize,
            );
            let here = match (is_leaf, number(&bytes, at + 4, 2) as u16) {
                (false, _) => 0,
                (true, BIG_DATA) => 8,
                (true, SUB_DATA) if data == TREE_BYTES => TREE_BYTES,
                (true, 0) => data,
                (true, _) => {
                    return Err("an entry has an unknown kind".to_owned());
                }
            };
            if key > MAX_KEY_BYTES || at + NODE_HEAD_BYTES + key + here > bytes.len() {
                return Err("an entry ends after its page".to_owned());
            }
            nodes.push(at);
        }
        Ok(Self {
            bytes,
            nodes,
            is_leaf,
        })
    }

    /// Entries there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether its entries fill the room that it has given away, as LMDB has it:
    /// else some are lost.
    pub fn is_packed(&self) -> bool {
        let bytes = |entry: usize| {
            let here = if self.is_leaf {
                match self.value(entry) {
                    LeafValue::Here(bytes) => bytes.len(),
                    LeafValue::Overflow(..) => 8,
                    LeafValue::Tree(_) => TREE_BYTES,
                }
            } else {
                0
            };
            (NODE_HEAD_BYTES + self.key(entry).len() + here).next_multiple_of(2)
        };
        let upper = number(&self.bytes, 14, 2) as usize;
        (0..self.len()).map(bytes).sum::<usize>() == self.bytes.len() - upper
    }

    /// Its number.
    pub fn number(&self) -> u64 {
        number(&self.bytes, 0, 8)
    }

    /// The key of an entry; the first of a branch has none.
    pub fn key(&self, entry: usize) -> &[u8] {
        let at = self.nodes[entry];
        let length = number(&self.bytes, at + 6, 2) as usize;
        &self.bytes[at + NODE_HEAD_BYTES..at + NODE_HEAD_BYTES + length]
    }

    /// The page below an entry of a branch.
    pub fn below(&self, entry: usize) -> u64 {
        let at = self.nodes[entry];
        number(&self.bytes, at, 4) | number(&self.bytes, at + 4, 2) << 32
    }

    /// The value of an entry of a leaf.
    pub fn value(&self, entry: usize) -> LeafValue<'_> {
        let at = self.nodes[entry];
        let length = number(&self.bytes, at, 4) as usize;
        let data = at + NODE_HEAD_BYTES + self.key(entry).len();
        match number(&self.bytes, at + 4, 2) as u16 {
            BIG_DATA => LeafValue::Overflow(number(&self.bytes, data, 8), length),
            SUB_DATA => LeafValue::Tree(tree(&self.bytes[data..])),
            _ => LeafValue::Here(&self.bytes[data..data + length]),
        }
    }
}

/// The bounds of the keys below an entry of a branch, whose keys are `keys`: its own
/// key and the next one's, or the branch's.
pub(super) fn bounds_below<'b>(
    entry: usize,
    count: usize,
    keys: impl Fn(usize) -> &'b [u8],
    (low, high): KeyBounds<'b>,
) -> KeyBounds<'b> {
    let low = if entry == 0 { low } else { Some(keys(entry)) };
    let next = entry + 1;
    (low, if next < count { Some(keys(next)) } else { high })
}

/// Reads a meta page, including its head.
fn meta(bytes: &[u8]) -> MetaPage {
    let at = PAGE_HEAD_BYTES;
    let after = at + 24 + 2 * TREE_BYTES;
    MetaPage {
        last_page: number(bytes, after, 8),
        transaction: number(bytes, after + 8, 8),
        free: tree(&bytes[at + 24..]),
        main: tree(&bytes[at + 24 + TREE_BYTES..]),
    }
}

pub(super) fn tree(bytes: &[u8]) -> PageTree {
    let root = number(bytes, 40, 8);
    PageTree {
        flags: number(bytes, 4, 2) as u16,
        depth: number(bytes, 6, 2) as u16,
        branch_pages: number(bytes, 8, 8),
        leaf_pages: number(bytes, 16, 8),
        overflow_pages: number(bytes, 24, 8),
        entries: number(bytes, 32, 8),
        root: (root != u64::MAX).then_some(root),
    }
}

/// The transaction that a meta page is of.
pub(super) fn meta_transaction(head: &[u8; META_HEAD_BYTES]) -> u64 {
    number(head, META_HEAD_BYTES - 8, 8)
}

/// The number in `length` bytes, the lowest first. The caller has checked that
/// they are there.
pub(super) fn number(bytes: &[u8], at: usize, length: usize) -> u64 {
    let field = bytes[at..at + length].iter().rev();
    field.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_page_panics(
            mut bytes in proptest::collection::vec(any::<u8>(), 4096),
            kind in 0..4_u8,
            lower in 0..300_u16,
            upper in 0..4200_u16,
        ) {
            bytes[..8].copy_from_slice(&7_u64.to_le_bytes());
            bytes[10..12].copy_from_slice(&[kind, 0]);
            bytes[12..14].copy_from_slice(&lower.to_le_bytes());
            bytes[14..16].copy_from_slice(&upper.to_le_bytes());
            for slot in (16..usize::from(lower).min(4096)).step_by(2) {
                bytes[slot + 1] %= 18;
            }
            if let Ok(page) = ReadPage::parse(bytes, 7) {
                for entry in 0..page.len() {
                    let _ = (page.key(entry), page.below(entry));
                    if page.is_leaf {
                        let _ = page.value(entry);
                    }
                }
            }
        }
    }
}
