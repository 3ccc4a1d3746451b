//! From a statement to a prepared one on the connection.
//!
//! The types of tables come from the server's catalogue: the statement is
//! rewritten, the tables that it asked for are looked up, and it is rewritten
//! again. The server says in its description what the parameters and columns are.

use std::cell::RefCell;
use std::rc::Rc;

use sql::block::{HEADER_BYTES, StatementBlock};
use sql::wire::{ClientEvent, ResultColumn};
use sql::{
    FetchOrientation, HostVariables, RewriteOptions, RewrittenStatement, RowCount, SqlType,
    Statement, StatementKind, rewrite,
};

use super::cursor::name_of;
use super::exchange::SqlTransport;
use super::report::{SqlFailure, first_problem};
use super::session::{ProgramName, Session};
use super::unit::StatementEffect;

/// A statement of a program.
#[derive(Debug)]
pub(super) struct ProgramStatement {
    /// The block's first bytes, which distinguish it from another at the same address.
    pub head: [u8; HEADER_BYTES],
    /// Bytes of the block.
    pub length: usize,
    pub block: StatementBlock,
    /// The cursor, statement or savepoint that it names.
    pub name: ProgramName,
    /// A FETCH of the next row into host variables.
    pub fetches_next: bool,
    pub prepared: RefCell<Option<Rc<PreparedStatement>>>,
}

/// A statement that is prepared on the connection.
#[derive(Debug)]
pub(super) struct PreparedStatement {
    /// Its name there.
    pub name: String,
    /// What it is.
    pub kind: StatementKind,
    /// Types of the parameters.
    pub parameters: Vec<u32>,
    /// Types of the columns, without those that locate a row.
    pub columns: Vec<u32>,
    /// Two more columns are ctid and xmin.
    pub locates_rows: bool,
    /// The last two parameters are ctid and xmin of a cursor's row.
    pub is_positioned: bool,
    /// Rows are locked as they are read.
    pub locks: bool,
    /// A query that changes rows.
    pub changes: bool,
    /// Of a procedure: the number of the input that each column of its result is for.
    pub arguments: Vec<usize>,
    /// The columns as the server names them.
    pub result: Vec<ResultColumn>,
    /// Types of the columns as far as the rewriter knows them.
    pub types: Vec<SqlType>,
}

impl PreparedStatement {
    /// Whether the server has nothing of it: it has no parameters, and its name is
    /// its text, which is run as it is.
    pub fn is_text(&self) -> bool {
        use StatementKind as K;
        !matches!(
            self.kind,
            K::SelectInto | K::Insert | K::Update | K::Delete | K::Merge | K::LockTable
        )
    }
}

impl ProgramStatement {
    pub fn new(block: StatementBlock, bytes: &[u8]) -> ProgramStatement {
        let is_single = block.rows == 0
            && block.rows_input == 0
            && block.descriptor.is_none()
            && block.outputs.iter().all(|output| output.occurs <= 1);
        ProgramStatement {
            head: *bytes.first_chunk().unwrap_or(&[0; HEADER_BYTES]),
            length: bytes.len(),
            name: name_of(&block),
            fetches_next: block.kind == StatementKind::Fetch
                && block.orientation == FetchOrientation::Next
                && is_single,
            block,
            prepared: RefCell::new(None),
        }
    }
}

impl Session {
    /// The prepared form of a program's statement.
    pub(super) fn prepared(
        &mut self,
        transport: &mut dyn SqlTransport,
        statement: &ProgramStatement,
    ) -> Result<Rc<PreparedStatement>, SqlFailure> {
        if let Some(prepared) = &*statement.prepared.borrow() {
            return Ok(prepared.clone());
        }
        let block = &statement.block;
        let mut parsed = block.statement()?;
        if block.rows > 0 || block.rows_input > 0 {
            parsed.rows = Some(RowCount::Rows(block.rows.max(2)));
        }
        let qualifier = self.options.qualifier.clone();
        let hosts = block.host_types();
        let prepared = Rc::new(self.prepare(transport, &parsed, &hosts, qualifier)?);
        *statement.prepared.borrow_mut() = Some(prepared.clone());
        Ok(prepared)
    }

    /// Rewrites a statement and prepares it.
    pub(super) fn prepare(
        &mut self,
        transport: &mut dyn SqlTransport,
        statement: &Statement,
        hosts: &dyn HostVariables,
        qualifier: Option<String>,
    ) -> Result<PreparedStatement, SqlFailure> {
        let options = RewriteOptions {
            qualifier,
            dates: self.options.dates,
            decimal_digits: self.options.decimal_digits,
        };
        let rewritten = self.rewritten(transport, statement, hosts, &options)?;
        let mut prepared = PreparedStatement {
            name: self.new_name('t'),
            kind: statement.kind,
            parameters: rewritten.parameters.clone(),
            columns: Vec::new(),
            locates_rows: rewritten.locates_rows,
            is_positioned: rewritten.is_positioned,
            locks: rewritten.sql.contains(" FOR UPDATE") || rewritten.sql.contains(" FOR SHARE"),
            changes: rewritten.changes,
            arguments: Vec::new(),
            result: Vec::new(),
            types: rewritten.columns.clone(),
        };
        self.open_batch();
        let client = &mut self.exchange.client;
        client.parse(&prepared.name, &rewritten.sql, &rewritten.parameters);
        client.describe(&prepared.name);
        let context = self.context(statement.kind, !rewritten.parameters.is_empty());
        let (parameters, result) = (&mut prepared.parameters, &mut prepared.result);
        self.run(transport, context, StatementEffect::Reads, &mut |event| {
            match event {
                ClientEvent::Parameters(types) => *parameters = types,
                ClientEvent::Columns(list) => *result = list,
                _ => {}
            }
            Ok(())
        })?;
        if prepared.locates_rows {
            let own = prepared.result.len().saturating_sub(2);
            prepared.result.truncate(own);
        }
        prepared.columns = prepared.result.iter().map(|c| c.oid).collect();
        Ok(prepared)
    }

    /// Rewrites with the types of all tables that the statement names.
    fn rewritten(
        &mut self,
        transport: &mut dyn SqlTransport,
        statement: &Statement,
        hosts: &dyn HostVariables,
        options: &RewriteOptions,
    ) -> Result<RewrittenStatement, SqlFailure> {
        // Tables of a view or subquery are known after the first round.
        const ROUNDS: usize = 3;
        for _ in 0..ROUNDS {
            let rewritten = rewrite(statement, &self.catalog, hosts, options);
            let wanted = self.catalog.take_wanted();
            if wanted.is_empty() {
                return rewritten.map_err(first_problem);
            }
            self.look_up(transport, &wanted)?;
        }
        rewrite(statement, &self.catalog, hosts, options).map_err(first_problem)
    }
}
