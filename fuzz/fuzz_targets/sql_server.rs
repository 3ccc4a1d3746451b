//! What a database server sends: the start of a session, its messages, and its
//! values put into fields. The same bytes are read as a statement block.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sql::block::StatementBlock;
use sql::field::{CobolType, DecodeOptions, decode};
use sql::wire::{Client, ClientEvent, ClientLimits, LoginCredentials, StartupExchange, TransactionState};

fuzz_target!(|bytes: &[u8]| {
    let credentials = LoginCredentials {
        user: "u".into(),
        database: "d".into(),
        password: Some("p".into()),
        settings: Vec::new(),
    };
    let mut out = Vec::new();
    let mut start = StartupExchange::new(credentials, "abcdefghijklmnopqrst", &mut out);
    let _ = start.handle_bytes(bytes, &mut out);
    let mut client = Client::new(TransactionState::Idle, ClientLimits::default());
    client.describe("s");
    client.execute("", 0);
    client.sync();
    client.handle_bytes(bytes);
    let cobol = CobolType::Packed { digits: 9, scale: 2, signed: true };
    while let Ok(Some(event)) = client.poll_event() {
        if let ClientEvent::Row(row) = event {
            for value in row.values().flatten() {
                for oid in [17, 20, 25, 701, 1082, 1083, 1114, 1700] {
                    decode(oid, value, cobol, &mut [0; 5], DecodeOptions::default());
                    decode(oid, value, CobolType::Char(7), &mut [0; 7], DecodeOptions::default());
                }
            }
        }
    }
    if let Ok(block) = StatementBlock::parse(bytes) {
        let _ = block.statement();
    }
});
