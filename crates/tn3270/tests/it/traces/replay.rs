//! The host's side of a trace into a terminal of this crate, and each answer of the
//! trace's client compared with the terminal's.
//!
//! What a person typed is not in a trace as keys. A record that a key sent is
//! therefore rebuilt: its fields are typed where the screen has other data, its
//! cursor is set, its key pressed. Attributes, addresses, modified data tags and the
//! order of fields are then those of this crate's screen.

use std::collections::{BTreeMap, VecDeque};

use tn3270::stream::InboundRecord;
use tn3270::telnet::{DataType, Header, TelnetEvent, code};
use tn3270::{Aid, Emulator, EmulatorEvent, Key, KeyOutcome, Screen};

use super::read::{Trace, TraceStep, decoded};
use crate::support::hex;

/// What became of a trace.
#[derive(Default)]
pub struct Replay {
    pub host_bytes: usize,
    pub records: usize,
    /// Records that the terminal rejected, with its reasons.
    pub rejected: Vec<String>,
    /// Answers of the client that the terminal gives too, by their kind.
    pub equal: BTreeMap<&'static str, usize>,
    /// Answers that differ, with the kind and what differs.
    pub differing: Vec<(&'static str, String)>,
    /// Answers that only the terminal gives.
    pub surplus: Vec<TelnetEvent>,
    /// Why the terminal ended the connection.
    pub end: Option<String>,
}

/// A terminal and its answers that the trace has not had yet.
struct Player {
    emulator: Emulator,
    waiting: VecDeque<TelnetEvent>,
    result: Replay,
}

pub fn replay(trace: &Trace) -> Replay {
    let mut player = Player {
        emulator: Emulator::new(trace.config.clone(), trace.model),
        waiting: VecDeque::new(),
        result: Replay::default(),
    };
    for step in &trace.steps {
        match step {
            TraceStep::Connect => {
                player.finish();
                player.emulator = Emulator::new(trace.config.clone(), trace.model);
            }
            TraceStep::Host(bytes) => {
                if let Err(error) = player.host(bytes) {
                    player.result.end = Some(error);
                    break;
                }
            }
            TraceStep::Client(bytes) => player.client(bytes),
        }
    }
    player.finish();
    player.result
}

impl Player {
    fn finish(&mut self) {
        self.result.surplus.extend(self.waiting.drain(..));
    }

    fn host(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.result.host_bytes += bytes.len();
        let mut input = bytes;
        while !input.is_empty() {
            let mut events = Vec::new();
            let taken = self.emulator.handle_bytes(input, &mut events);
            let taken = taken.map_err(|error| error.to_string())?;
            input = &input[taken..];
            // Answers before the handshake go out before it.
            self.take_answers();
            for event in events {
                match event {
                    EmulatorEvent::StartTls => self.emulator.handle_tls(),
                    EmulatorEvent::ScreenChanged => self.result.records += 1,
                    EmulatorEvent::RecordRejected(error) => {
                        self.result.rejected.push(error.to_string());
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn take_answers(&mut self) {
        if let Some(sent) = self.emulator.poll_transmit() {
            self.waiting.extend(decoded(&sent, true));
        }
    }

    fn client(&mut self, bytes: &[u8]) {
        let records = self.emulator.session().is_connected();
        for event in decoded(bytes, records) {
            let kind = self.kind(&event);
            if let Some(at) = self.waiting.iter().position(|own| *own == event) {
                self.waiting.remove(at);
                *self.result.equal.entry(kind).or_default() += 1;
                continue;
            }
            let similar = |own: &&TelnetEvent| self.kind(own) == kind && is_alike(own, &event);
            let own = self.waiting.iter().find(similar).cloned();
            if let Some(own) = own {
                self.waiting.retain(|other| *other != own);
                let text = format!("{} instead of {}", shown(&own), shown(&event));
                self.result.differing.push((kind, text));
                continue;
            }
            let outcome = match (&event, kind) {
                (TelnetEvent::Record(record), "key") => self.press(record),
                (TelnetEvent::Command(command), _) => self.press_command(*command),
                _ => Err(format!("no answer like {}", shown(&event))),
            };
            match outcome {
                Ok(()) => *self.result.equal.entry(kind).or_default() += 1,
                Err(why) => self.result.differing.push((kind, why)),
            }
        }
    }

    /// The kind of something that a client sends.
    fn kind(&self, event: &TelnetEvent) -> &'static str {
        match event {
            TelnetEvent::Negotiation { .. } => "option",
            TelnetEvent::Subnegotiation { .. } => "sub-negotiation",
            TelnetEvent::Command(_) => "command",
            TelnetEvent::Text(_) => "text",
            TelnetEvent::Record(record) => {
                let extended = self.emulator.session().functions().is_some();
                match Header::parse(record).filter(|_| extended) {
                    Some((header, data)) => match header.data_type {
                        Some(DataType::Data3270) => data_kind(data),
                        Some(DataType::Response) => "response",
                        Some(DataType::SscpLuData) => "SSCP-LU data",
                        _ => "other record",
                    },
                    None => data_kind(record),
                }
            }
        }
    }

    fn press_command(&mut self, command: u8) -> Result<(), String> {
        let key = match command {
            code::IP | code::BREAK => Key::Attention,
            code::AO => Key::SystemRequest,
            other => return Err(format!("Telnet command {other}")),
        };
        self.emulator.press(key);
        let sent = self.emulator.poll_transmit().unwrap_or_default();
        if decoded(&sent, true) == [TelnetEvent::Command(command)] {
            return Ok(());
        }
        Err(format!("{} for command {command}", hex(&sent)))
    }

    /// Types what a record has, presses its key and compares what is sent.
    fn press(&mut self, record: &[u8]) -> Result<(), String> {
        let extended = self.emulator.session().functions().is_some();
        let data = if extended { &record[5..] } else { record };
        let parsed = InboundRecord::parse(data, u16::MAX).map_err(|e| e.to_string())?;
        let screen = self.emulator.screen_mut();
        let locked = screen.press(Key::Left) != KeyOutcome::Done;
        screen.press(Key::Reset);
        if let Some(cursor) = parsed.cursor() {
            type_fields(screen, &parsed)?;
            screen.set_cursor(cursor);
        }
        let key = match parsed.aid() {
            Aid::Enter => Key::Enter,
            Aid::Pf(number) => Key::Pf(number),
            Aid::Pa(number) => Key::Pa(number),
            Aid::Clear => Key::Clear,
            Aid::CursorSelect => Key::CursorSelect,
            Aid::SysReq => Key::SystemRequest,
            other => return Err(format!("no key sends {other:?}")),
        };
        let outcome = self.emulator.press(key);
        let sent = self.emulator.poll_transmit().unwrap_or_default();
        let expected = [TelnetEvent::Record(record.to_vec())];
        if decoded(&sent, true) == expected {
            return if locked {
                Err("equal, but the keyboard is locked".to_owned())
            } else {
                Ok(())
            };
        }
        Err(
            format!("{} instead of {} ({outcome:?})", hex(&sent), hex(record))
                .chars()
                .take(400)
                .collect(),
        )
    }
}

/// Types the fields of a record whose data the screen does not have.
fn type_fields(screen: &mut Screen, record: &InboundRecord<'_>) -> Result<(), String> {
    for field in record.fields() {
        let mut data = Vec::new();
        tn3270::stream::plain_data(field.data, &mut data);
        let Some(address) = field.address else {
            // An unformatted screen: what was typed ends at the cursor.
            let has: Vec<u8> = contents(screen, 0, screen.size().positions());
            if has != data {
                screen.press(Key::EraseInput);
                screen.set_cursor(0);
                type_bytes(screen, &data)?;
            }
            continue;
        };
        let fields = screen.fields();
        let Some(own) = fields.iter().find(|own| own.first == address) else {
            return Err(format!("no field begins at {address}"));
        };
        let as_shown = contents(screen, own.first, own.length) == data;
        if as_shown && own.attribute.is_modified() {
            continue;
        }
        screen.set_cursor(address);
        screen.press(Key::EraseEof);
        type_bytes(screen, &data)?;
    }
    Ok(())
}

fn type_bytes(screen: &mut Screen, data: &[u8]) -> Result<(), String> {
    for byte in data {
        let outcome = match byte {
            0x1C => screen.press(Key::Dup),
            0x1E => screen.press(Key::FieldMark),
            byte => screen.press(Key::Character(*byte)),
        };
        if outcome != KeyOutcome::Done {
            return Err(format!("X'{byte:02X}' cannot be typed: {outcome:?}"));
        }
    }
    Ok(())
}

/// The characters of a part of the screen without nulls.
fn contents(screen: &Screen, first: u16, length: u16) -> Vec<u8> {
    let cells = screen.cells();
    let to_end = cells.iter().skip(first.into());
    let part = to_end.chain(cells).take(length.into());
    part.map(|cell| cell.content)
        .filter(|byte| *byte != 0)
        .collect()
}

fn data_kind(data: &[u8]) -> &'static str {
    match data.first() {
        Some(0x88) if data.get(3) == Some(&0x81) => "query reply",
        Some(0x88) => "structured field",
        Some(0x60) => "read answer",
        _ => "key",
    }
}

/// Whether an answer is the counterpart of another of its kind.
fn is_alike(one: &TelnetEvent, other: &TelnetEvent) -> bool {
    match (one, other) {
        (
            TelnetEvent::Negotiation { option: one, .. },
            TelnetEvent::Negotiation { option: other, .. },
        ) => one == other,
        (
            TelnetEvent::Subnegotiation { option, body },
            TelnetEvent::Subnegotiation {
                option: other,
                body: other_body,
            },
        ) => option == other && body.get(..2) == other_body.get(..2),
        _ => true,
    }
}

fn shown(event: &TelnetEvent) -> String {
    let text = match event {
        TelnetEvent::Record(record) => hex(record),
        TelnetEvent::Subnegotiation { option, body } => format!("SB {option} {}", hex(body)),
        other => format!("{other:?}"),
    };
    text.chars().take(1200).collect()
}
