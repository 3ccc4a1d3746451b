//! Whether a store is whole: before it is opened, and to the last record.
//!
//! [`before_opening`] is quick: sizes, meta pages, that no page in use is after
//! the end of the file, and the pages that lead to the files.
//! [`before_reading`] walks the pages of files that are read as a whole.
//! [`check`] reads everything: the trees, the checksum and the rules of each
//! record, and whether each alternate index has exactly the entries of its
//! base.
//!
//! All read the file themselves and never crash on a damaged one.

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::File;
use std::hash::Hasher;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;

use super::catalogue::{self, CatalogueItem, CatalogueNumbering};
use super::env::{LmdbOptions, OpenError, StoreEnvironment};
use super::lock::WriterLock;
use super::pages::{MetaPage, PageFile, PageFlaw, PageTree};
use super::seal;
use super::sys::Reader;
use super::walk::{ProgressCallback, TreeValue, TreeWalk};
use crate::error::{Key, StorageError};
use crate::file::{FileId, FileName};

/// The result of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Pages read.
    pub pages: u64,
    /// The files, in the order of their names.
    pub files: Vec<CheckedFile>,
    /// The damage found, at most 100 findings.
    pub findings: Vec<String>,
    /// How much more is.
    pub more_findings: u64,
}

/// A file that was checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedFile {
    /// Its name.
    pub name: FileName,
    /// Records read.
    pub records: u64,
    /// False for a file of an earlier version: it gets checksums when it is
    /// loaded again.
    pub has_check_sums: bool,
}

impl CheckReport {
    /// True if nothing is damaged.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Checks a store's directory, also while a region serves it. `progress`
/// receives the pages read and the number of pages.
pub fn check(
    directory: &Path,
    options: &LmdbOptions,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<CheckReport, OpenError> {
    let data = directory.join("data.mdb");
    if !data.is_file() {
        return Err(OpenError::Missing {
            path: directory.to_owned(),
        });
    }
    let progress = &mut |met, all| {
        progress(met, all);
        ControlFlow::Continue(())
    };
    // With the writer's lock nothing changes; else a reader's slot keeps the
    // pages of one state from being used again.
    if let Ok(_lock) = WriterLock::take(directory) {
        return check_data(&data, progress).map_err(|error| io_error(directory, &error));
    }
    let env = StoreEnvironment::open_for_reading(directory, options)?;
    let storage = |code| OpenError::Storage {
        path: directory.to_owned(),
        source: env.error(code, "reading"),
    };
    let mut reader = Reader::new(env.sys().clone()).map_err(storage)?;
    check_newest(&env, &mut reader, progress).map_err(|source| OpenError::Storage {
        path: directory.to_owned(),
        source,
    })
}

/// Checks the newest state, whose pages a reader's slot keeps.
pub(super) fn check_newest(
    env: &StoreEnvironment,
    reader: &mut Reader,
    progress: ProgressCallback<'_>,
) -> Result<CheckReport, StorageError> {
    let data = env.path.join("data.mdb");
    let failed = |error: io::Error| StorageError::Failed {
        doing: "checking it",
        reason: error.to_string(),
        code: error.raw_os_error().unwrap_or_default(),
    };
    loop {
        let snapshot = reader
            .snapshot()
            .map_err(|code| env.error(code, "checking it"))?;
        match check_state(&data, Some(snapshot.id()), progress).map_err(failed)? {
            Some(report) => return Ok(report),
            // Two commits came between the snapshot and the meta page.
            None => drop(snapshot),
        }
    }
}

/// Checks a data file that does not change.
pub(super) fn check_data(data: &Path, progress: ProgressCallback<'_>) -> io::Result<CheckReport> {
    Ok(check_state(data, None, progress)?.unwrap_or_default())
}

/// Checks a state; `None` if no meta page leads to it any more.
fn check_state(
    data: &Path,
    transaction: Option<u64>,
    progress: ProgressCallback<'_>,
) -> io::Result<Option<CheckReport>> {
    let flawed = |flaw: PageFlaw| {
        Ok(Some(CheckReport {
            findings: vec![flaw],
            ..CheckReport::default()
        }))
    };
    let pages = match PageFile::open(File::open(data)?)? {
        Ok(pages) => pages,
        Err(flaw) => return flawed(flaw),
    };
    let meta = match (pages.meta(None)?, transaction) {
        (Err(flaw), _) => return flawed(flaw),
        (Ok(_), Some(wanted)) => match pages.meta(Some(wanted))? {
            Ok(meta) => meta,
            Err(_) => return Ok(None),
        },
        (Ok(meta), None) => meta,
    };
    let mut walk = TreeWalk::new(&pages, meta, progress);
    let mut report = CheckReport::default();
    let free = walk.free_list()?;
    walk.mark_free(&free);
    if let Some(flaw) = missing_end(&pages, &meta, free)? {
        walk.find(flaw);
    }
    let mut trees = main_trees(&mut walk)?;
    let items = read_catalogue(&mut walk, &mut trees)?;
    check_files(&mut walk, &items, &mut trees, &mut report)?;
    if let Some(tables) = trees.remove(&b"tables"[..]) {
        walk.tree("tables", tables, &mut |key, held| match held {
            TreeValue::Bytes(stored) if seal::checked(key, stored).is_some() => Ok(()),
            _ => Err(format!("the value under {} is damaged", Key::from(key))),
        })?;
    }
    // Data bases that are being loaded, or wait to be dropped.
    for (name, tree) in trees {
        walk.tree(&String::from_utf8_lossy(&name), tree, &mut |_, _| Ok(()))?;
    }
    report.pages = walk.pages_met + 2;
    report.findings = walk.findings;
    report.more_findings = walk.more_findings;
    Ok(Some(report))
}

fn read_catalogue(
    walk: &mut TreeWalk<'_>,
    trees: &mut HashMap<Vec<u8>, PageTree>,
) -> io::Result<Vec<CatalogueItem>> {
    let tree = trees.remove(&b"catalogue"[..]);
    if tree.is_none() {
        walk.find("the catalogue is missing".to_owned());
    }
    Ok(read_catalogue_of(walk, tree)?.0)
}

/// Reads the catalogue, and compares its numbers with its entries.
fn read_catalogue_of(
    walk: &mut TreeWalk<'_>,
    tree: Option<PageTree>,
) -> io::Result<(Vec<CatalogueItem>, CatalogueNumbering)> {
    let (mut items, mut own) = (Vec::new(), CatalogueNumbering::default());
    let Some(tree) = tree else {
        return Ok((items, own));
    };
    walk.tree("catalogue", tree, &mut |name, held| {
        if name.first().is_none_or(|first| *first < b'!') {
            if let TreeValue::Bytes(value) = held {
                own.read(name, value);
            }
            return Ok(());
        }
        let item = match held {
            TreeValue::Bytes(entry) => catalogue::decode(name, entry),
            TreeValue::Tree(_) => None,
        };
        let item = item.ok_or_else(|| format!("the entry of {} is damaged", Key::from(name)))?;
        items.push(item);
        Ok(())
    })?;
    let number = |item: &CatalogueItem| match item {
        CatalogueItem::File { id, .. } | CatalogueItem::Index { id, .. } => Some(*id),
        CatalogueItem::Path(_) => None,
    };
    for (name, id) in items.iter().filter_map(|i| Some((i.name(), number(i)?))) {
        if own.last.is_some_and(|last| id.0 > last) {
            walk.find(format!(
                "catalogue: the number of {name} was never assigned"
            ));
        }
        if own.discarded.contains(&id) {
            walk.find(format!(
                "catalogue: {name} is on the list of data bases to be dropped"
            ));
        }
    }
    Ok((items, own))
}

/// The entries of an index, or those its base calls for: how many, and a sum
/// over them in which order does not count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Entries {
    count: u64,
    sum: u64,
}

impl Entries {
    fn add(&mut self, entry: &[u8]) {
        let mut hasher = DefaultHasher::new();
        hasher.write(entry);
        self.count += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }
}

fn check_files(
    walk: &mut TreeWalk<'_>,
    items: &[CatalogueItem],
    trees: &mut HashMap<Vec<u8>, PageTree>,
    report: &mut CheckReport,
) -> io::Result<()> {
    let indexes: Vec<_> = items
        .iter()
        .filter_map(|item| match item {
            CatalogueItem::Index { id, def, built } => Some((*id, def, *built)),
            _ => None,
        })
        .collect();
    let mut wanted = vec![Entries::default(); indexes.len()];
    for item in items {
        let CatalogueItem::File { id, def, sealed } = item else {
            continue;
        };
        let mut checked = CheckedFile {
            name: def.name.clone(),
            records: 0,
            has_check_sums: *sealed,
        };
        let mut each = |key: &[u8], held: TreeValue<'_>| {
            checked.records += 1;
            let record = match held {
                TreeValue::Bytes(stored) if *sealed => seal::checked(key, stored),
                TreeValue::Bytes(stored) => Some(stored),
                TreeValue::Tree(_) => None,
            };
            let key_text = || Key::from(key);
            let record = record.ok_or_else(|| {
                format!("the record with key {} has a wrong checksum", key_text())
            })?;
            for ((_, index, _), wanted) in indexes.iter().zip(&mut wanted) {
                if index.base == def.name
                    && let Some(entry) = index.entry(key, record)
                {
                    wanted.add(&entry);
                }
            }
            let rules = def.check_write(key, record);
            rules.map_err(|flaw| format!("the record with key {}: {flaw}", key_text()))
        };
        match trees.remove(catalogue::db_name(*id).as_bytes()) {
            Some(tree) => walk.tree(def.name.as_str(), tree, &mut each)?,
            None => walk.find(format!("{}: its records are missing", def.name)),
        }
        report.files.push(checked);
    }
    for ((id, def, built), wanted) in indexes.into_iter().zip(wanted) {
        let Some(tree) = trees.remove(catalogue::db_name(id).as_bytes()) else {
            walk.find(format!("{}: its entries are missing", def.name));
            continue;
        };
        let mut there = Entries::default();
        walk.tree(def.name.as_str(), tree, &mut |entry, _| {
            there.add(entry);
            Ok(())
        })?;
        if built && def.upgrade && there != wanted {
            walk.find(format!(
                "{}: the index does not have the entries of its base {} ({} entries, {} are \
                 expected): build it again with BLDINDEX",
                def.name, def.base, there.count, wanted.count
            ));
        }
    }
    Ok(())
}

/// Bytes up to which all pages of a data file are looked at before it is opened
/// to be written, unless its options say otherwise: 1.5 GiB took 0.45 s of CPU.
pub(super) const WALKED_BYTES: u64 = 4 << 30;

/// The pages that are checked before a data file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CheckDepth {
    /// The pages that lead to the files.
    Way,
    /// The list of free pages, too: a writer uses them.
    Free,
    /// All pages.
    All,
}

/// Whether a data file can be opened; returns the error, if any.
pub(super) fn before_opening(data: &Path, look: CheckDepth) -> io::Result<Result<(), PageFlaw>> {
    let pages = match PageFile::open(File::open(data)?)? {
        Ok(pages) => pages,
        Err(flaw) => return Ok(Err(flaw)),
    };
    let writing = look != CheckDepth::Way;
    in_newest(&pages, |meta| {
        let mut progress = |_, _| ControlFlow::Continue(());
        let mut walk = TreeWalk::new(&pages, meta, &mut progress);
        if writing || pages.length()? < bytes_to(&pages, &meta) {
            let free = walk.free_list()?;
            walk.mark_free(&free);
            if let Some(flaw) = missing_end(&pages, &meta, free)? {
                return Ok(Some(flaw));
            }
        }
        let trees = main_trees(&mut walk)?;
        let tree = trees.get(&b"catalogue"[..]).copied();
        let (items, own) = read_catalogue_of(&mut walk, tree)?;
        // Discarded data bases are dropped when the store is opened for
        // writing.
        for id in own.discarded.into_iter().filter(|_| writing) {
            walk_tree(
                &mut walk,
                &trees,
                id,
                "the list of data bases to be dropped",
            )?;
        }
        // A commit follows the pages to its changes, and ends the process
        // where one is damaged.
        if look == CheckDepth::All {
            for item in &items {
                match item {
                    CatalogueItem::File { id, .. } | CatalogueItem::Index { id, .. } => {
                        walk_tree(&mut walk, &trees, *id, item.name().as_str())?;
                    }
                    CatalogueItem::Path(_) => {}
                }
            }
        }
        // A region reads them when it starts, and relies on missing entries.
        if let Some(tables) = trees.get(&b"tables"[..]).filter(|_| writing) {
            walk.tree("tables", *tables, &mut |_, _| Ok(()))?;
        }
        Ok(first(walk))
    })
}

/// Checks the pages that LMDB follows when it reads these files and indexes:
/// the trees that lead to them, and their own; and the list of free pages if
/// that is read too.
pub(super) fn before_reading(
    pages: &PageFile,
    meta: MetaPage,
    of: &[(FileId, String)],
    free: bool,
) -> io::Result<Option<PageFlaw>> {
    let mut progress = |_, _| ControlFlow::Continue(());
    let mut walk = TreeWalk::new(pages, meta, &mut progress);
    if free {
        let free = walk.free_list()?;
        walk.mark_free(&free);
    }
    let trees = main_trees(&mut walk)?;
    read_catalogue_of(&mut walk, trees.get(&b"catalogue"[..]).copied())?;
    for (id, name) in of {
        walk_tree(&mut walk, &trees, *id, name)?;
    }
    Ok(first(walk))
}

/// Checks what a walk through an index uses: its entries are those of its base,
/// and the pages of both are whole.
pub(super) fn before_path(
    pages: &PageFile,
    meta: MetaPage,
    index: FileId,
) -> io::Result<Option<PageFlaw>> {
    let mut progress = |_, _| ControlFlow::Continue(());
    let mut walk = TreeWalk::new(pages, meta, &mut progress);
    let mut trees = main_trees(&mut walk)?;
    let tree = trees.get(&b"catalogue"[..]).copied();
    let (mut items, _) = read_catalogue_of(&mut walk, tree)?;
    let base = items.iter().find_map(|item| match item {
        CatalogueItem::Index { id, def, .. } if *id == index => Some(def.base.clone()),
        _ => None,
    });
    items.retain(|item| match item {
        CatalogueItem::File { def, .. } => Some(&def.name) == base.as_ref(),
        CatalogueItem::Index { id, .. } => *id == index,
        CatalogueItem::Path(_) => false,
    });
    check_files(&mut walk, &items, &mut trees, &mut CheckReport::default())?;
    Ok(first(walk))
}

/// Walks the tree of a file or index. A missing tree is reported by its reader.
fn walk_tree(
    walk: &mut TreeWalk<'_>,
    trees: &HashMap<Vec<u8>, PageTree>,
    id: FileId,
    name: &str,
) -> io::Result<()> {
    match trees.get(catalogue::db_name(id).as_bytes()) {
        Some(tree) => walk.tree(name, *tree, &mut |_, _| Ok(())),
        None => Ok(()),
    }
}

/// Checks the newest state until the findings are stable: a region may
/// commit meanwhile, and use pages of a state that was the newest again.
fn in_newest(
    pages: &PageFile,
    look: impl Fn(MetaPage) -> io::Result<Option<PageFlaw>>,
) -> io::Result<Result<(), PageFlaw>> {
    const TRIES: u32 = 20;
    let mut found = String::new();
    for _ in 0..TRIES {
        let meta = match pages.meta(None)? {
            Ok(meta) => meta,
            Err(flaw) => return Ok(Err(flaw)),
        };
        match look(meta)? {
            None => return Ok(Ok(())),
            Some(flaw) => found = flaw,
        }
        if pages.meta(None)? == Ok(meta) {
            break;
        }
    }
    Ok(Err(found))
}

fn first(mut walk: TreeWalk<'_>) -> Option<PageFlaw> {
    (!walk.findings.is_empty()).then(|| walk.findings.swap_remove(0))
}

/// The data bases there are.
fn main_trees(walk: &mut TreeWalk<'_>) -> io::Result<HashMap<Vec<u8>, PageTree>> {
    let mut trees = HashMap::new();
    let main = walk.meta.main;
    walk.tree("main data base", main, &mut |name, held| match held {
        TreeValue::Tree(tree) => {
            trees.insert(name.to_vec(), tree);
            Ok(())
        }
        TreeValue::Bytes(_) => Err(format!("{} is not a data base", Key::from(name))),
    })?;
    Ok(trees)
}

/// Bytes up to the end of the last page that was ever in use.
fn bytes_to(pages: &PageFile, meta: &MetaPage) -> u64 {
    let pages_there = meta.last_page.saturating_add(1);
    pages_there.saturating_mul(pages.page_bytes as u64)
}

/// The error in the end of a file, if any: pages in use must not be after it.
/// Free ones may be, since they need never have been written.
fn missing_end(
    pages: &PageFile,
    meta: &MetaPage,
    mut free: Vec<u64>,
) -> io::Result<Option<PageFlaw>> {
    let (length, whole) = (pages.length()?, bytes_to(pages, meta));
    if length >= whole {
        return Ok(None);
    }
    let first_missing = length / pages.page_bytes as u64;
    free.retain(|page| (first_missing..=meta.last_page).contains(page));
    free.sort_unstable();
    free.dedup();
    let all_free = free.len() as u64 == meta.last_page + 1 - first_missing;
    Ok((!all_free)
        .then(|| format!("data.mdb has {length} bytes, but pages in use reach to byte {whole}")))
}

fn io_error(directory: &Path, error: &io::Error) -> OpenError {
    OpenError::Io {
        path: directory.to_owned(),
        reason: error.to_string(),
    }
}
