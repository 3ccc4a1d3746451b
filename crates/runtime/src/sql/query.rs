//! SELECT INTO, SET of host variables and VALUES INTO: one row.

use sql::code::Sqlca;
use sql::field::DecodeOptions;
use sql::wire::ClientEvent;

use super::areas::SqlAreas;
use super::exchange::SqlTransport;
use super::prepare::ProgramStatement;
use super::receive::{ReceiveNotes, receive};
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

impl Session {
    /// Reads the one row of a result.
    pub(super) fn select_into(
        &mut self,
        transport: &mut dyn SqlTransport,
        areas: &mut dyn SqlAreas,
        statement: &ProgramStatement,
    ) -> Result<Sqlca, SqlFailure> {
        let block = &statement.block;
        let prepared = self.prepared(transport, statement)?;
        self.bind_first("", &prepared, &block.inputs, areas, None)?;
        // A second row is the sign that there are several.
        self.exchange.client.execute("", 2);
        let context = self.context(block.kind, !block.inputs.is_empty());
        let effect = if prepared.changes {
            StatementEffect::Changes
        } else if prepared.locks {
            StatementEffect::Holds
        } else {
            StatementEffect::Reads
        };
        let options = self.decode_options();
        let mut rows = 0u32;
        let mut notes = ReceiveNotes::default();
        self.run(transport, context, effect, &mut |event| {
            let ClientEvent::Row(row) = event else {
                return Ok(());
            };
            rows += 1;
            if rows > 1 {
                return Err(SqlFailure::code(-811, &[]));
            }
            let outputs = &block.outputs;
            receive(
                &row,
                &prepared.columns,
                outputs,
                areas,
                0,
                options,
                &mut notes,
            )
        })?;
        if rows == 0 {
            return Ok(Sqlca::not_found());
        }
        Ok(notes.sqlca(0))
    }

    pub(super) fn decode_options(&self) -> DecodeOptions {
        DecodeOptions {
            dates: self.options.dates,
        }
    }
}
