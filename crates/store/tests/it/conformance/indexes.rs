//! Alternate indexes: defined, built, updated.

use store::{
    ApplyError, BuildError, CatalogueName, DefineError, DefinitionError, FileDef, FileId, PathDef,
    ReadError, RecordFormat, SeekKey, UnitError, UnitOfWork,
};

use super::Subject;
use crate::support::{all, browsed, fill, index, ksds, on_path};

/// A file with a one-byte key and an index over the two bytes after it.
fn indexed(subject: &mut Subject, unique: bool) -> (FileId, FileId) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let index = subject
        .store
        .define_index(index("I", "F", 1, 2, unique))
        .unwrap();
    (file, index)
}

fn see(subject: &mut Subject, index: FileId) -> Vec<String> {
    let mut r = subject.store.reader().unwrap();
    browsed(&UnitOfWork::new(), &mut *r, index, false)
}

/// The number of an index now.
fn number(subject: &Subject, name: &str) -> FileId {
    let mut r = subject.store.reader().unwrap();
    match r
        .names()
        .unwrap()
        .into_iter()
        .find(|named| named.name().as_str() == name)
    {
        Some(CatalogueName::Index(entry)) => entry.id,
        other => panic!("{other:?}"),
    }
}

pub fn an_index_follows_inserts_replaces_and_deletes(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, false);
    fill(&mut *subject.store, file, 1, &["1zz", "2aa", "3zz", "4mm"]);
    assert_eq!(see(&mut subject, index), ["2aa", "4mm", "1zz+", "3zz"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.replace(&mut *r, file, b"1", b"1bb, longer").unwrap();
    unit.replace(&mut *r, file, b"3", b"3zz, same key").unwrap();
    unit.delete(&mut *r, file, b"2").unwrap();
    unit.insert(&mut *r, file, b"5", b"5mm").unwrap();
    unit.insert(&mut *r, file, b"6", b"6mm").unwrap();
    unit.delete(&mut *r, file, b"6").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(
        see(&mut subject, index),
        ["1bb, longer", "4mm+", "5mm", "3zz, same key"]
    );
}

pub fn a_unique_key_is_refused_at_the_change_and_at_the_apply(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, true);
    fill(&mut *subject.store, file, 1, &["1aa", "2bb"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    let before = unit.clone();
    let duplicate = || UnitError::DuplicateAlternate {
        index,
        key: (&b"aa"[..]).into(),
    };
    assert_eq!(unit.insert(&mut *r, file, b"3", b"3aa"), Err(duplicate()));
    assert_eq!(unit.replace(&mut *r, file, b"2", b"2aa"), Err(duplicate()));
    assert_eq!(unit, before);
    assert_eq!(
        unit.unique_keys(&mut *r, file, b"3cc").unwrap(),
        [(index, Box::from(&b"cc"[..]))]
    );
    // Two units at once, neither seeing the other.
    let mut units = vec![UnitOfWork::new(); 2];
    units[0].insert(&mut *r, file, b"3", b"3cc").unwrap();
    units[1].insert(&mut *r, file, b"4", b"4cc").unwrap();
    units[1].insert(&mut *r, file, b"5", b"5dd").unwrap();
    let refused = ApplyError::DuplicateAlternate {
        index,
        key: (&b"cc"[..]).into(),
    };
    assert_eq!(subject.store.apply(&units), [Ok(()), Err(refused)]);
    assert_eq!(all(&mut *r, file).unwrap(), ["1aa", "2bb", "3cc"]);
    assert_eq!(see(&mut subject, index), ["1aa", "2bb", "3cc"]);
}

pub fn a_unique_key_may_pass_from_one_record_to_another_in_one_unit(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, true);
    fill(&mut *subject.store, file, 1, &["2aa", "3bb"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, file, b"2").unwrap();
    unit.insert(&mut *r, file, b"1", b"1aa").unwrap();
    unit.replace(&mut *r, file, b"3", b"3cc").unwrap();
    unit.insert(&mut *r, file, b"0", b"0bb").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(see(&mut subject, index), ["1aa", "0bb", "3cc"]);
}

pub fn an_index_that_is_not_of_the_upgrade_set_is_as_true_as_its_last_build(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    let mut def = index("I", "F", 1, 2, false);
    def.upgrade = false;
    let index = subject.store.define_index(def).unwrap();
    fill(&mut *subject.store, file, 1, &["1aa", "2bb", "3cc"]);
    assert_eq!(see(&mut subject, index), [""; 0]);
    let index = subject
        .store
        .build_index(index, 1 << 20, &mut |_| ())
        .unwrap();
    assert_eq!(see(&mut subject, index), ["1aa", "2bb", "3cc"]);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, file, b"1").unwrap();
    unit.replace(&mut *r, file, b"2", b"2zz").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    // Outdated entries are skipped.
    assert_eq!(see(&mut subject, index), ["3cc"]);
}

pub fn an_index_over_records_is_read_once_it_is_built(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    fill(&mut *subject.store, file, 1, &["1zz", "2aa", "3", "4zz"]);
    let unbuilt = subject
        .store
        .define_index(index("I", "F", 1, 2, true))
        .unwrap();
    // An index that is not built is not in the way.
    fill(&mut *subject.store, file, 1, &["5bb"]);
    let mut r = subject.store.reader().unwrap();
    assert_eq!(
        r.seek_path(unbuilt, SeekKey::First, &mut |_| ()),
        Err(ReadError::NotBuilt(unbuilt))
    );
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, file, b"1").unwrap();
    assert_eq!(
        unit.seek_path(&mut *r, unbuilt, SeekKey::First, &mut |_| ()),
        Err(ReadError::NotBuilt(unbuilt))
    );
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    let mut reported = Vec::new();
    let built = subject
        .store
        .build_index(unbuilt, 1, &mut |p| reported.push(p))
        .unwrap();
    assert_ne!(built, unbuilt);
    let last = reported.last().unwrap();
    assert_eq!((last.read, last.written), (4, 3));
    assert_eq!(see(&mut subject, built), ["2aa", "5bb", "4zz"]);
    assert_eq!(
        r.seek_path(unbuilt, SeekKey::First, &mut |_| ()),
        Err(ReadError::UnknownFile(unbuilt))
    );
    fill(&mut *subject.store, file, 1, &["6cc"]);
    assert_eq!(see(&mut subject, built).len(), 4);
    // Once more, over one that is built.
    let again = subject
        .store
        .build_index(built, 1 << 20, &mut |_| ())
        .unwrap();
    assert_eq!(see(&mut subject, again), ["2aa", "5bb", "6cc", "4zz"]);
}

pub fn a_build_names_the_two_records_of_one_unique_key(mut subject: Subject) {
    let file = subject.store.define(ksds("F", 1)).unwrap();
    fill(&mut *subject.store, file, 1, &["1bb", "2aa", "3bb"]);
    let index = subject
        .store
        .define_index(index("I", "F", 1, 2, true))
        .unwrap();
    let key = |bytes: &[u8]| bytes.into();
    assert_eq!(
        subject.store.build_index(index, 1 << 20, &mut |_| ()),
        Err(BuildError::DuplicateAlternate {
            index: "I".parse().unwrap(),
            key: key(b"bb"),
            first: key(b"1"),
            second: key(b"3"),
        })
    );
    let mut r = subject.store.reader().unwrap();
    assert_eq!(r.index(index).unwrap().id, index);
    assert_eq!(
        subject.store.build_index(file, 1, &mut |_| ()),
        Err(BuildError::UnknownFile(file))
    );
}

pub fn a_load_builds_the_indexes_anew(mut subject: Subject) {
    let (file, old) = indexed(&mut subject, false);
    fill(&mut *subject.store, file, 1, &["1aa", "2bb"]);
    let mut load = subject.store.start_load(file).unwrap();
    for record in ["7cc", "8bb", "9cc"] {
        assert_eq!(
            load.insert(&record.as_bytes()[..1], record.as_bytes()),
            Ok(true)
        );
    }
    let mut entries = 0;
    let file = load.finish(&mut |done| entries = done.written).unwrap();
    assert_eq!(entries, 3);
    let new = number(&subject, "I");
    assert_ne!(new, old);
    assert_eq!(see(&mut subject, new), ["8bb", "7cc+", "9cc"]);
    fill(&mut *subject.store, file, 1, &["1aa"]);
    assert_eq!(see(&mut subject, new).len(), 4);
    let mut r = subject.store.reader().unwrap();
    assert_eq!(r.indexes(file).unwrap().len(), 1);
}

pub fn a_load_that_breaks_a_unique_index_changes_nothing(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, true);
    fill(&mut *subject.store, file, 1, &["1aa", "2bb"]);
    let mut load = subject.store.start_load(file).unwrap();
    for record in ["7cc", "8cc"] {
        assert_eq!(
            load.insert(&record.as_bytes()[..1], record.as_bytes()),
            Ok(true)
        );
    }
    assert!(matches!(
        load.finish(&mut |_| ()),
        Err(BuildError::DuplicateAlternate { .. })
    ));
    assert_eq!(see(&mut subject, index), ["1aa", "2bb"]);
    fill(&mut *subject.store, file, 1, &["3cc"]);
    assert_eq!(see(&mut subject, index), ["1aa", "2bb", "3cc"]);
}

pub fn a_file_takes_its_indexes_and_paths_along(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, false);
    for (name, entry) in [("P", "I"), ("ALIAS", "F")] {
        let path = PathDef {
            name: name.parse().unwrap(),
            entry: entry.parse().unwrap(),
            update: true,
        };
        subject.store.define_path(path).unwrap();
    }
    let mut r = subject.store.reader().unwrap();
    let names = |r: &mut dyn store::ReadStore| -> Vec<String> {
        r.names()
            .unwrap()
            .iter()
            .map(|named| named.name().to_string())
            .collect()
    };
    assert_eq!(names(&mut *r), ["ALIAS", "F", "I", "P"]);
    subject.store.remove(index).unwrap();
    assert_eq!(names(&mut *r), ["ALIAS", "F"]);
    assert_eq!(&*r.indexes(file).unwrap(), []);
    subject.store.remove(file).unwrap();
    assert_eq!(names(&mut *r), [""; 0]);
    assert_eq!(
        subject.store.remove(file),
        Err(DefineError::UnknownFile(file))
    );
    assert_eq!(r.indexes(file).unwrap().len(), 0);
}

pub fn names_lead_to_a_file_or_through_an_index(mut subject: Subject) {
    let (file, index) = indexed(&mut subject, false);
    let path = |name: &str, entry: &str| PathDef {
        name: name.parse().unwrap(),
        entry: entry.parse().unwrap(),
        update: false,
    };
    subject.store.define_path(path("BANK.PATH", "I")).unwrap();
    subject.store.define_path(path("ALIAS", "F")).unwrap();
    let mut r = subject.store.reader().unwrap();
    let mut leads = |name: &str| {
        let access = r.access(&name.parse().unwrap()).unwrap()?;
        Some((access.base.id, access.index.map(|index| index.id)))
    };
    assert_eq!(leads("F"), Some((file, None)));
    assert_eq!(leads("ALIAS"), Some((file, None)));
    assert_eq!(leads("I"), Some((file, Some(index))));
    assert_eq!(leads("BANK.PATH"), Some((file, Some(index))));
    assert_eq!(leads("NOTHING"), None);
    let name = || "ALIAS".parse().unwrap();
    subject.store.remove_path(&name()).unwrap();
    assert_eq!(
        subject.store.remove_path(&name()),
        Err(DefineError::NotDefined { name: name() })
    );
    assert_eq!(r.access(&name()).unwrap(), None);
    // Indexes and paths are not files.
    assert_eq!(r.files().unwrap().len(), 1);
    assert_eq!(r.find(&"I".parse().unwrap()).unwrap(), None);
}

pub fn an_impossible_base_of_an_index_or_path_is_reported(mut subject: Subject) {
    let (file, _) = indexed(&mut subject, false);
    let rrds = FileDef::rrds("R".parse().unwrap(), RecordFormat::Fixed, 9).unwrap();
    subject.store.define(rrds).unwrap();
    let path = |name: &str, entry: &str| PathDef {
        name: name.parse().unwrap(),
        entry: entry.parse().unwrap(),
        update: true,
    };
    let store = &mut *subject.store;
    store.define_path(path("P", "I")).unwrap();
    let taken = |name: &str| DefineError::AlreadyDefined {
        name: name.parse().unwrap(),
    };
    let missing = || DefineError::NotDefined {
        name: "X".parse().unwrap(),
    };
    for name in ["F", "I", "P"] {
        assert_eq!(store.define(ksds(name, 1)), Err(taken(name)));
        assert_eq!(
            store.define_index(index(name, "F", 0, 1, true)),
            Err(taken(name))
        );
        assert_eq!(store.define_path(path(name, "F")), Err(taken(name)));
    }
    assert_eq!(
        store.define_index(index("J", "X", 0, 1, true)),
        Err(missing())
    );
    assert_eq!(store.define_path(path("Q", "X")), Err(missing()));
    assert!(matches!(
        store.define_index(index("J", "I", 0, 1, true)),
        Err(DefineError::WrongKind { .. })
    ));
    assert!(matches!(
        store.define_path(path("Q", "P")),
        Err(DefineError::WrongKind { .. })
    ));
    assert!(matches!(
        store.define_index(index("J", "R", 0, 1, true)),
        Err(DefineError::Definition(
            DefinitionError::IndexOverRrds { .. }
        ))
    ));
    assert!(matches!(
        store.define_index(index("J", "F", 32_767, 1, true)),
        Err(DefineError::Definition(
            DefinitionError::KeyOutsideRecord { .. }
        ))
    ));
    fill(store, file, 1, &["1aa"]);
    let mut r = store.reader().unwrap();
    let known = match r.names().unwrap().remove(1) {
        CatalogueName::Index(entry) => entry.id,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        on_path(&UnitOfWork::new(), &mut *r, known, SeekKey::First)
            .unwrap()
            .0,
        "1aa"
    );
}
