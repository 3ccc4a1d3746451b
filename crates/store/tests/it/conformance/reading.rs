//! The record that a command finds.

use std::ops::ControlFlow;

use store::{FileId, ReadExt, ReadStore, SeekKey, UnitOfWork};

use super::Subject;
use crate::support::{all, at, fill, ksds};

/// A file with the keys 10, 20, 21, 30.
fn tens(subject: &mut Subject) -> (Box<dyn ReadStore + Send>, FileId) {
    let store = &mut *subject.store;
    let file = store.define(ksds("TENS", 2)).unwrap();
    fill(store, file, 2, &["30c", "10a", "21x", "20b"]);
    (store.reader().unwrap(), file)
}

fn found(reader: &mut (dyn ReadStore + Send), file: FileId, seek: SeekKey<'_>) -> String {
    at(reader, file, seek).unwrap_or_default()
}

pub fn equal_finds_the_record_with_that_key_only(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    assert_eq!(found(&mut *r, file, SeekKey::Equal(b"20")), "20b");
    for absent in [&b"2"[..], b"25", b"200", b""] {
        assert_eq!(found(&mut *r, file, SeekKey::Equal(absent)), "");
    }
    assert_eq!(r.get(file, b"21", <[u8]>::len).unwrap(), Some(3));
}

pub fn at_least_finds_the_key_or_the_next(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    assert_eq!(found(&mut *r, file, SeekKey::AtLeast(b"20")), "20b");
    assert_eq!(found(&mut *r, file, SeekKey::AtLeast(b"200")), "21x");
    assert_eq!(found(&mut *r, file, SeekKey::AtLeast(b"2")), "20b");
    assert_eq!(found(&mut *r, file, SeekKey::AtLeast(b"31")), "");
}

pub fn greater_and_less_step_through_the_file(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    let mut seen = vec![found(&mut *r, file, SeekKey::First)];
    while let Some(next) = at(
        &mut *r,
        file,
        SeekKey::Greater(&seen[seen.len() - 1].as_bytes()[..2]),
    ) {
        seen.push(next);
    }
    assert_eq!(seen, ["10a", "20b", "21x", "30c"]);
    let mut back = vec![found(&mut *r, file, SeekKey::Last)];
    while let Some(next) = at(
        &mut *r,
        file,
        SeekKey::Less(&back[back.len() - 1].as_bytes()[..2]),
    ) {
        back.push(next);
    }
    back.reverse();
    assert_eq!(back, seen);
    assert_eq!(found(&mut *r, file, SeekKey::Greater(b"11")), "20b");
    assert_eq!(found(&mut *r, file, SeekKey::Less(b"25")), "21x");
    assert_eq!(found(&mut *r, file, SeekKey::Less(b"99")), "30c");
}

pub fn at_most_finds_the_key_or_the_one_before(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    assert_eq!(found(&mut *r, file, SeekKey::AtMost(b"20")), "20b");
    assert_eq!(found(&mut *r, file, SeekKey::AtMost(b"29")), "21x");
    assert_eq!(found(&mut *r, file, SeekKey::AtMost(b"99")), "30c");
    assert_eq!(found(&mut *r, file, SeekKey::AtMost(b"09")), "");
}

pub fn a_prefix_finds_the_first_key_that_begins_so(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    assert_eq!(found(&mut *r, file, SeekKey::Prefix(b"2")), "20b");
    assert_eq!(found(&mut *r, file, SeekKey::Prefix(b"21")), "21x");
    assert_eq!(found(&mut *r, file, SeekKey::Prefix(b"")), "10a");
    assert_eq!(found(&mut *r, file, SeekKey::Prefix(b"4")), "");
    assert_eq!(found(&mut *r, file, SeekKey::Prefix(b"0")), "");
}

pub fn keys_compare_as_unsigned_bytes(mut subject: Subject) {
    let store = &mut *subject.store;
    let file = store.define(ksds("BYTES", 1)).unwrap();
    let mut r = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for key in [0x80, 0x00, 0xFF, 0x7F] {
        unit.insert(&mut *r, file, &[key], &[key]).unwrap();
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    let mut keys = Vec::new();
    r.scan(file, SeekKey::First, &mut |entry| {
        keys.push(entry.key[0]);
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(keys, [0x00, 0x7F, 0x80, 0xFF]);
}

pub fn an_empty_file_holds_nothing(mut subject: Subject) {
    let file = subject.store.define(ksds("EMPTY", 2)).unwrap();
    let mut r = subject.store.reader().unwrap();
    for seek in [
        SeekKey::First,
        SeekKey::Last,
        SeekKey::Equal(b"10"),
        SeekKey::AtLeast(b"10"),
        SeekKey::Greater(b"10"),
        SeekKey::AtMost(b"10"),
        SeekKey::Less(b"10"),
        SeekKey::Prefix(b"1"),
    ] {
        assert_eq!(at(&mut *r, file, seek), None, "{seek:?}");
    }
    assert_eq!(all(&mut *r, file), Ok(vec![]));
}

pub fn an_empty_key_is_before_every_other(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    assert_eq!(found(&mut *r, file, SeekKey::AtLeast(b"")), "10a");
    assert_eq!(found(&mut *r, file, SeekKey::Greater(b"")), "10a");
    assert_eq!(found(&mut *r, file, SeekKey::AtMost(b"")), "");
    assert_eq!(found(&mut *r, file, SeekKey::Less(b"")), "");
    assert_eq!(found(&mut *r, file, SeekKey::Equal(b"")), "");
}

pub fn a_scan_starts_anywhere_and_stops_on_request(mut subject: Subject) {
    let (mut r, file) = tens(&mut subject);
    let mut seen = Vec::new();
    r.scan(file, SeekKey::Greater(b"10"), &mut |entry| {
        seen.push(entry.record.to_vec());
        if entry.key == b"21" {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap();
    assert_eq!(seen, [b"20b", b"21x"]);
    r.scan(file, SeekKey::Less(b"10"), &mut |_| {
        unreachable!("nothing is less")
    })
    .unwrap();
}

pub fn a_record_may_have_the_greatest_length(mut subject: Subject) {
    let store = &mut *subject.store;
    let file = store.define(ksds("LONG", 255)).unwrap();
    let record = vec![b'x'; 32_767];
    let mut r = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.insert(&mut *r, file, &record[..255], &record).unwrap();
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    assert_eq!(
        r.get(file, &record[..255], |found| found == record)
            .unwrap(),
        Some(true)
    );
}
