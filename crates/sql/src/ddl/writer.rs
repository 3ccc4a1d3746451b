//! Writes one definition: tables, columns, keys, indexes, grants.

use super::{AppliedStatement, starts};
use crate::rewrite::RewriteOptions;
use crate::schema::varchar_domain;
use crate::text::{SqlToken, StatementProblem, TokenKind, quoted_name};
use crate::types::{SqlType, sql_type};

/// A definition that is being written.
pub(super) struct Writer<'a> {
    tokens: &'a [SqlToken],
    at: usize,
    out: String,
    options: &'a RewriteOptions,
    applied: &'a mut AppliedStatement,
}

/// Clauses that have no meaning here, and the tokens that follow their words.
const STORAGE: &[(&[&str], usize)] = &[
    (&["USING", "STOGROUP"], 1),
    (&["USING", "VCAT"], 1),
    (&["PRIQTY"], 1),
    (&["SECQTY"], 1),
    (&["ERASE"], 1),
    (&["CLOSE"], 1),
    (&["LOCKSIZE"], 1),
    (&["LOCKMAX"], 1),
    (&["SEGSIZE"], 1),
    (&["FREEPAGE"], 1),
    (&["PCTFREE"], 1),
    (&["GBPCACHE"], 1),
    (&["BUFFERPOOL"], 1),
    (&["INDEXBP"], 1),
    (&["COPY"], 1),
    (&["DEFINE"], 1),
    (&["PIECESIZE"], 2),
    (&["COMPRESS"], 1),
    (&["CCSID"], 1),
    (&["NOT", "CLUSTER"], 0),
    (&["CLUSTER"], 0),
    (&["PADDED"], 0),
    (&["NOT", "PADDED"], 0),
    (&["NOT", "VOLATILE"], 0),
    (&["VOLATILE"], 0),
    (&["CARDINALITY"], 0),
    (&["AUDIT"], 1),
    (&["DATA", "CAPTURE"], 1),
    (&["APPEND"], 1),
    (&["WITH", "RESTRICT", "ON", "DROP"], 0),
    (&["OBID"], 1),
    (&["VALIDPROC"], 1),
    (&["EDITPROC"], 1),
    (&["FIELDPROC"], 1),
    (&["DEFER"], 1),
    (&["IN", "DATABASE"], 1),
];

impl<'a> Writer<'a> {
    /// A writer over a statement's tokens.
    pub(super) fn new(
        tokens: &'a [SqlToken],
        options: &'a RewriteOptions,
        applied: &'a mut AppliedStatement,
    ) -> Self {
        Writer {
            tokens,
            at: 0,
            out: String::new(),
            options,
            applied,
        }
    }

    fn peek(&self) -> Option<&SqlToken> {
        self.tokens.get(self.at)
    }

    fn word(&mut self, text: &str) {
        let tight = text == ")" || text == "," || text == "." || self.out.ends_with(['(', '.']);
        if !self.out.is_empty() && !tight {
            self.out.push(' ');
        }
        self.out.push_str(text);
    }

    fn accept(&mut self, words: &[&str]) -> bool {
        let found = starts(&self.tokens[self.at.min(self.tokens.len())..], words);
        self.at += if found { words.len() } else { 0 };
        found
    }

    fn fail(&self, wanted: &str) -> StatementProblem {
        let end = self.tokens.last().map_or(0, |t| t.end);
        let (at, found) = self
            .peek()
            .map_or((end, "the end"), |t| (t.at, t.text.as_str()));
        StatementProblem::error(
            at,
            -104,
            format!("{found} stands where {wanted} is expected"),
        )
    }

    /// A name of one or two parts, in quotes.
    fn name(&mut self, qualified: bool) -> Result<String, StatementProblem> {
        let mut parts = Vec::new();
        loop {
            let is_name = |t: &&SqlToken| matches!(t.kind, TokenKind::Word | TokenKind::Quoted);
            let Some(token) = self.peek().filter(is_name) else {
                return Err(self.fail("a name"));
            };
            parts.push(token.text.clone());
            self.at += 1;
            if !self.peek().is_some_and(|t| t.is_mark(".")) {
                break;
            }
            self.at += 1;
        }
        if parts.len() > 2 {
            parts.drain(..parts.len() - 2);
        }
        if qualified && parts.len() == 1 {
            parts.splice(0..0, self.options.qualifier.clone());
        }
        let quoted: Vec<String> = parts.iter().map(|p| quoted_name(p)).collect();
        Ok(quoted.join("."))
    }

    /// Passes over a storage clause; whether there was one.
    fn storage(&mut self) -> bool {
        let rest = &self.tokens[self.at..];
        let Some((words, more)) = STORAGE.iter().find(|(w, _)| starts(rest, w)) else {
            return false;
        };
        self.at += words.len() + more;
        self.at = self.at.min(self.tokens.len());
        self.applied
            .notes
            .push(format!("{} is left out", words.join(" ")));
        true
    }

    fn finish(&mut self) {
        let text = std::mem::take(&mut self.out);
        self.applied.sql.push(text);
    }

    pub(super) fn create_table(&mut self) -> Result<(), StatementProblem> {
        self.at = 2;
        let name = self.name(true)?;
        if let Some((schema, _)) = name.split_once('.') {
            self.applied
                .sql
                .push(format!("CREATE SCHEMA IF NOT EXISTS {schema}"));
        }
        self.word(&format!("CREATE TABLE {name}"));
        if self.accept(&["LIKE"]) {
            let other = self.name(true)?;
            self.word(&format!("(LIKE {other} INCLUDING ALL)"));
        } else {
            if !self.peek().is_some_and(|t| t.is_mark("(")) {
                return Err(self.fail("("));
            }
            self.at += 1;
            self.word("(");
            loop {
                self.element()?;
                let Some(token) = self.peek() else {
                    return Err(self.fail(")"));
                };
                let closes = token.is_mark(")");
                if !(closes || token.is_mark(",")) {
                    return Err(self.fail(", or )"));
                }
                let mark = token.text.clone();
                self.at += 1;
                self.word(&mark);
                if closes {
                    break;
                }
            }
        }
        while self.peek().is_some() {
            if self.accept(&["IN"]) {
                let space = self.name(false)?;
                self.applied.notes.push(format!("IN {space} is left out"));
            } else if !self.storage() {
                return Err(self.fail("the end of the statement"));
            }
        }
        self.finish();
        Ok(())
    }

    /// A column or a constraint of a table.
    fn element(&mut self) -> Result<(), StatementProblem> {
        if self.constraint()? {
            return Ok(());
        }
        let name = self.name(false)?;
        self.word(&name);
        let found = self.column_type()?;
        loop {
            if self.accept(&["NOT", "NULL"]) {
                self.word("NOT NULL");
            } else if self.accept(&["WITH", "DEFAULT"]) || self.accept(&["DEFAULT"]) {
                self.default(found);
            } else if self.accept(&["PRIMARY", "KEY"]) {
                self.word("PRIMARY KEY");
            } else if self.accept(&["UNIQUE"]) {
                self.word("UNIQUE");
            } else if self.peek().is_some_and(|t| t.is("GENERATED")) {
                self.generated()?;
            } else if self.peek().is_some_and(|t| t.is("REFERENCES")) {
                self.references()?;
            } else if self.peek().is_some_and(|t| t.is("CHECK")) {
                self.check()?;
            } else if !self.storage() {
                return Ok(());
            }
        }
    }

    /// The type of a column.
    fn column_type(&mut self) -> Result<SqlType, StatementProblem> {
        let Some((found, used)) = sql_type(&self.tokens[self.at..]) else {
            return Err(self.fail("a type"));
        };
        self.at += used;
        if let SqlType::Varchar(n) | SqlType::Vargraphic(n) = found {
            let domain = varchar_domain(n);
            if !self.applied.sql.contains(&domain) {
                self.applied.sql.push(domain);
            }
        }
        self.word(&found.postgresql());
        Ok(found)
    }

    /// ALTER COLUMN: another type, or no default any more.
    fn alter_column(&mut self) -> Result<(), StatementProblem> {
        let name = self.name(false)?;
        self.word(&format!("ALTER COLUMN {name}"));
        if self.accept(&["SET", "DATA", "TYPE"]) {
            self.word("TYPE");
            self.column_type()?;
        } else if self.accept(&["DROP", "DEFAULT"]) {
            self.word("DROP DEFAULT");
        } else {
            return Err(self.fail("SET DATA TYPE or DROP DEFAULT"));
        }
        Ok(())
    }

    /// DEFAULT with a value, or that of the type.
    fn default(&mut self, found: SqlType) {
        let has_value = self.peek().is_some_and(|t| {
            matches!(t.kind, TokenKind::Text | TokenKind::Number | TokenKind::Hex)
                || t.is_mark("-")
                || t.is_any(&[
                    "NULL",
                    "USER",
                    "CURRENT",
                    "CURRENT_DATE",
                    "CURRENT_TIMESTAMP",
                ])
        });
        self.word("DEFAULT");
        if !has_value {
            self.word(match found {
                t if t.is_number() => "0",
                SqlType::Date => "db2.current_date()",
                SqlType::Time => "db2.current_time()",
                SqlType::Timestamp(_) => "db2.current_timestamp()",
                t if t.is_bytes() => "''::bytea",
                _ => "''",
            });
            return;
        }
        if self.accept(&["USER"]) || self.accept(&["CURRENT", "SQLID"]) {
            self.word("db2.authid()");
        } else if self.accept(&["CURRENT", "DATE"]) || self.accept(&["CURRENT_DATE"]) {
            self.word("db2.current_date()");
        } else if self.accept(&["CURRENT", "TIMESTAMP"]) || self.accept(&["CURRENT_TIMESTAMP"]) {
            self.word("db2.current_timestamp()");
        } else if self.accept(&["CURRENT", "TIME"]) {
            self.word("db2.current_time()");
        } else {
            self.token();
        }
    }

    /// Writes a token as it is; a sign with its number.
    fn token(&mut self) {
        let Some(token) = self.peek().cloned() else {
            return;
        };
        self.at += 1;
        match token.kind {
            TokenKind::Text => self.word(&format!("'{}'", token.text.replace('\'', "''"))),
            TokenKind::Quoted => self.word(&format!("\"{}\"", token.text)),
            TokenKind::Hex => self.word(&format!("'\\x{}'", token.text)),
            _ => self.word(&token.text),
        }
        if token.is_mark("-") {
            self.token();
        }
    }

    /// GENERATED … AS IDENTITY; the commas between its options are left out.
    fn generated(&mut self) -> Result<(), StatementProblem> {
        self.accept(&["GENERATED"]);
        let always = self.accept(&["ALWAYS"]);
        if !always {
            self.accept(&["BY", "DEFAULT"]);
        }
        if !self.accept(&["AS", "IDENTITY"]) {
            return Err(StatementProblem::refused(
                self.peek().map_or(0, |t| t.at),
                "a generated column that is not an identity column",
            ));
        }
        let when = if always { "ALWAYS" } else { "BY DEFAULT" };
        self.word(&format!("GENERATED {when} AS IDENTITY"));
        if self.peek().is_some_and(|t| t.is_mark("(")) {
            self.at += 1;
            self.word("(");
            while let Some(token) = self.peek() {
                if token.is_mark(")") {
                    break;
                }
                if token.is_mark(",") || token.is_any(&["ORDER"]) || self.accept(&["NO", "ORDER"]) {
                    self.at +=
                        usize::from(self.peek().is_some_and(|t| t.is_mark(",") || t.is("ORDER")));
                } else if !self.accept(&["NO", "CACHE"]) {
                    self.token();
                }
            }
            self.at += 1;
            self.word(")");
        }
        Ok(())
    }

    /// A constraint of a table; whether there was one.
    fn constraint(&mut self) -> Result<bool, StatementProblem> {
        let rest = &self.tokens[self.at..];
        let named = starts(rest, &["CONSTRAINT"]) && rest.len() > 2;
        let kinds: [&[&str]; 4] = [
            &["PRIMARY", "KEY"],
            &["FOREIGN", "KEY"],
            &["UNIQUE"],
            &["CHECK"],
        ];
        let after = if named { &rest[2..] } else { rest };
        if !kinds.iter().any(|k| starts(after, k)) {
            return Ok(false);
        }
        if named {
            self.at += 1;
            let name = self.name(false)?;
            self.word(&format!("CONSTRAINT {name}"));
        }
        if self.accept(&["PRIMARY", "KEY"]) {
            self.word("PRIMARY KEY");
            self.columns()?;
        } else if self.accept(&["UNIQUE"]) {
            self.word("UNIQUE");
            self.columns()?;
        } else if self.accept(&["FOREIGN", "KEY"]) {
            // FOREIGN KEY name (columns) is Db2's older form.
            if !self.peek().is_some_and(|t| t.is_mark("(")) {
                let name = self.name(false)?;
                self.word(&format!("CONSTRAINT {name}"));
            }
            self.word("FOREIGN KEY");
            self.columns()?;
            self.references()?;
        } else {
            self.check()?;
        }
        Ok(true)
    }

    fn references(&mut self) -> Result<(), StatementProblem> {
        if !self.accept(&["REFERENCES"]) {
            return Err(self.fail("REFERENCES"));
        }
        let name = self.name(true)?;
        self.word(&format!("REFERENCES {name}"));
        if self.peek().is_some_and(|t| t.is_mark("(")) {
            self.columns()?;
        }
        loop {
            if self.accept(&["ON", "DELETE", "SET", "NULL"]) {
                self.word("ON DELETE SET NULL");
            } else if self.accept(&["ON", "DELETE", "NO", "ACTION"]) {
                self.word("ON DELETE NO ACTION");
            } else if self.accept(&["ON", "DELETE", "CASCADE"]) {
                self.word("ON DELETE CASCADE");
            } else if self.accept(&["ON", "DELETE", "RESTRICT"]) {
                self.word("ON DELETE RESTRICT");
            } else if !self.accept(&["ENFORCED"]) {
                return Ok(());
            }
        }
    }

    /// Columns in parentheses, with ASC and DESC.
    fn columns(&mut self) -> Result<(), StatementProblem> {
        if !self.peek().is_some_and(|t| t.is_mark("(")) {
            return Err(self.fail("("));
        }
        self.at += 1;
        self.word("(");
        loop {
            let name = self.name(false)?;
            self.word(&name);
            for order in ["ASC", "DESC"] {
                if self.accept(&[order]) {
                    self.word(order);
                }
            }
            let Some(token) = self.peek().cloned() else {
                return Err(self.fail(")"));
            };
            if !(token.is_mark(",") || token.is_mark(")")) {
                return Err(self.fail(", or )"));
            }
            self.at += 1;
            self.word(&token.text);
            if token.is_mark(")") {
                return Ok(());
            }
        }
    }

    /// CHECK with its condition, names in quotes.
    fn check(&mut self) -> Result<(), StatementProblem> {
        self.accept(&["CHECK"]);
        self.word("CHECK");
        let mut depth = 0usize;
        while let Some(token) = self.peek().cloned() {
            depth += usize::from(token.is_mark("("));
            const WORDS: &[&str] = &["AND", "OR", "NOT", "IN", "BETWEEN", "LIKE", "IS", "NULL"];
            if token.kind == TokenKind::Word && !WORDS.contains(&token.text.as_str()) {
                let name = self.name(false)?;
                self.word(&name);
                continue;
            }
            self.token();
            if token.is_mark(")") {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Ok(());
                }
            }
        }
        Err(self.fail(")"))
    }

    pub(super) fn create_index(&mut self) -> Result<(), StatementProblem> {
        self.at = 1;
        let unique = self.accept(&["UNIQUE"]);
        let nulls = self.accept(&["WHERE", "NOT", "NULL"]);
        if !self.accept(&["INDEX"]) {
            return Err(self.fail("INDEX"));
        }
        let name = self.name(false)?;
        // An index is in its table's schema.
        let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
        if !self.accept(&["ON"]) {
            return Err(self.fail("ON"));
        }
        let table = self.name(true)?;
        let unique = if unique { "UNIQUE " } else { "" };
        self.word(&format!("CREATE {unique}INDEX {name} ON {table}"));
        self.columns()?;
        if nulls {
            self.applied
                .notes
                .push("WHERE NOT NULL is what indexes do here".to_owned());
        }
        while self.peek().is_some() {
            if !self.storage() {
                return Err(self.fail("the end of the statement"));
            }
        }
        self.finish();
        Ok(())
    }

    pub(super) fn alter_table(&mut self) -> Result<(), StatementProblem> {
        self.at = 2;
        let name = self.name(true)?;
        self.word(&format!("ALTER TABLE {name}"));
        let mut first = true;
        while self.peek().is_some() {
            if self.storage() {
                continue;
            }
            if !std::mem::take(&mut first) {
                self.word(",");
            }
            if self.accept(&["DROP"]) {
                self.word("DROP");
                for kind in ["CONSTRAINT", "COLUMN", "FOREIGN", "CHECK"] {
                    if self.accept(&[kind]) {
                        self.accept(&["KEY"]);
                        self.word(if kind == "COLUMN" {
                            "COLUMN"
                        } else {
                            "CONSTRAINT"
                        });
                    }
                }
                let name = self.name(false)?;
                self.word(&name);
                continue;
            }
            if self.accept(&["ALTER", "COLUMN"]) || self.accept(&["ALTER"]) {
                self.alter_column()?;
                continue;
            }
            // ADD may be missing before FOREIGN KEY.
            self.accept(&["ADD"]);
            self.accept(&["COLUMN"]);
            self.word("ADD");
            self.element()?;
        }
        if first {
            return Ok(());
        }
        self.finish();
        Ok(())
    }

    /// CREATE VIEW name FOR table: an alias.
    pub(super) fn alias(&mut self) -> Result<(), StatementProblem> {
        self.at = 2;
        let name = self.name(true)?;
        if !self.accept(&["FOR"]) {
            return Err(self.fail("FOR"));
        }
        let table = self.name(true)?;
        if self.peek().is_some() {
            return Err(self.fail("the end of the statement"));
        }
        self.word(&format!("CREATE VIEW {name} AS SELECT * FROM {table}"));
        self.finish();
        Ok(())
    }

    /// A statement whose names only are put in quotes.
    pub(super) fn plain(&mut self) -> Result<(), StatementProblem> {
        const WORDS: &[&str] = &[
            "DROP",
            "GRANT",
            "REVOKE",
            "CREATE",
            "COMMENT",
            "TRUNCATE",
            "TABLE",
            "VIEW",
            "INDEX",
            "SEQUENCE",
            "SCHEMA",
            "ON",
            "TO",
            "FROM",
            "PUBLIC",
            "SELECT",
            "INSERT",
            "UPDATE",
            "DELETE",
            "ALL",
            "PRIVILEGES",
            "CASCADE",
            "RESTRICT",
            "WITH",
            "OPTION",
            "AS",
            "IS",
            "COLUMN",
            "START",
            "INCREMENT",
            "BY",
            "MINVALUE",
            "MAXVALUE",
            "NO",
            "CACHE",
            "CYCLE",
            "INTEGER",
            "BIGINT",
            "SMALLINT",
            "REFERENCES",
            "ALTER",
            "IMMEDIATE",
            "IF",
            "EXISTS",
        ];
        while let Some(token) = self.peek().cloned() {
            let names = token.kind == TokenKind::Word && !WORDS.contains(&token.text.as_str());
            if names || token.kind == TokenKind::Quoted {
                let qualified = !self.out.ends_with(" TO") && !self.out.ends_with("SCHEMA");
                let name = self.name(qualified)?;
                self.word(&name);
            } else if token.is("ORDER") {
                self.at += 1;
            } else {
                self.token();
            }
        }
        self.finish();
        Ok(())
    }
}
