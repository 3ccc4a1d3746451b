//! INSERT, UPDATE, DELETE and LOCK TABLE.

use sqlparser::ast::{
    Assignment, AssignmentTarget, Delete, Expr, FromTable, Ident, Insert, ObjectName,
    ObjectNamePart, Query, SelectItem, SetExpr, Spanned, Statement as Ast, TableFactor,
    TableObject, Update, WildcardAdditionalOptions,
};
use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::parser::Parser;

use super::build::{binary, plain, quoted};
use super::query::{has_named_columns, quote_all};
use super::{RewrittenStatement, StatementRewriter};
use crate::statement::{RowCount, Statement};
use crate::text::StatementProblem;
use crate::types::SqlType;
use crate::wire::oid;

impl StatementRewriter<'_> {
    /// A statement that changes rows.
    pub(super) fn change(&mut self, statement: &Statement, ast: Ast, out: &mut RewrittenStatement) {
        self.scopes.push(Vec::new());
        match ast {
            Ast::Insert(insert) => self.insert(statement, insert, out),
            Ast::Update(update) => self.update(statement, update, out),
            Ast::Delete(delete) => self.delete(statement, delete, out),
            Ast::Merge(merge) => self.merge(merge, out),
            _ => {
                let at = self.tokens.first().map_or(0, |t| t.at);
                self.problems
                    .push(StatementProblem::refused(at, statement.form.name));
            }
        }
        let scope = self.scopes.pop().unwrap_or_default();
        self.target = scope.into_iter().next().and_then(|r| r.columns);
    }

    /// Every column of the rows that a change within a query is for.
    fn returned_rows(&self) -> Option<Vec<SelectItem>> {
        let all = SelectItem::Wildcard(WildcardAdditionalOptions::default());
        self.returns_rows.then(|| vec![all])
    }

    fn insert(&mut self, statement: &Statement, mut insert: Insert, out: &mut RewrittenStatement) {
        let at = self.tokens.first().map_or(0, |t| t.at);
        let TableObject::TableName(name) = &mut insert.table else {
            self.problems
                .push(StatementProblem::refused(at, "INSERT into this"));
            return;
        };
        let parts: Vec<String> = name
            .0
            .iter()
            .filter_map(|p| p.as_ident().map(|i| i.value.clone()))
            .collect();
        let relation = self.table_name(name);
        let schema = parts.len().checked_sub(2).map(|i| parts[i].clone());
        let schema = schema.or_else(|| self.options.qualifier.clone());
        let identity = self
            .catalog
            .table(schema.as_deref(), &relation.name)
            .and_then(|t| t.columns.iter().find(|c| c.identity))
            .map(|c| c.name.clone());
        let known = relation.columns.clone();
        self.add_relation(relation);
        let mut targets: Option<Vec<SqlType>> = None;
        if insert.columns.is_empty() {
            targets = known.map(|c| c.into_iter().map(|(_, t)| t).collect());
        } else {
            let mut types = Vec::new();
            for column in &mut insert.columns {
                types.push(self.target(column));
            }
            targets = targets.or(Some(types));
        }
        let rows = statement.rows.is_some_and(|r| r != RowCount::Rows(1));
        if let Some(source) = &mut insert.source {
            if let SetExpr::Values(values) = &mut *source.body {
                for row in &mut values.rows {
                    self.row(&mut row.content, targets.as_deref(), at);
                }
            } else {
                let columns = self.query(source);
                self.assign_columns(source, &columns, targets.as_deref(), at);
            }
            let one_row = matches!(&*source.body, SetExpr::Values(v) if v.rows.len() == 1);
            if let Some(identity) = identity.filter(|_| one_row && !rows && !self.returns_rows) {
                let column = Expr::Identifier(quoted(&identity));
                insert.returning = Some(vec![SelectItem::UnnamedExpr(column)]);
                out.returns_identity = true;
            }
        }
        if let Some(all) = self.returned_rows() {
            insert.returning = Some(all);
        }
        out.sql = insert.to_string();
    }

    /// The name of a column that is assigned to; its type.
    pub(super) fn target(&mut self, column: &mut ObjectName) -> SqlType {
        let last = quote_all(column);
        let mut ident: Vec<Ident> = vec![Ident::new(last)];
        if let Some(ObjectNamePart::Identifier(i)) = column.0.last() {
            ident[0].span = i.span;
        }
        // PostgreSQL takes the name alone.
        let keep = column.0.split_off(column.0.len().saturating_sub(1));
        column.0 = keep;
        self.compound(&mut ident)
    }

    /// A row of VALUES.
    pub(super) fn row(&mut self, row: &mut [Expr], targets: Option<&[SqlType]>, at: usize) {
        if let Some(targets) = targets
            && targets.len() != row.len()
        {
            let message = format!("{} values for {} columns", row.len(), targets.len());
            self.error(at, -117, message);
        }
        for (index, value) in row.iter_mut().enumerate() {
            let target = targets.and_then(|t| t.get(index)).copied();
            self.assign(target.unwrap_or(SqlType::Unknown), value);
        }
    }

    /// The columns of a query that are assigned: of INSERT … SELECT, and of a row subselect.
    fn assign_columns(
        &mut self,
        query: &mut Query,
        columns: &[(String, SqlType)],
        targets: Option<&[SqlType]>,
        at: usize,
    ) {
        let Some(targets) = targets else { return };
        let plain_list = matches!(
            &*query.body,
            SetExpr::Select(select) if select.distinct.is_none() && has_named_columns(select)
        );
        let count = columns.len();
        if count != targets.len() {
            // The columns of a table that is not known are not known either.
            if plain_list || count > 0 {
                let message = format!("{count} values for {} columns", targets.len());
                self.error(at, -117, message);
            }
            return;
        }
        if plain_list && let SetExpr::Select(select) = &mut *query.body {
            let items = select.projection.iter_mut().zip(targets).zip(columns);
            for ((item, target), (_, source)) in items {
                if let SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } = item
                {
                    self.fit(*target, expr, *source);
                }
            }
            return;
        }
        // The rows of the query are those before the assignment: it is done around them.
        let names: Vec<String> = (1..=count).map(|n| format!("c{n}")).collect();
        let mut fitted = Vec::new();
        let mut changed = false;
        for ((name, target), (_, source)) in names.iter().zip(targets).zip(columns) {
            let column = Expr::Identifier(plain(name));
            let mut value = column.clone();
            self.fit(*target, &mut value, *source);
            changed |= value != column;
            fitted.push(SelectItem::UnnamedExpr(value));
        }
        if changed && let Some(whole) = select_from(query, fitted, &names) {
            *query = whole;
        }
    }

    /// The SET clause of an UPDATE.
    pub(super) fn assignments(&mut self, assignments: &mut [Assignment]) {
        for assignment in assignments {
            match &mut assignment.target {
                AssignmentTarget::ColumnName(name) => {
                    let target = self.target(name);
                    self.assign(target, &mut assignment.value);
                }
                AssignmentTarget::Tuple(names) => {
                    let targets: Vec<SqlType> = names.iter_mut().map(|n| self.target(n)).collect();
                    match &mut assignment.value {
                        Expr::Tuple(values) => {
                            for (value, target) in values.iter_mut().zip(&targets) {
                                self.assign(*target, value);
                            }
                        }
                        Expr::Subquery(query) => {
                            let at = self.place(query.span());
                            let columns = self.query(query);
                            self.assign_columns(query, &columns, Some(&targets), at);
                        }
                        other => {
                            self.expr(other);
                        }
                    }
                }
            }
        }
    }

    fn update(&mut self, statement: &Statement, mut update: Update, out: &mut RewrittenStatement) {
        self.table_with_joins(&mut update.table);
        self.assignments(&mut update.assignments);
        if let Some(condition) = &mut update.selection {
            self.expr(condition);
        }
        if statement.name.is_some() {
            update.selection = Some(self.row_condition(out));
            let names =
                ["ctid", "xmin"].map(|c| SelectItem::UnnamedExpr(Expr::Identifier(plain(c))));
            update.returning = Some(names.to_vec());
        }
        if let Some(all) = self.returned_rows() {
            update.returning = Some(all);
        }
        out.sql = update.to_string();
    }

    fn delete(&mut self, statement: &Statement, mut delete: Delete, out: &mut RewrittenStatement) {
        let (FromTable::WithFromKeyword(tables) | FromTable::WithoutKeyword(tables)) =
            &mut delete.from;
        for table in tables.iter_mut() {
            self.table_with_joins(table);
        }
        if let Some(condition) = &mut delete.selection {
            self.expr(condition);
        }
        if statement.name.is_some() {
            delete.selection = Some(self.row_condition(out));
        }
        if let Some(all) = self.returned_rows() {
            delete.returning = Some(all);
        }
        out.sql = delete.to_string();
    }

    /// The condition that names a cursor's row, with two more parameters.
    fn row_condition(&mut self, out: &mut RewrittenStatement) -> Expr {
        let first = self.parameters.len() + 1;
        out.is_positioned = true;
        out.parameters = vec![oid::TID, oid::XID];
        let is = |name: &str, number: usize| {
            let value = Expr::value(sqlparser::ast::Value::Placeholder(format!("${number}")));
            binary(
                Expr::Identifier(plain(name)),
                sqlparser::ast::BinaryOperator::Eq,
                value,
            )
        };
        binary(
            is("ctid", first),
            sqlparser::ast::BinaryOperator::And,
            is("xmin", first + 1),
        )
    }

    /// LOCK TABLE name IN SHARE or EXCLUSIVE MODE.
    pub(super) fn lock_table(&mut self, out: &mut RewrittenStatement) {
        let words: Vec<&str> = self.tokens.iter().map(|t| t.text.as_str()).collect();
        let end = words.iter().position(|w| *w == "IN").unwrap_or(words.len());
        let parts = words.get(2..end).unwrap_or_default().iter();
        let parts = parts.filter(|w| **w != ".");
        let name = parts
            .map(|w| ObjectNamePart::Identifier(Ident::new(*w)))
            .collect();
        let mut name = ObjectName(name);
        let mode = match words.get(end..) {
            Some(["IN", "SHARE", "MODE"]) => "SHARE",
            Some(["IN", "EXCLUSIVE", "MODE"]) => "EXCLUSIVE",
            _ => {
                let at = self.tokens.last().map_or(0, |t| t.at);
                let message = "LOCK TABLE ends with IN SHARE MODE or IN EXCLUSIVE MODE";
                self.error(at, -104, message.to_owned());
                return;
            }
        };
        self.table_name(&mut name);
        out.sql = format!("LOCK TABLE {name} IN {mode} MODE");
    }
}

/// A query of expressions over another query, whose columns get the names.
fn select_from(query: &Query, items: Vec<SelectItem>, names: &[String]) -> Option<Query> {
    let frame = format!("SELECT 1 FROM (SELECT 1) AS t ({})", names.join(", "));
    let parser = Parser::new(&PostgreSqlDialect {});
    let mut whole = parser.try_with_sql(&frame).ok()?.parse_query().ok()?;
    let SetExpr::Select(select) = &mut *whole.body else {
        return None;
    };
    select.projection = items;
    let TableFactor::Derived { subquery, .. } = &mut select.from.first_mut()?.relation else {
        return None;
    };
    **subquery = query.clone();
    Some(*whole)
}
