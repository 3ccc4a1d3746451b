//! Reading each statement of the table.

use super::reader::{Reader, shown};
use super::{
    Statement, StatementKind, StatementSupport, call, cursor, diagnostics, dynamic, form, verbs,
};
use crate::text::{SqlToken, StatementProblem, TokenKind};
use crate::types;

/// The condition of WHENEVER.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WheneverCondition {
    /// SQLERROR.
    Error,
    /// SQLWARNING.
    Warning,
    /// NOT FOUND.
    NotFound,
}

/// The action of WHENEVER.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WheneverAction {
    /// CONTINUE.
    Continue,
    /// GO TO a paragraph or section.
    GoTo(String),
    /// PERFORM a paragraph or section, as other precompilers have it.
    Perform(String),
    /// STOP, as other precompilers have it.
    Stop,
}

/// Reads the tokens of a statement.
pub(super) fn statement(mut tokens: Vec<SqlToken>) -> Result<Statement, StatementProblem> {
    while tokens
        .last()
        .is_some_and(|t| t.is_mark(";") || t.is_mark("."))
    {
        tokens.pop();
    }
    let connection = at_connection(&mut tokens);
    let first: Vec<&str> = tokens
        .iter()
        .take(2)
        .map(|t| {
            if t.kind == TokenKind::Word {
                t.text.as_str()
            } else {
                ""
            }
        })
        .collect();
    let Some(verb) = tokens.first() else {
        return Err(StatementProblem::error(
            0,
            -104,
            "EXEC SQL without a statement",
        ));
    };
    let Some(form) = form(&first) else {
        let message = format!("there is no SQL statement {}", shown(verb));
        return Err(
            StatementProblem::error(verb.at, -104, message).with_nearest(&verb.text, verbs())
        );
    };
    if let StatementSupport::No(why) = form.served {
        return Err(StatementProblem::refused(verb.at, form.name).with_help(why));
    }
    let mut statement = Statement::new(form);
    statement.warnings.extend(connection);
    let mut reader = Reader::new(tokens);
    use StatementKind as K;
    match form.kind {
        K::SelectInto => select_into(&mut statement, reader)?,
        K::Insert => insert(&mut statement, reader)?,
        K::Update | K::Delete | K::Merge | K::Definition | K::LockTable => {
            statement.body = reader.rest();
            let body = &mut statement.body;
            // The default of MERGE.
            if form.kind == K::Merge
                && matches!(body.as_slice(), [.., a, b] if a.is("ELSE") && b.is("IGNORE"))
            {
                body.truncate(body.len() - 2);
            }
            dynamic::finish(&mut statement)?;
        }
        K::Call => call::call(&mut statement, reader)?,
        _ => {
            reader.at = form.words.len();
            framed(&mut statement, &mut reader)?;
        }
    }
    Ok(statement)
}

/// `AT connection`, which other precompilers have before a statement.
fn at_connection(tokens: &mut Vec<SqlToken>) -> Option<StatementProblem> {
    let at = tokens.first().filter(|t| t.is("AT"))?.at;
    let named = tokens.get(1).is_some_and(|t| {
        matches!(
            t.kind,
            TokenKind::Word | TokenKind::Quoted | TokenKind::Host
        )
    });
    if !named || tokens.len() < 3 {
        return None;
    }
    tokens.drain(..2);
    let message = "AT: there is one connection, whatever its name";
    Some(StatementProblem::warning(at, message))
}

/// Statements that are read word by word; the first words are read.
fn framed(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    use StatementKind as K;
    match statement.kind {
        K::Open => cursor::open(statement, reader),
        K::Fetch => cursor::fetch(statement, reader),
        K::Close => {
            statement.name = Some(reader.name("the name of a cursor")?);
            reader.end()
        }
        K::SetVariables if statement.form.words == ["VALUES"] => values_into(statement, reader),
        K::SetVariables => set(statement, reader),
        K::Prepare => prepare(statement, reader),
        K::Execute => {
            statement.name = Some(reader.name("the name of a prepared statement")?);
            cursor::using(statement, reader)?;
            cursor::for_rows(statement, reader)?;
            reader.end()
        }
        K::ExecuteImmediate => execute_immediate(statement, reader),
        K::Describe => describe(statement, reader),
        K::Commit => {
            let _ = reader.accept("WORK") || reader.accept("TRANSACTION");
            let _ = reader.accept("RELEASE");
            reader.end()
        }
        K::Rollback => rollback(statement, reader),
        K::Savepoint => savepoint(statement, reader),
        K::ReleaseSavepoint => {
            reader.accept("TO");
            reader.expect("SAVEPOINT")?;
            statement.name = Some(reader.name("the name of a savepoint")?);
            reader.end()
        }
        K::GetDiagnostics => diagnostics::get(statement, reader),
        K::Connect => {
            while !reader.is_done() {
                if reader.peek().is_some_and(|t| t.kind == TokenKind::Host) {
                    let host = reader.host("a host variable")?;
                    statement.inputs.push(host);
                } else {
                    reader.at += 1;
                }
            }
            Ok(())
        }
        K::DeclareCursor => declare(statement, reader),
        K::BeginSection | K::EndSection => {
            reader.expect("SECTION")?;
            reader.end()
        }
        K::Include => {
            statement.name = Some(reader.name("the name of a member")?);
            Ok(())
        }
        K::Whenever => whenever(statement, reader),
        _ => reader.end(),
    }
}

/// Takes the list after INTO out of the outermost SELECT.
fn select_into(statement: &mut Statement, mut reader: Reader) -> Result<(), StatementProblem> {
    let mut depth = 0usize;
    let mut into = None;
    for (at, token) in reader.tokens.iter().enumerate() {
        if token.is_mark("(") {
            depth += 1;
        } else if token.is_mark(")") {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && token.is("INTO") {
            into = Some(at);
            break;
        }
    }
    let Some(into) = into else {
        let message = "SELECT has no INTO";
        let help = "name the host variables after INTO, or DECLARE a CURSOR for the query";
        return Err(StatementProblem::error(reader.place(), -104, message).with_help(help));
    };
    reader.at = into + 1;
    statement.outputs = reader.hosts()?;
    let after = reader.rest();
    let mut body = std::mem::take(&mut reader.tokens);
    body.truncate(into);
    body.extend(after);
    statement.body = body;
    dynamic::finish(statement)
}

/// INSERT, with FOR n ROWS at its end.
fn insert(statement: &mut Statement, mut reader: Reader) -> Result<(), StatementProblem> {
    let tokens = &mut reader.tokens;
    for words in [
        &["NOT", "ATOMIC", "CONTINUE", "ON", "SQLEXCEPTION"][..],
        &["ATOMIC"][..],
    ] {
        let from = tokens.len().saturating_sub(words.len());
        if tokens[from..].iter().zip(words).all(|(t, w)| t.is(w)) && from > 3 {
            if words.len() > 1 {
                return Err(StatementProblem::refused(
                    tokens[from].at,
                    "NOT ATOMIC of a multi-row INSERT",
                ));
            }
            tokens.truncate(from);
        }
    }
    let rows = tokens.len().saturating_sub(3);
    let by_rows = tokens[rows..].first().is_some_and(|t| t.is("FOR"))
        && tokens.last().is_some_and(|t| t.is_any(&["ROWS", "ROW"]));
    let tail = if by_rows {
        tokens.split_off(rows)
    } else {
        Vec::new()
    };
    statement.body = reader.rest();
    dynamic::finish(statement)?;
    if !tail.is_empty() {
        cursor::for_rows(statement, &mut Reader::new(tail))?;
    }
    Ok(())
}

/// A word with a place of its own, for generated text.
fn word(like: &SqlToken, text: &str) -> SqlToken {
    SqlToken {
        kind: TokenKind::Word,
        text: text.to_owned(),
        spaced: true,
        ..like.clone()
    }
}

/// SET :a = …, :b = …; or of a special register.
fn set(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    let Some(first) = reader.peek().cloned() else {
        return Err(reader.unexpected("a host variable"));
    };
    let many = first.is_mark("(");
    if first.kind != TokenKind::Host && !many {
        return set_register(statement, reader);
    }
    let mut body = vec![word(&first, "SELECT")];
    if many {
        reader.at += 1;
        statement.outputs = reader.hosts()?;
        if !(reader.accept_mark(")") && reader.accept_mark("=") && reader.accept_mark("(")) {
            return Err(reader.unexpected(") = ("));
        }
        let mut rest = reader.rest();
        if !rest.pop().is_some_and(|t| t.is_mark(")")) {
            return Err(StatementProblem::error(
                first.at,
                -104,
                "the parenthesis is never closed",
            ));
        }
        if rest.first().is_some_and(|t| t.is("SELECT")) {
            body.clear();
        }
        body.extend(rest);
        statement.body = body;
        return dynamic::finish(statement);
    }
    loop {
        statement.outputs.push(reader.host("a host variable")?);
        if !reader.accept_mark("=") {
            return Err(reader.unexpected("="));
        }
        if body.len() > 1 {
            body.push(SqlToken {
                kind: TokenKind::Mark,
                ..word(&first, ",")
            });
        }
        let mut depth = 0usize;
        let from = reader.at;
        while let Some(token) = reader.peek() {
            let next = reader.tokens.get(reader.at + 1);
            let assigns = next.is_some_and(|t| t.kind == TokenKind::Host);
            if depth == 0 && token.is_mark(",") && assigns {
                break;
            }
            depth += usize::from(token.is_mark("("));
            depth = depth.saturating_sub(usize::from(token.is_mark(")")));
            body.push(token.clone());
            reader.at += 1;
        }
        if reader.at == from {
            return Err(reader.unexpected("an expression"));
        }
        if !reader.accept_mark(",") {
            break;
        }
    }
    statement.body = body;
    dynamic::finish(statement)
}

fn set_register(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    statement.kind = StatementKind::SetRegister;
    reader.accept("CURRENT");
    let mut name = reader.name("a host variable or a special register")?;
    while reader.peek().is_some_and(|t| t.kind == TokenKind::Word) {
        name.push(' ');
        name.push_str(&reader.name("a word")?);
    }
    const KNOWN: &[&str] = &[
        "SQLID",
        "SCHEMA",
        "PATH",
        "DEGREE",
        "LOCALE LC_CTYPE",
        "PRECISION",
        "RULES",
    ];
    if !KNOWN.contains(&name.as_str()) {
        let place = reader.place();
        let problem = StatementProblem::error(
            place,
            -104,
            format!("there is no special register {name} to set"),
        );
        return Err(problem.with_nearest(&name, KNOWN.iter().copied()));
    }
    reader.accept_mark("=");
    statement.name = Some(name);
    statement.body = reader.rest();
    dynamic::finish(statement)
}

/// VALUES … INTO …
fn values_into(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    let Some(into) = reader.tokens.iter().rposition(|t| t.is("INTO")) else {
        return Err(StatementProblem::error(
            reader.place(),
            -104,
            "VALUES has no INTO",
        ));
    };
    let verb = reader.tokens[0].clone();
    let tail = reader.tokens.split_off(into);
    let mut list = reader.rest();
    // VALUES (a, b) INTO has the list in parentheses.
    let open = list.first().is_some_and(|t| t.is_mark("("));
    if open && closes_at_end(&list) {
        list.pop();
        list.remove(0);
    }
    if list.is_empty() {
        return Err(StatementProblem::error(
            verb.at,
            -104,
            "VALUES has no expression",
        ));
    }
    statement.body = vec![word(&verb, "SELECT")];
    statement.body.extend(list);
    let mut tail = Reader::new(tail);
    tail.at = 1;
    statement.outputs = tail.hosts()?;
    tail.end()?;
    dynamic::finish(statement)
}

/// Whether the parenthesis at the beginning closes at the end.
fn closes_at_end(list: &[SqlToken]) -> bool {
    let mut depth = 0usize;
    for (at, token) in list.iter().enumerate() {
        depth += usize::from(token.is_mark("("));
        if token.is_mark(")") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1 == list.len();
            }
        }
    }
    false
}

fn prepare(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    statement.name = Some(reader.name("the name of a statement")?);
    if reader.accept("INTO") {
        statement.descriptor = Some(reader.host("an SQLDA")?.name);
        let _ = reader.accept("USING") && (reader.accept("NAMES") || reader.accept("BOTH"));
    }
    if reader.accept("ATTRIBUTES") {
        statement.inputs.push(reader.host("a host variable")?);
    }
    reader.expect("FROM")?;
    source(statement, reader)
}

fn execute_immediate(
    statement: &mut Statement,
    reader: &mut Reader,
) -> Result<(), StatementProblem> {
    source(statement, reader)
}

/// The text of a dynamic statement: a host variable or a constant.
fn source(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    // A COBOL literal may have either quote.
    let is_text = |t: &&SqlToken| matches!(t.kind, TokenKind::Text | TokenKind::Quoted);
    if let Some(text) = reader.peek().filter(is_text) {
        let mut text = text.clone();
        text.kind = TokenKind::Text;
        statement.body = vec![text];
        reader.at += 1;
    } else {
        let host = reader.host("a host variable or a constant with the statement")?;
        statement.inputs.push(host);
    }
    reader.end()
}

fn describe(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    if reader.accept("TABLE") || reader.accept("CURSOR") || reader.accept("PROCEDURE") {
        return Err(StatementProblem::refused(
            reader.place(),
            "DESCRIBE of a table, cursor or procedure",
        ));
    }
    if reader.peek().is_some_and(|t| t.is("INPUT")) {
        statement.body = vec![reader.tokens[reader.at].clone()];
    }
    let _ = reader.accept("OUTPUT") || reader.accept("INPUT");
    statement.name = Some(reader.name("the name of a statement")?);
    reader.expect("INTO")?;
    statement.descriptor = Some(reader.host("an SQLDA")?.name);
    let names = ["NAMES", "LABELS", "ANY", "BOTH"];
    let _ = reader.accept("USING") && names.iter().any(|n| reader.accept(n));
    reader.end()
}

fn rollback(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    let _ = reader.accept("WORK") || reader.accept("TRANSACTION");
    if reader.accept_all(&["TO", "SAVEPOINT"]) {
        statement.kind = StatementKind::RollbackToSavepoint;
        if !reader.is_done() {
            statement.name = Some(reader.name("the name of a savepoint")?);
        }
    }
    let _ = reader.accept("RELEASE");
    reader.end()
}

fn savepoint(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    statement.name = Some(reader.name("the name of a savepoint")?);
    reader.accept("UNIQUE");
    if reader.is_done() {
        let message = "SAVEPOINT without ON ROLLBACK RETAIN CURSORS: it is assumed";
        let warning = StatementProblem::warning(reader.place(), message);
        statement.warnings.push(warning);
    } else if !reader.accept_all(&["ON", "ROLLBACK", "RETAIN", "CURSORS"]) {
        return Err(reader.unexpected("ON ROLLBACK RETAIN CURSORS"));
    }
    let _ = reader.accept_all(&["ON", "ROLLBACK", "RETAIN", "LOCKS"]);
    reader.end()
}

/// DECLARE of a cursor, table, statement or variable.
fn declare(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    if reader.peek().is_some_and(|t| t.kind == TokenKind::Host) {
        statement.kind = StatementKind::DeclareVariable;
        statement.inputs = reader.hosts()?;
        return reader.expect("VARIABLE");
    }
    let save = reader.at;
    let mut name = reader.name("the name of a cursor or table")?;
    while reader.accept_mark(".") {
        name = reader.name("the name of a table")?;
    }
    if reader.accept("TABLE") {
        reader.at = save;
        statement.kind = StatementKind::DeclareTable;
        let table = types::declare_table(reader.rest())?;
        statement.name = Some(table.name.clone());
        statement.table = Some(table);
        return Ok(());
    }
    if reader.accept("STATEMENT") {
        statement.kind = StatementKind::DeclareStatement;
        statement.name = Some(name);
        return reader.end();
    }
    statement.name = Some(name);
    cursor::declare(statement, reader)
}

fn whenever(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    let condition = if reader.accept("SQLERROR") {
        WheneverCondition::Error
    } else if reader.accept("SQLWARNING") {
        WheneverCondition::Warning
    } else if reader.accept_all(&["NOT", "FOUND"]) {
        WheneverCondition::NotFound
    } else {
        return Err(reader.unexpected("SQLERROR, SQLWARNING or NOT FOUND"));
    };
    let action = if reader.accept("CONTINUE") {
        WheneverAction::Continue
    } else if reader.accept("STOP") {
        WheneverAction::Stop
    } else if reader.accept("GOTO") || reader.accept_all(&["GO", "TO"]) {
        WheneverAction::GoTo(label(reader)?)
    } else if reader.accept("PERFORM") || reader.accept("DO") {
        WheneverAction::Perform(label(reader)?)
    } else {
        return Err(reader.unexpected("CONTINUE or GO TO"));
    };
    statement.whenever = Some((condition, action));
    reader.end()
}

/// A paragraph or section, with or without a colon.
fn label(reader: &mut Reader) -> Result<String, StatementProblem> {
    if let Some(host) = reader.peek().filter(|t| t.kind == TokenKind::Host) {
        let name = host.text.clone();
        reader.at += 1;
        return Ok(name);
    }
    // Paragraphs may begin with a digit: the parts are joined as they stand.
    let mut name = String::new();
    while let Some(token) = reader.peek().filter(|t| name.is_empty() || !t.spaced) {
        let fits = token.is_mark("-") || matches!(token.kind, TokenKind::Word | TokenKind::Number);
        if !fits {
            break;
        }
        name.push_str(&token.text);
        reader.at += 1;
    }
    if name.is_empty() {
        return Err(reader.unexpected("the name of a paragraph or section"));
    }
    Ok(name)
}
