//! A row of a result into the host variables of a statement.

use sql::block::FieldDescriptor;
use sql::code::Sqlca;
use sql::field::{DecodeOptions, DecodeResult, decode};
use sql::wire::backend::ResultRow;

use super::areas::{SqlAreas, field_mut, set_indicator};
use super::report::SqlFailure;

/// What the receiving of rows noticed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ReceiveNotes {
    /// A text was cut.
    cut: bool,
    /// A number did not fit, and its indicator says so.
    overflow: bool,
    /// The result has more columns than there are host variables.
    fewer_variables: bool,
}

impl ReceiveNotes {
    /// The SQLCA of a statement that was done.
    pub fn sqlca(self, rows: i32) -> Sqlca {
        let mut ca = if self.overflow {
            Sqlca::of(304, &[])
        } else {
            Sqlca::success(rows)
        };
        ca.errd[2] = rows;
        ca.cut = self.cut;
        ca.fewer_variables = self.fewer_variables;
        if ca.sqlcode == 0 && self.cut {
            ca.sqlstate = "01004".into();
        }
        ca
    }
}

/// Puts the values of a row into host variables.
pub(super) fn receive(
    row: &ResultRow<'_>,
    columns: &[u32],
    outputs: &[FieldDescriptor],
    areas: &mut dyn SqlAreas,
    occurrence: u32,
    options: DecodeOptions,
    notes: &mut ReceiveNotes,
) -> Result<(), SqlFailure> {
    notes.fewer_variables |= outputs.len() < columns.len();
    let values = row.values().zip(columns).zip(outputs);
    for (number, ((value, column), output)) in (1..).zip(values) {
        let occurrence = if output.occurs > 1 { occurrence } else { 0 };
        let Some(value) = value else {
            // The variable stays as it was, and so do those after it.
            if !set_indicator(areas, output, occurrence, -1) {
                return Err(SqlFailure::code(-305, &[&number_of(number)]));
            }
            continue;
        };
        let field = field_mut(areas, output, occurrence)
            .ok_or_else(|| SqlFailure::code(-804, &["a host variable is too short"]))?;
        let indicator = match decode(*column, value, output.cobol, field, options) {
            DecodeResult::Whole => 0,
            DecodeResult::Cut(length) => {
                notes.cut = true;
                i16::try_from(length).unwrap_or(i16::MAX)
            }
            DecodeResult::Overflow => {
                if !set_indicator(areas, output, occurrence, -2) {
                    return Err(SqlFailure::code(-304, &[&number_of(number)]));
                }
                notes.overflow = true;
                continue;
            }
            DecodeResult::Mismatch => return Err(SqlFailure::code(-303, &[&number_of(number)])),
            DecodeResult::Malformed => {
                return Err(SqlFailure::code(-901, &["a value of the server"]));
            }
        };
        set_indicator(areas, output, occurrence, indicator);
    }
    Ok(())
}

fn number_of(position: usize) -> String {
    position.to_string()
}
