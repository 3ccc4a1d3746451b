//! Records of a connected terminal, in and out.
//!
//! What comes in is checked as a 3270 data stream before the caller sees it;
//! what goes out is looked at only for the size that it chooses.

use std::time::Duration;

use super::{EndReason, SendError, ServerSession, SessionError, SessionEvent, SessionPhase};
use crate::screen::ScreenSize;
use crate::stream::{Aid, Command, InboundRecord, OutboundField, QuerySummary, StructuredFields};
use crate::telnet::code::{EOR, IAC};
use crate::telnet::{
    BindImage, DataType, Header, NegativeReason, ResponseFlag, UnbindReason, escape,
};

impl ServerSession {
    pub(super) fn handle_record(
        &mut self,
        record: &[u8],
        now: Duration,
    ) -> Result<(), SessionError> {
        let (data_type, header, data) = if self.extended {
            let Some((header, data)) = Header::parse(record) else {
                return self.step();
            };
            (header.data_type, Some(header), data)
        } else {
            (Some(DataType::Data3270), None, record)
        };
        match (data_type, &self.phase) {
            (Some(DataType::Data3270), SessionPhase::Query) => self.query_answer(data, now),
            (Some(DataType::Data3270), SessionPhase::Connected) => self.input(data, now),
            (Some(DataType::Response), SessionPhase::Connected | SessionPhase::Query) => {
                let sequence = header.map_or(0, |header| header.sequence);
                let negative = header.is_some_and(|header| header.response_flag != 0);
                self.response(sequence, negative, data)
            }
            (Some(DataType::SscpLuData), SessionPhase::Connected) => {
                self.count_input(now)?;
                self.events
                    .push_back(SessionEvent::SscpLuData(data.to_vec()));
                Ok(())
            }
            // Out of place, or of a type that displays do not send.
            _ => self.step(),
        }
    }

    fn query_answer(&mut self, data: &[u8], now: Duration) -> Result<(), SessionError> {
        if data.first() != Some(&Aid::StructuredField.emit()) {
            return self.step();
        }
        let summary = QuerySummary::collect(&data[1..])?;
        if let Some(terminal) = &mut self.terminal {
            let bound = terminal.functions.bind_image;
            terminal.set_query(summary, bound);
        }
        self.connected(now);
        Ok(())
    }

    fn input(&mut self, data: &[u8], now: Duration) -> Result<(), SessionError> {
        if data.is_empty() {
            return self.step();
        }
        let record = InboundRecord::parse(data, self.largest().positions())?;
        self.count_input(now)?;
        let event = if record.aid() == Aid::SysReq && !self.extended {
            SessionEvent::SystemRequest
        } else {
            SessionEvent::Input(data.to_vec())
        };
        self.events.push_back(event);
        Ok(())
    }

    fn count_input(&mut self, now: Duration) -> Result<(), SessionError> {
        self.unanswered += 1;
        self.steps = 0;
        self.last_input = now;
        let most = self.config.limits.unanswered_inputs;
        if self.unanswered > most {
            return Err(SessionError::Inputs(most));
        }
        Ok(())
    }

    fn response(&mut self, sequence: u16, negative: bool, data: &[u8]) -> Result<(), SessionError> {
        let found = self
            .outstanding
            .iter()
            .position(|number| *number == sequence);
        let Some(found) = found else {
            return self.step();
        };
        self.outstanding.remove(found);
        let outcome = if negative {
            let reason = data.first().copied().unwrap_or(2);
            Err(NegativeReason::parse(reason))
        } else {
            Ok(())
        };
        self.events
            .push_back(SessionEvent::Response { sequence, outcome });
        Ok(())
    }

    /// The larger of the terminal's sizes: a record can cross a change of size
    /// on its way.
    fn largest(&self) -> ScreenSize {
        let Some(terminal) = &self.terminal else {
            return self.size;
        };
        if terminal.alternate.positions() > terminal.default.positions() {
            terminal.alternate
        } else {
            terminal.default
        }
    }

    /// Sends a record: a command with what belongs to it. Returns its number
    /// for [`SessionEvent::Response`]; without RESPONSES the flag is ignored.
    ///
    /// # Errors
    /// The terminal is not connected, or too much output waits.
    pub fn send_record(&mut self, record: &[u8], flag: ResponseFlag) -> Result<u16, SendError> {
        self.check_connected()?;
        self.unanswered = 0;
        self.note_size(record);
        Ok(self.emit_data(record, flag))
    }

    /// Sends characters to the SSCP-LU screen.
    ///
    /// # Errors
    /// The terminal is not connected, is not a TN3270E client that agreed to
    /// SYSREQ, or too much output waits.
    pub fn send_sscp_lu_data(&mut self, data: &[u8]) -> Result<(), SendError> {
        self.check_connected()?;
        let agreed = self.terminal().is_some_and(|t| t.functions.sysreq);
        if !agreed {
            return Err(SendError::NotAgreed);
        }
        self.unanswered = 0;
        self.emit(DataType::SscpLuData, data, ResponseFlag::NoResponse);
        Ok(())
    }

    /// Sends UNBIND: the client drops data until the next BIND.
    ///
    /// # Errors
    /// The terminal is not connected or did not agree to BIND-IMAGE.
    pub fn send_unbind(&mut self, reason: UnbindReason) -> Result<(), SendError> {
        self.check_bind()?;
        self.emit(DataType::Unbind, &[reason as u8], ResponseFlag::NoResponse);
        Ok(())
    }

    /// Sends BIND again, after an UNBIND.
    ///
    /// # Errors
    /// The terminal is not connected or did not agree to BIND-IMAGE.
    pub fn send_bind(&mut self) -> Result<(), SendError> {
        self.check_bind()?;
        self.emit_bind();
        Ok(())
    }

    fn check_bind(&self) -> Result<(), SendError> {
        self.check_connected()?;
        let agreed = self.terminal().is_some_and(|t| t.functions.bind_image);
        if agreed {
            Ok(())
        } else {
            Err(SendError::NotAgreed)
        }
    }

    fn check_connected(&self) -> Result<(), SendError> {
        if !self.is_connected() {
            return Err(SendError::NotConnected);
        }
        self.check_room()
    }

    pub(super) fn emit_bind(&mut self) {
        let Some(terminal) = self.terminal.as_deref() else {
            return;
        };
        // Rows and columns that do not fit a byte come from the query.
        let byte = |value: u16| u8::try_from(value).unwrap_or(u8::MAX);
        let bytes = |size: ScreenSize| (byte(size.rows()), byte(size.columns()));
        let image = BindImage {
            default: bytes(terminal.default),
            alternate: bytes(terminal.alternate),
            size_code: if terminal.device.is_dynamic() {
                BindImage::ALTERNATE_BY_QUERY
            } else {
                BindImage::BOTH_SIZES
            },
            plu_name: self.config.plu_name.clone(),
        };
        let mut bytes = Vec::new();
        image.emit(&mut bytes);
        self.emit(DataType::BindImage, &bytes, ResponseFlag::NoResponse);
    }

    pub(super) fn emit_data(&mut self, record: &[u8], flag: ResponseFlag) -> u16 {
        self.emit(DataType::Data3270, record, flag)
    }

    fn emit(&mut self, data_type: DataType, data: &[u8], flag: ResponseFlag) -> u16 {
        let mut number = 0;
        self.out.reserve(data.len() + 16);
        if self.extended {
            let responses = self.terminal().is_some_and(|t| t.functions.responses);
            let flag = if responses {
                flag
            } else {
                ResponseFlag::NoResponse
            };
            if responses {
                number = self.sequence;
                self.sequence = (self.sequence + 1) & MOST_SEQUENCE;
            }
            if flag != ResponseFlag::NoResponse {
                if self.outstanding.len() >= MOST_OUTSTANDING {
                    self.outstanding.pop_front();
                }
                self.outstanding.push_back(number);
            }
            let header = Header::emit(data_type, flag as u8, number);
            escape(&header, &mut self.out);
        }
        escape(data, &mut self.out);
        self.out.extend([IAC, EOR]);
        number
    }

    /// Notes the size that a record chooses.
    fn note_size(&mut self, record: &[u8]) {
        let Some((code, rest)) = record.split_first() else {
            return;
        };
        match Command::parse(*code) {
            Some(Command::EraseWrite) => self.choose_size(false),
            Some(Command::EraseWriteAlternate) => self.choose_size(true),
            Some(Command::WriteStructuredField) => {
                for (id, contents) in StructuredFields::new(rest).map_while(Result::ok) {
                    match OutboundField::parse(id, contents) {
                        Ok(OutboundField::EraseReset { alternate }) => self.choose_size(alternate),
                        Ok(OutboundField::Outbound3270 { record, .. }) => {
                            // A record inside has no structured fields.
                            let alternate = match record.first().and_then(|c| Command::parse(*c)) {
                                Some(Command::EraseWrite) => false,
                                Some(Command::EraseWriteAlternate) => true,
                                _ => continue,
                            };
                            self.choose_size(alternate);
                        }
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn choose_size(&mut self, alternate: bool) {
        if let Some(terminal) = &self.terminal {
            self.size = if alternate {
                terminal.alternate
            } else {
                terminal.default
            };
        }
    }

    /// Whether the session ended because of its client's bytes.
    pub const fn is_misbehaved(&self) -> bool {
        matches!(self.phase, SessionPhase::Ended(EndReason::Misbehaved(_)))
    }
}

/// SEQ-NUMBER goes from 0 to 32,767.
const MOST_SEQUENCE: u16 = 0x7FFF;
/// Records whose response can be outstanding; older ones are forgotten.
const MOST_OUTSTANDING: usize = 64;
