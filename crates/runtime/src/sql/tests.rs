//! A session against a simulated server: the messages that it sends, and bytes that are
//! not valid messages of a server.

use std::io;

use sql::block::{FieldDescriptor, StatementBlock};
use sql::code::{SQLCA_BYTES, Sqlca};
use sql::field::CobolType;
use sql::{CursorOptions, FetchOrientation, StatementKind};

use super::{Session, SessionOptions, SqlAreas, SqlTransport, StatementOutcome};

/// Operands with bytes of their own.
struct OperandAreas(Vec<Vec<u8>>);

impl SqlAreas for OperandAreas {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn address(&self, at: usize) -> usize {
        self.0.get(at).map_or(0, |a| a.as_ptr().addr())
    }

    fn bytes(&self, at: usize) -> &[u8] {
        self.0.get(at).map_or(&[], Vec::as_slice)
    }

    fn bytes_mut(&mut self, at: usize) -> &mut [u8] {
        self.0.get_mut(at).map_or(&mut [], Vec::as_mut_slice)
    }
}

impl OperandAreas {
    fn of(block: &StatementBlock) -> OperandAreas {
        OperandAreas(vec![
            block.emit(),
            vec![b' '; SQLCA_BYTES],
            b"ABCD".to_vec(),
        ])
    }

    fn sqlcode(&self) -> i32 {
        Sqlca::read(self.0[1].first_chunk().unwrap()).sqlcode
    }
}

fn block(kind: StatementKind, text: &str) -> StatementBlock {
    let field = |cobol| FieldDescriptor {
        argument: 0,
        offset: 0,
        cobol,
        occurs: 1,
        stride: 4,
        indicator: None,
        indicator_big_endian: false,
    };
    StatementBlock {
        kind,
        number: 1,
        line: 1,
        source_file: 0,
        arguments: 1,
        cursor: CursorOptions::default(),
        kept_locks: None,
        orientation: FetchOrientation::Next,
        rows: 0,
        rows_input: 0,
        token: *b"12345678",
        inputs: Vec::new(),
        outputs: vec![field(CobolType::Char(4))],
        descriptor: None,
        name: "C1".to_owned(),
        prepared: String::new(),
        text: text.to_owned(),
    }
}

/// A server that sends scripted replies, one for each send.
#[derive(Default)]
struct ScriptedServer {
    sent: Vec<Vec<u8>>,
    replies: Vec<Vec<u8>>,
    at: usize,
}

impl SqlTransport for ScriptedServer {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sent.push(bytes.to_vec());
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(reply) = self.replies.get(self.at) else {
            return Ok(0);
        };
        self.at += 1;
        let count = reply.len().min(buffer.len());
        buffer[..count].copy_from_slice(&reply[..count]);
        Ok(count)
    }
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|w| w == text.as_bytes())
}

#[test]
fn a_unit_begins_with_its_first_statement_and_no_earlier() {
    let mut session = Session::new(SessionOptions::default());
    let mut areas = OperandAreas::of(&block(
        StatementKind::SelectInto,
        "SELECT IBMREQD FROM SYSIBM.SYSDUMMY1",
    ));
    let mut script = ScriptedServer::default();
    // The server ends the connection: nothing comes back.
    let executed = session.execute(&mut script, &mut areas);
    assert_eq!((executed, areas.sqlcode()), (StatementOutcome::Lost, -924));
    assert_eq!(script.sent.len(), 1);
    assert!(has(&script.sent[0], "BEGIN") && has(&script.sent[0], "pg_attribute"));
}

#[test]
fn statements_on_cursors_that_are_not_open_ask_no_server() {
    let mut session = Session::new(SessionOptions::default());
    let mut script = ScriptedServer::default();
    for (kind, code) in [
        (StatementKind::Fetch, -501),
        (StatementKind::Close, -501),
        (StatementKind::Commit, -925),
        (StatementKind::Rollback, -926),
        (StatementKind::Execute, -518),
        (StatementKind::Call, -104),
        (StatementKind::Describe, -516),
    ] {
        let mut areas = OperandAreas::of(&block(kind, ""));
        session.execute(&mut script, &mut areas);
        assert_eq!(areas.sqlcode(), code, "{kind:?}");
    }
    assert!(script.sent.is_empty());
}

#[test]
fn a_host_variable_beyond_its_operand_is_804() {
    let mut session = Session::new(SessionOptions::default());
    let mut block = block(StatementKind::ExecuteImmediate, "");
    block.inputs.clone_from(&block.outputs);
    block.inputs[0].offset = 1;
    let mut areas = OperandAreas::of(&block);
    session.execute(&mut ScriptedServer::default(), &mut areas);
    assert_eq!(areas.sqlcode(), -804);
    // The CALL has fewer arguments than the block declares.
    block.arguments = 2;
    let mut areas = OperandAreas::of(&block);
    session.execute(&mut ScriptedServer::default(), &mut areas);
    assert_eq!(areas.sqlcode(), -804);
}

proptest::proptest! {
    #[test]
    fn no_bytes_of_a_server_or_a_program_make_it_panic(
        kind in proptest::sample::select(vec![
            StatementKind::SelectInto, StatementKind::Open, StatementKind::Fetch,
            StatementKind::Insert, StatementKind::Prepare, StatementKind::ExecuteImmediate,
        ]),
        replies in proptest::collection::vec(
            proptest::collection::vec(proptest::prelude::any::<u8>(), 0..80), 0..4),
        noise in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..120),
        at in 0usize..400,
    ) {
        let mut session = Session::new(SessionOptions::default());
        let mut areas = OperandAreas::of(&block(kind, "SELECT A FROM T WHERE B = :1"));
        for (place, byte) in areas.0[0].iter_mut().skip(at).zip(noise) {
            *place = byte;
        }
        // Replies that begin well: all that was prepared, then noise.
        let mut script = ScriptedServer { replies, ..ScriptedServer::default() };
        for reply in &mut script.replies {
            reply.splice(0..0, b"1\0\0\0\x04".repeat(6));
        }
        for _ in 0..2 {
            session.execute(&mut script, &mut areas);
        }
        let _ = session.settle(&mut script, true);
    }
}
