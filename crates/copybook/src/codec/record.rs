//! Whole records: the public [`RecordCodec`] and the translation of faults.

use std::sync::Arc;

use super::build;
use super::decode::{self, RecordDecoder};
use super::encode::{self, RecordEncoder, TableCounts};
use super::error::{BuildError, DecodeError, EncodeError, PathError};
use super::field::FieldCodec;
use super::json::{Cursor, SyntaxError, line_and_column};
use super::options::{CodecOptions, LongRecord, ShortRecord};
use super::plan::CodecPlan;
use super::shape::{CounterFault, CounterForm, TableShape};
use crate::RecordLayout;

/// A compiled layout: records to JSON text and back.
///
/// Cheap to clone and to share between threads.
#[derive(Debug, Clone)]
pub struct RecordCodec {
    pub(super) plan: Arc<CodecPlan>,
}

impl RecordCodec {
    /// Compiles a layout.
    pub fn build(layout: &RecordLayout, options: &CodecOptions) -> Result<RecordCodec, BuildError> {
        Ok(RecordCodec {
            plan: Arc::new(build::build(layout, options)?),
        })
    }

    /// Bytes of the longest record; [`RecordCodec::encode`] needs an area of that.
    pub fn max_len(&self) -> usize {
        self.plan.length
    }

    /// Whether records differ in length.
    pub fn is_variable(&self) -> bool {
        !self.plan.vars.is_empty()
    }

    /// The stages in which a record of unknown length can be read: one a
    /// counter, in the order of the record.
    pub(super) fn stages(&self) -> usize {
        self.plan.counters.len()
    }

    /// Bytes that the stage's counter needs, given those of the stages before.
    pub(super) fn stage_len(&self, bytes: &[u8], stage: usize) -> Result<usize, DecodeError> {
        let plan = &*self.plan;
        plan.counter_end(bytes, stage)
            .map_err(|fault| counter_error(plan, fault))
    }

    /// The options it was built with.
    pub fn options(&self) -> &CodecOptions {
        &self.plan.options
    }

    /// The real length of the record that `bytes` begin with, by its counters.
    pub fn record_len(&self, bytes: &[u8]) -> Result<usize, DecodeError> {
        let plan = &*self.plan;
        match plan.shape(bytes, CounterForm::Compact, false) {
            Ok(shape) => Ok(plan.real_len(&shape)),
            Err(fault) => Err(counter_error(plan, fault)),
        }
    }

    /// Appends the JSON text of a record to `out`; nothing on an error.
    pub fn decode(&self, record: &[u8], out: &mut Vec<u8>) -> Result<(), DecodeError> {
        let plan = &*self.plan;
        let shape = plan.checked_shape(record)?;
        let start = out.len();
        let mut decoder = RecordDecoder {
            plan,
            record,
            out,
            shape: shape.as_ref(),
            strict: false,
        };
        let result = decoder.emit(0, 0);
        finish_value(
            result.map_err(|fault| plan.decode_error(*fault, record)),
            start,
            out,
        )
    }

    /// Reads the JSON text of a record into `area`, which must have
    /// [`RecordCodec::max_len`] bytes or more; returns the record's real length.
    ///
    /// On an error the area holds parts of the record.
    pub fn encode(&self, json: &[u8], area: &mut [u8]) -> Result<usize, EncodeError> {
        let plan = &*self.plan;
        let record = plan.area(area)?;
        record.copy_from_slice(&plan.images[0].bytes);
        let mut encoder = RecordEncoder {
            plan,
            json: Cursor {
                input: json,
                pos: 0,
            },
            record,
            counts: TableCounts::new(plan.vars.len()),
            scratch: Vec::new(),
        };
        encoder.json.blanks();
        let result = encoder.value(0, 0).and_then(|()| encoder.settle());
        if let Err(fault) = result {
            return Err(plan.encode_error(*fault, json));
        }
        encoder.json.blanks();
        if encoder.json.pos < json.len() {
            let fault = encoder.json.fail("text after the value");
            return Err(syntax_error(fault, json));
        }
        self.finish(area)
    }

    /// Fills `area` with the initial contents, in the expanded form in which
    /// [`FieldCodec`]s write.
    pub fn initialise(&self, area: &mut [u8]) -> Result<(), EncodeError> {
        self.plan
            .area(area)?
            .copy_from_slice(&self.plan.images[0].bytes);
        Ok(())
    }

    /// Brings a record that [`FieldCodec`]s have written from its expanded to its
    /// real form; returns its real length.
    pub fn finish(&self, area: &mut [u8]) -> Result<usize, EncodeError> {
        let plan = &*self.plan;
        let record = plan.area(area)?;
        if plan.vars.is_empty() {
            return Ok(plan.length);
        }
        let shape = plan
            .shape(record, CounterForm::Expanded, false)
            .map_err(|fault| plan.encode_error(*Box::<encode::Fault>::from(fault), b""))?;
        Ok(plan.compact(record, &shape))
    }

    /// The reverse of [`RecordCodec::finish`]: the expanded form of a record, with
    /// initial contents where it has none.
    pub fn expand(&self, record: &[u8], area: &mut [u8]) -> Result<(), EncodeError> {
        let plan = &*self.plan;
        let area = plan.area(area)?;
        area.copy_from_slice(&plan.images[0].bytes);
        let shape = plan
            .shape(record, CounterForm::Compact, true)
            .map_err(|fault| plan.encode_error(*Box::<encode::Fault>::from(fault), b""))?;
        plan.expand(record, area, &shape);
        Ok(())
    }

    /// The codec of one field. `path` has COBOL or JSON names from below the
    /// record, joined by dots; names that leave out levels are found if they
    /// are unambiguous. An element of a table is `NAME(3)`, counted from 1;
    /// without a subscript the path means the whole table.
    pub fn field(&self, path: &str) -> Result<FieldCodec, PathError> {
        FieldCodec::resolve(&self.plan, path)
    }
}

/// Takes back what a failed value has written, or its last comma.
pub(super) fn finish_value(
    result: Result<(), DecodeError>,
    start: usize,
    out: &mut Vec<u8>,
) -> Result<(), DecodeError> {
    match result {
        Ok(()) if out.len() > start => {
            out.pop();
        }
        // A field after the end of a short record.
        Ok(()) => out.extend_from_slice(b"null"),
        Err(_) => out.truncate(start),
    }
    result
}

impl CodecPlan {
    /// The record's part of an area.
    pub(super) fn area<'r>(&self, area: &'r mut [u8]) -> Result<&'r mut [u8], EncodeError> {
        let actual = area.len();
        area.get_mut(..self.length).ok_or(EncodeError::Area {
            actual,
            needed: self.length,
        })
    }

    /// The shape of a record whose length is as the options want it.
    pub(super) fn checked_shape(&self, record: &[u8]) -> Result<Option<TableShape>, DecodeError> {
        let partial = self.options.short_record == ShortRecord::Absent;
        let (shape, needed) = if self.vars.is_empty() {
            (None, self.length)
        } else {
            let shape = self
                .shape(record, CounterForm::Compact, partial)
                .map_err(|fault| counter_error(self, fault))?;
            let needed = self.real_len(&shape);
            (Some(shape), needed)
        };
        let actual = record.len();
        if actual < needed && !partial {
            return Err(DecodeError::TooShort { actual, needed });
        }
        let limit = match self.options.long_record {
            LongRecord::Error => needed,
            LongRecord::Slack => self.length,
            LongRecord::Ignore => actual,
        };
        if actual > limit {
            return Err(DecodeError::TooLong { actual, limit });
        }
        Ok(shape)
    }

    /// A fault of the decoder with names.
    #[cold]
    pub(super) fn decode_error(&self, fault: decode::Fault, record: &[u8]) -> DecodeError {
        let place = self.place(&fault.spot);
        let bytes = record
            .get(place.offset..)
            .map_or(&[][..], |rest| {
                &rest[..rest.len().min(place.length).min(SHOWN)]
            })
            .to_vec();
        match fault.kind {
            decode::FaultKind::Number(reason) => DecodeError::Invalid {
                place,
                reason,
                bytes,
            },
            decode::FaultKind::Unmappable(at) => {
                let code_page = self.options.code_page.to_string();
                DecodeError::Unmappable {
                    place,
                    at,
                    code_page,
                    bytes,
                }
            }
            decode::FaultKind::NoVariant => DecodeError::NoVariant { place, bytes },
        }
    }

    /// A fault of the encoder with names.
    #[cold]
    pub(super) fn encode_error(&self, fault: encode::Fault, json: &[u8]) -> EncodeError {
        use encode::FaultKind as Kind;
        let place = self.place(&fault.spot);
        match fault.kind {
            Kind::Syntax(syntax) => syntax_error(syntax, json),
            Kind::Unknown { name, at } => EncodeError::Unknown {
                pointer: format!(
                    "{}/{}",
                    place.pointer,
                    name.replace('~', "~0").replace('/', "~1")
                ),
                offset: at,
            },
            Kind::Duplicate { at } => EncodeError::Duplicate { place, offset: at },
            Kind::Missing => EncodeError::Missing { place },
            Kind::Type {
                expected,
                found,
                at,
            } => EncodeError::Type {
                place,
                expected,
                found,
                offset: at,
            },
            Kind::TooLong { length } => {
                let max = place.length;
                EncodeError::TooLong { place, length, max }
            }
            Kind::Number { text, reason } => EncodeError::Number {
                place,
                text,
                reason,
            },
            Kind::Unmappable(character) => {
                let code_page = self.options.code_page.to_string();
                EncodeError::Unmappable {
                    place,
                    character,
                    code_page,
                }
            }
            Kind::Elements { count, min, max } => EncodeError::Elements {
                place,
                count,
                min,
                max,
            },
            Kind::Conflict { count, other } => EncodeError::CounterConflict {
                place,
                count,
                other,
            },
            Kind::Counter { value, min, max } => EncodeError::Counter {
                place,
                value,
                min,
                max,
            },
        }
    }
}

pub(super) fn syntax_error(syntax: SyntaxError, json: &[u8]) -> EncodeError {
    let SyntaxError { offset, reason } = syntax;
    let (line, column) = line_and_column(json, offset);
    EncodeError::Syntax {
        offset,
        line,
        column,
        reason,
    }
}

fn counter_error(plan: &CodecPlan, fault: CounterFault) -> DecodeError {
    let CounterFault {
        spot,
        value,
        min,
        max,
    } = fault;
    DecodeError::Counter {
        place: plan.place(&spot),
        value,
        min,
        max,
    }
}

/// Bytes of a field that messages show.
const SHOWN: usize = 64;
