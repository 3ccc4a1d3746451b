//! A store as a task with pending changes sees it.

use store::{
    FileDef, FileId, KeyChange, ReadStore, RecordError, RecordFormat, SeekKey, UnitError,
    UnitOfWork, rba_key, rrn_key,
};

use super::Subject;
use crate::support::{fill, ksds, through};

/// A file with the keys 1, 3, 5, 7 and a unit that changed it to 0, 3', 4, 7.
fn changed(subject: &mut Subject) -> (Box<dyn ReadStore + Send>, FileId, UnitOfWork) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    fill(&mut *subject.store, file, 1, &["1a", "3a", "5a", "7a"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    assert!(!unit.touches(file));
    unit.delete(&mut *r, file, b"1").unwrap();
    unit.insert(&mut *r, file, b"0", b"0b").unwrap();
    unit.replace(&mut *r, file, b"3", b"3b").unwrap();
    unit.insert(&mut *r, file, b"4", b"4b").unwrap();
    unit.delete(&mut *r, file, b"5").unwrap();
    assert!(unit.touches(file));
    (r, file, unit)
}

pub fn a_task_sees_its_own_changes(mut subject: Subject) {
    let (mut r, file, unit) = changed(&mut subject);
    let mut see = |seek| through(&unit, &mut *r, file, seek).unwrap_or_default();
    assert_eq!(see(SeekKey::Equal(b"0")), "0b");
    assert_eq!(see(SeekKey::Equal(b"1")), "");
    assert_eq!(see(SeekKey::Equal(b"3")), "3b");
    assert_eq!(see(SeekKey::Equal(b"7")), "7a");
    assert_eq!(see(SeekKey::First), "0b");
    assert_eq!(see(SeekKey::Last), "7a");
}

pub fn browsing_passes_over_what_the_task_deleted(mut subject: Subject) {
    let (mut r, file, unit) = changed(&mut subject);
    let mut see = |seek| through(&unit, &mut *r, file, seek).unwrap_or_default();
    assert_eq!(see(SeekKey::Greater(b"0")), "3b");
    assert_eq!(see(SeekKey::AtLeast(b"1")), "3b");
    assert_eq!(see(SeekKey::Greater(b"3")), "4b");
    assert_eq!(see(SeekKey::Greater(b"4")), "7a");
    assert_eq!(see(SeekKey::Greater(b"7")), "");
    assert_eq!(see(SeekKey::Less(b"7")), "4b");
    assert_eq!(see(SeekKey::AtMost(b"5")), "4b");
    assert_eq!(see(SeekKey::Less(b"3")), "0b");
    assert_eq!(see(SeekKey::AtMost(b"1")), "0b");
    assert_eq!(see(SeekKey::Less(b"0")), "");
}

pub fn a_prefix_is_not_left_through_the_task_s_own_records(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 2)).unwrap();
    fill(&mut *subject.store, file, 2, &["1a", "2a", "2c", "3a"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for key in [b"2a", b"2c"] {
        unit.delete(&mut *r, file, key).unwrap();
    }
    unit.insert(&mut *r, file, b"3b", b"3b").unwrap();
    assert_eq!(through(&unit, &mut *r, file, SeekKey::Prefix(b"2")), None);
    unit.insert(&mut *r, file, b"2b", b"2b").unwrap();
    assert_eq!(
        through(&unit, &mut *r, file, SeekKey::Prefix(b"2")).unwrap(),
        "2b"
    );
    assert_eq!(
        through(&unit, &mut *r, file, SeekKey::Prefix(b"3")).unwrap(),
        "3a"
    );
}

pub fn changes_to_one_key_fold_into_one(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    fill(&mut *subject.store, file, 1, &["1a"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.replace(&mut *r, file, b"1", b"1b").unwrap();
    unit.delete(&mut *r, file, b"1").unwrap();
    assert_eq!(unit.change(file, b"1"), Some(&KeyChange::Delete));
    unit.insert(&mut *r, file, b"1", b"1c").unwrap();
    assert_eq!(
        unit.change(file, b"1"),
        Some(&KeyChange::Replace((*b"1c").into()))
    );
    unit.insert(&mut *r, file, b"2", b"2a").unwrap();
    unit.replace(&mut *r, file, b"2", b"2bb").unwrap();
    assert_eq!(
        unit.change(file, b"2"),
        Some(&KeyChange::Insert((*b"2bb").into()))
    );
    assert_eq!(unit.bytes(), 1 + 2 + 1 + 3);
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
}

pub fn what_was_added_and_deleted_again_was_never_there(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.insert(&mut *r, file, b"1", b"1a").unwrap();
    unit.delete(&mut *r, file, b"1").unwrap();
    assert!(unit.is_empty() && !unit.touches(file));
    assert_eq!(unit.bytes(), 0);
    assert_eq!(
        unit.delete(&mut *r, file, b"1"),
        Err(UnitError::NotFound((&b"1"[..]).into()))
    );
}

pub fn a_change_that_breaks_a_rule_leaves_the_unit_as_it_was(mut subject: Subject) {
    let (mut r, file, mut unit) = changed(&mut subject);
    let before = unit.clone();
    let key = |key: &[u8]| key.into();
    for (change, error) in [
        (
            unit.insert(&mut *r, file, b"7", b"7x"),
            UnitError::Duplicate(key(b"7")),
        ),
        (
            unit.insert(&mut *r, file, b"0", b"0x"),
            UnitError::Duplicate(key(b"0")),
        ),
        (
            unit.replace(&mut *r, file, b"5", b"5x"),
            UnitError::NotFound(key(b"5")),
        ),
        (
            unit.replace(&mut *r, file, b"6", b"6x"),
            UnitError::NotFound(key(b"6")),
        ),
        (
            unit.delete(&mut *r, file, b"5"),
            UnitError::NotFound(key(b"5")),
        ),
        (
            unit.replace(&mut *r, file, b"7", b"8x"),
            RecordError::KeyDiffers {
                given: key(b"7"),
                in_record: key(b"8"),
            }
            .into(),
        ),
        (
            unit.delete(&mut *r, file, b"77"),
            RecordError::KeyLength {
                length: 2,
                expected: 1,
            }
            .into(),
        ),
    ] {
        assert_eq!(change, Err(error));
    }
    assert_eq!(unit, before);
}

pub fn entries_and_relative_records_obey_their_own_rules(mut subject: Subject) {
    let store = &mut *subject.store;
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    let slots = FileDef::rrds("SLOTS".parse().unwrap(), RecordFormat::Fixed, 4).unwrap();
    let (log, slots) = (store.define(log).unwrap(), store.define(slots).unwrap());
    let mut r = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    assert_eq!(unit.next_address(&mut *r, log), Ok(Some(0)));
    unit.insert(&mut *r, log, &rba_key(0), b"first").unwrap();
    assert_eq!(unit.next_address(&mut *r, log), Ok(Some(5)));
    unit.insert(&mut *r, log, &rba_key(5), b"second").unwrap();
    unit.replace(&mut *r, log, &rba_key(5), b"SECOND").unwrap();
    assert_eq!(
        unit.replace(&mut *r, log, &rba_key(5), b"short"),
        Err(RecordError::EntryLength {
            length: 5,
            expected: 6
        }
        .into())
    );
    assert_eq!(
        unit.delete(&mut *r, log, &rba_key(0)),
        Err(RecordError::NotDeletable.into())
    );
    unit.insert(&mut *r, slots, &rrn_key(300), b"wxyz").unwrap();
    unit.insert(&mut *r, slots, &rrn_key(7), b"abcd").unwrap();
    assert_eq!(
        unit.insert(&mut *r, slots, &rrn_key(0), b"none"),
        Err(RecordError::RecordNumberZero.into())
    );
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    assert_eq!(
        through(&UnitOfWork::new(), &mut *r, log, SeekKey::Last).unwrap(),
        "SECOND"
    );
    assert_eq!(
        through(&UnitOfWork::new(), &mut *r, slots, SeekKey::First).unwrap(),
        "abcd"
    );
}
