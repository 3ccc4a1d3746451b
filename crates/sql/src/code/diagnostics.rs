//! The diagnostics area: the values of GET DIAGNOSTICS for the statement before it.
//!
//! There is one condition a statement, and it is what the SQLCA has.
//!
//! Reference: Db2 for z/OS SQL Reference, "GET DIAGNOSTICS".

use super::{Sqlca, message_text};

/// A value of the diagnostics area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiagnosticValue {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

/// Items of the statement.
pub const STATEMENT_ITEMS: &[&str] = &[
    "ROW_COUNT",
    "NUMBER",
    "MORE",
    "DB2_NUMBER_ROWS",
    "DB2_LAST_ROW",
    "DB2_RETURN_STATUS",
    "DB2_NUMBER_RESULT_SETS",
    "DB2_NUMBER_CONNECTIONS",
];

/// Items of a condition.
pub const CONDITION_ITEMS: &[&str] = &[
    "RETURNED_SQLSTATE",
    "DB2_RETURNED_SQLCODE",
    "MESSAGE_TEXT",
    "MESSAGE_LENGTH",
    "MESSAGE_OCTET_LENGTH",
    "CONDITION_NUMBER",
    "DB2_TOKEN_STRING",
    "DB2_TOKEN_COUNT",
    "DB2_REASON_CODE",
    "DB2_ROW_NUMBER",
    "DB2_MODULE_DETECTING_ERROR",
    "DB2_SQLERRD1",
    "DB2_SQLERRD2",
    "DB2_SQLERRD3",
    "DB2_SQLERRD4",
    "DB2_SQLERRD5",
    "DB2_SQLERRD6",
    "SERVER_NAME",
];

/// The value of an item of either list; `None` if there is no such item.
pub fn diagnostic(ca: &Sqlca, item: &str) -> Option<DiagnosticValue> {
    use DiagnosticValue as V;
    let number = |n: i32| Some(V::Number(i64::from(n)));
    let length = |text: String| i64::try_from(text.chars().count()).map(V::Number).ok();
    match item {
        "ROW_COUNT" | "DB2_NUMBER_ROWS" | "DB2_SQLERRD3" => number(ca.errd[2]),
        "NUMBER" | "DB2_NUMBER_CONNECTIONS" | "CONDITION_NUMBER" => number(1),
        "MORE" => Some(V::Text("N".to_owned())),
        "DB2_LAST_ROW" => number(if ca.sqlcode == 100 { 100 } else { 0 }),
        "DB2_RETURN_STATUS" | "DB2_NUMBER_RESULT_SETS" | "DB2_ROW_NUMBER" => number(0),
        "RETURNED_SQLSTATE" => Some(V::Text(ca.sqlstate.clone().into_owned())),
        "DB2_RETURNED_SQLCODE" => number(ca.sqlcode),
        "MESSAGE_TEXT" => Some(V::Text(message_text(ca))),
        "MESSAGE_LENGTH" | "MESSAGE_OCTET_LENGTH" => length(message_text(ca)),
        "DB2_TOKEN_STRING" => Some(V::Text(ca.tokens.join(", "))),
        "DB2_TOKEN_COUNT" => i64::try_from(ca.tokens.len()).map(V::Number).ok(),
        "DB2_REASON_CODE" => number(if matches!(ca.sqlcode, -911 | -913) {
            ca.errd[2]
        } else {
            0
        }),
        "DB2_MODULE_DETECTING_ERROR" => Some(V::Text(ca.module.to_owned())),
        "SERVER_NAME" => Some(V::Text(String::new())),
        _ => {
            let at: usize = item.strip_prefix("DB2_SQLERRD")?.parse().ok()?;
            number(*ca.errd.get(at.checked_sub(1)?)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_of_the_lists_has_a_value() {
        let ca = Sqlca::of(-803, &["X1", "0000000000"]);
        for item in STATEMENT_ITEMS.iter().chain(CONDITION_ITEMS) {
            assert!(diagnostic(&ca, item).is_some(), "{item}");
        }
        assert_eq!(
            diagnostic(&ca, "DB2_RETURNED_SQLCODE"),
            Some(DiagnosticValue::Number(-803))
        );
        assert_eq!(
            diagnostic(&ca, "DB2_TOKEN_STRING"),
            Some(DiagnosticValue::Text("X1, 0000000000".to_owned()))
        );
        assert_eq!(diagnostic(&ca, "DB2_SQLERRD7"), None);
    }
}
