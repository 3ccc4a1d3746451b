//! A cursor of a program: rows that were read ahead, its position, and its
//! state after a syncpoint.
//!
//! Rows come through a portal, 50 at first: one costs a ninth of a round trip
//! then. A program that has used them all gets twice as many the next time, so
//! the server never does more than twice the work that was asked for. A
//! scrollable cursor and one WITH HOLD keep rows in bounded memory: the server
//! refuses WITH HOLD with FOR UPDATE, and PREPARE TRANSACTION after it, so the
//! rest of a held cursor is read before the commit.
//!
//! Reference: Db2 for z/OS SQL Reference, "DECLARE CURSOR", "FETCH".

mod rows;

use crate::statement::{CursorOptions, FetchOrientation};
use rows::RowBuffer;

/// Rows that are read ahead at first.
pub const READ_AHEAD: u32 = 50;
/// Bytes of rows that are read ahead at most, once there are [`READ_AHEAD`] rows.
const READ_AHEAD_BYTES: usize = 256 * 1024;

/// The result of a FETCH.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CursorStep<'a> {
    /// A row: the body of a DataRow.
    Row(&'a [u8]),
    /// Execute the portal for so many rows (0 for all), hand them in, ask again.
    NeedRows(u32),
    /// No row: SQLCODE +100.
    End,
}

/// Why a cursor cannot carry out a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    /// FETCH backwards of a cursor without SCROLL: -225.
    #[error("the cursor is not scrollable")]
    NotScrollable,
    /// The rows that must be kept do not fit: -904.
    #[error("the rows of the cursor do not fit into the memory that is allowed")]
    TooLarge,
    /// No row to change: -508.
    #[error("the cursor is not positioned on a row")]
    NotOnRow,
    /// FOR ROW n of a row that the last FETCH did not give: -248.
    #[error("the rowset has no row {0}")]
    NotInRowset(u32),
    /// FOR ROW n of a row that was deleted: -222.
    #[error("row {0} of the rowset was deleted")]
    Hole(u32),
}

impl CursorError {
    /// The SQLCODE that Db2 has for it.
    pub fn sqlcode(self) -> i32 {
        match self {
            CursorError::NotScrollable => -225,
            CursorError::TooLarge => -904,
            CursorError::NotOnRow => -508,
            CursorError::NotInRowset(_) => -248,
            CursorError::Hole(_) => -222,
        }
    }
}

/// The rows of the last FETCH.
#[derive(Debug, Default)]
struct RowsetPlace {
    /// Number of the first, from 1.
    first: i64,
    rows: u32,
    /// Rows of it that were deleted, counted from 1.
    holes: Vec<u32>,
}

/// An open cursor.
#[derive(Debug)]
pub struct OpenCursor {
    options: CursorOptions,
    /// Rows that were received; all of them if the cursor scrolls, else those ahead and
    /// the current one.
    rows: RowBuffer,
    most_bytes: usize,
    /// Rows to read the next time.
    ahead: u32,
    /// Most rows to read at a time.
    most_ahead: u32,
    /// The server has no further rows.
    complete: bool,
    /// Number of the row, from 1; 0 before the first. Counts all rows that were
    /// passed, also those that are not kept.
    position: i64,
    /// Rows before `rows` that are not kept.
    dropped: i64,
    /// Stands on a row.
    on_row: bool,
    /// The rows that can be changed.
    rowset: RowsetPlace,
    /// The transaction that the portal was in has ended.
    detached: bool,
}

impl OpenCursor {
    /// A cursor that was opened, with the memory that its rows may take.
    pub fn new(options: CursorOptions, most_bytes: usize) -> OpenCursor {
        OpenCursor {
            options,
            rows: RowBuffer::default(),
            most_bytes,
            ahead: READ_AHEAD,
            most_ahead: u32::MAX,
            complete: false,
            position: 0,
            dropped: 0,
            on_row: false,
            rowset: RowsetPlace::default(),
            detached: false,
        }
    }

    /// A FETCH begins, of one row or of several.
    pub fn begin_fetch(&mut self) {
        self.rowset.rows = 0;
        self.rowset.holes.clear();
    }

    /// No row has more bytes; `None` if that is not known. Rows that are read ahead
    /// fit into the memory of the cursor then, whatever their lengths.
    pub fn set_widest_row(&mut self, bytes: Option<usize>) {
        let most = bytes.map_or(0, |bytes| self.most_bytes / 2 / bytes.max(1));
        self.most_ahead = u32::try_from(most).unwrap_or(u32::MAX).max(READ_AHEAD);
    }

    /// A row that the portal gave.
    pub fn handle_row(&mut self, body: &[u8]) -> Result<(), CursorError> {
        if self.rows.bytes().saturating_add(body.len()) > self.most_bytes {
            return Err(CursorError::TooLarge);
        }
        self.rows.push(body);
        Ok(())
    }

    /// The portal gave as many rows as it was asked for, and may have more.
    pub fn handle_suspended(&mut self) {
        // Rows of the size of those that are there.
        let row_bytes = self.rows.bytes() / self.rows.len().max(1);
        let limit = READ_AHEAD_BYTES.min(self.most_bytes / 4) / row_bytes.max(1);
        let limit = u32::try_from(limit).unwrap_or(u32::MAX).max(READ_AHEAD);
        self.ahead = self.ahead.saturating_mul(2).min(limit).min(self.most_ahead);
    }

    /// The next row, if it was received already: the body of a DataRow. The cursor
    /// is on it then. `None` leaves the cursor as it was.
    pub fn fetch_received(&mut self) -> Option<&[u8]> {
        if self.position >= self.count() {
            return None;
        }
        self.position += 1;
        self.on_row = true;
        self.begin_fetch();
        self.join_rowset();
        if !self.options.scroll {
            self.forget();
        }
        self.rows.get(self.place()?)
    }

    /// The portal has no further rows.
    pub fn handle_complete(&mut self) {
        self.complete = true;
    }

    /// Moves as FETCH requires; a distance of ABSOLUTE or RELATIVE is `distance`.
    pub fn fetch(
        &mut self,
        orientation: FetchOrientation,
        distance: i32,
    ) -> Result<CursorStep<'_>, CursorError> {
        let forward = matches!(orientation, FetchOrientation::Next);
        if !forward && !self.options.scroll {
            return Err(CursorError::NotScrollable);
        }
        let wanted = match orientation {
            FetchOrientation::Next => self.position + 1,
            FetchOrientation::Prior => self.position - 1,
            FetchOrientation::Current => self.position,
            FetchOrientation::Before => 0,
            FetchOrientation::First => 1,
            FetchOrientation::Relative(_) => self.position + i64::from(distance),
            FetchOrientation::Absolute(_) if distance >= 0 => i64::from(distance),
            // From the end: all rows must be there.
            FetchOrientation::Last | FetchOrientation::After | FetchOrientation::Absolute(_) => {
                if !self.complete {
                    return Ok(CursorStep::NeedRows(0));
                }
                let count = self.count();
                match orientation {
                    FetchOrientation::Last => count,
                    FetchOrientation::After => count + 1,
                    _ => count + 1 + i64::from(distance),
                }
            }
        };
        let ahead = wanted - self.count();
        if ahead > 0 && !self.complete {
            let many = u32::try_from(ahead).unwrap_or(self.ahead).max(self.ahead);
            return Ok(CursorStep::NeedRows(many));
        }
        self.position = wanted.clamp(0, self.count() + 1);
        self.on_row = (1..=self.count()).contains(&wanted);
        if self.on_row {
            self.join_rowset();
        }
        if !self.options.scroll {
            self.forget();
        }
        if !self.on_row {
            return Ok(CursorStep::End);
        }
        let is_asked_for_place = matches!(
            orientation,
            FetchOrientation::Before | FetchOrientation::After
        );
        match self.place().and_then(|at| self.rows.get(at)) {
            Some(row) if !is_asked_for_place => Ok(CursorStep::Row(row)),
            _ => Ok(CursorStep::End),
        }
    }

    /// Rows that were received so far.
    fn count(&self) -> i64 {
        self.dropped + i64::try_from(self.rows.len()).unwrap_or(i64::MAX)
    }

    /// Where the row at its position is in `rows`.
    fn place(&self) -> Option<usize> {
        usize::try_from(self.position - self.dropped - 1).ok()
    }

    /// The row at its position is one of the FETCH at hand.
    fn join_rowset(&mut self) {
        if self.rowset.rows == 0 {
            self.rowset.first = self.position;
        }
        self.rowset.rows += 1;
    }

    /// Drops the rows before the current one and before those that can be changed.
    fn forget(&mut self) {
        let kept = if self.rowset.rows > 0 {
            self.rowset.first.min(self.position)
        } else {
            self.position
        };
        while self.dropped + 1 < kept && self.rows.pop_front() {
            self.dropped += 1;
        }
    }

    /// The row that the cursor is on: the body of its DataRow.
    pub fn current(&self) -> Result<&[u8], CursorError> {
        let at = self.place().filter(|_| self.on_row);
        let row = at.and_then(|at| self.rows.get(at));
        row.ok_or(CursorError::NotOnRow)
    }

    /// The rows that a positioned UPDATE or DELETE changes, by their numbers in the rowset: one
    /// of them with FOR ROW, otherwise all that were not deleted.
    pub fn rows_to_change(&self, row: Option<u32>) -> Result<Vec<u32>, CursorError> {
        let is_hole = |row: &u32| self.rowset.holes.contains(row);
        match row {
            _ if self.rowset.rows == 0 => Err(CursorError::NotOnRow),
            Some(row) if !(1..=self.rowset.rows).contains(&row) => {
                Err(CursorError::NotInRowset(row))
            }
            Some(row) if is_hole(&row) => Err(CursorError::Hole(row)),
            Some(row) => Ok(vec![row]),
            None => {
                let rows = (1..=self.rowset.rows).filter(|row| !is_hole(row));
                let rows: Vec<u32> = rows.collect();
                if rows.is_empty() {
                    return Err(CursorError::NotOnRow);
                }
                Ok(rows)
            }
        }
    }

    /// A row of the rowset: the body of its DataRow, whose last two values are ctid and xmin.
    pub fn row_of_rowset(&self, row: u32) -> Option<&[u8]> {
        self.rows.get(self.place_of(row)?)
    }

    /// Where a row of the rowset is in `rows`.
    fn place_of(&self, row: u32) -> Option<usize> {
        let number = self.rowset.first + i64::from(row) - 1;
        usize::try_from(number - self.dropped - 1).ok()
    }

    /// A row of the rowset was changed and has another address now.
    pub fn move_row(&mut self, row: u32, ctid: &[u8], xmin: &[u8]) {
        let Some(row) = self.place_of(row).and_then(|at| self.rows.get_mut(at)) else {
            return;
        };
        // The last two values of the row, each with its length.
        let Some(from) = row.len().checked_sub(8 + ctid.len() + xmin.len()) else {
            return;
        };
        row[from + 4..from + 4 + ctid.len()].copy_from_slice(ctid);
        let xmin_at = row.len() - xmin.len();
        row[xmin_at..].copy_from_slice(xmin);
    }

    /// Whether its portal went with its transaction.
    pub fn is_detached(&self) -> bool {
        self.detached
    }

    /// A row of the rowset was deleted.
    pub fn row_deleted(&mut self, row: u32) {
        self.rowset.holes.push(row);
        self.on_row &= self.rowset.rows > 1;
    }

    /// Whether it is WITH HOLD.
    pub fn is_held(&self) -> bool {
        self.options.hold
    }

    /// Whether its portal must be read to the end before a commit.
    pub fn must_be_kept(&self) -> bool {
        self.options.hold && !self.complete && !self.detached
    }

    /// The unit of work was committed; whether the cursor is still open.
    pub fn handle_commit(&mut self) -> bool {
        self.detached = true;
        self.on_row = false;
        self.begin_fetch();
        self.options.hold && self.complete
    }

    /// Db2 closes all cursors at a rollback.
    pub fn handle_rollback(&mut self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::FetchDistance;

    /// Fetches with a server of five rows.
    fn fetch(
        cursor: &mut OpenCursor,
        next: &mut u8,
        orientation: FetchOrientation,
        distance: i32,
    ) -> Option<u8> {
        cursor.begin_fetch();
        loop {
            match cursor.fetch(orientation, distance).unwrap() {
                CursorStep::Row(row) => return Some(row[0]),
                CursorStep::End => return None,
                CursorStep::NeedRows(many) => {
                    let many = if many == 0 { 9 } else { many.min(2) };
                    for _ in 0..many {
                        if *next > 5 {
                            cursor.handle_complete();
                            break;
                        }
                        cursor.handle_row(&[*next]).unwrap();
                        *next += 1;
                    }
                }
            }
        }
    }

    #[test]
    fn rows_come_in_order_and_are_let_go() {
        let (mut cursor, mut next) = (OpenCursor::new(CursorOptions::default(), 3), 1);
        let rows: Vec<_> = (0..7)
            .map(|_| fetch(&mut cursor, &mut next, FetchOrientation::Next, 0))
            .collect();
        assert_eq!(
            rows,
            [Some(1), Some(2), Some(3), Some(4), Some(5), None, None]
        );
        assert_eq!(
            cursor.fetch(FetchOrientation::Prior, 0),
            Err(CursorError::NotScrollable)
        );
    }

    #[test]
    fn a_scrollable_cursor_goes_every_way() {
        let options = CursorOptions {
            scroll: true,
            ..CursorOptions::default()
        };
        let (mut cursor, mut next) = (OpenCursor::new(options, 100), 1);
        use FetchOrientation as F;
        let far = FetchDistance::Rows(0);
        let steps = [
            (F::Last, 0, Some(5)),
            (F::Prior, 0, Some(4)),
            (F::Absolute(far), 2, Some(2)),
            (F::Absolute(far), -1, Some(5)),
            (F::Relative(far), -3, Some(2)),
            (F::Current, 0, Some(2)),
            (F::Before, 0, None),
            (F::Next, 0, Some(1)),
            (F::Prior, 0, None),
            (F::After, 0, None),
            (F::Prior, 0, Some(5)),
            (F::Next, 0, None),
        ];
        for (orientation, distance, row) in steps {
            assert_eq!(
                fetch(&mut cursor, &mut next, orientation, distance),
                row,
                "{orientation:?}"
            );
        }
    }

    #[test]
    fn rows_of_a_rowset_can_be_changed_until_the_next_fetch() {
        let mut cursor = OpenCursor::new(CursorOptions::default(), 100);
        (1..=5).for_each(|row| cursor.handle_row(&[row]).unwrap());
        cursor.handle_complete();
        assert_eq!(cursor.rows_to_change(None), Err(CursorError::NotOnRow));
        assert_eq!(cursor.fetch_received(), Some(&[1][..]));
        assert_eq!(cursor.rows_to_change(None), Ok(vec![1]));
        cursor.begin_fetch();
        for row in 2..=4_u8 {
            let fetched = cursor.fetch(FetchOrientation::Next, 0);
            assert_eq!(fetched, Ok(CursorStep::Row(&[row])));
        }
        assert_eq!(cursor.rows_to_change(Some(2)), Ok(vec![2]));
        assert_eq!(cursor.row_of_rowset(2), Some(&[3][..]));
        cursor.row_deleted(2);
        assert_eq!(cursor.rows_to_change(None), Ok(vec![1, 3]));
        let errors = [2, 4].map(|row| cursor.rows_to_change(Some(row)).unwrap_err().sqlcode());
        assert_eq!(errors, [-222, -248]);
        // A rowset that the end cuts short has rows all the same.
        cursor.begin_fetch();
        assert_eq!(
            cursor.fetch(FetchOrientation::Next, 0),
            Ok(CursorStep::Row(&[5]))
        );
        assert_eq!(cursor.fetch(FetchOrientation::Next, 0), Ok(CursorStep::End));
        assert_eq!(cursor.row_of_rowset(1), Some(&[5][..]));
        assert!(cursor.rows.len() < 3);
    }

    #[test]
    fn a_held_cursor_survives_a_commit_with_all_its_rows_read() {
        let options = CursorOptions {
            hold: true,
            ..CursorOptions::default()
        };
        let (mut cursor, mut next) = (OpenCursor::new(options, 100), 1);
        assert_eq!(
            fetch(&mut cursor, &mut next, FetchOrientation::Next, 0),
            Some(1)
        );
        assert!(cursor.current().is_ok() && cursor.must_be_kept());
        while next <= 5 {
            cursor.handle_row(&[next]).unwrap();
            next += 1;
        }
        cursor.handle_complete();
        assert!(cursor.handle_commit());
        assert_eq!(cursor.current(), Err(CursorError::NotOnRow));
        assert_eq!(
            fetch(&mut cursor, &mut next, FetchOrientation::Next, 0),
            Some(2)
        );
        let mut plain = OpenCursor::new(CursorOptions::default(), 100);
        assert!(!plain.handle_commit());
    }

    #[test]
    fn a_program_that_uses_its_rows_gets_more_the_next_time_up_to_a_limit_of_bytes() {
        let mut cursor = OpenCursor::new(CursorOptions::default(), 8 << 20);
        let mut asked = Vec::new();
        for _ in 0..12 {
            let many = match cursor.fetch(FetchOrientation::Next, 0).unwrap() {
                CursorStep::NeedRows(many) => many,
                _ => panic!("all rows are used"),
            };
            asked.push(many);
            (0..many).for_each(|_| cursor.handle_row(&[7; 100]).unwrap());
            cursor.handle_suspended();
            while cursor.fetch_received().is_some() {}
        }
        assert_eq!(asked[..4], [50, 100, 200, 400]);
        assert_eq!(asked[11] as usize, READ_AHEAD_BYTES / 100);
        assert!(cursor.rows.bytes() <= 100);
        // Rows may be longer than those before.
        for (widest, most) in [(Some(8 << 10), 512), (Some(1 << 30), 50), (None, 50)] {
            let mut cursor = OpenCursor::new(CursorOptions::default(), 8 << 20);
            cursor.set_widest_row(widest);
            (0..9).for_each(|_| cursor.handle_suspended());
            let next = cursor.fetch(FetchOrientation::Next, 0);
            assert_eq!(next, Ok(CursorStep::NeedRows(most)));
        }
    }

    #[test]
    fn more_rows_than_the_memory_takes_are_904() {
        let mut cursor = OpenCursor::new(CursorOptions::default(), 2);
        cursor.handle_row(&[1]).unwrap();
        assert_eq!(cursor.handle_row(&[1, 2]).unwrap_err().sqlcode(), -904);
    }
}
