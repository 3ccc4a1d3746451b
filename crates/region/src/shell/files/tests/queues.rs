//! Queues that are files: their formats, their beginning and their end.

use std::fs;
use std::io::{BufReader, Cursor};
use std::path::PathBuf;

use cics::command::commands::{deleteq_td, readq_td, writeq_td};
use cics::resp::Condition;
use kernel::resources::world::{KernelFixture, Response};
use kernel::{
    KernelConfig, OpenTime, QueueDefinitions, QueueFileFormat, RegionDefinitions, TdKind,
    TdQueueDef,
};
use link::{CommandOperands, Name};
use proptest::prelude::*;

use super::super::queue::next;
use super::{over, with_files};

fn queue(name: &[u8; 4], kind: TdKind) -> TdQueueDef {
    TdQueueDef {
        name: Name::from_bytes(*name),
        kind,
        enabled: true,
    }
}

fn region(transient: Vec<TdQueueDef>) -> KernelConfig {
    KernelConfig {
        transient_data_bytes: 10_000,
        definitions: RegionDefinitions {
            queues: QueueDefinitions {
                transient,
                ..QueueDefinitions::default()
            },
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

fn write(w: &mut KernelFixture, task: u32, queue: &str, record: &[u8]) -> Option<Response> {
    let operands = CommandOperands::default()
        .bytes(writeq_td::QUEUE, queue)
        .bytes(writeq_td::FROM, record);
    w.command(task, writeq_td::NUMBER, &operands)
}

fn read(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    let operands = CommandOperands::default().bytes(readq_td::QUEUE, queue);
    w.command(task, readq_td::NUMBER, &operands)
}

fn delete(w: &mut KernelFixture, task: u32, queue: &str) -> Option<Response> {
    let operands = CommandOperands::default().bytes(deleteq_td::QUEUE, queue);
    w.command(task, deleteq_td::NUMBER, &operands)
}

fn condition_of(answer: Option<Response>) -> Condition {
    answer.expect("an answer").condition
}

fn record(answer: Option<Response>) -> String {
    let answer = answer.expect("an answer");
    assert_eq!(answer.condition, Condition::Normal);
    let bytes = answer.operands.get_bytes(readq_td::INTO).expect("a record");
    String::from_utf8_lossy(bytes).into_owned()
}

fn file(output: bool, format: QueueFileFormat, append: bool) -> TdKind {
    TdKind::Extrapartition {
        output,
        path: PathBuf::from("queues/FILE"),
        format,
        record_bytes: 8,
        append,
        opens: OpenTime::Initial,
    }
}

#[test]
fn files_are_written_and_read_in_each_format() {
    let cases = [
        (QueueFileFormat::Lines, "12345678\nab\n".as_bytes()),
        (QueueFileFormat::Fixed, b"12345678".as_slice()),
        (QueueFileFormat::Variable, b"\0\x06\0\0ab".as_slice()),
    ];
    for (format, bytes) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = region(vec![queue(b"OUT ", file(true, format, false))]);
        config.state = folder.path().to_owned();
        let mut w = over(config.clone());
        let long = write(&mut w, 1, "OUT", b"12345678");
        let short = write(&mut w, 1, "OUT", b"ab");
        let (long, short) = (condition_of(long), condition_of(short));
        match format {
            QueueFileFormat::Lines => {
                assert_eq!((long, short), (Condition::Normal, Condition::Normal))
            }
            QueueFileFormat::Fixed => {
                assert_eq!((long, short), (Condition::Normal, Condition::LengErr))
            }
            QueueFileFormat::Variable => {
                assert_eq!((long, short), (Condition::LengErr, Condition::Normal))
            }
        }
        assert_eq!(condition_of(read(&mut w, 1, "OUT")), Condition::InvReq);
        assert_eq!(condition_of(delete(&mut w, 1, "OUT")), Condition::InvReq);
        assert_eq!(
            fs::read(folder.path().join("queues/FILE")).expect("a file"),
            bytes
        );
        config.definitions.queues.transient = vec![queue(b"IN  ", file(false, format, false))];
        let mut w = over(config);
        let first = record(read(&mut w, 1, "IN"));
        assert_eq!(
            first,
            if format == QueueFileFormat::Variable {
                "ab"
            } else {
                "12345678"
            }
        );
        if format == QueueFileFormat::Lines {
            assert_eq!(record(read(&mut w, 1, "IN")), "ab");
        }
        assert_eq!(condition_of(read(&mut w, 1, "IN")), Condition::QZero);
        assert_eq!(
            condition_of(write(&mut w, 1, "IN", b"x")),
            Condition::InvReq
        );
    }
}

#[test]
fn output_begins_anew_unless_its_disposition_is_mod() {
    for (append, bytes) in [(false, "2\n"), (true, "1\n2\n")] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut config = region(vec![queue(
            b"OUT ",
            file(true, QueueFileFormat::Lines, append),
        )]);
        config.state = folder.path().to_owned();
        let mut w = over(config);
        write(&mut w, 1, "OUT", b"1");
        let mut w = with_files(w.restart());
        write(&mut w, 1, "OUT", b"2");
        let written = fs::read_to_string(folder.path().join("queues/FILE")).expect("a file");
        assert_eq!(written, bytes);
    }
}

#[test]
fn a_file_that_is_not_there_is_not_open() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut config = region(vec![queue(
        b"IN  ",
        file(false, QueueFileFormat::Lines, false),
    )]);
    config.state = folder.path().to_owned();
    let mut w = over(config);
    assert_eq!(condition_of(read(&mut w, 1, "IN")), Condition::NotOpen);
}

proptest! {
    #[test]
    fn no_file_makes_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), most in 0_usize..40) {
        for format in [QueueFileFormat::Lines, QueueFileFormat::Fixed, QueueFileFormat::Variable] {
            let mut file = BufReader::new(Cursor::new(&bytes));
            for _ in 0..=bytes.len() {
                match next(&mut file, format, most) {
                    Ok(Some(_)) => {}
                    Ok(None) | Err(_) => break,
                }
            }
        }
    }
}
