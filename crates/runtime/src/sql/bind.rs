//! Host variables that a statement reads: straight into a Bind message.

use sql::block::FieldDescriptor;
use sql::field::{CobolType, EncodeError, encode};
use sql::wire::{Client, oid};

use super::areas::{SqlAreas, field, indicator};
use super::prepare::PreparedStatement;
use super::report::SqlFailure;
use super::session::Session;

/// Number of the first type that a user has made: a domain.
const FIRST_USER_TYPE: u32 = 16_384;

/// ctid and xmin of a cursor's row, as the wire has them.
pub(super) type RowPlace = (Vec<u8>, Vec<u8>);

impl Session {
    /// Opens a batch with a Bind; nothing of it is left if a value cannot be sent.
    pub(super) fn bind_first(
        &mut self,
        portal: &str,
        prepared: &PreparedStatement,
        inputs: &[FieldDescriptor],
        areas: &dyn SqlAreas,
        place: Option<&RowPlace>,
    ) -> Result<(), SqlFailure> {
        self.open_batch();
        self.bind_more(portal, prepared, inputs, areas, 0, place)
    }

    /// A further Bind of the batch; an occurrence counts from 0.
    pub(super) fn bind_more(
        &mut self,
        portal: &str,
        prepared: &PreparedStatement,
        inputs: &[FieldDescriptor],
        areas: &dyn SqlAreas,
        occurrence: u32,
        place: Option<&RowPlace>,
    ) -> Result<(), SqlFailure> {
        let client = &mut self.exchange.client;
        let bound = bind(client, portal, prepared, inputs, areas, occurrence, place);
        if bound.is_err() {
            self.abandon_batch();
        }
        bound
    }
}

/// Writes a Bind of a portal with the host variables' values.
fn bind(
    client: &mut Client,
    portal: &str,
    prepared: &PreparedStatement,
    inputs: &[FieldDescriptor],
    areas: &dyn SqlAreas,
    occurrence: u32,
    place: Option<&RowPlace>,
) -> Result<(), SqlFailure> {
    let all = prepared.parameters.len();
    let own = all - if prepared.is_positioned { 2 } else { 0 };
    if own > inputs.len() {
        return Err(SqlFailure::code(-313, &[]));
    }
    client.bind(portal, &prepared.name, all, |bind| {
        let values = inputs.iter().zip(&prepared.parameters[..own]);
        for (number, (descriptor, target)) in (1..).zip(values) {
            let occurrence = if descriptor.occurs > 1 { occurrence } else { 0 };
            if indicator(areas, descriptor, occurrence).is_some_and(|i| i < 0) {
                bind.null();
                continue;
            }
            let bytes = field(areas, descriptor, occurrence)
                .ok_or_else(|| SqlFailure::code(-804, &["a host variable is too short"]))?;
            let target = target_type(*target, descriptor.cobol);
            bind.value(|out| encode(descriptor.cobol, bytes, target, out))
                .map_err(|error| numbered(error, number))?;
        }
        for value in place.into_iter().flat_map(|(ctid, xmin)| [ctid, xmin]) {
            bind.value(|out| -> Result<(), SqlFailure> {
                out.extend_from_slice(value);
                Ok(())
            })?;
        }
        Ok(())
    })
}

/// The type to encode for: that of a domain is its base's.
fn target_type(target: u32, cobol: CobolType) -> u32 {
    if target < FIRST_USER_TYPE {
        target
    } else if cobol.is_number() {
        oid::NUMERIC
    } else {
        oid::BPCHAR
    }
}

/// The code of a value that cannot be sent; some name the variable's number.
fn numbered(error: EncodeError, number: usize) -> SqlFailure {
    match error {
        EncodeError::InvalidDecimal | EncodeError::Range | EncodeError::Length => {
            SqlFailure::code(error.sqlcode(), &[&number.to_string()])
        }
        _ => error.into(),
    }
}

/// The characters of a text that a statement reads by itself.
pub(super) fn bind_text(
    areas: &dyn SqlAreas,
    descriptor: &FieldDescriptor,
) -> Result<String, SqlFailure> {
    if descriptor.cobol.is_number() {
        return Err(SqlFailure::code(-301, &["1"]));
    }
    let bytes = field(areas, descriptor, 0)
        .ok_or_else(|| SqlFailure::code(-804, &["a host variable is too short"]))?;
    let mut value = Vec::new();
    encode(descriptor.cobol, bytes, oid::BYTEA, &mut value).map_err(|e| numbered(e, 1))?;
    Ok(value.into_iter().map(char::from).collect())
}

/// The value of a whole number that a statement reads by itself: rows, a distance.
pub(super) fn whole_number(
    areas: &dyn SqlAreas,
    descriptor: Option<&FieldDescriptor>,
) -> Result<i64, SqlFailure> {
    let wrong = || SqlFailure::code(-804, &["a number of rows"]);
    let descriptor = descriptor.ok_or_else(wrong)?;
    if indicator(areas, descriptor, 0).is_some_and(|i| i < 0) {
        return Ok(0);
    }
    let bytes = field(areas, descriptor, 0).ok_or_else(wrong)?;
    let mut out = Vec::new();
    encode(descriptor.cobol, bytes, oid::INT8, &mut out)?;
    let value: [u8; 8] = out.try_into().map_err(|_| wrong())?;
    Ok(i64::from_be_bytes(value))
}
