//! Refuses a statement whose operators would nest too deeply (-101).
//!
//! The parser bounds parentheses and prefixes, but `A OR B OR C` becomes a tree that is as
//! deep as the chain is long. Rewriting and dropping a tree recurse, so the length of chains
//! is bounded before parsing. Lists are flat, so a comma begins a new chain: an IN list or a
//! VALUES list may fill a statement of the greatest length.
//!
//! Reference: Db2 for z/OS SQL Reference, "Limits in Db2 for z/OS"; SQLCODE -101.

use crate::dialect;
use crate::text::{SqlToken, StatementProblem};

/// Operators that may follow each other without a comma, over all parentheses that are
/// open. A chain of 9,000 overflows the 8 MB of stack that programs run on.
const MAX_OPERATORS: usize = 500;

/// Words that make an expression one level deeper.
const WORDS: &[&str] = &["AND", "OR", "NOT", "IS", "IN", "LIKE", "BETWEEN", "CONCAT"];
/// Words of CASE, whose branches are a list.
const BRANCHES: &[&str] = &["WHEN", "THEN", "ELSE"];
const MARKS: &[&str] = &["||", "<>", "<=", ">=", "=", "<", ">", "+", "-", "*", "/"];

/// Counts of one level of parentheses.
#[derive(Debug, Default, Clone, Copy)]
struct NestingLevel {
    /// Operators since the last comma.
    operators: usize,
    /// Set operators, which no comma ends.
    sets: usize,
}

/// Returns the problem at the operator that is one too many.
pub(super) fn too_complex(tokens: &[SqlToken]) -> Option<StatementProblem> {
    let mut levels = vec![NestingLevel::default()];
    let mut open = 0;
    for token in tokens {
        if token.is_mark("(") {
            levels.push(NestingLevel::default());
            continue;
        }
        if token.is_mark(")") {
            let closed = levels.pop().unwrap_or_default();
            open -= closed.operators + closed.sets;
            if levels.is_empty() {
                levels.push(NestingLevel::default());
            }
            continue;
        }
        let Some(level) = levels.last_mut() else {
            continue;
        };
        if token.is_mark(",") || token.is_any(BRANCHES) {
            open -= std::mem::take(&mut level.operators);
        } else if token.is_any(&["UNION", "EXCEPT", "INTERSECT"]) {
            level.sets += 1;
            open += 1;
        } else if token.is_any(WORDS)
            || MARKS.iter().any(|mark| token.is_mark(mark))
            || dialect::is_duration(token)
        {
            level.operators += 1;
            open += 1;
        }
        if open > MAX_OPERATORS {
            let message = format!("more than {MAX_OPERATORS} operators follow each other");
            return Some(StatementProblem::error(token.at, -101, message));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::rewrite::{RewriteOptions, rewrite};
    use crate::statement::Statement;
    use crate::text::NoHostVariables;
    use crate::types::NoCatalog;

    /// The SQLCODE of a statement that is rewritten on a stack of a task's size.
    fn code(text: String) -> i32 {
        let rewritten = move || {
            let statement = Statement::parse(&text).expect("a statement");
            let options = RewriteOptions::default();
            let done = rewrite(&statement, &NoCatalog, &NoHostVariables, &options);
            done.map_or_else(|problems| problems[0].sqlcode, |_| 0)
        };
        let thread = std::thread::Builder::new().stack_size(8 << 20);
        thread
            .spawn(rewritten)
            .expect("a thread")
            .join()
            .expect("room on the stack")
    }

    #[test]
    fn chains_of_operators_are_bounded_and_lists_are_not() {
        let delete =
            |piece: &str, times: usize| format!("DELETE FROM T WHERE A = 1{}", piece.repeat(times));
        for (piece, most) in [(" OR A = 1", 240), (" + 1", 490), (" AND A IS NULL", 240)] {
            assert_eq!(code(delete(piece, most)), 0, "{piece}");
            assert_eq!(code(delete(piece, 100_000)), -101, "{piece}");
        }
        assert_eq!(code(delete(" + 1 DAY", 100_000)), -101);
        let union = " UNION SELECT A FROM T WHERE A = 1";
        let insert = |times| format!("INSERT INTO T (A) SELECT A FROM T{}", union.repeat(times));
        assert_eq!((code(insert(100)), code(insert(10_000))), (0, -101));
        let list = ",1 + 1".repeat(100_000);
        assert_eq!(code(format!("DELETE FROM T WHERE A IN (1{list})")), 0);
        let cases = " WHEN A = 1 THEN 2".repeat(20_000);
        assert_eq!(code(format!("DELETE FROM T WHERE A = CASE{cases} END")), 0);
        // Parentheses do not hide a chain.
        let nested = "(A + 1 + 1 + 1 + 1 + 1 + ".repeat(40) + &"1 + ".repeat(400);
        assert_eq!(code(format!("DELETE FROM T WHERE A = {nested}")), -101);
    }
}
