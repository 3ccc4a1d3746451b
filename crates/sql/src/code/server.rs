//! SQLCODE from an error of the server.
//!
//! Reference: Db2 for z/OS Codes; PostgreSQL 15, "Error Codes".

use super::sqlca::Sqlca;
use crate::statement::StatementKind;

/// Fields of an ErrorResponse.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerError {
    /// SQLSTATE of the server.
    pub sqlstate: String,
    /// Message.
    pub message: String,
    /// Detail.
    pub detail: String,
    /// Hint.
    pub hint: String,
    /// Position in the statement's text, in characters from 1; 0 if unknown.
    pub position: usize,
    /// Schema of the table.
    pub schema: String,
    /// Table.
    pub table: String,
    /// Column.
    pub column: String,
    /// Type.
    pub data_type: String,
    /// Constraint.
    pub constraint: String,
    /// FATAL or PANIC: the connection is lost.
    pub fatal: bool,
}

/// The statement's properties on which the code depends, in addition to the server's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatementContext {
    /// The statement.
    pub kind: StatementKind,
    /// The statement has input host variables.
    pub has_inputs: bool,
    /// A deadlock or timeout rolls the unit of work back (DROLLBACK(YES)).
    pub rolls_back: bool,
    /// The connection was being made.
    pub connecting: bool,
}

/// Reason codes of -911 and -913: deadlock and timeout.
const DEADLOCK: i32 = 0x00C9_0088;
const TIMEOUT: i32 = 0x00C9_008E;

/// The SQLCA of a program for an error.
pub fn from_server_error(error: &ServerError, context: StatementContext) -> Sqlca {
    let state = error.sqlstate.as_str();
    let is_update = context.kind == StatementKind::Update;
    let object = quoted(&error.message);
    let named = |own: &str| {
        if own.is_empty() {
            object.clone()
        } else {
            own.to_owned()
        }
    };
    let (code, tokens): (i32, Vec<String>) = match state {
        "22012" => (-802, vec!["ZERO DIVIDE".into()]),
        "22003" => match overflow(error, context) {
            -802 => (-802, vec!["FIXED POINT OVERFLOW".into()]),
            code => (code, Vec::new()),
        },
        "22001" => (if context.has_inputs { -302 } else { -404 }, Vec::new()),
        "22007" => (-180, Vec::new()),
        "22008" => (-181, Vec::new()),
        "22011" => (-138, Vec::new()),
        "22P02" => (-420, Vec::new()),
        "22P03" | "22021" | "22P05" => (-302, Vec::new()),
        "23502" => (-407, vec![error.column.clone()]),
        "23503" if error.message.starts_with("insert") => (-530, vec![error.constraint.clone()]),
        "23503" => (
            if is_update { -531 } else { -532 },
            vec![error.constraint.clone()],
        ),
        "23505" if context.kind == StatementKind::Definition => (-603, Vec::new()),
        "23505" => (-803, vec![error.constraint.clone(), row_id(error)]),
        "23514" if error.constraint.starts_with("varchar_") => {
            (if context.has_inputs { -302 } else { -404 }, Vec::new())
        }
        "23514" => (-545, vec![error.constraint.clone()]),
        "24000" | "55000" if error.message.contains("update") => (-510, vec![object]),
        "25006" | "53100" | "53200" | "53300" | "53400" | "55006" => (
            -904,
            vec!["00D31024".into(), "00000100".into(), error.message.clone()],
        ),
        "28P01" | "28000" | "3D000" => (-922, vec![error.message.clone()]),
        "34000" => (-501, Vec::new()),
        "42P03" => (-502, Vec::new()),
        "26000" => (-518, Vec::new()),
        "21000" => (-811, Vec::new()),
        "3B001" => (-880, vec![object]),
        "3F000" | "42P01" | "42704" => (-204, vec![named(&error.table)]),
        "40P01" => (unit(context), vec!["00C90088".into()]),
        "40001" | "55P03" => (unit(context), vec!["00C9008E".into()]),
        "42501" => (-551, vec![object]),
        "42601" | "42P02" if error.message.contains("more") => (-117, Vec::new()),
        "42601" | "42P02" => (-104, vec![object]),
        "42701" => (-612, vec![object]),
        "42702" => (-203, vec![object]),
        "42703" if error.message.contains("of relation") => (-205, vec![object]),
        "42703" => (-206, vec![object]),
        "42710" | "42P07" | "42P06" => (-601, vec![object]),
        "42803" => (-122, Vec::new()),
        "42804" => (-408, vec![object]),
        "42846" => (-461, Vec::new()),
        "42883" if error.message.starts_with("operator") => (-401, vec![object]),
        "42883" => (-440, vec!["FUNCTION".into(), named(&error.data_type)]),
        "428C9" => (-798, vec![object]),
        "44000" => (-161, Vec::new()),
        "54000" | "54011" | "54023" => (-840, Vec::new()),
        "54001" => (-101, Vec::new()),
        "57014" => (-952, vec![error.message.clone()]),
        "57P03" => (-923, vec![error.message.clone()]),
        "57P01" | "57P02" | "57P04" | "08006" | "08003" | "08001" => (
            if context.connecting { -923 } else { -924 },
            vec![error.message.clone()],
        ),
        _ if error.fatal => (
            if context.connecting { -923 } else { -924 },
            vec![error.message.clone()],
        ),
        _ => (-901, vec![format!("{state} {}", error.message)]),
    };
    let tokens: Vec<&str> = tokens
        .iter()
        .map(String::as_str)
        .filter(|t| !t.is_empty())
        .collect();
    let mut ca = Sqlca::of(code, &tokens);
    match state {
        "22012" => ca.sqlstate = "22012".into(),
        "40P01" => ca.errd[2] = DEADLOCK,
        "40001" | "55P03" => ca.errd[2] = TIMEOUT,
        _ => {}
    }
    ca
}

fn unit(context: StatementContext) -> i32 {
    if context.rolls_back { -911 } else { -913 }
}

/// A number that does not fit: its column, its host variable, or a result.
fn overflow(error: &ServerError, context: StatementContext) -> i32 {
    use StatementKind as K;
    let assigns = matches!(context.kind, K::Insert | K::Update | K::Merge);
    if assigns && error.message.contains("field overflow") {
        -413
    } else if assigns && error.message.ends_with("out of range") && context.has_inputs {
        -302
    } else {
        -802
    }
}

/// The first quoted name of a message.
fn quoted(message: &str) -> String {
    let mut parts = message.split('"');
    match (parts.next(), parts.next()) {
        (Some(_), Some(name)) => name.to_owned(),
        _ => String::new(),
    }
}

/// A row's identifier, which the server does not return: a constant of its form.
fn row_id(_error: &ServerError) -> String {
    "0000000000".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(state: &str, message: &str, kind: StatementKind) -> i32 {
        let error = ServerError {
            sqlstate: state.to_owned(),
            message: message.to_owned(),
            ..ServerError::default()
        };
        let context = StatementContext {
            kind,
            has_inputs: true,
            rolls_back: true,
            connecting: false,
        };
        from_server_error(&error, context).sqlcode
    }

    #[test]
    fn codes_that_programs_test_come_from_the_servers_states() {
        use StatementKind as K;
        let relation = "relation \"T\" does not exist";
        assert_eq!(code("42P01", relation, K::SelectInto), -204);
        assert_eq!(code("23505", "duplicate key", K::Insert), -803);
        assert_eq!(code("23503", "insert or update on table", K::Insert), -530);
        assert_eq!(code("23503", "update or delete on table", K::Delete), -532);
        assert_eq!(code("23503", "update or delete on table", K::Update), -531);
        assert_eq!(code("40P01", "deadlock detected", K::Update), -911);
        assert_eq!(code("22003", "numeric field overflow", K::Insert), -413);
        assert_eq!(code("22003", "integer out of range", K::SelectInto), -802);
        assert_eq!(code("XX000", "odd", K::Update), -901);
    }

    #[test]
    fn tokens_name_the_object_and_the_reason() {
        let error = ServerError {
            sqlstate: "42703".into(),
            message: "column \"NAM\" of relation \"T\" does not exist".into(),
            ..ServerError::default()
        };
        let context = StatementContext {
            kind: StatementKind::Insert,
            has_inputs: false,
            rolls_back: false,
            connecting: false,
        };
        let ca = from_server_error(&error, context);
        assert_eq!((ca.sqlcode, ca.tokens), (-205, vec!["NAM".to_owned()]));
        let zero = ServerError {
            sqlstate: "22012".into(),
            ..ServerError::default()
        };
        let ca = from_server_error(&zero, context);
        assert_eq!((ca.sqlcode, &*ca.sqlstate), (-802, "22012"));
        let lock = ServerError {
            sqlstate: "55P03".into(),
            ..ServerError::default()
        };
        let ca = from_server_error(&lock, context);
        assert_eq!((ca.sqlcode, ca.errd[2]), (-913, 13_172_878));
    }
}
