//! Bytes of a connection to Telnet events, within bounds.
//!
//! The caller gives a slice and takes one event after the other; the decoder
//! keeps only what one unfinished record or sub-negotiation needs. Each is
//! bounded, so a peer that never ends one costs [`DecoderLimits`] bytes.
//! Invariant: the same bytes give the same events however they are cut.

use super::code::{DONT, EOR, IAC, SB, SE, WILL};

/// What the decoder found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TelnetEvent {
    /// WILL, WONT, DO or DONT with an option.
    Negotiation {
        /// Which of the four.
        verb: u8,
        /// The option.
        option: u8,
    },
    /// A sub-negotiation.
    Subnegotiation {
        /// The option.
        option: u8,
        /// The bytes after the option, with doubled X'FF' single again.
        body: Vec<u8>,
    },
    /// Any other command, such as IP or NOP.
    Command(u8),
    /// A record that ended with EOR.
    Record(Vec<u8>),
    /// Characters outside records: only while records are off.
    Text(Vec<u8>),
}

/// The most that one event can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecoderLimits {
    /// Bytes of a record.
    pub record_bytes: usize,
    /// Bytes of a sub-negotiation.
    pub subnegotiation_bytes: usize,
}

impl Default for DecoderLimits {
    fn default() -> DecoderLimits {
        DecoderLimits {
            // The largest screen with an order for each position fits.
            record_bytes: 64 << 10,
            // A terminal type and a device name need 60.
            subnegotiation_bytes: 512,
        }
    }
}

/// Why a peer's bytes cannot be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A record is too long.
    #[error("a record has more than {0} bytes")]
    RecordTooLong(usize),
    /// A sub-negotiation is too long; it might never end.
    #[error("a sub-negotiation has more than {0} bytes")]
    SubnegotiationTooLong(usize),
    /// A command inside a sub-negotiation.
    #[error("command {0} inside a sub-negotiation")]
    CommandInSubnegotiation(u8),
}

/// Where the decoder is between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DecoderState {
    Data,
    Command,
    Verb(u8),
    Option,
    Body(u8),
    BodyCommand(u8),
}

/// Decodes what a peer sends.
#[derive(Clone, Debug)]
pub struct TelnetDecoder {
    limits: DecoderLimits,
    state: DecoderState,
    record: Vec<u8>,
    body: Vec<u8>,
    records: bool,
}

impl TelnetDecoder {
    /// A decoder at the start of a connection, with records off.
    pub const fn new(limits: DecoderLimits) -> TelnetDecoder {
        TelnetDecoder {
            limits,
            state: DecoderState::Data,
            record: Vec::new(),
            body: Vec::new(),
            records: false,
        }
    }

    /// Switches between records and plain text.
    pub fn set_records(&mut self, on: bool) {
        self.records = on;
        if !on {
            self.record = Vec::new();
        }
    }

    /// Bytes of memory that the decoder holds between calls.
    pub fn held_bytes(&self) -> usize {
        self.record.capacity() + self.body.capacity()
    }

    /// Takes bytes from the front of `input` until an event is complete.
    /// Returns `None` when all bytes are taken.
    ///
    /// # Errors
    /// A limit is passed. The connection cannot continue.
    pub fn next(&mut self, input: &mut &[u8]) -> Result<Option<TelnetEvent>, DecodeError> {
        loop {
            if self.state == DecoderState::Data {
                self.take_data(input)?;
            }
            let Some((&byte, rest)) = input.split_first() else {
                return Ok(self.take_text());
            };
            if self.state == DecoderState::Data && !self.records {
                // Text in front of a command is an event of its own.
                if let Some(text) = self.take_text() {
                    return Ok(Some(text));
                }
            }
            *input = rest;
            if let Some(event) = self.step(byte)? {
                return Ok(Some(event));
            }
        }
    }

    /// Takes the run of bytes up to the next IAC.
    fn take_data(&mut self, input: &mut &[u8]) -> Result<(), DecodeError> {
        let length = input.iter().position(|byte| *byte == IAC);
        let (run, rest) = input.split_at(length.unwrap_or(input.len()));
        self.append(run)?;
        *input = rest;
        Ok(())
    }

    fn append(&mut self, run: &[u8]) -> Result<(), DecodeError> {
        let most = self.limits.record_bytes;
        if self.record.len() + run.len() > most {
            return Err(DecodeError::RecordTooLong(most));
        }
        self.record.extend_from_slice(run);
        Ok(())
    }

    fn take_text(&mut self) -> Option<TelnetEvent> {
        if self.records || self.record.is_empty() {
            return None;
        }
        Some(TelnetEvent::Text(std::mem::take(&mut self.record)))
    }

    fn step(&mut self, byte: u8) -> Result<Option<TelnetEvent>, DecodeError> {
        let mut event = None;
        self.state = match (self.state, byte) {
            (DecoderState::Data, _) => DecoderState::Command,
            (DecoderState::Command, IAC) => {
                self.append(&[IAC])?;
                DecoderState::Data
            }
            (DecoderState::Command, WILL..=DONT) => DecoderState::Verb(byte),
            (DecoderState::Command, SB) => DecoderState::Option,
            (DecoderState::Command, EOR) => {
                event = Some(TelnetEvent::Record(std::mem::take(&mut self.record)));
                DecoderState::Data
            }
            (DecoderState::Command, command) => {
                event = Some(TelnetEvent::Command(command));
                DecoderState::Data
            }
            (DecoderState::Verb(verb), option) => {
                event = Some(TelnetEvent::Negotiation { verb, option });
                DecoderState::Data
            }
            (DecoderState::Option, option) => DecoderState::Body(option),
            (DecoderState::Body(option), IAC) => DecoderState::BodyCommand(option),
            (DecoderState::Body(option), byte) => {
                self.append_body(byte)?;
                DecoderState::Body(option)
            }
            (DecoderState::BodyCommand(option), IAC) => {
                self.append_body(IAC)?;
                DecoderState::Body(option)
            }
            (DecoderState::BodyCommand(option), SE) => {
                let body = std::mem::take(&mut self.body);
                event = Some(TelnetEvent::Subnegotiation { option, body });
                DecoderState::Data
            }
            (DecoderState::BodyCommand(_), command) => {
                return Err(DecodeError::CommandInSubnegotiation(command));
            }
        };
        Ok(event)
    }

    fn append_body(&mut self, byte: u8) -> Result<(), DecodeError> {
        let most = self.limits.subnegotiation_bytes;
        if self.body.len() >= most {
            return Err(DecodeError::SubnegotiationTooLong(most));
        }
        self.body.push(byte);
        Ok(())
    }
}

/// Appends these bytes with each X'FF' doubled.
pub fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    for run in bytes.split_inclusive(|byte| *byte == IAC) {
        out.extend_from_slice(run);
        out.extend((run.last() == Some(&IAC)).then_some(IAC));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(cuts: &[&[u8]], records: bool) -> Result<Vec<TelnetEvent>, DecodeError> {
        let mut decoder = TelnetDecoder::new(DecoderLimits {
            record_bytes: 8,
            subnegotiation_bytes: 4,
        });
        decoder.set_records(records);
        let mut events = Vec::new();
        for cut in cuts {
            let mut input = *cut;
            while let Some(event) = decoder.next(&mut input)? {
                events.push(event);
            }
        }
        Ok(events)
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let bytes = [
            255, 251, 40, 1, 255, 255, 2, 255, 239, 255, 250, 24, 0, 255, 255, 255, 240, 255, 244,
            3, 255, 239,
        ];
        let whole = events(&[&bytes], true).unwrap();
        let expected = [
            TelnetEvent::Negotiation {
                verb: 251,
                option: 40,
            },
            TelnetEvent::Record(vec![1, 255, 2]),
            TelnetEvent::Subnegotiation {
                option: 24,
                body: vec![0, 255],
            },
            TelnetEvent::Command(244),
            TelnetEvent::Record(vec![3]),
        ];
        assert_eq!(whole, expected);
        for at in 0..bytes.len() {
            let (first, second) = bytes.split_at(at);
            assert_eq!(events(&[first, second], true).unwrap(), whole);
        }
    }

    #[test]
    fn limits_end_the_connection() {
        assert_eq!(events(&[&[1; 9]], true), Err(DecodeError::RecordTooLong(8)));
        assert_eq!(
            events(&[&[255, 250, 24, 1, 2, 3, 4, 5]], true),
            Err(DecodeError::SubnegotiationTooLong(4))
        );
        assert_eq!(
            events(&[&[255, 250, 24, 255, 251]], true),
            Err(DecodeError::CommandInSubnegotiation(251))
        );
    }

    #[test]
    fn text_outside_records_is_an_event() {
        let found = events(&[&[65, 66, 255, 241, 67]], false).unwrap();
        let expected = [
            TelnetEvent::Text(vec![65, 66]),
            TelnetEvent::Command(241),
            TelnetEvent::Text(vec![67]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn only_x_ff_is_doubled() {
        let mut out = Vec::new();
        escape(&[255, 1, 255, 255, 2], &mut out);
        assert_eq!(out, [255, 255, 1, 255, 255, 255, 255, 2]);
    }
}
