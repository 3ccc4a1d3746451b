//! Names of tables and columns, and special registers.

use sqlparser::ast::{Expr, Ident, ObjectName, ObjectNamePart};

use super::build::{call, quoted, text};
use super::{FromRelation, StatementRewriter};
use crate::text::StatementProblem;
use crate::types::{SqlType, Table};

impl StatementRewriter<'_> {
    /// Rewrites the name of a table. Returns the known description of the table.
    pub(super) fn table_name(&mut self, name: &mut ObjectName) -> FromRelation {
        let mut parts: Vec<Ident> = name
            .0
            .iter()
            .filter_map(|p| p.as_ident().cloned())
            .collect();
        // The location of a name of three parts is the own one.
        if parts.len() > 2 {
            parts.drain(..parts.len() - 2);
        }
        let span = parts.last().map(|p| p.span);
        let last = parts.last().map(|p| p.value.clone()).unwrap_or_default();
        let schema = (parts.len() > 1).then(|| parts[0].value.clone());
        if schema.is_none()
            && let Some(cte) = self.ctes.iter().rfind(|c| c.name == last)
        {
            let relation = cte.clone();
            name.0 = vec![ObjectNamePart::Identifier(quoted(&last))];
            return relation;
        }
        if let Some(known) = schema.as_deref().filter(|s| *s == "SYSIBM")
            && last.starts_with("SYS")
            && !super::super::schema::CATALOG_VIEWS.contains(&last.as_str())
            && let Some(span) = span
        {
            self.refuse(span, &format!("the catalogue table {known}.{last}"));
        }
        let known = self.catalog.table(
            schema.as_deref().or(self.options.qualifier.as_deref()),
            &last,
        );
        let columns = known.map(columns_of);
        let schema = schema.or_else(|| self.options.qualifier.clone());
        let names = schema.iter().chain([&last]);
        name.0 = names
            .map(|n| ObjectNamePart::Identifier(quoted(n)))
            .collect();
        FromRelation {
            name: last,
            columns,
        }
    }

    /// Rewrites a column's name or a special register; its type.
    pub(super) fn identifier(&mut self, expr: &mut Expr) -> SqlType {
        let Expr::Identifier(ident) = expr else {
            return SqlType::Unknown;
        };
        if ident.quote_style.is_none() {
            if let Some((call, sql_type)) = special_register(&ident.value) {
                *expr = call;
                return sql_type;
            }
            if ident.value == "DEFAULT" {
                return SqlType::Unknown;
            }
        }
        let (name, span) = (ident.value.clone(), ident.span);
        ident.quote_style = Some('"');
        self.column(None, &name, span)
    }

    /// Rewrites a qualified column's name; its type.
    pub(super) fn compound(&mut self, parts: &mut Vec<Ident>) -> SqlType {
        if parts.len() > 3 {
            parts.drain(..parts.len() - 3);
        }
        for part in parts.iter_mut() {
            part.quote_style = Some('"');
        }
        let Some((column, before)) = parts.split_last() else {
            return SqlType::Unknown;
        };
        let qualifier = before.last().map(|q| q.value.clone());
        let (name, span) = (column.value.clone(), column.span);
        self.column(qualifier.as_deref(), &name, span)
    }

    /// Looks a column up in the tables around; reports one that is nowhere.
    fn column(
        &mut self,
        qualifier: Option<&str>,
        name: &str,
        span: sqlparser::tokenizer::Span,
    ) -> SqlType {
        let mut all_known = true;
        let mut names: Vec<&str> = Vec::new();
        let mut found_table = qualifier.is_none();
        for scope in self.scopes.iter().rev() {
            for relation in scope {
                if qualifier.is_some_and(|q| q != relation.name) {
                    continue;
                }
                found_table = true;
                let Some(columns) = &relation.columns else {
                    all_known = false;
                    continue;
                };
                if let Some((_, sql_type)) = columns.iter().find(|(n, _)| n == name) {
                    return *sql_type;
                }
                names.extend(columns.iter().map(|(n, _)| n.as_str()));
            }
        }
        if names.is_empty() && found_table || !all_known {
            return SqlType::Unknown;
        }
        let near = base::suggestion(name, names);
        let at = self.place(span);
        let message = match qualifier {
            Some(q) if !found_table => format!("no table of the statement is called {q}"),
            Some(q) => format!("{q} has no column {name}"),
            None => format!("no table of the statement has a column {name}"),
        };
        self.problems.push(StatementProblem {
            help: near,
            sqlcode: -206,
            ..StatementProblem::warning(at, message)
        });
        SqlType::Unknown
    }
}

pub(super) fn columns_of(table: &Table) -> Vec<(String, SqlType)> {
    let columns = table.columns.iter();
    columns.map(|c| (c.name.clone(), c.sql_type)).collect()
}

/// The server's expression for a special register, and its type. Each has one
/// value a statement: `now()` would have one a transaction.
fn special_register(name: &str) -> Option<(Expr, SqlType)> {
    let db2 = |function: &str| call(&format!("db2.{function}"), Vec::new());
    Some(match name {
        "CURRENT DATE" => (db2("current_date"), SqlType::Date),
        "CURRENT TIME" => (db2("current_time"), SqlType::Time),
        "CURRENT TIMESTAMP" => (db2("current_timestamp"), SqlType::Timestamp(6)),
        "CURRENT TIMEZONE" => (db2("current_timezone"), SqlType::Decimal(6, 0)),
        "CURRENT SQLID" | "USER" | "SESSION_USER" => (db2("authid"), SqlType::Varchar(128)),
        "CURRENT SCHEMA" => (db2("current_schema"), SqlType::Varchar(128)),
        "CURRENT SERVER" => (db2("current_server"), SqlType::Varchar(16)),
        "CURRENT DEGREE" => (text("1"), SqlType::Char(5)),
        "CURRENT PRECISION" => (text("DEC15"), SqlType::Char(5)),
        "CURRENT RULES" => (text("DB2"), SqlType::Char(4)),
        "CURRENT MEMBER" => (text(""), SqlType::Char(8)),
        "CURRENT PATH" => (text(""), SqlType::Varchar(2048)),
        _ => return None,
    })
}
