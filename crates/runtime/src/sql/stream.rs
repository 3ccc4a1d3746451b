//! Rows of a cursor that the server sends while the program works on those before.
//!
//! The batch of a FETCH stays open: its rows are taken when the program asks for
//! them. Everything else waits for its end first ([`Session::quiet`]): another
//! statement, and every request to the region, which may use its own copy of the
//! connection then.
//!
//! An error within the batch comes at the FETCH after the rows that were received.
//! One after which the unit must be rolled back comes at the next statement, and the
//! transaction stays failed until then: no COMMIT can succeed.

use sql::StatementKind;
use sql::wire::ClientEvent;

use super::cursor::{ProgramCursor, failure};
use super::exchange::{BatchEnd, ReplyWait, SqlTransport};
use super::prepare::ProgramStatement;
use super::report::SqlFailure;
use super::session::{ProgramName, Session};
use super::unit::StatementEffect;

/// A batch of rows that is under way.
#[derive(Debug)]
pub(super) struct RowStream {
    cursor: ProgramName,
    end: BatchEnd,
    /// The portal may have more rows.
    suspended: bool,
}

impl Session {
    /// Has the server send a batch of a cursor's rows.
    pub(super) fn start_stream(
        &mut self,
        transport: &mut dyn SqlTransport,
        cursor: ProgramName,
        portal: &str,
        rows: u32,
    ) -> Result<(), SqlFailure> {
        self.open_batch();
        self.exchange.client.execute(portal, rows);
        self.exchange.start(transport)?;
        self.stream = Some(RowStream {
            cursor,
            end: BatchEnd::default(),
            suspended: false,
        });
        Ok(())
    }

    /// Takes rows of the batch that is under way.
    pub(super) fn take_rows(
        &mut self,
        transport: &mut dyn SqlTransport,
        cursor: &mut ProgramCursor,
        wait: ReplyWait,
    ) -> Result<(), SqlFailure> {
        match self.receive_stream(transport, cursor, wait) {
            Err(rolled_back @ SqlFailure::UnitRolledBack(_)) => {
                self.roll_back(transport)?;
                Err(rolled_back)
            }
            Err(ended @ (SqlFailure::Lost(_) | SqlFailure::Cancelled(_))) => Err(ended),
            // Rows before it may have come.
            Err(failed) => {
                cursor.failed = Some(failed);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }

    fn receive_stream(
        &mut self,
        transport: &mut dyn SqlTransport,
        cursor: &mut ProgramCursor,
        wait: ReplyWait,
    ) -> Result<(), SqlFailure> {
        let Some(mut stream) = self.stream.take() else {
            return Ok(());
        };
        let RowStream { end, suspended, .. } = &mut stream;
        let rows = &mut cursor.rows;
        let mut take = |event: ClientEvent<'_>| {
            match event {
                ClientEvent::Row(row) => {
                    rows.handle_row(row.bytes()).map_err(|e| failure(e, ""))?;
                }
                ClientEvent::Suspended => *suspended = true,
                _ => {}
            }
            Ok(())
        };
        let is_over = self
            .exchange
            .take_replies(transport, end, &mut take, wait)?;
        if !is_over {
            self.stream = Some(stream);
            return Ok(());
        }
        let context = self.context(StatementKind::Fetch, false);
        self.conclude(transport, stream.end, context, StatementEffect::Reads)?;
        if stream.suspended {
            cursor.rows.handle_suspended();
        } else {
            cursor.rows.handle_complete();
        }
        Ok(())
    }

    /// Receives the rest of the batch that is under way: the wire is quiet then.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn quiet(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        let Some(stream) = &self.stream else {
            return Ok(());
        };
        let name = stream.cursor.clone();
        let Some(mut cursor) = self.cursors.remove(&name) else {
            return Err(SqlFailure::lost("rows of a cursor that is not open"));
        };
        let received = self.receive_stream(transport, &mut cursor, ReplyWait::All);
        let result = match received {
            Err(lost @ SqlFailure::Lost(_)) => Err(lost),
            Err(owed @ (SqlFailure::UnitRolledBack(_) | SqlFailure::Cancelled(_))) => {
                self.owed = Some(owed);
                Ok(())
            }
            Err(failed) => {
                cursor.failed = Some(failed);
                Ok(())
            }
            Ok(()) => Ok(()),
        };
        self.cursors.insert(name, cursor);
        result
    }

    /// Makes the wire quiet for a statement, unless it is a FETCH of the rows that
    /// are under way.
    pub(super) fn quiet_for(
        &mut self,
        transport: &mut dyn SqlTransport,
        statement: &ProgramStatement,
    ) -> Result<(), SqlFailure> {
        if let Some(stream) = &self.stream {
            if statement.block.kind == StatementKind::Fetch && stream.cursor == statement.name {
                return Ok(());
            }
            self.quiet(transport)?;
        }
        let Some(owed) = self.owed.take() else {
            return Ok(());
        };
        if let SqlFailure::UnitRolledBack(_) = &owed {
            self.roll_back(transport)?;
        }
        Err(owed)
    }
}
