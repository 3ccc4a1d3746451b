//! Reading through alternate indexes.

use store::{FileDef, FileEnds, FileId, ReadStore, RecordFormat, SeekKey, UnitOfWork};

use super::Subject;
use crate::support::{browsed, fill, index, ksds, on_path};

/// Five records, their own key first, then an alternate key of two bytes.
fn filled(subject: &mut Subject) -> (Box<dyn ReadStore + Send>, FileId, FileId) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let index = subject
        .store
        .define_index(index("I", "F", 1, 2, false))
        .unwrap();
    fill(
        &mut *subject.store,
        file,
        1,
        &["5bb", "1dd", "4bb", "2aa", "3bb"],
    );
    (subject.store.reader().unwrap(), file, index)
}

pub fn equal_finds_the_first_of_its_key_and_reports_that_more_follow(mut subject: Subject) {
    let (mut r, _, index) = filled(&mut subject);
    let mut see = |seek| {
        let hit = on_path(&UnitOfWork::new(), &mut *r, index, seek);
        hit.map(|(record, _)| record).unwrap_or_default()
    };
    assert_eq!(see(SeekKey::Equal(b"bb")), "3bb+");
    assert_eq!(see(SeekKey::Equal(b"bb4")), "4bb+");
    assert_eq!(see(SeekKey::Equal(b"bb5")), "5bb");
    assert_eq!(see(SeekKey::Equal(b"bb6")), "");
    assert_eq!(see(SeekKey::Equal(b"aa")), "2aa");
    assert_eq!(see(SeekKey::Equal(b"b")), "");
    assert_eq!(see(SeekKey::Equal(b"cc")), "");
}

pub fn a_path_steps_forward_through_every_record(mut subject: Subject) {
    let (mut r, _, index) = filled(&mut subject);
    assert_eq!(
        browsed(&UnitOfWork::new(), &mut *r, index, false),
        ["2aa", "3bb+", "4bb+", "5bb", "1dd"]
    );
}

pub fn backwards_keys_descend_and_their_records_ascend(mut subject: Subject) {
    let (mut r, file, index) = filled(&mut subject);
    assert_eq!(
        browsed(&UnitOfWork::new(), &mut *r, index, true),
        ["1dd", "3bb+", "4bb+", "5bb", "2aa"]
    );
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, file, b"3").unwrap();
    unit.insert(&mut *r, file, b"6", b"6bb").unwrap();
    unit.insert(&mut *r, file, b"7", b"7aa").unwrap();
    unit.replace(&mut *r, file, b"1", b"1\xFF\xFF").unwrap();
    assert_eq!(
        browsed(&unit, &mut *r, index, true),
        ["1\u{FFFD}\u{FFFD}", "4bb+", "5bb+", "6bb", "2aa+", "7aa"]
    );
}

pub fn every_form_of_seek_works_on_alternate_keys(mut subject: Subject) {
    let (mut r, _, index) = filled(&mut subject);
    let mut see = |seek| {
        let hit = on_path(&UnitOfWork::new(), &mut *r, index, seek);
        hit.map(|(record, _)| record).unwrap_or_default()
    };
    assert_eq!(see(SeekKey::AtLeast(b"bb")), "3bb+");
    assert_eq!(see(SeekKey::AtLeast(b"b")), "3bb+");
    assert_eq!(see(SeekKey::AtLeast(b"bc")), "1dd");
    assert_eq!(see(SeekKey::AtLeast(b"bb4")), "4bb+");
    assert_eq!(see(SeekKey::AtLeast(b"e")), "");
    assert_eq!(see(SeekKey::Greater(b"bb")), "1dd");
    assert_eq!(see(SeekKey::Greater(b"bb3")), "4bb+");
    assert_eq!(see(SeekKey::Greater(b"dd")), "");
    assert_eq!(see(SeekKey::Greater(b"\xFF\xFF")), "");
    assert_eq!(see(SeekKey::Greater(b"")), "2aa");
    assert_eq!(see(SeekKey::AtMost(b"bb")), "3bb+");
    assert_eq!(see(SeekKey::AtMost(b"cc")), "3bb+");
    assert_eq!(see(SeekKey::AtMost(b"bb4")), "4bb+");
    assert_eq!(see(SeekKey::AtMost(b"\xFF\xFF")), "1dd");
    assert_eq!(see(SeekKey::AtMost(b"a")), "");
    assert_eq!(see(SeekKey::Less(b"bb")), "2aa");
    assert_eq!(see(SeekKey::Less(b"dd")), "3bb+");
    assert_eq!(see(SeekKey::Less(b"aa")), "");
    assert_eq!(see(SeekKey::Less(b"bb3")), "4bb+");
    assert_eq!(see(SeekKey::Less(b"bb5")), "2aa");
    assert_eq!(see(SeekKey::Prefix(b"b")), "3bb+");
    assert_eq!(see(SeekKey::Prefix(b"bb")), "3bb+");
    assert_eq!(see(SeekKey::Prefix(b"c")), "");
    assert_eq!(see(SeekKey::First), "2aa");
    assert_eq!(see(SeekKey::Last), "1dd");
}

pub fn records_too_short_or_suppressed_are_not_on_the_path(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let mut def = index("I", "F", 1, 2, true);
    def.suppress = Some(b' ');
    let index = subject.store.define_index(def).unwrap();
    fill(
        &mut *subject.store,
        file,
        1,
        &["1", "2a", "3aa", "4  ", "5  "],
    );
    let mut r = subject.store.reader().unwrap();
    let none = UnitOfWork::new();
    assert_eq!(browsed(&none, &mut *r, index, false), ["3aa"]);
    let mut unit = UnitOfWork::new();
    unit.replace(&mut *r, file, b"1", b"1bb").unwrap();
    unit.replace(&mut *r, file, b"3", b"3").unwrap();
    unit.replace(&mut *r, file, b"5", b"5 a").unwrap();
    assert_eq!(browsed(&unit, &mut *r, index, false), ["5 a", "1bb"]);
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(browsed(&none, &mut *r, index, false), ["5 a", "1bb"]);
}

pub fn a_task_sees_its_own_changes_through_a_path(mut subject: Subject) {
    let (mut r, file, index) = filled(&mut subject);
    let mut unit = UnitOfWork::new();
    unit.replace(&mut *r, file, b"4", b"4cc").unwrap();
    unit.delete(&mut *r, file, b"2").unwrap();
    unit.insert(&mut *r, file, b"9", b"9bb").unwrap();
    unit.replace(&mut *r, file, b"5", b"5bb, new").unwrap();
    assert_eq!(
        browsed(&unit, &mut *r, index, false),
        ["3bb+", "5bb, new+", "9bb", "4cc", "1dd"]
    );
    let no_changes = UnitOfWork::new();
    assert_eq!(browsed(&no_changes, &mut *r, index, false)[0], "2aa");
    assert_eq!(on_path(&unit, &mut *r, index, SeekKey::Equal(b"aa")), None);
    assert_eq!(
        on_path(&unit, &mut *r, index, SeekKey::Equal(b"cc"))
            .unwrap()
            .0,
        "4cc"
    );
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(
        browsed(&no_changes, &mut *r, index, false),
        ["3bb+", "5bb, new+", "9bb", "4cc", "1dd"]
    );
}

pub fn a_path_over_entries_keeps_their_order_of_arrival(mut subject: Subject) {
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    let log = subject.store.define(log).unwrap();
    let index = subject
        .store
        .define_index(index("I", "LOG", 0, 1, false))
        .unwrap();
    let mut r = subject.store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    for record in ["b last year", "a", "b this year", "b"] {
        unit.append(&mut *r, &mut ends, log, record.as_bytes())
            .unwrap();
    }
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    let mut unit = UnitOfWork::new();
    unit.append(&mut *r, &mut ends, log, b"b now").unwrap();
    assert_eq!(
        browsed(&unit, &mut *r, index, false),
        ["a", "b last year+", "b this year+", "b+", "b now"]
    );
    assert_eq!(
        browsed(&unit, &mut *r, index, true)[..2],
        ["b last year+", "b this year+"]
    );
}
