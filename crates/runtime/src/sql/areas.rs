//! The storage of the program: the operands of a CALL.
//!
//! Operand 0 is the statement block, operand 1 the SQLCA, and the host variables
//! of the block's arguments follow.

use sql::block::FieldDescriptor;
use sql::code::{SQLCA_BYTES, Sqlca};

/// Operands of a CALL, as the host of the program has them.
pub trait SqlAreas {
    /// How many there are.
    fn count(&self) -> usize;
    /// Where an operand lies; 0 if it has no address.
    fn address(&self, at: usize) -> usize;
    /// Its bytes; empty if it has no address.
    fn bytes(&self, at: usize) -> &[u8];
    /// Its bytes, to be changed.
    fn bytes_mut(&mut self, at: usize) -> &mut [u8];
    /// Storage that an SQLDA of the program points at, to be changed. A pointer that
    /// is wrong ends the program, as a store through it would; empty if the host has
    /// no storage of programs.
    fn pointed_at(&mut self, _address: usize, _bytes: usize) -> &mut [u8] {
        &mut []
    }
}

/// Operand of the statement block.
pub(super) const BLOCK: usize = 0;
/// Operand of the SQLCA.
pub(super) const AREA: usize = 1;
/// Operand of the first host variable.
pub(super) const FIRST: usize = 2;

/// Writes what happened into the program's SQLCA.
pub(super) fn write_sqlca(areas: &mut dyn SqlAreas, at: usize, ca: &Sqlca) {
    if let Some(area) = areas.bytes_mut(at).first_chunk_mut::<SQLCA_BYTES>() {
        ca.write(area);
    }
}

/// The bytes of an occurrence, counted from 0, of a host variable.
pub(super) fn field<'a>(
    areas: &'a dyn SqlAreas,
    descriptor: &FieldDescriptor,
    occurrence: u32,
) -> Option<&'a [u8]> {
    let (from, to) = range(descriptor, occurrence)?;
    areas
        .bytes(FIRST + usize::from(descriptor.argument))
        .get(from..to)
}

/// As [`field`], to be changed.
pub(super) fn field_mut<'a>(
    areas: &'a mut dyn SqlAreas,
    descriptor: &FieldDescriptor,
    occurrence: u32,
) -> Option<&'a mut [u8]> {
    let (from, to) = range(descriptor, occurrence)?;
    areas
        .bytes_mut(FIRST + usize::from(descriptor.argument))
        .get_mut(from..to)
}

fn range(descriptor: &FieldDescriptor, occurrence: u32) -> Option<(usize, usize)> {
    let skipped = descriptor.stride.checked_mul(occurrence)?;
    let from = usize::try_from(descriptor.offset.checked_add(skipped)?).ok()?;
    let length = usize::try_from(descriptor.cobol.length()).ok()?;
    Some((from, from.checked_add(length)?))
}

/// Bytes of an indicator.
const INDICATOR_BYTES: usize = 2;

fn indicator_range(descriptor: &FieldDescriptor, occurrence: u32) -> Option<(usize, usize)> {
    let (argument, offset) = descriptor.indicator?;
    // Indicators of a host variable array lie one after the other.
    let from = usize::from(offset) + INDICATOR_BYTES * usize::try_from(occurrence).ok()?;
    Some((FIRST + usize::from(argument), from))
}

/// The value of an indicator; `None` if the host variable has none.
pub(super) fn indicator(
    areas: &dyn SqlAreas,
    descriptor: &FieldDescriptor,
    occurrence: u32,
) -> Option<i16> {
    let (at, from) = indicator_range(descriptor, occurrence)?;
    let bytes = areas.bytes(at).get(from..from + INDICATOR_BYTES)?;
    let bytes = [bytes[0], bytes[1]];
    Some(if descriptor.indicator_big_endian {
        i16::from_be_bytes(bytes)
    } else {
        i16::from_ne_bytes(bytes)
    })
}

/// Sets an indicator; false if the host variable has none.
pub(super) fn set_indicator(
    areas: &mut dyn SqlAreas,
    descriptor: &FieldDescriptor,
    occurrence: u32,
    value: i16,
) -> bool {
    let Some((at, from)) = indicator_range(descriptor, occurrence) else {
        return false;
    };
    let bytes = if descriptor.indicator_big_endian {
        value.to_be_bytes()
    } else {
        value.to_ne_bytes()
    };
    match areas.bytes_mut(at).get_mut(from..from + INDICATOR_BYTES) {
        Some(place) => {
            place.copy_from_slice(&bytes);
            true
        }
        None => false,
    }
}
