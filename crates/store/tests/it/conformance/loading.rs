//! Loading a file again.

use store::{FileId, ReadError};

use super::Subject;
use crate::support::{all, fill, ksds};

fn file(subject: &mut Subject) -> FileId {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    fill(&mut *subject.store, file, 1, &["1 old", "2 old"]);
    file
}

pub fn a_load_takes_the_place_of_the_old_records(mut subject: Subject) {
    let old = file(&mut subject);
    let mut r = subject.store.reader().unwrap();
    let mut load = subject.store.start_load(old).unwrap();
    assert_eq!(load.insert(b"2", b"2 new"), Ok(true));
    assert_eq!(load.insert(b"3", b"3 new"), Ok(true));
    assert_eq!(all(&mut *r, old).unwrap(), ["1 old", "2 old"]);
    let new = load.finish(&mut |_| ()).unwrap();
    assert_ne!(new, old);
    assert_eq!(all(&mut *r, new).unwrap(), ["2 new", "3 new"]);
    assert_eq!(all(&mut *r, old), Err(ReadError::UnknownFile(old)));
    assert_eq!(r.find(&"F".parse().unwrap()).unwrap().unwrap().id, new);
    fill(&mut *subject.store, new, 1, &["9 after"]);
    assert_eq!(all(&mut *r, new).unwrap().len(), 3);
}

pub fn a_load_that_is_dropped_leaves_no_trace(mut subject: Subject) {
    let file = file(&mut subject);
    let mut load = subject.store.start_load(file).unwrap();
    assert_eq!(load.insert(b"3", b"3 new"), Ok(true));
    drop(load);
    let mut r = subject.store.reader().unwrap();
    assert_eq!(all(&mut *r, file).unwrap(), ["1 old", "2 old"]);
    assert_eq!(r.files().unwrap().len(), 1);
    fill(&mut *subject.store, file, 1, &["3 later"]);
    assert_eq!(all(&mut *r, file).unwrap(), ["1 old", "2 old", "3 later"]);
}

pub fn a_load_takes_keys_in_any_order_and_refuses_duplicates(mut subject: Subject) {
    let file = file(&mut subject);
    let mut load = subject.store.start_load(file).unwrap();
    for (key, added) in [
        ("3", true),
        ("1", true),
        ("5", true),
        ("3", false),
        ("4", true),
        ("5", false),
    ] {
        assert_eq!(
            load.insert(key.as_bytes(), key.as_bytes()),
            Ok(added),
            "{key}"
        );
    }
    let file = load.finish(&mut |_| ()).unwrap();
    let mut r = subject.store.reader().unwrap();
    assert_eq!(all(&mut *r, file).unwrap(), ["1", "3", "4", "5"]);
}
