//! Units of work: BEGIN, the savepoint before a statement, the end.
//!
//! Db2 undoes a statement that fails; PostgreSQL gives the transaction up. So what
//! must survive an error has a savepoint after it: it is renewed before a
//! statement that follows a change, a lock or an OPEN, in the same packet. A run
//! of reads has one, and the first statement of a unit none. BEGIN leaves with the
//! first statement.
//!
//! Who ends units is [`UnitOwner`]: a region sends COMMIT by itself, over its own
//! copy of the connection, after [`Session::settle`].

use sql::StatementKind;
use sql::code::{ServerError, Sqlca, StatementContext, from_server_error};
use sql::wire::TransactionState;

use super::exchange::{BatchEnd, EventSink, SqlTransport};
use super::report::SqlFailure;
use super::session::{Session, UnitOwner};

/// A unit of work on the connection.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct SqlUnit {
    /// The transaction has begun.
    begun: bool,
    /// Something since the point that an error goes back to must survive it.
    marked: bool,
    /// That point is the savepoint; else it is the beginning.
    saved: bool,
    /// No savepoint of the program is within ours.
    releasable: bool,
    /// The unit may have changed rows.
    changed: bool,
}

/// What a statement leaves in its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StatementEffect {
    /// Nothing.
    Reads,
    /// Locks or a cursor.
    Holds,
    /// Changed rows.
    Changes,
    /// A savepoint of the program, or the way back to one.
    Savepoint,
}

/// How a unit stands when it is about to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettledUnit {
    /// The transaction's state.
    pub state: TransactionState,
    /// It may have changed rows.
    pub changed: bool,
    /// Cursors stay open over a commit.
    pub holds: bool,
}

/// Own statements, by their names on the connection.
const OWN: &[(&str, &str)] = &[
    ("t_begin", "BEGIN"),
    ("t_save", "SAVEPOINT tupelo_s"),
    ("t_release", "RELEASE SAVEPOINT tupelo_s"),
    ("t_undo", "ROLLBACK TO SAVEPOINT tupelo_s"),
    ("t_commit", "COMMIT"),
    ("t_rollback", "ROLLBACK"),
];

impl Session {
    /// Writes the messages that go before a statement.
    pub(super) fn open_batch(&mut self) {
        self.before = (self.unit, self.own_prepared);
        self.prepare_own();
        if !self.unit.begun {
            self.own("t_begin");
            self.unit = SqlUnit {
                begun: true,
                ..SqlUnit::default()
            };
        } else if self.unit.marked {
            if self.unit.saved && self.unit.releasable {
                self.own("t_release");
            }
            self.own("t_save");
            self.unit.saved = true;
            self.unit.releasable = true;
            self.unit.marked = false;
        }
    }

    /// Takes back what was written of a batch and not sent.
    pub(super) fn abandon_batch(&mut self) {
        self.exchange.client.discard();
        (self.unit, self.own_prepared) = self.before;
    }

    fn prepare_own(&mut self) {
        if !std::mem::replace(&mut self.own_prepared, true) {
            for (name, text) in OWN {
                self.exchange.client.parse(name, text, &[]);
            }
        }
    }

    /// Runs an own statement in the batch.
    fn own(&mut self, name: &str) {
        let client = &mut self.exchange.client;
        let bound: Result<(), SqlFailure> = client.bind("", name, 0, |_| Ok(()));
        debug_assert!(bound.is_ok(), "no value can fail");
        client.execute("", 0);
    }

    /// Sends the batch and takes its replies. After an error of the server the
    /// unit is as it was before the statement.
    pub(super) fn run(
        &mut self,
        transport: &mut dyn SqlTransport,
        context: StatementContext,
        effect: StatementEffect,
        events: &mut EventSink<'_>,
    ) -> Result<(), SqlFailure> {
        let end = self.exchange.finish(transport, events)?;
        let concluded = self.conclude(transport, end, context, effect);
        if let Err(SqlFailure::UnitRolledBack(_)) = &concluded {
            self.roll_back(transport)?;
        }
        concluded
    }

    /// A batch is over. After an error of the server the unit is as it was before
    /// the statement; but one that the server wants rolled back is left as it is.
    pub(super) fn conclude(
        &mut self,
        transport: &mut dyn SqlTransport,
        end: BatchEnd,
        context: StatementContext,
        effect: StatementEffect,
    ) -> Result<(), SqlFailure> {
        let Some(error) = end.error else {
            let Some(failure) = end.failure else {
                self.note(effect);
                return Ok(());
            };
            // SELECT FROM FINAL TABLE changes nothing when its row cannot be received.
            if effect == StatementEffect::Changes && context.kind == StatementKind::SelectInto {
                self.go_back(transport)?;
            } else {
                self.note(effect);
            }
            return Err(failure);
        };
        let found = classify(&error, context);
        if !matches!(found, SqlFailure::Lost(_) | SqlFailure::UnitRolledBack(_)) {
            self.undo(transport)?;
        }
        Err(found)
    }

    /// Rows were changed.
    pub(super) fn mark_changed(&mut self) {
        self.note(StatementEffect::Changes);
    }

    fn note(&mut self, effect: StatementEffect) {
        match effect {
            StatementEffect::Reads => {}
            StatementEffect::Holds => self.unit.marked = true,
            StatementEffect::Changes => {
                self.unit.marked = true;
                self.unit.changed = true;
            }
            StatementEffect::Savepoint => {
                self.unit.marked = true;
                self.unit.changed = true;
                self.unit.releasable = false;
            }
        }
    }

    /// Goes back to before the statement that failed.
    fn undo(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        match self.exchange.client.state() {
            TransactionState::Idle => self.unit = SqlUnit::default(),
            TransactionState::Open => {}
            TransactionState::Failed => self.go_back(transport)?,
        }
        Ok(())
    }

    /// Goes back to our savepoint, or without one to the beginning.
    pub(super) fn go_back(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        if self.unit.saved {
            return self.own_batch("t_undo", transport);
        }
        self.own_batch("t_rollback", transport)?;
        self.unit = SqlUnit::default();
        Ok(())
    }

    /// Rolls the whole unit back on this connection.
    pub(super) fn roll_back(&mut self, transport: &mut dyn SqlTransport) -> Result<(), SqlFailure> {
        if self.exchange.client.state() != TransactionState::Idle {
            self.own_batch("t_rollback", transport)?;
        }
        self.end_unit(false);
        Ok(())
    }

    fn own_batch(
        &mut self,
        name: &str,
        transport: &mut dyn SqlTransport,
    ) -> Result<(), SqlFailure> {
        self.prepare_own();
        self.own(name);
        let end = self.exchange.finish(transport, &mut |_| Ok(()))?;
        match end.error {
            Some(error) => Err(SqlFailure::lost(&error.message)),
            None => Ok(()),
        }
    }

    /// Makes the session ready for the unit's end: what cursors WITH HOLD still
    /// have is read before a commit. Afterwards the unit is over here, and the
    /// caller ends it on the server.
    ///
    /// # Errors
    /// The rows do not fit into memory, or cannot be read: the unit must not be
    /// committed.
    pub fn settle(
        &mut self,
        transport: &mut dyn SqlTransport,
        commit: bool,
    ) -> Result<SettledUnit, Box<Sqlca>> {
        self.quiet(transport).map_err(SqlFailure::into_sqlca)?;
        if commit {
            let read = self.read_held(transport);
            read.map_err(SqlFailure::into_sqlca)?;
        }
        let state = if self.unit.begun {
            self.exchange.client.state()
        } else {
            TransactionState::Idle
        };
        let changed = self.unit.changed;
        self.end_unit(commit);
        Ok(SettledUnit {
            state,
            changed,
            holds: !self.cursors.is_empty(),
        })
    }

    /// The unit of work has ended on the server.
    pub fn end_unit(&mut self, committed: bool) {
        self.unit = SqlUnit::default();
        self.owed = None;
        self.end_cursors(committed);
    }

    /// The task is over: its cursors are.
    pub fn end_task(&mut self) {
        self.unit = SqlUnit::default();
        self.owed = None;
        self.cursors.clear();
        self.forget_dynamic();
        self.schema = None;
    }

    /// The program ends: rows of cursors need not be read before the last commit.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn close_cursors(&mut self, transport: &mut dyn SqlTransport) -> Result<(), Box<Sqlca>> {
        self.quiet(transport).map_err(SqlFailure::into_sqlca)?;
        self.cursors.clear();
        Ok(())
    }

    /// Whether a unit of work has begun.
    pub fn has_unit(&self) -> bool {
        self.unit.begun
    }

    /// Whether the unit of work may have changed rows.
    pub fn has_changes(&self) -> bool {
        self.unit.changed
    }

    /// COMMIT and ROLLBACK of the program.
    pub(super) fn program_ends_unit(
        &mut self,
        transport: &mut dyn SqlTransport,
        commit: bool,
    ) -> Result<Sqlca, SqlFailure> {
        match self.options.owner {
            UnitOwner::Region => {
                let code = if commit { -925 } else { -926 };
                Err(SqlFailure::code(code, &[]))
            }
            UnitOwner::Process => Err(SqlFailure::UnitEnds { commit }),
            UnitOwner::Program => self.end_on_server(transport, commit),
        }
    }

    /// Ends the unit of work at the server. After an error a unit that the session still
    /// [has](Session::has_unit) goes on.
    ///
    /// # Errors
    /// It could not be committed.
    pub fn end_program_unit(
        &mut self,
        transport: &mut dyn SqlTransport,
        commit: bool,
    ) -> Result<(), Box<Sqlca>> {
        let ended = self.end_on_server(transport, commit);
        ended.map(drop).map_err(SqlFailure::into_sqlca)
    }

    fn end_on_server(
        &mut self,
        transport: &mut dyn SqlTransport,
        commit: bool,
    ) -> Result<Sqlca, SqlFailure> {
        if let Err(ca) = self.settle(transport, commit) {
            return Err(SqlFailure::Code(ca));
        }
        if self.exchange.client.state() == TransactionState::Idle {
            return Ok(Sqlca::success(0));
        }
        self.prepare_own();
        self.own(if commit { "t_commit" } else { "t_rollback" });
        let context = StatementContext {
            kind: if commit {
                sql::StatementKind::Commit
            } else {
                sql::StatementKind::Rollback
            },
            has_inputs: false,
            rolls_back: self.options.rolls_back,
            connecting: false,
        };
        let end = self.exchange.finish(transport, &mut |_| Ok(()))?;
        match end.error {
            None => Ok(Sqlca::success(0)),
            Some(error) => {
                self.end_unit(false);
                Err(classify(&error, context))
            }
        }
    }
}

/// What an error of the server means.
fn classify(error: &ServerError, context: StatementContext) -> SqlFailure {
    let ca = Box::new(from_server_error(error, context));
    match error.sqlstate.as_str() {
        "0A000" if error.message.contains("cached plan") => SqlFailure::Stale,
        "26000" => SqlFailure::Stale,
        "57014" => SqlFailure::Cancelled(ca),
        "40P01" | "40001" | "55P03" if context.rolls_back => SqlFailure::UnitRolledBack(ca),
        _ if error.fatal || ca.sqlcode == -924 => SqlFailure::Lost(ca),
        _ => SqlFailure::Code(ca),
    }
}
