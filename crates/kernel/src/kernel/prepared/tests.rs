//! Tests of `prepared` on small inputs.

use super::*;
use crate::resources::Resources;
use proptest::prelude::*;

fn locks() -> impl Strategy<Value = Vec<LockName>> {
    let space = prop_oneof![
        any::<u32>().prop_map(|file| LockSpace::Record(FileId(file))),
        Just(LockSpace::Enqueue),
        Just(LockSpace::TsQueue),
        Just(LockSpace::TdQueue),
    ];
    let key = prop::collection::vec(any::<u8>(), 0..20);
    let lock = (space, key).prop_map(|(space, key)| LockName::new(space, &key));
    prop::collection::vec(lock, 0..5)
}

proptest! {
    #[test]
    fn a_record_is_read_back_unchanged(
        since_unix_ns in any::<u64>(),
        unit in any::<u64>(),
        participants in prop::collection::vec("[a-z]{0,20}", 0..4),
        locks in locks(),
        (commits, waits, limit_s) in any::<(bool, bool, u32)>(),
    ) {
        let unit = (unit != 0).then_some(UnitId(unit));
        let changes = UnitOfWork::new();
        let task = PreparedTask {
            number: since_unix_ns,
            transid: TransId::from_bytes(*b"TRNA"),
            userid: UserId::from_bytes(*b"ANNA    "),
            in_doubt: InDoubt { commits, waits, limit_s },
        };
        let record = Record { since_unix_ns, unit, task, participants, locks, changes };
        prop_assert_eq!(parse(&emit(&record, &UnitOfWork::new()), &Resources::tables()), Some(record));
    }

    #[test]
    fn no_stored_bytes_make_the_reader_panic(
        bytes in prop::collection::vec(0..3_u8, 0..60),
    ) {
        let tables = Resources::tables();
        let _ = parse(&bytes, &tables);
        let _ = parse(&[&[VERSION; 1][..], &[0; 42], &bytes].concat(), &tables);
        let _ = parse(&[&[WITHOUT_TASK; 1][..], &[0; 16], &bytes].concat(), &tables);
    }
}
