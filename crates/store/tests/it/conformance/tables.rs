//! Tables in addition to the files.

use store::{ReadStore, SeekKey, Table, UnitOfWork, WriteStore};

use super::Subject;
use crate::support::{all, ksds};

const QUEUES: Table = Table::new("tsqueue");
const STARTS: Table = Table::new("start");

fn value(unit: &UnitOfWork, r: &mut dyn ReadStore, seek: SeekKey<'_>) -> Option<String> {
    let mut hit = None;
    unit.seek_table(r, QUEUES, seek, &mut |entry| {
        let text = [entry.key, b"=", entry.record].concat();
        hit = Some(String::from_utf8_lossy(&text).into_owned());
    })
    .unwrap();
    hit
}

fn put(store: &mut dyn WriteStore, values: &[(Table, &[u8], &[u8])]) {
    let mut unit = UnitOfWork::new();
    for (table, key, value) in values {
        unit.put(*table, key, value);
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

pub fn a_table_keeps_values_in_the_order_of_keys(mut subject: Subject) {
    let mut r = subject.store.reader().unwrap();
    let none = UnitOfWork::new();
    assert_eq!(value(&none, &mut *r, SeekKey::First), None);
    put(
        &mut *subject.store,
        &[
            (QUEUES, b"b", b"2"),
            (QUEUES, b"a\xFF", b""),
            (QUEUES, b"c", b"3"),
        ],
    );
    let mut see = |seek| value(&none, &mut *r, seek).unwrap_or_default();
    assert_eq!(see(SeekKey::First), "a\u{FFFD}=");
    assert_eq!(see(SeekKey::Last), "c=3");
    assert_eq!(see(SeekKey::Equal(b"b")), "b=2");
    assert_eq!(see(SeekKey::Equal(b"a")), "");
    assert_eq!(see(SeekKey::Equal(b"")), "");
    assert_eq!(see(SeekKey::Prefix(b"a")), "a\u{FFFD}=");
    assert_eq!(see(SeekKey::Prefix(b"")), "a\u{FFFD}=");
    assert_eq!(see(SeekKey::AtLeast(b"aa")), "a\u{FFFD}=");
    assert_eq!(see(SeekKey::Greater(b"b")), "c=3");
    assert_eq!(see(SeekKey::Greater(b"c")), "");
    assert_eq!(see(SeekKey::AtMost(b"bb")), "b=2");
    assert_eq!(see(SeekKey::Less(b"b")), "a\u{FFFD}=");
    assert_eq!(see(SeekKey::Less(b"a")), "");
}

pub fn tables_do_not_see_each_other(mut subject: Subject) {
    let mut r = subject.store.reader().unwrap();
    let near = [Table::new("tsqueue-2"), Table::new("tsqueu"), STARTS];
    for table in near {
        put(&mut *subject.store, &[(table, b"k", b"other")]);
    }
    let none = UnitOfWork::new();
    for seek in [
        SeekKey::First,
        SeekKey::Last,
        SeekKey::Prefix(b"k"),
        SeekKey::AtMost(b"z"),
        SeekKey::AtLeast(b"a"),
    ] {
        assert_eq!(value(&none, &mut *r, seek), None, "{seek:?}");
    }
    assert_eq!(none.get(&mut *r, STARTS, b"k").unwrap().unwrap(), b"other");
}

pub fn a_unit_sees_its_own_values(mut subject: Subject) {
    put(
        &mut *subject.store,
        &[
            (QUEUES, b"1", b"a"),
            (QUEUES, b"2", b"b"),
            (QUEUES, b"4", b"d"),
        ],
    );
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.remove(QUEUES, b"1");
    unit.put(QUEUES, b"2", b"B");
    unit.put(QUEUES, b"3", b"C");
    unit.put(QUEUES, b"9", b"I");
    unit.remove(QUEUES, b"9");
    assert!(!unit.is_empty());
    assert_eq!(unit.bytes(), 1 + 2 + 2 + 1);
    let mut see = |seek| value(&unit, &mut *r, seek).unwrap_or_default();
    assert_eq!(see(SeekKey::First), "2=B");
    assert_eq!(see(SeekKey::Greater(b"2")), "3=C");
    assert_eq!(see(SeekKey::Greater(b"3")), "4=d");
    assert_eq!(see(SeekKey::Last), "4=d");
    assert_eq!(see(SeekKey::Equal(b"1")), "");
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    let none = UnitOfWork::new();
    assert_eq!(none.get(&mut *r, QUEUES, b"1").unwrap(), None);
    assert_eq!(none.get(&mut *r, QUEUES, b"2").unwrap().unwrap(), b"B");
    assert_eq!(none.get(&mut *r, QUEUES, b"9").unwrap(), None);
}

pub fn values_and_records_become_visible_together(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let mut r = subject.store.reader().unwrap();
    let mut units = vec![UnitOfWork::new(); 2];
    units[0].insert(&mut *r, file, b"1", b"1a").unwrap();
    units[0].put(QUEUES, b"q", b"first");
    units[1].insert(&mut *r, file, b"1", b"1b").unwrap();
    units[1].put(QUEUES, b"q", b"second");
    let results = subject.store.apply(&units);
    assert!(results[0].is_ok() && results[1].is_err());
    assert_eq!(all(&mut *r, file).unwrap(), ["1a"]);
    let none = UnitOfWork::new();
    assert_eq!(value(&none, &mut *r, SeekKey::First).unwrap(), "q=first");
}

pub fn a_value_may_be_longer_than_a_record(mut subject: Subject) {
    let long = vec![7; 100_000];
    let key = [b'k'; store::MAX_TABLE_KEY_BYTES];
    put(&mut *subject.store, &[(QUEUES, &key, &long)]);
    let mut r = subject.store.reader().unwrap();
    assert_eq!(
        UnitOfWork::new()
            .get(&mut *r, QUEUES, &key)
            .unwrap()
            .unwrap(),
        long
    );
}
