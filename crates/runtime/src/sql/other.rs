//! Savepoints, special registers, definitions, and statements that are refused.

use sql::block::StatementBlock;
use sql::code::Sqlca;
use sql::ddl::apply;
use sql::{RewriteOptions, StatementKind, TokenKind, lex};

use super::areas::SqlAreas;
use super::bind::bind_text;
use super::exchange::SqlTransport;
use super::report::SqlFailure;
use super::session::Session;
use super::unit::StatementEffect;

impl Session {
    /// SAVEPOINT, RELEASE SAVEPOINT and ROLLBACK TO SAVEPOINT.
    pub(super) fn savepoint(
        &mut self,
        transport: &mut dyn SqlTransport,
        kind: StatementKind,
        name: &str,
    ) -> Result<Sqlca, SqlFailure> {
        let quoted = sql::quoted_name(name);
        let text = match kind {
            StatementKind::Savepoint => format!("SAVEPOINT {quoted}"),
            StatementKind::ReleaseSavepoint => format!("RELEASE SAVEPOINT {quoted}"),
            _ if name.is_empty() => return Err(SqlFailure::code(-880, &[])),
            _ => format!("ROLLBACK TO SAVEPOINT {quoted}"),
        };
        self.run_sql(transport, &[text], kind, StatementEffect::Savepoint)?;
        Ok(Sqlca::success(0))
    }

    /// Runs texts of PostgreSQL's SQL in one batch.
    fn run_sql(
        &mut self,
        transport: &mut dyn SqlTransport,
        texts: &[String],
        kind: StatementKind,
        effect: StatementEffect,
    ) -> Result<(), SqlFailure> {
        self.open_batch();
        let client = &mut self.exchange.client;
        for text in texts {
            client.parse("", text, &[]);
            let bound: Result<(), SqlFailure> = client.bind("", "", 0, |_| Ok(()));
            bound?;
            client.execute("", 0);
        }
        let context = self.context(kind, false);
        self.run(transport, context, effect, &mut |_| Ok(()))
    }

    /// CREATE, ALTER, DROP, GRANT and their like.
    pub(super) fn define(
        &mut self,
        transport: &mut dyn SqlTransport,
        text: &str,
    ) -> Result<Sqlca, SqlFailure> {
        let options = RewriteOptions {
            qualifier: self.dynamic_qualifier(),
            dates: self.options.dates,
            decimal_digits: self.options.decimal_digits,
        };
        // A text of a program has no column 73.
        let lines = one_word_a_line(text)?;
        let mut sql = Vec::new();
        for applied in apply(&lines, &options) {
            if let Some(problem) = applied.problem {
                return Err(problem.into());
            }
            sql.extend(applied.sql.into_iter().map(schema_if_missing));
        }
        if !sql.is_empty() {
            let kind = StatementKind::Definition;
            self.run_sql(transport, &sql, kind, StatementEffect::Changes)?;
            self.forget_catalog();
        }
        Ok(Sqlca::success(0))
    }

    /// SET of a special register.
    pub(super) fn set_register(
        &mut self,
        areas: &dyn SqlAreas,
        block: &StatementBlock,
    ) -> Result<Sqlca, SqlFailure> {
        match block.inputs.first() {
            Some(input) => {
                let value = bind_text(areas, input)?;
                let value = value.trim().replace('\'', "''");
                self.set_register_to(&block.name, &format!("'{value}'"))
            }
            None => self.set_register_to(&block.name, &block.text),
        }
    }

    /// Sets a register to a constant. Registers other than the schema change
    /// nothing here: they are about how Db2 itself works.
    pub(super) fn set_register_to(&mut self, name: &str, value: &str) -> Result<Sqlca, SqlFailure> {
        let tokens = lex(value)?;
        let value = tokens.first().map_or("", |t| t.text.trim());
        let is_constant = tokens.len() == 1 && tokens[0].kind == TokenKind::Text;
        match name {
            "SQLID" | "SCHEMA" if is_constant => {
                self.schema = (!value.is_empty()).then(|| value.to_owned());
            }
            // USER, SESSION_USER: back to what the session has.
            "SQLID" | "SCHEMA" => self.schema = None,
            "PRECISION" if value.contains("31") => self.options.decimal_digits = 31,
            "PRECISION" if value.contains("15") => self.options.decimal_digits = 15,
            _ => {}
        }
        Ok(Sqlca::success(0))
    }

    /// Schema of unqualified tables in dynamic statements.
    pub(super) fn dynamic_qualifier(&self) -> Option<String> {
        self.schema
            .clone()
            .or_else(|| self.options.qualifier.clone())
    }

    /// A statement that is known and not served.
    pub(super) fn refused(&self, block: &StatementBlock) -> SqlFailure {
        let name = if block.text.is_empty() {
            "the statement"
        } else {
            block.text.as_str()
        };
        SqlFailure::code(-84, &[name])
    }
}

/// A role without the right to make schemas may still make a table in one that is
/// there: the server looks at the right before it looks at IF NOT EXISTS.
fn schema_if_missing(sql: String) -> String {
    let Some(name) = sql.strip_prefix("CREATE SCHEMA IF NOT EXISTS ") else {
        return sql;
    };
    let text = name
        .trim_matches('"')
        .replace("\"\"", "\"")
        .replace('\'', "''");
    format!(
        "DO $tupelo$ BEGIN IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace \
         WHERE nspname = '{text}') THEN CREATE SCHEMA {name}; END IF; END $tupelo$"
    )
}

/// The text with a line end in the place of each blank that is outside of quotes.
fn one_word_a_line(text: &str) -> Result<String, SqlFailure> {
    let mut out = String::with_capacity(text.len());
    let mut last = 0;
    for token in lex(text)? {
        if token.at > last {
            out.push('\n');
        }
        out.push_str(text.get(token.at..token.end).unwrap_or_default());
        last = token.end;
    }
    Ok(out)
}
