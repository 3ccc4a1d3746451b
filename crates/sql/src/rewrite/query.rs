//! Queries: FROM, WHERE, GROUP BY, set operators, common table expressions.

use sqlparser::ast::{
    Distinct, Expr, GroupByExpr, JoinConstraint, JoinOperator, LimitClause, LockClause, LockType,
    NonBlock, ObjectName, OrderByKind, Query, Select, SelectItem, SetExpr, Spanned, TableAlias,
    TableFactor, TableWithJoins,
};

use super::build::{placeholder, plain, quoted};
use super::expression::{pad, wider};
use super::{FromRelation, RewrittenStatement, StatementRewriter};
use crate::statement::{Isolation, LockStrength, Statement};
use crate::types::SqlType;
use crate::wire::oid;

/// Names and types of a query's columns.
type QueryColumns = Vec<(String, SqlType)>;

impl StatementRewriter<'_> {
    /// The outermost query of a statement.
    pub(super) fn select(
        &mut self,
        statement: &Statement,
        mut query: Query,
        out: &mut RewrittenStatement,
    ) {
        let columns = self.query(&mut query);
        out.columns = columns.into_iter().map(|(_, t)| t).collect();
        self.locks(statement, &mut query, out);
        out.sql = query.to_string();
    }

    /// Locks that the statement asks for, and the place of each row.
    fn locks(&mut self, statement: &Statement, query: &mut Query, out: &mut RewrittenStatement) {
        let kept = match statement.isolation {
            Some(Isolation::ReadStability(s) | Isolation::RepeatableRead(s)) => Some(s),
            _ => None,
        };
        let update = statement.cursor.for_update || kept == Some(LockStrength::Exclusive);
        if !update && kept.is_none() {
            return;
        }
        let Some(table) = simple_table(query) else {
            if statement.cursor.for_update {
                let message = "FOR UPDATE: the result is read-only".to_owned();
                let at = self.tokens.first().map_or(0, |t| t.at);
                self.error(at, -511, message);
            }
            return;
        };
        query.locks.push(LockClause {
            lock_type: if update {
                LockType::Update
            } else {
                LockType::Share
            },
            of: None,
            nonblock: statement.cursor.skip_locked.then_some(NonBlock::SkipLocked),
        });
        if statement.cursor.for_update
            && let SetExpr::Select(select) = &mut *query.body
        {
            for column in ["ctid", "xmin"] {
                let name = vec![quoted(&table), plain(column)];
                select
                    .projection
                    .push(SelectItem::UnnamedExpr(Expr::CompoundIdentifier(name)));
            }
            out.locates_rows = true;
        }
    }

    /// A query; its columns.
    pub(super) fn query(&mut self, query: &mut Query) -> QueryColumns {
        let ctes = self.ctes.len();
        if let Some(with) = &mut query.with {
            for cte in &mut with.cte_tables {
                let mut relation = FromRelation {
                    name: cte.alias.name.value.clone(),
                    columns: None,
                };
                // The expression may name itself: then its columns are not known yet.
                self.ctes.push(relation.clone());
                let columns = self.query(&mut cte.query);
                if self.ctes.pop().is_some() && names_itself(&cte.query, &relation.name) {
                    with.recursive = true;
                }
                alias(&mut cte.alias);
                relation.columns = Some(renamed(columns, &cte.alias));
                self.ctes.push(relation);
            }
        }
        let (columns, scope) = self.set_expression(&mut query.body);
        self.scopes.push(scope);
        if let Some(order) = &mut query.order_by {
            match &mut order.kind {
                OrderByKind::Expressions(list) => {
                    for item in list {
                        self.order_item(&mut item.expr, &columns);
                    }
                }
                OrderByKind::All(_) => self.refuse(query.body.span(), "ORDER BY ALL"),
            }
        }
        self.scopes.pop();
        if let Some(fetch) = &mut query.fetch
            && let Some(quantity) = &fetch.quantity
            && let Some(number) = placeholder(quantity)
        {
            self.declare(number, oid::INT8);
        }
        if let Some(LimitClause::LimitOffset { limit, offset, .. }) = &query.limit_clause {
            let offset = offset.as_ref().map(|o| &o.value);
            for number in limit
                .iter()
                .chain(offset)
                .filter_map(placeholder)
                .collect::<Vec<_>>()
            {
                self.declare(number, oid::INT8);
            }
        }
        self.ctes.truncate(ctes);
        columns
    }

    /// A sort key: a column of the result, its number, or an expression.
    fn order_item(&mut self, expr: &mut Expr, columns: &QueryColumns) {
        if let Expr::Identifier(ident) = expr
            && columns.iter().any(|(n, _)| *n == ident.value)
        {
            ident.quote_style = Some('"');
            return;
        }
        self.expr(expr);
    }

    fn set_expression(&mut self, body: &mut SetExpr) -> (QueryColumns, Vec<FromRelation>) {
        match body {
            SetExpr::Select(select) => self.select_body(select),
            SetExpr::Query(query) => (self.query(query), Vec::new()),
            SetExpr::SetOperation { left, right, .. } => {
                let (mut columns, _) = self.set_expression(left);
                let (others, _) = self.set_expression(right);
                if columns.len() != others.len() && !columns.is_empty() && !others.is_empty() {
                    let at = self.place(right.span());
                    let message = format!(
                        "the queries of a UNION have {} and {} columns",
                        columns.len(),
                        others.len()
                    );
                    self.error(at, -421, message);
                }
                for (index, ((_, a), (_, b))) in columns.iter_mut().zip(&others).enumerate() {
                    if *a != SqlType::Unknown && *b != SqlType::Unknown {
                        let result = wider(*a, *b);
                        pad_column(left, index, result, *a);
                        pad_column(right, index, result, *b);
                        *a = result;
                    }
                }
                (columns, Vec::new())
            }
            SetExpr::Values(values) => {
                let mut columns = Vec::new();
                for row in &mut values.rows {
                    let types = row
                        .content
                        .iter_mut()
                        .map(|e| (String::new(), self.expr(e)));
                    columns = types.collect();
                }
                (columns, Vec::new())
            }
            other => {
                let span = other.span();
                self.refuse(span, "this form of a query");
                (Vec::new(), Vec::new())
            }
        }
    }

    fn select_body(&mut self, select: &mut Select) -> (QueryColumns, Vec<FromRelation>) {
        self.scopes.push(Vec::new());
        for table in &mut select.from {
            self.table_with_joins(table);
        }
        // SELECT of expressions alone has no FROM: SET and VALUES INTO.
        let mut columns = Vec::new();
        let scope = self.scopes.last().cloned().unwrap_or_default();
        for item in &mut select.projection {
            self.select_item(item, &scope, &mut columns);
        }
        if let Some(Distinct::On(_)) = &select.distinct {
            self.refuse(select.select_token.0.span, "DISTINCT ON");
        }
        if let Some(condition) = &mut select.selection {
            self.expr(condition);
        }
        match &mut select.group_by {
            GroupByExpr::Expressions(list, _) => {
                for expr in list {
                    self.expr(expr);
                }
            }
            GroupByExpr::All(_) => self.refuse(select.select_token.0.span, "GROUP BY ALL"),
        }
        if let Some(having) = &mut select.having {
            self.expr(having);
        }
        let scope = self.scopes.pop().unwrap_or_default();
        (columns, scope)
    }

    fn select_item(
        &mut self,
        item: &mut SelectItem,
        scope: &[FromRelation],
        columns: &mut QueryColumns,
    ) {
        match item {
            SelectItem::UnnamedExpr(expr) => {
                let name = match &expr {
                    Expr::Identifier(i) => i.value.clone(),
                    Expr::CompoundIdentifier(p) => {
                        p.last().map(|i| i.value.clone()).unwrap_or_default()
                    }
                    _ => String::new(),
                };
                let sql_type = self.result(expr);
                columns.push((name, sql_type));
            }
            SelectItem::ExprWithAlias { expr, alias } => {
                let sql_type = self.result(expr);
                alias.quote_style = Some('"');
                columns.push((alias.value.clone(), sql_type));
            }
            SelectItem::Wildcard(_) => {
                for relation in scope {
                    columns.extend(relation.columns.clone().unwrap_or_default());
                }
            }
            SelectItem::QualifiedWildcard(kind, _) => {
                if let sqlparser::ast::SelectItemQualifiedWildcardKind::ObjectName(name) = kind {
                    let last = quote_all(name);
                    let named = scope.iter().find(|r| r.name == last);
                    columns.extend(named.and_then(|r| r.columns.clone()).unwrap_or_default());
                }
            }
            SelectItem::ExprWithAliases { expr, .. } => {
                let span = expr.span();
                self.refuse(span, "several names of one expression");
            }
        }
    }

    /// An expression of the result: a parameter alone needs its type said.
    pub(super) fn result(&mut self, expr: &mut Expr) -> SqlType {
        let sql_type = self.expr(expr);
        if let Some(number) = placeholder(expr)
            && let Some(host) = self.hosts.input(number)
            && matches!(host.cobol.sql_type(), SqlType::Decimal(..))
        {
            self.declare(number, oid::NUMERIC);
        }
        sql_type
    }

    pub(super) fn table_with_joins(&mut self, table: &mut TableWithJoins) {
        self.table_factor(&mut table.relation);
        for join in &mut table.joins {
            self.table_factor(&mut join.relation);
            use JoinOperator as J;
            match &mut join.join_operator {
                J::Join(c)
                | J::Inner(c)
                | J::Left(c)
                | J::LeftOuter(c)
                | J::Right(c)
                | J::RightOuter(c)
                | J::FullOuter(c)
                | J::CrossJoin(c) => self.constraint(c),
                _ => {
                    let span = join.relation.span();
                    self.refuse(span, "this form of a join");
                }
            }
        }
    }

    fn constraint(&mut self, constraint: &mut JoinConstraint) {
        match constraint {
            JoinConstraint::On(expr) => {
                self.expr(expr);
            }
            JoinConstraint::Using(names) => {
                for name in names {
                    quote_all(name);
                }
            }
            JoinConstraint::Natural | JoinConstraint::None => {}
            JoinConstraint::UsingAlias(..) => {
                let at = self.tokens.first().map_or(0, |t| t.at);
                self.problems.push(crate::text::StatementProblem::refused(
                    at,
                    "this form of a join",
                ));
            }
        }
    }

    pub(super) fn table_factor(&mut self, factor: &mut TableFactor) {
        match factor {
            TableFactor::Table {
                name,
                alias: named,
                args: None,
                ..
            } => {
                let mut relation = self.table_name(name);
                if let Some(named) = named {
                    alias(named);
                    relation.columns = relation.columns.map(|c| renamed(c, named));
                    relation.name = named.name.value.clone();
                }
                self.add_relation(relation);
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias: named,
                ..
            } => {
                // A subquery in FROM sees the tables before it after the word TABLE alone.
                let columns = if *lateral {
                    self.query(subquery)
                } else {
                    let outer = self.scopes.pop().unwrap_or_default();
                    let columns = self.query(subquery);
                    self.scopes.push(outer);
                    columns
                };
                let columns = match &named {
                    Some(named) => renamed(columns, named),
                    None => columns,
                };
                let known = columns.iter().all(|(n, _)| !n.is_empty());
                let name = named.as_ref().map(|n| n.name.value.clone());
                // PostgreSQL before 16 wants a name.
                let named = named.get_or_insert_with(|| TableAlias {
                    explicit: true,
                    name: plain("t"),
                    columns: Vec::new(),
                    at: None,
                });
                alias(named);
                self.add_relation(FromRelation {
                    name: name.unwrap_or_default(),
                    columns: (known && !columns.is_empty()).then_some(columns),
                });
            }
            TableFactor::NestedJoin {
                table_with_joins,
                alias: named,
            } => {
                self.table_with_joins(table_with_joins);
                if let Some(named) = named {
                    alias(named);
                }
            }
            other => {
                let span = other.span();
                self.refuse(span, "this form of a table reference");
            }
        }
    }

    pub(super) fn add_relation(&mut self, relation: FromRelation) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(relation);
        }
    }
}

/// Pads a column of a query to the length that it has in a set operation.
fn pad_column(body: &mut SetExpr, index: usize, result: SqlType, source: SqlType) {
    match body {
        SetExpr::Select(select) if has_named_columns(select) => {
            if let Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) =
                select.projection.get_mut(index)
            {
                pad(result, expr, source);
            }
        }
        SetExpr::Query(query) => pad_column(&mut query.body, index, result, source),
        SetExpr::SetOperation { left, right, .. } => {
            pad_column(left, index, result, source);
            pad_column(right, index, result, source);
        }
        _ => {}
    }
}

/// Whether each item of the list is one column.
pub(super) fn has_named_columns(select: &Select) -> bool {
    select.projection.iter().all(|item| {
        matches!(
            item,
            SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }
        )
    })
}

/// Quotes every part of a name; the last part.
pub(super) fn quote_all(name: &mut ObjectName) -> String {
    let mut last = String::new();
    for part in &mut name.0 {
        if let sqlparser::ast::ObjectNamePart::Identifier(ident) = part {
            ident.quote_style = Some('"');
            last.clone_from(&ident.value);
        }
    }
    last
}

fn alias(alias: &mut TableAlias) {
    alias.name.quote_style = Some('"');
    for column in &mut alias.columns {
        column.name.quote_style = Some('"');
    }
}

/// Columns under the names that a table's alias gives them.
fn renamed(columns: QueryColumns, alias: &TableAlias) -> QueryColumns {
    if alias.columns.is_empty() {
        return columns;
    }
    let types = columns
        .into_iter()
        .map(|(_, t)| t)
        .chain(std::iter::repeat(SqlType::Unknown));
    let names = alias.columns.iter().map(|c| c.name.value.clone());
    names.zip(types).collect()
}

/// Whether a common table expression uses itself.
fn names_itself(query: &Query, name: &str) -> bool {
    let shown = query.body.to_string();
    shown.contains(&format!("FROM \"{name}\""))
        || shown.contains(&format!("JOIN \"{name}\""))
        || shown.contains(&format!(", \"{name}\""))
}

/// The name of the one table of a query whose rows can be changed.
fn simple_table(query: &Query) -> Option<String> {
    let SetExpr::Select(select) = &*query.body else {
        return None;
    };
    let grouped = match &select.group_by {
        GroupByExpr::Expressions(list, _) => !list.is_empty(),
        GroupByExpr::All(_) => true,
    };
    let [table] = select.from.as_slice() else {
        return None;
    };
    let aggregate = select.projection.iter().any(|item| {
        let text = item.to_string();
        ["count(", "sum(", "avg(", "min(", "max("]
            .iter()
            .any(|a| text.starts_with(a))
    });
    if grouped
        || aggregate
        || select.distinct.is_some()
        || select.having.is_some()
        || !table.joins.is_empty()
    {
        return None;
    }
    let TableFactor::Table { name, alias, .. } = &table.relation else {
        return None;
    };
    let own = name.0.last()?.as_ident()?.value.clone();
    Some(alias.as_ref().map_or(own, |a| a.name.value.clone()))
}
