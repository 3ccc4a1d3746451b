//! Replays traces of x3270: the host's side into a terminal, the client's side
//! into the server's parser. Prints a line for each trace, and at the end how many
//! answers of each kind are equal.
//!
//! `cargo run -p tn3270 --example replay_trace -- FILE…`. A trace has lines
//! `< 0x0 hex` of the host and `> 0x0 hex` of the client. What the client typed is
//! not in a trace, so only answers that no key caused can be equal.

use std::collections::{BTreeMap, HashSet};

use tn3270::stream::InboundRecord;
use tn3270::telnet::{DecoderLimits, TelnetDecoder, TelnetEvent};
use tn3270::{Emulator, EmulatorEvent, ScreenSize, TerminalModel};

fn main() {
    let mut kinds = BTreeMap::new();
    for path in std::env::args().skip(1) {
        let text = std::fs::read(&path).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        println!("{path}: {}", replay(&text, &mut kinds));
    }
    println!("{:<52} equal  different", "kind");
    for (kind, [different, equal]) in kinds {
        println!("{kind:<52} {equal:5}  {different:9}");
    }
}

/// Of each kind of answer how many differ and how many are equal.
type AnswerKinds = BTreeMap<String, [u32; 2]>;

fn replay(text: &str, kinds: &mut AnswerKinds) -> String {
    let model = match text {
        _ if text.contains("3278-2") || text.contains("3279-2") => 2,
        _ if text.contains("3278-3") || text.contains("3279-3") => 3,
        _ if text.contains("3278-5") || text.contains("3279-5") => 5,
        _ => 4,
    };
    let mut terminal = Emulator::with_model(TerminalModel::display(model));
    let mut events = Vec::new();
    let (mut sent, mut theirs) = (Vec::new(), Vec::new());
    let mut host_bytes = 0;
    for line in text.lines() {
        let Some(bytes) = line.get(2..).and_then(hex) else {
            continue;
        };
        if line.starts_with('<') {
            host_bytes += bytes.len();
            if let Err(error) = terminal.handle_bytes(&bytes, &mut events) {
                return format!("host side ends: {error}");
            }
            sent.extend(terminal.poll_transmit().unwrap_or_default());
        } else if line.starts_with('>') {
            theirs.extend(bytes);
        }
    }
    let rejected: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            EmulatorEvent::RecordRejected(error) => Some(error.to_string()),
            _ => None,
        })
        .collect();
    let extended = terminal.session().functions().is_some();
    format!(
        "{host_bytes} host bytes, {} screen changes, rejected {rejected:?}; {}; {}",
        events
            .iter()
            .filter(|e| **e == EmulatorEvent::ScreenChanged)
            .count(),
        parsed(&theirs, extended),
        compared(&sent, &theirs, extended, kinds),
    )
}

/// The bytes of a line `0x0 hex`.
fn hex(rest: &str) -> Option<Vec<u8>> {
    let digits = rest.strip_prefix("0x")?.split_whitespace().nth(1)?;
    let byte = |at: usize| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn events(bytes: &[u8]) -> Vec<TelnetEvent> {
    let mut decoder = TelnetDecoder::new(DecoderLimits::default());
    decoder.set_records(true);
    let mut input = bytes;
    std::iter::from_fn(|| decoder.next(&mut input).ok().flatten()).collect()
}

/// Whether the server's parser takes the client's records.
fn parsed(theirs: &[u8], extended: bool) -> String {
    let largest = ScreenSize::new(62, 160).map_or(0, ScreenSize::positions);
    let (mut taken, mut refused) = (0, Vec::new());
    for event in events(theirs) {
        let TelnetEvent::Record(record) = event else {
            continue;
        };
        let data = match record.split_at_checked(5) {
            Some((header, data)) if extended && header[0] == 0 => data,
            _ if extended => continue,
            _ => &record[..],
        };
        match InboundRecord::parse(data, largest) {
            Ok(_) => taken += 1,
            Err(error) => refused.push(error.to_string()),
        }
    }
    format!("server takes {taken} inputs, refuses {refused:?}")
}

/// How many of the client's answers are among ours.
fn compared(sent: &[u8], theirs: &[u8], extended: bool, kinds: &mut AnswerKinds) -> String {
    let ours: HashSet<_> = events(sent).iter().map(|e| format!("{e:?}")).collect();
    let theirs = events(theirs);
    let mut equal = 0;
    for event in &theirs {
        let is_equal = ours.contains(&format!("{event:?}"));
        equal += usize::from(is_equal);
        kinds.entry(kind(event, extended)).or_default()[usize::from(is_equal)] += 1;
    }
    format!("{equal} of {} client events equal", theirs.len())
}

/// The kind of an answer, with its option or first bytes.
fn kind(event: &TelnetEvent, extended: bool) -> String {
    match event {
        TelnetEvent::Negotiation { verb, option } => {
            format!("negotiation {verb} of option {option}")
        }
        TelnetEvent::Subnegotiation { option, body } => {
            let shown: Vec<_> = body.iter().take(2).collect();
            format!("subnegotiation of option {option}, {shown:?}")
        }
        TelnetEvent::Record(record) => record_kind(record, extended),
        other => format!("{other:?}").chars().take(40).collect(),
    }
}

fn record_kind(record: &[u8], extended: bool) -> String {
    let data = match record.split_at_checked(5) {
        Some((header, _)) if extended && header[0] != 0 => {
            return format!("TN3270E record of type {}", header[0]);
        }
        Some((_, data)) if extended => data,
        _ => record,
    };
    match data {
        [0x88, _, _, id, ..] => format!("structured field {id:02X}"),
        [aid, _, _, ..] => format!("input with AID {aid:02X}"),
        [aid] => format!("AID {aid:02X} alone"),
        _ => "empty record".to_owned(),
    }
}
