//! Walking the trees of a data file, page by page, without LMDB.
//!
//! Every page must be the one that its parent names, be inside the file, have
//! its keys in order and between its parent's, and belong to one tree only.
//! Each violation is a finding, and the walk continues at the next page.

use std::cmp::Ordering;
use std::io;
use std::ops::ControlFlow;

use super::pages::{
    KeyBounds, LeafValue, MetaPage, NUMBER_KEYS, PageFile, PageFlaw, PageTree, ReadPage,
    bounds_below,
};

/// The value of a key in a tree.
pub(super) enum TreeValue<'h> {
    /// Bytes.
    Bytes(&'h [u8]),
    /// A data base.
    Tree(PageTree),
}

/// Receives the entries of a tree.
pub(super) type EntryVisitor<'e> = &'e mut dyn FnMut(&[u8], TreeValue<'_>) -> Result<(), PageFlaw>;

/// A walk through the trees of one state.
pub(super) struct TreeWalk<'w> {
    pages: &'w PageFile,
    pub meta: MetaPage,
    /// A bit a page: whether it was met.
    met: Vec<u64>,
    /// Pages met so far.
    pub pages_met: u64,
    /// The first findings.
    pub findings: Vec<String>,
    /// How many more there are.
    pub more_findings: u64,
    /// Whether the walk was stopped. Its findings are incomplete then, and not used.
    stopped: bool,
    progress: ProgressCallback<'w>,
}

/// Receives the pages read and the number of pages; returns whether to
/// continue.
pub(super) type ProgressCallback<'p> = &'p mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// A tree under way.
struct TreeProgress<'t> {
    name: &'t str,
    tree: PageTree,
    /// Whether keys are numbers, as in the list of free pages.
    numbers: bool,
    found: PageTree,
}

/// Findings kept.
const MAX_FINDINGS: usize = 100;

/// Pages between two tellings of progress.
const PROGRESS_PAGES: u64 = 1024;

impl<'w> TreeWalk<'w> {
    /// A walk through the state that a meta page leads to.
    pub fn new(pages: &'w PageFile, meta: MetaPage, progress: ProgressCallback<'w>) -> Self {
        Self {
            pages,
            meta,
            met: Vec::new(),
            pages_met: 0,
            findings: Vec::new(),
            more_findings: 0,
            stopped: false,
            progress,
        }
    }

    /// Shows every entry of a tree.
    pub fn tree(&mut self, name: &str, tree: PageTree, each: EntryVisitor<'_>) -> io::Result<()> {
        self.run(name, tree, false, each)
    }

    /// Reads the list of free pages and holds it against the pages met.
    pub fn free_list(&mut self) -> io::Result<Vec<u64>> {
        let mut free = Vec::new();
        let mut last_commit = None;
        let mut each = |commit: &[u8], held: TreeValue<'_>| {
            last_commit = commit.first_chunk().map(|n| u64::from_le_bytes(*n));
            let TreeValue::Bytes(bytes) = held else {
                return Err("a data base in the list of free pages".to_owned());
            };
            let (words, []) = bytes.as_chunks::<8>() else {
                return Err("a list of free pages ends within a number".to_owned());
            };
            let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
            let count = words.next().unwrap_or(0);
            if count as usize > words.len() {
                return Err("a list of free pages is shorter than its count".to_owned());
            }
            free.extend(words.take(count as usize));
            Ok(())
        };
        self.run("free pages", self.meta.free, true, &mut each)?;
        // A commit enters the pages that it freed under its own number; every
        // commit except the first frees some.
        if last_commit.is_some_and(|last| last != self.meta.transaction) {
            self.find(format!(
                "page {}: its transaction is not the commit that freed it",
                self.meta.transaction % 2
            ));
        }
        Ok(free)
    }

    /// Counts free pages as met, so that one that is in use too is noticed.
    pub fn mark_free(&mut self, free: &[u64]) {
        for page in free {
            self.mark("free pages", *page, 1);
        }
    }

    /// Takes note of something that is wrong.
    pub fn find(&mut self, what: String) {
        if self.findings.len() < MAX_FINDINGS {
            self.findings.push(what)
        } else {
            self.more_findings += 1
        }
    }

    fn run(
        &mut self,
        name: &str,
        tree: PageTree,
        numbers: bool,
        each: EntryVisitor<'_>,
    ) -> io::Result<()> {
        let Some(root) = tree.root else {
            return Ok(());
        };
        let mut way = TreeProgress {
            name,
            tree,
            numbers,
            found: PageTree {
                branch_pages: 0,
                leaf_pages: 0,
                overflow_pages: 0,
                entries: 0,
                ..tree
            },
        };
        if tree.depth == 0 || tree.depth > 32 {
            self.find(format!("{name}: a tree cannot have {} levels", tree.depth));
            return Ok(());
        }
        if tree.flags != if numbers { NUMBER_KEYS } else { 0 } {
            self.find(format!("{name}: its keys do not have a store's flags"));
            return Ok(());
        }
        let before = self.findings.len() as u64 + self.more_findings;
        self.below(&mut way, root, tree.depth, (None, None), each)?;
        let clean = before == self.findings.len() as u64 + self.more_findings;
        if clean && way.found != way.tree {
            self.find(format!("{name}: its counts of pages and entries are wrong"));
        }
        Ok(())
    }

    /// Walks a page and all below it. Keys lie from the first bound up to the
    /// second.
    fn below(
        &mut self,
        way: &mut TreeProgress<'_>,
        number: u64,
        level: u16,
        bounds: KeyBounds<'_>,
        each: EntryVisitor<'_>,
    ) -> io::Result<()> {
        if !self.mark(way.name, number, 1) {
            return Ok(());
        }
        let page = match tree_page(self.pages, number, level, way.numbers)? {
            Ok(page) => page,
            Err(flaw) => {
                self.find(format!("{}: page {number}: {flaw}", way.name));
                return Ok(());
            }
        };
        if !in_order(&page, way.numbers, bounds) {
            self.find(format!(
                "{}: the keys of page {number} are not in order",
                way.name
            ));
        }
        if page.is_leaf {
            way.found.leaf_pages += 1;
            way.found.entries += page.len() as u64;
            return self.leaf(way, &page, each);
        }
        way.found.branch_pages += 1;
        for entry in 0..page.len() {
            let below = bounds_below(entry, page.len(), |n| page.key(n), bounds);
            self.below(way, page.below(entry), level - 1, below, each)?;
        }
        Ok(())
    }

    fn leaf(
        &mut self,
        way: &mut TreeProgress<'_>,
        page: &ReadPage,
        each: EntryVisitor<'_>,
    ) -> io::Result<()> {
        for entry in 0..page.len() {
            let key = page.key(entry);
            let shown = match page.value(entry) {
                LeafValue::Here(bytes) => each(key, TreeValue::Bytes(bytes)),
                LeafValue::Tree(tree) => each(key, TreeValue::Tree(tree)),
                LeafValue::Overflow(first, length) => match self.big(way, first, length)? {
                    Some(bytes) => each(key, TreeValue::Bytes(&bytes)),
                    None => continue,
                },
            };
            if let Err(flaw) = shown {
                self.find(format!("{}: {flaw}", way.name));
            }
        }
        Ok(())
    }

    fn big(
        &mut self,
        way: &mut TreeProgress<'_>,
        first: u64,
        length: usize,
    ) -> io::Result<Option<Vec<u8>>> {
        // A read is never longer than the file, whatever length a page has.
        let there = self.pages.length()?;
        if length as u64 > there {
            self.find(format!(
                "{}: a value has {length} bytes, more than data.mdb",
                way.name
            ));
            return Ok(None);
        }
        match self.pages.overflow(first, length)? {
            Ok((bytes, pages)) => {
                way.found.overflow_pages += pages;
                Ok(self.mark(way.name, first, pages).then_some(bytes))
            }
            Err(flaw) => {
                self.find(format!("{}: page {first}: {flaw}", way.name));
                Ok(None)
            }
        }
    }

    /// Takes note that pages were met; false if they cannot be, or were before.
    fn mark(&mut self, name: &str, first: u64, count: u64) -> bool {
        for page in first..first.saturating_add(count) {
            if self.stopped {
                return false;
            }
            if page < 2 || page > self.meta.last_page {
                self.find(format!("{name}: page {page} is outside the file"));
                return false;
            }
            let (word, bit) = ((page / 64) as usize, 1 << (page % 64));
            if self.met.len() <= word {
                self.met.resize(word + 1, 0);
            }
            if self.met[word] & bit != 0 {
                self.find(format!("{name}: page {page} is also used elsewhere"));
                return false;
            }
            self.met[word] |= bit;
            self.pages_met += 1;
            if self.pages_met.is_multiple_of(PROGRESS_PAGES) {
                let reported = (self.progress)(self.pages_met, self.meta.last_page + 1);
                self.stopped = reported.is_break();
            }
        }
        true
    }
}

/// A page of a tree on its level.
pub(super) fn tree_page(
    pages: &PageFile,
    number: u64,
    level: u16,
    numbers: bool,
) -> io::Result<Result<ReadPage, PageFlaw>> {
    let page = match pages.page(number)? {
        Ok(page) => page,
        Err(flaw) => return Ok(Err(flaw)),
    };
    // LMDB ends the process where a page of a tree has too few.
    let least = match (page.is_leaf, numbers) {
        (false, false) => 2,
        _ => 1,
    };
    Ok(match (page.is_leaf == (level == 1), page.len() < least) {
        (false, _) => Err("it is on a wrong level".to_owned()),
        (true, true) => Err("it has too few entries".to_owned()),
        (true, false) if !page.is_packed() => Err("entries are missing".to_owned()),
        (true, false) => Ok(page),
    })
}

/// Whether the keys of a page ascend, within bounds.
pub(super) fn in_order(page: &ReadPage, numbers: bool, bounds: KeyBounds<'_>) -> bool {
    // The first key of a branch means the lower bound.
    let first = usize::from(!page.is_leaf);
    let keys = || (first..page.len()).map(|entry| page.key(entry));
    let ascending = keys()
        .zip(keys().skip(1))
        .all(|(a, b)| compare(a, b, numbers).is_lt());
    let above = |low| {
        keys()
            .next()
            .is_none_or(|key| compare(key, low, numbers).is_ge())
    };
    let below = |high| {
        keys()
            .next_back()
            .is_none_or(|key| compare(key, high, numbers).is_lt())
    };
    ascending && bounds.0.is_none_or(above) && bounds.1.is_none_or(below)
}

fn compare(a: &[u8], b: &[u8], numbers: bool) -> Ordering {
    match (numbers, a.first_chunk(), b.first_chunk()) {
        (true, Some(a), Some(b)) => u64::from_le_bytes(*a).cmp(&u64::from_le_bytes(*b)),
        _ => a.cmp(b),
    }
}
