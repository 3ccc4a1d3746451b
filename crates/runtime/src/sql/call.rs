//! CALL of a procedure of the server.
//!
//! Which arguments the procedure sets is in the server's catalogue; the server gives
//! them back as a row. Result sets are not served: ASSOCIATE LOCATORS and ALLOCATE
//! CURSOR are refused when a program is translated.
//!
//! Reference: Db2 for z/OS SQL Reference, "CALL".

use std::rc::Rc;

use sql::block::FieldDescriptor;
use sql::code::Sqlca;
use sql::wire::{ClientEvent, oid};
use sql::{CallArgument, Statement, StatementKind, call_arguments};

use super::areas::SqlAreas;
use super::exchange::SqlTransport;
use super::prepare::{PreparedStatement, ProgramStatement};
use super::receive::{ReceiveNotes, receive};
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

/// Modes of a procedure's arguments as letters, in their order. Parameters are
/// schema, or nothing for the search path, name and number of arguments.
const MODES: &str = "SELECT coalesce(array_to_string(p.proargmodes, ''), repeat('i', p.pronargs))::text \
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
    WHERE p.proname = $2 AND p.prokind = 'p' \
    AND CASE WHEN $1 = '' THEN pg_catalog.pg_function_is_visible(p.oid) ELSE n.nspname = $1 END \
    AND coalesce(array_length(p.proargmodes, 1), p.pronargs) = $3::int ORDER BY p.oid LIMIT 1";

impl Session {
    /// CALL.
    pub(super) fn call_procedure(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let block = &statement.block;
        let kept = statement.prepared.borrow().clone();
        let prepared = match kept {
            Some(prepared) => prepared,
            None => {
                let made = Rc::new(self.prepare_call(transport, &block.statement()?)?);
                *statement.prepared.borrow_mut() = Some(made.clone());
                made
            }
        };
        self.bind_first("", &prepared, &block.inputs, areas, None)?;
        self.exchange.client.execute("", 0);
        let outputs: Vec<FieldDescriptor> = prepared
            .arguments
            .iter()
            .filter_map(|number| block.outputs.get(number.checked_sub(1)?).copied())
            .collect();
        let mut notes = ReceiveNotes::default();
        let options = self.decode_options();
        let context = self.context(StatementKind::Call, !block.inputs.is_empty());
        self.run(transport, context, StatementEffect::Changes, &mut |event| {
            let ClientEvent::Row(row) = event else {
                return Ok(());
            };
            let columns = &prepared.columns;
            receive(&row, columns, &outputs, areas, 0, options, &mut notes)
        })?;
        Ok(notes.sqlca(0))
    }

    fn prepare_call(
        &mut self,
        transport: &mut dyn SqlTransport,
        statement: &Statement,
    ) -> Result<PreparedStatement, SqlFailure> {
        let (mut name, arguments) = call_arguments(&statement.body)?;
        if name.len() > 2 {
            name.drain(..name.len() - 2);
        }
        if name.len() == 1 {
            name.splice(0..0, self.dynamic_qualifier());
        }
        let modes = self.argument_modes(transport, &name, arguments.len())?;
        let mut set = Vec::new();
        for (argument, mode) in arguments.iter().zip(modes.chars()) {
            match (argument, mode) {
                (CallArgument::Host(number), 'o' | 'b') => set.push(*number),
                // A constant cannot be set.
                (CallArgument::Constant(_), 'o' | 'b') => {
                    return Err(SqlFailure::code(-469, &[&name.join(".")]));
                }
                _ => {}
            }
        }
        let quoted = name.iter().map(|n| sql::quoted_name(n));
        let values = arguments.iter().map(|argument| match argument {
            CallArgument::Host(number) => format!("${number}"),
            CallArgument::Constant(text) => text.clone(),
        });
        let text = format!(
            "CALL {}({})",
            quoted.collect::<Vec<_>>().join("."),
            values.collect::<Vec<_>>().join(", ")
        );
        let mut prepared = PreparedStatement {
            name: self.new_name('t'),
            kind: StatementKind::Call,
            parameters: Vec::new(),
            columns: Vec::new(),
            locates_rows: false,
            is_positioned: false,
            locks: false,
            changes: true,
            arguments: set,
            result: Vec::new(),
            types: Vec::new(),
        };
        self.open_batch();
        let client = &mut self.exchange.client;
        client.parse(&prepared.name, &text, &[]);
        client.describe(&prepared.name);
        let context = self.context(StatementKind::Call, false);
        let (parameters, columns) = (&mut prepared.parameters, &mut prepared.columns);
        self.run(transport, context, StatementEffect::Reads, &mut |event| {
            match event {
                ClientEvent::Parameters(types) => *parameters = types,
                ClientEvent::Columns(list) => *columns = list.iter().map(|c| c.oid).collect(),
                _ => {}
            }
            Ok(())
        })?;
        Ok(prepared)
    }

    /// The modes of a procedure's arguments: `i`, `o` or `b` each.
    fn argument_modes(
        &mut self,
        transport: &mut dyn SqlTransport,
        name: &[String],
        count: usize,
    ) -> Result<String, SqlFailure> {
        let (schema, own) = match name {
            [schema, own] => (schema.as_str(), own.as_str()),
            [own] => ("", own.as_str()),
            _ => ("", ""),
        };
        self.open_batch();
        let client = &mut self.exchange.client;
        client.parse("", MODES, &[oid::TEXT, oid::TEXT, oid::TEXT]);
        client.bind("", "", 3, |bind| -> Result<(), SqlFailure> {
            for text in [schema, own, &count.to_string()] {
                bind.value(|out| {
                    out.extend_from_slice(text.as_bytes());
                    Ok::<(), SqlFailure>(())
                })?;
            }
            Ok(())
        })?;
        client.execute("", 0);
        let mut modes = None;
        let context = self.context(StatementKind::Call, false);
        self.run(transport, context, StatementEffect::Reads, &mut |event| {
            if let ClientEvent::Row(row) = event {
                let text = row.values().next().flatten().unwrap_or_default();
                modes = Some(String::from_utf8_lossy(text).into_owned());
            }
            Ok(())
        })?;
        modes.ok_or_else(|| SqlFailure::code(-440, &["PROCEDURE", &name.join(".")]))
    }
}
