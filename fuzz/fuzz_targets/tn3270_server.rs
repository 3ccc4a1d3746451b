//! The bytes of a client in a server session, with an LU for each request:
//! bounded memory and output, never a panic.
#![no_main]

use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tn3270::{LuName, ResponseFlag, ServerConfig, ServerSession, SessionEvent};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let tn3270e = first & 1 == 0;
    let config = ServerConfig {
        tn3270e,
        ..ServerConfig::default()
    };
    let mut session = ServerSession::new(config, Duration::ZERO);
    let chunk = usize::from(first >> 1).max(1);
    for bytes in rest.chunks(chunk) {
        let taken = session.handle_bytes(bytes, Duration::ZERO);
        assert!(taken.is_ok() || session.is_misbehaved());
        while let Some(event) = session.poll_event() {
            if matches!(event, SessionEvent::LuRequested { .. }) {
                let _ = session.assign_lu(LuName::parse(b"LU1").unwrap());
            }
            if event == SessionEvent::Connected {
                let _ = session.send_record(&[0xF5, 0xC3], ResponseFlag::AlwaysResponse);
            }
        }
        // What one chunk of bytes causes is bounded.
        let out = session.poll_transmit().unwrap_or_default();
        assert!(out.len() < 16 << 10);
        assert!(session.held_bytes() < 256 << 10);
    }
});
