//! MERGE.
//!
//! The server's MERGE (15 and newer) is Db2's, except for the source: a row of host
//! variables as VALUES becomes a subquery whose parameters are declared by the
//! variables, and target columns of SET have no qualifier.
//!
//! Reference: Db2 for z/OS SQL Reference, "MERGE".

use sqlparser::ast::{
    Merge, MergeAction, MergeInsertKind, MergeUpdateKind, SetExpr, Spanned, TableFactor,
};

use super::build::placeholder;
use super::{RewrittenStatement, StatementRewriter};
use crate::types::SqlType;

impl StatementRewriter<'_> {
    pub(super) fn merge(&mut self, mut merge: Merge, out: &mut RewrittenStatement) {
        let at = self.tokens.first().map_or(0, |t| t.at);
        // The source does not see the target.
        let outer = self.scopes.pop().unwrap_or_default();
        self.scopes.push(Vec::new());
        self.values_source(&mut merge.source);
        self.table_factor(&mut merge.source);
        let source = self.scopes.pop().unwrap_or_default();
        self.scopes.push(outer);
        self.table_factor(&mut merge.table);
        let target = self.scopes.last().and_then(|s| s.first()).cloned();
        for relation in &source {
            self.add_relation(relation.clone());
        }
        self.expr(&mut merge.on);
        for clause in &mut merge.clauses {
            if let Some(condition) = &mut clause.predicate {
                self.expr(condition);
            }
            match &mut clause.action {
                MergeAction::Update(update) => match &mut update.kind {
                    MergeUpdateKind::Set(list) => self.assignments(list),
                    MergeUpdateKind::Wildcard => self.refuse(merge.on.span(), "UPDATE SET *"),
                },
                MergeAction::Insert(insert) => {
                    // A column that is assigned to is the target's.
                    let all = self.scopes.pop().unwrap_or_default();
                    self.scopes.push(target.iter().cloned().collect());
                    let mut types: Option<Vec<SqlType>> = None;
                    for column in &mut insert.columns {
                        let found = self.target(column);
                        types.get_or_insert_default().push(found);
                    }
                    self.scopes.pop();
                    self.scopes.push(all);
                    if let MergeInsertKind::Values(values) = &mut insert.kind {
                        for row in &mut values.rows {
                            self.row(&mut row.content, types.as_deref(), at);
                        }
                    }
                }
                MergeAction::Delete { .. } => {}
                MergeAction::DoNothing { .. } => self.refuse(merge.on.span(), "DO NOTHING"),
            }
        }
        out.sql = merge.to_string();
    }

    /// Declares the parameters of a row of VALUES: the server would take each for text.
    fn values_source(&mut self, source: &mut TableFactor) {
        let TableFactor::Derived { subquery, .. } = source else {
            return;
        };
        let SetExpr::Values(values) = &mut *subquery.body else {
            return;
        };
        for row in &mut values.rows {
            for value in &mut row.content {
                if placeholder(value).is_some() {
                    self.result(value);
                }
            }
        }
    }
}
