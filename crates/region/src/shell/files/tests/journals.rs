//! Journals: the choice of the file, its contents, and files that are torn or
//! have another content.

use std::fs;
use std::io::Cursor;

use cics::command::commands::{wait_journalname, write_journalname as row, write_journalnum};
use cics::resp::Condition;
use link::CommandOperands;
use proptest::prelude::*;

use kernel::resources::world::KernelFixture;
use kernel::{
    JournalDef, JournalKind, JournalRecord, KernelConfig, QueueDefinitions, RegionDefinitions,
};

use super::super::journal::{HEADER, JournalFile, whole};
use super::over;

fn region(folder: &std::path::Path) -> KernelConfig {
    let model = |name: &str, kind| JournalDef {
        model: link::Name::BLANK,
        name: name.to_owned(),
        kind,
    };
    let journals = vec![
        model("AUD*", JournalKind::File("journals/&JNAME".into())),
        model("DFHJ+2", JournalKind::File("two".into())),
        model("AUDOFF", JournalKind::Dummy),
    ];
    KernelConfig {
        state: folder.to_owned(),
        definitions: RegionDefinitions {
            queues: QueueDefinitions {
                journals,
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

fn write(
    w: &mut KernelFixture,
    name: &str,
    prefix: &[u8],
    data: &[u8],
) -> (Condition, Option<i64>) {
    let operands = CommandOperands::new(1 << row::WAIT)
        .bytes(row::JOURNALNAME, name)
        .bytes(row::JTYPEID, *b"XX")
        .bytes(row::PREFIX, prefix)
        .bytes(row::FROM, data);
    let answer = w.command(1, row::NUMBER, &operands).expect("an answer");
    (answer.condition, answer.operands.get_int(row::REQID))
}

#[test]
fn a_record_is_in_the_file_of_its_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = over(region(folder.path()));
    assert_eq!(
        write(&mut w, "AUDIT", b"P", b"one"),
        (Condition::Normal, Some(1))
    );
    assert_eq!(
        write(&mut w, "AUDIT", b"", b"two"),
        (Condition::Normal, Some(2))
    );
    let bytes = fs::read(folder.path().join("journals/AUDIT")).expect("a file");
    assert_eq!(bytes.len(), 2 * HEADER + 7);
    assert_eq!(bytes[..8], [0, 0, 0, HEADER as u8 + 4, 1, 0, b'X', b'X']);
    assert_eq!(&bytes[24..28], b"TEST");
    assert_eq!(&bytes[40..42], [0, 1]);
    assert_eq!(&bytes[HEADER..HEADER + 4], b"Pone");
    assert_eq!(&bytes[2 * HEADER + 4..], b"two");
}

#[test]
fn models_say_where_a_journal_goes_and_unknown_ones_are_jiderr() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = over(region(folder.path()));
    assert_eq!(write(&mut w, "AUDOFF", b"", b"x").0, Condition::Normal);
    assert_eq!(write(&mut w, "OTHER", b"", b"x").0, Condition::JidErr);
    assert_eq!(write(&mut w, "AUD/../X", b"", b"x").0, Condition::JidErr);
    assert_eq!(write(&mut w, "AUDIT", b"", b"").0, Condition::LengErr);
    let by_number = |number| {
        CommandOperands::default()
            .int(write_journalnum::JOURNALNUM, number)
            .bytes(write_journalnum::JTYPEID, *b"XX")
            .bytes(write_journalnum::FROM, *b"x")
    };
    for (number, said) in [
        (12, Condition::Normal),
        (13, Condition::JidErr),
        (100, Condition::JidErr),
    ] {
        let answer = w.command(1, write_journalnum::NUMBER, &by_number(number));
        assert_eq!(answer.expect("an answer").condition, said);
    }
    assert!(folder.path().join("two").exists());
    assert!(!folder.path().join("journals").exists());
}

#[test]
fn a_wait_for_a_journal_without_writes_is_notopen() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut w = over(region(folder.path()));
    let wait = CommandOperands::default().bytes(wait_journalname::JOURNALNAME, *b"AUDIT   ");
    let said = |w: &mut KernelFixture| {
        let answer = w.command(1, wait_journalname::NUMBER, &wait);
        answer.expect("an answer").condition
    };
    assert_eq!(said(&mut w), Condition::NotOpen);
    write(&mut w, "AUDIT", b"", b"x");
    assert_eq!(said(&mut w), Condition::Normal);
}

fn record(data: &[u8]) -> JournalRecord {
    JournalRecord {
        at_unix_us: 1_000_000,
        kind: *b"XX",
        transid: *b"TEST",
        task: 1,
        userid: *b"ANOTHER1",
        prefix: Vec::new(),
        data: data.to_vec(),
    }
}

#[test]
fn a_record_that_was_not_written_whole_is_cut_off() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("J");
    let mut journal = JournalFile::new(path.clone());
    journal.write(&record(b"whole"), true).expect("a record");
    journal.write(&record(b"torn"), true).expect("a record");
    let bytes = fs::read(&path).expect("a file");
    for cut in 1..HEADER + 4 {
        fs::write(&path, &bytes[..bytes.len() - cut]).expect("a file");
        let mut again = JournalFile::new(path.clone());
        assert_eq!(again.write(&record(b"next"), false), Ok(2));
        let now = fs::read(&path).expect("a file");
        assert_eq!(now.len(), bytes.len());
        assert!(now.ends_with(b"next"));
    }
}

#[test]
fn a_file_that_is_no_journal_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("J");
    let text = "another's notes, longer than the header of a record by some bytes";
    fs::write(&path, text).expect("a file");
    let mut journal = JournalFile::new(path.clone());
    let written = journal.write(&record(b"x"), false);
    assert_eq!(written, Err(Condition::NotOpen));
    assert_eq!(fs::read_to_string(&path).expect("a file"), text);
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_of_journals_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = whole(&mut Cursor::new(&bytes), bytes.len() as u64);
    }
}
