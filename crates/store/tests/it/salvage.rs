//! Records salvaged from damaged stores: every intact record, and
//! no record of a former state as certain.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use base::SeededRandom;
use store::{
    FileDef, FileEnds, LmdbReader, LmdbStore, ReadStore, RecordFormat, SalvageError, SalvageReport,
    SalvagedState, SeekKey, Table, UnitOfWork, WriteStore, rrn_key, salvage,
};

use crate::support::{fill, index, ksds, options};

/// Records by their key.
type Records = BTreeMap<Vec<u8>, Vec<u8>>;

/// The output.
#[derive(Default)]
struct Out {
    /// By file, those that are certain.
    certain: BTreeMap<String, Records>,
    /// All, whatever their file.
    any: BTreeSet<(Vec<u8>, Vec<u8>)>,
    report: SalvageReport,
}

fn salvaged(data: &Path) -> Out {
    let mut out = Out::default();
    let report = salvage(
        data,
        &mut |found| {
            out.any.insert((found.key.to_vec(), found.record.to_vec()));
            if found.is_certain {
                let file = out.certain.entry(found.name.to_owned()).or_default();
                let twice = file.insert(found.key.to_vec(), found.record.to_vec());
                assert_eq!(twice, None, "{} {:?}", found.name, found.key);
            }
            Ok(())
        },
        &mut |_, _| (),
    );
    out.report = report.unwrap();
    out
}

/// The contents of the files of a store.
fn contents(reader: &mut dyn ReadStore) -> BTreeMap<String, Records> {
    let mut contents = BTreeMap::new();
    for entry in reader.files().unwrap() {
        let mut records = Records::new();
        let mut each = |entry: store::RecordView<'_>| {
            records.insert(entry.key.to_vec(), entry.record.to_vec());
            std::ops::ControlFlow::Continue(())
        };
        reader.scan(entry.id, SeekKey::First, &mut each).unwrap();
        contents.insert(entry.def.name.to_string(), records);
    }
    contents
}

fn record(n: u32, version: u32) -> String {
    format!(
        "{n:05}NAME{:02} version {version} {}",
        n % 70,
        "x".repeat(n as usize % 90)
    )
}

/// A store with files of every kind, trees of three levels, and pages full of
/// old versions. Returns what it held before its last commit, and after it.
fn make(home: &Path) -> [BTreeMap<String, Records>; 2] {
    const RECORDS: u32 = 3000;
    let mut store = LmdbStore::open(home, &options()).unwrap();
    let accounts = store.define(ksds("ACCOUNTS", 5)).unwrap();
    store
        .define_index(index("BYNAME", "ACCOUNTS", 5, 6, false))
        .unwrap();
    // The same form and keys as the first: only its pages distinguish them.
    let copy = store.define(ksds("COPY", 5)).unwrap();
    let slots = FileDef::rrds("SLOTS".parse().unwrap(), RecordFormat::Fixed, 9).unwrap();
    let slots = store.define(slots).unwrap();
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    let log = store.define(log).unwrap();
    let mut lines: Vec<_> = (0..RECORDS).map(|n| record(n, 0)).collect();
    lines.push(format!("99999NAME99{}", "big".repeat(4000)));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    fill(&mut store, accounts, 5, &lines);
    fill(&mut store, copy, 5, &lines[..500]);
    let mut reader = store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    for n in 0..300 {
        let entry = format!("entry {n}");
        unit.append(&mut *reader, &mut ends, log, entry.as_bytes())
            .unwrap();
        let slot = format!("slot {n:04}");
        unit.insert(&mut *reader, slots, &rrn_key(2 * n + 1), slot.as_bytes())
            .unwrap();
        unit.put(Table::new("tsqueue"), entry.as_bytes(), &[7; 300]);
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    // Every leaf is written again now and then, so that free pages have old versions.
    let mut before = BTreeMap::new();
    for version in 1..=12 {
        before = contents(&mut *reader);
        let mut unit = UnitOfWork::new();
        for n in (0..RECORDS).filter(|n| n % 400 < 12 * version) {
            let key = format!("{n:05}");
            let new = record(n, version);
            match (n + version) % 50 {
                0 if n % 2 == 0 => {
                    // A record that was deleted before is added again.
                    if unit.delete(&mut *reader, accounts, key.as_bytes()).is_err() {
                        let (key, new) = (key.as_bytes(), new.as_bytes());
                        unit.insert(&mut *reader, accounts, key, new).unwrap();
                    }
                }
                _ => {
                    let _ = unit.replace(&mut *reader, accounts, key.as_bytes(), new.as_bytes());
                }
            }
            if n < 500 {
                let copied = format!("{key}COPY{:02} version {version}", n % 70);
                unit.replace(&mut *reader, copy, key.as_bytes(), copied.as_bytes())
                    .unwrap();
            }
        }
        assert_eq!(store.apply(&[unit]), [Ok(())]);
    }
    [before, contents(&mut *reader)]
}

/// Whether the certain records equal those of the commit that salvage names.
fn assert_true(out: &Out, [before, after]: &[BTreeMap<String, Records>; 2], what: &str) {
    let held = |state: &BTreeMap<String, Records>| {
        out.certain.iter().all(|(name, records)| {
            // A file without its name may be any of them.
            let of_file = state.get(name);
            let by_number = || state.values().any(|there| is_part(records, there));
            of_file.map_or_else(by_number, |there| is_part(records, there))
        })
    };
    let true_of = match out.report.state {
        SalvagedState::Newest => held(after),
        SalvagedState::Before => held(before),
        SalvagedState::Unknown => held(before) || held(after),
    };
    assert!(
        true_of,
        "{what}: {:?} {:?}",
        out.report.state,
        wrong(out, after)
    );
}

fn is_part(records: &Records, of: &Records) -> bool {
    records
        .iter()
        .all(|(key, record)| of.get(key) == Some(record))
}

/// The first record that differs from the expected one.
fn wrong(out: &Out, state: &BTreeMap<String, Records>) -> Option<(String, String)> {
    let all = out.certain.iter().flat_map(|(name, records)| {
        let there = state.get(name);
        let differs = move |(key, record): &(&Vec<u8>, &Vec<u8>)| {
            there.is_some_and(|there| there.get(*key) != Some(record))
        };
        records
            .iter()
            .find(differs)
            .map(|(_, record)| (name, record))
    });
    let (name, record) = all.into_iter().next()?;
    Some((name.clone(), String::from_utf8_lossy(record).into_owned()))
}

fn all_of(state: &BTreeMap<String, Records>) -> BTreeSet<(Vec<u8>, Vec<u8>)> {
    let files = state.values().flatten();
    files
        .map(|(key, record)| (key.clone(), record.clone()))
        .collect()
}

#[test]
fn all_of_a_whole_store_is_certain() {
    let home = tempfile::tempdir().unwrap();
    let [_, after] = make(home.path());
    let out = salvaged(home.path());
    assert!(out.report.is_clean(), "{:?}", out.report);
    assert_eq!(out.certain, after);
    assert_eq!(out.any, all_of(&after));
    let names: Vec<_> = out.report.files.iter().map(|file| &file.name[..]).collect();
    assert_eq!(names, ["ACCOUNTS", "COPY", "LOG", "SLOTS"]);
    assert!(
        out.report
            .files
            .iter()
            .all(|file| file.def.is_some() && file.lost.is_empty())
    );
}

#[test]
fn one_flipped_bit_costs_at_most_one_record() {
    let home = tempfile::tempdir().unwrap();
    let states = make(home.path());
    let whole = std::fs::read(home.path().join("data.mdb")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data.mdb");
    let mut chance = SeededRandom::new(1);
    let (mut damaged, mut doubtful) = (0, 0);
    for turn in 0..450 {
        let page = match turn {
            0..60 => turn % 2,
            _ => chance.index(whole.len() / 4096),
        };
        // Heads, the lists of entries, and the rest.
        let byte = page * 4096
            + match turn % 4 {
                0 => chance.index(24),
                1 => 16 + chance.index(150),
                _ if page < 2 => chance.index(170),
                _ => chance.index(4096),
            };
        let bit = chance.index(8);
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << bit;
        std::fs::write(&data, &bytes).unwrap();
        let out = salvaged(&data);
        let what = format!(
            "byte {byte} (page {}, {}) bit {bit}",
            byte / 4096,
            byte % 4096
        );
        assert_true(&out, &states, &what);
        let state = match out.report.state {
            SalvagedState::Before => &states[0],
            _ => &states[1],
        };
        if out.report.state == SalvagedState::Unknown {
            continue;
        }
        let lost = all_of(state).difference(&out.any).count();
        assert!(lost <= 1, "{what}: {lost} are lost, {:?}", out.report);
        damaged += usize::from(!out.report.is_clean());
        doubtful += usize::from(out.report.files.iter().any(|file| file.doubtful > 0));
    }
    assert!(damaged > 80, "{damaged} of 450 were damaged");
    assert!(
        doubtful < damaged / 4,
        "{doubtful} of {damaged} left doubtful records"
    );
}

/// A store's data file, and a copy of it that has no free pages: each record
/// is in it once.
fn full_and_compact(home: &Path) -> [Vec<u8>; 2] {
    let copy = home.join("copy");
    let mut reader = LmdbReader::open(home, &options()).unwrap();
    reader.backup(&copy, &mut |_, _| ()).unwrap();
    [home.join("data.mdb"), copy].map(|path| std::fs::read(path).unwrap())
}

#[test]
fn pages_that_are_wiped_cost_what_was_on_them() {
    let home = tempfile::tempdir().unwrap();
    let states = make(home.path());
    let both = full_and_compact(home.path());
    let places = Places::of(&both[1]);
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data.mdb");
    let mut chance = SeededRandom::new(2);
    for turn in 0..80 {
        let whole = &both[turn % 2];
        let mut bytes = whole.clone();
        let mut wiped = Vec::new();
        for _ in 0..=turn % 5 {
            let page = 2 + chance.index(whole.len() / 4096 - 2);
            let fill = [0, 0xFF, 0x5A][turn % 3];
            bytes[page * 4096..][..4096].fill(fill);
            wiped.push(page);
        }
        std::fs::write(&data, &bytes).unwrap();
        let out = salvaged(&data);
        assert_true(&out, &states, &format!("pages {wiped:?}"));
        if turn % 2 == 1 {
            let lost = all_of(&states[1]).difference(&out.any).cloned().collect();
            places.assert_gone(&bytes, &lost, &format!("pages {wiped:?}"));
        }
    }
}

#[test]
fn a_store_that_was_cut_short_gives_what_is_left() {
    let home = tempfile::tempdir().unwrap();
    let states = make(home.path());
    let both = full_and_compact(home.path());
    let places = Places::of(&both[1]);
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data.mdb");
    let mut found = 0;
    for (whole, is_compact) in both.iter().zip([false, true]) {
        let steps = (1..20).map(|n| whole.len() * n / 20 - 100 * n);
        for length in steps.chain([1, 100, 4096, 8192, 8200, 20_000]) {
            let bytes = &whole[..length];
            std::fs::write(&data, bytes).unwrap();
            let out = salvaged(&data);
            assert_true(&out, &states, &format!("{length} bytes"));
            assert!(!out.report.is_clean());
            if is_compact {
                let lost = all_of(&states[1]).difference(&out.any).cloned().collect();
                places.assert_gone(bytes, &lost, &format!("{length} bytes"));
                found = found.max(out.any.len());
            }
        }
    }
    assert!(found > 1000, "{found}");
}

/// Where each place of a file begins that starts with these bytes.
struct Places(HashMap<[u8; 12], Vec<usize>>);

impl Places {
    fn of(whole: &[u8]) -> Self {
        let mut places: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, window) in whole.windows(12).enumerate() {
            let window = window.try_into().unwrap();
            places.entry(window).or_default().push(at);
        }
        Self(places)
    }

    /// Records that were not salvaged are not whole in the data file either,
    /// except those on a page of which the end was cut off.
    fn assert_gone(&self, bytes: &[u8], lost: &BTreeSet<(Vec<u8>, Vec<u8>)>, what: &str) {
        for (key, record) in lost {
            let stored = [&key[..], record].concat();
            // A long record is stored apart from its key.
            let places = self.0.get(stored.first_chunk().unwrap());
            let there = |at: &&usize| {
                let is_cut = **at / 4096 == (bytes.len() - 1) / 4096;
                **at < bytes.len() && !is_cut && bytes[**at..].starts_with(&stored)
            };
            let place = places.into_iter().flatten().find(there);
            let text = String::from_utf8_lossy(record);
            assert_eq!(place, None, "{what}: {text} lies there");
        }
    }
}

#[test]
fn a_damaged_branch_costs_nothing() {
    let home = tempfile::tempdir().unwrap();
    let states = make(home.path());
    let mut bytes = std::fs::read(home.path().join("data.mdb")).unwrap();
    let mut branches = 0;
    for page in bytes.chunks_exact_mut(4096).skip(2) {
        if page[10..12] == [1, 0] {
            page[..64].fill(0xEE);
            branches += 1;
        }
    }
    assert!(branches > 2, "{branches}");
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data.mdb");
    std::fs::write(&data, &bytes).unwrap();
    let out = salvaged(&data);
    assert_true(&out, &states, "no branches");
    // Two files have the same keys: the file of a leaf is not always known.
    assert_eq!(all_of(&states[1]).difference(&out.any).count(), 0);
}

#[test]
fn lost_ranges_are_between_the_neighbours() {
    let home = tempfile::tempdir().unwrap();
    let [_, after] = make(home.path());
    let mut bytes = std::fs::read(home.path().join("data.mdb")).unwrap();
    let log = &after["LOG"];
    let (key, entry) = log.iter().nth(100).unwrap();
    let stored = [&key[..], entry].concat();
    // All versions of it: one is in use.
    let places = bytes.windows(stored.len()).enumerate();
    let places: Vec<_> = places
        .filter(|(_, w)| *w == stored)
        .map(|(at, _)| at)
        .collect();
    for at in places {
        bytes[at + key.len()] ^= 1;
    }
    let scratch = tempfile::tempdir().unwrap();
    let data = scratch.path().join("data.mdb");
    std::fs::write(&data, &bytes).unwrap();
    let out = salvaged(&data);
    let file = out
        .report
        .files
        .iter()
        .find(|file| file.name == "LOG")
        .unwrap();
    assert_eq!(
        (file.records, file.damaged_records, file.missing),
        (299, 1, Some(1))
    );
    let at = |n: usize| log.keys().nth(n).map(|key| store::Key::from(&key[..]));
    assert_eq!(file.lost, [(at(99), at(101))]);
    assert!(!out.report.is_clean());
}

#[test]
fn a_store_in_use_is_left_alone() {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    store.define(ksds("ACCOUNTS", 4)).unwrap();
    let refused = salvage(home.path(), &mut |_| Ok(()), &mut |_, _| ());
    assert!(matches!(refused, Err(SalvageError::Held { .. })));
    let nowhere = salvage(&home.path().join("none"), &mut |_| Ok(()), &mut |_, _| ());
    assert!(matches!(nowhere, Err(SalvageError::Read { .. })));
}
