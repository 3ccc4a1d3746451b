//! SQLDA: DESCRIBE, and variables that a descriptor names.
//!
//! The variables become operands after the SQLCA, so that they are read and set as
//! host variables are. Their values are copied in before the statement and out after
//! it: an SQLDA points at storage that is not an operand.
//!
//! Reference: Db2 for z/OS SQL Reference, "SQL descriptor area (SQLDA)".

use sql::block::{FieldDescriptor, NumberOrder, StatementBlock};
use sql::code::Sqlca;
use sql::sqlda::{self, DescribedColumn, DescriptorVariable};
use sql::wire::{ClientEvent, ResultColumn};
use sql::{SqlType, StatementKind};

use super::areas::{AREA, BLOCK, FIRST, SqlAreas};
use super::catalog::type_of;
use super::exchange::SqlTransport;
use super::prepare::{PreparedStatement, ProgramStatement};
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

/// Bytes of an indicator.
const INDICATOR_BYTES: usize = 2;

/// Operands of a statement whose variables an SQLDA names: values, then indicators.
struct DescriptorAreas<'a> {
    inner: &'a mut dyn SqlAreas,
    copies: Vec<Vec<u8>>,
}

impl SqlAreas for DescriptorAreas<'_> {
    fn count(&self) -> usize {
        FIRST + self.copies.len()
    }

    fn address(&self, at: usize) -> usize {
        self.inner.address(at.min(AREA))
    }

    fn bytes(&self, at: usize) -> &[u8] {
        match at.checked_sub(FIRST) {
            None => self.inner.bytes(at),
            Some(copy) => self.copies.get(copy).map_or(&[], Vec::as_slice),
        }
    }

    fn bytes_mut(&mut self, at: usize) -> &mut [u8] {
        match at.checked_sub(FIRST) {
            None => self.inner.bytes_mut(at),
            Some(copy) => self.copies.get_mut(copy).map_or(&mut [], Vec::as_mut_slice),
        }
    }
}

/// The operand of a block's SQLDA, and the order of its numbers.
fn area_of(block: &StatementBlock) -> Option<(usize, NumberOrder)> {
    let order = block.descriptor?;
    let last = usize::from(block.arguments).checked_sub(1)?;
    Some((FIRST + last, order))
}

/// Copies of the variables and their indicators.
fn copies(
    areas: &mut dyn SqlAreas,
    variables: &[DescriptorVariable],
) -> Result<Vec<Vec<u8>>, SqlFailure> {
    let missing = || SqlFailure::code(-804, &["SQLDATA has no address"]);
    let mut values = Vec::with_capacity(2 * variables.len());
    for variable in variables {
        let length = usize::try_from(variable.cobol.length()).map_err(|_| missing())?;
        if variable.data == 0 {
            return Err(missing());
        }
        let value = areas.pointed_at(variable.data, length).to_vec();
        if value.len() != length {
            return Err(missing());
        }
        values.push(value);
    }
    for variable in variables {
        values.push(match variable.indicator {
            0 => Vec::new(),
            address => areas.pointed_at(address, INDICATOR_BYTES).to_vec(),
        });
    }
    Ok(values)
}

/// Field descriptors of variables whose copies are operands.
fn fields(variables: &[DescriptorVariable]) -> Vec<FieldDescriptor> {
    let count = variables.len();
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    let each = variables.iter().enumerate();
    each.map(|(at, variable)| FieldDescriptor {
        argument: number(at),
        offset: 0,
        cobol: variable.cobol,
        occurs: 1,
        stride: variable.cobol.length(),
        indicator: (variable.indicator != 0).then(|| (number(count + at), 0)),
        // The same bytes in both orders for 0 and -1.
        indicator_big_endian: false,
    })
    .collect()
}

impl Session {
    /// OPEN, EXECUTE and FETCH with a descriptor.
    pub(super) fn with_descriptor(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let Some((operand, order)) = area_of(block) else {
            return Err(SqlFailure::code(-804, &["SQLDA"]));
        };
        let variables = sqlda::variables(areas.bytes(operand), order)
            .map_err(|code| SqlFailure::code(code, &["SQLDA"]))?;
        let mut own = block.clone();
        own.descriptor = None;
        if block.kind == StatementKind::Fetch {
            own.outputs = fields(&variables);
        } else {
            own.inputs = fields(&variables);
        }
        let copies = copies(areas, &variables)?;
        let mut inner = DescriptorAreas {
            inner: areas,
            copies,
        };
        let done = match block.kind {
            StatementKind::Fetch => self.fetch(transport, &mut inner, &own),
            StatementKind::Open => {
                let statement = ProgramStatement::new(own, inner.inner.bytes(BLOCK));
                self.open_cursor(transport, &mut inner, &statement)
            }
            _ => self.execute_dynamic(transport, &mut inner, &own),
        };
        let DescriptorAreas { inner, copies } = inner;
        if block.kind == StatementKind::Fetch {
            let (values, indicators) = copies.split_at(variables.len());
            for ((variable, value), indicator) in variables.iter().zip(values).zip(indicators) {
                inner
                    .pointed_at(variable.data, value.len())
                    .copy_from_slice(value);
                if !indicator.is_empty() {
                    let place = inner.pointed_at(variable.indicator, INDICATOR_BYTES);
                    place.copy_from_slice(indicator);
                }
            }
        }
        done
    }

    /// DESCRIBE, and the INTO of PREPARE.
    pub(super) fn describe(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let found = self.dynamic.get(&(block.token, block.name.clone()));
        let Some(prepared) = found.cloned() else {
            return Err(SqlFailure::code(-516, &[]));
        };
        let is_input = block.kind == StatementKind::Describe && block.text.contains("INPUT");
        let columns = if is_input {
            let parameter = |oid: &u32| DescribedColumn {
                name: String::new(),
                sql_type: type_of(*oid, -1),
                nullable: true,
            };
            prepared.parameters.iter().map(parameter).collect()
        } else {
            self.described(transport, &prepared)?
        };
        let Some((operand, order)) = area_of(block) else {
            return Err(SqlFailure::code(-804, &["SQLDA"]));
        };
        let (code, room, needed) = sqlda::describe(areas.bytes_mut(operand), order, &columns);
        if code == 0 {
            return Ok(Sqlca::success(0));
        }
        let tokens = [room, needed, needed].map(|n| n.to_string());
        let tokens = tokens.each_ref().map(String::as_str);
        if code > 0 {
            return Ok(Sqlca::of(code, &tokens));
        }
        Err(SqlFailure::code(code, &["SQLDA"]))
    }

    /// The columns of a prepared query; none of another statement.
    fn described(
        &mut self,
        transport: &mut dyn SqlTransport,
        prepared: &PreparedStatement,
    ) -> Result<Vec<DescribedColumn>, SqlFailure> {
        if prepared.kind != StatementKind::SelectInto {
            return Ok(Vec::new());
        }
        let required = self.required_columns(transport, &prepared.result)?;
        let each = prepared.result.iter().zip(&prepared.columns).enumerate();
        Ok(each
            .map(|(at, (column, oid))| {
                let known = prepared.types.get(at).copied();
                let known = known.filter(|t| *t != SqlType::Unknown);
                // What the server calls a column without a name.
                let unnamed = column.table == 0 && column.name.starts_with('?');
                DescribedColumn {
                    name: if unnamed {
                        String::new()
                    } else {
                        column.name.clone()
                    },
                    sql_type: known.unwrap_or_else(|| type_of(*oid, column.modifier)),
                    nullable: !required.contains(&(column.table, column.number)),
                }
            })
            .collect())
    }

    /// The columns of tables that cannot be NULL.
    fn required_columns(
        &mut self,
        transport: &mut dyn SqlTransport,
        columns: &[ResultColumn],
    ) -> Result<Vec<(u32, i16)>, SqlFailure> {
        let wanted: Vec<String> = columns
            .iter()
            .filter(|c| c.table != 0)
            .map(|c| format!("({},{})", c.table, c.number))
            .collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let text = format!(
            "SELECT attrelid::int8, attnum::int8 FROM pg_catalog.pg_attribute \
             WHERE attnotnull AND (attrelid, attnum) IN ({})",
            wanted.join(",")
        );
        self.open_batch();
        let client = &mut self.exchange.client;
        client.parse("", &text, &[]);
        let bound: Result<(), SqlFailure> = client.bind("", "", 0, |_| Ok(()));
        bound?;
        client.execute("", 0);
        let mut found = Vec::new();
        let context = self.context(StatementKind::Describe, false);
        self.run(transport, context, StatementEffect::Reads, &mut |event| {
            if let ClientEvent::Row(row) = event {
                let mut values = row.values().map(|v| {
                    let bytes: [u8; 8] = v.unwrap_or_default().try_into().unwrap_or_default();
                    i64::from_be_bytes(bytes)
                });
                let (table, number) = (values.next(), values.next());
                let pair = table
                    .and_then(|t| u32::try_from(t).ok())
                    .zip(number.and_then(|n| i16::try_from(n).ok()));
                found.extend(pair);
            }
            Ok(())
        })?;
        Ok(found)
    }
}
