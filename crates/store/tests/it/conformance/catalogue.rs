//! The catalogue of files.

use store::{DefineError, DefinitionError, FileDef, FileId, ReadError, RecordFormat, SeekKey};

use super::Subject;
use crate::support::{all, fill, ksds};

pub fn files_are_listed_by_name(mut subject: Subject) {
    let store = &mut *subject.store;
    let defs = [
        ksds("ZEBRA", 3),
        FileDef::esds("APE.LOG".parse().unwrap(), RecordFormat::Variable, 100).unwrap(),
        FileDef::rrds("MOLE".parse().unwrap(), RecordFormat::Fixed, 7).unwrap(),
    ];
    let ids: Vec<_> = defs
        .iter()
        .map(|def| store.define(def.clone()).unwrap())
        .collect();
    let mut r = store.reader().unwrap();
    let listed = r.files().unwrap();
    let expected = [1, 2, 0].map(|at: usize| (ids[at], defs[at].clone()));
    assert_eq!(
        listed
            .iter()
            .map(|e| (e.id, (*e.def).clone()))
            .collect::<Vec<_>>(),
        expected
    );
    let found = r.find(&"mole".parse().unwrap()).unwrap().unwrap();
    assert_eq!((found.id, &*found.def), (ids[2], &defs[2]));
    assert_eq!(r.find(&"MOUSE".parse().unwrap()).unwrap(), None);
    assert_eq!(*r.definition(ids[1]).unwrap(), defs[1]);
    assert_eq!(
        r.definition(FileId(99)),
        Err(ReadError::UnknownFile(FileId(99)))
    );
}

pub fn a_name_is_defined_once(mut subject: Subject) {
    subject.store.define(ksds("ONE", 1)).unwrap();
    let again = subject.store.define(ksds("ONE", 2));
    assert_eq!(
        again,
        Err(DefineError::AlreadyDefined {
            name: "ONE".parse().unwrap()
        })
    );
}

pub fn a_removed_file_is_gone_and_its_number_stays_unused(mut subject: Subject) {
    let store = &mut *subject.store;
    let old = store.define(ksds("F", 1)).unwrap();
    fill(store, old, 1, &["1a"]);
    let mut r = store.reader().unwrap();
    assert_eq!(all(&mut *r, old).unwrap(), ["1a"]);
    store.remove(old).unwrap();
    assert_eq!(r.find(&"F".parse().unwrap()).unwrap(), None);
    assert_eq!(
        r.seek(old, SeekKey::First, &mut |_| ()),
        Err(ReadError::UnknownFile(old))
    );
    assert_eq!(store.remove(old), Err(DefineError::UnknownFile(old)));
    let new = store.define(ksds("F", 1)).unwrap();
    assert_ne!(new, old);
    assert_eq!(all(&mut *r, new).unwrap(), [""; 0]);
}

pub fn a_definition_that_cannot_stand_is_refused(mut subject: Subject) {
    let def = FileDef {
        max_record_bytes: 0,
        ..ksds("F", 1)
    };
    let refused = DefinitionError::RecordLength { length: 0 };
    assert_eq!(
        subject.store.define(def),
        Err(DefineError::Definition(refused))
    );
}
