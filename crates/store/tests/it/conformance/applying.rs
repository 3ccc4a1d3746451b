//! Units of work, applied.

use store::{ApplyError, FileId, ReadError, SeekKey, UnitOfWork};

use super::Subject;
use crate::support::{all, at, fill, ksds};

fn file(subject: &mut Subject, name: &str) -> FileId {
    subject.store.define(ksds(name, 1)).unwrap()
}

pub fn a_reader_sees_nothing_before_the_apply_and_all_after(mut subject: Subject) {
    let file = file(&mut subject, "F");
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.insert(&mut *r, file, b"1", b"1a").unwrap();
    unit.insert(&mut *r, file, b"2", b"2a").unwrap();
    assert_eq!(all(&mut *r, file).unwrap(), [""; 0]);
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(all(&mut *r, file).unwrap(), ["1a", "2a"]);
}

pub fn a_unit_that_fails_leaves_no_trace_and_harms_no_other(mut subject: Subject) {
    let file = file(&mut subject, "F");
    let mut r = subject.store.reader().unwrap();
    let mut units = vec![UnitOfWork::new(); 4];
    units[0].insert(&mut *r, file, b"5", b"5 first").unwrap();
    units[1].insert(&mut *r, file, b"1", b"1 never").unwrap();
    units[1].insert(&mut *r, file, b"5", b"5 never").unwrap();
    units[2].insert(&mut *r, file, b"2", b"2 third").unwrap();
    units[3].insert(&mut *r, file, b"2", b"2 never").unwrap();
    let duplicate = |key: &[u8]| {
        Err(ApplyError::Duplicate {
            file,
            key: key.into(),
        })
    };
    assert_eq!(
        subject.store.apply(&units),
        [Ok(()), duplicate(b"5"), Ok(()), duplicate(b"2")]
    );
    assert_eq!(all(&mut *r, file).unwrap(), ["2 third", "5 first"]);
}

pub fn a_unit_sees_what_those_before_it_in_the_batch_did(mut subject: Subject) {
    let file = file(&mut subject, "F");
    fill(&mut *subject.store, file, 1, &["1a"]);
    let mut r = subject.store.reader().unwrap();
    let mut units = vec![UnitOfWork::new(); 3];
    units[0].delete(&mut *r, file, b"1").unwrap();
    units[1].replace(&mut *r, file, b"1", b"1b").unwrap();
    units[2].delete(&mut *r, file, b"1").unwrap();
    let not_found = || {
        Err(ApplyError::NotFound {
            file,
            key: (&b"1"[..]).into(),
        })
    };
    assert_eq!(
        subject.store.apply(&units),
        [Ok(()), not_found(), not_found()]
    );
    assert_eq!(all(&mut *r, file).unwrap(), [""; 0]);
}

pub fn a_unit_may_change_many_files(mut subject: Subject) {
    let (a, b) = (file(&mut subject, "A"), file(&mut subject, "B"));
    fill(&mut *subject.store, a, 1, &["1a", "2a"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, a, b"1").unwrap();
    unit.replace(&mut *r, a, b"2", b"2 longer than before")
        .unwrap();
    unit.insert(&mut *r, b, b"1", b"1b").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(all(&mut *r, a).unwrap(), ["2 longer than before"]);
    assert_eq!(all(&mut *r, b).unwrap(), ["1b"]);
}

pub fn an_empty_batch_and_an_empty_unit_succeed(mut subject: Subject) {
    assert_eq!(subject.store.apply(&[]), []);
    assert_eq!(subject.store.apply(&[UnitOfWork::new()]), [Ok(())]);
}

pub fn a_unit_for_a_file_that_is_gone_is_refused(mut subject: Subject) {
    let (a, b) = (file(&mut subject, "A"), file(&mut subject, "B"));
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.insert(&mut *r, a, b"1", b"1a").unwrap();
    unit.insert(&mut *r, b, b"1", b"1b").unwrap();
    subject.store.remove(b).unwrap();
    assert_eq!(
        subject.store.apply(&[unit]),
        [Err(ApplyError::UnknownFile(b))]
    );
    assert_eq!(at(&mut *r, a, SeekKey::First), None);
    assert_eq!(all(&mut *r, b), Err(ReadError::UnknownFile(b)));
}
