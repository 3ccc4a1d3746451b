//! A session: what a connection has, and the way of a statement.
//!
//! A statement is found by the address of its block, so that one that was used
//! before costs a look-up and two messages. Another session has nothing of this
//! one: a new connection needs a new [`Session`].

use std::collections::HashMap;
use std::rc::Rc;

use sql::StatementKind;
use sql::block::{HEADER_BYTES, StatementBlock};
use sql::code::{Sqlca, StatementContext};
use sql::temporal::DateStyle;
use sql::wire::{Client, ClientLimits, TransactionState};

use super::areas::{AREA, BLOCK, SqlAreas, write_sqlca};
use super::catalog::ServerCatalog;
use super::cursor::ProgramCursor;
use super::exchange::{Exchange, SqlTransport};
use super::prepare::{PreparedStatement, ProgramStatement};
use super::report::{SqlFailure, StatementOutcome};
use super::stream::RowStream;
use super::unit::SqlUnit;

/// Who ends units of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitOwner {
    /// A region, over its own copy of the connection: COMMIT of a program is -925.
    Region,
    /// The program, by COMMIT and ROLLBACK.
    Program,
    /// The program, whose units have files too: its process ends them at
    /// [`StatementOutcome::UnitEnds`].
    Process,
}

/// How a session serves statements.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// Who ends units of work.
    pub owner: UnitOwner,
    /// A deadlock or a lock that is not given in time rolls the unit back (-911);
    /// else only the statement (-913).
    pub rolls_back: bool,
    /// Format of dates and times.
    pub dates: DateStyle,
    /// Most digits of decimal arithmetic: 15 or 31.
    pub decimal_digits: u8,
    /// Schema of tables that are named without one; without it the
    /// server's search path.
    pub qualifier: Option<String>,
    /// Bytes that the rows of one cursor may take.
    pub cursor_bytes: usize,
}

impl Default for SessionOptions {
    fn default() -> Self {
        SessionOptions {
            owner: UnitOwner::Region,
            rolls_back: true,
            dates: DateStyle::Iso,
            decimal_digits: 15,
            qualifier: None,
            cursor_bytes: 8 << 20,
        }
    }
}

/// A map that each FETCH looks into; its keys are the program's own.
type ProgramMap<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// A name in a program: of a cursor or a prepared statement. The token
/// distinguishes programs.
pub(super) type ProgramName = ([u8; 8], String);

/// Statements that are kept prepared; beyond them all are made again.
const MOST_STATEMENTS: usize = 2_000;

/// A session with the server.
#[derive(Debug)]
pub struct Session {
    pub(super) exchange: Exchange,
    pub(super) options: SessionOptions,
    pub(super) unit: SqlUnit,
    pub(super) own_prepared: bool,
    /// The two before the batch at hand.
    pub(super) before: (SqlUnit, bool),
    statements: ProgramMap<usize, Rc<ProgramStatement>>,
    pub(super) catalog: ServerCatalog,
    pub(super) cursors: ProgramMap<ProgramName, ProgramCursor>,
    /// Rows of a cursor that are under way.
    pub(super) stream: Option<RowStream>,
    /// What the next statement reports in the place of its own outcome.
    pub(super) owed: Option<SqlFailure>,
    pub(super) dynamic: HashMap<ProgramName, Rc<PreparedStatement>>,
    /// What SET CURRENT SCHEMA or SET CURRENT SQLID said.
    pub(super) schema: Option<String>,
    /// What the last statement reported, for GET DIAGNOSTICS.
    pub(super) diagnostics: Box<Sqlca>,
    /// The statement at hand leaves it as it is.
    pub(super) keeps_diagnostics: bool,
    names: u64,
}

impl Session {
    /// A session on a connection that is authenticated, set up and idle.
    pub fn new(options: SessionOptions) -> Session {
        let client = Client::new(TransactionState::Idle, ClientLimits::default());
        Session {
            exchange: Exchange::new(client),
            options,
            unit: SqlUnit::default(),
            own_prepared: false,
            before: (SqlUnit::default(), false),
            statements: ProgramMap::default(),
            catalog: ServerCatalog::default(),
            cursors: ProgramMap::default(),
            stream: None,
            owed: None,
            dynamic: HashMap::new(),
            schema: None,
            diagnostics: Box::new(Sqlca::success(0)),
            keeps_diagnostics: false,
            names: 0,
        }
    }

    /// Statements are served so from now on; what is prepared stays.
    pub fn set_options(&mut self, options: SessionOptions) {
        if options.qualifier != self.options.qualifier
            || options.decimal_digits != self.options.decimal_digits
            || options.dates != self.options.dates
        {
            // They were rewritten for the former.
            self.forget_statements();
            self.forget_catalog();
        }
        self.options = options;
    }

    /// Does a statement: operand 0 is its block, operand 1 the SQLCA.
    pub fn execute(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
    ) -> StatementOutcome {
        let done = match self.statement(areas) {
            Ok(statement) => self.execute_statement(transport, areas, &statement),
            Err(failure) => Err(failure),
        };
        let executed = match &done {
            Ok(_) | Err(SqlFailure::Code(_) | SqlFailure::Stale) => StatementOutcome::Done,
            Err(SqlFailure::UnitRolledBack(_)) => StatementOutcome::UnitRolledBack,
            Err(SqlFailure::Cancelled(_)) => StatementOutcome::Cancelled,
            Err(SqlFailure::Lost(_)) => StatementOutcome::Lost,
            Err(SqlFailure::UnitEnds { commit }) => {
                return StatementOutcome::UnitEnds { commit: *commit };
            }
        };
        self.report(areas, done.unwrap_or_else(|failure| *failure.into_sqlca()));
        executed
    }

    /// Reports the outcome of the statement at hand.
    pub fn report(&mut self, areas: &mut dyn SqlAreas, ca: Sqlca) {
        write_sqlca(areas, AREA, &ca);
        if !std::mem::take(&mut self.keeps_diagnostics) {
            *self.diagnostics = ca;
        }
    }

    /// The statement of a block, from the kept ones if it is there.
    fn statement(&mut self, areas: &dyn SqlAreas) -> Result<Rc<ProgramStatement>, SqlFailure> {
        let bytes = areas.bytes(BLOCK);
        let address = areas.address(BLOCK);
        let head: Option<&[u8; HEADER_BYTES]> = bytes.first_chunk();
        if let (Some(kept), Some(head)) = (self.statements.get(&address), head)
            && kept.head == *head
            && kept.length == bytes.len()
        {
            return Ok(kept.clone());
        }
        let block = StatementBlock::parse(bytes)
            .map_err(|error| SqlFailure::code(-818, &[&error.to_string()]))?;
        if self.statements.len() >= MOST_STATEMENTS {
            self.forget_statements();
        }
        let statement = Rc::new(ProgramStatement::new(block, bytes));
        self.statements.insert(address, statement.clone());
        Ok(statement)
    }

    /// Closes what is prepared and not of an open cursor.
    fn forget_statements(&mut self) {
        for (_, statement) in self.statements.drain() {
            if let Some(prepared) = statement.prepared.borrow_mut().take()
                && Rc::strong_count(&prepared) == 1
            {
                self.exchange.client.close_statement(&prepared.name);
            }
        }
    }

    fn execute_statement(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        if usize::from(statement.block.arguments) + super::areas::FIRST > areas.count() {
            return Err(SqlFailure::code(-804, &["the CALL has too few arguments"]));
        }
        if let Some(fetched) = self.fetch_received(areas, statement) {
            return fetched;
        }
        self.quiet_for(transport, statement)?;
        let first = self.dispatch(transport, areas, statement);
        if first != Err(SqlFailure::Stale) {
            return first;
        }
        // The tables are others than when it was prepared.
        self.forget_prepared(statement);
        self.dispatch(transport, areas, statement)
    }

    fn forget_prepared(&mut self, statement: &ProgramStatement) {
        if let Some(prepared) = statement.prepared.borrow_mut().take() {
            self.exchange.client.close_statement(&prepared.name);
        }
        self.forget_catalog();
    }

    fn dispatch(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        use StatementKind as K;
        let block = &statement.block;
        if block.descriptor.is_some() && matches!(block.kind, K::Open | K::Fetch | K::Execute) {
            return self.with_descriptor(transport, areas, block);
        }
        match block.kind {
            K::SelectInto | K::SetVariables => self.select_into(transport, areas, statement),
            K::Open => self.open_cursor(transport, areas, statement),
            K::Fetch => self.fetch(transport, areas, block),
            K::Close => self.close_cursor(block),
            K::Insert | K::Update | K::Delete | K::Merge | K::LockTable => {
                self.change(transport, areas, statement)
            }
            K::Prepare => self.prepare_dynamic(transport, areas, block),
            K::Execute => self.execute_dynamic(transport, areas, block),
            K::ExecuteImmediate => self.execute_immediate(transport, areas, block),
            K::Commit => self.program_ends_unit(transport, true),
            K::Rollback => self.program_ends_unit(transport, false),
            K::Savepoint | K::ReleaseSavepoint | K::RollbackToSavepoint => {
                self.savepoint(transport, block.kind, &block.name)
            }
            K::SetRegister => self.set_register(areas, block),
            K::Describe => self.describe(transport, areas, block),
            K::GetDiagnostics => self.get_diagnostics(areas, block),
            K::Call => self.call_procedure(transport, areas, statement),
            K::Definition => self.define(transport, &block.text),
            // There is one connection, and it is made.
            K::Connect => Ok(Sqlca::success(0)),
            _ => Err(self.refused(block)),
        }
    }

    /// What an SQLCODE depends on besides the server's error.
    pub(super) fn context(&self, kind: StatementKind, has_inputs: bool) -> StatementContext {
        StatementContext {
            kind,
            has_inputs,
            rolls_back: self.options.rolls_back,
            connecting: false,
        }
    }

    /// A name on the connection that was not used before.
    pub(super) fn new_name(&mut self, kind: char) -> String {
        self.names += 1;
        format!("{kind}{}", self.names)
    }
}
