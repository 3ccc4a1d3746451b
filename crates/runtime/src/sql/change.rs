//! INSERT, UPDATE, DELETE and LOCK TABLE; rows of host variable arrays; changes at
//! a cursor's row.

use sql::StatementKind;
use sql::block::StatementBlock;
use sql::code::Sqlca;
use sql::wire::ClientEvent;

use super::areas::SqlAreas;
use super::bind::whole_number;
use super::exchange::SqlTransport;
use super::prepare::{PreparedStatement, ProgramStatement};
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

/// Rows that one INSERT may have.
const MOST_ROWS: i64 = 32_767;
/// Rows that leave in one batch, so that neither side waits for the other to read.
const ROWS_A_BATCH: u32 = 100;

impl Session {
    /// A statement that changes rows.
    pub(super) fn change(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let block = &statement.block;
        let prepared = self.prepared(transport, statement)?;
        if prepared.is_positioned {
            return self.change_row(transport, areas, block, &prepared);
        }
        if block.kind == StatementKind::Insert && (block.rows > 0 || block.rows_input > 0) {
            return self.insert_rows(transport, areas, block, &prepared);
        }
        self.bind_first("", &prepared, &block.inputs, areas, None)?;
        self.exchange.client.execute("", 0);
        let rows = self.count(transport, block.kind, !block.inputs.is_empty())?;
        Ok(changed(block.kind, rows))
    }

    /// Sends the batch; the rows of its last statement.
    pub(super) fn count(
        &mut self,
        transport: &mut dyn SqlTransport,
        kind: StatementKind,
        has_inputs: bool,
    ) -> Result<u64, SqlFailure> {
        let context = self.context(kind, has_inputs);
        let mut rows = 0;
        self.run(transport, context, StatementEffect::Changes, &mut |event| {
            if let ClientEvent::Complete(count) = event {
                rows = count;
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// INSERT … FOR n ROWS: all rows or none.
    fn insert_rows(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
        prepared: &PreparedStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let rows = rows_of(areas, block)?;
        let arrays = block.inputs.iter().filter(|d| d.occurs > 1);
        let room = arrays.map(|d| u32::from(d.occurs)).min().unwrap_or(1);
        let rows = u32::try_from(rows).unwrap_or(0);
        if rows > room {
            return Err(SqlFailure::code(-246, &[&rows.to_string()]));
        }
        let mut done = 0;
        for from in (0..rows).step_by(ROWS_A_BATCH as usize) {
            // One savepoint, so that an error takes all rows back.
            if from == 0 {
                self.open_batch();
            }
            for row in from..rows.min(from + ROWS_A_BATCH) {
                self.bind_more("", prepared, &block.inputs, areas, row, None)?;
                self.exchange.client.execute("", 0);
            }
            let context = self.context(block.kind, true);
            self.run(transport, context, StatementEffect::Reads, &mut |event| {
                if let ClientEvent::Complete(count) = event {
                    done += count;
                }
                Ok(())
            })?;
        }
        self.mark_changed();
        Ok(changed(block.kind, done))
    }

    /// An UPDATE or DELETE WHERE CURRENT OF: of the cursor's row, of all rows of its rowset, or
    /// of one that FOR ROW n OF ROWSET names. All are changed or none.
    fn change_row(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
        prepared: &PreparedStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let row = if block.rows > 0 || block.rows_input > 0 {
            Some(u32::try_from(rows_of(areas, block)?).unwrap_or(u32::MAX))
        } else {
            None
        };
        let places = self.row_places(block, row)?;
        let mut new = vec![None; places.len()];
        let (mut done, mut is_gone) = (0, false);
        for (batch, some) in places.chunks(ROWS_A_BATCH as usize).enumerate() {
            // One savepoint, so that an error takes all rows back.
            if batch == 0 {
                self.open_batch();
            }
            for (_, place) in some {
                self.bind_more("", prepared, &block.inputs, areas, 0, Some(place))?;
                self.exchange.client.execute("", 0);
            }
            let context = self.context(block.kind, !block.inputs.is_empty());
            let (mut results, mut place) = (Vec::new(), None);
            self.run(transport, context, StatementEffect::Reads, &mut |event| {
                match event {
                    ClientEvent::Row(row) => {
                        let mut values = row.values().map(|v| v.unwrap_or_default().to_vec());
                        place = values.next().zip(values.next());
                    }
                    ClientEvent::Complete(rows) => results.push((rows, place.take())),
                    _ => {}
                }
                Ok(())
            })?;
            // BEGIN, RELEASE and SAVEPOINT complete before the changes do.
            let own = results.len().saturating_sub(some.len());
            for (rows, place) in results.into_iter().skip(own) {
                if let Some(new) = new.get_mut(done) {
                    *new = place;
                }
                done += 1;
                is_gone |= rows == 0;
            }
        }
        if is_gone {
            // Another unit changed or deleted a row since it was read.
            self.go_back(transport)?;
            return Err(SqlFailure::code(-508, &[&block.name]));
        }
        self.mark_changed();
        let rows = places.len() as u64;
        for ((number, _), new) in places.into_iter().zip(new) {
            self.row_changed(block, number, new);
        }
        Ok(changed(block.kind, rows))
    }
}

/// The rows that FOR n ROWS says.
pub(super) fn rows_of(areas: &dyn SqlAreas, block: &StatementBlock) -> Result<i64, SqlFailure> {
    let rows = if block.rows_input > 0 {
        let at = usize::from(block.rows_input) - 1;
        whole_number(areas, block.inputs.get(at))?
    } else {
        i64::from(block.rows)
    };
    if (1..=MOST_ROWS).contains(&rows) {
        Ok(rows)
    } else {
        Err(SqlFailure::code(-246, &[&rows.to_string()]))
    }
}

/// The SQLCA of a change of so many rows.
pub(super) fn changed(kind: StatementKind, rows: u64) -> Sqlca {
    let count = i32::try_from(rows).unwrap_or(i32::MAX);
    if rows == 0 && kind != StatementKind::LockTable {
        return Sqlca::not_found();
    }
    Sqlca::success(if kind == StatementKind::LockTable {
        0
    } else {
        count
    })
}
