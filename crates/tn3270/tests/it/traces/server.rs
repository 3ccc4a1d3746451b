//! The client's side of a trace into the server: each record into the parser, and all
//! bytes into a session, which answers as this crate's server does.
//!
//! The session's questions are not those of the trace's host, so a client that would
//! have to answer one of them never connects; its records are then dropped.

use std::time::Duration;

use tn3270::stream::{InboundRecord, QuerySummary};
use tn3270::telnet::{DataType, Header, TelnetEvent, code};
use tn3270::{LuName, ServerConfig, ServerSession, SessionEvent, StartTls};

use super::read::{Trace, TraceStep, decoded};
use crate::support::hex;

/// What the server made of a client.
#[derive(Default)]
pub struct ServerReplay {
    /// Records that the parser took.
    pub parsed: usize,
    /// Records that it refused, with its reasons.
    pub refused: Vec<String>,
    /// Inputs that the session gave.
    pub inputs: usize,
    pub connected: bool,
    /// Why the session ended.
    pub end: Option<String>,
}

pub fn serve(trace: &Trace) -> ServerReplay {
    let mut result = ServerReplay::default();
    let client = |step: &TraceStep| match step {
        TraceStep::Client(bytes) => Some(bytes.clone()),
        _ => None,
    };
    let mut extended = false;
    for bytes in trace.steps.iter().filter_map(client) {
        for event in decoded(&bytes, true) {
            match event {
                TelnetEvent::Negotiation { verb, option } if option == code::TN3270E => {
                    extended = verb == code::WILL;
                }
                TelnetEvent::Record(record) => parse(&record, extended, &mut result),
                _ => {}
            }
        }
    }
    let first = trace.steps.split(|step| *step == TraceStep::Connect).next();
    let config = ServerConfig {
        query: false,
        start_tls: StartTls::Off,
        ..ServerConfig::default()
    };
    let mut session = ServerSession::new(config, Duration::ZERO);
    for bytes in first.into_iter().flatten().filter_map(client) {
        if bytes.get(..3) == Some(&[code::IAC, code::WILL, code::START_TLS]) {
            continue;
        }
        if let Err(error) = session.handle_bytes(&bytes, Duration::ZERO) {
            result.end = Some(error.to_string());
            break;
        }
        while let Some(event) = session.poll_event() {
            match event {
                SessionEvent::LuRequested { name, .. } => {
                    let any = LuName::parse(b"TRACE001").unwrap();
                    session.assign_lu(name.unwrap_or(any)).unwrap();
                }
                SessionEvent::Connected => result.connected = true,
                SessionEvent::Input(_) => result.inputs += 1,
                _ => {}
            }
        }
        // A host answers each input.
        let _ = session.send_record(&[0xF1, 0xC2], Default::default());
        session.poll_transmit();
    }
    result
}

fn parse(record: &[u8], extended: bool, result: &mut ServerReplay) {
    let data = match Header::parse(record).filter(|_| extended) {
        Some((header, data)) if header.data_type == Some(DataType::Data3270) => data,
        Some(_) => return,
        None => record,
    };
    let parsed = InboundRecord::parse(data, u16::MAX);
    let queried = match parsed {
        Ok(InboundRecord::Structured(fields)) => QuerySummary::collect(fields).map(drop),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    match queried {
        Ok(()) => result.parsed += 1,
        Err(error) => {
            let start = hex(&data[..data.len().min(24)]);
            result.refused.push(format!("{error}: {start}"));
        }
    }
}
