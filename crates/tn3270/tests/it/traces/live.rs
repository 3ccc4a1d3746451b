//! The host's side of a trace to s3270 and to a terminal of this crate: after each
//! burst both must show the same characters, fields and cursor.
//!
//! Steps of START_TLS are left out, for a trace has the bytes inside of TLS. Neither
//! terminal types anything, so what a person typed is on neither screen.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use tn3270::{Emulator, Screen};

use super::read::{Trace, TraceStep, is_start_tls};
use crate::s3270::{S3270, accepted};

/// What both terminals show of a trace.
#[derive(Debug, PartialEq, Eq)]
pub enum ScreenComparison {
    /// The screens were equal after this many bursts.
    Equal(usize),
    /// The first difference, after a number of equal bursts.
    Differs(usize, String),
}

/// Compares; `None` where s3270 is not installed.
pub fn compare(trace: &Trace) -> Option<ScreenComparison> {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let size = trace.model.alternate;
    let oversize = format!("{}x{}", size.columns(), size.rows());
    let mut arguments = vec!["-model", "3279-2-E"];
    if size.positions() > 1920 {
        arguments.extend(["-oversize", &oversize]);
    }
    arguments.push(&address);
    let mut other = S3270::start(&arguments)?;
    let socket = accepted(&listener);
    let mut input = socket.try_clone().unwrap();
    // What s3270 answers is read, so that it never waits.
    std::thread::spawn(move || while input.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {});
    let mut host = socket;
    let mut emulator = Emulator::new(trace.config.clone(), trace.model);
    let mut bursts = 0;
    for (index, step) in trace.steps.iter().enumerate() {
        let bytes = match step {
            TraceStep::Host(bytes) if is_start_tls(bytes) => continue,
            TraceStep::Host(bytes) => bytes,
            TraceStep::Client(_) => continue,
            TraceStep::Connect => break,
        };
        if host.write_all(bytes).is_err() || emulator.handle_bytes(bytes, &mut Vec::new()).is_err()
        {
            break;
        }
        let more = matches!(trace.steps.get(index + 1), Some(TraceStep::Host(_)));
        if more || !emulator.session().is_connected() {
            continue;
        }
        if let Some(difference) = difference(&mut other, emulator.screen()) {
            return Some(ScreenComparison::Differs(bursts, difference));
        }
        bursts += 1;
    }
    Some(ScreenComparison::Equal(bursts))
}

/// The first position that differs for a second; s3270 needs a moment.
fn difference(other: &mut S3270, screen: &Screen) -> Option<String> {
    let start = Instant::now();
    loop {
        let found = first_difference(other, screen)?;
        if start.elapsed() > Duration::from_secs(1) {
            return Some(found);
        }
    }
}

fn first_difference(other: &mut S3270, screen: &Screen) -> Option<String> {
    let rows = other.run("ReadBuffer(Ebcdic)");
    let size = screen.size();
    if rows.len() != usize::from(size.rows()) {
        return Some(format!("{} rows instead of {}", size.rows(), rows.len()));
    }
    let mut address = 0_usize;
    for row in rows {
        let cells = row
            .split_whitespace()
            .filter(|word| !word.starts_with("SA("));
        for theirs in cells {
            let own = screen.cells().get(address)?;
            let own = match own.attribute {
                Some(attribute) => format!("SF c0={:02x}", attribute.emit() & 0x3F),
                None => format!("{:02x}", own.content),
            };
            let theirs = plain(theirs);
            if own != theirs {
                return Some(format!("{own} instead of {theirs} at {address}"));
            }
            address += 1;
        }
    }
    let cursor = other.run("Query(Cursor)").join(" ");
    let (row, column) = screen.cursor_position();
    let own = format!("{row} {column}");
    (cursor != own).then(|| format!("cursor {own} instead of {cursor}"))
}

/// A cell without what one of the terminals does not have: six bits of the
/// attribute, the byte of a graphic character.
fn plain(cell: &str) -> String {
    if let Some(rest) = cell.strip_prefix("SF(c0=") {
        let bits = u8::from_str_radix(rest.get(..2).unwrap_or_default(), 16).unwrap_or(0);
        return format!("SF c0={:02x}", bits & 0x3F);
    }
    let graphic = cell
        .strip_prefix("GE(")
        .and_then(|rest| rest.strip_suffix(')'));
    graphic.unwrap_or(cell).to_owned()
}
