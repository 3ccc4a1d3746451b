//! The reserve of the disk: the conditions of commands while only the reserve is free, and
//! after that.

use std::cell::Cell;
use std::rc::Rc;

use cics::command::commands::{
    dump_transaction, spoolopen_output, spoolwrite, write_journalname, writeq_td, writeq_ts,
};
use link::{CallAnswer, CommandOperands, Name};

use super::world::KernelFixture;
use crate::types::{
    JournalDef, JournalKind, KernelConfig, OpenTime, QueueDefinitions, QueueFileFormat,
    RegionDefinitions, TdKind, TdQueueDef, TdRecovery, TsModelDef,
};

fn config() -> KernelConfig {
    let queue = |name: &str, kind| TdQueueDef {
        name: Name::new(name).expect("a name"),
        kind,
        enabled: true,
    };
    let extra = TdKind::Extrapartition {
        output: true,
        path: "extra".into(),
        format: QueueFileFormat::Lines,
        record_bytes: 100,
        append: true,
        opens: OpenTime::Initial,
    };
    let intra = |recovery| TdKind::Intrapartition {
        recovery,
        trigger: None,
    };
    let queues = QueueDefinitions {
        models: vec![TsModelDef {
            prefix: b"R".to_vec(),
            recoverable: true,
            ..TsModelDef::default()
        }],
        transient: vec![
            queue("EXTR", extra),
            queue("LOGI", intra(TdRecovery::Logical)),
            queue("MEMO", intra(TdRecovery::No)),
        ],
        journals: vec![JournalDef {
            model: Name::BLANK,
            name: "AUD*".to_owned(),
            kind: JournalKind::File("journals/&JNAME".into()),
        }],
        ..QueueDefinitions::default()
    };
    KernelConfig {
        definitions: RegionDefinitions {
            queues,
            ..RegionDefinitions::default()
        },
        ..KernelConfig::default()
    }
}

fn answer(w: &mut KernelFixture, number: u16, operands: &CommandOperands) -> String {
    let response = w.command(1, number, operands).expect("an answer");
    response.condition.to_string()
}

fn write_td(w: &mut KernelFixture, queue: &str) -> String {
    let operands = CommandOperands::default()
        .bytes(writeq_td::QUEUE, queue.as_bytes())
        .bytes(writeq_td::FROM, *b"record");
    answer(w, writeq_td::NUMBER, &operands)
}

fn write_ts(w: &mut KernelFixture, queue: &str) -> String {
    let operands = CommandOperands::new(1 << writeq_ts::NOSUSPEND)
        .bytes(writeq_ts::QUEUE, queue.as_bytes())
        .bytes(writeq_ts::FROM, *b"item");
    answer(w, writeq_ts::NUMBER, &operands)
}

fn write_journal(w: &mut KernelFixture) -> String {
    let operands = CommandOperands::default()
        .bytes(write_journalname::JOURNALNAME, *b"AUDIT   ")
        .bytes(write_journalname::JTYPEID, *b"XX")
        .bytes(write_journalname::FROM, *b"record");
    answer(w, write_journalname::NUMBER, &operands)
}

#[test]
fn what_takes_room_on_a_disk_is_refused_in_its_own_words_while_it_is_short() {
    let asked = Rc::new(Cell::new(0));
    let counted = asked.clone();
    let mut w = KernelFixture::new(config()).with_files(move |_| {
        counted.set(counted.get() + 1);
        CallAnswer::default()
    });
    w.manage(|resources, cx| resources.disk_changed(cx, true));
    assert_eq!(write_td(&mut w, "EXTR"), "NOSPACE");
    assert_eq!(write_td(&mut w, "LOGI"), "NOSPACE");
    assert_eq!(write_ts(&mut w, "RQUEUE"), "NOSPACE");
    assert_eq!(write_journal(&mut w), "NOJBUFSP");
    assert_eq!(asked.get(), 0, "no file was written");
    // Queues in memory still work.
    assert_eq!(write_td(&mut w, "MEMO"), "NORMAL");
    assert_eq!(write_ts(&mut w, "MEMORY"), "NORMAL");
    w.manage(|resources, cx| resources.disk_changed(cx, false));
    assert_eq!(write_td(&mut w, "EXTR"), "NORMAL");
    assert_eq!(write_td(&mut w, "LOGI"), "NORMAL");
    assert_eq!(write_ts(&mut w, "RQUEUE"), "NORMAL");
    assert_eq!(write_journal(&mut w), "NORMAL");
}

#[test]
fn a_report_and_a_dump_are_refused_too() {
    let mut config = config();
    config.state = "state".into();
    let mut w = KernelFixture::new(config).with_files(|_| CallAnswer::default());
    w.manage(|resources, _| resources.dump = super::dump::DumpControl::new(Some("dumps".into())));
    let open = CommandOperands::default()
        .bytes(spoolopen_output::NODE, *b"*       ")
        .bytes(spoolopen_output::USERID, *b"ANYUSER1");
    assert_eq!(answer(&mut w, spoolopen_output::NUMBER, &open), "NORMAL");
    w.manage(|resources, cx| resources.disk_changed(cx, true));
    let token = *b"SP000001";
    let write = CommandOperands::default()
        .bytes(spoolwrite::TOKEN, token)
        .bytes(spoolwrite::FROM, *b"line");
    assert_eq!(answer(&mut w, spoolwrite::NUMBER, &write), "SPOLERR");
    let dump = CommandOperands::default().bytes(dump_transaction::DUMPCODE, *b"TEST");
    assert_eq!(answer(&mut w, dump_transaction::NUMBER, &dump), "NOSPACE");
}
