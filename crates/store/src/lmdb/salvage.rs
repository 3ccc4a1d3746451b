//! The records that can still be read out of a damaged store.
//!
//! A record is certain when its checksum is right, it satisfies the file's
//! rules, and its page is part of the newest state. The page is reached from
//! the newest meta page; or, if a page on the path is damaged, it is neither
//! reached from elsewhere nor on the list of free pages. Formerly used pages
//! contain old versions of records with right checksums, so records that may be
//! such versions are reported as doubtful.
//!
//! Invariant: nothing is followed that is not looked at, and nothing is mapped:
//! a file that was cut short, or changes, costs records and no signal.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io;
use std::path::Path;

use super::catalogue::{self, CatalogueItem, CatalogueNumbering};
use super::ground::{DamagedTree, PageBits, VisitedEntry, is_within};
use super::lock::{LockError, WriterLock};
use super::pages::{KeyBounds, LEAF, LeafValue, MetaPage, OVERFLOW, PageFile, PageTree, number};
use super::remains::PageRemains;
use super::salvaged::{SalvageError, SalvageReport, SalvagedFile, SalvagedRecord, SalvagedState};
use super::seal;
use crate::error::Key;
use crate::file::{FileDef, FileId};

/// Receives the records.
type Write<'w> = &'w mut dyn FnMut(SalvagedRecord<'_>) -> io::Result<()>;

/// Reports every record that can be found in a store's directory, or in a data
/// file. `progress` receives the pages of records read and the number of pages.
pub fn salvage(
    from: &Path,
    write: Write<'_>,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<SalvageReport, SalvageError> {
    let (data, lock) = if from.is_dir() {
        (from.join("data.mdb"), WriterLock::take(from))
    } else {
        (from.to_owned(), Err(LockError::Held(None)))
    };
    if let (true, Err(LockError::Held(pid))) = (from.is_dir(), &lock) {
        return Err(SalvageError::Held {
            path: from.to_owned(),
            pid: *pid,
        });
    }
    let unread = |error: io::Error| SalvageError::Read {
        path: data.clone(),
        reason: error.to_string(),
    };
    let file = File::open(&data).map_err(unread)?;
    let bytes = file.metadata().map_err(unread)?.len();
    let pages = PageFile::open_damaged(file);
    let there = bytes.div_ceil(pages.page_bytes as u64);
    let strict = pages.meta(None).is_ok_and(|meta| meta.is_ok());
    let ground = DamagedTree {
        pages: &pages,
        last_page: there.saturating_sub(1),
    };
    let (states, state) = states(ground, strict);
    let newest = states.first().copied();
    let mut work = Salvage {
        ground,
        last_page: newest.map_or(there, |meta| meta.last_page),
        free: PageBits::default(),
        free_is_whole: false,
        claimed: PageBits::default(),
        claimed_twice: PageBits::default(),
        met: PageBits::default(),
        report: SalvageReport {
            state,
            ..SalvageReport::default()
        },
        pages_read: 0,
        write,
        progress,
    };
    let (mut trees, mut names) = (Trees::default(), Names::default());
    match &newest {
        Some(newest) => {
            work.read_free_list(newest)?;
            trees = work.trees(newest)?;
            names = read_catalogue(&work.ground, &trees)?;
        }
        None => work.note("both meta pages are damaged or missing"),
    }
    if newest.is_some() && !strict {
        work.note("one of the two meta pages is damaged");
    }
    if newest.is_some() && !trees.is_whole {
        work.note("a page of the main data base, which locates the files, is damaged");
    }
    if newest.is_some() && !names.are_whole {
        work.note(
            "the catalogue is damaged: a file whose name is lost is written under its number",
        );
    }
    if let Some(older) = states
        .get(1)
        .filter(|_| !names.are_whole || !trees.is_whole)
    {
        work.add_older(older, &mut trees, &mut names)?;
    }
    if let Some(newest) = &newest {
        work.claim(newest, &trees);
    }
    work.files(&trees, &names)?;
    let mut report = work.report;
    report.files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(report)
}

/// The states that lead to a catalogue, the newest first. `strict` says whether
/// both meta pages are whole.
fn states(ground: DamagedTree<'_>, strict: bool) -> (Vec<MetaPage>, SalvagedState) {
    let pages = ground.pages;
    let mut all = Vec::new();
    for meta in (0..2).filter_map(|page| pages.remains_of_meta(page)) {
        let mut leads = false;
        let mut last_freed = 0;
        let _ = ground.walk(meta.main, &mut |met| {
            for_entries(met, &mut |page, entry| {
                leads |= page.key(entry) == b"catalogue"
            });
            Ok(())
        });
        let _ = ground.walk(meta.free, &mut |met| {
            for_entries(met, &mut |page, entry| {
                let number = page.key(entry).first_chunk();
                last_freed = last_freed.max(number.map_or(0, |n| u64::from_le_bytes(*n)));
            });
            Ok(())
        });
        // Each commit but the first enters under its own number which pages it
        // freed. That says more than the one number in the meta page, unless both
        // pages are as LMDB wants them: then it takes that number.
        let (age, agrees) = match last_freed {
            0 => (meta.transaction, true),
            _ if strict => (meta.transaction, meta.transaction == last_freed),
            _ => (last_freed, true),
        };
        all.push((leads, age, agrees, meta));
    }
    all.sort_by_key(|(leads, age, ..)| (!leads, Reverse(*age)));
    let state = match &all[..] {
        [(a_leads, a, true, _), (b_leads, b, true, _)] => {
            match (a_leads == b_leads, a.wrapping_sub(*b)) {
                (_, 1) => SalvagedState::Newest,
                (false, u64::MAX) => SalvagedState::Before,
                _ => SalvagedState::Unknown,
            }
        }
        _ => SalvagedState::Unknown,
    };
    let leading = all.iter().filter(|(leads, ..)| *leads);
    let mut usable: Vec<MetaPage> = leading.map(|(.., meta)| *meta).collect();
    if let (true, Ok(Ok(meta))) = (usable.is_empty(), pages.meta(None)) {
        // The main data base is lost; the free pages are still known.
        usable.push(meta);
    }
    (usable, state)
}

fn for_entries(met: VisitedEntry<'_>, each: &mut dyn FnMut(&PageRemains, usize)) {
    if let VisitedEntry::Leaf { page, .. } = met {
        (0..page.len()).for_each(|entry| each(page, entry));
    }
}

/// The data bases that a state has.
#[derive(Default)]
struct Trees {
    by_name: BTreeMap<Vec<u8>, PageTree>,
    /// The keys that only an older state than the newest has.
    older: HashSet<Vec<u8>>,
    is_whole: bool,
}

/// The names in a catalogue.
#[derive(Default)]
struct Names {
    items: Vec<KnownItem>,
    own: CatalogueNumbering,
    are_whole: bool,
}

/// A catalogue's entry, and whether it is of the state before.
struct KnownItem {
    item: CatalogueItem,
    is_older: bool,
}

/// A file under way.
struct FileSalvage<'f> {
    file: SalvagedFile,
    is_sealed: bool,
    /// Whether what leads to it is of this state.
    is_newest: bool,
    /// Entries that it had.
    entries: Option<u64>,
    /// The last key that was found, and the start of a gap after it.
    last: Option<Box<[u8]>>,
    gap: Option<Option<Box<[u8]>>>,
    /// The ranges of keys whose subtrees are missing.
    holes: Vec<KeyGap>,
    def: Option<&'f FileDef>,
}

/// The keys on either side of a subtree that is missing, if they are known.
type KeyGap = (Option<Box<[u8]>>, Option<Box<[u8]>>);

struct Salvage<'s> {
    ground: DamagedTree<'s>,
    /// The last page of the state.
    last_page: u64,
    free: PageBits,
    free_is_whole: bool,
    /// Pages that a branch leads to, and those that two lead to.
    claimed: PageBits,
    claimed_twice: PageBits,
    /// Pages of records that were met.
    met: PageBits,
    report: SalvageReport,
    pages_read: u64,
    write: Write<'s>,
    progress: &'s mut dyn FnMut(u64, u64),
}

impl Salvage<'_> {
    fn note(&mut self, what: &str) {
        self.report.notes.push(what.to_owned());
    }

    /// Reads which pages are free, as far as it can be read.
    fn read_free_list(&mut self, meta: &MetaPage) -> io::Result<()> {
        let (mut free, mut is_whole) = (PageBits::default(), true);
        let ground = &self.ground;
        ground.walk(meta.free, &mut |met| {
            let VisitedEntry::Leaf { page, .. } = met else {
                is_whole = false;
                return Ok(());
            };
            is_whole &= page.is_whole;
            for entry in 0..page.len() {
                let value = page.value(entry);
                let Some((bytes, _)) = ground.bytes(&value) else {
                    is_whole = false;
                    continue;
                };
                let mut words = bytes.chunks_exact(8).map(|word| number(word, 0, 8));
                let count = words.next().unwrap_or(0);
                let listed: Vec<u64> = words.take(usize::try_from(count).unwrap_or(0)).collect();
                // The highest first.
                is_whole &= listed.len() as u64 == count && listed.is_sorted_by(|a, b| a > b);
                for page in listed {
                    is_whole &= (2..=meta.last_page).contains(&page);
                    // Pages beyond the end of the file need never have been written.
                    is_whole &= !(ground.has(page) && free.set(page));
                }
            }
            Ok(())
        })?;
        if !is_whole {
            self.note(
                "the list of free pages is damaged: on other damaged pages old versions of \
                 records cannot be distinguished from current ones",
            );
        }
        (self.free, self.free_is_whole) = (free, is_whole);
        Ok(())
    }

    /// The data bases that the main one names. If one of its pages is free, the data base
    /// belongs to a former state.
    fn trees(&self, meta: &MetaPage) -> io::Result<Trees> {
        let mut trees = Trees {
            by_name: BTreeMap::new(),
            older: HashSet::new(),
            is_whole: true,
        };
        self.ground.walk(meta.main, &mut |met| {
            let VisitedEntry::Leaf { number, page, .. } = met else {
                trees.is_whole = false;
                return Ok(());
            };
            trees.is_whole &= page.is_whole && !self.free.has(number);
            for entry in (0..page.len()).filter(|entry| page.is_sure(*entry)) {
                let name = page.key(entry).to_vec();
                let LeafValue::Tree(tree) = page.value(entry) else {
                    trees.is_whole = false;
                    continue;
                };
                if self.free.has(number) {
                    trees.older.insert(name.clone());
                }
                if let Some(other) = trees.by_name.insert(name.clone(), tree) {
                    // Which of the two has its own name is not known.
                    let another = [&name[..], b"-2"].concat();
                    trees.by_name.insert(another.clone(), other);
                    trees.older.extend([name, another]);
                    trees.is_whole = false;
                }
            }
            Ok(())
        })?;
        Ok(trees)
    }

    /// Adds what the state before has and this one has lost.
    fn add_older(&self, older: &MetaPage, trees: &mut Trees, names: &mut Names) -> io::Result<()> {
        let before = self.trees(older)?;
        let known = read_catalogue(&self.ground, &before)?.items;
        for (name, tree) in before.by_name {
            if !trees.is_whole && !trees.by_name.contains_key(&name) {
                trees.older.insert(name.clone());
                trees.by_name.insert(name, tree);
            }
        }
        for KnownItem { item, .. } in known {
            let is_another = |there: &KnownItem| {
                there.item.name() != item.name() && id(&there.item) != id(&item)
            };
            if !names.are_whole && names.items.iter().all(is_another) {
                let is_older = true;
                names.items.push(KnownItem { item, is_older });
            }
        }
        Ok(())
    }

    /// Takes down which pages branches lead to: one that two lead to is not
    /// for certain either's.
    fn claim(&mut self, meta: &MetaPage, trees: &Trees) {
        let (claimed, twice) = (&mut self.claimed, &mut self.claimed_twice);
        let newest = trees
            .by_name
            .iter()
            .filter(|(name, _)| !trees.older.contains(*name));
        let all = newest.map(|(_, tree)| *tree).chain([meta.free, meta.main]);
        let mut is_free = false;
        for tree in all {
            self.ground.claims(tree, &mut |page| {
                is_free |= self.free.has(page);
                if claimed.set(page) {
                    twice.set(page);
                }
            });
        }
        // Either a branch or the list is wrong about the page; and the one that
        // it means instead is free, or is not.
        self.free_is_whole &= !is_free;
    }

    /// Has the records of all files written.
    fn files(&mut self, trees: &Trees, names: &Names) -> io::Result<()> {
        let mut ways = Vec::new();
        let mut named: HashSet<Vec<u8>> = HashSet::new();
        for KnownItem { item, is_older } in &names.items {
            let Some(db) = id(item).map(|id| catalogue::db_name(id).into_bytes()) else {
                continue;
            };
            if let CatalogueItem::File { def, sealed, .. } = item {
                let is_newest = !is_older && !trees.older.contains(&db);
                let mut way = FileSalvage::new(def.name.to_string(), Some(def), *sealed, is_newest);
                way.file.def = Some(def.clone());
                self.file(&mut way, trees.by_name.get(&db).copied())?;
                ways.push(way);
            }
            named.insert(db);
        }
        // Data bases that are being loaded or wait to be dropped are on the
        // list.
        let discarded = names.own.discarded.iter();
        named.extend(discarded.map(|id| catalogue::db_name(*id).into_bytes()));
        for (db, tree) in &trees.by_name {
            if named.contains(db) || [&b"catalogue"[..], b"tables"].contains(&&db[..]) {
                continue;
            }
            let name = String::from_utf8_lossy(db).into_owned();
            let is_number = name.strip_prefix("file-").is_some_and(|number| {
                number.len() == 8 && number.bytes().all(|digit| digit.is_ascii_hexdigit())
            });
            let is_newest = is_number && !trees.older.contains(db);
            let name = if is_number { name } else { UNKNOWN.to_owned() };
            let mut way = FileSalvage::new(name, None, true, is_newest);
            self.file(&mut way, Some(*tree))?;
            // The entries of an index have no records.
            if way.file.records + way.file.doubtful > 0 {
                ways.push(way);
            }
        }
        for way in &mut ways {
            let found = way.file.records + way.file.doubtful + way.file.damaged_records;
            if way.holes.is_empty() && way.entries.is_some_and(|entries| entries > found) {
                way.hole((None, None));
            }
        }
        // The pages that lead to a file are lost, so the file of a page is not
        // known.
        let mut others = FileSalvage::new(UNKNOWN.to_owned(), None, true, false);
        let is_lost = |way: &FileSalvage<'_>| way.entries.is_none() || way.def.is_none();
        let all = !trees.is_whole || !names.are_whole || ways.iter().any(is_lost);
        if all || ways.iter().any(|way| !way.holes.is_empty()) {
            self.orphans(&mut ways, all.then_some(&mut others))?;
        }
        if others.file.doubtful > 0 {
            ways.push(others);
        }
        let files = ways.into_iter().map(FileSalvage::finish);
        self.report.files.extend(files);
        Ok(())
    }

    /// Has the records of a file written that its tree leads to.
    fn file(&mut self, way: &mut FileSalvage<'_>, tree: Option<PageTree>) -> io::Result<()> {
        let Some(tree) = tree else {
            way.file.damaged_pages += 1;
            way.open_gap();
            way.hole((None, None));
            return Ok(());
        };
        way.entries = Some(tree.entries);
        // The walk lends pages out of the ground, and the records go to `self`.
        let ground = self.ground;
        ground.walk(tree, &mut |met| {
            match met {
                VisitedEntry::Gap(bounds) => {
                    way.file.damaged_pages += 1;
                    way.open_gap();
                    way.hole(bounds);
                }
                VisitedEntry::Leaf {
                    number,
                    page,
                    bounds,
                } => {
                    self.met.set(number);
                    self.leaf(way, number, page, bounds)?;
                }
            }
            Ok(())
        })
    }

    fn leaf(
        &mut self,
        way: &mut FileSalvage<'_>,
        number: u64,
        page: &PageRemains,
        bounds: KeyBounds<'_>,
    ) -> io::Result<()> {
        self.pages_read += 1;
        if self.pages_read.is_multiple_of(PROGRESS_PAGES) {
            (self.progress)(self.pages_read, self.ground.last_page + 1);
        }
        if !page.is_whole {
            way.file.damaged_pages += 1;
            way.open_gap();
        }
        let is_used = number <= self.last_page && !self.free.has(number);
        let is_current = is_used && (self.free_is_whole || page.is_whole);
        let is_ours = is_current && !self.claimed_twice.has(number);
        if !is_ours || !(0..page.len()).all(|entry| is_within(page.key(entry), bounds)) {
            // The page that should be here may be another one.
            way.open_gap();
            way.hole(bounds);
        }
        for entry in 0..page.len() {
            let key = page.key(entry);
            let is_sure = is_ours && page.is_sure(entry) && is_within(key, bounds);
            let taken = self.entry(way, page, entry, is_sure)?;
            if !taken {
                way.file.damaged_records += 1;
                way.open_gap();
            } else if page.is_whole {
                way.close_gap(key);
            }
        }
        if !page.is_whole {
            way.open_gap();
        }
        Ok(())
    }

    /// Has an entry's record written, if it is one.
    fn entry(
        &mut self,
        way: &mut FileSalvage<'_>,
        page: &PageRemains,
        entry: usize,
        is_sure: bool,
    ) -> io::Result<bool> {
        let (key, value) = (page.key(entry), page.value(entry));
        let Some((stored, (first, count))) = self.ground.bytes(&value) else {
            return Ok(false);
        };
        let Some(record) = way.record(key, &stored) else {
            return Ok(false);
        };
        let overflow = first..first + count;
        let is_certain = is_sure
            && way.is_newest
            // Without a check sum the page has to speak for the record.
            && (way.is_sealed || page.is_whole)
            && !overflow.clone().any(|page| self.free.has(page));
        for page in overflow {
            self.met.set(page);
        }
        if is_certain {
            way.file.records += 1
        } else {
            way.file.doubtful += 1
        }
        (self.write)(SalvagedRecord {
            name: &way.file.name,
            def: way.def,
            key,
            record,
            is_certain,
        })?;
        Ok(true)
    }

    /// Finds the leaves below damaged branches: pages without a parent that are
    /// not free. A leaf belongs to the file in whose gap its keys are; records
    /// of no file are `others`.
    fn orphans(
        &mut self,
        ways: &mut [FileSalvage<'_>],
        mut others: Option<&mut FileSalvage<'_>>,
    ) -> io::Result<()> {
        let mut number = 2;
        while number <= self.ground.last_page.min(self.last_page) {
            let at = number;
            number += 1;
            if self.met.has(at) || self.free.has(at) || self.claimed.has(at) {
                continue;
            }
            let Some(bytes) = self.ground.pages.remains_of(at) else {
                continue;
            };
            if self::number(&bytes, 0, 8) != at {
                continue;
            }
            match self::number(&bytes, 10, 2) as u16 {
                OVERFLOW => number += self::number(&bytes, 12, 4).saturating_sub(1),
                LEAF => {
                    let page = PageRemains::read(bytes, at, 1);
                    if !self.orphan(ways, &page)?
                        && let Some(others) = &mut others
                    {
                        for entry in 0..page.len() {
                            self.entry(others, &page, entry, false)?;
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// False if the page is not a file's.
    fn orphan(&mut self, ways: &mut [FileSalvage<'_>], page: &PageRemains) -> io::Result<bool> {
        let keys = 0..page.len();
        let fits = |way: &FileSalvage<'_>| {
            let is_record = |entry: usize| {
                let value = page.value(entry);
                let stored = self.ground.bytes(&value);
                stored.is_some_and(|(stored, _)| way.record(page.key(entry), &stored).is_some())
            };
            way.is_in_a_hole(page) && keys.clone().any(is_record)
        };
        let of: Vec<usize> = (0..ways.len()).filter(|n| fits(&ways[*n])).collect();
        let is_sure = of.len() == 1 && self.free_is_whole;
        let is_theirs = !of.is_empty();
        for n in of {
            let way = &mut ways[n];
            way.file.damaged_pages += u64::from(!page.is_whole);
            for entry in keys.clone() {
                if !self.entry(way, page, entry, is_sure && page.is_sure(entry))? {
                    way.file.damaged_records += 1;
                }
            }
        }
        Ok(is_theirs)
    }
}

impl<'f> FileSalvage<'f> {
    fn new(name: String, def: Option<&'f FileDef>, is_sealed: bool, is_newest: bool) -> Self {
        FileSalvage {
            file: SalvagedFile {
                name,
                ..SalvagedFile::default()
            },
            is_sealed,
            is_newest,
            entries: None,
            last: None,
            gap: None,
            holes: Vec::new(),
            def,
        }
    }

    /// The record of an entry, if it is what was stored and keeps the rules.
    fn record<'s>(&self, key: &[u8], stored: &'s [u8]) -> Option<&'s [u8]> {
        let record = if self.is_sealed {
            seal::checked(key, stored)?
        } else {
            stored
        };
        let keeps = self
            .def
            .is_none_or(|def| def.check_write(key, record).is_ok());
        keeps.then_some(record)
    }

    fn open_gap(&mut self) {
        if self.gap.is_none() {
            self.gap = Some(self.last.clone());
        }
    }

    /// A record was found: a gap before it ends.
    fn close_gap(&mut self, key: &[u8]) {
        if let Some(from) = self.gap.take() {
            self.lose(from, Some(key));
        }
        self.last = Some(key.into());
    }

    fn lose(&mut self, from: Option<Box<[u8]>>, to: Option<&[u8]>) {
        if self.file.lost.len() < MAX_LOST {
            self.file.lost.push((from.map(Key), to.map(Key::from)))
        } else {
            self.file.more_lost += 1
        }
    }

    fn hole(&mut self, (low, high): KeyBounds<'_>) {
        if self.holes.len() < MAX_HOLES {
            self.holes.push((low.map(Into::into), high.map(Into::into)));
        }
    }

    fn is_in_a_hole(&self, page: &PageRemains) -> bool {
        let within = |(low, high): &KeyGap| {
            let bounds = (low.as_deref(), high.as_deref());
            (0..page.len()).all(|entry| is_within(page.key(entry), bounds))
        };
        page.len() > 0 && self.holes.iter().any(within)
    }

    fn finish(mut self) -> SalvagedFile {
        if let Some(from) = self.gap.take() {
            self.lose(from, None);
        }
        let entries = self.entries;
        self.file.missing = entries.and_then(|entries| entries.checked_sub(self.file.records));
        if self.file.missing == Some(0) && self.file.damaged_records == 0 {
            self.file.lost.clear();
            self.file.more_lost = 0;
        }
        self.file
    }
}

/// Reads the catalogue of a state.
fn read_catalogue(ground: &DamagedTree<'_>, trees: &Trees) -> io::Result<Names> {
    let tree = trees.by_name.get(&b"catalogue"[..]);
    let mut names = Names {
        items: Vec::new(),
        own: CatalogueNumbering::default(),
        are_whole: tree.is_some(),
    };
    let Some(tree) = tree else {
        return Ok(names);
    };
    ground.walk(*tree, &mut |met| {
        let VisitedEntry::Leaf { page, .. } = met else {
            names.are_whole = false;
            return Ok(());
        };
        names.are_whole &= page.is_whole;
        for entry in (0..page.len()).filter(|entry| page.is_sure(*entry)) {
            let (name, LeafValue::Here(value)) = (page.key(entry), page.value(entry)) else {
                names.are_whole = false;
                continue;
            };
            if name.first().is_none_or(|first| *first < b'!') {
                names.own.read(name, value);
                continue;
            }
            match catalogue::decode(name, value) {
                Some(item) => names.items.push(KnownItem {
                    item,
                    is_older: false,
                }),
                None => names.are_whole = false,
            }
        }
        Ok(())
    })?;
    Ok(names)
}

fn id(item: &CatalogueItem) -> Option<FileId> {
    match item {
        CatalogueItem::File { id, .. } | CatalogueItem::Index { id, .. } => Some(*id),
        CatalogueItem::Path(_) => None,
    }
}

/// The name of what has lost its file.
const UNKNOWN: &str = "unknown";

/// Most ranges of keys that are reported.
const MAX_LOST: usize = 1000;

/// Damaged branches whose leaves are looked for.
const MAX_HOLES: usize = 10_000;

/// Pages between two tellings of progress.
const PROGRESS_PAGES: u64 = 1024;
