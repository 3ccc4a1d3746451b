//! Receiving: records, the turn, confirmations and the end.
//!
//! A record is read to its end before any of it is returned. Indicators that
//! arrived with its last bytes (the turn, a request to confirm, the end) are returned
//! when the program has received the whole record.
//!
//! The turn, a request to confirm and the end go with the RU that ends the
//! partner's chain, so whatever brings one of them is the end of the chain: Condition::Eoc
//! and EIBEOC. RECEIVE and CONVERSE are the commands that can raise Condition::Eoc; an RU
//! with an FM header for the program is not part of this session type, so
//! INBFMH is not among their conditions.
//! Reference: CICS API reference, RECEIVE (APPC) and CONVERSE (APPC), where Condition::Eoc
//! means an RU with the end-of-chain indicator. Which condition comes first
//! where several hold could not be confirmed for this session type: here it is
//! Condition::LengErr, then Condition::Signal, then Condition::Eoc.

use cics::resp::Condition;
use link::conversation::{
    ConversationState, INDICATOR_COMPLETE, INDICATOR_CONFIRM, INDICATOR_FREE, INDICATOR_NO_DATA,
    INDICATOR_RECEIVE, VERB_NOTRUNCATE,
};

use super::{MappedConversation, VerbResult};
use crate::api::{Fault, ReceiveOutcome, sense};

/// Bytes asked for at once: the longest record of a mapped conversation.
const PIECE_BYTES: usize = 32_767;
/// A record that is longer than this ends the conversation.
const MOST_BYTES: usize = 1 << 20;

impl MappedConversation {
    pub(super) fn receive(&mut self, flags: u64, limit: u64) -> VerbResult {
        if let ConversationState::Send | ConversationState::PendReceive = self.state
            && let Err(fault) = self.invite(false)
        {
            return self.fault(fault);
        }
        if self.next_record.is_none() {
            if self.state != ConversationState::Receive {
                return VerbResult::condition(Condition::InvReq);
            }
            match self.read() {
                Ok(received) => self.next_record = Some(received),
                Err(fault) => {
                    self.forget_record();
                    return self.fault(fault);
                }
            }
        }
        self.give(flags & VERB_NOTRUNCATE != 0, limit as usize)
    }

    /// Reads a record, or what comes instead of one.
    fn read(&mut self) -> Result<ReceiveOutcome, Fault> {
        self.forget_record();
        let mut signal = false;
        loop {
            let start = self.record.len();
            self.record.resize(start + PIECE_BYTES, 0);
            let Some(conversation) = &mut self.conversation else {
                return Err(Fault::State);
            };
            let received = conversation.receive(&mut self.record[start..]);
            let bytes = received.as_ref().map_or(0, |h| h.bytes.unwrap_or(0));
            self.record.truncate(start + bytes);
            let mut received = received?;
            signal |= received.signal;
            let whole = received.bytes.is_none() || received.complete;
            if whole || received.turn || received.confirm || received.end {
                received.signal = signal;
                // A record that was cut short counts as data, too.
                if start > 0 {
                    received.bytes = Some(self.record.len());
                }
                return Ok(received);
            }
            if self.record.len() > MOST_BYTES {
                conversation.interrupter()();
                return Err(Fault::Over(sense::SESSION));
            }
        }
    }

    /// Returns as much of the record as the program asks for.
    fn give(&mut self, keep: bool, limit: usize) -> VerbResult {
        let Some(received) = self.next_record else {
            return VerbResult::condition(Condition::InvReq);
        };
        let left = &self.record[self.given..];
        let piece = &left[..left.len().min(limit)];
        let fits = piece.len() == left.len();
        let mut result = VerbResult {
            data: piece.to_vec(),
            figure: if keep { piece.len() } else { left.len() } as u64,
            ..VerbResult::default()
        };
        if !fits && keep {
            self.given += piece.len();
            result.indicators = INDICATOR_RECEIVE;
            return result;
        }
        if !fits {
            result.condition = Condition::LengErr;
        }
        result.indicators = match received.bytes {
            None => INDICATOR_NO_DATA,
            Some(_) => INDICATOR_COMPLETE,
        };
        self.state = match (received.confirm, received.turn, received.end) {
            (true, true, _) => ConversationState::ConfSend,
            (true, _, true) => ConversationState::ConfFree,
            (true, _, _) => ConversationState::ConfReceive,
            (_, _, true) => ConversationState::Free,
            (_, true, _) => ConversationState::Send,
            _ => ConversationState::Receive,
        };
        result.indicators |= match self.state {
            ConversationState::Free => INDICATOR_FREE,
            ConversationState::ConfFree => INDICATOR_FREE | INDICATOR_CONFIRM,
            ConversationState::ConfSend => INDICATOR_CONFIRM,
            ConversationState::ConfReceive => INDICATOR_CONFIRM | INDICATOR_RECEIVE,
            ConversationState::Receive => INDICATOR_RECEIVE,
            _ => 0,
        };
        if self.state == ConversationState::Free {
            self.conversation = None;
        }
        result.note_signal(received.signal);
        if received.confirm || received.turn || received.end {
            result.note_chain_end();
        }
        self.forget_record();
        result
    }

    pub(super) fn forget_record(&mut self) {
        self.record.clear();
        self.given = 0;
        self.next_record = None;
    }
}
