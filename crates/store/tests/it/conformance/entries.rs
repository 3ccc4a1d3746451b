//! Entry-sequenced and relative-record files.

use store::{
    FileDef, FileEnds, FileId, ReadExt, RecordError, RecordFormat, SeekKey, UnitError, UnitOfWork,
    rba_key, rrn_key,
};

use super::Subject;
use crate::support::{all, at, through};

fn log(subject: &mut Subject) -> FileId {
    let def = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    subject.store.define(def).unwrap()
}

fn slots(subject: &mut Subject, format: RecordFormat) -> FileId {
    let def = FileDef::rrds("SLOTS".parse().unwrap(), format, 8).unwrap();
    subject.store.define(def).unwrap()
}

pub fn entries_are_added_at_the_end_and_read_both_ways(mut subject: Subject) {
    let file = log(&mut subject);
    let mut r = subject.store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    let mut addresses = Vec::new();
    for record in ["one", "two", "three"] {
        addresses.push(
            unit.append(&mut *r, &mut ends, file, record.as_bytes())
                .unwrap(),
        );
    }
    assert_eq!(addresses, [rba_key(0), rba_key(3), rba_key(6)]);
    for applied in [false, true] {
        if applied {
            assert_eq!(subject.store.apply(&[std::mem::take(&mut unit)]), [Ok(())]);
        }
        let mut see = |seek: SeekKey<'_>| through(&unit, &mut *r, file, seek).unwrap_or_default();
        assert_eq!(see(SeekKey::First), "one");
        assert_eq!(see(SeekKey::Equal(&rba_key(3))), "two");
        assert_eq!(see(SeekKey::Equal(&rba_key(4))), "");
        assert_eq!(see(SeekKey::Greater(&rba_key(3))), "three");
        assert_eq!(see(SeekKey::AtLeast(&rba_key(1))), "two");
        assert_eq!(see(SeekKey::Last), "three");
        assert_eq!(see(SeekKey::Less(&rba_key(6))), "two");
        assert_eq!(see(SeekKey::Less(&rba_key(0))), "");
    }
    let mut later = UnitOfWork::new();
    assert_eq!(
        later.append(&mut *r, &mut ends, file, b"four").unwrap(),
        rba_key(11)
    );
}

pub fn two_units_that_add_at_once_get_different_addresses(mut subject: Subject) {
    let file = log(&mut subject);
    let mut r = subject.store.reader().unwrap();
    let mut ends = FileEnds::default();
    let mut units = vec![UnitOfWork::new(); 3];
    units[0].append(&mut *r, &mut ends, file, b"aa").unwrap();
    units[1].append(&mut *r, &mut ends, file, b"never").unwrap();
    units[2].append(&mut *r, &mut ends, file, b"c").unwrap();
    units[0].append(&mut *r, &mut ends, file, b"dd").unwrap();
    units.remove(1);
    units.reverse();
    assert_eq!(subject.store.apply(&units), [Ok(()), Ok(())]);
    assert_eq!(all(&mut *r, file).unwrap(), ["aa", "c", "dd"]);
    // A backed-out record leaves a gap, and no other address changed.
    assert_eq!(at(&mut *r, file, SeekKey::Equal(&rba_key(7))).unwrap(), "c");
}

pub fn an_entry_keeps_its_length_and_stays(mut subject: Subject) {
    let file = log(&mut subject);
    let mut r = subject.store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    let key = unit.append(&mut *r, &mut ends, file, b"abc").unwrap();
    assert_eq!(subject.store.apply(&[std::mem::take(&mut unit)]), [Ok(())]);
    let wrong = RecordError::EntryLength {
        length: 4,
        expected: 3,
    };
    assert_eq!(
        unit.replace(&mut *r, file, &key, b"abcd"),
        Err(wrong.into())
    );
    assert_eq!(
        unit.delete(&mut *r, file, &key),
        Err(RecordError::NotDeletable.into())
    );
    unit.replace(&mut *r, file, &key, b"xyz").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(all(&mut *r, file).unwrap(), ["xyz"]);
    let mut unit = UnitOfWork::new();
    assert_eq!(
        unit.append(&mut *r, &mut ends, file, &[b'l'; 81]),
        Err(RecordError::TooLong {
            length: 81,
            max: 80
        }
        .into())
    );
}

pub fn addresses_beyond_four_gigabytes_are_in_order(mut subject: Subject) {
    let file = log(&mut subject);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    let beyond = 1 << 32;
    for (rba, record) in [(0, "low"), (beyond - 3, "end"), (beyond, "beyond")] {
        unit.insert(&mut *r, file, &rba_key(rba), record.as_bytes())
            .unwrap();
    }
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(all(&mut *r, file).unwrap(), ["low", "end", "beyond"]);
    assert_eq!(
        at(&mut *r, file, SeekKey::Equal(&rba_key(beyond))).unwrap(),
        "beyond"
    );
    let next = UnitOfWork::new().append(&mut *r, &mut FileEnds::default(), file, b"more");
    assert_eq!(next.unwrap(), rba_key(beyond + 6));
    let mut full = UnitOfWork::new();
    full.insert(&mut *r, file, &rba_key(u64::MAX - 1), b"last")
        .unwrap();
    assert_eq!(
        full.append(&mut *r, &mut FileEnds::default(), file, b"none"),
        Err(UnitError::NoAddress)
    );
}

pub fn relative_records_fill_slots_and_leave_gaps(mut subject: Subject) {
    let file = slots(&mut subject, RecordFormat::Fixed);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for (number, record) in [(3, "number 3"), (256, "slot 256"), (1, "number 1")] {
        unit.insert(&mut *r, file, &rrn_key(number), record.as_bytes())
            .unwrap();
    }
    assert_eq!(
        unit.insert(&mut *r, file, &rrn_key(3), b"number 3"),
        Err(UnitError::Duplicate((&rrn_key(3)[..]).into()))
    );
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    let mut unit = UnitOfWork::new();
    unit.delete(&mut *r, file, &rrn_key(3)).unwrap();
    unit.insert(&mut *r, file, &rrn_key(2), b"number 2")
        .unwrap();
    unit.replace(&mut *r, file, &rrn_key(1), b"NUMBER 1")
        .unwrap();
    let mut see = |seek: SeekKey<'_>| through(&unit, &mut *r, file, seek).unwrap_or_default();
    assert_eq!(see(SeekKey::First), "NUMBER 1");
    assert_eq!(see(SeekKey::Greater(&rrn_key(2))), "slot 256");
    assert_eq!(see(SeekKey::Less(&rrn_key(256))), "number 2");
    assert_eq!(see(SeekKey::Equal(&rrn_key(3))), "");
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(
        all(&mut *r, file).unwrap(),
        ["NUMBER 1", "number 2", "slot 256"]
    );
    let mut unit = UnitOfWork::new();
    assert_eq!(
        unit.insert(&mut *r, file, &rrn_key(9), b"short"),
        Err(RecordError::NotFixedLength {
            length: 5,
            expected: 8
        }
        .into())
    );
    let end = unit.append(&mut *r, &mut FileEnds::default(), file, b"slot 257");
    assert_eq!(end.unwrap(), rrn_key(257));
}

pub fn relative_records_of_varying_length_may_change_it(mut subject: Subject) {
    let file = slots(&mut subject, RecordFormat::Variable);
    let mut r = subject.store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    unit.insert(&mut *r, file, &rrn_key(5), b"12345678")
        .unwrap();
    unit.insert(&mut *r, file, &rrn_key(6), b"1").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    let mut unit = UnitOfWork::new();
    unit.replace(&mut *r, file, &rrn_key(5), b"12").unwrap();
    unit.delete(&mut *r, file, &rrn_key(6)).unwrap();
    unit.insert(&mut *r, file, &rrn_key(6), b"123456").unwrap();
    assert_eq!(subject.store.apply(&[unit]), [Ok(())]);
    assert_eq!(all(&mut *r, file).unwrap(), ["12", "123456"]);
    assert_eq!(r.get(file, &rrn_key(5), <[u8]>::len).unwrap(), Some(2));
}
