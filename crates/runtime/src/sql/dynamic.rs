//! PREPARE, EXECUTE and EXECUTE IMMEDIATE.
//!
//! The text goes through the same reading and rewriting as a program's own
//! statements. Types of parameter markers are the server's choice.

use std::rc::Rc;

use sql::block::StatementBlock;
use sql::code::Sqlca;
use sql::{NoHostVariables, Statement, StatementKind, TokenKind, lex};

use super::areas::SqlAreas;
use super::bind::bind_text;
use super::exchange::SqlTransport;
use super::prepare::PreparedStatement;
use super::report::SqlFailure;
use super::session::Session;

/// Longest text of a statement, in bytes.
const MOST_TEXT: usize = 2 << 20;

impl Session {
    /// PREPARE.
    pub(super) fn prepare_dynamic(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let name = (block.token, block.name.clone());
        if let Some(old) = self.dynamic.remove(&name) {
            let is_used = self
                .cursors
                .iter()
                .any(|((token, _), c)| *token == block.token && c.is_of(&old));
            if is_used {
                self.dynamic.insert(name, old);
                return Err(SqlFailure::code(-519, &[&block.name]));
            }
            if !old.is_text() {
                self.exchange.client.close_statement(&old.name);
            }
        }
        let text = dynamic_text(areas, block)?;
        let prepared = self.prepare_text(transport, &text)?;
        self.dynamic.insert(name, Rc::new(prepared));
        if block.descriptor.is_some() {
            return self.describe(transport, areas, block);
        }
        Ok(Sqlca::success(0))
    }

    /// Another program does not find what this one has prepared.
    pub(super) fn forget_dynamic(&mut self) {
        for (_, prepared) in self.dynamic.drain() {
            if !prepared.is_text() {
                self.exchange.client.close_statement(&prepared.name);
            }
        }
    }

    fn prepare_text(
        &mut self,
        transport: &mut dyn SqlTransport,
        text: &str,
    ) -> Result<PreparedStatement, SqlFailure> {
        let statement = Statement::parse_dynamic(text)?;
        let kept = PreparedStatement {
            name: text.to_owned(),
            kind: statement.kind,
            parameters: Vec::new(),
            columns: Vec::new(),
            locates_rows: false,
            is_positioned: false,
            locks: false,
            changes: false,
            arguments: Vec::new(),
            result: Vec::new(),
            types: Vec::new(),
        };
        if kept.is_text() {
            return Ok(kept);
        }
        let qualifier = self.dynamic_qualifier();
        self.prepare(transport, &statement, &NoHostVariables, qualifier)
    }

    /// EXECUTE.
    pub(super) fn execute_dynamic(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let found = self.dynamic.get(&(block.token, block.name.clone()));
        let Some(prepared) = found.cloned() else {
            return Err(SqlFailure::code(-518, &[]));
        };
        use StatementKind as K;
        match prepared.kind {
            // A query is for a cursor.
            K::SelectInto => Err(SqlFailure::code(-518, &[])),
            K::Insert | K::Update | K::Delete | K::Merge | K::LockTable => {
                if prepared.parameters.len() != block.inputs.len() {
                    return Err(SqlFailure::code(-313, &[]));
                }
                self.bind_first("", &prepared, &block.inputs, areas, None)?;
                self.exchange.client.execute("", 0);
                let has_inputs = !block.inputs.is_empty();
                let rows = self.count(transport, prepared.kind, has_inputs)?;
                Ok(super::change::changed(prepared.kind, rows))
            }
            _ => self.run_text(transport, &prepared.name),
        }
    }

    /// EXECUTE IMMEDIATE.
    pub(super) fn execute_immediate(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        let text = dynamic_text(areas, block)?;
        self.run_text(transport, &text)
    }

    /// Runs a text without parameters.
    fn run_text(
        &mut self,
        transport: &mut dyn SqlTransport,
        text: &str,
    ) -> Result<Sqlca, SqlFailure> {
        let statement = Statement::parse_dynamic(text)?;
        if !statement.inputs.is_empty() {
            return Err(SqlFailure::code(-313, &[]));
        }
        use StatementKind as K;
        let name = statement.name.clone().unwrap_or_default();
        match statement.kind {
            K::SelectInto => Err(SqlFailure::code(-84, &["SELECT"])),
            K::Insert | K::Update | K::Delete | K::Merge | K::LockTable => {
                let qualifier = self.dynamic_qualifier();
                let prepared = self.prepare(transport, &statement, &NoHostVariables, qualifier)?;
                let client = &mut self.exchange.client;
                let bound: Result<(), SqlFailure> = client.bind("", &prepared.name, 0, |_| Ok(()));
                bound?;
                client.execute("", 0);
                client.close_statement(&prepared.name);
                let rows = self.count(transport, statement.kind, false)?;
                Ok(super::change::changed(statement.kind, rows))
            }
            K::Commit => self.program_ends_unit(transport, true),
            K::Rollback => self.program_ends_unit(transport, false),
            K::Savepoint | K::ReleaseSavepoint | K::RollbackToSavepoint => {
                self.savepoint(transport, statement.kind, &name)
            }
            K::Definition => self.define(transport, text),
            K::SetRegister => self.set_register_to(&name, &statement.text()),
            _ => Err(SqlFailure::code(-84, &[statement.form.name])),
        }
    }
}

/// The text of a dynamic statement: a constant, or the value of a host variable.
fn dynamic_text(areas: &dyn SqlAreas, block: &StatementBlock) -> Result<String, SqlFailure> {
    if let Some(input) = block.inputs.last() {
        let text = bind_text(areas, input)?;
        return checked(text.trim());
    }
    let constant = lex(&block.text)?;
    let constant = constant.iter().find(|t| t.kind == TokenKind::Text);
    checked(constant.map_or("", |t| t.text.trim()))
}

fn checked(text: &str) -> Result<String, SqlFailure> {
    if text.len() > MOST_TEXT {
        return Err(SqlFailure::code(-101, &[]));
    }
    if text.is_empty() {
        return Err(SqlFailure::code(-198, &[]));
    }
    Ok(text.to_owned())
}
