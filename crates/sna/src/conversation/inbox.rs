//! Items that a conversation has received and its program has not: data and, in
//! order between them, turns, errors and the end.

use super::code::ReturnCode;
use crate::wire::Sense;
use bytes::{Buf, Bytes};
use std::collections::VecDeque;

/// Received items in order.
#[derive(Debug, Default)]
pub(crate) struct ReceiveQueue {
    items: VecDeque<ReceivedItem>,
    bytes: usize,
}

/// One thing received.
#[derive(Clone, Debug)]
pub(crate) enum ReceivedItem {
    /// Data of an RU.
    Data(Bytes),
    /// The end of a chain.
    Turn(ChainEndMeaning),
    /// An error description; log data may follow it.
    Error {
        /// The error.
        sense: Sense,
        /// Whether a log record follows.
        log: bool,
    },
    /// The session failed.
    Gone(ReturnCode),
}

/// The meaning of the end of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChainEndMeaning {
    /// This side may send.
    Send,
    /// Confirm, then receive.
    Confirm,
    /// Confirm, then send.
    ConfirmSend,
    /// The conversation has ended.
    Over,
    /// Confirm, then the conversation ends.
    ConfirmOver,
}

impl ReceiveQueue {
    pub fn push_data(&mut self, data: Bytes) {
        if !data.is_empty() {
            self.bytes += data.len();
            self.items.push_back(ReceivedItem::Data(data));
        }
    }

    pub fn push_turn(&mut self, turn: ChainEndMeaning) {
        self.items.push_back(ReceivedItem::Turn(turn));
    }

    pub fn push_error(&mut self, sense: Sense, log: bool) {
        self.items.push_back(ReceivedItem::Error { sense, log });
    }

    pub fn push_gone(&mut self, code: ReturnCode) {
        self.items.push_back(ReceivedItem::Gone(code));
    }

    /// Bytes of data in total.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Drops everything.
    pub fn clear(&mut self) {
        self.items.clear();
        self.bytes = 0;
    }

    /// Whether an unread chain end is here, and which.
    pub fn turn(&self) -> Option<ChainEndMeaning> {
        self.items.iter().find_map(|item| match item {
            ReceivedItem::Turn(turn) => Some(*turn),
            _ => None,
        })
    }

    /// Number of data bytes before the first entry that is not data, and
    /// whether there is such an entry.
    pub fn run(&self) -> (usize, bool) {
        let mut bytes = 0;
        for item in &self.items {
            match item {
                ReceivedItem::Data(data) => bytes += data.len(),
                _ => return (bytes, true),
            }
        }
        (bytes, false)
    }

    /// Whether nothing but the partner's end of the conversation is next.
    pub fn ends(&self) -> bool {
        let mut rest = self.items.iter().skip_while(|item| match item {
            ReceivedItem::Data(data) => data.is_empty(),
            _ => false,
        });
        matches!(rest.next(), Some(ReceivedItem::Turn(ChainEndMeaning::Over)))
    }

    /// Takes the first item if it is not data.
    pub fn pop_mark(&mut self) -> Option<ReceivedItem> {
        match self.items.front()? {
            ReceivedItem::Data(_) => None,
            _ => self.items.pop_front(),
        }
    }

    /// Takes the first item if it is a turn.
    pub fn pop_turn(&mut self) -> Option<ChainEndMeaning> {
        match self.items.front()? {
            ReceivedItem::Turn(turn) => {
                let turn = *turn;
                self.items.pop_front();
                Some(turn)
            }
            _ => None,
        }
    }

    /// The first `N` bytes of data, if the first run has so many.
    pub fn peek<const N: usize>(&self) -> Option<[u8; N]> {
        let mut out = [0; N];
        let mut at = 0;
        for item in &self.items {
            let ReceivedItem::Data(data) = item else {
                break;
            };
            let step = data.len().min(N - at);
            out[at..at + step].copy_from_slice(&data[..step]);
            at += step;
            if at == N {
                return Some(out);
            }
        }
        None
    }

    /// Moves up to `out.len()` bytes of the first run; returns how many.
    pub fn read(&mut self, out: &mut [u8]) -> usize {
        let mut at = 0;
        while at < out.len() {
            let Some(ReceivedItem::Data(data)) = self.items.front_mut() else {
                break;
            };
            let step = data.len().min(out.len() - at);
            data.copy_to_slice(&mut out[at..at + step]);
            at += step;
            if data.is_empty() {
                self.items.pop_front();
            }
        }
        self.bytes -= at;
        at
    }

    /// Drops up to `len` bytes of the first run; returns how many.
    pub fn skip(&mut self, len: usize) -> usize {
        let mut left = len;
        while left > 0 {
            let Some(ReceivedItem::Data(data)) = self.items.front_mut() else {
                break;
            };
            let step = data.len().min(left);
            data.advance(step);
            left -= step;
            if data.is_empty() {
                self.items.pop_front();
            }
        }
        self.bytes -= len - left;
        len - left
    }
}
