//! The output of a conversation: data collected into RUs, each built in the memory
//! that is passed to the link.
//!
//! An RU is sent when more data arrives than fits. So the last one is still here
//! when the verb that ends the chain is called.

use crate::secret::RedactedBytes;
use crate::session::half::HalfSession;
use crate::wire::gds::{self, LogicalLength};
use crate::wire::piu::HEADERS;
use crate::wire::rh::{RequestedResponse, Rh, RuCategory};
use std::fmt;

/// The collected RU, and its position within a logical record.
#[derive(Default)]
pub(crate) struct SendBuffer {
    biu: Vec<u8>,
    ru_bytes: usize,
    format: bool,
    begin_bracket: bool,
    record: Record,
}

/// The position of a basic conversation's program in its logical record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Record {
    /// Between records.
    #[default]
    Between,
    /// The first byte of the length field is here.
    HalfLength(u8),
    /// This many bytes are missing.
    Left(usize),
}

/// The end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainEnd {
    /// Ask for confirmation, keep the turn.
    Confirm,
    /// Pass the turn.
    Turn,
    /// Ask for confirmation and pass the turn.
    ConfirmTurn,
    /// End the bracket.
    Over,
    /// End the bracket when it is confirmed.
    ConfirmOver,
}

impl fmt::Debug for SendBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox")
            .field("biu", &RedactedBytes(self.biu.len()))
            .field("ru_bytes", &self.ru_bytes)
            .field("format", &self.format)
            .field("begin_bracket", &self.begin_bracket)
            .field("record", &self.record)
            .finish()
    }
}

impl SendBuffer {
    /// An empty one for RUs of this size.
    pub fn new(ru_bytes: usize) -> SendBuffer {
        SendBuffer {
            ru_bytes: ru_bytes.max(8),
            ..SendBuffer::default()
        }
    }

    /// Starts with an Attach and its parameters.
    pub fn begin(&mut self, attach: &[u8], bracket: bool) {
        self.open();
        self.biu.extend_from_slice(attach);
        self.format = true;
        self.begin_bracket = bracket;
    }

    /// Drops unsent data.
    pub fn clear(&mut self) {
        self.biu.clear();
        self.format = false;
        self.begin_bracket = false;
        self.record = Record::Between;
    }

    /// Whether a logical record of a basic conversation is unfinished.
    pub fn mid_record(&self) -> bool {
        self.record != Record::Between
    }

    /// Whether nothing waits here.
    pub fn is_empty(&self) -> bool {
        self.biu.len() <= HEADERS && !self.format
    }

    /// Checks the length fields in a basic conversation's data. Returns `false` if
    /// one is impossible, and then nothing is taken.
    pub fn accept_records(&mut self, mut data: &[u8]) -> bool {
        let mut record = self.record;
        while let Some((&first, rest)) = data.split_first() {
            match record {
                Record::Between => {
                    record = Record::HalfLength(first);
                    data = rest;
                }
                Record::HalfLength(high) => {
                    let len = LogicalLength::parse([high, first]).len;
                    if len < 2 {
                        return false;
                    }
                    record = Record::Left(len - 2);
                    data = rest;
                }
                Record::Left(left) => {
                    let step = left.min(data.len());
                    data = &data[step..];
                    record = Record::Left(left - step);
                }
            }
            if record == Record::Left(0) {
                record = Record::Between;
            }
        }
        self.record = record;
        true
    }

    /// Takes bytes, letting full RUs go.
    pub fn push(&mut self, half: &mut HalfSession, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            self.open();
            let room = (HEADERS + self.ru_bytes).saturating_sub(self.biu.len());
            if room == 0 {
                self.ship(half, None);
                continue;
            }
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.biu.extend_from_slice(now);
            bytes = later;
        }
    }

    /// Takes one record of a mapped conversation.
    pub fn push_mapped(&mut self, half: &mut HalfSession, id: u16, data: &[u8]) {
        let first = gds::MAX_RECORD - gds::HEADER;
        let (mut now, mut later) = data.split_at(first.min(data.len()));
        let mut header = gds::HEADER;
        loop {
            let ll = LogicalLength {
                continued: !later.is_empty(),
                len: header + now.len(),
            };
            self.push(half, &ll.emit());
            if header == gds::HEADER {
                self.push(half, &id.to_be_bytes());
            }
            self.push(half, now);
            if later.is_empty() {
                return;
            }
            header = 2;
            (now, later) = later.split_at((gds::MAX_RECORD - 2).min(later.len()));
        }
    }

    /// Sends the collected data, then puts an FM header in its own RU.
    pub fn push_header(&mut self, half: &mut HalfSession, fmh: &[u8]) {
        self.flush(half);
        self.open();
        self.biu.extend_from_slice(fmh);
        self.format = true;
        self.record = Record::Between;
    }

    /// Sends the collected data within the chain.
    pub fn flush(&mut self, half: &mut HalfSession) {
        if !self.is_empty() {
            self.ship(half, None);
        }
    }

    /// Ends the chain. With no chain begun and nothing to send, LUSTAT carries
    /// the indicators.
    pub fn end(&mut self, half: &mut HalfSession, end: ChainEnd) {
        self.ship(half, Some(end));
        self.record = Record::Between;
    }

    fn ship(&mut self, half: &mut HalfSession, end: Option<ChainEnd>) {
        let answer = match end {
            Some(ChainEnd::Confirm | ChainEnd::ConfirmTurn | ChainEnd::ConfirmOver) => {
                RequestedResponse::Definite2
            }
            _ => RequestedResponse::Exception1,
        };
        let header = Rh::request(RuCategory::Fmd)
            .with_answer(answer)
            .with_end_chain(end.is_some())
            .with_change_direction(matches!(end, Some(ChainEnd::Turn | ChainEnd::ConfirmTurn)))
            .with_conditional_end(matches!(end, Some(ChainEnd::Over | ChainEnd::ConfirmOver)));
        if self.is_empty() && !half.sending_chain() {
            half.send_status(header);
            return;
        }
        self.open();
        let header = header
            .with_format(std::mem::take(&mut self.format))
            .with_begin_bracket(std::mem::take(&mut self.begin_bracket));
        half.send(header, std::mem::take(&mut self.biu));
    }

    fn open(&mut self) {
        if self.biu.is_empty() {
            self.biu.reserve(HEADERS + self.ru_bytes.min(RESERVE));
            self.biu.resize(HEADERS, 0);
        }
    }
}

/// The most memory taken for an RU before there is data to fill it.
const RESERVE: usize = 64 * 1024;
