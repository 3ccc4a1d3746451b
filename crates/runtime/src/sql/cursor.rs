//! OPEN, FETCH and CLOSE.
//!
//! A cursor is a portal, from which rows are read ahead. OPEN runs it at once, so
//! that the first FETCH finds its rows; one that locks rows runs with each FETCH,
//! for a lock ahead would be one that Db2 does not take. WITH HOLD is done here:
//! what the portal still has is read before a commit.
//!
//! A program that continues to fetch gets larger batches, and `stream` has them: the
//! server sends rows while the program works on those before.

use std::rc::Rc;

use sql::block::StatementBlock;
use sql::code::Sqlca;
use sql::cursor::{CursorError, CursorStep, OpenCursor, READ_AHEAD};
use sql::wire::backend::ResultRow;
use sql::wire::{ClientEvent, ResultColumn, oid};
use sql::{FetchDistance, FetchOrientation, StatementKind};

use super::areas::SqlAreas;
use super::bind::{RowPlace, whole_number};
use super::change::rows_of;
use super::exchange::{ReplyWait, SqlTransport};
use super::prepare::{PreparedStatement, ProgramStatement};
use super::receive::{ReceiveNotes, receive};
use super::report::SqlFailure;
use super::session::{ProgramName, Session};
use super::unit::StatementEffect;

/// A cursor that is open.
#[derive(Debug)]
pub(super) struct ProgramCursor {
    pub rows: OpenCursor,
    portal: String,
    prepared: Rc<PreparedStatement>,
    /// What the FETCH after the rows that were received reports.
    pub failed: Option<SqlFailure>,
}

impl ProgramCursor {
    /// Whether the program cursor runs a prepared statement.
    pub fn is_of(&self, prepared: &Rc<PreparedStatement>) -> bool {
        Rc::ptr_eq(&self.prepared, prepared)
    }
}

/// ctid at the end of a row that has its place: length, value, length, xmin.
const PLACE_BYTES: usize = 4 + 6 + 4 + 4;
/// Bytes of Db2's longest VARCHAR.
const LONGEST_VARCHAR: usize = 32_704;
/// Bytes of a number, date or time with its length, at most: a `numeric` of 31 digits.
const LONGEST_NUMBER: usize = 40;

/// The cursor, statement or savepoint that a block names.
pub(super) fn name_of(block: &StatementBlock) -> ProgramName {
    (block.token, block.name.clone())
}

/// The most bytes that a row of these columns has; `None` for a LOB.
fn widest_row(columns: &[ResultColumn]) -> Option<usize> {
    let mut bytes = 0usize;
    for column in columns {
        bytes += match column.oid {
            oid::TEXT | oid::BYTEA => return None,
            // A modifier is a length in characters and 4; a domain has none.
            oid::BPCHAR | oid::VARCHAR => match usize::try_from(column.modifier) {
                Ok(modifier) => 2 * modifier,
                Err(_) => LONGEST_VARCHAR,
            },
            _ => LONGEST_NUMBER,
        };
    }
    Some(bytes)
}

pub(super) fn failure(error: CursorError, name: &str) -> SqlFailure {
    match error {
        CursorError::TooLarge => {
            SqlFailure::code(-904, &["00D31033", "00000500", "rows of the cursor"])
        }
        _ => SqlFailure::code(error.sqlcode(), &[name]),
    }
}

impl Session {
    /// OPEN.
    pub(super) fn open_cursor(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let block = &statement.block;
        if self.cursors.contains_key(&name_of(block)) {
            return Err(SqlFailure::code(-502, &[&block.name]));
        }
        let prepared = if block.prepared.is_empty() {
            self.prepared(transport, statement)?
        } else {
            let found = self.dynamic.get(&(block.token, block.prepared.clone()));
            found
                .cloned()
                .ok_or_else(|| SqlFailure::code(-514, &[&block.name]))?
        };
        if prepared.kind != StatementKind::SelectInto {
            return Err(SqlFailure::code(-517, &[&block.name]));
        }
        let portal = self.new_name('c');
        self.bind_first(&portal, &prepared, &block.inputs, areas, None)?;
        let mut rows = OpenCursor::new(block.cursor, self.options.cursor_bytes);
        rows.set_widest_row(widest_row(&prepared.result));
        if !prepared.locks {
            self.exchange.client.execute(&portal, READ_AHEAD);
        }
        let effect = if prepared.changes {
            StatementEffect::Changes
        } else {
            StatementEffect::Holds
        };
        self.read_rows(transport, &mut rows, effect, !prepared.locks)?;
        let cursor = ProgramCursor {
            rows,
            portal,
            prepared,
            failed: None,
        };
        self.cursors.insert(name_of(block), cursor);
        Ok(Sqlca::success(0))
    }

    /// Takes the rows of the batch's last Execute.
    fn read_rows(
        &mut self,
        transport: &mut dyn SqlTransport,
        rows: &mut OpenCursor,
        effect: StatementEffect,
        executes: bool,
    ) -> Result<(), SqlFailure> {
        let context = self.context(StatementKind::Fetch, false);
        let mut suspended = !executes;
        self.run(transport, context, effect, &mut |event| {
            match event {
                ClientEvent::Row(row) => {
                    rows.handle_row(row.bytes()).map_err(|e| failure(e, ""))?
                }
                ClientEvent::Suspended => suspended = true,
                _ => {}
            }
            Ok(())
        })?;
        if suspended {
            rows.handle_suspended();
        } else {
            rows.handle_complete();
        }
        Ok(())
    }

    /// FETCH of the next row, if that was received before: the usual case.
    pub(super) fn fetch_received(
        &mut self,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Option<Result<Sqlca, SqlFailure>> {
        if !statement.fetches_next {
            return None;
        }
        let options = self.decode_options();
        let cursor = self.cursors.get_mut(&statement.name)?;
        let body = cursor.rows.fetch_received()?;
        let outputs = &statement.block.outputs;
        let mut notes = ReceiveNotes::default();
        let received = ResultRow::parse(body)
            .map_err(|e| SqlFailure::lost(&e.to_string()))
            .and_then(|row| {
                let columns = &cursor.prepared.columns;
                receive(&row, columns, outputs, areas, 0, options, &mut notes)
            });
        Some(received.map(|()| notes.sqlca(0)))
    }

    /// FETCH of a row or a rowset.
    pub(super) fn fetch(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let name = name_of(block);
        let Some(mut cursor) = self.cursors.remove(&name) else {
            return Err(SqlFailure::code(-501, &[&block.name]));
        };
        let fetched = self.fetch_from(transport, areas, block, &mut cursor);
        // A unit that was rolled back has closed it.
        let is_open = !matches!(
            fetched,
            Err(SqlFailure::UnitRolledBack(_) | SqlFailure::Lost(_))
        );
        if is_open {
            self.cursors.insert(name, cursor);
        }
        fetched
    }

    fn fetch_from(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
        cursor: &mut ProgramCursor,
    ) -> Result<Sqlca, SqlFailure> {
        let by_input = matches!(
            block.orientation,
            FetchOrientation::Absolute(FetchDistance::Input)
                | FetchOrientation::Relative(FetchDistance::Input)
        );
        let distance = match block.orientation {
            FetchOrientation::Absolute(FetchDistance::Rows(rows))
            | FetchOrientation::Relative(FetchDistance::Rows(rows)) => rows,
            _ if by_input => {
                let value = whole_number(areas, block.inputs.first())?;
                i32::try_from(value).map_err(|_| SqlFailure::code(-302, &["1"]))?
            }
            _ => 0,
        };
        let arrays = block.outputs.iter().filter(|d| d.occurs > 1);
        let room = arrays.map(|d| u32::from(d.occurs)).min();
        let wanted = if block.rows > 0 || block.rows_input > 0 {
            u32::try_from(rows_of(areas, block)?).unwrap_or(1)
        } else {
            room.unwrap_or(1)
        };
        if wanted > room.unwrap_or(1) {
            return Err(SqlFailure::code(-246, &[&wanted.to_string()]));
        }
        let backwards = matches!(
            block.orientation,
            FetchOrientation::Prior | FetchOrientation::Last | FetchOrientation::Current
        );
        if wanted > 1 && backwards {
            return Err(SqlFailure::code(-84, &["FETCH PRIOR ROWSET"]));
        }
        let mut notes = ReceiveNotes::default();
        let mut got = 0;
        let mut orientation = block.orientation;
        cursor.rows.begin_fetch();
        while got < wanted {
            if !self.step(transport, cursor, orientation, distance, block)? {
                break;
            }
            if !block.outputs.is_empty() {
                self.take_row(areas, block, cursor, got, &mut notes)?;
            }
            got += 1;
            orientation = FetchOrientation::Next;
        }
        let rows = i32::try_from(got).unwrap_or(i32::MAX);
        if got < wanted {
            let mut ca = Sqlca::not_found();
            ca.errd[2] = if room.is_some() { rows } else { 0 };
            return Ok(ca);
        }
        Ok(notes.sqlca(if room.is_some() { rows } else { 0 }))
    }

    /// Puts the row that a cursor is on into the host variables.
    fn take_row(
        &self,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
        cursor: &ProgramCursor,
        occurrence: u32,
        notes: &mut ReceiveNotes,
    ) -> Result<(), SqlFailure> {
        let body = cursor.rows.current();
        let body = body.map_err(|e| failure(e, &block.name))?;
        let row = ResultRow::parse(body).map_err(|e| SqlFailure::lost(&e.to_string()))?;
        let columns = &cursor.prepared.columns;
        let options = self.decode_options();
        receive(
            &row,
            columns,
            &block.outputs,
            areas,
            occurrence,
            options,
            notes,
        )
    }

    /// Moves a cursor; false when there is no row there.
    fn step(
        &mut self,
        transport: &mut dyn SqlTransport,
        cursor: &mut ProgramCursor,
        orientation: FetchOrientation,
        distance: i32,
        block: &StatementBlock,
    ) -> Result<bool, SqlFailure> {
        loop {
            let many = match cursor.rows.fetch(orientation, distance) {
                Ok(CursorStep::Row(_)) => return Ok(true),
                Ok(CursorStep::End) => return Ok(false),
                Ok(CursorStep::NeedRows(many)) => many,
                Err(error) => return Err(failure(error, &block.name)),
            };
            if self.stream.is_some() {
                self.take_rows(transport, cursor, ReplyWait::Rows)?;
                continue;
            }
            if let Some(failure) = cursor.failed.take() {
                return Err(failure);
            }
            let locks = cursor.prepared.locks;
            if !locks && many > READ_AHEAD {
                self.start_stream(transport, name_of(block), &cursor.portal, many)?;
                continue;
            }
            let many = if locks && many == READ_AHEAD { 1 } else { many };
            self.open_batch();
            self.exchange.client.execute(&cursor.portal, many);
            let effect = if locks {
                StatementEffect::Holds
            } else {
                StatementEffect::Reads
            };
            self.read_rows(transport, &mut cursor.rows, effect, true)?;
        }
    }

    /// CLOSE. It is sent to the server with the next statement.
    pub(super) fn close_cursor(&mut self, block: &StatementBlock) -> Result<Sqlca, SqlFailure> {
        let Some(cursor) = self.cursors.remove(&name_of(block)) else {
            return Err(SqlFailure::code(-501, &[&block.name]));
        };
        if !cursor.rows.is_detached() {
            self.exchange.client.close_portal(&cursor.portal);
        }
        Ok(Sqlca::success(0))
    }

    /// The rows that a positioned change is for, by their numbers in the rowset, and where they
    /// are. `row` is that of FOR ROW n OF ROWSET.
    pub(super) fn row_places(
        &self,
        block: &StatementBlock,
        row: Option<u32>,
    ) -> Result<Vec<(u32, RowPlace)>, SqlFailure> {
        let Some(cursor) = self.cursors.get(&name_of(block)) else {
            return Err(SqlFailure::code(-507, &[&block.name]));
        };
        if !cursor.prepared.locates_rows {
            return Err(SqlFailure::code(-510, &[&block.name]));
        }
        let rows = cursor.rows.rows_to_change(row);
        let rows = rows.map_err(|e| failure(e, &block.name))?;
        let mut places = Vec::with_capacity(rows.len());
        for number in rows {
            let body = cursor.rows.row_of_rowset(number).unwrap_or_default();
            let place = body.len().checked_sub(PLACE_BYTES);
            let Some(place) = place.and_then(|at| body.get(at..)) else {
                return Err(SqlFailure::lost("a row has no place"));
            };
            places.push((number, (place[4..10].to_vec(), place[14..18].to_vec())));
        }
        Ok(places)
    }

    /// A row of the cursor's rowset was changed: where it is now, or that it is gone.
    pub(super) fn row_changed(
        &mut self,
        block: &StatementBlock,
        number: u32,
        new: Option<RowPlace>,
    ) {
        let Some(cursor) = self.cursors.get_mut(&name_of(block)) else {
            return;
        };
        match new {
            Some((ctid, xmin)) => cursor.rows.move_row(number, &ctid, &xmin),
            None => cursor.rows.row_deleted(number),
        }
    }

    /// Whether there are cursors WITH HOLD.
    pub fn holds_cursors(&self) -> bool {
        self.cursors.values().any(|cursor| cursor.rows.is_held())
    }

    /// Reads what cursors WITH HOLD still have.
    pub(super) fn read_held(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        let held = self.cursors.iter().filter(|(_, c)| c.rows.must_be_kept());
        let names: Vec<ProgramName> = held.map(|(name, _)| name.clone()).collect();
        for name in names {
            let Some(mut cursor) = self.cursors.remove(&name) else {
                continue;
            };
            self.exchange.client.execute(&cursor.portal, 0);
            let read = self.read_rows(transport, &mut cursor.rows, StatementEffect::Reads, true);
            self.cursors.insert(name, cursor);
            read?;
        }
        Ok(())
    }

    /// Closes the cursors that the unit's end closes.
    pub(super) fn end_cursors(&mut self, committed: bool) {
        self.cursors.retain(|_, cursor| {
            if committed {
                cursor.rows.handle_commit()
            } else {
                cursor.rows.handle_rollback()
            }
        });
    }
}
